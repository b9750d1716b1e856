"""A workspace (the folder of a student): make it from the reference lab, and find it."""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

import lxmls_day1
from lxmls_day1.base.atomic_files import remove_stale_folders, report_errors_for, temporary_folder
from lxmls_day1.base.errors import InputError, current_folder
from lxmls_day1.course import workspace_state
from lxmls_day1.course.markers import cell_source, functions_with_exercise, remaining_stubs
from lxmls_day1.course.registry import FILE, Registry, parse_registry
from lxmls_day1.course.source_functions import function_lines
from lxmls_day1.course.workspace_state import FILE as STATE
from lxmls_day1.course.workspaces.editor_files import TASKS, task_file
from lxmls_day1.course.workspaces.generation import Files, student_files
from lxmls_day1.course.workspaces.lab_parts import core_exercises, files_for_exercises
from lxmls_day1.lab import PACKAGES, Lab, is_lab_folder, reference_folder
from lxmls_day1.lab_api import VERSION as INTERFACE

README = "README.md"
IGNORED = f"""# what the lab, Python and Jupyter keep beside your files
{workspace_state.BACKUPS}/
{workspace_state.LOCK}
.lab-room.json
submission-*.zip
/out/
/.venv/
__pycache__/
.ipynb_checkpoints/
"""
WELCOME = Path(__file__).with_name("welcome.md")


def start_workspace(destination: str | os.PathLike[str], core_only: bool = False, editor_files: bool = True) -> Path:
    """Make a workspace: readers, classifiers with stubs, notebooks, public checks.

    Parameters
    ----------
    destination : path
        A folder that does not exist yet, or is empty.
    core_only : bool
        If True, the workspace contains only the exercises of the guide, with the files that they need.
    editor_files : bool
        Whether it has the tasks for VS Code.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If the folder is not empty, or cannot be created.
    """
    folder = Path(os.path.expanduser(destination)).resolve()
    files = student_files(reference_folder())
    if core_only:
        registry = Registry.from_folder(reference_folder())
        files = files_for_exercises(files, core_exercises(registry), registry)
    files = with_workspace_files(files, folder, "", editor_files)
    with new_folder(folder) as made:
        write_files(made, files)
    return folder


def with_workspace_files(files: Files, folder: Path, installation: str, editor_files: bool = True) -> Files:
    """Add to the files of a lab the files that make it a workspace: a welcome, the initial state, ``.gitignore``, an editor's tasks."""
    files = {**files, TASKS: task_file()} if editor_files else files
    state = workspace_state.WorkspaceState(folder, origin=record_origin(files)).contents()
    return {
        **files,
        PurePosixPath(README): WELCOME.read_text(encoding="utf-8").format(installation=installation).encode(),
        PurePosixPath(".gitignore"): IGNORED.encode(),
        **{PurePosixPath(STATE): content for content in state.values()},
    }


def record_origin(files: Files) -> workspace_state.Origin:
    """Return the record of a workspace's starter files, which lets a later version update them."""
    given = {}
    for name, content in files.items():
        functions: tuple[str, ...] = ()
        if name.suffix == ".py" and name.parts[0] in PACKAGES:
            source = content.decode()
            functions = tuple(
                f for id in sorted(remaining_stubs(source)) for f in functions_with_exercise(source, id, str(name))
            )
        around = digest_outside(content.decode(), functions) if functions else ""
        given[str(name)] = workspace_state.StarterFile(
            workspace_state.content_digest(str(name), content), functions, around
        )
    exercises = parse_registry(tomllib.loads(files[FILE].decode()), str(FILE)).assigned if FILE in files else ()
    return workspace_state.Origin(lxmls_day1.__version__, INTERFACE, given, exercises)


def digest_outside(source: str, functions: Collection[str]) -> str:
    """Return a digest of a source text without some of its functions; blanks and comment lines do not count."""
    lines = source.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    places = [function_lines("\n".join(lines), function) for function in functions]
    for place in sorted(filter(None, places), key=lambda place: place.start, reverse=True):
        del lines[place]
    left = "".join("".join(line.split()) for line in lines if not line.lstrip().startswith("#"))
    return workspace_state.text_digest(left.encode())


def version_note(folder: Path) -> str:
    """Return a sentence if another version of the package has made a workspace, or if starter files are missing; "" otherwise."""
    origin = workspace_state.WorkspaceState.from_folder(folder).origin
    if not (folder / STATE).is_file() or not workspace_state.is_workspace(folder):
        return ""
    here = (lxmls_day1.__version__, INTERFACE)
    if not origin.made_by:  # The state was damaged, or an old version has written it.
        return f"{STATE} does not say which files were given with this lab: `lxmls-day1 update` brings them up to date, and records them."
    if (origin.made_by, origin.interface) != here:
        maker = f"lxmls-day1 {origin.made_by}" if origin.made_by != here[0] else "another version of lxmls-day1"
        return f"This lab was made by {maker}, and {here[0]} is installed: `lxmls-day1 update` brings the given files up to date."
    whole = [name for name, given in origin.files.items() if not given.functions and name != str(TASKS)]
    gone = [name for name in whole if not (folder / name).is_file()]
    if gone:
        more = f" and {len(gone) - 1} more files are" if len(gone) > 2 else f" and {gone[1]} are" if gone[1:] else " is"
        return f"{gone[0]}{more} not there any more: `lxmls-day1 update` puts back what is missing."
    return ""


def damaged_notebooks(folder: Path) -> Iterator[str]:
    """Yield a sentence for each given notebook of a workspace that cannot be read."""
    for name in workspace_state.WorkspaceState.from_folder(folder).origin.files:
        if name.endswith(".ipynb") and (folder / name).is_file():
            try:
                for cell in json.loads((folder / name).read_bytes())["cells"]:
                    cell_source(cell)
            except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
                reason = error if isinstance(error, OSError | ValueError) else "it is not a list of cells"
                yield f"{name} is damaged ({reason}); move it away, and `lxmls-day1 update` puts the given one back."


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder to fill, which gets its name only if the block succeeds; after an error or Ctrl-C it is removed.

    An existing empty folder stays the same folder, with its owner and its permissions, because it may be a mount
    point, or the current folder of a shell. The new files are moved into it at the end.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a new folder.")
    is_there = folder.is_dir()
    if is_there:
        remove_stale_folders(folder)
    if is_there and any(folder.iterdir()):
        raise InputError(f"{folder} exists already and is not empty; nothing in it was changed. Name a new folder.")
    place = folder if is_there else folder.parent
    stack = contextlib.ExitStack()
    try:
        place.mkdir(parents=True, exist_ok=True)
        made = stack.enter_context(temporary_folder("lxmls-day1-new-", place)) / folder.name
        made.mkdir()
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{folder} lies in a file; name a folder.") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{folder} cannot be {'written to' if is_there else 'made'}: {reason}.") from error
    moved: list[Path] = []
    try:
        with stack, report_errors_for(folder):
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


def write_files(folder: Path, files: Files) -> None:
    """Write files into a folder that no other process uses yet."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def workspace_of(lab: Lab, command: str) -> Path:
    """Return the folder that a student's command works on: the lab that was named, or the workspace around the current folder.

    The reference lab counts only if it was named.

    Raises
    ------
    InputError
        If no workspace was named, and the current folder is not in a workspace.
    """
    if lab.is_explicit or workspace_state.is_workspace(lab.folder):
        return lab.folder
    here = current_folder()
    near = [f" (`{shell_quoted('cd', path.name)}`)" for path in workspaces_below(here)[:1]]
    naming = 'open it with open_lab("DIR")' if command.startswith("lab.") else "name it with --lab DIR"
    raise InputError(
        f"{here} is not in a lab of your own, and `{command}` does not change the reference lab. "
        f"Go to your lab{''.join(near)}, {naming}, or make one with `lxmls-day1 start DIR`."
    )


def shell_quoted(*arguments: str, windows: bool = os.name == "nt") -> str:
    """Return the arguments of a command quoted for the shell.

    Examples
    --------
    >>> shell_quoted("cd", "my lab/one", windows=False), shell_quoted("cd", "my lab", windows=True)
    ("cd 'my lab/one'", 'cd "my lab"')
    """
    return subprocess.list2cmdline(arguments) if windows else shlex.join(arguments)


def workspaces_below(folder: Path) -> list[Path]:
    """Return the workspaces directly in a folder."""
    try:
        return sorted(path for path in folder.iterdir() if is_lab_folder(path) and workspace_state.is_workspace(path))
    except OSError:
        return []


def workspace_folder(folder: Path, command: str) -> Path:
    """Return the lab folder if it is a workspace, which may be written to.

    Raises
    ------
    InputError
        If the folder is the reference lab.
    """
    if not workspace_state.is_workspace(folder):
        raise InputError(
            f"{folder} is the reference lab, in which `{command}` changes nothing; make a workspace of your own with "
            "`lxmls-day1 start DIR`, or name one with --lab."
        )
    return folder
