"""The multi-class support vector machine, by stochastic subgradient descent or to its optimum.

The objective is (1/M) Σ max_y' [s_y' + ρ(y', y)] − s_y + (λ/2) ‖W‖², and a subgradient step on one example is

    d = η_t (e_y − e_ỹ),    ỹ = argmax_y' s_y' + ρ(y', y)

with ỹ the cost-augmented prediction: the class that violates the margin most. The weights shrink by 1 − η_t λ first.
As a quadratic program it has K (J + 1) weights, a slack for each of M examples, and M (K − 1) constraints s_y ≥ s_k + 1 − slack.
``svm_dual.py`` finds the optimum instead, with a bound on the distance to it.

Sources: K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2,
2001; S. Shalev-Shwartz et al., Pegasos, 2007; the guide, eq. 1.34-1.35 and algorithm 6. The guide's (1.35) omits the
factor 1/M, which its eq. 1.31 for maximum entropy has.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.losses import hinge_loss
from classifiers.online_classifier import compiled
from classifiers.solvers.svm_dual import check_dual_settings, train_dual
from classifiers.stochastic_gradient import StochasticGradient
from lxmls_day1.lab_api import setting


@compiled
def svm_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """d = η (e_y − e_ỹ) (K,), which is 0 if the true class wins by its margin.

    Right, but by less than the margin of 1:

    >>> svm_rule(np.array([2.5, 2.0]), 0, 1.0, 0.5, np.array([0.0, 1.0]))
    array([ 0.5, -0.5])
    """
    # exercise 1.7: solution (7 lines)
    d = scores + cost
    augmented = np.argmax(d)
    d[:] = 0.0  # used again: a new array would take as long as all else here
    if augmented != label:
        d[label] = step
        d[augmented] = -step
    return d
    # exercise 1.7: end


def svm_step(W: np.ndarray, g: np.ndarray, label: int, step: float, regularizer: float, cost: np.ndarray) -> np.ndarray:
    """Take one step of algorithm 6, written out: return the weights (J + 1, K) after one example.

    ``W`` (J + 1, K) is not changed; ``g`` (J + 1,) is g(x), ``step`` and ``regularizer`` are η_t and λ, ``cost`` (K,) is ρ(·, y).

    Examples
    --------
    λ = 0.2 and η = 0.5 shrink the weights by a tenth. Then half of g(x) is added to class 0 and subtracted from class 1:

    >>> svm_step(np.array([[0.5, 0.0], [1.0, 1.0]]), np.array([1.0, 2.0]), 0, 0.5, 0.2, np.array([0.0, 1.0]))
    array([[ 0.95, -0.5 ],
           [ 1.9 , -0.1 ]])
    """
    # exercise 1.7: solution (2 lines)
    d = svm_rule(g @ W, label, g @ g, step, cost)
    return (1 - step * regularizer) * W + np.outer(g, d)
    # exercise 1.7: end


@dataclass(eq=False, repr=False)
class SVM(StochasticGradient):
    """A linear multi-class SVM.

    Parameters
    ----------
    regularizer : float ≥ 0
        λ, which must be > 0 for the dual solver. scikit-learn's and LIBLINEAR's C is 1/(λM), for two classes 2/(λM).
    solver : "subgradient" or "dual"
        Stochastic subgradient descent for ``nr_rounds`` rounds; or dual coordinate ascent until the objective is
        certainly within ``tolerance`` of its optimum, which needs M x K numbers in addition to the weights.
    tolerance, max_epochs : float > 0 and int ≥ 1
        For the dual solver: the maximum of the duality gap as a share of the objective, and the maximum number of epochs;
        a warning reports that the epochs did not suffice.
    nr_rounds, initial_step, alpha, averaged, seed, order, cost, track_objective, progress, n_jobs
        As in :class:`StochasticGradient`. The dual solver uses only ``seed``, ``cost`` and ``progress``. Its ``history`` is a list of
        :class:`classifiers.solvers.svm_dual.GapMeasurement`, with objective, dual value and gap.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> svm, optimum = SVM(regularizer=0.1, track_objective=True), SVM(regularizer=0.1, solver="dual")
    >>> params, best = svm.train(X, y), optimum.train(X, y)
    >>> svm.evaluate(y, svm.test(X, params)), svm.history[-1].objective > optimum.history[-1].dual
    (1.0, True)
    """

    name = "SVM"
    listed = {
        "SVM": {
            "colours": ("#7A3B1E", "#C07850"),
            "dash": (5, 1, 1, 1),
            "order": 150,
            "settings": {"regularizer": 2.0},
        },
        "SVM, optimum": {
            "colours": ("#6F4B30", "#BB7E36"),
            "dash": (10, 1.5),
            "order": 160,
            "settings": {"regularizer": 2.0, "solver": "dual"},
        },
    }
    rule = staticmethod(svm_rule)
    resumable = True

    solver: str = setting("subgradient", one_of=("subgradient", "dual"))
    tolerance: float = setting(1e-3, above=0)
    max_epochs: int = setting(1000, at_least=1, whole=True)

    def train(
        self,
        X: Any,
        y: ArrayLike | None = None,
        callback: Callable[..., object] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> np.ndarray:
        """Minimise the objective over params (J + 1, K), exactly or approximately depending on the solver.

        Raise the errors of `OnlineClassifier.train`.
        """
        self.check_settings()  # first, because comparing an array with "dual" gives no Boolean
        if self.solver == "dual":
            return train_dual(self, X, y, callback, sample_weight)
        return super().train(X, y, callback, sample_weight)

    def losses(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return hinge_loss(scores, labels, self._costs(scores.shape[1]))

    def check_settings(self) -> None:
        super().check_settings()
        if self.solver == "dual":
            check_dual_settings(self)
