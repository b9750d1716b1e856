"""Exercise 1.4: single steps of the perceptron, with two classes and with more, and a short training run."""

import itertools

import numpy as np
import pytest

ZERO_ONE = 1.0 - np.eye(3)  # row y: ρ(·, y)
SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"perceptron_rule": {"d": "(K,)"}}
MAY_CHANGE = {"perceptron_rule"}  # The loop computes new scores for each example.


def rule(lab, calls):
    """Return the rule's answers to these scores, labels, ‖g(x)‖², steps and costs."""
    return lab.each(
        "perceptron",
        "perceptron_rule",
        [(np.array(s, float), y, float(n), float(step), np.array(c, float)) for s, y, n, step, c in calls],
    )


def small_inputs():
    """Yield two classes before three, small integers, a step of 1 first; negative scores, close scores, and costs other than 1 last."""
    positive, mixed, negative, close = (0, 1, 2), (-2, 0, 1), (-4, -3, -2), (0, 0.5, 0.75)
    ones, others = [0, 1, 1], [0, 3, 2]
    kinds = [
        (positive, 1, 1, ones),
        (positive, 2.5, 1, ones),
        (positive, 1, 2, ones),
        (mixed, 1, 1, ones),
        (negative, 1, 1, ones),
        (close, 1, 1, ones),
        (positive, 1, 1, others),
    ]
    for n_classes, (values, step, norm, all_costs) in itertools.product((2, 3), kinds):
        costs = all_costs[:n_classes]
        for scores, label in itertools.product(itertools.product(values, repeat=n_classes), range(n_classes)):
            cost = costs[-label:] + costs[:-label] if label else costs
            yield {"scores": list(scores), "true class": label, "step": step, "‖g(x)‖²": norm, "costs": cost}


def small_answers(lab, inputs):
    """Return d for each input."""
    return rule(lab, [[i[word] for word in ("scores", "true class", "‖g(x)‖²", "step", "costs")] for i in inputs])


def small_parts(given, answer):
    """Yield the entry of the true class, and the entries of the others."""
    yield "the entry of the true class", answer[given["true class"]]
    yield "the entries of the other classes", np.delete(answer, given["true class"])


def test_a_mistake(lab, expect):
    """A mistake: the true class up, the predicted one down"""
    (d,) = rule(lab, [([1.0, 3.0, 2.0], 0, 5.0, 1.0, ZERO_ONE[0])])
    expect("d for the scores [1, 3, 2] where class 0 is true, with the step 1", d, **SINGLE)


def test_a_right_prediction(lab, expect):
    """A right prediction changes nothing, be it by far or narrowly; a mistake does"""
    scores = [[6.0, 1.0, 0.0], [3.0, 2.75, 2.5], [2.5, 2.75, 2.0]]
    ds = rule(lab, [(row, 0, 2.0, 1.0, [0.0, 0.5, 2.0]) for row in scores])
    expect("d, one row for each example: the true class leads by far, leads narrowly, is second", ds, **SINGLE)


def test_equal_scores(lab, expect):
    """If scores are equal, the first class is predicted, as in the very first step"""
    ds = rule(lab, [(np.zeros(3), label, 3.0, 1.0, ZERO_ONE[label]) for label in range(3)])
    expect("d for the scores [0, 0, 0], a row for each true class 0, 1, 2", ds, **SINGLE)


def test_the_step(lab, expect):
    """An example that counts two and a half times"""
    (d,) = rule(lab, [([-1.0, -0.5, -2.0, -3.0], 2, 4.0, 2.5, [1.0, 2.0, 0.0, 1.0])])
    expect("d for the scores [−1, −0.5, −2, −3] where class 2 is true, with the step 2.5", d, **SINGLE)


def test_training(lab, expect):
    """Two rounds over six points of three classes"""
    X = [[2.0, 0.5], [-0.5, 0.75], [0.25, -3.0], [1.5, 1.0], [-0.25, 0.5], [0.125, 0.25]]
    settings = {"nr_rounds": 2, "averaged": False, "order": [4, 0, 2, 5, 1, 3]}
    perceptron = lab.classifier("perceptron", "Perceptron", **settings)
    expect("the weights after two rounds over six points", perceptron.train(X, [0, 1, 2, 0, 1, 2]), **SINGLE)


@pytest.mark.hidden
def random_step(rng, n_classes, right):
    """Return scores, true class, ‖g‖², step and costs: a mistake or a right prediction; scores far apart or close, around or below 0."""
    scores = np.round((4.0, 0.2)[rng.integers(2)] * rng.normal(size=n_classes), 2) - (0.0, 15.0)[rng.integers(2)]
    scores += 0.0015 * rng.permutation(n_classes)  # Narrow leads, but wide enough that no tolerance makes them ties.
    order = np.argsort(scores)
    label = int(order[-1] if right else order[rng.integers(n_classes - 1)])
    cost = rng.uniform(0.2, 6.0, size=n_classes)
    cost[label] = 0.0
    return scores, label, float(rng.uniform(1.0, 9.0)), float(rng.uniform(0.2, 3.0)), cost


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_random_steps(lab, expect, rng, n_classes):
    """Random scores, steps and costs"""
    steps = [random_step(rng, n_classes, right=m % 4 == 0) for m in range(96)]
    expect("d of random steps", rule(lab, steps), **SINGLE)


@pytest.mark.hidden
def test_random_ties(lab, expect, rng):
    """Scores among which some are equal"""
    steps = []
    for m in range(48):
        scores = rng.integers(-2, 2, size=4).astype(float)
        if m % 2:
            scores[rng.choice(4, size=2, replace=False)] = scores.max()
        label = int(rng.integers(4))
        steps.append((scores, label, 2.0, float(rng.uniform(0.5, 2.0)), 1.0 - np.eye(4)[label]))
    expect("d of random steps, some of whose scores are equal", rule(lab, steps), **SINGLE)


@pytest.mark.hidden
def test_random_training(lab, expect, rng):
    """Training on random points, averaged"""
    X, y = rng.normal(size=(30, 2)), rng.permutation(np.arange(30) % 3)
    order = rng.permutation(30)
    first = np.argmin(y[order])  # With W = 0, class 0 is predicted, so the first step changes nothing.
    order[[0, first]] = order[[first, 0]]
    perceptron = lab.classifier("perceptron", "Perceptron", nr_rounds=2, order=order)
    expect("the averaged weights", perceptron.train(X, y), **SINGLE)
