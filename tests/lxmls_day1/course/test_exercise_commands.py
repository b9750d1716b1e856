"""The commands as a user types them: their output and their exit status."""

import dataclasses
import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile

import pytest

from lxmls_day1.commands import check as check_command
from lxmls_day1.commands import lab
from lxmls_day1.commands.command_line import COMMANDS
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.course.reports import terminal
from lxmls_day1.course.workspace_state import SavedResult, WorkspaceState, files_digest
from lxmls_day1.course.workspaces.solve_reset_undo import solve
from lxmls_day1.course.workspaces.workspace import shell_quoted, start_workspace
from tests import command_runs
from tests.lxmls_day1.small_disk import small_disk
from tests.python_runs import run_python
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before")


def run(*arguments, status=0):
    return command_runs.run(*arguments, status=status).output


@pytest.fixture
def here(workspace, monkeypatch):
    """Make the workspace the current folder."""
    monkeypatch.chdir(workspace / "notebooks")
    return workspace


def test_start_makes_a_workspace(reference, tmp_path):
    said = run("start", tmp_path / "mine")
    assert wording("course.is_your_lab_with") in said.splitlines()[0] and "lxmls-day1 lab" in said.splitlines()[1]
    assert wording("course.nothing_in_it_was") in run("start", tmp_path / "mine", status=1)


class TestChoiceOfLab:
    """The lab that a command works on, and the line that names it."""

    COMMANDS = [("check", "1.1"), ("hint", "1.1"), ("status",), ("solve", "1.1"), ("reset", "1.1"), ("undo",)]
    COMMANDS += [("submit",), ("update",), ("lab", "--print")]

    @pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
    def test_the_reference_lab_is_refused_unless_it_is_named(self, reference, tmp_path, monkeypatch, arguments):
        """Both outside every lab and inside the reference lab."""
        before = sorted(reference.rglob("*"))
        (tmp_path / "elsewhere").mkdir()
        for folder in (tmp_path / "elsewhere", reference / "notebooks"):
            monkeypatch.chdir(folder)
            said = run(*arguments, status=1)
            assert wording("course.error_lab_own_does", folder, arguments[0]) in said
            assert wording("course.make_lxmls_day_start") in said and "Lab:" not in said
        assert sorted(reference.rglob("*")) == before

    def test_a_lab_below_the_current_folder_is_suggested(self, reference, tmp_path, monkeypatch):
        start_workspace(tmp_path / "mein Labor ä")
        (tmp_path / "a-folder").mkdir()
        monkeypatch.chdir(tmp_path)
        assert wording("course.go_lab_name_lab", shell_quoted("cd", "mein Labor ä")) in run("status", status=1)

    @pytest.mark.parametrize("package", ["classifiers", "readers"])
    def test_a_lab_without_a_package_file_is_one_and_can_be_repaired(self, here, package):
        (here / package / "__init__.py").unlink()
        assert wording("course.package_file_is_gone", package) in run("status")
        run("update")
        assert wording("course.package_file_is_gone", package) not in run("status")

    @pytest.mark.parametrize("arguments", [c for c in COMMANDS if c[0] not in ("check", "undo")], ids=" ".join)
    def test_the_lab_is_the_first_line_unless_it_is_around_the_current_folder(self, here, monkeypatch, arguments):
        assert "Lab:" not in run(*arguments)
        monkeypatch.chdir(here.parent)
        named = [here.name] if arguments[0] == "lab" else ["--lab", here.name]
        assert run(*arguments, *named).startswith(f"Lab: {here}\n")


def test_a_mistyped_command():
    assert wording("course.command_chek_did_mean") in run("chek", "1.5", status=2)
    assert wording("course.command_zzz_add_autograder") in run("zzz", status=2)
    assert "No such option" in run("--versoin", status=2)


class TestUnwritable:
    """The result is shown, followed by the message that it could not be saved."""

    @pytest.fixture(params=["read-only", "full"])
    def disk(self, request, reference):
        """Yield a workspace that cannot be written to. Root may write to any folder, so a small disk is needed."""
        with small_disk(1) as disk:
            folder = start_workspace(disk / "mine")
            if request.param == "read-only":
                subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            else:
                with pytest.raises(OSError), (disk / "ballast").open("wb", buffering=0) as file:
                    while file.write(bytes(4096)):
                        pass
            yield folder

    def test_hint_and_status(self, disk):
        said = run("hint", "1.1", "--lab", disk)
        assert "Think of two blocks." in said
        assert re.search(wording("course.hint_shown_could_kept"), said)
        assert "0 of 3 exercises done, 0 of" in run("status", "--lab", disk)

    def test_commands_that_write_fail_in_one_sentence_and_change_nothing(self, disk):
        before = sorted(disk.rglob("*"))
        for arguments in (["solve", "1.1"], ["update"], ["submit"]):
            said = run(*arguments, "--lab", disk, status=1)
            assert said.splitlines()[-1].startswith("Error: ")
        assert [path for path in sorted(disk.rglob("*")) if path.name != ".lab-state.lock"] == before

    @pytest.mark.slow
    def test_check(self, disk):
        said = run("check", "1.1", "--lab", disk, status=1)
        assert wording("course.still_to_be_written_2", "classifiers/steps.py") in said
        assert wording("course.results_could_kept_lab") in said


@pytest.mark.slow
class TestCheck:
    def test_a_deleted_file_is_reported_with_the_command_that_restores_it(self, here):
        (here / "classifiers/steps.py").unlink()
        said = run("check", "1.1", status=1)
        assert wording("course.lxmls_day_reset_puts_back") in said
        assert wording("course.file_missing_reset") in run("status")
        assert wording("course.lxmls_day_reset_puts_back") in run("submit", status=1)
        run("reset", "1.1")
        assert "still to be written" in run("check", "1.1", status=1)

    def test_missing_checks_of_code_are_not_passed(self, here):
        solve(here, "1.1")
        run("check", "1.1")
        (here / "tests/exercises/test_1_01_steps.py").unlink()
        for arguments in (["1.1"], [], ["1.1", "-v"], ["1.1", "--format", "lines"]):
            assert wording("course.checks_of_it_are_missing") in run("check", *arguments, status=1)
        found = json.loads(run("check", "1.1", "--json", status=1))
        assert not found["passed"] and found["exercises"][0]["verdict"] == "missing"
        assert "✓ 1.1" in run("status")
        run("update")
        run("check", "1.1")

    def test_one_exercise_and_all(self, here):
        solve(here, "1.1")
        assert wording("course.public_checks_pass_more") in run("check", "1.1")
        said = run("check", status=1)
        assert "3 of 3" in said
        assert wording("course.still_to_be_written_2", "classifiers/means.py") in said
        assert "· 1.3" not in said
        assert "✓ 1.1" in run("status")
        assert "no exercise '2.2'" in run("check", "2.2", status=1)

    def test_the_reference_passes_and_stays_clean(self, reference):
        before = sorted(path for path in reference.rglob("*") if "__pycache__" not in path.parts)
        said = run("check", "--lab", reference)
        assert said.count("public check") == 2
        assert sorted(path for path in reference.rglob("*") if "__pycache__" not in path.parts) == before

    def test_an_unwritten_prerequisite_is_reported(self, here):
        path = here / "classifiers/means.py"
        source = path.read_text(encoding="utf-8")
        begin = source.index("raise NotImplementedError")
        line = source[begin : source.index("\n", begin)]
        path.write_text(source.replace(line, line.replace("Exercise 1.2", "Exercise 1.1")), encoding="utf-8")
        said = run("check", "1.2", status=1)
        assert wording("course.needs_exercise_still_written") in said and "hint 1.1` helps" in said

    def test_the_report_as_json(self, here, reference):
        (report,) = json.loads(run("check", "1.1", "--json", status=1))["exercises"]
        assert (report["verdict"], report["passed"], report["public"], report["hidden"]) == ("to do", 0, 3, 2)
        assert {check["outcome"] for check in report["checks"]} == {"to do"}
        assert report["diagnosis"]["items"] == [] and report["counter_example"] is None
        solve(here, "1.1")
        found = json.loads(run("check", "--json", status=1))
        assert found["format"] == 1 and found["lab"] == str(here) and not found["passed"]
        assert [one["verdict"] for one in found["exercises"]] == ["passed", "to do"]
        (here / "classifiers/means.py").unlink()
        assert json.loads(run("check", "1.2", "--json", status=1))["exercises"][0]["verdict"] == "missing"
        for other in ("--watch", "--again"):
            assert "cannot be combined with" in run("check", "1.1", "--json", other, status=2)
        assert WorkspaceState.from_folder(here).results["1.1"].passed == 3


class TestWatching:
    def watch(self, folder, ids, *edits):
        """Watch with one edit after each run; return the exercises that were checked."""
        checked, pending = [], list(edits)

        def sleep(seconds):
            if len(checked) + len(pending) > len(edits):  # All edits so far have been noticed.
                if not pending:
                    raise KeyboardInterrupt
                pending.pop(0)()

        with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(check_command.time, "sleep", sleep)
            check_command.watch_files(folder, ids, checked.append)
        return checked

    def edit(self, path, text):
        return lambda: path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")

    def test_each_change_repeats_the_checks_of_its_exercise(self, workspace, capsys):
        names = ("classifiers/steps.py", "classifiers/means.py", "readers/points.py")
        edits = [self.edit(workspace / name, "# edited\n") for name in names]
        assert self.watch(workspace, None, *edits) == [None, ["1.1"], ["1.2"], None]
        said = capsys.readouterr().out
        assert "classifiers/steps.py changed" in said and said.count("Watching; Ctrl-C ends it.") == 4

    def test_an_edit_that_is_taken_back_repeats_nothing(self, workspace, monkeypatch):
        path, checked = workspace / "classifiers/steps.py", []
        content, before = path.read_bytes(), path.stat()

        def put_back():
            path.write_bytes(content)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

        def interrupt():
            raise KeyboardInterrupt

        steps = iter([self.edit(path, "# edited\n"), put_back, lambda: None, lambda: None, interrupt])
        monkeypatch.setattr(check_command.time, "sleep", lambda seconds: next(steps)())
        with pytest.raises(KeyboardInterrupt):
            check_command.watch_files(workspace, None, checked.append)
        assert checked == [None]


def test_hint_shows_one_hint_at_a_time(here):
    assert "Hint 1 of 3, idea:" in run("hint", "1.1")
    assert "Hint 2 of 3" in run("hint", "1.1")
    assert "Hint 1 of 3" in run("hint", "1.1", "--again")
    assert wording("course.seen_hint_yet") in run("hint", "1.2", "--again")
    assert "(2 hints)" in run("status")
    assert wording("course.there_is_no_exercise") in run("hint", "1.7", status=1)


def test_solve_reset_undo(here):
    assert wording("course.solution_exercise_now_lxmls") in run("solve", "1.1")
    assert "was in place already" in run("solve", "1.1")
    (here / "classifiers/steps.py").write_text("edited", encoding="utf-8")
    said = run("undo")
    assert "`solve 1.1` is undone: classifiers/steps.py" in said
    assert wording("course.what_edited_since_then") in said
    assert wording("course.there_is_nothing_to") in run("undo", status=1)


def test_a_raise_below_a_right_answer_is_reported_and_costs_nothing(here):
    path = here / "classifiers/steps.py"
    answer = "return min(cap, loss / (2 * sq_norm))\n    raise NotImplementedError"
    path.write_text(path.read_text("utf-8").replace("raise NotImplementedError", answer), encoding="utf-8")
    assert wording("course.still_stands_remove_line") in run("check", "1.1")
    said = run("status")
    assert "passes; remove the `raise`" in said and wording("course.exercises_done_points") in said
    assert "Further" not in said and "Core" not in said
    assert wording("course.solved_yet_order_notebooks", "1.2") in run("submit")


def write_answer(folder, expression):
    """Replace the stub's `raise` of 1.1 by an answer; return the bytes of the file."""
    path = folder / "classifiers/steps.py"
    source = path.read_text(encoding="utf-8")
    line = next(line for line in source.splitlines() if "raise NotImplementedError" in line)
    path.write_text(source.replace(line.strip(), f"return {expression}"), encoding="utf-8")
    return path.read_bytes()


@pytest.mark.slow
def test_a_solved_exercise_can_be_practised_with_new_numbers(here):
    kept = RecordedAnswers.read(here / RECORDED, ["1.1"])
    others = [({"loss": loss, "squared norm": 1.0, "cap": 9.0}, Answer.from_value(loss / 2)) for loss in (5.0, 6.0)]
    kept.pools["1.1"] = dataclasses.replace(kept.pools["1.1"], practice_inputs=tuple(others))
    (here / RECORDED / "1.1.json").write_text(kept.to_json(), encoding="utf-8")

    assert wording("course.exercise_solved_yet_do") in run("check", "--again", "1.1", status=1)
    mine = write_answer(here, "min(cap, loss / 2 / sq_norm)")
    run("check", "1.1")
    assert "To practise" not in run("status")
    state = WorkspaceState.from_folder(here)
    assert list(state.solved_on) == ["1.1"]
    state.solved_on["1.1"] = "2026-01-02"
    state.save()
    assert wording("course.practise_lxmls_day_check") in run("status")

    run("check", "--again", "1.1")
    assert wording("course.asked_once_more_see") in run("status") and "To practise" not in run("status")
    assert wording("course.asked_once_more_handed") in run("submit")
    assert "still to be written" in run("check", "1.1", status=1)
    write_answer(here, "min(cap, loss / 2 / sq_norm) if loss != 6 else 0.0")  # right for all inputs except a new one
    said = run("check", "1.1", status=1)
    assert wording("course.new_inputs_get_wrong") in said and "input     loss 6" in said
    run("undo")
    assert (here / "classifiers/steps.py").read_bytes() == mine
    assert wording("browser.public_checks_pass", "3", "3") in run("check", "1.1")

    run("check", "--again", "1.1")
    write_answer(here, "min(cap, loss / 2 / sq_norm)")
    assert wording("browser.public_checks_pass", "3", "3") in run("check", "1.1")
    assert "To practise" not in run("status")  # The exercise was solved today.
    assert WorkspaceState.from_folder(here).practised == []


@pytest.mark.parametrize("arguments", [(), ("1.1", "1.2"), ("1.1", "--watch"), ("1.1", "--because", "x")])
def test_only_one_exercise_at_a_time_can_be_practised(here, arguments):
    assert wording("course.again_solved_exercise") in run("check", "--again", *arguments, status=2)


def test_submit_packs_the_work(here, tmp_path):
    said = run("submit")
    assert wording("course.solved_yet_order_notebooks_2") in said and "Packed:" in said
    receipt = hashlib.sha256((here / "submission-mine.zip").read_bytes()).hexdigest()
    assert f"Receipt: sha256 {receipt}." in said
    assert "Packed again" in run("submit")
    source = (here / "classifiers/means.py").read_text(encoding="utf-8")
    (here / "classifiers/means.py").write_text(source.replace("raise NotImplementedError", "x = str"), encoding="utf-8")
    solve(here, "1.1")
    digest = files_digest(here, Registry.from_folder(here)["1.1"])
    state = WorkspaceState.from_folder(here)
    state.results["1.1"] = SavedResult(2, 3, 0, digest)
    state.save()
    said = run("submit")
    assert wording("course.solved_yet_order_notebooks", "1.1") in said
    assert wording("course.checked_since_last_edit") in said
    (here / "classifiers/steps.py").write_text("x = (\n")
    said = run("submit", "--out", tmp_path / "out", status=1)
    assert wording("commands.this_is_not_python", "classifiers/steps.py:1") in said and "nothing was packed" in said
    assert "Packed:" in run("submit", "--out", tmp_path / "out", "--name", "Ada L.", "--force")
    assert (tmp_path / "out/submission-ada-l.zip").is_file()
    (tmp_path / "folder.zip").mkdir()
    for path, name in (("new/A.ZIP", ""), ("folder.zip", "submission-ada-l.zip"), ("z/", "submission-ada-l.zip")):
        said = run("submit", "--out", f"{tmp_path}/{path}", "--name", "Ada L.", "--force")
        assert f"Packed: {tmp_path / path / name} (" in said and zipfile.is_zipfile(tmp_path / path / name)
    assert f"Packed again: {tmp_path}/new/A.ZIP" in run("submit", "--out", tmp_path / "new/A.ZIP", "--force")
    said = run("submit", "--out", tmp_path / "new/A.ZIP/b.zip", "--force", status=1)
    assert wording("course.is_file_or_lies") in said


class TestLab:
    def test_the_first_exercise_that_is_not_solved(self, here):
        said = run("lab", "--print")
        assert "Exercise 1.1, Half steps: notebooks/1_first.ipynb" in said
        assert "default_url=/lab/tree/notebooks/1_first.ipynb" in said and "-m jupyterlab" in said
        toml = here / "tests/exercises/exercises.toml"
        toml.write_text('assigned = ["1.2"]\n' + toml.read_text())
        assert "default_url=/lab/tree/notebooks/2_second.ipynb" in run("lab", "--print")

    def test_it_runs_in_the_workspace_and_passes_on_the_status(self, here, monkeypatch):
        monkeypatch.setattr(lab, "find_spec", lambda name: name == "jupyterlab" or None)
        code = "import os; raise SystemExit(7 if os.path.isdir('classifiers') else 1)"
        monkeypatch.setattr(lab, "jupyter_arguments", lambda *a: [sys.executable, "-c", code])
        run("lab", status=7)


class TestTerminal:
    @pytest.fixture(params=[40, 60, 80, 200])
    def width(self, request, monkeypatch):
        """Make standard output a terminal of this width."""
        monkeypatch.setattr(terminal, "terminal_columns", lambda: request.param)
        return request.param

    def test_no_line_is_wider_than_the_terminal_and_no_word_is_lost(self, width, capsys):
        long = "  ✗ a check with a title that goes on and on and on, far beyond the end"
        lines = [("bad", long), ("", f"      got {'x' * 30}")]
        terminal.echo_lines([*lines, ("", ""), ("good", "  short")])
        said = capsys.readouterr().out
        assert max(map(len, said.splitlines())) <= width
        assert said.split() == [*" ".join(text for _, text in lines).split(), "short"]
        assert said.splitlines()[-2:] == ["", "  short"]

    def test_plain_characters_where_there_are_no_others(self, monkeypatch, capsys):
        monkeypatch.setattr(terminal, "can_show", lambda text: False)
        terminal.echo_lines([("good", "✓ yes ██░"), ("bad", "✗ no")])
        assert capsys.readouterr().out == "+ yes ##.\nx no\n"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"run", "train", "predict", "explain"}))
def test_help_has_a_first_sentence_and_imports_nothing_slow(name):
    said = run(name, "--help")
    assert said.startswith(f"Usage: lxmls-day1 {name}")
    code = f"""
import sys
from lxmls_day1.commands.command_line import command_group
try: command_group.main(args=["{name}", "--help"], prog_name="lxmls-day1")
except SystemExit: pass
assert not [m for m in ("numpy", "pytest", "rich", "lxmls_day1.course.running.checking") if m in sys.modules]
"""
    run_python("-c", code)
