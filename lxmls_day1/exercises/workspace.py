"""A student's folder: started from the reference lab, solved and reset by exercise, handed in.

What ``solve``, ``reset`` and ``update`` replace is kept under ``.lab-backups``, and ``undo`` brings it back. Files are
written whole or not at all.
"""

import ast
import contextlib
import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import lxmls_day1
from lxmls_day1.errors import InputError
from lxmls_day1.exercises.archives import zipped
from lxmls_day1.exercises.generation import (
    LEFT_BEHIND,
    Files,
    cell_source,
    cells_of,
    notebook_bytes,
    set_cell_source,
    student_files,
    student_notebook,
    student_source,
)
from lxmls_day1.exercises.markers import function_lines, functions_of, replace_function, stubs_left, without_markers
from lxmls_day1.exercises.progress import BACKUPS, LOCK, Backup, GivenFile, Origin, Progress, keeps_state, locked
from lxmls_day1.exercises.progress import FILE as STATE
from lxmls_day1.exercises.progress import text_digest as _digest
from lxmls_day1.exercises.registry import Exercise, Registry
from lxmls_day1.exercises.status import status_of
from lxmls_day1.lab import PACKAGES, Lab, is_lab_folder, reference_folder
from lxmls_day1.lab_interface import VERSION as INTERFACE

README = "README.md"
IGNORED = f"""# what the lab, Python and Jupyter keep beside your files
{BACKUPS}/
{LOCK}
submission-*.zip
/out/
/.venv/
__pycache__/
.ipynb_checkpoints/
"""
SUBMISSION = "submission.json"
LARGEST_FILE = 20_000_000

Whole = Callable[[str], str]  # from the path of a file in the lab to all of its text

WELCOME = """# Your day-1 lab

| | |
|---|---|
| `notebooks/` | the exercises, one notebook after the other |
| `classifiers/` | where you write: each place says which exercise it is |
| `readers/` | the data sets |
| `tests/exercises/` | the checks; reading them is allowed |

{installation}In this folder:

    lxmls-day1 lab             opens the notebook of the first exercise that is not solved yet
    lxmls-day1 check 1.5       checks exercise 1.5; without a number all; with --watch whenever you save a file
    lxmls-day1 hint 1.5        a hint; again: the next of three
    lxmls-day1 status          how far you are
    lxmls-day1 reset 1.5       the empty exercise again (`lxmls-day1 undo` takes that back)
    lxmls-day1 submit          packs what you hand in
    lxmls-day1 update          after a new version was installed: renews what you were given, keeps what you wrote

In a notebook the same is `lab.check("1.5")`, `lab.hint("1.5")` and `lab.status()`.
"""


@dataclass(frozen=True)
class Replaced:
    """What `solve`, `reset` or `undo` did.

    Attributes
    ----------
    what : str
        ``"solve 1.5"``
    files : tuple of str
        The files that were written; none if everything was in place already.
    kept : tuple of str
        What was replaced although it had been edited since; where the edited texts are kept.
    lost : tuple of str
        Backups that `undo` did not find.
    """

    what: str
    files: tuple[str, ...]
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def start_workspace(destination: str | os.PathLike[str], assigned: Collection[str] | None = None) -> Path:
    """Make a workspace: readers, classifiers with stubs, notebooks, public checks.

    Parameters
    ----------
    destination : path
        A folder that is not there yet, or empty.
    assigned : collection of str, optional
        The exercises to solve, as in `student_files`.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If the folder holds anything, or stands in a place where none can be made.
    """
    folder = Path(os.path.expanduser(destination)).resolve()
    files = student_files(reference_folder(), assigned)
    files = with_workspace_files(files, folder, installation="")
    with new_folder(folder) as made:
        write_files(made, files)
    return folder


def with_workspace_files(files: Files, folder: Path, installation: str) -> Files:
    """The files of a lab, and what makes a workspace of them: a welcome, the state at the beginning, ``.gitignore``."""
    state = Progress(folder, origin=origin_of(files)).contents()
    return {
        **files,
        PurePosixPath(README): WELCOME.format(installation=installation).encode(),
        PurePosixPath(".gitignore"): IGNORED.encode(),
        **{PurePosixPath(STATE): content for content in state.values()},
    }


def origin_of(files: Files) -> Origin:
    """What a workspace puts down about the files that it was given, so that a later version can renew them."""
    given = {}
    for name, content in files.items():
        functions: tuple[str, ...] = ()
        if name.suffix == ".py" and name.parts[0] in PACKAGES:
            source = content.decode()
            functions = tuple(f for id in sorted(stubs_left(source)) for f in functions_of(source, id, str(name)))
        around = text_around(content.decode(), functions) if functions else ""
        given[str(name)] = GivenFile(_digest(content), functions, around)
    return Origin(lxmls_day1.__version__, INTERFACE, given)


def text_around(source: str, functions: Collection[str]) -> str:
    """A digest of a source text without some of its functions; blanks and lines of comments do not count."""
    lines = source.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    places = [function_lines("\n".join(lines), function) for function in functions]
    for place in sorted(filter(None, places), key=lambda place: place.start, reverse=True):
        del lines[place]
    left = "".join("".join(line.split()) for line in lines if not line.lstrip().startswith("#"))
    return _digest(left.encode())


def version_note(folder: Path) -> str:
    """One sentence about a workspace that another version of the package has made, or that lacks given files; or none."""
    origin = Progress.of(folder).origin
    if not (folder / STATE).is_file() or not keeps_state(folder):
        return ""
    here = (lxmls_day1.__version__, INTERFACE)
    if (origin.made_by, origin.interface) != here:
        known = origin.made_by not in ("", here[0])
        maker = f"lxmls-day1 {origin.made_by}" if known else "another version of lxmls-day1"
        return f"This lab was made by {maker}, and {here[0]} is installed: `lxmls-day1 update` renews the given files."
    gone = [name for name, given in origin.files.items() if not given.functions and not (folder / name).is_file()]
    if gone:
        more = f" and {len(gone) - 1} more files are" if len(gone) > 2 else f" and {gone[1]} are" if gone[1:] else " is"
        return f"{gone[0]}{more} not there any more: `lxmls-day1 update` puts back what is missing."
    return ""


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, which gets its name when all went well; there is none if anything went wrong, or at Ctrl-C.

    An empty folder that is there already stays the same folder, with its owner and its permissions: it may be a mount
    point, or the one that a shell stands in. What was made moves into it at the end.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a new folder.")
    is_there = folder.is_dir()
    if is_there and any(folder.iterdir()):
        raise InputError(f"{folder} is there already and not empty; nothing in it was touched. Name a new folder.")
    part = f".{folder.name}.{secrets.token_hex(4)}.part"
    made = folder / part if is_there else folder.with_name(part)
    try:
        made.mkdir(parents=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{folder} lies in a file; name a folder.") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{folder} cannot be {'written to' if is_there else 'made'}: {reason}.") from error
    moved: list[Path] = []
    try:
        yield made
        if not is_there:
            made.rename(folder)
            return
        for path in sorted(made.iterdir()):
            moved.append(folder / path.name)
            path.rename(moved[-1])
    except BaseException:
        for path in moved:
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):
                path.unlink()
        raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def write_files(folder: Path, files: Files) -> None:
    """Write files into a folder that nobody else sees yet."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def workspace_of(lab: Lab, command: str) -> Path:
    """The folder that a student's command works on: any that was named, but the reference lab only if it was named.

    Raises
    ------
    InputError
        If no workspace was named, and the current folder is in none.
    """
    if lab.named or keeps_state(lab.folder):
        return lab.folder
    here = Path.cwd()
    near = [f" (`{as_typed('cd', path.name)}`)" for path in workspaces_below(here)[:1]]
    naming = 'open it with open_lab("DIR")' if command.startswith("lab.") else "name it with --lab DIR"
    raise InputError(
        f"{here} is in no lab of your own, and `{command}` leaves the reference lab alone. "
        f"Go to your lab{''.join(near)}, {naming}, or make one with `lxmls-day1 start DIR`."
    )


def as_typed(*arguments: str, windows: bool = os.name == "nt") -> str:
    """Arguments of a command as they are to be typed, with quotes where there are spaces.

    Examples
    --------
    >>> as_typed("cd", "my lab/one", windows=False), as_typed("cd", "my lab", windows=True)
    ("cd 'my lab/one'", 'cd "my lab"')
    """
    return subprocess.list2cmdline(arguments) if windows else shlex.join(arguments)


def workspaces_below(folder: Path) -> list[Path]:
    """The workspaces right in a folder."""
    try:
        return sorted(path for path in folder.iterdir() if is_lab_folder(path) and keeps_state(path))
    except OSError:
        return []


def workspace_folder(folder: Path, command: str) -> Path:
    """The lab folder, if it is a workspace that may be written to.

    Raises
    ------
    InputError
        If it is the reference lab.
    """
    if not keeps_state(folder):
        raise InputError(
            f"{folder} is the reference lab, in which `{command}` changes nothing; make a workspace of your own with "
            "`lxmls-day1 start DIR`, or name one with --lab."
        )
    return folder


def solve(folder: Path, id: str, whole_file: bool = False) -> Replaced:
    """Put the reference solution of an exercise into a workspace; what was there is kept for `undo`.

    Parameters
    ----------
    folder : Path
    id : str
    whole_file : bool
        Whether to put in the whole files of the exercise rather than the functions that solve it.

    Raises
    ------
    InputError
        If this installation has no solutions, or the exercise no code; if the workspace's file has no such function.
    """
    exercise = _code_exercise(folder, id)
    reference = reference_folder()
    solved, found = {}, False
    for name in exercise.files:
        content = _reference_text(reference, name)
        if name.endswith(".ipynb"):
            notebook = json.loads(content)
            cells = {cell["id"]: without_markers(cell_source(cell)) for cell in cells_of(notebook, id)}
            solved[name], found = cells, found or bool(cells)
        else:
            functions = functions_of(content, id, name) if id not in stubs_left(content) else []
            solved[name] = {
                function: _function_text(without_markers(content, name), function) for function in functions
            }
            found = found or bool(functions)
    if not found:
        raise InputError(
            f"the solution of exercise {id} is not part of this installation; ask whoever gave you the lab, or for "
            f"another hint: lxmls-day1 hint {id}"
        )

    def whole(name: str) -> str:
        text = _reference_text(reference, name)
        if name.endswith(".ipynb"):
            registry = Registry.of(folder)
            open_ones = [other for other in registry.assigned if other != id]
            return notebook_bytes(student_notebook(json.loads(text), registry, open_ones, name)).decode()
        return without_markers(text, name)

    return _put_in(folder, exercise, "solve", solved, whole, whole_file)


def reset(folder: Path, id: str, whole_file: bool = False) -> Replaced:
    """Put the stub of an exercise into a workspace again; what was there is kept for `undo`. As `solve` otherwise."""
    exercise = _code_exercise(folder, id)
    reference, registry = reference_folder(), Registry.of(folder)
    stubs = {}
    for name in exercise.files:
        content = _reference_text(reference, name)
        if name.endswith(".ipynb"):
            empty = student_notebook(json.loads(content), registry, [id], name)
            ids = [cell["id"] for cell in cells_of(json.loads(content), id)]
            ids = ids or [cell["id"] for cell in empty["cells"] if id in stubs_left(cell_source(cell))]
            stubs[name] = {cell["id"]: cell_source(cell) for cell in empty["cells"] if cell["id"] in ids}
        else:
            empty = student_source(content, registry, [id], name)
            stubs[name] = {function: _function_text(empty, function) for function in functions_of(empty, id)}
    if not any(stubs.values()):
        raise InputError(f"exercise {id} came with its solution; there is nothing to reset.")

    def whole(name: str) -> str:
        text = _reference_text(reference, name)
        if name.endswith(".ipynb"):
            return notebook_bytes(student_notebook(json.loads(text), registry, registry.assigned, name)).decode()
        return student_source(text, registry, registry.assigned, name)

    return _put_in(folder, exercise, "reset", stubs, whole, whole_file)


def undo(folder: Path) -> Replaced:
    """Bring back what the last `solve`, `reset` or `update` has replaced; what was edited since then is kept beside it.

    Raises
    ------
    InputError
        If there is nothing to undo; if all of the backup is gone, and then the next `undo` goes on before it.
    """
    with locked(workspace_folder(folder, "undo")):
        progress = Progress.of(folder)
        if not progress.backups:
            raise InputError("there is nothing to undo: no solve or reset was done here, or all of them are undone.")
        backup = progress.backups.pop()
        contents: dict[Path, bytes] = {}
        new, kept, lost = [], [], []
        for name in dict.fromkeys([*backup.kept, *backup.written]):
            path, old = _own_path(folder, name), backup.kept.get(name)
            now = path.read_bytes() if path.is_file() else None
            edited = now is not None and _digest(now) != backup.written.get(name)
            if old is None:
                if now is not None and not edited:
                    new.append(path)
            elif not _own_path(folder, old).is_file():
                lost.append(old)
            else:
                contents[path] = (folder / old).read_bytes()
                if edited and now != contents[path]:
                    contents[folder / f"{old}.edited"] = now
                    kept.append(f"{old}.edited")
        if contents or new:
            progress.given = [id for id in progress.given if id != backup.exercise]
            if backup.was_given:
                progress.given.append(backup.exercise)
            progress.origin = backup.origin or progress.origin
        for path in contents:
            path.parent.mkdir(parents=True, exist_ok=True)
        progress.save(contents)
        for path in (*new, *(folder / old for old in backup.kept.values())):
            with contextlib.suppress(OSError):
                path.unlink()
        if lost and not (contents or new):
            raise InputError(
                f"`{backup.what}` cannot be undone: {', '.join(lost)}, where the text before it was kept, is gone. "
                "The next `lxmls-day1 undo` takes back what came before it."
            )
    files = tuple(name for name in dict.fromkeys([*backup.kept, *backup.written]) if backup.kept.get(name) not in lost)
    return Replaced(backup.what, files, tuple(kept), tuple(lost))


def _own_path(folder: Path, name: str) -> Path:
    """A file of the workspace that may be written, which a link out of it may not lead to."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{name} leads out of {folder} through a link; put a file of your lab in its place.")
    return path


def _put_in(
    folder: Path, exercise: Exercise, command: str, texts: dict[str, dict[str, str]], whole: Whole, whole_file: bool
) -> Replaced:
    """Replace functions and cells by other texts (file -> function or cell -> text), and keep what was there.

    A file that is not there is put back whole.
    """
    what = f"{command} {exercise.id}"
    with locked(folder):
        new: dict[str, bytes] = {}
        for name, parts in texts.items():
            if not parts:
                continue
            path = _own_path(folder, name)
            before = path.read_bytes() if path.is_file() else None
            if before is None or (whole_file and not name.endswith(".ipynb")):
                after = with_line_ends_of(before, whole(name))
            elif name.endswith(".ipynb"):
                after = _with_cells(before, name, parts, exercise.id)
            else:
                after = _with_functions(before, name, parts, what)
            if after != before:
                new[name] = after
        progress = Progress.of(folder)
        was_given = exercise.id in progress.given
        progress.given = [id for id in progress.given if id != exercise.id] + [exercise.id] * (command == "solve")
        if not new:
            return Replaced(what, ())
        replace_and_keep(folder, progress, Backup(what, exercise.id, {}, {}, was_given), new)
    return Replaced(what, tuple(new))


def replace_and_keep(
    folder: Path,
    progress: Progress,
    backup: Backup,
    new: dict[str, bytes],
    removed: Collection[str] = (),
    aside: Mapping[str, bytes] | None = None,
) -> str:
    """Write files and remove others, after what is in their places is kept for `undo`; the state is saved with them.

    Parameters
    ----------
    folder : Path
        A workspace that is `locked`.
    progress : Progress
        What is to be saved; the backup is added to it.
    backup : Backup
        Its ``kept`` and ``written`` are filled in.
    new : dict from path in the workspace to content
    removed : collection of str
    aside : mapping from path to content, optional
        What is put beside the backup, as ``PATH.new``, without taking the place of the student's file.

    Returns
    -------
    str
        Where the backup is, relative to the workspace.
    """
    number = 1 + max([0, *(int(p.name.partition("-")[0]) for p in (folder / BACKUPS).glob("[0-9]*-*"))])
    place = f"{BACKUPS}/{number:04d}-{backup.what.replace(' ', '-')}"
    contents: dict[Path, bytes] = {folder / f"{place}/{name}.new": content for name, content in (aside or {}).items()}
    kept = {name: f"{place}/{name}" for name in (*new, *removed) if (folder / name).is_file()}
    contents |= {folder / old: (folder / name).read_bytes() for name, old in kept.items()}
    contents |= {_own_path(folder, name): content for name, content in new.items()}
    written = {name: _digest(content) for name, content in new.items()}
    progress.backups.append(replace(backup, kept=kept, written=written))
    try:
        for path in contents:
            path.parent.mkdir(parents=True, exist_ok=True)
        progress.save(contents)
    except BaseException:
        shutil.rmtree(folder / place, ignore_errors=True)
        with contextlib.suppress(OSError):
            (folder / BACKUPS).rmdir()
        raise
    for name in removed:
        (folder / name).unlink(missing_ok=True)
    return place


def with_line_ends_of(before: bytes | None, text: str) -> bytes:
    """A text in bytes, with the line ends of what was there before."""
    return text.replace("\n", "\r\n").encode() if before and b"\r\n" in before else text.encode()


def _with_functions(before: bytes, name: str, functions: dict[str, str], what: str) -> bytes:
    """A file's content with functions replaced; its encoding mark and its line ends are kept."""
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    try:
        text = before[len(mark) :].decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{name} is not UTF-8 text; save it as UTF-8, or take `lxmls-day1 {what} --whole-file`."
        ) from None
    for function, replacement in functions.items():
        changed = replace_function(text, function, replacement)
        if changed is None:
            raise InputError(
                f"{name} has no function {function} any more; `lxmls-day1 {what} --whole-file` puts the whole file back."
            )
        text = changed
    if _is_python(before[len(mark) :]) and not _is_python(text.encode()):
        raise InputError(
            f"{name} would not be Python any more with the functions of exercise {what.split()[1]} put in, so nothing was "
            f"changed; `lxmls-day1 {what} --whole-file` replaces the whole file."
        )
    return mark + text.encode("utf-8")


def _is_python(content: bytes) -> bool:
    try:
        ast.parse(content)
    except (SyntaxError, ValueError):
        return False
    return True


def _with_cells(before: bytes, name: str, cells: dict[str, str], exercise: str) -> bytes:
    """A notebook's content with the sources of cells replaced, found by their ids."""
    try:
        notebook = json.loads(before)
        by_id = {cell.get("id"): cell for cell in notebook["cells"]}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"{name} is not a notebook any more; delete it, and `lxmls-day1 reset {exercise}` puts it back."
        ) from None
    for id, source in cells.items():
        if id not in by_id:
            raise InputError(f"{name} has no longer the cell of exercise {exercise}; a new workspace has it.")
        set_cell_source(by_id[id], source)
    return notebook_bytes(notebook)


def _code_exercise(folder: Path, id: str) -> Exercise:
    exercise = Registry.of(folder)[id]
    workspace_folder(folder, "solve and reset")
    if not exercise.files:
        raise InputError(f"exercise {id} asks for no code; its place is {exercise.notebook}.")
    return exercise


def _reference_text(reference: Path, name: str) -> str:
    return (reference / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _function_text(source: str, function: str) -> str:
    return "\n".join(source.split("\n")[function_lines(source, function)])


@dataclass(frozen=True)
class Submission:
    """What would be handed in.

    Attributes
    ----------
    files : dict from path to content
    missing : tuple of str
        Sentences about what must be put right first.
    unsolved : tuple of str
        The exercises that are not done, as `lxmls_day1.exercises.status` counts: still a stub, failing, or unanswered.
    unchecked : tuple of str
        Those that were not checked since their last edit.
    """

    files: Files
    missing: tuple[str, ...]
    unsolved: tuple[str, ...]
    unchecked: tuple[str, ...] = ()


def collect_submission(folder: Path) -> Submission:
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
            wanted = path.suffix == ".py" or (part == "notebooks" and path.suffix == ".ipynb")
            if wanted and path.is_file() and not path.is_symlink() and not LEFT_BEHIND.search(str(name)):
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
            except UnicodeDecodeError:
                missing.append(f"{name} is not UTF-8 text.")
            except (SyntaxError, ValueError) as error:
                line = getattr(error, "lineno", None)
                missing.append(
                    f"{name}{f':{line}' if line else ''}: this is not Python: {getattr(error, 'msg', error)}."
                )
    left = [standing for standing in status_of(folder).counted if not standing.done]
    unsolved = tuple(standing.exercise.id for standing in left if standing.state != "changed")
    unchecked = tuple(standing.exercise.id for standing in left if standing.state == "changed")
    return Submission(files, tuple(missing), unsolved, unchecked)


def _puts_back(name: str, exercises: Collection[Exercise]) -> str:
    """The command that puts back a file."""
    owner = next((exercise.id for exercise in exercises if name in exercise.files), None)
    return f"`lxmls-day1 reset {owner}`" if owner else "`lxmls-day1 update`"


def pack_submission(folder: Path, submission: Submission, name: str) -> tuple[str, bytes]:
    """The one zip file for the instructor: its name and its content.

    Parameters
    ----------
    folder : Path
    submission : Submission
    name : str
        Who hands it in.
    """
    slug = re.sub(r"[^\w]+", "-", name).strip("-_").lower() or "lab"
    manifest = {
        "format": 1,
        "name": name,
        "lxmls_day1": lxmls_day1.__version__,
        "unsolved": [*submission.unsolved, *submission.unchecked],
        "files": {str(path): hashlib.sha256(content).hexdigest() for path, content in submission.files.items()},
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    return f"submission-{slug}.zip", zipped({**submission.files, PurePosixPath(SUBMISSION): text.encode()}, slug)
