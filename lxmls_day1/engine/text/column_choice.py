"""Which columns of a table hold the labels and the texts, and what stands in them.

Columns are named or numbered by the caller, or found from the names that such columns usually have, or, where there are only two, from what
they hold.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from lxmls_day1.errors import CorpusError, InputError, counted, nearest

#: What columns of labels and of texts are usually called, the surest names first.
LABEL_NAMES = (
    *("label", "labels", "category", "class", "intent", "target", "sentiment", "topic", "polarity", "emotion"),
    *("label_text", "gold_label", "coarse_label", "tag", "y", "stars", "rating"),
)
TEXT_NAMES = (
    *("text", "texts", "sentence", "utterance", "document", "content", "message", "review", "review_text"),
    *("comment", "body", "tweet", "question", "query", "phrase"),
)
LONGEST_NAME = 40
MISSING = object()  # stands for a key that a JSON object does not have


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
        names the one with fewer different values, then with fewer words, has the labels. Columns that are always empty are none.

    Returns
    -------
    label, text : int
        Their numbers.

    Raises
    ------
    InputError
        If there is no such column, both are the same one, or it is unclear which one is meant.

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
    in_use = columns_in_use(table.rows)
    pair = range(width) if width == 2 else in_use
    if len(pair) == 2:
        if label is None and text is None:
            label = pair[label_by_shape([[row[column] for column in pair] for row in table.rows])]
        label = next(column for column in pair if column != text) if label is None else label
        text = next(column for column in pair if column != label) if text is None else text
    if label is None or text is None:
        what = "label" if label is None else "text"
        columns = ", ".join(_named_and_numbered(table, column) for column in in_use or range(width))
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
            got = "empty" if isinstance(found, str) else kind_of(row[label])
            raise CorpusError(
                f"{name}, line {line}: the label, in {table.column_named(label)}, is {got}; expected a word or a number"
            )
        if not isinstance(row[text], str):
            raise CorpusError(
                f"{name}, line {line}: the text, in {table.column_named(text)}, is {kind_of(row[text])}; expected text in quotes"
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
        place = find_name(table.names, wanted)
        if place is None:
            names = [found if len(found) <= LONGEST_NAME else f"{found[:LONGEST_NAME]}…" for found in table.names]
            raise InputError(f"{name} has no column {wanted!r} for {setting} ({option}){nearest(wanted, names)}")
        return place
    if not 0 <= wanted < width:
        raise InputError(
            f"{setting} is {wanted}, but {name} has {counted(width, 'column')}: give a number from 0 to {width - 1} ({option})"
        )
    return wanted


def find_name(names: Sequence[str], wanted: str) -> int | None:
    """The number of the column of a name, however it is capitalised; None if there is none."""
    if wanted in names:
        return names.index(wanted)
    alike = [column for column, found in enumerate(names) if _plain(found) == _plain(wanted)]
    return alike[0] if len(alike) == 1 else None


def _known(table: Table, usual: Sequence[str], other: int | None) -> int | None:
    """The column with the surest of the usual names; a name that several columns have says nothing."""
    plain = [_plain(found) if column != other else "" for column, found in enumerate(table.names or ())]
    return next((plain.index(wanted) for wanted in usual if plain.count(wanted) == 1), None)


def columns_in_use(rows: Sequence[Sequence[Any]]) -> list[int]:
    """The columns that are not empty in all records, as one is where every line ends with a delimiter.

    Examples
    --------
    >>> columns_in_use([["They won.", "sport", ""], ["Alas.", "sport", ""]])
    [0, 1]
    """
    return [column for column in range(len(rows[0])) if any(row[column] != "" for row in rows)]


def label_by_shape(rows: Sequence[Sequence[Any]]) -> int:
    """The column with the fewest different values; of several, the one with the fewest words; of several, the first."""
    columns = [[str(row[column]) for row in rows] for column in range(len(rows[0]))]
    nr_values = [len(set(values)) for values in columns]
    fewest = [column for column, nr in enumerate(nr_values) if nr == min(nr_values)]
    if len(fewest) == 1:
        return fewest[0]  # most files: no text is taken apart
    return min(fewest, key=lambda column: sum(len(value.split()) for value in columns[column]))


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def is_label_name(name: str) -> bool:
    """Whether columns of labels are usually called so."""
    return _plain(name) in LABEL_NAMES


def is_text_name(name: str) -> bool:
    """Whether columns of texts are usually called so."""
    return _plain(name) in TEXT_NAMES


def _named_and_numbered(table: Table, column: int) -> str:
    return (
        f"{column} {table.names[column]!r}" if table.names else f"{column} such as {_shown(str(table.rows[0][column]))}"
    )


def kind_of(value: Any) -> str:
    """How a message speaks of a value of JSON."""
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


def _shown(text: str) -> str:
    return repr(text if len(text) <= 30 else text[:27] + "…")
