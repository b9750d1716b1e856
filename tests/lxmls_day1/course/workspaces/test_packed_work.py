import io
import json
import zipfile

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.explanations import explain, save_questions
from lxmls_day1.course.workspace_state import Explanation, WorkspaceState
from lxmls_day1.course.workspaces import packed_work
from lxmls_day1.course.workspaces.packed_work import collect_submission, open_work, pack_submission, read_packed
from lxmls_day1.course.workspaces.solve_reset_undo import undo
from lxmls_day1.course.workspaces.workspace import start_workspace
from tests.lxmls_day1.zip_files import write_zip
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before")

STEPS, MINE = "classifiers/steps.py", "classifiers/mine.py"


@pytest.fixture
def packed(workspace, tmp_path):
    """Return the packed work of a workspace."""
    (workspace / STEPS).write_text("half_step = 1\n")
    (workspace / MINE).write_text("x = 1\n")
    save_questions(workspace, [Explanation("1.1", "whole_norm", "Why 2?", "tau", "")])
    explain(workspace, "1.1", "Two blocks differ.")
    file = tmp_path / "work.zip"
    file.write_bytes(pack_submission(workspace, collect_submission(workspace), "Ada")[1])
    return file


@pytest.fixture
def other(workspace, tmp_path):
    """Return another workspace of the same lab, without any work."""
    return start_workspace(tmp_path / "other")


class TestSubmit:
    def test_submit_packs_the_students_files(self, workspace):
        (workspace / "classifiers/__pycache__").mkdir()
        (workspace / "classifiers/__pycache__/x.py").write_text("")
        (workspace / "classifiers/mine.py").write_text("x = 1\n")
        (workspace / "classifiers/notes.txt").write_text("private")
        submission = collect_submission(workspace)
        assert submission.faults == () and submission.unsolved == ("1.1", "1.2", "1.3")
        name, content = pack_submission(workspace, submission, "Ada Lovelace, Ä")
        assert name == "submission-ada-lovelace-ä.zip"
        archive = zipfile.ZipFile(io.BytesIO(content))
        names = {entry.partition("/")[2] for entry in archive.namelist()}
        assert {STEPS, "classifiers/mine.py", "notebooks/1_first.ipynb", "submission.json"} <= names
        assert not [n for n in names if "pycache" in n or "notes" in n or "tests" in n or n.startswith(".")]
        manifest = json.loads(archive.read("ada-lovelace-ä/submission.json"))
        assert manifest["name"] == "Ada Lovelace, Ä" and manifest["unsolved"] == ["1.1", "1.2", "1.3"]
        assert set(manifest["files"]) == names - {"submission.json"}
        assert pack_submission(workspace, submission, "Ada Lovelace, Ä")[1] == content

    def test_missing_files_are_reported(self, workspace):
        (workspace / STEPS).unlink()
        (workspace / "classifiers/means.py").write_bytes(b"# \xff\n")
        (workspace / "classifiers/mine.py").write_text("x = (\n")
        (workspace / "notebooks/1_first.ipynb").write_text("{")
        assert set(collect_submission(workspace).faults) == {
            wording("course.lxmls_day_reset_puts_back"),
            wording("course.text_utf_save_file"),
            wording("course.python_never_closed", "classifiers/mine.py:1"),
            wording("course.is_not_notebook"),
        }

    def test_a_huge_notebook(self, workspace, monkeypatch):
        monkeypatch.setattr(packed_work, "MAX_FILE_BYTES", 100)
        assert "is too large" in " ".join(collect_submission(workspace).faults)


def test_packed_work_comes_back_in_another_workspace_and_can_be_taken_back(workspace, packed, other):
    before = (other / STEPS).read_bytes()
    opened = open_work(other, packed)
    assert set(opened.files) == {STEPS, MINE}
    assert (other / STEPS).read_bytes() == (workspace / STEPS).read_bytes()
    assert [one.text for one in WorkspaceState.from_folder(other).explanations] == ["Two blocks differ."]
    assert open_work(other, packed).files == ()
    undone = undo(other)
    assert undone.command == "open_work" and (other / STEPS).read_bytes() == before and not (other / MINE).exists()


def test_work_in_this_workspace_is_kept_and_can_be_restored(packed, other):
    (other / STEPS).write_text("mine = 2\n")
    open_work(other, packed)
    undo(other)
    assert (other / STEPS).read_text() == "mine = 2\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"not a zip file", "is not a zip file, or is damaged"),
        (b"PK\x03\x04", "is not a zip file, or is damaged"),
        ({"ada/classifiers/steps.py": "x = 1"}, "it holds no submission.json"),
        (
            {"ada/submission.json": "{}", "ada/notebooks/1_first.ipynb": "{"},
            "notebooks/1_first.ipynb in it is not a notebook",
        ),
        ({"ada/submission.json": "{}", "ada/classifiers/big.py": "x" * 1001}, "classifiers/big.py is too much"),
        *(
            (
                {"submission.json": "{}", "classifiers/steps.py": "x = 2", name: "{}"},
                "holds a name that is not opened here, .*Rename",
            )
            for name in (
                f"classifiers/{'d/' * 1500}x.py",
                f"{'notebooks/' * 30}x.py",
                "classifiers/\x1b[31mred.py",
                "notebooks/gnp.\u202eyp.py",
                "readers/\u2066x\u2069.py",
                "classifiers/a\nb.py",
                f"readers/{'é' * 130}.py",
            )
        ),
    ],
)
def test_another_file_is_refused_and_nothing_changes(other, tmp_path, monkeypatch, content, said):
    monkeypatch.setattr(packed_work, "MAX_FILE_BYTES", 1000)
    file = write_zip(tmp_path / "work.zip", content)
    before = {path: path.read_bytes() for path in other.rglob("*") if path.is_file() and path.name != ".lab-state.lock"}
    with pytest.raises(InputError, match=said):
        open_work(other, file)
    assert all(path.read_bytes() == kept for path, kept in before.items())


def test_a_file_that_is_far_too_large_or_missing(tmp_path, other, monkeypatch):
    monkeypatch.setattr(packed_work, "MAX_PACKED_BYTES", 10)
    (tmp_path / "work.zip").write_bytes(b"x" * 11)
    with pytest.raises(InputError, match=wording("course.mb_large_packed_work")):
        open_work(other, tmp_path / "work.zip")
    with pytest.raises(InputError, match=wording("course.there_is_no_file")):
        open_work(other, tmp_path / "gone.zip")


def test_nothing_is_written_outside_of_the_lab_s_folders(tmp_path):
    outside = ["../evil.py", "classifiers/../../evil.py", "tests/exercises/test_1_01_steps.py"]
    others = ["submission.json", "setup.py", ".lab-state.json", "classifiers/notes.txt", "readers/out/x.py"]
    files = dict.fromkeys([*outside, *others], "{}") | {STEPS: "x = 1"}
    assert [str(name) for name in read_packed(write_zip(tmp_path / "work.zip", files))] == [STEPS]


def test_paths_with_backslashes_are_opened(tmp_path):
    names = ("lab\\submission.json", "lab\\classifiers\\steps.py", "lab\\..\\classifiers\\evil.py")
    file = write_zip(tmp_path / "work.zip", dict.fromkeys(names, "{}"))
    assert [str(name) for name in read_packed(file)] == [STEPS]
