import codecs
import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text.documents import Document, decode_utf8, escape_unprintable, read_documents
from lxmls_day1.engine.text.tokens import count_tokens
from tests.made_data import processed_line
from tests.wording import wording

characters = st.characters(exclude_characters=" \n\r\t", exclude_categories=["Cs", "Zs", "Cc"])
tokens = st.text(characters, min_size=1).filter(lambda token: not f"{token}:".startswith("#label#:"))


def read(text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return read_documents(data, "f", **options)


class TestRaw:
    def test_a_file_is_a_document(self):
        text = "A fine book.\n\nFine, and fine again.\n"
        assert read(text) == [Document("f", count_tokens(text), None)]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_each_nonblank_line_can_be_a_document(self, end):
        documents = read(end.join(["Fine.", "", "  ", "Dull book."]), unit="line")
        assert documents == [Document("f:1", {"fine": 1}, None), Document("f:4", count_tokens("Dull book."), None)]

    def test_a_byte_order_mark_is_not_part_of_a_word(self):
        assert read(codecs.BOM_UTF8 + b"fine")[0].counts == {"fine": 1}


class TestProcessed:
    def test_labels_are_kept_and_may_be_missing_and_may_be_any(self):
        first, second, third = read("a_fine:1 book:2 #label#:positive\nbook:1\n#label#:5.0\n")
        assert first == Document("f:1", {"a_fine": 1, "book": 2}, "positive")
        assert second == Document("f:2", {"book": 1}, None) and third == Document("f:3", {}, "5.0")

    @pytest.mark.slow
    @given(st.lists(st.dictionaries(tokens, st.integers(1, 9), min_size=1, max_size=5), min_size=1, max_size=4))
    def test_written_documents_are_read_back(self, reviews):
        text = "".join(processed_line(counts, "positive") + "\n" for counts in reviews)
        assert [document.counts for document in read(text)] == reviews

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a:1\nb\n", "f, line 2: got 'b'; expected token:count"),
            ("a:1 b:1 c:0\n", "f, line 1: the count in 'c:0' is '0'"),
            ("a:1 b:1  c:1\n", "f, line 1: got ''; expected token:count, with single spaces"),
            ("a:1\n\nb:1\n", "f, line 2: the line is blank"),
            ("a:1 #label#:\n", "f, line 1: the label is missing"),
            ("a:1 #label#:x b:1 c:1\n", "f, line 1: '#label#:x' is inside the line"),
        ],
    )
    def test_a_malformed_line_is_named(self, text, message):
        with pytest.raises(InputError, match=f"^{re.escape(message)}"):
            read(text)


class TestNoText:
    @pytest.mark.parametrize(("data", "what"), [(b"", "empty"), (b" \n\t\r\n", "blank"), (codecs.BOM_UTF8, "empty")])
    @pytest.mark.parametrize("form", ["auto", "raw", "processed"])
    def test_empty_input_is_refused(self, data, what, form):
        with pytest.raises(InputError, match=f"f is {what}; expected"):
            read(data, form=form)

    @pytest.mark.parametrize("data", [b"\x89PNG\r\n\0\0", "fine".encode("utf-16"), b"\0"])
    def test_binary_input_is_refused(self, data):
        with pytest.raises(InputError, match=wording("engine.f_text_utf_holds")):
            read(data)

    @given(st.binary())
    def test_any_bytes_are_text_or_raise_an_input_error(self, data):
        with contextlib.suppress(InputError):
            decode_utf8(data, "f")


@given(st.text(st.characters()))
def test_shown_text_can_be_printed_everywhere(text):
    shown = escape_unprintable(text)
    assert shown.isprintable()
    assert shown == text or not text.isprintable()
    shown.encode()
