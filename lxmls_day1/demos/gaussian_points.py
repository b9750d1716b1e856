"""What the Gaussian playground computes: the sample, what clicks change in it, and how each classifier does on it."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lxmls_day1.demos.learners import Learner
from lxmls_day1.figures.boundaries import discriminant_scores

SPLIT = (0.5, 0.0, 0.5)
MEANS = ((-1.0, -1.0), (1.0, 1.0), (-1.0, 2.0))  # where the classes begin
OPTIMAL = "Bayes-optimal"


@dataclass(frozen=True)
class Setting:
    """What is drawn from: K Gaussian classes in the plane with a variance each, and how many points."""

    means: tuple[tuple[float, float], ...] = MEANS[:2]
    variances: tuple[float, ...] = (1.0, 1.0)
    balance: float = 0.5  # the share of the first class; the others share the rest evenly
    nr_points: int = 100
    seed: int = 1


@dataclass(frozen=True)
class Points:
    """Points in the plane: where they are, of which class, for training or for testing, and whether clicked there."""

    X: np.ndarray  # (M, 2)
    y: np.ndarray  # (M,)
    is_train: np.ndarray  # (M,) bool
    is_mine: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))  # (M,) bool

    def part(self, train: bool) -> tuple[np.ndarray, np.ndarray]:
        """X and y of the training part, or of the test part."""
        chosen = self.is_train == train
        return self.X[chosen], self.y[chosen]

    def added(self, x: Sequence[float], label: int) -> "Points":
        """With one more training point."""
        return Points(
            np.vstack([self.X, x]),
            np.append(self.y, label),
            np.append(self.is_train, True),
            np.append(self.is_mine, True),
        )

    def moved(self, number: int, x: Sequence[float]) -> "Points":
        """With one point elsewhere."""
        X = self.X.copy()
        X[number] = x
        return replace(self, X=X)

    def deleted(self, number: int) -> "Points":
        """Without one point."""
        keep = np.arange(len(self.y)) != number
        return Points(self.X[keep], self.y[keep], self.is_train[keep], self.is_mine[keep])

    def mine(self) -> "Points":
        """Only those that were added by clicks."""
        return Points(
            self.X[self.is_mine], self.y[self.is_mine], self.is_train[self.is_mine], self.is_mine[self.is_mine]
        )

    def and_those(self, others: "Points") -> "Points":
        """With further points behind these."""
        pairs = ((getattr(self, key), getattr(others, key)) for key in ("X", "y", "is_train", "is_mine"))
        return Points(*(np.concatenate(pair) for pair in pairs))


@dataclass(frozen=True)
class Result:
    """One classifier after training: its boundary's weights and its accuracies; or why there is none."""

    label: str
    params: np.ndarray | None
    train_accuracy: float | None
    test_accuracy: float | None
    reason: str = ""


def draw_sample(lab: Any, setting: Setting) -> tuple[Any, Points]:
    """The lab's data set of a setting, and its points: the training part first.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> data, points = draw_sample(Lab.open(), Setting(nr_points=40))
    >>> points.part(train=True)[0].shape, round(data.get_bayes_error(), 4)
    ((20, 2), 0.0786)
    """
    classes = [[list(mean), variance] for mean, variance in zip(setting.means, setting.variances, strict=True)]
    balance: Any = setting.balance
    if len(classes) > 2:
        balance = [setting.balance] + [(1 - setting.balance) / (len(classes) - 1)] * (len(classes) - 1)
    gaussians = {f"g{number}": gaussian for number, gaussian in enumerate(classes, 1)}
    data = lab.reader(
        "simple_data_set",
        "SimpleDataSet",
        nr_examples=setting.nr_points,
        balance=balance,
        split=list(SPLIT),
        seed=setting.seed,
        **gaussians,
    )
    n_train, n_test = len(data.train_y), len(data.test_y)
    points = Points(
        np.vstack([data.train_X, data.test_X]),
        np.concatenate([data.train_y, data.test_y]),
        np.arange(n_train + n_test) < n_train,
        np.zeros(n_train + n_test, dtype=bool),
    )
    return data, points


def best_possible(data: Any, points: Points) -> Result:
    """The Bayes-optimal classifier of the true distribution, measured on the points like the others."""
    params = data.get_bayes_optimal()

    def accuracy(train: bool) -> float | None:
        X, y = points.part(train)
        scores = discriminant_scores(X, params, quadratic=len(params) == 5)  # of two features; linear ones have 3 rows
        return float(np.mean(scores.argmax(axis=1) == y)) if len(y) else None

    return Result(OPTIMAL, params, accuracy(train=True), accuracy(train=False))


def train_one(lab: Any, learner: Learner, points: Points) -> Result:
    """Train one classifier of the lab on the training points, and measure it on both parts.

    Raises
    ------
    Exception
        Whatever the classifier raises, which may be a student's; NotImplementedError where it is still to be written.
    """
    classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
    X, y = points.part(train=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        params = classifier.train(X, y)
        on_train, on_test = (
            float(classifier.evaluate(y, classifier.test(X, params))) if len(y) else None
            for X, y in (points.part(train=True), points.part(train=False))
        )
    return Result(learner.label, np.asarray(params, dtype=float), on_train, on_test)
