from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure

from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.figures.counter_examples import PLOTS, render_png
from lxmls_day1.figures.plotting import CLASS_COLOURS, CLASS_MARKERS
from lxmls_day1.lab import reference_folder

STEP = {"scores": [0, 1], "true class": 0, "‖g(x)‖²": 2}
SENTENCE = {"emissions": [[0, 1], [1, 0]], "transitions": [[0, 0], [0, 0]], "start": [0, 0], "stop": [0, 0]}
POINTS = {"points": [[-1.0], [2.0]], "classes": [0, 1]}
WEIGHTS = [[0.0, 1.0], [0.5, -0.5]]  # The lead of class 1 is 1 − x.
MEANS = {"priors": [0.5, 0.5], "means": [[0, 1], [2, 0]], "variance": 1.0}


@pytest.fixture
def ax():
    return Figure().add_subplot()


def test_bars_are_the_scores_before_and_after(ax):
    PLOTS["steps"](STEP, np.array([0.5, -0.5]), np.array([1.0, -1.0]), ax)
    assert [[bar.get_height() for bar in bars] for bars in ax.containers] == [[0, 1], [1, 0], [2, -1]]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["class 0 (true)", "class 1"]


def test_bars_of_height_0_are_seen_with_their_numbers_and_no_text_lies_over_another():
    ax = Figure(figsize=(5.6, 2.8), layout="constrained").add_subplot()
    given = {"scores": [0, 0, 0], "true class": 0}
    PLOTS["steps"](given, np.array([2 / 3, -1 / 3, -1 / 3]), np.array([0.5, -0.5, 0.0]), ax)
    bars = [bar for container in ax.containers for bar in container]
    assert all(bar.get_linewidth() >= 1 and bar.get_edgecolor() == bar.get_facecolor() for bar in bars)
    assert [text.get_text() for text in ax.texts] == [*"000", "0.667", "−0.333", "−0.333", "0.5", "−0.5", "0"]
    ax.figure.draw_without_rendering()
    texts = [*ax.texts, *ax.get_xticklabels(), *ax.get_yticklabels(), *ax.figure.legends[0].get_texts()]
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    assert not any(box.overlaps(other) for box, other in combinations(boxes, 2))
    assert all(box.x0 >= 0 and box.x1 <= ax.figure.bbox.width for box in boxes)


def test_a_class_looks_as_in_every_figure_and_no_answer_looks_like_a_class(ax):
    PLOTS["boundaries"]({"points": [[1.0]], "classes": [1]}, [[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 2.0]], ax)
    looks = {line.get_label(): (line.get_color(), line.get_marker()) for line in ax.lines}
    assert looks["class 1"] == (CLASS_COLOURS[1], CLASS_MARKERS[1])
    assert not {looks["expected"][0], looks["yours"][0]} & {*CLASS_COLOURS[:3]}


def test_a_boundary_beside_the_points_is_seen(ax):
    given = {"means": [[0, 1], [2, 0]], "priors": [0.9, 0.1], "variance": 1.0}
    PLOTS["boundaries"](given, np.array([[3.0], [1.0], [0.0]]), np.array([[-5.0], [1.0], [0.0]]), ax)  # x = −3, x = 5
    low, high = ax.get_xlim()
    assert low < -3 and high > 5


def test_both_paths_go_through_the_tags(ax):
    PLOTS["paths"](SENTENCE, np.array([1, 0]), np.array([0, 0]), ax)
    assert [np.round(line.get_ydata()).tolist() for line in ax.lines] == [[1, 0], [0, 0]]
    assert [text.get_text() for text in ax.texts] == ["0", "1", "1", "0"]


def test_the_path_of_one_word_is_seen_around_its_score_and_start_and_stop_stand_beside_the_word(ax):
    given = {"emissions": [[0.5, 0.25]], "transitions": [[0, 0], [0, 0]], "start": [0, 0], "stop": [0, 1]}
    PLOTS["paths"](given, np.array([1]), np.array([0]), ax)
    boxes = [text.get_window_extent() for text in ax.texts[:2]]
    for line, box in zip(ax.lines, [boxes[1], boxes[0]], strict=True):
        x, y = ax.transData.transform(line.get_xydata()[0])
        ring = line.get_markersize() / 72 * ax.figure.dpi / 2
        assert line.get_markerfacecolor() == "none" and ring > max(box.width, box.height) / 2
        assert np.hypot(x - (box.x0 + box.x1) / 2, y - (box.y0 + box.y1) / 2) < ring / 2
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["word 0", "stop"]
    assert [text.get_text() for text in ax.texts] == ["0.5", "0.25", "0", "1"]


def test_with_one_feature_the_lead_of_class_1_is_zero_at_the_boundary(ax):
    mean, other = np.array([[0.0, 2.0], [0.0, -1.0]]), np.array([[0.0, 2.0], [0.0, -2.0]])
    PLOTS["boundaries"](POINTS, np.array([WEIGHTS, mean]), np.array([WEIGHTS, other]), ax)
    leads = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    # 2 − x and 2 − 2x; the means differ.
    assert leads["expected"] == [[-2, 4], [3, -1]] and leads["yours"] == [[-2, 6], [3, -4]]


def test_with_two_features_boundaries_are_lines_in_the_plane(ax):
    wanted, got = np.array([[-1.5], [2.0], [-1.0]]), np.array([[-3.0], [0.0], [2.0]])  # 2x − y = 1.5, and y = 1.5
    PLOTS["boundaries"](MEANS, wanted, got, ax)
    lines = {line.get_label(): line.get_xydata() for line in ax.lines}
    np.testing.assert_allclose(lines["expected"] @ [2.0, -1.0], 1.5)
    np.testing.assert_allclose(lines["yours"] @ [0.0, 1.0], 1.5)
    assert lines["mean of class 1"].tolist() == [[2, 0]]


@pytest.mark.parametrize(
    ("kind", "given", "wanted", "got", "drawn"),
    [
        ("steps", STEP, [0.5, -0.5], [1.0, -1.0], True),
        ("steps", STEP, [0.5, -0.5], [1.0], False),
        ("steps", STEP, [0.5, -0.5], "raises KeyError", False),
        ("steps", STEP, [0.5, -0.5], [np.nan, 0.0], False),
        ("steps", {}, [0.5, -0.5], [1.0, -1.0], False),
        ("steps", STEP, [0.5, -0.5, 1.0], [1.0, -1.0, 1.0], False),
        ("paths", {"x": 3}, [0, 1], [1, 1], False),
        ("boundaries", MEANS, [[-1.5], [2.0], [-1.0]], [[-1.5], [2.0], [1.0]], True),
        ("boundaries", MEANS, [[-1.5], [2.0], [-1.0]], [[3.0], [-4.0], [2.0]], False),  # The same boundary.
        ("boundaries", MEANS, [[-1.5], [2.0], [-1.0]], [[-1.5], [0.0], [0.0]], False),  # none
        ("boundaries", MEANS, [[-1.5], [2.0], [-1.0], [1.0]], [[-1.5], [2.0], [1.0], [1.0]], False),
        ("boundaries", POINTS, [WEIGHTS, WEIGHTS], [WEIGHTS, WEIGHTS], False),
        ("boundaries", POINTS, WEIGHTS, [[0.0, 1.0], [0.5, 0.5]], True),  # A single matrix.
        ("boundaries", POINTS, WEIGHTS, WEIGHTS, False),
    ],
)
def test_invalid_inputs_are_not_drawn(kind, given, wanted, got, drawn):
    made = render_png(kind, given, np.array(wanted), np.array(got))
    assert (made or b"").startswith(b"\x89PNG") == drawn


PICTURED = [exercise for exercise in Registry.from_folder(reference_folder()) if exercise.counter_example]


@pytest.fixture(scope="module")
def pools():
    return RecordedAnswers.read(reference_folder() / RECORDED).pools


@pytest.mark.one_in(4)
@pytest.mark.parametrize("exercise", PICTURED, ids=str)
def test_small_inputs_of_an_exercise_have_the_form_that_its_picture_needs(pools, exercise):
    kind, pool = exercise.counter_example, pools[exercise.id]
    samples = zip(pool.inputs[:3], pool.answers, strict=False)
    assert any(render_png(kind, given, right.array, wrong.array) for given, (right, wrong, *_) in samples)


SIZES = pytest.mark.parametrize("size", [1e308, -1e308, 1e200, 5e-324, 0.0])


@SIZES
@pytest.mark.parametrize(("n_features", "place"), [(1, (1, 1)), (2, (0, 1)), (2, (2, 1))])
def test_boundaries_without_measure_end_in_a_picture_or_in_none(n_features, place, size):
    """A warning is an error in all tests, because a student would read it below the verdict."""
    points = np.array([[-1.0, 0.0], [1.0, 2.0]])[:, :n_features]
    wanted = np.column_stack([np.zeros(1 + n_features), np.ones(1 + n_features)])
    got = wanted.copy()
    got[place] = size
    drawn = render_png("boundaries", {"points": points.tolist(), "classes": [0, 1]}, wanted[None], got[None])
    assert drawn is None or drawn.startswith(b"\x89PNG")


@SIZES
def test_steps_without_measure_are_drawn(size):
    assert render_png("steps", {"scores": [0.0, 1.0], "‖g(x)‖²": 7.0}, [1.0, -1.0], [size, -size]) is not None
