from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.feature_extraction import FeatureHasher

from lxmls_day1.engine.text import token_batches
from lxmls_day1.engine.text.token_batches import TokenCounter, TokenTable, tokens_of
from lxmls_day1.engine.text.tokens import count_tokens

#: All white space, and the characters that the tokeniser treats specially.
SPACES = [chr(code) for code in (*range(0x3001), 0xFEFF) if chr(code).isspace()]
SPECIAL = [*"abcXYZé_1,.:-()\"'$%ß\u0130\u00ad\u200b\u2007\u3000٣", "the", "of", "1,250", "٣,٤٥٦", "1984", "1/2"]
PIECES = st.sampled_from(SPACES + SPECIAL) | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
TEXTS = st.lists(st.lists(PIECES, max_size=40).map("".join), max_size=6)


def hashed_by_scikit_learn(texts, hash_bits):
    X = FeatureHasher(2**hash_bits).transform([count_tokens(text) for text in texts])
    X.eliminate_zeros()
    return X


def as_dicts(rows):
    """Return the rows of a batch, each as token -> value."""
    names, values = rows.tokens.names(), rows.values.tolist()
    return [{names[rows.indices[i]]: values[i] for i in range(a, b)} for a, b in pairwise(rows.indptr)]


@given(texts=TEXTS, hash_bits=st.sampled_from([1, 3, 10, 20, 24, 30]))
@settings(max_examples=100, deadline=None)
def test_hashed_rows_are_those_of_the_feature_hasher(texts, hash_bits):
    if not texts:
        return
    X = TokenCounter().hashed(texts, hash_bits)
    wanted = hashed_by_scikit_learn(texts, hash_bits)
    assert X.dtype == np.float32 and X.shape == wanted.shape
    assert np.array_equal(X.indptr, wanted.indptr)
    assert np.array_equal(X.indices, wanted.indices) and np.array_equal(X.data, wanted.data)


@given(texts=TEXTS)
@settings(max_examples=100, deadline=None)
def test_tokens_match_the_tokeniser_in_order(texts):
    rows = TokenCounter().numbered(texts)
    bags = [count_tokens(text) for text in texts]
    assert as_dicts(rows) == bags
    assert rows.tokens.names() == list(dict.fromkeys(token for bag in bags for token in bag))


def test_the_counter_remembers_words_from_batch_to_batch():
    counter = TokenCounter()
    rng = np.random.default_rng(0)
    for size in (1, 50, 3, 200):
        texts = [" ".join(f"{'Xé'[word % 2]}{word}." for word in rng.zipf(1.3, 30) % 5000) for _ in range(size)]
        X = counter.hashed(texts, 12)
        assert abs(X - hashed_by_scikit_learn(texts, 12)).nnz == 0


def test_tables_that_are_full_grow(monkeypatch):
    monkeypatch.setattr(token_batches, "_MIN_ENTRIES", 2)
    texts = ["", "x" * 5000 + " " + "y" * 3, " ".join(f"w{n}" for n in range(3000)), "w1 w2 z", "é" * 999]
    counter = TokenCounter()
    assert abs(counter.hashed(texts, 20) - hashed_by_scikit_learn(texts, 20)).nnz == 0
    assert as_dicts(counter.numbered(texts)) == [count_tokens(text) for text in texts]
    table = TokenTable()
    names = [f"word-{n}" * (n % 7) + str(n) for n in range(2000)]
    for start in range(0, 2000, 300):
        table.number_tokens(tokens_of(names[start : start + 400]))
    assert table.names() == names and len(table) == 2000


def test_numbers_of_two_batches_are_those_of_all_texts():
    texts = ["A dull, dull book.", "The U.S. - 1,000 of 20th", "a_b c", "a b_c", "book", "", "Not the BOOK!"]
    bags = [count_tokens(text) for text in texts]
    wanted = list(dict.fromkeys(token for bag in bags for token in bag))
    for counted_by_table in (False, True):
        table, counter, rows = TokenTable(), TokenCounter(), []
        for batch in (texts[:3], texts[3:]):
            if counted_by_table:
                indptr, indices, values = counter.numbered_by(table, batch)
                rows.append(csr_array((values, indices, indptr), shape=(len(batch), len(wanted))).toarray())
            else:
                numbered = counter.numbered(batch)
                rows.append(numbered.with_token_columns(table.number_tokens(numbered.tokens), len(wanted)).toarray())
        assert table.names() == wanted and table.names_at(np.array([2, 0])) == [wanted[2], wanted[0]]
        assert np.concatenate(rows).tolist() == [[bag.get(token, 0) for token in wanted] for bag in bags]


def test_a_bounded_table_keeps_only_the_first_words():
    table = TokenTable(["a"], max_tokens=3)
    assert table.number_tokens(tokens_of(["b", "a", "c", "d", "b"])).tolist() == [1, 0, 2, -1, 1]
    assert table.number_tokens(tokens_of(["e", "c"])).tolist() == [-1, 2] and table.names() == ["a", "b", "c"]
