"""The features of a word for tagging, made from the word and its neighbours by templates.

A template is a string, such as ``suffix3`` (the last three letters of the word), ``lower[-1]`` (the previous word,
in lower case) or ``lower[-1] lower`` (both together, as one feature). `TEMPLATES` lists the default templates of a tagger;
to change its features, pass another list.

Each template yields at most one feature per word, and features are binary: x is a vector of zeros and ones with at most a
one per template. Only features that occur in the training sentences exist; other features of other sentences are ignored.
Instead of words you can pass your own features, also with numeric values (`explicit_features`).

References
----------
A. Ratnaparkhi (1996), *A Maximum Entropy Model for Part-of-Speech Tagging*, EMNLP 1996: the kinds of templates.
"""

import functools
import itertools
import re
import reprlib
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.lab_api import InputError, text_data

#: The default templates of `FeatureIndex`, chosen on the development part of the English Web Treebank.
TEMPLATES = (
    *("word", "lower"),
    *(f"{affix}{length}" for affix in ("prefix", "suffix") for length in range(1, 6)),
    *("shape", "long_shape"),
    *("lower[-2]", "lower[-1]", "lower[+1]", "lower[+2]", "shape[-1]", "shape[+1]"),
    *("lower[-1] lower", "lower lower[+1]", "lower[-1] lower[+1]", "lower[-2] lower[-1]", "lower[+1] lower[+2]"),
    *("lower[-1] suffix3", "suffix3 lower[+1]", "suffix3[-1] lower", "lower suffix3[+1]"),
)

#: The value of every attribute at a position before the first or after the last word; no word is empty.
OUTSIDE = ""

_PART = re.compile(r"([a-z_]+?)([1-9][0-9]*)?(?:\[([+-]?[0-9]+)\])?")


# ------------------------------------------------------------------------------------------------- attributes of a word


def word_shape(word: str) -> str:
    """Return the shape of a word: X for a capital letter, x for another letter, d for a digit, and every run of them only once.

    Examples
    --------
    >>> word_shape("McDonald's"), word_shape("3,000"), word_shape("U.S.")
    ("XxXx'x", 'd,d', 'X.X.')
    """
    return "".join(kind for kind, _ in itertools.groupby(long_shape(word)))


def long_shape(word: str) -> str:
    """Return the shape of a word with one character for each character of the word.

    Examples
    --------
    >>> long_shape("McDonald's"), long_shape("3,000"), long_shape("U.S.")
    ("XxXxxxxx'x", 'd,ddd', 'X.X.')
    """
    return "".join(map(_character_class, word))


def _character_class(character: str) -> str:
    if character.isdigit():
        return "d"
    if character.isalpha():
        return "X" if character.isupper() else "x"
    return character


def prefix(word: str, length: int) -> str | None:
    """Return the first letters in lower case; None if the word is not longer than these.

    Examples
    --------
    >>> prefix("Walked", 3), prefix("Go", 3)
    ('wal', None)
    """
    return word[:length].lower() if len(word) > length else None


def suffix(word: str, length: int) -> str | None:
    """Return the last letters in lower case; None if the word is not longer than these.

    Examples
    --------
    >>> suffix("WALKED", 2), suffix("Go", 2)
    ('ed', None)
    """
    return word[-length:].lower() if len(word) > length else None


#: Attributes that a template can name: word -> value.
ATTRIBUTES: dict[str, Callable[[str], str]] = {
    "word": str,
    "lower": str.lower,
    "shape": word_shape,
    "long_shape": long_shape,
}

#: Attributes that take a length, as in ``suffix3``: word, length -> value, or None.
AFFIXES = {"prefix": prefix, "suffix": suffix}


# ------------------------------------------------------------------------------------------------------------ templates


class TemplatePart(NamedTuple):
    """One attribute of one word, at an offset from the word that is tagged.

    Examples
    --------
    >>> [part.value("Walked") for part in (TemplatePart("lower", None, 0), TemplatePart("suffix", 2, -1), TemplatePart("prefix", 7, 0))]
    ['walked', 'ed', None]
    """

    attribute: str  # a key of ATTRIBUTES or AFFIXES
    length: int | None  # the length of an affix, otherwise None
    offset: int  # 0 the word itself, −1 the word before it, 1 the word after it

    def value(self, word: str) -> str | None:
        """Return the attribute of ``word``, or None if the word does not have it."""
        if self.length is None:
            return ATTRIBUTES[self.attribute](word)
        return AFFIXES[self.attribute](word, self.length)


def parse_template(template: str) -> tuple[TemplatePart, ...]:
    """Return the parts of a template.

    Parameters
    ----------
    template : str
        Attributes separated by spaces. Each is a name, with a length if it is an affix, and in brackets the offset of its word
        from the word that is tagged.

    Returns
    -------
    tuple of Part

    Raises
    ------
    InputError
        If the template does not have this form, or names an unknown attribute.

    Examples
    --------
    >>> parse_template("suffix3")
    (TemplatePart(attribute='suffix', length=3, offset=0),)
    >>> [part.offset for part in parse_template("lower[-1] lower lower[+1]")]
    [-1, 0, 1]
    """
    parts = []
    for text in template.split(" ") if isinstance(template, str) else [template]:
        match = _PART.fullmatch(text) if isinstance(text, str) else None
        name, length, offset = match.groups() if match else ("", None, None)
        if name not in (ATTRIBUTES if length is None else AFFIXES):
            known = ", ".join([*ATTRIBUTES, *(f"{affix}1, {affix}2, …" for affix in AFFIXES)])
            raise InputError(
                f"a template names attributes of words ({known}), each perhaps with a place as in lower[-1], and with "
                f"single spaces between them, but one is {template!r}"
            )
        parts.append(TemplatePart(name, None if length is None else int(length), int(offset or 0)))
    return tuple(parts)


_cached_parse_template = functools.cache(parse_template)  # cached because it is called for each batch of sentences


# ------------------------------------------------------------------------------------------------- features of one's own

#: Types in which the features of a word can be passed, and types of their values other than strings.
FEATURE_TYPES, VALUE_TYPES = (Mapping, list, tuple, set), (float, int, np.floating, np.integer, np.bool_)
MAX_FEATURE_VALUE = 1e100  # the square of it is still finite


def explicit_features(word: Any) -> dict[str, float]:
    """Return the value of each feature of a word that is passed as its features, in the form that CRFsuite accepts.

    Parameters
    ----------
    word : mapping from name to value, or list, tuple or set of names
        A name in a list has the value 1. A string value becomes a feature of its own, ``tag:noun``, with the value 1. True is 1, and a
        feature with the value False or 0 is dropped. A value that is itself a mapping or a list holds features whose names start with
        its name, ``tag:…``. The values of repeated features are added.

    Raises
    ------
    InputError
        For other values, including numbers that are not finite or too large to compute with, and for names that are not strings.

    Examples
    --------
    >>> explicit_features({"lower": "dogs", "length": 4, "capital": True, "digit": False, "next": {"lower": "bark", "tfidf": 0.3}})
    {'lower:dogs': 1.0, 'length': 4.0, 'capital': 1.0, 'next:lower:bark': 1.0, 'next:tfidf': 0.3}
    >>> explicit_features(["lower=dogs", "capital"])
    {'lower=dogs': 1.0, 'capital': 1.0}
    """
    values: dict[str, float] = {}
    for name, value in _named_values(word):
        values[name] = values.get(name, 0.0) + value
    return {name: value for name, value in values.items() if value}


def _named_values(word: Any) -> Iterator[tuple[str, float]]:
    """Yield the name and value of each feature in order, including features with the value 0."""
    for name, value in word.items() if isinstance(word, Mapping) else zip(word, itertools.repeat(1.0)):
        if not isinstance(name, str):
            raise InputError(f"the name of a feature must be a text, but one is {name!r}; use str(name)")
        if isinstance(value, str):
            yield f"{name}:{value}", 1.0
        elif (
            isinstance(value, VALUE_TYPES)
            and abs(value if isinstance(value, int) else float(value)) <= MAX_FEATURE_VALUE
        ):
            yield name, float(value)
        elif isinstance(value, FEATURE_TYPES):
            yield from ((f"{name}:{inner}", number) for inner, number in _named_values(value))
        else:
            raise InputError(
                f"the value of a feature must be a number of at most {MAX_FEATURE_VALUE:g}, True, False, a text, or a "
                f"dictionary or list of further "
                f"features, but {name!r} has the value {reprlib.repr(value)}; leave out what is not known, and scale large numbers down"
            )


def has_explicit_features(sentences: Sequence[Sequence[Any]]) -> bool:
    """Return True if the words of the sentences are passed as their features.

    Examples
    --------
    >>> has_explicit_features([["a", "dog"]]), has_explicit_features([[{"lower": "a"}, {"lower": "dog"}]])
    (False, True)
    """
    return any(not isinstance(word, str) for sentence in sentences for word in sentence)


# --------------------------------------------------------------------------------------------- words -> feature numbers


class TokenFeatures(NamedTuple):
    """The features of every word of M sentences with N words in all: the rows of a sparse matrix, of ones unless ``values`` is set.

    Examples
    --------
    Three words in two sentences; the second and the third word are the same:

    >>> _, features = FeatureIndex.learn([["a", "dog"], ["dog"]], ["word"])
    >>> features.starts.tolist(), features.indptr.tolist(), features.indices.tolist()
    ([0, 2, 3], [0, 1, 2, 3], [0, 1, 1])
    """

    starts: np.ndarray  # (M + 1,) int64: the words of sentence m are the words from starts[m] to starts[m + 1] − 1
    indptr: np.ndarray  # (N + 1,) int64: the features of word n are indices[indptr[n] : indptr[n + 1]]
    indices: np.ndarray  # (nnz,) int32: feature numbers, from 0, ascending within a word
    values: np.ndarray = np.empty(0)  # (nnz,) float64: feature values; empty if all are 1


class FeatureIndex:
    """The numbers of the features: which features exist, and which of them a word has.

    Parameters
    ----------
    templates : sequence of str
        See `parse_template`.
    names : sequence of str
        The name of each feature, in the order of the numbers, as returned by `learn`.

    Attributes
    ----------
    templates : tuple of str
    names : text_data.PackedTexts
        A sequence of strings such as ``lower[-1]=the``; the values of a template with several parts are separated by tabs.

    Examples
    --------
    >>> index, _ = FeatureIndex.learn([["The", "cat"], ["the", "dog"]], ["lower", "lower[-1]"])
    >>> list(index.names)
    ['lower=the', 'lower=cat', 'lower=dog', 'lower[-1]=', 'lower[-1]=the']
    >>> index.features(["the", "cat", "purrs"])
    [['lower=the', 'lower[-1]='], ['lower=cat', 'lower[-1]=the'], []]
    """

    def __init__(self, templates: Sequence[str], names: Sequence[str]) -> None:
        self.templates = check_templates(templates)
        self.names = names if isinstance(names, text_data.PackedTexts) else text_data.PackedTexts(names)

    @classmethod
    def learn(
        cls, sentences: Iterable[Sequence[str]], templates: Sequence[str] = TEMPLATES, min_count: int = 1
    ) -> tuple["FeatureIndex", TokenFeatures]:
        """Return an index of the features that at least ``min_count`` words of the sentences have, and the result of `encode` for them.

        Features are numbered by template, then by first occurrence; explicit features only by first occurrence.
        """
        if has_explicit_features(sentences := list(sentences)):
            given = _ExplicitFeatures(sentences)
            enough = np.bincount(given.codes, minlength=len(given.names)) >= min_count
            index = cls(templates, [*itertools.compress(given.names, enough)])
            return index, given.numbered(np.where(enough, np.cumsum(enough) - 1, -1))
        names = text_data.PackedTexts()
        words, templates = _EncodedWords(sentences), check_templates(templates)
        numbers = np.full((len(templates), words.nr_words), -1, dtype=np.int32)
        for row, template in zip(numbers, templates, strict=True):
            codes, name_of_code = words.features(template)
            kind_of_word, firsts, counts = _renumber_by_first_occurrence(codes, len(name_of_code))
            name_of_kind = [name_of_code[code] for code in codes[firsts].tolist()]
            enough = counts >= min_count
            number_of_kind = np.append(np.where(enough, len(names) + np.cumsum(enough) - 1, -1), -1)
            row[:] = number_of_kind[kind_of_word]  # words without it have the kind −1, the last entry
            names.extend(name_of_kind if enough.all() else itertools.compress(name_of_kind, enough))
        return cls(templates, names), _token_features(words.starts, numbers)

    def __len__(self) -> int:
        return len(self.names)

    def encode(self, sentences: Iterable[Sequence[str]]) -> TokenFeatures:
        """Return the numbers of the features of each word; features that are not in the index are dropped.

        Parameters
        ----------
        sentences : M sequences of words

        Returns
        -------
        TokenFeatures
        """
        if has_explicit_features(sentences := list(sentences)):
            given = _ExplicitFeatures(sentences)
            return given.numbered(np.array(self.names.numbers(given.names), dtype=np.intp))
        words = _EncodedWords(sentences)
        numbers = np.empty((len(self.templates), words.nr_words), dtype=np.int32)
        kinds = []
        for row, template in zip(numbers, self.templates, strict=True):
            row[:], name_of_kind = words.features(template)
            kinds.append(name_of_kind)
        known = np.array(self.names.numbers(itertools.chain.from_iterable(kinds)), dtype=np.int32)
        parts = np.split(known, np.cumsum([len(name_of_kind) for name_of_kind in kinds])[:-1])
        for row, part in zip(numbers, parts, strict=True):
            row[:] = np.append(part, np.int32(-1))[row]
        return _token_features(words.starts, numbers)

    def features(self, sentence: Sequence[str]) -> list[list[str]]:
        """Return the names of the features of each word of one sentence."""
        _, indptr, indices, _ = self.encode([sentence])
        return [[self.names[j] for j in indices[start:end]] for start, end in itertools.pairwise(indptr)]


class EncodedSentences:
    """Sentences whose features are already encoded, so that several learners with the same templates can share them.

    Every method of a :class:`classifiers.structured.structured_classifier.StructuredClassifier` accepts them instead of sentences.

    Parameters
    ----------
    index : FeatureIndex
    features : TokenFeatures
        The result of `index.encode`.

    Examples
    --------
    >>> train = EncodedSentences.learn([["The", "cat"], ["the", "dog"]], ["lower"])
    >>> len(train), list(train.index.names)
    (2, ['lower=the', 'lower=cat', 'lower=dog'])
    >>> train.others([["the", "cat", "purrs"]]).features.indices
    array([0, 1], dtype=int32)
    """

    def __init__(self, index: FeatureIndex, features: TokenFeatures) -> None:
        self.index = index
        self.features = features

    @classmethod
    def learn(
        cls, sentences: Iterable[Sequence[str]], templates: Sequence[str] = TEMPLATES, min_count: int = 1
    ) -> "EncodedSentences":
        """Encode the sentences of a training part, with the index that `FeatureIndex.learn` makes of them."""
        return cls(*FeatureIndex.learn(sentences, templates, min_count))

    def others(self, sentences: Iterable[Sequence[str]]) -> "EncodedSentences":
        """Encode other sentences with the same index; features that are not in the index are dropped."""
        return EncodedSentences(self.index, self.index.encode(sentences))

    def __len__(self) -> int:
        return len(self.features.starts) - 1


def _token_features(starts: np.ndarray, numbers: np.ndarray) -> TokenFeatures:
    """Return the features in a table (templates, N) of feature numbers, with −1 for no feature."""
    numbers = numbers.T
    there = numbers >= 0  # (N, templates)
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.intp)
    return TokenFeatures(starts, indptr, numbers[there])


def check_templates(templates: Sequence[str]) -> tuple[str, ...]:
    """Return templates as a tuple, after checking that there is at least one and that each can be parsed.

    Raises
    ------
    InputError
        If there is no template, a template cannot be parsed, or a template is listed twice.

    Examples
    --------
    >>> check_templates(["word", "lower[-1] lower"])
    ('word', 'lower[-1] lower')
    >>> check_templates(["word", "word"])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: each template counts once, but 'word' is listed twice; leave one out
    """
    if isinstance(templates, str) or not isinstance(templates, Sequence) or not len(templates):
        raise InputError(f"templates must be a list of at least one template, but is {templates!r}")
    for template in templates:
        (_cached_parse_template if isinstance(template, str) else parse_template)(template)
    doubled = [template for i, template in enumerate(templates) if template in templates[:i]]
    if doubled:
        raise InputError(f"each template counts once, but {doubled[0]!r} is listed twice; leave one out")
    return tuple(templates)


class _ExplicitFeatures:
    """The explicit features of the words of some sentences, each as the number of its name in `names`."""

    def __init__(self, sentences: Sequence[Sequence[Any]]):
        numbers: dict[str, int] = {}
        lengths: list[int] = []
        codes, values = array("q"), array("d")
        for word in itertools.chain.from_iterable(sentences):
            features = explicit_features(word)
            lengths.append(len(features))
            codes.extend([numbers.setdefault(name, len(numbers)) for name in features])
            values.extend(features.values())
        self.starts = np.cumsum([0, *map(len, sentences)], dtype=np.intp)
        self.names = list(numbers)
        self.words = np.repeat(np.arange(len(lengths)), lengths)  # (nnz,): the number of the word that has the feature
        self.codes, self.values = np.array(codes, dtype=np.intp), np.array(values)  # (nnz,)

    def numbered(self, number_of_name: np.ndarray) -> TokenFeatures:
        """Return the features with their new numbers, without features whose number is −1."""
        numbers = number_of_name[self.codes]
        order = np.lexsort((numbers, self.words))
        order = order[numbers[order] >= 0]
        indptr = np.searchsorted(self.words[order], np.arange(self.starts[-1] + 1))
        values = self.values[order] if (self.values[order] != 1.0).any() else np.empty(0)
        return TokenFeatures(self.starts, indptr, numbers[order].astype(np.int32), values)


class _EncodedWords:
    """All words of some sentences as one list. Attributes are computed only once for each distinct word."""

    def __init__(self, sentences: Iterable[Sequence[str]]):
        numbers: dict[str, int] = {}
        lengths: list[int] = []
        kinds: list[int] = []
        for sentence in sentences:
            lengths.append(len(sentence))
            kinds.extend(numbers.setdefault(word, len(numbers)) for word in sentence)
        self.starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.intp)])
        self.nr_words = len(kinds)
        # The composed and the decomposed Unicode form of a word have the same features.
        self._vocabulary = [unicodedata.normalize("NFC", word) for word in numbers]
        self._kinds = np.array(kinds, dtype=np.intp)  # (N,)
        self._first = np.repeat(self.starts[:-1], lengths)  # (N,): start of each word's sentence
        self._end = np.repeat(self.starts[1:], lengths)  # (N,): end of each word's sentence
        self._kinds_at: dict[int, np.ndarray] = {}  # offset -> the kind of the word at this offset (N,), −1 for none
        self._values_of: dict[tuple[str, int | None], tuple[np.ndarray, list[str]]] = {}

    def features(self, template: str) -> tuple[np.ndarray, list[str]]:
        """Return the features that a template yields.

        Returns
        -------
        codes : int array (N,)
            The index in ``names`` of each word's feature, −1 for none.
        names : list of str
            Distinct features, possibly including some that no word has.
        """
        parts = [self._values_at_words(part) for part in _cached_parse_template(template)]
        (codes, texts), *others = parts
        for more, values in others:
            codes = np.where((codes < 0) | (more < 0), -1, codes * len(values) + more)
            distinct, codes = np.unique(codes, return_inverse=True)
            firsts, seconds = np.divmod(distinct[distinct >= 0], len(values))
            codes = codes - (len(distinct) - len(firsts))  # keeps −1
            pairs = zip(firsts.tolist(), seconds.tolist(), strict=True)
            texts = [f"{texts[first]}\t{values[second]}" for first, second in pairs]
        return codes, [f"{template}={text}" for text in texts]

    def _values_at_words(self, part: TemplatePart) -> tuple[np.ndarray, list[str]]:
        """Return the value of a part at each word, as a number (N,) or −1 for none, and the strings that the numbers represent."""
        code_of_kind, values = self._attribute_codes(part)
        if part.offset not in self._kinds_at:
            place = np.arange(self.nr_words) + part.offset
            inside = (place >= self._first) & (place < self._end)
            self._kinds_at[part.offset] = np.where(inside, self._kinds[np.where(inside, place, 0)], -1)
        return code_of_kind[self._kinds_at[part.offset]], values

    def _attribute_codes(self, part: TemplatePart) -> tuple[np.ndarray, list[str]]:
        """Return the code of an attribute's value for each distinct word, and the values by code.

        The code is −1 for a word without this attribute. The last code belongs to positions outside the sentence.
        """
        key = part.attribute, part.length
        if key not in self._values_of:
            numbers: dict[str | None, int] = {None: -1}
            codes = [numbers.setdefault(part.value(word), len(numbers) - 1) for word in self._vocabulary]
            codes.append(numbers.setdefault(OUTSIDE, len(numbers) - 1))
            self._values_of[key] = np.array(codes, dtype=np.intp), [value for value in numbers if value is not None]
        return self._values_of[key]


def _renumber_by_first_occurrence(codes: np.ndarray, nr_codes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Renumber codes from 0 to ``nr_codes`` − 1 by first occurrence (−1 stays).

    Return the new codes, the first position of each, and its number of occurrences.
    """
    places = np.flatnonzero(codes >= 0)
    first = np.full(nr_codes, len(codes))
    first[codes[places[::-1]]] = places[::-1]  # if an entry is assigned several times, the last value remains
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    numbers = np.full(nr_codes + 1, -1, dtype=np.intp)
    numbers[order] = np.arange(len(order))
    return numbers[codes], first[order], np.bincount(codes[places], minlength=nr_codes)[order]
