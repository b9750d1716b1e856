import numpy as np
import pytest
from scipy.optimize import minimize

from classifiers.mira import Mira, mira_rule

pytestmark = pytest.mark.bits


@pytest.mark.parametrize("regularizer", [0.05, 0.5, 5.0])
def test_the_step_solves_the_optimization_problem_of_the_guide(regularizer):
    """Equations 1.23-1.25: least ξ + (λ/2) ‖W' − W‖² with s_y ≥ s_ŷ + 1 − ξ, by a general solver."""
    g, W = np.array([1.0, 2.0, -1.0]), np.array([[0.5, 0.0, -1.0], [0.0, 1.0, 0.0], [0.3, 0.0, 0.2]])
    scores, label = g @ W, 0
    predicted = int(np.argmax(scores))
    assert predicted != label
    change = np.zeros((3, 3))
    change[:, label], change[:, predicted] = g, -g

    def primal(z):
        return z[-1] + regularizer / 2 * (z[:-1] ** 2).sum()

    def margin(z):
        after = g @ (W + z[:-1].reshape(3, 3))
        return after[label] - after[predicted] - 1 + z[-1]

    limits = {"bounds": [(None, None)] * 9 + [(0, None)], "constraints": {"type": "ineq", "fun": margin}}
    solved = minimize(primal, np.zeros(10), **limits, method="SLSQP", options={"ftol": 1e-14})
    d = mira_rule(scores, label, g @ g, 1 / regularizer, 1.0 - np.eye(3)[label])
    np.testing.assert_allclose(np.outer(g, d), solved.x[:-1].reshape(3, 3), atol=1e-6)


def test_the_regularizer_can_be_set_afterwards_as_the_guide_does():
    X, y = [[2.0, 1.0], [-1.0, 0.5], [0.5, -2.0]], [0, 1, 1]
    mira = Mira()
    mira.regularizer = 0.01
    np.testing.assert_array_equal(mira.train(X, y), Mira(regularizer=0.01).train(X, y))
    assert not np.array_equal(mira.train(X, y), Mira(regularizer=10.0).train(X, y))
