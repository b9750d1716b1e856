import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import MaxEntBatch, MaxEntOnline
from classifiers.max_ent_model import expectations, softmax

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.array(["a", "b", "c", "b"] * 10)


@pytest.mark.slow
@pytest.mark.parametrize("maxent", [MaxEntBatch(0.1), MaxEntOnline(0.1)], ids=["batch", "online"])
def test_probabilities_are_the_exponentials_of_the_scores_by_their_sum(maxent):
    params = maxent.train(X, Y)
    scores = np.hstack([np.ones((40, 1)), X]) @ params
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(maxent.get_probabilities(X, params), expected)
    np.testing.assert_allclose(maxent.get_probabilities(sp.csr_array(X), params), expected)


def test_softmax_of_huge_scores_is_finite():
    scores = np.array([[1e4, 0.0], [-1e4, 0.0], [1e300, 1e300]])
    np.testing.assert_array_equal(softmax(scores), [[1, 0], [0, 1], [0.5, 0.5]])


@pytest.mark.parametrize("maxent", [MaxEntBatch(0.1), MaxEntOnline(0.1)], ids=["batch", "online"])
@pytest.mark.parametrize("sparse", [False, True])
def test_moments_are_means_over_the_examples(maxent, sparse):
    params = maxent.train(X, Y)
    moments = maxent.get_moments(sp.csr_array(X) if sparse else X, Y, params)
    p = maxent.get_probabilities(X, params)
    for k, label in enumerate("abc"):
        for j in range(4):
            g = X[:, j - 1] if j > 0 else np.ones(40)
            assert moments.empirical[j, k] == pytest.approx(sum(g[m] for m in range(40) if Y[m] == label) / 40)
            assert moments.model[j, k] == pytest.approx(sum(g[m] * p[m, k] for m in range(40)) / 40)


@pytest.mark.parametrize("regularizer", [0.0, 0.01, 1.0])
def test_at_the_optimum_the_moments_differ_by_the_regularizer_times_the_weights(regularizer):
    maxent = MaxEntBatch(regularizer, tolerance=1e-12)
    params = maxent.train(X, Y)
    moments = maxent.get_moments(X, Y, params)
    np.testing.assert_allclose(moments.empirical - moments.model, regularizer * params, atol=1e-6)


def test_expectations_of_sparse_features_are_those_of_dense_ones():
    p = softmax(RNG.normal(size=(40, 3)))
    np.testing.assert_allclose(expectations(sp.csr_array(X), p), np.einsum("mj,mk->jk", X, p) / 40)
