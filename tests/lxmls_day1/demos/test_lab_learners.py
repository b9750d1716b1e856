"""Unwritten or broken learners are left out with a sentence; the others are shown."""

from unittest.mock import Mock

import numpy as np
import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.demos.lab_learners import FailureCollector, checked_update, train_quietly
from tests.wording import wording


@pytest.mark.parametrize(
    ("error", "exercise", "words"),
    [
        (NotImplementedError("Exercise 1.5: MIRA; hint"), "1.5", "still to be written"),
        (NotImplementedError(), "?", "still to be written"),
        (InputError("Is its return missing?"), "", "is its return missing?"),
        (SystemExit(3), "", "systemexit: 3."),
        (ValueError("x" * 1000), "", "xxx…."),
        (IndexError("list index out of range"), "", "indexerror: list index out of range"),
    ],
)
def test_errors_of_training_become_a_sentence(error, exercise, words):
    attempts = FailureCollector()
    with attempts("Mine"):
        train_quietly(Mock(**{"train.side_effect": error}), [], [])
    assert attempts.skipped["Mine"].exercise == exercise and words in attempts.sentences()[0].lower()


ODD = [None, "ab", [0.0], [[1], [2, 3]], [np.nan, 0.0], [0.0, np.inf], [1e308, 0.0], [None, 1]]


@pytest.mark.parametrize("answer", ODD)
def test_a_rule_without_two_finite_numbers_is_an_error_that_names_it(answer):
    with pytest.raises(InputError, match=wording("demos.my_rule_return_d")):
        checked_update(Mock(return_value=answer, __name__="my_rule"), 2, np.zeros(2))
