"""What is evidence for a known mistake, on pools that are small enough to be counted through."""

import math

import numpy as np
import pytest

from lxmls_day1.course.naming import ONE, ONE_OF, TOGETHER, Named, head_of, is_degenerate, named
from lxmls_day1.course.recorded_answers import Answer, Pool, RecordedAnswers
from lxmls_day1.course.registry import RECORDED
from lxmls_day1.lab import reference_folder

MOST_POINTS = 4


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
        ("11????000", Named()),  # a third of the wrong answers
        ("?????????", Named()),
        ("222222222", Named(ONE, ("b",))),  # the second program of b
        ("000222222", Named(ONE, ("b",))),
        ("100000000", Named()),  # one answer of a, and five that a would have wrong
        ("000000333", Named(ONE_OF, ("c", "d"))),
        ("444444444", Named()),  # four mistakes answer so: it says nothing
    ],
)
def test_what_explains_most_of_the_wrong_answers_is_named(answers, wanted):
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


def test_right_answers_speak_against_a_mistake():
    pool = pool_of(9, cautious="111000000", rash="111111111")
    assert named(pool, row("111000000")) == Named(ONE, ("cautious",))
    assert named(pool, row("1??000000")) == Named()
    assert named(pool_of(9, rash="111111111"), row("111000000")) == Named()


@pytest.mark.parametrize(
    ("answers", "names"), [("1111111?0000", ("rash",)), ("1111110?0000", ()), ("111111000000", ())]
)
def test_more_must_be_explained_where_right_answers_speak_against_a_mistake(answers, names):
    """7 of 9 answers that speak for or against it; 6 of 9."""
    assert named(pool_of(12, rash="111111111000"), row(answers)).names == names


def halves(given, answer):
    """The numbers before the last one, and the last one."""
    yield "first", answer[:-1]
    yield "last", answer[-1]


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (lambda right: right * [-1, 1] + [0, right[1] ** 2 + 1], ("a",)),  # the first number is a's
        (lambda right: right * [-1, 3], ("a", "b")),
        (lambda right: right * [-2, 1] + [0, right[1] ** 2 + 1], ()),
        (lambda right: np.append(-5 * right, 1.0), ("c",)),  # one number too many, as c has it
        (lambda right: np.append(right, [1.0, 1.0]), ()),
    ],
)
def test_a_part_that_is_a_mistakes_in_all_answers_names_it(made, names):
    """Both mistakes change both numbers, so that one of them is hidden by what else is wrong."""
    rights, pool = answered(
        lambda right: right * [-1, 7], lambda right: right * [7, 3], lambda right: np.append(right, 1.0)
    )
    got = [Answer.of(made(right)) for right in rights]
    assert named(pool, pool.places(got), got, halves).names == names
    assert named(pool, pool.places(got), got) == Named()


@pytest.mark.parametrize(("n_right", "names"), [(4, ("a",)), (10, ())])
def test_parts_that_are_right_speak_against_a_mistake_that_would_change_them(n_right, names):
    """Of ten answers the first number is a's; the last one, which a would change, is right in so many."""
    rights, pool = answered(lambda right: right * [-1, 7])
    got = [Answer.of(right * [-1, 1 if n < n_right else 5]) for n, right in enumerate(rights)]
    assert named(pool, pool.places(got), got, halves).names == names


def test_a_part_that_two_mistakes_make_names_neither():
    rights, pool = answered(lambda right: right * [-1, 7], lambda right: right * [-1, 9])
    got = [Answer.of(right * [-1, 2]) for right in rights]
    assert named(pool, pool.places(got), got, halves) == Named()


def test_a_mistake_that_no_input_shows_is_never_named_and_no_hindrance():
    pool = pool_of(9, slow="", rash="111111111")
    assert named(pool, row("111100000")) == Named()
    assert named(pool, row("1111111?1")) == Named(ONE, ("rash",))
    assert named(pool_of(3, slow=""), row("1?0")) == Named()


def test_zeros_and_numbers_that_are_none_are_evidence_only_where_all_answers_are_alike():
    right, zero, other = Answer.of([1.0, -1.0]), Answer.of([0.0, 0.0]), Answer.of([2.0, -2.0])
    nothing = Answer.of([math.nan, math.nan])
    answers = ((right, zero, other, nothing),) * 4
    pool = Pool(({},) * 4, answers, {"idle": ((1, 1, 1, 1),), "double": ((2, 2, 0, 0),), "overflow": ((0, 0, 0, 3),)})
    assert named(pool, (1, 1, 1, 1)).names == ("idle",)
    assert named(pool, (1, 1, 1, 0)).names == ()
    assert named(pool, (0, 0, 0, 3)).names == ("overflow",)
    assert named(pool, (3, 0, 0, 3)).names == ()
    assert named(pool, (2, 2, 1, 0)).names == ("double",)


def test_what_is_degenerate():
    right = Answer.of([0.5, -math.inf])
    assert is_degenerate(Answer.of([0.0, 0.0]), right)
    assert is_degenerate(Answer.of([math.nan, 1.0]), right)
    assert is_degenerate(Answer.of([math.inf, -math.inf]), right)
    assert not is_degenerate(Answer.of([0.7, -math.inf]), right)
    assert is_degenerate(Answer.of("raises IndexError"), right)


def test_every_kind_has_a_head():
    assert len({head_of(kind) for kind in (ONE, ONE_OF, TOGETHER, "property")}) == 4
    assert head_of("") == head_of(ONE)


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


def test_most_known_mistakes_are_shown_by_an_input_of_few_points(recorded):
    """At most four points, words or classes, for at least 80 % of them."""

    def size(given):
        return max((len(value) for value in given.values() if isinstance(value, list)), default=1)

    sizes = [
        min(size(pool.inputs[next(i for i, place in enumerate(its) if place)]) for its in rows)
        for pool in recorded.pools.values()
        for rows in pool.programs.values()
        if rows
    ]
    assert sum(n <= MOST_POINTS for n in sizes) >= 0.8 * len(sizes)
