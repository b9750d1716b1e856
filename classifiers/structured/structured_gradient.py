"""Stochastic gradient descent on tag sequences: the step sizes that ``structured_svm.py`` and ``crf.py`` share.

    η_t = η_0 (1 + (t − 1)/t_0)^(−α)

with t_0 the number of sentences, so that the steps of a round have the same order of magnitude. (With η_0 t^(−α), which is t_0 = 1,
most steps on a treebank would be so small that the weights of rare features would hardly change.)

Source: N. Ratliff, J. A. Bagnell, M. Zinkevich, (Online) subgradient methods for structured prediction, AISTATS 2007.
"""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from classifiers.stochastic_gradient import StochasticGradient
from classifiers.structured.structured_classifier import StructuredClassifier
from lxmls_day1.lab_api import setting


@dataclass(eq=False, repr=False)
class StructuredGradient(StructuredClassifier, StochasticGradient):
    """The loop of :class:`StructuredClassifier` with shrinking weights and decreasing steps.

    Parameters
    ----------
    delay : float ≥ 1, optional
        t_0. Default: the number of sentences; 1 gives the steps of the flat learners.
    templates, min_count, transitions, decoder
        As in :class:`StructuredClassifier`.
    regularizer, nr_rounds, initial_step, alpha, averaged, seed, order, cost, track_objective, progress
        As in :class:`StochasticGradient`, with defaults that suit a treebank: a sentence has hundreds of features that
        are 1, so the weights must be small; and the mean over the steps is much more accurate than the last weights.

    Examples
    --------
    The steps η_0 ((t_0 + t − 1)/t_0)^(−α), for t = 1, 2, 3:

    >>> StructuredGradient(initial_step=1.0, alpha=1.0, delay=2).steps(1, 3).round(3)
    array([1.   , 0.667, 0.5  ])
    """

    regularizer: float = 1e-5
    _: KW_ONLY
    nr_rounds: int = 10
    initial_step: float = 0.1
    alpha: float = 0.6
    delay: float | None = setting(None, "t_0", at_least=1)
    averaged: bool | str = "steps"

    def steps(self, first: int, count: int) -> np.ndarray:
        delay = count if self.delay is None else float(self.delay)  # a round has one step for each sentence
        t = np.arange(first, first + count, dtype=np.float64)
        return self.initial_step * ((delay + t - 1) / delay) ** -self.alpha
