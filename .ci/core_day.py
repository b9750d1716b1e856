"""A student's core day with the installed package, by its commands alone: what the workflows run on macOS and Windows.

    python .ci/core_day.py

imports every module, trains on the toy corpus, starts a workspace in a temporary folder, checks and solves each exercise, hands in,
updates, and unpacks the work again. Text files of the workspace get the line ends of Windows first, as git and editors there write them.
It prints a line for each step, and ends with status 1 at the first that fails.
"""

import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePath, PureWindowsPath

#: Imported only for a set-up with numba, by the sandbox of Linux, or not to be imported at all.
ELSEWHERE = ("intrinsics", "machine_code", "__main__", "seccomp", "confinement")
TEXTS = {".py", ".toml", ".md", ".json", ".ipynb", ".txt", ".cfg"}


def main() -> None:
    """Run the day."""
    import lxmls_day1
    from lxmls_day1.base.errors import InputError

    modules = [module.name for module in pkgutil.walk_packages(lxmls_day1.__path__, "lxmls_day1.")]
    imported = 0
    for name in modules:
        if not name.endswith(ELSEWHERE) and ".reference_lab" not in name:
            try:
                importlib.import_module(name)
                imported += 1
            except (ImportError, InputError) as error:  # of an extra that is not installed
                missing = error if isinstance(error, ModuleNotFoundError) else error.__cause__ or error.__context__
                if not isinstance(missing, ModuleNotFoundError) or (missing.name or "").startswith("lxmls_day1"):
                    raise
    print(f"Python {sys.version.split()[0]} on {sys.platform}: {imported} modules of lxmls_day1 can be imported")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary, "a day, für Ada")
        folder.mkdir()
        day(folder)


def day(folder: Path) -> None:
    """Do the exercises in a workspace below a folder."""
    lab = folder / "my-lab"
    run(folder, "run", "--domain", "toy", "--out", str(folder / "out"), shows="MIRA")
    run(folder, "start", "my-lab", shows="8 exercises")
    require_portable_names(path.relative_to(lab) for path in lab.rglob("*"))
    n_changed = sum(map(with_windows_line_ends, lab.rglob("*")))
    print(f"  {n_changed} files have CRLF line ends now")
    run(lab, "status", shows="1.4")
    for exercise in ("1.2", "1.3", "1.4", "1.5", "1.6", "1.7"):
        run(lab, "check", exercise, shows="still to be written", status=1)
        run(lab, "hint", exercise)
        run(lab, "solve", exercise)
        run(lab, "check", exercise, shows="pass")
    wrong = lab / "classifiers" / "mira.py"
    right = wrong.read_bytes()
    wrong.write_bytes(right.replace(b"2.0 *", b"1.0 *").replace(b"2 *", b"1 *"))
    run(lab, "check", "1.5", shows="1.5", status=1)
    wrong.write_bytes(right)
    run(lab, "undo")
    run(lab, "check", "1.7", shows="still to be written", status=1)
    run(lab, "update")
    run(lab, "check", "1.5", shows="pass")
    run(lab, "submit", "--name", "Ada Łovelace")
    (packed,) = lab.glob("*.zip")
    with zipfile.ZipFile(packed) as archive:
        require_portable_names(map(PureWindowsPath, archive.namelist()))
    run(folder, "start", "again")
    code = f"from lxmls_day1.notebook_lab import open_lab; open_lab().open_work({str(packed)!r})"
    python(folder / "again", "-c", code)
    run(folder / "again", "check", "1.5", shows="pass")
    run(lab, "doctor", status=None)
    print("The day is done.")


def run(folder: Path, *arguments: str, shows: str = "", status: int | None = 0) -> None:
    """Run a command of the package, and require its exit status and a text in its output; `status` None allows any."""
    python(folder, "-P", "-m", "lxmls_day1", *arguments, shows=shows, status=status)


def python(folder: Path, *arguments: str, shows: str = "", status: int | None = 0) -> None:
    """Run this Python in a folder, as `run` does."""
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, check=False)
    output = (done.stdout + done.stderr).decode(os.environ.get("PYTHONIOENCODING") or "utf-8", "replace")
    named = " ".join(arguments[3:] if "lxmls_day1" in arguments else arguments)
    if status not in (None, done.returncode) or shows not in output or "Traceback" in output:
        sys.exit(f"FAILED, with status {done.returncode}: {named}\n{output}")
    print(f"  {ascii(named)[1:-1]}")  # The console may not have every letter.


def with_windows_line_ends(path: Path) -> bool:
    """Give a text file the line ends of Windows; return True if it has changed."""
    if not path.is_file() or path.suffix not in TEXTS or ".git" in path.parts:
        return False
    content = path.read_bytes()
    path.write_bytes(content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    return path.read_bytes() != content


def require_portable_names(names: Iterable[PurePath]) -> None:
    """Exit if a name cannot exist on Windows, or two names are one where case does not count."""
    from lxmls_day1.grading.intake.found_submission import RESERVED

    names = [name for name in names if name.parts]
    bad = [name for name in names for part in name.parts if set(part) & set('<>:"|?*\\') or part != part.rstrip(". ")]
    bad += [name for name in names if any(map(RESERVED.fullmatch, name.parts))]
    folded: dict[str, set[str]] = {}
    for name in names:
        folded.setdefault(str(PureWindowsPath(name)).casefold(), set()).add(name.as_posix())
    bad += [pair for pair in folded.values() if len(pair) > 1]
    if bad:
        sys.exit(f"FAILED: names that other systems do not allow, or do not tell apart: {bad}")


if __name__ == "__main__":
    main()
