"""The weights with their average, and the reasons why a rule cannot be compiled. Training itself is tested with the learners."""

import functools
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from classifiers import OnlineClassifier, Perceptron, StructuredClassifier, compiled
from lxmls_day1.engine.kernels.machine_code import cached_jit
from lxmls_day1.engine.kernels.row_steps import Weights
from tests.wording import wording

pytestmark = pytest.mark.bits

compiled_helper = cached_jit()(Perceptron.rule)


def of_a_dictionary(scores, label, sq_norm, step, cost):
    by_name = dict(scores=scores, anything=[label, "label"])  # this line
    return compiled_helper(by_name["scores"], by_name["anything"][0], sq_norm, step, cost)


def of_an_unknown_name(scores, label, sq_norm, step, cost):  # this line
    if step < 0:
        scores = undefined_name  # noqa: F821
    return compiled_helper(scores, label, sq_norm, step, cost)


def of_an_unknown_numpy_function(scores, label, sq_norm, step, cost):
    predicted = np.ravel_multi_index((np.argmax(scores),), scores.shape)  # this line
    d = np.zeros(len(scores))
    d[predicted] -= step
    d[label] += step
    return d


def that_names_its_exception(scores, label, sq_norm, step, cost):
    try:
        return compiled_helper(scores, label, sq_norm, step, cost)
    except IndexError as error:  # this line
        raise error


FAULTY = {
    of_a_dictionary: "No implementation of dict\\(.*Unsupported use of `dict\\(\\)`",
    of_an_unknown_name: "NameError: name 'undefined_name' is not defined",
    of_an_unknown_numpy_function: "unsupported NumPy function 'numpy.ravel_multi_index'",
    that_names_its_exception: "Exception object cannot be stored into variable",
}


def line_of_the_fault(rule):
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    first = rule.__code__.co_firstlineno
    return next(n for n, line in enumerate(lines[first - 1 :], start=first) if line.endswith("# this line"))


def train_flat(rule):
    learner = type("Learner", (OnlineClassifier,), {"rule": staticmethod(rule)})(nr_rounds=2)
    X = np.random.default_rng(0).normal(size=(8, 2))
    return learner.train(X, np.arange(8) % 2)


def train_structured(rule):
    learner = type("Tagger", (StructuredClassifier,), {"rule": staticmethod(rule)})(nr_rounds=2, templates=["word"])
    return learner.train([["I", "saw"], ["a", "saw"]], [["PRON", "VERB"], ["DET", "NOUN"]])


@pytest.mark.slow
@pytest.mark.parametrize("train", [train_flat, train_structured])
@pytest.mark.parametrize("rule", FAULTY, ids=lambda rule: rule.__name__)
def test_a_rule_that_cannot_be_compiled_runs_as_python_with_a_warning(rule, train):
    marked = functools.update_wrapper(type(rule)(rule.__code__, rule.__globals__, rule.__name__), rule)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        params = train(compiled(marked))
    (warning,) = [warning for warning in caught if "could not be compiled" in str(warning.message)]
    message = str(warning.message)
    assert message.startswith(wording("engine.could_compiled_runs_plain", rule.__name__))
    assert re.search(FAULTY[rule], message), message
    assert message.endswith(f"(test_row_steps.py, line {line_of_the_fault(rule)})")
    assert "During: Pass" not in message and "\n" not in message
    assert warning.filename == __file__  # The file that called train.
    np.testing.assert_allclose(params, train(Perceptron.rule), rtol=0, atol=1e-12)


def test_a_part_reuses_the_arrays_of_the_last_part_if_they_fit():
    weights = Weights(3, 2, averaged=True, paired=True)
    weights.V[:, 0], weights.state[:] = [1.0, 2.0, 3.0], [0.5, 7.0]
    first = weights.copy_for_part()
    first.add(np.array([0, 2]), np.array([1.0, 4.0]), shrink=0.5)
    first.add(np.array([1]), np.array([1.0]), shrink=0.5)
    again, new = weights.copy_for_part(first), weights.copy_for_part()
    assert again.V is first.V and again.U is first.U and new.V is not first.V
    for mine, expected in zip((again.V, again.U, again.state), (new.V, new.U, new.state), strict=True):
        np.testing.assert_array_equal(mine, expected)
    weights.unpair()
    assert weights.copy_for_part(first).V.shape == (3, 2)


@pytest.mark.parametrize("averaged", [True, False])
def test_scaled_weights_match_their_matrices(averaged):
    """The factors include 0, a negative factor, and factors that would leave the range of the scale."""
    rng = np.random.default_rng(0)
    weights, W, every_W = Weights(4, 3, averaged), np.zeros(12), []
    for shrink in (1.0, 0.5, 1e-7, 0.9, 0.0, 1.0, -2.0, 1e6, 1.0):
        entries, change = rng.permutation(12)[:5], rng.normal(size=5)
        W = shrink * W
        W[entries] += change
        every_W.append(W)
        assert weights.add(entries, change, shrink)
    np.testing.assert_allclose(weights.current(), W.reshape(4, 3), rtol=1e-12)
    expected = np.mean(every_W, axis=0) if averaged else W
    np.testing.assert_allclose(weights.result(), expected.reshape(4, 3), rtol=1e-9)
    assert not weights.add(np.empty(0, int), np.empty(0), 1.0)


def test_weights_of_two_classes_continue_as_two_columns():
    weights = Weights(3, 2, averaged=True, paired=True)
    weights.V[:, 0] = [1.0, 2.0, 3.0]
    before = weights.current()
    weights.unpair()
    assert weights.V.shape == weights.U.shape == (3, 2)
    np.testing.assert_array_equal(weights.current(), before)
    np.testing.assert_array_equal(before, [[-1, 1], [-2, 2], [-3, 3]])
