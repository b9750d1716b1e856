"""What goes into a linear classifier: rows with their labels, checked, and with a number for each class.

Every function takes the classifier, a :class:`classifiers.linear_classifier.LinearClassifier`, whose ``classes`` and ``vector_names``
say what it was trained on, and whose name stands in the messages.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.checks import (
    all_finite,
    as_numbers,
    check_costs,
    check_finite,
    check_finite_params,
    check_inputs,
    check_labels,
    check_number,
    check_parameters,
    check_params,
    check_same_kind,
    listed,
    shown,
)
from lxmls_day1.engine.text.feature_vectors import are_dictionaries, as_rows, column_names, names_of
from lxmls_day1.errors import InputError


def check_in_memory(X: Any) -> None:
    """Raise for a corpus on disk: a path, or what reads its shards.

    Examples
    --------
    >>> check_in_memory("big.bags")
    Traceback (most recent call last):
    ...
    lxmls_day1.errors.InputError: 'big.bags' is no data in memory; for a corpus on disk call train_corpus(learner, corpus), ...
    """
    if isinstance(X, (str, os.PathLike)) or hasattr(X, "shards") or hasattr(X, "manifest"):
        place = getattr(X, "folder", X)
        name = shown(place) if isinstance(place, str) else place
        raise InputError(
            f"{name} is no data in memory; for a corpus on disk call train_corpus(learner, corpus), resume(learner, state, corpus), "
            "label_corpus, evaluate_corpus or corpus_objective(learner, corpus, params) of lxmls_day1.engine.training"
        )


def rows_of(classifier: Any, X: Any, learn_names: bool = False) -> Any:
    """Feature vectors that are dictionaries as a matrix with the columns of training; anything else as it is.

    A data frame must have the columns of the one in training, in their order. With ``learn_names`` these become the ``vector_names``
    of the classifier, as those of dictionaries do.

    Raises
    ------
    InputError
        For other columns, for dictionaries where no names were learnt, and for a corpus on disk.
    """
    check_in_memory(X)
    dictionaries = are_dictionaries(X)
    names = names_of(X) if dictionaries and learn_names else column_names(X)
    if learn_names:
        classifier.vector_names = names
    if not dictionaries:
        if names and classifier.vector_names and names != classifier.vector_names:
            raise InputError(
                f"X has the columns {listed(names)}, but {classifier.get_name()} was trained on {listed(classifier.vector_names)}, in "
                "this order; pass X[classifier.vector_names]"
            )
        return X
    if classifier.vector_names is None:
        raise InputError(
            f"{classifier.get_name()} knows no names of features, but X holds dictionaries; train it on such, or pass a matrix"
        )
    return as_rows(X, classifier.vector_names)


def training_data(
    classifier: Any,
    X: Any,
    y: Any,
    check: Callable[[Any], Any] = check_inputs,
    classes: Any = None,
    vector_names: Any = None,
) -> tuple[Any, NDArray[np.intp]]:
    """Training data, checked; sets the ``classes`` and ``vector_names`` of the classifier.

    Parameters
    ----------
    classifier : LinearClassifier
    X : array or sparse matrix (M, J), or M dictionaries
    y : M labels
    check : function (X) -> X
        `check_inputs`, or `as_matrix` where the caller itself finds numbers that are not finite.
    classes, vector_names : optional
        Those that are known already; those of ``X`` and ``y`` if not given.

    Returns
    -------
    X : array or csr_array (M, J)
    labels : int array (M,)
        The column of the parameters for each example.

    Raises
    ------
    InputError
        For data that cannot be trained on.
    """
    classifier.vector_names = vector_names
    X = check(rows_of(classifier, X, learn_names=vector_names is None))
    if y is None:
        raise InputError("y must hold a label for each row of X, but is not given")
    y = check_labels(y)
    if X.shape[0] != len(y):
        raise InputError(
            f"X has {X.shape[0]} row{'s' * (X.shape[0] != 1)}, but y has {len(y)} label{'s' * (len(y) != 1)}; "
            "every example needs one label"
        )
    if len(y) == 0:
        raise InputError("training needs examples, but X has no rows; is the training part of the split empty?")
    given, classes = classes is not None, np.unique(y if classes is None else check_labels(classes))
    if len(classes) < 2:
        raise InputError(
            f"training needs at least two classes, but every example has the label {shown(classes[0])}; "
            "take more data or another split"
        )
    classifier.classes = classes
    check_parameters("the training data", X.shape[1], len(classes), classifier.quadratic)
    return X, columns_of(classifier, y) if given else np.searchsorted(classes, y)


def columns_of(classifier: Any, y: Any) -> NDArray[np.intp]:
    """Labels of known classes as column numbers (M,); before training the labels themselves are these numbers."""
    y, classes = check_labels(y), classifier.classes
    if classes is None:
        if y.dtype.kind not in "biuf" or not ((y >= 0) & (y == np.floor(y)) & (y < 2**31)).all():
            raise InputError(
                "before training, labels are the numbers of columns, 0, 1, …, but "
                f"{listed(y)} are others; train the classifier first"
            )
        columns: NDArray[np.intp] = y.astype(np.intp)
        return columns
    check_same_kind(y, classes, "labels and those of the training data")
    codes: NDArray[np.intp] = np.searchsorted(classes, y)
    known = (codes < len(classes)) & (classes[np.minimum(codes, len(classes) - 1)] == y)
    if not known.all():
        raise InputError(
            f"label {shown(y[~known][0])} was not in the training data, whose labels are {listed(classes)}; "
            "train on data that has every label"
        )
    return codes


def labelled_rows(classifier: Any, X: Any, y: Any, params: Any) -> tuple[Any, NDArray[np.intp], NDArray[np.float64]]:
    """Examples, their labels as column numbers (M,) and parameters, if all three fit together."""
    X, params, labels = check_inputs(rows_of(classifier, X)), check_params(params), columns_of(classifier, y)
    if X.shape[0] != len(labels) or len(labels) == 0:
        raise InputError(
            f"every example needs one label, and there must be some, but X has {X.shape[0]} rows and y {len(labels)} labels"
        )
    if labels.max() >= params.shape[1]:
        raise InputError(
            f"params must have a column for each class, but has {params.shape[1]}, and class number {labels.max()} is "
            "among the labels"
        )
    return X, labels, params


def share_of_right(classifier: Any, truth: Any, predicted: Any) -> float:
    """The accuracy of predicted labels (M,), of which there are some, each of a class that can be predicted."""
    check_in_memory(truth)
    truth, predicted = check_labels(truth), check_labels(predicted)
    check_same_kind(truth, predicted, "true and predicted labels")
    if len(truth) != len(predicted):
        raise InputError(
            f"evaluate compares label by label, but got {len(truth)} true and {len(predicted)} predicted labels; "
            "pass the labels of the same examples"
        )
    if len(truth) == 0:
        raise InputError("evaluate needs at least one example, but got none; is this part of the split empty?")
    if classifier.classes is not None:
        columns_of(classifier, truth)
    return float(np.mean(truth == predicted))


def linear_scores(classifier: Any, X: Any, params: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores (M, K) of inputs (M, J) without their column of ones, which stays unbuilt.

    Raises
    ------
    InputError
        If ``X`` and ``params`` do not fit together or to the classifier, or the scores are not finite.
    """
    n_features, quadratic = X.shape[1], classifier.quadratic
    if len(params) != 1 + n_features * (2 if quadratic else 1):
        kind, of_each = ("quadratic", "two rows per feature") if quadratic else ("linear", "a row per feature")
        raise InputError(
            f"the inputs have {n_features} feature{'s' * (n_features != 1)}, but the parameters belong to "
            f"{(len(params) - 1) / (1 + quadratic):g}: those of this {kind} classifier have {of_each} after the intercepts; test takes "
            "X as train did, get_scores and get_label take add_intercept_term(X)"
        )
    if classifier.classes is not None and params.shape[1] != len(classifier.classes):
        raise InputError(
            f"the parameters have {params.shape[1]} columns, but this classifier was trained on {len(classifier.classes)} "
            "classes; use the parameters that its own train returned"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        scores = X @ params[1 : n_features + 1]
        if quadratic:
            scores = scores + (X * X) @ params[n_features + 1 :]
        scores = np.asarray(scores) + params[0]
    if not all_finite(scores):  # one look at the scores, rather than at all the numbers that they are made of
        check_finite(X)
        check_finite_params(params)
        m = np.flatnonzero(~np.isfinite(scores).all(axis=1))[0]
        raise InputError(f"the scores of row {m} of X grow beyond all bounds; scale the features or the weights down")
    found: NDArray[np.float64] = scores
    return found


def trained_with(classifier: Any, params: NDArray[np.float64]) -> NDArray[np.float64]:
    """The parameters that training has found, which are finite; the classifier is ``trained`` then."""
    if not all_finite(params):
        raise InputError(
            f"{classifier.get_name()}: the numbers of X are so large, or so different in size, that the weights grew beyond all "
            "bounds; scale the features"
        )
    classifier.trained = True
    return params


def update_arguments(
    W: Any, x: Any, label: Any, cost: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, NDArray[np.float64]]:
    """Weights (J, K), an example (J,), its column and the costs ρ(·, y) (K,), checked, for a step on one example.

    ``cost`` is the matrix ρ (K, K), its column (K,), or None: 1 for every other class.

    Raises
    ------
    InputError
        For shapes that do not fit, numbers that are not finite, a label that is no column, or a negative cost.
    """
    W, x = _finite("W", W, n_dimensions=2), _finite("x", x, n_dimensions=1)
    n_classes = W.shape[1]
    if len(x) != len(W):
        raise InputError(f"W (J, K) needs a row per feature of x (J,), but W has the shape {W.shape} and x {x.shape}")
    label = check_number("label (a column of W)", label, at_least=0, at_most=n_classes - 1, whole=True)
    if isinstance(cost, (list, tuple, np.ndarray)) and np.shape(cost) == (n_classes,):
        matrix = check_costs(None, n_classes)
        matrix[:, label] = as_numbers(cost, f"the costs must be {n_classes} numbers")
        cost = matrix
    return W, x, label, check_costs(cost, n_classes)[:, label]


def _finite(name: str, values: Any, n_dimensions: int) -> NDArray[np.float64]:
    values = as_numbers(values, f"{name} must be numbers")
    if values.ndim != n_dimensions:
        wanted = "a matrix (J, K)" if n_dimensions == 2 else "a vector (J,)"
        raise InputError(f"{name} must be {wanted}, but has the shape {values.shape}")
    if not np.isfinite(values).all():
        raise InputError(f"{name} must be finite, but holds NaN or infinity")
    numbers: NDArray[np.float64] = values
    return numbers
