"""Every online learner is one loop and one rule.

For R rounds, for m in an order of the M examples, t ← t + 1: compute the scores s = g(x)ᵀ W, ask the rule for a vector
d in R^K, and

    W ← (1 − η_t λ) W + g(x) dᵀ

(shrink, then add; the shrinking is left out where the learner has none). ``online_loop.py`` is this loop in plain NumPy. What
differs between two learners is the rule, its step sizes and whether it shrinks: that is all that ``perceptron.py``,
``mira.py``, ``svm.py`` and ``max_ent_online.py`` contain. The settings are here; the engine runs the loop, sparse and compiled.

Sources: the guide, algorithms 2, 3, 5 and 6. Its printed indices of the average, w^1 … w^T, leave the last update out;
here the average is over the matrices after each step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from classifiers.rules import compiled, second_order
from lxmls_day1.lab_api import setting

__all__ = ["OnlineClassifier", "compiled", "second_order"]


@dataclass(eq=False, repr=False, kw_only=True)
class OnlineClassifier(LinearClassifier):
    """The loop. A learner is a subclass that names its ``rule``, and perhaps its steps and its loss.

    Parameters
    ----------
    nr_rounds : int ≥ 1
        R, how often the data is gone through.
    averaged : "steps", "last round", "rounds" or False
        Which weights ``train`` returns: the mean over every step (True means this too), over the steps of the last round,
        over the ends of the rounds, or the last.
    seed : int
        Shuffles the examples anew for each round.
    order : int array (M,) or (R, M), optional
        The examples in the order of their visits, for all rounds or for each; instead of shuffling by ``seed``.
    cost : array (K, K), optional
        ρ: ``cost[p, y]`` is the cost of predicting class p where y is true (classes in ascending order). 0/1 if not given.
    track_objective : bool
        Whether to compute the objective after each round: one more pass over the data, for the ``history``.
    progress : bool
        Whether to show a progress bar over the rounds.
    n_jobs : int ≥ 1
        How many threads train, each on its part of every round; after the round all go on from the mean of their weights
        (iterative parameter mixing). The result depends on this number, and not on the machine.

    Attributes
    ----------
    history : list of :class:`lxmls_day1.engine.loops.learners.Round`
    nr_updates : int
        Over all rounds: for the perceptron its number of mistakes.
    variances : array (J + 1, K), or None
        Σ after the last step: the smaller, the surer is the weight. None where the rule is not a second-order one.

    Notes
    -----
    A rule is a pure function ``rule(scores, label, sq_norm, step, cost) -> d``:

    ========  ===============  ==========================================================================
    scores    (K,)             s = g(x)ᵀ W
    label     int              the column y of the true class
    sq_norm   float            ‖g(x)‖², the intercept's 1 included
    step      float            the largest step allowed: η_t, or 1/λ for MIRA, or 1 for the perceptron
    cost      (K,)             ρ(·, y), the cost of each class where y is true
    d         (K,)             what to add: the weights of class k get d_k · g(x)
    ========  ===============  ==========================================================================

    Marked with :func:`compiled` it runs as machine code; any other rule runs as the Python function that it is, in the same loop on
    compiled row operations. Marked with :func:`second_order` it sees, and shrinks, the variances of the weights.

    A learner that defines ``plan_steps(sq_norms, n_examples=None)`` is shown ‖g(x)‖² of each training example before the first step
    (of a large corpus on disk those of a sample, and how many there are).

    Examples
    --------
    A rule of one's own: whatever was predicted, every example is added to its class, and taken from both alike. After one round the
    weights are the sums of the examples of each class, less the half of all:

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

    rule: ClassVar[Any] = None  # of a subclass: a function, see the notes
    shrinks = False
    resumable = True  # a class with a ``train`` of its own says so again, if that can be gone on with

    nr_rounds: int = setting(10, at_least=1, whole=True)
    averaged: bool | str = setting("steps", one_of=("steps", "last round", "rounds", True, False))
    seed: int = 1
    order: ArrayLike | None = None
    cost: ArrayLike | None = None
    track_objective: bool = setting(False)
    progress: bool = setting(False)
    n_jobs: int = setting(1, at_least=1, whole=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.history: list[Any] = []
        self.nr_updates = 0
        self.variances: np.ndarray | None = None

    def train(
        self,
        X: Any,
        y: ArrayLike | None = None,
        callback: Callable[..., object] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> np.ndarray:
        """Go through the data ``nr_rounds`` times.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels
        callback : function (round, weights, params), optional
            Called after each round with its `Round`, the weights W as they stand (J + 1, K), and the parameters
            that ``train`` would return if it stopped here (the same, unless averaged). Both are copies, yours to keep. It
            does stop here if the function raises ``StopIteration``.
        sample_weight : M numbers ≥ 0, optional
            How much each example counts: its step η_t, or its cap, times its weight over the mean of all weights.

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For hyper-parameters that make no sense, data that cannot be trained on, a rule that returns something
            else than K numbers, or weights that grow beyond all bounds.
        """
        # numba takes its time: imported by the first training
        from lxmls_day1.lab_api import train_online

        return train_online(self, X, y, callback, sample_weight)

    def steps(self, first: int, count: int) -> np.ndarray:
        """The step sizes of the steps t = first, …, first + count − 1, shape (count,). Here: all 1."""
        return np.ones(count)

    def row_costs(self) -> np.ndarray:
        """What the rule is told of the costs (K, K): row y is ρ(·, y). Raises an InputError for costs that make no sense."""
        return np.ascontiguousarray(self._costs(len(self.classes)).T)

    def finish(self, rows: Any, params: np.ndarray, errors: int) -> np.ndarray:
        """What ``train`` returns (J + 1, K): from the average of the weights, all examples, and the errors of the last round."""
        return params

    def losses(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
        """The loss of each example (M,) from scores (M, K) and true columns (M,), or None; an error for costs that do not fit."""
        return None

    def penalty_of(self, params: np.ndarray) -> float:
        """What the objective adds to the mean loss at parameters (J + 1, K). Here: nothing."""
        return 0.0

    def objective(self, X: Any, y: ArrayLike, params: ArrayLike) -> float | None:
        """What the learner minimises at ``params`` (J + 1, K), over examples X (M, J) with labels y (M,): mean loss plus penalty.

        None for a learner that minimises nothing; an InputError if X, y and params do not fit together.
        """
        self.check_settings()
        X, labels, params = self._labelled(X, y, params)
        losses = self.losses(self.scores_of_rows(X, params), labels)
        return None if losses is None else float(losses.mean() + self.penalty_of(params))
