"""The lattice of a sentence as a figure: a column of nodes for each word, a row for each tag, scores on nodes and
edges.

A tag sequence is a path from left to right, and its score is the sum of the scores of its nodes and edges. Viterbi's search finds
the path with the highest score. The figure shows it as a thick line, and the true path, if known, as a dashed line.
If the lattice before an update is passed, too, the change of each score is shown next to it.

`lattice` computes the content of the figure, and `plot_lattice` draws it. The scores are those of
``classifiers.structured.viterbi.ChainScores``.
"""

from collections.abc import Sequence
from itertools import pairwise
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import BLUE, CENTRED, FRAMELESS, VERMILION, axes_for

_MAX_ROWS_WITH_ALL_SCORES = 5  # with more rows, only the edges of the two paths get scores
_MAX_ROWS_WITH_LARGE_SCORES = 2  # up to this number of rows there is room for larger scores
_NODE_SIZE, _EDGE_SIZE, _WORD_SIZE, _TITLE_SIZE = 16, 10, 20, 19  # points
_LIGHT, _FAINT, _INK = "0.80", "0.40", "0.10"  # greys
_CHANGE_BACKGROUND = "#F8E9A1"  # background of scores that an update has changed
_CHANGED_EDGE = "#D9B92E"
_START, _STOP = "start", "stop"


class Edge(NamedTuple):
    """A step of a path, from a node to a node of the next column. The columns −1 and T are the start and the stop.

    Examples
    --------
    The step from the first tag to the second tag is on the best path:

    >>> scores = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 0.5], [0.0, 0.0]]), np.zeros(2), np.zeros(2)
    >>> drawn = lattice(["the", "cat"], ["DET", "NOUN"], scores, best=[0, 1])
    >>> [(edge.before, edge.after, edge.score) for edge in drawn.edges if edge.column == 1 and edge.on_best]
    [(0, 1, np.float64(0.5))]
    """

    column: int
    """The column of its end, 0 … T."""
    before: int
    """The row of its beginning; 0 if it begins at the start."""
    after: int
    """The row of its end; 0 if it ends at the stop."""
    score: float
    on_best: bool
    on_true: bool


class Lattice(NamedTuple):
    """The content of a figure of a lattice: T words, and R of the tags.

    Examples
    --------
    >>> scores = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 0.5], [0.0, 0.0]]), np.zeros(2), np.zeros(2)
    >>> drawn = lattice(["the", "cat"], ["DET", "NOUN"], scores, best=[0, 1], true=[0, 0])
    >>> drawn.rows, drawn.best_score, drawn.true_score
    (['DET', 'NOUN'], 3.5, 1.0)
    """

    words: list[str]
    rows: list[str]
    """The tags shown, from top to bottom."""
    nodes: np.ndarray
    """(T, R): the score of each word with each tag."""
    edges: list[Edge]
    best: list[int]
    """The row of the best path at each word."""
    true: list[int] | None
    """The row of the true path at each word, if known."""
    best_score: float
    true_score: float | None
    confidence: np.ndarray | None = None
    """(T, R): the probability of each tag of each word, if known."""


def make_lattice(
    words: Sequence[str],
    tags: Sequence[str],
    scores: Sequence[np.ndarray],
    best: Sequence[int],
    true: Sequence[int] | None = None,
    shown: Sequence[str] | int = 4,
    marginals: np.ndarray | None = None,
) -> Lattice:
    """Compute the content of a figure of a lattice.

    Parameters
    ----------
    words : T str
    tags : K str
        The names of all tags.
    scores : emissions (T, K), transitions (K, K), start (K,), stop (K,)
        A `classifiers.structured.viterbi.ChainScores`, or four arrays like it.
    best, true : T tag numbers
        The path found by the search, and the true path if it is known.
    shown : sequence of str, or int
        The tags that get a row, or their number. A number is filled first with the tags on the paths (all of them), then with the tags
        that have the best nodes.
    marginals : array (T, K), optional
        The probability of each tag of each word (`CRF.get_marginals`), written above the nodes.

    Returns
    -------
    Lattice

    Raises
    ------
    InputError
        If the shapes do not fit together, a path is invalid, or a tag on a path is not shown.

    Examples
    --------
    >>> scores = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 0.5], [0.0, 0.0]]), np.zeros(2), np.zeros(2)
    >>> drawn = lattice(["the", "cat"], ["DET", "NOUN"], scores, best=[0, 1])
    >>> drawn.best_score, len(drawn.edges)
    (3.5, 8)
    """
    words, tags = [str(word) for word in words], [str(tag) for tag in tags]
    emissions, transitions, start, stop = (np.asarray(part, dtype=float) for part in scores)
    n_words, n_tags = len(words), len(tags)
    shapes = [(n_words, n_tags), (n_tags, n_tags), (n_tags,), (n_tags,)]
    if n_words == 0 or [part.shape for part in (emissions, transitions, start, stop)] != shapes:
        raise InputError(
            f"the scores of {n_words} words and {n_tags} tags must have the shapes {', '.join(map(str, shapes))}, but "
            f"have {', '.join(str(part.shape) for part in (emissions, transitions, start, stop))}"
        )
    for name, path in (("best", best), ("true", true)):
        if path is not None and (len(path) != n_words or not all(0 <= int(tag) < n_tags for tag in path)):
            raise InputError(f"the {name} path must be {n_words} tag numbers from 0 to {n_tags - 1}, but is {path}")
    if marginals is not None and np.shape(marginals) != (n_words, n_tags):
        raise InputError(f"marginals must have the shape {(n_words, n_tags)}, but have {np.shape(marginals)}")
    on_paths = {int(tag) for path in (best, true) if path is not None for tag in path}
    kept = _select_tags(tags, emissions, on_paths, shown)
    row_of = {tag: row for row, tag in enumerate(kept)}

    best_rows = [row_of[int(tag)] for tag in best]
    true_rows = None if true is None else [row_of[int(tag)] for tag in true]
    columns = [start[None, kept], *[transitions[np.ix_(kept, kept)]] * (n_words - 1), stop[kept, None]]
    # Each path as its steps (before, after), one for each column.
    paths: list[list[Any]] = [
        [None] * len(columns) if path is None else [*pairwise([0, *path, 0])] for path in (best_rows, true_rows)
    ]
    edges = []
    for column, matrix in enumerate(columns):
        for (before, after), score in np.ndenumerate(matrix):
            are_on = (path[column] == (before, after) for path in paths)
            edges.append(Edge(column, before, after, score, *are_on))
    nodes = emissions[:, kept]
    return Lattice(
        words=words,
        rows=[tags[tag] for tag in kept],
        nodes=nodes,
        edges=edges,
        best=best_rows,
        true=true_rows,
        best_score=_path_score(nodes, edges, best_rows, "on_best"),
        true_score=None if true_rows is None else _path_score(nodes, edges, true_rows, "on_true"),
        confidence=None if marginals is None else np.asarray(marginals, dtype=float)[:, kept],
    )


lattice = make_lattice  # Notebooks of version 0.2.0 import it under this name.


def plot_lattice(
    drawn: Lattice,
    *,
    before: Lattice | None = None,
    title: str | None = None,
    label_edges: bool | None = None,
    ax: Any = None,
) -> tuple[Any, Any]:
    """Draw a lattice with its scores; the best path is thick, the true path dashed.

    Parameters
    ----------
    drawn : Lattice
    before : Lattice, optional
        The same lattice before an update; changes are shown next to the scores.
    title : str, optional
    label_edges : bool, optional
        Whether all edges show their scores, or only edges that are on the two paths or have changed. Default: all, unless there
        are many tags.
    ax : matplotlib Axes, optional
        The axes to draw in. Default: a new figure, as large as the sentence needs.

    Returns
    -------
    (Figure, Axes)

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> scores = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 0.5], [0.0, 0.0]]), np.zeros(2), np.zeros(2)
    >>> drawn = lattice(["the", "cat"], ["DET", "NOUN"], scores, best=[0, 1])
    >>> fig, axis = plot_lattice(drawn, ax=detached_axes()[1])
    >>> [text.get_text() for text in axis.texts if text.get_gid() == "word"]
    ['the', 'cat']
    """
    n_words, n_rows = drawn.nodes.shape
    fig, ax = axes_for(ax, figure_size(drawn, before is not None))
    if label_edges is None:
        label_edges = n_rows <= _MAX_ROWS_WITH_ALL_SCORES
    middle = (n_rows - 1) / 2
    for edge, old in zip(drawn.edges, drawn.edges if before is None else before.edges, strict=True):
        _draw_edge(ax, edge, edge.score - old.score, n_words, n_rows, label_edges)
    changes = np.zeros_like(drawn.nodes) if before is None else drawn.nodes - before.nodes
    for t, k in np.ndindex(n_words, n_rows):
        on_true = drawn.true is not None and drawn.true[t] == k
        _draw_node(ax, t, k, _format_score(float(drawn.nodes[t, k])), drawn.best[t] == k, on_true)
        _draw_change(ax, t, k, float(changes[t, k]))
        if drawn.confidence is not None:
            _draw_confidence(ax, t, k, float(drawn.confidence[t, k]))
    for column, name in ((-1, _START), (n_words, _STOP)):
        _draw_node(ax, column, middle, name, on_best=True, on_true=False)
    for t, word in enumerate(drawn.words):
        ax.text(t, -0.55, word, fontsize=_WORD_SIZE, ha="center", va="baseline", color="black", gid="word")
    ax.set_yticks(range(n_rows), drawn.rows, fontsize=_NODE_SIZE)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], xlim=(-1.3, n_words + 0.3), ylim=(n_rows - 0.55, -0.9))
    _draw_legend(ax, drawn)
    if title is not None:
        ax.set_title(fill(title, 90), fontsize=_TITLE_SIZE, loc="left", pad=10)
    return fig, ax


def _select_tags(
    tags: Sequence[str], emissions: np.ndarray, on_paths: set[int], shown: int | Sequence[str]
) -> list[int]:
    """Return the numbers of the tags that get a row, ascending."""
    if isinstance(shown, int):
        by_best_node = np.argsort(-emissions.max(axis=0), kind="stable").tolist()
        others = [tag for tag in by_best_node if tag not in on_paths]
        return sorted([*on_paths, *others[: max(0, shown - len(on_paths))]])
    unknown = [tag for tag in shown if tag not in tags]
    if unknown:
        raise InputError(f"there is no tag {unknown[0]!r} to show; there are: {', '.join(tags)}")
    kept = [tags.index(tag) for tag in shown]
    hidden = sorted(on_paths.difference(kept))
    if hidden:
        raise InputError(f"the tags on the paths must be shown, but {tags[hidden[0]]} is not")
    return kept


def _path_score(nodes: np.ndarray, edges: Sequence[Edge], path: Sequence[int], flag: str) -> float:
    """Return the score of a path: the sum over its nodes and its edges."""
    return float(nodes[np.arange(len(path)), path].sum() + sum(edge.score for edge in edges if getattr(edge, flag)))


def _format_score(score: float) -> str:
    """Return a score with few digits and a true minus sign; 0 has no sign."""
    text = f"{score:.3g}" if abs(score) < 100 else f"{score:.0f}"
    return text.replace("-", "−") if float(text) else "0"


def figure_size(drawn: Lattice, with_changes: bool = False) -> tuple[float, float]:
    """Return the width and height of a figure of a lattice, in inches; the labels of changed edges need higher rows.

    Examples
    --------
    >>> scores = np.zeros((4, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2)
    >>> drawn = lattice(["a", "b", "c", "d"], ["DET", "NOUN"], scores, best=[0, 0, 0, 0])
    >>> [round(float(inches), 6) for inches in figure_size(drawn)]
    [9.88, 3.5]
    """
    n_words, n_rows = drawn.nodes.shape
    return max(9.0, 1.9 * (n_words + 1.2)), max(3.5, (1.35 if with_changes else 1.0) * n_rows + 1.4)


def _draw_edge(ax: Any, edge: Edge, change: float, n_words: int, n_rows: int, label_all: bool) -> None:
    middle = (n_rows - 1) / 2
    x0, x1 = edge.column - 1, edge.column
    y0 = middle if edge.column == 0 else edge.before
    y1 = middle if edge.column == n_words else edge.after
    changed = _format_score(change) != "0"
    ax.plot([x0, x1], [y0, y1], color=_CHANGED_EDGE if changed else _LIGHT, linewidth=2.2 if changed else 1.0, zorder=1)
    if edge.on_best:
        ax.plot([x0, x1], [y0, y1], color=BLUE, linewidth=6.0, solid_capstyle="round", zorder=3, gid="best path")
    if edge.on_true:
        ax.plot([x0, x1], [y0, y1], color=VERMILION, linewidth=2.8, linestyle=(0, (3, 2)), zorder=4, gid="true path")
    bold = edge.on_best or edge.on_true or changed
    if bold or label_all:
        # Place the label near the beginning of the edge (in the middle of edges from the start and to the stop), so that the
        # labels of a column do not overlap, and nodes with long numbers do not hide them.
        share = 0.5 if edge.column in (0, n_words) else 0.9 / max(n_rows, 3)
        text = _format_score(edge.score) + (f" ({_format_change(change)})" if changed else "")
        size = _EDGE_SIZE + 2 * bold + 3 * (n_rows <= _MAX_ROWS_WITH_LARGE_SCORES)
        weight, colour, level = ("bold", _INK, 6) if bold else ("normal", _FAINT, 2)
        ground = _CHANGE_BACKGROUND if changed else "white"
        box = {"boxstyle": "round,pad=0.08", "facecolor": ground, "edgecolor": "none"}
        style: dict[str, Any] = {"fontsize": size, "fontweight": weight, "color": colour, "zorder": level, "bbox": box}
        style |= {"ha": "left" if 0 < edge.column < n_words else "center", "va": "center", "gid": "edge"}
        ax.text(x0 + share * (x1 - x0), y0 + share * (y1 - y0), text, **style)


def _draw_change(ax: Any, x: float, y: float, change: float) -> None:
    """Write the change of a node's score below the node."""
    if _format_score(change) != "0":
        box = {"facecolor": _CHANGE_BACKGROUND}
        _annotate_node(ax, (x, y), _format_change(change), -19, box, color=_INK, fontweight="bold", gid="change")


def _draw_confidence(ax: Any, x: float, y: float, share: float) -> None:
    """Write the probability of a tag above its node; more probable tags are darker."""
    text = "<1 %" if share < 0.01 else ">99 %" if share > 0.99 else f"{100 * share:.0f} %"
    weight, colour = "bold" if share >= 0.5 else "normal", _INK if share >= 0.05 else _FAINT
    box = {"facecolor": "white", "alpha": 0.85}
    _annotate_node(ax, (x, y), text, 20, box, color=colour, fontweight=weight, gid="confidence")


def _annotate_node(ax: Any, at: tuple[float, float], text: str, shift: float, box: Any, **style: Any) -> None:
    """Write a text ``shift`` points above a node, on a box of this colour."""
    box = {"boxstyle": "round,pad=0.12", "edgecolor": "none"} | box
    style |= CENTRED | {"fontsize": _EDGE_SIZE + 2, "zorder": 8, "bbox": box}
    ax.annotate(text, at, xytext=(0, shift), textcoords="offset points", **style)


def _format_change(change: float) -> str:
    return f"+{_format_score(change)}" if change > 0 else _format_score(change)


def _draw_node(ax: Any, x: float, y: float, text: str, on_best: bool, on_true: bool) -> None:
    weight, colour, ground = ("bold", "white", BLUE) if on_best else ("normal", _INK, "white")
    box = {
        "boxstyle": "round,pad=0.4,rounding_size=0.8",
        "facecolor": ground,
        "edgecolor": VERMILION if on_true else BLUE if on_best else _FAINT,
        "linewidth": 2.6 if on_true or on_best else 1.0,
        "linestyle": (0, (3, 1.5)) if on_true else "solid",
    }
    style = CENTRED | {"fontsize": _NODE_SIZE, "fontweight": weight, "color": colour}
    ax.text(x, y, text, zorder=7, bbox=box, gid="node", **style)


def _draw_legend(ax: Any, drawn: Lattice) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=BLUE, linewidth=6.0, label=f"best path, score {_format_score(drawn.best_score)}")]
    if drawn.true is not None and drawn.true_score is not None:
        same = " (the same)" if drawn.true == drawn.best else ""
        label = f"true path{same}, score {_format_score(drawn.true_score)}"
        handles.append(Line2D([], [], color=VERMILION, linewidth=2.8, linestyle=(0, (3, 2)), label=label))
    style = FRAMELESS | {"ncols": 2, "fontsize": _NODE_SIZE, "handlelength": 3.0}
    ax.legend(handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), **style)
