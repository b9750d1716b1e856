"""The reviews for demonstrations: a real domain if it is available, or else the toy corpus with an explanation."""

from typing import Any, NamedTuple

from lxmls_day1.base.errors import CorpusUnavailable
from lxmls_day1.engine.text.corpora import find_local_corpus, names

TOY = "toy"

#: Initial reviews, each named after its special property.
EXAMPLES = {
    "two sides": (
        "A wonderful start, and the characters are great. But the ending is disappointing, and I was bored long before: "
        "don't waste your money, wait for the paperback."
    ),
    "glowing": (
        "I loved this from the first page. Beautifully written, funny and wise: an excellent read, highly recommended "
        "to everyone."
    ),
    "damning": "Dull, predictable and far too long. I expected more, and got a waste of time. Very disappointed.",
    "irony": "Oh great, another masterpiece! If you cannot sleep, this is the perfect book: it worked every night.",
    "negation": "Not bad. Not boring at all, no problem with the plot, and I did not regret the price.",
}


class Reviews(NamedTuple):
    """A corpus, and a sentence about it for the page."""

    corpus: Any
    sentence: str
    """Empty if the corpus is the requested one."""


def domains() -> list[str]:
    """Return all available names of domains, the toy corpus last."""
    return [name for name in names("sentiment") if name != TOY] + [TOY]


def first_domain() -> str:
    """Return the first domain whose reviews are on this machine: a real one if there is one, else the toy corpus."""
    try:
        return next(filter(find_local_corpus, domains()))
    except CorpusUnavailable:  # there is no home folder, and therefore no cache
        return TOY


def open_reviews(lab: Any, domain: str) -> Reviews:
    """Open a domain of the reviews.

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
            'The book of the lab, under "Read your own labelled text: Real data", says how to get the real ones.',
        )
