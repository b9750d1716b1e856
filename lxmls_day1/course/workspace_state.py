"""The state of a workspace, in ``.lab-state.json``: hints shown, results of checks, explanations, and changes that can be undone.

The reference lab has no state on disk. Reading the state changes nothing. A state file that cannot be read is renamed when the next
one is written, because its loss must not stop a student. The texts that ``solve``, ``reset`` and ``update`` have replaced are still in
``.lab-backups``.
"""

import contextlib
import functools
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from lxmls_day1.base.atomic_files import report_errors_for, write_files_atomically
from lxmls_day1.base.atomic_files import try_lock as file_locked
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.plain_data import from_plain, to_plain, type_hints
from lxmls_day1.course.registry import Exercise
from lxmls_day1.lab import reference_folder
from lxmls_day1.library_path import STATE_FILE

FILE = STATE_FILE
DAMAGED = f"{FILE}.damaged"
LOCK = ".lab-state.lock"
BACKUPS = ".lab-backups"
VERSION = 1
#: The attributes of `WorkspaceState` that the file holds; files of older versions lack the attributes in `OPTIONAL_FIELDS`.
OPTIONAL_FIELDS = ("origin", "explanations", "solved_on", "practised", "mistakes_hinted", "asked_again", "compared")
PERSISTED_FIELDS = ("hints", "results", "given", "backups", *OPTIONAL_FIELDS)


@dataclass(frozen=True)
class SavedResult:
    """The result of the checks of an exercise, with a digest of the files that were checked (`files_digest`)."""

    passed: int
    total: int
    hidden: int
    digest: str
    mistakes: tuple[str, ...] = ()  # the known mistakes that were named; missing in older states


@dataclass(frozen=True)
class Explanation:
    """A question about a named mistake, and the student's answer.

    Attributes
    ----------
    exercise, mistake : str
        The id of the exercise, and the name of the mistake.
    question : str
        The text of the question.
    attempt : str
        The student's functions with the mistake, as they were checked.
    text : str
        The student's answer; empty until the student answers.
    """

    exercise: str
    mistake: str
    question: str
    attempt: str = ""
    text: str = ""


@dataclass(frozen=True)
class StarterFile:
    """The record of a starter file: its digest, the functions that a student writes in it, and a digest of the rest."""

    digest: str
    functions: tuple[str, ...] = ()
    around: str = ""


@dataclass(frozen=True)
class Origin:
    """The origin of a workspace: the versions of the package and of its interface that made it, and its starter files.

    ``exercises`` are the exercises that ``start`` or the release gave; it is empty in states of older versions.
    """

    made_by: str = ""
    interface: int = 0
    files: dict[str, StarterFile] = field(default_factory=dict)
    exercises: tuple[str, ...] = ()

    def functions_in(self, name: str) -> tuple[str, ...]:
        """Return the functions that a student writes in a file; none if it is no starter file."""
        return self.files[name].functions if name in self.files else ()


@dataclass(frozen=True)
class Backup:
    """The record of what a command has replaced: the files in the workspace, and the paths of their old texts."""

    what: str  # "solve 1.5"
    exercise: str
    kept: dict[str, str]  # path in the workspace -> path of the old text, also relative to the workspace
    written: dict[str, str]  # path -> digest of what the command wrote; a path that is not in `kept` is a new file
    was_given: bool  # whether the reference solution was in place before
    origin: Origin | None = None  # the previous origin of the workspace, if the command has changed it


@dataclass
class WorkspaceState:
    """The state of one workspace. Change it and `save` it within one `lock_state`, or with `changed_state` block.

    Attributes
    ----------
    hints : dict from exercise to the number of hints shown
    results : dict from exercise to `SavedResult`
    given : list of exercises that ``solve`` has solved
    backups : list of `Backup`, the latest last
    origin : Origin
    explanations : list of `Explanation`, in the order of the questions
    solved_on : dict from exercise to the day on which its checks first passed, such as ``2026-03-01``; practising it again renews it
    practised : list of exercises that ``check --again`` has reset and that are not solved again yet
    mistakes_hinted : dict from exercise to the known mistakes whose hint was shown
    asked_again, compared : dict from exercise to the questions that were repeated, and to the questions whose answer was shown
    damage : str
        The reason why the state file could not be read; empty if it was read or does not exist.
    """

    folder: Path
    hints: dict[str, int] = field(default_factory=dict)
    results: dict[str, SavedResult] = field(default_factory=dict)
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
    def from_folder(cls, folder: Path) -> "WorkspaceState":
        """Read the state of a workspace from disk; return a new state if the file is missing or cannot be read."""
        if not is_workspace(folder):
            return cls(folder)
        try:
            return cls(folder, **_parse_state(json.loads((folder / FILE).read_text(encoding="utf-8"))))
        except FileNotFoundError:
            damage = ""
        except OSError as error:
            damage = f"{FILE} cannot be read ({(error.strerror or str(error)).lower()})"
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            damage = f"{FILE} is damaged"
        return cls(folder, damage=damage)

    def mark_passed(self, id: str) -> None:
        """Record that all checks of an exercise pass; set the date if this is the first time, or if the exercise was practised."""
        if id in self.practised or id not in self.solved_on:
            self.solved_on[id] = date.today().isoformat()
        self.practised = [other for other in self.practised if other != id]

    def contents(self) -> dict[Path, bytes]:
        """Return the state as a mapping from path to content; empty for the reference lab."""
        if not is_workspace(self.folder):
            return {}
        content = {"version": VERSION, **{name: to_plain(getattr(self, name)) for name in PERSISTED_FIELDS}}
        return {self.folder / FILE: (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()}

    def save(self, with_files: Mapping[Path, bytes] | None = None) -> None:
        """Write the state, and other files that belong to it, to disk in one atomic write; make the folders of these files."""
        for path in with_files or ():
            path.parent.mkdir(parents=True, exist_ok=True)
        if self.damage and is_workspace(self.folder):
            with contextlib.suppress(FileNotFoundError):
                os.replace(self.folder / FILE, self.folder / DAMAGED)
        write_files_atomically({**(with_files or {}), **self.contents()})


@contextlib.contextmanager
def lock_state(folder: Path) -> Iterator[None]:
    """Lock the state of a workspace, so that only this process changes it; wait if another process holds the lock."""
    if not is_workspace(folder):
        yield
        return
    with report_errors_for(folder):
        number = os.open(folder / LOCK, os.O_RDONLY | os.O_CREAT, 0o666)
    with open(number, "rb") as file:  # Closing the file releases the lock, and so does the end of the process.
        file_locked(file, wait=True)
        yield


@contextlib.contextmanager
def changed_state(folder: Path) -> Iterator[WorkspaceState]:
    """Lock the state of a workspace and yield it to be changed; at the end it is saved, unless an error ends the change."""
    with lock_state(folder):
        state = WorkspaceState.from_folder(folder)
        yield state
        state.save()


def save_or_explain(save: Callable[[], object], subject: str) -> str:
    """Call a function that saves something in the state; if it fails (disk full, write-protected), return a sentence, otherwise "".

    Parameters
    ----------
    save : function
        A function without parameters.
    subject : str
        The subject of the sentence, such as ``"The results"``.
    """
    try:
        save()
    except (OSError, InputError) as error:
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        return f"{subject} could not be kept in {FILE}: {reason}."
    return ""


def _parse_state(content: Any) -> dict[str, Any]:
    """Return the attributes in a state file; raise one of several errors if it has another format than `WorkspaceState.contents` writes."""
    kinds = type_hints(WorkspaceState) or {}
    names = [name for name in PERSISTED_FIELDS if name in content or name not in OPTIONAL_FIELDS]
    parts = {name: from_plain(kinds[name], content[name]) for name in names}
    origins = [parts.get("origin"), *(backup.origin for backup in parts["backups"])]
    paths = [path for origin in origins if origin is not None for path in origin.files]
    old_texts = [path for backup in parts["backups"] for path in backup.kept.values()]
    paths += [path for backup in parts["backups"] for path in (*backup.kept, *backup.written)] + old_texts
    if not all(map(_stays_inside, paths)) or any(PurePosixPath(path).parts[0] != BACKUPS for path in old_texts):
        raise ValueError("not a state of ours")
    return parts


@functools.lru_cache(maxsize=1024)  # A check reads the state several times.
def _stays_inside(path: str) -> bool:
    """Return True if a relative path stays inside its folder, whether Windows or a POSIX system reads it."""
    readings = PurePosixPath(path), PureWindowsPath(path)
    return all(reading.parts and not reading.anchor and ".." not in reading.parts for reading in readings)


def is_workspace(folder: Path) -> bool:
    """Return True if a lab folder is a workspace, which may be written to, and not the reference lab."""
    return folder.resolve() != reference_folder().resolve()


def text_digest(content: bytes) -> str:
    """Return a digest of a text; line ends do not count."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


@functools.lru_cache(maxsize=128)  # An update asks several times about the files that stay as they are.
def content_digest(name: str, content: bytes) -> str:
    """Return a digest of a file's content: of a notebook only its cells, of other JSON only the values without the layout.

    The type, id, source and tags of a cell count. Running or opening a notebook changes the rest, and a browser has its own layout of JSON.

    Examples
    --------
    >>> content_digest("a.json", b'{"b": 1.0,\\n "a": -0.0}') == content_digest("a.json", b'{"a":0,"b":1}')
    True
    >>> content_digest("a.py", b"1.0") == content_digest("a.py", b"1")
    False
    """
    if name.endswith((".json", ".ipynb")):

        def number(text: str) -> float:
            return float(text) + 0.0  # adding 0.0 removes the sign of zero

        # An invalid file is compared as text.
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            value = json.loads(content, parse_int=number, parse_float=number)
            if name.endswith(".ipynb"):
                value = [
                    (cell["cell_type"], cell.get("id"), "".join(cell["source"]), cell["metadata"].get("tags"))
                    for cell in value["cells"]
                ]
            content = json.dumps(value, sort_keys=True).encode()
    return text_digest(content)


def is_unchanged(name: str, content: bytes, digest: str) -> bool:
    """Return True if a file still has the content of this digest. Older versions stored the digest of the text instead."""
    return digest in (content_digest(name, content), text_digest(content))


def files_digest(folder: Path, exercise: Exercise) -> str:
    """Return a digest of the current files of an exercise; a missing file counts as empty, and line ends do not count."""
    digest = hashlib.sha256()
    for name in exercise.files:
        path = folder / name
        content = path.read_bytes().replace(b"\r\n", b"\n") if path.is_file() else b""
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()
