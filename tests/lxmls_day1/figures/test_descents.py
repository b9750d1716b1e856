"""Paths on contour lines: the positions of what is drawn."""

import numpy as np

from lxmls_day1.figures.descents import plot_descents
from lxmls_day1.figures.plotting import detached_axes


def bowl(v):
    return float(v[0] ** 2 + 4 * v[1] ** 2)


def test_paths_and_contours():
    paths = {"steep": [[2.0, 2.0], [0.5, 0.0], [0.0, 0.0]], "slow": [[2.0, 2.0], [1.0, 1.0]]}
    _, axis = plot_descents(bowl, paths, detached_axes()[1], xlim=(-3, 3), ylim=(-2, 3))
    drawn = {line.get_label(): line.get_xydata().tolist() for line in axis.lines}
    assert drawn == {**paths, "minimum": [[0.0, 0.0]]}
    contours = axis.collections[0]
    for level, path in zip(contours.levels, contours.get_paths(), strict=True):
        np.testing.assert_allclose([bowl(v) for v in path.vertices], level, rtol=0.1, atol=0.05)
