"""The classifiers as classes of scikit-learn: ``MiraClassifier(nr_rounds=5)`` goes where ``LogisticRegression()`` goes.

=================================  ==========================================================================
`GaussianNaiveBayesClassifier`     Gaussian class conditionals, for dense data
`MultinomialNaiveBayesClassifier`  bags of words
`BernoulliNaiveBayesClassifier`    sets of words
`NBSVMClassifier`                  an SVM on features that naive Bayes has weighed
`PerceptronClassifier`             the averaged perceptron
`MiraClassifier`                   MIRA
`PassiveAggressiveClassifier`      PA-I; `PassiveAggressive2Classifier`: PA-II
`ColumnSquishingClassifier`        the least change that satisfies all rivals at once
`AROWClassifier`                   second order: AROW; `ConfidenceWeightedClassifier`: SCW-I
`SVMClassifier`                    linear multi-class SVM
`MaxEntOnlineClassifier`           multinomial logistic regression, online; `MaxEntBatchClassifier`: its optimum
=================================  ==========================================================================

Settings have the names and defaults of the classifiers in `lxmls_day1.classifiers`, with one exception: the λ (``regularizer``) of SVM and
maximum entropy is chosen by ``fit`` where it is not given. None means 2/M for M training examples, or the sum M of their weights;
``"tune"`` the one of `lxmls_day1.tuning.USUAL_GRIDS` that does best on a fifth of the training data, held out for that, whatever
the examples weigh. ``regularizer_`` says which λ it is, and ``regularizer_reason_`` why. All have the methods and attributes of
`lxmls_day1.sklearn_adapter.LearnerEstimator`.

Examples
--------
>>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], ["+", "+", "-", "-"]
>>> MiraClassifier(nr_rounds=3).fit(X, y).predict([[1.5, 0.5]])
array(['+'], dtype='<U1')
>>> svm = SVMClassifier().fit(X, y)
>>> svm, svm.regularizer_, svm.regularizer_reason_
(SVMClassifier(), 0.5, '2/M for 4 training examples')

The class of scikit-learn's that minimises the same function as another one here: ``LogisticRegression(C=C)`` and
``MaxEntBatchClassifier(regularizer=1 / (C * M), regularize_intercept=False)`` for M examples of more than two classes; 2/(C M) for two.
"""

from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.engine.penalties import is_penalized, usual_regularizer
from lxmls_day1.errors import InputError
from lxmls_day1.settings import known_settings
from lxmls_day1.sklearn_adapter import LearnerEstimator
from lxmls_day1.tuning import Parts, tune, with_development_part


class _Estimator(LearnerEstimator):
    """An estimator that has the settings of a learner as its own: the fields of a dataclass."""

    learner: ClassVar[str]

    @property
    def classifier(self) -> Any:
        """A new classifier with these settings; whether they make sense, ``fit`` finds out."""
        kind = getattr(import_module("lxmls_day1.classifiers"), self.learner)
        classifier = kind()
        for name in known_settings(kind):
            setattr(classifier, name, getattr(self, name))
        if self._is_open():
            default = 0.0 if getattr(self, "solver", "") == "gis" else kind().regularizer
            classifier.regularizer = getattr(self, "regularizer_", default)
        return classifier

    def _is_open(self) -> bool:
        """Whether λ is not given as a number."""
        return hasattr(self, "regularizer") and (self.regularizer is None or isinstance(self.regularizer, str))

    def _choose(self, classifier: Any, X: Any, y: np.ndarray, weights: np.ndarray | None, goes_on: bool) -> None:
        """Choose λ, unless it is given or the training goes on with the one of before."""
        if goes_on or not self._is_open():
            return
        given = self.regularizer
        if given == "tune":
            found = tune(classifier, with_development_part(Parts(X, y, X[:0], y[:0])))
            classifier.regularizer, accuracy = found.best.settings["regularizer"], found.best.accuracy
            reason = f"the best of {len(found.trials)} on {found.n_examples} held-out examples: an accuracy of {accuracy:.4f}"
        elif given is not None:
            raise InputError(f'regularizer (λ) must be a number, "tune" or None, but is {given!r}')
        elif is_penalized(classifier):
            n_examples = len(y) if weights is None else float(weights.sum())
            classifier.regularizer = usual_regularizer(n_examples)
            reason = f"2/M for {n_examples:g} training examples"
        else:
            return
        self.regularizer_, self.regularizer_reason_ = float(classifier.regularizer), reason


@dataclass(eq=False, repr=False, kw_only=True)
class _Online(_Estimator):
    """What all online learners take: see `lxmls_day1.classifiers.OnlineClassifier`."""

    nr_rounds: int = 10
    averaged: bool | str = "steps"
    seed: int = 1
    order: ArrayLike | None = None
    cost: ArrayLike | None = None
    track_objective: bool = False
    progress: bool = False
    n_jobs: int = 1
    class_weight: dict[Any, float] | str | None = None
    warm_start: bool = False


@dataclass(eq=False, repr=False)
class PerceptronClassifier(_Online):
    """The averaged multi-class perceptron; settings of `lxmls_day1.classifiers.Perceptron`."""

    learner = "Perceptron"


@dataclass(eq=False, repr=False)
class MiraClassifier(_Online):
    """MIRA, the smallest step that puts a mistake right, at most 1/λ; settings of `lxmls_day1.classifiers.Mira`."""

    learner = "Mira"
    regularizer: float = 1.0


@dataclass(eq=False, repr=False)
class PassiveAggressiveClassifier(_Online):
    """PA-I: MIRA's step wherever a margin is missing; settings of `lxmls_day1.classifiers.PassiveAggressive`."""

    learner = "PassiveAggressive"
    cap: float = 1.0


@dataclass(eq=False, repr=False)
class PassiveAggressive2Classifier(_Online):
    """PA-II, whose cap is soft; settings of `lxmls_day1.classifiers.PassiveAggressive2`."""

    learner = "PassiveAggressive2"
    cap: float = 1.0


@dataclass(eq=False, repr=False)
class ColumnSquishingClassifier(_Online):
    """The least change that satisfies all rivals at once; settings of `lxmls_day1.classifiers.ColumnSquishing`."""

    learner = "ColumnSquishing"
    cap: float | None = None


@dataclass(eq=False, repr=False)
class AROWClassifier(_Online):
    """AROW, a rule of second order; settings of `lxmls_day1.classifiers.AROW`."""

    learner = "AROW"
    regularizer: float = 1.0
    _: KW_ONLY
    averaged: bool | str = False


@dataclass(eq=False, repr=False)
class ConfidenceWeightedClassifier(_Online):
    """Soft confidence-weighted learning, SCW-I; settings of `lxmls_day1.classifiers.ConfidenceWeighted`."""

    learner = "ConfidenceWeighted"
    confidence: float = 0.9
    cap: float | None = None
    _: KW_ONLY
    averaged: bool | str = False


@dataclass(eq=False, repr=False)
class MaxEntOnlineClassifier(_Online):
    """Maximum entropy by stochastic gradient descent, with ``predict_proba``; settings of `lxmls_day1.classifiers.MaxEntOnline`."""

    learner = "MaxEntOnline"
    regularizer: float | str | None = None
    _: KW_ONLY
    nr_rounds: int = 20
    averaged: bool | str = "last round"
    initial_step: float | None = None
    alpha: float | None = None


@dataclass(eq=False, repr=False)
class SVMClassifier(MaxEntOnlineClassifier):
    """The linear multi-class SVM, by steps or, with ``solver="dual"``, to its optimum; settings of `lxmls_day1.classifiers.SVM`."""

    learner = "SVM"
    solver: str = "subgradient"
    tolerance: float = 1e-3
    max_epochs: int = 1000


@dataclass(eq=False, repr=False)
class MaxEntBatchClassifier(_Estimator):
    """Maximum entropy to its optimum, with ``predict_proba``; settings of `lxmls_day1.classifiers.MaxEntBatch`."""

    learner = "MaxEntBatch"
    regularizer: float | str | None = None
    tolerance: float = 1e-4
    max_iterations: int = 1000
    regularize_intercept: bool = True
    solver: str = "auto"
    n_jobs: int = 1
    penalty: str = "l2"
    class_weight: dict[Any, float] | str | None = None


@dataclass(eq=False, repr=False)
class GaussianNaiveBayesClassifier(_Estimator):
    """Naive Bayes for dense data, with ``predict_proba``; settings of `lxmls_day1.classifiers.GaussianNaiveBayes`."""

    learner = "GaussianNaiveBayes"
    variance: float | str = 1.0
    class_weight: dict[Any, float] | str | None = None


@dataclass(eq=False, repr=False)
class MultinomialNaiveBayesClassifier(_Estimator):
    """Naive Bayes for counts, with ``predict_proba``; settings of `lxmls_day1.classifiers.MultinomialNaiveBayes`."""

    learner = "MultinomialNaiveBayes"
    smooth: bool = True
    smooth_param: float = 1.0
    length: str = "same"


@dataclass(eq=False, repr=False)
class BernoulliNaiveBayesClassifier(_Estimator):
    """Naive Bayes for what is there or not, with ``predict_proba``; settings of `lxmls_day1.classifiers.BernoulliNaiveBayes`."""

    learner = "BernoulliNaiveBayes"
    smooth_param: float = 1.0


@dataclass(eq=False, repr=False)
class NBSVMClassifier(_Estimator):
    """An SVM on log-count ratios; settings of `lxmls_day1.classifiers.NBSVM`, whose λ is 2/M unless it is given."""

    learner = "NBSVM"
    regularizer: float | None = None
    beta: float = 0.25
    smooth_param: float = 1.0
    tolerance: float = 1e-3
    max_epochs: int = 1000
    seed: int = 1
