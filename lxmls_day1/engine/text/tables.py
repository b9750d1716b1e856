"""Tables of records from columns (CSV, TSV) and JSON Lines, and the labels and texts of such tables."""

import csv
import json
from collections.abc import Generator, Iterable, Sequence
from typing import Any, NamedTuple

from lxmls_day1.base.errors import CorpusError, InputError, did_you_mean, pluralize

DELIMITERS = {"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a bar"}
MISSING = object()  # marks a key that is missing in a JSON object
_MAX_FIELD_CHARS = 2**31 - 1  # maximum number of characters that the csv module supports
_MAX_NAME_CHARS_SHOWN = 40  # maximum number of characters of a name in a message


class RecordTable(NamedTuple):
    """Records with equal numbers of fields, and the names of their columns."""

    names: tuple[str, ...] | None  # the names of the columns; None if the file has no header
    rows: list[list[Any]]  # one list per record: strings, or JSON values
    lines: list[int]  # the number of the first line of each record

    def column_named(self, column: int) -> str:
        """Return the name of a column for messages."""
        return repr(self.names[column]) if self.names else f"column {column}"


def column_records(
    lines: Iterable[str], name: str, delimiter: str, quote: str | None, first_line: int = 1
) -> Generator[tuple[int, list[str]], None, None]:
    """Yield the non-blank records of a table with columns, each with the number of its first line; fields are not stripped.

    Parameters
    ----------
    lines : iterable of str
        The lines with their line ends.
    name : str
        The name of the file in error messages.
    delimiter : str
        The character between the fields.
    quote : str, optional
        The character around fields that contain delimiters or line ends; doubled to represent itself. None if quotes have no
        special meaning.
    first_line : int
        The number of the first line in the file.

    Raises
    ------
    CorpusError
        If a closing quotation mark is missing or does not end its field.

    Examples
    --------
    >>> list(column_records(["a,b\\n", "\\n", '"c\\n', 'd",e\\n'], "mine.csv", ",", '"'))
    [(1, ['a', 'b']), (3, ['c\\nd', 'e'])]
    """
    quoting: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if quote is None else {"quotechar": quote}
    rows = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True, **quoting)
    before = first_line
    usual_limit = csv.field_size_limit()
    csv.field_size_limit(_MAX_FIELD_CHARS)
    try:
        for fields in rows:
            if len(fields) > 1 or (fields and fields[0].strip()):
                yield first_line, fields
            first_line = rows.line_num + before
    except csv.Error as error:
        raise CorpusError(
            f"{name}, line {first_line}: {error}; expected quotes around a whole field and doubled quotes inside it, or give "
            f"quote=None (--no-quotes) if they mean nothing in this file"
        ) from None
    finally:
        csv.field_size_limit(usual_limit)


def parse_json_lines(text: str, name: str, first_line: int = 1, names: tuple[str, ...] = ()) -> RecordTable:
    """Parse one JSON object per line; its keys are the columns.

    Parameters
    ----------
    text : str
        Blank lines are ignored; the table may have no rows.
    name : str
        The name of the file in error messages.
    first_line : int
        The number of the text's first line in the file.
    names : tuple of str
        The columns. Default: the keys of the first object.

    Raises
    ------
    CorpusError
        If a line is not a JSON object.

    Examples
    --------
    >>> parse_json_lines('{"text": "They won.", "label": "sport"}\\n', "mine.jsonl").rows
    [['They won.', 'sport']]
    """
    rows: list[list[Any]] = []
    numbers: list[int] = []
    expected = 'expected one JSON object per line, such as {"text": "They won.", "label": "sport"}'
    for number, line in enumerate(text.split("\n"), start=first_line):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            hint = "; does one JSON value span lines? Write each of its objects on one line" if not names else ""
            raise CorpusError(f"{name}, line {number}: this is not JSON ({error}); {expected}{hint}") from None
        if not isinstance(found, dict):
            hint = "; write each object of the list on one line" if isinstance(found, list) else ""
            raise CorpusError(f"{name}, line {number}: got {json_type_name(found)}; {expected}{hint}")
        names = names or tuple(found)
        rows.append([found.get(key, MISSING) for key in names])
        numbers.append(number)
    return RecordTable(names, rows, numbers)


def check_widths(
    rows: Sequence[Sequence[str]], lines: Sequence[int], name: str, delimiter: str, width: int, first_line: int
) -> None:
    """Raise an error for records whose number of fields differs from that of the first record, in line ``first_line``.

    Raises
    ------
    CorpusError
        The message names the line of the first such record.
    """
    if width > 1 and {*map(len, rows)} <= {width}:
        return  # the usual case
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width or width < 2:
            expected = f"{width} as in line {first_line}" if width > 1 else "two or more, a label and a text"
            raise CorpusError(
                f"{name}, line {line}: got {pluralize(len(row), 'field')}; expected {expected}, separated by "
                f"{DELIMITERS.get(delimiter, repr(delimiter))}: a text that contains it needs quotes around it"
            )


def labels_and_texts(table: RecordTable, name: str, label: int, text: int) -> tuple[list[str], list[str]]:
    """Return labels and texts of all records; a text may be empty, a label may not.

    Raises
    ------
    CorpusError
        If a label is empty, or a JSON value is missing or has the wrong type.
    """
    labels, texts = [], []
    for line, row in zip(table.lines, table.rows, strict=True):
        found = _as_label(row[label])
        if not found:
            got = "empty" if isinstance(found, str) else json_type_name(row[label])
            raise CorpusError(
                f"{name}, line {line}: the label, in {table.column_named(label)}, is {got}; expected a word or a number"
            )
        if not isinstance(row[text], str):
            raise CorpusError(
                f"{name}, line {line}: the text, in {table.column_named(text)}, is {json_type_name(row[text])}; expected text in quotes"
            )
        try:
            (found + row[text]).encode()
        except UnicodeEncodeError:
            raise CorpusError(
                f"{name}, line {line}: got half a surrogate pair, such as \\ud800, in label or text; expected whole characters"
            ) from None
        labels.append(found)
        texts.append(row[text].strip())
    return labels, texts


def _as_label(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value) if isinstance(value, (bool, int, float)) and value == value else None


def requested_column(table: RecordTable, name: str, setting: str, column: int | str) -> int:
    """Return the number of a column that is requested by name or number.

    Parameters
    ----------
    table : RecordTable
    name : str
        The name of the file in error messages.
    setting : str
        The setting that requests the column, such as ``label_column``.
    column : int or str

    Raises
    ------
    InputError
        If the column does not exist, or several columns have this name.

    Examples
    --------
    >>> requested_column(RecordTable(("id", "Text"), [["1", "Hello"]], [2]), "mine.csv", "text_column", "text")
    1
    """
    option = f"--{setting.replace('_', '-')}"
    width = len(table.rows[0])
    if isinstance(column, str):
        if table.names is None:
            raise InputError(
                f"{setting} is {column!r}, but {name} has no header with names; give the number of the column, 0 to "
                f"{width - 1}, or say header=True (--header) if its first line is one"
            )
        if sum(found == column for found in table.names) > 1:
            raise InputError(
                f"{name} has several columns {column!r}; give {setting} ({option}) the number of one, from 0 on"
            )
        place = find_name(table.names, column)
        if place is None:
            names = [
                found if len(found) <= _MAX_NAME_CHARS_SHOWN else f"{found[:_MAX_NAME_CHARS_SHOWN]}…"
                for found in table.names
            ]
            raise InputError(f"{name} has no column {column!r} for {setting} ({option}){did_you_mean(column, names)}")
        return place
    if not 0 <= column < width:
        raise InputError(
            f"{setting} is {column}, but {name} has {pluralize(width, 'column')}: give a number from 0 to {width - 1} ({option})"
        )
    return column


def find_name(names: Sequence[str], name: str) -> int | None:
    """Return the number of the column with a name, ignoring case and separators if needed; None without a unique match."""
    if name in names:
        return names.index(name)
    alike = [column for column, found in enumerate(names) if normalized_name(found) == normalized_name(name)]
    return alike[0] if len(alike) == 1 else None


def normalized_name(name: str) -> str:
    """Return the name of a column in lower case, its words joined by underscores.

    Examples
    --------
    >>> normalized_name(" Review-Text")
    'review_text'
    """
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def json_type_name(value: Any) -> str:
    """Return the type of a JSON value for messages."""
    if value is MISSING:
        return "missing"
    kinds = {
        type(None): "null",
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
    }
    return kinds.get(type(value), "an object")
