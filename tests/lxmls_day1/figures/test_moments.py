import numpy as np
import pytest

from lxmls_day1.figures.moments import plot_moments
from lxmls_day1.figures.plotting import detached_axes

DATA = np.array([[0.25, 0.75], [0.2, 0.0], [0.4, 0.1]])
UNIFORM = np.repeat(DATA.sum(axis=1, keepdims=True) / 2, 2, axis=1)


def test_the_plot_has_every_moment_before_and_after_and_the_line_of_equality():
    ax = detached_axes()[1]
    fig, axis = plot_moments((DATA, UNIFORM), (DATA, DATA), title="moments", ax=ax)
    assert (fig, axis) == (ax.figure, ax)
    equal, before, after = axis.lines
    np.testing.assert_array_equal(equal.get_xdata(), equal.get_ydata())
    np.testing.assert_array_equal(before.get_xydata(), np.column_stack([DATA.ravel(), UNIFORM.ravel()]))
    np.testing.assert_array_equal(after.get_xydata(), np.column_stack([DATA.ravel(), DATA.ravel()]))
    assert before.get_marker() != after.get_marker()
    assert axis.get_xscale() == "linear"
    assert axis.get_title() == "moments"
    fig.draw_without_rendering()


@pytest.mark.slow
def test_moments_of_different_orders_of_magnitude_get_logarithmic_axes_that_keep_the_zeros():
    fig, axis = plot_moments((DATA / [1, 1000], UNIFORM), (DATA / [1, 1000], DATA), ax=detached_axes()[1])
    assert (axis.get_xscale(), axis.get_yscale()) == ("symlog", "symlog")
    fig.draw_without_rendering()
    assert axis.get_xlim()[0] <= 0
