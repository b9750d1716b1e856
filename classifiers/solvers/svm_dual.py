"""The optimum of the multi-class support vector machine by dual coordinate ascent, with a bound on the distance to the optimum.

The primal problem, with C = 1/(λM) in other books:

    min over W of  P(W) = (λ/2) ‖W‖² + (1/M) Σ_m max_k [s_k + ρ(k, y_m)] − s_{y_m},    s = g(x_m)ᵀ W

The maximum of K numbers is the maximum of their weighted means: max_k v_k = max over α of Σ_k α_k v_k, with α in the
simplex (α_k ≥ 0, Σ_k α_k = 1). With one such α_m for each example, and the order of min and max exchanged, the minimum
over W is at

    W(α) = 1/(λM) Σ_m g(x_m) (e_{y_m} − α_m)ᵀ

The dual problem remains, to be maximised over M simplices:

    D(α) = (1/M) Σ_m α_m · ρ(·, y_m) − (λ/2) ‖W(α)‖²

For any α and any W, D(α) ≤ P(W): the optimum lies between them, and their difference, the *duality gap*, bounds how
far W is from it. At W = W(α) the gap is a sum of one non-negative share for each example,

    P − D = (1/M) Σ_m max_k v_k − α_m · v_m,    v_m = s + ρ(·, y_m)

**A step** improves one α_m and fixes the others. D is then a quadratic function of α_m with the same curvature in all
directions, so its maximum over the simplex is a projection, exact and cheap (:func:`dual_step`). W is updated by
W ← W + 1/(λM) g(x_m) (α_m − α_m')ᵀ. α starts at α_m = e_{y_m}, with W = 0 and D = 0.

Three things make it fast:

* *over-relaxation*: a step goes 1.5 times as far as the maximum of the quadratic function. D still rises (for any factor
  between 0 and 2), and this saves about a third of the sweeps, as in Gauss-Seidel iterations for linear equations;
* *shrinking*: an example that had no share in the gap at its last two visits, usually because it is right by its
  margin, is skipped until the next measurement, which visits all examples;
* *measuring rarely*: a sweep gives an estimate of the gap, the sum of the shares at the visits, which is exact if W does
  not move. The gap is measured only when the estimate has fallen to a third.

The number of sweeps depends on the data: tens for text, which has many features; thousands for few features and overlapping
classes, if λ is small. A gap of 1e-3 is reached quickly; each further digit costs as much again or more.

Sources: K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2,
2001 (the dual); S. Keerthi et al., A sequential dual method for large scale multi-class linear SVMs, KDD 2008 (one
example at a time, shrinking); M. Blondel, A. Fujino, N. Ueda, Large-scale multiclass support vector machine training
via Euclidean projection onto the simplex, ICPR 2014 (the step as a projection); C. Michelot, A finite algorithm for
finding the projection of a point onto the canonical simplex of R^n, JOTA 50, 1986 (the method of the kernels); O.
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
MAX_IDLE_VISITS = 2  # visits without a share in the gap before an example is skipped
MAX_SWEEPS_PER_EPOCH = 8  # maximum number of sweeps of an epoch
GAP_REDUCTION_PER_EPOCH = 1 / 3  # an epoch ends when the estimated gap has fallen to this share
ROUNDING = 1e-9  # share of the objective: the gap that may remain when no step changes anything


class GapMeasurement(NamedTuple):
    """One epoch of the dual method, that is some sweeps and a measurement; an entry of ``history``.

    The optimum of the objective lies between ``dual`` and ``objective``.

    Examples
    --------
    >>> GapMeasurement(number=1, sweeps=3, updates=12, seconds=0.01, objective=0.75, dual=0.5).gap
    0.25
    """

    number: int  # 1, 2, …
    sweeps: int  # sweeps over the examples that were not skipped, in all epochs so far
    updates: int  # steps of this epoch that changed anything
    seconds: float  # training time so far, including measurements
    objective: float  # P(W)
    dual: float  # D(α)

    @property
    def gap(self) -> float:
        """P(W) − D(α) ≥ P(W) − P*: an upper bound on the distance of the objective from its optimum."""
        return self.objective - self.dual


def dual_step(
    alpha: np.ndarray, scores: np.ndarray, cost: np.ndarray, curvature: float, relaxation: float = 1.0
) -> np.ndarray:
    """Return the multipliers of one example after its step: argmax_α' D, with the multipliers of the other examples fixed.

    M · D changes by v · (α' − α) − (a/2) ‖α' − α‖², with v = s + ρ(·, y). The maximum over the simplex is the point of
    the simplex nearest to α + v/a.

    Parameters
    ----------
    alpha : array (K,), in the simplex
    scores : array (K,), s = g(x)ᵀ W
    cost : array (K,), ρ(·, y), the cost of predicting each class if y is true
    curvature : float > 0, a = ‖g(x)‖² / (λM)
    relaxation : float in (0, 2), factor of the step; 1 leads to the maximum

    Returns
    -------
    alpha : array (K,), in the simplex

    Examples
    --------
    The true class 0 is behind class 1. The example puts weight on class 1, so that this multiple of g(x) is added to
    class 0 and subtracted from class 1. With a smaller curvature all weight moves to class 1:

    >>> dual_step(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, -2.0]), np.array([0.0, 1.0, 1.0]), curvature=2.0)
    array([0.625, 0.375, 0.   ])
    >>> dual_step(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, -2.0]), np.array([0.0, 1.0, 1.0]), curvature=0.5)
    array([0., 1., 0.])
    """
    return project_on_simplex(alpha + relaxation * (scores + cost) / curvature)


def project_on_simplex(z: np.ndarray) -> np.ndarray:
    """Return the point of {α ≥ 0, Σ α = 1} nearest to ``z`` (K,): max(z − θ, 0), with θ such that the entries sum to 1.

    With z in descending order and r positive entries, θ = (z_1 + … + z_r − 1)/r; r is the largest number with z_r > θ.

    >>> project_on_simplex(np.array([0.75, 0.5, -3.0]))
    array([0.625, 0.375, 0.   ])
    """
    downwards = np.sort(z)[::-1]
    thetas = (np.cumsum(downwards) - 1) / np.arange(1, len(z) + 1)
    return np.maximum(z - thetas[downwards > thetas][-1], 0.0)


def train_dual(
    learner: Any, X: Any, y: ArrayLike | None, callback: Callable[..., object] | None, sample_weight: ArrayLike | None
) -> np.ndarray:
    """Return the parameters (J + 1, K) of an :class:`classifiers.svm.SVM` at its optimum; the arguments are the same as in ``SVM.train``.

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
    from tqdm.auto import tqdm  # progress bar

    from lxmls_day1.lab_api import Rows  # imported here because importing numba is slow

    X, labels, weights = learner._training_data(X, y, sample_weight)
    costs = learner._costs(len(learner.classes))
    rows = Rows(X, labels, len(costs), weights / weights.mean())
    learner.history, learner.nr_updates = [], 0
    settings = float(learner.regularizer), float(learner.tolerance), int(learner.max_epochs), learner._rng()
    with tqdm(desc=learner.get_name(), unit="epoch", disable=not learner.progress) as bar:
        for epoch, params, converged in solve_dual(rows, costs, *settings):  # noqa: B007  # the last value is used below
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
    return learner._trained(params)


def check_dual_settings(learner: Any) -> None:
    """Raise an InputError for settings of an SVM that are invalid with the dual solver: λ = 0, or an order.

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
) -> Iterator[tuple[GapMeasurement, np.ndarray, bool]]:
    """Sweep over the examples until the gap is at most ``tolerance`` times the objective.

    Parameters
    ----------
    rows : lxmls_day1.engine.loops.rows.Rows, M examples with J features and their labels; their sample weights have the mean 1
    costs : array (K, K), ``costs[p, y]`` the cost of predicting p if y is true
    regularizer : float > 0, λ
    tolerance : float > 0
    max_epochs : int ≥ 1
    rng : numpy.random.Generator, shuffles the examples before each sweep

    Yields
    ------
    epoch : GapMeasurement
    params : array (J + 1, K), a new one
    converged : bool

    Examples
    --------
    Points at 1 and −1, each of its own class: both weights are just large enough for the margin of 1.

    >>> from lxmls_day1.engine.loops.rows import Rows
    >>> rows = Rows(np.array([[1.0], [-1.0]]), np.array([1, 0]), 2)
    >>> *_, (epoch, params, converged) = solve_dual(rows, 1 - np.eye(2), 0.1, 1e-8, 50, np.random.default_rng(1))
    >>> params[1].round(3), bool(converged), epoch.gap <= 1e-8 * epoch.objective
    (array([-0.5,  0.5]), True, True)
    """
    n_examples, n_classes, two = len(rows.labels), rows.n_classes, rows.n_classes == 2
    row_costs, rests = np.ascontiguousarray(costs.T), np.zeros(n_examples, dtype=np.uint8)
    # Multipliers: α, or for two classes β with α = (1 − β, β), the true class first. Weights: W, or v of W = (−v/2, v/2).
    multipliers = np.zeros(n_examples) if two else np.eye(n_classes)[rows.labels]
    weights = np.zeros(rows.n_features + 1) if two else np.zeros((rows.n_features + 1, n_classes))
    settings, state = (row_costs, 1 / (regularizer * n_examples), RELAXATION), (multipliers, weights, rests)
    n_sweeps, dual, elsewhere, started = 0, 0.0, 0.0, time.perf_counter()
    for number in range(1, max_epochs + 1):
        n_steps, enough = 0, None
        for _ in range(MAX_SWEEPS_PER_EPOCH):
            order = rng.permutation(np.flatnonzero((rests < MAX_IDLE_VISITS) & (rows.shares > 0)))
            gap, steps = rows.svm_sweep(order, *settings, *state)
            estimate = gap / n_examples
            n_sweeps += 1
            n_steps += int(steps)
            if enough is None:
                enough = max(estimate * GAP_REDUCTION_PER_EPOCH, tolerance * dual)
            if estimate <= enough:
                break
        loss, cost = rows.svm_measure(row_costs, *state)
        penalty = regularizer / 2 * float((weights * weights).sum() / (2 if two else 1))
        objective, dual = loss / n_examples + penalty, cost / n_examples - penalty
        seconds = time.perf_counter() - started - elsewhere
        epoch = GapMeasurement(number, n_sweeps, n_steps, seconds, objective, dual)
        # If no step changed anything, each example is optimal up to rounding. Then W is optimal too, unless features overflow.
        converged = epoch.gap <= (tolerance if n_steps else max(tolerance, ROUNDING)) * objective
        yield epoch, np.column_stack([-weights / 2, weights / 2]) if two else weights.copy(), converged
        elsewhere = time.perf_counter() - started - seconds
        if converged or n_steps == 0:
            return
