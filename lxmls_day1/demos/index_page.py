"""The page that lists the demonstrations, each with a picture and a line: of a server, and of an export."""

import base64
import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lxmls_day1.demos.theme import DARK, LIGHT, Look

THUMBNAILS = Path(__file__).with_name("thumbnails")  # made by lxmls_day1.demos.thumbnails


class Entry(NamedTuple):
    """One demonstration on the page."""

    title: str
    summary: str
    address: str
    """What a click on it opens."""
    picture: str
    """The address of its picture; empty if it has none."""
    picture_in_the_dark: str = ""
    """The one on a dark ground, if it is another."""
    links: Sequence[tuple[str, str]] = ()
    """Further addresses, with what they are called."""


def thumbnail(name: str, dark: bool) -> str:
    """The small picture of a demonstration, as an address that holds all of it; empty if there is none.

    Examples
    --------
    >>> thumbnail("mira_step", dark=False)[:22], thumbnail("my_own", dark=False)
    ('data:image/png;base64,', '')
    """
    path = THUMBNAILS / f"{name}{'_dark' * dark}.png"
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}" if path.is_file() else ""


def index_page(entries: Iterable[Entry], dark: bool | None, last_line: str = "") -> str:
    """The page, in HTML.

    Parameters
    ----------
    entries : iterable of Entry
    dark : bool or None
        Light on dark; None: as the browser likes it.
    last_line : str
        Plain text under the list.
    """
    ground = DARK if dark else LIGHT
    style = f":root {{ {_colours(ground)} }}"
    if dark is None:
        style += f" @media (prefers-color-scheme: dark) {{ :root {{ {_colours(DARK)} }} }}"
    style += _STYLE
    last_line = f"<p>{html.escape(last_line)}</p>\n" if last_line else ""
    sections = "\n".join(_section(entry, dark) for entry in entries)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>Demonstrations</title><link rel="icon" href="data:,"><style>{style}</style></head>\n'
        f"<body><h1>Demonstrations</h1>\n<main>\n{sections}\n</main>\n{last_line}</body></html>\n"
    )


def _section(entry: Entry, dark: bool | None) -> str:
    title, summary, address = map(html.escape, (entry.title, entry.summary, entry.address))
    source = entry.picture_in_the_dark if dark and entry.picture_in_the_dark else entry.picture
    picture = f'<img src="{source}" alt="">' if source else ""
    if dark is None and entry.picture_in_the_dark:
        other = f'<source srcset="{entry.picture_in_the_dark}" media="(prefers-color-scheme: dark)">'
        picture = f"<picture>{other}{picture}</picture>"
    links = " ".join(f'<a href="{html.escape(where)}">{html.escape(name)}</a>' for name, where in entry.links)
    return f'<section><h2><a href="{address}">{picture}{title}</a></h2><p>{summary}</p>{links and f"<p>{links}</p>"}</section>'


def _colours(look: Look) -> str:
    return f"--ground: {look.background}; --panel: {look.panel}; --ink: {look.foreground}; --accent: {look.accent};"


_STYLE = """
body { background: var(--ground); color: var(--ink); font: max(16px, 1.1vw) system-ui, sans-serif; margin: 0.8em 2em; }
h1 { font-size: 1.6em; margin: 0.3em 0; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17em), 1fr)); gap: 1em; }
section { background: var(--panel); padding: 0.6em 0.8em; border-radius: 10px; }
section:focus-within, section:hover { outline: 2px solid var(--accent); }
img { display: block; width: 100%; border-radius: 6px; margin-bottom: 0.4em; }
h2 { font-size: 1.1em; margin: 0; }
p { margin: 0.3em 0; }
a { color: var(--accent); margin-right: 0.8em; }
h2 a { text-decoration: none; display: block; margin: 0; }
"""
