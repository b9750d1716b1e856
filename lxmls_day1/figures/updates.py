"""Steps of online learners, drawn: how one update changes weights and boundary, and why the number of mistakes is finite."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import BLACK, CENTRED, CLASS_COLOURS, CLASS_MARKERS, GREY, add_boundary, check_axes
from lxmls_day1.figures.style import line_style

_ARROW_SHARE = 0.45  # length of the longest arrow, as a share of the axes
_LABEL_DISTANCE_POINTS = 14  # distance in points from the middle of an arrow to its name
_RING = {"linestyle": "none", "marker": "o", "markersize": 20, "markerfacecolor": "none", "markeredgewidth": 2.5}


def plot_update(
    points: Any, labels: Any, example: int, before: Any, after: Any, axes: Sequence[Any]
) -> tuple[Any, Any]:
    """Draw one update of a perceptron of two classes in four diagrams: before, the mistake, the sum, after.

    The arrow is w = w_1 − w_0 without its intercept, the direction in which the lead of class 1 over class 0 grows. A mistake on x
    changes it by ±2 x.

    Parameters
    ----------
    points : array (M, 2)
    labels : M numbers 0 or 1
    example : int
        The number of the example of the update.
    before, after : array (3, 2)
        The weights, one column for each class, row 0 the intercepts.
    axes : four matplotlib Axes

    Returns
    -------
    (Figure, list of Axes)

    Raises
    ------
    InputError
        If there are not four axes.

    Examples
    --------
    A mistake on x = (1, 2), whose class is 1, adds 2 x to w:

    >>> from matplotlib.figure import Figure
    >>> before, after = [[0, 0], [1, -1], [0, 0]], [[-1, 1], [0, 0], [-2, 2]]
    >>> fig, axes = plot_update([[1.0, 2.0], [-1.0, 0.0]], [1, 0], 0, before, after, Figure().subplots(1, 4))
    >>> axes[2].get_title()
    '3. w′ = w + 2 x'
    """
    if len(axes) != 4:
        raise InputError(f"the picture of an update needs four axes, but got {len(axes)}")
    points, labels = np.asarray(points, dtype=float), np.asarray(labels)
    before, after = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    old, new = (W[1:, 1] - W[1:, 0] for W in (before, after))
    reach = 1.35 * max(np.abs(points).max(), 1.0)
    scale = 2 * reach * _ARROW_SHARE / max(np.linalg.norm(old), np.linalg.norm(new), np.linalg.norm(new - old))
    sign = "+" if labels[example] == 1 else "−"
    titles = ("1. before", "2. a mistake", f"3. w′ = w {sign} 2 x", "4. after")
    for ax, title in zip(axes, titles, strict=True):
        check_axes(ax).set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", title=title, xlabel="$x_1$")
        for k in (0, 1):
            x = points[labels == k].T
            style = {"linestyle": "none", "marker": CLASS_MARKERS[k], "markersize": 11, "color": CLASS_COLOURS[k]}
            ax.plot(*x, label=f"class {k}", **style)
    for ax, W, w in ((axes[0], before, old), (axes[1], before, old), (axes[3], after, new)):
        add_boundary(ax, W, "boundary", BLACK)
        ax.get_legend().remove()
        _arrow(ax, np.zeros(2), scale * w, BLACK, "w" if W is before else "w′")
    for ax in axes[1:]:
        ax.plot(*points[example], color=BLACK, **_RING)
    _arrow(axes[2], np.zeros(2), scale * old, BLACK, "w")
    _arrow(axes[2], scale * old, scale * new, CLASS_COLOURS[int(labels[example])], f"{sign} 2 x")
    _arrow(axes[2], np.zeros(2), scale * new, GREY, "w′")
    axes[0].set_ylabel("$x_2$")
    axes[0].legend(loc="lower left", fontsize=12)
    return axes[0].figure, list(axes)


def plot_envelopes(progress: Any, lengths: Any, margin: float, radius: float, ax: Any) -> tuple[Any, Any]:
    """Draw the proof of the mistake bound: u · w grows at least like n γ, ‖w‖ at most like √n R, so n is bounded.

    Parameters
    ----------
    progress, lengths : n numbers
        u · w and ‖w‖ after each mistake of a perceptron.
    margin, radius : float
        γ of the separator u, and R.
    ax : matplotlib Axes

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If there are no mistakes, or the numbers of values differ.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = plot_envelopes([1.0, 2.1], [1.5, 2.2], 1.0, 2.0, detached_axes()[1])
    >>> print(axis.lines[0].get_xdata()[-1])
    4.6
    """
    check_axes(ax)
    if len(progress) != len(lengths) or not len(progress):
        raise InputError("the picture needs u · w and ‖w‖ after each of the same mistakes, and at least one mistake")
    n = np.arange(1, len(progress) + 1)
    bound = (radius / margin) ** 2
    everywhere = np.linspace(0, 1.15 * bound, 200)
    ax.plot(everywhere, np.sqrt(everywhere) * radius, color=BLACK, label="√n R: ‖w‖ is below")
    ax.plot(everywhere, everywhere * margin, color=BLACK, linestyle="--", label="n γ: u · w is above")
    style = line_style("perceptron")
    ax.plot(n, lengths, marker="o", label="‖w‖ after n mistakes", **style)
    ax.plot(n, progress, marker="^", label="u · w after n mistakes", color=GREY)
    ax.axvline(bound, color="0.6", linewidth=1.5)
    ax.annotate("n = (R/γ)²", (bound, 0), (-6, 6), textcoords="offset points", ha="right", va="bottom")
    ax.set(xlabel="mistakes n", ylabel="length", xlim=(0, everywhere[-1]), ylim=(0, None))
    ax.legend(loc="upper left", fontsize=12)
    return ax.figure, ax


def _arrow(ax: Any, tail: Any, tip: Any, colour: str, name: str) -> None:
    if np.allclose(tail, tip):
        return
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": 2.5, "mutation_scale": 18}
    ax.annotate("", tip, tail, arrowprops=style)
    along = (tip - tail) / np.linalg.norm(tip - tail)
    beside = _LABEL_DISTANCE_POINTS * np.array([-along[1], along[0]])
    style = CENTRED | {"color": colour, "fontsize": 14}
    ax.annotate(name, (tail + tip) / 2, tuple(beside), textcoords="offset points", **style)
