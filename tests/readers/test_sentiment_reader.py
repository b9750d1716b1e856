from collections import Counter
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lxmls_day1.base.errors import CorpusUnavailable
from lxmls_day1.engine.text import parsed_reviews
from lxmls_day1.engine.text.parsed_reviews import parse_pair, parse_reviews
from readers.sentiment_reader import SentimentCorpus, cut_rare_tokens, vectorise
from tests.made_data import as_bags, processed_line


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write_corpus(folder, positive, negative):
    folder.mkdir(parents=True, exist_ok=True)
    for label, content in (("positive", positive), ("negative", negative)):
        (folder / f"{label}.review").write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.fixture
def small_corpus(tmp_path):
    """Return a corpus of ten reviews: six positive and four negative."""
    positive = "".join(f"good:2 book:1 p{i}:{i + 1} #label#:positive\n" for i in range(6))
    negative = "".join(f"bad:1 book:2 n{i}:{i + 1} #label#:negative\n" for i in range(4))
    return write_corpus(tmp_path / "books", positive, negative)


# ------------------------------------------------------------------------------------------------ order, cut, vectors


def test_positive_and_negative_reviews_come_in_turn(small_corpus):
    corpus = SentimentCorpus("books", data_dir=small_corpus, min_count=1, train_per=1, test_per=0)
    assert corpus.y.tolist() == [0, 1] * 4 + [0, 0]
    column_of = [corpus.feat_dict[name] for name in ("p0", "n0", "p1", "n1", "p2", "n2", "p3", "n3", "p4", "p5")]
    own = corpus.X.toarray()[:, column_of]
    np.testing.assert_array_equal(own, np.diag([1, 1, 2, 2, 3, 3, 4, 4, 5, 6]))


def naive_features(reviews, min_count, nr_counted):
    totals = Counter()
    for counts in reviews[:nr_counted]:
        totals.update(counts)
    return {token: count for token, count in totals.items() if count >= min_count}


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 4)), min_size=1, max_size=8), st.data())
def test_the_cut_agrees_with_a_naive_count(counts, data):
    nr_counted = data.draw(st.integers(1, len(counts)))
    min_count = data.draw(st.integers(1, 6))
    parsed = parse_reviews([processed_line(review, "positive") for review in counts])
    X, kept, totals = cut_rare_tokens(parsed, min_count, nr_counted)
    names = [parsed.tokens[column] for column in kept]
    assert dict(zip(names, totals.tolist(), strict=True)) == naive_features(counts, min_count, nr_counted)
    assert X.toarray().tolist() == [[review.get(name, 0) for name in names] for review in counts]
    # The flags were set explicitly, so let scipy check again.
    fresh = csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    assert fresh.has_canonical_format


def read_both(folder):
    return [(folder / name).read_bytes() for name in ("positive.review", "negative.review")]


@pytest.mark.parametrize("rare_words_from", ["train", "all"])
@pytest.mark.parametrize("min_count", [1, 3, 5])
def test_rare_words_are_counted_in_the_chosen_part(small_corpus, rare_words_from, min_count):
    counting = {"min_count": min_count, "rare_words_from": rare_words_from}
    corpus = SentimentCorpus("books", 0.5, 0.2, 0.3, **counting, data_dir=small_corpus)
    in_turn = [counts for counts, _ in as_bags(parse_pair(*read_both(small_corpus)))]
    expected = naive_features(in_turn, min_count, 5 if rare_words_from == "train" else 10)
    assert corpus.feat_counts == expected
    assert corpus.feat_dict.keys() == expected.keys()
    assert corpus.nr_features == len(expected) == corpus.X.shape[1]
    np.testing.assert_array_equal(corpus.X.toarray(), vectorise(in_turn, corpus.feat_dict).toarray())


# ---------------------------------------------------------------------------------------------------- SentimentCorpus


def test_a_real_corpus_is_never_replaced_by_the_toy_one(monkeypatch, cache_folder):
    monkeypatch.delenv("LXMLS_DAY1_DATA", raising=False)
    with pytest.raises(CorpusUnavailable, match="LXMLS_DAY1_DATA"):
        SentimentCorpus("kitchen")


# -------------------------------------------------------------------------------------------------------------- cache


@pytest.fixture
def parses(monkeypatch):
    """Return a mock that parses reviews and counts its calls."""
    counting = Mock(wraps=parsed_reviews.parse_pair)
    monkeypatch.setattr(parsed_reviews, "parse_pair", counting)
    return counting


def test_cached_corpora_are_not_parsed_again(small_corpus, cache_folder, parses):
    first = SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    second = SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    assert parses.call_count == 1
    assert first.feat_dict == second.feat_dict
    np.testing.assert_array_equal(first.X.toarray(), second.X.toarray())
    np.testing.assert_array_equal(first.y, second.y)
    # Rare words are removed afterwards.
    assert SentimentCorpus("books", data_dir=small_corpus, min_count=3).nr_features < first.nr_features
    assert parses.call_count == 1


def test_without_cache_nothing_is_read_or_written(small_corpus, cache_folder, parses):
    for _ in range(2):
        SentimentCorpus("books", data_dir=small_corpus, min_count=1, cache=False)
    assert parses.call_count == 2
    assert not cache_folder.exists()


def test_changed_sources_are_parsed_again(small_corpus, cache_folder):
    SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    path = small_corpus / "negative.review"
    path.write_text(path.read_text().replace("bad", "mad"))
    corpus = SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    assert "mad" in corpus.feat_dict
    assert "bad" not in corpus.feat_dict


# ---------------------------------------------------------------------------------------------------------- real data

# The numbers in the data's own README, which were counted independently.
PUBLISHED = {"books": (195887, 12627), "dvd": (188778, 12217), "electronics": (111407, 8465)}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("domain", PUBLISHED)
def test_the_real_corpora_have_their_published_sizes(real_data, domain):
    folder = real_data / "sentiment" / domain
    reviews = parse_pair(*read_both(folder))
    distinct, in_five_reviews = PUBLISHED[domain]
    assert len(reviews.tokens) == distinct
    assert int(np.sum(np.bincount(reviews.columns) >= 5)) == in_five_reviews
    corpus = SentimentCorpus(domain, data_dir=real_data)
    assert [part.shape[0] for part in (corpus.train_X, corpus.dev_X, corpus.test_X)] == [1600, 0, 400]
    assert np.bincount(corpus.y).tolist() == [1000, 1000]
