"""Reliability diagrams compared with cases of known calibration error, and with a loop over the bins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.reliability import Reliability, plot_reliability, reliability


def two_classes(sure, right):
    """Return probabilities (M, 2) with `sure` for class 0, and labels that are 0 if `right` is true."""
    sure = np.asarray(sure)
    return np.stack([sure, 1 - sure], axis=1), np.where(right, 0, 1)


def naive(p, y, nr_bins):
    total = 0.0
    for b in range(nr_bins):
        pairs = [(row.max(), row.argmax() == label) for row, label in zip(p, y, strict=True)]
        if inside := [(sure, right) for sure, right in pairs if b / nr_bins < sure <= (b + 1) / nr_bins]:
            sure, right = np.mean(inside, axis=0)
            total += len(inside) / len(y) * abs(right - sure)
    return total


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(2, 5), st.sampled_from([1, 3, 10, 15]))
def test_the_calibration_error_matches_a_loop(seed, n, n_classes, nr_bins):
    rng = np.random.default_rng(seed)
    p, y = rng.dirichlet(np.ones(n_classes), n), rng.integers(0, n_classes, n)
    bins = reliability(p, y, nr_bins)
    assert bins.error == pytest.approx(naive(p, y, nr_bins), abs=1e-12)
    assert bins.counts.sum() == n
    assert np.all(np.diff(bins.confidence) > 0)


def test_edges_belong_to_the_lower_bin():
    p, y = two_classes([0.5, 0.6, 0.601, 1.0], [True] * 4)
    assert reliability(p, y, 10).counts.tolist() == [1, 1, 1, 1]
    assert reliability(p, y, 5).counts.tolist() == [2, 1, 1]
    assert reliability([[1.0, 0.0]], [0]).error == 0.0


def test_the_picture_shows_bins_and_errors():
    curves = {
        "sure": Reliability(np.array([0.7, 0.9]), np.array([0.5, 0.6]), np.array([10, 30])),
        "calibrated": Reliability(np.array([0.6]), np.array([0.6]), np.array([40])),
    }
    _, axis = plot_reliability(curves, title="SVM", ax=detached_axes()[1])
    diagonal, *lines = axis.lines
    assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
    for line, bins in zip(lines, curves.values(), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.stack([bins.confidence, bins.accuracy], axis=1))
    errors = (10 * 0.2 + 30 * 0.3) / 40, 0.0
    named = [f"{name}: {error:.3f}" for name, error in zip(curves, errors, strict=True)]
    assert [text.get_text() for text in axis.get_legend().get_texts()] == named
    low, high = axis.get_xlim()
    assert low <= 0.5 and high >= 1


def test_the_legend_lies_on_no_bin_of_a_classifier_that_is_not_sure_enough():
    unsure = Reliability(np.array([0.4, 0.45, 0.5]), np.array([0.9, 0.95, 1.0]), np.array([10, 30, 20]))
    _, axis = plot_reliability({"unsure": unsure}, ax=detached_axes()[1])
    axis.figure.canvas.draw()
    legend = axis.get_legend().get_window_extent()
    assert not any(legend.contains(*place) for place in axis.transData.transform(axis.lines[1].get_xydata()))
