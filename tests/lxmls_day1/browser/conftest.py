"""The site of the lab, served on loopback, and windows on it in a real browser.

The runtime comes from the cache folder, where `pyodide_files.py` puts it (`make test-browser` does that); without it, or
without Chromium, the tests that open a page are skipped and say so.
"""

import importlib.metadata
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lxmls_day1.browser.site import BUILDERS, make_site
from tests.lxmls_day1.browser import pyodide_files
from tests.lxmls_day1.browser.lab_page import LabPage


@pytest.fixture(scope="session")
def builders() -> None:
    """Skip if the builder of the site is missing."""
    for name in BUILDERS:
        if importlib.util.find_spec(name.replace("-", "_")) is None:
            pytest.skip(f'{name} is not installed: pip install -e ".[browser]"')
        importlib.metadata.version(name)


@pytest.fixture(scope="session")
def pyodide_folder(builders) -> Path:
    """The runtime."""
    folder = pyodide_files.cached_folder()
    if not pyodide_files.is_complete(folder):
        pytest.skip(f"no complete runtime is in {folder}: python tests/lxmls_day1/browser/pyodide_files.py fetches it")
    return folder


@pytest.fixture(scope="session")
def site(pyodide_folder, tmp_path_factory):
    """The site with everything in it."""
    return make_site(tmp_path_factory.mktemp("browser") / "site", pyodide=pyodide_folder)


@pytest.fixture(scope="session")
def address(site) -> Iterator[str]:
    """Return the address of the site."""
    with served(site.folder) as address:
        yield address


class served:
    """A folder served on loopback by a process of its own."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __enter__(self) -> str:
        options = ["0", "--bind", "127.0.0.1", "--directory", str(self.folder)]
        command = [sys.executable, "-u", "-m", "http.server", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = re.search(r"port (\d+)", self.process.stdout.readline())[1]
        return f"http://127.0.0.1:{port}"

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(name="served", scope="session")
def served_folder():
    """`served`, for the modules of this folder."""
    return served


@pytest.fixture
def open_lab_page(request):
    """A function that opens a window with the lab. Until the end of the test, no other host may get a request, and all parts must fit."""
    chromium, address = request.getfixturevalue("chromium"), request.getfixturevalue("address")
    opened = []

    def open_one(size: tuple[int, int] = (1280, 900), **settings) -> LabPage:
        viewport = {"width": size[0], "height": size[1]}
        context = chromium.new_context(viewport=viewport, accept_downloads=True, **settings)
        opened.append(LabPage(context, address))
        return opened[-1]

    yield open_one
    foreign = [url for window in opened for url in window.foreign]
    unfitting = [text for window in opened for text in window.unfitting]
    for window in opened:
        window.context.close()
    assert not foreign and not unfitting
