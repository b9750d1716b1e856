"""The ``expect`` of a check, which compares a value with the recorded answer and reports the difference.

A check calls ``expect("the step on a mistake", d)``. The expected answer was recorded from the reference.

The shape and the type of a value are determined first, without converting it. A value of an unexpected shape is described by its
shape and its first entries; it is neither converted to an array nor made dense.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.checked_lab import Answers
from lxmls_day1.course.diagnosis.answer_shapes import (
    ATOL,
    MOST_SHOWN,
    RTOL,
    Answer,
    Form,
    Wanted,
    entries_of,
    entry_text,
    form_of,
    other_shape,
    show,
    wrong_form,
)


class WrongAnswer(AssertionError):
    """An answer that differs from the expected one.

    Attributes
    ----------
    mistakes : tuple of (name, sentence)
        The known mistakes that give this answer; several if their answers are the same.
    named_as : str
        The relation of the mistakes: a key of `lxmls_day1.course.diagnosis.naming.HEADS`.
    example : CounterExample or None
        The smallest input with a wrong answer, if this is the check of the probe inputs.
    wrong : tuple of (input, answer)
        All wrong answers in the check of the probe inputs.
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
    """The ``expect`` of a check whose values are compared: ``expect("what this is", value)``.

    Parameters
    ----------
    expected : dict from description to `Answer`
        The recorded answers of this check.
    """

    def __init__(self, expected: Mapping[str, Answer]):
        self._expected = expected

    def __call__(self, what: str, value: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Compare a value with the recorded answer.

        Parameters
        ----------
        what : str
            A description of the value that a student understands; it is the key of the recorded answer.
        value : number, str, None, or array or nested list of numbers or of str
        rtol, atol : float
            Relative and absolute tolerance, as in numpy.allclose.

        Raises
        ------
        WrongAnswer
            If it differs. The message shows the expected and the actual value.
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
                raise WrongAnswer(_message(what, other_shape(expected, form, _first_entries(value, form))))
            got = Answer(form[0], tuple(entries_of(value)))
        except TypeError as error:
            raise WrongAnswer(_message(what, [("expected", show(expected)), ("yours", str(error))])) from None
        if not expected.agrees(got, rtol, atol):
            raise WrongAnswer(_message(what, _difference(expected, got, rtol, atol)))


class RecordingExpect:
    """The ``expect`` of a check in a snapshot: it records every value and accepts all of them."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}

    def __call__(self, what: str, value: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Record a value."""
        if what in self.answers:
            raise InputError(f"expect({what!r}) stands twice in this check; give each place its own words")
        self.answers[what] = Answer.of(value)


def _first_entries(value: Any, form: Form) -> Iterable[float | str | None]:
    """Return the entries of a value that are shown; none for a long sparse array, which would have to be made dense."""
    return () if hasattr(value, "toarray") and math.prod(form[0]) > MOST_SHOWN else entries_of(value)


def _difference(expected: Answer, got: Answer, rtol: float, atol: float) -> list[tuple[str, str]]:
    if got.values == (None,) and expected.values != (None,):
        return other_shape(expected, (got.shape, got.kind), got.values)
    places = expected.differing(got, rtol, atol)
    if len(expected.values) <= MOST_SHOWN:
        digits = next((d for d in (6, 9, 12) if show(expected, d) != show(got, d)), 17)
        return [("expected", show(expected, digits)), ("yours", show(got, digits))]
    lines = [("differ", f"{len(places)} of {len(expected.values)}; the first ones:")]
    for i in places[:3]:
        pair = expected.values[i], got.values[i]
        digits = next((d for d in (6, 9, 12) if entry_text(pair[0], d) != entry_text(pair[1], d)), 17)
        where = ", ".join(map(str, _position(i, expected.shape)))
        lines.append((f"at [{where}]", f"expected {entry_text(pair[0], digits)}, yours {entry_text(pair[1], digits)}"))
    return lines


def _message(what: str, lines: list[tuple[str, str]]) -> str:
    width = max(len(label) for label, _ in lines)
    return "\n".join([what, *(f"  {label:<{width}}  {text}" for label, text in lines)])


def _position(i: int, shape: tuple[int, ...]) -> list[int]:
    position = []
    for size in reversed(shape):
        i, rest = divmod(i, size)
        position.append(rest)
    return position[::-1]


def wrong_in_words(error: BaseException, answers: Answers, wanted: Wanted) -> str:
    """Describe the failure of a check: a wrong shape or type, otherwise a wrong answer; empty if it is neither."""
    if not isinstance(error, WrongAnswer):
        return wrong_form(answers, wanted)
    of_form = "" if error.example is not None else wrong_form(answers, wanted)  # the example says more
    return of_form or str(error)
