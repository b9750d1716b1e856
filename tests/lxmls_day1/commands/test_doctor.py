"""``lxmls-day1 doctor``: one line per item, a remedy for every missing item, and no examination that stops the others."""

import shutil
from collections import namedtuple
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from lxmls_day1.base.errors import InputError
from lxmls_day1.box import levels, sandbox
from lxmls_day1.commands import doctor
from tests.wording import wording


def report(monkeypatch, *names, columns=80):
    if names:
        chosen = {name: doctor.CHECKS[name] for name in names}
        monkeypatch.setattr(doctor, "CHECKS", chosen)
    monkeypatch.setenv("COLUMNS", str(columns))
    return CliRunner().invoke(doctor.command)


def in_a_line(result):
    return " ".join(result.output.split())


@pytest.mark.slow
def test_each_thing_is_reported_in_80_columns(monkeypatch):
    result = report(monkeypatch)
    for name in doctor.CHECKS:
        assert f" {name} " in result.output
    assert "bad" not in result.output.split() and result.exit_code == 0
    assert max(len(line) for line in result.output.splitlines() if "/" not in line) <= 80


def test_a_failing_examination_is_reported_and_stops_nothing(monkeypatch):
    def broken():
        raise InputError("the cache cannot be written to")

    monkeypatch.setitem(doctor.CHECKS, "compiled loops", broken)
    result = report(monkeypatch, "compiled loops", "Python")
    assert wording("commands.bad_compiled_loops_could") in in_a_line(result)
    assert "good Python" in in_a_line(result) and result.exit_code == 1


def test_an_unwritable_cache_of_machine_code_is_reported(monkeypatch, tmp_path):
    machine_code = pytest.importorskip("lxmls_day1.engine.kernels.machine_code", exc_type=ImportError)
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(machine_code, "_cache_folders", lambda source: [file / "below"])
    result = report(monkeypatch, "compiled loops")
    assert "limited compiled loops" in in_a_line(result) and str(file) in result.output
    assert "NUMBA_CACHE_DIR" in result.output and result.exit_code == 0


def test_an_extra_is_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "jupyterlab" else object())
    said = in_a_line(report(monkeypatch, "extras"))
    assert "good extras installed: grading, browser, cluster" in said
    assert wording("commands.installed_notebook_lxmls_day") in said


def test_little_disk_space_is_reported(monkeypatch, tmp_path):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(2**40, 2**40 - 2**20, 2**20))
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path / "not" / "there"))
    result = report(monkeypatch, "free room", columns=200)
    assert result.output.count("limited") == 3 and f"1 MB, {tmp_path / 'not' / 'there'}" in result.output
    assert "LXMLS_DAY1_CACHE" in result.output and "TMPDIR" in result.output


def test_corpora_without_a_network(monkeypatch, tmp_path):
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path))
    monkeypatch.delenv("LXMLS_DAY1_DATA", raising=False)
    said = in_a_line(report(monkeypatch, "corpora"))
    assert wording("commands.good_corpora_here_toy") in said and "set LXMLS_DAY1_DATA" in said


@pytest.mark.parametrize(
    ("level", "state"),
    [
        (levels.Level("bubblewrap"), "good sandbox bubblewrap"),
        (levels.Level("landlock", (("bubblewrap", "there is no bwrap"),)), "good sandbox landlock"),
        (levels.Level("process", (("landlock", "no Linux"),)), "limited sandbox process"),
    ],
)
def test_each_sandbox_level_is_reported(level, state, monkeypatch):
    monkeypatch.setattr(levels, "strongest_level", lambda program: level)
    said = in_a_line(report(monkeypatch, "sandbox"))
    assert state in said
    for _, why in level.rejected:
        assert why in said and "bubblewrap installed" in said


def test_a_python_that_is_too_new(monkeypatch):
    monkeypatch.setattr(doctor, "NEWEST_PYTHON", (3, 10))
    assert "limited Python" in in_a_line(report(monkeypatch, "Python"))


def test_a_system_without_boxes(monkeypatch):
    monkeypatch.setattr(sandbox, "sys", SimpleNamespace(platform="darwin"))
    monkeypatch.setattr(levels, "self_test", lambda program, level, *_: sandbox.ForkServer(program, level))
    result = report(monkeypatch, "sandbox")
    assert wording("commands.limited_sandbox_submissions_cannot") in in_a_line(result) and result.exit_code == 0
    assert "grade in a container" in in_a_line(result)
