"""The files of a lab in a box: the student's files for the exercises, and the starter files for the rest."""

import sys
from collections.abc import Collection, Iterable
from importlib.machinery import PathFinder
from pathlib import Path, PurePosixPath

from lxmls_day1.course.registry import Exercise
from lxmls_day1.course.workspaces.generation import Files
from lxmls_day1.course.workspaces.upgrade import migrate_source
from lxmls_day1.grading.intake.submissions import Submission, truncate_warnings
from lxmls_day1.grading.intake.untrusted_files import LAB_FOLDERS, display_name
from lxmls_day1.library_path import PACKAGES

# Python prefers some of these to a .py file.
COMPILED_SUFFIXES = (".so", ".pyd", ".pyc", ".pyo", ".dll", ".dylib", ".pth")


def box_files(
    submission: Submission,
    starter_files: Files,
    exercises: Iterable[Exercise],
    graded: Iterable[Exercise] | None = None,
) -> tuple[Files, tuple[str, ...]]:
    """Return the files with which a submission runs: the student's files for the exercises, and the starter files for the rest.

    Parameters
    ----------
    submission : Submission
    starter_files : dict from path to content
        The starter files: `student_files` of the reference lab.
    exercises : iterable of Exercise
        All exercises of the registry. The student's versions of their files are used. The starter file, with its stubs,
        replaces each file that was not handed in.
    graded : iterable of Exercise, optional
        The exercises whose missing files are reported. Default: `exercises`.

    Returns
    -------
    files : dict from path to content
        Only ``readers/``, ``classifiers/``, and Python files in the root folder of the lab.
    warnings : tuple of str

    Examples
    --------
    >>> def path(name): return PurePosixPath(name)
    >>> starter_files = {path("classifiers/__init__.py"): b"", path("classifiers/losses.py"): b"a = 1"}
    >>> theirs = {path("classifiers/losses.py"): b"a = 2", path("random.py"): b"", path("classifiers/mine.py"): b""}
    >>> files, warnings = box_files(Submission("ada", "Ada", "ada.zip", "", theirs), starter_files, [])
    >>> sorted(map(str, files)), files[path("classifiers/losses.py")]
    (['classifiers/__init__.py', 'classifiers/losses.py', 'classifiers/mine.py'], b'a = 1')
    >>> for warning in warnings: print(warning)
    classifiers/losses.py was changed; the file that was given out is used.
    random.py was put aside: Python has a module of that name.
    """
    theirs, exercises = submission.files, list(exercises)
    needed = {PurePosixPath(name) for exercise in (exercises if graded is None else graded) for name in exercise.files}
    to_write = {PurePosixPath(name) for exercise in exercises for name in exercise.files}
    files: Files = {}
    warnings: list[str] = []
    missing, changed = [], []
    for path, content in starter_files.items():
        if path.parts[0] not in PACKAGES:
            continue
        if path in to_write:
            if path in theirs:
                older = migrate_source(theirs[path], content)
                files[path] = older or theirs[path]
                if older:
                    warnings.append(
                        f"{display_name(path)} is from an older lab; its functions run in the current file."
                    )
            else:
                missing += [path] if path in needed else []
                files[path] = content  # starter files may import it even if the student has not written it
            continue
        files[path] = content
        if theirs.get(path, content) != content and _normalized_text(theirs[path]) != _normalized_text(content):
            changed.append(display_name(path))
    if len(changed) > 3:  # another version of the package made this lab
        warnings.append(
            f"{len(changed)} given files are not from this version, {', '.join(changed[:3])} among them; this version's are used."
        )
    else:
        warnings += [f"{name} was changed; the file that was given out is used." for name in changed]
    own = [path for path in theirs if path not in starter_files]
    in_the_lab = [path for path in own if path.parts[0] in PACKAGES or (len(path.parts) == 1 and path.suffix == ".py")]
    if in_the_lab:
        modules = {str(path.with_suffix("")).casefold() for path in starter_files if path.suffix == ".py"}
        modules |= {str(path).casefold() for path in starter_files}
        taken = {str(path).casefold() for path in files}
        folders_taken = {str(folder).casefold() for path in files for folder in path.parents}
    for path in sorted(in_the_lab):
        if reason := _ignored_reason(path, modules, taken, folders_taken):
            warnings.append(f"{display_name(path)} was put aside: {reason}.")
        else:
            files[path] = theirs[path]
    if missing:
        warnings.append(f"Not handed in: {', '.join(map(str, missing))}.")
    return dict(sorted(files.items(), key=lambda item: str(item[0]))), truncate_warnings(warnings)


def _ignored_reason(
    path: PurePosixPath, modules: Collection[str], taken: Collection[str], folders_taken: Collection[str]
) -> str:
    """Return the reason why one of the student's own files cannot be in the box, or an empty string if it can."""
    if path.suffix.casefold() in COMPILED_SUFFIXES:
        return "only Python source is run"
    if str(path).casefold() in taken:
        return "a file of the lab has the same name except for capital letters"
    if str(path).casefold() in folders_taken:
        return "a folder of the lab has that name"
    if len(path.parts) == 1:
        module = path.stem.partition(".")[0]
        if module.casefold() in LAB_FOLDERS or module in ("lxmls_day1", "conftest", "sitecustomize", "usercustomize"):
            return "the lab has a module of that name"
        if module in sys.stdlib_module_names:
            return "Python has a module of that name"
        if PathFinder.find_spec(module, [entry for entry in sys.path if Path(entry).name.endswith("-packages")]):
            return "an installed library has that name"
    elif any(str(parent).casefold() in modules for parent in path.parents):
        return "its folder has the name of a file of the lab"
    return ""


def _normalized_text(content: bytes) -> bytes:
    """Return a text without the things that editors change: byte order mark, line ends, blanks at the ends of lines."""
    lines = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return b"\n".join(line.rstrip() for line in lines).rstrip()
