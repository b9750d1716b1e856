"""The scenes of the comparison agree with the means and deviations of its measurements."""

import numpy as np
import pytest

from lxmls_day1.demos.accuracy_sweep import SWEEP_VALUES, best_accuracies, measurements
from lxmls_day1.demos.comparison_sweep import LEARNERS, DemoComparison
from lxmls_day1.demos.lab_learners import FailureCollector

AS_DRAWN = 6e-5  # Accuracies are drawn with four decimals.


@pytest.fixture(scope="module")
def demo(lab):
    return DemoComparison(lab)


@pytest.fixture(scope="module")
def rights(lab):
    """Return the share of each class that each learner predicts correctly with three seeds, (3, 2), measured independently."""
    found = {}
    for item in measurements(lab, (1, 2, 3), FailureCollector()):
        found.setdefault((item.quantity, item.learner, item.value), []).append(item.class_accuracies)
    return {key: np.array(right) for key, right in found.items()}


def accuracies(rights, quantity, learner):
    """Return the accuracies on all points, by seed and value, (3, values)."""
    shares = [value if quantity == "balance" else 0.5 for value in SWEEP_VALUES[quantity]]
    each = [rights[quantity, learner, value] for value in SWEEP_VALUES[quantity]]
    return np.transpose([right @ [share, 1 - share] for right, share in zip(each, shares, strict=True)])


def drawn(scene, quantity, kind="line", frame=-1):
    """Return the marks of one kind in a panel, in the order of the classifiers."""
    (panel,) = [panel for panel in scene.panels if panel.name == quantity]
    values = [mark.get("path", mark.get("extents")) for mark in panel.marks if mark["kind"] == kind]
    return [np.array(value["frames"][frame] if isinstance(value, dict) else value) for value in values]


@pytest.mark.slow
@pytest.mark.parametrize("quantity", SWEEP_VALUES)
def test_lines_are_means_and_bars_are_deviations_of_the_frames_seeds(demo, rights, quantity):
    scene, places = demo.scene_of(nr_seeds=3), np.arange(len(SWEEP_VALUES[quantity]))
    highest = [best_accuracies(quantity, value)[0] for value in SWEEP_VALUES[quantity]]
    assert scene.steps.values == [1, 2, 3] and scene.steps.start == 2
    assert scene.facts["done"] == sum(map(len, rights.values()))
    for frame in range(3):
        best, *lines = drawn(scene, quantity, frame=frame)
        np.testing.assert_allclose(best[:, 1], highest, atol=AS_DRAWN)
        for learner, line, bars in zip(LEARNERS, lines, drawn(scene, quantity, "bars", frame), strict=True):
            seeds = accuracies(rights, quantity, learner)[: frame + 1]
            mean, deviation = seeds.mean(axis=0), seeds.std(axis=0, ddof=1) if frame else 0
            np.testing.assert_allclose(line[:, 1], mean, atol=AS_DRAWN)
            assert np.abs(line[:, 0] - places).max() < 0.1
            if frame:
                np.testing.assert_allclose(bars[:, 1:].T, [mean - deviation, mean + deviation], atol=AS_DRAWN)
            assert (line[:, 0] == bars[:, 0]).all() if frame else not len(bars)  # A single seed has no deviation.


def test_other_quantities_need_no_new_training(demo, rights, monkeypatch):
    demo.scene_of(nr_seeds=3)
    monkeypatch.setattr(demo, "lab", None)
    best = [best_accuracies("balance", value)[0] for value in SWEEP_VALUES["balance"]]
    line = drawn(demo.scene_of(nr_seeds=3, scale_of_y="short"), "balance")[-1]
    assert LEARNERS[-1] == "SVM" and (line[:, 1] <= 0).all()  # On all points no learner exceeds the best accuracy.
    np.testing.assert_allclose(line[:, 1], accuracies(rights, "balance", "SVM").mean(axis=0) - best, atol=AS_DRAWN)
    line = drawn(demo.scene_of(nr_seeds=3, part="rare"), "balance")[-1]
    rare = [rights["balance", "SVM", value][:, 0].mean() for value in SWEEP_VALUES["balance"]]
    np.testing.assert_allclose(line[:, 1], rare, atol=AS_DRAWN)


def test_a_learner_can_be_hidden_and_the_axis_holds_what_is_shown(demo):
    scene = demo.scene_of(nr_seeds=3, shown=["SVM"])
    assert [mark["label"] for mark in scene.panels[0].marks if mark["label"]] == ["Bayes optimal", "SVM"]
    for panel in scene.panels:
        assert len(drawn(scene, panel.name)) == 2 and len(drawn(scene, panel.name, "bars")) == 1
        for line in drawn(scene, panel.name):
            assert panel.y.low < line[:, 1].min() and line[:, 1].max() < panel.y.high
    assert "no classifier" in demo.scene_of(nr_seeds=3, shown=[]).says["frames"][-1]


def test_an_abandoned_computation_keeps_its_finished_seeds(lab, rights):
    demo, of_a_seed = DemoComparison(lab), len(rights)
    shares = demo.progress({"nr_seeds": 50})
    so_far = [next(shares) for _ in range(of_a_seed + 7)]
    shares.close()
    assert demo.nr_done == 1 and so_far == sorted(so_far) and 0 <= so_far[0] < so_far[-1] < 0.1
    *rest, scene = demo.progress({"nr_seeds": 2})
    assert len(rest) == of_a_seed  # Only the second seed is missing.
    mean = accuracies(rights, "size", "SVM")[:2].mean(axis=0)
    np.testing.assert_allclose(drawn(scene, "size")[-1][:, 1], mean, atol=AS_DRAWN)
