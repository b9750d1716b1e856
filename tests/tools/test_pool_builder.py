"""The choice of inputs for a pool, for programs whose answers are given here."""

import json

import numpy as np
import pytest

from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.recorded_answers import Pool, RecordedAnswers
from tools.authoring.pool_builder import MAX_INPUTS, N_VARIED_INPUTS, answer_table, build_pool

N_INPUTS = 120


def answers(function):
    return [Answer.from_value(float(function(x))) for x in range(1, N_INPUTS + 1)]


RIGHT = answers(lambda x: 2 * x)
DOUBLE = answers(lambda x: 4 * x)
LATE = answers(lambda x: 2 * x if x < 7 else 3 * x)  # The smallest input that shows this mistake is 7.
NEIGHBOUR = answers(lambda x: 4 * x if x != 50 else 2)  # This differs from DOUBLE only at 50.
MUTANT = answers(lambda x: 2 * x if x != 90 else 0)


@pytest.fixture(scope="module")
def pool():
    inputs = [{"x": x} for x in range(1, N_INPUTS + 1)]
    programs = [RIGHT, DOUBLE, DOUBLE, LATE, NEIGHBOUR, MUTANT]
    return build_pool(inputs, programs, [("double", 2), ("late", 1), ("neighbour", 1)])


def test_the_smallest_inputs_that_show_a_program_are_kept_in_their_order(pool):
    kept = [given["x"] for given in pool.inputs]
    assert kept == sorted(kept) and {1, 7, 50, 90} <= set(kept)
    assert len(kept) <= MAX_INPUTS + 4 and max(kept) > N_INPUTS * (1 - 1 / N_VARIED_INPUTS)


def test_each_program_is_kept_once_with_its_answers(pool):
    assert {name: len(rows) for name, rows in pool.programs.items()} == {"double": 1, "late": 1, "neighbour": 1}
    values = [answer.values[0] for answer in (known[0] for known in pool.answers)]
    assert values == [2.0 * given["x"] for given in pool.inputs]
    for name, answered in [("double", DOUBLE), ("late", LATE), ("neighbour", NEIGHBOUR)]:
        assert pool.answer_indices([answered[given["x"] - 1] for given in pool.inputs]) in pool.programs[name]
    assert -1 in pool.answer_indices([MUTANT[given["x"] - 1] for given in pool.inputs])


def test_answers_within_tolerance_are_the_same():
    table, different = answer_table([[Answer.from_value(value)] for value in (1.0, 1.00001, 1.1, [1.0])])
    assert table[:, 0].tolist() == [0, 0, 1, 2] and len(different[0]) == 3


def test_a_pool_comes_back_from_its_text(pool):
    known = tuple(Answer.from_value(value) for value in ([[np.inf]], "raises KeyError", []))
    infinite = Pool(({"x": [1, 2]},), (known,), {"a": ((1,),)})
    recorded = RecordedAnswers(pools={"1.1": pool, "1.2": infinite})
    read = RecordedAnswers.from_plain(json.loads(recorded.to_json())).pools
    assert read["1.1"] == pool and read["1.2"] == infinite
