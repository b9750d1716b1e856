"""One step of MIRA under the magnifying glass, and the step of column squishing on the same example.

MIRA looks at the strongest rival ŷ only, and goes as far as the example asks for or λ allows:

    τ = min(1/λ, ℓ / (2 ‖g(x)‖²)),    ℓ = s_ŷ − s_y + ρ,    ρ = 1

Column squishing looks at every rival: the true class goes up, and whoever is less than ρ below it comes down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.errors import InputError
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import with_gaps

LIMITS = (-3.2, 3.2)
LAMBDAS = np.round(np.logspace(-2, 1.5, 71), 6)  # where the curve of τ is computed
MOST_CLASSES = 6
_LENGTH = 0.6  # of the weight vectors before the step
_ARROW = 2.5  # how much longer they are drawn
_TILT = 0.35  # radians, so that nothing is parallel to an axis


@dataclass(frozen=True)
class Situation:
    """Weights, and one example that they are to learn."""

    W: np.ndarray  # (3, K), intercepts first
    x: tuple[float, float]
    label: int

    @property
    def g(self) -> np.ndarray:
        """g(x) = (1, x), (3,)."""
        return np.array([1.0, *self.x])

    @property
    def scores(self) -> np.ndarray:
        """s = g(x)ᵀ W, (K,)."""
        return np.asarray(self.g @ self.W)

    @property
    def sq_norm(self) -> float:
        """‖g(x)‖²."""
        return float(self.g @ self.g)

    @property
    def cost(self) -> np.ndarray:
        """ρ(·, y), (K,): 1 for every wrong class."""
        return np.asarray(1.0 - np.eye(self.W.shape[1])[self.label])

    @property
    def wanted(self) -> float:
        """The τ that puts a mistake right with its margin; 0 where the prediction is right."""
        rival = int(self.scores.argmax())
        if rival == self.label:
            return 0.0
        return float((self.scores[rival] - self.scores[self.label] + 1.0) / (2 * self.sq_norm))


@dataclass(frozen=True)
class Step:
    """What a rule does to a situation."""

    d: np.ndarray  # (K,)
    W: np.ndarray  # (3, K), after the step
    scores: np.ndarray  # (K,), of the same example after the step


def situation(n_classes: int, x: tuple[float, float], label: int) -> Situation:
    """K weight vectors around the origin, as the spokes of a wheel, and an example."""
    angles = _TILT + np.pi / 2 - 2 * np.pi * np.arange(n_classes) / n_classes
    return Situation(_LENGTH * np.vstack([np.zeros(n_classes), np.cos(angles), np.sin(angles)]), x, label)


def margin(scores: np.ndarray, label: int) -> float:
    """By how much the true class leads the best of the others; negative for a mistake.

    Examples
    --------
    >>> margin(np.array([1.0, 3.0, 2.5]), 1)
    0.5
    """
    return float(scores[label] - np.delete(scores, label).max())


def step_of(rule: Any, at: Situation, cap: float) -> Step:
    """One step of a rule of the lab.

    Raises
    ------
    InputError
        If the rule returns something else than K numbers.
    """
    d = rule(at.scores, at.label, at.sq_norm, float(cap), at.cost)
    if np.shape(d) != at.scores.shape:
        raise InputError(
            f"{getattr(rule, '__name__', 'the rule')} must return d, one number for each class, but returned {d!r}."
        )
    d = np.asarray(d, dtype=float)
    return Step(d, at.W + np.outer(at.g, d), at.scores + at.sq_norm * d)


def tau_curve(rule: Any, at: Situation, lambdas: np.ndarray) -> np.ndarray:
    """τ for each λ: what the rule gives to the true class when the cap is 1/λ."""
    return np.array([step_of(rule, at, 1 / value).d[at.label] for value in lambdas])


class DemoMiraStep(Demonstration):
    """The page: the plane on the left, τ as a function of λ above the bars of scores on the right."""

    name = "mira_step"
    title = "MIRA's step, and column squishing"
    summary = "One example: its margin before and after, τ as a function of λ, the cap, and the scores of all classes."
    look_at = (
        "MIRA goes just as far as the example asks for, a margin of 1 over its strongest rival, or as far as the cap 1/λ lets it. "
        "The bars show what that does to the scores of all classes, and what column squishing does instead."
    )
    to_try = (
        "Raise λ (press space): the dot follows the level line, then slides down the cap, and the step shrinks.",
        "Click into the plane near the wrong class's arrow: the farther the mistake, the higher the level line.",
        "Take six classes: MIRA moves two columns, squishing all rivals that are less than 1 below.",
    )
    tips = MappingProxyType(
        {
            "x1": "where the example is, first coordinate",
            "x2": "where the example is, second coordinate",
            "nr_classes": "how many classes there are",
            "label": "the true class of the example",
            "capped": "hold back the step of column squishing by 1/λ, too",
            "regularizer": "λ: no step τ is longer than 1/λ",
        }
    )

    def controls(self) -> list[Any]:
        """The widgets of the page, from left to right."""
        import ipywidgets as widgets

        self.stage.size(900, 600)
        self.regularizer = widgets.FloatLogSlider(value=1.0, base=10, min=-2, max=1.5, step=0.05, description="λ")
        self.x1 = widgets.FloatSlider(value=1.0, min=-3, max=3, step=0.1, description="x₁", readout_format=".1f")
        self.x2 = widgets.FloatSlider(value=1.2, min=-3, max=3, step=0.1, description="x₂", readout_format=".1f")
        self.nr_classes = widgets.IntSlider(value=4, min=2, max=MOST_CLASSES, description="classes K")
        self.label = widgets.IntSlider(value=2, min=0, max=3, description="class y")
        player = self.steps(len(LAMBDAS) - 1, 400)
        self.capped = widgets.Checkbox(value=False, description="cap column squishing, too", indent=False)
        for control in (self.regularizer, self.x1, self.x2, self.nr_classes, self.label):
            control.layout.width = "100%"
            control.style.description_width = "5em"
        self.table = widgets.HTML()
        self.on_change(self.update, self.regularizer, self.x1, self.x2, self.label, self.capped)
        self.on_change(self._change_classes, self.nr_classes)
        self.on_change(lambda: self.go_to(self.play.value), self.play)
        canvas = self.stage.figure.canvas
        canvas.mpl_connect("button_press_event", self._click)
        hint = widgets.HTML('<span class="demo-muted">or click into the plane</span>')
        left = [self.regularizer, player, self.x1, self.x2, hint, self.nr_classes, self.label, self.capped, self.table]
        return [self.stage.beside(left, self.stage.view(), width=340)]

    def frames(self) -> Sequence[int]:
        """The numbers of the steps."""
        return range(0, len(LAMBDAS), 2)

    def go_to(self, frame: int) -> None:
        """Show one step."""
        self.regularizer.value = float(LAMBDAS[frame])

    def current(self) -> int:
        """The number of the step that is shown."""
        return int(np.abs(np.log(LAMBDAS / self.regularizer.value)).argmin())

    def draw(self) -> None:
        """Make the artists of the figure, once."""
        stage, look = self.stage, self.stage.look
        axes = stage.figure.subplot_mosaic([["plane", "tau"], ["plane", "bars"]], width_ratios=[1.25, 1])
        self.plane, self.tau, self.bars = axes["plane"], axes["tau"], axes["bars"]
        stage.clickable = self.plane
        self.plane.set(xlim=LIMITS, ylim=LIMITS, aspect="equal", xlabel="$x_1$", ylabel="$x_2$", title="the example")
        self.tau.set(xscale="log", xlim=(LAMBDAS[0], LAMBDAS[-1]), xlabel="λ", title="the step τ")
        self.bars.set(title="scores of the example", xlabel="class")
        stage.style(*axes.values())
        self.tau.minorticks_off()
        self.plane.grid(False)
        self.bars.grid(False)
        self.plane.text(
            *(LIMITS[0] + 0.15,) * 2,
            "arrows: weights of each class",
            fontsize=stage.font(0.8),
            color=look.muted,
            va="bottom",
        )
        (self.before,) = self.plane.plot([], [], color=look.muted, linewidth=2.6 * stage.scale, linestyle=(0, (3, 2)))
        (self.after,) = self.plane.plot([], [], **stage.classifier_line("MIRA", linewidth=3.6 * stage.scale))
        (self.example,) = self.plane.plot([], [], "o", markersize=17 * stage.scale, zorder=6)
        self.example.set(markeredgecolor=look.foreground, markeredgewidth=3 * stage.scale)
        self.arrows = [self._pair_of_arrows(k) for k in range(MOST_CLASSES)]
        self.names = [
            self.plane.text(0, 0, "", fontsize=stage.font(1.1), ha="center", va="center") for _ in self.arrows
        ]

        (self.cap_line,) = self.tau.plot(
            LAMBDAS, 1 / LAMBDAS, label="cap 1/λ", **stage.line(2, linewidth=2.6 * stage.scale)
        )
        (self.wish_line,) = self.tau.plot([], [], label="ℓ / 2‖g(x)‖²", **stage.line(1, linewidth=2.6 * stage.scale))
        (self.tau_line,) = self.tau.plot(
            [], [], label="τ", **stage.classifier_line("MIRA", linewidth=4.6 * stage.scale)
        )
        (self.here,) = self.tau.plot(
            [], [], "o", markersize=14 * stage.scale, color=self.tau_line.get_color(), zorder=5
        )
        self.here.set_markeredgecolor(look.foreground)
        stage.legend(self.tau, loc="lower left", handlelength=2.4)
        self._draw_bars()

    def _pair_of_arrows(self, k: int) -> dict[str, Any]:
        from matplotlib.patches import FancyArrowPatch

        stage = self.stage
        pair = {}
        for name, colour, width in (("old", stage.look.muted, 2.4), ("new", stage.class_colour(k), 4.0)):
            pair[name] = FancyArrowPatch(
                (0, 0), (0, 0), arrowstyle="-|>", mutation_scale=20 * stage.scale, shrinkA=0, shrinkB=0
            )
            pair[name].set(
                color=colour, linewidth=width * stage.scale, linestyle="--" if name == "old" else "-", zorder=4
            )
            self.plane.add_patch(pair[name])
        return pair

    def _draw_bars(self) -> None:
        """Three bars for each class: before, after MIRA, after column squishing."""
        stage, look = self.stage, self.stage.look
        K = self.nr_classes.value
        squishing = stage.classifier_line("column squishing", linewidth=2.4 * stage.scale)
        for container in list(self.bars.containers):
            container.remove()
        styles: tuple[tuple[str, dict[str, Any]], ...] = (
            ("before", {"facecolor": look.background, "edgecolor": look.muted, "linewidth": 2.4, "linestyle": "--"}),
            ("MIRA", {"facecolor": stage.classifier_line("MIRA")["color"], "edgecolor": look.foreground}),
            ("squishing", {"facecolor": squishing["color"], "edgecolor": look.foreground, "hatch": "//"}),
        )
        self.heights = {
            name: self.bars.bar(np.arange(K) + 0.27 * (number - 1), np.zeros(K), width=0.25, label=name, **style)
            for number, (name, style) in enumerate(styles)
        }
        self.bars.set_xlim(-0.6, K - 0.4)
        if not hasattr(self, "zero") or self.zero.axes is not self.bars:
            self.zero: Any = self.bars.axhline(0, color=look.muted, linewidth=1.4)
            (self.goal,) = self.bars.plot([], [], **squishing)
        stage.legend(
            self.bars, loc="upper right", ncols=3, handlelength=1.2, columnspacing=0.8, fontsize=stage.font(0.75)
        )

    def _change_classes(self) -> None:
        with self.together():
            self.label.max = self.nr_classes.value - 1
        self._draw_bars()
        self.update()

    def _click(self, event: Any) -> None:
        if event.inaxes is not self.plane or event.button != 1:
            return
        with self.together():
            self.x1.value, self.x2.value = round(float(event.xdata), 1), round(float(event.ydata), 1)
        self.do(self.update)

    def update(self) -> None:
        """Compute and show what the controls ask for."""
        at = situation(self.nr_classes.value, (self.x1.value, self.x2.value), self.label.value)
        cap = 1 / self.regularizer.value
        steps: dict[str, Step] = {}
        taus = None
        with self.stage.attempt("MIRA"):
            rule = self.lab.classifier("mira", "Mira").rule
            taus = tau_curve(rule, at, LAMBDAS)
            steps["MIRA"] = step_of(rule, at, cap)
        with self.stage.attempt("Column squishing"):
            squishing = self.lab.classifier(
                "column_squishing", "ColumnSquishing", cap=cap if self.capped.value else None
            )
            steps["squishing"] = step_of(squishing.rule, at, float(squishing.steps(1, 1)[0]))
        self._show_plane(at, steps.get("MIRA"))
        self._show_tau(at, taus, steps.get("MIRA"))
        self._show_bars(at, steps)
        self._show_table(at, steps)
        self.stage.state(
            example=at.x,
            label=at.label,
            regularizer=self.regularizer.value,
            cap=cap,
            wanted=at.wanted,
            tau=None if "MIRA" not in steps else steps["MIRA"].d[at.label],
            curve=taus,
            scores={"before": at.scores} | {name: step.scores for name, step in steps.items()},
            margins={"before": margin(at.scores, at.label)}
            | {name: margin(step.scores, at.label) for name, step in steps.items()},
        )

    def _show_plane(self, at: Situation, step: Step | None) -> None:
        W = at.W if step is None else step.W
        self.before.set_data(*with_gaps(decision_boundary(at.W, LIMITS, LIMITS)).T)
        self.after.set_data(*with_gaps(decision_boundary(W, LIMITS, LIMITS)).T)
        self.example.set_data([at.x[0]], [at.x[1]])
        self.example.set_markerfacecolor(self.stage.class_colour(at.label))
        for k, (pair, name) in enumerate(zip(self.arrows, self.names, strict=True)):
            there = k < W.shape[1]
            for which, end in (("old", at.W), ("new", W)):
                pair[which].set_visible(there)
                if there:
                    pair[which].set_positions((0, 0), tuple(_ARROW * end[1:, k]))
            name.set_text(str(k) if there else "")
            if there:
                tip = _ARROW * W[1:, k]
                name.set_position(tip + 0.3 * tip / max(np.hypot(*tip), 1e-9))
                name.set_color(self.stage.class_colour(k))
        self.plane.title.set_text(f"true class {at.label}, predicted {int(at.scores.argmax())}")

    def _show_tau(self, at: Situation, taus: np.ndarray | None, step: Step | None) -> None:
        self.wish_line.set_data(LAMBDAS[[0, -1]], [at.wanted] * 2)
        self.tau_line.set_data(LAMBDAS if taus is not None else [], taus if taus is not None else [])
        here = [] if step is None else [step.d[at.label]]
        self.here.set_data([self.regularizer.value] if here else [], here)
        self.tau.set_ylim(0, 1.7 * max(at.wanted, 0.15))

    def _show_bars(self, at: Situation, steps: dict[str, Step]) -> None:
        heights = {"before": at.scores} | {name: step.scores for name, step in steps.items()}
        for name, bars in self.heights.items():
            for k, bar in enumerate(bars):
                bar.set_height(heights[name][k] if name in heights else 0.0)
        labels = [f"{k}" if k != at.label else f"{k} = y" for k in range(len(at.scores))]
        self.bars.set_xticks(range(len(labels)), labels)
        level = heights["squishing"][at.label] - 1 if "squishing" in heights else np.nan
        self.goal.set_data(self.bars.get_xlim(), [level, level])
        low, high = min(map(np.min, heights.values())), max(map(np.max, heights.values()))
        self.bars.set_ylim(min(low, 0) - 0.15, max(high, 0) + 0.35 * max(high - low, 1))

    def _show_table(self, at: Situation, steps: dict[str, Step]) -> None:
        rows = [("before", at.scores, at.W)] + [(name, step.scores, step.W) for name, step in steps.items()]
        cells = "".join(
            f"<tr><td>{name}</td><td>{margin(scores, at.label):+.2f}</td><td>{np.linalg.norm(W - at.W):.2f}</td></tr>"
            for name, scores, W in rows
        )
        rival = int(at.scores.argmax())
        text = f"τ lifts class {at.label} above class {rival} by 1"
        if not at.wanted:
            text = "right: MIRA does nothing"
        elif at.wanted > 1 / self.regularizer.value:
            text = "the cap 1/λ holds τ back"
        self.table.value = f"<div>{text}</div><table><tr><th></th><th>margin</th><th>‖ΔW‖</th></tr>{cells}</table>"
