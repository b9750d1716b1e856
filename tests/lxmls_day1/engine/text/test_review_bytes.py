"""Files read as bytes give what lines read one by one do; what is unusual is left to these."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lxmls_day1.engine.text import review_bytes
from lxmls_day1.engine.text.parsed_reviews import parse_pair, parse_review
from lxmls_day1.engine.text.review_bytes import read_pairs
from lxmls_day1.errors import CorpusError

ENDINGS = (b"#label#:positive", b"#label#:negative")
TOKENS = ["a", "b", "é", "a:b", ":", "#", *("x" * length for length in (8, 9, 16, 17))]
TOKENS += ["x" * 15 + "y", "y" + "x" * 16, "x\x00", "x\x0b", "\u2028"]
lines = st.lists(st.lists(st.tuples(st.sampled_from(TOKENS), st.integers(1, 300)), max_size=9), min_size=1, max_size=4)


def content_of(reviews, ending):
    return b"\n".join(
        b" ".join([*(f"{token}:{count}".encode() for token, count in review), ending]) for review in reviews
    )


def naive(contents):
    """Tokens in the order of first use, and the counts of each line, by a dictionary."""
    reviews = [
        parse_review(line)[0] for content in contents for line in content.decode().removesuffix("\n").split("\n")
    ]
    return list(dict.fromkeys(token for review in reviews for token in review)), reviews


@pytest.mark.slow
@given(positive=lines, negative=lines, end=st.sampled_from([b"", b"\n"]), mark=st.sampled_from([b"", b"\xef\xbb\xbf"]))
@example(positive=[[("a", 1), ("a", 255), ("a", 2)]], negative=[[]], end=b"", mark=b"")
def test_pairs_agree_with_a_dictionary(positive, negative, end, mark):
    contents = [
        content_of(reviews, ending) + end for reviews, ending in zip((positive, negative), ENDINGS, strict=True)
    ]
    pairs = read_pairs([mark + content for content in contents], ENDINGS)
    if not any(positive + negative):
        assert pairs is None
        return
    tokens, reviews = naive(contents)
    assert list(pairs.tokens) == tokens
    for m, review in enumerate(reviews):
        found = {}
        for entry in range(pairs.starts[m], pairs.starts[m + 1]):
            token = pairs.tokens[pairs.columns[entry]]
            found[token] = found.get(token, 0) + int(pairs.counts[entry])
        assert found == review
    whole = parse_pair(*contents)
    assert list(whole.tokens) == tokens
    assert [review for review, label in whole.as_dicts() if label == "positive"] == reviews[: len(positive)]
    assert [review for review, label in whole.as_dicts() if label == "negative"] == reviews[len(positive) :]


@pytest.mark.parametrize(
    ("spoilt", "says"),
    [
        (b"a:1 b #label#:positive", "expected token:count"),
        (b"a:1  b:1 #label#:positive", "expected token:count"),
        (b"a:0 #label#:positive", "expected a whole number from 1 on"),
        (b"a:01x #label#:positive", "expected a whole number from 1 on"),
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


def test_what_is_unusual_but_right_is_left_to_the_reader_of_lines():
    unusual = b"a:1 b:2 #label#:positive\r\na:0000000003 #label#:positive\n"
    assert read_pairs([unusual], ENDINGS[:1]) is None
    assert parse_pair(b"a:1 b:2 #label#:positive\r\n", b"a:3 #label#:negative\n").as_dicts() == [
        ({"a": 1, "b": 2}, "positive"),
        ({"a": 3}, "negative"),
    ]
    assert read_pairs([b"", b"a:1 #label#:negative"], ENDINGS) is None


@pytest.mark.parametrize("token", ["x", "x" * 20])
def test_tokens_with_one_hash_are_kept_apart(monkeypatch, token):
    """With a hash that is always the same nothing is read wrong: it is left to the reader of lines."""
    monkeypatch.setattr(review_bytes, "_mix", lambda hashes, numbers: hashes.fill(0) or hashes)
    other = "y" + token[1:] + "y"
    content = f"{token}:1 {other}:1 {token}:2 #label#:positive".encode()
    assert read_pairs([content], ENDINGS[:1]) is None
