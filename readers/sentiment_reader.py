"""Product reviews as bags of words, positive or negative: the corpus of the guide's classification exercises.

A corpus consists of two files, ``positive.review`` and ``negative.review``, with one review per line (Blitzer et al. 2007,
the format ``processed_acl``)::

    token:count token:count … #label#:positive

The reader converts them to a sparse matrix, with X[m, j] the number of occurrences of token j in review m, in three steps:
count all tokens (`lxmls_day1.engine.text.parsed_reviews`), cut rare tokens (only tokens that occur often enough *in the training
part* become columns), and split. `vectorise` of ``vocabulary.py`` converts new reviews to rows over the same columns.

References
----------
J. Blitzer, M. Dredze, F. Pereira (2007), *Biographies, Bollywood, Boom-boxes and Blenders: Domain Adaptation for
Sentiment Classification*, ACL 2007.
"""

import os
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.lab_api import InputError, text_data
from readers.splitting import split_ends, split_train_dev_test
from readers.vocabulary import checked_min_count, vectorise  # noqa: F401 - vectorise: for whoever has read reviews here


def cut_rare_tokens(reviews: Any, min_count: int, nr_counted: int) -> tuple[csr_array, np.ndarray, np.ndarray]:
    """Keep the tokens that occur at least `min_count` times in the first `nr_counted` reviews.

    Parameters
    ----------
    reviews : ParsedReviews
    min_count : int
        At least 1. It is compared with the sum of the counts, not with the number of reviews.
    nr_counted : int
        The number of reviews in which tokens are counted.

    Returns
    -------
    X : csr_array of shape (M, J)
        float64, with sorted int32 indices: all reviews over the remaining tokens.
    columns : int array of shape (J,)
        The columns of these tokens in `reviews`, ascending.
    totals : int array of shape (J,)
        The number of occurrences of each token in the first `nr_counted` reviews.

    Examples
    --------
    >>> from lxmls_day1.engine.text.parsed_reviews import parse_reviews
    >>> reviews = parse_reviews(["book:2 dull:1 #label#:negative", "book:1 dull:4 #label#:negative"])
    >>> X, columns, totals = cut_rare_tokens(reviews, min_count=2, nr_counted=1)
    >>> X.toarray().ravel(), columns, totals
    (array([2., 1.]), array([0]), array([2]))
    """
    end = reviews.starts[nr_counted]
    totals = np.bincount(reviews.columns[:end], weights=reviews.counts[:end], minlength=len(reviews.tokens))
    columns = np.flatnonzero(totals >= min_count)
    entries = (reviews.counts.astype(np.float64), reviews.columns, reviews.starts)
    X = csr_array(entries, shape=(len(reviews), len(reviews.tokens)))[:, columns]  # ascending: rows stay sorted
    X.has_canonical_format = True
    return X, columns, totals[columns].astype(np.int64)


class SentimentCorpus:
    """Reviews of one domain, split for training and testing.

    Parameters
    ----------
    domain : str
        ``books``, ``dvd``, ``electronics`` or ``kitchen`` (2000 reviews from Amazon each), or ``toy`` (400 invented
        reviews that are part of the package).
    train_per, dev_per, test_per : float
        The shares of training, development and test part; they sum to 1 at most.
    min_count : int
        Minimum number of occurrences (not of reviews) for a token to become a feature.
    rare_words_from : {"train", "all"}
        The reviews in which tokens are counted: the training part, or all reviews. With "all" the test part influences the
        choice of features; this reproduces older published figures.
    data_dir : path, optional
        A folder that holds the corpus. Default: `lxmls_day1.engine.text.corpora.find_corpus` finds the corpus, and may download it.
    cache : bool
        Whether to save the parsed files in the user's cache and to read them from it.

    Attributes
    ----------
    domain : str
    X : csr_array of shape (M, J)
        float64 counts, with sorted int32 indices. Row 2i is the i-th positive review, row 2i + 1 the i-th negative review.
    y : int array of shape (M,)
        0 for positive, 1 for negative.
    label_names : tuple of str
        ``("positive", "negative")``.
    train_X, train_y, dev_X, dev_y, test_X, test_y
        The parts of `X` and `y`, in this order.
    feat_dict : dict of str to int
        Token -> column.
    feat_counts : dict of str to int
        Token -> number of occurrences in the reviews chosen by ``rare_words_from``; for the tokens of `feat_dict`.
    feature_names : list of str
        Column -> token, in the order in which the corpus first uses them.
    nr_features, nr_examples, nr_instances : int
        J, M, and M again under the name that the guide's toolkit uses.

    Raises
    ------
    InputError
        If the domain is unknown, the shares, `min_count` or `rare_words_from` are invalid, no feature is left, the training
        part has only one class, or the files are not in `data_dir`.
    CorpusError
        If a file is malformed; the message names file, line and what was expected.
    CorpusUnavailable
        If the corpus is neither on this machine nor available from the network.

    Examples
    --------
    >>> corpus = SentimentCorpus("toy")
    >>> corpus.train_X.shape[0], corpus.test_X.shape[0], corpus.train_y[:4]
    (320, 80, array([0, 1, 0, 1]))
    >>> corpus.feature_names[corpus.feat_dict["boring"]]
    'boring'

    References
    ----------
    J. Blitzer, M. Dredze, F. Pereira (2007), *Biographies, Bollywood, Boom-boxes and Blenders: Domain Adaptation for
    Sentiment Classification*, ACL 2007.
    """

    def __init__(
        self,
        domain: str = "books",
        train_per: float = 0.8,
        dev_per: float = 0.0,
        test_per: float = 0.2,
        min_count: int = 5,
        rare_words_from: str = "train",
        data_dir: str | os.PathLike[str] | None = None,
        cache: bool = True,
    ) -> None:
        min_count = checked_min_count(min_count)
        if rare_words_from not in ("train", "all"):
            raise InputError(f'rare_words_from must be "train" or "all", but is {rare_words_from!r}')
        split = (train_per, dev_per, test_per)

        reviews = text_data.read_reviews(domain, data_dir, cache)
        train_end, _, _ = split_ends(len(reviews), split)
        if len(set(reviews.y[:train_end].tolist())) < len(reviews.label_names):
            raise InputError(
                f"the training part of {domain} holds reviews of one class only, with train_per={train_per:g} of "
                f"{len(reviews)} reviews; give it a larger share"
            )
        nr_counted = train_end if rare_words_from == "train" else len(reviews)
        X, columns, totals = cut_rare_tokens(reviews, min_count, nr_counted)
        if not len(columns):
            raise InputError(f"no token of {domain} occurs min_count={min_count} times; lower min_count (5 is usual)")

        self.domain = domain
        self.X = X
        self.y = reviews.y.astype(np.intp)
        self.label_names = reviews.label_names
        self.feature_names = reviews.tokens[columns]
        self.feat_dict = {token: column for column, token in enumerate(self.feature_names)}
        self.feat_counts = dict(zip(self.feature_names, totals.tolist(), strict=True))
        self.nr_examples, self.nr_features = X.shape
        self.nr_instances = self.nr_examples
        parts = split_train_dev_test(self.X, self.y, split)
        self.train_X, self.train_y, self.dev_X, self.dev_y, self.test_X, self.test_y = parts

    def get_name(self) -> str:
        """Return the name of this data set for tables and plots."""
        return "Toy reviews" if self.domain == "toy" else f"Amazon reviews: {self.domain}"
