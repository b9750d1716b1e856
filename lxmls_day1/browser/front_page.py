"""The first page of the site: the exercises with ticks, the core before the others, each with a link to its notebook."""

import html
from collections.abc import Collection
from urllib.parse import quote

from lxmls_day1.base.errors import pluralize
from lxmls_day1.course.registry import Exercise, Registry

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Day-1 lab</title>
<meta name="description" content="Write linear classifiers in notebooks, in your browser; the checks name your mistakes.">
<meta property="og:title" content="The day-1 lab in your browser">
<link rel="icon" href="data:,">
<script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{{}}</script>
<style>
:root {{ color-scheme: light dark;
  --ink: #1b1f24; --paper: #fff; --link: #005f99; --quiet: #59636e; --good: #00734f; --line: #c4cad1; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6e9ed; --paper: #15181c;
  --link: #7cc4f5; --quiet: #a9b1ba; --good: #4fd0a5; --line: #48505a; }} }}
body {{ font: 1.0625rem/1.55 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1.25rem;
  color: var(--ink); background: var(--paper); }}
h1 {{ font-size: clamp(1.8rem, 4vw, 2.6rem); line-height: 1.15; letter-spacing: -.015em; }}
a {{ color: var(--link); }}
.begin {{ display: inline-block; background: #005f99; color: white; font-weight: 600;
  padding: .6rem 1.2rem; border-radius: 6px; text-decoration: none; }}
ol {{ list-style: none; padding: 0; border-top: 1px solid var(--line); }}
li {{ display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .45rem 0; border-bottom: 1px solid var(--line); }}
li::before {{ content: "·"; width: 1ch; color: var(--quiet); }}
li.done::before {{ content: "✓"; color: var(--good); }}
li span {{ color: var(--quiet); margin-left: auto; }}
</style>
</head>
<body>
<h1>Linear classifiers: the day-1 lab</h1>
<p>Write the classifiers yourself, in this browser. The checks show the smallest input for which your code is wrong,
and name known mistakes. Your work stays on this machine.</p>
<p><a class="begin" href="{address}">Begin</a></p>
<p class="count" role="status"></p>
{parts}
<script>
  // What the lab has found to be done (page.js keeps it): ticks, and the first of the others to go on with.
  let done = [];
  const key = `lxmls-day1 done ${{new URL(".", location).pathname}}`;
  try {{ done = JSON.parse(localStorage.getItem(key)) ?? []; }} catch {{ /* the browser keeps nothing: no ticks */ }}
  const rows = [...document.querySelectorAll("li")];
  for (const row of rows.filter((row) => done.includes(row.dataset.exercise))) {{
    row.classList.add("done");
    row.querySelector("span").prepend("done, ");
  }}
  const next = rows.find((row) => !row.matches(".done"))?.querySelector("a");
  const begin = document.querySelector(".begin");
  if (done.length && next) Object.assign(begin, {{ href: next.href, textContent: `Go on: ${{next.textContent}}` }});
  const count = rows.filter((row) => row.matches(".done")).length;
  if (count) document.querySelector(".count").textContent = `${{count}} of ${{rows.length}} exercises done`;
</script>
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
    summary = f"{pluralize(len(exercises), 'exercise')}, {sum(e.points for e in exercises):g} points"
    return "\n".join([f"<h2>{title}</h2>", f"<p>{summary}</p>", "<ol>", *map(_row, exercises), "</ol>"])


def _row(exercise: Exercise) -> str:
    name = html.escape(f"{exercise.id} {exercise.title}")
    minutes = f", about {exercise.minutes} minutes" if exercise.minutes else ""
    about = f"{exercise.points:g} points{minutes}"
    return f'<li data-exercise="{exercise.id}"><a href="{_address(exercise.notebook)}">{name}</a> <span>{about}</span></li>'


def _address(notebook: str) -> str:
    return html.escape(f"lab/index.html?path={quote(notebook)}")
