"""From token counts to a sparse matrix: choose the tokens that become columns, and make the rows over these columns.

A text is converted in three steps:

* a *bag*, token -> number of occurrences in the text; the function that makes the bags defines the tokens;
* a *vocabulary*, token -> number of occurrences in the training texts; only the training part determines which tokens
  become features, so that no information of the test part leaks into them;
* a *row* of X, with a column for each token of the vocabulary. Tokens without a column are dropped.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.lab_api import InputError, as_numbers

_BAGS_EXPECTED = (
    "bags must be a list of mappings, each from tokens to finite numbers, and feat_dict one from tokens to columns"
)


def count_vocabulary(bags: Iterable[Mapping[str, float]], min_count: int = 1) -> dict[str, float]:
    """Return the tokens that occur at least ``min_count`` times, with the number of occurrences.

    Parameters
    ----------
    bags : iterable of mappings of str to number
        Token -> count for each text of the training part.
    min_count : int
        Minimum sum of the counts of a token; 1 keeps all tokens.

    Returns
    -------
    dict of str to number
        Token -> sum of its counts, in the order of first occurrence.

    Raises
    ------
    InputError
        If a bag is not a mapping, a count is not a number, or `min_count` is not an integer ≥ 1.

    Examples
    --------
    >>> count_vocabulary([{"what": 1, "river": 1}, {"what": 2, "year": 1}], min_count=2)
    {'what': 3}
    """
    totals: dict[str, float] = {}
    min_count = checked_min_count(min_count)
    try:
        for bag in bags:
            for token, count in bag.items():
                totals[token] = totals.get(token, 0) + count
        return totals if min_count == 1 else {token: total for token, total in totals.items() if total >= min_count}
    except (AttributeError, TypeError) as error:
        raise InputError(f"{_BAGS_EXPECTED}: {error}") from error


def vectorise(bags: Iterable[Mapping[str, float]], feat_dict: Mapping[str, int]) -> csr_array:
    """Return bags as rows over the given columns; tokens that have no column are dropped.

    Parameters
    ----------
    bags : iterable of mappings of str to number
        Token -> count for each text: from `lxmls_day1.engine.text.tokens.count_tokens` for plain text, from `parse_review` for a
        line of the review corpora, from `count_words` for a question.
    feat_dict : mapping of str to int
        Token -> column, such as ``corpus.feat_dict``; the columns are 0, 1, …, J - 1.

    Returns
    -------
    csr_array of shape (len(bags), J)
        float64, with sorted int32 indices.

    Raises
    ------
    InputError
        If a bag is not a mapping, a count is not a finite number, or the columns are not 0 … J - 1.

    Examples
    --------
    >>> X = vectorise([{"great": 2, "unheard-of": 1}, {}], {"dull": 0, "great": 1})
    >>> X.toarray()
    array([[0., 2.],
           [0., 0.]])
    """
    if not isinstance(feat_dict, Mapping):
        raise InputError(f"{_BAGS_EXPECTED}, but feat_dict is {feat_dict!r}")
    starts = [0]
    columns: list[int] = []
    counts: list[float] = []
    try:
        for bag in bags:
            row = sorted([(feat_dict[token], count) for token, count in bag.items() if token in feat_dict])
            columns += [column for column, _ in row]
            counts += [count for _, count in row]
            starts.append(len(columns))
        places = np.array(columns or np.zeros(0, dtype=np.intp))
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"{_BAGS_EXPECTED}: {error}") from error
    if places.dtype.kind not in "iu" or (len(places) and not 0 <= places.min() <= places.max() < len(feat_dict)):
        raise InputError(f"feat_dict must map each token to one of the columns 0 … {len(feat_dict) - 1}")
    numbers = as_numbers(counts, _BAGS_EXPECTED)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise InputError(f"{_BAGS_EXPECTED}, but one of the counts is not")
    return csr_array(
        (numbers, places.astype(np.int32), np.array(starts, dtype=np.int32)), shape=(len(starts) - 1, len(feat_dict))
    )


def check_bag(bag: Any) -> Mapping[str, float]:
    """Return ``bag`` unchanged if it is a valid bag of words.

    Raises
    ------
    InputError
        If it is not a mapping from tokens to finite numbers.

    Examples
    --------
    >>> check_bag(["great", "book"])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: count must return a mapping of tokens (strings) to finite numbers, but returned ['great', ...
    """
    if not (
        isinstance(bag, Mapping)
        and all(isinstance(token, str) for token in bag)
        and all(isinstance(number, (int, float, np.integer, np.floating)) for number in bag.values())
        and np.isfinite(as_numbers(list(bag.values()), "count must return finite numbers")).all()
    ):
        raise InputError(f"count must return a mapping of tokens (strings) to finite numbers, but returned {bag!r}")
    return bag


def count_words(text: str) -> dict[str, int]:
    """Count each word and each pair of neighbouring words of a text whose words are separated by spaces.

    Words are lower-cased and none is dropped, because in a question "what", "is" and "how" are the most informative. For prose with
    punctuation use `lxmls_day1.engine.text.tokens.count_tokens`.

    Parameters
    ----------
    text : str

    Returns
    -------
    dict of str to int
        First the unigrams ``a``, then the bigrams ``a_b``, each in the order of first occurrence.

    Raises
    ------
    InputError
        If ``text`` is not a string.

    Examples
    --------
    >>> count_words("Who was who ?")
    {'who': 2, 'was': 1, '?': 1, 'who_was': 1, 'was_who': 1, 'who_?': 1}
    """
    if not isinstance(text, str):
        raise InputError(f"a text must be a string, but is {text!r}")
    # Composed and decomposed Unicode give the same words; in form C a letter and its accent are one character.
    if not text.isascii():
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    words = text.lower().split()
    return dict(Counter(words + [f"{first}_{second}" for first, second in pairwise(words)]))


class BagCorpus:
    """Base of the corpora of bags; a reader fills it with `_set_examples`.

    Attributes
    ----------
    X : csr_array of shape (M, J)
        float64, with sorted int32 indices: training part, development part, test part.
    y : int array of shape (M,)
        The class of each example as a number: ``label_names[y[m]]`` is its name.
    label_names : tuple of str
    train_X, train_y, dev_X, dev_y, test_X, test_y
        The parts of `X` and `y`, whose memory they share; a part may have no rows.
    feat_dict : dict of str to int
        Token -> column; computed at the first access.
    feat_counts : dict of str to number
        Token -> number of occurrences in the training part; for the tokens of `feat_dict`. Computed at the first access.
    feature_names : list of str
        Column -> token.
    nr_features, nr_examples : int
        J and M.

    Examples
    --------
    Define your own reader with two bags for training and one for testing. Tokens that are only in the test bag are not features:

    >>> class Films(BagCorpus):
    ...     def __init__(self):
    ...         self._set_examples([{"fine": 2}, {"dull": 1}, {"fine": 1, "long": 1}], ["good", "bad", "good"], 2, 2)
    >>> films = Films()
    >>> films.feat_dict, films.label_names
    ({'fine': 0, 'dull': 1}, ('bad', 'good'))
    >>> films.train_X.toarray().tolist(), films.train_y.tolist(), films.test_X.toarray().tolist(), films.test_y.tolist()
    ([[2.0, 0.0], [0.0, 1.0]], [1, 0], [[1.0, 0.0]], [1])
    """

    def _set_examples(
        self,
        bags: Sequence[Mapping[str, float]],
        labels: Sequence[str],
        train_end: int,
        dev_end: int,
        min_count: int = 1,
        label_order: Callable[[str], Any] = str,
    ) -> None:
        """Set the attributes from the bags and labels of training, development and test part, in this order.

        Labels are sorted by the key ``label_order``; features are in the order of first use.
        """
        feat_counts = count_vocabulary(bags[:train_end], min_count)
        self.feature_names = list(feat_counts)
        self._totals = list(feat_counts.values())
        self.X = vectorise(bags, self.feat_dict)
        self._set_parts(labels, train_end, dev_end, min_count, label_order)

    def _set_parts(
        self, labels: Sequence[str], train_end: int, dev_end: int, min_count: int, label_order: Callable[[str], Any]
    ) -> None:
        if not self.feature_names:
            if min_count == 1:
                raise InputError("the texts of the training part hold no token; add texts that have words")
            raise InputError(
                f"no token of the training part occurs min_count={min_count} times; lower min_count, or add texts"
            )
        self.label_names = tuple(sorted(set(labels), key=label_order))
        codes = {label: code for code, label in enumerate(self.label_names)}
        self.y = np.array([codes[label] for label in labels], dtype=np.intp)
        self.nr_examples, self.nr_features = self.X.shape
        self.train_X, self.train_y = _rows(self.X, 0, train_end), self.y[:train_end]
        self.dev_X, self.dev_y = _rows(self.X, train_end, dev_end), self.y[train_end:dev_end]
        self.test_X, self.test_y = _rows(self.X, dev_end, len(self.y)), self.y[dev_end:]

    @cached_property
    def feat_dict(self) -> dict[str, int]:
        """Token -> column."""
        return {token: column for column, token in enumerate(self.feature_names)}

    @cached_property
    def feat_counts(self) -> dict[str, float]:
        """Token -> number of occurrences in the training part; for the tokens of `feat_dict`."""
        return dict(zip(self.feature_names, self._totals, strict=True))


def _rows(X: csr_array, start: int, end: int) -> csr_array:
    """Return rows of a matrix that share its memory, so that a large corpus is stored only once."""
    first, last = X.indptr[start], X.indptr[end]
    rows = csr_array(
        (X.data[first:last], X.indices[first:last], X.indptr[start : end + 1] - first), shape=(end - start, X.shape[1])
    )
    rows.has_sorted_indices = rows.has_canonical_format = True
    return rows


def checked_min_count(min_count: int) -> int:
    """Return `min_count` if it is an integer ≥ 1.

    Raises
    ------
    InputError
        For any other value.

    Examples
    --------
    >>> checked_min_count(2)
    2
    >>> checked_min_count(0)
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: min_count must be a whole number of at least 1, got 0
    """
    if isinstance(min_count, bool) or not isinstance(min_count, (int, np.integer)) or min_count < 1:
        raise InputError(f"min_count must be a whole number of at least 1, got {min_count!r}")
    return int(min_count)
