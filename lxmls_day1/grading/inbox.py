"""A folder in which submissions arrive: what is new or has changed, and is written completely.

Files are asked for their times and sizes again and again; that works on network drives too, where no system reports a
change. What looks the same twice in a row has settled. A zip file that is still being copied has not, and waits.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxmls_day1.errors import InputError
from lxmls_day1.grading.finding_submissions import find_submissions
from lxmls_day1.grading.identity import Found
from lxmls_day1.grading.untrusted_files import MOST_LISTED

LOOK_SECONDS = 2.0  # between two looks

State = tuple[tuple[str, int, int], ...]  # of what stands at the top of a folder: names, sizes and times of its files


class Inbox:
    """Folders that are watched.

    Parameters
    ----------
    folders : sequence of Path

    Raises
    ------
    InputError
        If one of them is no folder.
    """

    def __init__(self, folders: Sequence[Path]):
        if others := [folder for folder in folders if not folder.is_dir()]:
            raise InputError(f"{others[0]} is no folder; --watch wants the folder in which submissions arrive.")
        self.folders = folders
        self._before: dict[Path, State] = {}
        self._taken: dict[Path, State] = {}

    def arrived(self) -> list[Found]:
        """All submissions that have settled, if one is new, has changed or has gone since they were returned last; else none.

        Call it again and again, `LOOK_SECONDS` apart.
        """
        now = {top: _state(top) for folder in self.folders for top in _tops(folder)}
        settled = {top: state for top, state in now.items() if self._before.get(top) == state}
        self._before = now
        waiting = now.keys() - settled.keys()
        kept = {top: state for top, state in self._taken.items() if top in waiting}  # looked at when it has settled
        if {**settled, **kept} == self._taken:
            return []
        self._taken = {**settled, **kept}
        try:
            found = find_submissions(self.folders)
        except InputError:  # nothing has arrived yet
            return []
        return [one for one in found if not self._tops_of(one) & waiting]

    def _tops_of(self, one: Found) -> set[Path]:
        """What at the top of the folders a submission is made of."""
        places = [one.path / part for part, _ in one.parts] or [one.path]
        tops = set()
        for place in places:
            inside = [folder for folder in self.folders if place != folder and place.is_relative_to(folder)]
            if not inside:
                return set(self._before)  # all of a folder is this one
            tops.add(inside[0] / place.relative_to(inside[0]).parts[0])
        return tops


def _tops(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            yield from (Path(entry.path) for entry in entries)
    except OSError:  # a drive that is away for a moment
        return


def _state(top: Path) -> State:
    """Names, sizes and times of the files below; links are not followed."""
    seen = []
    for place in (top, *_below(top)):
        try:
            about = place.lstat()
        except OSError:
            continue
        seen.append((str(place), about.st_size, about.st_mtime_ns))
        if len(seen) > MOST_LISTED:
            break
    return tuple(sorted(seen))


def _below(top: Path) -> Iterator[Path]:
    if top.is_symlink() or not top.is_dir():
        return
    for folder, _, files in os.walk(top):
        for name in files:
            yield Path(folder, name)
