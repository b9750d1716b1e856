"""Exercise 1.8 on the projector: how accurate every classifier is over size, variance and balance.

The curves grow while they are computed: after the first seed there is a point everywhere, and with each further one the
error bars (one standard deviation over the seeds) come to rest. What is on the page stays alive meanwhile; a sweep that
is stopped keeps what it has.
"""

from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos.accuracy_sweep import SWEPT, Measurement, Results, Sweep, best_accuracies, measurements
from lxmls_day1.demos.background import Background
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.learners import LeftOut, sentences
from lxmls_day1.demos.theme import page_pixels

AXES = {
    "size": "training points",
    "variance": "variance of both classes",
    "balance": "share of the rarer class",
}
MARKERS = "osv^D*P"
#: From one learner to the next, in distances between two values; little where curves are steep, so that they stay true.
_DODGE = {"accuracy": 0.035, "short": 0.09}


class DemoComparison(Demonstration):
    """Three plots that fill up: a line for each learner, with error bars over seeds, and the best there can be."""

    name = "comparison"
    title = "All of them: size, variance, balance"
    summary = "How accurate every classifier is over the number of points, their variance and the balance."
    is_quick = False
    look_at = (
        "Each line is one classifier, measured exactly: how often it is right on all points that there could be. The line of the best "
        "classifier is the ceiling, and the gap below it is what comes from having too few points."
    )
    to_try = (
        "Show it short of best: with 10 points the learners differ, with 500 they hardly do.",
        "Look at the rare class alone: with a share of 0.05 it is given up by those who count mistakes.",
        "Take more seeds, and watch which differences stay larger than their bars.",
    )
    tips = MappingProxyType(
        {
            "nr_seeds": "how many samples each point of a curve is the mean of",
            "start_button": "measure all anew",
            "cancel_button": "stop; what is done stays",
            "part": "accuracy on all points, or on those of the rarer class",
            "scale_of_y": "the accuracy itself, or how far it is below the best there can be",
            "shown": "show this classifier",
        }
    )

    def controls(self) -> list[Any]:
        """The widgets of the page, from left to right."""
        import ipywidgets as widgets

        everybody = Sweep().learners
        self.results, self.ending = Results(), ""
        self.left_out: list[LeftOut] = []
        self.background = Background(self._take, self._end, interval=0.4)
        self.nr_seeds = widgets.IntSlider(value=10, min=2, max=50, description="seeds", continuous_update=False)
        self.start_button = widgets.Button(description="▶ start anew", button_style="primary")
        self.start_button.add_class("demo-start")
        self.cancel_button = widgets.Button(description="■ stop", disabled=True)
        self.cancel_button.add_class("demo-cancel")
        self.progress = widgets.IntProgress(value=0, min=0, max=1, layout=widgets.Layout(width="100%"))
        self.said = widgets.HTML()
        self.said.add_class("demo-progress")
        self.part = widgets.ToggleButtons(options=[("all points", "all"), ("rare class", "rare")])
        self.scale_of_y = widgets.ToggleButtons(options=[("accuracy", "accuracy"), ("short of best", "short")])
        self.shown = {
            learner: widgets.Checkbox(
                value=True, description=learner, indent=False, layout=widgets.Layout(height=page_pixels(26))
            )
            for learner in everybody
        }
        self.on_click(self.begin, self.start_button)
        self.on_click(self.background.cancel, self.cancel_button)
        self.on_change(self.begin, self.nr_seeds)
        self.on_change(self.lay_out, self.part, self.scale_of_y, *self.shown.values())
        left = [
            widgets.HBox([self.start_button, self.cancel_button]),
            self.nr_seeds,
            self.progress,
            self.said,
            widgets.HTML("<b>accuracy on</b>"),
            self.part,
            widgets.HTML("<b>shown as</b>"),
            self.scale_of_y,
            widgets.HTML("<b>learners</b>"),
            *self.shown.values(),
        ]
        self.stage.size(890, 600)
        return [self.stage.beside(left, self.stage.view(), width=330)]

    # ---- computing, in the background ----

    def begin(self) -> None:
        """Forget what was found, and measure all anew."""
        self.sweep = Sweep(nr_seeds=self.nr_seeds.value)
        self.results, self.left_out, self.ending = Results(), [], ""
        self.progress.max, self.progress.value = self.sweep.nr_measurements, 0
        self.cancel_button.disabled = False
        for module in ("classifiers.linear_classifier", "readers.simple_data_set"):
            self.lab.load(module)  # in this thread: it is the one that may rearrange what is imported
        self.background.start(measurements(self.lab, self.sweep))
        self.rescale()

    def _take(self, items: list[Any]) -> None:
        def take() -> None:
            for item in items:
                if isinstance(item, Measurement):
                    self.results.add(item)
                else:
                    self.left_out.append(item)
            self.rescale()

        self.do(take)

    def _end(self, error: BaseException | None) -> None:
        def end() -> None:
            self.cancel_button.disabled = True
            left_out = {item.label for item in self.left_out}
            complete = self.results.nr_measurements >= sum(
                self.sweep.nr_seeds * len(values)
                for learner in self.sweep.learners
                if learner not in left_out
                for values in SWEPT.values()
            )
            self.ending = "done" if complete else "stopped; what is done stays"
            self.lay_out()
            if error is not None:
                raise error

        self.do(end)

    # ---- showing ----

    def draw(self) -> None:
        """Make the artists of the figure, once."""
        axes = self.stage.figure.subplots(2, 2)
        self.axes = dict(zip(SWEPT, axes.flat, strict=False))
        self.stage.style(*self.axes.values())
        self.artists: dict[tuple[str, str], tuple[Any, Any]] = {}
        self.best: dict[str, Any] = {}
        look, font = self.stage.look, self.stage.font
        for quantity, axis in self.axes.items():
            values = SWEPT[quantity]
            axis.set_xticks(range(len(values)), [f"{value:g}" for value in values])
            axis.set_xlim(-0.5, len(values) - 0.5)
            axis.set_xlabel(AXES[quantity])
            style = self.stage.classifier_line("Bayes optimal", linewidth=2.6 * self.stage.scale)
            (self.best[quantity],) = axis.plot([], [], zorder=2.2, **style)
            for number, learner in enumerate(self.shown):
                style = self.stage.classifier_line(learner, linewidth=2.0 * self.stage.scale)
                colour = style["color"]
                bars = axis.vlines([], [], [], color=colour, linewidth=2.2 * self.stage.scale, zorder=2.5)
                (line,) = axis.plot([], [], marker=MARKERS[number], markersize=8 * self.stage.scale, zorder=3, **style)
                self.artists[quantity, learner] = line, bars
        legend_axis = axes.flat[-1]
        legend_axis.set_axis_off()
        handles = [self.best["size"], *(self.artists["size", learner][0] for learner in self.shown)]
        legend = self.stage.legend(
            legend_axis,
            handles,
            ["Bayes optimal", *self.shown],
            loc="center",
            fontsize=font(0.95),
            frameon=False,
            title="Accuracy in the long run:\nmean ± one standard deviation",
        )
        legend.get_title().set(color=look.foreground, fontsize=font(0.85))

    def update(self) -> None:
        """Compute and show what the controls ask for."""
        if not hasattr(self, "sweep"):
            self.begin()
        else:
            self.rescale()

    def rescale(self) -> None:
        """Move the lines to what has been found, and the axes with them."""
        part, short = self.part.value, self.scale_of_y.value == "short"
        state: dict[str, Any] = {}
        for quantity, axis in self.axes.items():
            values = SWEPT[quantity]
            column = 0 if part == "all" else 1
            best = np.array([best_accuracies(quantity, value)[column] for value in values])
            self.best[quantity].set_data(range(len(values)), best * 0 if short else best)
            ends = [0.0] if short else [*best]
            for number, learner in enumerate(self.shown):
                _, means, deviations = self.results.curve(quantity, learner, part)
                means = means - best if short else means
                x = np.arange(len(values)) + _DODGE[self.scale_of_y.value] * (number - (len(self.shown) - 1) / 2)
                line, bars = self.artists[quantity, learner]
                visible = self.shown[learner].value
                line.set_visible(visible)
                bars.set_visible(visible)
                line.set_data(x, means)
                low, high = means - np.nan_to_num(deviations), means + np.nan_to_num(deviations)
                bars.set_segments([((a, b), (a, c)) for a, b, c in zip(x, low, high, strict=True) if not np.isnan(b)])
                if visible:
                    ends += [*low[~np.isnan(low)], *high[~np.isnan(high)]]
                state.setdefault(quantity, {})[learner] = {"mean": means, "deviation": deviations}
            margin = 0.06 * (max(ends) - min(ends)) or 0.01
            axis.set_ylim(min(ends) - margin, max(ends) + margin)
        for axis in self.axes.values():
            axis.set_ylabel("accuracy − best" if short else "accuracy")
        self._tell(state, part)

    def lay_out(self) -> None:
        """Move the lines, and make room for what stands at the axes then."""
        self.rescale()
        self.stage.settle()

    def _tell(self, state: dict[str, Any], part: str) -> None:
        done, total = self.results.nr_measurements, self.sweep.nr_measurements
        total -= sum(total // len(self.sweep.learners) for item in self.left_out if item.label in self.sweep.learners)
        self.progress.max, self.progress.value = max(total, 1), done
        self.said.value = f"{done} of {total} trainings{self.ending and f': {self.ending}'}"
        for sentence in sentences(self.left_out):
            self.stage.say(sentence)
        self.stage.state(
            done=done, total=total, running=self.background.running, ending=self.ending, part=part, curves=state
        )

    def finish(self) -> None:
        """Wait until all is computed."""
        self.background.wait()
