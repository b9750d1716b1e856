"""Checks that decide: an answer always gets the same mark, hidden failures show in public checks, and wrong shapes are named.

All checks of an exercise run in this process on wrong answers: programs of the known mistakes, mutants of the reference, and the
reference with changed return values.
"""

import re

import numpy as np
import pytest

from lxmls_day1.course.diagnosis.answer_shapes import MUST_RETURN
from lxmls_day1.course.lab_under_test import LabCall
from lxmls_day1.course.registry import FOLDER, PROBE_INPUTS_CHECK, Registry, check_files
from lxmls_day1.lab import reference_folder
from tools.authoring.mistakes import Program, read_mistakes
from tools.authoring.mutants import mutants_of

pytestmark = [pytest.mark.slow(15), pytest.mark.filterwarnings("ignore")]
REFERENCE = reference_folder()
REGISTRY = Registry.from_folder(REFERENCE)
EXERCISES = [exercise for exercise in REGISTRY if check_files(REFERENCE / FOLDER, exercise)]
#: Left out because the checks of 1.7b train for seconds.
SAMPLED = [pytest.param(one, marks=[pytest.mark.campaign] * (one.id == "1.7b")) for one in EXERCISES]


def programs_of(lab):
    """Return the programs of the known mistakes, then the mutants."""
    programs = [program for mistake in read_mistakes(REFERENCE / FOLDER, lab.exercise) for program in mistake.programs]
    return programs + [m for name, source in lab.sources.items() for m in mutants_of(source, lab.exercise.id, name)]


def passed(ended):
    return {check for check, (outcome, *_) in ended.items() if outcome == "passed"}


@pytest.mark.one_in(4, by="exercise")
@pytest.mark.parametrize("exercise", SAMPLED, ids=lambda exercise: exercise.id)
@pytest.mark.parametrize("sample", [5, pytest.param(10**6, marks=pytest.mark.campaign)], ids=["some", "all"])
def test_one_answer_has_one_mark_and_fails_no_hidden_check_alone(checked, exercise, sample):
    lab = checked(exercise)
    programs = programs_of(lab)
    step = max(1, len(programs) // sample)
    lucky, unseen = [], []
    for program in programs[step // 2 :: step]:
        made = program.apply_to(lab.sources)
        public, *hidden = [lab.ended(made), *(lab.ended(made, seed, public=False) for seed in lab.expected)]
        marks = list(map(passed, hidden))
        if any(marks[0] ^ other for other in marks):
            lucky.append((program.label, marks))
        if passed(public) == public.keys() and marks[0] != hidden[0].keys():
            unseen.append(program.label)
    assert not lucky, "these pass some hidden checks by luck"
    assert not unseen, "these pass all public checks and fail a hidden one"


FORMS = {
    "a pair": lambda answer: (answer, answer),
    "None": lambda answer: None,
    "a text": str,
    "a generator": lambda answer: (entry for entry in np.ravel(answer[0] if isinstance(answer, tuple) else answer)),
    "a dict": lambda answer: {"answer": answer},
    "a matrix of more dimensions": lambda answer: np.array([[np.ravel(answer[0])]]),
}


@pytest.mark.one_in(4, by="exercise")
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
@pytest.mark.parametrize("form", FORMS)
def test_a_wrong_type_or_shape_is_reported_as_such(checked, monkeypatch, exercise, form):
    lab, of = checked(exercise), LabCall.perform_on
    wanted = getattr(lab.session.items[0].module, MUST_RETURN)
    for function in wanted:

        def changed(call, its_lab, function=function):
            answer = of(call, its_lab)
            if call.name != function or call.returns_object:
                return answer
            if call.method == "each_made":
                return [[FORMS[form](returned), *others] for returned, *others in answer]
            return list(map(FORMS[form], answer)) if call.method == "each" else FORMS[form](answer)

        monkeypatch.setattr(LabCall, "perform_on", changed)
        ended = {check: told for check, told in lab.ended().items() if told[0] != "passed"}
        assert ended or function == "train"
        for check, (outcome, text, sentences) in ended.items():
            assert outcome == "wrong", (check, text)
            if not check.endswith(PROBE_INPUTS_CHECK):
                of_any_shape = not all(shape[:1] in ("", "(") for shape in wanted[function].values())
                is_told = text.startswith(f"`{function}` returned ") and "expected" in text
                assert is_told or (of_any_shape and "shape (1, 1, " in text), (check, text)
            else:
                assert sentences, text


@pytest.mark.parametrize(
    ("id", "empty", "about_it"),
    [
        ("1.7", "svm_rule", "rule|margins_\\w+|training"),
        ("1.11", "with_slack", "slack"),
        ("1.14", "columns_and_signs", "columns|signs|ends|hashes"),
    ],
)
def test_a_function_that_is_empty_fails_no_check_of_another_one(checked, id, empty, about_it):
    lab = checked(REGISTRY[id])
    made = Program("an empty one", id, solution="raise NotImplementedError", function=empty).apply_to(lab.sources)
    ended = lab.ended(made) | lab.ended(made, public=False)
    of_it = {check for check in ended if re.search(rf"::test_(random_)?({about_it}|small_inputs)\b", check)}
    assert ended.keys() - passed(ended) == of_it


STUB = "raise NotImplementedError('Exercise 1.7: The step; `lxmls-day1 hint 1.7` helps')"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "rule",
    [
        "return scores[99]",
        "return np.zeros(99)",
        STUB,
        "return step * np.eye(len(scores))[label]",
        "return np.zeros(len(scores))",
        "return 1e-7 * scores",
        "return scores * np.nan",
        "return np.zeros(len(scores)) if np.argmax(scores + cost) != label else np.ones(len(scores))",
    ],
)
@pytest.mark.parametrize(
    ("old", "new"),
    [("", ""), ("label, g @ g", "1 - label, g @ g"), ("1 - step *", "1 -"), (" + np.outer(g, d)", "")],
    ids=["right", "another label", "another decay", "only shrinks"],
)
def test_a_step_of_the_svm_is_judged_by_itself(checked, rule, old, new):
    lab = checked(REGISTRY["1.7"])
    made = Program("", "1.7", solution=rule, function="svm_rule").apply_to(lab.sources)
    made = {name: text.replace(old, new) for name, text in made.items()}
    ended = lab.ended(made)
    hidden = lab.ended(made, public=False)
    of_it = {check for check in {**ended, **hidden} if re.search("::test_(random_)?step", check)}
    assert len(of_it) == 5 and passed(ended | hidden) & of_it == (set() if old else of_it)
    named = [sentence for *_, sentences in ended.values() for sentence in sentences]
    assert rule != STUB or len(named) == (new == "1 -")  # The mistake in the step is named although the rule is a stub.


@pytest.mark.parametrize(
    ("call", "is_right"),
    [
        ("columns_and_signs(hashes=hashes, n_columns=n_columns)", True),
        ("columns_and_signs(hashes, hashes)", False),
        ("columns_and_signs(hashes, n_columns + 1)", False),
        ("columns_and_signs(n_columns=7, hashes=hashes)", False),
    ],
)
def test_a_substitute_for_a_function_receives_all_arguments(checked, call, is_right):
    lab = checked(REGISTRY["1.14"])
    made = {name: text.replace("columns_and_signs(hashes, n_columns)", call) for name, text in lab.sources.items()}
    assert made != lab.sources
    ended = lab.ended(made)
    assert (passed(ended) == ended.keys()) == is_right
