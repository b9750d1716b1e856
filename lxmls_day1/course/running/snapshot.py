"""Snapshots: run checks on trusted labs, and return their answers.

All runs share a process, because a short run spends most of its time on starting Python.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.plain_data import from_plain
from lxmls_day1.base.waiting import Deadline, retry_after_timeout
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.mistake_matching import is_probe_inputs_check
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import FILE, FOLDER, Registry, check_files
from lxmls_day1.course.running.check_process import CheckProcess, CheckRequest
from lxmls_day1.lab import reference_folder

REFERENCE = "the reference"
TIMEOUT_SECONDS = 600.0  # seconds of work; the first run compiles the reference


@dataclass(frozen=True)
class SnapshotRun:
    """A run of these check files on this lab."""

    label: str
    lab_folder: Path
    check_files: tuple[Path, ...]


@dataclass(frozen=True)
class CheckOutcome:
    """The result of one check: outcome and text as in `pytest_plugin.verdict`, and the answers that it received."""

    outcome: str
    text: str
    hidden: bool
    answers: dict[str, Answer]


CheckOutcomes = dict[str, CheckOutcome]


def run_snapshot(runs: Sequence[SnapshotRun], seed: int = 1) -> dict[str, CheckOutcomes]:
    """Run all checks, the hidden ones as well, on labs whose code is trusted to end.

    Parameters
    ----------
    runs : sequence of SnapshotRun
        Each run needs its own label.
    seed : int
        Of the hidden checks.

    Returns
    -------
    dict
        From label to a dict from check to `CheckOutcome`.

    Raises
    ------
    InputError
        If a run does not end, or the process fails.
    """
    return retry_after_timeout(lambda: _run_once(runs, seed))


def _run_once(runs: Sequence[SnapshotRun], seed: int) -> dict[str, CheckOutcomes]:
    requested = tuple((str(run.lab_folder), tuple(map(str, run.check_files))) for run in runs)
    outcomes: dict[str, CheckOutcomes] = {}
    found: CheckOutcomes = {}
    with temporary_folder("lxmls-day1-") as folder:
        process = CheckProcess(CheckRequest(requested, True, seed), folder)
        wait = Deadline(f"the checks on {runs[0].label}", process.process.pid, TIMEOUT_SECONDS)
        try:
            while len(outcomes) < len(runs):
                alive, events = process.poll()
                for event in events:
                    if event["event"] == "broken":
                        raise InputError(f"{event['file']} cannot be read:\n{event['details'][-2000:]}")
                    if event["event"] == "end":
                        fields = ("outcome", "text", "hidden", "answers")
                        found[event["check"]] = from_plain(CheckOutcome, {name: event[name] for name in fields})
                    elif event["event"] == "done":
                        outcomes[runs[len(outcomes)].label], found = found, {}
                        label = runs[min(len(outcomes), len(runs) - 1)].label
                        wait = wait.next_step(f"the checks on {label}", TIMEOUT_SECONDS)
                if len(outcomes) < len(runs) and (not alive or wait.expired()):
                    message = f"the checks did not end on {runs[len(outcomes)].label}"
                    if alive:
                        raise wait.timeout_error(message)
                    raise InputError(f"{message}. {process.error_output()[-2000:]}".strip())
                time.sleep(0.05)
        finally:
            process.kill()
    return outcomes


def reference_answers(ids: Collection[str], seed: int) -> RecordedAnswers:
    """Return the answers of the reference in all checks of some exercises, without the probe inputs, which are in pools.

    Parameters
    ----------
    ids : collection of str
        The exercises.
    seed : int
        Of the hidden checks.

    Returns
    -------
    RecordedAnswers

    Raises
    ------
    InputError
        If the reference fails one of its checks, or a check cannot be run.
    """
    return RecordedAnswers(snapshot_answers(reference_snapshot(reference_folder(), ids, seed), hidden=True))


def reference_snapshot(reference: Path, ids: Collection[str] | None, seed: int = 1) -> CheckOutcomes:
    """Run the checks of some exercises, or of all, on a lab with the solutions; return a dict from check to `CheckOutcome`.

    For the seed and errors see `reference_answers`.
    """
    folder = reference / FOLDER
    exercises = Registry.read(reference / FILE).select(ids)
    files = tuple(file for exercise in exercises for file in check_files(folder, exercise))
    if not files:
        return {}
    outcomes = run_snapshot([SnapshotRun(REFERENCE, reference, files)], seed)[REFERENCE]
    for check, found in outcomes.items():
        if found.outcome not in ("passed", "skipped"):
            raise InputError(f"the reference fails {check}: {found.text}")
    return outcomes


def snapshot_answers(outcomes: Mapping[str, CheckOutcome], hidden: bool = False) -> dict[str, dict[str, Answer]]:
    """Return the answers of a snapshot (those of hidden checks only on request), without the probe inputs, which are in pools."""
    return {
        check: found.answers
        for check, found in outcomes.items()
        if (hidden or not found.hidden) and not is_probe_inputs_check(check)
    }
