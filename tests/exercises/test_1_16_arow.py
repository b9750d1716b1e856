"""Exercise 1.16: single steps of AROW on paper-sized examples, and a short training run."""

import itertools

import numpy as np
import pytest

from lxmls_day1.lab_api import results

ZERO_ONE = 1.0 - np.eye(3)  # row y: ρ(·, y)
SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"arow_rule": {"d": "(K,)", "b": "(K,)"}}
TOLD_AS = "d, then b"
MAY_CHANGE = {"arow_rule"}  # The loop computes new scores and variances for each example.


def steps_of(lab, steps):
    """Return the rule's answers to these scores, labels, variances, 1/λ and costs: d and b, a row each."""
    calls = [
        (np.array(scores, float), label, np.array(variances, float), step, np.array(cost, float))
        for scores, label, variances, step, cost in steps
    ]
    return [list(results(answer, "d", "b")) for answer in lab.each("arow", "arow_rule", calls)]


SMALL_SETTINGS = [  # variances, 1/λ, costs
    ((1.0, 1.0, 1.0), 1.0, (1.0, 1.0, 1.0)),
    ((1.0, 2.0, 4.0), 1.0, (1.0, 1.0, 1.0)),
    ((3.0, 0.5, 2.0), 2.0, (1.0, 1.0, 1.0)),
    ((1.0, 2.0, 0.5), 0.25, (1.0, 1.0, 1.0)),
    ((1.0, 2.0, 0.5), 1.0, (2.0, 3.0, 0.5)),
    ((0.5, 4.0, 1.0), 0.5, (0.5, 4.0, 3.0)),
]


def small_inputs():
    """Yield two classes before three, distinct scores before equal ones, negative ones last; equal variances, λ = 1 and 0/1 costs first."""
    for n_classes, values in [(2, (0.0, 1.0, 3.0, -1.0, 0.5)), (3, (0.0, 1.0, 2.0, 0.25))]:
        ties = [(1.0,) * n_classes, (2.0, 0.25, 2.0)[-n_classes:], (0.25, 2.0, 2.0)[-n_classes:]]
        untied = sorted(itertools.permutations(values, n_classes), key=lambda scores: sum(map(abs, scores)))
        for scores in (*untied, *ties, (-3.0, -1.5, -2.5)[:n_classes], (-1.5, -4.0, -3.0)[:n_classes]):
            for label in range(n_classes):
                for variances, step, costs in SMALL_SETTINGS:
                    yield {
                        "scores": list(scores),
                        "true class": label,
                        "variances": list(variances[:n_classes]),
                        "1/λ": step,
                        "costs ρ(·, y)": [0.0 if k == label else cost for k, cost in enumerate(costs[:n_classes])],
                    }


def small_answers(lab, inputs):
    """Return d and b for each input."""
    return steps_of(lab, [tuple(given.values()) for given in inputs])


def small_properties(given, answer):
    """Yield the violated properties of a step."""
    d, b = answer
    if abs(np.sum(d)) > 1e-5:
        yield "sum_not_zero", "The entries of d do not sum to 0: what the true class gains, its rival must lose."
    if np.any(np.asarray(b) < -1e-9):
        yield "less_sure", "An entry of b is negative: the example would make a variance larger."
    elif np.any(np.asarray(b) * given["variances"] > 1.0 + 1e-6):
        yield "below_zero", "b_k v_k is above 1: a variance would become negative."


def small_parts(given, answer):
    """Yield d and b."""
    yield "d", answer[0]
    yield "b", answer[1]


def small_terms(given, answer, right):
    """Yield terms for formulas of d and b of the two classes, if there is a step."""
    label, (d, b) = given["true class"], right
    if b[label] > 0:
        rival = next(k for k in np.flatnonzero(b) if k != label)
        its = {"ℓ": d[label] / b[label], "ρ(r, y)": given["costs ρ(·, y)"][rival], "λ": 1.0 / given["1/λ"]}
        its |= {"v_y": given["variances"][label], "v_r": given["variances"][rival]}
        its |= {"v": its["v_y"] + its["v_r"], "β": b[label], "1": 1.0}
        its["s_y − s_r"] = given["scores"][label] - given["scores"][rival]
        for name, numbers in zip("db", answer, strict=True):
            yield f"{name} of the true class, where ℓ > 0,", numbers[label], its
            yield f"{name} of the rival, where ℓ > 0,", numbers[rival], its


def test_a_small_margin(lab, expect):
    """A right prediction whose margin is too small"""
    ((d, b),) = steps_of(lab, [([1.5, 1.0, -2.0], 0, [1.0, 2.0, 7.0], 0.5, ZERO_ONE[0])])
    expect("d for the scores [1.5, 1, −2] where class 0 is true, the variances [1, 2, 7], λ = 2", d, **SINGLE)
    expect("b for the same", b, **SINGLE)
    assert np.asarray(d)[0] * 2 * (3.0 + 2.0) == pytest.approx(1.0, abs=1e-4), (
        "the margin is too small by 1/2, v = 3 and λ = 2, so d of the true class is 1/10"
    )


def test_a_mistake(lab, expect):
    """A mistake by a lot, where the variances are small: a sure weight moves little"""
    steps = [([0.5, 2.5, -1.0], 2, [v, 2 * v, 3 * v], 1.0, ZERO_ONE[2]) for v in (2.0, 0.25)]
    expect("d and b for variances of [2, 4, 6], and of [0.25, 0.5, 0.75], λ = 1", steps_of(lab, steps), **SINGLE)


def test_a_margin_that_suffices(lab, expect):
    """A margin that suffices changes nothing; one that does not does"""
    scores = [[6.0, 1.0, 0.0], [3.0, 1.75, 1.5], [3.0, 2.25, 1.5]]
    answers = steps_of(lab, [(row, 0, [1.0, 1.5, 2.0], 0.8, ZERO_ONE[0]) for row in scores])
    expect("d and b for three examples: the true class leads by 5, by 1.25, by 0.75", answers, **SINGLE)


def test_costs(lab, expect):
    """Costs: the rival is who threatens most, and the margin that it asks for is its cost"""
    answers = steps_of(lab, [([1.0, 2.0, 1.75], 0, [1.0, 2.0, 3.0], 1.0, [0.0, 0.5, 4.0])])
    expect("d and b for the scores [1, 2, 1.75] where class 0 is true, ρ(·, 0) = [0, 0.5, 4]", answers, **SINGLE)


def test_training(lab, expect):
    """Two rounds over six points"""
    X = [[2.0, 0.5], [-0.5, 0.75], [0.25, -3.0], [1.5, 1.0], [-0.25, 0.5], [0.125, 0.25]]
    settings = {"regularizer": 1.25, "nr_rounds": 2, "averaged": False, "order": [4, 0, 2, 5, 1, 3]}
    arow = lab.classifier("arow", "AROW", **settings)
    expect("the weights after two rounds over six points of three classes", arow.train(X, [0, 1, 2, 0, 1, 2]), **SINGLE)


@pytest.mark.hidden
def random_step(rng, n_classes):
    """Return scores, true class, variances, 1/λ and costs: mostly a loss, sometimes none."""
    label, cost = int(rng.integers(n_classes)), rng.uniform(0.2, 3.0, size=n_classes)
    cost[label] = 0.0
    scores = (3.0, 1.0, 0.2)[rng.integers(3)] * rng.normal(size=n_classes)
    scores[label] += rng.uniform(-1.0, 3.0)
    return scores, label, rng.uniform(0.1, 4.0, size=n_classes), float(rng.uniform(0.2, 3.0)), cost


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3, 5, 8])
def test_random_steps(lab, expect, rng, n_classes):
    """Random scores, variances and costs"""
    steps = [random_step(rng, n_classes) for _ in range(96)]
    answers = steps_of(lab, steps)
    expect("d of random steps", [d for d, _ in answers], **SINGLE)
    expect("b of random steps", [b for _, b in answers], **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 4])
def test_random_margins_of_one(lab, expect, rng, n_classes):
    """Random scores with costs of 0 and 1"""
    steps = [random_step(rng, n_classes)[:4] for _ in range(96)]
    steps = [(*step, np.arange(n_classes) != step[1]) for step in steps]
    expect("d and b of random steps", steps_of(lab, steps), **SINGLE)


@pytest.mark.hidden
def test_random_training(lab, expect, rng):
    """Training on random points, of which many have their margin in the third round"""
    y = rng.permutation(np.arange(30) % 3)
    X = rng.normal(size=(30, 2)) + 3.0 * np.array([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])[y]
    arow = lab.classifier("arow", "AROW", regularizer=float(rng.uniform(0.5, 2.0)), nr_rounds=3)
    expect("the weights", arow.train(X, y), **SINGLE)
