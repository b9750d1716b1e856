"""Iterative parameter mixing: threads, or the workers of a cluster, train on the parts of a corpus on disk in parallel.

In every round, each of P parts goes through its own rows in its own order, starting from common weights. Then all parts continue
from the mean of their weights. The running sums of their steps are added, so that the average covers all steps of all parts:

    W ← Σ_p ω_p W_p,    ω_p the share of rows of part p

The parts depend on the sizes of the shards and on P, their orders depend on the seed, and the terms of the mean are added in a fixed
tree. So the same P and seed give bit-identical results, no matter which worker trains a part or how often it is repeated, if all
workers have the same processor.

Source: R. McDonald, K. Hall, G. Mann, Distributed training strategies for the structured perceptron, 2010.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, wait
from typing import Any, NamedTuple, Protocol

import numpy as np

from lxmls_day1.engine.corpus.shard_rows import Slice, parts_of
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus.streamed_steps import Position, StepSettings, StreamedSteps, checked_count
from lxmls_day1.engine.corpus.streamed_steps import position_of as position_of_part
from lxmls_day1.engine.kernels.row_steps import Integers, OnlineState, Reals, Weights, machine_code_of
from lxmls_day1.engine.kernels.sparse_rows import compile_row_rule
from lxmls_day1.engine.kernels.threads import thread_pool
from lxmls_day1.engine.kernels.tree_reduce import tree_reduce

Sizes = Callable[[int, int], Reals]

_POLL_SECONDS = 0.1  # seconds between two polls for a stop
# Step sizes per call: allocating large temporary arrays is slow if the allocator returns their memory to the system.
_SIZES_PER_CALL = 2**12


class MixedPosition(NamedTuple):
    """A position within a round over the parts of a corpus, immediately after a mixing."""

    rng_state: Mapping[str, Any]  # state of the generator after it drew the orders of this round
    n_done: int  # number of completed rows of all parts
    part_rng_states: list[Any]  # state of each part's generator at the beginning of this round
    positions: list[Position | None]  # position of each part in this round; None at its beginning
    updates: int  # number of updates so far in this round, as in `Round`
    errors: int

    def values(self) -> dict[str, Any]:
        """Return the position as plain values for `position_of`."""
        return {**self._asdict(), "positions": [position and position._asdict() for position in self.positions]}

    def rng_states(self) -> list[Any]:
        """Return the states of all generators in this position."""
        within = [position.rng_state for position in self.positions if position]
        return [self.rng_state, *self.part_rng_states, *within]


def position_of(values: Mapping[str, Any]) -> MixedPosition:
    """Build a position from its plain values; raise a ValueError or TypeError if they are invalid."""
    positions = [position and position_of_part(position) for position in values["positions"]]
    position = MixedPosition(**{**values, "positions": positions})
    for count in (position.n_done, position.updates, position.errors):
        checked_count(count)
    if len(positions) != len(position.part_rng_states):
        raise ValueError("a position must name each part exactly once")
    return position


class Segment(NamedTuple):
    """The work of one part until the next mixing."""

    part: int
    n_parts: int
    first_step: int  # t of the first step of this round
    rng_state: Mapping[str, Any]  # state of the part's generator at the beginning of this round
    position: Position | None
    n_done: int  # number of completed rows of the part in this round
    share: float  # the part's fraction of the rows of all parts until the next mixing
    marks: Integers  # (n,) ascending: rows of this round after which errors are counted; the segment ends after the last one


class WorkerState(NamedTuple):
    """The state of a part at the end of a segment."""

    position: Position | None
    errors: Integers  # (n,): number of errors in this round, at each mark
    rng_state: Mapping[str, Any]  # state of the part's generator; valid only at the end of a round


Term = tuple[Weights, list[WorkerState]]  # a term of the mean of all parts, and the states of the parts that are in it


class SegmentCache(NamedTuple):
    """Data that is reused from segment to segment.

    Attributes
    ----------
    norms : dict of Slice to array
        See :class:`StreamedSteps`.
    terms : dict of int to Weights
        With several parts, the weights that each part returned for the previous mixing. Their arrays are reused for the next mixing.
    """

    norms: dict[Slice, Reals]
    terms: dict[int, Weights]


class Executor(Protocol):
    """An object that trains the parts."""

    def train_parts(self, weights: Weights, segments: list[Segment], sizes: Sizes, on_poll: Callable[[], None]) -> Term:
        """Train each part for a segment; return the sum of their terms of the mean, and the state of each part.

        For a single part, return its weights instead of the sum.

        Parameters
        ----------
        weights : Weights
            The common weights; they are not changed.
        segments : list of Segment
        sizes : function (first, count) -> array (count,)
            Returns the sizes of the steps t = first, …, first + count − 1.
        on_poll : function ()
            Called several times a second. An exception raised by it ends the training.
        """
        ...


class MixedSteps:
    """The steps of an online rule on the parts of a corpus on disk, with the methods of :class:`StreamedSteps`.

    Parameters
    ----------
    n_rows : int
        The number of rows of the corpus.
    weights : Weights
        The initial weights, updated in place.
    n_parts : int ≥ 1
        The number P of parts.
    mix_every : int ≥ 1, optional
        The weights are mixed after every ``mix_every`` rows of all parts together, and always at the end of a round.
    executor : Executor
    """

    def __init__(self, n_rows: int, weights: Weights, n_parts: int, mix_every: int | None, executor: Executor):
        self.weights, self.n_rows, self._executor = weights, n_rows, executor
        self._n_parts = min(n_parts, n_rows)
        self._mix_every = n_rows if mix_every is None or self._n_parts == 1 else mix_every

    def rounds(
        self,
        state: OnlineState,
        n_rounds: int,
        sizes: Sizes,
        next_stop: Callable[..., int],
        on_stop: Callable[..., None],
        position: MixedPosition | None = None,
        on_poll: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[int, int]]:
        """Go through the corpus one round at a time, like :meth:`StreamedSteps.rounds`, but stop only at mixings.

        Parameters
        ----------
        next_stop : function (ahead) -> int
            Returns the number of steps from a point ``ahead`` steps after now to the next count of errors.
        on_stop : function (position, \\*counts)
            Called at the beginning of every round and at every mixing. At a mixing, ``counts`` are the pairs (steps, errors)
            between successive counts since the previous call.
        on_poll : function ()
            See :class:`Executor`.
        """
        n_parts, weights = self._n_parts, self.weights
        if position is not None:
            state.rng.bit_generator.state = position.rng_state
        for r in range(n_rounds):
            current = position if position is not None and r == 0 else self._initial_position(state.rng)
            on_stop(current)
            first_step = 1 + state.n_steps - current.n_done
            while current.n_done < self.n_rows:
                end = min(self.n_rows, (current.n_done // self._mix_every + 1) * self._mix_every)
                marks = _marks(current.n_done, end, next_stop)
                segments = [_segment(p, n_parts, current, first_step, marks) for p in range(n_parts)]
                mean, worker_states = self._executor.train_parts(weights, segments, sizes, on_poll)
                if n_parts == 1:
                    weights.move_from(mean)
                else:
                    weights.set_from_mean(mean)
                    weights.n_steps += end - current.n_done
                state.n_steps += end - current.n_done
                positions = [worker_state.position for worker_state in worker_states]
                updates = sum(position.updates for position in positions if position is not None)
                errors = np.sum([worker_state.errors for worker_state in worker_states], axis=0)
                counts = np.diff(marks, prepend=current.n_done), np.diff(errors, prepend=current.errors)
                if n_parts == 1 and end == self.n_rows:  # A single part uses the generator of the state.
                    state.rng.bit_generator.state = worker_states[0].rng_state
                rng_state = state.rng.bit_generator.state
                current = MixedPosition(rng_state, end, current.part_rng_states, positions, updates, int(errors[-1]))
                on_stop(current, *zip(*(numbers.tolist() for numbers in counts), strict=True))
            yield current.updates, current.errors

    def _initial_position(self, rng: np.random.Generator) -> MixedPosition:
        """Return the position at the beginning of a round, with a generator for each part."""
        if self._n_parts == 1:
            states = [rng.bit_generator.state]
        else:
            seeds = rng.integers(2**63, size=self._n_parts)
            states = [np.random.default_rng(seed).bit_generator.state for seed in seeds]
        return MixedPosition(rng.bit_generator.state, 0, states, [None] * self._n_parts, 0, 0)


def _segment(part: int, n_parts: int, current: MixedPosition, first_step: int, marks: Integers) -> Segment:
    rows = _rows_of_part(marks, part, n_parts)
    n_done = int(_rows_of_part(current.n_done, part, n_parts))
    share = (int(rows[-1]) - n_done) / (int(marks[-1]) - current.n_done)
    rng_state, position = current.part_rng_states[part], current.positions[part]
    return Segment(part, n_parts, first_step, rng_state, position, n_done, share, rows)


def _marks(n_done: int, end: int, next_stop: Callable[[int], int]) -> Integers:
    """Return the row counts of this round (over all parts) at which errors are counted; the last one ends the segment."""
    marks, at = [], n_done
    while (at := at + next_stop(at - n_done)) < end:
        marks.append(at)
    return np.array([*marks, end], dtype=np.int64)


def _rows_of_part(n_rows: Any, part: int, n_parts: int) -> Any:
    """Return how many of the first ``n_rows`` rows of a round belong to a part; the parts take rows in turn."""
    return (n_rows - part + n_parts - 1) // n_parts


class SegmentStopped(Exception):
    """Raised when a part was stopped in the middle of a segment."""


class _EndOfSegment(Exception):
    pass


class ThreadExecutor:
    """An executor that trains the parts with threads of this process.

    Parameters
    ----------
    learner : StepSettings
    shards : Shards
    norms : dict
        See :class:`StreamedSteps`.
    """

    def __init__(self, learner: StepSettings, shards: Shards, norms: dict[Slice, Reals]):
        self._learner, self._shards, self._cache = learner, shards, SegmentCache(norms, {})

    def train_parts(self, weights: Weights, segments: list[Segment], sizes: Sizes, on_poll: Callable[[], None]) -> Term:
        """Train the parts; see :class:`Executor`."""
        stopping = threading.Event()
        compiled = machine_code_of(self._learner.rule, compile=compile_row_rule) is not None
        # Uncompiled steps hold the GIL, so more threads would not help.
        with thread_pool(len(segments) if compiled else 1) as pool:
            try:
                shared = weights, self._learner, self._shards, sizes, stopping, self._cache
                tasks = [pool.submit(mixing_term, segment, *shared) for segment in segments]
                while (waited := wait(tasks, _POLL_SECONDS, FIRST_EXCEPTION)).not_done:
                    for task in waited.done:
                        task.result()  # Raises the error of a failed task.
                    on_poll()
                terms, worker_states = zip(*(task.result() for task in tasks), strict=True)
            finally:
                stopping.set()
                for task in tasks:
                    task.cancel()
        return tree_reduce(terms, Weights.add_term), list(worker_states)


def mixing_term(
    segment: Segment,
    weights: Weights,
    learner: StepSettings,
    shards: Shards,
    sizes: Sizes,
    stopping: threading.Event,
    cache: SegmentCache,
) -> tuple[Weights, WorkerState]:
    """Train a part for a segment from the common weights; return its term of the mean and its state.

    The common weights are not changed. For a single part, return its weights instead of a term.

    Parameters
    ----------
    segment : Segment
    weights : Weights
    learner : StepSettings
    shards : Shards
    sizes : function
        See :meth:`Executor.train_parts`.
    stopping : threading.Event
        If it is set, `SegmentStopped` is raised soon afterwards.
    cache : SegmentCache
    """
    alone = segment.n_parts == 1
    weights = weights.copy() if alone else weights.copy_for_part(cache.terms.pop(segment.part, None))
    position, row = segment.position, segment.n_done
    errors = np.full(len(segment.marks), 0 if position is None else position.errors)
    generator = getattr(np.random, segment.rng_state["bit_generator"])()
    generator.state = segment.rng_state
    state = OnlineState(np.zeros(0), False, weights, np.random.Generator(generator), None, n_steps=row)

    def own_sizes(first: int, count: int) -> Reals:  # Returns the size of every P-th step.
        own, at_once = np.empty(count), max(1, _SIZES_PER_CALL // segment.n_parts)
        for start in range(0, count, at_once):
            stop = min(start + at_once, count)
            t = segment.first_step + segment.part + (first - 1 + start) * segment.n_parts
            own[start:stop] = sizes(t, (stop - 1 - start) * segment.n_parts + 1)[:: segment.n_parts]
        return own

    def next_stop() -> int:
        return int(segment.marks[np.searchsorted(segment.marks, row, side="right")]) - row

    def on_stop(now: Position, count: tuple[int, int]) -> None:
        nonlocal position, row
        position, row = now, row + count[0]
        errors[np.searchsorted(segment.marks, row) :] = now.errors
        if row == segment.marks[-1]:
            raise _EndOfSegment
        if stopping.is_set():
            raise SegmentStopped

    if row < segment.marks[-1]:
        slices = parts_of(shards.rows, segment.n_parts)[segment.part]
        steps = StreamedSteps(learner, shards, weights, slices, cache.norms)
        rounds = steps.rounds(state, 1, own_sizes, next_stop, on_stop, segment.position)
        with contextlib.closing(rounds), contextlib.suppress(_EndOfSegment):
            next(rounds)
    if not alone:
        weights.to_weighted_term(segment.share)
        cache.terms[segment.part] = weights
    return weights, WorkerState(position, errors, generator.state)
