"""The progress in a workspace: the status of each of its exercises, and the next exercise."""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from lxmls_day1.base.errors import pluralize
from lxmls_day1.course.markers import cell_source, find_stub
from lxmls_day1.course.registry import Exercise, Registry
from lxmls_day1.course.workspace_state import WorkspaceState, files_digest, is_workspace
from lxmls_day1.course.workspaces.generation import exercises_of_cells
from lxmls_day1.lab import reference_folder

STATES = {
    "solved": "public checks pass",
    "answered": "answered in the notebook",
    "given": "came with its solution",
    "reference": "reference solution put in",
    "failing": "checks fail",
    "missing": "a file is missing: `reset`",
    "changed": "edited, not checked since",
    "to do": "to do",
    "practised": "asked once more; see `undo`",
    "to answer": "answer it in the notebook",
    "reading": "read it in the notebook",
}
DONE = ("solved", "answered", "reference")
NOT_COUNTED = ("given", "reading")


@dataclass(frozen=True)
class ExerciseStatus:
    """The status of one exercise: a key of `STATES`, and a text about it."""

    exercise: Exercise
    state: str
    text: str
    hints: int

    @property
    def done(self) -> bool:
        """True if nothing is left to do."""
        return self.state in DONE


@dataclass(frozen=True)
class Status:
    """The status of all exercises of a workspace.

    Attributes
    ----------
    exercise_statuses : tuple of ExerciseStatus
    practice : tuple of (day, Exercise)
        The solved exercises, sorted by the day on which they were last solved or practised; only days before today.
    """

    exercise_statuses: tuple[ExerciseStatus, ...]
    practice: tuple[tuple[str, Exercise], ...] = ()

    @property
    def core(self) -> "Status":
        """The status of the core exercises alone."""
        return Status(tuple(standing for standing in self.exercise_statuses if standing.exercise.is_core))

    @property
    def further(self) -> "Status":
        """The status of the other exercises alone."""
        return Status(tuple(standing for standing in self.exercise_statuses if not standing.exercise.is_core))

    @property
    def relevant(self) -> tuple[ExerciseStatus, ...]:
        """The statuses of exercises in which a student has something to do."""
        return tuple(standing for standing in self.exercise_statuses if standing.state not in NOT_COUNTED)

    @property
    def n_done(self) -> int:
        """The number of exercises that are done."""
        return sum(standing.done for standing in self.relevant)

    @property
    def next(self) -> ExerciseStatus | None:
        """The first exercise that is not done, in the core first and then among the others."""
        ordered = (*self.core.relevant, *self.further.relevant)
        return next((standing for standing in ordered if not standing.done), None)

    @property
    def progress_text(self) -> str:
        """``5 of 8 core exercises done, 40 of 60 points``; counts all exercises if the core is empty."""
        if not self.relevant:
            return "nothing to solve here: every exercise came with its solution"
        part, kind = (self.core, "core exercise") if self.core.relevant else (self, "exercise")
        points = sum(standing.exercise.points for standing in part.relevant if standing.done)
        out_of = sum(standing.exercise.points for standing in part.relevant)
        return f"{part.n_done} of {pluralize(len(part.relevant), kind)} done, {points:g} of {out_of:g} points"


def status_of(folder: Path) -> Status:
    """Return the status of the exercises in a lab folder, from its files and its saved results.

    Parameters
    ----------
    folder : Path
        A lab folder. In the reference lab every exercise has the state ``given``.
    """
    registry, kept = Registry.from_folder(folder), WorkspaceState.from_folder(folder)
    states = [(exercise, *_state(folder, exercise, registry, kept)) for exercise in registry]
    standings = tuple(
        ExerciseStatus(one, state, text or STATES[state], kept.hints.get(one.id, 0)) for one, state, text in states
    )
    today = date.today().isoformat()
    solved_on = {id: day for id, day in kept.solved_on.items() if day < today}
    solved = [one.exercise for one in standings if one.state == "solved" and one.exercise.files]
    practice = ((solved_on[one.id], one) for one in solved if one.id in solved_on)
    return Status(standings, tuple(sorted(practice, key=lambda pair: pair[0])))


def _state(folder: Path, exercise: Exercise, registry: Registry, saved_state: WorkspaceState) -> tuple[str, str]:
    """Return a key of `STATES`, and a text about it if that is not the usual one."""
    if exercise.id not in registry.assigned or not is_workspace(folder):
        return "given", ""
    if not exercise.has_code:
        answers, given = _answers(folder, exercise), _answers(reference_folder(), exercise)
        if answers is None and given:
            return "missing", "its notebook cannot be read"
        if not answers:
            return "reading", ""
        return ("answered" if answers != given else "to answer"), ""
    result = next((saved_state.results[id] for id in exercise.all_ids if id in saved_state.results), None)
    left, _ = find_stub(folder, exercise)
    is_of_today = result is not None and result.digest == files_digest(folder, exercise)
    if left and not (result is not None and is_of_today and 0 < result.total == result.passed):
        return "practised" if exercise.id in saved_state.practised else "to do", ""
    if not all((folder / name).is_file() for name in exercise.files):
        return "missing", ""
    if result is None or not is_of_today:
        return "changed", ""
    if result.passed < result.total or not result.total:
        return "failing", f"{result.passed} of {result.total} public checks pass"
    if any(id in saved_state.given for id in exercise.all_ids):
        return "reference", ""
    if left:
        return "solved", "passes; remove the `raise`"
    more = f"; {result.hidden} at grading" if result.hidden else ""
    return "solved", f"{result.passed} of {result.total} pass{more}"


def _answers(folder: Path, exercise: Exercise) -> list[str] | None:
    """Return the texts of the notebook cells for the answer to an exercise; None if the notebook cannot be read."""
    try:
        notebook = json.loads((folder / exercise.notebook).read_text(encoding="utf-8"))
        return [
            cell_source(cell).strip()
            for cell, id in zip(notebook["cells"], exercises_of_cells(notebook), strict=True)
            if id == exercise.id and "answer" in cell.get("metadata", {}).get("tags", [])
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
