"""Checks run in this process, where no other can be started: in a browser.

The same checks run as in a process of its own (`check_session`), on modules that are imported anew. The code of the lab is ended
when its time is over (`time_limit`); an end of Python is put down instead. What a student's code does to a library, here it does
to the notebook's.
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
from lxmls_day1.lab import set_aside

#: pytest's own capture of file descriptors asks for the size of a file that is deleted already; a browser's file system does not know it.
_OPTIONS = ("--capture=sys", "-pno:faulthandler")
_DEEPEST = 250  # calls below a check: a browser's stack ends before Python's limit, and Python with it


class _Ended(KeyboardInterrupt):
    """The code has asked for the end of Python."""


def run_here(
    request: CheckRequest, folder: Path, work_folder: Path, time_limit: float
) -> tuple[list[dict[str, Any]], int, bool, str]:
    """Run checks of a lab.

    Parameters
    ----------
    request : CheckRequest
    folder, work_folder : Path
        The lab, and the current folder while checks run; what goes to standard error is kept there.
    time_limit : float
        Seconds for each check.

    Returns
    -------
    events : list of dict
        What a `CheckProcess` would have reported.
    status : int
        With which a process would have ended.
    timed_out : bool
        Whether a check was ended because its time was over.
    place : str
        The line that ran last in that case: ``classifiers/mira.py:40``.
    """
    errors = io.StringIO()
    report = work_folder / REPORT
    report.write_bytes(b"")
    statuses: list[int] = []
    with (
        contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()),
        contextlib.chdir(work_folder), set_aside(folder), _exit_recorded(statuses), TimeLimit(folder) as limit, _shallow(),
    ):  # fmt: skip
        status = 0
        try:
            report_checks(request, report, _OPTIONS, lambda: _alone(limit.of(time_limit)))
        except (KeyboardInterrupt, pytest.exit.Exception):
            status = INTERRUPTED
    (work_folder / ERRORS).write_text(errors.getvalue(), encoding="utf-8")
    events = [json.loads(line) for line in report.read_bytes().splitlines()]
    return events, (statuses or [status])[0], limit.over, limit.place


@contextlib.contextmanager
def _alone(limited: contextlib.AbstractContextManager[None]) -> Iterator[None]:
    """Have a check run within its limit, and with nobody who types: `input` ends as in a process of its own."""
    before, sys.stdin = sys.stdin, io.StringIO()
    try:
        with limited:
            yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def _exit_recorded(statuses: list[int]) -> Iterator[None]:
    """Have `os._exit` end pytest instead of Python."""

    def end(status: int = 0) -> NoReturn:
        statuses.append(status)
        raise _Ended

    real, os._exit = os._exit, end
    try:
        yield
    finally:
        os._exit = real


@contextlib.contextmanager
def _shallow() -> Iterator[None]:
    """Let the code call itself so often only that Python, not the browser, says that it is too often."""
    depth, frame = 0, sys._getframe().f_back
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(min(before, depth + _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
