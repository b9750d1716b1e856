from lxmls_day1.figures.contributions import plot_contributions
from lxmls_day1.figures.plotting import detached_axes


def test_bars_are_ordered_from_the_top_on_the_side_of_their_class():
    _, axis = plot_contributions(["dull", "fine"], [-3.0, 2.0], detached_axes()[1], ["no", "yes"])
    dull, fine = axis.patches
    assert (dull.get_width(), fine.get_width()) == (-3.0, 2.0) and dull.get_facecolor() != fine.get_facecolor()
    assert axis.get_ylim()[0] > axis.get_ylim()[1]
    assert axis.get_xlabel().index("no") < axis.get_xlabel().index("yes")
