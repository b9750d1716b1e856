"""Which known mistake explains wrong answers.

A known mistake is a family of programs, and each of them has answered the same small inputs. A mistake is named only if one of its
programs explains the student's answers, in one of two ways:

1. It gives the same answer to every input.
2. Two programs of two mistakes do so together: where one of them alone is wrong the student has its answer, where neither is the student
   is right. Each must be seen alone at `LEAST` inputs, and the wrong parts that one of them gives alone must be more than `ENOUGH` of all.

Of several mistakes that explain the same all are said, if they are no more than `MOST_NAMED`. Whatever is not explained so has no name:
`lxmls_day1.course.diagnosis.observations` says what can be seen in it. `lxmls_day1.course.diagnosis.counterexamples` asks for the answers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL, Answer
from lxmls_day1.course.diagnosis.recorded_answers import Pool
from lxmls_day1.course.registry import SMALL_INPUTS

LEAST = 3  # inputs at which a mistake that does not explain everything is seen by itself
ENOUGH = 1 / 2  # of the wrong parts: those that exactly one of two mistakes gives
MOST_NAMED = 3  # mistakes that cannot be told apart; of more than these none is named

FORM = "the form"  # a part of every answer

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


Split = Callable[[dict[str, Any], np.ndarray], Iterable[tuple[str, Any]]]  # an input and an answer -> words and parts
AnswerNumbers = tuple[int, ...]  # of a program, or of a student's: which of the answers it gives to each input


@dataclass(frozen=True)
class Named:
    """What wrong answers speak for: the names of mistakes, and whether it is `ONE`, `ONE_OF` or `BOTH` of them."""

    kind: str = ""
    names: tuple[str, ...] = ()


def named(
    pool: Pool,
    row: AnswerNumbers,
    got: Sequence[Answer] | None = None,
    split: Split | None = None,
) -> Named:
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
    >>> programs = {"halved": ((1, 1, 1, 0, 0, 0),), "doubled": ((0, 0, 0, 2, 2, 2),)}
    >>> pool = Pool(({},) * 6, ((right, half, double),) * 6, programs)
    >>> named(pool, (0, 0, 0, 2, 2, 2)).names, named(pool, (1, 1, 1, 2, 2, 2)), named(pool, (0, 0, -1, 2, 2, 2))
    (('doubled',), Named(kind='both', names=('halved', 'doubled')), Named(kind='', names=()))
    """
    if not any(row):
        return Named()
    exact = tuple(name for name, programs in pool.programs.items() if row in programs)
    if len(exact) > MOST_NAMED:
        return Named()
    if exact:
        return Named(ONE if len(exact) == 1 else ONE_OF, exact)
    return _Cells(pool, row, got, split).two_mistakes() or Named()


class _Cells:
    """A student's answers beside those of all programs, part by part: a cell is a part of the answer to one input."""

    def __init__(self, pool: Pool, row: AnswerNumbers, got: Sequence[Answer] | None, split: Split | None):
        programs = [(name, program) for name, family in pool.programs.items() for program in family]
        self.names = [name for name, _ in programs]
        table = np.array([program for _, program in programs], dtype=int).reshape(len(programs), len(row))
        inputs: list[int] = []
        mine: list[bool] = []
        wrong, alike = [], []  # a row for each cell, a column for each program
        for i, place in enumerate(row):
            for is_wrong, all_wrong, all_alike in _compared(pool, i, place, got, split):
                inputs.append(i)
                mine.append(is_wrong)
                wrong.append(all_wrong[table[:, i]])
                alike.append(all_alike[table[:, i]])
        self.inputs, self.mine = np.array(inputs), np.array(mine)
        self.wrong, self.alike = np.array(wrong).T, np.array(alike).T  # (programs, cells)

    def two_mistakes(self) -> Named | None:
        """Two mistakes that explain every cell together, if the best pairs of programs agree on their names."""
        others = self.wrong & ~self.alike
        # [p, q]: where p is wrong and the student has another answer q is wrong as well; what the student has wrong p or q has.
        covers = (others.astype(int) @ (~self.wrong).T.astype(int)) == 0
        left = (self.mine & ~self.wrong).astype(int) @ (~self.wrong).T.astype(int) == 0
        best = 0
        found: set[tuple[str, str]] = set()
        for p, q in np.argwhere(np.triu(covers & covers.T & left, 1)):
            if self.names[p] == self.names[q]:
                continue
            alone = self.wrong[p] & ~self.wrong[q] & self.mine, self.wrong[q] & ~self.wrong[p] & self.mine
            least = min(len(np.unique(self.inputs[cells])) for cells in alone)
            n_alone = int(sum(cells.sum() for cells in alone))
            if least < LEAST or n_alone <= ENOUGH * self.mine.sum() or n_alone < best:
                continue
            if n_alone > best:
                best, found = n_alone, set()
            found.add((self.names[p], self.names[q]))
        if len(found) == 1:
            return Named(BOTH, found.pop())
        common = set.intersection(*map(set, found)) if found else set()
        return Named(ONE, (common.pop(),)) if len(common) == 1 else None


def _compared(
    pool: Pool, i: int, place: int, got: Sequence[Answer] | None, split: Split | None
) -> Iterable[tuple[bool, np.ndarray, np.ndarray]]:
    """The cells of one input: whether the student is wrong, and of each known answer whether it is wrong and the student's."""
    answers = pool.answers[i]
    numbers = np.arange(len(answers))
    if split is None or got is None:
        yield place != 0, numbers != 0, numbers == place
        return
    right, mine, *known = (
        _parts_of(answer, answers[0], pool.inputs[i], split) for answer in (answers[0], got[i], *answers)
    )
    for word, part in right.items():
        is_wrong = np.array([not _same_part(part, theirs.get(word)) for theirs in known])
        alike = np.array([_same_part(theirs.get(word), mine.get(word)) for theirs in known])
        if mine.keys() != right.keys():  # another form, of which the answer as a whole is known or not
            alike = numbers == place
        yield not _same_part(part, mine.get(word)), is_wrong, alike


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
