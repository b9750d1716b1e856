"""A student's work in one zip file: gathered and packed to be handed in, or opened in a workspace again.

It is opened on another machine, in another browser, or after an accident. What the student has explained after named mistakes goes along
as ``explanations.json``.
"""

import ast
import hashlib
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import lxmls_day1
from lxmls_day1.base.errors import InputError, check_path
from lxmls_day1.course.diagnosis.answer_shapes import shortened
from lxmls_day1.course.explanations import FILE as EXPLANATIONS
from lxmls_day1.course.explanations import merged, packed, unpacked
from lxmls_day1.course.markers import cell_source
from lxmls_day1.course.registry import Exercise, Registry
from lxmls_day1.course.workspace_state import Backup, WorkspaceState, locked
from lxmls_day1.course.workspaces.archives import zipped
from lxmls_day1.course.workspaces.generation import LEFT_BEHIND, Files
from lxmls_day1.course.workspaces.progress import status_of
from lxmls_day1.course.workspaces.solve_reset_undo import Replaced, replace_and_keep
from lxmls_day1.course.workspaces.upgrade import update
from lxmls_day1.course.workspaces.workspace import workspace_folder
from lxmls_day1.lab import PACKAGES, Lab, reference_folder, why_not_python
from lxmls_day1.library_path import file_in

SUBMISSION = "submission.json"
LARGEST_FILE = 20_000_000
LARGEST_PACKED = 100_000_000  # bytes, of the file and of all that it unpacks to
MOST_FILES = 2000
MOST_PARTS, LONGEST_NAME = 20, 255  # of one path: folders and the name; bytes in UTF-8
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


@dataclass(frozen=True)
class SubmissionFiles:
    """What would be handed in.

    Attributes
    ----------
    files : dict from path to content
    missing : tuple of str
        Sentences about what must be put right first.
    unsolved : tuple of str
        The exercises that are not done, as `lxmls_day1.course.workspaces.progress` counts: still a stub, failing, or unanswered.
    unchecked : tuple of str
        Those that were not checked since their last edit.
    practised : tuple of str
        Those of the unsolved that ``check --again`` has made blank, although they were solved.
    """

    files: Files
    missing: tuple[str, ...]
    unsolved: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    practised: tuple[str, ...] = ()


def collect_submission(folder: Path) -> SubmissionFiles:
    """Gather what is handed in, and look whether everything is there.

    Parameters
    ----------
    folder : Path
        A workspace.
    """
    folder = Lab(folder).folder
    registry = Registry.of(folder)
    files: Files = {}
    for part in (*PACKAGES, "notebooks"):
        for path in sorted((folder / part).rglob("*")):
            name = PurePosixPath(path.relative_to(folder).as_posix())
            if _is_work(name) and path.is_file() and not path.is_symlink():
                files[name] = path.read_bytes()
    exercises = registry.select(None)
    expected = dict.fromkeys([name for exercise in exercises for name in (*exercise.files, exercise.notebook)])
    missing = [
        f"{name} is not there; {_puts_back(name, exercises)} puts it back."
        for name in expected
        if PurePosixPath(name) not in files
    ]
    for name, content in files.items():
        if len(content) > LARGEST_FILE:
            missing.append(f"{name} is too large ({len(content) / 1e6:.0f} MB); clear its outputs.")
        elif name.suffix == ".ipynb":
            try:
                for cell in json.loads(content)["cells"]:
                    cell_source(cell)
            except (ValueError, KeyError, TypeError):
                missing.append(f"{name} is not a notebook.")
        else:
            try:
                ast.parse(content.decode("utf-8-sig"))
            except (SyntaxError, ValueError) as error:
                line = getattr(error, "lineno", None)
                missing.append(f"{name}{f':{line}' if line else ''}: {why_not_python(error)}")
    left = [standing for standing in status_of(folder).counted if not standing.done]
    unsolved = tuple(standing.exercise.id for standing in left if standing.state != "changed")
    unchecked = tuple(standing.exercise.id for standing in left if standing.state == "changed")
    practised = tuple(standing.exercise.id for standing in left if standing.state == "practised")
    return SubmissionFiles(files, tuple(missing), unsolved, unchecked, practised)


def _puts_back(name: str, exercises: Collection[Exercise]) -> str:
    """The command that puts back a file."""
    owner = next((exercise.id for exercise in exercises if name in exercise.files), None)
    return f"`lxmls-day1 reset {owner}`" if owner else "`lxmls-day1 update`"


def pack_submission(folder: Path, submission: SubmissionFiles, name: str) -> tuple[str, bytes]:
    """The one zip file for the instructor: its name and its content.

    Parameters
    ----------
    folder : Path
    submission : SubmissionFiles
    name : str
        Who hands it in.
    """
    slug = re.sub(r"[^\w]+", "-", name).strip("-_").lower() or "lab"
    manifest = {
        "format": 1,
        "name": name,
        "lxmls_day1": lxmls_day1.__version__,
        "exercises": [*(WorkspaceState.of(folder).origin.exercises or Registry.of(folder).assigned)],
        "unsolved": [*submission.unsolved, *submission.unchecked],
        "files": {str(path): hashlib.sha256(content).hexdigest() for path, content in submission.files.items()},
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    files = {**submission.files, PurePosixPath(SUBMISSION): text.encode()}
    explanations = WorkspaceState.of(folder).explanations
    if explanations:
        files[EXPLANATIONS] = packed(explanations)
    return f"submission-{slug}.zip", zipped(files, slug)


@dataclass(frozen=True)
class PackedWork:
    """What a packed file holds: the files of a lab, and what was explained in it."""

    files: Files
    explanations: bytes | None


def open_work(folder: Path, path: str | os.PathLike[str]) -> Replaced:
    """Put what was packed into a workspace, and the exercises that it answers if they are not there yet.

    What was there is kept for `undo`; files that are not in it stay.

    Parameters
    ----------
    folder : Path
        A workspace.
    path : path
        What `lxmls-day1 submit` or ``lab.submit()`` has packed.

    Returns
    -------
    Replaced
        Its ``files`` are those that were written; none if all were the same.

    Raises
    ------
    InputError
        If the file is not there, is not one that was packed so, is damaged or far too large, or `folder` is the reference lab.
    OSError
        If the workspace cannot be written to; then nothing is changed.
    """
    workspace_folder(folder, "open_work")
    work = read_packed(path)
    files = {file_in(reference_folder(), str(name)): content for name, content in work.files.items()}
    if more := [e.id for e in Registry.of(folder).elsewhere() if any(name in files for name in e.files)]:
        update(folder, more)
    registry = Registry.of(folder)
    with locked(folder):
        state = WorkspaceState.of(folder)
        if work.explanations is not None:
            state.explanations = merged(state.explanations, unpacked(work.explanations, registry.ids))
        own = {file_in(folder, name): content for name, content in files.items()}
        new = {
            name: content
            for name, content in own.items()
            if not (folder / name).is_file() or (folder / name).read_bytes() != content
        }
        if new:
            replace_and_keep(folder, state, Backup("open_work", "", {}, {}, False), new)
        else:
            state.save()
    return Replaced("open_work", tuple(new))


def read_packed(path: str | os.PathLike[str]) -> PackedWork:
    """Read what was packed into memory. Errors are those of `open_work`.

    Parameters
    ----------
    path : path
    """
    file = check_path("path", path)
    try:
        size = file.stat().st_size
        if size > LARGEST_PACKED:
            raise InputError(
                f"{file} is {size / 1e6:.0f} MB large, and packed work is at most {LARGEST_PACKED / 1e6:.0f} MB; "
                "choose the zip file that `submit` has made."
            )
        content = file.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise InputError(f"there is no file {file}; name the zip file that `submit` has made.") from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _unpacked(archive, file)
    except _DAMAGED as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{file} is not a zip file, or is damaged ({error}); nothing was changed. Choose the file that `submit` has made."
        ) from None


def _unpacked(archive: zipfile.ZipFile, file: Path) -> PackedWork:
    manifests = [name for name in archive.namelist() if PurePosixPath(name).name == SUBMISSION]
    if not manifests:
        raise InputError(f"{file} was not packed by `submit`: it holds no {SUBMISSION}. Nothing was changed.")
    root = min(map(PurePosixPath, manifests), key=lambda name: len(name.parts)).parent
    files: Files = {}
    explanations, total = None, 0
    for entry in archive.infolist():
        name = PurePosixPath(entry.filename)
        if entry.is_dir() or not name.is_relative_to(root):
            continue
        name = name.relative_to(root)
        if not _is_work(name) and name != EXPLANATIONS:
            continue
        if not str(name).isprintable() or len(name.parts) > MOST_PARTS or len(str(name).encode()) > LONGEST_NAME:
            raise InputError(
                f"{file} holds a name that is not opened here, because it is long, deep in folders or has characters that cannot be "
                f"seen: {shortened(ascii(str(name)), 80)}. Rename the file and pack it again. Nothing was changed."
            )
        with archive.open(entry) as member:
            content = member.read(LARGEST_FILE + 1)
        total += len(content)
        if len(content) > LARGEST_FILE or total > LARGEST_PACKED or len(files) > MOST_FILES:
            raise InputError(
                f"{file} holds more than work that was packed here can: {name} is too much. Nothing was changed."
            )
        if name == EXPLANATIONS:
            explanations = content
        else:
            files[name] = content
    _require_notebooks(files, file)
    return PackedWork(files, explanations)


def _is_work(name: PurePosixPath) -> bool:
    """Whether a path is that of a file that `submit` packs."""
    inside = ".." not in name.parts and len(name.parts) > 1 and name.parts[0] in (*PACKAGES, "notebooks")
    kinds = (".py", ".ipynb") if name.parts[:1] == ("notebooks",) else (".py",)
    return inside and name.suffix in kinds and not LEFT_BEHIND.search(str(name))


def _require_notebooks(files: Files, file: Path) -> None:
    for name, content in files.items():
        if name.suffix == ".ipynb":
            try:
                notebook: Any = json.loads(content)
                notebook["cells"]
            except (ValueError, KeyError, TypeError, RecursionError):
                raise InputError(f"{file} is damaged: {name} in it is not a notebook. Nothing was changed.") from None
