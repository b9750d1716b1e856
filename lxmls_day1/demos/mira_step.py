"""One step of MIRA in detail, and the step of column squishing on the same example.

MIRA looks only at the strongest rival ŷ, and takes the step that the example requires, but at most 1/λ:

    τ = min(1/λ, ℓ / (2 ‖g(x)‖²)),    ℓ = s_ŷ − s_y + ρ,    ρ = 1

Column squishing looks at every rival: the score of the true class rises, and every score less than ρ below it falls.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos import scene as draw
from lxmls_day1.demos.controls import Choice, Points, Slider, Suggestion, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import FailureCollector, checked_update
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import with_gaps

LIMITS = (-3.2, 3.2)
LAMBDAS = np.round(np.logspace(-2, 1.5, 71), 6)  # values of λ at which the curve of τ is computed
FRAMES = LAMBDAS[::2]  # the λ of each frame
MAX_CLASSES = 6
_LENGTH = 0.6  # length of the weight vectors before the step
_ARROW = 2.5  # factor by which the drawn vectors are longer
_TILT = 0.35  # radians; avoids vectors parallel to an axis


@dataclass(frozen=True)
class StepProblem:
    """Weights, and an example for one update."""

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
    def required_tau(self) -> float:
        """The τ that corrects a mistake with its margin; 0 if the prediction is right."""
        rival = int(self.scores.argmax())
        if rival == self.label:
            return 0.0
        return float((self.scores[rival] - self.scores[self.label] + 1.0) / (2 * self.sq_norm))


@dataclass(frozen=True)
class Step:
    """The result of an update rule in a situation."""

    d: np.ndarray  # (K,)
    W: np.ndarray  # (3, K), after the step
    scores: np.ndarray  # (K,), of the same example after the step


def step_problem(n_classes: int, x: tuple[float, float], label: int) -> StepProblem:
    """Return an example and K weight vectors around the origin, like the spokes of a wheel."""
    angles = _TILT + np.pi / 2 - 2 * np.pi * np.arange(n_classes) / n_classes
    return StepProblem(_LENGTH * np.vstack([np.zeros(n_classes), np.cos(angles), np.sin(angles)]), x, label)


def margin(scores: np.ndarray, label: int) -> float:
    """Return the lead of the true class over the best other class; negative for a mistake.

    Examples
    --------
    >>> margin(np.array([1.0, 3.0, 2.5]), 1)
    0.5
    """
    return float(scores[label] - np.delete(scores, label).max())


def step_of(rule: Any, problem: StepProblem, cap: float) -> Step:
    """Compute one step of a rule of the lab.

    Raises
    ------
    InputError
        If the rule does not return K finite numbers.
    """
    d = checked_update(
        rule, len(problem.scores), problem.scores.copy(), problem.label, problem.sq_norm, float(cap), problem.cost
    )
    return Step(d, problem.W + np.outer(problem.g, d), problem.scores + problem.sq_norm * d)


class DemoMiraStep(Demonstration):
    """A demonstration with the plane on the left, and on the right τ as a function of λ above the bars of scores."""

    name = "mira_step"
    title = "MIRA's step, and column squishing"
    order = 30
    summary = "One example: its margin before and after, τ as a function of λ, the cap, and the scores of all classes."
    observations = (
        "MIRA goes just as far as the example requires, to a margin of 1 over its strongest rival, or as far as the cap 1/λ "
        "allows. The bars show what that does to the scores of all classes, and what column squishing does instead."
    )
    suggestions = (
        Suggestion(
            "Press space to play, which raises λ: the dot follows the level line, then moves down along the cap, and the step shrinks."
        ),
        Suggestion(
            "Drag the example towards the wrong class's arrow: the larger the mistake, the higher the level line."
        ),
        Suggestion(
            "Take six classes: MIRA moves two columns; column squishing moves all rivals that are less than 1 below."
        ),
    )
    controls = (
        Points("example", "example", "click into the plane, drag the example, or move it with the arrow keys", [[1.0, 1.2, 2]],
               panel="plane", class_from="label", least=1, most=1, reach=3.2),
        Slider("nr_classes", "classes K", "how many classes there are", 4, values=inclusive_range(2, MAX_CLASSES, 1)),
        Slider("label", "class y", "the true class of the example", 2, values=inclusive_range(0, MAX_CLASSES - 1, 1)),
        Choice("capped", "column squishing", "whether 1/λ limits the step of column squishing, too", False,
               options=(("no cap", False), ("with the cap", True))),
    )  # fmt: skip
    grid = MappingProxyType({"nr_classes": (2, 4, 6), "label": (0, 1, 2), "capped": (False, True)})

    def scene(self, settings: Mapping[str, Any]) -> draw.Scene:
        """Compute the step for each λ."""
        n_classes = settings["nr_classes"]
        [(x1, x2, _)] = settings["example"]
        at = step_problem(n_classes, (float(x1), float(x2)), min(settings["label"], n_classes - 1))
        attempts, taus, found = FailureCollector(), None, dict[str, list[Step]]()
        with attempts("MIRA"):
            rule = self.lab.classifier("mira", "Mira").rule
            steps = [step_of(rule, at, 1 / value) for value in LAMBDAS]
            taus, found["MIRA"] = np.array([step.d[at.label] for step in steps]), steps[::2]
        with attempts("Column squishing"):
            squishings = (
                self.lab.classifier(
                    "column_squishing", "ColumnSquishing", cap=1 / value if settings["capped"] else None
                )
                for value in FRAMES
            )
            found["squishing"] = [step_of(one.rule, at, float(one.steps(1, 1)[0])) for one in squishings]
        return draw.Scene(
            [plane_panel(at, found.get("MIRA")), tau_panel(at, found.get("MIRA"), taus), bars_panel(at, found)],
            draw.by_frame(_sentence(at, value) for value in FRAMES),
            layout=[["plane", "tau"], ["plane", "bars"]],
            columns=(1.25, 1),
            steps=draw.Steps("λ", [f"{value:.2g}" for value in FRAMES], start=int(np.abs(np.log(FRAMES)).argmin()), milliseconds=200),
            table=_table(at, found),
            notes=attempts.sentences(),
            facts={"at": at, "steps": found, "wanted": at.required_tau, "curve": taus},
        )  # fmt: skip


def plane_panel(problem: StepProblem, found: list[Step] | None) -> draw.Panel:
    """Return the plane with the weights as arrows, the boundaries and the example, before and after the step."""
    after = [problem.W] if found is None else [step.W for step in found]
    boundaries = [with_gaps(decision_boundary(W, LIMITS, LIMITS)) for W in (problem.W, *after)]
    marks: list[draw.Mark] = [
        draw.line(boundaries[0], draw.MUTED, (3, 2), label="boundaries before"),
        draw.learner_line(draw.by_frame(boundaries[1:]), "MIRA", width=1.4, label="after MIRA's step"),
    ]
    for k in range(problem.W.shape[1]):
        tips = [_ARROW * W[1:, k] for W in after]
        marks += [
            draw.arrow((0, 0), _ARROW * problem.W[1:, k], draw.MUTED, (3, 2)),
            draw.arrow(
                (0, 0), draw.by_frame(tips), draw.CLASSES[k], width=1.3, label="" if k else "weights of each class"
            ),
            draw.text(
                draw.by_frame(tip + 0.3 * tip / max(np.hypot(*tip), 1e-9) for tip in tips),
                str(k),
                draw.CLASSES[k],
                size=1.1,
            ),
        ]
    title = f"true class {problem.label}, predicted {int(problem.scores.argmax())}"
    return draw.Panel("plane", title, draw.Axis(*LIMITS, label="x₁"), draw.Axis(*LIMITS, label="x₂"), marks, equal=True)


def tau_panel(problem: StepProblem, found: list[Step] | None, taus: np.ndarray | None) -> draw.Panel:
    """Return the plot of τ as a function of λ: the value that the example requires, limited by the cap."""
    top = 1.7 * max(problem.required_tau, 0.15)
    marks = [
        draw.line(np.column_stack([LAMBDAS, 1 / LAMBDAS]), draw.CLASSES[2], (6, 2), label="cap 1/λ"),
        draw.line(
            [[LAMBDAS[0], problem.required_tau], [LAMBDAS[-1], problem.required_tau]],
            draw.INK,
            (2, 2),
            label="ℓ / 2‖g(x)‖²",
        ),
    ]
    if found is not None and taus is not None:
        here = np.column_stack([FRAMES, [step.d[problem.label] for step in found]])
        marks += [
            draw.learner_line(np.column_stack([LAMBDAS, taus]), "MIRA", width=1.8, label="τ of MIRA"),
            draw.points(draw.by_frame(here[:, None]), draw.learner_style("MIRA")["colour"], "o", size=1.6),
        ]
    return draw.Panel(
        "tau", "the step τ", draw.Axis(LAMBDAS[0], LAMBDAS[-1], label="λ", scale="log"), draw.Axis(0, top), marks
    )


def bars_panel(problem: StepProblem, found: Mapping[str, list[Step]]) -> draw.Panel:
    """Return the bars with the scores of the example: before, after MIRA's step, after column squishing."""
    K = len(problem.scores)
    places = np.arange(K)
    zeros = np.zeros(K)

    def heights(scores: np.ndarray, number: int) -> np.ndarray:
        return np.column_stack([places + 0.27 * (number - 1), zeros, scores])

    marks = [draw.bars(heights(problem.scores, 0), draw.MUTED, thickness=0.25, pattern="outline", label="before")]
    low, high = float(min(problem.scores.min(), 0)), float(problem.scores.max())
    for number, (name, label, pattern) in enumerate(
        (("MIRA", "MIRA", ""), ("squishing", "column squishing", "light")), 1
    ):
        if name in found:
            colour = draw.learner_style(label)["colour"]
            all_scores = [step.scores for step in found[name]]
            marks.append(
                draw.bars(
                    draw.by_frame(heights(scores, number) for scores in all_scores),
                    colour,
                    thickness=0.25,
                    pattern=pattern,
                    label=label,
                )
            )
            low, high = min(low, float(np.min(all_scores))), max(high, float(np.max(all_scores)))
    if "squishing" in found:
        level = [step.scores[problem.label] - 1 for step in found["squishing"]]
        goal = draw.by_frame([[-0.6, value], [K - 0.4, value]] for value in level)
        marks.append(draw.learner_line(goal, "column squishing", label="1 below y"))
    room = 0.1 * (high - low)
    ticks = [(k, f"{k} = y" if k == problem.label else str(k)) for k in range(K)]
    return draw.Panel(
        "bars",
        "scores of the example",
        draw.Axis(-0.6, K - 0.4, label="class", ticks=ticks),
        draw.Axis(low - room, high + room),
        marks,
    )


def _sentence(at: StepProblem, regularizer: float) -> str:
    rival = int(at.scores.argmax())
    if not at.required_tau:
        return f"λ = {regularizer:.2g}: the prediction is correct, and MIRA does nothing"
    if at.required_tau > 1 / regularizer:
        return f"λ = {regularizer:.2g}: the cap 1/λ limits τ"
    return f"λ = {regularizer:.2g}: τ raises class {at.label} above class {rival} by 1"


def _table(at: StepProblem, found: Mapping[str, list[Step]]) -> draw.Table:
    names = {"MIRA": "MIRA", "squishing": "column squishing"}

    def rows(frame: int) -> list[list[str]]:
        states = [("before", at.scores, at.W)]
        states += [(names[name], each[frame].scores, each[frame].W) for name, each in found.items()]
        return [
            [name, f"{margin(scores, at.label):+.2f}", f"{np.linalg.norm(W - at.W):.2f}"] for name, scores, W in states
        ]

    return draw.Table(("", "margin", "‖ΔW‖"), draw.by_frame(map(rows, range(len(FRAMES)))))
