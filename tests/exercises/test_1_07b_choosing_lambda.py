"""Exercise 1.7b: maximum entropy with several λ, trained on one part and compared on another."""

import itertools

import numpy as np
import pytest

from lxmls_day1.lab_api import results

RESULTS = ("the chosen λ", "the accuracies")
MUST_RETURN = {"choose_for_max_ent": {"the chosen λ": "", "the accuracies": "(n,)"}}

TRAIN = (
    np.array([[-2.0, 0.5], [-1.0, -1.0], [0.25, 1.0], [1.0, 0.0], [2.0, 1.5], [3.0, -0.5], [2.5, 2.0]]),
    np.array([0, 0, 1, 0, 1, 1, 1]),
)
DEV = (
    np.array([[-1.5, 0.0], [-0.25, 2.0], [0.25, 0.0], [0.5, -1.0], [1.5, 0.5], [-0.5, -1.0], [0.75, 1.0], [3.0, 0.0]]),
    np.array([0, 1, 0, 0, 1, 0, 0, 1]),
)


def choice(lab, regularizers, train, dev):
    """Return the chosen value, and the accuracies."""
    chosen, accuracies = lab.function("choosing_lambda", "choose_for_max_ent", list(regularizers), *train, *dev)
    return chosen, accuracies


def small_inputs():
    """Yield one λ before two and three, two training points before three and four; some points are where λ and 2λ disagree."""
    trains = [
        ([[-1], [2]], [0, 1]),
        ([[-1], [1], [3]], [0, 1, 1]),
        ([[-2], [0], [1], [2]], [0, 1, 0, 1]),
        ([[0], [1], [3]], [0, 1, 1]),
    ]
    devs = [
        ([[0], [1]], [0, 1]),
        ([[0], [1]], [1, 0]),
        ([[-1], [0], [2]], [0, 0, 1]),
        ([[-1], [1], [2]], [0, 0, 1]),
        ([[1], [2]], [0, 1]),
        ([[0.3], [2]], [0, 1]),
        ([[0], [0.3]], [1, 0]),
    ]
    nearly = [[0.1]] + [[4]] * 23, [0] + [1] * 23  # One point in 24 distinguishes a small λ from a large one.
    cases = [*itertools.product(([1], [0.1, 1], [1, 0.1], [0.5, 3], [10, 0.1, 1]), trains)]
    graded = [[-1]] + [[0.05]] * 5 + [[0.2]] * 4, [0] * 10  # λ = 0.1 is always right, 1 on six points, 10 on one.
    of_case = [(values, train, [train, *devs]) for values, train in cases]
    for values, train, its in [*of_case, ([0.5, 3], trains[0], [nearly]), ([10, 0.1, 1], trains[0], [nearly, graded])]:
        for dev, result in itertools.product(its, RESULTS):
            yield {
                "values of λ": values,
                "training points": train[0],
                "their classes": train[1],
                "development points": dev[0],
                "classes of these": dev[1],
                "asked for": result,
            }


def small_answers(lab, inputs):
    """Return the chosen λ, or the accuracies; each choice is made once."""
    calls = {
        choice_of(i): (
            list(map(float, i["values of λ"])),
            np.array(i["training points"], float),
            np.array(i["their classes"]),
            np.array(i["development points"], float),
            np.array(i["classes of these"]),
        )
        for i in inputs
    }
    made = lab.each("choosing_lambda", "choose_for_max_ent", calls.values())
    found = {key: dict(zip(RESULTS, results(its, *RESULTS), strict=True)) for key, its in zip(calls, made, strict=True)}
    return [found[choice_of(i)][i["asked for"]] for i in inputs]


def choice_of(given):
    """Return a key that distinguishes choices."""
    return repr([part for word, part in given.items() if word != "asked for"])


def small_parts(given, answer):
    """Yield the two results."""
    yield given["asked for"], answer


def test_accuracies(lab, expect):
    """The accuracies on the development part, in the order of the values"""
    _, accuracies = choice(lab, [3.0, 0.01, 30.0, 0.3], TRAIN, DEV)
    expect("the accuracies for λ = 3, 0.01, 30, 0.3", accuracies)


def test_the_choice(lab, expect):
    """The best value of λ, at any place in the list"""
    chosen = [choice(lab, values, TRAIN, DEV)[0] for values in ([0.01, 0.3, 30.0], [30.0, 0.3, 0.01], [0.01, 30.0])]
    expect("the λ chosen from (0.01, 0.3, 30), from (30, 0.3, 0.01) and from (0.01, 30)", chosen)


def test_equal_accuracies(lab, expect):
    """The largest of several equally good values"""
    X, y = np.array([[-3.0], [-2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    chosen = [choice(lab, values, (X, y), (X + 0.5, y))[0] for values in ([0.1, 1.0, 0.5], [1.0, 0.1], [0.5, 2.0, 1.0])]
    expect("the λ chosen from (0.1, 1, 0.5), from (1, 0.1) and from (0.5, 2, 1), all with accuracy 1", chosen)


def test_a_narrow_choice(lab, expect):
    """The best value, be it better by one point of 200"""
    dev = np.array([[0.1]] + [[4.0]] * 199), np.array([0] + [1] * 199)
    chosen, accuracies = choice(lab, [3.0, 0.5, 10.0, 1.0], (np.array([[-1.0], [2.0]]), np.array([0, 1])), dev)
    expect("the λ chosen from (3, 0.5, 10, 1), where 0.5 and 1 classify one more point correctly", chosen)
    expect("the accuracies", accuracies)


@pytest.mark.hidden
def random_parts(rng, n_train, n_dev):
    """Return two overlapping, unbalanced classes, whose balance differs between the training and the development part."""
    parts = []
    for n, share in ((n_train, 0.75), (n_dev, 0.5)):
        y = (np.arange(n) < share * n).astype(int)
        parts.append((rng.normal(size=(n, 3)) + 0.8 * (2 * y[:, None] - 1) * [1.0, 0.5, 0.0], y))
    return parts


@pytest.mark.hidden
@pytest.mark.parametrize("n_values", [3, 6])
def test_random_parts(lab, expect, rng, n_values):
    """Random points, and values of λ in any order"""
    for number in range(12 // n_values):  # Few values are in a telling order by chance.
        train, dev = random_parts(rng, 16, 40)
        values = 10.0 ** rng.permutation(np.linspace(-2.5, 1.5, n_values)) * rng.uniform(0.8, 1.2)
        close = np.column_stack(
            [values, 1.0001 * values]
        )  # Two values are equally good; the larger one comes first or last.
        values = (close if number % 2 else close[:, ::-1]).ravel().tolist()
        chosen, accuracies = choice(lab, values, train, dev)
        expect(f"what is chosen in trial {number + 1}", chosen)
        expect(f"the accuracies in trial {number + 1}", accuracies)
    values = (rng.permutation([0.001, 0.01, 1000.0]) * rng.uniform(0.8, 1.2)).tolist()
    expect("the λ chosen where the largest never predicts a rare class", choice(lab, values, *rare_class(rng))[0])
    X, y = rare_class(rng)[0]
    dev = np.vstack([X, X, X[:2]]), np.concatenate([y, y, [1, 1]])
    expect("the λ chosen where the largest is bad on both parts alike", choice(lab, values, (X, y), dev)[0])
    two = np.array([[-1.0], [2.0]]), np.array([0, 1])
    dev = rng.permuted([[-1.0], [0.05], [0.05], [0.2]] * 3, axis=0), np.zeros(12, int)
    chosen, _ = choice(lab, rng.permutation([10.0, 0.1, 1.0]).tolist(), two, dev)
    expect("the λ chosen where 0.1, 1 and 10 are right in all of the points, in three quarters, and in one", chosen)
    dev = rng.permuted([[0.1]] + [[4.0]] * 199, axis=0)
    chosen, _ = choice(lab, [3.0, 0.5, 10.0, 1.0], two, (dev, (dev[:, 0] > 1).astype(int)))
    expect("the λ chosen where 0.5 and 1 classify one more of 200 points correctly", chosen)


@pytest.mark.hidden
def rare_class(rng):
    """Return two classes that every small λ separates; the first is rare only in training, so the intercepts of a huge λ decide."""
    labels = [np.arange(16) >= n_of_the_first for n_of_the_first in (2, 8)]
    return [(rng.uniform(0.4, 0.6, size=(16, 1)) * (2 * y[:, None] - 1), y.astype(int)) for y in labels]


@pytest.mark.hidden
def test_random_equal_accuracies(lab, expect, rng):
    """Random points that every λ tells apart"""
    y = np.array([0, 0, 0, 1, 1, 1])
    for number in range(4):
        X = rng.uniform(2.0, 4.0, size=(6, 1)) * (2 * y[:, None] - 1)
        values = np.insert(rng.permutation([0.1, 0.2, 0.5]), number, 1.0) * rng.uniform(
            0.8, 1.2
        )  # The largest value may be anywhere.
        expect(f"what is chosen in trial {number + 1}", choice(lab, values.tolist(), (X, y), (X[::-1], y[::-1]))[0])
