"""A student's work as one zip file: collect and pack it for submission, or open it in a workspace.

It is opened on another machine, in another browser, or after an accident. The student's explanations of named mistakes are included as
``explanations.json``.
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
from lxmls_day1.course.explanations import merge_explanations, pack_explanations, unpack_explanations
from lxmls_day1.course.markers import cell_source
from lxmls_day1.course.registry import Exercise, Registry
from lxmls_day1.course.workspace_state import Backup, WorkspaceState, lock_state
from lxmls_day1.course.workspaces.archives import zipped
from lxmls_day1.course.workspaces.generation import BUILD_ARTIFACTS, Files
from lxmls_day1.course.workspaces.progress import status_of
from lxmls_day1.course.workspaces.solve_reset_undo import ReplaceResult, replace_and_backup
from lxmls_day1.course.workspaces.upgrade import update
from lxmls_day1.course.workspaces.workspace import workspace_folder
from lxmls_day1.lab import PACKAGES, Lab, describe_syntax_error, reference_folder
from lxmls_day1.library_path import find_lab_file

SUBMISSION = "submission.json"
MAX_FILE_BYTES = 20_000_000
MAX_PACKED_BYTES = 100_000_000  # bytes of the file, and of its unpacked content
MAX_FILES = 2000
MAX_PATH_PARTS, MAX_NAME_BYTES = 20, 255  # limits of a path: number of its parts, and bytes in UTF-8
_ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


@dataclass(frozen=True)
class SubmissionFiles:
    """The content of a submission.

    Attributes
    ----------
    files : dict from path to content
    faults : tuple of str
        Sentences about faults that must be corrected first.
    unsolved : tuple of str
        The exercises that are not done according to `lxmls_day1.course.workspaces.progress`: a stub, failing, or unanswered.
    unchecked : tuple of str
        The exercises that were not checked since their last edit.
    practised : tuple of str
        The unsolved exercises that were solved before ``check --again`` has reset them.
    """

    files: Files
    faults: tuple[str, ...]
    unsolved: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    practised: tuple[str, ...] = ()


def collect_submission(folder: Path) -> SubmissionFiles:
    """Collect the files of a submission, and find out whether it is complete.

    Parameters
    ----------
    folder : Path
        A workspace.
    """
    folder = Lab(folder).folder
    registry = Registry.from_folder(folder)
    files: Files = {}
    for part in (*PACKAGES, "notebooks"):
        for path in sorted((folder / part).rglob("*")):
            name = PurePosixPath(path.relative_to(folder).as_posix())
            if _is_submitted_file(name) and path.is_file() and not path.is_symlink():
                files[name] = path.read_bytes()
    exercises = registry.select(None)
    expected = dict.fromkeys([name for exercise in exercises for name in (*exercise.files, exercise.notebook)])
    absent = [name for name in expected if PurePosixPath(name) not in files]
    missing = [f"{name} is not there; {_restore_command(name, exercises)} puts it back." for name in absent]
    for name, content in files.items():
        if len(content) > MAX_FILE_BYTES:
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
                missing.append(f"{name}{f':{line}' if line else ''}: {describe_syntax_error(error)}")
    left = [standing for standing in status_of(folder).relevant if not standing.done]
    unsolved = tuple(standing.exercise.id for standing in left if standing.state != "changed")
    unchecked = tuple(standing.exercise.id for standing in left if standing.state == "changed")
    practised = tuple(standing.exercise.id for standing in left if standing.state == "practised")
    return SubmissionFiles(files, tuple(missing), unsolved, unchecked, practised)


def _restore_command(name: str, exercises: Collection[Exercise]) -> str:
    """Return the command that restores a file."""
    owner = next((exercise.id for exercise in exercises if name in exercise.files), None)
    return f"`lxmls-day1 reset {owner}`" if owner else "`lxmls-day1 update`"


def pack_submission(folder: Path, submission: SubmissionFiles, name: str) -> tuple[str, bytes]:
    """Return the name and the content of the zip file for the instructor.

    Parameters
    ----------
    folder : Path
    submission : SubmissionFiles
    name : str
        The name of the student.
    """
    slug = re.sub(r"[^\w]+", "-", name).strip("-_").lower() or "lab"
    manifest = {
        "format": 1,
        "name": name,
        "lxmls_day1": lxmls_day1.__version__,
        "exercises": [*(WorkspaceState.from_folder(folder).origin.exercises or Registry.from_folder(folder).assigned)],
        "unsolved": [*submission.unsolved, *submission.unchecked],
        "files": {str(path): hashlib.sha256(content).hexdigest() for path, content in submission.files.items()},
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    files = {**submission.files, PurePosixPath(SUBMISSION): text.encode()}
    explanations = WorkspaceState.from_folder(folder).explanations
    if explanations:
        files[EXPLANATIONS] = pack_explanations(explanations)
    return f"submission-{slug}.zip", zipped(files, slug)


def open_work(folder: Path, path: str | os.PathLike[str]) -> ReplaceResult:
    """Put packed work into a workspace, and add the exercises that it solves if the workspace lacks them.

    Replaced files are saved for `undo`; files that are not in the packed work stay.

    Parameters
    ----------
    folder : Path
        A workspace.
    path : path
        A file that `lxmls-day1 submit` or ``lab.submit()`` has packed.

    Returns
    -------
    ReplaceResult
        ``files`` contains the files that were written; it is empty if all files were the same.

    Raises
    ------
    InputError
        If the file does not exist, is not packed work, is damaged or far too large, or if `folder` is the reference lab.
    OSError
        If the workspace cannot be written to; then nothing is changed.
    """
    workspace_folder(folder, "open_work")
    packed = read_packed(path)
    explanations = packed.pop(EXPLANATIONS, None)
    files = {find_lab_file(reference_folder(), str(name)): content for name, content in packed.items()}
    missing = Registry.from_folder(folder).missing_exercises()
    if more := [one.id for one in missing if any(name in files for name in one.files)]:
        update(folder, more)
    registry = Registry.from_folder(folder)
    with lock_state(folder):
        state = WorkspaceState.from_folder(folder)
        if explanations is not None:
            more_of_them = unpack_explanations(explanations, registry.ids)
            state.explanations = merge_explanations(state.explanations, more_of_them)
        own = {find_lab_file(folder, name): content for name, content in files.items()}
        old = {name: (folder / name).read_bytes() for name in own if (folder / name).is_file()}
        new = {name: content for name, content in own.items() if old.get(name) != content}
        if new:
            replace_and_backup(folder, state, Backup("open_work", "", {}, {}, False), new)
        else:
            state.save()
    return ReplaceResult("open_work", tuple(new))


def read_packed(path: str | os.PathLike[str]) -> Files:
    """Read packed work, a zip file that `submit` has made, into memory: files of a lab, and the explanations. For errors see `open_work`.

    Parameters
    ----------
    path : path
    """
    file = check_path("path", path)
    try:
        size = file.stat().st_size
        if size > MAX_PACKED_BYTES:
            raise InputError(
                f"{file} is {size / 1e6:.0f} MB large, and packed work is at most {MAX_PACKED_BYTES / 1e6:.0f} MB; "
                "choose the zip file that `submit` has made."
            )
        content = file.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise InputError(f"there is no file {file}; name the zip file that `submit` has made.") from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _unpacked(archive, file)
    except _ARCHIVE_ERRORS as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{file} is not a zip file, or is damaged ({error}); nothing was changed. Choose the file that `submit` has made."
        ) from None


def _unpacked(archive: zipfile.ZipFile, file: Path) -> Files:
    # Old programs of Windows write paths with backslashes.
    paths = [PurePosixPath(entry.filename.replace("\\", "/")) for entry in archive.infolist()]
    manifests = [path for path in paths if path.name == SUBMISSION]
    if not manifests:
        raise InputError(f"{file} was not packed by `submit`: it holds no {SUBMISSION}. Nothing was changed.")
    root = min(manifests, key=lambda name: len(name.parts)).parent
    files: Files = {}
    total = 0
    for entry, name in zip(archive.infolist(), paths, strict=True):
        if entry.is_dir() or not name.is_relative_to(root):
            continue
        name = name.relative_to(root)
        if not _is_submitted_file(name) and name != EXPLANATIONS:
            continue
        if not str(name).isprintable() or len(name.parts) > MAX_PATH_PARTS or len(str(name).encode()) > MAX_NAME_BYTES:
            raise InputError(
                f"{file} holds a name that is not opened here, because it is long, deep in folders or has characters that cannot be "
                f"seen: {shortened(ascii(str(name)), 80)}. Rename the file and pack it again. Nothing was changed."
            )
        with archive.open(entry) as member:
            content = member.read(MAX_FILE_BYTES + 1)
        total += len(content)
        if len(content) > MAX_FILE_BYTES or total > MAX_PACKED_BYTES or len(files) > MAX_FILES:
            raise InputError(
                f"{file} holds more than work that was packed here can: {name} is too much. Nothing was changed."
            )
        files[name] = content
    _require_notebooks(files, file)
    return files


def _is_submitted_file(name: PurePosixPath) -> bool:
    """Return True if `submit` packs a file with this path."""
    inside = ".." not in name.parts and len(name.parts) > 1 and name.parts[0] in (*PACKAGES, "notebooks")
    kinds = (".py", ".ipynb") if name.parts[:1] == ("notebooks",) else (".py",)
    return inside and name.suffix in kinds and not BUILD_ARTIFACTS.search(str(name))


def _require_notebooks(files: Files, file: Path) -> None:
    for name, content in files.items():
        if name.suffix == ".ipynb":
            try:
                notebook: Any = json.loads(content)
                notebook["cells"]
            except (ValueError, KeyError, TypeError, RecursionError):
                raise InputError(f"{file} is damaged: {name} in it is not a notebook. Nothing was changed.") from None
