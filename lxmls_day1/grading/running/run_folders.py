"""The temporary files of runs."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lxmls_day1.base.atomic_files import temporary_folder

PREFIX = "lxmls-day1-run-"
TRAVERSABLE_MODE = 0o711  # boxes that run as another user must be able to enter their own folders inside it
_current: list[Path] = []


@contextlib.contextmanager
def run_folder() -> Iterator[Path]:
    """Create the folder for all temporary files of a run, after removing the folders of runs that were killed.

    Inside the block, `tempfile` uses this folder, in this process and in its child processes. Nested blocks share one folder.
    """
    if _current:
        yield _current[-1]
        return
    before, variable = tempfile.tempdir, os.environ.get("TMPDIR")
    with temporary_folder(PREFIX, mode=TRAVERSABLE_MODE) as folder:
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
