import lxmls_day1
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, Gradebook, SubmissionGrade
from lxmls_day1.grading.reports.report_files import files_of_student
from lxmls_day1.grading.running.plan import grader_version


def run_of_two():
    check = CheckGrade("test_1_05_mira.py::test_a", "1.5", "A mistake", False, "ok")
    exercise = ExerciseGrade("1.5", "MIRA", "code", 10.0, (check,))
    rows = tuple(SubmissionGrade(student, student.title(), "", "", (exercise,)) for student in ("ada", "bob"))
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
