"""Output of several commands: progress, notes, pictures, and the output folder."""

import contextlib
import io
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.waiting import shows_progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Called with the number of steps done, the number of all steps, and the name of the next step (empty at the end).
ReportProgress = Callable[[int, int, str], None]


def writable_folder(out: str) -> Path:
    """Return the folder ``out``, and create it if necessary. An error is raised now and not after the training."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{out} is a file, or lies in one; --out must be a folder.") from error
    except OSError as error:
        raise InputError(f"{out} cannot be written to ({error.strerror}); choose another folder with --out.") from error


@contextlib.contextmanager
def progress_bar() -> Iterator[ReportProgress]:
    """Yield a function that shows progress: as a bar on a terminal, elsewhere as one line for each name."""
    if not shows_progress():
        yield lambda done, total, name: click.echo(f"[{done + 1}/{total}] {name}", err=True) if name else None
        return
    from tqdm import tqdm  # imported here, because many commands do not need it

    with tqdm(desc="reading", leave=False, bar_format="{desc} {bar} {n_fmt}/{total_fmt}", total=1) as bar:

        def show(done: int, total: int, name: str) -> None:
            bar.total, bar.n = total, done
            bar.set_description_str(name or "drawing")

        yield show


def png_bytes(figure: "Figure") -> bytes:
    """Return a figure, including the text outside its axes, as the content of a PNG file; no display is needed."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150, bbox_inches="tight", pad_inches=0.2)
    return content.getvalue()


def unsolved_message(name: str, error: NotImplementedError) -> str:
    """Return the sentence about a classifier whose exercise is not solved."""
    return f"{name} is not written yet: {str(error) or 'it raises NotImplementedError'}"


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print each warning of the block once, as a line on standard error without file and line number."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
    for text in dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught):
        click.echo(f"Note: {text}", err=True)
