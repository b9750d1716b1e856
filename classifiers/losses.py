"""The three losses of the discriminative classifiers, example by example.

All compare the scores of an example with its true class, and all are convex in the weights. The perceptron's is the hinge loss
without its margin. Its mean is least at W = 0, whatever the data are: so it is the rule that counts there, and no optimum. Sources: the
guide, equations 1.30 (log loss) and 1.34 (hinge loss); of the perceptron's loss for two classes, max(0, −y w·x), any text on gradient
descent.
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
    Two equal scores are a toss-up, and cost log 2; scores of a thousand do no harm:

    >>> log_loss(np.array([[3.0, 3.0], [1000.0, 0.0]]), np.array([0, 0])).round(4)
    array([0.6931, 0.    ])
    """
    top = scores.max(axis=1)
    log_z = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))  # (M,)
    return log_z - scores[np.arange(len(labels)), labels]


def hinge_loss(scores: np.ndarray, labels: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """max_y' [s_y' + ρ(y', y)] − s_y: zero only where the true class wins by its margin.

    Parameters
    ----------
    scores : array (M, K)
    labels : int array (M,), the true columns
    cost : array (K, K), ``cost[p, y]`` the cost of predicting p where y is true

    Returns
    -------
    losses : array (M,)

    Examples
    --------
    Right by 2, right by only 0.25, wrong by 1:

    >>> hinge_loss(np.array([[2.0, 0.0], [0.25, 0.0], [0.0, 1.0]]), np.array([0, 0, 0]), 1 - np.eye(2))
    array([0.  , 0.75, 2.  ])
    """
    augmented = scores + cost.take(labels, axis=1).T  # (M, K)
    return augmented.max(axis=1) - scores[np.arange(len(labels)), labels]


def perceptron_loss(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """max_y' s_y' − s_y: by how much the predicted class leads the true one.

    The perceptron's rule is a step of length 1 against its slope: the features are added to the true class, and taken from the
    predicted one.

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
