"""Sums in a fixed tree order, independent of the worker that adds the terms and of the time when they arrive.

Floating-point sums depend on their order. Here neighbours are added first, then neighbouring sums. A block of 2ⁿ neighbours
that begins at a multiple of 2ⁿ is summed on its own, so one worker can add the block and another the rest with identical
bits.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def tree_reduce(terms: Iterable[T], join: Callable[[T, T], T]) -> T:
    """Return the terms joined in a fixed tree; of n terms at most 2 + log2 n are in memory at a time.

    Parameters
    ----------
    terms : iterable
        At least one.
    join : function (first, second) -> their sum
        The function may change its first argument in place.

    Examples
    --------
    >>> tree_reduce("abcde", lambda first, second: f"({first}{second})")
    '(((ab)(cd))e)'
    """
    waiting: list[tuple[int, T]] = []  # (level of the sum in the tree, sum)
    for term in terms:
        level = 0
        while waiting and waiting[-1][0] == level:
            level, term = level + 1, join(waiting.pop()[1], term)
        waiting.append((level, term))
    _, term = waiting.pop()
    while waiting:
        term = join(waiting.pop()[1], term)
    return term
