"""Texts about a review for the review explorer: its words with their weights, and sentences."""

import math
from collections.abc import Sequence

import numpy as np

from lxmls_day1.demos.review_decisions import MAX_CHARS, Decision, TextChunk, WordCounts
from lxmls_day1.engine.text.documents import shortened_word
from lxmls_day1.engine.text.feature_contributions import margin_contributions

MAX_WORDS_SHOWN = 400  # words of the review that are shown


def strongest_words(decision: Decision, nr_words: int) -> list[tuple[str, float]]:
    """Return the words that most strongly indicate *positive*, then those that indicate *negative*, the strongest last."""
    weights = margin_contributions(decision.explanation.contributions, 0, 1).tolist()
    leads = list(zip(decision.explanation.words, weights, strict=True))
    pros = sorted([item for item in leads if item[1] > 0], key=lambda item: -item[1])[:nr_words]
    cons = sorted([item for item in leads if item[1] < 0], key=lambda item: item[1])[:nr_words]
    return pros + cons[::-1]


def coloured_words(words: Sequence[TextChunk]) -> list[tuple[str, float, str]]:
    """Return the first words of a review, each with a weight from −1 to 1 (relative to the strongest) and an explanation.

    Examples
    --------
    >>> coloured_words([TextChunk("Good", "", 0.5, True), TextChunk("but", " ", -0.25, True), TextChunk("bad", " ", 0.0, True, {0})])
    [('Good', 1.0, '+0.5'), ('but', -0.5, '-0.25'), ('bad', -1.0, 'rules positive out')]
    >>> chunks = [TextChunk("rare", " ", 0.0, True, {1}), TextChunk("odd", " ", 0.5, True, {0, 1})]
    >>> coloured_words([TextChunk("xyzzy", "", 0.0, False), *chunks])
    [('xyzzy', 0.0, 'unknown'), ('rare', 1.0, 'rules negative out'), ('odd', 0.0, 'rules both classes out')]
    """
    visible = words[:MAX_WORDS_SHOWN]
    strongest = max((abs(word.weight) for word in visible), default=0.0) or 1.0
    found = []
    for word in visible:
        weight, title = word.weight / strongest, f"{word.weight:+.3g}" if word.known else "unknown"
        if len(word.rules_out) > 1:
            weight, title = 0.0, "rules both classes out"
        elif word.rules_out:
            weight, title = (-1.0, "rules positive out") if 0 in word.rules_out else (1.0, "rules negative out")
        found.append((shortened_word(word.text), weight, title))
    return found + [("…", 0.0, "")] * (len(words) > MAX_WORDS_SHOWN)


def describe_review(text: str, known: int, nr_words: int) -> str:
    """Return a sentence about a review that is empty, long or has only unknown words; else an empty string."""
    if not text.strip():
        return "Nothing is typed yet, so there is no verdict: intercepts alone only say how often each class came up."
    if not known:
        return "None of this is a word that the classifiers know, so there is no verdict."
    parts = []
    if len(text) > MAX_CHARS:
        parts.append(f"Of {len(text)} characters the first {MAX_CHARS} are read.")
    if nr_words > MAX_WORDS_SHOWN:
        parts.append(f"Shown are the first {MAX_WORDS_SHOWN} of {nr_words} words; all of them count.")
    return " ".join(parts)


def describe_undecided(decision: Decision) -> str:
    """Return a sentence about a decision without a bar: which words rule out each class, so that the intercepts alone decide."""
    why = decision.explanation
    words = [shortened_word(why.words[np.isneginf(why.contributions[:, k]).argmax()]) for k in (0, 1)]
    return (
        f"{decision.label} has no bar: “{words[0]}” was never in a positive review and “{words[1]}” never in a negative one, so both "
        "classes are impossible."
    )


def describe_word(found: WordCounts, alpha: float, decision: Decision | None, accuracy: float) -> str:
    """Return sentences about the effect of smoothing with α on a word, and on the decision and test accuracy of naive Bayes."""
    seen = [f"{count:g} times" if count != 1 else "once" for count in found.counts]
    text = f"“{shortened_word(found.word)}” occurs {seen[0]} in positive and {seen[1]} in negative training reviews. "
    added = float(found.lead(alpha))
    if math.isinf(added):
        text += (
            "Without smoothing (α = 0) the class that has never shown it is impossible, whatever else a review says. "
        )
    else:
        text += f"With α = {alpha:g} an occurrence adds {added:+.2f} to the lead of positive. "
    if decision is not None:
        verdict = f"the review is {decision.decided}" if decision.has_words else "there is no verdict on the review"
        text += f"Naive Bayes with this α: {verdict}, and {accuracy:.1%} of the test reviews are labelled correctly."
    return text


def describe_unknown_word(typed: str) -> str:
    """Return a sentence about a word that is not a feature."""
    return (
        f"“{shortened_word(typed.strip())}” is no feature: the training reviews have it fewer than five times, or never. It counts for "
        "nothing, smoothed or not. Try another word, or a pair of neighbours such as waste_of."
    )
