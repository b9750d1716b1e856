"""Records of columns (CSV, TSV) or of JSON lines, as a `Table`.

What a caller does not say is guessed from the file: the delimiter from how it divides the first records, a header from what
stands in it and in the records below.
"""

import contextlib
import csv
import io
import itertools
import json
import re
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from lxmls_day1.engine.text.column_choice import (
    LONGEST_NAME,
    MISSING,
    Table,
    columns_in_use,
    find_name,
    is_label_name,
    is_text_name,
    kind_of,
    label_by_shape,
)
from lxmls_day1.engine.text.svmlight import is_number
from lxmls_day1.errors import CorpusError, check_content, counted

DELIMITERS = {"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a bar"}
_SNIFFED_RECORDS = 100
_NAME = re.compile(r"[^\W\d][\w#/()-]*(?: [\w#/()-]+){0,2}")  # three words at most, and none of a sentence's marks
_WORDS_OF_A_TEXT = 3  # on average, for a column to be taken for text without a name


def parse_columns(
    text: str,
    name: str = "the text given",
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = '"',
    column_names: Sequence[str] = (),
) -> tuple[Table, str]:
    """Read records whose fields are separated by a character.

    Parameters
    ----------
    text : str
        The content of a file, line ends as they are.
    name : str
        How an error names it.
    delimiter : str, optional
        The character between the fields. Not given, it is the first of tab, comma, semicolon and bar that divides each
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
        If records differ in their number of fields or have only one, a quote does not close, or there is no record.

    Examples
    --------
    >>> table, _ = parse_columns('text,mood\\nThey won.,glad\\n"They lost, alas.",sad\\nA goal!,glad\\nOh,sad\\n')
    >>> table.names, table.rows[1], table.lines
    (('text', 'mood'), ['They lost, alas.', 'sad'], [2, 3, 4, 5])
    """
    text = check_content(text)
    if delimiter is None:
        delimiter = _sniffed_delimiter(text, name, quote)
    lines, rows = [], []
    for line, fields in _records(text, name, delimiter, quote):
        lines.append(line)
        rows.append([field.strip() for field in fields])
    if not rows:
        raise CorpusError(f"{name}: expected a label and a text a line, got none")
    check_widths(rows, lines, name, delimiter, len(rows[0]), lines[0])
    if header is None:
        has_all = bool(column_names) and all(find_name(rows[0], wanted) is not None for wanted in column_names)
        header = has_all or looks_like_header(rows)
    names = tuple(rows[0]) if header else None
    if names and len(rows) == 1:
        raise CorpusError(f"{name}: expected a label and a text a line, got no line but the header {', '.join(names)}")
    return Table(names, rows[int(header) :], lines[int(header) :]), delimiter


def check_widths(
    rows: Sequence[Sequence[str]], lines: Sequence[int], name: str, delimiter: str, width: int, first_line: int
) -> None:
    """Refuse records that have not as many fields as the first, which is in ``first_line``.

    Raises
    ------
    CorpusError
        With the line of the first such record.
    """
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width or width < 2:
            wanted = f"{width} as in line {first_line}" if width > 1 else "two or more, a label and a text"
            raise CorpusError(
                f"{name}, line {line}: got {counted(len(row), 'field')}; expected {wanted}, parted by "
                f"{DELIMITERS.get(delimiter, repr(delimiter))}: a text that holds it needs quotes around it"
            )


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first record names the columns, judged by what stands in it and in the others.

    It does not if a field is more than a short name, or if the first label occurs again. It does if a column is called
    as labels or texts usually are, or holds nothing but numbers below; if the columns are numbered 0, 1, … and hold no
    numbers; or if every other label occurs several times and the texts are longer than their name, which is one word, or ends
    with what such columns are usually called.

    Examples
    --------
    >>> looks_like_header([["text", "category"], ["Where is my card?", "card_arrival"]])
    True
    >>> looks_like_header([["ham", "See you at noon."], ["spam", "Win a prize!"]])
    False
    """
    in_use = columns_in_use(rows)
    if len(in_use) < len(rows[0]):
        rows = [[row[column] for column in in_use] for row in rows]
    first, others = rows[0], rows[1:]
    filled = [field for field in first if field]
    numbered = filled == [str(column) for column in range(len(filled))]  # as pandas names columns by itself
    if not filled or any(filled.count(field) > 1 and not _is_usual(field) for field in filled):
        return False
    if not numbered and not all(_NAME.fullmatch(field) and len(field) <= LONGEST_NAME for field in filled):
        return False
    if not others:
        return any(map(is_label_name, first)) and any(map(is_text_name, first))
    label = label_by_shape(others)
    labels = Counter(row[label] for row in others)
    if first[label] in labels:
        return False
    label_named, text_named = list(map(is_label_name, first)), list(map(is_text_name, first))
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
    named = all(" " not in field or _is_usual(field.split()[-1]) for field in first)  # "the label", "review text"
    return min(labels.values()) > 1 and words >= _WORDS_OF_A_TEXT and named


def _is_usual(name: str) -> bool:
    return is_label_name(name) or is_text_name(name)


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
    text = check_content(text)
    table = json_records(text.split("\n"), name)
    if not table.rows:
        raise CorpusError(f"{name}: expected a JSON object a line, got an empty file")
    return table


def json_records(lines: Iterable[str], name: str, first_line: int = 1, names: tuple[str, ...] = ()) -> Table:
    """The same of some lines of a file, which may be blank.

    Parameters
    ----------
    lines : iterable of str
    name : str
    first_line : int
        The number of the first of them.
    names : tuple of str
        The columns; those of the first object if there are none.
    """
    rows: list[list[Any]] = []
    numbers: list[int] = []
    wanted = 'expected one JSON object a line, such as {"text": "They won.", "label": "sport"}'
    for number, line in enumerate(lines, start=first_line):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            hint = "; is it one JSON text over several lines? Write each of its objects on a line" if not names else ""
            raise CorpusError(f"{name}, line {number}: this is no JSON ({error}); {wanted}{hint}") from None
        if not isinstance(found, dict):
            hint = "; write each object of the list on a line" if isinstance(found, list) else ""
            raise CorpusError(f"{name}, line {number}: got {kind_of(found)}; {wanted}{hint}")
        names = names or tuple(found)
        rows.append([found.get(key, MISSING) for key in names])
        numbers.append(number)
    return Table(names, rows, numbers)


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


def column_records(
    lines: Iterable[str], name: str, delimiter: str, quote: str | None, longest: int
) -> Generator[tuple[int, list[str]], None, None]:
    """The records of columns that are not blank, each with the number of its first line; the fields as they stand there.

    Parameters
    ----------
    lines : iterable of str
        With their ends.
    name, delimiter, quote
        As for `parse_columns`.
    longest : int
        How many characters a field may have.

    Raises
    ------
    CorpusError
        If a quote does not close, or closes before the end of its field.

    Examples
    --------
    >>> list(column_records(["a,b\\n", "\\n", '"c\\n', 'd",e\\n'], "mine.csv", ",", '"', longest=100))
    [(1, ['a', 'b']), (3, ['c\\nd', 'e'])]
    """
    quoting: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if quote is None else {"quotechar": quote}
    rows = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True, **quoting)
    first_line = 1
    usual_limit = csv.field_size_limit()
    csv.field_size_limit(max(usual_limit, longest))
    try:
        for fields in rows:
            if len(fields) > 1 or (fields and fields[0].strip()):
                yield first_line, fields
            first_line = rows.line_num + 1
    except csv.Error as error:
        raise CorpusError(
            f"{name}, line {first_line}: {error}; expected quotes around a whole field and doubled inside it, or give "
            f"quote=None (--no-quotes) if they mean nothing in this file"
        ) from None
    finally:
        csv.field_size_limit(usual_limit)


def _records(
    text: str, name: str, delimiter: str, quote: str | None, most: int | None = None
) -> list[tuple[int, list[str]]]:
    """The records of a text, ``most`` of them at most."""
    lines = io.StringIO(text, newline="")
    records = column_records(lines, name, delimiter, quote, longest=len(text))  # a text may be as long as the file
    with contextlib.closing(records):
        return list(itertools.islice(records, most))


def _sniffed_delimiter(text: str, name: str, quote: str | None) -> str:
    """The delimiter that divides each of the first records in two, else in equally many, else the first line at all."""
    first_line = text.lstrip().partition("\n")[0]
    failures, in_many, doubtful = [], [], []
    for delimiter in DELIMITERS:
        if delimiter == quote:
            continue
        try:
            records = _records(text, name, delimiter, quote, most=_SNIFFED_RECORDS)
        except CorpusError as failure:
            failures.append(failure)
            doubtful += [delimiter] if delimiter in first_line else []
            continue
        if not records:
            raise CorpusError(f"{name}: expected a label and a text a line, got an empty file")
        sizes = {len(fields) for _, fields in records}
        if sizes == {2}:
            return delimiter
        if len(sizes) == 1 and 1 not in sizes:
            in_many.append(delimiter)
        elif len(records[0][1]) > 1:
            doubtful.append(delimiter)
    if in_many or doubtful:
        return (in_many or doubtful)[0]  # whoever reads all records says which line differs from the first
    if failures:
        raise failures[0]
    raise CorpusError(
        f"{name}: none of {', '.join(DELIMITERS.values())} parts every line in two, a label and a text; say which "
        f"character does with delimiter= (--delimiter), put quotes around texts that hold it, or read features with "
        f"form='svmlight' (--format svmlight)"
    )
