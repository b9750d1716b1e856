"""The scenes of the comparison agree with the means and deviations of its measurements."""

from itertools import product

import numpy as np
import pytest

from lxmls_day1.demos.accuracy_sweep import SWEEP_VALUES, best_accuracies, curve, measure
from lxmls_day1.demos.comparison_sweep import AXES, LEARNERS, OPENING, DemoComparison

AS_DRAWN = 6e-3  # Per cent are drawn with two decimals.
EVERYTHING = {"nr_seeds": 3, "over": list(AXES), "shown": list(LEARNERS)}


@pytest.fixture(scope="module")
def demo(lab):
    return DemoComparison(lab)


@pytest.fixture(scope="module")
def rights(lab):
    """Return the share of each class that two learners predict correctly with three seeds, measured independently."""

    def measured(quantity, label):
        return np.array([measure(lab, LEARNERS[label], quantity, seed) for seed in (1, 2, 3)])

    return {pair: measured(*pair) for pair in product(SWEEP_VALUES, ("SVM", *OPENING))}


def best(quantity, part="all"):
    values = SWEEP_VALUES[quantity]
    shares = np.array([value if quantity == "balance" else 0.5 for value in values])
    of_rare, of_other = np.transpose([best_accuracies(quantity, value) for value in values])
    return of_rare if part == "rare" else shares * of_rare + (1 - shares) * of_other


def drawn(scene, quantity, kind="line", frame=-1):
    """Return the paths or rings of a panel by the colour of the classifier, in the order of drawing."""
    (panel,) = [panel for panel in scene.panels if panel.name == quantity]
    values = [mark["path"] if kind == "line" else mark["rings"] for mark in panel.marks if mark["kind"] == kind]
    return [np.array(value["frames"][value["index"][frame]] if isinstance(value, dict) else value) for value in values]


def test_it_opens_with_two_classifiers_below_the_best_in_one_panel(demo):
    scene = demo.scene_of(nr_seeds=3)
    (panel,) = scene.panels
    labels = [mark["label"] for mark in panel.marks if mark["label"]]
    assert panel.name == "size" and labels == [*OPENING, "best possible"]
    *lines, highest = drawn(scene, "size")
    assert (highest[:, 1] == 0).all() and all((line[:, 1] <= 0).all() for line in lines)
    assert [len(seeds) for seeds in demo.measured.values()] == [3] * len(OPENING)  # The others are not trained.


@pytest.mark.slow
@pytest.mark.parametrize("quantity", SWEEP_VALUES)
def test_lines_are_means_and_bands_are_deviations_of_the_frames_seeds(demo, rights, quantity):
    scene, places, highest = demo.scene_of(**EVERYTHING), np.arange(len(SWEEP_VALUES[quantity])), best(quantity)
    assert scene.steps.values == [1, 2, 3] and scene.steps.start == 2 and len(scene.panels) == 3
    for frame in range(3):
        *lines, of_best = drawn(scene, quantity, frame=frame)
        assert (of_best[:, 1] == 0).all() and len(lines) == len(LEARNERS)
        for learner, line, (ring,) in zip(LEARNERS, lines, drawn(scene, quantity, "region", frame), strict=True):
            np.testing.assert_array_equal(line[:, 0], places)
            if (quantity, learner) not in rights:
                continue
            mean, deviation = curve(rights[quantity, learner][: frame + 1], quantity, "all")
            np.testing.assert_allclose(line[:, 1], 100 * (mean - highest), atol=AS_DRAWN)
            low, high = ring[: len(places), 1], ring[len(places) :][::-1, 1]
            np.testing.assert_allclose(low, 100 * (mean - deviation - highest), atol=AS_DRAWN)
            np.testing.assert_allclose(high, 100 * np.minimum(mean + deviation - highest, 0), atol=AS_DRAWN)


def test_other_parts_and_scales_need_no_new_training(demo, rights, monkeypatch):
    asked = {"nr_seeds": 3, "over": ["share of the rarer class"], "shown": ["SVM"]}
    demo.scene_of(**asked)
    monkeypatch.setattr(demo, "lab", None)
    line, _ = drawn(demo.scene_of(scale_of_y="accuracy", **asked), "balance")
    np.testing.assert_allclose(line[:, 1], 100 * curve(rights["balance", "SVM"], "balance", "all")[0], atol=AS_DRAWN)
    rare = demo.scene_of(part="rare", **asked)
    line, highest = drawn(rare, "balance")
    expected = rights["balance", "SVM"][..., 0].mean(axis=0) - best("balance", "rare")
    np.testing.assert_allclose(line[:, 1], 100 * expected, atol=AS_DRAWN)
    assert (highest[:, 1] == 0).all() and "rare class" in rare.observations


def test_a_learner_can_be_hidden_and_the_axis_holds_what_is_shown(demo):
    scene = demo.scene_of(**EVERYTHING | {"shown": ["SVM"]})
    for panel in scene.panels:
        assert [mark["label"] for mark in panel.marks if mark["label"]] == ["SVM", "best possible"]
        for line in drawn(scene, panel.name):
            assert panel.y.low < line[:, 1].min() and line[:, 1].max() < panel.y.high
    nothing = demo.scene_of(nr_seeds=3, shown=[], over=[])
    assert "no classifier" in nothing.says["frames"][-1] and len(nothing.panels) == 1


def test_an_abandoned_computation_keeps_its_finished_seeds(lab, rights):
    demo = DemoComparison(lab)
    shares = demo.progress({"nr_seeds": 50})
    so_far = [next(shares) for _ in range(7)]
    shares.close()
    assert so_far == sorted(so_far) and 0 < so_far[0] < so_far[-1] < 0.1
    *rest, scene = demo.progress({"nr_seeds": 8})
    assert len(rest) == 1 + 8  # One seed of the first classifier was missing, and all of the second one.
    mean, _ = curve(rights["size", OPENING[0]][:2], "size", "all")
    np.testing.assert_allclose(drawn(scene, "size", frame=1)[0][:, 1], 100 * (mean - best("size")), atol=AS_DRAWN)
