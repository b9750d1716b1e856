"""Checks run on a lab folder in a process of its own, whatever the code in that folder does.

The process appends every event to a file at once (`check_session`), and this one watches that file. So a check that
hangs, exits or crashes is known by name; the process is ended and the checks that are left run in a new one. Where no process
can be started `check_here` does the same in this one.
"""

import contextlib
import signal
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.plain_data import from_plain
from lxmls_day1.base.waiting import Wait, counts_work, tried_again
from lxmls_day1.course.diagnosis.counterexamples import CounterExample
from lxmls_day1.course.diagnosis.naming import PROPERTY, mistakes_among, small_inputs_among
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.markers import STUB_MESSAGE, stub_functions, stub_left
from lxmls_day1.course.registry import RECORDED, Exercise, Registry, check_files, exercises_folder
from lxmls_day1.course.running import check_process
from lxmls_day1.course.workspace_state import KeptResult, WorkspaceState, files_digest, locked
from lxmls_day1.lab import Lab, forget_bytecode
from lxmls_day1.library_path import STARTS_PROCESSES

#: Of `WorkClock`: all public checks of an exercise together take a right solution about one second. A browser has only the clock.
TIME_LIMIT = 8.0 if STARTS_PROCESSES else 30.0
START_LIMIT = 120.0

Progressed = Callable[[str], None]


@dataclass(frozen=True)
class CheckResult:
    """How one check went.

    Attributes
    ----------
    outcome : str
        ``passed``; ``wrong``, an answer or a property; ``to do``, the stub is still there; ``error``, an exception;
        ``timeout``; ``ended``, the process went down; ``not run``; ``skipped``, for a reason that is not the student's.
    text : str
        What to say about it.
    mistakes : tuple of (name, sentence)
        The known mistakes that give such an answer.
    named_as : str
        What they are: one of the keys of `lxmls_day1.course.diagnosis.naming.HEADS`.
    example : CounterExample or None
        The smallest input with a wrong answer, of the check of small inputs.
    printed : tuple of str
        The first lines that the student's code printed for the input that is shown.
    functions, wrong_functions : tuple of str
        Functions of the exercise that the check called, and those of them that gave a wrong answer.
    """

    check: str
    exercise: str
    title: str
    outcome: str
    text: str = ""
    mistakes: tuple[tuple[str, str], ...] = ()
    named_as: str = ""
    example: CounterExample | None = None
    printed: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    wrong_functions: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it holds."""
        return self.outcome == "passed"


@dataclass(frozen=True)
class ExerciseReport:
    """How the public checks of one exercise went.

    Attributes
    ----------
    exercise : Exercise
    results : tuple of CheckResult
    hidden : int
        How many more checks run at grading.
    digest : str
        The digest of the exercise's files before the checks began (`files_digest`).
    missing : tuple of str
        Files of the exercise that were not there.
    stub_left : str
        The file in which the ``raise`` of the stub still stands; below a right answer it is never reached.
    questions : dict from known mistake to question
        Only mistakes that have a question.
    to_write : tuple of str
        The functions that still hold the stub.
    """

    exercise: Exercise
    results: tuple[CheckResult, ...]
    hidden: int
    digest: str = ""
    missing: tuple[str, ...] = ()
    stub_left: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    to_write: tuple[str, ...] = ()

    @property
    def functions(self) -> dict[str, str]:
        """For each function of the exercise ``right``, ``wrong`` or ``to write``; empty if there is only one."""
        called = dict.fromkeys(name for result in self.results for name in result.functions)
        wrong = {name for result in self.results for name in result.wrong_functions}
        found = {name: "wrong" if name in wrong else "right" for name in called}  # a stub returns nothing
        found = dict.fromkeys(self.to_write, "to write") | found
        return found if len(found) > 1 else {}

    @property
    def counted(self) -> tuple[CheckResult, ...]:
        """All but the skipped ones."""
        return tuple(result for result in self.results if result.outcome != "skipped")

    @property
    def failed(self) -> list[CheckResult]:
        """The counted checks that do not hold."""
        return [result for result in self.counted if not result.passed]

    @property
    def shown(self) -> CheckResult | None:
        """The failed check that a verdict shows: the one of small inputs, otherwise the first."""
        failed = self.failed
        return self.small_inputs if self.small_inputs in failed else next(iter(failed), None)

    @property
    def passed(self) -> int:
        """How many checks hold."""
        return sum(result.passed for result in self.results)

    @property
    def all_passed(self) -> bool:
        """Whether there are checks, and all hold."""
        return bool(self.counted) and self.passed == len(self.counted)

    @property
    def to_do(self) -> bool:
        """Whether only the stub makes checks fail."""
        return bool(self.failed) and all(result.outcome == "to do" for result in self.failed)

    @property
    def rests_on(self) -> str:
        """Another exercise of which the stub is what the checks meet; empty if it is this one's own."""
        met = [STUB_MESSAGE.match(result.text) for result in self.counted if result.outcome == "to do"]
        others = [match[1] for match in met if match and match[1] != self.exercise.id]
        return others[0] if others and len(others) == len(met) else ""

    @property
    def what_is_missing(self) -> str:
        """The sentence about missing files: ``classifiers/mira.py is not there; `lxmls-day1 reset 1.5` puts it back``."""
        verb, pronoun = ("is", "it") if len(self.missing) == 1 else ("are", "them")
        puts_back = f"`lxmls-day1 reset {self.exercise.id}` puts {pronoun} back"
        return f"{' and '.join(self.missing)} {verb} not there; {puts_back}."

    @property
    def small_inputs(self) -> CheckResult | None:
        """How the check of small inputs went."""
        return small_inputs_among(self.results)

    @property
    def named_as(self) -> str:
        """What the mistakes are: one of the keys of `lxmls_day1.course.diagnosis.naming.HEADS`."""
        return self.small_inputs.named_as if self.small_inputs is not None else ""

    @property
    def mistakes(self) -> tuple[tuple[str, str], ...]:
        """The mistakes that answers to small inputs speak for."""
        return mistakes_among(self.results)

    @property
    def question(self) -> str:
        """What the student is asked to explain; empty if no mistake was named, or it is only one of several possible ones."""
        return self.questions.get(self.mistakes[0][0], "") if len(self.mistakes) == 1 else ""

    @property
    def summary(self) -> str:
        """``3 of 3 public checks pass; 4 more run at grading``."""
        if not self.results:
            return "no checks: write your answer in the notebook"
        total = len(self.counted)
        verb = "passes" if total == 1 else "pass"
        text = f"{self.passed} of {total} public check{'s' * (total != 1)} {verb}"
        skipped = len(self.results) - total
        if skipped:
            text += f", {skipped} could not run here"
        return f"{text}; {self.hidden} more run{'s' * (self.hidden == 1)} at grading" if self.hidden else text


@dataclass(frozen=True)
class CheckReport:
    """The reports of several exercises; `compared`: exercise, question, the student's answer to it and the course's."""

    reports: tuple[ExerciseReport, ...]
    compared: tuple[tuple[str, str, str, str], ...] = ()

    @property
    def all_passed(self) -> bool:
        """Whether all checks of all exercises hold."""
        return all(report.all_passed for report in self.reports if report.results)


def run_checks(
    lab_folder: Path,
    ids: Collection[str] | None = None,
    time_limit: float = TIME_LIMIT,
    progressed: Progressed = lambda title: None,
) -> CheckReport:
    """Run the public checks of some exercises on a lab folder.

    Parameters
    ----------
    lab_folder : Path
    ids : collection of str, optional
        The exercises; all that are assigned unless given.
    time_limit : float
        Seconds of work that one check may take.
    progressed : function from str
        Called with the title of each check when it begins.

    Returns
    -------
    CheckReport
        One report for each exercise, without results for one that has no checks.

    Raises
    ------
    InputError
        If the folder is no lab, there is no such exercise, or the checks themselves cannot be run.
    """
    folder = Lab(lab_folder).folder
    registry = Registry.of(folder)
    checks = exercises_folder(folder)
    exercises = registry.select(ids)
    checked = {exercise.id: check_files(checks, exercise) for exercise in exercises}
    recorded = RecordedAnswers.read(checks / RECORDED.name, [id for id, its in checked.items() if its])
    files = list(chain.from_iterable(checked.values()))
    digests = {exercise.id: files_digest(folder, exercise) for exercise in exercises}  # a later edit is not checked
    run = _Run(folder, files, time_limit, progressed)
    if files:
        run.run_all()
    results = [run.results[check["check"]] for check in run.order]
    return CheckReport(
        tuple(
            ExerciseReport(
                exercise,
                tuple(result for result in results if result.exercise == exercise.id),
                recorded.hidden.get(exercise.id, 0),
                digests[exercise.id],
                tuple(name for name in exercise.files if not (folder / name).is_file()),
                stub_left(folder, exercise),
                recorded.questions.get(exercise.id, {}),
                stub_functions(folder, exercise),
            )
            for exercise in exercises
        )
    )


def remember(folder: Path, report: CheckReport) -> None:
    """Keep the results in the workspace's state.

    Raises
    ------
    OSError
        If the state cannot be written.
    """
    with locked(folder):
        state = WorkspaceState.of(folder)
        for one in report.reports:
            if one.results:
                names = () if one.named_as == PROPERTY else tuple(name for name, _ in one.mistakes)
                kept = KeptResult(one.passed, len(one.counted), one.hidden, one.digest, names)
                state.results[one.exercise.id] = kept
            if one.all_passed:
                state.passed(one.exercise.id)
        state.save()


class _Run:
    """The checks of some files on a lab: run until each has a result, whatever it does to the process that runs it.

    Attributes
    ----------
    order : list of dict
        The checks, as collected.
    results : dict from check to CheckResult
        What is known of them so far.
    """

    def __init__(self, lab_folder: Path, files: Sequence[Path], time_limit: float, progressed: Progressed):
        self._lab_folder = lab_folder
        self._practised = tuple(WorkspaceState.of(lab_folder).practised)
        self._files = files
        self._time_limit = time_limit
        self._progressed = progressed
        self._running: str | None = None
        self._tried: set[str] = set()  # ran out of time once, by the clock
        self.order: list[dict[str, str]] = []
        self.results: dict[str, CheckResult] = {}

    def run_all(self) -> None:
        """Run them all."""
        with temporary_folder("lxmls-day1-check-") as folder:
            while True:
                before = len(self.results) + len(self._tried)
                self._run_some(folder)
                self._leave_out_after_timeouts()
                if all(check["check"] in self.results for check in self.order):
                    return
                if len(self.results) + len(self._tried) == before:
                    raise _cannot_be_run(folder)

    def _run_some(self, folder: Path) -> None:
        """Run the checks that have no result yet, until all are done or one of them ends what runs them."""
        forget_bytecode(self._lab_folder)
        runs = ((str(self._lab_folder), tuple(map(str, self._files))),)
        request = check_process.CheckRequest(runs, skip=tuple(self.results), practised=self._practised)
        if STARTS_PROCESSES:
            collected, status, timed_out = tried_again(lambda: self._watch_process(request, folder))
            place = ""
        else:
            from lxmls_day1.course.running.check_here import run_here  # here: it imports pytest

            events, status, timed_out, place = run_here(request, self._lab_folder, folder, self._time_limit)
            collected = any([self._take(event) for event in events])
        if not collected:
            raise _cannot_be_run(folder)
        running, self._running = self._running, None
        if running is None:
            return
        if timed_out and STARTS_PROCESSES and not counts_work() and running not in self._tried:
            self._tried.add(running)
        elif timed_out:
            text = f"did not end within {self._time_limit:g} s; is there a loop that never ends, or one of far too many rounds?"
            self._end(running, outcome="timeout", text="\n".join([text, *([f"{place} ran last."] if place else [])]))
        else:
            self._end(running, outcome="ended", text=_how_it_ended(status))

    def _watch_process(self, request: check_process.CheckRequest, folder: Path) -> tuple[bool, int, bool]:
        """Run checks in a process of its own: whether it found them, its exit status, and whether it had to be ended."""
        running = check_process.CheckProcess(request, folder, compiles=False)
        wait = Wait("the checks to begin", running.process.pid, START_LIMIT, asleep=True)
        collected = timed_out = False
        try:
            while True:
                alive, events = running.look()
                for event in events:
                    collected = self._take(event) or collected
                    wait = wait.next("a check", self._time_limit, remedy="--time-limit raises the limit")
                timed_out = wait.is_over()
                if not alive or timed_out:
                    break
                time.sleep(0.02)
        finally:
            running.end()
        if timed_out and not collected:
            raise wait.too_long("the checks did not begin")
        return collected, running.process.returncode, timed_out

    def _take(self, event: dict[str, Any]) -> bool:
        """Note one event. Returns whether it says that the checks were found."""
        kind, check = event.pop("event"), event.pop("check", "")
        if kind == "broken":
            raise InputError(
                f"the checks cannot be run, because {Path(event['file']).name} cannot be read: {event['text']}. "
                "Put back the file that you were given."
            )
        if kind == "collected":
            known = {check["check"] for check in self.order}
            self.order += [check for check in event["checks"] if check["check"] not in known]
        elif kind == "begin":
            self._running = check
            self._progressed(self._described(check)["title"])
        elif kind == "end" and check not in self.results:
            event["mistakes"] = tuple((name, sentence) for name, sentence in event["mistakes"])
            event |= {key: tuple(event[key]) for key in ("printed", "functions", "wrong_functions")}
            event["example"] = from_plain(CounterExample, event["example"]) if event["example"] else None
            self._end(check, **event)
            self._running = None
        return bool(kind == "collected")

    def _leave_out_after_timeouts(self) -> None:
        """If one check of an exercise has not ended, the others would hardly end either: they are not run."""
        unending = {result.exercise for result in self.results.values() if result.outcome == "timeout"}
        for check in self.order:
            if check["check"] not in self.results and check["exercise"] in unending:
                text = f"not run, because a check before it did not end within {self._time_limit:g} s"
                self._end(check["check"], outcome="not run", text=text)

    def _described(self, check: str) -> dict[str, Any]:
        return next(each for each in self.order if each["check"] == check)

    def _end(self, check: str, **result: Any) -> None:
        self.results[check] = CheckResult(**self._described(check), **result)


def _cannot_be_run(folder: Path) -> InputError:
    """With the end of what the process said on standard error."""
    text = (folder / check_process.ERRORS).read_text(encoding="utf-8", errors="replace").strip()
    return InputError(f"the checks cannot be run: {text[-1500:] or 'their process ended without a message'}")


def _how_it_ended(status: int) -> str:
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"the code crashed Python ({signal.Signals(-status).name})"
        return f"the code crashed Python (signal {-status})"
    return f"the code ended Python (exit status {status}); a classifier must return instead"
