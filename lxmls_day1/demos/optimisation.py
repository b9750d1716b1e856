"""Objectives on their way down: the same minimum, by methods that pay for it in different coins.

Left against passes over the data, right against seconds. Maximum entropy: L-BFGS, gradient descent and iterative scaling
beside stochastic gradient, which runs once for each of several η₀, α or λ. The SVM: its primal and its dual, with the gap
between them shaded, in which the optimum lies, beside the stochastic subgradient. The perceptron: its own loss, which is least at W = 0.
"""

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.demos.background import Background
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.learners import LeftOut, sentences
from lxmls_day1.demos.objective_curves import FAMILIES, SYMBOLS, Curve, Data, Optimum, Settings, curves
from lxmls_day1.demos.reviews import domains, open_reviews
from lxmls_day1.errors import counted

POINTS = "points"
REGULARIZERS = (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0)
INITIAL_STEPS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
ALPHAS = (0.55, 0.6, 0.7, 0.8, 0.9, 1.0)
_REGULARIZER_OF_SVM = 0.01
PASSES = (10, 30, 100, 300, 1000)
_LINE_NUMBERS = {"L-BFGS": 0, "Gradient descent": 1, "Iterative scaling": 2, "Primal P(W)": 0, "Dual D(α)": 1}
_STOCHASTIC = {
    "log": "Maximum entropy, online",
    "hinge": "SVM",
    "perceptron": "Perceptron",
}  # whose rule makes the single steps
_MARKERS = "os^D"  # of the curves of a family, which share a colour
_HIGHEST = 1.6  # of the objective at W = 0: what is higher leaves the plot
_LEAST_EXCESS, _MOST_EXCESS = 1e-8, 30.0


class _Loaded(NamedTuple):
    data: Data
    sentence: str


class DemoOptimisation(Demonstration):
    """Two plots of the same curves, computed in the background whenever something is changed."""

    name = "optimisation"
    title = "Optimisation: the way down"
    summary = "Objectives against passes and seconds: L-BFGS, gradient descent, iterative scaling, SGD; the SVM's gap."
    is_quick = False
    look_at = (
        "Each curve is one method on its way down the same objective, once per pass over the data and once per second. Those that use "
        "all data for a step go far in few passes in the end; single steps are ahead at the beginning."
    )
    to_try = (
        "Show them above the optimum: L-BFGS falls like a stone, the others in ever longer steps.",
        "Let η₀ differ, then α: which first steps are too long, and which never arrive?",
        "Turn to the SVM: the optimum lies in the shaded gap between primal and dual, which closes. Then to the perceptron: why does its "
        "loss begin at its least value, and rise?",
    )
    tips = MappingProxyType(
        {
            "loss": "whose objective: that of maximum entropy, of the SVM, or the perceptron's loss",
            "data": "what is learnt from",
            "regularizer": "λ, the weight of ‖W‖² in the objective",
            "nr_passes": "how many passes over the data each method may make",
            "varied": "in what the stochastic curves differ",
            "initial_step": "η₀, the first step of the stochastic curves",
            "alpha": "α, how fast their steps shrink",
            "scale_of_y": "the objective itself, or how far it is above its least value",
            "again": "run all methods anew",
        }
    )

    def controls(self) -> list[Any]:
        """The widgets of the page, from left to right."""
        import ipywidgets as widgets

        self.background = Background(self._take, self._end)
        self._loaded: dict[str, _Loaded] = {}
        self._warm: set[str] = set()
        self._asked: tuple[str, Settings] | None = None
        self._forget()
        self.loss = widgets.ToggleButtons(
            options=[("maximum entropy", "log"), ("SVM", "hinge"), ("perceptron", "perceptron")]
        )
        names = {POINTS: "200 points", **{domain: f"reviews: {domain}" for domain in domains()}}
        self.data = widgets.Dropdown(options=[(name, key) for key, name in names.items()], description="data")
        self.regularizer = _slider(REGULARIZERS, 0.0, "λ")
        self.varied = widgets.ToggleButtons(options=[(SYMBOLS[key], key) for key in FAMILIES])
        self.initial_step = _slider(INITIAL_STEPS, 1.0, "η₀")
        self.alpha = _slider(ALPHAS, 1.0, "α")
        self.nr_passes = _slider(PASSES, 100, "passes")
        self.scale_of_y = widgets.ToggleButtons(options=[("objective", "objective"), ("above optimum", "excess")])
        self.again = widgets.Button(description="↻ measure anew")
        self.again.add_class("demo-again")
        self.said = widgets.HTML()
        self.said.add_class("demo-progress")
        asking = (self.loss, self.data, self.regularizer, self.varied, self.initial_step, self.alpha, self.nr_passes)
        self.on_change(self._want_a_gap, self.loss)
        self.on_change(self.update, *asking)
        self.on_change(self.arrange, self.scale_of_y)
        self.on_click(self.begin, self.again)
        left = [
            self.loss,
            self.data,
            self.regularizer,
            self.nr_passes,
            widgets.HTML("<b>step of SGD: η₀ t<sup>−α</sup></b>, several"),
            self.varied,
            self.initial_step,
            self.alpha,
            widgets.HTML("<b>shown</b>"),
            self.scale_of_y,
            self.again,
            self.said,
        ]
        self.stage.size(890, 600)
        return [self.stage.beside(left, self.stage.view(), width=330)]

    # ---- computing, in the background ----

    def settings(self) -> Settings:
        """What the controls say."""
        return Settings(
            loss=self.loss.value,
            regularizer=self.regularizer.value,
            initial_step=self.initial_step.value,
            alpha=self.alpha.value,
            varied=self.varied.value,
            nr_passes=self.nr_passes.value,
        )

    def _want_a_gap(self) -> None:
        """The SVM's dual needs λ > 0: whoever turns to it gets one."""
        if self.loss.value == "hinge" and self.regularizer.value == 0:
            with self.together():
                self.regularizer.value = _REGULARIZER_OF_SVM

    def update(self) -> None:
        """Compute and show what the controls ask for."""
        of_length_1 = self.loss.value == "perceptron"
        self.varied.disabled = of_length_1
        self.initial_step.disabled = of_length_1 or self.varied.value == "initial_step"
        self.alpha.disabled = of_length_1 or self.varied.value == "alpha"
        if self._asked != (self.data.value, self.settings()):
            self.begin()
        elif not self.background.running:
            self.arrange()

    def begin(self) -> None:
        """Run every method, with the settings of now; what was drawn stays until they are done."""
        self._asked = self.data.value, self.settings()
        self._forget()
        for module in (
            "max_ent_batch",
            "max_ent_online",
            "perceptron",
            "svm",
        ):  # in this thread, which may rearrange what is imported
            with self.stage.attempt(f"classifiers/{module}.py"):
                self.lab.load(f"classifiers.{module}")
        self.background.start(self._computed(*self._asked))
        self._count()
        self.stage.state(**(self.stage.last_state | {"running": True}))

    def _computed(self, name: str, settings: Settings) -> Iterator[Any]:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        yield self._loaded[name]
        if settings.loss not in self._warm:  # what is compiled on first use is no part of anybody's seconds
            tiny = Data(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), np.array([0, 1, 1]))
            list(curves(self.lab, tiny, replace(settings, regularizer=0.1, nr_passes=2)))
            list(curves(self.lab, tiny, replace(settings, regularizer=0.0, nr_passes=2)))
            self._warm.add(settings.loss)
        yield from curves(self.lab, self._loaded[name].data, settings)

    def _load(self, name: str) -> _Loaded:
        if name == POINTS:
            points = self.lab.reader("simple_data_set", "SimpleDataSet", nr_examples=200, split=[1, 0, 0])
            return _Loaded(Data(points.train_X, points.train_y), "")
        corpus, sentence = open_reviews(self.lab, name)
        return _Loaded(Data(corpus.train_X, corpus.train_y), sentence)

    def _forget(self) -> None:
        self.curves: list[Curve] = []
        self.optima: dict[float, float] = {}
        self.left_out: list[LeftOut] = []
        self.sentence = ""

    def _take(self, items: list[Any]) -> None:
        """Keep what has come; it is drawn at the end, as drawing would slow down what is being timed."""
        for item in items:
            if isinstance(item, Curve):
                self.curves.append(item)
            elif isinstance(item, Optimum):
                self.optima[item.regularizer] = item.value
            elif isinstance(item, LeftOut):
                self.left_out.append(item)
            else:
                self.sentence = item.sentence
        self._count()

    def _end(self, error: BaseException | None) -> None:
        def end() -> None:
            self.arrange()
            if error is not None:
                raise error

        self.do(end)

    # ---- showing ----

    def draw(self) -> None:
        """Make the artists of the figure, once."""
        figure = self.stage.figure
        grid = figure.add_gridspec(2, 2, height_ratios=[1.0, 0.01])  # the legend takes what it needs
        left = figure.add_subplot(grid[0, 0])
        right = figure.add_subplot(grid[0, 1], sharey=left)
        self.axes = {"passes": left, "seconds": right}
        self.legend_axis = figure.add_subplot(grid[1, :])
        self.legend_axis.set_axis_off()
        self.stage.style(left, right)
        left.set_xlabel("passes over the data")
        right.set_xlabel("seconds")
        right.tick_params(labelleft=False)
        self.artists: list[Any] = []

    def arrange(self) -> None:
        """Draw what has been found, and fit the axes to it."""
        if self.background.running:
            return  # it will be called at the end
        for artist in self.artists:
            artist.remove()
        self.artists = []
        excess = self.scale_of_y.value == "excess"
        shown = {curve.name: self._heights(curve) for curve in self.curves}
        for cost, axis in self.axes.items():
            for number, curve in enumerate(curve for curve in self.curves if curve.role != "dual" or not excess):
                self._draw_curve(axis, cost, curve, shown[curve.name], number)
            self._draw_gap(axis, cost, shown)
        self._fit(excess)
        self._explain()
        self.stage.settle()
        self._tell(shown)

    def _heights(self, curve: Curve) -> np.ndarray:
        """The curve's y: its objective, or how far it is above the optimum of its λ."""
        if self.scale_of_y.value == "objective":
            return curve.objective
        return curve.excess(self._optimum(curve))

    def _optimum(self, curve: Curve) -> float:
        lowest = min(c.objective.min() for c in self.curves if c.role != "dual")
        return float(self.optima.get(curve.regularizer, lowest))

    def _draw_curve(self, axis: Any, cost: str, curve: Curve, heights: np.ndarray, number: int) -> None:
        x = getattr(curve, cost)
        if curve.role == "stochastic":
            family = [other for other in self.curves if other.role == "stochastic"]
            place, name = family.index(curve), _STOCHASTIC[self.loss.value]
            style = self.stage.classifier_line(name, place, len(family), linewidth=2.4 * self.stage.scale, zorder=2)
            style |= {"marker": _MARKERS[place % len(_MARKERS)], "markersize": 8 * self.stage.scale, "markevery": 0.12}
        else:
            style = self.stage.line(_LINE_NUMBERS[curve.name], zorder=3)
        if len(x) < 40 and "marker" not in style:
            style |= {"marker": "o", "markersize": 6 * self.stage.scale}
        self.artists += axis.plot(x, heights, label=curve.name, **style)

    def _draw_gap(self, axis: Any, cost: str, shown: dict[str, np.ndarray]) -> None:
        """Shade what lies between primal and dual; in the logarithmic view, between excess and gap."""
        primal, dual = (next((c for c in self.curves if c.role == role), None) for role in ("primal", "dual"))
        if primal is None or dual is None:
            return
        x, upper, lower = getattr(primal, cost), primal.objective, dual.objective
        label = "the gap: here lies the optimum"
        if self.scale_of_y.value == "excess":
            lower = np.nan_to_num(shown[primal.name], nan=_LEAST_EXCESS)
            upper = primal.objective - dual.objective
            label = "the gap: what is not proven yet"
            self.artists += axis.plot(x, upper, label="Gap P − D", **self.stage.line(1))
        colour = self.stage.look.muted
        self.artists.append(
            axis.fill_between(x, lower, upper, color=colour, alpha=0.35, linewidth=0, label=label, zorder=1)
        )

    def _fit(self, excess: bool) -> None:
        left, right = self.axes.values()
        most_passes = max([10.0, *(curve.passes[-1] for curve in self.curves)])
        most_seconds = max([0.01, *(curve.seconds[-1] for curve in self.curves)])
        for axis, linear_below, most in ((left, 1.0, most_passes), (right, 1e-3, most_seconds)):
            axis.set_xscale("symlog", linthresh=linear_below, linscale=0.5)
            axis.set_xlim(0, most * 1.15)
            axis.minorticks_off()
        left.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        right.xaxis.set_major_formatter(lambda x, _: _seconds_text(x))
        if excess:
            left.set_yscale("log")
            heights = [h for curve in self.curves for h in self._heights(curve) if _LEAST_EXCESS < h < _MOST_EXCESS]
            left.set_ylim(max(min(heights, default=1e-3) / 3, _LEAST_EXCESS), max(heights, default=1.0) * 2)
            left.minorticks_off()
            left.set_ylabel("F(W) − optimum")
        else:
            left.set_yscale("linear")
            start = max((curve.objective[0] for curve in self.curves if curve.role != "dual"), default=1.0)
            within = _HIGHEST * start or np.inf  # the perceptron's loss starts at 0
            highest = max((h for c in self.curves for h in c.objective if h < within), default=start)
            lowest = 0.0 if self.loss.value != "log" else min((c.objective.min() for c in self.curves), default=0.0)
            room = 0.05 * (highest - lowest)
            left.set_ylim(lowest - room, highest + room)
            left.set_ylabel("objective F(W)")

    def _explain(self) -> None:
        handles, labels = self.axes["passes"].get_legend_handles_labels()
        if (legend := self.legend_axis.get_legend()) is not None:
            legend.remove()
        if handles:
            self.stage.legend(
                self.legend_axis, handles, labels, loc="center", ncols=3, frameon=False, columnspacing=1.2
            )
        for sentence in [self.sentence, *sentences(self.left_out)]:
            if sentence:
                self.stage.say(sentence)
        self._count()

    def _count(self) -> None:
        self.said.value = "measuring … " * self.background.running + counted(len(self.curves), "curve")

    def _tell(self, shown: dict[str, np.ndarray]) -> None:
        self.stage.state(
            running=self.background.running,
            shown=self.scale_of_y.value,
            optima={f"{key:g}": value for key, value in self.optima.items()},
            curves={
                curve.name: {
                    "passes": curve.passes[-1],
                    "seconds": curve.seconds[-1],
                    "objective": curve.objective[-1],
                    "plotted": shown[curve.name][-1],
                }
                for curve in self.curves
            },
            xlim={cost: axis.get_xlim() for cost, axis in self.axes.items()},
        )

    def finish(self) -> None:
        """Wait until all is computed."""
        self.background.wait()


def _slider(values: tuple[float, ...], value: float, description: str) -> Any:
    import ipywidgets as widgets

    options = [(f"{option:g}", option) for option in values]
    return widgets.SelectionSlider(options=options, value=value, description=description, continuous_update=False)


def _seconds_text(x: float) -> str:
    """1 ms, 10 ms, …, 1 s."""
    return f"{x:g} s" if x >= 1 or x == 0 else f"{1000 * x:g} ms"
