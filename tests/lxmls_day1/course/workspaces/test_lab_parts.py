"""A workspace of the day: modules that it imports from the package, and additional notebooks."""

import re
import shutil
from pathlib import PurePosixPath

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import Registry, check_files
from lxmls_day1.course.workspace_state import WorkspaceState
from lxmls_day1.course.workspaces import lab_parts
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.packed_work import collect_submission, open_work, pack_submission
from lxmls_day1.course.workspaces.solve_reset_undo import solve, undo
from lxmls_day1.course.workspaces.upgrade import add, update
from lxmls_day1.course.workspaces.workspace import record_origin, start_workspace, write_files
from lxmls_day1.lab import Lab, reference_folder
from lxmls_day1.library_path import TOPICS
from tests.command_runs import run
from tests.lxmls_day1.file_trees import tree
from tests.python_runs import run_python
from tests.wording import wording

REFERENCE = Registry.from_folder(reference_folder())
FURTHER = [exercise for exercise in REFERENCE if not exercise.is_core]


@pytest.fixture(scope="module")
def given():
    return student_files(reference_folder())


@pytest.fixture
def day(tmp_path):
    return start_workspace(tmp_path / "mein Labor ä", core_only=True)


def in_python(folder, code, *arguments):
    """Return the output of a Python process that was started in a folder, as a student starts one."""
    return run_python("-c", code, *arguments, cwd=folder).stdout.split("\n")[:-1]


def without_topics(folder):
    """Return a workspace of an older version: all modules directly in ``classifiers/``, including ``structured.py``."""
    topics = "|".join(TOPICS).encode()
    topic, in_table = rb"\bclassifiers([./])(?:%s)\1" % topics, rb'": "(?:%s)\.' % topics
    state, given = WorkspaceState.from_folder(folder), {}
    for name in state.origin.files:
        content = re.sub(in_table, b'": "', re.sub(topic, rb"classifiers\1", (folder / name).read_bytes()))
        (folder / name).unlink()
        place = PurePosixPath(re.sub(topic, rb"classifiers\1", name.encode()).decode())
        if place.name != "__init__.py" or len(PurePosixPath(name).parts) == 2:
            given[place] = content
    if PurePosixPath("classifiers/crf.py") in given:
        given[PurePosixPath("classifiers/structured.py")] = b"from classifiers.crf import CRF\n"
    for path in (folder / "classifiers").glob("*/"):
        shutil.rmtree(path)
    write_files(folder, given)
    state.origin = record_origin(given)
    state.save()
    return folder


def a_file_that_is_not_there(folder):
    """Return a classifier's module that no exercise of the lab names."""
    path = next((reference_folder() / "classifiers").rglob("crf.py")).relative_to(reference_folder())
    assert not (folder / path).exists()
    return ".".join(path.with_suffix("").parts)


def test_the_day_is_small(day):
    files = list(day.rglob("*.py"))
    assert len(files) <= 30
    assert sum(len(path.read_text(encoding="utf-8").split("\n")) for path in files) <= 4400
    core = tuple(exercise.id for exercise in REFERENCE if exercise.is_core)
    assert Registry.from_folder(day).ids == tuple(lab_parts.core_exercises(REFERENCE)) == core


@pytest.mark.parametrize("exercise", FURTHER, ids=lambda exercise: exercise.id)
def test_each_exercise_has_its_files_and_its_prerequisites(exercise, given):
    ids = lab_parts.with_prerequisites([exercise.id], REFERENCE)
    part = lab_parts.files_for_exercises(given, ids, REFERENCE)
    assert {PurePosixPath(name) for name in (*exercise.files, exercise.notebook)} <= set(part)
    checks = check_files(reference_folder() / "tests/exercises", exercise)
    assert {path.name for path in checks} <= {path.name for path in part}
    assert set(exercise.prerequisites) <= set(ids)
    assert all(part[path] == given[path] for path in part if path.name != "exercises.toml")


def test_notebooks_and_exercises_by_their_names():
    structured = [exercise.id for exercise in REFERENCE if "structured" in exercise.notebook]
    files = [f"{folder}5_structured.ipynb" for folder in ("", "notebooks/", "notebooks\\")]
    for name in ("5", "5_structured", *files):
        assert set(structured) <= set(lab_parts.resolve_exercises([name], REFERENCE))
    resolved = lab_parts.resolve_exercises(["1.6"], REFERENCE)
    assert resolved == lab_parts.with_prerequisites(["1.6"], REFERENCE) != ["1.6"]
    with pytest.raises(InputError, match=wording("course.notebook_exercise_nothing")):
        lab_parts.resolve_exercises(["9_nothing"], REFERENCE)


class TestMissingModules:
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

    def test_an_unknown_module_is_not_found(self, day):
        with pytest.raises(InputError, match=r"has no classifiers/crff\.py"):
            Lab(day).load("classifiers.crff")


#: Runs in a lab's folder: imports each module by all its names, in both orders; a file of the lab takes precedence.
BY_ALL_NAMES = """
import importlib, os, sys, lxmls_day1
from lxmls_day1.library_path import reference_path
lab, reference, stems = os.getcwd(), reference_path(), []
for number, place in enumerate(sys.argv[1:]):
    full, flat = place.replace("/", "."), "classifiers." + os.path.basename(place)
    if os.path.isfile(os.path.join(lab, os.path.dirname(place) + ".py")):
        full = flat  # an older lab: `classifiers.structured` is a file of its own
    names = [full, flat] if number % 2 else [flat, full]
    found = [importlib.import_module(name) for name in names]
    own = [os.path.join(lab, *path) + ".py" for path in (place.split("/"), flat.split("."))]
    file = next(filter(os.path.isfile, own), os.path.join(reference, *place.split("/")) + ".py")
    assert found[0] is found[1] and found[0].__file__ == file, (names, found, file)
    ours = [importlib.import_module("lxmls_day1." + name) for name in (*names, place.replace("/", "."))]
    assert ours[0] is ours[1] is ours[2] and ours[0].__file__ == os.path.join(reference, *place.split("/")) + ".py"
    lab_s = [lxmls_day1.Lab.open().load(name) for name in (place.replace("/", "."), flat)]
    assert lab_s == found, (lab_s, found)
    stems.append((flat.partition(".")[2], file))
sys.path.append(os.path.join(lab, "classifiers"))
for stem, file in stems:
    assert importlib.import_module(stem).__file__ == file, stem
from classifiers.structured import CRF
import classifiers.crf
assert CRF is classifiers.crf.CRF is classifiers.CRF
"""
LABS = {
    "reference": lambda place: reference_folder(),
    "day": lambda place: start_workspace(place, core_only=True),
    "whole": start_workspace,
    "day and more": lambda place: with_more(start_workspace(place, core_only=True)),
    "older": lambda place: without_topics(start_workspace(place)),
    "older, with more": lambda place: without_topics(with_more(start_workspace(place, core_only=True))),
    "older, brought up to date": lambda place: up_to_date(without_topics(start_workspace(place))),
}

SHORT = "day", "older, with more"  # These are tested in every run.
KINDS = [pytest.param(kind, marks=[] if kind in SHORT else pytest.mark.campaign) for kind in LABS]


def with_more(folder):
    add(folder, ["5_structured", "1.19"])
    return folder


def up_to_date(folder):
    update(folder)
    return folder


class TestTopics:
    """Modules beyond the day are in folders by topic; each is found by any of its names, in any kind of lab."""

    def test_each_folder_is_a_topic_and_each_module_has_a_name_of_its_own(self):
        folder = reference_folder() / "classifiers"
        assert {path.parent.name for path in folder.glob("*/__init__.py")} == set(TOPICS)
        stems = [path.stem for path in folder.rglob("*.py") if path.stem != "__init__"]
        assert len(stems) == len(set(stems)) and not set(stems) & set(TOPICS)

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", KINDS)
    def test_any_module_by_any_name_in_any_lab(self, kind, tmp_path):
        folder = LABS[kind](tmp_path / "lab")
        every = sorted((reference_folder() / "classifiers").rglob("*.py"))
        files = [path for path in every if path.stem != "__init__"]
        known = [one for one in files if (folder / "classifiers" / one.name).exists() or one.parent.name in TOPICS]
        places = [path.relative_to(reference_folder()).with_suffix("").as_posix() for path in known]
        assert in_python(folder, BY_ALL_NAMES, *places) == []

    def test_an_update_moves_files_with_the_students_code(self, tmp_path):
        folder = without_topics(start_workspace(tmp_path / "lab"))
        solve(folder, "1.13")
        arow, lbfgs = folder / "classifiers/arow.py", folder / "classifiers/lbfgs.py"
        for path in (arow, lbfgs):
            path.write_bytes(b"MINE = 1\n" + path.read_bytes())
        written = (folder / "classifiers/viterbi.py").read_bytes()
        before = {path: path.read_bytes() for path in (folder / "classifiers").rglob("*.py")}
        renewed = update(folder)
        assert (folder / "classifiers/structured/viterbi.py").read_bytes() == written
        assert renewed.unchanged == ("classifiers/second_order/arow.py",)
        assert (folder / "classifiers/second_order/arow.py").read_bytes() == before[arow]
        assert renewed.edited == ("classifiers/solvers/lbfgs.py",)
        fresh = start_workspace(tmp_path / "fresh")
        of_folder, of_fresh = (sorted((lab / "classifiers").rglob("*.py")) for lab in (folder, fresh))
        assert [path.relative_to(folder) for path in of_folder] == [path.relative_to(fresh) for path in of_fresh]
        assert update(folder).backup_folder == ""
        undo(folder)
        assert {path: path.read_bytes() for path in (folder / "classifiers").rglob("*.py")} == before


class TestAdding:
    def test_adding_keeps_the_students_code_and_can_be_undone(self, day):
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
        assert Registry.from_folder(day).ids == tuple(lab_parts.core_exercises(REFERENCE))

    @pytest.mark.parametrize("deleted", ["exercises.toml", "."])
    @pytest.mark.parametrize("added", [[], ["1.13"]], ids=str)
    def test_an_update_restores_the_deleted_files_and_adds_none(self, day, added, deleted):
        if added:
            add(day, added)
        before, path = tree(day), day / "tests/exercises" / deleted
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        assert set(update(day).files) == {
            name for name in before if name.startswith("tests/") and deleted in (".", name[16:])
        }
        assert all(tree(day)[name] == content for name, content in before.items() if name.startswith("tests/"))

    def test_all_parts_can_be_added(self, day, tmp_path):
        add(day, [])
        whole = start_workspace(tmp_path / "whole")
        names = {path.relative_to(whole) for path in whole.rglob("*") if path.is_file()}
        assert all((day / name).is_file() for name in names)
        assert Registry.from_folder(day).ids == REFERENCE.ids and not Registry.from_folder(day).is_part
        assert add(whole, ["5"]) == []

    def test_work_of_a_larger_workspace_is_opened_with_its_exercises(self, day, tmp_path):
        larger = start_workspace(tmp_path / "larger", core_only=True)
        add(larger, ["1.9"])
        solve(larger, "1.9")
        name, content = pack_submission(larger, collect_submission(larger), "Ada")
        (tmp_path / name).write_bytes(content)
        open_work(day, tmp_path / name)
        assert "1.9" in Registry.from_folder(day)
        path = "classifiers/running_average.py"
        assert (day / path).read_bytes() == (larger / path).read_bytes()

    def test_the_command(self, day):
        def said(*arguments):
            return run("add", *arguments, "--lab", day).output

        assert "5_structured       1.13  " in said()
        assert "classifiers/structured/viterbi.py, notebooks/5_structured.ipynb" in said("5_structured")
        assert "is here already" in said("5_structured")
        said("--all")
        assert "Every exercise is here." in said()
