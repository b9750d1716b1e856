"""A file of any size, or standard input, as blocks of text: its bytes are counted and hashed, unpacked if they are gzipped, and decoded."""

import gzip
import hashlib
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from lxmls_day1.engine.text.labelled_files import (
    REPLACEMENT,
    encoding_of,
    holds_zero,
    not_packed,
    warn_of_replacements,
    wrong_encoding,
)
from lxmls_day1.errors import CorpusError, InputError

STANDARD_INPUT = "-"
PIECE = 1 << 20  # bytes that are read at a time
_GZIP_START = b"\x1f\x8b"


class Input:
    """A file that is read from its beginning to its end, while its bytes are counted and hashed."""

    def __init__(self, path: str, name: str, report: Callable[[int], object] | None):
        self.path, self._name, self._report = path, name, report
        self._digest, self._n_bytes = hashlib.sha256(), 0
        try:
            self._file: IO[bytes] = sys.stdin.buffer if path == STANDARD_INPUT else open(path, "rb")  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise InputError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from error

    def read(self, size: int = -1) -> bytes:
        """The next bytes, so many or all; an InputError if they cannot be read."""
        try:
            content = self._file.read(size)
        except OSError as error:
            raise InputError(f"{self._name} cannot be read: {error.strerror}") from error
        self._digest.update(content)
        self._n_bytes += len(content)
        if self._report is not None:
            self._report(len(content))
        return content

    def read_to_the_end(self) -> None:
        """Count and hash what nobody has read."""
        while self.read(PIECE):
            pass

    def described(self) -> dict[str, Any]:
        """What a manifest says of the file: path, bytes, time of change, SHA-256."""
        entry: dict[str, Any] = {"path": STANDARD_INPUT if self.path == STANDARD_INPUT else os.path.abspath(self.path)}
        if self.path != STANDARD_INPUT:
            entry["mtime_ns"] = os.stat(self.path).st_mtime_ns
        return {**entry, "bytes": self._n_bytes, "sha256": self._digest.hexdigest()}

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.path != STANDARD_INPUT:
            self._file.close()


def unpacked(file: Input, name: str, path: str) -> Iterator[bytes]:
    """The content in pieces, without the gzip around it.

    Parameters
    ----------
    file : Input
        At its beginning.
    name : str
        As messages name the file.
    path : str
        Whoever calls a file ``.gz`` expects a gzip file.

    Raises
    ------
    CorpusError
        If the gzip file is damaged, or is none.
    """
    start = file.read(PIECE)
    if not start.startswith(_GZIP_START):
        if path.lower().endswith(".gz") and start:
            raise CorpusError(not_packed(name))
        while start:
            yield start
            start = file.read(PIECE)
        return
    with gzip.GzipFile(fileobj=_Reread(start, file), mode="rb") as packed:
        try:
            while piece := packed.read(PIECE):
                yield piece
        except (OSError, EOFError, zlib.error) as error:
            if isinstance(error, InputError):
                raise
            raise CorpusError(f"{name} is a damaged gzip file ({error}); fetch or pack it again") from error


class _Reread(io.RawIOBase):
    """A file of which some bytes have been read already."""

    def __init__(self, start: bytes, file: Input):
        self._start, self._file = io.BytesIO(start), file

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._start.read(size) or self._file.read(size)


def decoded(pieces: Iterator[bytes], name: str, encoding: str | None) -> Iterator[str]:
    """The text in blocks of whole lines.

    Parameters
    ----------
    pieces : iterator of bytes
    name : str
        As messages name the file.
    encoding : str, optional
        Not given, it is found out from the first piece, and there is one warning of letters that were lost before.

    Raises
    ------
    CorpusError
        If something cannot be decoded, or is a zero byte; with the number of its line.
    """
    start = next(pieces, b"")
    used, decoder = encoding_of(start, name, encoding)
    n_lines, is_to_warn = 0, encoding is None
    waiting: list[str] = []  # parts of a line whose end has not come yet
    for number, piece in enumerate(_with_end(start, pieces)):
        try:
            text = decoder.decode(piece or b"", final=piece is None)
        except UnicodeError as error:
            content = error.object if isinstance(error, UnicodeDecodeError) else piece or b""
            first_line = n_lines + sum(part.count("\n") for part in waiting) + 1
            raise CorpusError(wrong_encoding(content, name, used, error, first_line)) from None
        if number == 0:
            text = text.removeprefix("\ufeff")
        if "\0" in text:
            line = n_lines + sum(part.count("\n") for part in waiting) + text.count("\n", 0, text.index("\0")) + 1
            raise CorpusError(holds_zero(name, line, used))
        end = len(text) if piece is None else text.rfind("\n") + 1
        if end == 0 and piece is not None:
            waiting.append(text)
            continue
        block = "".join([*waiting, text[:end]])
        waiting = [text[end:]] if end < len(text) else []
        if is_to_warn and REPLACEMENT in block:
            is_to_warn = False
            line = n_lines + block.count("\n", 0, block.index(REPLACEMENT)) + 1
            warn_of_replacements(name, line, used, stacklevel=3)
        n_lines += block.count("\n")
        if block:
            yield block


def _with_end(start: bytes, pieces: Iterator[bytes]) -> Iterator[bytes | None]:
    """All pieces, then None."""
    yield start
    yield from pieces
    yield None
