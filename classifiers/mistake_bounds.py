"""The maximum number of mistakes of a perceptron: (R/γ)² for one weight vector, 2 K R²/γ² for K of them.

If no example is longer than R, ‖g(x)‖ ≤ R with g(x) = (1, x), and a separator has the margin γ > 0, then there are

    two classes   ‖u‖ = 1,           γ = min_m y_m (u · g(x_m))                     at most (R/γ)² updates
    K classes     ‖u_1‖ = … = 1,     γ = min_m min_{y ≠ y_m} (u_{y_m} − u_y) · g(x_m)    at most 2 K R²/γ² updates

in total, for any order of the examples and any number of passes.

Sources: A. Novikoff, On convergence proofs for perceptrons, 1962; for K classes K. Crammer, Y. Singer,
Ultraconservative online algorithms for multiclass problems, JMLR 3, 2003.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from lxmls_day1.lab_api import InputError, as_numbers


def mistake_bound(X: Any, y: ArrayLike, separator: ArrayLike) -> "MistakeBound":
    """Return the maximum number of updates that a perceptron can make on the data, given a separator of the data.

    Parameters
    ----------
    X : array or sparse matrix (M, J)
        Without the column of ones, which is added internally.
    y : M labels
        The K distinct labels in ascending order belong to the columns of the separator; of two, the first is the negative class.
    separator : array (J + 1,) or (J + 1, K)
        Intercepts first. A vector u separates two classes by the sign of u · g(x). A matrix of K columns, such as the ``params`` of
        a classifier that makes no mistake on the data, gives the bound of the multi-class perceptron. The length of the separator does
        not matter.

    Raises
    ------
    InputError
        If the separator does not separate the classes (the message names the example that is farthest on the wrong side),
        or shapes do not fit.

    Examples
    --------
    Points at −3 and 4 on a line, separated at 0: g(x) = (1, ±x), and u = (0, 1) leaves a margin of 3.

    >>> mistake_bound([[-3.0], [4.0]], [-1, 1], [0, 1])
    MistakeBound(radius=4.123105625617661, margin=3.0, updates=1.8888888888888888)

    With one column for each class, −u and u, the margin is twice as wide and the bound is the same:

    >>> mistake_bound([[-3.0], [4.0]], [-1, 1], [[0, 0], [-1, 1]])
    MistakeBound(radius=4.123105625617661, margin=6.0, updates=1.8888888888888888)
    """
    X, y, labels, separator, length, n_classes = _checked_separator(X, y, separator)
    # exercise 1.12: solution (9 lines)
    radius = np.sqrt(1 + _squared_norms(X).max())
    if separator.ndim == 1:
        margins = _signed_distances(X, labels, separator / length)
        factor = 1
    else:
        margins = _leads(X, labels, separator * (np.sqrt(n_classes) / length))
        factor = 2 * n_classes
    margin = _smallest(margins, y)
    return MistakeBound(float(radius), margin, float(factor * (radius / margin) ** 2))
    # exercise 1.12: end


class MistakeBound(NamedTuple):
    """The result of :func:`mistake_bound`: the radius of the data, the margin of the separator, and the bound on the updates.

    *Proof.* Every update raises Σ_y u_y · w_y by at least γ, and Σ_y ‖w_y‖² by at most 2 R², since the update is a mistake
    (‖w‖² by R² for one vector). After n updates n γ ≤ ‖U‖ ‖W‖ ≤ √K · √(2 n R²), hence n ≤ 2 K R²/γ².

    The proof uses only one property of the lengths: Σ_y ‖u_y‖² = K. So the columns of a separator may have any lengths; the separator
    is scaled *as a whole* to this sum. (Scaling each column separately to length 1 would be wrong, because the result may no longer
    separate the data.)

    The bound needs the margin of the *separator*. Some lecture notes use the distance between the nearest points of different
    classes instead. It bounds nothing: points can be far apart and yet leave a narrow gap.

    Examples
    --------
    >>> bound = mistake_bound([[-3.0], [4.0]], [-1, 1], [0, 1])
    >>> round(bound.radius**2, 6), bound.margin, round(bound.updates, 6) == round(17 / 9, 6)
    (17.0, 3.0, True)
    """

    radius: float  # R = max_m ‖g(x_m)‖
    margin: float  # γ, of the separator scaled as the theorem requires
    updates: float  # the bound: (R/γ)² or 2 K R²/γ²; after this many updates a perceptron makes no more mistakes


def _checked_separator(X, y, separator):
    """Return the checked data and separator, the labels as column numbers, the length of the separator, and K."""
    data = LinearClassifier()
    X, labels, _ = data._training_data(X, y)
    separator, classes = as_numbers(separator, "the separator must be numbers"), data.classes
    if separator.ndim not in (1, 2) or len(separator) != X.shape[1] + 1 or not np.isfinite(separator).all():
        raise InputError(
            f"the separator must be finite, a vector (J + 1,) or a matrix (J + 1, K) with J = {X.shape[1]}, "
            f"but has the shape {separator.shape}"
        )
    n_classes = 2 if separator.ndim == 1 else separator.shape[1]
    if len(classes) != n_classes:
        found = ", ".join(map(repr, classes[:10].tolist())) + (", …" if len(classes) > 10 else "")
        raise InputError(f"the separator is for {n_classes} classes, but the data has {len(classes)}: {found}")
    with np.errstate(over="ignore"):  # reported below
        length = np.linalg.norm(separator)
    if length == 0:
        raise InputError("the separator is zero, which separates nothing")
    if not np.isfinite(length):
        raise InputError(
            "the separator has numbers that are too large; divide it by the largest, for its length does not matter"
        )
    return X, classes[labels], labels, separator, length, n_classes


def _squared_norms(X):
    """Return ‖x‖² of each example, shape (M,)."""
    return np.asarray((X.multiply(X) if sp.issparse(X) else X * X).sum(axis=1)).ravel()


def _signed_distances(X, labels, u):
    """Return y_m (u · g(x_m)) of each example, shape (M,)."""
    return (2 * labels - 1) * (X @ u[1:] + u[0])


def _leads(X, labels, U):
    """Return min_{y ≠ y_m} (u_{y_m} − u_y) · g(x_m) of each example, shape (M,)."""
    scores = X @ U[1:] + U[0]  # (M, K)
    examples = np.arange(len(labels))
    of_truth = scores[examples, labels]
    scores[examples, labels] = -np.inf
    return of_truth - scores.max(axis=1)


def _smallest(margins, y):
    worst = np.argmin(margins)
    if margins[worst] <= 0:
        raise InputError(
            f"the separator does not part the classes: example {worst} of class {y[worst]} has the margin "
            f"{margins[worst]:.3g}, which must be above 0; the bound holds only for data that are separated"
        )
    return float(margins[worst])
