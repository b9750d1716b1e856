"""Problems that no line can solve: classes at crossed corners or in rings, with a line, a kernel perceptron and nearest neighbours.

The perceptron's weights are a sum of the examples on which it was wrong, w = Σ_m α_m y_m x_m, so a score needs only products of
examples: w·x = Σ_m α_m y_m x_m·x. A *kernel* k(x_m, x) replaces the product by a product in a larger space, in which a plane may
separate points that no line separates. Nearest neighbours learn no weights: the majority of the k closest examples decides. Both
methods keep all examples and need them for every decision, while the lab's learners keep one weight for each feature. Therefore
they are shown here, and are not part of the lab.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lxmls_day1.demos.controls import Choice, Slider, Suggestion, decades, inclusive_range
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.lab_learners import FailureCollector
from lxmls_day1.demos.scene import CLASSES, Axis, Panel, Scene, Steps, Table, by_frame, points_of_class, region

LIMITS = (-2.6, 2.6)
GRID = 61  # points along each axis at which scores are computed; boundaries are interpolated
ROUNDS = 10
SHAPES = ("crossed corners", "ring", "two clusters")
_TICKS = np.linspace(*LIMITS, GRID)
PLACES = np.column_stack([axis.ravel() for axis in np.meshgrid(_TICKS, _TICKS)])
_PLANE = Axis(*LIMITS, ticks=())


def examples(shape: str, n_examples: int, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points X (n, 2) and their classes (n,), −1 or 1, half of each.

    Examples
    --------
    Without noise, a point of the crossed corners is of class 1 if both of its coordinates have the same sign:

    >>> X, y = examples("crossed corners", 50, noise=0.0, seed=1)
    >>> bool((np.sign(X[:, 0] * X[:, 1]) == y).all())
    True
    """
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n_examples) % 2 == 0, 1, -1)
    if shape == "crossed corners":
        side = rng.choice([-1.0, 1.0], n_examples)
        centres = np.column_stack([side, side * y])
    elif shape == "ring":
        angle, radius = rng.uniform(0, 2 * np.pi, n_examples), np.where(y == 1, 0.4, 1.6)
        centres = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    else:
        centres = np.column_stack([y, y]).astype(float)
    return centres + noise * rng.normal(size=(n_examples, 2)), y


def kernel(A: np.ndarray, B: np.ndarray, width: float) -> np.ndarray:
    """Return 1 + exp(−‖a − b‖² / (2 width²)) for each row a of A (n, 2) and b of B (m, 2): (n, m). The 1 represents the intercepts."""
    return np.asarray(1 + np.exp(_sq_distances(A, B) / (-2 * width**2)))


def kernel_perceptron(K: np.ndarray, y: np.ndarray, nr_rounds: int) -> np.ndarray:
    """Return the number of mistakes on each example, at the start and after each round.

    Parameters
    ----------
    K : array (n, n)
        The kernel of each pair of examples.
    y : array (n,) of −1 and 1
    nr_rounds : int

    Returns
    -------
    alpha : int array (nr_rounds + 1, n)
        The score of x is Σ_m alpha_m y_m k(x_m, x). A score of 0 counts as a mistake.

    Examples
    --------
    With the product as kernel it is the perceptron: after one mistake on the first point, it is right on both.

    >>> kernel_perceptron(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1, -1]), nr_rounds=2).tolist()
    [[0, 0], [1, 0], [1, 0]]
    """
    alpha = np.zeros((nr_rounds + 1, len(y)), dtype=int)
    for r in range(1, nr_rounds + 1):
        alpha[r] = alpha[r - 1]
        for m in range(len(y)):
            if y[m] * ((alpha[r] * y) @ K[:, m]) <= 0:
                alpha[r, m] += 1
    return alpha


def nearest_score(X: np.ndarray, y: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    """Return a continuous score of each row of x (m, 2), positive if 1 is the majority of the k nearest points of X (n, 2); k is odd.

    The majority is 1 if the (k+1)/2-th nearest point of class 1 is nearer than that of class −1. The score is the
    difference of these two distances, and its zeros are the boundary.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [1.1, 0.0]]), np.array([-1, 1, 1])
    >>> [nearest_score(X, y, np.array([[0.2, 0.0]]), k).round(2).tolist() for k in (1, 3)]
    [[-0.6], [inf]]
    """
    rank = (k + 1) // 2 - 1
    squares = _sq_distances(x, X)
    of_class = [np.partition(np.where(y == label, squares, np.inf), rank, axis=1)[:, rank] for label in (-1, 1)]
    return np.asarray(np.sqrt(of_class[0]) - np.sqrt(of_class[1]))


def _sq_distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.asarray(sum((a[:, None] - b) ** 2 for a, b in zip(A.T, B.T, strict=True)))


def rings_of_class_1(scores: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the curves around the regions where the scores of `PLACES` are negative, and those where they are positive."""
    from contourpy import contour_generator

    generator = contour_generator(_TICKS, _TICKS, scores.reshape(GRID, GRID), fill_type="OuterOffset")

    def rings(low: float, high: float) -> list[np.ndarray]:
        areas = zip(*generator.filled(low, high), strict=True)
        return [ring for points, offsets in areas for ring in np.split(points, offsets[1:-1])]

    return rings(-np.inf, 0.0), rings(0.0, np.inf)


class DemoBeyondALine(Demonstration):
    """A demonstration that shows the same points three times, with the regions of a line, a kernel perceptron and nearest neighbours."""

    name = "beyond_a_line"
    title = "What a line cannot do"
    order = 80
    summary = "Crossed corners and rings: a line fails, a kernel perceptron and nearest neighbours do not."
    observations = (
        "The same points three times; the background shows which class each method predicts at every place. A line separates "
        "two clusters and nothing else; the other two methods keep examples, and their boundaries bend around them."
    )
    suggestions = (
        Suggestion("Play: round by round the kernel perceptron adds up its mistakes, and its regions join.", play=True),
        Suggestion("Make the kernel narrow (width 0.1) on a noisy ring: all these points are correct, and one in four new ones is not.",
                   {"shape": "ring", "noise": 0.5, "width": 0.1}),
        Suggestion("Take one neighbour with much noise: it follows every stray. Then take fifteen.", {"noise": 0.5, "neighbours": 1}),
    )  # fmt: skip
    controls = (
        Choice("shape", "points", "how the two classes lie", SHAPES[0], options=tuple((shape, shape) for shape in SHAPES)),
        Slider("noise", "noise", "how far the points scatter", 0.25, values=inclusive_range(0, 1, 0.05)),
        Slider("width", "width", "the width of the kernel: how far away an example still counts", 0.63, values=decades(0.1, 10, 10)),
        Slider("neighbours", "neighbours", "how many nearest neighbours vote", 3, values=inclusive_range(1, 15, 2)),
    )  # fmt: skip
    grid: Mapping[str, Any] = {"shape": SHAPES, "noise": (0.1, 0.25, 0.5)}

    def scene(self, settings: Mapping[str, Any]) -> Scene:
        """Compute the regions of the three methods; those of the kernel perceptron after each round."""
        X, y = examples(settings["shape"], 80, settings["noise"], seed=1)
        test_X, test_y = examples(settings["shape"], 400, settings["noise"], seed=2)
        width, k = settings["width"], settings["neighbours"]
        alphas = kernel_perceptron(kernel(X, X, width), y, ROUNDS)
        places = np.vstack([X, test_X, PLACES])
        attempts, methods = FailureCollector(), dict[str, np.ndarray]()  # name -> scores of all places, by round
        with attempts("The perceptron"):
            learner = self.lab.classifier("perceptron", "Perceptron", nr_rounds=10)
            params = learner.train(X, y)
            lead = params[:, 1] - params[:, 0]  # the classes are −1 and 1
            methods["line"] = (lead[0] + places @ lead[1:])[None]
        methods["kernel perceptron"] = (alphas * y) @ kernel(X, places, width)
        methods["nearest neighbours"] = nearest_score(X, y, places, k)[None]
        panels, rights = [], dict[str, list[list[float] | None]]()
        for name, scores in methods.items():
            *known, grid = np.split(scores, np.cumsum([len(X), len(test_X)]), axis=1)
            learnt = [score.any() for score in known[0]]  # before its first round a method scores everything 0
            regions = [rings_of_class_1(score) if any_ else ([], []) for score, any_ in zip(grid, learnt, strict=True)]
            shares = [(np.sign(score) == labels).mean(axis=1) for score, labels in zip(known, (y, test_y), strict=True)]
            rights[name] = [[*map(float, both)] if any_ else None for any_, *both in zip(learnt, *shares, strict=True)]
            areas = [by_frame(one) if len(one) > 1 else one[0] for one in zip(*regions, strict=True)]
            marks = [*map(region, areas, CLASSES), *(points_of_class(X[y == 2 * c - 1], c) for c in (0, 1))]
            panels.append(Panel(name, name, _PLANE, _PLANE, marks, equal=True))
        last = ROUNDS + 1
        everywhere = {name: shares * (last // len(shares)) for name, shares in rights.items()}
        kept = (alphas > 0).sum(axis=1)
        return Scene(
            panels,
            by_frame(
                f"after {r} round{'s' * (r != 1)}: the kernel perceptron keeps {n} of {len(y)} examples" for r, n in enumerate(kept)
            ),
            steps=Steps("rounds", range(last), start=ROUNDS // 2),
            table=Table(
                ("correct points", "these", "new"),
                by_frame([[name, *_percents(shares[r])] for name, shares in everywhere.items()] for r in range(last)),
            ),
            notes=attempts.sentences(),
            facts={"right": rights},
        )  # fmt: skip


def _percents(shares: list[float] | None) -> list[str]:
    return ["–", "–"] if shares is None else [f"{100 * share:.0f} %" for share in shares]
