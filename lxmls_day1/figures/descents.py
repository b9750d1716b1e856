"""Paths of optimisers over an objective of two weights, drawn on its contour lines."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import BLACK, GREEN, GREY, ORANGE, PURPLE, check_axes

_GRID_POINTS = 61  # per axis
_LEVELS = np.geomspace(0.003, 0.8, 9)  # contour lines, as shares of the range of values
_STYLES = ((BLACK, "o", "-"), (GREEN, "s", "-"), (PURPLE, "", "-"), (ORANGE, "^", "--"))


def plot_descents(
    function: Callable[[np.ndarray], float],
    paths: Mapping[str, ArrayLike],
    ax: Any,
    *,
    xlim: tuple[float, float],
    ylim: tuple[float, float],
) -> tuple[Any, Any]:
    """Draw the contour lines of a function of two weights, and the paths of several methods to its minimum.

    Parameters
    ----------
    function : array (2,) -> float
    paths : mapping from the name of a method to its points (n, 2)
        At most four; the end of the first path is marked as the minimum.
    ax : matplotlib Axes
    xlim, ylim : (float, float)

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If there are no paths or more than four, or a path is not in the plane.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = plot_descents(
    ...     lambda v: float(v @ v), {"straight down": [[2, 2], [0, 0]]}, detached_axes()[1], xlim=(-3, 3), ylim=(-3, 3)
    ... )
    >>> [line.get_label() for line in axis.lines]
    ['straight down', 'minimum']
    """
    ax = check_axes(ax)
    points = {name: as_numbers(path, f"the path of {name} must be numbers") for name, path in paths.items()}
    if not 1 <= len(points) <= len(_STYLES) or any(path.ndim != 2 or path.shape[1] != 2 for path in points.values()):
        raise InputError(f"from one to {len(_STYLES)} paths can be drawn, each an array (n, 2) of points")
    first, second = np.linspace(*xlim, _GRID_POINTS), np.linspace(*ylim, _GRID_POINTS)
    values = np.array([[function(np.array([a, b])) for a in first] for b in second])
    minimum = next(iter(points.values()))[-1]
    lowest = min(values.min(), function(minimum))
    ax.contour(first, second, values, levels=lowest + (values.max() - lowest) * _LEVELS, colors=[GREY], linewidths=1.0)
    for (name, path), (colour, marker, dash) in zip(points.items(), _STYLES, strict=False):
        width = 2.0 if marker else 1.0
        ax.plot(*path.T, dash, marker=marker, markersize=5, color=colour, linewidth=width, label=name)
    ax.plot(*minimum, "*", color=BLACK, markersize=18, label="minimum", zorder=5)
    ax.set(xlim=xlim, ylim=ylim)
    return ax.figure, ax
