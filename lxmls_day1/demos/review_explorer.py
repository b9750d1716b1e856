"""The review explorer: type a review, and see the decision of every classifier and the words that caused it.

There are three views of the same classifiers:

- the decision on the current review and the words that caused it;
- the words that most strongly indicate a class in the domain;
- the effect of smoothing on a word that never occurs in one class.

Typed text is only data. Only the beginning of a very long review is shown.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lxmls_day1.base.errors import pluralize
from lxmls_day1.demos import review_decisions as reading
from lxmls_day1.demos import review_text as say
from lxmls_day1.demos import scene as draw
from lxmls_day1.demos.controls import Choice, Slider, Suggestion, Text
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import COUNT_LEARNERS, GENERAL_LEARNERS, FailureCollector
from lxmls_day1.demos.reviews import EXAMPLES, TOY, Reviews, domains, first_domain, open_reviews
from lxmls_day1.engine.text.documents import shortened_word

SMOOTHED = COUNT_LEARNERS[0].label
LABELS = [learner.label for learner in COUNT_LEARNERS + GENERAL_LEARNERS]
_VERDICTS: dict[str, tuple[str, draw.Colour]] = {"positive": ("+", draw.CLASSES[0]), "negative": ("−", draw.CLASSES[1])}
_NO_VERDICT = ("?", draw.MUTED)
_UNTRAINED = "No classifier is trained. "
_OF_TELLING = (
    "These words speak most clearly for either class: each bar is what one occurrence adds, in whatever review it is. "
    "Some of them are opinions; others are names and topics that happened to occur in reviews of one class."
)
_OF_SMOOTHING = (
    "A word that one class has never shown would be impossible there. Smoothing adds α to every count: the larger α, the closer are the "
    "word's probabilities in both classes, and the less it says."
)
_MAX_BARS = {"review": 8, "telling": 12}  # for each class
_MAX_BAR_LABEL_CHARS = 22  # characters of a word next to a bar
_ALPHAS = np.geomspace(1e-3, 100, 61)  # values of α at which the curves are computed


class DemoReviews(Demonstration):
    """A demonstration with an input field, the text in colour, and two panels with one of three views."""

    name = "review_explorer"
    title = "Review explorer"
    order = 50
    summary = "Type a review: what every classifier decides, and which words made it; telling words; smoothing."
    observations = (
        "Each word has the colour of the class that it speaks for, according to the classifier in “words of”; grey ones say nothing to "
        "it. The bars show how clear every verdict is. All classifiers only add up words: what a sentence means is beyond them."
    )
    suggestions = (
        Suggestion("Take the ironic review: which words lead all classifiers astray?", {"text": EXAMPLES["irony"]}),
        Suggestion("Take the review full of “not”: not bad is good, but the words alone do not say so.", {"text": EXAMPLES["negation"]}),
        Suggestion("Set “view” to smoothing, with almost none (α = 0.001): one word that a class has never shown outweighs all others.",
                   {"view": "smoothing", "alpha": 0.001}),
    )  # fmt: skip
    controls = (
        Choice("domain", "data", "which reviews are learnt from; the toy reviews are made up", first_domain(),
               options=[(f"reviews: {name}", name) for name in domains()]),
        Text("text", "review", "the review: choose one, type or paste your own", EXAMPLES["two sides"], lines=5,
             suggestions=list(EXAMPLES.items())),
        Choice("view", "view", "the decision on this review, the clearest words of the domain, or what smoothing does to a word",
               "review", options=(("review", "review"), ("telling words", "telling"), ("smoothing", "smoothing"))),
        Choice("learner", "words of", "the classifier whose words are shown in colour and as bars", SMOOTHED,
               options=[(label, label) for label in LABELS]),
        Text("word", "word", "the word that is smoothed; if empty, one that a class has never shown", "", when=("view", "smoothing"),
             suggestions=[(word, word) for word in ("excellent", "waste_of", "boring", "highly_recommended", "disappointing")]),
        Slider("alpha", "smoothing α", "what is added to every count of words", 1, when=("view", "smoothing"),
               values=(0, 0.001, 0.01, 0.1, 0.5, 1, 2, 10, 100)),
    )  # fmt: skip
    _shown_learners = (SMOOTHED, COUNT_LEARNERS[1].label, "Perceptron", "SVM")
    grid: Mapping[str, Any] = {"view": ("review", "telling", "smoothing"), "learner": _shown_learners}

    def __init__(self, lab: Any):
        super().__init__(lab)
        self.models_by_domain: dict[str, DomainModels] = {}

    def scene(self, settings: Mapping[str, Any]) -> Iterator[float | draw.Scene]:
        """Train on the domain unless that is done, and show the selected view."""
        domain = settings["domain"]
        if domain not in self.models_by_domain:
            yield 0.0
            reviews = open_reviews(self.lab, domain)
            attempts = FailureCollector()
            self.models_by_domain[domain] = DomainModels(
                reviews, attempts, reading.train_all(self.lab, reviews.corpus, attempts)
            )
        learnt = self.models_by_domain[domain]
        for model in learnt.rest:
            learnt.models[model.label] = model
            yield (len(learnt.models) + len(learnt.attempts.skipped)) / len(LABELS)
        views = {"review": self._review, "telling": self._telling, "smoothing": self._smoothing}
        yield views[settings["view"]](learnt, settings)

    def _review(self, learnt: "DomainModels", settings: Mapping[str, Any]) -> draw.Scene:
        """Return the decisions, and the words of one of them."""
        typed, corpus, attempts = settings["text"], learnt.reviews.corpus, FailureCollector()
        counts, decisions = reading.count_typed_tokens(typed), dict[str, reading.Decision]()
        for label, model in learnt.models.items():
            with attempts(label):
                decisions[label] = reading.decide(self.lab, corpus, model, counts)
        chosen = decisions.get(settings["learner"], next(iter(decisions.values()), None))
        words = reading.text_chunks(typed, chosen) if chosen else []
        known = sum(token in corpus.feat_dict for token in counts)
        sentence = say.describe_review(typed, known, len(words))
        nr_positive = sum(decision.decided == "positive" for decision in decisions.values())
        verdicts = f"Positive according to {nr_positive} of {pluralize(len(decisions), 'classifier')}." if known else ""
        reasons = [say.describe_undecided(decision) for decision in decisions.values() if decision.explanation.by_intercepts]  # fmt: skip
        strongest = say.strongest_words(chosen, _MAX_BARS["review"]) if chosen else []
        whole = chosen.total if chosen and 0 < chosen.total < math.inf else 1.0
        return draw.Scene(
            [
                _decisions(decisions),
                _word_bars("words", f"strongest words of {chosen.label}" if chosen else "", "share of all contributions",
                           [(word, weight / whole) for word, weight in strongest]),
            ],
            " ".join(filter(None, [sentence, verdicts, *reasons, learnt.sentence])),
            columns=(1.1, 1),
            words=say.coloured_words(words),
            notes=learnt.notes(attempts),
            facts={"decisions": decisions, "characters": len(typed)},
        )  # fmt: skip

    def _telling(self, learnt: "DomainModels", settings: Mapping[str, Any]) -> draw.Scene:
        """Return the words that most strongly indicate either class."""
        model = learnt.models.get(settings["learner"], next(iter(learnt.models.values()), None))
        positive, negative = (
            reading.most_indicative_words(model, learnt.reviews.corpus, _MAX_BARS["telling"]) if model else ([], [])
        )
        says = f"{model.label} is right on {model.accuracy:.1%} of the test reviews. " if model else _UNTRAINED
        return draw.Scene(
            [
                _word_bars("negative", "clearest signs of negative", "one occurrence adds to the lead of positive", negative),
                _word_bars("positive", "clearest signs of positive", "one occurrence adds to the lead of positive", positive),
            ],
            says + learnt.sentence,
            observations=_OF_TELLING,
            notes=learnt.notes(FailureCollector()),
            facts={"telling": {"positive": positive, "negative": negative}, "accuracy": model and model.accuracy},
        )  # fmt: skip

    def _smoothing(self, learnt: "DomainModels", settings: Mapping[str, Any]) -> draw.Scene:
        """Return the probabilities of a word and its contribution, for every α, and the decision of naive Bayes with this α."""
        corpus, alpha, attempts = learnt.reviews.corpus, settings["alpha"], FailureCollector()
        typed = settings["word"] or reading.one_sided_word(corpus)
        found = reading.word_counts(corpus, typed)
        if found is None:
            panels = [_over_alpha(name, "", draw.Axis(0, 1, ticks=()), []) for name in ("probability", "added")]
            return draw.Scene(panels, say.describe_unknown_word(typed), notes=learnt.notes(attempts), facts={"word": None})  # fmt: skip
        decision, rightly = None, 0.0
        if SMOOTHED in learnt.models:
            with attempts(SMOOTHED):
                model = self._smoothed(learnt, alpha)
                decision = reading.decide(self.lab, corpus, model, reading.count_typed_tokens(settings["text"]))
                rightly = model.accuracy
        return draw.Scene(
            [_probabilities(found, alpha), _added(found, alpha)],
            say.describe_word(found, alpha, decision, rightly),
            observations=_OF_SMOOTHING,
            notes=learnt.notes(attempts),
            facts={"word": found.word, "counts": found.counts, "added": float(found.lead(alpha)), "decision": decision},
        )

    def _smoothed(self, learnt: "DomainModels", alpha: float) -> reading.TrainedClassifier:
        """Return naive Bayes trained with another α; 0 means no smoothing."""
        if alpha not in learnt.smoothed:
            settings = {"smooth_param": float(alpha)} if alpha > 0 else {"smooth": False}
            classifier = self.lab.classifier("multinomial_naive_bayes", "MultinomialNaiveBayes", **settings)
            learnt.smoothed[alpha] = reading.train_and_test(SMOOTHED, classifier, learnt.reviews.corpus)
        return learnt.smoothed[alpha]


@dataclass
class DomainModels:
    """The classifiers of one domain.

    Attributes
    ----------
    reviews : Reviews
    rest : iterator
        The classifiers still to be trained. A cancelled computation continues here.
    models : dict of TrainedClassifier
        The trained classifiers by label.
    smoothed : dict of TrainedClassifier
        Naive Bayes by its α.
    """

    reviews: Reviews
    attempts: FailureCollector
    rest: Iterator[reading.TrainedClassifier]
    models: dict[str, reading.TrainedClassifier] = field(default_factory=dict)
    smoothed: dict[float, reading.TrainedClassifier] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """A sentence about the training data."""
        corpus = self.reviews.corpus
        made_up = "made-up reviews" if corpus.domain == TOY else "real reviews"
        return f"Learnt from {corpus.train_X.shape[0]} {made_up} with {corpus.nr_features} words ({corpus.get_name()})."

    def notes(self, attempts: FailureCollector) -> list[str]:
        """Return sentences about missing parts, with reasons."""
        return [*filter(None, [self.reviews.sentence]), *self.attempts.sentences(), *attempts.sentences()]


def _decisions(decisions: Mapping[str, reading.Decision]) -> draw.Panel:
    """Return a panel with a bar for each classifier, from −1 to 1."""
    verdicts = [_VERDICTS[d.decided] if d.has_words else _NO_VERDICT for d in decisions.values()]
    names = [f"{label} {sign}" for label, (sign, _) in zip(decisions, verdicts, strict=True)]
    lengths = [d.share for d in decisions.values()]
    marks = _bars(lengths, [colour for _, colour in verdicts])
    for row, d in zip(_rows(len(names)), decisions.values(), strict=True):
        if d.explanation.by_intercepts:
            sides = ((0.06, "left"), (-0.06, "right"))
            marks += [draw.text((x, row), "ruled out", draw.MUTED, size=0.9, anchor=anchor) for x, anchor in sides]
    if names and all(verdict is _NO_VERDICT for verdict in verdicts):
        marks.append(draw.text((0, (len(names) - 1) / 2), "no verdict", draw.MUTED, size=1.3))
    return draw.Panel(
        "decisions",
        "verdicts: + positive, − negative",
        draw.Axis(-1.04, 1.04, "share of all contributions", ticks=[(-0.7, "negative"), (0.7, "positive")]),
        _names(names),
        marks,
    )  # fmt: skip


def _word_bars(name: str, title: str, label: str, weights: Sequence[tuple[str, float]]) -> draw.Panel:
    """Return a panel with bars to the right for positive, to the left for negative. An infinite weight gets a full bar and ∞."""
    finite = [abs(weight) for _, weight in weights if math.isfinite(weight)]
    longest = max(finite, default=1.0) or 1.0
    lengths = [weight if math.isfinite(weight) else math.copysign(1.25 * longest, weight) for _, weight in weights]
    marks = _bars(lengths, [draw.CLASSES[0] if length > 0 else draw.CLASSES[1] for length in lengths])
    for row, length, (_, weight) in zip(_rows(len(weights)), lengths, weights, strict=True):
        if math.isinf(weight):
            marks.append(draw.text((1.03 * length, row), "∞", anchor="left" if weight > 0 else "right"))
    low, high = min([0.0, *lengths]), max([0.0, *lengths])
    room = 0.1 * (high - low) or 1.0
    across = draw.Axis(low - room, high + room, label, ticks=None if finite else ())
    return draw.Panel(
        name, title, across, _names([shortened_word(word, _MAX_BAR_LABEL_CHARS) for word, _ in weights]), marks
    )


def _bars(lengths: Sequence[float], colours: Sequence[draw.Colour]) -> list[draw.Mark]:
    """Return horizontal bars, the first on top, and the zero line."""
    if not lengths:
        return []
    extents = [(row, 0.0, length) for row, length in zip(_rows(len(lengths)), lengths, strict=True)]
    zero = draw.line([(0, -0.6), (0, len(lengths) - 0.4)], draw.INK)
    return [draw.bars(extents, colours, thickness=0.66, horizontal=True), zero]


def _names(names: Sequence[str]) -> draw.Axis:
    return draw.Axis(-0.6, max(len(names), 1) - 0.4, ticks=list(zip(_rows(len(names)), names, strict=True)))


def _rows(count: int) -> range:
    return range(count - 1, -1, -1)


def _probabilities(found: reading.WordCounts, alpha: float) -> draw.Panel:
    """Return a panel with the probability of a word in either class."""
    curves = found.probabilities(_ALPHAS)
    marks = []
    for k, (label, dash) in enumerate((("positive", ()), ("negative", (4, 2)))):
        points, text = np.column_stack([_ALPHAS, curves[:, k]]), f"p(word | {label})"
        marks.append(draw.line(points, draw.CLASSES[k], dash, width=1.5, label=text))
    up = draw.Axis(curves.min() / 2, curves.max() * 2, "probability", "log")
    title = f"probability of {shortened_word(found.word, _MAX_BAR_LABEL_CHARS)}"
    return _over_alpha("probability", title, up, marks, alpha, found.probabilities(alpha))


def _added(found: reading.WordCounts, alpha: float) -> draw.Panel:
    """Return a panel with the contribution of an occurrence of a word to the lead of positive."""
    leads = found.lead(_ALPHAS)
    room = 0.06 * (max(leads.max(), 0) - min(leads.min(), 0)) or 0.1
    up = draw.Axis(min(leads.min(), 0) - room, max(leads.max(), 0) + room, "lead of positive")
    zero = draw.line([(_ALPHAS[0], 0), (_ALPHAS[-1], 0)], draw.MUTED)
    marks = [zero, draw.line(np.column_stack([_ALPHAS, leads]), draw.INK, width=1.5)]
    return _over_alpha("added", "what it adds to the lead of positive", up, marks, alpha, [found.lead(alpha)])


def _over_alpha(
    name: str, title: str, up: draw.Axis, curves: list[draw.Mark], alpha: float = 0, heights: Any = ()
) -> draw.Panel:
    """Return a panel with curves as functions of α, and their heights at the selected α."""
    if alpha > 0:
        chosen = draw.points([(alpha, float(height)) for height in heights], draw.INK, size=1.5)
        curves = [draw.line([(alpha, up.low), (alpha, up.high)], draw.MUTED, (1, 2)), *curves, chosen]
    return draw.Panel(name, title, draw.Axis(_ALPHAS[0], _ALPHAS[-1], "α", "log"), up, curves)
