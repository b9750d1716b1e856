import numpy as np
import pytest
from matplotlib.figure import Figure

from lxmls_day1.figures.counter_examples import PICTURES, picture

STEP = {"scores": [0, 1], "true class": 0, "‖g(x)‖²": 2}
SENTENCE = {"emissions": [[0, 1], [1, 0]], "transitions": [[0, 0], [0, 0]], "start": [0, 0], "stop": [0, 0]}
POINTS = {"points": [[-1.0], [2.0]], "classes": [0, 1]}
WEIGHTS = [[0.0, 1.0], [0.5, -0.5]]


@pytest.fixture
def ax():
    return Figure().add_subplot()


def test_bars_are_the_scores_before_and_after(ax):
    PICTURES["steps"](STEP, np.array([0.5, -0.5]), np.array([1.0, -1.0]), ax)
    assert [[bar.get_height() for bar in bars] for bars in ax.containers] == [[0, 1], [1, 0], [2, -1]]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["class 0 (true)", "class 1"]


def test_both_paths_go_through_the_tags(ax):
    PICTURES["paths"](SENTENCE, np.array([1, 0]), np.array([0, 0]), ax)
    assert [np.round(line.get_ydata()).tolist() for line in ax.lines] == [[1, 0], [0, 0]]
    assert [text.get_text() for text in ax.texts] == ["0", "1", "1", "0"]


def test_boundaries_are_where_two_classes_score_alike(ax):
    PICTURES["boundaries"](POINTS, np.array(WEIGHTS), np.array(WEIGHTS), ax)
    for line in ax.lines[-2:]:
        assert np.allclose(line.get_xdata(), 1.0)  # 0 + 0.5 x = 1 − 0.5 x


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
    ],
)
def test_what_cannot_be_drawn_is_left_out(kind, given, wanted, got, drawn):
    made = picture(kind, given, np.array(wanted), np.array(got))
    assert (made or b"").startswith(b"\x89PNG") == drawn
