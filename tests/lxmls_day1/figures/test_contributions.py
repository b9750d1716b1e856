import pytest

from lxmls_day1.errors import InputError
from lxmls_day1.figures.contributions import plot_contributions
from lxmls_day1.figures.plotting import detached_axes


def test_bars_stand_from_the_top_down_on_the_side_of_their_class():
    _, axis = plot_contributions(["dull", "fine"], [-3.0, 2.0], detached_axes()[1], ["no", "yes"])
    dull, fine = axis.patches
    assert (dull.get_width(), fine.get_width()) == (-3.0, 2.0) and dull.get_facecolor() != fine.get_facecolor()
    assert axis.get_ylim()[0] > axis.get_ylim()[1]
    assert axis.get_xlabel().index("no") < axis.get_xlabel().index("yes")


@pytest.mark.parametrize(("names", "values"), [([], []), (["a"], [1.0, 2.0])])
def test_as_many_names_as_values(names, values):
    with pytest.raises(InputError, match="a name for each value"):
        plot_contributions(names, values, detached_axes()[1], ["a", "b"])
