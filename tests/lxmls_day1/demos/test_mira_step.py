"""MIRA's step against its closed form, and column squishing against what it promises."""

import numpy as np
import pytest
from matplotlib.backend_bases import MouseEvent

from lxmls_day1.demos.mira_step import LAMBDAS, DemoMiraStep, margin, situation, step_of, tau_curve
from lxmls_day1.errors import InputError


@pytest.fixture
def demo(lab):
    return DemoMiraStep(lab)


class TestComputing:
    @pytest.mark.parametrize("seed", range(5))
    def test_tau_is_the_smaller_of_the_cap_and_what_is_asked_for(self, lab, seed):
        rng = np.random.default_rng(seed)
        K = int(rng.integers(2, 7))
        at = situation(K, tuple(rng.normal(0, 1.5, 2)), int(rng.integers(K)))
        scores = np.array([1, *at.x]) @ at.W
        loss = scores.max() - scores[at.label] + 1
        wanted = loss / (2 * (1 + at.x[0] ** 2 + at.x[1] ** 2)) if scores.argmax() != at.label else 0.0
        rule = lab.classifier("mira", "Mira").rule
        assert at.wanted == pytest.approx(wanted)
        assert tau_curve(rule, at, LAMBDAS) == pytest.approx(np.minimum(1 / LAMBDAS, wanted))

    def test_without_the_cap_the_true_class_leads_its_rival_by_one(self, lab):
        at = situation(4, (1.0, 1.2), 2)
        rival = int(at.scores.argmax())
        after = step_of(lab.classifier("mira", "Mira").rule, at, 1e9)
        assert after.scores[2] - after.scores[rival] == pytest.approx(1)
        assert after.scores == pytest.approx(at.g @ after.W)

    def test_squishing_leads_every_rival_by_one_and_moves_the_least(self, lab):
        at = situation(5, (1.0, 1.2), 2)
        after = step_of(lab.classifier("column_squishing", "ColumnSquishing").rule, at, 1e300)
        assert margin(after.scores, 2) == pytest.approx(1)
        rng = np.random.default_rng(0)
        for _ in range(2000):  # no other d that meets the constraints is shorter
            d = after.d + rng.normal(0, 0.1, 5)
            if margin(at.scores + at.sq_norm * d, 2) >= 1:
                assert d @ d >= after.d @ after.d

    def test_a_rule_that_returns_nothing_is_told(self):
        with pytest.raises(InputError, match="but returned None"):
            step_of(lambda *arguments: None, situation(3, (1.0, 0.0), 0), 1.0)


class TestShowing:
    def test_what_is_drawn_is_what_was_computed(self, demo):
        state = demo.stage.last_state
        for name, scores in state["scores"].items():
            assert [bar.get_height() for bar in demo.heights[name]] == pytest.approx(scores)
        assert demo.here.get_xydata().tolist() == [[demo.regularizer.value, state["tau"]]]
        assert demo.tau_line.get_ydata().tolist() == state["curve"]
        assert demo.cap_line.get_ydata() == pytest.approx(1 / LAMBDAS)
        assert state["margins"]["before"] < 0 < state["margins"]["MIRA"]

    def test_a_large_lambda_holds_it_back(self, demo):
        demo.regularizer.value = 20.0
        assert demo.stage.last_state["tau"] == pytest.approx(1 / 20)
        assert "the cap" in demo.table.value

    def test_a_right_prediction_moves_nothing_in_mira_but_squishing(self, demo):
        demo.label.value = int(np.argmax(demo.stage.last_state["scores"]["before"]))
        state = demo.stage.last_state
        assert state["tau"] == 0 and state["scores"]["MIRA"] == state["scores"]["before"]
        assert state["margins"]["squishing"] == pytest.approx(1)

    def test_squishing_can_be_capped_too(self, demo):
        demo.capped.value = True
        demo.regularizer.value = 20.0
        assert demo.stage.last_state["margins"]["squishing"] < 1

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("K", [2, 3, 6])
    def test_any_number_of_classes(self, demo, K):
        demo.label.value = 3 if K > 3 else 1
        demo.nr_classes.value = K
        assert len(demo.stage.last_state["scores"]["squishing"]) == K == len(demo.heights["before"])
        assert demo.stage.messages == ""
        demo.redraw()
        assert len(demo.bars.patches) == 3 * K

    def test_a_click_puts_the_example_there(self, demo):
        place = demo.plane.transData.transform((-2.0, 1.5))
        MouseEvent("button_press_event", demo.stage.figure.canvas, *place, 1)._process()
        assert demo.stage.last_state["example"] == pytest.approx([-2.0, 1.5])

    def test_frames_raise_lambda(self, demo):
        demo.go_to(demo.frames()[-1])
        assert demo.regularizer.value == pytest.approx(LAMBDAS[-1]) and demo.current() == demo.frames()[-1]


def test_a_student_reads_what_is_still_to_be_written(workspace):
    demo = DemoMiraStep(workspace)
    assert "MIRA is still to be written" in demo.stage.messages
    assert "Column squishing is still to be written" in demo.stage.messages
    assert demo.stage.last_state["tau"] is None and set(demo.stage.last_state["scores"]) == {"before"}
