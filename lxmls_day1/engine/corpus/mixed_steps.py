"""Iterative parameter mixing: the parts of a corpus on disk are trained on at once, by threads or by the workers of a cluster.

In every round each of P parts goes through its rows, in its own order, from the weights that all had last. Then all go on from the
mean of their weights, and the running sums of their steps are added up, so that the average is over all steps of all parts:

    W ← Σ_p ω_p W_p,    ω_p the share of rows of part p

The parts depend on the sizes of the shards and on P, their orders on the seed, and the terms of the mean are added in a fixed tree:
the same P and seed give the same bits, whoever trains which part, and however often, if all have the same processor.

Source: R. McDonald, K. Hall, G. Mann, Distributed training strategies for the structured perceptron, 2010.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, wait
from typing import Any, NamedTuple, Protocol

import numpy as np

from lxmls_day1.engine.corpus.shard_rows import Slice, parts_of
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus.streamed_steps import Learner, Position, StreamedSteps, count_of
from lxmls_day1.engine.corpus.streamed_steps import position_of as position_of_part
from lxmls_day1.engine.kernels.row_steps import Integers, OnlineState, Reals, Weights, machine_code_of
from lxmls_day1.engine.kernels.threads import thread_pool
from lxmls_day1.engine.kernels.tree_reduce import joined

Sizes = Callable[[int, int], Reals]

_LOOK_SECONDS = 0.1  # between two looks at whether to stop
_SIZES_AT_ONCE = 2**12  # of steps: large arrays for a moment are dear where the memory of each goes back to the system


class MixedPosition(NamedTuple):
    """Where a round over the parts of a corpus is, right after a mixing."""

    rng_state: Mapping[str, Any]  # of the generator after it drew the orders of this round
    n_done: int  # rows of all parts
    part_rng_states: list[Any]  # of the generator of each part, where this round began
    positions: list[Position | None]  # of each part in this round; None at its beginning
    updates: int  # so far in this round, as in `Round`
    errors: int

    def values(self) -> dict[str, Any]:
        """As plain values, which `position_of` takes."""
        return {**self._asdict(), "positions": [position and position._asdict() for position in self.positions]}

    def rng_states(self) -> list[Any]:
        """The states of all generators in it."""
        within = [position.rng_state for position in self.positions if position]
        return [self.rng_state, *self.part_rng_states, *within]


def position_of(values: Mapping[str, Any]) -> MixedPosition:
    """A position from its plain values; a ValueError or TypeError if they are not those of a position."""
    positions = [position and position_of_part(position) for position in values["positions"]]
    position = MixedPosition(**{**values, "positions": positions})
    for count in (position.n_done, position.updates, position.errors):
        count_of(count)
    if len(positions) != len(position.part_rng_states):
        raise ValueError("a position must name each part exactly once")
    return position


class Segment(NamedTuple):
    """What a part does until the next mixing."""

    part: int
    n_parts: int
    first_step: int  # t of the first step of this round
    rng_state: Mapping[str, Any]  # of the part's generator, where this round began
    position: Position | None
    n_done: int  # rows of the part in this round
    share: float  # of the part's rows among those of all parts until the next mixing
    marks: Integers  # (n,) ascending: the rows in this round after which errors are counted; after the last one the segment ends


class WorkerState(NamedTuple):
    """Where a part is at the end of a segment."""

    position: Position | None
    errors: Integers  # (n,): in this round, at each mark
    rng_state: Mapping[str, Any]  # of the part's generator; right at the end of a round


class Kept(NamedTuple):
    """What is kept from segment to segment.

    Attributes
    ----------
    norms : as :class:`StreamedSteps` takes it
    terms : dict of int to Weights
        The last term of each of several parts, whose arrays are those of the next one: it is needed until the weights are mixed.
    """

    norms: dict[Slice, Reals]
    terms: dict[int, Weights]


class Executor(Protocol):
    """Who trains the parts."""

    def take(
        self, weights: Weights, segments: list[Segment], sizes: Sizes, look: Callable[[], None]
    ) -> tuple[Weights, list[WorkerState]]:
        """The sum of the parts' terms of the mean after a segment of each, and where each part is; of a single part its weights.

        Parameters
        ----------
        weights : Weights
            They stay as they are.
        segments : list of Segment
        sizes : function (first, count) -> array (count,)
            The sizes of the steps t = first, …, first + count − 1.
        look : function ()
            Called several times a second. What it raises ends the training.
        """
        ...


class MixedSteps:
    """A rule at work on the parts of a corpus on disk, with the methods of :class:`StreamedSteps`.

    Parameters
    ----------
    n_rows : int
        Of the corpus.
    weights : Weights
        What to begin with, and to change.
    n_parts : int ≥ 1
        P.
    mix_every : int ≥ 1, optional
        After how many rows of all parts together their weights are mixed; after every round they are in any case.
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
        stopped: Callable[..., None],
        position: MixedPosition | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[int, int]]:
        """Go through the corpus, a round at a time; as :meth:`StreamedSteps.rounds` does, but with stops only where it mixes.

        Parameters
        ----------
        next_stop : function (ahead) -> int
            How many steps there are to the next count of errors, from ``ahead`` steps after now on.
        stopped : function (position, \\*counts)
            Called at the beginning of every round and at every mixing, there with the steps and the errors since the last one,
            as pairs of numbers from one count to the next.
        look : function ()
            As :class:`Executor` takes it.
        """
        n_parts, weights = self._n_parts, self.weights
        if position is not None:
            state.rng.bit_generator.state = position.rng_state
        for r in range(n_rounds):
            here = position if position is not None and r == 0 else self._beginning(state.rng)
            stopped(here)
            first_step = 1 + state.n_steps - here.n_done
            while here.n_done < self.n_rows:
                end = min(self.n_rows, (here.n_done // self._mix_every + 1) * self._mix_every)
                marks = _marks(here.n_done, end, next_stop)
                segments = [_segment(p, n_parts, here, first_step, marks) for p in range(n_parts)]
                mean, worker_states = self._executor.take(weights, segments, sizes, look)
                if n_parts == 1:
                    weights.take_over(mean)
                else:
                    weights.gather(mean)
                    weights.n_steps += end - here.n_done
                state.n_steps += end - here.n_done
                positions = [worker_state.position for worker_state in worker_states]
                updates = sum(position.updates for position in positions if position is not None)
                errors = np.sum([worker_state.errors for worker_state in worker_states], axis=0)
                counts = np.diff(marks, prepend=here.n_done), np.diff(errors, prepend=here.errors)
                if n_parts == 1 and end == self.n_rows:  # its generator is that of the state
                    state.rng.bit_generator.state = worker_states[0].rng_state
                rng_state = state.rng.bit_generator.state
                here = MixedPosition(rng_state, end, here.part_rng_states, positions, updates, int(errors[-1]))
                stopped(here, *zip(*(numbers.tolist() for numbers in counts), strict=True))
            yield here.updates, here.errors

    def _beginning(self, rng: np.random.Generator) -> MixedPosition:
        """The position at the beginning of a round, with a generator for each part."""
        if self._n_parts == 1:
            states = [rng.bit_generator.state]
        else:
            seeds = rng.integers(2**63, size=self._n_parts)
            states = [np.random.default_rng(seed).bit_generator.state for seed in seeds]
        return MixedPosition(rng.bit_generator.state, 0, states, [None] * self._n_parts, 0, 0)


def _segment(part: int, n_parts: int, here: MixedPosition, first_step: int, marks: Integers) -> Segment:
    rows = _rows_of_part(marks, part, n_parts)
    n_done = int(_rows_of_part(here.n_done, part, n_parts))
    share = (int(rows[-1]) - n_done) / (int(marks[-1]) - here.n_done)
    return Segment(part, n_parts, first_step, here.part_rng_states[part], here.positions[part], n_done, share, rows)


def _marks(n_done: int, end: int, next_stop: Callable[[int], int]) -> Integers:
    """The rows of all parts in this round at which errors are counted, the last of which is the end of the segment."""
    marks, at = [], n_done
    while (at := at + next_stop(at - n_done)) < end:
        marks.append(at)
    return np.array([*marks, end], dtype=np.int64)


def _rows_of_part(n_rows: Any, part: int, n_parts: int) -> Any:
    """How many of the first rows of a round are those of a part: they take turns."""
    return (n_rows - part + n_parts - 1) // n_parts


class Stopped(Exception):
    """A part was told to stop in the middle of a segment."""


class _EndOfSegment(Exception):
    pass


def _take_segment(
    segment: Segment,
    weights: Weights,
    learner: Learner,
    shards: Shards,
    sizes: Sizes,
    stopping: threading.Event,
    norms: dict[Slice, Reals],
) -> WorkerState:
    """The steps of a part until the next mixing, on its own weights."""
    position, row = segment.position, segment.n_done
    errors = np.full(len(segment.marks), 0 if position is None else position.errors)
    generator = getattr(np.random, segment.rng_state["bit_generator"])()
    generator.state = segment.rng_state
    state = OnlineState(np.zeros(0), False, weights, np.random.Generator(generator), None, n_steps=row)
    if row == segment.marks[-1]:
        return WorkerState(position, errors, generator.state)

    def own_sizes(first: int, count: int) -> Reals:  # of every P-th step
        own, at_once = np.empty(count), max(1, _SIZES_AT_ONCE // segment.n_parts)
        for start in range(0, count, at_once):
            stop = min(start + at_once, count)
            t = segment.first_step + segment.part + (first - 1 + start) * segment.n_parts
            own[start:stop] = sizes(t, (stop - 1 - start) * segment.n_parts + 1)[:: segment.n_parts]
        return own

    def next_stop() -> int:
        return int(segment.marks[np.searchsorted(segment.marks, row, side="right")]) - row

    def stopped(now: Position, count: tuple[int, int]) -> None:
        nonlocal position, row
        position, row = now, row + count[0]
        errors[np.searchsorted(segment.marks, row) :] = now.errors
        if row == segment.marks[-1]:
            raise _EndOfSegment
        if stopping.is_set():
            raise Stopped

    steps = StreamedSteps(learner, shards, weights, parts_of(shards.rows, segment.n_parts)[segment.part], norms)
    rounds = steps.rounds(state, 1, own_sizes, next_stop, stopped, segment.position)
    try:
        next(rounds)
    except _EndOfSegment:
        pass
    finally:
        rounds.close()
    return WorkerState(position, errors, generator.state)


class Threads:
    """The parts are trained by threads of this process.

    Parameters
    ----------
    learner : Learner
    shards : Shards
    norms : dict, optional
        As :class:`StreamedSteps` takes it.
    """

    def __init__(self, learner: Learner, shards: Shards, norms: dict[Slice, Reals] | None = None):
        self._learner, self._shards, self._kept = learner, shards, Kept({} if norms is None else norms, {})

    def take(
        self, weights: Weights, segments: list[Segment], sizes: Sizes, look: Callable[[], None]
    ) -> tuple[Weights, list[WorkerState]]:
        """As :class:`Executor` says."""
        stopping = threading.Event()
        compiled = machine_code_of(self._learner.rule) is not None
        with thread_pool(len(segments) if compiled else 1) as pool:  # Python's own steps wait for one another anyhow
            try:
                tasks = [
                    pool.submit(
                        own_term,
                        segment,
                        weights,
                        self._learner,
                        self._shards,
                        sizes,
                        stopping,
                        self._kept,
                    )
                    for segment in segments
                ]
                while (waited := wait(tasks, _LOOK_SECONDS, FIRST_EXCEPTION)).not_done:
                    for task in waited.done:
                        task.result()  # an error is raised
                    look()
                terms, worker_states = zip(*(task.result() for task in tasks), strict=True)
            finally:
                stopping.set()
                for task in tasks:
                    task.cancel()
        return joined(terms, Weights.joined), list(worker_states)


def own_term(
    segment: Segment,
    weights: Weights,
    learner: Learner,
    shards: Shards,
    sizes: Sizes,
    stopping: threading.Event,
    kept: Kept,
) -> tuple[Weights, WorkerState]:
    """A part's term of the mean after a segment from the weights of all, which stay as they are; of a single part its weights.

    Parameters
    ----------
    segment : Segment
    weights : Weights
    learner : Learner
    shards : Shards
    sizes : as in :meth:`Executor.take`
    stopping : threading.Event
        `Stopped` is raised soon after it is set.
    kept : Kept
    """
    if segment.n_parts == 1:
        own = weights.copy()
        return own, _take_segment(segment, own, learner, shards, sizes, stopping, kept.norms)
    own = weights.part(kept.terms.pop(segment.part, None))
    worker_state = _take_segment(segment, own, learner, shards, sizes, stopping, kept.norms)
    own.weigh(segment.share)
    kept.terms[segment.part] = own
    return own, worker_state
