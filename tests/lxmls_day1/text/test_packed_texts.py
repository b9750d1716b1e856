"""Packed texts against the list that they stand for."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.text.packed_texts import PackedTexts

TEXTS = st.lists(st.text(st.characters(exclude_categories=()), max_size=5), max_size=20)


@given(TEXTS, TEXTS, st.slices(30))
def test_they_are_the_list_of_the_same_texts(first, more, some):
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


def test_places_that_there_are_not():
    texts = PackedTexts(["a", "b"])
    for place in (2, -3):
        with pytest.raises(IndexError):
            texts[place]
    with pytest.raises(TypeError):
        hash(texts)
    assert texts != "ab" and repr(texts) == "PackedTexts(['a', 'b'])"
    assert repr(PackedTexts("abcd")) == "PackedTexts(['a', 'b', 'c'], … 4 in all)"
