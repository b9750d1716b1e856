"""Templates and features compared with a plain reading of the templates, word by word."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers.structured.tag_features import OUTSIDE, TEMPLATES, FeatureIndex, long_shape, parse_template, word_shape
from lxmls_day1.base.errors import InputError
from tests.wording import wording

SENTENCES = [("The", "cat", "saw", "the", "CAT", "."), ("3,000", "cats", "?"), ("a",), ("McDonald's", "U.S.", "co-op")]


def attribute(name, word):
    """Return an attribute of a word, by a second implementation."""
    affix = re.fullmatch("(prefix|suffix)([0-9]+)", name)
    if affix and word != OUTSIDE:
        n = int(affix[2])
        return None if len(word) <= n else (word[:n] if affix[1] == "prefix" else word[len(word) - n :]).lower()
    if affix:
        return OUTSIDE
    letters = "".join("d" if c.isdigit() else ("X" if c.isupper() else "x") if c.isalpha() else c for c in word)
    collapsed = "".join(c for i, c in enumerate(letters) if i == 0 or letters[i - 1] != c)
    return {"word": word, "lower": word.lower(), "shape": collapsed, "long_shape": letters}[name]


def naive_features(sentence, templates):
    """Return the features of each word, in the order of the templates."""
    found = []
    for t in range(len(sentence)):
        names = []
        for template in templates:
            values = []
            for part in template.split(" "):
                name, offset = re.fullmatch(r"(\w+)(?:\[([+-]\d+)\])?", part).groups()
                place = t + int(offset or 0)
                values.append(attribute(name, sentence[place] if 0 <= place < len(sentence) else OUTSIDE))
            if None not in values:
                names.append(f"{template}=" + "\t".join(values))
        found.append(names)
    return found


@pytest.mark.parametrize("templates", [TEMPLATES, ["word"], ["lower[-2] suffix2[+1]", "shape"]])
def test_features_match_the_templates(templates):
    index, _ = FeatureIndex.learn(SENTENCES, templates)
    for sentence in SENTENCES:
        assert index.features(sentence) == naive_features(sentence, templates)


words = st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), min_size=1, max_size=4)
sentences = st.lists(
    st.lists(st.one_of(st.sampled_from(["a", "bb", "B"]), words), min_size=1, max_size=5), min_size=1, max_size=5
)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(sentences, sentences, st.integers(1, 3))
def test_the_index_holds_only_frequent_training_features(training, others, min_count):
    templates = ["word", "suffix1", "shape[+1]", "lower[-1] lower", "word[-1] word word[+1]"]
    words = itertools.chain.from_iterable(naive_features(sentence, templates) for sentence in training)
    counts = Counter(itertools.chain.from_iterable(words))
    index, features = FeatureIndex.learn(training, templates, min_count)
    assert set(index.names) == {name for name, count in counts.items() if count >= min_count}
    assert len(index) == len(set(index.names))
    for sentence in [*training, *others]:
        for found, names in zip(index.features(sentence), naive_features(sentence, templates), strict=True):
            assert found == [name for name in names if counts[name] >= min_count]
    for ours, theirs in zip(features, index.encode(training), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_numbers_ascend_within_a_word_as_a_sparse_matrix_wants_them():
    index, _ = FeatureIndex.learn(SENTENCES)
    starts, indptr, indices, values = index.encode(SENTENCES)
    assert starts.tolist() == [0, 6, 9, 10, 13] and len(indptr) == 14 and indptr[-1] == len(indices)
    assert all((np.diff(indices[i:j]) > 0).all() for i, j in itertools.pairwise(indptr))
    assert (starts.dtype, indptr.dtype, indices.dtype) == (np.intp, np.intp, np.int32) and len(values) == 0


def test_word_shapes_follow_the_letters():
    assert [word_shape(word) for word in ("iPhone4s", "ÉCOLE", "日本", "…", "१२")] == ["xXxdx", "X", "x", "…", "d"]
    assert long_shape("iPhone4s") == "xXxxxxdx"


@pytest.mark.parametrize(
    "template",
    ["", " ", "letters", "prefix", "suffix0", "word3", "word[", "word[1", "word[a]", "word  lower", "Word", 3, None],
)
def test_a_template_that_cannot_be_read(template):
    with pytest.raises(InputError, match=wording("classifiers.template_names_attributes")):
        parse_template(template)
    with pytest.raises(InputError, match=wording("classifiers.template_names_attributes")):
        FeatureIndex.learn(SENTENCES, ["word", template])


def test_a_template_reports_the_offsets_of_its_parts():
    parts = [(p.attribute, p.length, p.offset) for p in parse_template("suffix12[-3] long_shape[+2] lower")]
    assert parts == [("suffix", 12, -3), ("long_shape", None, 2), ("lower", None, 0)]
