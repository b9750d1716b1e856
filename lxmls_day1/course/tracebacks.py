"""A student's error, with the part of its traceback that stands in the student's own files."""

import linecache
import traceback
from collections.abc import Collection
from pathlib import Path

from lxmls_day1.errors import InputError
from lxmls_day1.lab import PACKAGES, describe_exception, is_within, why_not_python

MOST_FRAMES = 5


def trimmed_traceback(
    error: BaseException, lab_folder: Path, files: Collection[str] = (), check_file: Path | None = None
) -> str:
    """The frames that stand in the student's files, and the error.

    Parameters
    ----------
    error : exception that was caught
    lab_folder : Path
    files : collection of str
        The files of the exercise; frames in other files of the lab are shown only if there is none in these.
    check_file : Path, optional
        Shown where the student's files have no frame: a call that failed before it came there.

    Returns
    -------
    str
        For an `InputError` its message, which says all there is to say.
    """
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(Path(error.filename), lab_folder)}:{error.lineno}: {why_not_python(error)}"
    frames = traceback.extract_tb(error.__traceback__)
    linecache.checkcache()
    mine = [f for f in frames if any(_is_file(f.filename, lab_folder / name) for name in files)]
    mine = mine or [f for f in frames if any(is_within(Path(f.filename), lab_folder / name) for name in PACKAGES)]
    mine = mine or [f for f in frames if check_file is not None and _is_file(f.filename, check_file)][-1:]
    lines = [f"… {len(mine) - MOST_FRAMES} more calls"] if len(mine) > MOST_FRAMES else []
    for frame in mine[-MOST_FRAMES:]:
        lines.append(f"{_shown(Path(frame.filename), lab_folder)}:{frame.lineno}, in {frame.name}")
        if frame.line:
            lines.append(f"    {frame.line}")
    return "\n".join([*lines, describe_exception(error)])


def _is_file(filename: str, path: Path) -> bool:
    return Path(filename).name == path.name and Path(filename).resolve() == path.resolve()


def _shown(path: Path, folder: Path) -> str:
    for candidate in (path, path.resolve()):
        if candidate.is_relative_to(folder):
            return candidate.relative_to(folder).as_posix()
    return path.name
