"""Structured MIRA: on a mistake, take the smallest step that puts the true tag sequence above the predicted one by its cost.

    τ = min(1/λ, ℓ / ‖Φ(x, y) − Φ(x, ŷ)‖²),    ℓ = s(ŷ) − s(y) + ρ(ŷ, y),    ŷ = argmax_y' w · Φ(x, y')

with ρ the number of wrong tags by default. Features that both Φ have in common cancel in the norm.

With k > 1 the truth must lead each of the k best sequences by its cost, and the step is the smallest change that achieves this
(``k_best.py``). This step is also taken if the prediction is right but a margin is too small.

The flat MIRA (``mira.py``, whose rule this is) is the special case of sentences of one word without transitions; then
the norm is 2 ‖g(x)‖².

Source: R. McDonald, K. Crammer, F. Pereira, Online large-margin training of dependency parsers, ACL 2005.
"""

from dataclasses import dataclass

import numpy as np

from classifiers.mira import Mira
from classifiers.structured.k_best import hildreth, k_best_paths
from classifiers.structured.structured_classifier import StructuredClassifier
from classifiers.structured.viterbi import path_score
from lxmls_day1.lab_api import setting

MAX_SEQUENCES = 1000  # a step needs an inner product for each pair of sequences


@dataclass(eq=False, repr=False, kw_only=True)
class StructuredMira(StructuredClassifier, Mira):
    """MIRA on tag sequences, with a constraint for each of the k best sequences of a sentence.

    Parameters
    ----------
    regularizer : float > 0
        λ. The step is capped at 1/λ: a larger λ moves the weights less.
    k : int ≥ 1
        The number of sequences that the truth must lead, at most 1000. The search for more than one uses plain NumPy and is about twenty
        times slower.
    templates, min_count, transitions, decoder
        As in :class:`StructuredClassifier`.
    nr_rounds, averaged, seed, order, cost, track_objective, progress
        As in :class:`OnlineClassifier`.

    Examples
    --------
    >>> X = [["I", "saw", "it"], ["a", "saw", "cut", "it"], ["I", "cut", "a", "cut"]]
    >>> y = [["PRON", "VERB", "PRON"], ["DET", "NOUN", "VERB", "PRON"], ["PRON", "VERB", "DET", "NOUN"]]
    >>> tagger = StructuredMira(templates=["word"])
    >>> params = tagger.train(X, y)
    >>> tagger.evaluate(y, tagger.test(X, params))
    1.0
    """

    name = "Structured MIRA"

    k: int = setting(
        1, "the number of sequences that the true one should lead", at_least=1, at_most=MAX_SEQUENCES, whole=True
    )

    def compiles(self) -> bool:
        return super().compiles() and self.k == 1

    def _change(self, layout, sentences, m, step, costs, weights):
        if self.k == 1:
            return super()._change(layout, sentences, m, step, costs, weights)
        truth = sentences.labels[sentences.starts[m] : sentences.starts[m + 1]]
        scores = layout.scores(sentences, m, weights.V, weights.state[0])
        rivals = k_best_paths(scores, int(self.k))
        differences = [layout.difference(sentences, m, truth, rival) for rival in rivals]
        kept = [i for i, (entries, _) in enumerate(differences) if len(entries)]
        if not kept:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        entries = np.unique(np.concatenate([differences[i][0] for i in kept]))
        deltas = np.zeros((len(kept), len(entries)))  # δ_i, restricted to the weights that any δ_i changes
        for delta, i in zip(deltas, kept, strict=True):
            delta[np.searchsorted(entries, differences[i][0])] = differences[i][1]
        of_truth = path_score(scores, truth)
        margin_violations = [costs[truth, rivals[i]].sum() + (path_score(scores, rivals[i]) - of_truth) for i in kept]
        return entries, hildreth(deltas @ deltas.T, np.array(margin_violations), step) @ deltas
