"""Texts counted at once give what they give one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.engine.text.token_matrix import REVIEW_WORDS, WordRules, _distinct, count_texts
from lxmls_day1.engine.text.tokens import count_tokens
from lxmls_day1.errors import InputError

# Function words, marks alone, numbers, words that differ only in what is normalised, and many ways to write one token.
PIECES = [
    "the",
    "of",
    "b",
    "B.",
    "c",
    "a_b",
    "b_c",
    "b_b_c",
    "_",
    "b_",
    "_c",
    "-",
    ",",
    ":",
    "1,000",
    "12,000,1",
    "3",
    "é",
    "ΑΣ",
    "\u2028",
    "d'",
]
texts = st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join), min_size=1, max_size=6)


def naive(texts, count, nr_counted, min_count):
    """Tokens, totals and table by dictionaries."""
    bags = [count(text) for text in texts]
    totals = {}
    for bag in bags[:nr_counted]:
        for token, number in bag.items():
            totals[token] = totals.get(token, 0) + number
    totals = {token: total for token, total in totals.items() if total >= min_count}
    return list(totals), list(totals.values()), [[bag.get(token, 0) for token in totals] for bag in bags]


def count_plain(text):
    words = text.lower().split()
    tokens = words + [f"{words[i]}_{words[i + 1]}" for i in range(len(words) - 1)]
    return {token: tokens.count(token) for token in tokens}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "count"),
    [(REVIEW_WORDS, count_tokens), (WordRules(lambda text: text.lower().split(), str, frozenset()), count_plain)],
    ids=["reviews", "plain"],
)
@given(texts=texts, nr_counted=st.integers(0, 6), min_count=st.integers(1, 3))
def test_many_texts_at_once_agree_with_one_by_one(texts, nr_counted, min_count, rules, count):
    nr_counted = min(nr_counted, len(texts))
    X, tokens, totals = count_texts(texts, rules, nr_counted, min_count)
    assert (tokens, totals.tolist(), X.toarray().tolist()) == naive(texts, count, nr_counted, min_count)
    assert X.shape == (len(texts), len(tokens))
    assert (X.dtype, X.indices.dtype, X.indptr.dtype) == (np.float64, np.int32, np.int32)
    assert X.has_sorted_indices and X.has_canonical_format and X.nnz == np.count_nonzero(X.toarray())


@pytest.mark.slow
@given(st.lists(st.one_of(st.integers(0, 5), st.integers(2**61, 2**63 - 1)), max_size=20))
def test_numbers_with_and_without_room_for_their_place_agree_with_numpy(codes):
    distinct, numbers = _distinct(np.array(codes, dtype=np.int64))
    expected, inverse = np.unique(np.array(codes, dtype=np.int64), return_inverse=True)
    assert distinct.tolist() == expected.tolist() and numbers.tolist() == inverse.tolist()


def test_counts_above_a_byte_and_no_text_at_all():
    assert count_texts(["b " * 1000], REVIEW_WORDS).X.toarray().tolist() == [[1000, 999]]
    assert count_texts([], REVIEW_WORDS).X.shape == (0, 0)
    assert count_texts(["", "of the"], REVIEW_WORDS).tokens == []


def test_a_bar_is_shown_on_request(capfd):
    count_texts(["b"] * 3, REVIEW_WORDS, progress=True)
    assert "counting words" in capfd.readouterr().err
    count_texts(["b"] * 3, REVIEW_WORDS)
    assert capfd.readouterr().err == ""


def test_what_is_no_text_is_refused():
    with pytest.raises(InputError, match="words are looked for in a text, but got 3"):
        count_texts(["b", 3], REVIEW_WORDS)
