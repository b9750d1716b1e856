"""Atomic writes (a file is either written completely or not changed), temporary folders, and locks on output folders."""

import contextlib
import errno
import json
import os
import re
import secrets
import shutil
import socket
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar

from lxmls_day1.base.errors import InputError
from lxmls_day1.library_path import STARTS_PROCESSES

LOCK, ALIVE = ".lock", ".alive"
OURS = "lxmls-day1-"  # prefix of our temporary folders
_locked: set[Path] = set()
_Path = TypeVar("_Path", bound=str | os.PathLike[str])


def replace_files(contents: Mapping[_Path, bytes]) -> None:
    """Write several files atomically.

    Each content first goes to a new file in the same folder. Only when all are complete are they renamed to their targets, so a full
    disk or an interruption leaves the old files, and no partial files. Existing files keep their permissions. A symbolic link is kept:
    its target is written. Devices, pipes and sockets are not replaced.

    Parameters
    ----------
    contents : mapping from path to bytes
        The folders of the paths must exist.

    Raises
    ------
    InputError
        If a path exists and is not a regular file; then nothing is written.
    OSError
        As from opening, writing and renaming a file; its ``filename`` is the path in `contents`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_files({Path(folder, "marks.csv"): b"mira,0.9"})
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('marks.csv', 'mira,0.9')]
    """
    places = [replaceable(path) for path in contents]
    written: list[tuple[Path, Path, Path]] = []
    try:
        for wanted, place, content in zip(map(Path, contents), places, contents.values(), strict=True):
            beside = _beside(place)
            written.append((beside, place, wanted))
            with named(wanted):
                with beside.open("xb") as file:
                    file.write(content)
                if place.is_file():
                    shutil.copymode(place, beside)
        for beside, place, wanted in written:
            with named(wanted):
                os.replace(beside, place)
    finally:
        for beside, _, _ in written:
            beside.unlink(missing_ok=True)


def renew_file(path: Path, content: bytes) -> None:
    """Rewrite a cache file. Whatever is at its path is removed first, be it a link, a pipe or an unreadable file.

    Raises
    ------
    OSError
        If the path is a folder, or as from writing.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "kept")
    ...     path.symlink_to("kept")
    ...     renew_file(path, b"content")
    ...     path.read_bytes()
    b'content'
    """
    path.unlink(missing_ok=True)
    replace_files({path: content})


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open one file to write atomically piece by piece, as a context manager. The file appears at `path` when the block ends.

    Links, permissions and errors are treated as in `replace_files`, but the whole content need not be in memory.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "marks.csv")) as file:
    ...         _ = file.write(b"mira,0.9")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('marks.csv', 'mira,0.9')]
    """
    place = replaceable(path)
    beside = _beside(place)
    try:
        with named(Path(path)):
            with beside.open("xb") as file:
                yield file
            if place.is_file():
                shutil.copymode(place, beside)
            os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def remove_parts(path: str | os.PathLike[str]) -> None:
    """Remove partial files that killed processes left while writing `path`. Every write calls this first.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, f".marks.csv.{_computer()}{0x7fffffff:08x}0123.part").touch()  # No process has this PID.
    ...     remove_parts(Path(folder, "marks.csv"))
    ...     list(Path(folder).iterdir())
    []
    """
    place = Path(os.path.realpath(path))
    with (
        contextlib.suppress(OSError),
        os.scandir(place.parent) as entries,
    ):  # The folder may be missing or unreadable.
        for part in [entry for entry in entries if entry.name.startswith(f".{place.name[:40]}.")]:
            if written_for(Path(part.name)) == place.name[:40] and _writer_has_ended(part.name):
                os.unlink(part.path)


_PART = re.compile(r"\.(.+)\.([0-9a-f]{8})([0-9a-f]{8})[0-9a-f]{4}\.part", re.DOTALL)  # host, PID, and a random number


def written_for(part: Path) -> str | None:
    """Return the beginning of the name of the file that a partial file was meant to replace, or None if it is not our partial file.

    Examples
    --------
    >>> written_for(Path(".marks.csv.0123abcd000004d20a1b.part")), written_for(Path(".film.part"))
    ('marks.csv', None)
    """
    found = _PART.fullmatch(part.name)
    return found and found[1]


def _writer_has_ended(name: str) -> bool:
    """Return True if the process that wrote a partial file has ended. For other hosts this is unknown, so return False."""
    found = _PART.fullmatch(name)
    # On Windows, os.kill(pid, 0) would end the process.
    if found is None or found[2] != _computer() or os.name == "nt":
        return False
    try:
        os.kill(int(found[3], 16), 0)
    except ProcessLookupError:
        return True
    except OSError:  # The process is alive and belongs to another user.
        return False
    return False


def _computer() -> str:
    """Return a number for this host and its PID namespace: elsewhere, the same PID is another process."""
    name_space = ""
    with contextlib.suppress(OSError):  # Only Linux has this file.
        name_space = os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(f'{socket.gethostname()} {name_space}'.encode()):08x}"


def _beside(place: Path) -> Path:
    """Return a new file name in the same folder, within the maximum length of file names."""
    if not place.name:  # The path is the root folder.
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
    remove_parts(place)
    # The file system in a browser decides by the suffix of a new file whether it is text, and cannot create an empty JSON file.
    ending = "" if STARTS_PROCESSES or place.suffix in (".json", ".ipynb") else place.suffix
    return place.with_name(f".{place.name[:40]}.{_computer()}{os.getpid():08x}{secrets.token_hex(2)}.part{ending}")


def replaceable(path: str | os.PathLike[str]) -> Path:
    """Return the path that a write really changes: `path`, or its target if it is a symbolic link.

    Raises
    ------
    InputError
        If the path is a device, pipe, socket or cyclic link, because replacing it would break its users.
    """
    place = Path(os.path.realpath(path))
    try:
        mode = place.lstat().st_mode
    except OSError:  # Either nothing is there or access is denied; the write itself will raise the right error.
        return place
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{path} is not a regular file, so it is not replaced; name another file.")
    return place


def check_readable(path: str | os.PathLike[str], remedy: str, pipes: bool = False) -> os.stat_result:
    """Return the `os.stat` result of a file that is about to be read, or raise an error if reading might never end.

    Parameters
    ----------
    path : path
    remedy : str
        What the user should do, for the message.
    pipes : bool
        True allows pipes, whose end comes when the writer closes them, and folders, for which reading raises an error.

    Raises
    ------
    InputError
        If it is a device; or, without ``pipes``, anything but a regular file.
    OSError
        As from `os.stat`.

    Examples
    --------
    >>> try:
    ...     check_readable(os.devnull, "name a file")
    ... except InputError as error:
    ...     print(str(error).partition(" ")[2])
    is not a regular file; name a file
    """
    found = os.stat(path)
    if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode) or not (pipes or stat.S_ISREG(found.st_mode)):
        raise InputError(f"{path} is not a regular file; {remedy}")
    return found


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check before a long computation that its result can be written to `path`. The check creates and removes an empty file beside it.

    Raises
    ------
    InputError
        As from `replaceable`.
    OSError
        As from opening a new file; its ``filename`` is `path`.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_writable(Path(folder, "model.npz"))
    ...     list(Path(folder).iterdir())
    []
    """
    beside = _beside(replaceable(path))
    try:
        with named(Path(path)):
            beside.touch(exist_ok=False)
    finally:
        beside.unlink(missing_ok=True)


@contextlib.contextmanager
def temporary_folder(prefix: str, place: str | os.PathLike[str] | None = None, mode: int = 0o700) -> Iterator[Path]:
    """Make a temporary folder, as a context manager. It is removed afterwards, even if Ctrl-C interrupts the removal.

    If a process is killed, its folder remains until the next call removes it (`remove_abandoned`).

    Parameters
    ----------
    prefix : str
        Prefix of the folder's name.
    place : path, optional
        The parent folder. Default: the system's folder for temporary files.
    mode : int
        Permission bits of the folder.

    Examples
    --------
    >>> with temporary_folder("lxmls-day1-") as folder:
    ...     written = folder.joinpath("marks.csv").write_text("mira,0.9")
    >>> folder.exists()
    False
    """
    remove_abandoned(Path(place or tempfile.gettempdir()))
    with (  # The inner folder is removed first; if that is interrupted, removing the outer one removes it, too.
        tempfile.TemporaryDirectory(prefix=prefix, dir=place, ignore_cleanup_errors=True) as outer,
        _marked(Path(outer)),
        tempfile.TemporaryDirectory(dir=outer, ignore_cleanup_errors=True) as inner,
    ):
        for folder in (outer, inner):
            os.chmod(folder, mode)
        yield Path(inner)


@contextlib.contextmanager
def _marked(folder: Path) -> Iterator[None]:
    """Hold a lock on a marker file in a folder. The kernel releases the lock when this process ends; other users cannot open the file."""
    with open(os.open(folder / ALIVE, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "rb+", buffering=0) as file:
        if locked(file, without_locks=False):
            with contextlib.suppress(OSError):  # If the disk is full, the marker stays empty.
                file.seek(0)
                file.write(_mark(file))
        yield


def _mark(file: IO[bytes]) -> bytes:
    """Return the content of a marker file: host name and inode.

    A copied or unpacked folder, or one on another host (where the lock may be invisible), therefore never matches its marker.
    """
    return f"{socket.gethostname()} {os.fstat(file.fileno()).st_ino}".encode()


def remove_abandoned(place: Path) -> None:
    """Remove folders in `place` that `temporary_folder` made for processes that ended without removing them.

    A folder that may be in use stays: one without a marker, with a marker that was never locked, or with the marker of another folder or
    host. Symbolic links and folders of other users stay, too.

    Examples
    --------
    >>> with temporary_folder("lxmls-day1-") as folder:
    ...     remove_abandoned(folder.parent.parent)
    ...     folder.exists()
    True
    """
    for folder in place.glob(f"{OURS}*"):
        with contextlib.suppress(OSError):  # The marker is missing, or the folder was removed in the meantime.
            about = folder.lstat()
            is_ours = not hasattr(os, "geteuid") or about.st_uid == os.geteuid()
            if stat.S_ISDIR(about.st_mode) and is_ours and _is_abandoned(folder):
                for inside in filter(Path.is_dir, folder.iterdir()):
                    # The marker goes last, so that the next process can continue an interrupted removal.
                    remove_folder(inside)
                remove_folder(folder)


def _is_abandoned(folder: Path) -> bool:
    """Return True if the marker file of a folder was locked once and is not locked any more."""
    # The marker may have been replaced by a link or a pipe.
    safely = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(folder / ALIVE, os.O_RDWR | safely), "rb+", buffering=0) as file:
        return file.read(1000) == _mark(file) and locked(file, without_locks=False)


def remove_folder(folder: Path) -> None:
    """Remove a folder with untrusted contents, nested to any depth. Entries that cannot be removed stay.

    `shutil.rmtree` is recursive and fails at about a thousand levels. Nothing outside the folder is changed: symbolic links are removed,
    not followed, and no other user can replace a folder by a link between the check and the removal.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "a" / "b").mkdir(parents=True)
    >>> remove_folder(folder)
    >>> folder.exists()
    False
    """
    if folder.is_symlink():
        with contextlib.suppress(OSError):
            folder.unlink()
        return
    found, number = [str(folder)], 0
    for place in found:  # Each nested folder moves to the top, where its path is short, and is processed later.
        with contextlib.suppress(OSError):
            _take(place)
            with os.scandir(place) as entries:
                inside = list(entries)
            for entry in inside:
                with contextlib.suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)
                    elif place == found[0]:
                        found.append(entry.path)
                    else:
                        number += 1
                        top = os.path.join(folder, f"{secrets.token_hex(8)}-{number}")
                        _take(entry.path)
                        os.rename(entry.path, top)
                        found.append(top)
    for place in reversed(found):
        with contextlib.suppress(OSError):
            os.rmdir(place)


def _take(folder: str) -> None:
    """Make a folder inside a private folder private as well, so that no other user can change its contents from now on."""
    if hasattr(os, "geteuid") and os.lstat(folder).st_uid != os.geteuid():
        os.lchown(folder, os.geteuid(), -1)
    os.chmod(folder, 0o700)


@contextlib.contextmanager
def locked_folder(out: Path, doing: str) -> Iterator[None]:
    """Reserve an output folder for this process, as a context manager. The kernel releases the lock when the process ends.

    Parameters
    ----------
    out : Path
        The folder; it is created if it does not exist.
    doing : str
        What this process does with the folder, for the message that other processes get: ``"grading into"``.

    Raises
    ------
    InputError
        If another process holds the lock (the message has its PID), or if the lock file is a link, a pipe or a device.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked_folder(Path(folder), "writing into"):
    ...     [path.name for path in Path(folder).iterdir()]
    ['.lock']
    """
    place = out.resolve()
    if place in _locked:
        yield
        return
    place.mkdir(parents=True, exist_ok=True)
    with _opened_lock(place / LOCK) as file:
        if not locked(file):
            raise InputError(
                f"{_holder(file)} is {doing} {out} at the moment; wait until it is done, or choose another folder "
                "with --out."
            )
        with named(place / LOCK):
            file.seek(0)
            file.truncate()
            owner = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
            os.write(
                file.fileno(),
                owner.encode(),
                # os.write does not buffer: on a full disk, a buffered write would fail at close, without the file's name.
            )
        _locked.add(place)
        try:
            yield
        finally:
            _locked.discard(place)
            unlock(file)


def _opened_lock(path: Path) -> IO[str]:
    """Open the lock file. Refuse a symbolic link, whose target would be emptied, and a pipe, which would block."""
    safely = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is not a regular file, so it cannot be a lock; remove it, or choose another folder.")
    with named(path):
        return open(os.open(path, os.O_RDWR | os.O_CREAT | safely, 0o666), "r+", encoding="utf-8")


def _holder(file: IO[str]) -> str:
    try:
        file.seek(0)
        content = json.load(file)
        return f"process {int(content['pid'])} on {content['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def locked(file: IO[Any], without_locks: bool = True, wait: bool = False) -> bool:
    """Try to lock a file; return True if this process holds the lock now.

    With `wait`, block until another process releases its lock, however long that takes. Return `without_locks` if the file system or the
    browser does not support locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # Windows has only msvcrt, Unix only fcntl.

            file.seek(1 << 20)  # Locking a byte far behind the text keeps the text readable.
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            from fcntl import LOCK_EX, LOCK_NB, flock

            flock(file.fileno(), LOCK_EX if wait else LOCK_EX | LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except (OSError, ImportError):  # In a browser, `fcntl` may be an empty module.
        return without_locks
    return True


def unlock(file: IO[Any]) -> None:
    """Release the lock on a file."""
    with contextlib.suppress(OSError, ImportError):
        if sys.platform == "win32":
            import msvcrt  # Windows has only msvcrt, Unix only fcntl.

            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            from fcntl import LOCK_UN, flock

            flock(file.fileno(), LOCK_UN)


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """Make an OSError raised in the block name `path`, not the temporary file beside it (or no file at all, as on a full disk)."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
