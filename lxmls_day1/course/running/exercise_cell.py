"""The context manager around the code of an exercise in a notebook: ``with lab.exercise("1.5"):``.

It does two things. First, an edited file of the lab takes effect when the cell runs again, without a restart: on entry the modules of
the lab are removed, so that an ``import`` in the cell reads them again. (`lxmls_day1.course.running.autoreload` does the same for
other cells.) Second, code that is not written yet raises `NotImplementedError`. This error ends the cell with one line that names the
exercise, and the rest of the notebook still runs. A later cell that lacks a name which this cell would have defined ends in the same way.
"""

import os
import re
import traceback
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.running.autoreload import Autoreload

COMMAND = re.compile(r"`lxmls-day1 hint ([\w.]+)`")  # the command in the message of a stub


class ExerciseCell:
    """The context manager behind ``lab.exercise``.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
    number : str
        The exercise, such as ``"1.5"``.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> with ExerciseCell(Lab.open(), "1.5"):
    ...     raise NotImplementedError("Exercise 1.5: MIRA; `lxmls-day1 hint 1.5` helps")
    Still to be done – Exercise 1.5: MIRA; `lab.hint("1.5")` helps
    >>> with ExerciseCell(Lab.open(), "1.5"):
    ...     print("done")
    done
    """

    def __init__(self, lab: Any, number: str):
        self.lab = lab
        self.number = str(number)

    def __enter__(self) -> Self:
        code = Autoreload.for_lab(self.lab)
        code.reload_changed()
        if not code.fault:
            self.lab.forget()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        waiting = Autoreload.for_lab(self.lab).unsolved
        place = location_in_lab(trace, self.lab.folder)
        if error is None:
            waiting.discard(self.number)
        if type(error) is NameError and self.number in waiting and not place:
            print(f"Waits for exercise {self.number}, which a cell above needs as well: {error}.")
            return True
        if not isinstance(error, NotImplementedError):
            if error is not None:
                error.with_traceback(own_frames_only(trace, self._files()))
            return False
        waiting.add(self.number)
        message = " ".join(str(error).split()) or f"Exercise {self.number}"
        message = COMMAND.sub(r'`lab.hint("\1")`', message)  # A web page has no command line.
        print(f"Still to be done – {message}{place and f' ({place}). Save the file, and run this cell again.'}")
        return True

    def _files(self) -> set[Path]:
        """Return the files in which students write."""
        try:
            exercises = list(Registry.from_folder(self.lab.folder))
        except InputError:  # A damaged registry must not hide the error in the cell.
            return set()
        return {(self.lab.folder / name).resolve() for exercise in exercises for name in exercise.files}


def own_frames_only(trace: TracebackType | None, files: Collection[Path]) -> TracebackType | None:
    """Return the traceback of an error in a student's file without the calls between the notebook's cell and that file.

    Parameters
    ----------
    trace : traceback
        A traceback that begins in the cell.
    files : collection of Path
        The files in which students write.

    Returns
    -------
    traceback
        The same traceback if the error was not raised in one of these files.
    """
    frames = [trace] if trace is not None else []
    while frames and frames[-1].tb_next is not None:
        frames.append(frames[-1].tb_next)
    own = [frame for frame in frames if Path(frame.tb_frame.f_code.co_filename).resolve() in files]
    if not own or own[-1] is not frames[-1]:
        return trace
    trimmed = None
    for frame in reversed([frames[0], *(frame for frame in own if frame is not frames[0])]):
        trimmed = TracebackType(trimmed, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return trimmed


def location_in_lab(trace: TracebackType | None, folder: str | os.PathLike[str]) -> str:
    """Return the location of an error in a lab, such as ``classifiers/mira.py, line 31``; empty if it is outside the lab.

    Parameters
    ----------
    trace : traceback
    folder : path

    Returns
    -------
    str
    """
    for frame in reversed(traceback.extract_tb(trace)):
        path = Path(frame.filename)
        if path.is_absolute() and path.is_relative_to(folder):
            return f"{path.relative_to(folder).as_posix()}, line {frame.lineno}"
    return ""
