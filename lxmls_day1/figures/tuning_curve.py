"""Accuracy as a function of one hyper-parameter, drawn with its standard error."""

from collections.abc import Sequence
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.style import TRAINING

DEVELOPMENT = "#333333"


def plot_tuning(
    values: Sequence[float],
    accuracies: Sequence[float],
    errors: Sequence[float],
    training: Sequence[float],
    ax: Any,
    name: str = "regularizer",
) -> Any:
    """Draw the accuracy on the development part with one standard error on each side, and on the training part.

    Parameters
    ----------
    values : sequence of float
        Values of the hyper-parameter. The axis is logarithmic if all are positive.
    accuracies, errors, training : sequence of float
        The accuracies on the development part, their standard errors, and the accuracies on the training part.
    ax : matplotlib Axes
    name : str
        The label of the axis.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        If the numbers of values differ, or there are none.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> axis = plot_tuning([0.01, 0.1], [0.8, 0.9], [0.04, 0.03], [1.0, 0.95], detached_axes()[1])
    >>> axis.get_xscale(), axis.get_ylabel()
    ('log', 'accuracy')
    """
    if not len(values) == len(accuracies) == len(errors) == len(training) or not len(values):
        raise InputError("a curve needs values, and an accuracy, an error and a training accuracy for each")
    points = sorted(zip(values, accuracies, errors, training, strict=True), key=lambda point: point[0])
    x, means, deviations, on_training = zip(*points, strict=True)
    style = {"fmt": "o-", "color": DEVELOPMENT, "capsize": 4}
    ax.errorbar(x, means, deviations, label="development, ± one standard error", **style)
    ax.plot(x, on_training, "s--", color=TRAINING, label="training")
    if min(values) > 0:
        ax.set_xscale("log")
    ax.set(xlabel=name, ylabel="accuracy")
    ax.legend()
    return ax
