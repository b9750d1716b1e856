"""The demonstrations as pages: each in one file that a browser can open without a server, and an index of them.

A page contains its style, its script and its scenes, and loads nothing from the network. If Python is available (`server`), the
page requests the scene of every setting from it. Without Python, the page contains the scenes of its demonstration's `grid`.
"""

import base64
import hashlib
import html
import json
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.course.workspaces.archives import zipped
from lxmls_day1.demos.demonstration import Demonstration, demonstration_class
from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS
from lxmls_day1.demos.scene import CLASSES, SHAPES

PAGE = Path(__file__).with_name("page")
INDEX, PROGRAMS = "index.html", "programs.zip"
_MORE = "lxmls-day1 demo shows every setting, and the learners of your own lab."


def script() -> str:
    """Return the JavaScript module that draws a demonstration; `notebook` passes it to a widget."""
    qr, demo = ((PAGE / name).read_text(encoding="utf-8") for name in ("lean_qr.js", "demo.js"))
    return qr.replace("export{r as correction,m as generate}", "const generate = m") + demo


def style() -> str:
    """Return the style sheet of the pages."""
    return (PAGE / "demo.css").read_text(encoding="utf-8")


def page_description(
    demonstration: Demonstration | type[Demonstration], *, dark: bool | None = None, **more: Any
) -> dict[str, Any]:
    """Return the description of a demonstration for the script.

    Parameters
    ----------
    demonstration : Demonstration
    dark : bool, optional
        True for dark mode, False for light mode. Default: the browser's preference.
    **more
        Further entries, such as scenes.
    """
    classes = {"colours": [list(colour) for colour in CLASSES], "shapes": list(SHAPES)}
    return demonstration.description() | {"classes": classes, "dark": dark} | more


def page(description: Mapping[str, Any], *, scene_address: str = "", scale: float | None = None) -> str:
    """Return the HTML page of one demonstration.

    Parameters
    ----------
    description : mapping
        The result of `page_description`; with ``grid`` and ``scenes`` unless `scene_address` is given.
    scene_address : str
        The address for requests of scenes.
    scale : float, optional
        The scale of letters and lines. Default: 1.
    """
    scaled = "" if scale is None else f' style="--demo-scale: {scale:g}"'
    return _document(str(description["title"]), f"<body{scaled}>\n{_demo(description, scene_address)}\n")


def index_page(
    descriptions: Mapping[str, Mapping[str, Any]], scene_addresses: Mapping[str, str], dark: bool | None, suffix: str
) -> str:
    """Return the index of demonstrations, each with a small picture that is drawn as on its page.

    Parameters
    ----------
    descriptions : mapping of name to description
    scene_addresses : mapping of name to the address for requests of scenes; empty if the descriptions contain scenes
    dark : bool or None
    suffix : str
        The end of the address of each page, which begins with its name.
    """
    sections = "\n".join(
        f"<section>{_demo(description, scene_addresses.get(name, ''), small=True)}"
        f'<h2><a href="{name}{suffix}">{html.escape(description["title"])}</a></h2>'
        f"<p>{html.escape(description['summary'])}</p></section>"
        for name, description in descriptions.items()
    )
    theme = "" if dark is None else " demo-dark" if dark else " demo-light"
    return _document(
        "Demonstrations", f'<body class="demo-index{theme}">\n<main>\n<h1>Demonstrations</h1>\n{sections}\n</main>\n'
    )


def export(
    lab: Any,
    folder: str | os.PathLike[str],
    only: Collection[str] = (),
    *,
    dark: bool | None = None,
    scale: float | None = None,
    python: str = "",
    report: Callable[[str], None] = lambda sentence: None,
) -> list[Path]:
    """Write the demonstrations of a lab into a folder, as pages that need no Python.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
    folder : path
        Created if necessary. Files with the same names are replaced; others stay.
    only : collection of str
        Names of demonstrations. Default: all.
    dark, scale
        See `page_description` and `page`.
    python : str, optional
        The address of the worker that starts Python in the pages; see ``tools/exercise_pages.py``.
    report : function (sentence), optional
        Called with a sentence for each page that is written or omitted.

    Returns
    -------
    list of Path
        The files, ``index.html`` last.

    Raises
    ------
    InputError
        If a demonstration does not exist.
    """
    for name in only:
        demonstration_class(name)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [name for name in DEMONSTRATIONS if not only or name in only]
    report(f"Writing {pluralize(len(chosen), 'demonstration')} into {folder}: pages that open in any browser.")
    written: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(chosen, start=1):
        try:
            made = demonstration_class(name)(lab)
            description = page_description(made, dark=dark, more=_MORE, python=python, **made.grid_scenes())
        except (InputError, NotImplementedError) as error:
            report(f"{name} is left out: {error}")
            continue
        write_files_atomically({folder / f"{name}.html": page(description, scale=scale).encode()})
        written[name] = description | {"scenes": description["scenes"][:1]}
        report(f"{number} of {len(chosen)}: {name}.html")
    if python:
        write_files_atomically({folder / PROGRAMS: zipped(page_programs(lab.folder), "")})
    write_files_atomically({folder / INDEX: index_page(written, {}, dark, ".html").encode()})
    return [*(folder / f"{name}.html" for name in written), folder / INDEX]


def page_programs(lab_folder: Path) -> dict[PurePosixPath, bytes]:
    """Return the files that Python in a page imports: the demonstrations, and the lab with its solutions."""
    files = {PurePosixPath("lxmls_day1/demos", path.name): path for path in PAGE.parent.glob("*.py")}
    for part in ("readers", "classifiers"):
        paths = (lab_folder / part).rglob("*.py")
        files |= {PurePosixPath(path.relative_to(lab_folder).as_posix()): path for path in paths}
    return {name: path.read_bytes() for name, path in files.items()}


def _demo(description: Mapping[str, Any], scene_address: str, small: bool = False) -> str:
    data = json.dumps(description, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c")  # no text can end the script element
    attribute = f' data-ask="{html.escape(scene_address)}"' if scene_address else ""
    tag, attribute = ("div", f"{attribute} data-small") if small else ("main", attribute)
    return f'<{tag} data-demo{attribute}><script type="application/json">{data}</script></{tag}>'


def _document(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{html.escape(title)}</title><link rel="icon" href="data:,">\n<style>\n{style()}</style></head>\n'
        f'{body}<script type="module">{script()}</script>\n</body></html>\n'
    )


def script_hash() -> str:
    """Return the hash of a page's script for its content-security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()}"
