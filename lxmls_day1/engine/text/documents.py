"""Files of documents -> token counts: plain text, or lines in the published form ``token:count … #label#:positive``.

The format is detected from the first non-blank line: in a processed line most items are pairs ``token:count``, in prose almost
none. A label at the end of a processed line is used if present; it may be missing.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from lxmls_day1.base.atomic_files import check_readable
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text.parsed_reviews import LABEL_MARK, parse_review
from lxmls_day1.engine.text.text_blocks import STANDARD_INPUT, HashingReader, decompress
from lxmls_day1.engine.text.tokens import count_tokens

FORMATS = ("auto", "raw", "processed")
_PAIR = re.compile(r"\S+:\d+")
_LINE_END = re.compile(r"\r\n|\r|\n")

CountText = Callable[[str], Mapping[str, float]]


class Document(NamedTuple):
    """One document, as a classifier receives it."""

    location: str  # the file name, with a line number if the file holds several documents: ``reviews.txt:3``
    counts: Mapping[str, float]  # token -> number of occurrences
    label: str | None  # the label in the line; None if it is missing


def read_documents(
    data: bytes, name: str, form: str = "auto", unit: str = "file", count: CountText = count_tokens
) -> list[Document]:
    """Read the documents of one file.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str
        The name of the file in results and errors.
    form : {"auto", "raw", "processed"}
        The format of the content; ``"auto"`` detects it.
    unit : {"file", "line"}
        For raw text: the whole file is one document, or every non-blank line is one.
    count : function (text) -> token counts
        Tokenizes raw text; use the same function as for the classifier's training texts.

    Returns
    -------
    list of Document
        At least one.

    Raises
    ------
    InputError
        If the file is empty, blank or not UTF-8 text, or a processed line is malformed.

    Examples
    --------
    >>> read_documents(b"Dull book.\\nDULL!\\n", "mine.txt")
    [Document(location='mine.txt', counts={'dull': 2, 'book': 1, 'dull_book': 1, 'book_dull': 1}, label=None)]
    >>> read_documents(b"dull:3 book:1 #label#:negative\\n", "mine.txt")
    [Document(location='mine.txt:1', counts={'dull': 3, 'book': 1}, label='negative')]
    """
    text = decode_utf8(data, name)
    if not text.strip():
        raise InputError(f"{name} is {'blank' if text else 'empty'}; expected the text of a review, or processed lines")
    if form == "processed" or (form == "auto" and looks_processed(text)):
        return _processed_documents(text, name)
    if unit == "file":
        return [Document(name, count(text), None)]
    lines = enumerate(_LINE_END.split(text), start=1)
    return [Document(f"{name}:{number}", count(line), None) for number, line in lines if line.strip()]


def looks_processed(text: str) -> bool:
    """Return True if the first non-blank line consists mostly of pairs ``token:count``, or ends with a label.

    Examples
    --------
    >>> looks_processed("a_dull:1 book:2"), looks_processed("a_dull book:2 #label#:x"), looks_processed("At 10:30: tea")
    (True, True, False)
    """
    pieces = text.lstrip().partition("\n")[0].split()
    pairs = sum(bool(_PAIR.fullmatch(piece)) for piece in pieces)
    return 2 * pairs > len(pieces) or (pieces[-1:] != [] and pieces[-1].startswith(LABEL_MARK))


def decode_utf8(data: bytes, name: str) -> str:
    """Decode a file as UTF-8; raise an InputError that describes the problem if it is not text."""
    if b"\0" in data:
        raise InputError(
            f"{name} is not text in UTF-8: it holds zero bytes, as binary files and UTF-16 do; save it as UTF-8"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}, line {line}: expected text in UTF-8, got the byte 0x{data[error.start]:02X}; save it as UTF-8"
        ) from None


def read_bytes(path: str) -> bytes:
    """Return the content of a file, decompressed, or of the standard input for ``-``."""
    if path == STANDARD_INPUT and not sys.stdin:  # None if standard input is closed
        return b""
    if path != STANDARD_INPUT:
        check_readable(path, "name a file, or a pipe that ends", pipes=True)
    with closing(HashingReader(path, display_name(path), None)) as opened:
        return b"".join(decompress(opened))


def stdin_lines() -> Iterator[tuple[int, bytes]]:
    """Yield the non-blank lines of the standard input with their numbers as they arrive; raise an InputError if all lines are blank."""
    empty = True
    for number, line in enumerate(sys.stdin.buffer if sys.stdin else (), start=1):
        if line.strip():
            empty = False
            yield number, line
    if empty:
        raise InputError("standard input is empty; expected the text of a review, or processed lines")


def display_name(path: str) -> str:
    """Return the name of a file for output, with unprintable characters escaped."""
    return "standard input" if path == STANDARD_INPUT else escape_unprintable(path)


def escape_unprintable(text: str) -> str:
    """Return the string with all unprintable characters escaped, such as those that move a cursor or colour a terminal.

    Examples
    --------
    >>> escape_unprintable("naïve\\x1b[2J")
    'naïve\\\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shortened_word(text: str, max_chars: int = 60) -> str:
    """Return a word for display: unprintable characters are escaped, and a very long word is cut.

    Examples
    --------
    >>> shortened_word("incomprehensibility", 7), shortened_word("a\\x1b")
    ('incomp…', 'a\\\\x1b')
    """
    text = escape_unprintable(text)
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


def _processed_documents(text: str, name: str) -> list[Document]:
    lines = text.removesuffix("\n").split("\n")  # Only at line feeds: tokens may contain other line separators.
    documents = []
    for number, line in enumerate(lines, start=1):
        where = f"{name}, line {number}"
        line = line.removesuffix("\r")
        *pairs, last = line.split(" ")
        label = last.removeprefix(LABEL_MARK) if last.startswith(LABEL_MARK) else None
        if label == "":
            raise InputError(f"{where}: the label is missing after {LABEL_MARK}; expected one such as #label#:positive")
        if not line.strip():
            raise InputError(f"{where}: the line is blank; expected token:count pairs")
        # The parser requires one of its own labels; here any label is allowed, and it may be missing.
        counts, _ = parse_review(" ".join([*(pairs if label else [*pairs, last]), f"{LABEL_MARK}positive"]), where)
        documents.append(Document(f"{name}:{number}", counts, label))
    return documents
