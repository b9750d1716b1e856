"""The page of the review explorer, without a browser."""

import html
import io
import math
import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb

pytest.importorskip("ipywidgets")
pytest.importorskip("ipympl")

from lxmls_day1.demos.review_decisions import Word
from lxmls_day1.demos.review_explorer import DemoReviews
from lxmls_day1.demos.review_text import coloured_text
from lxmls_day1.demos.reviews import EXAMPLES
from lxmls_day1.demos.theme import DARK, LIGHT
from lxmls_day1.figures.style import luminance
from lxmls_day1.lab import Lab

HOSTILE = {
    "empty": "",
    "blank": " \n\t ",
    "emoji": "😀🔥💩 " * 20,
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)> \"'><b>great</b> &lt; </div></textarea>",
    "mathematics": r"$x_1$ $\frac{ \alpha $$ great_$ %s {0} boring_plot",
    "no form": "\x00\x1b[2J \u202egreat\u202c \ud800 boring",
    "one long word": "x" * 100_000,
    "100 kB": ("An excellent plot, but a boring ending. " * 2600)[:100_000],
}


@pytest.fixture(scope="module")
def demo():
    demo = DemoReviews(Lab.open(), live=False, domain="toy")
    demo.background.wait()
    return demo


@pytest.fixture(autouse=True)
def as_at_first(request):
    yield
    if "demo" in request.fixturenames:
        demo = request.getfixturevalue("demo")
        with demo.together():
            demo.view_shown.value, demo.text.value = "review", EXAMPLES["two sides"]
            demo.learner.value, demo.word.value = demo.learner.options[0], demo.word.options[0]
        demo.alpha.value = 1.0
        demo.do(demo.arrange)


def words_on_page(demo):
    """The text as a reader sees it."""
    box = demo.coloured.value.partition('class="demo-words"')[2].partition(">")[2]
    return html.unescape(re.sub(r"<[^>]*>", "", box)).split()


def test_all_classifiers_decide_and_the_text_is_shown_as_typed(demo):
    state = demo.stage.last_state
    assert len(state["models"]) == 8 == len(state["decisions"])
    assert words_on_page(demo) == EXAMPLES["two sides"].split()
    bars = demo.stage.figure.axes[0].patches
    assert [bar.get_width() for bar in bars] == [d["share"] for d in state["decisions"].values()]


def test_the_bars_are_the_strongest_words_of_the_chosen_classifier(demo):
    for label in ["Perceptron", "MIRA"]:
        demo.learner.value = label
        weights = [weight for _, weight in demo.stage.last_state["bars"]]
        widths = np.array([bar.get_width() for bar in demo.stage.figure.axes[1].patches])
        np.testing.assert_allclose(widths / widths[0], np.array(weights) / weights[0])
        assert 0 < np.abs(widths).sum() <= 1  # shares of all that is said, as the bars on the left
        assert weights == sorted(weights, reverse=True)


def test_an_example_fills_the_box_and_typing_makes_it_ones_own(demo):
    demo.example.value = "glowing"
    assert demo.text.value == EXAMPLES["glowing"]
    demo.text.value = "Something else, excellent."
    assert demo.example.value == "my own" and demo.stage.last_state["characters"] == 26
    demo.text.value = EXAMPLES["damning"]
    assert demo.example.value == "damning"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", HOSTILE)
def test_bad_input_is_harmless(demo, kind, tmp_path):
    demo.text.value = HOSTILE[kind]
    state = demo.stage.last_state
    assert state["characters"] == len(HOSTILE[kind]) and len(state["decisions"]) == 8
    assert not demo.stage.messages
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z]+)", demo.coloured.value))
    assert tags <= {"div", "span", "i"} and len(demo.coloured.value) < 200_000
    assert all(math.isfinite(d["share"]) for d in state["decisions"].values())
    demo.save(tmp_path / "bad.png")
    assert (tmp_path / "bad.png").read_bytes().startswith(b"\x89PNG")
    if kind in ("empty", "blank"):
        assert "Nothing is typed" in state["sentence"]
    if kind in ("empty", "blank", "emoji", "one long word"):  # no word is known: there is no verdict, and no bar
        axis = demo.stage.figure.axes[0]
        assert {d["decided"] for d in state["decisions"].values()} == {None} and "no verdict" in axis.texts[
            0
        ].get_text()
        assert {bar.get_width() for bar in axis.patches} == {0.0} and axis.get_xlim() == (-1.04, 1.04)
        assert not any("+" in label.get_text() or "−" in label.get_text() for label in axis.get_yticklabels())
    if kind in ("emoji", "one long word"):
        assert "None of this" in state["sentence"]


@pytest.mark.parametrize("kind", ["empty", "html", "mathematics", "no form", "one long word"])
def test_a_bad_word_in_the_smoothing_view_is_a_sentence(demo, kind):
    with demo.together():
        demo.view_shown.value = "smoothing"
    demo.word.value = HOSTILE[kind] + " "
    assert demo.stage.last_state["word"] is None and "is no feature" in demo.coloured.value
    assert not re.search(r"<(script|img|b)\b", demo.coloured.value)


def test_smoothing_changes_what_an_unseen_word_adds(demo):
    demo.view_shown.value, demo.word.value = "smoothing", demo.word.options[0]
    added = []
    for alpha in [1.0, 0.1, 0.01, 0.0]:
        demo.alpha.value = alpha
        added.append(demo.stage.last_state["added"])
    assert 0 in demo.stage.last_state["counts"]
    assert abs(added[0]) < abs(added[1]) < abs(added[2]) and added[3] is None  # infinite
    unsmoothed = demo.stage.last_state["decisions"]
    assert unsmoothed["Naive Bayes (smoothed)"] == unsmoothed["Naive Bayes (unsmoothed)"]  # α = 0 is just that
    assert "impossible" in demo.coloured.value


def test_telling_words_have_a_bar_each(demo):
    demo.view_shown.value, demo.learner.value = "telling", "SVM"
    telling = demo.stage.last_state["telling"]
    negative, positive = ([bar.get_width() for bar in axis.patches] for axis in demo.stage.figure.axes)
    assert positive == [weight for _, weight in telling["positive"]]
    assert negative == [weight for _, weight in telling["negative"]]
    assert min(positive) > 0 > max(negative)
    demo.learner.value = "Naive Bayes (unsmoothed)"
    assert demo.stage.last_state["telling"]["positive"][0][1] is None  # infinite, and drawn all the same
    assert len(demo.stage.figure.axes[1].patches) == 12


def test_a_picture_holds_the_text_above_the_figure(demo, tmp_path):
    from PIL import Image

    demo.save(tmp_path / "review.png")
    whole, figure = Image.open(tmp_path / "review.png"), Image.open(io.BytesIO(demo.stage.png()))
    assert whole.width == figure.width and whole.height > figure.height
    strip = whole.crop((0, 0, whole.width, whole.height - figure.height))
    assert len(strip.getcolors(1_000_000)) > 100  # words, and grounds of several colours


@pytest.mark.usefixtures("imports_as_before")
def test_in_a_student_s_workspace_what_is_not_written_is_said_and_the_rest_works(workspace):
    demo = DemoReviews(workspace, live=False, domain="toy")
    demo.background.wait()
    state = demo.stage.last_state
    assert list(state["decisions"]) == ["Gaussian naive Bayes", "Max. entropy (batch)"]
    assert demo.stage.messages.count("role=") == 1
    assert "exercise 1.2" in demo.stage.messages and "Perceptron (exercise 1.4)" in demo.stage.messages
    with demo.together():
        demo.alpha.value = 0.1  # of a learner that is not there
    demo.view_shown.value = "smoothing"
    assert demo.stage.last_state["word"] and demo.stage.last_state["added"]


def test_nothing_typed_is_no_markup():
    assert "demo-words" in coloured_text([], dark=False, sentence="<b>")
    assert "<b>" not in coloured_text([], dark=False, sentence="<b>")


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_letters_stand_out_from_the_ground_of_the_strongest_words(look):
    words = [Word("good", "", 1.0, True), Word("bad", " ", -1.0, True)]
    grounds = re.findall(r"background:(#\w{6})(\w\w)", coloured_text(words, dark=look is DARK))
    assert len(grounds) == 2
    for colour, alpha in grounds:
        share = int(alpha, 16) / 255
        mixed = share * np.array(to_rgb(colour)) + (1 - share) * np.array(to_rgb(look.background))
        darker, lighter = sorted([luminance(mixed), luminance(look.foreground)])
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # of WCAG 2
