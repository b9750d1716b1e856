"""Find the submissions in the paths that an instructor names: downloads of an LMS, folders, zip files.

Without an LMS it is a folder of repositories ``assignment-login``, or anything else: a folder or a zip file of folders and
zip files; a lab; loose files. Files are listed here; only Gradescope's table of names is read.
"""

import contextlib
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO

from lxmls_day1.base.errors import InputError
from lxmls_day1.grading.intake.identity import (
    BLACKBOARD,
    CANVAS,
    GRADESCOPE,
    PATTERNS,
    Found,
    NamesRead,
    blackboard_users,
    key_of,
    read_names,
)
from lxmls_day1.grading.intake.untrusted_files import (
    CLUTTER,
    DAMAGED,
    LAB_FOLDERS,
    MOST_LISTED,
    SOURCES,
    Guarded,
    Refused,
    display_name,
    kind_of,
    name_in_zip,
    opened,
    spelled_name,
)
from lxmls_day1.grading.safe_text import one_line

OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst")
AGAIN = re.compile(r"-(?P<number>\d{1,3})(?=\.\w+$)")  # lab-1.zip: Canvas, for a name that was handed in before
HAS_SOURCE_SUFFIX = re.compile(r"\.(py|ipynb|zip)\b", re.IGNORECASE)  # perceptron.py.txt, too
#: What a path holds that a platform may have named.
NAMED_WITHIN = re.compile(r"_assignsubmission_|_attempt_[0-9]|_[0-9]+_[0-9]{3,}_|submission_metadata\.yml$")
GRADESCOPE_NAMES = "submission_metadata.yml"
LONGEST_LINE = 1000  # of Gradescope's table
LISTED_DEPTH = 4  # how deep a folder is looked into for telling one submission from many


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
    [('ada-lovelace_17', 'Ada Lovelace'), ('alan-turing_4', 'Alan Turing')]
    """
    places = list(dict.fromkeys(Path(path).expanduser() for path in paths))
    for path in places:
        if not os.path.lexists(path):
            raise InputError(f"{path} does not exist; name folders or zip files with submissions.")
    entries: list[Found] = []
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


def _with_source(entry: Found) -> Found:
    where = entry.path if len(entry.parts) != 1 else entry.path / entry.parts[0][0]
    return replace(entry, name=one_line(entry.name) or entry.student, source=one_line(str(where), 300))


def _entry(name: str, path: Path = Path(), parts: Iterable[tuple[str, str]] = (), doubt: str = "") -> Found:
    """A submission that no platform has named."""
    ids = (name,) if not doubt else ()
    return Found(key_of(name), name, "", path, tuple(parts), ids=ids, holder=name, doubts=(doubt,) if doubt else ())


def _older(tops: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{display_name(top)} does not count: a newer version was handed in." for top in tops)


Tops = dict[str, list[tuple[str, ...]]]  # name of what stands at the top -> the paths in it; () if it is a file


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


def _entries_in(path: Path, alone: bool) -> list[Found]:
    """The submissions in a path. A path that raises an error counts as one: `read_submission` says what is wrong with it."""
    is_folder = path.is_dir()
    try:
        entries = _many_in(path, is_folder, alone)
    except Exception:
        entries = []
    return entries or [_entry(_name_of(path.name, is_folder), path)]


def _many_in(path: Path, is_folder: bool, alone: bool) -> list[Found]:
    """The submissions in a path that holds many; none if it holds one."""
    listed = list(_listed_folder(path) if is_folder else _listed_zip(path))
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


def _is_empty(path: Path) -> bool:
    """Whether a folder is empty, apart from what systems leave there by themselves."""
    try:
        return path.is_dir() and not any(True for _ in _listed_folder(path))
    except Exception:  # whatever is wrong with it: `read_submission` says it
        return False


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


def _plain_tops(tops: Tops) -> list[str]:
    """Folders and archives, without those that grading itself has written."""
    archives = (".zip", *OTHER_ARCHIVES)
    return [
        top
        for top, inside in tops.items()
        if not top.startswith(".")
        and (top.casefold().endswith(archives) if () in inside else not any(p[0] == ".rows" for p in inside))
    ]


def _plain(tops: Tops, doubts: Mapping[str, str]) -> list[Found]:
    folders = [top for top in _plain_tops(tops) if () not in tops[top]]
    cloned = [top for top in folders if any(inside[0] == ".git" for inside in tops[top])]
    entries = [_entry(_name_of(top, True), parts=((top, ""),), doubt=doubts.get(top, "")) for top in folders]
    if len(cloned) > 1 and 2 * len(cloned) > len(folders):
        entries = [_of_repository(entry, _common_start(cloned).count("-")) for entry in entries]
    for top in _files_and_folders(tops)[0]:
        entries.append(_entry(_name_of(top, False), parts=((top, top),), doubt=doubts.get(top, "")))
    return sorted(entries, key=lambda entry: entry.parts)


def _of_repository(entry: Found, shared: int) -> Found:
    """One of the folders ``assignment-login``; so many dashes at most belong to the assignment."""
    words = entry.holder.split("-")
    ids = tuple("-".join(words[n:]) for n in range(shared, 0, -1) if words[n:])
    return replace(entry, name=ids[0], ids=ids) if ids and entry.ids else entry


def _files_and_folders(tops: Tops) -> tuple[list[str], list[str]]:
    """What may be a submission at the top, by its name: files and folders."""
    plain = _plain_tops(tops)
    files = [top for top, inside in tops.items() if () in inside]
    named = [top for top in files if any(pattern.fullmatch(top) for pattern in PATTERNS.values())]
    loose = [top for top in files if top in plain or top in named or top.casefold().endswith(SOURCES)]
    return loose, [top for top in plain if top not in files]


def _named_by_platform(tops: Tops) -> tuple[list[Found], NamesRead]:
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


def _entry_of_platform(name: str, id: str, is_file: Mapping[str, bool], matches: Mapping[str, re.Match[str]]) -> Found:
    """One student's files or folders, all of which count: Moodle's, and Gradescope's, which has no ids in its names."""
    parts = [(top, (match["file"] or top) if is_file[top] else "") for top, match in sorted(matches.items())]
    ids = (id,) if "file" in next(iter(matches.values())).re.groupindex else ()
    return Found(key_of(name, id), name, "", Path(), tuple(parts), ids=ids, holder=id)


def _named_by_blackboard(matches: Mapping[str, re.Match[str]]) -> list[Found]:
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
        entries.append(Found(key, ids[0], "", Path(), parts, before, ids, BLACKBOARD, holder))
    return entries


def _canvas_entry(name: str, id: str, is_file: Mapping[str, bool], files: Mapping[str, re.Match[str]]) -> Found:
    """One student's files, each in its newest version."""
    versions: dict[str, list[tuple[int, int, str]]] = {}
    for top, match in files.items():
        again = AGAIN.search(match["file"])
        number = int(again["number"]) if again else 0
        versions.setdefault(AGAIN.sub("", match["file"]), []).append((number, int(match["upload"][:30]), top))
    parts = tuple(sorted((max(theirs)[2], file) for file, theirs in versions.items()))
    older = sorted(top for theirs in versions.values() for _, _, top in theirs if top not in dict(parts))
    return Found(key_of(name, id), name or id, "", Path(), parts, _older(older), (id,), CANVAS, id)


def _with_gradescope_names(entries: list[Found], path: Path, prefix: str) -> list[Found]:
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


def _gradescope_entry(entry: Found, metadata: Mapping[str, Sequence[str]]) -> Found:
    name = ", ".join(metadata.get("name", ())) or entry.name
    ids = tuple(metadata.get("sid", ())) or tuple(metadata.get("email", ()))
    holder = ",".join(ids) or entry.holder
    return replace(entry, student=key_of(name, holder), name=name, holder=holder, ids=ids if len(ids) == 1 else ())


def _name_of(file: str, is_folder: bool) -> str:
    """The student's name out of a file's: ``submission-ada.zip`` -> ``ada``."""
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


def _has_lab(inside: list[tuple[str, ...]]) -> bool:
    """Whether a folder holds a lab, or a zip file that may be one."""
    return any(
        parts and (parts[0].casefold() in LAB_FOLDERS or parts[-1].casefold().endswith(".zip")) for parts in inside
    )


def _has_sources(inside: list[tuple[str, ...]]) -> bool:
    return any(parts and HAS_SOURCE_SUFFIX.search(parts[-1]) for parts in inside)


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
            name = spelled_name(name_in_zip(info), composed=False)
            if not CLUTTER.search(name.replace("/.git/", "/", 1)) and not name.startswith("../"):
                yield name
