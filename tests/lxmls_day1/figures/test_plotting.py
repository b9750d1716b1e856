import io
import re

import numpy as np
import pytest

from lxmls_day1.figures.plotting import add_boundary, detached_axes, plot_accuracies, plot_points
from tests.wording import wording

X = np.array([[-1.0, -1.0], [-2.0, 0.5], [1.0, 1.0], [2.0, -0.5]])
Y = np.array([0, 0, 1, 1])
VERTICAL = np.array([[-0.5, 0.5], [1.0, -1.0], [0.0, 0.0]])


@pytest.fixture
def ax():
    return detached_axes()[1]


@pytest.fixture
def axis_with_points(ax):
    return plot_points(X, Y, ax=ax)[1]


def legend_labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_class_has_one_marker_and_the_part_fills_it(ax):
    plot_points(X, Y, X + 0.1, Y, X + 0.2, Y, ax=ax)
    drawn = {line.get_label(): line for line in ax.lines}
    assert {label: (line.get_marker(), line.get_fillstyle()) for label, line in drawn.items()} == {
        "class 0, training": ("s", "full"),
        "class 1, training": ("^", "full"),
        "class 0, development": ("s", "bottom"),
        "class 1, development": ("^", "bottom"),
        "class 0, test": ("s", "none"),
        "class 1, test": ("^", "none"),
    }
    np.testing.assert_array_equal(drawn["class 1, training"].get_xydata(), X[2:])
    np.testing.assert_array_equal(drawn["class 0, test"].get_xydata(), X[:2] + 0.2)
    for line in drawn.values():
        assert line.get_linestyle() == "None"
    assert legend_labels(ax) == list(drawn)


def test_all_points_are_inside_the_limits_and_scales_are_equal(ax):
    plot_points(X, Y, None, None, X * 1.5, Y, ax=ax)
    assert ax.get_xlim()[0] < -3 < 3 < ax.get_xlim()[1]
    assert ax.get_ylim()[0] < -1.5 < 1.5 < ax.get_ylim()[1]
    assert ax.get_aspect() == 1.0
    assert np.ptp(ax.get_xlim()) == pytest.approx(np.ptp(ax.get_ylim()))


def test_features_of_unlike_units_get_scales_of_their_own(ax):
    plot_points(X * [1000, 1], Y, ax=ax)
    assert ax.get_aspect() == "auto"
    assert np.ptp(ax.get_ylim()) < 3


@pytest.mark.slow
def test_a_boundary_ends_at_the_limits_and_leaves_them_alone(axis_with_points):
    ax = axis_with_points
    limits = ax.get_xlim(), ax.get_ylim()
    add_boundary(ax, VERTICAL, "vertical", "green")
    line = ax.lines[-1]
    assert (line.get_label(), line.get_color()) == ("vertical", "green")
    np.testing.assert_allclose(line.get_xdata(), [0.5, 0.5])
    np.testing.assert_allclose(sorted(line.get_ydata()), limits[1])
    ax.figure.draw_without_rendering()
    assert (ax.get_xlim(), ax.get_ylim()) == limits


def test_several_pieces_are_one_line_with_one_legend_entry(axis_with_points):
    means = np.array([[-1, 0], [1, 0], [0, 1]], dtype=float)  # equally far from (0, 0)
    add_boundary(axis_with_points, np.vstack([-0.5 * np.sum(means**2, axis=1), means.T]), "nearest mean")
    assert legend_labels(axis_with_points) == ["class 0, training", "class 1, training", "nearest mean"]
    points = axis_with_points.lines[-1].get_xydata()
    gaps = np.isnan(points).any(axis=1)
    assert gaps.tolist() == [False, False, True, False, False, True, False, False]
    pieces = np.split(points[~gaps], 3)
    for piece in pieces:
        assert np.isclose(piece, 0).all(axis=1).sum() == 1


def test_one_class_everywhere_is_stated_in_the_legend(axis_with_points):
    add_boundary(axis_with_points, np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), "lazy")
    assert axis_with_points.lines[-1].get_xydata().size == 0
    assert legend_labels(axis_with_points)[-1] == wording("figures.lazy_class_view")


def test_eight_boundaries_differ_in_dashes_and_in_colour(axis_with_points):
    for n in range(8):
        add_boundary(axis_with_points, np.add(VERTICAL, [[0.1 * n], [0], [0]]), f"boundary {n}")
    lines = axis_with_points.lines[-8:]
    assert len({line.get_color() for line in lines}) == 8
    assert [line.is_dashed() for line in lines] == [False] + 7 * [True]
    axis_with_points.get_legend().remove()  # Without the legend, all dashes belong to the lines.
    drawing = io.StringIO()
    axis_with_points.figure.savefig(drawing, format="svg")
    assert len(set(re.findall(r"stroke-dasharray: ([\d., ]+)", drawing.getvalue()))) == 7


@pytest.mark.slow
def test_the_legend_hides_no_point_however_long_it_is():
    fig, ax = detached_axes(figsize=(9, 6))
    plot_points(X, Y, X, Y, X, Y, title="a title", ax=ax)
    for n in range(9):
        add_boundary(ax, np.add(VERTICAL, [[0.1 * n], [0], [0]]), f"a classifier of number {n}")
    fig.draw_without_rendering()
    legend, axes, figure = ax.get_legend().get_window_extent(), ax.get_window_extent(), fig.bbox
    assert legend.x0 >= axes.x1 and legend.x1 <= figure.x1 + 1 and legend.y0 >= figure.y0


ROWS = [("Perceptron", "books", 1.0, 0.79), ("Naive Bayes", "points", 0.98, 0.96), ("MIRA", "books", 0.9, 0.8125)]


def test_accuracies_are_paired_bars_grouped_by_data_set(ax):
    plot_accuracies(ROWS, ax=ax)
    bars = [(round(bar.get_y() + bar.get_height() / 2, 6), bar.get_width()) for bar in ax.patches]
    assert [width for _, width in sorted(bars)] == [1.0, 0.79, 0.9, 0.8125, 0.98, 0.96]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Perceptron", "MIRA", "Naive Bayes"]
    headings = {text.get_text(): text.get_position()[1] for text in ax.texts if text.get_text() in ("books", "points")}
    perceptron, mira, naive_bayes = ax.get_yticks()
    assert headings["books"] < perceptron < mira < headings["points"] < naive_bayes
    assert ax.yaxis_inverted()
    assert legend_labels(ax) == ["training", "test"]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_accuracy_is_labelled_as_missing(ax, missing):
    plot_accuracies([("SVM", "books", 0.5, missing)], ax=ax)
    assert "n/a" in [text.get_text() for text in ax.texts]
