"""Any labelled text of your own: two columns, a label and a text (CSV, TSV), or ready-made features (svmlight).

Two columns, here parted by a comma; quotes go around a text that holds the comma, a quote or a line end::

    sport,They won in extra time.
    cooking,"Salt, pepper and ""a little"" oil."

svmlight (libsvm) has a label and the features that are not zero, by number; what follows a ``#`` is a remark::

    +1 3:1 17:2.5   # a remark
    -1 qid:4 2:1

Both have three steps: `parse_columns` or `parse_svmlight` turns the content of a file into labelled examples and says
what is wrong with a line; texts are counted into bags; `readers.vocabulary` makes the matrix.
"""

import csv
import io
import math
import operator
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lxmls_day1.checks import check_flag, check_number
from lxmls_day1.errors import CorpusError, InputError, check_path
from lxmls_day1.text.tokens import count_tokens
from readers.splitting import checked_shares, split_ends
from readers.vocabulary import BagCorpus, check_bag, checked_min_count

FORMATS = ("columns", "svmlight")
_SVMLIGHT_ENDINGS = (".svmlight", ".libsvm", ".svm")
_DELIMITERS = {"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a bar"}
_SNIFFED_RECORDS = 100
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_PAIR = f"{_WHOLE.pattern}:{_NUMBER.pattern}"
_PAIRS = re.compile(f"(?:{_PAIR}(?: {_PAIR})*)?", re.ASCII)


# -------------------------------------------------------------------------------------------------------- two columns


def parse_columns(
    text: str,
    name: str = "the text given",
    delimiter: str | None = None,
    header: bool = False,
    label_column: int = 0,
    quote: str | None = '"',
) -> tuple[list[str], list[str]]:
    """Read two columns, a label and a text.

    Parameters
    ----------
    text : str
        The content of a file, line ends as they are.
    name : str
        How an error names it.
    delimiter : str, optional
        The character between the columns. Not given, it is the first of tab, comma, semicolon and bar that splits
        each of the first 100 records in two.
    header : bool
        Whether the first record names the columns.
    label_column : {0, 1}
        Which of the two is the label.
    quote : str, optional
        The character that goes around a field with delimiters or line ends, doubled where it is meant itself; None
        where quotes mean nothing.

    Returns
    -------
    labels, texts : list of str
        Without white space around them. A text may be empty, a label not. Blank lines are passed over.

    Raises
    ------
    CorpusError
        If a record has not two fields, a label is empty, a quote does not close, or there is no record.

    Examples
    --------
    >>> parse_columns('sport,They won.\\ncooking,"Salt, then oil."\\n')
    (['sport', 'cooking'], ['They won.', 'Salt, then oil.'])
    """
    _check_text(text)
    if delimiter is None:
        delimiter = _sniffed_delimiter(text, name, quote)
    labels, texts = [], []
    for line_number, fields in _records(text, name, delimiter, quote)[int(header) :]:
        if len(fields) != 2:
            raise CorpusError(
                f"{name}, line {line_number}: got {len(fields)} field{'s' * (len(fields) != 1)}; expected two, label and text, parted by "
                f"{_DELIMITERS.get(delimiter, repr(delimiter))}: a text that holds it needs quotes around it"
            )
        label, document = fields[label_column].strip(), fields[1 - label_column].strip()
        if not label:
            raise CorpusError(f"{name}, line {line_number}: the label is empty; expected two fields, label and text")
        labels.append(label)
        texts.append(document)
    if not labels:
        got = "no line but the header" if header else "none"
        raise CorpusError(f"{name}: expected a label and a text a line, got {got}")
    return labels, texts


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
            if fields:
                records.append((first_line, fields))
            if len(records) == most:
                break
            first_line = rows.line_num + 1
    except csv.Error as error:
        raise CorpusError(
            f"{name}, line {first_line}: {error}; expected quotes around a whole field and doubled inside it, or give "
            f"quote=None if they mean nothing in this file"
        ) from None
    finally:
        csv.field_size_limit(usual_limit)
    return records


def _sniffed_delimiter(text: str, name: str, quote: str | None) -> str:
    failures = []
    for delimiter in _DELIMITERS:
        try:
            records = _records(text, name, delimiter, quote, most=_SNIFFED_RECORDS)
        except CorpusError as failure:
            failures.append(failure)
            continue
        if not records:
            raise CorpusError(f"{name}: expected a label and a text a line, got an empty file")
        if all(len(fields) == 2 for _, fields in records):
            return delimiter
    if failures:
        raise failures[0]
    raise CorpusError(
        f"{name}: none of {', '.join(_DELIMITERS.values())} parts every line in two, a label and a text; say which "
        f"character does with delimiter=, put quotes around texts that hold it, or read features with form='svmlight'"
    )


# ----------------------------------------------------------------------------------------------------------- svmlight


def parse_svmlight(text: str, name: str = "the text given") -> tuple[list[str], list[dict[str, float]]]:
    """Read features in the svmlight (libsvm) format.

    Parameters
    ----------
    text : str
        ``label index:value index:value …`` a line. Indices are whole numbers from 0 or from 1 on, ascending in a line.
        A ``qid:number`` before them is passed over, as are blank lines and what follows a ``#``.
    name : str
        How an error names the text.

    Returns
    -------
    labels : list of str
        As numbers are written: "1" for each of ``1``, ``+1`` and ``1.0``.
    bags : list of dict of str to float
        Index -> value of what is not zero, the index as the file has it.

    Raises
    ------
    CorpusError
        If a line is not of that form, or there is none.

    Examples
    --------
    >>> parse_svmlight("+1 3:1 17:2.5  # a remark\\n-1 qid:4 2:1\\n")
    (['1', '-1'], [{'3': 1.0, '17': 2.5}, {'2': 1.0}])
    """
    _check_text(text)
    labels, bags = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        label, *pairs = line.partition("#")[0].split() or [""]
        if not label:
            continue
        where = f"{name}, line {number}"
        if not _is_number(label):
            raise CorpusError(f"{where}: the label is {_shown(label)}; expected one number, then pairs index:value")
        if pairs and pairs[0].startswith("qid:"):
            if not _WHOLE.fullmatch(pairs[0][4:]):
                raise CorpusError(f"{where}: got {_shown(pairs[0])}; expected a whole number after qid:")
            del pairs[0]
        labels.append(_plain_number(float(label)))
        bags.append(_features(pairs, where))
    if not labels:
        raise CorpusError(f"{name}: expected a label and pairs index:value a line, got none")
    return labels, bags


def _features(pairs: Sequence[str], where: str) -> dict[str, float]:
    if not _PAIRS.fullmatch(" ".join(pairs)):
        _explain_pairs(pairs, where)
    indices, values = [], []
    for pair in pairs:
        index, _, value = pair.partition(":")
        indices.append(int(index))
        values.append(float(value))
    if not (all(map(operator.lt, indices, indices[1:])) and all(map(math.isfinite, values))):
        _explain_pairs(pairs, where)
    return {str(index): value for index, value in zip(indices, values, strict=True) if value}


def _explain_pairs(pairs: Sequence[str], where: str) -> None:
    """Raise the error of the first pair that is wrong."""
    last = -1
    for pair in pairs:
        index, _, value = pair.partition(":")
        if not (_WHOLE.fullmatch(index) and _is_number(value)):
            raise CorpusError(f"{where}: got {_shown(pair)}; expected index:value, a whole number and a finite one")
        if int(index) <= last:
            raise CorpusError(f"{where}: index {int(index)} follows {last}; expected ascending indices, each once")
        last = int(index)


def _check_text(text: str) -> None:
    if not isinstance(text, str):
        raise InputError(f"the content of a file must be given as text, but is {text!r}")


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def _plain_number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")


# ----------------------------------------------------------------------------------------------------------- the data


class TextCorpus(BagCorpus):
    """Labelled text from a file of your own, split for training and testing.

    Parameters
    ----------
    path : path
        The file.
    test_path : path, optional
        A second file, of the same form, which is the test part; the first then gives training and development part.
    split : three floats, optional
        The shares of training, development and test part of the file: (0.8, 0, 0.2) if not given, or (1, 0, 0) with a
        `test_path`, where the test share has to be 0.
    seed : int, optional
        Shuffles the examples of the first file before they are split: files are often sorted by label. None leaves them
        in their order.
    form : {"columns", "svmlight"}, optional
        What is in the files; "svmlight" for names that end in .svmlight, .libsvm or .svm if not given, else "columns".
    delimiter, header, label_column, quote
        Of the two columns, see `parse_columns`. A TSV file without quoting wants ``quote=None``.
    encoding : str
        Of the files.
    count : function (text) -> mapping of str to number
        Makes the bag of a text: unigrams and bigrams as in the review corpora if not given. `count_words` of
        `readers.vocabulary` takes words as they stand between spaces.
    min_count : int
        A token becomes a feature if it occurs at least so often in the training part. For text only.

    Attributes
    ----------
    texts : list of str
        The texts of the rows of `X`; empty for svmlight.
    X, y, label_names, train_X, train_y, dev_X, dev_y, test_X, test_y
        As in `BagCorpus`. Labels that are all numbers are sorted as numbers.
    feat_dict, feat_counts, feature_names, nr_features, nr_examples
        As in `BagCorpus`. The features of svmlight go by the number that they have in the file, in ascending order;
        those that are zero throughout the training part have no column.

    Raises
    ------
    InputError
        If the file cannot be read, an argument makes no sense, or no feature is left.
    CorpusError
        If the file is malformed or not in the encoding; the message names file, line and what was expected.

    Notes
    -----
    A class that is rare may miss from the training part; `evaluate` of a classifier then says so.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.csv")
    ...     _ = path.write_text("sport,They won.\\ncooking,Add salt.\\nsport,They lost.\\ncooking,Stir it.\\n")
    ...     corpus = TextCorpus(path, split=(0.5, 0, 0.5), seed=None)
    >>> corpus.get_name(), corpus.label_names, corpus.train_y, corpus.feature_names
    ('mine', ('cooking', 'sport'), array([1, 0]), ['they', 'won', 'they_won', 'add', 'salt', 'add_salt'])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        test_path: str | os.PathLike[str] | None = None,
        split: Sequence[float] | None = None,
        seed: int | None = 1,
        form: str | None = None,
        delimiter: str | None = None,
        header: bool = False,
        label_column: int = 0,
        quote: str | None = '"',
        encoding: str = "utf-8",
        count: Callable[[str], Mapping[str, float]] = count_tokens,
        min_count: int = 1,
    ):
        path = check_path("path", path)
        if form is None:
            form = "svmlight" if path.suffix.lower() in _SVMLIGHT_ENDINGS else "columns"
        _check_choices(form, delimiter, label_column, quote)
        check_flag("header", header)
        if not callable(count):
            raise InputError(f"count must be a function from a text to a mapping of tokens to numbers, got {count!r}")
        min_count = checked_min_count(min_count)
        if form == "svmlight" and min_count > 1:
            raise InputError(f"min_count is for text, and the features of svmlight are ready-made; got {min_count}")
        split = _checked_split(split, test_path)

        def read(path: str | os.PathLike[str]) -> tuple[list[str], list[Mapping[str, float]], list[str]]:
            content = _decoded(path, encoding)
            if form == "svmlight":
                labels, bags = parse_svmlight(content, str(path))
                return labels, list(bags), []
            labels, texts = parse_columns(content, str(path), delimiter, header, label_column, quote)
            if count is count_tokens:
                return labels, [count(text) for text in texts], texts
            return labels, [check_bag(count(text)) for text in texts], texts

        labels, bags, texts = read(path)
        if seed is not None:
            seed = check_number("seed", seed, at_least=0, whole=True)
            order = np.random.default_rng(seed).permutation(len(labels)).tolist()
            labels, bags = [labels[m] for m in order], [bags[m] for m in order]
            texts = [texts[m] for m in order] if texts else []
        train_end, dev_end, test_end = split_ends(len(labels), split)
        labels, bags, texts = labels[:test_end], bags[:test_end], texts[:test_end]
        if test_path is not None:
            more_labels, more_bags, more_texts = read(test_path)
            labels, bags, texts = labels + more_labels, bags + more_bags, texts + more_texts
        self.path = path
        self.texts = texts
        self._set_examples(
            bags,
            labels,
            train_end,
            dev_end,
            min_count,
            label_order=(lambda label: (float(label), label)) if all(map(_is_number, set(labels))) else str,
            feature_order=int if form == "svmlight" else None,
        )

    def get_name(self) -> str:
        """What a table or a plot calls this data set: the name of its file."""
        return self.path.stem


def _check_choices(form: str, delimiter: str | None, label_column: int, quote: str | None) -> None:
    if not isinstance(form, str) or form not in FORMATS:
        raise InputError(f"form must be 'columns' or 'svmlight', got {form!r}")
    if isinstance(label_column, bool) or not isinstance(label_column, (int, np.integer)) or label_column not in (0, 1):
        raise InputError(f"label_column must be 0 or 1, the first or the second column, got {label_column!r}")
    for what, character in (("delimiter", delimiter), ("quote", quote)):
        if character is not None and (not isinstance(character, str) or len(character) != 1 or character in "\r\n "):
            raise InputError(f"{what} must be one character, no space and no line end, or None; got {character!r}")
    if delimiter is not None and delimiter == quote:
        raise InputError(f"delimiter and quote must be different characters, got {delimiter!r} for both")


def _checked_split(split: Sequence[float] | None, test_path: str | os.PathLike[str] | None) -> Sequence[float]:
    if split is None:
        return (0.8, 0.0, 0.2) if test_path is None else (1.0, 0.0, 0.0)
    shares = checked_shares(split)
    if test_path is not None and shares[2] != 0:
        raise InputError(f"the test part comes from test_path, so its share of the first file has to be 0, got {split}")
    return shares


def _decoded(path: str | os.PathLike[str], encoding: str) -> str:
    """The text of a file, without a byte order mark."""
    path = check_path("path", path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"{path}, line {line}: expected text in {encoding}, got the byte 0x{content[error.start]:02X}; "
            f"save the file in {encoding}, or name its encoding with encoding="
        ) from None
    except (LookupError, TypeError, ValueError):
        raise InputError(f"encoding must be one that Python knows, such as 'latin-1', got {encoding!r}") from None
