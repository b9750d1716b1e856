"""Exercise 1.10: single steps on a few columns, those of the source among them, and a short training run."""

import itertools

import numpy as np
import pytest

NO_CAP = 1e6  # A cap that no step here reaches.
SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"squishing_rule": {"d": "(K,)"}}
MAY_CHANGE = {"squishing_rule"}  # The loop computes new scores for each example.
SOURCE = [0.90085352, 2.25573249, 0.25974194]  # The scores of the source's example; every class must win by 1.


def ones_but(label, n_classes):
    """Return 0/1 costs ρ(·, y)."""
    return 1.0 - np.eye(n_classes)[label]


def steps_of(lab, steps):
    """Return the rule's answers to these scores, labels, ‖g(x)‖², caps and costs."""
    calls = [(np.array(s, float), y, float(n), float(cap), np.array(cost, float)) for s, y, n, cap, cost in steps]
    return lab.each("column_squishing", "squishing_rule", calls)


def small_inputs():
    """Yield two to four classes, scores and costs that are integers or halves, without a cap (100) and with one."""
    three = [[0, 0, 0], [0, 1, 0], [0, 2, 1], [0, 3, 2], [0, 3, 0], [0, 0, 3], [1, 0.5, 0], [0, 2, 2], [0, 4, 1]]
    ladders = {
        2: [[0, 0], [0, 1], [1, 0], [0, 2], [0.5, 0]],
        3: [*three, [2, 3, 0], [0, 2, -1], [1, 0, 3]],
        4: [[0, 3, 2, -3], [0, 3, 2, 1], [0, 4, 2, -1], [1, 0, 3, 2.5], [0, 3, 3, 2], [2, 4, 0, 5]],
    }
    for n_classes, scores_of_all in ladders.items():
        for scores in scores_of_all:
            for sq_norm, cap, others in itertools.product(
                [1, 2, 4], [100, 1, 0.5], [[1, 1, 1], [2, 1, 1], [0.5, 2, 1]]
            ):
                costs = [0, *others[: n_classes - 1]]
                yield {"scores": scores, "true class": 0, "‖g(x)‖²": sq_norm, "cap": cap, "costs": costs}
                if (sq_norm, cap) in [(1, 100), (2, 1)]:
                    costs = [*others[: n_classes - 1], 0]
                    yield {
                        "scores": scores,
                        "true class": n_classes - 1,
                        "‖g(x)‖²": sq_norm,
                        "cap": cap,
                        "costs": costs,
                    }


def small_answers(lab, inputs):
    """Return d of each step."""
    return steps_of(lab, [list(given.values()) for given in inputs])


def small_properties(given, d):
    """Yield the violated properties of a step."""
    label, after = given["true class"], np.array(given["scores"]) + given["‖g(x)‖²"] * d
    if abs(d.sum()) > 1e-5:
        yield "sum_not_zero", "The entries of d do not sum to 0: what the true class gains, the others must lose."
    if d[label] > given["cap"] + 1e-5:
        yield "above_the_cap", "The true class gains more than the cap."
    if np.delete(d, label).max() > 1e-5:
        yield "rival_raised", "A rival goes up. Rivals must come down or stay where they are."
    if d[label] < given["cap"] - 1e-5 and np.any(after + given["costs"] > after[label] + 1e-4):
        yield (
            "margin_missed",
            "After the step a rival is not below the true class by its margin, although the cap allows a longer step.",
        )


def small_parts(given, answer):
    """Yield the entry of the true class, and the entries of the others."""
    yield "the entry of the true class", answer[given["true class"]]
    yield "the entries of the other classes", np.delete(answer, given["true class"])


def test_the_source(lab, expect):
    """The example of the source: each class in turn is to win."""
    ds = steps_of(lab, [(SOURCE, label, 1.0, NO_CAP, ones_but(label, 3)) for label in range(3)])
    expect("d for the scores [0.9009, 2.2557, 0.2597], ‖g(x)‖² = 1; in row y class y is to win by 1", ds, **SINGLE)


def test_two_active_rivals(lab, expect):
    """Two rivals come down; a third lacks its margin, but is low enough once the true class has risen."""
    (d,) = steps_of(lab, [([0.0, 3.0, 2.0, -0.5, -4.0], 0, 4.0, NO_CAP, ones_but(0, 5))])
    expect("d for the scores [0, 3, 2, −0.5, −4] where class 0 is to win by 1, ‖g(x)‖² = 4", d, **SINGLE)


def test_right_but_narrow(lab, expect):
    """A mistake, and a right prediction whose margin is too small: both move."""
    ds = steps_of(lab, [([1.0, 0.75, 0.5, -3.0], label, 2.0, NO_CAP, ones_but(label, 4)) for label in (0, 2)])
    expect(
        "d for the scores [1, 0.75, 0.5, −3], ‖g(x)‖² = 2, where class 0, and where class 2 is to win by 1",
        ds,
        **SINGLE,
    )


def test_costs(lab, expect):
    """Costs: each rival has a margin of its own."""
    (d,) = steps_of(lab, [([1.0, 1.5, 1.25, -1.5, -4.0], 0, 2.0, NO_CAP, [0.0, 0.5, 2.0, 3.5, 2.0])])
    expect(
        "d for the scores [1, 1.5, 1.25, −1.5, −4] where class 0 is true, ρ(·, 0) = [0, 0.5, 2, 3.5, 2], ‖g(x)‖² = 2",
        d,
        **SINGLE,
    )


def test_the_cap(lab, expect):
    """A cap on what the true class gains."""
    (d,) = steps_of(lab, [([0.0, 3.0, 2.5, -0.5, -6.0], 0, 2.0, 0.75, ones_but(0, 5))])
    expect(
        "d for the scores [0, 3, 2.5, −0.5, −6] where class 0 is to win by 1, ‖g(x)‖² = 2, with a cap of 0.75",
        d,
        **SINGLE,
    )


def test_training(lab, expect):
    """Two rounds over six points of three classes, with a cap."""
    X = [[2.0, 0.5], [-1.0, 1.5], [0.5, -2.0], [1.5, 1.0], [-0.5, 1.0], [0.25, 0.5]]
    learner = lab.classifier(
        "column_squishing", "ColumnSquishing", cap=0.3, nr_rounds=2, averaged=False, order=[0, 1, 2, 3, 4, 5]
    )
    expect("the weights after two rounds over six points", learner.train(X, [0, 1, 2, 0, 1, 2]), **SINGLE)


@pytest.mark.hidden
def random_step(rng, n_classes):
    """Return scores, true class, ‖g‖² and costs: some rivals too high; some narrowly right predictions; scores far apart or close."""
    label = int(rng.integers(n_classes))
    cost = rng.uniform(0.2, 2.0, size=n_classes)
    cost[label] = 0.0
    scores = (4.0, 2.0, 0.3)[rng.integers(3)] * rng.normal(size=n_classes)
    if rng.random() < 0.3:
        scores[label] = scores.max() + rng.uniform(0.0, 0.2)
    return scores, label, float(rng.uniform(1.0, 5.0)), cost


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3, 5, 12])
def test_random_steps(lab, expect, rng, n_classes):
    """Random scores and costs, with and without a cap."""
    steps = [random_step(rng, n_classes) for _ in range(150)]
    cap = float(rng.uniform(0.05, 0.5))
    for name, most in [("without a cap", NO_CAP), ("with a cap", cap)]:
        expect(f"d of random steps {name}", steps_of(lab, [(*first, most, cost) for *first, cost in steps]), **SINGLE)


@pytest.mark.hidden
def test_least_change(lab, expect, rng):
    """Every margin is met, the active ones exactly, and what the true class gains the rivals lose."""
    steps = [random_step(rng, 6) for _ in range(80)]
    expect("d of random steps", steps_of(lab, [(*first, NO_CAP, cost) for *first, cost in steps]), **SINGLE)


@pytest.mark.hidden
def test_ties(lab, expect, rng):
    """Rivals that are equally strong come down together."""
    steps = []
    for label in range(40):
        scores = np.full(5, rng.uniform(-0.5, 4.0))
        scores[[label % 5, (label + 2) % 5]] = 0.0, -5.0
        steps.append((scores, label % 5, rng.uniform(0.5, 3.0), NO_CAP, ones_but(label % 5, 5)))
    expect("d for three equally strong rivals, one row for each example", steps_of(lab, steps), **SINGLE)


@pytest.mark.hidden
def test_random_training(lab, expect, rng):
    """Training on random points, averaged, without a cap and with one."""
    X, y = rng.normal(size=(30, 2)), rng.permutation(np.arange(30) % 3)
    for cap in (None, float(rng.uniform(0.05, 0.3))):
        learner = lab.classifier("column_squishing", "ColumnSquishing", cap=cap, nr_rounds=2)
        expect(f"the averaged weights, {'without' if cap is None else 'with'} a cap", learner.train(X, y), **SINGLE)
