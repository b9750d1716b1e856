"""Iterative parameter mixing: the parts of a corpus on disk are trained on at once, by threads or by the workers of a cluster.

In every round each of P parts goes through its rows, in its own order, from the weights that all had last. Then all go on from the
mean of their weights, and the running sums of their steps are added up, so that the average is over all steps of all parts:

    W ← Σ_p μ_p W_p,    μ_p the share of rows of part p

The parts depend on the sizes of the shards and on P, their orders on the seed, and the terms of the mean are added in a fixed tree:
the same P and seed give the same bits, whoever trains which part, and however often.

Source: R. McDonald, K. Hall, G. Mann, Distributed training strategies for the structured perceptron, 2010.
"""

import copy
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, NamedTuple, Protocol

import numpy as np

from lxmls_day1.compiled.online_steps import Integers, OnlineState, Reals, Rule, Weights, machine_code_of, sum_of_terms
from lxmls_day1.compiled.streamed_steps import Interrupted, Place, StreamedSteps
from lxmls_day1.text.shard_rows import parts_of
from lxmls_day1.text.shards import Shards

_LOOK_SECONDS = 0.1  # between two looks at whether to stop


class MixedPlace(NamedTuple):
    """Where a round over the parts of a corpus stands, right after a mixing."""

    rng_state: Mapping[str, Any]  # of the generator after it drew the orders of this round
    n_done: int  # rows of all parts
    part_rng_states: list[Any]  # of the generator of each part, where this round began
    places: list[Place | None]  # of each part in this round; None at its beginning
    updates: int  # so far in this round, as in `Round`
    errors: int

    def values(self) -> dict[str, Any]:
        """As plain values, which `place_of` takes."""
        return {**self._asdict(), "places": [place and place._asdict() for place in self.places]}


def place_of(values: Mapping[str, Any]) -> MixedPlace:
    """A place from its plain values."""
    return MixedPlace(**{**values, "places": [place and Place(**place) for place in values["places"]]})


class Leg(NamedTuple):
    """What a part does until the next mixing."""

    part: int
    n_parts: int
    first_step: int  # t of the first step of this round
    rng_state: Mapping[str, Any]  # of the part's generator, where this round began
    place: Place | None
    n_done: int  # rows of the part in this round
    marks: Integers  # (n,) ascending: the rows in this round after which errors are counted; after the last one the leg ends


class Stand(NamedTuple):
    """Where a part is at the end of a leg."""

    place: Place | None
    errors: Integers  # (n,): in this round, at each mark
    rng_state: Mapping[str, Any]  # of the part's generator; right at the end of a round


class Learner(NamedTuple):
    """What a part needs to know of a learner, beside its weights."""

    rule: Rule
    costs: Reals  # (K, K): row y is ρ(·, y)
    shrinkage: float
    averaged: bool
    sizes: Callable[[int, int], Reals]  # (first, count) -> the sizes of the steps t = first, …, first + count − 1


class Crew(Protocol):
    """Who trains the parts."""

    def take(
        self, weights: Weights, legs: list[Leg], learner: Learner, interrupted: Callable[[], bool]
    ) -> tuple[Weights, list[Stand]]:
        """The sum of the parts' terms of the mean after a leg of each, and where they stand.

        Of a single part its weights, as they are. `Interrupted` is raised soon after ``interrupted()`` has become true.
        """
        ...


class MixedSteps:
    """A rule at work on the parts of a corpus on disk, with the methods of :class:`StreamedSteps`.

    Parameters
    ----------
    learner : Learner
    shards : Shards
    weights : Weights
        What to begin with, and to change.
    n_parts : int ≥ 1
        P.
    mix_every : int ≥ 1, optional
        After how many rows of all parts together their weights are mixed; after every round they are in any case.
    crew : Crew
    """

    def __init__(
        self, learner: Learner, shards: Shards, weights: Weights, n_parts: int, mix_every: int | None, crew: Crew
    ):
        self.weights, self.n_rows = weights, shards.n_rows
        self._learner, self._crew = learner, crew
        self._n_parts = min(n_parts, shards.n_rows)
        self._mix_every = shards.n_rows if mix_every is None or self._n_parts == 1 else mix_every

    def rounds(
        self,
        state: OnlineState,
        n_rounds: int,
        next_stop: Callable[[int], int],
        stopped: Callable[..., None],
        place: MixedPlace | None = None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[int, int]]:
        """Go through the corpus, a round at a time; as in :meth:`StreamedSteps.rounds`, but training stops at mixings only."""
        n_parts, weights = self._n_parts, self.weights
        if place is not None:
            state.rng.bit_generator.state = place.rng_state
        for r in range(n_rounds):
            here = place if place is not None and r == 0 else self._beginning(state.rng)
            first_step = 1 + state.n_steps - here.n_done
            while here.n_done < self.n_rows:
                end = min(self.n_rows, (here.n_done // self._mix_every + 1) * self._mix_every)
                marks = _marks(here.n_done, end, next_stop)
                legs = [
                    Leg(
                        p, n_parts, first_step, here.part_rng_states[p], here.places[p],
                        int(_rows_of_part(here.n_done, p, n_parts)), _rows_of_part(marks, p, n_parts),
                    )
                    for p in range(n_parts)
                ]  # fmt: skip
                mean, stands = self._crew.take(weights, legs, self._learner, interrupted)
                if n_parts == 1:
                    vars(weights).update(vars(mean))
                else:
                    weights.gather(mean)
                    weights.n_steps += end - here.n_done
                state.n_steps += end - here.n_done
                places = [stand.place for stand in stands]
                updates = sum(place.updates for place in places if place is not None)
                errors = sum(stand.errors for stand in stands)
                counts = np.diff(marks, prepend=here.n_done), np.diff(errors, prepend=here.errors)
                rng_state = stands[0].rng_state if n_parts == 1 and end == self.n_rows else here.rng_state
                here = MixedPlace(rng_state, end, here.part_rng_states, places, updates, int(errors[-1]))
                state.rng.bit_generator.state = rng_state
                stopped(here, *(list(map(int, numbers)) for numbers in counts))
            yield here.updates, here.errors

    def _beginning(self, rng: np.random.Generator) -> MixedPlace:
        """The place at the beginning of a round. The generator itself goes on only after the first mixing."""
        rng = copy.deepcopy(rng)
        if self._n_parts == 1:
            states = [rng.bit_generator.state]
        else:
            seeds = rng.integers(2**63, size=self._n_parts)
            states = [np.random.default_rng(seed).bit_generator.state for seed in seeds]
        return MixedPlace(rng.bit_generator.state, 0, states, [None] * self._n_parts, 0, 0)


def _marks(n_done: int, end: int, next_stop: Callable[[int], int]) -> Integers:
    """The rows of all parts in this round at which errors are counted, the last of which is the end of the leg."""
    marks, at = [], n_done
    while (at := at + next_stop(at - n_done)) < end:
        marks.append(at)
    return np.array([*marks, end], dtype=np.int64)


def _rows_of_part(n_rows: Any, part: int, n_parts: int) -> Any:
    """How many of the first rows of a round are those of a part: they take turns."""
    return (n_rows - part + n_parts - 1) // n_parts


class _EndOfLeg(Exception):
    pass


def take_leg(leg: Leg, weights: Weights, learner: Learner, shards: Shards, columns: Integers, stop: threading.Event) -> Stand:
    """The steps of a part until the next mixing.

    Parameters
    ----------
    leg : Leg
    weights : Weights
        Of this part; they are changed.
    learner : Learner
    shards : Shards
    columns : int array (K,)
        As in :class:`StreamedSteps`.
    stop : threading.Event
        `Interrupted` is raised soon after it is set.
    """
    place, row = leg.place, leg.n_done
    errors = np.full(len(leg.marks), 0 if place is None else place.errors)
    generator = getattr(np.random, leg.rng_state["bit_generator"])()
    generator.state = leg.rng_state
    state = OnlineState(np.zeros(0), False, weights, np.random.Generator(generator), None, n_steps=row)
    if row == leg.marks[-1]:
        return Stand(place, errors, generator.state)

    def sizes(first: int, count: int) -> Reals:  # of every P-th step
        return learner.sizes(leg.first_step + leg.part + (first - 1) * leg.n_parts, (count - 1) * leg.n_parts + 1)[
            :: leg.n_parts
        ].copy()

    def next_stop() -> int:
        return int(leg.marks[np.searchsorted(leg.marks, row, side="right")]) - row

    def stopped(now: Place, counts: list[int], _errors: list[int]) -> None:
        nonlocal place, row
        place, row = now, row + counts[-1]
        errors[np.searchsorted(leg.marks, row) :] = now.errors
        if row == leg.marks[-1]:
            raise _EndOfLeg
        if stop.is_set():
            raise Interrupted

    steps = StreamedSteps(
        learner.rule, shards, columns, learner.costs, learner.shrinkage, learner.averaged, weights,
        parts_of(shards.rows, leg.n_parts)[leg.part],
    )  # fmt: skip
    rounds = steps.rounds(state, 1, sizes, next_stop, stopped, leg.place)
    try:
        next(rounds)
    except _EndOfLeg:
        pass
    finally:
        rounds.close()
    return Stand(place, errors, generator.state)


class Threads:
    """The parts are trained by threads of this process.

    Parameters
    ----------
    shards : Shards
    columns : int array (K,)
    """

    def __init__(self, shards: Shards, columns: Integers):
        self._shards, self._columns = shards, columns

    def take(
        self, weights: Weights, legs: list[Leg], learner: Learner, interrupted: Callable[[], bool]
    ) -> tuple[Weights, list[Stand]]:
        """As :class:`Crew` says."""
        stop = threading.Event()

        def take(leg: Leg) -> tuple[Weights, Stand]:
            return own_term(leg, weights, learner, self._shards, self._columns, stop)

        compiled = machine_code_of(learner.rule) is not None
        with ThreadPoolExecutor(len(legs) if compiled else 1) as pool:  # Python's own steps wait for one another anyhow
            try:
                tasks = [pool.submit(take, leg) for leg in legs]
                while wait(tasks, _LOOK_SECONDS, "FIRST_EXCEPTION").not_done:
                    if interrupted():
                        raise Interrupted
                    if any(task.done() and task.exception() for task in tasks):
                        break
                done = [task.result() for task in tasks if not (task.cancelled() or stop.is_set())]
            finally:
                stop.set()
                for task in tasks:
                    task.cancel()
        return sum_of_terms([part for part, _ in done]), [stand for _, stand in done]


def own_term(
    leg: Leg, weights: Weights, learner: Learner, shards: Shards, columns: Integers, stop: threading.Event
) -> tuple[Weights, Stand]:
    """A part's term of the mean after a leg from common weights, which stay as they are; of a single part its weights."""
    if leg.n_parts == 1:
        part = weights.copy()
        stand = take_leg(leg, part, learner, shards, columns, stop)
        part.n_steps += int(leg.marks[-1]) - leg.n_done
        return part, stand
    part = weights.part()
    stand = take_leg(leg, part, learner, shards, columns, stop)
    part.weigh(_share(leg, shards.n_rows))
    return part, stand
