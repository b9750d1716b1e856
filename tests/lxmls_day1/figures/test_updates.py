import numpy as np
import pytest
from matplotlib.figure import Figure

from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.updates import plot_envelopes, plot_update

POINTS, LABELS = np.array([[2.0, 1.0], [-1.0, 1.0], [1.0, -2.0]]), np.array([1, 0, 0])
BEFORE = np.array([[-1.0, 1.0], [-2.0, 2.0], [-1.0, 1.0]])
AFTER = BEFORE + np.outer([1.0, -1.0, 1.0], [1.0, -1.0])


def arrows(ax):
    """Return start and end of the arrows in a picture."""
    return [(np.array(text.xyann), np.array(text.xy)) for text in ax.texts if text.arrow_patch is not None]


def test_the_three_arrows_of_an_update_are_a_sum():
    axes = Figure().subplots(1, 4)
    plot_update(POINTS, LABELS, 1, BEFORE, AFTER, axes)
    (_, old), (tail, tip), (_, new) = arrows(axes[2])
    assert np.allclose(tail, old) and np.allclose(tip, new)
    added = tip - tail
    assert np.isclose(added[0] * POINTS[1][1], added[1] * POINTS[1][0])  # The arrow is a multiple of the example.
    assert np.allclose(axes[3].lines[-1].get_xydata(), POINTS[1])  # The example has a ring.


def test_the_envelopes_meet_at_the_bound():
    _, axis = plot_envelopes([1.0, 2.2, 3.1], [2.0, 2.5, 3.2], 1.0, 3.0, detached_axes()[1])
    upper, lower = (line.get_xydata() for line in axis.lines[:2])
    assert np.interp(9.0, *upper.T) == pytest.approx(np.interp(9.0, *lower.T), rel=1e-3)
    assert np.all((upper[:, 1] >= lower[:, 1]) == (upper[:, 0] <= 9.0))
    assert axis.lines[-1].get_xdata()[0] == 9.0
