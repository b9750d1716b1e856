"""The list of learners in a folder that also holds a student's other files."""

import subprocess
import sys

import pytest

from lxmls_day1.base.learner_list import class_modules
from tests.command_runs import run

COPY = 'class Mira:\n    name = "MIRA"\n'


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["mira_backup.py", "a_mira.py", "my.py", "zz.py"])
@pytest.mark.parametrize("with_reference", [True, False])
def test_a_copy_of_a_classifier_does_not_replace_it(tmp_path, name, with_reference):
    """Not in a workspace, and not in a grading box, which hides the reference lab."""
    lab = tmp_path / "lab"
    run("start", lab)
    (lab / "classifiers" / name).write_text(COPY)
    if not with_reference:
        assert class_modules(lab / "classifiers")["Mira"] == "mira"
        return
    (lab / "classifiers/notes.py").write_bytes(b"# caf\xe9\n")
    (lab / "classifiers/old.py").mkdir()
    (lab / "classifiers/broken.py").write_text('class Mine(:\n    name = "Mine"\n')
    (lab / "classifiers/own.py").write_text('class Own:\n    name = "Own"\n')
    code = "from classifiers import AROW, CRF, Mira, Own; print(Mira.__module__, Own.__module__)"
    went = subprocess.run([sys.executable, "-c", code], cwd=lab, capture_output=True, text=True)
    assert went.stdout.split() == ["classifiers.mira", "classifiers.own"], went.stderr
