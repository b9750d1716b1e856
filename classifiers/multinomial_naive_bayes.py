"""Multinomial naive Bayes: a document is a bag of words, drawn one by one from the word distribution of its class.

With n_j(x) the count of word j in document x, the probability of a word is its share of all the words of the class,

    p(w_j | c) = (α + Σ_{m in c} n_j(x^m)) / (α J + Σ_i Σ_{m in c} n_i(x^m))

where α = 0 is maximum likelihood and α > 0 smooths (add-α; a maximum a posteriori estimate). The classifier is linear:

    b_c = log p(c),    w_c = log p(w | c)

The length of a document, |x| = Σ_j n_j(x), says nothing of its class, as long as all classes have the same distribution of
lengths. With ``length="poisson"`` each class has its own, p(l | c) = μ_c^l exp(−μ_c) / l!, with μ_c its mean length. Then
b_c falls by μ_c, and every word adds log μ_c more: the classifier is linear still.

Source: the guide, section 1.2.2 with its footnote 2, exercise 1.2 and remark 1.2. Its equation 1.10 divides by the number of *documents* of
the class, and the probabilities of the words then do not sum to one: a misprint.
"""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from classifiers.max_ent_model import softmax
from lxmls_day1.checks import (
    as_canonical,
    as_matrix,
    check_choice,
    check_finite,
    check_flag,
    check_inputs,
    check_number,
    check_params,
    check_sample_weight,
    shown,
)
from lxmls_day1.engine.streaming.shard_rows import (
    check_alone,
    check_classes,
    check_in_memory,
    columns_of_classes,
    corpus_on_disk,
)
from lxmls_day1.errors import InputError


class MultinomialNaiveBayes(LinearClassifier):
    """Naive Bayes for word counts.

    Parameters
    ----------
    smooth : bool
        Whether to smooth. Without it a word that a class never showed in training has probability 0 there, and its
        weight is −∞: one such word rules the class out, whatever else the document says.
    smooth_param : float > 0
        The α that is added to every count when ``smooth`` is true; 1 is add-one smoothing.
    length : "same" or "poisson"
        Whether all classes have the same distribution of document lengths, or each a Poisson distribution.

    Attributes
    ----------
    prior : array (K,)
    likelihood : array (J, K)
        p(w_j | c); every column sums to 1.
    n_ruled_out : int
        How many documents of the last ``test`` held words that rule out *every* class. They are labelled by the prior,
        and a warning says how many there were.

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

    References
    ----------
    C. Manning, P. Raghavan, H. Schütze, Introduction to Information Retrieval, 2008, section 13.2.
    """

    name = "Multinomial naive Bayes"
    rules_out = True
    streams = True

    def __init__(self, smooth: bool = True, smooth_param: float = 1.0, length: str = "same") -> None:
        super().__init__()
        self.smooth = smooth
        self.smooth_param = smooth_param
        self.length = length
        self.prior: Any = None
        self.likelihood: Any = None
        self.n_ruled_out = 0

    def get_name(self) -> str:
        return self.name if self.smooth else f"{self.name}, unsmoothed"

    def train(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None, scheduler: str | None = None
    ) -> np.ndarray:
        """Count the words of each class.

        Parameters
        ----------
        X : array or sparse matrix (M, J) of counts ≥ 0, or a corpus on disk
        y : M labels, not given for a corpus on disk
        sample_weight : M numbers ≥ 0, optional
            How often each document counts; once if not given.
        scheduler : str, optional
            The address of a Dask scheduler, whose workers count the shards of a corpus on disk.

        Returns
        -------
        params : array (J + 1, K)
            Row 0 the log priors, below the log likelihoods (−∞ where an unsmoothed probability is 0).

        Raises
        ------
        InputError
            For a negative count, a class without a single word (unsmoothed), or data that cannot be trained on.
        """
        from lxmls_day1.engine.compiled.class_sums import (
            class_sums,  # numba takes its time: imported by the first training
        )

        check_choice("length", self.length, ("same", "poisson"))
        alpha = check_number("smooth_param", self.smooth_param, above=0) if check_flag("smooth", self.smooth) else 0.0
        shards = corpus_on_disk(X)
        with np.errstate(over="ignore", invalid="ignore"):
            if shards is None:
                check_in_memory(y, scheduler=scheduler)
                X, labels = self._training_data(X, y, check=as_matrix)
                weights = check_sample_weight(sample_weight, labels)  # (M,) or None
                word_counts, lowest = class_sums(X, labels, len(self.classes), weights)  # (J, K)
                lowest = lowest and _lowest(X)
            else:
                check_alone(shards, y=y, sample_weight=sample_weight)
                X, labels, weights, word_counts, lowest = self._counts_of_shards(shards, scheduler)
            if not np.isfinite(alpha * X.shape[1] + word_counts.sum()):
                for rows in [X] if shards is None else (shards.open(i).X for i in range(len(shards))):
                    check_finite(rows)
                raise InputError("the counts are so large that their sum is not finite; scale them down")
        _check_lowest(lowest, hashed=shards is not None and shards.manifest["hash_bits"] is not None)

        wordless = ~word_counts.any(axis=0)  # (K,)
        if wordless.any() and not (alpha > 0 and X.shape[1] > 0):
            raise InputError(
                f"class {shown(self.classes[np.argmax(wordless)])} has no word in the training data, so its word probabilities "
                "are not defined; smooth, or leave the class out"
            )
        with np.errstate(divide="ignore"):  # log 0 = −∞ is what is meant
            # exercise 1.2: solution (4 lines)
            self.prior = np.bincount(labels) / len(labels)  # (K,)
            totals = alpha * X.shape[1] + word_counts.sum(axis=0)  # (K,)
            self.likelihood = (alpha + word_counts) / totals  # (J, K)
            params = np.vstack([np.log(self.prior), np.log(self.likelihood)])  # (J + 1, K)
            # exercise 1.2: end
        if weights is not None:
            self.prior = np.bincount(labels, weights) / weights.sum()
            params[0] = np.log(self.prior)
        if self.length == "poisson":
            mean_lengths = word_counts.sum(axis=0) / np.bincount(labels, weights)  # (K,)
            params[0] -= mean_lengths
            with np.errstate(divide="ignore"):  # a class whose documents are all empty
                params[1:] += np.log(mean_lengths)
        self.trained = True
        return params

    def _counts_of_shards(self, shards, scheduler):
        """What one pass over a corpus on disk counts, as a document of each class (empty here), its label and how many there are
        of it, the counts of words (J, K) and the smallest entry.
        """
        from lxmls_day1.engine.compiled.class_sums import class_sums

        self.classes = check_classes(shards)
        columns, n_classes = columns_of_classes(shards, self.classes), len(self.classes)
        of_each = sp.csr_array((n_classes, shards.n_features))
        if scheduler is not None:
            from lxmls_day1.engine.cluster.sums import counts_on_cluster

            word_counts, lowest, n_documents = counts_on_cluster(scheduler, shards, columns, n_classes)
            return of_each, np.arange(n_classes), n_documents, word_counts, lowest
        word_counts, lowest, n_documents = np.zeros((shards.n_features, n_classes)), 0.0, np.zeros(n_classes)
        for i in range(len(shards)):
            shard = shards.open(i)
            labels = columns[shard.labels]
            lowest = min(lowest, class_sums(shard.X, labels, n_classes, sums=word_counts)[1])
            n_documents += np.bincount(labels, minlength=n_classes)
        return of_each, np.arange(n_classes), n_documents, word_counts, lowest

    def test(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Predict labels (M,) as every linear classifier does; documents that no class allows fall back on the prior."""
        y_hat = super().test(X, params)
        if self.n_ruled_out:
            documents = f"{len(y_hat)} document{'s' * (len(y_hat) != 1)}"
            verbs = ("holds", "was") if self.n_ruled_out == 1 else ("hold", "were")
            warnings.warn(
                f"{self.n_ruled_out} of {documents} {verbs[0]} words that rule out every class, and {verbs[1]} labelled "
                "by the prior alone; smoothing gives every word a chance",
                stacklevel=2,
            )
        return y_hat

    def get_probabilities(self, X: Any, params: ArrayLike) -> np.ndarray:
        """p(c | x) for each document and class, by Bayes' rule: the scores are log p(c) + log p(x | c) up to a constant.

        Parameters
        ----------
        X : array or sparse matrix (M, J) of counts ≥ 0
        params : array (J + 1, K)

        Returns
        -------
        probabilities : array (M, K)
            Every row sums to 1; columns in the order of ``classes``. They are the prior where words rule out every class.

        Raises
        ------
        InputError
            If X and params do not fit together, or X holds what is no finite number.
        """
        return softmax(self._scores(check_inputs(self._as_rows(X)), check_params(params)))

    def _scores(self, X, params):
        _check_lowest(_lowest(X))
        self.n_ruled_out = 0
        impossible = np.isneginf(params)  # (J + 1, K)
        if not impossible.any():
            return super()._scores(X, params)
        # 0 · (−∞) would be NaN, but a word that is absent forbids nothing: score the possible words, then forbid.
        scores = super()._scores(X, np.where(impossible, 0.0, params))
        X = as_canonical(X) if sp.issparse(X) else X  # a comparison would sum entries of the caller's own arrays
        forbidden = (X > 0).astype(np.float64) @ impossible[1:].astype(np.float64) > 0  # (M, K)
        scores[forbidden | impossible[0]] = -np.inf
        ruled_out = np.isneginf(scores).all(axis=1)
        scores[ruled_out] = params[0]
        self.n_ruled_out = int(ruled_out.sum())
        return scores


def _lowest(X):
    """The smallest number of X, or 0 if none is below; of a count in several entries their sum."""
    lowest = (X.data if sp.issparse(X) else X).min(initial=0.0)
    return as_canonical(X).data.min(initial=0.0) if lowest < 0 and sp.issparse(X) else lowest


def _check_lowest(lowest, hashed=False):
    if lowest < 0:
        remedy = (
            "hashed features have signs, so make the corpus without --hash, or take another learner"
            if hashed
            else "for real-valued features take Gaussian naive Bayes"
        )
        raise InputError(f"multinomial naive Bayes takes counts, which are not negative, but got {lowest:g}; {remedy}")
