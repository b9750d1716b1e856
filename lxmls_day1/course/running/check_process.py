"""A separate process that runs checks: its start, its environment, its reports, and its end with all processes that it started.

It protects against endless loops in a student's code, not against malice.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lxmls_day1.base.processes import kill_process_group
from lxmls_day1.library_path import python_command

CHECK_SESSION = "lxmls_day1.course.running.check_session"
REPORT, ERRORS, LAST_LINE = "report.jsonl", "errors.txt", "last-line.txt"
PYTEST_SETTINGS = "[pytest]\naddopts =\n"
#: Plugins of pytest that checks do not use. One of them collects garbage at the end, which takes a third of a short run.
_UNUSED_PLUGINS = (
    *("cacheprovider", "terminal", "unraisableexception", "threadexception", "logging", "doctest", "junitxml"),
    *("pastebin", "legacypath", "stepwise", "setuponly", "setupplan", "unittest", "debugging", "subtests", "tmpdir"),
    *("monkeypatch", "recwarn", "skipping", "warnings"),
)


def pytest_options(settings: Path | str, folder: Path) -> list[str]:
    """Return pytest's options for running a folder of checks with our settings file.

    pytest must not look at folders above, because it may have no permission to list them.
    """
    left_out = [f"-pno:{plugin}" for plugin in _UNUSED_PLUGINS]
    return [
        *left_out, "--import-mode=importlib", "--noconftest",
        "-c", str(settings), f"--rootdir={folder}", f"--confcutdir={folder}",
    ]  # fmt: skip


def check_environment() -> dict[str, str]:
    """Return the environment of this process, without variables that change how pytest runs or where libraries come from."""
    left_out = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT")
    variables = {name: value for name, value in os.environ.items() if name not in left_out}
    variables |= {
        "PYTHONSAFEPATH": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONIOENCODING": "utf-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "MPLBACKEND": "Agg",
    }
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "OMP_NUM_THREADS"):
        variables.setdefault(name, "1")
    return variables


@dataclass(frozen=True)
class CheckRequest:
    """The request to a process of checks.

    Attributes
    ----------
    runs : tuple of (lab folder, check files)
    record : bool
        If True, run the hidden checks, too, and record answers instead of comparing them.
    seed : int, optional
        The seed of the hidden checks.
    skip : tuple of str
        Checks that are skipped.
    practised : tuple of str
        Exercises that are practised, for which the practice inputs are used, too.
    """

    runs: tuple[tuple[str, tuple[str, ...]], ...]
    record: bool = False
    seed: int | None = None
    skip: tuple[str, ...] = ()
    practised: tuple[str, ...] = ()


class CheckProcess:
    """A process that runs checks, and the events that it reports as they happen.

    Parameters
    ----------
    request : CheckRequest
    folder : Path
        Its current folder, with its report and its output to standard error.
    compiles : bool
        If False, learners are not compiled: for a few points NumPy takes less time than the import of numba.
    """

    def __init__(self, request: CheckRequest, folder: Path, compiles: bool = True):
        (folder / "request.json").write_text(json.dumps(asdict(request)), encoding="utf-8")
        self._report, self._errors = folder / REPORT, folder / ERRORS
        self._report.write_bytes(b"")
        self._n_read = 0
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                python_command(
                    CHECK_SESSION, [str(folder / "request.json"), str(self._report)], options=("-X", "faulthandler")
                ),
                cwd=folder,
                env=check_environment() | ({} if compiles else {"NUMBA_DISABLE_JIT": "1"}),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=sys.platform != "win32",
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # on Windows
            )

    def poll(self) -> tuple[bool, list[dict[str, Any]]]:
        """Return True if the process is still running, and the events since the last call."""
        alive = self.process.poll() is None  # polled before reading, so that everything written before the end is read
        with self._report.open("rb") as file:
            file.seek(self._n_read)
            new = file.read()
        complete = new[: new.rfind(b"\n") + 1]
        self._n_read += len(complete)
        return alive, [json.loads(line) for line in complete.splitlines()]

    def last_place(self, lab_folder: Path) -> str:
        """Return which line of a lab runs now, as ``classifiers/mira.py, line 31``; empty if it is unknown, and on Windows."""
        place = Path(self._report.parent, LAST_LINE)
        if not hasattr(signal, "SIGUSR1") or not place.exists():  # it is not ready for the signal, which would end it
            return ""
        with contextlib.suppress(OSError):
            self.process.send_signal(signal.SIGUSR1)
            for _ in range(50):
                time.sleep(0.02)
                text = place.read_text(encoding="utf-8", errors="replace")
                if frames := re.findall(r'File "(.+)", line (\d+)', text):
                    own = ((Path(name), line) for name, line in frames if Path(name).is_relative_to(lab_folder))
                    return next((f"{name.relative_to(lab_folder).as_posix()}, line {line}" for name, line in own), "")
        return ""

    def error_output(self) -> str:
        """Return the output to standard error."""
        return self._errors.read_text(encoding="utf-8", errors="replace").strip()

    def kill(self) -> None:
        """Kill the process and all processes that it has started."""
        kill_process_group(self.process)
