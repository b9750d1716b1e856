"""Naive Bayes for both kinds of input: real features with Gaussian class conditionals, or counts with multinomial ones.

Source: the guide, section 1.2.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.linear_classifier import LinearClassifier
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from lxmls_day1.lab_api import InputError

_MODELS = {"gaussian": GaussianNaiveBayes, "multinomial": MultinomialNaiveBayes}


class NaiveBayes(LinearClassifier):
    """The two naive Bayes classifiers of the guide under one name.

    Parameters
    ----------
    xtype : "gaussian" or "multinomial"
        The class-conditional distribution of the inputs.
    variance : float, "pooled" or "per_class", optional
        For :class:`GaussianNaiveBayes` only. Default: the default of that class.
    smooth : bool, optional
    smooth_param : float > 0, optional
        For :class:`MultinomialNaiveBayes` only. Default: the defaults of that class.

    Attributes
    ----------
    model : GaussianNaiveBayes or MultinomialNaiveBayes
        The classifier that is trained, with its priors, means or likelihoods.

    Raises
    ------
    InputError
        If ``xtype`` is neither of the two, or a setting belongs to the other classifier.

    Examples
    --------
    >>> nb = NaiveBayes(xtype="multinomial", smooth_param=0.5)
    >>> params = nb.train([[3, 0], [0, 2]], ["a", "b"])
    >>> nb.test([[1, 0], [0, 1]], params)
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        xtype: str = "gaussian",
        *,
        variance: float | str | None = None,
        smooth: bool | None = None,
        smooth_param: float | None = None,
    ) -> None:
        super().__init__()
        kind = str(xtype).lower()
        if kind not in _MODELS:
            raise InputError(f'xtype must be "gaussian" or "multinomial", but is {xtype!r}')
        self.xtype = kind
        settings = {"variance": variance, "smooth": smooth, "smooth_param": smooth_param}
        self.model = _MODELS[kind](**{name: value for name, value in settings.items() if value is not None})

    def get_name(self) -> str:
        return self.model.get_name()

    @property
    def quadratic(self) -> bool:
        return self.model.quadratic

    @property
    def rules_out(self) -> bool:
        return self.model.rules_out

    def train(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        params = self.model.train(X, y, sample_weight)
        self.classes, self.vector_names, self.trained = self.model.classes, self.model.vector_names, True
        return params

    def test(self, X: Any, params: ArrayLike) -> np.ndarray:
        return self.model.test(X, params)

    def get_scores(self, x: Any, params: ArrayLike) -> np.ndarray:
        return self.model.get_scores(x, params)

    def get_probabilities(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Return p(y | x) of each example and class (M, K), for X (M, J), as computed by ``model``."""
        return self.model.get_probabilities(X, params)
