"""The explanation of a linear classifier's prediction for one document: how much each word contributes to each class.

The score of class y is a sum over the features of the document,

    s_y = b_y + Σ_j n_j(x) · w_jy

(plus n_j(x)² · w'_jy for each feature if the classifier is quadratic). So the score can be decomposed exactly. The predicted class
wins by its margin over the second-best class, the *rival*. The contribution of word j to that margin is

    n_j(x) · (w_jŷ − w_jr)

which is positive for evidence for the prediction and negative for evidence against it. These differences and the difference of
the intercepts sum to the margin.

A second-order learner also stores the variance of each weight. The contribution of word j then has the standard deviation

    n_j(x) · √(Σ_jŷ + Σ_jr)

which is n_j(x) · √2 for a word that was never learnt from. The smaller the deviation is compared with that value, the more certain
the learner is about this word.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from lxmls_day1.base.checks import as_list, check_inputs, check_params
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.models.model_file import class_names as names_of_classes
from lxmls_day1.engine.text.feature_vectors import are_dictionaries, as_rows, names_of


@dataclass(frozen=True)
class Explanation:
    """The decomposed scores of one document.

    Attributes
    ----------
    class_names : list of str
        The K classes, in the order of the columns.
    predicted, rival : int
        The columns of the best and the second-best class.
    scores, intercepts : arrays (K,)
        s_y and b_y.
    words : list of str
        The features that occur in the document, the most decisive ones first.
    counts : array (n,)
        n_j(x) of each word.
    contributions : array (n, K)
        The contribution of each word to the score of each class. −∞ means that the word rules the class out.
    unknown : dict of str to int
        Tokens of the document that are not features, with their counts.
    by_intercepts : bool
        True if the words rule out every class, so that the intercepts alone decided.
    deviations : array (n,), optional
        The standard deviation of each of the `differences`; None if the learner has no variances.

    Examples
    --------
    The contributions of the words sum to the margin; here "fine", which occurs twice, outweighs "plot":

    >>> why = Explanation(
    ...     class_names=["good", "bad"], predicted=0, rival=1, scores=np.array([4.0, -1.0]), intercepts=np.zeros(2),
    ...     words=["fine", "plot"], counts=np.array([2.0, 1.0]), contributions=np.array([[4.0, -2.0], [0.0, 1.0]]),
    ...     unknown={}, by_intercepts=False,
    ... )
    >>> why.margin, why.differences.tolist(), why.evidence_for(), why.evidence_against()
    (5.0, [6.0, -1.0], [0], [1])
    """

    class_names: list[str]
    predicted: int
    rival: int
    scores: np.ndarray
    intercepts: np.ndarray
    words: list[str]
    counts: np.ndarray
    contributions: np.ndarray
    unknown: Mapping[str, int]
    by_intercepts: bool
    deviations: np.ndarray | None = None

    @property
    def margin(self) -> float:
        """The score of the predicted class minus the score of its rival."""
        return float(self.scores[self.predicted] - self.scores[self.rival])

    @property
    def differences(self) -> np.ndarray:
        """The contribution of each word to the margin of the predicted class, (n,)."""
        return margin_contributions(self.contributions, self.predicted, self.rival)

    def evidence_for(self) -> list[int]:
        """Return the indices of the words that are evidence for the prediction, the strongest first."""
        return [i for i, difference in enumerate(self.differences) if difference > 0]

    def evidence_against(self) -> list[int]:
        """Return the indices of the words that are evidence for the rival, the strongest first."""
        return [i for i, difference in enumerate(self.differences) if difference < 0]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values for JSON; infinite numbers become null because JSON cannot represent them."""
        return {
            "predicted": self.class_names[self.predicted],
            "rival": self.class_names[self.rival],
            "margin": finite_or_none(self.margin),
            "by_intercepts": self.by_intercepts,
            "scores": self._by_class(self.scores),
            "intercepts": self._by_class(self.intercepts),
            "words": [
                {
                    "word": word,
                    "count": float(count),
                    "contributions": self._by_class(contributions),
                    "difference": finite_or_none(difference),
                    **({} if self.deviations is None else {"deviation": float(self.deviations[i])}),
                    "rules_out": [self.class_names[k] for k in np.flatnonzero(np.isneginf(contributions))],
                }
                for i, (word, count, contributions, difference) in enumerate(
                    zip(self.words, self.counts, self.contributions, self.differences, strict=True)
                )
            ],
            "unknown": dict(self.unknown),
        }

    def _by_class(self, values: np.ndarray) -> dict[str, float | None]:
        return {name: finite_or_none(value) for name, value in zip(self.class_names, values, strict=True)}


def explain(
    classifier: Any,
    params: np.ndarray,
    x: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    unknown: Mapping[str, int] | None = None,
    variances: np.ndarray | None = None,
) -> Explanation:
    """Decompose the scores of one document.

    Parameters
    ----------
    classifier : classifier
    params : array (J + 1, K), or (2J + 1, K) of a quadratic classifier
        The parameters that ``train`` returned; K ≥ 2.
    x : array or sparse matrix (1, J), or a dictionary of features
        The document, such as ``corpus.test_X[[3]]``. A dictionary is allowed if the classifier was trained on dictionaries.
    feature_names : J str, optional
        Default: ``classifier.vector_names``, which a classifier that was trained on dictionaries has.
    class_names : K str, optional
        Default: the classifier's labels.
    unknown : mapping of str to int, optional
        Tokens of the document that are not in `x`; copied into the result.
    variances : array of the shape of `params`, optional
        The variances of the weights: ``classifier.variances`` of a second-order learner.

    Returns
    -------
    Explanation

    Raises
    ------
    InputError
        If the shapes do not fit together.

    Examples
    --------
    A document with the words "fine" (twice) and "plot", but without "dull":

    >>> from lxmls_day1.lab import Lab
    >>> linear = Lab.open().classifier("linear_classifier", "LinearClassifier")
    >>> params = np.array([[0.5, 0.0], [-3.0, 3.0], [2.0, -1.0], [0.0, 1.0]])
    >>> why = explain(linear, params, [[0, 2, 1]], ["dull", "fine", "plot"], class_names=["good", "bad"])
    >>> why.words, why.contributions.tolist(), why.differences.tolist()
    (['fine', 'plot'], [[4.0, -2.0], [0.0, 1.0]], [6.0, -1.0])
    >>> why.margin, float(why.differences.sum()) + 0.5
    (5.5, 5.5)
    """
    params = check_params(params)
    known = getattr(classifier, "vector_names", None)
    if feature_names is None and known is None:
        raise InputError("explain needs the names of the features: pass feature_names, or train on dictionaries")
    feature_names = known if feature_names is None else feature_names
    if isinstance(x, Mapping):
        x = [x]
    if are_dictionaries(x) and known is not None:
        new = [name for name in names_of(x) if name not in set(known)]
        unknown = dict.fromkeys(new, 1) if unknown is None else unknown
        x = as_rows(x, known)
    x = sp.csr_array(check_inputs(x), copy=True)
    n_features, n_classes = x.shape[1], params.shape[1]
    if x.shape[0] != 1:
        raise InputError(f"explain takes one document, a matrix (1, J), but got {x.shape[0]} rows; x is X[[m]]")
    feature_names = as_list(feature_names, f"feature_names must be {n_features} names, one for each feature")
    quadratic = getattr(classifier, "quadratic", False)
    if len(feature_names) != n_features or len(params) != 1 + n_features * (2 if quadratic else 1):
        raise InputError(
            f"the document has {n_features} features, but there are {len(feature_names)} feature names and "
            f"{len(params)} rows of parameters; vectorise it over the features that the classifier was trained on"
        )
    if n_classes < 2:
        raise InputError(f"explain compares at least two classes, but the parameters have {n_classes}")
    scores = np.asarray(classifier.get_scores(classifier.add_intercept_term(x), params))[0]  # (K,)
    predicted, rival = np.argsort(-scores, kind="stable")[:2].tolist()

    x.eliminate_zeros()
    if getattr(classifier, "binary", False):  # With ``binary``, only the presence of features counts.
        x.data = (x.data > 0).astype(float)
        x.eliminate_zeros()
    columns, counts = x.indices, x.data  # (n,) both
    contributions = counts[:, None] * params[1 + columns]  # (n, K)
    if quadratic:
        contributions = contributions + counts[:, None] ** 2 * params[1 + n_features + columns]
    order = np.argsort(-np.abs(margin_contributions(contributions, predicted, rival)), kind="stable")
    if variances is not None and np.shape(variances) != params.shape:
        raise InputError(
            f"variances must have the shape of the parameters, {params.shape}, but have the shape {np.shape(variances)}"
        )
    # (n,)
    spread = None if variances is None else np.asarray(variances)[1 + columns][:, [predicted, rival]].sum(axis=1)
    return Explanation(
        class_names=list(class_names or names_of_classes(classifier.classes, n_classes)),
        predicted=predicted,
        rival=rival,
        scores=scores,
        intercepts=params[0],
        words=[feature_names[j] for j in columns[order]],
        counts=counts[order],
        contributions=contributions[order],
        unknown=dict(unknown or {}),
        by_intercepts=bool(np.isneginf(contributions).any(axis=0).all()),
        deviations=None if spread is None else np.abs(counts[order]) * np.sqrt(spread[order]),
    )


def margin_contributions(contributions: np.ndarray, predicted: int, rival: int) -> np.ndarray:
    """Return the contribution of each word to the margin of one class over another; 0 for a word that rules out both.

    Parameters
    ----------
    contributions : array (n, K)
    predicted, rival : int
        Columns of the two classes.

    Returns
    -------
    array (n,)

    Examples
    --------
    >>> margin_contributions(np.array([[1.0, -2.0], [-np.inf, -1.0], [-np.inf, -np.inf]]), 0, 1)
    array([  3., -inf,   0.])
    """
    with np.errstate(invalid="ignore"):
        difference = contributions[:, predicted] - contributions[:, rival]
    return np.where(np.isnan(difference), 0.0, difference)


def finite_or_none(value: float) -> float | None:
    """Return the number, or None if it is not finite, because JSON cannot represent it.

    Examples
    --------
    >>> finite_or_none(np.float64(0.5)), finite_or_none(-math.inf)
    (0.5, None)
    """
    return float(value) if math.isfinite(value) else None
