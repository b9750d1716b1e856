"""Texts in columns, CSV, TSV or JSON lines: which characters part them, whether a header names them, which are wanted.

What a caller does not say is guessed from the file: the delimiter from how it parts the first records, a header from what
stands in it and in the records below, the columns of label and text from their names or, of two, from what they hold.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from lxmls_day1.errors import CorpusError, InputError, counted, nearest
from lxmls_day1.text.svmlight import is_number

DELIMITERS = {"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a bar"}
#: What columns of labels and of texts are usually called, the surest names first.
LABEL_NAMES = (
    *("label", "labels", "category", "class", "intent", "target", "sentiment", "topic", "polarity", "emotion"),
    *("label_text", "gold_label", "coarse_label", "tag", "y", "stars", "rating"),
)
TEXT_NAMES = (
    *("text", "texts", "sentence", "utterance", "document", "content", "message", "review", "review_text"),
    *("comment", "body", "tweet", "question", "query", "phrase"),
)
_SNIFFED_RECORDS = 100
_NAME = re.compile(r"[^\W\d][\w#/()-]*(?: [\w#/()-]+){0,2}")  # three words at most, and none of a sentence's marks
_LONGEST_NAME = 40
_WORDS_OF_A_TEXT = 3  # on average, for a column to be taken for text without a name
_MISSING = object()  # what an object of JSON lacks


class Table(NamedTuple):
    """Records with equally many fields, and what their columns are called."""

    names: tuple[str, ...] | None
    """The names of the columns; None where a file has no header."""
    rows: list[list[Any]]
    """One list a record: of text, or of whatever JSON has."""
    lines: list[int]
    """The number of the first line of each record."""

    def column_named(self, column: int) -> str:
        """How a message speaks of a column."""
        return repr(self.names[column]) if self.names else f"column {column}"


# ------------------------------------------------------------------------------------------------- from text to records


def parse_columns(
    text: str,
    name: str = "the text given",
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = '"',
    column_names: Sequence[str] = (),
) -> tuple[Table, str]:
    """Read records whose fields are parted by a character.

    Parameters
    ----------
    text : str
        The content of a file, line ends as they are.
    name : str
        How an error names it.
    delimiter : str, optional
        The character between the fields. Not given, it is the first of tab, comma, semicolon and bar that parts each
        of the first 100 records in two, or else in equally many.
    header : bool, optional
        Whether the first record names the columns; what `looks_like_header` says of it if not given.
    quote : str, optional
        The character that goes around a field with delimiters or line ends, doubled where it is meant itself; None
        where quotes mean nothing.
    column_names : sequence of str
        Names that a header has to have. A first record with all of them is a header.

    Returns
    -------
    table : Table
        Without white space around the fields and without blank lines.
    delimiter : str

    Raises
    ------
    CorpusError
        If records have not equally many fields, two or more; if a quote does not close, or there is no record.

    Examples
    --------
    >>> table, _ = parse_columns('text,mood\\nThey won.,glad\\n"They lost, alas.",sad\\nA goal!,glad\\nOh,sad\\n')
    >>> table.names, table.rows[1], table.lines
    (('text', 'mood'), ['They lost, alas.', 'sad'], [2, 3, 4, 5])
    """
    if delimiter is None:
        delimiter = _sniffed_delimiter(text, name, quote)
    lines, rows = [], []
    for line, fields in _records(text, name, delimiter, quote):
        lines.append(line)
        rows.append([field.strip() for field in fields])
    if not rows:
        raise CorpusError(f"{name}: expected a label and a text a line, got none")
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(rows[0]) or len(row) < 2:
            wanted = f"{len(rows[0])} as in line {lines[0]}" if len(rows[0]) > 1 else "two or more, a label and a text"
            raise CorpusError(
                f"{name}, line {line}: got {counted(len(row), 'field')}; expected {wanted}, parted by "
                f"{DELIMITERS.get(delimiter, repr(delimiter))}: a text that holds it needs quotes around it"
            )
    if header is None:
        has_all = bool(column_names) and all(_place(rows[0], wanted) is not None for wanted in column_names)
        header = has_all or looks_like_header(rows)
    names = tuple(rows[0]) if header else None
    if names and len(rows) == 1:
        raise CorpusError(f"{name}: expected a label and a text a line, got no line but the header {', '.join(names)}")
    return Table(names, rows[int(header) :], lines[int(header) :]), delimiter


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first record names the columns, judged by what stands in it and in the others.

    It does not if a field is more than a short name, or if the first label occurs again. It does if a column is called
    as labels or texts usually are, or holds nothing but numbers below; if the columns are numbered 0, 1, … and hold no
    numbers; or if every other label occurs several times and the texts are longer than their name.

    Examples
    --------
    >>> looks_like_header([["text", "category"], ["Where is my card?", "card_arrival"]])
    True
    >>> looks_like_header([["ham", "See you at noon."], ["spam", "Win a prize!"]])
    False
    """
    first, others = rows[0], rows[1:]
    filled = [field for field in first if field]
    numbered = filled == [str(column) for column in range(len(filled))]  # as pandas names columns by itself
    if not filled or len(set(filled)) < len(filled):
        return False
    if not numbered and not all(_NAME.fullmatch(field) and len(field) <= _LONGEST_NAME for field in filled):
        return False
    if not others:
        return any(map(_is_label_name, first)) and any(map(_is_text_name, first))
    label = _label_by_shape(others)
    labels = Counter(row[label] for row in others)
    if first[label] in labels:
        return False
    label_named, text_named = list(map(_is_label_name, first)), list(map(_is_text_name, first))
    if any(label_named) and any(text_named):
        return True
    beside = [column for column in range(len(first)) if column != label]
    if label_named[label] or any(text_named[column] for column in beside):
        return True
    numbers = [all(is_number(row[column]) for row in others) for column in range(len(first))]
    if numbered:
        return len(filled) > 1 and not any(
            of_numbers for field, of_numbers in zip(first, numbers, strict=True) if field
        )
    if any(field and of_numbers for field, of_numbers in zip(first, numbers, strict=True)):
        return True
    words = max(sum(len(row[column].split()) for row in others) for column in beside) / len(others)
    return min(labels.values()) > 1 and words >= _WORDS_OF_A_TEXT and all(" " not in field for field in first)


def parse_json_lines(text: str, name: str = "the text given") -> Table:
    """Read a JSON object a line; its keys are the columns.

    Parameters
    ----------
    text : str
        Blank lines are passed over.
    name : str
        How an error names it.

    Returns
    -------
    Table
        The columns are those of the first object.

    Raises
    ------
    CorpusError
        If a line is no JSON object, or there is none.

    Examples
    --------
    >>> parse_json_lines('{"text": "They won.", "label": "sport"}\\n').rows
    [['They won.', 'sport']]
    """
    rows: list[list[Any]] = []
    lines: list[int] = []
    names: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        wanted = 'expected one JSON object a line, such as {"text": "They won.", "label": "sport"}'
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            hint = "; is it one JSON text over several lines? Write each of its objects on a line" if not rows else ""
            raise CorpusError(f"{name}, line {number}: this is no JSON ({error}); {wanted}{hint}") from None
        if not isinstance(found, dict):
            hint = "; write each object of the list on a line" if isinstance(found, list) else ""
            raise CorpusError(f"{name}, line {number}: got {_kind(found)}; {wanted}{hint}")
        names = names or tuple(found)
        rows.append([found.get(key, _MISSING) for key in names])
        lines.append(number)
    if not rows:
        raise CorpusError(f"{name}: expected a JSON object a line, got an empty file")
    return Table(names, rows, lines)


def looks_like_json_lines(text: str) -> bool:
    """Whether the first line that is not blank is a JSON object.

    Examples
    --------
    >>> looks_like_json_lines('{"text": "They won."}\\n'), looks_like_json_lines("{a},b\\n")
    (True, False)
    """
    first = text.lstrip().partition("\n")[0]
    if not first.startswith("{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _records(
    text: str, name: str, delimiter: str, quote: str | None, most: int | None = None
) -> list[tuple[int, list[str]]]:
    """The records that are not blank, ``most`` of them at most, each with the number of its first line."""
    quoting: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if quote is None else {"quotechar": quote}
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True, **quoting)
    records: list[tuple[int, list[str]]] = []
    first_line = 1
    usual_limit = csv.field_size_limit()
    csv.field_size_limit(max(usual_limit, len(text)))  # a text may be as long as the file
    try:
        for fields in rows:
            if len(fields) > 1 or (fields and fields[0].strip()):
                records.append((first_line, fields))
            if len(records) == most:
                break
            first_line = rows.line_num + 1
    except csv.Error as error:
        raise CorpusError(
            f"{name}, line {first_line}: {error}; expected quotes around a whole field and doubled inside it, or give "
            f"quote=None (--no-quotes) if they mean nothing in this file"
        ) from None
    finally:
        csv.field_size_limit(usual_limit)
    return records


def _sniffed_delimiter(text: str, name: str, quote: str | None) -> str:
    """The delimiter that parts each of the first records in two, else in equally many, else the first one at all."""
    failures, in_many, ragged = [], [], []
    for delimiter in DELIMITERS:
        try:
            records = _records(text, name, delimiter, quote, most=_SNIFFED_RECORDS)
        except CorpusError as failure:
            failures.append(failure)
            continue
        if not records:
            raise CorpusError(f"{name}: expected a label and a text a line, got an empty file")
        sizes = {len(fields) for _, fields in records}
        if sizes == {2}:
            return delimiter
        if len(sizes) == 1 and 1 not in sizes:
            in_many.append(delimiter)
        elif len(records[0][1]) > 1:
            ragged.append(delimiter)
    if in_many:
        return in_many[0]
    if failures:
        raise failures[0]
    if ragged:
        return ragged[0]  # whoever reads all records says which line differs from the first
    raise CorpusError(
        f"{name}: none of {', '.join(DELIMITERS.values())} parts every line in two, a label and a text; say which "
        f"character does with delimiter= (--delimiter), put quotes around texts that hold it, or read features with "
        f"form='svmlight' (--format svmlight)"
    )


# --------------------------------------------------------------------------------------------- from records to examples


def choose_columns(
    table: Table, name: str, label_column: int | str | None = None, text_column: int | str | None = None
) -> tuple[int, int]:
    """Which columns hold label and text.

    Parameters
    ----------
    table : Table
    name : str
        How an error names the file.
    label_column, text_column : int or str, optional
        The number of a column, the first is 0, or its name. Not given, a column is found by the names that such columns
        usually have (`LABEL_NAMES`, `TEXT_NAMES`); or it is the one of two that is left. Of two columns without such
        names the one with fewer different values, then with fewer words, has the labels.

    Returns
    -------
    label, text : int
        Their numbers.

    Raises
    ------
    InputError
        If there is no such column, both are the same one, or it is not plain which is meant.

    Examples
    --------
    >>> choose_columns(Table(("id", "Text", "intent"), [["1", "Hello", "greet"]], [2]), "mine.csv")
    (2, 1)
    """
    width = len(table.rows[0])
    label = None if label_column is None else _resolve(table, name, "label_column", label_column)
    text = None if text_column is None else _resolve(table, name, "text_column", text_column)
    if label is None:
        label = _known(table, LABEL_NAMES, other=text)
    if text is None:
        text = _known(table, TEXT_NAMES, other=label)
    if width == 2:
        if label is None:
            label = _label_by_shape([list(map(str, row)) for row in table.rows]) if text is None else 1 - text
        text = 1 - label if text is None else text
    if label is None or text is None:
        what = "label" if label is None else "text"
        columns = ", ".join(_named_and_numbered(table, column) for column in range(width))
        raise InputError(
            f"{name} has {counted(width, 'column')} ({columns}), and it is not plain which holds the {what}; say so with "
            f"{what}_column= (--{what}-column)"
        )
    if label == text:
        raise InputError(
            f"label_column and text_column must be different columns, but both are {table.column_named(label)} of {name}"
        )
    return label, text


def labels_and_texts(table: Table, name: str, label: int, text: int) -> tuple[list[str], list[str]]:
    """Labels and texts of all records; a text may be empty, a label not.

    Raises
    ------
    CorpusError
        If a label is empty, or a value of JSON is missing or of another kind.
    """
    labels, texts = [], []
    for line, row in zip(table.lines, table.rows, strict=True):
        found = _as_label(row[label])
        if not found:
            got = "empty" if isinstance(found, str) else _kind(row[label])
            raise CorpusError(
                f"{name}, line {line}: the label, in {table.column_named(label)}, is {got}; expected a word or a number"
            )
        if not isinstance(row[text], str):
            raise CorpusError(
                f"{name}, line {line}: the text, in {table.column_named(text)}, is {_kind(row[text])}; expected text in quotes"
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


def _resolve(table: Table, name: str, setting: str, wanted: int | str) -> int:
    option = f"--{setting.replace('_', '-')}"
    width = len(table.rows[0])
    if isinstance(wanted, str):
        if table.names is None:
            raise InputError(
                f"{setting} is {wanted!r}, but {name} has no header with names; give the number of the column, 0 to "
                f"{width - 1}, or say header=True (--header) if its first line is one"
            )
        if sum(found == wanted for found in table.names) > 1:
            raise InputError(
                f"{name} has several columns {wanted!r}; give {setting} ({option}) the number of one, from 0 on"
            )
        place = _place(table.names, wanted)
        if place is None:
            names = [found if len(found) <= _LONGEST_NAME else f"{found[:_LONGEST_NAME]}…" for found in table.names]
            raise InputError(f"{name} has no column {wanted!r} for {setting} ({option}){nearest(wanted, names)}")
        return place
    if not 0 <= wanted < width:
        raise InputError(
            f"{setting} is {wanted}, but {name} has {counted(width, 'column')}: give a number from 0 to {width - 1} ({option})"
        )
    return wanted


def _place(names: Sequence[str], wanted: str) -> int | None:
    """The number of the column of a name, however it is capitalised; None if there is none."""
    if wanted in names:
        return names.index(wanted)
    alike = [column for column, found in enumerate(names) if _plain(found) == _plain(wanted)]
    return alike[0] if len(alike) == 1 else None


def _known(table: Table, usual: Sequence[str], other: int | None) -> int | None:
    """The column with the surest of the usual names."""
    plain = [_plain(found) if column != other else "" for column, found in enumerate(table.names or ())]
    return next((plain.index(wanted) for wanted in usual if wanted in plain), None)


def _label_by_shape(rows: Sequence[Sequence[str]]) -> int:
    """The column with the fewest different values; of several, the one with the fewest words; of several, the first."""

    def size(column: int) -> tuple[int, int]:
        values = [row[column] for row in rows]
        return len(set(values)), sum(len(value.split()) for value in values)

    return min(range(len(rows[0])), key=size)


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _is_label_name(name: str) -> bool:
    return _plain(name) in LABEL_NAMES


def _is_text_name(name: str) -> bool:
    return _plain(name) in TEXT_NAMES


def _named_and_numbered(table: Table, column: int) -> str:
    return (
        f"{column} {table.names[column]!r}" if table.names else f"{column} such as {_shown(str(table.rows[0][column]))}"
    )


def _kind(value: Any) -> str:
    """How a message speaks of a value of JSON."""
    if value is _MISSING:
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


def _shown(text: str) -> str:
    return repr(text if len(text) <= 30 else text[:27] + "…")
