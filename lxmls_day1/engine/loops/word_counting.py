"""Checked word counts of the documents of each class, from which multinomial naive Bayes is estimated."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.checks import as_canonical, check_finite, format_label
from lxmls_day1.base.errors import InputError

if TYPE_CHECKING:
    from lxmls_day1.engine.corpus.shards import Shards

Reals = NDArray[np.float64]

# Up to 2**23 counts (64 MB) are estimated in one call. More counts are split into blocks of about 2**18, because one
# call would make several copies of all counts.
_MAX_UNSPLIT_NUMBERS, _NUMBERS_PER_BLOCK = 2**23, 2**18


def count_words(
    classifier: Any, X: Any, y: Any, sample_weight: Any = None
) -> tuple[Any, NDArray[np.intp], Reals, Reals | None]:
    """Count the words of the documents in memory.

    Parameters
    ----------
    classifier : LinearClassifier
        Its attribute ``classes`` is set.
    X : array or sparse matrix (M, J) of counts ≥ 0
    y : M labels
    sample_weight : M numbers ≥ 0, optional

    Returns
    -------
    X : array or csr_array (M, J)
    labels : int array (M,)
        The class of each document.
    word_counts : array (J, K)
    weights : array (M,), or None if ``sample_weight`` is None

    Raises
    ------
    InputError
        For invalid training data, and for counts that are negative or too large for a finite sum.
    """
    from lxmls_day1.engine.kernels.class_sums import class_sums  # numba imports slowly

    X, labels, checked_weights = classifier._training_data(X, y, sample_weight, finite=False)
    weights = None if sample_weight is None else checked_weights
    with np.errstate(over="ignore", invalid="ignore"):
        word_counts, lowest = class_sums(X, labels, len(classifier.classes), weights)
    check_counts(classifier, word_counts, lowest and lowest_count(X), documents=[X])
    return X, labels, word_counts, weights


def count_shards(
    shards: "Shards", columns: NDArray[np.int64], n_classes: int, numbers: range | None = None
) -> tuple[Reals, float, Reals]:
    """Count the words of the documents of a corpus on disk, in one pass.

    Parameters
    ----------
    shards : Shards
    columns : int array (K,)
        The column of the class of each label of the corpus.
    n_classes : int
    numbers : range, optional
        The shards to count; default: all.

    Returns
    -------
    word_counts : array (J, K)
    lowest : float
        The smallest entry, or 0 if no entry is negative.
    n_documents : array (K,)
    """
    from lxmls_day1.engine.kernels.class_sums import class_sums  # numba imports slowly

    word_counts, lowest, n_documents = np.zeros((shards.n_features, n_classes)), 0.0, np.zeros(n_classes)
    for i in range(len(shards)) if numbers is None else numbers:
        shard = shards.open(i)
        labels = columns[shard.labels]
        lowest = min(lowest, class_sums(shard.X, labels, n_classes, sums=word_counts)[1])
        n_documents += np.bincount(labels, minlength=n_classes)
    return word_counts, lowest, n_documents


def estimate_params(
    classifier: Any, X: Any, labels: NDArray[np.intp], word_counts: Reals, weights: Reals | None
) -> Reals:
    """Return the parameters (J + 1, K) that a classifier's ``estimate`` computes from the counts (J, K), in blocks of words.

    Each block gets one additional word with the summed counts of all other words, so that the totals are those of all words.
    To save memory, the likelihoods then overwrite the counts, so that the parameters are the only new array of this size.
    """
    if word_counts.size <= _MAX_UNSPLIT_NUMBERS:
        return np.asarray(classifier.estimate(X, labels, word_counts, weights))
    at_once = max(1, _NUMBERS_PER_BLOCK // word_counts.shape[1])
    params, totals = np.empty((len(word_counts) + 1, word_counts.shape[1])), word_counts.sum(axis=0)
    shape_alone = sp.csr_array(X.shape)
    for first in range(0, len(word_counts), at_once):
        part = word_counts[first : first + at_once]
        others = np.maximum(totals - part.sum(axis=0), 0.0)
        found = classifier.estimate(shape_alone, labels, np.vstack([part, others]), weights)
        params[0], params[1 + first : 1 + first + len(part)] = found[0], found[1:-1]
        part[:] = classifier.likelihood[:-1]
    classifier.likelihood = word_counts
    return params


def check_counts(
    classifier: Any, word_counts: Reals, lowest: float, documents: Iterable[Any], hashed: bool = False
) -> None:
    """Raise an InputError for counts that are negative or not finite, or if a class has no words and smoothing is off.

    Parameters
    ----------
    classifier : LinearClassifier
    word_counts : array (J, K)
    lowest : float
        The smallest entry of the documents.
    documents : iterable of matrices
        The documents; the message names their first entry that is not finite.
    hashed : bool
        True if the words are hashed.
    """
    alpha = classifier.smooth_param if classifier.smooth else 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        total = alpha * len(word_counts) + word_counts.sum()
    if not np.isfinite(total):
        for rows in documents:
            check_finite(rows)
        raise InputError("the counts are so large that their sum is not finite; scale them down")
    check_not_negative(lowest, hashed)
    if not len(word_counts):
        raise InputError("the documents have no features, so no word can be counted; pass a column for each word")
    wordless = ~word_counts.any(axis=0)  # (K,)
    if wordless.any() and not alpha > 0:
        raise InputError(
            f"class {format_label(classifier.classes[np.argmax(wordless)])} has no word in the training data, so its word probabilities "
            "are not defined; smooth, or leave the class out"
        )


def check_not_negative(lowest: float, hashed: bool = False) -> None:
    """Raise an InputError if the smallest entry of the documents is negative."""
    if lowest < 0:
        remedy = (
            "hashed features can be negative, so make the corpus without --hash, or take another learner"
            if hashed
            else "for real-valued features take Gaussian naive Bayes"
        )
        raise InputError(f"multinomial naive Bayes takes counts, which are not negative, but got {lowest:g}; {remedy}")


def lowest_count(X: Any) -> float:
    """Return the smallest number in X, or 0 if no number is negative; duplicate entries of a sparse matrix are summed first."""
    lowest = (X.data if sp.issparse(X) else X).min(initial=0.0)
    return float(as_canonical(X).data.min(initial=0.0) if lowest < 0 and sp.issparse(X) else lowest)
