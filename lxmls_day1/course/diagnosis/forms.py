"""The forms that the functions of an exercise must return, and what is said of an answer of another form.

A file of checks names the results of each function that it calls, with their shapes. A number has none, and an array of any
shape some words:

    MUST_RETURN = {"mixed": {"W": "(J + 1, K)", "total": "(J + 1, K)", "count": ""}, "soft_threshold": {"w": "like a"}}

An answer of the right form may still be too long or too short: `lxmls_day1.course.diagnosis.expect` compares the shapes.
"""

from collections.abc import Mapping
from typing import Any

from lxmls_day1.course.checked_lab import Answers
from lxmls_day1.course.diagnosis.expect import WrongAnswer
from lxmls_day1.course.diagnosis.recorded_answers import form_of, form_text, in_words, shortened

MUST_RETURN = "MUST_RETURN"  # of a file of checks

Results = Mapping[str, str]  # what a function returns, one after the other -> its shape
Wanted = Mapping[str, Results]  # function -> its results


def wrong_form(answers: Answers, wanted: Wanted) -> str:
    """What to say of the first answer that does not have the form that its function must return; empty if there is none.

    Examples
    --------
    >>> wrong_form([("viterbi", [[0, 1], ([0, 1], 2.5)])], {"viterbi": {"the path": "(T,)"}})
    '`viterbi` returned a pair: an array of shape (2,) and one number; the path, an array of shape (T,), is wanted.'
    """
    for name, values in filter(None, answers):
        for value in values if name in wanted else ():
            if not _fits(value, wanted[name]):
                return _sentence(name, value, wanted[name])
    return ""


def wrong_in_words(error: BaseException, answers: Answers, wanted: Wanted) -> str:
    """What to say of a check that ended so: of a wrong form, else of a wrong answer; empty if it is neither."""
    if not isinstance(error, WrongAnswer):
        return wrong_form(answers, wanted)
    of_form = "" if error.example is not None else wrong_form(answers, wanted)  # small inputs tell more
    return of_form or str(error)


def unusable(answers: Answers, wanted: Wanted, error: BaseException) -> str:
    """What to say of the last answer, with which a check cannot go on, as this exception of the check's own tells."""
    if not answers or answers[-1] is None:
        return f"the check cannot use the answer ({type(error).__name__}: {error})"
    name, values = answers[-1]
    return f"{_sentence(name, values[0] if values else None, wanted.get(name, {}))} The check cannot use this answer."


def _fits(value: Any, results: Results) -> bool:
    if len(results) > 1:
        is_several = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 2  # matrices, stacked
        pairs = zip(value, results.values(), strict=False) if is_several else ()
        return is_several and len(value) == len(results) and all(_has_shape(part, shape) for part, shape in pairs)
    return all(_has_shape(value, shape) for shape in results.values())


def _has_shape(value: Any, shape: str) -> bool:
    try:
        found, kind = form_of(value)
    except TypeError:
        return False
    if shape and not shape.startswith("("):
        return kind is float and bool(found) and not isinstance(value, tuple)
    return kind is float and len(found) == sum(bool(size.strip()) for size in shape.strip("()").split(","))


def _shape_in_words(shape: str) -> str:
    return f"an array {'of shape ' * shape.startswith('(')}{shape}" if shape else "a number"


def _sentence(name: str, value: Any, results: Results) -> str:
    """What a function returned, and what is wanted."""
    try:
        found = form_text(form_of(value))
    except TypeError as error:
        found = in_words(value) or str(error)
    if isinstance(value, tuple) or len(results) > 1:
        found = in_words(value) or found
    returned = f"`{name}` returned {shortened(found)}"
    if value is None:
        returned += " (is a `return` missing?)"
    parts = [f"{word}, {_shape_in_words(shape)}" for word, shape in results.items()]
    if len(parts) > 1:
        return f"{returned}; {len(parts)} results are wanted: {'; '.join(parts)}."
    return f"{returned}; {parts[0]}, is wanted." if parts else f"{returned}."
