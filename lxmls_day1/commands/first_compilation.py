"""The first training on a machine compiles its loops, for twenty seconds or so: it is said, and `run` does half of it beside.

The cache of machine code logs what it does not have. Only a terminal is told, and only there another process helps: elsewhere
nobody waits, and the output is to be the same every time.
"""

import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from lxmls_day1.library_path import STARTS_PROCESSES, command_of

SENTENCE = "Compiling the loops for this machine: once, it takes up to a minute ..."
_COMPILED = logging.getLogger("lxmls_day1.engine.compiled")


class _AtTheFirst(logging.Handler):
    """Acts at the first function that is compiled, and never again."""

    def __init__(self) -> None:
        super().__init__()
        self._acted = False

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record of the cache: a function that it does not have."""
        if not self._acted:
            self._acted = True
            self.act()

    def act(self) -> None:
        """What is done."""
        raise NotImplementedError


class _Announcement(_AtTheFirst):
    def act(self) -> None:
        click.echo(SENTENCE, err=True)


class _Helper(_AtTheFirst):
    def __init__(self, lab: Path) -> None:
        super().__init__()
        self._lab = lab
        self.process: subprocess.Popen[bytes] | None = None

    def act(self) -> None:
        with contextlib.suppress(OSError):  # no more processes: without it, then
            self.process = subprocess.Popen(
                command_of(__name__, [str(self._lab)]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )


@contextlib.contextmanager
def _listening(handler: logging.Handler) -> Iterator[None]:
    level = _COMPILED.level
    _COMPILED.setLevel(logging.INFO)
    _COMPILED.addHandler(handler)
    try:
        yield
    finally:
        _COMPILED.removeHandler(handler)
        _COMPILED.setLevel(level)


def _someone_waits() -> bool:
    return sys.stderr.isatty()


@contextlib.contextmanager
def announced() -> Iterator[None]:
    """Say on a terminal that loops are compiled, when it begins."""
    if not _someone_waits():
        yield
        return
    with _listening(_Announcement()):
        yield


@contextlib.contextmanager
def halved(lab: Path) -> Iterator[None]:
    """While one process learns points, have another compile what the classifiers of a lab need for text, if it is not there yet.

    Parameters
    ----------
    lab : Path
        The folder with the classifiers.
    """
    if not _someone_waits() or not STARTS_PROCESSES or (os.cpu_count() or 1) < 2:
        yield
        return
    helper = _Helper(lab)
    try:
        with _listening(helper):
            yield
    finally:
        if helper.process is not None:
            helper.process.kill()
            helper.process.wait()


def compile_for_text(folder: str) -> None:
    """Train every classifier of a lab on the toy corpus, so that its machine code is in the cache."""
    from lxmls_day1.lab import Lab  # here: the command line imports this module, and is to answer at once

    lab = Lab(folder)
    reviews = lab.reader("sentiment_reader", "SentimentCorpus", domain="toy")
    for classifier in lab.load("classifiers.run_all_classifiers").default_classifiers(reviews):
        with contextlib.suppress(Exception):  # an exercise that is not solved, or wrong: whoever trains it is told
            classifier.test(reviews.test_X, classifier.train(reviews.train_X, reviews.train_y))


if __name__ == "__main__":
    compile_for_text(sys.argv[1])
