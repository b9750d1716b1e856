"""Exercise 1.6: d = η (e_y − p), the stochastic gradient step of maximum entropy."""

import numpy as np
import pytest

ZERO_ONE = 1.0 - np.eye(3)
SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"max_ent_rule": {"d": "(K,)"}}
MAY_CHANGE = {"max_ent_rule"}  # The loop computes new scores for each example.


def small_inputs():
    """Yield few classes and integers first; in the last inputs e^s overflows."""
    few = [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [-1, 1], [0, 0, 1], [1, 2, 0], [2, 0, 1], [2, 2, 0], [0, -1, 1]]
    large = [[1000, 1000], [1000, 999], [-1000, -999], [1000, 0], [0, -1000], [2000, 0], [-2000, 0], [0, -500, -1000]]
    for scores in few:
        for label in range(len(scores)):
            for step, sq_norm, costs in ((1, 1, 1), (0.5, 2, 1), (2, 4, 0.5)):
                cost = [0 if k == label else costs * (k + 1) for k in range(len(scores))]
                yield {"scores": scores, "true class": label, "step": step, "‖g(x)‖²": sq_norm, "costs": cost}
    for scores in large:
        for label in range(len(scores)):
            cost = [int(k != label) for k in range(len(scores))]
            yield {"scores": scores, "true class": label, "step": 1, "‖g(x)‖²": 1, "costs": cost}


def small_answers(lab, inputs):
    """Return the rule's answers to the inputs."""
    words = ("scores", "true class", "‖g(x)‖²", "step", "costs")
    calls = [[np.array(i[word], float)[()] for word in words] for i in inputs]
    return lab.each("max_ent_online", "max_ent_rule", [(s, int(y), *others) for s, y, *others in calls])


def small_parts(given, answer):
    """Yield the entry of the true class, and the entries of the others."""
    yield "the entry of the true class", answer[given["true class"]]
    yield "the entries of the other classes", np.delete(answer, given["true class"])


def test_by_hand(lab, expect):
    """One step that can be followed by hand"""
    scores = np.log([1.0, 2.0, 5.0])  # The probabilities are 1/8, 2/8 and 5/8.
    d = lab.function("max_ent_online", "max_ent_rule", scores, 1, 4.0, 0.5, ZERO_ONE[1])
    expect("d for the scores log 1, log 2, log 5, the true class 1 and the step 0.5", d, **SINGLE)
    assert abs(np.sum(d)) < 1e-6, "the true class does not gain what all classes lose: d does not sum to 0"


def test_nothing_known(lab, expect):
    """All scores equal, as they are before the first step"""
    d = lab.function("max_ent_online", "max_ent_rule", np.zeros(3), 2, 1.0, 0.3, ZERO_ONE[2])
    expect("d for the scores 0, 0, 0, the true class 2 and the step 0.3", d, **SINGLE)


def test_large_scores(lab, expect):
    """Scores of a thousand, and of minus three thousand"""
    scores = np.array([1000.0, 1000.0 - np.log(3.0), -3000.0])  # exp of the distance to their mean overflows, too.
    calls = [(each, 1, 1.0, 1.0, ZERO_ONE[1]) for each in (scores, scores - 2000.0)]
    large, small = lab.each("max_ent_online", "max_ent_rule", calls)
    expect("d for the scores 1000, 1000 − log 3, −3000, the true class 1 and the step 1", large, rtol=1e-4)
    expect("d for the same scores, each minus 2000", small, rtol=1e-4)


def test_training(lab, expect):
    """Two rounds of training on six examples"""
    X = np.array([[2.0, 0.0], [1.5, 1.0], [-1.0, 0.5], [-2.0, -1.0], [0.0, 2.0], [0.5, 3.0]])
    y = [0, 0, 1, 1, 2, 2]
    settings = {"regularizer": 0.1, "nr_rounds": 2, "order": [0, 2, 4, 1, 3, 5]}
    settings |= {"initial_step": 0.8, "alpha": 0.7, "averaged": False}
    maxent = lab.classifier("max_ent_online", "MaxEntOnline", **settings)
    params = maxent.train(X, y)
    expect("the weights after two rounds", params, **SINGLE)
    objective = maxent.objective(X, y, params)
    expect("their objective", objective, **SINGLE)
    assert objective < np.log(3.0), "the objective is no better than with all weights 0"


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3, 8])
def test_random_scores(lab, expect, rng, n_classes):
    """Random scores"""
    calls = []
    for _ in range(24):  # With fewer inputs, some seeds would miss a rare mistake.
        scores, label, step = rng.normal(scale=3.0, size=n_classes), int(rng.integers(n_classes)), rng.uniform(0.1, 2.0)
        cost = rng.uniform(0.5, 2.0, size=n_classes) * (np.arange(n_classes) != label)
        calls.append((scores, label, rng.uniform(1.0, 9.0), step, cost))
    expect("d of each example, in a row", lab.each("max_ent_online", "max_ent_rule", calls), **SINGLE)


@pytest.mark.hidden
def test_random_large_scores(lab, expect, rng):
    """Random scores, far from zero and far from one another"""
    scores = np.round(64 * rng.normal(size=4)) / 64  # All of these numbers are exact in single precision.
    shifts = (-1e4, -800.0, 800.0, 1e4)
    apart = scores - [0.0, 0.0, 2000.0, 3000.0]  # only subtracting the largest score works
    calls = [(scores + far, label, 1.0, 0.5, np.zeros(4)) for far in shifts for label in range(4)]
    calls += [(np.roll(apart, places), label, 1.0, 0.5, np.zeros(4)) for places in range(4) for label in range(4)]
    expect("d, one row for each example", lab.each("max_ent_online", "max_ent_rule", calls), **SINGLE)


@pytest.mark.hidden
def test_random_scores_far_apart(lab, expect, rng):
    """Random scores, far from one another: no mean, and no score but the largest, keeps all of them from an overflow"""
    calls = [
        (rng.permutation([-9e3, 1e3, 1e3 + 1, 9e3]) + rng.integers(-64, 64) / 64, k, 1.0, 1.0, np.zeros(4))
        for k in range(4)
    ]
    calls += [(-scores, label, *others) for scores, label, *others in calls]
    expect("d, one row for each example", lab.each("max_ent_online", "max_ent_rule", calls), **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 4])
def test_random_training(lab, expect, rng, n_classes):
    """Training on random examples"""
    X, y = (
        rng.normal(scale=3.0, size=(20, 3)),
        np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=20 - n_classes)]),
    )
    maxent = lab.classifier("max_ent_online", "MaxEntOnline", regularizer=rng.uniform(0.01, 0.2), nr_rounds=3, seed=5)
    params = maxent.train(X, y)
    expect("the weights", params, **SINGLE)
    expect("the probabilities of the first examples", maxent.get_probabilities(X[:3], params), **SINGLE)
