"""Exercise 1.4: five points on a line that no threshold separates, so that every round moves the weights."""

import numpy as np
import pytest

POINTS = np.array([[-2.0], [2.0], [1.0], [-3.0], [-1.0]])
LABELS = [1, 1, 0, 1, 1]


def lists_of_rounds(lab, X, y, **settings):
    """The weights after each round, and their averages."""
    (((weights, averages),),) = lab.each_made("perceptron", "Perceptron", "weights_of_rounds", [(settings, X, y)])
    return weights, averages


def of_class_1(matrices):
    """Of each matrix the column of class 1: its intercept and its weight."""
    return [np.asarray(W)[:, 1] for W in matrices]


SMALL_POINTS = [  # points of a line and their classes; no threshold separates them
    ([1, 1], [0, 1]),
    ([1, 2], [1, 0]),
    ([1, 1, -1], [0, 1, 1]),
    ([2, -1, 1], [1, 1, 0]),
    ([1, -1, 2], [0, 1, 2]),
    ([1, 1, 2, -1], [1, 0, 1, 1]),
]


def small_inputs():
    """Few points and few rounds; asked for is one of the two lists."""
    for points, classes in SMALL_POINTS:
        for rounds in (1, 2, 3):
            for asked in ("weights_after", "averages_after"):
                if len(set(classes)) > 1:
                    yield {"points x": points, "classes": classes, "rounds": rounds, "asked for": asked}


def small_answers(lab, inputs):
    """The matrices in one of the lists; the points are visited in their order, in one training for both lists."""
    calls = {}
    for given in inputs:
        settings = {"nr_rounds": given["rounds"], "order": list(range(len(given["points x"])))}
        calls[training_of(given)] = (settings, np.array(given["points x"], dtype=float)[:, None], given["classes"])
    trained = lab.each_made("perceptron", "Perceptron", "weights_of_rounds", calls.values())
    found = {key: lists for key, (lists,) in zip(calls, trained, strict=True)}
    return [found[training_of(given)][given["asked for"] == "averages_after"] for given in inputs]


def small_parts(given, answer):
    """The two lists."""
    yield f"`{given['asked for']}`", answer


def training_of(given):
    """What tells one training from another."""
    return repr((given["points x"], given["classes"], given["rounds"]))


def test_weights(lab, expect):
    """The weights at the end of each of five rounds."""
    weights, _ = lists_of_rounds(lab, POINTS, LABELS, nr_rounds=5, order=[0, 1, 2, 3, 4])
    expect("weights_after, of each matrix the column of class 1", of_class_1(weights))


def test_averages(lab, expect):
    """The averages so far, at the end of each of five rounds."""
    _, averages = lists_of_rounds(lab, POINTS, LABELS, nr_rounds=5, order=[0, 1, 2, 3, 4])
    expect("averages_after, of each matrix the column of class 1", of_class_1(averages))


def test_whole_matrices(lab, expect):
    """Whole matrices (J + 1, K) are kept, for three classes too."""
    X, y = [[-2.0, -2.0], [2.0, 2.0], [-1.0, -1.0], [2.0, 0.0], [-1.0, 2.0]], [1, 1, 0, 0, 2]
    weights, averages = lists_of_rounds(lab, X, y, nr_rounds=5, order=[3, 0, 1, 4, 2])
    expect("the shape of all matrices in weights_after: rounds, J + 1, K", np.shape(weights))
    expect("the matrix of round 4 in weights_after", weights[3])
    expect("the matrix of round 4 in averages_after", averages[3])


@pytest.mark.hidden
def random_points(rng, n_classes):
    """Points of the plane that nothing separates: the labels are random."""
    return rng.normal(size=(20, 2)), rng.permutation(np.arange(20) % n_classes)


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3])
def test_random_points(lab, expect, rng, n_classes):
    """Random points, in the order that the perceptron shuffles them into."""
    X, y = random_points(rng, n_classes)
    weights, averages = lists_of_rounds(lab, X, y, nr_rounds=6, seed=int(rng.integers(1000)))
    expect("how many matrices are kept", [len(weights), len(averages)])
    for number, (W, average) in enumerate(zip(weights, averages, strict=True), start=1):
        expect(f"the weights after round {number}", W)
        expect(f"the average after round {number}", average)


@pytest.mark.hidden
def test_rounds_without_a_mistake(lab, expect, rng):
    """Random points that a line separates: rounds that change nothing have their entries too."""
    y = rng.permutation(np.arange(12) % 2)
    X = rng.normal(size=(12, 2)) * [0.5, 1.0] + np.outer(2 * y - 1, [3.0, 0.0])
    weights, averages = lists_of_rounds(lab, X, y, nr_rounds=8, order=list(range(12)))
    expect("the intercepts after each round", [W[0] for W in weights])
    expect("the average intercepts after each round", [W[0] for W in averages])


@pytest.mark.hidden
def test_the_last_average_is_what_training_returns(lab, expect, rng):
    """The last average is what training returns, and the last weights are those without averaging."""
    X, y = random_points(rng, 3)
    weights, averages = lists_of_rounds(lab, X, y, nr_rounds=5)
    expect("the intercepts after each round", [W[0] for W in weights])
    expect("the average intercepts after each round", [W[0] for W in averages])
    calls = [({"nr_rounds": 5}, X, y), ({"nr_rounds": 5, "averaged": False}, X, y)]
    (averaged,), (last,) = lab.each_made("perceptron", "Perceptron", "train", calls)
    assert np.allclose(averages[-1], averaged)
    assert np.allclose(weights[-1], last)
