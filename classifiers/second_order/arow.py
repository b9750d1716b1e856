"""AROW, adaptive regularization of weights: every weight has a variance, and uncertain weights move most.

The weights are Gaussian with means W and a variance Σ_jk each, 1 at the start. Let r be the best rival. The score of the true class
leads by Δ = s_y − s_r, which has the variance v = v_y + v_r with v_k = Σ_j Σ_jk g_j². If Δ < ρ(r, y), the step solves

    min KL(N(W', Σ') ‖ N(W, Σ)) + 1/(2λ) · max(0, ρ(r, y) − Δ')² + 1/(2λ) · v'

The three terms mean: stay near the old Gaussian, have a margin, and be certain of it. Only the diagonal of the new Σ is used:

    β = 1/(v + λ),   d = β (ρ(r, y) − Δ) (e_y − e_r),   b = β (e_y + e_r)

The weight of a frequent feature has a small variance and hardly moves; a rare word is learnt from one example. λ limits every step,
so a mislabelled example does little harm.

Source: K. Crammer, A. Kulesza, M. Dredze, Adaptive regularization of weight vectors, NIPS 2009 (its r is λ here).
"""

from dataclasses import dataclass, field

import numpy as np

from classifiers.online_classifier import OnlineClassifier, compiled, second_order
from lxmls_day1.lab_api import setting


@compiled
@second_order
def arow_rule(
    scores: np.ndarray, label: int, variances: np.ndarray, step: float, cost: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """d = β ℓ (e_y − e_r) and b = β (e_y + e_r), each (K,), with β = 1/(v + λ) and ``step`` = 1/λ.

    The margin is 0 and the required margin is 1; the variances 1 and 2 and λ = 1 give β = 1/4:

    >>> d, b = arow_rule(np.array([5.0, 5.0, 0.0]), 0, np.array([1.0, 2.0, 9.0]), 1.0, np.array([0.0, 1.0, 1.0]))
    >>> d, b
    (array([ 0.25, -0.25,  0.  ]), array([0.25, 0.25, 0.  ]))
    """
    d, b = np.zeros(len(scores)), np.zeros(len(scores))
    # exercise 1.16: solution (8 lines)
    rivals = scores + cost
    rivals[label] = -np.inf
    rival = np.argmax(rivals)
    loss = rivals[rival] - scores[label]
    if loss > 0.0:
        beta = step / (step * (variances[label] + variances[rival]) + 1.0)
        d[label], d[rival] = beta * loss, -beta * loss
        b[label] = b[rival] = beta
    # exercise 1.16: end
    return d, b


@dataclass(eq=False, repr=False)
class AROW(OnlineClassifier):
    """AROW with a variance for each weight.

    Parameters
    ----------
    regularizer : float > 0
        λ, the r of the source: the larger λ, the less the weights and variances change in one step.
    nr_rounds, averaged, seed, order, cost, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`. One round is often enough.

    Attributes
    ----------
    variances : array (J + 1, K)
        Σ after training: the smaller a variance, the more certain the weight.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> arow = AROW(nr_rounds=1)
    >>> params = arow.train(X, y)
    >>> arow.evaluate(y, arow.test(X, params))
    1.0
    >>> bool((arow.variances < 1.0).all())
    True
    """

    name = "AROW"
    listed = {"AROW": {"colours": ("#1B3A8A", "#7F93FF"), "dash": (8, 1.5, 2, 1.5), "order": 100}}
    rule = staticmethod(arow_rule)

    regularizer: float = setting(1.0, "λ of AROW, the r of its source", above=0)
    averaged: bool | str = field(default=False, kw_only=True)

    def steps(self, first: int, count: int) -> np.ndarray:
        return np.full(count, 1.0 / self.regularizer)
