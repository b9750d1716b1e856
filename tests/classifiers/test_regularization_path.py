"""The regularization path: its beginning from the slopes at zero, and its points from separate trainings."""

import itertools

import numpy as np
import pytest

from classifiers.max_ent_batch import MaxEntBatch
from classifiers.regularization_path import largest_useful_penalty, regularization_path
from lxmls_day1.base.errors import InputError
from tests.made_data import documents
from tests.wording import wording


@pytest.mark.parametrize("n_classes", [2, 3])
def test_all_weights_are_zero_from_the_largest_penalty_on(n_classes):
    X, y = documents(0, n_classes, 90, 30)
    largest = largest_useful_penalty(X, y)
    g = np.hstack([np.ones((90, 1)), X])
    slopes = g.T @ (1 / n_classes - np.eye(n_classes)[y]) / 90
    assert largest == pytest.approx(abs(slopes).max())
    assert not MaxEntBatch(largest * (1 + 1e-9), penalty="l1").train(X, y).any()
    assert MaxEntBatch(largest * 0.99, penalty="l1").train(X, y).any()


def test_points_match_separate_trainings():
    X, y = documents(0, 3, 90, 30)
    points = regularization_path(X[:60], y[:60], X[60:], y[60:], [0.02, 0.3, 0.1], tolerance=1e-6)
    assert [point.regularizer for point in points] == [0.3, 0.1, 0.02]
    for point in points:
        maxent = MaxEntBatch(point.regularizer, penalty="l1", tolerance=1e-6)
        params = maxent.train(X[:60], y[:60])
        assert point.n_features == (abs(params[1:]).sum(axis=1) > 0).sum()
        assert point.dev_accuracy == np.mean(maxent.test(X[60:], params) == y[60:])
        assert point.train_accuracy == np.mean(maxent.test(X[:60], params) == y[:60])


def test_the_default_path_begins_at_zero_weights_and_halves():
    X, y = documents(0, 2, 90, 30)
    points = regularization_path(X, y, X, y)
    assert points[0].n_features == 0 and points[-1].n_features > 10 and len(points) == 12
    ratios = [after.regularizer / before.regularizer for before, after in itertools.pairwise(points)]
    assert ratios == pytest.approx([0.5] * 11)


def test_one_class_and_a_penalty_of_zero():
    X, y = documents(0, 3, 90, 30)
    with pytest.raises(InputError, match="two classes"):
        largest_useful_penalty(X, np.zeros(90))
    with pytest.raises(InputError, match=wording("classifiers.of_path")):
        regularization_path(X, y, X, y, [0.0])


@pytest.mark.parametrize("regularizers", [0.1, "0.1", ["much"], [None], [[0.1]]], ids=str)
def test_invalid_lists_of_regularizers_are_refused(regularizers):
    X, y = documents(0, 3, 90, 30)
    with pytest.raises(InputError, match=wording("classifiers.of_path_must_be")):
        regularization_path(X, y, X, y, regularizers)
