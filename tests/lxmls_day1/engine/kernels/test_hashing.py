from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from lxmls_day1.engine.kernels.hashing import _signed_hashes_in_numpy, joined_names, signed_hashes

names = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), max_size=30)


@pytest.mark.parametrize("function", [signed_hashes, _signed_hashes_in_numpy])
@given(names=names)
@settings(max_examples=60, deadline=None)
def test_hashes_match_murmurhash(function, names):
    wanted = [murmurhash3_32(name, seed=0) for name in names]
    assert function(*joined_names(names)).tolist() == wanted


@pytest.mark.parametrize("function", [signed_hashes, _signed_hashes_in_numpy])
def test_bytes_of_every_length_match_murmurhash(function):
    rng = np.random.default_rng(0)
    lengths = np.tile(np.arange(41), 20)
    text = rng.integers(0, 256, lengths.sum(), dtype=np.uint8)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    wanted = [murmurhash3_32(bytes(text[a:b]), seed=0) for a, b in pairwise(starts)]
    assert function(text, starts).tolist() == wanted
