"""Reviews in the published form of the corpus, parsed into token counts, and cached copies of the parsed reviews.

A file holds one review per line (Blitzer et al. 2007, the form ``processed_acl``)::

    token:count token:count … #label#:positive

`parse_review` parses one line and reports what is wrong with it. `parse_reviews` and `parse_pair` parse many lines into the rows
of one sparse matrix: the pairs of all lines at once, as arrays of bytes.

References
----------
J. Blitzer, M. Dredze, F. Pereira (2007), *Biographies, Bollywood, Boom-boxes and Blenders: Domain Adaptation for
Sentiment Classification*, ACL 2007.
"""

import codecs
import functools
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.base.atomic_files import rewrite_cache_file
from lxmls_day1.base.errors import CorpusError, quoted
from lxmls_day1.engine.models.packed_texts import SlicedTexts
from lxmls_day1.engine.text.text_blocks import ERRORS_OF_DAMAGE

LABEL_NAMES = ("positive", "negative")
FILES = tuple(f"{label}.review" for label in LABEL_NAMES)
MAX_COUNT = 2**31 - 1
LABEL_MARK = "#label#:"
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ / golden ratio, odd (Fibonacci hashing)
# The encoding of tokens in memory: a Python string may contain surrogates, which UTF-8 files cannot.
_ENCODING = ("utf-8", "surrogatepass")


def parse_review(line: str, location: str = "this line", label: str | None = None) -> tuple[dict[str, int], str]:
    """Read one line of a corpus file.

    Parameters
    ----------
    line : str
        ``token:count token:count … #label#:positive``, with or without its line end. The count follows the last
        colon; the counts of a repeated token are added.
    location : str
        The name of the line in error messages, such as ``positive.review, line 3``.
    label : str, optional
        The label that the line must have.

    Returns
    -------
    counts : dict of str to int
        Token -> count, in the order of first occurrence.
    label : str
        ``positive`` or ``negative``.

    Raises
    ------
    CorpusError
        If the line is malformed.

    Examples
    --------
    >>> parse_review("great:2 a:b:1 great:1 #label#:positive")
    ({'great': 3, 'a:b': 1}, 'positive')
    """
    line = line.removesuffix("\n").removesuffix("\r")
    if "\n" in line:
        raise CorpusError(f"{location}: there is a line feed inside the line; expected one review per line")
    *pairs, last = line.split(" ")
    if not pairs and not last:
        raise CorpusError(
            f"{location}: the line is blank; expected token:count pairs and a label such as #label#:positive"
        )
    if not last.startswith(LABEL_MARK):
        raise CorpusError(
            f"{location}: the line ends with {quoted(last)}; expected a label such as #label#:positive at its end"
        )
    found = last.removeprefix(LABEL_MARK)
    if found not in LABEL_NAMES:
        raise CorpusError(f"{location}: the label is {quoted(found)}; expected positive or negative")
    if label is not None and found != label:
        raise CorpusError(f"{location}: the label is {found}; expected {label}, as in the whole file")

    if line.count(LABEL_MARK) > 1 and (inside := [pair for pair in pairs if pair.startswith(LABEL_MARK)]):
        raise CorpusError(f"{location}: {quoted(inside[0])} is inside the line; expected one label, at its end")

    counts: dict[str, int] = {}
    for pair in pairs:
        token, _, digits = pair.rpartition(":")
        if not token:
            raise CorpusError(
                f"{location}: got {quoted(pair)}; expected token:count, with single spaces between the pairs"
            )
        count = _count(digits)
        if not count:
            raise CorpusError(
                f"{location}: the count in {quoted(pair)} is {quoted(digits)}; expected a whole number of at least 1"
            )
        counts[token] = counts.get(token, 0) + count
    if max(counts.values(), default=0) > MAX_COUNT:
        token, most = max(counts.items(), key=lambda item: item[1])
        raise CorpusError(f"{location}: {quoted(token)} is counted {most} times; expected at most {MAX_COUNT}")
    return counts, found


@functools.lru_cache(maxsize=1000)  # A corpus has few distinct counts.
def _count(digits: str) -> int:
    """Parse a count of at least 1 in plain digits; return 0 for anything else."""
    plain = digits.isdecimal() and digits.isascii() and len(digits) <= len(str(MAX_COUNT))
    return int(digits) if plain else 0


@dataclass(frozen=True)
class ParsedReviews:
    """Token counts of reviews, without a frequency threshold: the rows of a sparse matrix with a column for every token.

    Attributes
    ----------
    starts : int32 array of shape (M + 1,)
        The entries of review m are those from ``starts[m]`` to ``starts[m + 1]``.
    columns : int32 array
        The column of each entry's token; ascending within a review.
    counts : int32 array
        The number of occurrences of that token, at least 1.
    y : int8 array of shape (M,)
        0 for a positive review, 1 for a negative one.
    tokens : sequence of str
        Column -> token, in the order in which the corpus first uses them.
    """

    starts: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    y: np.ndarray
    tokens: Sequence[str]

    label_names = LABEL_NAMES

    def __len__(self) -> int:
        return len(self.y)

    def in_order(self, order: np.ndarray) -> "ParsedReviews":
        """Return the same reviews in another order: review m is the former review ``order[m]``."""
        shape = len(self), max(1, len(self.tokens))
        X = csr_array((self.counts, self.columns, self.starts), shape=shape)[order]
        return replace(self, starts=X.indptr, columns=X.indices, counts=X.data, y=self.y[order])


def parse_reviews(source: str | os.PathLike[str] | Iterable[str], without_labels: bool = False) -> ParsedReviews:
    """Parse many lines of the corpus format.

    Parameters
    ----------
    source : path, or iterable of str
        A file in UTF-8, or lines.
    without_labels : bool
        Whether labels may be missing; the y of such a line is meaningless.

    Returns
    -------
    ParsedReviews

    Raises
    ------
    CorpusError
        If a line is malformed (see `parse_review`), a file is not UTF-8, or the source is empty.

    Examples
    --------
    >>> reviews = parse_reviews(["a_fine:1 book:2 #label#:positive", "dull:1 book:1 #label#:negative"])
    >>> list(reviews.tokens), reviews.counts.tolist(), reviews.y.tolist()
    (['a_fine', 'book', 'dull'], [1, 2, 1, 1], [0, 1])
    """
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        lines = _lines(Path(source).read_bytes(), name)
    else:
        name, lines = "the lines given", [line.encode(*_ENCODING) for line in source]
    if without_labels:
        lines = list(map(_with_label, lines))
    return _parse([(name, lines, None)])


def parse_pair(positive: bytes, negative: bytes, names: Sequence[str] = FILES) -> ParsedReviews:
    """Parse the two files of a corpus, and alternate positive and negative reviews.

    Parameters
    ----------
    positive, negative : bytes
        The contents of the two files.
    names : sequence of str
        The names of the two files in error messages.

    Returns
    -------
    ParsedReviews
        Review 2i is the i-th positive one and review 2i + 1 the i-th negative one; the rest of the longer file
        comes at the end.

    Raises
    ------
    CorpusError
        If one of the files is malformed.

    Examples
    --------
    >>> parse_pair(b"good:1 #label#:positive\\nfine:1 #label#:positive\\n", b"bad:1 #label#:negative\\n").y.tolist()
    [0, 1, 0]
    """
    reviews = _parse(
        [
            (name, _lines(content, name), label)
            for name, content, label in zip(names, (positive, negative), LABEL_NAMES, strict=True)
        ]
    )
    nr_positive = int(np.sum(reviews.y == 0))
    turn = np.concatenate((np.arange(nr_positive), np.arange(len(reviews) - nr_positive)))
    return reviews.in_order(np.lexsort((reviews.y, turn)))


def _lines(content: bytes, name: str) -> list[bytes]:
    """Return the lines of a file. Only a line feed ends a line, because tokens may contain other line separators."""
    lines = content.removeprefix(codecs.BOM_UTF8).split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"{name}, line {number}: expected text in UTF-8, got the byte 0x{line[error.start]:02X}; save the file as UTF-8"
            ) from None
    return lines if lines[-1] else lines[:-1]


def _with_label(line: bytes) -> bytes:
    """Return a line with a label, adding an arbitrary one if it is missing; a blank line is returned unchanged."""
    text = line.decode(*_ENCODING)
    if LABEL_MARK in text or not text.strip():
        return line
    return f"{text.rstrip()} {LABEL_MARK}{LABEL_NAMES[0]}".encode(*_ENCODING)


def _parse(parts: Sequence[tuple[str, list[bytes], str | None]]) -> ParsedReviews:
    """Parse (name, lines, label) triples one after another, with a common numbering of the tokens."""
    for name, lines, _ in parts:
        if not lines:
            raise CorpusError(f"{name}: expected one review per line, got an empty file")
    reviews = _parse_vectorized(parts)
    if reviews is None:
        for name, lines, label in parts:
            for number, line in enumerate(lines, start=1):
                parse_review(line.decode(*_ENCODING), f"{name}, line {number}", label)
    assert reviews is not None  # For malformed lines `parse_review` has raised an error.
    return reviews


def _parse_vectorized(parts: Sequence[tuple[str, list[bytes], str | None]]) -> ParsedReviews | None:
    """Parse like `_parse`, but return None if a line is malformed."""
    rows, lengths, y = [], [0], []
    for _, lines, label in parts:
        code_of = {(LABEL_MARK + name).encode(): code for code, name in enumerate(LABEL_NAMES) if label in (None, name)}
        for line in lines:
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            mark = line[line.rfind(b" ") + 1 :]
            if mark not in code_of or b"\n" in line:
                return None
            rows.append(memoryview(line)[: -len(mark)])
            lengths.append(line.count(b" "))
            y.append(code_of[mark])
    text = b"".join([*rows, bytes(7)])

    data = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(data == ord(" "))
    starts = np.append(0, ends + 1)[:-1]
    token_ends = ends - 2  # correct if the count has one digit
    counts = data[ends - 1].astype(np.int64) - ord("0")
    plain = (data[token_ends] == ord(":")) & (token_ends > starts) & (counts >= 1) & (counts <= 9)
    for i in np.flatnonzero(~plain | (data[starts] == ord("#"))):
        pair = text[starts[i] : ends[i]].decode(*_ENCODING)
        token, _, digits = pair.rpartition(":")
        counts[i], token_ends[i] = _count(digits), ends[i] - len(digits) - 1
        if not token or not counts[i] or pair.startswith(LABEL_MARK):
            return None

    first = _first_equal(text, starts, token_ends)
    is_new = first == np.arange(len(first))
    new, columns = np.flatnonzero(is_new), (np.cumsum(is_new) - 1)[first]
    X = csr_array((counts, columns, np.cumsum(lengths)), shape=(len(y), max(1, len(new))))
    X = X.tocsc().tocsr()  # This conversion sorts all rows in linear time.
    X.sum_duplicates()
    if X.data.max(initial=0) > MAX_COUNT:
        return None
    tokens = SlicedTexts(text, starts[new], token_ends[new])
    starts, columns, counts = (array.astype(np.int32, copy=False) for array in (X.indptr, X.indices, X.data))
    return ParsedReviews(starts, columns, counts, np.array(y, dtype=np.int8), tokens)


def _first_equal(text: bytes, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return, for each piece ``text[start:end]``, the index of the first piece with the same bytes.

    Each piece must have at least one byte and be followed by at least seven bytes of the text. It is hashed in 8-byte words, and
    compared with the first piece that has the same hash.
    """
    lengths = ends - starts
    bounds = np.append(0, np.cumsum((lengths + 7) // 8))  # Piece i has the words from bounds[i] to bounds[i + 1].
    piece = np.repeat(np.arange(len(starts)), np.diff(bounds))
    offset = np.arange(len(piece)) - bounds[piece]
    left = lengths[piece] - 8 * offset  # number of bytes from this word to the end of the piece
    words = np.ndarray(len(text) - 7, dtype="<u8", buffer=text, strides=(1,))[starts[piece] + 8 * offset]
    words <<= (8 * np.maximum(8 - left, 0)).astype(np.uint64)  # Removes the bytes after the piece.

    mixed = words * _HASH_FACTOR
    mixed ^= mixed >> 32
    mixed *= (2 * left + 1).astype(np.uint64)
    hashes = np.diff(np.append(np.uint64(0), np.cumsum(mixed))[bounds]) * _HASH_FACTOR
    # The index of a piece replaces the lowest bits of its hash, so that one sort serves both.
    bits = len(starts).bit_length()
    numbered = np.sort(hashes >> bits << bits | np.arange(len(starts), dtype=np.uint64))
    order = (numbered & (2**bits - 1)).astype(np.intp)
    is_new = np.append(True, np.diff(numbered >> bits) != 0)[: len(starts)]
    first: np.ndarray = np.empty_like(order)
    first[order] = order[is_new][np.cumsum(is_new) - 1]
    if np.array_equal(lengths, lengths[first]) and np.array_equal(words, words[bounds[first[piece]] + offset]):
        return first
    first_of: dict[bytes, int] = {}  # Reached only if two different pieces have the same hash.
    pieces = (text[start:end] for start, end in zip(starts, ends, strict=True))
    return np.array([first_of.setdefault(piece, i) for i, piece in enumerate(pieces)])


# ------------------------------------------------------------------------------------------------------ cached copies

_VERSION = "parsed reviews 2"
_ARRAYS = ("starts", "columns", "counts", "y")


def save_parsed(path: Path, reviews: ParsedReviews, sources: Sequence[str]) -> None:
    """Save parsed reviews to a file: an ``.npz`` of plain arrays.

    Parameters
    ----------
    path : Path
    reviews : ParsedReviews
    sources : sequence of str
        The sha256 of each source file.

    Raises
    ------
    OSError
        If the file cannot be written; no partial file is left.
    """
    text = "\n".join(reviews.tokens).encode(*_ENCODING)
    file = io.BytesIO()
    np.savez(
        file,
        head=np.array([_VERSION, *sources]),
        tokens=np.frombuffer(text, dtype=np.uint8),
        **{name: getattr(reviews, name) for name in _ARRAYS},
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    rewrite_cache_file(path, file.getvalue())


def load_parsed(path: Path, sources: Sequence[str]) -> ParsedReviews | None:
    """Load the reviews that `save_parsed` wrote.

    Parameters
    ----------
    path : Path
    sources : sequence of str
        The current sha256 of the source files.

    Returns
    -------
    ParsedReviews or None
        None if the file is missing, damaged, of another version or of other sources.
    """
    try:
        if not path.is_file():  # Reading from a pipe might never end.
            return None
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            if kept["head"].tolist() != [_VERSION, *sources]:
                return None
            letters = kept["tokens"]
            arrays = {name: kept[name] for name in _ARRAYS}
            text, line_ends = letters.tobytes(), np.flatnonzero(letters == ord("\n"))
            text.decode(*_ENCODING)
    except (*ERRORS_OF_DAMAGE, KeyError):
        return None
    starts, ends = np.append(0, line_ends + 1), np.append(line_ends, len(text))
    return ParsedReviews(**arrays, tokens=SlicedTexts(text, starts, ends) if text else [])
