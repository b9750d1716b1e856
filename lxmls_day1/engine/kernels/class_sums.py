"""The sum of the rows of each class, in one compiled pass over the entries: the counts of naive Bayes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.base import sparse as sp
from lxmls_day1.engine.kernels.primitives import kernel

Reals = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]


def class_sums(
    X: "Reals | sp.csr_array", labels: Integers, n_classes: int, weights: Reals | None = None, sums: Reals | None = None
) -> tuple[Reals, float]:
    """Return the weighted sum of the rows of each class, and the smallest entry.

    Parameters
    ----------
    X : array or csr_array (M, J), as :func:`lxmls_day1.base.checks.as_matrix` returns it
    labels : int64 array (M,)
        Columns 0 … K − 1 of the classes.
    n_classes : int, K
    weights : float64 array (M,), optional
        The weight of each row. Default: 1.
    sums : float64 array (J, K), optional
        The sums of earlier rows; the rows of a sparse matrix are added to them in place.

    Returns
    -------
    sums : float64 array (J, K)
        A sum is finite only if all its entries are.
    lowest : float
        The smallest entry of X, or 0 if no entry is negative.

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [0.0, 1.0], [3.0, 0.0]])
    >>> class_sums(X, np.array([0, 1, 0]), 2)
    (array([[5., 0.],
           [1., 1.]]), 0.0)
    """
    weights = np.ones(len(labels)) if weights is None else weights
    if isinstance(X, np.ndarray):
        by_class = np.zeros((n_classes, X.shape[1]))
        _add_dense_rows(X, labels, weights, by_class)
        return np.ascontiguousarray(by_class.T), min(0.0, float(X.min(initial=0.0)))
    sums = np.zeros((X.shape[1], n_classes)) if sums is None else sums
    return sums, float(_add_rows(X.indptr, X.indices, X.data, labels, weights, sums))


def _add_dense_rows_in_numpy(X: Reals, labels: Integers, weights: Reals, sums: Reals) -> None:
    np.add.at(sums, labels, weights[:, np.newaxis] * X)


@kernel(_add_dense_rows_in_numpy)
def _add_dense_rows(X: Reals, labels: Integers, weights: Reals, sums: Reals) -> None:
    """Add the rows of each class to ``sums`` (K, J)."""
    for m in range(X.shape[0]):
        k, weight = np.uint64(labels[m]), weights[m]
        for j in range(X.shape[1]):
            sums[k, j] += weight * X[m, j]


def _add_rows_in_numpy(
    indptr: Integers, indices: Integers, data: Reals, labels: Integers, weights: Reals, sums: Reals
) -> float:
    lengths = np.diff(indptr).astype(np.intp, copy=False)
    places = indices * np.int64(sums.shape[1]) + np.repeat(labels, lengths)
    sums += np.bincount(
        places.astype(np.intp, copy=False), np.repeat(weights, lengths) * data, minlength=sums.size
    ).reshape(sums.shape)
    return float(data.min(initial=0.0))


@kernel(_add_rows_in_numpy)
def _add_rows(indptr: Integers, indices: Integers, data: Reals, labels: Integers, weights: Reals, sums: Reals) -> float:
    """Add the rows of each class to ``sums`` (J, K); return the smallest entry, or 0."""
    lowest = 0.0
    for m in range(len(labels)):
        k, weight = np.uint64(labels[m]), weights[m]
        for i in range(np.uint64(indptr[m]), np.uint64(indptr[m + 1])):
            lowest = min(lowest, data[i])
            sums[np.uint64(indices[i]), k] += weight * data[i]
    return lowest
