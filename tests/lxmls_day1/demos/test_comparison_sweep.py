"""The scenes of the comparison against the means and deviations of its measurements."""

import numpy as np
import pytest

from lxmls_day1.demos.accuracy_sweep import SWEPT, Results, best_accuracies, measurements
from lxmls_day1.demos.comparison_sweep import LEARNERS, DemoComparison
from lxmls_day1.demos.learners import Attempts

AS_DRAWN = 6e-5  # four decimals of an accuracy are drawn


@pytest.fixture(scope="module")
def demo(lab):
    return DemoComparison(lab)


@pytest.fixture(scope="module")
def found(lab):
    """The measurements of three seeds, made apart from the demonstration."""
    results = Results()
    for item in measurements(lab, (1, 2, 3), Attempts()):
        results.add(item)
    return results


def drawn(scene, quantity, kind="line", frame=-1):
    """The marks of one kind in a panel, which stand in the order of the classifiers."""
    (panel,) = [panel for panel in scene.panels if panel.name == quantity]
    values = [mark.get("path", mark.get("extents")) for mark in panel.marks if mark["kind"] == kind]
    return [np.array(value["frames"][frame] if isinstance(value, dict) else value) for value in values]


@pytest.mark.slow
def test_lines_are_means_and_bars_are_one_deviation_each_way(demo, found):
    scene = demo.scene_of(nr_seeds=3)
    for quantity, values in SWEPT.items():
        best, *lines = drawn(scene, quantity)
        np.testing.assert_allclose(best[:, 1], [best_accuracies(quantity, v)[0] for v in values], atol=AS_DRAWN)
        for learner, line, bars in zip(LEARNERS, lines, drawn(scene, quantity, "bars"), strict=True):
            seeds = np.array([found.accuracies(quantity, learner, value) for value in values])
            mean, deviation = seeds.mean(axis=1), seeds.std(axis=1, ddof=1)
            np.testing.assert_allclose(line[:, 1], mean, atol=AS_DRAWN)
            np.testing.assert_allclose(bars[:, 1:].T, [mean - deviation, mean + deviation], atol=AS_DRAWN)
            fact = scene.facts["curves"][quantity][learner]
            np.testing.assert_allclose([fact["mean"], fact["deviation"]], [mean, deviation])
            assert np.abs(line[:, 0] - np.arange(len(values))).max() < 0.1 and (line[:, 0] == bars[:, 0]).all()
    assert scene.facts["done"] == 3 * 6 * sum(map(len, SWEPT.values()))


def test_a_frame_is_what_so_many_seeds_say(demo, found):
    scene = demo.scene_of(nr_seeds=3)
    assert scene.steps.values == [1, 2, 3] and scene.steps.start == 2
    for frame in range(3):
        line, bars = (drawn(scene, "size", kind, frame)[-1] for kind in ("line", "bars"))
        means = [found.accuracies("size", "SVM", value)[: frame + 1].mean() for value in SWEPT["size"]]
        np.testing.assert_allclose(line[:, 1], means, atol=AS_DRAWN)
        assert len(bars) == (len(means) if frame else 0)  # of one seed there is no deviation


def test_what_is_below_the_best_and_the_rare_class_need_no_new_training(demo, found, monkeypatch):
    demo.scene_of(nr_seeds=3)
    monkeypatch.setattr(demo, "lab", None)
    best = [best_accuracies("balance", value)[0] for value in SWEPT["balance"]]
    line = drawn(demo.scene_of(nr_seeds=3, scale_of_y="short"), "balance")[-1]
    assert LEARNERS[-1] == "SVM" and (line[:, 1] <= 0).all()  # on all points nobody is better than the best
    np.testing.assert_allclose(line[:, 1], found.curve("balance", "SVM")[0] - best, atol=AS_DRAWN)
    line = drawn(demo.scene_of(nr_seeds=3, part="rare"), "balance")[-1]
    rare = [np.mean([right[0] for right in found.found["balance", "SVM", v].values()]) for v in SWEPT["balance"]]
    np.testing.assert_allclose(line[:, 1], rare, atol=AS_DRAWN)


def test_a_learner_can_be_hidden_and_the_axis_holds_what_is_shown(demo):
    scene = demo.scene_of(nr_seeds=3, shown=["SVM"])
    assert [mark["label"] for mark in scene.panels[0].marks if mark["label"]] == ["Bayes optimal", "SVM"]
    for panel in scene.panels:
        assert len(drawn(scene, panel.name)) == 2 and len(drawn(scene, panel.name, "bars")) == 1
        for line in drawn(scene, panel.name):
            assert panel.y.low < line[:, 1].min() and line[:, 1].max() < panel.y.high
    assert "no classifier" in demo.scene_of(nr_seeds=3, shown=[]).says["frames"][-1]


def test_a_computation_that_is_given_up_keeps_the_seeds_that_it_has_finished(lab, found):
    demo, of_a_seed = DemoComparison(lab), len(LEARNERS) * sum(map(len, SWEPT.values()))
    shares = demo.progress({"nr_seeds": 50})
    so_far = [next(shares) for _ in range(of_a_seed + 7)]
    shares.close()
    assert demo.nr_done == 1 and so_far == sorted(so_far) and 0 <= so_far[0] < so_far[-1] < 0.1
    *rest, scene = demo.progress({"nr_seeds": 2})
    assert len(rest) == of_a_seed  # of the second seed alone
    mean = scene.facts["curves"]["size"]["MIRA"]["mean"]
    np.testing.assert_allclose(mean, [found.accuracies("size", "MIRA", value)[:2].mean() for value in SWEPT["size"]])


@pytest.mark.usefixtures("imports_as_before")
def test_in_a_student_s_workspace_what_is_not_written_is_said_and_the_others_are_measured(workspace):
    scene = DemoComparison(workspace).scene_of(nr_seeds=2)
    (note,) = scene.notes
    assert all(text in note for text in ("Perceptron (exercise 1.4)", "MIRA (exercise 1.5)", "SVM (exercise 1.7)"))
    assert scene.facts["done"] == 2 * 2 * sum(map(len, SWEPT.values()))
    measured = {label for label, curve in scene.facts["curves"]["size"].items() if np.isfinite(curve["mean"]).all()}
    assert measured == {"Gaussian naive Bayes", "Max. entropy (batch)"}
