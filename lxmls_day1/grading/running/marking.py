"""The marks of a class: the results of all submissions with manual marks, the current points, and warnings about owners."""

from collections.abc import Callable, Sequence
from pathlib import Path

from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.identity import with_owners
from lxmls_day1.grading.reports.hand_marks import FILE, HandMarks, read_hand_marks
from lxmls_day1.grading.reports.report_files import some_of
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
        Takes sentences for the instructor.

    Attributes
    ----------
    by_hand : HandMarks
        The manual marks. They are read when the instance is created, and again at each call.

    Raises
    ------
    InputError
        If the manual marks cannot be read.
    """

    def __init__(self, out: Path, plan: Plan, submissions: Sequence[FoundSubmission], report: Callable[[str], None]):
        self._out, self._plan, self._submissions, self._report = out, plan, submissions, report
        self.by_hand = self._read()

    def _read(self) -> HandMarks:
        exercises = [exercise for exercise in self._plan.exercises if not all_check_files([exercise])]
        out_of = {exercise.id: float(exercise.points) for exercise in exercises}
        return read_hand_marks(self._out, [one.student for one in self._submissions], out_of)

    def __call__(self, results: Sequence[SubmissionGrade]) -> Gradebook:
        """Return the gradebook of these results, one for each submission, with marks and current points."""
        self.by_hand = self._read()
        students = {one.student for one in self._submissions}
        if absent := sorted({student for student, _ in self.by_hand.marks} - students):
            self._report(f"{FILE} has marks for {some_of(absent)}, who are not in this run; they stay there.")
        if new := {points for result in results for points in self._plan.new_points(result)}:
            self._report(
                f"Points have changed; they are applied to the stored verdicts, and no check is run for them: {', '.join(sorted(new))}."
            )
        marked = [self.by_hand.put_into(self._plan.with_points(result)) for result in results]
        return self._plan.gradebook(with_owners(self._submissions, marked))
