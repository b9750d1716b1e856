"""Find the known mistakes that explain wrong answers.

A known mistake is a family of programs. The answers of each program to the same probe inputs are recorded. A mistake is named only if one
of its programs explains the student's answers, in one of two ways:

1. One program gives the student's answer to every input.
2. Two programs of two mistakes give the student's answers together. If exactly one program is wrong, the student has its answer; if both
   are right, the student is right. Each program must be the only wrong one on at least `MIN_INPUTS_ALONE` inputs,
   and the wrong parts that exactly
   one of them gives must be more than the share `MIN_SHARE_ALONE` of all wrong parts.

If several mistakes explain the same answers, all are named; if there are more than `MAX_MISTAKES_NAMED`, none is. If no mistake is named,
`lxmls_day1.course.diagnosis.symptoms` describes symptoms. `lxmls_day1.course.diagnosis.probe_inputs` collects the answers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL, Answer
from lxmls_day1.course.diagnosis.recorded_answers import Pool
from lxmls_day1.course.registry import PROBE_INPUTS_CHECK

MIN_INPUTS_ALONE = 3  # inputs on which only one of two mistakes gives a wrong answer
MIN_SHARE_ALONE = 1 / 2  # share of the wrong parts that exactly one of two mistakes must give
MAX_MISTAKES_NAMED = 3  # mistakes with the same answers; if there are more, none is named

SHAPE_AND_TYPE = "the form"  # the key of the shape and type of an answer, which counts as one of its parts

ONE, ONE_OF, BOTH, PROPERTY = "one", "one of", "both", "property"
DIAGNOSIS_HEADINGS = {
    ONE: "A known mistake",
    ONE_OF: "One of these known mistakes",
    BOTH: "Two known mistakes",
    PROPERTY: "What can be seen",
}


def diagnosis_heading(kind: str) -> str:
    """Return the heading above the sentences on mistakes; results of older runs have no ``kind``."""
    return DIAGNOSIS_HEADINGS.get(kind, DIAGNOSIS_HEADINGS[ONE])


def is_probe_inputs_check(check: str) -> bool:
    """Return True if a key of a check, such as ``test_1_05_mira.py::test_small_inputs``, is that of the probe inputs."""
    return check.endswith(f"::{PROBE_INPUTS_CHECK}")


Split = Callable[[dict[str, Any], np.ndarray], Iterable[tuple[str, Any]]]  # input, answer -> parts with words
AnswerIndices = tuple[int, ...]  # for each input the index of the answer that a program, or the student's code, gives


@dataclass(frozen=True)
class Diagnosis:
    """The diagnosis of wrong answers: names of known mistakes, and whether they are `ONE`, `ONE_OF` or `BOTH`."""

    kind: str = ""
    names: tuple[str, ...] = ()


def diagnose(
    pool: Pool, indices: AnswerIndices, actual: Sequence[Answer] | None = None, split: Split | None = None
) -> Diagnosis:
    """Return the diagnosis of the answers to the probe inputs.

    Parameters
    ----------
    pool : Pool
    indices : tuple of int
        For each input the index of the student's answer among those of the pool; see `Pool.answer_indices`.
    actual : sequence of Answer, optional
        The answers themselves, to be split into parts.
    split : function, optional
        Return the parts of an answer, each with a word for it, because two mistakes may affect different parts.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> right, half, double = Answer.from_value(2), Answer.from_value(1), Answer.from_value(4)
    >>> programs = {"halved": ((1, 1, 1, 0, 0, 0),), "doubled": ((0, 0, 0, 2, 2, 2),)}
    >>> pool = Pool(({},) * 6, ((right, half, double),) * 6, programs)
    >>> diagnose(pool, (0, 0, 0, 2, 2, 2)).names, diagnose(pool, (1, 1, 1, 2, 2, 2)), diagnose(pool, (0, 0, -1, 2, 2, 2))
    (('doubled',), Diagnosis(kind='both', names=('halved', 'doubled')), Diagnosis(kind='', names=()))
    """
    if not any(indices):
        return Diagnosis()
    exact = tuple(name for name, programs in pool.programs.items() if indices in programs)
    if len(exact) > MAX_MISTAKES_NAMED:
        return Diagnosis()
    if exact:
        return Diagnosis(ONE if len(exact) == 1 else ONE_OF, exact)
    return _two_mistakes(pool, indices, actual, split)


def _two_mistakes(
    pool: Pool, indices: AnswerIndices, actual: Sequence[Answer] | None, split: Split | None
) -> Diagnosis:
    """Return the two mistakes that together explain every cell (one part of the answer to one input), or no mistake.

    No mistake is returned if no pair explains every cell, or the best pairs have different names. If the best pairs have only one
    mistake in common, return that one alone.
    """
    names = [name for name, family in pool.programs.items() for _ in family]
    table = np.array([*chain.from_iterable(pool.programs.values())], dtype=int).reshape(len(names), len(indices))
    cells = [
        (i, is_wrong, all_wrong[table[:, i]], all_alike[table[:, i]])
        for i, place in enumerate(indices)
        for is_wrong, all_wrong, all_alike in _compare_input(pool, i, place, actual, split)
    ]
    inputs, mine, wrong, alike = (
        np.array(part).T for part in zip(*cells, strict=True)
    )  # the last two: (programs, cells)
    # covers[p, q]: q is wrong in every cell in which p is wrong and the student's answer is not p's.
    # left[p, q]: in every cell in which the student is wrong, p or q is wrong.
    covers = ((wrong & ~alike).astype(int) @ (~wrong).T.astype(int)) == 0
    left = (mine & ~wrong).astype(int) @ (~wrong).T.astype(int) == 0
    best = 0
    found: set[tuple[str, str]] = set()
    for p, q in np.argwhere(np.triu(covers & covers.T & left, 1)):
        if names[p] == names[q]:
            continue
        alone = wrong[p] & ~wrong[q] & mine, wrong[q] & ~wrong[p] & mine
        least = min(len(np.unique(inputs[places])) for places in alone)
        n_alone = int(sum(places.sum() for places in alone))
        if least < MIN_INPUTS_ALONE or n_alone <= MIN_SHARE_ALONE * mine.sum() or n_alone < best:
            continue
        if n_alone > best:
            best, found = n_alone, set()
        found.add((names[p], names[q]))
    if len(found) == 1:
        return Diagnosis(BOTH, found.pop())
    common = set.intersection(*map(set, found)) if found else set()
    return Diagnosis(ONE, (common.pop(),)) if len(common) == 1 else Diagnosis()


def _compare_input(
    pool: Pool, i: int, index: int, actual: Sequence[Answer] | None, split: Split | None
) -> Iterable[tuple[bool, np.ndarray, np.ndarray]]:
    """Yield the cells of one input.

    A cell is a tuple: a Boolean (the student is wrong), and two arrays with an entry for each known answer (it is wrong; it is the
    student's).
    """
    answers = pool.answers[i]
    numbers = np.arange(len(answers))
    if split is None or actual is None:
        yield index != 0, numbers != 0, numbers == index
        return
    shown = (answers[0], actual[i], *answers)
    right, mine, *known = (_parts_of(answer, answers[0], pool.inputs[i], split) for answer in shown)
    for word, part in right.items():
        is_wrong = np.array([not _same_part(part, theirs.get(word)) for theirs in known])
        alike = np.array([_same_part(theirs.get(word), mine.get(word)) for theirs in known])
        if mine.keys() != right.keys():  # another shape or type: the whole answer is compared
            alike = numbers == index
        yield not _same_part(part, mine.get(word)), is_wrong, alike


def _parts_of(answer: Answer, right: Answer, given: dict[str, Any], split: Split) -> dict[str, Any]:
    """Return the shape and type of an answer (or its exception), and its other parts if shape and type are right."""
    form: tuple[Any, ...] = (answer.shape, answer.kind)
    if form != (right.shape, right.kind) or answer.kind is not float:
        return {SHAPE_AND_TYPE: form if answer.kind is float else answer.values}
    return {SHAPE_AND_TYPE: form} | {word: np.asarray(part) for word, part in split(given, answer.array)}


def _same_part(part: Any, other_part: Any) -> bool:
    if not (isinstance(part, np.ndarray) and isinstance(other_part, np.ndarray)):
        return type(part) is type(other_part) and bool(part == other_part)
    if part.shape != other_part.shape:
        return False
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        close = (part == other_part) | (np.abs(part - other_part) <= POOL_ATOL + POOL_RTOL * np.abs(other_part))
    return bool((close | (np.isnan(part) & np.isnan(other_part))).all())
