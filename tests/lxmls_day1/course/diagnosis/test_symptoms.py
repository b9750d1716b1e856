"""Observations on wrong answers: each holds for all of them, and is not reported if one answer contradicts it."""

import numpy as np
import pytest

from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL, Answer, ProbeResult
from lxmls_day1.course.diagnosis.symptoms import CONDITION, describe_symptoms
from tests.wording import wording

ROWS = ((1, 1, [0, 1]), (2, 2, [2, 2]), (3, 5, [4, 1]), (4, 3, [3, 3]))
INPUTS = [{"x": x, "norm": norm, "scores": scores} for x, norm, scores in ROWS]
RIGHT = [np.array([[1.0, 2.0, 4.0], [8.0, 0.0, -6.0]]) * given["x"] for given in INPUTS]


def wrong(given, expected, got):
    return ProbeResult(given, Answer.from_value(expected), Answer.from_value(got), True)


def said(change):
    """Return the observations if `change` computes the answer from the input and the expected answer."""
    asked = []
    for given, right in zip(INPUTS, RIGHT, strict=True):
        wanted, got = Answer.from_value(right), Answer.from_value(change(given, right))
        asked.append(ProbeResult(given, wanted, got, not wanted.is_close(got, POOL_RTOL, POOL_ATOL)))
    return " ".join(sentence for _, sentence in describe_symptoms(asked))


def test_no_condition_is_reported_for_two_right_answers_among_many_wrong():
    """Both right answers have an x above 20, but two answers share some such condition by chance."""

    def where(n_wrong):
        one = Answer.from_value(1.0)
        asked = [wrong({"x": x}, 1.0, float(x**2 % 7 + 2)) for x in range(n_wrong)]
        asked += [ProbeResult({"x": x}, one, one, False) for x in (21, 22)]
        return [sentence for name, sentence in describe_symptoms(asked) if name == CONDITION]

    assert where(16) == [wording("course.answers_wrong_where_x")]
    assert where(17) == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda given, right: right * 0.5, "Every number is 0.5 · the right one."),
        (lambda given, right: -right, "Every number has the wrong sign."),
        (lambda given, right: right - 2, "Every number is 2 less than the right one."),
        (lambda given, right: right / given["norm"], "Every number is the right one / norm."),
        (lambda given, right: right * given["norm"] ** 2 * 3, "Every number is 3 · ((the right one · norm) · norm)."),
        (lambda given, right: right**2 + given["x"], "Every number is (the right one · the right one) + x."),
        (lambda given, right: right[::-1, ::-1], "Every number is right, but in the reverse order."),
        (lambda given, right: np.exp(right), "Every number is the exponential of the right one."),
        (lambda given, right: 1.0 - right, "Every number is 1 − the right one."),
        (lambda given, right: right.T.reshape(2, 3), "Every number is right, but rows and columns are exchanged."),
        (lambda given, right: np.abs(right), "is right except for its sign"),
        (lambda given, right: right * (1.001 if given["x"] > 2 else 0.999), "is nearly right, but not near enough."),
        (lambda given, right: right.T, "rows and columns are exchanged"),
        (
            lambda given, right: right.ravel(),
            "shape (6,) for the smallest input, but must return an array of shape (2, 3). The numbers are right",
        ),
        (
            lambda given, right: right + (given["x"] > 2) * right**2,
            "wrong where x is above 2, and right everywhere else.",
        ),
        (lambda given, right: right + (given["x"] % 2 == 0) * right**2, "wrong where scores has equal entries"),
        (
            lambda given, right: right if given["x"] == 1 else "raises KeyError",
            "Every wrong answer is an exception: the code raises KeyError.",
        ),
        (lambda given, right: right + np.nan, wording("course.nan_in_every_answer")),
        (
            lambda given, right: (
                np.full_like(right, np.inf) if given["x"] > 1 else right + np.array([[1, 2, 4], [8, 16, 32]])
            ),
            wording("course.inf_in_most_answers"),
        ),
        (lambda given, right: None, "The answer is None, but an array of shape (2, 3) is expected."),
        (lambda given, right: "3", "The answer is '3', but an array of shape (2, 3) is expected."),
        (
            lambda given, right: "returns a pair: one number and a text",
            "The code returns a pair: one number and a text, but an array of shape (2, 3) is expected.",
        ),
    ],
)
def test_observations_describe_the_change(change, text):
    assert text in said(change)


@pytest.mark.parametrize(
    "change",
    [
        lambda given, right: right * 0.5 + (given["x"] == 2),
        lambda given, right: np.cos(right) * given["x"],
        lambda given, right: "3" if given["x"] == 1 else None if given["x"] == 2 else right + 1,
    ],
)
def test_no_observation_contradicts_an_answer(change):
    assert said(change) == ""


def test_a_result_instead_of_an_expected_error_is_reported():
    refused = [wrong(given, "refused", [1.0, 2.0]) for given in INPUTS]
    assert wording("course.returns_array_shape_right") in describe_symptoms(refused)[0][1]


def test_answers_without_entries():
    asked = [wrong(given, [1.0], [] if given["x"] < 3 else "raises KeyError") for given in INPUTS]
    assert describe_symptoms(asked) == []


def test_formulas_leave_out_results_that_are_not_finite():
    def parts(given, answer):
        return [("the answer", answer)]

    asked = [wrong({"x": x}, [2.0 * x, 3.0], [4.0 * x, 6.0]) for x in (1, 2, 3, 4)]
    asked.append(wrong({"x": 5}, [10.0, 3.0], [np.inf, 6.0]))
    assert describe_symptoms(asked, split=parts)[0][1] == wording("course.every_finite_result_number")


@pytest.mark.parametrize("numbers", [(1e308, -1e308), (5e-324, 1e16), (np.nan, np.inf), (0.0, -0.0)])
def test_numbers_of_any_size_cause_no_warnings(numbers):
    """Warnings are errors in tests; a student's warning would name a file that is not the student's."""

    def terms(given, answer, right):
        yield "the first", answer[0], {"the norm": given["norm"], "the second": answer[1], "1": 1.0}

    asked = []
    for given, right in zip(INPUTS, RIGHT, strict=True):
        got = np.resize(np.array([*numbers, given["x"], -3.5]), right.shape)
        asked.append(wrong(given, right, got))
    for split in (None, lambda given, answer: [("the first row", answer[0])]):
        for its in (None, terms):
            assert isinstance(describe_symptoms(asked, None, split, its), list)
