"""The structured support vector machine by stochastic subgradient descent.

The objective is (1/M) Σ max_y' [s(y') + ρ(y', y)] − s(y) + (λ/2) ‖W‖², with ρ the number of wrong tags by default. The step
on one sentence is

    W ← (1 − η_t λ) W + η_t [Φ(x, y) − Φ(x, ỹ)],    ỹ = argmax_y' s(y') + ρ(y', y)

The search finds ỹ as easily as ŷ, because the costs are a sum over the words (``viterbi.cost_augmented``). The step sizes η_t are
those of ``structured_gradient.py``.

The flat SVM by subgradient (``svm.py``, whose rule this is) is the special case of sentences of one word without
transitions.

Sources: B. Taskar, C. Guestrin, D. Koller, Max-margin Markov networks, NIPS 2003; N. Ratliff, J. A. Bagnell, M.
Zinkevich, (Online) subgradient methods for structured prediction, AISTATS 2007.
"""

from typing import Any

import numpy as np

from classifiers.structured.structured_gradient import StructuredGradient
from classifiers.svm import svm_rule


class StructuredSVM(StructuredGradient):
    """A linear SVM on tag sequences.

    Parameters
    ----------
    regularizer, nr_rounds, initial_step, alpha, delay, averaged
        As in :class:`StructuredGradient`.
    templates, min_count, transitions, decoder
        As in :class:`StructuredClassifier`.
    seed, order, cost, track_objective, progress
        As in :class:`OnlineClassifier`.

    Examples
    --------
    >>> X = [["I", "saw", "it"], ["a", "saw", "cut", "it"], ["I", "cut", "a", "cut"]]
    >>> y = [["PRON", "VERB", "PRON"], ["DET", "NOUN", "VERB", "PRON"], ["PRON", "VERB", "DET", "NOUN"]]
    >>> tagger = StructuredSVM(templates=["word"], nr_rounds=20)
    >>> params = tagger.train(X, y)
    >>> tagger.evaluate(y, tagger.test(X, params))
    1.0
    >>> tagger.objective(X, y, params) < 3.34  # 3.34 is the mean number of words, the objective at W = 0
    True
    """

    name = "Structured SVM"
    rule = staticmethod(svm_rule)
    augmented = True

    def structured_losses(self, sentences: Any, params: np.ndarray) -> np.ndarray:
        return np.asarray(sentences.hinge_losses(self.row_costs(), params))
