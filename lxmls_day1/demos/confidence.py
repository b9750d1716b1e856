"""The Gaussian that AROW keeps over two weights: an ellipse that shrinks with every example, where it has seen more.

Documents have two words, a frequent one and a rare one, and the counts of both speak for the class. The mean of the two weights of class 1
is the centre of the ellipse, their standard deviations are its half-axes. Beside it stand the two deviations, example by example.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos.demonstration import Demonstration

LIMITS = (-1.6, 1.6)
SIGNAL = 0.5  # the mean entry of a word that is there, in favour of its class
WORDS = "frequent word", "rare word"


@dataclass(frozen=True)
class Course:
    """The weights of class 1 and their standard deviations after each of n examples, and before the first."""

    means: np.ndarray  # (n + 1, 2)
    deviations: np.ndarray  # (n + 1, 2)
    X: np.ndarray  # (n, 2)
    y: np.ndarray  # (n,)


def documents(n_examples: int, rare: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Documents of two words; the second is in a share ``rare`` of them. Returns X (n, 2) and the classes (n,).

    Examples
    --------
    >>> X, y = documents(1000, 0.2, seed=1)
    >>> (X != 0).mean(axis=0).round(1).tolist()
    [1.0, 0.2]
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_examples)
    present = np.column_stack([np.ones(n_examples), rng.random(n_examples) < rare])
    return present * (SIGNAL * (2 * y[:, None] - 1) + rng.normal(size=(n_examples, 2))), y


def course(lab: Any, X: np.ndarray, y: np.ndarray, regularizer: float) -> Course:
    """AROW of a lab, one example after the other."""
    from lxmls_day1.engine.training import resume  # numba takes its time

    learner, state = lab.classifier("arow", "AROW", regularizer=regularizer, nr_rounds=1, order=[0]), None
    means, deviations = [np.zeros(2)], [np.ones(2)]
    for n in range(len(X)):
        params, state = resume(learner, state, X[[n]], y[[n]], classes=[0, 1])
        means.append(params[1:, 1])
        deviations.append(np.sqrt(learner.variances[1:, 1]))
    return Course(np.array(means), np.array(deviations), X, y)


class DemoConfidence(Demonstration):
    """The page: the ellipse on the left, the two standard deviations on the right."""

    name = "confidence"
    title = "Surer where it has seen more"
    summary = "AROW's Gaussian over two weights: the ellipse shrinks with every example, the rare word's axis last."
    look_at = (
        "The ellipse is what AROW still holds possible for the weights of two words. Each document makes it flatter along the "
        "words that stand in it, so that the frequent word's weight is soon sure and the rare one's still moves."
    )
    to_try = (
        "Press space: the ellipse shrinks from the sides first, as every document has the frequent word.",
        "Let the rare word be in all documents (rare in 1.00): now it shrinks evenly.",
        "Raise λ to 100: AROW trusts each example less, and stays unsure for longer.",
    )
    tips = MappingProxyType(
        {
            "rare": "the share of documents that have the rare word",
            "regularizer": "AROW's λ: the larger, the less one example counts",
            "seed": "other documents",
            "position": "after how many examples",
        }
    )
    telling_frame = 12

    def controls(self) -> list[Any]:
        """The widgets of the page, from left to right."""
        import ipywidgets as widgets

        self.stage.size(900, 560)
        self.position = widgets.IntSlider(value=0, min=0, max=60, description="examples")
        player = self.steps(60, 600, self.position)
        self.rare = widgets.FloatSlider(value=0.2, min=0.05, max=1, step=0.05, description="rare in")
        self.regularizer = widgets.FloatLogSlider(value=1.0, base=10, min=-1, max=2, step=0.25, description="λ")
        self.seed = widgets.IntSlider(value=3, min=1, max=50, description="seed")
        for control in (self.position, self.rare, self.regularizer, self.seed):
            control.layout.width = "100%"
            control.style.description_width = "5em"
        self.table = widgets.HTML()
        self.course: Course | None = None
        self.on_change(self._compute, self.rare, self.regularizer, self.seed)
        self.on_change(self._show, self.position)
        left = [player, self.position, self.rare, self.regularizer, self.seed, self.table]
        return [self.stage.beside(left, self.stage.view(), width=350)]

    def frames(self) -> Sequence[int]:
        """The numbers of the examples."""
        return range(self.position.max + 1)

    def go_to(self, frame: int) -> None:
        """Show the state after so many examples."""
        self.position.value = int(np.clip(frame, 0, self.position.max))

    def current(self) -> int:
        """How many examples there have been."""
        return int(self.position.value)

    def draw(self) -> None:
        """Make the artists of the figure, once."""
        from matplotlib.patches import Ellipse

        stage, look = self.stage, self.stage.look
        self.plane, self.sizes = stage.figure.subplots(1, 2, width_ratios=[1.2, 1])
        self.plane.set(
            xlim=LIMITS,
            ylim=LIMITS,
            aspect="equal",
            xlabel=f"weight of the {WORDS[0]}",
            ylabel=f"weight of the {WORDS[1]}",
        )
        self.sizes.set(xlim=(0, self.position.max), ylim=(0, 1.05), xlabel="examples", title="standard deviation")
        stage.style(self.plane, self.sizes)
        (self.path,) = self.plane.plot([], [], color=look.muted, linewidth=1.6 * stage.scale)
        (self.centre,) = self.plane.plot([], [], "o", markersize=9 * stage.scale, color=look.foreground)
        own = stage.classifier_line("AROW")
        self.ellipse = Ellipse((0, 0), 2, 2, fill=False, edgecolor=own["color"], linewidth=3.6 * stage.scale)
        self.plane.add_patch(self.ellipse)
        self.lines = [
            self.sizes.plot([], [], label=word, **(own | {"linestyle": dash}))[0]
            for word, dash in zip(WORDS, ("solid", own["linestyle"]), strict=True)
        ]
        stage.legend(self.sizes, loc="lower left")

    def update(self) -> None:
        """Compute and show what the controls ask for."""
        if self.course is None:
            self._compute()
        else:
            self._show()

    def _compute(self) -> None:
        with self.stage.attempt("AROW") as attempt:
            X, y = documents(self.position.max, self.rare.value, self.seed.value)
            self.course = course(self.lab, X, y, self.regularizer.value)
        if not attempt.ok:
            self.course = None
        self._show()

    def _show(self) -> None:
        if self.course is None:
            self.stage.state(examples=self.current(), mean=None, deviations=None)
            return
        n = self.current()
        mean, deviations = self.course.means[n], self.course.deviations[n]
        self.path.set_data(*self.course.means[: n + 1].T)
        self.centre.set_data([mean[0]], [mean[1]])
        self.ellipse.set_center(tuple(mean))
        self.ellipse.set(width=2 * deviations[0], height=2 * deviations[1])
        for line, sizes in zip(self.lines, self.course.deviations[: n + 1].T, strict=True):
            line.set_data(np.arange(n + 1), sizes)
        self.plane.title.set_text(f"after {n} example{'s' * (n != 1)}")
        seen = (self.course.X[:n] != 0).sum(axis=0)
        rows = "".join(
            f"<tr><td>{word}</td><td>{count}</td><td>{weight:+.2f}</td><td>± {size:.2f}</td></tr>"
            for word, count, weight, size in zip(WORDS, seen, mean, deviations, strict=True)
        )
        self.table.value = f"<table><tr><th></th><th>seen</th><th>weight</th><th></th></tr>{rows}</table>"
        self.stage.state(examples=n, mean=mean, deviations=deviations, seen=seen)
