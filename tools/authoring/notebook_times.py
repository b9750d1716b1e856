"""The time that the notebooks take a student, estimated from their words, formulas, questions, exercises and cells.

    python -m tools.authoring.notebook_times      write the times into the scripts of the notebooks and the registry, and print the table

The core of a notebook ends at its heading "Further". A notebook without this heading counts as "further". Cells of the core tagged
``evening`` are not part of the afternoon.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.course.workspaces.generation import exercises_of_cells
from lxmls_day1.lab import reference_folder
from tools.authoring.notebook_building import from_source, scripts

WORDS_PER_MINUTE = 130
MINUTES = {"formulas": 1.5, "predictions": 1.5, "questions": 3.0, "exercises": 15.0, "cells": 0.75}
EVENING = "evening"  # tag for cells of the core that are not part of the afternoon
PARTS = ("afternoon", "core", "further")
_FURTHER = re.compile(r"^## Further$", re.MULTILINE)
_FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)
# Comments, and code, whose time is part of the exercise's time.
_NOT_COUNTED = re.compile(r"<!--.*?-->|^```.*?^```$", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


@dataclass
class Workload:
    """The amount of work in a part of a notebook."""

    words: int = 0
    formulas: int = 0  # displayed formulas
    predictions: int = 0
    questions: int = 0
    exercises: int = 0  # exercises with code
    cells: int = 0  # code cells

    def __add__(self, other: "Workload") -> "Workload":
        return Workload(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def minutes(self) -> float:
        """The estimated time in minutes."""
        of_others: float = sum(getattr(self, name) * each for name, each in MINUTES.items())
        return self.words / WORDS_PER_MINUTE + of_others


def workloads(notebook: Any, registry: Registry) -> dict[str, Workload]:
    """Return the workload of each of `PARTS`. Cells of the part "afternoon" count in "core", too.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        It may contain model answers, which students do not get and which are not counted.
    registry : Registry
    """
    found = {part: Workload() for part in PARTS}
    further = not any(_FURTHER.search(cell.source) for cell in notebook.cells)
    begun: set[str] = set()
    for cell, id in zip(notebook.cells, exercises_of_cells(notebook), strict=True):
        further = further or _FURTHER.search(cell.source) is not None
        tags = cell.metadata.get("tags", ())
        load = _cell_workload(cell, tags)
        if id is not None and id in registry and id not in begun:
            begun.add(id)
            load.exercises += registry[id].has_code
        for part in ("further",) if further else ("core",) if EVENING in tags else ("core", "afternoon"):
            found[part] += load
    return found


def minutes_of_exercises(notebook: Any, registry: Registry) -> dict[str, int]:
    """Return the minutes of each exercise, in fives: its own cells, and what is read between it and the exercise before."""
    found: dict[str, Workload] = {}
    read, last, further = Workload(), None, False
    for cell, id in zip(notebook.cells, exercises_of_cells(notebook), strict=True):
        load = _cell_workload(cell, cell.metadata.get("tags", ()))
        further = further or _FURTHER.search(cell.source) is not None
        if id is None or id not in registry or (further and registry[id].is_core):
            read, last = read + load, None
            continue
        if id != last:
            load += Workload(exercises=int(registry[id].has_code and id not in found))
        found[id] = found.get(id, Workload()) + read + load
        read, last = Workload(), id
    return {id: max(5, _rounded(load.minutes)) for id, load in found.items()}


def with_minutes(source: str, minutes: dict[str, int]) -> str:
    """Return the text of a registry with the minutes of each exercise below its points.

    Examples
    --------
    >>> print(with_minutes('id = "1.5"\\npoints = 10\\nminutes = 5\\n', {"1.5": 20}), end="")
    id = "1.5"
    points = 10
    minutes = 20
    """
    lines: list[str] = []
    id = ""
    for line in source.splitlines(keepends=True):
        id = match[1] if (match := re.match(r'id = "(.+)"', line)) else id
        if not re.match(r"minutes = ", line):
            lines.append(line)
        if re.match(r"points = ", line) and id in minutes:
            lines.append(f"minutes = {minutes[id]}\n")
    return "".join(lines)


def _cell_workload(cell: Any, tags: Iterable[str]) -> Workload:
    if cell.cell_type == "code":
        return Workload(cells=1)
    if "solution" in tags:
        return Workload()
    text = _NOT_COUNTED.sub("", cell.source)
    questions = 0
    if "answer" in tags:
        questions = max(1, len(set(re.findall(r"\((\d)\)", text)))) + ("**Transfer" in text)
    prose = re.sub(r"\$[^$]*\$", " ", _FORMULA.sub(" ", text))
    return Workload(len(_WORD.findall(prose)), len(_FORMULA.findall(text)), "predict" in tags, questions)


def time_line(found: dict[str, Workload]) -> str:
    """Return the line about a notebook's time.

    Examples
    --------
    >>> time_line({"afternoon": Workload(words=2600), "core": Workload(words=5200), "further": Workload(words=3900)})
    '**Time.** The core takes about 40 minutes, 20 of them in the afternoon; what is further takes about 30.'
    >>> time_line({"afternoon": Workload(), "core": Workload(), "further": Workload(words=7800)})
    '**Time.** About 60 minutes.'
    """
    afternoon, core, further = (_rounded(found[part].minutes) for part in PARTS)
    if not core:
        return f"**Time.** About {further} minutes."
    return (
        f"**Time.** The core takes about {core} minutes, {afternoon} of them in the afternoon; "
        f"what is further takes about {further}."
    )


def _rounded(minutes: float) -> int:
    return 5 * round(minutes / 5)


def with_time(source: str, registry: Registry) -> str:
    """Return the script of a notebook with a new line about its time instead of the old one."""
    line = time_line(workloads(from_source(source), registry))
    return re.sub(r"^# (?:<!-- times -->|\*\*Time\.\*\* ).*$", f"# {line}", source, count=1, flags=re.MULTILINE)


def table(folder: Path) -> Iterator[str]:
    """Yield a line for each part of each notebook, and the sums."""
    registry = Registry.from_folder(folder)
    names = [field.name for field in fields(Workload)]
    yield f"{'':18}{'':10}" + "".join(f"{name:>13}" for name in names) + f"{'minutes':>13}"
    total = {part: Workload() for part in PARTS}
    rows = []
    for script in scripts(folder / "notebooks"):
        found = workloads(from_source(script.read_text(encoding="utf-8")), registry)
        rows += [(script.stem, part, found[part]) for part in PARTS]
        total = {part: total[part] + found[part] for part in PARTS}
    for name, part, load in [
        *rows,
        *(("all", part, total[part]) for part in PARTS),
        ("all", "all", total["core"] + total["further"]),
    ]:
        yield f"{name:18}{part:10}" + "".join(f"{getattr(load, n):>13}" for n in names) + f"{load.minutes:>13.0f}"


def main() -> None:
    """Write the times into the scripts and the registry, and print the table."""
    folder = reference_folder()
    registry = Registry.from_folder(folder)
    texts = {script: script.read_text(encoding="utf-8") for script in scripts(folder / "notebooks")}
    written = {script: with_time(text, registry).encode() for script, text in texts.items()}
    minutes: dict[str, int] = {}
    for text in texts.values():
        minutes |= minutes_of_exercises(from_source(text), registry)
    exercises = folder / FILE
    written[exercises] = with_minutes(exercises.read_text(encoding="utf-8"), minutes).encode()
    write_files_atomically(written)
    sys.stdout.writelines(f"{line}\n" for line in table(folder))


if __name__ == "__main__":
    main()
