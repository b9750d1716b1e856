import logging
import subprocess
import sys

import pytest

from lxmls_day1.commands import first_compilation
from lxmls_day1.library_path import reference_place

COMPILED = logging.getLogger("lxmls_day1.engine.compiled.machine_code")


@pytest.fixture
def on_a_terminal(monkeypatch):
    monkeypatch.setattr(first_compilation, "_someone_waits", lambda: True)


@pytest.fixture
def started(monkeypatch):
    """The commands that are started: each ends at once."""
    commands = []

    def start(command, **_):
        commands.append(command)
        return subprocess_of([sys.executable, "-S", "-c", ""])

    subprocess_of = subprocess.Popen
    monkeypatch.setattr(first_compilation.subprocess, "Popen", start)
    monkeypatch.setattr(first_compilation.os, "cpu_count", lambda: 2)
    return commands


def test_compiling_is_said_once(on_a_terminal, capsys):
    with first_compilation.announced():
        COMPILED.info("compiling %s", "one")
        COMPILED.info("compiling %s", "another")
    COMPILED.info("compiling %s", "a third")
    assert capsys.readouterr().err == first_compilation.SENTENCE + "\n"
    assert not logging.getLogger("lxmls_day1.engine.compiled").handlers


def test_nothing_is_said_where_nobody_waits_or_nothing_is_compiled(on_a_terminal, capsys, monkeypatch):
    with first_compilation.announced():
        pass
    monkeypatch.setattr(first_compilation, "_someone_waits", lambda: False)
    with first_compilation.announced():
        COMPILED.info("compiling %s", "one")
    assert capsys.readouterr().err == ""


def test_one_process_helps_and_is_ended(on_a_terminal, started, tmp_path):
    with first_compilation.halved(tmp_path):
        assert not started
        COMPILED.info("compiling %s", "one")
        COMPILED.info("compiling %s", "another")
    (command,) = started
    assert command[-1] == str(tmp_path) and "first_compilation" in command[-2]


def test_without_a_terminal_or_with_one_processor_none_helps(on_a_terminal, started, tmp_path, monkeypatch):
    monkeypatch.setattr(first_compilation.os, "cpu_count", lambda: 1)
    with first_compilation.halved(tmp_path):
        COMPILED.info("compiling %s", "one")
    monkeypatch.setattr(first_compilation.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(first_compilation, "_someone_waits", lambda: False)
    with first_compilation.halved(tmp_path):
        COMPILED.info("compiling %s", "one")
    assert not started


@pytest.mark.slow
def test_what_the_helper_runs_is_every_classifier_of_the_lab():
    command = first_compilation.command_of(first_compilation.__name__, [reference_place()])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "rule out every class" in done.stderr  # unsmoothed naive Bayes was trained and tested, and warns
