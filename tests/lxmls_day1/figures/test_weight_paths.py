"""The contents of a regularization path's picture, read back from the axes."""

from classifiers.regularization_path import PathPoint
from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.weight_paths import plot_path

POINTS = [PathPoint(0.01, 40, 0.95, 0.8), PathPoint(0.1, 3, 0.7, 0.65)]


def test_curves_and_counts_over_falling_penalties():
    fig, axis = plot_path(POINTS, ax=detached_axes()[1])
    drawn = {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axis.lines}
    assert drawn == {"development": ([0.1, 0.01], [0.65, 0.8]), "training": ([0.1, 0.01], [0.7, 0.95])}
    (counts,) = [other for other in fig.axes if other is not axis]
    assert list(counts.lines[0].get_ydata()) == [3, 40] and counts.get_ylim()[0] == 0
    left, right = axis.get_xlim()
    assert left > right and axis.get_xscale() == "log"
