"""The compiled inner loops of the dual support vector machine: a sweep of steps over examples, and a measuring pass.

Each exists in two versions: for any number of classes, and for two. They read the rows of ``sparse_rows.Examples`` and
change the multipliers α, the weights and ``idle_visits`` in place. ``classifiers/solvers/svm_dual.py`` contains the mathematics,
a readable form of a step, and the outer loop.

With two classes everything is antisymmetric: W = (−v/2, v/2), and the multipliers are 1 − β for the true class and β for
the wrong class. One weight per feature and one multiplier per example are therefore enough, which halves the arithmetic.

``idle_visits[m]`` counts the consecutive visits at which a step could not improve example m. A measuring pass resets it to 0 for
every example that a step could improve again.
"""

import numpy as np

from lxmls_day1.engine.kernels.primitives import kernel
from lxmls_day1.engine.kernels.row_primitives import CACHED_NUMBERS, prefetch_upcoming, score_row
from lxmls_day1.engine.kernels.row_scores import scores_of_all_rows


@kernel(forceinline=True)
def _project_on_simplex(z, remaining):
    """Replace z by the nearest point of {z ≥ 0, Σ z = 1}, which is max(z − θ, 0).

    To find θ, drop the entries below it until no entry is below (Michelot 1986). This is exact and needs only a few passes
    over the few remaining entries.
    """
    top = z.max()
    n_kept, total = 0, 0.0
    for k in range(len(z)):
        if z[k] > top - 1.0:
            remaining[n_kept] = z[k]
            total += z[k]
            n_kept += 1
    n_before, theta = 0, 0.0
    while n_kept != n_before:
        theta = (total - 1.0) / n_kept
        n_before, n_kept, total = n_kept, 0, 0.0
        for i in range(n_before):
            if remaining[i] > theta:
                remaining[n_kept] = remaining[i]
                total += remaining[i]
                n_kept += 1
    for k in range(len(z)):
        if n_kept == 1:  # At a corner of the simplex the result is exact.
            z[k] = 1.0 if z[k] == top else 0.0
        else:
            z[k] = z[k] - theta if z[k] > theta else 0.0


def _project_in_numpy(z):
    """Return the result of `_project_on_simplex` as a new array, computed by sorting."""
    downwards = np.sort(z)[::-1]
    thetas = (np.cumsum(downwards) - 1.0) / np.arange(1, len(z) + 1)
    n_kept = np.count_nonzero(downwards > thetas)
    if n_kept == 1:  # At a corner of the simplex the result is exact.
        return (z == downwards[0]).astype(np.float64)
    return np.maximum(z - thetas[n_kept - 1], 0.0)


def _sweep_in_numpy(
    examples, labels, order, costs, inverse_lambda_m, relaxation, alpha, W, idle_visits, sample_weights
):
    indptr, indices, data, sq_norms, _ = examples
    gap, n_steps = 0.0, 0
    for m in order:
        row = slice(indptr[m], indptr[m + 1])
        features, values = 1 + indices[row], data[row]
        v = W[0] + values @ W[features] + costs[labels[m]]
        short = v.max() - v
        own_gap = alpha[m] @ short
        if own_gap <= 0.0:
            idle_visits[m] += 1
            continue
        idle_visits[m] = 0
        gap += sample_weights[m] * own_gap
        own_unit = inverse_lambda_m * sample_weights[m]
        moved = _project_in_numpy(alpha[m] - relaxation / (sq_norms[m] * own_unit) * short)
        d = own_unit * (alpha[m] - moved)
        alpha[m] = moved
        n_steps += d.any()
        W[0] += d
        W[features] += np.multiply.outer(values, d)
    return gap, n_steps


@kernel(_sweep_in_numpy, fastmath={"contract"})
def sweep(examples, labels, order, costs, inverse_lambda_m, relaxation, alpha, W, idle_visits, sample_weights):
    """Run one dual step for each example in ``order``.

    Parameters
    ----------
    examples : Examples
    labels : int array (M,), columns 0 … K − 1
    order : int array, the examples to visit
    costs : array (K, K), row y is ρ(·, y)
    inverse_lambda_m : float, 1/(λM)
    relaxation : float in (0, 2)
    alpha : array (M, K)
    W : array (J + 1, K)
    idle_visits : uint8 array (M,)
    sample_weights : array (M,), the weight of each example, with mean 1; must be positive for the visited examples

    Returns
    -------
    gap : float
        M times the sum of the contributions of the visited examples to the duality gap, each just before its step.
    n_steps : int
        The number of steps that changed a multiplier.
    """
    indptr, indices, data, sq_norms, _ = examples
    n_classes = np.uint64(W.shape[1])
    v, z, kept, d = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    changed = np.empty(n_classes, np.uint64)
    intercept = np.uint64(0)
    gap, n_steps = 0.0, 0
    far = data.size > CACHED_NUMBERS
    for n in range(len(order)):
        prefetch_upcoming(indptr, indices, data, sq_norms, labels, order, n, far)
        m = order[n]
        label = labels[m]
        score_row(indptr, indices, data, m, W, v)
        for k in range(n_classes):
            v[k] += costs[label, k]
        top = v.max()
        own_gap = 0.0
        for k in range(n_classes):
            own_gap += alpha[m, k] * (top - v[k])
        if own_gap <= 0.0:
            idle_visits[m] += 1
            continue
        idle_visits[m] = 0
        gap += sample_weights[m] * own_gap
        # Subtracting ``top`` does not change the projection, and keeps the entries that survive it near 1 in size.
        own_unit = inverse_lambda_m * sample_weights[m]
        factor = relaxation / (sq_norms[m] * own_unit)
        for k in range(n_classes):
            z[k] = alpha[m, k] + factor * (v[k] - top)
        _project_on_simplex(z, kept)
        n_changed = np.uint64(0)
        for k in range(n_classes):
            if z[k] != alpha[m, k]:
                changed[n_changed] = k
                d[n_changed] = own_unit * (alpha[m, k] - z[k])
                alpha[m, k] = z[k]
                n_changed += np.uint64(1)
        n_steps += n_changed > 0
        # W ← W + g(x) dᵀ, only for the classes whose multiplier changed.
        start, stop = np.uint64(indptr[m]), np.uint64(indptr[m + 1])
        for c in range(n_changed):
            W[intercept, changed[c]] += d[c]
        for i in range(start, stop):
            j, value = np.uint64(np.uint32(indices[i])) + np.uint64(1), data[i]
            for c in range(n_changed):
                W[j, changed[c]] += value * d[c]
    return gap, n_steps


def measure(examples, labels, costs, alpha, W, idle_visits, sample_weights):
    """Return (Σ hinge loss, Σ_m α_m · ρ(·, y_m)), both weighted by ``sample_weights``, in one pass at fixed weights; "
    "update ``idle_visits``.
    """
    scores = scores_of_all_rows(examples, W)  # (M, K)
    of_labels = costs.T.take(labels.astype(np.intp, copy=False), axis=1).T  # (M, K)
    v = scores + of_labels
    top = v.max(axis=1)
    idle_visits[((alpha > 0.0) & (v < top[:, None])).any(axis=1)] = 0
    losses = top - scores[np.arange(len(labels)), labels]
    return (sample_weights * losses).sum(), (sample_weights * (alpha * of_labels).sum(axis=1)).sum()


@kernel(forceinline=True, fastmath={"reassoc"})
def _score(indptr, indices, data, m, v):
    """Return g(x_m) · v, summed in the order that is fastest."""
    score = v[np.uint64(0)]
    for i in range(np.uint64(indptr[m]), np.uint64(indptr[m + 1])):
        score += data[i] * v[np.uint64(np.uint32(indices[i])) + np.uint64(1)]
    return score


def _sweep_two_in_numpy(
    examples, labels, order, costs, inverse_lambda_m, relaxation, beta, v, idle_visits, sample_weights
):
    """Run `_sweep_in_numpy` with W = (−v/2, v/2), and with α = 1 − β for the true class and β for the other class."""
    places, W = np.arange(len(labels)), np.column_stack([-v / 2, v / 2])
    alpha = np.empty((len(labels), 2))
    alpha[places, labels], alpha[places, 1 - labels] = 1 - beta, beta
    found = _sweep_in_numpy(
        examples, labels, order, costs, inverse_lambda_m, relaxation, alpha, W, idle_visits, sample_weights
    )
    beta[:], v[:] = alpha[places, 1 - labels], W[:, 1] - W[:, 0]
    return found


@kernel(_sweep_two_in_numpy)
def sweep_two_classes(
    examples, labels, order, costs, inverse_lambda_m, relaxation, beta, v, idle_visits, sample_weights
):
    """Run :func:`sweep` for K = 2, with ``beta`` (M,) and ``v`` (J + 1,) instead of α and W."""
    indptr, indices, data, sq_norms, _ = examples
    gap, n_steps = 0.0, 0
    far = data.size > 4 * CACHED_NUMBERS
    for n in range(len(order)):
        prefetch_upcoming(indptr, indices, data, sq_norms, labels, order, n, far)
        m = order[n]
        label = labels[m]
        sign = 1.0 if label == 1 else -1.0
        violation = costs[label, 1 - label] - sign * _score(indptr, indices, data, m, v)
        own_gap = max(violation, 0.0) - beta[m] * violation
        if own_gap <= 0.0:
            idle_visits[m] += 1
            continue
        idle_visits[m] = 0
        gap += sample_weights[m] * own_gap
        own_unit = inverse_lambda_m * sample_weights[m]
        moved = min(max(beta[m] + relaxation * violation / (2.0 * own_unit * sq_norms[m]), 0.0), 1.0)
        d = 2.0 * own_unit * sign * (moved - beta[m])
        beta[m] = moved
        n_steps += d != 0.0
        v[np.uint64(0)] += d
        for i in range(np.uint64(indptr[m]), np.uint64(indptr[m + 1])):
            v[np.uint64(np.uint32(indices[i])) + np.uint64(1)] += data[i] * d
    return gap, n_steps


def _measure_two_in_numpy(examples, labels, costs, beta, v, idle_visits, sample_weights):
    cost = costs[labels, 1 - labels]
    violation = cost - (2.0 * labels - 1.0) * scores_of_all_rows(examples, v[:, None])[:, 0]
    losses = np.maximum(violation, 0.0)
    idle_visits[losses - beta * violation > 0.0] = 0
    return (sample_weights * losses).sum(), (sample_weights * beta * cost).sum()


@kernel(_measure_two_in_numpy)
def measure_two_classes(examples, labels, costs, beta, v, idle_visits, sample_weights):
    """Run :func:`measure` for K = 2."""
    sum_of_losses, sum_of_costs = 0.0, 0.0
    for m in range(len(labels)):
        cost, score = costs[labels[m], 1 - labels[m]], _score(examples.indptr, examples.indices, examples.data, m, v)
        violation = cost - (score if labels[m] == 1 else -score)
        loss = max(violation, 0.0)
        sum_of_losses += sample_weights[m] * loss
        sum_of_costs += sample_weights[m] * beta[m] * cost
        if loss - beta[m] * violation > 0.0:
            idle_visits[m] = 0
    return sum_of_losses, sum_of_costs
