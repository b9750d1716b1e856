"""Checks in this process, as a browser runs them, say the same as checks in a process of their own."""

import json
import os
import shutil
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import pytest

from lxmls_day1.course import checking
from lxmls_day1.course.checking import run_checks
from lxmls_day1.course.mistakes import read_mistakes
from lxmls_day1.course.pool_making import uncompiled_lab
from lxmls_day1.course.registry import FILE, FOLDER, Registry
from lxmls_day1.course.report_text import as_text, check_lines
from lxmls_day1.lab import PACKAGES, reference_folder

ROOT = Path(__file__).resolve().parents[3]
STEP = "tau = loss / (2 * sq_norm)"
CHECK_ALL = """
import sys; sys.modules["numba"] = sys.modules["llvmlite"] = None
import json
from pathlib import Path
from lxmls_day1.course import checking
from lxmls_day1.course.report_text import as_text, check_lines
checking.STARTS_PROCESSES = False
print("TEXTS", json.dumps([as_text(check_lines(checking.run_checks(Path(folder), time_limit=60.0))) for folder in sys.argv[1:]]))
"""


@pytest.fixture
def here(monkeypatch):
    """The checks of an exercise of the small lab, in this process."""

    def here(folder, *ids, **settings):
        with monkeypatch.context() as patched:
            patched.setattr(checking, "STARTS_PROCESSES", False)
            return run_checks(folder, ids or None, **settings)

    return here


def text_of(report):
    return as_text(check_lines(report))


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("new", "outcome"),
    [
        (STEP, "passed"),
        ("tau = loss / sq_norm", "wrong"),
        ("tau = loss / sq_norms", "error"),
        ("tau = 1 +", "error"),
        ("raise SystemExit(3)", "error"),
        ("import os; os._exit(3)", "ended"),
        ("raise KeyboardInterrupt", "ended"),
        ("import lxmls_day1.course.recorded_answers", "error"),
        ("tau = float(input())", "error"),
        ('print("x" * 9); import sys; print("y", file=sys.stderr); ' + STEP, "passed"),
    ],
)
def test_the_same_is_said_as_in_a_process_of_its_own(here, edit, new, outcome):
    folder = edit(STEP, new)
    report = here(folder)
    assert report.reports[0].results[0].outcome == outcome
    assert text_of(report) == text_of(run_checks(folder))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "loop",
    [
        "while True: pass",
        "while True:\n        try: int('x')\n        except: pass",
        "while True:\n        try:\n            while True: int(3)\n        except ValueError: pass",
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timer that sends signals; a browser has our own")
def test_a_loop_without_end_is_ended_and_what_comes_after_it_is_not_run(here, edit, loop):
    one, other, _ = here(edit(STEP, f"{loop}"), time_limit=0.3).reports
    assert [result.outcome for result in one.results] == ["timeout", "not run", "not run"]
    assert "did not end within 0.3 s" in one.results[0].text
    assert [result.outcome for result in other.results] == ["to do"]


def test_an_edit_counts_at_the_next_check_also_within_a_second(here, edit):
    folder = edit(STEP, "tau = loss / (3 * sq_norm)")
    assert not here(folder, "1.1").all_passed
    path = folder / "classifiers/steps.py"
    path.write_text(path.read_text().replace("3 * sq_norm", "2 * sq_norm"))
    assert here(folder, "1.1").all_passed


def mistaken_labs(folder, n_labs=None):
    """Labs with a mistake in as many exercises as can be, each mistake in one of them; each exercise's first ones first."""
    reference = reference_folder()
    plain = uncompiled_lab(reference, folder / "plain")
    registry = Registry.read(reference / FILE)
    of_exercises = [
        [program for mistake in read_mistakes(reference / FOLDER, exercise) for program in mistake.programs]
        for exercise in registry.select(None)
    ]
    labs = []
    for programs in list(zip_longest(*of_exercises))[:n_labs]:
        made = []  # of each lab of this round the files that are changed
        for program in filter(None, programs):
            exercise = registry[program.exercise]
            sources = {name: (plain / name).read_text() for name in exercise.files if name.endswith(".py")}
            files = program.made_in(sources)
            place = next((one for one in made if not one.keys() & files.keys()), None)
            if place is None:
                made.append(place := {})
            place.update(files)
        for files in made:
            lab = folder / str(len(labs))
            for package in PACKAGES:
                shutil.copytree(plain / package, lab / package)
            shutil.copytree(reference / FOLDER, lab / FOLDER)
            for name, text in files.items():
                (lab / name).write_text(text)
            labs.append(lab)
    right = folder / "right"
    shutil.copytree(plain, right)
    shutil.copytree(reference / FOLDER, right / FOLDER)
    return [right, *labs]


@pytest.mark.slow
@pytest.mark.parametrize("n_labs", [1, pytest.param(None, marks=pytest.mark.campaign)], ids=["the commonest", "all"])
def test_of_every_exercise_right_and_wrong_the_same_is_said_both_ways(tmp_path, n_labs):
    labs = mistaken_labs(tmp_path, n_labs)
    ran = subprocess.run(
        [sys.executable, "-c", CHECK_ALL, *map(str, labs)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    texts = json.loads(ran.stdout.rpartition("TEXTS ")[2])
    assert "✗" not in texts[0] and texts[0].count("✓") > 60
    assert sum(text.count("known mistake") for text in texts[1:]) > 10
    for lab, text in zip(labs, texts, strict=True):
        assert text == text_of(run_checks(lab, time_limit=60.0))
