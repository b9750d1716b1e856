import numpy as np
import pytest

from classifiers import Mira, Perceptron
from classifiers.large.parameter_mixing import mixed, train_in_parts


@pytest.fixture
def points():
    rng = np.random.default_rng(4)
    labels = np.arange(41) % 3
    return rng.normal(size=(41, 4)) + np.eye(3)[labels] @ rng.normal(size=(3, 4)), labels


@pytest.mark.parametrize("n_parts", [1, 2, 5])
@pytest.mark.parametrize("learner", [Perceptron, Mira])
def test_mixing_matches_learners_with_several_jobs(points, n_parts, learner):
    X, labels = points
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(len(X)) for _ in range(3)])
    found = train_in_parts(learner.rule, X, labels, [np.array_split(order, n_parts) for order in orders])
    for averaged, params in (("steps", found.average), (False, found.weights)):
        expected = learner(nr_rounds=3, order=orders, n_jobs=n_parts, averaged=averaged).train(X, labels)
        np.testing.assert_allclose(params, expected, atol=1e-9)


def test_an_idle_part_changes_nothing(points):
    X, labels = points
    order = np.arange(41)
    alone = train_in_parts(Perceptron.rule, X, labels, [[order]])
    beside = train_in_parts(Perceptron.rule, X, labels, [[order, np.arange(0)]])
    np.testing.assert_allclose(beside.average, alone.average, atol=1e-9)
    np.testing.assert_allclose(beside.weights, alone.weights, atol=1e-9)


def test_mixing_does_not_change_its_arguments():
    weights, sums = np.ones((2, 3, 2)), np.ones((2, 3, 2))
    mixed(weights, sums, np.array([1, 2]), np.array([0.5, 0.5]))
    assert (weights == 1).all() and (sums == 1).all()
