"""The scenes of the optimisation demonstration agree with independently computed curves."""

import numpy as np
import pytest

from lxmls_day1.demos.objective_curves import FAMILIES, Data
from lxmls_day1.demos.optimisation import REGULARIZER_OF_SVM, DemoOptimisation

pytestmark = pytest.mark.usefixtures("measured_once")


@pytest.fixture(scope="module")
def demo(lab):
    return DemoOptimisation(lab)


@pytest.fixture
def computed(lab, found):
    """Return a function from settings to the curves by name, and the optima by λ."""
    points = lab.reader("simple_data_set", "SimpleDataSet", nr_examples=200, split=[1, 0, 0])
    return lambda **settings: found(Data(points.train_X, points.train_y), nr_passes=10, **settings)[:2]


def on_page(passes):
    """Return positions on the symlog axis: linear up to 1, then half a unit for it and one for each power of ten."""
    return np.array([p / 2 if p <= 1 else 0.5 + np.log10(p) for p in passes])


def drawn(scene, cost="passes"):
    """Return the lines of a panel: name -> (n, 2)."""
    (panel,) = [panel for panel in scene.panels if panel.name == cost]
    return {mark["label"]: mark["path"] for mark in panel.marks if mark["kind"] == "line"}


@pytest.mark.slow
def test_every_curve_is_drawn_on_both_axes_as_computed(demo, computed):
    by_name, optima = computed()
    scene = demo.scene_of(nr_passes=10)
    assert len(by_name) == 3 + len(FAMILIES["initial_step"]) and scene.facts["optima"] == optima and not scene.notes
    for cost in ("passes", "seconds"):
        assert list(drawn(scene, cost)) == list(by_name)
    for panel in scene.panels:
        assert panel.y.low < min(optima.values()) and (panel.x.scale, panel.x.low) == ("symlog", 0)
    for name, path in drawn(scene).items():
        curve = by_name[name]
        np.testing.assert_array_equal(path[[0, -1]].T, [curve.passes[[0, -1]], curve.objective[[0, -1]]])
        assert {*map(tuple, path)} <= {*zip(curve.passes, curve.objective, strict=True)}
        height = scene.panels[0].y.high - scene.panels[0].y.low
        between = np.interp(on_page(curve.passes), on_page(path[:, 0]), path[:, 1])
        np.testing.assert_allclose(between, curve.objective, atol=height / 390)  # less than a pixel
        np.testing.assert_array_equal(scene.facts["curves"][name].objective, curve.objective)


def test_the_logarithmic_view_needs_no_new_computation(demo, computed, monkeypatch):
    demo.scene_of(nr_passes=10)
    by_name, optima = computed()
    monkeypatch.setattr(demo, "lab", None)
    scene = demo.scene_of(nr_passes=10, scale_of_y="excess", initial_step=0.03)  # The family varies η₀.
    assert {panel.y.scale for panel in scene.panels} == {"log"}
    path = drawn(scene)["L-BFGS"]
    excess = by_name["L-BFGS"].objective - optima[0.0]
    assert {*path[:, 1]} <= {*excess} and path[0, 1] == excess[0]


def test_the_svm_has_a_shaded_gap_between_primal_and_dual(demo, computed):
    by_name, _ = computed(loss="hinge", regularizer=REGULARIZER_OF_SVM)
    scene = demo.scene_of(loss="hinge", nr_passes=10)  # With λ = 0 there would be no gap.
    assert list(scene.facts["optima"]) == [REGULARIZER_OF_SVM] and "0.01" in scene.says and not scene.notes
    primal, dual = by_name["Primal P(W)"], by_name["Dual D(α)"]
    shades = [mark for mark in scene.panels[0].marks if mark["kind"] == "region"]
    (ring,) = shades[0]["rings"]
    assert len(shades) == 1 and {*ring[:, 1]} <= {*primal.objective, *dual.objective}
    assert ring[:, 1].min() == min(dual.objective) and ring[:, 1].max() == max(primal.objective)
    scene = demo.scene_of(loss="hinge", nr_passes=10, scale_of_y="excess")
    assert "Dual D(α)" not in drawn(scene)
    assert {*drawn(scene)["Gap P − D"][:, 1]} <= {*(primal.objective - dual.objective)}
    assert "λ > 0" not in demo.scene_of(loss="hinge", nr_passes=10, regularizer=0.1).says


def test_the_perceptron_s_loss_begins_at_its_least(demo):
    scene = demo.scene_of(loss="perceptron", nr_passes=10, varied="alpha", alpha=0.6)
    assert list(drawn(scene, "seconds")) == ["Perceptron, last weights", "Perceptron, averaged"] and not scene.notes
    for path in drawn(scene).values():
        assert path[0, 1] == 0 and 0 < max(path[:, 1]) <= scene.panels[0].y.high
    assert len(demo.scene_of(loss="perceptron", nr_passes=10, scale_of_y="excess").panels) == 2


@pytest.mark.parametrize("varied", FAMILIES)
def test_the_family_follows_the_varied_setting(demo, computed, varied):
    by_name, optima = computed(regularizer=0.1, varied=varied, initial_step=0.1, alpha=0.7)
    scene = demo.scene_of(nr_passes=10, regularizer=0.1, varied=varied, initial_step=0.1, alpha=0.7)
    family = {name: path for name, path in drawn(scene).items() if name.startswith("SGD")}
    assert [float(name.rpartition("= ")[2]) for name in family] == list(FAMILIES[varied])
    assert len({mark["colour"] for mark in scene.panels[0].marks}) == len(family) + 2  # Of batch methods.
    for (name, path), value in zip(family.items(), FAMILIES[varied], strict=True):
        assert path[-1, 1] == by_name[name].objective[-1]
        assert by_name[name].regularizer == (value if varied == "regularizer" else 0.1)
        assert by_name[name].regularizer in optima
    assert "λ to 0" in scene.notes[0]  # Of iterative scaling.


def test_an_abandoned_computation_is_resumed(demo, computed):
    asked = {"nr_passes": 10, "regularizer": 0.001}
    shares = demo.progress(asked)
    assert [next(shares) for _ in range(3)] == [0.0, 0.125, 0.25]
    shares.close()
    *rest, scene = demo.progress(asked)
    assert rest == [number / 8 for number in range(3, 9)] and set(drawn(scene)) == set(computed(regularizer=0.001)[0])
