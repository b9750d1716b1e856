"""The gradient of maximum entropy over all examples at once, in plain NumPy with dense matrices.

``max_ent_batch.py`` descends along this gradient, on sparse data and with compiled loops; ``max_ent_online.py`` uses one example of
the sum at a time.

Source: the guide, eq. 1.32, for the mean over the examples.
"""

import numpy as np

from classifiers.max_ent_model import softmax


def batch_gradient(W: np.ndarray, X: np.ndarray, labels: np.ndarray, regularizer: float) -> np.ndarray:
    """∇F(W) for F(W) = −(1/M) Σ_m log p_W(y^m | x^m) + (λ/2) ‖W‖², with p_W(· | x) = softmax(Wᵀ g(x)) and g(x) = (1, x).

    Parameters
    ----------
    W : array (J + 1, K)
        Row 0 the intercepts. They are part of ‖W‖².
    X : array (M, J)
    labels : int array (M,)
        The true class of each example, 0 … K − 1.
    regularizer : float
        λ, at least 0.

    Returns
    -------
    array (J + 1, K)
        The derivative of F by each entry of W, in the same place as the entry.

    Examples
    --------
    One point, x = 2 of class 1. At W = 0 both classes have the probability ½, so p − y is ½ for class 0 and −½ for class 1; g(x) = (1, 2):

    >>> batch_gradient(np.zeros((2, 2)), np.array([[2.0]]), np.array([1]), 0.0)
    array([[ 0.5, -0.5],
           [ 1. , -1. ]])
    """
    # exercise 1.6b: solution (4 lines)
    G = np.hstack([np.ones((len(X), 1)), X])  # (M, J + 1): g(x) = (1, x)
    P = softmax(G @ W)  # (M, K)
    Y = np.eye(W.shape[1])[labels]  # (M, K)
    return G.T @ (P - Y) / len(X) + regularizer * W
    # exercise 1.6b: end
