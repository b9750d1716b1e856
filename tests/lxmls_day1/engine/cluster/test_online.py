"""Training on a Dask cluster has the bits of threads, whichever worker trains a part, dies, lacks files or has another version."""

import os
import shutil
import signal
import sys

import numpy as np
import pytest

from classifiers import SVM, Mira
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.checkpoint import Checkpoint
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.loops.learners import average_of, shrinkage_of
from tests.made_data import all_but_seconds, rows_on_disk

distributed = pytest.importorskip("distributed")
from lxmls_day1.engine.cluster import parts  # noqa: E402
from lxmls_day1.engine.cluster.online import to_named_learner  # noqa: E402
from lxmls_day1.engine.corpus.streamed_steps import StepSettings  # noqa: E402
from lxmls_day1.engine.corpus_training import train_corpus  # noqa: E402
from tests.wording import wording  # noqa: E402

pytestmark = [
    pytest.mark.bits,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by signals"),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return rows_on_disk(tmp_path_factory.mktemp("corpus"), rows_a_shard=20, n_rows=120)[0]


def learner_of(owner, shards):
    K = len(shards.classes)
    return StepSettings(owner.rule, np.arange(K), 1.0 - np.eye(K), shrinkage_of(owner), average_of(owner) == "steps")


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("make", "settings", "given"),
    [
        (Mira, {"n_jobs": 1}, {}),
        (Mira, {"n_jobs": 3, "averaged": "rounds", "cost": [[0, 1, 5], [2, 0, 1], [1, 1, 0]]}, {"mix_every": 50}),
        (SVM, {"n_jobs": 2, "averaged": "last round", "regularizer": 0.01}, {}),
    ],
)
def test_cluster_weights_have_the_bits_of_threads(make, settings, given, corpus, cluster):
    threads, workers = (make(nr_rounds=3, **settings) for _ in range(2))
    expected = train_corpus(threads, corpus, **given)
    np.testing.assert_array_equal(train_corpus(workers, corpus, scheduler=cluster.scheduler_address, **given), expected)
    assert all_but_seconds(workers.history) == all_but_seconds(threads.history)


def test_a_worker_that_dies_in_the_middle_is_replaced_and_its_part_trained_again(corpus, cluster, monkeypatch):
    expected = train_corpus(Mira(nr_rounds=4, n_jobs=2), corpus)
    died, said, runs = [], [], []
    run = parts.PartWorkers.run

    def run_and_kill(self, function, join, shared, jobs, look):
        def looking():
            if len(runs) == 3 and self._threads and not died:  # In the third round, when parts have been assigned.
                (pid, *_) = self.client.run(os.getpid).values()
                died.append(pid)
                os.kill(pid, signal.SIGKILL)
            look()

        runs.append(function)
        return run(self, function, join, shared, jobs, looking)

    monkeypatch.setattr(parts.PartWorkers, "run", run_and_kill)
    monkeypatch.setattr(parts, "_warn", said.append)
    mira = Mira(nr_rounds=4, n_jobs=2)
    np.testing.assert_array_equal(train_corpus(mira, corpus, scheduler=cluster.scheduler_address), expected)
    assert len(died) == 1 and len(runs) == 4
    assert any(wording("engine.lost_other_workers_take") in sentence for sentence in said)


def test_workers_with_missing_files_or_other_versions_get_no_parts(corpus, cluster, tmp_path, monkeypatch):
    own = shutil.copytree(corpus.folder, tmp_path / "own.bags")

    def hide(folder, what):
        """Hide a shard, or the corpus, from the worker."""
        of_all = parts.Shards

        class Poorer(of_all):
            def __init__(self, place, partial=False):
                if what == "corpus":
                    raise InputError(f"there is no folder {place}")
                super().__init__(place, partial)

        size = parts._bytes_of
        parts.Shards = Poorer
        parts._bytes_of = lambda shards, i: 0 if i == what else size(shards, i)
        parts._was = of_all, size

    def become_older():
        parts._was = parts.Shards, parts._bytes_of
        parts.real_installation = parts.installation_fingerprint
        parts.installation_fingerprint = lambda: "0.0.9, package 0123"

    def back():
        parts.Shards, parts._bytes_of = getattr(parts, "_was", (parts.Shards, parts._bytes_of))
        parts.installation_fingerprint = getattr(parts, "real_installation", parts.installation_fingerprint)

    client = distributed.Client(cluster, set_as_default=False)
    # A worker that died in another test may leave the list after the wait for two, and comes back.
    while len(names := list(client.scheduler_info(n_workers=-1)["workers"])) != 2:
        client.wait_for_workers(2)
    first, second = names
    expected = train_corpus(Mira(nr_rounds=2, n_jobs=2), Shards(own))

    def train():
        return train_corpus(Mira(nr_rounds=2, n_jobs=2), Shards(own), scheduler=cluster.scheduler_address)

    try:
        client.run(hide, str(own), 0, workers=[first])  # A shard of the first part; the other worker trains that part.
        np.testing.assert_array_equal(train(), expected)
        client.run(hide, str(own), 1, workers=[second])
        client.run(back, workers=[first])
        client.run(hide, str(own), 1, workers=[first])
        with pytest.raises(InputError, match=r"the worker tcp://\S+ lacks \S+own\.bags.shard-00001"):
            train()
        client.run(back, workers=[first, second])
        client.run(become_older, workers=[first])
        with pytest.warns(UserWarning, match=wording("engine.left_lxmls_day", first)):
            np.testing.assert_array_equal(train(), expected)  # The other worker trained it.
        client.run(hide, str(own), "corpus", workers=[second])
        monkeypatch.setattr(parts, "CALL_TIMEOUT_SECONDS", 5.0)  # Enough time for an answer on a busy machine.
        with pytest.warns(UserWarning, match="is left out"), pytest.raises(parts.ClusterLost) as said:
            train()
        assert wording("engine.lxmls_day_package_machine", first) in str(said.value)
        assert wording("engine.cannot_read_corpus_folder", second, own) in str(said.value)
    finally:
        client.run(back)
        client.close()


def test_learners_that_the_package_does_not_have_are_refused(corpus):
    class Mine(Mira):
        pass

    changed = Mira()
    changed.rule = lambda *arguments: Mira.rule(*arguments)
    for owner in (Mine(), changed):
        with pytest.raises(InputError, match=wording("engine.cluster_trains_learners_package")):
            to_named_learner(owner, learner_of(owner, corpus))


def test_a_missing_scheduler_or_dask_is_reported(corpus, monkeypatch):
    monkeypatch.setattr("lxmls_day1.engine.cluster.workers.LOST_AFTER_SECONDS", 1.0)
    with pytest.raises(InputError, match=wording("engine.dask_scheduler_answers")):
        train_corpus(Mira(n_jobs=2), corpus, scheduler="tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=wording("engine.scheduler_needs_dask_install")):
        train_corpus(Mira(n_jobs=2), corpus, scheduler="tcp://127.0.0.1:9")


@pytest.mark.filterwarnings("ignore:The scheduler at")
def test_a_scheduler_that_vanishes_leaves_the_checkpoint(corpus, tmp_path, monkeypatch):
    expected = train_corpus(Mira(nr_rounds=4, n_jobs=2), corpus)
    path, runs, run = tmp_path / "kept", [], parts.PartWorkers.run
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as vanishing:

        def run_then_close(self, *arguments):
            runs.append(arguments)
            if len(runs) == 3:
                vanishing.close()
            return run(self, *arguments)

        monkeypatch.setattr(parts.PartWorkers, "run", run_then_close)
        monkeypatch.setattr("lxmls_day1.engine.cluster.workers.LOST_AFTER_SECONDS", 1.0)
        with pytest.raises(InputError, match=wording("engine.scheduler_lost_state_after")):
            settings = {"scheduler": vanishing.scheduler_address, "checkpoint": Checkpoint(path, 10**9)}
            train_corpus(Mira(nr_rounds=4, n_jobs=2), corpus, **settings)
    monkeypatch.undo()
    mira = Mira(nr_rounds=4, n_jobs=2)  # Threads resume the training of the cluster.
    np.testing.assert_array_equal(train_corpus(mira, corpus, checkpoint=Checkpoint(path, 10**9, resume=True)), expected)


def test_ctrl_c_stops_the_workers_and_leaves_the_checkpoint(corpus, cluster, tmp_path, monkeypatch):
    expected = train_corpus(Mira(nr_rounds=3, n_jobs=2), corpus)
    path, runs, run = tmp_path / "kept", [], parts.PartWorkers.run

    def run_and_interrupt(self, *arguments):
        runs.append(arguments)
        if len(runs) == 2:
            signal.raise_signal(signal.SIGINT)
        return run(self, *arguments)

    monkeypatch.setattr(parts.PartWorkers, "run", run_and_interrupt)
    settings = {"checkpoint": Checkpoint(path, 10**9), "scheduler": cluster.scheduler_address}
    with pytest.raises(KeyboardInterrupt):
        train_corpus(Mira(nr_rounds=3, n_jobs=2), corpus, **settings)
    monkeypatch.undo()
    settings["checkpoint"] = Checkpoint(path, 10**9, resume=True)
    np.testing.assert_array_equal(train_corpus(Mira(nr_rounds=3, n_jobs=2), corpus, **settings), expected)
