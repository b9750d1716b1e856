"""Reports on a terminal, with colours and special characters if the terminal has them."""

import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from lxmls_day1.course.reports.report_text import PLAIN_SYMBOLS, WIDTH, Line, status_lines, workspace_lines, wrap_line
from lxmls_day1.course.workspaces.progress import Status
from lxmls_day1.course.workspaces.workspace import workspace_of
from lxmls_day1.lab import Lab

STYLES: dict[str, dict[str, Any]] = {
    "": {},
    "title": {"bold": True},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "known": {"fg": "yellow"},
    "quiet": {"dim": True},
}
MIN_COLUMNS = 20  # columns; the minimum for readable lines
_ROW = re.compile(r" {4,}\S+(?: \S+)*  +(?P<value>\S)")  # a row in a table of names and values
_SPECIAL_CHARACTERS = "✓█λ"  # if the output lacks one of these characters, plain characters replace them


def echo_lines(lines: Iterable[Line]) -> None:
    """Print lines in their styles, and wrap lines that are longer than the terminal is wide.

    If the output is not a terminal, lines are not wrapped, and click omits the colours.
    """
    width = terminal_columns()
    for style, text in lines if can_show(_SPECIAL_CHARACTERS) else _in_plain_characters(lines):
        for piece in [text] if width is None else wrap_line(text, width):
            click.secho(piece, **STYLES[style])


def _in_plain_characters(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines in characters that every output has. Tables of names and values get new columns, because a name may be longer now."""
    for column, rows in groupby(lines, key=lambda line: (match := _ROW.match(line[1])) and match.start("value")):
        if column is None:
            yield from ((style, _in_plain(text)) for style, text in rows)
            continue
        cells = [(style, _in_plain(text[:column].rstrip()), _in_plain(text[column:])) for style, text in rows]
        width = max(len(name) for _, name, _ in cells)
        yield from ((style, f"{name:<{width}}  {value}") for style, name, value in cells)


def in_this_encoding(text: str) -> str:
    """Return a text in characters that standard output has."""
    return text if can_show(_SPECIAL_CHARACTERS) else _in_plain(text)


def _in_plain(text: str) -> str:
    return text.translate(PLAIN_SYMBOLS)


def terminal_columns() -> int | None:
    """Return the width of the terminal in columns; None if the output is not a terminal."""
    return max(MIN_COLUMNS, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def fit_to_width(text: str, width: int) -> str:
    """Return a text as one line of ``width`` columns on standard error: cut with three dots, or padded with spaces.

    Examples
    --------
    >>> fit_to_width("a rule", 10), fit_to_width("a long rule", 10), fit_to_width("規則と重み", 8)
    ('a rule    ', 'a long ...', '規則... ')
    """
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    text = " ".join(text.split()).encode(encoding, "replace").decode(encoding, "replace")
    if sum(map(_character_columns, text)) > width:
        while text and sum(map(_character_columns, text)) > max(0, width - 3):
            text = text[:-1]
        text += "..."[: max(0, width)]
    return text + " " * (width - sum(map(_character_columns, text)))


def _character_columns(character: str) -> int:
    """Return the number of columns that a character takes in a terminal."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def echo_status(status: Status) -> None:
    """Print the status of the exercises in a workspace."""
    echo_lines(status_lines(status, terminal_columns() or WIDTH, in_this_encoding))


def find_workspace(lab_path: str | None, command: str) -> Path:
    """Return the lab folder that a student's command works on, and print it as the first line.

    Parameters
    ----------
    lab_path : str or None
        The value of --lab.
    command : str

    Raises
    ------
    InputError
        If --lab is not given and the current folder is not in a workspace.
    """
    lab = Lab(lab_path) if lab_path else Lab.open()
    folder = workspace_of(lab, command)
    echo_lines(workspace_lines(folder))
    return folder


def can_show(text: str) -> bool:
    """Return True if standard output can show these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
