"""The lab's classifiers in scikit-learn: use ``as_estimator(Mira(regularizer=0.1))`` like a ``LinearSVC``.

The lab keeps a classifier and its parameters separate: params = train(X, y). scikit-learn needs one object that learns with
``fit``, predicts with ``predict`` and can be copied unfitted. :class:`LabEstimator` combines three things: the classifier with its
settings, a trained copy of it, and the learned parameters. It wraps any object with the methods of
:class:`classifiers.linear_classifier.LinearClassifier`, from any lab folder.

scikit-learn is an optional extra of this package, and only `estimators` imports this module.
"""

import copy
import inspect
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax

from lxmls_day1.base.checks import check_inputs, check_labels, check_sample_weight, format_label, format_labels
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.installation import how_to_install
from lxmls_day1.base.settings import settings
from lxmls_day1.engine.loops.learners import can_resume

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator
    from sklearn.utils import get_tags
    from sklearn.utils.class_weight import compute_class_weight
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data
except ImportError as error:
    raise ImportError(
        f"the adapter needs scikit-learn 1.6 or newer, an optional extra of this package: {how_to_install('sklearn')}"
    ) from error


def as_estimator(classifier: Any, class_weight: Any = None, warm_start: bool = False) -> "LabEstimator":
    """Return a scikit-learn estimator for a classifier of the lab.

    Parameters
    ----------
    classifier : classifier
        A trained or untrained classifier; ``fit`` trains a copy. A classifier that only delegates to another one, as `NaiveBayes`
        does, is replaced by that one.
    class_weight, warm_start
        As in :class:`LabEstimator`.

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

    Hyper-parameters keep their own names:

    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(estimator, {"regularizer": [0.1, 1.0], "averaged": ["steps", False]}, cv=3)
    >>> search.fit(X, y).best_score_
    np.float64(1.0)
    """
    _check_classifier(classifier)
    model: Any = getattr(classifier, "model", None)
    if _is_classifier(model) and model.get_name() == classifier.get_name():
        classifier = model
    return LabEstimator(classifier, class_weight, warm_start)


def calibrated(estimator: Any, X: Any, y: Any, method: str = "sigmoid") -> Any:
    """Learn probabilities for a trained classifier from its scores on held-out examples.

    A margin ranks the classes, but is not a probability. This function fits a monotone function from scores to probabilities on the
    development part. With more than two classes, one function per class is fitted against the others, and their values are normalised
    to sum to 1.

    Parameters
    ----------
    estimator : LabEstimator
        A fitted estimator; it is not trained again.
    X : array, sparse matrix or data frame (M, J)
        Examples that were not used for training, because scores on the training part are too good. Do not use the test part.
    y : M labels
        At least two examples of each class.
    method : "sigmoid" or "isotonic"
        "sigmoid" is Platt's 1 / (1 + exp(a s + b)), which has two parameters. "isotonic" is a step function, which fits any monotone
        shape but needs some thousand examples.

    Returns
    -------
    sklearn.calibration.CalibratedClassifierCV
        A classifier with ``predict_proba``, ``predict`` and ``score``.

    Raises
    ------
    InputError
        If the estimator is not trained, the method is unknown, or a class has fewer than two examples.
    ValueError
        For data that do not fit the estimator.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> estimator = as_estimator(Lab.open().classifier("svm", "SVM"))
    >>> estimator = estimator.fit([[-2.0], [-1.0], [1.0], [2.0]], ["-", "-", "+", "+"])
    >>> surer = calibrated(estimator, [[-3.0], [-1.0], [0.5], [-0.5], [1.0], [3.0]], ["-", "-", "-", "+", "+", "+"])
    >>> p = surer.predict_proba([[-1.0], [0.0], [1.0], [2.0]])[:, 0]  # of "+", the first label
    >>> bool(0 < p[0] < p[1] < p[2] < p[3] < 1)
    True

    References
    ----------
    J. Platt, Probabilistic outputs for support vector machines, 1999; B. Zadrozny, C. Elkan, Transforming classifier scores
    into accurate multiclass probability estimates, KDD 2002.
    """
    if method not in ("sigmoid", "isotonic"):
        raise InputError(f'method must be "sigmoid" (Platt) or "isotonic", but is {method!r}')
    if not hasattr(estimator, "classes_"):
        raise InputError("calibration needs a trained estimator: call fit with the training part first")
    for label in estimator.classes_:
        if np.count_nonzero(np.asarray(y) == label) < 2:
            raise InputError(
                f"calibration needs two examples of each class in the development part, but the label {label} has fewer; "
                "use more data, or leave out labels that are so rare"
            )
    # The frozen estimator gives the same scores in every fold, so two folds are enough.
    return CalibratedClassifierCV(FrozenEstimator(estimator), method=method, cv=2).fit(X, y)


class LearnerEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The common base class of all estimators.

    The classes of `lxmls_day1.sklearn.estimators` have their own settings, `LabEstimator` has those of any classifier.

    Inputs are dense or sparse.

    Attributes
    ----------
    classifier_ : classifier
        The trained copy, with its ``history`` and other results of training.
    params_ : array (J + 1, K), or (2J + 1, K) of a quadratic classifier
        The result of ``train``. So ``estimator.classifier_.save(path, estimator.params_)`` saves the model.
    classes_ : array (K,)
        The labels in ascending order.
    n_features_in_ : int
        J.
    n_iter_ : int
        The number of rounds, iterations or epochs of the training. Naive Bayes has no iterations, and lacks this attribute.
    state_ : lxmls_day1.engine.kernels.row_steps.OnlineState
        The state of an online learner, from which ``partial_fit`` and a warm start continue.
    feature_names_in_ : array (J,) of str
        The column names of the data frame; only after training on one whose columns have names.
    """

    classifier: Any
    class_weight: Any = None
    warm_start: bool = False

    def _choose(self, classifier: Any, X: Any, y: np.ndarray, weights: np.ndarray | None, resuming: bool) -> None:
        """Set the open hyper-parameters of the classifier. The base class has none."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train a copy of the classifier.

        Parameters
        ----------
        X : array, sparse matrix or data frame (M, J)
        y : M labels
        sample_weight : M numbers ≥ 0, optional
            The weight of each example. For naive Bayes and for learners that minimise an objective to convergence, an example of weight 2
            counts like two examples; for an online learner, the step is multiplied by the weight divided by the mean weight. An example
            of weight 0 is left out (except if ``order`` numbers the examples: then its step is 0).

        Returns
        -------
        LabEstimator
            The estimator itself.

        Raises
        ------
        ValueError
            If the data cannot be used for training, or (an `InputError`) if hyper-parameters are invalid.
        """
        _check_classifier(self.classifier)
        state = getattr(self, "state_", None) if self.warm_start else None
        if self.warm_start and not _resumes(self.classifier):
            raise InputError(
                f"warm_start is for online learners, but {type(self.classifier).__name__} is not one; set it to False"
            )
        X, y, weights = self._training_data(X, y, sample_weight, reset=state is None)
        classifier = copy.deepcopy(self.classifier)
        self._choose(classifier, X, y, weights, resuming=state is not None)
        if _resumes(classifier):
            factors = None if weights is None else weights / weights.mean()
            return self._resume_training(classifier, X, y, factors, state)
        weighted = {} if weights is None else {"sample_weight": weights}
        if getattr(classifier, "solver", None) == "gis":
            self.params_ = _train_by_scaling(classifier, X, y, **weighted)
        else:
            self.params_ = classifier.train(X, y, **weighted)
        self.classifier_ = classifier
        self.classes_ = np.unique(y)
        if hasattr(classifier, "history"):
            self.n_iter_ = len(classifier.history)
        return self

    @available_if(lambda self: _resumes(self.classifier))  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go through the data once, continuing from the last ``fit`` or ``partial_fit``. Only online learners have this method.

        Five calls with the same data equal one ``fit`` with ``nr_rounds=5``, bit for bit on one processor, averages included.

        Parameters
        ----------
        X : array, sparse matrix or data frame (M, J)
        y : M labels
        classes : labels
            All labels that will ever occur. The first call needs them; later calls may repeat them.
        sample_weight : M numbers ≥ 0, optional
            The factor on the step of each example. It is not divided by a mean, because later weights are unknown.

        Returns
        -------
        LabEstimator
            The estimator itself.

        Raises
        ------
        ValueError
            If the data cannot be used for training, a label is not among the classes, or (an `InputError`) hyper-parameters are invalid.
        """
        _check_classifier(self.classifier)
        state = getattr(self, "state_", None)
        if state is None and classes is None:
            raise InputError(
                "the first partial_fit needs classes, all the labels that will occur: partial_fit(X, y, classes=…)"
            )
        known = None if classes is None else np.unique(check_labels(classes))
        if state is not None and known is not None and not np.array_equal(known, state.classes):
            raise InputError(
                f"classes must be those of the first partial_fit, {format_labels(state.classes)}, but are {format_labels(known)}"
            )
        classes = known if state is None else state.classes
        X, y, factors = self._training_data(X, y, sample_weight, reset=state is None, classes=classes)
        classifier = copy.deepcopy(self.classifier)
        self._choose(classifier, X, y, factors, resuming=state is not None)
        classifier.nr_rounds = 1
        return self._resume_training(classifier, X, y, factors, state, classes)

    def _resume_training(self, classifier: Any, X: Any, y: Any, factors: Any, state: Any, classes: Any = None) -> Self:
        """Train from `state`, or from the beginning if it is None."""
        # Imported by the first training because numba is slow to import.
        from lxmls_day1.engine.corpus_training import resume

        self.params_, self.state_ = resume(classifier, state, X, y, classes=classes, sample_weight=factors)
        self.classifier_ = classifier
        self.classes_ = self.state_.classes
        self.n_iter_ = self.state_.n_rounds
        return self

    def _training_data(
        self, X: Any, y: Any, sample_weight: Any, reset: bool, classes: np.ndarray | None = None
    ) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Check the training data. Return the examples with weights above 0, their labels, and their weights or None."""
        _check_readable(X)
        X, y = self._validated(X, y, reset)
        tags = get_tags(self)
        if tags.input_tags.positive_only:
            check_non_negative(X, type(self.classifier).__name__)
        weights = self._weights(y, sample_weight, classes)
        if weights is not None and getattr(self.classifier, "order", None) is None and not weights.all():
            counts = weights > 0
            X, y, weights = X[counts], y[counts], weights[counts]
        classes = np.unique(y) if classes is None else classes
        if len(classes) < 2:
            raise InputError(
                f"training needs at least two classes, but y holds only one class, {format_label(classes[0])}; "
                "use more data or another split"
            )
        if len(classes) > 2 and not tags.classifier_tags.multi_class:
            raise InputError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}. "
                f"{type(self.classifier).__name__} separates two classes, but y holds {len(classes)}: {format_labels(classes)}"
            )
        return X, y, weights

    def _validated(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        """Return rows and labels that scikit-learn has checked. Labels keep their type, even one that scikit-learn does not support."""
        labels = None if y is None else check_labels(y)
        is_known = labels is None or labels.dtype.kind in "biufU" or all(isinstance(label, str) for label in labels)
        shown_y = labels if is_known or labels is None else np.unique(labels, return_inverse=True)[1]
        if shown_y is not None and getattr(y, "ndim", 1) == 2:
            shown_y = shown_y[:, None]  # A column, so that scikit-learn can warn about it.
        X, checked = validate_data(self, X, shown_y, accept_sparse="csr", dtype=np.float64, reset=reset)
        check_classification_targets(checked)
        return X, checked if labels is None else labels

    def _weights(self, y: np.ndarray, sample_weight: Any, classes: np.ndarray | None) -> np.ndarray | None:
        """Return the products of sample and class weights, (M,), or None if there are no weights."""
        if sample_weight is None and self.class_weight is None:
            return None
        if "sample_weight" not in inspect.signature(self.classifier.train).parameters:
            raise InputError(
                f"{type(self.classifier).__name__}.train does not accept sample_weight: leave out the weights of examples and classes"
            )
        known, codes = np.unique(y, return_inverse=True)
        given = np.ones(len(y)) if sample_weight is None else sample_weight
        weights = check_sample_weight(given, codes, every_class=False)
        if self.class_weight is None:
            return weights
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            if classes is not None:
                raise InputError(
                    'class_weight="balanced" needs all the data at once; give partial_fit a dict from label to weight'
                )
            totals = np.bincount(codes, weights=weights)  # (K,)
            factors = np.where(totals > 0, totals.sum() / (len(known) * np.where(totals > 0, totals, 1)), 0)
            return np.asarray(weights * factors[codes])
        classes = known if classes is None else classes
        of_class = compute_class_weight(self.class_weight, classes=classes, y=y)
        of_each: np.ndarray = of_class[np.searchsorted(classes, y)]
        return check_sample_weight(weights * of_each, codes, every_class=False)

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted label of each row of ``X`` (M, J), shape (M,)."""
        X = self._inputs(X)
        return np.asarray(self.classifier_.test(X, self.params_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows of ``X`` (M, J) whose predicted label is correct, for labels ``y`` of any type."""
        labels, predicted = check_labels(y), self.predict(X)
        if len(labels) != len(predicted):
            raise InputError(
                f"X has {len(predicted)} rows, but y has {len(labels)} labels; every example needs one label"
            )
        return float(np.average(np.asarray(labels == predicted, dtype=float), weights=sample_weight))

    @available_if(lambda self: not _takes_counts(self.classifier))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores s_y of each row of ``X`` (M, J), shape (M, K); for two classes their difference s_1 − s_0, (M,).

        Multinomial naive Bayes lacks this method, as in scikit-learn; ``predict_joint_log_proba`` returns its scores.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(lambda self: _takes_counts(self.classifier))  # type: ignore[untyped-decorator]
    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(x, y) of each row of ``X`` (M, J), shape (M, K), up to a term in x alone. Only multinomial naive Bayes has this."""
        return self._scores(X)

    @available_if(lambda self: hasattr(self.classifier, "get_probabilities"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(y | x) of each row of ``X`` (M, J), shape (M, K), if the classifier has ``get_probabilities``."""
        X = self._inputs(X)
        return np.asarray(self.classifier_.get_probabilities(X, self.params_))

    @available_if(lambda self: hasattr(self.classifier, "get_probabilities"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(y | x) of each row of ``X`` (M, J), shape (M, K), from the scores: finite even if a probability rounds to 0."""
        return np.asarray(log_softmax(self._scores(X), axis=1))

    @property
    def coef_(self) -> np.ndarray:
        """The weights in scikit-learn's layout, (K, J); for two classes their difference w_1 − w_0, (1, J).

        A quadratic classifier does not have them. NaN marks a word that rules out both of two classes.
        """
        return self._sklearn_params()[:, 1:]

    @property
    def intercept_(self) -> np.ndarray:
        """The intercepts (K,); for two classes their difference b_1 − b_0, (1,)."""
        return self._sklearn_params()[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        for_counts = _takes_counts(self.classifier)
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = for_counts
        tags.classifier_tags.multi_class = not _is_a(self.classifier, "BinaryPerceptron")
        # scikit-learn's checks compute scores on data that are not counts.
        tags.classifier_tags.poor_score = for_counts or getattr(self.classifier, "binary", False)
        return tags

    def _scores(self, X: Any) -> np.ndarray:
        X = self._inputs(X)
        return np.asarray(self.classifier_.get_scores(self.classifier_.add_intercept_term(X), self.params_))

    def _inputs(self, X: Any) -> Any:
        check_is_fitted(self)
        _check_readable(X)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _sklearn_params(self) -> np.ndarray:
        """Return the parameters with a row per class, or a single row of differences for two classes."""
        check_is_fitted(self)
        if getattr(self.classifier_, "quadratic", False):
            raise AttributeError(f"{type(self.classifier).__name__} is quadratic here: its weights are in params_")
        W: np.ndarray = self.params_.T
        if len(W) != 2:
            return W
        with np.errstate(invalid="ignore"):  # −∞ − (−∞) is NaN.
            difference: np.ndarray = W[1:] - W[:1]
        return difference


class LabEstimator(LearnerEstimator):
    """A classifier of the lab with scikit-learn's methods; :func:`as_estimator` makes one.

    Inputs are dense or sparse.

    Parameters
    ----------
    classifier : classifier
        It is never changed. Its hyper-parameters are those of the estimator, under the same names: ``get_params()`` lists them;
        ``set_params(regularizer=0.1)`` and the grids of a search set them in a copy.
    class_weight : dict from label to weight, "balanced" or None
        A factor on the weights of the examples of each class, 1 for a missing label. "balanced" gives all classes the same total.
    warm_start : bool
        True if a further ``fit`` of an online learner continues from the last one, with ``nr_rounds`` more rounds.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> estimator = LabEstimator(Lab.open().classifier("gaussian_naive_bayes", "GaussianNaiveBayes"))
    >>> estimator.fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    as_estimator(GaussianNaiveBayes())
    >>> estimator.coef_, estimator.decision_function([[0.5]])
    (array([[3.]]), array([1.5]))
    """

    def __init__(self, classifier: Any, class_weight: Any = None, warm_start: bool = False):
        self.classifier = classifier
        self.class_weight = class_weight
        self.warm_start = warm_start

    def __repr__(self) -> str:
        own = f", class_weight={self.class_weight!r}" if self.class_weight is not None else ""
        own += f", warm_start={self.warm_start!r}" if self.warm_start else ""
        return f"as_estimator({self.classifier!r}{own})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the estimator's own parameters and, if ``deep``, the classifier's hyper-parameters by name."""
        own = {"classifier": self.classifier, "class_weight": self.class_weight, "warm_start": self.warm_start}
        # scikit-learn checks any estimator that lists class_weight with negative numbers. So a model of counts lists it only
        # if it is set. With deep=False, which is for copies, no model lists the default None.
        if self.class_weight is None and (not deep or _takes_counts(self.classifier)):
            del own["class_weight"]
        return {**(settings(self.classifier) if deep else {}), **own}

    def set_params(self, **params: Any) -> Self:
        """Set hyper-parameters, ``classifier``, ``class_weight`` or ``warm_start``. An invalid call changes nothing.

        Raises
        ------
        InputError
            If the classifier does not have the hyper-parameter. ``fit`` checks the values.
        """
        classifier = params.pop("classifier", self.classifier)
        own = {name: params.pop(name) for name in ("class_weight", "warm_start") if name in params}
        if params:
            known = settings(classifier)
            for name in params:
                if name not in known:
                    raise InputError(
                        f"{type(classifier).__name__} has no hyper-parameter {name!r}; it has {format_labels(list(known), 20)}"
                    )
            classifier = copy.copy(classifier)
            for name, value in params.items():
                setattr(classifier, name, value)
        self.classifier = classifier
        for name, value in own.items():
            setattr(self, name, value)
        return self


def _check_readable(X: Any) -> None:
    """Raise an error for data that scikit-learn would misread (dropped masks, strings as numbers) or reject with an unclear message."""
    if X is None or (type(X) is np.ndarray and not _is_misread(X)):
        return
    check_inputs(X)


def _is_misread(X: np.ndarray) -> bool:
    """Return True if scikit-learn would convert the entries of an array to numbers that it does not hold."""
    if X.dtype == object:
        return any(isinstance(entry, (str, bytes)) for entry in X.flat)
    return X.dtype not in (np.float32, np.float64) and X.dtype.kind not in "biuc"


def _check_classifier(classifier: Any) -> None:
    if isinstance(classifier, type):
        name = classifier.__name__
        raise InputError(f"wanted a classifier, but got the class {name}; create one: as_estimator({name}())")
    if not _is_classifier(classifier):
        raise InputError(
            f"wanted a classifier of the lab, such as as_estimator(Mira()), but got {classifier!r} of the type "
            f"{type(classifier).__name__}, which does not have the methods train, test and get_scores"
        )


def _train_by_scaling(classifier: Any, X: Any, y: np.ndarray, **weighted: Any) -> np.ndarray:
    """Train with features shifted to start at 0, because iterative scaling requires it. Return the parameters for ``X`` itself.

    Without regularization the intercepts absorb the shift: b − w · lowest. A sparse matrix is not shifted, because it would become dense.
    """
    lowest = np.zeros(X.shape[1]) if sp.issparse(X) else np.minimum(X.min(axis=0), 0.0)  # (J,)
    params: np.ndarray = classifier.train(X - lowest if lowest.any() else X, y, **weighted)
    params[0] -= lowest @ params[1:]
    return params


def _resumes(classifier: Any) -> bool:
    """Return True if it is an online learner that can continue training. A class with its own ``train`` is trained by that instead."""
    kinds = type(classifier).__mro__
    of_which = next((kind for kind in kinds if "train" in vars(kind) or "resumable" in vars(kind)), None)
    return of_which is not None and "resumable" in vars(of_which) and can_resume(classifier)


def _takes_counts(classifier: Any) -> bool:
    return _is_a(classifier, "MultinomialNaiveBayes")


def _is_a(classifier: Any, name: str) -> bool:
    """Return True if it is of the class with this name, of any lab folder."""
    return any(base.__name__ == name for base in type(classifier).__mro__)


def _is_classifier(value: Any) -> bool:
    wanted = ("train", "test", "get_scores", "add_intercept_term", "get_name")
    return all(callable(getattr(value, name, None)) for name in wanted)
