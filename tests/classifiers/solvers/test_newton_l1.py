"""Newton's method by coordinates compared with OWL-QN, and the conditions of an optimum."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers.max_ent_batch import MaxEntBatch
from classifiers.solvers.newton_l1 import newton_l1
from classifiers.solvers.owl_qn import pseudo_gradient
from lxmls_day1.engine.loops.rows import Rows


def documents(seed, n_documents=90, n_words=30):
    rng = np.random.default_rng(seed)
    y = np.arange(n_documents) % 2
    X = sp.csr_array(rng.poisson((0.3 + rng.random((2, n_words)) ** 4)[y]) * rng.choice([0.1, 1.0, 3.0], n_words))
    return X, y, rng.integers(0, 3, n_documents) + (np.arange(n_documents) < 2)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("regularizer", "weighted", "regularize_intercept"), [(0.01, True, False), (0.1, False, True), (0.001, True, True)]
)
def test_it_ends_at_the_optimum_of_owl_qn(regularizer, weighted, regularize_intercept):
    X, y, weights = documents(0)
    settings = {"penalty": "l1", "regularize_intercept": regularize_intercept}
    newton = MaxEntBatch(regularizer, tolerance=1e-8, **settings)
    owl = MaxEntBatch(regularizer, tolerance=1e-9, max_iterations=20_000, solver="lbfgs", **settings)
    found, expected = (learner.train(X, y, weights if weighted else None) for learner in (newton, owl))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    np.testing.assert_array_equal(found == 0, expected == 0)
    assert newton.history[-1].objective == pytest.approx(owl.history[-1].objective, rel=1e-9)


def test_each_step_leads_downwards_and_the_last_point_is_an_optimum():
    X, y, _ = documents(1)
    penalties = np.full(X.shape[1] + 1, 0.005)
    descent = newton_l1(Rows(X, y, 2), penalties, np.random.default_rng(0))
    points = [(v.copy(), value, slope) for v, value, slope in descent]
    values = [value for _, value, _ in points]
    assert values[0] == pytest.approx(np.log(2)) and all(b <= a + 1e-14 for a, b in itertools.pairwise(values))
    v, value, slope = points[-1]
    margins = X @ v[1:] + v[0]
    wrong = 1 / (1 + np.exp((2 * y - 1) * margins))  # (M,)
    gradient = -np.append(((2 * y - 1) * wrong).sum(), X.T @ ((2 * y - 1) * wrong)) / len(y)
    np.testing.assert_allclose(slope, pseudo_gradient(v, gradient, penalties), atol=1e-12)
    assert np.abs(slope).max() < 1e-8
    assert value == pytest.approx(np.logaddexp(0, -(2 * y - 1) * margins).mean() + 0.005 * np.abs(v).sum())


def test_a_penalty_that_nothing_outweighs_leaves_zeros():
    X, y, _ = documents(2)
    maxent = MaxEntBatch(50.0, penalty="l1")
    assert not maxent.train(X, y).any() and maxent.history == []


def test_numbers_too_large_for_squares_are_reported():
    X, y, _ = documents(3)
    with pytest.warns(UserWarning, match="stopped after 0 iterations, where rounding"):
        assert not MaxEntBatch(1.0, penalty="l1").train(X * 1e200, y).any()
