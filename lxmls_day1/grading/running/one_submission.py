"""Grading of one submission in this process: its code runs in boxes, and the answers become a row and the student's pages.

`lxmls_day1.grading.running.worker` is the process in which this happens.
"""

import functools
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, TypeVar, cast

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.grouping import grouped
from lxmls_day1.box.levels import try_box
from lxmls_day1.box.sandbox import BoxesUnavailable, ForkServer
from lxmls_day1.course.explanations import FILE as EXPLANATIONS
from lxmls_day1.course.explanations import INVALID_CHARACTER, unpack_explanations
from lxmls_day1.course.markers import functions_with_exercise
from lxmls_day1.course.registry import Exercise
from lxmls_day1.course.source_functions import function_lines_by_indent
from lxmls_day1.course.workspace_state import Explanation
from lxmls_day1.course.workspaces.generation import Files
from lxmls_day1.grading.gradebook import NOT_HANDED_IN, TO_WRITE, CheckGrade, ExerciseGrade, FreeAnswer, SubmissionGrade
from lxmls_day1.grading.intake.submissions import Submission
from lxmls_day1.grading.reports.report_files import files_of_student
from lxmls_day1.grading.reports.same_work import digest_of_answer
from lxmls_day1.grading.running.box_contents import box_files
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.plan import Plan, all_check_files, grader_version
from lxmls_day1.grading.safe_text import one_line
from lxmls_day1.grading.verdicts import ERROR, MEMORY, MISSING, REFUSED
from lxmls_day1.library_path import PACKAGES

NOT_GRADED = "could not be graded: {}. This does not mean that the code is wrong; your instructor has been told."
ONLY_NOTEBOOKS = "; nothing but notebooks is in it"
MAX_SAMPLE_CHARS = 3000  # characters
MAX_SEARCHED_BYTES = 60_000  # bytes of a file that are searched for samples
#: Matches a docstring that is on lines of its own below a function header.
DOCSTRING = re.compile(r'''(:[ \t]*\n)[ \t]*[rRuU]?("""|\'\'\')(?:(?!\2).)*\2[ \t]*\n''', re.DOTALL)
# Some imports are inside functions, so that a worker starts fast. They serve only some of the submissions.
Anything = TypeVar("Anything")
Instead = TypeVar("Instead")


@dataclass(frozen=True)
class GradedSubmission:
    """A row, and the student's files made from it (a mapping from path in the output folder to content)."""

    row: SubmissionGrade
    files: Files


def failed_row(
    plan: Plan, checks: Sequence[CheckGrade], submission: Submission, verdict: str, reason: str, details: str
) -> GradedSubmission:
    """Return the result of a submission that could not be graded: one verdict for all checks, and a note for the instructor."""
    text = NOT_GRADED.format(reason)
    row = _row_of_checks(plan, submission, [replace(check, verdict=verdict, text=text) for check in checks])
    row = replace(row, notes=(f"{reason}: {one_line(details, 500)}",), failed=True)
    return GradedSubmission(row, files_of_student(row, plan.gradebook()))


def _row_of_checks(plan: Plan, submission: Submission, checks: Sequence[CheckGrade]) -> SubmissionGrade:
    """Return a row with the results of the checks and nothing else."""
    own = grouped((check.exercise, check) for check in checks)
    exercises = tuple(
        ExerciseGrade(one.id, one.title, one.kind, float(one.points), tuple(own.get(one.id, ())))
        for one in plan.exercises
    )
    return SubmissionGrade(
        submission.student,
        submission.name,
        submission.source,
        submission.digest,
        exercises,
        problem=submission.problem,
        key=plan.key,
        made_by=grader_version(),
        author=submission.author,
        typed_name=submission.author,
        receipt=submission.receipt,
    )


def _optional_step(
    notes: list[str], label: str, default: Instead, compute: Callable[[], Anything]
) -> Anything | Instead:
    """Return `compute()`, an optional component of a row. If it fails, return `default` and add a note for the instructor."""
    try:
        return compute()
    except Exception as error:
        notes.append(f"{label} could not be made: {type(error).__name__}: {one_line(str(error), 300)}")
        return default


def _for_box(path: PurePosixPath, content: bytes) -> bytes:
    """Remove the decorator ``@compiled`` from Python files, with the same line numbers: compiling a rule takes longer than checking it.

    Examples
    --------
    >>> _for_box(PurePosixPath("mira.py"), b"@compiled\\ndef rule(scores): ...")
    b'\\ndef rule(scores): ...'
    """
    if path.suffix != ".py" or b"@compiled" not in content:
        return content
    return b"".join(b"\n" if line.strip() == b"@compiled" else line for line in content.splitlines(keepends=True))


def _row(
    plan: Plan, submission: Submission, checks: Sequence[CheckGrade], remarks: Sequence[str], notes: list[str]
) -> SubmissionGrade:
    from lxmls_day1.grading.intake.notebook_answers import free_answers

    files = submission.files
    answers: tuple[FreeAnswer, ...] = ()
    more: tuple[str, ...] = ()
    if not submission.problem:
        answers, more = _optional_step(
            notes, "answers", ((), ()), lambda: free_answers(files, plan.registry, plan.given)
        )
    explanations: tuple[Explanation, ...] = ()
    if EXPLANATIONS in files:
        ids = [exercise.id for exercise in plan.exercises]
        try:
            explanations = unpack_explanations(files[EXPLANATIONS], ids)
        except InputError as error:
            more = (*more, f"{error}; it was ignored.")
    row = _row_of_checks(plan, submission, checks)
    wrong = [grade.id for grade in row.exercises if grade.passed < len(grade.checks)]
    samples = _optional_step(notes, "samples", {}, lambda: samples_of(files, plan, wrong))
    answered = _optional_step(notes, "the comparison with others", {}, lambda: answers_of(files, plan))
    sentences = [*submission.warnings, *remarks, *more]
    return replace(
        row,
        warnings=tuple(dict.fromkeys(sentences)),
        answers=tuple(answers),
        explanations=explanations,
        written=samples,
        answered=answered,
    )


def not_handed_in(submission: Submission, exercises: Iterable[Exercise]) -> dict[str, str]:
    """Return a text for each exercise with a file that was not handed in."""
    texts = {}
    for exercise in exercises:
        for path in map(PurePosixPath, exercise.files):
            if path not in submission.files:
                like = submission.similar.get(path)
                texts[exercise.id] = f"{NOT_HANDED_IN}{path}" + (f"; {like}" if like else "")
    return texts


def _with_absence(check: CheckGrade, absent: Mapping[str, str]) -> CheckGrade:
    """Return the check with the reason "not handed in", if it ran on a stub in place of a missing file."""
    if check.exercise in absent and check.verdict == MISSING and check.text == TO_WRITE:
        return replace(check, text=absent[check.exercise])
    return check


def without_docstrings(source: str) -> str:
    r"""Return functions without docstrings, because the docstrings of the starter files are longer than a student's code.

    Examples
    --------
    >>> print(without_docstrings("def double(x):\n    '''Twice x.\n\n    A number.\n    '''\n    return 2 * x"))
    def double(x):
        return 2 * x
    """
    return DOCSTRING.sub(r"\1", source)


def samples_of(files: Files, plan: Plan, exercises: Collection[str]) -> dict[str, str]:
    """Return the functions that a student wrote for some exercises, without docstrings, cut to a length that can be displayed.

    They are found by their indentation, because the grader must not parse a student's file.
    """
    samples = {}
    for exercise in (exercise for exercise in plan.exercises if exercise.id in exercises):
        texts = [wrote for wrote, given in _functions_in(files, plan, exercise) if wrote != given]
        if text := without_docstrings("\n\n".join(texts))[:MAX_SAMPLE_CHARS].strip():
            samples[exercise.id] = INVALID_CHARACTER.sub("\ufffd", text)
    return samples


def answers_of(files: Files, plan: Plan) -> dict[str, str]:
    """Return a digest of the answer to each exercise, if the answer is long enough to be compared with other students' answers."""
    digests = {}
    for exercise in plan.exercises:
        if all(len(files.get(PurePosixPath(path), b"")) <= MAX_SEARCHED_BYTES for path in exercise.files):
            pairs = list(_functions_in(files, plan, exercise))
            if any(wrote != given for wrote, given in pairs):
                digests[exercise.id] = digest_of_answer(
                    (without_docstrings(wrote), without_docstrings(given)) for wrote, given in pairs
                )
    return {id: digest for id, digest in digests.items() if digest}


def _functions_in(files: Files, plan: Plan, exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield the functions of an exercise, each in the submitted and in the starter version; a missing version is empty."""
    for path in map(PurePosixPath, exercise.files):
        source, stub = (_text(where.get(path, b"")) for where in (files, plan.given))
        for function in _names_in(stub, exercise.id):
            yield _function_in(source.split("\n"), function), _function_in(stub.split("\n"), function)


@functools.lru_cache(maxsize=64)
def _names_in(stub: str, exercise: str) -> tuple[str, ...]:
    return tuple(functions_with_exercise(stub, exercise))


def _text(content: bytes) -> str:
    return content[:MAX_SEARCHED_BYTES].decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _function_in(lines: list[str], function: str) -> str:
    place = function_lines_by_indent(lines, function)
    return "" if place is None else "\n".join(lines[place])


class Grader:
    """A grader of one submission after another, with the data that all submissions share.

    A submission that breaks the grader affects only its own row.

    Parameters
    ----------
    plan : Plan
    fork_servers : dict from level to ForkServer, optional
        The fork servers of another grader, because starting one is slow. Default: none; each is started when it is first needed.

    Attributes
    ----------
    plan : Plan
    fork_servers : dict from level to ForkServer
    """

    def __init__(self, plan: Plan, fork_servers: dict[str, ForkServer] | None = None):
        self.plan = plan
        self.fork_servers: dict[str, ForkServer] = {} if fork_servers is None else fork_servers

    def __call__(self, submission: Submission) -> GradedSubmission:
        """Grade one submission.

        Raises
        ------
        BoxesUnavailable
            If not even an empty box can be made here any more.
        """
        try:
            return self._grade_or_report(submission)
        except BoxesUnavailable:
            self.close()  # the fork server may have been killed: retry with a new one
            return self._grade_or_report(submission)

    def _grade_or_report(self, submission: Submission) -> GradedSubmission:
        """Grade one submission, or return the result of a submission that could not be graded."""
        try:
            return self._grade(submission)
        except BoxesUnavailable as error:
            self._require_boxes()
            reason = REFUSED, "no sandbox could be made for it", str(error)
        except MemoryError:
            reason = MEMORY, "it needs too much memory", "MemoryError"
        except Exception as error:
            reason = ERROR, "the grader failed on it", f"{type(error).__name__}: {one_line(str(error), 300)}"
        return failed_row(self.plan, self.checks, submission, *reason)

    def close(self) -> None:
        """End the fork servers. A later call starts a new one."""
        while self.fork_servers:
            self.fork_servers.popitem()[1].close()

    @functools.cached_property
    def checks(self) -> tuple[CheckGrade, ...]:
        """All checks, not yet run. The first access is slow, because it collects the checks and tests a box.

        Raises
        ------
        BoxesUnavailable
            If no box can be made here.
        InputError
            If the checks cannot be run.
        """
        self._require_boxes()
        return cast(tuple[CheckGrade, ...], self._session.checks())

    @functools.cached_property
    def _session(self) -> Any:
        """The session with all checks, collected once."""
        from lxmls_day1.grading.running.session import GradingSession  # pytest is for workers only

        plan = self.plan
        files = all_check_files(plan.exercises)
        drawn = {exercise.id: exercise.counter_example for exercise in plan.exercises}
        return GradingSession(files, plan.expected, plan.seed, plan.limits, plan.hidden_refused_reason, drawn)

    @functools.cached_property
    def _given(self) -> Files:
        """The starter files in the form for boxes, without compilation."""
        return {path: _for_box(path, content) for path, content in self.plan.given.items()}

    def _fork_server(self) -> ForkServer:
        level = self.plan.level
        if level.name not in self.fork_servers:
            given = {path: content for path, content in self._given.items() if path.parts[0] in PACKAGES}
            self.fork_servers[level.name] = ForkServer(
                lab_program(), level.name, given, level.user, level.max_landlock_version
            )
        return self.fork_servers[level.name]

    def _require_boxes(self) -> None:
        """Raise `BoxesUnavailable` unless an empty box works; the level was chosen without the lab's program."""
        try:
            why = try_box(self._fork_server())
        except BoxesUnavailable as error:
            why = str(error).rstrip(".")
        if why:
            name = self.plan.level.name
            raise BoxesUnavailable(
                f"the sandbox level {name} does not work here: {why}; `--sandbox` takes another one."
            )

    def _grade(self, submission: Submission) -> GradedSubmission:
        began = time.monotonic()
        plan = self.plan
        notes = list(submission.notes)
        warnings: tuple[str, ...] = ()
        printed = ""
        if submission.problem:
            checks = [replace(check, verdict=MISSING, text=submission.problem) for check in self.checks]
        else:
            files, warnings = self._boxed_files(submission)
            checked, printed = self._session.run(files, self._fork_server())
            absent = not_handed_in(submission, plan.exercises)
            checks = [_with_absence(check, absent) for check in checked]
            lacking = [text.removeprefix(NOT_HANDED_IN) for text in dict.fromkeys(absent.values())]
            in_packages = any(path.parts[0] in PACKAGES for path in submission.files)
            notes += [f"{NOT_HANDED_IN}{'; '.join(lacking)}{'' if in_packages else ONLY_NOTEBOOKS}."] if absent else []
        row = replace(_row(plan, submission, checks, warnings, notes), printed=printed)
        row = replace(row, notes=tuple(notes), seconds=round(time.monotonic() - began, 3))
        return GradedSubmission(row, files_of_student(row, plan.gradebook()))

    def _boxed_files(self, submission: Submission) -> tuple[Files, tuple[str, ...]]:
        given = self.plan.given
        files, warnings = box_files(submission, given, self.plan.registry, self.plan.exercises)
        boxed = {
            path: self._given[path] if content is given.get(path) else _for_box(path, content)
            for path, content in files.items()
        }
        return boxed, warnings
