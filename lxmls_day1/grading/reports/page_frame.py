"""The common parts of all pages of a grading run: templates, formats of names, points and times.

The HTML is in the folder ``templates`` (jinja2). The environment cleans (`safe_text.sanitize`) and escapes every string that
a template prints; only `safe_text.html_prose`, `rendered_markdown` and other templates add markup. The pages follow the
reader's choice of light or dark mode. The colours are those of Okabe and Ito, each with a sign and a word.
"""

import functools
import re
from base64 import b64encode
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.installation import how_to_install
from lxmls_day1.grading.gradebook import PUBLIC_SHARE, ExerciseGrade, Gradebook, SubmissionGrade
from lxmls_day1.grading.safe_text import html_prose, one_line, sanitize, truncate_lines
from lxmls_day1.grading.verdicts import VERDICTS

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from lxmls_day1.grading.reports.rendered_markdown import html_of_markdown
except ImportError as error:  # raised on import, before any submission is graded
    raise InputError(
        f"grading needs {error.name or 'jinja2'} for its pages, of an optional extra of this package: {how_to_install('grading')}"
    ) from error

_NOT_IN_ANCHOR = re.compile("[^a-zA-Z0-9]")
TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> str:
    """Return a page made from one of the templates.

    Parameters
    ----------
    template : str
        A file in ``templates``.
    **values
        The values for the template. Strings are cleaned and escaped when they are printed.

    Returns
    -------
    str
        The HTML; the same values always give the same page.

    Examples
    --------
    >>> text = render("page.html.j2", title="<Marks>")
    >>> text.startswith("<!DOCTYPE html>"), "&lt;Marks&gt;" in text
    (True, True)
    """
    return environment().get_template(template).render(values)


class Script(NamedTuple):
    """A script of this package, and its digest, by which the content-security policy of a page allows it."""

    text: Markup
    digest: str


@functools.cache
def class_script() -> Script:
    """Return the script of the class's pages, for search and sorting."""
    text = (TEMPLATES / "class_page.js").read_text(encoding="utf-8")
    return Script(Markup(text), f"sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}")


@functools.cache
def environment() -> Environment:
    """Return the environment of the templates. It compiles each template once per process."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=_sanitize_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    made.filters.update(
        exercise=_exercise_of,
        lines=truncate_lines,
        markdown=_rendered,
        name=name_of,
        one_line=one_line,
        percent=_percent,
        points=points_text,
        prose=_prose,
        quoted=functools.partial(quote, safe=""),
    )
    made.globals.update(VERDICTS=VERDICTS)
    return made


def _sanitize_value(value: Any) -> Any:
    """Clean a string before the template prints it. Markup stays as it is."""
    return sanitize(value) if type(value) is str else value


@functools.lru_cache(maxsize=4096)  # titles and known mistakes are the same on all pages
def _prose(text: str, max_chars: int = 0) -> Markup:
    """Return a sentence of this project as markup, cut to `max_chars` characters (0: not cut); `html_prose` escapes it."""
    return Markup(html_prose(one_line(text, max_chars) if max_chars else text))


def _exercise_of(row: SubmissionGrade, id: str) -> ExerciseGrade | None:
    return next((exercise for exercise in row.exercises if exercise.id == id), None)


def _rendered(text: str) -> Markup:
    """Return a student's Markdown and TeX as markup; see `html_of_markdown`."""
    return Markup(html_of_markdown(text))


def _percent(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.1f}"


def run_details(gradebook: Gradebook) -> list[tuple[str, str]]:
    """Return time, sandbox level, seed, limits and version of a run as pairs of name and value, in plain text."""
    return [
        ("graded", date_text(gradebook.graded)),
        ("sandbox level", " – ".join(filter(None, (one_line(gradebook.level), one_line(gradebook.level_text, 400))))),
        ("hidden checks", f"run with seed {gradebook.seed}" if gradebook.hidden else "not run"),
        ("points", f"of each exercise {PUBLIC_SHARE:.0%} for its public checks and the rest for its hidden ones"),
        ("limits", ", ".join(f"{one_line(name).replace('_', ' ')} {v:g}" for name, v in gradebook.limits.items())),
        ("version", f"lxmls-day1 {one_line(gradebook.version)}" if gradebook.version else ""),
    ]


def name_of(row: SubmissionGrade) -> str:
    """Return a student's name as plain text, or the key if the name is empty.

    Examples
    --------
    >>> name_of(SubmissionGrade("ada", " \\n", "", "", ()))
    'ada'
    """
    return one_line(row.name, 100) or one_line(row.student, 100)


def file_of(row: SubmissionGrade) -> str:
    """Return the name of the file or folder that was handed in, as plain text."""
    return one_line(row.source.replace("\\", "/").rpartition("/")[2] or row.source, 80)


def anchor_of(exercise: str) -> str:
    """Return the anchor of an exercise on a student's page.

    Examples
    --------
    >>> anchor_of("1.5")
    'exercise-1-5'
    """
    return "exercise-" + _NOT_IN_ANCHOR.sub("-", exercise)


def points_text(points: float, max_decimals: int = 2) -> str:
    """Return points with as many decimals as necessary, at most two unless another maximum is given.

    Examples
    --------
    >>> points_text(10.0), points_text(20 / 3), points_text(2.5)
    ('10', '6.67', '2.5')
    """
    return f"{points:.{max_decimals}f}".rstrip("0").rstrip(".")


def date_text(iso: str) -> str:
    """Format an ISO 8601 time in UTC for readers; an empty text stays empty.

    Examples
    --------
    >>> date_text("2026-07-19T12:30:05+00:00")
    '2026-07-19 12:30 UTC'
    """
    return f"{datetime.fromisoformat(iso):%Y-%m-%d %H:%M} UTC" if iso else ""


def joined(texts: list[str]) -> str:
    """Join texts as an enumeration.

    Examples
    --------
    >>> joined(["1.1", "1.3", "1.8"])
    '1.1, 1.3 and 1.8'
    """
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""
