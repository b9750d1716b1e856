"""The pool of small inputs of an exercise, chosen from those that its file of checks proposes. For authors.

The reference, all programs of the known mistakes, and all mutants of the reference answer each proposed input. Kept are inputs
on which they differ from the reference, as small as there are, and inputs on which the known mistakes differ from one another.
"""

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.errors import InputError, NoAnswer
from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL, RAISES, Answer
from lxmls_day1.course.diagnosis.counterexamples import ANSWERED, ASKED, answers_to
from lxmls_day1.course.diagnosis.recorded_answers import Pool
from lxmls_day1.course.markers import without_markers
from lxmls_day1.course.registry import FOLDER, Exercise, check_files
from lxmls_day1.course.running.time_limit import OutOfTime, TimeLimit
from lxmls_day1.lab import PACKAGES, Lab
from tools.authoring.mistakes import Mistake
from tools.authoring.mutants import mutants_of

MOST_INPUTS = 36
RESERVE = 8  # other inputs, for practice
VARIED = 14  # inputs at all sizes, each tells programs apart that few others do
LEAST_WRONG = 6  # inputs on which each program differs from the reference, if there are so many
SECONDS = 2.0  # of processor time for all inputs of one program; it does not end, says its answer then
DIGITS = 6  # of a number that is written down
ENDLESS = "does not end"

Made = TypeVar("Made")
Table = np.ndarray  # (programs, inputs): which of the answers to the input each program gives; row 0 is the reference


def pool_file(reference: Path, exercise: Exercise) -> Path | None:
    """The file of checks of an exercise that proposes small inputs, if there is one."""
    files = [
        path
        for path in check_files(reference / FOLDER, exercise)
        if f"\ndef {ANSWERED}(" in path.read_text(encoding="utf-8")
    ]
    if len(files) > 1:
        raise InputError(f"{exercise}: several files of checks have {ANSWERED}; wanted one.")
    return files[0] if files else None


def pools_of(reference: Path, mistakes: Mapping[Exercise, Sequence[Mistake]]) -> dict[str, Pool]:
    """The pools of all exercises whose checks propose small inputs.

    Parameters
    ----------
    reference : Path
        A lab with the solutions.
    mistakes : mapping from exercise to its known mistakes

    Returns
    -------
    dict from exercise to Pool
    """
    with_inputs = [exercise for exercise in mistakes if pool_file(reference, exercise)]
    made = _in_processes(_pool_of, [(str(reference), exercise, tuple(mistakes[exercise])) for exercise in with_inputs])
    return dict(zip([exercise.id for exercise in with_inputs], made, strict=True))


def _in_processes(function: Callable[..., Made], tasks: Sequence[tuple[Any, ...]]) -> list[Made]:
    """Call a function for each task in a process of its own, with a new folder for a lab as the last argument."""
    with (
        temporary_folder("lxmls-day1-pools-") as place,
        ProcessPoolExecutor(os.cpu_count() or 1, get_context("spawn")) as processes,
    ):
        calls = [processes.submit(function, *task, str(place / str(n))) for n, task in enumerate(tasks)]
        return [call.result() for call in calls]


def _pool_of(reference: str, exercise: Exercise, mistakes: Sequence[Mistake], folder: str) -> Pool:
    proposed, answers, _ = asked_programs(Path(reference), exercise, mistakes, Path(folder))
    families = [(mistake.name, len(mistake.programs)) for mistake in mistakes]
    return made_pool(proposed, answers, families)


def asked_again(
    reference: Path, mistakes: Mapping[Exercise, Sequence[Mistake]], pools: Mapping[str, Pool]
) -> dict[Exercise, list[list[Answer]] | None]:
    """What the reference and the programs of the known mistakes answer now to the inputs of their pools.

    Parameters
    ----------
    reference, mistakes
        As in `pools_of`.
    pools : mapping from exercise to Pool

    Returns
    -------
    dict from exercise to list of list of Answer
        A row for the reference, then one for each program: what it answers to the inputs of the pool, then to its reserve.
        None where there is no pool, or no inputs are proposed.
    """
    with_inputs = [exercise for exercise in mistakes if exercise.id in pools and pool_file(reference, exercise)]
    tasks = [
        (str(reference), exercise, tuple(mistakes[exercise]), pools[exercise.id].all_inputs) for exercise in with_inputs
    ]
    found = _in_processes(_answers_again, tasks)
    return dict.fromkeys(mistakes) | dict(zip(with_inputs, found, strict=True))


def _answers_again(
    reference: str, exercise: Exercise, mistakes: Sequence[Mistake], inputs: Sequence[dict[str, Any]], folder: str
) -> list[list[Answer]]:
    return asked_programs(Path(reference), exercise, mistakes, Path(folder), inputs)[1]


def asked_programs(
    reference: Path,
    exercise: Exercise,
    mistakes: Collection[Mistake],
    folder: Path,
    inputs: Sequence[dict[str, Any]] | None = None,
) -> tuple[list[dict[str, Any]], list[list[Answer]], int]:
    """What the proposed inputs are, and what the reference, the mistakes' programs and the mutants answer to each.

    Parameters
    ----------
    reference, exercise, mistakes
        As in `pools_of`.
    folder : Path
        A new one, for the lab in which one program after the other stands.
    inputs : sequence of dict, optional
        Others than the proposed ones; the mutants are not asked then.

    Returns
    -------
    inputs : list of dict
    answers : list of list of Answer
        One for each program, the reference first, then those of the mistakes in their order, then the mutants.
    n_programs : int
        Of the reference and the mistakes: the others are mutants.
    """
    lab_folder = uncompiled_lab(reference, folder)
    sources = {
        name: (lab_folder / name).read_text(encoding="utf-8").replace("\r\n", "\n")
        for name in exercise.files
        if name.endswith(".py")
    }
    programs = [program for mistake in mistakes for program in mistake.programs]
    mutants = [mutant for name, source in sources.items() for mutant in mutants_of(source, exercise.id, name)]
    file = pool_file(reference, exercise)
    assert file is not None
    module = checks_of_file(file)
    if inputs is None:
        inputs = list(getattr(module, ASKED)())
    else:
        mutants = []
    right = {name: without_markers(source) for name, source in sources.items()}
    made = [right, *(right | program.made_in(sources) for program in [*programs, *mutants])]
    sys.dont_write_bytecode = True  # of one program, which the next one would be taken for
    lab = Lab(lab_folder)
    answers: list[list[Answer]] = []
    for files in made:
        for name, source in files.items():
            (lab_folder / name).write_text(source, encoding="utf-8")
        lab.forget()
        # The reference has all time that it needs: what numba compiles is compiled while it is asked.
        answers.append(
            _answers_in_time(lab, module, inputs) if answers else answers_to(lab, getattr(module, ANSWERED), inputs)
        )
    return list(inputs), answers, 1 + len(programs)


def uncompiled_lab(reference: Path, folder: Path) -> Path:
    """A copy of the reference lab whose rules are plain Python: compiling one takes longer than checking it."""
    for package in PACKAGES:
        shutil.copytree(reference / package, folder / package, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    for path in folder.glob("classifiers/**/*.py"):
        source = path.read_text(encoding="utf-8")
        plain = re.sub(r"^@compiled[ \t]*\r?\n", "", source, flags=re.MULTILINE)
        if source != plain:  # unchanged files bring their bytecode along
            path.write_text(plain, encoding="utf-8")
    return folder.resolve()


def made_pool(
    inputs: Sequence[dict[str, Any]],
    answers: Sequence[Sequence[Answer]],
    families: Sequence[tuple[str, int]],
) -> Pool:
    """Choose inputs, and put down the answers of the reference and of the known mistakes.

    Parameters
    ----------
    inputs : sequence of dict
        From the smallest on.
    answers : sequence of sequence of Answer
        Of each program to each input: of the reference, of the mistakes, of mutants.
    families : sequence of (mistake, how many programs it has)

    Returns
    -------
    Pool
    """
    table, different = tabulated(answers)
    owners = [name for name, count in families for _ in range(count)]
    chosen = sorted(choose(table, owners))
    kept, rows = [], []
    for i in chosen:
        places = list(dict.fromkeys(table[: 1 + len(owners), i].tolist()))  # without those that only mutants give
        kept.append(tuple(_rounded(different[i][place]) for place in places))
        rows.append([places.index(place) for place in table[1 : 1 + len(owners), i]])
    columns = list(zip(*rows, strict=True))
    programs: dict[str, tuple[tuple[int, ...], ...]] = {name: () for name, _ in families}
    for name, row in zip(owners, columns, strict=True):
        if any(row) and row not in programs[name]:
            programs[name] += (tuple(row),)
    return Pool(tuple(inputs[i] for i in chosen), tuple(kept), programs, _reserve(inputs, answers[0], chosen))


def _reserve(
    inputs: Sequence[dict[str, Any]], right: Sequence[Answer], chosen: Collection[int]
) -> tuple[tuple[dict[str, Any], Answer], ...]:
    """Inputs of all sizes that were not chosen, with the right answers, if these are numbers."""
    left = [i for i, answer in enumerate(right) if i not in chosen and answer.kind is float]
    return tuple((inputs[i], _rounded(right[i])) for i in left[:: max(1, len(left) // RESERVE)][:RESERVE])


def tabulated(answers: Sequence[Sequence[Answer]]) -> tuple[Table, list[list[Answer]]]:
    """Which answer each program gives to each input, as numbers, and of each input the different answers, the right one first."""
    table = np.zeros((len(answers), len(answers[0])), dtype=int)
    different: list[list[Answer]] = []
    for i, right in enumerate(answers[0]):
        known = [right]
        seen: dict[Answer, int] = {}
        for p, its in enumerate(answers):
            place = seen.get(its[i])
            if place is None:
                same = (n for n, answer in enumerate(known) if answer.agrees(its[i], POOL_RTOL, POOL_ATOL))
                place = next(same, len(known))
                if place == len(known):
                    known.append(its[i])
                seen[its[i]] = place
            table[p, i] = place
        different.append(known)
    return table, different


def choose(table: Table, owners: Sequence[str]) -> list[int]:
    """The inputs to keep, in their order.

    Parameters
    ----------
    table
        As `tabulated` makes it.
    owners : sequence of str
        Of each program after the reference the mistake that it belongs to; those beyond are mutants.
    """
    wrong = table[1:] > 0
    chosen: dict[int, None] = {}
    for row in np.unique(wrong, axis=0):  # the smallest input that shows each program to be wrong
        if row.any():
            chosen[int(row.argmax())] = None
    for first, second in _pairs_of_families(table, owners):  # one that tells two mistakes apart
        differ = first != second
        if differ.any() and not differ[list(chosen)].any():
            chosen[int(differ.argmax())] = None
    for least in range(1, LEAST_WRONG + 1):  # more evidence for those that have little
        for row in np.unique(wrong[: len(owners)], axis=0):
            while len(chosen) < MOST_INPUTS - VARIED and row[list(chosen)].sum() < min(least, row.sum()):
                rest = row.copy()
                rest[list(chosen)] = False
                chosen[int(rest.argmax())] = None
    # Mistakes that nobody has thought of are seen, and told from these, on inputs of every size and kind.
    behaviours = np.unique(table, axis=0)
    one, other = np.triu_indices(len(behaviours), 1)
    told = (behaviours[one] != behaviours[other]).T  # (inputs, pairs of behaviours)
    times = told[list(chosen)].sum(axis=0)
    for part in np.array_split(np.arange(table.shape[1]), VARIED):
        free = [i for i in part if i not in chosen]
        if free:
            best = free[int((told[free] / (1.0 + times) ** 2).sum(axis=1).argmax())]
            chosen[int(best)] = None
            times += told[best]
    return sorted(chosen)


def _pairs_of_families(table: Table, owners: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rows = table[1 : 1 + len(owners)]
    for p in range(len(owners)):
        for q in range(p):
            if owners[p] != owners[q]:
                yield rows[p], rows[q]


def _answers_in_time(lab: Lab, module: ModuleType, inputs: Sequence[dict[str, Any]]) -> list[Answer]:
    """What a program answers. To fail, or not to end, is an answer too."""
    try:
        with TimeLimit(lab.folder) as limit, limit.of(SECONDS):
            return answers_to(lab, getattr(module, ANSWERED), inputs)
    except OutOfTime:
        return [Answer.of(ENDLESS)] * len(inputs)
    except NoAnswer as error:
        return [Answer.of(str(error))] * len(inputs)
    except Exception as error:
        return [Answer.of(f"{RAISES}{type(error).__name__}")] * len(inputs)


def checks_of_file(file: Path) -> ModuleType:
    """A file of checks as a module."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rounded(answer: Answer) -> Answer:
    return Answer(
        answer.shape, tuple(float(f"{v:.{DIGITS}g}") + 0.0 if isinstance(v, float) else v for v in answer.values)
    )
