import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lxmls_day1.base.errors import InputError
from readers.splitting import split_ends, split_train_dev_test


def shares_in_hundredths():
    """Draw three integers, in hundredths, that sum to at most 100."""
    return st.tuples(st.integers(1, 100), st.integers(0, 100), st.integers(0, 100)).filter(lambda s: sum(s) <= 100)


@pytest.mark.slow
@given(hundredths=shares_in_hundredths(), nr_examples=st.integers(100, 5000))
def test_ends_are_the_rounded_down_exact_fractions(hundredths, nr_examples):
    train, dev, test = hundredths
    ends = split_ends(nr_examples, [share / 100 for share in hundredths])
    assert ends == tuple(total * nr_examples // 100 for total in (train, train + dev, train + dev + test))


@pytest.mark.parametrize("as_matrix", [np.asarray, csr_array])
def test_parts_follow_each_other_and_use_every_example(as_matrix):
    X, y = np.arange(22).reshape(11, 2), np.arange(11) % 2
    train_X, train_y, dev_X, dev_y, test_X, test_y = split_train_dev_test(as_matrix(X), y, (0.5, 0.2, 0.3))
    parts = [part.toarray() if hasattr(part, "toarray") else part for part in (train_X, dev_X, test_X)]
    assert [len(part) for part in parts] == [5, 2, 4]
    np.testing.assert_array_equal(np.concatenate(parts), X)
    np.testing.assert_array_equal(np.concatenate([train_y, dev_y, test_y]), y)


def test_shares_below_one_leave_out_the_end():
    train_X, _, dev_X, _, test_X, _ = split_train_dev_test(np.arange(10)[:, None], np.zeros(10), (0.5, 0, 0.2))
    assert train_X.ravel().tolist() == [0, 1, 2, 3, 4]
    assert len(dev_X) == 0
    assert test_X.ravel().tolist() == [5, 6]


def test_floating_point_sums_slightly_above_one_count_as_one():
    shares = (0.7, 0.2, 0.1 + 1e-12)
    assert sum(shares) > 1
    assert split_ends(10, shares) == (7, 9, 10)


@pytest.mark.parametrize(
    ("split", "nr_examples", "message"),
    [
        ((0.8, 0.2), 10, "three shares"),
        (0.5, 10, "three shares"),
        ((0.8, "some", 0.2), 10, "three shares"),
        ([[0.8], [0.1], [0.1]], 10, "three shares"),
        ((0.8, -0.1, 0.2), 10, "dev share must be 0 or more, got -0.1"),
        ((float("nan"), 0, 0.2), 10, "train share"),
        ((0.8, 0.2, 0.2), 10, "sum 1.2"),
        ((0, 0.5, 0.5), 10, "train part would be empty"),
        ((0.8, 0, 0.2), 0, "train part would be empty"),
        ((0.9, 0, 0.05), 5, "test part would be empty: a share of 0.05 of 5 examples"),
        ((0.8, 0.01, 0.1), 10, "dev part would be empty"),
    ],
)
def test_unusable_shares_are_refused(split, nr_examples, message):
    with pytest.raises(InputError, match=message):
        split_ends(nr_examples, split)
