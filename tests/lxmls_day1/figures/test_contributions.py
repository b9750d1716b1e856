from lxmls_day1.figures.contributions import plot_contributions
from lxmls_day1.figures.plotting import CLASS_COLOURS, detached_axes


def test_bars_are_ordered_from_the_top_on_the_side_of_their_class():
    _, axis = plot_contributions(["dull", "fine"], [-3.0, 2.0], detached_axes()[1], ["no", "yes"])
    dull, fine = axis.patches
    assert (dull.get_width(), fine.get_width()) == (-3.0, 2.0) and dull.get_facecolor() != fine.get_facecolor()
    assert axis.get_ylim()[0] > axis.get_ylim()[1]
    assert axis.get_xlabel().index("no") < axis.get_xlabel().index("yes")


def test_words_have_the_colour_of_the_class_they_vote_for_as_in_the_demonstrations():
    from matplotlib.colors import to_hex

    from lxmls_day1.demos.review_explorer import _VERDICTS
    from lxmls_day1.engine.text.parsed_reviews import LABEL_NAMES

    _, axis = plot_contributions(["dull", "fine"], [-3.0, 2.0], detached_axes()[1], ["negative", "positive"])
    colours = [to_hex(bar.get_facecolor()).upper() for bar in axis.patches]
    drawn = dict(zip(["negative", "positive"], colours, strict=True))
    assert drawn == {name: CLASS_COLOURS[k] for k, name in enumerate(LABEL_NAMES)}
    assert drawn == {name: light for name, (_, (light, _)) in _VERDICTS.items()}
    _, axis = plot_contributions(["dull"], [-3.0], detached_axes()[1], ["verb", "noun"], numbers=(2, 4))
    assert to_hex(axis.patches[0].get_facecolor()).upper() == CLASS_COLOURS[2]
