"""Computations of the Gaussian playground: the sample, with the reader's points, and each classifier's accuracy on it."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.demos.lab_learners import Learner, train_quietly
from lxmls_day1.figures.boundaries import discriminant_scores

MEANS = ((-1.0, -1.0), (1.0, 1.0), (-1.0, 2.0))  # the initial means of the classes
OPTIMAL = "Bayes-optimal"
_QUANTILES = 60  # for each axis; accuracies have an error of about 0.001


class SampleSpec(NamedTuple):
    """The distribution and the size of a sample: K Gaussian classes in the plane, each with its own variance."""

    means: tuple[tuple[float, float], ...] = MEANS[:2]
    variances: tuple[float, ...] = (2.0, 2.0)
    balance: float = 0.5  # the share of the first class; the other classes have equal shares of the rest
    nr_points: int = 12
    seed: int = 1

    @property
    def shares(self) -> list[float]:
        """The share of each class, (K,)."""
        others = len(self.means) - 1
        return [self.balance, *others * [(1 - self.balance) / others]]

    def expected_accuracy(self, predict: Callable[[np.ndarray], np.ndarray]) -> float:
        """Return how often a classifier is right on new points: on a grid of points with equal weights for each class.

        Examples
        --------
        The line half-way between the two classes is one standard deviation from either:

        >>> round(SampleSpec().expected_accuracy(lambda X: (X.sum(axis=1) > 0).astype(int)), 2)
        0.84
        """
        from scipy.special import ndtri

        axis = ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
        grid = np.column_stack([part.ravel() for part in np.meshgrid(axis, axis)])
        classes = enumerate(zip(self.means, self.variances, self.shares, strict=True))
        return float(
            sum(
                share * np.mean(predict(mean + np.sqrt(variance) * grid) == k) for k, (mean, variance, share) in classes
            )
        )


class Sample(NamedTuple):
    """Training points X (M, 2) and their classes y (M,): those of the lab's data set of a distribution, and the reader's."""

    spec: SampleSpec
    data: Any
    X: np.ndarray
    y: np.ndarray


class Result(NamedTuple):
    """A trained classifier: the weights of its boundary, and its accuracies on the training points and on new points."""

    label: str
    params: np.ndarray
    accuracies: tuple[float, float]

    def turned_from(self, other: "Result") -> float:
        """Return the angle in degrees between the lines of two linear classifiers of two classes; NaN for other classifiers."""
        if self.params.shape != (3, 2):
            return np.nan
        w, v = (params[1:, 1] - params[1:, 0] for params in (self.params, other.params))
        return float(np.degrees(abs(np.arctan2(w[0] * v[1] - w[1] * v[0], w @ v))))


def gaussian_data(lab: Any, means: Any, variances: Any, nr_points: int, seed: int, balance: Any = 0.5) -> Any:
    """Return the lab's data set of some Gaussian classes, with all examples in the training part."""
    classes = enumerate(zip(map(list, means), variances, strict=True), 1)
    gaussians = {f"g{number}": list(gaussian) for number, gaussian in classes}
    settings = {"nr_examples": nr_points, "balance": balance, "split": [1, 0, 0], "seed": seed}
    return lab.reader("simple_data_set", "SimpleDataSet", **settings, **gaussians)


def draw_sample(lab: Any, spec: SampleSpec, rows: Sequence[Sequence[float]] = ()) -> Sample:
    """Return a sample of a distribution, with the reader's points: each row is x_1, x_2 and the class.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> sample = draw_sample(Lab.open(), SampleSpec(), [[4, 1, 0]])
    >>> sample.X.shape, sample.X[-1].tolist(), round(sample.data.get_bayes_error(), 4)
    ((13, 2), [4.0, 1.0], 0.1587)
    """
    try:
        data = gaussian_data(lab, spec.means, spec.variances, spec.nr_points, spec.seed, spec.shares)
    except InputError as error:  # the message names sliders, not arguments
        raise InputError("one of the classes has no training point. Draw more points, or move the balance.") from error
    added = np.array(rows, dtype=float).reshape(-1, 3)
    return Sample(spec, data, np.vstack([data.train_X, added[:, :2]]), np.append(data.train_y, added[:, 2].astype(int)))


def best_possible(sample: Sample) -> Result:
    """Return the result of the Bayes-optimal classifier of the true distribution."""
    params = sample.data.get_bayes_optimal()
    quadratic = len(params) == 5  # a quadratic classifier of 2 features has 5 rows, a linear one 3
    return _result(OPTIMAL, params, lambda X: discriminant_scores(X, params, quadratic).argmax(axis=1), sample)


def train_one(lab: Any, learner: Learner, sample: Sample) -> Result:
    """Train one classifier of the lab on a sample, and measure its accuracies.

    Raises
    ------
    Exception
        Any error of the classifier, which may be a student's; NotImplementedError if it is still to be written.
    """
    classifier = lab.classifier(learner.module, learner.class_name, **learner.settings)
    params = np.asarray(train_quietly(classifier, sample.X, sample.y), dtype=float)
    return _result(learner.label, params, lambda X: classifier.test(X, params), sample)


def _result(label: str, params: np.ndarray, predict: Callable[[np.ndarray], np.ndarray], sample: Sample) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right = float(np.mean(predict(sample.X) == sample.y))
        return Result(label, params, (right, sample.spec.expected_accuracy(predict)))
