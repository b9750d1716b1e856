"""Gaussian naive Bayes: each class a Gaussian whose features are independent, N(μ_y, diag σ²_y).

The priors are the relative frequencies of the classes and the means the class means (the guide's eq. 1.8). With one
variance σ² for all classes the classifier is linear:

    b_y = log p(y) − ‖μ_y‖² / (2σ²),    w_y = μ_y / σ²

With a variance for each class and feature it is linear in (1, x, x²) instead: a quadratic boundary.

Source: the guide, section 1.2.1, exercises 1.1 and 1.3.
"""

import numpy as np
import scipy.sparse as sp

from classifiers.linear_classifier import LinearClassifier
from classifiers.max_ent_model import softmax
from lxmls_day1.checks import check_inputs, check_number, check_params, check_sample_weight
from lxmls_day1.errors import InputError
from lxmls_day1.gaussians import discriminant_params, linear_discriminant_params

_SHARE_OF_LARGEST_VARIANCE = 1e-9


class GaussianNaiveBayes(LinearClassifier):
    """Naive Bayes with Gaussian class conditionals.

    Parameters
    ----------
    variance : float, "pooled" or "per_class"
        A number: the given variance that all classes share, as in the guide. ``"pooled"``: one shared variance,
        estimated from the distances of all examples to their class means. ``"per_class"``: a variance for each class and
        feature, which makes the classifier quadratic.

    Attributes
    ----------
    prior : array (K,)
        Relative frequencies of the classes.
    means : array (K, J)
        Class means.
    variances : array (K, J)
        The variances in use, whatever the mode.

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

    def __init__(self, variance: float | str = 1.0) -> None:
        super().__init__()
        self.variance = variance
        self.prior = None
        self.means = None
        self.variances = None

    @property
    def quadratic(self):
        return isinstance(self.variance, str) and self.variance == "per_class"

    def train(self, X, y, sample_weight=None):
        """Estimate priors, means and, where asked for, variances.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels
        sample_weight : M numbers ≥ 0, optional
            How often each example counts; once if not given.

        Returns
        -------
        params : array (J + 1, K), or (2 J + 1, K) with ``variance="per_class"``
            Rows 0 the intercepts, then the weights of x, then (per class) those of x².

        Raises
        ------
        InputError
            For data that cannot be trained on, or a variance that is neither positive nor one of the two words.
        """
        variance = self.variance
        if isinstance(variance, str):
            if variance not in ("pooled", "per_class"):
                raise InputError(f'variance must be a positive number, "pooled" or "per_class", but is {variance!r}')
        else:
            variance = check_number("variance", variance, above=0)
        X, labels = self._training_data(X, y)
        weights = check_sample_weight(sample_weight, labels)
        floor = _floor(X, weights)
        weights = np.ones(len(labels)) if weights is None else weights
        n_of_class = np.bincount(labels, weights=weights)  # (K,)
        n_examples = n_of_class.sum()
        members = sp.csr_array((weights, (labels, np.arange(len(labels)))))  # (K, M): row y sums class y

        self.prior = n_of_class / n_examples
        self.means = _dense(members @ X) / n_of_class[:, None]
        if variance == "per_class":
            self.variances = _squared_deviations(X, labels, members, self.means) / n_of_class[:, None] + floor
            params = discriminant_params(self.prior, self.means, self.variances)
        else:
            if variance == "pooled":
                total = _squared_deviations(X, labels, members, self.means).sum()
                variance = total / (n_examples * X.shape[1]) + floor
            self.variances = np.full_like(self.means, variance)
            params = linear_discriminant_params(self.prior, self.means, variance)
        self.trained = True
        return params

    def get_probabilities(self, X, params):
        """p(y | x) for each example and class, by Bayes' rule: the scores are log p(y) + log p(x | y) up to a constant.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        params : array (J + 1, K), or (2 J + 1, K) with ``variance="per_class"``

        Returns
        -------
        probabilities : array (M, K)
            Every row sums to 1; columns in the order of ``classes``.
        """
        return softmax(self._scores(check_inputs(X), check_params(params)))


def _squared_deviations(X, labels, members, means):
    """Σ over the examples of a class of (x_j − μ_yj)², shape (K, J)."""
    if sp.issparse(X):  # without densifying: Σ x² − n μ²
        n_of_class = members.sum(axis=1)[:, None]
        return np.maximum(_dense(members @ (X * X)) - n_of_class * means**2, 0.0)
    return members @ (X - means[labels]) ** 2


def _floor(X, weights):
    """What every estimated variance gets on top, so that a constant feature divides nothing by zero."""
    n_examples = X.shape[0]
    if weights is not None:
        mean = weights @ X / weights.sum()
        largest = (weights @ (X * X) / weights.sum() - mean**2).max(initial=0.0)
    elif sp.issparse(X):
        mean = X.sum(axis=0) / n_examples
        largest = ((X * X).sum(axis=0) / n_examples - mean**2).max(initial=0.0)
    else:
        largest = X.var(axis=0).max(initial=0.0)
    return _SHARE_OF_LARGEST_VARIANCE * (largest if largest > 0 else 1.0)


def _dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix
