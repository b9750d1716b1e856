"""The perceptron, step by step; and perceptron, MIRA, SVM and maximum entropy next to each other on the same order.

Every step is computed with the lab's own rules, and is a frame of the scene. It shows the example of the step, whether
it is a mistake, and the rotation of the boundary. Arrows from the origin are the weight vector before and after the step; an arrow
between their tips, along the example, is the step. A second panel shows the mistakes so far and the maximum that a perceptron
can make on these points (see ``classifiers/mistake_bounds.py``).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lxmls_day1.demos import scene as draw
from lxmls_day1.demos.controls import Choice, Slider, Suggestion, decades, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import FailureCollector, Learner
from lxmls_day1.demos.online_traces import Trace, bound_of, points_of, trace_of, visits
from lxmls_day1.figures.boundaries import decision_boundary
from lxmls_day1.figures.plotting import with_gaps

HEIGHT = (-4.0, 4.0)  # of every plane
WIDTHS = {1: (-4.0, 4.0), 4: (-6.2, 6.2)}  # for a single plane, and for each of four
LEARNERS = (
    Learner("perceptron", "Perceptron", {}, "Perceptron"),
    Learner("mira", "Mira", {}, "MIRA"),
    Learner("svm", "SVM", {}, "SVM"),
    Learner("max_ent_online", "MaxEntOnline", {}, "Max. entropy"),
)
_MAX_ARROW_LENGTH = 3.2  # units of the plane
_EQUALS = "\u00a0=\u00a0"  # keeps a sign and its number on one line
_MAX_BOUND_RATIO = 4  # times the mistakes; a larger bound is only shown as a number, not as a line


class DemoOnlineSteps(Demonstration):
    """A demonstration with the plane and the mistakes of the perceptron, or with the planes of four learners."""

    name = "online_steps"
    title = "Online learners, step by step"
    order = 20
    summary = "The perceptron, one example at a time; MIRA, SVM and maximum entropy on the same order."
    observations = (
        "The dashed line and arrow are the weights before a step, the coloured ones those after it. The step goes towards a "
        "ringed example of class 1, and away from one of class 0; the perceptron takes it only at a mistake (✗)."
    )
    suggestions = (
        Suggestion("Play: where does the count of mistakes stop, and how far below the bound?", play=True),
        Suggestion("Move the classes closer (distance 2): the bound rises to 733, and three rounds bring 10 mistakes, not 6.",
                   {"distance": 2}),
        Suggestion("Show all four with a large λ (regularization): MIRA's steps shrink, and the SVM also moves for correct predictions.",
                   {"view": 4, "regularizer": 1}, play=True),
    )  # fmt: skip
    controls = (
        Choice("view", "show", "the perceptron alone, or all four learners on the same order", 1,
               options=(("perceptron", 1), ("all four", 4))),
        Slider("nr_points", "points", "how many points there are", 20, more=True, values=inclusive_range(6, 60, 2)),
        Slider("distance", "distance", "how far apart the two classes are", 2.5, values=inclusive_range(1, 6, 0.25)),
        Slider("nr_rounds", "rounds", "how often all points are visited", 3, values=inclusive_range(1, 10, 1)),
        Slider("seed", "seed", "another sample, in another order", 2, more=True, values=inclusive_range(1, 50, 1)),
        Slider("regularizer", "regularization λ", "λ of MIRA, SVM and maximum entropy: the larger, the smaller their steps or weights", 0.1,
               values=decades(0.001, 10, 4), when=("view", 4)),
    )  # fmt: skip
    grid: Mapping[str, Any] = {"view": (1, 4), "distance": (2, 2.5, 4)}

    def scene(self, settings: Mapping[str, Any]) -> draw.Scene:
        """Compute all steps of one learner, or of four."""
        X, y = points_of(self.lab, settings["nr_points"], settings["distance"], settings["seed"])
        order = visits(len(y), settings["nr_rounds"], settings["seed"])
        attempts, traces, bound = FailureCollector(), dict[str, Trace](), None
        for learner in LEARNERS[: settings["view"]]:
            with attempts(learner.label):
                own = {} if learner.label == "Perceptron" else {"regularizer": settings["regularizer"]}
                classifier = self.lab.classifier(learner.module, learner.class_name, **own)
                traces[learner.label] = trace_of(classifier, X, y, order)
        visited = order.ravel()
        width = WIDTHS[settings["view"]]
        panels = [
            plane_panel(learner.label, X, y, visited, traces.get(learner.label), width)
            for learner in LEARNERS[: settings["view"]]
        ]
        says: Any = draw.by_frame(_sentence(step, visited, y) for step in range(len(visited) + 1))
        if settings["view"] == 1:
            bound_note = "bound: to be written"
            with attempts("The mistake bound"):
                bound = bound_of(self.lab, X, y)
                bound_note = "no line separates the points: no bound" if bound is None else _bound_text(bound)
            if "Perceptron" in traces:
                panels.append(count_panel(traces["Perceptron"], bound, bound_note))
        return draw.Scene(
            panels,
            says,
            layout=[["Perceptron", "MIRA"], ["SVM", "Max. entropy"]] if settings["view"] == 4 else (),
            columns=(1.75, 1) if len(panels) == 2 else (),
            steps=draw.Steps("step", range(len(visited) + 1), start=_largest_turn(traces.get("Perceptron"))),
            table=_table(traces, len(visited)),
            notes=attempts.sentences(),
            facts={"order": visited, "y": y, "bound": None if bound is None else bound.updates, "traces": traces},
        )


def _largest_turn(trace: Trace | None) -> int:
    """Return the step that turns the line most, or 0."""
    x, y = np.transpose([trace.normal(t) for t in range(len(trace.weights))]) if trace else np.zeros((2, 1))
    turns = np.abs(np.arctan2(x[:-1] * y[1:] - y[:-1] * x[1:], x[:-1] * x[1:] + y[:-1] * y[1:]))
    return int(turns.argmax()) + 1 if turns.any() else 0


def plane_panel(
    label: str, X: np.ndarray, y: np.ndarray, visited: np.ndarray, trace: Trace | None, width: tuple[float, float]
) -> draw.Panel:
    """Return one learner's plane: the points, the current example, and boundary and weights before and after each step."""
    marks: list[draw.Mark] = [draw.points_of_class(X[y == k], k) for k in (0, 1)]
    around, beside = [[], *X[visited][:, None]], [[0, 0], *(X[visited] + [0.45, 0.5])]
    title: Any = f"{label}: to be written"
    if trace is not None:
        lines = [with_gaps(decision_boundary(weights, width, HEIGHT)) for weights in trace.weights]
        lengths = [float(np.linalg.norm(trace.normal(t))) for t in range(len(lines))]
        unit = _MAX_ARROW_LENGTH / max(*lengths, 1e-9)
        tips = [unit * trace.normal(t) for t in range(len(lines))]
        earlier, dash = [tips[0], *tips[:-1]], draw.learner_style(label)["dash"]
        colour = draw.learner_style(label)["colour"]
        marks += [
            draw.line(draw.by_frame([lines[0], *lines[:-1]]), draw.MUTED, (3, 2)),
            draw.line(draw.by_frame(lines), colour, dash, width=1.4),
            draw.arrow((0, 0), draw.by_frame(earlier), draw.MUTED, (3, 2), label="before"),
            draw.arrow((0, 0), draw.by_frame(tips), colour, width=1.3, label="after"),
            draw.arrow(draw.by_frame(earlier), draw.by_frame(tips), draw.INK, label=f"the step (lengths × {unit:.2g})"),
            draw.text(draw.by_frame(beside), draw.by_frame(["", *np.where(trace.is_mistake, "✗", "✓")]), size=1.5),
        ]  # fmt: skip
        title = draw.by_frame(_title(label, trace, step) for step in range(len(lines)))
    marks.append(draw.points(draw.by_frame(around), draw.INK, "o", hollow=True, size=2.3))
    return draw.Panel(label, title, *draw.plane_axes(width, HEIGHT), marks, equal=True)


def count_panel(trace: Trace, bound: Any, note: str) -> draw.Panel:
    """Return the plot of the perceptron's mistakes after each step, and their upper bound."""
    so_far = np.concatenate([[0], trace.is_mistake.cumsum()])
    last, most = len(trace.is_mistake), max(int(so_far[-1]), 1)
    staircase = np.column_stack([np.repeat(np.arange(last + 1), 2)[1:], np.repeat(so_far, 2)[:-1]])
    frames = draw.by_frame(2 * step + 1 for step in range(last + 1))
    marks = [draw.line(staircase, draw.MUTED, (1, 1), width=0.8, label=f"{so_far[-1]} in the end"),
             draw.learner_line(staircase, "Perceptron", width=1.2, count=frames) | {"dash": ()}]  # fmt: skip
    near = bound is not None and bound.updates <= _MAX_BOUND_RATIO * most
    marks += [draw.line([[0, bound.updates], [last, bound.updates]], draw.CLASSES[2], (4, 2), label=note)] if near else []  # fmt: skip
    top = 1.25 * (bound.updates if near else most)
    up = draw.Axis(0, top, ticks=[(number, str(number)) for number in range(0, int(top) + 1, 1 + int(top / 6))])
    return draw.Panel("count", "mistakes so far" + f" ({note})" * (not near), draw.Axis(0, last, label="step"), up, marks)  # fmt: skip


def _bound_text(bound: Any) -> str:
    signs = f"K = 2 classes, radius R = {bound.radius:.2f}, margin γ = {bound.margin:.2f}"
    return f"at most {bound.updates:.0f} = 2K\u00a0R²/γ²: {signs.replace(' = ', _EQUALS)}"


def _title(label: str, trace: Trace, step: int) -> str:
    made = trace.mistakes(step)
    moved = ", moved" if step and np.any(trace.updates[step - 1]) else ""
    return f"{label}: {made} mistake{'s' * (made != 1)}{moved}"


def _sentence(step: int, visited: np.ndarray, y: np.ndarray) -> str:
    if not step:
        return "before the first example"
    m = visited[step - 1]
    return f"step {step} of {len(visited)}: round {(step - 1) // len(y) + 1}, example {m} of class {y[m]}"


def _table(traces: Mapping[str, Trace], last: int) -> draw.Table:
    def row(label: str, trace: Trace, step: int) -> list[Any]:
        length = f"{np.linalg.norm(trace.normal(step)):.2f}"
        return [draw.sample_of(label), label, trace.mistakes(step), trace.changes(step), length]

    rows = ([row(*one, step) for one in traces.items()] for step in range(last + 1))
    return draw.Table(("", "", "mistakes", "moves", "length"), draw.by_frame(rows))
