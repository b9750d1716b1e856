"""The model answers to the questions of the notebooks, and when a student may read them.

In the reference notebooks a model answer is a markdown cell tagged ``solution``, right below the cell tagged ``answer`` that
it answers. Student notebooks do not have it; a student's lab has all of them in one file instead, ``model_answers.json``,
encoded (base64), so that nobody reads one by accident. That is no secret: who decodes the file has all answers. They are
explanations; solutions in code, and derivations, are never among them. `revealed` shows those answers whose question the
student has answered. In a lab with solutions it shows all, for whoever marks answers by hand.
"""

import base64
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import FOLDER, Registry

FILE = FOLDER / "model_answers.json"
FOR_AUTHORS = re.compile(r"<!--.*?-->\n?", re.DOTALL)  # such as where the numbers of a text come from


@dataclass(frozen=True)
class ModelAnswer:
    """The model answer to one question of a notebook.

    Attributes
    ----------
    exercise, notebook, cell : str
        The exercise, the notebook's path in the lab, and the id of the cell where the student answers.
    question : str
        What stands in that cell when it is given out.
    text : str
        The answer, in markdown.
    """

    exercise: str
    notebook: str
    cell: str
    question: str
    text: str


@dataclass(frozen=True)
class Revealed:
    """Model answers that may be read, and how many more wait for an answer of one's own."""

    exercise: str
    answers: tuple[ModelAnswer, ...]
    waiting: int

    @property
    def closing(self) -> str:
        """What is said below the answers."""
        if not self.waiting:
            return ""
        what = "The model answer opens" if self.waiting == 1 else f"{self.waiting} model answers open"
        return (
            f"{what} after you have written your own into the cell above. Save the notebook, and run this cell again."
        )


def answers_of_notebook(
    cells: list[dict[str, Any]], exercises: list[str | None], notebook: str
) -> Iterator[ModelAnswer]:
    """The model answers of a notebook: each ``solution`` in markdown with the ``answer`` cell above it.

    Parameters
    ----------
    cells : list of dict
        Of a notebook with solutions.
    exercises : list of str or None
        To which exercise each cell belongs.
    notebook : str
        Its path in the lab.
    """
    asked: dict[str, Any] | None = None
    for cell, exercise in zip(cells, exercises, strict=True):
        tags = cell.get("metadata", {}).get("tags", [])
        if cell["cell_type"] != "markdown":
            continue
        if "answer" in tags:
            asked = cell
        elif "solution" in tags and asked is not None and exercise:
            text = FOR_AUTHORS.sub("", _text(cell)).strip()
            yield ModelAnswer(exercise, notebook, str(asked.get("id", "")), _text(asked), text)
            asked = None


def encoded(answers: Collection[ModelAnswer]) -> bytes:
    """The content of a student's ``model_answers.json``.

    Examples
    --------
    >>> answer = ModelAnswer("1.4", "notebooks/2.ipynb", "a", "Why?", "It has to.")
    >>> b"It has to" in encoded([answer]), decoded(encoded([answer])) == (answer,)
    (False, True)
    """
    rows = [{**vars(answer), "text": base64.b64encode(answer.text.encode()).decode()} for answer in answers]
    return (json.dumps({"answers": rows}, indent=1, ensure_ascii=False) + "\n").encode()


def decoded(content: bytes) -> tuple[ModelAnswer, ...]:
    """What `encoded` has written.

    Raises
    ------
    InputError
        If it is something else.
    """
    try:
        rows = json.loads(content)["answers"]
        return tuple(ModelAnswer(**{**row, "text": base64.b64decode(row["text"]).decode()}) for row in rows)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{FILE} is not as it was given out ({error}); `lxmls-day1 update` brings it back.") from error


def revealed(folder: Path, exercise: str, of_notebooks: Collection[ModelAnswer] = ()) -> Revealed:
    """The model answers to an exercise that may be read in a lab folder.

    Parameters
    ----------
    folder : Path
        A workspace, where those are shown whose question was answered in the notebook on disk; or a lab with solutions.
    exercise : str
    of_notebooks : collection of ModelAnswer
        Those that stand in the lab's own notebooks, as of an exercise that came with its solution; all of them are shown.

    Raises
    ------
    InputError
        If there is no such exercise, or no model answer to it is given out.
    """
    described = Registry.of(folder)[exercise]
    exercise = described.id
    known = written = [answer for answer in of_notebooks if answer.exercise == exercise]
    path = folder / FILE
    if path.is_file() and not known:
        cells = _cells_of(folder / described.notebook)
        known = [answer for answer in decoded(path.read_bytes()) if answer.exercise == exercise]
        written = [answer for answer in known if _is_answered(answer, cells)]
    if not known:
        raise InputError(
            f'there is no model answer to exercise {exercise}; lab.check("{exercise}") tells whether yours is right.'
        )
    return Revealed(str(described), tuple(written), len(known) - len(written))


def _is_answered(answer: ModelAnswer, cells: list[dict[str, Any]]) -> bool:
    """Whether the student's cell holds more than the question."""
    theirs = [_text(cell) for cell in cells if cell.get("id") == answer.cell]
    return any(text.split() and text.split() != answer.question.split() for text in theirs)


def _cells_of(path: Path) -> list[dict[str, Any]]:
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path.name} cannot be read as a notebook: {error}; save it once more.") from error
    return [cell for cell in cells if isinstance(cell, dict) and isinstance(cell.get("cell_type"), str)]


def _text(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(map(str, source))


def is_model_answers(name: PurePosixPath) -> bool:
    """Whether a path in a bundle or in a wheel is that of the model answers."""
    return name.name == FILE.name
