"""Ready-made features in the svmlight (libsvm) format: on each line a label and the nonzero features, by number.

::

    +1 3:1 17:2.5   # a remark
    -1 qid:4 2:1

Features keep their numbers from the file, so files may count from 0 or from 1.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from lxmls_day1.base.errors import CorpusError, quoted

_INTEGER = re.compile(r"\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_BLANK_VALUE = re.compile(r"(\s\d+:)[ \t]+(?=[-+.\d]+(?:[eE][-+]?\d+)?(?:\s|$))")  # libsvm reads `1: .5` as `1:.5`.
_MAX_INDICES = 10**18


class FeatureRows(Sequence[dict[str, float]]):
    """The features of examples: a sequence of mappings from the index in the file to the nonzero value.

    Slices and sums are again `FeatureRows`. ``matrix`` converts the features to a matrix for a learner.

    Examples
    --------
    >>> _, rows, _ = parse_svmlight("1 3:1 17:2.5\\n0 2:1\\n", "mine.svm")
    >>> len(rows), rows[0], (rows[1:] + rows[:1])[0]
    (2, {'3': 1.0, '17': 2.5}, {'2': 1.0})
    """

    def __init__(self, indptr: Any, indices: Any, values: Any) -> None:
        self._parts = sp.csr_array((values, indices, indptr), shape=(len(indptr) - 1, _MAX_INDICES))

    @classmethod
    def concatenate(cls, parts: Sequence["FeatureRows"]) -> "FeatureRows":
        """Concatenate several `FeatureRows`."""
        lengths = [np.diff(part._parts.indptr) for part in parts]
        indptr = np.concatenate([[0], *lengths]).cumsum()
        arrays = (np.concatenate([getattr(part._parts, name) for part in parts]) for name in ("indices", "data"))
        return cls(indptr, *arrays)

    def __len__(self) -> int:
        return int(self._parts.shape[0])

    def __getitem__(self, rows: Any) -> Any:
        """Return a mapping for an integer; return `FeatureRows` for a slice or an index array."""
        if isinstance(rows, (int, np.integer)):
            row = range(len(self))[rows]  # Raises an IndexError at the end of an iteration.
            entries = slice(*self._parts.indptr[row : row + 2])
            numbers, values = self._parts.indices[entries], self._parts.data[entries]
            return dict(zip(map(str, numbers.tolist()), values.tolist(), strict=True))
        taken = self._parts[rows]
        return FeatureRows(taken.indptr, taken.indices, taken.data)

    def __add__(self, others: "FeatureRows") -> "FeatureRows":
        return FeatureRows.concatenate([self, others])

    def __radd__(self, others: list[dict[str, float]]) -> list[dict[str, float]]:
        return [*others, *self]

    def __eq__(self, others: object) -> bool:
        return isinstance(others, Sequence) and list(self) == list(others)

    __hash__ = None  # type: ignore[assignment]

    def span(self) -> tuple[int, int]:
        """Return the smallest and the largest feature index; (1, 1) without features."""
        numbers = self._parts.indices
        return (int(numbers.min()), int(numbers.max())) if len(numbers) else (1, 1)

    def matrix(self, n_train: int) -> tuple[sp.csr_array, list[str], Any]:
        """Return X, the feature names, and column sums over the first ``n_train`` rows.

        The columns are the features of the first ``n_train`` rows, in ascending order.
        """
        indptr, numbers, values = self._parts.indptr, self._parts.indices, self._parts.data
        known = None
        if len(numbers) and numbers.max() > 8 * len(numbers) + 2**20:
            known, numbers = np.unique(numbers, return_inverse=True)
        end, n_numbers = indptr[n_train], int(numbers.max(initial=0)) + 1
        kept = np.flatnonzero(np.bincount(numbers[:end].astype(np.intp, copy=False), minlength=n_numbers))
        column_of = np.full(n_numbers, -1, dtype=np.int32)
        column_of[kept] = np.arange(len(kept), dtype=np.int32)
        columns = column_of[numbers]
        is_kept = columns >= 0
        ends = np.concatenate([[0], np.cumsum(is_kept)])[indptr].astype(np.int32)
        X = sp.csr_array((values[is_kept], columns[is_kept], ends), shape=(len(self), len(kept)))
        X.has_sorted_indices = X.has_canonical_format = True
        totals = np.bincount(columns[:end], weights=values[:end], minlength=len(kept))
        return X, [str(number) for number in (kept if known is None else known[kept]).tolist()], totals


def parse_svmlight(text: str, name: str, first_line: int = 1) -> tuple[list[str], FeatureRows, list[int]]:
    """Read features in the svmlight (libsvm) format.

    Parameters
    ----------
    text : str
        ``label index:value index:value …`` on each line. Indices are integers from 0 or from 1 on, ascending in a line.
        A ``qid:number`` before them is ignored, as are blank lines, blanks before a value, and text after a ``#``.
    name : str
        The name of the file in error messages.
    first_line : int
        The number of the first line of the text in the file.

    Returns
    -------
    labels : list of str
        Labels in normalized notation: "1" for each of ``1``, ``+1`` and ``1.0``.
    rows : FeatureRows
    lines : list of int
        The line number of each row.

    Raises
    ------
    CorpusError
        If a line is malformed.

    Examples
    --------
    >>> labels, rows, lines = parse_svmlight("+1 3:1 17:2.5  # a remark\\n-1 qid:4 2:1\\n", "mine.svm")
    >>> labels, list(rows), lines
    (['1', '-1'], [{'3': 1.0, '17': 2.5}, {'2': 1.0}], [1, 2])
    """
    # Imported here because only this format needs it.
    from lxmls_day1.engine.kernels.svmlight_lines import AT, ENTRIES, LEFT, LINES, ROWS, parse_lines

    parse: Any = parse_lines
    content = text.encode()
    n_rows, n_pairs = content.count(b"\n") + 1, content.count(b":")
    state = np.array([0, first_line, 0, 0, 0], dtype=np.int64)
    labels, (lines, indptr) = np.empty(n_rows), np.zeros((2, n_rows + 1), dtype=np.int64)
    indices, values, left = np.empty(n_pairs, np.int64), np.empty(n_pairs), np.empty((n_pairs, 3), np.int64)
    while True:
        parse(np.frombuffer(content, np.uint8), state, labels, lines, indptr, indices, values, left)
        for entry, begin, end in left[: state[LEFT]].tolist():
            values[entry] = float(content[begin:end])
            if not math.isfinite(values[entry]):
                row = int(np.searchsorted(indptr[: state[ROWS] + 1], entry, side="right")) - 1
                _parse_line(text.split("\n")[lines[row] - first_line], f"{name}, line {lines[row]}")
        state[LEFT] = 0
        if state[AT] >= len(content):
            break
        # The compiled parser stops at a line that it cannot parse. Python parses that line, or reports that it is malformed.
        end = content.find(b"\n", state[AT]) % (len(content) + 1)
        label, pairs = _parse_line(content[state[AT] : end].decode(), f"{name}, line {state[LINES]}")
        if label is not None:
            row, entries = state[ROWS], slice(state[ENTRIES], state[ENTRIES] + len(pairs))
            labels[row], lines[row], indptr[row + 1] = label, state[LINES], entries.stop
            indices[entries], values[entries] = list(pairs), list(pairs.values())
            state[ROWS], state[ENTRIES] = row + 1, entries.stop
        state[AT], state[LINES] = end + 1, state[LINES] + 1
    n_rows, n_entries = state[ROWS], state[ENTRIES]
    is_nonzero = values[:n_entries] != 0.0  # Numbers like 1e-999 are rounded to 0.
    indptr = np.concatenate([[0], np.cumsum(is_nonzero)])[indptr[: n_rows + 1]]
    rows = FeatureRows(indptr, indices[:n_entries][is_nonzero], values[:n_entries][is_nonzero])
    different, which = np.unique(labels[:n_rows], return_inverse=True)
    names = np.array([_plain_number(label) for label in different.tolist()], dtype=object)
    return names[which].tolist(), rows, lines[:n_rows].tolist()


def _parse_line(line: str, location: str) -> tuple[float | None, dict[int, float]]:
    """Parse a line: return its label (None for a blank line) and its nonzero features; raise a CorpusError if it is malformed."""
    label, *pairs = _BLANK_VALUE.sub(r"\1", line.partition("#")[0]).split() or [""]
    if not label:
        return None, {}
    if not is_number(label):
        hint = "; several labels for one example are not supported" * ("," in label)
        raise CorpusError(
            f"{location}: the label is {quoted(label)}; expected one number, then pairs index:value (write "
            f"classes as 0, 1, 2, …){hint}"
        )
    if pairs and pairs[0].startswith("qid:"):
        if not _INTEGER.fullmatch(pairs[0][4:]):
            raise CorpusError(f"{location}: got {quoted(pairs[0])}; expected a whole number after qid:")
        del pairs[0]
    last, features = -1, {}
    for pair in pairs:
        index, _, value = pair.partition(":")
        if not (_INTEGER.fullmatch(index) and is_number(value)):
            raise CorpusError(f"{location}: got {quoted(pair)}; expected index:value, a whole number and a finite one")
        if int(index) <= last:
            raise CorpusError(f"{location}: index {int(index)} follows {last}; expected ascending indices, each once")
        last = int(index)
        if float(value):
            features[last] = float(value)
    return float(label), features


def is_number(text: str) -> bool:
    """Return True if a string is a finite number in plain digits.

    Examples
    --------
    >>> is_number("-.5e1"), is_number("1_0"), is_number("inf")
    (True, False, False)
    """
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def label_order(labels: Iterable[str]) -> Callable[[str], Any]:
    """Return the sort key for labels: numeric if all labels are numbers.

    Examples
    --------
    >>> sorted(["10", "9"], key=label_order(["10", "9"])), sorted(["10", "b"], key=label_order(["10", "b"]))
    (['9', '10'], ['10', 'b'])
    """
    are_numbers = all(map(is_number, labels))
    return lambda label: (float(label), label) if are_numbers else label


def _plain_number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
