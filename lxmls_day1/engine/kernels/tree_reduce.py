"""Sums in a fixed order: neighbours first, then neighbouring sums, whoever adds them and whenever the terms come.

Floating-point sums depend on their order. In this one the terms of a block of 2ⁿ neighbours that begins at a multiple of 2ⁿ are a sum
of their own, so that one worker may add the block and another the rest: the bits are the same.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def joined(terms: Iterable[T], join: Callable[[T, T], T]) -> T:
    """The terms joined in a fixed tree; of n terms no more than 2 + log2 n are kept at a time.

    Parameters
    ----------
    terms : iterable
        At least one.
    join : function (first, second) -> their sum
        It may change the first.

    Examples
    --------
    >>> joined("abcde", lambda first, second: f"({first}{second})")
    '(((ab)(cd))e)'
    """
    waiting: list[tuple[int, T]] = []  # (how many times it has been joined, a sum)
    for term in terms:
        level = 0
        while waiting and waiting[-1][0] == level:
            level, term = level + 1, join(waiting.pop()[1], term)
        waiting.append((level, term))
    _, term = waiting.pop()
    while waiting:
        term = join(waiting.pop()[1], term)
    return term
