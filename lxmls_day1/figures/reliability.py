"""Calibration of probabilities: reliability diagrams and the expected calibration error, computed and drawn.

Predictions with a probability of 80 % should be right in 80 % of the cases. Examples are put into bins by the probability of the
predicted label; bin b has n_b of the M examples, a mean probability c_b and a share a_b of correct predictions:

    expected calibration error = Σ_b (n_b / M) |a_b − c_b|

Sources: A. Niculescu-Mizil, R. Caruana, Predicting good probabilities with supervised learning, ICML 2005 (the diagram); C. Guo,
G. Pleiss, Y. Sun, K. Weinberger, On calibration of modern neural networks, ICML 2017 (the error for more than two classes).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.base.checks import as_numbers, check_number
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import BLUE, axes_for

_CURVES = ("#C26A00", BLUE, "#00696B", "#6A3D9A")
_MARKERS = "osD^"
_SUM_TOLERANCE = 1e-6


class Reliability(NamedTuple):
    """The non-empty bins, in ascending order of probability.

    Examples
    --------
    Probability 0.9 and one of two correct, probability 0.6 and one of one correct: both bins differ by 0.4.

    >>> bins = Reliability(np.array([0.6, 0.9]), np.array([1.0, 0.5]), np.array([1, 2]))
    >>> round(bins.error, 6)
    0.4
    """

    confidence: np.ndarray
    """c (B,): mean probability of the predicted labels."""
    accuracy: np.ndarray
    """a (B,): share of correct predictions."""
    counts: np.ndarray
    """n (B,): number of examples."""

    @property
    def error(self) -> float:
        """The expected calibration error, in [0, 1]."""
        return float(self.counts @ np.abs(self.accuracy - self.confidence) / self.counts.sum())


def reliability(probabilities: Any, labels: Any, nr_bins: int = 10) -> Reliability:
    """Compare the probability of the predicted label with the share of correct predictions, bin by bin.

    Parameters
    ----------
    probabilities : array (M, K)
        p(y | x); each row sums to 1.
    labels : int array (M,)
        The true labels, as columns of `probabilities`.
    nr_bins : int
        Bins of equal width between 0 and 1; a probability on an edge counts to the lower bin.

    Returns
    -------
    Reliability

    Raises
    ------
    InputError
        If the rows are not probabilities, or the labels are not columns of them.

    Examples
    --------
    Probability 0.9 with one of two correct: 0.4 too high. Probability 0.6 and correct: 0.4 too low. Error 2/3 · 0.4 + 1/3 · 0.4:

    >>> bins = reliability([[0.9, 0.1], [0.1, 0.9], [0.6, 0.4]], [0, 0, 0])
    >>> bins.confidence, bins.accuracy, bins.counts, round(bins.error, 12)
    (array([0.6, 0.9]), array([1. , 0.5]), array([1, 2]), 0.4)
    """
    nr_bins = int(check_number("nr_bins", nr_bins, at_least=1, whole=True))
    p = as_numbers(probabilities, "probabilities must be numbers")
    y = as_numbers(labels, "labels must be columns of the probabilities").ravel()
    if p.ndim != 2 or p.size == 0 or not (p.min() >= 0 and np.abs(p.sum(axis=1) - 1).max() <= _SUM_TOLERANCE):
        raise InputError(
            "probabilities must be M rows (M ≥ 1) of nonnegative numbers, each row with sum 1, but these are not"
        )
    if len(y) != len(p) or not np.isin(y, np.arange(p.shape[1])).all():
        raise InputError(f"labels must be {len(p)} columns 0 … {p.shape[1] - 1}, one for each row of probabilities")
    sure, right = p.max(axis=1), p.argmax(axis=1) == y
    bins = np.clip(np.ceil(sure * nr_bins).astype(np.intp) - 1, 0, nr_bins - 1)
    counts = np.bincount(bins, minlength=nr_bins)
    full = counts > 0
    confidence, accuracy = (
        np.bincount(bins, weights=values, minlength=nr_bins)[full] / counts[full] for values in (sure, right)
    )
    return Reliability(confidence, accuracy, counts[full])


def plot_reliability(curves: Mapping[str, Reliability], *, title: str | None = None, ax: Any = None) -> tuple[Any, Any]:
    """Draw reliability diagrams in the same axes: on the diagonal probabilities are calibrated, below it they are too high.

    Parameters
    ----------
    curves : mapping of str to Reliability
        Their names. A point is a bin, larger for more examples; the legend shows the expected calibration error.
    title : str, optional
    ax : matplotlib Axes, optional
        The axes to draw in. Default: a new figure.

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If there are no curves.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> bins = reliability([[0.9, 0.1], [0.1, 0.9], [0.6, 0.4]], [0, 0, 0])
    >>> fig, axis = plot_reliability({"as it is": bins}, ax=detached_axes()[1])
    >>> axis.get_legend().get_texts()[0].get_text()
    'as it is: 0.400'
    """
    if not curves:
        raise InputError("a reliability diagram needs at least one curve, but there is none")
    fig, ax = axes_for(ax, (6.0, 5.6))
    ax.plot([0, 1], [0, 1], color="0.55", linewidth=1.0, linestyle=(0, (4, 3)))
    for number, (name, bins) in enumerate(curves.items()):
        colour = _CURVES[number % len(_CURVES)]
        ax.plot(bins.confidence, bins.accuracy, color=colour, linewidth=1.8, label=f"{name}: {bins.error:.3f}")
        sizes, marker = 12 + 160 * np.sqrt(bins.counts / bins.counts.sum()), _MARKERS[number % len(_MARKERS)]
        style = {"alpha": 0.75, "linewidth": 0, "clip_on": False}
        ax.scatter(bins.confidence, bins.accuracy, s=sizes, color=colour, marker=marker, **style)
    lowest = min(float(min(bins.confidence.min(), bins.accuracy.min())) for bins in curves.values())
    limits = max(0.0, lowest - 0.05), 1.02
    ax.set(xlim=limits, ylim=limits, xlabel="probability of the label answered", ylabel="share of right answers")
    ax.legend(frameon=False, title="calibration error", alignment="left")
    ax.spines[["top", "right"]].set_visible(False)
    if title is not None:
        ax.set_title(title, loc="left")
    return fig, ax
