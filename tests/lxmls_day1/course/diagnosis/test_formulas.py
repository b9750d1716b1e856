"""Formulas of wrong numbers: a reported formula holds for every answer, but not for the right answers.

The terms of each exercise can be computed.
"""

import numpy as np
import pytest

from lxmls_day1.course.diagnosis.formulas import MIN_DISTINCT_NUMBERS, find_formula
from lxmls_day1.course.diagnosis.probe_inputs import TERMS_FUNCTION
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.lab import reference_folder
from tools.authoring.pool_builder import import_check_file, pool_file

REFERENCE = reference_folder()
TERMS_OF = [dict(zip("abcd", numbers, strict=True)) for numbers in np.random.default_rng(3).uniform(1, 4, (12, 4))]


def told(wrong, right=lambda a, b, c, d: -1.0, made=lambda number: number):
    parts = ([(made(f(**terms)), terms) for terms in TERMS_OF] for f in (wrong, right))
    return find_formula(*parts)


@pytest.mark.parametrize(
    ("wrong", "formula"),
    [
        (lambda a, b, c, d: b, "b"),
        (lambda a, b, c, d: -0.25 * b, "−0.25 · b"),
        (lambda a, b, c, d: a * a, "a · a"),
        (lambda a, b, c, d: -(c - a), "a − c"),
        (lambda a, b, c, d: a / (b + d), "a / (b + d)"),
        (lambda a, b, c, d: (a - b) * c, "(a − b) · c"),
    ],
)
def test_the_shortest_formula(wrong, formula):
    assert told(wrong) == formula
    assert told(wrong, made=np.float32) == formula
    assert told(wrong, made=lambda number: np.full((2, 3), number)) == formula


def test_no_formula_is_reported_if_none_fits():
    assert told(lambda a, b, c, d: np.sin(a * b) + c) == ""
    assert told(lambda a, b, c, d: np.inf if a > 2 else a) == ""
    assert told(lambda a, b, c, d: a + b, right=lambda a, b, c, d: a + b) == "", "that is right"
    parts = [(terms["a"], terms) for terms in TERMS_OF]
    assert find_formula(parts[: MIN_DISTINCT_NUMBERS - 1], parts) == "", "it may be luck"


def with_terms():
    for exercise in Registry.from_folder(REFERENCE):
        if (file := pool_file(REFERENCE, exercise)) and (
            terms := getattr(import_check_file(file), TERMS_FUNCTION, None)
        ):
            yield pytest.param(exercise, terms, id=exercise.id)


@pytest.mark.parametrize(("exercise", "terms"), list(with_terms()))
def test_the_terms_of_an_exercise_fit_any_answer_of_the_expected_shape(exercise, terms):
    pool = RecordedAnswers.read(REFERENCE / RECORDED, [exercise.id]).pools[exercise.id]
    rights = [(given, right) for given, (right, *_) in zip(pool.inputs, pool.answers, strict=True)]
    asked = [(given, right.array) for given, right in rights if right.kind is float]
    for made in (lambda right: right, lambda right: -2.0 * right + 1.0, np.zeros_like, lambda right: right / 0.0):
        words = {}
        with np.errstate(all="ignore"):
            for given, right in asked:
                for word, part, its in terms(dict(given), made(right), right):
                    assert words.setdefault(word, list(its)) == list(its)
                    shapes = [np.broadcast_shapes(np.shape(part), np.shape(term)) for term in its.values()]
                    assert set(shapes) <= {np.shape(part)}
