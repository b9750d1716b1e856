"""The compiled sweeps and measurements of dual coordinate ascent, and their NumPy twins, compared with readable versions."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import entr, expit, logsumexp

from classifiers.solvers.max_ent_dual import dual_step
from lxmls_day1.engine.kernels import max_ent_sweeps
from lxmls_day1.engine.loops.rows import Rows
from tests.made_data import random_problem


def weights_of(g, labels, shares, alpha, unit):
    return unit * g.T @ (shares[:, None] * (np.eye(alpha.shape[1])[labels] - alpha))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("n_classes", [3, 4, 9])
def test_max_ent_sweeps_match_the_readable_steps(monkeypatch, compiled, n_classes):
    if not compiled:
        monkeypatch.setattr(max_ent_sweeps, "sweep", max_ent_sweeps._sweep_in_numpy)
    X, labels, orders, _ = random_problem(n_classes)
    shares = np.random.default_rng(0).uniform(0.2, 2.0, len(X))
    g, unit = np.hstack([np.ones((len(X), 1)), X]), 1 / (0.05 * len(X))
    alpha, W = np.eye(n_classes)[labels], np.zeros((X.shape[1] + 1, n_classes))
    expected = alpha.copy()
    rows = Rows(X, labels, n_classes, shares)
    for order in orders:
        estimate = rows.max_ent_sweep(order, unit, alpha, W)
        expected_estimate = 0.0
        for m in order:
            scores = g[m] @ weights_of(g, labels, shares, expected, unit)
            p = np.exp(scores - logsumexp(scores))
            expected_estimate += shares[m] * ((p - expected[m]) ** 2 / (p + expected[m])).sum()
            expected[m] = dual_step(expected[m], scores, unit * shares[m] * (g[m] @ g[m]))
        assert estimate == pytest.approx(expected_estimate)
    np.testing.assert_allclose(alpha, expected, atol=1e-10)
    np.testing.assert_allclose(W, weights_of(g, labels, shares, alpha, unit), atol=1e-10)
    scores = g @ W
    loss, entropy = rows.max_ent_measure(alpha, W)
    assert loss == pytest.approx((shares * (logsumexp(scores, axis=1) - scores[np.arange(len(X)), labels])).sum())
    assert entropy == pytest.approx((shares[:, None] * entr(alpha)).sum())


def test_sweeps_of_two_classes_reach_the_maximum():
    X, labels, orders, _ = random_problem(2)
    shares = np.random.default_rng(0).uniform(0.2, 2.0, len(X))
    g, unit, signs = np.hstack([np.ones((len(X), 1)), X]), 1 / (0.05 * len(X)), 2.0 * labels - 1.0
    beta, v = np.zeros(len(X)), np.zeros((X.shape[1] + 1, 1))
    rows = Rows(X, labels, 2, shares)
    for order in orders:
        rows.max_ent_sweep(order, unit, beta, v)
    np.testing.assert_allclose(v[:, 0], 2 * unit * g.T @ (shares * signs * beta), atol=1e-10)
    scores = g @ v[:, 0]
    loss, entropy = rows.max_ent_measure(beta, v)
    assert loss == pytest.approx((shares * np.logaddexp(0.0, -signs * scores)).sum())
    assert entropy == pytest.approx((shares * (entr(beta) + entr(1 - beta))).sum())


def test_the_step_of_two_classes_solves_its_equation():
    rng = np.random.default_rng(0)
    for _ in range(300):
        margin, curvature = 10 * rng.normal(), 10 ** rng.uniform(-3, 3)
        beta = rng.random() if rng.random() < 0.8 else float(rng.random() < 0.5)
        log_odds = brentq(lambda t: t + margin + curvature * (expit(t) - beta), -3000, 3000)  # noqa: B023
        moved = max_ent_sweeps._two_class_step(margin, beta, curvature)
        assert moved == pytest.approx(expit(log_odds), abs=0.02 * abs(expit(-margin) - beta) + 1e-3)
