"""The log loss of two classes with the penalty Σ λ_j |v_j|: its derivatives, and a proximal Newton step by coordinate descent.

``classifiers/solvers/newton_l1.py`` contains the mathematics. The matrix is stored by columns, with the column of ones
first. Without numba these functions run as plain Python.
"""

from typing import NamedTuple

import numpy as np

from lxmls_day1.engine.kernels.primitives import as_read_only, kernel

# Maximum number of sweeps in a Newton step; ratio of the squared slopes to those of the first sweep that ends it.
_MAX_SWEEPS, _STOP_RATIO = 10, 0.25
_RELAXATION = 1.4  # Below 2 each move lowers the model; moves beyond the minimum along a coordinate need fewer sweeps.
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
def log_loss_derivatives(columns, margins, losses, first_derivative, second_derivative):
    """Fill (M,) arrays with the share of each example in the mean log loss at scores ``margins``, and its derivatives by the score."""
    _, _, _, signs, shares = columns
    for m in range(len(signs)):
        right = signs[m] * margins[m]
        small = np.exp(-abs(right))
        wrong = (small if right > 0.0 else 1.0) / (1.0 + small)
        losses[m] = shares[m] * (max(-right, 0.0) + np.log1p(small))
        first_derivative[m], second_derivative[m] = -signs[m] * wrong * shares[m], wrong * (1.0 - wrong) * shares[m]


@kernel(fastmath={"contract"})
def fill_gradient(columns, first_derivative, gradient):
    """Fill ``gradient`` (J + 1,), given the derivatives by each score."""
    for j in range(len(gradient)):
        gradient[j] = _product(columns, j, first_derivative)


@kernel(fastmath={"contract"})
def _sweep(columns, penalties, active, curvature, second_derivative, gradient, weights, change, bent):
    """Move each active coordinate towards the minimum of the quadratic model along it.

    Return the sum of the squared slopes before these moves, and the number of coordinates that are still active, which are moved
    to the front: a coordinate that is and stays at 0 is left out of the next sweeps. ``bent`` (M,) is the change of the first
    derivatives: the second derivatives times the change of the scores.
    """
    squares, n_active = 0.0, 0
    for a in range(len(active)):
        j = active[a]
        slope, here, penalty = gradient[j] + _product(columns, j, bent), weights[j] + change[j], penalties[j]
        steep = max(abs(slope) - penalty, 0.0) if here == 0.0 else abs(slope + (penalty if here > 0.0 else -penalty))
        squares += steep * steep
        rate = _RELAXATION / curvature[a]
        free, threshold = here - rate * slope, rate * penalty
        there = free - threshold if free > threshold else (free + threshold if free < -threshold else 0.0)
        if there != here:
            change[j] += there - here
            _add_weighted(columns, j, there - here, second_derivative, bent)
        if there != 0.0 or here != 0.0:
            active[n_active], curvature[n_active] = j, curvature[a]
            n_active += 1
    return squares, n_active


@kernel(fastmath={"contract"})
def newton_step(columns, penalties, order, losses, second_derivative, gradient, weights, margins):
    """Run one Newton step along the coordinates in ``order``; return True if F decreased.

    In place: ``weights`` (J + 1,), the scores ``margins`` (M,), and what `log_loss_derivatives` and `fill_gradient` compute there.
    """
    active, curvature = order.copy(), np.empty(len(order))
    for a in range(len(order)):
        curvature[a] = _curvature(columns, order[a], second_derivative)
    change, bent, shift = np.zeros(len(weights)), np.zeros(len(margins)), np.zeros(len(margins))
    first = 0.0
    for sweep in range(_MAX_SWEEPS):
        slopes, n = _sweep(columns, penalties, active, curvature, second_derivative, gradient, weights, change, bent)
        active = active[:n]
        if sweep == 0:
            first = slopes
        elif slopes <= _STOP_RATIO * first:
            break
    expected, length = 0.0, 1.0
    for j in order:
        if change[j] != 0.0:
            expected += gradient[j] * change[j] + penalties[j] * (abs(weights[j] + change[j]) - abs(weights[j]))
            _add(columns, j, change[j], shift)  # the change of the scores
    first_derivative, there, new_losses = np.empty(len(margins)), np.empty(len(margins)), np.empty(len(margins))
    for _ in range(_MAX_HALVINGS):
        there[:] = margins + length * shift
        log_loss_derivatives(columns, there, new_losses, first_derivative, second_derivative)
        gain = (new_losses - losses).sum()  # more exact than the difference of the sums
        for j in order:
            gain += penalties[j] * (abs(weights[j] + length * change[j]) - abs(weights[j]))
        if gain < 0.0 and gain <= _ARMIJO_CONSTANT * length * expected:
            weights += length * change
            margins[:], losses[:] = there, new_losses
            fill_gradient(columns, first_derivative, gradient)
            return True
        length /= 2.0
    return False
