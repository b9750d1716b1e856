"""The rows of a training set in the format of the compiled loops, for algorithms that make many passes over them.

Each method except ``log_loss`` makes one pass; the algorithms are in ``classifiers/solvers/`` and ``classifiers/large/``.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.engine.kernels import l1_steps, max_ent_sweeps, svm_sweeps
from lxmls_day1.engine.kernels.batch import LogLoss, batch_examples
from lxmls_day1.engine.kernels.primitives import COMPILES, as_read_only, frozen
from lxmls_day1.engine.kernels.row_steps import Integers, Reals, RowSteps, Rule, Weights
from lxmls_day1.engine.kernels.sparse_rows import as_examples

_MAX_MULTIPLIERS = 2**26  # maximum number of dual variables: 512 MB


class Rows:
    """M examples with the column of the true class and the weight of each example.

    Parameters
    ----------
    X : array or csr_array (M, J)
    labels : int array (M,)
    n_classes : int
    sample_weights : array (M,), optional
        The weight of each example. Default: 1.

    Examples
    --------
    The log loss of two examples at W = 0, with the single column w_1 − w_0 that suffices for two classes:

    >>> rows = Rows(np.array([[1.0], [2.0]]), np.array([0, 1]), 2)
    >>> float(rows.log_loss(n_columns=1)(np.zeros((2, 1)))[0] / np.log(2))
    2.0
    """

    def __init__(self, X: Any, labels: NDArray[np.intp], n_classes: int, sample_weights: Reals | None = None) -> None:
        self.X, self.labels, self.n_classes = X, labels, n_classes
        self.shares = np.ones(len(labels)) if sample_weights is None else sample_weights
        self.n_features = X.shape[1]

    def log_loss(self, n_columns: int, n_jobs: int = 1) -> Any:
        """Return Σ_m −log p_W(y_m | x_m) and its gradient, as a function of W (J + 1, n_columns): a `LogLoss` of ``batch.py``."""
        return LogLoss(batch_examples(self.X), self.labels, n_columns, self.shares, n_jobs)  # type: ignore[no-untyped-call]

    def suit_single_steps(self) -> bool:
        """Return True if single steps are probably faster than passes over all rows.

        This is so if the rows are sparse, kernels are compiled, and the dual problem is not too large for memory.
        """
        return COMPILES and not isinstance(self.X, np.ndarray) and len(self.labels) * self.n_classes <= _MAX_MULTIPLIERS

    def max_ent_sweep(self, order: Integers, inverse_lambda_m: float, multipliers: Reals, weights: Reals) -> float:
        """Run one dual maximum-entropy step for each example in ``order``; return the duality gap measured during the steps.

        Parameters
        ----------
        order : int array
        inverse_lambda_m : float
            1/(λM).
        multipliers, weights : arrays (M, K) and (J + 1, K), or (M,) and (J + 1, 1) for two classes; changed in place
        """
        if multipliers.ndim == 1:
            sweep: Any = max_ent_sweeps.sweep_two_classes
            # These are the types of online learning, so that the kernel is compiled once.
            labels, order = as_read_only(self.labels), as_read_only(order)
            return float(sweep(self.examples, labels, self.shares, order, inverse_lambda_m, multipliers, weights[:, 0]))
        sweep = max_ent_sweeps.sweep
        return float(sweep(self.examples, self.shares, order, inverse_lambda_m, multipliers, weights))

    def max_ent_measure(self, multipliers: Reals, weights: Reals) -> tuple[float, float]:
        """Return (Σ log loss, Σ_m entropy of α_m) at fixed weights; for the arrays see :meth:`max_ent_sweep`."""
        measure: Any = max_ent_sweeps.measure_two_classes if multipliers.ndim == 1 else max_ent_sweeps.measure
        loss, entropy = measure(self.examples, self.labels, self.shares, multipliers, weights)
        return float(loss), float(entropy)

    def log_loss_slopes(self, margins: Reals) -> tuple[Reals, Reals, Reals]:
        """Return for two classes at scores (M,): the terms of the mean log loss, its gradient (J + 1,), the terms' second derivatives."""
        losses, slope, second_derivative = (np.empty(len(margins)) for _ in range(3))
        gradient = np.empty(self.n_features + 1)
        l1_steps.log_loss_derivatives(self._columns, margins, losses, slope, second_derivative)  # type: ignore[no-untyped-call]
        l1_steps.fill_gradient(self._columns, slope, gradient)  # type: ignore[no-untyped-call]
        return losses, gradient, second_derivative

    def newton_step(
        self,
        penalties: Reals,
        order: Integers,
        losses: Reals,
        second_derivative: Reals,
        gradient: Reals,
        weights: Reals,
        margins: Reals,
    ) -> bool:
        """Run a Newton step for the log loss of two classes plus Σ_j penalty_j |v_j|; return True if the objective decreased.

        Parameters
        ----------
        penalties : array (J + 1,)
        order : int array
            The coordinates to visit, in this order.
        losses, second_derivative, gradient : arrays (M,), (M,) and (J + 1,); changed in place
            What :meth:`log_loss_slopes` returns at ``margins``.
        weights, margins : arrays (J + 1,) and (M,); changed in place
            v, and the scores of the examples at v.
        """
        step: Any = l1_steps.newton_step
        return bool(step(self._columns, penalties, order, losses, second_derivative, gradient, weights, margins))

    def svm_sweep(
        self,
        order: Integers,
        costs: Reals,
        inverse_lambda_m: float,
        relaxation: float,
        multipliers: Reals,
        weights: Reals,
        idle_visits: Any,
    ) -> tuple[float, int]:
        """Run one dual SVM step for each example in ``order``; return the duality gap during the steps, and the number of changes.

        Parameters
        ----------
        order : int array
        costs : array (K, K)
            Row y is ρ(·, y).
        inverse_lambda_m : float
            1/(λM).
        relaxation : float
        multipliers, weights : arrays (M, K) and (J + 1, K), or (M,) and (J + 1,) for two classes; changed in place
        idle_visits : uint8 array (M,); changed in place
            The number of consecutive visits at which an example was already optimal.
        """
        sweep: Any = svm_sweeps.sweep_two_classes if weights.ndim == 1 else svm_sweeps.sweep
        settings, state = (costs, inverse_lambda_m, relaxation), (multipliers, weights, idle_visits)
        return sweep(self.examples, self.labels, order, *settings, *state, self.shares)  # type: ignore[no-any-return]

    def svm_measure(self, costs: Reals, multipliers: Reals, weights: Reals, idle_visits: Any) -> tuple[float, float]:
        """Return (Σ hinge loss, Σ_m α_m · ρ(·, y_m)) at fixed weights; reset ``idle_visits`` to 0 for examples that "
        "contribute to the gap.
        """
        measure: Any = svm_sweeps.measure_two_classes if weights.ndim == 1 else svm_sweeps.measure
        loss, cost = measure(self.examples, self.labels, costs, multipliers, weights, idle_visits, self.shares)
        return float(loss), float(cost)

    def online_steps(self, rule: Rule, W: Reals, order: Integers) -> tuple[Reals, Reals]:
        """Run one step of size 1 per example in ``order`` by a rule without shrinking; return the final W and the mean W of all steps.

        Parameters
        ----------
        rule : function
            See :class:`classifiers.online_classifier.OnlineClassifier`; called with a cost of 1 for each wrong class.
        W : array (J + 1, K)
            The initial weights; not changed.
        order : int array
        """
        weights = Weights(self.n_features + 1, self.n_classes, averaged=True)
        weights.V[:] = W
        if len(order):
            labels = np.asarray(self.labels, dtype=np.int64)
            steps = RowSteps(rule, self.X, labels, 1.0 - np.eye(self.n_classes), 0.0, True, weights=weights)
            steps.run(np.asarray(order, dtype=np.int64)[None], np.ones(len(order)))
        return weights.current(), weights.result() if len(order) else np.zeros_like(weights.V)

    @functools.cached_property
    def _columns(self) -> Any:
        return l1_steps.as_columns(self.X, self.labels, self.shares)  # type: ignore[no-untyped-call]

    @functools.cached_property
    def examples(self) -> Any:
        """The rows in the format of the sweeps."""
        # The array types are those of the online loop, so that the row primitives are compiled only once.
        return frozen(as_examples(self.X))  # type: ignore[no-untyped-call]
