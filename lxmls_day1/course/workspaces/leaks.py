"""Search for lines of solutions in files for students. A bundle that contains one is not released."""

import io
import json
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.course.markers import cell_source, find_solutions
from lxmls_day1.course.workspaces.generation import Files, exercises_of_cells, reference_files
from lxmls_day1.course.workspaces.model_answers import FILE as MODEL_ANSWERS
from lxmls_day1.course.workspaces.model_answers import decode_answers
from lxmls_day1.lab import PACKAGES

NO_EXERCISE = ""  # the exercise of a cell tagged ``solution`` that is not below the heading of an exercise
MIN_LINE_CHARS = 10  # minimum length, without spaces, of a line that can reveal a solution


def solution_lines(reference: Path, assigned: Collection[str], code_only: bool = False) -> dict[str, str]:
    """Return the lines that would reveal a solution: from the line without spaces to its location.

    Lines that are too short are left out. So are lines that also occur outside solutions, in ``readers/``, ``classifiers/`` or a notebook,
    because students may read them there. With ``code_only`` the lines of model answers are left out, too.
    """
    inside: dict[str, str] = {}
    outside: list[str] = []
    for name, content in reference_files(reference).items():
        a_script = name.suffix == ".py" and name.parts[0] in PACKAGES
        if not (a_script or name.suffix == ".ipynb"):
            continue
        sources = [(content.decode(), None)] if a_script else cell_sources(json.loads(content))
        for source, whole_cell_of in sources:
            lines = source.split("\n")
            regions = [s for s in find_solutions(source, str(name)) if s.exercise in assigned] if a_script else []
            solved = {n for region in regions for n in range(region.first, region.last - 1)}
            if code_only and whole_cell_of is not None:
                continue  # a model answer
            if whole_cell_of == NO_EXERCISE or whole_cell_of in assigned:
                solved = set(range(len(lines)))
            for n, line in enumerate(lines):
                text = "".join(line.split())
                if n not in solved:
                    outside.append(text)
                elif len(text) >= MIN_LINE_CHARS and not text.startswith("#"):
                    inside.setdefault(text, f"{name}: {line.strip()}")
    elsewhere = "\n".join(outside)
    return {text: where for text, where in inside.items() if text not in elsewhere}


def find_solution_leaks(files: Mapping[PurePosixPath, bytes], lines: Mapping[str, str], prefix: str = "") -> list[str]:
    """Return the locations of lines of solutions in files, archives and wheels included.

    Parameters
    ----------
    files : mapping from path to bytes
    lines : mapping
        The result of `solution_lines`.

    Returns
    -------
    list of str
        The beginnings of sentences, such as ``FILE, with a line of classifiers/mira.py: tau = …,``.
    """
    found = []
    for name, content in files.items():
        where = f"{prefix}{name}"
        if PurePosixPath(name).suffix in (".whl", ".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                inner: Files = {PurePosixPath(entry): archive.read(entry) for entry in archive.namelist()}
            found += find_solution_leaks(inner, lines, f"{where}/")
            continue
        text = content.decode("utf-8", errors="ignore")
        if PurePosixPath(name).suffix in (".ipynb", ".json"):
            text = "\n".join(_strings_in(json.loads(text)))
        text = "".join(text.split())
        found += [f"{where}, with a line of {place}," for line, place in lines.items() if line in text]
    return found


def find_code_leaks(files: Files, reference: Path, assigned: Collection[str]) -> list[str]:
    """Return the locations of lines of code solutions in the students' model answers.

    `find_solution_leaks` cannot read these in their encoding.
    """
    texts: Files = {
        name.with_suffix(".md"): "\n".join(answer.text for answer in decode_answers(content)).encode()
        for name, content in files.items()
        if name.name == MODEL_ANSWERS.name
    }
    return find_solution_leaks(texts, solution_lines(reference, assigned, code_only=True)) if texts else []


def _strings_in(content: object) -> Iterator[str]:
    """Yield all strings in a JSON value; a list of strings is joined, because it holds the lines of one text."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for key, value in content.items():
            yield str(key)
            yield from _strings_in(value)
    elif isinstance(content, list):
        if all(isinstance(part, str) for part in content):
            yield "".join(content)
        else:
            for part in content:
                yield from _strings_in(part)


def cell_sources(notebook: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield for each cell its text, and the exercise that it answers if it is tagged ``solution``."""
    for cell, id in zip(notebook["cells"], exercises_of_cells(notebook), strict=True):
        is_solution = "solution" in cell.get("metadata", {}).get("tags", [])
        yield cell_source(cell), (id or NO_EXERCISE) if is_solution else None
