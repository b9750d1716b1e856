"""The Gaussian of AROW over two weights: an ellipse that shrinks with every document, fastest for frequent words.

Every document has the word *good*, few have the word *superb*, and both are more frequent in positive documents. The ellipse has the mean
of the two weights of the positive class as its centre and their standard deviations as its half-axes. A second panel shows both
deviations over the documents.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lxmls_day1.demos import scene as draw
from lxmls_day1.demos.controls import Slider, Suggestion, decades, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import FailureCollector

LIMITS = (-1.3, 1.3)
WORDS = "good", "superb"  # the frequent word and the rare one
CLASSES = "positive", "negative"  # in the order of the reviews' classes
_RATES = np.array([[1.2, 0.3], [1.0, 0.0]])  # the mean number of repetitions of each word in documents of each class
_EXAMPLES = 60
_START = 12  # the page opens at the first document from this one on that has the rare word


def documents(n_examples: int, rare: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts X (n, 2) of two words in documents, and the classes (n,); a fraction ``rare`` of them contains the second word.

    Examples
    --------
    >>> X, y = documents(1000, 0.2, seed=1)
    >>> (X > 0).mean(axis=0).round(1).tolist(), (X[y == 0].mean(axis=0) > X[y == 1].mean(axis=0)).tolist()
    ([1.0, 0.2], [True, True])
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_examples)
    present = np.column_stack([np.ones(n_examples), rng.random(n_examples) < rare])
    return present * (1.0 + rng.poisson(_RATES[:, y].T)), y


def arow_trajectory(lab: Any, X: np.ndarray, y: np.ndarray, regularizer: float) -> tuple[np.ndarray, np.ndarray]:
    """Train AROW of a lab on one example after another. Return the weights of class 0 and their standard deviations, each (n + 1, 2)."""
    from lxmls_day1.engine.corpus_training import resume  # imported here because numba is slow to import

    learner, state = lab.classifier("arow", "AROW", regularizer=regularizer, nr_rounds=1, order=[0]), None
    means, deviations = [np.zeros(2)], [np.ones(2)]
    for n in range(len(X)):
        params, state = resume(learner, state, X[[n]], y[[n]], classes=[0, 1])
        means.append(params[1:, 0])
        deviations.append(np.sqrt(learner.variances[1:, 0]))
    return np.array(means), np.array(deviations)


def words_of(number: int, x: np.ndarray, label: int, weights: np.ndarray) -> list[tuple[str, float, str]]:
    """Return a document as words in colour: how strongly each speaks for a class.

    Examples
    --------
    >>> [text for text, _, _ in words_of(7, np.array([2.0, 1.0]), 0, np.array([0.5, 0.25]))]
    ['document 7, positive:', '…', 'good', '…', 'good', '…', 'superb', '…']
    """
    found: list[tuple[str, float, str]] = [(f"document {number}, {CLASSES[label]}:", 0.0, ""), ("…", 0.0, "")]
    for word, count, weight in zip(WORDS, x.astype(int), weights / max(np.abs(weights).max(), 1e-9), strict=True):
        found += count * [(word, float(weight), ""), ("…", 0.0, "")]
    return found


class DemoConfidence(Demonstration):
    """A demonstration with the ellipse on the left and the two standard deviations on the right."""

    name = "confidence"
    title = "More certain where it has seen more"
    order = 70
    summary = "AROW's Gaussian over two weights: each document narrows the ellipse in the directions of its words."
    observations = (
        "AROW is an online learner that also keeps how certain it is of each weight. The ellipse shows which weights are still likely "
        "after the document above it. “good” is in every document and soon certain; the rarer “superb” is, the longer it stays uncertain."
    )
    suggestions = (
        Suggestion("Play from the start: the ellipse becomes narrow, and shorter only where a document has “superb”.", play=True),
        Suggestion("Let “superb” be in all documents: now the ellipse shrinks in both directions.", {"rare": 1}),
        Suggestion("Raise λ (regularization) to 100: each document counts less, and the uncertainty lasts longer.", {"regularizer": 100}),
    )  # fmt: skip
    controls = (
        Slider("rare", "superb in", "the share of documents that have the rare word, superb", 0.2,
               values=inclusive_range(0.05, 1, 0.05)),
        Slider("regularizer", "regularization λ", "AROW's λ: the larger, the less one example counts", 1, values=decades(0.1, 100, 4)),
        Slider("seed", "seed", "other documents", 2, values=inclusive_range(1, 50, 1), more=True),
    )  # fmt: skip
    grid: Mapping[str, Any] = {"rare": (0.05, 0.2, 1), "regularizer": (1, 100)}

    def scene(self, settings: Mapping[str, Any]) -> draw.Scene:
        """Compute the Gaussian after each of sixty documents."""
        X, y = documents(_EXAMPLES, settings["rare"], settings["seed"])
        attempts, planes, curves = FailureCollector(), list[draw.Mark](), list[draw.Mark]()
        table, words = None, dict[str, Any]()
        with attempts("AROW"):
            means, deviations = arow_trajectory(self.lab, X, y, settings["regularizer"])
            seen = np.vstack([np.zeros(2), (X != 0).cumsum(axis=0)]).astype(int)
            examples, ends = np.arange(_EXAMPLES + 1), range(1, _EXAMPLES + 2)
            style = draw.learner_style("AROW")
            before = np.maximum(np.arange(_EXAMPLES + 1) - 1, 0)
            planes = [
                draw.line(means, draw.MUTED, width=0.6, count=draw.by_frame(ends), label="way of the centre"),
                draw.points(draw.by_frame(means[:, None]), draw.INK, "o"),
                draw.ellipse(draw.by_frame(means[before]), draw.by_frame(deviations[before]), draw.MUTED, label="before it")
                | {"dash": (3, 2)},
                draw.ellipse(draw.by_frame(means), draw.by_frame(deviations), style["colour"], width=1.4, label="after this document"),
            ]  # fmt: skip
            curves = [
                draw.line(np.column_stack([examples, sizes]), style["colour"], dash, width=1.2, label=word, count=draw.by_frame(ends))
                for word, sizes, dash in zip(WORDS, deviations.T, ((), style["dash"]), strict=True)
            ]  # fmt: skip
            words = draw.by_frame([[("no document yet", 0.0, "")], *map(words_of, ends, X, y, means[1:])])
            states = (zip(WORDS, *row, strict=True) for row in zip(seen, means, deviations, strict=True))
            rows = ([[word, int(n), draw.signed(w), f"{size:.2f}"] for word, n, w, size in state] for state in states)
            table = draw.Table(("", "seen in", "weight", "±"), draw.by_frame(rows))
        axis = [draw.Axis(*LIMITS, label=f"weight of “{word}”") for word in WORDS]
        return draw.Scene(
            [
                draw.Panel("weights", "which weights are likely", axis[0], axis[1], planes, equal=True),
                draw.Panel("sizes", "uncertainty (±) of each weight", draw.Axis(0, _EXAMPLES, "documents"), draw.Axis(0, 1.05), curves),
            ],
            draw.by_frame(f"after {n} document{'s' * (n != 1)}" for n in range(_EXAMPLES + 1)),
            columns=(1.2, 1),
            steps=draw.Steps("documents", range(_EXAMPLES + 1), start=_START + int((X[_START - 1 :, 1] > 0).argmax()), milliseconds=600),
            table=table,
            words=words or (),
            notes=attempts.sentences(),
        )  # fmt: skip
