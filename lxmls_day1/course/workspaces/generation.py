r"""Generate the files of a lab as a student receives them, from the reference lab only.

The folders ``readers/``, ``classifiers/``, ``notebooks/`` and ``tests/exercises/`` of the reference lab are copied with stubs in place of
solutions, notebooks without outputs, no hidden checks, and the model answers of the notebooks in a separate file. Text files get "\n" for
line ends, so that the result is the same on every system. A reference lab that a student has installed contains no solutions and is
copied unchanged.
"""

import ast
import functools
import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.markers import (
    EXERCISE_ID,
    LIKELY_MARKER,
    MarkerError,
    Solution,
    cell_source,
    replace_with_stubs,
    stub,
)
from lxmls_day1.course.registry import FILE, FOLDER, MISTAKES, Exercise, Registry, exercise_of_check
from lxmls_day1.course.source_functions import Definition, first_line
from lxmls_day1.course.workspaces.model_answers import FILE as MODEL_ANSWERS
from lxmls_day1.course.workspaces.model_answers import ModelAnswer, answers_of_notebook, encode_answers, read_cells
from lxmls_day1.lab import PACKAGES, describe_syntax_error, reference_folder
from lxmls_day1.library_path import find_lab_file

FOLDERS = (*PACKAGES, "notebooks", str(FOLDER))
BUILD_ARTIFACTS = re.compile(
    r"(^|/)(__pycache__|\.ipynb_checkpoints|\.hypothesis|\.pytest_cache|out)(/|$)|\.(py[co]|nb[ic]|part)$|~$"
)
TEXT_SUFFIXES = (".py", ".toml", ".json", ".ipynb", ".md", ".txt", ".css", ".js", ".html", ".csv")

HEADING = re.compile(rf"^(?P<marks>#{{1,6}}) +(?:Exercise (?P<id>{EXERCISE_ID})\b)?", re.MULTILINE)
FOR_AUTHORS = b"\n## For authors\n"  # students do not get the text of a Markdown file from this heading on
#: The first would pair a student's notebooks with scripts; the others compare the outputs of an author's.
AUTHORS_ONLY = ("jupytext.toml", "conftest.py", "sanitize.cfg")

Files = dict[PurePosixPath, bytes]
Notebook = dict[str, Any]


def reference_files(reference: Path) -> Files:
    """Return all files of the four folders, sorted by path, unchanged except for line ends."""
    files: Files = {}
    for folder in FOLDERS:
        for path in (reference / folder).rglob("*"):
            name = PurePosixPath(path.relative_to(reference).as_posix())
            if path.is_file() and not BUILD_ARTIFACTS.search(str(name)):
                content = path.read_bytes()
                files[name] = content.replace(b"\r\n", b"\n") if name.suffix in TEXT_SUFFIXES else content
    return dict(sorted(files.items(), key=lambda item: str(item[0])))


def reference_text(name: str) -> str:
    """Return the text of a file of the reference lab, where it may be in another folder than in this lab."""
    reference = reference_folder()
    return (reference / find_lab_file(reference, name)).read_text(encoding="utf-8").replace("\r\n", "\n")


def student_files(reference: Path, assigned: Collection[str] | None = None) -> Files:
    """Return the files that a student receives.

    Parameters
    ----------
    reference : Path
        A lab folder with the solutions, or one that was generated already.
    assigned : collection of str, optional
        The exercises to be solved; the others come with their solutions. Default: the assigned exercises of the registry.

    Raises
    ------
    InputError
        If an exercise does not exist, or a marker is invalid (`MarkerError`).
    """
    files = reference_files(reference)
    registry = Registry.read(reference / FILE)
    assigned = registry.assigned if assigned is None else [exercise.id for exercise in registry.select(assigned)]
    made: Files = {}
    model_answers: list[ModelAnswer] = []
    for name, content in files.items():
        if MISTAKES in name.parents or name.name in AUTHORS_ONLY:
            continue
        if name == FILE:
            text = content.decode()
            if tuple(assigned) != registry.ids and registry.assigned == registry.ids:
                text = f"assigned = {json.dumps(list(assigned))}  # the others came with their solutions\n\n{text}"
            made[name] = text.encode()
        elif FOLDER in name.parents and exercise_of_check(name.name):
            public = without_hidden_checks(content.decode(), str(name))
            if public is not None:
                made[name] = public.encode()
        elif name.parts[0] == "notebooks" and name.suffix == ".py" and name.with_suffix(".ipynb") in files:
            continue  # the source of a notebook, which students do not need
        elif name.suffix == ".ipynb":
            notebook = json.loads(content)
            model_answers += _released_answers(notebook, registry, assigned, str(name))
            made[name] = notebook_bytes(student_notebook(notebook, registry, assigned, str(name)))
        elif name.parts[0] == "notebooks" and name.suffix == ".md":
            made[name] = content.partition(FOR_AUTHORS)[0].rstrip() + b"\n"
        elif name.suffix == ".py":
            made[name] = student_source(content.decode(), registry, assigned, str(name)).encode()
        else:
            made[name] = content
    if model_answers:
        made[MODEL_ANSWERS] = encode_answers(model_answers)
    return made


def answers_in_notebooks(lab_folder: Path, pattern: str = "notebooks/*.ipynb") -> Iterator[ModelAnswer]:
    """Yield the model answers in the notebooks of a lab, or in those that match ``pattern``; only notebooks with solutions have some."""
    for path in sorted(lab_folder.glob(pattern)):
        cells, name = read_cells(path), path.relative_to(lab_folder).as_posix()
        yield from answers_of_notebook(cells, exercises_of_cells({"cells": cells}), name)


def _released_answers(
    notebook: Notebook, registry: Registry, assigned: Collection[str], name: str
) -> Iterator[ModelAnswer]:
    """Yield the model answers that students may read after writing their own: all except derivations, which are solutions."""
    for answer in answers_of_notebook(notebook["cells"], exercises_of_cells(notebook), name):
        if answer.exercise in assigned:
            if registry[answer.exercise].kind == "derivation" and "derivation" in answer.question:
                continue  # The other questions of such an exercise are ordinary questions.
            yield answer


def solved_files(reference: Path) -> Files:
    """Return all files of the lab for an instructor: with solutions, without markers, and without the outputs of notebooks."""
    made: Files = {}
    files = reference_files(reference)
    registry = Registry.read(reference / FILE)
    for name, content in files.items():
        if name.parts[0] == "notebooks" and name.suffix == ".py" and name.with_suffix(".ipynb") in files:
            continue
        if name.suffix == ".ipynb":
            made[name] = notebook_bytes(student_notebook(json.loads(content), registry, (), str(name)))
        elif name.suffix == ".py" and FOLDER not in name.parents:
            made[name] = student_source(content.decode(), registry, (), str(name)).encode()
        else:
            made[name] = content
    return made


def student_source(source: str, registry: Registry, assigned: Collection[str], name: str) -> str:
    """Return a source text with stubs for the assigned exercises, and with the other solutions without markers."""
    keep = set(registry.ids) - set(assigned)
    return replace_with_stubs(
        source, lambda solution: stub_text(registry[solution.exercise], solution), name, keep, registry.ids
    )


def stub_text(exercise: Exercise, solution: Solution) -> str:
    """Return the stub that replaces a solution."""
    return stub(exercise.id, exercise.title, exercise.stub_task(solution.function), solution.n_lines)


def student_notebook(notebook: Notebook, registry: Registry, assigned: Collection[str], name: str) -> Notebook:
    """Return a copy of a notebook without outputs and without the model answers to the assigned exercises.

    A model answer is a markdown cell that is tagged ``solution``. One that belongs to no exercise is removed for every student. A solution
    in code is an error, because it belongs in a file of the exercise.
    """
    made = _without_outputs(notebook)
    cells = []
    for number, (cell, id) in enumerate(zip(made["cells"], exercises_of_cells(made), strict=True), 1):
        is_solution = "solution" in cell.get("metadata", {}).get("tags", [])
        if cell["cell_type"] == "code" and (is_solution or LIKELY_MARKER.search(cell_source(cell))):
            raise MarkerError(
                f"{name}, cell {number}: this code is marked as a solution; expected solutions in Python files only"
            )
        if is_solution and (id in assigned or (assigned and id not in registry)):
            continue
        cells.append(cell)
    made["cells"] = cells
    return made


def exercises_of_cells(notebook: Notebook) -> list[str | None]:
    """Return for each cell of a notebook its exercise: from a tag such as ``exercise-1.4``, otherwise from the heading above it.

    An exercise begins with a heading ``## Exercise 1.4: …`` and ends at the next heading that is not of a deeper level.
    """
    found: list[str | None] = []
    current, depth = None, 0
    for cell in notebook["cells"]:
        for heading in HEADING.finditer(cell_source(cell)) if cell["cell_type"] == "markdown" else ():
            level, id = len(heading["marks"]), heading["id"]
            if id or level <= depth:
                current, depth = id, level
        tags = cell.get("metadata", {}).get("tags", [])
        tagged = next((tag.removeprefix("exercise-") for tag in tags if tag.startswith("exercise-")), None)
        found.append(tagged or current)
    return found


def notebook_bytes(notebook: Notebook) -> bytes:
    """Return a notebook in the format of Jupyter."""
    return (json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


@functools.lru_cache(maxsize=64)  # A command makes the starter files several times.
def without_hidden_checks(source: str, name: str) -> str | None:
    """Return a check file without the parts that run only at grading; None if nothing else is in it.

    Top-level functions and classes that are marked ``@pytest.mark.hidden`` are removed, with the comments directly above them.
    For a file in which ``pytestmark`` contains ``pytest.mark.hidden``, return None.

    Examples
    --------
    >>> print(without_hidden_checks('''import pytest
    ...
    ... def test_one(lab): pass
    ...
    ... @pytest.mark.hidden
    ... def test_two(lab): pass
    ... ''', "test_1_01_x.py"))
    import pytest
    <BLANKLINE>
    def test_one(lab): pass
    <BLANKLINE>
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise InputError(f"{name}:{error.lineno}: {describe_syntax_error(error)}") from error
    lines = source.split("\n")
    cuts: list[tuple[int, int]] = []
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and any(getattr(target, "id", "") == "pytestmark" for target in node.targets)
            and any(_is_hidden_mark(part) for part in ast.walk(node.value))
        ):
            return None
        decorators = node.decorator_list if isinstance(node, Definition) else []
        if any(map(_is_hidden_mark, decorators)):
            begin = first_line(node) - 1
            while begin and lines[begin - 1].strip().startswith("#"):
                begin -= 1
            while begin and not lines[begin - 1].strip():
                begin -= 1
            cuts.append((begin, node.end_lineno or node.lineno))
    for begin, end in sorted(cuts, reverse=True):
        del lines[begin:end]
    left = "\n".join(lines).rstrip("\n") + "\n"
    if "mark.hidden" in left:
        raise InputError(
            f"{name}: pytest.mark.hidden is used in a way that cannot be taken out; mark a function or a class at the top."
        )
    if cuts and not any(getattr(node, "name", "").lower().startswith("test") for node in ast.parse(left).body):
        return None
    return left


def _is_hidden_mark(node: ast.AST) -> bool:
    return ast.unparse(node) in ("pytest.mark.hidden", "pytest.mark.hidden()") if isinstance(node, ast.expr) else False


def _without_outputs(notebook: Notebook) -> Notebook:
    made: Notebook = json.loads(json.dumps(notebook))
    made.get("metadata", {}).pop("jupytext", None)
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return made
