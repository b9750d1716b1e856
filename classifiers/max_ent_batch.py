"""Maximum entropy (multinomial logistic regression) to its optimum, all examples at a time.

    F(W) = −(1/M) Σ log p_W(y^m | x^m) + (λ/2) ‖W‖²,    p_W(y | x) = softmax(g(x)ᵀ W)_y
    ∇F(W) = (1/M) Gᵀ (P − Y) + λ W

F is convex and smooth. With λ > 0 it is also λ-strongly convex, so that F(W) − F* ≤ ‖∇F(W)‖² / (2λ): the gradient tells
how far the optimum is at most, and training stops when that is little enough.

For two classes the optimum is antisymmetric, w_1 = −w_0: one vector v = w_1 − w_0 is fitted, with the penalty
(λ/4) ‖v‖², which is the same F.

Three solvers lead to the optimum, each in its file: ``lbfgs.py`` is fast, ``gradient_descent.py`` is the guide's, and
``iterative_scaling.py`` is how it was done first. All start at W = 0.

Sources: the guide, eq. 1.27-1.33 and algorithm 4; J. Nocedal, S. Wright, Numerical Optimization, 2006.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from classifiers.gradient_descent import gradient_descent
from classifiers.iterative_scaling import scale_max_ent
from classifiers.lbfgs import lbfgs
from classifiers.linear_classifier import LinearClassifier
from classifiers.losses import log_loss
from classifiers.max_ent_model import MaxEntModel
from lxmls_day1.checks import check_choice, check_flag, check_number, check_sample_weight
from lxmls_day1.errors import InputError


class Iteration(NamedTuple):
    """One iteration of the solver; ``history`` keeps one of these for each."""

    number: int  # 1, 2, …
    seconds: float  # since training began
    objective: float  # F(W)


class MaxEntBatch(MaxEntModel, LinearClassifier):
    """The maximum-entropy model, trained to its optimum.

    Parameters
    ----------
    regularizer : float ≥ 0
        λ; 1 if not given, and 0 with ``solver="gis"``, which knows no other. scikit-learn's C is 1/(λM). With λ = 0 and
        separable data there is no optimum: the weights grow until ``max_iterations``.
    tolerance : float > 0
        Training stops when F(W) is certainly within this share of the optimum; 1e-8 takes five times as long and seldom
        changes a label. Without the certificate (λ = 0, or free
        intercepts) it stops when ‖∇F(W)‖ is this share of its first value.
    max_iterations : int ≥ 1
        A warning tells when they did not suffice.
    regularize_intercept : bool
        Whether ‖W‖² includes the intercepts, as in the guide.
    solver : "lbfgs", "gradient_descent" or "gis"
        L-BFGS; gradient descent with Armijo's rule; or generalized iterative scaling, for features that are not negative
        and without regularization.

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

    Every solver finds the same optimum, sooner or later:

    >>> descent = MaxEntBatch(regularizer=0.1, solver="gradient_descent")
    >>> np.allclose(descent.train(X, y), params, atol=1e-2)
    True
    >>> len(maxent.history) < len(descent.history)
    True
    """

    name = "Maximum entropy, batch"

    def __init__(
        self,
        regularizer: float | None = None,
        tolerance: float = 1e-4,
        max_iterations: int = 1000,
        regularize_intercept: bool = True,
        solver: str = "lbfgs",
    ) -> None:
        super().__init__()
        if regularizer is None:
            regularizer = 0.0 if solver == "gis" else 1.0
        self.regularizer = regularizer
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.regularize_intercept = regularize_intercept
        self.solver = solver
        self.history = []

    def train(self, X, y, sample_weight=None):
        """Minimise F.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels
        sample_weight : M numbers ≥ 0, optional
            How much the loss of each example counts, in a weighted mean; all alike if not given.

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For hyper-parameters out of range, data that cannot be trained on, and with ``solver="gis"`` for a negative
            feature or a regularizer.
        """
        from threadpoolctl import threadpool_limits

        self.check_settings()
        started = time.perf_counter()
        X, labels = self._training_data(X, y)
        weights = check_sample_weight(sample_weight, labels)
        shares = None if weights is None else weights / weights.mean()  # (M,), of mean 1
        points = self._by_scaling(X, labels, shares) if self.solver == "gis" else self._by_descent(X, labels, shares)
        self.history = []
        # Vectors of this length gain nothing from threads, and idle ones that spin take the processor from the rest.
        with (
            threadpool_limits(limits=1, user_api="blas"),
            np.errstate(over="ignore", invalid="ignore", divide="ignore"),
        ):
            for number, point in enumerate(islice(points, int(self.max_iterations) + 1)):
                if number > 0:  # 0 is the start
                    self.history.append(Iteration(number, time.perf_counter() - started, float(point.objective)))
                if point.arrived:
                    break
        if len(self.history) == self.max_iterations and not point.arrived:
            warnings.warn(
                f"maximum entropy was stopped after {self.max_iterations} iteration{'s' * (self.max_iterations != 1)} "
                "before it reached its tolerance of "
                f"{self.tolerance:g}; raise max_iterations or the tolerance"
                + ("" if self.solver == "lbfgs" else ', or take solver="lbfgs"'),
                stacklevel=2,
            )
        return self._trained_with(point.params())

    def check_settings(self):
        """Raise an InputError for hyper-parameters that make no sense; ``train`` begins with this."""
        check_choice("solver", self.solver, ("lbfgs", "gradient_descent", "gis"))
        penalty = check_number("regularizer (λ)", self.regularizer, at_least=0)
        check_number("tolerance", self.tolerance, above=0)
        check_number("max_iterations", self.max_iterations, at_least=1, whole=True)
        check_flag("regularize_intercept", self.regularize_intercept)
        if self.solver == "gis" and penalty:
            raise InputError(
                'iterative scaling knows no regularization: regularizer must be 0 with solver="gis", but is '
                f'{self.regularizer!r}; set it to 0, or take solver="lbfgs" or "gradient_descent"'
            )

    def objective(self, X, y, params):
        """F at ``params`` (J + 1, K), for examples ``X`` (M, J) with labels ``y``."""
        self.check_settings()
        X, labels, params = self._with_labels(X, y, params)
        penalized = params if self.regularize_intercept else params[1:]
        losses = log_loss(self._scores(X, params), labels)
        return float(losses.mean() + self.regularizer / 2 * (penalized**2).sum())

    def _by_descent(self, X, labels, shares):
        problem = MaxEntObjective(
            X, labels, len(self.classes), float(self.regularizer), bool(self.regularize_intercept), shares
        )
        if self.solver == "lbfgs":
            path = lbfgs(problem, np.zeros(problem.size), problem.diagonal())
        else:
            path = gradient_descent(problem, np.zeros(problem.size))
        first_norm = None
        for x, value, gradient, *_ in path:
            norm = np.linalg.norm(gradient)
            first_norm = norm if first_norm is None else first_norm
            if problem.convexity > 0:
                arrived = norm**2 / (2 * problem.convexity) <= self.tolerance * value
            else:
                arrived = norm <= self.tolerance * first_norm
            yield _Point(partial(problem.params, x), value, arrived)

    def _by_scaling(self, X, labels, shares):
        first_mismatch, shares = None, 1.0 if shares is None else shares
        for weights, objective, mismatch in scale_max_ent(X, labels, len(self.classes), shares):
            first_mismatch = mismatch if first_mismatch is None else first_mismatch
            yield _Point(partial(np.copy, weights), objective, mismatch <= self.tolerance * first_mismatch)


class _Point(NamedTuple):
    """Where a solver is."""

    params: Callable[[], np.ndarray]  # makes W (J + 1, K) of where it is
    objective: float
    arrived: bool  # at the optimum, up to the tolerance


class MaxEntObjective:
    """F and its gradient as a function of one flat vector, as an optimiser wants it.

    Attributes
    ----------
    size : int
        Of that vector.
    convexity : float
        What F(x) is certain to grow with, at least: (convexity/2) ‖x − x*‖². 0 if there is no such certainty.
    """

    def __init__(self, X, labels, n_classes, regularizer, regularize_intercept, shares=None):
        from lxmls_day1.compiled import batch, sparse_rows  # numba: imported when it is needed, and not before

        n_columns = 1 if n_classes == 2 else n_classes
        self.log_loss = batch.LogLoss(sparse_rows.as_examples(X), labels, n_columns, shares)
        self.n_examples, self.n_classes = len(labels), n_classes
        self.shape = (X.shape[1] + 1, n_columns)
        self.size = self.shape[0] * n_columns
        # Two classes: (λ/2) ‖W‖² = (λ/4) ‖v‖² for W = (−v/2, v/2).
        self.penalty = regularizer / 2 if n_classes == 2 else regularizer
        self.n_free = 0 if regularize_intercept else n_columns  # so many weights, the first ones, have no penalty
        self.convexity = self.penalty if regularize_intercept else 0.0

    def __call__(self, x):
        loss, gradient = self.log_loss(x.reshape(self.shape))
        gradient = gradient.ravel()
        gradient /= self.n_examples
        penalized = x[self.n_free :]
        gradient[self.n_free :] += self.penalty * penalized
        return loss / self.n_examples + self.penalty / 2 * (penalized @ penalized), gradient

    def diagonal(self):
        """A guess of the second derivatives of F along each coordinate, for L-BFGS.

        At W = 0 they are p (1 − p) (1/M) Σ_m x_mj² + λ with p = 1/K. Taken as they are they go too far, since words that
        occur everywhere occur together; without them too much is left to be found out. Their square root, half-way
        between, saves half of the evaluations that either takes on reviews, and two thirds on larger texts.
        """
        p, squares = 1 / self.n_classes, self.log_loss.sums_of_squares()
        second = p * (1 - p) * np.append(1.0, squares / self.n_examples)  # (J + 1,)
        second = np.repeat(second, self.shape[1])
        second[self.n_free :] += self.penalty
        return np.sqrt(np.where(second > 0, second, 1.0))

    def params(self, x):
        """The weight matrix (J + 1, K) that a vector stands for."""
        W = x.reshape(self.shape)
        return np.hstack([-W / 2, W / 2]) if self.n_classes == 2 else W


MaxEnt_batch = MaxEntBatch  # the guide's spelling
