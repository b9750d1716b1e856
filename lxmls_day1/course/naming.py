"""Which known mistake explains wrong answers.

A known mistake is a family of programs, and each of them has answered the same small inputs. A mistake is named only if one of its
programs gives the student's answer to every input; two mistakes, if a program that makes both of them does (`Pool.pairs`). Of several
that do so all are said, if they are no more than `MOST_NAMED`. Whatever is not explained so has no name:
`lxmls_day1.course.observations` says what can be seen in it. `lxmls_day1.course.counterexamples` asks for the answers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lxmls_day1.course.recorded_answers import Answer, Pool, fingerprint
from lxmls_day1.course.registry import SMALL_INPUTS

LEAST = 2  # inputs that tell a program of two mistakes from each of them
MOST_NAMED = 3  # mistakes that cannot be told apart; of more than these none is named

ONE, ONE_OF, BOTH, PROPERTY = "one", "one of", "both", "property"
HEADS = {
    ONE: "A known mistake",
    ONE_OF: "One of these known mistakes",
    BOTH: "Two known mistakes",
    PROPERTY: "What can be seen",
}


def head_of(named_as: str) -> str:
    """What stands above the sentences on mistakes; rows of older runs do not say what they were named as."""
    return HEADS.get(named_as, HEADS[ONE])


class EndedCheck(Protocol):
    """How a check went: ``mistakes`` are pairs of a name and a sentence."""

    @property
    def check(self) -> str:
        """``test_1_05_mira.py::test_step``."""

    @property
    def mistakes(self) -> tuple[tuple[str, str], ...]:
        """The known mistakes that give such an answer."""


Check = TypeVar("Check", bound=EndedCheck)


def small_inputs_among(checks: Iterable[Check]) -> Check | None:
    """Of the checks of an exercise that of its small inputs, if it has some."""
    return next((check for check in checks if check.check.endswith(f"::{SMALL_INPUTS}")), None)


def mistakes_among(checks: Sequence[EndedCheck]) -> tuple[tuple[str, str], ...]:
    """The mistakes that the answers to small inputs speak for."""
    small_inputs = small_inputs_among(checks)
    return () if small_inputs is None else small_inputs.mistakes


AnswerNumbers = tuple[int, ...]  # of a program, or of a student's: which of the answers it gives to each input


@dataclass(frozen=True)
class Named:
    """What wrong answers speak for: the names of mistakes, and whether it is `ONE`, `ONE_OF` or `BOTH` of them."""

    kind: str = ""
    names: tuple[str, ...] = ()


def named(pool: Pool, row: AnswerNumbers, got: Sequence[Answer] | None = None) -> Named:
    """What the answers to small inputs speak for.

    Parameters
    ----------
    pool : Pool
    row : tuple of int
        Which of the pool's answers was got to each input: `Pool.places`.
    got : sequence of Answer, optional
        The answers themselves: those of two mistakes at once are none of the pool's.

    Returns
    -------
    Named

    Examples
    --------
    >>> right, half, double = Answer.of(2), Answer.of(1), Answer.of(4)
    >>> pool = Pool(({},) * 4, ((right, half, double),) * 4, {"halved": ((1, 1, 0, 0),), "doubled": ((0, 0, 2, 2),)})
    >>> named(pool, (0, 0, 2, 2)).names, named(pool, (0, -1, 2, 2))
    (('doubled',), Named(kind='', names=()))
    """
    if not any(row):
        return Named()
    exact = tuple(name for name, programs in pool.programs.items() if row in programs)
    if exact:
        return Named(ONE if len(exact) == 1 else ONE_OF, exact) if len(exact) <= MOST_NAMED else Named()
    pair = pool.pairs.get(fingerprint(got), ()) if got is not None else ()
    return Named(BOTH if len(pair) > 1 else ONE, pair) if pair else Named()
