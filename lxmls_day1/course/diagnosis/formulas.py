"""Search for the shortest formula that gives wrong numbers, to show what the code has computed in the terms of the exercise.

The check file of an exercise may define the terms of which answers, right or wrong, may be composed:

    def small_terms(given, answer, right):
        '''Yield each part of an answer: a word, its numbers, and the terms (words and numbers) of which it may be composed.'''
        yield "d of the true class", answer[0][given["true class"]], {"ℓ": …, "v": …, "λ": …}

A term may depend on the right answer or on other parts of the same answer. Students can read the file, so it must not show how the right
answer is computed. A formula is reported only if it gives the numbers of every answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL

Part = tuple[Any, Mapping[str, Any]]  # numbers, and the terms of which they may be composed
Terms = Callable[[dict[str, Any], Any, Any], Iterable[tuple[str, Any, Mapping[str, Any]]]]
Formulas = tuple[list[str], np.ndarray]  # the text of each formula, and a row of its values
OPERATIONS = {"+": np.add, "−": np.subtract, "·": np.multiply, "/": np.divide}
ROUNDING_TOLERANCE = 1e-5  # tolerance relative to the terms, because they are computed from rounded answers
MIN_DISTINCT_NUMBERS = 4  # different numbers that a formula must give, so that it does not fit by chance


@np.errstate(all="ignore")  # wrong numbers may be of any size
def find_formula(parts: Iterable[Part], right_parts: Iterable[Part]) -> str:
    """Return the shortest formula that gives the numbers of all parts but not those of the right answers; empty if none is found.

    Parameters
    ----------
    parts : pairs of numbers and their terms, of any shape that fits the numbers
        The same part in several wrong answers.
    right_parts : pairs of the same kind, from the right_parts answers
        A formula that holds for these, too, does not describe a mistake.

    Examples
    --------
    >>> terms = [{"ℓ": loss, "v": v, "1": 1} for loss, v in [(1, 2), (3, 1), (1, 5), (4, 4)]]
    >>> right_parts = [(its["ℓ"] / its["v"], its) for its in terms]
    >>> for factor in (1, 3):
    ...     find_formula([(factor * its["ℓ"] / (its["v"] + 1), its) for its in terms], right_parts)
    'ℓ / (v + 1)'
    '3 · (ℓ / (v + 1))'
    """
    both = [*(parts := list(parts)), *right_parts]
    n = sum(np.size(part) for part, _ in parts)
    numbers = _concatenate([part for part, _ in both], both)
    words = [word for word in both[0][1] if all(word in its for _, its in both)]
    shown = [f"({word})" if set(word) & set(OPERATIONS) else word for word in words]
    if not np.isfinite(numbers).all() or len(np.unique(numbers[:n].round(6))) < MIN_DISTINCT_NUMBERS:
        return ""
    terms = np.array([_concatenate([its[word] for _, its in both], both) for word in words])
    error = POOL_ATOL + POOL_RTOL * np.abs(numbers) + ROUNDING_TOLERANCE * np.abs(terms).max(axis=0)
    at = int(np.argmax(np.abs(numbers[:n])))
    for texts, values in _formulas((shown, terms)):
        factors = numbers[at] / values[:, at]
        scale = 10.0 ** (4 - np.floor(np.log10(np.abs(factors))))
        factors = np.round(factors * scale) / scale  # to five digits
        holds = np.abs(numbers - factors[:, None] * values) <= error
        if found := list(np.flatnonzero(holds[:, :n].all(axis=1) & ~holds[:, n:].all(axis=1))):
            best = min(found, key=lambda place: factors[place] != 1)
            factor, text = float(factors[best]), texts[best]
            text = text if text in shown or factor == 1 else f"({text})"
            return text if factor == 1 else f"−{text}" if factor == -1 else f"{factor:g} · {text}".replace("-", "−")
    return ""


def _concatenate(values: Sequence[Any], parts: Sequence[Part]) -> np.ndarray:
    """Concatenate all values, each broadcast to the shape of its part."""
    pairs = zip(values, parts, strict=True)
    return np.concatenate([np.broadcast_to(value, np.shape(part)).ravel() for value, (part, _) in pairs]).astype(float)


def _formulas(terms: Formulas) -> Iterator[Formulas]:
    """Yield formulas of one, two and three terms, the shortest first."""
    yield terms
    pairs = list(_combine(terms, terms))
    yield from pairs
    for texts, values in pairs:
        bracketed = [f"({text})" for text in texts], values
        yield from _combine(bracketed, terms)
        yield from _combine(terms, bracketed)


def _combine(left: Formulas, right: Formulas) -> Iterator[Formulas]:
    for sign, operation in OPERATIONS.items():
        texts = [f"{one} {sign} {other}" for one in left[0] for other in right[0]]
        yield texts, operation(left[1][:, None], right[1][None]).reshape(len(texts), -1)
