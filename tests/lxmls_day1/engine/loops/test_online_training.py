"""Rounds of online learning run in blocks, whose size changes nothing."""

import itertools

import numpy as np
import pytest

import classifiers
from classifiers.structured import StructuredPerceptron
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.loops import online_training
from lxmls_day1.engine.loops.learners import orders_of
from tests.made_data import all_but_seconds, random_sentences

POINTS, LABELS = np.random.default_rng(3).normal(size=(30, 4)), np.arange(30) % 3
SENTENCES = random_sentences(3, n_sentences=30)[:2]
KINDS = ("Perceptron", "SVM", "MaxEntOnline", "ConfidenceWeighted", "StructuredPerceptron")


@pytest.mark.parametrize("averaged", [False, "steps", "rounds", "last round"])
@pytest.mark.parametrize("order", [None, [*range(29, -1, -1)]])
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_of_any_size_give_the_same_bits(kind, order, averaged, monkeypatch):
    make, data = getattr(classifiers, kind, StructuredPerceptron), (POINTS, LABELS)
    if make is StructuredPerceptron:
        data = SENTENCES
    found = []
    for at_once in (30 * 7, 1, 2 * 30, 3 * 30 + 1):
        monkeypatch.setattr(online_training, "_STEPS_AT_ONCE", at_once)
        learner = make(nr_rounds=7, averaged=averaged, order=order, seed=5)
        found.append((learner.train(*data).tobytes(), all_but_seconds(learner.history)))
    assert found[1:] == found[:1] * 3 and len(found[0][1]) == 7


def test_an_order_is_drawn_when_its_round_begins_and_a_wrong_one_is_refused_before():
    rng = np.random.default_rng(5)
    orders = orders_of(classifiers.Perceptron(nr_rounds=10**9), 4, rng)
    drawn = np.array([*itertools.islice(orders, 2)])
    other = np.random.default_rng(5)
    np.testing.assert_array_equal(drawn, [other.permutation(4), other.permutation(4)])
    with pytest.raises(InputError):
        orders_of(classifiers.Perceptron(nr_rounds=2, order=[0, 1]), 3)
