"""Every online learner is one loop and one rule.

For R rounds, for m in an order of the M examples, t ← t + 1: compute the scores s = g(x)ᵀ W, ask the rule for a vector
d in R^K, and

    W ← (1 − η_t λ) W + g(x) dᵀ

(shrink, then add; the shrinking is left out where the learner has none). ``online_loop.py`` is this loop in plain NumPy. What
differs between two learners is the rule, its step sizes and whether it shrinks: that is all that ``perceptron.py``,
``mira.py``, ``svm.py`` and ``max_ent_online.py`` contain. Settings, rounds and history are here; the steps, sparse and
compiled, are in ``lxmls_day1/compiled/online_steps.py``.

Sources: the guide, algorithms 2, 3, 5 and 6. Its printed indices of the average, w^1 … w^T, leave the last update out;
here the average is over the matrices after each step.
"""

import functools
import itertools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from lxmls_day1.checks import (
    all_finite,
    as_matrix,
    as_numbers,
    check_costs,
    check_flag,
    check_number,
    check_sample_weight,
    random_numbers,
)
from lxmls_day1.errors import InputError


class Round(NamedTuple):
    """What one round of training did; ``history`` keeps one of these for each round.

    ``objective`` is the true one, over all training data, at the parameters that ``train`` would return if it stopped
    here; None where the learner minimises nothing, and without ``track_objective=True``.
    """

    number: int  # 1, 2, …
    updates: int  # steps of this round that changed the weights beyond shrinking them
    seconds: float | None  # of training so far, without the objective; None where all rounds ran in one go
    objective: float | None


AVERAGES = ("steps", "last round", "rounds")


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
    history : list of :class:`Round`
    nr_updates : int
        Over all rounds: for the perceptron its number of mistakes.

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

    A rule marked with :func:`compiled` runs as machine code. Any other rule runs as the Python function that it is,
    in the same loop on compiled row operations.
    """

    rule = None
    shrinks = False

    def __init__(
        self,
        nr_rounds: int = 10,
        averaged: bool | str = "steps",
        seed: int = 1,
        order: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        track_objective: bool = False,
        progress: bool = False,
        n_jobs: int = 1,
    ) -> None:
        super().__init__()
        self.nr_rounds = nr_rounds
        self.averaged = averaged
        self.seed = seed
        self.order = order
        self.cost = cost
        self.track_objective = track_objective
        self.progress = progress
        self.n_jobs = n_jobs
        self.history = []
        self.nr_updates = 0

    def plan_steps(self, sq_norms):
        """Look at the training data before the first step: ‖g(x)‖² of each example (M,). Here: nothing."""

    def steps(self, first, count):
        """The step sizes of the steps t = first, …, first + count − 1, shape (count,). Here: all 1."""
        return np.ones(count)

    def check_settings(self):
        """Raise an InputError for hyper-parameters that make no sense; ``train`` begins with this."""
        check_number("nr_rounds", self.nr_rounds, at_least=1, whole=True)
        if not any(self.averaged is known for known in (True, False)) and not (
            isinstance(self.averaged, str) and self.averaged in AVERAGES
        ):
            raise InputError(f'averaged must be "steps", "last round", "rounds" or False, but is {self.averaged!r}')
        check_flag("track_objective", self.track_objective)
        check_flag("progress", self.progress)
        check_number("n_jobs", self.n_jobs, at_least=1, whole=True)

    def train(self, X, y, callback=None, sample_weight=None):
        """Go through the data ``nr_rounds`` times.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels
        callback : function (round, weights, params), optional
            Called after each round with its :class:`Round`, the weights W as they stand (J + 1, K), and the parameters
            that ``train`` would return if it stopped here (the same, unless averaged). Both are copies, yours to keep.
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
        from lxmls_day1.compiled import online_steps  # numba takes its time: imported by the first training

        self.check_settings()
        X, labels = self._training_data(X, y, check=as_matrix)
        factors = check_sample_weight(sample_weight, labels)
        factors = None if factors is None else factors / factors.mean()
        costs = np.ascontiguousarray(check_costs(self.cost, len(self.classes)).T)  # row y: ρ(·, y)
        steps = online_steps.RowSteps(
            self.rule, X, labels, costs, self._shrinkage(), self._averages_steps(), factors, n_jobs=int(self.n_jobs)
        )
        state = self._new_state(steps.weights, steps.sq_norms)
        objective = functools.partial(self._objective, X, labels, factors=factors)
        return self._train_rounds(steps.take, state, len(labels), objective, callback, keep_state=False)

    def resume(self, state, X, y, classes=None, callback=None, sample_weight=None):
        """Go through the data ``nr_rounds`` times, from where an earlier training stopped.

        Five rounds, and five more from their state, give what ten rounds give, to the last bit.

        Parameters
        ----------
        state : lxmls_day1.compiled.online_steps.OnlineState or None
            What ``resume`` returned before; it stays as it is. None to begin with.
        X : array or sparse matrix (M, J)
            The same examples or others, of the same features.
        y : M labels, of the classes that the state knows
        classes : labels, optional
            To begin with: all that there will be. Those of ``y`` if not given.
        callback : as in ``train``
        sample_weight : M numbers ≥ 0, optional
            By which factor the step of each example is multiplied, as it stands: the data may come in parts.

        Returns
        -------
        params : array (J + 1, K)
            As ``train`` returns them, averages included, after all rounds so far.
        state : OnlineState

        Raises
        ------
        InputError
            As ``train``; and for a state of other features or of another average.

        Examples
        --------
        >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
        >>> from classifiers.perceptron import Perceptron
        >>> first, state = Perceptron(nr_rounds=5).resume(None, X, y)
        >>> params, state = Perceptron(nr_rounds=5).resume(state, X, y)
        >>> np.array_equal(params, Perceptron(nr_rounds=10).train(X, y)), state.n_rounds
        (True, 10)
        """
        from lxmls_day1.compiled import online_steps  # numba takes its time: imported by the first training

        self.check_settings()
        if state is not None:
            classes = state.classes
        X, labels = self._training_data(X, y, check=as_matrix, classes=classes)
        factors = check_sample_weight(sample_weight, labels, every_class=False)
        state = state and self._copy_of(state, X.shape[1] + 1)
        costs = np.ascontiguousarray(check_costs(self.cost, len(self.classes)).T)  # row y: ρ(·, y)
        weights = state and state.weights
        steps = online_steps.RowSteps(
            self.rule,
            X,
            labels,
            costs,
            self._shrinkage(),
            self._averages_steps(),
            factors,
            weights,
            n_jobs=int(self.n_jobs),
        )
        state = state or self._new_state(steps.weights, steps.sq_norms)
        objective = functools.partial(self._objective, X, labels, factors=factors)
        return self._train_rounds(steps.take, state, len(labels), objective, callback), state

    def _new_state(self, weights, sq_norms):
        from lxmls_day1.compiled import online_steps

        names = getattr(self, "feature_names", None)
        return online_steps.OnlineState(
            self.classes, self._average(), weights, random_numbers(self.seed), sq_norms, names
        )

    def _copy_of(self, state, n_rows):
        """A state to go on with, if it fits this learner and parameters of so many rows."""
        if len(state.weights.V) != n_rows or self._average() != state.averaged:
            raise InputError(
                f"this state has parameters of {len(state.weights.V)} rows and averaged={state.averaged!r}, but the data ask for "
                f"{n_rows} rows and the learner has averaged={self.averaged!r}; go on with the same features and average, or "
                "begin with state=None"
            )
        return state.copy()

    def _train_rounds(self, take, state, n_examples, objective, callback, keep_state=True):
        """The rounds of all online learners.

        Parameters
        ----------
        take : function (orders (R, M), steps (R·M,)) -> updates (R,)
            Takes the steps of R rounds, and counts those that changed the weights.
        state : lxmls_day1.compiled.online_steps.OnlineState
            Where to begin. ``take`` changes its weights, and this function the rest.
        n_examples : int, M
        objective : function (params) -> float or None
        callback : function (round, weights, params), or None
        keep_state : bool
            Whether the state can be gone on with afterwards. If not, its memory may become that of the parameters.

        Returns
        -------
        params : array of the shape of W
        """
        orders = self._orders(n_examples, state.rng)  # (R, M)
        by_rounds = self.averaged == "rounds"
        if state.sq_norms is not None:
            self.plan_steps(state.sq_norms)
        weights, steps_before, rounds_before = state.weights, state.n_steps, state.n_rounds
        self.history, self.nr_updates, seconds = [], 0, 0.0

        # Where nobody looks between the rounds they run in one go; a mean over the last one needs that by itself.
        looks = bool(callback) or self.track_objective or self.progress or by_rounds
        alone = range(len(orders)) if looks else {0, len(orders) - 1 if self.averaged == "last round" else 0}
        for first, last in self._with_progress(list(itertools.pairwise([*sorted(alone), len(orders)]))):
            started = time.perf_counter()
            if self.averaged == "last round" and (looks or last == len(orders)):
                weights.start_mean()
            visits = orders[first:last]
            firsts = range(steps_before + first * n_examples, steps_before + last * n_examples, n_examples)
            updates = take(visits, np.concatenate([self.steps(1 + before, n_examples) for before in firsts]))
            state.n_rounds, state.n_steps = rounds_before + last, steps_before + last * n_examples
            if by_rounds:
                mean = state.mean_of_rounds
                state.mean_of_rounds = (
                    mean + (weights.current() - mean) / state.n_rounds
                )  # a new array: copies share it
            seconds += time.perf_counter() - started

            if callback or self.track_objective or last == len(orders):
                at_end = last == len(orders) and not (keep_state or callback)
                params = state.mean_of_rounds.copy() if by_rounds else weights.result(last=at_end)
                if not all_finite(params):
                    raise InputError(
                        f"{self.get_name()}: the weights grew beyond all bounds by round {state.n_rounds}; take smaller steps, or "
                        "scale the features down"
                    )
            reached = objective(params) if self.track_objective else None
            self.history += [
                Round(number, count, seconds if looks else None, reached)
                for number, count in enumerate(updates.tolist(), start=rounds_before + first + 1)
            ]
            self.nr_updates += int(updates.sum())
            if callback:
                callback(self.history[-1], weights.current(), params.copy())
        self.trained = True
        return params

    def objective(self, X, y, params):
        """What the learner minimises, at ``params``: (1/M) Σ loss + (λ/2)‖W‖². None for one that minimises nothing.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels of the classes seen in training
        params : array (J + 1, K)
        """
        self.check_settings()
        return self._objective(*self._with_labels(X, y, params))

    def losses(self, scores, labels):
        """The loss of each example (M,) from scores (M, K) and true columns (M,); None for a learner without one."""
        return None

    def _objective(self, X, labels, params, factors=None):
        if type(self).losses is OnlineClassifier.losses:  # it minimises nothing
            return None
        losses = self.losses(self._scores(X, params), labels)
        mean = losses.mean() if factors is None else np.average(losses, weights=factors)
        return float(mean + self.regularizer / 2 * (params**2).sum())

    def _shrinkage(self):
        """λ for a learner whose weights shrink, else 0."""
        return float(self.regularizer) if self.shrinks else 0.0

    def _averages_steps(self):
        return self._average() == "steps"

    def _average(self):
        return "steps" if self.averaged is True else self.averaged

    def _orders(self, n_examples, rng=None):
        """The examples of each round (R, M): shuffled by ``rng``, or by ``seed``, unless ``order`` names them."""
        nr_rounds = int(self.nr_rounds)
        if self.order is None:
            rng = random_numbers(self.seed) if rng is None else rng
            orders = np.tile(np.arange(n_examples, dtype=np.int64), (nr_rounds, 1))
            for order in orders:
                rng.shuffle(order)
            return orders
        as_numbers(self.order, "order must hold example numbers")
        order = np.asarray(self.order)
        if order.ndim == 1:
            order = np.tile(order, (nr_rounds, 1))
        if order.shape != (nr_rounds, n_examples) or order.dtype.kind not in "iu":
            raise InputError(
                f"order must hold {n_examples} example numbers, for all rounds or for each of the {nr_rounds}: shape "
                f"({n_examples},) or ({nr_rounds}, {n_examples}), but has the shape {np.shape(self.order)} and the type {order.dtype}"
            )
        if order.min() < 0 or order.max() >= n_examples:
            raise InputError(
                f"order must number the examples from 0 to {n_examples - 1}, but holds {order.min()} … {order.max()}"
            )
        return np.ascontiguousarray(order, dtype=np.int64)

    def _with_progress(self, rounds):
        if not self.progress:
            return rounds
        from tqdm.auto import tqdm

        return tqdm(rounds, desc=self.get_name(), unit="round")


def compiled(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Mark an update rule as one to be run as machine code (see :class:`OnlineClassifier`).

    The rule stays the Python function that it was. It is compiled when a learner first trains with it, and the machine
    code is kept on disk; if it cannot be compiled, a warning says why and the Python function runs.
    """
    rule.compiled = True
    return rule
