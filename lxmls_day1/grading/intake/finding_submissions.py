"""Find the submissions in the paths that an instructor names: downloads of an LMS, folders, zip files.

Without an LMS it is a folder of repositories ``assignment-login``, or anything else: a folder or a zip file of folders and
zip files; a lab; loose files. Only Gradescope's table of names is read here.

A file's name is input from strangers, as code is. Platforms put a student's own words into it: the name of the file always, on
Canvas the name of the person, too. So a name is read from the left, where the platform writes, and only its last part is the
student's file; a name that can be read in two ways belongs to nobody.

References
----------
Canvas, ``lib/content_zipper.rb`` (the name of a person may hold underscores and digits); Moodle, ``mod/assign/locallib.php``
(underscores in it become spaces)
"""

import contextlib
import os
import re
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO

from lxmls_day1.base.errors import InputError
from lxmls_day1.grading.intake.found_submission import BLACKBOARD, CANVAS, GRADESCOPE, MOODLE, FoundSubmission, key_of
from lxmls_day1.grading.intake.untrusted_files import (
    DAMAGED,
    LAB_FOLDERS,
    LISTED_DEPTH,
    OTHER_ARCHIVES,
    SOURCES,
    Guarded,
    Refused,
    display_name,
    listed,
    opened,
)
from lxmls_day1.grading.safe_text import one_line

#: The names that a platform gives to files or folders. ``file`` is the student's, and nothing in it is looked at.
PATTERNS = {
    # ``Ada Lovelace_123456_assignsubmission_file_/lab.zip``, or files whose names begin like that.
    MOODLE: re.compile(
        r"(?P<name>[^_]+)_(?P<id>[0-9]+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL
    ),
    # ``submission_123/``; names come from ``submission_metadata.yml``.
    GRADESCOPE: re.compile(r"submission_(?P<id>[0-9]+)"),
    # ``lovelaceada_LATE_12345_67890_lab-1.zip``. Of the person's name Canvas leaves letters, digits and underscores.
    CANVAS: re.compile(r"(?P<name>[^\s.-]*?)(?:_LATE)?_(?P<id>[0-9]+)_(?P<upload>[0-9]{3,})_(?P<file>.+)", re.DOTALL),
    # ``Day 1_ada_attempt_2026-11-20-23-59-00_lab.zip``, and a text file about each attempt.
    BLACKBOARD: re.compile(
        r"(?P<start>.+?_.+?)_attempt_(?P<time>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL
    ),
}
#: The same with the longest name of a person: where it finds another number, Canvas's parts cannot be told apart.
_LAST_READING = re.compile(PATTERNS[CANVAS].pattern.replace("*?", "*", 1), re.DOTALL)
AGAIN = re.compile(r"-(?P<number>\d{1,3})(?=\.\w+$)")  # lab-1.zip: Canvas, for a name that was handed in before
HAS_SOURCE_SUFFIX = re.compile(r"\.(py|ipynb|zip)\b", re.IGNORECASE)  # perceptron.py.txt, too
#: What a path holds that a platform may have named.
NAMED_WITHIN = re.compile(r"_assignsubmission_|_attempt_[0-9]|_[0-9]+_[0-9]{3,}_|submission_metadata\.yml$")
GRADESCOPE_NAMES = "submission_metadata.yml"
LONGEST_LINE = 1000  # of Gradescope's table
Tops = dict[str, list[tuple[str, ...]]]  # name of what stands at the top -> the paths in it; () if it is a file


def find_submissions(paths: Sequence[str | os.PathLike[str]]) -> list[FoundSubmission]:
    """Find the submissions in what an instructor names.

    Parameters
    ----------
    paths : sequence of path
        Folders, zip files, single source files; each may hold one submission or many.

    Returns
    -------
    list of FoundSubmission
        In the order of `FoundSubmission.student`. What cannot be read is among them; `read_submission` says why.

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
    [('ada-lovelace_17', 'Ada Lovelace'), ('alan-turing_4', 'Alan Turing')]
    """
    places = list(dict.fromkeys(Path(path).expanduser() for path in paths))
    for path in places:
        if not os.path.lexists(path):
            raise InputError(f"{path} does not exist; name folders or zip files with submissions.")
    entries: list[FoundSubmission] = []
    by_folder: dict[Path, list[Path]] = {}
    for path in places:
        by_folder.setdefault(path.parent, []).append(path)
    for folder, siblings in by_folder.items():
        together, names = _named_by_platform(_tops_of(path.name + "/" * path.is_dir() for path in siblings))
        entries += [replace(entry, path=folder) for entry in together]
        rest = [path for path in siblings if path.name not in names.matches]
        found = {path: _entries_in(path, alone=len(places) == 1) for path in rest}
        full = [path for path in rest if not _is_empty(path)]
        classes = [path for path in full if any(entry.parts for entry in found[path])]
        are_classes = len(places) == 1 or bool(classes)
        for path in rest if not are_classes else full:  # among folders of students an empty one has handed in nothing
            doubt = names.doubts.get(path.name, "")
            if path in classes and 2 * len(classes) < len(full):
                doubt = f"{display_name(path.name)} looks like many submissions among single ones, and is taken as one."
            entries += [_entry(_name_of(path.name, path.is_dir()), path, doubt=doubt)] if doubt else found[path]
    if not entries:
        raise InputError(f"there is no submission in {', '.join(map(str, places)) or 'nothing'}.")
    return sorted(map(_with_source, entries), key=lambda found: (found.student, found.source))


def _with_source(entry: FoundSubmission) -> FoundSubmission:
    where = entry.path if len(entry.parts) != 1 else entry.path / entry.parts[0][0]
    return replace(entry, name=one_line(entry.name) or entry.student, source=one_line(str(where), 300))


def _entries_in(path: Path, alone: bool) -> list[FoundSubmission]:
    """The submissions in a path. A path that raises an error counts as one: `read_submission` says what is wrong with it."""
    try:
        entries = _submissions_among(listed(path), path, alone)
    except Exception:
        entries = []
    return entries or [_entry(_name_of(path.name, path.is_dir()), path)]


def _is_empty(path: Path) -> bool:
    """Whether a folder is empty, apart from what systems leave there by themselves."""
    try:
        return path.is_dir() and not any(True for _ in listed(path))
    except Exception:  # whatever is wrong with it: `read_submission` says it
        return False


@dataclass(frozen=True)
class NamesRead:
    """What `read_names` finds in the names of a download.

    Attributes
    ----------
    platform : str
        That of the whole download; empty where there is none.
    matches : mapping from name to match
        Of `PATTERNS`, for the names that are surely the platform's.
    doubts : mapping from name to sentence
        Of names that look like a platform's, and are not believed.
    """

    platform: str
    matches: Mapping[str, re.Match[str]]
    doubts: Mapping[str, str]


def read_names(files: Iterable[str], folders: Iterable[str]) -> NamesRead:
    """Read the names at the top of a download. Its platform is the one that has named more than half of them.

    Examples
    --------
    >>> names = read_names(["lovelaceada_11_456_lab.zip", "mallory_12_457_x_ada_attempt_2026-11-20-10-00-00_lab.zip"], [])
    >>> names.platform, [match["id"] for match in names.matches.values()], len(names.doubts)
    ('Canvas', ['11', '12'], 1)
    """
    files, folders = list(files), list(folders)
    named = {MOODLE: [*files, *folders], GRADESCOPE: folders, CANVAS: files, BLACKBOARD: files}
    fits = {
        platform: {top: match for top in tops if (match := PATTERNS[platform].fullmatch(top))}
        for platform, tops in named.items()
    }
    unclear = {
        top
        for top, match in fits[CANVAS].items()
        if (last := _LAST_READING.fullmatch(top)) and last.start("id") != match.start("id")
    }
    uploads = [match["upload"] for top, match in fits[CANVAS].items() if top not in unclear]
    if 2 * len(set(uploads)) <= len(uploads):  # each upload has a number of its own
        fits[CANVAS] = {}
    most = max(map(len, fits.values()))
    first, *others = (platform for platform in fits if len(fits[platform]) == most)
    platform = "" if others or 2 * most <= len(files) + len(folders) else first
    matches = dict(fits.pop(platform, {}))
    doubts = {}
    for other, theirs in fits.items():
        for top in theirs:
            doubts[top] = (
                f"{display_name(top)} looks like a name that {other} gives, but the download is not from {other}, so the name is not used."
            )
    for top in unclear if platform == CANVAS else ():
        del matches[top]
        doubts[top] = (
            f"The name of {display_name(top)} can be read in two ways, so it does not say whose submission this is."
        )
    return NamesRead(platform, matches, doubts)


def blackboard_users(starts: Collection[str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What stands before ``_attempt_``: an assignment and a user name. Both may hold underscores.

    Parameters
    ----------
    starts : collection of str
        Of all files of a download. Its assignment is a beginning that all of them share.

    Returns
    -------
    dict from start to (key, ids)
        The key, as from `key_of`, follows from the start alone; the first of the ids is the shortest that it can be.

    Examples
    --------
    >>> blackboard_users(["Day 1_ada", "Day 1_x_ada"])
    {'Day 1_ada': ('ada', ('ada',)), 'Day 1_x_ada': ('ada_9c684397d70d', ('x_ada',))}
    """
    split = {start: start.split("_") for start in starts}
    shared = min(len(words) for words in split.values()) - 1 if split else 0
    shared = next((n for n in range(shared) if len({words[n] for words in split.values()}) > 1), shared)
    users = {}
    for start, words in split.items():
        ids = tuple("_".join(words[n:]) for n in range(shared, 0, -1)) or ("_".join(words[1:]),)
        users[start] = (key_of(words[1]) if len(words) == 2 else key_of(words[-1], start), ids)
    return users


def _tops_of(names: Iterable[str]) -> Tops:
    """What stands at the top of some paths; one that ends in a slash is a folder."""
    tops: Tops = {}
    for name in names:
        top, slash, rest = name.partition("/")
        if top:
            tops.setdefault(top, []).append(tuple(rest.split("/")) if slash else ())
    return dict(sorted(tops.items()))


def _plain_tops(tops: Tops) -> list[str]:
    """Folders and archives, without those that grading itself has written."""
    archives = (".zip", *OTHER_ARCHIVES)
    return [
        top
        for top, inside in tops.items()
        if not top.startswith(".")
        and (top.casefold().endswith(archives) if () in inside else not any(p[0] == ".rows" for p in inside))
    ]


def _files_and_folders(tops: Tops) -> tuple[list[str], list[str]]:
    """What may be a submission at the top, by its name: files and folders."""
    plain = _plain_tops(tops)
    files = [top for top, inside in tops.items() if () in inside]
    named = [top for top in files if any(pattern.fullmatch(top) for pattern in PATTERNS.values())]
    loose = [top for top in files if top in plain or top in named or top.casefold().endswith(SOURCES)]
    return loose, [top for top in plain if top not in files]


def _named_by_platform(tops: Tops) -> tuple[list[FoundSubmission], NamesRead]:
    """The submissions that a platform has named, and how the names were read."""
    names = read_names(*_files_and_folders(tops))
    matches = names.matches
    if names.platform == BLACKBOARD:
        entries = _named_by_blackboard(matches)
    else:
        parts: dict[tuple[str, str], dict[str, re.Match[str]]] = {}
        for top, match in matches.items():
            name = match["name"] if names.platform != GRADESCOPE else top
            parts.setdefault((name, match["id"]), {})[top] = match
        made = _canvas_entry if names.platform == CANVAS else _entry_of_platform
        entries = [
            replace(made(name, id, {top: () in tops[top] for top in their}, their), platform=names.platform)
            for (name, id), their in sorted(parts.items())
        ]
    found = [tuple(names.doubts[top] for top, _ in entry.parts if top in names.doubts) for entry in entries]
    return [replace(entry, doubts=doubts) for entry, doubts in zip(entries, found, strict=True)], names


def _entry_of_platform(
    name: str, id: str, is_file: Mapping[str, bool], matches: Mapping[str, re.Match[str]]
) -> FoundSubmission:
    """One student's files or folders, all of which count: Moodle's, and Gradescope's, which has no ids in its names."""
    parts = [(top, (match["file"] or top) if is_file[top] else "") for top, match in sorted(matches.items())]
    ids = (id,) if "file" in next(iter(matches.values())).re.groupindex else ()
    return FoundSubmission(key_of(name, id), name, "", Path(), tuple(parts), ids=ids, holder=id)


def _named_by_blackboard(matches: Mapping[str, re.Match[str]]) -> list[FoundSubmission]:
    """The newest attempt of each student; one without a file is none."""
    attempts: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for top, match in matches.items():
        if match["file"]:
            attempts.setdefault(match["start"], {}).setdefault(match["time"], []).append((top, match["file"]))
    entries = []
    users = blackboard_users([match["start"] for match in matches.values()])
    for start, theirs in sorted(attempts.items()):
        (key, ids), (*older, newest) = users[start], sorted(theirs)
        holder = ids[0] if len(start.split("_")) == 2 else start
        before = _older(file for time in older for file, _ in sorted(theirs[time]))
        parts = tuple(sorted(theirs[newest]))
        entries.append(FoundSubmission(key, ids[0], "", Path(), parts, before, ids, BLACKBOARD, holder))
    return entries


def _canvas_entry(
    name: str, id: str, is_file: Mapping[str, bool], files: Mapping[str, re.Match[str]]
) -> FoundSubmission:
    """One student's files, each in its newest version."""
    versions: dict[str, list[tuple[int, int, str]]] = {}
    for top, match in files.items():
        again = AGAIN.search(match["file"])
        number = int(again["number"]) if again else 0
        versions.setdefault(AGAIN.sub("", match["file"]), []).append((number, int(match["upload"][:30]), top))
    parts = tuple(sorted((max(theirs)[2], file) for file, theirs in versions.items()))
    older = sorted(top for theirs in versions.values() for _, _, top in theirs if top not in dict(parts))
    return FoundSubmission(key_of(name, id), name or id, "", Path(), parts, _older(older), (id,), CANVAS, id)


def _older(tops: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{display_name(top)} does not count: a newer version was handed in." for top in tops)


def _with_gradescope_names(entries: list[FoundSubmission], path: Path, prefix: str) -> list[FoundSubmission]:
    """Names, student numbers and addresses that stand in Gradescope's table, where it can be read.

    Lines are known by the spaces before them: what students write stands farther to the right.
    """
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
    table: dict[str, dict[str, list[str]]] = {}
    current: dict[str, list[str]] = {}
    for line in content.decode("utf-8", "replace").split("\n"):
        if top := re.match(r"(submission_[0-9]+):", line):
            current = table.setdefault(top[1], {})
        elif field := re.fullmatch(r"""  (?:- |  ):(name|sid|email): (["']?)(.+?)\2""", line[:LONGEST_LINE].rstrip()):
            current.setdefault(field[1], []).append(field[3])
    return [_gradescope_entry(entry, table.get(entry.name, {})) for entry in entries]


def _gradescope_entry(entry: FoundSubmission, metadata: Mapping[str, Sequence[str]]) -> FoundSubmission:
    name = ", ".join(metadata.get("name", ())) or entry.name
    ids = tuple(metadata.get("sid", ())) or tuple(metadata.get("email", ()))
    holder = ",".join(ids) or entry.holder
    return replace(entry, student=key_of(name, holder), name=name, holder=holder, ids=ids if len(ids) == 1 else ())


def downloads_within(names: Iterable[PurePosixPath]) -> dict[PurePosixPath, tuple[str, int]]:
    """Find the folders of a submission in which a platform has named the work of several students.

    Returns
    -------
    dict from path to (platform, number of students)

    Examples
    --------
    >>> names = [f"old/{name}_assignsubmission_file_/mira.py" for name in ("Ada_11", "Bob_12")]
    >>> downloads_within(map(PurePosixPath, names))
    {PurePosixPath('old'): ('Moodle', 2)}
    """
    names = list(names)
    levels = {
        PurePosixPath(*name.parts[:n])
        for name in names
        if NAMED_WITHIN.search(str(name))
        for n, part in enumerate(name.parts)
        if NAMED_WITHIN.search(part)
    }
    found: dict[PurePosixPath, tuple[str, int]] = {}
    for level in sorted(levels, key=lambda level: (len(level.parts), str(level))):
        tops = _tops_of(str(name.relative_to(level)) for name in names if name.is_relative_to(level) and name != level)
        read = read_names(*_files_and_folders(tops))
        works = [
            match.groupdict().get("start") or match["id"]
            for top, match in read.matches.items()
            if () not in tops[top] or HAS_SOURCE_SUFFIX.search(top)
        ]
        is_named = (
            read.platform != GRADESCOPE or GRADESCOPE_NAMES in tops
        )  # a student may call folders submission_1, too
        if len(set(works)) > 1 and is_named and not any(level.is_relative_to(outer) for outer in found):
            found[level] = read.platform, len(set(works))
    return found


def _submissions_among(listed: Iterable[str], path: Path, alone: bool) -> list[FoundSubmission]:
    """Return the submissions in a path of which the contents are listed, if it holds many; none if it holds one."""
    is_folder = path.is_dir()
    tops, prefix = _level_of_many(_tops_of(listed), is_folder, alone)
    entries, names = _named_by_platform(tops)
    if entries:
        if entries[0].platform == GRADESCOPE:
            entries = _with_gradescope_names(entries, path, prefix)
        rest = {top: inside for top, inside in tops.items() if top not in names.matches and top != GRADESCOPE_NAMES}
        entries += [entry for entry in _plain(rest, names.doubts) if not entry.name.startswith(".")]
    elif _holds_many(tops, is_folder, alone):
        entries = _plain(tops, names.doubts)
    of_platform = [entry for entry in entries if entry.platform]
    attempts = {match["start"] for match in names.matches.values() if "start" in match.groupdict()}
    if len(of_platform) == 1 and len(attempts) < 2:  # anybody can name a folder so; a class has more than one
        one = _entry(_name_of(path.name, is_folder), path)
        inside = display_name(of_platform[0].parts[0][0])
        doubt = (
            f"{display_name(path.name)} holds {inside}, a name that {of_platform[0].platform} gives, and nobody else's: the path that "
            "was named says whose it is. If this is a download of one submission, unpack it, and name what is in it."
        )
        return [replace(one, doubts=(doubt,))]
    return [
        replace(entry, path=path, parts=tuple((prefix + inside, name) for inside, name in entry.parts))
        for entry in entries
    ]


def _level_of_many(tops: Tops, is_folder: bool, alone: bool) -> tuple[Tops, str]:
    """Below the folders around it, each alone in the other, the level at which there are many; the top if there is none."""
    level, prefix = tops, ""
    for _ in range(LISTED_DEPTH):
        if _named_by_platform(level)[0] or (len(_plain_tops(level)) > 1 and _holds_many(level, is_folder, alone)):
            return level, prefix
        if len(level) != 1 or () in (inside := next(iter(level.values()))):
            break
        prefix += f"{next(iter(level))}/"
        level = _tops_of("/".join(parts) for parts in inside)
    return tops, ""


def _holds_many(tops: Tops, is_folder: bool, alone: bool) -> bool:
    """Whether the entries at the top are submissions, if no LMS has named them."""
    entries = _plain_tops(tops)
    labs = sum(() in tops[top] or _has_lab(tops[top]) for top in entries)
    if 2 * labs <= len(entries) and {top.casefold() for top in tops} & {*LAB_FOLDERS, "tests"}:
        return False  # a lab; among many labs, a student may be called so
    loose = any(() in inside and top.casefold().endswith(SOURCES) for top, inside in tops.items())
    full = sum(() in tops[top] or _has_sources(tops[top]) for top in entries)
    if is_folder:
        return full >= 2 or (not loose and len(entries) >= (1 if alone else 2))
    return full >= (2 if alone else 3)


def _has_lab(inside: list[tuple[str, ...]]) -> bool:
    """Whether a folder holds a lab, or a zip file that may be one."""
    return any(
        parts and (parts[0].casefold() in LAB_FOLDERS or parts[-1].casefold().endswith(".zip")) for parts in inside
    )


def _has_sources(inside: list[tuple[str, ...]]) -> bool:
    return any(parts and HAS_SOURCE_SUFFIX.search(parts[-1]) for parts in inside)


def _plain(tops: Tops, doubts: Mapping[str, str]) -> list[FoundSubmission]:
    folders = [top for top in _plain_tops(tops) if () not in tops[top]]
    cloned = [top for top in folders if any(inside[0] == ".git" for inside in tops[top])]
    entries = [_entry(_name_of(top, True), parts=((top, ""),), doubt=doubts.get(top, "")) for top in folders]
    if len(cloned) > 1 and 2 * len(cloned) > len(folders):
        entries = [_of_repository(entry, _common_start(cloned).count("-")) for entry in entries]
    for top in _files_and_folders(tops)[0]:
        entries.append(_entry(_name_of(top, False), parts=((top, top),), doubt=doubts.get(top, "")))
    return sorted(entries, key=lambda entry: entry.parts)


def _of_repository(entry: FoundSubmission, shared: int) -> FoundSubmission:
    """One of the folders ``assignment-login``; so many dashes at most belong to the assignment."""
    words = entry.holder.split("-")
    ids = tuple("-".join(words[n:]) for n in range(shared, 0, -1) if words[n:])
    return replace(entry, name=ids[0], ids=ids) if ids and entry.ids else entry


def _common_start(names: Sequence[str]) -> str:
    """The characters with which all these names begin."""
    first, last = min(names), max(names)
    n_same = next((i for i, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:n_same]


def _entry(name: str, path: Path = Path(), parts: Iterable[tuple[str, str]] = (), doubt: str = "") -> FoundSubmission:
    """A submission that no platform has named."""
    ids = (name,) if not doubt else ()
    return FoundSubmission(
        key_of(name), name, "", path, tuple(parts), ids=ids, holder=name, doubts=(doubt,) if doubt else ()
    )


def _name_of(file: str, is_folder: bool) -> str:
    """The student's name out of a file's: ``submission-ada.zip`` -> ``ada``."""
    stem = file if is_folder else re.sub(r"(\.tar)?\.\w{1,5}$", "", file)
    return stem.removeprefix("submission-") or file
