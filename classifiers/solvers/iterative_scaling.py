"""Generalized iterative scaling: raise the weight of a feature that the model expects too rarely, lower the weights of the others.

A maximum-entropy model with features f_i ≥ 0 fits the data best if E_model[f_i] = E_emp[f_i] for all i. If the features of every
(x, y) sum to the same V, the update

    w_i ← w_i + (1/V) log(E_emp[f_i] / E_model[f_i])

never lowers the likelihood, and converges to the optimum from any start. For classes, f(x, y) = g(x) ⊗ e_y, and a *slack feature*
V − Σ_j g_j(x) fills the sum up to V, the largest sum. The larger V, the smaller the steps: long documents need many thousand
iterations, and L-BFGS a few dozen.

Sources: J. Darroch, D. Ratcliff, Generalized iterative scaling for log-linear models, Annals of Mathematical Statistics 43, 1972;
A. Berger, S. Della Pietra, V. Della Pietra, A maximum entropy approach to natural language processing, 1996.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from classifiers.losses import log_loss
from classifiers.max_ent_model import expectations, softmax
from lxmls_day1.lab_api import InputError


def scaling_update(weights: np.ndarray, empirical: np.ndarray, expected: np.ndarray, total: float) -> np.ndarray:
    """Return w_i + (1/V) log(E_emp[f_i] / E_model[f_i]) for each feature.

    The arrays w_i, E_emp[f_i] > 0 and E_model[f_i] ≥ 0 have the same shape, which may be any; ``total`` is V. An expectation that rounds to
    zero, which can happen for large weights on separable data, is replaced by the smallest positive float.

    The first feature occurs twice as often as the model expects, the second exactly as often:

    >>> scaling_update(np.array([0.0, 1.0]), np.array([0.5, 0.5]), np.array([0.25, 0.5]), 2.0).round(4)
    array([0.3466, 1.    ])
    """
    expected = np.maximum(expected, np.finfo(np.float64).tiny)
    # exercise 1.11: solution (1 line)
    return weights + np.log(empirical / expected) / total
    # exercise 1.11: end


def with_slack(X: Any) -> tuple[Any, float]:
    """Return the features (1, x, slack), (M, J + 2), whose rows sum to V, and V, the largest 1 + Σ_j x_j.

    Raise an InputError if x_j < 0.

    >>> with_slack(np.array([[2.0, 3.0], [1.0, 0.0]]))
    (array([[1., 2., 3., 0.],
           [1., 1., 0., 4.]]), 6.0)
    """
    if X.size and (lowest := X.min()) < 0:
        raise InputError(f"iterative scaling needs features of at least 0, but one is {lowest:g}; shift or rescale it")
    ones = np.ones((X.shape[0], 1))
    # exercise 1.11: solution (3 lines)
    sums = 1.0 + np.asarray(X.sum(axis=1)).reshape(-1, 1)
    total = sums.max()
    slack = total - sums
    # exercise 1.11: end
    if sp.issparse(X):
        return sp.csr_array(sp.hstack([ones, X, slack], format="csr")), float(total)
    return np.hstack([ones, X, slack]), float(total)


class ScalingIteration(NamedTuple):
    """The state after an iteration.

    Examples
    --------
    At the start both classes are equally likely for every example, and the loss is log 2:

    >>> start = next(scale_max_ent(np.array([[1.0], [0.0]]), np.array([0, 1]), 2))
    >>> round(start.objective, 4), round(start.mismatch, 4)
    (0.6931, 0.3536)
    """

    weights: np.ndarray
    objective: float  # −(1/M) Σ log p
    mismatch: float  # ‖E_emp − E_model‖ over the features with E_emp > 0


def iterative_scaling(
    empirical: np.ndarray, model: Callable[[np.ndarray], tuple[float, np.ndarray]], total: float
) -> Iterator[ScalingIteration]:
    """Run generalized iterative scaling for any features whose sum is the same for every (x, y).

    ``empirical``, of any shape, is E_emp of each feature. A feature with E_emp = 0, whose optimum is at −∞, is skipped: its weight stays 0,
    and the weights of the others rise instead. ``model`` is a function of the weights that returns the objective and E_model; ``total``
    is V.

    Yields a `ScalingIteration` at the start, with all weights 0, and after each iteration, without end.

    Examples
    --------
    The guide's dice: {1, 2, 3} came up 10 times, {4, 5, 6} 30 times. Each group is a feature, so that V = 1:

    >>> sample_weights = np.array([10 / 40, 30 / 40])
    >>> def probabilities(weights):
    ...     return softmax(np.repeat(weights, 3)[None, :])
    >>> def dice(weights):
    ...     expected = probabilities(weights).reshape(2, 3).sum(axis=1)
    ...     return -sample_weights @ np.log(expected / 3), expected
    >>> iterations = iterative_scaling(sample_weights, dice, total=1.0)
    >>> start, first = next(iterations), next(iterations)
    >>> probabilities(first.weights) * 12
    array([[1., 1., 1., 3., 3., 3.]])
    """
    seen = empirical > 0
    weights = np.zeros(empirical.shape)
    while True:
        objective, expected = model(weights)
        yield ScalingIteration(weights, float(objective), float(np.linalg.norm((empirical - expected)[seen])))
        weights = weights.copy()
        weights[seen] = scaling_update(weights[seen], empirical[seen], expected[seen], total)


def scale_max_ent(
    X: Any, labels: np.ndarray, n_classes: int, sample_weights: ArrayLike = 1.0
) -> Iterator[ScalingIteration]:
    """Fit the maximum-entropy model of classes by iterative scaling, without regularization.

    The examples are X (M, J) without negative entries, their columns ``labels`` (M,), and sample weights
    ``sample_weights`` (M,) of mean 1. Yields
    the same as :func:`iterative_scaling`, with weights (J + 1, K) of g(x) = (1, x). An InputError names a negative feature.

    With one binary feature the model reproduces the shares of the classes:

    >>> X, labels = np.array([[0.0], [0.0], [0.0], [1.0]]), np.array([0, 0, 1, 1])
    >>> scaling = next(scaling for scaling in scale_max_ent(X, labels, 2) if scaling.mismatch < 1e-4)
    >>> softmax(np.array([[1.0, 0.0]]) @ scaling.weights).round(3)
    array([[0.667, 0.333]])
    """
    features, total = with_slack(X)  # (M, J + 2)
    of_each = np.broadcast_to(sample_weights, len(labels))[:, None]  # (M, 1)

    def model(weights):
        scores = features @ weights  # (M, K)
        return (sample_weights * log_loss(scores, labels)).mean(), expectations(features, of_each * softmax(scores))

    empirical = expectations(features, of_each * np.eye(n_classes)[labels])  # (J + 2, K)
    for scaling in iterative_scaling(empirical, model, total):
        yield scaling._replace(weights=without_slack(scaling.weights, total))


def without_slack(weights: np.ndarray, total: float) -> np.ndarray:
    """Return weights (J + 1, K) of (1, x) with the same scores as the weights (J + 2, K) of (1, x, slack).

    Σ_j w_j g_j + s (V − Σ_j g_j) = V s + Σ_j (w_j − s) g_j, with s the last of the J + 2 weights and V the ``total``.

    >>> without_slack(np.array([[0.0], [1.0], [2.0], [0.5]]), 3.0).ravel()
    array([1. , 0.5, 1.5])
    """
    slack = weights[-1]  # (K,)
    params = weights[:-1] - slack
    params[0] += total * slack
    return params
