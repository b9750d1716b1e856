"""A newer version of the tiny reference lab, with workspaces of an older version."""

import json
from pathlib import PurePosixPath

import pytest

from lxmls_day1 import notebook_lab
from lxmls_day1.course.workspace_state import FILE, WorkspaceState
from lxmls_day1.course.workspaces import upgrade
from lxmls_day1.course.workspaces import workspace as workspace_module
from lxmls_day1.course.workspaces.editor_files import TASKS
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.packed_work import collect_submission
from lxmls_day1.course.workspaces.solve_reset_undo import solve, undo
from lxmls_day1.course.workspaces.upgrade import migrate_source, update
from lxmls_day1.course.workspaces.workspace import record_origin, start_workspace, version_note
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.file_trees import tree
from tests.wording import wording

STEPS, MEANS, POINTS = "classifiers/steps.py", "classifiers/means.py", "readers/points.py"
RECORDED = "tests/exercises/recorded/1.1.json"
NOTEBOOK, CHECKS = "notebooks/1_first.ipynb", "tests/exercises/test_1_02_means.py"


def edit(path, *pairs):
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_bytes(text.encode())


def work_in(folder):
    """Return the files of a workspace, except its state and its backups."""
    files = tree(folder).items()
    return {name: content for name, content in files if not name.startswith((".lab-state", ".lab-backups/"))}


@pytest.fixture
def newer(reference, workspace, monkeypatch):
    """Return the workspace; afterwards the reference lab and the package version have changed."""
    edit(reference / STEPS, ("Adds up steps.", "Adds up steps, in a new way."))
    edit(reference / MEANS, ("def untouched(x):", "def touched(x):"))
    edit(reference / POINTS, ("n=2", "n=3"))
    edit(reference / NOTEBOOK, ("lab = open_lab()", "lab = open_lab()  # new"))
    edit(reference / CHECKS, ("def small_inputs():", "def small_inputs():  # new"))
    monkeypatch.setattr(workspace_module, "INTERFACE", workspace_module.INTERFACE + 1)
    return workspace


def test_a_workspace_reports_its_version(workspace, monkeypatch):
    assert version_note(workspace) == ""
    monkeypatch.setattr(workspace_module.lxmls_day1, "__version__", "99.1")
    assert wording("course.lab_made_lxmls_day") in version_note(workspace)
    assert wording("course.installed_lxmls_day_update") in version_note(workspace)
    update(workspace)
    assert version_note(workspace) == ""


def test_an_untouched_workspace_becomes_a_new_one(newer, tmp_path):
    before = work_in(newer)
    renewed = update(newer)
    assert set(renewed.files) == {STEPS, MEANS, POINTS, NOTEBOOK, CHECKS} and not renewed.unchanged + renewed.edited
    assert work_in(newer) == work_in(start_workspace(tmp_path / "fresh"))
    assert update(newer).backup_folder == ""
    assert undo(newer).command == "update"
    assert work_in(newer) == before and version_note(newer)


def test_the_students_functions_move_into_the_new_file(newer):
    solve(newer, "1.1")
    edit(newer / STEPS, ("tau = min(cap, tau)", "tau = min(tau, cap)  # mine"))
    (newer / STEPS).write_bytes((newer / STEPS).read_bytes().replace(b"\n", b"\r\n"))
    old = (newer / STEPS).read_bytes()
    renewed = update(newer)
    new = (newer / STEPS).read_bytes()
    assert b"tau = min(tau, cap)  # mine\r\n" in new and b"in a new way" in new and b"NotImplementedError" not in new
    assert new.count(b"\n") == new.count(b"\r\n") and STEPS in renewed.files
    assert (newer / renewed.backup_folder / STEPS).read_bytes() == old


def test_a_notebook_updates_its_lab_and_undoes_it(newer):
    solve(newer, "1.1")
    lab, before = notebook_lab.NotebookLab(newer), work_in(newer)
    assert wording("course.lab_update_brings_given") in lab.status().text
    said = lab.update()
    assert STEPS in said.report.files and wording("course.lab_undo_brings_back") in said.text
    assert b"in a new way" in (newer / STEPS).read_bytes() and b"NotImpl" not in (newer / STEPS).read_bytes()
    assert "up to date" in lab.update().text
    assert "`update` is undone" in lab.undo().text and work_in(newer) == before


def laid_out_by_a_browser(path):
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")), separators=(",", ":")), encoding="utf-8")


def test_json_that_a_browser_has_laid_out_is_not_edited(newer, reference):
    laid_out_by_a_browser(newer / NOTEBOOK)
    laid_out_by_a_browser(newer / RECORDED)
    edit(reference / RECORDED, ('"1.1"', '"1.1" '))  # the same content
    renewed = update(newer)
    assert NOTEBOOK in renewed.files and not renewed.unchanged + renewed.edited and RECORDED not in renewed.files
    laid_out_by_a_browser(newer / NOTEBOOK)
    assert not undo(newer).edited_copies


def test_a_notebook_that_was_only_run_is_renewed(newer):
    notebook = json.loads((newer / NOTEBOOK).read_text(encoding="utf-8"))
    notebook["metadata"]["language_info"] = {"name": "python"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"execution_count": 7, "outputs": [{"output_type": "stream", "name": "stdout", "text": ["done"]}]}
    (newer / NOTEBOOK).write_text(json.dumps(notebook), encoding="utf-8")
    before = work_in(newer)
    assert NOTEBOOK in update(newer).files and b"# new" in (newer / NOTEBOOK).read_bytes()
    undo(newer)
    assert work_in(newer) == before


@pytest.mark.usefixtures("imports_as_before")
def test_a_browser_keeps_the_record_of_unedited_files(newer, monkeypatch):
    """Unedited files, including the record, come from the site, and the site's update replaces them."""
    monkeypatch.setattr(notebook_lab, "CAN_START_PROCESSES", False)
    monkeypatch.setattr(notebook_lab, "watch_cells", lambda lab: None)
    as_before = (newer / FILE).read_bytes()
    laid_out_by_a_browser(newer / FILE)
    notebook_lab.open_lab(newer)
    assert (newer / FILE).read_bytes() == as_before and version_note(newer)


def test_a_file_in_which_more_was_edited_and_an_edited_notebook_stay(newer):
    edit(newer / STEPS, ('"""Steps of a rule."""', '"""Steps of a rule."""\n\nMINE = 1\n'))
    edit(newer / NOTEBOOK, ("lab = open_lab()", "lab = open_lab()\\nmine = 1"))
    mine = work_in(newer)
    renewed = update(newer)
    assert set(renewed.unchanged) == {STEPS, NOTEBOOK}
    assert all(work_in(newer)[name] == mine[name] for name in renewed.unchanged)
    assert b"in a new way" in (newer / renewed.backup_folder / f"{STEPS}.new").read_bytes()
    assert update(newer).backup_folder == ""
    undo(newer)
    assert work_in(newer) == mine


def test_starter_files_that_were_edited_deleted_or_withdrawn(newer, reference):
    edit(newer / POINTS, ("n=2", "n=7"))
    (newer / CHECKS).unlink()
    (reference / "classifiers/added.py").write_text("NEW = 1\n")
    (reference / "readers/__init__.py").write_text("# new\n")
    old = work_in(newer)
    state = WorkspaceState.from_folder(newer)
    state.origin.files["readers/gone.py"] = state.origin.files["classifiers/__init__.py"]
    state.save()
    (newer / "readers/gone.py").write_bytes((newer / "classifiers/__init__.py").read_bytes())
    renewed = update(newer)
    assert renewed.edited == (POINTS,) and renewed.removed == ("readers/gone.py",)
    assert b"n=3" in (newer / POINTS).read_bytes() and (newer / CHECKS).is_file()
    assert (newer / "classifiers/added.py").is_file() and not (newer / "readers/gone.py").exists()
    undo(newer)
    assert work_in(newer) == {**old, "readers/gone.py": b""}


def test_a_workspace_without_a_record_keeps_possible_student_code(newer):
    (newer / FILE).unlink()
    (newer / ".gitignore").unlink()
    edit(newer / MEANS, ("def untouched(x):", "def my_own(x):"))
    renewed = update(newer)
    assert MEANS in renewed.unchanged and NOTEBOOK in renewed.unchanged and POINTS in renewed.files
    assert version_note(newer) == "" and ".lab-backups/" in (newer / ".gitignore").read_text()


class TestTasksOfAnEditor:
    """A later version has other tasks."""

    @pytest.fixture
    def tasks(self, newer, monkeypatch):
        monkeypatch.setattr(upgrade, "task_file", lambda: b"new")
        monkeypatch.setattr(workspace_module, "task_file", lambda: b"new")
        return newer / TASKS

    def test_are_renewed(self, newer, tasks):
        assert str(TASKS) in update(newer).files and tasks.read_bytes() == b"new"

    def test_stay_if_edited(self, newer, tasks):
        tasks.write_text("mine")
        renewed = update(newer)
        assert str(TASKS) in renewed.unchanged and tasks.read_text() == "mine"
        assert (newer / renewed.backup_folder / f"{TASKS}.new").read_bytes() == b"new"

    def test_stay_away_if_deleted(self, newer, tasks):
        tasks.unlink()
        update(newer)
        assert not tasks.exists() and version_note(newer) == ""

    def test_are_not_handed_in(self, workspace):
        assert TASKS not in collect_submission(workspace).files


def test_the_assigned_exercises_do_not_change(newer):
    path = newer / "tests/exercises/exercises.toml"
    path.write_text('assigned = ["1.2"]\n' + path.read_text())
    update(newer)
    assert "raise NotImplementedError" in (newer / MEANS).read_text()
    assert WorkspaceState.from_folder(newer).origin.files[STEPS].functions == ()


@pytest.mark.parametrize(
    ("head", "gone"),
    [
        ("from lxmls_day1.checks import check_choice", False),
        ("from lxmls_day1.compiled.sparse_rows import Examples", False),
        ("from lxmls_day1.streaming.shard_rows import (\n    MatrixRows,\n    corpus_of_old,\n)", True),
        ("from lxmls_day1.compiled.gone import Examples", True),
        ("from lxmls_day1.engine import training, gone_module", True),
    ],
)
def test_a_file_of_an_older_lab_becomes_the_new_file_with_its_functions(head, gone):
    """If the modules that it imports still exist under some name, the file is not changed."""
    files = student_files(reference_folder())
    name = PurePosixPath("classifiers/mira.py")
    functions = record_origin({name: files[name]}).files[str(name)].functions
    called = "corpus_of_old.check(given)"  # Removed if only the older file imports this check.
    source = "\n\n".join(f"def {function}(*given):\n    {called}\n    return 'mine'" for function in functions)
    theirs = f"{head}\n\n\n{source}\n".encode()
    made = migrate_source(theirs, files[name])
    assert (made is not None) == gone
    if made is not None:
        assert b"return 'mine'" in made and made.startswith(files[name][:200]) and head.encode() not in made
        assert (called.encode() in made) == ("corpus_of_old" not in head)
