"""Stochastic (sub)gradient descent on (1/M) Σ loss + (λ/2) ‖W‖²: what ``svm.py`` and ``max_ent_online.py`` share.

The gradient of one example's loss is −g(x) dᵀ / η_t for the d of its rule, that of the penalty is λ W, and so

    W ← (1 − η_t λ) W + g(x) dᵀ,    η_t = η_0 t^(−α)

The steps must shrink, but not too fast: Σ η_t = ∞ and Σ η_t² < ∞ hold for 1/2 < α ≤ 1 (the guide prints "α in [1, 2]",
but for α > 1 the steps sum to a finite number and can stop short of the optimum).

Sources: the guide, algorithms 5 and 6; H. Robbins, S. Monro, A stochastic approximation method, 1951.
"""

import numpy as np
from numpy.typing import ArrayLike

from classifiers.online_classifier import OnlineClassifier
from lxmls_day1.checks import check_number
from lxmls_day1.errors import InputError


class StochasticGradient(OnlineClassifier):
    """The loop of :class:`OnlineClassifier` with shrinking weights and decreasing steps.

    Parameters
    ----------
    regularizer : float ≥ 0
        λ. The intercepts are regularized like the other weights.
    nr_rounds : int ≥ 1
    initial_step : float > 0
        η_0.
    alpha : float in (1/2, 1]
        α, how fast the steps decrease.
    averaged, seed, order, cost, track_objective, progress
        As in :class:`OnlineClassifier`; not averaged unless asked for.
    """

    shrinks = True

    def __init__(
        self,
        regularizer: float = 1.0,
        nr_rounds: int = 20,
        initial_step: float = 1.0,
        alpha: float = 1.0,
        averaged: bool | str = False,
        *,
        seed: int = 1,
        order: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        track_objective: bool = True,
        progress: bool = False,
    ) -> None:
        super().__init__(
            nr_rounds=nr_rounds,
            averaged=averaged,
            seed=seed,
            order=order,
            cost=cost,
            track_objective=track_objective,
            progress=progress,
        )
        self.regularizer = regularizer
        self.initial_step = initial_step
        self.alpha = alpha

    def check_settings(self):
        super().check_settings()
        check_number("regularizer (λ)", self.regularizer, at_least=0)
        check_number("initial_step (η_0)", self.initial_step, above=0)
        alpha = check_number("alpha", self.alpha)
        if not 0.5 < alpha <= 1:
            raise InputError(
                f"alpha must be above 1/2 and at most 1, so that the steps η_0 t^(−α) sum to infinity while their squares "
                f"do not, but is {self.alpha!r}"
            )

    def steps(self, first, count):
        return self.initial_step * np.arange(first, first + count, dtype=np.float64) ** -self.alpha
