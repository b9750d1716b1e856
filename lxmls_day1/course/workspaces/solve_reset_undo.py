"""The commands ``solve``, ``reset``, ``check --again``, which put solutions and stubs into a workspace, and ``undo``.

Replaced files are saved under ``.lab-backups``. All writes are atomic.
"""

import ast
import contextlib
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.markers import functions_with_exercise
from lxmls_day1.course.registry import Exercise, Registry
from lxmls_day1.course.source_functions import function_text, replace_function
from lxmls_day1.course.workspace_state import BACKUPS, Backup, WorkspaceState, content_digest, is_unchanged, lock_state
from lxmls_day1.course.workspaces.generation import reference_text, student_source
from lxmls_day1.course.workspaces.progress import status_of
from lxmls_day1.course.workspaces.workspace import workspace_folder

PRACTICE = "check --again"


@dataclass(frozen=True)
class ReplaceResult:
    """The result of `solve`, `reset` or `undo`.

    Attributes
    ----------
    command : str
        The command, such as ``"solve 1.5"``.
    files : tuple of str
        The files that were written; empty if nothing had to be changed.
    edited_copies : tuple of str
        For files that were edited after the command that `undo` takes back, the paths of copies of the edited texts.
    missing_backups : tuple of str
        Paths of backups that `undo` did not find.
    """

    command: str
    files: tuple[str, ...]
    edited_copies: tuple[str, ...] = ()
    missing_backups: tuple[str, ...] = ()


def solve(folder: Path, id: str) -> ReplaceResult:
    """Put the reference solution of an exercise into a workspace; the replaced text is saved for `undo`.

    Parameters
    ----------
    folder : Path
    id : str

    Raises
    ------
    InputError
        If this installation has no solutions, the exercise has no code, or the workspace's file lacks the function.
    """
    exercise = _code_exercise(folder, id)
    texts = _file_texts(folder, exercise, with_stub=False)
    if texts == _file_texts(folder, exercise, with_stub=True):
        raise InputError(
            f"the solution of exercise {exercise.id} is not part of this installation; ask whoever gave you the lab, or for "
            f"another hint: lxmls-day1 hint {exercise.id}"
        )
    return _replace_parts(folder, exercise, "solve", texts)


def reset(folder: Path, id: str) -> ReplaceResult:
    """Put the stub of an exercise back into a workspace; the replaced text is saved for `undo`. Otherwise like `solve`."""
    return _put_stub(folder, _code_exercise(folder, id), "reset")


def reset_for_practice(folder: Path, id: str) -> ReplaceResult:
    """Put the stub of a solved exercise back into a workspace, to be solved again; the answer is saved for `undo`.

    Until the exercise is solved again, its checks also use the practice inputs.

    Raises
    ------
    InputError
        If the checks of the exercise have not passed on the current files; for further causes see `solve`.
    """
    exercise = _code_exercise(folder, id)
    standing = next(one for one in status_of(folder).exercise_statuses if one.exercise.id == exercise.id)
    if standing.state not in ("solved", "reference"):
        raise InputError(
            f"exercise {exercise.id} is not solved yet ({standing.text}); --again is for a solved exercise. "
            f"First run: lxmls-day1 check {exercise.id}"
        )
    return _put_stub(folder, exercise, PRACTICE)


def _put_stub(folder: Path, exercise: Exercise, command: str) -> ReplaceResult:
    return _replace_parts(folder, exercise, command, _file_texts(folder, exercise, with_stub=True))


def _file_texts(folder: Path, exercise: Exercise, with_stub: bool) -> dict[str, str]:
    """Return the text of each file of an exercise with its solution, or with its stub. Other assigned exercises are stubs in both."""
    registry = Registry.from_folder(folder)
    assigned = [id for id in registry.ids if (with_stub if id == exercise.id else id in registry.assigned)]
    return {name: student_source(reference_text(name), registry, assigned, name) for name in exercise.files}


def _functions_of(exercise: Exercise, name: str, text: str) -> dict[str, str]:
    """Return the functions of a file that hold the solution of an exercise or its stub, as one of `_file_texts` has them."""
    functions = functions_with_exercise(reference_text(name), exercise.id, name)
    return {function: function_text(text, function) for function in functions}


def undo(folder: Path) -> ReplaceResult:
    """Restore the files that the last `solve`, `reset` or `update` has replaced; later edits are saved next to the backup.

    Raises
    ------
    InputError
        If there is nothing to undo, or the whole backup is missing; then the next `undo` restores the change before it.
    """
    with lock_state(workspace_folder(folder, "undo")):
        state = WorkspaceState.from_folder(folder)
        if not state.backups:
            raise InputError("there is nothing to undo: no solve or reset was done here, or all of them are undone.")
        backup = state.backups.pop()
        contents: dict[Path, bytes] = {}
        new, kept, lost = [], [], []
        for name in dict.fromkeys([*backup.kept, *backup.written]):
            path, old = _own_path(folder, name), backup.kept.get(name)
            now = path.read_bytes() if path.is_file() else None
            edited = now is not None and not is_unchanged(name, now, backup.written.get(name, ""))
            if old is None:
                if now is not None and not edited:
                    new.append(path)
            elif not _own_path(folder, old).is_file():
                lost.append(old)
            else:
                contents[path] = (folder / old).read_bytes()
                if edited and now is not None and now != contents[path]:
                    contents[folder / f"{old}.edited"] = now
                    kept.append(f"{old}.edited")
        if contents or new:
            state.given = [id for id in state.given if id != backup.exercise]
            if backup.was_given:
                state.given.append(backup.exercise)
            if backup.what.startswith(PRACTICE):
                state.practised = [id for id in state.practised if id != backup.exercise]
            state.origin = backup.origin or state.origin
        state.save(contents)
        for path in (*new, *(folder / old for old in backup.kept.values())):
            with contextlib.suppress(OSError):
                path.unlink()
                path.parent.rmdir()  # An empty folder would be taken for a package.
        if lost and not (contents or new):
            raise InputError(
                f"`{backup.what}` cannot be undone: {', '.join(lost)}, which held the earlier text, is gone. "
                "The next `lxmls-day1 undo` undoes the change before it."
            )
    files = tuple(name for name in dict.fromkeys([*backup.kept, *backup.written]) if backup.kept.get(name) not in lost)
    return ReplaceResult(backup.what, files, tuple(kept), tuple(lost))


def _own_path(folder: Path, name: str) -> Path:
    """Return the path of a file of the workspace that may be written; raise an error if a link leads out of the workspace."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{name} leads out of {folder} through a link; put a file of your lab in its place.")
    return path


def _replace_parts(folder: Path, exercise: Exercise, command: str, texts: dict[str, str]) -> ReplaceResult:
    """Replace the functions of an exercise by those in other texts of its files, and save the old texts.

    A missing file is restored as a whole.
    """
    found = {name: functions for name, text in texts.items() if (functions := _functions_of(exercise, name, text))}
    if not found:
        raise InputError(f"exercise {exercise.id} came with its solution; there is nothing to reset.")
    full_command = f"{command} {exercise.id}"
    with lock_state(folder):
        new: dict[str, bytes] = {}
        for name, functions in found.items():
            path = _own_path(folder, name)
            before = path.read_bytes() if path.is_file() else None
            after = texts[name].encode() if before is None else _with_functions(before, name, functions, full_command)
            if after != before:
                new[name] = after
        state = WorkspaceState.from_folder(folder)
        was_given = exercise.id in state.given
        state.given = [id for id in state.given if id != exercise.id] + [exercise.id] * (command == "solve")
        if not new:
            return ReplaceResult(full_command, ())
        if command == PRACTICE:
            state.practised = [*(id for id in state.practised if id != exercise.id), exercise.id]
        replace_and_backup(folder, state, Backup(full_command, exercise.id, {}, {}, was_given), new)
    return ReplaceResult(full_command, tuple(new))


def replace_and_backup(
    folder: Path,
    state: WorkspaceState,
    backup: Backup,
    new: dict[str, bytes],
    removed: Collection[str] = (),
    aside: Mapping[str, bytes] | None = None,
) -> str:
    """Save the current files for `undo`; then write files, remove others, and save the state.

    Parameters
    ----------
    folder : Path
        A workspace whose state is locked by `lock_state`.
    state : WorkspaceState
        The state to save; the backup is added to it.
    backup : Backup
        A backup whose ``edited_copies`` and ``written`` are filled in by this function.
    new : dict from path in the workspace to content
    removed : collection of str
    aside : mapping from path to content, optional
        Files to save next to the backup, as ``PATH.new``, without replacing the student's files.

    Returns
    -------
    str
        The folder of the backup, relative to the workspace.
    """
    number = 1 + max([0, *(int(p.name.partition("-")[0]) for p in (folder / BACKUPS).glob("[0-9]*-*"))])
    # A browser cannot create a folder with a dot in its name.
    place = f"{BACKUPS}/{number:04d}-{backup.what.replace(' ', '-').replace('.', '_')}"
    contents: dict[Path, bytes] = {folder / f"{place}/{name}.new": content for name, content in (aside or {}).items()}
    kept = {name: f"{place}/{name}" for name in (*new, *removed) if (folder / name).is_file()}
    contents |= {folder / old: (folder / name).read_bytes() for name, old in kept.items()}
    contents |= {_own_path(folder, name): content for name, content in new.items()}
    written = {name: content_digest(name, content) for name, content in new.items()}
    state.backups.append(replace(backup, kept=kept, written=written))
    try:
        state.save(contents)
    except BaseException:
        shutil.rmtree(folder / place, ignore_errors=True)
        with contextlib.suppress(OSError):
            (folder / BACKUPS).rmdir()
        raise
    for name in removed:
        (folder / name).unlink(missing_ok=True)
    return place


def with_line_ends_of(before: bytes | None, text: str) -> bytes:
    """Return a text as bytes with the line ends of the previous content."""
    return text.replace("\n", "\r\n").encode() if before and b"\r\n" in before else text.encode()


def _with_functions(before: bytes, name: str, functions: dict[str, str], full_command: str) -> bytes:
    """Return a file's content with functions replaced; its byte order mark and line ends stay."""
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    try:
        text = before[len(mark) :].decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{name} is not UTF-8 text; save it as UTF-8, or delete it: `lxmls-day1 {full_command}` puts the whole file back."
        ) from None
    for function, replacement in functions.items():
        changed = replace_function(text, function, replacement)
        if changed is None:
            raise InputError(
                f"{name} no longer has the function {function}; delete it, and `lxmls-day1 {full_command}` puts the whole file back."
            )
        text = changed
    if _is_python(before[len(mark) :]) and not _is_python(text.encode()):
        raise InputError(
            f"{name} would not be Python any more with the functions of exercise {full_command.split()[-1]} put in, so nothing was "
            f"changed; delete it, and `lxmls-day1 {full_command}` puts the whole file back."
        )
    return mark + text.encode("utf-8")


def _is_python(content: bytes) -> bool:
    try:
        ast.parse(content)
    except (SyntaxError, ValueError):
        return False
    return True


def _code_exercise(folder: Path, id: str) -> Exercise:
    exercise = Registry.from_folder(folder).named(id)
    workspace_folder(folder, "solve and reset")
    if not exercise.files:
        raise InputError(f"exercise {id} needs no code; answer it in {exercise.notebook}.")
    return exercise
