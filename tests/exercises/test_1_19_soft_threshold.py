"""Exercise 1.19: argmin_x (1/2)(x − a)² + λ|x|."""

import numpy as np
import pytest

SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"soft_threshold": {"w": "like a"}}


def threshold(lab, a, penalty):
    """Return the result of `soft_threshold`."""
    penalty = np.array(penalty, float) if np.ndim(penalty) else float(penalty)
    return lab.function("owl_qn", "soft_threshold", np.array(a, float), penalty)


def small_inputs():
    """Yield one number before two and three; λ = 1 before 0 and others. Inputs of three have numbers for which few wrong rules agree."""
    for penalty in (1, 0, 2, 0.5):
        for a in (0, 1, 2, 3, 0.5, -0.5, -1, -2, -3, 5, -5):
            yield {"a": [a], "λ": penalty}
    for a in ([2, -1], [0.5, -3], [-2, 4]):
        yield {"a": a, "λ": 1}
    for penalty in (1, 1.5, 0.75, 0.25, 3):
        for a in ([2.5, -0.6, -4], [-1.3, 0.2, 6], [0.7, -2.2, 1.1], [-0.4, 3.5, -7], [5.2, 1.6, -0.9]):
            yield {"a": a, "λ": penalty}
    for a, penalties in (([3, -3], [1, 2]), ([0.5, -2], [1, 0]), ([2.5, -0.6, -4], [3, 0.25, 1.5])):
        yield {"a": a, "λ": penalties}
    for penalty in (1, 0.5, [[0.25, 1.5], [2, 1]], [[1, 2], [0.5, 3]]):
        yield {"a": [[3, -0.5], [1, -2]], "λ": penalty}


def small_answers(lab, inputs):
    """Return the best x for each input."""
    calls = [(np.array(i["a"], float), np.array(i["λ"], float) if np.ndim(i["λ"]) else float(i["λ"])) for i in inputs]
    return lab.each("owl_qn", "soft_threshold", calls)


def small_properties(given, answer):
    """Yield the violated properties of the best x."""
    a = np.array(given["a"], float)
    if np.any(a * answer < -1e-5):
        yield "on_the_other_side", "An answer is not on the same side of 0 as a."
    elif np.any(np.abs(answer) > np.abs(a) + 1e-5):
        yield "farther_from_zero", "An answer is farther from 0 than a. The penalty moves values towards 0."


def small_terms(given, answer, right):
    """Yield terms for formulas of the best x."""
    a, penalty = np.array(given["a"], float), np.broadcast_to(given["λ"], np.shape(given["a"]))
    terms = {"a": a, "λ": penalty, "λ²": penalty**2, "1": np.ones(a.shape)}
    for where, chosen in {"a > λ": a > penalty, "a < −λ": a < -penalty}.items():
        yield f"the answer where {where}", answer[chosen], {word: term[chosen] for word, term in terms.items()}
    terms |= {"|a|": np.abs(a), "sign of a": np.sign(a)}
    within = np.abs(a) <= penalty
    yield "the answer where −λ ≤ a ≤ λ", answer[within], {word: term[within] for word, term in terms.items()}


def test_beyond_the_threshold(lab, expect):
    """Numbers that are larger than λ, of both signs"""
    expect("a = 3, −3 and 1.5 with λ = 1", threshold(lab, [3.0, -3.0, 1.5], 1.0), **SINGLE)


def test_below_the_threshold(lab, expect):
    """Numbers from −λ to λ, and one beyond"""
    expect(
        "a = 0.5, −0.5, 0, 1, −1 and 2.5 with λ = 1", threshold(lab, [0.5, -0.5, 0.0, 1.0, -1.0, 2.5], 1.0), **SINGLE
    )


def test_a_penalty_for_each(lab, expect):
    """A penalty for each number, one of them 0"""
    expect(
        "a = 3, −3, 3, −0.2 with λ = 0, 1, 5, 0.1",
        threshold(lab, [3.0, -3.0, 3.0, -0.2], [0.0, 1.0, 5.0, 0.1]),
        **SINGLE,
    )


def test_rows_and_columns(lab, expect):
    """Numbers in rows and columns"""
    numbers = [[3.0, -3.0, 0.5], [-0.2, 1.5, 0.0]]
    expect("a = (3, −3, 0.5) and (−0.2, 1.5, 0) with λ = 1", threshold(lab, numbers, 1.0), **SINGLE)


@pytest.mark.hidden
@pytest.mark.parametrize("shape", [(12,), (5, 4)])
def test_random_numbers(lab, expect, rng, shape):
    """Random numbers and penalties"""
    a = rng.normal(size=shape) * 3
    a.flat[rng.integers(a.size)] = 0.0
    expect("one penalty", threshold(lab, a, float(rng.uniform(0.5, 2))), **SINGLE)
    expect("a penalty for each", threshold(lab, a, rng.uniform(0, 3, size=shape)), **SINGLE)
    assert not lab.changes, "the numbers were changed"
