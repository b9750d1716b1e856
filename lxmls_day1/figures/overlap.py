"""The Bayes error as an area: the densities of two classes along the line between their means, and the posterior below."""

from typing import Any

import numpy as np

from lxmls_day1.figures.plotting import BLACK, CLASS_COLOURS, check_axes

_SPREAD = 3.2  # standard deviations drawn beyond the means
_POINTS = 400


def plot_overlap(prior: Any, distance: float, variance: float, above: Any, below: Any) -> tuple[Any, tuple[Any, Any]]:
    """Draw p(y) p(z | y) of two Gaussian classes, the area under the smaller of the two, and p(1 | z).

    Parameters
    ----------
    prior : two numbers
        p(0) and p(1).
    distance : float
        The distance between the means; z is the position on the line through them, 0 halfway between them.
    variance : float
        The variance of both classes.
    above, below : matplotlib Axes
        The axes for the classes and for the posterior.

    Returns
    -------
    (Figure, (Axes, Axes))

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> above, below = Figure().subplots(2)
    >>> fig, axes = plot_overlap([0.5, 0.5], 2.0, 1.0, above, below)
    >>> above.get_legend_handles_labels()[1]
    ['p(0) p(z|0)', 'p(1) p(z|1)', 'Bayes error']
    """
    check_axes(above)
    check_axes(below)
    reach = distance / 2 + _SPREAD * np.sqrt(variance)
    z = np.linspace(-reach, reach, _POINTS)
    joint = [
        share * np.exp(-((z - centre) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
        for share, centre in zip(prior, (-distance / 2, distance / 2), strict=True)
    ]
    for k, curve in enumerate(joint):
        above.plot(z, curve, color=CLASS_COLOURS[k], label=f"p({k}) p(z|{k})")
    above.fill_between(z, np.minimum(*joint), color="0.75", label="Bayes error")
    below.plot(z, joint[1] / (joint[0] + joint[1]), color=BLACK, label="p(1|z)")
    threshold = variance * np.log(prior[0] / prior[1]) / distance
    for ax in (above, below):
        ax.axvline(threshold, color=BLACK, linestyle="--", linewidth=1.5)
        ax.set_xlim(-reach, reach)
    below.axhline(0.5, color="0.6", linewidth=1.0)
    above.set(ylim=(0, None), ylabel="density")
    below.set(ylim=(-0.03, 1.03), ylabel="posterior p(1|z)", xlabel="position z along the line between the means")
    above.legend(loc="upper right")
    return above.figure, (above, below)
