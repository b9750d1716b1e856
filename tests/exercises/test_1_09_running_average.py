"""Exercise 1.9: runs of a few steps, short enough to average without a computer."""

import itertools

import numpy as np
import pytest

from lxmls_day1.lab_api import results

# In this order the perceptron makes mistakes only at steps 1, 3 and 5. The weights of class 1 after each step:
# (1, 3), (1, 3), (0, 2), (0, 2), (−1, 1), …
POINTS, LABELS, ORDER = [[3.0], [2.0], [1.0]], [1, 1, 0], [0, 0, 2, 0, 2, 1, 1, 2, 2]

# A solution in single precision meets this tolerance; U is about a hundred times as large as the average.
SINGLE, SINGLE_U = {"rtol": 1e-5, "atol": 1e-5}, {"rtol": 1e-5, "atol": 1e-3}
MUST_RETURN = {"averaged_perceptron": {"the average": "(J + 1, K)", "U": "(J + 1, K)"}}
TOLD_AS = "the average, then U, row by row"


def runs(lab, tasks):
    """Return the averages, and the U, of these points, classes and orders."""
    calls = [tuple(map(np.array, task)) for task in tasks]
    return zip(*lab.each("running_average", "averaged_perceptron", calls), strict=True)


def run(lab, X, labels, order):
    """Return the average and U."""
    (average,), (U,) = runs(lab, [(X, labels, order)])
    return average, U


def small_inputs():
    """Yield runs of a few steps over points on a line, then in the plane and of three classes."""
    lines = [[1, -1], [2, -1], [1, 2], [-1, 3], [0.5, 2], [1, 2, -1], [2, -1, 3]]
    for n_steps in range(1, 7):
        for points in lines:
            for order in itertools.islice(itertools.product(range(len(points)), repeat=n_steps), 0, 81, 1 + n_steps):
                classes = [1, 0, 1][: len(points)]
                yield {"points": [[x] for x in points], "classes": classes, "order": list(order)}
    for order in ([0, 1], [1, 0, 2], [1, 2, 0, 1], [2, 1, 1, 0], [2, 0, 1, 0, 2], [1, 2, 0, 0, 1, 2]):
        yield {"points": [[1, 0], [0, 2], [-1, 1]], "classes": [0, 1, 2], "order": order}


def small_answers(lab, inputs):
    """Return the average and U of each run, one after the other."""
    names = ("points", "classes", "order")
    calls = [(np.array(i["points"], float), *(np.array(i[name]) for name in names[1:])) for i in inputs]
    made = [results(its, "the average", "U") for its in lab.each("running_average", "averaged_perceptron", calls)]
    return [average if isinstance(average, str) else [*np.ravel(average), *np.ravel(U)] for average, U in made]


def small_properties(given, answer):
    """Yield the violated properties of an average and U."""
    rows = np.reshape(answer, (-1, max(given["classes"]) + 1))
    if np.abs(rows.sum(axis=1)).max() > 1e-4:
        yield (
            "classes_do_not_balance",
            "The weights of the classes do not sum to 0: what the true class gains, the predicted one must lose.",
        )


def small_parts(given, answer):
    """Yield the average and U."""
    average, U = np.split(np.reshape(answer, (-1, max(given["classes"]) + 1)), 2)
    yield "the average", average
    yield "U", U


def test_one_step(lab, expect):
    """A single step: the average of one matrix is that matrix."""
    expect("the average after one step, W_1 itself", run(lab, POINTS, LABELS, [0])[0], **SINGLE)


def test_five_steps(lab, expect):
    """Five steps, two of them without a mistake."""
    average, U = run(lab, POINTS, LABELS, ORDER[:5])
    expect("the average after five steps, (W_1 + W_2 + W_3 + W_4 + W_5) / 5", average, **SINGLE)
    expect("U after five steps", U, **SINGLE_U)


def test_nine_steps(lab, expect):
    """Nine steps: the last four change nothing, and count."""
    average, U = run(lab, POINTS, LABELS, ORDER)
    expect("the average after nine steps", average, **SINGLE)
    expect("U after nine steps", U, **SINGLE_U)


def test_three_classes(lab, expect):
    """Three classes in the plane, three rounds."""
    X, labels = [[1.0, 0.5], [-1.0, 2.0], [0.0, -1.5], [2.0, 1.0]], [0, 1, 2, 1]
    average, U = run(lab, X, labels, [0, 1, 2, 3, 2, 0, 3, 1, 1, 3, 0, 2])
    expect("the average after twelve steps", average, **SINGLE)
    expect("U after twelve steps", U, **SINGLE_U)


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_random_runs(lab, expect, rng, n_classes):
    """Random points, many rounds: as by the definition."""
    tasks = []
    for _ in range(12):  # The last step is a mistake in some runs only.
        X, labels = rng.normal(size=(25, 2)), rng.permutation(np.arange(25) % n_classes)
        order = np.concatenate([rng.permutation(25) for _ in range(4)])
        first = np.argmax(labels[order] > 0)  # With W = 0, class 0 is predicted, so the first step is a mistake.
        order[[0, first]] = order[[first, 0]]
        tasks.append((X, labels, order))
    averages, every_u = runs(lab, tasks)
    expect("the averages after a hundred steps", averages, **SINGLE)
    expect("U after a hundred steps", every_u, **SINGLE_U)


@pytest.mark.hidden
def test_one_example_alone(lab, expect, rng):
    """Runs that look at one example only, the one with the number 0: one step, which is a mistake, then some more."""
    tasks = [(rng.normal(size=(3, 2)), [2, 0, 1], [0] * n_steps) for n_steps in (1, 3, 4, 5, 6) * 8]
    averages, every_u = runs(lab, tasks)
    expect("the averages after one, three, four, five and six steps with example 0", averages, **SINGLE)
    expect("U after the same steps", every_u, **SINGLE_U)


@pytest.mark.hidden
def test_long_peace(lab, expect, rng):
    """Long after the last mistake the average comes near the last weights."""
    tasks = []
    for _ in range(8):
        X = 3.0 + rng.uniform(1.0, 2.0, size=(20, 1)) * np.repeat([-1.0, 1.0], 10)[:, None]
        tasks.append((X, np.repeat([0, 1], 10), np.tile(rng.permutation(20), 15)))
    averages, every_u = runs(lab, tasks)
    expect("the averages after fifteen rounds, most of them without a mistake", averages, **SINGLE)
    expect("U after fifteen rounds", every_u, **SINGLE_U)
