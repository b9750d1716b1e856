"""Exercise 1.3: the weights of Gaussian naive Bayes at several variances, with equal and unequal priors and means of any length.

Adding the same vector to the weights of all classes changes no prediction, so every class is compared with class 0.
"""

import itertools

import numpy as np
import pytest

from lxmls_day1.lab_api import described

SINGLE = {"rtol": 1e-4, "atol": 1e-5}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"gaussian_weights": {"b and w": "(J + 1, K)"}}
TOLD_AS = "b, then w, of each class minus those of class 0"


def over_class_0(params):
    """Return each other class minus class 0, with the intercepts in row 0: (J + 1, K − 1)."""
    if isinstance(params, tuple) or np.ndim(params) != 2:
        return described(params, "an array (J + 1, K)")
    params = np.asarray(params)
    return params[:, 1:] - params[:, :1]


def weights(lab, *examples):
    """Return, for each of these priors, means and variances, the intercepts and weights of the other classes minus class 0."""
    calls = [(np.array(prior, float), np.array(means, float), float(variance)) for prior, means, variance in examples]
    return [over_class_0(params) for params in lab.each("gaussian_weights", "gaussian_weights", calls)]


def small_inputs():
    """Yield one feature before two, two classes before three, equal priors first, round variances."""
    means = [[[0], [1]], [[0], [2]], [[1], [2]], [[-1], [2]], [[0, 1], [2, 0]], [[1, 1], [2, 0]], [[0], [1], [3]]]
    priors = {2: [[0.5, 0.5], [0.25, 0.75], [0.2, 0.8]], 3: [[0.25, 0.25, 0.5]]}
    for mu, variance in itertools.product(means, (1.0, 2.0, 4.0, 0.5)):
        for prior in priors[len(mu)]:
            yield {"priors": prior, "means": mu, "variance": variance}


def small_answers(lab, inputs):
    """Return each class minus class 0: intercepts, below them weights."""
    return weights(lab, *((given["priors"], given["means"], given["variance"]) for given in inputs))


def small_parts(given, answer):
    """Yield intercepts and weights."""
    yield "b", answer[0]
    yield "w", answer[1:]


def test_weights(lab, expect):
    """The weights, where the variance is not 1"""
    means = [[-1.0, 0.5], [2.0, 1.0]]
    found = weights(lab, *(([0.5, 0.5], means, variance) for variance in (0.25, 1.0, 4.0)))
    expect("w_1 − w_0, a row for each of the variances 0.25, 1 and 4", [params[1:, 0] for params in found], **SINGLE)


def test_intercepts(lab, expect):
    """The intercepts, with equal priors and means of different length"""
    means = [[-1.0, 0.5], [2.0, 1.0]]
    found = weights(lab, *(([0.5, 0.5], means, variance) for variance in (0.25, 1.0, 4.0)))
    expect("b_1 − b_0, for each of the variances 0.25, 1 and 4", [params[0] for params in found], **SINGLE)


def test_priors(lab, expect):
    """The intercepts, with unequal priors"""
    found = weights(lab, *((prior, [[-1.0], [2.0]], 2.0) for prior in ([0.2, 0.8], [0.9, 0.1])))
    expect("b_1 − b_0, for p(1) = 0.8 and for p(1) = 0.1", [params[0] for params in found], **SINGLE)


def test_three_classes(lab, expect):
    """Three classes of four features: a column for each class, a row for each feature, the intercepts first"""
    means = [[1.0, 0.0, -1.0, 2.0], [0.5, 1.5, 0.0, -1.0], [2.0, 2.0, 0.0, 1.0]]
    (params,) = weights(lab, ([0.2, 0.3, 0.5], means, 2.5))
    expect("the columns of classes 1 and 2 minus that of class 0", params, **SINGLE)


@pytest.mark.hidden
def random_classes(rng, n_classes, n_features):
    """Return priors, means and a variance that is not near 1."""
    prior = rng.dirichlet(np.full(n_classes, 3.0)) * 0.9 + 0.1 / n_classes
    return (
        prior,
        1.5 * rng.normal(size=(n_classes, n_features)),
        float(rng.choice([rng.uniform(0.2, 0.6), rng.uniform(2, 5)])),
    )


@pytest.mark.hidden
@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 1), (2, 3), (3, 2), (5, 5)])
def test_random_classes(lab, expect, rng, n_classes, n_features):
    """Random priors, means and variances"""
    (params,) = weights(lab, random_classes(rng, n_classes, n_features))
    expect("the weights minus those of class 0", params, **SINGLE)


@pytest.mark.hidden
def test_the_posterior(lab, expect, rng):
    """The differences of the scores are the logarithms of ratios of posteriors"""
    (params,) = weights(lab, random_classes(rng, 3, 2))
    X = rng.normal(size=(4, 2))
    expect("log p(k | x) / p(0 | x) for some x", params[0] + X @ params[1:], **SINGLE)
