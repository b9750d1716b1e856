"""The estimator classes: scikit-learn's own checks, the settings of their learners, and the values of λ that they choose."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import lxmls_day1.classifiers
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.settings import known_settings
from lxmls_day1.engine.loops.learners import can_resume
from lxmls_day1.engine.loops.penalties import is_penalized
from lxmls_day1.sklearn import estimators
from lxmls_day1.sklearn.adapter import as_estimator
from tests.wording import wording

CLASSES = [getattr(estimators, name) for name in estimators.__all__]
X, Y = np.array([[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]] * 5), np.array(["+", "+", "-", "-"] * 5)


def learner_of(kind):
    return getattr(lxmls_day1.classifiers, kind.learner)


#: Settings with which scikit-learn's checks converge: its check of class weights uses factors of ten million.
SETTINGS = {
    "AROWClassifier": {"nr_rounds": 5},
    "ConfidenceWeightedClassifier": {"cap": 1.0, "nr_rounds": 5},
    "ColumnSquishingClassifier": {"cap": 1.0, "nr_rounds": 200},
    "GaussianNaiveBayesClassifier": {"variance": "pooled"},
}
MORE_ROUNDS = {
    kind.__name__: {"nr_rounds": 200} for kind in CLASSES if "nr_rounds" in inspect.signature(kind).parameters
}
ESTIMATORS = [
    *(kind(**(MORE_ROUNDS | SETTINGS).get(kind.__name__, {})) for kind in CLASSES),
    as_estimator(lxmls_day1.classifiers.Mira(regularizer=0.1, nr_rounds=200)),
    as_estimator(lxmls_day1.classifiers.BinaryPerceptron(max_rounds=20)),
    as_estimator(lxmls_day1.classifiers.GaussianNaiveBayes(variance="per_class")),
    as_estimator(lxmls_day1.classifiers.MaxEntBatch(solver="gis", tolerance=0.3, max_iterations=20_000)),
    as_estimator(lxmls_day1.classifiers.MultinomialNaiveBayes(smooth=False)),
    as_estimator(lxmls_day1.classifiers.SVM(solver="dual", tolerance=1e-9, max_epochs=200)),
]


@pytest.mark.one_in(7)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the dual solver was stopped")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_scikit_learns_own_checks(estimator):
    # An online learner's result depends on the order, so two examples differ from one example of weight 2. scikit-learn
    # exempts its own Perceptron and SGDClassifier from these checks. The same holds, up to its tolerance, for the dual ascent of
    # maximum entropy on sparse data. NBSVM's default λ depends on the number of examples.
    learner = estimator.classifier
    one_at_a_time = hasattr(learner, "averaged") and getattr(learner, "solver", "") != "dual"
    excepted = one_at_a_time or type(learner).__name__ in ("BinaryPerceptron", "NBSVM")
    kinds = ["dense", "sparse"] if excepted else ["sparse"] if getattr(learner, "solver", "") == "auto" else []
    expected = {f"check_sample_weight_equivalence_on_{kind}_data": "as above" for kind in kinds}
    results = check_estimator(estimator, on_skip=None, expected_failed_checks=expected)
    left_out = {result["check_name"] for result in results if result["status"] != "passed"} - set(expected)
    assert left_out <= {"check_array_api_input"}  # needs an environment variable


def test_every_classifier_of_whole_examples_has_one_with_its_settings():
    names = {kind.learner for kind in CLASSES}
    lab = lxmls_day1.classifiers
    flat = {name for name in lab.__all__ if not hasattr(getattr(lab, name), "templates")}
    assert flat - names == {"BinaryPerceptron", "LinearClassifier", "NaiveBayes", "OnlineClassifier", "compiled"}
    for kind in CLASSES:
        own = {name: one.default for name, one in inspect.signature(kind).parameters.items()}
        assert own == kind().get_params() == {name: getattr(kind(), name) for name in own}
        extra = {"class_weight": None, "warm_start": False}
        known = known_settings(learner_of(kind))
        if is_penalized(learner_of(kind)()):
            known = {**known, "regularizer": None}
        assert {name: value for name, value in own.items() if name not in extra} == known
        assert {name: value for name, value in own.items() if name in extra}.items() <= extra.items()
        assert ("warm_start" in own) == can_resume(learner_of(kind)())


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kind", CLASSES)
def test_estimators_equal_their_learners(kind, form):
    counts = form(np.maximum(X, 0.0))
    estimator = clone(kind()).fit(counts, Y)
    learner = learner_of(kind)()
    if is_penalized(learner):
        learner.regularizer = 2 / len(Y)
        assert estimator.regularizer_ == 0.1 and estimator.regularizer is None
        assert estimator.regularizer_reason_ == wording("commands.for_training_examples", "20")
    np.testing.assert_array_equal(estimator.params_, learner.train(counts, Y))
    labels = learner.test(counts, estimator.params_)
    np.testing.assert_array_equal(estimator.predict(counts), labels)
    assert estimator.score(counts, Y) == learner.evaluate(Y, labels)
    assert estimator.classes_.tolist() == ["+", "-"] and estimator.n_features_in_ == 2
    assert hasattr(estimator, "predict_proba") == hasattr(learner, "get_probabilities")
    again = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(again.predict(counts), labels)
    assert repr(kind()) == f"{kind.__name__}()"


def test_names_of_columns_are_kept():
    frame = pd.DataFrame(X, columns=["height", "depth"])
    estimator = estimators.MaxEntBatchClassifier().fit(frame, Y)
    assert estimator.feature_names_in_.tolist() == ["height", "depth"]
    assert estimator.predict_proba(frame).sum(axis=1) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="feature names"):
        estimator.predict(frame[["depth", "height"]])


def test_tuning_chooses_by_held_out_examples():
    rng = np.random.default_rng(3)
    points, labels = rng.normal(size=(100, 20)), rng.integers(2, size=100)
    points[:, 0] += 2.0 * labels
    estimator = estimators.SVMClassifier(regularizer="tune").fit(points, labels)
    held_out = np.zeros(100, dtype=bool)
    held_out[np.random.default_rng(1).permutation(100)[:20]] = True
    accuracies = {}
    for regularizer in (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        svm = as_estimator(lxmls_day1.classifiers.SVM(regularizer)).fit(points[~held_out], labels[~held_out])
        accuracies[regularizer] = svm.score(points[held_out], labels[held_out])
    assert estimator.regularizer_ == max(accuracies, key=accuracies.get)
    assert f"an accuracy of {max(accuracies.values()):.4f}" in estimator.regularizer_reason_
    whole = as_estimator(lxmls_day1.classifiers.SVM(estimator.regularizer_)).fit(points, labels)
    np.testing.assert_array_equal(estimator.params_, whole.params_)


def test_further_data_keep_the_regularizer_of_the_first():
    online = estimators.MaxEntOnlineClassifier().partial_fit(X[:10], Y[:10], classes=["+", "-"])
    assert online.partial_fit(X, Y).regularizer_ == 0.2
    assert online.fit(X, Y).regularizer_ == 0.1


@pytest.mark.parametrize("regularizer", ["best", -1.0])
def test_a_regularizer_that_makes_no_sense_is_refused_by_fit(regularizer):
    estimator = estimators.SVMClassifier(regularizer=regularizer)
    with pytest.raises(InputError, match=wording("sklearn.regularizer_must_be")):
        estimator.fit(X, Y)
