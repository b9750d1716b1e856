"""A student's decision boundaries beside the reference's, as a small PNG.

The points, the best possible boundary and the reference's are the same in every picture. `BoundaryPictures` draws them once
and keeps the pixels; each picture begins as a copy of them, gets the student's lines, and is written with a palette of few colours.
That takes milliseconds, where a fresh figure takes a quarter of a second.
"""

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from lxmls_day1.errors import InputError
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import BLACK, CLASS_COLOURS, GREEN, PURPLE
from lxmls_day1.grading.gradebook import Boundary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

MOST_CLASSES = {3: 6, 5: 3}  # rows of params -> how many classes are drawn; curves among more classes take too long

_PANEL = 2.5  # inches
_RESOLUTION = 120  # dots per inch
_MARKERS = ("o", "^", "s", "D", "v", "P")
_MARGIN = 0.08  # of the data's extent
_COLOURS = 64
_KEPT_PICTURES = 32


class BoundaryPictures:
    """Pictures with one panel for each exercise that ends in a decision boundary.

    Parameters
    ----------
    X, y : float array (M, 2), int array (M,)
        The points to draw and their classes 0, 1, …
    bayes : array (3, K) or (5, K)
        Weights of the best possible classifier, as `SimpleDataSet.get_bayes_optimal` returns them.
    reference : mapping from exercise to (name of the classifier, params)
        In the order of the panels; params are of shape (3, K) or (5, K).

    Raises
    ------
    InputError
        If there is no reference, or points or the reference's params cannot be drawn.

    Examples
    --------
    >>> X, y = [[-1, -1], [1, 1]], [0, 1]
    >>> pictures = BoundaryPictures(X, y, [[0, 0], [-1, 1], [-1, 1]], {"1.5": ("MIRA", [[0, 0], [-1, 1], [0, 0]])})
    >>> png = pictures.draw((Boundary("1.5", "MIRA", ((0.0, 0.1), (-1.0, 1.0), (0.5, -0.5))),))
    >>> png[1:4]
    b'PNG'
    """

    def __init__(self, X: Any, y: Any, bayes: Any, reference: Mapping[str, tuple[str, Any]]):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        if X.ndim != 2 or X.shape[1] != 2 or len(X) != len(y) or not len(X) or not np.all(np.isfinite(X)):
            raise InputError(f"wanted finite points (M, 2) with M classes, got {X.shape} and {y.shape}.")
        if not reference:
            raise InputError("there is no boundary to draw: reference is empty.")
        self._limits = _limits(X)
        self._exercises = tuple(reference)
        self._canvas, axes = self._fresh_figure(X, y, bayes, reference)
        self._panels = dict(zip(self._exercises, axes, strict=True))
        self._drawn: dict[tuple[Boundary, ...], bytes] = {}  # right solutions all learn the same
        self._lines: dict[str, Line2D] = {}
        self._words: dict[str, Text] = {}
        for exercise, axis in self._panels.items():
            (self._lines[exercise],) = axis.plot(
                [], [], color=PURPLE, linewidth=1.8, linestyle=(0, (3, 1.6)), zorder=6, animated=True
            )
            self._words[exercise] = axis.text(
                0.5,
                0.03,
                "",
                transform=axis.transAxes,
                ha="center",
                va="bottom",
                fontsize=7,
                animated=True,
                zorder=7,
                bbox={"facecolor": "white", "edgecolor": PURPLE, "boxstyle": "round,pad=0.3", "linewidth": 0.8},
            )
        self._canvas.draw()
        self._background = self._canvas.copy_from_bbox(self._canvas.figure.bbox)
        self._palette = self._picture_of_all_colours().quantize(
            _COLOURS, Image.Quantize.MAXCOVERAGE
        )  # paper stays white

    def draw(self, boundaries: tuple[Boundary, ...]) -> bytes:
        """A picture of a submission's boundaries.

        Parameters
        ----------
        boundaries : tuple of Boundary
            The first of each exercise counts; those of other exercises than the reference's are left out.

        Returns
        -------
        bytes
            A PNG. If the weights of a panel are missing or cannot be drawn, the panel says so; nothing is raised.
        """
        if boundaries not in self._drawn:
            if len(self._drawn) >= _KEPT_PICTURES:
                self._drawn.clear()
            self._drawn[boundaries] = self._draw(boundaries)
        return self._drawn[boundaries]

    def _draw(self, boundaries: tuple[Boundary, ...]) -> bytes:
        of_exercise: dict[str, Boundary] = {}
        for boundary in boundaries:
            of_exercise.setdefault(boundary.exercise, boundary)
        self._canvas.restore_region(self._background)
        for exercise, axis in self._panels.items():
            drawn = of_exercise.get(exercise)
            points, words = (_NOTHING, "no weights") if drawn is None else _curve(drawn.params, *self._limits)
            self._draw_on(axis, exercise, points, words)
        png = io.BytesIO()
        self._picture().quantize(palette=self._palette, dither=Image.Dither.NONE).save(png, "PNG")
        return png.getvalue()

    def _picture(self) -> Image.Image:
        """What is drawn now."""
        return Image.fromarray(np.asarray(self._canvas.buffer_rgba())).convert("RGB")

    def _draw_on(self, axis: "Axes", exercise: str, points: np.ndarray, words: str) -> None:
        self._lines[exercise].set_data(*points.T)
        axis.draw_artist(self._lines[exercise])
        if words:
            self._words[exercise].set_text(words)
            axis.draw_artist(self._words[exercise])

    def _fresh_figure(
        self, X: np.ndarray, y: np.ndarray, bayes: Any, reference: Mapping[str, tuple[str, Any]]
    ) -> tuple[Any, list["Axes"]]:
        """The figure with everything that is the same in all pictures, and a panel for each exercise."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # matplotlib takes long to import
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D

        columns = 2 if len(reference) in (2, 4) else min(3, len(reference))
        rows = -(-len(reference) // columns)
        figure = Figure(figsize=(columns * _PANEL, rows * _PANEL + 0.45), dpi=_RESOLUTION)
        canvas: Any = FigureCanvasAgg(figure)  # which has no types
        height = figure.get_figheight()
        axes = figure.subplots(rows, columns, squeeze=False, gridspec_kw={"hspace": 0.2, "wspace": 0.08}).ravel()
        figure.subplots_adjust(left=0.02, right=0.98, top=1 - 0.27 / height, bottom=0.5 / height)
        for axis in axes[len(reference) :]:
            axis.remove()
        xlim, ylim = self._limits
        for axis, (exercise, (name, params)) in zip(axes, reference.items(), strict=False):
            axis.set(xlim=xlim, ylim=ylim, xticks=[], yticks=[])
            axis.set_title(f"{exercise} {name}", fontsize=9, pad=3)
            for k in np.unique(y):
                axis.plot(*X[y == k].T, **_point_style(int(k)))
            axis.plot(*_joined(decision_boundary(params, xlim, ylim)).T, color=GREEN, linewidth=5, alpha=0.45, zorder=4)
            axis.plot(
                *_joined(decision_boundary(bayes, xlim, ylim)).T, color=BLACK, linewidth=1.2, linestyle=":", zorder=5
            )
        handles = [Line2D([], [], **_point_style(int(k)), label=f"class {k}") for k in np.unique(y)]
        handles += [
            Line2D([], [], color=BLACK, linewidth=1.2, linestyle=":", label="best possible"),
            Line2D([], [], color=GREEN, linewidth=5, alpha=0.45, label="reference"),
            Line2D([], [], color=PURPLE, linewidth=1.8, linestyle=(0, (3, 1.6)), label="yours"),
        ]
        figure.legend(
            handles=handles,
            loc="lower center",
            ncols=len(handles) if columns > 1 else 2,
            fontsize=8,
            frameon=False,
            handlelength=2.2,
            columnspacing=1.2,
            borderaxespad=0.1,
        )
        return canvas, list(axes[: len(reference)])

    def _picture_of_all_colours(self) -> Image.Image:
        """A picture that has every kind of line in it."""
        (left, right), (low, high) = self._limits
        sample = np.column_stack([np.linspace(left, right, 9), np.tile([low, high], 5)[:9]])
        for exercise, axis in self._panels.items():
            self._draw_on(axis, exercise, sample, "one class everywhere")
        return self._picture()


_NOTHING = np.empty((0, 2))


def _curve(params: Any, xlim: tuple[float, float], ylim: tuple[float, float]) -> tuple[np.ndarray, str]:
    """The points of a student's boundary, and a text for the panel if there is none to draw."""
    try:
        weights = np.array(params, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return _NOTHING, "weights are no table of numbers"
    if weights.ndim != 2 or not 2 <= weights.shape[1] <= MOST_CLASSES.get(weights.shape[0], 0):
        return _NOTHING, f"weights of shape {weights.shape}"[:40]
    if not np.all(np.isfinite(weights)):
        return _NOTHING, "weights are NaN or infinite"
    largest = np.abs(weights).max()
    try:
        with np.errstate(all="ignore"):
            points = _joined(decision_boundary(weights / largest if largest else weights, xlim, ylim))
    except (ArithmeticError, LookupError, RuntimeError, ValueError):  # whatever these numbers do to the geometry
        return _NOTHING, "no boundary can be drawn"
    return points, "" if len(points) else "one class everywhere"


def _limits(X: np.ndarray) -> tuple[tuple[float, float], tuple[float, float]]:
    """A square around all points."""
    centre = (X.min(axis=0) + X.max(axis=0)) / 2
    half = (0.5 + _MARGIN) * (np.ptp(X, axis=0).max() or 1.0)
    return (centre[0] - half, centre[0] + half), (centre[1] - half, centre[1] + half)


def _joined(polylines: list[np.ndarray]) -> np.ndarray:
    """All polylines as one array (n, 2), with a row of NaN between two of them."""
    gap = np.full((1, 2), np.nan)
    rows = [rows for polyline in polylines for rows in (gap, polyline)]
    return np.concatenate(rows[1:]) if rows else _NOTHING


def _point_style(k: int) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": _MARKERS[k % len(_MARKERS)],
        "markersize": 4.5,
        "color": CLASS_COLOURS[k % len(CLASS_COLOURS)],
        "markeredgecolor": "white",
        "markeredgewidth": 0.5,
        "zorder": 3,
    }
