"""No submission stops the class: an exception or a kill at any step of grading is reported in that submission's result only."""

import contextlib
import json
import os
import sys
from types import SimpleNamespace

import pytest

from lxmls_day1.box.levels import strongest_level
from lxmls_day1.course.workspaces.generation import solved_files
from lxmls_day1.grading import grading_run
from lxmls_day1.grading.grading_run import Run, grade, saved_rows
from lxmls_day1.grading.running import worker_process
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.plan import make_plan
from lxmls_day1.lab import reference_folder
from lxmls_day1.library_path import python_command
from tests.lxmls_day1.grading.labs import code_of
from tests.lxmls_day1.zip_files import write_zip
from tests.wording import wording

pytestmark = [
    pytest.mark.slow(30),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="whole runs are tested where boxes are forked"),
]
NEEDED = ("read_submission", "_boxed_files", "_row", "files_of_student")
OPTIONAL = ("free_answers", "samples_of")
KILLING = ("_boxed_files",)
LATE = "late"

#: Replaces the worker's main function: each step fails for the submission that is named after the step.
FAULTY = """
import os, signal, sys, time
import lxmls_day1.grading.intake.notebook_answers
import lxmls_day1.grading.intake.submissions
from lxmls_day1.box import box
from lxmls_day1.grading.running import one_submission, worker

current = ""

def with_fault(module, name):
    step = getattr(module, name)
    def called(*arguments, **settings):
        global current
        if name == "read_submission":
            current = arguments[0].student
        if current == "raise-" + name.strip("_").replace("_", "-"):
            raise RuntimeError("planted")
        if current == "kill-" + name.strip("_").replace("_", "-"):
            os.kill(os.getpid(), signal.SIGKILL)
        if current == "late" and name == "_row":
            time.sleep(1000)
        if current == "greedy" and name == "_row":
            bytearray(1 << 40)
        return step(*arguments, **settings)
    setattr(module, name, called)

with_fault(lxmls_day1.grading.intake.submissions, "read_submission")
for name in ("_row", "samples_of", "files_of_student"):
    with_fault(one_submission, name)
with_fault(one_submission.Grader, "_boxed_files")
with_fault(lxmls_day1.grading.intake.notebook_answers, "free_answers")
worker.serve()
"""


def name_of(how: str, step: str) -> str:
    return f"{how}-{step.strip('_').replace('_', '-')}"


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    base = tmp_path_factory.mktemp("faults")
    files = {str(path): content for path, content in code_of(solved_files(reference_folder())).items()}
    names = ["right", LATE, "greedy"]
    names += [name_of("raise", step) for step in (*NEEDED, *OPTIONAL)] + [name_of("kill", step) for step in KILLING]
    (base / "inbox").mkdir()
    handed_in = {name: {} for name in names} | {
        "long-name": {f"classifiers/{'🙂' * 100}.txt": b"x"},
        "many-folders": {f"readers/folder{n}/deeper{n}/deepest{n}/data.txt": b"x" for n in range(400)},
    }
    for name, more in handed_in.items():
        write_zip(base / "inbox" / f"{name}.zip", {**files, **more})
    plan = make_plan(base / "out", strongest_level(lab_program()), ["1.5"], seed=3)
    faulty = python_command("lxmls_day1.grading.running.worker")
    faulty[-1] = faulty[-1].partition("import runpy")[0] + f"exec({FAULTY!r})"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_process, "python_command", lambda module: faulty)
        patch.setattr(type(plan), "worker_timeout", 8.0)
        book = grade(Run([base / "inbox"], base / "out", jobs=2), plan)
    assert len(book.rows) == len(handed_in)
    assert json.loads((base / "out" / "grades.json").read_text(encoding="utf-8"))["submissions"]
    assert "Needs a look" in (base / "out" / "summary.html").read_text(encoding="utf-8")
    assert {row.student for row in saved_rows(base / "out")} == {row.student for row in book.rows}
    return {row.student: row for row in book.rows}


def test_the_neighbours_marks_do_not_change(rows):
    assert (rows["right"].points, rows["right"].notes, rows["right"].failed) == (10, (), False)


@pytest.mark.parametrize("step", NEEDED)
def test_an_exception_in_a_needed_step_fails_only_its_submission(rows, step):
    row = rows[name_of("raise", step)]
    if step == "files_of_student":  # The failing result has no pages either, and the worker ends.
        assert row.failed
    else:
        assert {check.verdict for check in row.checks} == {"error"}
        assert "RuntimeError: planted" in row.notes[0]
    assert row.failed
    assert len(row.checks) == len(rows["right"].checks)
    assert "planted" not in " ".join(check.text for check in row.checks)  # The note is for the instructor.


@pytest.mark.parametrize("step", OPTIONAL)
def test_an_exception_in_an_optional_step_costs_no_marks(rows, step):
    row = rows[name_of("raise", step)]
    assert (row.points, row.failed) == (10, False)
    assert len(row.notes) == 1
    assert "RuntimeError: planted" in row.notes[0]


@pytest.mark.parametrize("step", KILLING)
def test_a_worker_that_dies_fails_only_its_submission(rows, step):
    row = rows[name_of("kill", step)]
    assert {check.verdict for check in row.checks} == {"crashed"}
    assert row.notes[0].startswith(wording("grading.crashed_worker_twice_signal"))
    assert row.failed


def test_time_and_memory_of_the_graders_own_work_are_bounded(rows):
    assert {check.verdict for check in rows[LATE].checks} == {"timeout"}
    assert "8 s" in rows[LATE].notes[0]
    assert {check.verdict for check in rows["greedy"].checks} == {"memory"}


@pytest.mark.parametrize("name", ["long-name", "many-folders"])
def test_files_that_do_not_fit_into_a_box_do_not_stop_the_run(rows, name):
    row = rows[name]
    if row.failed:
        assert {check.verdict for check in row.checks} == {"refused"}
        assert wording("grading.sandbox_could_made") in row.notes[0]
    else:  # The files that do not fit into a box were skipped, or refused when they were read.
        assert row.points == 10 or row.warnings or row.problem


def test_workers_keep_to_cores_of_their_own_while_there_are_enough(monkeypatch):
    cores = grading_run.available_cores()[:2]
    monkeypatch.setattr(grading_run, "available_cores", lambda: cores)
    monkeypatch.setattr(worker_process.WorkerProcess, "_request", lambda *_: None)  # They wait for their plan.
    plan = SimpleNamespace(worker_timeout=60.0)
    with contextlib.closing(grading_run.Workers(plan, len(cores) + 1, n_submissions=9)) as workers:
        own = []
        for process in workers.processes:
            process.start()
            own += os.sched_getaffinity(process._process.pid)
    assert sorted(own[:-1]) == cores and own[-1] == own[0]
    assert len(grading_run.Workers(plan, jobs=5, n_submissions=2).processes) == 2
