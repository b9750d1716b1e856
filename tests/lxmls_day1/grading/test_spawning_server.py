"""Boxes that are Pythons of their own: what stands in the grader's folder, or in ``PYTHONPATH``, is not imported there."""

import contextlib
import os
from pathlib import PurePosixPath

import pytest

from lxmls_day1.box.box import Box
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.spawning_server import SpawningServer
from lxmls_day1.grading.lab_boxes import lab_program

pytestmark = pytest.mark.slow

HOSTILE = "with open({canary!r}, 'a') as file: file.write(__name__)\n"
SAYS_ITS_PATH = (
    b"import sys\ndef path(): return [entry for entry in sys.path], sys.flags.safe_path, sys.flags.no_user_site\n"
)


@pytest.mark.parametrize("variable", [None, "{folder}"], ids=["none", "absolute"])
def test_nothing_of_the_current_folder_is_imported(tmp_path, monkeypatch, variable):
    canary, folder = tmp_path / "canary.txt", tmp_path / "ada"
    for name in ("numpy", "json", "socket", "random", "sitecustomize", "usercustomize", "readers", "lxmls_day1"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(HOSTILE.format(canary=str(canary)), encoding="utf-8")
    monkeypatch.chdir(folder)
    if variable is not None:
        monkeypatch.setenv("PYTHONPATH", variable.format(folder=folder))
    files = {PurePosixPath(f"{name}/__init__.py"): b"" for name in ("classifiers", "readers")}
    files[PurePosixPath("classifiers/says.py")] = SAYS_ITS_PATH
    with contextlib.closing(Box(SpawningServer(lab_program()), files, Limits())) as box:
        request = {"do": "perform", "method": "function", "target": ("says", "path"), "arguments": (), "settings": {}}
        entries, is_safe, no_user_site = box.ask(request, 60.0)
    assert is_safe
    assert no_user_site
    assert all(os.path.isabs(entry) for entry in entries)
    assert str(folder) not in entries
    assert not canary.exists(), canary.read_text(encoding="utf-8")
