"""The evidence for a known mistake, in pools that are small enough to count through."""

import numpy as np
import pytest

from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.mistake_matching import BOTH, ONE, ONE_OF, Diagnosis, diagnose
from lxmls_day1.course.diagnosis.recorded_answers import Pool, RecordedAnswers
from lxmls_day1.course.registry import RECORDED
from lxmls_day1.lab import reference_folder


def pool_of(n_inputs, n_answers=6, **programs):
    """Return a pool with answers 0, 1, 2, … to each input, of which 0 is right; programs are strings of digits."""
    answers = tuple(Answer.from_value(100.0 + n) for n in range(n_answers))
    rows = {name: tuple(tuple(map(int, row)) for row in texts.split()) for name, texts in programs.items()}
    return Pool(tuple({"x": i} for i in range(n_inputs)), (answers,) * n_inputs, rows)


def row(text):
    return tuple(-1 if digit == "?" else int(digit) for digit in text)


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ("000000000", Diagnosis()),
        ("111111000", Diagnosis(ONE, ("a",))),
        ("1111?1000", Diagnosis()),  # mistake a does not give one of these answers
        ("111110000", Diagnosis()),  # one answer is right, but a would give a wrong one
        ("?????????", Diagnosis()),
        ("222222222", Diagnosis(ONE, ("b",))),  # the second program of b
        ("000222222", Diagnosis(ONE, ("b",))),
        ("000000333", Diagnosis(ONE_OF, ("c", "d"))),
        ("444444444", Diagnosis()),  # four mistakes give these answers, so none is named
    ],
)
def test_a_mistake_is_named_if_one_of_its_programs_gives_every_answer(answers, wanted):
    programs = {"a": "111111000", "b": "000222222 222222222", "c": "000000333", "d": "000000333"}
    alike = dict.fromkeys("efgh", "444444444")
    assert diagnose(pool_of(9, **programs, **alike), row(answers)) == wanted


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ("1115?2222", Diagnosis(BOTH, ("a", "b"))),  # if both mistakes matter, any answer is possible
        ("1110?2222", Diagnosis(BOTH, ("a", "b"))),  # two mistakes may cancel
        ("1?15?2222", Diagnosis()),  # only a is wrong there, and it gives another answer
        ("1115?222?", Diagnosis()),
        ("0015?2222", Diagnosis()),
    ],
)
def test_two_mistakes_are_named_if_each_explains_its_own_wrong_answers(answers, wanted):
    assert diagnose(pool_of(9, a="111110000", b="000222222"), row(answers)) == wanted


def test_two_mistakes_are_seen_alone_at_two_inputs_and_in_most_wrong_answers():
    assert diagnose(pool_of(9, a="111111110", b="022222222"), row("1??????? 2".replace(" ", ""))) == Diagnosis()
    # Only four of nine answers are explained.
    assert diagnose(pool_of(9, a="111111100", b="002222222"), row("11?????22")) == Diagnosis()
    assert diagnose(pool_of(9, a="111111000", b="000222222", c="000222222"), row("111???222")) == Diagnosis(ONE, ("a",))


def test_two_mistakes_explain_parts_of_answers_that_neither_gives():
    """The first number comes from mistake a, and the last number from mistake b."""
    rights = [np.array(right) for right in ([1.0, 2.0], [3.0, -1.0], [2.0, 5.0])]
    made = [(right, right * [-1, 1], right * [1, 3]) for right in rights]
    recorded = tuple(tuple(map(Answer.from_value, answers)) for answers in made)
    pool = Pool(({},) * 3, recorded, {"a": ((1,) * 3,), "b": ((2,) * 3,)})

    def halves(given, answer):
        yield "first", answer[0]
        yield "last", answer[1]

    def names_of(change):
        got = [Answer.from_value(change(right)) for right in rights]
        return diagnose(pool, pool.answer_indices(got), got, halves)

    assert names_of(lambda right: right * [-1, 3]) == Diagnosis(BOTH, ("a", "b"))
    assert names_of(lambda right: right * [-1, 7]) == Diagnosis()  # no mistake gives the last number
    assert names_of(lambda right: np.append(right, 1.0)) == Diagnosis()


def test_a_mistake_that_no_input_shows_is_never_named_and_hides_no_other():
    pool = pool_of(9, slow="", rash="111111111")
    assert diagnose(pool, row("111100000")) == Diagnosis()
    assert diagnose(pool, row("111111111")) == Diagnosis(ONE, ("rash",))
    assert diagnose(pool_of(3, slow=""), row("1?0")) == Diagnosis()


@pytest.fixture(scope="module")
def recorded():
    return RecordedAnswers.read(reference_folder() / RECORDED)


def test_every_recorded_program_is_named_by_its_own_mistake(recorded):
    assert recorded.pools
    for exercise, pool in recorded.pools.items():
        assert set(pool.programs) <= set(recorded.sentences[exercise])
        for name, rows in pool.programs.items():
            for its in rows:
                assert name in diagnose(pool, its).names, (exercise, name)
