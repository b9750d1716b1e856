"""What every classifier makes of one review, and which of its words made it: computed, for `review_explorer` to show.

Everything is told as the lead of the first class over the second, *positive* over *negative*:

    s_positive − s_negative = (b_positive − b_negative) + Σ_j n_j(x) (w_j,positive − w_j,negative)

so that all classifiers speak of the same thing, and a word has the same sign whatever was decided. A word of the text
stands in several tokens: it may be a unigram, and it is half of each bigram with a neighbour. What a bigram adds is
shared equally by its two words. So the words of a text sum to the lead of all tokens, without remainder.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.demos.lab_learners import EVERYWHERE, FOR_COUNTS, Attempts, trained
from lxmls_day1.engine.text.feature_contributions import Explanation, explain, lead
from lxmls_day1.engine.text.tokens import count_tokens, split_words, unigrams_and_bigrams

MOST_CHARACTERS = 200_000  # of a text that is read
_CHUNK = re.compile(r"\S+")


@dataclass(frozen=True)
class Trained:
    """A classifier that knows a corpus."""

    label: str
    classifier: Any
    params: np.ndarray
    accuracy: float  # on the test part


@dataclass(frozen=True)
class Decision:
    """What one classifier says about one review.

    Attributes
    ----------
    label : str
        The classifier's.
    decided : str
        The class that it chose.
    lead : float
        How far *positive* is ahead; infinite where a word rules a class out.
    intercept, pros, cons : float
        Its parts: of the intercepts, of all words that speak for *positive* (≥ 0), and of those against it (≤ 0).
    explanation : Explanation
    """

    label: str
    decided: str
    lead: float
    intercept: float
    pros: float
    cons: float
    explanation: Explanation

    @property
    def total(self) -> float:
        """All that speaks for and against: of the words and the intercepts."""
        return self.pros - self.cons + abs(self.intercept)

    @property
    def has_words(self) -> bool:
        """Whether a word was heard at all; otherwise there is nothing to have a verdict on."""
        return bool(len(self.explanation.words)) and (self.pros != 0 or self.cons != 0)

    @property
    def share(self) -> float:
        """The lead as a share of all that speaks, from −1 (everything against) to 1: one scale for all classifiers.

        0 where no word was heard: intercepts alone say how often a class came up, and nothing of the review.
        """
        if not self.has_words:
            return 0.0
        if math.isinf(self.lead):
            return math.copysign(1.0, self.lead)
        total = self.total
        if math.isinf(total) or total == 0:  # words that rule out both classes: the intercepts decided
            return math.copysign(1.0, self.lead) if self.lead and math.isinf(total) else 0.0
        return self.lead / total


@dataclass(frozen=True)
class Word:
    """A piece of the text between two gaps, and what it adds to the lead of *positive*.

    Attributes
    ----------
    text : str
        As it stands in the review.
    gap : str
        The white space before it.
    weight : float
        Finite; what rules a class out is kept apart.
    known : bool
        Whether any token of it is a feature.
    rules_out : frozenset of int
        The classes that are impossible for one of its tokens.
    """

    text: str
    gap: str
    weight: float
    known: bool
    rules_out: frozenset[int] = field(default=frozenset())


def train_all(lab: Any, corpus: Any, attempts: Attempts) -> Iterator[Trained]:
    """Train every classifier on the training part of the reviews, but for those that fail or are still to be written."""
    for learner in FOR_COUNTS + EVERYWHERE:
        with attempts(learner.label):
            classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
            params = trained(classifier, corpus.train_X, corpus.train_y)
            yield Trained(learner.label, classifier, params, accuracy(classifier, params, corpus))


def accuracy(classifier: Any, params: np.ndarray, corpus: Any) -> float:
    """The share of the corpus's test reviews that are labelled rightly."""
    scores = classifier.get_scores(classifier.add_intercept_term(corpus.test_X), params)
    return float(np.mean(np.argmax(scores, axis=1) == corpus.test_y))


def read(text: str) -> dict[str, int]:
    """The tokens of a review that somebody has typed, with their counts; what is beyond all measure is not read."""
    return count_tokens(text[:MOST_CHARACTERS])


def decide(lab: Any, corpus: Any, model: Trained, counts: Mapping[str, int]) -> Decision:
    """One classifier on one review.

    Parameters
    ----------
    lab, corpus
    model : Trained
    counts : mapping of str to int
        As `read` gives them.

    Returns
    -------
    Decision
    """
    x = lab.function("readers.vocabulary", "vectorise", [counts], corpus.feat_dict)
    unknown = {token: count for token, count in counts.items() if token not in corpus.feat_dict}
    explanation = explain(model.classifier, model.params, x, corpus.feature_names, corpus.label_names, unknown)
    positive, negative = explanation.scores[:2]
    with np.errstate(invalid="ignore"):
        ahead = float(positive - negative)
    leads = lead(explanation.contributions, 0, 1)
    return Decision(
        label=model.label,
        decided=explanation.class_names[explanation.predicted],
        lead=0.0 if math.isnan(ahead) else ahead,
        intercept=float(explanation.intercepts[0] - explanation.intercepts[1]),
        pros=float(leads[leads > 0].sum()),
        cons=float(leads[leads < 0].sum()),
        explanation=explanation,
    )


def words_of(text: str, decision: Decision) -> list[Word]:
    """The text, piece by piece, with what each adds to the lead of *positive*.

    Parameters
    ----------
    text : str
    decision : Decision
        About this very text.

    Returns
    -------
    list of Word
        Gaps and texts joined give the review up to its last word. The weights sum to ``pros + cons`` where these are
        finite.
    """
    each = decision.explanation.contributions / decision.explanation.counts[:, None]  # (n, K), of one occurrence
    weight_of = {
        word: (float(weight) if math.isfinite(weight) else 0.0, frozenset(np.flatnonzero(np.isneginf(row)).tolist()))
        for word, weight, row in zip(decision.explanation.words, lead(each, 0, 1), each, strict=True)
    }
    found = list(_CHUNK.finditer(text[:MOST_CHARACTERS]))
    normalised, chunk_of = [], []
    for number, match in enumerate(found):
        parts = split_words(match[0])
        normalised += parts
        chunk_of += [number] * len(parts)
    weights, known = [0.0] * len(found), [False] * len(found)
    rules_out: list[frozenset[int]] = [frozenset()] * len(found)

    def give(token: str, *receivers: int) -> None:
        if token in weight_of:
            weight, ruled_out = weight_of[token]
            for number in receivers:
                weights[number] += weight / len(receivers)
                known[number] = True
                rules_out[number] |= ruled_out

    unigrams = {word: unigrams_and_bigrams([word]) for word in set(normalised)}
    for word, number in zip(normalised, chunk_of, strict=True):
        for token in unigrams[word]:
            give(token, number)
    for pair, numbers in zip(pairwise(normalised), pairwise(chunk_of), strict=True):
        for token in unigrams_and_bigrams(pair)[len(unigrams[pair[0]]) + len(unigrams[pair[1]]) :]:
            give(token, *numbers)
    ends = [0, *(match.end() for match in found)]
    return [
        Word(match[0], text[end : match.start()], weight, is_known, ruled_out)
        for match, end, weight, is_known, ruled_out in zip(found, ends, weights, known, rules_out, strict=False)
    ]


def most_telling(model: Trained, corpus: Any, nr_words: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """The words of a domain that a linear classifier takes for the clearest signs of either class.

    Parameters
    ----------
    model : Trained
    corpus
    nr_words : int
        Of each class.

    Returns
    -------
    positive, negative : lists of (word, what one occurrence adds to the lead of *positive*)
        The strongest first. For an unsmoothed classifier, of the words that rule out a class those that occur most.
    """
    weights = lead(model.params[1 : len(corpus.feature_names) + 1], 0, 1)  # (J,)
    counts = np.array([corpus.feat_counts[name] for name in corpus.feature_names], dtype=float)
    order = np.lexsort((-counts, -weights))
    positive = [(corpus.feature_names[j], float(weights[j])) for j in order[:nr_words] if weights[j] > 0]
    order = np.lexsort((-counts, weights))
    negative = [(corpus.feature_names[j], float(weights[j])) for j in order[:nr_words] if weights[j] < 0]
    return positive, negative


@dataclass(frozen=True)
class WordCounts:
    """How often a class shows a word in the training reviews, and what smoothing makes of it.

    Attributes
    ----------
    word : str
    counts : array (K,)
    totals : array (K,)
        Of all words of the class.
    nr_words : int
        J, how many words there are.
    """

    word: str
    counts: np.ndarray
    totals: np.ndarray
    nr_words: int

    def probabilities(self, alpha: ArrayLike) -> np.ndarray:
        """p(w | c) = (α + n_c) / (α J + N_c) for each α and class, (…, K)."""
        each = np.asarray(alpha, dtype=float)[..., None]
        return np.asarray((each + self.counts) / (each * self.nr_words + self.totals))

    def lead(self, alpha: ArrayLike) -> np.ndarray:
        """log p(w | positive) − log p(w | negative): what an occurrence adds; infinite for α = 0 and an unseen word."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self.probabilities(alpha))
            return np.asarray(logs[..., 0] - logs[..., 1])


def word_counts(corpus: Any, word: str) -> WordCounts | None:
    """How often each class shows a word in training; None for a word that is no feature.

    Parameters
    ----------
    corpus
    word : str
        A token as the corpus has it, ``great`` or ``great_book``; as it is typed it will do too.
    """
    token = token_of(corpus, word)
    if token is None:
        return None
    counts, totals = _by_class(corpus)
    return WordCounts(token, counts[:, corpus.feat_dict[token]], totals, len(corpus.feature_names))


def token_of(corpus: Any, typed: str) -> str | None:
    """The feature that somebody means who types a word or two; None if there is no such feature."""
    candidates = [typed.strip(), "_".join(split_words(typed[:200]))]
    return next((token for token in candidates if token in corpus.feat_dict), None)


def one_sided_words(corpus: Any, nr_words: int = 12) -> list[str]:
    """The most frequent words of either class that the other never shows in training: those that need smoothing."""
    counts, _ = _by_class(corpus)
    chosen = []
    for seen, unseen in ((0, 1), (1, 0)):
        only = np.where(counts[unseen] == 0, counts[seen], 0)
        chosen.append(
            [corpus.feature_names[j] for j in np.argsort(-only, kind="stable")[: nr_words // 2] if only[j] > 0]
        )
    return [word for pair in zip(*chosen, strict=False) for word in pair]


def _by_class(corpus: Any) -> tuple[np.ndarray, np.ndarray]:
    """How often each class shows each word, (K, J), and how many words it has, (K,)."""
    counts = np.array([corpus.train_X[corpus.train_y == label].sum(axis=0) for label in (0, 1)])
    return counts, counts.sum(axis=1)
