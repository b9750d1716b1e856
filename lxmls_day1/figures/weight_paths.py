"""Accuracy and the number of non-zero weights as functions of λ, drawn in the same figure."""

from collections.abc import Sequence
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import axes_for
from lxmls_day1.figures.style import TRAINING
from lxmls_day1.figures.tuning_curve import DEVELOPMENT

_COUNTS = "#C26A00"


def plot_path(points: Sequence[Any], ax: Any = None) -> tuple[Any, Any]:
    """Draw a regularization path.

    Parameters
    ----------
    points : sequence of points with ``regularizer``, ``n_features``, ``train_accuracy`` and ``dev_accuracy``
        For example the result of `classifiers.regularization_path.regularization_path`.
    ax : matplotlib Axes, optional
        The axes to draw in. Default: a new figure. The number of features has a separate axis at the right.

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If there are no points.

    Examples
    --------
    >>> from collections import namedtuple
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> Point = namedtuple("Point", "regularizer n_features train_accuracy dev_accuracy")
    >>> fig, axis = plot_path([Point(0.1, 0, 0.5, 0.5), Point(0.01, 40, 0.9, 0.8)], ax=detached_axes()[1])
    >>> axis.get_xscale(), [line.get_label() for line in axis.lines]
    ('log', ['development', 'training'])
    """
    if not points:
        raise InputError("a path needs at least one point, but has none")
    fig, ax = axes_for(ax, (7.5, 4.2))
    points = sorted(points, key=lambda point: -point.regularizer)
    over, n_features = [point.regularizer for point in points], [point.n_features for point in points]
    counts = ax.twinx()
    counts.fill_between(over, n_features, color=_COUNTS, alpha=0.18, linewidth=0)
    alone = "." if len(points) == 1 else None  # a line of one point would be invisible
    counts.plot(over, n_features, color=_COUNTS, linewidth=1.5, marker=alone, label="features")
    counts.set_ylabel("features with a weight other than 0", color=_COUNTS)
    counts.set_ylim(bottom=0)
    ax.plot(over, [point.dev_accuracy for point in points], "o-", color=DEVELOPMENT, label="development")
    ax.plot(over, [point.train_accuracy for point in points], "s--", color=TRAINING, label="training")
    ax.set_zorder(counts.get_zorder() + 1)
    ax.patch.set_visible(False)
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set(xlabel="λ, falling: less and less regularization", ylabel="accuracy")
    ax.legend(frameon=False)
    return fig, ax
