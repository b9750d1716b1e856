"""Bars for the contribution of each feature of an example to the score of one class over another."""

from collections.abc import Sequence
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import CLASS_COLOURS, check_axes


def plot_contributions(
    names: Sequence[str], values: Sequence[float], ax: Any, classes: Sequence[str], numbers: Sequence[int] = (1, 0)
) -> tuple[Any, Any]:
    """Draw one horizontal bar for each feature: to the right it votes for one class, to the left for the other class.

    Parameters
    ----------
    names : n texts
        The names of the features, from top to bottom.
    values : n numbers
        For each feature, its value times the difference of its two weights.
    ax : matplotlib Axes
    classes : two texts
        The class that negative values vote for, and the class that positive values vote for.
    numbers : two integers
        The numbers of these two classes, from 0, which determine their colours.

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If the numbers of names and values differ, or there are none.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = plot_contributions(["bad", "good"], [-2.0, 1.5], detached_axes()[1], ["negative", "positive"])
    >>> [text.get_text() for text in axis.get_yticklabels()]
    ['bad', 'good']
    """
    check_axes(ax)
    if len(names) != len(values) or not len(values):
        raise InputError("there must be a name for each value, and at least one value")
    colours = [CLASS_COLOURS[numbers[int(value >= 0)] % len(CLASS_COLOURS)] for value in values]
    ax.barh(range(len(values)), values, color=colours)
    ax.set_yticks(range(len(values)), names)
    ax.invert_yaxis()
    ax.axvline(0, color="black", linewidth=1.0)
    ax.set_xlabel(f"← votes for {classes[0]}      contribution to the score      votes for {classes[1]} →")
    return ax.figure, ax
