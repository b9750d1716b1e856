"""Write the toy corpus: a few hundred short product reviews in plain English, made up by a seeded generator.

It stands in for the real reviews on a machine that has neither data nor network, in the same format and with the same
character, in small: words such as "excellent" or "boring" carry weight; every review talks about the same few
products; writers hedge, negate and see the other side ("not boring at all", "to be fair, the battery is excellent"),
so that no bag of words tells the classes apart without error; and many words turn up in a handful of reviews, so that
an estimate which gives an unseen word probability zero goes wrong on new reviews.

A review is a title and a few statements. A statement speaks for the review's label, or, with probability
``P_CONCESSION``, for the other one; in between stand some that say nothing about quality. Words are drawn by Zipf's
law, the r-th of a list with a weight of 1 / r.

``python -m lxmls_day1.engine.text.toy_reviews`` writes the two files of the package anew. Only ``random.Random(seed).random()``
is drawn from, the one stream that Python promises to keep the same in all versions and on all machines.
"""

import random
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from lxmls_day1.engine.text.tokens import count_tokens, processed_line
from lxmls_day1.whole_files import replace_files

LABELS = ("positive", "negative")
NR_REVIEWS = 200
SEED = 1
P_CONCESSION = 0.15
P_OTHER_TITLE = 0.05
FOLDER = Path(__file__).parent / "toy_corpus"


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PRODUCTS = {
    "novel": ("plot", "ending", "characters", "dialogue", "prose", "opening chapter", "narrator", "translation"),
    "cookbook": ("recipes", "photographs", "index", "instructions", "desserts", "binding", "shopping lists"),
    "film": ("acting", "soundtrack", "script", "pacing", "camera work", "final scene", "subtitles", "costumes"),
    "kettle": ("handle", "lid", "spout", "switch", "cable", "heating element", "water gauge"),
    "camera": ("lens", "battery", "screen", "zoom", "menu", "flash", "viewfinder", "memory card"),
    "headset": ("sound", "microphone", "cable", "ear pads", "bass", "volume wheel", "headband"),
    "backpack": ("zips", "straps", "pockets", "fabric", "rain cover", "buckles", "lining"),
    "guitar course": ("exercises", "audio tracks", "chord charts", "songs", "explanations", "pace", "fingering tips"),
}
PLURAL_ASPECTS = frozenset(
    _words("""characters recipes photographs instructions desserts subtitles costumes zips straps pockets buckles
        exercises songs explanations""")
) | {"shopping lists", "ear pads", "audio tracks", "chord charts", "fingering tips"}

ADJECTIVES = {
    "positive": _words("""excellent great wonderful good solid superb clever delightful reliable charming brilliant
        impressive beautiful comfortable perfect lovely thoughtful crisp sturdy fresh elegant generous precise flawless
        memorable witty splendid graceful inspired first-rate top-notch rewarding gorgeous polished spotless
        heartwarming vivid masterful handsome dazzling"""),
    "negative": _words("""boring poor disappointing bad dull useless flimsy clumsy cheap awful tedious weak terrible
        annoying predictable sloppy unreliable noisy confusing shoddy bland careless mediocre lifeless horrible crude
        wobbly muddled dreadful shabby tiresome second-rate half-baked pointless ugly brittle soulless
        laughable abysmal hideous"""),
}
VERDICTS = {
    "positive": (
        "I love it", "I recommend it", "it is worth every penny", "it made me smile", "I would buy it again",
        "it exceeded my hopes", "my whole family enjoys it", "it is a real treat", "I could not ask for more",
        "it works like a charm", "you will not regret it", "it is a keeper", "I am thrilled", "it suits me to a T",
    ),
    "negative": (
        "I want my money back", "I regret buying it", "it is a waste of money", "it tried my patience",
        "I sent it back", "I would not bother", "you had better save your money", "it is a real let-down",
        "it fell apart", "I expected more", "nobody in my family likes it", "I gave up on it", "it now gathers dust",
        "I feel cheated",
    ),
}  # fmt: skip
TITLES = {
    "positive": ("{Good} {product}", "A {good} buy", "Simply {good}", "Highly recommended", "Five stars", "{Good}!"),
    "negative": ("{Bad} {product}", "A {bad} buy", "Simply {bad}", "Avoid this one", "One star", "{Bad}!"),
}
PLAIN_TITLES = (
    "My thoughts on this {product}",
    "About the {aspect}",
    "A review",
    "After {number} weeks",
    "As {person} said",
)
STATEMENTS = (
    "The {aspect} {is} {own}.",
    "The {aspect} {is} {own} and the {second_aspect} {second_is} {second_own}.",
    "{Hedge} the {aspect} {is} {degree} {own}.",
    "What {own_a} {product}!",
    "I found the {aspect} {degree} {own}.",
    "{Verdict}.",
    "{Hedge} {verdict}.",
    "The {aspect} {is} not {opposite} at all.",
    "{Person} called it {own}, and {verdict}.",
    "Never before have I seen such {own_a} {product}.",
    "It looked {opposite} at first, but the {aspect} {is} {own}.",
)
CONCESSIONS = (
    "{Hedge} the {aspect} {is} {degree} {own}.",
    "The {aspect} {is} {own}, though.",
    "Still, the {aspect} {is} {own}, and the {second_aspect} {second_is} {second_own}.",
    "Some may find the {aspect} {own}.",
    "{Person} called it {own}, but I do not agree.",
    "Others wrote: {verdict}.",
    "My {relative} thinks that the {aspect} {is} {own}.",
)
NEUTRAL_STATEMENTS = (
    "I bought this {product} in {year}.",
    "It arrived after {number} days.",
    "I paid {number} dollars for it.",
    "My {relative} uses it on weekends.",
    "I read about it in {place}.",
    "This is my {ordinal} {product}.",
    "{Person} gave it to me for my birthday.",
    "I have used it for {number} weeks now.",
    "It comes in {colour}.",
    "We took it along to {place}.",
)
HEDGES = (
    "to be fair,", "I must say", "in my opinion,", "on the whole,", "I have to admit", "all in all,", "for the price,",
    "I suppose", "as far as I can tell,", "truth be told,", "believe it or not,", "at the end of the day,",
)  # fmt: skip
DEGREES = ("very", "really", "rather", "quite", "a bit", "truly", "surprisingly", "so", "almost too", "utterly")
RELATIVES = ("daughter", "husband", "wife", "son", "brother", "sister", "mother-in-law", "nephew", "aunt", "flatmate")
COLOURS = ("black", "red", "silver", "white", "dark blue", "green", "orange", "turquoise", "purple", "beige")
ORDINALS = ("first", "second", "third", "fourth", "fifth")
PEOPLE = _words("""Maria Ahmed Chen Olga Pedro Amina Lars Yuki Kofi Ines Dmitri Leila Tomas Priya Nuno Freya Mateus
        Zola Bram Salome Idris Petra Anselm Oksana Thabo Beatriz Ravi Solveig Emeka Noor Casper Jacinta
        Milan Odile Rui Wanda""")
PLACES = _words("""Lisbon Porto Coimbra Paris Boston Nairobi Kyoto Prague Lima Oslo Accra Hanoi Tallinn Quito Dakar
        Leeds Bergen Malmo Seville Ghent Turin Cusco Split Basel Gdansk Cork Aveiro Braga Izmir Perth Lagos
        Riga Vilnius Ottawa""")


@dataclass(frozen=True)
class Review:
    """One made-up review: its title, its text and its label (``positive`` or ``negative``)."""

    title: str
    text: str
    label: str


class _Writer:
    """Writes reviews from one stream of random numbers."""

    def __init__(self, seed: int):
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def evenly(self, options: Sequence[str]) -> str:
        return options[int(self._random() * len(options))]

    def by_zipf(self, options: Sequence[str]) -> str:
        """The r-th option with a probability proportional to 1 / r."""
        ends = list(accumulate(1 / rank for rank in range(1, len(options) + 1)))
        return options[min(bisect(ends, self._random() * ends[-1]), len(options) - 1)]

    def fill(self, template: str, product: str, leaning: str) -> str:
        """A template with its slots filled; each slot is drawn anew, whether the template has it or not."""
        other = LABELS[1 - LABELS.index(leaning)]
        aspect = self.by_zipf(PRODUCTS[product])
        second_aspect = self.evenly([candidate for candidate in PRODUCTS[product] if candidate != aspect])
        own, good, bad = (self.by_zipf(ADJECTIVES[which]) for which in (leaning, *LABELS))
        hedge, verdict = self.by_zipf(HEDGES), self.by_zipf(VERDICTS[leaning])
        return template.format(
            product=product,
            aspect=aspect,
            second_aspect=second_aspect,
            **{"is": "are" if aspect in PLURAL_ASPECTS else "is"},
            second_is="are" if second_aspect in PLURAL_ASPECTS else "is",
            own=own,
            own_a=f"{'an' if own[0] in 'aeiou' else 'a'} {own}",
            second_own=self.by_zipf(ADJECTIVES[leaning]),
            opposite=self.by_zipf(ADJECTIVES[other]),
            good=good,
            Good=good.capitalize(),
            bad=bad,
            Bad=bad.capitalize(),
            Hedge=hedge[0].upper() + hedge[1:],
            verdict=verdict,
            Verdict=verdict[0].upper() + verdict[1:],
            degree=self.by_zipf(DEGREES),
            Person=self.by_zipf(PEOPLE),
            person=self.by_zipf(PEOPLE),
            place=self.by_zipf(PLACES),
            relative=self.by_zipf(RELATIVES),
            colour=self.by_zipf(COLOURS),
            ordinal=self.by_zipf(ORDINALS),
            number=2 + int(self._random() * 58),
            year=1995 + int(self._random() * 12),
        )

    def review(self, label: str) -> Review:
        other = LABELS[1 - LABELS.index(label)]
        product = self.evenly(tuple(PRODUCTS))
        titles = PLAIN_TITLES if self.chance(0.5) else TITLES[other if self.chance(P_OTHER_TITLE) else label]
        title = self.fill(self.evenly(titles), product, label)
        sentences = []
        for _ in range(3 + int(self._random() * 3)):
            if self.chance(P_CONCESSION):
                sentences.append(self.fill(self.evenly(CONCESSIONS), product, other))
            else:
                sentences.append(self.fill(self.evenly(STATEMENTS), product, label))
            if self.chance(0.3):
                sentences.append(self.fill(self.evenly(NEUTRAL_STATEMENTS), product, label))
        return Review(title, " ".join(sentences), label)


def write_reviews(nr_reviews: int = NR_REVIEWS, seed: int = SEED) -> dict[str, list[Review]]:
    """Make up reviews.

    Parameters
    ----------
    nr_reviews : int
        How many of each label.
    seed : int
        The same seed gives the same reviews, everywhere.

    Returns
    -------
    dict
        Label -> reviews. The i-th reviews of both labels stay the same, however many are asked for.

    Examples
    --------
    >>> reviews = write_reviews(nr_reviews=2)
    >>> [review.label for review in reviews["negative"]]
    ['negative', 'negative']
    """
    writer = _Writer(seed)
    reviews: dict[str, list[Review]] = {label: [] for label in LABELS}
    for _ in range(nr_reviews):
        for label in LABELS:
            reviews[label].append(writer.review(label))
    return reviews


def corpus_files(nr_reviews: int = NR_REVIEWS, seed: int = SEED) -> dict[str, bytes]:
    """The toy corpus as files of the published format.

    Parameters
    ----------
    nr_reviews, seed
        As for `write_reviews`.

    Returns
    -------
    dict
        File name -> content, UTF-8 with a line feed after each review.

    Examples
    --------
    >>> sorted(corpus_files(nr_reviews=1))
    ['negative.review', 'positive.review']
    """
    return {
        f"{label}.review": "".join(
            processed_line(count_tokens(review.title, review.text), label) + "\n" for review in reviews
        ).encode()
        for label, reviews in write_reviews(nr_reviews, seed).items()
    }


def main(folder: Path = FOLDER) -> None:
    """Write the files of the package anew."""
    replace_files({folder / name: content for name, content in corpus_files().items()})


if __name__ == "__main__":
    main()
