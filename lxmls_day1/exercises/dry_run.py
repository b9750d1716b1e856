"""Dry runs: checks run on labs of our own, to see what the reference and the known mistakes answer.

All runs of a request share one process, because a short run spends most of its time on starting Python. That process is
``python -m lxmls_day1.exercises.dry_run_process REQUEST RESULT``.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxmls_day1.errors import InputError
from lxmls_day1.exercises import check_process
from lxmls_day1.exercises.answers import Answer
from lxmls_day1.whole_files import temporary_folder

PATIENCE = 120.0


@dataclass(frozen=True)
class DryRun:
    """One run: these check files on this lab."""

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
    with temporary_folder("lxmls-day1-") as folder:
        request, result, errors = (Path(folder, name) for name in ("request.json", "result.jsonl", "errors.txt"))
        Path(folder, "pytest.ini").write_text(check_process.PYTEST_SETTINGS, encoding="utf-8")
        content = {
            "hidden": hidden,
            "seed": seed,
            "settings": str(Path(folder, "pytest.ini")),
            "runs": [[str(run.lab_folder), [str(file) for file in run.check_files]] for run in runs],
        }
        request.write_text(json.dumps(content), encoding="utf-8")
        result.touch()
        process = check_process.start(
            "lxmls_day1.exercises.dry_run_process", [str(request), str(result)], Path(folder), errors
        )
        try:
            done, last = 0, time.monotonic()
            while process.poll() is None:
                time.sleep(0.05)
                size = result.stat().st_size
                if size != done:
                    done, last = size, time.monotonic()
                elif time.monotonic() - last > patience:
                    break
        finally:
            check_process.end(process)
        lines = [json.loads(line) for line in result.read_text(encoding="utf-8").splitlines()]
        if len(lines) < len(runs):
            said = errors.read_text(encoding="utf-8", errors="replace").strip()
            raise InputError(f"the checks did not end on {runs[len(lines)].label}. {said[-2000:]}".strip())
    return {run.label: _read(line) for run, line in zip(runs, lines, strict=True)}


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
