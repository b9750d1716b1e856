"""Passive-aggressive I and II: steps compared with a solver of the problems with slack, and cases in which PA-I equals MIRA."""

import numpy as np
import pytest
from scipy.optimize import minimize

from classifiers.passive_aggressive import PassiveAggressive, PassiveAggressive2, pa1_rule, pa2_rule


@pytest.mark.parametrize("variant", ["I", "II"])
def test_a_step_minimises_change_and_slack(variant):
    rng = np.random.default_rng(0)
    for _ in range(30):
        n_classes = int(rng.integers(2, 5))
        g, W, C = rng.normal(size=3), rng.normal(size=(3, n_classes)), rng.uniform(0.02, 1.0)
        cost = rng.uniform(0.5, 2.0, n_classes)
        cost[0] = 0.0
        scores = g @ W
        rival = 1 + np.argmax((scores + cost)[1:])
        lacking = scores[rival] + cost[rival] - scores[0]

        def price(tau, lacking=lacking, C=C, length=g @ g):  # The change is τ along g for y, and −τ for r.
            slack = max(0.0, lacking - 2 * tau * length)
            return tau**2 * length + C * (slack if variant == "I" else slack**2)

        best = minimize(lambda t: price(t[0]), [0.0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
        d = (pa1_rule if variant == "I" else pa2_rule)(scores, 0, g @ g, C, cost)
        assert d[0] == -d[rival] and np.count_nonzero(d) in (0, 2)
        assert d[0] == pytest.approx(max(0.0, best.x[0]), abs=1e-6)


def test_two_classes_are_the_binary_algorithm_of_the_source():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 4)), rng.integers(0, 2, 40)
    G, C = np.hstack([np.ones((40, 1)), X]), 0.2
    for variant, make in (("I", PassiveAggressive), ("II", PassiveAggressive2)):
        learner = make(cap=C, nr_rounds=2, averaged=False, order=np.arange(40))
        params = learner.train(X, y)
        w = np.zeros(5)  # For W_1 − W_0, the step and C are twice as large.
        for g, sign in zip(np.tile(G, (2, 1)), np.tile(2 * y - 1, 2), strict=True):
            loss = max(0.0, 1 - sign * (g @ w))
            w += sign * g * (min(2 * C, loss / (g @ g)) if variant == "I" else loss / (g @ g + 1 / (4 * C)))
        np.testing.assert_allclose(params[:, 1] - params[:, 0], w, atol=1e-10)
