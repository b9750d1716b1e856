"""The optimum of the multi-class support vector machine by dual coordinate ascent, with a proof of how near it is.

The primal problem, with C = 1/(λM) in other books:

    min over W of  P(W) = (λ/2) ‖W‖² + (1/M) Σ_m max_k [s_k + ρ(k, y_m)] − s_{y_m},    s = g(x_m)ᵀ W

A maximum over K numbers is the largest of their weighted means: max_k v_k = max over α of Σ_k α_k v_k, with α in the
simplex (α_k ≥ 0, Σ_k α_k = 1). With one such α_m for each example, and the order of min and max exchanged, the minimum
over W is taken at

    W(α) = 1/(λM) Σ_m g(x_m) (e_{y_m} − α_m)ᵀ

and what is left is the dual problem, to be maximised over M simplices:

    D(α) = (1/M) Σ_m α_m · ρ(·, y_m) − (λ/2) ‖W(α)‖²

For any α and any W, D(α) ≤ P(W): the optimum lies between them, and their difference, the *duality gap*, bounds how
far W is from it. At W = W(α) the gap falls apart into one share for each example, none of them negative,

    P − D = (1/M) Σ_m max_k v_k − α_m · v_m,    v_m = s + ρ(·, y_m)

**A step** improves one α_m and leaves the others alone. D is then a parabola in α_m with the same curvature in all
directions, so that its maximum over the simplex is a projection, exact and cheap (:func:`dual_step`); W follows by
W ← W + 1/(λM) g(x_m) (α_m − α_m')ᵀ. α starts at α_m = e_{y_m}, where W = 0 and D = 0.

Three things make it fast:

* *over-relaxation*: a step goes 1.5 times as far as the maximum of the parabola. D still rises (it does for any factor
  between 0 and 2), and about a third of the sweeps are saved, as in Gauss-Seidel iterations for linear equations;
* *shrinking*: an example that had no share in the gap at its last two visits, most often one that is right by its
  margin, is left out until the next measurement, which looks at all of them;
* *measuring rarely*: a sweep tells the gap roughly, since the shares at the visits sum to it if W hardly moves. Only
  when that estimate has fallen to a third is the gap measured.

How many sweeps it takes depends on the data: tens for text, whose features are many; thousands for a handful of features
whose examples overlap, if λ is small. A gap of 1e-3 is soon reached, each further digit costs as much again or more.

Sources: K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2,
2001 (the dual); S. Keerthi et al., A sequential dual method for large scale multi-class linear SVMs, KDD 2008 (one
example at a time, shrinking); M. Blondel, A. Fujino, N. Ueda, Large-scale multiclass support vector machine training
via Euclidean projection onto the simplex, ICPR 2014 (the step as a projection); C. Michelot, A finite algorithm for
finding the projection of a point onto the canonical simplex of R^n, JOTA 50, 1986 (as the kernels find it); O.
Mangasarian, D. Musicant, Successive overrelaxation for support vector machines, IEEE Transactions on Neural Networks
10, 1999.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.lab_api import InputError, check_number

RELAXATION = 1.5  # on text, 1.4 to 1.7 took the fewest sweeps for two classes and for twenty
PATIENCE = 2  # visits without a share in the gap before an example is left out
MOST_SWEEPS = 8  # of one epoch
WORTH_MEASURING = 1 / 3  # an epoch ends when its sweeps see the gap fall to this share
ROUNDING = 1e-9  # of the objective: what may remain of the gap where no step is left


class Epoch(NamedTuple):
    """One epoch of the dual method, some sweeps and a measurement; ``history`` keeps one of these for each.

    The optimum of the objective lies between ``dual`` and ``objective``.

    Examples
    --------
    >>> Epoch(number=1, sweeps=3, updates=12, seconds=0.01, objective=0.75, dual=0.5).gap
    0.25
    """

    number: int  # 1, 2, …
    sweeps: int  # over the examples that were not left out, in all epochs so far
    updates: int  # steps of this epoch that changed anything
    seconds: float  # of training so far, measurements included
    objective: float  # P(W)
    dual: float  # D(α)

    @property
    def gap(self) -> float:
        """P(W) − D(α) ≥ P(W) − P*: how far the objective is from its optimum at most."""
        return self.objective - self.dual


def dual_step(
    alpha: np.ndarray, scores: np.ndarray, cost: np.ndarray, curvature: float, relaxation: float = 1.0
) -> np.ndarray:
    """The multipliers of one example after its step: argmax_α' D, the other examples' multipliers as they are.

    M · D changes by v · (α' − α) − (a/2) ‖α' − α‖², with v = s + ρ(·, y): the maximum over the simplex is the point of
    the simplex next to α + v/a.

    Parameters
    ----------
    alpha : array (K,), in the simplex
    scores : array (K,), s = g(x)ᵀ W
    cost : array (K,), ρ(·, y), the cost of each class where y is true
    curvature : float > 0, a = ‖g(x)‖² / (λM)
    relaxation : float in (0, 2), how far to go; with 1 to the maximum

    Returns
    -------
    alpha : array (K,), in the simplex

    Examples
    --------
    The true class 0 is behind class 1; the example puts weight on class 1, and next time g(x) will be added to
    class 0 and taken from class 1 by that much. A flatter parabola lets it go all the way:

    >>> dual_step(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, -2.0]), np.array([0.0, 1.0, 1.0]), curvature=2.0)
    array([0.625, 0.375, 0.   ])
    >>> dual_step(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, -2.0]), np.array([0.0, 1.0, 1.0]), curvature=0.5)
    array([0., 1., 0.])
    """
    return project_on_simplex(alpha + relaxation * (scores + cost) / curvature)


def project_on_simplex(z: np.ndarray) -> np.ndarray:
    """The point of {α ≥ 0, Σ α = 1} next to ``z`` (K,): max(z − θ, 0), with θ such that the entries sum to 1.

    With z sorted downwards and the r largest kept, θ = (z_1 + … + z_r − 1)/r; r is the largest for which z_r > θ.

    >>> project_on_simplex(np.array([0.75, 0.5, -3.0]))
    array([0.625, 0.375, 0.   ])
    """
    downwards = np.sort(z)[::-1]
    thetas = (np.cumsum(downwards) - 1) / np.arange(1, len(z) + 1)
    return np.maximum(z - thetas[downwards > thetas][-1], 0.0)


def train_dual(
    learner: Any, X: Any, y: ArrayLike | None, callback: Callable[..., object] | None, sample_weight: ArrayLike | None
) -> np.ndarray:
    """The parameters (J + 1, K) of an :class:`classifiers.svm.SVM` at its optimum; its arguments are those of ``SVM.train``.

    Raises
    ------
    InputError
        For data that cannot be trained on.

    Examples
    --------
    >>> from lxmls_day1.classifiers import SVM
    >>> train_dual(SVM(0.1, "dual"), [[1.0], [-1.0]], [1, 0], None, None)[1].round(3)
    array([-0.5,  0.5])
    """
    from tqdm.auto import tqdm  # for whoever waits

    from lxmls_day1.lab_api import Rows  # numba takes its time: imported by the first training

    X, labels, weights = learner._training_data(X, y, sample_weight)
    costs = learner._costs(len(learner.classes))
    rows = Rows(X, labels, len(costs), weights / weights.mean())
    learner.history, learner.nr_updates = [], 0
    settings = float(learner.regularizer), float(learner.tolerance), int(learner.max_epochs), learner._rng()
    with tqdm(desc=learner.get_name(), unit="epoch", disable=not learner.progress) as bar:
        for epoch, params, converged in solve_dual(rows, costs, *settings):  # noqa: B007  # that of the last is what counts
            learner.history.append(epoch)
            learner.nr_updates += epoch.updates
            bar.set_postfix(objective=f"{epoch.objective:.5g}", gap=f"{epoch.gap:.1g}", refresh=False)
            bar.update()
            if callback:
                callback(epoch, params.copy(), params.copy())
    if not converged:
        warnings.warn(
            f"the dual solver was stopped after {epoch.number} epochs at a gap of {epoch.gap:.2g}, before it "
            f"reached its tolerance of {learner.tolerance:g} x {epoch.objective:.2g}; raise max_epochs, the tolerance "
            "or the regularizer, or scale the features down",
            stacklevel=3,
        )
    trained: np.ndarray = learner._trained(params)
    return trained


def check_dual_settings(learner: Any) -> None:
    """Raise an InputError for settings of an SVM that make no sense with the dual solver: λ = 0, or an order.

    Examples
    --------
    >>> from lxmls_day1.classifiers import SVM
    >>> check_dual_settings(SVM(0.0, "dual"))
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: regularizer (λ of the dual solver, whose C is 1/(λM)) must be ...
    """
    check_number("regularizer (λ of the dual solver, whose C is 1/(λM))", learner.regularizer, above=0)
    if learner.order is not None:
        raise InputError(
            "order is for the subgradient solver; the dual one leaves examples out as it goes on, and draws "
            "its orders from the seed"
        )


def solve_dual(
    rows: Any, costs: np.ndarray, regularizer: float, tolerance: float, max_epochs: int, rng: np.random.Generator
) -> Iterator[tuple[Epoch, np.ndarray, bool]]:
    """Sweep over the examples until the gap is at most ``tolerance`` times the objective.

    Parameters
    ----------
    rows : lxmls_day1.engine.loops.rows.Rows, M examples with J features and their labels; their shares are of mean 1
    costs : array (K, K), ``costs[p, y]`` the cost of predicting p where y is true
    regularizer : float > 0, λ
    tolerance : float > 0
    max_epochs : int ≥ 1
    rng : numpy.random.Generator, orders the examples anew for each sweep

    Yields
    ------
    epoch : Epoch
    params : array (J + 1, K), a new one
    converged : bool

    Examples
    --------
    Points at 1 and −1, each of its own class: both weights are just as large as the margin of 1 wants them.

    >>> from lxmls_day1.engine.loops.rows import Rows
    >>> rows = Rows(np.array([[1.0], [-1.0]]), np.array([1, 0]), 2)
    >>> *_, (epoch, params, converged) = solve_dual(rows, 1 - np.eye(2), 0.1, 1e-8, 50, np.random.default_rng(1))
    >>> params[1].round(3), bool(converged), epoch.gap <= 1e-8 * epoch.objective
    (array([-0.5,  0.5]), True, True)
    """
    n_examples, n_classes, two = len(rows.labels), rows.n_classes, rows.n_classes == 2
    row_costs, rests = np.ascontiguousarray(costs.T), np.zeros(n_examples, dtype=np.uint8)
    # α, or of two classes β with α = (1 − β, β) as seen from the true one; W, or v of W = (−v/2, v/2)
    multipliers = np.zeros(n_examples) if two else np.eye(n_classes)[rows.labels]
    weights = np.zeros(rows.n_features + 1) if two else np.zeros((rows.n_features + 1, n_classes))
    n_sweeps, dual, elsewhere, started = 0, 0.0, 0.0, time.perf_counter()
    for number in range(1, max_epochs + 1):
        n_steps, enough = 0, None
        for _ in range(MOST_SWEEPS):
            order = rng.permutation(np.flatnonzero((rests < PATIENCE) & (rows.shares > 0)))
            gap, steps = rows.svm_sweep(
                order, row_costs, 1 / (regularizer * n_examples), RELAXATION, multipliers, weights, rests
            )
            estimate = gap / n_examples
            n_sweeps += 1
            n_steps += int(steps)
            if enough is None:
                enough = max(estimate * WORTH_MEASURING, tolerance * dual)
            if estimate <= enough:
                break
        loss, cost = rows.svm_measure(row_costs, multipliers, weights, rests)
        penalty = regularizer / 2 * float((weights * weights).sum() / (2 if two else 1))
        objective, dual = loss / n_examples + penalty, cost / n_examples - penalty
        seconds = time.perf_counter() - started - elsewhere
        epoch = Epoch(number, n_sweeps, n_steps, seconds, objective, dual)
        # without a step each example is at its best, up to rounding; so is W, unless features overflow
        converged = epoch.gap <= (tolerance if n_steps else max(tolerance, ROUNDING)) * objective
        yield epoch, np.column_stack([-weights / 2, weights / 2]) if two else weights.copy(), converged
        elsewhere = time.perf_counter() - started - seconds
        if converged or n_steps == 0:
            return
