"""Checkpoints: a training that was interrupted anywhere, in any way, ends with the bits of an uninterrupted training."""

import signal

import numpy as np
import pytest

from classifiers import AROW, SVM, ColumnSquishing, MaxEntOnline, Mira, Perceptron
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.checkpoint import Checkpoint
from lxmls_day1.engine.corpus_training import train_corpus
from tests.made_data import all_but_seconds, rows_on_disk
from tests.wording import wording

pytestmark = pytest.mark.bits

LEARNERS = [Perceptron, Mira, SVM, MaxEntOnline, ColumnSquishing, AROW]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return rows_on_disk(tmp_path_factory.mktemp("corpus"), 3, 12, "counts", n_rows=50)[0].folder


class Stop(Exception):
    """The exception that interrupts a training in these tests."""


class Interrupted(Checkpoint):
    """A checkpoint whose training ends after a number of documents."""

    def __init__(self, *arguments, at, **settings):
        super().__init__(*arguments, **settings)
        self.at = at

    def write_if_due(self, before, now, content):
        super().write_if_due(before, now, content)
        if now >= self.at:
            raise Stop


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("make", "averaged"),
    [*((make, "steps") for make in LEARNERS), *((SVM, averaged) for averaged in ("last round", "rounds", False))],
)
def test_resumed_training_ends_with_the_same_bits_and_history(make, averaged, corpus, tmp_path):
    settings = {"nr_rounds": 3, "averaged": averaged, "track_objective": True}
    whole = make(**settings)
    expected = train_corpus(whole, corpus)
    for every, at in ((1, 1), (7, 50), (10, 100), (7, 101), (50, 150)):
        path = tmp_path / f"{every}-{at}.checkpoint"
        with pytest.raises(Stop):
            train_corpus(make(**settings), corpus, checkpoint=Interrupted(path, every, at=at))
        assert path.is_file()
        learner, lines = make(**settings), []
        params = train_corpus(learner, corpus, checkpoint=Checkpoint(path, 50, resume=True), report=lines.append)
        np.testing.assert_array_equal(params, expected)
        assert all_but_seconds(learner.history) == all_but_seconds(whole.history)
        assert learner.nr_updates == whole.nr_updates
        kept = every * (at // every)
        assert [line.documents for line in lines] == [n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n > kept]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_training_on_threads_is_resumed_bit_for_bit(n_jobs, corpus, tmp_path):
    path = tmp_path / "threads.checkpoint"
    with pytest.raises(Stop):
        train_corpus(SVM(n_jobs=n_jobs), corpus, checkpoint=Interrupted(path, 10, at=70))
    params = train_corpus(SVM(n_jobs=n_jobs), corpus, checkpoint=Checkpoint(path, 10, resume=True))
    np.testing.assert_array_equal(params, train_corpus(SVM(n_jobs=n_jobs), corpus))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_has_its_effect_when_the_checkpoint_is_written(number, corpus, tmp_path, request):
    path = tmp_path / "signal.checkpoint"

    def arrive(_number, _frame):
        assert path.is_file()
        raise Stop

    def at_ten(line):
        if line.documents == 8:
            signal.raise_signal(number)
            assert not path.exists()  # The signal is held back until the steps are done.

    before = signal.signal(number, arrive)
    request.addfinalizer(lambda: signal.signal(number, before))
    with pytest.raises(Stop):
        train_corpus(Mira(), corpus, checkpoint=Checkpoint(path), report=at_ten)
    assert signal.getsignal(number) is arrive
    params = train_corpus(Mira(), corpus, checkpoint=Checkpoint(path, resume=True))
    np.testing.assert_array_equal(params, train_corpus(Mira(), corpus))


# ---------------------------------------------------------------------------------------------------------------- faults


def test_a_shard_that_is_removed_during_training_leaves_the_checkpoint(tmp_path):
    folder, path = rows_on_disk(tmp_path, 3, 5, n_rows=50)[0].folder, tmp_path / "kept.checkpoint"
    expected = train_corpus(Mira(nr_rounds=2), folder)
    gone, away = folder / "shard-00003", tmp_path / "away"

    def remove(line):
        if line.documents == 1:
            gone.rename(away)

    with pytest.raises(InputError, match=wording("engine.shard_missing_after_d")) as raised:
        train_corpus(Mira(nr_rounds=2, seed=3), folder, checkpoint=Checkpoint(path), report=remove)
    assert "\n" not in str(raised.value)
    away.rename(gone)
    params = train_corpus(Mira(nr_rounds=2, seed=3), folder, checkpoint=Checkpoint(path, resume=True))
    np.testing.assert_array_equal(params, train_corpus(Mira(nr_rounds=2, seed=3), folder))
    assert not np.array_equal(params, expected)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (Mira(nr_rounds=4), "setting nr_rounds was 10, but now it is 4"),
        (Mira(regularizer=2.0), "setting regularizer was 1.0, but now it is 2.0"),
        (Mira(seed=2), "setting seed was 1, but now it is 2"),
        (Mira(averaged=False), "setting averaged was 'steps', but now it is False"),
        (Mira(n_jobs=2), "setting n_jobs"),
        (Mira(cost=[[0, 2, 1], [1, 0, 1], [1, 1, 0]]), "setting cost was None"),
        (Perceptron(), "learner was 'Mira', but now it is 'Perceptron'"),
    ],
)
def test_the_checkpoint_of_another_training_is_refused_by_name(other, named, corpus, tmp_path):
    path = tmp_path / "mira.checkpoint"
    with pytest.raises(Stop):
        train_corpus(Mira(), corpus, checkpoint=Interrupted(path, 10, at=10))
    before = path.read_bytes()
    with pytest.raises(InputError, match=named):
        train_corpus(other, corpus, checkpoint=Checkpoint(path, resume=True))
    with pytest.raises(InputError, match="its corpus was"):
        train_corpus(Mira(), rows_on_disk(tmp_path, 3, 5, n_rows=50)[0], checkpoint=Checkpoint(path, resume=True))
    with pytest.raises(InputError, match="exists already"):
        train_corpus(Mira(), corpus, checkpoint=Checkpoint(path))
    assert path.read_bytes() == before
