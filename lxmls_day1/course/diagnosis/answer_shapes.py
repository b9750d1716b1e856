"""The shape and the type of an answer, determined without converting it, and sentences about answers with a wrong shape or type.

An answer is a number, a string, None, or an array or nested list of one of them. This is plain data, which can be sent from one process
to another. A check file lists the results of each function that it calls, with their shapes. The shape of a number is empty; that
of an array of any shape is a phrase:

    MUST_RETURN = {"mixed": {"W": "(J + 1, K)", "total": "(J + 1, K)", "count": ""}, "soft_threshold": {"w": "like a"}}

Four functions write such sentences: `describe_wrong_shape` about the value that a function returned, `described`
about a result that cannot be
compared, `wrong_shape_lines` about a value beside the expected one, and `describe_shape_symptom` about all wrong answers together.
"""

import math
import re
import reprlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxmls_day1.course.lab_under_test import Answers

RTOL, ATOL = 1e-6, 1e-9
# On the probe inputs, which are round numbers, mistakes are far from the right answer, so that single precision can be accepted.
POOL_RTOL, POOL_ATOL = 1e-4, 1e-5
MAX_ENTRIES_SHOWN = 12
MAX_ENTRIES_DESCRIBED = 4  # entries of a tuple that are described
RETURNS = "returns "  # the beginning of the description that replaces an invalid answer
MAX_STRING_CHARS = 200  # characters of one string
MAX_NESTING = 32
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
RAISES = "raises "  # the beginning of the answer that represents an exception
MUST_RETURN = "MUST_RETURN"  # the name of the table in a check file
ENTRY_TYPES = {"b": float, "i": float, "u": float, "f": float, "U": str}  # by the kind of a NumPy type

ShapeAndType = tuple[tuple[int, ...], type]  # the shape of a value and the type of its entries: float, str or NoneType
Results = Mapping[str, str]  # from the name of each result of a function, in order, to its shape
RequiredResults = Mapping[str, Results]  # from a function to its results


@dataclass(frozen=True)
class Answer:
    """A value as plain data: its shape, and its entries in C order (floats, strings, or None).

    Examples
    --------
    >>> Answer.from_value([[1, 2.5]])
    Answer(shape=(1, 2), values=(1.0, 2.5))
    >>> Answer.from_value("spam"), Answer.from_value(None).values
    (Answer(shape=(), values=('spam',)), (None,))
    """

    shape: tuple[int, ...]
    values: tuple[float | str | None, ...]

    @classmethod
    def from_value(cls, value: Any) -> "Answer":
        """Convert a value to an answer.

        Raises
        ------
        TypeError
            If it is not a number, a string, None, or an array or nested list of one type; the message describes the value.
            In this case no entry is converted.
        """
        shape, _ = shape_and_type(value)
        return cls(shape, tuple(entries_of(value)))

    @property
    def kind(self) -> type:
        """The type of the entries: float, str or NoneType; float for an array without entries."""
        return type(self.values[0]) if self.values else float

    @property
    def array(self) -> Any:
        """The entries as a numpy array."""
        import numpy as np

        return np.array(self.values).reshape(self.shape)

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON can represent it. Infinities and NaN, which JSON lacks, become strings."""
        key = "texts" if self.kind is str else "numbers"
        values = [repr(v) if isinstance(v, float) and not math.isfinite(v) else v for v in self.values]
        return {"shape": list(self.shape), key: values}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Answer":
        """Read an answer that `to_json` wrote."""
        shape = tuple(content["shape"])
        if "texts" in content:
            return cls(shape, tuple(content["texts"]))
        return cls(shape, tuple(None if value is None else float(value) for value in content["numbers"]))

    def is_close(self, other: "Answer", rtol: float = RTOL, atol: float = ATOL) -> bool:
        """Return True if two answers have the same shape and entries; the tolerance of numbers is relative to this answer."""
        return self.shape == other.shape and not self.mismatches(other, rtol, atol)

    def mismatches(self, other: "Answer", rtol: float = RTOL, atol: float = ATOL) -> list[int]:
        """Return the positions, in C order, at which an answer of the same shape differs from this one."""
        pairs = zip(self.values, other.values, strict=True)
        return [i for i, (mine, its) in enumerate(pairs) if mine != its and not _entries_close(mine, its, rtol, atol)]


@dataclass(frozen=True)
class ProbeResult:
    """A probe input with the expected answer, the actual answer, and whether the actual answer is wrong."""

    given: Mapping[str, Any]
    expected: Answer
    actual: Answer
    is_wrong: bool

    @property
    def has_expected_shape(self) -> bool:
        """True if the actual answer has the shape and the type of the expected one."""
        return (self.actual.shape, self.actual.kind) == (self.expected.shape, self.expected.kind)


def shape_and_type(value: Any) -> ShapeAndType:
    """Return the shape and the type of a value without converting it: a sparse array stays sparse, and a list stays a list.

    Raises
    ------
    TypeError
        See `Answer.from_value`.

    Examples
    --------
    >>> shape_and_type([[1, 2.5]]), shape_and_type(["spam"] * 3)
    (((1, 2), <class 'float'>), ((3,), <class 'str'>))
    """
    shape, kinds = _shape_and_types(value, value, 0)
    if len(kinds) > 1 or (kinds == {type(None)} and shape):
        mixed = "is partly numbers and partly texts" if kinds == {float, str} else "is neither numbers nor texts"
        raise TypeError(f"{_short_repr(value)}, which {mixed}")
    return shape, kinds.pop() if kinds else float


def _shape_and_types(value: Any, whole: Any, depth: int) -> tuple[tuple[int, ...], set[type]]:
    """Return the shape and the types of a value that is part of ``whole``."""
    if value is None:
        return (), {type(None)}
    if isinstance(value, str):
        return (), {str}
    if isinstance(value, (bool, int, float)):
        return (), {float}
    if isinstance(value, (list, tuple, range)):
        if depth >= MAX_NESTING:
            raise TypeError(f"a {type(whole).__name__} of lists in lists, more than {MAX_NESTING} deep")
        scalars = set(map(type, value))
        if scalars <= {float, int, bool}:
            return (len(value),), {float} if scalars else set()
        if scalars == {str}:
            return (len(value),), {str}
        # Of many arrays of the same shape and type, one is enough.
        entries: Any = value
        if scalars == {getattr(sys.modules.get("numpy"), "ndarray", None)}:
            entries = {(entry.shape, entry.dtype): entry for entry in entries}.values()
        shapes, kinds = set(), set()
        for entry in entries:
            shape, its_kinds = _shape_and_types(entry, whole, depth + 1)
            shapes.add(shape)
            kinds |= its_kinds
            if len(shapes) > 1:
                raise TypeError(f"{_short_repr(whole)}, a {type(whole).__name__} whose rows differ in length")
        return (len(value), *shapes.pop()), kinds
    if depth and hasattr(value, "toarray"):
        raise TypeError(f"a {type(whole).__name__} of sparse arrays")
    array = _as_array(value)
    kind = ENTRY_TYPES.get(array.dtype.kind)
    if kind is None:
        raise TypeError(f"{_short_repr(whole)}, which is neither numbers nor texts")
    return tuple(map(int, array.shape)), {kind} if math.prod(array.shape) else set()


def _as_array(value: Any) -> Any:
    """Return an array or a sparse array unchanged, and anything else as an array."""
    import numpy as np

    if hasattr(value, "toarray") and hasattr(value, "dtype"):
        return value
    try:
        return np.asarray(value)
    except ValueError as error:
        raise TypeError(f"{_short_repr(value)}, which is not an array") from error


def entries_of(value: Any) -> Iterator[float | str | None]:
    """Return the entries of a value in C order; each is converted only when the caller needs it."""
    if value is None:
        return iter((None,))
    if isinstance(value, str):
        return iter((str(value),))
    if isinstance(value, (bool, int, float)):
        return map(_number, (value,))
    if isinstance(value, (list, tuple, range)):
        kinds = set(map(type, value))
        if kinds == {float}:
            return iter(value)
        return map(_number, value) if kinds <= {float, int, bool} else chain.from_iterable(map(entries_of, value))
    array = _as_array(value)
    if hasattr(array, "toarray"):
        array = array.toarray()
    if array.dtype == float:
        return iter(array.ravel().tolist())
    return map(str if array.dtype.kind == "U" else float, array.flat)


def _number(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise TypeError("an int that is larger than any float") from None


def describe_answer_shape(answer: Answer) -> str:
    """Return the shape and type of an answer in words: ``one number``, ``an array of shape (2, 3)``."""
    return describe_shape((answer.shape, answer.kind))


def describe_shape(form: ShapeAndType) -> str:
    """Return a shape and type in words."""
    shape, kind = form
    if not shape:
        return {float: "one number", str: "a text"}.get(kind, "None")
    return f"an array of shape {shape}" + " of texts" * (kind is str)


def describe_tuple(value: Any) -> str:
    """Describe the entries of a tuple or list that is not an array; return "" for other values.

    Examples
    --------
    >>> describe_tuple(([0.5, 1.0], 3)), describe_tuple([[1.0], [2.0, 3.0]])
    ('a pair: an array of shape (2,) and one number', 'a list of 2: an array of shape (1,) and an array of shape (2,)')
    """
    if not isinstance(value, (list, tuple)) or not value:
        return ""
    words = []
    for entry in value[:MAX_ENTRIES_DESCRIBED]:
        try:
            words.append(describe_shape(shape_and_type(entry)))
        except TypeError:
            words.append(f"a {type(entry).__name__}")
    more = ", …" if len(value) > MAX_ENTRIES_DESCRIBED else ""
    kind = "a pair" if type(value) is tuple and len(value) == 2 else f"a {type(value).__name__} of {len(value)}"
    return f"{kind}: {' and '.join([', '.join(words[:-1])] * (len(words) > 1) + words[-1:])}{more}"


def results(value: Any, *words: str) -> tuple[Any, ...]:
    """Return the results of a function that has several; if it returned something else, return a description of it for each result.

    Examples
    --------
    >>> results((1.0, 2.0), "W", "the mean"), results(1.0, "W", "the mean")[0]
    ((1.0, 2.0), 'returns one number, but must return 2 results: W and the mean')
    """
    is_several = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 2  # a stack of matrices, too
    if is_several and len(value) == len(words):
        return tuple(value)
    required = f"{len(words)} results: {', '.join(words[:-1])} and {words[-1]}"
    return (described(value, required),) * len(words)


def described(value: Any, wanted: str) -> str:
    """Describe an answer that cannot be compared, and what the function must return.

    Examples
    --------
    >>> described((1.0, 2.0), "one number")
    'returns an array of shape (2,), but must return one number'
    """
    return f"{RETURNS}{shortened(_describe_value(value))}, but must return {wanted}"


def describe_wrong_shape(answers: "Answers", required: RequiredResults) -> str:
    """Describe the first answer with another shape or type than its function must return; empty if there is no such answer.

    Examples
    --------
    >>> describe_wrong_shape([("viterbi", [[0, 1], ([0, 1], 2.5)])], {"viterbi": {"the path": "(T,)"}})
    '`viterbi` returned a pair: an array of shape (2,) and one number; expected the path, an array of shape (T,).'
    """
    for name, values in filter(None, answers):
        for value in values if name in required else ():
            if not _fits(value, required[name]):
                return _result_sentence(name, value, required[name])
    return ""


def describe_unusable_answer(answers: "Answers", required: RequiredResults, error: BaseException) -> str:
    """Describe the last answer, with which a check cannot go on, as the exception raised in the check shows."""
    if not answers or answers[-1] is None:
        return f"the check cannot use the answer ({type(error).__name__}: {error})"
    name, values = answers[-1]
    return f"{_result_sentence(name, values[0] if values else None, required.get(name, {}))} The check cannot use this answer."


def _fits(value: Any, results: Results) -> bool:
    if len(results) > 1:
        is_several = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 2  # a stack of matrices, too
        pairs = zip(value, results.values(), strict=False) if is_several else ()
        return is_several and len(value) == len(results) and all(_has_shape(part, shape) for part, shape in pairs)
    return all(_has_shape(value, shape) for shape in results.values())


def _has_shape(value: Any, shape: str) -> bool:
    try:
        found, kind = shape_and_type(value)
    except TypeError:
        return False
    if shape and not shape.startswith("("):
        return kind is float and bool(found) and not isinstance(value, tuple)
    return kind is float and len(found) == sum(bool(size.strip()) for size in shape.strip("()").split(","))


def _describe_required_shape(shape: str) -> str:
    return f"an array {'of shape ' * shape.startswith('(')}{shape}" if shape else "a number"


def _result_sentence(name: str, value: Any, results: Results) -> str:
    """Return a sentence on the value that a function returned and on the expected results."""
    by_parts = isinstance(value, tuple) or len(results) > 1
    found = (describe_tuple(value) if by_parts else "") or _describe_value(value)
    returned = f"`{name}` returned {shortened(found)}"
    if value is None:
        returned += " (is a `return` missing?)"
    parts = [f"{word}, {_describe_required_shape(shape)}" for word, shape in results.items()]
    if len(parts) > 1:
        return f"{returned}; expected {len(parts)} results: {'; '.join(parts)}."
    return f"{returned}; expected {parts[0]}." if parts else f"{returned}."


def describe_shape_symptom(wrong: Sequence[ProbeResult]) -> str:
    """Return a sentence if every wrong answer has another shape or type than the right one; the numbers in it may be right."""
    if any(one.has_expected_shape for one in wrong):
        return ""
    first = wrong[0]
    expected = describe_answer_shape(first.expected)
    if first.expected.kind is str and first.actual.kind is float:
        right = repr(first.expected.values[0])
        return f"For the smallest input the code returns {describe_answer_shape(first.actual)}, but the right answer is {right}."
    if all(one.actual.kind is float for one in wrong):
        if len({len(one.actual.shape) == len(one.expected.shape) for one in wrong}) > 1:
            return ""
        text = f"The code returns {describe_answer_shape(first.actual)} for the smallest input, but must return {expected}."
        if all(len(one.actual.values) == len(one.expected.values) for one in wrong):
            if all(all_close(one.actual.array.ravel(), one.expected.array.ravel()) for one in wrong):
                text += " The numbers are right; only the shape is not."
            elif all(all_close(one.actual.array.T, one.expected.array) for one in wrong):
                text += " The numbers are right; rows and columns are exchanged."
        return text
    texts = {str(next(iter(one.actual.values), "")) for one in wrong}
    if all(text.startswith(RAISES) for text in texts):
        return f"Every wrong answer is an exception: the code {first.actual.values[0]}."
    if all(text.startswith(RETURNS) for text in texts):
        return f"The code {first.actual.values[0]}, but {expected} is expected."
    return f"The answer is {first.actual.values[0]!r}, but {expected} is expected." if len(texts) == 1 else ""


def format_answer(answer: Answer, digits: int = 6) -> str:
    """Return an answer as one line of text.

    Examples
    --------
    >>> format_answer(Answer.from_value([[0.4, -0.4], [1 / 3, 0.0]]))
    '[[0.4, -0.4], [0.333333, 0]]'
    >>> format_answer(Answer.from_value(range(100)))
    '100 numbers, shape (100,): 0, 1, 2, 3, 4, 5, …'
    """
    if len(answer.values) > MAX_ENTRIES_SHOWN:
        return _format_long_answer((answer.shape, answer.kind), answer.values, digits)
    if 0 in answer.shape:
        return f"nothing, shape {answer.shape}"
    entries = [entry_text(value, digits) for value in answer.values]
    for size in reversed(answer.shape):
        entries = [f"[{', '.join(entries[i : i + size])}]" for i in range(0, len(entries), size)]
    return entries[0]


def _format_long_answer(form: ShapeAndType, entries: Iterable[float | str | None], digits: int = 6) -> str:
    shape, kind = form
    first = [entry_text(value, digits) for value in islice(entries, MAX_ENTRIES_SHOWN // 2)]
    beginning = f": {', '.join(first)}, …" if first else ""
    return f"{math.prod(shape)} {'texts' if kind is str else 'numbers'}, shape {shape}{beginning}"


def wrong_shape_lines(
    expected: Answer, form: ShapeAndType, entries: Iterable[float | str | None]
) -> list[tuple[str, str]]:
    """Return the lines on an answer, of any size, that is None or does not have the expected shape."""
    shape, kind = form
    if kind is type(None):
        return [("expected", format_answer(expected)), ("yours", "None; is a `return` missing?")]
    expected_text = format_answer(expected)
    if len(expected.values) <= MAX_ENTRIES_SHOWN:
        expected_text += f", {_shape_text(expected.shape)}"
    if math.prod(shape) > MAX_ENTRIES_SHOWN:
        return [("expected", expected_text), ("yours", _format_long_answer(form, entries))]
    actual = format_answer(Answer(shape, tuple(entries)))
    return [("expected", expected_text), ("yours", f"{actual}, {_shape_text(shape)}")]


def _shape_text(shape: Sequence[int]) -> str:
    return f"shape {shape}" if shape else "one value"


def entry_text(value: float | str | None, digits: int) -> str:
    """Return one entry of an answer as text; a long string is cut."""
    if isinstance(value, str):
        more = f"… ({len(value)} characters)" if len(value) > MAX_STRING_CHARS else ""
        return repr(value[:MAX_STRING_CHARS]) + more
    return f"{value + 0.0:.{digits}g}" if isinstance(value, float) else "None"


class _ShortRepr(reprlib.Repr):
    """A ``repr`` of a value that shows only its first entries."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = MAX_ENTRIES_SHOWN
        self.maxstring = self.maxother = self.maxlong = MAX_STRING_CHARS

    def repr_instance(self, x: Any, level: int) -> str:
        """Return the ``repr`` of any other object without its address, which differs in every run."""
        return shortened(ADDRESS.sub("", repr(x)), self.maxother)


def _describe_value(value: Any) -> str:
    """Describe the shape and type of a value, or why it has none."""
    try:
        return describe_shape(shape_and_type(value))
    except TypeError as error:
        return describe_tuple(value) or str(error)


def _short_repr(value: Any) -> str:
    """Describe a value of any type in some words."""
    try:
        text = shortened(_ShortRepr().repr(value))
    except Exception:  # raised by the code of the object, or because an integer has too many digits
        text = ""
    kind = type(value).__name__
    return f"a {kind}" if text.startswith("<") else f"{kind} {text}".strip()  # "<generator …>" adds nothing


def shortened(text: str, max_chars: int = 200) -> str:
    """Return a text as one line of at most ``max_chars`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


def _entries_close(expected: float | str | None, actual: float | str | None, rtol: float, atol: float) -> bool:
    if not (isinstance(expected, float) and isinstance(actual, float)):
        return expected == actual
    if math.isfinite(expected) and math.isfinite(actual):
        return abs(expected - actual) <= atol + rtol * abs(expected)
    return expected == actual or (math.isnan(expected) and math.isnan(actual))


def all_close(array: Any, other_array: Any) -> bool:
    """Return True if two arrays have the same shape and the same numbers, within the tolerances for probe inputs."""
    import numpy as np

    return np.shape(array) == np.shape(other_array) and bool(
        np.allclose(array, other_array, rtol=POOL_RTOL, atol=POOL_ATOL, equal_nan=True)
    )
