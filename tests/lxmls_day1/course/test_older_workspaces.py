"""Workspaces made by published versions are checked, updated, handed in and graded like new workspaces."""

import csv
import io
import subprocess
import sys
import tarfile

import pytest

from lxmls_day1.lab import reference_folder
from tests.command_runs import run

#: The last commit of each version.
VERSIONS = {"0.1.0": "8dffe70b~1", "0.2.0": "8dffe70b"}
SOLVED = ("1.4", "1.5")  # Graded exercises; 1.6 is a stub.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("older")


def started(version, folder):
    """Return a workspace with some exercises solved, made by a version's own commands."""
    source, workspace = folder / f"source-{version}", folder / f"ada-{version}"
    archive = subprocess.run(
        ["git", "archive", VERSIONS[version]], cwd=reference_folder(), capture_output=True, check=False
    )
    if archive.returncode:
        pytest.skip(
            f"the history of this checkout does not reach version {version}: fetch it all (git fetch --unshallow)"
        )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(source, filter="data")
    code = f"import sys; sys.path.insert(0, {str(source)!r}); from lxmls_day1.__main__ import main; main()"
    for arguments, place in ((["start", str(workspace)], folder), *((["solve", id], workspace) for id in SOLVED)):
        subprocess.run([sys.executable, "-P", "-c", code, *arguments], cwd=place, check=True, capture_output=True)
    return workspace


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
