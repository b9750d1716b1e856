"""Labelled examples of any number of files, piece by piece: what `labelled_files` reads at once, in bounded memory.

A file may be CSV, TSV, JSON lines, svmlight or Parquet, plain or gzipped; ``-`` is standard input. Format, delimiter, header and
columns are found out from the first piece of the first file, as `labelled_files` finds them out from a whole one. Further files have
the same columns, by name where they have names.

A label need not be known before it comes. Whoever knows all labels gives them as ``classes``: any other is an error then.
"""

import glob
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from lxmls_day1.checks import as_list, listed
from lxmls_day1.engine.text.column_choice import Table, choose_columns, labels_and_texts
from lxmls_day1.engine.text.labelled_files import (
    FORMAT_OF,
    FORMATS,
    TAB_SEPARATED,
    check_choices,
    check_none_given,
    ending_of,
)
from lxmls_day1.engine.text.svmlight import svmlight_examples
from lxmls_day1.engine.text.tables import (
    DELIMITERS,
    check_widths,
    column_records,
    json_records,
    looks_like_json_lines,
    parse_columns,
)
from lxmls_day1.engine.text.text_blocks import STANDARD_INPUT, Input, decoded, unpacked
from lxmls_day1.errors import CorpusError, InputError, check_path, how_to_install

FORMS = (*FORMATS, "parquet")
_FORMAT_OF = {**FORMAT_OF, ".parquet": "parquet"}
STDIN_NAME = "standard input"
_LONGEST_FIELD = 2**31 - 1  # characters: as many as csv can count
_PARQUET_ROWS = 8192


class Piece(NamedTuple):
    """Some examples, one after another in a file."""

    source: int
    """The number of the file."""
    labels: list[str]
    texts: list[str]
    """Empty for svmlight."""
    bags: list[dict[str, float]]
    """Empty for texts."""
    lines: list[int]
    """The number of the first line of each; of Parquet the number of its row, from 1 on."""


class LabelledStream:
    """The examples of files, in their order. It is iterated over once.

    Parameters
    ----------
    paths : sequence of path
        Files; patterns such as ``part-*.csv.gz``, whose files come in the order of their names; ``-`` is standard input.
    form : {"columns", "jsonl", "svmlight", "parquet"}, optional
    delimiter, header, label_column, text_column, quote, encoding
        As for `labelled_files.read_labelled`.
    classes : sequence of str, optional
        All labels there may be.
    report : function (number of bytes), optional
        Called with how many bytes of the files have been read since it was called last.

    Attributes
    ----------
    names : list of str
        The files as messages name them.
    sizes : list of int or None
        Their bytes; None of standard input, where nobody knows.
    described : list of str
        What each file that was begun was taken for.
    form : str
        One of the forms, when the first piece has been read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number, text in enumerate(["They won.", "Add salt."]):
    ...         _ = Path(folder, f"part-{number}.csv").write_text(f"label,text\\na,{text}\\n")
    ...     stream = LabelledStream([Path(folder, "part-*.csv")])
    ...     for piece in stream:
    ...         print(piece.source, piece.labels, piece.texts, piece.lines)
    0 ['a'] ['They won.'] [2]
    1 ['a'] ['Add salt.'] [2]
    """

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        form: str | None = None,
        delimiter: str | None = None,
        header: bool | None = None,
        label_column: int | str | None = None,
        text_column: int | str | None = None,
        quote: str | None = '"',
        encoding: str | None = None,
        classes: Sequence[str] | None = None,
        report: Callable[[int], object] | None = None,
    ):
        check_choices(form, delimiter, label_column, text_column, quote, header, encoding, forms=FORMS)
        self.paths = expanded(paths)
        self.names = [STDIN_NAME if path == STANDARD_INPUT else path for path in self.paths]
        self.sizes = [None if path == STANDARD_INPUT else _size_of(path) for path in self.paths]
        self.described: list[str] = []
        self.form = ""
        self._wanted_form, self._delimiter, self._header = form, delimiter, header
        self._columns = (label_column, text_column)
        self._quote, self._encoding = quote, encoding
        self._classes = None if classes is None else set(classes)
        self._report = report
        self._like: tuple[tuple[str, str] | None, tuple[int, int]] | None = None  # names and numbers of the columns
        self._inputs: list[Input] = []

    def __iter__(self) -> Iterator[Piece]:
        n_examples = 0
        for number, path in enumerate(self.paths):
            for piece in self._pieces(number, path):
                if self._classes is not None:
                    self._check_labels(piece, self._classes)
                n_examples += len(piece.labels)
                if piece.labels:
                    yield piece
        if not n_examples:
            raise CorpusError(f"{', '.join(self.names)}: expected a label and a text a line, got none")

    def as_found(self) -> list[dict[str, Any]]:
        """The files before they are read: path, and of those that are no pipe bytes and time of change."""
        return [
            {"path": path}
            if path == STANDARD_INPUT
            else {"path": os.path.abspath(path), "bytes": size, "mtime_ns": os.stat(path).st_mtime_ns}
            for path, size in zip(self.paths, self.sizes, strict=True)
        ]

    def sources(self) -> list[dict[str, Any]]:
        """What a manifest says of each file when all have been read: path, bytes, time of change, SHA-256."""
        return [read.described() for read in self._inputs]

    def _pieces(self, number: int, path: str) -> Iterator[Piece]:
        name = self.names[number]
        opened = Input(path, name, self._report)
        self._inputs.append(opened)
        try:
            form = self._wanted_form or _FORMAT_OF.get(ending_of(Path(path)))
            if form == "parquet":
                yield from self._parquet_pieces(number, opened)
                return
            blocks = decoded(unpacked(opened, name, path), name, self._encoding)
            first = next(blocks, "")
            form = form or ("jsonl" if looks_like_json_lines(first) else "columns")
            self._check_form(form, name)
            if form != "columns":
                check_none_given(form, name, delimiter=self._delimiter, header=self._header)
            if not first.strip() and path != STANDARD_INPUT and len(self.paths) == 1:
                raise CorpusError(f"{name}: expected a label and a text a line, got an empty file")
            if form == "svmlight":
                check_none_given(form, name, label_column=self._columns[0], text_column=self._columns[1])
                yield from self._svmlight_pieces(number, first, blocks)
            elif form == "jsonl":
                yield from self._json_pieces(number, first, blocks)
            else:
                yield from self._column_pieces(number, ending_of(Path(path)), first, blocks)
            opened.read_to_the_end()
        finally:
            opened.close()

    def _check_form(self, form: str, name: str) -> None:
        if self.form and (form == "svmlight") != (self.form == "svmlight"):
            raise InputError(
                f"{name} holds {form}, and {self.names[0]} {self.form}; all have to be texts, or all svmlight"
            )
        self.form = self.form or form

    def _svmlight_pieces(self, number: int, first: str, blocks: Iterator[str]) -> Iterator[Piece]:
        self.described.append(f"{self.names[number]}: svmlight features")
        for line, block in _with_lines(first, blocks):
            labels, bags, lines = svmlight_examples(block.split("\n"), self.names[number], line)
            yield Piece(number, labels, [], bags, lines)

    def _json_pieces(self, number: int, first: str, blocks: Iterator[str]) -> Iterator[Piece]:
        name, columns = self.names[number], None
        names: tuple[str, ...] = ()
        for line, block in _with_lines(first, blocks):
            table = json_records(block.split("\n"), name, line, names)
            if not table.rows:
                continue
            if columns is None:
                names = table.names or ()
                columns = self._chosen(table, name, "JSON lines")
            labels, texts = labels_and_texts(table, name, *columns)
            yield Piece(number, labels, texts, [], table.lines)

    def _column_pieces(self, number: int, ending: str, first: str, blocks: Iterator[str]) -> Iterator[Piece]:
        name, header, delimiter = self.names[number], self._header, self._delimiter
        if not first.strip():
            return
        if delimiter is None and ending in TAB_SEPARATED and self._quote != "\t":
            delimiter = "\t"
        if header is None and self._like is None and any(isinstance(column, str) for column in self._columns):
            header = True
        expected = (self._like and self._like[0]) or ()
        # A header, and a text that is longer than a piece; quotes that are never closed are told as such.
        while (sample := _whole_records(first, self._quote)).count("\n") < 2 and (block := next(blocks, "")):
            first += block
        sample = sample if sample.count("\n") > 1 else first
        table, delimiter = parse_columns(sample, name, delimiter, header, self._quote, expected)
        described = (
            f"{DELIMITERS.get(delimiter, repr(delimiter))} between columns, {'a' if table.names else 'no'} header"
        )
        columns = self._chosen(table, name, described)
        width = len(table.names or table.rows[0])
        lines = _Lines(first, blocks)
        records = column_records(lines, name, delimiter, self._quote, _LONGEST_FIELD)
        first_line, is_header = 0, table.names is not None
        rows: list[list[str]] = []
        numbers: list[int] = []
        n_blocks = lines.n_blocks
        for line, fields in records:
            if not first_line:
                first_line = line
            if is_header:
                is_header = False
                continue
            rows.append(fields)
            numbers.append(line)
            if lines.n_blocks != n_blocks:
                yield self._texts_of(number, rows, numbers, table.names, columns, delimiter, (width, first_line))
                rows, numbers, n_blocks = [], [], lines.n_blocks
        yield self._texts_of(number, rows, numbers, table.names, columns, delimiter, (width, first_line))

    def _texts_of(
        self,
        number: int,
        rows: list[list[str]],
        lines: list[int],
        names: tuple[str, ...] | None,
        columns: tuple[int, int],
        delimiter: str,
        first: tuple[int, int],
    ) -> Piece:
        name = self.names[number]
        check_widths(rows, lines, name, delimiter, *first)
        labels, texts = labels_and_texts(Table(names, rows, lines), name, *columns)
        return Piece(number, labels, texts, [], lines)

    def _parquet_pieces(self, number: int, opened: Input) -> Iterator[Piece]:
        name = self.names[number]
        if self.paths[number] == STANDARD_INPUT:
            raise InputError(
                "Parquet cannot be read from standard input, as its table of contents is at its end; name a file"
            )
        try:
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
        except ImportError as error:
            raise InputError(
                f"{name} is a Parquet file, which is read through pyarrow, and that is not installed; install it with "
                f"{how_to_install('parquet')}, or write the table as CSV"
            ) from error
        self._check_form("parquet", name)
        check_none_given("parquet", name, delimiter=self._delimiter, header=self._header, encoding=self._encoding)
        columns = None
        try:
            with ParquetFile(self.paths[number]) as file:
                names, row = tuple(file.schema_arrow.names), 1
                for batch in file.iter_batches(batch_size=_PARQUET_ROWS, columns=self._parquet_columns(names, name)):
                    rows = list(map(list, zip(*(column.to_pylist() for column in batch.columns), strict=True)))
                    table = Table(tuple(batch.schema.names), rows, list(range(row, row + len(rows))))
                    row += len(rows)
                    columns = columns or self._chosen(table, name, "Parquet")
                    labels, texts = labels_and_texts(table, name, *columns)
                    yield Piece(number, labels, texts, [], table.lines)
        except (ArrowException, OSError) as error:
            raise CorpusError(f"{name} cannot be read as Parquet: {error}") from error
        opened.read_to_the_end()

    def _parquet_columns(self, names: tuple[str, ...], name: str) -> list[str] | None:
        """The two columns that are read of many; None for all where they are not known before their values are."""
        columns = self._columns if self._like is None or self._like[0] is None else self._like[0]
        try:
            label, text = choose_columns(Table(names, [[""] * len(names)], [1]), name, *columns)
        except InputError:
            return None  # raised again when there are values to show
        return [names[label], names[text]] if label < text else [names[text], names[label]]

    def _chosen(self, table: Table, name: str, described: str) -> tuple[int, int]:
        """The columns of label and text: those of the first file, or the ones that this, the first, has."""
        wanted: tuple[int | str | None, int | str | None] = self._columns
        if self._like is not None:
            of_first, numbers = self._like
            wanted = of_first if of_first is not None and table.names is not None else numbers
        label, text = choose_columns(table, name, *wanted)
        if self._like is None:
            names = (table.names[label], table.names[text]) if table.names else None
            self._like = (names, (label, text))
        self.described.append(
            f"{name}: {described}; label in {table.column_named(label)}, text in {table.column_named(text)}"
        )
        return label, text

    def _check_labels(self, piece: Piece, classes: set[str]) -> None:
        if classes.issuperset(piece.labels):
            return
        place = next(place for place, label in enumerate(piece.labels) if label not in classes)
        raise InputError(
            f"{self.names[piece.source]}, line {piece.lines[place]}: the label {piece.labels[place]!r} is none of "
            f"{listed(sorted(classes))}; correct it, leave such lines out, or say which column has the labels with --label-column"
        )


def expanded(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The files that paths and patterns name, those of a pattern in the order of their names.

    Raises
    ------
    InputError
        If a pattern fits no file, a file is not there, or standard input is named twice.
    """
    found: list[str] = []
    for path in as_list(paths, "paths must be a list of the paths of files"):
        text = str(check_path("path", path))
        if text == STANDARD_INPUT or os.path.lexists(text) or not glob.has_magic(text):
            found.append(text)
            continue
        files = sorted(file for file in glob.glob(text, recursive=True) if not os.path.isdir(file))
        if not files:
            raise InputError(f"no file fits the pattern {text}")
        found += files
    if not found:
        raise InputError("there is no file to read; name one, or - for standard input")
    if found.count(STANDARD_INPUT) > 1:
        raise InputError("standard input is named twice, but can be read once only")
    return found


class _Lines:
    """The lines of blocks of text, with their ends, and how many blocks have been begun."""

    def __init__(self, first: str, blocks: Iterable[str]):
        self.n_blocks = 0
        self._blocks, self._first = blocks, first

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._files())  # without a step of Python for each line

    def _files(self) -> Iterator[io.StringIO]:
        yield io.StringIO(self._first, newline="")
        for block in self._blocks:
            self.n_blocks += 1
            yield io.StringIO(block, newline="")


def _size_of(path: str) -> int:
    try:
        if os.path.isdir(path):
            raise InputError(f"{path} is a folder; name files, or a pattern such as {os.path.join(path, '*.csv')!r}")
        return os.stat(path).st_size
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _with_lines(first: str, blocks: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Blocks of whole lines, each with the number of its first line."""
    line = 1
    for block in (first,):
        yield line, block
        line += block.count("\n")
    for block in blocks:
        yield line, block
        line += block.count("\n")


def _whole_records(block: str, quote: str | None) -> str:
    """The beginning of a block, up to a line end at which quotes are closed: as far as it can be read by itself."""
    if quote is None or block.count(quote) % 2 == 0:
        return block
    end = len(block)
    while (end := block.rfind("\n", 0, end)) > 0:
        if block.count(quote, 0, end) % 2 == 0:
            return block[: end + 1]
    return block
