"""A λ that is far too large for short texts is reported once, with a suggested value."""

import functools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import SVM, MaxEntBatch, MaxEntOnline, Mira
from lxmls_day1.engine.loops.penalties import LargePenaltyWarning
from tests.wording import wording


def short_texts(n_classes=20, n_examples=2000):
    """Return texts of six words out of 3,000, three of which are among the thirty words of the text's class."""
    rng = np.random.default_rng(0)
    labels = rng.integers(n_classes, size=n_examples)
    own = 30 * labels[:, None] + rng.integers(30, size=(n_examples, 3))
    columns = np.hstack([own, rng.integers(3000, size=(n_examples, 3))])
    rows = np.repeat(np.arange(n_examples), 6)
    return sp.csr_array((np.ones(rows.size), (rows, columns.ravel())), shape=(n_examples, 3000)), labels


@pytest.mark.parametrize("learner", [SVM, MaxEntOnline, MaxEntBatch, functools.partial(MaxEntBatch, penalty="l1")])
def test_a_too_large_penalty_for_short_texts_is_reported(learner):
    X, y = short_texts()
    made = learner(regularizer=1.0)
    with pytest.warns(LargePenaltyWarning, match=wording("engine.try_regularizer_which_is")) as told:
        params = made.train(X, y)
    assert len(told) == 1
    falls = made.objective(X, y, 0 * params) - (made.objective(X, y, params) - made.penalty_of(params))
    assert falls < 0.1 * made.objective(X, y, 0 * params)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        advised = learner(regularizer=0.001)
        weights = advised.train(X, y)
    assert advised.evaluate(y, advised.test(X, weights)) > made.evaluate(y, made.test(X, params))


@pytest.mark.parametrize("learner", [SVM(), MaxEntOnline(), MaxEntBatch(), Mira(regularizer=100.0)])
def test_no_report_if_the_penalty_suits_the_data(learner):
    X = np.random.default_rng(0).normal(size=(200, 2)) + 2.0 * np.eye(2)[y := np.arange(200) % 2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.train(X, y)
