"""Bernoulli naive Bayes: a document is a vector of Booleans, one for each word of the vocabulary.

    p(w_j | c) = (α + number of documents of class c that hold word j) / (2 α + number of documents of class c)
    log p(c | x) = log p(c) + Σ_j [x_j log p(w_j | c) + (1 − x_j) log (1 − p(w_j | c))] + constant,    x_j ∈ {0, 1}

A word counts once, no matter how often it occurs, and an absent word is evidence too. In ``multinomial_naive_bayes.py`` every
occurrence counts, and absent words do not. The classifier is linear in x:

    b_c = log p(c) + Σ_j log (1 − p(w_j | c)),    w_jc = log p(w_j | c) − log (1 − p(w_j | c))

Sources: the guide, section 1.2.2, footnote 1; A. McCallum, K. Nigam, A comparison of event models for naive Bayes text
classification, AAAI workshop on learning for text categorization, 1998.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from classifiers.max_ent_model import softmax
from lxmls_day1.lab_api import setting


def presence(X: Any) -> Any:
    """Return 1 for each feature above 0 and 0 for the others, for X (M, J); a sparse matrix stays sparse.

    Raises
    ------
    InputError
        If X is not a matrix, or holds NaN or infinity: the result has only 0 and 1, so no later check could find them.

    Examples
    --------
    >>> presence(np.array([[3.0, 0.0, 1.0]]))
    array([[1., 0., 1.]])
    """
    return (LinearClassifier()._rows(X) > 0).astype(np.float64)


@dataclass(eq=False, repr=False)
class BernoulliNaiveBayes(LinearClassifier):
    """Naive Bayes for the presence of words.

    Parameters
    ----------
    smooth_param : float > 0
        α, added to the number of documents with a word and to the number of documents without it.

    Attributes
    ----------
    prior : array (K,)
    likelihood : array (J, K)
        p(w_j | c).

    Examples
    --------
    >>> X = [[2, 1, 0], [2, 0, 1], [1, 0, 0], [1, 1, 2]]
    >>> bernoulli = BernoulliNaiveBayes()
    >>> params = bernoulli.train(X, ["c", "c", "c", "j"])
    >>> bernoulli.likelihood[1]                          # (1 + 1) / (2 + 3) and (1 + 1) / (2 + 1)
    array([0.4       , 0.66666667])
    >>> bernoulli.test([[5, 0, 0], [0, 1, 1]], params)
    array(['c', 'j'], dtype='<U1')
    """

    name = "Bernoulli naive Bayes"
    listed = {
        "Bernoulli naive Bayes": {"colours": ("#9B72C8", "#C9B6FF"), "dash": (2, 2), "order": 30, "counts_only": True}
    }
    binary = True  # features count by their presence

    smooth_param: float = setting(1.0, "α", above=0)

    prior: Any = field(default=None, init=False)
    likelihood: Any = field(default=None, init=False)

    def train(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Count the documents of each class that hold each word.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
            A feature is present if it is above 0.
        y : M labels
        sample_weight : M numbers ≥ 0, optional
            The weight of each document in the counts. Default: 1.

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For a smoothing that is not above 0, or data that cannot be trained on.
        """
        X, labels, weights = self._training_data(X, y, sample_weight, finite=False)
        alpha = float(self.smooth_param)
        n_documents = np.bincount(labels, weights)  # (K,)
        n_with_word, _ = self._class_sums(presence(X), labels, weights)  # (J, K)
        self.prior = n_documents / n_documents.sum()
        self.likelihood = (alpha + n_with_word) / (2 * alpha + n_documents)  # (J, K)
        absent = np.log1p(-self.likelihood)
        return self._trained(np.vstack([np.log(self.prior) + absent.sum(axis=0), np.log(self.likelihood) - absent]))

    def get_probabilities(self, X: Any, params: ArrayLike) -> np.ndarray:
        """p(c | x) of each document (M, K), by Bayes' rule; columns in the order of ``classes``.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        params : array (J + 1, K)

        Raises
        ------
        InputError
            If X and params do not fit together, or X holds a value that is not a finite number.
        """
        return softmax(self.scores_of_rows(self._rows(X), self._params(params)))

    def scores_of_rows(self, X: Any, params: np.ndarray) -> np.ndarray:
        return super().scores_of_rows(presence(X), params)
