"""Exercise 1.5: single steps of MIRA on paper-sized examples, and a short training run."""

import itertools

import numpy as np
import pytest

ZERO_ONE = 1.0 - np.eye(3)  # row y: ρ(·, y)
SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"mira_rule": {"d": "(K,)"}}
MAY_CHANGE = {"mira_rule"}  # The loop computes new scores for each example.


def steps_of(lab, steps):
    """Return the rule's answers to these scores, labels, ‖g(x)‖², caps and costs."""
    calls = [(np.array(s, float), y, float(n), float(cap), np.array(cost, float)) for s, y, n, cap, cost in steps]
    return lab.each("mira", "mira_rule", calls)


SMALL_SETTINGS = [  # costs, ‖g(x)‖², cap
    ([1.0, 1.0, 1.0], 1.0, 8.0),
    ([1.0, 1.0, 1.0], 2.0, 8.0),
    ([2.0, 3.0, 0.5], 1.0, 8.0),
    ([0.5, 4.0, 3.0], 2.0, 8.0),
    ([1.0, 1.0, 1.0], 1.0, 0.5),
    ([2.0, 3.0, 0.5], 2.0, 0.25),
    ([0.5, 4.0, 3.0], 4.0, 0.75),
    ([2.0, 3.0, 0.5], 4.0, 8.0),
]


def small_inputs():
    """Yield two classes before three, distinct scores before equal ones, 0/1 costs before others; caps that do not bite come first."""
    for n_classes, values in [(2, (0.0, 1.0, 3.0, -1.0, 0.5)), (3, (0.0, 1.0, 3.0, 0.5))]:
        ties = [(1.0,) * n_classes, (3.0, 0.5, 3.0)[-n_classes:], (0.5, 3.0, 3.0)[-n_classes:]]
        untied = sorted(itertools.permutations(values, n_classes), key=lambda scores: sum(map(abs, scores)))
        negative = [(-4.0, -2.0, -3.0)[:n_classes], (-3.0, -4.0, -2.0)[-n_classes:]]
        for scores in (*untied, *negative, *ties):
            for label in range(n_classes):
                for costs, sq_norm, cap in SMALL_SETTINGS:
                    yield {
                        "scores": list(scores),
                        "true class": label,
                        "‖g(x)‖²": sq_norm,
                        "cap 1/λ": cap,
                        "costs ρ(·, y)": [0.0 if k == label else cost for k, cost in enumerate(costs[:n_classes])],
                    }


def small_answers(lab, inputs):
    """Return the changes of each class's weights, divided by g(x)."""
    return steps_of(lab, [list(given.values()) for given in inputs])


def small_properties(given, d):
    """Yield the violated properties of a step."""
    if abs(np.sum(d)) > 1e-5:
        yield "sum_not_zero", "The entries of d do not sum to 0: what the true class gains, the others must lose."
    if np.argmax(given["scores"]) == given["true class"] and np.any(d):
        yield (
            "moves_when_right",
            "A right prediction changes the weights. This version of MIRA moves only after a mistake.",
        )
        return
    label, rival = given["true class"], int(np.argmax(given["scores"]))
    after = np.array(given["scores"]) + given["‖g(x)‖²"] * d
    if np.abs(d).max() > given["cap 1/λ"] + 1e-4:
        yield "above_the_cap", "A class moves farther than the cap allows."
    elif abs(after[label] - after[rival] - given["costs ρ(·, y)"][rival]) > 1e-3 and d[label] < given["cap 1/λ"] - 1e-4:
        yield (
            "margin_missed",
            "After the step, s + ‖g(x)‖² d, the score of the true class is not ρ(ŷ, y) above that of ŷ, although the cap is not reached.",
        )


def small_parts(given, answer):
    """Yield the entry of the true class, and the entries of the others."""
    yield "the entry of the true class", answer[given["true class"]]
    yield "the entries of the other classes", np.delete(answer, given["true class"])


def test_a_mistake(lab, expect):
    """A mistake, and a cap that does not bite."""
    (d,) = steps_of(lab, [([0.5, 2.5, -1.0], 0, 6.0, 8.0, ZERO_ONE[0])])
    expect("d for the scores [0.5, 2.5, −1] where class 0 is true, ‖g(x)‖² = 6, with a cap of 8", d, **SINGLE)
    scores = np.array([0.5, 2.5, -1.0]) + 6.0 * np.asarray(d)
    assert abs(scores[0] - scores[1] - 1) < 1e-5, (
        "if the cap is not reached, the true class must lead by ρ = 1 after the step"
    )


def test_the_cap(lab, expect):
    """A mistake by so much that the cap 1/λ bites."""
    (d,) = steps_of(lab, [([0.5, 2.5, -1.0], 2, 1.0, 0.8, ZERO_ONE[2])])
    expect(
        "d for the scores [0.5, 2.5, −1] where class 2 is true, ‖g(x)‖² = 1, with λ = 1.25: a cap of 0.8", d, **SINGLE
    )


def test_a_right_prediction(lab, expect):
    """A right prediction changes nothing, be it by far or narrowly; a mistake does."""
    scores, cost = [[6.0, 1.0, 0.0], [3.0, 2.75, 2.5], [2.5, 2.75, 2.0]], [0.0, 0.5, 2.0]
    ds = steps_of(lab, [(row, 0, 2.0, 0.8, cost) for row in scores])
    expect("d, one row for each example: the true class leads by far, leads narrowly, is second", ds, **SINGLE)


def test_costs(lab, expect):
    """Costs: the margin is what this mistake costs."""
    (d,) = steps_of(lab, [([1.0, 2.0, 1.75], 0, 2.0, 8.0, [0.0, 0.5, 4.0])])
    expect(
        "d for the scores [1, 2, 1.75] where class 0 is true, ρ(·, 0) = [0, 0.5, 4], ‖g(x)‖² = 2, with a cap of 8",
        d,
        **SINGLE,
    )


def test_training(lab, expect):
    """Two rounds over six points, λ = 1.25, where some mistakes cost a lot."""
    X = [[2.0, 0.5], [-0.5, 0.75], [0.25, -3.0], [1.5, 1.0], [-0.25, 0.5], [0.125, 0.25]]
    cost = [[0.0, 2.0, 6.0], [1.0, 0.0, 5.0], [3.0, 1.5, 0.0]]
    settings = {"regularizer": 1.25, "cost": cost, "nr_rounds": 2, "averaged": False, "order": [4, 0, 2, 5, 1, 3]}
    ((params,),) = lab.each_made("mira", "Mira", "train", [(settings, X, [0, 1, 2, 0, 1, 2])])
    expect("the weights after two rounds over six points of three classes", params, **SINGLE)


@pytest.mark.hidden
def random_step(rng, n_classes):
    """Return scores, true class, ‖g‖² and costs: mostly a mistake; scores far apart or close, small and large costs."""
    label = int(rng.integers(n_classes))
    cost = rng.uniform(0.2, (0.9, 6.0)[rng.integers(2)], size=n_classes)
    cost[label] = 0.0
    scores = (4.0, 0.2)[rng.integers(2)] * rng.normal(size=n_classes) - (0.0, 15.0)[rng.integers(2)]
    return scores, label, float(rng.uniform(1.0, 1.5)), cost


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [3, 5, 8])
def test_random_steps(lab, expect, rng, n_classes):
    """Random scores and costs, with and without a cap that bites."""
    steps = [random_step(rng, n_classes) for _ in range(120)]
    cap = float(rng.uniform(0.6, 0.9))
    for name, most in [("without a cap", 1e6), ("with a cap", cap)]:
        expect(f"d of random steps {name}", steps_of(lab, [(*first, most, cost) for *first, cost in steps]), **SINGLE)


@pytest.mark.hidden
def test_the_margin_after_a_step(lab, expect, rng):
    """After a step without a cap the true class leads the predicted one by what the mistake costs."""
    steps = [random_step(rng, 4) for _ in range(40)]
    for scores, label, _, _ in steps:
        scores[label] = scores.min() - 0.1
    expect("d of random mistakes", steps_of(lab, [(*first, 1e6, cost) for *first, cost in steps]), **SINGLE)


@pytest.mark.hidden
def test_random_training(lab, expect, rng):
    """Training on random points, averaged, with costs."""
    X, y = rng.normal(size=(30, 2)), rng.permutation(np.arange(30) % 3)
    cost = np.zeros((3, 3))
    cost[~np.eye(3, dtype=bool)] = rng.permutation([0.3, 0.5, 0.7, 3.0, 5.0, 7.0]) * rng.uniform(0.9, 1.1, size=6)
    settings = {"regularizer": float(rng.uniform(1.1, 1.4)), "nr_rounds": 2, "cost": cost}
    ((params,),) = lab.each_made("mira", "Mira", "train", [(settings, X, y)])
    expect("the averaged weights", params, **SINGLE)
