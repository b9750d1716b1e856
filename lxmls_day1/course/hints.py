"""The ladder of hints: three steps for each exercise, one at a time."""

from dataclasses import dataclass
from pathlib import Path

from lxmls_day1.course.registry import HINT_STEPS, Exercise, Registry
from lxmls_day1.course.workspace_state import WorkspaceState, keeps_state, locked


@dataclass(frozen=True)
class Hints:
    """Hints on an exercise that are to be shown.

    Attributes
    ----------
    exercise : Exercise
    steps : tuple of (number, kind, text)
    left : int
        How many more there are.
    new : bool
        Whether the last one was not shown before.
    """

    exercise: Exercise
    steps: tuple[tuple[int, str, str], ...]
    left: int
    new: bool

    @property
    def closing(self) -> str:
        """What is said below the hints."""
        if self.left:
            return f"{self.left} more hint{'s' * (self.left > 1)} if you ask again."
        return "That was the last hint." if self.new else "All hints were shown before; these are they."


def next_hint(folder: Path, id: str, again: bool = False) -> Hints:
    """The next hint on an exercise; `remember_hint` once it is shown.

    Parameters
    ----------
    folder : Path
        A lab folder; the reference lab, which remembers nothing, shows all of them.
    id : str
    again : bool
        Only those that were shown before.

    Raises
    ------
    InputError
        If there is no such exercise.
    """
    exercise = Registry.of(folder)[id]
    id = exercise.id
    steps = tuple((n, kind, hint) for n, (kind, hint) in enumerate(zip(HINT_STEPS, exercise.hints, strict=True), 1))
    if not keeps_state(folder):
        return Hints(exercise, steps, 0, True)
    state = WorkspaceState.of(folder)
    shown = state.hints.get(id, 0)
    if again:
        return Hints(exercise, steps[:shown], len(steps) - shown, shown > 0)
    if shown >= len(steps):
        return Hints(exercise, steps, 0, False)
    return Hints(exercise, steps[shown : shown + 1], len(steps) - shown - 1, True)


def remember_hint(folder: Path, hints: Hints) -> None:
    """Keep in the workspace's state that these hints were shown.

    Raises
    ------
    OSError
        If the state cannot be written.
    """
    id, highest = hints.exercise.id, max((number for number, _, _ in hints.steps), default=0)
    if highest <= WorkspaceState.of(folder).hints.get(id, 0):
        return
    with locked(folder):
        state = WorkspaceState.of(folder)
        state.hints[id] = max(highest, state.hints.get(id, 0))
        state.save()
