"""What a workspace remembers, in ``.lab-state.json``: hints that were shown, results of checks, explanations, what can be undone.

The reference lab remembers nothing on disk. Reading changes nothing. A state file that cannot be read is set aside when
the next one is written: nothing in it is worth stopping a student for. What ``solve``, ``reset`` and ``update`` have
replaced is still under ``.lab-backups``.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from lxmls_day1.base.atomic_files import locked as file_locked
from lxmls_day1.base.atomic_files import named, replace_files
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.plain_data import from_plain, to_plain, type_hints
from lxmls_day1.course.registry import Exercise
from lxmls_day1.lab import reference_folder

FILE = ".lab-state.json"
DAMAGED = f"{FILE}.damaged"
LOCK = ".lab-state.lock"
BACKUPS = ".lab-backups"
VERSION = 1
#: The attributes of `WorkspaceState` that stand in the file; those of `ADDED_LATER` are not in older ones.
ADDED_LATER = ("origin", "explanations", "solved_on", "practised", "mistakes_hinted", "asked_again", "compared")
KEPT = ("hints", "results", "given", "backups", *ADDED_LATER)


@dataclass(frozen=True)
class KeptResult:
    """How the checks of an exercise went, and on which files (`files_digest`)."""

    passed: int
    total: int
    hidden: int
    digest: str
    mistakes: tuple[str, ...] = ()  # that were named; not in older states


@dataclass(frozen=True)
class Explanation:
    """A question that was asked after a mistake was named, and what the student wrote.

    Attributes
    ----------
    exercise, mistake : str
        Their names.
    question : str
        As it was asked.
    attempt : str
        The student's functions as they were checked, with the mistake.
    text : str
        What the student wrote; empty so far if nothing.
    """

    exercise: str
    mistake: str
    question: str
    attempt: str = ""
    text: str = ""


@dataclass(frozen=True)
class GivenFile:
    """A file as it was given to the student: a digest of it; the functions to be written in it; a digest of the rest."""

    digest: str
    functions: tuple[str, ...] = ()
    around: str = ""


@dataclass(frozen=True)
class Origin:
    """Where a workspace comes from: the version of the package that made it, of its interface, and the files it gave.

    ``exercises`` are those that ``start`` or the release gave; states of older versions do not say.
    """

    made_by: str = ""
    interface: int = 0
    files: dict[str, GivenFile] = field(default_factory=dict)
    exercises: tuple[str, ...] = ()


@dataclass(frozen=True)
class Backup:
    """What a command has replaced: the files in the workspace, and under which names their old texts are kept."""

    what: str  # "solve 1.5"
    exercise: str
    kept: dict[str, str]  # path in the workspace -> path of the old text, relative to the workspace too
    written: dict[str, str]  # path -> digest of what the command wrote; one that is not in `kept` was not there before
    was_given: bool  # whether the reference solution was in place before
    origin: Origin | None = None  # that of the workspace before, where the command has changed it


@dataclass
class WorkspaceState:
    """The state of one workspace; change it and `save` it, both while it is `locked`.

    Attributes
    ----------
    hints : dict from exercise to the number of hints shown
    results : dict from exercise to `KeptResult`
    given : list of exercises that ``solve`` has put in
    backups : list of `Backup`, the latest last
    origin : Origin
    explanations : list of `Explanation`, in the order of the questions
    solved_on : dict from exercise to the day on which its checks passed, as in ``2026-03-01``; the last time, if it was practised
    practised : list of exercises that ``check --again`` has made blank, and that are not solved again yet
    mistakes_hinted : dict from exercise to the known mistakes whose hint was shown
    asked_again, compared : dict from exercise to the questions that were asked once more, and those whose answer was shown
    damage : str
        Why the state file could not be read; empty if it could, or there is none.
    """

    folder: Path
    hints: dict[str, int] = field(default_factory=dict)
    results: dict[str, KeptResult] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    backups: list[Backup] = field(default_factory=list)
    origin: Origin = field(default_factory=Origin)
    explanations: list[Explanation] = field(default_factory=list)
    solved_on: dict[str, str] = field(default_factory=dict)
    practised: list[str] = field(default_factory=list)
    mistakes_hinted: dict[str, list[str]] = field(default_factory=dict)
    asked_again: dict[str, list[str]] = field(default_factory=dict)
    compared: dict[str, list[str]] = field(default_factory=dict)
    damage: str = field(default="", compare=False)

    @classmethod
    def of(cls, folder: Path) -> "WorkspaceState":
        """The state of a workspace as it is on disk; a new one if there is none, or none that can be read."""
        if not keeps_state(folder):
            return cls(folder)
        damage = ""
        try:
            return cls(folder, **_parsed(json.loads((folder / FILE).read_text(encoding="utf-8"))))
        except FileNotFoundError:
            pass
        except OSError as error:
            damage = f"{FILE} cannot be read ({(error.strerror or str(error)).lower()})"
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            damage = f"{FILE} is damaged"
        return cls(folder, damage=damage)

    def passed(self, id: str) -> None:
        """Note that all checks of an exercise pass: today, if that is the first time or it was practised."""
        if id in self.practised or id not in self.solved_on:
            self.solved_on[id] = date.today().isoformat()
        self.practised = [other for other in self.practised if other != id]

    def contents(self) -> dict[Path, bytes]:
        """The state as a file to be written; nothing for the reference lab."""
        if not keeps_state(self.folder):
            return {}
        content = {"version": VERSION, **{name: to_plain(getattr(self, name)) for name in KEPT}}
        return {self.folder / FILE: (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()}

    def save(self, with_files: Mapping[Path, bytes] | None = None) -> None:
        """Write the state to disk, with other files that belong to it: all of them completely or none."""
        if self.damage and keeps_state(self.folder):
            with contextlib.suppress(FileNotFoundError):
                os.replace(self.folder / FILE, self.folder / DAMAGED)
        replace_files({**(with_files or {}), **self.contents()})


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make this the only process that changes the state of a workspace; another one waits until it is done."""
    if not keeps_state(folder):
        yield
        return
    with named(folder):
        number = os.open(folder / LOCK, os.O_RDONLY | os.O_CREAT, 0o666)
    with open(number, "rb") as file:  # closing it unlocks it, as the end of the process does
        file_locked(file, wait=True)
        yield


def why_not_kept(keep: Callable[[], object], what: str) -> str:
    """Keep something in a state that may be on a full disk or write-protected; a sentence if that fails, else nothing.

    Parameters
    ----------
    keep : function
        Called without arguments.
    what : str
        What it keeps: ``"The results"``.
    """
    try:
        keep()
    except (OSError, InputError) as error:
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        return f"{what} could not be kept in {FILE}: {reason}."
    return ""


def _parsed(content: Any) -> dict[str, Any]:
    """What stands in a state file; any of several errors if it is not of the form that `WorkspaceState.contents` gives."""
    kinds = type_hints(WorkspaceState) or {}
    parts = {
        name: from_plain(kinds[name], content[name]) for name in KEPT if name in content or name not in ADDED_LATER
    }
    origins = [parts.get("origin"), *(backup.origin for backup in parts["backups"])]
    paths = [path for origin in origins if origin is not None for path in origin.files]
    old_texts = [path for backup in parts["backups"] for path in backup.kept.values()]
    paths += [path for backup in parts["backups"] for path in (*backup.kept, *backup.written)] + old_texts
    if not all(map(_stays_inside, paths)) or any(PurePosixPath(path).parts[0] != BACKUPS for path in old_texts):
        raise ValueError("not a state of ours")
    return parts


def _stays_inside(path: str) -> bool:
    """Whether a path, as any system may read it, leads to a place in the folder that it is relative to."""
    readings = PurePosixPath(path), PureWindowsPath(path)
    return all(reading.parts and not reading.anchor and ".." not in reading.parts for reading in readings)


def keeps_state(folder: Path) -> bool:
    """Whether a lab folder is a workspace, which may be written to, rather than the reference lab."""
    return folder.resolve() != reference_folder().resolve()


def text_digest(content: bytes) -> str:
    """A digest of a text; line ends do not count."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def content_digest(name: str, content: bytes) -> str:
    """A digest of a file: of a notebook what its cells ask, without what running or opening it adds; of other JSON what it says.

    A browser lays out both in its own way.

    Examples
    --------
    >>> content_digest("a.json", b'{"b": 1.0,\\n "a": -0.0}') == content_digest("a.json", b'{"a":0,"b":1}')
    True
    >>> content_digest("a.py", b"1.0") == content_digest("a.py", b"1")
    False
    """
    if name.endswith((".json", ".ipynb")):

        def number(text: str) -> float:
            return float(text) + 0.0  # without the sign of zero

        with contextlib.suppress(
            ValueError, KeyError, TypeError, AttributeError, RecursionError
        ):  # it is compared as text
            value = json.loads(content, parse_int=number, parse_float=number)
            if name.endswith(".ipynb"):
                value = [
                    (cell["cell_type"], cell.get("id"), "".join(cell["source"]), cell["metadata"].get("tags"))
                    for cell in value["cells"]
                ]
            content = json.dumps(value, sort_keys=True).encode()
    return text_digest(content)


def is_unchanged(name: str, content: bytes, digest: str) -> bool:
    """Whether a file has the content of which a state holds the digest; older versions put down that of the text."""
    return digest in (content_digest(name, content), text_digest(content))


def files_digest(folder: Path, exercise: Exercise) -> str:
    """A digest of the files of an exercise as they are now; a missing one counts as empty, line ends do not count."""
    digest = hashlib.sha256()
    for name in exercise.files:
        path = folder / name
        content = path.read_bytes().replace(b"\r\n", b"\n") if path.is_file() else b""
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()
