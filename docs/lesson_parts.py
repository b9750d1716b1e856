"""Long notebooks as several pages of the book: the first part keeps the notebook's address, the others are in ``docs/lessons``.

A notebook is split where a section begins, or where a subsection begins if a section is too long for a page; an exercise stays with
the section before it. The first part lists the contents of the others, so that links to a place in them still work (``book.js``).
"""

import base64
import copy
import json
import re
import struct
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils.nodes import make_id

MAX_PART_PIXELS = 11_500  # approximate maximum height of a part, in pixels
_HEADING = re.compile(r"^(#{1,3}) (.*)$", re.MULTILINE)
_LINK = re.compile(r"\]\((?![a-z]+:|#)")  # a link to a file
Cells = list[dict[str, Any]]


def parts(root: Path, exercise_pages: set[str]) -> dict[str, dict[str, Any]]:
    """Return the pages of all notebooks: page name -> the notebook that it shows.

    Parameters
    ----------
    root : Path
        A checkout.
    exercise_pages : set of str
        Exercises with their own page; the lessons link to it.
    """
    pages = {}
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = list(_cut_at_headings(notebook["cells"]))
        for cell in cells:
            if (found := re.match(r"## Exercise ([\w.]+):", _text(cell))) and found[1] in exercise_pages:
                heading, _, text = _text(cell).partition("\n")
                link = f"[Solve this exercise in the browser](../docs/exercises/{found[1]}.md)"
                cell["source"] = f"{heading}\n\n{link}\n\n{text}"
        pieces = _parts(cells)
        names = [f"notebooks/{path.stem}", *(f"docs/lessons/{path.stem}-{n}" for n in range(2, len(pieces) + 1))]
        number = _title(pieces[0]).partition(" ")[0]
        for piece in pieces[1:]:
            for cell in [cell for cell in _groups(piece, "## ")[0] if _text(cell).startswith("###")]:
                cell["source"] = _text(cell)[1:]
            piece[0]["source"] = f"# {number} · " + _text(piece[0]).lstrip("# ")
            for cell in filter(_is_text, piece):
                cell["source"] = _LINK.sub("](../../notebooks/", _text(cell))
        if len(pieces) > 1:
            contents = {"cell_type": "markdown", "id": "parts", "metadata": {}, "source": _contents(names, pieces)}
            pieces[0].insert(1, contents)
        pages |= {name: {**notebook, "cells": piece} for name, piece in zip(names, pieces, strict=True)}
    return pages


def _contents(names: list[str], pieces: list[Cells]) -> str:
    """Return the list of the other parts and the entries of the side bar."""
    rows = []
    for name, piece in zip(names[1:], pieces[1:], strict=True):
        headings = [found for cell in filter(_is_text, piece) for found in _headings(_text(cell))]
        links = [
            f'<a href="../{name}.html#{make_id(title)}"{" hidden" * (level > 2)}>{escape(title)}</a>'
            for level, title in headings
        ]
        rows.append(f"<li>{' '.join(links)}</li>")
    listed = "\n".join(f"../{name}" for name in names[1:])
    return (
        f'```{{raw}} html\n<nav class="parts" aria-label="The parts of this lesson"><p>This page is the first of {len(names)} parts. '
        f'The others:</p><ol start="2">{"".join(rows)}</ol></nav>\n```\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```'
    )


def _parts(cells: Cells) -> list[Cells]:
    """Group sections into parts up to the maximum height. The first optional section starts a new part."""
    found: list[Cells] = [[]]
    for section in _sections(cells):
        begins_anew = _text(section[0]).startswith("## Further")
        for piece in [section] if _height(section) <= MAX_PART_PIXELS else _groups(section, "### "):
            if begins_anew or _height(found[-1]) + _height(piece) > MAX_PART_PIXELS:
                found.append([])
            found[-1] += piece
            begins_anew = False
    return [part for part in found if part]


def _sections(cells: Cells) -> list[Cells]:
    sections: list[Cells] = []
    for group in _groups(cells, "## "):
        title = _text(group[0])
        has_exercise = sections and any(_text(cell).startswith("## Exercise") for cell in sections[-1])
        if sections and (
            title.startswith(("## Open", "## What to take")) or (title.startswith("## Exercise") and not has_exercise)
        ):
            sections[-1] += group
        else:
            sections.append(group)
    return sections


def _groups(cells: Cells, heading: str) -> list[Cells]:
    groups: list[Cells] = []
    for cell in cells:
        if not groups or (_is_text(cell) and _text(cell).startswith(heading)):
            groups.append([])
        groups[-1].append(cell)
    return groups


def _cut_at_headings(cells: Cells) -> Iterator[dict[str, Any]]:
    """Yield the cells; a cell with headings inside is split there."""
    for cell in cells:
        for n, text in enumerate(
            re.split(r"^(?=##)", _text(cell), flags=re.MULTILINE) if _is_text(cell) else [_text(cell)]
        ):
            if text.strip():
                yield {**copy.deepcopy(cell), "source": text, "id": f"{cell['id']}-{n}" if n else cell["id"]}


def _headings(text: str) -> Iterator[tuple[int, str]]:
    outside = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return ((len(marks), re.sub(r"[$`*]", "", title)) for marks, title in _HEADING.findall(outside))


def _height(cells: Cells) -> float:
    """Estimate the height of cells in the book, in pixels."""
    total = 0.0
    for cell in cells:
        lines = sum(1 + len(line) // 95 for line in _text(cell).split("\n") if line)
        total += 16 + (27 if _is_text(cell) else 18) * lines
        total += 750 * _text(cell).count('`lab.demo("')  # A demonstration follows this paragraph.
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/png" in data:
                width, height = struct.unpack(">II", base64.b64decode(data["image/png"][:48])[16:24])
                total += height * min(1.0, 650 / width)
            else:
                shown = "".join(data.get("text/plain", output.get("text", "")))
                total += 16 + 18 * (shown.count("\n") + 1)
    return total


def _title(cells: Cells) -> str:
    return _text(cells[0]).lstrip("# ").partition("\n")[0]


def _is_text(cell: dict[str, Any]) -> bool:
    return bool(cell["cell_type"] == "markdown")


def _text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])
