"""Exercise 1.11: the slack feature, the update of iterative scaling, and the moments that meet in the end."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from lxmls_day1.lab_api import results

# (1, x, slack) of five documents of two words; each row sums to 4.
DOCUMENTS = np.array([[1.0, 2, 1, 0], [1, 1, 0, 2], [1, 0, 3, 0], [1, 1, 2, 0], [1, 0, 1, 2]])
LABELS = np.array([0, 0, 1, 1, 1])
SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {
    "with_slack": {"(1, x, slack)": "(M, J + 2)", "V": ""},
    "scaling_update": {"the new weights": "like the old ones"},
}
TOLD_AS = "(1, x, slack) of each row, then V; or the new weights"


def scaled(lab, features, labels, n_classes, n_iterations):
    """Return weights after some iterations, E_model there, and E_emp; all rows of the features (1, x, slack) have the same sum."""
    empirical, total = features.T @ np.eye(n_classes)[labels] / len(features), float(features[0].sum())
    weights = np.zeros(empirical.shape)
    for _ in range(n_iterations):
        expected = moments(features, weights)
        new = lab.function("iterative_scaling", "scaling_update", weights, empirical, expected, total)
        weights = np.reshape(new, weights.shape)
    return weights, moments(features, weights), empirical


def moments(features, weights):
    """Return E_model at these weights."""
    scores = features @ weights
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return features.T @ (p / p.sum(axis=1, keepdims=True)) / len(features)


def small_inputs():
    """Yield examples with one to three features, and updates of one to three weights."""
    for X in (
        [[1]],
        [[1], [0]],
        [[2], [1]],
        [[1, 2]],
        [[2, 3], [1, 0]],
        [[0, 1], [3, 2]],
        [[0.5, 1], [2, 2]],
        [[0.5, 1], [0, 0.25]],
        [[1.75, 0], [1, 0.5]],
        [[4, 0], [1, 1]],
    ):
        yield {"X": X, "X is": "an array"}
    for X in ([[1], [0], [3]], [[2, 3], [1, 0], [0.5, 1.5]], [[3, 0, 1], [1, 1, 0]], [[1, 2, 0], [0, 4, 1], [2, 2, 2]]):
        yield {"X": X, "X is": "an array"}
    for X in ([[1]], [[1], [0]], [[1, 2]], [[0, 1], [3, 2]], [[2, 3], [1, 0], [0.5, 1.5]]):
        yield {"X": X, "X is": "a csr_array"}
    shares = [([0.5], [0.25]), ([0.5], [0.5]), ([0.25], [0.5]), ([1], [0.5]), ([2], [0.5]), ([0.5, 0.25], [0.25, 0.25])]
    shares += [([0.5, 0.5], [0.25, 0.5]), ([1.5, 0.5], [1, 1]), ([0.75, 0.25, 2], [0.25, 0.5, 1])]
    for (empirical, expected), total, first in itertools.product(shares, [1, 2, 3, 5], [0, 1, -0.5]):
        weights = [first, 2, 0.5][: len(empirical)]
        yield {"weights": weights, "E_emp": empirical, "E_model": expected, "V": total}


def small_answers(lab, inputs):
    """Return (1, x, slack) of each example and V; or the new weights."""
    tables = [(_made(i["X"], i["X is"]),) for i in inputs if "X" in i]
    updates = [
        (*(np.array(i[name], float) for name in ("weights", "E_emp", "E_model")), float(i["V"]))
        for i in inputs
        if "V" in i
    ]
    slack = iter(lab.each("iterative_scaling", "with_slack", tables) if tables else [])
    new = iter(lab.each("iterative_scaling", "scaling_update", updates) if updates else [])
    return [_flat(*results(next(slack), "the features", "V")) if "X" in i else next(new) for i in inputs]


def _made(X, kind):
    return sp.csr_array(np.array(X, float)) if kind == "a csr_array" else np.array(X, float)


def _flat(features, total):
    features = features.toarray() if sp.issparse(features) else features
    return features if isinstance(features, str) else [*np.ravel(features), total]


def small_properties(given, answer):
    """Yield the violated properties of a table of features and V, or of new weights."""
    if "X" in given:
        rows = np.reshape(answer[:-1], (len(given["X"]), -1))
        if rows.min() < 0:
            yield "negative_slack", "A slack is negative. Iterative scaling does not allow negative features."
        if np.abs(rows.sum(axis=1) - answer[-1]).max() > 1e-4:
            yield "sums_not_v", "The features of an example, the 1 and the slack included, do not sum to V."
        return
    moved = np.subtract(answer, given["weights"])
    if np.any(np.abs(moved[np.equal(given["E_emp"], given["E_model"])]) > 1e-5):
        yield "no_rest", "A weight moves although the data show its feature exactly as often as the model expects it."
    elif np.any(moved * np.subtract(given["E_emp"], given["E_model"]) < 0):
        yield (
            "wrong_way",
            "A weight goes down although the data show its feature more often than the model expects, or the other way round.",
        )


def small_parts(given, answer):
    """Yield the features with the slack, and V; or the new weights."""
    if "X" in given:
        features = answer[:-1].reshape(len(given["X"]), -1)
        yield "1 and x", features[:, :-1]
        yield "the slack", features[:, -1]
        yield "V", answer[-1]
    else:
        yield "the new weights", answer


def small_terms(given, answer, right):
    """Yield terms for formulas of the slack and V, or of the change of the weights."""
    if "X" in given:
        X = np.array(given["X"], float)
        rows, slack = (np.reshape(its[:-1], (len(X), -1)) for its in (answer, right))
        sums = {"the right V": right[-1], "the largest x_j": X.max(axis=1), "1": 1.0}
        sizes = {"the number of features": X.shape[1], "the number of examples": len(X)}
        yield "the slack", rows[:, -1], {"V": answer[-1]} | sums
        sizes |= {"the mean of the sums": (right[-1] - slack[:, -1]).mean(), "1": 1.0}
        yield "V", answer[-1], {"the largest number": X.max()} | sizes
    else:
        names = {"w": "weights", "E_emp": "E_emp", "E_model": "E_model", "V": "V"}
        terms = {word: np.array(given[name], float) for word, name in names.items()}
        terms |= {f"log {word}": np.log(terms[word]) for word in ("E_emp", "E_model")}
        yield "the new weight minus w", answer - terms["w"], terms


def test_slack(lab, expect):
    """The slack feature of three examples"""
    X = np.array([[2.0, 3.0], [1.0, 0.0], [0.5, 1.5]])
    features, total = lab.function("iterative_scaling", "with_slack", X)
    expect("(1, x, slack) of the examples (2, 3), (1, 0) and (0.5, 1.5)", features, **SINGLE)
    expect("V", total, **SINGLE)
    features, _ = lab.function("iterative_scaling", "with_slack", sp.csr_array(X))
    expect("(1, x, slack) of the same examples as a csr_array", features, **SINGLE)


def test_update(lab, expect):
    """One update of four weights"""
    weights, empirical = np.array([0.5, -1.0, 2.0, 0.25]), np.array([0.5, 0.25, 0.75, 1.5])
    expected = np.array([0.25, 0.5, 0.75, 1.0])
    new = lab.function("iterative_scaling", "scaling_update", weights, empirical, expected, 3.0)
    expect("0.5, −1, 2, 0.25 after an update with E_emp/E_model = 2, 1/2, 1, 3/2 and V = 3", new, **SINGLE)


def test_three_iterations(lab, expect):
    """Three iterations on five documents of two words"""
    weights, *_ = scaled(lab, DOCUMENTS, LABELS, 2, 3)
    expect("the weights of 1, two words and slack for two classes", weights, **SINGLE)


def test_moments_meet(lab, expect):
    """The moments meet: E_model = E_emp"""
    # Seven documents of one word each, so that V is 2 without a slack; each word is seen with both classes.
    words = np.array([[1.0, 1.0, 0.0]] * 3 + [[1.0, 0.0, 1.0]] * 4)
    _, expected, empirical = scaled(lab, words, np.array([0, 0, 1, 0, 1, 1, 1]), 2, 12)
    expect("E_model after twelve iterations", expected, rtol=1e-4)
    assert np.allclose(expected, empirical, atol=0.01), "the expectations of the model differ from those of the data"


@pytest.mark.hidden
def test_random_slack(lab, expect, rng):
    """The slack feature of random examples"""
    X = rng.gamma(1.0, size=(6, 3))
    for kind, given in (("an array", X), ("sparse", X * (X > 0.5))):
        given = given[
            np.roll(np.argsort(given.sum(axis=1)), 3)
        ]  # The longest example is neither the first nor the last.
        given = sp.csr_array(given) if kind == "sparse" else given
        features, total = lab.function("iterative_scaling", "with_slack", given)
        expect(f"(1, x, slack), where X is {kind}", features, **SINGLE)
        expect(f"V, where X is {kind}", total, **SINGLE)


@pytest.mark.hidden
def test_random_update(lab, expect, rng):
    """An update of random weights"""
    empirical, expected = rng.gamma(1.0, size=(2, 3, 2)) + 0.05
    weights, total = rng.normal(size=(3, 2)), rng.uniform(1.5, 9.0)
    expect(
        "the weights",
        lab.function("iterative_scaling", "scaling_update", weights, empirical, expected, total),
        **SINGLE,
    )


@pytest.mark.hidden
def test_an_expectation_of_nothing(lab, expect):
    """A feature that the model expects never, as far as a computer can tell"""
    new = lab.function("iterative_scaling", "scaling_update", np.zeros(2), np.ones(2), np.array([0.0, 1.0]), 2.0)
    expect("the weights", new, **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3])
def test_random_iterations(lab, expect, rng, n_classes):
    """Iterations on random counts"""
    X, labels = rng.poisson(2.0, size=(30, 3)) + 0.1, np.arange(30) % n_classes
    rest = X.sum(axis=1).max() - X.sum(axis=1)
    weights, expected, _ = scaled(lab, np.column_stack([np.ones(30), X, rest]), labels, n_classes, 5)
    expect("the weights after five iterations", weights, **SINGLE)
    expect("E_model after five iterations", expected, **SINGLE)
