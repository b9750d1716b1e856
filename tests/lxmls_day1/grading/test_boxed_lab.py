"""A lab in a box: what a student's exceptions become outside, and how often a check asks the box."""

import contextlib
from pathlib import PurePosixPath

import pytest

from lxmls_day1.box import box
from lxmls_day1.box.fork_server import PROCESS
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.sandbox import fork_server_of
from lxmls_day1.course import pytest_plugin
from lxmls_day1.course.registry import FOLDER, Registry, check_files
from lxmls_day1.grading.gradebook import OK
from lxmls_day1.grading.lab_boxes import lab_program
from lxmls_day1.grading.session import GradingSession
from lxmls_day1.lab import PACKAGES, reference_folder

MOST_REQUESTS = 16  # of one check: making things, a call for all inputs at once, steps that follow from one another


@pytest.mark.slow
def test_no_check_of_this_lab_asks_the_box_many_times(monkeypatch, answers_computed_once):
    """Each request waits for a reply: hundreds of them take longer than the student's code."""
    asked = []
    ask = box.Box.ask
    monkeypatch.setattr(
        box.Box,
        "ask",
        lambda *arguments, **settings: (asked.append(arguments[1]["do"]), ask(*arguments, **settings))[1],
    )
    called = pytest_plugin.ChecksRun.called
    counts = {}

    def counted(run, check):
        before = len(asked)
        error = called(run, check)
        counts[check.nodeid] = len(asked) - before
        return error

    monkeypatch.setattr(pytest_plugin.ChecksRun, "called", counted)
    reference = reference_folder()
    files = [file for exercise in Registry.of(reference) for file in check_files(reference / FOLDER, exercise)]
    sources = {
        PurePosixPath(path.relative_to(reference).as_posix()): path.read_bytes().replace(b"@compiled\n", b"\n")
        for package in PACKAGES
        for path in (reference / package).glob("*.py")
    }
    session = GradingSession(files, answers_computed_once(hidden=True, seed=3), 3, Limits())
    fork_server = fork_server_of(lab_program(), PROCESS)
    with contextlib.closing(fork_server):
        verdicts = {check.check: check for check in session.run(sources, fork_server).checks}
    assert {check.verdict for check in verdicts.values()} == {OK}, verdicts
    assert len(counts) == len(verdicts)
    assert {check: count for check, count in counts.items() if count > MOST_REQUESTS} == {}
