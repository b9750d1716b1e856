"""Which known mistake wrong answers speak for: naming is evidence.

A wrong answer speaks for each program that gives the same one to the same input. A mistake is named if one of its programs
explains enough of the wrong answers, more than half of them anyway, and none of another mistake explains as many. Answers that
many mistakes have in common, that are not finite or all zero are no evidence, unless a program answers *all* inputs alike. A part
of the answers that one mistake alone makes so for every input names it as well, whatever else is wrong: the form, or one of several
things that an answer holds. But a mistake that would have as many right parts wrong is another one that looks alike.
Of two mistakes at once one is named where it explains enough, or makes a part of the answers; after it is mended, the other one is.
`lxmls_day1.course.counterexamples` asks for the answers.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from lxmls_day1.course.recorded_answers import POOL_ATOL, POOL_RTOL, Answer, Pool
from lxmls_day1.course.registry import SMALL_INPUTS

MOST_NAMED = 3  # mistakes that cannot be told apart; of more than these none is named
ENOUGH = 0.5  # of the answers that speak for or against a mistake
ENOUGH_CONTRADICTED = (
    0.75  # of them, where it has answers wrong that are right: a second one seldom puts a first one right
)
LEAST_MORE = 3  # wrong answers that show a part
COMMON = 4  # an answer that more than a share of this many mistakes gives says nothing

FORM = "the form"  # a part of every answer

ONE, ONE_OF, TOGETHER, PROPERTY = "one", "one of", "together", "property"
HEADS = {
    ONE: "A known mistake",
    ONE_OF: "One of these known mistakes",
    TOGETHER: "Two known mistakes at once",
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
    """The mistakes that the answers to small inputs speak for; without small inputs, those that explain the most answers."""
    small_inputs = small_inputs_among(checks)
    if small_inputs is not None:
        return small_inputs.mistakes
    counts = Counter(mistake for check in checks for mistake in check.mistakes)
    most = max(counts.values(), default=0)
    return tuple(mistake for mistake, count in counts.items() if count == most)


Split = Callable[[dict[str, Any], np.ndarray], Iterable[tuple[str, Any]]]  # an input and an answer -> words and parts
AnswerNumbers = tuple[int, ...]  # of a program, or of a student's: which of the answers it gives to each input


@dataclass(frozen=True)
class Named:
    """What wrong answers speak for: the names of mistakes; whether it is `ONE`, `ONE_OF` them or several `TOGETHER`."""

    kind: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Share:
    """What a program explains: which of the wrong answers; and how many of the right answers it has wrong."""

    name: str
    explained: frozenset[int]
    against: int

    @property
    def rank(self) -> tuple[int, int]:
        return len(self.explained), -self.against


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

    Two of three again, but the right answer is one that halving would not give:

    >>> named(pool, (1, 1, 0)).names
    ()
    """
    wrong = frozenset(i for i, place in enumerate(row) if place)
    if not wrong:
        return Named()
    alike = _alike(pool, row)
    if alike.names:
        return alike
    parts = _by_parts(pool, got, split) if got is not None and split is not None else Named()
    if parts.names:
        return parts
    weak = weak_answers(pool)
    return _in_front(pool, row, frozenset(i for i in wrong if row[i] not in weak[i]))


def weak_answers(pool: Pool) -> list[frozenset[int]]:
    """For each input: the places of the wrong answers that are no evidence."""
    found = []
    most = max(COMMON, len(pool.programs) / COMMON)
    for i, answers in enumerate(pool.answers):
        giving = [0] * len(answers)
        for rows in pool.programs.values():
            for place in {r[i] for r in rows}:
                giving[place] += 1
        found.append(
            frozenset(n for n in range(1, len(answers)) if giving[n] > most or is_degenerate(answers[n], answers[0]))
        )
    return found


def is_degenerate(answer: Answer, right: Answer) -> bool:
    """Whether many causes give such a wrong answer: another kind, such as an error; all zero; not finite where it should be."""
    if answer.kind is not right.kind:
        return True
    numbers = [value for value in answer.values if isinstance(value, float)]
    if len(numbers) < len(answer.values) or not numbers:
        return False
    if not any(numbers):
        return True
    if answer.shape != right.shape:
        return any(map(math.isnan, numbers))
    pairs = zip(numbers, right.values, strict=True)
    return any(not math.isfinite(number) and number != wanted for number, wanted in pairs)


def _alike(pool: Pool, row: AnswerNumbers) -> Named:
    """The mistakes one of whose programs answers the same to all inputs: then weak answers are evidence as well."""
    names = tuple(name for name, rows in pool.programs.items() if row in rows)
    return Named(ONE if len(names) == 1 else ONE_OF, names) if 0 < len(names) <= MOST_NAMED else Named()


def _by_parts(pool: Pool, got: Sequence[Answer], split: Split) -> Named:
    """The mistakes that make a part of the answers: each has a program that gives this part, wrong as it is, for every input.

    The program must make more parts wrong as they are than it makes wrong that are right, or its sentence says too much.
    The form is a part as well: where one mistake hands back another array than the one asked for, a second one changes its numbers.
    """
    programs = [(name, its) for name, rows in pool.programs.items() for its in rows]
    fitting: dict[str, set[int]] = {}  # by the word for the part, the programs
    n_wrong: Counter[str] = Counter()
    balance: Counter[int] = Counter()  # by program: its wrong parts that are here, less those that are right here
    for i, (given, answers, answer) in enumerate(zip(pool.inputs, pool.answers, got, strict=True)):
        known = [_parts_of(other, answers[0], given, split) for other in answers]
        for word, part in _parts_of(answer, answers[0], given, split).items():
            same = {place for place, parts in enumerate(known) if word in parts and _same_part(parts[word], part)}
            fit = {number for number, (_, its) in enumerate(programs) if its[i] in same}
            fitting[word] = fitting.get(word, fit) & fit
            if 0 in same:
                balance.subtract(set(range(len(programs))) - fit)
            else:
                balance.update(fit)
                n_wrong[word] += 1
    names = set()
    for word, count in n_wrong.items():
        owners = {programs[number][0] for number in fitting[word]}
        if count >= LEAST_MORE and len(owners) == 1 and max(balance[number] for number in fitting[word]) > 0:
            names |= owners
    return Named(ONE if len(names) == 1 else TOGETHER if names else "", tuple(sorted(names)))


def _parts_of(answer: Answer, right: Answer, given: dict[str, Any], split: Split) -> dict[str, Any]:
    """The form of an answer, an exception included, and its other parts if it has the right form."""
    form: tuple[Any, ...] = (answer.shape, answer.kind)
    if form != (right.shape, right.kind) or answer.kind is not float:
        return {FORM: form if answer.kind is float else answer.values}
    return {FORM: form} | {word: np.asarray(part) for word, part in split(given, answer.array)}


def _same_part(one: Any, other: Any) -> bool:
    return bool(_close(one, other).all()) if isinstance(other, np.ndarray) else one == other


def _best_of_each(
    programs: Mapping[str, Sequence[AnswerNumbers]], row: AnswerNumbers, evidence: frozenset[int]
) -> list[_Share]:
    """For each mistake that the inputs show: the program that explains the most of these wrong answers."""
    best = []
    for name, rows in programs.items():
        if not rows:  # no input shows it: it changes its arguments, say, or is slow
            continue
        shares = [
            _Share(
                name,
                frozenset(i for i in evidence if known[i] == row[i]),
                sum(bool(theirs) and not mine for theirs, mine in zip(known, row, strict=True)),
            )
            for known in rows
        ]
        best.append(max(shares, key=lambda share: share.rank))
    return best


def _in_front(pool: Pool, row: AnswerNumbers, evidence: frozenset[int]) -> Named:
    """The mistake that explains the most of this evidence, if that is enough; or all mistakes that explain as much.

    Right answers that its program has wrong count as unexplained, and where there are some, more must be explained: most such
    programs are others that look alike. Of several mistakes that explain equally much, those remain that contradict the
    fewest right answers.
    """
    shares = _best_of_each(pool.programs, row, evidence)
    most = max((share.rank for share in shares), default=(0, 0))
    enough = ENOUGH_CONTRADICTED if most[1] else ENOUGH
    if most[0] <= enough * (len(evidence) - most[1]):
        return Named()
    names = tuple(share.name for share in shares if share.rank == most)
    if len(names) > MOST_NAMED:
        return Named()
    return Named(ONE if len(names) == 1 else ONE_OF, names)


def _close(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    close: np.ndarray = (some == others) | (np.abs(some - others) <= POOL_ATOL + POOL_RTOL * np.abs(others))
    return close
