"""A short text description of a figure, so that figures can be compared and read aloud.

Two images of the same data are rarely equal byte for byte (fonts, versions). So `record_figures` makes IPython store a description in
words (`describe`) with the image of each figure, and an alternative text of the image.
"""

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.figures.style import CONNECTOR

_MAX_POINTS_WITH_GAPS = 40  # up to this number of points of a line, NaN gaps are not counted as points
# Of notebooks and gallery.
STYLE: Any = {"figure.dpi": 72, "font.size": 14, "lines.linewidth": 2.5, "legend.frameon": False}


class _Artist(NamedTuple):
    """A line, points, a bar or a text of a figure."""

    kind: str
    label: str
    x: Any = ()
    y: Any = ()


def record_figures(shell: Any = None) -> None:
    """Make every figure that this notebook shows carry its description.

    Parameters
    ----------
    shell : IPython shell, optional
        Default: the running shell. Outside IPython nothing happens.

    Examples
    --------
    In a notebook, call it once before the first figure. Outside IPython nothing happens:

    >>> record_figures()
    """
    if shell is None and "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
    if shell is None:
        return
    from matplotlib import pyplot, rcParams
    from matplotlib.figure import Figure

    shell.run_line_magic("matplotlib", "inline")
    pyplot.uninstall_repl_displayhook()  # it draws every figure after a cell, and the inline backend draws it again
    rcParams.update(STYLE)
    shell.display_formatter.mimebundle_formatter.for_type(Figure, as_mime_bundle)


def as_mime_bundle(fig: Any, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the description of a figure by media type, in the form that IPython needs, and the alternative text of its image.

    The image itself comes from matplotlib.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = detached_axes()
    >>> _ = axis.set_title("errors")
    >>> data, about = as_mime_bundle(fig)
    >>> data, about
    ({'text/plain': 'Figure errors'}, {'image/png': {'alt': 'Figure: errors'}})
    """
    return {"text/plain": describe(fig)}, {"image/png": {"alt": alternative_text(fig)}}


def describe(fig: Any) -> str:
    """Return a few lines of text that describe the content of a figure.

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
    for ax in filter(lambda ax: ax.get_visible(), fig.axes):
        lines.append(" ".join(["Figure", *_title_and_labels(ax)]))
        drawn = list(_artists_in(ax))
        lines += [f"  {text}" for text in map(_describe_artist, drawn) if text]
        bars = [one for one in drawn if one.kind == "bar"]
        if bars:
            heights, widths = (
                [f"{size:.3g}" for size in sizes] for sizes in zip(*((bar.y, bar.x) for bar in bars), strict=True)
            )
            lines.append("  bars: " + ", ".join(heights if len(set(heights)) > 1 else widths))  # horizontal bars
    return "\n".join(lines)


def alternative_text(fig: Any) -> str:
    """Return one line about the content of a figure, for readers who cannot see it and for pages that cannot show it.

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
    for ax in filter(lambda ax: ax.get_visible(), fig.axes):
        labels = dict.fromkeys(" ".join(one.label.split()) for one in _artists_in(ax) if one.label)
        parts.append(": ".join(filter(None, (" ".join(_title_and_labels(ax)), ", ".join(labels)))))
    return "Figure: " + "; ".join(filter(None, parts))


def _title_and_labels(ax: Any) -> list[str]:
    """Return the words of the title. If both axes have labels, append one string with both, as in ``(λ → accuracy)``."""
    title = (ax.get_title() or ax.get_title("left")).split()
    labels = ax.get_xlabel(), ax.get_ylabel()
    return [*title, f"({labels[0]} → {labels[1]})"] if all(labels) else title


def _artists_in(ax: Any) -> Iterator[_Artist]:
    from matplotlib.collections import Collection, PathCollection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.spines import Spine
    from matplotlib.text import Text

    titles = (ax.title, ax._left_title, ax._right_title)
    for artist in ax.get_children():
        label = str(artist.get_label())
        if not artist.get_visible() or artist is ax.patch or artist in titles or label == CONNECTOR:
            continue
        label = "" if label.startswith("_") else label
        if isinstance(artist, Line2D):
            kind = "points" if artist.get_linestyle() == "None" else "line"
            yield _Artist(kind, label, *np.asarray(artist.get_xydata(), dtype=float).T)
        elif isinstance(artist, Rectangle):
            yield _Artist("bar", label, artist.get_width(), artist.get_height())
        elif isinstance(artist, Collection):
            points = np.asarray(artist.get_offsets(), dtype=float)
            if len(points) == 1 and artist.get_paths() and not isinstance(artist, PathCollection):  # a filled area
                points = np.concatenate([path.vertices for path in artist.get_paths()])
            yield _Artist("points", label, *points.T)
        elif isinstance(artist, Text) and artist.get_text():
            yield _Artist("text", artist.get_text())
        elif isinstance(artist, Patch | AxesImage) and not isinstance(artist, Spine):
            yield _Artist("other", label)


def _describe_artist(artist: _Artist) -> str:
    label = " ".join(artist.label.split())
    if artist.kind == "text":
        return label
    if not label or artist.kind not in ("line", "points"):
        return ""
    known = np.flatnonzero(np.isfinite(artist.x) & np.isfinite(artist.y))
    if not len(known):
        return f"{label}: nothing in view"
    number = len(known) if len(artist.x) <= _MAX_POINTS_WITH_GAPS else len(artist.x)
    if artist.kind == "points":
        return f"{label}: {number} point{'s' * (number != 1)}"
    ends = [f"({artist.x[i]:.3g}, {artist.y[i]:.3g})" for i in (known[0], known[-1])]
    return f"{label}: from {ends[0]} to {ends[1]}" + (f", {number} points" if number > 2 else "")
