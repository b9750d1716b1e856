"""What several commands put out: progress, notes, pictures, and the folder that files go to."""

import contextlib
import io
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.waiting import shows_progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        raise InputError(f"{out} is a file, or lies in one; --out must be a folder.") from error
    except OSError as error:
        raise InputError(f"{out} cannot be written to ({error.strerror}); choose another folder with --out.") from error


@contextlib.contextmanager
def progress_bar() -> Iterator[ReportProgress]:
    """A bar where it can come and go, plain lines elsewhere: "reading", the names, "drawing"."""
    if not shows_progress():
        yield lambda done, total, name: click.echo(f"[{done + 1}/{total}] {name}", err=True) if name else None
        return
    from tqdm import tqdm  # here, as many commands need none

    with tqdm(desc="reading", leave=False, bar_format="{desc} {bar} {n_fmt}/{total_fmt}", total=1) as bar:

        def show(done: int, total: int, name: str) -> None:
            bar.total, bar.n = total, done
            bar.set_description_str(name or "drawing")

        yield show


def png(figure: "Figure") -> bytes:
    """The figure as the content of a PNG file, with all that stands beside its axes; needs no display."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150, bbox_inches="tight", pad_inches=0.2)
    return content.getvalue()


def write_results(folder: Path, contents: Mapping[str, bytes], message: str) -> None:
    """Write files into a folder, all or none; then say what there is to say, and where they are."""
    from lxmls_day1.base.atomic_files import replace_files

    replace_files({folder / name: content for name, content in contents.items()})
    click.echo(f"{message}\nFigures and results are in {folder}: {', '.join(contents)}")


def not_written_yet(name: str, error: NotImplementedError) -> str:
    """The sentence about a classifier whose exercise is not solved."""
    return f"{name} is not written yet: {str(error) or 'it raises NotImplementedError'}"


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Each warning of the block becomes a line on standard error, once, without file and line number."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
    for text in dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught):
        click.echo(f"Note: {text}", err=True)
