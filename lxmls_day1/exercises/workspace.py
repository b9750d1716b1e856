"""A student's folder: started from the reference lab, solved and reset by exercise, handed in.

What ``solve`` and ``reset`` replace is kept under ``.lab-backups``, and ``undo`` brings it back. Files are written whole or
not at all.
"""

import ast
import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
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
from lxmls_day1.exercises.progress import FILE as STATE
from lxmls_day1.exercises.progress import Backup, Progress, keeps_state
from lxmls_day1.exercises.registry import Exercise, Registry
from lxmls_day1.lab import PACKAGES, Lab, reference_folder
from lxmls_day1.whole_files import replace_files

BACKUPS = ".lab-backups"
README = "README.md"
SUBMISSION = "submission.json"
LARGEST_FILE = 20_000_000

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
        What `undo` replaced although it had been edited since; where the edited texts are kept.
    """

    what: str
    files: tuple[str, ...]
    kept: tuple[str, ...] = ()


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
    files[PurePosixPath(README)] = WELCOME.format(installation="").encode()
    with new_folder(folder) as made:
        write_files(made, files)
        (made / STATE).write_bytes(next(iter(Progress(folder).contents().values())))
    return folder


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, which gets its name when all went well; there is none if anything went wrong, or at Ctrl-C."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a new folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder} is there already and not empty; nothing in it was touched. Name a new folder.")
    made = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    try:
        made.mkdir(parents=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{folder} lies in a file; name a folder.") from error
    try:
        yield made
        with contextlib.suppress(FileNotFoundError):
            folder.rmdir()
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def write_files(folder: Path, files: Files) -> None:
    """Write files into a folder that nobody else sees yet."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


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
    whole = (lambda name: without_markers(_reference_text(reference, name), name)) if whole_file else None
    return _put_in(folder, exercise, "solve", solved, whole)


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
    whole = None
    if whole_file:

        def whole(name: str) -> str:
            return student_source(_reference_text(reference, name), registry, registry.assigned, name)

    return _put_in(folder, exercise, "reset", stubs, whole)


def undo(folder: Path) -> Replaced:
    """Bring back what the last `solve` or `reset` has replaced; what was edited since then is kept beside it.

    Raises
    ------
    InputError
        If there is nothing to undo, or a backup is gone.
    """
    progress = Progress.of(workspace_folder(folder, "undo"))
    if not progress.backups:
        raise InputError("there is nothing to undo: no solve or reset was done here, or all of them are undone.")
    backup = progress.backups.pop()
    contents: dict[Path, bytes] = {}
    kept = []
    for name, old in backup.kept.items():
        if not (folder / old).is_file():
            raise InputError(f"{folder / old}, where the text before `{backup.what}` was kept, is gone.")
        contents[folder / name] = (folder / old).read_bytes()
        now = (folder / name).read_bytes() if (folder / name).is_file() else b""
        if now and _digest(now) != backup.written.get(name):
            aside = f"{old}.edited"
            contents[folder / aside] = now
            kept.append(aside)
    progress.given = [id for id in progress.given if id != backup.exercise]
    if backup.was_given:
        progress.given.append(backup.exercise)
    replace_files({**contents, **progress.contents()})
    return Replaced(backup.what, tuple(backup.kept), tuple(kept))


def _put_in(
    folder: Path,
    exercise: Exercise,
    command: str,
    texts: dict[str, dict[str, str]],
    whole: Callable[[str], str] | None,
) -> Replaced:
    """Replace functions and cells by other texts (file -> function or cell -> text), and keep what was there."""
    what = f"{command} {exercise.id}"
    old: dict[str, bytes] = {}
    new: dict[str, bytes] = {}
    for name, parts in texts.items():
        if not parts:
            continue
        path = folder / name
        before = path.read_bytes() if path.is_file() else None
        if name.endswith(".ipynb"):
            after = _with_cells(before, name, parts, exercise.id)
        elif whole is not None or before is None:
            text = whole(name) if whole is not None else _restored(name, command, exercise.id)
            after = text.replace("\n", "\r\n").encode() if before and b"\r\n" in before else text.encode()
        else:
            after = _with_functions(before, name, parts, what)
        if after != before:
            old[name], new[name] = before or b"", after
    progress = Progress.of(folder)
    if not new:
        return Replaced(what, ())
    number = 1 + max([0, *(int(p.name[:4]) for p in (folder / BACKUPS).glob("[0-9]" * 4 + "-*"))])
    place = f"{BACKUPS}/{number:04d}-{what.replace(' ', '-')}"
    kept = {name: f"{place}/{name}" for name in old}
    for backup in kept.values():
        (folder / backup).parent.mkdir(parents=True, exist_ok=True)
    written = {name: _digest(content) for name, content in new.items()}
    progress.backups.append(Backup(what, exercise.id, kept, written, exercise.id in progress.given))
    progress.given = [id for id in progress.given if id != exercise.id] + [exercise.id] * (command == "solve")
    replace_files(
        {
            **{folder / kept[name]: content for name, content in old.items()},
            **{folder / name: content for name, content in new.items()},
            **progress.contents(),
        }
    )
    return Replaced(what, tuple(new))


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
    return mark + text.encode("utf-8")


def _with_cells(before: bytes | None, name: str, cells: dict[str, str], exercise: str) -> bytes:
    """A notebook's content with the sources of cells replaced, found by their ids."""
    try:
        notebook = json.loads(before or b"")
        by_id = {cell.get("id"): cell for cell in notebook["cells"]}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{name} is not there or not a notebook; start a new workspace to get it again.") from None
    for id, source in cells.items():
        if id not in by_id:
            raise InputError(f"{name} has no longer the cell of exercise {exercise}; a new workspace has it.")
        set_cell_source(by_id[id], source)
    return notebook_bytes(notebook)


def _restored(name: str, command: str, id: str) -> str:
    raise InputError(f"{name} is not there; `lxmls-day1 {command} {id} --whole-file` puts it back.")


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


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Submission:
    """What would be handed in.

    Attributes
    ----------
    files : dict from path to content
    missing : tuple of str
        Sentences about what must be put right first.
    unsolved : tuple of str
        The exercises that are still stubs.
    """

    files: Files
    missing: tuple[str, ...]
    unsolved: tuple[str, ...]


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
    missing = [f"{name} is not there." for name in expected if PurePosixPath(name) not in files]
    unsolved: set[str] = set()
    for name, content in files.items():
        if len(content) > LARGEST_FILE:
            missing.append(f"{name} is too large ({len(content) / 1e6:.0f} MB); clear its outputs.")
        elif name.suffix == ".ipynb":
            try:
                sources = [cell_source(cell) for cell in json.loads(content)["cells"] if cell["cell_type"] == "code"]
            except (ValueError, KeyError, TypeError):
                missing.append(f"{name} is not a notebook.")
                continue
            unsolved.update(*(stubs_left(source) for source in sources))
        else:
            try:
                source = content.decode("utf-8-sig")
                ast.parse(source)
            except UnicodeDecodeError:
                missing.append(f"{name} is not UTF-8 text.")
                continue
            except (SyntaxError, ValueError) as error:
                line = getattr(error, "lineno", None)
                missing.append(
                    f"{name}{f':{line}' if line else ''}: this is not Python: {getattr(error, 'msg', error)}."
                )
                continue
            unsolved |= stubs_left(source)
    return Submission(files, tuple(missing), tuple(e.id for e in exercises if e.id in unsolved))


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
        "unsolved": list(submission.unsolved),
        "files": {str(path): _digest(content) for path, content in submission.files.items()},
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    return f"submission-{slug}.zip", zipped({**submission.files, PurePosixPath(SUBMISSION): text.encode()}, slug)
