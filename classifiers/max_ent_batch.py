"""Maximum entropy (multinomial logistic regression) to its optimum, all examples at a time.

    F(W) = −(1/M) Σ log p_W(y^m | x^m) + (λ/2) ‖W‖²,    p_W(y | x) = softmax(g(x)ᵀ W)_y
    ∇F(W) = (1/M) Gᵀ (P − Y) + λ W

F is convex and smooth. With λ > 0 it is also λ-strongly convex, so that F(W) − F* ≤ ‖∇F(W)‖² / (2λ): the gradient tells
how far the optimum is at most, and training stops when that is little enough.

For two classes the optimum is antisymmetric, w_1 = −w_0: one vector v = w_1 − w_0 is fitted, with the penalty
(λ/4) ‖v‖², which is the same F.

Sources: the guide, eq. 1.27-1.33; J. Nocedal, S. Wright, Numerical Optimization, 2006, section 7.2 (L-BFGS).
"""

import time
import warnings
from typing import NamedTuple

import numpy as np

from classifiers.linear_classifier import LinearClassifier
from classifiers.losses import log_loss
from classifiers.max_ent_model import MaxEntModel
from lxmls_day1.checks import check_inputs, check_number


class Iteration(NamedTuple):
    """One iteration of the optimiser; ``history`` keeps one of these for each."""

    number: int  # 1, 2, …
    seconds: float  # since training began
    objective: float  # F(W)


class MaxEntBatch(MaxEntModel, LinearClassifier):
    """The maximum-entropy model by L-BFGS.

    Parameters
    ----------
    regularizer : float ≥ 0
        λ. With 0 and separable data there is no optimum: the weights grow until ``max_iterations``.
    tolerance : float > 0
        Training stops when F(W) is certainly within this share of the optimum. Without the certificate (λ = 0, or free
        intercepts) it stops when ‖∇F(W)‖ is this share of its first value.
    max_iterations : int
        A warning tells when they did not suffice.
    regularize_intercept : bool
        Whether ‖W‖² includes the intercepts, as in the guide.

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
    >>> maxent.get_probabilities([[0.0, 0.0]], params).sum()
    1.0
    """

    name = "Maximum entropy, batch"

    def __init__(self, regularizer=1.0, tolerance=1e-8, max_iterations=1000, regularize_intercept=True):
        super().__init__()
        self.regularizer = regularizer
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.regularize_intercept = regularize_intercept
        self.history = []

    def train(self, X, y):
        """Minimise F.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For hyper-parameters out of range or data that cannot be trained on.
        """
        from scipy.optimize import minimize

        from lxmls_day1 import kernels

        penalty = check_number("regularizer (λ)", self.regularizer, at_least=0)
        tolerance = check_number("tolerance", self.tolerance, above=0)
        max_iterations = check_number("max_iterations", self.max_iterations, at_least=1, whole=True)
        X, labels = self._training_data(X, y)
        n_classes = len(self.classes)
        problem = _Problem(kernels.as_examples(X), labels, n_classes, penalty, bool(self.regularize_intercept))

        self.history, started = [], time.perf_counter()

        def after_iteration(intermediate_result):
            self.history.append(Iteration(len(self.history) + 1, time.perf_counter() - started, intermediate_result.fun))
            if problem.close_enough(intermediate_result.x, tolerance):
                raise StopIteration

        result = minimize(
            problem,
            np.zeros(problem.size),
            jac=True,
            method="L-BFGS-B",
            callback=after_iteration,
            options={"maxiter": max_iterations, "maxfun": 10 * max_iterations, "ftol": 0.0, "gtol": 0.0, "maxcor": 10},
        )
        if len(self.history) >= max_iterations and not problem.close_enough(result.x, tolerance):
            warnings.warn(
                f"maximum entropy was stopped after {max_iterations} iterations before it reached its tolerance of "
                f"{tolerance:g}; raise max_iterations, or the regularizer",
                stacklevel=2,
            )
        self.trained = True
        return problem.params(result.x)

    def objective(self, X, y, params):
        """F at ``params`` (J + 1, K), for examples ``X`` (M, J) with labels ``y``."""
        penalized = params if self.regularize_intercept else params[1:]
        losses = log_loss(self._scores(check_inputs(X), params), self._codes(y))
        return float(losses.mean() + self.regularizer / 2 * (penalized**2).sum())


class _Problem:
    """F and its gradient as a function of one flat vector, as an optimiser wants it."""

    def __init__(self, examples, labels, n_classes, regularizer, regularize_intercept):
        self.examples = examples
        self.labels = labels
        self.n_columns = 1 if n_classes == 2 else n_classes
        self.shape = (examples.n_features + 1, self.n_columns)
        # Two classes: (λ/2) ‖W‖² = (λ/4) ‖v‖² for W = (−v/2, v/2).
        self.penalties = np.full(self.shape, regularizer / 2 if n_classes == 2 else regularizer)
        if not regularize_intercept:
            self.penalties[0] = 0.0
        self.certified = regularizer > 0 and regularize_intercept
        self.evaluated = None  # the last (x, F, ∇F)
        self.first_norm = None

    @property
    def size(self):
        return self.shape[0] * self.shape[1]

    def __call__(self, x):
        from lxmls_day1 import kernels

        W = x.reshape(self.shape)
        gradient = np.zeros(self.shape)
        examples, n_examples = self.examples, len(self.labels)
        loss = kernels.log_loss_gradient(
            examples.indptr, examples.indices, examples.data, self.labels, np.ascontiguousarray(W), gradient
        )
        gradient /= n_examples
        gradient += self.penalties * W
        value = loss / n_examples + (self.penalties * W * W).sum() / 2
        self.evaluated = x.copy(), value, gradient.ravel()
        if self.first_norm is None:
            self.first_norm = np.linalg.norm(gradient)
        return value, self.evaluated[2]

    def close_enough(self, x, tolerance):
        """Whether F(x) is certainly within ``tolerance`` of the optimum (relative), by strong convexity."""
        if self.evaluated is None or not np.array_equal(x, self.evaluated[0]):
            self(x)
        _, value, gradient = self.evaluated
        if not self.certified:
            return np.linalg.norm(gradient) <= tolerance * self.first_norm
        return gradient @ gradient / (2 * self.penalties[0, 0]) <= tolerance * value

    def params(self, x):
        """The weight matrix (J + 1, K) for the vector that the optimiser found."""
        W = x.reshape(self.shape)
        return np.hstack([-W / 2, W / 2]) if self.n_columns == 1 else W.copy()


MaxEnt_batch = MaxEntBatch  # the guide's spelling
