"""MIRA's step compared with its closed form, and column squishing with its guarantees."""

import numpy as np
import pytest

from lxmls_day1.demos.mira_step import FRAMES, DemoMiraStep, margin, step_of, step_problem
from lxmls_day1.demos.scene import CLASSES
from tests.wording import wording


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
        taus = [step_of(rule, at, 1 / value).d[at.label] for value in FRAMES]
        assert taus == pytest.approx(np.minimum(1 / FRAMES, wanted))

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
    @pytest.mark.parametrize("thing", [0, 1])
    def test_the_text_above_the_picture_fits_the_example(self, lab, thing):
        demo = DemoMiraStep(lab)
        scene = demo.scene_of(**demo.suggestions[thing].settings)
        is_right = scene.facts["at"].required_tau == 0
        assert is_right == bool(thing) == ("does nothing" in (scene.observations or demo.observations))

    def test_the_line_moves_until_the_example_lies_on_the_margin(self, lab):
        scene = DemoMiraStep(lab).scene_of()
        at, start, x = scene.facts["at"], scene.steps.start, np.array([1, *scene.facts["at"].x])
        lines = {mark["label"]: mark["path"] for mark in scene.panels[0].marks if mark["kind"] == "line"}
        assert list(lines) == ["before", "after", "margin of 1"] and FRAMES[start] == pytest.approx(1)
        step = scene.facts["steps"]["MIRA"][start]
        for name, W, lead in (("before", at.W, 0), ("after", step.W, 0), ("margin of 1", step.W, 1)):
            path = lines[name] if name == "before" else lines[name]["frames"][lines[name]["index"][start]]
            scores = np.hstack([np.ones((2, 1)), np.array(path, dtype=float)]) @ W
            np.testing.assert_allclose(scores[:, 1] - scores[:, 0], lead, atol=1e-3)
        assert margin(x @ at.W, 1) < 0 < margin(x @ step.W, 1) == pytest.approx(1)
        shares = [float(row[1]) for row in scene.table.rows["frames"][start]]
        assert shares[2] == min(shares[:2]) == pytest.approx(at.required_tau, abs=0.005)

    def test_each_side_of_the_line_has_the_colour_of_its_class(self, lab):
        scene = DemoMiraStep(lab).scene_of()
        regions = [mark for mark in scene.panels[0].marks if mark["kind"] == "region"]
        for k, mark in enumerate(regions):
            for step, index in zip(scene.facts["steps"]["MIRA"], mark["rings"]["index"], strict=True):
                (ring,) = mark["rings"]["frames"][index]
                scores = np.array([1, *np.mean(ring, axis=0)]) @ step.W
                assert scores.argmax() == k and mark["colour"] == CLASSES[k]

    def test_the_bars_of_the_second_scene_match_the_computation(self, lab):
        scene = DemoMiraStep(lab).scene_of(view="squishing")
        at, start = scene.facts["at"], scene.steps.start
        before, mira, squishing = (mark["extents"] for mark in scene.panels[1].marks if mark["kind"] == "bars")
        np.testing.assert_allclose(before[:, 1:], np.column_stack([0 * at.scores, at.scores]))
        for bars, name in ((mira, "MIRA"), (squishing, "squishing")):
            drawn = np.array(bars["frames"][bars["index"][start]])
            np.testing.assert_allclose(drawn[:, 2], scene.facts["steps"][name][start].scores, atol=1e-4)
        after = scene.facts["steps"]["MIRA"][start].scores
        ahead, said = np.flatnonzero(after > after[1]), scene.says["frames"][scene.says["index"][start]]
        assert len(ahead) == 1 and wording("demos.second_rival_ahead", ahead[0]) in said
        (goal,) = (mark for mark in scene.panels[1].marks if mark["label"] == "1 below y")
        # Not the zero line.
        assert abs(goal["path"]["frames"][goal["path"]["index"][start]][0][1]) > 0.1 and goal["dash"]
        assert margin(scene.facts["steps"]["squishing"][start].scores, 1) == pytest.approx(1)

    def test_a_large_lambda_limits_the_step(self, lab):
        scene = DemoMiraStep(lab).scene_of()
        last = scene.facts["steps"]["MIRA"][-1]
        assert last.d[1] == pytest.approx(1 / FRAMES[-1]) and "the cap" in scene.says["frames"][-1]

    def test_a_correct_prediction_moves_nothing_in_mira_but_squishing(self, lab):
        demo = DemoMiraStep(lab)
        steps = demo.scene_of(view="squishing", label=0, example=[[-1.0, 1.0, 0]]).facts["steps"]
        assert not steps["MIRA"][0].d.any() and margin(steps["squishing"][0].scores, 0) == pytest.approx(1)
        assert "does nothing" in demo.scene_of(**demo.suggestions[1].settings).says["frames"][0]

    def test_squishing_can_be_capped_too(self, lab):
        steps = DemoMiraStep(lab).scene_of(view="squishing", capped=True).facts["steps"]
        assert margin(steps["squishing"][-1].scores, 1) < 1

    @pytest.mark.parametrize(("K", "label"), [(2, 5), (6, 5), (2, 1)])
    def test_any_number_of_classes_and_any_place(self, lab, K, label):
        demo, asked = DemoMiraStep(lab), {"nr_classes": K, "label": label, "example": [[-2.0, 1.5, 0]]}
        scene = demo.scene_of(view="squishing", **asked)
        assert scene.facts["at"].label == label and scene.facts["at"].x == (-2.0, 1.5)
        assert len(scene.panels[1].marks[0]["extents"]) == max(K, label + 1) and not scene.notes
        two = [mark["colour"] for mark in demo.scene_of(**asked).panels[0].marks if mark["kind"] == "region"]
        assert two == [CLASSES[0], CLASSES[label]]  # The example keeps its colour.
