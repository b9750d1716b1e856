"""The classifiers as scikit-learn classes: use ``MiraClassifier(nr_rounds=5)`` like ``LogisticRegression()``.

Each learner of `lxmls_day1.classifiers` that trains on whole examples has an estimator, named after its class: `Mira` has
`MiraClassifier`. The estimators are generated from the learners' settings on first use, so a new learner needs no further code;
``dir(lxmls_day1.sklearn.estimators)`` lists them.

Settings have the names and defaults of the classifiers in `lxmls_day1.classifiers`, with one exception: ``fit`` chooses the λ
(``regularizer``) of SVM and maximum entropy if it is not a number. None means 2/M for M training examples, or for the sum M of their
weights. ``"tune"`` means the value in `lxmls_day1.sklearn.tuning.DEFAULT_GRIDS` with the best accuracy on a random fifth of the training
data, held out for this; sample weights are ignored there. ``regularizer_`` is the chosen λ, and ``regularizer_reason_`` the reason. All
estimators have the methods and attributes of `lxmls_day1.sklearn.adapter.LearnerEstimator`.

Examples
--------
>>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], ["+", "+", "-", "-"]
>>> MiraClassifier(nr_rounds=3).fit(X, y).predict([[1.5, 0.5]])
array(['+'], dtype='<U1')
>>> svm = SVMClassifier().fit(X, y)
>>> svm, svm.regularizer_, svm.regularizer_reason_
(SVMClassifier(), 0.5, '2/M for 4 training examples')

Two classes minimise the same function: scikit-learn's ``LogisticRegression(C=C)``, and
``MaxEntBatchClassifier(regularizer=1 / (C * M), regularize_intercept=False)`` for M examples of more than two classes. For two classes
λ is 2/(C M).
"""

import inspect
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.learner_list import reference_listings
from lxmls_day1.base.settings import known_settings
from lxmls_day1.engine.loops.learners import can_resume
from lxmls_day1.engine.loops.penalties import default_regularizer, is_penalized
from lxmls_day1.sklearn.adapter import LearnerEstimator
from lxmls_day1.sklearn.tuning import DataSplit, tune, with_development_part


class _Estimator(LearnerEstimator):
    """An estimator whose settings are those of a learner: the fields of a dataclass."""

    learner: ClassVar[str]

    @property
    def classifier(self) -> Any:
        """A new classifier with these settings. ``fit`` checks their values."""
        kind = getattr(import_module("lxmls_day1.classifiers"), self.learner)
        classifier = kind()
        for name in known_settings(kind):
            setattr(classifier, name, getattr(self, name))
        if self._must_choose_regularizer():
            default = 0.0 if getattr(self, "solver", "") == "gis" else kind().regularizer
            classifier.regularizer = getattr(self, "regularizer_", default)
        return classifier

    def _must_choose_regularizer(self) -> bool:
        """Return True if λ is not set to a number."""
        return hasattr(self, "regularizer") and (self.regularizer is None or isinstance(self.regularizer, str))

    def _choose(self, classifier: Any, X: Any, y: np.ndarray, weights: np.ndarray | None, resuming: bool) -> None:
        """Choose λ, unless it is set or the training resumes with the previous λ."""
        if resuming or not self._must_choose_regularizer():
            return
        given = self.regularizer
        if given == "tune":
            found = tune(classifier, with_development_part(DataSplit(X, y, X[:0], y[:0])))
            classifier.regularizer, accuracy = found.best.settings["regularizer"], found.best.accuracy
            reason = f"the best of {len(found.trials)} on {found.n_examples} held-out examples: an accuracy of {accuracy:.4f}"
        elif given is not None:
            raise InputError(f'regularizer (λ) must be a number, "tune" or None, but is {given!r}')
        elif is_penalized(classifier):
            n_examples = len(y) if weights is None else float(weights.sum())
            classifier.regularizer = default_regularizer(n_examples)
            reason = f"2/M for {n_examples:g} training examples"
        else:
            return
        self.regularizer_, self.regularizer_reason_ = float(classifier.regularizer), reason


def estimator_names() -> list[str]:
    """Return the names of the estimators, in the order of the comparison of all learners.

    Examples
    --------
    >>> estimator_names()[:3]
    ['GaussianNaiveBayesClassifier', 'MultinomialNaiveBayesClassifier', 'BernoulliNaiveBayesClassifier']
    """
    return list(dict.fromkeys(f"{row.class_name}Classifier" for row in reference_listings() if row.order is not None))


def _keyword(name: str, default: Any, annotation: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _make_estimator(name: str) -> type[_Estimator]:
    """Make the estimator of a learner. Its signature lists the learner's settings and those that `LearnerEstimator` adds."""
    kind = getattr(import_module("lxmls_day1.classifiers"), name.removesuffix("Classifier"))
    taken = inspect.signature(kind).parameters
    parameters = {
        setting: taken[setting].replace(default=default) if setting in taken else _keyword(setting, default)
        for setting, default in known_settings(kind).items()
    }
    if is_penalized(kind()):
        parameters["regularizer"] = parameters["regularizer"].replace(default=None, annotation="float | str | None")
    counts_only = any(row.counts_only for row in reference_listings() if row.class_name == kind.__name__)
    # Models of counts in scikit-learn do not have class weights, either, and its checks of class weights use negative features.
    if not counts_only:
        parameters["class_weight"] = _keyword("class_weight", None, "dict[Any, float] | str | None")
    if can_resume(kind()):
        parameters["warm_start"] = _keyword("warm_start", False, "bool")
    signature = inspect.Signature(sorted(parameters.values(), key=lambda one: one.kind))

    def __init__(self: Any, *arguments: Any, **settings: Any) -> None:  # scikit-learn reads the signature set below.
        bound = signature.bind(*arguments, **settings)
        bound.apply_defaults()
        vars(self).update(bound.arguments)

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    __init__.__signature__ = signature.replace(parameters=[own, *signature.parameters.values()])  # type: ignore[attr-defined]
    first = (kind.__doc__ or "").partition("\n")[0].rstrip(".")
    doc = f"{first}, as an estimator; settings of `lxmls_day1.classifiers.{kind.__name__}`."
    content = {"__init__": __init__, "__doc__": doc, "__module__": __name__, "learner": kind.__name__}
    return type(name, (_Estimator,), content)


def __getattr__(name: str) -> Any:
    """Create an estimator class on first use."""
    if name == "__all__":
        return estimator_names()
    if name.startswith("_") or name not in estimator_names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _make_estimator(name))


def __dir__() -> list[str]:
    """List the names of this module and all estimators."""
    return sorted({*globals(), *estimator_names()})
