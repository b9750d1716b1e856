import io
import logging
import os
import sys
from types import SimpleNamespace

import click
import pytest

from lxmls_day1.commands import first_compilation
from lxmls_day1.engine.kernels.primitives import COMPILES
from tests.python_runs import run_python
from tests.wording import wording

COMPILED = logging.getLogger("lxmls_day1.engine.kernels.machine_code")


def lines(capsys):
    """Return the texts that a terminal shows one after another in its only line."""
    shown = capsys.readouterr().err
    assert "\n" not in shown and "\x1b" not in shown
    return [part.rstrip() for part in shown.split("\r") if part]


def compile_some(n=2):
    for i in range(n):
        COMPILED.info("compiling %s", i)
    COMPILED.debug("compiled or loaded")


def pretend_terminal(monkeypatch, variable=("TERM", "xterm")):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(*variable)


@pytest.mark.parametrize("width", [8, 20, 80, 300])
@pytest.mark.parametrize("command", ["run", "train"])
def test_functions_are_counted_in_one_line_that_disappears(capsys, monkeypatch, command, width):
    pretend_terminal(monkeypatch)
    size = SimpleNamespace(get_terminal_size=lambda: os.terminal_size((width, 24)))
    monkeypatch.setattr(first_compilation, "shutil", size)  # pytest itself goes on asking shutil.
    with first_compilation.report_compilation(), click.Context(click.Command(command), info_name=command):
        compile_some()
    COMPILED.info("compiling %s", "another, outside")
    total = first_compilation.COMPILED_BY.get(command)
    texts = [wording("commands.compiling", n) + (f" of {total}" if total else "") for n in (1, 2)]
    assert lines(capsys) == [*(text[: width - 1].rstrip() for text in texts), ""]
    assert not logging.getLogger("lxmls_day1.engine.kernels").handlers


def test_more_functions_than_expected_have_no_total(capsys, monkeypatch):
    pretend_terminal(monkeypatch)
    monkeypatch.setitem(first_compilation.COMPILED_BY, "run", 1)
    with first_compilation.report_compilation(), click.Context(click.Command("run"), info_name="run"):
        compile_some()
    assert lines(capsys)[1] == wording("commands.compiling", 2)


@pytest.mark.parametrize("variable", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_plain_terminal_shows_one_line(capsys, monkeypatch, variable):
    pretend_terminal(monkeypatch, variable)
    with first_compilation.report_compilation():
        compile_some()
    assert capsys.readouterr().err == wording("commands.compiling", 1) + " ...\n"


@pytest.mark.parametrize("stream", [None, io.StringIO()], ids=["closed", "a pipe"])
def test_nothing_is_shown_elsewhere(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    with first_compilation.report_compilation():
        compile_some()
    assert not stream or not stream.getvalue()


def test_a_terminal_that_goes_away_does_no_harm(capsys, monkeypatch):
    pretend_terminal(monkeypatch)
    with first_compilation.report_compilation():
        monkeypatch.setattr(sys, "stderr", gone := io.StringIO())
        gone.close()
        compile_some()


LOGGED_RUN = """
import logging, sys
from pathlib import Path
from lxmls_day1.engine.kernels import machine_code
folder = Path(sys.argv[1])
machine_code._cache_folders = lambda source: iter([folder / "cache"])
logging.basicConfig(filename=folder / "log", format="%(message)s")
logging.getLogger("lxmls_day1.engine.kernels").setLevel("INFO")
from lxmls_day1.commands.command_line import main
main(["run", "--domain", "toy", "--out", str(folder / "out")])
"""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="nothing is compiled without numba")
def test_the_total_of_run_is_true(tmp_path):
    run_python("-c", LOGGED_RUN, tmp_path)
    messages = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert sum(message.startswith("compiling ") for message in messages) == first_compilation.COMPILED_BY["run"]
