"""The training rounds of an online learner on examples in memory, with history and averages."""

import contextlib
import copy
import functools
import itertools
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.base.checks import all_finite
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels.row_steps import OnlineState, Reals, RowSteps, Weights
from lxmls_day1.engine.loops.learners import OnlineLearner, Round, average_of, orders_of, shrinkage_of
from lxmls_day1.engine.loops.objectives import MatrixRows, objective_at

Callback = Callable[[Round, Reals, Reals], object]

_STEPS_AT_ONCE = 2**15  # whose orders and sizes stay in the processor's cache


def train_online(
    learner: OnlineLearner, X: Any, y: Any, callback: Callback | None = None, sample_weight: Any = None
) -> Reals:
    """Train on examples in memory: rows with labels, or, for a structured learner, sentences with tags.

    Parameters
    ----------
    learner : OnlineLearner
        Training sets its attributes.
    X, y, callback, sample_weight
        See :meth:`classifiers.online_classifier.OnlineClassifier.train`.

    Returns
    -------
    params : array (J + 1, K)

    Raises
    ------
    InputError
        For invalid settings or data, a rule that does not return K numbers, or weights that overflow.

    Examples
    --------
    >>> from lxmls_day1.classifiers import Perceptron
    >>> train_online(Perceptron(nr_rounds=2, order=[1, 0]), [[2.0], [-1.0]], [0, 1])[1]
    array([ 1., -1.])
    """
    try:
        return train_from(learner, None, X, y, callback=callback, sample_weight=sample_weight, keep_state=False)[0]
    except _NaNWeights as error:
        again: Any = copy.copy(learner)
        again.rule = _uncompiled(learner.rule)
        with contextlib.suppress(FloatingPointError):  # raised if the scores overflow
            train_from(again, None, X, y, sample_weight=sample_weight, keep_state=False)
        raise InputError(str(error)) from None


class _NaNWeights(InputError):
    """The weights have become NaN without being infinite before."""


def _uncompiled(rule: Any) -> Any:
    """Wrap a rule as plain Python, so that a NaN in its result is reported with the rule's name.

    The wrapped rule raises FloatingPointError if the scores are not finite.
    """

    def plain(scores: Reals, *others: Any) -> Any:
        if not all_finite(scores):
            raise FloatingPointError
        return rule(scores, *others)

    plain.__name__ = rule.__name__
    plain.__dict__ = {name: value for name, value in vars(rule).items() if name == "second_order"}
    return plain


def train_from(
    learner: Any,
    state: OnlineState | None,
    X: Any,
    y: Any,
    *,
    classes: Any = None,
    callback: Callback | None = None,
    sample_weight: Any = None,
    keep_state: bool = True,
) -> tuple[Reals, OnlineState]:
    """Train on examples in memory, starting from a state; see :func:`lxmls_day1.engine.corpus_training.resume`.

    If ``keep_state`` is False, this is a complete training: the sample weights are divided by their mean, the learner's
    ``finish`` is applied to the parameters, and the parameters may share memory with the state.
    """
    steps: Any
    if hasattr(learner, "sentences_of"):
        from lxmls_day1.engine.loops.chains import ChainSteps  # only needed for tag sequences

        sentences = learner.sentences_of(X, y, state)
        state = state and checked_copy(learner, state, sentences.shape[0])
        steps, n_examples = ChainSteps(learner, sentences, state.weights if state else None), len(sentences)
        objective_functions: tuple[Any, ...] = (functools.partial(learner.chain_objective, sentences),)
    else:
        known = None if state is None else state.feature_names
        classes = classes if state is None else state.classes
        X, labels, weights = learner._training_data(X, y, sample_weight, classes=classes, vector_names=known)
        factors = None if sample_weight is None else weights / (1.0 if keep_state else weights.mean())
        state, n_examples = state and checked_copy(learner, state, X.shape[1] + 1), len(labels)
        shrinkage, averaged = shrinkage_of(learner), average_of(learner) == "steps"
        known_weights, n_jobs = None if state is None else state.weights, int(learner.n_jobs)
        steps = RowSteps(
            learner.rule, X, labels, learner.row_costs(), shrinkage, averaged, factors, known_weights, n_jobs=n_jobs
        )
        scored = steps.with_smaller_copy(X) if learner.track_objective else X  # scored after every round
        rows = MatrixRows(scored, labels, steps.sq_norms, factors, learner.track_objective)
        objective_functions = objective_and_finish(learner, rows, not keep_state)
    state = state or new_state(learner, steps.weights, steps.sq_norms)
    rounds = RoundFunctions(rounds_in_memory(learner, steps, state, n_examples), *objective_functions)
    return run_rounds(learner, rounds, state, callback, keep_state=keep_state), state


def new_state(learner: Any, weights: Weights, sq_norms: Reals | None) -> OnlineState:
    """Return the initial state of a learner."""
    names = getattr(learner, "feature_names", learner.vector_names)
    return OnlineState(learner.classes, average_of(learner), weights, learner.seed, sq_norms, names)


def checked_copy(learner: Any, state: OnlineState, n_rows: int) -> OnlineState:
    """Return a copy of a state to continue from; raise an InputError if it does not match the learner and ``n_rows``."""
    if len(state.weights.V) != n_rows or average_of(learner) != state.averaged:
        raise InputError(
            f"this state has parameters of {len(state.weights.V)} rows and averaged={state.averaged!r}, but the data need "
            f"{n_rows} rows and the learner has averaged={learner.averaged!r}; go on with the same features and average, or "
            "begin with state=None"
        )
    return state.copy()


def rounds_in_memory(
    learner: OnlineLearner, steps: Any, state: OnlineState, n_examples: int
) -> Callable[[int, int], Iterable[Any]]:
    """Return a function that runs rounds over examples in memory, as `run_rounds` expects it."""
    orders = orders_of(learner, n_examples, state.rng if learner.order is None else None)
    # Threads keep their arrays from round to round of a call.
    at_once = int(learner.nr_rounds) if learner.n_jobs > 1 else max(1, _STEPS_AT_ONCE // n_examples)

    def take(first: int, last: int) -> Iterable[Any]:
        for start in range(first, last, at_once):
            block = list(itertools.islice(orders, min(at_once, last - start)))
            firsts = range(1 + state.n_steps, 1 + state.n_steps + len(block) * n_examples, n_examples)
            sizes = np.concatenate([learner.steps(first, n_examples) for first in firsts])
            updates = steps.run(np.stack(block), sizes)
            state.n_steps += sizes.size
            counts = [updates] if steps.errors is None else [updates, steps.errors]
            yield from zip(*(count.tolist() for count in counts), strict=True)

    return take


class RoundFunctions(NamedTuple):
    """Functions for the rounds over a set of examples, as `run_rounds` needs them.

    Attributes
    ----------
    run : function (first, last) -> (updates, errors[, validation]) of each round
        Runs the steps of the rounds first, …, last − 1; changes the weights of the state and its number of steps.
    objective : function (params) -> float or None
    finish : function (params, errors of the last round) -> params, optional
        Applied to the average of the weights before it is returned.
    """

    run: Callable[[int, int], Iterable[Any]]
    objective: Callable[[Reals], float | None]
    finish: Callable[[Reals, int], Reals] | None = None


def objective_and_finish(learner: Any, rows: Any, finish: bool) -> tuple[Any, Any]:
    """Return the objective of a learner on these rows, and its ``finish`` function if ``finish`` is True."""
    return functools.partial(objective_at, learner, rows), functools.partial(learner.finish, rows) if finish else None


def run_rounds(
    learner: Any,
    examples: RoundFunctions,
    state: OnlineState,
    callback: Callback | None,
    history: list[Round] | None = None,
    mid_round: bool = False,
    keep_state: bool = True,
) -> Reals:
    """Run the rounds of any online learner, flat or structured.

    Parameters
    ----------
    learner : OnlineLearner
        Its ``history``, ``nr_updates`` and ``variances`` are set.
    examples : RoundFunctions
    state : OnlineState
        The initial state. ``examples.run`` updates its weights and number of steps, this function the other fields.
    callback : function (round, weights, params), or None
    history : list of Round, optional
        For a corpus on disk: the completed rounds of this training. Such a corpus is visited one round per call.
    mid_round : bool
        True if the next round was interrupted and continues in the middle.
    keep_state : bool
        True if the state must remain valid. If False, the parameters may reuse its memory.

    Returns
    -------
    params : array of the shape of W
    """
    take, objective, finish = examples
    nr_rounds, average, weights = int(learner.nr_rounds), average_of(learner), state.weights
    if state.sq_norms is not None and hasattr(learner, "plan_steps"):
        learner.plan_steps(state.sq_norms, *(() if state.n_examples is None else (state.n_examples,)))
    streamed, learner.history = history is not None, [] if history is None else history
    done, seconds = len(learner.history), learner.history[-1].seconds if learner.history else 0.0

    # Rounds run in one call if nothing happens between them; a mean over the last round needs a call of its own.
    round_by_round = streamed or bool(callback) or learner.track_objective or learner.progress or average == "rounds"
    separate_rounds = range(done, nr_rounds) if round_by_round else {0, nr_rounds - 1 if average == "last round" else 0}
    parts = list(itertools.pairwise([*sorted(separate_rounds), nr_rounds]))
    bar: Iterable[tuple[int, int]] = parts
    if learner.progress and not streamed:
        from tqdm.auto import tqdm  # only needed for the progress bar

        bar = tqdm(parts, desc=learner.get_name(), unit="round")
    for first, last in bar:
        started = time.perf_counter()
        if average == "last round" and (round_by_round or last == nr_rounds) and not (mid_round and first == done):
            weights.start_mean()
        round_results = list(take(first, last))
        state.n_rounds += last - first
        if average == "rounds":
            mean = state.mean_of_rounds
            # Creates a new array, because copies of the state share the old one.
            state.mean_of_rounds = mean + (weights.current() - mean) / state.n_rounds
        seconds += time.perf_counter() - started

        if callback or learner.track_objective or last == nr_rounds:
            params = _average(state, average, at_end=last == nr_rounds and not (keep_state or callback))
            if not all_finite(params):
                kind = InputError if np.isinf(params).any() else _NaNWeights
                raise kind(
                    f"{learner.get_name()}: the weights had overflowed by round {state.n_rounds}; take smaller steps, or "
                    "scale the features down"
                )
            if finish:
                params = finish(params, round_results[-1][1])
        reached = objective(params) if learner.track_objective else None
        learner.history += [
            Round(number, updates, seconds if round_by_round else None, reached, *rest)
            for number, (updates, *rest) in enumerate(round_results, start=state.n_rounds - len(round_results) + 1)
        ]
        if callback:
            try:
                callback(learner.history[-1], weights.current(), params.copy())
            except StopIteration:
                break
    learner.nr_updates = sum(round.updates for round in learner.history)
    learner.variances = weights.variances()
    learner.trained = True
    return params


def _average(state: OnlineState, average: str | bool, at_end: bool) -> Reals:
    """Return the parameters after the rounds so far."""
    if average == "rounds":
        assert isinstance(state.mean_of_rounds, np.ndarray)
        return state.mean_of_rounds.copy()
    return state.weights.result(last=at_end)
