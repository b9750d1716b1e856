"""Maximum entropy by dual coordinate ascent: one example at a time, without a step size, and with a bound on the distance to the optimum.

log Σ_k exp s_k is the maximum of α · s + H(α) over the simplex, with H the entropy. With one such α_m for each example, and the order
of min and max exchanged, the minimum over W of the objective

    F(W) = −(1/M) Σ log p_W(y_m | x_m) + (λ/2) ‖W‖²

is at W(α) = 1/(λM) Σ_m g(x_m) (e_{y_m} − α_m)ᵀ. The dual problem remains, to be maximised:

    D(α) = (1/M) Σ_m H(α_m) − (λ/2) ‖W(α)‖²

For any α and any W, D(α) ≤ F(W): the optimum lies between them, and their difference, the *duality gap*, bounds how far W is
from it. At the optimum α_m = p_W(· | x_m).

**A step** moves the α of one example towards p = softmax(s), and updates W. The gain is H(α + t u) + t u·s − (a/2) t² ‖u‖², with
u = p − α and a = ‖g(x)‖²/(λM), up to a constant. The covariance matrix of a distribution q is diag(q) − q qᵀ, and its largest
eigenvalue is at most c = min(1/2, 1 − ‖q‖²); with the largest such c between α and p the gain rises at least up to

    t = 1 / (1 + a c)

(:func:`dual_step`). For two classes Newton's method finds the maximum of a gain with 2/3 of the curvature. This over-relaxation saves a
third of the sweeps, and D still rises, as it does with any share above 1/2. α starts at α_m = e_{y_m}, with W = 0 and D = 0. Unless λM
is small, a sweep closes most of the gap: on 180,000 texts two to five sweeps are enough for 1e-3, and L-BFGS needs tens of passes. If
λM is far below ‖g(x)‖² the method needs many sweeps, and L-BFGS is the better choice.

Sources: H.-F. Yu, F.-L. Huang, C.-J. Lin, Dual coordinate descent methods for logistic regression and maximum entropy models,
Machine Learning 85, 2011; S. Shalev-Shwartz, T. Zhang, Stochastic dual coordinate ascent methods for regularized loss
minimization, JMLR 14, 2013 (a step towards p).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

MIN_SWEEPS_TO_EXTRAPOLATE = 10  # from this sweep on, the pace of the sweeps is used to predict how many more are needed
ROUNDING = 1e-12  # share of the objective: a smaller gap is below the rounding error


class DualIterate(NamedTuple):
    """The state of the method after some sweeps. The optimum of F lies between ``dual`` and ``objective``.

    Examples
    --------
    >>> DualIterate(sweeps=3, objective=0.75, dual=0.5, weights=np.zeros((2, 1))).gap
    0.25
    """

    sweeps: int  # so far
    objective: float  # F(W)
    dual: float  # D(α)
    weights: np.ndarray  # W (J + 1, K), or v (J + 1, 1) of W = (−v/2, v/2)

    @property
    def gap(self) -> float:
        """F(W) − D(α) ≥ F(W) − F*."""
        return self.objective - self.dual


def dual_step(alpha: np.ndarray, scores: np.ndarray, curvature: float) -> np.ndarray:
    """Return the multipliers of one example after its step, with the multipliers of the other examples fixed.

    Parameters
    ----------
    alpha : array (K,), in the simplex
    scores : array (K,), s = g(x)ᵀ W
    curvature : float > 0, a = ‖g(x)‖² / (λM)

    Returns
    -------
    alpha : array (K,), in the simplex

    Examples
    --------
    Three equal scores, and all the weight on the true class: the multipliers move towards 1/3 each. If W hardly depends on them (small
    curvature), they move almost all the way:

    >>> dual_step(np.array([1.0, 0.0, 0.0]), np.zeros(3), curvature=2.0).round(3)
    array([0.667, 0.167, 0.167])
    >>> dual_step(np.array([1.0, 0.0, 0.0]), np.zeros(3), curvature=0.01).round(3)
    array([0.337, 0.332, 0.332])
    """
    p = np.exp(scores - scores.max())
    p /= p.sum()
    u = p - alpha
    if not u.any():
        return alpha
    flattest = alpha + np.clip(-(alpha @ u) / (u @ u), 0.0, 1.0) * u  # the most uniform point between α and p
    c = min(0.5, 1.0 - flattest @ flattest)
    return alpha + u / (1.0 + curvature * c)


def ascend_dual(
    rows: Any,
    regularizer: float,
    tolerance: float,
    max_sweeps: int,
    rng: np.random.Generator,
    max_remaining_sweeps: float = np.inf,
) -> Iterator[DualIterate]:
    """Sweep over the examples until the gap is small.

    Parameters
    ----------
    rows : lxmls_day1.engine.loops.rows.Rows
        M examples with their labels; their sample weights have the mean 1.
    regularizer : float > 0, λ
    tolerance : float > 0
        The share of the objective to which the gap must fall. The gap is measured when the sweeps seem to have reached it.
    max_sweeps : int
    rng : numpy.random.Generator, shuffles the examples before each sweep
    max_remaining_sweeps : float
        Stop also if, at the pace of the last sweep, more than this number of further sweeps is needed.

    Yields
    ------
    DualIterate
        The state at the start and after each measurement. It ends after ``max_sweeps`` sweeps, or if too many more are needed.

    Examples
    --------
    Points at 1 and −1, each of its own class. With λ = 1/(2 log 3) the optimal weight is log 3, which gives the true class the
    probability 3/4:

    >>> from lxmls_day1.engine.loops.rows import Rows
    >>> rows = Rows(np.array([[1.0], [-1.0]]), np.array([1, 0]), 2)
    >>> *_, last = ascend_dual(rows, 1 / (2 * np.log(3)), 1e-9, 50, np.random.default_rng(1))
    >>> bool(last.gap <= 1e-9 * last.objective), np.exp(last.weights[1]).round(3)
    (True, array([3.]))
    """
    n_examples, n_classes, two = len(rows.labels), rows.n_classes, rows.n_classes == 2
    multipliers = np.zeros(n_examples) if two else np.eye(n_classes)[rows.labels]
    weights = np.zeros((rows.n_features + 1, 1 if two else n_classes))
    unit, visited = 1 / (regularizer * n_examples), np.flatnonzero(rows.shares > 0)
    point = DualIterate(0, float(np.log(n_classes)), 0.0, weights)
    yield point
    before = point.gap
    for number in range(1, max_sweeps + 1):
        estimate = rows.max_ent_sweep(rng.permutation(visited), unit, multipliers, weights) / n_examples
        # The gap falls by a similar factor in each sweep, and may be exactly 0 already.
        expected = estimate * min(1.0, estimate / before) if before > 0 else estimate
        wanted, pace = tolerance * point.objective, np.log(before / estimate) if 0 < estimate < before else 0.0
        too_far = estimate > wanted and np.log(estimate / wanted) > max_remaining_sweeps * pace
        slow = number >= MIN_SWEEPS_TO_EXTRAPOLATE and too_far
        before = estimate
        is_due = 2 * expected <= wanted or number in (MIN_SWEEPS_TO_EXTRAPOLATE, max_sweeps)
        if is_due or slow or not np.isfinite(estimate):
            loss, entropy = rows.max_ent_measure(multipliers, weights)
            penalty = regularizer / 2 * float((weights * weights).sum()) / (2 if two else 1)
            point = DualIterate(number, loss / n_examples + penalty, entropy / n_examples - penalty, weights)
            yield point
            if slow:
                return
