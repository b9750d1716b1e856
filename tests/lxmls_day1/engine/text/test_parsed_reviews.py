"""Lines of the published format compared with the plain reader of one line, and cached copies."""

import hashlib
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lxmls_day1.base.errors import CorpusError
from lxmls_day1.engine.text import parsed_reviews
from lxmls_day1.engine.text.parsed_reviews import load_parsed, parse_pair, parse_review, parse_reviews, save_parsed
from tests.made_data import as_bags, processed_line

pytestmark = pytest.mark.slow

# A token may contain anything except spaces and line feeds, including text that looks like a line end or like syntax.
tokens = st.text(
    st.one_of(
        st.sampled_from("ab_:#1\x1a\x85\u2028\x0b\x1c\r\t\ufeff'"),
        st.characters(exclude_characters=" \n", exclude_categories=["Cs"]),
    ),
    min_size=1,
    max_size=6,
).filter(lambda token: not token.startswith("#label#"))

reviews = st.dictionaries(tokens, st.integers(1, 2**31 - 1), max_size=5)
labelled_reviews = st.tuples(reviews, st.sampled_from(["positive", "negative"]))


@given(st.lists(labelled_reviews, min_size=1, max_size=5))
@example([({"\ud800": 1}, "positive")])
def test_written_reviews_are_read_back(written):
    lines = [processed_line(counts, label) for counts, label in written]
    assert [parse_review(line) for line in lines] == written
    assert as_bags(parse_reviews(lines)) == written


def can_be_in_a_file(written):
    return not any("\ud800" <= character <= "\udfff" for counts, _ in written for character in "".join(counts))


@given(
    st.lists(labelled_reviews, min_size=1, max_size=5).filter(can_be_in_a_file),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
)
def test_files_may_have_either_line_end_and_a_byte_order_mark(tmp_path_factory, written, end, mark, last_end):
    path = tmp_path_factory.mktemp("lines") / "some.review"
    lines = [processed_line(counts, label) for counts, label in written]
    content = end.join(lines) + (end if last_end else "")
    path.write_bytes(b"\xef\xbb\xbf" * (mark or content.startswith("\ufeff")) + content.encode())
    assert as_bags(parse_reviews(path)) == written


@given(
    st.lists(
        st.lists(st.text(st.sampled_from("ab:1023- #\r\x1a"), max_size=12), max_size=3).map(" ".join)
        | st.sampled_from(["a:1 #label#:positive", "a:2 a:3 b:c:1 #label#:negative", "#label#:positive"])
        | st.text(st.sampled_from("ab:123"), min_size=1, max_size=6).map(lambda pair: f"{pair} #label#:positive"),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([None, "positive"]),
)
@example(["x#label#:1 #label#:positive"], None)
@example(["a\nb:1 #label#:positive"], None)
@example(["a:3 b:1 #label#:positive", "b:2 a:1:1 a:2 a:1 a:01 #label#:positive"], None)
@example(["#label#:1 #label#:positive"], None)
@example([f"a:{2**31 - 1} a:1 #label#:positive"], None)
@example(["a:" + "9" * 5000 + " #label#:positive"], None)
@example(["a:١ #label#:positive"], None)
@example(["a:² #label#:positive"], None)
def test_the_fast_reader_agrees_with_the_plain_one(lines, label):
    """Both readers give the same counts, or the same error; `parse_pair` requires a label."""
    parts = [("some lines", [line.encode() for line in lines], label)]
    try:
        expected = [parse_review(line, f"some lines, line {i}", label) for i, line in enumerate(lines, start=1)]
    except CorpusError as error:
        with pytest.raises(CorpusError) as raised:
            parsed_reviews._parse(parts)
        assert str(raised.value) == str(error)
    else:
        assert_same(parsed_reviews._parse(parts), expected)


def assert_same(found, expected):
    """Check that the reviews equal those of `parse_review`, with the tokens in the order of first use."""
    assert as_bags(found) == expected
    assert list(found.tokens) == list(dict.fromkeys(token for counts, _ in expected for token in counts))
    for start, end in pairwise(found.starts):
        assert np.all(np.diff(found.columns[start:end]) > 0)
    assert {array.dtype for array in (found.starts, found.columns, found.counts)} == {np.dtype(np.int32)}
    assert found.y.dtype == np.int8


parts = st.sampled_from(["", "#", "\0", "é", 7 * "x", 8 * "x", "y" + 7 * "x"])
long_tokens = st.builds(lambda *some: "".join(some), parts, parts, parts).filter(bool)


@pytest.mark.parametrize("factor", [parsed_reviews._HASH_FACTOR, np.uint64(0)], ids=["hashes", "one hash for all"])
@given(st.lists(st.dictionaries(long_tokens, st.integers(1, 300), max_size=9), min_size=1, max_size=4))
def test_tokens_are_distinguished_by_all_their_bytes(factor, written):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsed_reviews, "_HASH_FACTOR", factor)
        found = parse_reviews([processed_line(counts, "negative") for counts in written])
    assert_same(found, [(counts, "negative") for counts in written])


# -------------------------------------------------------------------------------------------------------------- cache


FILES = (b"good:2 book:1 p:3 #label#:positive\nfine:1 #label#:positive\n", b"bad:1 book:2 #label#:negative\n")


def same(first, second):
    return all(np.array_equal(getattr(first, field.name), getattr(second, field.name)) for field in fields(first))


PARSED, SOURCES = parse_pair(*FILES), [hashlib.sha256(content).hexdigest() for content in FILES]


@pytest.fixture
def path(tmp_path):
    """Return the path of a cached copy of the files."""
    save_parsed(tmp_path / "copy", PARSED, SOURCES)
    return tmp_path / "copy"


def test_a_cached_copy_is_the_same(path):
    assert same(load_parsed(path, SOURCES), PARSED)
    assert [file for file in path.parent.iterdir() if file.is_file()] == [path]


def test_every_flipped_bit_and_every_truncation_is_noticed(path):
    whole = path.read_bytes()
    for position in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(damaged)
        found = load_parsed(path, SOURCES)  # A few bits, such as those of a date, do not affect the content.
        assert found is None or same(found, PARSED)
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert load_parsed(path, SOURCES) is None


def test_a_cached_copy_of_other_sources_or_versions_is_not_used(path, monkeypatch):
    assert load_parsed(path, SOURCES[::-1]) is None
    assert load_parsed(path.with_name("nothing"), SOURCES) is None
    assert load_parsed(path.parent, SOURCES) is None
    monkeypatch.setattr(parsed_reviews, "_VERSION", "parsed reviews 0")
    assert load_parsed(path, SOURCES) is None


@pytest.mark.parametrize(
    ("spoilt", "says"),
    [
        (b"a:1 b #label#:positive", "expected token:count"),
        (b"a:1  b:1 #label#:positive", "expected token:count"),
        (b"a:0 #label#:positive", "expected a whole number of at least 1"),
        (b"a:01x #label#:positive", "expected a whole number of at least 1"),
        (b":1 #label#:positive", "expected token:count"),
        (b"a:9999999999 #label#:positive", "expected at most 2147483647"),
        (b"a:2147483647 a:1 #label#:positive", "expected at most 2147483647"),
        (b"a:1 #label#:negative", "expected positive"),
        (b"a:1 #label#:positive ", "expected a label"),
        (b"#label#:x:1 #label#:positive", "expected one label, at its end"),
        (b"a:1", "expected a label"),
        (b"", "the line is blank"),
        (b"\xff:1 #label#:positive", "expected text in UTF-8, got the byte 0xFF"),
    ],
)
def test_a_spoilt_line_is_named_with_its_number(spoilt, says):
    good = b"a:1 #label#:positive\n"
    with pytest.raises(CorpusError, match=f"^positive.review, line 3: .*{says}"):
        parse_pair(good + good + spoilt + b"\n" + good, b"a:1 #label#:negative")


@pytest.mark.parametrize("space", [" ", "\t", "\u00a0", "\u2003", "\x85"])
def test_whatever_space_ends_a_line_without_a_label_does_not_count(space):
    reviews = parse_reviews([f"good:1 book:2 {space}\n"], without_labels=True)
    assert (list(reviews.tokens), reviews.counts.tolist()) == (["good", "book"], [1, 2])
