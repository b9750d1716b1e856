import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher
from sklearn.utils import murmurhash3_32

from lxmls_day1.engine.compiled.hashing import _hashes_in_numpy, buckets_and_signs, joined_names, signed_hashes

names = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), max_size=30)


@pytest.mark.parametrize("function", [signed_hashes, _hashes_in_numpy])
@given(names=names)
@settings(max_examples=60, deadline=None)
def test_hashes_are_murmurs(function, names):
    wanted = [murmurhash3_32(name, seed=0) for name in names]
    assert function(*joined_names(names)).tolist() == wanted


@pytest.mark.parametrize("function", [signed_hashes, _hashes_in_numpy])
def test_every_length_of_any_bytes(function):
    rng = np.random.default_rng(0)
    lengths = np.tile(np.arange(41), 20)
    text = rng.integers(0, 256, lengths.sum(), dtype=np.uint8)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    wanted = [murmurhash3_32(bytes(text[a:b]), seed=0) for a, b in pairwise(starts)]
    assert function(text, starts).tolist() == wanted


@pytest.mark.parametrize("hash_bits", [1, 2, 10, 20, 24, 30])
def test_rows_are_those_of_the_feature_hasher(hash_bits):
    rng = np.random.default_rng(hash_bits)
    words = ["".join(map(chr, rng.integers(33, 0x2FF, rng.integers(0, 41)))) for _ in range(500)]
    buckets, negative = buckets_and_signs(signed_hashes(*joined_names(words)), hash_bits)
    hasher = FeatureHasher(n_features=2**hash_bits, input_type="string")
    for word, bucket, minus in zip(words, buckets.tolist(), negative.tolist(), strict=True):
        row = hasher.transform([[word]])
        assert (row.indices.tolist(), row.data.tolist()) == ([bucket], [-1.0 if minus else 1.0])


def test_the_least_of_all_hashes_has_the_bucket_that_scikit_learn_gives_it():
    for bits in range(1, 31):
        n = 2**bits
        assert buckets_and_signs(np.array([-(2**31)], dtype=np.int32), bits)[0] == (2147483647 - (n - 1)) % n


@pytest.mark.slow
def test_without_numba_they_are_the_same():
    code = (
        "from lxmls_day1.engine.compiled.hashing import *\n"
        "print(signed_hashes(*joined_names(['', 'a', 'naïve', 'x' * 40])).tolist())"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == str([murmurhash3_32(word) for word in ("", "a", "naïve", "x" * 40)])
