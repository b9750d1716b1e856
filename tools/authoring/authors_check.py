"""The authors' check: tests that exercises, solutions, checks, mistakes, hints and generated files are consistent.

Every stub fails its checks, every reference solution passes them, every known mistake fails with its own message, every
generated file is current, and no line of a solution is in a student's files.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.answer_shapes import RAISES
from lxmls_day1.course.diagnosis.mistake_matching import diagnose
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.markers import cell_source, find_solutions
from lxmls_day1.course.registry import FOLDER, RECORDED, Exercise, Registry, check_files
from lxmls_day1.course.running.snapshot import SnapshotRun, reference_snapshot, run_snapshot
from lxmls_day1.course.workspaces.generation import HEADING, reference_files, student_files
from lxmls_day1.course.workspaces.leaks import cell_sources, find_code_leaks, find_solution_leaks, solution_lines
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.lab import PACKAGES, reference_folder
from tools.authoring.mistakes import Mistake
from tools.authoring.pool_builder import rerun_programs
from tools.authoring.record import differences, known_mistakes, record_answers

EXERCISE_TABLE = "docs/reference/exercises.md"
RIGHT_SOLUTIONS = "tests/lxmls_day1/grading/right"
MIN_MISTAKES = 3  # families of known mistakes for each exercise; more are welcome but not required


def problems(reference: Path | None = None) -> list[str]:
    """Return all inconsistencies as sentences; an empty list if there are none.

    Parameters
    ----------
    reference : Path, optional
        A lab with solutions. Default: the reference lab.
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
        public = record_answers(reference, None, reference_snapshot(reference, None))
    except InputError as error:
        return [str(error)]
    return [
        *problems_of_registry(reference, registry, mistakes, public.hidden),
        *problems_of_texts(reference, registry),
        *problems_of_stubs(reference, registry),
        *problems_of_small_inputs(reference, mistakes),
        *problems_of_recording(reference, public),
        *(
            f"{place} is in a student's files"
            for place in find_solution_leaks(made, solution_lines(reference, registry.ids))
        ),
        *(f"{place} is in a student's files" for place in find_code_leaks(made, reference, registry.ids)),
    ]


def problems_of_registry(
    reference: Path, registry: Registry, mistakes: Mapping[Exercise, Sequence[Mistake]], hidden: Mapping[str, int]
) -> Iterator[str]:
    """Yield solutions outside their exercise's files, and code exercises that lack a solution, checks, hidden checks or known mistakes."""
    marked: dict[str, set[str]] = {}
    for name, id in _marked_solutions(reference, registry):
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
        if known < MIN_MISTAKES:
            file = f"tests/exercises/mistakes/{exercise.stem}_….toml"
            yield f"{exercise}: {file} has {known} known mistakes; {MIN_MISTAKES} families are enough"


def problems_of_texts(reference: Path, registry: Registry) -> Iterator[str]:
    """Yield the parts that an exercise lacks in a checkout of the course: its heading, its table row, its right solutions."""
    if not (reference / EXERCISE_TABLE).is_file():
        return
    rows = (reference / EXERCISE_TABLE).read_text(encoding="utf-8")
    for exercise in registry:
        notebook = json.loads((reference / exercise.notebook).read_text(encoding="utf-8"))
        if exercise.id not in {
            match["id"] for cell in notebook["cells"] for match in HEADING.finditer(cell_source(cell))
        }:
            yield f"{exercise}: {exercise.notebook} has no heading `## Exercise {exercise.id}: …`, to which `check` sends students"
        if f"| {exercise.id} |" not in rows:
            yield f"{exercise}: {EXERCISE_TABLE} has no row `| {exercise.id} | … |`"
        if exercise.has_code and not list((reference / RIGHT_SOLUTIONS).glob(f"{exercise.stem}_*.toml")):
            name = f"{RIGHT_SOLUTIONS}/{exercise.stem}_….toml"
            yield f"{exercise}: {name} is not there; it holds right solutions of other kinds, which must pass"


def problems_of_stubs(reference: Path, registry: Registry) -> Iterator[str]:
    """Yield checks that pass although the exercise is not solved."""
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
        for label, checks in run_snapshot(runs).items():
            for check, found in checks.items():
                if found.outcome == "passed":
                    yield f"{label}: {check} passes although the exercise is not solved"


def problems_of_small_inputs(reference: Path, mistakes: Mapping[Exercise, Sequence[Mistake]]) -> Iterator[str]:
    """Yield probe inputs that are missing or not current, and programs of known mistakes that they do not identify."""
    try:
        pools = RecordedAnswers.read(reference / RECORDED).pools
    except InputError:
        return  # `problems_of_recording` reports this.
    for exercise, found in rerun_programs(reference, mistakes, pools).items():
        if found is None:
            yield f"{exercise}: it has no small inputs, which name mistakes; run `python -m tools.authoring.record`"
            continue
        pool, n_inputs = pools[exercise.id], len(pools[exercise.id].inputs)
        if any(pool.answer_indices(found[0][:n_inputs])) or pool.wrong_practice_inputs(found[0][n_inputs:]):
            yield f"{exercise}: its small inputs are not current; run `python -m tools.authoring.record`"
            continue
        programs = [(mistake.name, program) for mistake in mistakes[exercise] for program in mistake.programs]
        for (name, program), answers in zip(programs, found[1:], strict=True):
            row = pool.answer_indices(answers[:n_inputs])
            names = diagnose(pool, row).names
            if not any(row):
                yield f"{program} is never named: it answers all small inputs rightly"
            elif name not in names:
                yield f"{program} is not named by its small inputs{f', but {names[0]} is' if names else ''}"
            elif all(str(answer.values[:1]).startswith(f"('{RAISES}") for answer in answers):
                yield f"{program} explains nothing: it {answers[0].values[0]} on every small input"


def problems_of_recording(reference: Path, new: RecordedAnswers) -> Iterator[str]:
    """Yield the recorded answers that are not current."""
    try:
        old = RecordedAnswers.read(reference / RECORDED)
    except InputError as error:
        yield str(error)
        return
    new.pools = old.pools  # `problems_of_small_inputs` checks the pools.
    for difference in differences(old, new):
        yield f"the recorded answers are not current (run `python -m tools.authoring.record`): {difference}"


def _marked_solutions(reference: Path, registry: Registry) -> Iterator[tuple[str, str]]:
    """Yield file and exercise of every solution in ``readers/`` and ``classifiers/``, and of every model answer in the notebooks."""
    for name, content in reference_files(reference).items():
        if name.suffix == ".py" and name.parts[0] in PACKAGES:
            for solution in find_solutions(content.decode(), str(name), registry.ids):
                yield str(name), solution.exercise
        elif name.suffix == ".ipynb":
            for _, whole_cell_of in cell_sources(json.loads(content)):
                if whole_cell_of is not None and whole_cell_of in registry:
                    yield str(name), whole_cell_of
