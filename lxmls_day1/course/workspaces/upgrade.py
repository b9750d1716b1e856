"""A workspace that an older version of the package has made, brought up to the installed one.

What was given is renewed, what the student has written is kept: a file in which only the functions of its exercises were
edited becomes the new file with these functions in it. One in which more was edited, and an edited notebook, stays as it is;
the new one stands beside the backup. What has the folder of a topic by now moves into it. What was replaced is kept, and ``undo``
brings it back.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from lxmls_day1.base.lazy_names import read_stub
from lxmls_day1.course.registry import FILE, Exercise, Registry
from lxmls_day1.course.source_functions import function_lines, replace_function
from lxmls_day1.course.workspace_state import Backup, GivenFile, WorkspaceState, is_unchanged, locked, text_digest
from lxmls_day1.course.workspaces.editor_files import TASKS, task_file
from lxmls_day1.course.workspaces.generation import Files, student_files
from lxmls_day1.course.workspaces.lab_parts import exercises_named, part_of, with_prerequisites
from lxmls_day1.course.workspaces.solve_reset_undo import replace_and_keep, with_line_ends_of
from lxmls_day1.course.workspaces.workspace import IGNORED, origin_of, text_around, workspace_folder
from lxmls_day1.lab import PACKAGES, reference_folder
from lxmls_day1.library_path import file_in, present_name

_PACKAGE = Path(__file__).parents[2]
# An import of this package, in a file or in a cell of a notebook. A list in parentheses may take several lines.
_IMPORT = re.compile(
    r"^(\s*\"?[ \t]*)from lxmls_day1\.([\w.]+) import (\([\w,\s]+\)|\w++(?:[ ]*,[ ]*\w++)*+)(?![ ]+as\b)", re.MULTILINE
)
_CALL = re.compile(r"\s+(\w+)(?:\.\w+)*\(.*\)\s*$")  # one that stands alone on its line


@dataclass(frozen=True)
class Renewed:
    """What `update` did, as paths in the workspace.

    Attributes
    ----------
    files : tuple of str
        What was renewed, put back or added.
    edited : tuple of str
        Those among them that were given and had been edited all the same.
    removed : tuple of str
        What is no longer given, or has the folder of a topic by now.
    kept : tuple of str
        The student's, which stay as they are although there is a new version of them.
    place : str
        Where the old files are, and the new versions of the kept ones; empty if all was up to date.
    """

    files: tuple[str, ...]
    edited: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    place: str


def add(folder: Path, names: Collection[str]) -> list[Exercise]:
    """Bring further exercises into a workspace, with what they need; the given files are renewed as `update` does.

    Parameters
    ----------
    folder : Path
        A workspace.
    names : collection of str
        Notebooks or exercises, as `exercises_named` reads them; all exercises without any.

    Returns
    -------
    list of Exercise
        Those that were not there before.

    Raises
    ------
    InputError
        If there is no such notebook or exercise, or it is the reference lab.
    """
    workspace_folder(folder, "add")
    before, reference = Registry.of(folder), Registry.read(reference_folder() / FILE)
    update(folder, exercises_named(names, reference) if names else reference.ids)
    return [exercise for exercise in Registry.of(folder) if exercise.id not in before]


def update(folder: Path, more: Collection[str] = ()) -> Renewed:
    """Renew the given files of a workspace from the installed package, and keep what the student has written.

    Parameters
    ----------
    folder : Path
        A workspace.
    more : collection of str
        Exercises that are to be in it from now on, if it has some of them only.

    Raises
    ------
    InputError
        If it is the reference lab.
    OSError
        If the workspace cannot be written to; then nothing is changed.
    """
    workspace_folder(folder, "update")
    files = _files_for(folder, more)
    with locked(folder):
        state = WorkspaceState.of(folder)
        known = state.origin.files
        at_first = state.origin.exercises or Registry.of(folder).assigned  # what is added is no part of it
        origin = replace(origin_of(files), exercises=at_first)
        new: dict[str, bytes] = {}
        aside: dict[str, bytes] = {}
        edited, moved = [], []
        for name, content in ((str(path), content) for path, content in files.items()):
            was = file_in(folder, name)
            path, given = folder / was, known.get(was)
            before = path.read_bytes() if path.is_file() else None
            if was == name and before is not None and is_unchanged(name, before, origin.files[name].digest):
                continue
            theirs = name.endswith(".ipynb") or name == str(TASKS) or bool(origin.files[name].functions)
            if before is None or (given and is_unchanged(name, before, given.digest)):
                new[name] = content
            elif was == name and theirs and given and is_unchanged(name, content, given.digest):
                continue  # there is no new version of it
            elif origin.files[name].functions:
                merged = _with_own_functions(before, content, given)
                if merged is None:
                    aside[name] = content
                    new |= _with_present_imports(name, before)
                elif not is_unchanged(name, before, text_digest(merged)):
                    new[name] = merged
            elif theirs:
                aside[name] = content
                new |= _with_present_imports(name, before)
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
            if path.is_file() and PurePosixPath(name) not in files and name not in known:  # the student's own
                new |= _with_present_imports(name, path.read_bytes())
        if not (folder / ".gitignore").exists():
            new[".gitignore"] = IGNORED.encode()
        removed = moved + [
            name
            for name, given in known.items()
            if PurePosixPath(name) not in files
            and name not in moved
            and (folder / name).is_file()
            and is_unchanged(name, (folder / name).read_bytes(), given.digest)
        ]
        backup = Backup("update", "", {}, {}, False, state.origin)
        state.origin = origin
        place = ""
        if new or aside or removed:
            place = replace_and_keep(folder, state, backup, new, removed, aside)
        else:
            state.save()
    return Renewed(tuple(new), tuple(edited), tuple(removed), tuple(aside), place)


def _files_for(folder: Path, more: Collection[str]) -> Files:
    """What a workspace would be given now, with the same exercises to be solved, and some more."""
    own, reference = Registry.of(folder), Registry.read(reference_folder() / FILE)
    assigned: Collection[str] | None = None
    if own.assigned != own.ids:
        assigned = [id for id in reference.ids if id in own.assigned or (id in more and id not in own)]
    files = student_files(reference_folder(), assigned)
    if own.is_part:
        here = [id for id in reference.ids if id in own or id in more]
        files = part_of(files, with_prerequisites(here, reference), reference)
    files = {name: content for name, content in files.items() if name.parts[0] in (*PACKAGES, "notebooks", "tests")}
    if str(TASKS) in WorkspaceState.of(folder).origin.files and (folder / TASKS).is_file():  # else nobody wants it
        files[TASKS] = task_file()
    return files


def _with_own_functions(before: bytes, content: bytes, given: GivenFile | None) -> bytes | None:
    """A new file with the student's functions in it; None if more of the old one was edited, or nobody knows."""
    try:
        source, text = before.decode("utf-8-sig").replace("\r\n", "\n"), content.decode()
    except UnicodeDecodeError:
        return None
    if given is None or text_around(source, given.functions) != given.around:
        return None
    return _with_functions(text, source, given.functions)


def _with_present_imports(name: str, before: bytes) -> dict[str, bytes]:
    """Return a student's file, by its name, with its imports of this package as they are today; nothing if they are so already."""
    promised = {place: name for name, place in read_stub(_PACKAGE / "lab_api.pyi").items()}

    def present_import(match: re.Match[str]) -> str:
        module = f"lxmls_day1.{present_name(match[2])}"
        names = re.findall(r"\w+", match[3])
        if all((module, name) in promised for name in names):
            return f"{match[1]}from lxmls_day1.lab_api import {', '.join(promised[module, name] for name in names)}"
        return f"{match[1]}from {module} import {match[3]}"

    try:
        after = _IMPORT.sub(present_import, before.decode()).encode()
    except UnicodeDecodeError:  # the file is in another encoding; it stays as it is
        return {}
    return {} if after == before else {name: after}


def of_today(before: bytes, content: bytes) -> bytes | None:
    """A student's file of an older workspace as today's, with the functions of its exercises; None if it needs no such thing.

    It does where it imports something of this package that is not there any more. What else was written in it is left out.

    Parameters
    ----------
    before, content : bytes
        The student's file, and what is given out today.
    """
    try:
        source, text = before.decode("utf-8-sig").replace("\r\n", "\n"), content.decode()
        if not _imports_what_is_gone(source):
            return None
        functions = origin_of({PurePosixPath("classifiers/any.py"): content}).files["classifiers/any.py"].functions
        return _with_functions(text, source, functions) if functions else None
    except (UnicodeDecodeError, RecursionError, MemoryError):
        return None


def _imports_what_is_gone(source: str) -> bool:
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


def _with_functions(text: str, source: str, functions: Iterable[str]) -> bytes | None:
    """Today's text with the functions of an older source in it; None if one is not there.

    A line of them that only calls what the older file imports of this package, and today's does not, is left out: such given
    lines check arguments, and today's file checks them elsewhere.
    """
    imported = {name for *_, names in _IMPORT.findall(source) for name in re.findall(r"\w+", names)}
    gone = imported.difference(re.findall(r"\w+", text))
    for function in functions:
        place = function_lines(source, function)
        if place is None:
            return None
        lines = [line for line in source.split("\n")[place] if not ((call := _CALL.match(line)) and call[1] in gone)]
        merged = replace_function(text, function, "\n".join(lines))
        if merged is None:
            return None
        text = merged
    return text.encode()
