from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.base.errors import InputError
from readers.vocabulary import BagCorpus, checked_min_count, count_vocabulary, count_words, vectorise
from tests.wording import wording

bags = st.lists(st.dictionaries(st.text(max_size=3), st.integers(1, 5), max_size=6), min_size=1, max_size=6)


@pytest.mark.slow
@given(bags, st.integers(1, 6))
def test_the_vocabulary_sums_counts_in_the_order_of_first_use(examples, min_count):
    totals = sum(map(Counter, examples), Counter())
    expected = [(token, total) for token, total in totals.items() if total >= min_count]
    assert list(count_vocabulary(examples, min_count).items()) == expected


@pytest.mark.slow
@given(bags, st.lists(st.text(max_size=3), unique=True, max_size=6))
def test_rows_agree_with_a_naive_table(examples, columns):
    X = vectorise(examples, {token: j for j, token in enumerate(columns)})
    assert X.shape == (len(examples), len(columns))
    assert (X.dtype, X.indices.dtype, X.indptr.dtype) == (np.float64, np.int32, np.int32)
    assert X.has_sorted_indices and X.has_canonical_format
    assert X.toarray().tolist() == [[bag.get(token, 0) for token in columns] for bag in examples]


@pytest.mark.parametrize("bag", ["zzz", ["unknown"], {"unknown"}, None, 3])
def test_an_invalid_bag_is_refused_even_without_known_words(bag):
    with pytest.raises(InputError, match=wording("readers.bags_list_mappings")):
        vectorise([bag], {"good": 0})


@given(st.lists(st.sampled_from(["a", "B", "b", "?", "é"]), max_size=8))
def test_words_and_pairs_are_counted(words):
    lower = [word.lower() for word in words]
    pairs = [f"{lower[i]}_{lower[i + 1]}" for i in range(len(words) - 1)]
    assert count_words("  ".join(words)) == Counter(lower + pairs)


def test_only_the_training_part_makes_features():
    corpus = BagCorpus()
    bags = [{"a": 1, "b": 2}, {"b": 1}, {"c": 9, "a": 3}, {"b": 1}]
    corpus._set_examples(bags, ["x", "y", "z", "x"], 2, 3, min_count=1)
    assert corpus.feature_names == ["a", "b"] and corpus.feat_counts == {"a": 1, "b": 3}
    assert corpus.X.toarray().tolist() == [[1, 2], [0, 1], [3, 0], [0, 1]]
    assert corpus.label_names == ("x", "y", "z") and corpus.y.tolist() == [0, 1, 2, 0]
    assert (corpus.nr_examples, corpus.nr_features) == (4, 2)
    for part, rows in (("train", slice(0, 2)), ("dev", slice(2, 3)), ("test", slice(3, 4))):
        np.testing.assert_array_equal(getattr(corpus, f"{part}_X").toarray(), corpus.X.toarray()[rows])
        np.testing.assert_array_equal(getattr(corpus, f"{part}_y"), corpus.y[rows])


def test_no_feature_is_an_error():
    with pytest.raises(InputError, match=wording("readers.token_training_part_occurs")):
        BagCorpus()._set_examples([{"a": 2}], ["x"], 1, 1, min_count=3)
    with pytest.raises(InputError, match=wording("readers.texts_training_part_hold")):
        BagCorpus()._set_examples([{}], ["x"], 1, 1, min_count=1)


@pytest.mark.parametrize("min_count", [0, -1, 1.0, True, "5", None])
def test_min_count_must_be_an_integer(min_count):
    with pytest.raises(InputError, match=wording("readers.min_count_whole_number")):
        checked_min_count(min_count)
    assert checked_min_count(np.int64(3)) == 3
