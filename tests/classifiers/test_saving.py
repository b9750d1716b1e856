"""Every classifier is restored from its file unchanged: class, settings, predictions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import classifiers
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.models.model_file import declared_classes
from readers.pos_corpus import PosCorpus
from tests.python_runs import ROOT, run_python
from tests.wording import wording

BASES = {"LinearClassifier", "OnlineClassifier", "StochasticGradient", "StructuredClassifier", "StructuredGradient"}
TAGGERS = [classifiers.StructuredPerceptron, classifiers.StructuredMira, classifiers.StructuredSVM, classifiers.CRF]

MAKERS = [
    lambda: classifiers.BernoulliNaiveBayes(smooth_param=0.5),
    lambda: classifiers.BinaryPerceptron(max_rounds=7),
    lambda: classifiers.AROW(regularizer=0.5, nr_rounds=1),
    lambda: classifiers.ColumnSquishing(cap=0.5),
    lambda: classifiers.ConfidenceWeighted(confidence=0.8, cap=0.5),
    lambda: classifiers.GaussianNaiveBayes(variance=2.0),
    lambda: classifiers.GaussianNaiveBayes(variance="pooled"),
    lambda: classifiers.GaussianNaiveBayes(variance="per_class"),
    lambda: classifiers.MaxEntBatch(regularizer=0.3, regularize_intercept=False),
    lambda: classifiers.MaxEntOnline(regularizer=0.3, averaged=True),
    lambda: classifiers.Mira(regularizer=0.1, nr_rounds=2, averaged="rounds"),
    lambda: classifiers.MultinomialNaiveBayes(smooth=False),
    lambda: classifiers.MultinomialNaiveBayes(smooth_param=0.5),
    lambda: classifiers.NBSVM(beta=0.5),
    lambda: classifiers.NaiveBayes(),
    lambda: classifiers.NaiveBayes("gaussian", variance="per_class"),
    lambda: classifiers.NaiveBayes("multinomial", smooth=False),
    lambda: classifiers.PassiveAggressive(cap=0.1),
    lambda: classifiers.PassiveAggressive2(cap=0.1),
    lambda: classifiers.Perceptron(averaged=False, seed=4),
    lambda: classifiers.SVM(regularizer=0.1, nr_rounds=3),
]
#: A learner without a row above is saved with its defaults.
KNOWN = {type(make()).__name__ for make in MAKERS} | {tagger.__name__ for tagger in TAGGERS} | BASES
MAKERS += [getattr(classifiers, name) for name in sorted(set(declared_classes(ROOT / "classifiers")) - KNOWN)]
LABELS = [
    np.array([0, 1, 2]),
    np.array([-1, 1, 7]),
    np.array(["neg", "neutral 🙂", "pos"]),
    np.array(["a", "b", "c"], dtype=object),
    np.array([False, True]),
    np.array([0.5, 1.5]),
]


def counts(seed, labels, n_classes, n_examples=30, n_features=6):
    """Return random counts with an example of each class, and words that are unseen in some classes."""
    rng = np.random.default_rng(seed)
    classes = labels[:n_classes]
    codes = np.concatenate([np.arange(len(classes)), rng.integers(0, len(classes), n_examples)])
    rates = rng.choice([0.0, 0.3, 2.0], size=(len(classes), n_features)) + 0.02
    X = rng.poisson(rates[codes])
    X[np.arange(len(classes)), np.arange(len(classes))] += 1  # Every class has a word.
    return X.astype(float), classes[codes], rng.poisson(1.0, size=(40, n_features)).astype(float)


def comparable(value):
    """Return attributes as values that == can compare."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tolist()
    if callable(getattr(value, "train", None)):
        return type(value), {key: comparable(own) for key, own in vars(value).items()}
    return value


def state(classifier):
    """Return all attributes of a classifier except the record of its training."""
    kept = {key: comparable(value) for key, value in vars(classifier).items() if key != "history"}
    return comparable(classifier)[0], kept


@pytest.mark.slow
@pytest.mark.parametrize("tagger", TAGGERS)
def test_a_tagger_comes_back_with_its_features_and_tags(tmp_path, tagger):
    corpus = PosCorpus("toy")
    original = tagger(nr_rounds=2, transitions=False)
    params = original.train(corpus.train_X, corpus.train_y)
    original.save(tmp_path / "tagger.npz", params)
    loaded, loaded_params, *_ = classifiers.LinearClassifier.load(tmp_path / "tagger.npz")
    assert type(loaded) is tagger and loaded.transitions is False
    assert loaded.templates == original.templates and loaded.feature_names == original.feature_names
    np.testing.assert_array_equal(loaded_params, params)
    assert loaded.test(corpus.test_X, loaded_params) == original.test(corpus.test_X, params)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # For example, of documents that every class excludes.
class TestRoundTrip:
    @pytest.mark.parametrize("make", MAKERS)
    @settings(max_examples=5)
    @given(
        seed=st.integers(0, 2**32 - 1), labels=st.sampled_from(LABELS), n_classes=st.integers(2, 3), dense=st.booleans()
    )
    def test_same_class_same_attributes_same_predictions(self, tmp_path_factory, make, seed, labels, n_classes, dense):
        path = tmp_path_factory.getbasetemp() / "round-trip.npz"
        original = make()
        X, y, X_new = counts(seed, labels, 2 if isinstance(original, classifiers.BinaryPerceptron) else n_classes)
        if not dense:
            X, X_new = sp.csr_array(X), sp.csr_array(X_new)
        params = original.train(X, y)
        original.save(path, params)
        for load in (classifiers.LinearClassifier.load, type(original).load):
            loaded, loaded_params, feature_names, label_names, notes = load(path)
            assert type(loaded) is type(original)
            assert loaded_params.dtype == np.float64 and np.array_equal(loaded_params, params)
            expected, predicted = original.test(X_new, params), loaded.test(X_new, loaded_params)
            assert predicted.dtype == expected.dtype and np.array_equal(predicted, expected)
            assert state(loaded) == state(original)
            assert loaded.evaluate(y, y) == 1.0 and loaded.get_name() == original.get_name()
            assert (feature_names, label_names, notes) == (None, None, {})

    @pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
    def test_parameters_that_are_not_numbers_are_neither_saved_nor_loaded(self, number, tmp_path):
        path, params = tmp_path / "spoilt.npz", np.array([[0.5, 0.0], [0.0, 1.0]])
        classifiers.LinearClassifier().save(path, params)
        with np.load(path) as file:
            arrays = dict(file)
        arrays["params"][1, 0] = number
        np.savez(path, **arrays)
        with pytest.raises(InputError, match=wording("classifiers.params_finite_params", number)):
            classifiers.LinearClassifier.load(path)

    def test_a_linear_model_is_not_loaded_as_a_quadratic_one(self, tmp_path):
        params = np.random.default_rng(0).normal(size=(7, 2))
        with pytest.raises(InputError, match=wording("classifiers.feature_names_parameters_rows")):
            classifiers.LinearClassifier().save(tmp_path / "six.npz", params, feature_names=list("abc"))
        with pytest.raises(InputError, match=wording("classifiers.expected_name_two_rows")):
            classifiers.GaussianNaiveBayes("per_class").save(tmp_path / "six.npz", params, feature_names=list("abcdef"))


class TestNames:
    def test_names_of_features_and_labels_are_saved(self, tmp_path):
        mira = classifiers.Mira()
        params = mira.train([[2, 0], [0, 2]], [0, 1])
        mira.save(tmp_path / "m.npz", params, feature_names=["good", "bad"], label_names=("positive", "negative"))
        model = classifiers.Mira.load(tmp_path / "m.npz")
        assert model.feature_names == ["good", "bad"]
        assert model.label_names == model.class_names == ["positive", "negative"]


class Cautious(classifiers.Perceptron):
    """A learner that is defined in no file of the lab, as in a notebook."""

    name = "Cautious"

    def __init__(self, care=1, **settings):
        super().__init__(**settings)
        self.care = care


class TestWhichClass:
    def test_a_model_of_another_class_is_refused(self, tmp_path):
        classifiers.LinearClassifier().save(tmp_path / "x.npz", np.eye(2))
        with pytest.raises(InputError, match=wording("classifiers.holds_linearclassifier_mira_linearclassifier")):
            classifiers.Mira.load(tmp_path / "x.npz")

    @pytest.mark.slow
    def test_after_flat_imports_as_in_the_guide(self, tmp_path):
        code = f"""
import sys
sys.path.append("classifiers/")
import linear_classifier as lcc
import mira as mirac
mira = mirac.Mira(regularizer=0.5)
params = mira.train([[2.0, 0.0], [0.0, 2.0]], [0, 1])
mira.save({str(tmp_path / "flat.npz")!r}, params)
for load in (mirac.Mira.load, lcc.LinearClassifier.load):
    loaded, loaded_params, *_ = load({str(tmp_path / "flat.npz")!r})
    assert type(loaded) is mirac.Mira and loaded.regularizer == 0.5
    assert loaded.test([[1.0, 0.0], [0.0, 1.0]], loaded_params).tolist() == [0, 1]
"""
        run_python("-c", code)
        loaded = classifiers.Mira.load(tmp_path / "flat.npz").classifier
        assert type(loaded) is classifiers.Mira and loaded.regularizer == 0.5
