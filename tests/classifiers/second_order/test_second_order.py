"""AROW and confidence-weighted learning compared with dense matrices and with the steps printed in their sources."""

from statistics import NormalDist

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import AROW, ConfidenceWeighted, SecondOrderPerceptron
from classifiers.online_classifier import second_order
from lxmls_day1.engine.corpus_training import resume
from lxmls_day1.engine.kernels import sparse_rows
from tests.made_data import random_problem

pytestmark = pytest.mark.bits


def arow_step(margin, variance, size, _phi):
    """Return (α, β) as the source prints them, r = 1/size."""
    beta = 1 / (variance + 1 / size)
    return (max(0.0, 1 - margin) * beta, beta) if margin < 1 else (0.0, 0.0)


def perceptron_step(margin, variance, size, _phi):
    """Return (α, β) from W = a (a I + S)⁻¹ v before and after, by the formula of Sherman and Morrison, a = size."""
    return ((size - margin) / (size + variance), 1 / (size + variance)) if margin <= 0 else (0.0, 0.0)


def scw_step(margin, variance, size, phi):
    """Return (α, β) as the sources print them."""
    psi, xi = 1 + phi**2 / 2, 1 + phi**2
    root = np.sqrt(margin**2 * phi**4 / 4 + variance * phi**2 * xi)
    alpha = min(size, max(0.0, (-margin * psi + root) / (variance * xi)))
    u = (-alpha * variance * phi + np.sqrt(alpha**2 * variance**2 * phi**2 + 4 * variance)) ** 2 / 4
    return alpha, alpha * phi / (np.sqrt(u) + variance * alpha * phi)


def dense(step_of, X, labels, order, sizes, phi=1.0):
    """Train on joint feature vectors f(x, y) = e_y ⊗ g(x), with one mean vector and one covariance matrix whose diagonal is kept.

    Returns every mean, (T, J + 1, K), and the last variances (J + 1, K).
    """
    n_classes, G = labels.max() + 1, np.hstack([np.ones((len(X), 1)), X])
    mean, covariance, passed = np.zeros(n_classes * G.shape[1]), np.eye(n_classes * G.shape[1]), []
    joint = np.eye(n_classes)[:, :, None] * np.ones(G.shape[1])  # (K, K, J + 1): the block of each class.
    for m, size in zip(order, sizes, strict=True):
        f = (joint * G[m]).reshape(n_classes, -1)  # (K, K (J + 1))
        scores = f @ mean
        scores[labels[m]] = -np.inf
        difference = f[labels[m]] - f[scores.argmax()]
        alpha, beta = step_of(difference @ mean, difference @ covariance @ difference, size, phi)
        direction = covariance @ difference
        mean = mean + alpha * direction
        covariance = np.diag(np.diag(covariance - beta * np.outer(direction, direction)))
        passed.append(mean.reshape(n_classes, -1).T)
    return np.array(passed), np.diag(covariance).reshape(n_classes, -1).T


LEARNERS = {
    "second-order perceptron": (lambda **more: SecondOrderPerceptron(a=0.7, **more), perceptron_step, 0.7, 1.0),
    "AROW": (lambda **more: AROW(regularizer=0.7, **more), arow_step, 1 / 0.7, 1.0),
    "CW": (lambda **more: ConfidenceWeighted(confidence=0.8, **more), scw_step, np.inf, NormalDist().inv_cdf(0.8)),
    "SCW-I": (lambda **more: ConfidenceWeighted(0.9, 0.3, **more), scw_step, 0.3, NormalDist().inv_cdf(0.9)),
}
EVERY = pytest.mark.parametrize("name", LEARNERS)


def in_python(learner):
    """Return the same learner with an ordinary function as its rule."""
    rule = type(learner).rule
    learner.rule = second_order(lambda *arguments: rule(*arguments))
    return learner


@pytest.mark.one_in(7)
@EVERY
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 9, 13])
@pytest.mark.parametrize("averaged", ["steps", "last round", False])
def test_every_learner_matches_dense_matrices(monkeypatch, name, n_classes, averaged):
    monkeypatch.setattr(sparse_rows, "_MIN_DENSE_NUMBERS", 0)  # The dense matrix itself.
    X, labels, orders, _ = random_problem(n_classes)
    make, step_of, size, phi = LEARNERS[name]
    passed, variances = dense(step_of, X, labels, orders.ravel(), np.full(orders.size, size), phi)
    expected = {"steps": passed.mean(axis=0), "last round": passed[-len(X) :].mean(axis=0), False: passed[-1]}
    for matrix in (X, sp.csr_array(X)):
        for learner in (make(nr_rounds=3, order=orders, averaged=averaged) for _ in range(2)):
            params = learner.train(matrix, labels)
            np.testing.assert_allclose(params, expected[averaged], rtol=0, atol=1e-10)
            np.testing.assert_allclose(learner.variances, variances, rtol=0, atol=1e-10)
    readable = in_python(make(nr_rounds=3, order=orders, averaged=averaged))
    np.testing.assert_allclose(readable.train(X, labels), expected[averaged], rtol=0, atol=1e-10)
    np.testing.assert_allclose(readable.variances, variances, rtol=0, atol=1e-10)


def test_perceptron_steps_match_the_matrix_inverse_of_its_source():
    """If the whole matrix is kept, steps of (α, β) lead to W = a (a I + S)⁻¹ v of the mistakes so far."""
    rng, a = np.random.default_rng(3), 0.7
    S, v, W, covariance = np.zeros((4, 4)), np.zeros(4), np.zeros(4), np.eye(4)
    for f in rng.normal(size=(50, 4)):
        alpha, beta = perceptron_step(f @ W, f @ covariance @ f, a, None)
        direction = covariance @ f
        W, covariance = W + alpha * direction, covariance - beta * np.outer(direction, direction)
        if f @ np.linalg.solve(a * np.eye(4) + S + np.outer(f, f), v) <= 0:
            S, v = S + np.outer(f, f), v + f
        np.testing.assert_allclose(W, a * np.linalg.solve(a * np.eye(4) + S, v), rtol=0, atol=1e-12)


# ------------------------------------------------------------------------------------------------------- variances


@EVERY
def test_parts_are_mixed_by_their_precisions(name):
    X, labels, orders, _ = random_problem(3, n_rounds=2)
    make, step_of, size, phi = LEARNERS[name]
    learner = make(nr_rounds=1, order=orders[:1], n_jobs=3)
    params = learner.train(X, labels)
    parts = np.array_split(orders[0], 3)
    ends = [dense(step_of, X, labels, part, np.full(len(part), size), phi) for part in parts]
    shares = np.array([len(part) for part in parts])[:, None, None] / len(X)
    precisions = np.array([1 / variances for _, variances in ends])
    expected = 1 / (shares * precisions).sum(axis=0)
    means = np.array([passed[-1] for passed, _ in ends])
    np.testing.assert_allclose(learner.variances, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(params, expected * (shares * precisions * means).sum(axis=0), rtol=0, atol=1e-10)
    averaged = make(nr_rounds=1, order=orders[:1], n_jobs=3, averaged="steps").train(X, labels)
    np.testing.assert_allclose(averaged, np.concatenate([passed for passed, _ in ends]).mean(axis=0), atol=1e-10)


@EVERY
def test_a_state_with_variances_resumes_to_the_same_bits(name):
    X, labels, *_ = random_problem(2)
    make = LEARNERS[name][0]
    whole, first, second = make(nr_rounds=4), make(nr_rounds=2), make(nr_rounds=2)
    params = whole.train(X, labels)
    _, state = resume(first, None, X, labels)
    before = state.weights.S.copy()
    resumed, state_after = resume(second, state, X, labels)
    np.testing.assert_array_equal(resumed, params)
    np.testing.assert_array_equal(second.variances, whole.variances)
    np.testing.assert_array_equal(state.weights.S, before)
    assert (before >= state_after.weights.S).all()
