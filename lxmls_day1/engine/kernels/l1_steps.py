"""The log loss of two classes with the penalty Σ λ_j |v_j|: its derivatives, and a proximal Newton step by coordinate descent.

``classifiers/solvers/newton_l1.py`` contains the mathematics. The matrix is stored by columns, with the column of ones
first. Without numba these functions run as plain Python.
"""

from typing import NamedTuple

import numpy as np

from lxmls_day1.engine.kernels.primitives import as_read_only, kernel

_MAX_SWEEPS, _STOP_RATIO = (
    10,
    0.25,
)  # maximum number of sweeps in a Newton step; ratio of the squared slopes to those of the first sweep that ends it
_MIN_CURVATURE = 1e-12
_INLINED = {"forceinline": True, "fastmath": {"contract", "reassoc"}}  # Sums may be reordered.
_MAX_HALVINGS, _ARMIJO_CONSTANT = 30, 0.01  # line search: maximum number of halvings, and Armijo's constant


class Columns(NamedTuple):
    """M examples of two classes, stored by the columns of g(x)."""

    indptr: np.ndarray  # (J + 2,)
    indices: np.ndarray  # (nnz,): examples
    data: np.ndarray  # (nnz,)
    signs: np.ndarray  # (M,): 1 for the second class, −1 for the first
    sample_weights: np.ndarray  # (M,): the weight of each example, divided by M


def as_columns(X, labels, sample_weights):
    """Convert a csr_array (M, J) with labels 0 and 1 to the format of the steps."""
    by_column, n = X.tocsc(), len(labels)
    indptr = np.concatenate([[0], n + by_column.indptr.astype(np.int64)])
    indices = np.concatenate([np.arange(n, dtype=np.int32), by_column.indices.astype(np.int32)])
    data = np.concatenate([np.ones(n), by_column.data])
    return Columns(*map(as_read_only, (indptr, indices, data, 2.0 * labels - 1.0, sample_weights / n)))


@kernel(**_INLINED)
def _product(columns, j, numbers):
    """Return the product of column j and a vector (M,)."""
    indices, data, total = columns[1], columns[2], 0.0
    for i in range(np.uint64(columns[0][j]), np.uint64(columns[0][j + 1])):
        total += data[i] * numbers[np.uint64(np.uint32(indices[i]))]
    return total


@kernel(**_INLINED)
def _curvature(columns, j, second_derivative):
    indices, data, total = columns[1], columns[2], _MIN_CURVATURE
    for i in range(np.uint64(columns[0][j]), np.uint64(columns[0][j + 1])):
        total += data[i] * data[i] * second_derivative[np.uint64(np.uint32(indices[i]))]
    return total


@kernel(**_INLINED)
def _add(columns, j, factor, numbers):
    """Add factor · column j to ``numbers`` (M,)."""
    indices, data = columns[1], columns[2]
    for i in range(np.uint64(columns[0][j]), np.uint64(columns[0][j + 1])):
        numbers[np.uint64(np.uint32(indices[i]))] += factor * data[i]


@kernel(**_INLINED)
def _add_weighted(columns, j, factor, weights, numbers):
    """Add factor · weights ∘ column j to ``numbers`` (M,)."""
    indices, data = columns[1], columns[2]
    for i in range(np.uint64(columns[0][j]), np.uint64(columns[0][j + 1])):
        m = np.uint64(np.uint32(indices[i]))
        numbers[m] += factor * data[i] * weights[m]


@kernel(fastmath={"contract"})
def log_loss_derivatives(columns, margins, first_derivative, second_derivative, gradient):
    """Return the mean log loss at scores ``margins`` (M,), and fill the derivative arrays.

    ``first_derivative`` and ``second_derivative`` (M,) get the first and second derivatives by each score,
    ``gradient`` (J + 1,) the gradient.
    """
    _, _, _, signs, shares = columns
    loss = 0.0
    for m in range(len(signs)):
        right = signs[m] * margins[m]
        small = np.exp(-abs(right))
        wrong = (small if right > 0.0 else 1.0) / (1.0 + small)
        loss += shares[m] * (max(-right, 0.0) + np.log1p(small))
        first_derivative[m], second_derivative[m] = -signs[m] * wrong * shares[m], wrong * (1.0 - wrong) * shares[m]
    for j in range(len(gradient)):
        gradient[j] = _product(columns, j, first_derivative)
    return loss


@kernel(fastmath={"contract"})
def _sweep(columns, penalties, active, curvature, second_derivative, gradient, weights, change, bent):
    """Minimise the quadratic model along each active coordinate; return the sum of the squared slopes before these steps.

    ``bent`` (M,) is the change of the first derivatives: the second derivatives times the change of the scores.
    """
    squares = 0.0
    for a in range(len(active)):
        j = active[a]
        slope, here, penalty = gradient[j] + _product(columns, j, bent), weights[j] + change[j], penalties[j]
        steep = max(abs(slope) - penalty, 0.0) if here == 0.0 else abs(slope + (penalty if here > 0.0 else -penalty))
        squares += steep * steep
        free, threshold = here - slope / curvature[a], penalty / curvature[a]
        there = free - threshold if free > threshold else (free + threshold if free < -threshold else 0.0)
        if there != here:
            change[j] += there - here
            _add_weighted(columns, j, there - here, second_derivative, bent)
    return squares


@kernel(fastmath={"contract"})
def _objective_change(columns, penalties, active, length, weights, change, margins, shift):
    """Return F at ``length`` times the step minus F before the step."""
    _, _, _, signs, shares = columns
    gain = 0.0
    for m in range(len(signs)):
        before, after = -signs[m] * margins[m], -signs[m] * (margins[m] + length * shift[m])
        gain += shares[m] * (max(after, 0.0) - max(before, 0.0))
        gain += shares[m] * (np.log1p(np.exp(-abs(after))) - np.log1p(np.exp(-abs(before))))
    for j in active:
        gain += penalties[j] * (abs(weights[j] + length * change[j]) - abs(weights[j]))
    return gain


@kernel(fastmath={"contract"})
def newton_step(columns, penalties, order, second_derivative, gradient, weights, margins):
    """Run one Newton step on ``weights`` (J + 1,) and the scores ``margins`` (M,), in place; return True if F decreased.

    ``order`` lists coordinates. A coordinate that is 0 and whose slope does not exceed the penalty is left unchanged.
    """
    n_active, active, curvature = 0, np.empty(len(order), np.int64), np.empty(len(order))
    for j in order:
        if weights[j] != 0.0 or abs(gradient[j]) > penalties[j]:
            active[n_active], curvature[n_active] = j, _curvature(columns, j, second_derivative)
            n_active += 1
    active = active[:n_active]
    change, bent, shift = np.zeros(len(weights)), np.zeros(len(margins)), np.zeros(len(margins))
    first = _sweep(columns, penalties, active, curvature, second_derivative, gradient, weights, change, bent)
    for _ in range(_MAX_SWEEPS - 1):
        slopes = _sweep(columns, penalties, active, curvature, second_derivative, gradient, weights, change, bent)
        if slopes <= _STOP_RATIO * first:
            break
    for j in active:
        if change[j] != 0.0:
            _add(columns, j, change[j], shift)  # the change of the scores
    expected, length = 0.0, 1.0
    for j in active:
        expected += gradient[j] * change[j] + penalties[j] * (abs(weights[j] + change[j]) - abs(weights[j]))
    for _ in range(_MAX_HALVINGS):
        gain = _objective_change(columns, penalties, active, length, weights, change, margins, shift)
        if gain < 0.0 and gain <= _ARMIJO_CONSTANT * length * expected:
            weights += length * change
            margins += length * shift
            return True
        length /= 2.0
    return False
