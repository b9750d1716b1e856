"""Computations of the Gaussian playground: the sample, with the reader's points, and each classifier's accuracy on it."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.demos.lab_learners import Learner, train_quietly
from lxmls_day1.figures.boundaries import discriminant_scores

SPLIT = (0.5, 0.0, 0.5)
MEANS = ((-1.0, -1.0), (1.0, 1.0), (-1.0, 2.0))  # the initial means of the classes
OPTIMAL = "Bayes-optimal"


@dataclass(frozen=True)
class SampleSpec:
    """The distribution and the size of a sample: K Gaussian classes in the plane, each with its own variance."""

    means: tuple[tuple[float, float], ...] = MEANS[:2]
    variances: tuple[float, ...] = (1.0, 1.0)
    balance: float = 0.5  # the share of the first class; the other classes have equal shares of the rest
    nr_points: int = 100
    seed: int = 1


@dataclass(frozen=True)
class Points:
    """Points in the plane: coordinates, classes, and whether they are for training or for testing."""

    X: np.ndarray  # (M, 2)
    y: np.ndarray  # (M,)
    is_train: np.ndarray  # (M,) bool

    def part(self, train: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return X and y of the training part, or of the test part."""
        chosen = self.is_train == train
        return self.X[chosen], self.y[chosen]

    def accuracies(self, predict: Callable[[np.ndarray], np.ndarray]) -> list[float | None]:
        """Return the accuracy on the training part and on the test part; None for a part without points."""
        parts = self.part(train=True), self.part(train=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [float(np.mean(predict(X) == y)) if len(y) else None for X, y in parts]

    def with_added(self, rows: Sequence[Sequence[float]]) -> "Points":
        """Return the points with further training points. Each row is x_1, x_2 and the class."""
        added = np.array(rows, dtype=float).reshape(-1, 3)
        return Points(
            np.vstack([self.X, added[:, :2]]),
            np.append(self.y, added[:, 2].astype(int)),
            np.append(self.is_train, np.full(len(added), True)),
        )


@dataclass(frozen=True)
class Result:
    """A trained classifier: the weights of its boundary, and its accuracies on the training and the test part."""

    label: str
    params: np.ndarray
    accuracies: list[float | None]


def gaussian_data(
    lab: Any, means: Any, variances: Any, nr_points: int, seed: int, balance: Any = 0.5, split: Any = (1, 0, 0)
) -> Any:
    """Return the lab's data set of some Gaussian classes. By default all examples are in the training part."""
    classes = enumerate(zip(map(list, means), variances, strict=True), 1)
    gaussians = {f"g{number}": list(gaussian) for number, gaussian in classes}
    settings = {"nr_examples": nr_points, "balance": balance, "split": list(split), "seed": seed}
    return lab.reader("simple_data_set", "SimpleDataSet", **settings, **gaussians)


def draw_sample(lab: Any, spec: SampleSpec) -> tuple[Any, Points]:
    """Return the lab's data set of a setting, and its points, the training part first.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> data, points = draw_sample(Lab.open(), SampleSpec(nr_points=40))
    >>> points.part(train=True)[0].shape, round(data.get_bayes_error(), 4)
    ((20, 2), 0.0786)
    """
    others = len(spec.means) - 1
    balance = [spec.balance, *others * [(1 - spec.balance) / others]]
    try:
        data = gaussian_data(lab, spec.means, spec.variances, spec.nr_points, spec.seed, balance, SPLIT)
    except InputError as error:  # the message names sliders, not arguments
        raise InputError("one of the classes has no training point. Draw more points, or move the balance.") from error
    n_train, n_test = len(data.train_y), len(data.test_y)
    points = Points(
        np.vstack([data.train_X, data.test_X]),
        np.concatenate([data.train_y, data.test_y]),
        np.arange(n_train + n_test) < n_train,
    )
    return data, points


def best_possible(data: Any, points: Points) -> Result:
    """Return the result of the Bayes-optimal classifier of the true distribution on these points."""
    params = data.get_bayes_optimal()
    quadratic = len(params) == 5  # a quadratic classifier of 2 features has 5 rows, a linear one 3
    return Result(
        OPTIMAL, params, points.accuracies(lambda X: discriminant_scores(X, params, quadratic).argmax(axis=1))
    )


def train_one(lab: Any, learner: Learner, points: Points) -> Result:
    """Train one classifier of the lab on the training points, and measure its accuracy on both parts.

    Raises
    ------
    Exception
        Any error of the classifier, which may be a student's; NotImplementedError if it is still to be written.
    """
    classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
    params = np.asarray(train_quietly(classifier, *points.part(train=True)), dtype=float)
    return Result(learner.label, params, points.accuracies(lambda X: classifier.test(X, params)))
