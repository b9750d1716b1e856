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


def test_means_priors_and_weights_by_hand():
    gnb = GaussianNaiveBayes(variance=2.0)
    params = gnb.train([[0.0, 0.0], [2.0, 4.0], [5.0, 5.0]], ["a", "a", "b"])
    np.testing.assert_allclose(gnb.means, [[1, 2], [5, 5]])
    np.testing.assert_allclose(gnb.prior, [2 / 3, 1 / 3])
    np.testing.assert_allclose(params[0], [np.log(2 / 3) - 5 / 4, np.log(1 / 3) - 50 / 4])
    np.testing.assert_allclose(params[1:], [[1 / 2, 5 / 2], [2 / 2, 5 / 2]])


def test_scores_are_log_joint_densities_up_to_a_term_that_all_classes_share(data):
    X, y = data
    gnb = GaussianNaiveBayes(variance=1.7)
    params = gnb.train(X, y)
    scores = gnb.get_scores(gnb.add_intercept_term(X), params)
    joint = np.log(gnb.prior) - ((X[:, None] - gnb.means) ** 2).sum(axis=2) / (2 * 1.7)
    difference = scores - joint
    np.testing.assert_allclose(difference, difference[:, :1] @ np.ones((1, 3)))


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


@pytest.mark.parametrize("variance", ["pooled", "per_class"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_constant_features_give_no_nan(variance, form):
    X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 4.0], [1.0, 5.0]])
    gnb = GaussianNaiveBayes(variance=variance)
    params = gnb.train(form(X), [0, 0, 1, 1])
    assert np.isfinite(params).all()
    np.testing.assert_array_equal(gnb.test(form(X), params), [0, 0, 1, 1])
    assert np.isfinite(gnb.train(form(np.ones((4, 2))), [0, 0, 1, 1])).all()
