"""The computations of exercise 1.8: a learner's accuracy over size, variance and balance, for one seed after another.

A measurement trains one learner on one sample, and computes its expected accuracy. This needs no test points, because
the difference of scores w·x + b of a linear classifier is a Gaussian on each class, so its expected accuracy has a formula.
The bands therefore show only the variation of the training sample. All learners of a seed see the same points.
"""

import math
from typing import Any

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.demos.gaussian_points import gaussian_data
from lxmls_day1.demos.lab_learners import Learner, train_quietly

MEANS = ((-1.0, -1.0), (1.0, 1.0))
DEFAULT_SETTINGS = {"size": 100, "variance": 1.0, "balance": 0.5}
#: Quantity -> the values over which it is varied. The other quantities have their default values.
SWEEP_VALUES: dict[str, tuple[float, ...]] = {
    "size": (10, 20, 50, 100, 200, 500),
    "variance": (0.25, 0.5, 1.0, 2.0, 4.0),
    "balance": (0.5, 0.4, 0.3, 0.2, 0.1, 0.05),
}


def best_accuracies(quantity: str, value: float) -> tuple[float, float]:
    """Return the expected accuracy of the Bayes-optimal classifier on each class.

    With two classes of variance σ² whose means are 2d apart, it errs on class k with probability
    Φ(−d/σ ∓ (σ/2d) log(p_0/p_1)).
    """
    from scipy.special import ndtr

    settings = DEFAULT_SETTINGS | {quantity: value}
    deviation = math.sqrt(settings["variance"])
    half = math.dist(*MEANS) / 2
    shift = deviation / (2 * half) * math.log(settings["balance"] / (1 - settings["balance"]))
    return float(ndtr(half / deviation + shift)), float(ndtr(half / deviation - shift))


def measure(lab: Any, learner: Learner, quantity: str, seed: int) -> np.ndarray:
    """Train a learner on a sample for each value of a quantity, and return its accuracy on each class, (values, 2).

    Raises
    ------
    Exception
        Any error of the classifier, which may be a student's; NotImplementedError if it is still to be written.
    """
    classifier, found = lab.classifier(learner.module, learner.class_name, **learner.settings), []
    for value in SWEEP_VALUES[quantity]:
        points = sample(lab, quantity, value, seed)
        params = np.asarray(train_quietly(classifier, points.train_X, points.train_y), dtype=float)
        found.append(accuracies_of_classes(params, points.means, points.variances))
    return np.array(found)


def curve(measured: np.ndarray, quantity: str, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Return means and standard deviations of the accuracy over seeds, by value.

    Parameters
    ----------
    measured : array (seeds, values, 2)
        The accuracies on both classes.
    quantity : str
    part : "all" or "rare"
        On all points, or only on class 0, which is the rare class when the balance is varied.
    """
    shares = np.array([(DEFAULT_SETTINGS | {quantity: value})["balance"] for value in SWEEP_VALUES[quantity]])
    right = measured[..., 0] if part == "rare" else shares * measured[..., 0] + (1 - shares) * measured[..., 1]
    return right.mean(axis=0), right.std(axis=0, ddof=1) if len(right) > 1 else np.zeros(len(shares))


def sample(lab: Any, quantity: str, value: float, seed: int) -> Any:
    """Return the data set to train on."""
    settings = DEFAULT_SETTINGS | {quantity: value}
    variances = 2 * [settings["variance"]]
    return gaussian_data(lab, MEANS, variances, int(settings["size"]), seed, balance=settings["balance"])


def accuracies_of_classes(params: np.ndarray, means: np.ndarray, variances: np.ndarray) -> tuple[float, float]:
    """Return the expected accuracy of a linear classifier on each of two Gaussian classes.

    With w = w_1 − w_0 and b = b_1 − b_0, the difference w·x + b on class k has the mean w·μ_k + b and the variance
    Σ_j w_j² σ²_kj. Class 0 is predicted if the difference is negative, class 1 if it is positive.

    Parameters
    ----------
    params : array (D + 1, 2)
    means, variances : arrays (2, D)

    Returns
    -------
    (float, float)

    Raises
    ------
    InputError
        If `params` is not the finite array of a linear classifier of two classes.

    Examples
    --------
    A line half-way between two classes, one standard deviation from either:

    >>> class_accuracies = accuracies_of_classes(np.array([[0.0, 0.0], [-1.0, 1.0]]), np.array([[-1.0], [1.0]]), np.ones((2, 1)))
    >>> [round(share, 4) for share in class_accuracies]
    [0.8413, 0.8413]
    """
    from scipy.special import ndtr

    if params.shape != (means.shape[1] + 1, 2) or not np.isfinite(params).all():
        expected = f"the {means.shape[1] + 1} x 2 finite weights of a linear classifier"
        raise InputError(f"expected {expected}, got an array of shape {params.shape}")
    difference = params[:, 1] - params[:, 0]
    centres = means @ difference[1:] + difference[0]  # (2,)
    deviations = np.sqrt(variances @ difference[1:] ** 2)  # (2,)
    towards = np.array([-1.0, 1.0]) * centres
    with np.errstate(divide="ignore", invalid="ignore"):
        z = towards / deviations
    # With equal weights, one class is predicted everywhere; the first class if the scores are equal, too.
    if not deviations.any():
        z = np.array([-np.inf, np.inf]) if difference[0] > 0 else np.array([np.inf, -np.inf])
    right = ndtr(z)
    return float(right[0]), float(right[1])
