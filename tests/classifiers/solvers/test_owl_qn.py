"""Sparse maximum entropy compared with the soft threshold and scikit-learn's optima, and the conditions of an optimum."""

import warnings

import numpy as np
import pytest

from classifiers.max_ent_batch import MaxEntBatch
from classifiers.solvers.owl_qn import owl_qn, pseudo_gradient, soft_threshold
from tests.made_data import documents


def trained(X, y, weights=None, **settings):
    maxent = MaxEntBatch(penalty="l1", tolerance=1e-9, max_iterations=5000, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        params = maxent.train(X, y, weights)
    return maxent, params


def test_soft_threshold_is_the_best_of_a_fine_grid():
    grid = np.linspace(-5, 5, 100_001)
    for a in (-3.0, -0.7, 0.0, 0.2, 1.0, 4.0):
        for penalty in (0.0, 0.5, 1.0, 2.5):
            best = grid[np.argmin(0.5 * (grid - a) ** 2 + penalty * abs(grid))]
            assert soft_threshold(np.array([a]), penalty)[0] == pytest.approx(best, abs=1e-4)


def test_a_separable_function_ends_at_its_soft_thresholds():
    rng = np.random.default_rng(0)
    a, penalties, curvature = rng.normal(size=50), rng.random(50), 1 + 9 * rng.random(50)
    *_, last = owl_qn(lambda x: (curvature @ (x - a) ** 2 / 2, curvature * (x - a)), rng.normal(size=50), penalties)
    np.testing.assert_allclose(last.x, soft_threshold(a, penalties / curvature), atol=1e-9)
    assert ((last.x == 0) == (abs(a) <= penalties / curvature)).all()
    assert not pseudo_gradient(last.x, curvature * (last.x - a), penalties).round(8).any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_slopes_at_the_optimum_are_what_the_penalty_allows(n_classes):
    """If a weight is not 0, the slope of the loss is −λ sign(w); if it is 0, the slope is at most λ in absolute value."""
    X, y = documents(5, n_classes)
    maxent, params = trained(X, y, regularizer=0.03)
    moments = maxent.get_moments(X, y, params)
    slopes = moments.model - moments.empirical
    if n_classes == 2:  # Both columns move together, so their slopes are opposite.
        assert (params[:, 0] == -params[:, 1]).all()
    there = params != 0
    np.testing.assert_allclose(slopes[there], -0.03 * np.sign(params[there]), atol=1e-6)
    assert abs(slopes).max() <= 0.03 + 1e-6 and 0 < there.sum() < there.size
