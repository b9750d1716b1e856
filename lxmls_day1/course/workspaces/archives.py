"""Reproducible zip files: the same content gives the same bytes at any time and on any machine."""

import io
import os
import time
import zipfile
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

DEFAULT_DATE = 1580601600  # 2 February 2020; a zip file cannot hold a date before 1980


def zipped(files: Mapping[PurePosixPath, bytes], folder: str, executables: Collection[PurePosixPath] = ()) -> bytes:
    """Return the content of a zip file.

    Parameters
    ----------
    files : mapping from path to bytes
    folder : str
        The folder of the archive that contains them; if empty, its top.
    executables : collection of path
        The executable files.

    Returns
    -------
    bytes
        Entries are sorted by path. Every time is that of the environment variable SOURCE_DATE_EPOCH, or a fixed one. Every
        mode is 644, or 755 for an executable file.

    Examples
    --------
    >>> one = zipped({PurePosixPath("b"): b"2", PurePosixPath("a"): b"1"}, "lab")
    >>> zipfile.ZipFile(io.BytesIO(one)).namelist()
    ['lab/a', 'lab/b']
    """
    moment = time.gmtime(max(source_date(), 315532800))[:6]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files, key=str):
            entry = zipfile.ZipInfo(str(PurePosixPath(folder, name)), moment)
            entry.create_system = 3  # Unix, even on Windows, because it defines the meaning of the mode
            entry.external_attr = (0o100755 if name in executables else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)
    return content.getvalue()


def source_date() -> int:
    """Return the date of reproducible files, in seconds since 1970."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(text) if text.isdigit() else DEFAULT_DATE
