import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from sklearn.metrics import hinge_loss as sklearn_hinge_loss

from classifiers.losses import hinge_loss, log_loss, perceptron_loss


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.floats(0.1, 1e4))
def test_log_loss_matches_the_softmax_however_large_the_scores(seed, n_classes, scale):
    rng = np.random.default_rng(seed)
    scores, labels = rng.normal(size=(5, n_classes)) * scale, rng.integers(0, n_classes, 5)
    expected = logsumexp(scores, axis=1) - scores[np.arange(5), labels]
    np.testing.assert_allclose(log_loss(scores, labels), expected, rtol=1e-12, atol=1e-12)


def test_hinge_loss_agrees_with_scikit_learns_multi_class_hinge():
    rng = np.random.default_rng(1)
    scores, labels = rng.normal(size=(50, 4)), rng.integers(0, 4, 50)
    mean = hinge_loss(scores, labels, 1 - np.eye(4)).mean()
    np.testing.assert_allclose(mean, sklearn_hinge_loss(labels, scores, labels=range(4)))


def test_costs_are_read_by_the_column_of_the_true_class():
    cost = np.array([[0.0, 5.0], [2.0, 0.0]])  # Predicting 0 costs 5 if 1 is true.
    scores = np.array([[1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_array_equal(hinge_loss(scores, np.array([0, 1]), cost), [1.0, 6.0])


def test_the_perceptrons_loss_is_the_hinge_loss_without_costs_and_grows_with_the_weights():
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(30, 5)), rng.integers(0, 5, 30)
    np.testing.assert_array_equal(perceptron_loss(scores, labels), hinge_loss(scores, labels, np.zeros((5, 5))))
    np.testing.assert_allclose(perceptron_loss(3 * scores, labels), 3 * perceptron_loss(scores, labels))
    assert not perceptron_loss(0 * scores, labels).any()
