import json

import pytest

from lxmls_day1.exercises.hints import next_hint, remember_hint
from lxmls_day1.exercises.progress import FILE, Backup, Progress, Result, files_digest
from lxmls_day1.exercises.registry import Registry
from lxmls_day1.exercises.report_text import as_text, hint_lines, status_lines
from lxmls_day1.exercises.status import status_of
from lxmls_day1.exercises.workspace import solve


class TestState:
    def test_it_is_read_as_it_was_saved(self, workspace):
        progress = Progress(
            workspace,
            {"1.1": 2},
            {"1.1": Result(1, 3, 2, "digest")},
            ["1.2"],
            [Backup("solve 1.2", "1.2", {"a": ".lab-backups/b"}, {"a": "c"}, False)],
        )
        progress.save()
        assert Progress.of(workspace) == progress

    @pytest.mark.parametrize("content", ["{", "[]", "{}", '{"hints": 3}', "\x00"])
    def test_a_damaged_one_is_set_aside(self, workspace, content):
        (workspace / FILE).write_text(content)
        progress = Progress.of(workspace)
        assert progress == Progress(workspace) and progress.damage == f"{FILE} is damaged"
        assert (workspace / FILE).read_text() == content  # reading changes nothing
        progress.save()
        assert (workspace / f"{FILE}.damaged").read_text() == content
        assert Progress.of(workspace) == progress and not Progress.of(workspace).damage

    def test_the_reference_remembers_nothing(self, reference):
        Progress(reference, {"1.1": 2}).save()
        assert not (reference / FILE).exists()

    def test_line_ends_do_not_change_a_digest_but_contents_do(self, workspace):
        exercise = Registry.of(workspace)["1.1"]
        path = workspace / "classifiers/steps.py"
        before = files_digest(workspace, exercise)
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        assert files_digest(workspace, exercise) == before
        path.unlink()
        assert files_digest(workspace, exercise) != before


class TestHints:
    def test_one_at_a_time_and_remembered(self, workspace):
        shown = []
        for _ in range(4):
            shown.append(next_hint(workspace, "1.1"))
            remember_hint(workspace, shown[-1])
        assert [[step[2] for step in hints.steps] for hints in shown] == [
            ["Think of two blocks."],
            ["tau = l / (2 n)"],
            ["tau = loss / (twice ...)"],
            ["Think of two blocks.", "tau = l / (2 n)", "tau = loss / (twice ...)"],
        ]
        assert [hints.left for hints in shown] == [2, 1, 0, 0]
        assert json.loads((workspace / FILE).read_text())["hints"] == {"1.1": 3}

    def test_again_shows_what_was_shown(self, workspace):
        assert next_hint(workspace, "1.1", again=True).steps == ()
        remember_hint(workspace, next_hint(workspace, "1.1"))
        remember_hint(workspace, next_hint(workspace, "1.1", again=True))
        assert len(next_hint(workspace, "1.1", again=True).steps) == 1

    def test_the_reference_shows_all(self, reference):
        assert len(next_hint(reference, "1.2").steps) == 3

    def test_as_text(self, workspace):
        assert as_text(hint_lines(next_hint(workspace, "1.1"))) == (
            "Exercise 1.1: Half steps\n  Hint 1 of 3, idea:\n    Think of two blocks.\n  2 more hints if you ask again."
        )


class TestStatus:
    def states(self, folder):
        return [standing.state for standing in status_of(folder).standings]

    def remember(self, folder, id, passed, total):
        progress = Progress.of(folder)
        progress.results[id] = Result(passed, total, 2, files_digest(folder, Registry.of(folder)[id]))
        progress.save()

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
        assert (status.done, status.next.exercise.id) == (1, "1.2")
        assert status.summary == "1 of 3 exercises done; next: 1.2, Means"
        assert "3 of 3 pass; 2 at grading" in as_text(status_lines(status))
        (workspace / "classifiers/steps.py").write_text("# another\n")
        assert self.states(workspace)[0] == "changed"

    def test_a_solution_that_was_put_in_is_called_so(self, workspace):
        solve(workspace, "1.1")
        self.remember(workspace, "1.1", 3, 3)
        assert self.states(workspace)[0] == "reference"

    def test_an_answer_in_the_notebook(self, workspace):
        path = workspace / "notebooks/2_second.ipynb"
        path.write_text(path.read_text().replace("*Your answer*", "It moves."))
        assert self.states(workspace)[2] == "answered"
        path.write_text("{")
        assert self.states(workspace)[2] == "reading"

    def test_an_answer_below_its_heading(self, reference, workspace):
        for folder in (reference, workspace):
            path = folder / "notebooks/2_second.ipynb"
            notebook = json.loads(path.read_text())
            notebook["cells"][-1]["metadata"]["tags"] = ["answer"]
            heading = {"cell_type": "markdown", "id": "h", "metadata": {}, "source": "## Exercise 1.3: look"}
            notebook["cells"].insert(-1, heading)
            path.write_text(json.dumps(notebook))
        assert self.states(workspace)[2] == "to answer"

    def test_in_the_reference_nothing_is_left_to_do(self, reference):
        assert self.states(reference) == ["given"] * 3
        assert status_of(reference).summary.startswith("nothing to solve here")

    def test_what_is_not_assigned(self, reference, workspace):
        path = workspace / "tests/exercises/exercises.toml"
        path.write_text('assigned = ["1.2"]\n' + path.read_text())
        assert self.states(workspace) == ["given", "to do", "given"]
