import numpy as np
import pytest
from scipy.stats import multivariate_normal

from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.gaussian_weights import gaussian_weights


@pytest.mark.parametrize("variance", [0.3, 1.0, 4.0])
def test_differences_of_scores_are_log_ratios_of_joint_densities(variance):
    """Another library computes the densities."""
    rng = np.random.default_rng(1)
    prior, means, X = np.array([0.2, 0.3, 0.5]), rng.normal(size=(3, 2)), rng.normal(size=(6, 2))
    params = gaussian_weights(prior, means, variance)
    scores = params[0] + X @ params[1:]
    joint = [np.log(p) + multivariate_normal.logpdf(X, mean, variance) for p, mean in zip(prior, means, strict=True)]
    np.testing.assert_allclose(scores - scores[:, :1], np.subtract(joint, joint[0]).T, atol=1e-10)


def test_training_finds_the_same():
    X, y = np.array([[0.0, 1.0], [2.0, 1.0], [5.0, 0.0]]), [0, 0, 1]
    gnb = GaussianNaiveBayes(variance=2.5)
    np.testing.assert_allclose(gnb.train(X, y), gaussian_weights(gnb.prior, gnb.means, 2.5))
