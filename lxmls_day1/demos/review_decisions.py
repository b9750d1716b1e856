"""The decision of every classifier on one review, and the contributions of its words; `review_explorer` shows them.

All numbers are leads of the first class over the second, of *positive* over *negative*:

    s_positive − s_negative = (b_positive − b_negative) + Σ_j n_j(x) (w_j,positive − w_j,negative)

so all classifiers use the same quantity, and the sign of a word does not depend on the decision. A word of the text
occurs in several tokens: it may be a unigram, and it is half of each bigram with a neighbour. The contribution of a bigram is
shared equally by its two words. So the contributions of the words sum exactly to the lead of all tokens.
"""

import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.demos.lab_learners import COUNT_LEARNERS, GENERAL_LEARNERS, FailureCollector, train_quietly
from lxmls_day1.engine.text.feature_contributions import Explanation, explain, margin_contributions
from lxmls_day1.engine.text.tokens import count_tokens, split_words, unigrams_and_bigrams

MAX_CHARS = 200_000  # characters of a text; the rest is ignored
_CHUNK = re.compile(r"\S+")


class TrainedClassifier(NamedTuple):
    """A classifier trained on a corpus."""

    label: str
    classifier: Any
    params: np.ndarray
    accuracy: float  # on the test split


class Decision(NamedTuple):
    """The decision of one classifier on one review.

    Attributes
    ----------
    label : str
        The label of the classifier.
    decided : str
        The predicted class.
    lead : float
        The lead of *positive*; infinite if a word rules out a class.
    intercept, pros, cons : float
        The components of the lead: from the intercepts, from all words for *positive* (≥ 0), and from all words against it (≤ 0).
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
        """The sum of all absolute contributions, from words and intercepts."""
        return self.pros - self.cons + abs(self.intercept)

    @property
    def has_words(self) -> bool:
        """True if at least one word contributes; otherwise there cannot be a verdict."""
        return self.pros != 0 or self.cons != 0

    @property
    def share(self) -> float:
        """The lead as a fraction of all contributions, from −1 (all against) to 1, so that classifiers can be compared.

        It is 0 if no word contributes, because intercepts alone only reflect how often a class occurs, and nothing of the review.
        """
        if not self.has_words:
            return 0.0
        if math.isinf(self.total):  # a word rules out a class, or words rule out both, so that the intercepts decided
            return math.copysign(1.0, self.lead) if self.lead else 0.0
        return self.lead / self.total


class TextChunk(NamedTuple):
    """A chunk of the text between white space, and its contribution to the lead of *positive*.

    Attributes
    ----------
    text : str
        The chunk as written in the review.
    gap : str
        The white space before it.
    weight : float
        The finite part of the contribution; see `rules_out` for the infinite part.
    known : bool
        True if any token of the chunk is a feature.
    rules_out : frozenset of int
        The classes that one of its tokens makes impossible.
    """

    text: str
    gap: str
    weight: float
    known: bool
    rules_out: frozenset[int] = frozenset()


def train_all(lab: Any, corpus: Any, attempts: FailureCollector) -> Iterator[TrainedClassifier]:
    """Train every classifier on the training split of the reviews, and yield those that succeed."""
    for learner in COUNT_LEARNERS + GENERAL_LEARNERS:
        with attempts(learner.label):
            classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
            yield train_and_test(learner.label, classifier, corpus)


def train_and_test(label: str, classifier: Any, corpus: Any) -> TrainedClassifier:
    """Train a classifier on the corpus's training reviews, and measure its accuracy on the test reviews."""
    params = train_quietly(classifier, corpus.train_X, corpus.train_y)
    scores = classifier.get_scores(classifier.add_intercept_term(corpus.test_X), params)
    return TrainedClassifier(label, classifier, params, float(np.mean(np.argmax(scores, axis=1) == corpus.test_y)))


def count_typed_tokens(text: str) -> dict[str, int]:
    """Count the tokens of a typed review, up to `MAX_CHARS` characters."""
    return count_tokens(text[:MAX_CHARS])


def decide(lab: Any, corpus: Any, model: TrainedClassifier, counts: Mapping[str, int]) -> Decision:
    """Return the decision of one classifier on one review.

    Parameters
    ----------
    lab, corpus
    model : TrainedClassifier
    counts : mapping of str to int
        The result of `count_typed_tokens`.

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
    leads = margin_contributions(explanation.contributions, 0, 1)
    return Decision(
        label=model.label,
        decided=explanation.class_names[explanation.predicted],
        lead=0.0 if math.isnan(ahead) else ahead,
        intercept=float(explanation.intercepts[0] - explanation.intercepts[1]),
        pros=float(leads[leads > 0].sum()),
        cons=float(leads[leads < 0].sum()),
        explanation=explanation,
    )


def text_chunks(text: str, decision: Decision) -> list[TextChunk]:
    """Split a text into chunks, each with its contribution to the lead of *positive*.

    Parameters
    ----------
    text : str
    decision : Decision
        The decision on this text.

    Returns
    -------
    list of Word
        The joined gaps and texts are the review up to its last word. The weights sum to ``pros + cons`` if these are
        finite.
    """
    each = decision.explanation.contributions / decision.explanation.counts[:, None]  # (n, K), per occurrence
    weight_of = {
        word: (float(weight) if math.isfinite(weight) else 0.0, frozenset(np.flatnonzero(np.isneginf(row)).tolist()))
        for word, weight, row in zip(decision.explanation.words, margin_contributions(each, 0, 1), each, strict=True)
    }
    found = list(_CHUNK.finditer(text[:MAX_CHARS]))
    words = [(word, number) for number, match in enumerate(found) for word in split_words(match[0])]
    unigrams = {word: unigrams_and_bigrams([word]) for word in {word for word, _ in words}}
    # Each token, and the chunks that share its weight.
    shared: list[tuple[str, tuple[int, ...]]] = [
        (token, (number,)) for word, number in words for token in unigrams[word]
    ]
    for (first, one), (second, other) in pairwise(words):
        bigrams = unigrams_and_bigrams([first, second])[len(unigrams[first]) + len(unigrams[second]) :]
        shared += [(token, (one, other)) for token in bigrams]
    weights, known = [0.0] * len(found), [False] * len(found)
    rules_out: list[frozenset[int]] = [frozenset()] * len(found)
    for token, numbers in shared:
        if token in weight_of:
            weight, ruled_out = weight_of[token]
            for number in numbers:
                weights[number] += weight / len(numbers)
                known[number] = True
                rules_out[number] |= ruled_out
    ends = [0, *(match.end() for match in found)]
    return [
        TextChunk(match[0], text[end : match.start()], weight, is_known, ruled_out)
        for match, end, weight, is_known, ruled_out in zip(found, ends, weights, known, rules_out, strict=False)
    ]


def most_indicative_words(
    model: TrainedClassifier, corpus: Any, nr_words: int
) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Return the words of a domain that most strongly indicate either class for a linear classifier.

    Parameters
    ----------
    model : TrainedClassifier
    corpus
    nr_words : int
        The number of words for each class.

    Returns
    -------
    positive, negative : lists of (word, contribution of one occurrence to the lead of *positive*)
        The strongest first. Words with equal weights, such as infinite ones without smoothing, are ordered by frequency.
    """
    weights = margin_contributions(model.params[1 : len(corpus.feature_names) + 1], 0, 1)  # (J,)
    counts = np.array([corpus.feat_counts[name] for name in corpus.feature_names], dtype=float)
    order = np.lexsort((-counts, -weights))
    positive = [(corpus.feature_names[j], float(weights[j])) for j in order[:nr_words] if weights[j] > 0]
    order = np.lexsort((-counts, weights))
    negative = [(corpus.feature_names[j], float(weights[j])) for j in order[:nr_words] if weights[j] < 0]
    return positive, negative


class WordCounts(NamedTuple):
    """The counts of a word in each class of the training reviews, from which smoothed probabilities are computed.

    Attributes
    ----------
    word : str
    counts : array (K,)
    totals : array (K,)
        The counts of all words of each class together.
    nr_words : int
        J, the number of words in the vocabulary.
    """

    word: str
    counts: np.ndarray
    totals: np.ndarray
    nr_words: int

    def probabilities(self, alpha: ArrayLike) -> np.ndarray:
        """Return p(w | c) = (α + n_c) / (α J + N_c) for each α and class, (…, K)."""
        each = np.asarray(alpha, dtype=float)[..., None]
        return np.asarray((each + self.counts) / (each * self.nr_words + self.totals))

    def lead(self, alpha: ArrayLike) -> np.ndarray:
        """Return log p(w | positive) − log p(w | negative), the contribution of one occurrence; infinite for α = 0 and an unseen word."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self.probabilities(alpha))
            return np.asarray(logs[..., 0] - logs[..., 1])


def word_counts(corpus: Any, word: str) -> WordCounts | None:
    """Return the counts of a word in each class of the training split, or None if the word is not a feature.

    Parameters
    ----------
    corpus
    word : str
        A token of the corpus, such as ``great`` or ``great_book``, or typed text such as ``Great book``.
    """
    token = token_of(corpus, word)
    if token is None:
        return None
    counts, totals = _by_class(corpus)
    return WordCounts(token, counts[:, corpus.feat_dict[token]], totals, len(corpus.feature_names))


def token_of(corpus: Any, typed: str) -> str | None:
    """Return the feature for one or two typed words, or None if it does not exist."""
    candidates = [typed.strip(), "_".join(split_words(typed[:200]))]
    return next((token for token in candidates if token in corpus.feat_dict), None)


def one_sided_word(corpus: Any) -> str:
    """Return the most frequent word of positive reviews that never occurs in negative ones in training, and therefore needs smoothing.

    If there is none, return an empty string.
    """
    (positive, negative), _ = _by_class(corpus)
    only = np.where(negative == 0, positive, 0)
    most_frequent = int(only.argmax())
    return corpus.feature_names[most_frequent] if only[most_frequent] else ""


def _by_class(corpus: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the count of each word in each class, (K, J), and the number of words in each class, (K,)."""
    counts = np.array([corpus.train_X[corpus.train_y == label].sum(axis=0) for label in (0, 1)])
    return counts, counts.sum(axis=1)
