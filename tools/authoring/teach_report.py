"""The quality of the checks, which find and name mistakes: a table with one line for each exercise.

    make teach-report

For each exercise: the families of known mistakes and their programs; the groups of mutants of the reference that behave alike, how
many groups raise an exception, and how many of the others match no known mistake; the programs identified by their own family
(*named*); the diagnosis of a program after it is removed from the pool (*unseen*: right/none/wrong); the verdicts on random pairs of two
mistakes (*pairs*); the counter-examples with at most four points, words or classes (*small*).
"""

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL, RAISES, Answer
from lxmls_day1.course.diagnosis.mistake_matching import Split, diagnose
from lxmls_day1.course.diagnosis.probe_inputs import PARTS_FUNCTION
from lxmls_day1.course.diagnosis.recorded_answers import Pool, RecordedAnswers
from lxmls_day1.course.registry import FILE, FOLDER, RECORDED, Exercise, Registry
from lxmls_day1.lab import reference_folder
from tools.authoring.mistakes import Mistake, Program, read_mistakes
from tools.authoring.mutants import mutants_of
from tools.authoring.pool_builder import import_check_file, pool_file, run_programs

MAX_PAIRS = 100
MAX_SMALL_SIZE = 4
COLUMNS = ["exercise", "families", "programs", "named", "unseen", "groups", "raising", "unnamed", "small", "pairs"]


@dataclass
class Figures:
    """The figures of one exercise."""

    families: int = 0
    programs: int = 0
    named: int = 0
    unseen: Counter = field(default_factory=Counter)
    groups: int = 0
    raising: int = 0
    unnamed: list[str] = field(default_factory=list)
    small: int = 0
    wrong: int = 0  # number of programs with a counter-example
    pairs: Counter = field(default_factory=Counter)

    def cells(self) -> list[str]:
        judged = self.groups - self.raising
        return [
            str(self.families),
            str(self.programs),
            share(self.named, self.wrong),
            format_counts(self.unseen),
            str(self.groups),
            str(self.raising),
            f"{len(self.unnamed)} ({share(len(self.unnamed), judged)})",
            share(self.small, self.wrong),
            format_counts(self.pairs),
        ]


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def format_counts(counts: Counter) -> str:
    return "/".join(str(counts[kind]) for kind in ("right", "none", "wrong"))


def verdict(
    pool: Pool,
    row: tuple[int, ...],
    owners: set[str],
    actual: Sequence[Answer] | None = None,
    split: Split | None = None,
) -> str:
    """Return whether the diagnosis of a program is right: it names some of the program's own mistakes, and no other."""
    names = set(diagnose(pool, row, actual, split).names)
    if not names:
        return "none"
    is_right = names & owners and (len(names & owners) == len(names) or len(owners) == 1)
    return "right" if is_right else "wrong"


def pairs_of(mistakes: Sequence[Mistake], sources: dict[str, str]) -> list[tuple[set[str], Program]]:
    """Return random programs that make two mistakes at once, if both are swaps that do not overlap."""
    swaps = [(m.name, p) for m in mistakes for p in m.programs if p.swaps]
    found, chance = [], random.Random(1)
    for _ in range(20 * MAX_PAIRS):
        (one, first), (other, second) = chance.sample(swaps, 2) if len(swaps) > 1 else ((("", None),) * 2)
        if one == other or first is None:
            continue
        both = combine_programs(first, second, sources)
        if both is None:
            continue
        found.append(({one, other}, both))
        if len(found) == MAX_PAIRS:
            break
    return found


def combine_programs(one: Program, other: Program, sources: dict[str, str]) -> Program | None:
    """Return the program that makes both mistakes, or None if their swaps overlap."""
    function = one.function if one.function == other.function else None
    both = replace(one, label=f"{one} and {other}", swaps=one.swaps + other.swaps, function=function)
    try:
        for text in both.apply_to(sources).values():
            compile(text, both.label, "exec")
    except (InputError, SyntaxError):
        return None
    return both


def longest_list(value: object) -> int:
    """Return the length of the longest list in a nested list: points, words or classes."""
    return max([len(value), *map(longest_list, value)], default=0) if isinstance(value, list) else 0


def judge_naming(figures: Figures, exercise: Exercise, mistakes: list[Mistake], pool: Pool, folder: Path) -> None:
    reference = reference_folder()
    sources = {name: (reference / name).read_text(encoding="utf-8") for name in exercise.files}
    pairs = pairs_of(mistakes, sources)
    asked = [*mistakes, Mistake(exercise.id, "pairs", "", tuple(program for _, program in pairs))]
    proposed, answers, n_known = run_programs(reference, exercise, asked, folder)
    places = [proposed.index(given) for given in pool.inputs]

    def row_of(its: Sequence[Answer]) -> tuple[int, ...]:
        return pool.answer_indices([its[place] for place in places])

    def wrong_of(its: Sequence[Answer]) -> list[bool]:
        return [not right.is_close(answer, POOL_RTOL, POOL_ATOL) for right, answer in zip(answers[0], its, strict=True)]

    file = pool_file(reference, exercise)
    module = import_check_file(file) if file else None
    split = getattr(module, PARTS_FUNCTION, None)
    owners = [m.name for m in mistakes for _ in m.programs]
    rows = [row_of(its) for its in answers]
    asked_of = [[its[place] for place in places] for its in answers]
    for owner, row, got in zip(owners, rows[1:], asked_of[1:], strict=False):
        if not any(row):
            continue
        figures.wrong += 1
        figures.named += verdict(pool, row, {owner}, got, split) == "right"
        first = next(i for i, place in enumerate(row) if place)
        figures.small += max(map(longest_list, pool.inputs[first].values()), default=0) <= MAX_SMALL_SIZE
        others = {name: tuple(r for r in its if r != row) for name, its in pool.programs.items()}
        unseen = Pool(pool.inputs, pool.answers, {name: its for name, its in others.items() if its})
        figures.unseen[verdict(unseen, row, {owner}, got, split)] += 1
    single = {row for row in rows[: 1 + len(owners)]}
    for number, (both, _) in enumerate(pairs, start=1 + len(owners)):
        if rows[number] not in single:  # The result shows both mistakes.
            figures.pairs[verdict(pool, rows[number], both, asked_of[number], split)] += 1
    groups: dict[tuple[int, ...], list[int]] = {}
    mutants = [mutant for name, source in sources.items() for mutant in mutants_of(source, exercise.id, name)]
    for number, row in enumerate(rows[n_known:]):
        if any(row):
            groups.setdefault((*row, *map(str, answers[n_known + number])), []).append(number)
    for members in groups.values():
        its = answers[n_known + members[0]]
        row = rows[n_known + members[0]]
        figures.groups += 1
        if all(
            str(answer.values[:1]).startswith(f"('{RAISES}")
            for answer, is_wrong in zip(its, wrong_of(its), strict=True)
            if is_wrong
        ):
            figures.raising += 1  # The message of the exception explains the mistake.
        elif not diagnose(pool, row, asked_of[n_known + members[0]], split).names:
            figures.unnamed.append(mutants[members[0]].label)


def figures_of(id: str) -> tuple[str, Figures, str]:
    """Return the figures of one exercise, and the traceback if there was an error."""
    warnings.simplefilter("ignore")  # Mistakes cause NumPy warnings.
    reference = reference_folder()
    exercise = Registry.read(reference / FILE)[id]
    mistakes = read_mistakes(reference / FOLDER, exercise)
    figures = Figures(len(mistakes), sum(len(mistake.programs) for mistake in mistakes))
    try:
        with tempfile.TemporaryDirectory() as folder:
            pool = RecordedAnswers.read_existing(reference / RECORDED, [id]).pools.get(id)
            if pool is not None:
                judge_naming(figures, exercise, mistakes, pool, Path(folder) / "asked")
    except Exception:
        return id, figures, traceback.format_exc()
    return id, figures, ""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--exercises", help="such as 1.5,1.7; all with checks unless given")
    options.add_argument("--list", action="store_true", help="name what is unnamed")
    options.add_argument("--processes", type=int, default=os.cpu_count())
    given = options.parse_args()
    reference = reference_folder()
    registry = Registry.read(reference / FILE)
    wanted = [e for e in registry.select(given.exercises and given.exercises.split(",")) if pool_file(reference, e)]
    print(" | ".join(COLUMNS))
    faults = 0
    with ProcessPoolExecutor(given.processes, multiprocessing.get_context("spawn")) as processes:
        for id, figures, error in processes.map(figures_of, [e.id for e in wanted]):
            print(" | ".join([id, *figures.cells()]), flush=True)
            faults += bool(error)
            for line in [error] if error else []:
                print(line)
            for line in figures.unnamed if given.list else ():
                print(f"    unnamed: {line}")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
