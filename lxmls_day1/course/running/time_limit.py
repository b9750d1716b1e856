"""A time limit for code in this process, which no other process can end.

Python handles signals between two steps of the interpreter. A timer of the system sends one. In a browser Pyodide polls a buffer for
signals (`setInterruptBuffer`). This module supplies the buffer, which reports a signal from the deadline on. So it needs no memory
shared with the page, which is available only if the server sends special headers. A single call into a library that never returns
cannot be interrupted.
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

from lxmls_day1.base.waiting import MIN_CLOCK_FACTOR
from lxmls_day1.lab import PACKAGES

_REPEAT_SECONDS = 0.02  # seconds until the next signal of the system's timer, if the code has swallowed the first
_MAX_DELAY_STEPS = 60  # more than the interpreter's steps between two polls for a signal in a browser

_BUFFER = Path(__file__).with_name("interrupt_buffer.js")


class TimeLimitExceeded(KeyboardInterrupt):
    """The time limit was exceeded. It is not an `Exception`, so that an ``except`` in a student's code does not catch it."""


class TimeLimit:
    """Limits the time of a lab's code: in ``with TimeLimit(folder) as limit`` each block ``with limit.limit_to(8.0)`` may take 8 seconds.

    Parameters
    ----------
    folder : Path
        The lab. If its code swallows the signal, it is sent again as long as that code runs.

    Attributes
    ----------
    exceeded : bool
        True if the limit was exceeded at least once.
    last_place : str
        The line of the lab that ran when the limit was first exceeded; empty if there was none.
    """

    def __init__(self, folder: Path):
        self.exceeded, self.last_place = False, ""
        self._folder = folder
        self._places = tuple(str(folder / package) for package in PACKAGES)
        self._timer: _SystemTimer | _PageTimer = _PageTimer() if sys.platform == "emscripten" else _SystemTimer()
        self._before: Any = None

    def __enter__(self) -> "TimeLimit":
        self._before = signal.signal(self._timer.signal, self._on_signal)
        self._timer.open()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.close()
        signal.signal(self._timer.signal, self._before)

    @contextmanager
    def limit_to(self, seconds: float) -> Iterator[None]:
        """Raise `TimeLimitExceeded` in this block after the given number of seconds."""
        self._timer.set(seconds)
        try:
            yield
        finally:
            self._timer.set(None)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        place = self._place_in_lab(frame)
        looks = self._timer.looks()
        if not self._timer.has_expired():  # If a look and the deadline coincide, the deadline counts.
            if not looks:
                raise KeyboardInterrupt
            if place:
                self._timer.report(place)
            return
        if self.exceeded and not place:  # the exception is already propagating
            self._timer.set(None)
            return
        self.last_place = self.last_place or place
        self.exceeded = True
        for _ in range(random.randrange(_MAX_DELAY_STEPS)):
            pass  # A random delay, so that the repeated signals do not always hit the same `try` of a loop.
        self._timer.go_on()
        raise TimeLimitExceeded

    def _place_in_lab(self, frame: FrameType | None) -> str:
        """Return the innermost line of the lab that runs; empty if none does."""
        while frame is not None:
            if frame.f_code.co_filename.startswith(self._places):
                return f"{Path(frame.f_code.co_filename).relative_to(self._folder).as_posix()}:{frame.f_lineno}"
            frame = frame.f_back
        return ""


class _SystemTimer:
    """A timer of the system that measures CPU time. On a system without such a timer no code is interrupted."""

    signal = getattr(signal, "SIGPROF", signal.SIGINT)

    def open(self) -> None:
        """Do nothing, because this timer needs no preparation."""

    close = go_on = open

    def set(self, seconds: float | None) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, seconds or 0.0, _REPEAT_SECONDS if seconds else 0.0)

    def has_expired(self) -> bool:
        return hasattr(signal, "setitimer")  # Only the timer sends this signal.

    def looks(self) -> bool:
        return False

    def report(self, place: str) -> None:
        """Do nothing, because there is no page."""


class _PageTimer:
    """A deadline in the buffer that Pyodide polls for signals.

    Only wall-clock time is available. The time until the first check begins shows how slow the machine is. Once a second the line that runs
    is reported to the worker's function `reportLine`, if there is one, because a page that ends the worker cannot ask for it.
    """

    signal = signal.SIGINT

    def __init__(self) -> None:
        import pyodide_js  # exists only in the browser's Python
        from pyodide.code import run_js

        self._set_buffer: Callable[[Any], None] = pyodide_js.setInterruptBuffer
        self._before = getattr(pyodide_js._module, "Py_EmscriptenSignalBuffer", None)
        self._buffer = run_js(_BUFFER.read_text(encoding="utf-8"))(self._before)
        self.report: Callable[[str], None] = run_js("(place) => self.reportLine?.(place)")
        self._opened = 0.0
        self._start: float | None = None  # seconds until the first limit

    def open(self) -> None:
        self._set_buffer(self._buffer)
        self._opened, self._start = time.time(), None

    def close(self) -> None:
        self._set_buffer(self._before)

    def set(self, seconds: float | None) -> None:
        now = time.time()
        if self._start is None:
            self._start = now - self._opened
        most = math.inf if seconds is None else max(seconds, MIN_CLOCK_FACTOR * self._start)
        self._buffer.deadline = (now + most) * 1000
        self._buffer.look = math.inf if seconds is None else (now + 1) * 1000
        self._buffer.heard = True

    def has_expired(self) -> bool:
        return not self._buffer.heard

    def looks(self) -> bool:
        looking = bool(self._buffer.looking)
        self._buffer.looking = False
        return looking

    def go_on(self) -> None:
        self._buffer.heard = True
