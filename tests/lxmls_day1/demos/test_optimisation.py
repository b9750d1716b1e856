"""The scenes of the optimisation demonstration agree with independently computed curves."""

import numpy as np
import pytest

from lxmls_day1.demos import objective_curves
from lxmls_day1.demos.objective_curves import Data
from lxmls_day1.demos.optimisation import METHODS, REGULARIZER_OF_SVM, STRETCH, DemoOptimisation

pytestmark = pytest.mark.usefixtures("measured_once")


@pytest.fixture(scope="module")
def demo(lab):
    return DemoOptimisation(lab)


@pytest.fixture
def computed(lab, found):
    """Return a function from settings to the curves by name, and the optimum."""
    points = lab.reader("simple_data_set", "SimpleDataSet", nr_examples=200, split=[1, 0, 0])
    return lambda **settings: found(Data(points.train_X * STRETCH, points.train_y), nr_passes=10, **settings)[:2]


def drawn(scene):
    """Return the lines of the panel of heights: name -> (n, 2)."""
    return {mark["label"]: mark["path"] for mark in scene.panels[-1].marks if mark["kind"] == "line"}


def frames_of(value):
    """Return a value by frame as a list."""
    return [np.array(value["frames"][index]) for index in value["index"]]


@pytest.mark.slow
@pytest.mark.parametrize("cost", ["passes", "seconds"])
def test_every_curve_is_drawn_as_computed(demo, computed, cost):
    by_name, optimum = computed()
    scene = demo.scene_of(nr_passes=10, cost=cost, scale_of_y="objective", methods=list(METHODS))
    assert len(by_name) == len(METHODS) and scene.facts["optimum"] == optimum and not scene.notes
    panel = scene.panels[-1]
    assert list(drawn(scene)) == list(by_name) == list(scene.facts["curves"])
    assert panel.y.low < optimum and (panel.x.scale, panel.x.low) == ("symlog", 0)
    for name, path in drawn(scene).items() if cost == "passes" else ():
        curve = by_name[name]
        np.testing.assert_array_equal(path, np.column_stack([curve.passes, curve.objective]))
        np.testing.assert_array_equal(scene.facts["curves"][name].objective, curve.objective)


def test_at_each_frame_every_method_is_where_it_is_after_so_many_passes(demo, computed):
    by_name, optimum = computed()
    scene = demo.scene_of(nr_passes=10)
    assert scene.steps.values[:3] == ["0", "1", "2"] and scene.steps.values[scene.steps.start] == "5"
    ways = [mark["path"] for mark in scene.panels[0].marks if mark["kind"] == "line"][1:]
    moving = ([mark["at"] for mark in panel.marks if isinstance(mark.get("at"), dict)] for panel in scene.panels)
    runners = [list(map(frames_of, values)) for values in moving]
    for name, way, above, height in zip(METHODS[:3], ways, *runners, strict=True):
        curve = by_name[name]
        np.testing.assert_array_equal(way, curve.weights[:, 1:])
        for passes, place, at in zip(map(float, scene.steps.values), above, height, strict=True):
            reached = np.flatnonzero(curve.passes <= passes)[-1]
            np.testing.assert_allclose(place[0], curve.weights[reached, 1:], rtol=1e-4)
            assert at[0, 0] == curve.passes[reached]
            assert at[0, 1] == pytest.approx(curve.objective[reached] - optimum, rel=1e-4)
    final = [row[1] for row in scene.table.rows["frames"][-1]]
    assert final == ["L-BFGS", "SGD", "Gradient descent"]


def test_the_contours_have_the_objective_s_levels(demo, lab):
    scene = demo.scene_of(nr_passes=10, regularizer=0.01)
    contour = scene.panels[0].marks[0]["path"]
    points = lab.reader("simple_data_set", "SimpleDataSet", nr_examples=200, split=[1, 0, 0])
    objective = lab.load("classifiers.max_ent_batch").MaxEntObjective
    function = objective(points.train_X * STRETCH, points.train_y, 2, 0.01, True)
    best = min(scene.facts["curves"].values(), key=lambda curve: curve.objective[-1])
    breaks = np.flatnonzero(np.isnan(contour[:, 0]))
    for part in np.split(contour, breaks):
        heights = [function(np.array([best.weights[-1, 0], *v]))[0] for v in part if np.isfinite(v).all()]
        assert np.ptp(heights) < 0.05 * np.mean(heights)


def test_only_the_methods_that_a_setting_concerns_run_again(lab, monkeypatch):
    """The scene is that of a new demonstration, which computes everything."""
    demo, ran = DemoOptimisation(lab), []
    demo.scene_of(nr_passes=10)
    run = objective_curves.time_repeatedly
    monkeypatch.setattr(objective_curves, "time_repeatedly", lambda *given: ran.append(run(*given)) or ran[-1])
    scene = demo.scene_of(nr_passes=10, initial_step=0.3, alpha=0.8)
    assert [[curve.name for curve in items] for items in ran] == [["SGD"]]
    slow = DemoOptimisation(lab).scene_of(nr_passes=10, initial_step=0.3, alpha=0.8)
    assert scene.data() == slow.data() and scene.facts["curves"].keys() == slow.facts["curves"].keys()


def test_seconds_are_measured_repeatedly_only_where_they_are_shown(lab, monkeypatch):
    demo, asked = DemoOptimisation(lab), []
    demo.scene_of(nr_passes=10)
    run = objective_curves.time_repeatedly
    monkeypatch.setattr(objective_curves, "_MAX_RUNS", 5)
    monkeypatch.setattr(objective_curves, "time_repeatedly", lambda method, n: asked.append(n) or run(method, n))
    for cost, runs in (("passes", {1}), ("seconds", {5}), ("seconds", set()), ("passes", set())):
        demo.scene_of(nr_passes=10, regularizer=0.1, cost=cost)
        assert {*asked} == runs
        asked.clear()


@pytest.mark.parametrize(("cost", "unit"), [("passes", "passes"), ("seconds", "time")])
def test_the_sentence_below_the_race_counts_what_the_race_is_by(demo, cost, unit):
    says = demo.scene_of(nr_passes=10, cost=cost).says
    assert says.lower().startswith(unit) and ("\u00a0ms" in says or "\u00a0s" in says) == (cost == "seconds")


def test_the_logarithmic_view_needs_no_new_computation(lab, computed, monkeypatch):
    demo = DemoOptimisation(lab)
    demo.scene_of(nr_passes=10)
    by_name, optimum = computed()
    monkeypatch.setattr(demo, "lab", None)
    assert demo.scene_of(nr_passes=10, cost="seconds", methods=["L-BFGS"]).panels[-1].y.scale == "log"
    path = drawn(demo.scene_of(nr_passes=10))["L-BFGS"]
    excess = by_name["L-BFGS"].objective - optimum
    assert {*path[:, 1]} <= {*excess} and path[0, 1] == excess[0]


def test_the_svm_has_a_shaded_gap_between_primal_and_dual(demo, computed):
    by_name, optimum = computed(loss="hinge", regularizer=REGULARIZER_OF_SVM)
    # With λ = 0 there would be no gap.
    scene = demo.scene_of(loss="hinge", nr_passes=10, scale_of_y="objective")
    assert scene.facts["optimum"] == optimum and "0.01" in scene.says and not scene.notes
    primal, dual = by_name["Primal P(W)"], by_name["Dual D(α)"]
    shades = [mark for mark in scene.panels[1].marks if mark["kind"] == "region"]
    (ring,) = shades[0]["rings"]
    assert len(shades) == 1 and {*ring[:, 1]} <= {*primal.objective, *dual.objective}
    assert ring[:, 1].min() == min(dual.objective) and ring[:, 1].max() == max(primal.objective)
    scene = demo.scene_of(loss="hinge", nr_passes=10)
    assert "Dual D(α)" not in drawn(scene)
    assert {*drawn(scene)["Gap P − D"][:, 1]} <= {*(primal.objective - dual.objective)}
    assert "λ > 0" not in demo.scene_of(loss="hinge", nr_passes=10, regularizer=0.1).says


def test_the_perceptron_s_loss_begins_at_its_least(demo):
    asked = {"loss": "perceptron", "nr_passes": 10, "alpha": 0.6}
    scene = demo.scene_of(scale_of_y="objective", cost="seconds", **asked)
    assert list(drawn(scene)) == ["Perceptron, last weights", "Perceptron, averaged"] and not scene.notes
    for path in drawn(scene).values():
        assert path[0, 1] == 0 and 0 < max(path[:, 1]) <= scene.panels[1].y.high
    assert len(demo.scene_of(**asked).panels) == 2


def test_a_method_that_needs_another_setting_reports_it_if_it_is_ticked(demo):
    asked = {"nr_passes": 10, "regularizer": 0.1, "initial_step": 0.1, "alpha": 0.7}
    assert "λ to 0" in demo.scene_of(methods=list(METHODS), **asked).notes[0]  # The note of iterative scaling.
    scene = demo.scene_of(**asked)
    assert not scene.notes and len({mark["colour"] for mark in scene.panels[-1].marks}) == len(drawn(scene)) == 3


def test_an_abandoned_computation_is_resumed(demo, computed):
    asked = {"nr_passes": 10, "regularizer": 0.001}
    shares = demo.progress(asked)
    assert [next(shares) for _ in range(3)] == [0.0, 0.2, 0.4]
    shares.close()
    *rest, scene = demo.progress(asked)
    assert rest == [number / 5 for number in range(3, 6)] and set(drawn(scene)) <= set(computed(regularizer=0.001)[0])


def test_reviews_have_no_contours(demo):
    scene = demo.scene_of(data="toy", nr_passes=10)
    assert [panel.name for panel in scene.panels] == ["heights"] and len(drawn(scene)) == 3
