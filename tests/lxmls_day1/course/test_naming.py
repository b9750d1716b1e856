"""What is evidence for a known mistake, on pools that are small enough to be counted through."""

import numpy as np
import pytest

from lxmls_day1.course.naming import ONE, ONE_OF, Named, named
from lxmls_day1.course.recorded_answers import Answer, Pool, RecordedAnswers
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
        ("1111?1000", Named(ONE, ("a",))),
        ("111??1000", Named(ONE, ("a",))),  # four of six
        ("111???000", Named()),
        ("111100000", Named(ONE, ("a",))),  # two right answers, which a would have wrong
        ("111000000", Named()),
        ("?????????", Named()),
        ("222222222", Named(ONE, ("b",))),  # the second program of b
        ("000222222", Named(ONE, ("b",))),
        ("000000333", Named(ONE_OF, ("c", "d"))),
        ("444444444", Named()),  # four mistakes answer so: it says nothing
    ],
)
def test_the_mistake_with_the_largest_share_of_wrong_answers_is_named(answers, wanted):
    programs = {"a": "111111000", "b": "000222222 222222222", "c": "000000333", "d": "000000333"}
    alike = dict.fromkeys("efgh", "444444444")
    assert named(pool_of(9, **programs, **alike), row(answers)) == wanted


RIGHT = [[1.0, 2.0], [3.0, -1.0], [2.0, 5.0], [-4.0, 1.5], [0.5, 7.0]]


def answered(*changes, names=("a", "b", "c")):
    """A pool of mistakes that change the right answers so, each to all inputs."""
    rights = [np.array(right) for right in RIGHT] * 2
    answers = tuple((Answer.of(right), *(Answer.of(change(right)) for change in changes)) for right in rights)
    rows = {name: ((n,) * len(rights),) for n, name in enumerate(names[: len(changes)], start=1)}
    return rights, Pool(tuple({"x": i} for i in range(len(rights))), answers, rows)


def halves(given, answer):
    """The numbers before the last one, and the last one."""
    yield "first", answer[:-1]
    yield "last", answer[-1]


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (lambda right: right * [-1, 1], ("a",)),  # the last number is right, as a has it
        (lambda right: right * [-1, 3], ()),  # the first one is a's and the last one is b's
        (lambda right: np.append(-5 * right, 1.0), ("c",)),  # one number too many, as c has it
        (lambda right: np.append(right, [1.0, 1.0]), ()),
    ],
)
def test_parts_are_counted_for_themselves(made, names):
    rights, pool = answered(
        lambda right: right * [-1, 1], lambda right: right * [1, 3], lambda right: np.append(right, 1.0)
    )
    got = [Answer.of(made(right)) for right in rights]
    assert named(pool, pool.places(got), got, halves).names == names


def test_a_part_that_another_mistake_changes_counts_against_it():
    """Without parts no answer is that of the mistake; with them two of three wrong parts are."""
    rights, pool = answered(lambda right: right * [-1, 7])
    got = [Answer.of(right * [-1, 7 if n % 2 else 5]) for n, right in enumerate(rights)]
    assert named(pool, pool.places(got), got, halves).names == ("a",)
    assert named(pool, pool.places(got), got).names == ()


def test_a_mistake_that_no_input_shows_is_never_named_and_no_hindrance():
    pool = pool_of(9, slow="", rash="111111111")
    assert named(pool, row("111100000")) == Named()
    assert named(pool, row("1111111?1")) == Named(ONE, ("rash",))
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
