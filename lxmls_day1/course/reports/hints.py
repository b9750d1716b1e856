"""Hints: three steps for each exercise, shown one at a time. A hint on a named mistake comes before them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import HINT_STEPS, RECORDED, Exercise, Registry, exercises_folder
from lxmls_day1.course.source_functions import code_lines
from lxmls_day1.course.workspace_state import WorkspaceState, changed_state, is_workspace


@dataclass(frozen=True)
class Hints:
    """Hints on an exercise, to be shown.

    Attributes
    ----------
    exercise : Exercise
    steps : tuple of (number, kind, text)
    n_left : int
        The number of hints that are left.
    new : bool
        True if the last hint was not shown before.
    mistake : str
        The known mistake that step 0 is about, if there is such a step.
    """

    exercise: Exercise
    steps: tuple[tuple[int, str, str], ...]
    n_left: int
    new: bool
    mistake: str = ""

    @property
    def closing(self) -> str:
        """The sentence below the hints."""
        if self.n_left:
            return f"{self.n_left} more hint{'s' * (self.n_left > 1)} if you ask again."
        return "That was the last hint." if self.new else "You have seen all hints before; here they are again."


def next_hint(folder: Path, id: str, again: bool = False) -> Hints:
    """Return the next hint on an exercise; call `save_shown_hints` when it was shown.

    Parameters
    ----------
    folder : Path
        A lab folder. For the reference lab, which has no state, return all hints.
    id : str
    again : bool
        If True, return only the hints that were shown before.

    Raises
    ------
    InputError
        If the exercise does not exist.
    """
    exercise = Registry.from_folder(folder).named(id)
    id = exercise.id
    steps = tuple((n, kind, hint) for n, (kind, hint) in enumerate(zip(HINT_STEPS, exercise.hints, strict=True), 1))
    if not is_workspace(folder):
        return Hints(exercise, steps, 0, True)
    state = WorkspaceState.from_folder(folder)
    shown = state.hints.get(id, 0)
    if again:
        return Hints(exercise, steps[:shown], len(steps) - shown, shown > 0)
    for mistake in state.results[id].mistakes if id in state.results else ():
        text = mistake_hint(folder, exercise, mistake)
        if text and mistake not in state.mistakes_hinted.get(id, ()):
            return Hints(exercise, ((0, "mistake", text),), len(steps) - shown, True, mistake)
    if shown >= len(steps):
        return Hints(exercise, steps, 0, False)
    return Hints(exercise, steps[shown : shown + 1], len(steps) - shown - 1, True)


def mistake_hint(folder: Path, exercise: Exercise, mistake: str) -> str:
    """Return where to look for a known mistake: the question about it, and the lines that use what the wrong line is about."""
    texts = [_recorded(folder, exercise).questions.get(exercise.id, {}).get(mistake, "")]
    for name, file, lines in lines_to_look_at(folder, exercise, mistake):
        where = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))} of {file}"
        texts.append(f"Look at what you do with `{name}`: {where}.")
    return "\n".join(text for text in texts if text)


def lines_to_look_at(folder: Path, exercise: Exercise, mistake: str) -> Iterator[tuple[str, str, list[int]]]:
    """Yield what the wrong line of a known mistake is about, a file of the exercise, and its lines that use it."""
    origin = WorkspaceState.from_folder(folder).origin
    for name in _recorded(folder, exercise).mistake_arguments.get(exercise.id, {}).get(mistake, ()):
        for file in exercise.files:
            path = folder / file
            source = path.read_text(encoding="utf-8-sig", errors="replace") if path.is_file() else ""
            lines = source.replace("\r\n", "\n").split("\n")
            numbers = [n for function in origin.functions_in(file) for n in code_lines(source, function)]
            found = [n for n in numbers if re.search(rf"\b{name}\b", lines[n - 1].partition("#")[0])]
            if found:
                yield name, file, found


def _recorded(folder: Path, exercise: Exercise) -> RecordedAnswers:
    return RecordedAnswers.read_existing(exercises_folder(folder) / RECORDED.name, [exercise.id])


def save_shown_hints(folder: Path, hints: Hints) -> None:
    """Record in the workspace's state that these hints were shown.

    Raises
    ------
    OSError
        If the state cannot be written.
    """
    id, highest = hints.exercise.id, max((number for number, _, _ in hints.steps), default=0)
    if highest <= WorkspaceState.from_folder(folder).hints.get(id, 0) and not hints.mistake:
        return
    with changed_state(folder) as state:
        if highest:
            state.hints[id] = max(highest, state.hints.get(id, 0))
        if hints.mistake:
            state.mistakes_hinted[id] = [*state.mistakes_hinted.get(id, ()), hints.mistake]
