"""One submission graded in this process: its code is run in boxes, and a row and the student's pages are made of what it says.

`lxmls_day1.grading.running.worker` has a process of its own for it.
"""

import functools
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, TypeVar

from lxmls_day1.base.errors import InputError
from lxmls_day1.box.levels import Level, try_box
from lxmls_day1.box.sandbox import BoxesUnavailable, ForkServer
from lxmls_day1.course.explanations import FILE as EXPLANATIONS
from lxmls_day1.course.explanations import NO_CHARACTER, unpacked
from lxmls_day1.course.markers import functions_of
from lxmls_day1.course.registry import Exercise
from lxmls_day1.course.source_functions import function_lines_by_indent
from lxmls_day1.course.workspace_state import Explanation
from lxmls_day1.course.workspaces.generation import Files
from lxmls_day1.grading.gradebook import (
    ERROR,
    MEMORY,
    MISSING,
    REFUSED,
    TO_WRITE,
    CheckGrade,
    ExerciseGrade,
    FreeAnswer,
    SubmissionGrade,
)
from lxmls_day1.grading.intake.submissions import Submission
from lxmls_day1.grading.reports.report_files import files_of_student
from lxmls_day1.grading.reports.same_work import digest_of_answer
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.lab_in_the_box import lab_in_the_box
from lxmls_day1.grading.running.plan import Plan, all_check_files, grader_version
from lxmls_day1.grading.safe_text import one_line
from lxmls_day1.library_path import PACKAGES

NOT_GRADED = "could not be graded: {}. This does not mean that the code is wrong; your instructor has been told."
LONGEST_SAMPLE = 3000  # characters
LONGEST_FILE = 60_000  # bytes of a file that are searched for it
#: On lines of its own, below a head.
DOCSTRING = re.compile(r'''(:[ \t]*\n)[ \t]*[rRuU]?("""|\'\'\')(?:(?!\2).)*\2[ \t]*\n''', re.DOTALL)
# Imports inside the functions: a worker starts soon, and loads what only some submissions need when it comes to one.
Anything = TypeVar("Anything")
Instead = TypeVar("Instead")

NOT_HANDED_IN = "not handed in: "


@dataclass(frozen=True)
class Graded:
    """A row, and the student's files that are made from it: path in the output folder -> content."""

    row: SubmissionGrade
    files: Files


def unfinished(
    plan: Plan, checks: Sequence[CheckGrade], submission: Submission, verdict: str, why: str, details: str
) -> Graded:
    """The row of a submission that the grader could not grade: one verdict on all checks, and a note for the instructor."""
    text = NOT_GRADED.format(why)
    row = _row_of_checks(plan, submission, [replace(check, verdict=verdict, text=text) for check in checks])
    row = replace(row, notes=(f"{why}: {one_line(details, 500)}",), failed=True)
    return Graded(row, files_of_student(row, plan.gradebook()))


def _row_of_checks(plan: Plan, submission: Submission, checks: Sequence[CheckGrade]) -> SubmissionGrade:
    """A row in which nothing but checks has been looked at."""
    exercises = tuple(
        ExerciseGrade(
            exercise.id,
            exercise.title,
            exercise.kind,
            float(exercise.points),
            tuple(check for check in checks if check.exercise == exercise.id),
        )
        for exercise in plan.exercises
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


def _attempt(notes: list[str], what: str, instead: Instead, made: Callable[[], Anything]) -> Anything | Instead:
    """A part of a row that is not worth the marks: where it fails, the instructor is told, and the rest stays."""
    try:
        return made()
    except Exception as error:
        notes.append(f"{what} could not be made: {type(error).__name__}: {one_line(str(error), 300)}")
        return instead


def without_compiling(source: bytes) -> bytes:
    """A rule runs as plain Python in a box: compiling it takes longer than checking it. Line numbers stay.

    Examples
    --------
    >>> without_compiling(b"@compiled\\ndef rule(scores): ...")
    b'\\ndef rule(scores): ...'
    """
    if b"@compiled" not in source:
        return source
    return b"".join(b"\n" if line.strip() == b"@compiled" else line for line in source.splitlines(keepends=True))


def _row(
    plan: Plan, submission: Submission, checks: Sequence[CheckGrade], remarks: Sequence[str], notes: list[str]
) -> SubmissionGrade:
    from lxmls_day1.grading.intake.notebook_answers import free_answers

    files = submission.files
    answers: tuple[FreeAnswer, ...] = ()
    more: tuple[str, ...] = ()
    if not submission.problem:
        answers, more = _attempt(notes, "answers", ((), ()), lambda: free_answers(files, plan.registry, plan.given))
    explanations: tuple[Explanation, ...] = ()
    if EXPLANATIONS in files:
        ids = [exercise.id for exercise in plan.exercises]
        try:
            explanations = unpacked(files[EXPLANATIONS], ids)
        except InputError as error:
            more = (*more, f"{error}; it was ignored.")
    row = _row_of_checks(plan, submission, checks)
    wrong = [grade.id for grade in row.exercises if grade.passed < len(grade.checks)]
    samples = _attempt(notes, "samples", {}, lambda: samples_of(files, plan, wrong))
    answered = _attempt(notes, "the comparison with others", {}, lambda: answers_of(files, plan))
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
    """Return a text for each exercise of which a file was not handed in."""
    texts = {}
    for exercise in exercises:
        for path in map(PurePosixPath, exercise.files):
            if path not in submission.files:
                like = submission.alike.get(path)
                texts[exercise.id] = f"{NOT_HANDED_IN}{path}" + (f"; {like}" if like else "")
    return texts


def _of_absent(check: CheckGrade, absent: Mapping[str, str]) -> CheckGrade:
    """A check that found the stub of the course in place of a file that was not handed in."""
    if check.exercise in absent and check.verdict == MISSING and check.text == TO_WRITE:
        return replace(check, text=absent[check.exercise])
    return check


def without_docstrings(source: str) -> str:
    r"""Functions without their docstrings: those that were given out are longer than what a student writes.

    Examples
    --------
    >>> print(without_docstrings("def double(x):\n    '''Twice x.\n\n    A number.\n    '''\n    return 2 * x"))
    def double(x):
        return 2 * x
    """
    return DOCSTRING.sub(r"\1", source)


def samples_of(files: Files, plan: Plan, exercises: Collection[str]) -> dict[str, str]:
    """The functions that a student wrote in some exercises, without docstrings, cut to a length that can be shown.

    They are found by their indentation: nothing of a student's is parsed here.
    """
    samples = {}
    for exercise in (exercise for exercise in plan.exercises if exercise.id in exercises):
        texts = [wrote for wrote, given in _functions_in(files, plan, exercise) if wrote != given]
        if text := without_docstrings("\n\n".join(texts))[:LONGEST_SAMPLE].strip():
            samples[exercise.id] = NO_CHARACTER.sub("\ufffd", text)
    return samples


def answers_of(files: Files, plan: Plan) -> dict[str, str]:
    """Return a digest of the answer to each exercise that is long enough to be compared with others."""
    digests = {}
    for exercise in plan.exercises:
        if all(len(files.get(PurePosixPath(path), b"")) <= LONGEST_FILE for path in exercise.files):
            pairs = list(_functions_in(files, plan, exercise))
            if any(wrote != given for wrote, given in pairs):
                digests[exercise.id] = digest_of_answer(
                    (without_docstrings(wrote), without_docstrings(given)) for wrote, given in pairs
                )
    return {id: digest for id, digest in digests.items() if digest}


def _functions_in(files: Files, plan: Plan, exercise: Exercise) -> Iterator[tuple[str, str]]:
    """The functions of an exercise, each as it was handed in and as it was given out; empty where it is not there."""
    for path in map(PurePosixPath, exercise.files):
        source, stub = (_text(where.get(path, b"")) for where in (files, plan.given))
        for function in _names_in(stub, exercise.id) if path.suffix == ".py" else ():
            yield _function_in(source.split("\n"), function), _function_in(stub.split("\n"), function)


@functools.lru_cache(maxsize=64)
def _names_in(stub: str, exercise: str) -> tuple[str, ...]:
    return tuple(functions_of(stub, exercise))


def _text(content: bytes) -> str:
    return content[:LONGEST_FILE].decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _function_in(lines: list[str], function: str) -> str:
    place = function_lines_by_indent(lines, function)
    return "" if place is None else "\n".join(lines[place])


class ForkServers:
    """The warm processes of this process. They outlive submissions and plans, which is what makes grading fast."""

    def __init__(self) -> None:
        self._servers: dict[str, ForkServer] = {}

    def of(self, level: Level, given: Files) -> ForkServer:
        """The one for a level; started when it is needed first."""
        if level.name not in self._servers:
            self._servers[level.name] = ForkServer(
                lab_program(), level.name, given, user=level.user, newest_landlock=level.newest_landlock
            )
        return self._servers[level.name]

    def close(self) -> None:
        """End them; the next that is asked for is a new one."""
        while self._servers:
            self._servers.popitem()[1].close()


class Grader:
    """Grades one submission after another by a plan, and holds what serves all of them.

    Whatever a submission does to the grader ends in its own row.

    Parameters
    ----------
    plan : Plan
    fork_servers : ForkServers, optional
        Those of this process; new ones unless given. `close` ends them.

    Attributes
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan, fork_servers: ForkServers | None = None):
        self.plan = plan
        self._fork_servers = ForkServers() if fork_servers is None else fork_servers

    def __call__(self, submission: Submission) -> Graded:
        """Check one submission.

        Raises
        ------
        BoxesUnavailable
            If no box can be made here any more, not even an empty one.
        """
        for attempt in (1, 2):
            try:
                return self._grade(submission)
            except BoxesUnavailable as error:
                try:
                    self._require_boxes()
                except BoxesUnavailable:
                    self.close()  # the process that makes boxes may have been killed: once more with a new one
                    if attempt == 2:
                        raise
                    continue
                return unfinished(
                    self.plan, self.checks, submission, REFUSED, "no sandbox could be made for it", str(error)
                )
            except MemoryError:
                return unfinished(self.plan, self.checks, submission, MEMORY, "it needs too much memory", "MemoryError")
            except Exception as error:
                message = f"{type(error).__name__}: {one_line(str(error), 300)}"
                return unfinished(self.plan, self.checks, submission, ERROR, "the grader failed on it", message)
        raise AssertionError

    def close(self) -> None:
        """End the warm processes."""
        self._fork_servers.close()

    @functools.cached_property
    def checks(self) -> tuple[CheckGrade, ...]:
        """All checks, none of them run. To find out takes what every submission waits for: a box is made, too.

        Raises
        ------
        BoxesUnavailable
            If no box can be made here.
        InputError
            If the checks cannot be run.
        """
        self._require_boxes()
        checks: tuple[CheckGrade, ...] = self._session.checks()
        return checks

    @functools.cached_property
    def _session(self) -> Any:
        """The checks, collected once."""
        from lxmls_day1.grading.running.session import GradingSession  # pytest is for workers only

        plan = self.plan
        files = all_check_files(plan.exercises)
        drawn = {exercise.id: exercise.counter_example for exercise in plan.exercises}
        return GradingSession(files, plan.expected, plan.seed, plan.limits, plan.refuse_hidden, drawn)

    @functools.cached_property
    def _given(self) -> Files:
        """The files that were given out, as they are put into boxes."""
        return {
            path: without_compiling(content) if path.suffix == ".py" else content
            for path, content in self.plan.given.items()
        }

    def _fork_server(self) -> ForkServer:
        given = {path: content for path, content in self._given.items() if path.parts[0] in PACKAGES}
        return self._fork_servers.of(self.plan.level, given)

    def _require_boxes(self) -> None:
        """Make an empty box and try it, or raise `BoxesUnavailable`: the level was chosen without the lab's program."""
        try:
            why = try_box(self._fork_server())
        except BoxesUnavailable as error:
            why = str(error).rstrip(".")
        if why:
            name = self.plan.level.name
            raise BoxesUnavailable(
                f"the sandbox level {name} does not work here: {why}; `--sandbox` takes another one."
            )

    def _grade(self, submission: Submission) -> Graded:
        began = time.monotonic()
        plan = self.plan
        notes = list(submission.notes)
        warnings: tuple[str, ...] = ()
        printed = ""
        if submission.problem:
            checks = [replace(check, verdict=MISSING, text=submission.problem) for check in self.checks]
        else:
            files, warnings = self._boxed_files(submission)
            checked = self._session.run(files, self._fork_server())
            absent = not_handed_in(submission, plan.exercises)
            checks, printed = [_of_absent(check, absent) for check in checked.checks], checked.printed
            lacking = [text.removeprefix(NOT_HANDED_IN) for text in dict.fromkeys(absent.values())]
            notes += [f"{NOT_HANDED_IN}{'; '.join(lacking)}."] if absent else []
        row = replace(_row(plan, submission, checks, warnings, notes), printed=printed)
        row = replace(row, notes=tuple(notes), seconds=round(time.monotonic() - began, 3))
        return Graded(row, files_of_student(row, plan.gradebook()))

    def _boxed_files(self, submission: Submission) -> tuple[Files, tuple[str, ...]]:
        given = self.plan.given
        files, warnings = lab_in_the_box(submission, given, self.plan.registry, self.plan.exercises)
        boxed = {
            path: self._given[path]
            if content is given.get(path)
            else without_compiling(content)
            if path.suffix == ".py"
            else content
            for path, content in files.items()
        }
        return boxed, warnings
