"""The computation of batch training: the log loss of all examples and its gradient, in one pass over the rows.

The scores of a block of rows are computed, converted to the residuals p − e_y, and added to the gradient while the rows are
still in the processor's cache. For dense rows both steps are matrix products; the rows of a CSR matrix are processed one by
one. The exponentials of a block are vectorized, because with many classes and few words they would take most of the time.
"""

import itertools

import numpy as np
import scipy.sparse as sp

from lxmls_day1.engine.kernels.primitives import kernel
from lxmls_day1.engine.kernels.row_primitives import add_row, score_row
from lxmls_day1.engine.kernels.row_steps import cache_aligned_zeros
from lxmls_day1.engine.kernels.sparse_rows import as_examples
from lxmls_day1.engine.kernels.threads import map_in_order

_SPARSE_ROWS_PER_BLOCK = 32  # rows of a CSR matrix per block
_DENSE_NUMBERS_PER_BLOCK = 2**18  # numbers (2 MB) of a dense matrix per block
_MAX_NUMBERS_IN_NUMPY = 2**10  # scores of a dense matrix for which no machine code is used
_MIN_DENSE_SHARE = 1 / 8  # minimum share of non-zero numbers for which a dense matrix is not converted to a sparse one


def batch_examples(X):
    """Return a matrix in the format that is fastest for `LogLoss`: a sufficiently dense array as it is, else sparse rows."""
    return X if isinstance(X, np.ndarray) and _is_dense(X) else as_examples(X)


def _is_dense(X):
    """Return True if enough numbers of an array are non-zero, estimated from about a thousand of its rows."""
    some = X[:: max(1, len(X) // 1000)]
    return np.count_nonzero(some) >= _MIN_DENSE_SHARE * some.size


class LogLoss:
    """Σ_m −log p_W(y_m | x_m), with p_W(y | x) = softmax(g(x)ᵀ W)_y, as a function of W.

    Parameters
    ----------
    examples : lxmls_day1.engine.kernels.sparse_rows.Examples, or float64 array (M, J)
        M rows with J features. A dense array is not converted.
    labels : int64 array (M,)
        Columns of the true classes.
    n_columns : int
        K; or 1 for two classes: the single column v represents W = (0, v), so p(1 | x) = 1 / (1 + exp(−g(x)ᵀ v)).
    sample_weights : float64 array (M,), optional
        The weight of each example. Default: 1.
    n_jobs : int ≥ 1
        The number of threads. Each thread processes the same number of consecutive entries. The rounding of the sums
        depends on this number.

    Examples
    --------
    At zero weights both classes are equally likely, so each of the two examples has a loss of log 2:

    >>> from lxmls_day1.engine.kernels.sparse_rows import as_examples
    >>> log_loss = LogLoss(as_examples(np.array([[1.0], [-3.0]])), np.array([0, 1]), 2)
    >>> loss, gradient = log_loss(np.zeros((2, 2)))
    >>> print(f"{loss:.4f}", gradient.tolist())
    1.3863 [[0.0, 0.0], [-2.0, 2.0]]
    """

    def __init__(self, examples, labels, n_columns, sample_weights=None, n_jobs=1):
        self.examples = examples
        self.labels = labels
        self.n_columns = n_columns
        self.sample_weights = np.ones(len(labels)) if sample_weights is None else sample_weights
        self.is_dense = isinstance(examples, np.ndarray)
        self.weights = cache_aligned_zeros(1 + (examples.shape[1] if self.is_dense else examples.n_features), n_columns)
        if self.is_dense:
            cuts = np.linspace(0, len(labels), n_jobs + 1).astype(np.int64)
        else:
            cuts = np.searchsorted(examples.indptr, np.linspace(0, examples.indptr[-1], n_jobs + 1))
            cuts[0], cuts[-1] = 0, len(labels)  # Rows without entries at either end must be included.
        self.parts = [slice(start, stop) for start, stop in itertools.pairwise(cuts)]
        self.n_examples, self.n_features = len(labels), len(self.weights) - 1

    def __call__(self, W):
        """Return the loss and its gradient.

        Parameters
        ----------
        W : float64 array (J + 1, n_columns)

        Returns
        -------
        loss : float
        gradient : float64 array (J + 1, n_columns), a new array
        """
        self.weights[:] = W
        (loss, gradient), *others = map_in_order(self._evaluate_part, self.parts, len(self.parts))
        for another, part in others:
            loss += another
            gradient += part
        return loss, gradient

    def _evaluate_part(self, part):
        gradient = cache_aligned_zeros(*self.weights.shape)
        labels, shares = self.labels[part], self.sample_weights[part]
        with np.errstate(all="ignore"):  # Error states are per thread.
            if self.is_dense:
                return _add_dense_gradient(self.examples[part], labels, shares, self.weights, gradient), gradient
            rows = self.examples.indptr[part.start : part.stop + 1], self.examples.indices, self.examples.data
            return add_sparse_gradient(*rows, labels, shares, self.weights, gradient), gradient

    def sums_of_squares(self):
        """Return the sum of squares of each feature (J,), weighted by ``sample_weights``."""
        if self.is_dense:
            blocks = _dense_blocks(self.examples, self.n_columns)
            return sum(self.sample_weights[rows] @ np.square(self.examples[rows]) for rows in blocks)
        examples = self.examples
        squares = examples.data**2
        squares *= np.repeat(self.sample_weights, np.diff(examples.indptr).astype(np.intp, copy=False))
        return np.bincount(examples.indices, weights=squares, minlength=examples.n_features)


# ------------------------------------------------------------------------------------------------------- scores to residuals

_LOG2_E = 1 / np.log(2)
_LOG_2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # their sum is log 2; n times the first is exact
_ROUNDING_OFFSET = 1.5 * 2.0**52  # Adding a number of up to about a thousand to this rounds it to an integer.
_EXPONENT_OF_1 = 1023 << 52  # The bits of the float64 1.0; adding n to the bits from 52 on gives 2ⁿ.
_MIN_ARGUMENT = -708.0  # The exponential of a smaller number is subnormal, so it loses digits.
_TAYLOR = tuple(1 / np.cumprod(np.arange(1.0, 14.0))[::-1])  # 1/13!, …, 1/1!


def _exponentials_in_numpy(x, n, _):
    np.exp(np.maximum(x[:n], _MIN_ARGUMENT), out=x[:n])


@kernel(_exponentials_in_numpy, fastmath={"contract"})
def exponentials(x, n, scratch):
    """Replace the first n numbers of x, all ≤ 0, by their exponentials; numbers below −708 are treated as −708.

    exp x = 2ⁿ exp r for the integer n nearest to x / log 2, with |r| ≤ (log 2) / 2; 13 terms of the series of exp r give full
    float64 precision. The loops have no branches or calls, so that LLVM vectorizes them. NaN stays NaN.

    Parameters
    ----------
    x, scratch : float64 arrays of at least n numbers
    n : int
    """
    bits = scratch.view(np.int64)
    for i in range(n):
        value = _MIN_ARGUMENT if x[i] < _MIN_ARGUMENT else x[i]
        scratch[i] = value * _LOG2_E + _ROUNDING_OFFSET
        whole = scratch[i] - _ROUNDING_OFFSET
        rest = (value - whole * _LOG_2[0]) - whole * _LOG_2[1]
        series = _TAYLOR[0]
        for coefficient in _TAYLOR[1:]:
            series = series * rest + coefficient
        x[i] = series * rest + 1.0
    for i in range(n):
        bits[i] = (bits[i] << 52) + _EXPONENT_OF_1
    for i in range(n):
        x[i] *= scratch[i]


def _residuals_in_numpy(scores, n_rows, labels, sample_weights, first, _):
    scores, labels, shares = scores[:n_rows], labels[first : first + n_rows], sample_weights[first : first + n_rows]
    if scores.shape[1] == 1:
        signs = np.where(labels == 1, 1.0, -1.0)
        margins = signs * scores[:, 0]
        scores[:, 0] = -signs * shares / (1.0 + np.exp(margins))
        return float(shares @ np.logaddexp(0.0, -margins))
    truth = np.arange(n_rows), labels
    scores -= scores.max(axis=1, keepdims=True)
    loss = -shares @ scores[truth]
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1)
    scores *= (shares / totals)[:, None]
    scores[truth] -= shares
    return float(loss + shares @ np.log(totals))


@kernel(_residuals_in_numpy, fastmath={"contract"})
def residuals(scores, n_rows, labels, sample_weights, first, scratch):
    """Replace the first n_rows rows of scores by share · (p − e_y); return the sum of share · −log p(y).

    Parameters
    ----------
    scores, scratch : float64 arrays of at least n_rows rows, n_columns each
    n_rows : int
    labels, sample_weights : arrays (M,)
    first : int
        The example of the first row.
    """
    n_columns = scores.shape[1]
    flat, space = scores.reshape(scores.size), scratch.reshape(scratch.size)
    loss = 0.0
    if n_columns == 1:
        for r in range(n_rows):
            margin = flat[r] if labels[first + r] == 1 else -flat[r]
            loss += sample_weights[first + r] * max(-margin, 0.0)
            flat[r] = -abs(margin)
            space[n_rows + r] = 1.0 if margin > 0.0 else 0.0
        exponentials(flat, n_rows, space)
        for r in range(n_rows):
            share, small = sample_weights[first + r], flat[r]
            loss += share * np.log1p(small)
            wrong = share * (small if space[n_rows + r] == 1.0 else 1.0) / (1.0 + small)
            flat[r] = -wrong if labels[first + r] == 1 else wrong
        return loss
    for r in range(n_rows):
        top = scores[r, 0]
        for k in range(n_columns):
            top = max(top, scores[r, k])
        for k in range(n_columns):
            scores[r, k] -= top
        loss -= sample_weights[first + r] * scores[r, labels[first + r]]
    exponentials(flat, n_rows * n_columns, space)
    for r in range(n_rows):
        total = 0.0
        for k in range(n_columns):
            total += scores[r, k]
        share = sample_weights[first + r]
        loss += share * np.log(total)
        factor = share / total
        for k in range(n_columns):
            scores[r, k] *= factor
        scores[r, labels[first + r]] -= share
    return loss


# ------------------------------------------------------------------------------------------------------------------ the passes


def _add_dense_gradient(X, labels, sample_weights, W, gradient):
    """Add the gradient of the rows of X to ``gradient``; return the loss of the rows."""
    loss = 0.0
    # A few rows take less time in NumPy than loading or compiling machine code.
    compute = _residuals_in_numpy if len(X) * W.shape[1] <= _MAX_NUMBERS_IN_NUMPY else residuals
    for block in _dense_blocks(X, W.shape[1]):
        rows = X[block]
        d = rows @ W[1:] + W[0]
        loss += compute(d, len(rows), labels, sample_weights, block.start, np.empty((2, d.size)))
        gradient[0] += d.sum(axis=0)
        gradient[1:] += rows.T @ d
    return loss


def _dense_blocks(X, n_columns):
    """Return slices of the rows of a dense matrix that fit in the processor's cache together with their scores."""
    n_rows = max(64, _DENSE_NUMBERS_PER_BLOCK // (X.shape[1] + n_columns))
    return [slice(first, first + n_rows) for first in range(0, len(X), n_rows)]


def _add_sparse_gradient_in_numpy(indptr, indices, data, labels, sample_weights, W, gradient):
    entries = slice(indptr[0], indptr[-1])
    X = sp.csr_array((data[entries], indices[entries], indptr - indptr[0]), shape=(len(labels), len(W) - 1))
    d = X @ np.ascontiguousarray(W[1:]) + W[0]
    loss = _residuals_in_numpy(d, len(d), labels, sample_weights, 0, None)
    gradient[0] += d.sum(axis=0)
    gradient[1:] += X.T @ d
    return loss


@kernel(_add_sparse_gradient_in_numpy, fastmath={"contract"})
def add_sparse_gradient(indptr, indices, data, labels, sample_weights, W, gradient):
    """Add the gradient of the rows of a CSR matrix, weighted by ``sample_weights``, to ``gradient``; return the loss of the rows.

    Parameters
    ----------
    indptr, indices, data, labels : the matrix, and the columns of its rows' classes (M,)
    sample_weights : float64 array (M,)
    W, gradient : float64 arrays (J + 1, n_columns), see `LogLoss`
    """
    n_columns = W.shape[1]
    block, d = np.empty((_SPARSE_ROWS_PER_BLOCK, n_columns)), np.empty(n_columns)
    room, loss = np.empty((2, _SPARSE_ROWS_PER_BLOCK * n_columns)), 0.0
    for first in range(0, len(labels), _SPARSE_ROWS_PER_BLOCK):
        n_rows = min(_SPARSE_ROWS_PER_BLOCK, len(labels) - first)
        for r in range(n_rows):
            m = first + r
            score_row(indptr, indices, data, m, W, d)
            for k in range(n_columns):
                block[r, k] = d[k]
        loss += residuals(block, n_rows, labels, sample_weights, first, room)
        for r in range(n_rows):
            for k in range(n_columns):
                d[k] = block[r, k]
            add_row(indptr, indices, data, first + r, d, 1.0, gradient)
    return loss
