"""A grader that is killed, given again, ends with the marks of all, and nothing is left over."""

import csv
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from lxmls_day1.course.generation import solved_files
from lxmls_day1.lab import reference_folder

GRADE = ("grade", "class", "--out", "marks", "--exercises", "1.5", "--seed", "3", "--jobs", "2")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes end with their parent on Linux")
def test_a_grader_that_is_killed_and_given_again(tmp_path):
    files = {str(name): content for name, content in solved_files(reference_folder()).items() if name.suffix == ".py"}
    path = "classifiers/mira.py"
    for student, mira in {"ada": files[path], "ben": b"raise SystemExit", "eve": b"", "kay": files[path]}.items():
        for name, content in {**files, path: mira}.items():
            (tmp_path / "class" / student / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "class" / student / name).write_bytes(content)
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(reference_folder())}
    command = [sys.executable, "-P", "-m", "lxmls_day1", *GRADE]
    settings = {"cwd": tmp_path, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    with subprocess.Popen(command, **settings) as process:
        while process.poll() is None and not list(tmp_path.glob("marks/.rows/*.json")):
            time.sleep(0.01)
        started = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.send_signal(signal.SIGKILL)
    assert not psutil.wait_procs(started, timeout=120)[1], "processes are left"
    graded = {path: path.stat().st_mtime_ns for path in tmp_path.glob("marks/.rows/*.json")}
    assert graded
    subprocess.run(command, check=True, **settings)
    assert graded == {path: path.stat().st_mtime_ns for path in graded}, "graded twice"
    assert not list((tmp_path / "tmp").iterdir()) and not list(tmp_path.rglob("*.part"))
    rows = list(csv.DictReader((tmp_path / "marks/grades.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert {row["student"]: float(row["points"]) > 0 for row in rows} == {
        "ada": True,
        "ben": False,
        "eve": False,
        "kay": True,
    }
