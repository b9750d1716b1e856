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

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.checks import check_costs, check_number, check_sample_weight, random_numbers
from lxmls_day1.engine.examples import trained_with, training_data
from lxmls_day1.errors import InputError

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

    A warning tells when ``max_epochs`` did not suffice; an InputError is raised for what cannot be trained on.

    >>> from classifiers.svm import SVM
    >>> train_dual(SVM(regularizer=0.1, solver="dual"), [[1.0], [-1.0]], [1, 0], None, None)[1].round(2)
    array([-0.5,  0.5])
    """
    from lxmls_day1.engine.compiled import sparse_rows  # numba takes its time: imported by the first training

    learner.check_settings()
    X, labels = training_data(learner, X, y)
    costs = check_costs(learner.cost, len(learner.classes))
    weights = check_sample_weight(sample_weight, labels)
    shares = None if weights is None else weights / weights.mean()
    learner.history, learner.nr_updates = [], 0

    with _epoch_progress(learner) as show:

        def after_epoch(epoch: Epoch, params: np.ndarray) -> None:
            learner.history.append(epoch)
            learner.nr_updates += epoch.updates
            show(epoch)
            if callback:
                callback(epoch, params.copy(), params.copy())

        params, converged = solve_dual(
            sparse_rows.as_examples(X),
            labels,
            costs,
            float(learner.regularizer),
            float(learner.tolerance),
            int(learner.max_epochs),
            random_numbers(learner.seed),
            after_epoch,
            shares,
        )
    if not converged:
        last = learner.history[-1]
        warnings.warn(
            f"the dual solver was stopped after {last.number} epochs at a gap of {last.gap:.2g}, before it "
            f"reached its tolerance of {learner.tolerance:g} x {last.objective:.2g}; raise max_epochs, the tolerance "
            "or the regularizer, or scale the features down",
            stacklevel=3,
        )
    return trained_with(learner, params)


def check_dual_settings(learner: Any) -> None:
    """Raise an InputError for settings of an SVM that make no sense with the dual solver.

    >>> from classifiers.svm import SVM
    >>> check_dual_settings(SVM(regularizer=0.0, solver="dual"))
    Traceback (most recent call last):
    ...
    lxmls_day1.errors.InputError: regularizer (λ of the dual solver, whose C is 1/(λM)) must be ...
    """
    check_number("regularizer (λ of the dual solver, whose C is 1/(λM))", learner.regularizer, above=0)
    check_number("tolerance", learner.tolerance, above=0)
    check_number("max_epochs", learner.max_epochs, at_least=1, whole=True)
    if learner.order is not None:
        raise InputError(
            "order is for the subgradient solver; the dual one leaves examples out as it goes on, and draws "
            "its orders from the seed"
        )


@contextlib.contextmanager
def _epoch_progress(learner: Any) -> Iterator[Callable[[Epoch], None]]:
    """A function that shows an epoch, in a bar if ``progress`` is on."""
    if not learner.progress:
        yield lambda epoch: None
        return
    from tqdm.auto import tqdm

    with tqdm(desc=learner.get_name(), unit="epoch") as bar:

        def show(epoch: Epoch) -> None:
            bar.set_postfix(objective=f"{epoch.objective:.5g}", gap=f"{epoch.gap:.1g}", refresh=False)
            bar.update()

        yield show


def solve_dual(
    examples: Any,
    labels: np.ndarray,
    costs: np.ndarray,
    regularizer: float,
    tolerance: float,
    max_epochs: int,
    rng: np.random.Generator,
    after_epoch: Callable[[Epoch, np.ndarray], object],
    shares: np.ndarray | None = None,
) -> tuple[np.ndarray, bool]:
    """Sweep over the examples until the gap is at most ``tolerance`` times the objective.

    Parameters
    ----------
    examples : lxmls_day1.engine.compiled.sparse_rows.Examples, M of them with J features
    labels : int64 array (M,), columns 0 … K − 1
    costs : array (K, K), ``costs[p, y]`` the cost of predicting p where y is true
    regularizer : float > 0, λ
    tolerance : float > 0
    max_epochs : int ≥ 1
    rng : numpy.random.Generator, orders the examples anew for each sweep
    after_epoch : function (epoch, params), called after each epoch with a new matrix of parameters
    shares : float64 array (M,), optional, how much each example counts, of mean 1: its loss and its part of W(α)

    Returns
    -------
    params : array (J + 1, K)
    converged : bool

    Examples
    --------
    Points at 1 and −1, each of its own class: both weights are just as large as the margin of 1 wants them.

    >>> from lxmls_day1.engine.compiled.sparse_rows import as_examples
    >>> examples, labels, costs = as_examples(np.array([[1.0], [-1.0]])), np.array([1, 0]), 1 - np.eye(2)
    >>> epochs = []
    >>> keep = lambda epoch, params: epochs.append(epoch)
    >>> params, converged = solve_dual(examples, labels, costs, 0.1, 1e-8, 50, np.random.default_rng(1), keep)
    >>> params[1].round(3), bool(converged), epochs[-1].gap <= 1e-8 * epochs[-1].objective
    (array([-0.5,  0.5]), True, True)
    """
    problem = _Problem(examples, labels, costs, regularizer, shares)
    n_sweeps, dual, elsewhere, started = 0, 0.0, 0.0, time.perf_counter()
    for number in range(1, max_epochs + 1):
        n_steps, enough = 0, None
        for _ in range(MOST_SWEEPS):
            estimate, steps = problem.sweep(rng)
            n_sweeps += 1
            n_steps += steps
            if enough is None:
                enough = max(estimate * WORTH_MEASURING, tolerance * dual)
            if estimate <= enough:
                break
        objective, dual = problem.measure()
        seconds = time.perf_counter() - started - elsewhere
        epoch, params = Epoch(number, n_sweeps, n_steps, seconds, objective, dual), problem.params()
        after_epoch(epoch, params)
        elsewhere = time.perf_counter() - started - seconds
        if n_steps == 0:  # each example is at its best, up to rounding; so is W, unless features overflow
            return params, epoch.gap <= max(tolerance, ROUNDING) * objective
        if epoch.gap <= tolerance * objective:
            return params, True
    return params, False


class _Problem:
    """The state of the method: multipliers and weights, as the kernels for two or for many classes keep them."""

    def __init__(self, examples, labels, costs, regularizer, shares):
        n_examples, n_classes, n_rows = len(labels), len(costs), examples.n_features + 1
        self.examples, self.labels, self.regularizer = examples, labels, regularizer
        self.costs = np.ascontiguousarray(costs.T)  # row y: ρ(·, y)
        self.rests = np.zeros(n_examples, dtype=np.uint8)
        self.shares = np.ones(n_examples) if shares is None else shares
        self.two_classes = n_classes == 2
        if self.two_classes:
            self.multipliers, self.weights = np.zeros(n_examples), np.zeros(n_rows)
        else:
            self.multipliers, self.weights = np.zeros((n_examples, n_classes)), np.zeros((n_rows, n_classes))
            self.multipliers[np.arange(n_examples), labels] = 1.0

    def sweep(self, rng):
        """One step for each example that is not left out, in random order: (estimated gap, steps that changed)."""
        from lxmls_day1.engine.compiled import svm_sweeps

        order = rng.permutation(np.flatnonzero((self.rests < PATIENCE) & (self.shares > 0)))
        unit = 1 / (self.regularizer * len(self.labels))
        gap, n_steps = svm_sweeps.take_sweep(
            self.examples, labels=self.labels, order=order, costs=self.costs, unit=unit, relaxation=RELAXATION,
            multipliers=self.multipliers, weights=self.weights, rests=self.rests, shares=self.shares,
        )  # fmt: skip
        return gap / len(self.labels), int(n_steps)

    def measure(self):
        """(P(W), D(α)) exactly; wakes the examples that have a share in the gap again."""
        from lxmls_day1.engine.compiled import svm_sweeps

        loss, cost = svm_sweeps.measure_all(
            self.examples, labels=self.labels, costs=self.costs,
            multipliers=self.multipliers, weights=self.weights, rests=self.rests, shares=self.shares,
        )  # fmt: skip
        sq_norm = (self.weights * self.weights).sum() / (2 if self.two_classes else 1)  # W = (−v/2, v/2)
        penalty = self.regularizer / 2 * float(sq_norm)
        return float(loss) / len(self.labels) + penalty, float(cost) / len(self.labels) - penalty

    def params(self):
        """The weight matrix W (J + 1, K), a new array."""
        v = self.weights
        return np.column_stack([-v / 2, v / 2]) if self.two_classes else v.copy()
