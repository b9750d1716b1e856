"""Workspaces made by published versions are checked, updated, handed in and graded like new workspaces."""

import csv
import zipfile
from pathlib import Path

import pytest

from tests.command_runs import run

OLDER = Path(__file__).resolve().parents[2] / "older_versions"
VERSIONS = ("0.1.0", "0.2.0")
OWN_RULE = "from lxmls_day1.errors import InputError\nfrom lxmls_day1.checks import (\n    as_numbers,\n)\n"
SOLVED = ("1.4", "1.5")  # Graded exercises; 1.6 is a stub.


def started(version, folder):
    """Return a workspace with some exercises solved, as a version's own commands made it (tests/older_versions/make.py)."""
    with zipfile.ZipFile(OLDER / f"{version}.zip") as packed:
        packed.extractall(folder / version, [name for name in packed.namelist() if name.startswith("ada/")])
    return (folder / version / "ada").rename(folder / f"ada-{version}")


def hand_in(workspace, inbox, name):
    run("submit", "--lab", workspace, "--name", name)
    (packed,) = workspace.glob("*.zip")
    packed.rename(inbox / f"{name}.zip")


@pytest.mark.slow(20)
def test_older_workspaces_have_the_marks_of_a_new_one(tmp_path):
    """They are handed in as they are and again after an update, and graded in one run."""
    (inbox := tmp_path / "inbox").mkdir()
    run("start", tmp_path / "now")
    for id in SOLVED:
        run("solve", "--lab", tmp_path / "now", id)
    hand_in(tmp_path / "now", inbox, "now")
    for version in VERSIONS:
        workspace = started(version, tmp_path)
        hand_in(workspace, inbox, version)
        own = workspace / "classifiers" / "my_rule.py"
        own.write_text(OWN_RULE)
        (workspace / "classifiers" / "a_folder.py").mkdir()
        run("update", "--lab", workspace)
        head = "from lxmls_day1.lab_api import "
        assert own.read_text().splitlines() == [f"{head}InputError", f"{head}as_numbers"]
        assert "from lxmls_day1.lab_api import setting" in (workspace / "classifiers" / "mira.py").read_text()
        for id in SOLVED:
            run("check", "--lab", workspace, id)
        run("check", "--lab", workspace, "1.6", status=1)
        hand_in(workspace, inbox, f"{version}, updated")
    run("grade", inbox, "--out", tmp_path / "marks", "--exercises", "1.4,1.5,1.6")
    with (tmp_path / "marks/grades.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    marks = [{name: row[name] for name in row if name.startswith("1.") or name == "points"} for row in rows]
    assert len(marks) == 1 + 2 * len(VERSIONS) and marks == [marks[0]] * len(marks)
    assert float(marks[0]["points"]) > 0
