"""Confidence-weighted learning: the smallest change of a Gaussian over the weights after which the example is right with high probability.

As in ``arow.py`` the weights are Gaussian with means W and a variance Σ_jk each, and the true class leads its best rival r by Δ, which
has the variance v. *Exact* CW requires a lead with probability η, that is a lead of φ = Φ⁻¹(η) standard deviations:

    min KL(N(W', Σ') ‖ N(W, Σ))   such that   Δ' ≥ φ √v'

With ψ = 1 + φ²/2 and ξ = 1 + φ² the step is

    α = max(0, (−Δ ψ + √(Δ² φ⁴/4 + v φ² ξ)) / (v ξ)),   √u = (√(α² v² φ² + 4 v) − α v φ) / 2,   β = α φ / (√u + v α φ)
    d = α (e_y − e_r),   b = β (e_y + e_r)

Exact CW trusts every label. The *soft* form, SCW-I, replaces the constraint by a penalty C · max(0, φ √v' − Δ'), so that α ≤ C.

Sources: M. Dredze, K. Crammer, F. Pereira, Confidence-weighted linear classification, ICML 2008; K. Crammer, M. Dredze, F. Pereira,
Exact convex confidence-weighted learning, NIPS 2008; J. Wang, P. Zhao, S. Hoi, Exact soft confidence-weighted learning, ICML 2012.
"""

from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from classifiers.online_classifier import OnlineClassifier, compiled, second_order
from lxmls_day1.lab_api import setting

NO_CAP = np.finfo(np.float64).max  # finite, because the loop multiplies the step with a shrinkage of 0


@compiled
@second_order
def confidence_weighted_rule(
    scores: np.ndarray, label: int, variances: np.ndarray, step: float, cost: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """d = α (e_y − e_r) and b = β (e_y + e_r), each (K,), with ``step`` the cap C, and ``cost`` holding φ ρ(·, y) of each rival.

    With Δ = 0, v = 2 and φ = 1 the new lead Δ' = v α is one standard deviation, Δ'² = v' = v − β v²:

    >>> d, b = confidence_weighted_rule(np.zeros(2), 0, np.ones(2), 100.0, np.array([0.0, 1.0]))
    >>> bool(np.isclose((2 * d[0]) ** 2, 2 - 4 * b[0])), bool(d[0] == -d[1]), bool(b[0] == b[1])
    (True, True, True)
    """
    d, b = np.zeros(len(scores)), np.zeros(len(scores))
    rivals = scores.copy()
    rivals[label] = -np.inf
    rival = np.argmax(rivals)
    margin, variance, phi = scores[label] - scores[rival], variances[label] + variances[rival], cost[rival]
    xi = 1.0 + phi**2
    root = np.sqrt(margin**2 * phi**4 / 4 + variance * phi**2 * xi)
    alpha = 0.0
    if variance > 0.0:  # otherwise all weights are certain and do not change
        alpha = min(step, (root - margin * (1.0 + phi**2 / 2)) / (variance * xi))
    if alpha > 0.0:
        moved = alpha * variance * phi
        root_u = 2.0 * variance / (np.sqrt(moved**2 + 4.0 * variance) + moved)  # √u, in a form without cancellation
        d[label], d[rival] = alpha, -alpha
        b[label] = b[rival] = alpha * phi / (root_u + moved)
    return d, b


@dataclass(eq=False, repr=False)
class ConfidenceWeighted(OnlineClassifier):
    """Confidence-weighted learning with a variance for each weight: exact, or soft if a cap is given.

    Parameters
    ----------
    confidence : float between 0.5 and 1
        η, the probability with which each example must be right after its step.
    cap : float > 0, optional
        C of SCW-I, the maximum of α. Default: no cap; CW is exact and trusts every label.
    nr_rounds, averaged, seed, order, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`.
    cost : array (K, K), optional
        The required lead over class k is φ ρ(k, y) standard deviations.

    Attributes
    ----------
    variances : array (J + 1, K)
        Σ after training: the smaller a variance, the more certain the weight.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> soft = ConfidenceWeighted(confidence=0.8, cap=1.0, nr_rounds=1)
    >>> params = soft.train(X, y)
    >>> soft.evaluate(y, soft.test(X, params))
    1.0
    """

    name = "Confidence-weighted"
    listed = {"Confidence-weighted": {"colours": ("#5E8C31", "#A4D65E"), "dash": (2.5, 1, 1, 1, 1, 1), "order": 110}}
    rule = staticmethod(confidence_weighted_rule)

    confidence: float = setting(0.9, "η of CW, a probability", above=0.5, below=1)
    cap: float | None = setting(None, "the C of SCW-I", above=0)
    averaged: bool | str = field(default=False, kw_only=True)

    def steps(self, first: int, count: int) -> np.ndarray:
        return np.full(count, NO_CAP if self.cap is None else float(self.cap))

    def row_costs(self) -> np.ndarray:
        return NormalDist().inv_cdf(float(self.confidence)) * super().row_costs()
