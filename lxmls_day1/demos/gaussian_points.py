"""What the Gaussian playground computes: the sample, with the points that a reader adds, and each classifier's accuracy on it."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
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
    """Points in the plane: where they are, of which class, and whether for training or for testing."""

    X: np.ndarray  # (M, 2)
    y: np.ndarray  # (M,)
    is_train: np.ndarray  # (M,) bool

    def part(self, train: bool) -> tuple[np.ndarray, np.ndarray]:
        """X and y of the training part, or of the test part."""
        chosen = self.is_train == train
        return self.X[chosen], self.y[chosen]

    def with_added(self, rows: Sequence[Sequence[float]]) -> "Points":
        """With further training points, each x_1, x_2 and the class."""
        added = np.array(rows, dtype=float).reshape(-1, 3)
        return Points(
            np.vstack([self.X, added[:, :2]]),
            np.append(self.y, added[:, 2].astype(int)),
            np.append(self.is_train, np.full(len(added), True)),
        )


@dataclass(frozen=True)
class Result:
    """One classifier after training: its boundary's weights and its accuracies."""

    label: str
    params: np.ndarray
    train_accuracy: float | None
    test_accuracy: float | None


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
