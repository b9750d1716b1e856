"""Moment matching as a figure: the mean of each feature in the data, and the mean that a model expects.

A maximum-entropy model without regularization is at its optimum if its expected mean of every feature equals the mean in the data.
`plot_moments` takes the moments before and after training, as returned by ``get_moments`` of a maximum-entropy model for zero
parameters and for the trained parameters. It draws them together with the line on which both means are equal.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lxmls_day1.base.checks import as_list, as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import BLACK, GREY, axes_for

_LABEL_SIZE, _TICK_SIZE = 16, 14  # points
_MIN_LOG_SCALE_RATIO = 100.0  # from this ratio of the largest to the smallest moment on, the axes are logarithmic


def plot_moments(
    before: Sequence[Any], after: Sequence[Any], *, title: str | None = None, ax: Any = None
) -> tuple[Any, Any]:
    """Draw the expected mean of each feature over the mean in the data: open circles before training, squares after training.

    Parameters
    ----------
    before, after : (empirical (J + 1, K), model (J + 1, K))
        Moments before and after training on the same data.
    title : str, optional
    ax : matplotlib Axes, optional
        The axes to draw in. Default: a new figure.

    Returns
    -------
    (Figure, Axes)
        The axes are logarithmic (linear next to 0) if the moments differ by more than two orders of magnitude.

    Raises
    ------
    InputError
        If the shapes disagree.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> data, uniform = [[0.25, 0.75], [0.2, 0.0]], [[0.5, 0.5], [0.1, 0.1]]
    >>> fig, axis = plot_moments((data, uniform), (data, data), ax=detached_axes()[1])
    >>> [line.get_label() for line in axis.lines]
    ['equal', 'before training', 'after training']
    """
    empirical, expected_before, expected_after = _checked_moments(before, after)
    fig, ax = axes_for(ax, (8.0, 7.0))
    values = np.concatenate([moments.ravel() for moments in (empirical, expected_before, expected_after)])
    ends = [min(values.min(), 0.0), values.max()]
    ax.plot(ends, ends, color=BLACK, linewidth=1.5, linestyle="--", label="equal")
    for expected, name, style in [
        (expected_before, "before training", {"marker": "o", "markeredgecolor": GREY, "markerfacecolor": "none"}),
        (expected_after, "after training", {"marker": "s", "markeredgecolor": "white", "markerfacecolor": BLACK}),
    ]:
        ax.plot(empirical.ravel(), expected.ravel(), linestyle="none", markersize=8, label=name, **style)
    positive = values[values > 0]
    if positive.size and positive.max() > _MIN_LOG_SCALE_RATIO * positive.min():
        ax.set_xscale("symlog", linthresh=positive.min())
        ax.set_yscale("symlog", linthresh=positive.min())
    ax.set_xlabel("mean in the data", fontsize=_LABEL_SIZE)
    ax.set_ylabel("mean expected by the model", fontsize=_LABEL_SIZE)
    ax.tick_params(labelsize=_TICK_SIZE)
    ax.legend(fontsize=_TICK_SIZE, loc="upper left")
    if title is not None:
        ax.set_title(title, fontsize=_LABEL_SIZE)
    return fig, ax


def _checked_moments(before: Sequence[Any], after: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the empirical moments and the expected moments before and after: three finite matrices of the same shape."""
    wanted = "moments before and after must be pairs of matrices (empirical, model), as get_moments returns them"
    pairs = [as_list(pair, wanted) for pair in (before, after)]
    if [len(pair) for pair in pairs] != [2, 2]:
        raise InputError(f"{wanted}, but have {len(pairs[0])} and {len(pairs[1])} members")
    (empirical, expected_before), (same, expected_after) = (
        tuple(as_numbers(moments, "moments must be matrices of numbers") for moments in pair) for pair in pairs
    )
    shapes = {moments.shape for moments in (empirical, expected_before, same, expected_after)}
    if len(shapes) > 1 or empirical.ndim != 2:
        raise InputError(
            "moments before and after must belong to the same features and classes, two matrices each, but have the "
            f"shapes {', '.join(map(str, sorted(shapes)))}"
        )
    if not np.allclose(empirical, same):
        raise InputError("the moments before and after come from different data; take both from the same X and y")
    if not all(np.isfinite(moments).all() for moments in (empirical, expected_before, expected_after)):
        raise InputError("the moments hold NaN or infinity, which cannot be compared")
    return empirical, expected_before, expected_after
