"""The standard streams of the command line, also where one of them is closed, full, or read no further.

Whoever starts us may close a stream (``2>&-``), point it at a full disk, or stop reading (``| head -1``). The command then
still ends with an exit code, and with a sentence on whichever stream is left.
"""

import contextlib
import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

READER_GONE = 141  # what a shell reports of a program that SIGPIPE has ended
_MOST_KEPT = 10_000  # bytes of what standard error did not take


class OutputLost(Exception):
    """Standard output does not take what is written; no OSError, which would be taken for that of some file."""


class Output(io.RawIOBase):
    """Standard output that fails once: what is written after that is thrown away.

    Attributes
    ----------
    error : OSError or None
        Why it has failed.
    """

    def __init__(self, raw: io.RawIOBase | None):
        self._raw = raw
        self.error: OSError | None = None

    def writable(self) -> bool:
        """It is, as far as buffers need to know."""
        return True

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._raw is not None and self._raw.isatty()

    def fileno(self) -> int:
        """The number of the file."""
        return 1 if self._raw is None else self._raw.fileno()

    def write(self, content: "ReadableBuffer") -> int | None:
        """Write to the file; see the class for what happens where that fails."""
        if self.error is not None:
            return memoryview(content).nbytes
        try:
            if self._raw is None:
                raise OSError(errno.EBADF, "it is closed")
            return self._raw.write(content)
        except OSError as error:
            self.error = error
            raise OutputLost from error

    @property
    def reader_is_gone(self) -> bool:
        """Whether it is a pipe that nobody reads any more; Windows says so by EINVAL."""
        return self.error is not None and self.error.errno in (errno.EPIPE, *[errno.EINVAL] * (os.name == "nt"))


class ErrorOutput(Output):
    """Standard error that never fails: the end of what it did not take is kept.

    Attributes
    ----------
    lost : bytes
    """

    lost = b""

    def fileno(self) -> int:
        """The number of the file."""
        return 2 if self._raw is None else self._raw.fileno()

    def write(self, content: "ReadableBuffer") -> int | None:
        """Write to the file; see the class for what happens where that fails."""
        try:
            if self._raw is not None:
                return self._raw.write(content)
        except OSError:
            pass
        self.lost = (self.lost + bytes(content))[-_MOST_KEPT:]
        return memoryview(content).nbytes


class StandardStreams:
    """Those of this process, from here on; other objects in their place, such as those of a notebook, are left alone.

    What they cannot encode is written with backslashes: a word may hold what the terminal's encoding has not.
    """

    def __init__(self) -> None:
        _open_closed_descriptors()
        if sys.stdin is None:
            sys.stdin = open(os.devnull)  # open until the process ends
        self._before = (sys.stdout, sys.stderr)  # each closes its file as soon as nobody holds it
        self.output = Output(_raw(sys.stdout))
        self.errors = ErrorOutput(_raw(sys.stderr))
        sys.stdout = _text(self.output, sys.stdout)
        sys.stderr = _text(self.errors, sys.stderr)

    def finish(self, status: str | int | None) -> str | int | None:
        """Flush, say what is left to say, and return the exit code that this makes of `status`."""
        with contextlib.suppress(OutputLost):
            if status and self.errors.lost:
                sys.stdout.write(_last_words(self.errors.lost.decode(sys.stderr.encoding, errors="replace")) + "\n")
            sys.stdout.flush()
        if self.output.reader_is_gone:
            return READER_GONE
        if self.output.error is not None:
            reason = self.output.error.strerror or str(self.output.error)
            sys.stderr.write(f"Error: standard output cannot be written to: {reason[0].lower()}{reason[1:]}.\n")
            sys.stderr.flush()
            return status or 1
        return status


def _last_words(text: str) -> str:
    """The error at the end of what was said.

    Examples
    --------
    >>> _last_words("[1/6] Perceptron\\nUsage: lxmls-day1 run\\n\\nError: there is no corpus 'films'.\\n")
    "Error: there is no corpus 'films'."
    >>> _last_words("[1/6] Perceptron\\nAborted!\\n")
    'Aborted!'
    """
    _, error, said = text.rpartition("Error: ")
    return (error + said).strip() if error else text.strip().rpartition("\n")[2]


def _open_closed_descriptors() -> None:
    """Give 0, 1 and 2 to the null device where they are closed: no file that is opened later may get such a number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one


def _raw(stream: TextIO | None) -> io.RawIOBase | None:
    """The file below a text stream; with ``PYTHONUNBUFFERED`` there is no buffer between the two."""
    buffer = getattr(stream, "buffer", None)
    return buffer if isinstance(buffer, io.RawIOBase) else getattr(buffer, "raw", None)


def _text(raw: Output, stream: TextIO | None) -> TextIO:
    """A text stream over `raw` in place of `stream`; `stream` itself if that is open, and no file."""
    if stream is not None and _raw(stream) is None:
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding if stream is not None else "utf-8",
        errors="backslashreplace",
        line_buffering=isinstance(raw, ErrorOutput) or raw.isatty() or getattr(stream, "write_through", False),
    )
