import csv
import io
import json
import math
import re
from pathlib import Path

import pytest

from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, FreeAnswer, Gradebook, SubmissionGrade
from lxmls_day1.grading.reports.class_tables import grades_csv, grades_json, gradescope_json
from lxmls_day1.grading.verdicts import VERDICTS

SCHEMA = Path(__file__).parents[4] / "docs" / "grades.schema.json"
HOSTILE = "=1+1\x1b[31m\x00\u202e\ud800\ufffe<&>\"']]>\n::notice title=Autograding report::{}\n##[set-env]x ::stop-commands::y"


def checks_of(exercise, verdicts, text=""):
    return tuple(check_of(exercise, n, verdict, text) for n, verdict in enumerate(verdicts))


def check_of(exercise, n, verdict, text):
    name = f"test_{exercise.replace('.', '_')}.py::test_{n if verdict != 'wrong' else 'small_inputs'}"
    said = f"said {text}" if verdict != "ok" else ""
    calls = (f"rule({n}) {text}" if n % 2 == 0 else f"SECRET {text}",)
    mistakes = (("slip", "A *slip*."),) if verdict == "wrong" else ()
    return CheckGrade(name, exercise, f"Check {n} {text}", n % 2 == 1, verdict, said, calls, mistakes, 0.25)


def row_of(student, name, verdicts, text="", seconds=1.5):
    exercises = (
        ExerciseGrade("1.1", f"A look {text}", "experiment", 5.0),
        ExerciseGrade("1.5", f"MIRA {text}", "code", 10.0, checks_of("1.5", verdicts, text)),
        ExerciseGrade("1.7", "SVM", "code", 7.5, checks_of("1.7", ["ok"] * 7)),
    )
    warnings, answers = (f"put aside {text}",) * 2, (FreeAnswer("1.1", "n.ipynb", "What?", text),)
    more = {"warnings": warnings, "printed": f"printed {text}", "answers": answers, "key": "key", "seconds": seconds}
    return SubmissionGrade(student, name, f"{text}.zip", "ab", exercises, **more)


@pytest.fixture
def run():
    rows = (
        row_of("ada", "Ada Lovelace", ["ok"] * 3),
        row_of("bob", HOSTILE, list(VERDICTS), HOSTILE),
        row_of("eve", "-Eve;=1+1", ["missing"] * 3, seconds=math.nan),
    )
    limits = {"wall": 5.0, "files": math.inf}
    return Gradebook(rows, 11, "bubblewrap", "apart", limits, True, "2026-07-19T12:30:05+00:00", "0.1")


class TestCsv:
    def read(self, run):
        return list(csv.DictReader(io.StringIO(grades_csv(run).decode("utf-8-sig"), newline="")))

    def test_one_line_for_each_submission(self, run):
        raw = grades_csv(run)
        assert raw.startswith(b"\xef\xbb\xbfstudent,") and raw.count(b"\r\n") == raw.count(b"\n") == 4
        assert [line["student"] for line in self.read(run)] == ["ada", "bob", "eve"]

    def test_grades_csv_has_points_and_verdicts(self, run):
        ada, bob, eve = self.read(run)
        assert (ada["points"], ada["out of"], ada["by hand"], ada["exercise 1.1"]) == ("17.5", "17.5", "5", "")
        assert (bob["exercise 1.5"], bob["exercise 1.7"], bob["points"]) == ("0.625", "7.5", "8.125")
        assert [bob[verdict] for verdict in VERDICTS] == ["8", *["1"] * 7]
        assert (eve["exercise 1.5"], eve["missing"], eve["warnings"]) == ("0", "3", "2")

    def test_no_name_runs_in_a_spreadsheet(self, run):
        for line in self.read(run):
            for cell in (line["name"], *line["name"].split(";")):
                assert not cell.lstrip(" ").startswith(("=", "+", "-", "@"))

    def test_a_row_without_an_exercise_has_an_empty_cell(self, run):
        odd = SubmissionGrade("zoe", "Zoe", "", "", ())
        (*_, zoe) = self.read(Gradebook((*run.rows, odd), 1, "process", ""))
        assert (zoe["exercise 1.5"], zoe["points"]) == ("", "0")


class TestJson:
    def test_it_keeps_to_its_schema(self, run):
        validator = pytest.importorskip("jsonschema").Draft202012Validator
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        validator.check_schema(schema)
        content = json.loads(grades_json(run))
        validator(schema).validate(content)
        content["submissions"][0]["exercises"][1]["checks"][0]["verdict"] = "perhaps"
        assert not validator(schema).is_valid(content)

    def test_the_schema_knows_every_verdict(self):
        assert json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]["verdict"]["enum"] == list(VERDICTS)

    def test_grades_json_has_all_results(self, run):
        content = json.loads(grades_json(run))
        assert content["limits"] == {"wall": 5.0, "files": None} and content["seed"] == 11
        ada, bob, eve = content["submissions"]
        assert (ada["points"], ada["by_hand"], eve["seconds"]) == (17.5, 5.0, None)
        assert bob["exercises"][0]["points"] is None and bob["exercises"][0]["by_hand"]
        assert bob["exercises"][1]["mistakes"] == [{"name": "slip", "sentence": "A *slip*."}]

    def test_grades_json_is_safe_for_a_terminal(self, run):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", grades_json(run).decode())


GRADESCOPE_TOP = frozenset({"score", "execution_time", "output", "output_format", "test_output_format"})
GRADESCOPE_TOP |= {"test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"}
GRADESCOPE_TEST = frozenset({"score", "max_score", "status", "name", "name_format", "number", "output"})
GRADESCOPE_TEST |= {"output_format", "tags", "visibility", "extra_data"}


class TestGradescope:
    @pytest.fixture(params=[0, 1, 2])
    def both(self, run, request):
        row = run.rows[request.param]
        return row, json.loads(gradescope_json(row, run))

    def test_it_keeps_to_the_specification(self, both):
        row, result = both
        assert set(result) <= GRADESCOPE_TOP and len(result["tests"]) == len(row.checks)
        assert result["stdout_visibility"] == "hidden"
        for test in result["tests"]:
            assert set(test) <= GRADESCOPE_TEST
            assert test["status"] in ("passed", "failed")
            assert test["visibility"] in ("hidden", "after_due_date", "after_published", "visible")
            assert isinstance(test["number"], str) and 0 <= test["score"] <= test["max_score"]

    def test_nothing_is_rendered_as_html(self, both):
        _, result = both
        assert {result[f"{of}output_format"] for of in ("", "test_")} | {result["test_name_format"]} == {"text"}

    def test_scores_add_up_to_the_points(self, both):
        row, result = both
        assert result["score"] == pytest.approx(row.points)
        assert sum(test["score"] for test in result["tests"]) == pytest.approx(row.points, abs=0.01)
        assert sum(test["max_score"] for test in result["tests"]) == pytest.approx(row.out_of, abs=0.01)

    def test_hidden_checks_are_released_later_without_their_calls(self, both):
        row, result = both
        for check, test in zip(row.checks, result["tests"], strict=True):
            assert test["visibility"] == ("after_published" if check.hidden else "visible")
        assert "SECRET" not in json.dumps(result)

    def test_a_known_mistake_is_named(self, run):
        tests = json.loads(gradescope_json(run.rows[1], run))["tests"]
        assert sum("A known mistake" in test["output"] for test in tests) == 1
