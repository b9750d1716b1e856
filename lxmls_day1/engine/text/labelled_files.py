"""Files of labelled examples: CSV, TSV, JSON Lines or svmlight, plain or compressed, in any encoding, read at once or in batches.

`LabelledStream` reads any number of files in bounded memory; ``-`` is standard input. `read_labelled` collects all examples of such a
stream. The steps are: bytes to blocks of text (`text_blocks`), blocks to records (`tables`, `svmlight`), and records to the columns of
label and text. Options that the caller does not give are guessed from the first megabyte of the first file (`layout_detection`). Further
files have the same columns, by name if the columns have names.
"""

import glob
import io
import os
import stat
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from lxmls_day1.base.atomic_files import check_readable
from lxmls_day1.base.checks import as_list, check_number, format_labels
from lxmls_day1.base.errors import CorpusError, InputError, check_path, pluralize
from lxmls_day1.base.settings import Function, check_settings, with_fields
from lxmls_day1.engine.text import tables
from lxmls_day1.engine.text.layout_detection import (
    choose_columns,
    guess_delimiter,
    head_of_table,
    is_usual_name,
    labels_that_look_alike,
    looks_like_header,
    looks_like_json_lines,
    refuse_other_format,
    suspicious_label_kind,
)
from lxmls_day1.engine.text.svmlight import FeatureRows, label_order, parse_svmlight
from lxmls_day1.engine.text.text_blocks import (
    COMPRESSED_EXTENSIONS,
    STANDARD_INPUT,
    HashingReader,
    TextBlocks,
    decompress,
)

FORMATS = ("columns", "jsonl", "svmlight")
_FORMAT_OF = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "columns"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".svmlight", ".libsvm", ".svm"), "svmlight"),
}
_TAB_SEPARATED = (".tsv", ".tab")
STDIN_NAME = "standard input"
_MIN_EXAMPLES_PER_CLASS = 4  # average from which on a class with one example is remarkable
_MAX_PAIRS_SHOWN, _MAX_CLASSES_COMPARED = 3, 100_000
_MISSING_LABELS = ("nan", "<na>")  # what pandas writes
_GUESS_CHARS = 1 << 20  # number of characters used to guess the delimiter


class ExampleBatch(NamedTuple):
    """Some consecutive examples of a file."""

    source: int  # the index of the file
    labels: list[str]
    texts: list[str]  # empty for svmlight
    bags: Any  # `FeatureRows` with the features of each example; an empty list for texts
    lines: list[int]  # the number of the first line of each example


class LabelledFile(NamedTuple):
    """All examples of one file; the lists are as in `ExampleBatch`."""

    labels: list[str]
    texts: list[str]
    bags: Any
    lines: list[int]
    form: str  # one of `FORMATS`
    described: str  # the detected layout of the file, in one line
    name: str  # the name of the file, without its extension

    def label_order(self, labels: Iterable[str]) -> Callable[[str], Any]:
        """Return the sort key for labels: numeric if all labels are numbers."""
        return label_order(labels)


@dataclass(frozen=True, kw_only=True)
class FileLayout:
    """The layout of examples in files; options that are not given are guessed from the first file.

    Parameters
    ----------
    form : {"columns", "jsonl", "svmlight"}, optional
        Default: by the file extension (with or without ``.gz``). For an unknown extension, JSON Lines if the first line is a
        JSON object, otherwise columns.
    delimiter : str, optional
        The character between columns. Default: a tab for ``.tsv``, otherwise guessed.
    header : bool, optional
        Whether the first record names the columns. Default: guessed; True if a column is requested by name.
    label_column, text_column : int or str, optional
        The number (from 0) or name of the column. Default: guessed.
    quote : str, optional
        The character around fields that contain delimiters or line ends; doubled to represent itself. None if quotes have no
        special meaning.
    encoding : str, optional
        Default: the encoding of the byte order mark, or UTF-8. Only with the default, a warning reports characters that were
        lost before the file was read.
    skip_lines : int
        The number of lines before the examples, or before the header, of each file.

    Examples
    --------
    >>> FileLayout(form="excel")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: form must be 'columns' or 'jsonl' or 'svmlight', got 'excel'
    """

    form: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    label_column: int | str | None = None
    text_column: int | str | None = None
    quote: str | None = '"'
    encoding: str | None = None
    skip_lines: int | None = None

    @classmethod
    def in_signature(cls, function: Function) -> Function:
        """Add the fields to the signature of a function that takes them as ``**layout``."""
        return with_fields(cls)(function)

    @classmethod
    def of(cls, owner: type, options: Mapping[str, Any]) -> "FileLayout":
        """Make the layout from the options of a class; the error for an unknown option names the class and the closest option."""
        check_settings(owner, options)
        return cls(**options)

    def __post_init__(self) -> None:
        """Raise an InputError for values that are invalid for any file."""
        if self.skip_lines is not None:
            check_number("skip_lines", self.skip_lines, at_least=0, whole=True)
        if self.form is not None and not (isinstance(self.form, str) and self.form in FORMATS):
            raise InputError(f"form must be {' or '.join(map(repr, FORMATS))}, got {self.form!r}")
        for what in ("label_column", "text_column"):
            column = getattr(self, what)
            if column is not None and (isinstance(column, bool) or not isinstance(column, (int, str))):
                raise InputError(f"{what} must be the name of a column or its number, 0 for the first, got {column!r}")
        for what in ("delimiter", "quote"):
            character = getattr(self, what)
            if character is not None and (
                not isinstance(character, str) or len(character) != 1 or character in "\r\n "
            ):
                raise InputError(f"{what} must be None or one character, but no space or line end; got {character!r}")
        if self.delimiter is not None and self.delimiter == self.quote:
            raise InputError(f"delimiter and quote must be different characters, got {self.delimiter!r} for both")
        if self.encoding is not None and not isinstance(self.encoding, str):
            raise InputError(f"encoding must be one that Python knows, such as 'latin-1', got {self.encoding!r}")
        if self.header is not None and not isinstance(self.header, bool):
            raise InputError(f"header must be True, False or None (decide from the file); got {self.header!r}")


_Records = tuple[list[list[str]], list[int]]  # the fields of each record, and the number of its first line


class _Columns(NamedTuple):
    """The columns that all further files share with the first file that has examples."""

    form: str
    names: tuple[str, str] | None  # the names of the columns of label and text; None without names
    columns: tuple[int, int]  # the numbers of these two columns


def read_labelled(
    *paths: str | os.PathLike[str], report: Callable[[int], object] | None = None, **layout: Any
) -> list[LabelledFile]:
    """Read all labelled examples of files.

    Parameters
    ----------
    *paths : path
        The first file has the training split. The others are test splits; a label that the first lacks is an error.
    report, **layout
        See `LabelledStream`.

    Returns
    -------
    list of LabelledFile
        One for each path.

    Raises
    ------
    InputError, CorpusError
        See `LabelledStream`; also raised if a file has no examples.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv.gz")
    ...     _ = path.write_bytes(gzip.compress(b"text,mood\\nThey won.,glad\\nThey lost.,sad\\nWe won.,glad\\nHm.,sad\\n"))
    ...     (file,) = read_labelled(path, label_column="mood")
    >>> file.labels
    ['glad', 'sad', 'glad', 'sad']
    >>> print(file.described)
    mine.csv.gz: a comma between columns, a header; label in 'mood', text in 'text'; 4 examples, 2 classes
    """
    stream = LabelledStream(paths, report=report, **layout)
    found = [ExampleBatch(number, [], [], [], []) for number in range(len(paths))]
    known: set[str] = set()
    features: list[list[FeatureRows]] = [[] for _ in paths]
    for piece in stream:
        if piece.source > 0 and found[0].labels:
            known = known or set(found[0].labels)
            stream.check_labels(piece, known)
        examples = found[piece.source]
        examples.labels.extend(piece.labels)
        examples.texts.extend(piece.texts)
        features[piece.source] += [piece.bags] if isinstance(piece.bags, FeatureRows) else []
        examples.lines.extend(piece.lines)
    for number, piece in enumerate(found):
        if not piece.labels:
            raise _no_examples_error(stream.names[number])
    for warning in [*stream.warnings, *_numbering_warnings(stream.names, features)]:
        warnings.warn(warning, stacklevel=3)
    return [
        LabelledFile(
            piece.labels,
            piece.texts,
            FeatureRows.concatenate(features[number]) if features[number] else [],
            piece.lines,
            stream.forms[number],
            f"{stream.described[number]}; {pluralize(len(piece.labels), 'example')}, {pluralize(len(set(piece.labels)), 'class')}",
            name_of_data(stream.paths[number]),
        )
        for number, piece in enumerate(found)
    ]


class LabelledStream:
    """The examples of files, in their order. The stream can be iterated over once.

    Parameters
    ----------
    paths : sequence of path
        Files, see also `expand_patterns`; ``-`` is standard input. A compressed file (gzip, bzip2, xz, a zip of one file) is decompressed,
        whatever its name is.
    classes : sequence of str, optional
        All permitted labels; any other label is an error.
    report : function (number of bytes), optional
        Called with the number of bytes read since the previous call.
    **layout
        See `FileLayout`.

    Attributes
    ----------
    names : list of str
        The names of the files in messages.
    sizes : list of int or None
        The size of each file in bytes; None for standard input and pipes, whose size is unknown.
    described : dict of int to str
        The detected layout of each opened file that has examples.
    forms : dict of int to str
        The form of each of these files.
    warnings : list of str
        Warnings about the files read so far.

    Raises
    ------
    InputError
        If a file cannot be read or an argument is invalid.
    CorpusError
        If a file is malformed or cannot be decoded; the message names file and line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number, text in enumerate(["They won.", "Add salt."]):
    ...         _ = Path(folder, f"part-{number}.csv").write_text(f"label,text\\na,{text}\\n")
    ...     for piece in LabelledStream(expand_patterns([Path(folder, "part-*.csv")])):
    ...         print(piece.source, piece.labels, piece.texts, piece.lines)
    0 ['a'] ['They won.'] [2]
    1 ['a'] ['Add salt.'] [2]
    """

    @FileLayout.in_signature
    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        classes: Sequence[str] | None = None,
        report: Callable[[int], object] | None = None,
        **layout: Any,
    ):
        self._layout = FileLayout.of(LabelledStream, layout)
        self._skip_lines = int(self._layout.skip_lines or 0)
        self.paths = [str(check_path("path", path)) for path in paths]
        self.names = [STDIN_NAME if path == STANDARD_INPUT else path for path in self.paths]
        self.sizes = [None if path == STANDARD_INPUT else _size_of(path) for path in self.paths]
        self.described: dict[int, str] = {}
        self.forms: dict[int, str] = {}
        self.warnings: list[str] = []
        self._wanted_columns = (self._layout.label_column, self._layout.text_column)
        self._classes = None if classes is None else set(classes)
        self._report = report
        self._first_columns: _Columns | None = None
        #: label -> the place of its first occurrence, its number of occurrences, and whether all its texts are column names
        self._like_names: dict[str, tuple[str, int, bool]] = {}
        self._label_counts: Counter[str] = Counter()
        #: the place and the label of the first line of each file that is guessed to have no header
        self._first_lines: list[tuple[str, str]] = []
        self._inputs: list[HashingReader] = []

    def __iter__(self) -> Iterator[ExampleBatch]:
        n_examples = 0
        for number in range(len(self.paths)):
            for piece in self._batches(number):
                if self._classes is not None:
                    self.check_labels(piece, self._classes)
                n_examples += len(piece.labels)
                self._record_suspicious_labels(piece)
                if piece.labels:
                    yield piece
        if not n_examples:
            raise _no_examples_error(", ".join(self.names))
        self.warnings += [
            f"{where}: {label!r} is the label of {'this example alone' if number == 1 else f'{number} examples like this one'}, and looks "
            f"like {suspicious_label_kind(label)}; if the line is no example, delete it, or skip lines at the beginning with skip_lines= "
            "(--skip-lines)"
            for label, (where, number, only_names) in self._like_names.items()
            if number == 1 or only_names
        ]
        self.warnings += self._header_warnings()
        self.warnings += [
            f"the label {label!r} of {pluralize(number, 'example')} may stand for a missing label; if it does, delete these lines"
            for label, number in self._label_counts.items()
            if label.casefold() in _MISSING_LABELS
        ]
        few = self._label_counts if len(self._label_counts) <= _MAX_CLASSES_COMPARED else ()
        if alike := labels_that_look_alike(few):
            shown = "; ".join(alike[:_MAX_PAIRS_SHOWN]) + "; …" * (len(alike) > _MAX_PAIRS_SHOWN)
            self.warnings.append(
                f"these labels look alike, but are different classes: {shown}; write each class in one way"
            )

    def _header_warnings(self) -> Iterator[str]:
        """Yield a warning if the label of first lines occurs nowhere else although there are few classes."""
        labels = [label for _, label in self._first_lines]
        are_few = _MIN_EXAMPLES_PER_CLASS * len(self._label_counts) <= self._label_counts.total()
        for where, label in self._first_lines[:1]:
            if are_few and labels.count(label) == self._label_counts[label] and label not in self._like_names:
                yield (
                    f"{where}: the label {label!r} occurs in no other line, so this line may be a header; if it is, give header=True "
                    "(--header), otherwise header=False (--no-header)"
                )

    def _record_suspicious_labels(self, piece: ExampleBatch) -> None:
        """Count all labels; record those that look like something else, and whether their texts are column names, too."""
        self._label_counts.update(piece.labels)
        for label in filter(suspicious_label_kind, set(piece.labels)):
            where, number, only_names = self._like_names.get(label, ("", 0, True))
            places = [place for place, found in enumerate(piece.labels) if found == label]
            where = where or f"{self.names[piece.source]}, line {piece.lines[places[0]]}"
            only_names &= bool(piece.texts) and all(is_usual_name(piece.texts[place]) for place in places)
            self._like_names[label] = where, number + len(places), only_names

    def sources(self) -> list[dict[str, Any]]:
        """Return the manifest entry of each file after all are read: path, bytes, modification time, SHA-256."""
        return [read.manifest_entry() for read in self._inputs]

    def check_labels(self, piece: ExampleBatch, known: set[str]) -> None:
        """Raise an InputError for an unknown label."""
        if known.issuperset(piece.labels):
            return
        place = next(place for place, label in enumerate(piece.labels) if label not in known)
        raise InputError(
            f"{self.names[piece.source]}, line {piece.lines[place]}: the label {piece.labels[place]!r} is not among "
            f"those known, {format_labels(sorted(known))}; correct it, leave such lines out, train on data that has "
            "this label, or say which column has the labels with label_column= (--label-column)"
        )

    def _batches(self, number: int) -> Iterator[ExampleBatch]:
        path, name = self.paths[number], self.names[number]
        opened = HashingReader(path, name, self._report)
        self._inputs.append(opened)
        with closing(opened):
            text = TextBlocks(decompress(opened), name, self._layout.encoding)
            ending = ending_of(Path(opened.inner_name or path))
            yield from self._text_batches(number, ending, text)
            self.warnings += [text.replacement_warning] if text.replacement_warning else []
            opened.drain()

    def _text_batches(self, number: int, ending: str, text: TextBlocks) -> Iterator[ExampleBatch]:
        blocks = iter(text)
        first = next(blocks, "")
        while first.count("\n") < self._skip_lines and (block := next(blocks, "")):
            first += block
        first = first.split("\n", self._skip_lines)[-1] if first.count("\n") >= self._skip_lines else ""
        first = first or next(blocks, "")
        if not first:
            return
        if self._layout.form is None:
            refuse_other_format(first, self.names[number])
        form = self._layout.form or _FORMAT_OF.get(ending) or ("jsonl" if looks_like_json_lines(first) else "columns")
        self._start_file(number, form)
        described_end = "" if text.encoding in ("utf-8", "utf-8-sig") else f", in {text.encoding}"
        if self._skip_lines:
            described_end += f"; skipped the first {pluralize(self._skip_lines, 'line')}"
        name, line = self.names[number], 1 + self._skip_lines
        if form == "columns":
            yield from self._column_batches(number, ending, first, blocks, described_end)
            return
        if form == "svmlight":
            self._describe(number, f"svmlight features{described_end}")
        columns: tuple[int, int] | None = None
        names: tuple[str, ...] = ()
        for block in chain([first], blocks):
            if form == "svmlight":
                labels, bags, lines = parse_svmlight(block, name, line)
                yield ExampleBatch(number, labels, [], bags, lines)
            else:
                table = tables.parse_json_lines(block, name, line, names)
                if table.rows:
                    names = table.names or ()
                    columns = columns or self._choose_columns(number, table, "JSON lines", described_end)
                    yield self._make_batch(number, table, columns)
            line += block.count("\n")

    def _column_batches(
        self, number: int, ending: str, first: str, blocks: Iterator[str], described_end: str
    ) -> Iterator[ExampleBatch]:
        name, header, delimiter = self.names[number], self._layout.header, self._layout.delimiter
        while len(first) < _GUESS_CHARS and (block := next(blocks, "")):
            first += block
        head = head_of_table(first, delimiter, self._layout.quote, 1 + self._skip_lines)
        first, delimiter = first.split("\n", head.n_lines)[-1], head.delimiter
        if delimiter is None and ending in _TAB_SEPARATED and self._layout.quote != "\t":
            delimiter = "\t"
        if delimiter is None:
            whole = len(first) < _GUESS_CHARS
            delimiter = guess_delimiter(list(_lines_of(first)), name, self._layout.quote, whole)
        lines = chain.from_iterable(map(_lines_of, chain([first], blocks)))
        first_line = 1 + self._skip_lines + head.n_lines
        pieces = _in_batches(tables.column_records(lines, name, delimiter, self._layout.quote, first_line))
        rows, numbers = next(pieces, ([], []))
        if not rows:
            return
        check = (name, delimiter, len(rows[0]), numbers[0])
        skipped = _SkippedLines()
        rows, numbers = skipped.without_comments(rows, numbers)
        tables.check_widths(rows, numbers, *check)
        rows = [[field.strip() for field in row] for row in rows]
        if header is None:
            header = self._has_header(rows)
        names = tuple(rows[0]) if header else None
        if names:
            rows, numbers = skipped.without_headers(rows[1:], numbers[1:], names)
            if not rows:
                raise CorpusError(
                    f"{name}: expected a label and a text per line, got no line but the header {', '.join(names)}"
                )
        table = tables.RecordTable(names, rows, numbers)
        parted_by = tables.DELIMITERS.get(delimiter, repr(delimiter))
        described_end += "".join(f"; {note}" for note in head.notes)
        described = f"{parted_by} between columns, {'a' if names else 'no'} header"
        columns = self._choose_columns(number, table, described, described_end)
        batch = self._make_batch(number, table, columns)
        if self._layout.header is None and not names:
            self._first_lines.append((f"{name}, line {numbers[0]}", batch.labels[0]))
        yield batch
        for rows, numbers in pieces:
            rows, numbers = skipped.without_comments(rows, numbers, len(table.rows[0]))
            tables.check_widths(rows, numbers, *check)
            if names:
                rows, numbers = skipped.without_headers(rows, numbers, names)
            yield self._make_batch(number, tables.RecordTable(names, rows, numbers), columns)
        self.described[number] += skipped.described()

    def _has_header(self, rows: Sequence[Sequence[str]]) -> bool:
        """Return True if the first record names the columns, judged from the requested columns, earlier files and the records."""
        if self._first_columns is None and any(isinstance(column, str) for column in self._wanted_columns):
            return True
        names = self._first_columns.names if self._first_columns is not None else None
        if names is not None and all(tables.find_name(rows[0], wanted) is not None for wanted in names):
            return True
        return looks_like_header(rows)

    def _start_file(self, number: int, form: str) -> None:
        """Raise an InputError if the form is incompatible with the earlier files or with the given options."""
        name, before = self.names[number], next(iter(self.forms.items()), None)
        if before is not None and (form == "svmlight") != (before[1] == "svmlight"):
            raise InputError(
                f"{name} holds {form}, and {self.names[before[0]]} {before[1]}; all files must hold texts, or all svmlight"
            )
        self.forms[number] = form
        kinds_of_option = {"delimiter": "columns", "header": "columns", "label_column": "texts", "text_column": "texts"}
        own_kinds = {"columns": ("columns", "texts"), "jsonl": ("texts",), "svmlight": ()}[form]
        for option, kind in kinds_of_option.items():
            if kind not in own_kinds and (value := getattr(self._layout, option)) is not None:
                raise InputError(f"{option} is for {kind}, but {name} holds {form}; got {value!r}")

    def _columns_of(self, form: str, table: tables.RecordTable) -> tuple[int | str | None, int | str | None]:
        """Return the columns of label and text in a file: as in the first file, or else as requested."""
        if self._first_columns is None:
            return self._wanted_columns
        if self._first_columns.names is not None and table.names is not None:
            return self._first_columns.names
        return self._first_columns.columns if form == self._first_columns.form else self._wanted_columns

    def _choose_columns(
        self, number: int, table: tables.RecordTable, described: str, described_end: str
    ) -> tuple[int, int]:
        """Return the columns of label and text; remember them if this is the first file."""
        form = self.forms[number]
        label, text = choose_columns(table, self.names[number], *self._columns_of(form, table))
        if self._first_columns is None:
            names = (table.names[label], table.names[text]) if table.names else None
            self._first_columns = _Columns(form, names, (label, text))
        of_columns = f"label in {table.column_named(label)}, text in {table.column_named(text)}"
        self._describe(number, f"{described}; {of_columns}{described_end}")
        return label, text

    def _describe(self, number: int, described: str) -> None:
        self.described[number] = f"{Path(self.names[number]).name}: {described}"

    def _make_batch(self, number: int, table: tables.RecordTable, columns: tuple[int, int]) -> ExampleBatch:
        labels, texts = tables.labels_and_texts(table, self.names[number], *columns)
        return ExampleBatch(number, labels, texts, [], table.lines)


class _SkippedLines:
    """The records of a table that are not examples: comments between records, and repetitions of the header."""

    def __init__(self) -> None:
        self._lines: dict[str, list[int]] = {}

    def without_comments(self, rows: list[list[str]], numbers: list[int], width: int | None = None) -> _Records:
        """Drop records that begin with # and whose number of fields differs from ``width`` (default: that of the first record)."""
        width = width or len(rows[0])
        if {*map(len, rows)} <= {width}:
            return rows, numbers
        places = [place for place, row in enumerate(rows) if len(row) != width and row[0].startswith("#")]
        return self._without(rows, numbers, "a comment", places)

    def without_headers(self, rows: list[list[str]], numbers: list[int], names: Sequence[str]) -> _Records:
        """Drop records that are equal to the header, such as those in concatenated files."""
        expected = [name.casefold() for name in names]
        # Blanks and capitals may change the length; a test of the length first excludes nearly all records.
        max_chars = 2 * len(names[-1]) + 8
        near = [
            place
            for place, row in enumerate(rows)
            if len(row[-1]) <= max_chars and len(row[0]) <= 2 * len(names[0]) + 8
        ]
        places = [place for place in near if [field.strip().casefold() for field in rows[place]] == expected]
        return self._without(rows, numbers, "equal to the header", places)

    def _without(self, rows: list[list[str]], numbers: list[int], reason: str, places: Sequence[int]) -> _Records:
        if not places:
            return rows, numbers
        self._lines.setdefault(reason, []).extend(numbers[place] for place in places)
        kept = sorted({*range(len(rows))}.difference(places))
        return [rows[place] for place in kept], [numbers[place] for place in kept]

    def described(self) -> str:
        """Return a description of the skipped lines for the report."""
        return "".join(
            f"; skipped line{'s' * (len(lines) > 1)} {format_labels(lines, max_labels=5)}, {what}"
            for what, lines in self._lines.items()
        )


def _numbering_warnings(names: Sequence[str], features: Sequence[Sequence[FeatureRows]]) -> Iterator[str]:
    """Yield a warning for each svmlight test file whose features seem to be numbered from another start than in the first file."""
    (lowest, highest), *others = [
        (min((low for low, _ in spans), default=1), max((high for _, high in spans), default=1))
        for spans in ([part.span() for part in parts] for parts in features)
    ]
    for name, (low, high) in zip(names[1:], others, strict=True):
        if low == 0 < lowest or (lowest == 0 < low and high > highest):
            yield (
                f"{name} has features from {low} to {high}, and {names[0]} from {lowest} to {highest}; if one file counts features from 0 "
                "and the other from 1, the results are wrong: write both alike, with load_svmlight_file(path, zero_based=True or False) "
                "and dump_svmlight_file of sklearn.datasets"
            )


def expand_patterns(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that paths and patterns name; the files of a pattern are sorted by name.

    Raises
    ------
    InputError
        If a pattern matches no file, a path is a folder, or standard input is named twice.
    """
    found: list[str] = []
    for path in as_list(paths, "paths must be a list of the paths of files"):
        text = str(check_path("path", path))
        if os.path.isdir(text):
            raise InputError(f"{text} is a folder; name files, or a pattern such as {os.path.join(text, '*.csv')!r}")
        if text == STANDARD_INPUT or os.path.lexists(text) or not glob.has_magic(text):
            found.append(text)
            continue
        files = sorted(file for file in glob.glob(text, recursive=True) if not os.path.isdir(file))
        if not files:
            raise InputError(f"no file matches the pattern {text}")
        found += files
    if not found:
        raise InputError("there is no file to read; name a file, or give - for standard input")
    if found.count(STANDARD_INPUT) > 1:
        raise InputError("standard input is named twice, but can be read only once")
    return found


def name_of_data(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without its extension, and without ``.gz`` or the like.

    Examples
    --------
    >>> name_of_data("data/train.csv.gz"), name_of_data("my.mails.csv")
    ('train', 'my.mails')
    """
    path = Path(path)
    return Path(path.stem).stem if path.suffix.lower() in COMPRESSED_EXTENSIONS else path.stem


def ending_of(path: Path) -> str:
    """Return the extension of a file name, ignoring ``.gz`` or the like."""
    return Path(path.stem if path.suffix.lower() in COMPRESSED_EXTENSIONS else path.name).suffix.lower()


def _size_of(path: str) -> int | None:
    """Return the size of a file in bytes, or None for a pipe."""
    try:
        found = check_readable(path, "name a file, or a pipe that ends", pipes=True)
        return None if stat.S_ISFIFO(found.st_mode) else found.st_size
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: the name contains a zero byte.
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _no_examples_error(names: str) -> CorpusError:
    return CorpusError(f"{names}: expected lines with a label and a text (or features), got none")


def _lines_of(block: str) -> io.StringIO:
    """Return an iterator over the lines of a block, with their line ends."""
    return io.StringIO(block, newline="")


def _in_batches(records: Iterable[tuple[int, list[str]]]) -> Iterator[_Records]:
    """Yield batches of records and their line numbers, each about as large as a block.

    A batch has at least two records: a header and an example.
    """
    rows: list[list[str]] = []
    numbers: list[int] = []
    n_letters = 0
    for line, fields in records:
        rows.append(fields)
        numbers.append(line)
        n_letters += sum(map(len, fields))
        if n_letters >= _GUESS_CHARS and len(rows) > 1:
            yield rows, numbers
            rows, numbers, n_letters = [], [], 0
    if rows:
        yield rows, numbers
