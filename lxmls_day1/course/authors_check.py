"""The authors' check: whether exercises, solutions, checks, mistakes, hints and generated files fit together.

Every stub fails its checks, every reference solution passes them, every known mistake fails with its own message, every
file that was generated is current, and no line of a solution is in what a student receives.
"""

import io
import json
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.course.generation import Files, cell_source, exercises_of_cells, reference_files, student_files
from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.mistakes import Mistake
from lxmls_day1.course.model_answers import decoded, is_model_answers
from lxmls_day1.course.naming import named
from lxmls_day1.course.observations import RAISES
from lxmls_day1.course.pool_making import asked_again
from lxmls_day1.course.record import differences, known_mistakes, recorded, snapshot_of_reference
from lxmls_day1.course.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import FOLDER, RECORDED, Exercise, Registry, check_files
from lxmls_day1.course.snapshot import SnapshotRun, take_snapshot
from lxmls_day1.course.workspace import write_files
from lxmls_day1.errors import InputError
from lxmls_day1.lab import PACKAGES, reference_folder
from lxmls_day1.whole_files import temporary_folder

LEAST_MISTAKES = 3
NO_EXERCISE = ""  # the exercise of a cell tagged ``solution`` that stands below no exercise's heading
SHORTEST_LINE = 10  # a line with fewer characters than this, spaces left out, gives nothing away


def problems(reference: Path | None = None) -> list[str]:
    """What does not fit together, as sentences; an empty list if all fits.

    Parameters
    ----------
    reference : Path, optional
        A lab with solutions; the reference lab unless given.
    """
    reference = reference_folder() if reference is None else reference
    try:
        registry = Registry.read(reference / FOLDER / "exercises.toml")
        missing = [
            f"{exercise}: {name} is not there"
            for exercise in registry
            for name in (*exercise.files, exercise.notebook)
            if not (reference / name).is_file()
        ]
        if missing:
            return missing
        made, mistakes = student_files(reference), known_mistakes(reference)
        public = recorded(reference, None, snapshot_of_reference(reference, None, hidden=True))
    except InputError as error:
        return [str(error)]
    return [
        *problems_of_registry(reference, registry, mistakes, public.hidden),
        *problems_of_stubs(reference, registry),
        *problems_of_small_inputs(reference, mistakes),
        *problems_of_recording(reference, public),
        *(f"{place} is in a student's files" for place in leaks(made, solution_lines(reference, registry.ids))),
        *(f"{place} is in a student's files" for place in leaks_of_code(made, reference, registry.ids)),
    ]


def problems_of_registry(
    reference: Path, registry: Registry, mistakes: Mapping[Exercise, Sequence[Mistake]], hidden: Mapping[str, int]
) -> Iterator[str]:
    """Solutions in files that no exercise names; code exercises without a solution, checks, hidden checks or enough known mistakes."""
    marked: dict[str, set[str]] = {}
    for name, id in _marked(reference, registry):
        marked.setdefault(id, set()).add(name)
    for exercise in registry:
        for name in marked.get(exercise.id, set()) - set(exercise.files):
            if name != exercise.notebook:
                yield f"{exercise}: {name} holds a solution, but is not among its files"
        if not exercise.has_code:
            continue
        for name in set(exercise.files) - marked.get(exercise.id, set()):
            yield f"{exercise}: {name} holds no solution of it"
        if not check_files(reference / FOLDER, exercise):
            yield f"{exercise}: it has no checks, test_{exercise.stem}_*.py"
        elif not hidden.get(exercise.id):
            yield f"{exercise}: it has no hidden checks, and full marks need them"
        known = len(mistakes.get(exercise, ()))
        if known < LEAST_MISTAKES:
            yield f"{exercise}: it has {known} known mistakes; wanted {LEAST_MISTAKES}"


def problems_of_stubs(reference: Path, registry: Registry) -> Iterator[str]:
    """Checks that pass although the exercise is not solved."""
    checked = [e for e in registry if e.has_code and check_files(reference / FOLDER, e)]
    if not checked:
        return
    with temporary_folder("lxmls-day1-stubs-") as folder:
        runs = []
        for exercise in checked:
            lab_folder = Path(folder, exercise.id).resolve()
            files = student_files(reference, [exercise.id])
            write_files(lab_folder, {name: text for name, text in files.items() if name.parts[0] in PACKAGES})
            runs.append(SnapshotRun(str(exercise), lab_folder, tuple(check_files(reference / FOLDER, exercise))))
        for label, checks in take_snapshot(runs, hidden=True).items():
            for check, found in checks.items():
                if found.outcome == "passed":
                    yield f"{label}: {check} passes although the exercise is not solved"


def problems_of_small_inputs(reference: Path, mistakes: Mapping[Exercise, Sequence[Mistake]]) -> Iterator[str]:
    """Small inputs that are missing or not current, and programs of known mistakes that their answers to them do not name."""
    try:
        pools = RecordedAnswers.read(reference / RECORDED).pools
    except InputError:
        return  # that is said elsewhere
    for exercise, found in asked_again(reference, mistakes, pools).items():
        if found is None:
            yield f"{exercise}: it has no small inputs, which name mistakes; run `python -m lxmls_day1.course.record`"
            continue
        pool, n_inputs = pools[exercise.id], len(pools[exercise.id].inputs)
        if any(pool.places(found[0][:n_inputs])) or pool.wrong_of_reserve(found[0][n_inputs:]):
            yield f"{exercise}: its small inputs are not current; run `python -m lxmls_day1.course.record`"
            continue
        programs = [(mistake.name, program) for mistake in mistakes[exercise] for program in mistake.programs]
        for (name, program), answers in zip(programs, found[1:], strict=True):
            row = pool.places(answers[:n_inputs])
            names = named(pool, row).names
            if not any(row):
                yield f"{program} is never named: it answers all small inputs rightly"
            elif name not in names:
                yield f"{program} is not named by its small inputs{f', but {names[0]} is' if names else ''}"
            elif all(str(answer.values[:1]).startswith(f"('{RAISES}") for answer in answers):
                yield f"{program} explains nothing: it {answers[0].values[0]} on every small input"


def problems_of_recording(reference: Path, new: RecordedAnswers) -> Iterator[str]:
    """Whether the recorded answers are current."""
    try:
        old = RecordedAnswers.read(reference / RECORDED)
    except InputError as error:
        yield str(error)
        return
    new.pools = old.pools  # `problems_of_small_inputs` looks at them
    for difference in differences(old, new):
        yield f"the recorded answers are not current (run `python -m lxmls_day1.course.record`): {difference}"


def solution_lines(reference: Path, assigned: Collection[str], code_only: bool = False) -> dict[str, str]:
    """The lines that would give a solution away: without spaces -> where they stand.

    Too short ones are left out, and those that stand outside solutions as well, in ``readers/``, ``classifiers/`` or a
    notebook: a student may read them there. With ``code_only`` the lines of model answers are left out too.
    """
    inside: dict[str, str] = {}
    outside: list[str] = []
    for name, content in reference_files(reference).items():
        a_script = name.suffix == ".py" and name.parts[0] in PACKAGES
        if not (a_script or name.suffix == ".ipynb"):
            continue
        sources: list[tuple[str, bool, str | None]] = (
            [(content.decode(), True, None)] if a_script else list(_cell_sources(json.loads(content)))
        )
        for source, is_code, whole_cell_of in sources:
            lines = source.split("\n")
            regions = [s for s in find_solutions(source, str(name)) if s.exercise in assigned] if is_code else []
            solved = {n for region in regions for n in range(region.first, region.last - 1)}
            if code_only and not is_code and whole_cell_of is not None:
                continue  # a model answer
            if whole_cell_of == NO_EXERCISE or whole_cell_of in assigned:
                solved = set(range(len(lines)))
            for n, line in enumerate(lines):
                text = "".join(line.split())
                if n not in solved:
                    outside.append(text)
                elif len(text) >= SHORTEST_LINE and not text.startswith("#"):
                    inside.setdefault(text, f"{name}: {line.strip()}")
    elsewhere = "\n".join(outside)
    return {text: where for text, where in inside.items() if text not in elsewhere}


def leaks(files: Mapping[PurePosixPath, bytes], lines: Mapping[str, str], prefix: str = "") -> list[str]:
    """Where lines of solutions stand in files; archives and wheels among them are looked into.

    Parameters
    ----------
    files : mapping from path to bytes
    lines : mapping
        As `solution_lines` gives them.

    Returns
    -------
    list of str
        ``FILE holds a line of classifiers/mira.py: tau = …``, without an end.
    """
    found = []
    for name, content in files.items():
        where = f"{prefix}{name}"
        if PurePosixPath(name).suffix in (".whl", ".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                inner: Files = {PurePosixPath(entry): archive.read(entry) for entry in archive.namelist()}
            found += leaks(inner, lines, f"{where}/")
            continue
        text = content.decode("utf-8", errors="ignore")
        if PurePosixPath(name).suffix in (".ipynb", ".json"):
            text = "\n".join(_texts(json.loads(text)))
        text = "".join(text.split())
        found += [f"{where}, with a line of {place}," for line, place in lines.items() if line in text]
    return found


def leaks_of_code(files: Files, reference: Path, assigned: Collection[str]) -> list[str]:
    """Where lines of code solutions stand in the model answers that students get, which `leaks` cannot read."""
    texts: Files = {
        name.with_suffix(".md"): "\n".join(answer.text for answer in decoded(content)).encode()
        for name, content in files.items()
        if is_model_answers(name)
    }
    return leaks(texts, solution_lines(reference, assigned, code_only=True)) if texts else []


def _texts(content: object) -> Iterator[str]:
    """All texts in a JSON value, lists of lines joined as they stand."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for key, value in content.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(content, list):
        if all(isinstance(part, str) for part in content):
            yield "".join(content)
        else:
            for part in content:
                yield from _texts(part)


def _marked(reference: Path, registry: Registry) -> Iterator[tuple[str, str]]:
    """File and exercise of every solution in ``readers/`` and ``classifiers/`` and the notebooks."""
    for name, content in reference_files(reference).items():
        if name.suffix == ".py" and name.parts[0] in PACKAGES:
            for solution in find_solutions(content.decode(), str(name), registry.ids):
                yield str(name), solution.exercise
        elif name.suffix == ".ipynb":
            for source, is_code, whole_cell_of in _cell_sources(json.loads(content)):
                for solution in find_solutions(source, str(name), registry.ids) if is_code else ():
                    yield str(name), solution.exercise
                if whole_cell_of is not None and whole_cell_of in registry:
                    yield str(name), whole_cell_of


def _cell_sources(notebook: dict[str, Any]) -> Iterator[tuple[str, bool, str | None]]:
    """For each cell: its text, whether it is code, and the exercise that it solves if it is tagged ``solution``."""
    for cell, id in zip(notebook["cells"], exercises_of_cells(notebook), strict=True):
        is_solution = "solution" in cell.get("metadata", {}).get("tags", [])
        yield cell_source(cell), cell["cell_type"] == "code", (id or NO_EXERCISE) if is_solution else None
