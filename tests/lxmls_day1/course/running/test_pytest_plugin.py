"""The checks as an instructor runs them: ``pytest tests/exercises --lab FOLDER``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wording import wording

ROOT = Path(__file__).resolve().parents[4]
START = """
import importlib, pkgutil, sys
from pathlib import Path
import lxmls_day1.course
for module in pkgutil.walk_packages(lxmls_day1.course.__path__, "lxmls_day1.course."):
    importlib.import_module(module.name)
for name, module in list(sys.modules.items()):
    if name.startswith("lxmls_day1.") and hasattr(module, "reference_folder"):
        module.reference_folder = lambda: Path(sys.argv[1])
import pytest
options = ["-q", "-rA", "-p", "no:cacheprovider", "--import-mode=importlib", "-c", sys.argv[2]]
sys.exit(pytest.main([*options, *sys.argv[3:]], plugins=[lxmls_day1.course.running.pytest_plugin]))
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def run(reference, tmp_path):
    settings = tmp_path / "pytest.ini"
    settings.write_text("[pytest]\n")

    def run(*arguments, status=0):
        command = [sys.executable, "-c", START, reference, settings, reference / "tests/exercises", *arguments]
        own = {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        options = {"capture_output": True, "check": False, "encoding": "utf-8"}
        result = subprocess.run(command, cwd=tmp_path, env=os.environ | own, **options)
        assert result.returncode == status, result.stdout + result.stderr
        return result.stdout

    return run


def test_the_lab_around_the_checks_is_checked(run):
    assert "4 passed, 2 deselected" in run()


def test_another_lab_can_be_checked(run, edit):
    said = run("--lab", str(edit("2 * sq_norm", "sq_norm")), status=1)
    assert "2 failed, 2 passed" not in said  # In that lab, 1.2 is a stub.
    assert wording("course.wronganswer_step_loss_squared") in said
    assert "expected  0.4" in said and "yours     0.8" in said


def test_hidden_checks_on_fresh_inputs_with_answers_of_the_reference(run, edit):
    assert wording("course.hidden_checks_ran_seed") in run("--hidden", "-k", "fresh", "--seed", "5")
    said = run("--hidden", "-k", "fresh", "--lab", str(edit("2 * sq_norm", "sq_norm")), status=1)
    assert "2 failed" in said and wording("course.hidden_checks_ran_seed_2") in said
