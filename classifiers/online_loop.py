"""The loop of every online learner, as the guide prints it, in plain NumPy with dense matrices.

Perceptron, MIRA, SVM and online maximum entropy differ only in the *rule*, which turns the scores of an example into the update of
the weights of each class. Read this file first, then their files. `OnlineClassifier` trains with the same loop, on sparse data and
compiled.

Source: the guide, algorithms 2, 3, 5 and 6, in one notation. The guide's average leaves out the matrix after the last step; here the
average is the mean of the matrices after each step.
"""

from collections.abc import Callable

import numpy as np


def online_loop(
    rule: Callable[..., np.ndarray],
    X: np.ndarray,
    labels: np.ndarray,
    order: np.ndarray,
    steps: np.ndarray,
    costs: np.ndarray,
    shrinkage: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Visit the examples in the given order, and update the weights by the rule.

    Parameters
    ----------
    rule : function (scores (K,), label, sq_norm, step, cost (K,)) -> d (K,)
    X : array (M, J)
    labels : int array (M,)
        The true class of each example, 0 … K − 1.
    order : int array (T,)
        The example of each step: a permutation of 0 … M − 1 for each round, one after the other.
    steps : float array (T,)
        The largest step allowed: η_t, or 1/λ for MIRA, or 1 for the perceptron.
    costs : array (K, K)
        Row y holds the cost of predicting each class if y is true.
    shrinkage : float
        λ for the SVM and maximum entropy, 0 for the others.

    Returns
    -------
    W : array (J + 1, K)
        The weights after the last step, row 0 the intercepts.
    mean : array (J + 1, K)
        The mean of the weights after each step, which an averaged learner returns.

    Examples
    --------
    Two steps on x = 1 of class 1. The first step, of length ½, goes half of the way to the targets −1 and 1, the second step the rest:

    >>> W, mean = online_loop(regression_rule, np.array([[1.0]]), [1], [0, 0], [0.5, 1.0], 1.0 - np.eye(2))
    >>> W
    array([[-0.5,  0.5],
           [-0.5,  0.5]])
    >>> mean
    array([[-0.375,  0.375],
           [-0.375,  0.375]])
    """
    # exercise 1.4b: solution (10 lines)
    G = np.hstack([np.ones((len(X), 1)), X])  # (M, J + 1): g(x) = (1, x)
    W = np.zeros((G.shape[1], len(costs)))
    mean = np.zeros_like(W)
    for t, (m, step) in enumerate(zip(order, steps, strict=True), start=1):
        g = G[m]
        scores = g @ W  # (K,)
        d = rule(scores, labels[m], g @ g, step, costs[labels[m]])  # (K,)
        W = (1 - step * shrinkage) * W + np.outer(g, d)
        mean += (W - mean) / t
    return W, mean
    # exercise 1.4b: end


def regression_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """d = step · (t − s) / ‖g(x)‖² (K,): a step towards a target for each score, 1 for the true class and minus its cost for any other.

    It uses all arguments of a rule. With the step 1 the scores of the example are equal to the targets afterwards.

    Source: B. Widrow, M. Hoff, Adaptive switching circuits, 1960 (least mean squares; here normalised by ‖g(x)‖²).

    >>> regression_rule(np.array([0.0, 3.0]), 0, 2.0, 1.0, np.array([0.0, 1.0]))
    array([ 0.5, -2. ])
    """
    targets = np.where(np.arange(len(scores)) == label, 1.0, -np.asarray(cost))
    return step * (targets - scores) / sq_norm


def regression_weights(
    X: np.ndarray, labels: np.ndarray, order: np.ndarray, steps: np.ndarray, costs: np.ndarray, shrinkage: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Run `online_loop` with `regression_rule`; the parameters are the other parameters of `online_loop`.

    Returns
    -------
    W, mean : arrays (J + 1, K)

    Examples
    --------
    >>> W, mean = regression_weights(np.array([[1.0]]), np.array([1]), [0], [1.0], 1.0 - np.eye(2))
    >>> W[:, 1]
    array([0.5, 0.5])
    """
    return online_loop(regression_rule, X, labels, order, steps, costs, shrinkage)
