"""What a figure shows, as numbers and as a few lines of text: so that a picture can be compared and read aloud.

Two pictures of the same data are hardly ever equal byte for byte (fonts, versions), and a wrong line in one is easily
overlooked. So a figure of a notebook carries what it plots: `record_figures` has IPython put beside the image the data
(`figure_data`, under a type of its own) and a description in words (`describe`). `differences` compares two such
records, and counts as different what the eye could see.
"""

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

from lxmls_day1.errors import counted
from lxmls_day1.figures.style import CONNECTOR

MIME_TYPE = "application/vnd.lxmls-day1.figure+json"

_MOST_POINTS = 40  # of one line; of a longer one as many are recorded, evenly spaced, with the sums of all
_DIGITS = 5  # significant ones
_TOLERANCE = 2e-3  # of the length of an axis
_DPI = 72


def record_figures(shell: Any = None) -> None:
    """Have every figure that this notebook shows carry its data.

    Parameters
    ----------
    shell : IPython shell, optional
        The running one unless given; outside IPython nothing happens.

    Examples
    --------
    In a notebook it is called once, before the first figure. Outside IPython nothing happens:

    >>> record_figures()
    """
    if shell is None and "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
    if shell is None:
        return
    from matplotlib import pyplot, rcParams
    from matplotlib.figure import Figure

    shell.run_line_magic("matplotlib", "inline")
    pyplot.uninstall_repl_displayhook()  # it draws every figure after a cell, and the inline backend then draws it again
    rcParams.update({"figure.dpi": _DPI, "font.size": 14, "lines.linewidth": 2.5, "legend.frameon": False})
    shell.display_formatter.mimebundle_formatter.for_type(Figure, as_mime_bundle)


def as_mime_bundle(fig: Any, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Data and description of a figure by media type, as IPython asks for them, and the alternative text of its image.

    The image itself comes from matplotlib.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = detached_axes()
    >>> _ = axis.set_title("errors")
    >>> data, about = as_mime_bundle(fig)
    >>> sorted(data), about
    (['application/vnd.lxmls-day1.figure+json', 'text/plain'], {'image/png': {'alt': 'Figure: errors'}})
    """
    return {MIME_TYPE: figure_data(fig), "text/plain": describe(fig)}, {"image/png": {"alt": alternative_text(fig)}}


def figure_data(fig: Any) -> dict[str, Any]:
    """All that a figure plots.

    Parameters
    ----------
    fig : matplotlib Figure

    Returns
    -------
    dict
        Of numbers, strings, lists and dicts only. ``axes`` holds for each pair of axes its title, labels, scales and
        limits, and its ``artists``: lines and points, bars, areas, images, texts, each with label, colour and
        coordinates of 5 significant digits.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = detached_axes()
    >>> line, = axis.plot([0, 1], [2, 4], label="rising", color="black")
    >>> figure_data(fig)["axes"][0]["artists"]
    [{'kind': 'line', 'label': 'rising', 'style': '#000000 - None', 'x': [0.0, 1.0], 'y': [2.0, 4.0]}]
    """
    return {"axes": [_axes_data(ax) for ax in fig.axes if ax.get_visible()]}


def describe(fig: Any) -> str:
    """What a figure shows, in a few lines of text.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = detached_axes()
    >>> line, = axis.plot([0, 1], [2, 4], label="rising")
    >>> print(describe(fig))
    Figure
      rising: from (0, 2) to (1, 4)
    """
    lines = []
    for axes in figure_data(fig)["axes"]:
        lines.append(" ".join(["Figure", *axes["title"].split()]))
        if axes["xlabel"] and axes["ylabel"]:
            lines[-1] += f" ({axes['xlabel']} → {axes['ylabel']})"
        lines += [f"  {text}" for text in map(_described, axes["artists"]) if text]
        bars = [artist for artist in axes["artists"] if artist["kind"] == "bar"]
        if bars:
            side = "height" if len({bar["height"][0] for bar in bars}) > 1 else "width"  # whichever differs
            lines.append("  bars: " + ", ".join(f"{bar[side][0]:.3g}" for bar in bars))
    return "\n".join(lines)


def alternative_text(fig: Any) -> str:
    """What a figure is about, in one line: for those who do not see it, and for pages that cannot show it.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = detached_axes()
    >>> line, = axis.plot([0, 1], [2, 4], label="MIRA")
    >>> _ = axis.set(title="errors", xlabel="rounds", ylabel="error")
    >>> alternative_text(fig)
    'Figure: errors (rounds → error): MIRA'
    """
    parts = []
    for axes in figure_data(fig)["axes"]:
        around = [" ".join(axes["title"].split())]
        if axes["xlabel"] and axes["ylabel"]:
            around.append(f"({axes['xlabel']} → {axes['ylabel']})")
        drawn = dict.fromkeys(" ".join(artist["label"].split()) for artist in axes["artists"] if artist["label"])
        parts.append(": ".join(filter(None, (" ".join(filter(None, around)), ", ".join(drawn)))))
    return "Figure: " + "; ".join(filter(None, parts))


def differences(expected: dict[str, Any], got: dict[str, Any]) -> list[str]:
    """The differences between two figures that are large enough to be seen.

    Parameters
    ----------
    expected, got : dict
        As `figure_data` returns them, also by way of JSON.

    Returns
    -------
    list of str
        A sentence for each difference; none if the figures are alike. Coordinates count as different when they are
        farther apart than a five-hundredth of their axis.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> def figure(end):
    ...     fig, axis = detached_axes()
    ...     _ = axis.set(xlim=(0, 1), ylim=(0, 1))
    ...     axis.plot([0, 1], [0, end], label="MIRA", color="black")
    ...     return figure_data(fig)
    >>> differences(figure(0.8), figure(0.8001))
    []
    >>> differences(figure(0.8), figure(0.7))
    ["axes 1, line 'MIRA': y is 0.7 instead of 0.8 (number 2 of 2)"]
    """
    expected_axes, got_axes = expected["axes"], got["axes"]
    if len(expected_axes) != len(got_axes):
        return [f"{len(got_axes)} {'axis' if len(got_axes) == 1 else 'axes'} instead of {len(expected_axes)}"]
    return [
        f"axes {number}, {difference}"
        for number, (wanted, present) in enumerate(zip(expected_axes, got_axes, strict=True), start=1)
        for difference in _axes_differences(wanted, present)
    ]


def _axes_data(ax: Any) -> dict[str, Any]:
    return {
        "title": ax.get_title() or ax.get_title("left"),
        "xlabel": ax.get_xlabel(),
        "ylabel": ax.get_ylabel(),
        "xscale": ax.get_xscale(),
        "yscale": ax.get_yscale(),
        "xlim": _rounded(ax.get_xlim()),
        "ylim": _rounded(ax.get_ylim()),
        "legend": [text.get_text() for text in legend.get_texts()] if (legend := ax.get_legend()) else [],
        "artists": [data for artist in ax.get_children() if (data := _artist_data(ax, artist))],
    }


def _artist_data(ax: Any, artist: Any) -> dict[str, Any] | None:
    import numpy as np
    from matplotlib.collections import Collection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.spines import Spine
    from matplotlib.text import Text

    titles = (ax.title, ax._left_title, ax._right_title)
    if not artist.get_visible() or artist is ax.patch or artist in titles or isinstance(artist, Spine):
        return None
    label = str(artist.get_label())
    if label == CONNECTOR:  # where it ends is known from its text
        return None
    entry = {"kind": "", "label": "" if label.startswith("_") else label}
    if isinstance(artist, Line2D):
        style = f"{_hex(artist.get_color())} {artist.get_linestyle()} {artist.get_marker()}"
        return entry | {"kind": "line", "style": style} | _points(artist.get_xdata(), artist.get_ydata())
    if isinstance(artist, Rectangle):
        x, y = artist.get_xy()
        size = {"width": _rounded([artist.get_width()]), "height": _rounded([artist.get_height()])}
        position = {"x": _rounded([x]), "y": _rounded([y])}
        return entry | {"kind": "bar", "style": _hex(artist.get_facecolor())} | position | size
    if isinstance(artist, Patch):
        x, y = np.asarray(artist.get_path().vertices).T
        return entry | {"kind": "area", "style": _hex(artist.get_facecolor())} | _points(x, y)
    if isinstance(artist, AxesImage):
        return entry | {"kind": "image", "z": _sampled(artist.get_array())}
    if isinstance(artist, Collection):
        offsets = np.asarray(artist.get_offsets())
        points = offsets.T if len(offsets) > 1 or not artist.get_paths() else _vertices(artist)
        values = artist.get_array()
        coloured = {} if values is None else {"z": _sampled(values)}
        colours = [_hex(colour) for colour in artist.get_facecolor()[:8]]
        return entry | {"kind": "collection", "style": " ".join(colours)} | _points(*points) | coloured
    if isinstance(artist, Text) and artist.get_text():
        x, y = (artist.xy if hasattr(artist, "xy") else artist.get_position())[:2]
        return entry | {"kind": "text", "label": artist.get_text(), "x": _rounded([x]), "y": _rounded([y])}
    return None


def _vertices(collection: Any) -> Any:
    import numpy as np

    return np.concatenate([path.vertices for path in collection.get_paths()]).T


def _hex(colour: Any) -> str:
    from matplotlib.colors import to_hex

    return to_hex(colour)


def _points(x: Any, y: Any) -> dict[str, Any]:
    """Coordinates, all of them or enough to notice a change, and then the sums of all as well."""
    import numpy as np

    x, y = np.asarray(x, dtype=float).ravel(), np.asarray(y, dtype=float).ravel()
    if len(x) <= _MOST_POINTS:
        return {"x": _rounded(x), "y": _rounded(y)}
    chosen = np.linspace(0, len(x) - 1, _MOST_POINTS).round().astype(int)
    means = {"mean": _rounded([np.nanmean(x), np.nanmean(y)]), "length": len(x)}
    return {"x": _rounded(x[chosen]), "y": _rounded(y[chosen])} | means


def _sampled(values: Any) -> list[float | None]:
    import numpy as np

    values = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel()
    chosen = np.linspace(0, len(values) - 1, min(len(values), 4 * _MOST_POINTS)).round().astype(int)
    return _rounded(values[chosen])


def _rounded(values: Any) -> list[float | None]:
    return [float(f"{value:.{_DIGITS}g}") + 0.0 if math.isfinite(value) else None for value in map(float, values)]


def _described(artist: dict[str, Any]) -> str:
    kind, label = artist["kind"], " ".join(artist["label"].split())
    if kind == "text":
        return label
    if not label or kind not in ("line", "collection"):
        return ""
    x, y = artist["x"], artist["y"]
    known = [i for i, (a, b) in enumerate(zip(x, y, strict=True)) if a is not None and b is not None]
    if not known:
        return f"{label}: nothing in view"
    number = artist.get("length", len(known))
    if kind == "collection" or artist["style"].split()[1] == "None":
        return f"{label}: {number} point{'s' * (number != 1)}"
    ends = [f"({x[i]:.3g}, {y[i]:.3g})" for i in (known[0], known[-1])]
    return f"{label}: from {ends[0]} to {ends[1]}" + (f", {number} points" if number > 2 else "")


def _axes_differences(expected: dict[str, Any], got: dict[str, Any]) -> Iterator[str]:
    for key in ("title", "xlabel", "ylabel", "xscale", "yscale", "legend"):
        if not _alike(expected[key], got[key]):
            yield f"{key} is {got[key]!r} instead of {expected[key]!r}"
    near_x, near_y = (_nearness(expected[f"{axis}lim"], expected[f"{axis}scale"]) for axis in "xy")
    for key, near in (("xlim", near_x), ("ylim", near_y)):
        yield from _number_differences(key, expected[key], got[key], near)
    if len(expected["artists"]) != len(got["artists"]):
        yield f"{len(got['artists'])} lines, bars and so on instead of {len(expected['artists'])}"
        return
    nearness = {"x": near_x, "width": near_x, "y": near_y, "height": near_y, "z": _near_values}
    for wanted, present in zip(expected["artists"], got["artists"], strict=True):
        name = f"{wanted['kind']} {wanted['label']!r}"
        for key in ("kind", "label", "style", "length"):
            if not _alike(wanted.get(key), present.get(key)):
                yield f"{name}: {key} is {present.get(key)!r} instead of {wanted.get(key)!r}"
        if "mean" in wanted and "mean" in present:
            for i, near in enumerate((near_x, near_y)):
                pair = wanted["mean"][i : i + 1], present["mean"][i : i + 1]
                yield from _number_differences(f"{name}: mean {'xy'[i]}", *pair, near)
        for key, near in nearness.items():
            if key in wanted:
                yield from _number_differences(f"{name}: {key}", wanted[key], present.get(key, []), near)


def _number_differences(
    what: str, expected: list[float | None], got: list[float | None], near: Callable[[float, float], bool]
) -> Iterator[str]:
    if len(expected) != len(got):
        yield f"{what}: {counted(len(got), 'number')} instead of {len(expected)}"
        return
    for i, (wanted, present) in enumerate(zip(expected, got, strict=True), start=1):
        alike = wanted is present if wanted is None or present is None else near(wanted, present)
        if not alike:
            yield f"{what} is {present} instead of {wanted} (number {i} of {len(expected)})"
            return


def _nearness(limits: list[float], scale: str) -> Callable[[float, float], bool]:
    """Whether two coordinates on an axis look the same."""
    low, high = limits
    if scale == "log":
        span = abs(math.log(high / low))
        return lambda a, b: a == b or (a > 0 and b > 0 and abs(math.log(a / b)) <= _TOLERANCE * span)
    return lambda a, b: abs(a - b) <= _TOLERANCE * abs(high - low)


def _near_values(a: float, b: float) -> bool:
    return abs(a - b) <= _TOLERANCE * max(1e-6, abs(a))


def _alike(expected: Any, got: Any) -> bool:
    """Equal, or texts that differ in numbers by no more than rounding does."""
    from lxmls_day1.figures.number_tolerance import same_text

    if isinstance(expected, str) and isinstance(got, str):
        return same_text(expected, got)
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return all(map(_alike, expected, got))
    return bool(expected == got)
