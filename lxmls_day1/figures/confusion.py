"""Confusion matrices: which class is taken for which, counted and drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lxmls_day1.checks import as_list, as_numbers, check_labels
from lxmls_day1.errors import InputError
from lxmls_day1.figures.plotting import BLACK, BLUE, CENTRED, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABEL_SIZE, _CELL_SIZE = 15, 11  # points
_MOST_TAGS_WITH_COUNTS = 20  # beyond, the cells of a confusion matrix are too small for numbers


def confusion_counts(
    truth: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
) -> tuple[list[str], np.ndarray]:
    """How often each tag is taken for each.

    Parameters
    ----------
    truth, predicted : sequences of tag sequences, of the same lengths

    Returns
    -------
    tags : list of K str
        All that occur, in ascending order.
    counts : int array (K, K)
        Row the true tag, column the predicted one.

    Raises
    ------
    InputError
        If the sequences are not of the same lengths, or tags are of two kinds.

    Examples
    --------
    >>> tags, counts = confusion_counts([["DET", "NOUN"], ["VERB"]], [["DET", "VERB"], ["VERB"]])
    >>> tags, counts.tolist()
    (['DET', 'NOUN', 'VERB'], [[1, 0, 0], [0, 0, 1], [0, 0, 1]])
    """
    wanted = "true and predicted tags must be lists of tag sequences"
    of_truth, of_prediction = ([as_list(tags, wanted) for tags in as_list(all_, wanted)] for all_ in (truth, predicted))
    if [len(tags) for tags in of_truth] != [len(tags) for tags in of_prediction]:
        raise InputError(f"{wanted} of the same lengths, but some are longer than others")
    pairs = [pair for both in zip(of_truth, of_prediction, strict=True) for pair in zip(*both, strict=True)]
    tags, codes = np.unique(check_labels([tag for pair in pairs for tag in pair]), return_inverse=True)
    counts = np.zeros((len(tags), len(tags)), dtype=np.int64)
    np.add.at(counts, tuple(codes.reshape(-1, 2).T), 1)
    return tags.tolist(), counts


def plot_confusion(
    tags: Sequence[str], confusion: np.ndarray, *, title: str | None = None, ax: "Axes | None" = None
) -> "tuple[Figure, Axes]":
    """Draw a confusion matrix: a row for each true tag, darker where a larger share of its words is tagged so.

    Parameters
    ----------
    tags : K str
    confusion : int array (K, K)
        Row the true tag, column the predicted one. The counts stand in the cells if there is room.
    title : str, optional
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If the shapes disagree, or there is no tag.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = plot_confusion(["NOUN", "VERB"], [[3, 1], [0, 4]], ax=detached_axes()[1])
    >>> [text.get_text() for text in axis.texts]
    ['3', '1', '4']
    """
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    numbers = as_numbers(confusion, "the confusion matrix must be numbers")
    if not np.all((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers < 2**53)):
        raise InputError("the confusion matrix must count: whole numbers from 0 on, but it holds others")
    confusion, tags = numbers.astype(np.int64), [str(tag) for tag in as_list(tags, "tags must be a list of texts")]
    n_tags = len(tags)
    if n_tags == 0 or confusion.shape != (n_tags, n_tags):
        raise InputError(
            f"the confusion matrix of {n_tags} tags must be {n_tags} x {n_tags}, but has the shape {confusion.shape}"
        )
    fig, ax = axes_for(ax, (11.0, 10.0))
    shares = confusion / np.maximum(confusion.sum(axis=1, keepdims=True), 1)
    colours = LinearSegmentedColormap.from_list("white to blue", ["white", BLUE])
    norm = PowerNorm(0.4, vmin=0.0, vmax=1.0)  # a share of 1 % is to be seen, too
    image = ax.imshow(shares, cmap=colours, norm=norm)
    small = n_tags > _MOST_TAGS_WITH_COUNTS
    label_size = 9 if small else _LABEL_SIZE
    ax.set_xticks(range(n_tags), tags, rotation=90, fontsize=label_size)
    ax.set_yticks(range(n_tags), tags, fontsize=label_size)
    ax.set_xlabel("predicted", fontsize=_LABEL_SIZE)
    ax.set_ylabel("true", fontsize=_LABEL_SIZE)
    ax.set_xticks(np.arange(n_tags + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(n_tags + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="0.9", linewidth=0.6)
    ax.tick_params(which="both", length=0)
    if not small:
        for row, column in np.argwhere(confusion):
            dark = norm(shares[row, column]) > 0.6
            colour = "white" if dark else BLACK
            ax.text(column, row, f"{confusion[row, column]}", fontsize=_CELL_SIZE, color=colour, **CENTRED)
    bar = ax.figure.colorbar(
        image, ax=ax, shrink=0.7, ticks=[0, 0.01, 0.05, 0.2, 0.5, 1], format=lambda share, _: f"{share:.0%}"
    )
    bar.set_label("share of the words with the true tag", fontsize=_LABEL_SIZE)
    bar.ax.tick_params(labelsize=_LABEL_SIZE - 3)
    if title is not None:
        ax.set_title(title, fontsize=_LABEL_SIZE + 1)
    return fig, ax
