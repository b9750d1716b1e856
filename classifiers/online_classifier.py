"""The base of the online learners: one loop for all, and one rule for each.

For R rounds, for m in an order of the M examples, t ← t + 1: compute the scores s = g(x)ᵀ W, call the rule to get a vector
d in R^K, and update

    W ← (1 − η_t λ) W + g(x) dᵀ

(shrink, then add; a learner without a penalty does not shrink). ``online_loop.py`` is this loop in plain NumPy. Two learners
differ only in the rule, the step sizes and the shrinking, so ``perceptron.py``, ``mira.py``, ``svm.py`` and
``max_ent_online.py`` contain nothing else. The settings are in this file; the engine runs the loop, on sparse data and compiled.

Sources: the guide, algorithms 2, 3, 5 and 6. Its printed indices of the average, w^1 … w^T, leave the last update out;
here the average is over the matrices after each step.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from classifiers.rules import compiled, second_order
from lxmls_day1.lab_api import setting

__all__ = ["OnlineClassifier", "compiled", "second_order"]


@dataclass(eq=False, repr=False, kw_only=True)
class OnlineClassifier(LinearClassifier):
    """Base of the online learners. A subclass sets its ``rule``, and may define its step sizes and its loss.

    Parameters
    ----------
    nr_rounds : int ≥ 1
        R, the number of passes over the data.
    averaged : "steps", "last round", "rounds" or False
        The weights that ``train`` returns: the mean over every step (True means this too), over the steps of the last round,
        over the ends of the rounds, or (False) the weights after the last step.
    seed : int
        Seed of the shuffle; the examples are shuffled again before each round.
    order : int array (M,) or (R, M), optional
        The order in which the examples are visited, one for all rounds or one for each round; replaces the shuffle.
    cost : array (K, K), optional
        ρ: ``cost[p, y]`` is the cost of predicting class p if y is true (classes in ascending order). Default: 0 if p = y, else 1.
    track_objective : bool
        Whether to compute the objective after each round for the ``history``, which costs one more pass over the data.
    progress : bool
        Whether to show a progress bar over the rounds.
    n_jobs : int ≥ 1
        The number of threads, each of which trains on a part of every round. After the round all continue from the mean of their
        weights (iterative parameter mixing). The result depends on this number, but not on the machine.

    Attributes
    ----------
    history : list of :class:`lxmls_day1.engine.loops.learners.Round`
    nr_updates : int
        The number of updates over all rounds; for the perceptron this is the number of mistakes.
    variances : array (J + 1, K), or None
        Σ after the last step: the smaller a variance, the more certain the weight. None if the rule is not second-order.

    Notes
    -----
    A rule is a pure function ``rule(scores, label, sq_norm, step, cost) -> d``:

    ========  ===============  ==========================================================================
    scores    (K,)             s = g(x)ᵀ W
    label     int              the column y of the true class
    sq_norm   float            ‖g(x)‖², the intercept's 1 included
    step      float            the largest step allowed: η_t, or 1/λ for MIRA, or 1 for the perceptron
    cost      (K,)             ρ(·, y), the cost of predicting each class if y is true
    d         (K,)             the update: d_k · g(x) is added to the weights of class k
    ========  ===============  ==========================================================================

    A rule marked with :func:`compiled` runs as machine code. Any other rule runs as a Python function, in the same loop with compiled
    row operations. A rule marked with :func:`second_order` reads and shrinks the variances of the weights.

    If a learner defines ``plan_steps(sq_norms, n_examples=None)``, it is called before the first step with ‖g(x)‖² of each training
    example (for a large corpus on disk: of a sample, with the number of all examples).

    Examples
    --------
    Define your own rule. This one ignores the prediction: it adds every example to its class and subtracts half of it from both
    classes. After one round the weights of a class are the sum of its examples minus half of the sum of all examples:

    >>> def sum_rule(scores, label, sq_norm, step, cost):
    ...     d = np.full(len(scores), -1 / len(scores))
    ...     d[label] += 1
    ...     return d
    >>> class ClassSums(OnlineClassifier):
    ...     rule = staticmethod(sum_rule)
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> ClassSums(nr_rounds=1, averaged=False).train(X, y)
    array([[ 0.,  0.],
           [ 3., -3.],
           [ 1., -1.]])
    """

    rule: ClassVar[Any] = None  # a subclass sets it to a function, see the notes
    shrinks = False
    resumable = True  # a subclass with its own ``train`` repeats this if that training can be resumed

    nr_rounds: int = setting(10, at_least=1, whole=True)
    averaged: bool | str = setting("steps", one_of=("steps", "last round", "rounds", True, False))
    seed: int = 1
    order: ArrayLike | None = None
    cost: ArrayLike | None = None
    track_objective: bool = setting(False)
    progress: bool = setting(False)
    n_jobs: int = setting(1, at_least=1, whole=True)

    history: list[Any] = field(default_factory=list, init=False)
    nr_updates: int = field(default=0, init=False)
    variances: np.ndarray | None = field(default=None, init=False)

    def train(
        self,
        X: Any,
        y: ArrayLike | None = None,
        callback: Callable[..., object] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> np.ndarray:
        """Make ``nr_rounds`` passes over the data.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels
        callback : function (round, weights, params), optional
            Called after each round with its `Round`, the current weights W (J + 1, K), and the parameters that ``train`` would
            return if it stopped now (equal to W unless averaged). Both are copies that you may keep. If the function raises
            ``StopIteration``, training stops.
        sample_weight : M numbers ≥ 0, optional
            The weight of each example: its step η_t, or its cap, is multiplied by its weight divided by the mean weight.

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For invalid hyper-parameters, data that cannot be trained on, a rule that does not return K numbers, or weights that
            diverge.
        """
        # Imported here because importing numba is slow.
        from lxmls_day1.lab_api import train_online

        return train_online(self, X, y, callback, sample_weight)

    def steps(self, first: int, count: int) -> np.ndarray:
        """Return the step sizes (count,) of the steps t = first, …, first + count − 1. Here: all 1."""
        return np.ones(count)

    def row_costs(self) -> np.ndarray:
        """Return the costs (K, K) for the rule: row y is ρ(·, y). Raise an InputError for invalid costs."""
        return np.ascontiguousarray(self._costs(len(self.classes)).T)

    def finish(self, rows: Any, params: np.ndarray, errors: int) -> np.ndarray:
        """Return the result of ``train`` (J + 1, K), from the averaged weights, all examples, and the errors of the last round."""
        return params

    def losses(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
        """Return the loss of each example (M,) from scores (M, K) and true columns (M,), or None if the learner has no loss.

        Raise an InputError for costs that do not fit.
        """
        return None

    def penalty_of(self, params: np.ndarray) -> float:
        """Return the penalty that the objective adds to the mean loss, at parameters (J + 1, K). Here: 0."""
        return 0.0

    def objective(self, X: Any, y: ArrayLike, params: ArrayLike) -> float | None:
        """Return the objective at ``params`` (J + 1, K), over examples X (M, J) with labels y (M,): mean loss plus penalty.

        Return None if the learner minimises nothing. Raise an InputError if X, y and params do not fit together.
        """
        self.check_settings()
        X, labels, params = self._labelled(X, y, params)
        losses = self.losses(self.scores_of_rows(X, params), labels)
        return None if losses is None else float(losses.mean() + self.penalty_of(params))
