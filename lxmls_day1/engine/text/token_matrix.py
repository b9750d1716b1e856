"""Many texts -> one sparse matrix of their unigrams and bigrams, without a mapping for each text.

The columns and counts are those that `tokens.count_tokens` gives text by text. A word is looked up once in a text, and goes by
its number from then on; a bigram is the pair of two numbers. Equal pairs are found by sorting, and only tokens that become a
column are ever spelt out.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.engine.text.tokens import FUNCTION_WORDS, normalise_word, written_words


class WordRules(NamedTuple):
    """What the words of a text are, and which of them are tokens by themselves."""

    split: Callable[[str], list[str]]
    """Text -> words as they are written, in order."""
    normalise: Callable[[str], str]
    """Word as it is written -> the form in which it is counted. An empty one is no token and ends the bigram before it."""
    function_words: frozenset[str]
    """Words that are no unigrams; two of them are no bigram."""


#: The rules of `tokens.count_tokens`.
REVIEW_WORDS = WordRules(written_words, normalise_word, FUNCTION_WORDS)


class TokenMatrix(NamedTuple):
    """The counts of texts over the tokens of some of them."""

    X: csr_array
    """(M, J) float64 with sorted int32 indices: how often token j occurs in text m."""
    tokens: list[str]
    """Column -> token, in the order of first use: in a text first the unigrams, then the bigrams."""
    totals: np.ndarray
    """(J,) int64: how often each occurs in the texts that the tokens are taken from."""


class _WordNumbers(dict[str, int]):
    """Word as it is written -> the number of its normalised form; forms are numbered in the order of first use."""

    def __init__(self, normalise: Callable[[str], str]) -> None:
        super().__init__()
        self.normalise = normalise
        self.of_form: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = self[word] = self.of_form.setdefault(self.normalise(word), len(self.of_form))
        return number


def count_texts(
    texts: Sequence[str], rules: WordRules, nr_counted: int | None = None, min_count: int = 1, progress: bool = False
) -> TokenMatrix:
    """Count the unigrams and bigrams of texts.

    Parameters
    ----------
    texts : sequence of M str
    rules : WordRules
    nr_counted : int, optional
        How many of the texts, from the first on, the tokens are taken from; all unless given.
    min_count : int
        A token becomes a column if it occurs at least so often in these.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    TokenMatrix

    Examples
    --------
    >>> counts = count_texts(["A dull, dull book.", "A book!"], REVIEW_WORDS, nr_counted=1)
    >>> counts.tokens
    ['dull', 'book', 'a_dull', 'dull_dull', 'dull_book']
    >>> counts.X.toarray()
    array([[2., 1., 1., 1., 1.],
           [0., 1., 0., 0., 0.]])
    """
    numbers = _WordNumbers(rules.normalise)
    words, starts = _numbered(texts, rules.split, numbers, progress)
    number_of = numbers.of_form
    del numbers
    forms = list(number_of)
    slots, pairs = _tokens(words, starts, forms, rules.function_words)
    del words
    ends = 2 * starts  # of the texts in `slots`
    nr_groups = len(forms) + len(pairs)

    counted = slots[: ends[len(texts) if nr_counted is None else nr_counted]]
    places = np.flatnonzero(counted >= 0)
    totals = np.bincount(counted[places], minlength=nr_groups)
    first = np.full(nr_groups, len(counted), dtype=np.int64)
    first[counted[places[::-1]]] = places[::-1]  # what is written last stays
    del counted, places
    alike = _alike(forms, number_of, pairs)
    for group, other in alike.items():
        totals[other] += totals[group]
        first[other] = min(first[other], first[group])
        totals[group] = 0
    kept = np.flatnonzero(totals >= min_count)
    kept = kept[np.argsort(first[kept])]
    column_of = np.full(nr_groups + 1, -1, dtype=np.int32)  # the last one: of no token, -1 in `slots`
    column_of[kept] = np.arange(len(kept), dtype=np.int32)
    for group, other in alike.items():
        column_of[group] = column_of[other]
    del first

    columns = column_of[slots]
    del slots, column_of
    stays = columns >= 0
    columns = columns[stays]
    row_ends = np.concatenate(([0], np.cumsum(stays, dtype=np.int32)))[ends].astype(np.int32)
    del stays
    X = csr_array((np.ones(len(columns)), columns, row_ends), shape=(len(texts), len(kept)))
    X.sum_duplicates()
    return TokenMatrix(X, _spelt_out(kept, forms, pairs), totals[kept])


def _numbered(
    texts: Sequence[str], split: Callable[[str], list[str]], numbers: _WordNumbers, progress: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The words of all texts by their numbers, (N,) int32, and where each text begins, (M + 1,) int64."""
    shown: Iterable[str] = texts
    if progress:
        from tqdm.auto import tqdm

        shown = tqdm(texts, desc="counting words", unit="text", leave=False)
    words, starts, number = array("i"), array("q", [0]), numbers.__getitem__
    for text in shown:
        words.extend(map(number, split(text)))
        starts.append(len(words))
    return np.frombuffer(words, dtype=np.int32), np.frombuffer(starts, dtype=np.int64).astype(np.intp, copy=False)


def _tokens(
    words: np.ndarray, starts: np.ndarray, forms: Sequence[str], function_words: frozenset[str]
) -> tuple[np.ndarray, np.ndarray]:
    """The tokens of all texts by their numbers, and which pairs of words the bigrams are.

    Returns
    -------
    slots : int32 array of shape (2N,)
        Text by text its unigrams, then its bigrams, a place for each word; -1 where there is no token. Unigrams have the numbers
        of their words, bigrams go on from there.
    pairs : int64 array
        The pairs of the bigrams in ascending order: left * V + right, where V is the number of words.
    """
    nr_forms = len(forms)
    filled = np.array([bool(form) for form in forms], dtype=bool)
    alone = filled & np.array([form not in function_words for form in forms], dtype=bool)
    slots = np.full(2 * len(words), -1, dtype=np.int32)
    lengths = np.diff(starts)
    places = np.repeat(starts[:-1], lengths)  # the unigram of word i of a text stands at its start + i, …
    places += np.arange(len(words))
    is_token = alone[words]
    slots[places[is_token]] = words[is_token]
    places += np.repeat(lengths, lengths)  # … the bigram behind the unigrams
    is_token = np.zeros(len(words), dtype=bool)
    is_token[:-1] = filled[words[:-1]] & (alone[words[:-1]] | alone[words[1:]])
    is_token[starts[1:][lengths > 0] - 1] = False  # no bigram reaches into the next text
    left = np.flatnonzero(is_token)
    pairs, numbers = _distinct(words[left].astype(np.int64) * nr_forms + words[left + 1])
    numbers += nr_forms
    slots[places[left]] = numbers
    return slots, pairs


def _distinct(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different ones of whole numbers from 0 on, ascending, and for each number which of them it is; `codes` is used up.

    It is `np.unique` with its inverse. Numbers are sorted several times as fast as they are sorted indirectly, so each is sorted
    with its place in its lowest bits where there is room for both.
    """
    width = len(codes).bit_length()
    if int(codes.max(initial=0)).bit_length() + width < 64:
        codes <<= width
        codes |= np.arange(len(codes))
        codes.sort()
        places = (codes & ((1 << width) - 1)).astype(np.int32)
        codes >>= width
    else:
        places = np.argsort(codes, kind="stable").astype(np.int32)
        codes = codes[places]
    is_new = np.ones(len(codes), dtype=bool)
    is_new[1:] = codes[1:] != codes[:-1]
    numbers = np.empty(len(codes), dtype=np.int32)
    numbers[places] = np.cumsum(is_new, dtype=np.int32) - 1
    return codes[is_new], numbers


def _alike(forms: Sequence[str], number_of: dict[str, int], pairs: np.ndarray) -> dict[int, int]:
    """Tokens by several numbers: the number of each but one -> that one.

    A word that holds an underscore may be written as a bigram is, and so may two bigrams with such words: ``a_b`` and ``c`` make
    the token that ``a`` and ``b_c`` make.
    """
    nr_forms = len(forms)
    holds_underscore = np.array(["_" in form for form in forms], dtype=bool)
    if not holds_underscore.any():
        return {}
    left, right = np.divmod(pairs, nr_forms)
    suspects = np.flatnonzero(np.concatenate([holds_underscore, holds_underscore[left] | holds_underscore[right]]))
    number_of_token: dict[str, int] = {}
    alike = {}
    for number, token in zip(suspects.tolist(), _spelt_out(suspects, forms, pairs), strict=True):
        if token not in number_of_token:
            number_of_token[token] = number
            first, _, second = token.partition("_")
            if first in number_of and second in number_of:  # a bigram of words without underscores?
                code = number_of[first] * nr_forms + number_of[second]
                place = int(np.searchsorted(pairs, code))
                if place < len(pairs) and pairs[place] == code:
                    number_of_token[token] = nr_forms + place
        if number_of_token[token] != number:
            alike[number] = number_of_token[token]
    return alike


def _spelt_out(numbers: np.ndarray, forms: Sequence[str], pairs: np.ndarray) -> list[str]:
    """The tokens of these numbers."""
    nr_forms = len(forms)
    left, right = numbers.astype(np.int64), np.full(len(numbers), -1, dtype=np.int64)
    is_pair = numbers >= nr_forms
    left[is_pair], right[is_pair] = np.divmod(pairs[numbers[is_pair] - nr_forms], nr_forms)
    both = zip(memoryview(left), memoryview(right), strict=True)  # type: ignore[arg-type]
    return [forms[i] if j < 0 else f"{forms[i]}_{forms[j]}" for i, j in both]
