"""Bernoulli naive Bayes compared with scikit-learn's, and with its definition."""

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers.bernoulli_naive_bayes import BernoulliNaiveBayes


def counts(seed, n_classes, n_documents=50, n_words=12):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.6, (n_documents, n_words)), np.arange(n_documents) % n_classes, rng.random(n_documents)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("alpha", [1.0, 0.1, 7.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_it_equals_scikit_learn_s(n_classes, alpha, weighted, kind):
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    X, y, weights = counts(n_classes, n_classes)
    weights = weights if weighted else None
    ours, theirs = BernoulliNaiveBayes(alpha), naive_bayes.BernoulliNB(alpha=alpha).fit(X, y, weights)
    params = ours.train(kind(X), y, weights)
    np.testing.assert_allclose(np.log(ours.likelihood.T), theirs.feature_log_prob_, atol=1e-12)
    np.testing.assert_allclose(ours.get_probabilities(kind(X), params), theirs.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(ours.test(kind(X), params), theirs.predict(X))


def test_counts_and_negative_numbers_make_no_difference():
    X, y, _ = counts(0, 2)
    bernoulli = BernoulliNaiveBayes()
    params = bernoulli.train(X, y)
    np.testing.assert_array_equal(params, bernoulli.train(np.where(X > 0, 1, -3), y))
    np.testing.assert_array_equal(bernoulli.test(X, params), bernoulli.test(9 * X, params))
