"""The lab's classifiers in scikit-learn: ``as_estimator(Mira(regularizer=0.1))`` goes where a ``LinearSVC`` goes.

The lab keeps a classifier and its parameters apart, params = train(X, y); scikit-learn wants one object that learns by
``fit``, answers by ``predict`` and can be copied unfitted. :class:`LabEstimator` holds the three together: a classifier
as it was set up, a copy of it that was trained, and the parameters found. What it wraps is any object that offers what
:class:`classifiers.linear_classifier.LinearClassifier` does, from whichever lab folder it comes.

scikit-learn is an optional extra of this package, and nothing else imports this module.
"""

import copy
from typing import Any, Self

import numpy as np

from lxmls_day1.checks import check_inputs, check_labels, listed, shown
from lxmls_day1.errors import InputError, how_to_install
from lxmls_day1.settings import known_settings, settings

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import get_tags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data
except ImportError as error:
    raise ImportError(
        f"the adapter needs scikit-learn 1.6 or newer, an optional extra of this package: {how_to_install('sklearn')}"
    ) from error

# What scikit-learn has tags for, by the name of the class or of a base class: classes of another lab folder count too.
_FOR_COUNTS = "MultinomialNaiveBayes"
_FOR_TWO_CLASSES = "BinaryPerceptron"


def as_estimator(classifier: Any) -> "LabEstimator":
    """A classifier of the lab as a scikit-learn estimator.

    Parameters
    ----------
    classifier : classifier
        Trained or not: ``fit`` trains a copy. What only leads to another classifier, as `NaiveBayes` does, is replaced
        by that one.

    Returns
    -------
    LabEstimator

    Raises
    ------
    InputError
        If it is not a classifier of the lab.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> mira = Lab.open().classifier("mira", "Mira", regularizer=0.1)
    >>> estimator = as_estimator(mira)
    >>> estimator
    as_estimator(Mira(regularizer=0.1))
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]] * 3, ["+", "+", "-", "-"] * 3
    >>> estimator.fit(X, y).predict([[1.5, 0.5]])
    array(['+'], dtype='<U1')

    Hyper-parameters go by their own names:

    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(estimator, {"regularizer": [0.1, 1.0], "averaged": ["steps", False]}, cv=3)
    >>> search.fit(X, y).best_score_
    np.float64(1.0)
    """
    _check_classifier(classifier)
    model: Any = getattr(classifier, "model", None)
    if _is_classifier(model) and model.get_name() == classifier.get_name():
        classifier = model
    return LabEstimator(classifier)


class LabEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier of the lab with scikit-learn's methods; :func:`as_estimator` makes one.

    Inputs are dense or sparse; weights for the examples (``sample_weight``) are not taken, since the lab's learners know
    none.

    Parameters
    ----------
    classifier : classifier
        Never changed. Its hyper-parameters are those of the estimator, under the same names: ``get_params()`` lists
        them, ``set_params(regularizer=0.1)`` and the grids of a search set them, in a copy.

    Attributes
    ----------
    classifier_ : classifier
        The copy that was trained, with its ``history`` or whatever else training leaves behind.
    params_ : array (J + 1, K), or (2J + 1, K) of a quadratic classifier
        What ``train`` returned. So ``estimator.classifier_.save(path, estimator.params_)`` saves the model.
    classes_ : array (K,)
        The labels in ascending order.
    n_features_in_ : int
        J.
    feature_names_in_ : array (J,) of str
        Only after training on a data frame whose columns have names.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> estimator = LabEstimator(Lab.open().classifier("gaussian_naive_bayes", "GaussianNaiveBayes"))
    >>> estimator.fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    as_estimator(GaussianNaiveBayes())
    >>> estimator.coef_, estimator.decision_function([[0.5]])
    (array([[3.]]), array([1.5]))
    """

    def __init__(self, classifier: Any):
        self.classifier = classifier

    def __repr__(self) -> str:
        defaults = known_settings(type(self.classifier))
        changed = [
            f"{name}={value!r}"
            for name, value in settings(self.classifier).items()
            if repr(value) != repr(defaults[name])
        ]
        return f"as_estimator({type(self.classifier).__name__}({', '.join(changed)}))"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The classifier and, if ``deep``, its hyper-parameters by name."""
        return {**(settings(self.classifier) if deep else {}), "classifier": self.classifier}

    def set_params(self, **params: Any) -> Self:
        """Set hyper-parameters, or ``classifier``; of a mistaken call nothing is set.

        Raises
        ------
        InputError
            For a hyper-parameter that the classifier does not have. Whether a value makes sense, ``fit`` finds out.
        """
        classifier = params.pop("classifier", self.classifier)
        if params:
            known = settings(classifier)
            for name in params:
                if name not in known:
                    raise InputError(
                        f"{type(classifier).__name__} has no hyper-parameter {name!r}; it has {listed(list(known), 20)}"
                    )
            classifier = copy.copy(classifier)
            for name, value in params.items():
                setattr(classifier, name, value)
        self.classifier = classifier
        return self

    def fit(self, X: Any, y: Any) -> Self:
        """Train a copy of the classifier.

        Parameters
        ----------
        X : array, sparse matrix or data frame (M, J)
        y : M labels

        Returns
        -------
        LabEstimator
            Itself.

        Raises
        ------
        ValueError
            For data that cannot be trained on, or (an `InputError`) hyper-parameters that make no sense.
        """
        _check_classifier(self.classifier)
        _check_readable(X)
        if y is not None:
            check_labels(y)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        tags = get_tags(self)
        if tags.input_tags.positive_only:
            check_non_negative(X, type(self.classifier).__name__)
        classes = np.unique(y)
        if len(classes) < 2:
            raise InputError(
                f"training needs at least two classes, but y holds only one class, {shown(classes[0])}; "
                "take more data or another split"
            )
        if len(classes) > 2 and not tags.classifier_tags.multi_class:
            raise InputError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}. "
                f"{type(self.classifier).__name__} parts two classes, but y holds {len(classes)}: {listed(classes)}"
            )
        classifier = copy.deepcopy(self.classifier)
        self.params_ = classifier.train(X, y)
        self.classifier_ = classifier
        self.classes_ = classes
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row of ``X`` (M, J), shape (M,)."""
        X = self._inputs(X)
        labels: np.ndarray = self.classifier_.test(X, self.params_)
        return labels

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores s_y of each row of ``X`` (M, J), shape (M, K); of two classes their difference s_1 − s_0, (M,)."""
        X = self._inputs(X)
        scores: np.ndarray = self.classifier_.get_scores(self.classifier_.add_intercept_term(X), self.params_)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(lambda self: hasattr(self.classifier, "get_probabilities"))  # type: ignore[untyped-decorator]  # as above
    def predict_proba(self, X: Any) -> np.ndarray:
        """p(y | x) of each row of ``X`` (M, J), shape (M, K): where the classifier has ``get_probabilities``."""
        X = self._inputs(X)
        probabilities: np.ndarray = self.classifier_.get_probabilities(X, self.params_)
        return probabilities

    @property
    def coef_(self) -> np.ndarray:
        """The weights as scikit-learn keeps them, (K, J); of two classes their difference w_1 − w_0, (1, J).

        A quadratic classifier has none. NaN stands for a word that rules out both of two classes.
        """
        return self._one_row_of_two()[:, 1:]

    @property
    def intercept_(self) -> np.ndarray:
        """The intercepts (K,); of two classes their difference b_1 − b_0, (1,)."""
        return self._one_row_of_two()[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        names = [base.__name__ for base in type(self.classifier).__mro__]
        for_counts, by_scaling = _FOR_COUNTS in names, getattr(self.classifier, "solver", None) == "gis"
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = for_counts or by_scaling
        tags.classifier_tags.multi_class = _FOR_TWO_CLASSES not in names
        tags.classifier_tags.poor_score = for_counts  # scikit-learn's checks score on data that are no counts
        return tags

    def _inputs(self, X: Any) -> Any:
        check_is_fitted(self)
        _check_readable(X)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _one_row_of_two(self) -> np.ndarray:
        """The parameters with a row for each class, or one row in all for two of them."""
        check_is_fitted(self)
        if getattr(self.classifier_, "quadratic", False):
            raise AttributeError(f"{type(self.classifier).__name__} is quadratic here: its weights are in params_")
        W: np.ndarray = self.params_.T
        if len(W) != 2:
            return W
        with np.errstate(invalid="ignore"):  # −∞ − (−∞)
            difference: np.ndarray = W[1:] - W[:1]
        return difference


def _check_readable(X: Any) -> None:
    """Raise for what scikit-learn would read with a mask dropped, text taken for numbers, or an error that says nothing."""
    if X is None or (type(X) is np.ndarray and not _is_misread(X)):
        return
    check_inputs(X)


def _is_misread(X: np.ndarray) -> bool:
    """Whether scikit-learn takes an array for numbers that it does not hold."""
    if X.dtype == object:
        return any(isinstance(entry, (str, bytes)) for entry in X.flat)
    return X.dtype not in (np.float32, np.float64) and X.dtype.kind not in "biuc"


def _check_classifier(classifier: Any) -> None:
    if isinstance(classifier, type):
        name = classifier.__name__
        raise InputError(f"wanted a classifier, but got the class {name}; make one of it: as_estimator({name}())")
    if not _is_classifier(classifier):
        raise InputError(
            f"wanted a classifier of the lab, such as as_estimator(Mira()), but got {classifier!r} of the type "
            f"{type(classifier).__name__}, which does not have the methods train, test and get_scores"
        )


def _is_classifier(value: Any) -> bool:
    wanted = ("train", "test", "get_scores", "add_intercept_term", "get_name")
    return all(callable(getattr(value, name, None)) for name in wanted)
