"""A corpus on disk used like a matrix: recognised, checked, and read in blocks of rows."""

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lxmls_day1.base.checks import check_parameters
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.loops.objectives import ParamsAndObjective, longest_rows, shrink_until_below_baseline

_NUMBERS_PER_BLOCK = 2**20


class Slice(NamedTuple):
    """Consecutive rows of a shard."""

    shard: int
    start: int
    stop: int


def parts_of(rows: NDArray[np.int64], n_parts: int) -> list[list[Slice]]:
    """Split the rows of a corpus into parts whose sizes differ by at most one.

    The shards are ordered 0, P, 2P, …, 1, P + 1, … and cut into P parts of equal size. So a file that is
    sorted by class is spread over all parts. The parts depend only on the sizes of the shards and on the number of parts.

    Parameters
    ----------
    rows : int64 array (S,)
        The number of rows of each shard.
    n_parts : int
        At most the total number of rows.

    Examples
    --------
    >>> for part in parts_of(np.array([6, 6, 6]), 2):
    ...     print([tuple(piece) for piece in part])
    [(0, 0, 6), (2, 0, 3)]
    [(2, 3, 6), (1, 0, 6)]
    """
    in_turn = [i for first in range(min(n_parts, len(rows))) for i in range(first, len(rows), n_parts)]
    n_rows, parts = int(rows.sum()), []
    waiting = iter([Slice(i, 0, int(rows[i])) for i in in_turn])
    piece = Slice(0, 0, 0)
    for p in range(n_parts):
        missing = n_rows // n_parts + (p < n_rows % n_parts)  # The sizes are those of numpy.array_split.
        part: list[Slice] = []
        while missing:
            if piece.start == piece.stop:
                piece = next(waiting)
            taken = min(missing, piece.stop - piece.start)
            if taken:
                part.append(piece._replace(stop=piece.start + taken))
            piece, missing = piece._replace(start=piece.start + taken), missing - taken
        parts.append(part)
    return parts


def corpus_on_disk(X: Any) -> Shards | None:
    """Return the shards if ``X`` is a corpus on disk (a folder, `Shards`, or an object with ``shards``), or None for other data.

    Examples
    --------
    >>> corpus_on_disk([[1.0, 2.0]]) is None
    True
    """
    if isinstance(X, Shards):
        return X
    if isinstance(X, (str, os.PathLike)):
        return Shards(X)
    found = getattr(X, "shards", None)
    return found if isinstance(found, Shards) else None


def check_classes(shards: Shards) -> NDArray[Any]:
    """Return the classes of a corpus in ascending order, at least two; check that their parameters fit into memory."""
    if len(shards.classes) < 2:
        raise InputError(
            f"training needs at least two classes, but every document of {shards.folder} has the label "
            f"{', '.join(map(repr, shards.classes))}; give `lxmls-day1 cache` files with other labels, too"
        )
    check_parameters(str(shards.folder), shards.n_features, len(shards.classes))
    return np.unique(shards.classes)


def columns_of_classes(shards: Shards, classes: NDArray[Any] | None) -> NDArray[np.int64]:
    """Return the column of the parameters for each class of a corpus.

    Parameters
    ----------
    shards : Shards
    classes : array (K,), or None before training
        The class of each column, in ascending order.

    Raises
    ------
    InputError
        If the corpus has a class that is not in ``classes``.
    """
    if classes is None:
        return np.arange(len(shards.classes))
    columns = {str(label): column for column, label in enumerate(classes.tolist())}
    unknown = [name for name in shards.classes if name not in columns]
    if unknown:
        raise InputError(
            f"{shards.folder} has the class {unknown[0]!r}, which is not one of those that were learnt: "
            f"{', '.join(map(repr, columns))}; take a corpus with the same classes"
        )
    return np.array([columns[name] for name in shards.classes], dtype=np.int64)


def row_blocks(shards: Shards) -> Iterator[tuple[sp.csr_array, NDArray[np.int32]]]:
    """Yield the rows of a corpus in their stored order, a few at a time.

    Yields
    ------
    X : float64 csr_array (m, J)
        A block of about a million numbers, or of a single row.
    labels : int32 array (m,)
        The index of each row's class in the corpus.
    """
    for i in range(len(shards)):
        yield from _blocks_of_shard(shards, i)


def _blocks_of_shard(
    shards: Shards, i: int, rows: NDArray[np.int64] | None = None
) -> Iterator[tuple[sp.csr_array, NDArray[np.int32]]]:
    """Yield all rows of a shard, or the selected ``rows`` (ascending), a few at a time."""
    shard = shards.open(i)
    indptr = shard.X.indptr
    starts = indptr[:-1] if rows is None else indptr[rows]
    lengths = np.diff(indptr) if rows is None else indptr[rows + 1] - starts
    ends, start = np.cumsum(lengths), 0
    while start < len(lengths):
        done = ends[start] - lengths[start]
        stop = max(start + 1, int(np.searchsorted(ends, done + _NUMBERS_PER_BLOCK, side="right")))
        indptr = np.concatenate([[0], ends[start:stop] - done])
        numbers: Any = slice(starts[start], starts[start] + indptr[-1])
        if rows is not None:
            numbers = np.repeat(starts[start:stop] - indptr[:-1], lengths[start:stop]) + np.arange(indptr[-1])
        data, indices = shard.X.data[numbers].astype(np.float64), shard.X.indices[numbers].astype(np.int32)
        own = slice(start, stop) if rows is None else rows[start:stop]
        yield (
            sp.csr_array((data, indices, indptr.astype(np.int32)), shape=(stop - start, shards.n_features)),
            shard.labels[own],
        )
        start = stop


@dataclass
class ShardRows:
    """The examples of a corpus on disk, with the interface of `MatrixRows`; a single shard gives the same numbers as a matrix.

    Only a few rows are in memory at once.

    Parameters
    ----------
    corpus : Shards
    columns : int array (K,)
        The column of the parameters for each class of the corpus.
    norms : mapping from Slice to array, optional
        The known ‖g(x)‖² of rows.
    find_longest : function (n) -> rows, sq_norms; optional
        Finds the longest rows, so that rows whose norm is unknown need not be read.
    tracks_objective, last_measured, at_zero
        See `MatrixRows`.
    """

    corpus: Shards
    columns: NDArray[np.int64]
    norms: Mapping[Slice, NDArray[np.float64]] = field(default_factory=dict)
    find_longest: Callable[[int], tuple[NDArray[np.int64], NDArray[np.float64]]] | None = None
    tracks_objective: bool = False
    last_measured: ParamsAndObjective | None = None
    at_zero: float | None = None

    factors = None  # Every example has the same weight.

    def __post_init__(self) -> None:
        self.n_rows, self._ends = self.corpus.n_rows, np.cumsum(self.corpus.rows)

    def shards(self) -> Iterator[Iterable[tuple[sp.csr_array, NDArray[np.int64]]]]:
        """Yield X and labels of all examples, in blocks, shard by shard."""
        for i in range(len(self.corpus)):
            yield ((X, self.columns[labels]) for X, labels in _blocks_of_shard(self.corpus, i))

    def subset(self, rows: NDArray[np.int64]) -> Iterator[tuple[sp.csr_array, NDArray[np.int64]]]:
        """Yield X and labels of the selected examples (ascending), in blocks."""
        cuts = np.searchsorted(rows, [0, *self._ends])
        for i, (first, last) in enumerate(itertools.pairwise(cuts.tolist())):
            if first < last:
                own = rows[first:last] - (self._ends[i] - self.corpus.rows[i])
                for X, labels in _blocks_of_shard(self.corpus, i, own):
                    yield X, self.columns[labels]

    def shortened(self, learner: Any, params: NDArray[np.float64], errors: int) -> NDArray[np.float64]:
        """Return the parameters, scaled down if needed; see `MatrixRows.shortened`."""
        return shrink_until_below_baseline(learner, self, params, errors)

    def longest(self, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the n longest examples and their ‖g(x)‖²; read the values of each shard whose norms are not all known."""
        if self.find_longest is not None:
            return self.find_longest(n)
        rows, sq_norms = np.zeros(0, dtype=np.int64), np.zeros(0)
        for i, end in enumerate(self._ends.tolist()):
            start = end - int(self.corpus.rows[i])
            of_shard = self._sq_norms_of_shard(i)
            longer = np.flatnonzero(of_shard > (sq_norms.min() if len(rows) >= n else 0.0))
            rows, sq_norms = longest_rows(
                np.concatenate([rows, start + longer]), np.concatenate([sq_norms, of_shard[longer]]), n
            )
        return rows, sq_norms

    def _sq_norms_of_shard(self, i: int) -> NDArray[np.float64]:
        # The keys are copied first, because another thread may add norms.
        pieces = {piece.start: piece for piece in list(self.norms) if piece.shard == i}
        known, n_known = [], 0
        while n_known in pieces:
            known.append(self.norms[pieces[n_known]])
            n_known = pieces[n_known].stop
        if n_known == self.corpus.rows[i]:
            return np.concatenate(known)
        # Imported here because numba is slow to import.
        from lxmls_day1.engine.kernels.sparse_rows import sums_of_squares

        X = self.corpus.open(i).X
        return np.asarray(sums_of_squares(X.indptr, X.data))  # type: ignore[no-untyped-call]  # untyped module
