"""The running sum compared with the sum written out, and with the learner that computes it in machine code."""

import numpy as np
import pytest

from classifiers.perceptron import Perceptron, perceptron_rule
from classifiers.running_average import averaged_perceptron


def every_W(X, labels, order):
    """Return the W after each step, (T, J + 1, K), and the change of each step."""
    G = np.hstack([np.ones((len(X), 1)), X])
    W, after_each, changes = np.zeros((G.shape[1], labels.max() + 1)), [], []
    for m in order:
        changes.append(np.outer(G[m], perceptron_rule(G[m] @ W, labels[m], 1.0, 1.0, None)))
        W = W + changes[-1]
        after_each.append(W)
    return np.array(after_each), np.array(changes)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("n_steps", [1, 2, 17, 90])
def test_the_mean_matches_its_definition(n_classes, n_steps):
    rng = np.random.default_rng(n_classes)
    X, labels = rng.normal(size=(30, 4)), rng.permutation(np.arange(30) % n_classes)
    order = rng.integers(0, 30, size=n_steps)
    matrices, changes = every_W(X, labels, order)
    average, U = averaged_perceptron(X, labels, order)
    np.testing.assert_allclose(average, matrices.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(U, np.tensordot(np.arange(n_steps), changes, axes=1), atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_learner_does_the_same(n_classes):
    rng = np.random.default_rng(n_classes)
    X, labels = rng.normal(size=(40, 3)), rng.permutation(np.arange(40) % n_classes)
    orders = np.array([rng.permutation(40) for _ in range(5)])
    learnt = Perceptron(nr_rounds=5, order=orders, averaged="steps").train(X, labels)
    np.testing.assert_allclose(averaged_perceptron(X, labels, orders.ravel())[0], learnt, atol=1e-9)


def test_a_step_without_a_mistake_counts():
    """Four visits to one point: after one mistake all answers are right, and every matrix is the same."""
    average, U = averaged_perceptron([[3.0], [0.0]], [1, 0], [0, 0, 0, 0])
    np.testing.assert_array_equal(average, [[-1, 1], [-3, 3]])
    np.testing.assert_array_equal(U, np.zeros((2, 2)))
