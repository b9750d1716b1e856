"""One run at a time in a folder, and nothing left of runs that were killed."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lxmls_day1.errors import InputError
from lxmls_day1.grading.run_folders import ALIVE, PREFIX, clear_leftovers, run_folder
from lxmls_day1.whole_files import LOCK, held

HOLD = """
import sys
from pathlib import Path
from lxmls_day1.grading.run_folders import run_folder
from lxmls_day1.whole_files import held
with held(Path(sys.argv[1]), "grading into"), run_folder() as place:
    print(place, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path, monkeypatch):
    """Another process that grades into ``out``, and its temporary folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    command = [sys.executable, "-c", HOLD, str(tmp_path / "out")]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    with process:
        yield process, Path(process.stdout.readline().strip())
        process.kill()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="wants a device that is full")
def test_a_full_disk_is_named(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / LOCK).symlink_to("/dev/full")
    with pytest.raises(OSError, match=re.escape(str(tmp_path / "out" / LOCK))), held(tmp_path / "out", "grading into"):
        pass


def test_a_second_grader_is_refused_by_the_pid_of_the_first_until_that_is_gone(tmp_path, other):
    process, _ = other
    with pytest.raises(InputError, match=f"process {process.pid} on "), held(tmp_path / "out", "grading into"):
        pass
    process.kill()
    process.wait()
    with (
        held(tmp_path / "out", "grading into"),
        held(tmp_path / "out", "grading into"),
    ):  # one within the other is the same
        assert (tmp_path / "out" / LOCK).is_file()


def test_what_a_killed_run_has_left_is_cleared_by_the_next_and_what_lives_is_not(tmp_path, other):
    process, place = other
    clear_leftovers()
    assert place.is_dir()
    process.kill()
    process.wait()
    (tmp_path / f"{PREFIX}strange").mkdir()  # not made by a run: it has no mark
    with run_folder() as folder:
        assert not place.parent.exists()
        assert folder.is_dir()
        assert tempfile.gettempdir() == str(folder) == os.environ["TMPDIR"]
        assert Path(tempfile.mkdtemp()).parent == folder
    assert not folder.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"out", f"{PREFIX}strange"}
    assert not list(tmp_path.rglob(ALIVE))
