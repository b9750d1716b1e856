"""Every online learner is one loop and one rule.

For R rounds, for m in an order of the M examples, t ← t + 1: compute the scores s = g(x)ᵀ W, ask the rule for a vector
d in R^K, and

    W ← (1 − η_t λ) W + g(x) dᵀ

(shrink, then add; the shrinking is left out where the learner has none). ``online_loop.py`` is this loop in plain NumPy. What
differs between two learners is the rule, its step sizes and whether it shrinks: that is all that ``perceptron.py``,
``mira.py``, ``svm.py`` and ``max_ent_online.py`` contain. Settings, rounds and history are here; the steps, sparse and
compiled, are in ``lxmls_day1/engine/compiled/online_steps.py``.

Sources: the guide, algorithms 2, 3, 5 and 6. Its printed indices of the average, w^1 … w^T, leave the last update out;
here the average is over the matrices after each step.
"""

import contextlib
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
    check_params,
    check_sample_weight,
    random_numbers,
)
from lxmls_day1.engine.streaming.shard_rows import (
    MatrixRows,
    ShardRows,
    check_alone,
    check_classes,
    check_in_memory,
    columns_of_classes,
    corpus_on_disk,
)
from lxmls_day1.errors import InputError


class Round(NamedTuple):
    """What one round of training did; ``history`` keeps one of these for each round.

    ``objective`` is the true one, over all training data, at the parameters that ``train`` would return if it stopped
    here; None where the learner minimises nothing, and without ``track_objective=True``.

    Examples
    --------
    The first example that is visited, x = −1, is a mistake, since of equal scores the first class is taken. No other is:

    >>> from classifiers.perceptron import Perceptron
    >>> perceptron = Perceptron(nr_rounds=2, order=[1, 0])
    >>> params = perceptron.train([[2.0], [-1.0]], [0, 1])
    >>> [(round.number, round.updates, round.errors) for round in perceptron.history]
    [(1, 1, 1), (2, 0, 0)]
    """

    number: int  # 1, 2, …
    updates: int  # steps of this round that changed the weights beyond shrinking them
    seconds: float | None  # of training so far, without the objective; None where all rounds ran in one go
    objective: float | None
    errors: int | None = None  # labelled wrongly right before their step; None of structured learners
    validation: tuple[Any, ...] = ()  # of a corpus on disk: the lines of progressive validation (`Validation`)


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
        How many threads, or parts on a cluster, train, each on its part of every round; after the round all go on from the mean of
        their weights (iterative parameter mixing). The result depends on this number, and not on the machine.

    Attributes
    ----------
    history : list of :class:`Round`
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

    A rule marked with :func:`second_order` sees, in place of ``sq_norm``, how sure the scores are, and answers with two vectors:
    ``rule(scores, label, variances, step, cost) -> (d, b)``. Every weight has a variance Σ_jk then, 1 at the start, and

    =========  ===============  =========================================================================
    variances  (K,)             those of the scores: Σ_j Σ_jk g_j²
    d          (K,)             what to add: the weights of class k get d_k Σ_k ∘ g(x)
    b          (K,)             what to take from the variances: those of class k lose b_k (Σ_k ∘ g(x))²
    =========  ===============  =========================================================================

    A rule marked with :func:`compiled` runs as machine code. Any other rule runs as the Python function that it is,
    in the same loop on compiled row operations.

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

    streams = True
    rule: Any = None  # of a subclass: a function, see the notes
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
        self.history: list[Any] = []
        self.nr_updates = 0
        self.variances: np.ndarray | None = None

    def plan_steps(self, sq_norms: np.ndarray, n_examples: int | None = None) -> None:
        """Look at the training data before the first step. Here: nothing.

        Parameters
        ----------
        sq_norms : array
            ‖g(x)‖² of each example (M,); of a large corpus on disk, of a sample.
        n_examples : int, optional
            M, where ``sq_norms`` are those of a sample.
        """

    def steps(self, first: int, count: int) -> np.ndarray:
        """The step sizes of the steps t = first, …, first + count − 1, shape (count,). Here: all 1."""
        return np.ones(count)

    def check_settings(self) -> None:
        """Raise an InputError for hyper-parameters that make no sense; ``train`` begins with this."""
        check_number("nr_rounds", self.nr_rounds, at_least=1, whole=True)
        if not any(self.averaged is known for known in (True, False)) and not (
            isinstance(self.averaged, str) and self.averaged in AVERAGES
        ):
            raise InputError(f'averaged must be "steps", "last round", "rounds" or False, but is {self.averaged!r}')
        check_flag("track_objective", self.track_objective)
        check_flag("progress", self.progress)
        check_number("n_jobs", self.n_jobs, at_least=1, whole=True)

    def train(
        self,
        X: Any,
        y: ArrayLike | None = None,
        callback: Callable[..., object] | None = None,
        sample_weight: ArrayLike | None = None,
        checkpoint: Any = None,
        report: Callable[..., object] | None = None,
        scheduler: str | None = None,
        mix_every: int | None = None,
    ) -> np.ndarray:
        """Go through the data ``nr_rounds`` times.

        Parameters
        ----------
        X : array or sparse matrix (M, J), or a corpus on disk
            A corpus on disk is a folder that ``lxmls-day1 cache`` has made, or the `StreamedCorpus` of one. No more than a few
            of its shards are in memory at once. In every round its shards, and the rows of each, are shuffled by ``seed``.
        y : M labels
            Not given for a corpus on disk, which has them.
        callback : function (round, weights, params), optional
            Called after each round with its :class:`Round`, the weights W as they stand (J + 1, K), and the parameters
            that ``train`` would return if it stopped here (the same, unless averaged). Both are copies, yours to keep.
        sample_weight : M numbers ≥ 0, optional
            How much each example counts: its step η_t, or its cap, times its weight over the mean of all weights.
        checkpoint : lxmls_day1.engine.streaming.checkpoint.Checkpoint, optional
            Where the training on a corpus on disk is kept every so many documents, so that it can go on after an interruption.
        report : function (Validation), optional
            Called during the training on a corpus on disk with each line of its progressive validation: after 1, 2, 4, 8, …
            documents, the share of those that were labelled wrongly before they were learnt from. With ``n_jobs`` the lines
            come when the weights are mixed.
        scheduler : str, optional
            The address of a Dask scheduler, ``"tcp://head:8786"``: its workers train the ``n_jobs`` parts of a corpus on disk. The
            result is that of as many threads.
        mix_every : int ≥ 1, optional
            After how many documents of a corpus on disk the parts mix their weights, and not only after every round.

        Returns
        -------
        params : array (J + 1, K)

        Raises
        ------
        InputError
            For hyper-parameters that make no sense, data that cannot be trained on, a rule that returns something
            else than K numbers, or weights that grow beyond all bounds.
        """
        shards = corpus_on_disk(X)
        if shards is not None:
            check_alone(shards, y=y, sample_weight=sample_weight, order=self.order)
            return self._train_streamed(shards, None, callback, checkpoint, report, scheduler, mix_every, finish=True)[
                0
            ]
        check_in_memory(y, checkpoint=checkpoint, report=report, scheduler=scheduler, mix_every=mix_every)
        from lxmls_day1.engine.compiled import online_steps  # numba takes its time: imported by the first training

        self.check_settings()
        X, labels = self._training_data(X, y, check=as_matrix)
        factors = check_sample_weight(sample_weight, labels)
        factors = None if factors is None else factors / factors.mean()
        costs = self._costs()
        steps = online_steps.RowSteps(
            self.rule, X, labels, costs, self._shrinkage(), self._averages_steps(), factors, n_jobs=int(self.n_jobs)
        )
        state = self._new_state(steps.weights, steps.sq_norms)
        rows = MatrixRows(X, labels, steps.sq_norms)
        objective = functools.partial(self._objective, rows, factors=factors)
        finished = functools.partial(self._finished, rows, factors)
        take = self._in_memory(steps, state, len(labels))
        return self._train_rounds(take, state, objective, callback, keep_state=False, finished=finished)

    def resume(
        self,
        state: Any,
        X: Any,
        y: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        callback: Callable[..., object] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> tuple[np.ndarray, Any]:
        """Go through the data ``nr_rounds`` times, from where an earlier training stopped.

        Five rounds, and five more from their state, give what ten rounds give, to the last bit on one processor. The data may be a
        small part of all; so the parameters are not compared with W = 0 on it, as ``train`` does with the default steps of stochastic
        gradient descent.

        Parameters
        ----------
        state : lxmls_day1.engine.compiled.online_steps.OnlineState or None
            What ``resume`` returned before; it stays as it is. None to begin with.
        X : array or sparse matrix (M, J), or a corpus on disk
            The same examples or others, of the same features.
        y : M labels, of the classes that the state knows
            Not given for a corpus on disk.
        classes : labels, optional
            To begin with: all that there will be. Those of ``y`` if not given, those of the corpus if it is on disk.
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
        shards = corpus_on_disk(X)
        if shards is not None:
            check_alone(shards, y=y, sample_weight=sample_weight, order=self.order, classes=classes)
            return self._train_streamed(shards, state, callback)
        check_in_memory(y)
        from lxmls_day1.engine.compiled import online_steps  # numba takes its time: imported by the first training

        self.check_settings()
        if state is not None:
            classes = state.classes
        X, labels = self._training_data(X, y, as_matrix, classes, state and state.feature_names)
        factors = check_sample_weight(sample_weight, labels, every_class=False)
        state = state and self._copy_of(state, X.shape[1] + 1)
        costs = self._costs()
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
        objective = functools.partial(self._objective, MatrixRows(X, labels), factors=factors)
        return self._train_rounds(self._in_memory(steps, state, len(labels)), state, objective, callback), state

    def _train_streamed(
        self, shards, state, callback, checkpoint=None, report=None, scheduler=None, mix_every=None, finish=False
    ):
        """The rounds over a corpus on disk, from a state, a checkpoint or nothing on; the parameters and the state after it."""
        # numba takes its time: imported by the first training
        from lxmls_day1.engine.streaming import mixed_steps, streamed_steps
        from lxmls_day1.engine.streaming.training import Training

        self.check_settings()
        if mix_every is not None:
            check_number("mix_every (documents from one mixing to the next)", mix_every, at_least=1, whole=True)
        self.classes = check_classes(shards) if state is None else state.classes
        columns = columns_of_classes(shards, self.classes)
        state = state and self._copy_of(state, shards.n_features + 1)
        mixes = self.n_jobs > 1 or scheduler is not None
        place_of = mixed_steps.place_of if mixes else streamed_steps.place_of
        training = Training(checkpoint, report, int(self.nr_rounds) * shards.n_rows, place_of)
        state = training.begin(self, shards, state, mix_every=mix_every)
        costs = self._costs()
        learner = streamed_steps.Learner(self.rule, columns, costs, self._shrinkage(), self._averages_steps())
        norms = {}  # ‖g(x)‖² of rows, for whoever needs them again
        steps = streamed_steps.StreamedSteps(learner, shards, state and state.weights, norms=norms)
        if state is None:
            state = self._new_state(steps.weights, None)
            if type(self).plan_steps is not OnlineClassifier.plan_steps:  # it looks at the data before the first step
                state.sq_norms = steps.sample_sq_norms(state.rng)
                state.n_examples = shards.n_rows
        history, longest = [Round(*values) for values in training.history], None
        with contextlib.ExitStack() as stack:
            if mixes:
                crew = mixed_steps.Threads(learner, shards, norms)
                if scheduler is not None:
                    from lxmls_day1.engine.cluster.online import online_crew

                    crew = stack.enter_context(online_crew(self, learner, shards, scheduler))
                    longest = crew.longest
                steps = mixed_steps.MixedSteps(shards.n_rows, steps.weights, int(self.n_jobs), mix_every, crew)
            take = stack.enter_context(training.rounds(steps, state, self.steps, self.progress and self.get_name()))
            rows = ShardRows(shards, columns, norms=norms, longest=longest)
            objective = functools.partial(self._objective, rows)
            finished = functools.partial(self._finished, rows, None) if finish else None
            begun = training.place is not None
            params = self._train_rounds(take, state, objective, callback, history, begun, finished=finished)
        return params, state

    def _new_state(self, weights, sq_norms):
        from lxmls_day1.engine.compiled import online_steps

        names = getattr(self, "feature_names", self.vector_names)
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

    def _in_memory(self, steps, state, n_examples):
        """The rounds over examples that are in memory, as ``_train_rounds`` takes them."""
        orders = self._orders(n_examples, state.rng)  # (R, M)

        def take(first, last):
            firsts = range(state.n_steps, state.n_steps + (last - first) * n_examples, n_examples)
            updates = steps.take(
                orders[first:last], np.concatenate([self.steps(1 + before, n_examples) for before in firsts])
            )
            state.n_steps += (last - first) * n_examples
            return zip(updates.tolist(), steps.errors.tolist(), strict=True)

        return take

    def _finished(self, rows, factors, params, errors):
        """The parameters that ``train`` returns, from the average of the weights. Here: the same."""
        return params

    def _train_rounds(
        self, take, state, objective, callback, history=None, begun=False, keep_state=True, finished=None
    ):
        """The rounds of all online learners.

        Parameters
        ----------
        take : function (first, last) -> (updates, errors[, validation]) of each round
            Takes the steps of the rounds first, …, last − 1, changes the weights of the state and counts its steps.
        state : lxmls_day1.engine.compiled.online_steps.OnlineState
            Where to begin. ``take`` changes its weights, and this function the rest.
        objective : function (params) -> float or None
        callback : function (round, weights, params), or None
        history : list of Round, optional
            The rounds of this training that are over, if it is a corpus on disk that is trained on. It is visited a round at a time.
        begun : bool
            Whether the next round goes on in its middle.
        keep_state : bool
            Whether the state can be gone on with afterwards. If not, its memory may become that of the parameters.
        finished : function (params, errors of the last round) -> params, optional
            What is done to the average of the weights before it is returned.

        Returns
        -------
        params : array of the shape of W
        """
        nr_rounds, by_rounds, weights = int(self.nr_rounds), self.averaged == "rounds", state.weights
        if state.sq_norms is not None:
            self.plan_steps(state.sq_norms, *(() if state.n_examples is None else (state.n_examples,)))
        streamed, self.history = history is not None, [] if history is None else history
        done, seconds = len(self.history), self.history[-1].seconds if self.history else 0.0

        # Where nobody looks between the rounds they run in one go; a mean over the last one needs that by itself.
        looks = streamed or bool(callback) or self.track_objective or self.progress or by_rounds
        alone = range(done, nr_rounds) if looks else {0, nr_rounds - 1 if self.averaged == "last round" else 0}
        parts = list(itertools.pairwise([*sorted(alone), nr_rounds]))
        for first, last in parts if streamed else self._with_progress(parts):
            started = time.perf_counter()
            if self.averaged == "last round" and (looks or last == nr_rounds) and not (begun and first == done):
                weights.start_mean()
            taken = list(take(first, last))
            state.n_rounds += last - first
            if by_rounds:
                mean = state.mean_of_rounds
                # a new array: copies share it
                state.mean_of_rounds = mean + (weights.current() - mean) / state.n_rounds
            seconds += time.perf_counter() - started

            if callback or self.track_objective or last == nr_rounds:
                at_end = last == nr_rounds and not (keep_state or callback)
                params = state.mean_of_rounds.copy() if by_rounds else weights.result(last=at_end)
                if not all_finite(params):
                    raise InputError(
                        f"{self.get_name()}: the weights grew beyond all bounds by round {state.n_rounds}; take smaller steps, or "
                        "scale the features down"
                    )
                if finished:
                    params = finished(params, taken[-1][1])
            reached = objective(params) if self.track_objective else None
            self.history += [
                Round(number, updates, seconds if looks else None, reached, *rest)
                for number, (updates, *rest) in enumerate(taken, start=state.n_rounds - len(taken) + 1)
            ]
            if callback:
                callback(self.history[-1], weights.current(), params.copy())
        self.nr_updates = sum(round.updates for round in self.history)
        self.variances = weights.variances()
        self.trained = True
        return params

    def objective(self, X: Any, y: ArrayLike | None, params: ArrayLike) -> float | None:
        """What the learner minimises, at ``params``: (1/M) Σ loss + (λ/2)‖W‖². None for one that minimises nothing.

        Parameters
        ----------
        X : array or sparse matrix (M, J), or a corpus on disk
        y : M labels of the classes seen in training
            None for a corpus on disk.
        params : array (J + 1, K)

        Raises
        ------
        InputError
            If X, y and params do not fit together, or a setting makes no sense.
        """
        self.check_settings()
        shards = corpus_on_disk(X)
        if shards is not None:
            check_alone(shards, y=y)
            return self._objective(ShardRows(shards, columns_of_classes(shards, self.classes)), check_params(params))
        X, labels, params = self._with_labels(X, y, params)
        return self._objective(MatrixRows(X, labels), params)

    def losses(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
        """The loss of each example (M,) from scores (M, K) and true columns (M,); None for a learner without one.

        Costs that do not fit raise an InputError.
        """
        return None

    def _objective(self, rows, params, factors=None):
        if type(self).losses is OnlineClassifier.losses:  # it minimises nothing
            return None
        (loss,) = self._mean_losses(rows, params, [1.0], factors)
        return float(loss + self._penalty(params))

    def _penalty(self, params):
        """(λ/2) ‖W‖², without an array of the size of W."""
        return self.regularizer / 2 * float(np.einsum("jk,jk", params, params))

    def _mean_losses(self, rows, params, lengths, factors=None):
        """The mean loss at each of some multiples of the parameters: the sums of the shards, one after another."""
        sums = np.zeros(len(lengths))
        for blocks in rows.shards():
            parts = [self._losses_along(X, labels, params, lengths) for X, labels in blocks]
            for n, losses in enumerate(np.concatenate(part) for part in zip(*parts, strict=True)):
                sums[n] += (losses if factors is None else losses * factors).sum()
        return sums / (rows.n_rows if factors is None else factors.sum())

    def _losses_along(self, X, labels, params, lengths):
        """The losses of examples at some multiples of the parameters."""
        scores = self._scores(X, params)
        return [self.losses(length * scores, labels) for length in lengths]

    def _costs(self):
        """What the rule is told of the costs (K, K): row y is ρ(·, y)."""
        return np.ascontiguousarray(check_costs(self.cost, len(self.classes)).T)

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

    Examples
    --------
    >>> @compiled
    ... def rest(scores, label, sq_norm, step, cost):
    ...     return np.zeros(len(scores))
    >>> rest.compiled, rest(np.array([1.0, 2.0]), 0, 1.0, 1.0, np.zeros(2))
    (True, array([0., 0.]))
    """
    rule.compiled = True
    return rule


def second_order(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Mark an update rule as one that sees and shrinks the variances of the weights (see :class:`OnlineClassifier`).

    Examples
    --------
    >>> @second_order
    ... def rest(scores, label, variances, step, cost):
    ...     return np.zeros(len(scores)), np.zeros(len(scores))
    >>> rest.second_order
    True
    """
    rule.second_order = True
    return rule
