import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from lxmls_day1.compiled.batch import LogLoss
from lxmls_day1.compiled.sparse_rows import as_examples


def naive(X, labels, W):
    """The log loss and its gradient with dense matrices."""
    if W.shape[1] == 1:
        loss, gradient = naive(X, labels, np.hstack([np.zeros_like(W), W]))
        return loss, gradient[:, 1:]
    g = np.hstack([np.ones((len(X), 1)), X])
    scores = g @ W
    log_z = logsumexp(scores, axis=1)
    residuals = np.exp(scores - log_z[:, None]) - np.eye(W.shape[1])[labels]
    return (log_z - scores[np.arange(len(X)), labels]).sum(), g.T @ residuals


@given(seed=st.integers(0, 10**6), n_columns=st.integers(1, 10), density=st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=60, deadline=None)
def test_loss_and_gradient_are_those_of_dense_matrices(seed, n_columns, density):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 7)) * (rng.random((12, 7)) < density)
    labels, W = rng.integers(0, max(n_columns, 2), 12), rng.normal(size=(8, n_columns))
    loss, gradient = LogLoss(as_examples(X), labels, W.shape[1])(W)
    expected_loss, expected_gradient = naive(X, labels, W)
    assert loss == pytest.approx(expected_loss, rel=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, atol=1e-11)


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_scores_in_the_millions_overflow_nothing(n_columns):
    rng = np.random.default_rng(1)
    X, labels, W = (
        1e4 * rng.normal(size=(20, 3)),
        rng.integers(0, max(n_columns, 2), 20),
        1e3 * rng.normal(size=(4, n_columns)),
    )
    loss, gradient = LogLoss(as_examples(X), labels, W.shape[1])(W)
    expected_loss, expected_gradient = naive(X, labels, W)
    assert loss == pytest.approx(expected_loss)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9)


def test_repeated_entries_of_a_row_count_together():
    X = sp.csr_array((np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    labels, W = np.array([0, 1]), np.random.default_rng(2).normal(size=(3, 3))
    loss, gradient = LogLoss(as_examples(X), labels, W.shape[1])(W)
    expected_loss, expected_gradient = naive(X.toarray(), labels, W)
    assert loss == pytest.approx(expected_loss)
    np.testing.assert_allclose(gradient, expected_gradient)


def test_any_layout_of_the_weights_will_do():
    rng = np.random.default_rng(3)
    X, labels, W = rng.normal(size=(6, 2)), rng.integers(0, 3, 6), rng.normal(size=(3, 3))
    _, gradient = LogLoss(as_examples(X), labels, W.shape[1])(np.asfortranarray(W))
    np.testing.assert_allclose(gradient, naive(X, labels, W)[1])


def test_one_gradient_is_not_overwritten_by_the_next():
    rng = np.random.default_rng(4)
    X, labels, W = rng.normal(size=(6, 2)), rng.integers(0, 3, 6), rng.normal(size=(2, 3, 3))
    log_loss = LogLoss(as_examples(X), labels, 3)
    (_, first), (_, second) = log_loss(W[0]), log_loss(W[1])
    np.testing.assert_allclose(first, naive(X, labels, W[0])[1])
    np.testing.assert_allclose(second, naive(X, labels, W[1])[1])
