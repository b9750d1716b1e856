import io
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from lxmls_day1.errors import InputError
from lxmls_day1.exercises import workspace as module
from lxmls_day1.exercises.generation import student_files
from lxmls_day1.exercises.markers import without_markers
from lxmls_day1.exercises.progress import LOCK, Progress
from lxmls_day1.exercises.workspace import collect_submission, pack_submission, reset, solve, start_workspace, undo

STEPS = "classifiers/steps.py"


def tree(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestStart:
    def test_the_files_of_a_student_a_welcome_and_the_state(self, reference, workspace):
        files = tree(workspace)
        assert {str(name): content for name, content in student_files(reference).items()}.items() <= files.items()
        assert set(files) - {str(name) for name in student_files(reference)} == {
            "README.md",
            ".lab-state.json",
            ".gitignore",
        }

    @pytest.mark.parametrize("name", ["notes.txt", ".hidden"])
    def test_what_is_there_is_never_touched(self, reference, tmp_path, name):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / name).write_text("mine")
        with pytest.raises(InputError, match="there already and not empty; nothing in it was touched"):
            start_workspace(tmp_path / "mine")
        assert tree(tmp_path / "mine") == {name: b"mine"}

    def test_an_empty_folder_and_a_deep_one(self, reference, tmp_path):
        (tmp_path / "mine").mkdir()
        assert (start_workspace(tmp_path / "mine") / STEPS).is_file()
        assert (start_workspace(tmp_path / "a/b/c") / STEPS).is_file()

    def test_an_empty_folder_stays_the_same_folder(self, reference, tmp_path, monkeypatch):
        """With its mode and its owner; a shell that stands in it is not left without one."""
        (tmp_path / "mine").mkdir(mode=0o750)
        (tmp_path / "mine").chmod(0o2770)

        def identity():
            found = (tmp_path / "mine").stat()
            return found.st_ino, found.st_mode, found.st_uid, found.st_gid

        before = identity()
        monkeypatch.chdir(tmp_path / "mine")
        assert start_workspace(".") == Path.cwd() == tmp_path / "mine"
        assert identity() == before
        assert Path(STEPS).is_file() and not list(Path().glob(".*.part"))

    @pytest.mark.parametrize("failing", [1, 3])
    def test_an_interruption_leaves_an_empty_folder_empty(self, reference, tmp_path, monkeypatch, failing):
        (tmp_path / "mine").mkdir()
        real, calls = Path.rename, []

        def rename(path, target):
            calls.append(path)
            if len(calls) == failing:
                raise KeyboardInterrupt
            return real(path, target)

        monkeypatch.setattr(Path, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            start_workspace(tmp_path / "mine")
        assert list((tmp_path / "mine").iterdir()) == []

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
    def test_a_mount_point(self, reference, tmp_path):
        (tmp_path / "mine").mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path / "mine")]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("no disk can be mounted here")
        try:
            assert (start_workspace(tmp_path / "mine") / STEPS).is_file()
        finally:
            subprocess.run(["umount", "-l", str(tmp_path / "mine")], check=True)

    def test_a_file_in_the_way(self, reference, tmp_path):
        (tmp_path / "mine").write_text("mine")
        with pytest.raises(InputError, match="is a file"):
            start_workspace(tmp_path / "mine")
        with pytest.raises(InputError, match="lies in a file"):
            start_workspace(tmp_path / "mine/lab")

    @pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
    def test_an_interruption_leaves_nothing(self, reference, tmp_path, monkeypatch, error):
        def fails(folder, files):
            (folder / "half").write_text("half")
            raise error

        monkeypatch.setattr(module, "write_files", fails)
        with pytest.raises(type(error) if isinstance(error, OSError) else error):
            start_workspace(tmp_path / "new/mine")
        assert list((tmp_path / "new").iterdir()) == []


class TestSolveAndReset:
    def test_solve_puts_in_the_reference_function_and_nothing_else(self, reference, workspace):
        path = workspace / STEPS
        path.write_text("# mine\n" + path.read_text(encoding="utf-8") + "\n\ndef mine():\n    pass\n", encoding="utf-8")
        replaced = solve(workspace, "1.1")
        assert replaced.files == (STEPS,) or STEPS in replaced.files
        right = without_markers((reference / STEPS).read_text(encoding="utf-8"))
        assert path.read_text(encoding="utf-8") == "# mine\n" + right + "\n\ndef mine():\n    pass\n"
        assert Progress.of(workspace).given == ["1.1"]

    def test_reset_brings_the_stub_and_undo_both_back(self, workspace):
        path = workspace / STEPS
        stub = path.read_bytes()
        mine = stub.replace(b'raise NotImplementedError("Exercise 1.1', b'tau = 7  # mine ("')
        assert mine != stub
        path.write_bytes(mine)
        solve(workspace, "1.1")
        solved = path.read_bytes()
        reset(workspace, "1.1")
        assert path.read_bytes() == stub
        assert Progress.of(workspace).given == []
        assert undo(workspace).what == "reset 1.1"
        assert path.read_bytes() == solved
        assert Progress.of(workspace).given == ["1.1"]
        assert undo(workspace).what == "solve 1.1"
        assert path.read_bytes() == mine
        assert Progress.of(workspace).given == []
        with pytest.raises(InputError, match="there is nothing to undo"):
            undo(workspace)

    def test_twice_is_once(self, workspace):
        assert solve(workspace, "1.1").files
        assert solve(workspace, "1.1").files == ()
        undo(workspace)
        assert reset(workspace, "1.1").files == ()

    def test_what_was_edited_since_is_kept_too(self, workspace):
        solve(workspace, "1.1")
        path = workspace / STEPS
        path.write_text("edited", encoding="utf-8")
        (kept,) = undo(workspace).kept
        assert (workspace / kept).read_text() == "edited"
        assert b"NotImplementedError" in path.read_bytes()

    def test_a_file_from_windows_stays_one(self, reference, workspace):
        path = workspace / STEPS
        mark = b"\xef\xbb\xbf"
        path.write_bytes(mark + path.read_bytes().replace(b"\n", b"\r\n"))
        before = path.read_bytes()
        solve(workspace, "1.1")
        right = without_markers((reference / STEPS).read_text(encoding="utf-8")).encode()
        assert path.read_bytes() == mark + right.replace(b"\n", b"\r\n")
        undo(workspace)
        assert path.read_bytes() == before

    def test_a_file_that_is_no_python_at_the_moment(self, workspace):
        path = workspace / STEPS
        broken = path.read_text(encoding="utf-8").replace("return tau", "return (tau")
        path.write_text(broken, encoding="utf-8")
        reset(workspace, "1.1")
        assert "return tau" in path.read_text(encoding="utf-8")
        undo(workspace)
        assert path.read_text(encoding="utf-8") == broken

    def test_a_function_that_is_gone(self, workspace):
        path = workspace / STEPS
        path.write_bytes(path.read_bytes().replace(b"def half_step", b"def my_step"))
        with pytest.raises(InputError, match=r"no function half_step any more; `lxmls-day1 reset 1\.1 --whole-file`"):
            reset(workspace, "1.1")
        reset(workspace, "1.1", whole_file=True)
        assert b"def half_step" in path.read_bytes()
        undo(workspace)
        assert b"def my_step" in path.read_bytes()

    def test_a_file_that_is_gone_or_not_utf_8(self, workspace):
        path = workspace / STEPS
        path.write_bytes(b"# \xe4\n")
        with pytest.raises(InputError, match="is not UTF-8 text"):
            solve(workspace, "1.1")
        path.unlink()
        solve(workspace, "1.1")
        assert b"tau = loss" in path.read_bytes()
        assert undo(workspace).files == (STEPS,) and not path.exists()
        reset(workspace, "1.1")
        assert b"raise NotImplementedError" in path.read_bytes()

    def test_a_class_that_is_indented_by_tabs(self, reference, workspace):
        toml = reference / "tests/exercises/exercises.toml"
        toml.write_text(toml.read_text().replace("classifiers/means.py", "classifiers/averages.py"))
        source = (
            "class Average:\n    def mean(self, values):\n        # exercise 1.2: solution (1 line)\n"
            "        return sum(values) / len(values)\n        # exercise 1.2: end\n\n    def twice(self):\n        return 2\n"
        )
        (reference / "classifiers/averages.py").write_text(source)
        (workspace / "tests/exercises/exercises.toml").write_text(toml.read_text())
        path = workspace / "classifiers/averages.py"
        path.write_text("class Average:\n\tdef mean(self, values):\n\t\treturn 0\n\n\tdef twice(self):\n\t\treturn 2\n")
        for act, line in ((solve, "return sum"), (reset, "raise NotImplementedError")):
            act(workspace, "1.2")
            compile(path.read_text(), "averages.py", "exec")
            assert line in path.read_text() and "\tdef twice" in path.read_text()

    def test_nothing_is_put_in_that_would_not_be_python(self, workspace, monkeypatch):
        before = (workspace / STEPS).read_bytes()
        monkeypatch.setattr(module, "replace_function", lambda *_: "def half_step(:\n")
        with pytest.raises(InputError, match="would not be Python any more"):
            solve(workspace, "1.1")
        assert (workspace / STEPS).read_bytes() == before

    def test_a_lost_backup_does_not_stand_in_the_way(self, workspace):
        solve(workspace, "1.1")
        reset(workspace, "1.1")
        shutil.rmtree(workspace / ".lab-backups/0002-reset-1.1")
        with pytest.raises(InputError, match=r"`reset 1\.1` cannot be undone: .* is gone\. The next `lxmls-day1 undo`"):
            undo(workspace)
        assert undo(workspace).what == "solve 1.1"
        assert Progress.of(workspace).backups == []

    def test_a_link_out_of_the_workspace_is_not_followed(self, workspace, tmp_path):
        outside = tmp_path / "outside.py"
        shutil.move(workspace / STEPS, outside)
        (workspace / STEPS).symlink_to(outside)
        before = outside.read_bytes()
        with pytest.raises(InputError, match="leads out of"):
            solve(workspace, "1.1")
        assert outside.read_bytes() == before

    def test_cells_of_a_notebook(self, reference, workspace):
        toml = reference / "tests/exercises/exercises.toml"
        toml.write_text(
            toml.read_text().replace('["classifiers/steps.py"]', '["classifiers/steps.py", "notebooks/1_first.ipynb"]')
        )
        path = workspace / "notebooks/1_first.ipynb"
        (workspace / "tests/exercises/exercises.toml").write_text(toml.read_text())
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["cells"][0]["source"] = ["mine = 1\n"]
        path.write_text(json.dumps(notebook), encoding="utf-8")
        before = path.read_bytes()
        assert solve(workspace, "1.1").files == (STEPS, "notebooks/1_first.ipynb")
        assert "curve = [" in path.read_text(encoding="utf-8") and "mine = 1" in path.read_text(encoding="utf-8")
        reset(workspace, "1.1")
        assert "curve = [" not in path.read_text(encoding="utf-8") and "mine = 1" in path.read_text(encoding="utf-8")
        undo(workspace)
        undo(workspace)
        assert path.read_bytes() == before

    def test_an_installation_without_solutions(self, workspace, tmp_path, monkeypatch):
        """What a student has installed holds the same stubs that a workspace has."""
        mine = start_workspace(tmp_path / "second")
        for name in ("workspace", "registry", "progress"):
            monkeypatch.setattr(f"lxmls_day1.exercises.{name}.reference_folder", lambda: workspace)
        with pytest.raises(InputError, match=r"the solution of exercise 1\.1 is not part of this installation"):
            solve(mine, "1.1")
        stub = (mine / STEPS).read_bytes()
        (mine / STEPS).write_bytes(stub.replace(b'raise NotImplementedError("Exercise 1.1', b'tau = ("'))
        assert reset(mine, "1.1").files == (STEPS,)
        assert (mine / STEPS).read_bytes() == stub

    def test_exercises_without_code(self, workspace):
        with pytest.raises(InputError, match=r"asks for no code; its place is notebooks/2_second\.ipynb"):
            solve(workspace, "1.3")
        with pytest.raises(InputError, match="no exercise '9'"):
            reset(workspace, "9")

    def test_the_reference_is_not_touched(self, reference):
        before = tree(reference)
        for act in (lambda: solve(reference, "1.1"), lambda: reset(reference, "1.1"), lambda: undo(reference)):
            with pytest.raises(InputError, match="is the reference lab"):
                act()
        assert tree(reference) == before

    def test_an_interruption_leaves_all_as_it_was(self, workspace, monkeypatch):
        before = tree(workspace)
        count = 0

        def interrupted(source, target):
            nonlocal count
            count += 1
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            solve(workspace, "1.1")
        monkeypatch.undo()
        assert tree(workspace) == {**before, LOCK: b""}


class TestSubmit:
    def test_what_is_packed(self, workspace):
        (workspace / "classifiers/__pycache__").mkdir()
        (workspace / "classifiers/__pycache__/x.py").write_text("")
        (workspace / "classifiers/mine.py").write_text("x = 1\n")
        (workspace / "classifiers/notes.txt").write_text("private")
        submission = collect_submission(workspace)
        assert submission.missing == () and submission.unsolved == ("1.1", "1.2", "1.3")
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

    def test_what_is_missing(self, workspace):
        (workspace / STEPS).unlink()
        (workspace / "classifiers/means.py").write_bytes(b"# \xff\n")
        (workspace / "classifiers/mine.py").write_text("x = (\n")
        (workspace / "notebooks/1_first.ipynb").write_text("{")
        assert set(collect_submission(workspace).missing) == {
            "classifiers/steps.py is not there; `lxmls-day1 reset 1.1` puts it back.",
            "classifiers/means.py is not UTF-8 text.",
            "classifiers/mine.py:1: this is not Python: '(' was never closed.",
            "notebooks/1_first.ipynb is not a notebook.",
        }

    def test_a_huge_notebook(self, workspace, monkeypatch):
        monkeypatch.setattr(module, "LARGEST_FILE", 100)
        assert "is too large" in " ".join(collect_submission(workspace).missing)
