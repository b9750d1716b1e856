"""The batch learners on a Dask cluster have the bits of one thread, for any number of jobs."""

import sys

import numpy as np
import pytest

pytest.importorskip("distributed")
from classifiers import MaxEntBatch, MultinomialNaiveBayes
from lxmls_day1.engine.cluster.sums import blocks_of
from lxmls_day1.engine.corpus_training import train_corpus
from tests.made_data import rows_on_disk

pytestmark = [
    pytest.mark.bits,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by signals"),
]


@pytest.mark.parametrize("n_jobs", range(1, 9))
def test_blocks_match_the_tree_of_sums(n_jobs, tmp_path):
    shards, _, _ = rows_on_disk(tmp_path, 2, 13, n_rows=150)
    blocks = [job.argument for job in blocks_of(shards, n_jobs)]
    assert [i for block in blocks for i in block] == list(range(len(shards)))
    assert len(blocks) <= 2 * n_jobs
    for block in blocks:
        size = len(blocks[0])
        assert block.start % size == 0 and size & (size - 1) == 0


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("n_classes", "n_jobs"), [(2, 1), (3, 2), (3, 4)])
def test_maximum_entropy_has_the_bits_of_one_thread(n_classes, n_jobs, cluster, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, n_classes, 13, "positive", n_rows=150)
    alone, workers = MaxEntBatch(regularizer=0.05), MaxEntBatch(regularizer=0.05, n_jobs=n_jobs)
    expected = train_corpus(alone, shards)
    np.testing.assert_array_equal(train_corpus(workers, shards, scheduler=cluster.scheduler_address), expected)
    assert [one.objective for one in workers.history] == [one.objective for one in alone.history]
    memory = MaxEntBatch(regularizer=0.05, tolerance=1e-9)
    optimum = memory.objective(X, y, memory.train(X, y))
    assert memory.objective(X, y, expected) <= optimum * (1 + 1e-4)  # the certificate's tolerance


@pytest.mark.parametrize("counts", [True, False])
def test_naive_bayes_counts_in_one_distributed_pass(counts, cluster, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, 3, 13, "counts" if counts else "positive", n_rows=150)
    memory, workers = MultinomialNaiveBayes(), MultinomialNaiveBayes()
    expected = memory.train(X, y)
    params = train_corpus(workers, shards, scheduler=cluster.scheduler_address)
    if counts:  # Sums of integers are exact.
        np.testing.assert_array_equal(params, expected)
    np.testing.assert_allclose(params, expected, rtol=1e-12)
    np.testing.assert_array_equal(workers.prior, memory.prior)
