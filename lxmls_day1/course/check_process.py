"""Processes that run checks: how they are started, what they may see, and how they end together with all that they started.

This keeps a student's endless loop from stopping us; it is no protection against malice.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lxmls_day1.library_path import PACKAGES, command_of

PYTEST_SETTINGS = "[pytest]\naddopts =\n"
#: Plugins of pytest that checks do not use. One of them collects garbage at the end: a third of a short run.
_LEFT_OUT = (
    *(
        "cacheprovider",
        "terminal",
        "unraisableexception",
        "threadexception",
        "logging",
        "doctest",
        "junitxml",
        "pastebin",
    ),
    *("legacypath", "stepwise", "setuponly", "setupplan"),
)


def pytest_options(settings: Path | str, folder: Path) -> list[str]:
    """With what pytest runs the checks of a folder by a file of our settings.

    It looks at nothing above that folder: one may be allowed to pass through a folder above and not to list it.
    """
    left_out = [f"-pno:{plugin}" for plugin in _LEFT_OUT]
    return [
        *left_out, "--import-mode=importlib", "--noconftest",
        "-c", str(settings), f"--rootdir={folder}", f"--confcutdir={folder}",
    ]  # fmt: skip


def environment() -> dict[str, str]:
    """The environment of this process, without variables that change how pytest runs or where libraries come from."""
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


def start(
    module: str, arguments: Sequence[str], folder: Path, errors: Path, compiles: bool = True
) -> subprocess.Popen[bytes]:
    """Run a module as ``python -m`` does, in a folder, as the head of a group of processes of its own.

    What it prints is thrown away; what goes to standard error is kept in the file `errors`. Without `compiles` learners train in
    plain NumPy: on a few points that takes less time than importing numba.
    """
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
    with errors.open("wb") as file:
        return subprocess.Popen(
            command_of(module, [*arguments], options=("-X", "faulthandler")),
            cwd=folder,
            env=environment() | ({} if compiles else {"NUMBA_DISABLE_JIT": "1"}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=sys.platform != "win32",
            creationflags=flags,
        )


def forget_bytecode(lab_folder: Path) -> None:
    """Delete what Python has kept of the files of a lab in compiled form.

    Python tells outdated bytecode by the second and the size of the source, and two versions of an exercise are sometimes
    saved within one second.
    """
    for package in PACKAGES:
        for path in (lab_folder / package).glob("**/__pycache__/*.pyc"):
            with contextlib.suppress(OSError):
                path.unlink()
