"""One run at a time per folder, and nothing is left of killed runs."""

import errno
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import Mock

import pytest

from lxmls_day1.base.atomic_files import LOCK_FILE, MARKER_FILE, locked_folder, remove_stale_folders, temporary_folder
from lxmls_day1.base.errors import InputError
from lxmls_day1.grading.running.run_folders import PREFIX, run_folder

HOLD = """
import sys
from pathlib import Path
from lxmls_day1.grading.running.run_folders import run_folder
from lxmls_day1.base.atomic_files import locked_folder
with locked_folder(Path(sys.argv[1]), "grading into"), run_folder() as place:
    print(place, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path, monkeypatch):
    """Yield another process that grades into ``out``, and its temporary folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-c", HOLD, str(tmp_path / "out")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "write", Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    with pytest.raises(OSError, match=re.escape(str(tmp_path / "out" / LOCK_FILE))):
        locked_folder(tmp_path / "out", "grading into").__enter__()


def test_a_second_grader_is_refused_while_the_first_one_runs(tmp_path, other):
    process, _ = other
    with pytest.raises(InputError, match=f"process {process.pid} on "):
        locked_folder(tmp_path / "out", "grading into").__enter__()
    process.kill()
    process.wait()
    # A folder within the other counts as the same.
    with locked_folder(tmp_path / "out", "grading into"), locked_folder(tmp_path / "out", "grading into"):
        assert (tmp_path / "out" / LOCK_FILE).is_file()


def test_the_next_run_removes_the_files_of_killed_runs_only(tmp_path, other):
    process, place = other
    remove_stale_folders(tmp_path)
    assert place.is_dir()
    process.kill()
    process.wait()
    (tmp_path / f"{PREFIX}strange").mkdir()  # It has no mark because no run made it.
    with run_folder() as folder:
        assert not place.parent.exists()
        assert folder.is_dir()
        assert tempfile.gettempdir() == str(folder) == os.environ["TMPDIR"]
        assert Path(tempfile.mkdtemp()).parent == folder
    assert not folder.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"out", f"{PREFIX}strange"}
    assert not list(tmp_path.rglob(MARKER_FILE))


MAKERS = {
    "a fork server": """
from lxmls_day1.box.sandbox import ForkServer
from lxmls_day1.grading.running.lab_boxes import lab_program
made = ForkServer(lab_program(), 'process')""",
    "a worker": """
import types
from lxmls_day1.grading.running.worker_process import WorkerProcess
made = WorkerProcess(types.SimpleNamespace(worker_timeout=60.0))
made._request = lambda *_: None  # it waits for its plan
made.start()""",
    "a folder": """
from lxmls_day1.base.atomic_files import temporary_folder
made = temporary_folder("lxmls-day1-check-")
made.__enter__()""",
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL, and deletes no open file")
@pytest.mark.parametrize("maker", MAKERS)
def test_temporary_folders_of_a_killed_process_are_removed_by_the_next(tmp_path, maker):
    """Each maker is tested alone, because in a run the run's folder is removed with everything in it."""
    script = f"import sys\n{MAKERS[maker]}\nprint(flush=True)\nsys.stdin.read()"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script], env=environment, **pipes) as process:
        assert process.stdout.readline() == b"\n"
        (made,) = tmp_path.glob("lxmls-day1-*")
        with temporary_folder("lxmls-day1-check-", tmp_path):
            assert made.is_dir()  # Its process is alive.
        process.kill()
    with temporary_folder("lxmls-day1-check-", tmp_path) as folder:
        assert [path.name for path in tmp_path.glob("lxmls-day1-*")] == [folder.parent.name]
