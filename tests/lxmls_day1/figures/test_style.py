import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from lxmls_day1.demos.scene import CLASSES
from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.style import known_styles, label_ends, line_style, luminance

#: Names that share a style on purpose.
NAIVE_BAYES = {"naive bayes", "gaussian naive bayes", "multinomial naive bayes"}
MAX_ENT_ONLINE = {"maximum entropy online", "maximum entropy, online"}


def test_settings_of_one_classifier_go_from_dark_to_light():
    shades = [line_style(f"MIRA, λ = {n}", n, 3) for n in range(3)]
    brightness = [sum(int(shade["color"][i : i + 2], 16) for i in (1, 3, 5)) for shade in shades]
    assert brightness == sorted(set(brightness)) and len({shade["linestyle"] for shade in shades}) == 1
    assert shades[0] == line_style("MIRA")


def test_labels_at_the_ends_of_lines_that_coincide_do_not_overlap():
    _fig, axis = detached_axes()
    for name, y in (("MIRA", 0.5), ("SVM", 0.5), ("perceptron", 0.501), ("naive Bayes", 0.9)):
        axis.plot([1, 10], [y, y], label=name)
    axis.plot([1, 10], [0.2, 0.2])
    axis.set(xscale="log", ylim=(0, 1), xlim=(1, 10))
    label_ends(axis)
    heights = [text.xyann[1] for text in axis.texts]
    assert sorted(text.get_text() for text in axis.texts) == ["MIRA", "SVM", "naive Bayes", "perceptron"]
    assert np.diff(sorted(heights)).min() > 0.05
    (end,) = (text.xy[1] for text in axis.texts if text.get_text() == "naive Bayes")
    assert end == pytest.approx(0.9)


def test_labels_at_the_ends_can_be_read_and_no_line_runs_through_them():
    """Light lines have darker labels, and lines that end beyond the axes are connected to their labels at the edge."""
    _fig, axis = detached_axes()
    for variant, end in enumerate((0.8, 1.0, 1.3)):
        axis.plot([0, end], [0.5, 0.5], label=f"SVM, {variant}", **line_style("SVM", variant, 3))
    axis.set(xlim=(0, 1), ylim=(0, 1))
    label_ends(axis)
    assert [line.get_xdata() for line in axis.lines[3:]] == [[0.8, 1.025], [1.0, 1.025], [1.0, 1.025]]
    for text in axis.texts:
        assert text.get_position()[0] > 1.025
        assert 1.05 / (np.dot([0.2126, 0.7152, 0.0722], linear_rgb(text.get_color())) + 0.05) > 4.4


@pytest.mark.parametrize("dark", [False, True])
def test_line_colours_differ_from_both_grounds_from_classes_and_each_other(dark):
    """In CIE Lab, colours with a distance of 20 are distinguishable for everybody; closer lines differ in their dashes."""
    paper = "#101318" if dark else "#FFFFFF"
    styles = {name: line_style(name, dark=dark) for name in known_styles()}
    classes = {colour[dark] for colour in CLASSES} - {"#000000", "#FFFFFF"}
    for name, style in styles.items():
        lighter, darker = sorted([luminance(style["color"]), luminance(paper)], reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) > 2.7, name
        if name != "bayes":
            assert min(np.linalg.norm(_lab(style["color"]) - _lab(colour)) for colour in classes) > 20, name
    for (name, one), (other_name, other) in itertools.combinations(styles.items(), 2):
        if {name, other_name} <= NAIVE_BAYES or {name, other_name} <= MAX_ENT_ONLINE:
            continue
        assert one["linestyle"] != other["linestyle"], (name, other_name)
        assert np.linalg.norm(_lab(one["color"]) - _lab(other["color"])) > 14, (name, other_name)


def linear_rgb(colour):
    """Return the linear intensities of an sRGB colour, by its definition."""
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _lab(colour):
    """Return a colour in CIE Lab, by its definition."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ linear_rgb(colour) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
