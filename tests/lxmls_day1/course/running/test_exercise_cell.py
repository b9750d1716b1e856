"""The guard of an exercise's cell: edited files apply at once, and unwritten code ends the cell with one line."""

import pytest

from lxmls_day1.course.running.exercise_cell import ExerciseCell
from tests.lxmls_day1.small_labs import make_lab
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before")


@pytest.fixture
def lab(tmp_path):
    lab = make_lab(tmp_path, rule="def rule():\n    raise NotImplementedError('Exercise 1.5: a rule')\n")
    lab.load("classifiers.rule")
    return lab


def test_an_unwritten_function_is_reported_in_one_line_with_its_place(lab, capsys):
    with ExerciseCell(lab, "1.5"):
        from classifiers.rule import rule

        rule()
    assert capsys.readouterr().out == (wording("course.still_done_exercise_rule"))


def test_an_edited_file_counts_at_once(lab):
    (lab.folder / "classifiers/rule.py").write_text("def rule():\n    return 'written in the meantime'\n")
    with ExerciseCell(lab, "1.5"):
        from classifiers.rule import rule

        assert rule() == "written in the meantime"


def test_a_stub_without_a_message_and_outside_the_lab(lab, capsys):
    with ExerciseCell(lab, "1.3"):
        raise NotImplementedError
    assert capsys.readouterr().out == wording("course.still_done_exercise")


def test_a_name_error_in_a_students_file_is_not_taken_for_a_cell_that_waits(lab, capsys):
    with ExerciseCell(lab, "1.5"):
        raise NotImplementedError("Exercise 1.5: a rule")
    capsys.readouterr()
    (lab.folder / "classifiers/mira.py").write_text("def mira_rule(scores):\n    return score\n")
    (lab.folder / "classifiers/rule.py").write_text("def rule(f):\n    return f(1)\n")
    with pytest.raises(NameError, match=wording("course.name_score_defined")) as raised, ExerciseCell(lab, "1.5"):
        from classifiers.rule import rule

        from classifiers.mira import mira_rule

        rule(mira_rule)
    assert not capsys.readouterr().out
    names = [entry.frame.code.path.name for entry in raised.traceback]
    assert names[-1] == "mira.py" and "rule.py" not in names


def test_a_damaged_registry_does_not_hide_the_error(lab):
    (lab.folder / "tests/exercises").mkdir(parents=True)
    (lab.folder / "tests/exercises/exercises.toml").write_text("[[exercise")
    with pytest.raises(ZeroDivisionError), ExerciseCell(lab, "1.5"):
        1 / 0  # noqa: B018


def test_a_cell_that_builds_on_an_unwritten_one_waits(lab, capsys):
    with pytest.raises(NameError), ExerciseCell(lab, "1.5"):
        found_above  # noqa: B018, F821
    with ExerciseCell(lab, "1.5"):
        raise NotImplementedError("Exercise 1.5: a rule")
    with ExerciseCell(lab, "1.5"):
        found_above  # noqa: B018, F821
    assert wording("course.waits_exercise_cell_above") in capsys.readouterr().out
    with pytest.raises(NameError), ExerciseCell(lab, "1.6"):
        found_above  # noqa: B018, F821
