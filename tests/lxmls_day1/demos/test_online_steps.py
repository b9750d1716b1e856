"""The stepper: the lab's loop, one step at a time, and a count of mistakes that stays below its bound."""

import itertools
import re

import numpy as np
import pytest

from lxmls_day1.demos.online_steps import LEARNERS, DemoOnlineSteps
from lxmls_day1.demos.online_traces import bound_of, points_of, trace_of, visits
from tests.wording import wording


class TestComputing:
    @pytest.mark.parametrize("learner", LEARNERS, ids=[learner.label for learner in LEARNERS])
    def test_the_last_weights_match_the_loop(self, lab, learner):
        X, y = points_of(lab, 20, 2.0, seed=4)
        order = visits(20, 3, seed=4)
        classifier = lab.classifier(learner.module, learner.class_name, nr_rounds=3, averaged=False, order=order)
        trace = trace_of(classifier, X, y, order)
        assert np.allclose(trace.weights[-1], classifier.train(X, y), atol=1e-12)
        assert trace.changes(60) == classifier.nr_updates

    def test_mistakes_are_counted_as_they_are_made(self, lab):
        X, y = points_of(lab, 12, 2.0, seed=1)
        order = visits(12, 2, seed=1)
        trace = trace_of(lab.classifier("perceptron", "Perceptron"), X, y, order)
        w, mistakes = np.zeros(3), 0  # The perceptron of two classes, w = w_1 − w_0; a tie counts as class 0.
        for step, m in enumerate(order.ravel()):
            g, sign = np.array([1, *X[m]]), 2 * y[m] - 1
            if (1 if g @ w > 0 else -1) != sign:
                mistakes += 1
                w = w + 2 * sign * g
            assert trace.mistakes(step + 1) == mistakes
            assert np.allclose(trace.normal(step + 1), w[1:])

    def test_the_bound_holds_and_matches_its_formula(self, lab):
        X, y = points_of(lab, 20, 3.5, seed=2)
        bound = bound_of(lab, X, y)
        assert bound.updates == pytest.approx(2 * 2 * (bound.radius / bound.margin) ** 2)
        assert bound.radius == pytest.approx(np.sqrt(1 + (X**2).sum(axis=1)).max())
        trace = trace_of(lab.classifier("perceptron", "Perceptron"), X, y, visits(20, 50, seed=0))
        assert 0 < trace.mistakes(1000) <= bound.updates


class TestShowing:
    def test_arrows_are_the_weights_and_the_step_lies_along_the_example(self, lab):
        scene = DemoOnlineSteps(lab).scene_of()
        trace = scene.facts["traces"]["Perceptron"]
        X, _ = points_of(lab, 20, 2.5, seed=2)
        lines = [trace.normal(t) / np.linalg.norm(trace.normal(t)) for t in range(3, len(trace.weights))]
        assert scene.steps.start == 4 + np.argmin([line @ after for line, after in itertools.pairwise(lines)])
        step = int(np.flatnonzero(trace.is_mistake)[1]) + 1
        m = scene.facts["order"][step - 1]
        old, new, along = (mark for mark in scene.panels[0].marks if mark["kind"] == "arrow")
        before, after = frame_of(old["to"], step), frame_of(new["to"], step)
        assert frame_of(along["from"], step) == before and frame_of(along["to"], step) == after
        vectors = np.subtract(after, before), before, after
        for one, other in zip(vectors, (X[m], trace.normal(step - 1), trace.normal(step)), strict=True):
            assert abs(np.linalg.det([one, other])) < 1e-3  # parallel
        ring = scene.panels[0].marks[-1]
        np.testing.assert_allclose(frame_of(ring["at"], step), [X[m]], atol=1e-4)
        _, boundary = (mark for mark in scene.panels[0].marks if mark["kind"] == "line")
        for x in frame_of(boundary["path"], step):  # On the boundary the scores are equal.
            assert np.diff(np.array([1, *x]) @ trace.weights[step])[0] == pytest.approx(0, abs=1e-2)

    def test_the_length_in_the_table_is_the_length_of_the_arrow_at_the_scale_of_the_legend(self, lab):
        scene = DemoOnlineSteps(lab).scene_of(view=4)
        for panel, row in zip(scene.panels, frame_of(scene.table.rows, 30), strict=True):
            _, after, step = (mark for mark in panel.marks if mark["kind"] == "arrow")
            scale = float(re.search(r"× ([\d.]+)", step["label"])[1])
            assert np.linalg.norm(frame_of(after["to"], 30)) == pytest.approx(scale * float(row[-1]), rel=0.05)

    def test_all_four_go_the_same_way(self, lab):
        scene = DemoOnlineSteps(lab).scene_of(view=4)
        rings = [frame_of(panel.marks[-1]["at"], 7) for panel in scene.panels]
        assert len(rings) == 4 and rings.count(rings[0]) == 4 and not scene.notes

    def test_the_count_ends_below_its_bound(self, lab):
        scene = DemoOnlineSteps(lab).scene_of(distance=2.5)
        (whole, staircase), mistakes = scene.panels[1].marks, scene.facts["traces"]["Perceptron"].mistakes(60)
        path = staircase["path"]
        assert path[-1].tolist() == [60, mistakes] and frame_of(staircase["count"], 60) == len(path)
        assert mistakes <= scene.facts["bound"] and f"at most {scene.facts['bound']:.0f}" in scene.panels[1].title
        assert whole["label"].startswith(f"{mistakes} ") and whole["count"] is None

    def test_the_numbers_of_the_closer_classes_are_true(self, lab):
        demo = DemoOnlineSteps(lab)
        scenes = [demo.scene_of(), demo.scene_of(**demo.suggestions[1].settings)]
        opening, closer = (each.facts["traces"]["Perceptron"].mistakes(60) for each in scenes)
        numbers = (round(scenes[1].facts["bound"]), closer, opening)
        assert wording("demos.closer_classes", *numbers) in demo.suggestions[1].text

    def test_points_that_no_line_separates_have_no_bound(self, lab):
        scene = DemoOnlineSteps(lab).scene_of(nr_points=60, distance=1)
        assert scene.facts["bound"] is None and "no bound" in scene.panels[1].title


def frame_of(value, frame):
    """Return the part of a value that the page shows at a frame."""
    return value["frames"][value["index"][frame]]


def test_a_new_student_sees_the_points_and_reads_which_exercise_is_missing(workspace):
    scene = DemoOnlineSteps(workspace).scene_of()
    assert "Perceptron (exercise 1.4)" in scene.notes[0] and scene.panels[0].title == "Perceptron: to be written"
    assert sum(len(mark["at"]) for mark in scene.panels[0].marks[:2]) == 20
