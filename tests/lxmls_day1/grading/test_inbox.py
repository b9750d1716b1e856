"""What arrives in a folder is graded when it is whole, and each change once."""

import os
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from lxmls_day1.box import levels
from lxmls_day1.commands import grade as command
from lxmls_day1.commands.roster_options import fill_in, remove_stale
from lxmls_day1.errors import InputError
from lxmls_day1.grading import grading_run, plan
from lxmls_day1.grading.gradebook import ExerciseGrade, Gradebook, SubmissionGrade
from lxmls_day1.grading.inbox import Inbox
from lxmls_day1.grading.roster import Roster


def hand_in(folder, name, text="x = 1"):
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        archive.writestr("classifiers/mira.py", text)


def names(found):
    return [one.student for one in found]


class TestInbox:
    def test_what_looks_the_same_twice_has_arrived_and_once(self, tmp_path):
        inbox = Inbox([tmp_path])
        assert inbox.arrived() == []
        hand_in(tmp_path, "ada")
        assert inbox.arrived() == []
        assert names(inbox.arrived()) == ["ada"]
        assert [inbox.arrived() for _ in range(3)] == [[], [], []]

    def test_a_file_that_grows_waits_and_holds_nobody_up(self, tmp_path):
        inbox = Inbox([tmp_path])
        hand_in(tmp_path, "ada")
        half = tmp_path / "bob.zip"
        arrived = []
        for n in range(4):
            half.write_bytes(b"PK" * (n + 1))
            arrived.append(names(inbox.arrived()))
        assert arrived == [[], ["ada"], [], []]
        hand_in(tmp_path, "bob")
        assert inbox.arrived() == [] and names(inbox.arrived()) == ["ada", "bob"] and inbox.arrived() == []

    def test_a_folder_counts_when_all_its_files_have_settled(self, tmp_path):
        inbox = Inbox([tmp_path])
        (tmp_path / "ada" / "classifiers").mkdir(parents=True)
        file = tmp_path / "ada" / "classifiers" / "mira.py"
        file.write_text("x")
        inbox.arrived()
        file.write_text("x = 1")
        assert inbox.arrived() == [] and names(inbox.arrived()) == ["ada"]
        os.utime(file, (1, 1))
        assert inbox.arrived() == [] and names(inbox.arrived()) == ["ada"]

    def test_each_change_and_what_is_taken_away_count_once(self, tmp_path):
        inbox = Inbox([tmp_path])
        for name in ("ada", "bob"):
            hand_in(tmp_path, name)
        inbox.arrived()
        assert names(inbox.arrived()) == ["ada", "bob"]
        hand_in(tmp_path, "ada", "x = 2000")
        assert [names(inbox.arrived()) for _ in range(3)] == [[], ["ada", "bob"], []]
        (tmp_path / "bob.zip").unlink()
        assert [names(inbox.arrived()) for _ in range(2)] == [["ada"], []]

    def test_several_folders(self, tmp_path):
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            for student in ("ada", "bob"):
                hand_in(tmp_path / name, f"{student}-{name}")
        inbox = Inbox([tmp_path / "one", tmp_path / "two"])
        inbox.arrived()
        assert names(inbox.arrived()) == ["ada-one", "ada-two", "bob-one", "bob-two"]

    def test_a_folder_that_is_away_for_a_moment(self, tmp_path):
        (tmp_path / "in").mkdir()
        inbox = Inbox([tmp_path / "in"])
        (tmp_path / "in").rename(tmp_path / "away")
        assert inbox.arrived() == []
        (tmp_path / "away").rename(tmp_path / "in")
        hand_in(tmp_path / "in", "ada")
        inbox.arrived()
        assert names(inbox.arrived()) == ["ada"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
    def test_links_and_pipes_are_not_followed(self, tmp_path):
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "around").symlink_to(tmp_path)
        (tmp_path / "in" / "nowhere").symlink_to(tmp_path / "nothing")
        os.mkfifo(tmp_path / "in" / "pipe.zip")
        hand_in(tmp_path / "in", "ada")
        inbox = Inbox([tmp_path / "in"])
        inbox.arrived()
        assert "ada" in names(inbox.arrived()) and inbox.arrived() == []

    def test_a_file_is_no_inbox(self, tmp_path):
        hand_in(tmp_path, "ada")
        with pytest.raises(InputError, match="--watch wants the folder"):
            Inbox([tmp_path / "ada.zip"])


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Run `grade --watch` on a folder, without any grading: what happens at each look, and which were graded when."""
    graded = []
    monkeypatch.setattr(
        levels, "strongest_level", lambda *_: SimpleNamespace(name="test", text="", user=None, rejected=())
    )
    monkeypatch.setattr(plan, "make_plan", lambda *_: SimpleNamespace(refuse_hidden="", seed=1))
    monkeypatch.setattr(command, "forget_python_path", lambda: None)
    (tmp_path / "in").mkdir()

    def start(at_looks, failed=(), interrupted=False, options=()):
        looks = iter(at_looks)

        def grade(_paths, *_, retry_failed, told):
            found = _[-1]
            graded.append((names(found), retry_failed))
            if interrupted:
                raise KeyboardInterrupt
            row = SubmissionGrade("", "", "", "", (ExerciseGrade("1.1", "A look", "experiment", 5.0),))
            return Gradebook(tuple(replace(row, student=s, failed=s in failed) for s in names(found)), 1, "test", "")

        def sleep(_seconds):
            act = next(looks, None)
            if act is None:
                raise KeyboardInterrupt
            act()

        monkeypatch.setattr(grading_run, "grade", grade)
        monkeypatch.setattr(command, "time", SimpleNamespace(sleep=sleep))
        arguments = [str(tmp_path / "in"), "--out", str(tmp_path / "marks"), "--watch", *options]
        ended = CliRunner().invoke(command.command, arguments)
        return ended, graded

    return start


def nothing():
    pass


class TestWatching:
    def test_it_grades_what_arrives_until_it_is_interrupted(self, watched, tmp_path):
        box = tmp_path / "in"
        looks = [nothing, lambda: hand_in(box, "ada"), nothing, nothing, lambda: hand_in(box, "bob"), nothing, nothing]
        ended, graded = watched(looks)
        assert ended.exit_code == 0 and "Watching has ended" in ended.stderr
        assert [found for found, _ in graded] == [["ada"], ["ada", "bob"]]

    def test_what_could_not_be_graded_is_tried_at_the_start_and_not_with_each_arrival(self, watched, tmp_path):
        hand_in(tmp_path / "in", "ada")
        looks = [nothing, lambda: hand_in(tmp_path / "in", "bob"), nothing, nothing]
        ended, graded = watched(looks, failed=["ada"])
        assert [again for _, again in graded] == [True, False]
        assert ended.exit_code == command.NOT_ALL_GRADED

    def test_an_interruption_while_something_is_graded_says_what_is_kept(self, watched, tmp_path):
        hand_in(tmp_path / "in", "ada")
        ended, graded = watched([nothing, nothing, nothing], interrupted=True)
        assert ended.exit_code == 1 and "What is graded is kept" in ended.stderr and len(graded) == 1

    def test_the_roster_is_filled_in_each_time(self, watched, tmp_path):
        (tmp_path / "class.csv").write_text("username,marks\nada,\nbob,\n")
        hand_in(tmp_path / "in", "ada")
        looks = [nothing, lambda: hand_in(tmp_path / "in", "bob"), nothing, nothing]
        ended, _ = watched(looks, options=["--roster", str(tmp_path / "class.csv"), "--marks-column", "marks"])
        assert ended.exit_code == 0, ended.output
        assert (tmp_path / "marks" / "roster" / "class.csv").read_text() == "username,marks\nada,0\nbob,0\n"
        assert (tmp_path / "class.csv").read_text() == "username,marks\nada,\nbob,\n"

    def test_where_nobody_is_matched_ids_of_both_sides_are_said(self, watched, tmp_path):
        (tmp_path / "class.csv").write_text("ID,marks\n4711,\n4712,\n")
        (tmp_path / "in" / "ada_17_assignsubmission_file_").mkdir()
        (tmp_path / "in" / "ada_17_assignsubmission_file_" / "mira.py").touch()
        ended, _ = watched([nothing, nothing], options=["--roster", str(tmp_path / "class.csv")])
        assert (
            "Nobody was matched. Ids on the roster ('ID') are such as 4711, and those of the submissions such as 17"
            in ended.stderr
        )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--due", "2026-11-20T12:00"], "belong to a --roster"),
        (["--roster", "class.csv", "--due", "2026-11-20T12:00"], "--due and --late-penalty go together"),
        (["--roster", "class.csv", "--late-penalty", "10"], "--due and --late-penalty go together"),
        (["--roster", "class.csv", "--time-column", "when"], "--due and --late-penalty go together"),
        (["--roster", "class.csv", "--due", "soon", "--late-penalty", "10"], "2026-11-20T23:59, and not 'soon'"),
        (["--roster", "class.csv", "--extension-column", "more"], "--due and --late-penalty go together"),
        (["--group-column", "team"], "belong to a --roster"),
        (["--roster", "none.csv"], "none.csv is not there"),
        (["--roster", "marks/roster/class.csv"], "would be written over"),
        (["--roster", "matches.csv"], "would be written over"),
        (["--roster", "class.csv", "--marks-column", "Mrks"], "did you mean marks"),
    ],
)
def test_options_that_cannot_be(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "forget_python_path", lambda: None)
    (tmp_path / "marks" / "roster").mkdir(parents=True)
    hand_in(tmp_path, "ada")
    for place in ("class.csv", "matches.csv", "marks/roster/class.csv"):
        (tmp_path / place).write_text("username,marks\nada,\n")
    ended = CliRunner().invoke(command.command, ["ada.zip", "--out", "marks", *options])
    assert ended.exit_code in (1, 2) and said in ended.output + str(ended.exception)
    assert [path.name for path in Path("marks").iterdir()] == ["roster"]  # nothing was graded


def test_a_roster_that_holds_other_marks_is_removed_and_said(tmp_path, capsys):
    """Also where the run that changed the marks was stopped before it came to that; what is not ours stays."""
    folder = tmp_path / "roster"

    def runs(marks, name=""):
        (tmp_path / "grades.csv").write_text(marks)
        if name:
            (tmp_path / name).write_text("username,marks\nada,\n")
            fill_in(Roster(tmp_path / name), [], SimpleNamespace(rows=()), tmp_path)
        remove_stale(tmp_path)
        return {path.name for path in folder.iterdir()} - {".filled.json"}

    assert runs("first", "a.csv") == {"a.csv", "matches.csv"}
    (folder / "notes.txt").touch()
    assert runs("first", "b.csv") == {"a.csv", "b.csv", "matches.csv", "notes.txt"} == runs("first")
    (folder / "b.csv").unlink()
    assert "removed" not in capsys.readouterr().err
    assert runs("second", "b.csv") == {"b.csv", "matches.csv", "notes.txt"}
    assert "a.csv had marks of an earlier run, and was removed" in capsys.readouterr().err
    assert runs("third") == {"notes.txt"} == runs("third")
    (folder / ".filled.json").write_text("[")
    assert runs("fourth") == {"notes.txt"}


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([5 / 12], "1 submission: 0.42 of 10 points\n"),
        ([0.0, 20 / 3, 10.0], "3 submissions: the median is 6.67 of 10 points\n"),
    ],
)
def test_points_are_told_with_two_decimals_at_most(points, said, tmp_path, capsys):
    rows = [SimpleNamespace(points=some, out_of=10.0, exercises=(), notes=(), doubts=(), problem="") for some in points]
    command._conclude(SimpleNamespace(rows=rows), tmp_path)
    assert capsys.readouterr().out.startswith(said)
