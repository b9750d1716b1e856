import numpy as np
import pytest

from classifiers.perceptron import Perceptron, perceptron_rule

pytestmark = pytest.mark.bits


def test_the_first_steps_of_a_small_example():
    # All scores start at 0, and ties go to class 0: the first example of class 1 is a mistake, the rest is not.
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1])
    plain = Perceptron(nr_rounds=1, order=[0, 1], averaged=False)
    np.testing.assert_array_equal(plain.train(X, y), [[-1, 1], [0, 0], [-1, 1]])
    averaged = Perceptron(nr_rounds=1, order=[0, 1])
    np.testing.assert_array_equal(averaged.train(X, y), [[-0.5, 0.5], [0, 0], [-0.5, 0.5]])


def test_after_a_single_step_the_average_is_that_step():
    # Read literally, the indices printed in the guide would average the weights before each step: zero.
    X, y = np.array([[3.0], [1.0]]), np.array([1, 0])
    one_step = Perceptron(nr_rounds=1, order=[0, 1])
    params = one_step.train(X, y)
    first, second = np.array([[-1, 1], [-3, 3]]), np.array([[0, 0], [-2, 2]])
    np.testing.assert_array_equal(params, (first + second) / 2)


def test_right_predictions_change_nothing():
    scores = np.array([0.0, 2.0, 1.0])
    np.testing.assert_array_equal(perceptron_rule(scores, 1, 5.0, 1.0, np.zeros(3)), 0)
    np.testing.assert_array_equal(perceptron_rule(scores, 2, 5.0, 1.0, np.zeros(3)), [0, -1, 1])


def test_the_weights_of_each_round_match_a_run_that_ends_there():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), rng.permutation(np.arange(30) % 3)
    weights_after, averages_after = Perceptron(nr_rounds=4).weights_of_rounds(X, y)
    assert len(weights_after) == len(averages_after) == 4
    for nr_rounds, (weights, average) in enumerate(zip(weights_after, averages_after, strict=True), start=1):
        np.testing.assert_array_equal(weights, Perceptron(nr_rounds=nr_rounds, averaged=False).train(X, y))
        np.testing.assert_allclose(average, Perceptron(nr_rounds=nr_rounds).train(X, y), atol=1e-12)


def test_the_rounds_may_be_given_without_their_name():
    assert Perceptron(4).nr_rounds == 4 and Perceptron().nr_rounds == 10
