"""NBSVM: a support vector machine on features that are weighted by naive Bayes.

For a class c let p_j and q_j be α plus the number of documents inside and outside of c that contain feature j. The weight of
feature j in naive Bayes is its *log-count ratio*

    r_j = log (p_j / ‖p‖₁) − log (q_j / ‖q‖₁)

Here r ∘ f̂(x) are the features of a linear SVM, c against the rest, with f̂(x) ∈ {0, 1} the presence of each feature. Words that are
equally frequent in both classes are scaled down to nearly 0, and informative words are scaled up. The weights of the SVM are
then interpolated with their mean size:

    w ← (1 − β) w̄ + β w,    w̄ = ‖w‖₁ / J

β = 0 is naive Bayes on presence (its weights r, all scaled by w̄), β = 1 is the SVM. The weights of the features f̂(x) are r ∘ w, so
the classifier is linear.

Source: S. Wang, C. Manning, Baselines and bigrams: simple, good sentiment and topic classification, ACL 2012.
"""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from classifiers.bernoulli_naive_bayes import presence
from classifiers.linear_classifier import LinearClassifier
from classifiers.svm import SVM
from lxmls_day1.lab_api import setting


def log_count_ratio(inside: np.ndarray, outside: np.ndarray, alpha: float) -> np.ndarray:
    """Return the log-count ratio r of each feature: how much more often it occurs inside a class than outside, as a logarithm.

    Parameters
    ----------
    inside, outside : arrays (J,)
        The number of documents of the class, and of all other classes, that contain each feature.
    alpha : float > 0
        Added to each count.

    Returns
    -------
    r : array (J,)

    Examples
    --------
    "great" is in 3 documents of the class and in 1 other, "the" in 3 and 3. With α = 1 the ratios are 4/8 to 2/6, and 4/8 to 4/6:

    >>> np.exp(log_count_ratio(np.array([3, 3]), np.array([1, 3]), 1.0)).round(4)
    array([1.5 , 0.75])
    """
    # exercise 1.18: solution (2 lines)
    p, q = alpha + inside, alpha + outside
    return np.log(p / p.sum()) - np.log(q / q.sum())
    # exercise 1.18: end


@dataclass(eq=False, repr=False)
class NBSVM(LinearClassifier):
    """A linear SVM on log-count ratios; for more than two classes one SVM for each class against the rest.

    Parameters
    ----------
    regularizer : float > 0, optional
        λ of the SVM. Default: 2/M, which is C = 1 in the paper.
    beta : float in [0, 1]
        β, the share of the SVM's weights in the interpolation.
    smooth_param : float > 0
        α.
    tolerance, max_epochs, seed : float > 0, int ≥ 1, int
        Settings of the SVM's dual solver (``svm_dual.py``).

    Examples
    --------
    >>> X, y = [[1, 1, 0], [2, 0, 1], [0, 1, 1], [0, 2, 1]], ["+", "+", "-", "-"]
    >>> nbsvm = NBSVM()
    >>> params = nbsvm.train(X, y)
    >>> nbsvm.test([[1, 0, 0], [0, 1, 3]], params)
    array(['+', '-'], dtype='<U1')
    """

    name = "NBSVM"
    listed = {
        "NBSVM": {"colours": ("#6B6D00", "#D8D0A8"), "dash": (3, 1, 1, 1, 1, 1), "order": 40, "counts_only": True}
    }
    binary = True  # features count by their presence

    regularizer: float | None = setting(None, "λ", above=0)
    beta: float = setting(0.25, "β", at_least=0, at_most=1)
    smooth_param: float = setting(1.0, "α", above=0)
    _: KW_ONLY
    tolerance: float = setting(1e-3, above=0)
    max_epochs: int = setting(1000, at_least=1, whole=True)
    seed: int = 1

    def train(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Weight the features, train an SVM for each class against the rest, and interpolate between the SVM and naive Bayes.

        A feature of X (M, J) is present if it is above 0. ``sample_weight`` (M,) is the weight of each document in p and q, and in the loss
        of the SVM. The parameters (J + 1, K) are weights of f̂(x). Raise an InputError in the same cases as every ``train``.
        """
        X, labels, weights = self._training_data(X, y, sample_weight)
        present = presence(X)
        first = 1 if len(self.classes) == 2 else 0  # class 0 of two is the negative of class 1
        columns = [self._one_vs_rest(present, labels == k, weights) for k in range(first, len(self.classes))]
        params = np.stack([-columns[0], *columns] if first else columns, axis=1)  # (J + 1, K)
        return self._trained(params)

    def _one_vs_rest(self, present, inside, counts):
        """Return the weights (J + 1,) of one class."""
        of_class, of_rest = (np.asarray((counts * members) @ present) for members in (inside, ~inside))  # (J,)
        r = log_count_ratio(of_class, of_rest, float(self.smooth_param))
        weighed = present @ sp.diags_array(r) if sp.issparse(present) else present * r
        regularizer = 2 / len(inside) if self.regularizer is None else self.regularizer
        svm = SVM(regularizer, "dual", self.tolerance, self.max_epochs, seed=self.seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)  # not those that a page ignores
            both = svm.train(weighed, inside, sample_weight=counts)  # classes False, True
        for warning in {str(warning.message) for warning in caught}:
            warnings.warn(f"the SVM of NBSVM: {warning}", stacklevel=4)
        w = both[:, 1] - both[:, 0]  # (J + 1,)
        mean_size = np.abs(w[1:]).mean() if len(r) else 0.0
        w[1:] = r * ((1 - self.beta) * mean_size + self.beta * w[1:])
        w[0] *= self.beta
        return w / 2

    def scores_of_rows(self, X: Any, params: np.ndarray) -> np.ndarray:
        return super().scores_of_rows(presence(X), params)
