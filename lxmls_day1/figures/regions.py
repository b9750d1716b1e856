"""The regions of a linear classifier in the plane: intersections of half-planes that cover the plane without gaps."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import BLACK, CENTRED, CLASS_COLOURS, check_axes

_POINTS = 121  # on each axis
_SHADE = 0.3


def class_margins(params: ArrayLike, points: ArrayLike) -> np.ndarray:
    """Return the lead of each class over its best rival.

    Parameters
    ----------
    params : array (J + 1, K)
        K ≥ 2 columns of weights, row 0 the intercepts.
    points : array (n, J)

    Returns
    -------
    array (n, K)
        s_k − max s_i over i ≠ k: at least 0 in the region of class k, which is the intersection of the half-spaces s_k ≥ s_i.

    Raises
    ------
    InputError
        If the shapes do not fit together, or there is only one class.

    Examples
    --------
    >>> class_margins([[0, 0, 1], [1, -1, 0]], [[3.0], [0.0]])
    array([[ 2., -6., -2.],
           [-1., -1.,  1.]])
    """
    W = as_numbers(params, "params must be a matrix of numbers")
    X = as_numbers(points, "points must be a matrix of numbers")
    if W.ndim != 2 or X.ndim != 2 or W.shape[1] < 2 or W.shape[0] != X.shape[1] + 1:
        raise InputError(
            f"expected params (J + 1, K) with K ≥ 2, and points (n, J), but got the shapes {W.shape} and {X.shape}"
        )
    scores = W[0] + X @ W[1:]  # (n, K)
    rivals = [np.delete(scores, k, axis=1).max(axis=1) for k in range(W.shape[1])]
    return np.asarray(scores - np.column_stack(rivals))


def plot_regions(
    params: ArrayLike, axes: Sequence[Any], limits: tuple[float, float] = (-3.0, 3.0)
) -> tuple[Any, list[Any]]:
    """Draw three diagrams of a linear classifier of three classes or more in the plane.

    1. The region of class 0 is the intersection of half-planes: class 0 beats class 1, and class 2, and so on.
    2. The argmax: one such intersection for each class. Together the regions cover the plane.
    3. A yes-or-no classifier for each class, s_k > 0: some points get "yes" from several classes, and some from none.

    Parameters
    ----------
    params : array (3, K)
        K ≥ 3 columns of weights on (1, x_1, x_2).
    axes : three matplotlib Axes
    limits : (float, float)
        The limits of both axes.

    Returns
    -------
    (Figure, list of Axes)

    Raises
    ------
    InputError
        If there are not three axes, or the weights do not belong to two features and at least three classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> fig, axes = plot_regions([[0, 0, 0], [1, -1, 0], [0, 0, 1]], Figure().subplots(1, 3))
    >>> [text.get_text() for text in axes[1].texts]
    ['class 0', 'class 1', 'class 2']
    """
    W = as_numbers(params, "params must be a matrix of numbers")
    if len(axes) != 3 or W.ndim != 2 or W.shape[0] != 3 or W.shape[1] < 3:
        raise InputError(
            f"wanted three axes, and params of shape (3, K) with K ≥ 3, but got {len(axes)} axes and shape {W.shape}"
        )
    at = np.linspace(*limits, _POINTS)
    x1, x2 = np.meshgrid(at, at)
    points = np.column_stack([x1.ravel(), x2.ravel()])
    scores = (W[0] + points @ W[1:]).reshape(_POINTS, _POINTS, -1)
    margins = class_margins(W, points).reshape(scores.shape)
    rivals = range(1, W.shape[1])
    titles = (
        "class 0: " + " and ".join(f"$s_0 > s_{k}$" for k in rivals), "argmax: one region per class", "yes or no, one by one: $s_k > 0$"
    )  # fmt: skip
    for ax, title in zip(axes, titles, strict=True):
        check_axes(ax).set(xlim=limits, ylim=limits, aspect="equal", xlabel="$x_1$", title=title)
    for i in rivals:
        _half_plane(axes[0], x1, x2, scores[..., 0] - scores[..., i], 0, CLASS_COLOURS[i])
    for k in range(W.shape[1]):
        _half_plane(axes[1], x1, x2, margins[..., k], k, BLACK)
        _half_plane(axes[2], x1, x2, scores[..., k], k, CLASS_COLOURS[k])
        _name(axes[1], points[margins[..., k].ravel() > 0], f"class {k}")
    yes = (scores > 0).reshape(len(points), -1)
    for answers in combinations(range(W.shape[1]), 2):
        _name(axes[2], points[yes[:, list(answers)].all(axis=1)], "two")
    _name(axes[2], points[~yes.any(axis=1)], "none")
    axes[0].set_ylabel("$x_2$")
    return axes[0].figure, list(axes)


def _name(ax: Any, region: Any, name: str) -> None:
    if len(region):
        ax.text(*region.mean(axis=0), name, **CENTRED)


def _half_plane(ax: Any, x1: Any, x2: Any, height: Any, k: int, edge: str) -> None:
    """Shade the region of positive height in the colour of class k, and draw its edge."""
    if height.max() <= 0:
        return
    ax.contourf(x1, x2, height, levels=[0.0, height.max() + 1.0], colors=[CLASS_COLOURS[k]], alpha=_SHADE)
    if height.min() < 0:
        ax.contour(x1, x2, height, levels=[0.0], colors=[edge], linewidths=1.5)
