"""What a comparison of classifiers ends with: one row each, as text, in a notebook, on a terminal, or as a file."""

import csv
import html
import io
import json
import math
import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple, overload

import lxmls_day1
from lxmls_day1.whole_files import replace_files

FORMAT_VERSION = 1


class Row(NamedTuple):
    """One classifier on one data set.

    Examples
    --------
    >>> row = Row("MIRA", "books", train_accuracy=1.0, test_accuracy=0.8, seconds=0.01)
    >>> row.test_accuracy, row.objective
    (0.8, None)
    """

    classifier: str
    """Its name."""
    data_set: str
    """The name of the data set."""
    train_accuracy: float
    """Share of the training part that it labels as given, in [0, 1]."""
    test_accuracy: float
    """The same of the test part."""
    seconds: float
    """How long the training took."""
    objective: float | None = None
    """What the training minimised, at its end on the training part; None if there is no such thing."""
    megabytes: float | None = None
    """The most memory that the training took beside its data, in 10⁶ bytes; None if that was not measured."""


class ResultTable(Sequence[Row]):
    """Rows in the order in which they were measured, and what is to be said about them.

    Parameters
    ----------
    rows : iterable of Row
    notes : iterable of str
        Sentences below the table. One that is there already is not repeated.

    Examples
    --------
    >>> table = ResultTable([Row("Perceptron", "books", 0.975, 0.8125, 0.021)], notes=["Ten rounds."])
    >>> print(table + ResultTable([Row("SVM", "books", 0.9, 0.85, 1.5, objective=0.25)]))
    classifier  data set   train    test  seconds  objective
    --------------------------------------------------------
    Perceptron  books     0.9750  0.8125    0.021
    SVM         books     0.9000  0.8500    1.500     0.2500
    Note: Ten rounds.
    >>> max(table, key=lambda row: row.test_accuracy).classifier
    'Perceptron'
    """

    def __init__(self, rows: Iterable[Row] = (), notes: Iterable[str] = ()):
        self.rows = tuple(rows)
        self.notes = tuple(dict.fromkeys(notes))

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> "ResultTable": ...

    def __getitem__(self, index: int | slice) -> "Row | ResultTable":
        """A row; for a slice, a table of those rows with all the notes."""
        if isinstance(index, slice):
            return ResultTable(self.rows[index], self.notes)
        return self.rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ResultTable):
            return NotImplemented
        return (self.rows, self.notes) == (other.rows, other.notes)

    def __hash__(self) -> int:
        return hash((self.rows, self.notes))

    def __add__(self, other: "ResultTable") -> "ResultTable":
        """The rows and the notes of both, in this order."""
        if not isinstance(other, ResultTable):
            return NotImplemented
        return ResultTable(self.rows + other.rows, self.notes + other.notes)

    def __repr__(self) -> str:
        return f"ResultTable({list(self.rows)!r}, notes={list(self.notes)!r})"

    def __str__(self) -> str:
        columns = self._columns()
        lines = [[column.heading for column in columns], *self._cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
        heading, *body = (
            "  ".join(column.align(cell, width) for column, cell, width in zip(columns, line, widths, strict=True))
            for line in lines
        )
        texts = [heading, "-" * len(heading), *body, *self._note_lines()]
        return "\n".join(text.rstrip() for text in texts)

    def _repr_html_(self) -> str:
        """The table for a notebook. Everything in it is escaped: names come from students' files."""
        headings = "".join(f"<th>{html.escape(column.heading)}</th>" for column in self._columns())
        lines = "".join(
            "<tr>"
            + "".join(
                f'<td style="text-align: {"right" if column.is_number else "left"}">{html.escape(cell)}</td>'
                for column, cell in zip(self._columns(), cells, strict=True)
            )
            + "</tr>"
            for cells in self._cells()
        )
        notes = "".join(f"<p>{html.escape(line)}</p>" for line in self._note_lines())
        return f"<table><thead><tr>{headings}</tr></thead><tbody>{lines}</tbody></table>{notes}"

    def to_rich(self, width: int | None = None) -> Any:
        """The table for a terminal.

        Parameters
        ----------
        width : int, optional
            Columns of the terminal. Where they do not suffice for all columns of the table, those of names and accuracies
            are shown, and the name of each data set above its rows.

        Returns
        -------
        rich.console.Group
            The table and its notes; names are taken literally, brackets included.
        """
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        is_narrow = width is not None and width < self._least_width()
        columns = self._columns()
        shown = [i for i, column in enumerate(columns) if not is_narrow or column.heading in NARROW]
        table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        for column in (columns[i] for i in shown):
            table.add_column(
                column.heading,
                justify="right" if column.is_number else "left",
                no_wrap=column.is_number,
                overflow="fold",
            )
        previous = None
        for row, cells in zip(self.rows, self._cells(), strict=True):
            if row.data_set != previous:
                if previous is not None:
                    table.add_section()
                if is_narrow:
                    table.add_row(Text(f"{row.data_set}:"))
            previous = row.data_set
            table.add_row(*(Text(cells[i]) for i in shown))
        return Group(table, *map(Text, self._note_lines()))

    def _least_width(self) -> int:
        """The columns of a terminal on which no number and no word of the whole table is cut."""
        columns = self._columns()
        lines = [[column.heading for column in columns], *self._cells()]
        return sum(
            max(len(word) for line in lines for word in ([line[i]] if column.is_number else line[i].split() or [""]))
            + 3
            for i, column in enumerate(columns)
        )

    def to_json(self) -> str:
        """The rows in full precision, the notes, and which versions measured them.

        A number that JSON has no notation for (an infinite or undefined objective) becomes null.

        Returns
        -------
        str

        Examples
        --------
        >>> json.loads(ResultTable([Row("MIRA", "books", 1.0, 0.8, 0.01)]).to_json())["rows"][0]["test_accuracy"]
        0.8
        """
        content = {
            "format_version": FORMAT_VERSION,
            "lxmls_day1_version": lxmls_day1.__version__,
            "python_version": platform.python_version(),
            "numpy_version": version("numpy"),
            "rows": [{name: _finite_or_none(getattr(row, name)) for name in self._fields()} for row in self.rows],
            "notes": list(self.notes),
        }
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False, default=float) + "\n"

    def to_csv(self) -> str:
        """The rows in full precision under a line of their names, as RFC 4180 has it; no objective is an empty field.

        Returns
        -------
        str

        Examples
        --------
        >>> ResultTable([Row("MIRA", "books", 1.0, 0.8, 0.01)]).to_csv().splitlines()
        ['classifier,data_set,train_accuracy,test_accuracy,seconds,objective', 'MIRA,books,1.0,0.8,0.01,']
        """
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(self._fields())
        writer.writerows(row[: len(self._fields())] for row in self.rows)
        return text.getvalue()

    def write_json(self, path: str | os.PathLike[str]) -> None:
        """Write `to_json` to `path` in UTF-8, completely or not at all.

        Raises
        ------
        OSError
            If it cannot be written; what was there before is still there.
        """
        replace_files({path: self.to_json().encode()})

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Write `to_csv` to `path` in UTF-8, completely or not at all; errors as in `write_json`."""
        replace_files({path: self.to_csv().encode()})

    def _columns(self) -> "tuple[Column, ...]":
        """The columns that have something to show: memory is there only where it was measured."""
        measured = any(row.megabytes is not None for row in self.rows)
        return COLUMNS if measured else COLUMNS[:-1]

    def _fields(self) -> tuple[str, ...]:
        return Row._fields[: len(self._columns())]

    def _cells(self) -> list[list[str]]:
        columns = self._columns()
        return [
            [column.show(value) for column, value in zip(columns, row[: len(columns)], strict=True)]
            for row in self.rows
        ]

    def _note_lines(self) -> list[str]:
        return [f"Note: {note}" for note in self.notes]


class Column(NamedTuple):
    """How one field of a row is shown.

    Examples
    --------
    >>> column = Column("test", ".4f")
    >>> column.show(0.8125), column.show(None), column.align("0.8", 6)
    ('0.8125', '', '   0.8')
    """

    heading: str
    form: str | None = None
    """The format of a number; None for text."""

    @property
    def is_number(self) -> bool:
        """Whether the field holds numbers."""
        return self.form is not None

    def show(self, value: str | float | None) -> str:
        """A value as text for a cell."""
        if value is None:
            return ""
        return " ".join(str(value).split()) if self.form is None else format(float(value), self.form)

    def align(self, cell: str, width: int) -> str:
        """A cell padded to a width: numbers to the right, text to the left."""
        return cell.rjust(width) if self.is_number else cell.ljust(width)


COLUMNS = (
    Column("classifier"),
    Column("data set"),
    Column("train", ".4f"),
    Column("test", ".4f"),
    Column("seconds", ".3f"),
    Column("objective", "#.4g"),
    Column("MB", ".1f"),
)


NARROW = ("classifier", "train", "test")


def _finite_or_none(value: str | float | None) -> str | float | None:
    return value if isinstance(value, str) or value is None or math.isfinite(value) else None
