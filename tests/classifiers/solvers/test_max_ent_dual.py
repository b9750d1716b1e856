"""Dual coordinate ascent for maximum entropy compared with L-BFGS, and its steps compared with their maximum."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import entr

from classifiers.max_ent_batch import MaxEntBatch
from classifiers.solvers.max_ent_dual import ascend_dual
from lxmls_day1.engine.loops.rows import Rows


def noisy_data(n_classes, n_examples=60, n_features=5):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n_examples, n_features)) * (rng.random((n_examples, n_features)) < 0.7)
    y = np.argmax(X @ rng.normal(size=(n_features, n_classes)) + rng.gumbel(size=(n_examples, n_classes)), axis=1)
    y[:n_classes] = np.arange(n_classes)
    return X, y


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("regularizer", [1.0, 0.01])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_ends_at_the_optimum_of_lbfgs(n_classes, regularizer, weighted):
    X, y = noisy_data(n_classes)
    weights = np.arange(len(y)) % 3 + 0.0 if weighted else None
    if weighted:
        weights[:n_classes] = 1.0
    exact = MaxEntBatch(regularizer, tolerance=1e-12)
    best = exact.train(X, y, sample_weight=weights)
    dual = MaxEntBatch(regularizer, tolerance=1e-10, solver="dual")
    for form in (X, sp.csr_array(X)):
        np.testing.assert_allclose(dual.train(form, y, sample_weight=weights), best, atol=2e-4)
        assert dual.history[-1].objective == pytest.approx(exact.history[-1].objective, rel=1.01e-10)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_optimum_lies_between_dual_and_objective(n_classes):
    X, y = noisy_data(n_classes)
    exact = MaxEntBatch(0.02, tolerance=1e-13)
    exact.train(X, y)
    best = exact.history[-1].objective
    points = list(ascend_dual(Rows(X, y, n_classes), 0.02, 1e-7, 40, np.random.default_rng(0)))
    assert points[0].objective == pytest.approx(np.log(n_classes)) and points[0].dual == 0.0
    assert all(point.dual <= best * (1 + 1e-12) and best <= point.objective * (1 + 1e-12) for point in points)
    assert points[-1].sweeps == 40 and points[-1].gap < 1e-7
    W = points[-1].weights if n_classes > 2 else np.hstack([-points[-1].weights / 2, points[-1].weights / 2])
    assert exact.objective(X, y, W) == pytest.approx(points[-1].objective, rel=1e-12)


def test_the_dual_value_matches_its_multipliers():
    """One example of each of two classes: D is maximised over β alone."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    lam = 0.5  # ‖g‖² = 2; both betas are equal by symmetry: v = (0, 2β/λ).
    best = minimize(
        lambda b: -(entr(b) + entr(1 - b) - lam / 4 * (2 * b / lam) ** 2).sum(), [0.3], bounds=[(1e-6, 1 - 1e-6)]
    )
    *_, last = ascend_dual(Rows(X, y, 2), lam, 1e-12, 60, np.random.default_rng(0))
    assert last.dual == pytest.approx(-best.fun, rel=1e-6)
    np.testing.assert_allclose(last.weights[:, 0], [0.0, 2 * best.x[0] / lam], atol=1e-4)
