"""Symptoms in wrong answers that no known mistake explains. They are true of all wrong answers, but do not name a cause.

The symptoms are sought in this order; each must hold for every wrong answer unless its sentence says otherwise:

* shape and type: a pair, a string, another shape, an exception;
* the relation to the expected numbers: a factor (which may be a number of the input), a difference, another order;
* a formula, in the terms of the exercise, that gives a wrong part (`small_terms`, `lxmls_day1.course.diagnosis.formulas`);
* numbers that are not finite;
* a property that an answer must have, defined by `small_properties` in the check file;
* the parts that are wrong, if other parts are right in every answer (`small_parts`);
* the condition: a property of all inputs with a wrong answer that no other input has.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.course.diagnosis.answer_shapes import Answer, ProbeResult, all_close, describe_shape_symptom
from lxmls_day1.course.diagnosis.formulas import Terms, find_formula
from lxmls_day1.course.diagnosis.mistake_matching import Split

WRONG_FORM, WRONG_PARTS = "wrong_form", "wrong_parts"
RELATED, CONDITION = "related_to_the_right_one", "where_it_is_wrong"
NOT_FINITE: tuple[tuple[str, Callable[[Any], Any], str], ...] = (
    ("`nan`, not a number", np.isnan, "0 / 0, inf − inf, or the logarithm of a number below 0"),
    ("`inf` or `-inf`", np.isinf, "a division by 0, the logarithm of 0, or the exponential of a large number"),
)
NEAR_TOLERANCE = 0.01  # tolerance relative to the largest number of an answer
MIN_INPUTS_PER_SIDE = 2  # minimum number of inputs with a right, and with a wrong answer, to report a condition
MIN_RIGHT_PER_WRONG = 1 / 8  # minimum ratio of right to wrong answers to report a condition
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "the exponential of": np.exp,
    "the natural logarithm of": np.log,
    "the square root of": np.sqrt,
    "the integer part of": np.trunc,
}

Properties = Callable[[dict[str, Any], Any], Iterable[tuple[str, str]]]
Sentences = list[tuple[str, str]]
CORRECT_ANSWER = "the right one"  # this term exists for every part


class ExpectedAndActual(NamedTuple):
    """The expected and the actual value of a part, and the terms of which each may be composed."""

    expected: Any
    actual: Any
    actual_terms: Mapping[str, Any]
    expected_terms: Mapping[str, Any]


@np.errstate(all="ignore")  # wrong numbers may be of any size
def describe_symptoms(
    probe_results: Sequence[ProbeResult],
    properties: Properties | None = None,
    split: Split | None = None,
    terms: Terms | None = None,
) -> Sentences:
    """Return pairs of a name and a sentence that describe the wrong answers, the most informative first; empty if nothing holds for all.

    Examples
    --------
    >>> halves = [ProbeResult({"x": x}, Answer.from_value(2.0 * x), Answer.from_value(1.0 * x), True) for x in (1, 2, 3, 4)]
    >>> describe_symptoms(halves)
    [('related_to_the_right_one', 'Every number is x.')]
    """
    wrong = [one for one in probe_results if one.is_wrong]
    form = describe_shape_symptom(wrong)
    sentences = (
        ([(WRONG_FORM, form)] if form else [])
        or _relation(probe_results, split, terms)
        or _missing_property(wrong, properties)
        or [*_not_finite(wrong), *_wrong_parts(probe_results, split)]
    )
    return [*sentences, *_condition(probe_results)][:2]


def _relation(probe_results: Sequence[ProbeResult], split: Split | None, terms: Terms | None) -> Sentences:
    """Describe how the actual numbers follow from the expected ones or from the terms of the exercise, in all numbers or in parts."""
    if all(one.has_expected_shape and one.actual.kind is float for one in probe_results):
        (pairs,) = _pairs_by_part(probe_results, lambda given, answer: [("", answer)]).values()
        if text := _relation_of(pairs):
            return [(RELATED, f"Every number {text}.")]
    results = [one for one in probe_results if one.has_expected_shape and one.expected.kind is float]
    finite = [one for one in results if np.isfinite(one.actual.array).all()]
    parts = _pairs_by_part(finite, split, terms).items()
    found = [
        f"{'' if all(np.size(pair.actual) == 1 for pair in pairs) else 'each number of '}{word} {text}"
        for word, pairs in parts
        if (text := _relation_of(pairs))
    ]
    kind = "result" if len(finite) == len(results) else "finite result"
    return [(RELATED, f"In every {kind} {'; '.join(found)}.")] if found else []


def _relation_of(pairs: Sequence[ExpectedAndActual]) -> str:
    """Return a function, a formula, a difference or an order that holds for all these answers; at least two answers must be wrong."""
    if text := _function_of(pairs):
        return text
    shown = [pair for pair in pairs if np.size(pair.expected) and not all_close(pair.actual, pair.expected)]
    if len(shown) < MIN_INPUTS_PER_SIDE or not all(
        np.isfinite([*np.ravel(p.expected), *np.ravel(p.actual)]).all() for p in pairs
    ):
        return ""
    difference = float(np.ravel(shown[0].actual - shown[0].expected)[0])
    if all(all_close(pair.actual, pair.expected + difference) for pair in pairs):
        return f"is {abs(difference):.4g} {'more' if difference > 0 else 'less'} than the right one"
    actual, expected = [(p.actual, p.actual_terms) for p in pairs], [(p.expected, p.expected_terms) for p in pairs]
    if text := find_formula(actual, expected):
        return "has the wrong sign" if text == f"−{CORRECT_ANSWER}" else f"is {text}"
    if all(all_close(np.ravel(pair.actual)[::-1], np.ravel(pair.expected)) for pair in pairs):
        return "is right, but in the reverse order"
    if all(all_close(np.abs(pair.actual), np.abs(pair.expected)) for pair in pairs):
        return "is right except for its sign, which is wrong in some places"
    if all(
        np.allclose(p.actual, p.expected, rtol=0, atol=NEAR_TOLERANCE * np.max(np.abs(p.expected), initial=0))
        for p in pairs
    ):
        return "is nearly right, but not near enough"
    return ""


def _function_of(pairs: Sequence[ExpectedAndActual]) -> str:
    """Name the function of the right numbers (entry by entry, or the transposition) that gives all actual numbers, or return ""."""
    if sum(not all_close(pair.actual, pair.expected) for pair in pairs) < MIN_INPUTS_PER_SIDE:
        return ""
    if all(
        np.ndim(p.expected) == 2 and all_close(np.reshape(p.actual, p.expected.shape[::-1]).T, p.expected)
        for p in pairs
    ):
        return "is right, but rows and columns are exchanged"
    for text, function in FUNCTIONS.items():
        if all(all_close(pair.actual, function(pair.expected)) for pair in pairs):
            return f"is {text} the right one"
    return ""


def _not_finite(wrong: Sequence[ProbeResult]) -> Sentences:
    """Report numbers that are not finite, if more than half of the wrong answers hold them and the right answers do not."""
    for sign, test, source in NOT_FINITE:
        numbers = [one for one in wrong if one.actual.kind is one.expected.kind is float]
        count = sum(bool(test(one.actual.array).any()) and not test(one.expected.array).any() for one in numbers)
        if 2 * count > len(wrong):
            where = "Every wrong answer holds" if count == len(wrong) else f"{count} of {len(wrong)} wrong answers hold"
            return [("not_finite", f"{where} {sign}, as from {source}.")]
    return []


def _missing_property(wrong: Sequence[ProbeResult], properties: Properties | None) -> Sentences:
    """Return the first property that more than half of the wrong answers lack; the sentence counts them unless all lack it."""
    if properties is None:
        return []
    lacking = [missing_properties(properties, dict(one.given), one.expected, one.actual) for one in wrong]
    for (name, sentence), count in Counter(chain.from_iterable(lacking)).items():
        if 2 * count > len(wrong):
            some = f"In {count} of {len(wrong)} wrong answers: "
            return [(name, sentence if count == len(wrong) else some + sentence)]
    return []


def missing_properties(properties: Properties, given: dict[str, Any], expected: Answer, actual: Answer) -> Sentences:
    """Return the properties that one answer lacks; empty if its shape or type is not the right one, or it is not finite."""
    if (actual.shape, actual.kind) != (expected.shape, expected.kind):
        return []
    if actual.kind is float and not all(isinstance(value, float) and math.isfinite(value) for value in actual.values):
        return []
    return list(properties(given, actual.array if actual.shape else actual.values[0]))


def _wrong_parts(probe_results: Sequence[ProbeResult], split: Split | None) -> Sentences:
    """Name the wrong parts, if all wrong answers have the right shape and type, and some parts are right in every answer."""
    if split is None or any(
        one.is_wrong and not (one.has_expected_shape and one.expected.kind is float) for one in probe_results
    ):
        return []
    is_wrong = {
        word: not all(all_close(pair.actual, pair.expected) for pair in parts)
        for word, parts in _pairs_by_part(
            [one for one in probe_results if one.expected.kind is float and one.has_expected_shape], split
        ).items()
    }
    wrong = [word for word, is_so in is_wrong.items() if is_so]
    right = [word for word, is_so in is_wrong.items() if not is_so]
    if not wrong or not right:
        return []
    return [(WRONG_PARTS, f"Only a part is wrong: {', '.join(wrong)}. Right in all answers: {', '.join(right)}.")]


def _pairs_by_part(
    probe_results: Sequence[ProbeResult], split: Split | None, terms: Terms | None = None
) -> dict[str, list[ExpectedAndActual]]:
    """Return a dictionary from the name of each part of an answer to a list with one `ExpectedAndActual` for each probe result."""
    found: dict[str, list[ExpectedAndActual]] = {}
    for one in probe_results:
        given, right = dict(one.given), one.expected.array
        sizes = {word: n for word, n in given.items() if type(n) in (int, float) and n > 0}
        sizes |= {f"√{word}": np.sqrt(n) for word, n in sizes.items()} | {"1": 1}
        expected, actual = (
            list(terms(given, its, right))
            if terms
            else [(word, np.asarray(part), sizes) for word, part in (split(given, its) if split else ())]
            for its in (right, one.actual.array)
        )
        for (word, part, right_terms), (_, its, its_terms) in zip(expected, actual, strict=True):
            the_right_one = {CORRECT_ANSWER: part}
            pair = ExpectedAndActual(part, its, the_right_one | dict(its_terms), the_right_one | dict(right_terms))
            found.setdefault(word, []).append(pair)
    return found


def _condition(probe_results: Sequence[ProbeResult]) -> Sentences:
    """Return a condition that holds for all inputs with a wrong answer and for no other input, if there is one."""
    is_wrong = [one.is_wrong for one in probe_results]
    n_wrong, n_right = sum(is_wrong), len(is_wrong) - sum(is_wrong)
    # A few inputs may have something in common by chance.
    if min(n_wrong, n_right) < MIN_INPUTS_PER_SIDE or n_right < MIN_RIGHT_PER_WRONG * n_wrong:
        return []
    conditions = _conditions([one.given for one in probe_results])
    texts = (text for text, holds in conditions if list(map(bool, holds)) == is_wrong)
    return [(CONDITION, f"The answers are wrong where {text}, and right everywhere else.") for text in texts][:1]


def _conditions(inputs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Iterable[Any]]]:
    """Yield the conditions that an input may satisfy: a phrase, and for each input whether it holds."""
    for word in inputs[0]:
        values = [given.get(word) for given in inputs]
        if all(isinstance(value, str) for value in values):
            for text in sorted(set(map(str, values))):
                yield f"{word} is {text}", [value == text for value in values]
        elif all(type(value) in (int, float) for value in values):
            numbers = np.array(values, dtype=float)
            for n in np.unique(numbers):
                yield f"{word} is {n:g}", numbers == n
                yield f"{word} is not {n:g}", numbers != n
                yield f"{word} is above {n:g}", numbers > n
                yield f"{word} is below {n:g}", numbers < n
        elif all(isinstance(value, list) and value for value in values):
            lists = [value for value in values if isinstance(value, list)]
            lengths = np.array(list(map(len, lists)))
            for length in np.unique(lengths):
                yield f"{word} has {length} entries", lengths == length
                yield f"{word} has more than {length} entries", lengths > length
            flat = [_flatten_numbers(value) for value in lists]
            yield f"{word} has a number below 0", [(entries < 0).any() for entries in flat]
            yield f"{word} has a 0", [(entries == 0).any() for entries in flat]
            yield f"{word} has equal entries", [len(set(map(repr, value))) < len(value) for value in lists]
            yield f"{word} has a number that is not an integer", [(entries % 1).any() for entries in flat]


def _flatten_numbers(value: Any) -> np.ndarray:
    """Return all numbers of a nested list; strings are left out."""
    return np.array([entry for entry in flattened(value) if type(entry) in (int, float)], dtype=float)


def flattened(value: Any) -> list[Any]:
    """Return all entries of a nested list; of another value a list with this value alone."""
    return [entry for part in value for entry in flattened(part)] if isinstance(value, list) else [value]
