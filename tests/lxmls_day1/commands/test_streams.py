"""Closed, full or missing streams in every command; and progress lines that appear and disappear."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lxmls_day1.base.waiting import shows_progress
from lxmls_day1.commands import command_line
from lxmls_day1.commands.check import check_progress
from lxmls_day1.commands.command_line import COMMANDS
from lxmls_day1.commands.output import progress_bar
from lxmls_day1.course.workspaces.workspace import start_workspace

SHELL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a shell, and a device that is always full")
#: Commands that can be repeated, with their arguments; for all other commands the test runs `--help`.
ARGUMENTS = {
    "check": "1.5 --json", "status": "", "hint": "1.5", "solve": "1.5", "submit": "", "update": "", "doctor": "",
    "toy": "--documents 1000", "undo": "--lab nowhere", "train": "--classifier mira --domain toy --out model.npz",
}  # fmt: skip
OTHERS = [command for command in (*COMMANDS, "--help") if command not in ARGUMENTS]
#: Redirections -> the lost stream, and the message on standard error.
STREAMS = {
    "<&-": ("", ""),
    "2>&-": ("messages", ""),
    "2>/dev/full": ("messages", ""),
    ">&-": ("output", ""),
    "<&- >&- 2>&-": ("output and messages", ""),
    ">/dev/full": ("output", "Error: standard output: no space left on device."),
    ">&$unread": ("output", ""),
    ">&$unread 2>&1": ("output and messages", ""),
}
#: A pipe that nobody reads any more. A command `| true` could write before `true` has ended.
UNREAD = "exec {unread}> >(:); wait $!"
TIMES = re.compile(r"\d[\d.,:-]*")  # Seconds and dates differ.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return start_workspace(tmp_path_factory.mktemp("streams") / "lab")


@SHELL
@pytest.mark.slow(20)
@pytest.mark.one_in(4, by="command")
@pytest.mark.parametrize("command", [*ARGUMENTS, *OTHERS, "--version", "no-such-command"])
def test_a_command_does_its_work_with_closed_or_full_streams(command, folder):
    def ended(streams):
        line = f"'{sys.executable}' -P -m lxmls_day1 {command} {ARGUMENTS.get(command, '--help')} {streams}"
        result = subprocess.run(["bash", "-c", f"{UNREAD}\n{line}"], cwd=folder, capture_output=True, text=True)
        for sign in ("Traceback", "Exception ignored"):
            assert sign not in result.stderr, streams
        return result.returncode, TIMES.sub("", result.stdout), TIMES.sub("", result.stderr)

    before = None
    while (found := ended("</dev/null")) != before:  # Until all hints are shown, and the exercise stays solved.
        before = found
    status, output, messages = before
    for streams, (lost, said) in STREAMS.items():
        found = ended(streams)
        fails = bool(output) and ("unread" in streams or bool(said))
        assert not (fails and said) or found[2].count(said) == 1, streams
        assert found[1] == ("" if "output" in lost else output), streams
        if "messages" not in lost and not fails:
            assert found[2] == messages, streams
        assert found[0] == (status or 1 if fails else status), streams


@SHELL
def test_no_file_gets_the_number_of_a_stream_that_is_closed(tmp_path):
    code = "from lxmls_day1.commands.command_line import open_streams as o; o(); print(open('x').fileno(), file=open('n', 'w'))"
    subprocess.run(f"touch x; '{sys.executable}' -c \"{code}\" <&- >&- 2>&-", shell=True, cwd=tmp_path, check=True,
                   env={**os.environ, "PYTHONPATH": str(Path(command_line.__file__).parents[2])})  # fmt: skip
    assert int((tmp_path / "n").read_text()) > 2


class Terminal(io.StringIO):
    """A terminal of a given width, for a program that writes line by line."""

    encoding = "utf-8"

    def isatty(self):
        return True

    def fileno(self):
        return 2


def screen_of(text, columns):
    """Return the content of a terminal after this text; as on all terminals, a full line continues on the next line."""
    lines, place = [""], 0
    for character in text:
        assert character.isprintable() or character in "\r\n", repr(character)
        if character == "\n":
            lines.append("")
        if character in "\r\n":
            place = 0
            continue
        wide = 2 if ord(character) > 0x2E80 else 1
        if place + wide > columns:
            lines.append("")
            place = 0
        lines[-1] = (lines[-1][:place].ljust(place) + character + "\0" * (wide - 1)) + lines[-1][place + wide :]
        place += wide
    return [line.rstrip(" ").replace("\0", "") for line in lines]


TITLES = ["The rule", "Exercise 1.5: MIRA on many random points, λ = 0.1 and 10, with costs " * 3, "短い規則" * 30, "x"]


@pytest.mark.parametrize("columns", [20, 39, 40, 80, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_progress_of_checks_leaves_nothing_behind(monkeypatch, columns, encoding):
    terminal = Terminal()
    terminal.encoding = encoding
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((columns, 24)))
    for variable in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(variable, raising=False)
    with check_progress() as progressed:
        for title in TITLES:
            progressed(title)
            (line,) = screen_of(terminal.getvalue(), columns)
            assert line and len(line) < columns
            assert line == title.encode(encoding, "replace").decode(encoding) or line.endswith("...")
    assert screen_of(terminal.getvalue(), columns) == [""]


@pytest.mark.parametrize(
    ("variables", "is_terminal", "shows"),
    [
        ({}, True, True),
        ({"NO_COLOR": ""}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": "0"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({}, False, False),
        ({}, None, False),
    ],
)
def test_progress_is_shown_on_terminals_that_allow_it(monkeypatch, variables, is_terminal, shows):
    stream = {True: Terminal(), False: io.StringIO(), None: None}[is_terminal]
    for variable in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(sys, "stderr", stream)
    assert shows_progress() == shows
    with check_progress() as progressed:
        progressed("The rule")
    if stream is not None:
        assert bool(stream.getvalue()) == shows
        with progress_bar() as progress:
            progress(0, 2, "Mira")
        assert ("[1/2] Mira\n" in stream.getvalue()) == (not shows)
        assert shows or "\r" not in stream.getvalue()
