"""Ready-made features in the svmlight (libsvm) format: a label and the features that are not zero, by number.

::

    +1 3:1 17:2.5   # a remark
    -1 qid:4 2:1

Indices keep the number that they have in the file, so that it does not matter whether they begin at 0 or at 1.
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lxmls_day1.errors import CorpusError

_WHOLE = re.compile(r"\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_PAIR = f"{_WHOLE.pattern}:{_NUMBER.pattern}"
_PAIRS = re.compile(f"(?:{_PAIR}(?: {_PAIR})*)?", re.ASCII)


def parse_svmlight(text: str, name: str, first_line: int = 1) -> tuple[list[str], list[dict[str, float]], list[int]]:
    """Read features in the svmlight (libsvm) format.

    Parameters
    ----------
    text : str
        ``label index:value index:value …`` a line. Indices are whole numbers from 0 or from 1 on, ascending in a line.
        A ``qid:number`` before them is passed over, as are blank lines and what follows a ``#``.
    name : str
        How an error names the file.
    first_line : int
        The number of the first line of the text in the file.

    Returns
    -------
    labels : list of str
        As numbers are written: "1" for each of ``1``, ``+1`` and ``1.0``.
    bags : list of dict of str to float
        Index -> value of what is not zero, the index as the file has it.
    lines : list of int
        The number of the line of each.

    Raises
    ------
    CorpusError
        If a line is not of that form.

    Examples
    --------
    >>> parse_svmlight("+1 3:1 17:2.5  # a remark\\n-1 qid:4 2:1\\n", "mine.svm")
    (['1', '-1'], [{'3': 1.0, '17': 2.5}, {'2': 1.0}], [1, 2])
    """
    labels, bags, numbers = [], [], []
    for number, line in enumerate(text.split("\n"), start=first_line):
        label, *pairs = line.partition("#")[0].split() or [""]
        if not label:
            continue
        where = f"{name}, line {number}"
        if not is_number(label):
            raise CorpusError(f"{where}: the label is {_shown(label)}; expected one number, then pairs index:value")
        if pairs and pairs[0].startswith("qid:"):
            if not _WHOLE.fullmatch(pairs[0][4:]):
                raise CorpusError(f"{where}: got {_shown(pairs[0])}; expected a whole number after qid:")
            del pairs[0]
        labels.append(_plain_number(float(label)))
        bags.append(_features(pairs, where))
        numbers.append(number)
    return labels, bags, numbers


def is_number(text: str) -> bool:
    """Whether a text is a finite number in plain digits.

    Examples
    --------
    >>> is_number("-.5e1"), is_number("1_0"), is_number("inf")
    (True, False, False)
    """
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def label_order(labels: Iterable[str]) -> Callable[[str], Any]:
    """By what labels are sorted: as numbers if all are.

    Examples
    --------
    >>> sorted(["10", "9"], key=label_order(["10", "9"])), sorted(["10", "b"], key=label_order(["10", "b"]))
    (['9', '10'], ['10', 'b'])
    """
    are_numbers = all(map(is_number, labels))
    return lambda label: (float(label), label) if are_numbers else label


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
        if not (_WHOLE.fullmatch(index) and is_number(value)):
            raise CorpusError(f"{where}: got {_shown(pair)}; expected index:value, a whole number and a finite one")
        if int(index) <= last:
            raise CorpusError(f"{where}: index {int(index)} follows {last}; expected ascending indices, each once")
        last = int(index)


def _plain_number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
