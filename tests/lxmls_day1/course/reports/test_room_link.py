"""A workspace that takes part in a room."""

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.browser.room_server import BOOK_SCRIPT, RoomServer
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.reports import room_link
from lxmls_day1.course.running.checking import CheckReport, CheckResult, ExerciseReport
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.notebook_lab import NotebookLab
from tests.command_runs import run
from tests.serving import room_counts, running
from tests.wording import wording

HALF = (("norm_counted_once", "…"),)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = start_workspace(tmp_path_factory.mktemp("room") / "lab")
    (folder / BOOK_SCRIPT).parent.mkdir()
    (folder / BOOK_SCRIPT).touch()  # It is also the book of the room.
    return folder


def send(folder, exercise="1.5", outcome="wrong", mistakes=HALF):
    result = CheckResult("test_1_05_mira.py::test_small_inputs", exercise, "small inputs", outcome, "", mistakes, "one")
    report = ExerciseReport(Registry.from_folder(folder)[exercise], (result,), 0)
    return room_link.send_verdicts(folder, CheckReport((report,)))


def test_a_workspace_joins_sends_its_verdicts_also_to_the_next_room_and_leaves(folder):
    assert send(folder) == ""  # It takes part in no room.
    with running(RoomServer("127.0.0.1", 0, folder)) as server:
        address = f"127.0.0.1:{server.server_port}/docs/index.html"
        assert wording("room.lab_takes_part", server.address) in run("join", address, "--lab", folder).output
        assert send(folder) == send(folder, "1.9") == ""  # 1.9 is not of the day.
        assert room_counts(server.room) == (1, 0, 0, {HALF[0][0]: 1})
        # Joining again keeps the session; a mistake that this room does not know is not counted.
        assert str(NotebookLab(folder).join(server.address)).endswith(wording("room.leave_ends_that_in_notebook"))
        assert wording("room.lab_is_not_counted") in send(folder, mistakes=(("of another version", "…"),))
        assert send(folder, outcome="passed", mistakes=()) == "" and room_counts(server.room) == (0, 1, 3, {})
    assert wording("room.lab_is_not_answered") in send(folder)
    with running(RoomServer("127.0.0.1", server.server_port, folder)) as server:
        assert send(folder) == "" and room_counts(server.room) == (1, 0, 0, {HALF[0][0]: 1})
        assert wording("room.lab_has_left") in run("leave", "--lab", folder).output
        assert server.room.counts()["people"] == 0
        room_link.join(folder, server.address)
    assert wording("room.lab_is_not_answered") in str(NotebookLab(folder).leave())


@pytest.mark.parametrize("address", ["", "file:///etc/passwd", "https://[::1", "a b", "127.0.0.1:1"])
def test_an_address_without_a_room_is_refused(folder, address):
    with pytest.raises(InputError, match="room"):
        room_link.join(folder, address)
    assert not (folder / room_link.FILE).exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"address": 1}'])
def test_a_damaged_file_takes_part_in_nothing(folder, text):
    (folder / room_link.FILE).write_text(text)
    assert send(folder) == "" and wording("room.lab_takes_part_in_none") == room_link.leave(folder)
