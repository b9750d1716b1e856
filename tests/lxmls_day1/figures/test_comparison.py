"""Means, bands and pairs, read back from the axes."""

import numpy as np
import pytest

from lxmls_day1.figures.comparison import plot_curves, plot_pairs
from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.style import line_style


def test_lines_are_means_and_bands_are_standard_errors():
    samples = np.random.default_rng(1).normal(size=(3, 5))
    axis = plot_curves([1, 2, 4], {"MIRA": samples}, detached_axes()[1])
    (line,), (band,) = axis.lines, axis.collections
    np.testing.assert_allclose(line.get_ydata(), samples.mean(axis=1))
    at_two = [y for x, y in band.get_paths()[0].vertices if x == 2]
    half = samples[1].std(ddof=1) / np.sqrt(5)
    assert [min(at_two), max(at_two)] == pytest.approx([samples[1].mean() - half, samples[1].mean() + half])


def test_settings_of_a_classifier_share_its_hue_from_dark_to_light():
    axis = plot_curves([1], {"SVM, λ = 1": [[0, 1]], "MIRA": [[0, 1]], "SVM, λ = 0.1": [[0, 1]]}, detached_axes()[1])
    wanted = [line_style("SVM", 0, 2), line_style("MIRA"), line_style("SVM", 1, 2)]
    assert [line.get_color() for line in axis.lines] == [style["color"] for style in wanted]


def test_pairs_are_drawn_beside_their_names_with_standard_errors():
    axis = plot_pairs(["MIRA", "SVM"], [[0.5, 0.9], [0.8, np.nan]], 100, detached_axes()[1], ("default", "tuned"))
    default, tuned = (container[0] for container in axis.containers)
    np.testing.assert_array_equal(default.get_xdata(), [0.5, 0.8])
    np.testing.assert_array_equal(tuned.get_xdata(), [0.9, np.nan])
    bars = axis.containers[0][2][0].get_segments()
    np.testing.assert_allclose([bar[:, 0] for bar in bars], [[0.45, 0.55], [0.76, 0.84]])
