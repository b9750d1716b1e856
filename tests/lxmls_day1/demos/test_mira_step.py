"""MIRA's step compared with its closed form, and column squishing with its guarantees."""

import numpy as np
import pytest

from lxmls_day1.demos.mira_step import FRAMES, LAMBDAS, DemoMiraStep, margin, step_of, step_problem


class TestComputing:
    @pytest.mark.parametrize("seed", range(5))
    def test_tau_is_the_smaller_of_the_cap_and_the_required_step(self, lab, seed):
        rng = np.random.default_rng(seed)
        K = int(rng.integers(2, 7))
        at = step_problem(K, tuple(rng.normal(0, 1.5, 2)), int(rng.integers(K)))
        scores = np.array([1, *at.x]) @ at.W
        loss = scores.max() - scores[at.label] + 1
        wanted = loss / (2 * (1 + at.x[0] ** 2 + at.x[1] ** 2)) if scores.argmax() != at.label else 0.0
        rule = lab.classifier("mira", "Mira").rule
        assert at.required_tau == pytest.approx(wanted)
        taus = [step_of(rule, at, 1 / value).d[at.label] for value in LAMBDAS]
        assert taus == pytest.approx(np.minimum(1 / LAMBDAS, wanted))

    def test_without_the_cap_the_true_class_leads_its_rival_by_one(self, lab):
        at = step_problem(4, (1.0, 1.2), 2)
        rival = int(at.scores.argmax())
        after = step_of(lab.classifier("mira", "Mira").rule, at, 1e9)
        assert after.scores[2] - after.scores[rival] == pytest.approx(1)
        assert after.scores == pytest.approx(at.g @ after.W)

    def test_squishing_leads_every_rival_by_one_and_moves_the_least(self, lab):
        at = step_problem(5, (1.0, 1.2), 2)
        after = step_of(lab.classifier("column_squishing", "ColumnSquishing").rule, at, 1e300)
        assert margin(after.scores, 2) == pytest.approx(1)
        rng = np.random.default_rng(0)
        for _ in range(2000):  # No other d that meets the constraints is shorter.
            d = after.d + rng.normal(0, 0.1, 5)
            if margin(at.scores + at.sq_norm * d, 2) >= 1:
                assert d @ d >= after.d @ after.d


class TestShowing:
    def test_the_drawing_matches_the_computation(self, lab):
        scene = DemoMiraStep(lab).scene_of()
        at, start = scene.facts["at"], scene.steps.start
        before, mira, squishing = (mark["extents"] for mark in scene.panels[2].marks if mark["kind"] == "bars")
        np.testing.assert_allclose(before[:, 2], at.scores)
        for bars, name in ((mira, "MIRA"), (squishing, "squishing")):
            drawn = np.array(bars["frames"][bars["index"][start]])
            np.testing.assert_allclose(drawn[:, 2], scene.facts["steps"][name][start].scores, atol=1e-4)
        assert FRAMES[start] == pytest.approx(1)
        assert margin(at.scores, at.label) < 0 < margin(scene.facts["steps"]["MIRA"][start].scores, at.label)

    def test_a_large_lambda_limits_the_step(self, lab):
        scene = DemoMiraStep(lab).scene_of()
        last = scene.facts["steps"]["MIRA"][-1]
        assert last.d[2] == pytest.approx(1 / FRAMES[-1]) and "the cap" in scene.says["frames"][-1]

    def test_a_correct_prediction_moves_nothing_in_mira_but_squishing(self, lab):
        demo = DemoMiraStep(lab)
        predicted = int(np.argmax(demo.scene_of().facts["at"].scores))
        steps = demo.scene_of(label=predicted).facts["steps"]
        assert not steps["MIRA"][0].d.any() and margin(steps["squishing"][0].scores, predicted) == pytest.approx(1)

    def test_squishing_can_be_capped_too(self, lab):
        steps = DemoMiraStep(lab).scene_of(capped=True).facts["steps"]
        assert margin(steps["squishing"][-1].scores, 2) < 1

    @pytest.mark.parametrize("K", [2, 6])
    def test_any_number_of_classes_and_any_place(self, lab, K):
        scene = DemoMiraStep(lab).scene_of(nr_classes=K, label=5, example=[[-2.0, 1.5, 0]])
        assert scene.facts["at"].label == min(5, K - 1) and scene.facts["at"].x == (-2.0, 1.5)
        assert len(scene.panels[2].marks[0]["extents"]) == K and not scene.notes
