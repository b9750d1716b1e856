"""An autograder's work on one submission in its container, and the file of results that it writes for the platform.

In the container the autograder belongs to root; here it belongs to the user who runs the tests.
"""

import json
import os
import subprocess
import sys
from pathlib import PurePosixPath
from unittest.mock import Mock

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.running.checking import CheckReport, CheckResult, ExerciseReport
from lxmls_day1.course.workspaces.generation import solved_files, student_files
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.grading import autograder_entry
from lxmls_day1.grading.autograder_entry import classroom50_result, main
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, Gradebook, SubmissionGrade
from lxmls_day1.grading.reports.class_tables import prairielearn_json
from lxmls_day1.grading.verdicts import MISSING, OK, WRONG
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.zip_files import make_zip
from tests.wording import wording

RULE = "classifiers/perceptron.py"
FROM_RUNNER = {
    "CLASSROOM": "cs",
    "ASSIGNMENT": "day-1",
    "SUBMISSION_TAG": "submit/2026-11-20T23-59-00Z-abc1234",
    "COMMIT_URL": "commit",
    "RELEASE_URL": "release",
}

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="boxes are forked on Linux")


@pytest.fixture(scope="module")
def right():
    """Return the content of `RULE` in the reference lab, which is a correct solution."""
    return solved_files(reference_folder())[PurePosixPath(RULE)]


@pytest.fixture
def ask(tmp_path):
    """Return a function that runs a step of the autograder on files; it returns the exit status and the platform's results."""
    (tmp_path / "submission").mkdir()
    settings = {"exercises": ["1.4"], "seed": 7, "trust": False}
    (tmp_path / "settings.json").write_text(json.dumps(settings))

    def run(what, files, **more):
        write_files(tmp_path / "submission", files)
        places = {"settings": "settings.json", "submission": "submission", "results": "results/results.json"} | more
        arguments = [text for name, place in places.items() for text in (f"--{name}", str(tmp_path / place))]
        status = main([what, *arguments])
        results = tmp_path / "results" / "results.json"
        return status, json.loads(results.read_text()) if results.is_file() else None

    return run


@pytest.mark.campaign  # In ordinary runs the next test covers the same code.
@on_linux
def test_a_right_submission_at_gradescope(ask, right, capsys):
    status, results = ask("gradescope", {"work.zip": make_zip({RULE: right})})
    assert status == 0
    assert results["score"] == sum(test["score"] for test in results["tests"]) > 0
    assert results["score"] == sum(test["max_score"] for test in results["tests"])
    assert results["stdout_visibility"] == "hidden"
    assert {test["visibility"] for test in results["tests"]} == {"visible", "after_published"}
    assert {test["status"] for test in results["tests"]} == {"passed"}
    assert "Submissions were run each" in capsys.readouterr().out  # Gradescope shows the output to instructors.


HOSTILE = """
import os
from pathlib import Path
for place in {places!r}:
    try:
        Path(place).write_text("[]")
    except OSError:
        pass
"""


@pytest.mark.slow
@on_linux
def test_a_wrong_and_hostile_submission_that_looks_like_a_class_at_prairielearn(ask, right, tmp_path):
    """It counts as one submission, it can write no results, and only the number of passed hidden checks is reported."""
    (tmp_path / "results").mkdir(mode=0o777)
    places = [str(tmp_path / "results" / "results.json"), str(tmp_path / "settings.json")]
    before = (tmp_path / "settings.json").read_bytes()
    attack = HOSTILE.format(places=places).encode()
    wrong = right.replace(b"import numpy as np\n", b"import numpy as np\n" + attack, 1)
    wrong = wrong.replace(b"d[label]", b"d[predicted]")
    assert wrong.count(b"d[predicted]") > right.count(b"d[predicted]")
    status, results = ask("prairielearn", {f"ada/{RULE}": wrong, f"bob/{RULE}": wrong})
    assert status == 0 and (tmp_path / "settings.json").read_bytes() == before
    assert results["gradable"] is True and 0 <= results["score"] < 1
    (hidden,) = [test for test in results["tests"] if "hidden checks" in test["name"]]
    assert hidden["points"] < hidden["max_points"] and hidden["output"] == ""
    public = [test for test in results["tests"] if test is not hidden]
    total, most = (sum(test[name] for test in results["tests"]) for name in ("points", "max_points"))
    assert total == 0 and len(public) > 2
    assert results["score"] == pytest.approx(0.25, abs=1e-4)  # the share for one known mistake; no check adds points
    assert most == pytest.approx(5.0)


@pytest.mark.slow
@on_linux
def test_preparing_computes_expected_answers_once(tmp_path, ask, right, answers_computed_once, monkeypatch, capsys):
    from lxmls_day1.course.running import snapshot

    prepared = tmp_path / "prepared"
    arguments = ["--settings", str(tmp_path / "settings.json"), "--prepared", str(prepared)]
    asked, grade = Mock(side_effect=answers_computed_once), Mock(return_value=_book())
    monkeypatch.setattr(snapshot, "reference_answers", asked)
    monkeypatch.setattr("lxmls_day1.grading.grading_run.grade", grade)
    assert main(["prepare", *arguments]) == 0 and asked.call_count == 1
    status, results = ask("gradescope", {RULE: right}, prepared="prepared")
    assert status == 0 and results is not None and asked.call_count == 1
    assert [len(call.args[0].identified) for call in grade.call_args_list] == [1, 1]


def _book(*checks, failed=False):
    exercise = ExerciseGrade("1.4", "The perceptron's rule", "code", 4.0, checks)
    row = SubmissionGrade("submission", "submission", "", "", (exercise,), failed=failed)
    return Gradebook((row,), 7, "test", "")


def test_no_results_are_written_if_nothing_can_be_graded(ask, monkeypatch, capsys):
    monkeypatch.setattr(autograder_entry, "_grade_folder", Mock(side_effect=InputError("no box can be made here.")))
    status, results = ask("gradescope", {})
    assert status == 1 and results is None and wording("grading.box_made_here") in capsys.readouterr().err


def test_a_missing_option_is_a_usage_error(tmp_path):
    with pytest.raises(SystemExit) as ended:
        main(["gradescope", "--settings", str(tmp_path / "settings.json")])
    assert ended.value.code == 2


class TestPrairieLearn:
    def test_nothing_to_grade_costs_no_attempt(self):
        book = _book(CheckGrade("a", "1.4", "A", False, MISSING, "It holds no file of a lab."))
        content = json.loads(prairielearn_json(book.rows[0], book))
        assert content["gradable"] is False and "score" not in content
        assert content["format_errors"] == [wording("grading.holds_file_lab")]

    def test_a_failure_of_the_grader_costs_no_attempt(self):
        book = _book(CheckGrade("a", "1.4", "A", False, WRONG, "could not be graded"), failed=True)
        assert json.loads(prairielearn_json(book.rows[0], book))["gradable"] is False

    def test_results_are_within_prairielearns_size_limit(self):
        checks = [CheckGrade(f"a{n}", "1.4", "A", False, WRONG, "\N{SNOWMAN}" * 6000) for n in range(400)]
        book = _book(*checks)
        content = prairielearn_json(book.rows[0], book)
        assert len(content) < 1_000_000 and len(json.loads(content)["tests"]) == 400

    def test_points_add_up_for_prairielearn(self):
        public = [CheckGrade(f"p{n}", "1.4", "P", False, OK) for n in range(3)]
        hidden = [CheckGrade(f"h{n}", "1.4", "H", True, OK if n else WRONG) for n in range(3)]
        book = _book(*public, *hidden)
        content = json.loads(prairielearn_json(book.rows[0], book))
        assert content["score"] == pytest.approx(0.25 + 0.75 * 2 / 3)
        assert sum(test["max_points"] for test in content["tests"]) == pytest.approx(4.0)
        assert content["tests"][-1]["name"].endswith(wording("grading.hidden_checks_of")) and len(content["tests"]) == 4


def problem_of(result):
    """Return the objection of Classroom 50's runner to a result, or None; these are the runner's rules, rewritten here."""

    def is_text(value):
        return type(value) is str and value

    def is_score(one):
        return type(one["score"]) is type(one["max-score"]) is int and 0 <= one["score"] <= one["max-score"]

    tests, texts = result["tests"], ("classroom", "assignment", "submission", "commit", "release", "review", "datetime")
    if result["schema"] != "classroom50/result/v1" or not all(is_text(result[name]) for name in texts):
        return "texts"
    if not result["submission"].startswith("submit/"):
        return "submission"
    if not all(map(is_score, (result, *tests))):
        return "score"
    return None if all(type(test["passed"]) is bool and is_text(test["test-name"]) for test in tests) else "tests"


class TestClassroom50:
    def test_each_public_check_is_a_point(self):
        exercise = Registry.from_folder(reference_folder())["1.4"]
        outcomes = ("passed", "wrong", "timeout", "to do", "skipped")
        results = tuple(CheckResult(name, "1.4", name, name) for name in outcomes)
        result = classroom50_result(CheckReport((ExerciseReport(exercise, results, 3),)), FROM_RUNNER)
        assert problem_of(result) is None
        assert (result["score"], result["max-score"]) == (1, 4)  # A skipped check does not count against the student.
        assert result["review"] == "commit"
        assert result["tests"][0]["test-name"] == f"1.4 {exercise.title}: passed"

    @pytest.mark.slow
    def test_public_checks_as_they_were_given_out(self, ask, right, monkeypatch, tmp_path):
        """Changes that the student made to the checks have no effect."""
        for name, value in FROM_RUNNER.items():
            monkeypatch.setenv(name, value)
        given = {str(path): content for path, content in student_files(reference_folder()).items()}
        assert right != given[RULE]
        easier = {name: b"def test_nothing(): pass" for name in given if "tests/exercises/test_1_04" in name}
        assert easier
        status, nothing = ask("classroom50", {**easier, RULE: right, ".git/HEAD": b"ref: x"}, results="result.json")
        assert status == 0 and nothing is None
        result = json.loads((tmp_path / "result.json").read_text())
        assert problem_of(result) is None
        assert result["score"] == result["max-score"] > 3 and result["classroom"] == os.environ["CLASSROOM"]

    def test_outside_a_runner_the_missing_variables_are_reported(self, ask, monkeypatch, capsys):
        monkeypatch.setattr(autograder_entry, "check_single", lambda *_: CheckReport(()))
        monkeypatch.delenv("CLASSROOM", raising=False)
        assert ask("classroom50", {})[0] == 1
        assert wording("grading.variable_classroom_set") in capsys.readouterr().err

    def test_classroom50_needs_no_libraries_for_pages(self):
        """Classroom 50 installs the package without its extra `grading`."""
        code = """
import subprocess
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("jinja2", "latex2mathml", "markdown_it", "mdit_py_plugins"):
            raise ModuleNotFoundError("blocked: " + name)
sys.meta_path.insert(0, Blocked())
import lxmls_day1.grading.autograder_entry
"""
        subprocess.run([sys.executable, "-P", "-c", code], check=True)
