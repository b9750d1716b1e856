"""Checks run on boxed submissions: one pytest session, in which all checks run once for each submission.

The checks, what they expect, and pytest are in this process. The student's code is in a box (`boxed_lab`); all that it can
do to a check is to answer wrongly, late or not at all.

What students are told comes from a box that has seen public checks only. It is closed before the first hidden check begins,
and of a hidden check nothing is told but its verdict and the known mistakes that give the same answer: the names, texts and
numbers that the code produces there may hold the hidden inputs.
"""

import base64
import contextlib
import functools
import json
import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.plain_data import from_plain, to_plain
from lxmls_day1.box.box import BoxFailure, RaisedInBox, RefusedAnswer
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.sandbox import BoxesUnavailable, ForkServer
from lxmls_day1.course.checked_lab import Answers, CheckedLab
from lxmls_day1.course.diagnosis.answer_shapes import Wanted, unusable
from lxmls_day1.course.diagnosis.counterexamples import CounterExample, has_substance
from lxmls_day1.course.diagnosis.expect import WrongAnswer, wrong_in_words
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.markers import STUB_MESSAGE
from lxmls_day1.course.registry import SMALL_INPUTS, exercise_of_check
from lxmls_day1.course.running import pytest_plugin
from lxmls_day1.course.running.check_session import CheckSession
from lxmls_day1.grading.gradebook import (
    CRASHED,
    ERROR,
    MEMORY,
    MISSING,
    OK,
    REFUSED,
    TIMEOUT,
    TO_WRITE,
    WRONG,
    CheckGrade,
)
from lxmls_day1.grading.reports.groups import behaviour_of
from lxmls_day1.grading.running.boxed_lab import BoxedLab

MOST_UNENDING = 2  # checks of an exercise that may run out of time before its others are not tried any more
NOT_TRIED = f"not run, because {MOST_UNENDING} checks of this exercise did not end in time"
LONGEST_OUTPUT = 4000
LONGEST_TEXT = 8000  # of a verdict: a library may put an answer of megabytes into its message
NOT_NEEDED = (  # of pytest: each costs time at every check
    "capture", "debugging", "doctest", "faulthandler", "junitxml", "logging", "monkeypatch", "pastebin", "recwarn",
    "setuponly", "setupplan", "stepwise", "threadexception", "tmpdir", "unittest", "unraisableexception", "warnings",
)  # fmt: skip


@dataclass(frozen=True)
class Checked:
    """How all checks went on one lab.

    Attributes
    ----------
    checks : tuple of CheckGrade
    printed : str
        The beginning of what was printed in public checks.
    """

    checks: tuple[CheckGrade, ...]
    printed: str


@dataclass(frozen=True)
class _Try:
    """How a check went, and what was printed meanwhile."""

    grade: CheckGrade
    printed: str
    example: CounterExample | None = None  # of a public check alone


class _GradingRun(pytest_plugin.ChecksRun):
    """The run of checks whose lab is in a box."""

    boxed_lab = True
    boxed: BoxedLab | None = None

    def lab(self, check_file: Path) -> CheckedLab:
        assert self.boxed is not None
        return self.boxed


class GradingSession:
    """The checks of some exercises, ready to be run on one boxed lab after another.

    Parameters
    ----------
    check_files : sequence of Path
    expected : RecordedAnswers
        Of the public checks, and of the hidden ones with the seed. Small inputs are those that are recorded beside the checks.
    seed : int
    limits : Limits
    refuse_hidden : str
        Why hidden checks are not run, if they are not.
    drawn : mapping from exercise to kind of picture, optional
        How the smallest input with a wrong answer is drawn: `lxmls_day1.figures.counter_examples.PICTURES`.
    """

    def __init__(
        self,
        check_files: Sequence[Path],
        expected: RecordedAnswers,
        seed: int,
        limits: Limits,
        refuse_hidden: str = "",
        drawn: Mapping[str, str] | None = None,
    ):
        self._drawn = drawn or {}
        self._run = _GradingRun(seed=seed, hidden=True, answers=expected)
        left_out = [part for name in NOT_NEEDED for part in ("-p", f"no:{name}")]
        self._checks = CheckSession(check_files, self._run, left_out)
        self._limits = limits
        self._refuse_hidden = refuse_hidden
        self._known: tuple[CheckGrade, ...] = ()

    def checks(self) -> tuple[CheckGrade, ...]:
        """All checks, none of them run.

        Raises
        ------
        InputError
            If the checks cannot be run.
        """
        self._collect()
        return self._known

    def run(
        self,
        files: Mapping[PurePosixPath, bytes],
        fork_server: ForkServer,
    ) -> Checked:
        """Run all checks on a lab: the public ones, then the hidden ones in a new box.

        A check that does not end in time, or whose box ends before it, is tried once more, alone in a fresh box, after the others of
        its kind: another process may have been the reason, or whoever killed the box.

        Parameters
        ----------
        files : mapping from path to bytes
            The lab.
        fork_server : ForkServer

        Raises
        ------
        InputError
            If the checks themselves cannot be run.
        """
        self._collect()
        return self._run_one(fork_server, files)

    def _collect(self) -> None:
        self._checks.collect()
        if self._checks.broken:
            file, text = self._checks.broken[0]
            raise InputError(f"the checks cannot be run: {file} cannot be read:\n{text}")
        self._known = self._known or tuple(map(_unrun, self._checks.items))

    def _run_one(
        self,
        fork_server: ForkServer,
        files: Mapping[PurePosixPath, bytes],
    ) -> Checked:
        # The second tries have limits of their own: those of the first may be used up by what did not end.
        lab, lab_of_second_tries = (BoxedLab(fork_server, files, self._limits) for _ in range(2))
        public, hidden = ([i for i, check in enumerate(self._known) if check.hidden is kind] for kind in (False, True))
        tries: dict[int, _Try] = {}
        with contextlib.closing(lab), contextlib.closing(lab_of_second_tries):
            for numbers in (public, hidden):
                self._run_checks(numbers, lab, tries)
                self._run_checks(_ended_as(numbers, tries, TIMEOUT, CRASHED), lab_of_second_tries, tries, alone=True)
                lab.close()
        printed = "".join(tries[i].printed for i in public)[:LONGEST_OUTPUT]
        return Checked(tuple(self._pictured(tries[i]) for i in range(len(self._known))), printed)

    def _pictured(self, one: _Try) -> CheckGrade:
        kind, example = self._drawn.get(one.grade.exercise), one.example
        if not kind or example is None or example.got.shape != example.wanted.shape:  # it may be any size
            return one.grade
        return replace(one.grade, picture=_picture(kind, json.dumps(to_plain(example))))

    def _run_checks(self, numbers: Sequence[int], lab: BoxedLab, tries: dict[int, _Try], alone: bool = False) -> None:
        """Try some checks, each in a fresh box if `alone`; how they went goes into `tries`."""
        before = [i for i in tries if i not in numbers]
        unending = Counter(self._known[i].exercise for i in _ended_as(before, tries, TIMEOUT))
        for i in numbers:
            if alone:
                lab.close()
            if unending[self._known[i].exercise] >= MOST_UNENDING:
                text = "" if self._known[i].hidden else NOT_TRIED
                tries[i] = _Try(replace(self._known[i], verdict=TIMEOUT, text=text), "")
            else:
                tries[i] = self._run_check(i, lab)
                unending[self._known[i].exercise] += tries[i].grade.verdict == TIMEOUT
        if alone:
            lab.close()

    def _run_check(self, i: int, lab: BoxedLab) -> _Try:
        check = self._known[i]
        if check.hidden and self._refuse_hidden:
            return _Try(replace(check, verdict=REFUSED, text=self._refuse_hidden), "")
        lab.begin(noting=not (check.hidden or check.check.endswith(f"::{SMALL_INPUTS}")))
        self._run.boxed = lab
        began = time.monotonic()
        error = self._checks.error_of(self._checks.items[i])
        seconds = round(time.monotonic() - began, 3)
        wanted = pytest_plugin.must_return(self._checks.items[i])
        verdict, text, mistakes = _verdict(check, error, lab.answers, wanted)
        grade = replace(
            check,
            verdict=verdict,
            text=text[:LONGEST_TEXT],
            calls=tuple(lab.calls),
            mistakes=tuple(mistakes),
            seconds=seconds,
            named_as=error.named_as if isinstance(error, WrongAnswer) else "",
            behaviour=behaviour_of(error) if isinstance(error, WrongAnswer) else "",
            has_substance=isinstance(error, WrongAnswer) and has_substance(error.wrong),
        )
        example = error.example if isinstance(error, WrongAnswer) and not check.hidden else None
        return _Try(grade, lab.take_printed(), example)


@functools.lru_cache(maxsize=256)  # many make the same mistake
def _picture(kind: str, example: str) -> str:
    """The picture of a counter-example in base64; empty where there is none."""
    from lxmls_day1.figures.counter_examples import picture  # only where an answer is wrong

    one = from_plain(CounterExample, json.loads(example))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers of a student's may overflow
        try:
            png = picture(kind, one.given, one.wanted.array, one.got.array)
        except Exception:  # none is known; a picture is not worth the marks
            png = None
    return base64.b64encode(png or b"").decode("ascii")


def _ended_as(numbers: Sequence[int], tries: Mapping[int, _Try], *verdicts: str) -> list[int]:
    return [i for i in numbers if tries[i].grade.verdict in verdicts]


def _verdict(
    check: CheckGrade, error: BaseException | None, answers: Answers, wanted: Wanted
) -> tuple[str, str, list[tuple[str, str]]]:
    """Verdict, text for the student, known mistakes: of a check that ended with this exception, or with none, after these answers."""
    if error is None:
        return OK, "", []
    if isinstance(error, BoxesUnavailable):
        raise error
    if isinstance(error, pytest.skip.Exception):
        raise InputError(f"{check.check} skips itself: {error}. A check that is graded must run.")
    verdict, text = _verdict_in_words(error, answers, wanted)
    return verdict, "" if check.hidden else text, list(error.mistakes) if isinstance(error, WrongAnswer) else []


def _verdict_in_words(error: BaseException, answers: Answers, wanted: Wanted) -> tuple[str, str]:
    if isinstance(error, BoxFailure):
        return error.verdict, str(error)
    if isinstance(error, RefusedAnswer):
        return REFUSED, str(error)
    boxed = getattr(error, "boxed", None)
    raised = _verdict_of_exception(boxed) if isinstance(boxed, RaisedInBox) else ("", "")
    if raised[0] in (MISSING, MEMORY):
        return raised
    if text := wrong_in_words(error, answers, wanted):
        return WRONG, text
    if raised[0]:
        return raised
    if isinstance(error, InputError):
        raise error  # no answer is recorded, say: a fault of the checks
    if isinstance(error, AssertionError):
        return WRONG, str(error).strip() or "a property that the answer must have does not hold"
    return WRONG, unusable(answers, wanted, error)


def _unrun(item: pytest.Item) -> CheckGrade:
    exercise = exercise_of_check(item.path.name) or ""
    key, title = pytest_plugin.check_key(item), pytest_plugin.check_title(item)
    return CheckGrade(key, exercise, title, pytest_plugin.is_hidden(item), MISSING)


def _verdict_of_exception(error: RaisedInBox) -> tuple[str, str]:
    if "NotInLab" in error.kinds:
        return MISSING, error.trace
    if "NotImplementedError" in error.kinds and STUB_MESSAGE.match(str(error)):
        return MISSING, TO_WRITE
    return MEMORY if "MemoryError" in error.kinds else ERROR, error.trace
