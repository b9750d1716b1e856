"""One colour and one dash for each classifier, the same in every figure and different from the colours of the classes.

A figure that draws boundaries or curves of several classifiers calls `line_style` with their names. Points have the colours of
their classes (`lxmls_day1.figures.plotting.CLASS_COLOURS`). Black, or white on a dark background, is the Bayes-optimal classifier.
Several settings of one classifier share its hue and fade towards the background.
"""

import functools
from typing import Any, NamedTuple

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.learner_list import reference_listings


class Style(NamedTuple):
    """The colours and the dash of a classifier's lines.

    Examples
    --------
    Black on a light background, white on a dark one, and without gaps:

    >>> known_styles()["bayes"]
    Style(light='#000000', dark='#FFFFFF', dash=())
    """

    light: str
    """Colour on a light background."""
    dark: str
    """Colour on a dark background."""
    dash: tuple[float, ...]
    """On and off lengths in line widths; solid if empty."""


@functools.cache
def known_styles() -> dict[str, Style]:
    """Return a style for each prefix of a classifier's name, in lower case. The longest prefix that matches is used."""
    styles = {row.name.lower(): Style(*row.colours, row.dash) for row in reference_listings() if row.colours}
    aliases = {"naive bayes": "multinomial naive bayes", "maximum entropy online": "maximum entropy, online"}
    styles |= {alias: styles[name] for alias, name in aliases.items() if name in styles}
    return {"bayes": Style("#000000", "#FFFFFF", ()), **styles}


# Abbreviations of names in figures with little room.
_FULL_NAME_OF_ABBREVIATION = {"max. ": "maximum ", "nb,": "naive bayes,", " (online)": ", online"}
TRAINING = "#8FA3B0"  # a curve on training data, next to the classifier's curve on other data
CONNECTOR = "_connector"  # name of the thin lines that connect a curve's end with its label
_MAX_FADE, _MAX_FADE_ON_DARK = 0.6, 0.4  # shares of the way to the background
_MAX_TEXT_LUMINANCE = 0.18  # relative luminance with a contrast of 4.5 to white, as needed for small text


def is_known(name: str) -> bool:
    """Return True if a name begins with the name of a classifier.

    Examples
    --------
    >>> is_known("MIRA, λ = 10"), is_known("round 5")
    (True, False)
    """
    return _matching_name(name) is not None


def line_style(name: str, variant: int = 0, n_variants: int = 1, *, dark: bool = False) -> dict[str, Any]:
    """Return colour and dash of a classifier's lines, as keyword arguments of matplotlib's ``plot``.

    Parameters
    ----------
    name : str
        A name that begins with the name of the classifier, in any case: ``"MIRA, λ = 10"``.
    variant, n_variants : int
        The index of this setting among several settings of the same classifier, from 0, and their number; the last is the
        faintest.
    dark : bool
        Whether the background is dark.

    Returns
    -------
    dict
        ``color`` and ``linestyle``.

    Raises
    ------
    InputError
        If no classifier has this name.

    Examples
    --------
    >>> line_style("Perceptron")
    {'color': '#a6761d', 'linestyle': (0, (1, 1.2))}
    >>> line_style("perceptron, 20 rounds", 1, 2)["color"]
    '#dbc8a5'
    >>> line_style("Perceptron", dark=True)["color"]
    '#d9a86c'
    """
    from matplotlib.colors import to_hex, to_rgb

    known = _matching_name(name)
    if known is None:
        raise InputError(f"no classifier is called {name!r}; there are: {', '.join(known_styles())}.")
    light, bright, dash = known_styles()[known]
    faintest, ground = (_MAX_FADE_ON_DARK, 0.0) if dark else (_MAX_FADE, 1.0)
    fainter = faintest * variant / max(1, n_variants - 1)
    red, green, blue = (part + fainter * (ground - part) for part in to_rgb(bright if dark else light))
    return {"color": to_hex((red, green, blue)), "linestyle": (0, dash) if dash else "solid"}


def label_ends(ax: Any, min_gap: float = 0.055) -> None:
    """Write the label of every line at its right end, instead of a legend, so that lines that coincide can be distinguished.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes with labelled lines, whose limits are final.
    min_gap : float
        The minimum distance of two labels, as a share of the height of the axes.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = detached_axes()
    >>> for name in ("MIRA", "SVM"):
    ...     line, = axis.plot([0, 1], [0.5, 0.5], label=name)
    >>> label_ends(axis)
    >>> [text.get_text() for text in axis.texts]
    ['MIRA', 'SVM']
    """
    from matplotlib.lines import Line2D

    named = []
    for line in ax.lines:
        if line.get_label().startswith("_") or not len(line.get_xdata()):
            continue
        end = ax.transLimits.transform(ax.transScale.transform((line.get_xdata()[-1], line.get_ydata()[-1])))
        named.append((float(end[1]), min(float(end[0]), 1.0), line))
    height = -1.0
    for end, across, line in sorted(named, key=lambda entry: entry[0]):
        height = max(end, height + min_gap)
        ax.annotate(
            line.get_label(), (across, end), (1.03, height), xycoords="axes fraction", textcoords="axes fraction",
            color=legible(line.get_color()), va="center", annotation_clip=False,
        )  # fmt: skip
        line_style = {"color": line.get_color(), "linewidth": 0.8, "clip_on": False, "label": CONNECTOR}
        ax.add_artist(Line2D([across, 1.025], [end, height], transform=ax.transAxes, **line_style))


def luminance(colour: Any) -> float:
    """Return the relative luminance of a colour, from 0 (black) to 1 (white), which is used to compute contrasts.

    Examples
    --------
    >>> luminance("black"), luminance("white"), round(luminance("#00f"), 4)
    (0.0, 1.0, 0.0722)
    """
    from matplotlib.colors import to_rgb

    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


def legible(colour: Any) -> tuple[float, ...]:
    """Return a colour, darkened as much as a text on white needs to be legible.

    Examples
    --------
    >>> legible("black"), legible("white")[0] < 0.5
    ((0.0, 0.0, 0.0), True)
    """
    from matplotlib.colors import to_rgb

    bright = luminance(colour)
    share = min(1.0, (_MAX_TEXT_LUMINANCE / bright) ** (1 / 2.2)) if bright else 1.0
    return tuple(share * part for part in to_rgb(colour))


def _matching_name(name: str) -> str | None:
    name = name.lower()
    for short, full in _FULL_NAME_OF_ABBREVIATION.items():
        name = name.replace(short, full)
    fitting = [known for known in known_styles() if name.startswith(known)]
    return max(fitting, key=len, default=None)
