import numpy as np
import pytest
from matplotlib.figure import Figure

from classifiers.column_squishing import squishing_rule
from lxmls_day1.figures.squishing import levels, plot_squishing


@pytest.mark.parametrize("seed", range(20))
def test_the_last_level_is_what_the_true_class_gains(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=rng.integers(2, 8))
    cost = np.ones(len(scores))
    cost[0] = 0.0
    gaps = scores[1:] - scores[0] + 1.0
    if gaps.max() > 0:
        d = squishing_rule(scores, 0, 1.0, np.inf, cost)
        assert levels(gaps)[-1] == pytest.approx(d[0])
        assert len(levels(gaps)) == np.sum(d < -1e-12)


def test_the_falling_scores_lose_as_much_as_the_true_class_gains():
    _fig, (_left, right) = plot_squishing([2.996, 1.641, 0.5], ["y", "a", "b", "c"], Figure().subplots(1, 2))
    stays, down, up = ([bar.get_height() for bar in container] for container in right.containers)
    assert sum(down) == pytest.approx(sum(up)) and up[1:] == [0.0] * 3
    assert stays == pytest.approx([0.0, 1.54567, 1.54567, 0.5], abs=1e-4)
