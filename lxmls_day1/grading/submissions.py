"""What was handed in: found in folders, zip files and downloads of an LMS, and read into memory.

Nothing is unpacked to the disk, no link is followed, nothing but plain files is opened, and what is read is counted as it is
read, whatever a zip file's table says. So a submission can do no more here than be refused, with a sentence that says why.

====================  =============================================================================================
Moodle                ``Ada Lovelace_123456_assignsubmission_file_/lab.zip``, or files whose names begin like that
Canvas                ``lovelaceada_LATE_12345_67890_lab-1.zip``; of one name handed in again, the newest counts
Gradescope            ``submission_123/``; names from ``submission_metadata.yml``
GitHub Classroom      a folder of repositories ``assignment-login``
anything else         a folder or a zip file of folders and zip files; a lab; loose files
====================  =============================================================================================
"""

import contextlib
import hashlib
import io
import json
import os
import re
import stat
import struct
import sys
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from importlib.machinery import PathFinder
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from lxmls_day1.errors import InputError
from lxmls_day1.exercises.generation import LEFT_BEHIND, Files
from lxmls_day1.exercises.registry import Exercise
from lxmls_day1.exercises.workspace import LARGEST_FILE, SUBMISSION
from lxmls_day1.grading.safe_text import one_line
from lxmls_day1.lab import PACKAGES, reference_folder

NOTEBOOKS = "notebooks"
LAB_FOLDERS = (*PACKAGES, NOTEBOOKS)
SOURCES = (".py", ".ipynb")
NATIVE = (".so", ".pyd", ".pyc", ".pyo", ".dll", ".dylib", ".pth")  # Python would prefer some of them to a .py file
OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst")

CLUTTER = re.compile(
    r"(^|/)(__MACOSX|\.git|\.svn|\.hg|\.?venv|env|node_modules|site-packages|__pycache__|\.ipynb_checkpoints"
    r"|\.lab-backups|\.idea|\.vscode|\.(pytest|mypy|ruff)_cache|\.hypothesis|\.tox|\.nox|\.Trash.*|\.DS_Store|\._[^/]*"
    r"|Thumbs\.db|desktop\.ini|Icon\r)(/|$)"
)
MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL)
CANVAS = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_(?P<upload>\d{3,})_(?P<file>.+)", re.DOTALL)
GRADESCOPE = re.compile(r"submission_(?P<id>\d+)")
GRADESCOPE_NAMES = "submission_metadata.yml"
AGAIN = re.compile(r"-(?P<number>\d{1,3})(?=\.\w+$)")  # lab-1.zip: Canvas, for a name that was handed in before
BROWSER_COPY = re.compile(r"(?P<stem>.+?) ?\(\d{1,3}\)(?P<suffix>\.\w+)")  # mira (1).py

UNSAFE_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
NOT_IN_NAMES = re.compile(r'[<>:"|?*\\]|[. ]$')
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
LONGEST_NAME, LONGEST_PATH, LONGEST_SLUG = 120, 220, 60

LISTED_DEPTH = 4  # how deep a folder is looked into for telling one submission from many
MOST_LISTED = 200_000
MOST_SOURCES = 5000
MOST_WARNINGS = 30
DEEPEST = 40
DOWNLOAD_TABLE_BYTES, TABLE_BYTES = 16 << 20, 4 << 20  # of the table of contents of a download, and of a submission
CHUNK = 1 << 16
HARMLESS = 1 << 20  # a file up to this size is no bomb, whatever it was before it was unpacked
DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    ArithmeticError,
    LookupError,
    EOFError,
)


@dataclass(frozen=True)
class ReadingLimits:
    """How much is read of one submission.

    Attributes
    ----------
    files : int
        Files of the lab in it; others are not read.
    bytes : int
        Of all of them together, unpacked; also of all zip files within it together.
    file_bytes : int
        Of one file.
    ratio : float
        How many times larger than packed a file of more than 1 MiB may become.
    depth : int
        2: a zip file within a zip file is opened, one within that is not.
    """

    files: int = 1000
    bytes: int = 100_000_000
    file_bytes: int = LARGEST_FILE
    ratio: float = 200.0
    depth: int = 2


@dataclass(frozen=True)
class Found:
    """Where a submission is.

    Attributes
    ----------
    student : str
        Unique among those that were found together, and fit for a file name on every system.
    name : str
        What to print.
    source : str
        The path, as it was given, and what in it.
    path : Path
        A folder or a file.
    parts : tuple of (str, str)
        If `path` holds many submissions: what belongs to this one, and under which name; under none if it is a folder
        whose content is the submission. Empty if all of `path` is this one.
    remarks : tuple of str
        Sentences that become warnings.
    """

    student: str
    name: str
    source: str
    path: Path
    parts: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Submission:
    """What was read.

    Attributes
    ----------
    student, name, source : str
        As in `Found`.
    digest : str
        SHA-256 of paths and contents; of the problem where there is one.
    files : dict from path to content
        Paths are relative to the lab: ``classifiers/mira.py``.
    problem : str
        Why there is nothing to grade; empty if there is.
    warnings : tuple of str
    """

    student: str
    name: str
    source: str
    digest: str
    files: Files
    problem: str = ""
    warnings: tuple[str, ...] = ()


class _Refused(Exception):
    """What was handed in is not read; the message is the sentence, without its full stop."""


# --- finding ---------------------------------------------------------------------------------------------------------


def find_submissions(paths: Sequence[str | os.PathLike[str]]) -> list[Found]:
    """Find the submissions in what an instructor names.

    Parameters
    ----------
    paths : sequence of path
        Folders, zip files, single source files; each may hold one submission or many.

    Returns
    -------
    list of Found
        In the order of `Found.student`. What cannot be read is among them; `read_submission` says why.

    Raises
    ------
    InputError
        If a path is not there, or there is no submission at all.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("Ada Lovelace_17_assignsubmission_file_", "Alan Turing_4_assignsubmission_file_"):
    ...         _ = Path(folder, name).mkdir()
    ...     [(found.student, found.name) for found in find_submissions([folder])]
    [('ada-lovelace', 'Ada Lovelace'), ('alan-turing', 'Alan Turing')]
    """
    given = list(dict.fromkeys(Path(path).expanduser() for path in paths))
    for path in given:
        if not os.path.lexists(path):
            raise InputError(f"{path} is not there; name folders or zip files with submissions.")
    entries: list[_Entry] = []
    by_folder: dict[Path, list[Path]] = {}
    for path in given:
        by_folder.setdefault(path.parent, []).append(path)
    for folder, siblings in by_folder.items():
        tops = _tops_of(path.name + "/" * path.is_dir() for path in siblings)
        together = [entry for entry in _named_by_lms(tops) if len(siblings) > 1 or MOODLE.fullmatch(entry.parts[0][0])]
        named = {top for entry in together for top in entry.tops}
        entries += [replace(entry, path=folder) for entry in together]
        for path in siblings:
            if path.name not in named:
                entries += _entries_in(path, alone=len(given) == 1)
    if not entries:
        raise InputError(f"there is no submission in {', '.join(map(str, given)) or 'nothing'}.")
    return sorted(_with_slugs(entries), key=lambda found: found.student)


@dataclass(frozen=True)
class _Entry:
    """A submission before it has its slug. `id` tells two students of the same name apart."""

    name: str
    id: str = ""
    path: Path = Path()
    parts: tuple[tuple[str, str], ...] = ()
    older: tuple[str, ...] = ()

    @property
    def tops(self) -> tuple[str, ...]:
        return (*dict(self.parts), *self.older)

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(f"{_shown(top)} was handed in again since, and does not count." for top in self.older)


Tops = dict[str, list[tuple[str, ...]]]  # name of what stands at the top -> the paths in it; () if it is a file


def _entries_in(path: Path, alone: bool) -> list[_Entry]:
    is_folder = path.is_dir()
    single = [_Entry(_name_of(path.name, is_folder), path=path)]
    try:
        names = list(_listed_folder(path) if is_folder else _listed_zip(path))
    except (*DAMAGED, _Refused):
        return single
    tops, prefix = _level_of_many(_tops_of(names), is_folder, alone)
    entries = _named_by_lms(tops)
    named = {top for entry in entries for top in entry.tops}
    rest = {top: inside for top, inside in tops.items() if top not in named and top != GRADESCOPE_NAMES}
    if entries:
        if any(GRADESCOPE.fullmatch(top) for top in named):
            entries = _with_gradescope_names(entries, path, prefix)
        entries += [entry for entry in _plain(rest) if not entry.name.startswith(".")]
    elif _holds_many(tops, is_folder, alone):
        entries = _plain(tops)
    if not entries:
        return single
    return [
        replace(entry, path=path, parts=tuple((prefix + inside, name) for inside, name in entry.parts))
        for entry in entries
    ]


def _level_of_many(tops: Tops, is_folder: bool, alone: bool) -> tuple[Tops, str]:
    """Below the folders around it, each alone in the other, the level at which there are many; the top if there is none."""
    level, prefix = tops, ""
    for _ in range(LISTED_DEPTH):
        if _named_by_lms(level) or (len(_plain_tops(level)) > 1 and _holds_many(level, is_folder, alone)):
            return level, prefix
        if len(level) != 1 or () in (inside := next(iter(level.values()))):
            break
        prefix += f"{next(iter(level))}/"
        level = _tops_of("/".join(parts) for parts in inside)
    return tops, ""


def _holds_many(tops: Tops, is_folder: bool, alone: bool) -> bool:
    """Whether what stands at the top are submissions, where no LMS has named them."""
    folded = {top.casefold() for top in tops}
    if folded & {*LAB_FOLDERS, "tests"}:
        return False
    entries = _plain_tops(tops)
    loose = any(() in inside and top.casefold().endswith(SOURCES) for top, inside in tops.items())
    full = sum(() in tops[top] or _has_sources(tops[top]) for top in entries)
    if is_folder:
        return full >= 2 or (not loose and len(entries) >= (1 if alone else 2))
    return full >= (2 if alone else 3)


def _plain_tops(tops: Tops) -> list[str]:
    """Folders and archives; not what grading itself has written."""
    archives = (".zip", *OTHER_ARCHIVES)
    return [
        top
        for top, inside in tops.items()
        if not top.startswith(".")
        and (top.casefold().endswith(archives) if () in inside else not any(p[0] == ".rows" for p in inside))
    ]


def _plain(tops: Tops) -> list[_Entry]:
    folders = [top for top in _plain_tops(tops) if () not in tops[top]]
    prefix = ""
    if len(folders) > 1 and any(inside[0] == ".git" for top in folders for inside in tops[top]):
        prefix = re.match(r"(.*-)?", os.path.commonprefix(folders), re.DOTALL)[0]
    entries = [_Entry(_name_of(top.removeprefix(prefix), True), parts=((top, ""),)) for top in folders]
    for top, inside in tops.items():
        if () in inside and top not in folders and (top in _plain_tops(tops) or top.casefold().endswith(SOURCES)):
            entries.append(_Entry(_name_of(top, False), parts=((top, top),)))
    return sorted(entries, key=lambda entry: entry.parts)


def _named_by_lms(tops: Tops) -> list[_Entry]:
    """The submissions that Moodle, Gradescope or Canvas has named."""
    parts: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for top, inside in tops.items():
        is_file = () in inside
        if match := MOODLE.fullmatch(top):
            file = match["file"] or ""
            parts.setdefault((match["name"], match["id"]), []).append((top, (file or top) if is_file else ""))
        elif (match := GRADESCOPE.fullmatch(top)) and not is_file:
            parts.setdefault((top, match["id"]), []).append((top, ""))
    if parts:
        return [_Entry(name, id, parts=tuple(sorted(their))) for (name, id), their in sorted(parts.items())]
    matches = {top: CANVAS.fullmatch(top) for top, inside in tops.items() if () in inside}
    canvas = {top: match for top, match in matches.items() if match}
    uploads = [match["upload"] for match in canvas.values()]
    if not canvas or len(set(uploads)) < len(uploads) or 2 * len(canvas) < len(tops):
        return []
    uploaded: dict[tuple[str, str], list[str]] = {}
    for top, match in canvas.items():
        uploaded.setdefault((match["name"], match["id"]), []).append(top)
    return [
        _canvas_entry(name, id, {top: canvas[top] for top in their}) for (name, id), their in sorted(uploaded.items())
    ]


def _canvas_entry(name: str, id: str, files: Mapping[str, re.Match[str]]) -> _Entry:
    """One student's files, each in its newest version."""
    versions: dict[str, list[tuple[int, int, str]]] = {}
    for top, match in files.items():
        again = AGAIN.search(match["file"])
        number = int(again["number"]) if again else 0
        versions.setdefault(AGAIN.sub("", match["file"]), []).append((number, int(match["upload"][:30]), top))
    parts = tuple(sorted((max(theirs)[2], file) for file, theirs in versions.items()))
    older = sorted(top for theirs in versions.values() for _, _, top in theirs if top not in dict(parts))
    return _Entry(name, id, parts=parts, older=tuple(older))


def _with_gradescope_names(entries: list[_Entry], path: Path, prefix: str) -> list[_Entry]:
    """The names that stand in Gradescope's table, where it can be read."""
    try:
        with contextlib.ExitStack() as stack:
            if path.is_dir():
                stream = stack.enter_context(_opened(path / prefix / GRADESCOPE_NAMES))
            else:
                archive = stack.enter_context(zipfile.ZipFile(_Guarded(stack.enter_context(_opened(path)))))
                stream = stack.enter_context(archive.open(prefix + GRADESCOPE_NAMES))
            content = stream.read(5_000_000)
    except (*DAMAGED, _Refused):
        return entries
    names: dict[str, list[str]] = {}
    current: list[str] = []
    for line in content.decode("utf-8", "replace").split("\n"):
        if top := re.match(r"(submission_\d+):", line):
            current = names.setdefault(top[1], [])
        elif name := re.match(r"""[\s-]*:name:\s*(["']?)(.+?)\1\s*$""", line):
            current.append(name[2])
    return [replace(entry, name=", ".join(names.get(entry.name, [])) or entry.name) for entry in entries]


def _with_slugs(entries: list[_Entry]) -> list[Found]:
    """Give each its own slug: students of the same name are told apart by the ids of the LMS, else by numbers."""
    slugs = [_slug(entry.name) for entry in entries]
    by_slug: dict[str, list[int]] = {}
    for i, slug in enumerate(slugs):
        by_slug.setdefault(slug, []).append(i)
    for theirs in by_slug.values():
        ids = {entries[i].id for i in theirs}
        if len(theirs) > 1 and len(ids) == len(theirs) and "" not in ids:
            for i in theirs:
                slugs[i] = f"{slugs[i]}-{entries[i].id[:20]}"
    taken: set[str] = set()
    found = []
    for i in sorted(range(len(entries)), key=lambda i: (slugs[i], str(entries[i].path), entries[i].parts)):
        number, slug = 1, slugs[i]
        while slug in taken or (number > 1 and slug in slugs):
            number += 1
            slug = f"{slugs[i]}-{number}"
        taken.add(slug)
        entry = entries[i]
        where = entry.path if len(entry.parts) != 1 else entry.path / entry.parts[0][0]
        name = one_line(entry.name) or slug
        found.append(Found(slug, name, one_line(str(where), 300), entry.path, entry.parts, entry.remarks))
    return found


def _slug(name: str) -> str:
    """``Zoë O'Neil`` -> ``zoë-o-neil``: lower case, letters and digits of any script, no name that Windows keeps."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
    slug = re.sub(r"[\W_]+", "-", text).strip("-")[:LONGEST_SLUG].strip("-") or "student"
    return f"student-{slug}" if RESERVED.fullmatch(slug) else slug


def _name_of(file: str, is_folder: bool) -> str:
    """The student's name out of a file's: ``submission-ada.zip`` -> ``ada``."""
    if match := MOODLE.fullmatch(file) or CANVAS.fullmatch(file):
        return match["name"]
    stem = file if is_folder else re.sub(r"(\.tar)?\.\w{1,5}$", "", file)
    return stem.removeprefix("submission-") or file


def _tops_of(names: Iterable[str]) -> Tops:
    """What stands at the top of some paths; one that ends in a slash is a folder."""
    tops: Tops = {}
    for name in names:
        top, slash, rest = name.partition("/")
        if top:
            tops.setdefault(top, []).append(tuple(rest.split("/")) if slash else ())
    return dict(sorted(tops.items()))


def _has_sources(inside: list[tuple[str, ...]]) -> bool:
    return any(parts and parts[-1].casefold().endswith((*SOURCES, ".zip")) for parts in inside)


def _listed_folder(folder: Path) -> Iterator[str]:
    """The paths in a folder, some levels deep; that of a folder, which may be empty, ends in a slash."""
    waiting = [("", folder)]
    listed = 0
    while waiting:
        prefix, place = waiting.pop()
        with os.scandir(place) as entries:
            for entry in entries:
                listed += 1
                if listed > MOST_LISTED:
                    raise _Refused("there are too many files in it")
                is_folder = _kind_of(entry) == "folder"
                name = prefix + entry.name + "/" * entry.is_dir()
                if entry.name == ".git" or not CLUTTER.search(entry.name):
                    yield name
                    if is_folder and entry.name != ".git" and name.count("/") < LISTED_DEPTH:
                        waiting.append((name, Path(entry.path)))


def _listed_zip(path: Path) -> Iterator[str]:
    with _opened(path) as file, zipfile.ZipFile(_Guarded(file)) as archive:
        for info in archive.infolist():
            name = _spelled(_name_in_zip(info))
            if not CLUTTER.search(name.replace("/.git/", "/", 1)) and not name.startswith("../"):
                yield name


# --- reading ---------------------------------------------------------------------------------------------------------


def read_submission(
    found: Found, given: Collection[PurePosixPath] | None = None, limits: ReadingLimits = ReadingLimits()
) -> Submission:
    """Read a submission into memory.

    Parameters
    ----------
    found : Found
    given : collection of path, optional
        The paths of the files that students were given (`student_files`): they tell which of several folders is the lab,
        and where a loose file belongs. The sources of the reference lab unless given.
    limits : ReadingLimits

    Returns
    -------
    Submission
        Always: what cannot be read has a `Submission.problem`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "mira.py").write_text("x = 1")
    ...     (found,) = find_submissions([folder])
    ...     submission = read_submission(found, [PurePosixPath("classifiers/mira.py")])
    >>> submission.files
    {PurePosixPath('classifiers/mira.py'): b'x = 1'}
    >>> submission.warnings
    ('mira.py stands outside the folders of a lab; it is taken as classifiers/mira.py.',)
    """
    known = frozenset(_names_of_the_lab(reference_folder()) if given is None else given)
    warnings = list(found.remarks)
    files: Files = {}
    problem, name = "", found.name
    try:
        with contextlib.ExitStack() as stack:
            files, called, more = _read(found, known, limits, stack)
        warnings += more
        if called and _slug(called) == _slug(name):
            name = one_line(called)
    except _Refused as refusal:
        problem = f"{refusal}."
    except MemoryError:
        problem = "It is too large for the memory of this machine."
    digest = _digest(files) if not problem else hashlib.sha256(f"problem: {problem}".encode()).hexdigest()
    return Submission(found.student, name, found.source, digest, files, problem, _not_too_many(warnings))


@dataclass(frozen=True)
class _Member:
    """A file that could be read: in a folder or in a zip file."""

    name: PurePosixPath
    open: Callable[[], BinaryIO]
    size: int = 0
    packed: int | None = None
    bad: str = ""  # what is wrong with it

    @property
    def matters(self) -> bool:
        """Whether its place or its name is one of a lab."""
        return self.name.suffix.casefold() in SOURCES or any(part.casefold() in LAB_FOLDERS for part in self.name.parts)


def _read(
    found: Found, known: frozenset[PurePosixPath], limits: ReadingLimits, stack: contextlib.ExitStack
) -> tuple[Files, str, list[str]]:
    """The files, the name that the packed file itself gives, and warnings."""
    complaints: list[str] = []
    budget = _Budget(limits)
    everything = _outer_members(found, stack)
    first = 0
    if len(everything) == 1 and everything[0].name.suffix.casefold() == ".zip":
        outer, first = everything[0].name, 1
        try:
            everything = [
                replace(m, name=m.name.relative_to(outer)) for m in _members_of_archive(everything[0], budget, stack)
            ]
        except _Refused as refusal:
            raise _Refused(f"{_shown(outer)} {refusal}") from None
    newest = everything
    for level in range(first, limits.depth + 1):
        count = sum(member.name.suffix.casefold() in SOURCES for member in everything)
        if count > MOST_SOURCES:
            raise _Refused(f"It holds {count} source files; more than {MOST_SOURCES} are not looked at")
        layout = _lay_out([member.name for member in everything], known)
        archives = [member for member in newest if member.name.suffix.casefold() == ".zip"]
        if layout.is_lab or not archives:
            break
        if level == limits.depth:
            complaints.append(f"{_shown(archives[0].name)} lies too deep in other zip files")
            break
        newest = []
        for member in archives:
            try:
                newest += _members_of_archive(member, budget, stack)
            except _Refused as refusal:
                complaints.append(f"{_shown(member.name)} {refusal}")
        everything = everything + newest
    if not layout.places:
        raise _Refused(_nothing_in([member.name for member in everything], known, complaints))
    budget = _Budget(limits)
    by_name = {member.name: member for member in everything}
    warnings = [*layout.warnings, *(f"{complaint}; it was left aside." for complaint in complaints)]
    if len(layout.places) > limits.files:
        raise _Refused(f"It holds {len(layout.places)} files of a lab; more than {limits.files} are not read")
    files: Files = {}
    for place, name in sorted(layout.places.items(), key=lambda item: (item[0].suffix not in SOURCES, str(item[0]))):
        try:
            files[place] = budget.read(by_name[name], limits.file_bytes)
        except _TooLarge as refusal:
            if place.suffix in SOURCES:
                raise _Refused(f"{_shown(name)} {refusal}") from None
            warnings.append(f"{_shown(name)} {refusal}; it was left aside.")
        except _Refused as refusal:
            raise _Refused(f"{_shown(name)} {refusal}") from None
    manifest = by_name.get(layout.root / SUBMISSION)
    called = _name_in_manifest(manifest, limits) if manifest else ""
    return dict(sorted(files.items(), key=lambda item: str(item[0]))), called, warnings


def _nothing_in(names: list[PurePosixPath], known: Collection[PurePosixPath], complaints: list[str]) -> str:
    if complaints:
        more = f" (and {len(complaints) - 2} more)" if len(complaints) > 2 else ""
        return "; ".join(complaints[:2]) + more
    if not names:
        return "There is nothing in it"
    for name in sorted(names):
        if name.suffix.casefold() in OTHER_ARCHIVES:
            return f"{_shown(name)} is not a zip file, and other archives are not opened"
    similar = ""
    sources = {path.name: path for path in known if path.parts[0] in LAB_FOLDERS}
    for name in sorted(name for name in names if name.suffix.casefold() in SOURCES)[:MOST_WARNINGS]:
        meant = max(sources, key=lambda file: _likeness(name.name, file), default="")
        if meant and _likeness(name.name, meant) >= 0.6:
            similar = f" ({_shown(name.name)} is not {sources[meant]})"
            break
    return (
        "It holds nothing of the lab: neither a folder readers or classifiers, nor a single file with the name of one of "
        f"theirs{similar}"
    )


class _TooLarge(_Refused):
    pass


class _Budget:
    """Reads files and counts the bytes that come out, against the limits."""

    def __init__(self, limits: ReadingLimits):
        self.limits, self.left = limits, limits.bytes

    def read(self, member: _Member, most: int) -> bytes:
        try:
            content = self._read(member, most)
        except _Refused:
            raise
        except DAMAGED as error:
            raise _Refused(f"cannot be read ({_reason(error)})") from None
        self.left -= len(content)
        return content

    def _read(self, member: _Member, most: int) -> bytes:
        self._check(member, member.size, most)
        chunks, size = [], 0
        with member.open() as stream:
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                self._check(member, size, most)
                chunks.append(chunk)
        return b"".join(chunks)

    def _check(self, member: _Member, size: int, most: int) -> None:
        if member.packed is not None and size > HARMLESS and size > self.limits.ratio * member.packed:
            raise _Refused("is a zip bomb: next to nothing when packed, too much when unpacked")
        if size > most:
            raise _TooLarge(f"is too large: more than {most / 1e6:.3g} MB")
        if size > self.left:
            raise _TooLarge(f"is too much: with it there are more than {self.limits.bytes / 1e6:.3g} MB")


def _outer_members(found: Found, stack: contextlib.ExitStack) -> list[_Member]:
    """What belongs to a submission, before any zip file within it is opened."""
    path = found.path
    try:
        if not path.is_dir():
            if not found.parts:
                suffix = path.suffix.casefold()
                if suffix in (*SOURCES, *OTHER_ARCHIVES):
                    return _refusing_bad([_Member(_clean(path.name), lambda: _opened(path), path.stat().st_size)])
                return [_Member(_clean(path.stem + ".zip"), lambda: _opened(path), path.stat().st_size)]
            archive = stack.enter_context(_opened(path))
            members = _members_of_zip(archive, stack, {inside for inside, _ in found.parts})
            return _refusing_bad(_of_parts(members, found.parts))
        members = []
        for inside, name in found.parts or (("", ""),):
            place = path / inside
            if inside and place.is_symlink():
                raise _Refused("It is a symbolic link, which is not followed")
            if place.is_dir():
                members += list(_members_of_folder(place))
            else:
                members += [_Member(_clean(name), lambda place=place: _opened(place), place.stat().st_size)]
        return _refusing_bad(members)
    except OSError as error:
        raise _Refused(f"It cannot be read ({_reason(error)})") from None


def _of_parts(members: list[_Member], parts: Sequence[tuple[str, str]]) -> list[_Member]:
    chosen = []
    for member in members:
        for inside, name in parts:
            if str(member.name) == str(PurePosixPath(inside)):
                chosen.append(replace(member, name=_clean(name or inside)))
            elif member.name.is_relative_to(inside):
                chosen.append(replace(member, name=member.name.relative_to(inside)))
    return chosen


def _refusing_bad(members: list[_Member]) -> list[_Member]:
    """Those without fault; a fault in a place of the lab is one of the whole submission."""
    for member in members:
        if member.bad and member.matters:
            raise _Refused(f"{_shown(member.name)} {member.bad}")
    return [member for member in members if not member.bad]


def _members_of_folder(folder: Path) -> Iterator[_Member]:
    waiting = [(PurePosixPath(), folder)]
    listed = 0
    while waiting:
        prefix, place = waiting.pop()
        with os.scandir(place) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                listed += 1
                if listed > MOST_LISTED or len(prefix.parts) > DEEPEST:
                    raise _Refused("It holds too many files, or folders too deep in one another")
                if CLUTTER.search(entry.name) or UNSAFE_CHARACTERS.search(entry.name):
                    continue
                kind = _kind_of(entry)
                name = prefix / unicodedata.normalize("NFC", entry.name)
                if kind == "folder":
                    waiting.append((name, Path(entry.path)))
                    continue
                bad = {"link": "is a symbolic link, which is not followed", "other": "is not a plain file"}.get(
                    kind, ""
                )
                size = entry.stat(follow_symlinks=False).st_size
                yield _Member(name, lambda path=Path(entry.path): _opened(path), 0 if bad else size, bad=bad)


def _kind_of(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink() or getattr(entry, "is_junction", bool)():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0)
        return "link" if attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400) else "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def _opened(path: Path) -> BinaryIO:
    """A plain file, open for reading; whatever else stands there now is neither waited for nor followed."""
    flags = os.O_RDONLY
    for flag in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"):
        flags |= getattr(os, flag, 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _Refused("is not a plain file")
    return os.fdopen(descriptor, "rb")


class _Guarded:
    """A file of which nobody reads more than so much at once: a zip file's table of contents has its limit."""

    def __init__(self, file: BinaryIO, most: int = DOWNLOAD_TABLE_BYTES):
        self.seek, self.tell, self.close = file.seek, file.tell, file.close
        self._file, self._most = file, most

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            size = self._most
        if size > self._most:
            raise _Refused("is not a zip file that can be read: its table of contents is too long")
        return self._file.read(size)

    def seekable(self) -> bool:
        return True


def _members_of_archive(member: _Member, budget: _Budget, stack: contextlib.ExitStack) -> list[_Member]:
    """The members of a zip file, under its name; a file on the disk is read where it stands, another into memory."""
    if member.packed is None:
        try:
            file = stack.enter_context(member.open())
        except OSError as error:
            raise _Refused(f"cannot be read ({_reason(error)})") from None
    else:
        file = io.BytesIO(budget.read(member, budget.limits.bytes))
    members = _refusing_bad(_members_of_zip(file, stack))
    return [replace(inner, name=member.name / inner.name) for inner in members]


def _members_of_zip(
    file: BinaryIO, stack: contextlib.ExitStack, wanted: Collection[str] | None = None
) -> list[_Member]:
    """The files in a zip file's table; of a large one those that are wanted or lie in wanted folders."""
    try:
        archive = stack.enter_context(zipfile.ZipFile(_Guarded(file, DOWNLOAD_TABLE_BYTES if wanted else TABLE_BYTES)))
        infos = archive.infolist()
    except _Refused:
        raise
    except DAMAGED as error:
        if not file.seek(0, os.SEEK_END):
            raise _Refused("is empty, with not a single byte in it") from None
        raise _Refused(f"is not a zip file that can be read ({_reason(error)})") from None
    overlapping = _overlapping(infos, getattr(archive, "start_dir", 0))
    members: dict[PurePosixPath, tuple[_Member, zipfile.ZipInfo]] = {}
    for info in infos:
        raw = _name_in_zip(info)
        spelled = _spelled(raw)
        if CLUTTER.search(spelled) or (wanted is not None and not _is_in(spelled, wanted)):
            continue
        if spelled.endswith("/"):
            _clean(raw)
            continue
        name = _clean(raw)
        if len(name.parts) > DEEPEST:
            raise _Refused("holds folders too deep in one another")
        bad = _fault_of(info, overlapping)
        member = _Member(name, lambda info=info: archive.open(info), info.file_size, info.compress_size, bad)
        if name in members:
            other = members[name][1]
            if (other.CRC, other.file_size) != (info.CRC, info.file_size):
                raise _Refused(f"holds {_shown(name)} twice, with different contents")
            continue
        members[name] = member, info
    if len(members) > MOST_LISTED:
        raise _Refused(f"holds {len(members)} files, which is too many")
    return [member for member, _ in members.values()]


def _is_in(name: str, wanted: Collection[str]) -> bool:
    """Whether a path is one of those that are wanted or lies in one."""
    parts = name.split("/")
    return any("/".join(parts[:n]) in wanted for n in range(1, len(parts) + 1))


def _fault_of(info: zipfile.ZipInfo, overlapping: Collection[int]) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a symbolic link, which is not followed"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is not a plain file"
    if info.flag_bits & 0x1:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed in an unusual way; an ordinary zip file is wanted"
    if id(info) in overlapping:
        return "overlaps with another file in the zip file, as in a zip bomb"
    return ""


def _overlapping(infos: Sequence[zipfile.ZipInfo], end: int) -> set[int]:
    """The ids of entries that claim bytes of the next one, or of the table."""
    found = set()
    ordered = sorted(infos, key=lambda info: info.header_offset)
    for i, info in enumerate(ordered):
        after = ordered[i + 1].header_offset if i + 1 < len(ordered) else end
        least = 30 + len(info.orig_filename)  # the header before the data: characters are no more than its bytes
        if info.header_offset + least + info.compress_size > after:
            found.add(id(info))
    return found


def _name_in_zip(info: zipfile.ZipInfo) -> str:
    """The name as it stands in the table; many programs write UTF-8 without saying so."""
    name = info.orig_filename
    if not info.flag_bits & 0x800 and not name.isascii():
        with contextlib.suppress(UnicodeError):
            return name.encode("cp437").decode("utf-8")
    return name


def _spelled(raw: str) -> str:
    """A name in a zip file as others would have written it: ``.\\a//b`` is ``a/b``. That of a folder ends in a slash."""
    name = unicodedata.normalize("NFC", raw.replace("\\", "/"))
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return "/".join(parts) + "/" * name.endswith("/")


def _clean(raw: str) -> PurePosixPath:
    """A name in a zip file as a path that stays inside.

    Raises
    ------
    _Refused
        If it would lead outside, or has characters that no name has.
    """
    path = PurePosixPath(_spelled(raw))
    if UNSAFE_CHARACTERS.search(raw):
        raise _Refused(f"holds a name with control characters ({_shown(raw)})")
    if re.match(r"[/\\]|[A-Za-z]:", raw):
        raise _Refused(f"holds an absolute path ({_shown(raw)})")
    if ".." in path.parts:
        raise _Refused(f"holds a path that leads out of it ({_shown(raw)})")
    return path


@dataclass(frozen=True)
class _Layout:
    """Which file goes where in the lab.

    Attributes
    ----------
    is_lab : bool
        Whether there is a folder of a lab, rather than loose files.
    root : path
        The lab in the submission.
    places : dict
        From the path in the lab to that in the submission.
    warnings : list of str
    """

    is_lab: bool
    root: PurePosixPath
    places: dict[PurePosixPath, PurePosixPath]
    warnings: list[str]


def _lay_out(names: Sequence[PurePosixPath], known: Collection[PurePosixPath]) -> _Layout:
    """Find the lab among the paths of a submission, and put loose files where they belong.

    Examples
    --------
    >>> known = [PurePosixPath("classifiers/mira.py"), PurePosixPath("classifiers/svm.py")]
    >>> layout = _lay_out([PurePosixPath("ada/classifiers/mira.py"), PurePosixPath("ada/svm (1).py")], known)
    >>> {str(place): str(name) for place, name in layout.places.items()}
    {'classifiers/mira.py': 'ada/classifiers/mira.py', 'classifiers/svm.py': 'ada/svm (1).py'}
    """
    names = sorted(name for name in set(names) if name.parts)
    warnings: list[str] = []
    roots: dict[PurePosixPath, int] = {}
    for name in names:
        for i, part in enumerate(name.parts[:-1]):
            if part.casefold() in PACKAGES:
                root = PurePosixPath(*name.parts[:i])
                roots[root] = roots.get(root, 0) + (_in_lab(name.parts[i:]) in known)
                break
    homes: dict[str, PurePosixPath | None] = {}
    for path in known:
        if path.parts[0] in LAB_FOLDERS and path.suffix in SOURCES:
            homes[path.name] = None if path.name in homes else path
    loose = sources = [name for name in names if name.suffix.casefold() in SOURCES]
    has_known = any(homes.get(name.name) for name in loose)
    lab_roots = [root for root, count in roots.items() if count or (not has_known and "tests" not in root.parts)]
    places: dict[PurePosixPath, PurePosixPath] = {}
    root = PurePosixPath()
    if lab_roots:
        root = min(lab_roots, key=lambda root: (-roots[root], len(root.parts), str(root)))
        depth = len(root.parts)
        for other in sorted(set(lab_roots) - {root}):
            if roots[other]:
                warnings.append(
                    f"There is a second lab, in {_shown(other) if other.parts else 'the folder above'}; "
                    f"the one in {_shown(root) if root.parts else 'the outermost folder'} counts."
                )
        inside = [name for name in names if name.parts[:depth] == root.parts and name != root]
        loose = []
        aside: dict[str, int] = {}
        for name in inside:
            path = _in_lab(name.parts[depth:])
            if len(path.parts) == 1 and path.suffix.casefold() in SOURCES:
                loose.append(name)
            elif path.parts[0] in PACKAGES or (path.parts[0] == NOTEBOOKS and path.suffix in SOURCES):
                if len(path.parts) > 1 and not LEFT_BEHIND.search(str(path)):
                    _place(places, path, name, warnings)
            elif path.suffix in SOURCES and path.parts[0].casefold() != "tests":
                aside[path.parts[0]] = aside.get(path.parts[0], 0) + 1
        others = {other.parts for other in lab_roots}
        outside = [name for name in sources if name.parts[:depth] != root.parts]
        for name in outside:
            if homes.get(name.name) and not any(name.parts[:n] in others for n in range(1, len(name.parts))):
                warnings.append(f"{_shown(name)} stands outside the lab and was left aside.")
        for folder, count in sorted(aside.items()):
            what = f"{count} source file{'s' * (count > 1)}"
            warnings.append(f"{_shown(folder)}/ ({what}) is no folder of the lab and was left aside.")
    loose = sorted(loose, key=lambda name: (len(name.parts), str(name)))
    _place_loose(places, loose, homes, bool(lab_roots), warnings)
    _take_browser_copies(places, known, warnings)
    if not lab_roots and not any(home in places for home in homes.values()):
        places = {}
    return _Layout(bool(lab_roots), root, _fit_for_every_system(places, warnings), warnings)


def _in_lab(parts: tuple[str, ...]) -> PurePosixPath:
    """A path in a lab whose folder may be written as ``Classifiers``."""
    folder = parts[0].casefold()
    return PurePosixPath(folder if folder in LAB_FOLDERS else parts[0], *parts[1:])


def _place(
    places: dict[PurePosixPath, PurePosixPath],
    path: PurePosixPath,
    name: PurePosixPath,
    warnings: list[str],
) -> None:
    """Put a file in its place; of two for one place, that with the right spelling of the folder stays."""
    other = places.get(path)
    if other is not None:
        kept, left = (name, other) if str(name).endswith(str(path)) else (other, name)
        warnings.append(f"{_shown(left)} and {_shown(kept)} are the same but for capital letters; the latter counts.")
        name = kept
    places[path] = name


def _place_loose(
    places: dict[PurePosixPath, PurePosixPath],
    loose: Sequence[PurePosixPath],
    homes: Mapping[str, PurePosixPath | None],
    has_lab: bool,
    warnings: list[str],
) -> None:
    """Put files that stand in no folder of a lab where the lab has one of that name; others stay beside them."""
    beside: dict[PurePosixPath, PurePosixPath] = {}  # where the files of a folder went
    own = []
    for name in loose:
        copy = BROWSER_COPY.fullmatch(name.name)
        home = homes.get(name.name)
        if home is None and copy and (original := homes.get(copy["stem"] + copy["suffix"])):
            home = original.with_name(name.name)
        if home is None:
            own.append(name)
        elif home in places:
            warnings.append(f"{_shown(name)} was left aside, since there is {_shown(places[home])}.")
        else:
            places[home] = name
            warnings.append(f"{_shown(name)} stands outside the folders of a lab; it is taken as {_shown(home)}.")
            beside.setdefault(name.parent, home.parent)
    for name in own:
        folder = PurePosixPath() if has_lab else beside.get(name.parent, PurePosixPath())
        places.setdefault(folder / name.name, name)


def _take_browser_copies(
    places: dict[PurePosixPath, PurePosixPath], known: Collection[PurePosixPath], warnings: list[str]
) -> None:
    """Take ``mira (1).py``, as a browser names what it loads again, as ``mira.py`` where that is wanted and not there."""
    copies: dict[PurePosixPath, list[PurePosixPath]] = {}
    for path in places:
        match = BROWSER_COPY.fullmatch(path.name)
        if match and (original := path.with_name(match["stem"] + match["suffix"])) in known:
            copies.setdefault(original, []).append(path)
    for original, theirs in copies.items():
        shown = " and ".join(_shown(places[path]) for path in sorted(theirs))
        if original in places:
            warnings.append(f"{shown} was left aside, since there is {_shown(places[original])}.")
        elif len(theirs) > 1:
            warnings.append(f"{shown}: which one is meant as {_shown(original)} cannot be told; none of them counts.")
        else:
            places[original] = places[theirs[0]]
            said = f"{shown} stands outside the folders of a lab; it is taken as {_shown(theirs[0])}."
            if said in warnings:
                warnings.remove(said)
            warnings.append(f"{shown} is taken as {_shown(original)}.")
        for path in theirs:
            del places[path]


def _fit_for_every_system(
    places: dict[PurePosixPath, PurePosixPath], warnings: list[str]
) -> dict[PurePosixPath, PurePosixPath]:
    """Leave out what could not be written everywhere: odd names, and names that differ in capital letters alone."""
    kept: dict[str, PurePosixPath] = {}
    folds = {path: str(path).casefold() for path in places}
    for path in sorted(places, key=lambda path: (str(path) != folds[path], str(path))):
        folded = folds[path]
        if (
            len(str(path)) > LONGEST_PATH
            or any(
                len(part) > LONGEST_NAME or NOT_IN_NAMES.search(part) or RESERVED.fullmatch(part) for part in path.parts
            )
            or UNSAFE_CHARACTERS.search(str(path))
        ):
            warnings.append(f"{_shown(path)} was left aside: not every system can have a file of that name.")
        elif folded in kept:
            warnings.append(
                f"{_shown(path)} was left aside: it is {_shown(kept[folded])} but for capital letters, and that counts."
            )
        else:
            kept[folded] = path
    for folded in sorted(kept):
        for place in re.finditer("/", folded):
            if path := kept.pop(folded[: place.start()], None):
                warnings.append(f"{_shown(path)} was left aside: it cannot be a file and a folder.")
    return {path: places[path] for path in sorted(kept.values())}


def _name_in_manifest(member: _Member, limits: ReadingLimits) -> str:
    """The name in ``submission.json``, as `lxmls-day1 submit` writes it; empty if it is not that."""
    try:
        name = json.loads(_Budget(limits).read(member, 1_000_000))["name"]
        return name if isinstance(name, str) else ""
    except (_Refused, ValueError, KeyError, TypeError, RecursionError):
        return ""


def _names_of_the_lab(reference: Path) -> Iterator[PurePosixPath]:
    """The sources that students are given; of a pair of notebook and script only the notebook."""
    for folder in LAB_FOLDERS:
        for path in (reference / folder).rglob("*"):
            if path.suffix in SOURCES and not (path.suffix == ".py" and path.with_suffix(".ipynb").is_file()):
                yield PurePosixPath(path.relative_to(reference).as_posix())


def _digest(files: Files) -> str:
    digest = hashlib.sha256()
    for path, content in sorted((str(path).encode(), content) for path, content in files.items()):
        digest.update(len(path).to_bytes(8, "big") + path + len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return one_line(str(error), 80) or type(error).__name__


def _not_too_many(warnings: Sequence[str]) -> tuple[str, ...]:
    more = len(warnings) - MOST_WARNINGS
    return (*warnings[:MOST_WARNINGS], f"There are {more} more warnings of this kind.") if more > 0 else tuple(warnings)


def _shown(name: str | PurePosixPath) -> str:
    return one_line(str(name), 80)


# --- the lab in the box ----------------------------------------------------------------------------------------------


def lab_in_the_box(
    submission: Submission, given: Files, exercises: Iterable[Exercise], notebooks: bool = False
) -> tuple[Files, tuple[str, ...]]:
    """The files with which a submission is run: theirs where they were to write, those given out everywhere else.

    Parameters
    ----------
    submission : Submission
    given : dict from path to content
        What students were given: `student_files` of the reference lab.
    exercises : iterable of Exercise
        All of the registry: their files are those that count. One that was not handed in is left out.
    notebooks : bool
        Whether to take the notebooks along.

    Returns
    -------
    files : dict from path to content
        Only ``readers/``, ``classifiers/``, Python files at the top, and ``notebooks/`` if asked for.
    warnings : tuple of str

    Examples
    --------
    >>> def path(name): return PurePosixPath(name)
    >>> given = {path("classifiers/__init__.py"): b"", path("classifiers/losses.py"): b"a = 1"}
    >>> theirs = {path("classifiers/losses.py"): b"a = 2", path("random.py"): b"", path("classifiers/mine.py"): b""}
    >>> files, warnings = lab_in_the_box(Submission("ada", "Ada", "ada.zip", "", theirs), given, [])
    >>> sorted(map(str, files)), files[path("classifiers/losses.py")]
    (['classifiers/__init__.py', 'classifiers/losses.py', 'classifiers/mine.py'], b'a = 1')
    >>> for warning in warnings: print(warning)
    classifiers/losses.py is not as it was given out; the file that was given out is used.
    random.py was put aside: Python has a module of that name.
    """
    folders = LAB_FOLDERS if notebooks else PACKAGES
    theirs = submission.files
    to_write = {PurePosixPath(name) for exercise in exercises for name in (*exercise.files, exercise.notebook)}
    files: Files = {}
    warnings: list[str] = []
    missing = []
    for path, content in given.items():
        if path.parts[0] not in folders or (path.parts[0] == NOTEBOOKS and path.suffix not in SOURCES):
            continue
        if path in to_write:
            if path in theirs:
                files[path] = theirs[path]
            else:
                missing.append(path)
            continue
        files[path] = content
        if theirs.get(path, content) != content and _text_alone(theirs[path]) != _text_alone(content):
            warnings.append(f"{_shown(path)} is not as it was given out; the file that was given out is used.")
    own = [path for path in theirs if path not in given]
    modules = {str(path.with_suffix("")).casefold() for path in given if path.suffix == ".py"}
    taken = {str(path).casefold() for path in files}
    for path in sorted(own):
        if path.parts[0] not in folders and not (len(path.parts) == 1 and path.suffix == ".py"):
            continue
        if reason := _put_aside(path, modules, taken):
            warnings.append(f"{_shown(path)} was put aside: {reason}.")
        else:
            files[path] = theirs[path]
    warnings += _not_handed_in(missing, own)
    return dict(sorted(files.items(), key=lambda item: str(item[0]))), _not_too_many(warnings)


def _put_aside(path: PurePosixPath, modules: Collection[str], taken: Collection[str]) -> str:
    """Why a file of their own cannot be in the box; empty if it can."""
    if path.suffix.casefold() in NATIVE:
        return "only Python source is run"
    if str(path).casefold() in taken:
        return "a file of the lab has that name but for capital letters"
    if len(path.parts) == 1:
        module = path.stem.partition(".")[0]
        if module.casefold() in LAB_FOLDERS or module in ("lxmls_day1", "conftest", "sitecustomize", "usercustomize"):
            return "the lab has a module of that name"
        if module in sys.stdlib_module_names:
            return "Python has a module of that name"
        if PathFinder.find_spec(module, [entry for entry in sys.path if Path(entry).name.endswith("-packages")]):
            return "an installed library has that name"
    elif any(str(parent).casefold() in modules for parent in path.parents):
        return "its folder has the name of a file of the lab"
    return ""


def _not_handed_in(missing: Sequence[PurePosixPath], own: Sequence[PurePosixPath]) -> list[str]:
    """A sentence on what is missing, and for each file of theirs that has a similar name one that says so."""
    warnings = []
    sources = [path for path in missing if path.suffix == ".py"]
    if sources:
        listed = ", ".join(map(str, sources[:3])) + (f" and {len(sources) - 3} more" if len(sources) > 3 else "")
        warnings.append(f"Not handed in: {listed}.")
    for path in own[: 10 * MOST_WARNINGS]:
        alike = [(_likeness(path.name, other.name), str(other)) for other in missing if other.suffix == path.suffix]
        likeness, nearest = max(alike, default=(0.0, ""))
        if likeness >= 0.6:
            warnings.append(f"{_shown(path)} is not {nearest}; a file that was renamed does not count.")
    return warnings


def _likeness(name: str, wanted: str) -> float:
    """How much a file's name looks like another, in [0, 1]; 1 if it is that with something before or after it."""
    name, wanted = (re.sub(r"[^a-z]", "", PurePosixPath(n[:LONGEST_NAME]).stem.casefold()) for n in (name, wanted))
    if len(wanted) > 2 and (name.startswith(wanted) or name.endswith(wanted)):
        return 1.0
    return SequenceMatcher(None, name, wanted, autojunk=False).ratio()


def _text_alone(content: bytes) -> bytes:
    """A text without what editors change by themselves: its encoding mark, line ends, blanks at the ends of lines."""
    lines = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return b"\n".join(line.rstrip() for line in lines).rstrip()
