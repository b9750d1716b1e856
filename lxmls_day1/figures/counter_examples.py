"""A figure of a probe input and a wrong answer: scores before and after a step, paths through a sentence, or boundaries."""

import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lxmls_day1.figures.plotting import BLACK, CENTRED, CLASS_COLOURS, CLASS_MARKERS, GREY, PURPLE

EXPECTED, ACTUAL, BEFORE = BLACK, PURPLE, GREY  # not among the colours of the first classes
MAX_BAR_HEIGHT = 1e300  # the largest value that an axis with margins can show
MAX_BOUNDARY_DISTANCE = 5.0  # maximum distance of a drawn boundary from the points


def plot_steps(probe_input: Mapping[str, Any], expected: Any, actual: Any, ax: Any) -> None:
    """Draw the scores of each class: before the step, after the expected step, and after the student's step.

    Parameters
    ----------
    probe_input : mapping
        The probe input, with "scores", and "‖g(x)‖²" if it is not 1.
    expected, actual : arrays (K,)
        The expected and the actual result of the rule: the multiple of g(x) that is added to the weights of each class.
    ax : matplotlib Axes

    Examples
    --------
    A step of (1, −1) on g(x) with ‖g(x)‖² = 2 moves each score by 2:

    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> _, ax = detached_axes()
    >>> plot_steps({"scores": [0.0, 1.0], "true class": 0, "‖g(x)‖²": 2.0}, [1.0, -1.0], [0.0, 0.0], ax)
    >>> [[float(bar.get_height()) for bar in bars] for bars in ax.containers]
    [[0.0, 1.0], [2.0, -1.0], [0.0, 1.0]]
    """
    scores = np.asarray(probe_input["scores"], float)
    sq_norm = next((float(value) for name, value in probe_input.items() if name.startswith("‖g")), 1.0)
    after = [scores, scores + sq_norm * np.asarray(expected), scores + sq_norm * np.asarray(actual)]
    labels = ["before", "after the expected step", "after yours"]
    for n, (heights, label, colour) in enumerate(zip(after, labels, [BEFORE, EXPECTED, ACTUAL], strict=True)):
        place = np.arange(len(scores)) + 0.28 * (n - 1)
        # A bar of height 0 is visible by its edge and its number.
        style = {"color": colour, "edgecolor": colour, "linewidth": 2, "zorder": 2}
        bars = ax.bar(place, np.clip(heights, -MAX_BAR_HEIGHT, MAX_BAR_HEIGHT), 0.23, label=label, **style)
        ax.bar_label(bars, [f"{height:.3g}".replace("-", "−") for height in heights], padding=4, fontsize="small")
    true_class = probe_input.get("true class")
    names = [f"class {k}{' (true)' if k == true_class else ''}" for k in range(len(scores))]
    ax.set_xticks(range(len(scores)), names)
    ax.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    ax.use_sticky_edges = False  # leaves room for the numbers, also on the side of zero
    ax.margins(y=0.2)
    ax.set_ylabel("score")
    _legend(ax)


def plot_paths(probe_input: Mapping[str, Any], expected: Any, actual: Any, ax: Any) -> None:
    """Draw the tags of each word with their scores, and the expected path and yours through them.

    Parameters
    ----------
    probe_input : mapping
        The first entry that is a matrix (T, K) holds the scores of the tags at each word. "start" and "stop" (K,) stand before and
        behind the words, unless they are zero.
    expected, actual : arrays (T,)
        Numbers of tags.
    ax : matplotlib Axes

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> _, ax = detached_axes()
    >>> plot_paths({"emissions": [[3.0, 0.0], [0.0, 1.0]]}, [0, 0], [0, 1], ax)
    >>> [line.get_label() for line in ax.lines], [text.get_text() for text in ax.texts]
    (['expected', 'yours'], ['3', '0', '0', '1'])
    """
    words = next(np.asarray(value, float) for value in probe_input.values() if np.ndim(value) == 2)
    n_words, n_tags = words.shape
    columns = dict(zip([f"word {t}" for t in range(n_words)], words, strict=True))
    drawn = [name for name in ("start", "stop") if np.any(probe_input.get(name, 0.0))]
    ends = {name: np.asarray(probe_input[name], float) for name in drawn}
    places = {name: t for t, name in enumerate(columns)} | {n: -1 if n == "start" else n_words for n in ends}
    for name, scores in (columns | ends).items():
        for k in range(n_tags):
            box = {"fc": "white", "ec": "none" if name in ends else BEFORE}
            ax.text(places[name], k, f"{scores[k]:g}", bbox=box, zorder=3, **CENTRED)
    # Rings are wider than the boxes, so that a path of one word is visible, too.
    rings = ((expected, "expected", EXPECTED, "o", 34), (actual, "yours", ACTUAL, "s", 40))
    for path, label, colour, marker, size in rings:
        style = {"marker": marker, "markersize": size, "markerfacecolor": "none", "markeredgewidth": 2.5}
        shift = 0.04 if label == "yours" else -0.04
        ax.plot(np.arange(len(path)), np.asarray(path, float) + shift, color=colour, label=label, linewidth=3, **style)
    ax.set_xticks(list(places.values()), list(places))
    ax.set_yticks(range(n_tags), [f"tag {k}" for k in range(n_tags)])
    ax.set(xlim=(min(places.values()) - 0.5, max(places.values()) + 0.5), ylim=(n_tags - 0.3, -0.7))
    _legend(ax, markerscale=0.2)


def plot_boundaries(probe_input: Mapping[str, Any], expected: Any, actual: Any, ax: Any) -> None:
    """Draw the boundary between classes 0 and 1 of the expected weights, and yours.

    For one feature, draw the score of class 1 minus the score of class 0, which is zero at the boundary. For two features, draw the
    boundary in the plane.

    Parameters
    ----------
    probe_input : mapping
        With "points" (M, J) and "classes" (M,), or with "means" (K, J), a row for each class; J is 1 or 2.
    expected, actual : arrays
        Row 0 holds the intercepts. With "points" a weight matrix (J + 1, K), or several (n, J + 1, K), of which the first that
        differ are drawn. With "means" (J + 1, K - 1): what each other class has more than class 0.
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        If both are the same.

    Examples
    --------
    One feature; the difference of the scores is to be x, and is 2 x:

    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> _, ax = detached_axes()
    >>> expected = [[[0.0, 0.0], [0.0, 1.0]]]
    >>> plot_boundaries({"points": [[-1.0], [1.0]], "classes": [0, 1]}, expected, 2 * np.array(expected), ax)
    >>> [line.get_ydata().tolist() for line in ax.lines if line.get_label() in ("expected", "yours")]
    [[-2.0, 2.0], [-4.0, 4.0]]
    """
    of_means = "means" in probe_input
    points = np.asarray(probe_input["means" if of_means else "points"], float)
    classes = np.arange(len(points)) if of_means else np.asarray(probe_input["classes"])
    expected, actual = np.asarray(expected, float), np.asarray(actual, float)
    leads = [np.atleast_2d(w[..., 0] if of_means else w[..., 1] - w[..., 0]) for w in (expected, actual)]
    pair = next(([right, yours] for right, yours in zip(*leads, strict=True) if not np.allclose(right, yours)), None)
    if pair is None:
        raise ValueError("the same weights")
    places = np.column_stack([points, np.zeros(len(points))])[:, :2]
    feet = [_nearest_point(lead, places) for lead in pair]
    low, high = np.min([*places, *feet], axis=0) - 1.0, np.max([*places, *feet], axis=0) + 1.0
    if points.shape[1] == 1:
        x = np.array([low[0], high[0]])
        lines = [(x, intercept + slope * x) for intercept, slope in pair]
        ax.axhline(0.0, color=GREY, linewidth=0.8)
        ax.set_ylabel("score 1 − score 0")
    else:
        lines = [_boundary(*lead) for lead in pair]
        if np.allclose(lines[0], lines[1]):
            raise ValueError("the same boundary")
        ax.set(ylim=(low[1], high[1]), ylabel="feature 2")
    for line, label, colour, style in zip(lines, ["expected", "yours"], [EXPECTED, ACTUAL], ["-", "--"], strict=True):
        ax.plot(*line, style, color=colour, label=label)
    for label in np.unique(classes):
        name = f"{'mean of ' if of_means else ''}class {label}"
        ax.plot(*places[classes == label].T, CLASS_MARKERS[label], color=CLASS_COLOURS[label], label=name)
    ax.set(xlim=(low[0], high[0]), xlabel="feature 1")
    ax.locator_params(nbins=5)
    _legend(ax)


def _legend(ax: Any, **style: Any) -> None:
    """Draw a legend above the axes, where it covers nothing."""
    ax.figure.legend(loc="outside upper center", ncols=4, fontsize="small", frameon=False, columnspacing=1.2, **style)


def _nearest_point(lead: Any, places: Any) -> Any:
    """Return the point of a boundary that is nearest to the centre of the points, or a point on the way to it if it is far."""
    middle, normal = places.mean(axis=0), np.append(lead[1:], 0.0)[:2]
    squared = float(normal @ normal) or 1.0
    way = -(lead[0] + normal @ middle) / squared * normal
    return middle + way * min(1.0, MAX_BOUNDARY_DISTANCE / (float(np.linalg.norm(way)) or 1.0))


def _boundary(intercept: float, slope: float, slope_2: float) -> tuple[Any, Any]:
    """Return the two ends of a long piece of the line on which intercept + slope x + slope_2 y is zero."""
    squared = slope**2 + slope_2**2
    if not squared:
        raise ValueError("no boundary")
    sign = 1.0 if (slope, slope_2) > (0.0, 0.0) else -1.0  # gives the same ends for the same line
    along = sign * 99.0 / np.sqrt(squared) * np.array([-1.0, 1.0])
    return -intercept * slope / squared - along * slope_2, -intercept * slope_2 / squared + along * slope


#: The values of ``counter_example`` of an exercise.
PLOTS: dict[str, Callable[[Mapping[str, Any], Any, Any, Any], None]] = {
    "steps": plot_steps,
    "paths": plot_paths,
    "boundaries": plot_boundaries,
}


def render_png(kind: str, probe_input: Mapping[str, Any], expected: Any, actual: Any, dpi: int = 100) -> bytes | None:
    """Return a PNG of a counter-example, or None if it cannot be drawn.

    It cannot be drawn if the answers have a wrong shape or type, are too large for axes, or look the same.

    Parameters
    ----------
    kind : str
        One of `PLOTS`.
    probe_input : mapping
    expected, actual : arrays of numbers
    dpi : int, optional
        The resolution; the picture is 5.6 inches wide.

    Returns
    -------
    bytes or None

    Examples
    --------
    >>> render_png("steps", {"scores": [0.0, 1.0]}, [1.0, -1.0], [0.0, 0.0])[1:4]
    b'PNG'
    >>> render_png("steps", {"scores": [0.0, 1.0]}, [1.0, -1.0], [0.0]) is None
    True
    """
    from matplotlib.figure import Figure

    if np.shape(expected) != np.shape(actual) or not all(
        np.issubdtype(np.asarray(a).dtype, np.number) for a in (expected, actual)
    ):
        return None
    if not (np.all(np.isfinite(expected)) and np.all(np.isfinite(actual))):
        return None
    figure = Figure(figsize=(5.6, 2.8), layout="constrained")
    file = io.BytesIO()
    try:
        with np.errstate(all="ignore"):  # overflow is ignored here, because matplotlib refuses axes that are not finite
            PLOTS[kind](probe_input, expected, actual, figure.add_subplot())
            figure.savefig(file, format="png", dpi=dpi)
    except (KeyError, ValueError, IndexError, StopIteration, TypeError, OverflowError):
        return None
    return file.getvalue()
