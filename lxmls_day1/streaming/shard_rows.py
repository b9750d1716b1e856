"""A corpus on disk where classifiers take a matrix: told apart from one, checked, and read in blocks of rows."""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lxmls_day1.errors import InputError
from lxmls_day1.streaming.shards import Shards

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


def check_alone(shards: Shards, **others: Any) -> None:
    """Raise for what goes with a matrix, and is not for a corpus on disk."""
    for name, value in others.items():
        if value is not None:
            raise InputError(
                f"{name} is for data in memory, but {shards.folder} is a corpus on disk, which has its labels and classes and is "
                f"visited in orders drawn by the seed; leave {name} out"
            )
    if shards.n_rows == 0:
        raise InputError(f"{shards.folder} has no documents; give `lxmls-day1 cache` files that hold some")


def check_in_memory(y: Any, **others: Any) -> None:
    """Raise where data in memory come without labels, or with what is for a corpus on disk."""
    if y is None:
        raise InputError(
            "y must hold a label for each row of X, but is not given; only a corpus on disk has its labels"
        )
    for name, value in others.items():
        if value is not None:
            raise InputError(f"{name} is for a corpus on disk, but X is a matrix in memory; leave {name} out")


def check_classes(shards: Shards) -> NDArray[Any]:
    """The classes of a corpus in ascending order, at least two."""
    if len(shards.classes) < 2:
        raise InputError(
            f"training needs at least two classes, but every document of {shards.folder} has the label "
            f"{', '.join(map(repr, shards.classes))}; give `lxmls-day1 cache` files with more"
        )
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
            f"{shards.folder} has the class {unknown[0]!r}, which is none of those that were learnt: "
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
        shard = shards.open(i)
        indptr, start = shard.X.indptr, 0
        while start < len(shard.labels):
            stop = int(np.searchsorted(indptr, indptr[start] + _NUMBERS_AT_ONCE, side="right")) - 1
            stop = max(start + 1, min(stop, len(shard.labels)))
            numbers = slice(indptr[start], indptr[stop])
            parts = (
                shard.X.data[numbers].astype(np.float64),
                shard.X.indices[numbers].astype(np.int32),
                (indptr[start : stop + 1] - indptr[start]).astype(np.int32),
            )
            yield sp.csr_array(parts, shape=(stop - start, shards.n_features)), shard.labels[start:stop]
            start = stop
