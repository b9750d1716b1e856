"""Packed texts compared with the list of the same texts."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.engine.models.packed_texts import PackedTexts, SlicedTexts
from tests.wording import wording

TEXTS = st.lists(st.text(st.characters(exclude_categories=()), max_size=5), max_size=20)


def test_texts_are_found_even_if_hashes_collide(monkeypatch):
    texts, asked = ["the", "Café", "", "the", "\ud800", "cat"], ["cat", "dog", "the", "", "\ud800", "café", "Café"]
    packed = PackedTexts(texts)
    expected = [texts.index(text) if text in texts else -1 for text in asked]
    assert packed.numbers(asked) == expected and packed.numbers([]) == [] and PackedTexts().numbers(asked) == [-1] * 7
    packed.extend(["dog"])
    assert packed.numbers(asked) == [5, 6, *expected[2:]]
    monkeypatch.setattr(PackedTexts, "_hashes", lambda self, content, ends: np.zeros(len(ends) - 1, dtype=np.int32))
    assert PackedTexts(texts).numbers(asked) == expected


@given(TEXTS, TEXTS, st.slices(30))
def test_packed_texts_match_the_list_of_texts(first, more, some):
    texts, wanted = PackedTexts(first), first + more
    texts.extend(iter(more))
    assert list(texts) == wanted and len(texts) == len(wanted)
    assert texts[some] == wanted[some]
    assert [texts[i - len(wanted)] for i in range(len(wanted))] == wanted
    for same in (wanted, tuple(wanted), PackedTexts(wanted), copy.deepcopy(texts), pickle.loads(pickle.dumps(texts))):
        assert texts == same and same == texts
    for other in ([*wanted, ""], ["x", *wanted], PackedTexts([*wanted, ""]), PackedTexts(["".join(wanted), "", ""])):
        assert (texts == list(other)) is (wanted == list(other)) is (texts == other)
    assert texts != [None] * len(wanted) or not wanted


def test_many_texts_in_a_row():
    wanted = [str(i) for i in range(10_000)]
    assert list(PackedTexts(wanted)) == wanted


def test_invalid_indices_raise():
    texts = PackedTexts(["a", "b"])
    for place in (2, -3):
        with pytest.raises(IndexError):
            texts[place]
    with pytest.raises(TypeError):
        hash(texts)
    assert texts != "ab" and repr(texts) == "PackedTexts(['a', 'b'])"
    assert repr(PackedTexts("abcd")) == wording("engine.packedtexts_b_c")


def test_slices_of_a_packed_text_are_its_pieces():
    content = "word=the word=Café  \ud800 x".encode("utf-8", "surrogatepass")
    pieces = content.split(b" ")
    ends = np.cumsum([len(piece) + 1 for piece in pieces]) - 1
    texts = SlicedTexts(content, ends - [len(piece) for piece in pieces], ends)
    expected = [piece.decode("utf-8", "surrogatepass") for piece in pieces]
    assert list(texts) == expected and [texts[i] for i in range(-5, 0)] == expected
    assert texts[1:3] == expected[1:3] and texts[np.array([2, 0, 2])] == [expected[2], expected[0], expected[2]]
    with pytest.raises(IndexError):
        texts[5]
