"""The curve of a hyper-parameter: the positions of what is drawn."""

import numpy as np

from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.tuning_curve import plot_tuning


def test_points_are_in_the_order_of_the_values():
    axis = plot_tuning([1.0, 0.01, 0.1], [0.7, 0.8, 0.9], [0.1, 0.1, 0.2], [0.7, 1.0, 0.95], detached_axes()[1])
    training = next(line for line in axis.get_lines() if line.get_label() == "training")
    np.testing.assert_array_equal(training.get_xdata(), [0.01, 0.1, 1.0])
    np.testing.assert_array_equal(training.get_ydata(), [1.0, 0.95, 0.7])
    bars = axis.containers[0][2][0].get_segments()
    np.testing.assert_allclose([bar[:, 1] for bar in bars], [[0.7, 0.9], [0.7, 1.1], [0.6, 0.8]])


def test_a_value_of_zero_needs_a_linear_axis():
    axis = plot_tuning([0.0, 1.0], [0.5, 0.5], [0.1, 0.1], [1, 1], detached_axes()[1], "smooth_param")
    assert axis.get_xscale() == "linear"
