"""The compiled sweep and measurement of the dual SVM, compared with readable versions."""

import numpy as np
import pytest

from classifiers.solvers.svm_dual import dual_step, project_on_simplex
from lxmls_day1.engine.kernels import sparse_rows, svm_sweeps
from tests.made_data import random_problem

pytestmark = pytest.mark.bits


def naive_sweeps(X, labels, orders, costs, regularizer, relaxation):
    """Compute the steps one by one with full matrices; return α, W and the gap estimate of each sweep."""
    g = np.hstack([np.ones((len(X), 1)), X])
    alpha, estimates = np.eye(len(costs))[labels], []
    for order in orders:
        estimates.append(0.0)
        for m in order:
            W = g.T @ (np.eye(len(costs))[labels] - alpha) / (regularizer * len(X))
            scores, cost = g[m] @ W, costs[:, labels[m]]
            estimates[-1] += (scores + cost).max() - alpha[m] @ (scores + cost)
            alpha[m] = dual_step(alpha[m], scores, cost, g[m] @ g[m] / (regularizer * len(X)), relaxation)
    return alpha, g.T @ (np.eye(len(costs))[labels] - alpha) / (regularizer * len(X)), estimates


@pytest.mark.one_in(3)
@pytest.mark.parametrize("relaxation", [1.0, 1.5])
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 8, 11])
def test_svm_sweeps_match_the_readable_steps(n_classes, relaxation):
    X, labels, orders, costs = random_problem(n_classes, n_rounds=4)
    alpha, W, estimates = naive_sweeps(X, labels, orders, costs, 0.05, relaxation)

    data, row_costs, unit = (sparse_rows.as_examples(X), labels), np.ascontiguousarray(costs.T), 1 / (0.05 * len(X))
    rests, shares = np.zeros(len(X), np.uint8), np.ones(len(X))
    fast_alpha, fast_W = np.eye(n_classes)[labels], np.zeros((X.shape[1] + 1, n_classes))
    state = fast_alpha, fast_W, rests, shares
    fast = [svm_sweeps.sweep(*data, order, row_costs, unit, relaxation, *state)[0] for order in orders]
    np.testing.assert_allclose(fast_alpha, alpha, rtol=0, atol=1e-9)
    np.testing.assert_allclose(fast_W, W, rtol=0, atol=1e-9)
    np.testing.assert_allclose(fast, estimates, rtol=1e-9)

    g = np.hstack([np.ones((len(X), 1)), X])
    loss, cost = svm_sweeps.measure(*data, row_costs, *state)
    augmented = g @ W + costs.T[labels]
    assert loss == pytest.approx((augmented.max(axis=1) - (g @ W)[np.arange(len(X)), labels]).sum())
    assert cost == pytest.approx((alpha * costs.T[labels]).sum())

    if n_classes == 2:
        beta, v = np.zeros(len(X)), np.zeros(X.shape[1] + 1)
        rests_of_two = np.zeros(len(X), np.uint8)
        state = beta, v, rests_of_two, shares
        for order, estimate in zip(orders, estimates, strict=True):
            gap, _ = svm_sweeps.sweep_two_classes(*data, order, row_costs, unit, relaxation, *state)
            assert gap == pytest.approx(estimate)
        np.testing.assert_allclose(beta, alpha[np.arange(len(X)), 1 - labels], rtol=0, atol=1e-9)
        np.testing.assert_allclose(np.column_stack([-v / 2, v / 2]), W, rtol=0, atol=1e-9)
        assert svm_sweeps.measure_two_classes(*data, row_costs, *state) == pytest.approx((loss, cost))
        np.testing.assert_array_equal(rests_of_two, rests)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("n_classes", [3, 6])
def test_large_and_small_curvatures_keep_the_multipliers_in_the_simplex(n_classes, scale):
    X, labels, orders, costs = random_problem(n_classes, n_rounds=5)
    examples, rests = sparse_rows.as_examples(X), np.zeros(len(X), np.uint8)
    alpha, W = np.eye(n_classes)[labels], np.zeros((X.shape[1] + 1, n_classes))
    for order in orders:
        svm_sweeps.sweep(
            examples, labels, order,
            np.ascontiguousarray(costs.T), scale, 1.5, alpha, W, rests, np.ones(len(X)),
        )  # fmt: skip
    assert (alpha >= 0).all()
    np.testing.assert_allclose(alpha.sum(axis=1), 1.0, rtol=0, atol=1e-12)


def test_the_readable_projection_is_the_nearest_point():
    """Optimality in the simplex: the distance decreases toward no vertex."""
    rng = np.random.default_rng(3)
    for n_classes in range(1, 12):
        z = rng.normal(size=n_classes) * rng.choice([0.1, 1.0, 10.0])
        z[rng.integers(n_classes)] = z[0]  # Some values are tied.
        point = project_on_simplex(z)
        assert (point >= 0).all() and point.sum() == pytest.approx(1.0)
        assert ((z - point) * (np.eye(n_classes) - point)).sum(axis=1).max() <= 1e-12
