"""The structured support vector machine by stochastic subgradient descent.

The objective is (1/M) Σ max_y' [s(y') + ρ(y', y)] − s(y) + (λ/2) ‖W‖², with ρ the number of wrong tags unless other
costs are given, and a step on one sentence is

    W ← (1 − η_t λ) W + η_t [Φ(x, y) − Φ(x, ỹ)],    ỹ = argmax_y' s(y') + ρ(y', y)

The search finds ỹ as easily as ŷ, since the costs add up over the words (``viterbi.cost_augmented``). The steps are

    η_t = η_0 (1 + (t − 1)/t_0)^(−α)

with t_0 the number of sentences: of the same order all through a round. (η_0 t^(−α), which is t_0 = 1, makes so many of
so small steps on a treebank that the rare features' weights never get anywhere.)

The flat SVM by subgradient (``svm.py``, whose rule this is) is the special case of sentences of one word without
transitions.

Sources: B. Taskar, C. Guestrin, D. Koller, Max-margin Markov networks, NIPS 2003; N. Ratliff, J. A. Bagnell, M.
Zinkevich, (Online) subgradient methods for structured prediction, AISTATS 2007.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.stochastic_gradient import StochasticGradient
from classifiers.structured_classifier import StructuredClassifier
from classifiers.svm import svm_rule
from classifiers.tag_features import TEMPLATES
from classifiers.viterbi import ChainScores
from lxmls_day1.checks import check_number


class StructuredSVM(StructuredClassifier, StochasticGradient):
    """A linear SVM on tag sequences.

    Parameters
    ----------
    delay : float ≥ 1, optional
        t_0; the number of sentences unless given, and 1 for the steps of the flat SVM.
    templates, min_count, transitions, decoder
        As in :class:`StructuredClassifier`.
    regularizer, nr_rounds, initial_step, alpha, averaged, seed, order, cost, track_objective, progress
        As in :class:`StochasticGradient`, with defaults that suit a treebank: a sentence has hundreds of features that
        are 1, and so its weights are small ones; and the mean over the steps does much better than the last weights.

    Examples
    --------
    >>> X = [["I", "saw", "it"], ["a", "saw", "cut", "it"], ["I", "cut", "a", "cut"]]
    >>> y = [["PRON", "VERB", "PRON"], ["DET", "NOUN", "VERB", "PRON"], ["PRON", "VERB", "DET", "NOUN"]]
    >>> tagger = StructuredSVM(templates=["word"], nr_rounds=20)
    >>> params = tagger.train(X, y)
    >>> tagger.evaluate(y, tagger.test(X, params))
    1.0
    >>> tagger.objective(X, y, params) < 3.34  # the mean number of words, and the objective at W = 0
    True
    """

    name = "Structured SVM"
    rule = staticmethod(svm_rule)
    augmented = True

    def __init__(
        self,
        regularizer: float = 1e-5,
        nr_rounds: int = 10,
        initial_step: float = 0.1,
        alpha: float = 0.6,
        delay: float | None = None,
        averaged: bool | str = "steps",
        *,
        templates: Sequence[str] = TEMPLATES,
        min_count: int = 1,
        transitions: bool | str = True,
        decoder: Callable[[ChainScores], ArrayLike] | None = None,
        seed: int = 1,
        order: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        track_objective: bool = False,
        progress: bool = False,
    ) -> None:
        super().__init__(
            templates=templates,
            min_count=min_count,
            transitions=transitions,
            decoder=decoder,
            nr_rounds=nr_rounds,
            averaged=averaged,
            seed=seed,
            order=order,
            cost=cost,
            track_objective=track_objective,
            progress=progress,
        )
        self.regularizer = regularizer
        self.initial_step: float = initial_step
        self.alpha: float = alpha
        self.delay = delay

    def check_settings(self) -> None:
        super().check_settings()
        if self.delay is not None:
            check_number("delay (t_0)", self.delay, at_least=1)

    def steps(self, first: int, count: int) -> np.ndarray:
        delay = count if self.delay is None else float(self.delay)  # a round has as many steps as there are sentences
        t = np.arange(first, first + count, dtype=np.float64)
        return self.initial_step * ((delay + t - 1) / delay) ** -self.alpha

    def structured_losses(self, sentences: Any, costs: np.ndarray, params: np.ndarray) -> np.ndarray:
        from lxmls_day1.compiled import chains

        return chains.hinge_losses(sentences, costs, params)
