"""The scores of all rows of a CSR matrix in one pass, from which labels, probabilities and objectives are computed.

Every score is summed in the order of the entries of its row, with each product rounded, and the intercept is added last.
SciPy's matrix product uses the same order and takes twice as long, so on most processors both give identical bits.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lxmls_day1.engine.kernels.primitives import COMPILES, as_read_only, kernel

if COMPILES:
    from lxmls_day1.engine.kernels.intrinsics import add_rounded_multiple, four_zeros, load_four, store_four

Reals = NDArray[np.float64]


def scores_of_all_rows(X: sp.csr_array, W: Reals) -> Reals:
    """Return X W[1:] + W[0], shape (M, K).

    Parameters
    ----------
    X : csr_array (M, J), as :func:`lxmls_day1.base.checks.as_matrix` returns it, or ``sparse_rows.Examples``
        Indices are not checked; an index outside of the matrix would crash the process.
    W : float64 array (J + 1, K)

    Examples
    --------
    >>> scores_of_all_rows(sp.csr_array([[1.0, 0.0], [2.0, 3.0]]), np.array([[0.5, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    array([[1.5, 0. ],
           [2.5, 3. ]])
    """
    # If the columns of two classes are opposite, one column is enough. For few entries, comparing all weights would take
    # longer than it saves.
    opposite = W.shape[1] == 2 and len(X.indices) > len(W) and not np.add(W[:, 0], W[:, 1]).any()
    W = np.ascontiguousarray(W[:, 1:] if opposite else W)
    scores = np.empty((W.shape[1], len(X.indptr) - 1))
    indptr = X.indptr.astype(np.int64, copy=False)  # the same type for Examples and for matrices
    _score_rows(*map(as_read_only, (indptr, X.indices, X.data, W)), scores, np.empty(W.shape[1]))
    return np.concatenate([-scores, scores]).T if opposite else scores.T


def _score_rows_in_numpy(indptr, indices, data, W, scores, _sums):
    X = sp.csr_array((data, indices, indptr), shape=(scores.shape[1], len(W) - 1))
    np.add(X @ W[1:], W[0], out=scores.T)


@kernel(_score_rows_in_numpy)
def _score_rows(indptr, indices, data, W, scores, sums):
    """Fill ``scores`` (K, M) class by class, so that later operations on each class run on contiguous memory; ``sums`` (K,) is scratch."""
    n_classes, intercept, one, four = np.uint64(W.shape[1]), np.uint64(0), np.uint64(1), np.uint64(4)
    for m in range(np.uint64(scores.shape[1])):
        start, stop = np.uint64(indptr[m]), np.uint64(indptr[m + one])
        if n_classes == one:
            score = 0.0
            for i in range(start, stop):
                score += data[i] * W[np.uint64(indices[i]) + one, intercept]
            sums[intercept] = score
        elif n_classes == four:
            four_scores = four_zeros()
            for i in range(start, stop):
                weights = load_four(W, (np.uint64(indices[i]) + one) * four)
                four_scores = add_rounded_multiple(four_scores, data[i], weights)
            store_four(sums, intercept, four_scores)
        else:
            for k in range(n_classes):
                sums[k] = 0.0
            for i in range(start, stop):
                j, value = np.uint64(indices[i]) + one, data[i]
                for k in range(n_classes):
                    sums[k] += value * W[j, k]
        for k in range(n_classes):
            scores[k, m] = sums[k] + W[intercept, k]
