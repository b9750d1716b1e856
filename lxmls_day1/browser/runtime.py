"""Pyodide, the Python of the browser: the version that a site uses, and a check that a folder contains its unchanged files."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text.corpora import OFFLINE_VARIABLE

VERSION = "0.27.7"
#: The address of a version's files according to Pyodide's documentation.
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"

EXPECTED_FOLDER = f"--pyodide takes the folder of an unpacked release of Pyodide {VERSION}, with its packages."
LOCK_FILE = "pyodide-lock.json"
#: The sha256 of the files that every page loads. The lock file contains the digests of all packages.
CORE_DIGESTS = {
    LOCK_FILE: "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
}

#: Packages of Pyodide that the lab and the kernel of JupyterLite import. Their dependencies are added.
PACKAGES = (
    "ipython", "jedi", "matplotlib", "micropip", "numpy", "packaging", "pygments", "scipy", "sqlite3",
    "threadpoolctl",
)  # fmt: skip


def runtime_files(folder: Path, names: Iterable[str] = PACKAGES) -> dict[str, bytes]:
    """Read the files of Pyodide that a page needs from a folder, and verify their sha256.

    Parameters
    ----------
    folder : Path
        An unpacked release of Pyodide: ``pyodide.js``, ``pyodide-lock.json``, wheels.
    names : iterable of str
        Packages of the lock file that are needed, in addition to the runtime itself.

    Returns
    -------
    dict of str to bytes
        From file name to content.

    Raises
    ------
    InputError
        If a file is missing, or does not belong to this version.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; {EXPECTED_FOLDER}")
    lock = _read(folder, LOCK_FILE)
    if _digest(lock) != CORE_DIGESTS[LOCK_FILE]:
        version = _version(lock)
        raise InputError(f"{folder / LOCK_FILE} is {version}; {EXPECTED_FOLDER}")
    files = {LOCK_FILE: lock}
    packages = json.loads(lock)["packages"]
    digests = CORE_DIGESTS | {
        packages[name]["file_name"]: packages[name]["sha256"] for name in with_dependencies(packages, names)
    }
    for name, digest in digests.items():
        files[name] = _read(folder, name)
        if _digest(files[name]) != digest:
            raise InputError(
                f"{folder / name} is not the file of Pyodide {VERSION}: its sha256 differs. Unpack the release again."
            )
    return files


def with_dependencies(packages: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> Iterator[str]:
    """Yield packages of a lock file and all their dependencies, each once.

    Examples
    --------
    >>> packages = {"scipy": {"depends": ["numpy"]}, "numpy": {"depends": []}}
    >>> list(with_dependencies(packages, ["scipy", "numpy"]))
    ['scipy', 'numpy']
    """
    waiting, seen = list(names), set()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop(0)).lower()
        if name not in seen:
            seen.add(name)
            waiting += packages[name]["depends"]
            yield name


def start_table(
    packages: Mapping[str, Any], load: Iterable[str], folder: str, archive: str | None, runtime: str | None, **more: str
) -> dict[str, Any]:
    """Return the data for ``start.js``; all locations are addresses relative to it.

    Parameters
    ----------
    packages : dict from name to entry
        The packages that the site provides, in the format of a lock file.
    load : iterable of str
        The packages to load at the start of Python.
    folder, archive : str
        The folder in the page into which ``archive``, the address of a zip file or None, is unpacked.
    runtime : str or None
        The address of Pyodide in the site; None for `ADDRESS`.
    **more
        Further environment variables.
    """
    environment = {
        "PYTHONDONTWRITEBYTECODE": "1",  # otherwise each import would write to the browser's storage
        "PYTHONWARNINGS": "ignore:tqdm",  # progress bars warn that they have no monitor thread
        OFFLINE_VARIABLE: "1",
    }
    of_pyodide = {"runtime": runtime or ADDRESS, "lock_sha256": CORE_DIGESTS[LOCK_FILE]}
    of_site = {"packages": packages, "load": sorted(load), "folder": folder, "archive": archive}
    return {**of_pyodide, **of_site, "environment": environment | more}


def _read(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{folder} has no {name}; {EXPECTED_FOLDER}") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _version(lock: bytes) -> str:
    """Describe the version of a lock file."""
    try:
        version = str(json.loads(lock)["info"]["version"])
    except (ValueError, KeyError, TypeError):
        return "not a lock file of Pyodide"
    return "a changed lock file of this version" if version == VERSION else f"from Pyodide {version}"
