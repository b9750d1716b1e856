"""All demonstrations as files that need no Python: pictures, animations, and a page that shows them.

Each demonstration gives ``NAME.png``, a picture; a stepwise one also ``NAME.gif``, ``NAME.html`` (with buttons
to step) and, where ffmpeg is installed, ``NAME.mp4``. ``index.html`` links them, and asks nothing of the network.
"""

import importlib
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.index_page import Entry, index_page
from lxmls_day1.errors import InputError, nearest
from lxmls_day1.whole_files import replace_files

INDEX = "index.html"
#: Module and class of each demonstration, by the name that its notebook has behind its number, in their order.
DEMONSTRATIONS = {
    "gaussian_playground": ("gaussian_playground", "DemoGaussianPlayground"),
    "online_steps": ("online_steps", "DemoOnlineSteps"),
    "mira_step": ("mira_step", "DemoMiraStep"),
    "optimisation": ("optimisation", "DemoOptimisation"),
    "review_explorer": ("review_explorer", "DemoReviews"),
    "comparison": ("comparison_sweep", "DemoComparison"),
    "confidence": ("confidence", "DemoConfidence"),
    "beyond_a_line": ("beyond_a_line", "DemoBeyondALine"),
}


def demonstration_class(name: str) -> type[Demonstration]:
    """The class of a demonstration.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if name not in DEMONSTRATIONS:
        raise InputError(f"there is no demonstration {name!r}{nearest(name, DEMONSTRATIONS)}")
    module, class_name = DEMONSTRATIONS[name]
    found: type[Demonstration] = getattr(importlib.import_module(f"lxmls_day1.demos.{module}"), class_name)
    return found


def export(
    lab: Any,
    folder: str | os.PathLike[str],
    only: Collection[str] = (),
    dark: bool = False,
    scale: float | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write the demonstrations of a lab into a folder.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
    folder : path
        Made if it is not there; files of the same names are replaced, others stay.
    only : collection of str
        Names of demonstrations; all unless given.
    dark, scale
        As in `Demonstration`.
    tell : function (sentence), optional
        Called with what is left out, and why.

    Returns
    -------
    list of Path
        The files, ``index.html`` last.

    Raises
    ------
    InputError
        If there is no demonstration of a name.
    """
    for name in only:
        demonstration_class(name)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    entries = []
    for name in [name for name in DEMONSTRATIONS if not only or name in only]:
        found = demonstration_class(name)
        for addition, start in found.variants.items():
            try:
                demonstration = found(lab, dark=dark, scale=scale, live=False, **start)
                contents = _contents(demonstration, tell)
            except (InputError, NotImplementedError) as error:
                if tell:
                    tell(f"{name}{addition} is left out: {error}")
                continue
            files = {folder / f"{name}{addition}.{suffix}": content for suffix, content in contents.items()}
            replace_files(files)
            written += files
            title = found.title + (f": {addition.replace('_', ' ').strip()}" if addition else "")
            entries.append(_entry(title, found.summary, [path.name for path in files]))
    index = folder / INDEX
    replace_files({index: index_page(entries, dark).encode()})
    return [*written, index]


def _contents(demonstration: Demonstration, tell: Callable[[str], None] | None) -> dict[str, bytes]:
    """What a demonstration's files hold, by suffix; a stepwise one is drawn once for all its animations."""
    from lxmls_day1.demos.recording import as_gif, as_mp4, as_page, recorded

    if demonstration.telling_frame is not None:
        demonstration.go_to(demonstration.telling_frame)
    contents = {"png": demonstration.saved("png")}
    formats = demonstration.formats()
    if len(formats) > 1:
        pictures = recorded(demonstration)
        contents["html"] = as_page(pictures, demonstration.title, demonstration.stage.look)
        contents["gif"] = as_gif(pictures)
        try:
            contents["mp4"] = as_mp4(pictures)
        except InputError as error:
            if tell:
                tell(f"{demonstration.title}: {error}")
    return contents


def _entry(title: str, summary: str, files: list[str]) -> Entry:
    words = {"png": "picture", "gif": "GIF", "html": "step by step", "mp4": "MP4"}
    links = [(words[file.rpartition(".")[2]], file) for file in files]
    first = next((file for file in files if file.endswith(".html")), files[0])
    return Entry(title, summary, first, next(file for file in files if file.endswith(".png")), links=links)
