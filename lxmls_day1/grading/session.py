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
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from lxmls_day1.box.box import BoxFailure, RaisedInBox, RefusedAnswer
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.makers import BoxesUnavailable, BoxMaker
from lxmls_day1.course import check_process, pytest_plugin
from lxmls_day1.course.counterexamples import CounterExample
from lxmls_day1.course.expect import WrongAnswer
from lxmls_day1.course.markers import STUB_MESSAGE
from lxmls_day1.course.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import SMALL_INPUTS, exercise_of_check
from lxmls_day1.errors import InputError
from lxmls_day1.grading.boxed_lab import BoxedLab
from lxmls_day1.grading.gradebook import CRASHED, ERROR, MEMORY, MISSING, OK, REFUSED, TIMEOUT, WRONG, CheckGrade
from lxmls_day1.grading.groups import behaviour_of
from lxmls_day1.whole_files import temporary_folder

MOST_UNENDING = 2  # checks of an exercise that may run out of time before its others are not tried any more
NOT_TRIED = f"not tried, because {MOST_UNENDING} checks of this exercise did not end in time"
KEPT_OUTPUT = 4000
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
    shown : Any
        What `CheckSession.run_all` was told to find out for the student's page.
    """

    checks: tuple[CheckGrade, ...]
    printed: str
    shown: Any = None


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

    def lab(self, check_file: Path) -> Any:
        return self.boxed


class CheckSession:
    """The checks of some exercises, ready to be run on one lab after another.

    pytest collects them once. A check that is a plain function of our fixtures is then called as such; where others are
    among them, each `run_all` is a run of pytest.

    Parameters
    ----------
    check_files : sequence of Path
    expected : RecordedAnswers
        Of the public checks, and of the hidden ones with the seed.
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
        self._check_files = check_files
        self._run = _GradingRun(seed=seed, hidden=True, answers=expected)
        self._limits = limits
        self._refuse_hidden = refuse_hidden
        self._items: list[pytest.Item] = []
        self._plain: list[bool] = []
        self._known: list[CheckGrade] = []
        self._broken: list[str] = []
        self._ended: list[BaseException | None] = []

    def run_all(
        self,
        labs: Sequence[Mapping[PurePosixPath, bytes]],
        fork_server: BoxMaker,
        done: Callable[[int, Checked], None],
        show: Callable[[int, Sequence[CheckGrade], BoxedLab], Any] = lambda number, checks, lab: None,
        place: str | None = None,
    ) -> None:
        """Run all checks on each lab in turn: the public ones, then the hidden ones in a new box.

        A check that does not end in time, or whose box ends before it, is tried once more, alone in a fresh box, after the others of
        its kind: another process may have been the reason, or whoever killed the box.

        Parameters
        ----------
        labs : sequence of mapping from path to bytes
        fork_server : BoxMaker
        done : function from number of the lab and `Checked`
            Called after each one.
        show : function from number of the lab, grades of its public checks and `BoxedLab`
            Called before the first hidden check. It may use the lab, and returns what becomes `Checked.shown`.
        place : str, optional
            A folder for temporary files, if it is on this machine.

        Raises
        ------
        InputError
            If the checks themselves cannot be run.
        """

        def run_labs() -> None:
            for number, files in enumerate(labs):
                done(number, self._run_one(fork_server, files, functools.partial(show, number)))

        if self._check_files and not (self._items and all(self._plain)):
            self._in_pytest(run_labs, place)
        else:
            run_labs()

    def checks_unrun(self, verdict: str, text: str) -> tuple[CheckGrade, ...]:
        """All checks with one verdict, for a submission in which there is nothing to check; after `run_all`."""
        return tuple(replace(check, verdict=verdict, text=text) for check in self._known)

    def _in_pytest(self, run_labs: Callable[[], None], place: str | None) -> None:
        """Have pytest collect the checks, and run them on the labs in the middle of its session."""
        self._run_labs = run_labs
        self._failure: BaseException | None = None
        with temporary_folder("lxmls-day1-grading-", place if place and os.path.isdir(place) else None) as folder:
            settings = Path(folder, "pytest.ini")
            settings.write_text(check_process.PYTEST_SETTINGS, encoding="utf-8")
            options = check_process.pytest_options(settings, self._check_files[0].parent)
            options += [part for name in NOT_NEEDED for part in ("-p", f"no:{name}")]
            try:
                with _no_other_plugins():
                    ended = pytest.main([*options, *map(str, self._check_files)], plugins=[pytest_plugin, self])
            finally:  # whoever edits the checks and grades again has pytest read them again
                _forget_modules(self._check_files)
        if self._failure is not None:
            raise self._failure
        if self._broken:
            raise InputError(f"the checks cannot be run: {self._broken[0]}")
        if ended == pytest.ExitCode.INTERRUPTED:  # Ctrl-C while the checks were collected, which pytest keeps to itself
            raise KeyboardInterrupt

    # What pytest calls --------------------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Let our fixtures find the run."""
        config.stash[pytest_plugin.RUN] = self._run

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file of checks that cannot be read."""
        if report.failed:
            self._broken.append(f"{report.nodeid} cannot be read:\n{report.longreprtext}")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the checks on the labs, in place of the loop of pytest."""
        if not self._broken:
            self._items = session.items
            self._plain = [pytest_plugin.needs_no_protocol(item) for item in session.items]
            self._known = [_unrun(item) for item in session.items]
            try:
                self._run_labs()
            except BaseException as error:
                self._failure = error
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
        """Note how a check ended that pytest has run."""
        report = yield
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self._ended = [call.excinfo.value if call.excinfo else None]
        return report

    # One lab ------------------------------------------------------------------------------------------------------------

    def _run_one(
        self,
        fork_server: BoxMaker,
        files: Mapping[PurePosixPath, bytes],
        show: Callable[[Sequence[CheckGrade], BoxedLab], Any],
    ) -> Checked:
        # The second tries have limits of their own: those of the first may be used up by what did not end.
        lab, lab_of_second_tries = (BoxedLab(fork_server, files, self._limits) for _ in range(2))
        public, hidden = ([i for i, check in enumerate(self._known) if check.hidden is kind] for kind in (False, True))
        tries: dict[int, _Try] = {}
        shown = None
        with contextlib.closing(lab), contextlib.closing(lab_of_second_tries):
            for numbers in (public, hidden):
                self._run_checks(numbers, lab, tries)
                self._run_checks(_ended_as(numbers, tries, TIMEOUT, CRASHED), lab_of_second_tries, tries, alone=True)
                if numbers is public:
                    shown = show([tries[i].grade for i in public], lab)
                lab.close()
        printed = "".join(tries[i].printed for i in public)[:KEPT_OUTPUT]
        return Checked(tuple(self._pictured(tries[i]) for i in range(len(self._known))), printed, shown)

    def _pictured(self, one: _Try) -> CheckGrade:
        kind, example = self._drawn.get(one.grade.exercise), one.example
        if not kind or example is None or example.got.shape != example.wanted.shape:  # it may be any size
            return one.grade
        return replace(one.grade, picture=_picture(kind, json.dumps(example.to_plain())))

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
        item = self._items[i]
        error = (
            self._run.called(item) if self._plain[i] and isinstance(item, pytest.Function) else self._run_by_pytest(i)
        )
        seconds = round(time.monotonic() - began, 3)
        verdict, text, mistakes = _verdict(check, error)
        grade = replace(
            check,
            verdict=verdict,
            text=text[:LONGEST_TEXT],
            calls=tuple(lab.calls),
            mistakes=tuple(mistakes),
            seconds=seconds,
            named_as=error.named_as if isinstance(error, WrongAnswer) else "",
            behaviour=behaviour_of(error) if isinstance(error, WrongAnswer) else "",
        )
        example = error.example if isinstance(error, WrongAnswer) and not check.hidden else None
        return _Try(grade, lab.take_printed(), example)

    def _run_by_pytest(self, i: int) -> BaseException | None:
        """Run a check with all that pytest does for a test; the exception with which it ended.

        Nothing is set up for several checks: what a fixture holds may be in a box that is closed.
        """
        self._ended = []
        item = self._items[i]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        if not self._ended:
            raise InputError(f"{self._known[i].check} was not run; checks must be plain tests.")
        return self._ended[0]


@functools.lru_cache(maxsize=256)  # many make the same mistake
def _picture(kind: str, example: str) -> str:
    """The picture of a counter-example in base64; empty where there is none."""
    from lxmls_day1.figures.counter_examples import picture  # only where an answer is wrong

    one = CounterExample.from_plain(json.loads(example))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers of a student's may overflow
        try:
            png = picture(kind, one.given, one.wanted.array, one.got.array)
        except Exception:  # none is known; a picture is not worth the marks
            png = None
    return base64.b64encode(png or b"").decode("ascii")


def _ended_as(numbers: Sequence[int], tries: Mapping[int, _Try], *verdicts: str) -> list[int]:
    return [i for i in numbers if tries[i].grade.verdict in verdicts]


def _verdict(check: CheckGrade, error: BaseException | None) -> tuple[str, str, list[tuple[str, str]]]:
    """Verdict, text for the student, known mistakes: of a check that ended with this exception, or with none."""
    if error is None:
        return OK, "", []
    if isinstance(error, BoxesUnavailable):
        raise error
    if isinstance(error, pytest.skip.Exception):
        raise InputError(f"{check.check} leaves itself out: {error}. A check that is graded must run.")
    verdict, text = _verdict_in_words(error)
    return verdict, "" if check.hidden else text, list(error.mistakes) if isinstance(error, WrongAnswer) else []


def _verdict_in_words(error: BaseException) -> tuple[str, str]:
    if isinstance(error, BoxFailure):
        return error.verdict, str(error)
    if isinstance(error, RefusedAnswer):
        return REFUSED, str(error)
    if isinstance(error, WrongAnswer):
        return WRONG, str(error)
    boxed = getattr(error, "boxed", None)
    if isinstance(boxed, RaisedInBox):
        return _verdict_of_exception(boxed)
    if isinstance(error, InputError):
        raise error  # no answer is recorded, say: a fault of the checks
    if isinstance(error, AssertionError):
        return WRONG, str(error).strip() or "a property that the answer must have does not hold"
    return WRONG, f"the answer has not the form that the check expects ({type(error).__name__}: {error})"


def _unrun(item: pytest.Item) -> CheckGrade:
    exercise = exercise_of_check(item.path.name) or ""
    key, title = pytest_plugin.check_key(item), pytest_plugin.check_title(item)
    return CheckGrade(key, exercise, title, pytest_plugin.is_hidden(item), MISSING)


def _verdict_of_exception(error: RaisedInBox) -> tuple[str, str]:
    if "NotInLab" in error.kinds:
        return MISSING, error.trace
    if "NotImplementedError" in error.kinds and STUB_MESSAGE.match(str(error)):
        return MISSING, "still to be written"
    return MEMORY if "MemoryError" in error.kinds else ERROR, error.trace


def _forget_modules(files: Sequence[Path]) -> None:
    """Drop what was imported from these files: pytest would take it for other files of the same name, too."""
    names = set(map(str, files))
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in names:
            del sys.modules[name]


@contextlib.contextmanager
def _no_other_plugins() -> Iterator[None]:
    """Plugins that happen to be installed have no part in grading."""
    name = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before
