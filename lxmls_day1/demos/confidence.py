"""The Gaussian of AROW over two weights: an ellipse that shrinks with every example, fastest for frequent words.

Documents have two words, a frequent one and a rare one, and the counts of both indicate the class. The ellipse has the mean of the
two weights of class 1 as its centre and their standard deviations as its half-axes. A second panel shows both deviations over the
examples.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos import scene as draw
from lxmls_day1.demos.controls import Slider, Suggestion, decades, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import FailureCollector

LIMITS = (-1.6, 1.6)
SIGNAL = 0.5  # the absolute mean entry of a word that is present; the sign indicates the class
WORDS = "frequent word", "rare word"
_EXAMPLES = 60


def documents(n_examples: int, rare: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return X (n, 2) and the classes (n,) of documents of two words; a fraction ``rare`` of them contains the second word.

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


def arow_trajectory(lab: Any, X: np.ndarray, y: np.ndarray, regularizer: float) -> tuple[np.ndarray, np.ndarray]:
    """Train AROW of a lab on one example after another. Return the weights of class 1 and their standard deviations, each (n + 1, 2)."""
    from lxmls_day1.engine.corpus_training import resume  # imported here because numba is slow to import

    learner, state = lab.classifier("arow", "AROW", regularizer=regularizer, nr_rounds=1, order=[0]), None
    means, deviations = [np.zeros(2)], [np.ones(2)]
    for n in range(len(X)):
        params, state = resume(learner, state, X[[n]], y[[n]], classes=[0, 1])
        means.append(params[1:, 1])
        deviations.append(np.sqrt(learner.variances[1:, 1]))
    return np.array(means), np.array(deviations)


class DemoConfidence(Demonstration):
    """A demonstration with the ellipse on the left and the two standard deviations on the right."""

    name = "confidence"
    title = "More certain where it has seen more"
    order = 70
    summary = (
        "AROW's Gaussian over two weights: the ellipse shrinks with every example, along the rare word's axis last."
    )
    observations = (
        "The ellipse shows which weights of two words AROW still considers likely. Each document makes it narrower in the "
        "directions of its words: the frequent word's weight soon changes little, and the rare word's still moves."
    )
    suggestions = (
        Suggestion("Press space to play: the ellipse becomes narrow first, as every document has the frequent word."),
        Suggestion("Let the rare word be in all documents (rare word in 1): now the ellipse shrinks evenly."),
        Suggestion("Raise λ to 100: AROW gives each example less weight, and its uncertainty lasts longer."),
    )
    controls = (
        Slider("rare", "rare word in", "the share of documents that have the rare word", 0.2,
               values=inclusive_range(0.05, 1, 0.05)),
        Slider("regularizer", "λ", "AROW's λ: the larger, the less one example counts", 1, values=decades(0.1, 100, 4)),
        Slider("seed", "seed", "other documents", 3, values=inclusive_range(1, 50, 1)),
    )  # fmt: skip
    grid = MappingProxyType({"rare": (0.05, 0.2, 1), "regularizer": (1, 100), "seed": (1, 2, 3)})

    def scene(self, settings: Mapping[str, Any]) -> draw.Scene:
        """Compute the Gaussian after each of sixty examples."""
        X, y = documents(_EXAMPLES, settings["rare"], settings["seed"])
        attempts = FailureCollector()
        planes: list[draw.Mark] = []
        curves: list[draw.Mark] = []
        table, facts = None, {}
        with attempts("AROW"):
            means, deviations = arow_trajectory(self.lab, X, y, settings["regularizer"])
            seen = np.vstack([np.zeros(2), (X != 0).cumsum(axis=0)]).astype(int)
            examples, ends = np.arange(_EXAMPLES + 1), range(1, _EXAMPLES + 2)
            style = draw.learner_style("AROW")
            planes = [
                draw.line(means, draw.MUTED, width=0.6, count=draw.by_frame(ends), label="path of the mean"),
                draw.points(draw.by_frame(means[:, None]), draw.INK, "o", label="mean"),
                draw.ellipse(draw.by_frame(means), draw.by_frame(deviations), style["colour"], width=1.4, label="one standard deviation"),
            ]  # fmt: skip
            curves = [
                draw.line(np.column_stack([examples, sizes]), style["colour"], dash, width=1.2, label=word, count=draw.by_frame(ends))
                for word, sizes, dash in zip(WORDS, deviations.T, ((), style["dash"]), strict=True)
            ]  # fmt: skip
            table = draw.Table(
                ("", "seen", "weight", "±"),
                draw.by_frame(
                    [
                        [word, int(n), f"{weight:+.2f}", f"{size:.2f}"]
                        for word, n, weight, size in zip(WORDS, *row, strict=True)
                    ]
                    for row in zip(seen, means, deviations, strict=True)
                ),
            )
            facts = {"means": means, "deviations": deviations, "seen": seen}
        axis = [draw.Axis(*LIMITS, label=f"weight of the {word}") for word in WORDS]
        return draw.Scene(
            [
                draw.Panel("weights", "the Gaussian over the two weights", axis[0], axis[1], planes, equal=True),
                draw.Panel(
                    "sizes", "standard deviation", draw.Axis(0, _EXAMPLES, label="examples"), draw.Axis(0, 1.05), curves
                ),
            ],
            draw.by_frame(f"after {n} example{'s' * (n != 1)}" for n in range(_EXAMPLES + 1)),
            columns=(1.2, 1),
            steps=draw.Steps("examples", range(_EXAMPLES + 1), milliseconds=600),
            table=table,
            notes=attempts.sentences(),
            facts=facts,
        )
