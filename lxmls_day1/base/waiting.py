"""Waiting for a process on a machine that may be busy. Limits measure what the process does, not wall-clock time.

A process that gets no processor is not late. So a limit counts the CPU time of a process and all its descendants, and the time in
which all of them slept. Only Linux distinguishes sleeping from waiting for a processor. Other systems use wall-clock time: there a
limit grows with the time that the machine has just needed for another task, and a step that times out is tried a second time.

Long waits are reported to the logger of this module; `announced` passes these reports on.
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

VARIABLE = "LXMLS_DAY1_PATIENCE"
FIRST_WORD = 15.0  # seconds until the first report of a wait; the interval doubles after each report
LOOK_SECONDS = 0.5
SLOWER = 10.0  # factor on the time that the machine has just needed: the minimum wall-clock limit
# Maximum seconds of sleep to count between two polls. After a late poll, a full interval cannot count as sleep: if this
# process got no processor, the process that it watches may not have got one, either.
_MOST_AT_ONCE = 1.0
_PROC = Path("/proc")
#: The share of a thread's time in a state that counts as sleep. In state D it waits for a disk or for memory.
_AWAKE = {"R": 0.0, "D": 0.1}
_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class WaitedTooLong(InputError):
    """A process exceeded a limit. The message is a sentence that names the limit and how to raise it."""


def counts_work() -> bool:
    """Return True if this system can measure the work of a process separately from wall-clock time."""
    return sys.platform == "linux" and (_PROC / "self" / "stat").exists()


class WorkClock:
    """The time that a process and all its descendants have worked or slept since the first call of `look`.

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
        self._looked: float | None = None
        self._used = 0.0
        self._seen: dict[str, int] = {}

    def look(self) -> float:
        """Update and return `seconds`. Call it often, because it only sees whether the processes sleep at the moment of the call."""
        now = time.monotonic()
        used, asleep = _used_and_asleep(self._pid, self._seen) if counts_work() else (0.0, 1.0)
        if self._looked is not None:
            more = max(0.0, used - self._used)
            slept = asleep * min(now - self._looked, _MOST_AT_ONCE)
            self.seconds += max(more, slept)
            self.idle = 0.0 if more else self.idle + slept
        self._looked, self._used = now, max(used, self._used)
        return self.seconds


def _used_and_asleep(pid: int, seen: dict[str, int]) -> tuple[float, float]:
    """Return the CPU time of a process and its descendants, and their sleep weight: 0 if a thread works, 1 if all sleep.

    The system adds the time of an exited process to its parent only after the parent has waited for it. So `seen` keeps the last known
    time of each process.
    """
    ticks, asleep, pending = 0, 1.0, [str(pid)]
    while pending:
        process = _PROC / pending.pop()
        with contextlib.suppress(OSError, IndexError):  # The process has exited.
            fields = _fields(process)
            ticks += sum(map(int, fields[11:15]))
            seen[f"{process.name} {fields[19]}"] = sum(
                map(int, fields[11:13])
            )  # The key has PID and start time, because PIDs are reused.
            for thread in (process / "task").iterdir():
                asleep = min(asleep, _AWAKE.get(_fields(thread)[0], 1.0))
                pending += (thread / "children").read_text(encoding="ascii").split()
    return max(ticks, sum(seen.values())) / os.sysconf("SC_CLK_TCK"), asleep


def _fields(place: Path) -> list[str]:
    """Return the fields of ``/proc/…/stat`` of a process or a thread that follow its name."""
    return (place / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()


class Wait:
    """A wait for a process. It knows its purpose and its limit, and reports to the log if it takes long.

    Parameters
    ----------
    what : str
        What the process is, for messages, as in "the process that makes boxes".
    pid : int
    limit : float
        Seconds of `WorkClock`, multiplied by `patience`.
    asleep : bool
        True counts sleep only, for tasks without a bound on their CPU time, such as compiling.
    before : float
        Wall-clock seconds that the machine has just needed for a task of this size; used on systems other than Linux.
    remedy : str
        How to raise the limit, for the message. Default: by the environment variable `VARIABLE`.
    """

    def __init__(self, what: str, pid: int, limit: float, asleep: bool = False, before: float = 0.0, remedy: str = ""):
        self._what, self._pid = what, pid
        self._asleep, self._before = asleep, before
        self._most = limit if remedy else limit * patience()
        if not counts_work():
            self._most = max(self._most, SLOWER * before)
        self._remedy = remedy or f"{VARIABLE}=10 in the environment makes such limits ten times as long"
        self._clock = WorkClock(pid)
        self._clock.look()
        self._began, self._next_word = time.monotonic(), FIRST_WORD

    def is_over(self) -> bool:
        """Return True if the limit is exceeded. Call it several times a second. A long wait is logged here."""
        seconds, passed = self._clock.look(), time.monotonic() - self._began
        if passed >= self._next_word:
            _log.info("Waiting for %s (%.0f s so far) ...", self._what, passed)
            self._next_word = 2 * passed
        return (self._clock.idle if self._asleep else seconds) > self._most

    def next(self, what: str, limit: float, remedy: str = "") -> "Wait":
        """Return a new wait for the next step. It counts both work and sleep."""
        before = max(self._before, time.monotonic() - self._began)
        return Wait(what, self._pid, limit, before=before, remedy=remedy)

    def too_long(self, what: str) -> WaitedTooLong:
        """Return the error for an exceeded limit. `what` is a clause that says what has not happened."""
        if counts_work():
            did = "slept" if self._asleep else "worked or slept"
            return WaitedTooLong(f"{what}: it has {did} for {self._most:g} s; {self._remedy}")
        return WaitedTooLong(f"{what} within {self._most:.0f} s, twice; {self._remedy}")


def patience() -> float:
    """Return the factor on our own limits: the environment variable `VARIABLE`, or 1.

    Raises
    ------
    InputError
        If the value is not a finite number above 0.
    """
    text = os.environ.get(VARIABLE, "1")
    with contextlib.suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise InputError(f"{VARIABLE} must be a number above 0, by which limits are multiplied; got {text!r}.")


def tried_again(attempt: Callable[[], _T]) -> _T:
    """Return the result of `attempt`. On systems other than Linux, retry once after a timeout."""
    try:
        return attempt()
    except WaitedTooLong:
        if counts_work():
            raise
    return attempt()


@contextlib.contextmanager
def limited(wait: Wait, end: Callable[[], None]) -> Iterator[threading.Event]:
    """Call `end` in a thread if a wait exceeds its limit while the block runs. The event is set if this happened."""
    over, done = threading.Event(), threading.Event()

    def look() -> None:
        while not done.wait(LOOK_SECONDS):
            if wait.is_over():
                over.set()
                end()
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
def announced(say: Callable[[str], None]) -> Iterator[None]:
    """Pass reports of long waits to `say` while the block runs."""
    handler = logging.Handler()
    handler.emit = lambda record: say(record.getMessage())  # type: ignore[method-assign]
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.removeHandler(handler)
