"""Wheels of pure Python packages, made from the installed packages, so that a site can be built without a package index."""

import hashlib
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.workspaces.archives import zipped

#: Packages that the lab and its demonstrations import in a browser and Pyodide lacks: from the name to its dependencies among them.
INSTALLED_PACKAGES: dict[str, tuple[str, ...]] = {
    "anywidget": ("ipywidgets", "psygnal", "typing-extensions"),
    "click": (),
    "comm": (),
    "iniconfig": (),
    "ipywidgets": ("comm", "jupyterlab-widgets"),
    "jupyterlab-widgets": (),
    "markdown-it-py": ("mdurl",),
    "mdurl": (),
    "platformdirs": (),
    "pluggy": (),
    "psygnal": (),
    "pytest": ("iniconfig", "pluggy"),
    "tqdm": (),
    "typing-extensions": (),
}
COMPILED = (".so", ".pyd", ".dylib")
MYPYC_LIBRARY = "__mypyc."  # part of the name of the library that all modules compiled by mypyc share
EXCLUDED_FILES = re.compile(
    r"(^|/)(__pycache__|tests?)(/|$)|\.py[co]$|\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json)$"
)


class Wheel(NamedTuple):
    """A wheel, with the data that a page needs to load it.

    Attributes
    ----------
    name, version : str
    file_name : str
    content : bytes
    imports : tuple of str
        The modules in the wheel.
    depends : tuple of str
        The packages that it needs, by their names in the page.
    """

    name: str
    version: str
    file_name: str
    content: bytes
    imports: tuple[str, ...]
    depends: tuple[str, ...]

    def lock_entry(self, folder: str) -> dict[str, Any]:
        """Return its entry in a lock file of Pyodide; ``folder`` is the address of the wheel's folder."""
        return {
            "depends": list(self.depends),
            "file_name": folder + self.file_name,
            "imports": list(self.imports),
            "install_dir": "site",
            "name": self.name,
            "package_type": "package",
            "sha256": hashlib.sha256(self.content).hexdigest(),
            "unvendored_tests": False,
            "version": self.version,
        }


def installed_wheel(name: str) -> Wheel:
    """Return the wheel of an installed package.

    Raises
    ------
    InputError
        If the package is not installed, or not pure Python.
    """
    try:
        found = distribution(name)
    except PackageNotFoundError as error:
        raise InputError(
            f"the package {name}, which the page needs, is not installed: python -m pip install 'lxmls-day1[browser]'"
        ) from error
    files = _files(found, name)
    tops = {path.parts[0] for path in files if not path.parts[0].endswith(".dist-info")}
    imports = tuple(sorted(top.removesuffix(".py") for top in tops if re.fullmatch(r"\w+(\.py)?", top)))
    file_name = f"{name.replace('-', '_')}-{found.version}-py3-none-any.whl"
    return Wheel(name, found.version, file_name, zipped(files, ""), imports, INSTALLED_PACKAGES.get(name, ()))


def _files(found: Distribution, name: str) -> dict[PurePosixPath, bytes]:
    files = {}
    sources = {path.as_posix() for path in found.files or () if path.suffix == ".py"}
    for path in found.files or ():
        place = PurePosixPath(path.as_posix())
        if ".." in place.parts or place.is_absolute() or EXCLUDED_FILES.search(str(place)):
            continue
        if place.suffix in COMPILED:
            if MYPYC_LIBRARY in place.name or str(place.with_name(place.name.partition(".")[0] + ".py")) in sources:
                continue  # compiled from a source file in the package, which is sufficient
            raise InputError(
                f"{name} {found.version} is installed with compiled parts, which no browser can run: {place}."
            )
        files[place] = Path(str(found.locate_file(path))).read_bytes()
    if not any(place.suffix == ".py" for place in files):
        raise InputError(f"the files of {name} {found.version} were not found where it is installed: install it again.")
    return files
