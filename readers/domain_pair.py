"""Reviews of two domains over one vocabulary: train on the source domain, test on the target domain.

Kitchen reviews contain words that a classifier trained on book reviews has never seen. Methods for this problem are called *domain
adaptation* (``classifiers/domains/domain_adaptation.py``). This module provides the data: a source domain with labels, a target domain
for testing, and the texts of both without labels. Both domains are rows over the same columns.

References
----------
J. Blitzer, M. Dredze, F. Pereira (2007), *Biographies, Bollywood, Boom-boxes and Blenders: Domain Adaptation for Sentiment
Classification*, ACL 2007.
"""

import os
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.lab_api import InputError, check_number, text_data
from readers.sentiment_reader import cut_rare_tokens
from readers.splitting import split_ends
from readers.vocabulary import checked_min_count


def join_reviews(corpora: list[Any]) -> Any:
    """Concatenate several corpora, with one numbering of the tokens.

    Parameters
    ----------
    corpora : list of ParsedReviews

    Returns
    -------
    ParsedReviews
        The tokens are in the order of first use.

    Examples
    --------
    >>> from lxmls_day1.engine.text.parsed_reviews import parse_reviews
    >>> books = parse_reviews(["dull:1 page:2 #label#:negative"])
    >>> kitchen = parse_reviews(["sharp:1 dull:3 #label#:positive"])
    >>> both = join_reviews([books, kitchen])
    >>> both.tokens, both.columns.tolist(), both.counts.tolist(), both.y.tolist()
    (['dull', 'page', 'sharp'], [0, 1, 0, 2], [1, 2, 3, 1], [1, 0])
    """
    column_of: dict[str, int] = {}
    columns = []
    for reviews in corpora:
        new_columns = [column_of.setdefault(token, len(column_of)) for token in reviews.tokens]
        columns.append(np.array(new_columns, dtype=np.int32)[reviews.columns])
    lengths = np.concatenate([np.diff(reviews.starts) for reviews in corpora])
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    X = csr_array(
        (np.concatenate([reviews.counts for reviews in corpora]), np.concatenate(columns), starts),
        shape=(len(lengths), max(1, len(column_of))),
    )
    X.sort_indices()
    y = np.concatenate([reviews.y for reviews in corpora])
    return replace(corpora[0], starts=X.indptr, columns=X.indices, counts=X.data, y=y, tokens=list(column_of))


class DomainPair:
    """Reviews of a source domain for training and of a target domain for testing, over one vocabulary.

    Each domain is split in the same way as by `SentimentCorpus`. A token is a feature if it occurs at least ``min_count`` times in the
    texts of ``unlabelled_X``. The choice of features uses neither labels nor the test part.

    Parameters
    ----------
    source, target : str
        Two different domains, as in `SentimentCorpus`.
    train_per, dev_per, test_per : float
        The shares of training, development and test part of each domain; they sum to 1 at most.
    min_count : int
        Minimum number of occurrences for a token to become a feature.
    fold : int ≥ 0
        The number of the test fold: before the split, the reviews of each domain are rotated by ``fold`` times the size of the test part.
        0 uses the last reviews for testing, as `SentimentCorpus` does; with ``test_per=0.2`` the folds 0 … 4 test every review once.
    data_dir : path, optional
        A folder that holds the corpora. Default: the same places as for `SentimentCorpus`.
    cache : bool
        Whether to save the parsed files in the user's cache and to read them from it.

    Attributes
    ----------
    source, target : str
    train_X, train_y, dev_X, dev_y
        The training and development part of the source.
    test_X, test_y
        The test part of the target.
    target_train_X, target_train_y
        The training part of the target. A method that uses these labels has more information than a method that uses only texts.
    unlabelled_X : csr_array
        Texts without labels: the training parts of both domains, and all reviews of a file ``unlabeled.review`` in the folder of a
        domain, if there is one.
    nr_unlabelled : int
        The number of reviews from such files.
    label_names : tuple of str
        ``("positive", "negative")``, for the labels 0 and 1.
    feature_names : list of str
        Column -> token.
    feat_dict : dict of str to int
        Token -> column.
    nr_features : int

    Raises
    ------
    InputError
        If the domains are the same or unknown, or shares, `min_count` or `fold` are invalid.
    CorpusError
        If a file is malformed.
    CorpusUnavailable
        If a domain is neither on this machine nor available from the network.

    Examples
    --------
    >>> import shutil, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for domain in ("books", "kitchen"):  # the toy reviews twice
    ...         _ = shutil.copytree(text_data.find_corpus("toy").folder, f"{folder}/sentiment/{domain}")
    ...     pair = DomainPair("books", "kitchen", data_dir=folder)
    >>> pair.train_X.shape[0], pair.test_X.shape[0], pair.unlabelled_X.shape[0], pair.nr_unlabelled
    (320, 80, 640, 0)
    >>> pair.train_X.shape[1] == pair.test_X.shape[1] == len(pair.feature_names)
    True
    """

    def __init__(
        self,
        source: str = "books",
        target: str = "kitchen",
        train_per: float = 0.8,
        dev_per: float = 0.0,
        test_per: float = 0.2,
        min_count: int = 5,
        fold: int = 0,
        data_dir: str | os.PathLike[str] | None = None,
        cache: bool = True,
    ) -> None:
        if source == target:
            raise InputError(f"source and target must be two domains, but both are {source}; SentimentCorpus reads one")
        folders = [text_data.find_corpus(domain, data_dir, "sentiment").folder for domain in (source, target)]
        if folders[0] == folders[1]:
            raise InputError(
                f"{data_dir} holds the files of one domain; data_dir must be the folder above it, with {source} and {target} in it"
            )
        min_count, fold = checked_min_count(min_count), check_number("fold", fold, at_least=0, whole=True)
        split = (train_per, dev_per, test_per)
        labelled = [text_data.read_reviews(domain, data_dir, cache) for domain in (source, target)]
        unlabelled = [text_data.read_reviews(domain, data_dir, labelled=False) for domain in (source, target)]
        of_source, of_target = (_rows_of_parts(len(reviews), split, int(fold)) for reviews in labelled)
        joint = join_reviews(labelled + [reviews for reviews in unlabelled if reviews is not None])
        nr_labelled = sum(map(len, labelled))
        of_target = [places + len(labelled[0]) for places in of_target]
        parts = [of_source[0], of_target[0], np.arange(nr_labelled, len(joint)), of_source[1], of_target[2]]
        ends = np.cumsum([len(part) for part in parts])
        joint = joint.in_order(np.concatenate(parts))
        X, columns, _ = cut_rare_tokens(joint, min_count, ends[2])
        if not len(columns):
            raise InputError(
                f"no token of {source} and {target} occurs min_count={min_count} times; lower min_count (5 is usual)"
            )
        y = joint.y.astype(np.intp)
        rows = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        self.source, self.target = source, target
        self.train_X, self.target_train_X, _, self.dev_X, self.test_X = (X[part] for part in rows)
        self.train_y, self.target_train_y, _, self.dev_y, self.test_y = (y[part] for part in rows)
        self.unlabelled_X = X[: ends[2]]
        self.nr_unlabelled = len(parts[2])
        self.label_names = joint.label_names
        self.feature_names = [joint.tokens[column] for column in columns.tolist()]
        self.feat_dict = {token: column for column, token in enumerate(self.feature_names)}
        self.nr_features = len(columns)

    def get_name(self) -> str:
        """Return the name of this data set for tables and plots."""
        return f"{self.source} → {self.target}"


def _rows_of_parts(nr_reviews: int, split: tuple[float, float, float], fold: int) -> list[np.ndarray]:
    """Return the row numbers of the training, development and test part among the reviews of a domain."""
    train_end, dev_end, test_end = split_ends(nr_reviews, split)
    nr_tested = test_end - dev_end
    if fold and fold * nr_tested >= nr_reviews:
        raise InputError(
            f"fold must be below {nr_reviews / max(1, nr_tested):g} for a test part of {nr_tested} of {nr_reviews} reviews, got {fold}"
        )
    turned = np.roll(np.arange(nr_reviews), fold * nr_tested)
    return np.split(turned[:test_end], [train_end, dev_end])
