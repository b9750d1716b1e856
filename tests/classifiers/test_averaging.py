"""What the four settings of ``averaged`` mean: by hand, by their definition, and where they part."""

import numpy as np
import pytest

from classifiers.column_squishing import ColumnSquishing, squishing_rule
from classifiers.max_ent_online import MaxEntOnline, max_ent_rule
from classifiers.mira import Mira, mira_rule
from classifiers.perceptron import Perceptron, perceptron_rule
from classifiers.svm import SVM, svm_rule

pytestmark = pytest.mark.bits

# Two examples with one feature, x = 2 of class 1 and x = 1 of class 0, visited in this order, twice. The perceptron's
# weights are (−v, v) with v = (intercept, weight); it says 1 where v · (1, x) > 0. After each of the four steps:
#
#   x = 2, class 1   v · g =  0, a mistake   v = ( 1, 2)
#   x = 1, class 0   v · g =  3, a mistake   v = ( 0, 1)      the end of round 1
#   x = 2, class 1   v · g =  2, right       v = ( 0, 1)
#   x = 1, class 0   v · g =  1, a mistake   v = (−1, 0)      the end of round 2
X, LABELS = np.array([[2.0], [1.0]]), np.array([1, 0])
BY_HAND = {
    "steps": [0.0, 1.0],  # (1 + 0 + 0 − 1) / 4 and (2 + 1 + 1 + 0) / 4: the boundary is at x = 0
    "last round": [-0.5, 0.5],  # (0 − 1) / 2 and (1 + 0) / 2: the third and the fourth
    "rounds": [-0.5, 0.5],  # (0 − 1) / 2 and (1 + 0) / 2: at x = 1
    False: [-1.0, 0.0],  # the last v: there is none, all is class 0
}


@pytest.mark.slow
@pytest.mark.parametrize("averaged", BY_HAND)
def test_by_hand(averaged):
    v = np.array(BY_HAND[averaged])
    perceptron = Perceptron(nr_rounds=2, order=[0, 1], averaged=averaged)
    np.testing.assert_allclose(perceptron.train(X, LABELS), np.column_stack([-v, v]), atol=1e-12)
    assert perceptron.nr_updates == 3


def test_the_same_run_gives_classifiers_that_disagree():
    answers = {}
    for averaged in BY_HAND:
        perceptron = Perceptron(nr_rounds=2, order=[0, 1], averaged=averaged)
        answers[averaged] = perceptron.test([[0.5], [2.0]], perceptron.train(X, LABELS)).tolist()
    assert answers == {"steps": [1, 1], "last round": [0, 1], "rounds": [0, 1], False: [0, 0]}


def every_W(rule, X, labels, orders, steps, shrinkage):
    """The W after each step, shape (T, J + 1, K): the loop as it is printed, nothing lazy about it."""
    g = np.hstack([np.ones((len(X), 1)), X])
    costs = 1.0 - np.eye(labels.max() + 1)
    W, after_each = np.zeros((g.shape[1], len(costs))), []
    for t, m in enumerate(orders.ravel()):
        d = rule(g[m] @ W, labels[m], g[m] @ g[m], steps[t], costs[labels[m]])
        W = (1 - steps[t] * shrinkage) * W + np.outer(g[m], d)
        after_each.append(W)
    return np.array(after_each)


LEARNERS = [
    (Perceptron(), perceptron_rule, lambda t: np.ones(len(t)), 0.0),
    (Mira(regularizer=4.0), mira_rule, lambda t: np.full(len(t), 0.25), 0.0),
    (ColumnSquishing(cap=0.25), squishing_rule, lambda t: np.full(len(t), 0.25), 0.0),
    (SVM(regularizer=0.3, alpha=0.8), svm_rule, lambda t: t**-0.8, 0.3),
    (MaxEntOnline(regularizer=0.3, alpha=0.8), max_ent_rule, lambda t: t**-0.8, 0.3),
]


@pytest.mark.parametrize(("learner", "rule", "steps", "shrinkage"), LEARNERS, ids=lambda v: getattr(v, "name", ""))
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_every_learner_averages_as_defined(learner, rule, steps, shrinkage, n_classes):
    rng = np.random.default_rng(n_classes)
    n_examples, n_rounds = 21, 4
    X, labels = rng.normal(size=(n_examples, 5)), np.arange(n_examples) % n_classes
    orders = np.array([rng.permutation(n_examples) for _ in range(n_rounds)])
    matrices = every_W(rule, X, labels, orders, steps(np.arange(1.0, orders.size + 1)), shrinkage)
    ends = matrices[n_examples - 1 :: n_examples]
    assert len(matrices) == n_rounds * n_examples and len(ends) == n_rounds
    learner.nr_rounds, learner.order = n_rounds, orders
    for averaged, expected in [
        ("steps", matrices.mean(axis=0)),
        ("last round", matrices[-n_examples:].mean(axis=0)),
        ("rounds", ends.mean(axis=0)),
        (False, matrices[-1]),
    ]:
        learner.averaged = averaged
        for callback in (None, lambda *_: None):  # all rounds in one go, and one by one
            np.testing.assert_allclose(learner.train(X, labels, callback), expected, rtol=0, atol=1e-9)
