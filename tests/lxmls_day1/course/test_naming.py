"""What is evidence for a known mistake, on pools that are small enough to be counted through."""

from dataclasses import replace

import pytest

from lxmls_day1.course.naming import BOTH, ONE, ONE_OF, Named, named
from lxmls_day1.course.recorded_answers import Answer, Pool, RecordedAnswers, fingerprint
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


def test_a_program_that_makes_two_mistakes_is_known_by_all_of_its_answers():
    got = [Answer.of([1.0 + n, -2.5]) for n in range(4)]
    near = [Answer.of(answer.array * (1 + 1e-9)) for answer in got]
    pool = replace(pool_of(4, a="1100", b="0022"), pairs={fingerprint(got): ("a", "b")})
    assert named(pool, row("????"), near) == Named(BOTH, ("a", "b"))
    assert named(pool, row("????"), [*got[:3], Answer.of([4.01, -2.5])]) == Named()


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
