"""Saved edits apply from the next notebook cell on, in every cell; a broken file changes nothing."""

import os
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell

from lxmls_day1.course.running.autoreload import Autoreload, file_states, watch_cells
from lxmls_day1.course.running.exercise_cell import ExerciseCell
from lxmls_day1.lab import Lab
from tests.lxmls_day1.small_labs import make_lab
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before")

RULE = "STEP = 1\n\n\ndef rule():\n    return 1\n\n\nclass Learner:\n    def train(self):\n        return rule()\n"
CELL = "from classifiers.mine import Learner, rule as by_another_name\nimport classifiers.mine as module\nfrom classifiers import other\nlearner = Learner()"
ASKED = "asked = [by_another_name(), module.rule(), Learner().train(), learner.train(), other.twice()]"


@pytest.fixture(params=[False, True], ids=["byte code is written", "none is written"])
def lab(tmp_path, request, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", request.param)
    make_lab(tmp_path, mine=RULE, other="from classifiers.mine import rule\n\n\ndef twice():\n    return 2 * rule()\n")
    return Lab.open(tmp_path)


@pytest.fixture
def shell(lab, monkeypatch):
    """Return an IPython shell as in a notebook; a cell has opened the lab and imported its names."""
    shell = InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    watch_cells(lab)
    run(shell, CELL)
    return shell


def run(shell, cell):
    result = shell.run_cell(cell)
    result.raise_error()
    return shell.user_ns


def edit(lab, old, new, name="mine"):
    path = lab.folder / f"classifiers/{name}.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(10**18, path.stat().st_mtime_ns + 10**7))  # A disk may store times in whole seconds.


def test_every_cell_sees_the_newest_code(lab, shell):
    """Including functions, classes, modules, existing objects, and names that other files of the lab import."""
    assert run(shell, ASKED)["asked"] == [1, 1, 1, 1, 2]
    edit(lab, "return 1", "return 5")
    assert run(shell, ASKED)["asked"] == [5, 5, 5, 5, 10]
    edit(lab, "return 5", "return 6")  # The same length, perhaps within the same second.
    assert run(shell, ASKED)["asked"] == [6, 6, 6, 6, 12]


def test_a_syntax_error_is_one_line_and_the_previous_code_still_runs(lab, shell, capsys):
    edit(lab, "return 1", "return (5")
    assert run(shell, ASKED)["asked"] == [1, 1, 1, 1, 2]
    assert capsys.readouterr().out == (wording("course.python_never_closed_until"))
    assert run(shell, ASKED)["asked"] == [1, 1, 1, 1, 2] and capsys.readouterr().out == ""
    run(shell, "from classifiers.mine import rule; again = rule()")
    assert shell.user_ns["again"] == 1
    with ExerciseCell(lab, "1.5"):
        from classifiers.mine import rule

        assert rule() == 1
    edit(lab, "return (5", "return 7")
    assert run(shell, ASKED)["asked"] == [7, 7, 7, 7, 14] and capsys.readouterr().out == ""


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError])
@pytest.mark.parametrize("name", ["classifiers.mine", "classifiers.other"])
def test_an_interrupted_import_changes_nothing_and_is_repeated_by_the_next_cell(lab, shell, monkeypatch, error, name):
    edit(lab, "return 1", "return 5")
    load = Lab.load

    def ended(self, asked):
        if asked == name:
            raise error
        return load(self, asked)

    code = Autoreload.for_lab(lab)
    modules = {key: sys.modules[key] for key in ("classifiers.mine", "classifiers.other")}
    with monkeypatch.context() as patch:
        patch.setattr(Lab, "load", ended)
        with pytest.raises(error):
            code.reload_changed(shell.user_ns)
        assert {key: sys.modules.get(key) for key in modules} == modules
        assert shell.user_ns["learner"].train() == 1 and shell.user_ns["module"].rule() == 1
    assert run(shell, ASKED)["asked"] == [5, 5, 5, 5, 10]


FAULTS = ("1 / 0", "import nothing_of_that_name", "raise SystemExit", "from classifiers.nothing import gone")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_cannot_be_imported_is_one_line_too(lab, shell, capsys, fault):
    edit(lab, "STEP = 1", fault)
    assert run(shell, ASKED)["asked"] == [1, 1, 1, 1, 2]
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(wording("course.importing_file_ends"))


def test_an_edit_counts_whether_it_comes_before_the_first_import_or_after_it(lab, shell):
    (lab.folder / "classifiers/late.py").write_text("STEP = 1\n")
    run(shell, "pass")
    edit(lab, "1", "2", "late")
    assert run(shell, "from classifiers.late import STEP")["STEP"] == 2
    run(shell, "pass")
    edit(lab, "2", "3", "late")
    assert run(shell, "import classifiers.late as late\nSTEP = late.STEP")["STEP"] == 3


def test_a_file_that_was_deleted_or_is_new(lab, shell):
    (lab.folder / "classifiers/other.py").unlink()
    (lab.folder / "classifiers/third.py").write_text("three = 3\n")
    assert run(shell, "from classifiers.third import three")["three"] == 3
    assert run(shell, "asked = other.twice()")["asked"] == 2


def test_without_a_notebook_nothing_is_watched(lab, monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    watch_cells(lab)
    assert Autoreload.for_lab(lab) is Autoreload.for_lab(lab)
    assert len(file_states(lab.folder)) == 4
