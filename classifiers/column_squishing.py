"""Column squishing: the smallest change of the weights after which the true class leads every other class by its margin.

The step changes the weights by g(x) dᵀ, and so the scores s by ‖g(x)‖² d. The missing margin against class i ≠ y is

    C_i = (s_i − s_y + ρ(i, y)) / ‖g(x)‖²

and the smallest change solves  min ½ Σ d_i²  such that  d_y ≥ d_i + C_i  for all i ≠ y. All rivals that move are lowered to
the same height θ:

    d_i = −max(0, C_i − θ),    d_y = Σ_{i ≠ y} max(0, C_i − θ),    θ = d_y

If the C_i are sorted in descending order and the first k of them are above θ, then θ = Σ_{i ≤ k} C_i / (k + 1). Sorting makes
this O(K log K).

**With a cap** τ_max the step minimises ½ ‖W' − W‖² + τ_max ξ, and the lead of the true class may fall short by ξ ≥ 0. Setting the
derivative by ξ to zero gives d_y ≤ τ_max, with equality if ξ > 0. Only the height changes, to the θ at which
Σ max(0, C_i − θ) = τ_max, that is θ = (Σ_{i ≤ k} C_i − τ_max) / k. The greater of the two heights is used. With two classes this is
PA-I. Unlike MIRA the step considers every rival, and it is also taken if the prediction is right but its margin too small.

Sources: H. Daumé III, "Column squishing for multiclass updates", a blog post of 15 August 2017, with Abhishek Kumar's solution, after
V. Bittorf et al., NIPS 2012, algorithm 5. With slack: K. Crammer et al., Online passive-aggressive algorithms, JMLR 7, 2006.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from classifiers.online_classifier import OnlineClassifier, compiled
from lxmls_day1.lab_api import InputError, as_numbers, check_number, setting

NO_CAP = np.finfo(np.float64).max  # finite, because the loop multiplies the step with a shrinkage of 0


@compiled
def squishing_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """Return the shortest d (K,) after which the true class leads class i by ρ(i, y), with ``step`` the cap on d_y.

    Two rivals lead. Both are lowered and the true class is raised until the difference is 1; a cap of 1/2 stops this earlier:

    >>> scores, cost = np.array([0.0, 3.0, 2.0, -5.0]), np.array([0.0, 1.0, 1.0, 1.0])
    >>> d = squishing_rule(scores, 0, 1.0, 100.0, cost)
    >>> scores + d
    array([ 2.33333333,  1.33333333,  1.33333333, -5.        ])
    >>> squishing_rule(scores, 0, 1.0, 0.5, cost)
    array([ 0.5, -0.5, -0. , -0. ])
    """
    if sq_norm == 0.0:  # no change of the weights changes the scores of x = 0
        return np.zeros_like(scores)
    # exercise 1.10: solution (11 lines)
    lacking = (scores - scores[label] + cost) / sq_norm  # (K,): C_i
    lacking[label] = 0.0
    downwards = -np.sort(-lacking[lacking > 0.0])
    total, height = 0.0, 0.0
    for k, most in enumerate(downwards, 1):
        if most <= height:
            break
        total += most
        height = max(total / (k + 1), (total - step) / k)
    d = -np.maximum(lacking - height, 0.0)
    d[label] = -d.sum()
    # exercise 1.10: end
    return d


def multiclass_update(
    W: ArrayLike, x: ArrayLike, label: int, margin: float = 1, cost: ArrayLike | None = None, cap: float | None = None
) -> np.ndarray:
    """Return ``W`` changed as little as possible, so that class ``label`` wins on ``x`` by a margin.

    The Frobenius norm ‖W' − W‖ is minimal over all matrices W'. The solution is exact and costs O(K log K + J K). It is a new
    matrix (J, K), W + x dᵀ: equal to W if the margins are already met, and for x = 0. An InputError names an argument that does not fit.

    Parameters
    ----------
    W, x : arrays (J, K) and (J,)
        The scores are ``x @ W``. A model with intercepts passes its ``params`` and g(x) = (1, x).
    label, margin : the column y that has to win, s_y ≥ s_i + margin · ρ(i, y) for every i ≠ y; and a float ≥ 0
    cost : array (K, K) or (K,), optional
        ρ, with ``cost[i, y]`` the cost of predicting class i if y is true; or its column ρ(·, y). Default: 1 for every i ≠ y.
    cap : float > 0, optional
        C, the price of a unit of slack, so that d_y ≤ C. Default: no cap, every constraint is met.

    Examples
    --------
    >>> W, x = np.array([[0.90085352, 2.25573249, 0.25974194]]), np.array([1.0])
    >>> for label in range(3):
    ...     print((x @ multiclass_update(W, x, label)).round(5))
    [2.07829 1.07829 0.25974]
    [0.90085 2.25573 0.25974]
    [0.80544 0.80544 1.80544]
    """
    W, x = as_numbers(W, "W must be numbers"), as_numbers(x, "x must be numbers")
    if W.ndim != 2 or x.shape != W.shape[:1] or not (np.isfinite(W).all() and np.isfinite(x).all()):
        raise InputError(
            f"W (J, K) needs a row per feature of x (J,), all finite, but W has the shape {W.shape} and x {x.shape}"
        )
    n_classes = W.shape[1]
    label = check_number("label (a column of W)", label, at_least=0, at_most=n_classes - 1, whole=True)
    margin = check_number("margin", margin, at_least=0)
    step = NO_CAP if cap is None else check_number("cap", cap, above=0)
    costs = 1.0 - np.eye(n_classes) if cost is None else as_numbers(cost, f"the costs must be {n_classes} numbers")
    costs = costs[:, label] if costs.shape == (n_classes, n_classes) else costs
    if costs.shape != (n_classes,) or not np.isfinite(costs).all() or costs.min() < 0 or costs[label]:
        raise InputError(f"the costs must be {n_classes} numbers from 0 on, 0 of the true class, but are {cost!r}")
    return W + np.outer(x, squishing_rule(x @ W, label, x @ x, step, margin * costs))


@dataclass(eq=False, repr=False)
class ColumnSquishing(OnlineClassifier):
    """Online learning in which every step is the smallest change that gives the example its margin.

    Parameters
    ----------
    cap : float > 0, optional
        C, the maximum change of the weights of the true class along g(x) in one step: MIRA's 1/λ. Without a cap every step is
        complete.
    nr_rounds, averaged, seed, order, cost, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`. The margin against class i is ρ(i, y); default: 1.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> squishing = ColumnSquishing(cap=10.0)
    >>> params = squishing.train(X, y)
    >>> squishing.evaluate(y, squishing.test(X, params))
    1.0
    """

    name = "Column squishing"
    listed = {"Column squishing": {"colours": ("#5F5F5F", "#A6ACB6"), "dash": (2, 1), "order": 90}}
    rule = staticmethod(squishing_rule)

    cap: float | None = setting(None, "the C of column squishing", above=0)

    def steps(self, first: int, count: int) -> np.ndarray:
        return np.full(count, NO_CAP if self.cap is None else float(self.cap))
