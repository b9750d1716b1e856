"""Long computations beside a live page: a generator runs in a thread, what it yields is shown by the page's own thread.

Only the thread that the page lives in may touch widgets and figures. So the other one puts what it finds into a queue,
and the page fetches from there, a few times a second, in the turns of its own event loop (every notebook kernel has
one). A computation is stopped between two items: it keeps what it has yielded, and never yields again. Where there are no
threads, in a browser, each turn of the event loop computes a few items instead.
"""

import asyncio
import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lxmls_day1.engine.compiled.threads import threads_start

_PAUSE = 0.02  # seconds between two turns that compute: the page answers in them


class Background:
    """Run one generator at a time in a thread of its own.

    Parameters
    ----------
    on_items : function (list of items)
        Called with what has been yielded since it was last called; always in the thread that calls `start`, `deliver`
        or `wait`, or that runs the event loop.
    on_end : function (error or None)
        Called once at the end of each run that was not replaced by another, cancelled ones included.
    interval : float
        Seconds between two fetches.

    Examples
    --------
    >>> found = []
    >>> background = Background(found.extend, lambda error: found.append("the end"))
    >>> background.start(number**2 for number in range(4))
    >>> background.wait()
    >>> found
    [0, 1, 4, 9, 'the end']
    """

    def __init__(
        self,
        on_items: Callable[[list[Any]], None],
        on_end: Callable[[BaseException | None], None],
        interval: float = 0.15,
    ):
        self.on_items = on_items
        self.on_end = on_end
        self.interval = interval
        self._run: _Run | None = None

    @property
    def running(self) -> bool:
        """Whether a computation has been started and its end has not been told yet."""
        return self._run is not None

    def start(self, items: Iterable[Any]) -> None:
        """Begin; a computation that is still running is stopped, and what it has not delivered is forgotten."""
        if self._run is not None:
            self._run.cancelled.set()
        self._run = _Run(items)
        if self._run.thread is not None:
            self._run.thread.start()
        self._fetch_later(self._run)

    def cancel(self) -> None:
        """Stop after the item in work. What is done stays, and is delivered; nothing happens if nothing runs."""
        if self._run is not None:
            self._run.cancelled.set()

    def deliver(self) -> None:
        """Hand over what has been found by now."""
        if self._run is not None:
            self._deliver(self._run)

    def wait(self, timeout: float | None = None) -> None:
        """Wait for the end and hand over everything: for a program without an event loop.

        Parameters
        ----------
        timeout : float, optional
            Seconds after which it gives up.
        """
        if self._run is not None:
            if self._run.thread is not None:
                self._run.thread.join(timeout)
            else:
                self._run.work(math.inf if timeout is None else timeout)
            self.deliver()

    def _fetch_later(self, run: "_Run") -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # a plain program: it calls wait or deliver

        pause = _PAUSE if run.thread is None else self.interval

        def fetch() -> None:
            if run is self._run:
                if run.thread is None:
                    run.work(self.interval)
                self._deliver(run)
            if run is self._run:
                loop.call_later(pause, fetch)

        loop.call_later(pause, fetch)

    def _deliver(self, run: "_Run") -> None:
        ended = run.ended.is_set()  # looked at first: all that it put is then in the queue
        items = []
        while True:
            try:
                items.append(run.found.get_nowait())
            except queue.Empty:
                break
        if items:
            self.on_items(items)
        if ended and run is self._run:
            self._run = None
            self.on_end(run.error)


class _Run:
    """One computation and its thread, which dies with the program; no thread where none can be started."""

    def __init__(self, items: Iterable[Any]):
        self.items = items
        self._iterator: Iterator[Any] | None = None
        self.found: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.cancelled, self.ended = threading.Event(), threading.Event()
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self.work, daemon=True) if threads_start() else None

    def work(self, seconds: float = math.inf) -> None:
        """Compute items, to the end or for so many seconds; nothing after the end."""
        until = time.monotonic() + seconds
        try:
            self._iterator = iter(self.items) if self._iterator is None else self._iterator
            while not self.ended.is_set():
                item = next(self._iterator)
                if self.cancelled.is_set():
                    break
                self.found.put(item)
                if time.monotonic() > until:
                    return
        except StopIteration:
            pass
        except BaseException as error:  # whatever a student's classifier raises belongs on the page
            self.error = error
        self.ended.set()
