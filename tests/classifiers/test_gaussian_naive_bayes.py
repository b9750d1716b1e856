import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import GaussianNB

from classifiers.gaussian_naive_bayes import GaussianNaiveBayes


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 60)
    return rng.normal(size=(60, 4)) * (1 + y[:, None]) + y[:, None], y


def test_means_priors_and_weights_of_a_small_example():
    gnb = GaussianNaiveBayes(variance=2.0)
    params = gnb.train([[0.0, 0.0], [2.0, 4.0], [5.0, 5.0]], ["a", "a", "b"])
    np.testing.assert_allclose(gnb.means, [[1, 2], [5, 5]])
    np.testing.assert_allclose(gnb.prior, [2 / 3, 1 / 3])
    np.testing.assert_allclose(params[0], [np.log(2 / 3) - 5 / 4, np.log(1 / 3) - 50 / 4])
    np.testing.assert_allclose(params[1:], [[1 / 2, 5 / 2], [2 / 2, 5 / 2]])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_variance_per_class_agrees_with_scikit_learn(data, form):
    X, y = data
    theirs = GaussianNB().fit(X, y)
    ours = GaussianNaiveBayes(variance="per_class")
    params = ours.train(form(X), y)
    assert params.shape == (2 * 4 + 1, 3)
    np.testing.assert_allclose(ours.variances, theirs.var_, rtol=1e-9)
    scores = ours.get_scores(ours.add_intercept_term(form(X)), params)
    np.testing.assert_allclose(scores, theirs.predict_joint_log_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(ours.test(form(X), params), theirs.predict(X))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_pooled_variance_is_the_mean_squared_distance_to_the_class_means(data, form):
    X, y = data
    gnb = GaussianNaiveBayes(variance="pooled")
    gnb.train(form(X), y)
    expected = np.mean((X - np.array([X[y == c].mean(axis=0) for c in range(3)])[y]) ** 2)
    np.testing.assert_allclose(gnb.variances, np.full((3, 4), expected), rtol=1e-7)
