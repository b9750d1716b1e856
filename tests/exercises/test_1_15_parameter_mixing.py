"""Exercise 1.15: the mixed weights of parts, and the sum and number of all their steps."""

import numpy as np
import pytest

from lxmls_day1.lab_api import results

SINGLE = {"rtol": 1e-5, "atol": 1e-5}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"mixed": {"W": "(J + 1, K)", "total": "(J + 1, K)", "count": ""}}
TOLD_AS = "W, then the sum, row by row; then the count"


def mixes(lab, tasks):
    """Return the unconverted mixture of each of these weights, sums, numbers of steps and shares."""
    calls = [
        (np.array(weights, float), np.array(sums, float), np.array(n_steps), np.array(shares, float))
        for weights, sums, n_steps, shares in tasks
    ]
    return lab.each("parameter_mixing", "mixed", calls)


def mix(lab, *task):
    """Return W, the sum and the count of one mixture."""
    ((mixture, summed, number),) = mixes(lab, [task])
    return mixture, summed, number


def small_inputs():
    """Yield one part before two and three; one weight before a column and a matrix; equal shares before others."""
    for weight, total, steps in ((1, 1, 1), (2, 3, 2), (0, 4, 3)):
        yield {"weights": [[[weight]]], "sums": [[[total]]], "steps": [steps], "shares": [1]}
    pairs = [([2, 4], [2, 4]), ([0, 4], [1, 4]), ([1, -1], [3, 0]), ([3, 1], [0, 5])]
    for (weights, sums), steps, shares in [
        (pair, steps, shares)
        for steps, shares in (
            ([1, 1], [0.5, 0.5]),
            ([2, 2], [0.5, 0.5]),
            ([3, 1], [0.75, 0.25]),
            ([1, 4], [0.2, 0.8]),
            ([2, 3], [0.5, 0.5]),
            ([2, 0], [1, 0]),
        )
        for pair in pairs
    ]:
        sums = [s if t else 0 for s, t in zip(sums, steps, strict=True)]
        yield {"weights": [[[w]] for w in weights], "sums": [[[s]] for s in sums], "steps": steps, "shares": shares}
    for shares, steps in (([0.5, 0.25, 0.25], [2, 1, 1]), ([0.25, 0.25, 0.5], [1, 1, 2]), ([0.2, 0.4, 0.4], [1, 2, 2])):
        yield {"weights": [[[4]], [[0]], [[8]]], "sums": [[[6]], [[1]], [[9]]], "steps": steps, "shares": shares}
    for shares, steps in (([0.5, 0.5], [2, 2]), ([0.75, 0.25], [3, 1]), ([0.5, 0.5], [1, 3])):
        yield {"weights": [[[1], [2]], [[3], [0]]], "sums": [[[2], [4]], [[5], [1]]], "steps": steps, "shares": shares}
        yield {
            "weights": [[[1, -1], [2, -2]], [[0, 0], [4, -4]]],
            "sums": [[[3, -3], [4, -4]], [[0, 0], [6, -6]]],
            "steps": steps,
            "shares": shares,
        }
    yield {
        "weights": [[[1, 0, -1], [2, 1, -3]], [[0, 2, -2], [4, -4, 0]], [[1, 1, -2], [0, 0, 0]]],
        "sums": [[[3, 1, -4], [4, 0, -4]], [[0, 2, -2], [6, -6, 0]], [[1, 1, -2], [2, 0, -2]]],
        "steps": [3, 2, 1],
        "shares": [0.5, 0.25, 0.25],
    }


def small_answers(lab, inputs):
    """Return W, the sum and the number of steps, one after the other."""
    made = [results(its, "W", "the sum", "the count") for its in mixes(lab, [tuple(i.values()) for i in inputs])]
    return [W if isinstance(W, str) else [*np.ravel(W), *np.ravel(total), count] for W, total, count in made]


def small_properties(given, answer):
    """Yield the violated properties of mixed weights."""
    of_parts = np.reshape(given["weights"], (len(given["weights"]), -1))
    W = np.asarray(answer)[: of_parts.shape[1]]
    if (of_parts.max(axis=0) + 1e-4 < W).any() or (of_parts.min(axis=0) - 1e-4 > W).any():
        yield (
            "no_mean",
            "An entry of W is outside the range of the parts' entries. A mean lies between the smallest and the largest.",
        )


def small_parts(given, answer):
    """Yield the three results."""
    mean, total = np.reshape(answer[:-1], (2, *np.shape(given["weights"][0])))
    yield "W", mean
    yield "the sum", total
    yield "the count", answer[-1]


WEIGHTS = [
    [[1.0, -1.0], [0.5, -0.5], [2.0, -2.0]],
    [[0.0, 0.0], [1.5, -1.5], [-1.0, 1.0]],
    [[2.0, -2.0], [4.0, -4.0], [3.0, -3.0]],
]
SUMS = [
    [[6.0, -6.0], [3.5, -3.5], [9.0, -9.0]],
    [[1.0, -1.0], [2.5, -2.5], [-1.0, 1.0]],
    [[7.0, -7.0], [8.0, -8.0], [2.0, -2.0]],
]


def small_terms(given, answer, right):
    """Yield terms for formulas of W, the sum and the count."""
    weights, sums = (np.array(given[word], float) for word in ("weights", "sums"))
    steps, shares = given["steps"], given["shares"]
    W, total = np.reshape(answer[:-1], (2, *weights[0].shape))
    of_steps = {"Σ T_p W_p": sum(map(np.multiply, steps, weights)), "Σ T_p": right[-1]}
    both = [t * share for t, share in zip(steps, shares, strict=True)]
    its = {"Σ ω_p T_p W_p": sum(map(np.multiply, both, weights)), "Σ ω_p T_p": sum(both)}
    its |= {"Σ W_p": sum(weights), "W_P": weights[-1], "ω_P": shares[-1], "the largest T_p": max(steps)}
    yield "W", W, its | of_steps
    of_shares = {"Σ ω_p S_p": sum(map(np.multiply, shares, sums))} | of_steps
    yield "the sum", total, {"S_1": sums[0], "S_P": sums[-1], "W": W, "P": len(steps)} | of_shares
    yield "the count", answer[-1], {"Σ T_p": right[-1], "P": len(steps), "T_1": steps[0], "1": 1.0}


def test_weights(lab, expect):
    """The mean of the weights, by the shares"""
    W, _, _ = mix(lab, WEIGHTS, SUMS, [5, 2, 3], [0.5, 0.2, 0.3])
    expect("W of three parts with the shares 0.5, 0.2 and 0.3", W, **SINGLE)


def test_average(lab, expect):
    """The sum and the number of all steps"""
    _, total, count = mix(lab, WEIGHTS, SUMS, [5, 2, 3], [0.5, 0.2, 0.3])
    expect("the sum over the steps of all parts", total, **SINGLE)
    expect("the number of these steps", count)
    expect("their average, the sum divided by the number", np.asarray(total) / count, **SINGLE)


def test_one_part(lab, expect):
    """A single part does not change"""
    W, total, count = mix(lab, WEIGHTS[:1], SUMS[:1], [5], [1.0])
    expect("W of a single part", W, **SINGLE)
    expect("its sum", total, **SINGLE)
    expect("its number of steps", count)


@pytest.mark.hidden
@pytest.mark.parametrize(("n_parts", "n_rows", "n_classes"), [(2, 3, 2), (4, 5, 3), (7, 2, 4)])
def test_random_parts(lab, expect, rng, n_parts, n_rows, n_classes):
    """Random parts with shares of all sizes"""
    for number in range(2):
        weights, sums = rng.normal(size=(2, n_parts, n_rows, n_classes))
        n_steps, shares = rng.integers(1, 30, size=n_parts), rng.dirichlet(np.ones(n_parts))
        W, total, count = mix(lab, weights, 9 * sums, n_steps, shares)
        expect(f"W in trial {number + 1}", W, **SINGLE)
        expect(f"the sum in trial {number + 1}", total, **SINGLE)
        expect(f"the number of steps in trial {number + 1}", count)


@pytest.mark.hidden
def test_by_the_definition(lab, expect, rng):
    """Every matrix of every step written down: their mean is total / count"""
    n_steps = rng.integers(2, 9, size=4)
    walks = [np.cumsum(rng.normal(size=(steps, 3, 2)), axis=0) for steps in n_steps]
    W, total, count = mix(
        lab, [walk[-1] for walk in walks], [walk.sum(axis=0) for walk in walks], n_steps, n_steps / n_steps.sum()
    )
    expect("W after random walks of four parts", W, **SINGLE)
    expect("total / count after them", np.asarray(total) / count, **SINGLE)
    assert np.allclose(np.asarray(total) / count, np.concatenate(walks).mean(axis=0), **SINGLE), (
        "total / count is not the mean of all the matrices"
    )
