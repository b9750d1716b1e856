import json
import re
import subprocess
import sys

import pytest

from lxmls_day1.course.registry import Registry
from lxmls_day1.course.reports.hints import next_hint, save_shown_hints
from lxmls_day1.course.reports.report_text import as_text, status_lines, workspace_lines
from lxmls_day1.course.workspace_state import FILE, Backup, SavedResult, WorkspaceState, files_digest
from lxmls_day1.course.workspaces.progress import status_of
from lxmls_day1.course.workspaces.solve_reset_undo import solve
from lxmls_day1.course.workspaces.upgrade import update
from lxmls_day1.course.workspaces.workspace import version_note
from tests.wording import wording


class TestState:
    def test_it_is_read_as_it_was_saved(self, workspace):
        backup = Backup("solve 1.2", "1.2", {"a": ".lab-backups/b"}, {"a": "c"}, False)
        result = SavedResult(1, 3, 2, "digest")
        state = WorkspaceState(workspace, {"1.1": 2}, {"1.1": result}, ["1.2"], [backup])
        state.save()
        assert WorkspaceState.from_folder(workspace) == state

    @pytest.mark.parametrize("content", ["{", "[]", "{}", '{"hints": 3}', "\x00"])
    def test_a_damaged_one_is_set_aside(self, workspace, content):
        (workspace / FILE).write_text(content)
        state = WorkspaceState.from_folder(workspace)
        assert state == WorkspaceState(workspace) and state.damage == f"{FILE} is damaged"
        assert (workspace / FILE).read_text() == content  # Reading does not change the file.
        state.save()
        assert (workspace / f"{FILE}.damaged").read_text() == content
        assert WorkspaceState.from_folder(workspace) == state and not WorkspaceState.from_folder(workspace).damage

    def test_no_version_is_guessed_from_a_damaged_one(self, workspace):
        (workspace / FILE).write_text("x")
        damaged, note = (text for _, text in workspace_lines(workspace) if not text.startswith("Lab:"))
        assert wording("course.hints_results_start_again") in damaged and wording("course.given_not_recorded") in note
        update(workspace)
        assert version_note(workspace) == ""

    @pytest.mark.parametrize("content", ['{"cells": [', '{"cells": 3}', "[]"])
    def test_a_damaged_notebook_keeps_its_exercise_in_the_count(self, workspace, content):
        counted, notebook = status_of(workspace).progress_text, workspace / "notebooks/2_second.ipynb"
        notebook.write_text(content)
        assert status_of(workspace).progress_text == counted
        assert [status.state for status in status_of(workspace).exercise_statuses] == ["to do", "to do", "missing"]
        said = as_text(workspace_lines(workspace))
        assert re.search(wording("course.second_notebook_is_damaged"), said), said
        notebook.unlink()
        assert status_of(workspace).progress_text == counted
        update(workspace)
        assert status_of(workspace).exercise_statuses[2].state == "to answer"

    @pytest.mark.parametrize("where", ["kept", "old", "written", "origin"])
    def test_no_path_in_it_leads_out_of_the_workspace(self, workspace, where):
        solve(workspace, "1.1")
        text = (workspace / FILE).read_text()
        for path in ("../x", "/etc/x", "a/../../x", "..\\x", "C:\\x", "C:x", "\\\\host\\share\\x", "", "readers/.."):
            content = json.loads(text)
            (backup,) = content["backups"]
            if where == "kept":
                backup["kept"] = {path: next(iter(backup["kept"].values()))}
            elif where == "old":
                backup["kept"] = dict.fromkeys(backup["kept"], path)
            elif where == "written":
                backup["written"] = {path: "digest"}
            else:
                content["origin"]["files"] = {path: {"digest": "", "functions": [], "around": ""}}
            (workspace / FILE).write_text(json.dumps(content))
            assert WorkspaceState.from_folder(workspace).damage, path

    @pytest.mark.slow
    def test_processes_at_once_lose_nothing(self, workspace):
        """Each process adds its own results many times, without pauses."""
        code = """
import sys
from pathlib import Path
from lxmls_day1.course.workspace_state import WorkspaceState, lock_state
from lxmls_day1.lab import reference_folder

folder, name = Path(sys.argv[1]), sys.argv[2]
for n in range(15):
    with lock_state(folder):
        state = WorkspaceState.from_folder(folder)
        state.hints[f"{name}.{n}"] = 1
        state.save()
"""
        command = [sys.executable, "-c", code, str(workspace)]
        running = [subprocess.Popen([*command, name]) for name in ("1", "2", "3")]
        assert [process.wait() for process in running] == [0, 0, 0]
        assert len(WorkspaceState.from_folder(workspace).hints) == 45

    def test_the_reference_remembers_nothing(self, reference):
        WorkspaceState(reference, {"1.1": 2}).save()
        assert not (reference / FILE).exists()


class TestHints:
    def test_one_at_a_time_and_remembered(self, workspace):
        shown = []
        for _ in range(4):
            shown.append(next_hint(workspace, "1.1"))
            save_shown_hints(workspace, shown[-1])
        texts = ["Think of two blocks.", "tau = l / (2 n)", "tau = loss / (twice ...)"]
        assert [[step[2] for step in hints.steps] for hints in shown] == [*([text] for text in texts), texts]
        assert [hints.n_left for hints in shown] == [2, 1, 0, 0]
        assert json.loads((workspace / FILE).read_text())["hints"] == {"1.1": 3}


class TestStatus:
    def states(self, folder):
        return [standing.state for standing in status_of(folder).exercise_statuses]

    def remember(self, folder, id, passed, total):
        state = WorkspaceState.from_folder(folder)
        state.results[id] = SavedResult(passed, total, 2, files_digest(folder, Registry.from_folder(folder)[id]))
        state.save()

    def write(self, folder):
        path = folder / "classifiers/steps.py"
        path.write_bytes(path.read_bytes().replace(b'raise NotImplementedError("Exercise 1.1', b'tau = ("'))

    def test_from_the_stub_to_the_solution(self, workspace):
        assert self.states(workspace) == ["to do", "to do", "to answer"]
        self.write(workspace)
        assert self.states(workspace)[0] == "changed"
        self.remember(workspace, "1.1", 1, 3)
        assert self.states(workspace)[0] == "failing"
        self.remember(workspace, "1.1", 3, 3)
        status = status_of(workspace)
        assert (status.n_done, str(status.next.exercise)) == (1, "Exercise 1.2: Means")
        assert status.progress_text.startswith("1 of 3 exercises done, ")
        assert "3 of 3 pass; 2 at grading" in as_text(status_lines(status))
        (workspace / "classifiers/steps.py").write_text("# another\n")
        assert self.states(workspace)[0] == "changed"

    def test_a_solution_that_was_inserted_is_reported_as_such(self, workspace):
        solve(workspace, "1.1")
        self.remember(workspace, "1.1", 3, 3)
        assert self.states(workspace)[0] == "reference"

    @pytest.mark.slow
    def test_an_answer_in_the_notebook(self, workspace):
        path = workspace / "notebooks/2_second.ipynb"
        path.write_text(path.read_text().replace("*Your answer*", "It moves."))
        assert self.states(workspace)[2] == "answered"
        path.write_text("{")
        assert self.states(workspace)[2] == "missing"

    def test_in_the_reference_nothing_is_left_to_do(self, reference):
        assert self.states(reference) == ["given"] * 3
        assert status_of(reference).progress_text.startswith("nothing to solve here")
