"""Moment matching in a table and a picture: the mean of each feature in the data, and the mean that a model expects.

A maximum-entropy model without regularization has learnt all that it can when it expects every feature as often as the
data have it. Both functions take the moments before and after training, as ``get_moments`` of a maximum-entropy model
gives them: at zero parameters, and at the trained ones. `moment_table` lists the features that had the longest way to
go; `plot_moments` draws all of them, against the line on which they should come to lie.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.checks import as_list, as_numbers, check_number
from lxmls_day1.errors import InputError
from lxmls_day1.figures.plotting import BLACK, BLUE, VERMILION, axes_for
from lxmls_day1.text_table import aligned, as_html

_LABEL_SIZE, _TICK_SIZE = 16, 14  # points
_WIDE = 100.0  # from this ratio of the largest to the smallest moment on, the axes are logarithmic
_HEADINGS = ("feature", "class", "data", "before", "after")


class MomentRow(NamedTuple):
    """One feature with one class.

    Examples
    --------
    >>> row = MomentRow("amazing", "positive", empirical=0.2, before=0.1, after=0.2)
    >>> row.empirical - row.after
    0.0
    """

    feature: str
    label: str
    empirical: float
    """Its mean in the data."""
    before: float
    """What the model expected before training."""
    after: float
    """What it expects now."""


class MomentTable(tuple[MomentRow, ...]):
    """Rows that print as a table, as text or in a notebook.

    Examples
    --------
    >>> print(MomentTable([MomentRow("amazing", "positive", 0.2, 0.1, 0.2)]))
    feature  class       data  before   after
    -----------------------------------------
    amazing  positive  0.2000  0.1000  0.2000
    """

    __slots__ = ()

    def __str__(self) -> str:
        return aligned(_HEADINGS, self._cells(), texts=(0, 1))

    def _repr_html_(self) -> str:
        """The table for a notebook, with everything in it escaped."""
        return as_html(_HEADINGS, self._cells(), texts=(0, 1))

    def _cells(self) -> list[tuple[str, ...]]:
        return [(row.feature, row.label, *(f"{moment:.4f}" for moment in row[2:])) for row in self]


def moment_table(
    before: Sequence[Any],
    after: Sequence[Any],
    feature_names: Sequence[str] | None = None,
    labels: Sequence[Any] | None = None,
    most: int = 10,
) -> MomentTable:
    """The moments that training had to move the furthest, as a table.

    Parameters
    ----------
    before, after : (empirical (J + 1, K), model (J + 1, K))
        Moments before and after training on the same data.
    feature_names : J str, optional
        Otherwise x_1, x_2, …
    labels : K names of the classes, optional
        Otherwise 0, 1, …
    most : int
        How many rows at most.

    Returns
    -------
    MomentTable
        By the difference between data and before, the largest first; of equal ones the first in the matrix.

    Raises
    ------
    InputError
        If the shapes disagree.

    Examples
    --------
    >>> data, uniform = [[0.25, 0.75], [0.2, 0.0]], [[0.5, 0.5], [0.1, 0.1]]
    >>> print(moment_table((data, uniform), (data, data), feature_names=["dull"], labels=["good", "bad"], most=3))
    feature      class    data  before   after
    ------------------------------------------
    (intercept)  good   0.2500  0.5000  0.2500
    (intercept)  bad    0.7500  0.5000  0.7500
    dull         good   0.2000  0.1000  0.2000
    """
    empirical, expected_before, expected_after = _checked(before, after)
    n_rows, n_classes = empirical.shape
    most = check_number("most", most, at_least=0, whole=True)
    if feature_names is None:
        feature_names = [f"x_{j}" for j in range(1, n_rows)]
    feature_names = as_list(feature_names, "feature_names must be a list of names")
    labels = as_list(range(n_classes) if labels is None else labels, "labels must be a list of names")
    if len(feature_names) != n_rows - 1 or len(labels) != n_classes:
        raise InputError(
            f"moments of {n_rows - 1} features and {n_classes} classes need as many names, but got {len(feature_names)} "
            f"feature names and {len(labels)} class names"
        )
    features, labels = ["(intercept)", *map(str, feature_names)], list(map(str, labels))
    furthest = np.argsort(-np.abs(empirical - expected_before), axis=None, kind="stable")[:most]
    return MomentTable(
        MomentRow(features[j], labels[k], *(float(m[j, k]) for m in (empirical, expected_before, expected_after)))
        for j, k in zip(*np.unravel_index(furthest, empirical.shape), strict=True)
    )


def plot_moments(
    before: Sequence[Any], after: Sequence[Any], *, title: str | None = None, ax: Any = None
) -> tuple[Any, Any]:
    """Draw what the model expects of each feature against what the data say: open circles before, squares after training.

    Parameters
    ----------
    before, after : (empirical (J + 1, K), model (J + 1, K))
        Moments before and after training on the same data.
    title : str, optional
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    (Figure, Axes)
        The axes are logarithmic (linear next to 0) where the moments differ by more than two orders of magnitude.

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
    empirical, expected_before, expected_after = _checked(before, after)
    fig, ax = axes_for(ax, (8.0, 7.0))
    values = np.concatenate([moments.ravel() for moments in (empirical, expected_before, expected_after)])
    ends = [min(values.min(), 0.0), values.max()]
    ax.plot(ends, ends, color=BLACK, linewidth=1.5, linestyle="--", label="equal")
    for expected, name, look in [
        (expected_before, "before training", {"marker": "o", "markeredgecolor": VERMILION, "markerfacecolor": "none"}),
        (expected_after, "after training", {"marker": "s", "markeredgecolor": "white", "markerfacecolor": BLUE}),
    ]:
        ax.plot(empirical.ravel(), expected.ravel(), linestyle="none", markersize=8, label=name, **look)
    positive = values[values > 0]
    if positive.size and positive.max() > _WIDE * positive.min():
        ax.set_xscale("symlog", linthresh=positive.min())
        ax.set_yscale("symlog", linthresh=positive.min())
    ax.set_xlabel("mean in the data", fontsize=_LABEL_SIZE)
    ax.set_ylabel("mean expected by the model", fontsize=_LABEL_SIZE)
    ax.tick_params(labelsize=_TICK_SIZE)
    ax.legend(fontsize=_TICK_SIZE, loc="upper left")
    if title is not None:
        ax.set_title(title, fontsize=_LABEL_SIZE)
    return fig, ax


def _checked(before: Sequence[Any], after: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Empirical, expected before, expected after: three finite matrices of one shape."""
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
            "moments before and after must be those of the same features and classes, two matrices each, but have the "
            f"shapes {', '.join(map(str, sorted(shapes)))}"
        )
    if not np.allclose(empirical, same):
        raise InputError("the moments before and after come from different data; take both from the same X and y")
    if not all(np.isfinite(moments).all() for moments in (empirical, expected_before, expected_after)):
        raise InputError("the moments hold NaN or infinity, which cannot be compared")
    return empirical, expected_before, expected_after
