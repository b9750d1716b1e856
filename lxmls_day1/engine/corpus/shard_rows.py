"""A corpus on disk in place of a matrix: told apart from one, checked, and read in blocks of rows."""

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lxmls_day1.base.checks import check_parameters
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.loops.objectives import Measured, longest_of, shortened

_NUMBERS_AT_ONCE = 2**20


class Slice(NamedTuple):
    """Neighbouring rows of a shard."""

    shard: int
    start: int
    stop: int


def parts_of(rows: NDArray[np.int64], n_parts: int) -> list[list[Slice]]:
    """A corpus cut into parts of as many rows each, up to one.

    The parts take the shards in turn, and what is over is cut from neighbours, so that a file in which the classes come one after
    another is spread over all of them. They depend on the sizes of the shards and on the number of parts, and on nothing else.

    Parameters
    ----------
    rows : int64 array (S,)
        Of each shard.
    n_parts : int
        At most as many as there are rows.

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
        missing = n_rows // n_parts + (p < n_rows % n_parts)  # as numpy.array_split cuts
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
    """The shards that stand for training data: those of a folder, or of an object that has some; None for a matrix in memory.

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
    """The classes of a corpus in ascending order, at least two; an error where there is no room for their parameters."""
    if len(shards.classes) < 2:
        raise InputError(
            f"training needs at least two classes, but every document of {shards.folder} has the label "
            f"{', '.join(map(repr, shards.classes))}; give `lxmls-day1 cache` files with other labels, too"
        )
    check_parameters(str(shards.folder), shards.n_features, len(shards.classes))
    return np.unique(shards.classes)


def columns_of_classes(shards: Shards, classes: NDArray[Any] | None) -> NDArray[np.int64]:
    """The column of the parameters for each class of a corpus.

    Parameters
    ----------
    shards : Shards
    classes : array (K,), or None before training
        The class of each column, in ascending order.

    Raises
    ------
    InputError
        If the corpus has another class.
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
    """The rows of a corpus in the order in which they stand, a few at a time.

    Yields
    ------
    X : float64 csr_array (m, J)
        Of about a million numbers, or of a single row.
    labels : int32 array (m,)
        Columns of the classes of the corpus.
    """
    for i in range(len(shards)):
        yield from _blocks_of_shard(shards, i)


def _blocks_of_shard(
    shards: Shards, i: int, rows: NDArray[np.int64] | None = None
) -> Iterator[tuple[sp.csr_array, NDArray[np.int32]]]:
    """All rows of a shard, or some that ascend, a few at a time."""
    shard = shards.open(i)
    indptr = shard.X.indptr
    starts, lengths = (
        (indptr[:-1], np.diff(indptr)) if rows is None else (indptr[rows], indptr[rows + 1] - indptr[rows])
    )
    ends, start = np.cumsum(lengths), 0
    while start < len(lengths):
        done = ends[start] - lengths[start]
        stop = max(start + 1, int(np.searchsorted(ends, done + _NUMBERS_AT_ONCE, side="right")))
        indptr = np.concatenate([[0], ends[start:stop] - done])
        numbers: Any = slice(starts[start], starts[start] + indptr[-1])
        if rows is not None:
            numbers = np.repeat(starts[start:stop] - indptr[:-1], lengths[start:stop]) + np.arange(indptr[-1])
        parts = (
            shard.X.data[numbers].astype(np.float64),
            shard.X.indices[numbers].astype(np.int32),
            indptr.astype(np.int32),
        )
        own = slice(start, stop) if rows is None else rows[start:stop]
        yield sp.csr_array(parts, shape=(stop - start, shards.n_features)), shard.labels[own]
        start = stop


class ShardRows:
    """The examples of a corpus on disk as `MatrixRows` has those of a matrix; of one shard they are the same numbers.

    No more than a few rows are in memory at once.

    Parameters
    ----------
    shards : Shards
    columns : int array (K,)
        The column of the parameters for each class of the corpus.
    norms : mapping from Slice to array, optional
        ‖g(x)‖² of the rows where these are known.
    longest : function (n) -> rows, sq_norms; optional
        What finds the longest rows instead of reading all that are not known.
    measures_all : bool
        As of `MatrixRows`.
    """

    factors = None  # every example counts alike
    measured: Measured | None = None
    at_zero: float | None = None

    def __init__(
        self,
        shards: Shards,
        columns: NDArray[np.int64],
        norms: Mapping[Slice, NDArray[np.float64]] | None = None,
        longest: Callable[[int], tuple[NDArray[np.int64], NDArray[np.float64]]] | None = None,
        measures_all: bool = False,
    ):
        self.measures_all = measures_all
        self._shards, self._columns, self.n_rows, self._find_longest = shards, columns, shards.n_rows, longest
        self._ends = np.cumsum(shards.rows)
        self._norms = {} if norms is None else norms

    def shards(self) -> Iterator[Iterable[tuple[sp.csr_array, NDArray[np.int64]]]]:
        """X and labels of all examples, in blocks, shard by shard."""
        for i in range(len(self._shards)):
            yield ((X, self._columns[labels]) for X, labels in _blocks_of_shard(self._shards, i))

    def some(self, rows: NDArray[np.int64]) -> Iterator[tuple[sp.csr_array, NDArray[np.int64]]]:
        """X and labels of some examples, which ascend, in blocks."""
        cuts = np.searchsorted(rows, [0, *self._ends])
        for i, (first, last) in enumerate(itertools.pairwise(cuts.tolist())):
            if first < last:
                own = rows[first:last] - (self._ends[i] - self._shards.rows[i])
                for X, labels in _blocks_of_shard(self._shards, i, own):
                    yield X, self._columns[labels]

    def shortened(self, learner: Any, params: NDArray[np.float64], errors: int) -> NDArray[np.float64]:
        """As `MatrixRows.shortened`."""
        return shortened(learner, self, params, errors)

    def longest(self, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The n longest examples and their ‖g(x)‖²; of a shard in which not all are known, the values are read."""
        if self._find_longest is not None:
            return self._find_longest(n)
        rows, sq_norms = np.zeros(0, dtype=np.int64), np.zeros(0)
        for i, end in enumerate(self._ends.tolist()):
            start = end - int(self._shards.rows[i])
            of_shard = self._sq_norms_of_shard(i)
            longer = np.flatnonzero(of_shard > (sq_norms.min() if len(rows) >= n else 0.0))
            rows, sq_norms = longest_of(
                np.concatenate([rows, start + longer]), np.concatenate([sq_norms, of_shard[longer]]), n
            )
        return rows, sq_norms

    def _sq_norms_of_shard(self, i: int) -> NDArray[np.float64]:
        pieces = {piece.start: piece for piece in list(self._norms) if piece.shard == i}  # others may add to them
        known, n_known = [], 0
        while n_known in pieces:
            known.append(self._norms[pieces[n_known]])
            n_known = pieces[n_known].stop
        if n_known == self._shards.rows[i]:
            return np.concatenate(known)
        from lxmls_day1.engine.kernels.sparse_rows import sums_of_squares  # numba takes its time

        X = self._shards.open(i).X
        sq_norms: NDArray[np.float64] = sums_of_squares(X.indptr, X.data)  # type: ignore[no-untyped-call]  # the module is not typed
        return sq_norms
