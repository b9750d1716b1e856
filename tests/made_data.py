"""Generated data that tests of learners and of their engine share."""

import numpy as np
import scipy.sparse as sp
from scipy.stats import multivariate_normal

from lxmls_day1.engine.corpus.shard_writing import write_shards
from lxmls_day1.engine.kernels.chain_search import Sentences


def random_problem(n_classes, n_examples=31, n_features=7, n_rounds=3, density=0.5):
    """Return real-valued features, half of them zero, so that no two scores tie; every class has an example.

    Returns
    -------
    X : (M, J)
    labels : (M,)
    orders : (n_rounds, M)
    costs : (K, K)
    """
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n_examples, n_features)) * (rng.random((n_examples, n_features)) < density)
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_examples - n_classes)])
    costs = rng.uniform(0.5, 2.0, (n_classes, n_classes)) * (1 - np.eye(n_classes))
    return X, labels, np.array([rng.permutation(n_examples) for _ in range(n_rounds)]), costs


NAMES = np.array(["bad", "fair", "good", "great", "superb"])


def rows_on_disk(place, n_classes=3, rows_a_shard=1000, kind="float32", n_rows=60, n_features=40):
    """Return the same rows as a corpus on disk, and as a matrix with the names of their classes.

    The numbers are counts, positive or arbitrary numbers in single precision (without ties), or sums of signed counts as of hashed words.
    """
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n_rows, n_features)) * (rng.random((n_rows, n_features)) < 0.2)
    if kind == "hashed":  # Words collide in 16 columns.
        X = np.round(2 * X) @ np.kron(np.eye(16), [[1], [-1], [1]])[:n_features]
    else:
        X = {"counts": np.round(abs(3 * X)), "positive": abs(X), "float32": X}[kind].astype(np.float32).astype(float)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)])
    folder = place / f"{kind}-{n_classes}-{rows_a_shard}.bags"
    X, names = sp.csr_array(X), NAMES[:n_classes]
    return write_shards(folder, X, y, names.tolist(), rows_a_shard), X, names[y]


def random_sentences(seed, n_tags=3, n_sentences=9, longest=4):
    """Return sentences of a few generated words, which repeat within sentences, with all tags in use; and an order for three rounds."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, n_sentences)
    lengths[0] = n_tags
    X = [tuple(rng.choice(["ab", "cb", "ad", "cd", "b"], length).tolist()) for length in lengths]
    y = [list(range(n_tags)), *(rng.integers(0, n_tags, length).tolist() for length in lengths[1:])]
    return X, y, np.array([rng.permutation(n_sentences) for _ in range(3)])


def encoded_sentences(rng, n_tags, lengths, n_features=5, valued=False):
    """Return sentences for compiled code: words with any set of the features, also the empty set, random tags, and perhaps values."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    has = rng.random((starts[-1], n_features)) < 0.4
    indptr = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    labels = rng.integers(0, n_tags, starts[-1])
    values = np.round(rng.normal(size=has.sum()), 2) if valued else np.empty(0)
    return Sentences(starts, indptr, np.nonzero(has)[1].astype(np.int32), labels, n_features, values)


def documents(seed, n_classes, n_documents=80, n_words=40):
    """Return counts of words, a few of which indicate the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_documents) % n_classes
    return rng.poisson((0.3 + rng.random((n_classes, n_words)) ** 4)[y]).astype(float), y


def log_joint(X, prior, means, variances):
    """Return log p(y) + log N(x; μ_y, diag σ_y²), computed by another library."""
    classes = zip(prior, means, variances, strict=True)
    return np.transpose([np.log(p) + multivariate_normal(m, np.diag(v)).logpdf(X) for p, m, v in classes])


def all_but_seconds(history):
    return [round._replace(seconds=None) for round in history]


def as_bags(reviews):
    """Return the result of `parse_review` for each line of parsed reviews: token -> count, and the label."""
    ends = zip(reviews.starts[:-1], reviews.starts[1:], reviews.y, strict=True)
    rows = ((zip(reviews.columns[a:b], reviews.counts[a:b], strict=True), label) for a, b, label in ends)
    return [({reviews.tokens[j]: int(n) for j, n in row}, reviews.label_names[label]) for row, label in rows]


def processed_line(counts, label):
    """Return one review as a line of the published format, ``token:count token:count … #label#:positive``."""
    return " ".join([*(f"{token}:{count}" for token, count in counts.items()), f"#label#:{label}"])
