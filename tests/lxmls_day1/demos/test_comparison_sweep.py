"""The page of the comparison, without a browser."""

import numpy as np
import pytest

pytest.importorskip("ipywidgets")
pytest.importorskip("ipympl")

from lxmls_day1.demos.accuracy_sweep import SWEPT, best_accuracies
from lxmls_day1.demos.comparison_sweep import DemoComparison
from lxmls_day1.lab import Lab


def shown(**start):
    demo = DemoComparison(Lab.open(), live=False, **start)
    demo.background.wait()
    return demo


@pytest.fixture(scope="module")
def demo():
    return shown(nr_seeds=2)


def test_lines_are_means_and_bars_are_one_deviation_each_way(demo):
    for quantity, values in SWEPT.items():
        for learner in demo.shown:
            line, bars = demo.artists[quantity, learner]
            _, means, deviations = demo.results.curve(quantity, learner)
            np.testing.assert_array_equal(line.get_ydata(), means)
            heights = [segment[:, 1] for segment in bars.get_segments()]
            np.testing.assert_allclose(heights, np.column_stack([means - deviations, means + deviations]))
        np.testing.assert_allclose(demo.best[quantity].get_ydata(), [best_accuracies(quantity, v)[0] for v in values])
    state = demo.stage.last_state
    assert state["done"] == state["total"] == 2 * 6 * sum(map(len, SWEPT.values())) and state["ending"] == "done"
    assert demo.progress.value == demo.progress.max and demo.cancel_button.disabled


def test_what_is_short_of_the_best_and_the_rare_class_need_no_new_training(demo):
    found = demo.results
    demo.scale_of_y.value = "short"
    line, _ = demo.artists["balance", "SVM"]
    best = [best_accuracies("balance", value)[0] for value in SWEPT["balance"]]
    np.testing.assert_allclose(line.get_ydata(), found.curve("balance", "SVM")[1] - best)
    assert (line.get_ydata() <= 1e-12).all()  # on all points nobody is better than the best
    demo.part.value, demo.scale_of_y.value = "rare", "accuracy"
    np.testing.assert_allclose(line.get_ydata(), found.curve("balance", "SVM", "rare")[1])
    demo.part.value = "all"
    assert demo.results is found and not demo.background.running


def test_a_learner_can_be_hidden(demo):
    demo.shown["MIRA"].value = False
    assert not any(artist.get_visible() for artist in demo.artists["size", "MIRA"])
    demo.shown["MIRA"].value = True
    assert all(artist.get_visible() for artist in demo.artists["size", "MIRA"])


def test_a_stop_keeps_what_is_done_and_a_start_begins_anew():
    demo = DemoComparison(Lab.open(), live=False, nr_seeds=50)
    assert not demo.cancel_button.disabled
    demo.cancel_button.click()
    demo.background.wait(60)
    state = demo.stage.last_state
    assert not demo.background.running and state["ending"].startswith("stopped")
    assert state["done"] == demo.results.nr_measurements < state["total"]
    kept = dict(demo.results.found)
    demo.background.deliver()
    assert demo.results.found == kept
    demo.nr_seeds.value = 2  # another number of seeds begins anew
    demo.background.wait()
    assert demo.stage.last_state["done"] == 2 * 6 * sum(map(len, SWEPT.values()))


@pytest.mark.usefixtures("imports_as_before")
def test_in_a_student_s_workspace_what_is_not_written_is_said_and_the_others_are_measured(workspace):
    demo = DemoComparison(workspace, live=False, nr_seeds=2)
    demo.background.wait()
    state = demo.stage.last_state
    for unwritten in ("Perceptron (exercise 1.4)", "MIRA (exercise 1.5)", "SVM (exercise 1.7)"):
        assert unwritten in demo.stage.messages
    assert state["ending"] == "done" and state["done"] == state["total"] == 2 * 2 * sum(map(len, SWEPT.values()))
    measured = {label for label, curve in state["curves"]["size"].items() if None not in curve["mean"]}
    assert measured == {"Gaussian naive Bayes", "Max. entropy (batch)"}
