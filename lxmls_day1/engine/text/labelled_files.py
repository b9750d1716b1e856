"""Files of labelled examples: CSV, TSV, JSON lines or svmlight, plain or gzipped, in any encoding.

`read_labelled` goes from the bytes of a file to its labels and texts (or features), in four steps: unpacked, decoded, parted
into records (`tables`, `svmlight`), and of these the columns of label and text (`column_choice`). `LabelledFile.described` says in one
sentence how the file was read.
"""

import codecs
import encodings.aliases
import gzip
import os
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lxmls_day1.checks import listed
from lxmls_day1.engine.text.column_choice import choose_columns, labels_and_texts
from lxmls_day1.engine.text.svmlight import parse_svmlight
from lxmls_day1.engine.text.tables import DELIMITERS, looks_like_json_lines, parse_columns, parse_json_lines
from lxmls_day1.errors import CorpusError, InputError, check_path, counted, nearest
from lxmls_day1.whole_files import check_readable

FORMATS = ("columns", "jsonl", "svmlight")
FORMAT_OF = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "columns"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".svmlight", ".libsvm", ".svm"), "svmlight"),
}
TAB_SEPARATED = (".tsv", ".tab")
_GZIP_START = b"\x1f\x8b"
#: Unicode's replacement character: what stands in a decoded text for bytes that could not be decoded.
REPLACEMENT = "\ufffd"
#: How files with a byte order mark begin, and their encoding. UTF-32 begins as UTF-16 does, and so comes first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)


class LabelledFile(NamedTuple):
    """The examples of one file."""

    labels: list[str]
    """The label of each."""
    texts: list[str]
    """The text of each; empty for svmlight."""
    bags: list[dict[str, float]]
    """The features of each, number -> value; empty for texts."""
    lines: list[int]
    """The number of the first line of each."""
    form: str
    """One of `FORMATS`."""
    column_names: tuple[str, str] | None
    """What the columns of label and text are called; None where nothing names them."""
    columns: tuple[int, int] | None
    """The numbers of these two; None for svmlight."""
    described: str
    """What the file was taken for, in one line."""


def read_labelled(
    path: str | os.PathLike[str],
    *,
    form: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    label_column: int | str | None = None,
    text_column: int | str | None = None,
    quote: str | None = '"',
    encoding: str | None = None,
    like: LabelledFile | None = None,
) -> LabelledFile:
    """Read the labelled examples of a file.

    Parameters
    ----------
    path : path
        A file that is gzipped is unpacked, whatever its name.
    form : {"columns", "jsonl", "svmlight"}, optional
        By the ending of the name if not given (with or without ``.gz``); another ending means columns, or JSON lines if
        the first line is a JSON object.
    delimiter, quote
        Of columns, see `tables.parse_columns`; a tab for ``.tsv``.
    header : bool, optional
        Whether the first record names the columns. Not given, it is judged by what stands in it, see
        `tables.looks_like_header`; where a column is asked for by name there has to be a header.
    label_column, text_column : int or str, optional
        Number (from 0) or name, see `column_choice.choose_columns`.
    encoding : str, optional
        UTF-8 if not given, or what a byte order mark says. Only if it is not given, there is a warning of letters that were
        lost before the file was read.
    like : LabelledFile, optional
        The training examples, of which this file is the test part: the same columns are taken, by name where both files
        have names, and a label that they do not have is an error.

    Returns
    -------
    LabelledFile

    Raises
    ------
    InputError
        If the file cannot be read or an argument makes no sense.
    CorpusError
        If the file is malformed or not in the encoding; the message names file and line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv.gz")
    ...     _ = path.write_bytes(gzip.compress(b"text,mood\\nThey won.,glad\\nThey lost.,sad\\nWe won.,glad\\nHm.,sad\\n"))
    ...     file = read_labelled(path, label_column="mood")
    >>> file.labels
    ['glad', 'sad', 'glad', 'sad']
    >>> print(file.described)
    mine.csv.gz: a comma between columns, a header; label in 'mood', text in 'text'; 4 examples, 2 classes
    """
    path = check_path("path", path)
    check_choices(form, delimiter, label_column, text_column, quote, header, encoding)
    content, used = _decoded(_unpacked(path), path, encoding)
    name, ending = str(path), ending_of(path)
    form = form or FORMAT_OF.get(ending) or ("jsonl" if looks_like_json_lines(content) else "columns")
    if like is not None and (form == "svmlight") != (like.form == "svmlight"):
        raise InputError(
            f"{name} holds {form}, and the training file {like.form}; both have to be texts, or both svmlight"
        )
    if form != "columns":
        check_none_given(form, name, delimiter=delimiter, header=header)
    if form == "svmlight":
        check_none_given(form, name, label_column=label_column, text_column=text_column)
        labels, bags, lines = parse_svmlight(content, name)
        file = LabelledFile(labels, [], bags, lines, form, None, None, "svmlight features")
    else:
        if delimiter is None and ending in TAB_SEPARATED and quote != "\t":
            delimiter = "\t"
        columns = (label_column, text_column)
        file = _labelled_texts(content, name, form, delimiter, header, quote, columns, like)
    if like is not None:
        _check_labels_known(file, name, like.labels)
    in_utf = "" if used in ("utf-8", "utf-8-sig") else f", in {used}"
    sizes = f"{counted(len(file.labels), 'example')}, {counted(len(set(file.labels)), 'class')}"
    return file._replace(described=f"{path.name}: {file.described}{in_utf}; {sizes}")


def _labelled_texts(
    content: str,
    name: str,
    form: str,
    delimiter: str | None,
    header: bool | None,
    quote: str | None,
    columns: tuple[int | str | None, int | str | None],
    like: LabelledFile | None,
) -> LabelledFile:
    """The examples of columns or of JSON lines; ``columns`` are those of label and text that were asked for."""
    if form == "jsonl":
        table, described = parse_json_lines(content, name), "JSON lines"
    else:
        if header is None and like is None and any(isinstance(column, str) for column in columns):
            header = True
        expected = (like and like.column_names) or ()
        table, delimiter = parse_columns(content, name, delimiter, header, quote, expected)
        parted_by = DELIMITERS.get(delimiter, repr(delimiter))
        described = f"{parted_by} between columns, {'a' if table.names else 'no'} header"
    if like is not None and table.names and like.column_names:
        columns = like.column_names
    elif like is not None and like.columns and form == like.form:
        columns = like.columns
    label, text = choose_columns(table, name, *columns)
    labels, texts = labels_and_texts(table, name, label, text)
    described += f"; label in {table.column_named(label)}, text in {table.column_named(text)}"
    names = (table.names[label], table.names[text]) if table.names else None
    return LabelledFile(labels, texts, [], table.lines, form, names, (label, text), described)


def name_of_data(path: str | os.PathLike[str]) -> str:
    """The name of a file without its ending, and without ``.gz`` before that.

    Examples
    --------
    >>> name_of_data("data/train.csv.gz"), name_of_data("my.mails.csv")
    ('train', 'my.mails')
    """
    path = Path(path)
    return Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem


def ending_of(path: Path) -> str:
    """The ending of a file's name, of two the one before ``.gz``.

    Examples
    --------
    >>> ending_of(Path("Mails.CSV.gz"))
    '.csv'
    """
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def check_choices(
    form: str | None,
    delimiter: str | None,
    label_column: int | str | None,
    text_column: int | str | None,
    quote: str | None,
    header: bool | None,
    encoding: str | None,
    forms: Sequence[str] = FORMATS,
) -> None:
    """Refuse what makes no sense for any file; the arguments are those of `read_labelled`."""
    if form is not None and not (isinstance(form, str) and form in forms):
        raise InputError(f"form must be {' or '.join(map(repr, forms))}, got {form!r}")
    for what, column in (("label_column", label_column), ("text_column", text_column)):
        if column is not None and (isinstance(column, bool) or not isinstance(column, (int, str))):
            raise InputError(f"{what} must be the name of a column or its number, 0 for the first, got {column!r}")
    for what, character in (("delimiter", delimiter), ("quote", quote)):
        if character is not None and (not isinstance(character, str) or len(character) != 1 or character in "\r\n "):
            raise InputError(f"{what} must be one character, no space and no line end, or None; got {character!r}")
    if delimiter is not None and delimiter == quote:
        raise InputError(f"delimiter and quote must be different characters, got {delimiter!r} for both")
    if encoding is not None and not isinstance(encoding, str):
        raise InputError(f"encoding must be one that Python knows, such as 'latin-1', got {encoding!r}")
    if header is not None and not isinstance(header, bool):
        raise InputError(f"header must be True, False or None, which judges by the file; got {header!r}")


def check_none_given(form: str, name: str, **settings: object) -> None:
    """Refuse settings that files of a form do not have."""
    for what, given in settings.items():
        if given is not None:
            raise InputError(
                f"{what} is for {'texts' if 'column' in what else 'columns'}, but {name} holds {form}; got {given!r}"
            )


def _check_labels_known(file: LabelledFile, name: str, known: list[str]) -> None:
    seen = set(known)
    for label, line in zip(file.labels, file.lines, strict=True):
        if label not in seen:
            raise InputError(
                f"{name}, line {line}: the label {label!r} does not occur in the training file, whose labels are "
                f"{listed(sorted(seen))}; leave such lines out, train on data that has every label, or say which column "
                "has the labels with label_column= (--label-column)"
            )


def _unpacked(path: Path) -> bytes:
    """The content of a file, without the gzip around it."""
    try:
        check_readable(path, "name a file, or a pipe that ends", pipes=True)
        content = path.read_bytes()
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not content.startswith(_GZIP_START):
        if path.suffix.lower() == ".gz" and content:
            raise CorpusError(not_packed(path))
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{path} is a damaged gzip file ({error}); fetch or pack it again") from error


def _check_encoding(name: str) -> None:
    """Raise for a name that stands for no encoding of texts."""
    try:
        b"a".decode(name)
    except UnicodeDecodeError:  # one byte is no letter in this one
        pass
    except (LookupError, TypeError, ValueError) as error:
        # a ValueError comes of a zero byte or half a surrogate pair in the name
        known = {name.replace("_", "-") for name in (*encodings.aliases.aliases, *encodings.aliases.aliases.values())}
        close = nearest(str(name), known)
        hint = close if "did you mean" in close else ""
        raise InputError(f"encoding must be one that Python knows, such as 'latin-1', got {name!r}{hint}") from error


def not_packed(name: str | Path) -> str:
    """What an error says of a file that only looks like gzip by its name."""
    return f"{name} is no gzip file, though its name ends in .gz; rename it if it is plain text, or pack it"


def _decoded(content: bytes, path: Path, encoding: str | None) -> tuple[str, str]:
    """The text of a file, without a byte order mark, and the encoding that it is in."""
    used, decoder = encoding_of(content, path, encoding)
    try:
        text = decoder.decode(content, final=True).removeprefix("\ufeff")
    except UnicodeError as error:
        raise CorpusError(wrong_encoding(content, path, used, error)) from None
    if "\0" in text:
        raise CorpusError(holds_zero(path, text.count("\n", 0, text.index("\0")) + 1, used))
    if encoding is None and REPLACEMENT in text:
        warn_of_replacements(path, text.count("\n", 0, text.index(REPLACEMENT)) + 1, used, stacklevel=5)
    return text, used


def encoding_of(content: bytes, name: str | Path, encoding: str | None) -> tuple[str, codecs.IncrementalDecoder]:
    """The encoding of a file that begins so, and what decodes it.

    Raises
    ------
    InputError
        If Python does not know the encoding that is wanted.
    CorpusError
        If the file begins with the mark of another one.
    """
    marked = next((marked for mark, marked in _MARKS if content.startswith(mark)), None)
    used = encoding or marked or "utf-8"
    _check_encoding(used)
    if marked and not codecs.lookup(used).name.startswith("utf"):
        raise CorpusError(
            f"{name}, line 1: expected text in {used}, got the byte order mark of {marked}; leave out encoding= (--encoding)"
        )
    return used, codecs.getincrementaldecoder(used)()


def holds_zero(name: str | Path, line: int, used: str) -> str:
    """What an error says of a file that holds a zero byte."""
    return (
        f"{name}, line {line}: expected text in {used}, got a zero byte, as UTF-16, archives and spreadsheets have them; "
        "save it as text in UTF-8, or name its encoding with encoding= (--encoding)"
    )


def warn_of_replacements(name: str | Path, line: int, used: str, stacklevel: int) -> None:
    """Warn of a text in which another program wrote `REPLACEMENT` for what it could not decode.

    It is a warning, as published corpora hold some. An upload to the lab's page in the browser turns every letter of a
    Latin-1 file that is not ASCII into one.
    """
    warnings.warn(
        f"{name}, line {line}: got U+FFFD ({REPLACEMENT}), which programs write for letters that they cannot decode; if the "
        "file was uploaded or saved from another encoding, save the original in UTF-8 and take that; else give "
        f"encoding={used!r} (--encoding {used}), and it is read as it is",
        stacklevel=stacklevel,
    )


def wrong_encoding(content: bytes, name: str | Path, used: str, error: UnicodeError, first_line: int = 1) -> str:
    """What is wrong, and how the line would read in the encoding that older programs on Windows and Unix write.

    ``content`` begins in a file's ``first_line``, and it is where `error` counts from.
    """
    start = getattr(error, "start", 0)
    line = content.count(b"\n", 0, start) + first_line
    got = f"the byte 0x{content[start]:02X}" if start < len(content) else "its end"
    hint = f"save the file in {used}, or name its encoding with encoding= (--encoding)"
    begin, end = content.rfind(b"\n", 0, start) + 1, content.find(b"\n", start)
    around = content[max(begin, start - 15) : min(end if end >= 0 else len(content), start + 15)]
    for likely in ("cp1252", "latin-1"):
        try:
            read = around.decode(likely).strip()
        except UnicodeDecodeError:
            continue
        if read.isprintable() and likely != used:
            hint = f"in {likely} it would read {read!r}: if that is right, give encoding={likely!r} (--encoding {likely}); else {hint}"
            break
    return f"{name}, line {line}: expected text in {used}, got {got}; {hint}"
