"""The folders of this machine that boxes are shown, and those that fork servers keep in a cache."""

import contextlib
import hashlib
import os
import site
import stat
import sys
import sysconfig
import tempfile
from pathlib import Path

import lxmls_day1
from lxmls_day1.base.errors import InputError

SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")


def python_folders() -> list[str]:
    """The folders of this Python and its libraries, without any that holds another one of them."""
    folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable)}
    folders |= {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {os.path.dirname(os.path.realpath(sys.executable))}
    folders |= {path for path in [*site.getsitepackages(), site.getusersitepackages()] if path in sys.path}
    real = sorted({path for folder in folders for path in (folder, os.path.realpath(folder)) if os.path.isdir(path)})
    return [
        path
        for path in real
        if path not in ("/", "/usr") and not any(path != other and Path(path).is_relative_to(other) for other in real)
    ]


def numba_cache_folder(cache: Path) -> Path:
    """Where the fork servers keep compiled kernels: a folder that no box can write to."""
    folder = cache / "numba-of-boxes"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def require_cache(cache: Path) -> None:
    """Raise an error if the folders in this one cannot be written to: without this, numba would fail later and with another message.

    Also if another user can write there: fork servers run what they find in it, with the rights of the grader.

    Raises
    ------
    InputError
    """
    try:
        with tempfile.TemporaryFile(dir=numba_cache_folder(cache)) as file:
            file.write(b"room for a little")
    except OSError as error:
        raise InputError(
            f"the cache folder {cache} cannot be written to ({error.strerror}); name another one in the "
            "environment variable LXMLS_DAY1_CACHE."
        ) from error
    for folder in (cache, numba_cache_folder(cache), machinery_folder(cache).parent, machinery_folder(cache)):
        about = folder.stat()
        if hasattr(os, "geteuid") and (about.st_uid not in (0, os.geteuid()) or about.st_mode & stat.S_IWOTH):
            raise InputError(
                f"other users can write to the cache folder {folder}, and grading would run what they put there; name one "
                "of your own in the environment variable LXMLS_DAY1_CACHE."
            )


def machinery_folder(cache: Path) -> Path:
    """A folder with this package in it and nothing else: its own would show what is around it.

    It is the same one every time, for numba's cache goes by the paths of source files.
    """
    package = Path(lxmls_day1.__file__).parent
    name = hashlib.sha256(os.fsencode(package)).hexdigest()[:12]
    folder = numba_cache_folder(cache).with_name("machinery-of-boxes") / name
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (folder / "lxmls_day1").symlink_to(package, target_is_directory=True)
    return folder
