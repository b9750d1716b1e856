"""λ chosen on the development part: train with each value, compare on examples that training has not seen.

``lxmls-day1 train --tune`` and ``lxmls_day1.sklearn.tuning`` do this for any setting, with standard errors.
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
    """The value of λ with the highest accuracy on the development part; of several equal ones the largest λ.

    A larger λ means smaller weights: if the development part cannot tell two models apart, the simpler one is taken.

    Parameters
    ----------
    make : function float -> classifier
        Makes a classifier with that λ, not trained yet.
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
        Of each of them the accuracy on the development part, in their order.

    Examples
    --------
    A huge λ keeps all weights near 0; they still point the right way, and predict as well:

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
    """What `choose_regularizer` returns for `MaxEntBatch`; the parameters are its other ones.

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
    return choose_regularizer(
        lambda value: MaxEntBatch(regularizer=value), regularizers, train_X, train_y, dev_X, dev_y
    )
