"""What a workspace remembers, in ``.lab-state.json``: hints that were shown, results of checks, what can be undone.

The reference lab remembers nothing on disk. A state file that cannot be read is set aside, not overwritten: nothing in it
is worth stopping a student for.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lxmls_day1.exercises.registry import Exercise
from lxmls_day1.lab import reference_folder
from lxmls_day1.whole_files import replace_files

FILE = ".lab-state.json"
VERSION = 1


@dataclass(frozen=True)
class Result:
    """How the checks of an exercise went, and on which files (`files_digest`)."""

    passed: int
    total: int
    hidden: int
    digest: str


@dataclass(frozen=True)
class Backup:
    """What a command has replaced: the files in the workspace, and under which names their old texts are kept."""

    what: str  # "solve 1.5"
    exercise: str
    kept: dict[str, str]  # path in the workspace -> path of the old text, relative to the workspace too
    written: dict[str, str]  # path -> digest of what the command wrote
    was_given: bool  # whether the reference solution was in place before


@dataclass
class Progress:
    """The state of one workspace; change it and `save` it.

    Attributes
    ----------
    hints : dict from exercise to the number of hints shown
    results : dict from exercise to `Result`
    given : list of exercises that ``solve`` has put in
    backups : list of `Backup`, the latest last
    """

    folder: Path
    hints: dict[str, int] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    backups: list[Backup] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path) -> "Progress":
        """The state of a workspace as it is on disk; a new one if there is none, or none that can be read."""
        path = folder / FILE
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                folder,
                {str(id): int(count) for id, count in content["hints"].items()},
                {str(id): Result(**result) for id, result in content["results"].items()},
                [str(id) for id in content["given"]],
                [Backup(**backup) for backup in content["backups"]],
            )
        except FileNotFoundError:
            return cls(folder)
        except (ValueError, KeyError, TypeError, AttributeError):
            if keeps_state(folder):
                replace_files({path.with_name(f"{FILE}.damaged"): path.read_bytes()})
            return cls(folder)

    def contents(self) -> dict[Path, bytes]:
        """The state as a file to be written; nothing for the reference lab."""
        if not keeps_state(self.folder):
            return {}
        content: dict[str, Any] = {
            "version": VERSION,
            "hints": self.hints,
            "results": {id: asdict(result) for id, result in self.results.items()},
            "given": self.given,
            "backups": [asdict(backup) for backup in self.backups],
        }
        return {self.folder / FILE: (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()}

    def save(self) -> None:
        """Write the state to disk, completely or not at all."""
        replace_files(self.contents())


def keeps_state(folder: Path) -> bool:
    """Whether a lab folder is a workspace, which may be written to, rather than the reference lab."""
    return folder.resolve() != reference_folder().resolve()


def files_digest(folder: Path, exercise: Exercise) -> str:
    """A digest of the files of an exercise as they are now; a missing one counts as empty, line ends do not count."""
    digest = hashlib.sha256()
    for name in exercise.files:
        path = folder / name
        content = path.read_bytes().replace(b"\r\n", b"\n") if path.is_file() else b""
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()
