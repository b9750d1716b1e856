"""A workspace that takes part in a room."""

import json
import threading
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from lxmls_day1.base.errors import InputError
from lxmls_day1.browser.room_server import RoomServer
from lxmls_day1.commands.command_line import command_group
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.reports import room_link
from lxmls_day1.course.running.checking import CheckReport, CheckResult, ExerciseReport
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.notebook_lab import NotebookLab
from tests.wording import wording

HALF = "norm_counted_once"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return start_workspace(tmp_path_factory.mktemp("room") / "lab")


@contextmanager
def opened(port=0):
    with RoomServer("127.0.0.1", port) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def server():
    with opened() as server:
        yield server


def report(folder, exercise="1.5", outcome="wrong", mistakes=((HALF, "…"),)):
    result = CheckResult("test_1_05_mira.py::test_small_inputs", exercise, "small inputs", outcome, "", mistakes, "one")
    return CheckReport((ExerciseReport(Registry.from_folder(folder)[exercise], (result,), 0),))


def counts(server):
    found = server.room.counts()
    (row,) = (row for row in found["exercises"] if row["id"] == "1.5")
    return found["people"], row["trying"], row["solved"], row["tries"], [n for *_, n in row["mistakes"]]


def test_a_workspace_joins_sends_its_verdicts_and_leaves(folder, server):
    assert room_link.send_verdicts(folder, report(folder)) == ""  # it takes part in no room
    address = f"127.0.0.1:{server.server_port}/docs/index.html"
    said = CliRunner().invoke(command_group, ["join", address, "--lab", str(folder)])
    assert said.exit_code == 0 and wording("room.lab_takes_part", server.address) in said.output
    assert counts(server) == (1, 0, 0, 0, [])
    assert room_link.send_verdicts(folder, report(folder)) == "" and counts(server) == (1, 1, 0, 0, [1])
    # Joining again keeps the session; a mistake that this room does not know is sent without its name.
    assert str(NotebookLab(folder).join(server.address)).endswith(wording("room.leave_ends_that_in_notebook"))
    assert room_link.send_verdicts(folder, report(folder, mistakes=(("of another version", "…"),))) == ""
    assert counts(server) == (1, 1, 0, 0, [])
    assert room_link.send_verdicts(folder, report(folder, "1.9")) == ""  # not of the day
    kept = json.loads((folder / room_link.FILE).read_text())
    assert kept["verdicts"].keys() == {"1.5"}
    assert wording("room.lab_has_left") in CliRunner().invoke(command_group, ["leave", "--lab", str(folder)]).output
    assert counts(server) == (0, 0, 0, 0, []) and not (folder / room_link.FILE).exists()
    assert wording("room.lab_takes_part_in_none") in str(NotebookLab(folder).leave())


def test_a_room_that_is_opened_again_gets_everything(folder):
    with opened() as server:
        room_link.join(folder, server.address)
        room_link.send_verdicts(folder, report(folder))
    passed = report(folder, outcome="passed", mistakes=())
    assert wording("room.lab_is_not_answered") in room_link.send_verdicts(folder, passed)
    with opened(server.server_port) as server:
        room_link.send_verdicts(folder, report(folder, "1.4"))
        assert counts(server) == (1, 0, 1, 2, [])
    assert wording("room.lab_is_not_answered") in room_link.leave(folder)


@pytest.mark.parametrize("address", ["", "file:///etc/passwd", "https://[::1", "a b", "127.0.0.1:1"])
def test_an_address_without_a_room_is_refused(folder, address):
    with pytest.raises(InputError, match="room"):
        room_link.join(folder, address)
    assert not (folder / room_link.FILE).exists()


def test_a_damaged_file_takes_part_in_nothing(folder):
    for text in ("", "[]", "{}", '{"address": 1}'):
        (folder / room_link.FILE).write_text(text)
        assert room_link.send_verdicts(folder, report(folder)) == ""
    assert wording("room.lab_takes_part_in_none") == room_link.leave(folder)
