"""The average of all weights on the way by a running sum: two matrices instead of one, and no pass over either.

The averaged perceptron returns the mean of the T matrices that stand after its steps,

    W̄ = (1/T) Σ_t W_t

Adding up a matrix at every step would cost J K operations, where a step that makes no mistake costs no more than its
example is long. But what step t adds, g(x) dᵀ, is in W_t, W_{t+1}, …, W_T: in all of them but the first t − 1. So

    W̄ = W_T − U/T,    U = Σ_t (t − 1) g(x_t) d_tᵀ

and U changes where W changes, and nowhere else. This file is the trick by itself, for reading and for trying out;
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
    """The averaged perceptron, with its running sum.

    Parameters
    ----------
    X : array (M, J)
    labels : int array (M,)
        Column numbers 0 … K − 1, each at least once.
    order : int array (T,)
        The example that each step looks at, over all rounds.

    Returns
    -------
    average : array (J + 1, K)
        The mean of the T matrices W_t that stand after each step, those of steps that change nothing included.
    U : array (J + 1, K)
        The running sum Σ_t (t − 1) g(x_t) d_tᵀ, with t = 1, 2, …, T.

    Examples
    --------
    Three steps; the second makes no mistake. The weights of class 1 are (1, 2), (1, 2) and (0, 1), and the last change,
    by −(1, 1), was not in the first two of them:

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
    """d = e_y − e_ŷ (K,): what the perceptron adds to the classes' weights, in multiples of g(x).

    >>> mistake(np.array([1.0, 3.0, 2.0]), 0)
    array([ 1., -1.,  0.])
    """
    classes = np.arange(len(scores))
    return (classes == label) * 1.0 - (classes == np.argmax(scores))
