"""The reviews that demonstrations use: a real domain where it is at hand, else the toy corpus, and a sentence says so."""

from typing import Any, NamedTuple

from lxmls_day1.errors import CorpusUnavailable
from lxmls_day1.text.corpora import names

TOY = "toy"


class Reviews(NamedTuple):
    """A corpus, and what the page has to say about it."""

    corpus: Any
    sentence: str
    """Empty if it is the one that was asked for."""


def domains() -> list[str]:
    """All domains that can be asked for, the toy corpus last."""
    return [name for name in names("sentiment") if name != TOY] + [TOY]


def open_reviews(lab: Any, domain: str) -> Reviews:
    """A domain of the reviews.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
    domain : str

    Returns
    -------
    Reviews

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> toy = open_reviews(Lab.open(), "toy")
    >>> toy.corpus.get_name(), toy.sentence
    ('Toy reviews', '')
    """
    try:
        return Reviews(lab.reader("sentiment_reader", "SentimentCorpus", domain=domain), "")
    except CorpusUnavailable:
        toy = lab.reader("sentiment_reader", "SentimentCorpus", domain=TOY)
        return Reviews(
            toy,
            f"The real {domain} reviews are not on this machine: this is the toy corpus, a few hundred made-up reviews. "
            'The README, under "Real data", says how to get the real ones.',
        )
