"""Every online learner is one loop and one rule.

For R rounds, for m in an order of the M examples, t ← t + 1: compute the scores s = g(x)ᵀ W, ask the rule for a vector
d in R^K, and

    W ← (1 − η_t λ) W + g(x) dᵀ

(shrink, then add; the shrinking is left out where the learner has none). What differs between two learners is the rule,
its step sizes and whether it shrinks: that is all that ``perceptron.py``, ``mira.py``, ``svm.py`` and
``max_ent_online.py`` contain. Shuffling, averaging, history, sparsity and speed are here.

Two tricks keep a step as cheap as its example is short (J can be large, examples are not):

* *shrinking*: W is held as a scalar times a matrix, W = c V, and only c shrinks;
* *averaging*: the mean of the T matrices that stand after each step comes from one running sum. Step t adds
  g(x) dᵀ to the matrices t, t + 1, …, T, that is to all T but the first t − 1; so keep U += (t − 1) g(x) dᵀ, and then
  W̄ = W − U/T. With shrinking, t − 1 becomes the sum of the scales so far.

Sources: the guide, algorithms 2, 3, 5 and 6. Its printed indices of the average, w^1 … w^T, leave the last update out;
here the average is over the matrices after each step.
"""

import functools
import time
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from lxmls_day1.checks import as_matrix, check_costs, check_finite, check_number
from lxmls_day1.errors import InputError


class Round(NamedTuple):
    """What one round of training did; ``history`` keeps one of these for each round.

    ``objective`` is the true one, over all training data, at the parameters that ``train`` would return if it stopped
    here; None where the learner minimises nothing, or with ``track_objective=False``.
    """

    number: int  # 1, 2, …
    updates: int  # steps of this round that changed the weights beyond shrinking them
    seconds: float | None  # of training so far, without the objective; None where all rounds ran in one go
    objective: float | None


class OnlineClassifier(LinearClassifier):
    """The loop. A learner is a subclass that names its ``rule``, and perhaps its steps and its loss.

    Parameters
    ----------
    nr_rounds : int ≥ 1
        R, how often the data is gone through.
    averaged : "steps", "rounds" or False
        Which weights ``train`` returns: the mean over every step (True means this too), the mean over the ends of the
        rounds, or the last.
    seed : int
        Shuffles the examples anew for each round.
    order : int array (M,) or (R, M), optional
        The examples in the order of their visits, for all rounds or for each; instead of shuffling by ``seed``.
    cost : array (K, K), optional
        ρ: ``cost[p, y]`` is the cost of predicting class p where y is true (classes in ascending order). 0/1 if not given.
    track_objective : bool
        Whether to compute the objective after each round (one more pass over the data).
    progress : bool
        Whether to show a progress bar over the rounds.

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
        track_objective: bool = True,
        progress: bool = False,
    ) -> None:
        super().__init__()
        self.nr_rounds = nr_rounds
        self.averaged = averaged
        self.seed = seed
        self.order = order
        self.cost = cost
        self.track_objective = track_objective
        self.progress = progress
        self.history = []
        self.nr_updates = 0

    def steps(self, first, count):
        """The step sizes of the steps t = first, …, first + count − 1, shape (count,). Here: all 1."""
        return np.ones(count)

    def check_settings(self):
        """Raise an InputError for hyper-parameters that make no sense; ``train`` begins with this."""
        check_number("nr_rounds", self.nr_rounds, at_least=1, whole=True)
        if not any(self.averaged is known for known in (True, False)) and self.averaged not in ("steps", "rounds"):
            raise InputError(f'averaged must be "steps", "rounds" or False, but is {self.averaged!r}')

    def train(self, X, y, callback=None):
        """Go through the data ``nr_rounds`` times.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels
        callback : function (round, weights, params), optional
            Called after each round with its :class:`Round`, the weights W as they stand (J + 1, K), and the parameters
            that ``train`` would return if it stopped here (the same, unless averaged). Both are copies, yours to keep.

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For hyper-parameters that make no sense, data that cannot be trained on, a rule that returns something
            else than K numbers, or weights that grow beyond all bounds.
        """
        from lxmls_day1.compiled import sparse_rows  # numba: imported when it is needed, and not before

        self.check_settings()
        X, labels = self._training_data(X, y, check=as_matrix)
        examples = sparse_rows.as_examples(X)
        if not np.isfinite(examples.sq_norms).all():  # where the norms are finite, so are all numbers
            check_finite(X)
        n_examples, n_classes = len(labels), len(self.classes)
        costs = np.ascontiguousarray(check_costs(self.cost, n_classes).T)  # row y: ρ(·, y)
        orders = self._orders(n_examples)  # (R, M)
        check_rule(self.rule, n_classes, costs)
        run, compiles = _runner(sparse_rows, self.rule)
        examples = sparse_rows.compact(examples) if compiles else examples
        averaged = "steps" if self.averaged is True else self.averaged

        weights = Weights(X.shape[1] + 1, n_classes, averaged == "steps", paired=compiles and n_classes == 2)
        shrinkage = float(self.regularizer) if self.shrinks else 0.0
        mean_of_rounds = 0.0
        self.history, self.nr_updates, seconds = [], 0, 0.0

        # Where nobody looks between the rounds they run in one go.
        looks = bool(callback) or self.track_objective or self.progress or averaged == "rounds"
        rounds_in_one_go = 1 if looks else len(orders)
        for first in self._with_progress(range(0, len(orders), rounds_in_one_go)):
            started = time.perf_counter()
            visits = orders[first : first + rounds_in_one_go]
            steps = self.steps(1 + first * n_examples, visits.size)
            updates = np.zeros(len(visits), dtype=np.int64)
            run(examples, labels, visits.ravel(), steps, shrinkage, costs, weights, updates)
            if averaged == "rounds":
                mean_of_rounds = mean_of_rounds + (weights.current() - mean_of_rounds) / (first + 1)
            seconds += time.perf_counter() - started

            last_round = first + len(visits)
            if callback or self.track_objective or last_round == len(orders):
                params = mean_of_rounds.copy() if averaged == "rounds" else weights.result()
                if not np.isfinite(params).all():
                    raise InputError(
                        f"{self.get_name()}: the weights grew beyond all bounds by round {last_round}; take smaller steps, "
                        "or scale the features down"
                    )
            objective = self._objective(X, labels, params) if self.track_objective else None
            self.history += [
                Round(number, count, seconds if looks else None, objective)
                for number, count in enumerate(updates.tolist(), start=first + 1)
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
        return self._objective(X, self._codes(y), params)

    def losses(self, scores, labels):
        """The loss of each example (M,) from scores (M, K) and true columns (M,); None for a learner without one."""
        return None

    def _objective(self, X, labels, params):
        losses = self.losses(self._scores(X, params), labels)
        if losses is None:
            return None
        return float(losses.mean() + self.regularizer / 2 * (params**2).sum())

    def _orders(self, n_examples):
        nr_rounds = int(self.nr_rounds)
        if self.order is None:
            rng = np.random.default_rng(self.seed)
            orders = np.tile(np.arange(n_examples, dtype=np.int64), (nr_rounds, 1))
            for order in orders:
                rng.shuffle(order)
            return orders
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


def compiled(rule):
    """Mark an update rule as one to be run as machine code (see :class:`OnlineClassifier`).

    The rule stays the Python function that it was. It is compiled when a learner first trains with it, and the machine
    code is kept on disk; if it cannot be compiled, a warning says why and the Python function runs.
    """
    rule.compiled = True
    return rule


class Weights:
    """The weight matrix of an online learner, held as W = c V, with the running sum of its average.

    Attributes
    ----------
    V : array (J + 1, K), or (J + 1, 1) while W is a pair (−c v, c v)
    U : array of the shape of V, or of no rows without averaging
    state : array (2,)
        The scale c, and the sum S of the scales after each step since c was last folded into V. With these the sum of
        all W so far is S V − U.
    """

    def __init__(self, n_rows, n_classes, averaged, paired=False):
        self.paired = paired
        n_columns = 1 if paired else n_classes
        self.V = aligned_zeros(n_rows, n_columns)
        self.U = aligned_zeros(n_rows if averaged else 0, n_columns)
        self.state = np.array([1.0, 0.0])
        self.n_steps = 0

    def current(self):
        """W after the last step, a new array (J + 1, K)."""
        return self._full(self.state[0] * self.V)

    def result(self):
        """The mean of W over all steps where averaging is on, else W: a new array (J + 1, K)."""
        return self._full((self.state[1] * self.V - self.U) / self.n_steps) if len(self.U) else self.current()

    def unpair(self):
        """Go on with a column for each of the two classes."""
        self.V, self.U, self.paired = self._full(self.V), self._full(self.U), False

    def _full(self, columns):
        return np.hstack([-columns, columns]) if self.paired else columns


def aligned_zeros(n_rows, n_columns, line=64):
    """A matrix of zeros that begins where a cache line (64 bytes) does, so that no more lines hold a row than must."""
    memory = np.zeros(8 * n_rows * n_columns + line, dtype=np.uint8)
    start = -memory.ctypes.data % line
    return memory[start : start + 8 * n_rows * n_columns].view(np.float64).reshape(n_rows, n_columns)


def check_rule(rule, n_classes, costs):
    """Try a rule once, in Python, so that a stub or a forgotten ``return`` is reported as what it is."""
    if rule is None:
        raise InputError("this learner has no rule: give its class one, rule = staticmethod(my_rule)")
    label = n_classes - 1
    _as_update(rule, rule(np.zeros(n_classes), label, 1.0, 1.0, costs[label].copy()), n_classes)


def _as_update(rule, d, n_classes):
    try:
        update = np.ascontiguousarray(d, dtype=np.float64)
    except (TypeError, ValueError):
        update = None
    if d is None or update is None or update.shape != (n_classes,):
        got = "None; is its return missing?" if d is None else f"{d!r}"
        name = getattr(rule, "__name__", "the rule")
        raise InputError(f"{name} must return d, one number for each of the {n_classes} classes, but returned {got}")
    return update


def _runner(sparse_rows, rule):
    """A function that takes steps with ``rule``, and whether it is machine code: if the rule is marked for it, and can be."""
    if getattr(rule, "compiled", False):
        try:
            return functools.partial(_run_compiled, sparse_rows, sparse_rows.compile_rule(rule)), True
        except Exception as error:  # whatever numba says to it: as Python the rule has just worked (`check_rule`)
            reason = (str(error).strip() or type(error).__name__).splitlines()[-1]
            warnings.warn(f"{rule.__name__} could not be compiled and runs as plain Python: {reason}", stacklevel=3)
    return functools.partial(_run_readable, sparse_rows, rule), False


def _run_compiled(sparse_rows, machine_code, examples, labels, order, steps, shrinkage, costs, weights, updates):
    weights.n_steps += len(order)
    done = 0
    while done < len(order):
        done = sparse_rows.take_steps(
            machine_code, examples, labels=labels, order=order, steps=steps, shrinkage=shrinkage, costs=costs,
            V=weights.V, U=weights.U, state=weights.state, updates=updates, first_step=done,
        )  # fmt: skip
        if done < len(order):  # the rule does not give to one class what it takes from the other
            weights.unpair()


def _run_readable(sparse_rows, rule, examples, labels, order, steps, shrinkage, costs, weights, updates):
    V, U, state = weights.V, weights.U, weights.state
    labels, sq_norms = labels.tolist(), examples.sq_norms.tolist()
    costs.flags.writeable = False  # a rule that adds to its costs in place would change them for good
    cost_of = list(costs)
    steps_per_round = len(order) // len(updates)
    weights.n_steps += len(order)
    for n, (m, step) in enumerate(zip(order.tolist(), steps.tolist(), strict=True)):
        scores = sparse_rows.scores_of_row(examples, m, V, state)  # (K,): s = g(x)ᵀ W
        d = _as_update(rule, rule(scores, labels[m], sq_norms[m], step, cost_of[labels[m]]), len(cost_of))
        if sparse_rows.update_by_row(examples, m, d, 1.0 - step * shrinkage, V, U, state):
            updates[n // steps_per_round] += 1
