"""NBSVM compared with the paper's formulas on another library's SVM."""

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers.nbsvm import NBSVM, log_count_ratio
from tests.made_data import documents


def naive(X, inside, beta, alpha, C, weights):
    """Train one class against the rest with LIBLINEAR's SVM (hinge loss; the intercept is a feature that is 1)."""
    svm = pytest.importorskip("sklearn.svm")
    f = (X > 0).astype(float)
    p, q = (alpha + weights[rows] @ f[rows] for rows in (inside, ~inside))
    r = np.log((p / p.sum()) / (q / q.sum()))
    model = svm.LinearSVC(C=C, loss="hinge", tol=1e-10, max_iter=1_000_000, random_state=0)
    model.fit(f * r, inside, sample_weight=weights / weights.mean())
    w, b = model.coef_[0], model.intercept_[0]
    return beta * b, r * ((1 - beta) * np.abs(w).mean() + beta * w)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_match_the_paper(n_classes, beta, weighted):
    X, y = documents(n_classes, n_classes)
    weights = 0.5 + np.random.default_rng(9).random(len(y)) if weighted else np.ones(len(y))
    nbsvm = NBSVM(beta=beta, smooth_param=0.7, tolerance=1e-9)
    params = nbsvm.train(sp.csr_array(X), y, weights if weighted else None)
    for k in range(n_classes):
        b, w = naive(X, y == k, beta, 0.7, 1.0, weights)
        scale = 2.0  # The score of a class against the rest is twice its column's score, because the rest has the negative score.
        np.testing.assert_allclose(scale * params[1:, k], w, atol=2e-4)
        assert scale * params[0, k] == pytest.approx(b, abs=2e-4)
    dense = nbsvm.train(X, y, weights if weighted else None)
    np.testing.assert_allclose(dense, params, atol=1e-4)


def test_presence_counts_and_two_classes_are_opposite():
    X, y = documents(0, 2)
    nbsvm = NBSVM()
    params = nbsvm.train(X, y)
    np.testing.assert_array_equal(params[:, 0], -params[:, 1])
    often = X * np.random.default_rng(1).integers(1, 9, X.shape)
    np.testing.assert_array_equal(params, nbsvm.train(often, y))
    np.testing.assert_array_equal(nbsvm.test(X, params), nbsvm.test(often, params))


def test_log_count_ratio_of_a_small_example():
    """p = (1 + 3, 1 + 1), q = (1 + 0, 1 + 2): (4/6) / (1/4) and (2/6) / (3/4)."""
    ratio = log_count_ratio(np.array([3, 1]), np.array([0, 2]), 1.0)
    np.testing.assert_allclose(np.exp(ratio), [8 / 3, 4 / 9], rtol=1e-14)
