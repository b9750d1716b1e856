"""The average of the weights over all steps, by a running sum: two matrices, and no operation on a whole matrix in a step.

The averaged perceptron returns the mean of the T matrices after its steps,

    W̄ = (1/T) Σ_t W_t

Adding a matrix to a sum at every step would cost J K operations, even if the step makes no mistake. But the update of step t,
g(x) dᵀ, is contained in W_t, W_{t+1}, …, W_T: in all of them but the first t − 1. So

    W̄ = W_T − U/T,    U = Σ_t (t − 1) g(x_t) d_tᵀ

and U changes only when W changes, in the same entries. This file shows only this method, for reading and for experiments;
``online_classifier.py`` does the same for every learner, with weights that shrink.

Sources: the guide, algorithm 2, whose printed indices leave the last update out; H. Daumé III, Practical structured
learning techniques for natural language processing, PhD thesis, 2006, chapter 2.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def averaged_perceptron(
    X: ArrayLike, labels: ArrayLike, order: Sequence[int] | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Train the averaged perceptron, and return its average and its running sum.

    Parameters
    ----------
    X : array (M, J)
    labels : int array (M,)
        Column numbers 0 … K − 1, each at least once.
    order : int array (T,)
        The example that each step visits, over all rounds.

    Returns
    -------
    average : array (J + 1, K)
        The mean of the T matrices W_t after each step, including steps that change nothing.
    U : array (J + 1, K)
        The running sum Σ_t (t − 1) g(x_t) d_tᵀ, with t = 1, 2, …, T.

    Examples
    --------
    Three steps; the second makes no mistake. The weights of class 1 are (1, 2), (1, 2) and (0, 1). The last update,
    −(1, 1), is not in the first two of them:

    >>> average, U = averaged_perceptron(np.array([[2.0], [1.0]]), np.array([1, 0]), [0, 0, 1])
    >>> average[:, 1] * 3
    array([2., 5.])
    >>> U[:, 1]
    array([-2., -2.])
    """
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    G = np.hstack([np.ones((len(X), 1)), X])  # (M, J + 1): g(x) = (1, x)
    W = np.zeros((G.shape[1], labels.max() + 1))
    U = np.zeros_like(W)
    # exercise 1.9: solution (6 lines)
    for t, m in enumerate(order, start=1):
        d = mistake(G[m] @ W, labels[m])
        if d.any():
            W += np.outer(G[m], d)
            U += (t - 1) * np.outer(G[m], d)
    average = W - U / len(order)
    # exercise 1.9: end
    return average, U


def mistake(scores: np.ndarray, label: int) -> np.ndarray:
    """d = e_y − e_ŷ (K,): the perceptron's update of the weights of each class, in multiples of g(x).

    >>> mistake(np.array([1.0, 3.0, 2.0]), 0)
    array([ 1., -1.,  0.])
    """
    classes = np.arange(len(scores))
    return (classes == label) * 1.0 - (classes == np.argmax(scores))
