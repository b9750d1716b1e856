"""Text -> tokens: the words and word pairs that the review corpora count.

A review is a bag of *unigrams* and *bigrams*, ``great`` and ``great_book``. The published corpus (Blitzer et al.
2007) describes neither its tokenizer nor its list of function words. The rules here were inferred from the corpus. They
reproduce, count by count, the published lines of the reviews against whose text they were checked:

* lower case, Unicode normal form C; white space and commas separate words, colons are removed;
* a word of letters may be in any script: combining marks and zero-width joiners belong to the letter before them, as in
  the word segmentation of UAX 29;
* punctuation after a word of letters is removed, and so is a bracket before it (``novel.`` -> ``novel``); a word with anything
  else inside, in quotes or with punctuation on both sides stays whole (``u.s.``, ``don't.``, ``"fanatic"``, ``(pp.``);
* numbers become ``<num>``, years ``<year>``, ``1/2`` ``<fraction>``, ``10-20`` ``<dash-num>``; ``20th`` and ``$20``
  stay;
* a function word is not a unigram, and two function words are not a bigram (``the_book`` counts, ``of_the`` does not);
* a dash or other isolated mark leaves an empty word, which ends the bigram before it: ``grasp -`` gives ``grasp_``.

One difference is intended: the corpus dropped line ends and so joined words (``again.a``); here line ends separate
words.

References
----------
J. Blitzer, M. Dredze, F. Pereira (2007), *Biographies, Bollywood, Boom-boxes and Blenders: Domain Adaptation for
Sentiment Classification*, ACL 2007.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import compress

from lxmls_day1.base.errors import InputError

_FUNCTION_WORDS = """
    a across am an and any are as at be been being but by can could did do does each for from had has have in into is
    isn't it it'd it'll it's its of on or that that's thats the there there's theres these this those to under until up
    were will with would
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that the corpus never counts on their own: in three domains they occur inside bigrams only."""

_THOUSANDS = re.compile(r"(?<![\w.,])(\d{1,3})((?:,\d{3})+)(?![\w,])")
_COMMA_AND_DIGITS = re.compile(r",\d{3}")
_LETTERS = re.compile(r"\(?([^\W\d_]+)|([^\W\d_]+)[^\w\s]*")
_NUMBER = re.compile(r"[\"(]?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)[^\w\s%$]*", re.ASCII)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d", re.ASCII)
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_FRACTION = re.compile(r"\d+/\d+", re.ASCII)
_RANGE = re.compile(r"\d+-\d+", re.ASCII)


@lru_cache(maxsize=2**16)  # Most words of a text are common.
def normalise_word(word: str) -> str:
    """Return the form in which one word of a text is counted.

    Parameters
    ----------
    word : str
        A word between two gaps, with the punctuation attached to it.

    Returns
    -------
    str
        The word in the corpus's form; empty if the word has only punctuation.

    Examples
    --------
    >>> [normalise_word(word) for word in ["Novel.", "Don't", "(In", "refrigerator!)", "-"]]
    ['novel', "don't", 'in', 'refrigerator', '']
    >>> [normalise_word(word) for word in ["1000", "1984.", "1/2", "10-20", "20th", "$20"]]
    ['<num>', '<year>', '<fraction>', '<dash-num>', '20th', '$20']
    """
    if word.isascii():
        shape = word = word.lower().replace(":", "")
    else:  # The patterns of `re` do not match combining marks, so `shape` has a letter for each mark.
        word = lower_case(word.replace(":", ""))
        shape = _with_letters_for_marks(word)
    if not any(character.isalnum() for character in shape):
        return ""
    if match := _LETTERS.fullmatch(shape):
        start, end = match.span(match.lastindex or 0)
        return word[start:end]
    if match := _NUMBER.fullmatch(shape):
        return "<year>" if _YEAR.fullmatch(match[1] or match[2]) else "<num>"
    if _FRACTION.fullmatch(word):
        return "<fraction>"
    if _RANGE.fullmatch(word):
        return "<dash-num>"
    return word


def lower_case(text: str) -> str:
    """Return a text in lower case and in Unicode's normal form C, so that different spellings of a text give the same result.

    Examples
    --------
    >>> lower_case("CAFE\\N{COMBINING ACUTE ACCENT}") == lower_case("Caf\\N{LATIN SMALL LETTER E WITH ACUTE}")
    True
    """
    if text.isascii():
        return text.lower()
    # The second normalization is for capitals whose lower-case letter and accent form one character.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())


def _with_letters_for_marks(word: str) -> str:
    """Return a word with a letter in place of each mark or joiner that belongs to a letter, a digit, or no character at all."""
    shape: list[str] = []
    for character in word:
        is_mark = character in _JOINERS or unicodedata.category(character)[0] == "M"
        shape.append("a" if is_mark and (not shape or shape[-1].isalnum()) else character)
    return "".join(shape)


def written_words(text: str) -> list[str]:
    """Return the words of a text as written, with the punctuation attached to them: the input of `normalise_word`.

    Raises
    ------
    InputError
        If the argument is not a string.

    Examples
    --------
    >>> written_words("I paid 1,250 for it,\\nin 1999 - ...")
    ['I', 'paid', '1250', 'for', 'it', 'in', '1999', '-', '...']
    """
    if not isinstance(text, str):
        raise InputError(f"a text must be a string, but is {text!r}")
    if "," not in text:
        return text.split()
    return without_thousands_marks(text).replace(",", " ").split()


def without_thousands_marks(text: str) -> str:
    """Remove the commas between the thousands of numbers.

    Examples
    --------
    >>> without_thousands_marks("1,250 or 1,25, and 1,000,000.")
    '1250 or 1,25, and 1000000.'
    """
    if not _COMMA_AND_DIGITS.search(text):  # This search is fast because the pattern begins with a fixed character.
        return text
    text = unicodedata.normalize("NFC", text)  # A combining mark may precede the number.
    return _THOUSANDS.sub(lambda match: match[1] + match[2].replace(",", ""), text)


def split_words(text: str) -> list[str]:
    """Return the normalised words of a text, in order; an isolated mark such as a dash gives an empty word.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str

    Examples
    --------
    >>> split_words("I paid 1,250 for it, in 1999 - and yet:\\nit BROKE.")
    ['i', 'paid', '<num>', 'for', 'it', 'in', '<year>', '', 'and', 'yet', 'it', 'broke']
    """
    return [normalise_word(word) for word in written_words(text)]


def unigrams_and_bigrams(words: Iterable[str]) -> list[str]:
    """Return the tokens of a sequence of normalised words: first the unigrams, then the bigrams, each in order.

    Parameters
    ----------
    words : iterable of str
        Normalised words, as returned by `split_words`.

    Returns
    -------
    list of str
        Unigrams ``a`` that are not function words; bigrams ``a_b`` of neighbours that are not both function words.

    Examples
    --------
    >>> unigrams_and_bigrams(["one", "of", "the", "best", "novels"])
    ['one', 'best', 'novels', 'one_of', 'the_best', 'best_novels']
    """
    words = list(words)
    alone = [bool(word) and word not in FUNCTION_WORDS for word in words]
    neighbours = zip(words, words[1:], alone, alone[1:], strict=False)
    bigrams = [f"{first}_{second}" for first, second, one, other in neighbours if first and (one or other)]
    return list(compress(words, alone)) + bigrams


def count_tokens(*texts: str) -> dict[str, int]:
    """Return the number of occurrences of each token in a review: the representation of a text for a classifier.

    Parameters
    ----------
    *texts : str
        The parts of one review, such as title and body. Bigrams do not cross from one part into the next.

    Returns
    -------
    dict of str to int
        Token -> count, in the order of first occurrence.

    Examples
    --------
    >>> count_tokens("Great!", "A great book. A GREAT book!")
    {'great': 3, 'book': 2, 'a_great': 2, 'great_book': 2, 'book_a': 1}
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(unigrams_and_bigrams(split_words(text)))
    return dict(counts)
