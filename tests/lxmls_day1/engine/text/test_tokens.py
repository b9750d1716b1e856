import unicodedata
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lxmls_day1.engine.text.token_batches import TokenCounter
from lxmls_day1.engine.text.tokens import (
    FUNCTION_WORDS,
    count_tokens,
    normalise_word,
    split_words,
    unigrams_and_bigrams,
)
from readers.vocabulary import count_words
from tests.made_data import processed_line

# The expected forms are those of the published corpus; see the docstring of tokens.py.
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
    "है।": "है",
    "(हो": "हो",
    "۱۲۳": "۱۲۳",
    "١٩٨٤هـ": "١٩٨٤هـ",
    "می\u200cخواهم.": "می\u200cخواهم",
    "ന്\u200d": "ന്\u200d",
    "x\u0301!": "x\u0301",
    "\u0301": "\u0301",
    "J\u030cE": "\u01f0e",
    "great\u2764\ufe0f": "great",
    "\u2764\ufe0f": "",
    "1\u0301": "1\u0301",
}
#: Sentences in which words need their combining marks, and only spaces separate words.
SCRIPTS = {
    "Devanagari": "वह घर में है हो हूँ क्षत्रिय ज़रा",
    "Bengali": "আমি বাংলায় গান গাই পড়ো",
    "Thai": "น้ำ เก้า ที่ กำลัง ผู้ใหญ่",
    "Tamil": "தமிழ் மொழி கொடு கெளவி",
    "Arabic": "كِتَابٌ كَتَبَ كُتِبَ مدرسة آية مُؤْمِن",
    "Hebrew": "שָׁלוֹם סֵפֶר סַפָּר שׂרה",
    "Greek": "Ἀθῆναι πότε ποτέ ΐ μαΐου",
    "Cyrillic": "йод ёлка за́мок замо́к Київ",
    "Hangul": "한국어 각 갂 값이",
    "Japanese": "が か パ ハ プログラム",
    "Turkish": "İstanbul ılık şişe çağ",
    "Vietnamese": "tiếng Việt ngữ đường Ất",
    "Latin": "cafe\u0301 cafe x\u0304y\u0331 q\u0307\u0323",
    "Burmese": "မြန်မာ ဘာသာ ကျွန်တော်",
    "Tibetan": "བོད ཡིག ཀྲུང གོ",
    "Persian": "می\u200cخواهم خانه\u200cها کتاب",
    "Georgian": "საქართველო ენა",
    "Adlam": "𞤀𞤣𞤤𞤢𞤥 𞤬𞤵𞤤\U0001e946",
}


@pytest.mark.parametrize(("written", "counted"), WORDS.items(), ids=repr)
def test_words_take_the_form_of_the_published_corpus(written, counted):
    assert normalise_word(written) == counted


@pytest.mark.parametrize("script", SCRIPTS)
@settings(max_examples=30)
@given(data=st.data())
def test_words_of_every_script_are_counted_whole_in_both_normal_forms(script, data):
    alphabet = sorted({*"".join(unicodedata.normalize(form, SCRIPTS[script]) for form in ("NFC", "NFD"))} - {" "})
    made_up = st.text(st.sampled_from(alphabet), min_size=1, max_size=6)
    word = st.sampled_from(SCRIPTS[script].split()) | made_up
    words = data.draw(st.lists(word, min_size=1, max_size=6))
    text = data.draw(st.sampled_from([" ", "\n", "\u3000"])).join(words)
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    expected = [unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).lower()) for word in words]
    for form in [text, *forms]:
        assert split_words(form) == expected
        assert split_words(" ".join(f"{word}." for word in form.split())) == expected
    bags = [count_tokens(form) for form in forms]
    rows = TokenCounter().numbered(forms)
    assert bags[0] == bags[1] and rows.tokens.names() == list(bags[0])
    assert rows.values[: rows.indptr[1]].tolist() == list(bags[0].values()) == rows.values[rows.indptr[1] :].tolist()
    plain = TokenCounter(count_words).numbered(forms)
    assert plain.tokens.names() == list(count_words(forms[0])) == list(count_words(forms[1]))


def test_white_space_and_commas_part_words():
    counted = "tall just as large round and flat"
    assert split_words(" tall,just\tas\u00a0large,\nround\r\nand  flat ") == counted.split()


def test_a_thousands_separator_parts_nothing():
    counted = "it cost <num> or <num> <num> or <num> <num>"
    assert split_words("It cost 1,250,000 or 1,2 or 12,34") == counted.split()


def test_function_words_are_counted_in_bigrams_only_and_never_two_together():
    counted = unigrams_and_bigrams(["it", "is", "one", "of", "the", "best", "of", "them"])
    assert counted == ["one", "best", "them", "is_one", "one_of", "the_best", "best_of", "of_them"]


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
