"""Checks run in this process, where no other can be started: in a browser.

The same pytest runs the same checks as in a process of its own, on modules that are imported anew. The code of the lab is ended
when its time is over (`time_limit`); an end of Python is put down instead. What a student's code does to a library, here it does
to the notebook's.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from lxmls_day1.course.time_limit import TimeLimit
from lxmls_day1.lab import set_aside

#: pytest's own capture of file descriptors asks for the size of a file that is deleted already; a browser's file system does not know it.
_OPTIONS = ("--capture=sys", "-pno:faulthandler")
_DEEPEST = 250  # calls below a check: a browser's stack ends before Python's limit, and Python with it


class _Ended(KeyboardInterrupt):
    """The code has asked for the end of Python."""


class _Limited:
    """Gives each check its time."""

    def __init__(self, limit: TimeLimit, seconds: float):
        self._limit, self._seconds = limit, seconds

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self) -> Any:
        """Raise `OutOfTime` in a check that takes too long; it ends pytest."""
        with self._limit.of(self._seconds):
            return (yield)


def run_here(arguments: Sequence[str], folder: Path, place: Path, errors: Path, time_limit: float) -> tuple[int, bool]:
    """Run pytest on checks of a lab.

    Parameters
    ----------
    arguments : sequence of str
        Of pytest.
    folder, place : Path
        The lab, and the current folder while checks run.
    errors : Path
        Where what goes to standard error is kept.
    time_limit : float
        Seconds for each check.

    Returns
    -------
    status : int
        With which a process would have ended.
    timed_out : bool
        Whether a check was ended because its time was over.
    """
    said = io.StringIO()
    statuses: list[int] = []
    with (
        contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()),
        contextlib.chdir(place), set_aside(folder), _status_put_down(statuses), TimeLimit(folder) as limit,
        _checks_forgotten(arguments), _shallow(),
    ):  # fmt: skip
        status = int(pytest.main([*arguments, *_OPTIONS], plugins=[_Limited(limit, time_limit)]))
    errors.write_text(said.getvalue(), encoding="utf-8")
    return (statuses or [status])[0], limit.over


@contextlib.contextmanager
def _status_put_down(statuses: list[int]) -> Iterator[None]:
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
def _checks_forgotten(arguments: Sequence[str]) -> Iterator[None]:
    """Drop the modules of check files in the end: at the next check they may be others."""
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            if getattr(sys.modules[name], "__file__", None) in arguments:
                del sys.modules[name]


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
