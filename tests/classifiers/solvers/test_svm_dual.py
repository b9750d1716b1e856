"""The optimum of the SVM compared with quadratic programming, LIBLINEAR and its own certificate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from classifiers.solvers.svm_dual import dual_step
from classifiers.svm import SVM

pytestmark = pytest.mark.bits


def random_problem(seed, n_classes, n_examples=40, n_features=5):
    """Return overlapping clusters with duplicate rows (some with different labels), zero rows, and costs."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_examples - n_classes)])
    X = rng.normal(size=(n_classes, n_features))[labels] + rng.normal(size=(n_examples, n_features))
    X = np.where(rng.random(X.shape) < 0.7, X.round(1), 0.0)
    X[-3:] = 0.0
    X[-6:-3] = X[0]
    costs = rng.choice([0.0, 0.5, 1.0, 2.5], (n_classes, n_classes)) * (1 - np.eye(n_classes))
    return X, labels, costs


def by_quadratic_programming(X, labels, costs, regularizer):
    """Return the optimum of min (λ/2)‖W‖² + mean ξ  s.t.  s_y + ξ_m ≥ s_k + ρ(k, y) for every k (k = y: ξ_m ≥ 0)."""
    g = np.hstack([np.ones((len(X), 1)), X])
    (n_examples, n_rows), n_classes = g.shape, len(costs)
    n_weights = n_rows * n_classes
    # A row of `constraints` for each example and class: s_y − s_k + ξ_m ≥ ρ(k, y).
    identity = np.eye(n_classes)
    differences = identity[labels][:, None, :] - identity[None, :, :]  # (M, K, K): e_y − e_k
    weights = np.einsum("mj,mkc->mkjc", g, differences).reshape(-1, n_weights)
    constraints = np.hstack([weights, np.repeat(np.eye(n_examples), n_classes, axis=0)])
    bounds = costs.T[labels].ravel()

    def objective(z):
        return regularizer / 2 * z[:n_weights] @ z[:n_weights] + z[n_weights:].mean()

    def gradient(z):
        return np.concatenate([regularizer * z[:n_weights], np.full(n_examples, 1 / n_examples)])

    start = np.concatenate([np.zeros(n_weights), np.full(n_examples, costs.max())])  # feasible
    result = minimize(
        objective, start, jac=gradient, method="SLSQP", options={"maxiter": 1000, "ftol": 1e-12},
        constraints={"type": "ineq", "fun": lambda z: constraints @ z - bounds, "jac": lambda z: constraints},
    )  # fmt: skip
    assert result.success, result.message
    return result.fun, result.x[:n_weights].reshape(n_rows, n_classes)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("regularizer", [0.05, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("with_costs", [False, True])
def test_the_optimum_matches_quadratic_programming(n_classes, regularizer, with_costs):
    X, labels, costs = random_problem(n_classes, n_classes, n_examples=13, n_features=2)
    costs = costs if with_costs else 1 - np.eye(n_classes)
    best, W = by_quadratic_programming(X, labels, costs, regularizer)
    svm = SVM(regularizer, solver="dual", tolerance=1e-9, cost=costs)
    params = svm.train(X, labels)
    assert svm.history[-1].objective == pytest.approx(best, rel=1e-6)
    assert svm.history[-1].dual == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(params, W, rtol=0, atol=1e-3)  # (λ/2) ‖ΔW‖² ≤ the error of the objective.


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_classes=st.integers(2, 6),
    regularizer=st.sampled_from([0.02, 0.3, 4.0, 1e3]),
    tolerance=st.sampled_from([0.1, 1e-2, 1e-3]),
    with_costs=st.booleans(),
)
def test_weak_duality_at_every_epoch(seed, n_classes, regularizer, tolerance, with_costs):
    X, labels, costs = random_problem(seed, n_classes, n_examples=30)
    costs = costs if with_costs else None
    seen = []
    svm = SVM(regularizer, solver="dual", tolerance=tolerance, cost=costs, seed=seed)
    params = svm.train(X, labels, callback=lambda *arguments: seen.append(arguments))

    assert [record for record, _, _ in seen] == svm.history
    rounding = 1e-12 * (1 + svm.history[0].objective)
    for epoch, weights, stopped_here in seen:
        assert epoch.gap >= -rounding
        assert epoch.gap == epoch.objective - epoch.dual
        assert svm.objective(X, labels, weights) == pytest.approx(epoch.objective, rel=1e-9, abs=1e-12)
        np.testing.assert_array_equal(weights, stopped_here)
    duals = np.array([epoch.dual for epoch in svm.history])
    assert duals[0] >= -rounding and (np.diff(duals) >= -rounding).all()
    # The dual value of any epoch bounds the objective of every epoch.
    assert duals.max() <= min(epoch.objective for epoch in svm.history) + rounding
    assert svm.history[-1].gap <= max(tolerance * svm.history[-1].objective, rounding)
    np.testing.assert_array_equal(params, seen[-1][1])
    np.testing.assert_allclose(params.sum(axis=1), 0.0, atol=1e-9 * (1 + np.abs(params).max()))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_ends_by_itself_where_no_step_is_left(n_classes):
    """With a strong regularizer every example stays within its margin: α is in corners, and only rounding errors
    remain of the gap, which no tolerance reaches.
    """
    X, labels = np.repeat(np.eye(n_classes), 3, axis=0), np.repeat(np.arange(n_classes), 3)
    costs = (1 + np.arange(n_classes))[:, None] * (1 - np.eye(n_classes))  # No scores tie.
    svm = SVM(1e4, solver="dual", tolerance=1e-300, cost=costs)
    svm.train(X, labels)
    assert abs(svm.history[-1].gap) < 1e-12 and len(svm.history) <= 3


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_a_step_takes_the_dual_as_far_as_one_example_can(n_classes):
    """D is a function of one example's multipliers, written from its definition, at the step and elsewhere."""
    rng = np.random.default_rng(n_classes)
    n_examples, regularizer = 6, 0.3
    g = np.hstack([np.ones((n_examples, 1)), rng.normal(size=(n_examples, 3))])
    labels, costs = rng.integers(0, n_classes, n_examples), rng.uniform(0, 2, (n_classes, n_classes))
    np.fill_diagonal(costs, 0.0)

    def weights(alpha):
        return g.T @ (np.eye(n_classes)[labels] - alpha) / (regularizer * n_examples)

    def dual(alpha):
        return (alpha * costs.T[labels]).sum() / n_examples - regularizer / 2 * (weights(alpha) ** 2).sum()

    for m in range(n_examples):
        alpha = rng.dirichlet(np.ones(n_classes), n_examples)

        def with_row(row, alpha=alpha, m=m):
            changed = alpha.copy()
            changed[m] = row
            return changed

        step = (alpha[m], g[m] @ weights(alpha), costs[:, labels[m]], g[m] @ g[m] / (regularizer * n_examples))
        best = dual(with_row(dual_step(*step)))
        elsewhere = [*rng.dirichlet(np.full(n_classes, 0.3), 200), *np.eye(n_classes), alpha[m]]
        assert best >= max(dual(with_row(row)) for row in elsewhere) - 1e-12
        for relaxation in (0.5, 1.5, 1.99):
            assert dual(with_row(dual_step(*step, relaxation))) >= dual(alpha) - 1e-12
