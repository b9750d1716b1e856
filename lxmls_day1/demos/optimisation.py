"""A race down an objective: several methods approach the same minimum, by passes over the data or by seconds.

One panel shows the objective over the two weights as contours, with each method's way so far; the other one plots the height of each
method. Maximum entropy: L-BFGS, gradient descent and iterative scaling next to stochastic gradient descent. The SVM: its primal and
its dual, with a shaded gap that contains the optimum, next to stochastic subgradient descent. The perceptron: its own loss, whose
minimum is at W = 0.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lxmls_day1.demos import scene as draw
from lxmls_day1.demos.controls import Choice, Slider, Suggestion, Ticks
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import SkippedLearner, skip_sentences
from lxmls_day1.demos.objective_curves import Curve, Data, Settings, curves
from lxmls_day1.demos.reviews import domains, open_reviews
from lxmls_day1.demos.scene import Axis, Mark, Panel, Scene
from lxmls_day1.figures.plotting import DASHES, with_gaps

POINTS = "points"
STRETCH = (1.0, 4.0)  # The features of the points lie in a narrow valley, in which gradient descent zigzags.
REGULARIZER_OF_SVM = 0.01  # replaces 0, because the dual needs λ > 0
METHODS = ("L-BFGS", "Gradient descent", "SGD", "Iterative scaling")
_STYLES: dict[str, tuple[draw.Colour, int]] = {  # colour and dash
    "L-BFGS": (draw.INK, 0), "Gradient descent": (("#B4500A", "#FFA55C"), 1), "Iterative scaling": (draw.MUTED, 2),
    "Primal P(W)": (draw.INK, 0), "Dual D(α)": (draw.MUTED, 1), "Gap P − D": (draw.MUTED, 1),
}  # fmt: skip
#: The learner whose update rule is used, and the loss of an example by its margin, for the contours.
_LOSSES: dict[str, tuple[str, Any]] = {
    "log": ("Maximum entropy, online", lambda m: np.logaddexp(0, -m)),
    "hinge": ("SVM", lambda m: np.maximum(0, 1 - m)),
    "perceptron": ("Perceptron", lambda m: np.maximum(0, -m)),
}
_CONTOUR: draw.Colour = ("#C3C8CF", "#4B5360")
_OBSERVATIONS = {
    "hinge": "The SVM's primal lies above the optimum and its dual below it, so the optimum lies in the shaded gap. The solver stops when "
    "the gap closes; stochastic subgradient descent (SGD) does not know how far it still has to go.",
    "perceptron": "The perceptron's loss is least, 0, at weights W = 0, where training begins, and it only rises from there. So its steps "
    "do not lead down: they look for a line, not for the lowest point.",
}
_MAX_OBJECTIVE_RATIO = 1.6  # times the objective at W = 0; higher values leave the plot
_MIN_EXCESS, _MAX_EXCESS = 1e-6, 30.0
_N_FRAMES = 30
_GRID = 49  # points along each axis at which the objective is computed for its contours
_LEVELS = (0.01, 0.04, 0.1, 0.2, 0.35, 0.55, 0.8)  # shares of the plane that lie below each contour
_LINEAR_BELOW = {"passes": 1.0, "seconds": 1e-3}
_TICKS: dict[str, list[tuple[float, str]]] = {
    "passes": [(x, f"{x}") for x in (0, 1, 10, 100, 1000)],
    "seconds": [(0, "0"), (1e-3, "1 ms"), (1e-2, "10 ms"), (0.1, "100 ms"), (1, "1 s"), (10, "10 s"), (100, "100 s")],
}


class DemoOptimisation(Demonstration):
    """A demonstration with contours and the ways of the methods on the left, and their heights on the right."""

    name = "optimisation"
    title = "Optimisation: a race"
    order = 40
    summary = "Three methods race down the same valley, by passes over the data or by seconds; the SVM's gap."
    observations = (
        "All methods start at the same point and want to reach the bottom of the same valley. Stochastic gradient descent (SGD) "
        "is ahead at first, as it moves after every example; L-BFGS, which learns the shape of the valley, arrives first."
    )
    suggestions = (
        Suggestion("Play the race from its start: who is ahead after one pass, and who after ten?", play=True),
        Suggestion("Race by seconds instead: a pass costs each method a different time.", {"cost": "seconds"}),
        Suggestion("Shorten the first step of SGD to 0.1: its steps become too small long before the lowest point.", {"initial_step": 0.1}),
    )  # fmt: skip
    controls = (
        Choice("cost", "race by", "what the methods are compared by", "passes", options=(("passes", "passes"), ("seconds", "seconds"))),
        Ticks("methods", "methods", "which methods race", list(METHODS[:3]), ("loss", "log"), options=METHODS),
        Slider("initial_step", "SGD: first step η₀", "the first step of stochastic gradient descent; the t-th step is η₀ t^−α", 1,
               values=(0.01, 0.03, 0.1, 0.3, 1, 3, 10)),
        Choice("scale_of_y", "shown", "how far each method is above the optimum, or the objective itself", "excess",
               options=(("above the optimum", "excess"), ("objective F(W)", "objective"))),
        Choice("loss", "objective", "that of maximum entropy, that of the SVM, or the perceptron's loss", "log",
               options=(("maximum entropy", "log"), ("SVM", "hinge"), ("perceptron", "perceptron"))),
        Choice("data", "data", "what is learnt from; contours exist for points alone", POINTS, more=True,
               options=(("200 points", POINTS), *((f"reviews: {name}", name) for name in domains()))),
        Slider("regularizer", "regularization λ", "the weight of ‖W‖² in the objective", 0, more=True,
               values=(0, 0.0001, 0.001, 0.01, 0.1, 1)),
        Slider("nr_passes", "passes", "how many passes each method may make", 100, more=True, values=(10, 30, 100, 300, 1000)),
        Slider("alpha", "SGD: step decay α", "how fast the steps of SGD shrink", 1, more=True, values=(0.55, 0.6, 0.7, 0.8, 0.9, 1)),
    )  # fmt: skip
    grid: Mapping[str, Any] = {
        "cost": ("passes", "seconds"), "loss": ("log", "hinge", "perceptron"), "initial_step": (0.1, 1, 10)
    }  # fmt: skip

    def __init__(self, lab: Any):
        super().__init__(lab)
        self.results: dict[tuple[str, Settings, bool], CurveResults] = {}
        self._known: dict[str, dict[Any, Any]] = {}  # data -> the results of each method
        self._loaded: dict[str, tuple[Data, str]] = {}  # with a sentence for the page
        self._warm: set[str] = set()

    def scene(self, settings: Mapping[str, Any]) -> Iterator[float | Scene]:
        """Run the methods unless their curves for these settings exist, and draw the curves."""
        name, asked = settings["data"], settings_of(settings)
        timed = settings["cost"] == "seconds" or not self.results  # Nobody waits for the opening.
        key = name, asked, timed or (name, asked, True) in self.results
        if key not in self.results:
            yield 0.0
            if name not in self._loaded:
                self._loaded[name] = self._load(name)
            self._warm_up(asked)
            known = self._known.setdefault(name, {})
            self.results[key] = CurveResults(asked, curves(self.lab, self._loaded[name][0], asked, known, timed=timed))
        found = self.results[key]
        for item in found.rest:
            found.add(item)
            yield found.progress
        changed = asked.regularizer != settings["regularizer"]
        yield _scene(found, settings, self._loaded[name], changed)

    def _load(self, name: str) -> tuple[Data, str]:
        if name == POINTS:
            points = self.lab.reader("simple_data_set", "SimpleDataSet", nr_examples=200, split=[1, 0, 0])
            return Data(points.train_X * STRETCH, points.train_y), ""
        corpus, sentence = open_reviews(self.lab, name)
        return Data(corpus.train_X, corpus.train_y), sentence

    def _warm_up(self, asked: Settings) -> None:
        """Run each method once on tiny data, so that compilation does not count in the measured seconds."""
        if asked.loss not in self._warm:
            tiny = Data(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), np.array([0, 1, 1]))
            for regularizer in (0.1, 0.0):
                list(curves(self.lab, tiny, asked._replace(regularizer=regularizer, nr_passes=2), {}))
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
    optimum : float, optional
        The minimum of the objective, if it is known.
    skipped : list of SkippedLearner
    contours : (path, limits of the first weight, limits of the second weight, lowest point), optional
    """

    settings: Settings
    rest: Iterator[Curve | float | SkippedLearner]
    curves: list[Curve] = field(default_factory=list)
    optimum: float | None = None
    skipped: list[SkippedLearner] = field(default_factory=list)
    contours: tuple[Any, ...] | None = None

    def add(self, item: Curve | float | SkippedLearner) -> None:
        """Store one more result."""
        if isinstance(item, Curve):
            self.curves.append(item)
        elif isinstance(item, SkippedLearner):
            self.skipped.append(item)
        else:
            self.optimum = item

    @property
    def progress(self) -> float:
        """The estimated progress of the computation, from 0 to 1."""
        expected = {"log": 5, "hinge": 4, "perceptron": 3}[self.settings.loss]
        return min(1.0, (len(self.curves) + (self.optimum is not None) + len(self.skipped)) / expected)

    def with_roles(self, *roles: str) -> list[Curve]:
        """Return the curves with these roles."""
        return [curve for curve in self.curves if curve.role in roles]

    def excess(self, curve: Curve) -> np.ndarray:
        """Return the distance of a curve above the optimum; NaN if rounding leaves a distance of 0 or less."""
        lowest = min(other.objective.min() for other in self.with_roles("batch", "stochastic", "primal"))
        above = curve.objective - (lowest if self.optimum is None else self.optimum)
        return np.where(above > 0, above, np.nan)


def settings_of(settings: Mapping[str, Any]) -> Settings:
    """Return the settings of the curves. Settings without effect get their defaults, so that nothing is computed twice."""
    asked = Settings(**{name: settings[name] for name in Settings._fields})
    if asked.loss == "perceptron":  # its steps have length 1, so the other settings have no effect
        return Settings(asked.loss, asked.regularizer, nr_passes=asked.nr_passes)
    has_no_dual = asked.loss == "hinge" and asked.regularizer == 0
    return asked._replace(regularizer=REGULARIZER_OF_SVM) if has_no_dual else asked


def _scene(found: CurveResults, settings: Mapping[str, Any], loaded: tuple[Data, str], changed: bool) -> Scene:
    cost, excess = settings["cost"], settings["scale_of_y"] == "excess"
    hidden = tuple(name for name in METHODS if found.settings.loss == "log" and name not in settings["methods"])
    curves = [curve for curve in found.curves if not curve.name.startswith(hidden)]
    shown = replace(found, curves=curves, skipped=[item for item in found.skipped if not item.label.startswith(hidden)])
    costs = [getattr(curve, cost) for curve in curves if len(curve.passes) > 1]
    times = np.geomspace(min(x[1] for x in costs), max(x[-1] for x in costs), _N_FRAMES) if costs else np.ones(1)
    times = np.append(0.0, np.unique(np.rint(times)) if cost == "passes" else times)
    panels = [_panel(shown, cost, excess, times)]
    if loaded[0].X.shape[1] == len(STRETCH) and any(curve.is_traced for curve in found.curves):
        found.contours = found.contours or _contours(found, loaded[0])
        panels.insert(0, _valley(shown, cost, found.contours, times))
    names = [f"{time:g}" if cost == "passes" else _written(time) for time in times]
    return Scene(
        panels,
        _sentence(shown, cost) + f" The SVM's dual needs a regularization λ > 0: here it is {REGULARIZER_OF_SVM}." * changed,
        observations=_OBSERVATIONS.get(found.settings.loss, ""),
        columns=(1, 1.25)[: len(panels)],
        steps=draw.Steps(cost, names, start=int(np.searchsorted(times, 5)) if cost == "passes" else len(times) // 2, milliseconds=400),
        table=_table(shown, cost, times),
        notes=[*filter(None, (loaded[1], *skip_sentences(shown.skipped)))],
        facts={"optimum": found.optimum, "curves": {curve.name: curve for curve in curves}},
    )  # fmt: skip


def _written(seconds: float) -> str:
    return f"{seconds:.2g}\u00a0s" if seconds >= 1 else f"{1000 * seconds:.2g}\u00a0ms"


def _indices(curve: Curve, cost: str, times: np.ndarray) -> np.ndarray:
    """Return for each time the index of the last point that a method has reached by then."""
    return np.asarray(np.searchsorted(getattr(curve, cost), times, side="right") - 1)


def _styles(found: CurveResults) -> dict[str, dict[str, Any]]:
    """Return colour and dash of each curve; stochastic ones have the colour of the learner whose rule they use."""
    stochastic, learner = found.with_roles("stochastic"), _LOSSES[found.settings.loss][0]
    styles = {curve.name: draw.learner_style(learner, n, len(stochastic)) for n, curve in enumerate(stochastic)}
    return styles | {name: {"colour": colour, "dash": DASHES[dash]} for name, (colour, dash) in _STYLES.items()}


def _runner(path: np.ndarray, at: np.ndarray, style: Mapping[str, Any], **details: Any) -> list[Mark]:
    """Return the line of a method, and the point at which the method is at each time."""
    return [draw.line(path, **style, **details), draw.points(draw.by_frame(at[:, None]), style["colour"], size=1.6)]


def _table(found: CurveResults, cost: str, times: np.ndarray) -> draw.Table:
    """Return a table of the heights above the optimum at each time, the lowest method first."""
    curves, styles = found.with_roles("batch", "stochastic", "primal"), _styles(found)
    heights = {curve.name: np.nan_to_num(found.excess(curve))[_indices(curve, cost, times)] for curve in curves}

    def rows(frame: int) -> list[list[Any]]:
        order = sorted(heights, key=lambda name: heights[name][frame])
        return [[{"line": styles[name]}, name, f"{heights[name][frame]:.4f}"] for name in order]

    return draw.Table(("", "who leads", "height"), draw.by_frame(map(rows, range(len(times)))))


def _contours(found: CurveResults, data: Data) -> tuple[Any, ...]:
    """Return the contours of the objective over both weights, with the intercept of the best method, their limits and the lowest point."""
    from contourpy import contour_generator

    ways = {curve.objective[-1]: curve.weights for curve in found.curves if curve.is_traced}
    best = ways[min(ways)]
    intercept = 0.0 if found.settings.loss == "perceptron" else best[-1, 0]  # its loss is least at W = 0
    box = np.vstack([np.zeros(2), best[:, 1:], *(curve.weights[:, 1:] for curve in found.with_roles("batch"))])
    for curve in found.with_roles("stochastic"):  # a method that leaps out of the valley also leaves the picture
        near = np.abs(curve.weights[:, 1:] - box.mean(axis=0)) < np.maximum(np.ptp(box, axis=0), 1e-3)
        box = np.vstack([box, curve.weights[near.all(axis=1), 1:]])
    low, high = box.min(axis=0), box.max(axis=0)
    room = 0.15 * np.maximum(high - low, 1e-3)
    x, y = (np.linspace(start, end, _GRID) for start, end in zip(low - room, high + room, strict=True))
    V = np.stack(np.meshgrid(x, y), axis=-1)
    margins = (V @ data.X.T + intercept) * np.where(data.y == data.y.max(), 1, -1)
    heights = _LOSSES[found.settings.loss][1](margins).mean(axis=-1) + found.settings.regularizer / 4 * (V**2).sum(axis=-1)  # fmt: skip
    generator: Any = contour_generator(x, y, heights)
    path = with_gaps(part for level in np.quantile(heights, _LEVELS) for part in generator.lines(level))
    return path, (x[0], x[-1]), (y[0], y[-1]), V.reshape(-1, 2)[heights.argmin()]


def _valley(found: CurveResults, cost: str, contours: tuple[Any, ...], times: np.ndarray) -> Panel:
    """Return the contours, and on them the way of each method until each time."""
    path, *limits, lowest = contours
    marks, styles = [draw.line(path, _CONTOUR, width=0.6)], _styles(found)
    aside = math.copysign(0.06 * (limits[1][1] - limits[1][0]), lowest[1])
    ends = (((0.0, 0.0), "start", -aside), (lowest, "lowest", aside))
    marks += [draw.points([at], draw.MUTED, "P", size=1.2) for at, _, _ in ends]
    for curve in found.curves:
        if curve.is_traced:
            at, reached = curve.weights[:, 1:], _indices(curve, cost, times)
            marks += _runner(at, at[reached], styles[curve.name], count=draw.by_frame(reached + 1))
    marks += [draw.text((at[0], at[1] + up), name) for at, name, up in ends]
    axes = [Axis(low, high, f"{name} weight") for name, (low, high) in zip(("first", "second"), limits, strict=True)]
    return Panel("valley", "the valley, seen from above", axes[0], axes[1], marks)


def _panel(found: CurveResults, cost: str, excess: bool, times: np.ndarray) -> Panel:
    """Return the panel that plots the objective against one cost. If ``excess`` is True, plot its distance from the optimum instead."""
    most = max([10 * _LINEAR_BELOW[cost], *(getattr(curve, cost)[-1] for curve in found.curves)])
    label = "passes over the data" if cost == "passes" else cost
    across = Axis(0, most * 1.15, label, "symlog", _LINEAR_BELOW[cost], _TICKS[cost])
    up = _range_of_excess(found) if excess else _range_of_objective(found)
    styles, marks = _styles(found), _gap(found, cost, excess)
    for curve in found.curves if not excess else found.with_roles("batch", "stochastic", "primal"):
        heights, reached = found.excess(curve) if excess else curve.objective, _indices(curve, cost, times)
        here = np.column_stack([getattr(curve, cost), np.nan_to_num(heights, nan=up.low)])[reached]
        marks += _runner(_path(getattr(curve, cost), heights), here, styles[curve.name], label=curve.name)
    return Panel("heights", "height above the lowest point" if excess else "height", across, up, marks)


def _gap(found: CurveResults, cost: str, excess: bool) -> list[Mark]:
    """Return the shaded area between primal and dual; in the logarithmic view, between excess and gap."""
    primal, dual = found.with_roles("primal"), found.with_roles("dual")
    if not primal or not dual:
        return []
    x = getattr(primal[0], cost)
    upper, lower, label = primal[0].objective, dual[0].objective, "the gap: here lies the optimum"
    if excess:
        upper, lower = upper - lower, np.nan_to_num(found.excess(primal[0]), nan=_MIN_EXCESS)
        label = "the gap: what is not proven yet"
    above, below = (_path(x, heights) for heights in (upper, lower))
    edge = [draw.line(above, **_styles(found)["Gap P − D"], label="Gap P − D")] if excess else []
    return [draw.region([np.concatenate([above, below[::-1]])], draw.MUTED, 0.35, label), *edge]


def _range_of_excess(found: CurveResults) -> Axis:
    heights = [h for curve in found.curves for h in found.excess(curve) if _MIN_EXCESS < h < _MAX_EXCESS]
    low = max(min(heights, default=1e-3) / 3, _MIN_EXCESS)
    return Axis(low, max(heights, default=1.0) * 2, "objective F(W) − optimum", "log")


def _range_of_objective(found: CurveResults) -> Axis:
    start = max((curve.objective[0] for curve in found.with_roles("batch", "stochastic", "primal")), default=1.0)
    within = _MAX_OBJECTIVE_RATIO * start or math.inf  # the perceptron's loss starts at 0, which would give no limit
    highest = max((h for curve in found.curves for h in curve.objective if h < within), default=start)
    lowest = min((curve.objective.min() for curve in found.curves if found.settings.loss == "log"), default=0.0)
    room = 0.05 * (highest - lowest)
    return Axis(lowest - room, highest + room, "objective F(W)")


def _path(x: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Return the finite points of a curve."""
    return np.asarray(np.column_stack([x, heights])[np.isfinite(heights)])


def _sentence(found: CurveResults, cost: str) -> str:
    """Return a sentence on the passes or seconds until each method is close to the optimum; for the perceptron, on its final loss."""
    if found.settings.loss == "perceptron":
        ends = ", ".join(f"{curve.objective[-1]:.3g} ({curve.name})" for curve in found.curves)
        return f"The loss is least, 0, at weights W = 0. At the end it is: {ends or 'not known'}."
    took, never = list[str](), list[str]()
    for curve in found.with_roles("batch", "stochastic", "primal"):
        excess = np.nan_to_num(found.excess(curve))
        close = np.flatnonzero(excess <= 0.01 * excess[0])
        if len(close):
            needed = getattr(curve, cost)[close[0]]
            took.append(f"{curve.name} {needed:g}" if cost == "passes" else f"{curve.name} {_written(needed)}")
        else:
            never.append(curve.name)
    return (
        f"{'Passes' if cost == 'passes' else 'Time'} for 99 % of the way down from weights W = 0 to the optimum: "
        f"{', '.join(took) or 'no method'}{'; not there yet: ' * bool(never)}{', '.join(never)}."
    )
