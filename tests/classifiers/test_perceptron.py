import numpy as np

from classifiers.perceptron import Perceptron, perceptron_rule


def test_the_first_steps_by_hand():
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


def test_separable_data_end_in_rounds_without_mistakes():
    rng = np.random.default_rng(0)
    X, separator = rng.normal(size=(200, 5)), rng.normal(size=(5, 3))
    scores = np.sort(X @ separator, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > 0.5]  # a margin
    y = np.argmax(X @ separator, axis=1)
    perceptron = Perceptron(nr_rounds=200, averaged=False)
    params = perceptron.train(X, y)
    assert perceptron.history[-1].updates == 0
    assert perceptron.evaluate(y, perceptron.test(X, params)) == 1.0
