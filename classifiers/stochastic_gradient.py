"""Stochastic (sub)gradient descent on (1/M) Σ loss + (λ/2) ‖W‖²: the common part of ``svm.py`` and ``max_ent_online.py``.

The gradient of one example's loss is −g(x) dᵀ / η_t, with d the result of the rule, and the gradient of the penalty is λ W. So

    W ← (1 − η_t λ) W + g(x) dᵀ,    η_t = η_0 t^(−α)

The steps must shrink, but not too fast: Σ η_t = ∞ and Σ η_t² < ∞ hold for 1/2 < α ≤ 1 (the guide prints "α in [1, 2]",
but for α > 1 the steps sum to a finite number and can stop short of the optimum).

The guide's η_0 = 1 suits its λ = 1. With λ = 0.01 the first steps are far too long and the later ones far too short. The
default suits every λ: η_t = 1/(λ (t + t_0)), for an objective that is λ-strongly convex. t_0 is chosen so that the first step
is e = 2/median ‖g(x)‖². This step is safe, because the log loss of an example has a curvature of at most ‖g(x)‖²/2, and descent
diverges only from twice this step on. The steps are adjusted in four cases:

- Log loss of three classes or more: the curvature reaches its maximum only if two classes share all of the probability, so the first
  step is e = 4/median ‖g(x)‖².
- Log loss of more than four classes: they share the probability at the start, so the first step may be longer, up to
  e = 2 log₂ K/median ‖g(x)‖², as long as λ makes the steps shrink faster than in the next case.
- A λ so small that the steps would hardly shrink during a round: 0.3/(M e) replaces λ. For the log loss of three classes or more it
  is 0.05/(M e), because these gradients become shorter by themselves as the model learns.
- Hinge loss of three classes or more with such a λ: each violation causes a step of full length, and the small λ hardly shortens
  weights that the first steps have made too long. So the steps shrink faster during the first round:
  η_t = e/(1 + 0.3 t/M + min(t/M, 1)).

The subgradient of the hinge loss keeps its length ‖g(x)‖ even near the optimum, so the weights keep a noise as large as the steps.
If no weights have an objective much below that of W = 0 (labels that depend little on the inputs, many classes that share one
feature), this noise can leave the weights worse than W = 0. Examples much longer than the median can do the same. F is convex along
the ray from 0 through W, so ``train`` shortens W until F(W) ≤ F(0). This changes no label.

Sources: the guide, algorithms 5 and 6; H. Robbins, S. Monro, A stochastic approximation method, 1951; S. Shalev-Shwartz et
al., Pegasos, 2007 (1/(λ t)); L. Bottou, Stochastic gradient descent tricks, 2012 (t_0). The mean over the last round is the
suffix average of A. Rakhlin et al., Making gradient descent optimal for strongly convex stochastic optimization, 2012.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from classifiers.online_classifier import OnlineClassifier
from lxmls_day1.lab_api import setting


@dataclass(eq=False, repr=False)
class StochasticGradient(OnlineClassifier):
    """The loop of :class:`OnlineClassifier` with shrinking weights and decreasing steps.

    Parameters
    ----------
    regularizer : float ≥ 0
        λ. The intercepts are regularized like the other weights.
    nr_rounds : int ≥ 1
    initial_step : float > 0, optional
        η_0 of the guide's steps η_0 t^(−α); 1 if only ``alpha`` is given.
    alpha : float in (1/2, 1], optional
        α, how fast the guide's steps decrease; 1 if only ``initial_step`` is given. By default (neither is given) the steps are
        η_t = 1/(λ (t + t_0)), as above.
    averaged, seed, order, cost, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`. Default of ``averaged``: "last round", because the weights after the last step depend too
        much on the last examples.

    Attributes
    ----------
    first_step : float
        e = 2/median ‖g(x)‖² of the training data; for a smooth loss of more than two classes 4/median, or up to 2 log₂ K/median.

    Examples
    --------
    The guide's steps, η_0 t^(−α), for t = 1, 2, 3, 4:

    >>> StochasticGradient(initial_step=1.0, alpha=1.0).steps(1, 4).round(3)
    array([1.   , 0.5  , 0.333, 0.25 ])
    """

    shrinks = True
    smooth_loss = False

    regularizer: float = setting(1.0, "λ", at_least=0)
    _: KW_ONLY
    nr_rounds: int = 20
    averaged: bool | str = "last round"
    initial_step: float | None = setting(None, "η_0", above=0)
    alpha: float | None = setting(
        None, "whose steps η_0 t^(−α) sum to infinity, and their squares do not", above=0.5, at_most=1
    )

    def plan_steps(self, sq_norms: np.ndarray, n_examples: int | None = None) -> None:
        """Set the default steps from ‖g(x)‖² of each training example (M,), or of a sample if there are ``n_examples`` in all."""
        n, several = len(sq_norms) if n_examples is None else n_examples, len(self.classes) > 2
        shared_by_many = self.smooth_loss and several
        self.first_step = (4.0 if shared_by_many else 2.0) / float(np.median(sq_norms))
        self.slowest = (0.05 if shared_by_many else 0.3) / n
        if shared_by_many:
            longest = max(1.0, np.log2(len(self.classes)) / 2.0)
            self.first_step *= min(longest, max(1.0, self.regularizer * self.first_step / self.slowest))
        self.in_first_round = (1.0 if several and not self.smooth_loss else 0.0) / n

    def steps(self, first: int, count: int) -> np.ndarray:
        t = np.arange(first, first + count, dtype=np.float64)
        if self._uses_default_steps():
            rate = self.regularizer * self.first_step
            if rate >= self.slowest:
                return self.first_step / (1.0 + rate * t)
            return self.first_step / (1.0 + self.slowest * t + np.minimum(self.in_first_round * t, 1.0))
        eta_0 = 1.0 if self.initial_step is None else self.initial_step
        return eta_0 * t ** -(1.0 if self.alpha is None else self.alpha)

    def _uses_default_steps(self):
        return self.initial_step is None and self.alpha is None

    def finish(self, rows: Any, params: np.ndarray, errors: int) -> np.ndarray:
        """Return the parameters (J + 1, K), shortened if the default steps ended with an objective above that of W = 0."""
        return rows.shortened(self, params, errors) if self._uses_default_steps() else params

    def penalty_of(self, params: np.ndarray) -> float:
        """Return (λ/2) ‖W‖² of the parameters (J + 1, K), without allocating another array of their size."""
        return self.regularizer / 2 * float(np.einsum("jk,jk", params, params))
