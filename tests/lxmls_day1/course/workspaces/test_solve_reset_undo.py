import os
import shutil
from unittest.mock import Mock

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.markers import remove_markers
from lxmls_day1.course.workspace_state import LOCK, WorkspaceState
from lxmls_day1.course.workspaces import solve_reset_undo as module
from lxmls_day1.course.workspaces.solve_reset_undo import reset, solve, undo
from lxmls_day1.course.workspaces.workspace import start_workspace
from tests.lxmls_day1.file_trees import tree
from tests.wording import wording

STEPS = "classifiers/steps.py"


class TestSolveAndReset:
    def test_solve_puts_in_the_reference_function_and_nothing_else(self, reference, workspace):
        path = workspace / STEPS
        path.write_text("# mine\n" + path.read_text(encoding="utf-8") + "\n\ndef mine():\n    pass\n", encoding="utf-8")
        replaced = solve(workspace, "1.1")
        assert replaced.files == (STEPS,) or STEPS in replaced.files
        right = remove_markers((reference / STEPS).read_text(encoding="utf-8"))
        assert path.read_text(encoding="utf-8") == "# mine\n" + right + "\n\ndef mine():\n    pass\n"
        assert WorkspaceState.from_folder(workspace).given == ["1.1"]

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
        assert WorkspaceState.from_folder(workspace).given == []
        assert undo(workspace).command == "reset 1.1"
        assert path.read_bytes() == solved
        assert WorkspaceState.from_folder(workspace).given == ["1.1"]
        assert undo(workspace).command == "solve 1.1"
        assert path.read_bytes() == mine
        assert WorkspaceState.from_folder(workspace).given == []
        with pytest.raises(InputError, match=wording("course.there_is_nothing_to_undo")):
            undo(workspace)

    def test_repeating_solve_or_reset_changes_nothing(self, workspace):
        assert solve(workspace, "1.1").files
        assert solve(workspace, "1.1").files == ()
        undo(workspace)
        assert reset(workspace, "1.1").files == ()

    def test_a_file_from_windows_stays_one(self, reference, workspace):
        path = workspace / STEPS
        mark = b"\xef\xbb\xbf"
        path.write_bytes(mark + path.read_bytes().replace(b"\n", b"\r\n"))
        before = path.read_bytes()
        solve(workspace, "1.1")
        right = remove_markers((reference / STEPS).read_text(encoding="utf-8")).encode()
        assert path.read_bytes() == mark + right.replace(b"\n", b"\r\n")
        undo(workspace)
        assert path.read_bytes() == before

    def test_a_file_with_a_syntax_error(self, workspace):
        path = workspace / STEPS
        broken = path.read_text(encoding="utf-8").replace("return tau", "return (tau")
        path.write_text(broken, encoding="utf-8")
        reset(workspace, "1.1")
        assert "return tau" in path.read_text(encoding="utf-8")
        undo(workspace)
        assert path.read_text(encoding="utf-8") == broken

    def test_a_deleted_function(self, workspace):
        path = workspace / STEPS
        path.write_bytes(path.read_bytes().replace(b"def half_step", b"def my_step"))
        with pytest.raises(InputError, match=wording("course.longer_function_half_step")):
            reset(workspace, "1.1")
        path.unlink()
        reset(workspace, "1.1")
        assert b"def half_step" in path.read_bytes()

    def test_a_file_that_is_gone_or_not_utf_8(self, workspace):
        path = workspace / STEPS
        path.write_bytes(b"# \xe4\n")
        with pytest.raises(InputError, match=wording("course.is_not_utf_text")):
            solve(workspace, "1.1")
        path.unlink()
        solve(workspace, "1.1")
        assert b"tau = loss" in path.read_bytes()
        assert undo(workspace).files == (STEPS,) and not path.exists()
        reset(workspace, "1.1")
        assert b"raise NotImplementedError" in path.read_bytes()

    def test_a_result_that_is_not_valid_python_is_not_written(self, workspace, monkeypatch):
        before = (workspace / STEPS).read_bytes()
        monkeypatch.setattr(module, "replace_function", lambda *_: "def half_step(:\n")
        with pytest.raises(InputError, match=wording("course.would_python_more")):
            solve(workspace, "1.1")
        assert (workspace / STEPS).read_bytes() == before

    def test_a_link_out_of_the_workspace_is_not_followed(self, workspace, tmp_path):
        outside = tmp_path / "outside.py"
        shutil.move(workspace / STEPS, outside)
        (workspace / STEPS).symlink_to(outside)
        before = outside.read_bytes()
        with pytest.raises(InputError, match="leads out of"):
            solve(workspace, "1.1")
        assert outside.read_bytes() == before

    def test_an_installation_without_solutions(self, workspace, tmp_path, monkeypatch):
        """A student's installation holds the same stubs as a workspace."""
        mine = start_workspace(tmp_path / "second")
        for name in ("workspaces.generation", "registry", "workspace_state"):
            monkeypatch.setattr(f"lxmls_day1.course.{name}.reference_folder", lambda: workspace)
        with pytest.raises(InputError, match=wording("course.solution_exercise_part_installation")):
            solve(mine, "1.1")
        stub = (mine / STEPS).read_bytes()
        (mine / STEPS).write_bytes(stub.replace(b'raise NotImplementedError("Exercise 1.1', b'tau = ("'))
        assert reset(mine, "1.1").files == (STEPS,)
        assert (mine / STEPS).read_bytes() == stub

    def test_an_interruption_leaves_all_as_it_was(self, workspace, monkeypatch):
        before = tree(workspace)
        monkeypatch.setattr(os, "replace", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            solve(workspace, "1.1")
        monkeypatch.undo()
        assert tree(workspace) == {**before, LOCK: b""}
