"""What a line cannot do: classes at crossed corners or one around the other, a line beside a kernel perceptron and nearest neighbours.

The perceptron's weights are a sum of the examples on which it was wrong, w = Σ_m α_m y_m x_m, so that a score needs only products of
examples: w·x = Σ_m α_m y_m x_m·x. A *kernel* k(x_m, x) in place of the product is a product in a larger space, where a plane may part
what no line does. Nearest neighbours learn nothing: the majority of the k closest examples decides. Both keep all examples, and need
them for every decision; the lab's learners keep one weight for each feature. So they are shown here, and are not part of the lab.
"""

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.figures.plotting import CLASS_MARKERS

LIMITS = (-2.6, 2.6)
CELLS = 61  # of the picture along each axis
SHAPES = ("crossed corners", "ring", "two heaps")


def examples(shape: str, n_examples: int, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points X (n, 2) and their classes (n,), −1 or 1, half of each.

    Examples
    --------
    Without noise a point of the crossed corners is of class 1 where both of its coordinates have the same sign:

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
    """1 + exp(−‖a − b‖² / (2 width²)) of each row of A (n, 2) with each of B (m, 2): an array (n, m). The 1 is that of the intercepts."""
    squares = ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2)
    values: np.ndarray = 1 + np.exp(-squares / (2 * width**2))
    return values


def kernel_perceptron(K: np.ndarray, y: np.ndarray, nr_rounds: int) -> np.ndarray:
    """How often each example was mistaken, at the start and after each round.

    Parameters
    ----------
    K : array (n, n)
        The kernel of each two examples.
    y : array (n,) of −1 and 1
    nr_rounds : int

    Returns
    -------
    alpha : int array (nr_rounds + 1, n)
        The score of x is Σ_m alpha_m y_m k(x_m, x); 0 is a mistake.

    Examples
    --------
    With the product as kernel it is the perceptron: mistaken once at the first point, it is right on both.

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


def nearest(X: np.ndarray, y: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    """The majority −1 or 1 among the k points of X (n, 2) that are nearest to each row of x (m, 2); k is odd.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [1.1, 0.0]]), np.array([-1, 1, 1])
    >>> nearest(X, y, np.array([[0.2, 0.0]]), k=1).tolist(), nearest(X, y, np.array([[0.2, 0.0]]), k=3).tolist()
    ([-1], [1])
    """
    squares = ((x[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    closest = np.argsort(squares, axis=1, kind="stable")[:, :k]
    majority: np.ndarray = np.sign(y[closest].sum(axis=1)).astype(int)
    return majority


class DemoBeyondALine(Demonstration):
    """The page: the same points three times, with what a line, a kernel perceptron and nearest neighbours make of the plane."""

    name = "beyond_a_line"
    title = "What a line cannot do"
    summary = "Crossed corners and rings: a line fails, a kernel perceptron and nearest neighbours do not."
    look_at = (
        "The same points three times, on the ground of the class that each method gives to every place. A line parts two heaps and "
        "nothing else; the other two keep examples, and bend around them."
    )
    to_try = (
        "Press space: round by round the kernel perceptron keeps more of its mistakes, and the islands join.",
        "Make the kernel narrow (width 0.1): every example is right, and new points are not.",
        "Take one neighbour, then fifteen, with much noise: which of them follows the noise?",
    )
    tips = MappingProxyType(
        {
            "shape": "how the two classes lie",
            "noise": "how far the points scatter",
            "width": "the width of the kernel: how far an example is felt",
            "neighbours": "how many nearest neighbours vote",
            "rounds": "how often the kernel perceptron has seen all examples",
        }
    )
    telling_frame = 6

    def controls(self) -> list[Any]:
        """The widgets of the page, from left to right."""
        import ipywidgets as widgets

        self.stage.size(880, 400)
        self.rounds = widgets.IntSlider(value=0, min=0, max=10, description="rounds")
        self.shape = widgets.Dropdown(options=SHAPES, value=SHAPES[0], description="points")
        self.noise = widgets.FloatSlider(value=0.25, min=0, max=1, step=0.05, description="noise")
        self.width = widgets.FloatLogSlider(value=0.6, base=10, min=-1, max=1, step=0.1, description="width")
        self.neighbours = widgets.IntSlider(value=3, min=1, max=15, step=2, description="neighbours")
        controls = [self.rounds, self.shape, self.noise, self.width, self.neighbours]
        for control in controls:
            control.layout.width = "100%"
            control.style.description_width = "6em"
        player = self.steps(self.rounds.max, 800, self.rounds)
        self.table = widgets.HTML()
        self.on_change(self.update, *controls)
        return [self.stage.beside([player, *controls, self.table], self.stage.view(), width=364)]

    def frames(self) -> Sequence[int]:
        """The rounds of the kernel perceptron."""
        return range(self.rounds.max + 1)

    def go_to(self, frame: int) -> None:
        """Show the state after so many rounds."""
        self.rounds.value = int(np.clip(frame, 0, self.rounds.max))

    def current(self) -> int:
        """After how many rounds."""
        return int(self.rounds.value)

    def draw(self) -> None:
        """Make the artists of the figure, once."""
        from matplotlib.colors import ListedColormap

        stage = self.stage
        self.axes = stage.figure.subplots(1, 3)
        colours = ListedColormap([stage.class_colour(0), stage.look.background, stage.class_colour(1)])
        self.regions, self.points = [], []
        for axis in self.axes:
            axis.set(xlim=LIMITS, ylim=LIMITS, aspect="equal", xticks=[], yticks=[])
            blank, extent = np.zeros((CELLS, CELLS)), (*LIMITS, *LIMITS)
            region = axis.imshow(blank, cmap=colours, vmin=-1, vmax=1, alpha=0.35, extent=extent, origin="lower")
            self.regions.append(region)
            marks = [
                axis.plot([], [], CLASS_MARKERS[k], markersize=6 * stage.scale, color=stage.class_colour(k))[0]
                for k in (0, 1)
            ]
            self.points.append(marks)
        stage.style(*self.axes)

    def update(self) -> None:
        """Compute and show what the controls ask for."""
        X, y = examples(self.shape.value, 80, self.noise.value, seed=1)
        test_X, test_y = examples(self.shape.value, 400, self.noise.value, seed=2)
        ticks = np.linspace(*LIMITS, CELLS)
        plane = np.column_stack([axis.ravel() for axis in np.meshgrid(ticks, ticks)])
        width = self.width.value
        alpha = kernel_perceptron(kernel(X, X, width), y, self.current())[-1]

        def by_kernel(x: np.ndarray) -> np.ndarray:
            signs: np.ndarray = np.sign((alpha * y) @ kernel(X, x, width))
            return signs

        decisions: dict[str, Callable[[np.ndarray], np.ndarray]] = {
            "kernel perceptron": by_kernel,
            "nearest neighbours": lambda x: nearest(X, y, x, self.neighbours.value),
        }
        with self.stage.attempt("The perceptron") as attempt:
            learner = self.lab.classifier("perceptron", "Perceptron", nr_rounds=10)
            params = learner.train(X, y)
            decisions = {"line": lambda x: learner.test(x, params), **decisions}
        if not attempt.ok:
            decisions = {"line": lambda x: np.zeros(len(x)), **decisions}
        right = {}
        for (name, decide), axis, region, marks in zip(
            decisions.items(), self.axes, self.regions, self.points, strict=True
        ):
            region.set_data(decide(plane).reshape(CELLS, CELLS))
            for label, mark in zip((-1, 1), marks, strict=True):
                mark.set_data(*X[y == label].T)
            right[name] = float((decide(test_X) == test_y).mean())
            axis.title.set_text(name)
        rows = "".join(f"<tr><td>{name}</td><td>{100 * share:.0f} %</td></tr>" for name, share in right.items())
        self.table.value = f"<table><tr><th></th><th>on new points</th></tr>{rows}</table>"
        self.stage.state(rounds=self.current(), right=right, examples_kept=int((alpha > 0).sum()))
