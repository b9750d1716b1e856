"""A part of a lab: some of its exercises, with the files that a student reads and writes for them.

Everything else is imported from the reference lab in the package (`lxmls_day1.library_path.ReferenceFallbackFinder`).
"""

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath

from lxmls_day1.base.errors import InputError, did_you_mean
from lxmls_day1.course.registry import FILE, FOLDER, RECORDED, Exercise, Registry, exercise_of_check
from lxmls_day1.course.workspaces.generation import Files
from lxmls_day1.lab import PACKAGES

IS_PART = "is_part = true  # `lxmls-day1 add` brings other exercises\n\n"
_READER = re.compile(r"from readers\.(\w+) import")


def core_exercises(registry: Registry) -> list[str]:
    """Return the exercises with which a workspace begins: the core, or all exercises of a lab without a core."""
    return [exercise.id for exercise in registry if exercise.is_core] or list(registry.ids)


def with_prerequisites(ids: Iterable[str], registry: Registry) -> list[str]:
    """Return these exercises and their prerequisites, in the order of the registry."""
    selected = set(ids)
    for exercise in reversed(list(registry)):  # prerequisites come before the exercise
        if exercise.id in selected:
            selected |= set(exercise.prerequisites)
    return [id for id in registry.ids if id in selected]


def resolve_exercises(names: Iterable[str], registry: Registry) -> list[str]:
    """Return the exercises named by notebooks or exercises, such as ``5_structured``, ``5``, ``1.13``.

    Raises
    ------
    InputError
        If a notebook or an exercise does not exist.
    """
    found: list[str] = []
    for name in names:
        stem = PurePosixPath(name.replace("\\", "/")).name.removesuffix(".ipynb")
        of_it = [e.id for e in registry if stem in (e.id, e.notebook_name, e.notebook_name.partition("_")[0])]
        if not of_it:
            notebooks = dict.fromkeys(exercise.notebook_name for exercise in registry)
            close = did_you_mean(stem, notebooks, order="their order")
            raise InputError(f"there is no notebook or exercise {name!r}{close}")
        found += of_it
    return with_prerequisites(found, registry)


def files_for_exercises(files: Files, ids: Collection[str], registry: Registry) -> Files:
    """Return the files of a lab that some exercises need.

    Parameters
    ----------
    files : dict from path to content
        The files for students: `student_files`.
    ids : collection of str
        The exercises, with their prerequisites.
    registry : Registry
        All exercises.

    Returns
    -------
    dict from path to content
        The files of the exercises, those of the base classes in them, the checks, the notebooks, and the readers that the notebooks import.
    """
    if set(ids) == set(registry.ids):
        return files
    exercises = registry.select(ids)
    needed = {PurePosixPath(package, "__init__.py") for package in PACKAGES}
    needed |= {PurePosixPath(name) for exercise in exercises for name in (*exercise.files, exercise.notebook)}
    needed |= set(_base_class_files(needed, files))
    needed |= {path for exercise in exercises for path in _reader_files(exercise, files)}
    needed |= {path.with_name("__init__.py") for path in needed if path.suffix == ".py"}
    part = {}
    for path, content in files.items():
        if path == FILE:
            part[path] = IS_PART.encode() + _select_tables(content.decode(), ids).encode()
        elif (FOLDER in path.parents and _exercise_of(path) in (None, *ids)) or path in needed or path.suffix == ".md":
            part[path] = content
    return part


def _exercise_of(path: PurePosixPath) -> str | None:
    """Return the exercise to which a check file or a file of recorded answers belongs."""
    return path.stem if path.parent == RECORDED else exercise_of_check(path.name)


def _select_tables(text: str, ids: Collection[str]) -> str:
    """Return the text of ``exercises.toml`` with only the tables of these exercises."""
    head, *tables = re.split(r"^(?=\[\[exercise\]\])", text, flags=re.MULTILINE)
    kept = [table for table in tables if re.search(r'^id = "(.*)"$', table, re.MULTILINE)[1] in ids]  # type: ignore[index]
    assigned = re.compile(r"^assigned = (.*\])", re.MULTILINE)
    head = assigned.sub(
        lambda found: f"assigned = {json.dumps([id for id in json.loads(found[1]) if id in ids])}", head
    )
    return head + "".join(kept)


def _base_class_files(paths: Iterable[PurePosixPath], files: Files) -> Iterator[PurePosixPath]:
    """Yield the files of all base classes of the classes in some files, recursively."""
    for path in paths:
        if path.suffix != ".py":
            continue
        tree = ast.parse(files[path])
        bases = [base for node in tree.body if isinstance(node, ast.ClassDef) for base in node.bases]
        derived = {base.id for base in bases if isinstance(base, ast.Name)}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module and derived & {alias.name for alias in node.names}:
                base = PurePosixPath(*node.module.split(".")).with_suffix(".py")
                if base in files:
                    yield base
                    yield from _base_class_files([base], files)


def _reader_files(exercise: Exercise, files: Files) -> Iterator[PurePosixPath]:
    """Return the readers that the notebook of an exercise imports."""
    notebook = files[PurePosixPath(exercise.notebook)].decode()
    return (PurePosixPath("readers", f"{name}.py") for name in _READER.findall(notebook))
