"""What a student hands in: gathered from the workspace, looked through, packed into one zip file.

What the student has explained after named mistakes goes along as ``explanations.json``.
"""

import ast
import hashlib
import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import lxmls_day1
from lxmls_day1.course.explanations import FILE as EXPLANATIONS
from lxmls_day1.course.explanations import packed
from lxmls_day1.course.markers import cell_source
from lxmls_day1.course.registry import Exercise, Registry
from lxmls_day1.course.workspace_state import WorkspaceState
from lxmls_day1.course.workspaces.archives import zipped
from lxmls_day1.course.workspaces.generation import (
    LEFT_BEHIND,
    Files,
)
from lxmls_day1.course.workspaces.progress import status_of
from lxmls_day1.lab import PACKAGES, Lab, why_not_python

SUBMISSION = "submission.json"
LARGEST_FILE = 20_000_000


@dataclass(frozen=True)
class SubmissionFiles:
    """What would be handed in.

    Attributes
    ----------
    files : dict from path to content
    missing : tuple of str
        Sentences about what must be put right first.
    unsolved : tuple of str
        The exercises that are not done, as `lxmls_day1.course.workspaces.progress` counts: still a stub, failing, or unanswered.
    unchecked : tuple of str
        Those that were not checked since their last edit.
    practised : tuple of str
        Those of the unsolved that ``check --again`` has made blank, although they were solved.
    """

    files: Files
    missing: tuple[str, ...]
    unsolved: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    practised: tuple[str, ...] = ()


def collect_submission(folder: Path) -> SubmissionFiles:
    """Gather what is handed in, and look whether everything is there.

    Parameters
    ----------
    folder : Path
        A workspace.
    """
    folder = Lab(folder).folder
    registry = Registry.of(folder)
    files: Files = {}
    for part in (*PACKAGES, "notebooks"):
        for path in sorted((folder / part).rglob("*")):
            name = PurePosixPath(path.relative_to(folder).as_posix())
            wanted = path.suffix == ".py" or (part == "notebooks" and path.suffix == ".ipynb")
            if wanted and path.is_file() and not path.is_symlink() and not LEFT_BEHIND.search(str(name)):
                files[name] = path.read_bytes()
    exercises = registry.select(None)
    expected = dict.fromkeys([name for exercise in exercises for name in (*exercise.files, exercise.notebook)])
    missing = [
        f"{name} is not there; {_puts_back(name, exercises)} puts it back."
        for name in expected
        if PurePosixPath(name) not in files
    ]
    for name, content in files.items():
        if len(content) > LARGEST_FILE:
            missing.append(f"{name} is too large ({len(content) / 1e6:.0f} MB); clear its outputs.")
        elif name.suffix == ".ipynb":
            try:
                for cell in json.loads(content)["cells"]:
                    cell_source(cell)
            except (ValueError, KeyError, TypeError):
                missing.append(f"{name} is not a notebook.")
        else:
            try:
                ast.parse(content.decode("utf-8-sig"))
            except (SyntaxError, ValueError) as error:
                line = getattr(error, "lineno", None)
                missing.append(f"{name}{f':{line}' if line else ''}: {why_not_python(error)}.")
    left = [standing for standing in status_of(folder).counted if not standing.done]
    unsolved = tuple(standing.exercise.id for standing in left if standing.state != "changed")
    unchecked = tuple(standing.exercise.id for standing in left if standing.state == "changed")
    practised = tuple(standing.exercise.id for standing in left if standing.state == "practised")
    return SubmissionFiles(files, tuple(missing), unsolved, unchecked, practised)


def _puts_back(name: str, exercises: Collection[Exercise]) -> str:
    """The command that puts back a file."""
    owner = next((exercise.id for exercise in exercises if name in exercise.files), None)
    return f"`lxmls-day1 reset {owner}`" if owner else "`lxmls-day1 update`"


def pack_submission(folder: Path, submission: SubmissionFiles, name: str) -> tuple[str, bytes]:
    """The one zip file for the instructor: its name and its content.

    Parameters
    ----------
    folder : Path
    submission : SubmissionFiles
    name : str
        Who hands it in.
    """
    slug = re.sub(r"[^\w]+", "-", name).strip("-_").lower() or "lab"
    manifest = {
        "format": 1,
        "name": name,
        "lxmls_day1": lxmls_day1.__version__,
        "exercises": [*(WorkspaceState.of(folder).origin.exercises or Registry.of(folder).assigned)],
        "unsolved": [*submission.unsolved, *submission.unchecked],
        "files": {str(path): hashlib.sha256(content).hexdigest() for path, content in submission.files.items()},
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    files = {**submission.files, PurePosixPath(SUBMISSION): text.encode()}
    explanations = WorkspaceState.of(folder).explanations
    if explanations:
        files[EXPLANATIONS] = packed(explanations)
    return f"submission-{slug}.zip", zipped(files, slug)
