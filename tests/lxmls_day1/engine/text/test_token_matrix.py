"""Counting many texts at once gives the same as counting them one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.engine.text import token_matrix
from lxmls_day1.engine.text.token_matrix import count_texts
from lxmls_day1.engine.text.tokens import count_tokens
from readers.vocabulary import count_words

# Function words, single marks, numbers, words that differ only before normalisation, and many spellings of one token.
PIECES = [
    *("the", "of", "b", "B.", "c", "a_b", "b_c", "b_b_c", "_", "b_", "_c", "-", ",", ":", "1,000", "12,000,1", "3"),
    *("é", "ΑΣ", "\u2028", "d'", "B,c", "1,250"),
]
texts = st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join), min_size=1, max_size=6)


def naive(texts, count, nr_counted, min_count):
    """Return tokens, totals and table, computed with dictionaries."""
    bags = [count(text) for text in texts]
    totals = {}
    for bag in bags[:nr_counted]:
        for token, number in bag.items():
            totals[token] = totals.get(token, 0) + number
    totals = {token: total for token, total in totals.items() if total >= min_count}
    return list(totals), list(totals.values()), [[bag.get(token, 0) for token in totals] for bag in bags]


@pytest.mark.slow
@pytest.mark.parametrize(("count", "count_plain"), [(count_tokens, None), (count_words, count_words)])
@given(texts=texts, nr_counted=st.integers(0, 6), min_count=st.integers(1, 3), at_once=st.integers(1, 4))
def test_many_texts_at_once_agree_with_one_by_one(count, count_plain, texts, nr_counted, min_count, at_once):
    nr_counted = min(nr_counted, len(texts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_matrix, "_TEXTS_PER_BATCH", at_once)
        X, tokens, totals = count_texts(texts, nr_counted, min_count, count_plain=count_plain)
    assert (tokens, totals.tolist(), X.toarray().tolist()) == naive(texts, count, nr_counted, min_count)
    assert X.shape == (len(texts), len(tokens))
    assert (X.dtype, X.indices.dtype, X.indptr.dtype) == (np.float64, np.int32, np.int32)
    assert X.has_sorted_indices and X.has_canonical_format and X.nnz == np.count_nonzero(X.toarray())


def test_counts_above_a_byte_and_no_text_at_all():
    assert count_texts(["b " * 1000]).X.toarray().tolist() == [[1000, 999]]
    assert count_texts([]).X.shape == (0, 0)
    assert count_texts(["", "of the"]).tokens == []


def test_a_bar_is_shown_on_request(capfd):
    count_texts(["b"] * 3, progress=True)
    assert "counting words" in capfd.readouterr().err
    count_texts(["b"] * 3)
    assert capfd.readouterr().err == ""
