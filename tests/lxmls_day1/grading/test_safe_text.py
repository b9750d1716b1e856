import re
import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lxmls_day1.grading.safe_text import html_prose, html_text, one_line, sanitize, table_cell, truncate_lines

NASTY = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("\x1b[]m\x07\r\n\x00\x9b\u202e\u200b\ud800`*<&=;'\"|#~\\:@"))
)
DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@given(NASTY)
@example("\x1b\x1b[31m[31m")
@example("\r\r\n")
@example("a" + "\u0301" * 50)
def test_visible_text_contains_no_active_characters(text):
    shown = sanitize(text)
    for character in shown:
        assert unicodedata.category(character) not in ("Cs", "Zl", "Zp")
        assert unicodedata.category(character) != "Cc" or character in "\n\t"
        assert unicodedata.bidirectional(character) not in DIRECTIONS
    assert sanitize(shown) == shown
    shown.encode("utf-8")
    element = ElementTree.Element("text")
    element.text = shown
    assert (ElementTree.fromstring(ElementTree.tostring(element)).text or "") == shown


@pytest.mark.parametrize(
    "text", ["Ada Lovelace", "José Núñez", "李小龙", "محمد علي", "नमस्ते", "สวัสดี", "a\tb\n  c", "‖g(x)‖² ≤ 1/λ − ½", ""]
)
def test_ordinary_text_is_not_changed(text):
    assert sanitize(text) == text


def test_terminal_sequences_are_removed():
    said = "\x1b]0;a title\x07\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x9b2Jgone\x1bc"
    assert sanitize(said) == "red link gone"


def test_combining_marks_per_letter_are_limited():
    assert sanitize("e" + "\u0301" * 500 + "f") == "e" + "\u0301" * 4 + "f"


@given(NASTY, st.integers(1, 40))
def test_one_line_returns_one_short_line(text, most):
    assert len(one_line(text, most)) <= most and "\n" not in one_line(text, most)


@given(st.lists(st.sampled_from(["", "a", "bb", "ccc"]), max_size=12), st.integers(1, 30), st.integers(1, 8))
def test_a_cut_text_reports_how_much_is_missing(texts, most, most_lines):
    text = "\n".join(texts).rstrip()
    cut = truncate_lines(text, most, most_lines)
    if len(text) <= most and len(texts) <= most_lines:
        assert cut == text
    elif cut != text:
        kept, _, last = cut.rpartition("\n")
        assert text.startswith(kept) and len(kept) <= most and kept.count("\n") < most_lines
        assert re.fullmatch(r"… \(\d+ more (line|lines|characters)\)", last)


def test_html_text_escapes_markup():
    assert html_text("""<a href="x" onclick='y'>&amp;</a>""") == (
        "&lt;a href=&quot;x&quot; onclick=&#x27;y&#x27;&gt;&amp;amp;&lt;/a&gt;"
    )


@given(NASTY)
def test_prose_has_no_tags_but_code_and_em(text):
    tags = re.findall("<[^>]*>", html_prose(text))
    assert set(tags) <= {"<code>", "</code>", "<em>", "</em>"}
    assert all(tags.count(f"<{tag}>") == tags.count(f"</{tag}>") for tag in ("code", "em"))


FORMULAS = tuple("=+-@\t\r＝＋－＠")


@given(NASTY)
@example("=cmd|' /C calc'!A0")
@example("  =1+1")
@example("Ada;=1+1")
@example('Ada";=1+1')
def test_a_cell_starts_no_formula_with_any_separator(text):
    cell = table_cell(text)
    for separator in ",;\t|":
        for part in cell.split(separator):
            assert not part.lstrip(' "').startswith(FORMULAS)


@pytest.mark.parametrize("name", ["Jean-Luc", "Ada Lovelace", "O'Neill", "a@b.org", "x=1"])
def test_names_without_a_formula_are_not_changed(name):
    assert table_cell(name) == name
