from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.engine.text.tokens import (
    FUNCTION_WORDS,
    count_tokens,
    normalise_word,
    processed_line,
    split_words,
    unigrams_and_bigrams,
)

# The expected forms are those in which the published corpus has such words; see the head of tokens.py.
WORDS = {
    "novel.": "novel",
    "refrigerator!)": "refrigerator",
    'structure."': "structure",
    "(In": "in",
    "well-written": "well-written",
    "Hanna-Barbera!)": "hanna-barbera!)",
    "author's": "author's",
    "don't.": "don't.",
    '"fanatic"': '"fanatic"',
    "(above)": "(above)",
    "(pp.": "(pp.",
    "(e.g.": "(e.g.",
    "U.S.": "u.s.",
    "and/or": "and/or",
    "book.This": "book.this",
    "&quot;Great": "&quot;great",
    "http://example.org": "http//example.org",
    "clich\x1as": "clich\x1as",
    "1000": "<num>",
    '"80': "<num>",
    "(1)": "(1)",
    "2.5": "<num>",
    "1958": "<year>",
    "1939.": "<year>",
    "1980's.": "1980's.",
    "19th": "19th",
    "$20": "$20",
    "co2": "co2",
    "1/2": "<fraction>",
    "10-20": "<dash-num>",
    "-": "",
    "...": "",
    ":": "",
}


@pytest.mark.parametrize(("written", "counted"), WORDS.items(), ids=repr)
def test_words_take_the_form_of_the_published_corpus(written, counted):
    assert normalise_word(written) == counted


def test_white_space_and_commas_part_words():
    assert split_words(" tall,just\tas\u00a0large,\nround\r\nand  flat ") == [
        "tall",
        "just",
        "as",
        "large",
        "round",
        "and",
        "flat",
    ]


def test_a_thousands_separator_parts_nothing():
    assert split_words("It cost 1,250,000 or 1,2 or 12,34") == [
        "it",
        "cost",
        "<num>",
        "or",
        "<num>",
        "<num>",
        "or",
        "<num>",
        "<num>",
    ]


def test_function_words_are_counted_in_bigrams_only_and_never_two_together():
    assert unigrams_and_bigrams(["it", "is", "one", "of", "the", "best", "of", "them"]) == [
        *("one", "best", "them"),
        *("is_one", "one_of", "the_best", "best_of", "of_them"),
    ]


@pytest.mark.slow
@given(st.lists(st.text(), max_size=3))
def test_tokens_of_any_text_can_be_written_as_a_line(texts):
    counts = count_tokens(*texts)
    line = processed_line(counts, "positive")
    assert "\n" not in line
    pairs = line.split(" ")
    assert pairs.pop() == "#label#:positive"
    assert {token: int(count) for token, count in (pair.split(":") for pair in pairs)} == counts


@pytest.mark.slow
@given(st.text())
def test_counts_agree_with_a_naive_count(text):
    words = split_words(text)
    expected = Counter(word for word in words if word and word not in FUNCTION_WORDS)
    for first, second in pairwise(words):
        both_function = {first, second} <= FUNCTION_WORDS | {""}
        if first and not both_function:
            expected[f"{first}_{second}"] += 1
    assert count_tokens(text) == expected
