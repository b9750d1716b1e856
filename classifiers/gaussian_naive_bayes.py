"""Gaussian naive Bayes: each class is a Gaussian with independent features, N(μ_y, diag σ²_y).

The priors are the relative frequencies of the classes and the means the class means (the guide's eq. 1.8). With one
variance σ² for all classes the classifier is linear; exercise 1.3 derives its weights, in ``gaussian_weights.py``.

With a variance for each class and feature the classifier is linear in (1, x, x²), so its boundary is quadratic.

Source: the guide, section 1.2.1, exercises 1.1 and 1.3.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from classifiers.max_ent_model import softmax
from lxmls_day1.lab_api import setting

_BLOCK_SIZE = 2**16  # block size in numbers; a block of this size fits into the processor cache
_VARIANCE_FLOOR = 1e-9
_ROUNDING = np.finfo(np.float64).eps


@dataclass(eq=False, repr=False)
class GaussianNaiveBayes(LinearClassifier):
    """Naive Bayes with Gaussian class conditionals.

    Parameters
    ----------
    variance : float, "pooled" or "per_class"
        A number: the variance that all classes share, as in the guide. ``"pooled"``: one shared variance,
        estimated from the distances of all examples to their class means. ``"per_class"``: a variance for each class and
        feature, which makes the classifier quadratic.

    Attributes
    ----------
    prior : array (K,)
        Relative frequencies of the classes.
    means : array (K, J)
        Class means.
    variances : array (K, J)
        The variances in use, for each setting of ``variance``.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> gnb = GaussianNaiveBayes()
    >>> params = gnb.train(X, y)
    >>> gnb.means.ravel(), gnb.prior
    (array([-1.5,  1.5]), array([0.5, 0.5]))
    >>> gnb.test([[-0.1], [0.1]], params)
    array([0, 1])
    """

    name = "Gaussian naive Bayes"
    listed = {"Gaussian naive Bayes": {"colours": ("#6A3D9A", "#B06CFF"), "dash": (4, 1.5), "order": 10}}

    variance: float | str = setting(1.0, "if it is no positive number", above=0, one_of=("pooled", "per_class"))

    prior: Any = field(default=None, init=False)
    means: Any = field(default=None, init=False)
    variances: Any = field(default=None, init=False)
    trained_quadratic: bool | None = field(default=None, init=False)

    @property
    def quadratic(self) -> bool:
        """True if the parameters also hold weights of the squares; before training, as the setting ``variance`` implies."""
        if self.trained_quadratic is None:
            return isinstance(self.variance, str) and self.variance == "per_class"
        return self.trained_quadratic

    def train(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Estimate the priors, the means and, if ``variance`` is not a number, the variances.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels
        sample_weight : M numbers ≥ 0, optional
            The weight of each example in the estimates. Default: 1.

        Returns
        -------
        params : array (J + 1, K), or (2 J + 1, K) with ``variance="per_class"``
            Rows 0 the intercepts, then the weights of x, then (per class) those of x².

        Raises
        ------
        InputError
            For data that cannot be trained on, or a variance that is neither a positive number nor one of the two strings.
        """
        X, labels, weights = self._training_data(X, y, sample_weight)
        with np.errstate(over="ignore", invalid="ignore"):  # numbers that are too large are reported by `_trained`
            params = self._trained(self._estimate(X, labels, weights))
        self.trained_quadratic = self.variance == "per_class"
        return params

    def _estimate(self, X, labels, weights):
        n_of_class = np.bincount(labels, weights)[:, None]  # (K, 1)
        n_examples = weights.sum()
        self.prior = n_of_class[:, 0] / n_examples
        self.means = _sums(X, labels, weights) / n_of_class
        variances: Any = self.variance
        if isinstance(variances, str):
            deviations = _squared_deviations(X, labels, weights, self.means)  # (K, J)
            pooled = deviations.sum() / (n_examples * max(1, X.shape[1]))
            floor = self._variance_floor(deviations, n_of_class)
            variances = floor + (deviations / n_of_class if variances == "per_class" else pooled)
        self.variances = np.full_like(self.means, variances)
        if not (np.isfinite(self.means).all() and np.isfinite(self.variances).all()):
            return self.variances  # not finite, so that `_trained` raises the error
        # Imported here because the module solves exercise 1.3, and is absent from grading boxes.
        from lxmls_day1.lab_api import gaussians

        variances = self.variances if self.variance == "per_class" else self.variances[0]
        return gaussians.discriminant_params(self.prior, self.means, variances)

    def _variance_floor(self, deviations, n_of_class):
        """Return the number that is added to every estimated variance, so that a constant feature causes no division by zero.

        The variance (J,) of all examples is the sum of the variance within the classes and the variance of the class means.
        """
        shares = n_of_class / n_of_class.sum()  # (K, 1)
        mean = (shares * self.means).sum(axis=0)
        variances = deviations.sum(axis=0) / n_of_class.sum() + (shares * (self.means - mean) ** 2).sum(axis=0)
        rounding = (n_of_class.sum() * _ROUNDING * np.abs(mean)) ** 2  # the rounding error of a constant feature
        largest = np.where(variances > rounding, variances, 0.0).max(initial=0.0)
        return _VARIANCE_FLOOR * (largest if largest > 0 else 1.0)

    def get_probabilities(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Return p(y | x) for each example and class, by Bayes' rule: the scores are log p(y) + log p(x | y) up to a constant.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        params : array (J + 1, K), or (2 J + 1, K) with ``variance="per_class"``

        Returns
        -------
        probabilities : array (M, K)
            Every row sums to 1; columns in the order of ``classes``.

        Raises
        ------
        InputError
            If X and params do not fit together, or X holds a value that is not a finite number.
        """
        return softmax(self.scores_of_rows(self._rows(X), self._params(params)))


def _sums(X, labels, weights):
    """Return the weighted sum over the examples of each class, shape (K, J)."""
    members = sp.csr_array((weights, (labels, np.arange(len(labels)))))  # (K, M): row y sums class y
    sums = members @ X
    return sums.toarray() if sp.issparse(sums) else sums


def _squared_deviations(X, labels, weights, means):
    """Return the weighted sum of (x_j − μ_yj)² over the examples of each class, shape (K, J).

    A sparse matrix is not made dense: its entries are added one by one, and each zero adds μ_yj². (The shorter formula
    Σ x² − n μ² loses all digits of features that vary little around a large mean.)
    """
    if not sp.issparse(X):
        at_once = max(64, _BLOCK_SIZE // max(1, X.shape[1]))
        blocks = (slice(first, first + at_once) for first in range(0, len(X), at_once))
        deviations = np.zeros(means.shape)
        for rows in blocks:
            squares = X[rows] - means[labels[rows]]
            squares *= squares
            of_block = _sums(squares, labels[rows], weights[rows])
            deviations[: len(of_block)] += of_block  # the last classes may have no rows in a block
        return deviations
    entries = LinearClassifier()._rows(X).tocoo()
    places, of_entry = np.ravel_multi_index((labels[entries.row], entries.col), means.shape), weights[entries.row]
    there = np.bincount(places, of_entry, minlength=means.size)
    deviations = np.bincount(places, of_entry * (entries.data - means.ravel()[places]) ** 2, minlength=means.size)
    zeros = np.bincount(labels, weights)[:, None] - there.reshape(means.shape)
    return deviations.reshape(means.shape) + zeros * means**2
