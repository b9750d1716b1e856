"""Snapshots: checks run on labs of our own, to see what the reference and the known mistakes answer.

Many runs share a process, because a short run spends most of its time on starting Python, and there are as many processes as the
machine has cores.
"""

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxmls_day1.course.check_process import CheckProcess, CheckRequest
from lxmls_day1.course.recorded_answers import Answer
from lxmls_day1.errors import InputError
from lxmls_day1.waiting import Wait, tried_again
from lxmls_day1.whole_files import temporary_folder

PATIENCE = 600.0  # seconds of work; at the first time the reference is compiled
FILES_FOR_A_PROCESS = 16  # check files: fewer are run sooner than another process has started


@dataclass(frozen=True)
class SnapshotRun:
    """One run of these check files on this lab."""

    label: str
    lab_folder: Path
    check_files: tuple[Path, ...]


@dataclass(frozen=True)
class CheckOutcome:
    """How one check ended: outcome and text as `pytest_plugin.verdict` gives them, and the answers that it got."""

    outcome: str
    text: str
    hidden: bool
    answers: dict[str, Answer]
    tolerances: dict[str, tuple[float, float]]


def take_snapshot(
    runs: Sequence[SnapshotRun], hidden: bool = False, seed: int = 1, patience: float = PATIENCE
) -> dict[str, dict[str, CheckOutcome]]:
    """Run checks on labs whose code we trust to end.

    Parameters
    ----------
    runs : sequence of SnapshotRun
        Their labels differ.
    hidden : bool
        Whether to run the hidden checks as well.
    seed : int
        Of the hidden ones.
    patience : float
        Seconds that one run may work, as `Wait` counts them.

    Returns
    -------
    dict
        Label -> check -> `CheckOutcome`.

    Raises
    ------
    InputError
        If one does not end, or the process that runs them fails.
    """
    return tried_again(lambda: _dry_run(runs, hidden, seed, patience))


def _dry_run(
    runs: Sequence[SnapshotRun], hidden: bool, seed: int, patience: float
) -> dict[str, dict[str, CheckOutcome]]:
    with temporary_folder("lxmls-day1-") as folder, ExitStack() as started:
        shares = []
        for number, some in enumerate(_shares(runs)):
            share = _Share(some, Path(folder, str(number)), hidden, seed, patience)
            started.callback(share.process.end)
            shares.append(share)
        while any([share.is_at_work() for share in shares]):  # a list, so that every process is looked at
            time.sleep(0.05)
    outcomes = {label: found for share in shares for label, found in share.outcomes.items()}
    return {run.label: outcomes[run.label] for run in runs}


def _shares(runs: Sequence[SnapshotRun]) -> list[list[SnapshotRun]]:
    """The runs of each process: about equally many check files."""
    total = sum(len(run.check_files) for run in runs)
    shares: list[list[SnapshotRun]] = [
        [] for _ in range(max(1, min(os.cpu_count() or 1, total // FILES_FOR_A_PROCESS)))
    ]
    sizes = [0] * len(shares)
    for run in sorted(runs, key=lambda run: -len(run.check_files)):
        smallest = sizes.index(min(sizes))
        shares[smallest].append(run)
        sizes[smallest] += len(run.check_files)
    return shares


class _Share:
    """Some of the runs, done by one process after the other. Whoever makes it ends the process."""

    def __init__(self, runs: Sequence[SnapshotRun], folder: Path, hidden: bool, seed: int, patience: float):
        requested = tuple((str(run.lab_folder), tuple(map(str, run.check_files))) for run in runs)
        self.process = CheckProcess(CheckRequest(requested, hidden, seed, record=True), folder)
        self.outcomes: dict[str, dict[str, CheckOutcome]] = {}
        self._labels = [run.label for run in runs]
        self._found: dict[str, CheckOutcome] = {}
        self._patience = patience
        self._wait = Wait(f"the checks on {self._labels[0]}", self.process.process.pid, patience)

    def is_at_work(self) -> bool:
        """Whether it has runs to do; an InputError if it fails, or works at one for too long."""
        alive, events = self.process.look()
        n_done = len(self.outcomes)
        for event in events:
            self._take(event)
        if len(self.outcomes) == len(self._labels):
            return False
        label = self._labels[len(self.outcomes)]
        if len(self.outcomes) != n_done:
            self._wait = self._wait.next(f"the checks on {label}", self._patience)
        if not alive:
            raise InputError(f"the checks did not end on {label}. {self.process.messages()[-2000:]}".strip())
        if self._wait.is_over():
            raise self._wait.too_long(f"the checks did not end on {label}")
        return True

    def _take(self, event: dict[str, Any]) -> None:
        if event["event"] == "broken":
            raise InputError(f"{event['file']} cannot be read:\n{event['details'][-2000:]}")
        if event["event"] == "end":
            self._found[event["check"]] = CheckOutcome(
                event["outcome"],
                event["text"],
                event["hidden"],
                {what: Answer.from_json(answer) for what, answer in event["answers"].items()},
                {what: tuple(pair) for what, pair in event["tolerances"].items()},
            )
        elif event["event"] == "done":
            self.outcomes[self._labels[len(self.outcomes)]], self._found = self._found, {}
