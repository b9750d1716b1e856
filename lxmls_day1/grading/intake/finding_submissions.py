"""Find the submissions in the paths that an instructor names: downloads of an LMS, folders, zip files.

Without an LMS it is a folder of repositories ``assignment-login``, or anything else: a folder or a zip file of folders and
zip files; a lab; loose files. Files are listed here; only Gradescope's table of names is read.
"""

import contextlib
import os
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lxmls_day1.base.errors import InputError
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.submission_names import (
    LISTED_DEPTH,
    named_by_platform,
    plain_entry,
    plain_name,
    submissions_among,
    tops_of,
)
from lxmls_day1.grading.intake.untrusted_files import (
    CLUTTER,
    MOST_LISTED,
    Guarded,
    Refused,
    display_name,
    kind_of,
    name_in_zip,
    opened,
    spelled_name,
)
from lxmls_day1.grading.safe_text import one_line


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
        together, names = named_by_platform(tops_of(path.name + "/" * path.is_dir() for path in siblings))
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
            entries += [plain_entry(plain_name(path.name, path.is_dir()), path, doubt=doubt)] if doubt else found[path]
    if not entries:
        raise InputError(f"there is no submission in {', '.join(map(str, places)) or 'nothing'}.")
    return sorted(map(_with_source, entries), key=lambda found: (found.student, found.source))


def _with_source(entry: FoundSubmission) -> FoundSubmission:
    where = entry.path if len(entry.parts) != 1 else entry.path / entry.parts[0][0]
    return replace(entry, name=one_line(entry.name) or entry.student, source=one_line(str(where), 300))


def _entries_in(path: Path, alone: bool) -> list[FoundSubmission]:
    """The submissions in a path. A path that raises an error counts as one: `read_submission` says what is wrong with it."""
    try:
        entries = submissions_among(_listed_folder(path) if path.is_dir() else _listed_zip(path), path, alone)
    except Exception:
        entries = []
    return entries or [plain_entry(plain_name(path.name, path.is_dir()), path)]


def _is_empty(path: Path) -> bool:
    """Whether a folder is empty, apart from what systems leave there by themselves."""
    try:
        return path.is_dir() and not any(True for _ in _listed_folder(path))
    except Exception:  # whatever is wrong with it: `read_submission` says it
        return False


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
