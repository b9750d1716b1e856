"""Figures for a projector: points of several classes, decision boundaries between them, bars of accuracies.

Every function draws data computed elsewhere, on the given axes or on a new figure, and returns
`(figure, axis)`. No function shows or saves a figure: a notebook shows new figures by itself, and
`fig.savefig("x.png")` writes a file. The colours are distinguishable for colour-blind people, and nothing is encoded by colour
alone: each class has its own marker, which is filled for training, half filled for development and hollow for test points, and
each boundary has its own dashes.

References
----------
M. Okabe and K. Ito, *Color Universal Design: how to make figures and presentations that are friendly to colorblind
people*, 2008, https://jfly.uni-koeln.de/color/
"""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.checks import as_list, as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.style import TRAINING, is_known, line_style

BLACK = "#000000"
ORANGE = "#E69F00"
SKY_BLUE = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#7F7F7F"

#: The colour of each class, for its points and for the words or features that vote for it; the ninth class has the colour of the first
#: again. Class k has the k-th colour in every picture: of the reviews, class 0 is *positive* and class 1 *negative*.
CLASS_COLOURS = (VERMILION, BLUE, GREEN, ORANGE, PURPLE, SKY_BLUE, YELLOW, BLACK)

#: The marker of each class's points; the ninth class has the marker of the first again.
CLASS_MARKERS = ("s", "^", "o", "D", "v", "P", "p", "*")

#: The default colours of boundaries, in the order of drawing. Grey replaces yellow, which is too faint
#: on white for a thin line; the colours of the first two classes are last.
LINE_COLOURS = (BLACK, GREEN, PURPLE, ORANGE, SKY_BLUE, GREY, BLUE, VERMILION)

#: On and off lengths of dashes, in line widths. The first nine boundaries on the same axes all look different.
DASHES = (
    (), (4, 1.5), (1, 1.2), (6, 1.5, 1, 1.5), (2, 1), (4, 1.2, 1, 1.2, 1, 1.2), (9, 2), (4, 1.2, 4, 1.2, 1, 1.2),
    (1, 3),
)  # fmt: skip

#: The fill style of the markers of each part of a data set, and the name of the part.
PARTS = {"train": ("full", "training"), "dev": ("bottom", "development"), "test": ("none", "test")}

#: Style of a text that is centred at its position.
CENTRED: dict[str, Any] = {"ha": "center", "va": "center"}
#: Style of a legend at the edge of the axes.
FRAMELESS: dict[str, Any] = {"frameon": False, "borderaxespad": 0.2}

_TEST = "#333333"  # a test accuracy; the colours of classes are for classes alone
_LABEL_SIZE, _TICK_SIZE = 16, 14  # points
_TITLE_WIDTH = 48  # characters in a line
_LINE_WIDTH = 3.0
# From here on the points of a part other than training are small and pale, so that they hide nothing.
_MANY_POINTS = 200
_MARGIN = 0.06  # margin around the points, as a share of the data's extent
_MAX_EXTENT_RATIO = 4.0  # beyond this ratio of the two extents, the axes get different scales
_BOUNDARY_GROUP_ID = "decision boundary"  # the group id of a boundary's line


def detached_axes(figsize: tuple[float, float] = (10.0, 6.5)) -> tuple[Any, Any]:
    """Return a new figure that is unknown to pyplot, for programs that write files and must not accumulate figures in memory.

    Parameters
    ----------
    figsize : (float, float)
        Width and height in inches.

    Returns
    -------
    (Figure, Axes)

    Examples
    --------
    >>> fig, axis = detached_axes()
    >>> fig, axis = plot_accuracies([("Perceptron", "books", 1.0, 0.8)], ax=axis)
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=figsize, layout="constrained")
    return fig, fig.subplots()


def plot_points(
    train_X: Any,
    train_y: Any,
    dev_X: Any = None,
    dev_y: Any = None,
    test_X: Any = None,
    test_y: Any = None,
    *,
    title: str | None = None,
    ax: Any = None,
) -> tuple[Any, Any]:
    """Draw the points of a data set with two features: a colour and a marker for each class, a fill style for each part.

    The axes' limits are set to contain all points. If the two features' extents are similar, both axes get the same
    scale, so that circles look like circles.

    Parameters
    ----------
    train_X, train_y : array (M, 2), int array (M,)
        Training points and their classes 0, 1, …; their markers are filled.
    dev_X, dev_y, test_X, test_y : likewise, optional
        Development points (half filled) and test points (hollow); parts without points are not drawn.
    title : str, optional
    ax : matplotlib Axes, optional
        The axes to draw in. Default: a new figure. The legend is to the right of the axes, so create the figure of the axes with
        ``layout="constrained"`` to make room for it.

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If there are not exactly two features, the lengths of X and y disagree, or there are no points.

    Examples
    --------
    >>> fig, axis = plot_points([[0, 0], [1, 1]], [0, 1], ax=detached_axes()[1])
    >>> [line.get_label() for line in axis.lines]
    ['class 0, training', 'class 1, training']
    """
    parts = _checked_parts({"train": (train_X, train_y), "dev": (dev_X, dev_y), "test": (test_X, test_y)})
    from matplotlib.colors import to_hex, to_rgba

    fig, ax = axes_for(ax, figsize=(10.0, 6.5))
    for part, (X, y) in parts.items():
        filled, part_name = PARTS[part]
        for label in np.unique(y):
            colour = CLASS_COLOURS[label % len(CLASS_COLOURS)]
            marker = CLASS_MARKERS[label % len(CLASS_MARKERS)]
            edge, width, size = ("white", 0.8, 9) if filled == "full" else (colour, 1.7, 7.5)
            if filled != "full" and len(X) > _MANY_POINTS:
                edge, width, size = to_hex(to_rgba(colour, 0.35), keep_alpha=True), 1.0, 5.0
            style = {"fillstyle": filled, "markeredgecolor": edge, "markeredgewidth": width, "markersize": size}
            name = f"class {label}, {part_name}"
            ax.plot(*X[y == label].T, linestyle="none", marker=marker, color=colour, label=name, **style)
    _set_limits(ax, np.concatenate([X for X, _ in parts.values()]))
    ax.set_xlabel("$x_1$", fontsize=_LABEL_SIZE)
    ax.set_ylabel("$x_2$", fontsize=_LABEL_SIZE)
    ax.tick_params(labelsize=_TICK_SIZE)
    if title is not None:
        ax.set_title(fill(title, _TITLE_WIDTH), fontsize=_LABEL_SIZE)
    draw_legend(ax)
    return fig, ax


def add_boundary(ax: Any, params: Any, name: str, colour: Any = None) -> tuple[Any, Any]:
    """Draw the boundary at which a model's predicted class changes, as one line with one entry in the legend.

    The line ends at the axes' limits, which do not change. The first boundary on the axes is solid; further boundaries have
    different dashes.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes with points on them, as `plot_points` returns them.
    params : array (3, K) or (5, K)
        Weights of a linear or a quadratic model; see `lxmls_day1.figures.boundaries.decision_boundary`.
    name : str
        The name in the legend; a note is added to it if the model predicts the same class everywhere in view.
    colour : matplotlib colour, optional
        Default: the colour of the classifier with this name, with its dashes (`lxmls_day1.figures.style`), or for any other
        name the next of `LINE_COLOURS`.

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If the params do not belong to a finite model of two features, or matplotlib does not know the colour.

    Examples
    --------
    >>> fig, axis = plot_points([[0, 0], [1, 1]], [0, 1], ax=detached_axes()[1])
    >>> fig, axis = add_boundary(axis, [[0.5, -0.5], [-1, 1], [0, 0]], "vertical", "green")
    >>> axis.lines[-1].get_xdata()
    array([0.5, 0.5])
    """
    from matplotlib.colors import is_color_like
    from matplotlib.lines import Line2D

    nr_drawn = sum(line.get_gid() == _BOUNDARY_GROUP_ID for line in check_axes(ax).lines)
    dash: Any = (0, DASHES[nr_drawn % len(DASHES)]) if nr_drawn % len(DASHES) else "solid"
    if colour is None and is_known(str(name)):
        colour, dash = line_style(str(name)).values()
    elif colour is None:
        colour = LINE_COLOURS[nr_drawn % len(LINE_COLOURS)]
    if not is_color_like(colour):
        raise InputError(
            f"matplotlib does not know the colour {colour!r}; give a name such as 'green' or a code such as '#009E73'."
        )
    xlim, ylim = ax.get_xlim(), ax.get_ylim()
    polylines = decision_boundary(params, xlim, ylim)
    label = name if polylines else f"{name} (one class in view)"
    line = Line2D(*with_gaps(polylines).T, color=colour, linewidth=_LINE_WIDTH, linestyle=dash, label=label)
    line.set(gid=_BOUNDARY_GROUP_ID, zorder=3 + 0.01 * nr_drawn)  # above the points, in the order of drawing
    ax.add_line(line)
    ax.set(xlim=xlim, ylim=ylim)
    draw_legend(ax)
    return ax.figure, ax


def plot_accuracies(rows: Iterable[Any], *, title: str | None = None, ax: Any = None) -> tuple[Any, Any]:
    """Draw training and test accuracies as paired horizontal bars, grouped by data set.

    Parameters
    ----------
    rows : sequence of (classifier, data set, train accuracy, test accuracy, …)
        Two names and two numbers in [0, 1]; None or NaN for a missing accuracy. Further values of a row are ignored. Rows of the
        same data set are grouped; otherwise the order is unchanged, from top to bottom.
    title : str, optional
    ax : matplotlib Axes, optional
        The axes to draw in. Default: a new figure, as high as the number of rows needs.

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If there are no rows, a row is malformed, or an accuracy is outside [0, 1].

    Examples
    --------
    >>> rows = [("Perceptron", "books", 1.0, 0.79), ("MIRA", "books", 0.99, 0.81)]
    >>> fig, axis = plot_accuracies(rows, ax=detached_axes()[1])
    >>> [label.get_text() for label in axis.get_yticklabels()]
    ['Perceptron', 'MIRA']
    """
    groups = _grouped_by_data_set(rows)
    nr_lines = sum(len(group) + 1 for group in groups.values())  # a heading for each data set
    fig, ax = axes_for(ax, figsize=(13.0, max(4.0, 1.6 + 0.56 * nr_lines)))
    positions, names, accuracies = [], [], []
    top = 0.0
    for data_set, group in groups.items():
        heading = {"fontsize": _LABEL_SIZE, "fontweight": "bold", "va": "center", "ha": "left"}
        # Above the grid.
        ax.text(0.002, top, data_set, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0}, **heading)
        for classifier, *pair in group:
            top += 1.0
            positions.append(top)
            names.append(classifier)
            accuracies.append(pair)
        top += 1.0
    train, test = np.transpose(accuracies)
    for part, shift, colour, lengths in (("training", -0.2, TRAINING, train), ("test", 0.2, _TEST, test)):
        style = {"height": 0.4, "color": colour, "edgecolor": "white", "linewidth": 0.8}
        bars = ax.barh(np.add(positions, shift), np.nan_to_num(lengths), label=part, **style)
        texts = ["n/a" if np.isnan(length) else f"{length:.3f}" for length in lengths]
        for text in ax.bar_label(bars, texts, padding=5, fontsize=_TICK_SIZE):
            text.set_verticalalignment("center_baseline")
    ax.set_yticks(positions, names, fontsize=_LABEL_SIZE)
    ax.set(xlim=(0.0, 1.12), ylim=(top - 0.4, -0.6), xticks=np.linspace(0, 1, 6))
    ax.tick_params(axis="x", labelsize=_TICK_SIZE)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("accuracy", fontsize=_LABEL_SIZE)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis="x", color="0.88")
    if title is not None:
        ax.set_title(fill(title, _TITLE_WIDTH), fontsize=_LABEL_SIZE, loc="left")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=_TICK_SIZE, **FRAMELESS)
    return fig, ax


def check_axes(ax: Any) -> Any:
    """Return ``ax`` if it is axes of matplotlib; otherwise raise an InputError.

    Examples
    --------
    >>> check_axes("osx")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: ax must be axes of matplotlib, as plt.subplots() returns them, but is 'osx'
    """
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InputError(f"ax must be axes of matplotlib, as plt.subplots() returns them, but is {ax!r}")
    return ax


def axes_for(ax: Any, figsize: tuple[float, float]) -> tuple[Any, Any]:
    """Return the axes to draw in and their figure: the given axes, or the axes of a new pyplot figure of this size.

    Raises
    ------
    InputError
        If ``ax`` is not axes of matplotlib.

    Examples
    --------
    >>> _, given = detached_axes()
    >>> axes_for(given, (8.0, 6.0))[1] is given
    True
    """
    if ax is not None:
        return check_axes(ax).figure, ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=figsize, layout="constrained")


def _checked_parts(parts: Mapping[str, tuple[Any, Any]]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the parts that have points, as (X float (M, 2), y int (M,))."""
    checked = {}
    for part, (X, y) in parts.items():
        if X is None:
            continue
        X = as_numbers(X.toarray() if sp.issparse(X) else X, f"{part}_X must be numbers")
        if X.size == 0:
            continue
        if X.ndim != 2 or X.shape[1] != 2:
            raise InputError(
                f"points can only be drawn in the plane: {part}_X must have shape (points, 2), but has {X.shape}; "
                "choose two features."
            )
        if not np.all(np.isfinite(X)):
            raise InputError(f"{part}_X holds NaN or infinite numbers, which cannot be drawn; clean the data.")
        y = as_numbers(y, f"{part}_y must hold one class 0, 1, … for each of the {len(X)} points of {part}_X").ravel()
        if len(y) != len(X) or not np.all((np.abs(y) < 2**53) & (y == np.floor(y))):
            raise InputError(
                f"{part}_y must hold one class 0, 1, … for each of the {len(X)} points of {part}_X, "
                f"but has shape {y.shape} and type {y.dtype}."
            )
        checked[part] = (X, y.astype(int))
    if not checked:
        raise InputError("there are no points to draw: all parts are empty; pass at least one point.")
    return checked


def _set_limits(ax: Any, X: np.ndarray) -> None:
    """Set limits around all points, with a margin; a square if the features' extents are similar."""
    centre = (X.min(axis=0) + X.max(axis=0)) / 2
    extent = np.ptp(X, axis=0)
    extent[extent == 0] = extent.max() or 1.0
    alike = extent.max() <= _MAX_EXTENT_RATIO * extent.min()
    half = (0.5 + _MARGIN) * (np.full(2, extent.max()) if alike else extent)
    xlim, ylim = zip(centre - half, centre + half, strict=True)
    # The anchor is next to the legend, so that the layout accounts for the legend's width.
    ax.set(xlim=xlim, ylim=ylim, aspect="equal" if alike else "auto", anchor="E")


def with_gaps(polylines: Iterable[np.ndarray]) -> np.ndarray:
    """Return several polylines as one array (n, 2), with a row of NaN between two of them.

    Examples
    --------
    >>> with_gaps([np.zeros((2, 2)), np.ones((1, 2))])
    array([[ 0.,  0.],
           [ 0.,  0.],
           [nan, nan],
           [ 1.,  1.]])
    """
    gap = np.full((1, 2), np.nan)
    rows = [rows for polyline in polylines for rows in (gap, polyline)]
    return np.concatenate(rows[1:]) if rows else np.empty((0, 2))


def draw_legend(ax: Any, handles: Sequence[Any] | None = None, ncols: int = 1) -> None:
    """Draw the legend, of these lines or of all, to the right of the axes, so that it hides no point.

    Examples
    --------
    >>> _, axis = detached_axes()
    >>> line, = axis.plot([0, 1], label="MIRA")
    >>> draw_legend(axis)
    >>> [text.get_text() for text in axis.get_legend().get_texts()]
    ['MIRA']
    """
    style = FRAMELESS | {"borderaxespad": 0.0, "handlelength": 3.6}  # long enough to distinguish the dashes
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=_TICK_SIZE, ncols=ncols, **style)


def _grouped_by_data_set(rows: Iterable[Any]) -> dict[str, list[tuple[str, float, float]]]:
    groups: dict[str, list[tuple[str, float, float]]] = {}
    for row in as_list(rows, "rows must be a list of rows (classifier, data set, train accuracy, test accuracy)"):
        try:
            classifier, data_set, *accuracies = row
            train, test = (np.nan if accuracy is None else float(accuracy) for accuracy in accuracies[:2])
        except (TypeError, ValueError):
            raise InputError(
                f"each row must be (classifier, data set, train accuracy, test accuracy), but one is {row!r}."
            ) from None
        for accuracy in (train, test):
            if not (np.isnan(accuracy) or 0 <= accuracy <= 1):
                raise InputError(
                    f"an accuracy must lie between 0 and 1, but {classifier} on {data_set} has {accuracy}; "
                    "divide percentages by 100."
                )
        groups.setdefault(str(data_set), []).append((str(classifier), train, test))
    if not groups:
        raise InputError("there are no accuracies to draw: rows is empty.")
    return groups
