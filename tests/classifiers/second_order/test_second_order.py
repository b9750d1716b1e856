"""AROW and confidence-weighted learning: against dense matrices, against a numerical solution of what each step minimises."""

from statistics import NormalDist

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from classifiers.online_classifier import second_order
from classifiers.second_order.arow import AROW, arow_rule
from classifiers.second_order.confidence_weighted import NO_CAP, ConfidenceWeighted, confidence_weighted_rule
from lxmls_day1.engine.training import resume

pytestmark = pytest.mark.bits


def problem(n_classes, n_examples=31, n_features=7, n_rounds=3):
    """Real-valued features, half of them zero, so that nothing ties; and an order."""
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n_examples, n_features)) * (rng.random((n_examples, n_features)) < 0.5)
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_examples - n_classes)])
    return X, labels, np.array([rng.permutation(n_examples) for _ in range(n_rounds)])


def arow_step(margin, variance, size, _phi):
    """(α, β) as the source prints them, r = 1/size."""
    beta = 1 / (variance + 1 / size)
    return (max(0.0, 1 - margin) * beta, beta) if margin < 1 else (0.0, 0.0)


def scw_step(margin, variance, size, phi):
    """(α, β) as the sources print them."""
    psi, xi = 1 + phi**2 / 2, 1 + phi**2
    root = np.sqrt(margin**2 * phi**4 / 4 + variance * phi**2 * xi)
    alpha = min(size, max(0.0, (-margin * psi + root) / (variance * xi)))
    u = (-alpha * variance * phi + np.sqrt(alpha**2 * variance**2 * phi**2 + 4 * variance)) ** 2 / 4
    return alpha, alpha * phi / (np.sqrt(u) + variance * alpha * phi)


def dense(step_of, X, labels, order, sizes, phi=1.0):
    """Joint feature vectors f(x, y) = e_y ⊗ g(x), one vector of means, one matrix of covariances of which the diagonal is kept.

    Returns every mean, (T, J + 1, K), and the last variances (J + 1, K).
    """
    n_classes, G = labels.max() + 1, np.hstack([np.ones((len(X), 1)), X])
    mean, covariance, passed = np.zeros(n_classes * G.shape[1]), np.eye(n_classes * G.shape[1]), []
    joint = np.eye(n_classes)[:, :, None] * np.ones(G.shape[1])  # (K, K, J + 1): the block of each class
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
    "AROW": (lambda **more: AROW(regularizer=0.7, **more), arow_step, 1 / 0.7, 1.0),
    "CW": (lambda **more: ConfidenceWeighted(confidence=0.8, **more), scw_step, np.inf, NormalDist().inv_cdf(0.8)),
    "SCW-I": (lambda **more: ConfidenceWeighted(0.9, 0.3, **more), scw_step, 0.3, NormalDist().inv_cdf(0.9)),
}
EVERY = pytest.mark.parametrize("name", LEARNERS)


def in_python(learner):
    """The same learner, whose rule is an ordinary function."""
    rule = type(learner).rule

    def readable(*arguments):
        return rule(*arguments)

    learner.rule = second_order(readable)
    return learner


@pytest.mark.one_in(4)
@EVERY
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 9, 13])
@pytest.mark.parametrize("averaged", ["steps", "last round", False])
def test_every_learner_is_what_dense_matrices_compute(name, n_classes, averaged):
    X, labels, orders = problem(n_classes)
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


# ------------------------------------------------------------------------------------------------- what a step minimises


def divergence(mean, root, start_mean, start):
    """KL(N(mean, root rootᵀ) ‖ N(start_mean, diag(start)))."""
    covariance, moved = root @ root.T, mean - start_mean
    log_ratio = np.log(start).sum() - 2 * np.log(np.abs(np.diag(root))).sum()
    return 0.5 * (log_ratio + (np.diag(covariance) / start).sum() + (moved**2 / start).sum() - len(start))


def solved(objective, constraint, start_mean, start, with_slack):
    """The mean and the full covariance of two weights, and the least objective, found by SLSQP from the old Gaussian on."""

    def unpacked(z):
        return z[:2], np.array([[np.exp(z[2]), 0.0], [z[3], np.exp(z[4])]]), z[5]

    begin = np.array([*start_mean, np.log(start[0]) / 2, 0.0, np.log(start[1]) / 2, 5.0 * with_slack])
    found = minimize(
        lambda z: objective(*unpacked(z)),
        begin,
        method="SLSQP",
        # logarithms of standard deviations that are between e^−10 and e^5
        bounds=[*[(None, None)] * 2, (-10, 5), (None, None), (-10, 5), (0.0, None if with_slack else 0.0)],
        constraints=[{"type": "ineq", "fun": lambda z: constraint(*unpacked(z))}],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    mean, root, _ = unpacked(found.x)
    return mean, root @ root.T, found.fun


def check_step(which, f, start_mean, start, phi, size):
    """One step of a rule beside what a solver finds; f is the difference of two joint feature vectors."""
    margin, variance = f @ start_mean, f @ (start * f)
    rule, cost = (arow_rule, 1.0) if which == "AROW" else (confidence_weighted_rule, phi)
    step = NO_CAP if which == "CW" else size
    d, b = rule(np.array([margin, 0.0]), 0, np.array([0.3, 0.7]) * variance, step, np.array([0.0, cost]))
    if which == "AROW" and margin >= 1.0:  # the source leaves such an example alone
        assert not d.any() and not b.any()
        return

    def objective(mean, root, slack):
        paid = size / 2 * (slack**2 + f @ root @ root.T @ f) if which == "AROW" else size * slack
        return divergence(mean, root, start_mean, start) + paid

    def lead(mean, root, slack):
        return f @ mean + slack - (1.0 if which == "AROW" else phi * np.sqrt(f @ root @ root.T @ f))

    direction = start * f
    mean, covariance = start_mean + d[0] * direction, np.diag(start) - b[0] * np.outer(direction, direction)
    root = np.linalg.cholesky(covariance)
    missing = max(0.0, -lead(mean, root, 0.0))
    if which == "CW":
        assert missing < 1e-9
        missing = 0.0
    theirs, their_covariance, least = solved(objective, lead, start_mean, start, which != "CW")
    assert objective(mean, root, missing) == pytest.approx(least, rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(mean, theirs, atol=2e-3)
    np.testing.assert_allclose(covariance, their_covariance, atol=2e-3)


@pytest.mark.parametrize("n_cases", [25, pytest.param(500, marks=[pytest.mark.slow, pytest.mark.campaign])])
@pytest.mark.parametrize("which", ["AROW", "CW", "SCW-I"])
def test_the_closed_forms_solve_what_the_sources_minimise(which, n_cases):
    rng = np.random.default_rng(7)
    for _ in range(n_cases):
        f, start_mean, start = rng.normal(size=2) * 2, rng.normal(size=2), rng.uniform(0.05, 1.0, 2)
        check_step(which, f, start_mean, start, phi=rng.uniform(0.2, 2.0), size=rng.uniform(0.1, 3.0))


# ------------------------------------------------------------------------------------------------------- variances


@EVERY
def test_parts_are_mixed_by_their_precisions(name):
    X, labels, orders = problem(3, n_rounds=2)
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
def test_a_state_knows_its_variances_and_goes_on_to_the_same_bits(name):
    X, labels, _ = problem(2)
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
