import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from lxmls_day1.engine.models.gaussians import discriminant_params
from lxmls_day1.figures.boundaries import decision_boundary, discriminant_scores

UNIT = {"xlim": (-1, 1), "ylim": (-1, 1)}


def two_classes(intercept, w1, w2):
    """Return params of two classes whose scores differ by intercept + w1·x1 + w2·x2."""
    return np.array([[intercept, 0.0], [w1, 0.0], [w2, 0.0]])


def ends(segment):
    """Return the two ends of a segment, in an order that does not depend on the direction of drawing."""
    assert segment.shape == (2, 2)
    return sorted(map(tuple, segment.round(12).tolist()))


@pytest.mark.parametrize(
    ("difference", "xlim", "ylim", "expected"),
    [
        pytest.param((-0.5, 1, 0), (-1, 1), (-2, 2), [(0.5, -2), (0.5, 2)], id="vertical"),
        pytest.param((0.25, 0, -1), (-3, 5), (0, 1), [(-3, 0.25), (5, 0.25)], id="horizontal"),
        pytest.param((0, 1, 1), (-1, 1), (-1, 1), [(-1, 1), (1, -1)], id="through two corners"),
        pytest.param((0, 1, -2), (-4, 4), (-1, 1), [(-2, -1), (2, 1)], id="oblique, out at top and bottom"),
        pytest.param((-2, 1, 2), (0, 1), (0, 5), [(0, 1), (1, 0.5)], id="oblique, out at both sides"),
        pytest.param((-1, 1, 1), (0, 10), (0, 10), [(0, 1), (1, 0)], id="cuts a corner"),
        pytest.param((-1, 1, 0), (0, 1), (0, 1), [(1, 0), (1, 1)], id="along an edge"),
        pytest.param((-5e8, 1, 0), (0, 1e9), (0, 1e-9), [(5e8, 0), (5e8, 1e-9)], id="axes of unlike units"),
        pytest.param((-1e-12, 0, 2e-12), (0, 1), (0, 1), [(0, 0.5), (1, 0.5)], id="tiny weights"),
    ],
)
def test_ends_of_straight_lines(difference, xlim, ylim, expected):
    (segment,) = decision_boundary(two_classes(*difference), xlim, ylim)
    assert ends(segment) == expected


@pytest.mark.parametrize(
    "params",
    [
        pytest.param(two_classes(-3, 1, 0), id="line outside"),
        pytest.param(two_classes(-2, 1, 1), id="line touches a corner"),
        pytest.param(two_classes(1, 0, 0), id="scores differ by a constant"),
        pytest.param(two_classes(0, 0, 0), id="equal columns"),
        pytest.param(np.ones((3, 1)), id="one class"),
        pytest.param(np.zeros((3, 4)), id="untrained"),
        pytest.param([[0, 0, 9], [1, -1, 0], [0, 0, 0]], id="third class above both"),
        pytest.param([[0, 0], [0, 0], [0, 0], [1, 0], [1, 0]], id="equal nowhere but at the centre"),
    ],
)
def test_models_without_a_boundary_have_no_segments(params):
    assert decision_boundary(params, **UNIT) == []


def test_a_class_squeezed_to_nothing_between_two_others_has_no_boundary_of_its_own():
    """Scores −x1, 0, x1: the middle class ties on x1 = 0 and wins nowhere."""
    for order in ([0, 1, 2], [1, 0, 2], [2, 0, 1]):
        params = np.array([[0, 0, 0], [-1, 0, 1], [0, 0, 0]], dtype=float)[:, order]
        assert [ends(segment) for segment in decision_boundary(params, **UNIT)] == [[(0, -1), (0, 1)]]


weights = st.floats(-3, 3).map(lambda w: round(w, 3))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.integers(2, 5).flatmap(lambda k: st.lists(st.tuples(weights, weights, weights), min_size=k, max_size=k)))
def test_segments_are_where_the_two_best_scores_tie_and_the_prediction_changes(columns):
    params = np.array(columns).T
    for segment in decision_boundary(params, (-2, 3), (-1, 1.5)):
        assert np.all(segment >= [-2, -1]) and np.all(segment <= [3, 1.5])
        scores = np.sort(discriminant_scores(segment, params, quadratic=False), axis=1)
        np.testing.assert_allclose(scores[:, -1], scores[:, -2], atol=1e-8)
        middle, (dx, dy) = segment.mean(axis=0), segment[1] - segment[0]
        across = np.array([-dy, dx]) / np.hypot(dx, dy)
        both_sides = [middle - 1e-7 * across, middle + 1e-7 * across]
        labels = discriminant_scores(both_sides, params, quadratic=False).argmax(axis=1)
        assert labels[0] != labels[1]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4).flatmap(lambda k: st.lists(st.tuples(weights, weights, weights), min_size=k, max_size=k)))
def test_every_change_of_the_prediction_along_a_line_is_crossed_by_a_segment(columns):
    """Walk along x2 = 0.137 and compare the points of label changes with the segments that cross there."""
    params = np.array(columns).T
    x1 = np.linspace(-1, 1, 2001)
    labels = discriminant_scores(np.column_stack([x1, np.full_like(x1, 0.137)]), params, quadratic=False).argmax(axis=1)
    segments = decision_boundary(params, **UNIT)
    for n in np.flatnonzero(np.diff(labels)):
        distances = [distance_to_segment(np.array([x1[n : n + 2].mean(), 0.137]), *segment) for segment in segments]
        assert min(distances) <= x1[1] - x1[0]


def distance_to_segment(point, start, end):
    t = np.clip((point - start) @ (end - start) / np.sum((end - start) ** 2), 0, 1)
    return np.linalg.norm(start + t * (end - start) - point)


def log_posteriors(points, prior, means, variances):
    classes = zip(prior, means, variances, strict=True)
    joint = np.column_stack([p * multivariate_normal(m, np.diag(v)).pdf(points) for p, m, v in classes])
    return np.log(joint / joint.sum(axis=1, keepdims=True))


def test_concentric_classes_meet_on_a_circle():
    """N(0, I) and N(0, 4I), balanced: equal where x² = 2 log 4 / (1 − 1/4)."""
    params = discriminant_params([0.5, 0.5], np.zeros((2, 2)), [[1, 1], [4, 4]])
    (circle,) = decision_boundary(params, (-3, 3), (-4, 4))
    np.testing.assert_allclose(np.linalg.norm(circle, axis=1), np.sqrt(2 * np.log(4) / 0.75), atol=1e-12)
    np.testing.assert_array_equal(circle[0], circle[-1])
    angles = np.sort(np.arctan2(circle[:, 1], circle[:, 0]))
    assert np.diff(angles).max() < 0.05


@pytest.mark.parametrize(
    "variances",
    [
        pytest.param([[1, 1], [2, 2]], id="circle"),
        pytest.param([[1, 2], [2, 3]], id="ellipse"),
        pytest.param([[1, 2], [2, 1]], id="hyperbola"),
        pytest.param([[1, 2], [1, 1]], id="parabola"),
        pytest.param([[1, 1], [1, 1]], id="line"),
    ],
)
def test_posteriors_are_equal_on_a_conic(variances):
    mixture = [0.4, 0.6], np.array([[-1.0, -1.0], [1.0, 1.0]]), np.array(variances, dtype=float)
    polylines = decision_boundary(discriminant_params(*mixture), (-6, 7), (-5, 5))
    assert polylines
    for polyline in polylines:
        posteriors = log_posteriors(polyline, *mixture)
        np.testing.assert_allclose(posteriors[:, 0], posteriors[:, 1], atol=1e-9)
        assert np.all(np.abs(polyline - [0.5, 0]) <= [6.5, 5])
        if not np.array_equal(polyline[0], polyline[-1]):  # An open curve ends at the rectangle's edge.
            for end in (polyline[0], polyline[-1]):
                assert end[0] in (-6, 7) or end[1] in (-5, 5)


def test_three_curves_meet_in_one_point_and_no_third_class_wins_on_them():
    means, variances = [[-2.0, 0.0], [2.0, 0.0], [0.0, 3.0]], [[1.0, 1.0], [1.5, 1.0], [1.0, 0.7]]
    mixture = [0.3, 0.3, 0.4], np.array(means), np.array(variances)
    polylines = decision_boundary(discriminant_params(*mixture), (-4, 4), (-3, 4))
    for polyline in polylines:
        posteriors = np.sort(log_posteriors(polyline, *mixture), axis=1)
        np.testing.assert_allclose(posteriors[:, 2], posteriors[:, 1], atol=1e-6)
    ends_of_all = [end for polyline in polylines for end in (polyline[0], polyline[-1])]
    inner_ends = [(x, y) for x, y in ends_of_all if abs(x) < 3.999 and -2.999 < y < 3.999]
    assert len(inner_ends) == 3
    np.testing.assert_allclose(inner_ends, np.tile(inner_ends[0], (3, 1)), atol=1e-9)
    np.testing.assert_allclose(np.ptp(log_posteriors(np.array(inner_ends), *mixture), axis=1), 0, atol=1e-9)
