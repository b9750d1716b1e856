"""All demonstrations as files that need no Python: pictures, animations, and a page that shows them.

Each demonstration gives ``NAME.png``, a picture; a stepwise one also ``NAME.gif``, ``NAME.html`` (with buttons
to step) and, where ffmpeg is installed, ``NAME.mp4``. ``index.html`` links them, and asks nothing of the network.
"""

import importlib
import os
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.index_page import Entry, index_page
from lxmls_day1.errors import InputError, counted, nearest
from lxmls_day1.whole_files import replace_files

INDEX = "index.html"
#: Processor seconds of an export, roughly: of those that go in many steps, and of one that does not.
_SECONDS = {"online_steps": 12, "online_steps_all_four": 20, "mira_step": 9, "confidence": 13, "beyond_a_line": 2}
_SECONDS_OF_A_PICTURE = 3
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


class _Job(NamedTuple):
    """One demonstration to write, with the values that its controls have at the start."""

    name: str
    addition: str
    start: dict[str, Any]
    dark: bool
    scale: float | None

    @property
    def cost(self) -> float:
        """Processor seconds, roughly."""
        return _SECONDS.get(self.name + self.addition, _SECONDS_OF_A_PICTURE)


class _Made(NamedTuple):
    """What has become of it."""

    contents: dict[str, bytes]
    """Of its files, by suffix; none if it is left out."""
    said: list[str]


def export(
    lab: Any,
    folder: str | os.PathLike[str],
    only: Collection[str] = (),
    dark: bool = False,
    scale: float | None = None,
    tell: Callable[[str], None] | None = None,
    processes: int = 1,
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
        Called with what is being written, how long it will take, and what is left out and why.
    processes : int
        How many write at the same time.

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
    tell = tell or (lambda sentence: None)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [
        _Job(name, addition, dict(start), dark, scale)
        for name in DEMONSTRATIONS
        if not only or name in only
        for addition, start in demonstration_class(name).variants.items()
    ]
    processes = max(1, min(processes, len(jobs)))
    seconds = max(sum(job.cost for job in jobs) / processes, max(job.cost for job in jobs))
    tell(
        f"Writing {counted(len(jobs), 'demonstration')} into {folder}: pictures, and animations of those that go in steps. "
        f"This takes about {_about(seconds)} on a machine that has nothing else to do."
    )
    written: list[Path] = []
    entries = {}
    for number, (job, made) in enumerate(_all_made(lab, jobs, processes), start=1):
        for sentence in made.said:
            tell(sentence)
        files = {folder / f"{job.name}{job.addition}.{kind}": content for kind, content in made.contents.items()}
        if files:
            replace_files(files)
            written += files
            entries[job.name + job.addition] = _entry(job, [path.name for path in files])
            tell(f"{number} of {len(jobs)}: {', '.join(path.name for path in files)}")
    index = folder / INDEX
    in_order = [entries[job.name + job.addition] for job in jobs if job.name + job.addition in entries]
    replace_files({index: index_page(in_order, dark).encode()})
    return [*written, index]


def _all_made(lab: Any, jobs: list[_Job], processes: int) -> Iterator[tuple[_Job, _Made]]:
    """Each job with what has become of it, as they end; here, or in processes of their own."""
    if processes == 1:
        for job in jobs:
            yield job, _made(lab, job)
        return
    # A fork would copy threads and locks of this process in whatever state they are; and there is none on Windows.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        dearest_first = sorted(jobs, key=lambda job: -job.cost)
        running = {pool.submit(_made_elsewhere, lab.folder, job): job for job in dearest_first}
        for future in as_completed(running):
            yield running[future], future.result()


def _made_elsewhere(folder: Path, job: _Job) -> _Made:
    from lxmls_day1.lab import Lab  # here only: the others are given a lab

    return _made(Lab(folder), job)


def _made(lab: Any, job: _Job) -> _Made:
    said: list[str] = []
    try:
        found = demonstration_class(job.name)
        demonstration = found(lab, dark=job.dark, scale=job.scale, live=False, **job.start)
        return _Made(_contents(demonstration, said.append), said)
    except (InputError, NotImplementedError) as error:
        return _Made({}, [*said, f"{job.name}{job.addition} is left out: {error}"])


def _contents(demonstration: Demonstration, tell: Callable[[str], None]) -> dict[str, bytes]:
    """What a demonstration's files hold, by suffix; a stepwise one is drawn once for all its animations."""
    from lxmls_day1.demos.recording import as_gif, as_mp4, as_page, recorded

    if demonstration.telling_frame is not None:
        demonstration.go_to(demonstration.telling_frame)
    contents = {"png": demonstration.saved("png")}
    formats = demonstration.formats()
    if len(formats) > 1:
        pictures = recorded(demonstration)
        contents["html"] = as_page(pictures, demonstration.title, demonstration.stage.look, INDEX)
        contents["gif"] = as_gif(pictures)
        try:
            contents["mp4"] = as_mp4(pictures)
        except InputError as error:
            tell(f"{demonstration.title}: {error}")
    return contents


def _about(seconds: float) -> str:
    """``half a minute``: what one would say."""
    if seconds < 20:
        return "ten seconds" if seconds < 12 else "twenty seconds"
    return "half a minute" if seconds < 45 else "a minute" if seconds < 80 else f"{round(seconds / 60)} minutes"


def _entry(job: _Job, files: list[str]) -> Entry:
    found = demonstration_class(job.name)
    title = found.title + (f": {job.addition.replace('_', ' ').strip()}" if job.addition else "")
    words = {"png": "picture", "gif": "GIF", "html": "step by step", "mp4": "MP4"}
    links = [(words[file.rpartition(".")[2]], file) for file in files]
    first = next((file for file in files if file.endswith(".html")), files[0])
    return Entry(title, found.summary, first, next(file for file in files if file.endswith(".png")), links=links)
