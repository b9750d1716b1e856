"""Files that are either written completely or left as they were, whatever happens in between; folders that go again, or are locked."""

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
OURS = "lxmls-day1-"  # what the names of our folders among the temporary files begin with
_locked: set[Path] = set()
_Path = TypeVar("_Path", bound=str | os.PathLike[str])


def replace_files(contents: Mapping[_Path, bytes]) -> None:
    """Write several files that belong together.

    Each goes to a new file beside its place first; only when all are written completely does each take its name. A full
    disk or an interruption thus leaves the old files, and nothing half-written beside them. A file that is there keeps
    its permissions. A symbolic link stays one: the file that it leads to is written. Devices, pipes and sockets are not
    replaced.

    Parameters
    ----------
    contents : mapping from path to bytes
        Their folders exist already.

    Raises
    ------
    InputError
        If one of the paths is neither a regular file nor free; then nothing is written.
    OSError
        As from opening, writing and renaming a file; its ``filename`` is the place that was wanted.

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
    """Write a file of a cache: whatever has taken its place goes, be it a link or a pipe, and so does a mode that forbids reading.

    Raises
    ------
    OSError
        If a folder has taken its place, or as from writing.

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
    """One file to write piece by piece, for the length of a ``with``: it takes its place when all of it is written.

    For the rest it is as with `replace_files`, but that the content is not in memory at once.

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
    """Remove what processes that were killed while they wrote a file have left beside it; whatever writes a file does so first.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, f".marks.csv.{_computer()}{0x7fffffff:08x}0123.part").touch()  # no process has this number
    ...     remove_parts(Path(folder, "marks.csv"))
    ...     list(Path(folder).iterdir())
    []
    """
    place = Path(os.path.realpath(path))
    with (
        contextlib.suppress(OSError),
        os.scandir(place.parent) as entries,
    ):  # no such folder, or one that cannot be listed
        for part in [entry for entry in entries if entry.name.startswith(f".{place.name[:40]}.")]:
            if written_for(Path(part.name)) == place.name[:40] and _writer_has_ended(part.name):
                os.unlink(part.path)


_PART = re.compile(
    r"\.(.+)\.([0-9a-f]{8})([0-9a-f]{8})[0-9a-f]{4}\.part", re.DOTALL
)  # computer, process, and any number


def written_for(part: Path) -> str | None:
    """The beginning of the name of the file in whose place a half-written one was to come; None if it is none of ours.

    Examples
    --------
    >>> written_for(Path(".marks.csv.0123abcd000004d20a1b.part")), written_for(Path(".film.part"))
    ('marks.csv', None)
    """
    found = _PART.fullmatch(part.name)
    return found and found[1]


def _writer_has_ended(name: str) -> bool:
    """Whether the process that a half-written file is named after has ended; of other computers nobody knows."""
    found = _PART.fullmatch(name)
    if found is None or found[2] != _computer() or os.name == "nt":  # there, looking for a process may end it
        return False
    try:
        os.kill(int(found[3], 16), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it lives, and is somebody else's
        return False
    return False


def _computer() -> str:
    """A number for this computer, and for the name space of its processes: elsewhere the same number is another process."""
    name_space = ""
    with contextlib.suppress(OSError):  # of Linux only
        name_space = os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(f'{socket.gethostname()} {name_space}'.encode()):08x}"


def _beside(place: Path) -> Path:
    """A new name in the same folder; not longer than the longest that a file can have."""
    if not place.name:  # the root
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
    remove_parts(place)
    # A browser decides by the first name of a file whether it is text, and makes no empty JSON.
    ending = "" if STARTS_PROCESSES or place.suffix in (".json", ".ipynb") else place.suffix
    return place.with_name(f".{place.name[:40]}.{_computer()}{os.getpid():08x}{secrets.token_hex(2)}.part{ending}")


def replaceable(path: str | os.PathLike[str]) -> Path:
    """Where a file is really written: `path`, or what it leads to if it is a symbolic link.

    Raises
    ------
    InputError
        If a device, a pipe, a socket or a link without an end is there: replacing it would take it from its users.
    """
    place = Path(os.path.realpath(path))
    try:
        mode = place.lstat().st_mode
    except OSError:  # nothing there, or no right to look: writing says which
        return place
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{path} is not a regular file, so it is not replaced; name another file.")
    return place


def check_readable(path: str | os.PathLike[str], remedy: str, pipes: bool = False) -> os.stat_result:
    """What the system says of a file that is about to be read; an error for what may never end.

    Parameters
    ----------
    path : path
    remedy : str
        What to do, for the message.
    pipes : bool
        Whether it may be a pipe, which ends with what writes into it, or a folder, which reading refuses.

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
    """Say before long work that its result cannot be written to a file: by writing an empty one beside it, which goes at once.

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
    """A folder for the length of a ``with``, which is gone after it, also where Ctrl-C comes while it is being removed.

    What stays where a process is killed is removed before the next one is made (`remove_abandoned`).

    Parameters
    ----------
    prefix : str
        What its name begins with.
    place : path, optional
        Where it is made; among the temporary files unless given.
    mode : int
        Who may look into it and pass through it.

    Examples
    --------
    >>> with temporary_folder("lxmls-day1-") as folder:
    ...     written = folder.joinpath("marks.csv").write_text("mira,0.9")
    >>> folder.exists()
    False
    """
    remove_abandoned(Path(place or tempfile.gettempdir()))
    with (  # the inner one is removed first; where that is interrupted, the outer one still takes it along
        tempfile.TemporaryDirectory(prefix=prefix, dir=place, ignore_cleanup_errors=True) as outer,
        _marked(Path(outer)),
        tempfile.TemporaryDirectory(dir=outer, ignore_cleanup_errors=True) as inner,
    ):
        for folder in (outer, inner):
            os.chmod(folder, mode)
        yield Path(inner)


@contextlib.contextmanager
def _marked(folder: Path) -> Iterator[None]:
    """Lock a file in a folder: the kernel lets go of it when this process ends, however it ends. Nobody else can open it."""
    with open(os.open(folder / ALIVE, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "rb+", buffering=0) as file:
        if locked(file, without_locks=False):
            with contextlib.suppress(OSError):  # the disk is full: the mark stays empty
                file.seek(0)
                file.write(_mark(file))
        yield


def _mark(file: IO[bytes]) -> bytes:
    """What marks a folder: another in its copy, in one that was unpacked, and on another computer, where a lock need not be seen."""
    return f"{socket.gethostname()} {os.fstat(file.fileno()).st_ino}".encode()


def remove_abandoned(place: Path) -> None:
    """Remove the folders that `temporary_folder` has made in `place` for processes that have ended without removing them.

    What may belong to a living process, or to somebody else, stays: a folder without a mark, with one that was never locked, or
    with that of another folder or computer. So do links and folders of other users.

    Examples
    --------
    >>> with temporary_folder("lxmls-day1-") as folder:
    ...     remove_abandoned(folder.parent.parent)
    ...     folder.exists()
    True
    """
    for folder in place.glob(f"{OURS}*"):
        with contextlib.suppress(OSError):  # no mark, or gone meanwhile
            about = folder.lstat()
            is_ours = not hasattr(os, "geteuid") or about.st_uid == os.geteuid()
            if stat.S_ISDIR(about.st_mode) and is_ours and _is_abandoned(folder):
                for inside in filter(Path.is_dir, folder.iterdir()):
                    remove_folder(inside)  # the mark goes last: the next process goes on where this one is interrupted
                remove_folder(folder)


def _is_abandoned(folder: Path) -> bool:
    """Whether the file that marks a folder was locked, and is not any more."""
    safely = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a link or a pipe may be in its place
    with open(os.open(folder / ALIVE, os.O_RDWR | safely), "rb+", buffering=0) as file:
        return file.read(1000) == _mark(file) and locked(file, without_locks=False)


def remove_folder(folder: Path) -> None:
    """Remove a folder that others have filled, with folders in one another to any depth; what cannot go stays.

    `shutil.rmtree` calls itself once for each level, and fails where there are a thousand. Nothing outside is touched: a link
    goes, not what it leads to, and nobody can lay one where a folder was seen.

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
    for place in found:  # each folder in it is moved to the top, where its path is short, and looked at in its turn
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
    """Make a folder, in one that is ours alone, ours alone as well: from now on no other user changes what is in it."""
    if hasattr(os, "geteuid") and os.lstat(folder).st_uid != os.geteuid():
        os.lchown(folder, os.geteuid(), -1)
    os.chmod(folder, 0o700)


@contextlib.contextmanager
def locked_folder(out: Path, doing: str) -> Iterator[None]:
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
        If another process holds it; the message has its number. If its lock is a link, a pipe or a device.

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
                file.fileno(), owner.encode()
            )  # at once: on a full disk closing the file would fail without its name
        _locked.add(place)
        try:
            yield
        finally:
            _locked.discard(place)
            unlock(file)


def _opened_lock(path: Path) -> IO[str]:
    """The lock, open; neither what a link leads to, which would be emptied, nor a pipe, which would be waited for."""
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
    """Whether the lock on a file is ours now; `without_locks` where the file system, or a browser, has no locks.

    Somebody else's lock is waited for, if need be for long, with `wait`.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # each system has one of these two only

            file.seek(1 << 20)  # the text before it can still be read
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            from fcntl import LOCK_EX, LOCK_NB, flock

            flock(file.fileno(), LOCK_EX if wait else LOCK_EX | LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except (OSError, ImportError):  # a browser may have an empty `fcntl`
        return without_locks
    return True


def unlock(file: IO[Any]) -> None:
    """Let go of the lock on a file."""
    with contextlib.suppress(OSError, ImportError):
        if sys.platform == "win32":
            import msvcrt  # each system has one of these two only

            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            from fcntl import LOCK_UN, flock

            flock(file.fileno(), LOCK_UN)


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """Let an OSError speak of `path`, not of the file beside it (or of none, as that of a full disk does)."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
