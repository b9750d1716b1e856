"""The stepper: the lab's loop, one step at a time, and a count that keeps below its bound."""

import numpy as np
import pytest

from lxmls_day1.course.solve_reset_undo import solve
from lxmls_day1.course.workspace import start_workspace
from lxmls_day1.demos.online_steps import LEARNERS, DemoOnlineSteps
from lxmls_day1.demos.online_traces import bound_of, points_of, trace_of, visits
from lxmls_day1.errors import InputError
from lxmls_day1.lab import Lab


def cross(a, b):
    """0 for parallel vectors."""
    return a[0] * b[1] - a[1] * b[0]


@pytest.fixture
def demo(lab):
    return DemoOnlineSteps(lab)


class TestComputing:
    @pytest.mark.parametrize("learner", LEARNERS, ids=[learner.label for learner in LEARNERS])
    def test_the_last_weights_are_those_of_the_loop(self, lab, learner):
        X, y = points_of(lab, 20, 2.0, seed=4)
        order = visits(20, 3, seed=4)
        classifier = lab.classifier(learner.module, learner.class_name, nr_rounds=3, averaged=False, order=order)
        trace = trace_of(classifier, learner.label, X, y, order)
        assert np.allclose(trace.weights[-1], classifier.train(X, y), atol=1e-12)
        assert trace.changes(60) == classifier.nr_updates

    def test_mistakes_are_counted_as_they_are_made(self, lab):
        X, y = points_of(lab, 12, 2.0, seed=1)
        order = visits(12, 2, seed=1)
        trace = trace_of(lab.classifier("perceptron", "Perceptron"), "Perceptron", X, y, order)
        w, mistakes = np.zeros(3), 0  # the perceptron of two classes, w = w_1 − w_0; a tie counts as class 0
        for step, m in enumerate(order.ravel()):
            g, sign = np.array([1, *X[m]]), 2 * y[m] - 1
            if (1 if g @ w > 0 else -1) != sign:
                mistakes += 1
                w = w + 2 * sign * g
            assert trace.mistakes(step + 1) == mistakes
            assert np.allclose(trace.normal(step + 1), w[1:])

    def test_the_bound_holds_and_is_what_its_formula_says(self, lab):
        X, y = points_of(lab, 20, 3.5, seed=2)
        bound = bound_of(lab, X, y)
        assert bound.updates == pytest.approx(2 * 2 * (bound.radius / bound.margin) ** 2)
        assert bound.radius == pytest.approx(np.sqrt(1 + (X**2).sum(axis=1)).max())
        trace = trace_of(lab.classifier("perceptron", "Perceptron"), "Perceptron", X, y, visits(20, 50, seed=0))
        assert 0 < trace.mistakes(1000) <= bound.updates

    def test_there_is_no_bound_where_no_line_parts_the_points(self, lab):
        X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
        assert bound_of(lab, X, np.array([0, 0, 1, 1])) is None

    def test_a_rule_that_returns_nothing_is_told(self, lab):
        perceptron = lab.classifier("perceptron", "Perceptron")
        perceptron.rule = lambda *arguments: None
        with pytest.raises(InputError, match="must return d, 2 numbers, but returned None"):
            trace_of(perceptron, "x", np.eye(2), np.array([0, 1]), np.array([0, 1]))


class TestShowing:
    def test_back_shows_the_very_weights_that_were_there(self, demo):
        seen = []
        for _ in range(6):
            seen.append(demo.stage.last_state)
            demo.forth.click()
        for state in reversed(seen):
            demo.back.click()
            assert demo.stage.last_state == state
        demo.back.click()
        assert demo.stage.last_state["step"] == 0

    def test_arrows_are_the_weights_and_the_step_lies_along_the_example(self, demo):
        trace = demo.traces["Perceptron"]
        step = int(np.flatnonzero(trace.is_mistake)[1]) + 1
        demo.go_to(step)
        panel = demo.panels["Perceptron"]
        m = demo.order.ravel()[step - 1]
        start, end = panel.arrows["step"]._posA_posB
        along = np.subtract(end, start)
        assert abs(cross(along, demo.X[m])) < 1e-9 and panel.verdict.get_text() == "✗"
        assert panel.ring.get_xydata().tolist() == [demo.X[m].tolist()]
        old, new = panel.arrows["old"]._posA_posB[1], panel.arrows["new"]._posA_posB[1]
        assert np.allclose(start, old) and np.allclose(end, new)
        assert np.allclose(cross(old, trace.normal(step - 1)), 0) and np.allclose(cross(new, trace.normal(step)), 0)
        for x in panel.after.get_xydata():  # the boundary is where the scores are equal
            assert np.diff(np.array([1, *x]) @ trace.weights[step])[0] == pytest.approx(0, abs=1e-9)

    def test_all_four_go_the_same_way(self, demo):
        demo.go_to(7)
        demo.view.value = 4
        assert demo.stage.last_state["step"] == 7 and len(demo.panels) == 4
        assert {tuple(panel.ring.get_xydata()[0]) for panel in demo.panels.values()} == {
            tuple(demo.X[demo.order.ravel()[6]])
        }
        assert demo.stage.messages == ""

    def test_the_count_is_drawn_below_its_bound(self, demo):
        demo.go_to(demo.order.size)
        made, bound = demo.made.get_ydata(), demo.limit.get_ydata()
        assert made[-1] == demo.stage.last_state["mistakes"]["Perceptron"] and made.max() <= bound[0]

    def test_other_points_begin_anew(self, demo):
        demo.go_to(9)
        demo.nr_points.value = 10
        state = demo.stage.last_state
        assert state["step"] == 0 and state["steps"] == 30 and list(demo.frames()) == list(range(31))

    def test_points_that_no_line_parts_have_no_bound(self, demo):
        demo.nr_points.value = 60
        demo.distance.value = 1
        assert demo.stage.last_state["bound"] is None and "no line" in demo.limit_text.get_text()


def test_a_student_who_begins_sees_the_points_and_reads_what_is_still_to_be_written(workspace):
    demo = DemoOnlineSteps(workspace)
    assert "Perceptron is still to be written: Exercise 1.4:" in demo.stage.messages
    assert demo.panels["Perceptron"].axis.get_title() == "Perceptron: to be written"
    demo.forth.click()
    state = demo.stage.last_state
    assert state["step"] == 1 and state["example"] is not None and not state["weights"]
    assert sum(len(dots.get_xdata()) for dots in demo.panels["Perceptron"].dots) == 20


def test_a_student_sees_the_perceptron_and_reads_what_is_still_to_be_written(tmp_path):
    folder = start_workspace(tmp_path / "my-lab")
    solve(folder, "1.4")
    demo = DemoOnlineSteps(Lab(folder))
    demo.view.value = 4
    demo.go_to(60)
    state = demo.stage.last_state
    assert set(state["weights"]) == {"Perceptron"} and state["updates"]["Perceptron"] > 0
    assert demo.panels["MIRA"].axis.get_title() == "MIRA: to be written"
