"""The ``expect`` of a check: it compares a value with the recorded answer, and says what differs.

A check says ``expect("the step on a mistake", d)``. The expected answer was recorded from the reference.

The shape and the kind of a value are found first, without converting it. A value of an unexpected shape is described by its
shape and its first entries: it is neither made dense nor made an array.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.recorded_answers import (
    ATOL,
    LONGEST_SHOWN,
    MOST_SHOWN,
    RTOL,
    Answer,
    Form,
    entries_of,
    form_of,
)


class WrongAnswer(AssertionError):
    """An answer that is not the expected one.

    Attributes
    ----------
    mistakes : tuple of (name, sentence)
        The known mistakes that give this answer; none if it is an unknown one, several if they cannot be told apart here.
    named_as : str
        What several are: one of the keys of `lxmls_day1.course.diagnosis.naming.HEADS`.
    example : CounterExample or None
        The smallest input with a wrong answer, if this is the check of small inputs.
    wrong : tuple of (input, answer)
        All wrong answers of that check.
    """

    def __init__(
        self,
        message: str,
        mistakes: Iterable[tuple[str, str]] = (),
        named_as: str = "",
        example: Any = None,
        wrong: Iterable[tuple[dict[str, Any], Answer]] = (),
    ):
        super().__init__(message)
        self.mistakes = tuple(mistakes)
        self.named_as = named_as
        self.example = example
        self.wrong = tuple(wrong)


class Expect:
    """The ``expect`` of a check that is compared: ``expect("what this is", value)``.

    Parameters
    ----------
    expected : dict from what is expected to `Answer`
        Of this check.
    """

    def __init__(self, expected: Mapping[str, Answer]):
        self._expected = expected

    def __call__(self, what: str, value: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Compare a value with what was recorded.

        Parameters
        ----------
        what : str
            What the value is, in words that a student understands; it is the place under which the answer was recorded.
        value : number, str, None, or array or nested list of numbers or of str
        rtol, atol : float
            Relative and absolute tolerance, as numpy.allclose has them.

        Raises
        ------
        WrongAnswer
            If it differs. The message says what was expected and got.
        """
        __tracebackhide__ = True
        expected = self._expected.get(what)
        if expected is None:
            raise InputError(
                f"no answer is recorded for {what!r}; after a change of a check run `python -m tools.authoring.record`"
            )
        try:
            form = form_of(value)
            if form[0] != expected.shape:
                raise WrongAnswer(_message(what, _other_shape(expected, form, _first_entries(value, form))))
            got = Answer(form[0], tuple(entries_of(value)))
        except TypeError as error:
            raise WrongAnswer(_message(what, [("expected", show(expected)), ("got", str(error))])) from None
        if not expected.agrees(got, rtol, atol):
            raise WrongAnswer(_message(what, _difference(expected, got, rtol, atol)))


class RecordingExpect:
    """The ``expect`` of a check in a snapshot: it keeps what it is given and finds nothing wrong."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}

    def __call__(self, what: str, value: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Keep a value."""
        if what in self.answers:
            raise InputError(f"expect({what!r}) stands twice in this check; give each place its own words")
        self.answers[what] = Answer.of(value)


def _first_entries(value: Any, form: Form) -> Iterable[float | str | None]:
    """Those of a value that is shown only; a long sparse array would have to be made dense for them."""
    return () if hasattr(value, "toarray") and math.prod(form[0]) > MOST_SHOWN else entries_of(value)


def show(answer: Answer, digits: int = 6) -> str:
    """An answer in one line.

    Examples
    --------
    >>> show(Answer.of([[0.4, -0.4], [1 / 3, 0.0]]))
    '[[0.4, -0.4], [0.333333, 0]]'
    >>> show(Answer.of(range(100)))
    '100 numbers, shape (100,): 0, 1, 2, 3, 4, 5, …'
    """
    if len(answer.values) > MOST_SHOWN:
        return _show_long((answer.shape, answer.kind), answer.values, digits)
    if 0 in answer.shape:
        return f"nothing, shape {answer.shape}"
    entries = [_entry(value, digits) for value in answer.values]
    for size in reversed(answer.shape):
        entries = [f"[{', '.join(entries[i : i + size])}]" for i in range(0, len(entries), size)]
    return entries[0]


def _show_long(form: Form, entries: Iterable[float | str | None], digits: int = 6) -> str:
    shape, kind = form
    first = [_entry(value, digits) for value in islice(entries, MOST_SHOWN // 2)]
    beginning = f": {', '.join(first)}, …" if first else ""
    return f"{math.prod(shape)} {'texts' if kind is str else 'numbers'}, shape {shape}{beginning}"


def _difference(expected: Answer, got: Answer, rtol: float, atol: float) -> list[tuple[str, str]]:
    if got.values == (None,) and expected.values != (None,):
        return _other_shape(expected, (got.shape, got.kind), got.values)
    places = expected.differing(got, rtol, atol)
    if len(expected.values) <= MOST_SHOWN:
        digits = next((d for d in (6, 9, 12) if show(expected, d) != show(got, d)), 17)
        return [("expected", show(expected, digits)), ("got", show(got, digits))]
    lines = [("differ", f"{len(places)} of {len(expected.values)}; the first ones:")]
    for i in places[:3]:
        pair = expected.values[i], got.values[i]
        digits = next((d for d in (6, 9, 12) if _entry(pair[0], d) != _entry(pair[1], d)), 17)
        where = ", ".join(map(str, _position(i, expected.shape)))
        lines.append((f"at [{where}]", f"expected {_entry(pair[0], digits)}, got {_entry(pair[1], digits)}"))
    return lines


def _other_shape(expected: Answer, form: Form, entries: Iterable[float | str | None]) -> list[tuple[str, str]]:
    """What to say of an answer that has another shape than the expected one, or is None; it may be of any size."""
    shape, kind = form
    if kind is type(None):
        return [("expected", show(expected)), ("got", "None; is a `return` missing?")]
    wanted = show(expected)
    if len(expected.values) <= MOST_SHOWN:
        wanted += f", {_shape_text(expected.shape)}"
    if math.prod(shape) > MOST_SHOWN:
        return [("expected", wanted), ("got", _show_long(form, entries))]
    return [("expected", wanted), ("got", f"{show(Answer(shape, tuple(entries)))}, {_shape_text(shape)}")]


def _message(what: str, lines: list[tuple[str, str]]) -> str:
    width = max(len(label) for label, _ in lines)
    return "\n".join([what, *(f"  {label:<{width}}  {text}" for label, text in lines)])


def _shape_text(shape: Sequence[int]) -> str:
    return f"shape {shape}" if shape else "one value"


def _position(i: int, shape: tuple[int, ...]) -> list[int]:
    position = []
    for size in reversed(shape):
        i, rest = divmod(i, size)
        position.append(rest)
    return position[::-1]


def _entry(value: float | str | None, digits: int) -> str:
    if isinstance(value, str):
        more = f"… ({len(value)} characters)" if len(value) > LONGEST_SHOWN else ""
        return repr(value[:LONGEST_SHOWN]) + more
    return f"{value + 0.0:.{digits}g}" if isinstance(value, float) else "None"
