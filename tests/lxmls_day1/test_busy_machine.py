"""Every wait for a process, on a machine that gives the process no CPU time, and for a process that sleeps for ever.

The tests simulate the kernel's report of no CPU time; limits are close to zero. `make faults` gives commands a tenth of a core.
"""

import contextlib
import subprocess
import sys
from types import SimpleNamespace

import pytest

from lxmls_day1.base import waiting
from lxmls_day1.base.errors import InputError
from lxmls_day1.box import box, sandbox
from lxmls_day1.box.fork_server import PROCESS
from lxmls_day1.box.limits import Limits
from lxmls_day1.course.registry import FOLDER
from lxmls_day1.course.running import checking, snapshot
from lxmls_day1.course.workspaces.generation import solved_files
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.grading.running import worker_process
from lxmls_day1.grading.running.boxed_lab import BoxedLab
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.lab import reference_folder
from lxmls_day1.library_path import python_command
from tests.lxmls_day1.grading.labs import boxed_lab

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells work from waiting"),
]
TINY = 1e-9  # seconds


def boxed(monkeypatch, tmp_path, maker):
    """Make a box, and call a function that takes longer than one look."""
    monkeypatch.setattr(box, "OPEN_SECONDS", TINY)
    with contextlib.closing(maker()) as made:
        lab = BoxedLab(made, boxed_lab("naps"), Limits(check_seconds=TINY, total_seconds=TINY))
        with contextlib.closing(lab):
            lab.begin()
            assert lab.function("naps", "nap") == 1


def forked(monkeypatch, tmp_path):
    monkeypatch.setattr(sandbox, "START_SECONDS", TINY)
    boxed(monkeypatch, tmp_path, lambda: sandbox.ForkServer(lab_program(), PROCESS))


def worker(monkeypatch, tmp_path):
    """Start a grading process; another process takes its place and answers slowly."""
    code = "import pickle, sys, time; pickle.load(sys.stdin.buffer); time.sleep(1); pickle.dump(('done', None), sys.stdout.buffer)"
    slow = python_command("lxmls_day1.grading.running.worker")
    slow[-1] = code
    monkeypatch.setattr(worker_process, "python_command", lambda module: slow)
    monkeypatch.setattr(worker_process, "START_SECONDS", TINY)
    with contextlib.closing(worker_process.WorkerProcess(SimpleNamespace())) as made:
        made.start()


def dry(monkeypatch, tmp_path):
    """Take the snapshot that `record` and the start of `grade` wait for."""
    monkeypatch.setattr(snapshot, "TIMEOUT_SECONDS", TINY)
    checks = reference_folder() / FOLDER / "test_1_02_multinomial_naive_bayes.py"
    (found,) = snapshot.run_snapshot([snapshot.SnapshotRun("it", reference_folder(), (checks,))]).values()
    assert {outcome.outcome for outcome in found.values()} == {"passed"}


def check(monkeypatch, tmp_path):
    folder = start_workspace(tmp_path / "lab")
    for path, content in solved_files(reference_folder()).items():
        if path.parts[0] == "classifiers":
            (folder / path).write_bytes(content)
    monkeypatch.setattr(checking, "START_LIMIT", TINY)
    (report,) = checking.run_checks(folder, ["1.2"], time_limit=TINY).reports
    if not report.all_passed:
        raise InputError(report.results[0].text)


WAITS = {  # each with the message for a process that sleeps for ever
    forked: f"did not start: it has slept for .*{waiting.TIMEOUT_FACTOR_VARIABLE}",
    worker: f"could not be started: it did not finish: it has slept for .*{waiting.TIMEOUT_FACTOR_VARIABLE}",
    dry: f"did not end on it: it has worked or slept for .*{waiting.TIMEOUT_FACTOR_VARIABLE}",
    check: f"did not begin: it has slept for .*{waiting.TIMEOUT_FACTOR_VARIABLE}",
}


@pytest.fixture(autouse=True)
def looked_at_often(monkeypatch):
    monkeypatch.setattr(waiting, "POLL_SECONDS", 0.01)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("waits", WAITS, ids=lambda waits: waits.__name__)
def test_a_process_without_cpu_time_is_waited_for(monkeypatch, tmp_path, waits):
    monkeypatch.setattr(waiting, "_cpu_time_and_sleep", lambda pid, seen: (0.0, 0.0))
    waits(monkeypatch, tmp_path)


@pytest.mark.parametrize("waits", WAITS, ids=lambda waits: waits.__name__)
def test_a_process_that_sleeps_for_ever_is_abandoned_with_a_remedy(monkeypatch, tmp_path, waits):
    start, sleeper = subprocess.Popen, [sys.executable, "-c", "import time; time.sleep(3600)"]
    monkeypatch.setattr(subprocess, "Popen", lambda command, **settings: start(sleeper, **settings))
    with pytest.raises(InputError, match=WAITS[waits]):
        waits(monkeypatch, tmp_path)
