"""The ladder of hints: three steps for each exercise, one at a time; before them, where to look for a mistake that was named."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import HINT_STEPS, RECORDED, Exercise, Registry, exercises_folder
from lxmls_day1.course.source_functions import code_lines
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
    mistake : str
        The known mistake that the step of number 0 is about, if there is one.
    """

    exercise: Exercise
    steps: tuple[tuple[int, str, str], ...]
    left: int
    new: bool
    mistake: str = ""

    @property
    def closing(self) -> str:
        """What is said below the hints."""
        if self.left:
            return f"{self.left} more hint{'s' * (self.left > 1)} if you ask again."
        return "That was the last hint." if self.new else "You have seen all hints before; here they are again."


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
    exercise = Registry.of(folder).named(id)
    id = exercise.id
    steps = tuple((n, kind, hint) for n, (kind, hint) in enumerate(zip(HINT_STEPS, exercise.hints, strict=True), 1))
    if not keeps_state(folder):
        return Hints(exercise, steps, 0, True)
    state = WorkspaceState.of(folder)
    shown = state.hints.get(id, 0)
    if again:
        return Hints(exercise, steps[:shown], len(steps) - shown, shown > 0)
    for mistake in state.results[id].mistakes if id in state.results else ():
        text = where_to_look(folder, exercise, mistake)
        if text and mistake not in state.mistakes_hinted.get(id, ()):
            return Hints(exercise, ((0, "mistake", text),), len(steps) - shown, True, mistake)
    if shown >= len(steps):
        return Hints(exercise, steps, 0, False)
    return Hints(exercise, steps[shown : shown + 1], len(steps) - shown - 1, True)


def where_to_look(folder: Path, exercise: Exercise, mistake: str) -> str:
    """Return where to look for a known mistake: the question about it, and the lines that use what the wrong line is about."""
    texts = [_recorded(folder, exercise).questions.get(exercise.id, {}).get(mistake, "")]
    for name, file, lines in lines_to_look_at(folder, exercise, mistake):
        where = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))} of {file}"
        texts.append(f"Look at what you do with `{name}`: {where}.")
    return "\n".join(text for text in texts if text)


def lines_to_look_at(folder: Path, exercise: Exercise, mistake: str) -> Iterator[tuple[str, str, list[int]]]:
    """Yield what the wrong line of a known mistake is about, a file of the exercise, and its lines that use it."""
    functions = WorkspaceState.of(folder).origin.files
    for name in _recorded(folder, exercise).places.get(exercise.id, {}).get(mistake, ()):
        for file in exercise.files:
            source = (
                (folder / file).read_text(encoding="utf-8-sig", errors="replace") if (folder / file).is_file() else ""
            )
            lines = source.replace("\r\n", "\n").split("\n")
            own = functions[file].functions if file in functions else ()
            numbers = [n for function in own for n in code_lines(source, function)]
            found = [n for n in numbers if re.search(rf"\b{name}\b", lines[n - 1].partition("#")[0])]
            if found:
                yield name, file, found


def _recorded(folder: Path, exercise: Exercise) -> RecordedAnswers:
    return RecordedAnswers.read_if_there(exercises_folder(folder) / RECORDED.name, [exercise.id])


def remember_hint(folder: Path, hints: Hints) -> None:
    """Keep in the workspace's state that these hints were shown.

    Raises
    ------
    OSError
        If the state cannot be written.
    """
    id, highest = hints.exercise.id, max((number for number, _, _ in hints.steps), default=0)
    if highest <= WorkspaceState.of(folder).hints.get(id, 0) and not hints.mistake:
        return
    with locked(folder):
        state = WorkspaceState.of(folder)
        if highest:
            state.hints[id] = max(highest, state.hints.get(id, 0))
        if hints.mistake:
            state.mistakes_hinted[id] = [*state.mistakes_hinted.get(id, ()), hints.mistake]
        state.save()
