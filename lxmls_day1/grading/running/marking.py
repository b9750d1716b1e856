"""The marks of a class: the results of all submissions with manual marks, the current points, and warnings about owners."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.identity import attach_owner_warnings
from lxmls_day1.grading.reports.manual_marks import FILE, ManualMarks, read_manual_marks
from lxmls_day1.grading.reports.report_files import abbreviate_list
from lxmls_day1.grading.running.plan import Plan, all_check_files


def current_marks(out: Path, plan: Plan, students: Collection[str]) -> ManualMarks:
    """Read the manual marks in the folder of a run, for its students; raise an `InputError` if they cannot be read."""
    exercises = [exercise for exercise in plan.exercises if not all_check_files([exercise])]
    out_of = {exercise.id: float(exercise.points) for exercise in exercises}
    return read_manual_marks(out, students, out_of)


def marked_gradebook(
    results: Sequence[SubmissionGrade],
    submissions: Sequence[FoundSubmission],
    plan: Plan,
    marks: ManualMarks,
    report: Callable[[str], None],
) -> Gradebook:
    """Return the gradebook of these results, one for each submission, with marks and current points.

    Parameters
    ----------
    results : sequence of SubmissionGrade
    submissions : sequence of FoundSubmission
        All submissions of the run.
    plan : Plan
    marks : ManualMarks
    report : function from str
        Receives sentences for the instructor.
    """
    students = {one.student for one in submissions}
    if absent := sorted({student for student, _ in marks.marks} - students):
        report(f"{FILE} has marks for {abbreviate_list(absent)}, who are not in this run; they stay there.")
    if new := {points for result in results for points in plan.changed_points(result)}:
        report(
            f"Points have changed; they are applied to the stored verdicts, and no check is run for them: {', '.join(sorted(new))}."
        )
    marked = [marks.apply_to(plan.with_points(result)) for result in results]
    return plan.gradebook(attach_owner_warnings(submissions, marked))
