"""A line about the compilation of the loops, which delays the first training on a machine by some seconds.

The cache of machine code logs each function that it lacks; the line counts them.
"""

import contextlib
import logging
import shutil
import sys
from collections.abc import Iterator

import click

from lxmls_day1.base.waiting import shows_progress

COMPILED_BY = {"run": 35}  # The number of functions that a command compiles in a new checkout.
_LOGGER = logging.getLogger("lxmls_day1.engine.kernels")


class _Counter(logging.Handler):
    """Shows how many functions have been compiled, in one line of the terminal that disappears at the end.

    If ``in_place`` is False, because NO_COLOR or TERM forbids it, one line at the beginning stays.
    """

    def __init__(self, in_place: bool):
        super().__init__()
        self._in_place, self._done = in_place, 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count a function whose compilation begins; remove the line when the code of a call is complete."""
        text = ""
        if record.levelno >= logging.INFO:
            self._done += 1
            context = click.get_current_context(silent=True)
            total = COMPILED_BY.get(context.info_name or "", 0) if context else 0
            text = f"Compiling, once: {self._done}" + (f" of {total}" if total >= self._done else "")
        if not self._in_place:
            if text and self._done == 1:
                click.echo(f"{text} ...", err=True)
            return
        width = max(1, shutil.get_terminal_size().columns - 1)  # A line of full width would begin another one.
        with contextlib.suppress(OSError, ValueError):  # The terminal may be gone.
            print(f"\r{text[:width]:{min(width, 32)}}\r", end="", file=sys.stderr, flush=True)


@contextlib.contextmanager
def report_compilation() -> Iterator[None]:
    """Show on a terminal how many loops have been compiled, while they are compiled."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    handler, level = _Counter(shows_progress()), _LOGGER.level
    _LOGGER.setLevel(logging.DEBUG)
    _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(level)
