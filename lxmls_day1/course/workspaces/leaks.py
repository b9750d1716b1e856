"""Lines of solutions in files that students get: a bundle is not released with one."""

import io
import json
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.course.markers import cell_source, find_solutions
from lxmls_day1.course.workspaces.generation import Files, exercises_of_cells, reference_files
from lxmls_day1.course.workspaces.model_answers import decoded, is_model_answers
from lxmls_day1.lab import PACKAGES

NO_EXERCISE = ""  # the exercise of a cell tagged ``solution`` that stands below no exercise's heading
MIN_LINE_CHARS = 10  # a shorter line, spaces left out, gives nothing away


def solution_lines(reference: Path, assigned: Collection[str], code_only: bool = False) -> dict[str, str]:
    """The lines that would give a solution away: without spaces -> where they stand.

    Too short ones are left out, and those that stand outside solutions as well, in ``readers/``, ``classifiers/`` or a
    notebook: a student may read them there. With ``code_only`` the lines of model answers are left out too.
    """
    inside: dict[str, str] = {}
    outside: list[str] = []
    for name, content in reference_files(reference).items():
        a_script = name.suffix == ".py" and name.parts[0] in PACKAGES
        if not (a_script or name.suffix == ".ipynb"):
            continue
        sources: list[tuple[str, bool, str | None]] = (
            [(content.decode(), True, None)] if a_script else list(cell_sources(json.loads(content)))
        )
        for source, is_code, whole_cell_of in sources:
            lines = source.split("\n")
            regions = [s for s in find_solutions(source, str(name)) if s.exercise in assigned] if is_code else []
            solved = {n for region in regions for n in range(region.first, region.last - 1)}
            if code_only and not is_code and whole_cell_of is not None:
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


def leaks(files: Mapping[PurePosixPath, bytes], lines: Mapping[str, str], prefix: str = "") -> list[str]:
    """Where lines of solutions stand in files; archives and wheels among them are looked into.

    Parameters
    ----------
    files : mapping from path to bytes
    lines : mapping
        As `solution_lines` gives them.

    Returns
    -------
    list of str
        ``FILE holds a line of classifiers/mira.py: tau = …``, without an end.
    """
    found = []
    for name, content in files.items():
        where = f"{prefix}{name}"
        if PurePosixPath(name).suffix in (".whl", ".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                inner: Files = {PurePosixPath(entry): archive.read(entry) for entry in archive.namelist()}
            found += leaks(inner, lines, f"{where}/")
            continue
        text = content.decode("utf-8", errors="ignore")
        if PurePosixPath(name).suffix in (".ipynb", ".json"):
            text = "\n".join(_texts(json.loads(text)))
        text = "".join(text.split())
        found += [f"{where}, with a line of {place}," for line, place in lines.items() if line in text]
    return found


def leaks_of_code(files: Files, reference: Path, assigned: Collection[str]) -> list[str]:
    """Where lines of code solutions stand in the model answers that students get, which `leaks` cannot read."""
    texts: Files = {
        name.with_suffix(".md"): "\n".join(answer.text for answer in decoded(content)).encode()
        for name, content in files.items()
        if is_model_answers(name)
    }
    return leaks(texts, solution_lines(reference, assigned, code_only=True)) if texts else []


def _texts(content: object) -> Iterator[str]:
    """All texts in a JSON value, lists of lines joined as they stand."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for key, value in content.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(content, list):
        if all(isinstance(part, str) for part in content):
            yield "".join(content)
        else:
            for part in content:
                yield from _texts(part)


def cell_sources(notebook: dict[str, Any]) -> Iterator[tuple[str, bool, str | None]]:
    """For each cell: its text, whether it is code, and the exercise that it solves if it is tagged ``solution``."""
    for cell, id in zip(notebook["cells"], exercises_of_cells(notebook), strict=True):
        is_solution = "solution" in cell.get("metadata", {}).get("tags", [])
        yield cell_source(cell), cell["cell_type"] == "code", (id or NO_EXERCISE) if is_solution else None
