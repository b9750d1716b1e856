"""Workspaces made by published versions are checked, updated, handed in and graded like new workspaces."""

import csv
import zipfile
from pathlib import Path

import pytest

from tests.command_runs import run

OLDER = Path(__file__).resolve().parents[2] / "older_versions"
VERSIONS = ("0.1.0", "0.2.0")
SOLVED = ("1.4", "1.5")  # Graded exercises; 1.6 is a stub.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("older")


def started(version, folder):
    """Return a workspace with some exercises solved, as a version's own commands made it (tests/older_versions/make.py)."""
    with zipfile.ZipFile(OLDER / f"{version}.zip") as packed:
        packed.extractall(folder / version, [name for name in packed.namelist() if name.startswith("ada/")])
    return (folder / version / "ada").rename(folder / f"ada-{version}")


@pytest.fixture(scope="module")
def points(folder):
    """Return the marks of a new workspace, by exercise."""
    workspace = folder / "ada-now"
    run("start", workspace)
    for id in SOLVED:
        run("solve", "--lab", workspace, id)
    return graded(workspace, folder)


def graded(workspace, folder):
    """Return the marks in `grades.csv` of a workspace that is packed and graded."""
    run("submit", "--lab", workspace, "--name", "Ada")
    (packed,) = workspace.glob("*.zip")
    marks = folder / f"marks-{workspace.name}"
    run("grade", packed, "--out", marks, "--exercises", "1.4,1.5,1.6")
    with (marks / "grades.csv").open(encoding="utf-8-sig") as file:
        (row,) = csv.DictReader(file)
    return {name: value for name, value in row.items() if name.startswith("1.") or name == "points"}


@pytest.mark.slow(20)
@pytest.mark.parametrize("version", VERSIONS)
def test_an_older_workspace_has_the_marks_of_a_new_one(version, folder, points):
    workspace = started(version, folder)
    assert graded(workspace, folder) == points
    own = workspace / "classifiers" / "my_rule.py"
    own.write_text("from lxmls_day1.errors import InputError\nfrom lxmls_day1.checks import (\n    as_numbers,\n)\n")
    (workspace / "classifiers" / "a_folder.py").mkdir()
    run("update", "--lab", workspace)
    head = "from lxmls_day1.lab_api import "
    assert own.read_text().splitlines() == [f"{head}InputError", f"{head}as_numbers"]
    assert "from lxmls_day1.lab_api import setting" in (workspace / "classifiers" / "mira.py").read_text()
    for id in SOLVED:
        run("check", "--lab", workspace, id)
    run("check", "--lab", workspace, "1.6", status=1)
    assert graded(workspace, folder / "updated") == points
