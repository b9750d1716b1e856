"""The results of grading: one row for each submission, as plain data that can be written to JSON and read back.

The pages for students and the tables for instructors are made from these rows alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxmls_day1.base.plain_data import from_plain as from_plain
from lxmls_day1.base.plain_data import to_plain as to_plain
from lxmls_day1.course.diagnosis.mistake_matching import BOTH, ONE, ONE_OF, is_probe_inputs_check
from lxmls_day1.course.workspace_state import Explanation
from lxmls_day1.grading.verdicts import OK

FORMAT = 1
#: The share of the points for public checks. It is small, because students have these checks and could answer from a table.
PUBLIC_SHARE = 0.25
#: The minimum share for an answer that one or two known mistakes explain: not more than a table of the public checks earns.
MIN_SHARES = {ONE: PUBLIC_SHARE, ONE_OF: PUBLIC_SHARE, BOTH: PUBLIC_SHARE / 2}

TO_WRITE = "still to be written"  # the text of a check whose exercise is not begun
NOT_HANDED_IN = "not handed in: "  # the beginning of the text of a check whose file is absent, and of the note about it


@dataclass(frozen=True)
class CheckGrade:
    """The outcome of one check.

    Attributes
    ----------
    check : str
        ``test_1_05_mira.py::test_costs``
    exercise, title : str
    hidden : bool
        True for a hidden check. Students see only the title, the verdict and the `mistakes` of such a check; it
        has a `text` only if it was not run.
    verdict : str
        One of `lxmls_day1.grading.verdicts.VERDICTS`.
    text : str
        An explanation for students, of some lines: the expected and the actual value, or the traceback in their files.
    calls : tuple of str
        Calls of the student's code, such as ``mira_rule([0.5, 2.5, −1], 0, 6, 8, [0, 1, 1])``; public checks only.
    mistakes : tuple of (name, sentence)
        The known mistakes that match the wrong answers to probe inputs. Only the check of probe inputs names mistakes.
    seconds : float
    named_as : str
        The kind of explanation by the mistakes: one of the keys of `lxmls_day1.course.diagnosis.mistake_matching.DIAGNOSIS_HEADINGS`.
    behaviour : str
        The wrong answers to probe inputs, if no known mistake explains them (`lxmls_day1.grading.reports.groups`).
    picture : str
        The smallest input with a wrong answer as a PNG in base64, if the exercise has a picture for it.
    has_substance : bool
        True if most wrong answers to probe inputs are neither one repeated number nor a part of their input.
    printed : tuple of str
        The first lines that the code printed for the smallest input with a wrong answer. Only shown: no mark depends on it.
    """

    check: str
    exercise: str
    title: str
    hidden: bool
    verdict: str
    text: str = ""
    calls: tuple[str, ...] = ()
    mistakes: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    named_as: str = ""
    behaviour: str = ""
    picture: str = ""
    has_substance: bool = False
    printed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ManualMark:
    """The manual mark for an exercise without checks; the points are None if there is only a comment."""

    points: float | None
    comment: str = ""


@dataclass(frozen=True)
class ExerciseGrade:
    """The outcome of one exercise.

    For an exercise without checks, the points are those of `mark`, or None if it is not marked yet.

    Otherwise the public checks earn `PUBLIC_SHARE` of the points and the hidden checks the rest, each kind in proportion to the
    checks passed. If no hidden check was run, their part is lost. Without public checks, the hidden checks earn all points.

    An answer with substance that one known mistake explains earns at least `PUBLIC_SHARE`; if two mistakes together explain it,
    half of that. The reason for this minimum: a single mistake can fail every check. The minimum does not depend on the seed.

    Examples
    --------
    >>> from lxmls_day1.grading.verdicts import OK, WRONG
    >>> public, hidden = (CheckGrade("a", "1.5", "A", False, OK), CheckGrade("b", "1.5", "B", True, WRONG))
    >>> [ExerciseGrade("1.5", "MIRA", "code", 10.0, checks).points for checks in [(public, hidden), (public,)]]
    [2.5, 2.5]
    """

    id: str
    title: str
    kind: str
    out_of: float
    checks: tuple[CheckGrade, ...] = ()
    mark: ManualMark | None = None

    @property
    def is_manual(self) -> bool:
        """True if the exercise has no checks: an experiment or a derivation."""
        return not self.checks

    @property
    def passed(self) -> int:
        """The number of checks passed."""
        return sum(check.verdict == OK for check in self.checks)

    @property
    def points(self) -> float | None:
        """The points reached, or None if a manual mark is still missing."""
        if self.is_manual:
            return self.mark.points if self.mark is not None else None
        right = [(check.hidden, check.verdict == OK) for check in self.checks]
        kinds = {kind: [ok for hidden, ok in right if hidden == kind] for kind in (False, True)}
        shares = [self._share_of_kind(hidden) * sum(ok) / len(ok) for hidden, ok in kinds.items() if ok]
        small = self.small_inputs
        is_explained = small is not None and small.has_substance and bool(small.mistakes)
        least = MIN_SHARES.get(self.named_as, 0.0) if is_explained else 0.0
        return self.out_of * max(least, sum(shares))

    @property
    def is_full(self) -> bool:
        """True if every check passed, or the manual mark gives all points."""
        return self.points == self.out_of if self.is_manual else self.passed == len(self.checks)

    def weight(self, check: CheckGrade) -> float:
        """Return the share of the points that one check earns."""
        return self._share_of_kind(check.hidden) / sum(other.hidden == check.hidden for other in self.checks)

    def _share_of_kind(self, hidden: bool) -> float:
        has_public = not all(check.hidden for check in self.checks)
        return (1.0 - PUBLIC_SHARE if has_public else 1.0) if hidden else PUBLIC_SHARE

    @property
    def small_inputs(self) -> CheckGrade | None:
        """The outcome of the check of probe inputs, or None without such a check."""
        return next((check for check in self.checks if is_probe_inputs_check(check.check)), None)

    @property
    def named_as(self) -> str:
        """The kind of explanation by the mistakes: one of the keys of `lxmls_day1.course.diagnosis.mistake_matching.DIAGNOSIS_HEADINGS`."""
        return self.small_inputs.named_as if self.small_inputs is not None else ""

    @property
    def mistakes(self) -> tuple[tuple[str, str], ...]:
        """The known mistakes that match the answers to probe inputs or, without such a check, that explain the most answers."""
        return self.small_inputs.mistakes if self.small_inputs is not None else ()


@dataclass(frozen=True)
class FreeAnswer:
    """A free-text answer from a notebook, for manual marking: ``asked`` is the question; ``text`` may be empty.

    ``pictures`` are the pasted pictures, as data URLs (`lxmls_day1.grading.intake.pasted_pictures`).
    """

    exercise: str
    notebook: str
    asked: str
    text: str
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubmissionGrade:
    """The result of one submission.

    Attributes
    ----------
    student : str
        An identifier that is unique in a run and can be a file name.
    name : str
        The name to print.
    source : str
        The path of the submission, as the instructor wrote it.
    digest : str
        A digest of all its files.
    exercises : tuple of ExerciseGrade
    problem : str
        Why the submission could not be read; empty if it was read.
    warnings : tuple of str
        Sentences about unusual things that cost no points, such as a file in the wrong folder.
    printed : str
        The beginning of the output of its code in public checks.
    answers : tuple of FreeAnswer
    key : str
        A digest of everything else that the row depends on (checks, seed, limits). A row with another key is out of date.
    seconds : float
    notes : tuple of str
        Sentences for the instructor alone: files that were not handed in, and failures of the grader with their reasons.
    made_by : str
        Version and digests of the installation that made the row (`lxmls_day1.grading.running.plan.grader_version`).
    failed : bool
        True if the grader failed. The verdicts are then not a judgement of its code.
    written : mapping from exercise to text
        The student's functions for exercises that are begun but not solved: a sample for the instructor.
    explanations : tuple of Explanation
        Explanations that the student wrote after a mistake was named, each with the code that was checked. Not verified.
    author : str
        The author that the packed file names. In a gradebook it is set only if it differs from the owner.
    receipt : str
        SHA-256 of the zip file that was handed in, as `lxmls-day1 submit` printed it; empty unless there was one.
    doubts : tuple of str
        Warnings for the instructor about the owner of the submission.
    typed_name : str
        The name that was typed with ``submit --name``, shown next to the key. Not verified.
    answered : mapping from exercise to str
        Digests of answers; equal digests mean the same work (`lxmls_day1.grading.reports.same_work`).
    """

    student: str
    name: str
    source: str
    digest: str
    exercises: tuple[ExerciseGrade, ...]
    warnings: tuple[str, ...] = ()
    printed: str = ""
    answers: tuple[FreeAnswer, ...] = ()
    key: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    made_by: str = ""
    failed: bool = False
    explanations: tuple[Explanation, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    author: str = ""
    receipt: str = ""
    doubts: tuple[str, ...] = ()
    problem: str = ""
    typed_name: str = ""
    answered: Mapping[str, str] = field(default_factory=dict)

    @property
    def points(self) -> float:
        """The sum of the points of all exercises with checks, and of the exercises that have a manual mark."""
        return sum(exercise.points or 0.0 for exercise in self.exercises)

    @property
    def out_of(self) -> float:
        """The maximum of `points`."""
        return sum(exercise.out_of for exercise in self.exercises if exercise.points is not None)

    @property
    def unmarked(self) -> tuple[ExerciseGrade, ...]:
        """The exercises that still need a manual mark."""
        return tuple(exercise for exercise in self.exercises if exercise.points is None)

    @property
    def checks(self) -> tuple[CheckGrade, ...]:
        """The checks of all exercises, in order."""
        return tuple(check for exercise in self.exercises for check in exercise.checks)


@dataclass(frozen=True)
class Gradebook:
    """The results of a whole run.

    Attributes
    ----------
    rows : tuple of SubmissionGrade
        The results, ordered by `SubmissionGrade.student`.
    seed : int
        The seed of the hidden checks; the same seed gives the same checks.
    level, level_text : str
        The isolation of submissions: ``bubblewrap``, ``landlock`` or ``process``, and a sentence about it.
    limits : mapping from name to number
    hidden : bool
        True if hidden checks were run.
    graded : str
        The time of the run, as ISO 8601 in UTC.
    version : str
        The version of this package.
    unread : str
        A sentence for the instructor about files that were not looked at; empty if there are none.
    """

    rows: tuple[SubmissionGrade, ...]
    seed: int
    level: str
    level_text: str
    limits: Mapping[str, float] = field(default_factory=dict)
    hidden: bool = True
    graded: str = ""
    version: str = ""
    unread: str = ""
