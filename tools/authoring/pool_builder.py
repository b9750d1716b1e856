"""The pool of probe inputs of an exercise, selected from the inputs that its check file proposes. For authors.

The reference, all programs of the known mistakes, and all mutants of the reference run on each proposed input. The pool keeps the
smallest inputs on which a program differs from the reference, and inputs on which the known mistakes differ from one another.
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
from lxmls_day1.course.diagnosis.probe_inputs import ANSWERS_FUNCTION, INPUTS_FUNCTION, run_on_inputs
from lxmls_day1.course.diagnosis.recorded_answers import Pool
from lxmls_day1.course.markers import remove_markers
from lxmls_day1.course.registry import FOLDER, Exercise, check_files
from lxmls_day1.course.running.time_limit import TimeLimit, TimeLimitExceeded
from lxmls_day1.lab import PACKAGES, Lab
from tools.authoring.mistakes import Mistake
from tools.authoring.mutants import mutants_of

MAX_INPUTS = 36
N_PRACTICE_INPUTS = 8  # further inputs, for practice
N_VARIED_INPUTS = 14  # inputs of all sizes, each distinguishing programs that few other inputs distinguish
MIN_WRONG_INPUTS = 6  # inputs on which each program must differ from the reference, if possible
MAX_CPU_SECONDS = 2.0  # CPU seconds for all inputs of one program; afterwards its answer is ENDLESS
SIGNIFICANT_DIGITS = 6  # significant digits of a recorded number
ENDLESS = "does not end"

Made = TypeVar("Made")
# (programs, inputs): index of each program's answer among the answers to the input; row 0 is the reference
Table = np.ndarray


def pool_file(reference: Path, exercise: Exercise) -> Path | None:
    """Return the check file of an exercise that proposes probe inputs, or None."""
    files = [
        path
        for path in check_files(reference / FOLDER, exercise)
        if f"\ndef {ANSWERS_FUNCTION}(" in path.read_text(encoding="utf-8")
    ]
    if len(files) > 1:
        raise InputError(f"{exercise}: several files of checks have {ANSWERS_FUNCTION}; expected one.")
    return files[0] if files else None


def pools_of(reference: Path, mistakes: Mapping[Exercise, Sequence[Mistake]]) -> dict[str, Pool]:
    """Return the pools of all exercises whose checks propose probe inputs.

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
    """Call a function for each task in a separate process, with a new folder for a lab as the last argument."""
    with (
        temporary_folder("lxmls-day1-pools-") as place,
        ProcessPoolExecutor(os.cpu_count() or 1, get_context("spawn")) as processes,
    ):
        calls = [processes.submit(function, *task, str(place / str(n))) for n, task in enumerate(tasks)]
        return [call.result() for call in calls]


def _pool_of(reference: str, exercise: Exercise, mistakes: Sequence[Mistake], folder: str) -> Pool:
    proposed, answers, _ = run_programs(Path(reference), exercise, mistakes, Path(folder))
    families = [(mistake.name, len(mistake.programs)) for mistake in mistakes]
    return build_pool(proposed, answers, families)


def rerun_programs(
    reference: Path, mistakes: Mapping[Exercise, Sequence[Mistake]], pools: Mapping[str, Pool]
) -> dict[Exercise, list[list[Answer]] | None]:
    """Rerun the reference and the programs of the known mistakes on the inputs of their pools.

    Parameters
    ----------
    reference, mistakes
        As in `pools_of`.
    pools : mapping from exercise to Pool

    Returns
    -------
    dict from exercise to list of list of Answer
        A row for the reference and for each program: its answers to the inputs of the pool, then to the practice inputs.
        None if there is no pool, or the checks propose no inputs.
    """
    with_inputs = [exercise for exercise in mistakes if exercise.id in pools and pool_file(reference, exercise)]
    tasks = [
        (str(reference), exercise, tuple(mistakes[exercise]), pools[exercise.id].all_inputs) for exercise in with_inputs
    ]
    found = _in_processes(_rerun_exercise, tasks)
    return dict.fromkeys(mistakes) | dict(zip(with_inputs, found, strict=True))


def _rerun_exercise(
    reference: str, exercise: Exercise, mistakes: Sequence[Mistake], inputs: Sequence[dict[str, Any]], folder: str
) -> list[list[Answer]]:
    return run_programs(Path(reference), exercise, mistakes, Path(folder), inputs)[1]


def run_programs(
    reference: Path,
    exercise: Exercise,
    mistakes: Collection[Mistake],
    folder: Path,
    inputs: Sequence[dict[str, Any]] | None = None,
) -> tuple[list[dict[str, Any]], list[list[Answer]], int]:
    """Return the proposed inputs, and the answers of the reference, the mistakes' programs and the mutants to each.

    Parameters
    ----------
    reference, exercise, mistakes
        As in `pools_of`.
    folder : Path
        A new folder for the lab, into which one program after another is written.
    inputs : sequence of dict, optional
        Inputs to use instead of the proposed ones; the mutants do not run then.

    Returns
    -------
    inputs : list of dict
    answers : list of list of Answer
        One list for each program: the reference, the programs of the mistakes in their order, the mutants.
    n_programs : int
        The number of programs that are not mutants: the reference and those of the mistakes.
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
    module = import_check_file(file)
    if inputs is None:
        inputs = list(getattr(module, INPUTS_FUNCTION)())
    else:
        mutants = []
    right = {name: remove_markers(source) for name, source in sources.items()}
    made = [right, *(right | program.apply_to(sources) for program in [*programs, *mutants])]
    sys.dont_write_bytecode = True  # Otherwise Python would run the bytecode of one program for the next one.
    lab = Lab(lab_folder)
    answers: list[list[Answer]] = []
    for files in made:
        for name, source in files.items():
            (lab_folder / name).write_text(source, encoding="utf-8")
        lab.forget()
        # The reference has no time limit, because numba compiles during its run.
        answers.append(
            _answers_in_time(lab, module, inputs)
            if answers
            else run_on_inputs(lab, getattr(module, ANSWERS_FUNCTION), inputs)
        )
    return list(inputs), answers, 1 + len(programs)


def uncompiled_lab(reference: Path, folder: Path) -> Path:
    """Return a copy of the reference lab with rules in plain Python, because compiling a rule takes longer than checking it."""
    for package in PACKAGES:
        shutil.copytree(reference / package, folder / package, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    for path in folder.glob("classifiers/**/*.py"):
        source = path.read_text(encoding="utf-8")
        plain = re.sub(r"^@compiled[ \t]*\r?\n", "", source, flags=re.MULTILINE)
        if source != plain:  # Unchanged files keep their copied bytecode.
            path.write_text(plain, encoding="utf-8")
    return folder.resolve()


def build_pool(
    inputs: Sequence[dict[str, Any]], answers: Sequence[Sequence[Answer]], families: Sequence[tuple[str, int]]
) -> Pool:
    """Select inputs, and record the answers of the reference and the known mistakes.

    Parameters
    ----------
    inputs : sequence of dict
        Ordered by size, the smallest first.
    answers : sequence of sequence of Answer
        The answers of each program (the reference, the mistakes, the mutants) to each input.
    families : sequence of (mistake, number of its programs)

    Returns
    -------
    Pool
    """
    table, different = answer_table(answers)
    owners = [name for name, count in families for _ in range(count)]
    chosen = sorted(select_inputs(table, owners))
    kept, rows = [], []
    for i in chosen:
        places = list(dict.fromkeys(table[: 1 + len(owners), i].tolist()))  # without the answers that only mutants give
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
    """Return inputs of all sizes that were not selected, with the right answers, if these are numbers."""
    left = [i for i, answer in enumerate(right) if i not in chosen and answer.kind is float]
    return tuple(
        (inputs[i], _rounded(right[i])) for i in left[:: max(1, len(left) // N_PRACTICE_INPUTS)][:N_PRACTICE_INPUTS]
    )


def answer_table(answers: Sequence[Sequence[Answer]]) -> tuple[Table, list[list[Answer]]]:
    """Return the table of answer indices (programs, inputs), and the different answers to each input, the right one first."""
    table = np.zeros((len(answers), len(answers[0])), dtype=int)
    different: list[list[Answer]] = []
    for i, right in enumerate(answers[0]):
        known = [right]
        seen: dict[Answer, int] = {}
        for p, its in enumerate(answers):
            place = seen.get(its[i])
            if place is None:
                same = (n for n, answer in enumerate(known) if answer.is_close(its[i], POOL_RTOL, POOL_ATOL))
                place = next(same, len(known))
                if place == len(known):
                    known.append(its[i])
                seen[its[i]] = place
            table[p, i] = place
        different.append(known)
    return table, different


def select_inputs(table: Table, owners: Sequence[str]) -> list[int]:
    """Return the indices of the inputs to keep, in ascending order.

    Parameters
    ----------
    table
        As `answer_table` makes it.
    owners : sequence of str
        The mistake of each program after the reference; the remaining programs are mutants.
    """
    wrong = table[1:] > 0
    chosen: dict[int, None] = {}
    for row in np.unique(wrong, axis=0):  # Keep the smallest input on which each program is wrong.
        if row.any():
            chosen[int(row.argmax())] = None
    for first, second in _pairs_of_families(table, owners):  # Keep one input that distinguishes each pair of mistakes.
        differ = first != second
        if differ.any() and not differ[list(chosen)].any():
            chosen[int(differ.argmax())] = None
    for least in range(1, MIN_WRONG_INPUTS + 1):  # Add inputs for programs that are wrong on few of the kept ones.
        for row in np.unique(wrong[: len(owners)], axis=0):
            while len(chosen) < MAX_INPUTS - N_VARIED_INPUTS and row[list(chosen)].sum() < min(least, row.sum()):
                rest = row.copy()
                rest[list(chosen)] = False
                chosen[int(rest.argmax())] = None
    # To detect unforeseen mistakes and distinguish them from known ones, keep inputs of every size and kind.
    behaviours = np.unique(table, axis=0)
    one, other = np.triu_indices(len(behaviours), 1)
    told = (behaviours[one] != behaviours[other]).T  # (inputs, pairs of behaviours)
    times = told[list(chosen)].sum(axis=0)
    for part in np.array_split(np.arange(table.shape[1]), N_VARIED_INPUTS):
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
    """Return the answers of a program. An exception or a timeout is an answer, too."""
    try:
        with TimeLimit(lab.folder) as limit, limit.limit_to(MAX_CPU_SECONDS):
            return run_on_inputs(lab, getattr(module, ANSWERS_FUNCTION), inputs)
    except TimeLimitExceeded:
        return [Answer.from_value(ENDLESS)] * len(inputs)
    except NoAnswer as error:
        return [Answer.from_value(str(error))] * len(inputs)
    except Exception as error:
        return [Answer.from_value(f"{RAISES}{type(error).__name__}")] * len(inputs)


def import_check_file(file: Path) -> ModuleType:
    """Import a check file as a module."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rounded(answer: Answer) -> Answer:
    return Answer(
        answer.shape,
        tuple(float(f"{v:.{SIGNIFICANT_DIGITS}g}") + 0.0 if isinstance(v, float) else v for v in answer.values),
    )
