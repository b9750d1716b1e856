"""One colour and one dash for each classifier, in every figure: never the colour of a class.

A figure that draws boundaries or curves of several classifiers asks `line_style` by their names. Points keep the colours of
their classes (`lxmls_day1.figures.plotting.CLASS_COLOURS`); black, or white on a dark ground, is the best classifier there is. Several
settings of one classifier share its hue and fade towards the ground.
"""

import functools
from typing import Any, NamedTuple

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.learner_list import reference_listings


class Style(NamedTuple):
    """How a classifier's lines look.

    Examples
    --------
    Black on a light ground, white on a dark one, and without gaps:

    >>> known_styles()["bayes"]
    Style(light='#000000', dark='#FFFFFF', dash=())
    """

    light: str
    """Colour on a light ground."""
    dark: str
    """Colour on a dark ground."""
    dash: tuple[float, ...]
    """On and off lengths in line widths; solid if there are none."""


@functools.cache
def known_styles() -> dict[str, Style]:
    """Return a style for each beginning of a classifier's name, in small letters. The longest one that fits counts."""
    styles = {row.name.lower(): Style(*row.colours, row.dash) for row in reference_listings() if row.colours}
    aliases = {"naive bayes": "multinomial naive bayes", "maximum entropy online": "maximum entropy, online"}
    styles |= {alias: styles[name] for alias, name in aliases.items() if name in styles}
    return {"bayes": Style("#000000", "#FFFFFF", ()), **styles}


_SHORT = {
    "max. ": "maximum ",
    "nb,": "naive bayes,",
    " (online)": ", online",
}  # how names are shortened where there is little room
TRAINING = "#8FA3B0"  # a curve on training data, beside the classifier's own on other data
CONNECTOR = "_connector"  # label of the lines from the ends of curves to their labels
_FAINTEST, _FAINTEST_IN_THE_DARK = 0.6, 0.4  # of the way to the ground, which swallows more if it is dark
_BRIGHTEST_TEXT = 0.18  # relative luminance: contrast 4.5 to white, which small text wants


def is_known(name: str) -> bool:
    """Whether a name begins like that of a classifier.

    Examples
    --------
    >>> is_known("MIRA, λ = 10"), is_known("round 5")
    (True, False)
    """
    return _known(name) is not None


def line_style(name: str, variant: int = 0, of: int = 1, *, dark: bool = False) -> dict[str, Any]:
    """Colour and dash of a classifier's lines, as keyword arguments of matplotlib's ``plot``.

    Parameters
    ----------
    name : str
        Begins with the name of the classifier, in small or capital letters: ``"MIRA, λ = 10"``.
    variant, of : int
        Which of several settings of the same classifier this is, counted from 0, and how many there are: the last is the
        faintest.
    dark : bool
        Whether the ground is dark.

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

    known = _known(name)
    if known is None:
        raise InputError(f"no classifier is called {name!r}; there are: {', '.join(known_styles())}.")
    light, bright, dash = known_styles()[known]
    faintest, ground = (_FAINTEST_IN_THE_DARK, 0.0) if dark else (_FAINTEST, 1.0)
    fainter = faintest * variant / max(1, of - 1)
    red, green, blue = (part + fainter * (ground - part) for part in to_rgb(bright if dark else light))
    return {"color": to_hex((red, green, blue)), "linestyle": (0, dash) if dash else "solid"}


def label_ends(ax: Any, least_gap: float = 0.055) -> None:
    """Write the label of every line at its right end, in place of a legend: lines that coincide are told apart there.

    Parameters
    ----------
    ax : matplotlib Axes
        With lines that have labels; its limits are as they are to be.
    least_gap : float
        Between two labels, as a share of the height of the axes.

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
        height = max(end, height + least_gap)
        ax.annotate(
            line.get_label(), (across, end), (1.03, height), xycoords="axes fraction", textcoords="axes fraction",
            color=_legible(line.get_color()), va="center", annotation_clip=False,
        )  # fmt: skip
        line_style = {"color": line.get_color(), "linewidth": 0.8, "clip_on": False, "label": CONNECTOR}
        ax.add_artist(Line2D([across, 1.025], [end, height], transform=ax.transAxes, **line_style))


def luminance(colour: Any) -> float:
    """The relative luminance of a colour, from 0 (black) to 1 (white), by which contrasts are reckoned.

    Examples
    --------
    >>> luminance("black"), luminance("white"), round(luminance("#00f"), 4)
    (0.0, 1.0, 0.0722)
    """
    from matplotlib.colors import to_rgb

    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


def _legible(colour: Any) -> tuple[float, ...]:
    """A colour, darkened as far as a text of it on white needs to be read."""
    from matplotlib.colors import to_rgb

    bright = luminance(colour)
    share = min(1.0, (_BRIGHTEST_TEXT / bright) ** (1 / 2.2)) if bright else 1.0
    return tuple(share * part for part in to_rgb(colour))


def _known(name: str) -> str | None:
    name = name.lower()
    for short, full in _SHORT.items():
        name = name.replace(short, full)
    fitting = [known for known in known_styles() if name.startswith(known)]
    return max(fitting, key=len, default=None)
