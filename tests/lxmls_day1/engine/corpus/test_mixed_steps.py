"""Mixing: the weights equal those of threads in memory, to the last bit; averages, validation and checkpoints at mixings."""

import threading

import numpy as np
import pytest

from classifiers import AROW, SVM, MaxEntOnline, Mira, Perceptron
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus import streamed_steps
from lxmls_day1.engine.corpus.checkpoint import Checkpoint
from lxmls_day1.engine.corpus.shard_rows import parts_of
from lxmls_day1.engine.corpus_training import train_corpus
from lxmls_day1.engine.loops.learners import shrinkage_of
from tests.made_data import NAMES, all_but_seconds, rows_on_disk
from tests.wording import wording

pytestmark = pytest.mark.bits

N_ROWS = 61


def visits(shards, seed, n_rounds, n_parts):
    """Return the rows of each round, part by part, each in the order of its visits, by plain NumPy."""
    rng, starts, orders = np.random.default_rng(seed), np.concatenate([[0], np.cumsum(shards.rows)]), []
    for _ in range(n_rounds):
        rows = []
        for part_seed, slices in zip(rng.integers(2**63, size=n_parts), parts_of(shards.rows, n_parts), strict=True):
            part_rng, order = np.random.default_rng(part_seed), np.arange(len(slices))
            part_rng.shuffle(order)
            for i in order:
                of_slice = np.arange(slices[i].stop - slices[i].start)
                part_rng.shuffle(of_slice)
                rows.append(starts[slices[i].shard] + slices[i].start + of_slice)
        orders.append(np.concatenate(rows))
    return np.array(orders)


@pytest.mark.parametrize("n_parts", [1, 2, 3, 8, 61])
@pytest.mark.parametrize("rows", [[61], [20, 20, 20, 1], [1] * 61, [0, 50, 0, 11]])
def test_parts_are_every_row_once_and_of_one_size(rows, n_parts):
    parts = parts_of(np.array(rows), n_parts)
    taken = sorted(piece for part in parts for piece in part)
    sizes = [sum(stop - start for _, start, stop in part) for part in parts]
    assert sizes == [len(share) for share in np.array_split(np.arange(61), n_parts)]
    rows_taken = [(i, row) for i, start, stop in taken for row in range(start, stop)]
    assert rows_taken == [(i, row) for i, n in enumerate(rows) for row in range(n)]
    assert len(taken) <= len(rows) + n_parts - 1


@pytest.mark.slow
@pytest.mark.one_in(12)
@pytest.mark.parametrize("rows_a_shard", [1000, 17])
@pytest.mark.parametrize("n_jobs", [2, 5, 99])
@pytest.mark.parametrize(("make", "n_classes"), [(Perceptron, 2), (Mira, 3), (SVM, 2), (SVM, 3), (AROW, 2), (AROW, 3)])
def test_weights_match_threads_in_memory_on_the_same_orders(make, n_classes, n_jobs, rows_a_shard, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, n_classes, rows_a_shard, n_rows=N_ROWS)
    orders = visits(shards, 4, 3, min(n_jobs, N_ROWS))
    for averaged in ("steps", "last round", "rounds", False):
        memory = make(nr_rounds=3, averaged=averaged, order=orders, n_jobs=n_jobs)
        disk = make(nr_rounds=3, averaged=averaged, seed=4, n_jobs=n_jobs)
        np.testing.assert_array_equal(train_corpus(disk, shards), memory.train(X, y))
        for ours, theirs in zip(disk.history, memory.history, strict=True):
            assert (*ours[:2], ours.errors) == (*theirs[:2], theirs.errors)


def by_hand(shards, X, y, n_parts, mix_every, n_rounds, learner):
    """Mix with plain NumPy and dense weights, keeping all of them for the mean; also return the errors after each step."""
    labels, dense, wrong = np.searchsorted(NAMES[:3], y), X.toarray(), {}
    W, passed, t = np.zeros((41, 3)), [], 0
    for order in visits(shards, learner.seed, n_rounds, n_parts):
        mine = np.array_split(order, n_parts)
        done = 0
        while done < N_ROWS:
            end, weights, counts = min(N_ROWS, done + mix_every), [], []
            for p in range(n_parts):
                own, first, last = W.copy(), len(range(p, done, n_parts)), len(range(p, end, n_parts))
                for i in range(first, last):
                    g = np.concatenate([[1.0], dense[mine[p][i]]])
                    label, scores = labels[mine[p][i]], g @ own
                    step = learner.steps(1 + t + i * n_parts + p, 1)[0]
                    wrong[t + i * n_parts + p] = scores.argmax() != label
                    d = learner.rule(scores, label, g @ g, step, np.eye(3)[label] == 0)
                    own = (1 - step * shrinkage_of(learner)) * own + np.outer(g, d)
                    passed.append(own)
                weights.append(own)
                counts.append(last - first)
            W, done = np.average(weights, axis=0, weights=counts), end
        t += N_ROWS
    return W, np.mean(passed, axis=0), [wrong[i] for i in sorted(wrong)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mix_every", [1, 7, 20, 60, 500])
@pytest.mark.parametrize("make", [Perceptron, Mira, MaxEntOnline])
def test_mixing_every_few_documents_matches_plain_numpy(make, mix_every, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, 3, 10, n_rows=N_ROWS)
    lines = []
    last, mean = (make(nr_rounds=2, averaged=averaged, n_jobs=4) for averaged in (False, "steps"))
    params = train_corpus(last, shards, mix_every=mix_every, report=lines.append)
    expected, expected_mean, wrong = by_hand(shards, X, y, 4, mix_every, 2, last)
    np.testing.assert_allclose(params, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(train_corpus(mean, shards, mix_every=mix_every), expected_mean, rtol=1e-9, atol=1e-12)
    assert [round.errors for round in last.history] == [sum(wrong[:N_ROWS]), sum(wrong[N_ROWS:])]
    assert [line.documents for line in lines] == [1, 2, 4, 8, 16, 32, 64]
    for line, before in zip(lines, [0, 1, 2, 4, 8, 16, 32], strict=True):
        assert line.error == np.mean(wrong[: line.documents])
        assert line.recent_error == np.mean(wrong[before : line.documents])


@pytest.mark.slow
@pytest.mark.one_in(12)
@pytest.mark.parametrize("averaged", ["steps", "last round", "rounds", False])
@pytest.mark.parametrize("every", [1, 25, 70])
def test_training_resumed_at_any_mixing_has_the_same_bits(every, averaged, tmp_path):
    shards, _, _ = rows_on_disk(tmp_path, 3, 10, n_rows=N_ROWS)
    expected = SVM(nr_rounds=3, averaged=averaged, n_jobs=3)
    params = train_corpus(expected, shards, mix_every=20)
    for stop_at in range(1, 12):
        path = tmp_path / f"{stop_at}.checkpoint"
        seen = []

        class Stopping(Checkpoint):
            def write(self, content, seen=seen, stop_at=stop_at):
                super().write(content)
                seen.append(content["documents"])
                if len(seen) == stop_at:
                    raise KeyboardInterrupt

        svm = SVM(nr_rounds=3, averaged=averaged, n_jobs=3)
        try:
            found = train_corpus(svm, shards, mix_every=20, checkpoint=Stopping(path, every))
        except KeyboardInterrupt:
            found = train_corpus(svm, shards, mix_every=20, checkpoint=Checkpoint(path, every, resume=True))
        np.testing.assert_array_equal(found, params)
        assert all_but_seconds(svm.history) == all_but_seconds(expected.history)
        assert all(n % 61 in (0, 20, 40, 60) for n in seen)
    with pytest.raises(InputError, match=wording("engine.mix_every_now_none")):
        train_corpus(svm, shards, checkpoint=Checkpoint(tmp_path / "1.checkpoint", every, resume=True))


def test_an_error_in_one_part_ends_the_others(tmp_path):
    before = set(threading.enumerate())  # Other tests may have left threads.
    shards, _, _ = rows_on_disk(tmp_path, 3, 10, n_rows=N_ROWS)
    (shards.folder / "shard-00005" / "data.npy").unlink()
    with pytest.raises(streamed_steps.UnreadableShard, match=r"shard-00005.data\.npy is missing"):
        train_corpus(Mira(n_jobs=2), shards)
    with pytest.raises(InputError, match=wording("engine.bring_file_back_continue")):
        train_corpus(Mira(n_jobs=2), shards, checkpoint=Checkpoint(tmp_path / "kept"))
    assert set(threading.enumerate()) <= before
