"""The sums of the batch learners on a cluster: each worker adds some shards in the fixed tree, and the tree then adds their sums.

The tree is the one that threads use (`lxmls_day1.engine.corpus.streamed_loss`), because a job is a block of 2ⁿ consecutive shards. So
the sums are bit-identical to those of one thread, for any number of workers, if all have the same processor. Word counts are added one
shard after another: sums of whole numbers are exact in any order.
"""

import threading
from typing import Any

import numpy as np

from lxmls_day1.engine.cluster.parts import Job, PartWorkers, workers_with
from lxmls_day1.engine.corpus.shard_rows import Slice
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus.streamed_loss import StreamedLogLoss
from lxmls_day1.engine.kernels.row_steps import Integers, Reals
from lxmls_day1.engine.loops.word_counting import count_shards

_COUNTING_JOBS = 16  # Each job keeps J x K numbers on its worker.


def blocks_of(shards: Shards, n_jobs: int) -> list[Job]:
    """Split the shards into jobs of 2ⁿ consecutive shards, at most about two jobs for each of the ``n_jobs`` parallel jobs.

    The argument of each job is the range of its shards.
    """
    size = 1
    while -(-len(shards) // size) > 2 * n_jobs:
        size *= 2
    starts = range(0, len(shards), size)
    blocks = [range(start, min(start + size, len(shards))) for start in starts]
    return [Job(block, [Slice(i, 0, int(shards.rows[i])) for i in block]) for block in blocks]


def loss_on_worker(
    shards: Shards, shared: tuple[Integers, int, Reals], block: range, _stopping: threading.Event
) -> tuple[float, Reals]:
    """Return the loss of some shards and its gradient, on a worker."""
    columns, n_columns, W = shared
    return StreamedLogLoss(shards, columns, n_columns).loss_of_shards(W, block)


def add_losses(first: tuple[float, Reals], second: tuple[float, Reals]) -> tuple[float, Reals]:
    """Add two losses and their gradients."""
    return first[0] + second[0], first[1] + second[1]


def squares_on_worker(shards: Shards, shared: tuple[Integers, int], block: range, _stopping: threading.Event) -> Reals:
    """Return the sums of squares of the features in some shards, on a worker."""
    return StreamedLogLoss(shards, *shared).sums_of_squares(block)


def counts_on_worker(
    shards: Shards, shared: tuple[Integers, int], block: range, _stopping: threading.Event
) -> tuple[Reals, float, Reals]:
    """Return the word counts by class in some shards, the smallest entry and the number of documents by class, on a worker."""
    return count_shards(shards, *shared, block)


def add_counts(first: tuple[Reals, float, Reals], second: tuple[Reals, float, Reals]) -> tuple[Reals, float, Reals]:
    """Add two sets of counts, and return the smaller of their smallest entries."""
    return first[0] + second[0], min(first[1], second[1]), first[2] + second[2]


class ClusterLogLoss:
    """The log loss of a corpus on disk, computed by the workers of a cluster.

    The interface is that of `lxmls_day1.engine.corpus.streamed_loss.StreamedLogLoss`. The workers get ``n_jobs`` parallel jobs: the
    shards are split into at most about twice as many blocks.
    """

    def __init__(self, workers: PartWorkers, shards: Shards, columns: Integers, n_columns: int, n_jobs: int):
        self._workers, self._columns, self._n_columns = workers, columns, n_columns
        self._jobs = blocks_of(shards, n_jobs)
        self.n_examples, self.n_features = shards.n_rows, shards.n_features

    def __call__(self, W: Reals) -> tuple[float, Reals]:
        """Return the loss and its gradient, a new array, at W (J + 1, n_columns)."""
        shared = self._columns, self._n_columns, np.ascontiguousarray(W)
        loss, gradient = self._workers.run(loss_on_worker, add_losses, shared, self._jobs)
        return loss, gradient.copy()  # Copied because arrays received over the network may be read-only.

    def sums_of_squares(self) -> Reals:
        """Return the sum over m of the squares of each feature (J,)."""
        return np.array(self._workers.run(squares_on_worker, np.add, (self._columns, self._n_columns), self._jobs))


def counts_on_cluster(scheduler: str, shards: Shards, columns: Integers, n_classes: int) -> tuple[Reals, float, Reals]:
    """Return the counts of multinomial naive Bayes, computed in one pass over a corpus by the workers of a cluster.

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
        The smallest entry, or 0 if all entries are larger.
    n_documents : array (K,)
    """
    with workers_with(shards, scheduler) as workers:
        jobs = blocks_of(shards, _COUNTING_JOBS // 2)
        counts: Any = workers.run(counts_on_worker, add_counts, (columns, n_classes), jobs)
    return counts[0].copy(), counts[1], counts[2].copy()
