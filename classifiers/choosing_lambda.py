"""Choose λ on the development part: train with each value, and compare the models on examples that were not used in training.

``lxmls-day1 train --tune`` and ``lxmls_day1.sklearn.tuning`` do the same for any setting, with standard errors.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.max_ent_batch import MaxEntBatch


def choose_regularizer(
    make: Callable[[float], Any],
    regularizers: Sequence[float],
    train_X: ArrayLike,
    train_y: ArrayLike,
    dev_X: ArrayLike,
    dev_y: ArrayLike,
) -> tuple[float, np.ndarray]:
    """Return the value of λ with the highest accuracy on the development part, and in a tie the largest such λ.

    A larger λ means smaller weights: if two models are equally accurate on the development part, the simpler model is chosen.

    Parameters
    ----------
    make : function float -> classifier
        Makes an untrained classifier with the given λ.
    regularizers : sequence of n floats
        In any order.
    train_X, train_y : array (M, J), M labels
        The training part.
    dev_X, dev_y : array (M', J), M' labels
        The development part.

    Returns
    -------
    chosen : float
        One of the regularizers.
    accuracies : array (n,)
        The accuracy on the development part for each regularizer, in the same order.

    Examples
    --------
    A huge λ keeps all weights near 0, but they have the right signs and predict equally well:

    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> chosen, accuracies = choose_regularizer(lambda value: MaxEntBatch(regularizer=value), [0.1, 100.0], X, y, X, y)
    >>> chosen, accuracies
    (100.0, array([1., 1.]))
    """
    # exercise 1.7b: solution (8 lines)
    accuracies = []
    for value in regularizers:
        learner = make(value)
        params = learner.train(train_X, train_y)
        predicted = learner.test(dev_X, params)
        accuracies.append(learner.evaluate(dev_y, predicted))
    chosen = max(value for value, accuracy in zip(regularizers, accuracies, strict=True) if accuracy == max(accuracies))
    return chosen, np.array(accuracies)
    # exercise 1.7b: end


def choose_for_max_ent(
    regularizers: Sequence[float], train_X: ArrayLike, train_y: ArrayLike, dev_X: ArrayLike, dev_y: ArrayLike
) -> tuple[float, np.ndarray]:
    """Run `choose_regularizer` for `MaxEntBatch`; the parameters are its other parameters.

    Returns
    -------
    regularizer : float
    params : array (J + 1, K)

    Examples
    --------
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> choose_for_max_ent([0.1, 10.0], X, y, X, y)[0]
    10.0
    """
    return choose_regularizer(MaxEntBatch, regularizers, train_X, train_y, dev_X, dev_y)
