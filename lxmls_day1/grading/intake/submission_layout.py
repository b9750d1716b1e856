"""The layout of a submission: its lab folder, and the places of loose files in the lab.

`lxmls_day1.grading.intake.exercise_files` finds the file of an exercise under another name.
Names that are not valid on every system are ignored.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from lxmls_day1.course.workspaces.generation import BUILD_ARTIFACTS
from lxmls_day1.grading.intake.exercise_files import Defines, find_exercise_files
from lxmls_day1.grading.intake.found_submission import RESERVED
from lxmls_day1.grading.intake.untrusted_files import LAB_FOLDERS, NOTEBOOKS, SOURCES, UNSAFE_CHARACTERS, display_name
from lxmls_day1.library_path import PACKAGES

NOT_IN_NAMES = re.compile(r'[<>:"|?*\\]|[. ]$')
MAX_NAME_CHARS, MAX_PATH_CHARS = 120, 220
MAX_NAME_BYTES = 200  # in UTF-8; file systems allow 255, and the name of a bytecode file is longer
MAX_LAB_DEPTH = 10
Places = dict[PurePosixPath, PurePosixPath]  # from a path in the lab to the path in the submission
Homes = Mapping[str, PurePosixPath | None]  # from a file name to its path in the lab; None if several have the name


@dataclass(frozen=True)
class SubmissionLayout:
    """The place of each file of a submission in the lab.

    Attributes
    ----------
    is_lab : bool
        True if the submission has a lab folder, and not just loose files.
    root : path
        The path of the lab in the submission.
    places : dict
        Path in the lab -> path in the submission.
    warnings : list of str
    similar : dict
        Path of a missing file in the lab -> a text about similar files: ``mira_old.py looks like it``.
    ignored : dict
        Warning about ignored files -> these files, as (path in the lab, path in the submission). They may be other versions of what counts.
    """

    is_lab: bool
    root: PurePosixPath
    places: Places
    warnings: list[str]
    similar: dict[PurePosixPath, str] = field(default_factory=dict)
    ignored: dict[str, list[tuple[PurePosixPath, PurePosixPath]]] = field(default_factory=dict)


def lay_out(names: Sequence[PurePosixPath], known: Collection[PurePosixPath], defines: Defines) -> SubmissionLayout:
    """Find the lab among the paths of a submission, and assign loose files to their places.

    Parameters
    ----------
    names : sequence of path
        All files of the submission.
    known : collection of path
        The files of the lab.
    defines : function of (path in the submission, path in the lab)
        As in `find_exercise_files`.

    Examples
    --------
    >>> known = [PurePosixPath("classifiers/mira.py"), PurePosixPath("classifiers/svm.py")]
    >>> names = [PurePosixPath("ada/classifiers/mira.py"), PurePosixPath("ada/svm (1).py")]
    >>> layout = lay_out(names, known, lambda name, path: True)
    >>> {str(place): str(name) for place, name in layout.places.items()}
    {'classifiers/mira.py': 'ada/classifiers/mira.py', 'classifiers/svm.py': 'ada/svm (1).py'}
    """
    warnings: list[str] = []
    ignored: dict[str, list[tuple[PurePosixPath, PurePosixPath]]] = {}
    homes = _source_locations(known)
    ordered = sorted(name for name in names if name.parts)
    sources = [path for path in ordered if path.suffix.casefold() in SOURCES]
    roots = _roots_in(ordered, known)
    # If files of the lab exist, a folder without any of them is not the lab.
    has_lab_files = any(homes.get(path.name) for path in sources)
    roots = {root: n for root, n in roots.items() if n or not (has_lab_files or "tests" in root.parts)}
    places: Places = {}
    root, loose = PurePosixPath(), sources
    if roots:
        root = min(roots, key=lambda root: (-roots[root], len(root.parts), str(root)))
        loose = []
        for path in ordered:
            if path.is_relative_to(root) and path != root:
                in_lab = _current_path(_lab_path(path.relative_to(root).parts), homes)
                is_ours = in_lab.parts[0] in PACKAGES or (in_lab.parts[0] == NOTEBOOKS and in_lab.suffix in SOURCES)
                if len(in_lab.parts) == 1:
                    loose += [path] if path.suffix.casefold() in SOURCES else []
                elif is_ours and not BUILD_ARTIFACTS.search(str(in_lab)):
                    _place(places, in_lab, path, warnings)
    alike, left = _place_exercise_files(places, ordered, root, homes, defines, warnings, ignored)
    _place_helpers(places, [path for path in loose if path not in left], homes, bool(roots))
    if roots:
        used = set(places.values())
        outside = [path for path in sources if not path.is_relative_to(root) and homes.get(path.name)]
        if outside := [path for path in outside if path not in used]:
            counts = f"the lab in {display_name(root)} counts" if root.parts else "the outermost lab counts"
            warnings.append(f"{_abbreviate_names(outside)} {_was_or_were(outside)} ignored: {counts}.")
            ignored[warnings[-1]] = [(home, path) for path in outside if (home := homes[path.name])]
    elif not any(home in places for home in homes.values()):
        places = {}
    return SubmissionLayout(bool(roots), root, _drop_unportable_names(places, warnings), warnings, alike, ignored)


def _place_exercise_files(
    places: Places,
    names: Sequence[PurePosixPath],
    root: PurePosixPath,
    homes: Homes,
    defines: Defines,
    warnings: list[str],
    ignored: dict[str, list[tuple[PurePosixPath, PurePosixPath]]],
) -> tuple[dict[PurePosixPath, str], set[PurePosixPath]]:
    """Put the files of the lab that have another folder or name into their places.

    Returns
    -------
    similar : dict from path to str
        Missing files of the lab, each with a text about similar names.
    left : set of path
        Files that match but are not used.
    """
    own = {name: place for place, name in places.items()}
    found = find_exercise_files([home for home in homes.values() if home is not None], places, names, defines)
    for home, name in found.matches.items():
        _remove_misnamed(places, own, name, home)
        places[home] = name
        is_elsewhere = name.name == home.name
        what = "is outside the folders of a lab" if is_elsewhere else "is not the name that was expected"
        warnings.append(f"{display_name(name)} {what}; it is taken as {display_name(home)}.")
    for home, several in found.ambiguous.items():
        for name in several:
            _remove_misnamed(places, own, name, home)
        warnings.append(
            f"{_abbreviate_names(several)} were ignored: it is not clear which one is meant as {display_name(home)}. "
            f"Hand in one of them, by that name."
        )
    for home, spare in found.unused.items():
        for name in spare:
            if str(own.get(name)).casefold() != str(home).casefold():  # otherwise `_drop_unportable_names` reports it
                _remove_misnamed(places, own, name, home)
        if spare := [name for name in spare if name not in own and name.is_relative_to(root)]:
            warnings.append(
                f"{_abbreviate_names(spare)} {_was_or_were(spare)} ignored, because {display_name(places[home])} is there."
            )
            ignored[warnings[-1]] = [(home, name) for name in spare]
    texts = {
        home: f"{_abbreviate_names(several)} {'looks' if len(several) == 1 else 'look'} like "
        for home, several in {**found.similar, **found.ambiguous}.items()
    }
    for home in found.similar:
        what = "without the functions or cells of its exercise: not taken."
        warnings.append(f"{texts[home]}{display_name(home)}, {what}")
    return {home: f"{text}it" for home, text in texts.items()}, {
        name for several in (*found.ambiguous.values(), *found.unused.values()) for name in several
    }


def _remove_misnamed(places: Places, own: Places, name: PurePosixPath, home: PurePosixPath) -> None:
    """Remove a file from the place of its wrong name, unless other files may import it by that name."""
    place = own.get(name)
    if place is not None:
        is_module = place.suffix == ".py" and place.stem.isidentifier()
        if not is_module or str(place).casefold() == str(home).casefold():
            del places[own.pop(name)]


def _abbreviate_names(names: Sequence[PurePosixPath]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return " and ".join(map(display_name, names[:3])) + more


def _was_or_were(names: Sequence[PurePosixPath]) -> str:
    return "was" if len(names) == 1 else "were"


def _source_locations(known: Collection[PurePosixPath]) -> dict[str, PurePosixPath | None]:
    """Return the path in the lab of each source file name, or None if several paths have the name."""
    homes: dict[str, PurePosixPath | None] = {}
    for path in known:
        if path.parts[0] in LAB_FOLDERS and path.suffix in SOURCES:
            homes[path.name] = None if path.name in homes else path
    return homes


def _roots_in(names: Iterable[PurePosixPath], known: Collection[PurePosixPath]) -> dict[PurePosixPath, int]:
    """Return the folders that contain packages of a lab, and the number of known files in each."""
    roots: dict[PurePosixPath, int] = {}
    for name in names:
        for i, part in enumerate(name.parts[:-1]):
            if part.casefold() in PACKAGES:
                root = PurePosixPath(*name.parts[:i])
                roots[root] = roots.get(root, 0) + (_lab_path(name.parts[i:]) in known)
                break
    return roots


def _lab_path(parts: tuple[str, ...]) -> PurePosixPath:
    """Return a path in a lab with a lower-case folder; students may write ``Classifiers``."""
    folder = parts[0].casefold()
    return PurePosixPath(folder if folder in LAB_FOLDERS else parts[0], *parts[1:])


def _current_path(path: PurePosixPath, homes: Homes) -> PurePosixPath:
    """Return the current path of a file that was moved into a topic folder after an older lab."""
    home = homes.get(path.name)
    in_a_folder = len(path.parts) > 1
    return home if in_a_folder and home is not None and home.parent.parent == path.parent else path


def _place(places: Places, path: PurePosixPath, name: PurePosixPath, warnings: list[str]) -> None:
    """Put a file in its place. If the place is taken, the file whose folder is spelled correctly wins."""
    other = places.get(path)
    if other is not None:
        kept, left = (name, other) if str(name).endswith(str(path)) else (other, name)
        warnings.append(
            f"{display_name(left)} and {display_name(kept)} differ only in capital letters; the latter counts."
        )
        name = kept
    places[path] = name


def _place_helpers(places: Places, loose: Sequence[PurePosixPath], homes: Homes, has_lab: bool) -> None:
    """Put a student's own loose files next to the files of the lab that were in the same folder."""
    used = set(places.values())
    beside: Places = {}  # folder in the submission -> folder in the lab
    for place, name in sorted(places.items(), key=lambda item: (len(item[1].parts), str(item[1]))):
        if place.name in homes:
            beside.setdefault(name.parent, place.parent)
    for path in loose:
        if homes.get(path.name) is None and path not in used:
            folder = PurePosixPath() if has_lab else beside.get(path.parent, PurePosixPath())
            places.setdefault(folder / path.name, path)


def _drop_unportable_names(places: Places, warnings: list[str]) -> Places:
    """Return the places without files that some systems cannot write: odd names, and names that differ only in capital letters."""
    kept: dict[str, PurePosixPath] = {}
    folds = {path: str(path).casefold() for path in places}
    for path in sorted(places, key=lambda path: (str(path) != folds[path], str(path))):
        folded = folds[path]
        if (
            UNSAFE_CHARACTERS.search(str(path))  # also matches lone surrogates, which cannot be encoded
            or len(str(path)) > MAX_PATH_CHARS
            or len(path.parts) > MAX_LAB_DEPTH
            or any(len(part) > MAX_NAME_CHARS or len(part.encode()) > MAX_NAME_BYTES for part in path.parts)
            or any(NOT_IN_NAMES.search(part) or RESERVED.fullmatch(part) for part in path.parts)
        ):
            warnings.append(f"{display_name(path)} was ignored: not every system allows a file of that name.")
        elif folded in kept:
            warnings.append(
                f"{display_name(path)} was ignored: it differs from {display_name(kept[folded])}, which counts, only in capital letters."
            )
        else:
            kept[folded] = path
    for folded in sorted(kept):
        for place in re.finditer("/", folded):
            if folded[: place.start()] in kept:
                path = kept.pop(folded[: place.start()])
                warnings.append(f"{display_name(path)} was ignored: it cannot be a file and a folder.")
    return {path: places[path] for path in sorted(kept.values())}
