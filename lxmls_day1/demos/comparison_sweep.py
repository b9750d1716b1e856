"""Exercise 1.8 on the projector: the accuracy of classifiers as a function of size, variance and balance.

Each frame adds one or more samples. After the first seed every point exists, and with each further seed the means and their bands
(one standard deviation over the seeds, cut off at the best possible accuracy) become more stable.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lxmls_day1.base.errors import pluralize
from lxmls_day1.demos import scene as draw
from lxmls_day1.demos.accuracy_sweep import SWEEP_VALUES, best_accuracies, curve, measure
from lxmls_day1.demos.controls import Choice, Slider, Suggestion, Ticks, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import GENERAL_LEARNERS, FailureCollector, skip_sentences

AXES = {"training points": "size", "variance of both classes": "variance", "share of the rarer class": "balance"}
LEARNERS = {learner.label: learner for learner in GENERAL_LEARNERS}
#: The classifiers that are visible when the page opens.
OPENING = ("Perceptron", "Max. entropy (batch)")
_OF_THE_RARE_CLASS = (
    "Here only points of the rare class count. A line above 0 finds more of them than the best possible classifier, at the expense of the "
    "other class; a line below 0 gives them up."
)
#: Numbers of seeds; the gaps grow, because each further seed changes the bands less.
_SEEDS_OF_FRAMES = (1, 2, 3, 4, 6, 8, 10, 14, 20, 28, 40)


class DemoComparison(Demonstration):
    """A demonstration with a panel for each quantity: a line and a band over seeds for each learner, and the best possible accuracy."""

    name = "comparison"
    title = "How close to the best possible?"
    order = 60
    summary = "How far every classifier stays below the best possible one: by the number of points, their variance and the balance."
    observations = (
        "The black line at 0 is the best that is possible; the others show how many percent more or fewer points a classifier gets right. "
        "Few training points leave a gap, and each repetition with new points gives another result, as the band shows."
    )
    suggestions = (
        Suggestion("Add the other classifiers: which of them need more points?", {"shown": list(LEARNERS)}),
        Suggestion("Look at the rare class alone: the rarer it is, the more often the SVM gives it up.",
                   {"over": ["share of the rarer class"], "part": "rare", "shown": ["Max. entropy (batch)", "SVM"]}),
        Suggestion("Play: one repetition after another is added, until the lines stop moving.", {"nr_seeds": 20}, play=True),
    )  # fmt: skip
    controls = (
        Ticks("shown", "classifiers", "which classifiers are drawn", list(OPENING), options=tuple(LEARNERS)),
        Ticks("over", "over", "what is varied: a panel for each", ["training points"], options=tuple(AXES)),
        Choice("part", "accuracy on", "accuracy on all points, or on those of the rarer class", "all",
               options=(("all points", "all"), ("rare class", "rare"))),
        Choice("scale_of_y", "shown as", "how far the accuracy is from the best possible one, or the accuracy itself", "short",
               options=(("against the best", "short"), ("accuracy", "accuracy"))),
        Slider("nr_seeds", "repetitions", "how often, with new points", 10, more=True, values=inclusive_range(2, 50, 1)),
    )  # fmt: skip
    grid: Mapping[str, Any] = {"part": ("all", "rare"), "scale_of_y": ("accuracy", "short"), "nr_seeds": (10, 20)}

    def __init__(self, lab: Any):
        super().__init__(lab)
        self.measured: dict[tuple[str, str], list[np.ndarray]] = {}  # by quantity and learner; an array for each seed
        self.attempts = FailureCollector()

    def scene(self, settings: Mapping[str, Any]) -> Iterator[float | draw.Scene]:
        """Make the missing measurements, and draw all of them."""
        nr_seeds, part, short = settings["nr_seeds"], settings["part"], settings["scale_of_y"] == "short"
        over = [text for text in AXES if text in settings["over"]] or list(AXES)[:1]
        yield from self._measure([AXES[text] for text in over], settings["shown"], nr_seeds)
        after = [n for n in _SEEDS_OF_FRAMES if n < nr_seeds] + [nr_seeds]
        skipped = [item for label, item in self.attempts.skipped.items() if label in settings["shown"]]
        visible = [label for label in LEARNERS if label in settings["shown"] and label not in self.attempts.skipped]
        panels, sentences = [], list[list[str]]()
        for text in over:
            quantity = AXES[text]
            best, _ = curve(
                np.array([[best_accuracies(quantity, value) for value in SWEEP_VALUES[quantity]]]), quantity, part
            )
            curves = {
                label: [curve(np.array(self.measured[quantity, label][:n]), quantity, part) for n in after]
                for label in visible
            }
            panels.append(_panel(text, curves, best, short, cut=part == "all"))
            by_repetitions = [{label: each[frame][0] for label, each in curves.items()} for frame in range(len(after))]
            sentences.append([_sentence(text, means, best) for means in by_repetitions])
        yield draw.Scene(
            panels,
            draw.by_frame(f"{pluralize(n, 'repetition')}: {each}" for n, each in zip(after, sentences[0], strict=True)),
            steps=draw.Steps("repetitions", after, start=len(after) - 1),
            notes=skip_sentences(skipped),
            observations=_OF_THE_RARE_CLASS if part == "rare" else "",
        )

    def _measure(self, quantities: Sequence[str], shown: Sequence[str], nr_seeds: int) -> Iterator[float]:
        """Train on the samples of further seeds. A cancelled computation keeps its completed seeds."""
        wanted = [(quantity, label) for quantity in quantities for label in LEARNERS if label in shown]
        for number, (quantity, label) in enumerate(wanted):
            measured = self.measured.setdefault((quantity, label), [])
            while len(measured) < nr_seeds and label not in self.attempts.skipped:
                with self.attempts(label):
                    measured.append(measure(self.lab, LEARNERS[label], quantity, seed=len(measured) + 1))
                yield (number + min(len(measured) / nr_seeds, 1)) / len(wanted)


def _panel(
    text: str, curves: Mapping[str, Sequence[tuple[np.ndarray, np.ndarray]]], best: np.ndarray, short: bool, cut: bool
) -> draw.Panel:
    """Return the lines and bands over one quantity. The vertical range contains all means and the last bands."""
    places, base = np.arange(len(best)), best if short else np.zeros_like(best)
    ends, lines, bands = [100 * (best - base)], list[draw.Mark](), list[draw.Mark]()
    for label, frames in curves.items():
        highest = best if cut else np.ones_like(best)
        extents = [(100 * (mean - sd - base), 100 * (np.minimum(mean + sd, highest) - base)) for mean, sd in frames]
        means = [100 * (mean - base) for mean, _ in frames]
        bands_of_frames = draw.by_frame([draw.band(places, *np.round(extent, 2))] for extent in extents)
        bands.append(draw.region(bands_of_frames, draw.learner_style(label)["colour"], 0.2))
        points = draw.by_frame(np.column_stack([places, mean.round(2)]) for mean in means)
        lines.append(draw.learner_line(points, label, width=1.4, label=label))
        ends += [*means, *extents[-1]]
    lines.append(
        draw.learner_line(np.column_stack([places, ends[0]]), "Bayes optimal", width=1.2, label="best possible")
    )
    low, high = np.min(ends), np.max(ends)
    margin = 0.06 * (high - low) or 0.01
    values = SWEEP_VALUES[AXES[text]]
    return draw.Panel(
        AXES[text],
        "",
        draw.Axis(-0.1, len(values) - 0.9, text, ticks=[(i, f"{value:g}") for i, value in enumerate(values)]),
        draw.Axis(low - margin, high + margin, "accuracy − best possible, in %" if short else "accuracy in %"),
        [*bands, *lines],
    )


def _sentence(text: str, means: Mapping[str, np.ndarray], best: np.ndarray) -> str:
    """Return a sentence about the distance from the best at the first and at the last value."""
    first, *_, last = SWEEP_VALUES[AXES[text]]
    parts = (
        f"{label} {draw.signed(100 * (mean - best)[0], 1)} and {draw.signed(100 * (mean - best)[-1], 1)}"
        for label, mean in means.items()
    )
    return f"% from the best possible at {first:g} and at {last:g} ({text}): {'; '.join(parts) or 'no classifier is shown'}."
