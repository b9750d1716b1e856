"""Find the submissions in the paths that an instructor names: downloads of an LMS, folders, zip files.

Without an LMS, a path may be a folder of repositories ``assignment-login``, a folder or zip file of folders and zip files,
a lab, or loose files. Only one file is read here: Gradescope's table of names.

A file name is untrusted input, like code. Platforms copy a student's own words into it: always the name of the uploaded file, and on
Canvas also the person's name. So a name is parsed from the left: its first parts come from the platform, and only the last
part from the student. A name that can be read in two ways has no owner.

References
----------
Canvas, ``lib/content_zipper.rb`` (the name of a person may hold underscores and digits); Moodle, ``mod/assign/locallib.php``
(underscores in it become spaces)
"""

import contextlib
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.base.grouping import grouped
from lxmls_day1.grading.intake.found_submission import BLACKBOARD, CANVAS, GRADESCOPE, MOODLE, FoundSubmission, key_of
from lxmls_day1.grading.intake.untrusted_files import (
    DAMAGED,
    LAB_FOLDERS,
    MAX_LISTED_DEPTH,
    OTHER_ARCHIVES,
    SOURCES,
    RejectedSubmission,
    display_name,
    list_paths,
    members_of,
)
from lxmls_day1.grading.safe_text import one_line

#: The names that a platform gives to files or folders. The group ``file`` is the student's part, which is never interpreted.
PATTERNS = {
    # ``Ada Lovelace_123456_assignsubmission_file_/lab.zip``, or files whose names begin like that.
    MOODLE: re.compile(
        r"(?P<name>[^_]+)_(?P<id>[0-9]+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL
    ),
    # ``submission_123/``; names come from ``submission_metadata.yml``.
    GRADESCOPE: re.compile(r"submission_(?P<id>[0-9]+)"),
    # ``lovelaceada_LATE_12345_67890_lab-1.zip``. Canvas keeps letters, digits and underscores of the person's name. A text that was
    # typed in, and a link, have no number of an upload: ``lovelaceada_LATE_12345_text.html``.
    CANVAS: re.compile(
        r"(?P<name>[^\s.-]*?)(?:_LATE)?_(?P<id>[0-9]+)_(?:(?P<upload>[0-9]{3,})_|(?=(?:text|link)\.html\Z))(?P<file>.+)",
        re.DOTALL,
    ),
    # ``Day 1_ada_attempt_2026-11-20-23-59-00_lab.zip``, and a text file about each attempt.
    BLACKBOARD: re.compile(
        r"(?P<start>.+?_.+?)_attempt_(?P<time>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL
    ),
}
#: Canvas's pattern with the longest name of a person. If it finds another id, the name of the file is ambiguous.
_CANVAS_LONGEST_NAME = re.compile(PATTERNS[CANVAS].pattern.replace("*?", "*", 1), re.DOTALL)
CANVAS_COPY_NUMBER = re.compile(r"-(?P<number>\d{1,3})(?=\.\w+$)")  # Canvas names a second upload lab-1.zip
HAS_SOURCE_SUFFIX = re.compile(r"\.(py|ipynb|zip)\b", re.IGNORECASE)  # matches perceptron.py.txt, too
#: Matches paths with a name that a platform may have made.
PLATFORM_NAME = re.compile(r"_assignsubmission_|_attempt_[0-9]|_[0-9]+_[0-9]{3,}_|submission_metadata\.yml$")
GRADESCOPE_NAMES = "submission_metadata.yml"
MAX_UNREAD_SHOWN = 10  # names in a sentence
MAX_LINE_CHARS = 1000  # characters of a line in Gradescope's table
Tops = dict[str, list[tuple[str, ...]]]  # name at the top -> the paths in it, as tuples of names; () for a file


def find_submissions(paths: Sequence[str | os.PathLike[str]]) -> list[FoundSubmission]:
    """Find the submissions in the paths that an instructor names.

    Parameters
    ----------
    paths : sequence of path
        Folders, zip files, single source files; each may hold one submission or many.

    Returns
    -------
    list of FoundSubmission
        In the order of `FoundSubmission.student`, including unreadable ones, for which `read_submission` reports the reason.

    Raises
    ------
    InputError
        If a path does not exist, or contains no submission.

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
    for folder, siblings in grouped((path.parent, path) for path in places).items():
        together, names = _named_by_platform(_group_by_top(path.name + "/" * path.is_dir() for path in siblings))
        entries += [replace(entry, path=folder) for entry in together]
        rest = [path for path in siblings if path.name not in names.matches]
        found = {path: _entries_in(path, alone=len(places) == 1) for path in rest}
        full = [path for path in rest if not _is_empty(path)]
        classes = [path for path in full if any(entry.parts for entry in found[path])]
        are_classes = len(places) == 1 or bool(classes)
        for path in rest if not are_classes else full:  # a student's empty folder is ignored
            doubt = names.distrust_reasons.get(path.name, "")
            if path in classes and 2 * len(classes) < len(full):
                doubt = f"{display_name(path.name)} looks like many submissions among single ones, and is taken as one."
            entries += [_entry(_name_of(path.name, path.is_dir()), path, doubt=doubt)] if doubt else found[path]
    if not entries:
        raise InputError(f"there is no submission in {', '.join(map(str, places)) or 'nothing'}.")
    return sorted(map(_with_display_source, entries), key=lambda found: (found.student, found.source))


def unread_files(paths: Sequence[Path], found: Sequence[FoundSubmission]) -> str:
    """Return a sentence about the files beside the submissions of a class that are no submissions; empty if there are none."""
    unread: list[str] = []
    for path in dict.fromkeys(Path(path).expanduser() for path in paths):
        tops = {PurePosixPath(top) for one in found if one.path == path for top, _ in one.parts}
        levels = {top.parent for top in tops}
        files = (PurePosixPath(name) for name in (list_paths(path) if tops else ()) if not name.endswith("/"))
        beside = (
            file for file in files if file.parent in levels and file not in tops and file.name != GRADESCOPE_NAMES
        )
        # A name that a platform gives is an older version, which is reported elsewhere, or a text about an attempt.
        known = [*PATTERNS.values(), re.compile(r"\..*")]
        with contextlib.suppress(*DAMAGED, RejectedSubmission):
            unread += sorted(file.name for file in beside if not any(one.fullmatch(file.name) for one in known))
    if not unread:
        return ""
    names = ", ".join(map(display_name, unread[:MAX_UNREAD_SHOWN])) + ", …" * (len(unread) > MAX_UNREAD_SHOWN)
    were = "was" if len(unread) == 1 else "were"
    return (
        f"{pluralize(len(unread), 'file')} {were} not looked at, neither archive nor source: {names}. "
        "Rename or unpack those that hold work."
    )


def _with_display_source(entry: FoundSubmission) -> FoundSubmission:
    where = entry.path if len(entry.parts) != 1 else entry.path / entry.parts[0][0]
    return replace(entry, name=one_line(entry.name) or entry.student, source=one_line(str(where), 300))


def _entries_in(path: Path, alone: bool) -> list[FoundSubmission]:
    """Return the submissions in a path. A path that raises an error counts as one, and `read_submission` reports the error."""
    try:
        entries = _submissions_among(list_paths(path), path, alone)
    except Exception:
        entries = []
    return entries or [_entry(_name_of(path.name, path.is_dir()), path)]


def _is_empty(path: Path) -> bool:
    """Return True if a folder is empty, except for files that systems create themselves."""
    try:
        return path.is_dir() and not any(True for _ in list_paths(path))
    except Exception:  # `read_submission` reports the error
        return False


@dataclass(frozen=True)
class ParsedNames:
    """The result of `parse_names` for the names of a download.

    Attributes
    ----------
    platform : str
        The platform of the whole download; empty if the names are not from a platform.
    matches : mapping from name to match
        The matches of `PATTERNS`, for the names that are certainly the platform's.
    distrust_reasons : mapping from name to sentence
        A reason for each name that looks like a platform's but is not trusted.
    """

    platform: str
    matches: Mapping[str, re.Match[str]]
    distrust_reasons: Mapping[str, str]


def parse_names(files: Iterable[str], folders: Iterable[str]) -> ParsedNames:
    """Parse the names at the top of a download. The platform is the one whose pattern matches more than half of them.

    Examples
    --------
    >>> names = parse_names(["lovelaceada_11_456_lab.zip", "mallory_12_457_x_ada_attempt_2026-11-20-10-00-00_lab.zip"], [])
    >>> names.platform, [match["id"] for match in names.matches.values()], len(names.distrust_reasons)
    ('Canvas', ['11', '12'], 1)
    """
    files, folders = list(files), list(folders)
    named = {MOODLE: [*files, *folders], GRADESCOPE: folders, CANVAS: files, BLACKBOARD: files}
    fits = {
        platform: {top: match for top in tops if (match := PATTERNS[platform].fullmatch(top))}
        for platform, tops in named.items()
    }
    longest = {top: _CANVAS_LONGEST_NAME.fullmatch(top) for top in fits[CANVAS]}
    unclear = {top for top, last in longest.items() if last and last.start("id") != fits[CANVAS][top].start("id")}
    uploads = [match["upload"] for top, match in fits[CANVAS].items() if top not in unclear and match["upload"]]
    if 2 * len(set(uploads)) <= len(uploads):  # not from Canvas, because Canvas gives each upload its own number
        fits[CANVAS] = {}
    most = max(map(len, fits.values()))
    first, *others = (platform for platform in fits if len(fits[platform]) == most)
    platform = "" if others or 2 * most <= len(files) + len(folders) else first
    matches = dict(fits.pop(platform, {}))
    doubts = {
        top: f"{display_name(top)} looks like a name that {other} gives, but the download is not from {other}, so the name is not used."
        for other, theirs in fits.items()
        for top in theirs
    }
    for top in unclear if platform == CANVAS else ():
        del matches[top]
        doubts[top] = (
            f"The name of {display_name(top)} can be read in two ways, so it does not say whose submission this is."
        )
    return ParsedNames(platform, matches, doubts)


def blackboard_users(starts: Collection[str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the user that each text before ``_attempt_`` contains. Such a text is ``ASSIGNMENT_USER``; both parts may contain underscores.

    Parameters
    ----------
    starts : collection of str
        The texts before ``_attempt_`` of all files of a download. All of them begin with the same assignment.

    Returns
    -------
    dict from start to (key, ids)
        The key, as from `key_of`, depends on the start alone. The ids are all possible user names; the shortest is first.

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


def _group_by_top(names: Iterable[str]) -> Tops:
    """Group paths by their first component. A path that ends in a slash is a folder."""
    parts = (name.partition("/") for name in names)
    tops = grouped((top, tuple(rest.split("/")) if slash else ()) for top, slash, rest in parts if top)
    return dict(sorted(tops.items()))


def _candidate_tops(tops: Tops) -> list[str]:
    """Return the folders and archives at the top, without the output folders of grading."""
    archives = (".zip", *OTHER_ARCHIVES)
    files = {top for top, inside in tops.items() if () in inside}
    graded = {top for top, inside in tops.items() if top not in files and any(p[0] == ".rows" for p in inside)}
    unwanted = graded | {top for top in files if not top.casefold().endswith(archives)}
    return [top for top in tops if not top.startswith(".") and top not in unwanted]


def _files_and_folders(tops: Tops) -> tuple[list[str], list[str]]:
    """Return the files and the folders at the top that may be submissions, judged by their names."""
    plain = _candidate_tops(tops)
    files = [top for top, inside in tops.items() if () in inside]
    named = [top for top in files if any(pattern.fullmatch(top) for pattern in PATTERNS.values())]
    loose = [top for top in files if top in plain or top in named or top.casefold().endswith(SOURCES)]
    return loose, [top for top in plain if top not in files]


def _named_by_platform(tops: Tops) -> tuple[list[FoundSubmission], ParsedNames]:
    """Return the submissions named by a platform, and the result of `parse_names`."""
    names = parse_names(*_files_and_folders(tops))
    matches = names.matches
    if names.platform == BLACKBOARD:
        entries = _named_by_blackboard(matches)
    else:
        parts: dict[tuple[str, str], dict[str, re.Match[str]]] = {}
        for top, match in matches.items():
            name = match["name"] if names.platform != GRADESCOPE else top
            parts.setdefault((name, match["id"]), {})[top] = match
        entries = [
            _canvas_entry(name, id, their)
            if names.platform == CANVAS
            else _entry_of(names.platform, name, id, tops, their)
            for (name, id), their in sorted(parts.items())
        ]
    unclear = names.distrust_reasons
    found = [tuple(unclear[top] for top, _ in entry.parts if top in unclear) for entry in entries]
    return [replace(entry, owner_warnings=doubts) for entry, doubts in zip(entries, found, strict=True)], names


def _entry_of(platform: str, name: str, id: str, tops: Tops, matches: Mapping[str, re.Match[str]]) -> FoundSubmission:
    """Return one student's submission, from all files or folders. For Moodle, and for Gradescope, which has no ids in its names."""
    parts = [(top, (match["file"] or top) if () in tops[top] else "") for top, match in sorted(matches.items())]
    ids = (id,) if platform != GRADESCOPE else ()
    return FoundSubmission(
        key_of(name, id), name, "", Path(), tuple(parts), ids=ids, platform=platform, identity_key=id
    )


def _named_by_blackboard(matches: Mapping[str, re.Match[str]]) -> list[FoundSubmission]:
    """Return the newest attempt of each student. An attempt without a file does not count."""
    attempts: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for top, match in matches.items():
        if match["file"]:
            attempts.setdefault(match["start"], {}).setdefault(match["time"], []).append((top, match["file"]))
    entries = []
    users = blackboard_users([match["start"] for match in matches.values()])
    for start, theirs in sorted(attempts.items()):
        (key, ids), (*older, newest) = users[start], sorted(theirs)
        holder = ids[0] if len(start.split("_")) == 2 else start
        before = _superseded_remarks(file for time in older for file, _ in sorted(theirs[time]))
        parts = tuple(sorted(theirs[newest]))
        entries.append(FoundSubmission(key, ids[0], "", Path(), parts, before, ids, BLACKBOARD, holder))
    return entries


def _canvas_entry(name: str, id: str, files: Mapping[str, re.Match[str]]) -> FoundSubmission:
    """Return one student's submission, from the newest version of each file."""
    versions: dict[str, list[tuple[int, int, str]]] = {}
    for top, match in files.items():
        again = CANVAS_COPY_NUMBER.search(match["file"])
        number = int(again["number"]) if again else 0
        copy = number, int((match["upload"] or "0")[:30]), top
        versions.setdefault(CANVAS_COPY_NUMBER.sub("", match["file"]), []).append(copy)
    parts = tuple(sorted((max(theirs)[2], file) for file, theirs in versions.items()))
    older = sorted(top for theirs in versions.values() for _, _, top in theirs if top not in dict(parts))
    return FoundSubmission(
        key_of(name, id), name or id, "", Path(), parts, _superseded_remarks(older), (id,), CANVAS, id
    )


def _superseded_remarks(tops: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{display_name(top)} does not count: a newer version was handed in." for top in tops)


def _with_gradescope_names(entries: list[FoundSubmission], path: Path, prefix: str) -> list[FoundSubmission]:
    """Return the entries with names, student numbers and e-mail addresses from Gradescope's table, if it can be read.

    Lines are recognised by their indentation, because text that students write is indented further.
    """
    file = FoundSubmission("", "", "", path, ((prefix + GRADESCOPE_NAMES, GRADESCOPE_NAMES),))
    try:
        with contextlib.ExitStack() as stack:
            (member,) = members_of(file, stack)
            content = stack.enter_context(member.open()).read(5_000_000)
    except (*DAMAGED, RejectedSubmission):
        return entries
    table: dict[str, list[dict[str, str]]] = {}
    people: list[dict[str, str]] = []
    for line in content.decode("utf-8", "replace").split("\n"):
        if top := re.match(r"(submission_[0-9]+):", line):
            people = table.setdefault(top[1], [])
        elif line.startswith("  - "):
            people.append({})
        if people and (field := re.fullmatch(r"  (?:- |  ):(name|sid|email):(.*)", line[:MAX_LINE_CHARS])):
            people[-1].setdefault(field[1], _yaml_text(field[2].strip()))
    return [_gradescope_entry(entry, [one for one in table.get(entry.name, ()) if one]) for entry in entries]


def _yaml_text(value: str) -> str:
    """Return a value without its quotes, or an empty string for an absent value: ``''``, ``~`` or ``null``."""
    if quoted := re.fullmatch(r"""(["'])(.*)\1""", value):
        return quoted[2] if quoted[2].strip() else ""
    return "" if value.casefold() in ("~", "null") else value


def _gradescope_entry(entry: FoundSubmission, people: Sequence[Mapping[str, str]]) -> FoundSubmission:
    name = ", ".join(filter(None, (one.get("name") for one in people))) or entry.name
    ids = tuple(id for one in people if (id := one.get("sid") or one.get("email")))
    holder = ",".join(ids) or entry.identity_key
    entry = replace(entry, student=key_of(name, holder), name=name, identity_key=holder)
    if len(people) < 2:
        return replace(entry, ids=ids)
    doubt = (
        f"{entry.parts[0][0]} is the work of {len(people)} people, {one_line(' and '.join(ids) or name)}: no line of a roster "
        "gets its mark. Write it into their lines yourself."
    )
    return replace(entry, owner_warnings=(*entry.owner_warnings, doubt))


def downloads_within(names: Iterable[PurePosixPath]) -> dict[PurePosixPath, tuple[str, int]]:
    """Find the folders of a submission that are downloads of a platform with the work of several students.

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
    named = [name for name in names if PLATFORM_NAME.search(str(name))]
    places = ((name, n) for name in named for n, part in enumerate(name.parts) if PLATFORM_NAME.search(part))
    levels = {PurePosixPath(*name.parts[:n]) for name, n in places}
    found: dict[PurePosixPath, tuple[str, int]] = {}
    for level in sorted(levels, key=lambda level: (len(level.parts), str(level))):
        below = (name for name in names if name.is_relative_to(level) and name != level)
        tops = _group_by_top(str(name.relative_to(level)) for name in below)
        read = parse_names(*_files_and_folders(tops))
        holds_work = {top for top, inside in tops.items() if () not in inside or HAS_SOURCE_SUFFIX.search(top)}
        matches = [match for top, match in read.matches.items() if top in holds_work]
        works = [match.groupdict().get("start") or match["id"] for match in matches]
        # A student may call folders submission_1, too.
        is_named = read.platform != GRADESCOPE or GRADESCOPE_NAMES in tops
        if len(set(works)) > 1 and is_named and not any(level.is_relative_to(outer) for outer in found):
            found[level] = read.platform, len(set(works))
    return found


def _submissions_among(listed: Iterable[str], path: Path, alone: bool) -> list[FoundSubmission]:
    """Return the submissions in a path with this listing, or an empty list if the path is one submission."""
    is_folder = path.is_dir()
    tops, prefix = _submissions_level(_group_by_top(listed), is_folder, alone)
    entries, names = _named_by_platform(tops)
    if entries:
        if entries[0].platform == GRADESCOPE:
            entries = _with_gradescope_names(entries, path, prefix)
        rest = {top: inside for top, inside in tops.items() if top not in names.matches and top != GRADESCOPE_NAMES}
        entries += [entry for entry in _unnamed_entries(rest, names.distrust_reasons) if not entry.name.startswith(".")]
    elif _has_many_submissions(tops, is_folder, alone):
        entries = _unnamed_entries(tops, names.distrust_reasons)
    of_platform = [entry for entry in entries if entry.platform]
    attempts = {match["start"] for match in names.matches.values() if "start" in match.groupdict()}
    # A single name proves nothing, because anyone can give it to a folder, and a class has more than one student.
    if len(of_platform) == 1 and len(attempts) < 2:
        one = _entry(_name_of(path.name, is_folder), path)
        inside = display_name(of_platform[0].parts[0][0])
        doubt = (
            f"{display_name(path.name)} holds {inside}, a name that {of_platform[0].platform} gives, and nobody else's: the path that "
            "was named says whose it is. If this is a download of one submission, unpack it, and name what is in it."
        )
        return [replace(one, owner_warnings=(doubt,))]
    return [
        replace(entry, path=path, parts=tuple((prefix + inside, name) for inside, name in entry.parts))
        for entry in entries
    ]


def _submissions_level(tops: Tops, is_folder: bool, alone: bool) -> tuple[Tops, str]:
    """Return the first level that holds many submissions, below folders that contain nothing else, or else the top level."""
    level, prefix = tops, ""
    for _ in range(MAX_LISTED_DEPTH):
        has_many = len(_candidate_tops(level)) > 1 and _has_many_submissions(level, is_folder, alone)
        if has_many or _named_by_platform(level)[0]:
            return level, prefix
        if len(level) != 1 or () in (inside := next(iter(level.values()))):
            break
        prefix += f"{next(iter(level))}/"
        level = _group_by_top("/".join(parts) for parts in inside)
    return tops, ""


def _has_many_submissions(tops: Tops, is_folder: bool, alone: bool) -> bool:
    """Return True if the entries at the top are submissions of many students, judged by their content instead of an LMS's file names."""
    entries = _candidate_tops(tops)
    labs = sum(() in tops[top] or _has_lab(tops[top]) for top in entries)
    if 2 * labs <= len(entries) and {top.casefold() for top in tops} & {*LAB_FOLDERS, "tests"}:
        return False  # it is a lab; but among many labs, this may be a student's name
    loose = any(() in inside and top.casefold().endswith(SOURCES) for top, inside in tops.items())
    full = sum(() in tops[top] or _has_sources(tops[top]) for top in entries)
    if is_folder:
        return full >= 2 or (not loose and len(entries) >= (1 if alone else 2))
    return full >= (2 if alone else 3)


def _has_lab(inside: list[tuple[str, ...]]) -> bool:
    """Return True if a folder contains a lab, or a zip file that may be one."""
    inside = [parts for parts in inside if parts]
    return any(one[0].casefold() in LAB_FOLDERS or one[-1].casefold().endswith(".zip") for one in inside)


def _has_sources(inside: list[tuple[str, ...]]) -> bool:
    return any(parts and HAS_SOURCE_SUFFIX.search(parts[-1]) for parts in inside)


def _unnamed_entries(tops: Tops, doubts: Mapping[str, str]) -> list[FoundSubmission]:
    folders = [top for top in _candidate_tops(tops) if () not in tops[top]]
    cloned = [top for top in folders if any(inside[0] == ".git" for inside in tops[top])]
    entries = [_entry(_name_of(top, True), parts=((top, ""),), doubt=doubts.get(top, "")) for top in folders]
    if len(cloned) > 1 and 2 * len(cloned) > len(folders):
        entries = [_repository_entry(entry, _common_start(cloned).count("-")) for entry in entries]
    for top in _files_and_folders(tops)[0]:
        entries.append(_entry(_name_of(top, False), parts=((top, top),), doubt=doubts.get(top, "")))
    return sorted(entries, key=lambda entry: entry.parts)


def _repository_entry(entry: FoundSubmission, shared: int) -> FoundSubmission:
    """Return the entry of a folder ``assignment-login`` with its ids; at most `shared` dashes belong to the assignment."""
    words = entry.identity_key.split("-")
    ids = tuple("-".join(words[n:]) for n in range(shared, 0, -1) if words[n:])
    return replace(entry, name=ids[0], ids=ids) if ids and entry.ids else entry


def _common_start(names: Sequence[str]) -> str:
    """Return the common prefix of these names."""
    first, last = min(names), max(names)
    n_same = next((i for i, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:n_same]


def _entry(name: str, path: Path = Path(), parts: Iterable[tuple[str, str]] = (), doubt: str = "") -> FoundSubmission:
    """Return a submission that was not named by a platform."""
    ids = (name,) if not doubt else ()
    return FoundSubmission(
        key_of(name), name, "", path, tuple(parts), ids=ids, identity_key=name, owner_warnings=(doubt,) if doubt else ()
    )


def _name_of(file: str, is_folder: bool) -> str:
    """Return the student's name from a file name: ``submission-ada.zip`` -> ``ada``."""
    stem = file if is_folder else re.sub(r"(\.tar)?\.\w{1,5}$", "", file)
    return stem.removeprefix("submission-") or file
