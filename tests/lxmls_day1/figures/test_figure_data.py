"""The descriptions of figures compared with the data that was drawn."""

import matplotlib
import numpy as np

from lxmls_day1.figures.figure_data import as_mime_bundle, describe, record_figures
from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.style import label_ends


def test_points_lines_and_bars_in_words():
    fig, axis = detached_axes()
    axis.plot([1, 2, 3], [4, 5, 6], "o", label="training")
    axis.plot([0, 1], [2, 3], label="boundary")
    axis.plot([0, np.nan, 2, 3], [1, np.nan, 3, 5], label="gap")
    axis.plot(np.arange(1001), np.arange(1001) ** 2, label="long")
    axis.scatter([1], [3], label="found")
    axis.plot([], [], label="elsewhere")
    axis.plot([0, 1], [0, 1], label="hidden", visible=False)
    axis.bar([1, 2], [0.5, 0.25])
    axis.set(title="A title", xlabel="x", ylabel="y")
    assert sorted(describe(fig).splitlines()) == sorted(
        [
            "Figure A title (x → y)",
            "  training: 3 points",
            "  boundary: from (0, 2) to (1, 3)",
            "  gap: from (0, 1) to (3, 5), 3 points",
            "  long: from (0, 0) to (1e+03, 1e+06), 1001 points",
            "  found: 1 point",
            "  elsewhere: nothing in view",
            "  bars: 0.5, 0.25",
        ]
    )


def test_bars_of_one_height_are_described_by_their_width():
    fig, axis = detached_axes()
    axis.barh([1, 2], [0.5, 0.25])
    assert "bars: 0.5, 0.25" in describe(fig)


def test_lines_that_lead_to_labels_are_left_out():
    fig, axis = detached_axes()
    axis.plot([0, 1], [0, 1], label="MIRA")
    label_ends(axis)
    assert describe(fig).splitlines() == ["Figure", "  MIRA: from (0, 0) to (1, 1)", "  MIRA"]
    assert as_mime_bundle(fig)[1] == {"image/png": {"alt": "Figure: MIRA"}}


def test_figures_are_described_by_a_shell():
    class Formatter(dict):
        for_type = dict.__setitem__

    class Shell:
        magics = []

        def run_line_magic(self, *magic):
            self.magics.append(magic)

        class display_formatter:
            mimebundle_formatter = Formatter()

    with matplotlib.rc_context():
        record_figures(Shell())
    fig, _axis = detached_axes()
    assert Shell.display_formatter.mimebundle_formatter[type(fig)](fig)[0] == {"text/plain": describe(fig)}
    assert Shell.magics == [("matplotlib", "inline")]
