"""Reports on a terminal: coloured where it has colours, in plain characters where it has no others."""

import sys
from collections.abc import Iterable

import click

from lxmls_day1.exercises.report_text import PLAIN_SYMBOLS, Line

STYLES = {
    "": {},
    "title": {"bold": True},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "known": {"fg": "yellow"},
    "quiet": {"dim": True},
}


def echo_lines(lines: Iterable[Line]) -> None:
    """Print lines in their styles; click leaves the colours out where the output is no terminal."""
    plain = not can_show("✓█")
    for style, text in lines:
        click.secho(text.translate(PLAIN_SYMBOLS) if plain else text, **STYLES[style])


def can_show(text: str) -> bool:
    """Whether standard output has these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
