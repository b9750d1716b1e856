import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from classifiers.binary_perceptron import BinaryPerceptron, one_pass
from classifiers.perceptron import Perceptron
from lxmls_day1.errors import InputError

pytestmark = pytest.mark.bits


def as_the_notes_print_it(X, signs, max_rounds, order):
    """The pseudo-code of the notes, dense, with the bias feature in front; returns w, the mistakes of each pass."""
    g = [[1.0, *x] for x in X]
    w, mistakes = [0.0] * len(g[0]), []
    while len(mistakes) < max_rounds:
        num_wrong = 0
        for i in order:
            dot = sum(a * b for a, b in zip(g[i], w, strict=True))
            guess = 1 if dot > 0 else -1
            if guess == signs[i]:
                continue
            num_wrong += 1
            for j in range(len(w)):
                w[j] += signs[i] * g[i][j]
        mistakes.append(num_wrong)
        if num_wrong == 0:
            break
    return np.array(w), mistakes


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(2, 25), st.integers(1, 4), st.booleans())
def test_it_is_the_algorithm_of_the_notes(seed, n_examples, n_features, sparse):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n_examples, n_features)).astype(float)  # whole numbers: sums are exact, and ties common
    signs = rng.choice([-1, 1], n_examples)
    signs[:2] = [-1, 1]
    order = rng.permutation(n_examples)
    w, mistakes = as_the_notes_print_it(X.tolist(), signs, 30, order)
    perceptron = BinaryPerceptron(max_rounds=30, order=order)
    params = perceptron.train(sp.csr_array(X) if sparse else X, signs)
    np.testing.assert_array_equal(perceptron.weights, w)
    np.testing.assert_array_equal(params, np.column_stack([-w, w]))
    assert [record.updates for record in perceptron.history] == mistakes
    assert perceptron.nr_updates == sum(mistakes)
    assert perceptron.converged == (mistakes[-1] == 0)
    guesses = np.where(w[0] + X @ w[1:] > 0, 1, -1)
    np.testing.assert_array_equal(perceptron.test(X, params), guesses)  # sign(0) is −1, here too
    if perceptron.converged:
        np.testing.assert_array_equal(guesses, signs)


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


def test_compiled_and_plain_pass_are_the_same():
    rng = np.random.default_rng(0)
    X, signs = sp.random_array((40, 12), density=0.3, rng=rng, format="csr"), rng.choice([-1.0, 1.0], 40)
    perceptron = BinaryPerceptron(max_rounds=3)
    perceptron.train(X, signs)
    w = np.zeros(13)
    mistakes = [one_pass(X.indptr, X.indices, X.data, signs, np.arange(40), w) for _ in range(len(perceptron.history))]
    assert mistakes == [record.updates for record in perceptron.history]
    np.testing.assert_allclose(perceptron.weights, w, atol=1e-12)


@pytest.mark.parametrize(
    ("negative", "positive"), [(-1, 1), (0, 1), (3, 7), ("bad", "good"), (False, True), (-0.5, 0.5)]
)
def test_any_two_labels_the_lower_of_which_is_negative(negative, positive):
    X, y = [[2.0], [1.5], [-1.0], [-4.0]], [positive, positive, negative, negative]
    perceptron = BinaryPerceptron()
    params = perceptron.train(X, y)
    assert perceptron.converged and perceptron.classes.tolist() == [negative, positive]
    assert perceptron.test(X, params).tolist() == y
    assert perceptron.weights[1] > 0  # the higher label is on the side of high x


def test_it_stops_after_the_first_pass_without_a_mistake():
    # w = 0 calls x = 1 negative: a mistake, w = (1, 1), which calls −3 negative. The second pass finds nothing wrong.
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
    perceptron.train(X[:2], y[:2])  # a second training starts afresh
    assert perceptron.converged and perceptron.nr_updates == sum(record.updates for record in perceptron.history)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"max_rounds": 0}, "max_rounds must be a whole number at least 1"),
        ({"order": [0, 1]}, r"each of the example numbers 0 … 2 once, but has the shape \(2,\)"),
        ({"order": [0, 1, 1]}, "once"),
        ({"order": [0.0, 1.0, 2.0]}, "once"),
    ],
)
def test_settings_that_make_no_sense(settings, says):
    with pytest.raises(InputError, match=says):
        BinaryPerceptron(**settings).train([[0.0], [1.0], [2.0]], [0, 0, 1])


def test_more_than_two_classes_are_refused():
    with pytest.raises(InputError, match=r"parts two classes, but the data has 3: 'a', 'b', 'c'; use Perceptron"):
        BinaryPerceptron().train([[0.0], [1.0], [2.0]], ["a", "b", "c"])
