"""Exercise 1.7: the cost-augmented rule of the SVM, and its whole step W ← (1 − η λ) W + g(x) dᵀ."""

import itertools

import numpy as np
import pytest

from lxmls_day1.lab_api import NoAnswer

ZERO_ONE = 1.0 - np.eye(3)
SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"svm_rule": {"d": "(K,)"}, "svm_step": {"the new W": "(J + 1, K)"}}
MAY_CHANGE = {"svm_rule"}  # The loop computes new scores for each example.
TOLD_AS = {"svm_rule": "d", "svm_step": "the new weights, minus g(x) dᵀ with the d of svm_rule"}


SMALL_COSTS = ([1, 1, 1], [0.5, 2, 3], [3, 0.5, 1.5])


def small_inputs():
    """Yield steps of the rule on two and three classes, then steps on whole weights; never are two rivals equally dangerous."""
    two = [[0, 0], [0, 1], [3, 0], [1, 0], [1.5, 0], [0, 3], [-9, -5]]
    three = [[0, 1, 0], [1, 2.5, 0], [2, 1, 2.5], [0, 3, 1], [3, 1.5, 1], [4, 0, 1], [2, 0.75, -3], [-9, -5, -6]]
    for scores in two + three:
        for label in range(len(scores)):
            for step, sq_norm, costs in ((1, 1, 0), (0.5, 2, 0), (2, 4, 1), (0.5, 1, 2)):
                cost = cost_of(label, SMALL_COSTS[costs][: len(scores)])
                # Either one class alone is in front, or the true class leads by exactly its margin.
                if one_in_front(scores, cost) or np.argmax(np.add(scores, cost)) == label:
                    settings = {"true class": label, "η": step, "‖g(x)‖²": sq_norm, "costs": cost}
                    yield {"function": "svm_rule", "scores": scores, **settings}
    of_two = [[[0, 0], [0, 0]], [[1, 0], [0, 1]], [[1, 0], [2, 0]], [[0, 4], [2, 0]]]
    for weights in [*of_two, [[1, -1, 0], [1, 2, 0]], [[3, 0, 1], [2, 1, 0]]]:
        for x in (1, 2, -1):
            for label in range(len(weights[0])):
                for step, regularizer, costs in ((1, 0.5, 0), (0.5, 1, 1), (0.5, 0.5, 2)):
                    cost = cost_of(label, SMALL_COSTS[costs][: len(weights[0])])
                    if one_in_front(np.array([1, x]) @ weights, cost):
                        settings = {"true class": label, "η": step, "λ": regularizer, "costs": cost}
                        yield {"function": "svm_step", "weights": weights, "g(x)": [1, x], **settings}


def cost_of(label, costs):
    return [0 if k == label else cost for k, cost in enumerate(costs)]


def one_in_front(scores, cost):
    """Return True if one class alone has the highest sum; the choice between two would be a convention."""
    second, first = np.sort(np.add(scores, cost))[-2:]
    return first > second


def steps_with_own_rule(lab, calls):
    """Return the weights after each step minus g(x) dᵀ, with d from the lab's own rule, so that a wrong rule makes no step wrong.

    Another rule replaces a rule that is a stub, fails, returns a wrong shape or type, or does not move although the true class is not
    in front, because without a d no step shows that it adds g(x) dᵀ.
    """
    if not calls:
        return []
    asked = [(g @ W, label, float(g @ g), step, cost) for W, g, label, step, _, cost in calls]
    given = None
    try:
        changes = [np.asarray(d, float) for d in lab.each("svm", "svm_rule", asked)]
    except NoAnswer:
        raise
    except Exception:
        changes = []
    are_of_form = [np.shape(d) for d in changes] == [scores.shape for scores, *_ in asked]
    behind = [np.argmax(scores + cost) != y for scores, y, _, _, cost in asked]
    if not are_of_form or (
        not any(np.abs(d).max() > 0.01 for d in itertools.compress(changes, behind)) and any(behind)
    ):
        changes = [step * (np.eye(len(cost))[y] - np.eye(len(cost))[y - 1]) for _, y, _, step, cost in asked]
        tables = zip(asked, changes, strict=True)
        given = {"svm_rule": [({tuple(s.tolist()): d}, (y, None, step, cost)) for (s, y, _, step, cost), d in tables]}
    made = zip(calls, changes, lab.each("svm", "svm_step", calls, given=given), strict=True)
    return [np.asarray(new) - np.outer(g, d) if np.shape(new) == W.shape else new for (W, g, *_), d, new in made]


def small_answers(lab, inputs):
    """Return the rule's answer; or the weights after the step, without g(x) dᵀ."""
    calls = {name: [_small_arguments(i) for i in inputs if i["function"] == name] for name in ("svm_rule", "svm_step")}
    of_rule = iter(lab.each("svm", "svm_rule", calls["svm_rule"]) if calls["svm_rule"] else [])
    of_step = iter(steps_with_own_rule(lab, calls["svm_step"]))
    return [next(of_rule if i["function"] == "svm_rule" else of_step) for i in inputs]


def _small_arguments(i):
    cost = np.array(i["costs"], float)
    if i["function"] == "svm_rule":
        return np.array(i["scores"], float), i["true class"], float(i["‖g(x)‖²"]), float(i["η"]), cost
    g = np.array(i["g(x)"], float)
    return np.array(i["weights"], float), g, i["true class"], float(i["η"]), float(i["λ"]), cost


def small_properties(given, answer):
    """Yield the violated properties of d, or of the weights after a step."""
    if given["function"] == "svm_step":
        kept = (1 - given["η"] * given["λ"]) * np.array(given["weights"], float)
        if np.abs((answer - kept).sum(axis=1)).max() > 1e-4:
            yield (
                "columns_do_not_balance",
                "Take (1 − η λ) W from the new weights: what is left are the changes of the classes, and they do not sum to 0. What the "
                "true class gains, its rival loses.",
            )
        return
    ahead = np.argmax(np.add(given["scores"], given["costs"])) == given["true class"]
    if ahead and np.any(answer):
        yield (
            "moves_although_content",
            "d is not 0 although the true class wins by its margin. There is no loss then, so d must be 0.",
        )
    elif not ahead and not np.any(answer):
        yield "does_not_move", "d stays 0 although the true class does not win by its margin."
    elif np.abs(np.sum(answer)) > 1e-5:
        yield "sum_not_zero", "The entries of d do not sum to 0: what the true class gains, the rival loses."
    elif np.abs(np.abs(answer[np.abs(answer) > 1e-6]) - given["η"]).max(initial=0.0) > 1e-5:
        yield "not_the_step_size", "Some entries of d are neither 0 nor plus or minus the step size η."


def small_parts(given, answer):
    """Yield the results of the two functions."""
    yield f"`{given['function']}`", answer


def test_rule(lab, expect):
    """The rule on four examples"""
    examples = [  # scores, cost of each class; the true class is 0
        ([3.0, 1.5, 0.5], ZERO_ONE[0]),  # right by more than its margin
        ([2.0, 1.6, 0.0], ZERO_ONE[0]),  # right, by less than its margin
        ([1.0, 1.6, 1.4], np.array([0.0, 0.5, 2.0])),  # wrong, and class 2 would cost more than class 1
        ([1.0, 1.4, 1.2], np.array([0.0, 0.5, 2.0])),  # the same, more narrowly
    ]
    d = lab.each("svm", "svm_rule", [(np.array(scores), 0, 2.0, 0.5, cost) for scores, cost in examples])
    expect("d, one row for each example: right by its margin, right by less, wrong, narrowly wrong", d, **SINGLE)


def test_step(lab, expect):
    """One step on a small weight matrix"""
    W = np.array([[0.5, -0.5, 0.0], [0.5, 1.0, -1.5]])
    (rest,) = steps_with_own_rule(lab, [(W, np.array([1.0, 2.0]), 0, 0.5, 0.4, ZERO_ONE[0])])  # scores 1.5, 1.5, −3
    expect("W after a step with η = 0.5, λ = 0.4 on g(x) = (1, 2) of class 0, without g(x) dᵀ", rest, **SINGLE)


def test_step_on_a_satisfied_example(lab, expect):
    """One step where the true class wins by its margin"""
    W = np.array([[1.0, 0.0, -1.0], [1.0, 0.75, 0.25]])
    calls = [(W, np.array([1.0, 2.0]), label, 0.5, 0.8, ZERO_ONE[label]) for label in (0, 1)]  # scores 3, 1.5, −0.5
    what = "W after a step with η = 0.5, λ = 0.8 on (1, 2) of class 0, ahead by 1.5, and of class 1, without g(x) dᵀ"
    expect(what, steps_with_own_rule(lab, calls), **SINGLE)


def test_training(lab, expect):
    """Two rounds of training with unequal costs, and the same steps one by one"""
    X = np.array([[2.0, 0.0], [1.5, 1.0], [-1.0, 0.5], [-2.0, -1.0], [0.0, 2.0], [0.5, 3.0]])
    y, order = [0, 0, 1, 1, 2, 2], [0, 2, 4, 1, 3, 5]
    cost = np.array(
        [[0.0, 1.0, 2.0], [0.5, 0.0, 1.0], [1.5, 0.7, 0.0]]
    )  # cost[p, y] is the cost of predicting p if y is true.
    settings = {"regularizer": 0.3, "nr_rounds": 2, "order": order}
    settings |= {"initial_step": 0.8, "alpha": 0.7, "averaged": False}
    svm = lab.classifier("svm", "SVM", cost=cost, **settings)
    params = svm.train(X, y)
    expect("the weights after two rounds", params, **SINGLE)
    expect("their objective", svm.objective(X, y, params), **SINGLE)

    W = np.zeros((3, 3))
    for t, m in enumerate(order * 2, start=1):
        g = np.array([1.0, *X[m]])
        new = lab.function("svm", "svm_step", W, g, y[m], 0.8 * t**-0.7, 0.3, cost[:, y[m]])
        W = np.reshape(new, W.shape)
    expect("the weights after the same twelve steps by svm_step", W, **SINGLE)
    assert np.allclose(W, params, **SINGLE), "svm_step does not do what the loop does"


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_random_rule(lab, expect, rng, n_classes):
    """The rule on random scores and costs"""
    calls = []
    for number in range(160):  # With fewer inputs, some seeds would miss a rare mistake.
        scores, label = (0.3, 1.0, 3.0)[rng.integers(3)] * rng.normal(size=n_classes), int(rng.integers(n_classes))
        if number % 2:  # Right, with a margin or without.
            scores[label] = scores.max() + rng.uniform(0.0, 3.0)
        cost = rng.uniform(0.2, 2.0, size=n_classes) * (np.arange(n_classes) != label)
        far = (-9.0, 0.0, 9.0)[rng.integers(3)]
        calls.append((scores + far, label, rng.uniform(1.0, 9.0), rng.uniform(0.1, 2.0), cost))
    expect("d of each example, in a row", lab.each("svm", "svm_rule", calls), **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 4])
def test_random_step(lab, expect, rng, n_classes):
    """Steps on random weights"""
    calls = []
    for _ in range(60):
        W, g = (
            np.round(32 * rng.normal(size=size)) / 32 for size in ((3, n_classes), 3)
        )  # The scores have no rounding errors.
        g[0], label = 1.0, int(rng.integers(n_classes))
        cost = rng.uniform(0.2, 2.0, size=n_classes) * (np.arange(n_classes) != label)
        calls.append((W, g, label, rng.uniform(0.2, 1.0), rng.uniform(0.2, 1.0), cost))
    expect("the weights after each of the steps, without g(x) dᵀ", steps_with_own_rule(lab, calls), **SINGLE)


LEADS = (-1.0, 0.5, 0.9, 1.0, 1.1, 2.0)  # The lead of the true class; the margin is 1.


@pytest.mark.hidden
def test_margins_missed_and_met(lab, expect, rng):
    """The rule on examples that miss their margin, meet it exactly, and pass it"""
    rules = []
    for lead, far in itertools.product(LEADS, (-9.0, -1.0, 0.0, 5.0)):
        scores = np.array([lead, 0.0, -3.0])
        rules.append((scores + far, 0, 2.0, float(rng.uniform(0.2, 1.0)), ZERO_ONE[0]))
    expect("d, one row for each example", lab.each("svm", "svm_rule", rules), **SINGLE)


@pytest.mark.hidden
def test_steps_at_the_margin(lab, expect, rng):
    """The step on examples that miss their margin, meet it exactly, and pass it"""
    steps = []
    for lead in LEADS * 4:
        W, g = np.array([[0.0, 0.0, 0.0], [lead, 0.0, -3.0]]), np.array([1.0, 1.0])
        steps.append((W, g, 0, float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.2, 1.0)), ZERO_ONE[0]))
    expect("the weights after each step, without g(x) dᵀ", steps_with_own_rule(lab, steps), **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 4])
def test_random_training(lab, expect, rng, n_classes):
    """Training on random examples with random costs"""
    for number in range(4):
        y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=20 - n_classes)])
        X = (
            rng.normal(size=(20, 3)) + 2.0 * np.eye(4, 3)[y]
        )  # Some examples reach their margin after a round, others never.
        cost = rng.uniform(0.5, 2.0, size=(n_classes, n_classes)) * (1.0 - np.eye(n_classes))
        svm = lab.classifier("svm", "SVM", regularizer=rng.uniform(0.1, 0.5), nr_rounds=3, alpha=0.8, cost=cost, seed=5)
        params = svm.train(X, y)
        expect(f"the weights in trial {number + 1}", params, **SINGLE)
        expect(f"their objective in trial {number + 1}", svm.objective(X, y, params), **SINGLE)
