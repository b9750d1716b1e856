"""The process of `lxmls_day1.course.snapshot`: it runs checks and collects what they are answered.

pytest collects the checks once. Then they are called for each lab, most of them directly: to run one in pytest takes longer
than the check itself.

It is a module of its own because it imports the pytest plugin, and the plugin needs dry runs for the hidden checks.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lxmls_day1.course import check_process, pytest_plugin
from lxmls_day1.course.importable import only_what_labs_need
from lxmls_day1.processes import end_with_parent


class DryRuns:
    """A plugin of pytest. It runs the checks on each lab in turn, in place of pytest's own loop.

    Parameters
    ----------
    request : dict
        As `dry_run` writes it.
    result : Path
        Where a line of JSON is appended for each run, as soon as it ends.
    """

    def __init__(self, request: dict[str, Any], result: Path):
        self._runs: list[tuple[str, list[str]]] = request["runs"]
        self._result = result
        self._run = pytest_plugin.ChecksRun(None, request["seed"], request["hidden"], recordings={})
        self.broken: list[str] = []
        self.failure: BaseException | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Let our fixtures find the run."""
        config.stash[pytest_plugin.RUN] = self._run

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file of checks that cannot be read."""
        if report.failed:
            self.broken.append(f"{report.nodeid} cannot be read:\n{report.longreprtext}")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the checks of each run on its lab."""
        checks: dict[Path, list[pytest.Item]] = {}
        for item in session.items:
            checks.setdefault(item.path.resolve(), []).append(item)
        try:
            for lab_folder, files in [] if self.broken else self._runs:
                found = self._answers(
                    Path(lab_folder), [item for file in files for item in checks.get(Path(file).resolve(), [])]
                )
                with self._result.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found) + "\n")
        except BaseException as error:  # pytest would hide it
            self.failure = error
        return True

    def _answers(self, lab_folder: Path, items: Sequence[pytest.Item]) -> dict[str, Any]:
        """Check -> outcome, text, answers and tolerances, as JSON can hold them."""
        self._run.lab_folder = lab_folder
        recordings = self._run.recordings = {}
        for item in items:
            if isinstance(item, pytest.Function) and pytest_plugin.needs_no_protocol(item):
                self._call(item)
            else:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        hidden = {pytest_plugin.check_key(item) for item in items if pytest_plugin.is_hidden(item)}
        return {
            check: {
                "outcome": outcome,
                "text": text,
                "hidden": check in hidden,
                "answers": {what: answer.to_json() for what, answer in recording.answers.items()},
                "tolerances": recording.tolerances,
            }
            for check, (outcome, text, recording) in recordings.items()
        }

    def _call(self, check: pytest.Function) -> None:
        def called() -> None:
            with only_what_labs_need():
                error = self._run.called(check)
            if error is not None:
                raise error

        self._run.item = check
        call = pytest.CallInfo.from_call(called, "call", reraise=(KeyboardInterrupt, pytest.exit.Exception))
        pytest_plugin.record(self._run, check, call)


def main(request: str, result: str) -> None:
    """Do what a request asks for; the process ends with a message if a check file cannot be imported."""
    end_with_parent()
    content = json.loads(Path(request).read_text(encoding="utf-8"))
    files = list(dict.fromkeys(file for _, check_files in content["runs"] for file in check_files))
    runs = DryRuns(content, Path(result))
    options = check_process.pytest_options(content["settings"], Path(files[0]).parent)
    pytest.main([*options, *files], plugins=[pytest_plugin, runs])
    if runs.broken:
        sys.exit("\n".join(runs.broken))
    if runs.failure is not None:
        raise runs.failure


if __name__ == "__main__":
    main(*sys.argv[1:])
