"""The stochastic subgradient method, its settings, and the code that both solvers of the SVM share."""

import numpy as np
import pytest
from sklearn.metrics import hinge_loss as sklearn_hinge_loss

from classifiers.svm import SVM, svm_rule
from tests.made_data import random_problem

pytestmark = pytest.mark.bits


def test_the_rule_uses_the_class_that_violates_the_margin_most():
    rng = np.random.default_rng(8)
    for _ in range(200):
        n_classes = rng.integers(2, 8)
        scores, cost = rng.normal(size=n_classes), rng.uniform(0, 3, n_classes)
        label = rng.integers(n_classes)
        cost[label] = 0.0
        # d/step is minus the subgradient: the loss, linear around the scores, falls by step ‖d/step‖².
        worst = max(range(n_classes), key=lambda k: scores[k] + cost[k])
        expected = np.zeros(n_classes)
        if scores[worst] + cost[worst] > scores[label]:
            expected[label], expected[worst] = 0.25, -0.25
        np.testing.assert_array_equal(svm_rule(scores, label, 3.0, 0.25, cost), expected)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_objective_is_the_mean_hinge_loss_plus_the_penalty(n_classes):
    X, labels, _, costs = random_problem(n_classes)
    svm = SVM(regularizer=0.3, track_objective=True)
    params = svm.train(X, labels)
    scores = X @ params[1:] + params[0]
    decision = scores[:, 1] - scores[:, 0] if n_classes == 2 else scores
    expected = sklearn_hinge_loss(labels, decision) + 0.15 * (params**2).sum()
    assert svm.objective(X, labels, params) == pytest.approx(expected)
    assert svm.history[-1].objective == pytest.approx(expected)

    with_costs = SVM(regularizer=0.3, cost=costs)
    with_costs.train(X, labels)
    losses = [max(scores[m, k] + costs[k, y] - scores[m, y] for k in range(n_classes)) for m, y in enumerate(labels)]
    assert with_costs.objective(X, labels, params) == pytest.approx(np.mean(losses) + 0.15 * (params**2).sum())
