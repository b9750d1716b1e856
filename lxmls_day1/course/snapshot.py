"""Dry runs: checks run on labs of our own, to see what the reference and the known mistakes answer.

Many runs share a process, because a short run spends most of its time on starting Python, and there are as many processes as the
machine has cores. Such a process is ``python -m lxmls_day1.course.snapshot_process REQUEST RESULT``.
"""

import json
import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxmls_day1.course import check_process
from lxmls_day1.course.recorded_answers import Answer
from lxmls_day1.errors import InputError
from lxmls_day1.processes import end_group
from lxmls_day1.waiting import Wait, tried_again
from lxmls_day1.whole_files import temporary_folder

PATIENCE = 600.0  # seconds of work; at the first time the reference is compiled
FILES_FOR_A_PROCESS = 16  # check files: fewer are run sooner than another process has started


@dataclass(frozen=True)
class DryRun:
    """One run of these check files on this lab."""

    label: str
    lab_folder: Path
    check_files: tuple[Path, ...]


@dataclass(frozen=True)
class DryOutcome:
    """How one check ended: outcome and text as `pytest_plugin.verdict` gives them, and the answers that it got."""

    outcome: str
    text: str
    hidden: bool
    answers: dict[str, Answer]
    tolerances: dict[str, tuple[float, float]]


def dry_run(
    runs: Sequence[DryRun], hidden: bool = False, seed: int = 1, patience: float = PATIENCE
) -> dict[str, dict[str, DryOutcome]]:
    """Run checks on labs whose code we trust to end.

    Parameters
    ----------
    runs : sequence of DryRun
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
        Label -> check -> `DryOutcome`.

    Raises
    ------
    InputError
        If one does not end, or the process that runs them fails.
    """
    return tried_again(lambda: _dry_run(runs, hidden, seed, patience))


def _dry_run(runs: Sequence[DryRun], hidden: bool, seed: int, patience: float) -> dict[str, dict[str, DryOutcome]]:
    with temporary_folder("lxmls-day1-") as folder, ExitStack() as started:
        settings = Path(folder, "pytest.ini")
        settings.write_text(check_process.PYTEST_SETTINGS, encoding="utf-8")
        processes = []
        for number, share in enumerate(_shares(runs)):
            process = _Process(share, Path(folder, str(number)))
            process.start({"hidden": hidden, "seed": seed, "settings": str(settings)}, patience)
            started.callback(end_group, process.process)
            processes.append(process)
        while any([process.is_at_work() for process in processes]):  # a list, so that every process is asked
            time.sleep(0.05)
        lines = {label: line for process in processes for label, line in process.lines().items()}
    return {run.label: _read(lines[run.label]) for run in runs}


def _shares(runs: Sequence[DryRun]) -> list[list[DryRun]]:
    """The runs of each process: about equally many check files."""
    total = sum(len(run.check_files) for run in runs)
    shares: list[list[DryRun]] = [[] for _ in range(max(1, min(os.cpu_count() or 1, total // FILES_FOR_A_PROCESS)))]
    sizes = [0] * len(shares)
    for run in sorted(runs, key=lambda run: -len(run.check_files)):
        smallest = sizes.index(min(sizes))
        shares[smallest].append(run)
        sizes[smallest] += len(run.check_files)
    return shares


@dataclass
class _Process:
    """A process that does some of the runs, one after the other."""

    runs: list[DryRun]
    folder: Path
    done: int = 0  # runs

    def start(self, settings: dict[str, Any], patience: float) -> None:
        """Start it. The caller must end it."""
        self.folder.mkdir()
        self.patience = patience
        self.result, self.errors = self.folder / "result.jsonl", self.folder / "errors.txt"
        request = self.folder / "request.json"
        content = settings | {
            "runs": [[str(run.lab_folder), [str(file) for file in run.check_files]] for run in self.runs]
        }
        request.write_text(json.dumps(content), encoding="utf-8")
        self.result.touch()
        self.process: subprocess.Popen[bytes] = check_process.start(
            "lxmls_day1.course.snapshot_process", [str(request), str(self.result)], self.folder, self.errors
        )
        self.wait = Wait(f"the checks on {self.runs[0].label}", self.process.pid, patience)

    def is_at_work(self) -> bool:
        """Whether it has runs to do; an InputError if it fails, or works at one for too long."""
        ended = (
            self.process.poll() is not None
        )  # asked before reading, so that all that was written before the end is read
        before, self.done = self.done, len(self.lines())
        if self.done == len(self.runs):
            return False
        label = self.runs[self.done].label
        if self.done != before:
            self.wait = self.wait.next(f"the checks on {label}", self.patience)
        if ended:
            said = self.errors.read_text(encoding="utf-8", errors="replace").strip()
            raise InputError(f"the checks did not end on {label}. {said[-2000:]}".strip())
        if self.wait.is_over():
            raise self.wait.too_long(f"the checks did not end on {label}")
        return True

    def lines(self) -> dict[str, dict[str, Any]]:
        """Label -> what came of the run, for those that are done."""
        complete = self.result.read_text(encoding="utf-8").split("\n")[:-1]
        return {run.label: json.loads(line) for run, line in zip(self.runs, complete, strict=False)}


def _read(line: dict[str, Any]) -> dict[str, DryOutcome]:
    return {
        check: DryOutcome(
            entry["outcome"],
            entry["text"],
            entry["hidden"],
            {what: Answer.from_json(answer) for what, answer in entry["answers"].items()},
            {what: tuple(pair) for what, pair in entry["tolerances"].items()},
        )
        for check, entry in line.items()
    }
