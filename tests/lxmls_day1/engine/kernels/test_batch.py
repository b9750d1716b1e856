import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from lxmls_day1.engine.kernels import batch
from lxmls_day1.engine.kernels.batch import LogLoss
from lxmls_day1.engine.kernels.sparse_rows import as_examples

pytestmark = pytest.mark.bits


def naive(X, labels, W, shares=1.0):
    """Return the log loss and its gradient, computed with dense matrices."""
    if W.shape[1] == 1:
        loss, gradient = naive(X, labels, np.hstack([np.zeros_like(W), W]), shares)
        return loss, gradient[:, 1:]
    g = np.hstack([np.ones((len(X), 1)), X])
    scores = g @ W
    log_z = logsumexp(scores, axis=1)
    residuals = np.exp(scores - log_z[:, None]) - np.eye(W.shape[1])[labels]
    losses = shares * (log_z - scores[np.arange(len(X)), labels])
    return losses.sum(), g.T @ (np.broadcast_to(shares, len(X))[:, None] * residuals)


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    n_columns=st.integers(1, 10),
    density=st.sampled_from([0.0, 0.3, 1.0]),
    n_examples=st.sampled_from([3, 12, 70]),
    n_jobs=st.integers(1, 4),
    form=st.sampled_from([as_examples, np.asarray, np.asfortranarray]),
    weighted=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_loss_and_gradient_are_those_of_dense_matrices(seed, n_columns, density, n_examples, n_jobs, form, weighted):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_examples, 7)) * (rng.random((n_examples, 7)) < density)
    labels, W = rng.integers(0, max(n_columns, 2), n_examples), rng.normal(size=(8, n_columns))
    shares = rng.integers(0, 3, n_examples) / 2 if weighted else None
    log_loss = LogLoss(form(X), labels, W.shape[1], shares, n_jobs)
    loss, gradient = log_loss(W)
    expected_loss, expected_gradient = naive(X, labels, W, 1.0 if shares is None else shares)
    assert loss == pytest.approx(expected_loss, rel=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, atol=1e-11)
    squares = X.T**2 @ (np.ones(n_examples) if shares is None else shares)
    np.testing.assert_allclose(log_loss.sums_of_squares(), squares, atol=1e-12)
    again = LogLoss(form(X), labels, W.shape[1], shares, n_jobs)(W)
    assert again[0] == loss and np.array_equal(again[1], gradient)


def test_exponentials_are_exact_to_the_last_digits():
    x = np.concatenate([-np.logspace(-18, np.log10(707), 5000), [0.0, -0.0, -1.0, -707.9, -np.log(2) / 2]])
    mine = x.copy()
    batch.exponentials(mine, len(x), np.empty(len(x)))
    np.testing.assert_allclose(mine, np.exp(x), rtol=4e-16)
    far = np.array([-709.0, -1e5, -1e300, -np.inf, np.nan, -800.0])
    batch.exponentials(far, 5, np.empty(6))
    assert (far[:4] < 1e-307).all() and (far[:4] >= 0).all() and np.isnan(far[4]) and far[5] == -800.0


@pytest.mark.parametrize("n_columns", [1, 3, 9])
@pytest.mark.parametrize("form", [as_examples, np.asarray])
def test_weights_that_are_not_finite_give_no_finite_loss(n_columns, form):
    X, labels = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([0, 1])
    for weight in (np.inf, np.nan):
        W = np.full((3, n_columns), weight)
        with np.errstate(invalid="ignore"):
            assert not np.isfinite(LogLoss(form(X), labels, n_columns)(W)[0])


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_scores_in_the_millions_overflow_nothing(n_columns):
    rng = np.random.default_rng(1)
    X, labels = 1e4 * rng.normal(size=(20, 3)), rng.integers(0, max(n_columns, 2), 20)
    W = 1e3 * rng.normal(size=(4, n_columns))
    loss, gradient = LogLoss(as_examples(X), labels, W.shape[1])(W)
    expected_loss, expected_gradient = naive(X, labels, W)
    assert loss == pytest.approx(expected_loss)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9)
