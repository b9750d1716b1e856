"""Gaussian classes with one variance per feature: their scores as `params`, and the Bayes error.

Class y has the prior p(y) and the density N(x; μ_y, diag σ_y²). Its score is the log of the joint density,

    s_y(x) = log p(y) + Σ_j [ −½ log 2πσ_yj² − (x_j − μ_yj)² / (2 σ_yj²) ],

which is linear in [1, x, x²]: `discriminant_params` returns the weights. If all
classes share their variances, the squares cancel and the score is linear in [1, x]: see `linear_discriminant_params`.

References
----------
R. O. Duda, P. E. Hart and D. G. Stork, *Pattern Classification*, 2nd ed., 2001, sections 2.6 and 2.7.
"""

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_numbers
from lxmls_day1.base.errors import InputError

_PANEL_NODES = 16  # Gauss-Legendre nodes in each panel of the first of two coordinates
_TAIL = 10  # standard deviations after which a density counts as zero: Φ(−10) is 8e-24
_BATCH = 1 << 20  # maximum number of array elements in a batch of lines


def discriminant_params(prior: ArrayLike, means: ArrayLike, variances: ArrayLike) -> np.ndarray:
    """Return weights on [1, x, x²] whose scores are log p(y) + log N(x; μ_y, diag σ_y²).

    Parameters
    ----------
    prior : array (K,)
        Class probabilities: positive, of sum 1.
    means : array (K, J)
        The mean of each class.
    variances : array (K, J), or a number or array (J,)
        The variance of each class and feature (squares of standard deviations). A number or an array (J,) is shared by
        all classes; the result is then that of `linear_discriminant_params`, with J + 1 rows.

    Returns
    -------
    array (2J + 1, K)
        Row 0 holds the intercepts, which include the logarithms of the determinants and −J/2 log 2π; rows 1 … J hold
        the weights for x; the remaining rows those for x².

    Raises
    ------
    InputError
        If shapes disagree, a variance is not positive, or the prior is not a distribution.

    Examples
    --------
    >>> params = discriminant_params([0.5, 0.5], means=[[0.0], [2.0]], variances=[[1.0], [4.0]])
    >>> params[1:]
    array([[ 0.   ,  0.5  ],
           [-0.5  , -0.125]])
    >>> np.exp(params[0]).round(4)  # p(y) N(0; μ_y, σ_y²): 0.5/√2π and 0.5/√8π · exp(−1/2)
    array([0.1995, 0.0605])
    """
    if np.ndim(variances) < 2:
        return linear_discriminant_params(prior, means, variances)
    prior, means, variances = _check_gaussians(prior, means, variances)
    with np.errstate(over="ignore"):
        intercepts = np.log(prior) - 0.5 * np.sum(np.log(2 * np.pi * variances) + means**2 / variances, axis=1)  # (K,)
        return _require_finite(np.vstack([intercepts, (means / variances).T, (-0.5 / variances).T]))


def linear_discriminant_params(prior: ArrayLike, means: ArrayLike, variance: ArrayLike) -> np.ndarray:
    """Return weights on [1, x] for classes with shared variances: b_y = log p(y) − Σ_j μ_yj²/(2σ_j²), w_yj = μ_yj/σ_j².

    Terms that are equal for all classes are omitted, so the scores are log joint densities up to a constant.

    Parameters
    ----------
    prior : array (K,)
        Class probabilities: positive, of sum 1.
    means : array (K, J)
        The mean of each class.
    variance : float or array (J,)
        The variance that all classes share: one number for all features, or one per feature.

    Returns
    -------
    array (J + 1, K)
        Row 0 holds the intercepts.

    Raises
    ------
    InputError
        See `discriminant_params`.

    Examples
    --------
    >>> linear_discriminant_params([0.5, 0.5], means=[[-1, -1], [1, 1]], variance=1.0).round(3)
    array([[-1.693, -1.693],
           [-1.   ,  1.   ],
           [-1.   ,  1.   ]])
    """
    means = as_numbers(means, "means must be a matrix of numbers")
    shared_variance = as_numbers(variance, "variance must be a number or one number per feature")
    try:
        variances = np.broadcast_to(shared_variance, means.shape)
    except ValueError:
        raise InputError(
            f"variance must be a number or one number per feature (means have shape {means.shape}), "
            f"but has shape {np.shape(variance)}."
        ) from None
    prior, means, variances = _check_gaussians(prior, means, variances)
    with np.errstate(over="ignore"):
        intercepts = np.log(prior) - 0.5 * np.sum(means**2 / variances, axis=1)  # (K,)
        return _require_finite(np.vstack([intercepts, (means / variances).T]))


def _require_finite(params: np.ndarray) -> np.ndarray:
    if not np.all(np.isfinite(params)):
        raise InputError(
            "the weights of these Gaussians are not finite: their means are too large for their variances; scale the "
            "features down."
        )
    return params


def bayes_error(prior: ArrayLike, means: ArrayLike, variances: ArrayLike) -> float:
    """Return the error rate of the best possible classifier: 1 − ∫ max_y p(y) N(x; μ_y, diag σ_y²) dx.

    The method and its accuracy depend on the classes:

    - two classes that share their variances, in any dimension: the closed form with Φ, for any prior;
    - one dimension, any number of classes: the scores cross at roots of quadratic equations, and Φ gives the exact mass
      between neighbouring crossings;
    - two dimensions, all other cases: one coordinate is integrated exactly, as in one dimension, and the other
      numerically by Gauss-Legendre quadrature (error below 1e-5).

    The result is deterministic in every case.

    Parameters
    ----------
    prior : array (K,)
        Class probabilities: positive, of sum 1.
    means : array (K, J)
        The mean of each class.
    variances : array (K, J)
        The variance of each class and feature.

    Returns
    -------
    float
        Between 0 and 1 − max_y p(y).

    Raises
    ------
    InputError
        If shapes disagree, a variance is not positive, the prior is not a distribution, or there are more than two
        features and no closed form.

    Examples
    --------
    Balanced classes with means ∓(1, 1) and unit variance: Φ(−√2).

    >>> round(bayes_error([0.5, 0.5], [[-1, -1], [1, 1]], [[1, 1], [1, 1]]), 6)
    0.07865

    References
    ----------
    K. Fukunaga, *Introduction to Statistical Pattern Recognition*, 2nd ed., 1990, chapter 3.
    """
    prior, means, variances = _check_gaussians(prior, means, variances)
    n_classes, n_features = means.shape
    if n_classes == 1:
        return 0.0
    if n_classes == 2 and np.array_equal(variances[0], variances[1]):
        error = _error_shared_variances(prior, means, variances[0])
    elif n_features == 1:
        error = float(_errors_on_lines(np.log(prior)[None], means[:, 0], variances[:, 0])[0])
    elif n_features == 2:
        error = _error_in_two_dimensions(prior, *_most_separating_feature_last(means, variances))
    else:
        raise InputError(
            f"the Bayes error of {n_classes} classes of these variances is known for one and for two features, but there are "
            f"{n_features}; take two of them, or two classes that share their variances"
        )
    return min(max(error, 0.0), 1 - float(prior.max()))


def _check_gaussians(
    prior: ArrayLike, means: ArrayLike, variances: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    prior, means, variances = (
        as_numbers(values, f"{name} must be numbers")
        for name, values in (("the prior", prior), ("the means", means), ("the variances", variances))
    )
    same_shapes = prior.shape == means.shape[:1] and means.ndim == 2 and means.shape == variances.shape
    if not same_shapes or not prior.size:
        raise InputError(
            "expected prior (classes,), means (classes, features) and variances (classes, features), "
            f"but got shapes {prior.shape}, {means.shape} and {variances.shape}."
        )
    if not (np.all(prior > 0) and abs(prior.sum() - 1) < 1e-6):
        raise InputError(
            f"the prior must be positive and sum to 1, but is {prior}; leave out classes that never occur."
        )
    if not np.all(np.isfinite(means)):
        raise InputError("the means must be finite numbers, but some are NaN or infinite; clean the data.")
    if not np.all((variances > 0) & np.isfinite(variances)):
        raise InputError("the variances must be positive finite numbers, but some are not; smooth or fix them.")
    with np.errstate(over="ignore"):
        overflows = not np.all(np.isfinite((1.0 + means**2) / variances))
    if overflows:
        raise InputError(
            f"the variances are so small beside the means that numbers overflow (the least is {variances.min():.3g}); scale the features."
        )
    return prior, means, variances


def _error_shared_variances(prior: np.ndarray, means: np.ndarray, variance: np.ndarray) -> float:
    """Return Σ_y p(y) Φ(−Δ/2 ∓ log(p_1/p_2)/Δ), with Δ the Mahalanobis distance of the means."""
    from scipy.special import ndtr

    distance = np.sqrt(np.sum((means[0] - means[1]) ** 2 / variance))
    if distance == 0:
        return float(prior.min())
    shift = np.log(prior[0] / prior[1]) / distance
    return float(prior[0] * ndtr(-distance / 2 - shift) + prior[1] * ndtr(-distance / 2 + shift))


def _errors_on_lines(log_weights: np.ndarray, means: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Return ∫ [Σ_y ω_y N(t; μ_y, σ_y²) − max_y ω_y N(t; μ_y, σ_y²)] dt, exactly, for each of N sets of weights ω.

    Parameters are log ω (N, K), μ (K,), σ² (K,); the result is (N,). Between two neighbouring crossings of any two
    scores one class has the highest score, so the mass of all other classes in this interval is error.
    """
    n_lines, n_classes = log_weights.shape
    n_intervals = n_classes * (n_classes - 1) + 1
    batch = max(1, _BATCH // (n_intervals * n_classes))
    if n_lines > batch:
        parts = [log_weights[start : start + batch] for start in range(0, n_lines, batch)]
        return np.concatenate([_errors_on_lines(part, means, variances) for part in parts])

    # s_y(t) = a_y + b_y t + c_y t²; the constant −½ log 2π is omitted.
    a = log_weights - 0.5 * np.log(variances) - means**2 / (2 * variances)  # (N, K)
    b, c = means / variances, -0.5 / variances  # (K,)
    first, second = np.triu_indices(n_classes, k=1)
    crossings = _real_roots(a[:, first] - a[:, second], b[first] - b[second], c[first] - c[second])  # (N, K(K−1))
    tail = _TAIL * np.sqrt(variances)
    lowest, highest = np.min(means - tail), np.max(means + tail)
    edges = np.sort(np.clip(np.nan_to_num(crossings, nan=lowest), lowest, highest), axis=1)
    starts = np.pad(edges, ((0, 0), (1, 0)), constant_values=lowest)
    ends = np.pad(edges, ((0, 0), (0, 1)), constant_values=highest)
    middles = (starts + ends) / 2  # (N, intervals)
    scores = a[:, None] + middles[..., None] * (b + middles[..., None] * c)  # (N, intervals, K)
    mass = _mass_between_edges((edges[..., None] - means) / np.sqrt(variances))  # (N, intervals, K)
    mass *= np.exp(log_weights)[:, None]
    np.put_along_axis(mass, scores.argmax(axis=2)[..., None], 0.0, axis=2)
    return np.asarray(mass.sum(axis=(1, 2)))


def _real_roots(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return both real roots of a + b t + c t² = 0 for a (N, P) and b, c (P,), as (N, 2P); NaN for missing roots."""
    b, c = np.broadcast_to(b, a.shape), np.broadcast_to(c, a.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        # q/c and a/q are the two roots, without cancellation. If c = 0, q/c is not finite and a/q is the root of the linear
        # equation.
        q = -0.5 * (b + np.copysign(np.sqrt(b * b - 4 * a * c), b))
        roots = np.concatenate([q / c, a / q], axis=1)
    return np.where(np.isfinite(roots), roots, np.nan)


def _mass_between_edges(z: np.ndarray) -> np.ndarray:
    """Return the standard normal mass of (−∞, z_1), (z_1, z_2), …, (z_n, ∞) along axis 1 of three, precise in both tails."""
    from scipy.special import ndtr

    low = np.pad(z, ((0, 0), (1, 0), (0, 0)), constant_values=-np.inf)
    high = np.pad(z, ((0, 0), (0, 1), (0, 0)), constant_values=np.inf)
    mirrored = low > 0
    return np.asarray(ndtr(np.where(mirrored, -low, high)) - ndtr(np.where(mirrored, -high, low)))


def _most_separating_feature_last(means: np.ndarray, variances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reorder the features so that the one with the most distant means, in standard deviations, comes last."""
    spread = np.ptp(means, axis=0) ** 2 / variances.mean(axis=0) + np.ptp(np.log(variances), axis=0)
    order = np.argsort(spread, kind="stable")
    return means[:, order], variances[:, order]


def _error_in_two_dimensions(prior: np.ndarray, means: np.ndarray, variances: np.ndarray) -> float:
    """Return the Bayes error in two dimensions.

    Integrate over the first coordinate by composite Gauss-Legendre quadrature, in panels no wider than any class's
    standard deviation, and over the second coordinate exactly.
    """
    centre, variance = means[:, 0], variances[:, 0]
    deviation = np.sqrt(variance)
    edges = np.unique(centre[:, None] + deviation[:, None] * np.arange(-_TAIL, _TAIL + 1))
    nodes, weights = np.polynomial.legendre.leggauss(_PANEL_NODES)
    half = np.diff(edges)[:, None] / 2
    x = (edges[:-1, None] + half * (1 + nodes)).reshape(-1, 1)
    log_weights = np.log(prior) - 0.5 * (np.log(2 * np.pi * variance) + (x - centre) ** 2 / variance)  # (N, K)
    return float((half * weights).ravel() @ _errors_on_lines(log_weights, means[:, 1], variances[:, 1]))
