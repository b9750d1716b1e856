"""The playground: samples, accuracies and lines agree with the lab's classes, and clicked points count."""

import numpy as np
import pytest
from scipy.stats import norm

from lxmls_day1.demos.gaussian_playground import LEARNERS, DemoGaussianPlayground
from lxmls_day1.demos.gaussian_points import OPTIMAL, Result, SampleSpec
from tests.wording import wording

ALL = [OPTIMAL, *(learner.label for learner in LEARNERS)]


class TestComputing:
    def test_the_accuracy_on_new_points_is_the_one_on_many_points(self, lab):
        spec = SampleSpec(((-1.0, 0.0), (1.0, 1.0), (0.0, 2.0)), (1.0, 2.0, 0.5), balance=0.6)

        def predict(X):
            return (X @ [[0.0, 1.0, 0.2], [0.0, 0.5, 1.0]]).argmax(axis=1)

        rng, right = np.random.default_rng(0), 0.0
        for k, share in enumerate((0.6, 0.2, 0.2)):
            X = spec.means[k] + np.sqrt(spec.variances[k]) * rng.normal(size=(100_000, 2))
            right += share * np.mean(predict(X) == k)
        assert spec.expected_accuracy(predict) == pytest.approx(right, abs=0.01)

    def test_a_line_turns_by_the_angle_between_its_weights(self):
        results = [Result("", np.array([[0.0, 5.0], [0.0, x], [0.0, y]]), (1.0, 1.0)) for x, y in ((2, 0), (3, 3))]
        assert results[0].turned_from(results[1]) == pytest.approx(45)
        assert np.isnan(Result("", np.zeros((5, 2)), (1.0, 1.0)).turned_from(results[0]))


class TestShowing:
    def test_accuracies_and_lines_are_those_of_the_classifiers(self, lab):
        asked = {"nr_points": 50, "seed": 3, "variance1": 3, "mean12": 1.5, "balance": 0.4, "added": [], "shown": ALL}
        facts = DemoGaussianPlayground(lab).scene_of(**asked).facts
        gaussians = {"g1": [[-1, -1], 2], "g2": [[1, 1.5], 3]}
        settings = {"nr_examples": 50, "balance": 0.4, "seed": 3, "split": [1, 0, 0]}
        data = lab.reader("simple_data_set", "SimpleDataSet", **settings, **gaussians)
        assert facts["bayes_error"] == data.get_bayes_error()
        for learner in LEARNERS:
            classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
            params = classifier.train(data.train_X, data.train_y)
            expected = np.mean(classifier.test(data.train_X, params) == data.train_y)
            assert facts["results"][learner.label].accuracies[0] == pytest.approx(expected), learner.label
            assert facts["results"][learner.label].accuracies[1] <= 1 - facts["bayes_error"] + 0.002
            x = np.concatenate(facts["boundaries"][learner.label])
            scores = np.hstack([np.ones((len(x), 1)), x, x**2])[:, : len(params)] @ params
            close = np.allclose(scores[:, 0], scores[:, 1], atol=1e-6 * np.abs(params).max())
            assert len(x) >= 2 and close, learner.label

    def test_it_opens_with_a_stray_that_turns_the_perceptron_alone(self, lab):
        demo = DemoGaussianPlayground(lab)
        scene = demo.scene_of()
        turned = scene.facts["turned"]
        assert turned["Perceptron"] > 30 and max(turned["Naive Bayes"], turned["SVM"]) < 10
        assert wording("demos.point_turns_lines") in scene.says
        assert scene.table.rows[1][-1] == f"{turned['Perceptron']:.0f}°"
        turned = demo.scene_of(**demo.suggestions[0].settings).facts["turned"]  # Far on its own side.
        assert turned["Naive Bayes"] > 10 and turned["SVM"] < 1
        turned = demo.scene_of(**demo.suggestions[1].settings).facts["turned"]
        assert turned["Perceptron"] == pytest.approx(68, abs=1) and turned["SVM"] < 25 > turned["Naive Bayes"]
        alone = demo.scene_of(added=[])
        assert not alone.facts["turned"] and alone.table.rows[0][-1] == "–"

    @pytest.mark.parametrize("added", [[[4, 1, 0]], [[4, 1, 0], [3, 2.5, 0], [-4, -1, 1]]])
    def test_the_line_from_which_a_text_measures_an_angle_is_drawn(self, lab, added):
        scene = DemoGaussianPlayground(lab).scene_of(added=added)
        lines = [mark for mark in scene.panels[0].marks if mark["kind"] == "line"]
        for after in [mark for mark in lines if mark["label"]]:
            (before,) = (mark for mark in lines if mark["colour"] == after["colour"] and not mark["label"])
            u, v = (np.subtract(*np.array(mark["path"])[:2]) for mark in (before, after))
            angle = np.degrees(np.arctan2(abs(np.linalg.det([u, v])), abs(u @ v)))
            assert f"{after['label']} by {angle:.0f}°" in scene.says and before["width"] < after["width"]

    def test_the_error_matches_its_closed_form(self, lab):
        scene = DemoGaussianPlayground(lab).scene_of()
        assert scene.facts["bayes_error"] == pytest.approx(norm.cdf(-1))
        assert f"{1 - norm.cdf(-1):.3f}" in scene.says

    CHANGES = [{"mean11": 2.5}, {"variance0": 3}, {"balance": 0.2}, {"nr_points": 200}, {"seed": 9}]

    @pytest.mark.parametrize("change", [*CHANGES, {"added": [[-4, 3, 1]]}, {"added": []}])
    def test_every_control_moves_something(self, lab, change):
        demo = DemoGaussianPlayground(lab)
        before, after = demo.scene_of(), demo.scene_of(**change)
        assert str(before.facts["boundaries"]) != str(after.facts["boundaries"]) and not after.notes

    def test_learners_that_are_not_ticked_are_not_trained(self, lab):
        facts = DemoGaussianPlayground(lab).scene_of(shown=["MIRA"]).facts
        assert set(facts["boundaries"]) == set(facts["results"]) == {"MIRA"}

    def test_three_classes_and_points_of_the_third_go_with_it(self, lab):
        demo, added = DemoGaussianPlayground(lab), [[5.0, -5.0, 2]]
        three, two = (demo.scene_of(nr_classes=K, added=added, shown=ALL) for K in (3, 2))
        assert np.bincount(three.facts["sample"].y).min() > 0 and len(three.facts["sample"].y) == 13
        assert len(three.facts["boundaries"][OPTIMAL]) == 3 and not three.notes
        assert len(two.facts["sample"].y) == 12 and not two.notes

    def test_a_setting_that_gives_no_sample_is_a_sentence(self, lab):
        (answer,) = DemoGaussianPlayground(lab).messages({"nr_points": 12, "balance": 0.05})
        assert wording("demos.classes_training_point") in answer["error"]
