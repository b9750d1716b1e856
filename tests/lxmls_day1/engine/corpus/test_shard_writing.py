import numpy as np
import pytest
from scipy.sparse import csr_array

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shard_writing import write_shards
from lxmls_day1.engine.corpus.shards import WORDS, Shards
from tests.wording import wording

CLASSES = ("ham", "spam", "eggs")


@pytest.mark.parametrize("X", [np.zeros((3, 4)), csr_array((0, 4)), np.array([[0, 0], [1, 1]])])
def test_empty_rows_and_empty_corpora_can_be_written(tmp_path, X):
    shards = write_shards(tmp_path / "x.bags", X, np.zeros(X.shape[0], dtype=int), CLASSES, rows_a_shard=2)
    read = [Shards(shards.folder).open(i).X.toarray() for i in range(len(shards))]
    assert sum(map(len, read)) == X.shape[0] == shards.n_rows
    if read:
        assert np.array_equal(np.concatenate(read), X)


def test_rows_with_indices_in_any_order_are_sorted_and_summed(tmp_path):
    X = csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    part = write_shards(tmp_path / "x.bags", X, [0], CLASSES).open(0).X
    assert part.indices.tolist() == [0, 2] and part.data.tolist() == [2, 4]
    assert X.nnz == 3


@pytest.mark.parametrize(("value", "dtype"), [(255, "uint8"), (256, "float32"), (0.5, "float32"), (-1, "float32")])
def test_counts_take_a_byte_where_they_fit_into_one(tmp_path, value, dtype):
    shards = write_shards(tmp_path / "x.bags", np.array([[value, 1.0]]), [0], CLASSES)
    assert shards.dtype == dtype and shards.open(0).X.toarray().tolist() == [[value, 1]]


def test_words_of_any_kind_are_stored(tmp_path):
    words = ['"fanatic"', "naïve", "two\nlines", "tab\tin", "\u2028", "", " ", "back\\slash", "\x85", "\r"]
    shards = write_shards(tmp_path / "x.bags", np.ones((1, len(words))), [0], CLASSES, words=words)
    assert Shards(shards.folder).words() == words
    (shards.folder / WORDS).write_text("one\n")
    with pytest.raises(InputError, match=rf"{WORDS} has 1 word instead of {len(words)}"):
        shards.words()
    assert write_shards(tmp_path / "y.bags", np.ones((1, 1)), [0], CLASSES).words() is None


def test_a_folder_that_is_in_use_is_not_written_to(tmp_path):
    (tmp_path / "mine.txt").write_text("kept")
    with pytest.raises(InputError, match="is not empty"):
        write_shards(tmp_path, np.ones((1, 1)), [0], CLASSES)
    with pytest.raises(InputError, match="is a file"):
        write_shards(tmp_path / "mine.txt", np.ones((1, 1)), [0], CLASSES)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_values_beyond_single_precision_are_refused(tmp_path):
    for other in (1.0, np.nan):  # Also if the largest value is NaN.
        with pytest.raises(InputError, match=wording("engine.x_value_beyond_e")):
            write_shards(tmp_path / "x.bags", [[other, -1e39]], [0], ["a"])
        assert not (tmp_path / "x.bags").exists()
