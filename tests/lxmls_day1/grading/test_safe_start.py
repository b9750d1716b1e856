"""No process of the grader runs a submission's code, whatever the names of its files and the working folder are."""

import os
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from lxmls_day1.box.levels import strongest_level
from lxmls_day1.course.workspaces.generation import solved_files, student_files
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.grading.grading_run import saved_rows
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.plan import make_plan
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.labs import code_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="whole runs are tested where boxes are forked"),
]
REFERENCE = reference_folder()
HOSTILE = """
import os
with open(os.environ.get("CANARY", {canary!r}), "a") as file:
    file.write(__name__ + " ran in " + str(os.getpid()) + "\\n")
"""
# Python runs these files itself if they are on PYTHONPATH.
AT_START = ("sitecustomize.py", "usercustomize.py", "encodings/__init__.py")
MODULES = (
    *("joblib.py", "multiprocessing.py", "numpy.py", "click.py", "pytest.py", "numba.py", "scipy/__init__.py"),
    *("subprocess.py", "pickle.py", "random.py", "typing.py", "readers.py", "matplotlib/__init__.py", "tqdm.py"),
)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return a folder with the expected answers of a run, which take long to compute."""
    out = tmp_path_factory.mktemp("expected")
    make_plan(out, strongest_level(lab_program()), ["1.5"], seed=3)
    return out


def put_hostile(folder: Path, canary: Path, names) -> None:
    write_files(folder, dict.fromkeys(names, HOSTILE.format(canary=str(canary)).encode()))
    (folder / ".numba_config.yaml").write_text(f"cache_dir: {folder}\n", encoding="utf-8")


def command_in(folder: Path, inbox: str, out: Path, *more: str, **variables: str):
    command = [sys.executable, "-m", "lxmls_day1", "grade", inbox, "--out", str(out), "--exercises", "1.5", *more]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {"args": command, "cwd": folder, "env": {**environment, **variables}}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("where", ["inside", "above", "beside"])
def test_no_file_of_a_submission_is_imported_by_the_grader(tmp_path, expected, where):
    canary, out = tmp_path / "canary.txt", tmp_path / "marks"
    shutil.copytree(expected, out)
    mira = PurePosixPath("classifiers/mira.py")
    stub = code_of(solved_files(REFERENCE)) | {mira: student_files(REFERENCE)[mira]}
    write_files(tmp_path / "class" / "ada", stub)
    put_hostile(tmp_path / "class" / "ada", canary, (*AT_START, *MODULES))
    variables = {}
    folder, inbox = {"inside": (tmp_path / "class" / "ada", "."), "above": (tmp_path, "class")}.get(where, (None, ""))
    if where == "beside":  # PYTHONPATH names the folder by a dot.
        write_files(tmp_path / "class" / "ben", stub)
        folder, inbox, variables = tmp_path / "class" / "ben", "../ada", {"PYTHONPATH": ".:"}
        put_hostile(folder, canary, MODULES)
    done = subprocess.run(
        **command_in(folder, inbox, out, "--jobs", "2", **variables), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not canary.exists(), canary.read_text(encoding="utf-8")
    (row,) = saved_rows(out)
    assert row.points == 0
    assert {check.verdict for check in row.checks} == {"missing"}
