"""The playground: samples, accuracies and lines agree with the lab's classes, and clicked points count."""

import numpy as np
import pytest
from scipy.stats import norm

from lxmls_day1.demos.gaussian_playground import LEARNERS, DemoGaussianPlayground
from lxmls_day1.demos.gaussian_points import OPTIMAL, Points
from tests.wording import wording


class TestComputing:
    def test_added_points_are_training_points(self):
        sample = Points(np.zeros((2, 2)), np.array([0, 1]), np.array([True, False])).with_added([[3, 4, 1]])
        assert sample.part(True)[0].tolist() == [[0, 0], [3, 4]] and sample.part(True)[1].tolist() == [0, 1]


class TestShowing:
    def test_accuracies_and_lines_are_those_of_the_classifiers(self, lab):
        asked = {"nr_points": 80, "seed": 3, "variance1": 2, "mean12": 1.5, "balance": 0.4}
        facts = DemoGaussianPlayground(lab).scene_of(**asked).facts
        gaussians = {"g1": [[-1, -1], 1], "g2": [[1, 1.5], 2]}
        data = lab.reader("simple_data_set", "SimpleDataSet", nr_examples=80, balance=0.4, seed=3, **gaussians)
        assert facts["bayes_error"] == data.get_bayes_error()
        for learner in LEARNERS:
            classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
            params = classifier.train(data.train_X, data.train_y)
            parts = (data.train_X, data.train_y), (data.test_X, data.test_y)
            expected = [np.mean(classifier.test(X, params) == y) for X, y in parts]
            assert facts["accuracies"][learner.label] == pytest.approx(expected), learner.label
            x = np.concatenate(facts["boundaries"][learner.label])
            scores = np.hstack([np.ones((len(x), 1)), x, x**2])[:, : len(params)] @ params
            close = np.allclose(scores[:, 0], scores[:, 1], atol=1e-6 * np.abs(params).max())
            assert len(x) >= 2 and close, learner.label

    def test_the_error_matches_its_closed_form(self, lab):
        scene = DemoGaussianPlayground(lab).scene_of()
        assert scene.facts["bayes_error"] == pytest.approx(norm.cdf(-np.sqrt(2)))
        assert f"{norm.cdf(-np.sqrt(2)):.3f}" in scene.says

    @pytest.mark.parametrize(
        "change",
        [{"mean11": 2.5}, {"variance0": 3}, {"balance": 0.2}, {"nr_points": 300}, {"seed": 9}, {"added": [[-4, 3, 1]]}],
    )
    def test_every_control_moves_something(self, lab, change):
        demo = DemoGaussianPlayground(lab)
        before, after = demo.scene_of(), demo.scene_of(**change)
        assert str(before.facts["boundaries"]) != str(after.facts["boundaries"]) and not after.notes

    def test_learners_that_are_not_ticked_are_not_trained(self, lab):
        facts = DemoGaussianPlayground(lab).scene_of(shown=["MIRA"]).facts
        assert set(facts["boundaries"]) == set(facts["accuracies"]) == {"MIRA"}

    def test_three_classes_and_points_of_the_third_go_with_it(self, lab):
        demo, added = DemoGaussianPlayground(lab), [[5.0, -5.0, 2]]
        three, two = (demo.scene_of(nr_classes=K, added=added) for K in (3, 2))
        assert np.bincount(three.facts["sample"].y).min() > 0 and len(three.facts["sample"].y) == 101
        assert len(three.facts["boundaries"][OPTIMAL]) == 3 and not three.notes
        assert len(two.facts["sample"].y) == 100 and not two.notes

    def test_a_setting_that_gives_no_sample_is_a_sentence(self, lab):
        (answer,) = DemoGaussianPlayground(lab).messages({"nr_points": 20, "balance": 0.05})
        assert wording("demos.classes_training_point") in answer["error"]
