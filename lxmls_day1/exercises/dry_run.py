"""Dry runs: checks run on labs of our own, to see what the reference and the known mistakes answer.

Many runs share a process, because a short run spends most of its time on starting Python, and there are as many processes as the
machine has cores. Such a process is ``python -m lxmls_day1.exercises.dry_run_process REQUEST RESULT``.
"""

import json
import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxmls_day1.errors import InputError
from lxmls_day1.exercises import check_process
from lxmls_day1.exercises.answers import Answer
from lxmls_day1.whole_files import temporary_folder

PATIENCE = 120.0
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
        Seconds that one run may take.

    Returns
    -------
    dict
        Label -> check -> `DryOutcome`.

    Raises
    ------
    InputError
        If one does not end, or the process that runs them fails.
    """
    with temporary_folder("lxmls-day1-") as folder, ExitStack() as started:
        settings = Path(folder, "pytest.ini")
        settings.write_text(check_process.PYTEST_SETTINGS, encoding="utf-8")
        processes = []
        for number, share in enumerate(_shares(runs)):
            process = _Process(share, Path(folder, str(number)))
            process.start({"hidden": hidden, "seed": seed, "settings": str(settings)})
            started.callback(check_process.end, process.process)
            processes.append(process)
        while any([process.is_at_work(patience) for process in processes]):  # a list, so that every process is asked
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
    done: int = 0  # bytes of results
    since: float = field(default_factory=time.monotonic)

    def start(self, settings: dict[str, Any]) -> None:
        """Start it. The caller must end it."""
        self.folder.mkdir()
        self.result, self.errors = self.folder / "result.jsonl", self.folder / "errors.txt"
        request = self.folder / "request.json"
        content = settings | {
            "runs": [[str(run.lab_folder), [str(file) for file in run.check_files]] for run in self.runs]
        }
        request.write_text(json.dumps(content), encoding="utf-8")
        self.result.touch()
        self.process: subprocess.Popen[bytes] = check_process.start(
            "lxmls_day1.exercises.dry_run_process", [str(request), str(self.result)], self.folder, self.errors
        )

    def is_at_work(self, patience: float) -> bool:
        """Whether it has runs to do; an InputError if it fails, or is at one for longer than that."""
        ended = (
            self.process.poll() is not None
        )  # asked before reading, so that all that was written before the end is read
        size = self.result.stat().st_size
        if size != self.done:
            self.done, self.since = size, time.monotonic()
        if len(self.lines()) == len(self.runs):
            return False
        if ended or time.monotonic() - self.since > patience:
            said = self.errors.read_text(encoding="utf-8", errors="replace").strip()
            raise InputError(f"the checks did not end on {self.runs[len(self.lines())].label}. {said[-2000:]}".strip())
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
