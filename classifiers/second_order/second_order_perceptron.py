"""The second-order perceptron: a perceptron with a variance for each weight, so that rare words move more than frequent words.

On a mistake the perceptron adds f = f(x, y) − f(x, r) to a sum v, with r the best rival. The second-order perceptron also adds f fᵀ to
a matrix S, and predicts with the weights

    W = Σ v,   Σ = a (a I + S)⁻¹

Both are updated without computing an inverse. Before the step the true class leads by Δ = s_y − s_r, which has the variance
v = v_y + v_r with v_k = Σ_j Σ_jk g_j². Only on a mistake, Δ ≤ 0, and with Σ restricted to its diagonal,

    β = 1/(a + v),   d = β (a − Δ) (e_y − e_r),   b = β (e_y + e_r)

The larger a is, the closer d is to the perceptron's e_y − e_r.

Source: N. Cesa-Bianchi, A. Conconi, C. Gentile, A second-order perceptron algorithm, SIAM Journal on Computing 34, 2005, figure 3.1
(its W is 1/a times the W here, which changes no prediction; the restriction to the diagonal and the extension to several classes are
ours).
"""

from dataclasses import dataclass, field

import numpy as np

from classifiers.online_classifier import OnlineClassifier, compiled, second_order
from lxmls_day1.lab_api import setting


@compiled
@second_order
def second_order_perceptron_rule(
    scores: np.ndarray, label: int, variances: np.ndarray, step: float, cost: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """d = β (a − Δ) (e_y − e_r) and b = β (e_y + e_r), each (K,), with β = 1/(a + v) and ``step`` = a; both 0 without a mistake.

    The true class loses by 1, Δ = −1; the variances 1 and 2 and a = 1 give β = 1/4:

    >>> d, b = second_order_perceptron_rule(np.array([4.0, 5.0]), 0, np.array([1.0, 2.0]), 1.0, np.array([0.0, 1.0]))
    >>> d, b
    (array([ 0.5, -0.5]), array([0.25, 0.25]))
    """
    d, b = np.zeros(len(scores)), np.zeros(len(scores))
    rivals = scores.copy()
    rivals[label] = -np.inf
    rival = np.argmax(rivals)
    margin = scores[label] - scores[rival]
    if margin <= 0.0:
        beta = 1.0 / (step + variances[label] + variances[rival])
        d[label] = beta * (step - margin)
        d[rival] = -d[label]
        b[label] = b[rival] = beta
    return d, b


@dataclass(eq=False, repr=False)
class SecondOrderPerceptron(OnlineClassifier):
    """The second-order perceptron with a variance for each weight.

    Parameters
    ----------
    a : float > 0
        The larger a, the more slowly the variances shrink, and the more updates are almost equal to those of the perceptron.
    nr_rounds, averaged, seed, order, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`. A cost matrix is not used.

    Attributes
    ----------
    variances : array (J + 1, K)
        Σ after training: the smaller a variance, the more certain the weight.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> perceptron = SecondOrderPerceptron(nr_rounds=2)
    >>> params = perceptron.train(X, y)
    >>> perceptron.evaluate(y, perceptron.test(X, params))
    1.0
    """

    name = "Second-order perceptron"
    listed = {"Second-order perceptron": {"colours": ("#7A5C00", "#C9B458"), "dash": (2, 1, 6, 1), "order": 105}}
    rule = staticmethod(second_order_perceptron_rule)

    a: float = setting(1.0, "how slowly weights become sure", above=0)
    averaged: bool | str = field(default=False, kw_only=True)

    def steps(self, first: int, count: int) -> np.ndarray:
        return np.full(count, self.a)
