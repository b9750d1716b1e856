"""Tables that spreadsheets and platforms save as text: read cell by cell, and written back in the same format.

The format is a byte order mark, an encoding, a separator, quotes and line ends. Unchanged cells keep every byte.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"\xef\xbb\xbf": "utf-8"}
#: Encodings to try without a byte order mark. Excel writes "CSV" as cp1252 in many countries; latin-1 decodes any bytes.
ENCODINGS = ("utf-8", "cp1252", "latin-1")
BINARY = {b"PK\x03\x04": "a zip file", b"\xd0\xcf\x11\xe0": "an old Excel workbook", b"%PDF": "a PDF"}
SEPARATORS = ",;\t|"
#: The lines before the header: empty ones, and Excel's ``sep=;``, which names the separator and which Excel does not show.
_PREAMBLE = re.compile(r'(?:(?:(?:[ ,;\t|]|"")*|"?sep=([^\w\s"]|\t)"?\1* *)(?:\r\n|\n|\r))*', re.IGNORECASE)


class NotTextError(ValueError):
    """A file is not a text file; the message names its actual type."""


@dataclass(frozen=True)
class Cell:
    """A cell in its written form, with its quotes, and the separator or line end after it (empty at the end of the file)."""

    raw: str
    end: str

    @property
    def text(self) -> str:
        """The value of the cell, without quotes and without spaces around it."""
        text = self.raw.strip()
        return (text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text).strip()


Row = list[Cell]


@dataclass
class TextTable:
    """The rows of a table and the format of its file. A new table has the format of ``grades.csv``, which Excel reads.

    Examples
    --------
    >>> table = TextTable.read(b'student;points\\nada;"3"\\n')
    >>> table.rows[1][1].text
    '3'
    >>> table.add(['the "B" of Bob; jr', "4"])
    >>> table.content()
    b'student;points\\nada;"3"\\n"the ""B"" of Bob; jr";4\\n'
    >>> table.text(2, 0)
    'the "B" of Bob; jr'
    """

    rows: list[Row]
    byte_order_mark: bytes = b"\xef\xbb\xbf"
    encoding: str = "utf-8"
    separator: str = ","
    preamble: str = ""  # the lines before the header

    @classmethod
    def read(cls, content: bytes) -> "TextTable":
        """Read a table from the content of a file.

        Raises
        ------
        NotTextError
            If the content is not text.
        """
        kind = next((kind for start, kind in BINARY.items() if content.startswith(start)), "")
        if kind == "a zip file" and b"xl/workbook." in content:
            kind = "an Excel workbook"
        mark = next((mark for mark in BYTE_ORDER_MARKS if content.startswith(mark)), b"")
        for encoding in () if kind else (BYTE_ORDER_MARKS[mark],) if mark else ENCODINGS:
            try:
                text = content[len(mark) :].decode(encoding)
            except UnicodeDecodeError:
                continue
            if "\0" in text:
                break
            start = _PREAMBLE.match(text)
            assert start is not None  # it also matches an empty text
            rest = text[start.end() :]
            separator = start[1] or _separator(rest)
            return cls(_rows(rest, separator), mark, encoding, separator, start[0])
        raise NotTextError(kind or "no text")

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return [cell.text for cell in self.rows[0]] if self.rows else []

    def row_number(self, row: int) -> int:
        """Return the number of a row in a spreadsheet program."""
        return row + 1 + len(self.preamble.splitlines()) - ("=" in self.preamble)

    def text(self, row: int, column: int) -> str:
        """Return the value of a cell, or an empty string if the row is too short."""
        return self.rows[row][column].text if column < len(self.rows[row]) else ""

    def add(self, texts: Sequence[str]) -> None:
        """Append a row in the format of the other rows."""
        line_end = (self.rows[0][-1].end if self.rows else "") or "\r\n"
        if self.rows and not self.rows[-1][-1].end:
            self.rows[-1][-1] = Cell(self.rows[-1][-1].raw, line_end)
        written = [f'"{t.replace(chr(34), chr(34) * 2)}"' if self._needs_quotes(t) else t for t in texts]
        self.rows.append([*(Cell(raw, self.separator) for raw in written[:-1]), Cell(written[-1], line_end)])

    def _needs_quotes(self, text: str) -> bool:
        return any(sign in text for sign in (self.separator, '"', "\r", "\n")) or text != text.strip()

    def content(self) -> bytes:
        """Return the table as the content of a file."""
        text = self.preamble + "".join(cell.raw + cell.end for row in self.rows for cell in row)
        return self.byte_order_mark + text.encode(self.encoding, "replace")


def _separator(text: str) -> str:
    """Return the separator that occurs most often in the first line, outside quotes."""
    first = re.sub(r'"[^"]*"', "", text)
    first = re.split(r"[\r\n]", first, maxsplit=1)[0]
    return max(SEPARATORS, key=first.count)


def _rows(text: str, separator: str) -> list[Row]:
    """Return the cells of each line. Their concatenation is `text`."""
    sign = re.escape(separator)
    cell = re.compile(rf'( *"(?:[^"]|"")*"[^{sign}\r\n]*|[^{sign}\r\n]*)({sign}|\r\n|\n|\r|\Z)')
    rows: list[Row] = [[]]
    place = 0
    while place < len(text) or rows[-1]:
        found = cell.match(text, place)
        assert found is not None  # the second alternative also matches an empty cell
        rows[-1].append(Cell(found[1], found[2]))
        place = found.end()
        if found[2] != separator:
            rows.append([])
            if place >= len(text):
                break
    return [row for row in rows if row]
