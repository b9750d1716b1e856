"""Generalized iterative scaling: raise the weight of a feature that the model expects too rarely, lower the others.

A maximum-entropy model with features f_i ≥ 0 is best fitted to the data when it expects each feature as often as the
data show it: E_model[f_i] = E_emp[f_i] for all i. Where the features of every (x, y) sum to the same V, the update

    w_i ← w_i + (1/V) log(E_emp[f_i] / E_model[f_i])

never lowers the likelihood, and leads to the optimum from any start. (Books that keep the factors e^w instead of the
weights multiply by the V-th root of the ratio.)

For classes, f(x, y) = g(x) ⊗ e_y with g(x) = (1, x). To make the sums equal, a *slack feature* is added, which holds what
x lacks of the largest sum: V − Σ_j g_j(x), V the largest sum of any training example.

* x must not be negative.
* A pair (j, y) with E_emp = 0, a feature that is never seen with the class, has its optimum at the weight −∞. It is left
  out of the update, and its weight stays 0. Only differences between classes count, so that the others' weights of this
  feature rise instead, a little in every iteration: what the model expects of the pair goes to 0, and no weight is ever
  infinite.
* The larger V, the smaller the steps. Long documents take many thousand iterations; L-BFGS takes a few dozen.

Sources: J. Darroch, D. Ratcliff, Generalized iterative scaling for log-linear models, Annals of Mathematical Statistics
43, 1972; A. Berger, S. Della Pietra, V. Della Pietra, A maximum entropy approach to natural language processing,
Computational Linguistics 22, 1996.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from classifiers.losses import log_loss
from classifiers.max_ent_model import expectations, softmax
from lxmls_day1.checks import as_canonical
from lxmls_day1.errors import InputError


class Scaling(NamedTuple):
    """Where an iteration has arrived.

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
) -> Iterator[Scaling]:
    """Generalized iterative scaling by itself, for any features whose sum is the same everywhere.

    Parameters
    ----------
    empirical : array, of any shape
        E_emp of each feature. One with 0 is left out: its weight stays 0.
    model : weights -> (objective, E_model)
        Both of the arrays have the shape of ``empirical``.
    total : float > 0
        V, the sum of the features.

    Yields
    ------
    Scaling
        At the start, where all weights are 0, and after each iteration, without end.

    Examples
    --------
    The guide's dice. All that is known are the sums of two groups of faces: {1, 2, 3} came up 10 times, {4, 5, 6} 30
    times. There is one feature for each group, and every face has one of them, so that V = 1:

    >>> shares = np.array([10 / 40, 30 / 40])
    >>> def probabilities(weights):
    ...     return softmax(np.repeat(weights, 3)[None, :])
    >>> def dice(weights):
    ...     expected = probabilities(weights).reshape(2, 3).sum(axis=1)
    ...     return -shares @ np.log(expected / 3), expected
    >>> iterations = iterative_scaling(shares, dice, total=1.0)
    >>> start, first = next(iterations), next(iterations)
    >>> probabilities(first.weights) * 12
    array([[1., 1., 1., 3., 3., 3.]])
    """
    seen = empirical > 0
    weights = np.zeros(empirical.shape)
    while True:
        objective, expected = model(weights)
        yield Scaling(weights, float(objective), float(np.linalg.norm((empirical - expected)[seen])))
        weights = weights.copy()
        weights[seen] = scaling_update(weights[seen], empirical[seen], expected[seen], total)


def scaling_update(weights: np.ndarray, empirical: np.ndarray, expected: np.ndarray, total: float) -> np.ndarray:
    """The update itself: w_i + (1/V) log(E_emp[f_i] / E_model[f_i]) for each feature.

    Parameters
    ----------
    weights, empirical, expected : arrays of one shape
        w_i, E_emp[f_i] > 0 and E_model[f_i] ≥ 0. An expectation that rounds to zero, far out on separable data, counts
        as the smallest number there is.
    total : float > 0
        V, the sum of the features.

    Returns
    -------
    weights : array of the same shape
        A new one.

    Examples
    --------
    The first feature is seen twice as often as it is expected, the second as often:

    >>> scaling_update(np.array([0.0, 1.0]), np.array([0.5, 0.5]), np.array([0.25, 0.5]), 2.0).round(4)
    array([0.3466, 1.    ])
    """
    expected = np.maximum(expected, np.finfo(np.float64).tiny)
    # exercise 1.11: solution (1 line)
    return weights + np.log(empirical / expected) / total
    # exercise 1.11: end


def scale_max_ent(X: Any, labels: np.ndarray, n_classes: int, shares: ArrayLike = 1.0) -> Iterator[Scaling]:
    """Fit the maximum-entropy model of classes by iterative scaling, without regularization.

    Parameters
    ----------
    X : array or sparse matrix (M, J), no entry negative
    labels : int array (M,)
        Columns 0 … K − 1 of the classes.
    n_classes : int
        K.
    shares : array (M,), optional
        How much each example counts, of mean 1.

    Yields
    ------
    Scaling
        As :func:`iterative_scaling` does. Its weights (J + 1, K) are those of g(x) = (1, x): the weights of the slack
        feature are contained in them, since that feature is V minus the others.

    Raises
    ------
    InputError
        For a negative feature.

    Examples
    --------
    One feature that is there or not: the model can give the shares of the classes in both cases.

    >>> X, labels = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0], [1.0]]), np.array([0, 0, 1, 1, 1, 1, 0])
    >>> for scaling in scale_max_ent(X, labels, 2):
    ...     if scaling.mismatch < 1e-6:
    ...         break
    >>> softmax(np.array([[1.0, 0.0], [1.0, 1.0]]) @ scaling.weights).round(4)
    array([[0.6667, 0.3333],
           [0.25  , 0.75  ]])
    """
    features, total = with_slack(X)  # (M, J + 2)
    of_each = np.broadcast_to(shares, len(labels))[:, None]  # (M, 1)

    def model(weights):
        scores = features @ weights  # (M, K)
        return (shares * log_loss(scores, labels)).mean(), expectations(features, of_each * softmax(scores))

    empirical = expectations(features, of_each * np.eye(n_classes)[labels])  # (J + 2, K)
    for scaling in iterative_scaling(empirical, model, total):
        yield scaling._replace(weights=without_slack(scaling.weights, total))


def with_slack(X: Any) -> tuple[Any, float]:
    """The features (1, x, slack), whose sum is V in every row.

    Returns
    -------
    features : array or csr_array (M, J + 2)
    total : float
        V, the largest 1 + Σ_j x_j.

    Examples
    --------
    >>> with_slack(np.array([[2.0, 3.0], [1.0, 0.0]]))
    (array([[1., 2., 3., 0.],
           [1., 1., 0., 4.]]), 6.0)
    """
    _refuse_negative(X)
    ones = np.ones((X.shape[0], 1))
    # exercise 1.11: solution (3 lines)
    sums = 1.0 + np.asarray(X.sum(axis=1)).reshape(-1, 1)
    total = sums.max()
    slack = total - sums
    # exercise 1.11: end
    if sp.issparse(X):
        return sp.csr_array(sp.hstack([ones, X, slack], format="csr")), float(total)
    return np.hstack([ones, X, slack]), float(total)


def without_slack(weights: np.ndarray, total: float) -> np.ndarray:
    """The weights of (1, x) that give the same scores: Σ_j w_j g_j + s (V − Σ_j g_j) = V s + Σ_j (w_j − s) g_j.

    Parameters
    ----------
    weights : array (J + 2, K)
        Those of the slack feature, s, last.
    total : float
        V.

    Returns
    -------
    params : array (J + 1, K)

    Examples
    --------
    Two features with the sum V = 3 or less. Where both are 1, nothing is left for the slack, and the score is 0 + 1 + 2 either way:

    >>> params = without_slack(np.array([[0.0], [1.0], [2.0], [0.5]]), 3.0)
    >>> params.ravel(), np.array([1.0, 1.0, 1.0]) @ params
    (array([1. , 0.5, 1.5]), array([3.]))
    """
    slack = weights[-1]  # (K,)
    params = weights[:-1] - slack
    params[0] += total * slack
    return params


def _refuse_negative(X):
    X = sp.coo_array(as_canonical(X) if sp.issparse(X) else X)
    negative = np.flatnonzero(X.data < 0)
    if len(negative):
        row, column, value = (part[negative[0]] for part in (X.row, X.col, X.data))
        raise InputError(
            f"iterative scaling needs features that are not negative, but X[{row}, {column}] is {value:g}; shift or "
            'rescale that feature, or train with solver="lbfgs"'
        )
