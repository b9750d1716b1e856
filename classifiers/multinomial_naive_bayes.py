"""Multinomial naive Bayes: a document is a bag of words, drawn independently from the word distribution of its class.

With n_j(x) the count of word j in document x, and α added to every count (α = 0: maximum likelihood; α > 0: smoothed),

    p(w_j | c) = (α + Σ_{m in c} n_j(x^m)) / (α J + Σ_i Σ_{m in c} n_i(x^m)),    b_c = log p(c),    w_c = log p(w | c)

Source: the guide, section 1.2.2, exercise 1.2. Its equation 1.10 divides by the number of *documents* of the class: a misprint.
"""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.bernoulli_naive_bayes import presence
from classifiers.linear_classifier import LinearClassifier
from classifiers.max_ent_model import softmax
from lxmls_day1.lab_api import setting


@dataclass(eq=False, repr=False)
class MultinomialNaiveBayes(LinearClassifier):
    """Naive Bayes for word counts.

    Parameters
    ----------
    smooth : bool
        Whether to smooth. Without smoothing, a word that never occurred in a class in training has the weight −∞ for this class and
        rules it out.
    smooth_param : float > 0
        The α that is added to every count when ``smooth`` is true; 1 is add-one smoothing.
    length : "same" or "poisson"
        The distribution of document lengths: the same for all classes, or a Poisson distribution for each class.

    The attributes ``prior`` (K,) and ``likelihood`` (J, K), p(w_j | c), hold the estimates. ``n_ruled_out`` is the number of documents
    of the last ``test`` whose words rule out *every* class; these are labelled by the prior.

    >>> MultinomialNaiveBayes().train([[1, 0], [0, 1]], ["a", "b"])[1:].round(2).tolist()  # log 2/3 and log 1/3
    [[-0.41, -1.1], [-1.1, -0.41]]
    """

    name = "Multinomial naive Bayes"
    listed = {
        "Multinomial naive Bayes": {
            "colours": ("#6A3D9A", "#B06CFF"),
            "dash": (4, 1.5),
            "order": 20,
            "counts_only": True,
        }
    }
    rules_out = True
    n_ruled_out = 0

    smooth: bool = setting(True)
    smooth_param: float = setting(1.0, above=0)
    length: str = setting("same", one_of=("same", "poisson"))
    prior: Any = field(default=None, init=False)
    likelihood: Any = field(default=None, init=False)

    def estimate(
        self, X: Any, labels: np.ndarray, word_counts: np.ndarray, weights: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the parameters (J + 1, K) from ``word_counts`` (J, K) in X (M, J), with classes ``labels`` (M,); errors as in `train`."""
        alpha = float(self.smooth_param) if self.smooth else 0.0
        # Words per document (K,), before the lines below, which may add to the counts.
        lengths = word_counts.sum(axis=0) / np.bincount(labels, weights) if self.length == "poisson" else None
        with np.errstate(divide="ignore"):  # log 0 = −∞ is intended
            # exercise 1.2: solution (4 lines)
            self.prior = np.bincount(labels) / len(labels)  # (K,)
            totals = alpha * X.shape[1] + word_counts.sum(axis=0)  # (K,)
            self.likelihood = (alpha + word_counts) / totals  # (J, K)
            params = np.vstack([np.log(self.prior), np.log(self.likelihood)])  # (J + 1, K)
            # exercise 1.2: end
        if weights is not None:
            self.prior = np.bincount(labels, weights) / weights.sum()
            params[0] = np.log(self.prior)
        if lengths is not None:
            self._add_lengths(params, lengths)
        self.trained = True
        return params

    def train(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Count the words of each class, and estimate the parameters.

        Parameters
        ----------
        X : array or sparse matrix (M, J) of counts ≥ 0
        y : M labels
        sample_weight : M numbers ≥ 0, optional
            The weight of each document in the counts. Default: 1.

        Returns
        -------
        params : array (J + 1, K)
            Row 0 holds the log priors, the rows below it the log likelihoods (−∞ if an unsmoothed probability is 0).

        Raises
        ------
        InputError
            For a negative count, a class without a single word (unsmoothed), or data that cannot be trained on.

        Examples
        --------
        The counts of three words in three documents of class "c" and one of class "j":

        >>> X = [[2, 1, 0], [2, 0, 1], [1, 0, 0], [1, 1, 2]]
        >>> mnb = MultinomialNaiveBayes()
        >>> params = mnb.train(X, ["c", "c", "c", "j"])
        >>> mnb.likelihood[0]                                # (1 + 5) / (3 + 7) and (1 + 1) / (3 + 4)
        array([0.6       , 0.28571429])
        >>> mnb.test([[3, 0, 1]], params)
        array(['c'], dtype='<U1')
        """
        return self._estimated(*self._word_counts(X, y, sample_weight))

    def _add_lengths(self, params, mean_lengths):
        """Give each class its own distribution of lengths, p(l | c) = μ_c^l exp(−μ_c) / l!, with μ_c its mean length (K,).

        b_c falls by μ_c, and every word adds log μ_c: the classifier is still linear (the guide, remark 1.2).
        """
        params[0] -= mean_lengths
        with np.errstate(divide="ignore"):  # a class whose documents are all empty
            params[1:] += np.log(mean_lengths)

    def get_name(self) -> str:
        return self.name if self.smooth else f"{self.name}, unsmoothed"

    def test(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Predict labels (M,) as every linear classifier does; a document that rules out every class is labelled by the prior."""
        y_hat = super().test(X, params)
        if self.n_ruled_out:
            warnings.warn(
                f"words of {self.n_ruled_out} of {len(y_hat)} documents rule out every class, so the prior alone labels them; with "
                "smoothing no word has probability 0",
                stacklevel=2,
            )
        return y_hat

    def get_probabilities(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Return p(c | x) (M, K) for documents (M, J), by Bayes' rule from the scores log p(c) + log p(x | c); errors as in `test`."""
        return softmax(self.scores_of_rows(self._rows(X), self._params(params)))

    def scores_of_rows(self, X: Any, params: np.ndarray) -> np.ndarray:
        self._check_counts(X)
        self.n_ruled_out = 0
        if params.min(initial=0.0) != -np.inf:
            return super().scores_of_rows(X, params)
        impossible = np.isneginf(params)  # (J + 1, K)
        # 0 · (−∞) would be NaN, but an absent word rules out nothing. So score the possible words first, then rule out classes.
        scores = super().scores_of_rows(X, np.where(impossible, 0.0, params))
        scores[(presence(X) @ impossible[1:].astype(float) > 0) | impossible[0]] = -np.inf
        ruled_out = np.isneginf(scores).all(axis=1)
        scores[ruled_out] = params[0]
        self.n_ruled_out = int(ruled_out.sum())
        return scores
