"""Guesses about a file of labelled examples: its form, the delimiter, a header, and the columns of label and text.

Each guess uses the records of the first megabyte of the first file, and the options of the caller take precedence. The reader
reports the detected layout in one sentence, so a wrong guess is visible. The rules are therefore few and predictable. In this order:

**Form** (`looks_like_json_lines`). The file extension decides (``.csv``, ``.jsonl``, ``.svmlight``, …). If the extension is unknown, a
file whose first line is a JSON object holds JSON Lines, and any other file holds columns.

**Head** (`head_of_table`). A first line `sep=;` names the delimiter, as in Excel. Comments (``# …``) and a title before a header are
skipped. Every skipped line is reported.

**Delimiter** (`guess_delimiter`). Tab, comma, semicolon and bar are tried in this order on the first 100 records. The first delimiter
that splits every record into two fields is used, since most files have a label and a text. Otherwise the first one that gives every
record the same number of fields is used, or else the first one that splits the first line at all. In the last case the reader stops at
the line that differs, and names it.

**Header** (`looks_like_header`). A wrong guess would lose an example, or turn a column name into a class. So the first record must look
like names: short, alphabetic, without duplicates, and not a label that occurs again below. If it has a usual name of a label column and
one of a text column, its other names may be of any kind. Then it is a header if

- a column has a usual name of label or text columns (`LABEL_NAMES`, `TEXT_NAMES`);
- or a column with a name contains only numbers below;
- or the names are 0, 1, 2, … as pandas writes them, and no column contains only numbers;
- or every label below occurs at least twice, the texts have three words or more on average, and no name is a phrase.

**Columns** (`choose_columns`). Usual names of such columns decide, the most reliable names first. If one of two columns is known, the
other role goes to the other column. If neither of two columns has a usual name, the column with fewer distinct values has the
labels, because most files repeat labels but not texts; if both have equally many, the column with fewer words; else the first.
Columns that are empty in all records are ignored. Among three or more columns without usual names nothing is guessed: the error lists
the columns.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple

from lxmls_day1.base.errors import CorpusError, InputError, pluralize, quoted
from lxmls_day1.engine.text.svmlight import is_number
from lxmls_day1.engine.text.tables import DELIMITERS, RecordTable, column_records, normalized_name, requested_column

#: Usual names of columns of labels and of texts, the most reliable names first.
LABEL_NAMES = (
    *("label", "labels", "category", "class", "intent", "target", "sentiment", "topic", "polarity", "emotion"),
    *("label_text", "gold_label", "coarse_label", "tag", "y", "stars", "rating"),
)
TEXT_NAMES = (
    *("text", "texts", "sentence", "utterance", "document", "content", "message", "review", "review_text"),
    *("comment", "body", "tweet", "question", "query", "phrase"),
)
_MAX_RECORDS_TRIED = 100
# At most three words, without punctuation of sentences; dots only inside a word.
_NAME = re.compile(r"[^\W\d][\w#/()-]*(?:\.[\w#/()-]+)*(?: [\w#/()-]+(?:\.[\w#/()-]+)*){0,2}")
_DRAWN_LINE = re.compile(r"[-=_*:+]{3,}")
_MAX_NAME_CHARS = 40
_MIN_WORDS_PER_TEXT = 3  # minimum average of a text column without a usual name
_MAX_COLUMNS_SHOWN = 12
_MAX_HEAD_LINES = 20
_DIALECTS = (
    (
        re.compile(r"(?:__label__[^\s,;|]+ +)+\S"),
        "fastText",
        r"write it as TSV, `sed 's/^__label__\([^ ]*\) */\1\t/' FILE > FILE.tsv`",
    ),
    (
        re.compile(
            r"[-+]?\d+(?:\.\d+)?(?: [\d.]+)*(?: '\S*?| )\|(?:[^\s|]+ |.*\S:[-+.\d])|(?:\d+:(?:[\d.]+:)?\d*\.\d+ )[\d:. ]*\|"
        ),
        "Vowpal Wabbit",
        "write its features as svmlight (`1 3:2 7:1`), or its texts as CSV with a label and a text",
    ),
)
_SEP = re.compile(r'\s*"?sep=(\\t|[^\r\n"])"?[,;|\t]*\s*', re.IGNORECASE)


def looks_like_json_lines(text: str) -> bool:
    """Return True if the first non-blank line is a JSON object.

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


class Head(NamedTuple):
    """The lines before a table."""

    n_lines: int
    delimiter: str | None  # the delimiter that ``sep=`` names, or the caller's
    notes: list[str]  # notes about the skipped lines


def head_of_table(text: str, delimiter: str | None, quote: str | None, first_line: int = 1) -> Head:
    """Find the lines before a table: ``sep=``, comments, a title.

    Parameters
    ----------
    text : str
        The beginning of the file.
    delimiter : str, optional
        The delimiter from the caller; it takes precedence over ``sep=``.
    quote : str, optional
    first_line : int
        The number of the first line of the text, for the notes.

    Examples
    --------
    >>> head_of_table("sep=;\\nMy reviews;\\nlabel;text\\npos;good\\n", None, '"')
    Head(n_lines=2, delimiter=';', notes=["line 1 names the delimiter, 'sep=;'", "line 2 is a title, 'My reviews;', and is skipped"])
    """
    lines = text.split("\n", _MAX_HEAD_LINES + _MAX_RECORDS_TRIED)[: _MAX_HEAD_LINES + _MAX_RECORDS_TRIED]
    notes: list[str] = []
    place = 0
    if named := _SEP.fullmatch(lines[0]):
        delimiter = delimiter or ("\t" if named[1] == "\\t" else named[1])
        notes.append(f"line {first_line} names the delimiter, {quoted(lines[0].strip(), 30)}")
        place = 1
    found = place
    while place < min(_MAX_HEAD_LINES, len(lines) - 1):
        line = lines[place].strip("\r")
        what = "" if not line.strip() else _kind_of_head_line(line, lines[place + 1 :], delimiter, quote)
        if line.strip() and not what:
            break
        place += 1
        if what:
            notes.append(f"line {first_line + place - 1} is {what}, {quoted(line, 30)}, and is skipped")
            found = place
    return Head(found, delimiter, notes)


def _kind_of_head_line(line: str, below: Sequence[str], delimiter: str | None, quote: str | None) -> str:
    """Classify a line before the table: return "a comment", "a title", or an empty string if it belongs to the table."""
    if line.startswith(("# ", "#!", "##")) or line.rstrip() == "#":
        return "a comment"
    if quote and line.count(quote) % 2:
        return ""
    lines_below = [f"{other}\n" for other in below]
    for parted_by in [delimiter] if delimiter else DELIMITERS:
        cells = [cell.strip() for cell in line.split(parted_by)]
        try:
            tried = islice(column_records(lines_below, "", parted_by, quote), _MAX_RECORDS_TRIED)
            records = [row for _, row in tried]
        except CorpusError:
            continue
        while records and sum(map(bool, records[0])) < 2:  # another title line
            del records[0]
        widths = {len(row) for row in records[:-1]}
        if len(widths) != 1 or min(widths) < 2:
            continue
        records = [[field.strip() for field in row] for row in records if len(row) in widths]
        filled = [cell for cell in cells if cell]
        if line.startswith("#") and len(cells) != len(records[0]):
            return "a comment"
        is_alone = len(filled) == 1 and (len(cells) == len(records[0]) or looks_like_header(records))
        is_title = is_alone or (names_columns(records[0]) and not names_columns(cells))
        if is_title and not any(cell in row for row in records for cell in filled):
            return "a title"
    return ""


def names_columns(row: Sequence[str]) -> bool:
    """Return True if one field is a usual name of a label column, and another field one of a text column.

    Examples
    --------
    >>> names_columns(["id", "Text", "intent"]), names_columns(["label", "a text"])
    (True, False)
    """
    plain = {normalized_name(field) for field in row}
    return not plain.isdisjoint(LABEL_NAMES) and not plain.isdisjoint(TEXT_NAMES)


def refuse_other_format(text: str, name: str) -> None:
    """Raise an InputError for a file of fastText or Vowpal Wabbit, which cannot be split by delimiters.

    Examples
    --------
    >>> refuse_other_format("1 |words good:2 film\\n", "it")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: it is a file of Vowpal Wabbit; write its features as svmlight (`1 3:2 7:1`), or its texts as CSV ...
    """
    line = text.lstrip().partition("\n")[0]
    for pattern, program, remedy in _DIALECTS:
        if pattern.match(line):
            raise InputError(f"{name} is a file of {program}; {remedy}; --format overrules this (form=)")


def guess_delimiter(lines: Sequence[str], name: str, quote: str | None, whole: bool = True) -> str:
    """Return the character that separates the fields of these records.

    Parameters
    ----------
    lines : sequence of str
        The lines with their line ends; at least those of the first 100 records.
    name : str
        The name of the file in error messages.
    quote : str, optional
        The quotation character around fields.
    whole : bool
        True if these are all lines of the file; otherwise the last record may be incomplete.

    Raises
    ------
    CorpusError
        If none of `DELIMITERS` splits the first record.

    Examples
    --------
    >>> guess_delimiter(["a;x, y\\n", "b;u, v, w\\n"], "mine.csv", '"')
    ';'
    """
    first_line = next((line for line in lines if line.strip()), "")
    failures, in_many, doubtful = [], [], []
    for delimiter in DELIMITERS:
        if delimiter == quote:
            continue
        records: list[tuple[int, list[str]]] = []
        try:
            records.extend(islice(column_records(lines, name, delimiter, quote), _MAX_RECORDS_TRIED))
        except CorpusError as failure:
            if whole or not records:
                failures.append(failure)
                doubtful += [delimiter] if delimiter in first_line else []
                continue
        widths = {len(fields) for _, fields in records}
        if widths <= {2}:
            return delimiter
        if len(widths) == 1 and 1 not in widths:
            in_many.append(delimiter)
        elif len(records[0][1]) > 1:
            doubtful.append(delimiter)
    if in_many or doubtful:
        return (in_many or doubtful)[0]  # The code that reads all records reports the line that differs.
    if failures:
        raise failures[0]
    raise CorpusError(
        f"{name}: none of {', '.join(DELIMITERS.values())} splits every line into a label and a text; say which "
        f"character does with delimiter= (--delimiter), put quotes around texts that contain it, skip lines before the table with "
        f"skip_lines= (--skip-lines), or read features with form='svmlight' (--format svmlight)"
    )


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if the first record names the columns, by the rules at the head of this file.

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
    if any(map(is_usual_name, first)):  # Concatenated files repeat the header.
        others = [row for row in others if row != first]
    filled = [field for field in first if field]
    is_numbered = filled == [str(column) for column in range(len(filled))]
    # The columns beside two sure ones may have any names, such as "Unnamed: 0" of pandas.
    both_named = names_columns(first)
    if not filled or not (both_named or are_different_names(filled) or is_numbered):
        return False
    plain = [normalized_name(field) for field in first]
    if not others:
        return both_named
    label = label_by_shape(others)
    labels = Counter(row[label] for row in others)
    if first[label] in labels:
        return False
    beside = [column for column in range(len(first)) if column != label]
    if both_named or plain[label] in LABEL_NAMES or any(plain[column] in TEXT_NAMES for column in beside):
        return True
    of_numbers = [bool(first[column]) and all(is_number(row[column]) for row in others) for column in range(len(first))]
    if is_numbered:
        return len(filled) > 1 and not any(of_numbers)
    if any(of_numbers):
        return True
    words = max(sum(len(row[column].split()) for row in others) for column in beside) / len(others)
    # "the label", "review text"
    are_names = all(" " not in field or is_usual_name(field.split()[-1]) for field in first)
    return min(labels.values()) > 1 and words >= _MIN_WORDS_PER_TEXT and are_names


def are_different_names(fields: Sequence[str]) -> bool:
    """Return True if all fields are short names, and only usual names occur several times."""
    if any(number > 1 and not is_usual_name(field) for field, number in Counter(fields).items()):
        return False
    return all(_NAME.fullmatch(field) and len(field) <= _MAX_NAME_CHARS for field in fields)


def is_usual_name(name: str) -> bool:
    """Return True if a name is a usual name of label or text columns."""
    return normalized_name(name) in (*LABEL_NAMES, *TEXT_NAMES)


def suspicious_label_kind(label: str) -> str:
    """Describe a string that does not look like a label, such as "a comment"; return an empty string if it looks like one.

    Examples
    --------
    >>> suspicious_label_kind("Review-Text"), suspicious_label_kind("% of 2024"), suspicious_label_kind("spam")
    ('the name of a column', 'a comment', '')
    """
    if label.startswith(("#", "%", "//")):
        return "a comment"
    if is_usual_name(label):
        return "the name of a column"
    return "a line drawn under a header" if _DRAWN_LINE.fullmatch(label) else ""


def labels_that_look_alike(labels: Iterable[str]) -> list[str]:
    """Return each group of labels that differ only in case, number format, Unicode normal form, blanks or invisible characters.

    Letters outside ASCII are escaped where labels of a group would look the same.

    Examples
    --------
    >>> labels_that_look_alike(["5", "pos", "5.0", "POS", "neg", "\\u200bneg"])
    ["'5' and '5.0'", "'POS' and 'pos'", "'neg' and '\\\\u200bneg'"]
    """
    groups: dict[str | Decimal, list[str]] = {}
    for label in sorted(labels):
        visible = "".join(c for c in unicodedata.normalize("NFKC", label) if unicodedata.category(c) != "Cf")
        plain = " ".join(visible.casefold().split())
        groups.setdefault(Decimal(plain) if is_number(plain) else plain, []).append(label)
    alike = []
    for group in (group for group in groups.values() if len(group) > 1):
        look_the_same = len({unicodedata.normalize("NFC", label) for label in group}) < len(group)
        alike.append(" and ".join(map(ascii if look_the_same else repr, group)))
    return alike


def choose_columns(
    table: RecordTable, name: str, label_column: int | str | None = None, text_column: int | str | None = None
) -> tuple[int, int]:
    """Return the columns of label and text.

    Parameters
    ----------
    table : RecordTable
    name : str
        The name of the file in error messages.
    label_column, text_column : int or str, optional
        The number (from 0) or name of a column. Default: the column with a usual name (`LABEL_NAMES`, `TEXT_NAMES`), or the
        remaining one of two columns. If neither of two columns has a usual name, the column with fewer distinct values, then
        with fewer words, has the labels. Columns that are empty in all records are ignored.

    Returns
    -------
    label, text : int
        The numbers of the two columns.

    Raises
    ------
    InputError
        If a requested column does not exist, both are the same column, or the guess is ambiguous.

    Examples
    --------
    >>> choose_columns(RecordTable(("id", "Text", "intent"), [["1", "Hello", "greet"]], [2]), "mine.csv")
    (2, 1)
    """
    width = len(table.rows[0])
    label = None if label_column is None else requested_column(table, name, "label_column", label_column)
    text = None if text_column is None else requested_column(table, name, "text_column", text_column)
    if label is None:
        label = _column_with_usual_name(table, LABEL_NAMES, excluded=text)
    if text is None:
        text = _column_with_usual_name(table, TEXT_NAMES, excluded=label)
    in_use = columns_in_use(table.rows)
    pair = range(width) if width == 2 else in_use
    if len(pair) == 2:
        if label is None and text is None:
            label = pair[label_by_shape([[row[column] for column in pair] for row in table.rows])]
        label = next(column for column in pair if column != text) if label is None else label
        text = next(column for column in pair if column != label) if text is None else text
    if label is None or text is None:
        what = "label" if label is None else "text"
        others = [column for column in in_use if column != label]
        if what == "text" and others and all(_is_number(row[column]) for row in table.rows for column in others):
            raise InputError(
                f"{name} holds numbers, and labelled text is expected; a table of numbers can be an svmlight file (lines such as "
                "`1 1:0.5 3:2`), or an array that Python gives to `train`"
            )
        columns = [_named_and_numbered(table, column) for column in (in_use or range(width))[:_MAX_COLUMNS_SHOWN]]
        columns += ["…"] * (len(in_use or range(width)) > _MAX_COLUMNS_SHOWN)
        raise InputError(
            f"{name} has {pluralize(width, 'column')} ({', '.join(columns)}), and it is unclear which holds the {what}; name it with "
            f"{what}_column= (--{what}-column)"
        )
    if label == text:
        raise InputError(
            f"label_column and text_column must be different columns, but both are {table.column_named(label)} of {name}"
        )
    return label, text


def _column_with_usual_name(table: RecordTable, usual_names: Sequence[str], excluded: int | None) -> int | None:
    """Return the column with the most reliable usual name; ignore a name that several columns have."""
    plain = [normalized_name(found) if column != excluded else "" for column, found in enumerate(table.names or ())]
    return next((plain.index(wanted) for wanted in usual_names if plain.count(wanted) == 1), None)


def columns_in_use(rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the columns that are not empty in all records.

    A delimiter at the end of every line makes an empty column.

    Examples
    --------
    >>> columns_in_use([["They won.", "sport", ""], ["Alas.", "sport", ""]])
    [0, 1]
    """
    return [column for column in range(len(rows[0])) if any(row[column] != "" for row in rows)]


def label_by_shape(rows: Sequence[Sequence[Any]]) -> int:
    """Return the column with the fewest distinct values; of several, the one with the fewest words; of several, the first."""
    columns = [[str(row[column]) for row in rows] for column in range(len(rows[0]))]
    nr_values = [len(set(values)) for values in columns]
    least = min(nr_values)
    fewest = [column for column, nr in enumerate(nr_values) if nr == least]
    if len(fewest) == 1:
        return fewest[0]  # Most files end here, so that no text needs to be split.
    return min(fewest, key=lambda column: sum(len(value.split()) for value in columns[column]))


def _is_number(text: str) -> bool:
    """Return True if a cell is a number.

    >>> _is_number("-1.5e3"), _is_number("1 star")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def _named_and_numbered(table: RecordTable, column: int) -> str:
    shown = repr(table.names[column]) if table.names else f"such as {quoted(str(table.rows[0][column]), 30)}"
    return f"{column} {shown}"
