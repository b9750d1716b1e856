import numpy as np
import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shard_writing import write_shards
from readers.streamed_corpus import StreamedCorpus


def written(folder, X, words=("a", "b"), classes=("ham", "spam")):
    return write_shards(folder, X, np.arange(len(X)) % 2, classes, rows_a_shard=2, words=words).folder


def test_it_offers_the_corpus_on_disk(tmp_path):
    X = np.array([[1, 0], [0, 2], [3, 3]])
    corpus = StreamedCorpus(written(tmp_path / "big.bags", X), test=written(tmp_path / "test.bags", X[:1]))
    assert (corpus.n_rows, corpus.n_features, corpus.classes) == (3, 2, ("ham", "spam"))
    assert corpus.words == ["a", "b"] and corpus.get_name() == "big"
    assert np.array_equal(np.concatenate([corpus.shards.open(i).X.toarray() for i in range(2)]), X)
    assert corpus.test_shards.n_rows == 1
    assert StreamedCorpus(tmp_path / "big.bags").test_shards is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"X": np.ones((1, 3)), "words": ("a", "b", "c")}, "the features"),
        ({"X": np.ones((1, 2)), "words": ("a", "c")}, "the words"),
        ({"X": np.ones((1, 2)), "classes": ("spam", "ham")}, "the classes"),
    ],
)
def test_a_test_part_with_other_columns_is_refused(tmp_path, change, said):
    train = written(tmp_path / "train.bags", np.ones((3, 2)))
    test = written(tmp_path / "test.bags", **change)
    with pytest.raises(InputError, match=rf"{said} of .*test.bags differ from .*--like .*train.bags"):
        StreamedCorpus(train, test=test)
