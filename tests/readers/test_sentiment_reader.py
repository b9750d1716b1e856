import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lxmls_day1.engine.text import review_files
from lxmls_day1.engine.text.parsed_reviews import parse_pair, parse_reviews, save_parsed
from lxmls_day1.engine.text.tokens import count_tokens, processed_line
from lxmls_day1.errors import CorpusError, CorpusUnavailable, InputError
from readers.sentiment_reader import SentimentCorpus, cut_rare_tokens, vectorise

ROOT = Path(__file__).parents[2]

# Anything but a space and a line feed may stand in a token; some of it looks like a line end or like syntax.
tokens = st.text(
    st.one_of(
        st.sampled_from("ab_:#1\x1a\x85\u2028\x0b\x1c\r\t\ufeff'"),
        st.characters(exclude_characters=" \n", exclude_categories=["Cs"]),
    ),
    min_size=1,
    max_size=6,
).filter(lambda token: not token.startswith("#label#"))
reviews = st.dictionaries(tokens, st.integers(1, 2**31 - 1), max_size=5)


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
    """Ten reviews: six positive ones and four negative ones."""
    positive = "".join(f"good:2 book:1 p{i}:{i + 1} #label#:positive\n" for i in range(6))
    negative = "".join(f"bad:1 book:2 n{i}:{i + 1} #label#:negative\n" for i in range(4))
    return write_corpus(tmp_path / "books", positive, negative)


# ------------------------------------------------------------------------------------------------------------ parsing


MALFORMED = {
    "blank": ("a:1 #label#:positive\n\n", 2, "the line is blank"),
    "no label": ("a:1 #label#:positive\na:1 b:2\n", 2, "ends with 'b:2'; expected a label"),
    "no label, one token": ("a:1\n", 1, "ends with 'a:1'; expected a label"),
    "unknown label": ("a:1 #label#:neutral\n", 1, "label is 'neutral'; expected positive or negative"),
    "blank with a carriage return": ("a:1 #label#:positive\n\r\na:1 #label#:negative\n", 2, "the line is blank"),
    "wrong file": ("a:1 #label#:positive\na:1 #label#:negative\n", 2, "label is negative; expected positive"),
    "label amid": ("a:1 #label#:positive b:1 #label#:positive\n", 1, "'#label#:positive' stands amid the line"),
    "label not last": ("#label#:positive a:1\n", 1, "ends with 'a:1'; expected a label"),
    "trailing space": ("a:1 #label#:positive \n", 1, "ends with ''; expected a label"),
    "no count": ("a:1 b #label#:positive\n", 1, "got 'b'; expected token:count"),
    "no token": (":1 #label#:positive\n", 1, "got ':1'; expected token:count"),
    "two spaces": ("a:1  b:1 #label#:positive\n", 1, "got ''; expected token:count"),
    "count zero": ("a:0 #label#:positive\n", 1, "'0'; expected a whole number from 1"),
    "count negative": ("a:-1 #label#:positive\n", 1, "'-1'; expected a whole number from 1"),
    "count fraction": ("a:1.5 #label#:positive\n", 1, "'1.5'; expected a whole number"),
    "count word": ("a:many #label#:positive\n", 1, "'many'; expected a whole number"),
    "count empty": ("a: #label#:positive\n", 1, "''; expected a whole number"),
    "count other digits": ("a:٣ #label#:positive\n", 1, "expected a whole number"),
    "count huge": (f"a:{2**31} #label#:positive\n", 1, f"expected at most {2**31 - 1}"),
    "sum huge": (f"a:{2**31 - 1} a:1 #label#:positive\n", 1, f"expected at most {2**31 - 1}"),
    "latin-1": ("a:1 #label#:positive\ncaf\xe9:1 #label#:positive\n".encode("latin-1"), 2, "UTF-8, got the byte 0xE9"),
}


@pytest.mark.parametrize(("content", "line", "message"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_files_are_refused_with_file_and_line(tmp_path, content, line, message):
    folder = write_corpus(tmp_path, content, "a:1 #label#:negative\n")
    with pytest.raises(CorpusError) as raised:
        SentimentCorpus("books", data_dir=folder, min_count=1)
    assert str(raised.value).startswith(f"{folder / 'positive.review'}, line {line}: ")
    assert message in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"], ids=["nothing", "byte order mark"])
def test_an_empty_file_is_refused(tmp_path, content):
    folder = write_corpus(tmp_path, "a:1 #label#:positive\n", content)
    with pytest.raises(CorpusError, match=r"negative\.review: expected a review a line, got an empty file"):
        SentimentCorpus("books", data_dir=folder)


def test_a_corpus_of_one_class_is_refused(tmp_path):
    folder = write_corpus(tmp_path, "a:1 #label#:positive\n", "b:1 #label#:positive\n")
    with pytest.raises(CorpusError, match=r"negative\.review, line 1: the label is positive; expected negative"):
        SentimentCorpus("books", data_dir=folder)


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
    fresh = csr_array((X.data, X.indices, X.indptr), shape=X.shape)  # the flags are set by hand: let scipy look itself
    assert fresh.has_canonical_format


@pytest.mark.parametrize("rare_words_from", ["train", "all"])
@pytest.mark.parametrize("min_count", [1, 3, 5])
def test_rare_words_are_counted_where_it_says(small_corpus, rare_words_from, min_count):
    corpus = SentimentCorpus(
        "books", 0.5, 0.2, 0.3, min_count=min_count, rare_words_from=rare_words_from, data_dir=small_corpus
    )
    in_turn = [counts for counts, _ in parse_pair(*read_both(small_corpus)).as_dicts()]
    expected = naive_features(in_turn, min_count, 5 if rare_words_from == "train" else 10)
    assert corpus.feat_counts == expected
    assert corpus.feat_dict.keys() == expected.keys()
    assert corpus.nr_features == len(expected) == corpus.X.shape[1]
    np.testing.assert_array_equal(corpus.X.toarray(), vectorise(in_turn, corpus.feat_dict).toarray())


def read_both(folder):
    return [(folder / name).read_bytes() for name in ("positive.review", "negative.review")]


@pytest.mark.slow
@given(st.lists(reviews, max_size=4), st.lists(tokens, max_size=6, unique=True))
def test_vectors_agree_with_a_naive_table(counts, names):
    X = vectorise(counts, {name: j for j, name in enumerate(names)})
    assert X.shape == (len(counts), len(names))
    assert (X.dtype, X.indices.dtype, X.indptr.dtype) == (np.float64, np.int32, np.int32)
    assert csr_array((X.data, X.indices, X.indptr), shape=X.shape).has_sorted_indices
    assert X.toarray().tolist() == [[review.get(name, 0) for name in names] for review in counts]


def test_plain_text_can_be_vectorised():
    corpus = SentimentCorpus("toy")
    X = vectorise([count_tokens("Simply boring. Boring, I say!")], corpus.feat_dict)
    assert X[0, corpus.feat_dict["boring"]] == 2


# ---------------------------------------------------------------------------------------------------- SentimentCorpus


def test_attributes_agree_with_each_other():
    corpus = SentimentCorpus("toy", 0.7, 0.1, 0.2)
    assert (corpus.nr_examples, corpus.nr_features) == corpus.X.shape == (400, len(corpus.feat_dict))
    assert corpus.nr_instances == corpus.nr_examples
    assert corpus.label_names == ("positive", "negative")
    assert [corpus.feat_dict[name] for name in corpus.feature_names] == list(range(corpus.nr_features))
    assert corpus.feat_counts == dict(
        zip(corpus.feature_names, corpus.train_X.sum(axis=0).astype(int).tolist(), strict=True)
    )
    assert min(corpus.feat_counts.values()) >= 5
    for part, size in (("train", 280), ("dev", 40), ("test", 80)):
        X, y = getattr(corpus, f"{part}_X"), getattr(corpus, f"{part}_y")
        assert isinstance(X, csr_array)
        assert X.shape == (size, corpus.nr_features)
        assert (X.dtype, X.indices.dtype, X.has_sorted_indices) == (np.float64, np.int32, True)
        assert y.shape == (size,)
        assert np.issubdtype(y.dtype, np.integer)


def test_names_tell_the_toy_corpus_from_real_ones(small_corpus):
    assert SentimentCorpus("toy").get_name() == "Toy reviews"
    assert SentimentCorpus("books", data_dir=small_corpus, min_count=1).get_name() == "Amazon reviews: books"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domain": "boks"}, "known are books, dvd, electronics, kitchen, toy; perhaps 'books'"),
        ({"domain": "trec6"}, "known are books, dvd, electronics, kitchen, toy"),
        ({"domain": None}, "known are books"),
        ({"min_count": 0}, "min_count must be a whole number from 1 on, got 0"),
        ({"min_count": 2.5}, "min_count must be"),
        ({"min_count": True}, "min_count must be"),
        ({"min_count": 10**6}, "no token of toy occurs min_count=1000000 times"),
        ({"rare_words_from": "test"}, 'rare_words_from must be "train" or "all", but is \'test\''),
        ({"train_per": 0.9}, "sum 1.1"),
        ({"train_per": 0.001, "test_per": 0.5}, "train part would be empty"),
        ({"train_per": 0.0026, "test_per": 0.5}, "one class only"),
    ],
)
def test_unusable_arguments_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        SentimentCorpus(**{"domain": "toy", **arguments})


def test_a_real_corpus_is_never_replaced_by_the_toy_one(monkeypatch, cache_folder):
    monkeypatch.delenv("LXMLS_DAY1_DATA", raising=False)
    with pytest.raises(CorpusUnavailable, match="LXMLS_DAY1_DATA"):
        SentimentCorpus("kitchen")


@pytest.mark.slow
def test_importing_the_reader_is_light():
    """Nothing slow comes along with it, neither when it is imported nor when it reads what is on this machine."""
    code = (
        "import sys; from readers.sentiment_reader import SentimentCorpus; SentimentCorpus('toy'); "
        "print({'numba', 'matplotlib', 'pooch', 'requests', 'tqdm', 'sklearn'} & set(sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True).stdout.strip()
        == b"set()"
    )


# -------------------------------------------------------------------------------------------------------------- cache


def only_copy(cache_folder):
    (path,) = (cache_folder / "parsed").iterdir()
    return path


def counting_parses(monkeypatch):
    calls = []
    parse = review_files.parse_pair
    monkeypatch.setattr(
        review_files, "parse_pair", lambda *args, **kwargs: calls.append(args) or parse(*args, **kwargs)
    )
    return calls


def test_the_second_time_nothing_is_parsed(small_corpus, cache_folder, monkeypatch):
    calls = counting_parses(monkeypatch)
    first = SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    second = SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    assert len(calls) == 1
    assert first.feat_dict == second.feat_dict
    np.testing.assert_array_equal(first.X.toarray(), second.X.toarray())
    np.testing.assert_array_equal(first.y, second.y)
    assert (
        SentimentCorpus("books", data_dir=small_corpus, min_count=3).nr_features < first.nr_features
    )  # cut afterwards
    assert len(calls) == 1


def test_without_cache_nothing_is_read_or_written(small_corpus, cache_folder, monkeypatch):
    calls = counting_parses(monkeypatch)
    for _ in range(2):
        SentimentCorpus("books", data_dir=small_corpus, min_count=1, cache=False)
    assert len(calls) == 2
    assert not cache_folder.exists()


def test_changed_sources_are_parsed_anew(small_corpus, cache_folder):
    SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    path = small_corpus / "negative.review"
    path.write_text(path.read_text().replace("bad", "mad"))
    corpus = SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    assert "mad" in corpus.feat_dict
    assert "bad" not in corpus.feat_dict


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content[:-3] + b"xyz",
        lambda content: content.replace("reviews 2".encode("utf-32-le"), "reviews 1".encode("utf-32-le"), 1),
        lambda content: b"PK\x03\x04 something else",
    ],
    ids=["empty", "truncated", "damaged", "older", "foreign"],
)
def test_a_spoilt_copy_is_made_anew(small_corpus, cache_folder, monkeypatch, spoil):
    expected = SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    path = only_copy(cache_folder)
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    calls = counting_parses(monkeypatch)
    corpus = SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    assert len(calls) == 1
    np.testing.assert_array_equal(corpus.X.toarray(), expected.X.toarray())
    assert only_copy(cache_folder).read_bytes() == whole


def test_a_copy_of_another_corpus_under_this_name_is_made_anew(tmp_path, small_corpus, cache_folder):
    SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    path = only_copy(cache_folder)
    whole = path.read_bytes()
    other = parse_reviews(["strange:1 #label#:positive", "strange:2 #label#:negative"])
    save_parsed(path, other, ["0" * 64, "1" * 64])
    assert "strange" not in SentimentCorpus("books", data_dir=small_corpus, min_count=1).feat_dict
    assert path.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_no_error(small_corpus, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way of a folder")
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path / "file"))
    assert SentimentCorpus("books", data_dir=small_corpus, min_count=1).nr_examples == 10


def test_an_unreadable_file_is_an_input_error(small_corpus, monkeypatch):
    def refused(paths):
        raise PermissionError(13, "Permission denied", str(paths[0]))

    monkeypatch.setattr(review_files, "sha256_of_files", refused)
    with pytest.raises(InputError, match=r"the books corpus cannot be read.*positive\.review"):
        SentimentCorpus("books", data_dir=small_corpus)


def test_an_interrupted_write_leaves_nothing(small_corpus, cache_folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            SentimentCorpus("books", data_dir=small_corpus, min_count=1)
    assert list((cache_folder / "parsed").iterdir()) == []
    assert SentimentCorpus("books", data_dir=small_corpus, min_count=1).nr_examples == 10


# ---------------------------------------------------------------------------------------------------------- real data

# What the data's own README says, counted there by other means.
PUBLISHED = {"books": (195887, 12627), "dvd": (188778, 12217), "electronics": (111407, 8465)}


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


@pytest.mark.slow
def test_the_features_of_books_agree_with_a_naive_count(real_data):
    totals = Counter()
    for content in read_both(real_data / "sentiment" / "books"):
        for line in content.decode().split("\n")[:-1]:
            for pair in line.split(" ")[:-1]:
                token, _, count = pair.rpartition(":")
                totals[token] += int(count)
    corpus = SentimentCorpus("books", rare_words_from="all", data_dir=real_data)
    assert corpus.feat_counts == {token: count for token, count in totals.items() if count >= 5}


@pytest.mark.parametrize(
    ("rare_words_from", "train", "test"), [("all", 0.974375, 0.84), ("train", 0.96875, 0.84)], ids=["all", "train"]
)
def test_smoothed_naive_bayes_reaches_its_published_accuracies(real_data, rare_words_from, train, test):
    corpus = SentimentCorpus("books", rare_words_from=rare_words_from, data_dir=real_data)
    X, y = corpus.train_X, corpus.train_y
    counts = np.stack([X[y == label].sum(axis=0) + 1.0 for label in (0, 1)])  # (2, J)
    log_p = np.log(counts / counts.sum(axis=1, keepdims=True))
    log_prior = np.log(np.bincount(y) / len(y))
    for part, labels, accuracy in ((X, y, train), (corpus.test_X, corpus.test_y, test)):
        assert np.mean(np.argmax(part @ log_p.T + log_prior, axis=1) == labels) == accuracy
