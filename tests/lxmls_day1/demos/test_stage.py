"""What every demonstration stands on: the page, its data, its colours, and what becomes of errors."""

import html
import json
import re

import numpy as np
import pytest
from ipywidgets import IntSlider
from matplotlib.colors import to_rgb

from lxmls_day1.demos import environment
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.stage import Stage
from lxmls_day1.demos.theme import DARK, LIGHT
from lxmls_day1.errors import InputError
from lxmls_day1.figures.style import luminance


class DemoLine(Demonstration):
    """A line as high as a slider says; some values go wrong."""

    name, title = "line", "A line & more"

    def controls(self):
        self.height = IntSlider(value=1, min=0, max=100)
        self.on_change(self.update, self.height)
        return [self.stage.beside([self.height], self.stage.view())]

    def draw(self):
        self.axis = self.stage.figure.subplots()
        self.axis.set(xlim=(0, 1), ylim=(0, 100), title="a title")
        self.stage.style(self.axis)
        (self.line,) = self.axis.plot([], [], label="the line", **self.stage.line(0))
        self.stage.legend(self.axis)

    def update(self):
        if self.height.value == 66:
            raise NotImplementedError("Exercise 1.5: MIRA")
        if self.height.value == 77:
            raise InputError("77 is <too> high.")
        if self.height.value == 88:
            raise KeyError("x")
        self.line.set_data([0, 1], [0, self.height.value])
        self.stage.state(height=self.height.value, ends=np.array([[0.0, np.nan]]), name="</div><b>&")


@pytest.fixture
def demo(lab):
    return DemoLine(lab, height=20)


def button(demo, css_class):
    return next(w for w in demo.widget.children[1].children[1].children if css_class in w._dom_classes)


class TestPage:
    def test_the_state_is_json_that_a_browser_reads_back(self, demo):
        text = demo.widget.children[-1].value
        content = html.unescape(re.fullmatch(r'<div class="demo-state" data-demo="line" hidden>([^<]*)</div>', text)[1])
        assert json.loads(content) == {"height": 20, "ends": [[0.0, None]], "name": "</div><b>&"}

    def test_a_start_value_is_there_before_the_first_drawing(self, demo):
        assert list(demo.line.get_ydata()) == [0, 20]

    def test_the_title_is_escaped(self, demo):
        assert "A line &amp; more" in demo.widget.children[1].children[0].value

    def test_what_clicks_refer_to_is_where_it_is_in_the_end(self, lab):
        class DemoClicked(DemoLine):
            def draw(self):
                super().draw()
                self.stage.clickable = self.axis

        demo = DemoClicked(lab)
        box = demo.axis.get_position()
        assert demo.stage.last_state["axes"] == pytest.approx([box.x0, 1 - box.y1, box.x1, 1 - box.y0])

    def test_several_changes_together_update_once(self, demo):
        seen = []
        demo.height.observe(lambda change: seen.append(demo.line.get_ydata()[1]), names="value")
        with demo.together():
            demo.height.value = 3
        assert seen == [20]

    def test_a_live_figure_is_a_widget(self, lab):
        demo = DemoLine(lab, live=True)
        demo.height.value = 30
        assert demo.stage.view().children == (demo.stage.figure.canvas,) and demo.stage.messages == ""

    @pytest.mark.parametrize(("window", "share"), [("1", 1), ("", 0.63)])
    def test_a_page_is_smaller_in_a_cell_than_in_a_window_of_its_own(self, lab, window, share, monkeypatch):
        """A cell has the width of the window without lists, bars and margins: 830 pixels of 1280."""
        monkeypatch.setenv("LXMLS_DAY1_DEMO_WINDOW", window)
        demo = DemoLine(lab, live=True)
        inches = demo.stage.figure.get_size_inches()
        assert demo.stage.figure.dpi == pytest.approx(100 * share)
        assert [*inches] == [*DemoLine(lab, live=False).stage.figure.get_size_inches()]
        assert f"--demo-px: {share:g}px" in demo.widget.children[0].value

    def test_the_figure_fills_the_room_that_the_page_tells(self, demo):
        demo.stage.window.value = json.dumps({"width": 1400, "height": 700, "scale": 1.5, "link": ""})
        assert [*demo.stage.figure.get_size_inches()] == [14, 7]
        assert demo.axis.title.get_fontsize() == pytest.approx(1.5 * 14 * 1.05)
        assert list(demo.line.get_ydata()) == [0, 20]

    @pytest.mark.parametrize(
        "told", ["", "{", '{"width": null}', '{"width": 1, "height": 1e9, "scale": "x", "link": ""}']
    )
    def test_what_the_page_tells_is_not_trusted(self, demo, told):
        before = [*demo.stage.figure.get_size_inches()]
        demo.stage.window.value = told
        assert [*demo.stage.figure.get_size_inches()] == before and not demo.stage.messages

    def test_what_to_look_at_unfolds(self, demo):
        about = demo.widget.children[2]
        assert about.layout.display == "none" and "Three things to try" in about.value
        button(demo, "demo-unfold").value = True
        assert about.layout.display is None


class TestErrors:
    @pytest.mark.parametrize(
        ("value", "role", "sentence"),
        [
            (66, "note", "Exercise 1.5: MIRA"),
            (77, "alert", "77 is &lt;too&gt; high."),
            (88, "alert", "KeyError: &#x27;x&#x27;"),
        ],
    )
    def test_an_error_is_a_sentence_on_the_page_until_the_next_change(self, demo, value, role, sentence):
        demo.height.value = value
        assert demo.stage.messages == f'<div role="{role}">{sentence}</div>'
        assert list(demo.line.get_ydata()) == [0, 20]
        demo.height.value = 21
        assert demo.stage.messages == "" and list(demo.line.get_ydata()) == [0, 21]

    def test_attempts_fail_one_by_one(self, lab):
        stage = Stage("x", "x", lab.folder)
        done = []
        with stage.guard():
            for what, error in (("MIRA", NotImplementedError("Exercise 1.5")), ("SVM", None), ("NB", ValueError("no"))):
                with stage.attempt(what) as attempt:
                    if error:
                        raise error
                done.append(attempt.ok)
        assert done == [False, True, False]
        assert "MIRA is still to be written: Exercise 1.5" in stage.messages and "NB: ValueError: no" in stage.messages

    def test_a_bug_in_the_lab_is_told_with_its_place(self, lab):
        stage = Stage("x", "x", lab.folder)
        with stage.guard():
            lab.function("mira", "mira_rule", np.array([1.0, 2.0]), 0, None, 1.0, np.zeros(2))  # ‖g(x)‖² = None
        assert re.search(r"TypeError: .*\(classifiers/mira.py, line \d+\)</div>$", stage.messages)


class TestLook:
    @pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
    def test_letters_and_lines_stand_out_from_the_background(self, look):
        def contrast(colour):  # of WCAG 2: 1 to 21
            lighter, darker = sorted([luminance(colour), luminance(look.background)], reverse=True)
            return (lighter + 0.05) / (darker + 0.05)

        assert contrast(look.foreground) > 15
        assert contrast(look.muted) > 4.5
        assert min(map(contrast, look.classes[:3])) > 3

    def test_no_two_lines_have_the_same_dashes(self, lab):
        styles = [Stage("x", "x", lab.folder).line(number) for number in range(8)]
        assert len({str(style["linestyle"]) for style in styles}) == 8

    def test_letters_are_large_and_lines_thick(self, demo):
        texts = [
            demo.axis.title,
            demo.axis.xaxis.label,
            *demo.axis.get_xticklabels(),
            *demo.axis.get_legend().get_texts(),
        ]
        assert (
            min(text.get_fontsize() for text in texts) >= 11.5
        )  # points of 1/72 inch; 100 dots to the inch: 16 pixels
        assert demo.line.get_linewidth() >= 3

    def test_dark_is_a_click_away_and_keeps_what_is_shown(self, demo):
        demo.height.value = 33
        button(demo, "demo-colours").click()
        assert "demo-dark" in demo.widget._dom_classes
        assert demo.stage.figure.get_facecolor() == (*to_rgb(DARK.background), 1)
        assert list(demo.line.get_ydata()) == [0, 33]
        button(demo, "demo-colours").click()
        assert "demo-dark" not in demo.widget._dom_classes
        assert demo.line.get_color() == LIGHT.foreground

    def test_the_environment_sets_colours_and_size(self, lab, monkeypatch):
        monkeypatch.setenv(environment.DARK_VARIABLE, "1")
        monkeypatch.setenv(environment.SCALE_VARIABLE, "1.5")
        stage = Stage("x", "x", lab.folder)
        assert stage.look is DARK and stage.scale == 1.5
        monkeypatch.setenv(environment.SCALE_VARIABLE, "huge")
        with pytest.raises(InputError, match=r"must be a number from 0.5 to 3"):
            Stage("x", "x", lab.folder)


class TestSaving:
    def test_the_button_offers_a_picture(self, demo):
        button(demo, "demo-save-png").click()
        link = demo.widget.children[1].children[1].children[0].value
        assert 'download="line.png"' in link and 'href="data:image/png;base64,iVBOR' in link

    def test_a_picture_has_twice_the_dots_of_the_page(self, demo, tmp_path):
        from PIL import Image

        demo.save(tmp_path / "line.png")
        with Image.open(tmp_path / "line.png") as picture:
            assert picture.size == pytest.approx(tuple(200 * demo.stage.figure.get_size_inches()))

    @pytest.mark.parametrize("name", ["line.gif", "line.pdf"])
    def test_what_cannot_be_made_is_refused(self, demo, tmp_path, name):
        with pytest.raises(InputError):
            demo.save(tmp_path / name)
        assert not list(tmp_path.iterdir())

    def test_without_widgets_the_reason_is_told(self, monkeypatch):
        monkeypatch.setattr(environment, "find_spec", lambda name: None)
        with pytest.raises(InputError, match="need ipywidgets and ipympl"):
            environment.require_widgets()
