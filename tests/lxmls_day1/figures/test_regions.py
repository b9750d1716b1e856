import numpy as np
import pytest
from matplotlib.figure import Figure

from lxmls_day1.figures.regions import class_margins, plot_regions

PARAMS = np.array([[-0.9, -1.1, -1.3], [-1.2, 1.3, 0.1], [0.7, 0.6, -1.4]])


def test_exactly_the_argmax_has_a_positive_margin():
    points = np.random.default_rng(0).normal(size=(200, 2))
    scores = PARAMS[0] + points @ PARAMS[1:]
    margins = class_margins(PARAMS, points)
    assert np.array_equal(margins.argmax(axis=1), scores.argmax(axis=1))
    assert np.array_equal((margins > 0).sum(axis=1), np.ones(200))
    best_two = np.sort(scores, axis=1)[:, -2:]
    assert margins.max(axis=1) == pytest.approx(np.diff(best_two, axis=1)[:, 0])


def test_the_picture_names_regions_with_no_answer_or_two():
    _fig, axes = plot_regions(PARAMS, Figure().subplots(1, 3))
    assert [text.get_text() for text in axes[1].texts] == ["class 0", "class 1", "class 2"]
    assert sorted(text.get_text() for text in axes[2].texts) == ["none", "two", "two", "two"]
    for text in axes[1].texts:  # The name is inside its region.
        k = int(text.get_text().split()[1])
        assert class_margins(PARAMS, [text.get_position()])[0, k] > 0
    (none,) = (text.get_position() for text in axes[2].texts if text.get_text() == "none")
    assert (PARAMS[0] + np.array(none) @ PARAMS[1:] < 0).all()


def test_a_class_that_never_wins_has_no_region():
    _fig, axes = plot_regions([[0, 0, -9], [1, -1, 0], [0, 0, 0.1]], Figure().subplots(1, 3))
    assert [text.get_text() for text in axes[1].texts] == ["class 0", "class 1"]
