"""A workspace of the day, what it takes from the package, and further notebooks."""

import os
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest
from click.testing import CliRunner

from lxmls_day1.box.fork_server import PROCESS
from lxmls_day1.box.levels import Level
from lxmls_day1.commands.command_line import command_group
from lxmls_day1.course.generation import student_files
from lxmls_day1.course.lab_parts import exercises_named, part_of, the_day, with_prerequisites
from lxmls_day1.course.registry import Registry, check_files
from lxmls_day1.course.solve_reset_undo import solve, undo
from lxmls_day1.course.submission_export import collect_submission, pack_submission
from lxmls_day1.course.submission_import import open_work
from lxmls_day1.course.upgrade import add, update
from lxmls_day1.course.workspace import start_workspace
from lxmls_day1.errors import InputError
from lxmls_day1.grading.one_submission import ForkServers, Grader
from lxmls_day1.grading.plan import make_plan
from lxmls_day1.grading.submissions import Submission
from lxmls_day1.lab import PACKAGES, Lab, reference_folder

REFERENCE = Registry.of(reference_folder())
FURTHER = [exercise for exercise in REFERENCE if not exercise.is_of_the_day]


@pytest.fixture(scope="module")
def given():
    return student_files(reference_folder())


@pytest.fixture
def day(tmp_path):
    return start_workspace(tmp_path / "mein Labor ä", day=True)


def in_python(folder, code):
    """What a Python prints that was started in a folder, as a student starts one."""
    went = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert went.returncode == 0, went.stderr
    return went.stdout.split("\n")[:-1]


def a_file_that_is_not_there(folder):
    """A classifier that no exercise of the lab names, and its class."""
    name = "crf"
    path = next((reference_folder() / "classifiers").rglob(f"{name}.py")).relative_to(reference_folder())
    assert not (folder / path).exists()
    return ".".join(path.with_suffix("").parts)


def test_the_day_is_small(day):
    files = list(day.rglob("*.py"))
    assert len(files) <= 30
    assert sum(len(path.read_text(encoding="utf-8").split("\n")) for path in files) <= 4400
    assert Registry.of(day).ids == tuple(the_day(REFERENCE)) == tuple(e.id for e in REFERENCE if e not in FURTHER)


@pytest.mark.parametrize("exercise", FURTHER, ids=lambda exercise: exercise.id)
def test_each_exercise_comes_with_its_files_and_with_what_it_builds_on(exercise, given):
    ids = with_prerequisites([exercise.id], REFERENCE)
    part = part_of(given, ids, REFERENCE)
    assert {PurePosixPath(name) for name in (*exercise.files, exercise.notebook)} <= set(part)
    assert {path.name for path in check_files(reference_folder() / "tests/exercises", exercise)} <= {
        p.name for p in part
    }
    assert set(exercise.prerequisites) <= set(ids)
    assert all(part[path] == given[path] for path in part if path.name != "exercises.toml")


def test_notebooks_and_exercises_by_their_names():
    structured = [exercise.id for exercise in REFERENCE if "structured" in exercise.notebook]
    for name in (
        "5_structured",
        "5",
        "5_structured.ipynb",
        "notebooks/5_structured.ipynb",
        "notebooks\\5_structured.ipynb",
    ):
        assert set(structured) <= set(exercises_named([name], REFERENCE))
    assert exercises_named(["1.6"], REFERENCE) == with_prerequisites(["1.6"], REFERENCE) != ["1.6"]
    with pytest.raises(InputError, match="there is no notebook or exercise '9_nothing'"):
        exercises_named(["9_nothing"], REFERENCE)


class TestWhatIsNotThere:
    def test_it_is_imported_from_the_package_and_there_is_one_of_each_class(self, day):
        module = a_file_that_is_not_there(day)
        flat = module.rpartition(".")[2]
        said = in_python(
            day,
            f"from {module} import CRF\nimport classifiers.linear_classifier as base, sys\n"
            "print(base.__file__)\nprint(issubclass(CRF, base.LinearClassifier))\n"
            f"sys.path.append('classifiers/')\nimport {flat}\nprint(issubclass({flat}.CRF, base.LinearClassifier))\n"
            "from classifiers import CRF as again\nprint(again is CRF)\n"
            f"from lxmls_day1 import Lab\nprint(Lab.open().load('{module}').CRF is CRF)",
        )
        assert said == [str(day / "classifiers" / "linear_classifier.py"), "True", "True", "True", "True"]

    def test_a_file_of_an_exercise_that_was_deleted_stays_missing(self, day):
        (day / "classifiers" / "mira.py").unlink()
        with pytest.raises(InputError, match=r"has no classifiers/mira\.py"):
            Lab(day).load("classifiers.mira")
        said = in_python(day, "try:\n    import classifiers.mira\nexcept ImportError as error:\n    print(error)")
        assert said == ["No module named 'classifiers.mira'"]

    def test_two_labs_in_turn_have_classes_of_their_own(self, day, tmp_path):
        module = a_file_that_is_not_there(day)
        one, other = Lab(day), Lab(start_workspace(tmp_path / "other", day=True))
        for lab in (one, other, one):
            base = lab.load("classifiers.linear_classifier")
            assert Path(base.__file__).is_relative_to(lab.folder)
            assert issubclass(lab.load(module).CRF, base.LinearClassifier)
            assert lab.load(module) is lab.load(module)

    def test_what_nobody_has_is_not_found(self, day):
        with pytest.raises(InputError, match=r"has no classifiers/crff\.py"):
            Lab(day).load("classifiers.crff")


class TestAdding:
    def test_what_was_written_stays_and_undo_takes_it_back(self, day):
        solve(day, "1.5")
        written = (day / "classifiers" / "mira.py").read_bytes()
        before = {path for path in day.rglob("*.py") if ".lab-backups" not in path.parts}
        added = add(day, ["5_structured"])
        assert [exercise.id for exercise in added] == [e.id for e in FURTHER if "structured" in e.notebook]
        assert (day / "classifiers" / "mira.py").read_bytes() == written
        assert all((day / name).is_file() for exercise in added for name in (*exercise.files, exercise.notebook))
        assert add(day, ["5"]) == []
        undo(day)
        assert {path for path in day.rglob("*.py") if ".lab-backups" not in path.parts} == before
        assert Registry.of(day).ids == tuple(the_day(REFERENCE))

    def test_everything(self, day, tmp_path):
        add(day, [])
        whole = start_workspace(tmp_path / "whole")
        names = {path.relative_to(whole) for path in whole.rglob("*") if path.is_file()}
        assert all((day / name).is_file() for name in names)
        assert Registry.of(day).ids == REFERENCE.ids and not Registry.of(day).is_part
        assert add(whole, ["5"]) == []

    def test_an_update_brings_no_exercise(self, day):
        assert update(day).place == ""
        assert Registry.of(day).ids == tuple(the_day(REFERENCE))

    def test_work_of_a_larger_workspace_is_opened_with_its_exercises(self, day, tmp_path):
        larger = start_workspace(tmp_path / "larger", day=True)
        add(larger, ["1.9"])
        solve(larger, "1.9")
        name, content = pack_submission(larger, collect_submission(larger), "Ada")
        (tmp_path / name).write_bytes(content)
        open_work(day, tmp_path / name)
        assert "1.9" in Registry.of(day)
        path = "classifiers/running_average.py"
        assert (day / path).read_bytes() == (larger / path).read_bytes()

    @pytest.mark.parametrize("command", ["check", "hint", "solve", "reset"])
    def test_commands_say_how_to_have_an_exercise_that_is_not_there(self, day, command):
        went = CliRunner().invoke(command_group, [command, "1.13", "--lab", str(day)])
        assert went.exit_code != 0
        assert "exercise 1.13 is not in this lab yet: `lxmls-day1 add 5_structured` brings it" in went.output

    def test_the_command(self, day):
        def said(*arguments):
            went = CliRunner().invoke(command_group, ["add", *arguments, "--lab", str(day)])
            assert went.exit_code == 0, went.exception
            return went.output

        assert "5_structured       1.13  " in said()
        assert "classifiers/structured/viterbi.py, notebooks/5_structured.ipynb" in said("5_structured")
        assert "is here already" in said("5_structured")
        said("--all")
        assert "Every exercise is here." in said()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="boxes are forked")
def test_a_part_is_graded_as_the_same_answers_in_a_whole_lab(tmp_path):
    """1.7b trains what takes a file of another exercise along."""
    folders = {name: start_workspace(tmp_path / name, day=name == "day") for name in ("day", "whole")}
    ids = ["1.5", "1.7b", "1.13"]
    submissions = []
    for name, folder in folders.items():
        for id in ids[:2]:
            solve(folder, id)
        files = {
            path: content for path, content in collect_submission(folder).files.items() if path.parts[0] in PACKAGES
        }
        submissions.append(Submission(name, name, name, "", files))
    plan = make_plan(tmp_path / "marks", Level(PROCESS), ids, seed=3, trust=True)
    fork_servers = ForkServers()
    try:
        grader = Grader(plan, fork_servers)
        rows = [grader.grade(submission).row for submission in submissions]
    finally:
        fork_servers.close()
    marks = [[(check.check, check.verdict, check.text) for check in row.checks] for row in rows]
    assert marks[0] == marks[1]
    assert [exercise.points for exercise in rows[0].exercises] == [10.0, 4.0, 0.0]
