"""The result of a comparison of classifiers: one row per classifier, as text, HTML for a notebook, JSON or CSV."""

import html
import json
import math
import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import NamedTuple

import lxmls_day1
from lxmls_day1.base.text_table import as_csv, as_html, format_table

FORMAT_VERSION = 1


class Row(NamedTuple):
    """The results of one classifier on one data set.

    Examples
    --------
    >>> row = Row("MIRA", "books", train_accuracy=1.0, test_accuracy=0.8, seconds=0.01)
    >>> row.test_accuracy, row.objective
    (0.8, None)
    """

    classifier: str
    """The name of the classifier."""
    data_set: str
    """The name of the data set."""
    train_accuracy: float
    """Accuracy on the training part, in [0, 1]."""
    test_accuracy: float
    """Accuracy on the test part, in [0, 1]."""
    seconds: float
    """Duration of the training."""
    objective: float | None = None
    """Final value of the objective on the training part; None if the classifier minimises no objective."""
    megabytes: float | None = None
    """Peak memory of the training without its data, in 10⁶ bytes; None if it was not measured."""


class ResultTable:
    """Rows in the order in which they were measured, with notes.

    Parameters
    ----------
    rows : iterable of Row
    notes : iterable of str
        Sentences below the table. Duplicates are dropped.

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

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __add__(self, other: "ResultTable") -> "ResultTable":
        """Return a table of the rows and notes of `self`, then of `other`."""
        return ResultTable(self.rows + other.rows, self.notes + other.notes)

    def __str__(self) -> str:
        return "\n".join([format_table(*self._cells()), *self._note_lines()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table as HTML for a notebook, with all content escaped."""
        notes = "".join(f"<p>{html.escape(line)}</p>" for line in self._note_lines())
        return f"{as_html(*self._cells())}{notes}"

    def to_json(self) -> str:
        """Return the rows in full precision, the notes and the versions of the software as JSON.

        A number that JSON cannot represent (an infinite or undefined objective) becomes null.

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
        """Return the rows in full precision as CSV (RFC 4180), with a header line; a missing objective is an empty field.

        Returns
        -------
        str

        Examples
        --------
        >>> ResultTable([Row("MIRA", "books", 1.0, 0.8, 0.01)]).to_csv().splitlines()
        ['classifier,data_set,train_accuracy,test_accuracy,seconds,objective', 'MIRA,books,1.0,0.8,0.01,']
        """
        return as_csv(self._fields(), (row[: len(self._fields())] for row in self.rows))

    def _columns(self) -> "tuple[Column, ...]":
        """Return the columns to show; the memory column only if memory was measured."""
        measured = any(row.megabytes is not None for row in self.rows)
        return COLUMNS if measured else COLUMNS[:-1]

    def _fields(self) -> tuple[str, ...]:
        return Row._fields[: len(self._columns())]

    def _cells(self) -> tuple[list[str], list[list[str]], list[int]]:
        """Return the headings, the cells of each row, and the indices of the text columns."""
        columns = self._columns()
        rows = [[column.show(value) for column, value in zip(columns, row, strict=False)] for row in self.rows]
        text_columns = [i for i, column in enumerate(columns) if column.number_format is None]
        return [column.heading for column in columns], rows, text_columns

    def _note_lines(self) -> list[str]:
        return [f"Note: {note}" for note in self.notes]


class Column(NamedTuple):
    """The heading and the number format of one field of a row.

    Examples
    --------
    >>> column = Column("test", ".4f")
    >>> column.show(0.8125), column.show(None)
    ('0.8125', '')
    """

    heading: str
    number_format: str | None = None
    """The format of a number; None for text."""

    def show(self, value: str | float | None) -> str:
        """Return a value as the text of a cell."""
        if value is None:
            return ""
        return " ".join(str(value).split()) if self.number_format is None else format(float(value), self.number_format)


COLUMNS = (
    Column("classifier"),
    Column("data set"),
    Column("train", ".4f"),
    Column("test", ".4f"),
    Column("seconds", ".3f"),
    Column("objective", "#.4g"),
    Column("MB", ".1f"),
)


def _finite_or_none(value: str | float | None) -> str | float | None:
    return value if isinstance(value, str) or value is None or math.isfinite(value) else None
