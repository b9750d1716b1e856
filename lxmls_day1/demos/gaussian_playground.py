"""The Gaussian playground: move the classes about, and see which boundary every classifier draws.

What is on the screen: a sample of two or three Gaussian classes, the boundary of each classifier that is ticked, the
Bayes-optimal one, and the accuracies on training and test part beside the best that is possible, 1 − Bayes error.
Points can be added, moved and deleted with the mouse; they count from then on, and stay when the sample is drawn anew.
"""

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.gaussian_points import MEANS, OPTIMAL, Result, Setting, best_possible, draw_sample, train_one
from lxmls_day1.demos.learners import Learner
from lxmls_day1.demos.theme import page_pixels
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import CLASS_MARKERS, with_gaps

LIMITS = (-6.0, 6.0)  # of both axes; fixed, so that boundaries move and not the axes
_PER_CLASS = "NB, σ² per class"  # the second setting of naive Bayes
LEARNERS = (
    Learner("gaussian_naive_bayes", "GaussianNaiveBayes", {}, "Naive Bayes"),
    Learner("gaussian_naive_bayes", "GaussianNaiveBayes", {"variance": "per_class"}, _PER_CLASS),
    Learner("perceptron", "Perceptron", {}, "Perceptron"),
    Learner("mira", "Mira", {}, "MIRA"),
    Learner("max_ent_batch", "MaxEntBatch", {}, "Max. entropy"),
    Learner("max_ent_online", "MaxEntOnline", {}, "Max. entropy, online"),
    Learner("svm", "SVM", {}, "SVM"),
)
_PICK = 18.0  # a click this many pixels from a point still means it
_REST = 0.015  # seconds: a pointer that moved earlier than this after a drawing had to wait, and is stale


class DemoGaussianPlayground(Demonstration):
    """The page: sliders for the data on the left, the plane, ticks with accuracies on the right."""

    name = "gaussian_playground"
    title = "Gaussian playground"
    summary = "Two or three Gaussian classes, the boundary of every classifier, and the best that is possible."
    look_at = (
        "Every line is where one classifier changes its mind; the solid one is the best that there can be. "
        "Watch which lines follow the classes as a whole, and which only a few points near the border."
    )
    to_try = (
        "Click a point of class 0 far into class 1: the perceptron and the SVM turn, naive Bayes hardly does.",
        "Raise σ² of one class: the best boundary is curved then, and of the linear learners none can follow.",
        "Draw 20 points instead of 100, and walk through the seeds: how far do the lines scatter around the best one?",
    )
    tips = MappingProxyType(
        {
            "nr_classes": "two classes or three",
            "means": "where the middle of this class lies",
            "variances": "how wide this class is spread",
            "balance": "the share of class 0 among all points",
            "nr_points": "how many points are drawn, half of them to train on, half to test on",
            "seed": "another sample of the same classes",
            "ticks": "show the boundary of this classifier",
            "click": "what a click into the plane does",
            "label": "the class of a point that a click adds",
            "undo": "the sample as it was drawn",
        }
    )

    def controls(self) -> list[Any]:
        """The widgets of the page, from left to right."""
        import ipywidgets as widgets

        self.stage.size(610, 610)
        self.points: Any = None  # Points, once the sample is drawn
        self.drawn_for: Any = None  # the Setting of the sample
        self.grabbed: int | None = None
        self.last_end = 0.0

        def slider(kind: Any, description: str, **settings: Any) -> Any:
            made = kind(description=description, continuous_update=True, **settings)
            made.layout.width = "100%"
            made.style.description_width = "4.3em"
            return made

        def choice(options: Sequence[tuple[str, Any]], description: str) -> Any:
            made = widgets.ToggleButtons(options=options, description=description)
            made.style.button_width = "auto"
            made.style.description_width = "4.3em"
            return made

        self.nr_classes = choice([("2", 2), ("3", 3)], "classes")
        self.means, self.variances, self.groups = [], [], []
        for k, (first, second) in enumerate(MEANS):
            group = [
                slider(
                    widgets.FloatSlider,
                    f"μ{_SUBSCRIPTS[k]} x₁",
                    value=first,
                    min=-4,
                    max=4,
                    step=0.1,
                    readout_format=".1f",
                ),
                slider(
                    widgets.FloatSlider,
                    f"μ{_SUBSCRIPTS[k]} x₂",
                    value=second,
                    min=-4,
                    max=4,
                    step=0.1,
                    readout_format=".1f",
                ),
                slider(
                    widgets.FloatSlider, f"σ²{_SUBSCRIPTS[k]}", value=1, min=0.1, max=6, step=0.1, readout_format=".1f"
                ),
            ]
            self.means.append(group[:2])
            self.variances.append(group[2])
            self.groups.append(widgets.VBox(group))
            self.groups[k].add_class(f"demo-class-{k}")
        self.balance = slider(
            widgets.FloatSlider, "balance", value=0.5, min=0.05, max=0.95, step=0.05, readout_format=".2f"
        )
        self.nr_points = slider(widgets.IntSlider, "points", value=100, min=20, max=500, step=20)
        self.seed = slider(widgets.IntSlider, "seed", value=1, min=1, max=50)
        self.groups[2].layout.display = "none"

        self.ticks = {OPTIMAL: self._tick(OPTIMAL)} | {learner.label: self._tick(learner.label) for learner in LEARNERS}
        self.best = widgets.HTML()
        self.row_height = page_pixels(34)  # of ticks and of numbers beside them
        rows, self.swatches = [], {}
        for label, tick in self.ticks.items():
            self.swatches[label] = widgets.HTML(layout=widgets.Layout(width=page_pixels(48), flex="0 0 auto"))
            layout = widgets.Layout(align_items="center", overflow="hidden", height=self.row_height)
            rows.append(widgets.HBox([self.swatches[label], tick], layout=layout))
        heads = widgets.HTML(f'<div style="height:{self.row_height}"></div>')
        self.numbers = widgets.HTML(layout=widgets.Layout(width=page_pixels(112), flex="0 0 auto"))
        for html in (heads, self.numbers):
            html.layout.margin = "0"
        table = widgets.HBox([widgets.VBox([heads, *rows]), self.numbers])

        self.click = choice([("add", "add"), ("move", "move"), ("delete", "delete")], "click to")
        self.label = choice([("0", 0), ("1", 1)], "class")
        self.undo = widgets.Button(description="without my clicks", tooltip="the sample as it was drawn")
        self.on_change(self.update, self.balance, self.nr_points, self.seed, *self.variances, *self.ticks.values())
        self.on_change(self.update, *(slider for pair in self.means for slider in pair))
        self.on_change(self._change_classes, self.nr_classes)
        self.on_click(self._forget, self.undo)
        canvas = self.stage.figure.canvas
        canvas.mpl_connect("button_press_event", lambda event: self._pointer(self._press, event))
        canvas.mpl_connect("motion_notify_event", lambda event: self._pointer(self._drag, event))
        canvas.mpl_connect("button_release_event", lambda event: self._pointer(self._release, event))

        left = [self.nr_classes, *self.groups, self.balance, self.nr_points, self.seed]
        right = [table, self.best, self.click, self.label, self.undo]
        column = widgets.VBox(right, layout=widgets.Layout(width=page_pixels(376), flex="0 0 auto"))
        column.add_class("demo-ranks")
        middle = widgets.HBox(
            [self.stage.view(), column], layout=widgets.Layout(grid_gap="8px", align_items="flex-start")
        )
        return [self.stage.beside(left, middle, width=272)]

    def _tick(self, label: str) -> Any:
        import ipywidgets as widgets

        tick = widgets.Checkbox(value=True, description=label, indent=False)
        tick.layout = widgets.Layout(width=page_pixels(212), flex="0 0 auto")
        return tick

    @property
    def setting(self) -> Setting:
        """What the sliders say."""
        K = self.nr_classes.value
        means = tuple((round(x.value, 6), round(y.value, 6)) for x, y in self.means[:K])
        variances = tuple(round(slider.value, 6) for slider in self.variances[:K])
        return Setting(means, variances, round(self.balance.value, 6), self.nr_points.value, self.seed.value)

    def draw(self) -> None:
        """Make the artists of the figure, once."""
        axis = self.stage.figure.subplots()
        axis.set(
            xlim=LIMITS,
            ylim=LIMITS,
            xlabel="$x_1$",
            ylabel="$x_2$",
            aspect="equal",
            title="filled: train, hollow: test",
        )
        self.stage.style(axis)
        axis.grid(False)
        axis.title.set_fontweight("normal")
        self.axis = self.stage.clickable = axis
        self.dots = {}
        for k in range(len(MEANS)):
            colour = self.stage.class_colour(k)
            size = 7.0 * self.stage.scale
            for train in (True, False):
                (self.dots[k, train],) = axis.plot(
                    [],
                    [],
                    linestyle="none",
                    marker=CLASS_MARKERS[k],
                    markersize=size,
                    markerfacecolor=colour if train else "none",
                    markeredgecolor=self.stage.look.background if train else colour,
                    markeredgewidth=0.7 if train else 1.8,
                )
        self.lines = {}
        for number, label in enumerate(self.ticks):
            kind = (1, 2) if label == _PER_CLASS else (0, 1)
            style = self.stage.classifier_line(label, *kind, zorder=4 if number else 5)
            (self.lines[label],) = axis.plot([], [], **style)
            self.swatches[label].value = _swatch(style)
        self.stage.moves(*self.dots.values(), *self.lines.values())

    def update(self) -> None:
        """Compute and show what the controls ask for."""
        setting = self.setting
        if setting != self.drawn_for or self.points is None:
            data, points = draw_sample(self.lab, setting)
            clicked = self.points.mine() if self.points is not None else None
            self.data, self.drawn_for = data, setting
            self.points = points if clicked is None else points.and_those(clicked)
        self._show()

    def saved(self, suffix: str) -> bytes:
        """With a legend beside it, as the names and the accuracies stand on the page and not in the figure."""
        if suffix != "png":
            return super().saved(suffix)
        accuracies = self.stage.last_state["accuracies"]
        shown = [label for label in self.lines if np.size(self.lines[label].get_xdata())]
        names = [
            f"{label}: " + ", ".join("–" if number is None else f"{number:.2f}" for number in accuracies[label])
            for label in shown
        ]
        legend = self.stage.legend(
            self.axis,
            [self.lines[label] for label in shown],
            names,
            loc="upper left",
            bbox_to_anchor=(1.02, 1.0),
            borderaxespad=0,
            title=f"accuracy: train, test\nBayes error {self.stage.last_state['bayes_error']:.3f}",
            title_fontsize=self.stage.font(0.85),
            alignment="left",
        )
        legend.get_title().set_color(self.stage.look.foreground)
        try:
            return self.stage.pixels("png", 200, bbox_inches="tight", pad_inches=0.1)
        finally:
            legend.remove()

    def _show(self) -> None:
        """Train what is ticked on the points as they are, and move everything there."""
        points = self.points
        error = float(self.data.get_bayes_error())
        results = []
        for learner in LEARNERS:
            if not self.ticks[learner.label].value:
                results.append(Result(learner.label, None, None, None))
                continue
            with self.stage.attempt(learner.label) as attempt:
                results.append(train_one(self.lab, learner, points))
            if not attempt.ok:
                results.append(Result(learner.label, None, None, None, attempt.reason))
        results.insert(0, best_possible(self.data, points))

        drawn = {}
        for result in results:
            lines: list[np.ndarray] = []
            if result.params is not None and self.ticks[result.label].value:
                lines = decision_boundary(result.params, LIMITS, LIMITS)
            drawn[result.label] = lines
            self.lines[result.label].set_data(*with_gaps(lines).T)
        for (k, train), dots in self.dots.items():
            dots.set_data(*points.X[(points.y == k) & (points.is_train == train)].T)
        heads = "".join(f'<b class="demo-cell">{head}</b>' for head in ("train", "test"))
        rows = "".join(map(self._cells, results))
        self.numbers.value = f'<div style="height:{self.row_height}">{heads}</div>{rows}'
        self.best.value = (
            f'<div class="demo-best">Bayes error <b>{error:.3f}</b>: on new points nobody is right more often than '
            f"<b>{1 - error:.3f}</b>.</div>"
        )
        self.stage.state(
            means=self.drawn_for.means,
            variances=self.drawn_for.variances,
            nr_points=len(points.y),
            nr_mine=int(points.is_mine.sum()),
            mine=points.X[points.is_mine],
            counts=[int((points.y == k).sum()) for k in range(self.nr_classes.value)],
            bayes_error=error,
            boundaries={label: [line[[0, -1]] for line in lines] for label, lines in drawn.items()},
            accuracies={result.label: [result.train_accuracy, result.test_accuracy] for result in results},
        )

    def _cells(self, result: Result) -> str:
        """The accuracies of one classifier, as a row."""
        if result.reason:
            text = '<span class="demo-muted">see above</span>'
        elif not self.ticks[result.label].value:
            text = ""
        else:
            numbers = (result.train_accuracy, result.test_accuracy)
            text = "".join(
                f'<span class="demo-cell">{"–" if number is None else f"{number:.2f}"}</span>' for number in numbers
            )
        return f'<div style="height:{self.row_height};line-height:{self.row_height}">{text}</div>'

    def linked(self) -> dict[str, str]:
        """The controls, and the points that were clicked."""
        own = self.points.mine() if self.points is not None else None
        rows = [] if own is None else zip(own.X, own.y, strict=True)
        points = ";".join(f"{x[0]:g},{x[1]:g},{label}" for x, label in rows)
        return super().linked() | ({"points": points} if points else {})

    def restore(self, values: Mapping[str, str]) -> None:
        """The controls, and the points that were clicked."""
        super().restore(values)
        rows = [row.split(",") for row in values.get("points", "").split(";") if row.count(",") == 2]
        if rows or (self.points is not None and self.points.is_mine.any()):
            self._forget()
        for x1, x2, label in rows:
            if int(label) < self.nr_classes.value:
                self.points = self.points.added((float(x1), float(x2)), int(label))
        if rows:
            self._show()

    def _change_classes(self) -> None:
        three = self.nr_classes.value == 3
        self.groups[2].layout.display = "" if three else "none"
        self.label.options = [("0", 0), ("1", 1), ("2", 2)][: self.nr_classes.value]
        if not three and self.points is not None:
            own = self.points.mine()
            for number in np.flatnonzero(own.y == 2)[::-1]:
                own = own.deleted(number)
            self.points = own
        self.update()

    def _forget(self) -> None:
        self.points = self.drawn_for = None
        self.update()

    # ---- the pointer ----

    def _pointer(self, method: Any, event: Any) -> None:
        if event.inaxes is not self.axis and method != self._release:
            return
        with self.stage.guard():
            changed = method(event)
        if changed:
            self.stage.refresh()
            self.last_end = time.monotonic()

    def _press(self, event: Any) -> bool:
        if event.button != 1:
            return False
        x = (float(event.xdata), float(event.ydata))
        if self.click.value == "add":
            self.points = self.points.added(x, self.label.value)
            self._show()
            return True
        self.grabbed = self._nearest(event)
        if self.grabbed is None:
            return False
        if self.click.value == "delete":
            self.points = self.points.deleted(self.grabbed)
            self.grabbed = None
            self._show()
        return True

    def _drag(self, event: Any) -> bool:
        if self.grabbed is None:
            return False
        self.points = self.points.moved(self.grabbed, (float(event.xdata), float(event.ydata)))
        if time.monotonic() - self.last_end < _REST:
            return False  # there are newer movements in the queue already
        self._show()
        return True

    def _release(self, event: Any) -> bool:
        if self.grabbed is None:
            return False
        self.grabbed = None
        self._show()
        return True

    def _nearest(self, event: Any) -> int | None:
        """The number of the point under the pointer."""
        if not len(self.points.y):
            return None
        places = self.axis.transData.transform(self.points.X)
        distances = np.hypot(*(places - [event.x, event.y]).T)
        number = int(distances.argmin())
        return number if distances[number] <= _PICK * self.stage.figure.dpi / 100 else None


_SUBSCRIPTS = "₀₁₂"


def _swatch(style: dict[str, Any]) -> str:
    """A short piece of a line, as it is in the figure."""
    width = min(style["linewidth"], 5.0)
    dashes = ""
    if style["linestyle"] != "solid":
        dashes = f' stroke-dasharray="{" ".join(f"{width * length:.1f}" for length in style["linestyle"][1])}"'
    return (
        f'<svg viewBox="0 0 44 18" style="display:block;width:{page_pixels(44)}"><line x1="1" x2="43" y1="9" y2="9" '
        f'stroke="{style["color"]}" stroke-width="{width}"{dashes}/></svg>'
    )
