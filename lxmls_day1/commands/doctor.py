"""``lxmls-day1 doctor``: what of this machine the lab can use, and how to fix the rest."""

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from lxmls_day1.base.installation import how_to_install

GOOD, LIMITED, BAD = "good", "limited", "bad"
NEWEST_PYTHON = (3, 14)
LOW_DISK_MB = 500  # MB
EXTRAS = {
    "notebook": ("jupyterlab", "`lxmls-day1 lab`"),
    "grading": ("jinja2", "the HTML pages of `lxmls-day1 grade`"),
    "browser": ("jupyterlite_core", "`lxmls-day1 browser`"),
    "cluster": ("distributed", "several machines"),
    "sklearn": ("sklearn", "the adapter for scikit-learn"),
}


class Finding(NamedTuple):
    """The result of one examination."""

    state: str  # GOOD, LIMITED or BAD
    text: str
    remedy: str = ""


@click.command(name="doctor", short_help="Report what works on this machine.")
def command() -> None:
    """Report on Python, compiled loops, extras, corpora, disk space, the web browser and the grader's sandbox.

    Each line begins with good, limited (it works, but not as well as it could) or bad; the line below it says what to
    do. The exit status is 1 if something is bad. Nothing is changed or downloaded.

    \b
    Example:
      lxmls-day1 doctor
    """
    worst = GOOD
    for name, examine in CHECKS.items():
        try:
            findings = list(examine())
        except Exception as error:  # the report must not fail because of the faults that it reports
            findings = [Finding(BAD, f"it could not be tested: {type(error).__name__}: {error}")]
        for finding in findings:
            _echo(name, finding)
            worst = BAD if BAD in (worst, finding.state) else worst
            name = ""
    if worst == BAD:
        raise click.exceptions.Exit(1)


def _echo(name: str, finding: Finding) -> None:
    """Print a finding in lines that fit the terminal."""
    further = " " * 24
    lines = [(finding.text, f"{finding.state:<8}{name:<16}", further)]
    if finding.remedy:
        lines.append((finding.remedy, f"{further}-> ", f"{further}   "))
    for text, first, others in lines:
        click.echo(
            textwrap.fill(
                text, shutil.get_terminal_size().columns, initial_indent=first, subsequent_indent=others,
                break_long_words=False, break_on_hyphens=False,
            )
        )  # fmt: skip


def _python() -> Iterator[Finding]:
    import lxmls_day1

    here = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info[:2] > NEWEST_PYTHON:
        newest = ".".join(map(str, NEWEST_PYTHON))
        yield Finding(LIMITED, here, f"this version has not been tested; use Python {newest} if something fails")
    else:
        yield Finding(GOOD, here)
    yield Finding(GOOD, f"lxmls-day1 {lxmls_day1.__version__}, {Path(lxmls_day1.__file__).parent}")


def _compiled_loops() -> Iterator[Finding]:
    from lxmls_day1.engine.kernels import primitives

    if not primitives.COMPILES:
        if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
            remedy = "NUMBA_DISABLE_JIT is set: unset it"
        elif importlib.util.find_spec("numba") is None:
            remedy = how_to_install("fast")
        else:
            remedy = "numba is installed but cannot be imported: `python -c 'import numba'` says why"
        yield Finding(LIMITED, "training runs in plain NumPy, with the same results but several times slower", remedy)
        return
    import numba

    from lxmls_day1.engine.kernels.machine_code import machine_code_folder

    cache, reason = machine_code_folder(Path(primitives.__file__))
    if cache is None:
        remedy = "set NUMBA_CACHE_DIR to a folder that you can write to"
        yield Finding(
            LIMITED, f"numba {numba.__version__}; each process compiles anew, since it cannot be kept: {reason}", remedy
        )
    else:
        yield Finding(GOOD, f"numba {numba.__version__}; machine code is kept in {cache}")


def _extras() -> Iterator[Finding]:
    missing = {extra for extra, (module, _) in EXTRAS.items() if importlib.util.find_spec(module) is None}
    if installed := [extra for extra in EXTRAS if extra not in missing]:
        yield Finding(GOOD, f"installed: {', '.join(installed)}")
    for extra, (_, purpose) in EXTRAS.items():
        if extra in missing:
            yield Finding(LIMITED, f"not installed: {extra}, for {purpose}", how_to_install(extra))


def _corpora() -> Iterator[Finding]:
    from lxmls_day1.engine.text import corpora

    found = {name: corpora.find_local_corpus(name) for name in corpora.names()}
    here = [name for name, place in found.items() if place is not None]
    yield Finding(GOOD, f"here: {', '.join(here)}")
    if missing := [name for name in found if name not in here]:
        remedy = f"each is downloaded when it is first needed; without a network, set {corpora.DATA_VARIABLE} to a folder that holds them"
        yield Finding(LIMITED, f"not here yet: {', '.join(missing)}", remedy)


def _disk_space() -> Iterator[Finding]:
    from lxmls_day1.engine.text.corpora import CACHE_VARIABLE, cache_folder

    places = {
        "the current folder": (Path.cwd(), "make room there"),
        "the cache": (cache_folder(), f"free some space there, or set {CACHE_VARIABLE} to another folder"),
        "temporary files": (Path(tempfile.gettempdir()), "free some space there, or set TMPDIR to another folder"),
    }
    for label, (place, remedy) in places.items():
        there = next(folder for folder in (place, *place.parents) if folder.exists())
        megabytes = shutil.disk_usage(there).free // 2**20
        writable = os.access(there, os.W_OK)
        text = f"{label}: {megabytes:,} MB, {place}" + ("" if writable else ", which cannot be written to")
        state = LIMITED if megabytes < LOW_DISK_MB or not writable else GOOD
        yield Finding(state, text, "" if state == GOOD else remedy)


def _web_browser() -> Iterator[Finding]:
    import webbrowser

    try:
        yield Finding(GOOD, f"{getattr(webbrowser.get(), 'name', '') or 'the one of the system'}")
    except webbrowser.Error:
        remedy = "`lxmls-day1 lab --no-browser` and `lxmls-day1 demo --no-browser` show an address to open elsewhere"
        yield Finding(LIMITED, "no web browser was found", remedy)


def _sandbox() -> Iterator[Finding]:
    from lxmls_day1.box.levels import SAFE_LEVELS, strongest_level
    from lxmls_day1.box.sandbox import BoxesUnavailable
    from lxmls_day1.grading.running.lab_boxes import lab_program

    try:
        level = strongest_level(lab_program())
    except BoxesUnavailable as error:
        yield Finding(LIMITED, "submissions cannot be graded here", str(error))
        return
    if level.name == SAFE_LEVELS[0]:
        yield Finding(GOOD, f"{level.name}, which holds hostile code")
        return
    holds = "contains hostile code" if level.is_safe else "contains accidents but not hostile code"
    text = f"{level.name}, which {holds}"
    reasons = "; ".join(f"{name}: {reason}" for name, reason in level.rejected)
    remedy = "for grading what others have written: Linux, with bubblewrap installed"
    remedy += f" ({reasons})" if reasons else ""
    yield Finding(GOOD if level.is_safe else LIMITED, text, remedy)


#: The examinations in the order of the report. Students need all except the last.
CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "Python": _python,
    "compiled loops": _compiled_loops,
    "extras": _extras,
    "corpora": _corpora,
    "free room": _disk_space,
    "web browser": _web_browser,
    "sandbox": _sandbox,
}
