"""Waiting for a process on a machine that may be busy. Limits measure what the process does, not wall-clock time.

A process that gets no processor is not late. So a limit counts the CPU time of a process and all its descendants, and the time in
which all of them slept. Only Linux distinguishes sleeping from waiting for a processor. Other systems use wall-clock time: there a
limit grows with the time that the machine has just needed for another task, and a step that times out is tried a second time.

Long waits are reported to the logger of this module; `report_waits` passes these reports on.
"""

import contextlib
import logging
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from lxmls_day1.base.errors import InputError

TIMEOUT_FACTOR_VARIABLE = "LXMLS_DAY1_PATIENCE"
FIRST_REPORT_SECONDS = 15.0  # seconds until the first report of a wait; the interval doubles after each report
POLL_SECONDS = 0.5
MIN_CLOCK_FACTOR = 10.0  # factor on the time that the machine has just needed: the minimum wall-clock limit
# Maximum seconds of sleep to count between two polls. After a late poll, a full interval cannot count as sleep: if this
# process got no processor, the process that it watches may not have got one, either.
_MAX_SLEEP_SECONDS_PER_POLL = 1.0
_PROC = Path("/proc")
#: The share of a thread's time in a state that counts as sleep. In state D it waits for a disk or for memory.
_SLEEP_WEIGHT = {"R": 0.0, "D": 0.1}
_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class WaitTimeout(InputError):
    """A process exceeded a limit. The message is a sentence that names the limit and how to raise it."""


def has_process_times() -> bool:
    """Return True if this system can measure the work of a process separately from wall-clock time."""
    return sys.platform == "linux" and (_PROC / "self" / "stat").exists()


class ActivityClock:
    """The time that a process and all its descendants have worked or slept since the first call of `poll`.

    Parameters
    ----------
    pid : int
        A process on this machine.

    Attributes
    ----------
    seconds : float
        CPU time, plus the time in which all processes slept.
    idle : float
        The length of their current sleep.
    """

    def __init__(self, pid: int):
        self.seconds = self.idle = 0.0
        self._pid = pid
        self._last_poll: float | None = None
        self._cpu_seconds = 0.0
        self._known_cpu_ticks: dict[str, int] = {}

    def poll(self) -> float:
        """Update and return `seconds`. Call it often, because it only sees whether the processes sleep at the moment of the call."""
        now = time.monotonic()
        used, asleep = _cpu_time_and_sleep(self._pid, self._known_cpu_ticks) if has_process_times() else (0.0, 1.0)
        if self._last_poll is not None:
            more = max(0.0, used - self._cpu_seconds)
            slept = asleep * min(now - self._last_poll, _MAX_SLEEP_SECONDS_PER_POLL)
            self.seconds += max(more, slept)
            self.idle = 0.0 if more else self.idle + slept
        self._last_poll, self._cpu_seconds = now, max(used, self._cpu_seconds)
        return self.seconds


def _cpu_time_and_sleep(pid: int, known_ticks: dict[str, int]) -> tuple[float, float]:
    """Return the CPU time of a process and its descendants, and their sleep weight: 0 if a thread works, 1 if all sleep.

    The system adds the time of an exited process to its parent only after the parent has waited for it. So
    `known_ticks` keeps the last known
    time of each process.
    """
    ticks, asleep, pending = 0, 1.0, [str(pid)]
    while pending:
        process = _PROC / pending.pop()
        with contextlib.suppress(OSError, IndexError):  # The process has exited.
            fields = _stat_fields(process)
            ticks += sum(map(int, fields[11:15]))
            # The key has PID and start time, because PIDs are reused.
            known_ticks[f"{process.name} {fields[19]}"] = sum(map(int, fields[11:13]))
            for thread in (process / "task").iterdir():
                asleep = min(asleep, _SLEEP_WEIGHT.get(_stat_fields(thread)[0], 1.0))
                pending += (thread / "children").read_text(encoding="ascii").split()
    return max(ticks, sum(known_ticks.values())) / os.sysconf("SC_CLK_TCK"), asleep


def _stat_fields(place: Path) -> list[str]:
    """Return the fields of ``/proc/…/stat`` of a process or a thread that follow its name."""
    return (place / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()


class Deadline:
    """A wait for a process. It knows its purpose and its limit, and reports to the log if it takes long.

    Parameters
    ----------
    process_name : str
        What the process is, for messages, as in "the process that makes boxes".
    pid : int
    limit : float
        Seconds of `ActivityClock`, multiplied by `timeout_factor`.
    sleep_only : bool
        True counts sleep only, for tasks without a bound on their CPU time, such as compiling.
    reference_seconds : float
        Wall-clock seconds that the machine has just needed for a task of this size; used on systems other than Linux.
    remedy : str
        How to raise the limit, for the message. Default: by the environment variable `TIMEOUT_FACTOR_VARIABLE`.
    """

    def __init__(
        self,
        process_name: str,
        pid: int,
        limit: float,
        sleep_only: bool = False,
        reference_seconds: float = 0.0,
        remedy: str = "",
    ):
        self._process_name, self._pid = process_name, pid
        self._sleep_only, self._reference_seconds = sleep_only, reference_seconds
        self._max_seconds = limit if remedy else limit * timeout_factor()
        if not has_process_times():
            self._max_seconds = max(self._max_seconds, MIN_CLOCK_FACTOR * reference_seconds)
        self._remedy = remedy or f"{TIMEOUT_FACTOR_VARIABLE}=10 in the environment makes such limits ten times as long"
        self._clock = ActivityClock(pid)
        self._clock.poll()
        self._started, self._next_report = time.monotonic(), FIRST_REPORT_SECONDS

    def expired(self) -> bool:
        """Return True if the limit is exceeded. Call it several times a second. A long wait is logged here."""
        seconds, passed = self._clock.poll(), time.monotonic() - self._started
        if passed >= self._next_report:
            _log.info("Waiting for %s (%.0f s so far) ...", self._process_name, passed)
            self._next_report = 2 * passed
        return (self._clock.idle if self._sleep_only else seconds) > self._max_seconds

    def next_step(self, process_name: str, limit: float, remedy: str = "") -> "Deadline":
        """Return a new wait for the next step. It counts both work and sleep."""
        before = max(self._reference_seconds, time.monotonic() - self._started)
        return Deadline(process_name, self._pid, limit, reference_seconds=before, remedy=remedy)

    def timeout_error(self, clause: str) -> WaitTimeout:
        """Return the error for an exceeded limit. `clause` is a clause that says what has not happened."""
        if has_process_times():
            did = "slept" if self._sleep_only else "worked or slept"
            return WaitTimeout(f"{clause}: it has {did} for {self._max_seconds:g} s; {self._remedy}")
        return WaitTimeout(f"{clause} within {self._max_seconds:.0f} s, twice; {self._remedy}")


def timeout_factor() -> float:
    """Return the factor on our own limits: the environment variable `TIMEOUT_FACTOR_VARIABLE`, or 1.

    Raises
    ------
    InputError
        If the value is not a finite number above 0.
    """
    text = os.environ.get(TIMEOUT_FACTOR_VARIABLE, "1")
    with contextlib.suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise InputError(
        f"{TIMEOUT_FACTOR_VARIABLE} must be a number above 0, by which limits are multiplied; got {text!r}."
    )


def retry_after_timeout(attempt: Callable[[], _T]) -> _T:
    """Return the result of `attempt`. On systems other than Linux, retry once after a timeout."""
    try:
        return attempt()
    except WaitTimeout:
        if has_process_times():
            raise
    return attempt()


@contextlib.contextmanager
def call_on_timeout(wait: Deadline, on_timeout: Callable[[], None]) -> Iterator[threading.Event]:
    """Call `on_timeout` in a thread if a wait exceeds its limit while the block runs. The event is set if this happened."""
    over, done = threading.Event(), threading.Event()

    def look() -> None:
        while not done.wait(POLL_SECONDS):
            if wait.expired():
                over.set()
                on_timeout()
                return

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield over
    finally:
        done.set()
        thread.join()


def shows_progress() -> bool:
    """Return True if progress lines can be shown: standard error is a terminal, and neither NO_COLOR nor TERM forbids it."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stderr is not None and sys.stderr.isatty()


@contextlib.contextmanager
def report_waits(report: Callable[[str], None]) -> Iterator[None]:
    """Pass reports of long waits to `report` while the block runs."""
    handler = logging.Handler()
    handler.emit = lambda record: report(record.getMessage())  # type: ignore[method-assign]
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.removeHandler(handler)
