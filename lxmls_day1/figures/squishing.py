"""Column squishing as a projection: columns that are too high are lowered to one level, and the true class rises to it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import BLACK, GREY, check_axes

_DOWN, _UP = "#BBBBBB", "#5F5F5F"


def levels(gaps: ArrayLike) -> np.ndarray:
    """Return the level d_y = (C_1 + … + C_k) / (k + 1) with k active rivals, for k = 1, 2, …, as long as the next C is above the level.

    Parameters
    ----------
    gaps : numbers
        C_i of the rivals, in any order; the largest must be positive.

    Returns
    -------
    array (k,)
        The last level is the solution.

    Raises
    ------
    InputError
        If no gap is positive.

    Examples
    --------
    >>> levels([1.641, 2.996]).round(3)
    array([1.498, 1.546])
    >>> levels([3.0, 1.0])
    array([1.5])
    """
    C = -np.sort(-as_numbers(gaps, "the gaps must be numbers").ravel())
    if not C.size or C[0] <= 0:
        raise InputError(
            f"a picture of column squishing needs a rival whose constraint is violated, C > 0, but got {C.tolist()}"
        )
    found = np.cumsum(C) / np.arange(2, C.size + 2)
    is_above = C[1:] > found[:-1]
    return np.asarray(found[: 1 + np.logical_and.accumulate(is_above).sum()])


def plot_squishing(gaps: Sequence[float], names: Sequence[str], axes: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Draw D = (0, C_1, …) and its projection z = D + d on the set of vectors in which no rival is above the true class.

    On the left only two coordinates, the true class and its first rival; on the right all coordinates as columns.

    Parameters
    ----------
    gaps : K − 1 numbers
        C_i of the rivals; the largest must be positive.
    names : K str
        The names of the true class and then of the rivals.
    axes : two matplotlib Axes

    Returns
    -------
    (Figure, list of Axes)

    Raises
    ------
    InputError
        If there are not two axes, the number of names is wrong, or no gap is positive.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> fig, axes = plot_squishing([3.0, 1.0], ["true", "first", "second"], Figure().subplots(1, 2))
    >>> [text.get_text() for text in axes[1].texts], [label.get_text() for label in axes[1].get_xticklabels()]
    (['k = 1: 1.500'], ['true', 'first', 'second'])
    """
    C, found = as_numbers(gaps, "the gaps must be numbers"), levels(gaps)
    if len(axes) != 2 or len(names) != C.size + 1:
        raise InputError(f"wanted two axes and {C.size + 1} names, but got {len(axes)} and {len(names)}")
    left, right = (check_axes(ax) for ax in axes)
    top = 1.2 * C.max()
    half = C.max() / 2
    left.fill_between([0, top], [0, top], 0, color="0.9", label="allowed: $z_i \\leq z_y$")
    left.plot([0, top], [0, top], color=BLACK, label="$z_i = z_y$")
    left.plot([0, half], [C.max(), half], color=GREY, linestyle="--", label="d, at a right angle")
    left.plot(0, C.max(), "o", color=BLACK, markersize=11, clip_on=False, label="D = (0, C)")
    left.plot(half, half, "o", color=BLACK, markersize=11, markerfacecolor="white", label="z = D + d = (C/2, C/2)")
    left.set(xlim=(0, top), ylim=(0, top), aspect="equal", title="one rival")
    left.set(xlabel="$z_y$, true class", ylabel="$z_i$, rival")
    left.legend(loc="lower right", fontsize=11)

    D = np.concatenate([[0.0], C])
    level = found[-1]
    z = np.minimum(D, level)
    z[0] = level
    places = np.arange(D.size)
    right.bar(places, np.minimum(D, z), width=0.6, color="0.9", edgecolor="0.6", label="stays")
    hatched = {"color": _DOWN, "hatch": "//", "edgecolor": "white"}
    right.bar(places, np.maximum(D - z, 0), bottom=z, width=0.6, label="pushed down, $d_i < 0$", **hatched)
    right.bar(places, np.maximum(z - D, 0), bottom=D, width=0.6, color=_UP, label="rises, $d_y > 0$")
    for k, height in enumerate(found, start=1):
        last = k == len(found)
        colour, width, dash, ink, side = (BLACK, 2, "-", BLACK, "bottom") if last else ("0.5", 1.2, ":", "0.35", "top")
        right.axhline(height, color=colour, linewidth=width, linestyle=dash)
        right.text(D.size - 0.45, height, f"k = {k}: {height:.3f}", va=side, color=ink)
    right.set(xlim=(-0.5, D.size + 0.75), ylim=(0, top), ylabel="$D_i$", title="all rivals, one level")
    right.set_xticks(places, list(names))
    right.legend(loc="upper left", fontsize=11)
    return left.figure, [left, right]
