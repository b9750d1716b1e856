"""Comparisons of classifiers over several samples or settings, drawn with their standard errors."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import check_axes
from lxmls_day1.figures.style import line_style

_BAND = 0.18  # opacity of the band of the standard error
_MARKERS = "os^Dv*"  # distinguish settings of one classifier, which share its hue and dash


def plot_curves(x: Sequence[float], samples: Mapping[str, ArrayLike], ax: Any) -> Any:
    """Draw, for each classifier, the mean over several samples with a band of one standard error on each side.

    Parameters
    ----------
    x : n numbers, at least one
    samples : mapping from the name of a classifier to an array (n, samples)
        At least two samples. Colour and dash are those of the classifier (`lxmls_day1.figures.style`); settings follow a
        comma, ``"SVM, λ = 0.1"``, and have different markers.
    ax : matplotlib Axes
        Labels are set, but no legend is drawn: see `lxmls_day1.figures.style.label_ends`.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        If the shapes do not fit together, or a classifier is not known.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> axis = plot_curves([1, 2], {"SVM": [[0.1, 0.3], [0.1, 0.1]]}, detached_axes()[1])
    >>> axis.lines[0].get_ydata()
    array([0.2, 0.1])
    """
    ax = check_axes(ax)
    kinds = [name.partition(",")[0] for name in samples]
    for number, (name, values) in enumerate(samples.items()):
        found = as_numbers(values, f"the samples of {name} must be numbers")
        if found.ndim != 2 or found.shape[0] != len(x) or found.shape[1] < 2 or not len(x):
            raise InputError(
                f"a curve needs at least two samples at each of its {len(x)} points, but those of {name} have the shape {found.shape}"
            )
        variant, variants = kinds[:number].count(kinds[number]), kinds.count(kinds[number])
        style = line_style(name, variant, variants)
        if variants > 1:
            style["marker"] = _MARKERS[variant % len(_MARKERS)]
        mean, error = found.mean(axis=1), found.std(axis=1, ddof=1) / math.sqrt(found.shape[1])
        ax.plot(x, mean, **style, linewidth=2.0, label=name)
        ax.fill_between(x, mean - error, mean + error, color=style["color"], alpha=_BAND, linewidth=0)
    return ax


def plot_pairs(names: Sequence[str], pairs: ArrayLike, n_examples: int, ax: Any, labels: tuple[str, str]) -> Any:
    """Draw two accuracies for each classifier, one above the other, with one standard error on each side.

    Parameters
    ----------
    names : n str
    pairs : array (n, 2)
        The accuracies of each classifier; NaN for a missing second accuracy.
    n_examples : int ≥ 1
        The number of test examples: the standard error of p is √(p (1 − p) / n_examples).
    ax : matplotlib Axes
    labels : two str
        The names of the two accuracies in the legend.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        If the numbers of names and pairs differ.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> axis = plot_pairs(["MIRA", "SVM"], [[0.8, 0.82], [0.79, 0.84]], 400, detached_axes()[1], ("default", "tuned"))
    >>> [text.get_text() for text in axis.get_yticklabels()]
    ['MIRA', 'SVM']
    """
    ax = check_axes(ax)
    accuracies = as_numbers(pairs, "accuracies must be numbers")
    if accuracies.shape != (len(names), 2) or not len(names):
        raise InputError(
            f"each of the {len(names)} classifiers needs a pair of accuracies, but accuracies have the shape {accuracies.shape}"
        )
    errors = np.sqrt(accuracies * (1 - accuracies) / n_examples)
    rows = np.arange(len(names))
    for column, (label, filled, shift) in enumerate(zip(labels, (False, True), (-0.13, 0.13), strict=True)):
        ax.errorbar(
            accuracies[:, column], rows + shift, xerr=errors[:, column], fmt="o", color="#333333", capsize=3, markersize=9,
            markerfacecolor="#333333" if filled else "white", linewidth=1.6, label=label,
        )  # fmt: skip
    ax.set_yticks(rows, names)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel="accuracy")
    ax.grid(axis="x", color="0.9")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax
