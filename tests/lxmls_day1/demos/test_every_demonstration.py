"""What holds for each demonstration: names and tooltips, what to look at, links that restore it, and one look for a classifier."""

import json

import pytest
from ipywidgets import Button, Play, Text, ToggleButton, ValueWidget
from ipywidgets.widgets.widget_description import DescriptionWidget
from matplotlib.colors import to_hex

from lxmls_day1.demos import serving
from lxmls_day1.demos.export import DEMONSTRATIONS, demonstration_class
from lxmls_day1.demos.index_page import THUMBNAILS
from lxmls_day1.figures.style import line_style

#: Where the lines of classifiers are on each page: their names, and the artists.
CLASSIFIER_LINES = {
    "gaussian_playground": lambda demo: demo.lines,
    "online_steps": lambda demo: {label: panel.after for label, panel in demo.panels.items()},
    "mira_step": lambda demo: {"MIRA": demo.tau_line, "MIRA after": demo.after, "Column squishing": demo.goal},
    "comparison": lambda demo: (
        {name: line for (_, name), (line, _) in demo.artists.items()} | {"Bayes optimal": demo.best["size"]}
    ),
    "confidence": lambda demo: {"AROW": demo.lines[1]},
}
OF_CLASSES = ("review_explorer", "beyond_a_line")  # all that these draw in colour is about classes
TOO_LARGE = 16_000  # bytes of a thumbnail


@pytest.fixture(scope="module", params=DEMONSTRATIONS)
def demo(request, lab):
    """One of them, without a browser; what it computes beside the page has been stopped."""
    demonstration = demonstration_class(request.param)(lab, live=False)
    if not demonstration.is_quick:
        demonstration.background.cancel()
        demonstration.background.wait()
    return demonstration


def widgets_in(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from widgets_in(child)


def lines_in(figure):
    return [line for axis in figure.axes for line in axis.lines if line.get_linestyle() != "None"]


@pytest.mark.parametrize("name", DEMONSTRATIONS)
def test_the_title_of_the_window_is_that_on_the_page(name, lab):
    """The window's is the heading of the notebook."""
    file = lab.folder / serving.FOLDER / serving.names(lab.folder / serving.FOLDER)[name]
    first = json.loads(file.read_text(encoding="utf-8"))["cells"][0]["source"]
    assert "".join(first).partition("\n")[0] == f"# {demonstration_class(name).title}"


def test_every_control_has_a_tooltip(demo):
    controls = [
        widget
        for widget in widgets_in(demo.widget)
        if isinstance(widget, Button | ToggleButton | Play)
        or (isinstance(widget, ValueWidget) and isinstance(widget, DescriptionWidget) and _is_used(widget))
    ]
    assert len(controls) > 6
    assert not [control for control in controls if not (control.tooltip or getattr(control, "tooltips", ()))]


def _is_used(widget):
    """Whether somebody moves or clicks it: not what only shows a text, and not what page.js writes into."""
    shows = {"HTML", "IntProgress"}
    return type(widget).__name__ not in shows and not (type(widget) is Text and widget.layout.display == "none")


def test_it_says_what_to_look_at_and_three_things_to_try(demo):
    assert demo.summary.endswith(".") and len(demo.summary) < 120
    sentences = [part for part in demo.look_at.replace("? ", ". ").split(". ") if part]
    assert 2 <= len(sentences) <= 3 and demo.look_at.endswith(".")
    assert len(demo.to_try) == 3 and all(text[-1] in ".?" for text in demo.to_try)


def test_it_has_a_small_picture_on_both_grounds(demo):
    assert all(0 < (THUMBNAILS / f"{demo.name}{dark}.png").stat().st_size < TOO_LARGE for dark in ("", "_dark"))


def test_a_classifier_has_its_colour_and_dash_and_no_line_has_the_colour_of_a_class(demo):
    for dark in (False, True):
        if demo.stage.dark != dark:
            demo.stage.dark_switch.click()
        named = CLASSIFIER_LINES.get(demo.name, lambda demo: {})(demo)
        for name, line in named.items():
            own = line_style(name, *((1, 2) if name == "NB, σ² per class" else (0, 1)), dark=dark)
            assert to_hex(line.get_color()) == own["color"], name
            assert line.is_dashed() == (own["linestyle"] != "solid"), name
        looks = {(to_hex(line.get_color()), line.is_dashed()) for line in named.values()}
        assert len(looks) == len(named) - ("MIRA after" in named)
        if demo.name not in OF_CLASSES:
            of_classes = {colour.lower() for colour in demo.stage.look.classes} - {"#000000", "#ffffff"}
            assert not of_classes & {to_hex(line.get_color()) for line in lines_in(demo.stage.figure)}
    demo.stage.dark_switch.click()


def another_value(control):
    """Another value that the control may have; None if there is none."""
    if hasattr(control, "options"):
        values = [option[1] if isinstance(option, tuple) else option for option in control.options]
        return next((value for value in values if value != control.value), None)
    if isinstance(control.value, bool):
        return not control.value
    if isinstance(control.value, str):
        return "An excellent start & a dull #end = 100 %"
    if hasattr(control, "base"):
        return control.value * control.base**control.step
    return control.value + (control.step or 1) * (1 if control.value < control.max else -1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [name for name in DEMONSTRATIONS if demonstration_class(name).is_quick])
def test_a_link_restores_what_was_set(lab, name):
    one = demonstration_class(name)(lab, live=False)
    assert one.address() == ""
    for _, control in one._valued():
        if (value := another_value(control)) is not None:
            control.value = value
    if name == "gaussian_playground":
        one.points = one.points.added((4.0, -3.5), 1)
        one.do(one._show)
    one.stage.dark_switch.click()
    address = one.address()
    assert "dark=1" in address
    other = demonstration_class(name)(lab, live=False)
    window = '{"width": 880, "height": 600, "scale": 1, "link": "#LINK"}'
    other.stage.window.value = window.replace("LINK", address)
    assert other.address() == address and not other.stage.messages
    one.stage.window.value = window.replace("LINK", address)
    assert one.stage.last_state == other.stage.last_state
    other.stage.window.value = window.replace("LINK", "")
    assert other.address() == ""


@pytest.fixture(scope="module")
def mira_step(lab):
    return demonstration_class("mira_step")(lab, live=False)


@pytest.mark.parametrize(
    "link", ["x1=nan", "x1=far&nr_classes=many", "label=77", "dark=&x2", "regularizer=1e99", "points=1,2;x"]
)
def test_a_link_that_somebody_has_mangled_does_no_harm(mira_step, link):
    window = '{"width": 880, "height": 600, "scale": 1, "link": "#LINK"}'
    mira_step.stage.window.value = window.replace("LINK", "")  # all is as it was at first
    assert mira_step.address() == "" and mira_step.stage.last_state["example"][1] != 0.5
    mira_step.stage.window.value = window.replace("LINK", link)
    assert 'role="alert"' not in mira_step.stage.messages
    mira_step.x2.value = 0.5
    assert mira_step.stage.last_state["example"][1] == 0.5
