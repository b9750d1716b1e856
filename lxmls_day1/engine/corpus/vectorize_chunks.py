"""Batches of labelled examples turned into rows of token counts, a few batches at a time by threads."""

import threading
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.engine.kernels.threads import map_in_order
from lxmls_day1.engine.text.labelled_files import ExampleBatch
from lxmls_day1.engine.text.token_batches import IndexedRows, TokenCounter, numbered_bags, rows_of

Rows = tuple[csr_array | None, IndexedRows | None]


def rows_of_batches(
    batches: Iterator[ExampleBatch], hash_bits: int | None, keep_words: bool, jobs: int
) -> Iterator[tuple[ExampleBatch, Rows]]:
    """Yield the batches in their order, each with its rows.

    Parameters
    ----------
    batches : iterator of ExampleBatch
    hash_bits : int, optional
        b: features are hashed into 2^b buckets. None: features are not hashed.
    keep_words : bool
        Whether to return rows over tokens in addition to the hashed rows.
    jobs : int
        The number of threads.

    Yields
    ------
    piece : ExampleBatch
    rows : pair
        The rows over hashed features, or None without `hash_bits`; and the rows over the tokens of the batch, or None if
        tokens are not requested.
    """
    of_thread = threading.local()  # A counter keeps the words that it has seen.

    def count(piece: ExampleBatch) -> tuple[ExampleBatch, Rows]:
        if not hasattr(of_thread, "counter"):
            of_thread.counter = TokenCounter()
        return piece, _rows_of(of_thread.counter, piece, hash_bits, keep_words)

    return map_in_order(count, batches, jobs)


def split_rows(parts: Sequence[csr_array], n_rows: int) -> tuple[csr_array, csr_array]:
    """Stack some matrices, and split the result into its first ``n_rows`` rows and the rest.

    The matrices may differ in their number of columns.
    """
    n_columns = max(X.shape[1] for X in parts)
    indices = np.concatenate([X.indices for X in parts]) if len(parts) > 1 else parts[0].indices
    data = np.concatenate([X.data for X in parts]) if len(parts) > 1 else parts[0].data
    lengths = np.concatenate([np.diff(X.indptr) for X in parts])
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    cut = indptr[n_rows]
    return (
        rows_of(indptr[: n_rows + 1], indices[:cut], data[:cut], n_columns),
        rows_of(indptr[n_rows:] - cut, indices[cut:], data[cut:], n_columns),
    )


def _rows_of(counter: TokenCounter, piece: ExampleBatch, hash_bits: int | None, keep_words: bool) -> Rows:
    """Return the rows of a batch over hashed features and over tokens; see `rows_of_batches`."""
    if hash_bits is not None and not len(piece.bags) and not keep_words:
        return counter.hashed(piece.texts, hash_bits), None
    rows = numbered_bags(piece.bags) if len(piece.bags) else counter.numbered(piece.texts)
    return None if hash_bits is None else rows.hashed(hash_bits), rows
