"""What several commands put out: progress, tables, notes, pictures, and the folder that files go to."""

import contextlib
import io
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lxmls_day1.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lxmls_day1.result_table import ResultTable

#: Called with how many steps are done, how many there are, and the name of the next one (empty at the end).
ReportProgress = Callable[[int, int, str], None]


def writable_folder(out: str) -> Path:
    """The folder `out`, made if it does not exist. An error is raised now, and not after the training."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{out} is, or lies in, a file; --out wants a folder.") from error
    except OSError as error:
        raise InputError(f"{out} cannot be written to ({error.strerror}); choose another folder with --out.") from error


@contextlib.contextmanager
def shown_progress() -> Iterator[ReportProgress]:
    """A bar on a terminal's standard error, plain lines where that is not a terminal: "reading", the names, "drawing"."""
    if not sys.stderr.isatty():
        yield lambda done, total, name: click.echo(f"[{done + 1}/{total}] {name}", err=True) if name else None
        return
    from rich.console import Console  # here and below: rich takes time to import, and many commands need none
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name or "drawing")


def png(figure: "Figure") -> bytes:
    """The figure as the content of a PNG file, with all that stands beside its axes; needs no display."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150, bbox_inches="tight", pad_inches=0.2)
    return content.getvalue()


def show_table(table: "ResultTable") -> None:
    """The table on standard output: drawn on a terminal, plain where it goes to a file or a pipe."""
    if not sys.stdout.isatty():
        click.echo(str(table))
        return
    from rich.console import Console

    console = Console()
    console.print(table.to_rich(console.width))


def aligned(heading: Sequence[str], rows: Sequence[Sequence[str]], texts: Collection[int] = (0,)) -> str:
    """Rows of cells under a heading, in columns: texts to the left, numbers to the right.

    Parameters
    ----------
    heading : sequence of str
    rows : sequences of str
        As many cells each.
    texts : numbers of columns
        Those that hold texts.

    Returns
    -------
    str

    Examples
    --------
    >>> print(aligned(["tag", "words"], [["NOUN", "4"], ["X", "12"]]))
    tag   words
    -----------
    NOUN      4
    X        12
    """
    widths = [max(len(row[i]) for row in [heading, *rows]) for i in range(len(heading))]
    lines = [
        "  ".join(
            cell.ljust(width) if i in texts else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in [heading, *rows]
    ]
    return "\n".join(line.rstrip() for line in [lines[0], "-" * len(lines[0]), *lines[1:]])


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Each warning of the block becomes a line on standard error, once, without file and line number."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
    for text in dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught):
        click.echo(f"Note: {text}", err=True)
