"""Which inputs are kept, on programs whose answers are written down here."""

import json
from dataclasses import replace

import numpy as np
import pytest

from lxmls_day1.exercises.answers import Answer, Pool, RecordedAnswers, fingerprint
from lxmls_day1.exercises.mistakes import Mistake, Program
from lxmls_day1.exercises.naming import named
from lxmls_day1.exercises.pool_making import MOST_INPUTS, VARIED, asked_programs, known_pairs, made_pool, tabulated
from lxmls_day1.exercises.registry import FOLDER, Exercise

N_INPUTS = 120


def answers(function):
    return [Answer.of(float(function(x))) for x in range(1, N_INPUTS + 1)]


RIGHT = answers(lambda x: 2 * x)
DOUBLE = answers(lambda x: 4 * x)
LATE = answers(lambda x: 2 * x if x < 7 else 3 * x)  # the smallest input that shows it is 7
NEIGHBOUR = answers(lambda x: 4 * x if x != 50 else 2)  # differs from DOUBLE at 50 alone
MUTANT = answers(lambda x: 2 * x if x != 90 else 0)


@pytest.fixture(scope="module")
def pool():
    inputs = [{"x": x} for x in range(1, N_INPUTS + 1)]
    programs = [RIGHT, DOUBLE, DOUBLE, LATE, NEIGHBOUR, MUTANT]
    return made_pool(inputs, programs, [("double", 2), ("late", 1), ("neighbour", 1)])


def test_the_smallest_inputs_that_show_a_program_are_kept_in_their_order(pool):
    kept = [given["x"] for given in pool.inputs]
    assert kept == sorted(kept) and {1, 7, 50, 90} <= set(kept)
    assert len(kept) <= MOST_INPUTS + 4 and max(kept) > N_INPUTS * (1 - 1 / VARIED)


def test_each_program_is_kept_once_with_its_answers(pool):
    assert {name: len(rows) for name, rows in pool.programs.items()} == {"double": 1, "late": 1, "neighbour": 1}
    values = [answer.values[0] for answer in (known[0] for known in pool.answers)]
    assert values == [2.0 * given["x"] for given in pool.inputs]
    for name, answered in [("double", DOUBLE), ("late", LATE), ("neighbour", NEIGHBOUR)]:
        assert pool.places([answered[given["x"] - 1] for given in pool.inputs]) in pool.programs[name]
    assert -1 in pool.places([MUTANT[given["x"] - 1] for given in pool.inputs])


def test_answers_within_tolerance_are_the_same():
    table, different = tabulated([[Answer.of(1.0)], [Answer.of(1.00001)], [Answer.of(1.1)], [Answer.of([1.0])]])
    assert table[:, 0].tolist() == [0, 0, 1, 2] and len(different[0]) == 3


def test_a_pool_comes_back_from_its_text(pool):
    infinite = Pool(
        ({"x": [1, 2]},), ((Answer.of([[np.inf]]), Answer.of("raises KeyError"), Answer.of([])),), {"a": ((1,),)}
    )
    paired = replace(pool, pairs={"0123abcd": ("a", "b"), "ffffffff": ("a",), "00000000": ("a", "b")})
    recorded = RecordedAnswers(pools={"1.1": pool, "1.2": infinite, "1.3": paired})

    read = RecordedAnswers.from_plain(json.loads(recorded.to_json())).pools
    assert read["1.1"] == pool and read["1.2"] == infinite and read["1.3"] == paired and read["1.1"] != paired


CHECKS = """
PAIRED = 2

def small_inputs():
    for x in range(-6, 7):
        yield {"x": x}

def small_answers(lab, inputs):
    return lab.each("rule", "rule", [(i["x"],) for i in inputs])
"""
RULE = """
def rule(x):
    # exercise 1.5: solution (3 lines)
    y = abs(x) + 3
    z = y * y
    return z - x
    # exercise 1.5: end
"""
FAMILIES = {  # two programs of each are tried with others
    "sign_kept": [("abs(x)", "x")],
    "another_number": [("+ 3", "+ 4"), ("+ 3", "+ 2"), ("+ 3", "+ 8")],
    "not_squared": [("y * y", "y")],
    "cubed": [("y * y", "y**3")],
}


@pytest.fixture(scope="module")
def paired(tmp_path_factory):
    """The pool of an exercise with what two of its mistakes make; the last program is said not to end."""
    lab = tmp_path_factory.mktemp("lab")
    for folder in (FOLDER, "classifiers", "readers"):
        (lab / folder).mkdir(parents=True)
        (lab / folder / "__init__.py").write_text("", encoding="utf-8")
    (lab / "classifiers/rule.py").write_text(RULE, encoding="utf-8")
    (lab / FOLDER / "test_1_05_rule.py").write_text(CHECKS, encoding="utf-8")
    exercise = Exercise("1.5", "A rule", "code", 1.0, ("classifiers/rule.py",), "1.ipynb", "Write it.", ())
    known = [
        Mistake("1.5", name, "", tuple(Program(f"{name} {n}", "1.5", (swap,)) for n, swap in enumerate(swaps)))
        for name, swaps in FAMILIES.items()
    ]
    proposed, answers, n_known = asked_programs(lab, exercise, known, lab / "asked")
    single = made_pool(proposed, answers, [(m.name, len(m.programs)) for m in known])
    endless = [False] * (n_known - 2) + [True]
    return replace(single, pairs=known_pairs(lab, exercise, known, single.inputs, endless, lab / "paired"))


def answers_of(pool, rule):
    return [Answer.of(float(rule(given["x"]))) for given in pool.inputs]


def named_in(pool, rule):
    got = answers_of(pool, rule)
    return set(named(pool, pool.places(got), got).names)


def test_two_mistakes_at_once_are_known_by_all_their_answers(paired):
    def both(x):
        return abs(x) + 4 - x

    assert named_in(paired, both) == {"another_number", "not_squared"}
    assert named_in(replace(paired, pairs={}), both) != {"another_number", "not_squared"}
    for left_out in (
        lambda x: abs(x) + 8 - x,
        lambda x: (abs(x) + 4) ** 3 - x,
    ):  # a third program; one that does not end
        assert fingerprint(answers_of(paired, left_out)) not in paired.pairs
    assert all(len(names) == 2 for names in paired.pairs.values())


def test_fingerprints_differ_where_answers_do_and_only_there():
    some = [Answer.of([0.1, -2.5, 0.0]), Answer.of("raises KeyError"), Answer.of(None)]
    nearly = [Answer.of([0.1 * (1 + 1e-9), -2.5, -1e-17]), *some[1:]]
    assert fingerprint(some) == fingerprint(nearly)
    others = [
        [Answer.of([0.1001, -2.5, 0.0]), *some[1:]],
        [Answer.of([0.1, 2.5, 0.0]), *some[1:]],
        [Answer.of([[0.1, -2.5, 0.0]]), *some[1:]],
        [some[0], Answer.of("raises ValueError"), some[2]],
        some[:2],
    ]
    assert len({fingerprint(got) for got in [some, *others]}) == 6
