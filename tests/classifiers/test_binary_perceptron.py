import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifiers import BinaryPerceptron, Perceptron
from lxmls_day1.base.errors import InputError
from tests.wording import wording

pytestmark = pytest.mark.bits


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
def test_the_multi_class_perceptron_with_two_classes_finds_the_same_weights(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.integers(-4, 5, (30, 3)).astype(float), rng.integers(0, 2, 30)
    labels[:2] = [0, 1]
    binary = BinaryPerceptron(max_rounds=7)
    params = binary.train(X, labels)
    rounds = len(binary.history)
    multi = Perceptron(nr_rounds=rounds, order=np.arange(30), averaged=False)
    np.testing.assert_array_equal(params, multi.train(X, labels))
    assert [record.updates for record in binary.history] == [record.updates for record in multi.history]


@pytest.mark.parametrize(
    ("negative", "positive"), [(-1, 1), (0, 1), (3, 7), ("bad", "good"), (False, True), (-0.5, 0.5)]
)
def test_any_two_labels_the_lower_of_which_is_negative(negative, positive):
    X, y = [[2.0], [1.5], [-1.0], [-4.0]], [positive, positive, negative, negative]
    perceptron = BinaryPerceptron()
    params = perceptron.train(X, y)
    assert perceptron.converged and perceptron.classes.tolist() == [negative, positive]
    assert perceptron.test(X, params).tolist() == y
    assert perceptron.weights[1] > 0  # The higher label is on the side of high x.


def test_it_stops_after_the_first_pass_without_a_mistake():
    # w = 0 predicts negative for x = 1, a mistake. Then w = (1, 1) predicts negative for −3, and the second pass has no mistakes.
    perceptron = BinaryPerceptron()
    perceptron.train([[1.0], [-3.0]], [1, -1])
    assert [record.updates for record in perceptron.history] == [1, 0]
    assert [record.number for record in perceptron.history] == [1, 2]
    assert perceptron.converged and perceptron.weights.tolist() == [1.0, 1.0]


def test_the_bias_feature_lets_the_origin_be_positive():
    perceptron = BinaryPerceptron()
    params = perceptron.train([[0.0], [1.0]], [1, -1])
    assert perceptron.converged and perceptron.test([[0.0]], params) == [1]


def test_data_that_no_line_parts_end_with_the_last_round():
    X, y = [[0.0], [1.0], [2.0]], [1, -1, 1]
    perceptron = BinaryPerceptron(max_rounds=25)
    perceptron.train(X, y)
    assert not perceptron.converged and len(perceptron.history) == 25
    perceptron.train(X[:2], y[:2])  # A second training starts from zero.
    assert perceptron.converged and perceptron.nr_updates == sum(record.updates for record in perceptron.history)


def test_more_than_two_classes_are_refused():
    with pytest.raises(InputError, match=wording("classifiers.separates_two_classes_data")):
        BinaryPerceptron().train([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    with pytest.raises(InputError, match=wording("classifiers.has_use_perceptron")):
        BinaryPerceptron().train(np.eye(30), np.arange(30))
