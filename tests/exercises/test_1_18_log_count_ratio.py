"""Exercise 1.18: r = log (p/‖p‖₁) − log (q/‖q‖₁)."""

import itertools

import numpy as np
import pytest

SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"log_count_ratio": {"r": "(J,)"}}


def ratio(lab, inside, outside, alpha):
    """Return the result of `log_count_ratio`."""
    return lab.function("nbsvm", "log_count_ratio", np.array(inside, float), np.array(outside, float), float(alpha))


def _counts(given, side):
    return np.array(given[side], int if "counts are" in given else float)


def small_inputs():
    """Yield one feature before two and three; α = 1 before others."""
    counts = [[0], [1], [3], [0, 0], [1, 0], [2, 1], [0, 3], [4, 4], [1, 0, 2], [3, 1, 1], [0, 0, 5]]
    for alpha in (1, 2, 0.5):
        for inside, outside in itertools.product(counts, counts):
            if len(inside) == len(outside):
                yield {"inside": inside, "outside": outside, "α": alpha}
    for alpha in (0.5, 1, 2.5):
        yield {"inside": [3, 1], "outside": [0, 2], "α": alpha, "counts are": "an array of integers"}


def small_answers(lab, inputs):
    """Return the ratios for each input."""
    calls = [(_counts(i, "inside"), _counts(i, "outside"), float(i["α"])) for i in inputs]
    return lab.each("nbsvm", "log_count_ratio", calls)


def small_properties(given, answer):
    """Yield the violated properties of the ratios."""
    q = given["α"] + np.array(given["outside"], float)
    if abs((np.exp(answer) * q).sum() / q.sum() - 1.0) > 1e-4:
        yield (
            "no_ratio_of_shares",
            "The shares q/‖q‖₁ times e^r must be the shares p/‖p‖₁, but they do not sum to 1: r is not log(p/‖p‖₁) − log(q/‖q‖₁).",
        )


def small_terms(given, answer, right):
    """Yield terms for formulas of the ratios."""
    p, q = (given["α"] + np.array(given[side], float) for side in ("inside", "outside"))
    logs = {"log p": np.log(p), "log q": np.log(q), "log ‖p‖₁": np.log(p.sum()), "log ‖q‖₁": np.log(q.sum())}
    yield "r", answer, logs | {"p / ‖p‖₁": p / p.sum(), "q / ‖q‖₁": q / q.sum()}


def test_by_hand(lab, expect):
    """Two features that can be followed by hand"""
    found = ratio(lab, [3, 1], [0, 2], 1.0)
    expect("log of (4/6)/(1/4) and (2/6)/(3/4)", found, **SINGLE)
    found = lab.function("nbsvm", "log_count_ratio", np.array([3, 1]), np.array([0, 2]), 0.5)
    expect("the same counts as arrays of integers, with α = 0.5", found, **SINGLE)


def test_the_same_on_both_sides(lab, expect):
    """A feature as frequent inside as outside says nothing; one more inside, and all three say something"""
    found = [ratio(lab, [2, 5, 1], [2, 5, 1], 0.5), ratio(lab, [2, 5, 2], [2, 5, 1], 0.5)]
    expect("three features with the same counts on both sides; then the last once more inside", found, **SINGLE)


def test_smoothing(lab, expect):
    """Features that one side never shows, for several α"""
    expect("α = 0.1, 1 and 10", [ratio(lab, [7, 0, 2], [0, 4, 30], alpha) for alpha in (0.1, 1.0, 10.0)], **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("n_features", [4, 9, 40])
def test_random_counts(lab, expect, rng, n_features):
    """Random counts"""
    inside, outside = rng.integers(0, 60, n_features), rng.integers(0, 12, n_features)
    alpha = float(rng.uniform(0.2, 3.0))
    expect("r", ratio(lab, inside, outside, alpha), **SINGLE)
    expect("r with the sides exchanged", ratio(lab, outside, inside, alpha), **SINGLE)


@pytest.mark.hidden
def test_the_counts_stay_as_they_are(lab, expect, rng):
    """The counts are the caller's"""
    counts = [(rng.integers(0, 9, 6) * 1.0, rng.integers(0, 9, 6) * 1.0, 1.0) for _ in range(12)]
    expect("r, one row for each", lab.each("nbsvm", "log_count_ratio", counts), **SINGLE)
    assert not lab.changes, "the counts were changed"
