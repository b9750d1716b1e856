"""A folder of Pyodide is taken only if it holds the files of the one version, unchanged."""

import hashlib
import json

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.browser import runtime
from tests.wording import wording


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A small runtime: numpy, which needs openblas, and scipy, which no page needs."""
    packages = {
        name: {"file_name": f"{name}-1.whl", "sha256": hashlib.sha256(name.encode()).hexdigest(), "depends": depends}
        for name, depends in {"numpy": ["openblas"], "openblas": [], "scipy": ["numpy"], "prompt-toolkit": []}.items()
    }
    packages["numpy"]["depends"].append("prompt_toolkit")  # the same name, as some recipes write it
    contents = {entry["file_name"]: name.encode() for name, entry in packages.items() if name != "scipy"}
    contents["pyodide.js"] = b"load"
    contents[runtime.LOCK_FILE] = json.dumps({"info": {"version": runtime.VERSION}, "packages": packages}).encode()
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    digests = {name: hashlib.sha256(contents[name]).hexdigest() for name in (runtime.LOCK_FILE, "pyodide.js")}
    monkeypatch.setattr(runtime, "CORE_DIGESTS", digests)
    return tmp_path


def test_what_is_needed_in_turn_comes_along_and_nothing_else(folder):
    files = runtime.runtime_files(folder, ["numpy"])
    assert files.keys() == {runtime.LOCK_FILE, "pyodide.js", "numpy-1.whl", "openblas-1.whl", "prompt-toolkit-1.whl"}
    assert files["openblas-1.whl"] == b"openblas"


@pytest.mark.parametrize("name", ["pyodide.js", "openblas-1.whl"])
def test_a_changed_file_is_named(folder, name):
    (folder / name).write_bytes(b"changed")
    with pytest.raises(InputError, match="sha256") as refused:
        runtime.runtime_files(folder, ["numpy"])
    assert str(folder / name) in str(refused.value)


@pytest.mark.parametrize("name", [runtime.LOCK_FILE, "pyodide.js", "numpy-1.whl"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"has no {name}"):
        runtime.runtime_files(folder, ["numpy"])


@pytest.mark.parametrize(
    ("lock", "said"),
    [
        (b'{"info": {"version": "0.28.1"}}', "from Pyodide 0.28.1"),
        (b'{"info": {"version": "%s"}}' % runtime.VERSION.encode(), "a changed lock file"),
        (b"[]", "not a lock file"),
        (b"\xff", "not a lock file"),
    ],
)
def test_another_version_is_said(folder, lock, said):
    (folder / runtime.LOCK_FILE).write_bytes(lock)
    with pytest.raises(InputError, match=said) as refused:
        runtime.runtime_files(folder)
    assert runtime.VERSION in str(refused.value)


def test_no_folder(tmp_path):
    with pytest.raises(InputError, match=wording("browser.is_not_folder")):
        runtime.runtime_files(tmp_path / "not-there")
