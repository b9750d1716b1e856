"""The process of `lxmls_day1.exercises.dry_run`: it runs checks and collects what they are answered.

It is a module of its own because it imports the pytest plugin, and the plugin needs dry runs for the hidden checks.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lxmls_day1.exercises import check_process, pytest_plugin


def collect(lab_folder: str, check_files: Sequence[str], request: dict[str, Any]) -> dict[str, Any]:
    """Run check files on one lab: check -> outcome, text, answers and tolerances, as JSON can hold them.

    The process ends, with a message, if a check file cannot be imported.
    """
    run = pytest_plugin.ChecksRun(Path(lab_folder), request["seed"], request["hidden"], recordings={})
    hidden: set[str] = set()
    broken: list[str] = []

    class Preset:
        @pytest.hookimpl(tryfirst=True)
        def pytest_configure(self, config: pytest.Config) -> None:
            config.stash[pytest_plugin.RUN] = run

        def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
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
        for check, (outcome, text, recording) in (run.recordings or {}).items()
    }


def main(request: str, result: str) -> None:
    """Do what a request asks for: one line of JSON for each run, written as soon as the run ends."""
    check_process.end_with_parent()
    content = json.loads(Path(request).read_text(encoding="utf-8"))
    for lab_folder, check_files in content["runs"]:
        line = json.dumps(collect(lab_folder, check_files, content))
        with open(result, "a", encoding="utf-8") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
