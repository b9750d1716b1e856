"""Reports on a terminal: coloured where it has colours, in plain characters where it has no others."""

import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from lxmls_day1.course.reports.report_text import PLAIN_SYMBOLS, WIDTH, Line, broken, status_lines, workspace_lines
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
NARROWEST = 20  # columns; on fewer nothing is readable
_ROW = re.compile(r" {4,}\S+(?: \S+)*  +(?P<value>\S)")  # of a table of names and values
_WANTED = "✓█λ"  # what an output must have; on others, plain characters take their places


def echo_lines(lines: Iterable[Line]) -> None:
    """Print lines in their styles, those longer than the terminal is wide in pieces.

    Where the output is no terminal, lines stay whole, and click leaves the colours out.
    """
    width = columns()
    for style, text in lines if can_show(_WANTED) else _in_plain_characters(lines):
        for piece in [text] if width is None else broken(text, width):
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
    return text if can_show(_WANTED) else _in_plain(text)


def _in_plain(text: str) -> str:
    return text.translate(PLAIN_SYMBOLS)


def columns() -> int | None:
    """How many columns the terminal has; None where the output is none."""
    return max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def fitted(text: str, width: int) -> str:
    """Return a text in one line that takes so many columns on standard error: cut with three dots, or padded with spaces.

    Examples
    --------
    >>> fitted("a rule", 10), fitted("a long rule", 10), fitted("規則と重み", 8)
    ('a rule    ', 'a long ...', '規則... ')
    """
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    text = " ".join(text.split()).encode(encoding, "replace").decode(encoding, "replace")
    if sum(map(_columns_of, text)) > width:
        while text and sum(map(_columns_of, text)) > max(0, width - 3):
            text = text[:-1]
        text += "..."[: max(0, width)]
    return text + " " * (width - sum(map(_columns_of, text)))


def _columns_of(character: str) -> int:
    """Return how many columns of a terminal a character takes."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def echo_status(status: Status) -> None:
    """Print where the exercises of a workspace stand."""
    echo_lines(status_lines(status, columns() or WIDTH, in_this_encoding))


def find_workspace(named: str | None, command: str) -> Path:
    """The lab folder that a student's command works on; it is the first line of what the command prints.

    Parameters
    ----------
    named : str or None
        What --lab names.
    command : str

    Raises
    ------
    InputError
        If nothing is named and no workspace is here.
    """
    lab = Lab(named) if named else Lab.open()
    folder = workspace_of(lab, command)
    echo_lines(workspace_lines(folder))
    return folder


def can_show(text: str) -> bool:
    """Whether standard output has these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
