"""Many texts -> one sparse matrix of their unigrams and bigrams, with the counts that `tokens.count_tokens` gives for each text."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.base.checks import check_flag

_TEXTS_PER_BATCH = 1 << 13


class TokenMatrix(NamedTuple):
    """The token counts of texts, over the tokens of some of these texts."""

    X: csr_array  # (M, J) float64 with sorted int32 indices: the count of token j in text m
    tokens: list[str]  # column -> token, in order of first use; in each text the unigrams precede the bigrams
    totals: np.ndarray  # (J,) int64: the total count of each token in the texts that define the tokens


def count_texts(
    texts: Sequence[str],
    nr_counted: int | None = None,
    min_count: int = 1,
    progress: bool = False,
    count_plain: Callable[[str], Mapping[str, float]] | None = None,
) -> TokenMatrix:
    """Count the unigrams and bigrams of texts.

    Parameters
    ----------
    texts : sequence of M str
    nr_counted : int, optional
        The number of texts, from the first on, whose tokens become columns. Default: all texts.
    min_count : int
        A token becomes a column if it occurs at least ``min_count`` times in these texts.
    progress : bool
        Whether to show a progress bar.
    count_plain : function, optional
        See `token_batches.TokenCounter`; `readers.vocabulary.count_words` selects its tokens.

    Returns
    -------
    TokenMatrix

    Examples
    --------
    >>> counts = count_texts(["A dull, dull book.", "A book!"], nr_counted=1)
    >>> counts.tokens
    ['dull', 'book', 'a_dull', 'dull_dull', 'dull_book']
    >>> counts.X.toarray()
    array([[2., 1., 1., 1., 1.],
           [0., 1., 0., 0., 0.]])
    """
    check_flag("progress", progress)
    # Imported here because compiled modules are slow to import, and most readers do not count texts.
    from tqdm.auto import tqdm

    from lxmls_day1.engine.text.token_batches import TokenCounter, TokenTable, with_columns

    counter, table = TokenCounter(count_plain), TokenTable()
    lengths, numbers, counts = [np.zeros(1, dtype=np.int64)], [np.empty(0, np.int32)], [np.empty(0, np.float32)]
    firsts = range(0, len(texts), _TEXTS_PER_BATCH)
    bar = tqdm(firsts, "counting words", unit_scale=_TEXTS_PER_BATCH, unit="text", leave=False, disable=not progress)
    for first in bar:
        batch = texts[first : first + _TEXTS_PER_BATCH]
        starts, columns, values = counter.numbered_by(table, batch)
        lengths.append(np.diff(starts))
        numbers.append(columns.astype(np.int32))
        counts.append(values)
    starts, columns, values = np.cumsum(np.concatenate(lengths)), np.concatenate(numbers), np.concatenate(counts)
    end = starts[len(texts) if nr_counted is None else nr_counted]
    totals = np.bincount(columns[:end], weights=values[:end], minlength=len(table)).astype(np.int64)
    kept = np.flatnonzero(totals >= min_count)
    column_of = np.full(len(table), -1, dtype=np.int32)
    column_of[kept] = np.arange(len(kept), dtype=np.int32)
    X = with_columns(starts, columns, values, column_of, len(kept)).astype(np.float64)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    X.has_canonical_format = True
    return TokenMatrix(X, table.names_at(kept), totals[kept])
