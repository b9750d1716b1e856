"""Structured MIRA: on a mistake, the smallest step that puts the true tag sequence above the predicted one by its cost.

    τ = min(1/λ, ℓ / ‖Φ(x, y) − Φ(x, ŷ)‖²),    ℓ = s(ŷ) − s(y) + ρ(ŷ, y),    ŷ = argmax_y' w · Φ(x, y')

with ρ the number of wrong tags, unless other costs are given. What stands in both Φ cancels in the norm.

The flat MIRA (``mira.py``, whose rule this is) is the special case of sentences of one word without transitions, where
the norm is 2 ‖g(x)‖².

Source: R. McDonald, K. Crammer, F. Pereira, Online large-margin training of dependency parsers, ACL 2005.
"""

from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

from classifiers.mira import Mira
from classifiers.structured_classifier import StructuredClassifier
from classifiers.tag_features import TEMPLATES
from classifiers.viterbi import ChainScores


class StructuredMira(StructuredClassifier, Mira):
    """MIRA on tag sequences, with one constraint per sentence (k = 1).

    Parameters
    ----------
    regularizer : float > 0
        λ; 1/λ caps the step, so that a larger one moves the weights less.
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

    def __init__(
        self,
        templates: Sequence[str] = TEMPLATES,
        min_count: int = 1,
        transitions: bool | str = True,
        decoder: Callable[[ChainScores], ArrayLike] | None = None,
        *,
        regularizer: float = 1.0,
        nr_rounds: int = 10,
        averaged: bool | str = "steps",
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
