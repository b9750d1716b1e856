"""Texts -> rows of token counts, batch by batch, in bounded memory: used to build corpora that do not fit into memory.

The tokens are those of `tokens.count_tokens`. `TokenCounter` returns the rows of a batch, either over hashed features or over the
numbers that tokens have in this batch; a `TokenTable` numbers the tokens of all batches. Both run in machine code if numba is
installed, otherwise in plain Python.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.engine.kernels.hashing import buckets_and_signs, joined_names, signed_hashes
from lxmls_day1.engine.kernels.primitives import COMPILES
from lxmls_day1.engine.text.tokens import (
    FUNCTION_WORDS,
    count_tokens,
    lower_case,
    normalise_word,
    without_thousands_marks,
)

if COMPILES:
    from lxmls_day1.engine.kernels import token_rows

_MAX_CACHED_WORDS = 1 << 19  # maximum number of words that a counter caches with their forms; then it starts again
_MIN_ENTRIES = 1 << 12  # number of entries of a new table


class Tokens(NamedTuple):
    """Distinct tokens, as concatenated bytes."""

    text: np.ndarray  # uint8
    starts: np.ndarray  # (n + 1,) int64: the start of each token; the last value is the end of all
    hashes: np.ndarray  # (n,) uint32: MurmurHash3 of each token

    def names(self) -> list[str]:
        """Return the tokens as strings."""
        content, ends = self.text.tobytes(), self.starts.tolist()
        return [content[start:end].decode() for start, end in pairwise(ends)]


class IndexedRows(NamedTuple):
    """Rows over the tokens of one batch."""

    indptr: np.ndarray  # (m + 1,) int64
    indices: np.ndarray  # (nnz,) uint32: the index in `tokens`; ascending in each row
    values: np.ndarray  # (nnz,) float32
    tokens: Tokens  # in the order of first use

    def hashed(self, hash_bits: int) -> csr_array:
        """Return these rows over 2^b buckets: the value of a bucket is the sum of its tokens' values, each with the token's sign."""
        buckets, negative = buckets_and_signs(self.tokens.hashes.view(np.int32), hash_bits)
        signs = np.where(negative, np.float32(-1), np.float32(1))
        indices = buckets[self.indices]
        X = csr_array(
            (self.values * signs[self.indices], indices.astype(np.int64), self.indptr.copy()),  # changed by summing
            shape=(len(self.indptr) - 1, 1 << hash_bits),
        )
        X.sum_duplicates()
        X.eliminate_zeros()
        return X

    def with_token_columns(self, column_of: np.ndarray, n_columns: int) -> csr_array:
        """Return these rows with the given columns of the tokens; drop tokens with a negative column."""
        return with_columns(self.indptr, self.indices, self.values, column_of, n_columns)


class _Entries:
    """A table of byte strings for the kernels: see `lxmls_day1.engine.kernels.token_rows`."""

    def __init__(self) -> None:
        self.number = 0
        self.slots = np.zeros((4 * _MIN_ENTRIES, 2), dtype=np.uint64)
        self.arena = np.empty(16 * _MIN_ENTRIES, dtype=np.uint8)
        self.starts = np.zeros(_MIN_ENTRIES + 1, dtype=np.int64)
        self.hashes = np.empty(_MIN_ENTRIES + 1, dtype=np.uint32)  # hashes of tokens, filled by `indexed_rows`

    def table(self) -> "tuple[token_rows.HashTable, int]":
        """Return the last arguments of the kernels: the table, and the number of its entries."""
        return token_rows.HashTable(self.slots, self.arena, self.starts), self.number

    def grow(self, longest: int) -> None:
        """Double the number of entries if it is nearly used up, and make room for one more entry of ``longest`` bytes."""
        if 2 * self.number > len(self.starts) - 1:
            self.starts = np.concatenate([self.starts, np.zeros(len(self.starts) - 1, dtype=np.int64)])
            self.hashes = np.resize(self.hashes, len(self.starts))
            slots = np.zeros((2 * len(self.slots), 2), dtype=np.uint64)
            token_rows.rehash(self.slots, slots)
            self.slots = slots
        used = int(self.starts[self.number])
        self.arena = np.concatenate([self.arena[:used], np.empty(used + longest + len(self.starts), dtype=np.uint8)])

    def tokens(self) -> Tokens:
        """Return all entries; their hashes are valid if `indexed_rows` has filled them."""
        starts = self.starts[: self.number + 1]
        return Tokens(self.arena[: starts[-1]], starts, self.hashes[: self.number])

    def texts_at(self, numbers: np.ndarray) -> list[str]:
        """Return the entries with these numbers, as strings."""
        places = zip(self.starts[numbers].tolist(), self.starts[numbers + 1].tolist(), strict=True)
        arena = memoryview(self.arena)  # type: ignore[arg-type]
        return [str(arena[start:end], "utf-8") for start, end in places]


class TokenTable:
    """A table that numbers tokens in the order of their first occurrence.

    Parameters
    ----------
    names : sequence of str
        The first tokens of the table.
    max_tokens : int, optional
        The maximum number of tokens; further tokens get no number. Default: unlimited.

    Examples
    --------
    >>> table = TokenTable(["good"])
    >>> table.number_tokens(tokens_of(["bad", "good", "book"])).tolist(), len(table), table.names()[1:]
    ([1, 0, 2], 3, ['bad', 'book'])
    """

    def __init__(self, names: Sequence[str] = (), max_tokens: int | None = None):
        self._most = max_tokens
        self._number_of: dict[str, int] = {}
        self.entries = _Entries() if COMPILES else None
        if names:
            self.number_tokens(tokens_of(names))

    def __len__(self) -> int:
        return len(self._number_of) if self.entries is None else self.entries.number

    def number_tokens(self, tokens: Tokens) -> np.ndarray:
        """Return the number of each token, int64; -1 for an unknown token if the table is full."""
        wanted = len(tokens.hashes)
        room = wanted if self._most is None else max(0, self._most - len(self))
        if 0 < room < wanted:  # The first tokens fill the table.
            first = Tokens(tokens.text, tokens.starts[: room + 1], tokens.hashes[:room])
            rest = Tokens(tokens.text, tokens.starts[room:], tokens.hashes[room:])
            return np.concatenate([self.number_tokens(first), self.number_tokens(rest)])
        if self.entries is None:
            return self._plain_numbers(tokens, may_add=room > 0)
        numbers = np.empty(wanted, dtype=np.int64)
        entries, done = self.entries, 0
        while True:
            text, starts = tokens.text, tokens.starts
            done, entries.number = token_rows.merge_tokens(done, text, starts, numbers, room > 0, *entries.table())
            if done == wanted:
                return numbers
            entries.grow(int(tokens.starts[done + 1] - tokens.starts[done]))

    def _plain_numbers(self, tokens: Tokens, may_add: bool) -> np.ndarray:
        names = tokens.names()
        if may_add:
            for name in names:
                self._number_of.setdefault(name, len(self._number_of))
        return np.array([self._number_of.get(name, -1) for name in names], dtype=np.int64)

    def names(self) -> list[str]:
        """Return all tokens, in the order of their numbers."""
        if self.entries is None:
            return list(self._number_of)
        return self.entries.tokens().names()

    def names_at(self, numbers: np.ndarray) -> list[str]:
        """Return the tokens with these numbers."""
        if self.entries is None or len(numbers) == len(self):
            names = self.names()
            return [names[number] for number in numbers.tolist()]
        return self.entries.texts_at(numbers)


class TokenCounter:
    """A counter of the tokens of texts, batch by batch, with a bounded cache of the words that it has seen.

    Only one thread may use a counter at a time.

    Parameters
    ----------
    count_plain : function from a text to a mapping of tokens to numbers, optional
        Use `readers.vocabulary.count_words`. The tokens are then the words separated by white space, in lower case, and their
        pairs, as this function counts them. Default: `tokens.count_tokens`.

    Examples
    --------
    >>> counter = TokenCounter()
    >>> rows = counter.numbered(["A dull, dull book.", "A book!"])
    >>> rows.tokens.names(), rows.values.tolist()
    (['dull', 'book', 'a_dull', 'dull_dull', 'dull_book', 'a_book'], [2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    >>> counter.hashed(["A book!"], hash_bits=4).toarray()[0].nonzero()[0].tolist()
    [11, 14]
    """

    def __init__(self, count_plain: Callable[[str], Mapping[str, float]] | None = None) -> None:
        self._words = _Words(plain=count_plain is not None) if COMPILES else None
        self._count = count_plain or count_tokens

    def hashed(self, texts: Sequence[str], hash_bits: int) -> csr_array:
        """Return rows over 2^b buckets, float32, equal to those of scikit-learn's `FeatureHasher` without its zeros."""
        if self._words is None:
            return self.numbered(texts).hashed(hash_bits)
        words, ends = self._words.number_words(texts)
        indptr, indices, data = _allocate_rows(words, ends)
        token_rows.hashed_rows(words, ends, *self._words.by_number(), hash_bits, indptr, indices, data)
        return rows_of(indptr, indices[: indptr[-1]].copy(), data[: indptr[-1]].copy(), 1 << hash_bits)

    def numbered(self, texts: Sequence[str]) -> IndexedRows:
        """Return rows over the tokens that occur in these texts."""
        if self._words is None:
            return numbered_bags([self._count(text) for text in texts])
        entries = _Entries()
        indptr, indices, values = self._numbered_by(entries, self._words, texts)
        return IndexedRows(indptr, indices, values, entries.tokens())

    def numbered_by(self, table: "TokenTable", texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows over the tokens of an unlimited table: indptr, indices and values as in `IndexedRows`."""
        if self._words is None or table.entries is None:
            rows = self.numbered(texts)
            X = rows.with_token_columns(table.number_tokens(rows.tokens), len(table))
            return X.indptr, X.indices, X.data
        return self._numbered_by(table.entries, self._words, texts)

    def _numbered_by(
        self, entries: _Entries, known: "_Words", texts: Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        words, ends = known.number_words(texts)
        indptr, indices, data = _allocate_rows(words, ends)
        by_number, done = known.by_number(), 0
        while True:
            done, entries.number = token_rows.indexed_rows(
                words, ends, done, *by_number, indptr, indices, data, entries.hashes, *entries.table()
            )
            if done == len(texts):
                return indptr, indices[: indptr[-1]].copy(), data[: indptr[-1]].copy()
            entries.grow(2 * known.longest + 1)


class _Words:
    """The words seen so far, and for each word the form in which it is counted; if ``plain``, this is the word in lower case."""

    def __init__(self, plain: bool) -> None:
        self._entries, self._plain = _Entries(), plain
        self._function_hashes = signed_hashes(*joined_names([] if plain else sorted(FUNCTION_WORDS)))
        self._known = 0  # number of entries that have forms
        self.longest = 0
        self._packed = np.empty((0, 4), dtype=np.uint64)
        self._forms = np.empty(0, dtype=np.uint8)

    def number_words(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the words of texts by their numbers, (N,) int32, and the end of each text in this array, (m + 1,) int64."""
        if self._entries.number > _MAX_CACHED_WORDS:
            self.__init__(self._plain)  # type: ignore[misc]  # Resets the cache like a new object.
        text, starts = joined_names(texts)
        with_numbers = np.flatnonzero(token_rows.may_contain_thousands_separator(text, starts))
        if len(with_numbers) and not self._plain:
            texts = list(texts)
            for m in with_numbers.tolist():
                texts[m] = without_thousands_marks(texts[m])
            text, starts = joined_names(texts)
        words = np.empty(len(text) // 2 + len(texts), dtype=np.int32)
        ends = np.zeros(len(starts), dtype=np.int64)
        done, entries = 0, self._entries
        gaps = token_rows.SPACES if self._plain else token_rows.SPACES_AND_COMMAS
        while True:
            done, entries.number = token_rows.tokenize(text, starts, done, words, ends, gaps, *entries.table())
            if done == len(texts):
                break
            entries.grow(int(starts[done + 1] - starts[done]))
        self._normalise_new()
        return words[: ends[-1]], ends

    def by_number(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the data of each word for the kernels, and the bytes of all forms."""
        return self._packed, self._forms

    def _normalise_new(self) -> None:
        entries, first = self._entries, self._known
        n_new = entries.number - first
        if not n_new:
            return
        self._known = entries.number
        lengths, begins = np.full((2, n_new), -1, dtype=np.int64)
        if not self._plain:
            token_rows.ascii_words(entries.arena, entries.starts, first, lengths, begins)
        others, form_of = np.flatnonzero(lengths < 0), lower_case if self._plain else normalise_word
        forms_of_others = [form_of(word).encode() for word in entries.texts_at(first + others)]
        sizes = lengths.copy()
        sizes[others] = [len(form) for form in forms_of_others]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        forms = np.empty(int(starts[-1]), dtype=np.uint8)
        token_rows.write_ascii_forms(entries.arena, begins, lengths, forms, starts)
        forms[np.repeat(lengths < 0, sizes)] = np.frombuffer(b"".join(forms_of_others), dtype=np.uint8)
        unigrams = signed_hashes(forms, starts)
        kinds = np.full(n_new, token_rows.ALONE, dtype=np.uint8)
        kinds[sizes == 0] = token_rows.NO_TOKEN
        for place in np.flatnonzero(np.isin(unigrams, self._function_hashes)).tolist():
            if forms[starts[place] : starts[place + 1]].tobytes().decode() in FUNCTION_WORDS:
                kinds[place] = token_rows.IN_BIGRAMS
        packed = np.empty((n_new, 4), dtype=np.uint64)
        token_rows.pack_words(forms, starts, kinds, unigrams.view(np.uint32), packed)
        packed[:, 2] += np.uint64(len(self._forms))
        self._packed = np.concatenate([self._packed, packed])
        self._forms = np.concatenate([self._forms, forms])
        self.longest = max(self.longest, int(sizes.max()))


def tokens_of(names: Iterable[str]) -> Tokens:
    """Convert names to `Tokens`.

    Examples
    --------
    >>> tokens_of(["good", "book"]).starts
    array([0, 4, 8])
    """
    text, starts = joined_names(names)
    return Tokens(text, starts, signed_hashes(text, starts).view(np.uint32))


def numbered_bags(bags: Sequence[Mapping[str, float]]) -> IndexedRows:
    """Return the rows of bags, token -> value; a value beyond float32 becomes infinite, which the caller may treat as an error.

    Examples
    --------
    >>> rows = numbered_bags([{"2": 1.5}, {}, {"1": 1.0, "2": 3.0}])
    >>> rows.indptr, rows.indices, rows.values, rows.tokens.names()
    (array([0, 1, 1, 3]), array([0, 0, 1], dtype=uint32), array([1.5, 3. , 1. ], dtype=float32), ['2', '1'])
    """
    number_of: dict[str, int] = {}
    indptr = np.zeros(len(bags) + 1, dtype=np.int64)
    indices: list[int] = []
    values: list[float] = []
    for m, bag in enumerate(bags):
        row = sorted((number_of.setdefault(token, len(number_of)), value) for token, value in bag.items())
        indices += [number for number, _ in row]
        values += [value for _, value in row]
        indptr[m + 1] = len(indices)
    with np.errstate(over="ignore"):
        rounded = np.array(values, dtype=np.float32)
    return IndexedRows(indptr, np.array(indices, dtype=np.uint32), rounded, tokens_of(number_of))


def _allocate_rows(words: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    max_entries = 2 * len(words)
    indices, data = np.empty(max_entries, dtype=np.uint32), np.empty(max_entries, dtype=np.float32)
    return np.zeros(len(ends), dtype=np.int64), indices, data


def rows_of(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, n_features: int) -> csr_array:
    """Make a matrix from these arrays without copying."""
    X = csr_array((len(indptr) - 1, n_features), dtype=data.dtype)
    X.indptr, X.indices, X.data = indptr, indices, data
    if indices.dtype == np.uint32:
        X.indices = indices.view(np.int32)  # SciPy does not support unsigned indices.
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def with_columns(
    indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, column_of: np.ndarray, n_columns: int
) -> csr_array:
    """Return rows with the given columns of their tokens; drop tokens with a negative column.

    Examples
    --------
    >>> X = with_columns(np.array([0, 2]), np.array([0, 1]), np.array([3.0, 4.0]), np.array([-1, 2]), 3)
    >>> X.toarray()
    array([[0., 0., 4.]])
    """
    columns = column_of[indices]
    stays = columns >= 0
    ends = np.concatenate(([0], np.cumsum(stays)))[indptr]
    X = csr_array((values[stays], columns[stays], ends), shape=(len(indptr) - 1, n_columns))
    X.sort_indices()
    return X
