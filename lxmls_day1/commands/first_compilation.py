"""A message about the compilation of the loops, which delays the first training on a machine by about twenty seconds.

The message is printed when the cache of machine code logs the first function that it lacks.
"""

import contextlib
import logging
import sys
from collections.abc import Iterator

import click

MESSAGE = "Compiling the loops for this machine: once, it takes up to a minute ..."
_LOGGER = logging.getLogger("lxmls_day1.engine.kernels")


class _Announcement(logging.Handler):
    """Prints the reason of the delay when the first function is compiled, and never again."""

    reported = False

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message for the first log record of the cache."""
        if not self.reported:
            self.reported = True
            click.echo(MESSAGE, err=True)


@contextlib.contextmanager
def report_compilation() -> Iterator[None]:
    """Print on a terminal that loops are compiled, when the compilation begins."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    handler, level = _Announcement(), _LOGGER.level
    _LOGGER.setLevel(logging.INFO)
    _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(level)
