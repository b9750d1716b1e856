"""Run checks on a lab folder in a separate process, whatever the code in that folder does.

The process appends every event to a file immediately (`check_session`), and this module polls that file. So a check that hangs, exits or
crashes is known by name. The process is ended, and the remaining checks run in a new one. If no process can be started, `in_process_checks`
does the same in this process.
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
from lxmls_day1.base.waiting import Deadline, has_process_times, retry_after_timeout
from lxmls_day1.course.diagnosis.mistake_matching import PROPERTY, is_probe_inputs_check
from lxmls_day1.course.diagnosis.probe_inputs import CounterExample
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.markers import STUB_MESSAGE, find_stub, stub_functions
from lxmls_day1.course.registry import RECORDED, Exercise, Registry, check_files, exercises_folder
from lxmls_day1.course.running import check_process
from lxmls_day1.course.workspace_state import SavedResult, WorkspaceState, changed_state, files_digest
from lxmls_day1.lab import Lab, delete_bytecode
from lxmls_day1.library_path import CAN_START_PROCESSES

#: Seconds of `ActivityClock`; all public checks of an exercise take about one second for a right solution. In a
#: browser, wall-clock seconds.
TIME_LIMIT = 8.0 if CAN_START_PROCESSES else 30.0
START_LIMIT = 120.0

OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one check.

    Attributes
    ----------
    outcome : str
        ``n_passed``; ``wrong``, an answer or a property; ``to do``, the stub is still there; ``error``, an exception;
        ``timeout``; ``ended``, the process went down; ``not run``; ``skipped``, for a reason that is not the student's.
    text : str
        The message for the student.
    mistakes : tuple of (name, sentence)
        The known mistakes that give such an answer.
    diagnosis_kind : str
        The kind of the diagnosis: a key of `lxmls_day1.course.diagnosis.mistake_matching.DIAGNOSIS_HEADINGS`.
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
    diagnosis_kind: str = ""
    example: CounterExample | None = None
    printed: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    wrong_functions: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True if the check has passed."""
        return self.outcome == "passed"


@dataclass(frozen=True)
class ExerciseReport:
    """The outcome of the public checks of one exercise.

    Attributes
    ----------
    exercise : Exercise
    results : tuple of CheckResult
    n_hidden : int
        How many more checks run at grading.
    digest : str
        The digest of the exercise's files before the checks began (`files_digest`).
    missing : tuple of str
        Files of the exercise that were not there.
    stub_file : str
        The file in which the ``raise`` of the stub still stands; below a right answer it is never reached.
    questions : dict from known mistake to question
        Only mistakes that have a question.
    to_write : tuple of str
        The functions that still hold the stub.
    """

    exercise: Exercise
    results: tuple[CheckResult, ...]
    n_hidden: int
    digest: str = ""
    missing: tuple[str, ...] = ()
    stub_file: str = ""
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
    def not_skipped(self) -> tuple[CheckResult, ...]:
        """The results of all checks that were not skipped."""
        return tuple(result for result in self.results if result.outcome != "skipped")

    @property
    def failed(self) -> list[CheckResult]:
        """The results of checks that have not passed, without the skipped ones."""
        return [result for result in self.not_skipped if not result.passed]

    @property
    def shown(self) -> CheckResult | None:
        """The failed check that a verdict shows: the check of the probe inputs, otherwise the first."""
        return self.probe_inputs_result if self.probe_inputs_result in self.failed else next(iter(self.failed), None)

    @property
    def n_passed(self) -> int:
        """The number of checks that have passed."""
        return sum(result.passed for result in self.results)

    @property
    def all_passed(self) -> bool:
        """True if there are checks, and all have passed."""
        return bool(self.not_skipped) and self.n_passed == len(self.not_skipped)

    @property
    def to_do(self) -> bool:
        """True if the stub is the only reason why checks fail."""
        return bool(self.failed) and all(result.outcome == "to do" for result in self.failed)

    @property
    def blocked_by(self) -> str:
        """The id of another exercise whose stub the checks have reached; empty if they have reached this exercise's own stub."""
        met = [STUB_MESSAGE.match(result.text) for result in self.not_skipped if result.outcome == "to do"]
        others = [match[1] for match in met if match and match[1] != self.exercise.id]
        return others[0] if others and len(others) == len(met) else ""

    @property
    def is_incomplete(self) -> bool:
        """True if a file of the exercise or its checks were not there; an exercise without code has no checks."""
        return bool(self.missing) or (self.exercise.has_code and not self.results)

    @property
    def missing_files_message(self) -> str:
        """The sentence about missing files: ``classifiers/mira.py is not there; `lxmls-day1 reset 1.5` puts it back``."""
        if not self.missing:
            return f"the checks of {self.exercise.id} are missing; `lxmls-day1 update` puts them back."
        verb, pronoun = ("is", "it") if len(self.missing) == 1 else ("are", "them")
        puts_back = f"`lxmls-day1 reset {self.exercise.id}` puts {pronoun} back"
        return f"{' and '.join(self.missing)} {verb} not there; {puts_back}."

    @property
    def probe_inputs_result(self) -> CheckResult | None:
        """The result of the check of the probe inputs."""
        return next((result for result in self.results if is_probe_inputs_check(result.check)), None)

    @property
    def diagnosis_kind(self) -> str:
        """The relation of the mistakes: a key of `lxmls_day1.course.diagnosis.mistake_matching.DIAGNOSIS_HEADINGS`."""
        return self.probe_inputs_result.diagnosis_kind if self.probe_inputs_result is not None else ""

    @property
    def mistakes(self) -> tuple[tuple[str, str], ...]:
        """The mistakes that the answers to the probe inputs indicate."""
        return self.probe_inputs_result.mistakes if self.probe_inputs_result is not None else ()

    @property
    def known_mistakes(self) -> tuple[str, ...]:
        """The names of the known mistakes that the answers indicate, without symptoms."""
        return () if self.diagnosis_kind == PROPERTY else tuple(name for name, _ in self.mistakes)

    @property
    def question(self) -> str:
        """The question that the student is to answer; empty unless exactly one mistake was named."""
        return self.questions.get(self.mistakes[0][0], "") if len(self.mistakes) == 1 else ""

    @property
    def summary(self) -> str:
        """``3 of 3 public checks pass; 4 more run at grading``."""
        if not self.results:
            return "no checks: write your answer in the notebook"
        total = len(self.not_skipped)
        verb = "passes" if total == 1 else "pass"
        text = f"{self.n_passed} of {total} public check{'s' * (total != 1)} {verb}"
        skipped = len(self.results) - total
        if skipped:
            text += f", {skipped} could not run here"
        return f"{text}; {self.n_hidden} more run{'s' * (self.n_hidden == 1)} at grading" if self.n_hidden else text


@dataclass(frozen=True)
class CheckReport:
    """The reports of several exercises. ``compared``: exercise, question, the student's answer and the answer of the course."""

    reports: tuple[ExerciseReport, ...]
    compared: tuple[tuple[str, str, str, str], ...] = ()

    @property
    def all_passed(self) -> bool:
        """True if all checks of all exercises have passed, and none are missing."""
        return all(report.all_passed for report in self.reports if report.results or report.is_incomplete)

    @property
    def ends_with_progress(self) -> bool:
        """True if the progress follows the verdicts: there are several, or the only one is right."""
        return len(self.reports) > 1 or self.all_passed


def run_checks(
    lab_folder: Path,
    ids: Collection[str] | None = None,
    time_limit: float = TIME_LIMIT,
    on_progress: OnProgress = lambda title: None,
) -> CheckReport:
    """Run the public checks of some exercises on a lab folder.

    Parameters
    ----------
    lab_folder : Path
    ids : collection of str, optional
        The exercises. Default: all assigned exercises.
    time_limit : float
        Limit of each check, in seconds of work.
    on_progress : function from str
        Called with the title of each check when the check begins.

    Returns
    -------
    CheckReport
        One report for each exercise; an exercise without checks has no results.

    Raises
    ------
    InputError
        If the folder is not a lab, an exercise does not exist, or the checks themselves cannot be run.
    """
    folder = Lab(lab_folder).folder
    registry = Registry.from_folder(folder)
    checks = exercises_folder(folder)
    exercises = registry.select(ids)
    checked = {exercise.id: check_files(checks, exercise) for exercise in exercises}
    recorded = RecordedAnswers.read(checks / RECORDED.name, [id for id, its in checked.items() if its])
    files = list(chain.from_iterable(checked.values()))
    # The digests are computed first, because an edit during the checks is not checked.
    digests = {exercise.id: files_digest(folder, exercise) for exercise in exercises}
    run = _CheckRun(folder, files, time_limit, on_progress)
    if files:
        run.run_all()
    results = [run.results[check] for check in run.checks]
    return CheckReport(
        tuple(
            ExerciseReport(
                exercise,
                tuple(result for result in results if result.exercise == exercise.id),
                recorded.hidden.get(exercise.id, 0),
                digests[exercise.id],
                tuple(name for name in exercise.files if not (folder / name).is_file()),
                find_stub(folder, exercise)[0],
                recorded.questions.get(exercise.id, {}),
                stub_functions(folder, exercise),
            )
            for exercise in exercises
        )
    )


def save_results(folder: Path, report: CheckReport) -> None:
    """Save the results in the workspace's state.

    Raises
    ------
    OSError
        If the state cannot be written.
    """
    with changed_state(folder) as state:
        for one in report.reports:
            if one.results:
                kept = SavedResult(one.n_passed, len(one.not_skipped), one.n_hidden, one.digest, one.known_mistakes)
                state.results[one.exercise.id] = kept
            if one.all_passed:
                state.mark_passed(one.exercise.id)


class _CheckRun:
    """A run of some check files on a lab, until each check has a result, even if a check ends the process.

    Attributes
    ----------
    checks : dict from check to dict
        The collected checks.
    results : dict from check to CheckResult
        The results so far.
    """

    def __init__(self, lab_folder: Path, files: Sequence[Path], time_limit: float, on_progress: OnProgress):
        self._lab_folder = lab_folder
        self._practised = tuple(WorkspaceState.from_folder(lab_folder).practised)
        self._files = files
        self._time_limit = time_limit
        self._on_progress = on_progress
        self._running: str | None = None
        self._last_place = ""
        self._timed_out_once: set[str] = set()  # checks that have exceeded the wall-clock limit once
        self.checks: dict[str, dict[str, str]] = {}
        self.results: dict[str, CheckResult] = {}

    def run_all(self) -> None:
        """Run all checks."""
        with temporary_folder("lxmls-day1-check-") as folder:
            while True:
                before = len(self.results) + len(self._timed_out_once)
                self._run_some(folder)
                self._skip_after_timeouts()
                if all(check in self.results for check in self.checks):
                    return
                if len(self.results) + len(self._timed_out_once) == before:
                    raise _cannot_be_run(folder)

    def _run_some(self, folder: Path) -> None:
        """Run the checks without a result, until all have one or a check ends the process."""
        delete_bytecode(self._lab_folder)
        runs = ((str(self._lab_folder), tuple(map(str, self._files))),)
        request = check_process.CheckRequest(runs, skip=tuple(self.results), practised=self._practised)
        if CAN_START_PROCESSES:
            collected, status, timed_out = retry_after_timeout(lambda: self._watch_process(request, folder))
        else:
            # Imported here because it imports pytest.
            from lxmls_day1.course.running.in_process_checks import run_in_process

            ended = run_in_process(request, self._lab_folder, folder, self._time_limit)
            events, status, self._last_place, timed_out = ended
            collected = any([self._process_event(event) for event in events])
        if not collected:
            raise _cannot_be_run(folder)
        running, self._running = self._running, None
        if running is None:
            return
        if timed_out and CAN_START_PROCESSES and not has_process_times() and running not in self._timed_out_once:
            self._timed_out_once.add(running)
        elif timed_out:
            place = f"the line that ran last is {self._last_place}; " if self._last_place else ""
            text = f"did not end within {self._time_limit:g} s; {place}is there a loop that never ends, or one of far too many rounds?"
            self._add_result(running, outcome="timeout", text=text)
        else:
            self._add_result(running, outcome="ended", text=_exit_message(status))

    def _watch_process(self, request: check_process.CheckRequest, folder: Path) -> tuple[bool, int, bool]:
        """Run checks in a separate process; return (checks were found, exit status, time limit was exceeded)."""
        running = check_process.CheckProcess(request, folder, compiles=False)
        wait = Deadline("the checks to begin", running.process.pid, START_LIMIT, sleep_only=True)
        collected = timed_out = False
        try:
            while True:
                alive, events = running.poll()
                for event in events:
                    collected = self._process_event(event) or collected
                    wait = wait.next_step("a check", self._time_limit, remedy="--time-limit raises the limit")
                timed_out = wait.expired()
                if not alive or timed_out:
                    self._last_place = running.last_place(self._lab_folder) if timed_out else ""
                    break
                time.sleep(0.02)
        except KeyboardInterrupt as error:
            error.args = (running.last_place(self._lab_folder),)
            raise
        finally:
            running.kill()
        if timed_out and not collected:
            raise wait.timeout_error("the checks did not begin")
        return collected, running.process.returncode, timed_out

    def _process_event(self, event: dict[str, Any]) -> bool:
        """Process one event; return True if it reports that the checks were found."""
        kind, check = event.pop("event"), event.pop("check", "")
        if kind == "broken":
            raise InputError(
                f"the checks cannot be run, because {Path(event['file']).name} cannot be read: {event['text']}. "
                "Put back the file that you were given."
            )
        if kind == "collected":
            self.checks |= {one["check"]: one for one in event["checks"]}
        elif kind == "begin":
            self._running = check
            self._on_progress(self.checks[check]["title"])
        elif kind == "end" and check not in self.results:
            self._add_result(check, **event)
            self._running = None
        return bool(kind == "collected")

    def _skip_after_timeouts(self) -> None:
        """Skip the other checks of an exercise after a timeout, because they would hardly end either."""
        unending = {result.exercise for result in self.results.values() if result.outcome == "timeout"}
        for check, description in self.checks.items():
            if check not in self.results and description["exercise"] in unending:
                text = f"not run, because a check before it did not end within {self._time_limit:g} s"
                self._add_result(check, outcome="not run", text=text)

    def _add_result(self, check: str, **result: Any) -> None:
        self.results[check] = from_plain(CheckResult, self.checks[check] | result)


def _cannot_be_run(folder: Path) -> InputError:
    """Return an error with the last output of the process to standard error."""
    text = (folder / check_process.ERRORS).read_text(encoding="utf-8", errors="replace").strip()
    return InputError(f"the checks cannot be run: {text[-1500:] or 'their process ended without a message'}")


def _exit_message(status: int) -> str:
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"the code crashed Python ({signal.Signals(-status).name})"
        return f"the code crashed Python (signal {-status})"
    return f"the code ended Python (exit status {status}); a classifier must return instead"
