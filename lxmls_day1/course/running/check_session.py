"""Checks in this process: pytest collects them once, and they run on one lab after another.

``python -m lxmls_day1.course.running.check_session REQUEST REPORT`` does that in a separate process (`check_process`).
"""

import contextlib
import faulthandler
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.grouping import grouped
from lxmls_day1.base.plain_data import to_plain
from lxmls_day1.base.processes import die_with_parent
from lxmls_day1.course.diagnosis.expect import WrongAnswer
from lxmls_day1.course.registry import exercise_of_check
from lxmls_day1.course.running import pytest_plugin
from lxmls_day1.course.running.check_process import LAST_LINE, PYTEST_SETTINGS, CheckRequest, pytest_options
from lxmls_day1.course.running.pytest_plugin import FIXTURES, ChecksRun, check_key, check_title, is_hidden

INTERRUPTED = int(pytest.ExitCode.INTERRUPTED)


class CheckSession:
    """The checks in some files, ready to run. Each check is called as a function, without the protocol of pytest.

    Parameters
    ----------
    check_files : sequence of Path
    run : ChecksRun
        The run, which holds the lab under test and the expected answers.
    options : sequence of str
        Further options of pytest, in addition to those for all checks.

    Attributes
    ----------
    items : list of pytest.Function
        The checks; empty before `collect` is called.
    broken : list of (file, text)
        The check files that cannot be read.
    """

    def __init__(self, check_files: Sequence[Path], run: ChecksRun, options: Sequence[str] = ()):
        self._check_files = check_files
        self._run = run
        self._options = options
        self.items: list[pytest.Function] = []
        self.broken: list[tuple[str, str]] = []

    def collect(self, parent: str | None = None) -> None:
        """Have pytest collect the checks, unless they are collected already.

        Parameters
        ----------
        parent : str, optional
            A folder for temporary files, if it exists.
        """
        if not self._check_files or self.items:
            return
        self.broken = []
        with temporary_folder("lxmls-day1-checks-", parent if parent and os.path.isdir(parent) else None) as folder:
            settings = Path(folder, "pytest.ini")
            settings.write_text(PYTEST_SETTINGS, encoding="utf-8")
            options = [*pytest_options(settings, self._check_files[0].parent), *self._options]
            try:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # of other installed packages
                    ended = pytest.main([*options, *map(str, self._check_files)], plugins=[pytest_plugin, self])
            finally:  # After an edit pytest must read the check files again.
                _forget_modules(self._check_files)
        if ended == pytest.ExitCode.INTERRUPTED and not self.broken:  # Ctrl-C during the collection
            raise KeyboardInterrupt

    # Hooks that pytest calls ----------------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Store the run where our fixtures find it."""
        config.stash[pytest_plugin.RUN] = self._run

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a check file that cannot be read."""
        if report.failed:
            self.broken.append((report.nodeid, report.longreprtext))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Store the collected checks instead of running them."""
        for item in session.items:
            if not pytest_plugin.is_plain(item):
                self.broken.append((item.nodeid, f"{item.name} is no plain function of {', '.join(FIXTURES)}"))
        if not self.broken:
            self.items = [item for item in session.items if isinstance(item, pytest.Function)]
        return True


def report_checks(
    request: CheckRequest,
    report: Path,
    options: Sequence[str] = (),
    make_limit: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext,
) -> None:
    """Run the requested checks, and append a line of JSON for each event.

    Each line is written immediately, so that it survives a crash in a check.

    Parameters
    ----------
    request : CheckRequest
    report : Path
    options : sequence of str
        Options of pytest.
    make_limit : function
        Return the context in which a check runs.

    Raises
    ------
    KeyboardInterrupt
        If a check raises it.
    """

    def write(**event: Any) -> None:
        with report.open("ab") as file:
            file.write((json.dumps(event) + "\n").encode())

    files = list(dict.fromkeys(Path(file) for _, check_files in request.runs for file in check_files))
    run = ChecksRun(seed=request.seed, hidden=request.record, recordings={} if request.record else None)
    run.practised = request.practised
    session = CheckSession(files, run, options)

    def run_checks() -> None:
        of_file = grouped((item.path.resolve(), item) for item in session.items if check_key(item) not in request.skip)
        for lab_folder, check_files in request.runs:
            run.lab_folder = Path(lab_folder)
            items = [item for file in check_files for item in of_file.get(Path(file).resolve(), [])]
            write(event="collected", checks=[_describe_check(item) for item in items])
            for item in items:
                write(event="begin", check=check_key(item))
                with make_limit():
                    error = run.call_check(item)
                write(event="end", check=check_key(item), **_outcome_record(run, item, error))
            write(event="done")

    session.collect(parent=str(report.parent))
    if not session.broken:
        run_checks()
    for file, text in session.broken:
        lines = text.strip().splitlines()
        write(event="broken", file=file, text=lines[-1].removeprefix("E").strip() if lines else "", details=text)


def _describe_check(item: pytest.Item) -> dict[str, Any]:
    return {"check": check_key(item), "exercise": exercise_of_check(item.path.name), "title": check_title(item)}


def _outcome_record(run: ChecksRun, item: pytest.Item, error: BaseException | None) -> dict[str, Any]:
    """Return the outcome of a check as JSON-compatible data; in a run that records, with the check's answers."""
    outcome, text = pytest_plugin.verdict(run, item, error)
    if run.recordings is not None:
        recording = run.recordings.pop(check_key(item), None)
        answers = to_plain(recording.answers) if recording is not None else {}
        return {"outcome": outcome, "text": text, "hidden": is_hidden(item), "answers": answers}
    wrong = error if isinstance(error, WrongAnswer) else WrongAnswer("")
    lab, must_return = run.guarded_lab, pytest_plugin.required_results(item)
    called = [call[0] for call in lab.answers if call is not None] if lab is not None else []
    failed = [lab.last_called] if lab is not None and lab.answers[-1:] == [None] and outcome == "error" else []
    functions = [name for name in dict.fromkeys(called + failed) if name in must_return]
    return {
        "outcome": outcome,
        "text": text,
        "mistakes": list(wrong.mistakes),
        "diagnosis_kind": wrong.diagnosis_kind,
        "example": to_plain(wrong.example),
        "functions": functions,
        "wrong_functions": _wrong_functions(functions, failed, outcome, wrong),
        "printed": list(lab.printed) if lab is not None else [],
    }


def _wrong_functions(called: list[str], failed: list[str], outcome: str, wrong: WrongAnswer) -> list[str]:
    """Return the functions that gave a wrong answer: those that the inputs name, the one that failed, or the only one that was called."""
    if outcome not in ("wrong", "error"):
        return []
    named = {given["function"] for given, _ in wrong.wrong if "function" in given}
    return sorted(named) or [name for name in failed if name in called] or (called if len(called) == 1 else [])


def _forget_modules(files: Sequence[Path]) -> None:
    """Remove modules imported from these files; otherwise pytest would use them for other files of the same name."""
    names = set(map(str, files))
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in names:
            del sys.modules[name]


def main(request: str, report: str) -> None:
    """Run the checks of a request; exit with a message if a check file cannot be read."""
    die_with_parent()
    if hasattr(signal, "SIGUSR1"):  # see `CheckProcess.last_place`
        faulthandler.register(signal.SIGUSR1, Path(report).with_name(LAST_LINE).open("w"), all_threads=False)
    try:
        report_checks(CheckRequest(**json.loads(Path(request).read_text(encoding="utf-8"))), Path(report))
    except (KeyboardInterrupt, pytest.exit.Exception):
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main(*sys.argv[1:])
