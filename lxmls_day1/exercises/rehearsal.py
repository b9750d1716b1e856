"""Rehearsals: checks run on labs of our own, to see what the reference and the known mistakes answer.

They run one after another in one process, because most of the time of a short run goes into starting Python. That process
is `python -m lxmls_day1.exercises.rehearsal REQUEST RESULT`; `rehearse` starts it.
"""

import json
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxmls_day1.errors import InputError
from lxmls_day1.exercises import check_process
from lxmls_day1.exercises.answers import Answer
from lxmls_day1.whole_files import temporary_folder

PATIENCE = 120.0


@dataclass(frozen=True)
class Rehearsal:
    """What is to be run: these check files on this lab."""

    label: str
    lab_folder: Path
    check_files: tuple[Path, ...]


@dataclass(frozen=True)
class Rehearsed:
    """How one check went: its outcome and text as `pytest_plugin.verdict` gives them, and what it was answered."""

    outcome: str
    text: str
    hidden: bool
    answers: dict[str, Answer]
    tolerances: dict[str, tuple[float, float]]


def rehearse(
    rehearsals: Sequence[Rehearsal], hidden: bool = False, seed: int = 1, patience: float = PATIENCE
) -> dict[str, dict[str, Rehearsed]]:
    """Run checks on labs whose code we trust to end.

    Parameters
    ----------
    rehearsals : sequence of Rehearsal
    hidden : bool
        Whether to run the hidden checks as well.
    seed : int
        Of the hidden ones.
    patience : float
        Seconds that one of the rehearsals may take.

    Returns
    -------
    dict
        label -> check -> `Rehearsed`

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
            "rehearsals": [[r.label, str(r.lab_folder), [str(file) for file in r.check_files]] for r in rehearsals],
        }
        request.write_text(json.dumps(content), encoding="utf-8")
        result.touch()
        process = check_process.start(
            "lxmls_day1.exercises.rehearsal", [str(request), str(result)], Path(folder), errors
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
        if len(lines) < len(rehearsals):
            said = errors.read_text(encoding="utf-8", errors="replace").strip()
            raise InputError(f"the checks did not end on {rehearsals[len(lines)].label}. {said[-2000:]}".strip())
    return {rehearsal.label: _read(line) for rehearsal, line in zip(rehearsals, lines, strict=True)}


def _read(line: dict[str, Any]) -> dict[str, Rehearsed]:
    return {
        check: Rehearsed(
            entry["outcome"],
            entry["text"],
            entry["hidden"],
            {what: Answer.from_json(answer) for what, answer in entry["answers"].items()},
            {what: tuple(pair) for what, pair in entry["tolerances"].items()},
        )
        for check, entry in line.items()
    }


def _run(rehearsal: Sequence[Any], request: dict[str, Any]) -> dict[str, Any]:
    import pytest

    from lxmls_day1.exercises import pytest_plugin

    _, lab_folder, check_files = rehearsal
    run = pytest_plugin.ChecksRun(Path(lab_folder), request["seed"], request["hidden"], rehearsed={})
    hidden: set[str] = set()
    broken: list[str] = []

    class Preset:
        @pytest.hookimpl(tryfirst=True)
        def pytest_configure(self, config: pytest.Config) -> None:
            config.stash[pytest_plugin.RUN] = run

        def pytest_collection_modifyitems(self, items: Collection[pytest.Item]) -> None:
            hidden.update(pytest_plugin.check_key(item) for item in items if pytest_plugin.is_hidden(item))

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.failed:
                broken.append(f"{report.nodeid} cannot be read:\n{report.longreprtext}")

    options = [*check_process.PYTEST_OPTIONS, "-c", request["settings"], f"--rootdir={Path(check_files[0]).parent}"]
    pytest.main([*options, *check_files], plugins=[pytest_plugin, Preset()])
    if broken:
        sys.exit("\n".join(broken))
    return {
        check: {
            "outcome": outcome,
            "text": text,
            "hidden": check in hidden,
            "answers": {what: answer.to_json() for what, answer in recording.answers.items()},
            "tolerances": recording.tolerances,
        }
        for check, (outcome, text, recording) in run.rehearsed.items()
    }


def main(request: str, result: str) -> None:
    """Run what a request asks for; a line of JSON for each rehearsal, as soon as it is over."""
    if sys.platform.startswith("linux"):
        from lxmls_day1.grading.confinement import die_with_parent

        die_with_parent()  # whoever waits for the answers may be killed
    content = json.loads(Path(request).read_text(encoding="utf-8"))
    for rehearsal in content["rehearsals"]:
        line = json.dumps(_run(rehearsal, content))
        with open(result, "a", encoding="utf-8") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
