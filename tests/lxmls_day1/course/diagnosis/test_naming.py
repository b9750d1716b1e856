"""What is evidence for a known mistake, on pools that are small enough to be counted through."""

import numpy as np
import pytest

from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.naming import BOTH, ONE, ONE_OF, Named, named
from lxmls_day1.course.diagnosis.recorded_answers import Pool, RecordedAnswers
from lxmls_day1.course.registry import RECORDED
from lxmls_day1.lab import reference_folder


def pool_of(n_inputs, n_answers=6, **programs):
    """Answers 0, 1, 2, … to each input, 0 the right one; programs as texts of digits."""
    answers = tuple(Answer.of(100.0 + n) for n in range(n_answers))
    rows = {name: tuple(tuple(map(int, row)) for row in texts.split()) for name, texts in programs.items()}
    return Pool(tuple({"x": i} for i in range(n_inputs)), (answers,) * n_inputs, rows)


def row(text):
    return tuple(-1 if digit == "?" else int(digit) for digit in text)


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ("000000000", Named()),
        ("111111000", Named(ONE, ("a",))),
        ("1111?1000", Named()),  # one answer that a does not give
        ("111110000", Named()),  # one right answer, which a would have wrong
        ("?????????", Named()),
        ("222222222", Named(ONE, ("b",))),  # the second program of b
        ("000222222", Named(ONE, ("b",))),
        ("000000333", Named(ONE_OF, ("c", "d"))),
        ("444444444", Named()),  # four mistakes answer so: it says nothing
    ],
)
def test_a_mistake_is_named_if_one_of_its_programs_gives_every_answer(answers, wanted):
    programs = {"a": "111111000", "b": "000222222 222222222", "c": "000000333", "d": "000000333"}
    alike = dict.fromkeys("efgh", "444444444")
    assert named(pool_of(9, **programs, **alike), row(answers)) == wanted


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ("1115?2222", Named(BOTH, ("a", "b"))),  # where both are wrong anything may come out
        ("1110?2222", Named(BOTH, ("a", "b"))),  # two mistakes may cancel
        ("1?15?2222", Named()),  # a alone is wrong there, and has another answer
        ("1115?222?", Named()),
        ("0015?2222", Named()),
    ],
)
def test_two_mistakes_are_named_if_each_explains_what_it_alone_has_wrong(answers, wanted):
    assert named(pool_of(9, a="111110000", b="000222222"), row(answers)) == wanted


def test_two_mistakes_are_seen_alone_at_two_inputs_and_in_most_wrong_answers():
    assert named(pool_of(9, a="111111110", b="022222222"), row("1??????? 2".replace(" ", ""))) == Named()
    assert named(pool_of(9, a="111111100", b="002222222"), row("11?????22")) == Named()  # four of nine
    assert named(pool_of(9, a="111111000", b="000222222", c="000222222"), row("111???222")) == Named(ONE, ("a",))


def test_two_mistakes_explain_parts_of_answers_that_neither_gives():
    """The first number is as a has it, and the last one as b."""
    rights = [np.array(right) for right in ([1.0, 2.0], [3.0, -1.0], [2.0, 5.0])]
    made = [(right, right * [-1, 1], right * [1, 3]) for right in rights]
    pool = Pool(
        ({},) * 3, tuple(tuple(map(Answer.of, answers)) for answers in made), {"a": ((1,) * 3,), "b": ((2,) * 3,)}
    )

    def halves(given, answer):
        yield "first", answer[0]
        yield "last", answer[1]

    def names_of(change):
        got = [Answer.of(change(right)) for right in rights]
        return named(pool, pool.places(got), got, halves)

    assert names_of(lambda right: right * [-1, 3]) == Named(BOTH, ("a", "b"))
    assert names_of(lambda right: right * [-1, 7]) == Named()  # the last number is nobody's
    assert names_of(lambda right: np.append(right, 1.0)) == Named()


def test_a_mistake_that_no_input_shows_is_never_named_and_no_hindrance():
    pool = pool_of(9, slow="", rash="111111111")
    assert named(pool, row("111100000")) == Named()
    assert named(pool, row("111111111")) == Named(ONE, ("rash",))
    assert named(pool_of(3, slow=""), row("1?0")) == Named()


@pytest.fixture(scope="module")
def recorded():
    return RecordedAnswers.read(reference_folder() / RECORDED)


def test_every_recorded_program_is_named_by_its_own_mistake(recorded):
    assert recorded.pools
    for exercise, pool in recorded.pools.items():
        assert set(pool.programs) <= set(recorded.sentences[exercise])
        for name, rows in pool.programs.items():
            for its in rows:
                assert name in named(pool, its).names, (exercise, name)
