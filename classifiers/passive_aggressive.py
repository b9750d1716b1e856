"""Passive-aggressive learning: the smallest step that gives the true class its margin, taken for every example below its margin.

Let r = argmax_k s_k + ρ(k, y) over k ≠ y be the best rival, ℓ = s_r + ρ(r, y) − s_y the missing margin, and C the price of
slack. The step is d = τ (e_y − e_r) if ℓ > 0, and 0 otherwise:

    PA-I    min ½ ‖W' − W‖² + C ξ     τ = min(C, ℓ / (2 ‖g(x)‖²))
    PA-II   min ½ ‖W' − W‖² + C ξ²    τ = ℓ / (2 ‖g(x)‖² + 1/(2C))

such that s'_y ≥ s'_r + ρ(r, y) − ξ, ξ ≥ 0. PA-I takes the same step as MIRA. MIRA takes it only if the prediction is wrong; PA-I
takes it also if the prediction is right but its margin is too small.

Source: K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer, Online passive-aggressive algorithms, JMLR 7, 2006.
"""

from dataclasses import dataclass

import numpy as np

from classifiers.online_classifier import OnlineClassifier, compiled
from lxmls_day1.lab_api import setting


@compiled
def pa1_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """d = τ (e_y − e_r) (K,), τ = min(C, ℓ / (2 ‖g(x)‖²)), with ``step`` the C.

    The prediction is right, but leads by only 1/2. MIRA would do nothing; PA-I raises the margin to 1, or as far as C allows:

    >>> pa1_rule(np.array([0.5, 0.0]), 0, 2.0, 1.0, np.array([0.0, 1.0]))
    array([ 0.125, -0.125])
    >>> pa1_rule(np.array([0.5, 0.0]), 0, 2.0, 0.1, np.array([0.0, 1.0]))
    array([ 0.1, -0.1])
    """
    d = np.zeros(len(scores))
    rivals = scores + cost
    rivals[label] = -np.inf
    rival = np.argmax(rivals)
    loss = rivals[rival] - scores[label]
    if loss > 0.0 and sq_norm > 0.0:
        d[label] = min(step, loss / (2 * sq_norm))
        d[rival] = -d[label]
    return d


@compiled
def pa2_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """d = τ (e_y − e_r) (K,), τ = ℓ / (2 ‖g(x)‖² + 1/(2C)), with ``step`` the C.

    >>> pa2_rule(np.array([0.5, 0.0]), 0, 2.0, 0.5, np.array([0.0, 1.0]))
    array([ 0.1, -0.1])
    """
    d = np.zeros(len(scores))
    rivals = scores + cost
    rivals[label] = -np.inf
    rival = np.argmax(rivals)
    loss = rivals[rival] - scores[label]
    if loss > 0.0 and step > 0.0:
        d[label] = loss / (2 * sq_norm + 1 / (2 * step))
        d[rival] = -d[label]
    return d


@dataclass(eq=False, repr=False)
class PassiveAggressive(OnlineClassifier):
    """Passive-aggressive I: the penalty is linear in the slack.

    Parameters
    ----------
    cap : float > 0
        C, the price of slack. It is also the maximum of the step τ.
    nr_rounds, averaged, seed, order, cost, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> learner = PassiveAggressive(cap=0.1)
    >>> params = learner.train(X, y)
    >>> learner.evaluate(y, learner.test(X, params))
    1.0
    """

    name = "Passive-aggressive"
    listed = {"Passive-aggressive": {"colours": ("#B04A5A", "#FF8088"), "dash": (3, 1, 1, 1), "order": 70}}
    rule = staticmethod(pa1_rule)

    cap: float = setting(1.0, "the C of passive-aggressive learning", above=0)

    def steps(self, first: int, count: int) -> np.ndarray:
        return np.full(count, float(self.cap))


class PassiveAggressive2(PassiveAggressive):
    """Passive-aggressive II: the penalty is quadratic in the slack, so no step is cut off, but C shortens every step.

    Parameters
    ----------
    cap, nr_rounds, averaged, seed, order, cost, track_objective, progress, n_jobs
        As in :class:`PassiveAggressive`.

    Examples
    --------
    Each of the two examples lacks the whole margin, and ‖g(x)‖² = 2. So each of the two steps is 1/(2 · 2 + 1/(2 · 0.5)) = 1/5:

    >>> learner = PassiveAggressive2(cap=0.5, nr_rounds=1, order=[0, 1], averaged=False)
    >>> learner.train([[1.0], [-1.0]], [0, 1])[1].round(6)
    array([ 0.4, -0.4])
    """

    name = "Passive-aggressive II"
    listed = {"Passive-aggressive II": {"colours": ("#96325A", "#DD5E7C"), "dash": (5, 1, 2, 1), "order": 80}}
    rule = staticmethod(pa2_rule)
