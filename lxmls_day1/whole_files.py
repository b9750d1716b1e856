"""Files that are either written completely or left as they were, whatever happens in between; folders that go again."""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path


def replace_files(contents: Mapping[str | os.PathLike[str], bytes]) -> None:
    """Write several files that belong together.

    Each goes to a new file beside its place first; only when all are written completely does each take its name. A full
    disk or an interruption thus leaves the old files, and nothing half-written beside them.

    Parameters
    ----------
    contents : mapping from path to bytes
        Their folders exist already.

    Raises
    ------
    OSError
        As from opening, writing and renaming a file; its ``filename`` is the place that was wanted.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_files({Path(folder, "marks.csv"): b"mira,0.9"})
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('marks.csv', 'mira,0.9')]
    """
    written: list[tuple[Path, Path]] = []
    try:
        for path, content in contents.items():
            path = Path(path)
            beside = path.with_name(
                f".{path.name[:40]}.{secrets.token_hex(4)}.part"
            )  # not longer than the longest name
            written.append((beside, path))
            with _named(path), beside.open("xb") as file:
                file.write(content)
        for beside, path in written:
            with _named(path):
                os.replace(beside, path)
    finally:
        for beside, _ in written:
            beside.unlink(missing_ok=True)


@contextlib.contextmanager
def temporary_folder(prefix: str, place: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """A folder for the length of a ``with``, which is gone after it, also where Ctrl-C comes while it is being removed.

    Parameters
    ----------
    prefix : str
        What its name begins with.
    place : path, optional
        Where it is made; among the temporary files unless given.

    Examples
    --------
    >>> with temporary_folder("lxmls-day1-") as folder:
    ...     written = folder.joinpath("marks.csv").write_text("mira,0.9")
    >>> folder.exists()
    False
    """
    settings = {"ignore_cleanup_errors": True}
    with (  # the inner one is removed first; where that is interrupted, the outer one still takes it along
        tempfile.TemporaryDirectory(prefix=prefix, dir=place, **settings) as outer,
        tempfile.TemporaryDirectory(dir=outer, **settings) as inner,
    ):
        yield Path(inner)


@contextlib.contextmanager
def _named(path: Path):
    """Let an OSError speak of `path`, not of the file beside it (or of none, as that of a full disk does)."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
