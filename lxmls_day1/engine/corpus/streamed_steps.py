"""The steps of an online rule on a corpus on disk: shard after shard, while a thread reads the next shard.

In every round the shards are visited in a random order, and the rows of each shard in a random order. One generator draws both, so
a corpus of one shard is visited like a matrix in memory. At most two shards are in memory: one for training, and the next one,
which a thread reads and checks in the meantime.

Training can stop between two shards and at some positions within a shard. A `Position` records the point of the stop, so that
training resumes as if it had never stopped.
"""

import contextlib
import copy
from collections.abc import Callable, Generator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shard_rows import Slice
from lxmls_day1.engine.corpus.shards import Shard, Shards, check_finite_shard
from lxmls_day1.engine.kernels.row_steps import Integers, OnlineState, Reals, RowSteps, Rule, Weights
from lxmls_day1.engine.kernels.sparse_rows import Examples, sums_of_squares
from lxmls_day1.engine.kernels.threads import thread_pool

ROWS_PER_POLL = 2**14  # steps between two polls for a stop
_SAMPLE_ROWS = 2**17  # number of rows from which step sizes are planned: enough to estimate their median to about 1 %
_MAX_CACHED_ROWS = 2**22  # maximum number of rows whose ‖g(x)‖² are cached between rounds: 32 MB


class StepSettings(NamedTuple):
    """The properties of a learner that its steps depend on, apart from the weights and the step sizes."""

    rule: Rule  # See :class:`classifiers.online_classifier.OnlineClassifier`.
    columns: Integers  # (K,): the column of the weights for each class of the corpus
    costs: Reals  # (K, K): row y is ρ(·, y)
    shrinkage: float  # λ: the weights shrink by the factor 1 − step · λ before each update
    averaged: bool  # True if the weights keep a running sum for their average


class Position(NamedTuple):
    """A position within a round over the shards of a corpus."""

    # The state of the generator before it drew the order of this shard's rows (and, at the first shard, of the shards).
    rng_state: Mapping[str, Any]
    shards: Integers  # (S,): the indices of the shards, or slices of shards, in the order of this round
    n_shards: int  # number of completed shards
    n_rows: int  # number of completed rows of the next shard
    updates: int  # number of updates so far in this round, as in `Round`
    errors: int

    def values(self) -> dict[str, Any]:
        """Return the position as plain values."""
        return self._asdict()

    def rng_states(self) -> list[Any]:
        """Return the states of all generators in this position."""
        return [self.rng_state]


def position_of(values: Mapping[str, Any]) -> Position:
    """Build a position from its plain values; raise a ValueError or TypeError if they are invalid."""
    position = Position(**values)
    for count in (position.n_shards, position.n_rows, position.updates, position.errors):
        checked_count(count)
    if not np.array_equal(np.sort(position.shards), np.arange(len(position.shards))):
        raise ValueError("a position must name each shard exactly once")
    return position


def checked_count(value: Any) -> int:
    """Return a saved number of documents, steps or errors; raise a ValueError if it is not a valid count."""
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise ValueError(f"{value!r} is not a count")
    return value


class TrainingInterrupted(InputError):
    """Raised when training cannot continue now, but can resume later from a checkpoint."""

    remedy = "repair it"


class UnreadableShard(TrainingInterrupted):
    """Raised for a missing or damaged shard, after all steps before it were run."""

    remedy = "bring the file back"


class _Block(NamedTuple):
    """A shard that is ready for training."""

    position: Position  # the position of its first row
    examples: Examples
    labels: Integers  # (m,)
    order: Integers  # (m,): the row indices in visiting order


class StreamedSteps:
    """The steps of an online rule on the shards of a corpus, or on slices of some shards.

    Parameters
    ----------
    learner : StepSettings
    shards : Shards
    weights : Weights, optional
        The initial weights, updated in place. Default: zeros.
    slices : list of Slice, optional
        The rows to train on. Default: all shards.
    norms : dict of Slice to array, optional
        A cache of ‖g(x)‖² of the rows between rounds, used if there are at most 2²² rows.

    Attributes
    ----------
    weights : Weights
    n_rows : int
        The number of rows to train on.
    """

    def __init__(
        self,
        learner: StepSettings,
        shards: Shards,
        weights: Weights | None = None,
        slices: list[Slice] | None = None,
        norms: dict[Slice, Reals] | None = None,
    ):
        self._shards, self._columns, self.n_features = shards, learner.columns, shards.n_features
        self._slices = [Slice(i, 0, n) for i, n in enumerate(shards.rows.tolist())] if slices is None else slices
        self.n_rows = sum(stop - start for _, start, stop in self._slices)
        self._no_rows = sp.csr_array((0, shards.n_features)), np.zeros(0, dtype=np.int64)
        self._norms: dict[Slice, Reals] = {} if norms is None else norms
        self._steps = RowSteps(
            learner.rule, *self._no_rows, learner.costs, learner.shrinkage, learner.averaged, None, weights
        )
        self.weights = self._steps.weights

    def rounds(
        self,
        state: OnlineState,
        n_rounds: int,
        sizes: Callable[[int, int], Reals],
        next_stop: Callable[[], int],
        on_stop: Callable[[Position, tuple[int, int]], None],
        position: Position | None = None,
        _on_poll: Callable[[], None] | None = None,
    ) -> Generator[tuple[int, int], None, None]:
        """Go through the corpus one round at a time.

        Parameters
        ----------
        state : OnlineState
            It shares the weights of this object. Its generator draws the orders, and its steps are counted.
        n_rounds : int
            The number of rounds, including the round of ``position``.
        sizes : function (first, count) -> array (count,)
            Returns the sizes of the steps t = first, …, first + count − 1.
        next_stop : function () -> int
            Returns the maximum number of steps from now to the next stop.
        on_stop : function (position, (steps, errors))
            Called at every stop, with the numbers of steps and errors since the previous stop.
        position : Position, optional
            The position at which a round was interrupted.

        Yields
        ------
        updates, errors : int
            The counts of each round, at its end.

        Raises
        ------
        UnreadableShard
            If a shard cannot be read; all steps before it were run.
        """
        with contextlib.closing(self._blocks(state.rng, n_rounds, position)) as blocks:
            for r in range(n_rounds):
                updates, errors = (position.updates, position.errors) if position and r == 0 else (0, 0)
                n_done = position.n_shards if position and r == 0 else 0
                for block in islice(blocks, len(self._slices) - n_done):
                    self._steps.set_rows(block.examples, block.labels)
                    row = block.position.n_rows
                    while row < len(block.order):
                        order = block.order[row : row + min(ROWS_PER_POLL, next_stop())]
                        updates += int(self._steps.run(order[None], sizes(1 + state.n_steps, len(order)))[0])
                        row, wrong = row + len(order), int(self._steps.errors[0])
                        errors += wrong
                        state.n_steps += len(order)
                        now = block.position._replace(n_rows=row, updates=updates, errors=errors)
                        on_stop(now, (len(order), wrong))
                    self._steps.set_rows(*self._no_rows)  # Close the files of the shard before
                    del block  # the shard after the next one is opened.
                yield updates, errors

    def _blocks(
        self, rng: np.random.Generator, n_rounds: int, position: Position | None
    ) -> Generator[_Block, None, None]:
        """Yield the shards of all rounds in visiting order; read each shard while the previous one is in use."""
        n_shards = len(self._slices)
        order = np.arange(n_shards) if position is None else position.shards
        first = 0 if position is None else position.n_shards
        if position is not None:
            if len(order) != n_shards or not first < n_shards:
                raise InputError(
                    f"the checkpoint is damaged: it is at shard {first} of {len(order)}, but the corpus has {n_shards}; "
                    "remove it, and start again"
                )
            rng.bit_generator.state = position.rng_state

        def prepare(number: int) -> _Block:
            nonlocal order
            rng_state = rng.bit_generator.state
            if number % n_shards == 0:
                order = np.arange(n_shards, dtype=np.int64)
                rng.shuffle(order)
            piece = self._slices[int(order[number % n_shards])]
            shard, rows = self._shards.open(piece.shard), slice(piece.start, piece.stop)
            visits = np.arange(piece.stop - piece.start, dtype=np.int64)
            rng.shuffle(visits)
            n_rows = position.n_rows if position is not None and number == first else 0
            at = Position(rng_state, order, number % n_shards, n_rows, 0, 0)
            examples = Examples(
                shard.X.indptr[piece.start : piece.stop + 1], shard.X.indices.view(np.int32), shard.X.data,
                self._sq_norms(piece, shard), self.n_features,
            )  # fmt: skip
            return _Block(at, examples, self._columns[shard.labels[rows]], visits)

        with thread_pool(1) as pool:
            numbers = range(first, n_rounds * n_shards)
            coming = pool.submit(prepare, numbers[0])
            for number in numbers:
                try:
                    block = coming.result()
                except InputError as error:
                    raise UnreadableShard(str(error)) from error
                if number + 1 < numbers.stop:
                    coming = pool.submit(prepare, number + 1)
                else:
                    del coming
                yield block
                del block

    def _sq_norms(self, piece: Slice, shard: Shard) -> Reals:
        """Return ‖g(x)‖² of the rows in a slice; raise an InputError if a value is not finite."""
        if piece in self._norms:
            return self._norms[piece]
        sq_norms: Reals = sums_of_squares(shard.X.indptr[piece.start : piece.stop + 1], shard.X.data)  # type: ignore[no-untyped-call]  # untyped module
        if not np.isfinite(sq_norms).all():
            check_finite_shard(self._shards, piece.shard)
        if self.n_rows <= _MAX_CACHED_ROWS:
            self._norms[piece] = sq_norms
        return sq_norms

    def sample_sq_norms(self, rng: np.random.Generator) -> Reals:
        """Return ‖g(x)‖² of the rows of the corpus, or of a sample if it has several shards and more than 2¹⁷ rows.

        The sample has consecutive rows of every shard, starting at a random row, in proportion to its size. Reading the
        sample takes a small fraction of the time of reading the corpus.

        Parameters
        ----------
        rng : numpy.random.Generator
            It is not changed.
        """
        # A single shard is not sampled, so the result equals training in memory.
        if self.n_rows <= _SAMPLE_ROWS or len(self._shards) == 1:
            return np.concatenate([self._sq_norms(piece, self._shards.open(piece.shard)) for piece in self._slices])
        rng, found = copy.deepcopy(rng), []
        for i, n_rows in enumerate(self._shards.rows.tolist()):
            n_taken = -(-n_rows * _SAMPLE_ROWS // self.n_rows)
            start = int(rng.integers(n_rows - n_taken + 1))
            X = self._shards.open(i).X
            found.append(sums_of_squares(X.indptr[start : start + n_taken + 1], X.data))  # type: ignore[no-untyped-call]
        return np.concatenate(found)
