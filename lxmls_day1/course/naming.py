"""Which known mistake wrong answers speak for.

Compare the student's answers to the small inputs with those that a program of a known mistake gives, part by part (without parts:
answer by answer). Take the parts that either of the two has wrong: the share of them on which both give the same wrong answer is what
the program explains. So a wrong answer that the program would not give speaks against it, and so does a right one that it would have
wrong. The mistake of the program with the largest share is named, if the share is more than `ENOUGH`, and if no more than
`MOST_NAMED` mistakes have it.

An answer of another form than the right one, an error included, is a single part, its form: a mistake that hands back another array than
the one asked for is known by that. Of two mistakes at once the one that explains enough is named; once it is mended, the other one is.
`lxmls_day1.course.counterexamples` asks for the answers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from lxmls_day1.course.recorded_answers import POOL_ATOL, POOL_RTOL, Answer, Pool
from lxmls_day1.course.registry import SMALL_INPUTS

ENOUGH = 5 / 8  # of the parts that the student or the program has wrong
MOST_NAMED = 3  # mistakes that cannot be told apart; of more than these none is named

FORM = "the form"  # a part of every answer

ONE, ONE_OF, PROPERTY = "one", "one of", "property"
HEADS = {
    ONE: "A known mistake",
    ONE_OF: "One of these known mistakes",
    PROPERTY: "What does not hold",
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


Split = Callable[[dict[str, Any], np.ndarray], Iterable[tuple[str, Any]]]  # an input and an answer -> words and parts
AnswerNumbers = tuple[int, ...]  # of a program, or of a student's: which of the answers it gives to each input
Counts = tuple[int, int]  # of parts of an answer


@dataclass(frozen=True)
class Named:
    """What wrong answers speak for: the names of mistakes, and whether it is `ONE` or `ONE_OF` them."""

    kind: str = ""
    names: tuple[str, ...] = ()


def named(pool: Pool, row: AnswerNumbers, got: Sequence[Answer] | None = None, split: Split | None = None) -> Named:
    """What the answers to small inputs speak for.

    Parameters
    ----------
    pool : Pool
    row : tuple of int
        Which of the pool's answers was got to each input: `Pool.places`.
    got : sequence of Answer, optional
        The answers themselves, for their parts.
    split : function, optional
        Makes the parts of an answer, with a word for each: one mistake may have made a part, and another one the rest.

    Returns
    -------
    Named

    Examples
    --------
    >>> right, half, double = Answer.of(2), Answer.of(1), Answer.of(4)
    >>> pool = Pool(({},) * 3, ((right, half, double),) * 3, {"halved": ((1, 1, 1),), "doubled": ((0, 2, 2),)})
    >>> named(pool, (0, 2, 2)).names, named(pool, (1, 1, -1)).names, named(pool, (-1, -1, 1))
    (('doubled',), ('halved',), Named(kind='', names=()))

    Halving would have all three wrong. Here one of them is right, and one is wrong in another way:

    >>> named(pool, (1, -1, 0)).names
    ()
    """
    if not any(row):
        return Named()
    if any(row in programs for programs in pool.programs.values()):  # all is explained, and by no other program
        shares = {name: float(row in programs) for name, programs in pool.programs.items()}
    else:
        compared = [_compared(pool, i, place, got, split) for i, place in enumerate(row)]
        shares = {
            name: max((_share(compared, program) for program in programs), default=0.0)
            for name, programs in pool.programs.items()
        }
    largest = max(shares.values(), default=0.0)
    names = tuple(name for name, share in shares.items() if share == largest)
    if largest <= ENOUGH or len(names) > MOST_NAMED:
        return Named()
    return Named(ONE if len(names) == 1 else ONE_OF, names)


def _share(compared: Sequence[Sequence[Counts]], program: AnswerNumbers) -> float:
    """Of the parts that the student or the program has wrong: the share on which both are wrong alike."""
    counts = [known[place] for known, place in zip(compared, program, strict=True)]
    n_wrong = sum(n_wrong for n_wrong, _ in counts)
    return sum(n_alike for _, n_alike in counts) / n_wrong if n_wrong else 0.0


def _compared(pool: Pool, i: int, place: int, got: Sequence[Answer] | None, split: Split | None) -> list[Counts]:
    """The student's answer to one input beside each known one: how many parts one of both has wrong, how many both alike."""
    answers = pool.answers[i]
    if split is None or got is None:
        return [(int(place != 0 or n != 0), int(n == place != 0)) for n in range(len(answers))]
    right, mine, *known = (
        _parts_of(answer, answers[0], pool.inputs[i], split) for answer in (answers[0], got[i], *answers)
    )
    wrong = {word for word, part in mine.items() if word not in right or not _same_part(right[word], part)}
    counts = []
    for theirs in known:
        alike = {word for word in wrong if word in theirs and _same_part(theirs[word], mine[word])}
        others = (word for word in mine if word not in wrong and word in theirs)
        n_others = sum(not _same_part(right[word], theirs[word]) for word in others)
        counts.append((len(wrong) + n_others, len(alike)))
    return counts


def _parts_of(answer: Answer, right: Answer, given: dict[str, Any], split: Split) -> dict[str, Any]:
    """The form of an answer, an exception included, and its other parts if it has the right form."""
    form: tuple[Any, ...] = (answer.shape, answer.kind)
    if form != (right.shape, right.kind) or answer.kind is not float:
        return {FORM: form if answer.kind is float else answer.values}
    return {FORM: form} | {word: np.asarray(part) for word, part in split(given, answer.array)}


def _same_part(one: Any, other: Any) -> bool:
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return type(one) is type(other) and bool(one == other)
    if one.shape != other.shape:
        return False
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        close = (one == other) | (np.abs(one - other) <= POOL_ATOL + POOL_RTOL * np.abs(other))
    return bool((close | (np.isnan(one) & np.isnan(other))).all())
