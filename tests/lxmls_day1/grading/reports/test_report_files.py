import json
from dataclasses import replace

import pytest

import lxmls_day1
from lxmls_day1.grading.gradebook import CheckGrade, Gradebook
from lxmls_day1.grading.reports import report_files
from lxmls_day1.grading.reports.manual_marks import ManualMarks
from lxmls_day1.grading.reports.report_files import Report, files_of_student
from lxmls_day1.grading.running.plan import grader_version
from tests.lxmls_day1.grading.grades import mira, submission


def run_of_two():
    check = CheckGrade("test_1_05_mira.py::test_a", "1.5", "A mistake", False, "ok")
    rows = tuple(submission(student, mira(check)) for student in ("ada", "bob"))
    return Gradebook(rows, 3, "process", "apart")


def test_a_students_files_hold_nothing_of_others():
    run = run_of_two()
    for content in files_of_student(run.rows[0], run).values():
        assert b"bob" not in content.lower()


def test_a_changed_template_changes_the_grader_version(tmp_path, monkeypatch):
    """Otherwise a resumed run would mix pages of both templates."""
    template = tmp_path / "lxmls_day1/grading/reports/templates/student.html.j2"
    template.parent.mkdir(parents=True)
    monkeypatch.setattr(lxmls_day1, "__file__", str(tmp_path / "lxmls_day1/__init__.py"))
    versions = []
    for text in ("<p>one</p>", "<p>two</p>"):
        template.write_text(text, encoding="utf-8")
        versions.append(grader_version.__wrapped__())
    assert versions[0] != versions[1]


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Yield a function that writes a run, and returns for whom pages were made ("" for the class)."""
    made = []
    for_class, for_student = report_files.files_of_class, report_files.files_of_student
    monkeypatch.setattr(report_files, "files_of_class", lambda book: made.append("") or for_class(book))
    monkeypatch.setattr(
        report_files, "files_of_student", lambda row, book: made.append(row.student) or for_student(row, book)
    )

    def write(book, grader="1"):
        made.clear()
        Report(tmp_path, dict.fromkeys(["ada", "bob"]), ManualMarks(), print, grader)(book)
        return sorted(made)

    return write


def test_files_with_the_same_content_are_not_made_again(written):
    run = run_of_two()
    assert written(replace(run, graded="2026-01-01")) == ["", "ada", "bob"]
    assert written(replace(run, graded="2026-01-02")) == []


def test_a_changed_row_is_written_on_its_page_and_for_the_class(written):
    run = run_of_two()
    written(run)
    changed = replace(run, rows=(replace(run.rows[0], warnings=("new",)), run.rows[1]))
    assert written(changed) == ["", "ada"]
    assert written(run) == ["", "ada"]


CHANGES = {
    "another seed": (lambda run, out: replace(run, seed=4), ["", "ada", "bob"]),
    "a page was edited": (lambda run, out: (out / "feedback/ada.html").write_text("x"), ["ada"]),
    "a page was removed": (lambda run, out: (out / "feedback/ada.html").unlink(), ["ada"]),
    "a table was edited": (lambda run, out: (out / "grades.csv").write_text("x"), [""]),
    "what was written is damaged": (
        lambda run, out: (out / report_files.WRITTEN).write_text("[1]"),
        ["", "ada", "bob"],
    ),
    "a row of it is damaged": (
        lambda run, out: (out / report_files.WRITTEN).write_text(json.dumps({"ada": 1})),
        ["", "ada", "bob"],
    ),
}


@pytest.mark.parametrize(("change", "made"), CHANGES.values(), ids=CHANGES)
def test_what_is_no_longer_there_is_made_again(written, tmp_path, change, made):
    run = run_of_two()
    written(run)
    changed = change(run, tmp_path)
    assert written(changed if isinstance(changed, Gradebook) else run) == made
    assert written(changed if isinstance(changed, Gradebook) else run) == []


def test_another_grader_makes_all_files_again(written):
    written(run_of_two())
    assert written(run_of_two(), "2") == ["", "ada", "bob"]
