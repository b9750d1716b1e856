"""Checks run on boxed submissions: one pytest session, in which all checks run once for each submission.

The checks, the expected answers and pytest are in this process. The student's code is in a box (`boxed_lab`), and it can
only affect a check by answering wrongly, late or not at all.

Students see only data from a box that has run nothing but public checks. It is closed before the first hidden check begins. For a
hidden check, students see only its verdict and the known mistakes that give the same answer, because other names, texts
and numbers from the code may contain the hidden inputs.
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
from lxmls_day1.box.box import BoxFailure, InvalidReply, RaisedInBox
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.sandbox import BoxesUnavailable, ForkServer
from lxmls_day1.course.diagnosis.answer_shapes import RequiredResults, describe_unusable_answer
from lxmls_day1.course.diagnosis.expect import WrongAnswer, describe_failure
from lxmls_day1.course.diagnosis.mistake_matching import is_probe_inputs_check
from lxmls_day1.course.diagnosis.probe_inputs import CounterExample, is_nontrivial
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.lab_under_test import Answers, LabUnderTest
from lxmls_day1.course.markers import STUB_MESSAGE
from lxmls_day1.course.registry import exercise_of_check
from lxmls_day1.course.running import pytest_plugin
from lxmls_day1.course.running.check_session import CheckSession
from lxmls_day1.grading.gradebook import TO_WRITE, CheckGrade
from lxmls_day1.grading.reports.groups import failure_signature_of
from lxmls_day1.grading.running.boxed_lab import BoxedLab
from lxmls_day1.grading.verdicts import CRASHED, ERROR, MEMORY, MISSING, OK, REFUSED, TIMEOUT, WRONG

MAX_TIMEOUTS_PER_EXERCISE = 2  # timeouts in an exercise after which its other checks are skipped
SKIPPED_AFTER_TIMEOUTS = f"not run, because {MAX_TIMEOUTS_PER_EXERCISE} checks of this exercise did not end in time"
MAX_OUTPUT_CHARS = 4000
MAX_VERDICT_CHARS = 8000  # characters of a verdict's text, because an error message may contain megabytes of an answer
#: A box catches the output and the crashes of its code itself. Each plugin of pytest slows down every check.
WITHOUT_PLUGINS = ("-pno:capture", "-pno:faulthandler")


@dataclass(frozen=True)
class _CheckAttempt:
    """The result of one run of a check, and the output during it."""

    grade: CheckGrade
    printed: str
    example: CounterExample | None = None  # None for a hidden check


class _GradingRun(pytest_plugin.ChecksRun):
    """A run of checks on a lab in a box."""

    boxed_lab = True
    boxed: BoxedLab

    def lab(self, item: pytest.Item) -> LabUnderTest:
        return self.boxed


class GradingSession:
    """The checks of some exercises, ready to be run on one boxed lab after another.

    Parameters
    ----------
    check_files : sequence of Path
    expected : RecordedAnswers
        The answers to the public checks, and to the hidden checks with the seed. Answers to probe inputs are not in it.
    seed : int
    limits : Limits
    hidden_refused_reason : str
        The reason why hidden checks are not run; empty if they are run.
    picture_kinds : mapping from exercise to kind of picture, optional
        The kind of picture for the smallest input with a wrong answer: `lxmls_day1.figures.counter_examples.PLOTS`.
    """

    def __init__(
        self,
        check_files: Sequence[Path],
        expected: RecordedAnswers,
        seed: int,
        limits: Limits,
        hidden_refused_reason: str = "",
        picture_kinds: Mapping[str, str] | None = None,
    ):
        self._drawn = picture_kinds or {}
        self._run = _GradingRun(seed=seed, hidden=True, expected=expected)
        self._checks = CheckSession(check_files, self._run, WITHOUT_PLUGINS)
        self._limits = limits
        self._refuse_hidden = hidden_refused_reason
        self._known: tuple[CheckGrade, ...] = ()

    def checks(self) -> tuple[CheckGrade, ...]:
        """Return all checks, not yet run.

        Raises
        ------
        InputError
            If the checks cannot be run.
        """
        self._collect()
        return self._known

    def run(self, files: Mapping[PurePosixPath, bytes], fork_server: ForkServer) -> tuple[list[CheckGrade], str]:
        """Run all checks on a lab: the public checks, then the hidden checks in a new box.

        A check that times out, or whose box dies, is retried once, alone in a new box, after the other checks of its kind.
        The cause may lie outside the submission: a busy machine, or another process that killed the box.

        Parameters
        ----------
        files : mapping from path to bytes
            The files of the lab.
        fork_server : ForkServer

        Returns
        -------
        checks : list of CheckGrade
        printed : str
            The beginning of the output in public checks.

        Raises
        ------
        InputError
            If the checks themselves cannot be run.
        """
        self._collect()
        # Second attempts have limits of their own, because the checks that timed out may have used up the first ones.
        lab, lab_of_second_tries = (BoxedLab(fork_server, files, self._limits) for _ in range(2))
        public, hidden = ([i for i, check in enumerate(self._known) if check.hidden is kind] for kind in (False, True))
        tries: dict[int, _CheckAttempt] = {}
        with contextlib.closing(lab), contextlib.closing(lab_of_second_tries):
            for numbers in (public, hidden):
                self._run_checks(numbers, lab, tries)
                self._run_checks(_ended_as(numbers, tries, TIMEOUT, CRASHED), lab_of_second_tries, tries, alone=True)
                lab.close()
        printed = "".join(tries[i].printed for i in public)[:MAX_OUTPUT_CHARS]
        return [self._with_picture(tries[i]) for i in range(len(self._known))], printed

    def _collect(self) -> None:
        self._checks.collect()
        if self._checks.broken:
            file, text = self._checks.broken[0]
            raise InputError(f"the checks cannot be run: {file} cannot be read:\n{text}")
        self._known = self._known or tuple(map(_check_before_run, self._checks.items))

    def _with_picture(self, attempt: _CheckAttempt) -> CheckGrade:
        kind, example = self._drawn.get(attempt.grade.exercise), attempt.example
        if not kind or example is None or example.got.shape != example.wanted.shape:  # the student may return any shape
            return attempt.grade
        return replace(attempt.grade, picture=_picture(kind, json.dumps(to_plain(example))))

    def _run_checks(
        self, numbers: Sequence[int], lab: BoxedLab, tries: dict[int, _CheckAttempt], alone: bool = False
    ) -> None:
        """Run some checks, each in a new box if `alone` is True, and store their results in `tries`.

        After `MAX_TIMEOUTS_PER_EXERCISE` timeouts in an exercise, its other checks are not run and count as timeouts.
        """
        before = [i for i in tries if i not in numbers]
        unending = Counter(self._known[i].exercise for i in _ended_as(before, tries, TIMEOUT))
        for i in numbers:
            if alone:
                lab.close()
            if unending[self._known[i].exercise] >= MAX_TIMEOUTS_PER_EXERCISE:
                text = "" if self._known[i].hidden else SKIPPED_AFTER_TIMEOUTS
                tries[i] = _CheckAttempt(replace(self._known[i], verdict=TIMEOUT, text=text), "")
            else:
                tries[i] = self._run_check(i, lab)
                unending[self._known[i].exercise] += tries[i].grade.verdict == TIMEOUT
        if alone:
            lab.close()

    def _run_check(self, i: int, lab: BoxedLab) -> _CheckAttempt:
        check = self._known[i]
        if check.hidden and self._refuse_hidden:
            return _CheckAttempt(replace(check, verdict=REFUSED, text=self._refuse_hidden), "")
        lab.begin(record_calls=not (check.hidden or is_probe_inputs_check(check.check)))
        self._run.boxed = lab
        began = time.monotonic()
        error = self._run.call_check(self._checks.items[i])
        seconds = round(time.monotonic() - began, 3)
        expected_type = pytest_plugin.required_results(self._checks.items[i])
        verdict, text, mistakes = _verdict(check, error, lab.answers, expected_type)
        grade = replace(
            check,
            verdict=verdict,
            text=text[:MAX_VERDICT_CHARS],
            calls=tuple(lab.calls),
            mistakes=tuple(mistakes),
            seconds=seconds,
            named_as=error.diagnosis_kind if isinstance(error, WrongAnswer) else "",
            behaviour=failure_signature_of(error) if isinstance(error, WrongAnswer) else "",
            has_substance=isinstance(error, WrongAnswer) and is_nontrivial(error.wrong),
            printed=() if check.hidden or error is None else lab.printed,
        )
        example = error.example if isinstance(error, WrongAnswer) and not check.hidden else None
        return _CheckAttempt(grade, lab.read_output(), example)


@functools.lru_cache(maxsize=256)  # many students make the same mistake
def _picture(kind: str, example: str) -> str:
    """Return the picture of a counter-example in base64; empty if it cannot be drawn."""
    from lxmls_day1.figures.counter_examples import render_png  # slow, and needed only for wrong answers

    one = from_plain(CounterExample, json.loads(example))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a student's numbers may overflow
        try:
            png = render_png(kind, one.given, one.wanted.array, one.got.array)
        except Exception:  # no failure is known, but a picture must never cost a student marks
            png = None
    return base64.b64encode(png or b"").decode("ascii")


def _ended_as(numbers: Sequence[int], tries: Mapping[int, _CheckAttempt], *verdicts: str) -> list[int]:
    return [i for i in numbers if tries[i].grade.verdict in verdicts]


def _verdict(
    check: CheckGrade, error: BaseException | None, answers: Answers, expected_type: RequiredResults
) -> tuple[str, str, list[tuple[str, str]]]:
    """Return the verdict, the text for the student and the known mistakes of a check that ended with this exception (None: it passed)."""
    if error is None:
        return OK, "", []
    if isinstance(error, BoxesUnavailable):
        raise error
    if isinstance(error, pytest.skip.Exception):
        raise InputError(f"{check.check} skips itself: {error}. A check that is graded must run.")
    verdict, text = _verdict_in_words(error, answers, expected_type)
    return verdict, "" if check.hidden else text, list(error.mistakes) if isinstance(error, WrongAnswer) else []


def _verdict_in_words(error: BaseException, answers: Answers, expected_type: RequiredResults) -> tuple[str, str]:
    if isinstance(error, BoxFailure):
        return error.verdict, str(error)
    if isinstance(error, InvalidReply):
        return REFUSED, str(error)
    boxed = getattr(error, "boxed", None)
    raised = _verdict_of_exception(boxed) if isinstance(boxed, RaisedInBox) else ("", "")
    if raised[0] in (MISSING, MEMORY):
        return raised
    if text := describe_failure(error, answers, expected_type):
        return WRONG, text
    if raised[0]:
        return raised
    if isinstance(error, InputError):
        raise error  # a fault of the checks, for example a missing recorded answer
    if isinstance(error, AssertionError):
        return WRONG, str(error).strip() or "a property that the answer must have does not hold"
    return WRONG, describe_unusable_answer(answers, expected_type, error)


def _check_before_run(item: pytest.Item) -> CheckGrade:
    exercise = exercise_of_check(item.path.name) or ""
    key, title = pytest_plugin.check_key(item), pytest_plugin.check_title(item)
    return CheckGrade(key, exercise, title, pytest_plugin.is_hidden(item), MISSING)


def _verdict_of_exception(error: RaisedInBox) -> tuple[str, str]:
    if "NotInLab" in error.kinds:
        return MISSING, error.trace
    if "NotImplementedError" in error.kinds and STUB_MESSAGE.match(str(error)):
        return MISSING, TO_WRITE
    return MEMORY if "MemoryError" in error.kinds else ERROR, error.trace
