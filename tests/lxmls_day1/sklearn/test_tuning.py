"""Choosing settings on the development part: the combinations, the chosen one, and that the test part is not used."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.settings import settings
from lxmls_day1.lab import Lab
from lxmls_day1.sklearn.tuning import DataSplit, tune, with_development_part


class NoTestPart:
    """Data of two classes whose test part must not be touched."""

    def __init__(self, n_dev=50):
        rng = np.random.default_rng(0)
        y = rng.integers(2, size=100 + n_dev)
        X = rng.normal(size=(len(y), 3)) + y[:, None]
        self.train_X, self.train_y, self.dev_X, self.dev_y = X[:100], y[:100], X[100:], y[100:]

    @property
    def test_X(self):
        raise AssertionError("the test part was looked at")

    test_y = X = y = test_X


@pytest.fixture
def svm():
    return Lab.open().classifier("svm", "SVM", nr_rounds=3)


@pytest.mark.parametrize("other_way_round", [False, True])
def test_every_combination_is_trained_and_the_best_on_the_development_part_is_kept(svm, other_way_round):
    data = NoTestPart()
    # The best choice on the training part is therefore not the best here.
    data.dev_y = 1 - data.dev_y if other_way_round else data.dev_y
    found = tune(svm, data, {"regularizer": np.array([1.0, 0.01]), "nr_rounds": (1, 2, 3)})
    tried = [tuple(trial.settings.values()) for trial in found.trials]
    assert tried == list(itertools.product((1.0, 0.01), (1, 2, 3)))
    for trial in found.trials:
        again = Lab.open().classifier("svm", "SVM", **trial.settings)
        params = again.train(data.train_X, data.train_y)
        assert trial.accuracy == again.evaluate(data.dev_y, again.test(data.dev_X, params))
        assert trial.training_accuracy == again.evaluate(data.train_y, again.test(data.train_X, params))
    first_best = next(t for t in found.trials if t.accuracy == max(trial.accuracy for trial in found.trials))
    assert found.best is first_best
    assert {name: settings(found.classifier)[name] for name in first_best.settings} == first_best.settings
    assert found.classifier.evaluate(data.dev_y, found.classifier.test(data.dev_X, found.params)) == first_best.accuracy


def test_the_given_classifier_stays_as_it_is(svm):
    before = settings(svm)
    tune(svm, NoTestPart(), {"regularizer": [0.5]})
    assert settings(svm) == before
    assert not svm.trained


def test_the_standard_error_is_that_of_a_share(svm):
    found = tune(svm, NoTestPart(), {"regularizer": [0.1]})
    p = found.best.accuracy
    assert found.n_examples == 50
    assert found.standard_error(found.best) == pytest.approx(math.sqrt(p * (1 - p) / 50))
    assert found.within_one_standard_error() == [found.best]


def test_tagged_sentences_are_tuned_alike():
    lab = Lab.open()
    corpus = lab.reader("pos_corpus", "PosCorpus", name="toy")
    found = tune(lab.classifier("structured_perceptron", "StructuredPerceptron"), corpus, {"nr_rounds": [1, 2]})
    assert found.n_examples == sum(map(len, corpus.dev_y))
    assert 0 < found.best.accuracy <= 1


@pytest.mark.parametrize(
    ("grid", "complaint"),
    [
        ({"regularise": [1]}, "no setting 'regularise'.*regularizer"),
        ({"regularizer": []}, "list of at least one"),
        ({"regularizer": 0.1}, "must be a list, but is 0.1"),
        ({"averaged": "steps"}, "must be a list, but is 'steps'"),
        ({}, "empty"),
        ({"regularizer": [-1.0]}, "regularizer"),
        (3, "must be a dict"),
        ([("regularizer", [1])], "must be a dict"),
        ({3: [1]}, "no setting 3"),
        ({None: [1]}, "no setting None"),
    ],
)
def test_grids_that_make_no_sense(svm, grid, complaint):
    with pytest.raises(InputError, match=complaint):
        tune(svm, NoTestPart(), grid)


def test_there_must_be_a_development_part(svm):
    with pytest.raises(InputError, match="development part"):
        tune(svm, NoTestPart(n_dev=0))


def test_a_classifier_without_a_usual_setting_says_what_it_has():
    gnb = Lab.open().classifier("gaussian_naive_bayes", "GaussianNaiveBayes")
    with pytest.raises(InputError, match="name a setting.*variance"):
        tune(gnb, SimpleNamespace(dev_y=[0]))


@pytest.mark.parametrize(
    "form", [np.asarray, list, lambda rows: pd.DataFrame(rows, index=np.arange(len(rows))[::-1]), sp.coo_array]
)
@pytest.mark.parametrize("form_of_labels", [list, lambda y: pd.Series(y, index=range(5, 5 + len(y)))])
def test_a_part_is_held_out_of_data_in_any_form(form, form_of_labels):
    X, y = np.arange(1.0, 31).reshape(10, 3), np.arange(10)
    parts = with_development_part(DataSplit(form(X), form_of_labels(y), [], []))
    for part, labels, size in ((parts.train_X, parts.train_y, 8), (parts.dev_X, parts.dev_y, 2)):
        rows = part.toarray() if sp.issparse(part) else np.asarray(part)
        np.testing.assert_array_equal(rows, X[np.asarray(labels)])
        assert len(rows) == size
    assert sorted([*parts.train_y, *parts.dev_y]) == list(range(10))
