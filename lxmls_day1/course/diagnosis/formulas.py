"""The shortest formula that gives wrong numbers: what the code has computed, in the terms of the exercise.

The file of checks of an exercise may say of what its answers, right or wrong, can be made:

    def small_terms(given, answer, right):
        '''Parts of an answer, each a word, its numbers, and terms: words and numbers, of which it may be made.'''
        yield "d of the true class", answer[0][given["true class"]], {"ℓ": …, "v": …, "λ": …}

A term may be made of the right answer, or of other parts of the same answer: students read the file, and it must not show them how the
right answer is computed. A formula is told only if it gives the numbers of every answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL

Part = tuple[Any, Mapping[str, Any]]  # numbers, and the terms of which they may be made
Terms = Callable[[dict[str, Any], Any, Any], Iterable[tuple[str, Any, Mapping[str, Any]]]]
Formulas = tuple[list[str], np.ndarray]  # texts, and in a row for each what it gives
OPERATIONS = {"+": np.add, "−": np.subtract, "·": np.multiply, "/": np.divide}
ROUNDING = 1e-5  # of terms that are made of recorded answers
LEAST_NUMBERS = 4  # different ones, for a formula to be more than luck


@np.errstate(all="ignore")  # wrong numbers may be of any size
def formula_of(parts: Iterable[Part], right: Iterable[Part]) -> str:
    """The shortest formula of the terms that gives the numbers of all parts, and not those of right ones; empty if none is found.

    Parameters
    ----------
    parts : pairs of numbers and their terms, of any shape that fits the numbers
        The same part of several answers.
    right : the same of the right answers
        What holds of these as well is no mistake.

    Examples
    --------
    >>> terms = [{"ℓ": loss, "v": v, "1": 1} for loss, v in [(1, 2), (3, 1), (1, 5), (4, 4)]]
    >>> right = [(its["ℓ"] / its["v"], its) for its in terms]
    >>> for factor in (1, 3):
    ...     formula_of([(factor * its["ℓ"] / (its["v"] + 1), its) for its in terms], right)
    'ℓ / (v + 1)'
    '3 · (ℓ / (v + 1))'
    """
    both = [*(parts := list(parts)), *right]
    n = sum(np.size(part) for part, _ in parts)
    numbers = _joined([part for part, _ in both], both)
    words = [word for word in both[0][1] if all(word in its for _, its in both)]
    shown = [f"({word})" if set(word) & set(OPERATIONS) else word for word in words]
    if not np.isfinite(numbers).all() or len(np.unique(numbers[:n].round(6))) < LEAST_NUMBERS:
        return ""
    terms = np.array([_joined([its[word] for _, its in both], both) for word in words])
    error = POOL_ATOL + POOL_RTOL * np.abs(numbers) + ROUNDING * np.abs(terms).max(axis=0)
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


def _joined(values: Sequence[Any], parts: Sequence[Part]) -> np.ndarray:
    """All numbers one after the other, each in the shape of its part."""
    pairs = zip(values, parts, strict=True)
    return np.concatenate([np.broadcast_to(value, np.shape(part)).ravel() for value, (part, _) in pairs]).astype(float)


def _formulas(terms: Formulas) -> Iterator[Formulas]:
    """Formulas from the shortest on: of one, two and three terms."""
    yield terms
    pairs = list(_combined(terms, terms))
    yield from pairs
    for texts, values in pairs:
        bracketed = [f"({text})" for text in texts], values
        yield from _combined(bracketed, terms)
        yield from _combined(terms, bracketed)


def _combined(ones: Formulas, others: Formulas) -> Iterator[Formulas]:
    for sign, operation in OPERATIONS.items():
        texts = [f"{one} {sign} {other}" for one in ones[0] for other in others[0]]
        yield texts, operation(ones[1][:, None], others[1][None]).reshape(len(texts), -1)
