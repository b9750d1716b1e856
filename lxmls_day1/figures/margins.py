"""The margin of a support vector machine as a street: the boundary, the strip with margins below 1, and the points inside.

With w = w_1 − w_0 and b = b_1 − b_0 the margin of an example is m = ±(w·x + b), and its distance from the boundary is
m / ‖w‖. So the points with margin 1 have the distance 1/‖w‖, half the width of the street. The slack of an example is
ξ = max(0, 1 − m); ξ / ‖w‖ is its distance from its side of the street. Examples with a margin of at
most 1 are the support vectors: only they determine the weights.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import BLACK, GREY, PURPLE, add_boundary, plot_points, with_gaps

_MARGIN_TOLERANCE = 1e-3  # margins below 1 plus this count as 1, because solvers stop slightly before the optimum


class Street(NamedTuple):
    """The margins, slacks and support vectors of M examples for a linear classifier of two classes.

    Examples
    --------
    >>> found = street([[-1.0, 0.0], [3.0, 1.0]], [0, 1], [[0, 0], [-0.5, 0.5], [0, 0]])
    >>> found.half_width, found.normal, found.supports
    (1.0, array([1., 0.]), array([ True, False]))
    """

    margins: np.ndarray
    """(M,): the score of the true class minus the score of the other class."""
    slacks: np.ndarray
    """(M,): the amount by which each margin falls short of 1."""
    supports: np.ndarray
    """(M,) bool: the support vectors."""
    half_width: float
    """1/‖w_1 − w_0‖, without the intercepts."""
    normal: np.ndarray
    """(J,): the unit vector from the side of class 0 to the side of class 1."""


def street(X: ArrayLike, y: ArrayLike, params: ArrayLike) -> Street:
    """Return the margins, slacks and support vectors.

    Parameters
    ----------
    X : array (M, J)
    y : M labels, 0 or 1
    params : array (J + 1, 2)

    Returns
    -------
    Street

    Raises
    ------
    InputError
        If there are not two classes, the shapes disagree, or both classes have the same weights.

    Examples
    --------
    The score difference is x_1; the second example has a margin of 0.5:

    >>> found = street([[-1.0, 0.0], [0.5, 0.0], [3.0, 1.0]], [0, 1, 1], [[0, 0], [-0.5, 0.5], [0, 0]])
    >>> found.margins, found.slacks, found.half_width
    (array([1. , 0.5, 3. ]), array([0. , 0.5, 0. ]), 1.0)
    >>> found.supports
    array([ True,  True, False])
    """
    X, y, params = (as_numbers(part, "points, labels and params must be numbers") for part in (X, y, params))
    if X.ndim != 2 or params.shape != (X.shape[1] + 1, 2) or y.shape != (len(X),) or not np.isin(y, (0, 1)).all():
        raise InputError(
            f"margins are drawn for two classes: expected M points (M, J), M labels 0 or 1 and params (J + 1, 2), but got the shapes "
            f"{X.shape}, {y.shape} and {params.shape}"
        )
    difference = params[:, 1] - params[:, 0]
    length = float(np.linalg.norm(difference[1:]))
    if not 0 < length < np.inf:
        raise InputError("both classes have the same weights, so that there is no boundary; train first")
    margins = (2 * y - 1) * (X @ difference[1:] + difference[0])
    slacks, supports = np.maximum(0.0, 1 - margins), margins <= 1 + _MARGIN_TOLERANCE
    return Street(margins, slacks, supports, 1 / length, difference[1:] / length)


def plot_street(X: Any, y: Any, params: Any, *, title: str | None = None, ax: Any = None) -> tuple[Any, Any]:
    """Draw the points, the boundary, the street in grey, rings around the support vectors, and the slacks as bars.

    Parameters
    ----------
    X : array (M, 2)
    y : M labels, 0 or 1
    params : array (3, 2)
    title : str, optional
    ax : matplotlib Axes, optional
        The axes to draw in. Default: a new figure.

    Returns
    -------
    (Figure, Axes)

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> points, weights = [[-1.0, 0.0], [0.5, 0.0], [3.0, 1.0]], [[0, 0], [-0.5, 0.5], [0, 0]]
    >>> fig, axis = plot_street(points, [0, 1, 1], weights, ax=detached_axes()[1])
    >>> [line.get_xdata().tolist() for line in axis.lines if line.get_label() == "slack ξ"]
    [[0.5, 1.0]]
    """
    found = street(X, y, params)
    X, y, params = np.asarray(X, dtype=float), np.asarray(y, dtype=int), np.asarray(params, dtype=float)
    _, ax = plot_points(X, y, title=title, ax=ax)
    xlim, ylim = ax.get_xlim(), ax.get_ylim()
    difference = params[:, 1] - params[:, 0]
    corners = np.array([[difference @ (1, x1, x2) for x1 in xlim] for x2 in ylim])
    ax.contourf(xlim, ylim, corners, levels=[-1, 1], colors=["0.92"], zorder=0)
    shift = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    edges = [edge for margin in (-1, 1) for edge in decision_boundary(params + margin * shift, xlim, ylim)]
    ax.plot(*with_gaps(edges).T, color=GREY, linewidth=1.5, linestyle="--", label="margin 1", zorder=2)
    side = (2 * y - 1)[:, None] * found.normal  # (M, 2): direction to the correct side of the street
    late = found.slacks > _MARGIN_TOLERANCE
    ends = X + found.slacks[:, None] * found.half_width * side
    ax.plot(*with_gaps(np.stack([X, ends], axis=1)[late]).T, color=PURPLE, linewidth=2.0, label="slack ξ", zorder=2.5)
    ax.plot(
        *X[found.supports].T, "o", markersize=16, markerfacecolor="none", markeredgecolor=BLACK, markeredgewidth=1.3,
        label="support vectors", zorder=2.6,
    )  # fmt: skip
    ax.set(xlim=xlim, ylim=ylim)
    return add_boundary(ax, params, "boundary", BLACK)
