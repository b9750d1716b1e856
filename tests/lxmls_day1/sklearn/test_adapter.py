"""The estimator compared with direct calls of the lab's classifiers, and with related estimators of scikit-learn."""

import copy
import importlib
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.utils import get_tags

from classifiers import AROW, SVM, BinaryPerceptron, ColumnSquishing, MaxEntBatch, Mira, NaiveBayes, Perceptron
from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.max_ent_online import MaxEntOnline, max_ent_rule
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.online_loop import online_loop
from lxmls_day1.base.errors import InputError
from lxmls_day1.sklearn.adapter import LabEstimator, as_estimator, calibrated
from tests.wording import wording


def by_type(classifier):
    variant = getattr(classifier, "solver", getattr(classifier, "variance", None))
    return type(classifier).__name__ + (f"-{variant}" if variant else "")


def points(n_classes, n_features=2, n_examples=120):
    """Return overlapping clouds with string labels, and counts made from them."""
    rng = np.random.default_rng(n_classes)
    labels = rng.integers(n_classes, size=n_examples)
    X = 1.5 * rng.normal(size=(n_classes, n_features))[labels] + rng.normal(size=(n_examples, n_features))
    return X, np.array(["red", "green", "blue", "white"])[labels]


def counts(n_classes):
    X, y = points(n_classes, n_features=5)
    return np.maximum(np.round(2 * X), 0.0), y


# ------------------------------------------------------------------------------------------- scores and probabilities


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("classifier", [Mira(), GaussianNaiveBayes(), MaxEntOnline(averaged=True)], ids=by_type)
def test_scores_are_those_of_the_weights(classifier, n_classes):
    X, y = points(n_classes)
    estimator = as_estimator(classifier).fit(X, y)
    W = estimator.params_
    scores = W[0] + X @ W[1:]  # (M, K)

    if n_classes == 2:
        np.testing.assert_allclose(estimator.decision_function(X), scores[:, 1] - scores[:, 0], atol=1e-12)
        assert estimator.coef_.shape == (1, 2) and estimator.intercept_.shape == (1,)
        np.testing.assert_array_equal(estimator.predict(X) == "red", estimator.decision_function(X) > 0)
    else:
        np.testing.assert_allclose(estimator.decision_function(X), scores, atol=1e-12)
        assert estimator.coef_.shape == (n_classes, 2) and estimator.intercept_.shape == (n_classes,)
    from_weights = X @ estimator.coef_.T + estimator.intercept_
    np.testing.assert_allclose(from_weights.squeeze(), estimator.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_probabilities_of_naive_bayes_are_scikit_learns(n_classes, kind):
    X, y = counts(n_classes)
    X[0] = 1000.0  # The text is so long that all probabilities except one round to 0; their logarithms do not.
    for ours, theirs in (
        (MultinomialNaiveBayes(smooth_param=0.5), MultinomialNB(alpha=0.5)),
        (GaussianNaiveBayes("per_class"), GaussianNB(var_smoothing=1e-9)),
    ):
        ours = as_estimator(ours).fit(kind(X), y)
        theirs.fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(kind(X)), theirs.predict_proba(X), atol=1e-9)
        np.testing.assert_allclose(ours.predict_log_proba(kind(X)), theirs.predict_log_proba(X), rtol=1e-7, atol=1e-7)


def test_iterative_scaling_takes_negative_features_as_they_are():
    X, y = points(3)
    assert X.min() < 0
    scaling = as_estimator(MaxEntBatch(solver="gis", tolerance=1e-4, max_iterations=5000)).fit(X, y)
    optimum = as_estimator(MaxEntBatch(regularizer=0.0, tolerance=1e-8)).fit(X, y)
    np.testing.assert_allclose(scaling.predict_proba(X), optimum.predict_proba(X), atol=0.02)
    with pytest.raises(InputError, match=wording("sklearn.features_of_at_least")):
        scaling.fit(sp.csr_array(X), y)


# ------------------------------------------------------------------------------------------------- hyper-parameters


def test_setting_one_changes_neither_the_classifier_nor_a_clone():
    mira = Mira(regularizer=0.5, averaged="rounds")
    estimator = as_estimator(mira)
    twin = clone(estimator)
    assert estimator.set_params(regularizer=2.0) is estimator
    assert (estimator.classifier.regularizer, estimator.classifier.averaged) == (2.0, "rounds")
    assert mira.regularizer == twin.classifier.regularizer == 0.5


def test_an_unknown_hyper_parameter_is_named_and_nothing_is_set():
    estimator = as_estimator(Mira())
    with pytest.raises(InputError, match=wording("sklearn.mira_hyper_parameter_lambda")):
        estimator.set_params(regularizer=3.0, **{"lambda": 1.0})
    assert estimator.classifier.regularizer == 1.0


def test_the_repr_recreates_the_estimator():
    assert repr(as_estimator(Mira())) == "as_estimator(Mira())"
    assert repr(as_estimator(Mira(nr_rounds=3, averaged=False))) == "as_estimator(Mira(nr_rounds=3, averaged=False))"
    text = "as_estimator(Mira(), class_weight='balanced', warm_start=True)"
    assert repr(as_estimator(Mira(), class_weight="balanced", warm_start=True)) == text
    assert repr(clone(eval(text))) == text


# ----------------------------------------------------------------------------------------------- weights and states

TO_THE_OPTIMUM = [
    GaussianNaiveBayes(variance="pooled"),
    GaussianNaiveBayes(variance="per_class"),
    MultinomialNaiveBayes(smooth_param=0.5),
    MaxEntBatch(regularizer=0.1, tolerance=1e-12),
    MaxEntBatch(solver="gis", tolerance=0.1, max_iterations=5000),
    SVM(regularizer=0.1, solver="dual", tolerance=1e-9, max_epochs=10_000),
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("classifier", TO_THE_OPTIMUM, ids=by_type)
def test_an_example_of_weight_two_is_two_examples(classifier, n_classes):
    X, y = counts(n_classes)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    again, label_again = X.repeat(times, axis=0), y.repeat(times)
    # Class weights: a class of weight 2 has every example twice, and "balanced" uses the sample weights.
    twice = 1 + (label_again == "red")
    balanced = len(label_again) / n_classes / (label_again[:, None] == label_again).sum(axis=1)
    for class_weight, X_again, y_again, sample_weight in (
        (None, again, label_again, None),
        ({"red": 2}, again.repeat(twice, axis=0), label_again.repeat(twice), None),
        ("balanced", again, label_again, balanced),
    ):
        expected = as_estimator(classifier).fit(X_again, y_again, sample_weight=sample_weight)
        for kind in (np.asarray, sp.csr_array):
            estimator = as_estimator(classifier, class_weight=class_weight).fit(kind(X), y, sample_weight=times)
            np.testing.assert_allclose(estimator.params_, expected.params_, rtol=1e-5, atol=1e-5)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("averaged", ["steps", "last round", "rounds", False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "learner", [Perceptron, Mira, SVM, MaxEntOnline, ColumnSquishing, AROW], ids=lambda learner: learner.__name__
)
def test_partial_fits_and_warm_starts_are_one_training_bit_for_bit(learner, n_classes, averaged):
    X, y = points(n_classes)
    expected = as_estimator(learner(nr_rounds=6, averaged=averaged)).fit(X, y)
    warm = as_estimator(learner(nr_rounds=2, averaged=averaged)).set_params(warm_start=True)
    in_parts = as_estimator(learner(averaged=averaged))
    for done in range(1, 7):
        in_parts.partial_fit(X, y, classes=np.unique(y))
        if done % 2 == 0:
            warm.fit(X, y)
            assert warm.n_iter_ == in_parts.n_iter_ == done
            in_parts = pickle.loads(pickle.dumps(in_parts))
    for estimator in (in_parts, warm):
        np.testing.assert_array_equal(estimator.params_, expected.params_)
    in_parts.fit(X, y)  # A new fit discards the earlier training.
    assert in_parts.n_iter_ == in_parts.classifier.nr_rounds


def test_parts_of_the_data_need_not_hold_all_classes():
    X, y = points(3)
    classes, visits = ["blue", "green", "red"], np.argsort(y, kind="stable")
    estimator = as_estimator(MaxEntOnline(regularizer=0.1, initial_step=1.0, averaged="steps", order=np.arange(10)))
    for part in np.split(visits, 12):
        estimator.partial_fit(X[part], y[part], classes=["red", "green", "blue"])
    steps, costs = MaxEntOnline(regularizer=0.1, initial_step=1.0).steps(1, len(y)), 1 - np.eye(3)
    _, mean = online_loop(max_ent_rule, X, np.searchsorted(classes, y), visits, steps, costs, shrinkage=0.1)
    assert estimator.classes_.tolist() == classes
    np.testing.assert_allclose(estimator.params_, mean, atol=1e-12)


def test_training_that_cannot_continue_is_an_error():
    X, y = points(2)
    for classifier in (GaussianNaiveBayes(), SVM(solver="dual"), MaxEntBatch(), BinaryPerceptron()):
        assert not hasattr(as_estimator(classifier), "partial_fit")
        with pytest.raises(InputError, match=wording("sklearn.warm_start_online_learners")):
            as_estimator(classifier).set_params(warm_start=True).fit(X, y)
    with pytest.raises(InputError, match=wording("sklearn.first_partial_fit_needs")):
        as_estimator(Mira()).partial_fit(X, y)
    begun = as_estimator(Mira()).partial_fit(X, y, classes=["red", "green"])
    with pytest.raises(InputError, match=wording("sklearn.classes_those_first_partial")):
        begun.partial_fit(X, y, classes=["red", "green", "blue"])
    with pytest.raises(InputError, match=wording("sklearn.label_blue_training_data")):
        begun.partial_fit(X, np.where(y == "red", "blue", y))
    with pytest.raises(ValueError, match="3 features"):
        begun.partial_fit(np.ones((len(y), 3)), y)
    with pytest.raises(InputError, match=r"averaged='steps', but .* averaged=False"):
        begun.set_params(averaged=False).partial_fit(X, y)
    with pytest.raises(InputError, match=wording("sklearn.balanced_needs_data")):
        as_estimator(Mira()).set_params(class_weight="balanced").partial_fit(X, y, classes=["red", "green"])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"for each of the 120 examples, but has the shape \(3,\)"),
        (np.r_[-1.0, np.ones(119)], r"sample_weight\[0\] is -1"),
        (np.r_[np.ones(119), np.nan], r"sample_weight\[119\] is nan"),
        (["heavy"] * 120, "sample_weight must hold a number for each example"),
        (np.zeros(120), "zero"),
    ],
)
@pytest.mark.parametrize(
    "classifier", [Mira(), GaussianNaiveBayes(), MaxEntBatch(), SVM(solver="dual"), BinaryPerceptron()], ids=by_type
)
def test_weights_that_make_no_sense(classifier, weights, message):
    X, y = points(2)
    with pytest.raises(InputError, match=message):
        as_estimator(classifier).fit(X, y, sample_weight=weights)
    with pytest.raises(InputError, match=message):
        copy.deepcopy(classifier).train(X, y, sample_weight=weights)


def test_a_learner_with_a_train_of_its_own_is_trained_by_it():
    class Doubled(Perceptron):
        def train(self, X, y, callback=None):
            return 2.0 * super().train(X, y, callback)

    X, y = points(2)
    estimator = as_estimator(Doubled()).fit(X, y)
    np.testing.assert_array_equal(estimator.params_, 2.0 * as_estimator(Perceptron()).fit(X, y).params_)
    assert not hasattr(estimator, "partial_fit") and not hasattr(estimator, "state_")


# ----------------------------------------------------------------------------------------------------- calibration


def test_a_development_part_needs_two_examples_of_each_class():
    estimator = as_estimator(SVM()).fit([[0.0], [1.0]] * 4, [0, 1] * 4)
    with pytest.raises(InputError, match=wording("sklearn.label_has_fewer")):
        calibrated(estimator, [[0.0], [1.0], [0.0]], [0, 1, 0])


def test_platts_sigmoid_is_the_likeliest_one_on_the_development_part():
    X, y = points(2, n_examples=300)
    estimator = as_estimator(SVM(regularizer=0.01)).fit(X[:100], y[:100])
    params = estimator.params_.copy()
    dev_X, positive = X[100:200], y[100:200] == "red"
    with_probabilities = calibrated(estimator, dev_X, y[100:200])

    scores, n_positive = estimator.decision_function(dev_X), positive.sum()
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (len(positive) - n_positive + 2))  # Platt's

    def loss(ab):
        exponent = ab[0] * scores + ab[1]
        return (np.logaddexp(0, exponent) - (1 - targets) * exponent).sum()

    a, b = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000}).x
    expected = 1 / (1 + np.exp(a * estimator.decision_function(X[200:]) + b))
    np.testing.assert_allclose(with_probabilities.predict_proba(X[200:])[:, 1], expected, atol=1e-4)
    np.testing.assert_array_equal(estimator.params_, params)


# ---------------------------------------------------------------------------------------------------- limitations


def test_tags_describe_the_accepted_data():
    for classifier, for_counts, multi_class in (
        (Mira(), False, True),
        (MultinomialNaiveBayes(), True, True),
        (NaiveBayes("multinomial"), True, True),
        (NaiveBayes("gaussian"), False, True),
        (MaxEntBatch(), False, True),
        (MaxEntBatch(solver="gis"), False, True),
        (BinaryPerceptron(), False, False),
    ):
        tags = get_tags(as_estimator(classifier))
        assert tags.input_tags.sparse
        assert tags.input_tags.positive_only == for_counts
        assert tags.classifier_tags.multi_class == multi_class


def test_three_classes_are_too_many_for_the_binary_perceptron():
    says = r"Only binary .* is multiclass\. BinaryPerceptron .* holds 3: 'blue', 'green', 'red'"
    with pytest.raises(InputError, match=says):
        as_estimator(BinaryPerceptron()).fit(*points(3))


def test_the_naive_bayes_facade_is_replaced_by_its_model():
    door = NaiveBayes("multinomial", smooth_param=0.5)
    estimator = as_estimator(door)
    assert estimator.classifier is door.model
    assert estimator.get_params()["smooth_param"] == 0.5


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Mira, r"got the class Mira; create one: as_estimator\(Mira\(\)\)"),
        ("mira", r"got 'mira' of the type str"),
        (LogisticRegression(), r"got LogisticRegression\(\) of the type LogisticRegression"),
    ],
)
def test_values_that_are_not_classifiers_of_the_lab_are_refused(value, message):
    with pytest.raises(InputError, match=message):
        as_estimator(value)
    with pytest.raises(InputError, match=message):
        LabEstimator(value).fit(*points(2))


@pytest.mark.parametrize("lacking", ["sklearn.base", "sklearn.utils.validation"])
def test_a_missing_or_old_scikit_learn_is_reported_with_the_extra(lacking, monkeypatch):
    monkeypatch.setitem(sys.modules, lacking, None)
    monkeypatch.delitem(sys.modules, "lxmls_day1.sklearn.adapter")
    with pytest.raises(ImportError, match=wording("sklearn.scikit_learn_newer_pip")):
        importlib.import_module("lxmls_day1.sklearn.adapter")


LABELS_OF_EVERY_TYPE = {
    "Int64 beyond 2**53": pd.Series([2**60, 2**60 + 1, 5], dtype="Int64"),
    "uint64": np.array([2**63, 2**63 + 1, 5], dtype=np.uint64),
    "integers of Python beyond 64 bits": np.array([2**70, 2**70 + 1, 5], dtype=object),
    "Booleans of pandas": pd.Series([True, False, True], dtype="boolean"),
    "Booleans": np.array([True, False, True]),
    "StringDType": np.array(["b", "a", "ü"], dtype=np.dtypes.StringDType()),
    "strings of pandas": pd.Series(["b", "a", "c"], dtype="string"),
    "categories": pd.Series(["b", "a", "c"], dtype="category"),
    "bytes": np.array([b"b", b"a", b"c"]),
    "dates": np.array(["2024-02-01", "2024-01-01", "2025-01-01"], dtype="datetime64[D]"),
    "a list of texts": ["b", "a", "c"],
}


@pytest.mark.parametrize("labels", LABELS_OF_EVERY_TYPE.values(), ids=LABELS_OF_EVERY_TYPE.keys())
def test_estimators_take_and_answer_the_labels_that_learners_do(labels):
    X = np.eye(3).repeat(4, axis=0)
    y = [label for label in labels for _ in range(4)] if isinstance(labels, list) else labels.repeat(4)
    native = Mira()
    params = native.train(X, y)
    fitted = as_estimator(Mira()).fit(X, y)
    continued = as_estimator(Mira()).partial_fit(X, y, classes=labels)
    for estimator in (fitted, continued):
        assert estimator.predict(X).tolist() == native.test(X, params).tolist() == np.asarray(y).tolist()
        assert estimator.classes_.dtype == native.classes.dtype == estimator.predict(X).dtype
        assert estimator.score(X, y) == 1.0 and estimator.score(X[:4], y[4:8]) == 0.0
