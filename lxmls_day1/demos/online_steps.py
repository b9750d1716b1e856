"""The perceptron, step by step; and perceptron, MIRA, SVM and maximum entropy side by side on the same order.

Every step is computed beforehand with the lab's own rules, and kept: so a step back shows the very weights that were
there. A step shows the example under the pointer, whether it is a mistake, the weight vector before and after it as
arrows from the origin (what joins their tips is the step, along the example), and how the boundary turns. Beside it the
mistakes so far against the most that a perceptron can make on these points (see ``classifiers/mistake_bounds.py``).
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.learners import Learner
from lxmls_day1.demos.online_traces import Trace, bound_of, points_of, trace_of, visits
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import CLASS_MARKERS, with_gaps

HEIGHT = (-4.0, 4.0)  # of every plane
WIDTHS = {1: (-4.0, 4.0), 4: (-6.2, 6.2)}  # of one plane, and of each of four
LEARNERS = (
    Learner("perceptron", "Perceptron", {}, "Perceptron"),
    Learner("mira", "Mira", {}, "MIRA"),
    Learner("svm", "SVM", {}, "SVM"),
    Learner("max_ent_online", "MaxEntOnline", {}, "Max. entropy"),
)
SPEEDS = (("slow", 1600), ("normal", 800), ("fast", 300))  # milliseconds for a step
_LONGEST_ARROW = 3.2  # units of the plane


class DemoOnlineSteps(Demonstration):
    """The page: controls on the left; the plane and the count of mistakes, or four planes, on the right."""

    name = "online_steps"
    title = "Online learners, step by step"
    summary = "The perceptron, one example at a time; MIRA, SVM and maximum entropy on the same order."
    look_at = (
        "The dashed line and arrow are the weights before a step, the coloured ones those after it; the step goes along the "
        "ringed example, and only where that was a mistake. On the right the mistakes add up, below what the bound allows."
    )
    to_try = (
        "Press space, and let it run: where does the count of mistakes stop, and how far below the bound?",
        "Move the classes closer (distance 2): the bound rises, then no line parts them and it is gone.",
        "Show all four, with a large λ: MIRA's steps shrink, and the SVM moves for right answers too.",
    )
    tips = MappingProxyType(
        {
            "view": "the perceptron alone, or all four learners on the same order",
            "speed": "how fast it plays",
            "nr_points": "how many points there are",
            "distance": "how far apart the two classes are",
            "nr_rounds": "how often all points are visited",
            "seed": "another sample, in another order",
            "regularizer": "λ of MIRA, SVM and maximum entropy: the larger, the smaller their steps or weights",
            "position": "after how many steps",
        }
    )
    variants = MappingProxyType({"": {}, "_all_four": {"view": 4}})
    telling_frame = 5

    def controls(self) -> list[Any]:
        """The widgets of the page, from left to right."""
        import ipywidgets as widgets

        self.stage.size(880, 600)
        self.view = widgets.ToggleButtons(options=[("perceptron", 1), ("all four", 4)])
        self.view.style.button_width = "auto"
        self.position = widgets.IntSlider(value=0, min=0, max=60, description="step")
        player = self.steps(60, SPEEDS[1][1], self.position)
        self.speed = widgets.ToggleButtons(options=SPEEDS, value=SPEEDS[1][1])
        self.speed.style.button_width = "auto"
        self.nr_points = widgets.IntSlider(value=20, min=6, max=60, step=2, description="points")
        self.distance = widgets.FloatSlider(value=3.5, min=1, max=6, step=0.25, description="distance")
        self.nr_rounds = widgets.IntSlider(value=3, min=1, max=10, description="rounds")
        self.seed = widgets.IntSlider(value=2, min=1, max=50, description="seed")
        self.regularizer = widgets.FloatLogSlider(value=0.1, base=10, min=-3, max=1, step=0.25, description="λ")
        for control in (self.position, self.nr_points, self.distance, self.nr_rounds, self.seed, self.regularizer):
            control.layout.width = "100%"
            control.style.description_width = "4.6em"
        self.table = widgets.HTML()

        self.on_change(self._retrace, self.nr_points, self.distance, self.nr_rounds, self.seed, self.regularizer)
        self.on_change(self._show, self.position)
        self.on_change(self.redraw, self.view)
        self.speed.observe(lambda change: setattr(self.play, "interval", change["new"]), names="value")
        self.traced = False
        data = [self.nr_points, self.distance, self.nr_rounds, self.seed, self.regularizer]
        steps = [player, self.position]
        return [self.stage.beside([self.view, *steps, self.speed, *data, self.table], self.stage.view())]

    def frames(self) -> Sequence[int]:
        """The numbers of the steps."""
        return range(self.position.max + 1)

    def go_to(self, frame: int) -> None:
        """Show one step."""
        self.position.value = int(np.clip(frame, 0, self.position.max))

    def current(self) -> int:
        """The number of the step that is shown."""
        return int(self.position.value)

    def update(self) -> None:
        """Compute and show what the controls ask for."""
        if self.traced:
            self._show()
        else:
            self._trace()

    # ---- computing ----

    def _retrace(self) -> None:
        """Another sample, or another λ: all steps anew, from the start."""
        self._trace()

    def _trace(self) -> None:
        self.X, self.y = points_of(self.lab, self.nr_points.value, self.distance.value, self.seed.value)
        self.order = visits(len(self.y), self.nr_rounds.value, self.seed.value)
        self.traces: dict[str, Trace] = {}
        self.bound, self.bound_note = None, "not computed"
        for learner in LEARNERS:
            with self.stage.attempt(learner.label):
                settings = {} if learner.label == "Perceptron" else {"regularizer": self.regularizer.value}
                classifier = self.lab.classifier(learner.module, learner.class_name, **settings)
                self.traces[learner.label] = trace_of(classifier, learner.label, self.X, self.y, self.order)
        with self.stage.attempt("The mistake bound") as attempt:
            self.bound = bound_of(self.lab, self.X, self.y)
            self.bound_note = "no line parts the points: no bound" if self.bound is None else ""
        if not attempt.ok:
            self.bound_note = "bound: to be written"
        self.traced = True
        with self.together():
            self.position.max = self.play.max = self.order.size
            self.position.value = 0
        self._place_count()
        self._show()

    # ---- drawing ----

    def draw(self) -> None:
        """Make the artists of the figure, once."""
        from matplotlib.ticker import MaxNLocator

        figure, count = self.stage.figure, None
        if self.view.value == 4:
            axes = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
            labels = [learner.label for learner in LEARNERS]
        else:
            grid = figure.add_gridspec(1, 2, width_ratios=[1.75, 1])
            axes, labels = [figure.add_subplot(grid[0])], [LEARNERS[0].label]
            count = figure.add_subplot(grid[1])
        self.panels = {
            label: Panel(self.stage, axis, label, large=count is not None)
            for label, axis in zip(labels, axes, strict=True)
        }
        self.count = count
        if count is not None:
            count.set(xlabel="step", title="mistakes")
            self.stage.style(count)
            count.yaxis.set_major_locator(MaxNLocator(integer=True))
            (self.made,) = count.plot(
                [], [], drawstyle="steps-post", **self.stage.classifier_line("Perceptron", linestyle="solid")
            )
            (self.limit,) = count.plot([], [], **self.stage.line(1))
            self.limit_text = count.text(
                0.04,
                0.985,
                "",
                transform=count.transAxes,
                va="top",
                fontsize=self.stage.font(),
                color=self.stage.look.foreground,
            )
        if self.traced:
            self._place_count()

    def _place_count(self) -> None:
        if self.count is None:
            return
        most = self.traces["Perceptron"].mistakes(self.order.size) if "Perceptron" in self.traces else 1
        bound = self.bound.updates if self.bound else None
        if self.bound is None or bound is None:
            self.limit.set_data([], [])
            self.limit_text.set_text(self.bound_note)
        else:
            self.limit.set_data([0, self.order.size], [bound, bound])
            self.limit_text.set_text(
                f"at most {bound:.0f}  =  2K R²/γ²\nR = {self.bound.radius:.2f}, γ = {self.bound.margin:.2f}"
            )
        self.count.set_xlim(0, self.order.size)
        self.count.set_ylim(0, 1.25 * max(most, bound or 0, 1))

    def _show(self) -> None:
        """Move everything to the step of the slider."""
        step = min(self.position.value, self.order.size)
        m = int(self.order.ravel()[step - 1]) if step else None
        for label, panel in self.panels.items():
            panel.show(self.X, self.y, self.traces.get(label), step, m)
        if self.count is not None and "Perceptron" in self.traces:
            so_far = np.arange(step + 1)
            self.made.set_data(so_far, np.concatenate([[0], self.traces["Perceptron"].is_mistake[:step].cumsum()]))
        self.table.value = self._counts(step, m)
        self.stage.state(
            step=step,
            steps=self.order.size,
            example=m,
            label=None if m is None else int(self.y[m]),
            weights={label: trace.weights[step] for label, trace in self.traces.items()},
            mistakes={label: trace.mistakes(step) for label, trace in self.traces.items()},
            updates={label: trace.changes(step) for label, trace in self.traces.items()},
            bound=self.bound.updates if self.bound else None,
            boundaries={label: panel.lines for label, panel in self.panels.items()},
        )

    def _counts(self, step: int, m: int | None) -> str:
        where = (
            f"round {(step - 1) // len(self.y) + 1}, example {m} of class {self.y[m]}"
            if step
            else "before the first example"
        )
        rows = "".join(
            f"<tr><td>{label}</td><td>{trace.mistakes(step)}</td><td>{trace.changes(step)}</td>"
            f"<td>{np.linalg.norm(trace.normal(step)):.2f}</td></tr>"
            for label, trace in self.traces.items()
        )
        heads = "<tr><th></th><th>mistakes</th><th>updates</th><th>‖w‖</th></tr>"
        return f"<div>{where}</div><table>{heads}{rows}</table>"


class Panel:
    """One learner's plane: points, the example under the pointer, boundary and weights before and after the step."""

    def __init__(self, stage: Any, axis: Any, label: str, large: bool):
        from matplotlib.patches import FancyArrowPatch

        self.stage, self.axis, self.label, self.large = stage, axis, label, large
        self.lines: list[np.ndarray] = []
        look, scale = stage.look, stage.scale
        self.limits = (WIDTHS[1] if large else WIDTHS[4], HEIGHT)
        axis.set(xlim=self.limits[0], ylim=self.limits[1], aspect="equal", title=label)
        if large:
            axis.set(xlabel="$x_1$", ylabel="$x_2$")
        stage.style(axis)
        axis.grid(False)
        size = (11.0 if large else 8.0) * scale
        self.dots = []
        for k, marker in enumerate(CLASS_MARKERS[:2]):
            (dots,) = axis.plot([], [], linestyle="none", marker=marker, markersize=size, color=stage.class_colour(k))
            dots.set_markeredgecolor(look.background)
            self.dots.append(dots)
        (self.ring,) = axis.plot([], [], linestyle="none", marker="o", markersize=2.3 * size, markerfacecolor="none")
        self.ring.set(markeredgecolor=look.foreground, markeredgewidth=3.0 * scale)
        self.verdict = axis.text(
            0, 0, "", fontsize=stage.font(1.5), color=look.foreground, fontweight="bold", ha="left", va="bottom"
        )
        (self.before,) = axis.plot([], [], color=look.muted, linewidth=2.6 * scale, linestyle=(0, (3, 2)))
        own = stage.classifier_line(label, linewidth=3.6 * scale)
        (self.after,) = axis.plot([], [], **own)
        self.arrows: dict[str, Any] = {}
        for name, colour, width in (
            ("old", look.muted, 3.0),
            ("new", own["color"], 4.0),
            ("step", look.foreground, 3.4),
        ):
            arrow = FancyArrowPatch((0, 0), (0, 0), arrowstyle="-|>", mutation_scale=24 * scale, shrinkA=0, shrinkB=0)
            arrow.set(
                color=colour,
                linewidth=width * scale,
                zorder=5 + len(self.arrows),
                linestyle="--" if name == "old" else "-",
            )
            axis.add_patch(arrow)
            self.arrows[name] = arrow
        self.legend_texts()

    def legend_texts(self) -> None:
        """Name the arrows in the large plane, where there is room."""
        if self.large:
            from matplotlib.lines import Line2D

            look = self.stage.look
            handles = [
                Line2D([], [], color=look.muted, linewidth=3, linestyle="--", label="before"),
                Line2D([], [], label="after", **self.stage.classifier_line(self.label)),
                Line2D([], [], color=look.foreground, linewidth=3.4, label="the step"),
            ]
            self.stage.legend(self.axis, handles=handles, loc="lower right", ncols=1, handlelength=2)

    def show(self, X: np.ndarray, y: np.ndarray, trace: Trace | None, step: int, m: int | None) -> None:
        """Move to a step; without a trace only the points are there."""
        for k, dots in enumerate(self.dots):
            dots.set_data(*X[y == k].T)
        if m is None:
            self.ring.set_data([], [])
            self.verdict.set_text("")
        else:
            self.ring.set_data(*X[m][:, None])
            self.verdict.set_position(X[m] + [0.22, 0.18])
        if trace is None:
            self.axis.title.set_text(f"{self.label}: to be written")
            return
        self.lines = decision_boundary(trace.weights[step], *self.limits)
        earlier = decision_boundary(trace.weights[max(step - 1, 0)], *self.limits)
        self.after.set_data(*with_gaps(self.lines).T)
        self.before.set_data(*with_gaps(earlier).T)
        lengths = [float(np.linalg.norm(trace.normal(t))) for t in range(len(trace.weights))]
        unit = _LONGEST_ARROW / max(*lengths, 1e-9)
        old, new = unit * trace.normal(max(step - 1, 0)), unit * trace.normal(step)
        for name, start, end in (("old", (0, 0), old), ("new", (0, 0), new), ("step", old, new)):
            self.arrows[name].set_positions(start, end)
            length = np.hypot(*np.subtract(end, start))
            self.arrows[name].set_visible(bool(length > 0.02))
            self.arrows[name].set_mutation_scale(24 * self.stage.scale * min(1.0, length))
        if m is None:
            verdict = "before the first step"
        else:
            wrong = trace.is_mistake[step - 1]
            self.verdict.set_text("✗" if wrong else "✓")
            changed = bool(np.any(trace.updates[step - 1]))
            verdict = "a mistake" if wrong else "right" + (", but moved" if changed else "")
        if self.large:
            self.axis.title.set_text(f"step {step}: {verdict}" if step else verdict)
        else:
            count = trace.mistakes(step)
            moved = step and np.any(trace.updates[step - 1])
            self.axis.title.set_text(f"{self.label}: {count} mistake{'s' * (count != 1)}{', moved' if moved else ''}")
