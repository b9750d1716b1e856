"""Update a workspace from an older version of the package to the installed version.

Starter files are replaced by their new versions, and the student's own code stays. If only the functions of the exercises were edited in a
file, it becomes the new file with these functions. A file with further edits and an edited notebook stay as they are, and the new version
is saved next to the backup. Files that now belong in a topic folder are moved there. Replaced files are saved, and ``undo`` restores them.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from lxmls_day1.base.lazy_names import read_stub
from lxmls_day1.course.registry import FILE, RECORDED, Exercise, Registry
from lxmls_day1.course.source_functions import function_lines, replace_function
from lxmls_day1.course.workspace_state import Backup, StarterFile, WorkspaceState, is_unchanged, lock_state, text_digest
from lxmls_day1.course.workspaces.editor_files import TASKS, task_file
from lxmls_day1.course.workspaces.generation import Files, student_files
from lxmls_day1.course.workspaces.lab_parts import files_for_exercises, resolve_exercises, with_prerequisites
from lxmls_day1.course.workspaces.solve_reset_undo import replace_and_backup, with_line_ends_of
from lxmls_day1.course.workspaces.workspace import IGNORED, digest_outside, record_origin, workspace_folder
from lxmls_day1.lab import PACKAGES, reference_folder
from lxmls_day1.library_path import find_lab_file, present_name

_PACKAGE = Path(__file__).parents[2]
# An import of this package, in a file or in a notebook's cell. A list in parentheses may span several lines.
_IMPORT = re.compile(
    r"^(\s*\"?[ \t]*)from lxmls_day1\.([\w.]+) import (\([\w,\s]+\)|\w++(?:[ ]*,[ ]*\w++)*+)(?![ ]+as\b)", re.MULTILINE
)
_LONE_CALL = re.compile(r"\s+(\w+)(?:\.\w+)*\(.*\)\s*$")  # a call that is alone on its line


@dataclass(frozen=True)
class UpdateResult:
    """The result of `update`, as paths in the workspace.

    Attributes
    ----------
    files : tuple of str
        Files that were replaced by new versions, restored or added.
    edited : tuple of str
        The starter files among them that the student had edited although no exercise asks for it.
    removed : tuple of str
        Files that are no longer starter files, or were moved into a topic folder.
    unchanged : tuple of str
        The student's files that stay as they are although there is a new version.
    backup_folder : str
        The folder with the old files and with the new versions of the files in ``unchanged``; empty if everything was up to date.
    """

    files: tuple[str, ...]
    edited: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    backup_folder: str


def add(folder: Path, names: Collection[str]) -> list[Exercise]:
    """Add exercises to a workspace, with the files that they need; starter files are updated as by `update`.

    Parameters
    ----------
    folder : Path
        A workspace.
    names : collection of str
        Notebooks or exercises, as for `resolve_exercises`. If empty, all exercises.

    Returns
    -------
    list of Exercise
        The added exercises.

    Raises
    ------
    InputError
        If a notebook or an exercise does not exist, or the folder is the reference lab.
    """
    workspace_folder(folder, "add")
    before, reference = Registry.from_folder(folder), Registry.read(reference_folder() / FILE)
    update(folder, resolve_exercises(names, reference) if names else reference.ids)
    return [exercise for exercise in Registry.from_folder(folder) if exercise.id not in before]


def update(folder: Path, added: Collection[str] = ()) -> UpdateResult:
    """Update the starter files of a workspace to the installed package, but keep the student's code.

    Parameters
    ----------
    folder : Path
        A workspace.
    added : collection of str
        Exercises to add, if the workspace has only some of the exercises.

    Raises
    ------
    InputError
        If it is the reference lab.
    OSError
        If the workspace cannot be written to; then nothing is changed.
    """
    workspace_folder(folder, "update")
    files = _files_for(folder, added)
    with lock_state(folder):
        state = WorkspaceState.from_folder(folder)
        known = state.origin.files
        # Exercises that were added later are not part of the origin.
        at_first = state.origin.exercises or Registry.from_folder(folder).assigned
        origin = replace(record_origin(files), exercises=at_first)
        new: dict[str, bytes] = {}
        aside: dict[str, bytes] = {}
        edited, moved = [], []
        for name, content in ((str(path), content) for path, content in files.items()):
            was = find_lab_file(folder, name)
            path, given = folder / was, known.get(was)
            before = path.read_bytes() if path.is_file() else None
            if was == name and before is not None and is_unchanged(name, before, origin.files[name].digest):
                continue
            theirs = name.endswith(".ipynb") or name == str(TASKS) or bool(origin.files[name].functions)
            if before is None or (given and is_unchanged(name, before, given.digest)):
                new[name] = content
            elif was == name and theirs and given and is_unchanged(name, content, given.digest):
                continue  # The file has no new version.
            elif theirs:
                merged = _merge_own_functions(before, content, given) if origin.files[name].functions else None
                if merged is None:
                    aside[name] = content
                    new |= _update_imports(name, before)
                elif not is_unchanged(name, before, text_digest(merged)):
                    new[name] = merged
            else:
                new[name] = content
                edited += [name] * (given is not None)
            if name in new and name.endswith((".py", ".toml", ".md", ".json")):
                new[name] = with_line_ends_of(before, new[name].decode())
            if before is not None and was != name:
                new.setdefault(name, before)
                moved.append(was)
        for path in [path for part in ("*.py", "readers/**/*.py", "classifiers/**/*.py") for path in folder.glob(part)]:
            name = path.relative_to(folder).as_posix()
            if path.is_file() and PurePosixPath(name) not in files and name not in known:  # the student's own file
                new |= _update_imports(name, path.read_bytes())
        if not (folder / ".gitignore").exists():
            new[".gitignore"] = IGNORED.encode()
        dropped = [name for name in known if PurePosixPath(name) not in files and name not in moved]
        left = {name: (folder / name).read_bytes() for name in dropped if (folder / name).is_file()}
        removed = moved + [name for name, old in left.items() if is_unchanged(name, old, known[name].digest)]
        backup = Backup("update", "", {}, {}, False, state.origin)
        state.origin = origin
        place = ""
        if new or aside or removed:
            place = replace_and_backup(folder, state, backup, new, removed, aside)
        else:
            state.save()
    return UpdateResult(tuple(new), tuple(edited), tuple(removed), tuple(aside), place)


def _files_for(folder: Path, added: Collection[str]) -> Files:
    """Return the starter files that a workspace would get now, with the same exercises to be solved and some more."""
    reference = Registry.read(reference_folder() / FILE)
    own = _own_registry(folder, reference)
    assigned: Collection[str] | None = None
    if own.assigned != own.ids:
        assigned = [id for id in reference.ids if id in own.assigned or (id in added and id not in own)]
    files = student_files(reference_folder(), assigned)
    if own.is_part:
        here = [id for id in reference.ids if id in own or id in added]
        files = files_for_exercises(files, with_prerequisites(here, reference), reference)
    files = {name: content for name, content in files.items() if name.parts[0] in (*PACKAGES, "notebooks", "tests")}
    was_given = str(TASKS) in WorkspaceState.from_folder(folder).origin.files
    if was_given and (folder / TASKS).is_file():  # A student who deleted it does not want it.
        files[TASKS] = task_file()
    return files


def _own_registry(folder: Path, reference: Registry) -> Registry:
    """Return the exercises of a workspace; if their file was deleted, those of which the record of starter files has traces."""
    origin = WorkspaceState.from_folder(folder).origin
    if (folder / FILE).is_file() or str(FILE) not in origin.files:
        return Registry.from_folder(folder)
    traces = {one.id: str(RECORDED / f"{one.id}.json") if one.has_code else one.notebook for one in reference}
    here = [one for one in reference if one.id in origin.exercises or traces[one.id] in origin.files]
    # An exercise that was added later is not in `exercises`, but its file was given with a stub.
    assigned = [one.id for one in here if one.id in origin.exercises or any(map(origin.functions_in, one.files))]
    return Registry(here, assigned, is_part=len(here) < len(reference))


def _merge_own_functions(before: bytes, content: bytes, given: StarterFile | None) -> bytes | None:
    """Return a new file with the student's functions; None if other lines of the old file were edited, or it is not known."""
    try:
        source, text = before.decode("utf-8-sig").replace("\r\n", "\n"), content.decode()
    except UnicodeDecodeError:
        return None
    if given is None or digest_outside(source, given.functions) != given.around:
        return None
    return _put_functions(text, source, given.functions)


def _update_imports(name: str, before: bytes) -> dict[str, bytes]:
    """Return a student's file with its imports of this package updated, as a dictionary with its name; empty if nothing changes."""
    promised = {place: name for name, place in read_stub(_PACKAGE / "lab_api.pyi").items()}

    def present_import(match: re.Match[str]) -> str:
        module = f"lxmls_day1.{present_name(match[2])}"
        names = re.findall(r"\w+", match[3])
        if all((module, name) in promised for name in names):
            return f"{match[1]}from lxmls_day1.lab_api import {', '.join(promised[module, name] for name in names)}"
        return f"{match[1]}from {module} import {match[3]}"

    try:
        after = _IMPORT.sub(present_import, before.decode()).encode()
    except UnicodeDecodeError:  # A file in another encoding stays as it is.
        return {}
    return {} if after == before else {name: after}


def migrate_source(before: bytes, content: bytes) -> bytes | None:
    """Return the current version of a starter file with the student's functions, if the student's older file imports removed names.

    Otherwise return None. Other code of the student in the file is left out.

    Parameters
    ----------
    before, content : bytes
        The student's file, and the current starter file.
    """
    try:
        source, text = before.decode("utf-8-sig").replace("\r\n", "\n"), content.decode()
        if not _has_broken_imports(source):
            return None
        functions = record_origin({PurePosixPath("classifiers/any.py"): content}).files["classifiers/any.py"].functions
        return _put_functions(text, source, functions) if functions else None
    except (UnicodeDecodeError, RecursionError, MemoryError):
        return None


def _has_broken_imports(source: str) -> bool:
    for _, module, names in _IMPORT.findall(source):
        path = _PACKAGE.joinpath(*present_name(module).split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not file.is_file():
            return True
        texts = [part.read_text(encoding="utf-8") for part in (file, file.with_suffix(".pyi")) if part.is_file()]
        there = set(re.findall(r"\w+", " ".join(texts))) | {entry.stem for entry in path.glob("*")}
        if not there.issuperset(re.findall(r"\w+", names)):
            return True
    return False


def _put_functions(text: str, source: str, functions: Iterable[str]) -> bytes | None:
    """Return the new text with the functions of an older source; None if one of them is missing.

    In these functions a line is left out if it only calls a name that the older file imports from this package and the new file lacks. Such
    lines of the starter file check arguments, and the new file checks them elsewhere.
    """
    imported = {name for *_, names in _IMPORT.findall(source) for name in re.findall(r"\w+", names)}
    gone = imported.difference(re.findall(r"\w+", text))
    for function in functions:
        place = function_lines(source, function)
        if place is None:
            return None
        lines = source.split("\n")[place]
        lines = [line for line in lines if not ((call := _LONE_CALL.match(line)) and call[1] in gone)]
        merged = replace_function(text, function, "\n".join(lines))
        if merged is None:
            return None
        text = merged
    return text.encode()
