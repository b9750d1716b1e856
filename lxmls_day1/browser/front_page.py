"""The first page of the site: the exercises with ticks, the core before the others, each with a link to its notebook."""

import html
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote

from lxmls_day1.base.errors import pluralize
from lxmls_day1.course.registry import Exercise, Registry

PAGE = Path(__file__).with_name("front_page.html")


def front_page(registry: Registry, ids: Collection[str]) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    registry : Registry
    ids : collection of str
        The exercises to be solved on the site.
    """
    exercises = [exercise for exercise in registry if exercise.id in ids]
    core, further = ([e for e in exercises if e.is_core is is_core] for is_core in (True, False))
    first = (core or further or list(registry))[0]
    parts = [_part(title, part) for title, part in (("Core", core), ("Further", further)) if part]
    page = PAGE.read_text(encoding="utf-8")
    return page.replace("{address}", _address(first.notebook)).replace("{parts}", "\n".join(parts))


def _part(title: str, exercises: list[Exercise]) -> str:
    summary = f"{pluralize(len(exercises), 'exercise')}, {sum(e.points for e in exercises):g} points"
    return "\n".join([f"<h2>{title}</h2>", f"<p>{summary}</p>", "<ol>", *map(_row, exercises), "</ol>"])


def _row(exercise: Exercise) -> str:
    name = html.escape(f"{exercise.id} {exercise.title}")
    minutes = f", about {exercise.minutes} minutes" if exercise.minutes else ""
    about = f"{exercise.points:g} points{minutes}"
    return f'<li data-exercise="{exercise.id}"><a href="{_address(exercise.notebook)}">{name}</a> <span>{about}</span></li>'


def _address(notebook: str) -> str:
    return html.escape(f"lab/index.html?path={quote(notebook)}")
