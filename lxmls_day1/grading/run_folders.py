"""The lock on an output folder (one run at a time), and the temporary files of runs; the next run removes those of a killed one."""

import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lxmls_day1.errors import InputError
from lxmls_day1.whole_files import named, temporary_folder

LOCK, ALIVE, PREFIX = ".lock", ".alive", "lxmls-day1-run-"
PASSABLE = 0o711  # boxes that belong to another user have folders of their own in it
_held: set[Path] = set()
_current: list[Path] = []


@contextlib.contextmanager
def held(out: Path) -> Iterator[None]:
    """Keep an output folder for this process; the kernel lets go of it when the process ends, however it ends.

    Raises
    ------
    InputError
        If another process grades into it; the message has its number.
    """
    place = out.resolve()
    if place in _held:
        yield
        return
    place.mkdir(parents=True, exist_ok=True)
    with (place / LOCK).open("a+", encoding="utf-8") as file:
        if not _locked(file):
            raise InputError(
                f"{_holder(file)} is grading into {out} at the moment; wait until it is done, or choose another folder "
                "with --out."
            )
        with named(place / LOCK):
            file.seek(0)
            file.truncate()
            said = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
            os.write(
                file.fileno(), said.encode()
            )  # at once: on a full disk closing the file would fail without its name
        _held.add(place)
        try:
            yield
        finally:
            _held.discard(place)
            _unlock(file)


def _holder(file: IO[str]) -> str:
    try:
        file.seek(0)
        content = json.load(file)
        return f"process {int(content['pid'])} on {content['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


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
            _locked(file)
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
                _unlock(file)


def clear_leftovers() -> None:
    """Remove the temporary folders of runs whose process is gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or (hasattr(os, "geteuid") and folder.stat().st_uid != os.geteuid()):
                continue
            with (folder / ALIVE).open("r+", encoding="utf-8") as file:
                if not _locked(file):
                    continue
                _unlock(file)
            shutil.rmtree(folder, ignore_errors=True)


def _locked(file: IO[str]) -> bool:
    """Whether the lock on a file is ours now; also where the file system has no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt  # each system has one of these two only

            file.seek(1 << 20)  # the text before it can still be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


def _unlock(file: IO[str]) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            import msvcrt  # each system has one of these two only

            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_UN)
