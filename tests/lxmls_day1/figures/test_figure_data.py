"""What figures are said to show, against what was drawn into them; and which differences count."""

import json

import numpy as np
import pytest

from lxmls_day1.figures.figure_data import MIME_TYPE, as_mime_bundle, describe, differences, figure_data, record_figures
from lxmls_day1.figures.plotting import detached_axes
from lxmls_day1.figures.style import label_ends


def artists(fig, kind):
    return [artist for artist in figure_data(fig)["axes"][0]["artists"] if artist["kind"] == kind]


def line_figure(y=(0.0, 1.0), yscale="linear", **style):
    fig, axis = detached_axes()
    axis.plot([0.0, 1.0], y, **{"label": "a line", "color": "black", **style})
    axis.set(xlim=(0, 1), ylim=(0.001, 1), yscale=yscale, title="title", xlabel="x", ylabel="y")
    return figure_data(fig)


class TestData:
    def test_a_line_with_gaps(self):
        fig, axis = detached_axes()
        axis.plot([0, np.nan, 2], [1, np.nan, 3], "r--", label="gap")
        assert artists(fig, "line") == [
            {"kind": "line", "label": "gap", "style": "#ff0000 -- None", "x": [0.0, None, 2.0], "y": [1.0, None, 3.0]}
        ]

    def test_bars_areas_texts_and_points(self):
        fig, axis = detached_axes()
        axis.bar([1, 2], [0.5, 0.25], width=0.4)
        axis.fill_between([0, 1], [0, 0], [1, 2], label="band")
        axis.scatter([1, 2], [3, 4], label="points")
        axis.text(0.5, 0.75, "here")
        bars = artists(fig, "bar")
        assert [bar["height"] for bar in bars] == [[0.5], [0.25]]
        assert [bar["x"][0] + bar["width"][0] / 2 for bar in bars] == pytest.approx([1, 2])
        band, points = artists(fig, "collection")
        assert {0.0, 1.0, 2.0} == set(band["y"])
        assert (points["x"], points["y"]) == ([1.0, 2.0], [3.0, 4.0])
        assert artists(fig, "text") == [{"kind": "text", "label": "here", "x": [0.5], "y": [0.75]}]

    def test_an_image_by_its_values(self):
        fig, axis = detached_axes()
        axis.imshow([[1.0, 2.0], [3.0, 4.0]])
        assert artists(fig, "image")[0]["z"] == [1.0, 2.0, 3.0, 4.0]

    def test_of_a_long_line_a_few_points_and_the_mean(self):
        fig, axis = detached_axes()
        x = np.linspace(0, 1, 1001)
        axis.plot(x, x**2)
        (line,) = artists(fig, "line")
        assert len(line["x"]) == len(line["y"]) == 40 and line["length"] == 1001
        assert (line["x"][0], line["x"][-1]) == (0.0, 1.0)
        assert line["mean"] == pytest.approx([x.mean(), (x**2).mean()], rel=1e-4)

    def test_it_is_json_and_goes_with_the_image(self):
        fig, axis = detached_axes()
        axis.plot(np.arange(100), np.arange(100.0), label="up")
        bundle, metadata = as_mime_bundle(fig)
        assert json.loads(json.dumps(bundle[MIME_TYPE], allow_nan=False)) == figure_data(fig)
        assert bundle["text/plain"] == describe(fig)
        assert metadata == {"image/png": {"alt": "Figure: up"}}

    def test_lines_that_lead_to_labels_are_left_out(self):
        fig, axis = detached_axes()
        axis.plot([0, 1], [0, 1], label="MIRA")
        label_ends(axis)
        assert [line["label"] for line in artists(fig, "line")] == ["MIRA"]
        assert [text["label"] for text in artists(fig, "text")] == ["MIRA"]

    def test_hidden_things_are_left_out(self):
        fig, axis = detached_axes()
        axis.plot([0, 1], [0, 1], visible=False)
        assert not artists(fig, "line")


class TestDescription:
    def test_points_lines_and_bars_in_words(self):
        fig, axis = detached_axes()
        axis.plot([1, 2, 3], [4, 5, 6], "o", label="training")
        axis.plot([0, 1], [2, 3], label="boundary")
        axis.bar([1, 2], [0.5, 0.25])
        axis.set(title="A title", xlabel="x", ylabel="y")
        assert describe(fig).splitlines() == [
            "Figure A title (x → y)",
            "  training: 3 points",
            "  boundary: from (0, 2) to (1, 3)",
            "  bars: 0.5, 0.25",
        ]

    def test_a_boundary_out_of_view(self):
        fig, axis = detached_axes()
        axis.plot([], [], label="elsewhere")
        assert "elsewhere: nothing in view" in describe(fig)


class TestDifferences:
    def test_none_in_itself(self):
        assert differences(line_figure(), line_figure()) == []
        assert differences(line_figure(), json.loads(json.dumps(line_figure()))) == []

    @pytest.mark.parametrize(("end", "n_differences"), [(1.0009, 0), (0.9991, 0), (1.01, 1), (0.99, 1)])
    def test_what_the_eye_can_see_counts(self, end, n_differences):
        assert len(differences(line_figure(), line_figure((0.0, end)))) == n_differences

    @pytest.mark.parametrize(("start", "n_differences"), [(0.00201, 0), (0.0022, 1)])
    def test_on_a_logarithmic_axis_ratios_count(self, start, n_differences):
        figures = [line_figure((y, 1.0), yscale="log") for y in (0.002, start)]
        assert len(differences(*figures)) == n_differences
        assert not differences(*[line_figure((y, 1.0)) for y in (0.002, start)])  # not to be seen on a linear one

    @pytest.mark.parametrize("change", [{"color": "red"}, {"label": "another"}, {"linestyle": ":"}, {"marker": "o"}])
    def test_looks_and_names_count(self, change):
        assert any("a line" in difference for difference in differences(line_figure(), line_figure(**change)))

    @pytest.mark.parametrize("key", ["title", "xlabel", "ylabel", "xscale", "xlim", "legend"])
    def test_the_axes_count(self, key):
        expected, got = line_figure(), line_figure()
        got["axes"][0][key] = [0.0, 2.0] if key == "xlim" else ["another"]
        assert differences(expected, got)[0].startswith(f"axes 1, {key}")

    def test_one_line_more_or_less(self):
        expected, got = line_figure(), line_figure()
        got["axes"][0]["artists"].pop()
        assert differences(expected, got) and differences(got, expected)
        assert differences(expected, {"axes": []}) == ["0 axes instead of 1"]

    def test_a_bump_between_the_recorded_points_of_a_long_line(self):
        def figure(bump):
            fig, axis = detached_axes()
            y = np.zeros(1000)
            y[500:520] = bump
            axis.plot(y)
            axis.set(ylim=(-1, 1))
            return figure_data(fig)

        assert differences(figure(0.0), figure(1.0))


def test_figures_are_recorded_by_a_shell():
    class Formatter(dict):
        for_type = dict.__setitem__

    class Shell:
        magics = []

        def run_line_magic(self, *magic):
            self.magics.append(magic)

        class display_formatter:
            mimebundle_formatter = Formatter()

    import matplotlib

    with matplotlib.rc_context():
        record_figures(Shell())
    fig, _axis = detached_axes()
    assert Shell.display_formatter.mimebundle_formatter[type(fig)](fig)[0][MIME_TYPE] == figure_data(fig)
    assert Shell.magics == [("matplotlib", "inline")]
    record_figures()  # outside IPython nothing happens
