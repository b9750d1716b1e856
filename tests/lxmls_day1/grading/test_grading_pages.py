"""The pages on grading agree with the code: limits, verdicts, files and columns."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from docs import grading_tables
from lxmls_day1.box.limits import Limits
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, Gradebook, ManualMark, SubmissionGrade
from lxmls_day1.grading.reports.class_tables import grades_csv
from lxmls_day1.grading.reports.report_files import files_of_class, files_of_student
from lxmls_day1.grading.verdicts import VERDICTS

DOCS = Path(__file__).parents[3] / "docs"


def page(name):
    return (DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")


def test_the_page_on_limits_lists_every_limit_with_its_default():
    text = grading_tables.with_limits(page("limits"))
    for limit in fields(Limits):
        assert f"| `{limit.name}` | {limit.default:g} | {limit.metadata['meaning']} |" in text


def test_a_page_without_a_place_for_the_limits_ends_the_build():
    with pytest.raises(ValueError, match="must have one line"):
        grading_tables.with_limits("# Limits")


def test_the_table_of_verdicts_has_every_verdict_with_its_sign():
    rows = re.findall(r"^\| `(\w+)` \| (\S) \|", page("marks"), re.MULTILINE)
    assert rows == [(name, verdict.sign) for name, verdict in VERDICTS.items()]


def test_the_table_of_files_has_every_file_of_a_run():
    row = SubmissionGrade("STUDENT", "Ada", "", "", ())
    written = [*files_of_class(Gradebook((row,), 1, "process", "")), *files_of_student(row, Gradebook((), 1, "", ""))]
    text = page("grade-files")
    assert [path for path in map(str, written) if f"| `{path}` |" not in text] == []


def test_the_table_of_columns_has_every_column_of_grades_csv():
    check = CheckGrade("test_1_05_mira.py::test_costs", "1.2", "Costs", True, "ok")
    experiment = ExerciseGrade("1.1", "A look", "experiment", 5.0, mark=ManualMark(3.0, "good"))
    row = SubmissionGrade("ada", "Ada", "", "", (experiment, ExerciseGrade("1.2", "MIRA", "code", 10.0, (check,))))
    header = grades_csv(Gradebook((row,), 1, "process", "")).decode("utf-8-sig").splitlines()[0].split(",")
    cells = " ".join(re.findall(r"^\| (`[^|]*) \|", page("grade-files"), re.MULTILINE))
    unlisted = set(header) - set(re.findall(r"`([^`]+)`", cells)) - set(VERDICTS) - {"exercise 1.1"}
    assert not unlisted and {"`ok`", "`wrong`", "`missing`"} <= set(cells.replace(",", "").split())
