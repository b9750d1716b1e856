"""Properties of every demonstration: controls with tips, instructions, scenes that the page can draw, a grid of limited size."""

import json
import re

import numpy as np
import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.demos.controls import Choice, Points, Slider, Text, settings_from
from lxmls_day1.demos.demonstration import Demonstration, demonstration_class
from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS
from lxmls_day1.demos.pages import script
from lxmls_day1.demos.scene import Axis, Panel, Scene, plain_data, points_of_class
from tests.wording import wording

#: For a student who has not begun: the parts that the first scene lacks, and the exercise in which they are written. A
#: demonstration without a row shows no student code.
UNWRITTEN = {
    "gaussian_playground": "Perceptron (exercise 1.4); SVM (exercise 1.7)",
    "online_steps": "Perceptron (exercise 1.4); The mistake bound (exercise 1.12)",
    "mira_step": "MIRA (exercise 1.5)",
    "optimisation": "SGD (exercise 1.6)",
    "review_explorer": "Naive Bayes (smoothed), Naive Bayes (unsmoothed) (exercise 1.2); Perceptron (exercise 1.4); MIRA (exercise 1.5); "
    "Max. entropy (online) (exercise 1.6); SVM (exercise 1.7)",
    "comparison": "Perceptron (exercise 1.4)",
    "confidence": "AROW (exercise 1.16)",
    "beyond_a_line": "The perceptron (exercise 1.4)",
}
#: What a text above the picture may mention, and whether the marks of a scene and the reader's points contain it.
MENTIONED = {
    "dashed": lambda marks, own: any(mark.get("dash") for mark in marks),
    "bars": lambda marks, own: any(mark["kind"] == "bars" for mark in marks),
    "ellipse": lambda marks, own: any(mark["kind"] == "ellipse" for mark in marks),
    "shaded|band|background": lambda marks, own: any(mark["kind"] == "region" for mark in marks),
    "ringed": lambda marks, own: own or any(mark.get("hollow") for mark in marks),
    "the ringed": lambda marks, own: len(own) < 2,
    "✗": lambda marks, own: "✗" in str([mark.get("text") for mark in marks]),
}
#: The signs of texts, as patterns, and the words of which one must be in the first text with the sign that a reader meets.
SIGNS = {
    "λ": "regulariz", "τ": "step", "γ": "margin", "η": "step", "α": "smooth|Smooth|decay|[Dd]ual", "μ": "mean", "σ": "variance",
    "K": "classes", "R": "radius", "W": "weights|objective|[Pp]rimal|gap", "w": "weights", "y": "true class", "x[₁₂]": "feature|mean", "±": "uncertain",
    "[+−](?= )": "positive|negative|[−] (optimum|best possible|D)",
}  # fmt: skip
NOT_SHOWN = {"name", "kind", "scale", "colour", "shape", "pattern", "anchor", "tip", "value", "when"}
LARGEST_SCENE = 60_000  # Bytes; two of these pages load quickly over a slow connection.


@pytest.fixture(scope="module", params=DEMONSTRATIONS)
def demo(request, lab):
    return demonstration_class(request.param)(lab)


@pytest.fixture(scope="module")
def scene(demo):
    return demo.scene_of()


@pytest.fixture(scope="module")
def scenes(demo, scene):
    """Return the settings and the scene of the opening and of each thing to try."""
    asked = [dict(suggestion.settings) for suggestion in demo.suggestions]
    usual = settings_from(demo.controls, {})
    return [(usual, scene), *((usual | one, demo.scene_of(**one | {"nr_seeds": 2})) for one in asked)]


def texts_of(demo, settings, scene):
    """Yield the texts of a page in the order in which a phone shows them."""
    shown = [one for one in demo.controls if not one.when or settings[one.when[0]] == one.when[1]]
    data, controls = scene.data(), [one.data() for one in sorted(shown, key=lambda one: one.more)]
    above, things = scene.observations or demo.observations, [suggestion.text for suggestion in demo.suggestions]
    yield from strings_in([above, data["panels"], data["steps"], data["says"], things, controls, data["table"]])


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in (value[key] for key in value if key not in NOT_SHOWN) if isinstance(value, dict) else value:
            yield from strings_in(item)


def frames_in(value):
    """Yield every value by frame in a scene's data."""
    if isinstance(value, dict) and "frames" in value:
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from frames_in(item)


def all_frames(value):
    """Return the value of a mark at each frame, or its only one."""
    return value["frames"] if isinstance(value, dict) else [value]


def test_it_names_what_to_look_at_and_three_things_to_try(demo):
    assert demo.summary.endswith(".") and len(demo.summary) < 125
    sentences = [part for part in demo.observations.replace("? ", ". ").split(". ") if part]
    assert 2 <= len(sentences) <= 3 and demo.observations.endswith(".")
    assert len(demo.suggestions) == 3 and all(item.text[-1] in ".?" for item in demo.suggestions)


def test_the_text_above_a_picture_mentions_only_what_is_in_it(demo, scenes):
    own = next((control.name for control in demo.controls if isinstance(control, Points)), None)
    usual, _ = scenes[0]
    for settings, scene in scenes:
        text, marks = scene.observations or demo.observations, [m for panel in scene.panels for m in panel.marks]
        for words, is_drawn in MENTIONED.items():
            assert not re.search(words, text) or is_drawn(marks, settings.get(own, ())), (words, settings)
        named = [*(control.label for control in demo.controls), json.dumps(scene.data(), ensure_ascii=False)]
        assert all(any(name in one for one in named) for name in re.findall("“([^”]+)”", text)), text
        sliders = [control.name for control in demo.controls if isinstance(control, Slider)]
        changed = {str(usual[name]) for name in sliders if settings[name] != usual[name]}
        assert not changed & set(re.findall(r"\d+(?:\.\d+)?", text)), text  # Another thing to try has another number.


def test_each_sign_has_its_name_where_a_reader_first_meets_it(demo, scenes):
    usual, _ = scenes[0]
    views = [{one.name: value} for one in demo.controls if one.name in ("view", "loss") for _, value in one.options]
    others = [(usual | one, demo.scene_of(**one)) for one in views]
    for texts in ([demo.summary], *(texts_of(demo, *each) for each in scenes + others)):
        unnamed = dict(SIGNS)
        for text in texts:
            assert set(re.findall("[Α-Ωα-ω]", text)) <= set(SIGNS), text  # A new sign needs a row of the table.
            for sign in [sign for sign in unnamed if re.search(rf"(?<![\w’']){sign}(?![a-z])", text)]:
                assert re.search(unnamed.pop(sign), text), (sign, text)


def test_what_a_legend_names_is_drawn(scenes):
    for settings, scene in scenes:
        for panel in scene.data()["panels"]:
            for mark in panel["marks"]:
                if mark.get("label") and mark["kind"] == "line":
                    (x0, x1), (y0, y1) = ((panel[axis]["low"], panel[axis]["high"]) for axis in "xy")
                    places = [place for path in all_frames(mark["path"]) for place in path if None not in place]
                    assert any(x0 <= x <= x1 and y0 <= y <= y1 for x, y in places), (mark["label"], settings)


def test_bars_grow_from_zero_and_no_number_is_minus_zero(scenes):
    for settings, scene in scenes:
        data = scene.data()
        marks = [mark for panel in data["panels"] for mark in panel["marks"] if mark["kind"] == "bars"]
        extents = [bars for mark in marks for bars in all_frames(mark["extents"])]
        assert all(start == 0 for bars in extents for _, start, _ in bars), settings
        said = json.dumps([data["says"], data["table"]], ensure_ascii=False)
        assert not re.search(r"[−-]0(\.0+)?(?![\d.])", said), settings


def test_a_reader_sees_at_most_five_controls_at_first(demo):
    usual = settings_from(demo.controls, {})
    outside = [control for control in demo.controls if not control.more and not isinstance(control, Points)]
    assert 1 <= sum(control.when is None or usual[control.when[0]] == control.when[1] for control in outside) <= 5


def test_the_settings_of_a_suggestion_are_accepted_and_in_a_page_without_python(demo):
    for suggestion in demo.suggestions:
        settings = plain_data(suggestion.settings)
        assert settings.items() <= settings_from(demo.controls, settings).items(), settings
        assert all(settings[name] in values for name, values in demo.grid.items() if name in settings), settings


def test_every_control_has_a_name_of_its_own_a_tip_and_a_value_that_it_accepts(demo):
    names = [control.name for control in demo.controls]
    assert len(names) > 1 and len(set(names)) == len(names)
    for control in demo.controls:
        assert re.search("[a-z]{3}", control.label) and control.tip, control.name
        assert control.accepts(plain_data(control.value)), control.name
        assert control.when is None or control.when[0] in names
    assert not {"step", "dark", "more", "try"} & set(names)  # Of links.


def test_the_grid_holds_the_usual_settings_and_what_controls_accept(demo):
    usual = settings_from(demo.controls, {})
    assert demo.grid
    for name, values in demo.grid.items():
        (control,) = (control for control in demo.controls if control.name == name)
        assert isinstance(control, Slider | Choice) and all(map(control.accepts, values)) and usual[name] in values


def test_the_page_can_draw_its_scene(demo, scene):
    data = scene.data()
    text = json.dumps(data, allow_nan=False)
    assert len(text) < LARGEST_SCENE, len(text)
    drawn = set(re.findall(r"  draw(\w+)\(g, mark, frame", script()))
    kinds = {mark["kind"] for panel in data["panels"] for mark in panel["marks"]}
    assert kinds and {kind.capitalize() for kind in kinds} <= drawn
    n_frames = len(data["steps"]["values"]) if data["steps"] else 1
    assert n_frames == 1 or re.search("[a-z]{3}", data["steps"]["label"])
    assert all(len(value["index"]) == n_frames for value in frames_in(data))
    names = [panel["name"] for panel in data["panels"]]
    assert {name for row in data["layout"] for name in row} == set(names) and len(set(names)) == len(names)
    assert len(data["columns"]) == len(data["layout"][0])


@pytest.mark.usefixtures("imports_as_before")
def test_a_new_student_sees_finished_parts_and_reads_about_missing_ones(demo, scene, workspace):
    begun = type(demo)(workspace).scene_of(nr_seeds=2)
    missing = UNWRITTEN.get(demo.name)
    assert list(begun.notes) == ([wording("demos.still_written_left", missing)] if missing else [])
    marks, of_reference = ([m for panel in each.panels for m in panel.marks] for each in (begun, scene))
    assert {m.get("label", "") for m in marks} <= {m.get("label", "") for m in of_reference}
    # There one mark has fewer bars.
    assert len(marks) < len(of_reference) or not missing or demo.name == "review_explorer"
    assert marks or demo.name == "confidence"


@pytest.mark.parametrize("wrong", [np.nan, np.inf, None])
def test_learners_that_return_no_numbers_leave_the_rest_of_the_picture(demo, lab, monkeypatch, wrong):
    def broken(*arguments, of=lab.classifier, **settings):
        found = of(*arguments, **settings)
        found.rule = lambda scores, *others: wrong and np.full(len(scores), wrong)
        found.train = lambda X, y, *others: wrong and np.full((X.shape[1] + 1, 2), wrong)
        return found

    monkeypatch.setattr(lab, "classifier", broken)
    *_, answer = type(demo)(lab).messages({"nr_seeds": 2, "view": 4})
    assert answer["scene"]["panels"] and "NaN" not in json.dumps(answer)


def test_invalid_settings_from_a_page_become_defaults(demo):
    for value in (None, {}, [None], -1e300, "x"):
        asked = {control.name: value for control in demo.controls if value != "x" or not isinstance(control, Text)}
        assert settings_from(demo.controls, asked) == settings_from(demo.controls, {})


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match=wording("demos.did_mean_mira_step")):
        demonstration_class("mira_stp")


class Coin(Demonstration):
    """A demonstration that reports progress and then fails or succeeds."""

    controls = (Points("mine", "points", "click", [], panel="p", least=0, most=2, reach=3.0),)
    error = None

    def scene(self, settings):
        yield 0.5
        if self.error:
            raise self.error
        marks = [points_of_class([[1 / 3, np.nan]], 1)]
        yield Scene([Panel("p", "", Axis(0, 1), Axis(0, 1), marks)], facts={"secret": object()})


def test_progress_comes_before_the_scene(lab):
    progress, answer = Coin(lab).messages([])  # No settings at all.
    assert progress == {"progress": 0.5} and "facts" not in answer["scene"]
    assert answer["scene"]["panels"][0]["marks"][0]["at"] == [[0.33333, None]]


@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), KeyboardInterrupt("by hand"), BaseException("of all")])
def test_an_error_is_a_sentence(lab, monkeypatch, error):
    monkeypatch.setattr(Coin, "error", error)
    _, answer = Coin(lab).messages({})
    assert answer == {"error": wording("demos.picture_left_ended", type(error).__name__, error)}


@pytest.mark.parametrize("points", [[[0, 0]], [[0, 0, 9]], [[9, 0, 0]], [[0, "0", 0]], [[0, 0, 0]] * 3, [[True, 0, 0]]])
def test_points_out_of_range_are_ignored(points):
    assert settings_from(Coin.controls, {"mine": points})["mine"] == []
    assert settings_from(Coin.controls, {"mine": [[3, -3, 1]]})["mine"] == [[3, -3, 1]]
