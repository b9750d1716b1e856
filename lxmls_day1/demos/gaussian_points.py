"""What the Gaussian playground computes: the sample, with the points that a reader adds, and each classifier's accuracy on it."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.demos.lab_learners import Learner, trained
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

    def accuracies(self, predict: Callable[[np.ndarray], np.ndarray]) -> list[float | None]:
        """The share of the training part and of the test part that is predicted rightly; None of a part without points."""
        parts = self.part(train=True), self.part(train=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [float(np.mean(predict(X) == y)) if len(y) else None for X, y in parts]

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
    """One classifier after training: its boundary's weights, and its accuracies on the training and the test part."""

    label: str
    params: np.ndarray
    accuracies: list[float | None]


def gaussian_data(
    lab: Any, means: Any, variances: Any, nr_points: int, seed: int, balance: Any = 0.5, split: Any = (1, 0, 0)
) -> Any:
    """The lab's data set of some Gaussian classes, all of it to train on unless it is split."""
    classes = enumerate(zip(map(list, means), variances, strict=True), 1)
    gaussians = {f"g{number}": list(gaussian) for number, gaussian in classes}
    settings = {"nr_examples": nr_points, "balance": balance, "split": list(split), "seed": seed}
    return lab.reader("simple_data_set", "SimpleDataSet", **settings, **gaussians)


def draw_sample(lab: Any, setting: Setting) -> tuple[Any, Points]:
    """The lab's data set of a setting, and its points: the training part first.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> data, points = draw_sample(Lab.open(), Setting(nr_points=40))
    >>> points.part(train=True)[0].shape, round(data.get_bayes_error(), 4)
    ((20, 2), 0.0786)
    """
    others = len(setting.means) - 1
    balance = [setting.balance, *others * [(1 - setting.balance) / others]]
    try:
        data = gaussian_data(lab, setting.means, setting.variances, setting.nr_points, setting.seed, balance, SPLIT)
    except InputError as error:  # in words of sliders, not of arguments
        raise InputError("one of the classes has no training point. Draw more points, or move the balance.") from error
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
    quadratic = len(params) == 5  # of two features; linear ones have 3 rows
    return Result(
        OPTIMAL, params, points.accuracies(lambda X: discriminant_scores(X, params, quadratic).argmax(axis=1))
    )


def train_one(lab: Any, learner: Learner, points: Points) -> Result:
    """Train one classifier of the lab on the training points, and measure it on both parts.

    Raises
    ------
    Exception
        Whatever the classifier raises, which may be a student's; NotImplementedError where it is still to be written.
    """
    classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
    params = np.asarray(trained(classifier, *points.part(train=True)), dtype=float)
    return Result(learner.label, params, points.accuracies(lambda X: classifier.test(X, params)))
