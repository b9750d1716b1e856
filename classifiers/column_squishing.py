"""Column squishing: the least change of the weights after which the true class leads every other by its margin.

The step moves the weights by g(x) dᵀ and so the scores s by ‖g(x)‖² d. Class i ≠ y still lacks

    C_i = (s_i − s_y + ρ(i, y)) / ‖g(x)‖²

and the least change solves  min ½ Σ d_i²  such that  d_y ≥ d_i + C_i  for all i ≠ y. The rivals that move all come
down to one height θ:

    d_i = −max(0, C_i − θ),    d_y = Σ_{i ≠ y} max(0, C_i − θ),    θ = d_y

With the C_i sorted downwards and the first k of them above θ this reads θ = Σ_{i ≤ k} C_i / (k + 1): O(K log K) in all.

**With a cap** τ_max the step minimises ½ ‖W' − W‖² + τ_max ξ, where the true class may lead by ξ ≥ 0 less. Setting the derivative by ξ
to zero gives d_y ≤ τ_max, with equality where ξ > 0. Only the height changes, to the θ at which Σ max(0, C_i − θ) = τ_max, that is
θ = (Σ_{i ≤ k} C_i − τ_max) / k; of the two heights the greater one holds. With two classes this is PA-I. Unlike MIRA it looks at
every rival, and it also moves where the prediction is right but its margin too small.

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
    """The d (K,) of least length after which the true class leads class i by ρ(i, y), with ``step`` the cap on d_y.

    Two rivals are in the lead; both come down, and the true class goes up, until they are 1 apart, unless a cap of 1/2 ends it:

    >>> scores, cost = np.array([0.0, 3.0, 2.0, -5.0]), np.array([0.0, 1.0, 1.0, 1.0])
    >>> d = squishing_rule(scores, 0, 1.0, 100.0, cost)
    >>> scores + d
    array([ 2.33333333,  1.33333333,  1.33333333, -5.        ])
    >>> squishing_rule(scores, 0, 1.0, 0.5, cost)
    array([ 0.5, -0.5, -0. , -0. ])
    """
    if sq_norm == 0.0:  # no change of the weights moves the scores of x = 0
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
    """Change ``W`` as little as possible, so that class ``label`` wins on ``x`` by a margin.

    Least is meant in the Frobenius norm ‖W' − W‖, over all matrices W'; the answer is exact and costs O(K log K + J K). It is a new
    matrix (J, K), W + x dᵀ: equal to W where the margins are met already, and for x = 0. An InputError names what does not fit.

    Parameters
    ----------
    W, x : arrays (J, K) and (J,)
        The scores are ``x @ W``. A model with intercepts passes its ``params`` and g(x) = (1, x).
    label, margin : the column y that is to win, s_y ≥ s_i + margin · ρ(i, y) for every i ≠ y; and a float ≥ 0
    cost : array (K, K) or (K,), optional
        ρ, with ``cost[i, y]`` the cost of predicting class i where y is true; or its column ρ(·, y). 1 for every i ≠ y if not given.
    cap : float > 0, optional
        C, the price of a unit of slack, by which d_y ≤ C. Not given, every constraint is met.

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
    """The learner whose every step is the least change after which the example is right by its margin.

    Parameters
    ----------
    cap : float > 0, optional
        C, the most that the weights of the true class move along g(x) in one step: MIRA's 1/λ. Without one every step goes all the way.
    nr_rounds, averaged, seed, order, cost, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`. The margin against class i is ρ(i, y), 1 if no cost is given.

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
