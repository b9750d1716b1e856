"""A limit on the time of a function that nobody can end from outside, because there is no other process.

Python looks for signals between its steps. A timer of the system sends one, or, in a browser, the buffer in which Pyodide looks
for them (`setInterruptBuffer`): it is ours, and it says from the deadline on that there is one. So this needs no memory that is
shared with the page, which a page has only where its server sends special headers. What it cannot end is one call into a
library that takes for ever.
"""

import math
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from lxmls_day1.base.waiting import SLOWER
from lxmls_day1.lab import PACKAGES

_AGAIN = 0.02  # seconds until the next signal of the system's timer, where the first was swallowed
_TICKS = 60  # more than the steps between two looks for a signal in a browser

_BUFFER = """(before) => ({
    deadline: Infinity,
    heard: true,
    look: Infinity,
    looking: false,
    get 0() {
        const now = Date.now()
        if (this.heard && now >= this.deadline) { this.heard = false; return 2 }
        if (now >= this.look) { this.look = now + 1000; this.looking = true; return 2 }
        return before ? before[0] : 0
    },
    set 0(value) { if (before) before[0] = value },
})"""


class OutOfTime(KeyboardInterrupt):
    """The time is over. It is no `Exception`, so that a student's ``except`` does not take it for one of theirs."""


class TimeLimit:
    """Ends the code of a lab after some seconds: within ``with TimeLimit(folder) as limit`` each ``with limit.of(8.0)`` is limited.

    Parameters
    ----------
    folder : Path
        The lab. A signal that its code has swallowed comes again, as long as that code is running.

    Attributes
    ----------
    over : bool
        Whether the time was over at any time.
    place : str
        The line of the lab that ran when the time was over for the first time; empty if there was none.
    """

    def __init__(self, folder: Path):
        self.over, self.place = False, ""
        self._folder = folder
        self._places = tuple(str(folder / package) for package in PACKAGES)
        self._timer = _timer()
        self._before: Any = None

    def __enter__(self) -> "TimeLimit":
        self._before = signal.signal(self._timer.signal, self._heard)
        self._timer.open()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.close()
        signal.signal(self._timer.signal, self._before)

    @contextmanager
    def of(self, seconds: float) -> Iterator[None]:
        """Raise `OutOfTime` in this block when so many seconds have passed."""
        self._timer.set(seconds)
        try:
            yield
        finally:
            self._timer.set(None)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        running = self._in_lab(frame)
        is_look = self._timer.looks()
        if not self._timer.is_over():  # Of a look and a deadline at the same moment the deadline counts.
            if not is_look:
                raise KeyboardInterrupt
            if running is not None:
                self._timer.say(self._place_of(running))
            return
        if self.over and running is None:  # the exception is on its way out
            self._timer.set(None)
            return
        if running is not None and not self.over:
            self.place = self._place_of(running)
        self.over = True
        for _ in range(random.randrange(_TICKS)):
            pass  # the next signal comes after another number of steps, so that no `try` of a loop is met each time
        self._timer.go_on()
        raise OutOfTime

    def _place_of(self, frame: FrameType) -> str:
        return f"{Path(frame.f_code.co_filename).relative_to(self._folder).as_posix()}:{frame.f_lineno}"

    def _in_lab(self, frame: FrameType | None) -> FrameType | None:
        while frame is not None and not frame.f_code.co_filename.startswith(self._places):
            frame = frame.f_back
        return frame


class _SystemTimer:
    """The timer of a system that has one, of the time of the processor; elsewhere nothing is ended."""

    signal = getattr(signal, "SIGPROF", signal.SIGINT)

    def open(self) -> None:
        """There is nothing to prepare."""

    close = go_on = open

    def set(self, seconds: float | None) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, seconds or 0.0, _AGAIN if seconds else 0.0)

    def is_over(self) -> bool:
        return hasattr(signal, "setitimer")  # nobody else sends that signal

    def looks(self) -> bool:
        return False

    def say(self, place: str) -> None:
        """Nobody listens."""


class _PageTimer:
    """A deadline in the buffer in which Pyodide looks for signals.

    There is only the clock: the time until the first check begins says how slow the machine is. Once a second the running line is said to
    the worker, if this has a function `sayLine`: a page that ends the worker shows it.
    """

    signal = signal.SIGINT

    def __init__(self) -> None:
        import pyodide_js  # of the browser's Python only
        from pyodide.code import run_js

        self._use: Callable[[Any], None] = pyodide_js.setInterruptBuffer
        self._before = getattr(pyodide_js._module, "Py_EmscriptenSignalBuffer", None)
        self._buffer = run_js(_BUFFER)(self._before)
        self.say: Callable[[str], None] = run_js("(place) => self.sayLine?.(place)")
        self._opened = 0.0
        self._start: float | None = None  # seconds until the first limit

    def open(self) -> None:
        self._use(self._buffer)
        self._opened, self._start = time.time(), None

    def close(self) -> None:
        self._use(self._before)

    def set(self, seconds: float | None) -> None:
        now = time.time()
        if self._start is None:
            self._start = now - self._opened
        most = math.inf if seconds is None else max(seconds, SLOWER * self._start)
        self._buffer.deadline = (now + most) * 1000
        self._buffer.look = math.inf if seconds is None else (now + 1) * 1000
        self._buffer.heard = True

    def is_over(self) -> bool:
        return not self._buffer.heard

    def looks(self) -> bool:
        is_look = bool(self._buffer.looking)
        self._buffer.looking = False
        return is_look

    def go_on(self) -> None:
        self._buffer.heard = True


def _timer() -> "_SystemTimer | _PageTimer":
    return _PageTimer() if sys.platform == "emscripten" else _SystemTimer()
