"""The playground: samples and accuracies as the lab's classes give them, lines where they belong, clicks that count."""

import numpy as np
import pytest
from matplotlib.backend_bases import MouseEvent
from scipy.stats import norm

from lxmls_day1.demos.gaussian_playground import LEARNERS, DemoGaussianPlayground
from lxmls_day1.demos.gaussian_points import OPTIMAL, Points, Setting, draw_sample


@pytest.fixture
def demo(lab):
    return DemoGaussianPlayground(lab)


def mouse(demo, kind, x, y):
    place = demo.axis.transData.transform((x, y))
    MouseEvent(kind, demo.stage.figure.canvas, *place, 1)._process()


def click(demo, x, y):
    mouse(demo, "button_press_event", x, y)
    mouse(demo, "button_release_event", x, y)


class TestComputing:
    def test_the_sample_is_that_of_the_lab(self, lab):
        data, points = draw_sample(lab, Setting(nr_points=60, seed=3, variances=(1.0, 2.0)))
        expected = lab.reader(
            "simple_data_set", "SimpleDataSet", nr_examples=60, g1=[[-1, -1], 1.0], g2=[[1, 1], 2.0], seed=3
        )
        assert np.array_equal(points.part(True)[0], expected.train_X) and np.array_equal(
            points.part(False)[1], expected.test_y
        )
        assert data.get_bayes_error() == expected.get_bayes_error()

    def test_points_come_and_go(self):
        points = Points(np.zeros((2, 2)), np.array([0, 1]), np.array([True, False]), np.zeros(2, dtype=bool))
        more = points.added((3, 4), 1).moved(0, (5, 6))
        assert more.X.tolist() == [[5, 6], [0, 0], [3, 4]] and more.part(True)[1].tolist() == [0, 1]
        assert more.mine().X.tolist() == [[3, 4]] and points.X.tolist() == [[0, 0], [0, 0]]
        assert more.deleted(0).and_those(more.mine()).y.tolist() == [1, 1, 1]


class TestShowing:
    def test_accuracies_and_lines_are_those_of_the_classifiers(self, demo, lab):
        data = lab.reader("simple_data_set", "SimpleDataSet", nr_examples=100)
        for learner in LEARNERS:
            classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
            params = classifier.train(data.train_X, data.train_y)
            expected = [
                np.mean(classifier.test(X, params) == y)
                for X, y in ((data.train_X, data.train_y), (data.test_X, data.test_y))
            ]
            assert demo.stage.last_state["accuracies"][learner.label] == pytest.approx(expected), learner.label
            x = demo.lines[learner.label].get_xydata()
            x = x[np.isfinite(x[:, 0])]
            features = np.hstack([np.ones((len(x), 1)), x, x**2])[:, : len(params)]
            scores = features @ params
            assert len(x) >= 2 and np.allclose(scores[:, 0], scores[:, 1], atol=1e-6 * np.abs(params).max()), (
                learner.label
            )

    def test_the_error_is_the_closed_form(self, demo):
        assert demo.stage.last_state["bayes_error"] == pytest.approx(norm.cdf(-np.sqrt(2)))
        assert f"{norm.cdf(-np.sqrt(2)):.3f}" in demo.best.value

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize(
        "change",
        [
            lambda demo: setattr(demo.means[1][0], "value", 2.5),
            lambda demo: setattr(demo.variances[0], "value", 3.0),
            lambda demo: setattr(demo.balance, "value", 0.2),
            lambda demo: setattr(demo.nr_points, "value", 300),
            lambda demo: setattr(demo.seed, "value", 9),
        ],
    )
    def test_every_slider_moves_something(self, demo, change):
        before = demo.stage.last_state["boundaries"]
        change(demo)
        assert demo.stage.messages == "" and demo.stage.last_state["boundaries"] != before

    def test_a_tick_taken_away_takes_the_line_away(self, demo):
        demo.ticks["MIRA"].value = False
        assert not len(demo.lines["MIRA"].get_xdata()) and demo.stage.last_state["accuracies"]["MIRA"] == [None, None]
        assert len(demo.lines["Perceptron"].get_xdata())

    def test_three_classes(self, demo):
        demo.nr_classes.value = 3
        state = demo.stage.last_state
        assert len(state["means"]) == 3 and sum(state["counts"]) == 100 and min(state["counts"]) > 0
        assert len(state["boundaries"][OPTIMAL]) == 3 and demo.stage.messages == ""
        demo.nr_classes.value = 2
        assert len(demo.stage.last_state["means"]) == 2

    def test_a_setting_that_gives_no_sample_is_a_sentence(self, demo):
        demo.nr_points.value = 20
        demo.balance.value = 0.05
        assert "every class" in demo.stage.messages or "all 2 classes" in demo.stage.messages
        demo.balance.value = 0.5
        assert demo.stage.messages == ""


class TestClicks:
    def test_a_click_adds_a_training_point_that_stays_when_sliders_move(self, demo):
        demo.label.value = 1
        click(demo, -4.0, 3.0)
        state = demo.stage.last_state
        assert state["mine"] == [pytest.approx([-4.0, 3.0])] and state["counts"] == [50, 51]
        assert np.any(np.all(np.isclose(demo.dots[1, True].get_xydata(), [-4, 3]), axis=1))
        demo.seed.value = 2
        assert demo.stage.last_state["mine"] == [pytest.approx([-4.0, 3.0])]
        demo.undo.click()
        assert demo.stage.last_state["nr_points"] == 100

    def test_a_point_is_dragged_and_deleted(self, demo):
        click(demo, -4.0, 3.0)
        demo.click.value = "move"
        mouse(demo, "button_press_event", -4.0, 3.0)
        mouse(demo, "motion_notify_event", 0.0, 4.0)
        mouse(demo, "motion_notify_event", 4.0, 4.0)
        mouse(demo, "button_release_event", 4.0, 4.0)
        assert demo.stage.last_state["mine"] == [pytest.approx([4.0, 4.0])]
        demo.click.value = "delete"
        click(demo, -5.5, -5.5)  # nothing is there
        assert demo.stage.last_state["nr_points"] == 101
        click(demo, 4.0, 4.0)
        assert demo.stage.last_state["nr_points"] == 100

    def test_points_of_a_third_class_go_with_it(self, demo):
        demo.nr_classes.value = 3
        demo.label.value = 2
        click(demo, 5.0, -5.0)
        assert demo.stage.last_state["nr_mine"] == 1
        demo.nr_classes.value = 2
        assert demo.stage.last_state["nr_mine"] == 0 and demo.stage.messages == ""


def test_a_student_sees_what_is_still_to_be_written_and_all_the_rest(workspace):
    demo = DemoGaussianPlayground(workspace)
    state = demo.stage.last_state
    for label, exercise in {"Perceptron": "1.4", "MIRA": "1.5"}.items():
        assert f"{label} is still to be written: Exercise {exercise}:" in demo.stage.messages
        assert state["accuracies"][label] == [None, None] and not state["boundaries"][label]
    for label in ("Naive Bayes", "Max. entropy"):
        assert min(state["accuracies"][label]) > 0.8 and state["boundaries"][label]
    assert state["boundaries"][OPTIMAL]


def test_a_saved_picture_names_the_lines_and_the_page_stays_as_it_was(demo, tmp_path):
    from PIL import Image

    demo.save(tmp_path / "playground.png")
    with Image.open(tmp_path / "playground.png") as picture:
        assert picture.size[0] > 1.3 * picture.size[1]  # the legend is beside the square
    assert demo.axis.get_legend() is None
