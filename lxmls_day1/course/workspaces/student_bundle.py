"""The bundle that an instructor distributes: a workspace, and a wheel of this package without solutions.

The wheel is built from a copy of the checkout in which the student's lab replaces the lab. The same checkout and the same versions give
the same bytes, because entries are sorted, and times and modes are fixed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from lxmls_day1.base.atomic_files import temporary_folder, write_files_atomically
from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.course.workspaces.archives import source_date, zipped
from lxmls_day1.course.workspaces.generation import BUILD_ARTIFACTS, Files, reference_files, solved_files, student_files
from lxmls_day1.course.workspaces.leaks import find_code_leaks, find_solution_leaks, solution_lines
from lxmls_day1.course.workspaces.workspace import new_folder, with_workspace_files, write_files
from lxmls_day1.lab import reference_folder

STUDENT, INSTRUCTOR = "lxmls-day1-lab", "lxmls-day1-lab-with-solutions"
#: Solutions in compiled form. The engine runs without them, and the rules of students then run themselves.
FASTER_SOLUTIONS = (PurePosixPath("lxmls_day1/engine/kernels/rules_in_place.py"),)
BUILD_FILES = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
INSTALLATION = """Set up once, with Python 3.11 or newer, in this folder:

    python -m venv .venv
    .venv/bin/python -m pip install {constraints}"./{wheel}[fast,notebook]"      (Windows: .venv\\Scripts\\python)

and then, in every new terminal, `source .venv/bin/activate` (Windows: `.venv\\Scripts\\activate`). """

#: The first line of the cell with which every notebook opens the lab, and the text that is put before it for Colab.
OPENING = "from lxmls_day1.lab_api import open_lab\n"
FROM_COLAB = """\
import subprocess, sys
from importlib.util import find_spec
from pathlib import Path

if "google.colab" in sys.modules and find_spec("lxmls_day1") is None:  # fetch the course, and install what is in it
    if not Path("lab").is_dir():
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", "{address}", "lab"], check=True)
    wheel = next(Path("lab").glob("*.whl"), Path("lab"))
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", f"{{wheel.resolve()}}[fast]"], check=True)

"""


@dataclass(frozen=True)
class Release:
    """The result of a release: a folder, a zip file with the same content, and the exercises that are stubs in it."""

    folder: Path
    archive: Path
    stubbed: tuple[str, ...]
    n_files: int


def release(
    out: str | os.PathLike[str], assigned: Collection[str] | None = None, with_solutions: bool = False, course: str = ""
) -> Release:
    """Make the bundle for students, or with solutions the bundle for instructors.

    Parameters
    ----------
    out : path
        A folder, created if it does not exist; it must not contain the bundle yet.
    assigned : collection of str, optional
        The exercises that students are to solve; the others come with their solutions. Default: all.
    with_solutions : bool
        If True, include the solutions, hidden checks and known mistakes.
    course : str, optional
        The address of the git repository in which the bundle will be published; notebooks opened on Colab clone it.

    Returns
    -------
    Release

    Raises
    ------
    InputError
        If this is not a checkout, hatchling is not installed, the bundle exists already, or a line of a solution would
        be in it.
    """
    reference = find_checkout()
    name = INSTRUCTOR if with_solutions else STUDENT
    place = Path(os.path.expanduser(out)).resolve()
    folder, archive = place / name, place / f"{name}.zip"
    if folder.exists():
        raise _exists_error(folder)
    if with_solutions:
        wheel = build_wheel(reference, reference_files(reference))
        lab = BundledLab(add_colab_cell(solved_files(reference), course), *wheel, ())
    else:
        lab = student_lab(assigned, course)
    constraints = reference / "constraints.txt"
    installation = INSTALLATION.format(constraints="-c constraints.txt " * constraints.is_file(), wheel=lab.wheel_name)
    bundle = with_workspace_files(lab.files, folder, installation)
    if constraints.is_file():
        bundle[PurePosixPath("constraints.txt")] = constraints.read_bytes().replace(b"\r\n", b"\n")
    bundle[PurePosixPath(lab.wheel_name)] = lab.wheel
    if not with_solutions:
        require_no_leaks(bundle, lab.stubbed)
    content = zipped(bundle, name)
    # An identical archive may remain from a release that was killed.
    if archive.exists() and not (archive.is_file() and archive.read_bytes() == content):
        raise _exists_error(archive)
    with new_folder(folder) as made:
        write_files(made, bundle)
        write_files_atomically({archive: content})
    return Release(folder, archive, lab.stubbed, len(bundle))


def _exists_error(path: Path) -> InputError:
    return InputError(f"{path} exists already; nothing was changed. Delete it, or name another folder.")


@dataclass(frozen=True)
class BundledLab:
    """The files of a lab for distribution, a wheel with the same files, and the exercises that are stubs in it."""

    files: Files
    wheel_name: str
    wheel: bytes
    stubbed: tuple[str, ...]


def student_lab(assigned: Collection[str] | None = None, course: str = "") -> BundledLab:
    """Return the lab and the wheel for students; parameters and errors are those of `release`."""
    reference = find_checkout()
    stubbed = tuple(exercise.id for exercise in Registry.read(reference / FILE).select(assigned))
    files = add_colab_cell(student_files(reference, stubbed), course)
    return BundledLab(files, *build_wheel(reference, files, leave_out=FASTER_SOLUTIONS), stubbed)


def require_no_leaks(files: Files, stubbed: Collection[str]) -> None:
    """Raise an `InputError` if files (archives included) contain a line of the solutions of these exercises."""
    reference = reference_folder()
    found = find_solution_leaks(files, solution_lines(reference, stubbed)) + find_code_leaks(files, reference, stubbed)
    if found:
        raise InputError(f"nothing was released: {found[0]} would be in the bundle ({len(found)} such lines).")


def find_checkout() -> Path:
    """Return the reference lab, if a wheel can be built from it.

    Raises
    ------
    InputError
        If this is an installed package, or hatchling is not installed.
    """
    reference = reference_folder()
    if not (reference / "pyproject.toml").is_file():
        raise InputError("this needs a checkout of the repository, but the package is an installed one.")
    if find_spec("hatchling") is None:
        raise InputError('hatchling, which builds the wheel, is not installed: python -m pip install -e ".[fast,test]"')
    return reference


def add_colab_cell(files: Files, address: str) -> Files:
    """Return the files with notebooks that fetch and install the course when they are opened on Colab.

    Examples
    --------
    >>> path = PurePosixPath("notebooks/1.ipynb")
    >>> given = {path: json.dumps({"source": [OPENING]}).encode()}
    >>> lines = json.loads(add_colab_cell(given, "https://example.org/day-1.git")[path])["source"]
    >>> "https://example.org/day-1.git" in "".join(lines) and lines[-1] == OPENING
    True
    """
    if not address:
        return files
    if not re.fullmatch(r"[\w@:/.+~%=-]+", address):
        raise InputError(f"{address!r} is not the address of a git repository, such as https://example.org/day-1.git.")
    lines = (FROM_COLAB.format(address=address) + OPENING).splitlines(keepends=True)
    before, after = json.dumps(OPENING), ",\n    ".join(map(json.dumps, lines))
    return {
        path: content.replace(before.encode(), after.encode()) if path.suffix == ".ipynb" else content
        for path, content in files.items()
    }


def build_wheel(reference: Path, lab: Files, leave_out: Collection[PurePosixPath] = ()) -> tuple[str, bytes]:
    """Build the wheel of this checkout with other files for the lab, without the files ``leave_out``; return its name and content."""
    with temporary_folder("lxmls-day1-wheel-") as temporary:
        staging = Path(temporary, "staging")
        staging.mkdir()
        for name in BUILD_FILES:
            if (reference / name).is_file():
                shutil.copyfile(reference / name, staging / name)
        package: Files = {}
        for path in (reference / "lxmls_day1").rglob("*"):
            place = PurePosixPath(path.relative_to(reference).as_posix())
            if path.is_file() and place not in leave_out and not BUILD_ARTIFACTS.search(str(place)):
                package[place] = path.read_bytes()
        write_files(staging, {**package, **lab})
        result = subprocess.run(
            [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", temporary],
            cwd=staging,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(source_date())},
            capture_output=True,
            text=True,
            check=False,
        )
        wheels = list(Path(temporary).glob("*.whl"))
        if result.returncode or len(wheels) != 1:
            raise InputError(f"the wheel could not be built: {result.stderr.strip()[-1500:]}")
        return wheels[0].name, wheels[0].read_bytes()
