"""The check of small inputs: its inputs, its reports on wrong answers, and the cases that it leaves to other checks."""

from types import SimpleNamespace

import numpy as np
import pytest

from lxmls_day1.base.errors import InputError, NoAnswer
from lxmls_day1.base.plain_data import from_plain, to_plain
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.expect import WrongAnswer
from lxmls_day1.course.diagnosis.probe_inputs import CounterExample, ProbeInputs, run_on_inputs
from lxmls_day1.course.diagnosis.recorded_answers import Pool, RecordedAnswers
from lxmls_day1.course.diagnosis.symptoms import CONDITION, RELATED, WRONG_FORM
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.lab import reference_folder
from tests.wording import wording
from tools.authoring.pool_builder import import_check_file, pool_file

INPUTS = tuple({"x": float(x)} for x in range(6))
ANSWERS = tuple(tuple(map(Answer.from_value, (2.0 * x, 3.0 * x + 1, "raises KeyError"))) for x in range(6))
POOL = Pool(INPUTS, ANSWERS, {"tripled": ((1, 1, 1, 1, 1, 1),), "by_name": ((0, 2, 2, 2, 2, 2),)})
SENTENCES = {"tripled": "It is three times as much.", "by_name": "It looks for a name."}


def odd(given, answer):
    if answer % 2:
        yield "odd", "It is odd."


def module_of(function, **more):
    """A module of checks, which calls a function with the number of each input."""
    answers = {"small_answers": lambda lab, inputs: [function(given["x"]) for given in inputs]}
    return SimpleNamespace(__name__="test_1_01_x", **answers, **more)


def check_of(function, changes=()):
    module = module_of(function, small_inputs=lambda: iter(INPUTS), small_properties=odd)
    ProbeInputs(module, POOL, SENTENCES).check(SimpleNamespace(changes=list(changes)))


def raising(error, least):
    def function(x):
        if x >= least:
            raise error
        return 2 * x

    return function


def test_right_answers_pass_without_a_report():
    check_of(lambda x: 2 * x)
    check_of(lambda x: np.float32(2) * x)


@pytest.mark.parametrize(
    ("function", "names", "named_as", "part"),
    [
        (lambda x: 3 * x + 1, ["tripled"], "one", "6 of 6 small inputs get a wrong answer"),
        (raising(KeyError("k"), 1), ["by_name"], "one", "x         1\n  expected  2\n  yours     raises KeyError"),
        (lambda x: 2 * x + 5, [RELATED], "property", "x         0\n  expected  0\n  yours     5"),
        (lambda x: 2 * x + 4, [RELATED], "property", "yours     4"),
        (lambda x: 2 * x + 1 + (x > 3), ["odd"], "property", "6 of 6"),
        (lambda x: 2 * x + (x > 3), ["odd", CONDITION], "property", "2 of 6"),
        (lambda x: 2 * x + (x in (1, 4)) * 2, [], "", "2 of 6"),
        (lambda x: None, [WRONG_FORM], "property", "None; is a `return` missing?"),
        (lambda x: [x, x], [WRONG_FORM], "property", "yours     [0, 0]"),
        (
            lambda x: [[1], [2, 3]],
            [WRONG_FORM],
            "property",
            "a list of 2: an array of shape (1,) and an array of shape (2,)",
        ),
        (lambda x: ([1, 2], x), [WRONG_FORM], "property", "returns a pair: an array of shape (2,) and one number"),
        (lambda x: np.zeros((100, 100)), [WRONG_FORM], "property", "an array of the shape (100, 100)"),
        (lambda x: np.nan, ["not_finite"], "property", "yours     nan"),
    ],
)
def test_the_smallest_input_with_a_wrong_answer_is_reported(function, names, named_as, part):
    with pytest.raises(WrongAnswer) as caught:
        check_of(function)
    assert part in str(caught.value)
    assert [name for name, _ in caught.value.mistakes] == names and caught.value.diagnosis_kind == named_as
    example = caught.value.example
    assert repr(from_plain(CounterExample, to_plain(example))) == repr(example)  # NaN does not equal NaN


def test_no_return_is_missing_if_an_attribute_that_the_check_asks_for_is_none():
    example = CounterExample({"x": 1.0, "asked for": "prior"}, Answer.from_value(2.0), Answer.from_value(None))
    assert example.lines()[-1] == ("yours", "None")


ONLY_DOUBLE = "Only a part is wrong: the double. Right in all answers: the number itself."


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (lambda x: [x, 2 * x + 1 + (x > 2)], ONLY_DOUBLE),
        (lambda x: [x, 2 * x + 1], None),  # a more precise observation exists: the double is 1 more
        (lambda x: [x, 2 * x + (x > 3)], ONLY_DOUBLE),
        (lambda x: [x + 1, 2 * x + 1], None),  # no part is right
        (lambda x: [x + (x == 1), 2 * x + (x == 2)], None),
        (lambda x: [x, 2 * x + 1] if x < 3 else [x], None),  # with another shape no part can be named
        (lambda x: [x, 2 * x + 1] if x < 3 else "many", None),
        (lambda x: [x, np.nan], ONLY_DOUBLE),
    ],
)
def test_wrong_parts_are_reported_if_no_known_mistake_matches(answers, said):
    pool = Pool(INPUTS, tuple((Answer.from_value([x, 2.0 * x]),) for x in range(6)), {})

    def parts(given, answer):
        return zip(("the number itself", "the double"), answer, strict=True)

    with pytest.raises(WrongAnswer) as caught:
        ProbeInputs(module_of(answers, small_parts=parts), pool, {}).check(SimpleNamespace(changes=[]))
    told = dict(caught.value.mistakes)
    assert told.get("wrong_parts") == said
    # The class's groups must still contain these answers.
    assert caught.value.diagnosis_kind == ("property" if told else "")


def test_the_parts_of_each_exercise_are_its_whole_answers():
    reference = reference_folder()
    pools = RecordedAnswers.read(reference / RECORDED).pools
    n_split = 0
    for exercise in Registry.from_folder(reference):
        pool = pools.get(exercise.id)
        split = getattr(import_check_file(pool_file(reference, exercise)), "small_parts", None) if pool else None
        for given, (wanted, *_) in zip(pool.inputs, pool.answers, strict=True) if split else ():
            if wanted.kind is float:
                parts = [np.ravel(part) for _, part in split(given, wanted.array)]
                assert sorted(np.concatenate(parts)) == sorted(wanted.values), (exercise.id, given)
        n_split += bool(split)
    assert n_split > 15


def test_changed_inputs_are_reported_if_the_answers_are_right():
    with pytest.raises(WrongAnswer, match=wording("course.double_changes_array_given")) as caught:
        check_of(lambda x: 2 * x, changes=["double", "double"])
    assert [name for name, _ in caught.value.mistakes] == ["changes_its_input"]
    with pytest.raises(WrongAnswer) as caught:
        check_of(lambda x: 3 * x + 1, changes=["double"])
    assert [name for name, _ in caught.value.mistakes] == ["tripled"]


STUB = NotImplementedError("Exercise 1.1: From loss to tau.")


@pytest.mark.parametrize("least", [0, 3])
def test_a_stub_ends_the_check_if_all_other_answers_are_right(least):
    with pytest.raises(NotImplementedError):
        check_of(raising(STUB, least))


def test_wrong_answers_are_reported_although_another_function_is_a_stub():
    with pytest.raises(WrongAnswer, match=wording("course.small_inputs_get_wrong")) as caught:
        check_of(lambda x: raising(STUB, 3)(x) + 5)
    assert [name for name, _ in caught.value.mistakes] == [RELATED]  # no report on answers that are right


def test_a_box_that_ended_ends_the_check():
    with pytest.raises(NoAnswer):
        check_of(raising(NoAnswer("did not end"), 3))


def test_faults_of_the_checks_are_errors():
    with pytest.raises(InputError, match=wording("course.small_inputs_recorded")):
        ProbeInputs(SimpleNamespace(__name__="m"), None, {}).check(None)
    with pytest.raises(NoAnswer, match=wording("course.gave_answers_inputs")):
        run_on_inputs(None, lambda lab, inputs: [1], [{}, {}])
