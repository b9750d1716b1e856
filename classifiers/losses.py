"""The three losses of the discriminative classifiers, computed for each example.

Each loss compares the scores of an example with its true class and is convex in the weights. The perceptron loss is the hinge
loss without the margin. Its mean is smallest (0) at W = 0 for any data, so the perceptron is defined by its update rule and not
by an optimum.

Sources: the guide, equations 1.30 (log loss) and 1.34 (hinge loss); for the perceptron's loss of two classes, max(0, −y w·x), any
text on gradient descent.
"""

import numpy as np


def log_loss(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """−log p(y | x) = log Z − s_y with the partition function Z = Σ_y' exp(s_y'), computed without overflow.

    Parameters
    ----------
    scores : array (M, K)
    labels : int array (M,), the true columns

    Returns
    -------
    losses : array (M,)

    Examples
    --------
    Two equal scores cost log 2; scores of 1000 do not overflow:

    >>> log_loss(np.array([[3.0, 3.0], [1000.0, 0.0]]), np.array([0, 0])).round(4)
    array([0.6931, 0.    ])
    """
    top = scores.max(axis=1)
    log_z = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))  # (M,)
    return log_z - scores[np.arange(len(labels)), labels]


def hinge_loss(scores: np.ndarray, labels: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """max_y' [s_y' + ρ(y', y)] − s_y: zero only if the true class wins by its margin.

    Parameters
    ----------
    scores : array (M, K)
    labels : int array (M,), the true columns
    cost : array (K, K), ``cost[p, y]`` the cost of predicting p if y is true

    Returns
    -------
    losses : array (M,)

    Examples
    --------
    Right by 2, right by only 0.25, wrong by 1:

    >>> hinge_loss(np.array([[2.0, 0.0], [0.25, 0.0], [0.0, 1.0]]), np.array([0, 0, 0]), 1 - np.eye(2))
    array([0.  , 0.75, 2.  ])
    """
    columns = labels.astype(np.intp, copy=False)  # A browser counts with 32 bits.
    augmented = scores + cost.take(columns, axis=1).T  # (M, K)
    return augmented.max(axis=1) - scores[np.arange(len(labels)), labels]


def perceptron_loss(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """max_y' s_y' − s_y: the lead of the predicted class over the true one.

    The perceptron's rule is a step of length 1 against the gradient of this loss: it adds the features to the true class and
    subtracts them from the predicted class.

    Parameters
    ----------
    scores : array (M, K)
    labels : int array (M,), the true columns

    Returns
    -------
    losses : array (M,)

    Examples
    --------
    Right by 2, right by only 0.25, wrong by 1:

    >>> perceptron_loss(np.array([[2.0, 0.0], [0.25, 0.0], [0.0, 1.0]]), np.array([0, 0, 0]))
    array([0., 0., 1.])
    """
    return scores.max(axis=1) - scores[np.arange(len(labels)), labels]
