"""Training on a corpus on disk: the same weights as in memory, to the last bit; progressive validation; little memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import AROW, SVM, ColumnSquishing, MaxEntOnline, Mira, Perceptron
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus import streamed_steps
from lxmls_day1.engine.corpus.shard_writing import write_shards
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus_training import corpus_objective, evaluate_corpus, label_corpus, resume, train_corpus
from tests.made_data import NAMES, rows_on_disk
from tests.wording import wording

pytestmark = pytest.mark.bits

LEARNERS = [Perceptron, Mira, SVM, MaxEntOnline, ColumnSquishing, AROW]
AVERAGES = ["steps", "last round", "rounds", False]


def visits(shards, seed, n_rounds):
    """Return the rows of a corpus in the order of their visits, by plain NumPy."""
    rng, starts = np.random.default_rng(seed), np.concatenate([[0], np.cumsum(shards.rows)])
    orders = []
    for _ in range(n_rounds):
        order = np.arange(len(shards))
        rng.shuffle(order)
        rows = []
        for i in order:
            of_shard = np.arange(shards.rows[i])
            rng.shuffle(of_shard)
            rows.append(starts[i] + of_shard)
        orders.append(np.concatenate(rows))
    return np.array(orders)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("kind", ["counts", "float32", "hashed"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("make", LEARNERS)
def test_a_corpus_of_one_shard_gives_the_weights_of_training_in_memory_to_the_last_bit(make, n_classes, kind, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, n_classes, kind=kind)
    assert shards.manifest["dtype"] == ("uint8" if kind == "counts" else "float32")
    for averaged in AVERAGES:
        memory, disk = (make(nr_rounds=3, averaged=averaged, track_objective=True) for _ in range(2))
        expected = memory.train(X, y)
        np.testing.assert_array_equal(train_corpus(disk, str(shards.folder)), expected)
        in_order = make(nr_rounds=3, averaged=averaged, order=visits(shards, 1, 3))
        np.testing.assert_array_equal(in_order.train(X, y), expected)
        for ours, theirs in zip(disk.history, memory.history, strict=True):
            assert (ours.number, ours.updates, ours.errors) == (theirs.number, theirs.updates, theirs.errors)
            assert ours.objective == (theirs.objective and pytest.approx(theirs.objective, rel=1e-12))
        assert disk.nr_updates == memory.nr_updates
        assert disk.classes.tolist() == memory.classes.tolist()


@pytest.mark.one_in(7)
@pytest.mark.parametrize("rows_a_shard", [1, 7, 30, 59])
@pytest.mark.parametrize("make", LEARNERS)
def test_several_shards_are_visited_in_the_order_that_the_seed_draws(make, rows_a_shard, tmp_path):
    shards, X, y = rows_on_disk(tmp_path, 3, rows_a_shard)
    assert len(shards) == -(-60 // rows_a_shard)
    for seed in (1, 7):
        expected = make(nr_rounds=2, order=visits(shards, seed, 2)).train(X, y)
        np.testing.assert_array_equal(train_corpus(make(nr_rounds=2, seed=seed), shards), expected)


def test_a_rule_in_python_gives_the_same_weights(tmp_path):
    class Readable(Mira):
        rule = staticmethod(lambda *arguments: Mira.rule(*arguments))

    shards, X, y = rows_on_disk(tmp_path, 2)
    np.testing.assert_array_equal(train_corpus(Readable(), shards), Readable().train(X, y))


@pytest.mark.parametrize("averaged", AVERAGES)
@pytest.mark.parametrize("make", [Perceptron, SVM])
def test_training_resumes_from_a_state_bit_for_bit(make, averaged, tmp_path):
    shards, _, _ = rows_on_disk(tmp_path, rows_a_shard=20)
    first, second = (make(nr_rounds=n, averaged=averaged) for n in (2, 3))
    _, state = resume(first, None, shards)
    params, state = resume(second, state, shards)
    np.testing.assert_array_equal(params, train_corpus(make(nr_rounds=5, averaged=averaged), shards))
    assert (state.n_rounds, state.n_steps) == (5, 300)
    assert [round.number for round in second.history] == [3, 4, 5]


@pytest.mark.parametrize("kind", ["counts", "float32"])
def test_predictions_accuracy_and_objective_of_a_corpus_are_those_in_memory(kind, tmp_path, monkeypatch):
    shards, X, y = rows_on_disk(tmp_path, kind=kind, rows_a_shard=25)
    monkeypatch.setattr("lxmls_day1.engine.corpus.shard_rows._NUMBERS_PER_BLOCK", 50)
    svm = SVM(regularizer=0.1)
    params = svm.train(X, y)
    np.testing.assert_array_equal(label_corpus(svm, str(shards.folder), params), svm.test(X, params))
    assert evaluate_corpus(svm, shards, params) == svm.evaluate(y, svm.test(X, params))
    assert corpus_objective(svm, shards, params) == pytest.approx(svm.objective(X, y, params), rel=1e-12)
    assert corpus_objective(Perceptron(), shards, params) is None


def test_progressive_validation_counts_errors_before_each_step(tmp_path):
    shards, X, y = rows_on_disk(tmp_path, kind="counts", n_rows=37, rows_a_shard=10)
    lines = []
    perceptron = Perceptron(nr_rounds=2, averaged=False)
    train_corpus(perceptron, shards, report=lines.append)
    wrong, dense, W = [], X.toarray(), np.zeros((X.shape[1] + 1, 3))
    for m in visits(shards, 1, 2).ravel():
        g, label = np.concatenate([[1.0], dense[m]]), np.searchsorted(NAMES[:3], y[m])
        predicted = int(np.argmax(g @ W))
        wrong.append(predicted != label)
        W[:, label] += g * wrong[-1]
        W[:, predicted] -= g * wrong[-1]
    ends = [1, 2, 4, 8, 16, 32, 64]
    assert [line.documents for line in lines] == ends
    for line, before in zip(lines, [0, *ends], strict=False):
        assert line.error == np.mean(wrong[: line.documents])
        assert line.recent_error == np.mean(wrong[before : line.documents])
    assert [round.errors for round in perceptron.history] == [sum(wrong[:37]), sum(wrong[37:])]
    assert [line for round in perceptron.history for line in round.validation] == lines
    assert [len(round.validation) for round in perceptron.history] == [6, 1]


# --------------------------------------------------------------------------------------------------- the sizes of steps


@pytest.mark.parametrize("kept", [0, 1000])
@pytest.mark.parametrize("n_sample", [1, 10, 60, 1000])
def test_steps_are_planned_by_a_sample_of_every_shard(n_sample, kept, tmp_path, monkeypatch):
    monkeypatch.setattr(streamed_steps, "_SAMPLE_ROWS", n_sample)
    monkeypatch.setattr(streamed_steps, "_MAX_CACHED_ROWS", kept)
    shards, X, y = rows_on_disk(tmp_path, rows_a_shard=13, kind="counts")
    sq_norms = 1.0 + X.multiply(X).sum(axis=1)
    svm = SVM(regularizer=0.0, nr_rounds=1)
    params, state = resume(svm, None, shards)
    if n_sample >= 60:
        np.testing.assert_array_equal(state.sq_norms, sq_norms)
        np.testing.assert_array_equal(params, SVM(0.0, nr_rounds=1, order=visits(shards, 1, 1)).train(X, y))
    else:
        assert n_sample <= len(state.sq_norms) <= n_sample + len(shards)
        assert np.isin(state.sq_norms, sq_norms).all()
        np.testing.assert_array_equal(resume(svm, None, shards)[0], params)
    assert svm.slowest == 0.3 / 60  # The plan uses the number of all examples, not of the sample.


# ----------------------------------------------------------------------- weights that would be worse than no weights at all


def odd_corpus(place, kind, n_rows, rows_a_shard=10**6):
    """Return data for which default steps end above the objective of W = 0: a corpus on disk, and a matrix with labels."""
    rng = np.random.default_rng(0)
    n_classes = 200 if kind == "200 classes" else 4
    y = np.arange(n_rows) % n_classes
    X = rng.normal(size=(n_classes, 20))[y] + rng.normal(size=(n_rows, 20))
    if kind == "long rows":
        X[::7] *= 1000.0
    else:
        y = rng.permutation(y)
    X, names = sp.csr_array(X.astype(np.float32)), np.array([f"c{k:03d}" for k in range(n_classes)])
    return write_shards(place / f"{rows_a_shard}.bags", X, y, names.tolist(), rows_a_shard), X.astype(float), names[y]


@pytest.mark.parametrize(
    ("make", "kind", "n_rows"),  # Sizes below and above the number of rows from which a sample is drawn.
    [
        (SVM, "long rows", 3000),
        (SVM, "random labels", 400),
        (MaxEntOnline, "random labels", 3000),
        pytest.param(SVM, "200 classes", 3000, marks=pytest.mark.campaign),
    ],
)
def test_weights_worse_than_none_are_shortened_as_in_memory(make, kind, n_rows, tmp_path):
    one, X, y = odd_corpus(tmp_path, kind, n_rows)
    several, _, _ = odd_corpus(tmp_path, kind, n_rows, n_rows // 7)
    shortened = 0
    for averaged in ("last round", "rounds"):
        memory, disk = (make(1e-4, nr_rounds=3, averaged=averaged, track_objective=True) for _ in range(2))
        expected = memory.train(X, y)
        np.testing.assert_array_equal(train_corpus(disk, one), expected)
        assert [round.objective for round in disk.history] == [round.objective for round in memory.history]
        memory.order = visits(several, 1, 3)
        expected = memory.train(X, y)
        np.testing.assert_array_equal(train_corpus(disk, several), expected)
        assert corpus_objective(disk, several, expected) <= corpus_objective(disk, several, 0.0 * expected)
        for shards in (one, several):
            as_they_were = resume(disk, None, shards)[0]
            shortened += corpus_objective(disk, shards, as_they_were) > corpus_objective(disk, shards, 0.0 * expected)
    assert shortened


# ------------------------------------------------------------------------------------------------------------ bad input


def test_a_corpus_of_other_classes_or_features_is_refused(tmp_path):
    shards, X, _ = rows_on_disk(tmp_path)
    mira = Mira()
    params, state = resume(mira, None, shards)
    others = write_shards(tmp_path / "others.bags", X, [0, 1] * 30, ["good", "awful"])
    for call in (lambda: evaluate_corpus(mira, others, params), lambda: resume(mira, state, others)):
        with pytest.raises(InputError, match=wording("engine.class_awful_those_learnt")):
            call()
    wider = write_shards(tmp_path / "wider.bags", sp.csr_array(np.ones((4, 99))), [0, 1] * 2, ["good", "bad"])
    with pytest.raises(InputError, match="41 rows"):
        resume(mira, state, wider)
    with pytest.raises(InputError, match="99 features"):
        evaluate_corpus(mira, wider, params)


def test_values_that_are_not_finite_are_named(tmp_path):
    shards, _, _ = rows_on_disk(tmp_path)
    path = shards.folder / "shard-00000" / "data.npy"
    data = np.load(path)
    data[7] = np.nan
    np.save(path, data)
    with pytest.raises(InputError, match=wording("engine.float_bags_shard_x")):
        train_corpus(Mira(), Shards(shards.folder))
