"""Exercise 1.4b: the loop with a given rule, `regression_rule`, which uses all arguments of a rule."""

import itertools

import numpy as np
import pytest

from lxmls_day1.lab_api import results

ZERO_ONE = 1.0 - np.eye(2)
COSTS = np.array([[0.0, 2.0, 0.5], [1.0, 0.0, 3.0], [0.25, 1.5, 0.0]])
SINGLE = {"rtol": 1e-4, "atol": 1e-5}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"regression_weights": {"W": "(J + 1, K)", "the mean": "(J + 1, K)"}}
RESULTS = ("W after the last step", "the mean")


def weights(lab, X, labels, order, steps, costs, shrinkage=0.0):
    """Return W above the mean, as the loop computes them with the given rule."""
    return weights_of_all(lab, [(X, labels, order, steps, costs, shrinkage)])[0]


def weights_of_all(lab, runs):
    """Return W and the mean of each run."""
    kinds = float, None, None, float, float, float
    calls = [tuple(np.array(part, kind) for part, kind in zip(run, kinds, strict=True)) for run in runs]
    found = lab.each("online_loop", "regression_weights", [(*arrays, float(shrinkage)) for *arrays, shrinkage in calls])
    return [(np.asarray(W), np.asarray(mean)) for W, mean in found]


def small_inputs():
    """Yield one point before two, one visit before two and three; a point without features, a step of 0, a step that keeps a quarter of W.

    No step removes all of W, because a correct solution may store W as a number times a matrix.
    """
    points = [
        ([[1]], [1]),
        ([[1]], [0]),
        ([[0]], [1]),
        ([[2]], [1]),
        ([[1], [-1]], [0, 1]),
        ([[1], [0]], [1, 0]),
        ([[2], [-1]], [0, 1]),
        ([[-1], [1], [0]], [0, 1, 1]),
    ]
    orders = [[0], [0, 0], [1, 0], [0, 1, 0], [2, 0, 1], [1, 1], [0, 0, 1]]
    for (X, labels), order in itertools.product(points, orders):
        if max(order) >= len(X):
            continue
        all_steps = [[1, 1, 1], [0.5, 1, 1], [0, 1, 1], [1, 0.5, 0.5], [1, 0, 0.5]]
        for costs, shrinkage, steps, result in itertools.product(
            ([[0, 1], [1, 0]], [[0, 3], [1, 0]]), (0, 0.5, 0.75), all_steps[: 3 if len(order) == 1 else 5], RESULTS
        ):
            yield {
                "points": X,
                "classes": labels,
                "visits": order,
                "steps": steps[: len(order)],
                "costs": costs,
                "shrinkage": shrinkage,
                "asked for": result,
            }


def small_answers(lab, inputs):
    """Return W, or the mean; each run is made once."""
    calls = {
        run_of(i): (
            np.array(i["points"], float),
            np.array(i["classes"]),
            np.array(i["visits"]),
            np.array(i["steps"], float),
            np.array(i["costs"], float),
            float(i["shrinkage"]),
        )
        for i in inputs
    }
    made = lab.each("online_loop", "regression_weights", calls.values())
    found = {key: dict(zip(RESULTS, results(its, *RESULTS), strict=True)) for key, its in zip(calls, made, strict=True)}
    return [found[run_of(i)][i["asked for"]] for i in inputs]


def run_of(given):
    """Return a key that distinguishes runs."""
    return repr([part for word, part in given.items() if word != "asked for"])


def small_parts(given, answer):
    """Yield the two results."""
    yield given["asked for"], answer


def test_one_visit(lab, expect):
    """One visit of one point, in the plane"""
    W, mean = weights(lab, [[1.0, -1.0]], [1], [0], [1.0], ZERO_ONE)
    expect("W after one visit of the point (1, −1) of class 1", W, **SINGLE)
    expect("the mean after one visit", mean, **SINGLE)
    assert np.allclose(np.array([1.0, 1.0, -1.0]) @ W, [-1.0, 1.0], atol=1e-4), (
        "with the step 1 the scores of the point must be the rule's targets, −1 and 1"
    )


def test_order_and_steps(lab, expect):
    """The order that is given, and a step for each visit"""
    W, mean = weights(lab, [[1.0], [-2.0], [0.5]], [0, 1, 1], [2, 0, 2, 1], [1.0, 0.5, 0.25, 0.75], ZERO_ONE)
    what = "the visits 2, 0, 2, 1 with the steps 1, 0.5, 0.25, 0.75"
    expect(f"W after {what}, and below it the mean of the four matrices", np.vstack([W, mean]), **SINGLE)


def test_costs(lab, expect):
    """Costs that are not the same both ways"""
    W, _ = weights(lab, [[1.0], [-1.0], [0.0]], [0, 1, 2], [0, 1, 2], [0.5, 0.5, 0.5], COSTS)
    expect("W after one visit of each of three points of three classes", W, **SINGLE)


def test_shrinkage(lab, expect):
    """Shrinkage: old weights become smaller, by step · λ, before the new is added"""
    W, mean = weights(lab, [[1.0], [-1.0]], [0, 1], [0, 1, 1], [0.5, 0.5, 1.0], ZERO_ONE, 0.5)
    expect("W after three visits with shrinkage 0.5", W, **SINGLE)
    expect("the mean after three visits with shrinkage 0.5", mean, **SINGLE)


@pytest.mark.hidden
def random_visits(rng, n_examples, n_features, n_classes, n_visits):
    """Return points, classes, visits, steps and costs."""
    X = rng.normal(size=(n_examples, n_features))
    labels = rng.permutation(np.arange(n_examples) % n_classes)
    order = np.concatenate([rng.permutation(n_examples), rng.integers(n_examples, size=n_visits)])
    costs = rng.uniform(0.2, 3.0, size=(n_classes, n_classes)) * (1 - np.eye(n_classes))
    return X, labels, order, rng.uniform(0.1, 0.9, size=order.size), costs


@pytest.mark.hidden
@pytest.mark.parametrize(("n_features", "n_classes"), [(1, 2), (3, 3), (2, 5)])
def test_random_visits(lab, expect, rng, n_features, n_classes):
    """Random points, visits and costs"""
    W, mean = weights(lab, *random_visits(rng, 7, n_features, n_classes, 12))
    expect("W", W, **SINGLE)
    expect("the mean", mean, **SINGLE)


@pytest.mark.hidden
def test_random_shrinkage(lab, expect, rng):
    """Random points, with shrinkage"""
    W, mean = weights(lab, *random_visits(rng, 5, 2, 3, 10), float(rng.uniform(0.2, 0.6)))
    expect("W with shrinkage", W, **SINGLE)
    expect("the mean with shrinkage", mean, **SINGLE)


@pytest.mark.hidden
def test_some_are_never_visited(lab, expect, rng):
    """Few visits, to some of the points only, of three classes"""
    runs = []
    for _ in range(12):
        X, labels, *_, costs = random_visits(rng, 6, 2, 3, 0)
        runs.append((X, labels, rng.permutation(6)[:3], rng.uniform(0.2, 0.9, size=3), costs, 0.0))
    expect("W after three visits, and the mean, of twelve runs", weights_of_all(lab, runs), **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("shrinkage", [0.0, 0.5])
def test_visits_that_change_nothing_count(lab, expect, rng, shrinkage):
    """Visits at which the rule returns 0: the weights still shrink, and count in the mean again"""
    runs = []
    for _ in range(12):
        X = rng.choice(
            [-1.0, 1.0], size=(4, 3)
        )  # ‖g‖² is 4, so with the step 1 the scores equal the targets, without rounding.
        order = np.repeat(rng.permutation(4), 2)
        runs.append((X, [0, 1, 1, 0], order, np.ones(8), ZERO_ONE, shrinkage))
    found = weights_of_all(lab, runs)
    expect("W after two visits of each point, one after the other, and the mean, of twelve runs", found, **SINGLE)
