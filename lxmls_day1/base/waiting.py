"""Waiting for a process on a machine that may be busy: limits count what the process does, not the time that passes.

A process that gets no processor is not late. So counted is the processor time of a process and of all that it has started, and
the time in which all of them slept. Only Linux tells sleeping from waiting for a processor. Elsewhere there is the clock: there
a limit grows with what the machine has just needed for something else, and what has passed it is tried once more.

Who waits for long says so, to the logger of this module; `announced` hands that on.
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
FIRST_WORD = 15.0  # seconds until it is said what is waited for; then after twice as many, and so on
LOOK_SECONDS = 0.5
SLOWER = 10.0  # times what the machine has just needed: the least limit on the clock
_MOST_AT_ONCE = 1.0  # seconds of sleep between two looks: who looks late gets no processor, as may the other
_PROC = Path("/proc")
#: The share of time in a state of a thread that counts as sleep; in D it waits for a disk, or for memory that is there.
_AWAKE = {"R": 0.0, "D": 0.1}
_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class WaitedTooLong(InputError):
    """A process has passed a limit; the message is a sentence that names it and says how to raise it."""


def counts_work() -> bool:
    """Whether this system tells the work of a process from the time that passes."""
    return sys.platform == "linux" and (_PROC / "self" / "stat").exists()


class WorkClock:
    """How long a process and all that it has started have been at work or asleep, from the first `look` on.

    Parameters
    ----------
    pid : int
        A process of this machine.

    Attributes
    ----------
    seconds : float
        Processor time, plus the time in which all of them slept.
    idle : float
        How long they have slept by now.
    """

    def __init__(self, pid: int):
        self.seconds = self.idle = 0.0
        self._pid = pid
        self._looked: float | None = None
        self._used = 0.0
        self._seen: dict[str, int] = {}

    def look(self) -> float:
        """`seconds` until now. Look often: whether they sleep is only known for the moment."""
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
    """The processor time of a process and of all that it has started, and how far they sleep: 0 if one of them works.

    The system adds the time of a process that has ended to that of its parent only if the parent has waited for it. So `seen` keeps
    the time of each process as it was seen last.
    """
    ticks, asleep, pending = 0, 1.0, [str(pid)]
    while pending:
        process = _PROC / pending.pop()
        with contextlib.suppress(OSError, IndexError):  # it has ended
            fields = _fields(process)
            ticks += sum(map(int, fields[11:15]))
            seen[f"{process.name} {fields[19]}"] = sum(
                map(int, fields[11:13])
            )  # by number and start: numbers come again
            for thread in (process / "task").iterdir():
                asleep = min(asleep, _AWAKE.get(_fields(thread)[0], 1.0))
                pending += (thread / "children").read_text(encoding="ascii").split()
    return max(ticks, sum(seen.values())) / os.sysconf("SC_CLK_TCK"), asleep


def _fields(place: Path) -> list[str]:
    """What the kernel says of a process or a thread, behind its name."""
    return (place / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()


class Wait:
    """One wait for a process: it knows what is waited for and when that is over, and says so when it takes long.

    Parameters
    ----------
    what : str
        What is waited for, as in "the process that makes boxes".
    pid : int
    limit : float
        Seconds of `WorkClock`, times `patience`.
    asleep : bool
        Whether sleep alone counts: for what computes as long as it takes, such as compiling.
    before : float
        Seconds on the clock that the machine has just needed for something of this size, where there is only the clock.
    remedy : str
        How this limit is raised; by `VARIABLE` unless given.
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
        """Whether the limit is passed. Ask several times a second."""
        seconds, passed = self._clock.look(), time.monotonic() - self._began
        if passed >= self._next_word:
            _log.info("Waiting for %s (%.0f s so far) ...", self._what, passed)
            self._next_word = 2 * passed
        return (self._clock.idle if self._asleep else seconds) > self._most

    def next(self, what: str, limit: float, remedy: str = "") -> "Wait":
        """There is progress: the wait for what comes next, and what it does counts, not its sleep alone."""
        before = max(self._before, time.monotonic() - self._began)
        return Wait(what, self._pid, limit, before=before, remedy=remedy)

    def too_long(self, what: str) -> WaitedTooLong:
        """The error for one that is over: a clause on what has not happened, and the limit."""
        if counts_work():
            did = "slept" if self._asleep else "worked or slept"
            return WaitedTooLong(f"{what}: it has {did} for {self._most:g} s; {self._remedy}")
        return WaitedTooLong(f"{what} within {self._most:.0f} s, twice; {self._remedy}")


def patience() -> float:
    """By what our own limits are multiplied: `VARIABLE` of the environment, or 1.

    Raises
    ------
    InputError
        If it is no number above 0.
    """
    text = os.environ.get(VARIABLE, "1")
    with contextlib.suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise InputError(f"{VARIABLE} must be a number above 0, by which limits are multiplied; got {text!r}.")


def tried_again(attempt: Callable[[], _T]) -> _T:
    """What it returns; where there is only the clock, a limit that was passed is tried once more."""
    try:
        return attempt()
    except WaitedTooLong:
        if counts_work():
            raise
    return attempt()


@contextlib.contextmanager
def limited(wait: Wait, end: Callable[[], None]) -> Iterator[threading.Event]:
    """Call `end`, in a thread, if a wait is over while the block runs; the event says so."""
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
    """Return True if lines of progress can come and go: standard error is a terminal, and neither NO_COLOR nor TERM forbids it."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stderr is not None and sys.stderr.isatty()


@contextlib.contextmanager
def announced(say: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, hand on the sentences of whoever waits for long."""
    handler = logging.Handler()
    handler.emit = lambda record: say(record.getMessage())  # type: ignore[method-assign]
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.removeHandler(handler)
