"""The first training on a machine compiles its loops, for twenty seconds or so: whoever waits at a terminal is told.

The cache of machine code logs what it does not have.
"""

import contextlib
import logging
import sys
from collections.abc import Iterator

import click

SENTENCE = "Compiling the loops for this machine: once, it takes up to a minute ..."
_COMPILED = logging.getLogger("lxmls_day1.engine.kernels")


class _Announcement(logging.Handler):
    """Says at the first function that is compiled, and never again, what the wait is for."""

    reported = False

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record of the cache: a function that it does not have."""
        if not self.reported:
            self.reported = True
            click.echo(SENTENCE, err=True)


@contextlib.contextmanager
def announced() -> Iterator[None]:
    """Say on a terminal that loops are compiled, when it begins."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    handler, level = _Announcement(), _COMPILED.level
    _COMPILED.setLevel(logging.INFO)
    _COMPILED.addHandler(handler)
    try:
        yield
    finally:
        _COMPILED.removeHandler(handler)
        _COMPILED.setLevel(level)
