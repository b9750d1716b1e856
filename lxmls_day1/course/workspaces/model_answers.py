"""The model answers to the questions of the notebooks, and the condition under which a student may read them.

In the reference notebooks a model answer is a Markdown cell tagged ``solution``, directly below the cell tagged ``answer``. Student
notebooks do not contain it. A student's lab has all model answers in one file, ``model_answers.json``, encoded in base64 so that students
do not read one by accident. The encoding is not a protection, because anyone can decode the file. Model answers are explanations; the
file never contains solutions in code, or derivations. `unlocked_answers` returns the answers to questions that the
student has answered. In a
lab with solutions it returns all answers, for instructors who mark manually.
"""

import base64
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import FOLDER, Registry

FILE = FOLDER / "model_answers.json"
FOR_AUTHORS = re.compile(r"<!--.*?-->\n?", re.DOTALL)  # such as the source of the numbers in a text


@dataclass(frozen=True)
class ModelAnswer:
    """The model answer to one question of a notebook.

    Attributes
    ----------
    exercise, notebook, cell : str
        The exercise, the notebook's path in the lab, and the id of the cell for the student's answer.
    question : str
        The text of that cell in the starter notebook.
    text : str
        The answer, in markdown.
    """

    exercise: str
    notebook: str
    cell: str
    question: str
    text: str


@dataclass(frozen=True)
class UnlockedAnswers:
    """Model answers that may be read, and the number of those that wait for the student's own answer."""

    exercise: str
    answers: tuple[ModelAnswer, ...]
    waiting: int

    @property
    def closing(self) -> str:
        """The sentence below the answers."""
        if not self.waiting:
            return ""
        subject = "The model answer opens" if self.waiting == 1 else f"{self.waiting} model answers open"
        return f"{subject} after you have written your own into the cell above. Save the notebook, and run this cell again."


def answers_of_notebook(
    cells: list[dict[str, Any]], exercises: list[str | None], notebook: str
) -> Iterator[ModelAnswer]:
    """Yield the model answers of a notebook: each ``solution`` in Markdown with the ``answer`` cell above it.

    Parameters
    ----------
    cells : list of dict
        The cells of a notebook with solutions.
    exercises : list of str or None
        The exercise of each cell.
    notebook : str
        The path of the notebook in the lab.
    """
    asked: dict[str, Any] | None = None
    for cell, exercise in zip(cells, exercises, strict=True):
        tags = cell.get("metadata", {}).get("tags", [])
        if cell["cell_type"] != "markdown":
            continue
        if "answer" in tags:
            asked = cell
        elif "solution" in tags and asked is not None and exercise:
            text = FOR_AUTHORS.sub("", _cell_text(cell)).strip()
            yield ModelAnswer(exercise, notebook, str(asked.get("id", "")), _cell_text(asked), text)
            asked = None


def encode_answers(answers: Collection[ModelAnswer]) -> bytes:
    """Return the content of a student's ``model_answers.json``.

    Examples
    --------
    >>> answer = ModelAnswer("1.4", "notebooks/2.ipynb", "a", "Why?", "It has to.")
    >>> b"It has to" in encode_answers([answer]), decode_answers(encode_answers([answer])) == (answer,)
    (False, True)
    """
    rows = [{**vars(answer), "text": base64.b64encode(answer.text.encode()).decode()} for answer in answers]
    return (json.dumps({"answers": rows}, indent=1, ensure_ascii=False) + "\n").encode()


def decode_answers(content: bytes) -> tuple[ModelAnswer, ...]:
    """Return the model answers in the content of a file that `encode_answers` has written.

    Raises
    ------
    InputError
        If the content is not such a file.
    """
    try:
        rows = json.loads(content)["answers"]
        return tuple(ModelAnswer(**{**row, "text": base64.b64decode(row["text"]).decode()}) for row in rows)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{FILE} is not as it was given out ({error}); `lxmls-day1 update` brings it back.") from error


def unlocked_answers(folder: Path, exercise: str, notebook_answers: Collection[ModelAnswer] = ()) -> UnlockedAnswers:
    """Return the model answers to an exercise that may be read in a lab folder.

    Parameters
    ----------
    folder : Path
        A workspace, for which only answers to questions answered in the notebook on disk are returned; or a lab with solutions.
    exercise : str
    notebook_answers : collection of ModelAnswer
        The model answers in the lab's own notebooks, as for an exercise that came with its solution. All of them are returned.

    Raises
    ------
    InputError
        If the exercise does not exist, or has no model answer for students.
    """
    described = Registry.from_folder(folder).named(exercise)
    exercise = described.id
    known = written = [answer for answer in notebook_answers if answer.exercise == exercise]
    path = folder / FILE
    if path.is_file() and not known:
        cells = read_cells(folder / described.notebook)
        known = [answer for answer in decode_answers(path.read_bytes()) if answer.exercise == exercise]
        written = [answer for answer in known if _is_answered(answer, cells)]
    if not known:
        raise InputError(
            f'there is no model answer to exercise {exercise}; lab.check("{exercise}") tells whether yours is right.'
        )
    return UnlockedAnswers(str(described), tuple(written), len(known) - len(written))


def _is_answered(answer: ModelAnswer, cells: list[dict[str, Any]]) -> bool:
    """Return True if the student's cell contains more than the question."""
    theirs = [_cell_text(cell) for cell in cells if cell.get("id") == answer.cell]
    return any(text.split() and text.split() != answer.question.split() for text in theirs)


def read_cells(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook; raise an `InputError` if the file is not a notebook."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path.name} cannot be read as a notebook: {error}; save it once more.") from error
    return [cell for cell in cells if isinstance(cell, dict) and isinstance(cell.get("cell_type"), str)]


def _cell_text(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(map(str, source))
