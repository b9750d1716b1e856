"""A file of any size, or standard input, as blocks of text: its bytes are counted, hashed, decompressed if needed, and decoded.

The error for a wrong encoding names the line, and shows how the line would read in the encoding that older programs write.
"""

import codecs
import encodings.aliases
import hashlib
import io
import os
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import IO, Any

from lxmls_day1.base.errors import CorpusError, InputError, did_you_mean, pluralize

STANDARD_INPUT = "-"
PIECE_BYTES = 1 << 20  # bytes per read
_MIN_START_BYTES = 10  # minimum number of bytes to recognise a format
#: What reading a damaged archive may raise.
ERRORS_OF_DAMAGE = (OSError, EOFError, RuntimeError, ValueError, NotImplementedError, zlib.error, zipfile.BadZipFile)
#: The supported compressed formats by their first bytes: the name, the extension, and the module that decompresses.
_COMPRESSED_FORMATS = (
    (b"\x1f\x8b", "gzip", ".gz", "gzip"),
    (b"BZh", "bzip2", ".bz2", "bz2"),
    (b"\xfd7zXZ\0", "xz", ".xz", "lzma"),
    (b"PK\x03\x04", "zip", ".zip", "zipfile"),
)
#: The extensions of compressed files.
COMPRESSED_EXTENSIONS = tuple(ending for _, _, ending, _ in _COMPRESSED_FORMATS)
_MAX_ZIP_BYTES_IN_MEMORY = 1 << 26
_MAX_NAMES_SHOWN = 5
_UNPACK = "unpack it, and name a file that was in it"
_EXPORT = "save it as CSV in UTF-8"
_UNPICKLE = "load it in Python where you trust it, and write its texts as CSV or JSON Lines"
_WITH_PANDAS = "write it as JSON Lines: pandas.read_{}(path).to_json('texts.jsonl', orient='records', lines=True)"
#: Other binary formats by their first bytes: a description, and the advice to the user.
_BINARY = (
    (b"PAR1", "a Parquet file", _WITH_PANDAS.format("parquet")),
    (b"ARROW1", "an Arrow file", _WITH_PANDAS.format("feather")),
    (b"FEA1", "a Feather file", _WITH_PANDAS.format("feather")),
    (b"\x89HDF\r\n", "an HDF5 file", _WITH_PANDAS.format("hdf")),
    (b"SQLite format 3\0", "an SQLite database", "export the table as CSV"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Office file (such as .xls or .doc)", _EXPORT),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file", _UNPACK),
    (b"\x5d\0\0", "an .lzma file", _UNPACK),
    (b"Obj\1", "an Avro file", "write it as JSON Lines, one object for each record"),
    (b"PK\x05\x06", "an empty zip archive", "pack a file into it, or name the file itself"),
    (b"%PDF-", "a PDF file", "copy its text into a table, and save that as CSV in UTF-8"),
    (b"\x93NUMPY", "a NumPy file", "load it in Python, numpy.load(path), and give the array to `train`"),
    (b"\x89PNG\r\n", "a picture", "name a file of text"),
    (b"\xff\xd8\xff", "a picture", "name a file of text"),
    *((b"\x80%c" % protocol, "a pickle of Python", _UNPICKLE) for protocol in (2, 3, 4, 5)),
)
#: Unicode's replacement character, which replaces undecodable bytes in a decoded text.
REPLACEMENT = "\ufffd"
#: Byte order marks and their encodings. UTF-32 comes first, because its mark begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)


class HashingReader:
    """A file that is read once from beginning to end, while its bytes are counted and hashed."""

    def __init__(self, path: str, name: str, report: Callable[[int], object] | None):
        self.path, self.name, self._report = path, name, report
        self.inner_name = ""  # name of the file inside a zip archive, set when the archive is read
        self._digest, self._n_bytes, self._peeked = hashlib.sha256(), 0, io.BytesIO()
        try:
            self._file: IO[bytes] = sys.stdin.buffer if path == STANDARD_INPUT else open(path, "rb")  # noqa: SIM115
        except (OSError, ValueError, AttributeError) as error:  # AttributeError: standard input is closed.
            raise InputError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from error

    def peek(self) -> bytes:
        """Return the first bytes of the file, enough to recognise its format; `read` returns them again."""
        start = self.read(PIECE_BYTES)
        while len(start) < _MIN_START_BYTES and (more := self.read(PIECE_BYTES)):
            start += more
        self._peeked = io.BytesIO(start)
        return start

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` of the next bytes; raise an InputError if reading fails."""
        if content := self._peeked.read(size):
            return content
        try:
            content = self._file.read(size)
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror}") from error
        self._digest.update(content)
        self._n_bytes += len(content)
        if self._report is not None:
            self._report(len(content))
        return content

    def drain(self) -> None:
        """Count and hash the remaining bytes."""
        while self.read(PIECE_BYTES):
            pass

    def manifest_entry(self) -> dict[str, Any]:
        """Return the manifest entry of the file: path, bytes, modification time, SHA-256; a pipe is treated like standard input."""
        entry: dict[str, Any] = {"path": STANDARD_INPUT}
        if self.path != STANDARD_INPUT and os.path.isfile(self.path):
            entry = {"path": os.path.abspath(self.path), "mtime_ns": os.stat(self.path).st_mtime_ns}
        return {**entry, "bytes": self._n_bytes, "sha256": self._digest.hexdigest()}

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.path != STANDARD_INPUT:
            self._file.close()


def decompress(file: HashingReader) -> Iterator[bytes]:
    """Yield the content in pieces, decompressed if it is gzip, bzip2, xz, or a zip archive of one file.

    Parameters
    ----------
    file : HashingReader
        The input, positioned at its beginning. The extension of its path must match the content: a file called ``.gz`` must be a gzip
        file. For a zip archive, its ``inner_name`` is set.

    Raises
    ------
    CorpusError
        If the compressed file is damaged, or does not match its extension.
    InputError
        For another binary file, or an archive of several files; the message gives advice.
    """
    name, path, start = file.name, file.path, file.peek()
    kind, module = _compression_of(start)
    if not kind:
        refuse_binary(start, name)
        wanted = next((kind for _, kind, ending, _ in _COMPRESSED_FORMATS if path.lower().endswith(ending)), "")
        if start and wanted:
            raise CorpusError(
                f"{name} is not a {wanted} file, though its name ends in {Path(path).suffix}; rename it if it is plain text, or compress it"
            )
        while piece := file.read(PIECE_BYTES):
            yield piece
        return
    try:
        first_piece = True
        for piece in _zip_pieces(file) if kind == "zip" else _stream_pieces(module, file):
            if first_piece:
                if again := _compression_of(piece)[0]:
                    raise InputError(f"{name}, unpacked, is a {again} file again; {_UNPACK}")
                refuse_binary(piece, f"{name}, unpacked,")
                first_piece = False
            yield piece
    except (*ERRORS_OF_DAMAGE, _lzma_error()) as error:
        if isinstance(error, InputError):
            raise
        raise CorpusError(f"{name} is a damaged {kind} file ({error}); fetch or compress it again") from error


def _compression_of(start: bytes) -> tuple[str, str]:
    """Return name and module of the compressed format that begins with these bytes; empty strings for any other content."""
    return next(((kind, module) for first, kind, _, module in _COMPRESSED_FORMATS if start.startswith(first)), ("", ""))


def _lzma_error() -> type[Exception]:
    """Return the error class of a damaged xz file; Python without xz, as in a browser, lacks the class."""
    return getattr(sys.modules.get("lzma"), "LZMAError", EOFError)


def _stream_pieces(module: str, file: HashingReader) -> Iterator[bytes]:
    try:
        opened = import_module(module).open(file)
    except ImportError:  # A build of Python may lack bz2 or lzma.
        raise InputError(f"{file.name} is packed with {module}, which this Python cannot read; {_UNPACK}") from None
    with opened as packed:
        while piece := packed.read(PIECE_BYTES):
            yield piece


def _zip_pieces(file: HashingReader) -> Iterator[bytes]:
    """Yield the content of the only file in a zip archive, from a copy, because the table of contents is at the archive's end."""
    with tempfile.SpooledTemporaryFile(_MAX_ZIP_BYTES_IN_MEMORY) as copy:
        while piece := file.read(PIECE_BYTES):
            copy.write(piece)
        with zipfile.ZipFile(copy) as archive:
            members = [
                member for member in archive.infolist()
                if not member.is_dir() and not member.filename.startswith("__MACOSX/") and not member.filename.endswith(".DS_Store")
            ]  # fmt: skip
            names = [member.filename for member in members]
            kind = _document_archive_kind(names)
            if kind is None and len(members) == 1 and not members[0].flag_bits & 1:
                file.inner_name = names[0]
                with archive.open(members[0]) as packed:
                    while piece := packed.read(PIECE_BYTES):
                        yield piece
                return
    some = ", ".join(names[:_MAX_NAMES_SHOWN]) + ", …" * (len(names) > _MAX_NAMES_SHOWN)
    of_files = f"a zip archive of {pluralize(len(names), 'file')}{f' ({some})' if names else ''}"
    what, remedy = kind or ("a zip archive with a password" if len(names) == 1 else of_files, _UNPACK)
    raise InputError(f"{file.name} is {what}; {remedy}")


def _document_archive_kind(names: Sequence[str]) -> tuple[str, str] | None:
    """Describe a zip archive that a program uses as its file format, with advice; return None for any other archive."""
    for start, program in (("xl/", "an Excel workbook"), ("word/", "a Word document"), ("ppt/", "a PowerPoint file")):
        if any(found.startswith(start) for found in names):
            return program, _EXPORT
    if {"mimetype", "content.xml"} <= {*names}:
        return "an OpenDocument file (such as .ods or .odt)", _EXPORT
    if names and all(found.endswith(".npy") for found in names):
        return (
            "an .npz file of NumPy",
            "load it in Python, numpy.load(path), and give the arrays to `train`; `predict` takes a model before it",
        )
    return None


def refuse_binary(start: bytes, name: str) -> None:
    """Raise an InputError for a binary file with these first bytes; the message names the format and gives advice.

    Examples
    --------
    >>> refuse_binary(b"PAR1", "it")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: it is a Parquet file, which cannot be read as text; write it as JSON Lines: ...
    """
    tar = ((start[:0], "a tar archive", _UNPACK),) if start[257:262] == b"ustar" else ()
    for first, what, remedy in (*tar, *_BINARY):
        if start.startswith(first):
            raise InputError(f"{name} is {what}, which cannot be read as text; {remedy}")


def refuse_compressed(path: str) -> None:
    """Raise an InputError for a compressed or binary file if only plain text is supported; ignore a file that cannot be opened."""
    try:
        with open(path, "rb") as file:
            start = file.read(512)
    except (OSError, ValueError):
        return
    if kind := _compression_of(start)[0]:
        raise InputError(f"{path} is a {kind} file, and tagged sentences are read from plain text; {_UNPACK}")
    refuse_binary(start, path)


class TextBlocks:
    """The text of a file in blocks of whole lines. It can be iterated over once.

    Parameters
    ----------
    pieces : iterator of bytes
    name : str
        The name of the file in messages.
    encoding : str, optional
        Default: the encoding of the byte order mark, or UTF-8.

    Attributes
    ----------
    encoding : str
        The encoding in use.
    replacement_warning : str
        A warning of characters that were lost before the file was read, or an empty string. Empty if an encoding was given.

    Raises
    ------
    InputError
        If the encoding is unknown to Python.
    CorpusError
        If a byte cannot be decoded, or is zero; the message names the line.
    """

    def __init__(self, pieces: Iterator[bytes], name: str, encoding: str | None):
        self._start, self._pieces, self._name = next(pieces, b""), pieces, name
        self.encoding, self._decoder = _encoding_of(self._start, name, encoding)
        self._may_warn = encoding is None
        self.replacement_warning = ""

    def __iter__(self) -> Iterator[str]:
        n_lines = 0
        waiting: list[str] = []  # pieces of a line whose end was not read yet
        for piece in chain([self._start], self._pieces, [None]):  # None marks the end of the file.
            first_line = n_lines + sum(part.count("\n") for part in waiting) + 1
            text = self._decode(piece, first_line)
            end = len(text) if piece is None else text.rfind("\n") + 1
            if end == 0 and piece is not None:
                waiting.append(text)
                continue
            block = "".join([*waiting, text[:end]])
            waiting = [text[end:]] if end < len(text) else []
            if self._may_warn and not self.replacement_warning and REPLACEMENT in block:
                line = n_lines + block.count("\n", 0, block.index(REPLACEMENT)) + 1
                self.replacement_warning = _replacement_warning(self._name, line, self.encoding)
            n_lines += block.count("\n")
            if block:
                yield block

    def _decode(self, piece: bytes | None, first_line: int) -> str:
        """Decode a piece that begins in line ``first_line``; None marks the end of the file."""
        try:
            text = self._decoder.decode(piece or b"", final=piece is None)
        except UnicodeError as error:
            content = error.object if isinstance(error, UnicodeDecodeError) else piece or b""
            raise CorpusError(_decoding_error_message(content, self._name, self.encoding, error, first_line)) from None
        if piece is self._start:
            text = text.removeprefix("\ufeff")
        if "\0" in text:
            line = first_line + text.count("\n", 0, text.index("\0"))
            raise CorpusError(
                f"{self._name}, line {line}: expected text in {self.encoding}, got a zero byte, as in UTF-16, archives and "
                "spreadsheets; save it as text in UTF-8, or name its encoding with encoding= (--encoding)"
            )
        return text


def _encoding_of(content: bytes, name: str, encoding: str | None) -> tuple[str, codecs.IncrementalDecoder]:
    """Return the encoding of a file with these first bytes, and a decoder for it."""
    marked = next((marked for mark, marked in _BYTE_ORDER_MARKS if content.startswith(mark)), None)
    used = encoding or marked or "utf-8"
    _check_encoding(used)
    if marked and not codecs.lookup(used).name.startswith("utf"):
        raise CorpusError(
            f"{name}, line 1: expected text in {used}, got the byte order mark of {marked}; leave out encoding= (--encoding)"
        )
    return used, codecs.getincrementaldecoder(used)()


def _check_encoding(name: str) -> None:
    """Raise an InputError for a name that is not a text encoding."""
    try:
        b"a".decode(name)
    except UnicodeDecodeError:  # The encoding exists, but does not decode this single byte.
        pass
    except (LookupError, TypeError, ValueError) as error:
        # A ValueError is raised for a zero byte or half a surrogate pair in the name.
        known = {name.replace("_", "-") for name in (*encodings.aliases.aliases, *encodings.aliases.aliases.values())}
        close = did_you_mean(str(name), known)
        hint = close if "did you mean" in close else ""
        raise InputError(f"encoding must be one that Python knows, such as 'latin-1', got {name!r}{hint}") from error


def _replacement_warning(name: str, line: int, used: str) -> str:
    """Return the warning about a text that contains `REPLACEMENT` because another program could not decode it.

    It is only a warning, because published corpora contain some of these characters. Uploading a Latin-1 file to the lab's page in the
    browser turns each of its non-ASCII letters into one.
    """
    return (
        f"{name}, line {line}: got U+FFFD ({REPLACEMENT}), which programs write for characters that they cannot decode; if the "
        "file was uploaded or saved from another encoding, save the original in UTF-8 and use that; otherwise give "
        f"encoding={used!r} (--encoding {used}), and the file is read as it is"
    )


def _decoding_error_message(content: bytes, name: str, used: str, error: UnicodeError, first_line: int) -> str:
    """Return the message for an undecodable line, which shows how it would read in the encoding of older programs on Windows and Unix.

    ``content`` begins in line ``first_line`` of the file, and the positions in `error` refer to it.
    """
    start = getattr(error, "start", 0)
    line = content.count(b"\n", 0, start) + first_line
    got = f"the byte 0x{content[start]:02X}" if start < len(content) else "its end"
    hint = f"save the file in {used}, or name its encoding with encoding= (--encoding)"
    begin, end = content.rfind(b"\n", 0, start) + 1, content.find(b"\n", start)
    around = content[max(begin, start - 15) : min(end if end >= 0 else len(content), start + 15)]
    for likely in ("cp1252", "latin-1"):
        try:
            read = around.decode(likely).strip()
        except UnicodeDecodeError:
            continue
        if read.isprintable() and likely != used:
            hint = f"in {likely} it would read {read!r}: if that is right, give encoding={likely!r} (--encoding {likely}); otherwise {hint}"
            break
    return f"{name}, line {line}: expected text in {used}, got {got}; {hint}"
