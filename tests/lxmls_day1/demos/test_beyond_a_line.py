"""The kernel perceptron and nearest neighbours compared with other implementations, and their page."""

import numpy as np
import pytest
from matplotlib.path import Path
from sklearn.neighbors import KNeighborsClassifier

from lxmls_day1.demos import beyond_a_line as page


def test_with_the_product_as_kernel_it_is_the_perceptron():
    X, y = page.examples("two clusters", 60, 1.0, seed=3)
    g = np.hstack([np.ones((60, 1)), X])
    alpha, w = page.kernel_perceptron(g @ g.T, y, 4), np.zeros(3)
    for r in range(1, 5):
        for x, sign in zip(g, y, strict=True):
            if sign * (w @ x) <= 0:
                w = w + sign * x
        np.testing.assert_allclose((alpha[r] * y) @ g, w)


def test_the_kernel_matches_its_formula():
    A, B = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 1.0]])
    np.testing.assert_allclose(page.kernel(A, B, 2.0), 1 + np.exp([[-1 / 8], [-18 / 8]]))


@pytest.mark.parametrize("k", [1, 3, 9])
def test_neighbours_match_scikit_learn(k):
    X, y = page.examples("ring", 70, 0.4, seed=1)
    new, _ = page.examples("ring", 200, 0.4, seed=2)
    theirs = KNeighborsClassifier(k, algorithm="brute").fit(X, y).predict(new)
    np.testing.assert_array_equal(np.sign(page.nearest_score(X, y, new, k)), theirs)


@pytest.mark.parametrize("shape", page.SHAPES)
def test_the_regions_are_where_a_score_has_one_sign(shape):
    X, y = page.examples(shape, 70, 0.3, seed=1)
    regions = page.rings_of_class_1(page.nearest_score(X, y, page.PLACES, 3))
    new = np.random.default_rng(0).uniform(*page.LIMITS, (400, 2))
    scores = page.nearest_score(X, y, new, 3)
    clear = np.abs(scores) > 0.1  # Boundaries are interpolated between points of a grid.
    for sign, rings in zip((-1, 1), regions, strict=True):
        times = np.sum([Path(ring).contains_points(new) for ring in rings], axis=0)
        inside = times % 2 == 1  # The page fills areas by the even-odd rule.
        np.testing.assert_array_equal(inside[clear], np.sign(scores[clear]) == sign)


def test_a_scene_holds_what_each_method_says_of_each_place_alone(lab):
    scene = page.DemoBeyondALine(lab).scene_of(shape="ring", noise=0.5, width=0.4, neighbours=5)
    (X, y), (test_X, test_y) = (page.examples("ring", n, 0.5, seed) for n, seed in ((80, 1), (400, 2)))
    alphas = page.kernel_perceptron(page.kernel(X, X, 0.4), y, page.ROUNDS)

    def kernel_score(alpha):
        return lambda x: (alpha * y) @ (1 + np.exp(-((x - X) ** 2).sum(axis=1) / 0.32))

    def nearest_lead(x):
        return np.subtract(*(np.sort(np.hypot(*(X[y == label] - x).T))[2] for label in (-1, 1)))

    known = [(X, y), (test_X, test_y)]
    cases = [("kernel perceptron", 1, kernel_score(alphas[1])), ("nearest neighbours", 0, nearest_lead)]
    for name, frame, score in cases:
        rights = [np.mean(np.sign([score(x) for x in points]) == labels) for points, labels in known]
        assert scene.facts["right"][name][frame] == pytest.approx(rights)
        panel = next(panel for panel in scene.panels if panel.name == name)
        drawn = [mark["rings"] for mark in panel.marks if mark["kind"] == "region"]
        regions = page.rings_of_class_1(np.array([score(x) for x in page.PLACES]))
        for rings, expected in zip(drawn, regions, strict=True):
            rings = rings["frames"][frame] if isinstance(rings, dict) else rings
            for ring, other in zip(rings, expected, strict=True):
                np.testing.assert_allclose(np.array(ring), other, atol=1e-4)


def test_a_line_fails_where_the_others_do_not(lab):
    demo = page.DemoBeyondALine(lab)
    for shape in page.SHAPES:
        right = demo.scene_of(shape=shape, noise=0.1).facts["right"]  # The classes do not overlap.
        assert (right["line"][0][1] < 0.7) == (shape != "two clusters") and right["line"][0][1] > 0.4
        assert min(right["kernel perceptron"][-1] + right["nearest neighbours"][0]) > 0.9


def test_a_narrow_kernel_learns_these_points_by_heart(lab):
    """The numbers of the second thing to try, at the step that the page shows."""
    scene = page.DemoBeyondALine(lab).scene_of(**page.DemoBeyondALine.suggestions[1].settings)
    assert scene.facts["right"]["kernel perceptron"][scene.steps.start] == [1.0, pytest.approx(0.75, abs=0.02)]
    assert scene.table.rows["frames"][-1][1][1:] == ["100 %", "76 %"]


def test_before_the_first_round_the_kernel_perceptron_has_no_share_and_no_region(lab):
    scene = page.DemoBeyondALine(lab).scene_of()
    assert scene.facts["right"]["kernel perceptron"][0] is None and scene.table.rows["frames"][0][1][1] == "–"
    regions = [mark["rings"]["frames"] for mark in scene.panels[1].marks if mark["kind"] == "region"]
    assert [frames[0] for frames in regions] == [[], []] and all(frames[1] for frames in regions)
