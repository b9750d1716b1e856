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
from lxmls_day1.library_path import CAN_START_PROCESSES

LOCK_FILE, MARKER_FILE = ".lock", ".alive"
FOLDER_PREFIX = "lxmls-day1-"  # prefix of our temporary folders
# Flags to open a file that another user may have replaced by a link, or by a pipe, which would block.
_NO_LINK_OR_PIPE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_locked_folders: set[Path] = set()
_Path = TypeVar("_Path", bound=str | os.PathLike[str])


def write_files_atomically(contents: Mapping[_Path, bytes]) -> None:
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
    ...     write_files_atomically({Path(folder, "marks.csv"): b"mira,0.9"})
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('marks.csv', 'mira,0.9')]
    """
    places = [resolve_target(path) for path in contents]
    written: list[tuple[Path, Path, Path]] = []
    try:
        for wanted, place, content in zip(map(Path, contents), places, contents.values(), strict=True):
            beside = _temporary_sibling(place)
            written.append((beside, place, wanted))
            with report_errors_for(wanted):
                with beside.open("xb") as file:
                    file.write(content)
                if place.is_file():
                    shutil.copymode(place, beside)
        for beside, place, wanted in written:
            with report_errors_for(wanted):
                os.replace(beside, place)
    finally:
        for beside, _, _ in written:
            beside.unlink(missing_ok=True)


def rewrite_cache_file(path: Path, content: bytes) -> None:
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
    ...     rewrite_cache_file(path, b"content")
    ...     path.read_bytes()
    b'content'
    """
    path.unlink(missing_ok=True)
    write_files_atomically({path: content})


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open one file to write atomically piece by piece, as a context manager. The file appears at `path` when the block ends.

    Links, permissions and errors are treated as in `write_files_atomically`, but the whole content need not be in memory.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder, "marks.csv")) as file:
    ...         _ = file.write(b"mira,0.9")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('marks.csv', 'mira,0.9')]
    """
    place = resolve_target(path)
    beside = _temporary_sibling(place)
    try:
        with report_errors_for(Path(path)):
            with beside.open("xb") as file:
                yield file
            if place.is_file():
                shutil.copymode(place, beside)
            os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def remove_partial_files(path: str | os.PathLike[str]) -> None:
    """Remove partial files that killed processes left while writing `path`. Every write calls this first.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, f".marks.csv.{_host_id()}{0x7fffffff:08x}0123.part").touch()  # No process has this PID.
    ...     remove_partial_files(Path(folder, "marks.csv"))
    ...     list(Path(folder).iterdir())
    []
    """
    place = Path(os.path.realpath(path))
    with contextlib.suppress(OSError), os.scandir(place.parent) as entries:  # The folder may be missing or unreadable.
        for part in [entry for entry in entries if entry.name.startswith(f".{place.name[:40]}.")]:
            if partial_file_target(Path(part.name)) == place.name[:40] and _writer_has_ended(part.name):
                os.unlink(part.path)


_PART = re.compile(r"\.(.+)\.([0-9a-f]{8})([0-9a-f]{8})[0-9a-f]{4}\.part", re.DOTALL)  # host, PID, and a random number


def partial_file_target(part: Path) -> str | None:
    """Return the beginning of the name of the file that a partial file was meant to replace, or None if it is not our partial file.

    Examples
    --------
    >>> partial_file_target(Path(".marks.csv.0123abcd000004d20a1b.part")), partial_file_target(Path(".film.part"))
    ('marks.csv', None)
    """
    found = _PART.fullmatch(part.name)
    return found and found[1]


def _writer_has_ended(name: str) -> bool:
    """Return True if the process that wrote a partial file has ended. For other hosts this is unknown, so return False."""
    found = _PART.fullmatch(name)
    # On Windows, os.kill(pid, 0) would end the process.
    if found is None or found[2] != _host_id() or os.name == "nt":
        return False
    try:
        os.kill(int(found[3], 16), 0)
    except OSError as error:  # Any other error means that the process is alive and belongs to another user.
        return isinstance(error, ProcessLookupError)
    return False


def _host_id() -> str:
    """Return a number for this host and its PID namespace: elsewhere, the same PID is another process."""
    name_space = ""
    with contextlib.suppress(OSError):  # Only Linux has this file.
        name_space = os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(f'{socket.gethostname()} {name_space}'.encode()):08x}"


def _temporary_sibling(target: Path) -> Path:
    """Return a new file name in the same folder, within the maximum length of file names."""
    if not target.name:  # The path is the root folder.
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    remove_partial_files(target)
    # The file system in a browser decides by the suffix of a new file whether it is text, and cannot create an empty JSON file.
    ending = "" if CAN_START_PROCESSES or target.suffix in (".json", ".ipynb") else target.suffix
    return target.with_name(f".{target.name[:40]}.{_host_id()}{os.getpid():08x}{secrets.token_hex(2)}.part{ending}")


def resolve_target(path: str | os.PathLike[str]) -> Path:
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
        As from `resolve_target`.
    OSError
        As from opening a new file; its ``filename`` is `path`.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_writable(Path(folder, "model.npz"))
    ...     list(Path(folder).iterdir())
    []
    """
    beside = _temporary_sibling(resolve_target(path))
    try:
        with report_errors_for(Path(path)):
            beside.touch(exist_ok=False)
    finally:
        beside.unlink(missing_ok=True)


@contextlib.contextmanager
def temporary_folder(prefix: str, parent: str | os.PathLike[str] | None = None, mode: int = 0o700) -> Iterator[Path]:
    """Make a temporary folder, as a context manager. It is removed afterwards, even if Ctrl-C interrupts the removal.

    If a process is killed, its folder remains until the next call removes it (`remove_stale_folders`).

    Parameters
    ----------
    prefix : str
        Prefix of the folder's name.
    parent : path, optional
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
    remove_stale_folders(Path(parent or tempfile.gettempdir()))
    with (  # The inner folder is removed first; if that is interrupted, removing the outer one removes it, too.
        tempfile.TemporaryDirectory(prefix=prefix, dir=parent, ignore_cleanup_errors=True) as outer,
        _locked_marker(Path(outer)),
        tempfile.TemporaryDirectory(dir=outer, ignore_cleanup_errors=True) as inner,
    ):
        for folder in (outer, inner):
            os.chmod(folder, mode)
        yield Path(inner)


@contextlib.contextmanager
def _locked_marker(folder: Path) -> Iterator[None]:
    """Hold a lock on a marker file in a folder. The kernel releases the lock when this process ends; other users cannot open the file."""
    with open(os.open(folder / MARKER_FILE, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "rb+", buffering=0) as file:
        if try_lock(file, if_unsupported=False):
            with contextlib.suppress(OSError):  # If the disk is full, the marker stays empty.
                file.seek(0)
                file.write(_marker_content(file))
        yield


def _marker_content(file: IO[bytes]) -> bytes:
    """Return the content of a marker file: host name and inode.

    A copied or unpacked folder, or one on another host (where the lock may be invisible), therefore never matches its marker.
    """
    return f"{socket.gethostname()} {os.fstat(file.fileno()).st_ino}".encode()


def remove_stale_folders(parent: Path) -> None:
    """Remove folders in `parent` that `temporary_folder` made for processes that ended without removing them.

    A folder that may be in use stays: one without a marker, with a marker that was never locked, or with the marker of another folder or
    host. Symbolic links and folders of other users stay, too.

    Examples
    --------
    >>> with temporary_folder("lxmls-day1-") as folder:
    ...     remove_stale_folders(folder.parent.parent)
    ...     folder.exists()
    True
    """
    for folder in parent.glob(f"{FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):  # The marker is missing, or the folder was removed in the meantime.
            about = folder.lstat()
            is_ours = not hasattr(os, "geteuid") or about.st_uid == os.geteuid()
            if stat.S_ISDIR(about.st_mode) and is_ours and _is_stale(folder):
                for inside in filter(Path.is_dir, folder.iterdir()):
                    # The marker goes last, so that the next process can continue an interrupted removal.
                    remove_folder(inside)
                remove_folder(folder)


def _is_stale(folder: Path) -> bool:
    """Return True if the marker file of a folder was locked once and is not locked any more."""
    with open(os.open(folder / MARKER_FILE, os.O_RDWR | _NO_LINK_OR_PIPE), "rb+", buffering=0) as file:
        return file.read(1000) == _marker_content(file) and try_lock(file, if_unsupported=False)


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
            _make_private(place)
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
                        _make_private(entry.path)
                        os.rename(entry.path, top)
                        found.append(top)
    for place in reversed(found):
        with contextlib.suppress(OSError):
            os.rmdir(place)


def _make_private(folder: str) -> None:
    """Make a folder inside a private folder private as well, so that no other user can change its contents from now on."""
    if hasattr(os, "geteuid") and os.lstat(folder).st_uid != os.geteuid():
        os.lchown(folder, os.geteuid(), -1)
    os.chmod(folder, 0o700)


@contextlib.contextmanager
def locked_folder(out: Path, activity: str) -> Iterator[None]:
    """Reserve an output folder for this process, as a context manager. The kernel releases the lock when the process ends.

    Parameters
    ----------
    out : Path
        The folder; it is created if it does not exist.
    activity : str
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
    if place in _locked_folders:
        yield
        return
    place.mkdir(parents=True, exist_ok=True)
    with _open_lock(place / LOCK_FILE) as file:
        if not try_lock(file):
            raise InputError(
                f"{_lock_owner(file)} is {activity} {out} at the moment; wait until it is done, or choose another folder "
                "with --out."
            )
        with report_errors_for(place / LOCK_FILE):
            file.seek(0)
            file.truncate()
            owner = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
            # os.write does not buffer: on a full disk, a buffered write would fail at close, without the file's name.
            os.write(file.fileno(), owner.encode())
        _locked_folders.add(place)
        try:
            yield
        finally:
            _locked_folders.discard(place)
            unlock(file)


def _open_lock(path: Path) -> IO[str]:
    """Open the lock file. Refuse a symbolic link, whose target would be emptied, and a pipe, which would block."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is not a regular file, so it cannot be a lock; remove it, or choose another folder.")
    with report_errors_for(path):
        return open(os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK_OR_PIPE, 0o666), "r+", encoding="utf-8")


def _lock_owner(file: IO[str]) -> str:
    try:
        file.seek(0)
        content = json.load(file)
        return f"process {int(content['pid'])} on {content['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def try_lock(file: IO[Any], if_unsupported: bool = True, wait: bool = False) -> bool:
    """Try to lock a file; return True if this process holds the lock now.

    With `wait`, block until another process releases its lock, however long that takes. Return `if_unsupported` if the file system or the
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
        return if_unsupported
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
def report_errors_for(path: Path) -> Iterator[None]:
    """Make an OSError raised in the block name `path`, not the temporary file beside it (or no file at all, as on a full disk)."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
