"""MIRA, the margin infused relaxed algorithm: on a mistake, take the smallest step that corrects it with a margin.

    d = τ (e_y − e_ŷ),    τ = min(1/λ, ℓ / ‖f(x, y) − f(x, ŷ)‖²),    ℓ = s_ŷ − s_y + ρ(ŷ, y)

and ‖f(x, y) − f(x, ŷ)‖² = 2 ‖g(x)‖². Without the cap 1/λ the true class scores exactly ρ(ŷ, y) above ŷ afterwards. A
right prediction changes nothing, however narrow its margin.

Sources: K. Crammer, Y. Singer, Ultraconservative online algorithms for multiclass problems, JMLR 3, 2003; K. Crammer et
al., Online passive-aggressive algorithms, JMLR 7, 2006; the guide, algorithm 3.
"""

from dataclasses import dataclass

import numpy as np

from classifiers.online_classifier import OnlineClassifier, compiled
from lxmls_day1.lab_api import setting


@compiled
def mira_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """d = τ (e_y − e_ŷ) (K,), with ``step`` the cap 1/λ.

    A mistake by 3 with ‖g(x)‖² = 5 needs τ = (3 + 1)/10; a cap of 0.25 makes the step smaller:

    >>> mira_rule(np.array([-1.0, 2.0]), 0, 5.0, 1.0, np.array([0.0, 1.0]))
    array([ 0.4, -0.4])
    >>> mira_rule(np.array([-1.0, 2.0]), 0, 5.0, 0.25, np.array([0.0, 1.0]))
    array([ 0.25, -0.25])
    """
    d = np.zeros(len(scores))
    # exercise 1.5: solution (6 lines)
    predicted = np.argmax(scores)
    if predicted != label:
        loss = scores[predicted] - scores[label] + cost[predicted]
        tau = min(step, loss / (2 * sq_norm))
        d[label] = tau
        d[predicted] = -tau
    # exercise 1.5: end
    return d


@dataclass(eq=False, repr=False)
class Mira(OnlineClassifier):
    """MIRA with one constraint per example (k = 1).

    Parameters
    ----------
    regularizer : float > 0
        λ. The step is capped at 1/λ: a larger λ moves the weights less.
    nr_rounds, averaged, seed, order, cost, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> mira = Mira(regularizer=0.1)
    >>> params = mira.train(X, y)
    >>> mira.evaluate(y, mira.test(X, params))
    1.0
    """

    name = "MIRA"
    listed = {"MIRA": {"colours": ("#C51B7D", "#FF3FA4"), "dash": (6, 1.5, 1, 1.5), "order": 60}}
    rule = staticmethod(mira_rule)

    regularizer: float = setting(1.0, "λ of MIRA, whose step is at most 1/λ", above=0)

    def steps(self, first: int, count: int) -> np.ndarray:
        return np.full(count, 1.0 / self.regularizer)
