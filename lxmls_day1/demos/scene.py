"""The data that the page draws: panels with points, lines, regions, arrows, bars and texts.

A *scene* shows the result of one choice of settings. If it has steps, it has *frames*. Any value of a mark may then be
`by_frame`, a list with one value for each frame, and the page moves through the frames without asking Python. Coordinates
are those of the panel's axes. A colour is a pair, for light and for dark mode.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from lxmls_day1.figures import plotting
from lxmls_day1.figures.style import line_style

Colour = tuple[str, str]
Mark = dict[str, Any]

INK: Colour = ("#111111", "#F5F5F5")
MUTED: Colour = ("#5F6368", "#B4BAC4")
CLASSES: tuple[Colour, ...] = tuple(
    zip(
        plotting.CLASS_COLOURS,
        (plotting.ORANGE, plotting.SKY_BLUE, plotting.PURPLE, plotting.YELLOW, plotting.GREEN, plotting.VERMILION, "#FFFFFF", "#4C9FD9"),
        strict=True,
    )
)  # fmt: skip
SHAPES = plotting.CLASS_MARKERS  # the shape of the points of each class
_DIGITS = 5  # significant digits of every number that is sent to the page
_POWERS_OF_TEN = np.array([float(f"1e{n}") for n in range(309)])


@dataclass(frozen=True)
class Axis:
    """One axis of a panel.

    Attributes
    ----------
    low, high : float, or by frame
    label : str
    scale : "linear", "log" or "symlog"
        ``symlog`` is linear up to `linear_below`, because the logarithm diverges at 0.
    ticks : sequence of (position, text), optional
        Default: chosen by the page. An empty sequence means no ticks.
    """

    low: Any
    high: Any
    label: str = ""
    scale: str = "linear"
    linear_below: float = 1.0
    ticks: Sequence[tuple[float, str]] | None = None


def plane_axes(across: tuple[float, float], up: tuple[float, float]) -> tuple[Axis, Axis]:
    """Return the axes of a plane of points with two features, from their limits."""
    return Axis(*across, label="feature x₁"), Axis(*up, label="feature x₂")


@dataclass(frozen=True)
class Panel:
    """A pair of axes and the marks on them.

    Attributes
    ----------
    name : str
        The name for `Scene.layout` and `Points` controls.
    title : str, or by frame
    equal : bool
        True if a unit has the same length on both axes.
    """

    name: str
    title: Any
    x: Axis
    y: Axis
    marks: Sequence[Mark]
    equal: bool = False


@dataclass(frozen=True)
class Steps:
    """The frames of a scene.

    Attributes
    ----------
    label : str
        The counted quantity.
    values : sequence of str or numbers
        The name of each frame.
    start : int
        The frame that is shown first.
    milliseconds : int
        The duration of each frame while the scene plays.
    """

    label: str
    values: Sequence[Any]
    start: int = 0
    milliseconds: int = 800


@dataclass(frozen=True)
class Table:
    """Numbers next to the panels. A cell is a string, a number, or the sample of a line (`sample_of`)."""

    heads: Sequence[str]
    rows: Any


@dataclass(frozen=True)
class Scene:
    """The complete picture for one choice of settings.

    Attributes
    ----------
    panels : sequence of Panel
    says : str, or by frame
        A description of the picture, in a sentence for screen readers.
    layout : sequence of rows of panel names
        A panel whose name occurs in several places fills all of them. Default: one row of all panels.
    columns : sequence of float
        The widths of the layout's columns.
    steps : Steps, optional
    table : Table, optional
    words : sequence of (text, weight, title), or by frame
        A text in colour: a weight from −1 (class 1) to 1 (class 0) says for which class a word speaks, and how strongly.
    observations : str
        Replaces the text above the picture. Default: the demonstration's own.
    notes : sequence of str
        Sentences about missing parts, with reasons.
    facts : dict
        The drawn values, as numbers for tests. They are not sent to the page.
    """

    panels: Sequence[Panel]
    says: Any = ""
    layout: Sequence[Sequence[str]] = ()
    columns: Sequence[float] = ()
    steps: Steps | None = None
    table: Table | None = None
    words: Any = ()
    observations: str = ""
    notes: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """Return the scene as data for JSON."""
        found = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "facts"}
        found["layout"] = self.layout or [[panel.name for panel in self.panels]]
        found["columns"] = self.columns or [1] * len(found["layout"][0])
        return {name: plain_data(value) for name, value in found.items()}


class Frames(dict[str, list[Any]]):
    """The values of a mark for each frame, as data for JSON. They are long, so `plain_data` does not convert them again."""


def by_frame(values: Iterable[Any]) -> Frames:
    """Return one value of a mark for each frame of the scene; equal values of consecutive frames are stored once.

    Examples
    --------
    >>> by_frame(["a", "a", "b"])
    {'frames': ['a', 'b'], 'index': [0, 0, 1]}
    """
    distinct: list[Any] = []
    index: list[int] = []
    for value in map(plain_data, values):
        if not distinct or value != distinct[-1]:
            distinct.append(value)
        index.append(len(distinct) - 1)
    return Frames(frames=distinct, index=index)


def points(
    at: Any, colour: Colour, shape: str = "o", *, hollow: bool = False, size: float = 1.0, label: str = ""
) -> Mark:
    """Return a mark for points (n, 2) of the same style."""
    return dict(kind="points", at=at, colour=colour, shape=shape, hollow=hollow, size=size, label=label)


def points_of_class(at: Any, k: int, **style: Any) -> Mark:
    """Return a mark for points (n, 2) of class k, which has one colour and one shape in every demonstration."""
    return points(at, CLASSES[k], SHAPES[k], **style)


def line(
    path: Any, colour: Colour, dash: Sequence[float] = (), *, width: float = 1.0, label: str = "", count: Any = None
) -> Mark:
    """Return a mark for a curve through the rows of a path (n, 2); a row of NaN is a gap. Only the first `count` points are shown.

    The label is written at the last visible point if there is room, otherwise into the legend.
    """
    return dict(kind="line", path=path, colour=colour, dash=dash, width=width, label=label, count=count)


def band(x: Any, low: Any, high: Any) -> np.ndarray:
    """Return the ring between two curves over the same x, for `region`: ``region([band(x, low, high)], colour, 0.2)``.

    Examples
    --------
    >>> band([0, 1], [2, 3], [4, 5]).tolist()
    [[0, 2], [1, 3], [1, 5], [0, 4]]
    """
    return np.concatenate([np.column_stack([x, low]), np.column_stack([x, high])[::-1]])


def learner_line(path: Any, learner: str, variant: int = 0, n_variants: int = 1, **style: Any) -> Mark:
    """Return a mark for a curve in the colour and dash of a classifier; see `lxmls_day1.figures.style`."""
    return line(path, **learner_style(learner, variant, n_variants), **style)


def learner_style(learner: str, variant: int = 0, n_variants: int = 1) -> dict[str, Any]:
    """Return colour and dash of a classifier's lines.

    Examples
    --------
    >>> learner_style("Perceptron")
    {'colour': ('#a6761d', '#d9a86c'), 'dash': (1, 1.2)}
    """
    light, dark = (line_style(learner, variant, n_variants, dark=dark) for dark in (False, True))
    dash = () if light["linestyle"] == "solid" else light["linestyle"][1]
    return {"colour": (light["color"], dark["color"]), "dash": dash}


def region(rings: Any, colour: Colour, opacity: float = 0.3, label: str = "") -> Mark:
    """Return a mark for an area within closed curves; a curve inside another curve is a hole."""
    return {"kind": "region", "rings": rings, "colour": colour, "opacity": opacity, "label": label}


def ellipse(at: Any, half_axes: Any, colour: Colour, *, width: float = 1.0, label: str = "") -> Mark:
    """Return a mark for the curve of an ellipse whose axes are parallel to the panel's axes."""
    return {"kind": "ellipse", "at": at, "half_axes": half_axes, "colour": colour, "width": width, "label": label}


def arrow(
    start: Any, end: Any, colour: Colour, dash: Sequence[float] = (), *, width: float = 1.0, label: str = ""
) -> Mark:
    """Return a mark for an arrow between two points."""
    return {"kind": "arrow", "from": start, "to": end, "colour": colour, "dash": dash, "width": width, "label": label}


def bars(
    extents: Any, colour: Any, *, thickness: float = 0.8, horizontal: bool = False, pattern: str = "", label: str = ""
) -> Mark:
    """Return a mark for bars, each (place, from, to), with one colour or one for each bar; `pattern` is "", "outline" or "light"."""
    style = dict(thickness=thickness, horizontal=horizontal, pattern=pattern, label=label)
    return dict(kind="bars", extents=extents, colour=colour, **style)


def text(at: Any, content: Any, colour: Colour = INK, *, size: float = 1.0, anchor: str = "center") -> Mark:
    """Return a mark for a text at a point; `anchor` is the alignment "left", "center" or "right"."""
    return {"kind": "text", "at": at, "text": content, "colour": colour, "size": size, "anchor": anchor}


def sample_of(learner: str, variant: int = 0, n_variants: int = 1) -> dict[str, Any]:
    """Return a table cell that shows the line of a classifier."""
    return {"line": learner_style(learner, variant, n_variants)}


def signed(number: float, digits: int = 2) -> str:
    """Return a number with its sign.

    Examples
    --------
    >>> signed(-0.5), signed(2, 1), signed(-0.01, 1)
    ('−0.50', '+2.0', '0.0')
    """
    text = f"{number:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]


def plain_data(value: Any) -> Any:
    """Convert a value to lists, strings and rounded numbers. Non-finite numbers become None.

    Examples
    --------
    >>> plain_data({"at": np.array([[1 / 3, np.nan]]), "n": np.int64(2), "yes": np.True_})
    {'at': [[0.33333, None]], 'n': 2, 'yes': True}
    """
    if isinstance(value, float):  # First, because nearly all values are numbers.
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    if isinstance(value, list | tuple | range):
        return [plain_data(item) for item in value]
    if isinstance(value, np.ndarray):
        is_finite = value.dtype == float and np.isfinite(value).all()
        return rounded(value).tolist() if is_finite else plain_data(value.tolist())
    if isinstance(value, np.generic):
        return plain_data(value.item())
    if isinstance(value, Frames):
        return value
    if isinstance(value, Mapping):
        return {key: plain_data(item) for key, item in value.items()}
    if is_dataclass(value):
        return {item.name: plain_data(getattr(value, item.name)) for item in fields(value)}
    return value


def rounded(numbers: np.ndarray) -> np.ndarray:
    """Return finite numbers of any shape, rounded to five significant digits; below 1e-304 to 0.

    Examples
    --------
    >>> rounded(np.array([1 / 3, -200000 / 3, 0.0])).tolist()
    [0.33333, -66667.0, 0.0]
    """
    magnitudes = np.floor(np.log10(np.where(numbers == 0, 1, np.abs(numbers)))).astype(int)
    decimals = np.minimum(_DIGITS - 1 - magnitudes, len(_POWERS_OF_TEN) - 1)
    # Only the division or multiplication by the scale rounds, so the result has no more digits.
    scale = _POWERS_OF_TEN[np.abs(decimals)]
    with np.errstate(over="ignore"):  # A number above 1e154 overflows in the product that is not used.
        return np.asarray(np.where(decimals < 0, np.round(numbers / scale) * scale, np.round(numbers * scale) / scale))
