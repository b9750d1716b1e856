"""Untrusted files in folders and zip files: listed, named, and read into memory safely.

Nothing is unpacked to the disk, no link is followed, and only plain files are opened. Bytes are counted while they are read,
because the table of a zip file may lie. At worst a submission is rejected, with a sentence that gives the reason.
"""

import contextlib
import errno
import functools
import io
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.safe_text import one_line
from lxmls_day1.library_path import PACKAGES

NOTEBOOKS = "notebooks"
LAB_FOLDERS = (*PACKAGES, NOTEBOOKS)
SOURCES = (".py", ".ipynb")
OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst")
SOURCE_SUFFIX = re.compile(r"\.(py|ipynb)\b", re.IGNORECASE)  # matches perceptron.py.txt, too

CLUTTER = re.compile(
    r"(^|/)(__MACOSX|\.git|\.svn|\.hg|\.?venv|env|node_modules|site-packages|__pycache__|\.ipynb_checkpoints"
    r"|\.lab-backups|\.idea|\.vscode|\.(pytest|mypy|ruff)_cache|\.hypothesis|\.tox|\.nox|\.Trash.*|\.DS_Store|\._[^/]*"
    r"|Thumbs\.db|desktop\.ini|Icon\r)(/|$)"
)
UNSAFE_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")

MAX_LISTED_FILES = 200_000
#: Of the files of one submission together, unpacked; also of all zip files in it together.
MAX_BYTES = 100_000_000
MAX_RATIO = 200.0  # of the unpacked to the packed size, for files above `ALWAYS_ALLOWED_BYTES`
MAX_NAMES_IN_ARCHIVES, MAX_ARCHIVES = 100_000, 100  # names in all zip files of a submission together; zip files in it
MAX_NESTING = 40
MAX_LISTED_DEPTH = 4  # levels of a folder that are listed to decide if it holds one submission or many
# For the zip table of a download, and of a submission.
MAX_DOWNLOAD_TABLE_BYTES, MAX_SUBMISSION_TABLE_BYTES = (16 << 20, 4 << 20)
CHUNK_BYTES = 1 << 16
ALWAYS_ALLOWED_BYTES = 1 << 20  # a file up to this size is never treated as a zip bomb
DAMAGED = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, OSError,
    ValueError, ArithmeticError, LookupError, EOFError,
)  # fmt: skip


class RejectedSubmission(Exception):
    """A submission or file is rejected; the message is the reason, a sentence without its full stop."""


@dataclass(frozen=True)
class Member:
    """A file in a folder or in a zip file."""

    name: PurePosixPath
    open: Callable[[], IO[bytes]]
    size: int = 0
    packed: int | None = None
    rejection_reason: str = ""  # the reason why it must not be read; empty if it may
    has_backslash: bool = False  # True if backslashes in its path were read as slashes

    @property
    def is_lab_file(self) -> bool:
        """True if its folder or its suffix is that of a file of the lab."""
        return self.name.suffix.casefold() in SOURCES or any(part.casefold() in LAB_FOLDERS for part in self.name.parts)


class Budget:
    """A reader of files that counts the bytes and enforces the limits."""

    def __init__(self, max_bytes: int):
        self.max_bytes = self.left = max_bytes
        self.names_left = MAX_NAMES_IN_ARCHIVES

    def count_names(self, members: int) -> None:
        """Count the names in a zip file, because small nested zip files may each have any number of names."""
        self.names_left -= members
        if self.names_left < 0:
            raise RejectedSubmission(
                f"is too large: with it there are more than {MAX_NAMES_IN_ARCHIVES} names in zip files"
            )

    def read(self, member: Member, max_bytes: int) -> bytes:
        """Return the content of a file of at most `max_bytes` bytes."""
        try:
            content = self._read(member, max_bytes)
        except RejectedSubmission:
            raise
        except DAMAGED as error:
            raise RejectedSubmission(f"cannot be read ({reason_of(error)})") from None
        self.left -= len(content)
        return content

    def _read(self, member: Member, max_bytes: int) -> bytes:
        self._check(member, member.size, max_bytes)
        chunks, size = [], 0
        with member.open() as stream:
            while chunk := stream.read(CHUNK_BYTES):
                size += len(chunk)
                self._check(member, size, max_bytes)
                chunks.append(chunk)
        return b"".join(chunks)

    def _check(self, member: Member, size: int, max_bytes: int) -> None:
        if member.packed is not None and size > ALWAYS_ALLOWED_BYTES and size > MAX_RATIO * member.packed:
            raise RejectedSubmission("is a zip bomb: tiny when packed, far too large when unpacked")
        if size > max_bytes:
            raise RejectedSubmission(f"is too large: more than {max_bytes / 1e6:.3g} MB")
        if size > self.left:
            raise RejectedSubmission(f"is too large: with it there are more than {self.max_bytes / 1e6:.3g} MB")


def readable_members(members: list[Member], complaints: list[str]) -> list[Member]:
    """Return the members that may be read, and add a complaint for each other member that would belong to the lab."""
    rejected = [member for member in members if member.rejection_reason and member.is_lab_file]
    complaints += [f"{display_name(member.name)} {member.rejection_reason}" for member in rejected]
    return [member for member in members if not member.rejection_reason]


def members_of(found: FoundSubmission, stack: contextlib.ExitStack) -> list[Member]:
    """Return the files of a submission, without opening zip files inside it."""
    path = found.path
    if path.is_symlink() and not path.is_dir():
        raise RejectedSubmission("It is a symbolic link, which is not followed")
    try:
        if not path.is_dir():
            if not found.parts:
                is_named = path.suffix.casefold() in OTHER_ARCHIVES or SOURCE_SUFFIX.search(path.name)
                name = path.name if is_named else path.stem + ".zip"
                return [Member(safe_path(name), lambda: open_plain_file(path), path.stat().st_size)]
            archive = stack.enter_context(open_plain_file(path))
            members = members_of_zip(archive, stack, {inside for inside, _ in found.parts})
            return _select_parts(members, found.parts)
        members = []
        for inside, name in found.parts or (("", ""),):
            place = path / inside
            if inside and place.is_symlink():
                raise RejectedSubmission("It is a symbolic link, which is not followed")
            if place.is_dir():
                members += list(members_of_folder(path, inside))
            else:
                open_it = functools.partial(open_plain_file, path, inside)
                members.append(Member(safe_path(name), open_it, place.stat().st_size))
        return members
    except OSError as error:
        raise RejectedSubmission(f"It cannot be read ({reason_of(error)})") from None


def _select_parts(members: list[Member], parts: Sequence[tuple[str, str]]) -> list[Member]:
    chosen = []
    for member in members:
        for inside, name in parts:
            if str(member.name) == str(PurePosixPath(inside)):
                chosen.append(replace(member, name=safe_path(name or inside)))
            elif member.name.is_relative_to(inside):
                chosen.append(replace(member, name=safe_path(str(member.name.relative_to(inside)))))
    return chosen


def members_with_archive(found: FoundSubmission, stack: contextlib.ExitStack) -> list[Member]:
    """Return the files of a submission, and the files in its zip file if it has exactly one.

    Raises
    ------
    RejectedSubmission
        If it cannot be read.
    """
    members = members_of(found, stack)
    archives = [member for member in members if member.name.suffix.casefold() == ".zip"]
    if len(archives) == 1 and not archives[0].rejection_reason:
        members = members + members_of_archive(archives[0], Budget(MAX_BYTES), stack, [])
    return members


def list_paths(path: Path) -> Iterator[str]:
    """List the paths in a folder or a zip file. The path of a folder, which may be empty, ends in a slash."""
    return _list_folder(path) if path.is_dir() else _list_zip(path)


def _list_folder(folder: Path) -> Iterator[str]:
    """List the paths in a folder, some levels deep. The path of a folder, which may be empty, ends in a slash.

    The entries at the top may be the submissions of many students. If one cannot be listed, or holds too many files, it is still
    yielded, with the paths that could be listed.
    """
    for entry, name in _list_level(folder, ""):
        yield name
        if kind_of(entry) == "folder" and entry.name != ".git":
            with contextlib.suppress(Exception):
                yield from _list_below(Path(entry.path), name)


def _list_below(folder: Path, prefix: str) -> Iterator[str]:
    """List the paths in a folder at the top of another folder, at most `MAX_LISTED_FILES`."""
    waiting = [(prefix, folder)]
    listed = 0
    while waiting:
        prefix, place = waiting.pop()
        for entry, name in _list_level(place, prefix):
            listed += 1
            if listed > MAX_LISTED_FILES:
                return
            yield name
            if kind_of(entry) == "folder" and entry.name != ".git" and name.count("/") < MAX_LISTED_DEPTH:
                waiting.append((name, Path(entry.path)))


def _list_level(folder: Path, prefix: str) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Yield the entries of a folder, without clutter, each with its path."""
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= MAX_LISTED_FILES:
                raise RejectedSubmission("there are too many files in it")
            if entry.name == ".git" or not CLUTTER.search(entry.name):
                # At the top, the name itself is needed to open the entry.
                name = entry.name.replace("\\", "/") if prefix else entry.name
                yield entry, prefix + name + "/" * entry.is_dir()


def _list_zip(path: Path) -> Iterator[str]:
    with open_plain_file(path) as file, zipfile.ZipFile(BoundedReader(file)) as archive:
        for info in archive.infolist():
            name = normalized_name(name_in_zip(info), composed=False)
            if not CLUTTER.search(name.replace("/.git/", "/", 1)) and not name.startswith("../"):
                yield name


def members_of_folder(folder: Path, inside: str = "") -> Iterator[Member]:
    """Yield the files in a folder, or in a subfolder of it, without following links below the folder."""
    waiting = [(PurePosixPath(), folder / inside, Path(inside).as_posix() if inside else "")]
    listed = 0
    while waiting:
        prefix, place, beneath = waiting.pop()
        try:
            scanned = os.scandir(place)
        except OSError as error:
            if not prefix.parts:
                raise
            open_it, reason = functools.partial(open_plain_file, folder, beneath), reason_of(error)
            yield Member(prefix, open_it, rejection_reason=f"cannot be read ({reason})")
            continue
        with scanned as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                listed += 1
                if listed > MAX_LISTED_FILES or len(prefix.parts) > MAX_NESTING:
                    raise RejectedSubmission("It contains too many files, or folders nested too deeply")
                # Where old zip files of Windows were unpacked on other systems, the name of a file is its whole path.
                spelled = normalized_name(entry.name)
                if CLUTTER.search(spelled) or UNSAFE_CHARACTERS.search(spelled) or spelled.endswith("/"):
                    continue
                kind = kind_of(entry)
                path = f"{beneath}/{entry.name}" if beneath else entry.name
                slashed = "\\" in entry.name and _stays_inside(entry.name) and not (place / spelled).exists()
                name = prefix / (spelled if slashed else unicodedata.normalize("NFC", entry.name))
                if kind == "folder":
                    waiting.append((name, Path(entry.path), path))
                    continue
                reasons = {"link": "is a symbolic link, which is not followed", "other": "is not a plain file"}
                bad = reasons.get(kind, "")
                size = entry.stat(follow_symlinks=False).st_size
                open_it = functools.partial(open_plain_file, folder, path)
                yield Member(name, open_it, 0 if bad else size, None, bad, slashed)


def kind_of(entry: os.DirEntry[str]) -> str:
    """Return the kind of an entry: ``folder``, ``file``, ``link`` or ``other``. Links are not followed."""
    if entry.is_symlink() or getattr(entry, "is_junction", bool)():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0)
        return "link" if attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400) else "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def open_plain_file(folder: Path, name: str = "") -> BinaryIO:
    """Open a plain file for reading. Anything else at this path is rejected, without waiting for it and without following links.

    Parameters
    ----------
    folder : Path
        A path that comes from the instructor or the program. Links on the way to it are followed. Without `name` it is the
        file itself, which must not be a link.
    name : str, optional
        A path in that folder, with slashes. Each folder is opened relative to the one before, so that no folder can be a link, even
        if another process replaces it in the meantime. If the system cannot do this, only the last component is protected.

    Raises
    ------
    RejectedSubmission
        If it is not a plain file, can be reached only through a link, or its path goes up (``..``).
    OSError
        If it cannot be opened.
    """
    flags = sum(getattr(os, flag, 0) for flag in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW"))
    *folders, last = [str(folder)] if not name else name.split("/")
    within: int | None = None
    try:
        if name and os.open in os.supports_dir_fd:
            within = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            for part in folders:
                if part == "..":
                    raise RejectedSubmission("leads out of its folder")
                inner = os.open(part, flags | os.O_DIRECTORY, dir_fd=within)
                os.close(within)
                within = inner
            descriptor = os.open(last, flags, dir_fd=within)
        else:
            if ".." in folders:
                raise RejectedSubmission("leads out of its folder")
            descriptor = os.open(folder / name, flags)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):  # BSD reports EMLINK for a link
            raise RejectedSubmission("is a symbolic link, which is not followed") from None
        raise
    finally:
        if within is not None:
            os.close(within)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RejectedSubmission("is not a plain file")
    return os.fdopen(descriptor, "rb")


class BoundedReader:
    """A file with a maximum size for a single read, which limits the table of contents of a zip file."""

    def __init__(self, file: IO[bytes], max_bytes: int = MAX_DOWNLOAD_TABLE_BYTES):
        self.seek, self.tell, self.close = file.seek, file.tell, file.close
        self._file, self._most = file, max_bytes

    def read(self, size: int | None = -1) -> bytes:
        """Read as a file does; raise `RejectedSubmission` if `size` is above the limit."""
        if size is None or size < 0:
            size = self._most
        if size > self._most:
            raise RejectedSubmission("is not a zip file that can be read: its table of contents is too long")
        return self._file.read(size)

    def seekable(self) -> bool:
        """Return True, because every such file is seekable."""
        return True


def members_of_archive(
    member: Member, budget: Budget, stack: contextlib.ExitStack, complaints: list[str]
) -> list[Member]:
    """Return the members of a zip file, with its name as a prefix. A file on the disk is opened there, a nested one is read into memory."""
    if member.packed is None:
        try:
            file = stack.enter_context(member.open())
        except OSError as error:
            raise RejectedSubmission(f"cannot be read ({reason_of(error)})") from None
    else:
        file = io.BytesIO(budget.read(member, budget.max_bytes))
    members = members_of_zip(file, stack)
    budget.count_names(len(members))
    members = readable_members(members, complaints)
    return [replace(inner, name=member.name / inner.name) for inner in members]


def members_of_zip(
    file: IO[bytes], stack: contextlib.ExitStack, selection: Collection[str] | None = None
) -> list[Member]:
    """Return the files in a zip file. If `selection` is given, return only those files and the files in those folders."""
    try:
        archive = stack.enter_context(
            zipfile.ZipFile(BoundedReader(file, MAX_DOWNLOAD_TABLE_BYTES if selection else MAX_SUBMISSION_TABLE_BYTES))
        )
        infos = archive.infolist()
    except RejectedSubmission:
        raise
    except DAMAGED as error:
        if not file.seek(0, os.SEEK_END):
            raise RejectedSubmission("is empty: it has 0 bytes") from None
        raise RejectedSubmission(f"is not a zip file that can be read ({reason_of(error)})") from None
    overlapping = _overlapping_entries(infos, getattr(archive, "start_dir", 0))
    members: dict[PurePosixPath, tuple[Member, zipfile.ZipInfo]] = {}
    for info in infos:
        raw = name_in_zip(info)
        spelled = normalized_name(raw, composed=selection is None)
        if CLUTTER.search(spelled) or (selection is not None and not _is_selected(spelled, selection)):
            continue
        if spelled.endswith("/"):
            safe_path(raw)
            continue
        name = safe_path(raw, composed=selection is None)
        if len(name.parts) > MAX_NESTING:
            raise RejectedSubmission("contains folders nested too deeply")
        bad = _rejection_reason(info, overlapping)
        open_it = functools.partial(archive.open, info)
        member = Member(name, open_it, info.file_size, info.compress_size, bad, "\\" in raw)
        if name in members:
            other = members[name][1]
            if (other.CRC, other.file_size) != (info.CRC, info.file_size):
                raise RejectedSubmission(f"contains {display_name(name)} twice, with different contents")
            continue
        members[name] = member, info
    if len(members) > MAX_LISTED_FILES:
        raise RejectedSubmission(f"contains {len(members)} files, which is too many")
    return [member for member, _ in members.values()]


def _is_selected(name: str, selection: Collection[str]) -> bool:
    """Return True if a path is in `selection`, or is inside a path in `selection`."""
    parts = name.split("/", MAX_NESTING)  # a name may have thousands of components
    return any("/".join(parts[:n]) in selection for n in range(1, len(parts) + 1))


def _rejection_reason(info: zipfile.ZipInfo, overlapping: Collection[int]) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a symbolic link, which is not followed"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is not a plain file"
    if info.flag_bits & 0x1:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed in an unusual way; make an ordinary zip file"
    if id(info) in overlapping:
        return "overlaps with another file in the zip file, as in a zip bomb"
    return ""


def _overlapping_entries(infos: Sequence[zipfile.ZipInfo], end: int) -> set[int]:
    """Return the ids of entries whose data would overlap the next entry, or the table."""
    found = set()
    ordered = sorted(infos, key=lambda info: info.header_offset)
    for i, info in enumerate(ordered):
        after = ordered[i + 1].header_offset if i + 1 < len(ordered) else end
        least = 30 + len(info.orig_filename)  # minimum size of the header: a name has at least one byte per character
        if info.header_offset + least + info.compress_size > after:
            found.add(id(info))
    return found


def name_in_zip(info: zipfile.ZipInfo) -> str:
    """Return the name in the table of a zip file, decoded as UTF-8 if possible, because many programs do not set the UTF-8 flag."""
    name = info.orig_filename
    if not info.flag_bits & 0x800 and not name.isascii():
        with contextlib.suppress(UnicodeError):
            return name.encode("cp437").decode("utf-8")
    return name


def normalized_name(raw: str, composed: bool = True) -> str:
    r"""Return a name in a zip file in its usual spelling: ``.\a//b`` becomes ``a/b``. The name of a folder ends in a slash."""
    name = raw.replace("\\", "/")
    # Names of students are not composed, because two different names must not become equal.
    name = unicodedata.normalize("NFC", name) if composed else name
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return "/".join(parts) + "/" * name.endswith("/")


def safe_path(raw: str, composed: bool = True) -> PurePosixPath:
    """Return a name in a zip file as a path that stays inside the zip file.

    Raises
    ------
    RejectedSubmission
        If it is absolute, leads outside, or has control characters.
    """
    path = PurePosixPath(normalized_name(raw, composed))
    if UNSAFE_CHARACTERS.search(raw):
        raise RejectedSubmission(f"contains a name with control characters ({display_name(raw)})")
    if re.match(r"[/\\]|[A-Za-z]:", raw):
        raise RejectedSubmission(f"contains an absolute path ({display_name(raw)})")
    if ".." in path.parts:
        raise RejectedSubmission(f"contains a path that leads out of it ({display_name(raw)})")
    return path


def _stays_inside(raw: str) -> bool:
    """Return True if `safe_path` does not reject a name."""
    with contextlib.suppress(RejectedSubmission):
        return bool(safe_path(raw).parts)
    return False


def reason_of(error: BaseException) -> str:
    """Return the reason for an error, in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return one_line(str(error), 80) or type(error).__name__


def display_name(name: str | PurePosixPath) -> str:
    """Return a file name that is safe to use in a sentence."""
    return one_line(str(name), 80)
