"""The regularization path of sparse maximum entropy: from the λ at which all weights are 0 down to a λ at which most are not.

At W = 0 the slope of the loss along one weight is E_model − E_emp: the expected mean of a feature minus its mean in the data. While
λ is above all of these slopes, the penalty of a weight outweighs its gain, so all weights are 0. Below, the weights become non-zero
one by one, the most informative first.

Source: J. Friedman, T. Hastie, R. Tibshirani, Regularization paths for generalized linear models via coordinate descent, Journal of
Statistical Software 33, 2010.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from classifiers.max_ent_batch import MaxEntBatch, MaxEntObjective
from lxmls_day1.lab_api import InputError, as_numbers


class PathPoint(NamedTuple):
    """The model for one λ.

    Examples
    --------
    With λ = 1 all weights are 0, and every example is assigned to the same class:

    >>> X, y = [[2.0, 0.3], [1.0, 0.1], [-1.0, 0.2], [-2.0, -0.3]], [0, 0, 1, 1]
    >>> regularization_path(X, y, X[2:], y[2:], [1.0])
    [PathPoint(regularizer=1.0, n_features=0, train_accuracy=0.5, dev_accuracy=0.0)]
    """

    regularizer: float  # λ
    n_features: int  # features with a non-zero weight for any class
    train_accuracy: float
    dev_accuracy: float


def largest_useful_penalty(X: Any, y: ArrayLike) -> float:
    """Return the smallest λ at which all weights are 0: the steepest slope of the loss at W = 0.

    Parameters
    ----------
    X : array or sparse matrix (M, J)
    y : M labels

    Returns
    -------
    float

    Raises
    ------
    InputError
        If there are fewer than two classes, or the number of labels differs from the number of rows.

    Examples
    --------
    Two points, x = 2 and x = −4: the slope is (2 · ½ + 4 · ½)/2. Just below this λ the weights become non-zero:

    >>> X, y = [[2.0], [-4.0]], ["+", "-"]
    >>> largest = largest_useful_penalty(X, y)
    >>> largest
    1.5
    >>> [bool(MaxEntBatch(share * largest, penalty="l1").train(X, y).any()) for share in (1.0, 0.99)]
    [False, True]
    """
    maxent = MaxEntBatch()
    X, labels, _ = maxent._training_data(X, y)
    objective = MaxEntObjective(X, labels, len(maxent.classes), 0.0, True)
    return float(np.abs(objective(np.zeros(objective.size))[1]).max())


def regularization_path(
    X: Any, y: ArrayLike, dev_X: Any, dev_y: ArrayLike, regularizers: Sequence[float] | None = None, **settings: Any
) -> list[PathPoint]:
    """Train sparse maximum entropy for one λ after the other.

    Parameters
    ----------
    X, y : training part
    dev_X, dev_y : development part
    regularizers : sequence of float > 0, optional
        The values of λ. Default: twelve values, from ``largest_useful_penalty`` down, each half of the previous one.
    **settings
        More hyper-parameters of :class:`MaxEntBatch`.

    Returns
    -------
    list of PathPoint, in descending order of λ

    Raises
    ------
    InputError
        If a λ is not a number above 0, or the data cannot be trained on.

    Examples
    --------
    >>> X, y = [[2.0, 0.3], [1.0, 0.1], [-1.0, 0.2], [-2.0, -0.3]], [0, 0, 1, 1]
    >>> [(round(point.regularizer, 3), point.n_features) for point in regularization_path(X, y, X, y, [0.01, 0.1, 1.0])]
    [(1.0, 0), (0.1, 1), (0.01, 1)]
    """
    if regularizers is None:
        regularizers = largest_useful_penalty(X, y) * 0.5 ** np.arange(12)
    values = as_numbers(regularizers, "the λ of a path must be numbers")
    if values.ndim != 1 or not (values > 0).all():
        raise InputError(f"the λ of a path must be a list of numbers above 0, but is {regularizers!r}")
    points = []
    for regularizer in sorted(values.tolist(), reverse=True):
        maxent = MaxEntBatch(regularizer, penalty="l1", **settings)
        params = maxent.train(X, y)
        accuracies = [maxent.evaluate(truth, maxent.test(part, params)) for part, truth in ((X, y), (dev_X, dev_y))]
        points.append(PathPoint(regularizer, int(params[1:].any(axis=1).sum()), *accuracies))
    return points
