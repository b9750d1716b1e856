import numpy as np
import pytest

from classifiers.large.hashed_features import columns_and_signs, hashed_row
from lxmls_day1.engine.kernels.hashing import joined_names, signed_hashes
from lxmls_day1.engine.text.token_batches import numbered_bags

BAG = {f"word{number}": 1.0 + number % 5 for number in range(300)} | {"": 2.0, "né": 3.0}


def hashes_of(names):
    return signed_hashes(*joined_names(names))


@pytest.mark.parametrize("n_columns", [1, 7, 64, 1000])
def test_rows_match_the_feature_hasher(n_columns):
    """Scikit-learn's hasher, for any number of columns; the empty name has the hash 0."""
    FeatureHasher = pytest.importorskip("sklearn.feature_extraction").FeatureHasher
    found = hashed_row(hashes_of(BAG), np.array(list(BAG.values())), n_columns)
    np.testing.assert_array_equal(found, FeatureHasher(n_columns).transform([BAG]).toarray()[0])


@pytest.mark.parametrize("bits", [1, 6, 20])
def test_rows_match_a_corpus_on_disk(bits):
    found = hashed_row(hashes_of(BAG), np.array(list(BAG.values())), 1 << bits)
    np.testing.assert_array_equal(found, numbered_bags([BAG]).hashed(bits).toarray()[0])


def test_extreme_32_bit_hashes():
    """Computed with Python's integers, which are unbounded."""
    hashes = [-(2**31), 1 - 2**31, -1, 0, 1, 2**31 - 1]
    columns, signs = columns_and_signs(np.array(hashes, dtype=np.int32), 1000)
    assert columns.tolist() == [abs(h) % 1000 for h in hashes]
    assert signs.tolist() == [-1, -1, -1, 1, 1, 1]
