"""The ``expect`` of a check, which compares a value with the recorded answer and reports the difference.

A check calls ``expect("the step on a mistake", d)``. The expected answer was recorded from the reference.

The shape and the type of a value are determined first, without converting it. A value of an unexpected shape is described by its
shape and its first entries; it is neither converted to an array nor made dense.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.answer_shapes import (
    ATOL,
    MAX_ENTRIES_SHOWN,
    RTOL,
    Answer,
    RequiredResults,
    ShapeAndType,
    describe_wrong_shape,
    entries_of,
    entry_text,
    format_answer,
    shape_and_type,
    wrong_shape_lines,
)
from lxmls_day1.course.lab_under_test import Answers


@dataclass(eq=False, repr=False)
class WrongAnswer(AssertionError):
    """An answer that differs from the expected one.

    Attributes
    ----------
    message : str
    mistakes : sequence of (name, sentence)
        The known mistakes that give this answer; several if their answers are the same.
    diagnosis_kind : str
        The relation of the mistakes: a key of `lxmls_day1.course.diagnosis.mistake_matching.DIAGNOSIS_HEADINGS`.
    example : CounterExample or None
        The smallest input with a wrong answer, if this is the check of the probe inputs.
    wrong : sequence of (input, answer)
        All wrong answers in the check of the probe inputs.
    """

    message: str
    mistakes: Sequence[tuple[str, str]] = ()
    diagnosis_kind: str = ""
    example: Any = None
    wrong: Sequence[tuple[dict[str, Any], Answer]] = ()

    def __post_init__(self) -> None:
        super().__init__(self.message)


class Expect:
    """The ``expect`` of a check whose values are compared: ``expect("description this is", value)``.

    Parameters
    ----------
    expected : dict from description to `Answer`
        The recorded answers of this check.
    """

    def __init__(self, expected: Mapping[str, Answer]):
        self._expected = expected

    def __call__(self, description: str, value: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Compare a value with the recorded answer.

        Parameters
        ----------
        description : str
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
        expected = self._expected.get(description)
        if expected is None:
            raise InputError(
                f"no answer is recorded for {description!r}; after a change of a check run `python -m tools.authoring.record`"
            )
        try:
            form = shape_and_type(value)
            if form[0] != expected.shape:
                lines = wrong_shape_lines(expected, form, _first_entries(value, form))
            else:
                actual = Answer(form[0], tuple(entries_of(value)))
                lines = [] if expected.is_close(actual, rtol, atol) else _difference(expected, actual, rtol, atol)
        except TypeError as error:
            lines = [("expected", format_answer(expected)), ("yours", str(error))]
        if lines:
            raise WrongAnswer(labelled_lines(description, lines))


class RecordingExpect:
    """The ``expect`` of a check in a snapshot: it records every value and accepts all of them."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}

    def __call__(self, description: str, value: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Record a value."""
        if description in self.answers:
            raise InputError(f"expect({description!r}) stands twice in this check; give each place its own words")
        self.answers[description] = Answer.from_value(value)


def _first_entries(value: Any, form: ShapeAndType) -> Iterable[float | str | None]:
    """Return the entries of a value that are shown; none for a long sparse array, which would have to be made dense."""
    return () if hasattr(value, "toarray") and math.prod(form[0]) > MAX_ENTRIES_SHOWN else entries_of(value)


def _difference(expected: Answer, actual: Answer, rtol: float, atol: float) -> list[tuple[str, str]]:
    if actual.values == (None,) and expected.values != (None,):
        return wrong_shape_lines(expected, (actual.shape, actual.kind), actual.values)
    places = expected.mismatches(actual, rtol, atol)
    if len(expected.values) <= MAX_ENTRIES_SHOWN:
        digits = next((d for d in (6, 9, 12) if format_answer(expected, d) != format_answer(actual, d)), 17)
        return [("expected", format_answer(expected, digits)), ("yours", format_answer(actual, digits))]
    lines = [("differ", f"{len(places)} of {len(expected.values)}; the first ones:")]
    for i in places[:3]:
        pair = expected.values[i], actual.values[i]
        digits = next((d for d in (6, 9, 12) if entry_text(pair[0], d) != entry_text(pair[1], d)), 17)
        where = ", ".join(map(str, np.unravel_index(i, expected.shape)))
        lines.append((f"at [{where}]", f"expected {entry_text(pair[0], digits)}, yours {entry_text(pair[1], digits)}"))
    return lines


def labelled_lines(description: str, lines: list[tuple[str, str]]) -> str:
    """Return a description, and below it the lines in two columns: labels and texts."""
    width = max(len(label) for label, _ in lines)
    return "\n".join([description, *(f"  {label:<{width}}  {text}" for label, text in lines)])


def describe_failure(error: BaseException, answers: Answers, required: RequiredResults) -> str:
    """Describe the failure of a check: a wrong shape or type, otherwise a wrong answer; empty if it is neither."""
    if not isinstance(error, WrongAnswer):
        return describe_wrong_shape(answers, required)
    of_form = "" if error.example is not None else describe_wrong_shape(answers, required)  # the example says more
    return of_form or str(error)
