"""The multi-class support vector machine, by stochastic subgradient descent or to its optimum.

The objective is (1/M) Σ max_y' [s_y' + ρ(y', y)] − s_y + (λ/2) ‖W‖², and a subgradient step on one example is

    d = η_t (e_y − e_ỹ),    ỹ = argmax_y' s_y' + ρ(y', y)

with ỹ the cost-augmented prediction: the class that violates the margin most. The weights shrink by 1 − η_t λ first.
``svm_dual.py`` finds the optimum instead, and says how near it is.

Sources: K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2,
2001; S. Shalev-Shwartz et al., Pegasos, 2007; the guide, eq. 1.34-1.35 and algorithm 6. Its (1.35) leaves out the 1/M,
which its eq. 1.31 for maximum entropy has.
"""

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.losses import hinge_loss
from classifiers.online_classifier import compiled
from classifiers.stochastic_gradient import StochasticGradient
from classifiers.svm_dual import solve_dual
from lxmls_day1.checks import check_choice, check_costs, check_number, check_sample_weight, random_numbers
from lxmls_day1.engine.streaming.shard_rows import check_in_memory, corpus_on_disk
from lxmls_day1.errors import InputError


@compiled
def svm_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """d = η (e_y − e_ỹ) (K,), which is 0 where the true class wins by its margin.

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
    """One step of algorithm 6, written out: the weights after it have seen one example.

    The loop of ``online_classifier.py`` does the same for every learner that shrinks, without touching the whole of W.

    Parameters
    ----------
    W : array (J + 1, K)
        The weights w^t before the step; they stay as they are.
    g : array (J + 1,)
        g(x), the features of the example with their leading 1.
    label : int
        The column y of its true class.
    step, regularizer : float
        η_t and λ.
    cost : array (K,)
        ρ(·, y), the cost of each class where y is true.

    Returns
    -------
    W : array (J + 1, K)
        A new one.

    Examples
    --------
    The true class 0 leads by 2.5 − 2, and a margin of 1 is wanted. λ = 0.2 and η = 0.5 take a tenth of the weights
    away, and then g(x) is added to class 0 and taken from class 1 by half:

    >>> svm_step(np.array([[0.5, 0.0], [1.0, 1.0]]), np.array([1.0, 2.0]), 0, 0.5, 0.2, np.array([0.0, 1.0]))
    array([[ 0.95, -0.5 ],
           [ 1.9 , -0.1 ]])
    """
    # exercise 1.7: solution (2 lines)
    d = svm_rule(g @ W, label, g @ g, step, cost)
    return (1 - step * regularizer) * W + np.outer(g, d)
    # exercise 1.7: end


class SVM(StochasticGradient):
    """A linear multi-class SVM.

    Parameters
    ----------
    regularizer : float ≥ 0
        λ, for the dual solver > 0. scikit-learn's and LIBLINEAR's C is 1/(λM), for two classes 2/(λM).
    solver : "subgradient" or "dual"
        Stochastic subgradient descent for ``nr_rounds`` rounds; or dual coordinate ascent until the objective is
        certainly within ``tolerance`` of its optimum, which keeps M x K numbers beside the weights.
    tolerance : float > 0
        Of the dual solver: it stops when the duality gap is at most this share of the objective.
    max_epochs : int ≥ 1
        Of the dual solver: a warning tells when they did not suffice.
    seed, cost, progress
        As in :class:`StochasticGradient`.
    nr_rounds, initial_step, alpha, averaged, order, track_objective, n_jobs
        As in :class:`StochasticGradient`, of the subgradient solver only.

    Attributes
    ----------
    history : list
        Of :class:`Round` from the subgradient solver; of :class:`classifiers.svm_dual.Epoch`, with objective, dual
        value and gap, from the dual one.
    nr_updates : int
        Steps that changed the weights beyond shrinking them.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> svm = SVM(regularizer=0.1, track_objective=True)
    >>> params = svm.train(X, y)
    >>> svm.evaluate(y, svm.test(X, params))
    1.0

    How large is the problem? It has a variable for each of K weight vectors of J + 1 numbers (and a slack for each example), and a
    constraint s_y ≥ s_k + 1 − slack for each example and wrong class: K (J + 1) and M (K − 1).

    >>> n_classes, n_features, n_examples = 3, 2, 6
    >>> X3 = [[3.0, 0.0], [0.0, 3.0], [-3.0, -3.0], [2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]]
    >>> y3 = [0, 1, 2, 0, 1, 2]
    >>> SVM().train(X3, y3).size == n_classes * (n_features + 1)
    True
    >>> wrong = [(m, k) for m in range(n_examples) for k in range(n_classes) if k != y3[m]]
    >>> len(wrong) == n_examples * (n_classes - 1)
    True

    Each constraint is about s_y = w · f(x, y), where f(x, y) is g(x) in the row of class y and 0 in all others:

    >>> W, g, y1 = np.arange(9.0).reshape(3, 3), np.array([1.0, 3.0, 0.0]), 1
    >>> f = np.outer(np.eye(3)[y1], g)
    >>> f.tolist(), float((W * f).sum()) == float(W[y1] @ g)
    ([[0.0, 0.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]], True)

    How far is that from the optimum? The dual solver knows the optimum to one in a thousand:

    >>> optimum = SVM(regularizer=0.1, solver="dual")
    >>> best = optimum.train(X, y)
    >>> optimum.history[-1].gap <= 1e-3 * optimum.history[-1].objective
    True
    >>> svm.history[-1].objective > optimum.history[-1].dual
    True
    """

    name = "SVM"
    rule = staticmethod(svm_rule)

    def __init__(
        self,
        regularizer: float = 1.0,
        solver: str = "subgradient",
        tolerance: float = 1e-3,
        max_epochs: int = 1000,
        *,
        nr_rounds: int = 20,
        initial_step: float | None = None,
        alpha: float | None = None,
        averaged: bool | str = "last round",
        seed: int = 1,
        order: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        track_objective: bool = False,
        progress: bool = False,
        n_jobs: int = 1,
    ) -> None:
        super().__init__(
            regularizer=regularizer,
            nr_rounds=nr_rounds,
            initial_step=initial_step,
            alpha=alpha,
            averaged=averaged,
            seed=seed,
            order=order,
            cost=cost,
            track_objective=track_objective,
            progress=progress,
            n_jobs=n_jobs,
        )
        self.solver = solver
        self.tolerance = tolerance
        self.max_epochs = max_epochs

    def check_settings(self) -> None:
        super().check_settings()
        check_choice("solver", self.solver, ("subgradient", "dual"))
        if self.solver == "dual":
            check_number("regularizer (λ of the dual solver, whose C is 1/(λM))", self.regularizer, above=0)
            check_number("tolerance", self.tolerance, above=0)
            check_number("max_epochs", self.max_epochs, at_least=1, whole=True)
            if self.order is not None:
                raise InputError(
                    "order is for the subgradient solver; the dual one leaves examples out as it goes on, and draws "
                    "its orders from the seed"
                )

    def losses(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return hinge_loss(scores, labels, check_costs(self.cost, scores.shape[1]))

    def train(
        self,
        X: Any,
        y: ArrayLike | None = None,
        callback: Callable[..., object] | None = None,
        sample_weight: ArrayLike | None = None,
        checkpoint: Any = None,
        report: Callable[..., object] | None = None,
        **where: Any,
    ) -> np.ndarray:
        """Minimise the objective, or come near its minimum, as the solver does.

        Parameters
        ----------
        X : array or sparse matrix (M, J), or a corpus on disk for the subgradient solver
        y : M labels, not given for a corpus on disk
        callback : function (record, weights, params), optional
            Called after each round or epoch with its entry of ``history``, the weights as they stand (J + 1, K), and
            the parameters that ``train`` would return if it stopped here. Both are copies, yours to keep.
        sample_weight : M numbers ≥ 0, optional
            How much the loss of each example counts, in a weighted mean; all alike if not given.
        checkpoint, report, scheduler, mix_every
            For a corpus on disk, as in :meth:`OnlineClassifier.train`.

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For hyper-parameters that make no sense or data that cannot be trained on.
        """
        if check_choice("solver", self.solver, ("subgradient", "dual")) == "dual":
            if corpus_on_disk(X) is not None:
                raise InputError(
                    'the dual solver keeps numbers of every example in memory; take solver="subgradient" for a corpus on disk'
                )
            check_in_memory(y, checkpoint=checkpoint, report=report, **where)
            return self._train_dual(X, y, callback, sample_weight)
        return super().train(X, y, callback, sample_weight, checkpoint, report, **where)

    def resume(
        self,
        state: Any,
        X: Any,
        y: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        callback: Callable[..., object] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> tuple[np.ndarray, Any]:
        """As :meth:`OnlineClassifier.resume`, of the subgradient solver only: the dual one keeps M x K numbers of its data.

        Parameters
        ----------
        state, X, y, classes, callback, sample_weight
            As in :meth:`OnlineClassifier.resume`.

        Returns
        -------
        params : array (J + 1, K)
        state : OnlineState

        Raises
        ------
        InputError
            If the solver is the dual one; and as :meth:`OnlineClassifier.resume`.
        """
        if self.solver == "dual":
            raise InputError('the dual solver cannot go on; call train, or take solver="subgradient"')
        return super().resume(state, X, y, classes, callback, sample_weight)

    def _train_dual(self, X, y, callback, sample_weight):
        from lxmls_day1.engine.compiled import sparse_rows

        self.check_settings()
        X, labels = self._training_data(X, y)
        costs = check_costs(self.cost, len(self.classes))
        weights = check_sample_weight(sample_weight, labels)
        shares = None if weights is None else weights / weights.mean()
        self.history, self.nr_updates = [], 0

        with self._epoch_progress() as show:

            def after_epoch(epoch, params):
                self.history.append(epoch)
                self.nr_updates += epoch.updates
                show(epoch)
                if callback:
                    callback(epoch, params.copy(), params.copy())

            params, converged = solve_dual(
                sparse_rows.as_examples(X),
                labels,
                costs,
                float(self.regularizer),
                float(self.tolerance),
                int(self.max_epochs),
                random_numbers(self.seed),
                after_epoch,
                shares,
            )
        if not converged:
            last = self.history[-1]
            warnings.warn(
                f"the dual solver was stopped after {last.number} epochs at a gap of {last.gap:.2g}, before it "
                f"reached its tolerance of {self.tolerance:g} x {last.objective:.2g}; raise max_epochs, the tolerance "
                "or the regularizer, or scale the features down",
                stacklevel=3,
            )
        return self._trained_with(params)

    @contextlib.contextmanager
    def _epoch_progress(self):
        """A function that shows an epoch, in a bar if ``progress`` is on."""
        if not self.progress:
            yield lambda epoch: None
            return
        from tqdm.auto import tqdm

        with tqdm(desc=self.get_name(), unit="epoch") as bar:

            def show(epoch):
                bar.set_postfix(objective=f"{epoch.objective:.5g}", gap=f"{epoch.gap:.1g}", refresh=False)
                bar.update()

            yield show
