"""The temporary files of runs; the next run removes those of a killed one."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lxmls_day1.whole_files import locked, temporary_folder, unlock

ALIVE, PREFIX = ".alive", "lxmls-day1-run-"
PASSABLE = 0o711  # boxes that belong to another user have folders of their own in it
_current: list[Path] = []


@contextlib.contextmanager
def run_folder() -> Iterator[Path]:
    """The folder of all temporary files of a run. Those of runs that were killed are removed first.

    Inside the block, `tempfile` makes its files there, in this process and in those that it starts. Nested blocks share one folder.
    """
    if _current:
        yield _current[-1]
        return
    clear_leftovers()
    before, variable = tempfile.tempdir, os.environ.get("TMPDIR")
    with temporary_folder(PREFIX) as folder:
        for place in (folder.parent, folder):
            place.chmod(PASSABLE)
        with (folder.parent / ALIVE).open("a+", encoding="utf-8") as file:
            locked(file)
            _current.append(folder)
            tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
            try:
                yield folder
            finally:
                _current.pop()
                tempfile.tempdir = before
                os.environ.pop("TMPDIR")
                if variable is not None:
                    os.environ["TMPDIR"] = variable
                unlock(file)


def clear_leftovers() -> None:
    """Remove the temporary folders of runs whose process is gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or (hasattr(os, "geteuid") and folder.stat().st_uid != os.geteuid()):
                continue
            with (folder / ALIVE).open("r+", encoding="utf-8") as file:
                if not locked(file):
                    continue
                unlock(file)
            shutil.rmtree(folder, ignore_errors=True)
