"""The free-text answers in a student's notebooks, for manual marking.

The starter notebooks mark each place for an answer: a markdown cell with the tag ``answer`` in the section of an exercise. Text
below a cell with the tag ``predict``, which asks for a prediction, does not count as an answer. A student's text is found by the id
of its cell, at any position. Text in cells that the student added belongs to the exercise of the heading above it. Students may
have deleted, duplicated or moved cells, or changed their type.
"""

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxmls_day1.base.errors import pluralize
from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.course.workspaces.generation import Files, answers_in_notebooks, exercises_of_cells
from lxmls_day1.grading.gradebook import FreeAnswer
from lxmls_day1.grading.intake.pasted_pictures import MAX_PICTURE_BYTES, pasted_pictures, without_pictures

MAX_ANSWER_CHARS = 20_000
MAX_CELL_CHARS = 1_000_000
MAX_PICTURES = 4  # in all answers of a notebook
MAX_BRACKETS = 500_000  # brackets in the file, because a parsed list takes 40 times as many bytes as its text
PROMPT = re.compile(r"[ \t]*\*Your\s+[a-z]+:\*")
NO_CHARACTER = re.compile(r"[\ud800-\udfff\x00]")


@dataclass
class _Question:
    """A place in a notebook that asks for an answer."""

    exercise: str
    notebook: str
    id: str
    starter_text: str
    question: str
    is_prediction: bool = False
    texts: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Cell:
    kind: str
    id: str
    source: str
    exercise: str | None
    answer_tag: str  # "answer", "predict" or empty
    pictures: tuple[str, ...]


def free_answers(files: Files, registry: Registry, given: Files) -> tuple[tuple[FreeAnswer, ...], tuple[str, ...]]:
    """Collect the free-text answers of a submission.

    Parameters
    ----------
    files : dict from path to content
        The files of the submission.
    registry : Registry
        The exercises. Answers are collected for the assigned ones.
    given : dict from path to content
        The starter files: `student_files` of the reference lab.

    Returns
    -------
    answers : tuple of FreeAnswer
        One for each question, in the order of the notebooks, with an empty text for an unanswered question.
    warnings : tuple of str
        Sentences about unreadable notebooks and about answers that are too long.

    Examples
    --------
    >>> from pathlib import PurePosixPath
    >>> from lxmls_day1.course.registry import parse_registry
    >>> exercise = {"id": "1.1", "title": "Variance", "kind": "experiment", "points": 1, "notebook": "notebooks/1.ipynb",
    ...             "task": "Vary it.", "hints": ["a", "b", "c"]}
    >>> registry = parse_registry({"exercise": [exercise]}, "doctest")
    >>> def notebook(text):
    ...     cell = {"cell_type": "markdown", "id": "a", "metadata": {"tags": ["answer"]}, "source": text}
    ...     heading = {"cell_type": "markdown", "id": "h", "metadata": {}, "source": "## Exercise 1.1: variance"}
    ...     return {PurePosixPath("notebooks/1.ipynb"): json.dumps({"cells": [heading, cell]}).encode()}
    >>> starter_text = notebook("**What do you observe?** *Your answer:*")
    >>> answers, _ = free_answers(notebook("**What do you observe?** *Your answer:* The error rises."), registry, starter_text)
    >>> answers[0].asked, answers[0].text
    ('What do you observe?', 'The error rises.')
    """
    answers: list[FreeAnswer] = []
    warnings: list[str] = []
    missing = []
    for path in sorted(path for path in given if path.parts[0] == "notebooks" and path.suffix == ".ipynb"):
        known = _starter_cells(given[path])
        places = _questions(known, str(path), registry)
        questions = [one for one in places if one.exercise in registry.assigned and not one.is_prediction]
        if not questions:
            continue
        if path not in files:
            missing.append(path.name)
        else:
            try:
                theirs = list(_cells(parse_notebook(files[path])))
            except (ValueError, RecursionError) as error:
                warnings.append(
                    f"{path} is not a notebook ({_parse_error_message(error)}); its answers were not collected."
                )
            else:
                warnings += _match_to_questions(places, known, theirs, str(path))
                warnings += _limit_pictures(questions, str(path))
        for question in questions:
            text, cut = _join_texts(question.texts)
            if cut:
                warnings.append(f"{path}: the answer to exercise {question.exercise} is very long and was cut off.")
            asked = question.exercise, question.notebook, question.question
            answers.append(FreeAnswer(*asked, text, tuple(question.pictures)))
    if missing:
        warnings.append(f"Notebooks not handed in: {', '.join(missing)}.")
    return tuple(answers), tuple(warnings)


def model_answers(reference: Path) -> dict[tuple[str, str, str], str]:
    """Return the model answers of a lab with solutions, for manual marking: (exercise, notebook, question) -> markdown.

    The question is the field ``asked`` of the answers from `free_answers`.
    """
    registry = Registry.read(reference / FILE)
    found = {}
    for answer in answers_in_notebooks(reference):
        if answer.exercise in registry:
            asked = _question_text(answer.question) or registry[answer.exercise].title
            found[answer.exercise, answer.notebook, asked] = answer.text
    return found


def _questions(known: Sequence[_Cell], notebook: str, registry: Registry) -> list[_Question]:
    """Return the questions of all exercises, so that text below an unassigned question is not reported as stray."""
    found: list[_Question] = []
    below = ""  # the exercise of the nearest cell below that belongs to an exercise
    for cell in reversed(known):
        below = cell.exercise or below
        exercise = below if cell.answer_tag == "predict" else cell.exercise
        if cell.answer_tag and exercise and exercise in registry:
            asked = _question_text(cell.source) or registry[exercise].title
            found.append(_Question(exercise, notebook, cell.id, cell.source, asked, cell.answer_tag == "predict"))
    return found[::-1]


@functools.lru_cache(maxsize=256)
def _question_text(source: str) -> str:
    """Return the question without its answer prompt; it may be empty.

    Examples
    --------
    >>> _question_text("**Why?** *Your answer:*")
    'Why?'
    """
    return re.sub(r"^\*\*(.+?)\*\*", r"\1", PROMPT.sub("", source).strip()).strip()


def _match_to_questions(
    questions: list[_Question], starter_cells: tuple[_Cell, ...], student_cells: Sequence[_Cell], notebook: str
) -> list[str]:
    """Assign the student's texts to the questions, and return the resulting warnings."""
    by_id = {question.id: question for question in questions if question.id}
    given_by_id = {cell.id: cell for cell in starter_cells if cell.id}
    given_texts = _normalized_texts(starter_cells)
    latest: dict[str, _Question] = {}  # exercise -> the last question above the current cell
    right_above: _Question | None = None
    strays = 0
    for cell in student_cells:
        predicted, right_above = right_above, None
        starter = given_by_id.get(cell.id)
        question = by_id.get(cell.id) or (None if starter else _question_in(cell, questions))
        if question is not None:
            if question.is_prediction:
                right_above = question
            else:
                latest[question.exercise] = question
            text = _answer_in(cell.source, question.starter_text)
        elif starter and starter.source == cell.source:
            continue  # an unchanged cell
        elif _normalize_spaces(cell.source) in given_texts:
            for asked in questions:  # an unanswered cell that lost its id
                is_same = _normalize_spaces(asked.starter_text) == _normalize_spaces(cell.source)
                if is_same and asked.exercise == cell.exercise:
                    latest[asked.exercise] = asked
            continue
        elif cell.kind != "markdown" or (starter and starter.kind == "code"):
            continue  # no text, or a cell for the student's code
        elif starter:
            text = _added_lines(cell.source, starter.source)
            question = _question_for(cell, questions, latest)
        else:  # a new cell; directly below a cell for a prediction it is the prediction
            question = predicted or _question_for(cell, questions, latest)
            text = _answer_in(cell.source, question.starter_text) if question else cell.source.strip()
        if question is not None and text:
            question.texts.append(text)
            question.pictures += [
                picture for picture in cell.pictures if picture not in question.pictures or not picture
            ]
        elif text:
            strays += 1
    if strays:
        are = "text cells of their own stand" if strays > 1 else "text cell of their own stands"
        return [f"{notebook}: {strays} {are} under no exercise that asks for a text."]
    return []


def _limit_pictures(questions: list[_Question], notebook: str) -> list[str]:
    """Limit the pictures of each question to those that can be displayed, and return the resulting warning."""
    pasted = [picture for question in questions for picture in question.pictures]
    kept = 0
    for question in questions:
        question.pictures = list(filter(None, question.pictures))[: MAX_PICTURES - kept]
        kept += len(question.pictures)
    if kept == len(pasted):
        return []
    kinds = f"PNG and JPEG of up to {MAX_PICTURE_BYTES // 1000} kB are, {MAX_PICTURES} of a notebook"
    return [f"{notebook}: {pluralize(len(pasted) - kept, 'picture')} in your answers cannot be shown; {kinds}."]


def _question_for(cell: _Cell, questions: list[_Question], latest: Mapping[str, _Question]) -> _Question | None:
    """Return the question above a cell in the section of its exercise or, without one, the first question of the exercise."""
    if cell.exercise and cell.exercise in latest:
        return latest[cell.exercise]
    answers = (question for question in questions if not question.is_prediction)
    return next((question for question in answers if question.exercise == cell.exercise), None)


def _question_in(cell: _Cell, questions: list[_Question]) -> _Question | None:
    """Return the question at the beginning of a cell that lost its id; prefer the cell's exercise if the wording is not unique."""
    if cell.kind != "markdown":
        return None
    begun = ((question, _up_to_the_prompt(question.starter_text)) for question in questions)
    asked = [question for question, text in begun if text and cell.source.startswith(text)]
    return next((question for question in asked if question.exercise == cell.exercise), asked[0] if asked else None)


@functools.lru_cache(maxsize=256)  # called with the same questions for each submission
def _up_to_the_prompt(given: str) -> str:
    """Return a question up to its answer prompt, or an empty string without a prompt or without text before it."""
    prompt = PROMPT.search(given)
    return given[: prompt.end()] if prompt and given[: prompt.start()].strip() else ""


def _answer_in(source: str, given: str) -> str:
    """Return the text that a student wrote into an answer cell, without the question if the cell still begins with it.

    Examples
    --------
    >>> _answer_in("**Why?** *Your answer:* Because.", "**Why?** *Your answer:*")
    'Because.'
    >>> _answer_in("(1) size grows", "(1) size …")
    '(1) size grows'
    """
    if source == given or _normalize_spaces(source) == _normalize_spaces(given):
        return ""
    source, given = source.strip(), given.strip()
    if source.startswith(given):
        return source[len(given) :].strip()
    if (prompt := PROMPT.search(given)) and source.startswith(given[: prompt.end()]):
        return source[prompt.end() :].strip()
    return source


def _added_lines(source: str, given: str) -> str:
    """Return the lines that are not in the starter cell."""
    before = {_normalize_spaces(line) for line in given.split("\n")}
    return "\n".join(line for line in source.split("\n") if _normalize_spaces(line) not in before).strip()


def _join_texts(texts: list[str]) -> tuple[str, bool]:
    """Return the different texts, joined and without pictures, and True if the result was cut off."""
    text = "\n\n".join(dict.fromkeys(texts))
    text = NO_CHARACTER.sub("\ufffd", without_pictures(text))
    if len(text) <= MAX_ANSWER_CHARS:
        return text, False
    return text[:MAX_ANSWER_CHARS].rstrip() + " […]", True


@functools.lru_cache(maxsize=16)
def _starter_cells(content: bytes) -> tuple[_Cell, ...]:
    return tuple(_cells(parse_notebook(content)))


@functools.lru_cache(maxsize=16)
def _normalized_texts(cells: tuple[_Cell, ...]) -> frozenset[str]:
    return frozenset(_normalize_spaces(cell.source) for cell in cells)


def parse_notebook(content: bytes) -> dict[str, Any]:
    """Parse a notebook. Raise ValueError or RecursionError unless it has at least a list of cells."""
    if content.count(b"[") + content.count(b"{") > MAX_BRACKETS:
        raise ValueError("it has too many parts")
    notebook: Any = json.loads(content.decode("utf-8-sig"))
    if isinstance(notebook, dict) and isinstance(notebook.get("cells"), list):
        return notebook
    raise ValueError("it has no list of cells")


def _cells(notebook: dict[str, Any]) -> Iterator[_Cell]:
    """Yield the well-formed cells, each with its exercise."""
    sound = [cell for cell in map(_valid_cell, notebook["cells"]) if cell]
    for cell, exercise in zip(sound, exercises_of_cells({"cells": sound}), strict=True):
        tags = cell["metadata"]["tags"]
        is_text = cell["cell_type"] == "markdown"
        asks = next((tag for tag in ("answer", "predict") if tag in tags and is_text), "")
        pictures = tuple(pasted_pictures(cell["attachments"], cell["source"]) if is_text else ())
        yield _Cell(cell["cell_type"], cell["id"], cell["source"], exercise, asks, pictures)


def _valid_cell(cell: Any) -> dict[str, Any] | None:
    if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
        return None
    source = cell.get("source")
    if isinstance(source, list) and set(map(type, source)) <= {str}:
        source = "".join(source)
    if not isinstance(source, str):
        return None
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    tags = metadata.get("tags")
    tags = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    id = cell.get("id") or metadata.get("id")  # Colab saves the id in the metadata
    return {
        "cell_type": cell["cell_type"],
        "id": id if isinstance(id, str) else "",
        "metadata": {"tags": tags},
        "source": source[:MAX_CELL_CHARS].replace("\r\n", "\n"),
        "attachments": cell.get("attachments"),
    }


def _normalize_spaces(text: str) -> str:
    return " ".join(text.split())


def _parse_error_message(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} in line {error.lineno}"
    return " ".join(str(error).split())[:80]
