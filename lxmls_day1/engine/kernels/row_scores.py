"""The scores of all rows of a CSR matrix in one pass, from which labels, probabilities and objectives are computed.

Equal columns of weights have equal scores, because all classes are summed in the same order. The sums are those of the training loop,
and close to those of SciPy's matrix product.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lxmls_day1.engine.kernels.primitives import as_read_only, kernel
from lxmls_day1.engine.kernels.row_primitives import score_column, score_row_in_order

Reals = NDArray[np.float64]

# Fewer columns are scored one after the other, for which less code is compiled: reviews have two classes.
_FEW_COLUMNS = 4


def scores_of_all_rows(X: sp.csr_array, W: Reals) -> Reals:
    """Return X W[1:] + W[0], shape (M, K).

    Parameters
    ----------
    X : csr_array (M, J), as :func:`lxmls_day1.base.checks.as_matrix` returns it, or ``sparse_rows.Examples``
        Indices are not checked; an index outside of the matrix would crash the process. The Examples in its attribute
        ``smaller_copy``, if there is one, are read in its place, which takes less time.
    W : float64 array (J + 1, K)

    Examples
    --------
    >>> scores_of_all_rows(sp.csr_array([[1.0, 0.0], [2.0, 3.0]]), np.array([[0.5, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    array([[1.5, 0. ],
           [2.5, 3. ]])
    """
    X = getattr(X, "smaller_copy", X)
    # If the columns of two classes are opposite, one column is enough. For few entries, comparing all weights would take
    # longer than it saves.
    opposite = W.shape[1] == 2 and len(X.indices) > len(W) and not np.add(W[:, 0], W[:, 1]).any()
    scores = np.empty((1 if opposite else W.shape[1], len(X.indptr) - 1))
    indptr = X.indptr.astype(np.int64, copy=False)  # the same type for Examples and for matrices
    rows = tuple(map(as_read_only, (indptr, X.indices, X.data)))
    if len(scores) < _FEW_COLUMNS:
        for k in range(len(scores)):
            _score_column(*rows, W[:, k - len(scores)].copy(), scores[k])
    else:
        _score_rows(*rows, as_read_only(np.ascontiguousarray(W)), scores, np.empty(len(scores)))
    return np.concatenate([-scores, scores]).T if opposite else scores.T


def _score_column_in_numpy(indptr, indices, data, v, scores):
    X = sp.csr_array((data, indices, indptr), shape=(len(scores), len(v) - 1))
    np.add(X @ v[1:], v[0], out=scores)


@kernel(_score_column_in_numpy)
def _score_column(indptr, indices, data, v, scores):
    """Fill ``scores`` (M,) for a column ``v`` (J + 1,). Types are those of the training loop, so `score_column` is compiled once."""
    for m in range(len(scores)):
        scores[m] = score_column(indptr, indices, data, m, v)


def _score_rows_in_numpy(indptr, indices, data, W, scores, _sums):
    X = sp.csr_array((data, indices, indptr), shape=(scores.shape[1], len(W) - 1))
    np.add(X @ W[1:], W[0], out=scores.T)


@kernel(_score_rows_in_numpy)
def _score_rows(indptr, indices, data, W, scores, sums):
    """Fill ``scores`` (K, M) class by class, so that later operations on each class run on contiguous memory; ``sums`` (K,) is scratch."""
    for m in range(scores.shape[1]):
        score_row_in_order(indptr, indices, data, m, W, sums)
        for k in range(np.uint64(len(sums))):
            scores[k, m] = sums[k]
