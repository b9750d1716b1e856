"""The ellipse of AROW's weights compared with its formula, and its page."""

import numpy as np

from lxmls_day1.demos.confidence import WORDS, DemoConfidence, arow_trajectory, documents


def test_mean_and_deviations_are_those_of_the_formula(lab):
    X, y = documents(25, 0.3, seed=2)
    (means, deviations), mean, variance = arow_trajectory(lab, X, y, regularizer=2.0), np.zeros(3), np.ones(3)
    for n, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        g, sign = np.array([1.0, *x]), 1 - 2 * label  # W_1 = −W_0, so the margin is twice the score of one vector.
        loss = 1 - 2 * sign * (g @ mean)
        if loss > 0:
            beta = 1 / (2 * (g**2 @ variance) + 2.0)
            mean = mean + sign * beta * loss * variance * g
            variance = variance - beta * (variance * g) ** 2
        np.testing.assert_allclose(means[n], mean[1:], atol=1e-12)
        np.testing.assert_allclose(deviations[n], np.sqrt(variance[1:]), atol=1e-12)


def test_the_ellipse_is_the_gaussian_of_each_frame(lab):
    scene = DemoConfidence(lab).scene_of()
    X, y = documents(60, 0.2, seed=2)
    _, deviations = arow_trajectory(lab, X, y, 1)
    before, ellipse = (mark for mark in scene.panels[0].marks if mark["kind"] == "ellipse")
    drawn = np.array(ellipse["half_axes"]["frames"])[ellipse["half_axes"]["index"]]
    np.testing.assert_allclose(drawn, deviations, rtol=1e-4)
    drawn = np.array(before["half_axes"]["frames"])[before["half_axes"]["index"]]
    np.testing.assert_allclose(drawn, deviations[[0, *range(60)]], rtol=1e-4)
    larger = DemoConfidence(lab).scene_of(regularizer=100).panels[1].marks
    # A larger λ makes every step smaller.
    assert all(curve["path"][-1, 1] > last for curve, last in zip(larger, deviations[-1], strict=True))


def test_the_document_of_each_frame_is_shown_and_shrinks_the_weights_of_its_words(lab):
    scene = DemoConfidence(lab).scene_of()
    X, y = documents(60, 0.2, seed=2)
    deviations = np.column_stack([curve["path"][:, 1] for curve in scene.panels[1].marks])
    shown = [scene.words["frames"][index] for index in scene.words["index"]]
    for n, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        texts = [text for text, _, _ in shown[n]]
        assert texts[0] == f"document {n}, {('positive', 'negative')[label]}:"
        assert [texts.count(word) for word in WORDS] == x.tolist()
        assert (deviations[n][x == 0] == deviations[n - 1][x == 0]).all()
    assert "superb" in [text for text, _, _ in shown[scene.steps.start]]  # It opens with both words.
