from unittest.mock import Mock

import numpy as np
import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course import explanations
from lxmls_day1.course.running.checking import CheckReport
from lxmls_day1.notebook_lab import NotebookLab
from tests.lxmls_day1.html_elements import Elements
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before")


def text_of(html):
    return Elements(html, void=()).text


@pytest.mark.slow
def test_check_reports_results_in_a_notebook(edit):
    folder = edit("2 * sq_norm", "sq_norm")
    shown = NotebookLab(folder).check("1.1")
    (count, _) = wording("course.public_checks_pass_more_run", "1").strip().split("; ")
    assert repr(shown).splitlines()[-1].endswith(count)
    text = text_of(shown._repr_html_())
    for part in (
        "Exercise 1.1: Half steps",
        "input     loss 1 · squared norm 1 · cap 1",
        "expected  0.5",
        "A known mistake: It divides by",
    ):
        assert part in text
    assert not shown.report.all_passed
    everything = NotebookLab(folder).check()
    assert [one.exercise.id for one in everything.report.reports] == ["1.1", "1.2"]
    for text in (text_of(everything.html), everything.text):
        assert wording("course.still_to_be_written_2", "classifiers/means.py") in text
        assert "0 of 3 exercises" in text and "next: 1.1 Half steps" in text
    assert '`lab.hint("1.2")` helps' in NotebookLab(folder).check("1.2").text


class TestWhichExercise:
    """The arguments of `lab.check`; no check is run."""

    @pytest.fixture
    def checked(self, workspace, monkeypatch):
        """Return the list of ids for which checks were run."""
        toml = workspace / "tests/exercises/exercises.toml"
        toml.write_text(toml.read_text().replace('"1.3"', '"1.10"'))
        asked = []

        def run(folder, ids):
            asked.append(ids)
            return CheckReport(()), [], []

        monkeypatch.setattr("lxmls_day1.course.explanations.check_and_save", run)
        return asked

    GIVEN = [("1.2", ["1.2"]), (" 1.10 ", ["1.10"]), (1.2, ["1.2"]), (np.float64(1.2), ["1.2"]), (["1.1"], ["1.1"])]

    @pytest.mark.parametrize(("given", "ids"), [*GIVEN, (("1.1", 1.2), ["1.1", "1.2"]), (None, None)])
    def test_arguments_of_check_select_exercises(self, workspace, checked, given, ids):
        NotebookLab(workspace).check(given)
        assert checked == [ids]

    @pytest.mark.parametrize("given", [1.1, 1.10, [1.1], np.float32(1.1)])
    def test_a_number_that_may_mean_two_exercises(self, workspace, checked, given):
        for ask in (NotebookLab(workspace).check, NotebookLab(workspace).hint):
            with pytest.raises(InputError, match=wording("course.number_mean_exercise_put")):
                ask(given)
        assert checked == []


@pytest.mark.parametrize("place", ["classifiers/steps.py, line 12", ""])
def test_mistyped_names_and_stop_take_one_line(workspace, monkeypatch, place):
    with pytest.raises(InputError) as caught:
        NotebookLab(workspace).hint("9.9")
    assert caught.value._render_traceback_() == [f"InputError: {caught.value}"]
    monkeypatch.setattr(explanations, "check_and_save", Mock(side_effect=KeyboardInterrupt(place)))
    with pytest.raises(KeyboardInterrupt) as caught:
        NotebookLab(workspace).check("1.1")
    (line,) = caught.value._render_traceback_()
    assert line.startswith(wording("course.stopped_and_nothing_saved"))
    assert place in line
    assert line.count("last") == bool(place)


def test_a_reference_lab_that_was_not_named_is_left_alone(reference, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lab = NotebookLab.open()
    for ask in (lab.check, lambda: lab.hint("1.1"), lab.status):
        with pytest.raises(InputError, match=wording("course.lab_own_lab_w")):
            ask()
    assert "Half steps" in NotebookLab(reference).hint("1.1").text


def test_the_lab_and_its_warnings_come_first(workspace, monkeypatch):
    monkeypatch.setattr("lxmls_day1.course.workspaces.workspace.INTERFACE", 99)
    shown = NotebookLab(workspace).hint("1.1")
    first, second, *_ = shown.text.splitlines()
    assert first == f"Lab: {workspace}" and second.startswith(wording("course.this_lab_was_made"))
    assert second in text_of(shown.html)


def test_an_unsaved_hint_is_reported_below_it(workspace, monkeypatch):
    full = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr("lxmls_day1.course.workspace_state.write_files_atomically", full)
    shown = NotebookLab(workspace).hint("1.1")
    assert "Think of two blocks." in shown.text
    assert shown.text.endswith(wording("course.could_kept_lab_state"))
    assert wording("course.space_left_device") in text_of(shown.html)


def test_a_hint_and_its_characters(workspace):
    path = workspace / "tests/exercises/exercises.toml"
    path.write_text(path.read_text().replace("Think of two blocks.", "Think <b>of & two."))
    shown = NotebookLab(workspace).hint("1.1")
    assert "Think <b>of & two." in text_of(shown.html)
    assert "Think <b>of & two." in shown.text
    assert "tau = l" in repr(NotebookLab(workspace).hint("1.1"))
