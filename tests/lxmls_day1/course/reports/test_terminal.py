"""Reports on terminals of any width, and in any character encoding."""

import io
import os
import sys

import pytest

from lxmls_day1.base.waiting import shows_progress
from lxmls_day1.commands.check import check_progress
from lxmls_day1.course.reports import terminal
from lxmls_day1.course.workspaces.progress import status_of
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.notebook_lab import NotebookLab


class Terminal(io.TextIOWrapper):
    """A terminal as far as reports ask for one."""

    def isatty(self):
        return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return start_workspace(tmp_path_factory.mktemp("status") / "lab", core_only=True)


@pytest.fixture
def shown(monkeypatch):
    """A function that returns the lines which `print_report` prints on a terminal."""

    def shown_on(print_report, width=80, encoding="utf-8"):
        stream = Terminal(io.BytesIO(), encoding=encoding, newline="\n")
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(terminal.shutil, "get_terminal_size", lambda: os.terminal_size((width, 30)))
            print_report()
            stream.flush()
        return terminal.click.unstyle(stream.buffer.getvalue().decode(encoding)).splitlines()

    return shown_on


@pytest.mark.parametrize("width", [120, 80, 60, 40])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_status_cuts_no_title_and_fits_the_terminal(folder, shown, width, encoding):
    status = status_of(folder)
    lines = shown(lambda: terminal.echo_status(status), width, encoding)
    words = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= width and "…" not in words
    for standing in status.exercise_statuses:
        parts = [standing.exercise.id, *standing.exercise.title.split()]
        assert all(part in words for part in parts)
    rows = [line.index(" pts  ") for line in lines if " pts  " in line and line.startswith("  ")]
    assert len(rows) == 8 and (width < 80 or len(set(rows)) == 1)  # one column, if there is room


def test_a_notebook_shows_the_same_status(folder, shown):
    lines = shown(lambda: terminal.echo_status(status_of(folder)), width=79)
    assert repr(NotebookLab(folder).status()).splitlines()[-len(lines) :] == lines


@pytest.mark.parametrize("width", [80, 40])
def test_the_bar_is_alone_if_the_count_does_not_fit(folder, shown, width):
    lines = shown(lambda: terminal.echo_status(status_of(folder)), width)
    assert ("0 of 8" in lines[0]) is (width == 80) and not lines[0].strip("░").startswith("█")


def test_names_in_plain_characters_keep_their_column(shown):
    names = {"‖g(x)‖²": "1", "cap 1/λ": "8", "costs ρ(·, y)": "−1", "yours": "[0, 1]"}
    rows = [("", f"    {name:<13}  {value}") for name, value in names.items()]
    lines = shown(lambda: terminal.echo_lines([("title", "λ = 2"), *rows]), encoding="ascii")
    assert lines[0] == "lambda = 2"
    plain = {"||g(x)||^2": "1", "cap 1/lambda": "8", "costs rho(., y)": "-1", "yours": "[0, 1]"}
    assert lines[1:] == [f"    {name:<15}  {value}" for name, value in plain.items()]


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_check_leaves_nothing_behind_where_lines_cannot_be_erased(monkeypatch, variable, value):
    stream = Terminal(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv(variable, value)
    assert not shows_progress()
    with check_progress() as progressed:
        progressed("six points, λ = 1.25, where some mistakes cost a lot")
    stream.flush()
    assert stream.buffer.getvalue() == b""
