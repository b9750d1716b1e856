"""The compiled inner loops of dual coordinate ascent for maximum entropy: a sweep of steps, and a measuring pass.

Each exists in two versions: for any number of classes, and for two. They read the rows of ``sparse_rows.Examples`` and
change the multipliers α and the weights in place. ``classifiers/solvers/max_ent_dual.py`` contains the mathematics, a
readable form of a step, and the outer loop. With two classes W = (−v/2, v/2), and the multipliers are 1 − β for the true
class and β for the wrong class.
"""

import numpy as np
from scipy.special import entr, softmax

from lxmls_day1.engine.kernels.batch import exponentials
from lxmls_day1.engine.kernels.primitives import kernel
from lxmls_day1.engine.kernels.row_primitives import (
    CACHED_NUMBERS,
    add_row,
    add_to_single_column,
    prefetch_upcoming,
    score_column,
    score_row,
)
from lxmls_day1.engine.kernels.row_scores import scores_of_all_rows

_RELAXATION = 1.5  # Over-relaxation for two classes: divides the curvature of a step; steps gain for values up to 2.
# Two-class step: maximum number of Newton steps; ratio of the last to the first.
_MAX_NEWTON_STEPS, _NEWTON_TOLERANCE = 50, 1e-2


def _sweep_in_numpy(examples, sample_weights, order, inverse_lambda_m, alpha, W):
    indptr, indices, data, sq_norms, _ = examples
    estimate = 0.0
    for m in order.tolist():
        row = slice(indptr[m], indptr[m + 1])
        features, values = 1 + indices[row], data[row]
        p = softmax(W[0] + values @ W[features])
        a, u = alpha[m], p - alpha[m]
        own_unit = inverse_lambda_m * sample_weights[m]
        estimate += sample_weights[m] * (u * u / np.maximum(p + a, 1e-300)).sum()
        squared = u @ u
        way = min(max(-(a @ u) / squared, 0.0), 1.0) if squared > 0 else 0.0
        middle = a + way * u
        step = 1 / (1 + own_unit * sq_norms[m] * min(0.5, 1 - middle @ middle))
        d = -own_unit * step * u
        alpha[m] += step * u
        W[0] += d
        W[features] += np.multiply.outer(values, d)
    return estimate


@kernel(_sweep_in_numpy, fastmath={"contract"})
def sweep(examples, sample_weights, order, inverse_lambda_m, alpha, W):
    """Run one dual step for each example in ``order``.

    Parameters
    ----------
    examples : Examples
    sample_weights : array (M,), the weight of each example, with mean 1
    order : int array, the examples to visit
    inverse_lambda_m : float, 1/(λM)
    alpha : array (M, K)
    W : array (J + 1, K)

    Returns
    -------
    estimate : float
        M times the approximate contribution of the visited examples to the duality gap, each just before its step.
    """
    indptr, indices, data, sq_norms, _ = examples
    n_classes = W.shape[1]
    p, d, room = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    estimate = 0.0
    far = data.size > CACHED_NUMBERS
    for n in range(len(order)):
        m = order[n]
        score_row(indptr, indices, data, m, W, p)
        prefetch_upcoming(indptr, indices, data, sq_norms, sample_weights, order, n, far)
        top = p.max()
        for k in range(n_classes):
            p[k] -= top
        exponentials(p, n_classes, room)
        total = 0.0
        for k in range(n_classes):
            total += p[k]
        own_gap, squared, towards, length = 0.0, 0.0, 0.0, 0.0
        for k in range(n_classes):
            p_k, a = p[k] / total, alpha[m, k]
            u = p_k - a
            own_gap += u * u / max(p_k + a, 1e-300)
            squared += u * u
            towards += a * u
            length += a * a
            d[k] = u
        # The minimum of ‖α + way · u‖² on the segment bounds the curvature.
        way = min(max(-towards / squared, 0.0), 1.0) if squared > 0.0 else 0.0
        smallest = length + 2.0 * way * towards + way * way * squared
        own_unit = inverse_lambda_m * sample_weights[m]
        step = 1.0 / (1.0 + own_unit * sq_norms[m] * min(0.5, 1.0 - smallest))
        estimate += sample_weights[m] * own_gap
        for k in range(n_classes):
            alpha[m, k] += step * d[k]
        add_row(indptr, indices, data, m, d, -own_unit * step, W)
    return estimate


def measure(examples, labels, sample_weights, alpha, W):
    """Return (Σ log loss, Σ_m entropy of α_m), both weighted by ``sample_weights``, in one pass at fixed weights."""
    scores = scores_of_all_rows(examples, W)
    top = scores.max(axis=1)
    losses = top + np.log(np.exp(scores - top[:, None]).sum(axis=1)) - scores[np.arange(len(labels)), labels]
    return (sample_weights * losses).sum(), (sample_weights * entr(alpha).sum(axis=1)).sum()


@kernel(forceinline=True)
def _two_class_step(margin, beta, curvature):
    """Return the β' that solves log odds(β') + margin + curvature (β' − β) = 0.

    Uses Newton's method on the log odds, safeguarded by a bracket.
    """
    at_once = -margin  # the log odds of the solution if the margin were constant
    far = at_once - curvature * (1.0 / (1.0 + np.exp(-at_once)) - beta)
    low, high = min(at_once, far), max(at_once, far)
    t = np.log(beta / (1.0 - beta)) if 0.0 < beta < 1.0 else at_once
    moved, first = beta, 0.0
    for _ in range(_MAX_NEWTON_STEPS):
        if not low < t < high:
            t = (low + high) / 2.0
        moved = 1.0 / (1.0 + np.exp(-t))
        value = t + margin + curvature * (moved - beta)
        if value > 0.0:
            high = t
        else:
            low = t
        change = value / (1.0 + curvature * moved * (1.0 - moved))
        first = max(first, abs(change))
        if abs(change) <= _NEWTON_TOLERANCE * min(first, 1.0):
            break
        t -= change
    return moved


def _sweep_two_in_numpy(examples, labels, sample_weights, order, inverse_lambda_m, beta, v):
    indptr, indices, data, sq_norms, _ = examples
    estimate = 0.0
    with np.errstate(over="ignore"):
        for m in order.tolist():
            row = slice(indptr[m], indptr[m + 1])
            features, values = 1 + indices[row], data[row]
            sign = 1.0 if labels[m] == 1 else -1.0
            margin = sign * float(v[0] + values @ v[features])
            before = float(beta[m])
            p = 1.0 / (1.0 + np.exp(margin))
            estimate += (
                sample_weights[m] * (p - before) ** 2 * (1 / max(p + before, 1e-300) + 1 / max(2 - p - before, 1e-300))
            )
            own_unit = 2.0 * inverse_lambda_m * sample_weights[m]
            beta[m] = _two_class_step(margin, before, own_unit * sq_norms[m] / _RELAXATION)
            d = own_unit * sign * (beta[m] - before)
            v[0] += d
            v[features] += values * d
    return estimate


@kernel(_sweep_two_in_numpy, fastmath={"contract"})
def sweep_two_classes(examples, labels, sample_weights, order, inverse_lambda_m, beta, v):
    """Run :func:`sweep` for K = 2, with ``beta`` (M,) and ``v`` (J + 1,) instead of α and W; each step is exact."""
    indptr, indices, data, sq_norms, _ = examples
    estimate = 0.0
    far = data.size > 4 * CACHED_NUMBERS
    for n in range(len(order)):
        m = order[n]
        sign = 1.0 if labels[m] == 1 else -1.0
        prefetch_upcoming(indptr, indices, data, sq_norms, labels, order, n, far)
        margin, before = sign * score_column(indptr, indices, data, m, v), beta[m]
        p = 1.0 / (1.0 + np.exp(margin))
        own_gap = (p - before) * (p - before) * (1.0 / max(p + before, 1e-300) + 1.0 / max(2.0 - p - before, 1e-300))
        estimate += sample_weights[m] * own_gap
        own_unit = 2.0 * inverse_lambda_m * sample_weights[m]
        beta[m] = _two_class_step(margin, before, own_unit * sq_norms[m] / _RELAXATION)
        d = own_unit * sign * (beta[m] - before)
        if d != 0.0:
            add_to_single_column(indptr, indices, data, m, d, v)
    return estimate


def measure_two_classes(examples, labels, sample_weights, beta, v):
    """Run :func:`measure` for K = 2."""
    losses = np.logaddexp(0.0, -(2.0 * labels - 1.0) * scores_of_all_rows(examples, v)[:, 0])
    return (sample_weights * losses).sum(), (sample_weights * (entr(beta) + entr(1.0 - beta))).sum()
