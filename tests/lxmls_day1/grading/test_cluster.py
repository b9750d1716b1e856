"""A Dask cluster: the same rows as here; a worker that is not like us is left out by name; what is lost is said."""

import gc
import os
import subprocess
import sys
import warnings
from pathlib import PurePosixPath

import pytest

from lxmls_day1.box.levels import strongest_level
from lxmls_day1.course.generation import solved_files, student_files
from lxmls_day1.engine.cluster.workers import LOST_SECONDS
from lxmls_day1.errors import InputError
from lxmls_day1.grading.grading_run import grade
from lxmls_day1.grading.lab_boxes import lab_program
from lxmls_day1.grading.plan import identity, make_plan
from lxmls_day1.lab import reference_folder

distributed = pytest.importorskip("distributed")
from lxmls_day1.grading import cluster  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="whole runs are tested where boxes are forked"),
]
ASK = "from lxmls_day1.grading.cluster import who_are_you; print(who_are_you()[1])"


def become_older(dask_worker):
    cluster.identity = lambda: "0.0.9, package 0123"


def lose_bubblewrap(dask_worker):
    def start(self):
        raise cluster.BoxesUnavailable("bubblewrap (the command bwrap) is not installed")

    cluster.WorkerProcess.start = start


@pytest.fixture(scope="module")
def three_workers():
    """A right worker with one thread, one of another version, and one without boxes; and a client."""
    patched = pytest.MonkeyPatch()
    patched.setenv("PYTHONSAFEPATH", "1")
    with (
        distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as workers,
        distributed.Client(workers) as client,
    ):
        right, older, without = client.nthreads()
        client.run(become_older, workers=[older])
        client.run(lose_bubblewrap, workers=[without])
        yield client, right, older, without
    patched.undo()
    with warnings.catch_warnings():  # sockets that the cluster has left open would be complained about in the next test
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="module")
def class_of_two(tmp_path_factory):
    base = tmp_path_factory.mktemp("class")
    solved = {p: c for p, c in solved_files(reference_folder()).items() if p.parts[0] in ("readers", "classifiers")}
    stub = student_files(reference_folder())[PurePosixPath("classifiers/mira.py")]
    for name, files in {"ada": solved, "carl": {**solved, PurePosixPath("classifiers/mira.py"): stub}}.items():
        for path, content in files.items():
            (base / name / path).parent.mkdir(parents=True, exist_ok=True)
            (base / name / path).write_bytes(content)
    return base, make_plan(base.parent / "plan", strongest_level(lab_program()), ["1.5"], seed=3)


def test_rows_are_the_same_and_other_workers_are_left_out_by_name(tmp_path, three_workers, class_of_two):
    client, right, older, without = three_workers
    inbox, plan = class_of_two
    said = []
    book = grade([inbox], tmp_path / "out", plan, workers=lambda plan: cluster.Cluster(client, plan, said.append))
    alone = grade([inbox], tmp_path / "alone", plan, jobs=1)
    assert [row.points for row in book.rows] == [10, 0], [
        [(c.check, c.verdict, c.text) for c in row.checks] for row in book.rows
    ]
    assert {row.made_by for row in book.rows} == {identity()}
    for theirs, ours in zip(book.rows, alone.rows, strict=True):
        assert [(c.check, c.verdict, c.text) for c in theirs.checks] == [
            (c.check, c.verdict, c.text) for c in ours.checks
        ]
        assert theirs.boundaries == ours.boundaries
    assert any(older in text and "0.0.9" in text for text in said)
    assert any(without in text and "bwrap" in text for text in said)
    assert not any(right in text for text in said)
    assert "1 worker with 1 thread grades." in said


def test_a_worker_without_a_safe_path_is_known():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def asked(**variables):
        done = subprocess.run(
            [sys.executable, "-c", ASK], env={**environment, **variables}, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert asked() == "False"
    assert asked(PYTHONSAFEPATH="1") == "True"


class Unreachable:
    """A client whose scheduler does not answer any more."""

    scheduler = None

    def __init__(self, status):
        self.status = status


def test_a_scheduler_that_is_lost_is_said_in_a_sentence(class_of_two):
    _, plan = class_of_two
    crew = cluster.Cluster(Unreachable("closed"), plan)
    with pytest.raises(InputError, match="rows that are finished are kept, run the same command again"):
        crew.slots()
    waiting = cluster.Cluster(Unreachable("connecting"), plan)
    assert waiting.slots() == []  # it may come back
    waiting._heard -= 2 * LOST_SECONDS
    waiting._next_look = 0.0
    with pytest.raises(InputError, match="scheduler is lost"):
        waiting.slots()


class Empty:
    """A client of a scheduler without workers."""

    status = "running"

    class scheduler:
        address = "tcp://head:8786"
        ncores = None

    @staticmethod
    def sync(*_, **__):
        return {}


def test_no_workers_are_waited_for_with_a_count(class_of_two):
    said = []
    crew = cluster.Cluster(Empty(), class_of_two[1], said.append)
    assert crew.slots() == []
    crew._next_look = 0.0
    assert crew.slots() == []
    assert said == ["Waiting for workers: of 0 at tcp://head:8786, none can grade."]  # once
