"""One step of MIRA, and in a second scene the step of column squishing on the same example.

MIRA looks only at the strongest rival ŷ, and takes the step that the example requires, but at most 1/λ:

    τ = min(1/λ, ℓ / (2 ‖g(x)‖²)),    ℓ = s_ŷ − s_y + ρ,    ρ = 1

Column squishing looks at every rival: the score of the true class rises, and every score less than ρ below it falls.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.demos import scene as draw
from lxmls_day1.demos.controls import Choice, Points, Slider, Suggestion, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import FailureCollector, checked_update
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import with_gaps

LIMITS = (-3.2, 3.2)
FRAMES = np.round(np.logspace(-0.5, 1.5, 21), 6)  # the λ of each frame
_START = int(np.abs(np.log(FRAMES)).argmin())  # λ = 1
MAX_CLASSES = 6
_LENGTH = 0.6  # length of the weight vectors before the step
_ARROW = 3.5  # factor by which the drawn vectors are longer
_SECOND = ("view", "squishing")  # for controls of the second scene
_TILT = 0.35  # radians; avoids vectors parallel to an axis


class StepProblem(NamedTuple):
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


class Step(NamedTuple):
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


_WAS_RIGHT = (
    "The ringed example is on the right side of the dashed line, so MIRA does nothing. Drag it to the other side: MIRA moves the line just "
    "far enough for the example to reach the margin of 1."
)
_OF_SQUISHING = (
    "The bars are the scores of the ringed example, one for each class. MIRA raises the true class above its strongest rival alone; "
    "column squishing also presses down every other class that would be less than 1 below it."
)


class DemoMiraStep(Demonstration):
    """A demonstration with two scenes: the line before and after MIRA's step; the scores after either rule's step."""

    name = "mira_step"
    title = "MIRA's step: just far enough"
    order = 30
    summary = "One line, one example, one regularization λ: MIRA goes just as far as the example needs. And what column squishing does."
    observations = (
        "The ringed example was on the wrong side of the dashed line. MIRA moves the line just far enough for the example to reach the "
        "margin of 1, a lead in score and not a distance. A larger λ (regularization) allows only a step of "
        "1/\u2060λ, and the line stops earlier."
    )
    suggestions = (
        Suggestion("Play, which raises λ: from λ = 4 on, 1/\u2060λ is too little, and the line stays behind.", play=True),
        Suggestion("Drag the example across the dashed line: where it was right before, MIRA does nothing.", {"example": [[0.5, -1.2, 1]]}),
        Suggestion("Second scene, column squishing: MIRA moves the scores of two classes, squishing those of all too close rivals.",
                   {"view": "squishing"}),
    )  # fmt: skip
    controls = (
        Points("example", "example", "click into the plane, drag the example, or move it with the arrow keys", [[-1.9, 1.1, 1]],
               panel="plane", class_from="label", least=1, most=1, reach=3.2),
        Choice("view", "scene", "the step of MIRA in the plane, or the scores that it and squishing move", "mira",
               options=(("MIRA", "mira"), ("squishing", "squishing"))),
        Slider("nr_classes", "classes K", "how many classes there are", 5, _SECOND, values=inclusive_range(2, MAX_CLASSES, 1)),
        Slider("label", "true class y", "the true class of the example", 1, _SECOND, values=inclusive_range(0, MAX_CLASSES - 1, 1)),
        Choice("capped", "squishing", "whether 1/λ limits the step of column squishing, too", False, _SECOND,
               options=(("no cap", False), ("cap 1/λ", True))),
    )  # fmt: skip
    grid: Mapping[str, Any] = {"view": ("mira", "squishing"), "nr_classes": (2, 5, 6), "label": (0, 1, 2)}

    def scene(self, settings: Mapping[str, Any]) -> draw.Scene:
        """Compute the step for each λ."""
        squishing, label = settings["view"] == "squishing", settings["label"]
        n_classes = max(settings["nr_classes"], label + 1) if squishing else 2
        classes = range(n_classes) if squishing else (int(label == 0), label)  # the names of the columns
        [(x1, x2, _)] = settings["example"]
        at = step_problem(n_classes, (float(x1), float(x2)), label if squishing else 1)
        attempts, found = FailureCollector(), dict[str, list[Step]]()
        with attempts("MIRA"):
            rule = self.lab.classifier("mira", "Mira").rule
            found["MIRA"] = [step_of(rule, at, 1 / value) for value in FRAMES]
        if squishing:
            with attempts("Column squishing"):
                caps = [1 / value if settings["capped"] else None for value in FRAMES]
                rules = (self.lab.classifier("column_squishing", "ColumnSquishing", cap=cap) for cap in caps)
                found["squishing"] = [step_of(one.rule, at, float(one.steps(1, 1)[0])) for one in rules]
            panels = [arrows_panel(at), bars_panel(at, found)]
        else:
            panels = [line_panel(at, found.get("MIRA"), classes)]
        return draw.Scene(
            panels,
            draw.by_frame(_sentence(at, classes, value) for value in FRAMES),
            steps=draw.Steps("regularization λ", [f"{value:.2g}" for value in FRAMES], start=_START, milliseconds=300),
            table=None if squishing else _taus(at),
            observations=_OF_SQUISHING if squishing else _WAS_RIGHT if at.scores.argmax() == at.label else "",
            notes=attempts.sentences(),
            facts={"at": at, "steps": found},
        )  # fmt: skip


def line_panel(problem: StepProblem, found: list[Step] | None, classes: Sequence[int]) -> draw.Panel:
    """Return the plane with the line before and after MIRA's step, and the margin of 1; a colour for each predicted class."""
    after = [problem.W] if found is None else [step.W for step in found]

    def lines(lead: float) -> list[np.ndarray]:
        """Return for each step the line on which the true class leads by this much."""
        return [with_gaps(decision_boundary(W + np.outer([lead, 0, 0], [1, 0]), LIMITS, LIMITS)) for W in after]

    sides = [draw.by_frame([half_plane(W[:, k] - W[:, 1 - k])] for W in after) for k in (0, 1)]
    before = decision_boundary(problem.W, LIMITS, LIMITS)
    style = draw.learner_style("MIRA") | {"dash": ()}
    marks = [draw.region(side, draw.CLASSES[k], 0.13) for side, k in zip(sides, classes, strict=True)]
    marks.append(draw.line(with_gaps(before), draw.MUTED, (3, 2), label="before"))
    title: Any = "MIRA: to be written"
    if found is not None:
        marks += [
            draw.line(draw.by_frame(lines(0)), **style, width=1.5, label="after"),
            draw.line(draw.by_frame(lines(1)), style["colour"], (1, 1.5), label="margin of 1"),
        ]
        was = margin(problem.scores, problem.label)
        margins = [draw.signed(margin(step.scores, 1)) for step in found]
        title = draw.by_frame(f"margin of the example: before {draw.signed(was)}, after {now}" for now in margins)
    return draw.Panel("plane", title, *draw.plane_axes(LIMITS, LIMITS), marks, equal=True)


def half_plane(weights: np.ndarray) -> list[np.ndarray]:
    """Return the corners of the part of the plane in which a score w·g(x) is positive.

    Examples
    --------
    >>> np.array(half_plane(np.array([0.0, 1.0, 0.0]))).tolist()
    [[0.0, -3.2], [3.2, -3.2], [3.2, 3.2], [0.0, 3.2]]
    """
    low, high = LIMITS
    corners, ring = np.array([[low, low], [high, low], [high, high], [low, high]]), []
    scores = weights[0] + corners @ weights[1:]
    for corner, after, score, next_score in zip(corners, np.roll(corners, -1, 0), scores, np.roll(scores, -1), strict=True):  # fmt: skip
        if score >= 0:
            ring.append(corner)
        if (score >= 0) != (next_score >= 0):
            ring.append(corner + score / (score - next_score) * (after - corner))
    return ring


def arrows_panel(problem: StepProblem) -> draw.Panel:
    """Return the plane with an arrow for the weights of each class: the farther the example lies along it, the higher its score."""
    marks: list[draw.Mark] = []
    for k, tip in enumerate(_ARROW * problem.W[1:].T):
        marks.append(draw.arrow((0, 0), tip, draw.CLASSES[k], width=1.3))
        marks.append(draw.text(1.13 * tip, str(k), draw.CLASSES[k], size=1.1))
    title = f"true class y = {problem.label}, predicted {int(problem.scores.argmax())} (weights × {_ARROW:g})"
    return draw.Panel("plane", title, *draw.plane_axes(LIMITS, LIMITS), marks, equal=True)


def bars_panel(problem: StepProblem, found: Mapping[str, list[Step]]) -> draw.Panel:
    """Return the bars with the scores of the example: before, after MIRA's step, after column squishing."""
    K = len(problem.scores)
    states = {name: [step.scores for step in steps] for name, steps in found.items()}
    everything = np.concatenate([[0 * problem.scores, problem.scores], *states.values()])
    room = 0.1 * np.ptp(everything)
    low, high = float(everything.min() - room), float(everything.max() + room)

    def heights(scores: np.ndarray, number: int) -> np.ndarray:
        return np.column_stack([np.arange(K) + 0.27 * (number - 1), np.zeros(K), scores])

    marks = [draw.bars(heights(problem.scores, 0), draw.MUTED, thickness=0.25, pattern="outline", label="before")]
    for number, (name, label, pattern) in enumerate((("MIRA", "MIRA", ""), ("squishing", "column squishing", "light")), 1):  # fmt: skip
        if name in found:
            extents = draw.by_frame(heights(scores, number) for scores in states[name])
            colour = draw.learner_style(label)["colour"]
            marks.append(draw.bars(extents, colour, thickness=0.25, pattern=pattern, label=label))
    if "squishing" in found:
        goal = draw.by_frame(
            [[-0.6, scores[problem.label] - 1], [K - 0.4, scores[problem.label] - 1]] for scores in states["squishing"]
        )
        marks.append(draw.line(goal, draw.learner_style("column squishing")["colour"], (4, 3), label="1 below y"))
    marks.append(draw.line([(-0.6, 0), (K - 0.4, 0)], draw.INK, width=0.6))
    ticks = [(k, f"{k} = y" if k == problem.label else str(k)) for k in range(K)]
    classes = draw.Axis(-0.6, K - 0.4, label="class", ticks=ticks)
    return draw.Panel("bars", "scores of the example", classes, draw.Axis(low, high), marks)


def _sentence(at: StepProblem, classes: Sequence[int], regularizer: float) -> str:
    rival = classes[int(at.scores.argmax())]
    if not at.required_tau:
        return f"λ = {regularizer:.2g}: the prediction is correct, and MIRA does nothing."
    if at.required_tau > 1 / regularizer:
        return f"λ = {regularizer:.2g}: the cap 1/\u2060λ = {1 / regularizer:.2g} stops the step of MIRA."
    higher = at.scores > at.scores[at.label] + at.required_tau * at.sq_norm
    others = "".join(f", but class {k} is ahead" for k, ahead in zip(classes, higher, strict=True) if ahead and k != rival)  # fmt: skip
    return f"λ = {regularizer:.2g}: MIRA goes as far as needed, and class {classes[at.label]} leads class {rival} by 1{others}."


def _taus(at: StepProblem) -> draw.Table:
    """Return a table of the step: the smaller of what the example needs and of what λ allows."""
    takes = [(1 / value, min(at.required_tau, 1 / value)) for value in FRAMES]
    rows = ([["the example needs", at.required_tau], ["λ allows 1/λ", cap], ["MIRA takes", tau]] for cap, tau in takes)
    return draw.Table(("", "step τ"), draw.by_frame([[name, f"{tau:.2f}"] for name, tau in each] for each in rows))
