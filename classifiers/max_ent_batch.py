"""Maximum entropy (multinomial logistic regression), trained to its optimum on all examples at a time.

    F(W) = −(1/M) Σ log p_W(y^m | x^m) + (λ/2) ‖W‖²,    p_W(y | x) = softmax(g(x)ᵀ W)_y
    ∇F(W) = (1/M) Gᵀ (P − Y) + λ W

F is convex and smooth. With λ > 0 it is also λ-strongly convex, so that F(W) − F* ≤ ‖∇F(W)‖² / (2λ): the gradient bounds
the distance to the optimum, and training stops when this bound is small enough.

For two classes the optimum is antisymmetric, w_1 = −w_0. So only one vector v = w_1 − w_0 is fitted, with the penalty
(λ/4) ‖v‖², which gives the same F.

With ``penalty="l1"`` the penalty is λ Σ |w_jk| in place of (λ/2) ‖W‖². Its optimum is sparse: most weights are exactly 0
(``owl_qn.py``, ``newton_l1.py``). For two classes the fitted vector v costs λ ‖v‖₁.

Five solvers find the optimum, each in its own file: ``lbfgs.py`` is fast on any data, ``max_ent_dual.py`` is several times faster on
text with λ > 0, ``conjugate_gradient.py`` stores only three vectors, ``gradient_descent.py`` is the guide's, and
``iterative_scaling.py`` is the historical method. All start at W = 0. ``solver="auto"`` chooses between the first two.

Sources: the guide, eq. 1.27-1.33 and algorithm 4; J. Nocedal, S. Wright, Numerical Optimization, 2006.
"""

import functools
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from classifiers.losses import log_loss
from classifiers.max_ent_model import MaxEntModel
from classifiers.solvers.conjugate_gradient import conjugate_gradient
from classifiers.solvers.gradient_descent import gradient_descent
from classifiers.solvers.iterative_scaling import scale_max_ent
from classifiers.solvers.lbfgs import lbfgs
from classifiers.solvers.max_ent_dual import ROUNDING, ascend_dual
from classifiers.solvers.newton_l1 import newton_l1
from classifiers.solvers.owl_qn import owl_qn
from lxmls_day1.lab_api import InputError, setting

SOLVERS = ("auto", "lbfgs", "dual", "conjugate_gradient", "gradient_descent", "gis")
MAX_PAIR_BYTES = 2**26  # memory for the pairs of L-BFGS: 64 MB hold 20 pairs of up to 200,000 weights
MAX_REMAINING_SWEEPS = 40  # if dual ascent needs more remaining sweeps than this, L-BFGS starts from scratch
# Share of the objective, or of the first gradient: training that ends farther from the optimum gives a warning.
WARN_TOLERANCE = 1e-3


class Iteration(NamedTuple):
    """One iteration of the solver, an entry of ``history`` (for the dual solver: one entry for each measurement).

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> learner = MaxEntBatch(regularizer=0.1)
    >>> params = learner.train(X, y)
    >>> last = learner.history[-1]
    >>> last.number == len(learner.history), round(last.objective, 6) == round(learner.objective(X, y, params), 6)
    (True, True)
    """

    number: int  # 1, 2, …; for the dual solver: sweeps so far
    seconds: float  # since training began
    objective: float  # F(W)


@dataclass(eq=False, repr=False)
class MaxEntBatch(MaxEntModel, LinearClassifier):
    """The maximum-entropy model, trained to its optimum.

    Parameters
    ----------
    regularizer : float ≥ 0
        λ. Default: 1, or 0 with ``solver="gis"``, which supports no other value. scikit-learn's C is 1/(λM), for two classes 2/(λM).
        With λ = 0 and separable data there is no optimum: the weights grow until ``max_iterations``.
    tolerance : float > 0
        Training stops when F(W) is certainly within this share of the optimum; 1e-8 takes five times as long and rarely
        changes a label. Without this bound (λ = 0, or intercepts without a penalty) training stops when ‖∇F(W)‖ has fallen to this share
        of its first value.
    max_iterations : int ≥ 1
        A warning reports that the iterations did not suffice. An iteration of the dual solver is a sweep over the examples.
    regularize_intercept : bool
        Whether ‖W‖² includes the intercepts, as in the guide.
    solver : "auto", "lbfgs", "dual", "conjugate_gradient", "gradient_descent" or "gis"
        "auto" is the fastest: dual ascent on sparse data if it is applicable and converges quickly, otherwise L-BFGS. "dual" is dual
        coordinate ascent, for λ > 0 and regularized intercepts; it needs M x K numbers in addition to the weights.
        "conjugate_gradient" is non-linear conjugate gradient, which needs least memory. "gradient_descent" uses Armijo's rule. "gis" is
        generalized iterative scaling, for non-negative features and no regularization.
    n_jobs : int, default 1
        Number of threads of L-BFGS, conjugate gradient and gradient descent, each for a part of the examples. The result depends on
        this number, by rounding only.
    penalty : "l2" or "l1"
        (λ/2) ‖W‖², or λ Σ |w_jk| for sparse weights, with "auto" or "lbfgs" only. With "l1" scikit-learn's C is 1/(λM), and training stops
        when the slope of F has fallen to the share ``tolerance`` of its first value.

    Attributes
    ----------
    history : list of :class:`Iteration`

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> maxent = MaxEntBatch(regularizer=0.1)
    >>> params = maxent.train(X, y)
    >>> maxent.evaluate(y, maxent.test(X, params))
    1.0
    >>> maxent.get_probabilities([[3.0, 0.0]], params).round(2)
    array([[0.99, 0.01]])

    Every solver finds the same optimum, with more or fewer iterations:

    >>> descent = MaxEntBatch(regularizer=0.1, solver="gradient_descent")
    >>> np.allclose(descent.train(X, y), params, atol=1e-2)
    True
    >>> len(maxent.history) < len(descent.history)
    True
    """

    name = "Maximum entropy, batch"
    listed = {
        "Maximum entropy": {"colours": ("#00696B", "#00C8C8"), "dash": (4, 1.2, 1, 1.2, 1, 1.2)},
        "Maximum entropy, optimum": {"order": 130, "settings": {"regularizer": 2.0, "solver": "dual"}},
        "Maximum entropy, sparse": {
            "colours": ("#26505A", "#49A9A4"),
            "dash": (1.5, 2),
            "order": 140,
            "settings": {"regularizer": 0.5, "penalty": "l1"},
        },
    }

    regularizer: float | None = setting(None, "λ", at_least=0)
    tolerance: float = setting(1e-4, above=0)
    max_iterations: int = setting(1000, at_least=1, whole=True)
    regularize_intercept: bool = setting(True)
    solver: str = setting("auto", one_of=SOLVERS)
    n_jobs: int = setting(1, at_least=1, whole=True)
    penalty: str = setting("l2", one_of=("l2", "l1"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.regularizer is None:
            # `check_settings` refuses a solver that is not a string. Comparing an array with "gis" would give no Boolean.
            self.regularizer = 0.0 if isinstance(self.solver, str) and self.solver == "gis" else 1.0
        self.history: list[Iteration] = []

    def train(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Minimise F.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels
        sample_weight : M numbers ≥ 0, optional
            The weight of the loss of each example in the mean. Default: equal weights.

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For hyper-parameters out of range, data that cannot be trained on, and with ``solver="gis"`` for a negative
            feature or a regularizer.
        """
        X, labels, weights = self._training_data(X, y, sample_weight)
        shares = weights / weights.mean()  # (M,), of mean 1
        others = {"auto": self._solve_auto, "gis": self._solve_scaling, "dual": self._solve_dual}
        solve = others.get(self.solver, self._solve_descent)
        params = self._run_solver(solve(X, labels, shares))
        at_zero = np.log(len(self.classes))  # F at W = 0, where the L1 penalty may keep W
        loss = self.history[-1].objective - self.penalty_of(params) if self.history else at_zero
        self._warn_of_penalty(at_zero, loss, len(labels))
        return params

    def minimise(self, log_loss: Any) -> np.ndarray:
        """Return the parameters (J + 1, K) that minimise F, by L-BFGS, conjugate gradient or gradient descent.

        Parameters
        ----------
        log_loss : function (W) -> loss, gradient
            The sum of the log losses of all examples: :class:`lxmls_day1.engine.kernels.batch.LogLoss`, or an equivalent function.
        """
        return self._run_solver(self._solve_descent(log_loss))

    def _run_solver(self, points):
        """Run a solver to its end, save its iterations as ``history``, and return the parameters of its last point."""
        self.history, started = [], time.perf_counter()
        # Linear algebra on vectors of this length gains nothing from threads, and idle threads that spin take CPU time from the others.
        with self._single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for point in points:
                if point.number > 0:  # 0 is the start
                    self.history.append(Iteration(point.number, time.perf_counter() - started, float(point.objective)))
                if point.converged or point.number == self.max_iterations:
                    break
        if not point.converged and (point.number == self.max_iterations or not point.near):
            self._warn_of_early_end(point.number)
        return self._trained(point.params())

    def _warn_of_early_end(self, n_iterations):
        """Warn that the optimum was not reached, and suggest a remedy."""
        after = f"after {n_iterations} iteration{'s' * (n_iterations != 1)}"
        if n_iterations == self.max_iterations:
            better = "" if self.solver in ("auto", "lbfgs") else ', or use solver="lbfgs"'
            remedy = f"raise max_iterations or the tolerance{better}"
        else:
            after += ", where rounding errors left no better point,"
            remedy = "scale the features down, or raise the tolerance"
        warnings.warn(
            f"maximum entropy was stopped {after} before it reached its tolerance of {self.tolerance:g}; {remedy}",
            stacklevel=4,
        )

    def check_settings(self) -> None:
        """Raise an InputError for invalid hyper-parameters; ``train`` calls this first."""
        super().check_settings()
        penalty = self.regularizer
        if penalty is None:
            raise InputError("regularizer (λ) must be a number of at least 0, but is None")
        if self.penalty == "l1" and self.solver not in ("auto", "lbfgs"):
            raise InputError(
                f'penalty="l1" has corners, which only solver="auto" and "lbfgs" can handle, but the solver is {self.solver!r}'
            )
        if self.solver == "dual" and not self._regularizes_all_weights():
            raise InputError(
                "the dual solver needs every weight regularized: regularizer above 0 and regularize_intercept=True, but they are "
                f'{self.regularizer!r} and {self.regularize_intercept!r}; change them, or use solver="lbfgs"'
            )
        if self.solver == "gis" and penalty:
            raise InputError(
                'iterative scaling has no regularization: regularizer must be 0 with solver="gis", but is '
                f'{self.regularizer!r}; set it to 0, or use solver="lbfgs" or "gradient_descent"'
            )

    def objective(self, X: Any, y: ArrayLike, params: ArrayLike) -> float:
        """Return F at ``params`` (J + 1, K), for examples ``X`` (M, J) with labels ``y``.

        Raises
        ------
        InputError
            If X, y and params do not fit together, or a setting is invalid.
        """
        self.check_settings()
        X, labels, params = self._labelled(X, y, params)
        return float(self.losses(self.scores_of_rows(X, params), labels).mean() + self.penalty_of(params))

    def losses(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the log loss of each example (M,) from scores (M, K) and true columns (M,)."""
        return log_loss(scores, labels)

    def penalty_of(self, params: np.ndarray) -> float:
        """Return (λ/2) ‖W‖², or λ Σ |w_jk|, of the parameters (J + 1, K)."""
        penalized = params if self.regularize_intercept else params[1:]
        size = np.abs(penalized).sum() if self.penalty == "l1" else (penalized**2).sum() / 2
        return float(self.regularizer * size)

    def _regularizes_all_weights(self):
        return self.regularizer > 0 and self.regularize_intercept and self.penalty == "l2"

    def _solve_auto(self, X, labels, sample_weights):
        from lxmls_day1.lab_api import Rows  # imported here because importing numba is slow

        n_sweeps, rows = 0, Rows(X, labels, len(self.classes), sample_weights)
        if self.penalty == "l1" and self.regularizer > 0 and len(self.classes) == 2 and rows.suit_single_steps():
            yield from self._solve_newton(rows)
            return
        if self._regularizes_all_weights() and rows.suit_single_steps():
            for point in self._solve_dual(X, labels, sample_weights, MAX_REMAINING_SWEEPS):
                yield point
            if point.converged:
                return
            n_sweeps = point.number
        # The descent starts from W = 0, because slow sweeps leave W far from the optimum.
        for point in self._solve_descent(X, labels, sample_weights):
            if point.number or point.converged or not n_sweeps:
                yield point._replace(number=n_sweeps + point.number)

    def _solve_descent(self, X, labels=None, sample_weights=None):
        regularizer = float(self.regularizer) if self.penalty == "l2" else 0.0
        intercept, n_jobs = bool(self.regularize_intercept), int(self.n_jobs)
        problem = MaxEntObjective(X, labels, len(self.classes), regularizer, intercept, sample_weights, n_jobs)
        start = np.zeros(problem.size)
        if self.solver in ("auto", "lbfgs"):
            memory = min(20, max(3, MAX_PAIR_BYTES // (16 * problem.size)))
            if self.penalty == "l1":
                penalties = np.full(problem.size, float(self.regularizer))
                penalties[: problem.n_free] = 0.0
                path = owl_qn(problem, start, penalties, problem.diagonal(), memory)
            else:
                path = lbfgs(problem, start, problem.diagonal(), memory)
        elif self.solver == "conjugate_gradient":
            path = conjugate_gradient(problem, start, problem.diagonal())
        else:
            path = gradient_descent(problem, start)
        first_norm = None
        for number, (x, value, gradient, *_) in enumerate(path):
            norm = math.sqrt(gradient @ gradient)
            first_norm = norm if first_norm is None else first_norm
            if problem.convexity > 0:
                off, of = norm**2 / (2 * problem.convexity), value
            else:
                off, of = norm, first_norm
            arrived, near = (off <= share * of < np.inf for share in (self.tolerance, WARN_TOLERANCE))
            yield _SolverState(number, functools.partial(problem.params, x), value, arrived, near)

    def _solve_newton(self, rows):
        penalties = np.full(rows.n_features + 1, float(self.regularizer))
        penalties[0] *= bool(self.regularize_intercept)
        first = None
        for number, (v, value, slope) in enumerate(newton_l1(rows, penalties, np.random.default_rng(1))):
            norm = float(np.linalg.norm(slope))
            first = norm if first is None else first
            arrived, near = (norm <= share * first < np.inf for share in (self.tolerance, WARN_TOLERANCE))
            yield _SolverState(number, functools.partial(_two_class_weights, v[:, None]), value, arrived, near)

    def _solve_dual(self, X, labels, sample_weights, max_remaining=np.inf):
        from lxmls_day1.lab_api import Rows  # imported here because importing numba is slow

        n_classes, tolerance = len(self.classes), max(float(self.tolerance), ROUNDING)
        rows, rng = Rows(X, labels, n_classes, sample_weights), np.random.default_rng(1)
        path = ascend_dual(rows, float(self.regularizer), tolerance, int(self.max_iterations), rng, max_remaining)
        for sweeps, objective, dual, weights in path:
            params = functools.partial(_two_class_weights if rows.n_classes == 2 else np.copy, weights)
            arrived, near = (objective - dual <= share * objective for share in (tolerance, WARN_TOLERANCE))
            yield _SolverState(sweeps, params, objective, arrived, near)

    def _solve_scaling(self, X, labels, sample_weights):
        first_mismatch, path = None, scale_max_ent(X, labels, len(self.classes), sample_weights)
        for number, (weights, objective, mismatch) in enumerate(path):
            first_mismatch = mismatch if first_mismatch is None else first_mismatch
            arrived, near = (mismatch <= share * first_mismatch for share in (self.tolerance, WARN_TOLERANCE))
            yield _SolverState(number, functools.partial(np.copy, weights), objective, arrived, near)


class _SolverState(NamedTuple):
    """The state of a solver after an iteration."""

    number: int  # iterations so far
    params: Callable[[], np.ndarray]  # returns a copy of the current W (J + 1, K)
    objective: float
    converged: bool  # True if the optimum is reached up to the tolerance
    near: bool  # True if the distance is at most `WARN_TOLERANCE`, which rounding allows for features of ordinary size


class MaxEntObjective:
    """F and its gradient as a function of one flat vector, in the form that an optimiser needs.

    Its parameters are examples ``X`` (M, J) with their columns ``labels`` and sample weights ``sample_weights``
    (M,). If ``labels`` is None, ``X``
    is a loss function that already sums over its own examples.

    Attributes
    ----------
    size : int
        The length of the flat vector.
    convexity : float
        A constant such that F(x) ≥ F(x*) + (convexity/2) ‖x − x*‖²; 0 if no positive constant is known.

    Examples
    --------
    Two classes have one column of weights, v, with W = (−v/2, v/2). At 0 both classes are equally likely. The slope along the weight of x
    is the mean of −x/2 for examples of class 1 and x/2 for examples of class 0:

    >>> F = MaxEntObjective(np.array([[2.0], [-4.0]]), np.array([1, 0]), 2, 0.0, True)
    >>> value, gradient = F(np.zeros(F.size))
    >>> round(float(value), 4), gradient.round(6)
    (0.6931, array([ 0. , -1.5]))
    >>> F.params(np.array([2.0, 4.0]))
    array([[-1.,  1.],
           [-2.,  2.]])
    """

    def __init__(
        self,
        X: Any,
        labels: np.ndarray | None,
        n_classes: int,
        regularizer: float,
        regularize_intercept: bool,
        sample_weights: np.ndarray | None = None,
        n_jobs: int = 1,
    ) -> None:
        n_columns = 1 if n_classes == 2 else n_classes
        loss = X
        if labels is not None:
            from lxmls_day1.lab_api import Rows  # imported here because importing numba is slow

            loss = Rows(X, labels, n_classes, sample_weights).log_loss(n_columns, n_jobs)
        self.log_loss, self.n_examples, n_features = loss, loss.n_examples, loss.n_features
        self.n_classes, self.shape = n_classes, (n_features + 1, n_columns)
        self.size = self.shape[0] * n_columns
        # Two classes: (λ/2) ‖W‖² = (λ/4) ‖v‖² for W = (−v/2, v/2).
        self.penalty = regularizer / 2 if n_classes == 2 else regularizer
        self.n_free = 0 if regularize_intercept else n_columns  # the first n_free weights have no penalty
        self.convexity = self.penalty if regularize_intercept else 0.0

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = self.log_loss(x.reshape(self.shape))
        gradient = gradient.ravel()
        gradient /= self.n_examples
        penalized = x[self.n_free :]
        gradient[self.n_free :] += self.penalty * penalized
        return loss / self.n_examples + self.penalty / 2 * (penalized @ penalized), gradient

    def diagonal(self) -> np.ndarray:
        """Return an estimate of the second derivatives (n,) of F along each coordinate, for L-BFGS.

        At W = 0 they are p (1 − p) (1/M) Σ_m x_mj² + λ with p = 1/K. As a scaling, these values are too strong, because frequent words
        occur together; without scaling, L-BFGS needs many iterations to learn it. Their square root is a compromise: it saves half of the
        evaluations that either choice needs on reviews, and two thirds on larger texts.
        """
        p, squares = 1 / self.n_classes, self.log_loss.sums_of_squares()
        second = p * (1 - p) * np.append(1.0, squares / self.n_examples)  # (J + 1,)
        second = np.repeat(second, self.shape[1])
        second[self.n_free :] += self.penalty
        return np.sqrt(np.where(second > 0, second, 1.0))

    def params(self, x: np.ndarray) -> np.ndarray:
        """Return the weight matrix (J + 1, K) of a flat vector."""
        W = x.reshape(self.shape)
        return _two_class_weights(W) if self.n_classes == 2 else W


def _two_class_weights(v):
    """Return W (J + 1, 2) = (−v/2, v/2)."""
    return np.hstack([-v / 2, v / 2])


MaxEnt_batch = MaxEntBatch  # the guide's spelling
