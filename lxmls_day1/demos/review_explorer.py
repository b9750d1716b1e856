"""Why a review is positive: type one, and see what every classifier makes of it, and of which words.

Three views of the same classifiers: the decision on the review at hand and the words that made it; the words that a
classifier takes for the clearest signs in its domain; and what smoothing does to a word that a class has never shown.
Whatever is typed is text: it is escaped before it gets into the page, and of a very long one only the beginning is shown
(all of it counts).
"""

import html
import math
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos.background import Background
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.learners import FOR_COUNTS, LeftOut, sentences
from lxmls_day1.demos.review_decisions import (
    Decision,
    Trained,
    accuracy,
    decide,
    most_telling,
    one_sided_words,
    read,
    token_of,
    train_all,
    word_counts,
    words_of,
)
from lxmls_day1.demos.review_text import (
    LONGEST_SHOWN,
    MOST_SHOWN,
    about_the_text,
    about_the_word,
    class_colours,
    coloured_text,
    drawable,
    picture_words,
    strongest_words,
    with_text_above,
)
from lxmls_day1.demos.reviews import EXAMPLES, Reviews, domains, open_reviews
from lxmls_day1.demos.theme import page_pixels
from lxmls_day1.engine.text.documents import printable

SMOOTHED = FOR_COUNTS[0].label
VIEWS = {"this review": "review", "telling words": "telling", "smoothing": "smoothing"}
ALPHAS = (0.0, 0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0)
_LABEL = {"description_width": "5.2em"}
_VERDICTS = {"positive": "+", "negative": "−"}
_WIDTH, _HEIGHT = 860, 410  # pixels of the figure
_BARS = 8  # of each side
_CROWDED = 1.15  # letters of such a scale leave less room for words between the axes


class DemoReviews(Demonstration):
    """A box to type into, the text in colour, and a figure with one of three views."""

    name = "review_explorer"
    title = "Review explorer"
    summary = "Type a review: what every classifier decides, and which words made it; telling words; smoothing."
    is_quick = False
    look_at = (
        "Each word of the review has the colour of what it speaks for, and the bars say how clear the verdict is to each "
        "classifier, on one scale. All of them only add up words: what a sentence means together is beyond them."
    )
    to_try = (
        "Take the ironic review: which words lead the classifiers astray?",
        "Delete the review word by word, and see which one turns the verdict; with nothing left there is none.",
        "Turn to smoothing, and let α go to 0: one word that a class has never shown decides everything.",
    )
    tips = MappingProxyType(
        {
            "domain": "which reviews are learnt from",
            "example": "a review to begin with",
            "text": "the review: type or paste your own",
            "view_shown": "the decision on this review, the clearest words of the domain, or what smoothing does to a word",
            "learner": "whose words are shown in colour and as bars",
            "word": "the word that is smoothed",
            "alpha": "α, what is added to every count",
        }
    )

    def controls(self) -> list[Any]:
        """The widgets of the page, from left to right."""
        import ipywidgets as widgets

        self.background = Background(self._take, self._end)
        self.reviews: Any = None  # Reviews, once they are read
        self.models: dict[str, Trained] = {}
        self.left_out: list[LeftOut] = []
        self._asked: str | None = None
        self._texts: list[tuple[str, float]] = []
        self.domain = widgets.Dropdown(
            options=[(f"reviews: {name}", name) for name in domains()], description="data", style=_LABEL
        )
        self.example = widgets.Dropdown(
            options=[*EXAMPLES, "my own"], value="two sides", description="a review", style=_LABEL
        )
        self.text = widgets.Textarea(
            value=EXAMPLES["two sides"],
            placeholder="Type or paste a review",
            layout=widgets.Layout(width="100%", height=page_pixels(130)),
        )
        self.text.add_class("demo-review")
        self.learner = widgets.Dropdown(options=[SMOOTHED], description="words of", style=_LABEL)
        self.view_shown = widgets.ToggleButtons(options=list(VIEWS.items()))
        self.word = widgets.Combobox(description="word", placeholder="a word", ensure_option=False)
        self.word.add_class("demo-word")
        options = [(f"{alpha:g}", alpha) for alpha in ALPHAS]
        self.alpha = widgets.SelectionSlider(options=options, value=1.0, description="α", continuous_update=False)
        self.smoothing_controls = widgets.VBox([self.word, self.alpha])
        self.coloured = widgets.HTML(layout=widgets.Layout(width="100%"))
        self.coloured.add_class("demo-coloured")
        self.said = widgets.HTML()
        self.said.add_class("demo-progress")
        self.on_change(self.update, self.domain)
        self.on_change(self._take_example, self.example)
        self.on_change(self._typed, self.text)
        self.on_change(self.arrange, self.learner, self.view_shown, self.word)
        self.on_change(self._smooth, self.alpha)
        left = [
            self.domain,
            self.example,
            self.text,
            self.learner,
            self.view_shown,
            self.smoothing_controls,
            self.said,
        ]
        self.stage.size(_WIDTH, _HEIGHT)
        return [self.stage.beside(left, [self.coloured, self.stage.view()], width=384)]

    # ---- computing ----

    def update(self) -> None:
        """Compute and show what the controls ask for."""
        if self._asked != self.domain.value:
            self._asked = self.domain.value
            self.reviews, self.models, self.left_out = None, {}, []
            self.lab.load("readers.vocabulary")  # in this thread, which may rearrange what is imported
            self.background.start(self._learnt(self.domain.value))
        self.arrange()

    def _learnt(self, domain: str) -> Iterator[Any]:
        reviews = open_reviews(self.lab, domain)
        yield reviews
        yield from train_all(self.lab, reviews.corpus)

    def _take(self, items: list[Any]) -> None:
        def take() -> None:
            for item in items:
                if isinstance(item, Reviews):
                    self.reviews = item
                    words = one_sided_words(item.corpus)
                    with self.together():
                        self.word.options = words
                        if token_of(item.corpus, self.word.value) is None:
                            self.word.value = words[0] if words else ""
                if isinstance(item, Trained):
                    self.models[item.label] = item
                elif isinstance(item, LeftOut):
                    self.left_out.append(item)
            with self.together():
                chosen = self.learner.value
                self.learner.options = list(self.models) or [SMOOTHED]
                if chosen in self.models:
                    self.learner.value = chosen
            self.arrange()

        self.do(take)

    def _end(self, error: BaseException | None) -> None:
        def end() -> None:
            self._retrain_smoothed()
            self.arrange()
            if error is not None:
                raise error

        self.do(end)

    def _take_example(self) -> None:
        if self.example.value in EXAMPLES:
            with self.together():
                self.text.value = EXAMPLES[self.example.value]
        self.arrange()

    def _typed(self) -> None:
        with self.together():
            self.example.value = next((name for name, text in EXAMPLES.items() if text == self.text.value), "my own")
        self.arrange()

    def _smooth(self) -> None:
        self._retrain_smoothed()
        self.arrange()

    def _retrain_smoothed(self) -> None:
        """Naive Bayes with the α of the slider; 0 is the unsmoothed one."""
        model = self.models.get(SMOOTHED)
        alpha = self.alpha.value
        if model is None or self.reviews is None or self._alpha_of(model) == alpha:
            return
        corpus = self.reviews.corpus
        settings = {"smooth_param": alpha} if alpha > 0 else {"smooth": False}
        classifier = self.lab.classifier("multinomial_naive_bayes", "MultinomialNaiveBayes", **settings)
        params = classifier.train(corpus.train_X, corpus.train_y)
        self.models[SMOOTHED] = Trained(SMOOTHED, classifier, params, accuracy(classifier, params, corpus))

    @staticmethod
    def _alpha_of(model: Trained) -> float:
        return model.classifier.smooth_param if model.classifier.smooth else 0.0

    # ---- showing ----

    def draw(self) -> None:
        """Nothing stays from one view to the next: `arrange` draws."""

    def _two_axes(self) -> tuple[Any, Any]:
        axes = self.stage.figure.subplots(1, 2)
        self.stage.style(*axes)
        return axes[0], axes[1]

    def arrange(self) -> None:
        """Decide, and draw the view that is wanted."""
        for sentence in [self.reviews.sentence if self.reviews else "", *sentences(self.left_out)]:
            if sentence:
                self.stage.say(sentence)
        view = self.view_shown.value
        self.smoothing_controls.layout.display = None if view == "smoothing" else "none"
        self.stage.empty()
        self._about = {"view": view, "running": self.background.running, "models": list(self.models)}
        if self.reviews is None:
            self.said.value = "reading the reviews …"
        else:
            corpus = self.reviews.corpus
            self.said.value = html.escape(
                f"{corpus.get_name()}: {corpus.train_X.shape[0]} to learn from, {corpus.nr_features} words"
                + (" … training" if self.background.running else "")
            )
            decisions = self._decide()
            if view == "review":
                self._draw_decisions(decisions)
            elif view == "telling":
                self._draw_telling()
            else:
                self._draw_smoothing(decisions)
        self.stage.settle()
        self.stage.state(**self._about)

    def _decide(self) -> dict[str, Decision]:
        text = self.text.value
        counts = read(text)
        decisions: dict[str, Decision] = {}
        for label, model in self.models.items():
            with self.stage.attempt(label):
                decisions[label] = decide(self.lab, self.reviews.corpus, model, counts)
        chosen = decisions.get(self.learner.value)
        known = sum(token in self.reviews.corpus.feat_dict for token in counts)
        words = words_of(text, chosen) if chosen else []
        sentence = about_the_text(text, len(counts), known, len(words))
        self.coloured.value = coloured_text(words, self.stage.dark, sentence)
        self._texts = picture_words(words) or [(word, 0.0) for word in sentence.split()]
        self._about |= {
            "decisions": {
                label: {"decided": d.decided if d.has_words else None, "lead": d.lead, "share": d.share}
                for label, d in decisions.items()
            },
            "characters": len(text),
            "known_tokens": known,
            "words": [[word.text[:LONGEST_SHOWN], word.weight] for word in words[:MOST_SHOWN]],
            "sentence": sentence,
        }
        return decisions

    def _draw_decisions(self, decisions: dict[str, Decision]) -> None:
        left, right = self._two_axes()
        names = list(decisions)
        shares = [decisions[name].share for name in names]
        verdicts = [_VERDICTS[decisions[name].decided] if decisions[name].has_words else "?" for name in names]
        look = dict(zip(_VERDICTS.values(), class_colours(self.stage.dark), strict=True)) | {"?": self.stage.look.muted}
        colours = [look[verdict] for verdict in verdicts]
        left.barh(range(len(names)), shares, color=colours, height=0.62)
        left.set_yticks(
            range(len(names)), [f"{_named(name)}  {verdict}" for name, verdict in zip(names, verdicts, strict=True)]
        )
        for label, colour in zip(left.get_yticklabels(), colours, strict=True):
            label.set_color(colour)
        left.set_xlim(-1.04, 1.04)
        left.set_ylim(max(len(names), 1) - 0.4, -0.6)
        left.set_xticks([-1, 0, 1], ["−", "0", "+"] if self._is_crowded else ["negative", "0", "positive"])
        left.axvline(0, color=self.stage.look.foreground, linewidth=1.4)
        self._head(left, "how clear it is to each")
        if names and "+" not in verdicts and "−" not in verdicts:
            left.text(0, (len(names) - 1) / 2, "no verdict", ha="center", va="center", fontsize=self.stage.font(1.3),
                      color=self.stage.look.muted, bbox={"facecolor": self.stage.look.background, "edgecolor": "none"})  # fmt: skip
        chosen = decisions.get(self.learner.value)
        bars = strongest_words(chosen, self._fitting(_BARS)) if chosen else []
        self._about["bars"] = []
        if not bars:
            right.set_axis_off()
            return
        whole = chosen.said if chosen and 0 < chosen.said < math.inf else 1.0
        self._draw_word_bars(right, [(word, weight / whole) for word, weight in bars], "its strongest words")
        right.set_xlabel("share of all that is said")
        self._about["bars"] = [[word, weight] for word, weight in bars]

    def _draw_telling(self) -> None:
        model = self.models.get(self.learner.value)
        axis = self._two_axes()
        if model is None:
            for one in axis:
                one.set_axis_off()
            return
        positive, negative = most_telling(model, self.reviews.corpus, self._fitting(12))
        self._draw_word_bars(axis[0], negative, "clearest signs of negative")
        self._draw_word_bars(axis[1], positive, "clearest signs of positive")
        self._tell(
            f"{model.label} has learnt {len(self.reviews.corpus.feature_names)} words, and is right on "
            f"{model.accuracy:.1%} of the test reviews. A bar is what one occurrence of the word adds to the lead of positive."
        )
        self._about |= {"telling": {"positive": positive, "negative": negative}, "accuracy": model.accuracy}

    def _draw_smoothing(self, decisions: dict[str, Decision]) -> None:
        corpus, alpha = self.reviews.corpus, self.alpha.value
        left, right = self._two_axes()
        found = word_counts(corpus, self.word.value)
        if found is None:
            for axis in (left, right):
                axis.set_axis_off()
            shown = printable(self.word.value.strip()[:LONGEST_SHOWN])
            self._tell(
                f"“{shown}” is no feature: the training reviews have it fewer than five times, or never. It counts for "
                "nothing, smoothed or not. Try another word, or a pair of neighbours such as waste_of."
            )
            self._about["word"] = None
            return
        alphas = np.geomspace(1e-3, 100, 121)
        probabilities, leads = found.probabilities(alphas), found.lead(alphas)
        positive, negative = class_colours(self.stage.dark)
        width = 3.4 * self.stage.scale
        left.plot(alphas, probabilities[:, 0], color=positive, linewidth=width, label="p(word | positive)")
        left.plot(
            alphas, probabilities[:, 1], color=negative, linewidth=width, label="p(word | negative)", linestyle="--"
        )
        left.set(xscale="log", yscale="log", xlabel="α")
        self._head(left, f"probability of {drawable(found.word)}")
        right.plot(alphas, leads, color=self.stage.look.foreground, linewidth=width)
        right.axhline(0, color=self.stage.look.muted, linewidth=1.4)
        right.set(xscale="log", xlabel="α")
        self._head(right, "what it adds to the lead of positive")
        if alpha > 0:
            for axis, heights in ((left, found.probabilities(alpha)), (right, [float(found.lead(alpha))])):
                axis.axvline(alpha, color=self.stage.look.muted, linewidth=2, linestyle=":")
                axis.plot([alpha] * len(heights), heights, "o", color=self.stage.look.foreground, markersize=9)
        for axis in (left, right):
            axis.minorticks_off()
        self.stage.legend(left, loc="lower right")
        model = self.models.get(SMOOTHED)
        self._tell(about_the_word(found, alpha, decisions.get(SMOOTHED), model.accuracy if model else 0.0))
        self._about |= {
            "word": found.word,
            "counts": found.counts,
            "alpha": alpha,
            "probabilities": found.probabilities(alpha),
            "added": float(found.lead(alpha)),
        }

    def _tell(self, sentence: str) -> None:
        """A sentence in the place of the review's text."""
        self.coloured.value = (
            f'<div class="demo-words" style="font-size:1.15em;line-height:1.5">{html.escape(sentence)}</div>'
        )
        self._texts = [(word, 0.0) for word in sentence.split()]

    def _head(self, axis: Any, text: str) -> None:
        place = "right" if self._is_crowded else "center"  # over the names of the bars, too
        axis.set_title(text, fontsize=self.stage.font(), color=self.stage.look.foreground, loc=place)

    @property
    def _letters(self) -> float:
        """How large letters are for this figure; 1 on a page of 1280 x 720."""
        width, height = self.stage.figure.get_size_inches()
        return round(float(self.stage.scale * max(_WIDTH / (100 * width), _HEIGHT / (100 * height))), 2)

    @property
    def _is_crowded(self) -> bool:
        return self._letters > _CROWDED

    def _fitting(self, bars: int) -> int:
        """How many of so many bars there is room for: larger letters need more of it."""
        return max(3, int(bars / max(1.0, self._letters)))

    def _draw_word_bars(self, axis: Any, bars: Sequence[tuple[str, float]], title: str) -> None:
        """Bars to the right for positive, to the left for negative; what is infinite gets a bar of full length, and ∞."""
        positive, negative = class_colours(self.stage.dark)
        finite = [abs(weight) for _, weight in bars if math.isfinite(weight)]
        longest = max(finite, default=1.0) or 1.0
        lengths = [weight if math.isfinite(weight) else math.copysign(1.25 * longest, weight) for _, weight in bars]
        axis.barh(range(len(bars)), lengths, color=[positive if w > 0 else negative for w in lengths], height=0.66)
        axis.set_yticks(range(len(bars)), [drawable(word) for word, _ in bars])
        for i, (_, weight) in enumerate(bars):
            if math.isinf(weight):
                side = math.copysign(1.0, weight)
                axis.annotate(
                    "∞ " if weight < 0 else " ∞",
                    (lengths[i], i),
                    va="center_baseline",
                    ha="right" if side > 0 else "left",
                    color=self.stage.look.background,
                    fontsize=self.stage.font(1.1),
                )
        axis.set_ylim(max(len(bars), 1) - 0.4, -0.6)
        axis.axvline(0, color=self.stage.look.foreground, linewidth=1.4)
        axis.locator_params(axis="x", nbins=4)
        self._head(axis, title)

    def finish(self) -> None:
        """Wait until all is computed."""
        self.background.wait()

    def saved(self, suffix: str) -> bytes:
        """The page as a file, with the review above the figure; see `Demonstration.saved`."""
        picture = super().saved(suffix)
        return with_text_above(picture, self._texts, self.stage) if suffix == "png" else picture


def _named(learner: str) -> str:
    return learner.replace("Max. entropy", "Max. ent.")
