"""Learners that sum over a corpus on disk: the same parameters as in memory, for any number of threads."""

import numpy as np
import pytest

from classifiers import MaxEntBatch, MultinomialNaiveBayes
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shard_writing import write_shards
from lxmls_day1.engine.corpus.streamed_loss import StreamedLogLoss
from lxmls_day1.engine.corpus_training import corpus_objective, evaluate_corpus, train_corpus
from lxmls_day1.engine.kernels.batch import LogLoss
from lxmls_day1.engine.kernels.sparse_rows import as_examples
from lxmls_day1.engine.kernels.tree_reduce import tree_reduce
from tests.made_data import NAMES, rows_on_disk
from tests.wording import wording

pytestmark = pytest.mark.bits


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("settings", [{}, {"smooth": False}, {"smooth_param": 0.5}])
def test_naive_bayes_counts_a_corpus_as_a_matrix(settings, n_classes, counts, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, n_classes, 7, "counts" if counts else "positive")
    memory, disk = MultinomialNaiveBayes(**settings), MultinomialNaiveBayes(**settings)
    expected, params = memory.train(X, y), train_corpus(disk, shards)
    compare = np.testing.assert_array_equal if counts else np.testing.assert_allclose  # Sums of integers are exact.
    compare(params, expected)
    compare(disk.likelihood, memory.likelihood)
    np.testing.assert_array_equal(disk.prior, memory.prior)
    assert evaluate_corpus(disk, shards, params) == memory.evaluate(y, memory.test(X, expected))


def test_values_that_naive_bayes_cannot_count_are_refused(tmp_path):
    _, X, _ = rows_on_disk(tmp_path, kind="counts")
    with pytest.raises(InputError, match=wording("engine.negative_got_d")):
        train_corpus(MultinomialNaiveBayes(), write_shards(tmp_path / "negative", -X, [0, 1] * 30, ["a", "b"]))
    with pytest.raises(InputError, match=wording("engine.class_c_word")):
        train_corpus(MultinomialNaiveBayes(smooth=False), write_shards(tmp_path / "c", X, [0, 1] * 30, ["a", "b", "c"]))


@pytest.mark.parametrize("rows_a_shard", [7, 20, 60])
@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_loss_and_gradient_match_the_matrix(n_columns, rows_a_shard, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, max(2, n_columns), rows_a_shard)
    labels = np.searchsorted(NAMES, y)
    W = np.random.default_rng(1).normal(size=(41, n_columns))
    expected_loss, expected = LogLoss(as_examples(X), labels, n_columns)(W)
    columns = np.arange(max(2, n_columns))
    results = [StreamedLogLoss(shards, columns, n_columns, n_jobs)(W) for n_jobs in (1, 2, 4)]
    for loss, gradient in results:
        assert loss == pytest.approx(expected_loss, rel=1e-13)
        np.testing.assert_allclose(gradient, expected, rtol=1e-12, atol=1e-12)
        assert loss == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])
    squares = StreamedLogLoss(shards, columns, n_columns, 2).sums_of_squares()
    np.testing.assert_allclose(squares, X.multiply(X).sum(axis=0), rtol=1e-13)


@pytest.mark.parametrize("solver", ["lbfgs", "conjugate_gradient", "gradient_descent"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_maximum_entropy_finds_the_optimum_with_the_same_bits_for_any_number_of_threads(n_classes, solver, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, n_classes, 20)
    settings = {"regularizer": 0.5, "solver": solver, "tolerance": 1e-4}
    memory = MaxEntBatch(**settings)
    expected = memory.train(X, y)
    learners = [MaxEntBatch(**settings, n_jobs=n_jobs) for n_jobs in (1, 2, 4)]
    found = [train_corpus(learner, str(shards.folder)) for learner in learners]
    for learner, params in zip(learners, found, strict=True):
        np.testing.assert_array_equal(params, found[0])
        np.testing.assert_allclose(params, expected, atol=1e-2)
        assert corpus_objective(learner, shards, params) == pytest.approx(memory.objective(X, y, expected), rel=2e-4)
        assert corpus_objective(learner, shards, params) == pytest.approx(learner.history[-1].objective, rel=1e-12)


@pytest.mark.parametrize("number", range(1, 40))
def test_the_tree_depends_on_the_number_of_parts_alone_and_keeps_few(number):
    kept, most = 0, 0

    def parts():
        nonlocal kept, most
        for i in range(number):
            kept += 1
            most = max(most, kept)
            yield (i,)

    def add(one, other):
        nonlocal kept
        kept -= 1
        return one + other

    assert tree_reduce(parts(), add) == tuple(range(number))  # Each part is added once, to its neighbour.
    assert most <= np.log2(number) + 2
