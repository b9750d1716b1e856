"""The results of grading: one row for each submission, as plain data that can be written to JSON and read back.

The pages for students and the tables for instructors are made from these rows alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxmls_day1.base.plain_data import from_plain as from_plain
from lxmls_day1.base.plain_data import to_plain as to_plain
from lxmls_day1.box.limits import CRASHED as CRASHED
from lxmls_day1.box.limits import MEMORY as MEMORY
from lxmls_day1.box.limits import REFUSED as REFUSED
from lxmls_day1.box.limits import TIMEOUT as TIMEOUT
from lxmls_day1.course.diagnosis.naming import BOTH, ONE, ONE_OF, mistakes_among, small_inputs_among
from lxmls_day1.course.workspace_state import Explanation

FORMAT = 1
PUBLIC_SHARE = 0.25  # of the points of an exercise: students have the public checks, and could answer them from a table
#: The least that an answer brings which known mistakes explain, one or two: no more than a table of the public checks.
LEAST_SHARES = {ONE: PUBLIC_SHARE, ONE_OF: PUBLIC_SHARE, BOTH: PUBLIC_SHARE / 2}

OK, WRONG, ERROR, MISSING = "ok", "wrong", "error", "missing"
TO_WRITE = "still to be written"  # the text of a check of an exercise that is not begun

VERDICTS = {
    OK: "right",
    WRONG: "a wrong answer",
    ERROR: "an exception",
    TIMEOUT: "not done within the time limit",
    MEMORY: "it needed more memory than allowed",
    CRASHED: "the code crashed its process",
    REFUSED: "not allowed: an answer that is not plain data, too long, or a box that is not safe enough",
    MISSING: "nothing to check: a file or a function is not there, or the exercise is not begun",
}


@dataclass(frozen=True)
class CheckGrade:
    """How one check went.

    Attributes
    ----------
    check : str
        ``test_1_05_mira.py::test_costs``
    exercise, title : str
    hidden : bool
        Whether it is a hidden check. Students see the title, the verdict and `mistakes` of such a check, and nothing else; it
        has a `text` only if it was not run.
    verdict : str
        One of `VERDICTS`.
    text : str
        An explanation for students, of some lines: what was expected and what came, or the traceback in their files.
    calls : tuple of str
        What was called in the student's code, such as ``mira_rule([0.5, 2.5, −1], 0, 6, 8, [0, 1, 1])``; public checks only.
    mistakes : tuple of (name, sentence)
        What the wrong answers to small inputs speak for; only the check of these names mistakes.
    seconds : float
    named_as : str
        What the mistakes are: one of the keys of `lxmls_day1.course.diagnosis.naming.HEADS`.
    behaviour : str
        The wrong answers to small inputs where no known mistake explains them (`lxmls_day1.grading.reports.groups`).
    picture : str
        The smallest input with a wrong answer as a PNG in base64, where the exercise has it drawn.
    has_substance : bool
        Whether most wrong answers to small inputs are neither one number all over nor a part of their input.
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


@dataclass(frozen=True)
class HandMark:
    """What an instructor gave for an exercise without checks; the points are None where there is a comment alone."""

    points: float | None
    comment: str = ""


@dataclass(frozen=True)
class ExerciseGrade:
    """How one exercise went.

    The points of an exercise without checks are those of `mark`, None if it is not marked yet. Otherwise the public checks bring
    `PUBLIC_SHARE` of them, and the hidden checks the rest; each kind brings its part in proportion to the checks passed. If no
    hidden check was run, their part is lost. If there is no public check, the hidden ones bring all. An answer with substance that
    one known mistake explains brings `PUBLIC_SHARE` at least, one that two explain together half of that: a mistake in one place may fail
    every check, and what it is depends on no seed.

    Examples
    --------
    >>> public, hidden = (CheckGrade("a", "1.5", "A", False, OK), CheckGrade("b", "1.5", "B", True, WRONG))
    >>> [ExerciseGrade("1.5", "MIRA", "code", 10.0, checks).points for checks in [(public, hidden), (public,)]]
    [2.5, 2.5]
    """

    id: str
    title: str
    kind: str
    out_of: float
    checks: tuple[CheckGrade, ...] = ()
    mark: HandMark | None = None

    @property
    def by_hand(self) -> bool:
        """Whether no check decides: an experiment or a derivation."""
        return not self.checks

    @property
    def passed(self) -> int:
        """How many of its checks are right."""
        return sum(check.verdict == OK for check in self.checks)

    @property
    def points(self) -> float | None:
        """The points reached; None where they are given by hand, and not yet."""
        if self.by_hand:
            return self.mark.points if self.mark is not None else None
        kinds = {
            hidden: [check.verdict == OK for check in self.checks if check.hidden == hidden] for hidden in (False, True)
        }
        shares = [self._share_of_kind(hidden) * sum(ok) / len(ok) for hidden, ok in kinds.items() if ok]
        small = self.small_inputs
        is_explained = small is not None and small.has_substance and bool(small.mistakes)
        least = LEAST_SHARES.get(self.named_as, 0.0) if is_explained else 0.0
        return self.out_of * max(least, sum(shares))

    @property
    def is_full(self) -> bool:
        """Whether nothing is missing: every check passed, or all points given."""
        return self.points == self.out_of if self.by_hand else self.passed == len(self.checks)

    def weight(self, check: CheckGrade) -> float:
        """The part of the points that one of the checks brings."""
        return self._share_of_kind(check.hidden) / sum(other.hidden == check.hidden for other in self.checks)

    def _share_of_kind(self, hidden: bool) -> float:
        has_public = not all(check.hidden for check in self.checks)
        return (1.0 - PUBLIC_SHARE if has_public else 1.0) if hidden else PUBLIC_SHARE

    @property
    def small_inputs(self) -> CheckGrade | None:
        """How the check of small inputs went."""
        return small_inputs_among(self.checks)

    @property
    def named_as(self) -> str:
        """What the mistakes are: one of the keys of `lxmls_day1.course.diagnosis.naming.HEADS`."""
        return self.small_inputs.named_as if self.small_inputs is not None else ""

    @property
    def mistakes(self) -> tuple[tuple[str, str], ...]:
        """The mistakes that answers to small inputs speak for; without small inputs, those that explain the most answers."""
        return mistakes_among(self.checks)


@dataclass(frozen=True)
class FreeAnswer:
    """A free-text answer from a notebook, to be marked by hand: ``asked`` is the question, ``text`` may be empty.

    ``pictures`` are those that were pasted in, as addresses that contain them (`lxmls_day1.grading.intake.pasted_pictures`).
    """

    exercise: str
    notebook: str
    asked: str
    text: str
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubmissionGrade:
    """All that is known of one submission.

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
        Why nothing of it could be read; empty unless that is so.
    warnings : tuple of str
        Sentences about what is unusual and costs no points, such as a file in another place.
    printed : str
        The beginning of what its code printed in public checks.
    answers : tuple of FreeAnswer
    key : str
        A digest of all else that the row depends on (checks, seed, limits). A row with another key is out of date.
    seconds : float
    notes : tuple of str
        For the instructor alone: files that were not handed in, and what the grader itself could not do, and why.
    made_by : str
        Version and digests of the installation that has made the row (`lxmls_day1.grading.running.plan.grader_version`).
    failed : bool
        Whether the grader could not grade it. Then the verdicts say nothing about its code.
    written : mapping from exercise to text
        The functions that the student wrote, of exercises that are begun and not right: a sample for the instructor.
    explanations : tuple of Explanation
        What the student wrote when a mistake was named, with the attempt. Nothing vouches for it.
    author : str
        Whom the packed file names as its author; in a gradebook, where that is not its owner.
    receipt : str
        SHA-256 of the zip file that was handed in, as `lxmls-day1 submit` has printed it; empty where it was none.
    doubts : tuple of str
        For the instructor: sentences about whose submission it is.
    typed_name : str
        The name that was typed with ``submit --name``, to be shown beside the key; nothing vouches for it.
    answered : mapping from exercise to str
        Digests of answers, equal for the same work (`lxmls_day1.grading.reports.same_work`).
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
        """Of all exercises with checks, and of those that are marked by hand already."""
        return sum(exercise.points or 0.0 for exercise in self.exercises)

    @property
    def out_of(self) -> float:
        """The most that `points` can be."""
        return sum(exercise.out_of for exercise in self.exercises if exercise.points is not None)

    @property
    def unmarked(self) -> tuple[ExerciseGrade, ...]:
        """The exercises that are still to be marked by hand."""
        return tuple(exercise for exercise in self.exercises if exercise.points is None)

    @property
    def checks(self) -> tuple[CheckGrade, ...]:
        """The checks of all exercises, in order."""
        return tuple(check for exercise in self.exercises for check in exercise.checks)


@dataclass(frozen=True)
class Gradebook:
    """A whole run.

    Attributes
    ----------
    rows : tuple of SubmissionGrade
        In the order of `SubmissionGrade.student`.
    seed : int
        The seed of the hidden checks; the same seed gives the same checks.
    level, level_text : str
        How submissions were isolated: ``bubblewrap``, ``landlock`` or ``process``, and a sentence about it.
    limits : mapping from name to number
    hidden : bool
        Whether hidden checks were run.
    graded : str
        The time of the run, as ISO 8601 in UTC.
    version : str
        The version of this package.
    """

    rows: tuple[SubmissionGrade, ...]
    seed: int
    level: str
    level_text: str
    limits: Mapping[str, float] = field(default_factory=dict)
    hidden: bool = True
    graded: str = ""
    version: str = ""
