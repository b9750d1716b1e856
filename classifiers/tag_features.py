"""What a tagger sees of a word: features drawn from it and its neighbours by templates.

A template is a line of text, such as ``suffix3`` (the last three letters of the word), ``lower[-1]`` (the word before, in
lower case) or ``lower[-1] lower`` (both together, as one feature). `TEMPLATES` lists those that a tagger uses unless it is
given others: to change what it sees is to change a list.

Each template yields at most one feature per word, and a feature is there or not: x is a vector of zeros and ones with a
one per template. Which features there are is decided by the training sentences alone; at other sentences, what was never
seen in training does not count.

References
----------
A. Ratnaparkhi (1996), *A Maximum Entropy Model for Part-of-Speech Tagging*, EMNLP 1996: the kinds of templates.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from lxmls_day1.errors import InputError

#: What `FeatureIndex` uses unless it is given other templates.
TEMPLATES = (
    "word",
    "lower",
    "shape",
    "prefix1",
    "prefix2",
    "prefix3",
    "prefix4",
    "suffix1",
    "suffix2",
    "suffix3",
    "suffix4",
    "lower[-1]",
    "lower[+1]",
    "lower[-2]",
    "lower[+2]",
    "suffix3[-1]",
    "suffix3[+1]",
    "shape[-1]",
    "shape[+1]",
    "lower[-1] lower",
    "lower lower[+1]",
)

#: The value of every attribute at a place before the first or after the last word; no word is empty.
OUTSIDE = ""

_PART = re.compile(r"([a-z_]+?)([1-9][0-9]*)?(?:\[([+-]?[0-9]+)\])?")


# --------------------------------------------------------------------------------------------------- attributes of a word


def word_shape(word: str) -> str:
    """How a word is written: X for a capital letter, x for another, d for a digit, and each run of them once.

    Examples
    --------
    >>> word_shape("McDonald's"), word_shape("3,000"), word_shape("U.S.")
    ("XxXx'x", 'd,d', 'X.X.')
    """
    return "".join(kind for kind, _ in groupby(map(_kind_of_character, word)))


def _kind_of_character(character: str) -> str:
    if character.isdigit():
        return "d"
    if character.isalpha():
        return "X" if character.isupper() else "x"
    return character


def prefix(word: str, length: int) -> str | None:
    """The first letters in lower case; None where there are not more than these."""
    return word[:length].lower() if len(word) > length else None


def suffix(word: str, length: int) -> str | None:
    """The last letters in lower case; None where there are not more than these."""
    return word[-length:].lower() if len(word) > length else None


#: Attributes that a template can name: word -> value.
ATTRIBUTES = {"word": str, "lower": str.lower, "shape": word_shape}

#: Attributes that take a length, as in ``suffix3``: word, length -> value, or None for none.
AFFIXES = {"prefix": prefix, "suffix": suffix}
