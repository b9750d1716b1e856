"""Any number of synthetic reviews from a seeded generator, made as fast as they can be read: for tests and benchmarks of large corpora.

Unlike in the toy corpus, they are not sentences, but they have the statistics that matter to learners and their speed. Words follow
Zipf's law. About one word in eleven is drawn from the words of the document's class, which other classes also use, but more
rarely. One label in fifty is wrong. Lengths are log-normal. Words have capitals and punctuation, as in prose.

The documents are generated in blocks of a thousand. Each block uses its own raw random numbers, which NumPy guarantees to keep stable.
So the first N documents are the same for every total number, in all versions and on all machines.
"""

import math
from collections.abc import Iterator
from itertools import chain, islice, product
from statistics import NormalDist

import numpy as np

from lxmls_day1.base.checks import check_number
from lxmls_day1.engine.text.tokens import FUNCTION_WORDS

BLOCK = 1000
MAX_CLASSES = 1000
_N_WORDS, _COMMON = 1 << 17, 256  # number of words; number of the most frequent words, which belong to no class
_RANK_BITS, _LENGTH_BITS = 22, 10
_SPREAD = 0.5  # standard deviation of the logarithm of lengths
# Number of class words in 256 words; number of wrong labels in 65,536.
_CLASS_WORDS_PER_256, _WRONG_LABELS_PER_65536 = 24, 1311
# Three bits -> offset of the forms with this capitalization or punctuation.
_FORM_OF = np.array([0, 0, 0, 0, 0, 1, 2, 3]) * _N_WORDS
# Positive and negative words, alternating.
_ADJECTIVES = """
    excellent boring great poor wonderful disappointing good bad solid dull superb useless clever flimsy delightful
    clumsy reliable cheap charming awful brilliant tedious impressive weak beautiful terrible comfortable annoying
    perfect predictable lovely sloppy thoughtful unreliable crisp noisy sturdy confusing fresh shoddy elegant bland
    generous careless precise mediocre flawless lifeless memorable horrible witty crude splendid wobbly graceful
    muddled inspired dreadful first-rate shabby top-notch tiresome rewarding second-rate gorgeous half-baked
    polished pointless spotless ugly heartwarming brittle vivid soulless masterful laughable handsome abysmal
    dazzling hideous
"""
_VOWELS, _CONSONANTS = "aeiou", "bdfgklmnprstvz"


def toy_documents(
    n_documents: int, seed: int = 1, n_classes: int = 2, n_words: int = 80
) -> Iterator[list[tuple[str, str]]]:
    """Generate documents.

    Parameters
    ----------
    n_documents : int
    seed : int
    n_classes : int
        At least 2. Two classes are called negative and positive; more are called ``class-000``, ``class-001``, ….
    n_words : int
        The median length of a document.

    Yields
    ------
    list of (label, text)
        Up to a thousand documents. The first documents do not depend on `n_documents`.

    Examples
    --------
    >>> block, = toy_documents(2)
    >>> [(label, text.split()[:6]) for label, text in block]  # doctest: +NORMALIZE_WHITESPACE
    [('positive', ['faki', 'kabiri.', 'And', 'gorgeous', 'an', 'across']),
     ('negative', ['betafu', 'have', 'Across', 'baboki', 'a', 'bavule,'])]
    """
    n_documents = check_number("documents", n_documents, at_least=0, whole=True)
    seed = check_number("seed", seed, at_least=0, whole=True)
    n_classes = check_number("classes", n_classes, at_least=2, at_most=MAX_CLASSES, whole=True)
    n_words = check_number("words", n_words, at_least=1, at_most=10_000, whole=True)
    labels = ["negative", "positive"] if n_classes == 2 else [f"class-{number:03d}" for number in range(n_classes)]
    forms, rank_of, length_of = _forms(), _ranks(), _lengths(n_words)
    for number in range(math.ceil(n_documents / BLOCK)):
        bits = np.random.PCG64(np.random.SeedSequence((seed, number)))
        drawn = bits.random_raw(BLOCK)
        lengths = length_of[drawn & np.uint64(2**_LENGTH_BITS - 1)]
        written_for = ((drawn >> np.uint64(_LENGTH_BITS)) % np.uint64(n_classes)).astype(np.int64)
        other = ((drawn >> np.uint64(48)) < _WRONG_LABELS_PER_65536).astype(np.int64)
        label_codes = (written_for + other) % n_classes
        words = bits.random_raw(int(lengths.sum()))
        ranks = rank_of[words & np.uint64(2**_RANK_BITS - 1)]
        of_class = (words >> np.uint64(_RANK_BITS)) & np.uint64(255) < _CLASS_WORDS_PER_256
        own = (ranks[of_class] >> 2) * n_classes + np.repeat(written_for, lengths)[of_class]
        ranks[of_class] = _COMMON + own % (_N_WORDS - _COMMON)
        chosen = forms[ranks + _FORM_OF[words >> np.uint64(61)]].tolist()
        ends = np.cumsum(lengths).tolist()
        texts = [" ".join(chosen[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
        block = list(zip([labels[place] for place in label_codes.tolist()], texts, strict=True))
        yield block[: n_documents - number * BLOCK]


def _forms() -> np.ndarray:
    """Return the words by rank, followed by the same words with a capital, with a comma, and with a full stop."""
    syllables = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
    made_up = chain.from_iterable(map("".join, product(syllables, repeat=length)) for length in (2, 3, 4))
    words = dict.fromkeys(chain(sorted(FUNCTION_WORDS), _ADJECTIVES.split()))
    while len(words) < _N_WORDS:
        words.update(dict.fromkeys(islice(made_up, _N_WORDS - len(words))))
    forms = [*words, *map(str.capitalize, words), *(f"{word}," for word in words), *(f"{word}." for word in words)]
    return np.asarray(forms, dtype=object)


def _ranks() -> np.ndarray:
    """Return a table: 22-bit number -> rank of a word, with probability proportional to 1 / (1 + rank)."""
    shares = np.cumsum(1 / np.arange(1, _N_WORDS + 1))
    places = (np.arange(2**_RANK_BITS) + 0.5) / 2**_RANK_BITS
    return np.asarray(np.searchsorted(shares, places * shares[-1]).astype(np.int64))


def _lengths(median: int) -> np.ndarray:
    """Return a table: 10-bit number -> length of a document."""
    normal = NormalDist(math.log(median), _SPREAD)
    places = (np.arange(2**_LENGTH_BITS) + 0.5) / 2**_LENGTH_BITS
    return np.array([max(1, round(math.exp(normal.inv_cdf(place)))) for place in places], dtype=np.intp)
