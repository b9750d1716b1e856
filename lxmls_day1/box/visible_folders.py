"""The folders of this machine that boxes can see, and the cache folders of fork servers."""

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
    """Return the folders of this Python and its libraries, without folders that contain another one of them."""
    folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable)}
    folders |= {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {os.path.dirname(os.path.realpath(sys.executable))}
    folders |= {path for path in [*site.getsitepackages(), site.getusersitepackages()] if path in sys.path}
    real = sorted({path for folder in folders for path in (folder, os.path.realpath(folder)) if os.path.isdir(path)})
    inner = [path for path in real if any(path != other and Path(path).is_relative_to(other) for other in real)]
    return [path for path in real if path not in ("/", "/usr", *inner)]


def numba_cache_folder(cache: Path) -> Path:
    """Return the folder where fork servers cache compiled kernels; no box can write to it."""
    folder = cache / "numba-of-boxes"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def require_cache(cache: Path) -> None:
    """Raise an error if this process cannot write to the cache folders. Without this check, numba would fail later with a worse message.

    Raise an error as well if another user can write there, because fork servers run code from the cache with the grader's rights.

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
    package = isolated_package_folder(cache)
    for folder in (cache, numba_cache_folder(cache), package.parent, package):
        about = folder.stat()
        if hasattr(os, "geteuid") and (about.st_uid not in (0, os.geteuid()) or about.st_mode & stat.S_IWOTH):
            raise InputError(
                f"other users can write to the cache folder {folder}, and grading would run what they put there; name one "
                "of your own in the environment variable LXMLS_DAY1_CACHE."
            )


def isolated_package_folder(cache: Path) -> Path:
    """Return a folder that contains only this package, because the package's own parent folder would expose its siblings.

    Its path never changes, because numba's cache is keyed by the paths of source files.
    """
    package = Path(lxmls_day1.__file__).parent
    name = hashlib.sha256(os.fsencode(package)).hexdigest()[:12]
    folder = numba_cache_folder(cache).with_name("machinery-of-boxes") / name
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (folder / "lxmls_day1").symlink_to(package, target_is_directory=True)
    return folder
