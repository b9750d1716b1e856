"""The first page of the site: the exercises (the core first), with links to their notebooks."""

import html
from collections.abc import Collection
from itertools import groupby
from urllib.parse import quote

from lxmls_day1.base.errors import pluralize
from lxmls_day1.course.registry import Exercise, Registry

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Day-1 lab</title>
<script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{{}}</script>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 17px/1.55 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1.2rem; }}
h1 {{ line-height: 1.2; }}
a {{ color: #0072b2; }}
.begin {{ display: inline-block; background: #0072b2; color: white; padding: .6rem 1.2rem; border-radius: .4rem; text-decoration: none; }}
li {{ margin: .2rem 0; }}
@media (prefers-color-scheme: dark) {{ a {{ color: #56b4e9; }} .begin {{ color: white; }} }}
</style>
</head>
<body>
<h1>Linear classifiers: the day-1 lab</h1>
<p>Write the classifiers yourself, in this browser. The checks show the smallest input for which your code is wrong,
and name known mistakes. Your work stays on this machine.</p>
<p><a class="begin" href="{address}">Begin</a></p>
{parts}
</body>
</html>
"""


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
    return _PAGE.format(address=_address(first.notebook), parts="\n".join(parts))


def _part(title: str, exercises: list[Exercise]) -> str:
    rows = [
        f"<h2>{title}</h2>",
        f"<p>{pluralize(len(exercises), 'exercise')}, {sum(e.points for e in exercises):g} points</p>",
    ]
    for notebook, group in groupby(exercises, key=lambda exercise: exercise.notebook):
        name = notebook.rpartition("/")[2].removesuffix(".ipynb")
        rows += [f'<p><a href="{_address(notebook)}">{html.escape(name)}</a></p>', "<ul>"]
        rows += [f"<li>{exercise.id} {html.escape(exercise.title)}</li>" for exercise in group] + ["</ul>"]
    return "\n".join(rows)


def _address(notebook: str) -> str:
    return html.escape(f"lab/index.html?path={quote(notebook)}")
