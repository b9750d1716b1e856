"""Exercise 1.8 on the projector: the accuracy of every classifier as a function of size, variance and balance.

Each frame adds one or more samples. After the first seed every point exists, and with each further seed the means and their error
bars (one standard deviation over the seeds) become more stable.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.base.errors import pluralize
from lxmls_day1.demos.accuracy_sweep import SWEEP_VALUES, Results, best_accuracies, measurements
from lxmls_day1.demos.controls import Choice, Slider, Suggestion, Ticks, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import GENERAL_LEARNERS, FailureCollector
from lxmls_day1.demos.scene import Axis, Mark, Panel, Scene, Steps, bars, by_frame, learner_line, learner_style

#: Classifier -> for each frame, means and standard deviations as functions of one quantity.
Curves = dict[str, list[tuple[np.ndarray, np.ndarray]]]

AXES = {"size": "training points", "variance": "variance of both classes", "balance": "share of the rarer class"}
LEARNERS = tuple(learner.label for learner in GENERAL_LEARNERS)
#: Numbers of seeds; the gaps grow, because each further seed changes the error bars less.
_SEEDS_OF_FRAMES = (1, 2, 3, 4, 6, 8, 10, 14, 20, 28, 40)
#: Horizontal offset between learners, relative to the distance of two values; small for steep curves, which it would distort.
_LEARNER_OFFSETS = {"accuracy": 0.03, "short": 0.09}


class DemoComparison(Demonstration):
    """A demonstration with three plots: a line for each learner, with error bars over seeds, and the best possible accuracy."""

    name = "comparison"
    title = "All of them: size, variance, balance"
    order = 60
    summary = (
        "How accurate every classifier is over the number of points, their variance and the balance of the classes."
    )
    observations = (
        "Each line is one classifier, and its accuracy is exact: how often it is right on all points that there could be. The line of "
        "the best possible classifier is the ceiling, and the gap below it is what comes from having too few points."
    )
    suggestions = (
        Suggestion(
            "Show how far they are below the best: with 10 points the classifiers differ, with 500 they hardly do."
        ),
        Suggestion(
            "Look at the rare class alone: at a share of 0.05, classifiers that minimise the number of mistakes give it up."
        ),
        Suggestion(
            "Press space to add one seed after another, then take more seeds: which differences stay larger than their error bars?"
        ),
    )
    controls = (
        Slider("nr_seeds", "seeds", "how many samples each point of a curve is the mean of", 10, values=inclusive_range(2, 50, 1)),
        Choice("part", "accuracy on", "accuracy on all points, or on those of the rarer class", "all",
               options=(("all points", "all"), ("rare class", "rare"))),
        Choice("scale_of_y", "shown as", "the accuracy itself, or how far it is below the best possible one", "accuracy",
               options=(("accuracy", "accuracy"), ("below the best", "short"))),
        Ticks("shown", "classifiers", "which classifiers are drawn", list(LEARNERS), options=LEARNERS),
    )  # fmt: skip
    grid = MappingProxyType({"part": ("all", "rare"), "scale_of_y": ("accuracy", "short")})

    def __init__(self, lab: Any):
        super().__init__(lab)
        self.results, self.nr_done = Results(), 0  # seeds that are completely measured
        self.attempts = FailureCollector()

    def scene(self, settings: Mapping[str, Any]) -> Iterator[float | Scene]:
        """Make the missing measurements, and draw all of them."""
        nr_seeds, part, short = settings["nr_seeds"], settings["part"], settings["scale_of_y"] == "short"
        yield from self._measure(nr_seeds)
        after = [n for n in _SEEDS_OF_FRAMES if n < nr_seeds] + [nr_seeds]
        curves: dict[str, Curves] = {
            quantity: {
                label: [self.results.curve(quantity, label, part, nr_seeds=n) for n in after] for label in LEARNERS
            }
            for quantity in SWEEP_VALUES
        }
        visible = [label for label in LEARNERS if label in settings["shown"] and label not in self.attempts.skipped]
        yield Scene(
            [_panel(quantity, curves[quantity], _best(quantity, part), visible, short) for quantity in SWEEP_VALUES],
            by_frame(
                _sentence(curves["size"], _best("size", part), visible, frame, n) for frame, n in enumerate(after)
            ),
            layout=[["size", "variance"], ["size", "balance"]],
            columns=(1.3, 1),
            steps=Steps("seeds", after, start=len(after) - 1),
            notes=self.attempts.sentences(),
            facts={"done": sum(map(len, self.results.by_seed.values()))},
        )

    def _measure(self, nr_seeds: int) -> Iterator[float]:
        """Train on the samples of further seeds. A cancelled computation keeps its completed seeds."""
        if nr_seeds <= self.nr_done:
            return
        seeds = range(self.nr_done + 1, nr_seeds + 1)
        total = len(seeds) * len(LEARNERS) * sum(map(len, SWEEP_VALUES.values()))
        for number, item in enumerate(measurements(self.lab, seeds, self.attempts)):
            self.results.add(item)
            self.nr_done = item.seed - 1
            yield number / total
        self.nr_done = nr_seeds


def _best(quantity: str, part: str) -> np.ndarray:
    """Return the accuracy of the Bayes-optimal classifier at each value."""
    column = 0 if part == "all" else 1
    return np.array([best_accuracies(quantity, value)[column] for value in SWEEP_VALUES[quantity]])


def _panel(quantity: str, curves: Curves, best: np.ndarray, visible: Sequence[str], short: bool) -> Panel:
    """Return the lines for one quantity. The vertical range contains all means and the last error bars."""
    named = quantity == "size"  # one legend is enough
    values, base = SWEEP_VALUES[quantity], best if short else np.zeros_like(best)
    places = np.arange(len(values))
    marks: list[Mark] = [
        learner_line(_rows(places, best - base), "Bayes optimal", width=1.2, label=named * "Bayes optimal")
    ]
    ends = [best - base]
    for number, label in enumerate(LEARNERS):
        if label not in visible:
            continue
        x = places + _LEARNER_OFFSETS["short" if short else "accuracy"] * (number - (len(LEARNERS) - 1) / 2)
        means = [mean - base for mean, _ in curves[label]]
        extents = [
            (mean - deviation, mean + deviation) for mean, (_, deviation) in zip(means, curves[label], strict=True)
        ]
        marks += [
            bars(by_frame(_rows(x, *extent) for extent in extents), learner_style(label)["colour"], thickness=0.03),
            learner_line(by_frame(_rows(x, mean) for mean in means), label, label=named * label),
        ]
        ends += [*means, *extents[-1]]
    low, high = np.nanmin(ends), np.nanmax(ends)
    margin = 0.06 * (high - low) or 0.01
    return Panel(
        quantity,
        "mean ± one standard deviation over the seeds" if named else "",
        Axis(-0.5, len(values) - 0.5, AXES[quantity], ticks=[(i, f"{value:g}") for i, value in enumerate(values)]),
        Axis(low - margin, high + margin, "accuracy − best" if short else "accuracy"),
        marks,
    )


def _rows(places: np.ndarray, *heights: np.ndarray) -> np.ndarray:
    """Return places and heights as columns, rounded to visible digits, without rows of non-finite numbers."""
    rows = np.column_stack([places.round(2), np.round(heights, 4).T])
    return np.asarray(rows[np.isfinite(rows).all(axis=1)])


def _sentence(curves: Curves, best: np.ndarray, visible: Sequence[str], frame: int, nr_seeds: int) -> str:
    """Return a sentence about the worst and the best classifier on the smallest and on the largest training set."""
    parts = []
    for place in (0, -1):
        means = sorted(
            (curves[label][frame][0][place], label) for label in visible if curves[label][frame][0][place] > 0
        )
        if means:
            ends = " to ".join(f"{mean:.3f} ({label})" for mean, label in (means[0], means[-1]))
            parts.append(
                f"with {SWEEP_VALUES['size'][place]} training points accuracies from {ends}, the best possible {best[place]:.3f}"
            )
    return f"After {pluralize(nr_seeds, 'seed')}: {'; '.join(parts) or 'no classifier is shown'}."
