"""The batch learners on a Dask cluster: the bits of one thread, for any number of jobs."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers.max_ent_batch import MaxEntBatch
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from lxmls_day1.engine.streaming.shard_writing import write_shards

pytest.importorskip("distributed")
from lxmls_day1.engine.cluster.sums import blocks_of
from lxmls_day1.engine.training import train_corpus

pytestmark = [
    pytest.mark.bits,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by signals"),
]


def corpus(place, n_classes, counts, rows_a_shard=13):
    rng = np.random.default_rng(n_classes)
    X = abs(rng.normal(size=(150, 12))) * (rng.random((150, 12)) < 0.4)
    X = np.round(3 * X) if counts else X.astype(np.float32).astype(float)
    y = rng.integers(0, n_classes, 150)
    folder = place / f"{n_classes}-{counts}.bags"
    return (
        write_shards(folder, sp.csr_array(X), y, ["a", "b", "c"][:n_classes], rows_a_shard),
        X,
        np.array(list("abc"))[y],
    )


@pytest.mark.parametrize("n_jobs", range(1, 9))
def test_blocks_are_those_of_the_tree(n_jobs, tmp_path):
    shards, _, _ = corpus(tmp_path, 2, True)
    blocks = [job.argument for job in blocks_of(shards, n_jobs)]
    assert [i for block in blocks for i in block] == list(range(len(shards)))
    assert len(blocks) <= 2 * n_jobs
    for block in blocks:
        size = len(blocks[0])
        assert block.start % size == 0 and size & (size - 1) == 0


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("n_classes", "n_jobs"), [(2, 1), (3, 2), (3, 4)])
def test_maximum_entropy_has_the_bits_of_one_thread(n_classes, n_jobs, cluster, tmp_path):
    shards, X, y = corpus(tmp_path, n_classes, False)
    alone, workers = MaxEntBatch(regularizer=0.05), MaxEntBatch(regularizer=0.05, n_jobs=n_jobs)
    expected = train_corpus(alone, shards)
    np.testing.assert_array_equal(train_corpus(workers, shards, scheduler=cluster.scheduler_address), expected)
    assert [one.objective for one in workers.history] == [one.objective for one in alone.history]
    memory = MaxEntBatch(regularizer=0.05, tolerance=1e-9)
    optimum = memory.objective(X, y, memory.train(X, y))
    assert memory.objective(X, y, expected) <= optimum * (1 + 1e-4)  # the certificate's tolerance


@pytest.mark.parametrize("counts", [True, False])
def test_naive_bayes_counts_in_one_distributed_pass(counts, cluster, tmp_path):
    shards, X, y = corpus(tmp_path, 3, counts)
    memory, workers = MultinomialNaiveBayes(), MultinomialNaiveBayes()
    expected = memory.train(X, y)
    params = train_corpus(workers, shards, scheduler=cluster.scheduler_address)
    if counts:  # sums of whole numbers are exact
        np.testing.assert_array_equal(params, expected)
    np.testing.assert_allclose(params, expected, rtol=1e-12)
    np.testing.assert_array_equal(workers.prior, memory.prior)
