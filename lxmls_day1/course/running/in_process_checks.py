"""Run checks in this process if no other process can be started, as in a browser.

The checks run as they do in a separate process (`check_session`), on freshly imported modules. A time limit (`time_limit`) stops the
code of the lab. A call that would end Python is recorded instead. If a student's code changes a library, it changes the library of the
notebook, too.
"""

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from lxmls_day1.course.running.check_process import ERRORS, REPORT, CheckRequest
from lxmls_day1.course.running.check_session import INTERRUPTED, report_checks
from lxmls_day1.course.running.time_limit import TimeLimit
from lxmls_day1.lab import isolated_imports

#: pytest's default capture of file descriptors reads the size of a deleted file, which the file system of a browser does not support.
_OPTIONS = ("--capture=sys", "-pno:faulthandler")
_MAX_DEPTH = 250  # calls below a check; a browser's stack overflows, and ends Python, before Python's limit


class _ExitCalled(KeyboardInterrupt):
    """The code has called `os._exit`."""


def run_in_process(
    request: CheckRequest, folder: Path, work_folder: Path, time_limit: float
) -> tuple[list[dict[str, Any]], int, str, bool]:
    """Run checks of a lab in this process.

    Parameters
    ----------
    request : CheckRequest
    folder, work_folder : Path
        The lab, and the current folder during the checks, in which the output to standard error is saved.
    time_limit : float
        Seconds for each check.

    Returns
    -------
    events : list of dict
        The events that a `CheckProcess` would report.
    status : int
        The exit status that a process would have.
    last_place : str
        The line that ran when the limit was exceeded: ``classifiers/mira.py:40``; empty otherwise.
    timed_out : bool
        True if a check exceeded its time limit.
    """
    errors = io.StringIO()
    report = work_folder / REPORT
    report.write_bytes(b"")
    statuses: list[int] = []

    def end(status: int = 0) -> NoReturn:
        statuses.append(status)
        raise _ExitCalled

    with (
        contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()),
        contextlib.chdir(work_folder), isolated_imports(folder), pytest.MonkeyPatch.context() as patch,
        TimeLimit(folder) as limit, _limited_recursion(),
    ):  # fmt: skip
        patch.setattr(os, "_exit", end)  # It ends the checks instead of Python.
        status = 0
        try:
            report_checks(request, report, _OPTIONS, lambda: _with_limits(limit.limit_to(time_limit)))
        except (KeyboardInterrupt, pytest.exit.Exception):
            status = INTERRUPTED
    (work_folder / ERRORS).write_text(errors.getvalue(), encoding="utf-8")
    events = [json.loads(line) for line in report.read_bytes().splitlines()]
    return events, (statuses or [status])[0], limit.last_place, limit.exceeded


@contextlib.contextmanager
def _with_limits(limited: contextlib.AbstractContextManager[None]) -> Iterator[None]:
    """Run a check within its limit and with empty standard input, so that `input` fails as in a separate process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO())
        with limited:
            yield


@contextlib.contextmanager
def _limited_recursion() -> Iterator[None]:
    """Lower the recursion limit, so that Python raises RecursionError before the browser's stack overflows."""
    depth, frame = 0, sys._getframe().f_back
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(min(before, depth + _MAX_DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
