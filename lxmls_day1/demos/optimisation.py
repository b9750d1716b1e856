"""Objectives during training: several methods approach the same minimum, plotted against two costs.

The left plot counts passes over the data, the right plot seconds. Maximum entropy: L-BFGS, gradient descent and iterative scaling
next to stochastic gradient descent, which runs once for each of several η₀, α or λ. The SVM: its primal and its dual, with a shaded
gap that contains the optimum, next to stochastic subgradient descent. The perceptron: its own loss, whose minimum is at W = 0.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos.controls import Choice, Slider, Suggestion
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import SkippedLearner, skip_sentences
from lxmls_day1.demos.objective_curves import FAMILIES, SYMBOLS, Curve, Data, Optimum, Settings, curves
from lxmls_day1.demos.reviews import domains, open_reviews
from lxmls_day1.demos.scene import INK, MUTED, Axis, Mark, Panel, Scene, learner_line, line, region
from lxmls_day1.figures.plotting import DASHES

POINTS = "points"
REGULARIZER_OF_SVM = 0.01  # replaces 0, because the dual needs λ > 0
_DASHES = {"L-BFGS": 0, "Gradient descent": 1, "Iterative scaling": 2, "Primal P(W)": 0, "Dual D(α)": 1}
_STOCHASTIC = {
    "log": "Maximum entropy, online",
    "hinge": "SVM",
    "perceptron": "Perceptron",
}  # the learner whose update rule is used
_MAX_OBJECTIVE_RATIO = 1.6  # times the objective at W = 0; higher values leave the plot
_MIN_EXCESS, _MAX_EXCESS = 1e-8, 30.0
_TOLERANCE = 1 / 400  # maximum error of a drawn curve, as a fraction of the height of a panel
_LINEAR_BELOW = {"passes": 1.0, "seconds": 1e-3}
_TICKS: dict[str, list[tuple[float, str]]] = {
    "passes": [(x, f"{x}") for x in (0, 1, 10, 100, 1000)],
    "seconds": [(0, "0"), (1e-3, "1 ms"), (1e-2, "10 ms"), (0.1, "100 ms"), (1, "1 s"), (10, "10 s"), (100, "100 s")],
}


class DemoOptimisation(Demonstration):
    """A demonstration with two plots of the same curves, which are computed for each choice of settings."""

    name = "optimisation"
    title = "Optimisation: the way down"
    order = 40
    summary = "Objectives against passes and seconds: L-BFGS, gradient descent, iterative scaling, SGD; the SVM's gap."
    observations = (
        "Each curve is one method on its way down the same objective: on the left against passes over the data, on the right against "
        "seconds. Methods that use all data for each step come closest to the optimum; stochastic ones are ahead at the beginning."
    )
    suggestions = (
        Suggestion(
            "Show how far they are above the optimum: L-BFGS comes down ever faster, the other methods ever more slowly."
        ),
        Suggestion("Vary η₀, then α: which first steps are too long, and which curves never arrive?"),
        Suggestion(
            "Turn to the SVM: the optimum lies in the shaded gap between primal and dual, which closes. Then to the "
            "perceptron: why does its loss begin at its least value, and rise?"
        ),
    )
    controls = (
        Choice("loss", "objective", "that of maximum entropy, that of the SVM, or the perceptron's loss", "log",
               options=(("maximum entropy", "log"), ("SVM", "hinge"), ("perceptron", "perceptron"))),
        Choice("data", "data", "what is learnt from", POINTS,
               options=(("200 points", POINTS), *((f"reviews: {name}", name) for name in domains()))),
        Slider("regularizer", "λ", "the weight of ‖W‖² in the objective", 0, more=True, values=(0, 0.0001, 0.001, 0.01, 0.1, 1)),
        Slider("nr_passes", "passes", "how many passes over the data each method may make", 100, values=(10, 30, 100, 300, 1000)),
        Choice("varied", "several values of", "in what the stochastic curves differ; their steps are η₀ t^−α", "initial_step",
               options=[(SYMBOLS[key], key) for key in FAMILIES]),
        Slider("initial_step", "η₀", "the first step of the stochastic curves, unless they differ in it", 1, more=True,
               values=(0.01, 0.03, 0.1, 0.3, 1, 3, 10)),
        Slider("alpha", "α", "how fast their steps shrink, unless they differ in it", 1, more=True, values=(0.55, 0.6, 0.7, 0.8, 0.9, 1)),
        Choice("scale_of_y", "shown", "the objective itself, or how far it is above its least value", "objective",
               options=(("objective", "objective"), ("above the optimum", "excess"))),
    )  # fmt: skip
    grid = MappingProxyType(
        {"loss": ("log", "hinge", "perceptron"), "varied": ("initial_step", "alpha"), "scale_of_y": ("objective", "excess")}
    )  # fmt: skip

    def __init__(self, lab: Any):
        super().__init__(lab)
        self.results: dict[tuple[str, Settings], CurveResults] = {}
        self._loaded: dict[str, tuple[Data, str]] = {}  # with a sentence for the page
        self._warm: set[str] = set()

    def scene(self, settings: Mapping[str, Any]) -> Iterator[float | Scene]:
        """Run the methods unless their curves for these settings exist, and draw the curves."""
        name, asked = settings["data"], settings_of(settings)
        if (name, asked) not in self.results:
            yield 0.0
            if name not in self._loaded:
                self._loaded[name] = self._load(name)
            self._warm_up(asked)
            self.results[name, asked] = CurveResults(asked, curves(self.lab, self._loaded[name][0], asked))
        found = self.results[name, asked]
        for item in found.rest:
            found.add(item)
            yield found.progress
        changed = asked.regularizer != settings["regularizer"]
        yield _scene(found, settings["scale_of_y"] == "excess", changed, self._loaded[name][1])

    def _load(self, name: str) -> tuple[Data, str]:
        if name == POINTS:
            points = self.lab.reader("simple_data_set", "SimpleDataSet", nr_examples=200, split=[1, 0, 0])
            return Data(points.train_X, points.train_y), ""
        corpus, sentence = open_reviews(self.lab, name)
        return Data(corpus.train_X, corpus.train_y), sentence

    def _warm_up(self, asked: Settings) -> None:
        """Run each method once on tiny data, so that compilation does not count in the measured seconds."""
        if asked.loss not in self._warm:
            tiny = Data(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), np.array([0, 1, 1]))
            for regularizer in (0.1, 0.0):
                list(curves(self.lab, tiny, replace(asked, regularizer=regularizer, nr_passes=2)))
            self._warm.add(asked.loss)


@dataclass
class CurveResults:
    """The results so far for some settings.

    Attributes
    ----------
    settings : Settings
    rest : iterator
        The results still to be computed. A cancelled computation continues here.
    curves : list of Curve
    optima : dict
        The minimum of the objective for each λ.
    skipped : list of SkippedLearner
    """

    settings: Settings
    rest: Iterator[Curve | Optimum | SkippedLearner]
    curves: list[Curve] = field(default_factory=list)
    optima: dict[float, float] = field(default_factory=dict)
    skipped: list[SkippedLearner] = field(default_factory=list)

    def add(self, item: Curve | Optimum | SkippedLearner) -> None:
        """Store one more result."""
        if isinstance(item, Curve):
            self.curves.append(item)
        elif isinstance(item, Optimum):
            self.optima[item.regularizer] = item.value
        else:
            self.skipped.append(item)

    @property
    def progress(self) -> float:
        """The estimated progress of the computation, from 0 to 1."""
        expected = 3 if self.settings.loss == "perceptron" else 8
        if self.settings.varied == "regularizer":
            expected += len(FAMILIES["regularizer"])
        return min(1.0, (len(self.curves) + len(self.optima) + len(self.skipped)) / expected)

    def with_roles(self, *roles: str) -> list[Curve]:
        """Return the curves with these roles."""
        return [curve for curve in self.curves if curve.role in roles]

    def excess(self, curve: Curve) -> np.ndarray:
        """Return the distance of a curve above the optimum of its λ; NaN if rounding leaves a distance of 0 or less."""
        lowest = min(other.objective.min() for other in self.with_roles("batch", "stochastic", "primal"))
        return curve.excess(self.optima.get(curve.regularizer, float(lowest)))


def settings_of(settings: Mapping[str, Any]) -> Settings:
    """Return the settings of the curves. Settings without effect get their defaults, so that nothing is computed twice."""
    asked = Settings(**{item.name: settings[item.name] for item in fields(Settings)})
    if asked.loss == "perceptron":  # its steps have length 1, so the other settings have no effect
        return Settings(asked.loss, asked.regularizer, nr_passes=asked.nr_passes)
    if asked.loss == "hinge" and asked.regularizer == 0:
        asked = replace(asked, regularizer=REGULARIZER_OF_SVM)
    overruled: dict[str, Any] = {} if asked.varied == "regularizer" else {asked.varied: 1.0}
    return replace(asked, **overruled)


def _scene(found: CurveResults, excess: bool, changed: bool, sentence: str) -> Scene:
    return Scene(
        [_panel(found, cost, excess) for cost in ("passes", "seconds")],
        _sentence(found) + f" The SVM's dual needs λ > 0: here it is {REGULARIZER_OF_SVM}." * changed,
        notes=[text for text in (sentence, *skip_sentences(found.skipped)) if text],
        facts={
            "shown": "excess" if excess else "objective",
            "optima": found.optima,
            "curves": {curve.name: curve for curve in found.curves},
        },
    )


def _panel(found: CurveResults, cost: str, excess: bool) -> Panel:
    """Return the panel that plots the objective against one cost. If ``excess`` is True, plot its distance from the optimum instead."""
    most = max([10 * _LINEAR_BELOW[cost], *(getattr(curve, cost)[-1] for curve in found.curves)])
    across = Axis(
        0,
        most * 1.15,
        "passes over the data" if cost == "passes" else cost,
        "symlog",
        _LINEAR_BELOW[cost],
        _TICKS[cost],
    )
    up = _range_of_excess(found) if excess else _range_of_objective(found)
    family = [curve.name for curve in found.with_roles("stochastic")]
    gap, marks = _gap(found, cost, excess, across, up), list[Mark]()
    for curve in found.curves if not excess else found.with_roles("batch", "stochastic", "primal"):
        path = _path(getattr(curve, cost), found.excess(curve) if excess else curve.objective, across, up)
        if curve.role == "stochastic":
            place = family.index(curve.name)
            marks.append(learner_line(path, _STOCHASTIC[found.settings.loss], place, len(family), label=curve.name))
        else:
            marks.append(_plain_line(path, _DASHES[curve.name], curve.name))
    return Panel(cost, f"against {across.label}", across, up, [*gap, *marks])


def _plain_line(path: np.ndarray, dash: int, label: str) -> Mark:
    """Return a curve of a method that has no learner's colour."""
    return line(path, MUTED if dash else INK, DASHES[dash], width=1.2, label=label)


def _gap(found: CurveResults, cost: str, excess: bool, across: Axis, up: Axis) -> list[Mark]:
    """Return the shaded area between primal and dual; in the logarithmic view, between excess and gap."""
    primal, dual = found.with_roles("primal"), found.with_roles("dual")
    if not primal or not dual:
        return []
    x = getattr(primal[0], cost)
    upper, lower, label = primal[0].objective, dual[0].objective, "the gap: here lies the optimum"
    if excess:
        upper, lower = upper - lower, np.nan_to_num(found.excess(primal[0]), nan=_MIN_EXCESS)
        label = "the gap: what is not proven yet"
    above, below = (_path(x, heights, across, up) for heights in (upper, lower))
    edge = [_plain_line(above, 1, "Gap P − D")] if excess else []
    return [region([np.concatenate([above, below[::-1]])], MUTED, 0.35, label), *edge]


def _range_of_excess(found: CurveResults) -> Axis:
    heights = [h for curve in found.curves for h in found.excess(curve) if _MIN_EXCESS < h < _MAX_EXCESS]
    low = max(min(heights, default=1e-3) / 3, _MIN_EXCESS)
    return Axis(low, max(heights, default=1.0) * 2, "F(W) − optimum", "log")


def _range_of_objective(found: CurveResults) -> Axis:
    start = max((curve.objective[0] for curve in found.with_roles("batch", "stochastic", "primal")), default=1.0)
    within = _MAX_OBJECTIVE_RATIO * start or math.inf  # the perceptron's loss starts at 0, which would give no limit
    highest = max((h for curve in found.curves for h in curve.objective if h < within), default=start)
    lowest = (
        min((curve.objective.min() for curve in found.curves), default=0.0) if found.settings.loss == "log" else 0.0
    )
    room = 0.05 * (highest - lowest)
    return Axis(lowest - room, highest + room, "objective F(W)")


def _path(x: np.ndarray, heights: np.ndarray, across: Axis, up: Axis) -> np.ndarray:
    """Return the curve without the points that make no visible difference."""
    x, heights = x[np.isfinite(heights)], heights[np.isfinite(heights)]
    low, high, values = up.low, up.high, heights
    if up.scale == "log":
        low, high, values = math.log(low), math.log(high), np.log(heights)
    on_page = np.clip((values - low) / (high - low), -0.1, 1.1)
    parts = x / across.linear_below
    along = np.where(parts <= 1, parts / 2, 0.5 + np.log10(np.maximum(parts, 1)))  # symlog, as drawn by the page
    kept = simplify_curve(along, on_page, _TOLERANCE)
    return np.column_stack([x, heights])[kept]


def simplify_curve(x: np.ndarray, y: np.ndarray, tolerance: float) -> list[int]:
    """Return the indices of points whose connecting lines miss the other points of a curve by at most a tolerance, vertically.

    References
    ----------
    The algorithm of Ramer (1972), and of Douglas and Peucker (1973).

    Examples
    --------
    >>> simplify_curve(np.arange(5.0), np.array([0.0, 1.0, 2.0, 3.0, 0.0]), 0.1)
    [0, 3, 4]
    """
    kept, parts = {0, len(x) - 1} if len(x) else set[int](), [(0, len(x) - 1)]
    while parts:
        first, last = parts.pop()
        inner = slice(first + 1, last)
        misses = (
            np.abs(y[inner] - np.interp(x[inner], x[[first, last]], y[[first, last]]))
            if last - first > 1
            else np.zeros(1)
        )
        if misses.max() > tolerance:
            worst = first + 1 + int(misses.argmax())
            kept.add(worst)
            parts += [(first, worst), (worst, last)]
    return sorted(kept)


def _sentence(found: CurveResults) -> str:
    """Return a sentence about the passes until each method is close to the optimum; for the perceptron, about its final loss."""
    if found.settings.loss == "perceptron":
        ends = ", ".join(f"{curve.objective[-1]:.3g} ({curve.name})" for curve in found.curves)
        return f"The loss is least, 0, at W = 0. At the end it is: {ends or 'not known'}."
    took, never = list[str](), list[str]()
    for curve in found.with_roles("batch", "stochastic", "primal"):
        excess = np.nan_to_num(found.excess(curve))
        close = np.flatnonzero(excess <= 0.01 * excess[0])
        if len(close):
            took.append(f"{curve.name} {curve.passes[close[0]]:g}")
        else:
            never.append(curve.name)
    return (
        f"Passes for 99 % of the way down from W = 0 to the optimum: {', '.join(took) or 'no method'}"
        f"{'; not there yet: ' * bool(never)}{', '.join(never)}."
    )
