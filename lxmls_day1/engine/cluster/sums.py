"""The sums of the batch learners on a cluster: each worker adds some shards by the fixed tree, and then their sums are added by it.

The tree is that of threads (`lxmls_day1.engine.corpus.streamed_loss`): a job is a block of 2ⁿ neighbouring shards. So the bits are
those of one thread, whatever the number of workers, if all have the same processor.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lxmls_day1.engine.cluster.parts import Job, PartWorkers, workers_with
from lxmls_day1.engine.corpus.shard_rows import Slice
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus.streamed_loss import StreamedLogLoss
from lxmls_day1.engine.kernels.class_sums import class_sums
from lxmls_day1.engine.kernels.row_steps import Integers, Reals
from lxmls_day1.engine.kernels.tree_reduce import joined

_COUNTING_JOBS = 16  # each keeps J x K numbers on its worker


def blocks_of(shards: Shards, n_jobs: int) -> list[Job]:
    """The shards in blocks of 2ⁿ neighbours, at most about two for each job that runs at once.

    The argument of each job is the range of its shards.
    """
    size = 1
    while -(-len(shards) // size) > 2 * n_jobs:
        size *= 2
    starts = range(0, len(shards), size)
    blocks = [range(start, min(start + size, len(shards))) for start in starts]
    return [Job(block, [Slice(i, 0, int(shards.rows[i])) for i in block]) for block in blocks]


def loss_here(
    shards: Shards, shared: tuple[Integers, int, Reals], block: range, _stopping: threading.Event
) -> tuple[float, Reals]:
    """The loss of some shards and its gradient, on a worker."""
    columns, n_columns, W = shared
    return StreamedLogLoss(shards, columns, n_columns).of_shards(W, block)


def add_losses(one: tuple[float, Reals], other: tuple[float, Reals]) -> tuple[float, Reals]:
    """The sums of two."""
    return one[0] + other[0], one[1] + other[1]


def squares_here(shards: Shards, shared: tuple[Integers, int], block: range, _stopping: threading.Event) -> Reals:
    """The sums of squares of the features in some shards, on a worker."""
    return StreamedLogLoss(shards, *shared).sums_of_squares(block)


def counts_here(
    shards: Shards, shared: tuple[Integers, int], block: range, _stopping: threading.Event
) -> tuple[Reals, float, Reals]:
    """The counts of words by class in some shards, the smallest entry and the documents of each class, on a worker."""
    columns, n_classes = shared

    def of_shard(i: int) -> tuple[Reals, float, Reals]:
        shard = shards.open(i)
        labels = columns[shard.labels]
        return *class_sums(shard.X, labels, n_classes), np.bincount(labels, minlength=n_classes).astype(np.float64)

    return joined(map(of_shard, block), add_counts)


def add_counts(one: tuple[Reals, float, Reals], other: tuple[Reals, float, Reals]) -> tuple[Reals, float, Reals]:
    """The sums of two, and the smaller of their smallest entries."""
    return one[0] + other[0], min(one[1], other[1]), one[2] + other[2]


class ClusterLogLoss:
    """As `lxmls_day1.engine.corpus.streamed_loss.StreamedLogLoss`, by the workers of a cluster."""

    def __init__(self, workers: PartWorkers, shards: Shards, columns: Integers, n_columns: int, n_jobs: int):
        self._workers, self._columns, self._n_columns = workers, columns, n_columns
        self._jobs = blocks_of(shards, n_jobs)
        self.n_examples, self.n_features = shards.n_rows, shards.n_features

    def __call__(self, W: Reals) -> tuple[float, Reals]:
        """The loss and its gradient, a new array, at W (J + 1, n_columns)."""
        loss, gradient = self._workers.run(
            loss_here, add_losses, (self._columns, self._n_columns, np.ascontiguousarray(W)), self._jobs
        )
        return loss, gradient.copy()  # what has come over the network may be read only

    def sums_of_squares(self) -> Reals:
        """Σ_m of the squares of each feature (J,)."""
        squares: Reals = self._workers.run(squares_here, np.add, (self._columns, self._n_columns), self._jobs)
        return squares.copy()


@contextlib.contextmanager
def cluster_loss(scheduler: str, n_jobs: int) -> Iterator[Callable[[Shards, Integers, int], ClusterLogLoss]]:
    """A function that makes the loss of a corpus, as `BatchLearner.minimise` takes it, for the length of a ``with``.

    Parameters
    ----------
    scheduler : str
        The address of a Dask scheduler.
    n_jobs : int
        About half as many blocks of shards are summed at once.
    """
    with contextlib.ExitStack() as stack:

        def loss_of(shards: Shards, columns: Integers, n_columns: int) -> ClusterLogLoss:
            workers = stack.enter_context(workers_with(shards, scheduler))
            return ClusterLogLoss(workers, shards, columns, n_columns, n_jobs)

        yield loss_of


def counts_on_cluster(scheduler: str, shards: Shards, columns: Integers, n_classes: int) -> tuple[Reals, float, Reals]:
    """What multinomial naive Bayes counts, in one pass over a corpus by the workers of a cluster.

    Parameters
    ----------
    scheduler : str
    shards : Shards
    columns : int array (K,)
    n_classes : int

    Returns
    -------
    word_counts : array (J, K)
    lowest : float
        The smallest entry, or 0 if none is below.
    n_documents : array (K,)
    """
    with workers_with(shards, scheduler) as workers:
        counts: Any = workers.run(counts_here, add_counts, (columns, n_classes), blocks_of(shards, _COUNTING_JOBS // 2))
    return counts[0].copy(), counts[1], counts[2].copy()
