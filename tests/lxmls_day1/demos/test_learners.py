"""Learners that are not written yet, or broken, are left out with a sentence; the others come."""

import numpy as np
import pytest

from lxmls_day1.demos.learners import EVERYWHERE, FOR_COUNTS, Learner, LeftOut, made, sentences, trained
from lxmls_day1.lab import Lab

X, Y = np.array([[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]]), np.array([0, 0, 1, 1])


class Broken:
    """A student's classifier in the making."""

    def __init__(self, error):
        self.error = error

    def train(self, X, y):
        raise self.error


def test_the_reference_lab_has_them_all():
    assert not [item for item in made(Lab.open(), EVERYWHERE + FOR_COUNTS) if isinstance(item, LeftOut)]


@pytest.mark.parametrize(
    ("error", "exercise", "words"),
    [
        (NotImplementedError("Exercise 1.5: MIRA; hint"), "1.5", "still to be written"),
        (NotImplementedError(), "?", "still to be written"),
        (IndexError("list index out of range"), "", "IndexError: list index out of range"),
    ],
)
def test_what_training_raises_becomes_a_sentence(error, exercise, words):
    found = trained("Mine", Broken(error), X, Y)
    assert isinstance(found, LeftOut) and found.exercise == exercise and words in found.sentence


def test_what_trains_gives_its_params():
    ((label, mira),) = made(Lab.open(), [EVERYWHERE[2]])
    assert label == "MIRA" and trained(label, mira, X, Y).shape == (3, 2)


def test_a_setting_that_does_not_exist_is_a_sentence():
    ((missing),) = made(Lab.open(), [Learner("mira", "Mira", {"lambda_": 1}, "MIRA")])
    assert "lambda_" in sentences([missing])[0]
