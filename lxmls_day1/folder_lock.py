"""The lock on an output folder: one run at a time writes into it."""

import contextlib
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lxmls_day1.errors import InputError

LOCK = ".lock"
_held: set[Path] = set()


@contextlib.contextmanager
def held(out: Path, doing: str) -> Iterator[None]:
    """Keep an output folder for this process; the kernel lets go of it when the process ends, however it ends.

    Parameters
    ----------
    out : Path
        The folder; it is made if it is not there.
    doing : str
        What the holder does with it, for the message that others get: ``"grading into"``.

    Raises
    ------
    InputError
        If another process holds it; the message has its number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, held(Path(folder), "writing into"):
    ...     [path.name for path in Path(folder).iterdir()]
    ['.lock']
    """
    place = out.resolve()
    if place in _held:
        yield
        return
    place.mkdir(parents=True, exist_ok=True)
    with (place / LOCK).open("a+", encoding="utf-8") as file:
        if not locked(file):
            raise InputError(
                f"{_holder(file)} is {doing} {out} at the moment; wait until it is done, or choose another folder "
                "with --out."
            )
        file.seek(0)
        file.truncate()
        json.dump({"pid": os.getpid(), "host": socket.gethostname()}, file)
        file.flush()
        _held.add(place)
        try:
            yield
        finally:
            _held.discard(place)
            unlock(file)


def _holder(file: IO[str]) -> str:
    try:
        file.seek(0)
        content = json.load(file)
        return f"process {int(content['pid'])} on {content['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def locked(file: IO[str]) -> bool:
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


def unlock(file: IO[str]) -> None:
    """Let go of the lock on a file."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            import msvcrt  # each system has one of these two only

            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_UN)
