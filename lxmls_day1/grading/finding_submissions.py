"""Find the submissions in the paths that an instructor names, and their students: downloads of an LMS, folders, zip files.

Without an LMS it is a folder of repositories ``assignment-login``, or anything else: a folder or a zip file of folders and
zip files; a lab; loose files. Files are listed here; only Gradescope's table of names is read.
"""

import contextlib
import os
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from lxmls_day1.errors import InputError
from lxmls_day1.grading.safe_text import one_line
from lxmls_day1.grading.submission_layout import RESERVED
from lxmls_day1.grading.untrusted_files import (
    CLUTTER,
    DAMAGED,
    LAB_FOLDERS,
    MOST_LISTED,
    SOURCES,
    Guarded,
    Refused,
    kind_of,
    name_in_zip,
    opened,
    shown,
    spelled_name,
)

OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst")

# Moodle: ``Ada Lovelace_123456_assignsubmission_file_/lab.zip``, or files whose names begin like that.
MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL)
# Canvas: ``lovelaceada_LATE_12345_67890_lab-1.zip``; of one name handed in again, the newest counts.
CANVAS = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_(?P<upload>\d{3,})_(?P<file>.+)", re.DOTALL)
# Blackboard: ``Day 1_ada_attempt_2026-11-20-23-59-00_lab.zip``, and a text file about each attempt; the newest counts.
BLACKBOARD = re.compile(r"(?:.*_)?(?P<id>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL)
AGAIN = re.compile(r"-(?P<number>\d{1,3})(?=\.\w+$)")  # lab-1.zip: Canvas, for a name that was handed in before
# Gradescope: ``submission_123/``; names from ``submission_metadata.yml``.
GRADESCOPE = re.compile(r"submission_(?P<id>\d+)")
GRADESCOPE_NAMES = "submission_metadata.yml"

LONGEST_SLUG, MOST_SLUG_BYTES = 60, 150  # file systems allow names of 255 bytes, and the slug is not all of them
LONGEST_LINE = 1000  # of Gradescope's table
LISTED_DEPTH = 4  # how deep a folder is looked into for telling one submission from many


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
    id : str
        What the learning platform calls the student, where the download says it: Canvas's number of the user, Moodle's of the
        participant, Blackboard's user name.
    """

    student: str
    name: str
    source: str
    path: Path
    parts: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    id: str = ""


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
        found = {path: _entries_in(path, alone=len(given) == 1) for path in siblings if path.name not in named}
        are_classes = len(given) == 1 or any(entry.parts for theirs in found.values() for entry in theirs)
        for path, theirs in found.items():
            if not (are_classes and _is_empty(path)):  # among folders of students it is one who handed in nothing
                entries += theirs
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
        return tuple(f"{shown(top)} was handed in again since, and does not count." for top in self.older)


Tops = dict[str, list[tuple[str, ...]]]  # name of what stands at the top -> the paths in it; () if it is a file


def _entries_in(path: Path, alone: bool) -> list[_Entry]:
    """The submissions in a path. A path that raises an error counts as one: `read_submission` says what is wrong with it."""
    is_folder = path.is_dir()
    try:
        entries = _many_in(path, is_folder, alone)
    except Exception:
        entries = []
    return entries or [_Entry(_name_of(path.name, is_folder), path=path)]


def _many_in(path: Path, is_folder: bool, alone: bool) -> list[_Entry]:
    """The submissions in a path that holds many; none if it holds one."""
    names = list(_listed_folder(path) if is_folder else _listed_zip(path))
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
    return [
        replace(entry, path=path, parts=tuple((prefix + inside, name) for inside, name in entry.parts))
        for entry in entries
    ]


def _is_empty(path: Path) -> bool:
    """Whether a folder is empty, apart from what systems leave there by themselves."""
    try:
        return path.is_dir() and not any(True for _ in _listed_folder(path))
    except (OSError, Refused):
        return False


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
    """Whether the entries at the top are submissions, if no LMS has named them."""
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
    """Folders and archives, without those that grading itself has written."""
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
        before, dash, _ = _common_start(folders).rpartition("-")
        prefix = before + dash
    entries = [_Entry(_name_of(top.removeprefix(prefix), True), parts=((top, ""),)) for top in folders]
    for top, inside in tops.items():
        if () in inside and top not in folders and (top in _plain_tops(tops) or top.casefold().endswith(SOURCES)):
            entries.append(_Entry(_name_of(top, False), parts=((top, top),)))
    return sorted(entries, key=lambda entry: entry.parts)


def _named_by_lms(tops: Tops) -> list[_Entry]:
    """The submissions that Moodle, Gradescope, Blackboard or Canvas has named."""
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
    if blackboard := _named_by_blackboard([top for top, inside in tops.items() if () in inside]):
        return blackboard
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


def _named_by_blackboard(files: Sequence[str]) -> list[_Entry]:
    """The newest attempt of each student; one without a file is none."""
    attempts: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for match in filter(None, map(BLACKBOARD.fullmatch, files)):
        if match["file"]:
            attempts.setdefault(match["id"], {}).setdefault(match["time"], []).append((match[0], match["file"]))
    entries = []
    for id, theirs in sorted(attempts.items()):
        *older, newest = sorted(theirs)
        before = tuple(file for time in older for file, _ in sorted(theirs[time]))
        entries.append(_Entry(id, id, parts=tuple(sorted(theirs[newest])), older=before))
    return entries


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
                stream: IO[bytes] = stack.enter_context(opened(path, prefix + GRADESCOPE_NAMES))
            else:
                archive = stack.enter_context(zipfile.ZipFile(Guarded(stack.enter_context(opened(path)))))
                stream = stack.enter_context(archive.open(prefix + GRADESCOPE_NAMES))
            content = stream.read(5_000_000)
    except (*DAMAGED, Refused):
        return entries
    names: dict[str, list[str]] = {}
    current: list[str] = []
    for line in content.decode("utf-8", "replace").split("\n"):
        if top := re.match(r"(submission_\d+):", line):
            current = names.setdefault(top[1], [])
        elif name := re.fullmatch(r"""[\s-]*:name:\s*(["']?)(.+?)\1""", line[:LONGEST_LINE].rstrip()):
            current.append(name[2])
    return [replace(entry, name=", ".join(names.get(entry.name, [])) or entry.name) for entry in entries]


def _with_slugs(entries: list[_Entry]) -> list[Found]:
    """Give each its own slug: students of the same name are told apart by the ids of the LMS, else by numbers."""
    slugs = [slug_of(entry.name) for entry in entries]
    by_slug: dict[str, list[int]] = {}
    for i, slug in enumerate(slugs):
        by_slug.setdefault(slug, []).append(i)
    for theirs in by_slug.values():
        ids = {entries[i].id for i in theirs}
        if len(theirs) > 1 and len(ids) == len(theirs) and "" not in ids:
            for i in theirs:
                slugs[i] = f"{slugs[i]}-{slug_of(entries[i].id[:20])}"
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
        is_student = not any(
            GRADESCOPE.fullmatch(Path(top).name) for top in dict(entry.parts)
        )  # else a submission's number
        id = one_line(entry.id) if is_student else ""
        found.append(Found(slug, name, one_line(str(where), 300), entry.path, entry.parts, entry.remarks, id))
    return found


def slug_of(name: str) -> str:
    """``Zoë O'Neil`` -> ``zoë-o-neil``: lower case, letters and digits of any script, no name that Windows keeps."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
    slug = re.sub(r"[\W_]+", "-", text).strip("-")[:LONGEST_SLUG]
    slug = slug.encode()[:MOST_SLUG_BYTES].decode(errors="ignore").strip("-") or "student"
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


def _common_start(names: Sequence[str]) -> str:
    """The characters with which all these names begin."""
    first, last = min(names), max(names)
    n_same = next((i for i, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:n_same]


def _has_sources(inside: list[tuple[str, ...]]) -> bool:
    return any(parts and parts[-1].casefold().endswith((*SOURCES, ".zip")) for parts in inside)


def _listed_folder(folder: Path) -> Iterator[str]:
    """The paths in a folder, some levels deep; that of a folder, which may be empty, ends in a slash.

    What stands at its top may be submissions of many. One of them that cannot be listed, or holds too much, is named like
    the others, with what was listed of it.
    """
    for entry, name in _listed_level(folder, ""):
        yield name
        if kind_of(entry) == "folder" and entry.name != ".git":
            with contextlib.suppress(Exception):
                yield from _listed_below(Path(entry.path), name)


def _listed_below(folder: Path, prefix: str) -> Iterator[str]:
    """The paths in a folder at the top of another; not more than so many."""
    waiting = [(prefix, folder)]
    listed = 0
    while waiting:
        prefix, place = waiting.pop()
        for entry, name in _listed_level(place, prefix):
            listed += 1
            if listed > MOST_LISTED:
                return
            yield name
            if kind_of(entry) == "folder" and entry.name != ".git" and name.count("/") < LISTED_DEPTH:
                waiting.append((name, Path(entry.path)))


def _listed_level(folder: Path, prefix: str) -> Iterator[tuple[os.DirEntry[str], str]]:
    """What stands in a folder, without clutter."""
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= MOST_LISTED:
                raise Refused("there are too many files in it")
            if entry.name == ".git" or not CLUTTER.search(entry.name):
                yield entry, prefix + entry.name + "/" * entry.is_dir()


def _listed_zip(path: Path) -> Iterator[str]:
    with opened(path) as file, zipfile.ZipFile(Guarded(file)) as archive:
        for info in archive.infolist():
            name = spelled_name(name_in_zip(info))
            if not CLUTTER.search(name.replace("/.git/", "/", 1)) and not name.startswith("../"):
                yield name
