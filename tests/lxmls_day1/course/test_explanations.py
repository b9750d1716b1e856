"""The question after a named mistake: shown, answered in a terminal or a notebook, saved, and handed in."""

import io
import json
import zipfile
from dataclasses import replace
from unittest.mock import Mock

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course import explanations
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.explanations import (
    explain,
    open_questions,
    pack_explanations,
    save_questions,
    unpack_explanations,
)
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.course.reports.report_text import check_lines
from lxmls_day1.course.running.checking import CheckReport, CheckResult, ExerciseReport
from lxmls_day1.course.workspace_state import Explanation, WorkspaceState, files_digest
from lxmls_day1.course.workspaces.packed_work import collect_submission, pack_submission
from lxmls_day1.notebook_lab import NotebookLab
from tests.command_runs import run
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before")
WHY, CAP = "Why does the factor 2 belong there?", "What does the cap keep away?"
NORM = ("whole_norm", "It divides by the squared norm, not by twice of it.")
QUESTIONS = {"whole_norm": WHY, "no_cap": CAP}


def report_of(folder, *mistakes, exercise="1.1", **more):
    described = Registry.from_folder(folder)[exercise]
    result = CheckResult("a.py::test_small_inputs", exercise, "Small inputs", "wrong", mistakes=mistakes)
    more = {"questions": QUESTIONS, "digest": files_digest(folder, described), **more}
    return CheckReport((ExerciseReport(described, (result,), 2, **more),))


def asked_in(folder):
    return WorkspaceState.from_folder(folder).explanations


def ask(folder, *mistakes):
    asked = open_questions(folder, report_of(folder, *mistakes))
    save_questions(folder, asked)
    return asked


class TestAsking:
    def test_a_named_mistake_has_a_question_with_the_attempt(self, edit):
        folder = edit("2 * sq_norm", "sq_norm")
        (asked,) = ask(folder, NORM)
        assert (asked.exercise, asked.mistake, asked.question, asked.text) == ("1.1", "whole_norm", WHY, "")
        assert asked.attempt.startswith("def half_step(") and wording("course.tau_loss_sq_norm") in asked.attempt
        assert "class Stepper" not in asked.attempt  # The arguments.
        assert asked_in(folder) == [asked]

    @pytest.mark.parametrize("mistakes", [(), (("other", "No question."),), (NORM, ("no_cap", "No cap."))])
    def test_no_question_without_a_single_named_mistake(self, workspace, mistakes):
        """No named mistake, a mistake without a question, and two mistakes that cannot be distinguished."""
        assert open_questions(workspace, report_of(workspace, *mistakes)) == []

    def test_an_answered_question_is_not_asked_again(self, workspace):
        ask(workspace, NORM)
        explain(workspace, "1.1", "Two blocks.")
        assert ask(workspace, NORM) == []
        assert [one.question for one in ask(workspace, ("no_cap", ""))] == [CAP]

    def test_an_edit_since_the_check_is_not_an_attempt(self, workspace):
        (asked,) = open_questions(workspace, report_of(workspace, NORM, digest="of another text"))
        assert asked.attempt == ""

    def test_there_are_not_too_many(self, workspace, monkeypatch):
        monkeypatch.setattr(explanations, "MAX_EXPLANATIONS_PER_EXERCISE", 2)
        for n, exercise in enumerate(["1.2", "1.1", "1.1", "1.1"]):
            save_questions(workspace, [Explanation(exercise, "m", f"Question {n}?")])
        assert [one.question for one in asked_in(workspace)] == ["Question 0?", "Question 2?", "Question 3?"]


class TestAnswering:
    def test_the_last_question_is_answered_and_may_be_again(self, workspace):
        ask(workspace, NORM)
        ask(workspace, ("no_cap", ""))
        assert explain(workspace, "1.1", "  Long steps.\n").text == "Long steps."
        explain(workspace, "1.1", "Steps that are too long.")
        explain(workspace, "1.1", "Two blocks.", WHY)
        assert [one.text for one in asked_in(workspace)] == ["Two blocks.", wording("course.steps_too_long")]

    @pytest.mark.parametrize("text", ["asdf", WHY, "why does 2 belong there", "factor"])
    def test_a_too_short_or_copied_answer_is_requested_again(self, workspace, text):
        ask(workspace, NORM)
        assert explain(workspace, "1.1", text).text == ""
        assert open_questions(workspace, report_of(workspace, NORM))  # The question is shown again.
        assert explain(workspace, "1.1", text).text == text  # The second time, the answer is saved.
        assert not open_questions(workspace, report_of(workspace, NORM))

    def test_the_course_s_answer_is_shown_beside_the_student_s_once_and_when_it_passes(self, workspace, monkeypatch):
        ask(workspace, NORM)
        explain(workspace, "1.1", "Two blocks of weights move.")
        failing, said = report_of(workspace, NORM), []
        (result,) = failing.reports[0].results
        passed = replace(failing.reports[0], results=(replace(result, outcome="passed", mistakes=()),))
        for report in (failing, CheckReport((passed,)), CheckReport((passed,))):
            monkeypatch.setattr("lxmls_day1.course.running.checking.run_checks", lambda *_, its=report: its)
            report, _, problems = explanations.check_and_save(workspace, ["1.1"])
            assert not problems
            said.append("\n".join(text for _, text in check_lines(report)))
        sentence = RecordedAnswers.read(workspace / RECORDED).sentences["1.1"]["whole_norm"]
        assert f"You wrote:  Two blocks of weights move.\n    Compare:    {sentence}" in said[1]
        assert "You wrote" not in said[0] + said[2]

    @pytest.mark.parametrize("text", ["", "  \n", None, 3])
    def test_answers_that_are_not_text_are_refused(self, workspace, text):
        ask(workspace, NORM)
        with pytest.raises(InputError, match=wording("course.write_line_own_words")):
            explain(workspace, "1.1", text)


class TestTerminal:
    @pytest.fixture
    def check(self, workspace, monkeypatch):
        """Run `lxmls-day1 check 1.1` for a student with a mistake, without running the checks themselves."""

        def check(*arguments, status=1):
            report = report_of(workspace, NORM)
            monkeypatch.setattr("lxmls_day1.course.running.checking.run_checks", lambda *_: report)
            return run("check", *(arguments or ["1.1"]), "--lab", workspace, status=status).output

        return check

    def test_the_question_is_shown(self, check, workspace):
        said = check()
        assert wording("course.exercise_in_one_line", WHY) in said and 'check 1.1 --because "…"' in said
        assert [one.text for one in asked_in(workspace)] == [""]

    def test_a_question_can_be_answered_later(self, check, workspace):
        check()
        assert "Two blocks." in check("1.1", "--because", "Two blocks.", status=0)
        assert [one.text for one in asked_in(workspace)] == ["Two blocks."]

    @pytest.mark.parametrize("arguments", [("1.1", "1.2"), ("1.1", "--watch"), ("--lab", ".")])
    def test_explaining_requires_one_exercise(self, check, arguments):
        assert wording("course.answers_question_about_exercise") in check(*arguments, "--because", "x", status=2)

    def test_a_disk_that_is_full_changes_no_verdict(self, check, monkeypatch):
        monkeypatch.setattr(WorkspaceState, "save", Mock(side_effect=OSError(28, "No space left on device")))
        assert wording("course.question_could_kept_lab") in check()


class TestNotebook:
    def test_the_question_follows_the_report(self, workspace, monkeypatch):
        monkeypatch.setattr("lxmls_day1.course.running.checking.run_checks", lambda *_: report_of(workspace, NORM))
        shown = NotebookLab(workspace).check("1.1")
        assert WHY in shown.html and 'lab.explain("1.1", "…")' in shown.text


class TestHandingIn:
    def test_explanations_are_packed_with_the_work(self, workspace):
        ask(workspace, NORM)
        explain(workspace, "1.1", "Two blocks.")
        _, content = pack_submission(workspace, collect_submission(workspace), "Ada")
        sent = json.loads(zipfile.ZipFile(io.BytesIO(content)).read("ada/explanations.json"))
        assert sent["format"] == 1 and [Explanation(**one) for one in sent["explanations"]] == asked_in(workspace)


class TestReadingSubmittedExplanations:
    """The file may have been written by anybody."""

    ONE = Explanation("1.1", "whole_norm", WHY, "d = 1", "Two blocks.")

    def test_packed_explanations_are_read(self):
        both = (self.ONE, replace(self.ONE, exercise="1.2", text=""))
        assert unpack_explanations(pack_explanations(both), ["1.1", "1.2"]) == both
        assert unpack_explanations(pack_explanations(both), ["1.2"]) == both[1:]

    INVALID = (b"", b"\xff", b"3", b"[]", b"{}", b'{"explanations": 3}', b"[" * 10**5, b'{"explanations": "ab"}')

    @pytest.mark.parametrize("content", [*INVALID, b" " * 10**7], ids=range(9))
    def test_invalid_files_of_explanations_are_refused(self, content):
        with pytest.raises(InputError, match=wording("course.explanations_json_does_hold")):
            unpack_explanations(content, ["1.1"])

    def test_invalid_rows_are_skipped(self):
        sound = vars(self.ONE)
        rows = [3, None, [], {}, {**sound, "text": 3}, {**sound, "attempt": None}, {**sound, "exercise": "9.9"}, sound]
        rows.append({**sound, "more": "than there is"})
        content = json.dumps({"explanations": rows}).encode()
        assert unpack_explanations(content, ["1.1"]) == (self.ONE, self.ONE)

    def test_texts_are_cut_and_can_be_written_to_a_file(self):
        row = {key: "\ud800" + 10_000 * "x" for key in vars(self.ONE)} | {"exercise": "1.1"}
        (found,) = unpack_explanations(json.dumps({"explanations": [row]}).encode(), ["1.1"])
        lengths = [len(part) for part in vars(found).values()]
        assert lengths == [3, 100, 300, 4000, 2000] and json.dumps(vars(found)).encode("utf-8")
        assert "\ud800" not in "".join(vars(found).values())

    def test_there_are_not_too_many(self):
        rows = [replace(self.ONE, text=str(n)) for n in range(1000)]
        found = unpack_explanations(pack_explanations(rows), ["1.1"])
        assert [one.text for one in found] == [str(n) for n in range(980, 1000)]
