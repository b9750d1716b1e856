"""The same seed gives the same marks: in another run, at another level of the sandbox, with another Python."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from lxmls_day1.box.fork_server import BUBBLEWRAP, LANDLOCK
from lxmls_day1.box.levels import Level, reason_unavailable
from lxmls_day1.course.registry import FOLDER, Registry
from lxmls_day1.course.workspaces.generation import solved_files, student_files
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.grading.intake.submissions import Submission
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.one_submission import Grader
from lxmls_day1.grading.running.plan import make_plan
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.labs import code_of
from tools.authoring.mistakes import read_mistakes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="both levels are Linux's"),
]
REFERENCE = reference_folder()
EXERCISES = ("1.5", "1.12")
SEEDS = (1, 20_26, 2**32 - 1)


@pytest.fixture(scope="module")
def handed_in(right_variants):
    """Return correct and wrong solutions of two exercises: name -> files."""
    registry = Registry.read(REFERENCE / FOLDER / "exercises.toml")
    solved = code_of(solved_files(REFERENCE))
    given = student_files(REFERENCE)
    found = {}
    for exercise in (registry[id] for id in EXERCISES):
        for variant in [v for v in right_variants if v.exercise.id == exercise.id][:2]:
            found[f"right_{exercise.stem}_{variant.name}"] = variant.lab_files(given)
        sources = {name: (REFERENCE / name).read_text(encoding="utf-8") for name in exercise.files}
        for mistake in read_mistakes(REFERENCE / FOLDER, exercise)[:2]:
            made = {PurePosixPath(path): text.encode() for path, text in mistake.programs[0].apply_to(sources).items()}
            found[f"mistake_{exercise.stem}_{mistake.name}"] = {**solved, **made}
    return found


def marks(plan, handed_in):
    """Return the results of every check, without the times."""
    some = [Submission(name, name, name, "", files) for name, files in handed_in.items()]
    with contextlib.closing(Grader(plan)) as grader:
        graded = [grader(one) for one in some]
    rows = [replace(done.row, seconds=0.0, key="") for done in graded]
    return [
        (row.student, row.points, [replace(check, seconds=0.0) for check in row.checks], row.printed) for row in rows
    ]


@pytest.mark.parametrize("seed", [SEEDS[0], *(pytest.param(seed, marks=pytest.mark.campaign) for seed in SEEDS[1:])])
def test_marks_are_equal_at_both_levels(tmp_path, handed_in, seed):
    levels = [level for level in (BUBBLEWRAP, LANDLOCK) if reason_unavailable(lab_program(), level) is None]
    if not levels:
        pytest.skip("neither level works here")
    plan = make_plan(tmp_path / "first", Level(levels[0]), EXERCISES, seed=seed)
    first = marks(plan, handed_in)
    of_exercise = {name: points for name, points, *_ in first if name.startswith("right")}
    assert min(of_exercise.values()) == 10
    assert {check.verdict for _, _, checks, *_ in first for check in checks} >= {"ok", "wrong", "missing"}
    again = replace(plan, level=Level(levels[-1])).with_key()  # At the other level, in another order.
    assert marks(again, dict(reversed(handed_in.items()))) == first[::-1]


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_marks_are_equal_with_another_python(tmp_path, handed_in, version):
    """Run the command as a user does, with any Python of that version that has the package's dependencies."""
    environment = {**os.environ, "PYTHONPATH": str(REFERENCE)}
    needed = "import lxmls_day1, pytest, numpy, scipy, numba, joblib, click, matplotlib"
    python = os.environ.get(f"LXMLS_DAY1_PYTHON_{version.replace('.', '_')}") or shutil.which(f"python{version}")
    if f"{sys.version_info[0]}.{sys.version_info[1]}" == version:
        pytest.skip(f"these tests run with Python {version}")
    if python is None or subprocess.run([python, "-c", needed], env=environment, capture_output=True).returncode:
        pytest.skip(f"there is no Python {version} here with all that the package needs")
    inbox = tmp_path / "inbox"
    for name, files in handed_in.items():
        write_files(inbox / name, files)
    found = []
    for program in (sys.executable, python):
        out = tmp_path / f"out{len(found)}"
        command = [program, "-m", "lxmls_day1", "grade", str(inbox), "--out", str(out), "--seed", "5"]
        command += ["--exercises", ",".join(EXERCISES), "--jobs", "1"]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        submissions = json.loads((out / "grades.json").read_text(encoding="utf-8"))["submissions"]
        found.append(
            [
                (one["student"], one["points"], [(check["check"], check["verdict"]) for check in exercise["checks"]])
                for one in submissions
                for exercise in one["exercises"]
            ]
        )
    assert found[0] == found[1]
