"""The marks of a class: the results of all submissions with manual marks, the current points, and warnings about owners."""

from collections.abc import Callable, Sequence
from pathlib import Path

from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.identity import attach_owner_warnings
from lxmls_day1.grading.reports.manual_marks import FILE, ManualMarks, read_manual_marks
from lxmls_day1.grading.reports.report_files import abbreviate_list
from lxmls_day1.grading.running.plan import Plan, all_check_files


class Marking:
    """A step that adds marks to the results of a run.

    Parameters
    ----------
    out : Path
        The folder of the run, which holds the manual marks.
    plan : Plan
    submissions : sequence of FoundSubmission
        All submissions of the run.
    report : function from str
        Receives sentences for the instructor.

    Attributes
    ----------
    manual_marks : ManualMarks
        The manual marks. They are read when the instance is created, and again at each call.

    Raises
    ------
    InputError
        If the manual marks cannot be read.
    """

    def __init__(self, out: Path, plan: Plan, submissions: Sequence[FoundSubmission], report: Callable[[str], None]):
        self._out, self._plan, self._submissions, self._report = out, plan, submissions, report
        self.manual_marks = self._read()

    def _read(self) -> ManualMarks:
        exercises = [exercise for exercise in self._plan.exercises if not all_check_files([exercise])]
        out_of = {exercise.id: float(exercise.points) for exercise in exercises}
        return read_manual_marks(self._out, [one.student for one in self._submissions], out_of)

    def __call__(self, results: Sequence[SubmissionGrade]) -> Gradebook:
        """Return the gradebook of these results, one for each submission, with marks and current points."""
        self.manual_marks = self._read()
        students = {one.student for one in self._submissions}
        if absent := sorted({student for student, _ in self.manual_marks.marks} - students):
            self._report(f"{FILE} has marks for {abbreviate_list(absent)}, who are not in this run; they stay there.")
        if new := {points for result in results for points in self._plan.changed_points(result)}:
            self._report(
                f"Points have changed; they are applied to the stored verdicts, and no check is run for them: {', '.join(sorted(new))}."
            )
        marked = [self.manual_marks.apply_to(self._plan.with_points(result)) for result in results]
        return self._plan.gradebook(attach_owner_warnings(self._submissions, marked))
