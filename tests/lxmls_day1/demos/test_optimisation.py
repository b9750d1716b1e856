"""The page of the optimisation demonstration, without a browser: controls are set, artists and the read-out are read."""

import numpy as np
import pytest

pytest.importorskip("ipywidgets")
pytest.importorskip("ipympl")

from lxmls_day1.demos import objective_curves
from lxmls_day1.demos.objective_curves import FAMILIES
from lxmls_day1.demos.optimisation import DemoOptimisation
from lxmls_day1.errors import InputError
from lxmls_day1.lab import Lab


@pytest.fixture(scope="module", autouse=True)
def measured_once():
    """Seconds are not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objective_curves, "_MOST_RUNS", 1)
        yield


@pytest.fixture(scope="module")
def demo():
    return shown(nr_passes=10)


def shown(**start):
    demo = DemoOptimisation(Lab.open(), live=False, **start)
    demo.background.wait()
    return demo


def drawn(demo, cost):
    """The curves on one of the axes: name -> (x, y)."""
    return {line.get_label(): line.get_data() for line in demo.axes[cost].lines}


def test_every_curve_stands_on_both_axes_as_it_was_computed(demo):
    for cost in ("passes", "seconds"):
        lines = drawn(demo, cost)
        assert set(lines) == {curve.name for curve in demo.curves} and len(lines) == 3 + len(FAMILIES["initial_step"])
        for curve in demo.curves:
            np.testing.assert_array_equal(lines[curve.name], [getattr(curve, cost), curve.objective])
    state = demo.stage.last_state
    assert not state["running"] and set(state["curves"]) == {curve.name for curve in demo.curves}
    assert not demo.stage.messages


def test_the_logarithmic_view_shows_what_is_above_the_optimum_without_measuring_anew(demo):
    before = list(demo.curves)
    demo.scale_of_y.value = "excess"
    assert not demo.background.running and demo.curves == before
    _, y = drawn(demo, "passes")["L-BFGS"]
    np.testing.assert_allclose(y, before[0].excess(demo.optima[0.0]))
    assert demo.axes["passes"].get_yscale() == "log"
    demo.scale_of_y.value = "objective"
    assert demo.axes["passes"].get_yscale() == "linear"


def test_turning_to_the_svm_shades_the_gap_between_primal_and_dual():
    demo = shown(nr_passes=10)
    demo.loss.value = "hinge"
    demo.background.wait()
    assert demo.regularizer.value > 0  # so that there is a gap
    primal, dual = (drawn(demo, "passes")[name] for name in ("Primal P(W)", "Dual D(α)"))
    assert (dual[1] <= primal[1]).all()
    (shade,) = demo.axes["passes"].collections
    corners = shade.get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(min(dual[1])) and corners[:, 1].max() == pytest.approx(max(primal[1]))
    demo.scale_of_y.value = "excess"
    assert "Gap P − D" in drawn(demo, "passes") and "Dual D(α)" not in drawn(demo, "passes")
    demo.regularizer.value = 0.0
    demo.background.wait()
    assert "λ above 0" in demo.stage.messages and not demo.axes["passes"].collections


def test_turning_to_the_perceptron_shows_a_loss_that_begins_at_its_least():
    demo = shown(nr_passes=10, loss="perceptron")
    for _, y in drawn(demo, "passes").values():
        assert y[0] == 0 and max(y) > 0
    assert set(drawn(demo, "seconds")) == {"Perceptron, last weights", "Perceptron, averaged"}
    assert demo.axes["passes"].get_ylim()[1] >= max(max(y) for _, y in drawn(demo, "passes").values())
    assert demo.varied.disabled and demo.initial_step.disabled and demo.alpha.disabled and not demo.stage.messages
    demo.scale_of_y.value = "excess"
    demo.loss.value = "log"
    demo.background.wait()
    assert "L-BFGS" in drawn(demo, "passes") and not demo.varied.disabled


@pytest.mark.parametrize("varied", FAMILIES)
def test_the_family_follows_what_is_varied(varied):
    demo = shown(nr_passes=10, regularizer=0.1, varied=varied)
    names = [name for name in drawn(demo, "passes") if name.startswith("SGD")]
    assert [float(name.rpartition("= ")[2]) for name in names] == list(FAMILIES[varied])
    assert demo.initial_step.disabled == (varied == "initial_step") and demo.alpha.disabled == (varied == "alpha")
    assert "λ to 0" in demo.stage.messages  # of iterative scaling


def test_a_slider_changes_what_is_plotted_and_the_last_change_wins():
    demo = shown(nr_passes=10, varied="alpha")
    first = drawn(demo, "passes")["SGD α = 1"][1]
    demo.initial_step.value = 0.1
    demo.initial_step.value = 0.01
    demo.background.wait()
    second = drawn(demo, "passes")["SGD α = 1"][1]
    expected = shown(nr_passes=10, varied="alpha", initial_step=0.01)
    assert not np.allclose(first, second)
    np.testing.assert_array_equal(second, drawn(expected, "passes")["SGD α = 1"][1])


def test_it_is_saved_as_a_picture_of_all_curves_and_as_nothing_else(tmp_path):
    demo = DemoOptimisation(Lab.open(), live=False, nr_passes=10)
    demo.save(tmp_path / "way down.png")
    assert (tmp_path / "way down.png").read_bytes().startswith(b"\x89PNG") and len(demo.curves) == 7
    assert demo.formats() == ["png"]
    with pytest.raises(InputError):
        demo.save(tmp_path / "way down.gif")


@pytest.mark.usefixtures("imports_as_before")
def test_in_a_student_s_workspace_what_is_not_written_is_said_in_one_sentence(workspace):
    demo = DemoOptimisation(workspace, live=False, nr_passes=10)
    demo.background.wait()
    assert set(drawn(demo, "passes")) == {"L-BFGS", "Gradient descent"}
    assert demo.stage.messages.count("role=") == 1 and "SGD η₀ = 10 (exercise 1.6)" in demo.stage.messages
