"""The objective of a learner, mean loss plus penalty, in memory or on disk; and shortening of weights worse than W = 0."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.engine.loops.learners import Minimiser
from lxmls_day1.engine.loops.penalties import is_large_penalty, warn_if_penalty_too_large

Reals = NDArray[np.float64]

ParamsAndObjective = tuple[Reals, float]  # parameters, and the objective at these parameters

MAX_SAMPLE_SIZE = 2**12  # maximum sample size: enough to estimate the mean to 1/64 of the standard deviation
# Minimum expected number of misclassified examples in a sample; with fewer, it is inconclusive.
MIN_EXPECTED_ERRORS = 16


@dataclass
class MatrixRows:
    """The training examples in memory, to be read again: all, a subset, or the longest."""

    X: Any  # array or csr_array (M, J)
    labels: NDArray[np.intp]  # (M,)
    sq_norms: Reals  # (M,): ‖g(x)‖²
    factors: Reals | None  # (M,): the weight of each example; None if all are equal
    # True if the objective is computed for all parameters, so that a sample saves no time.
    tracks_objective: bool
    last_measured: ParamsAndObjective | None = None  # the last parameters with a known objective
    at_zero: float | None = None  # the mean loss at W = 0, or None if not yet computed

    @property
    def n_rows(self) -> int:
        """The number of examples, M."""
        return len(self.labels)

    def shards(self) -> Iterator[Iterable[tuple[Any, NDArray[np.intp]]]]:
        """Yield X and labels of all examples, in blocks."""
        yield [(self.X, self.labels)]

    def subset(self, rows: NDArray[np.int64]) -> Iterator[tuple[Any, NDArray[np.intp]]]:
        """Yield X and labels of the given examples, in ascending order, in blocks."""
        yield self.X[rows], self.labels[rows]

    def shortened(self, learner: Any, params: Reals, errors: int) -> Reals:
        """Return the parameters, shortened if their objective is above that of W = 0: see :func:`shrink_until_below_baseline`."""
        return shrink_until_below_baseline(learner, self, params, errors)

    def longest(self, n: int) -> tuple[NDArray[np.int64], Reals]:
        """Return the n longest examples, with their ‖g(x)‖²."""
        return longest_rows(np.arange(self.n_rows), self.sq_norms, n)


def longest_rows(rows: NDArray[np.int64], sq_norms: Reals, n: int) -> tuple[NDArray[np.int64], Reals]:
    """Return the n longest of the given rows (ascending) and their ‖g(x)‖².

    Among rows of equal length the first are returned, so that the result does not depend on how the rows are distributed.

    Examples
    --------
    >>> longest_rows(np.array([3, 5, 6, 9]), np.array([2.0, 1.0, 4.0, 2.0]), 2)
    (array([3, 6]), array([2., 4.]))
    """
    if len(rows) > n:
        minimum = np.partition(sq_norms, len(rows) - n)[len(rows) - n]
        longer, equal = np.flatnonzero(sq_norms > minimum), np.flatnonzero(sq_norms == minimum)
        best = np.sort(np.concatenate([longer, equal[: n - len(longer)]]))
        rows, sq_norms = rows[best], sq_norms[best]
    return rows, sq_norms


def objective_at(learner: Minimiser, rows: Any, params: Reals) -> float | None:
    """Return the mean loss plus the penalty at ``params`` (J + 1, K); None for a learner without an objective.

    Parameters
    ----------
    learner : Minimiser
    rows : MatrixRows or ShardRows
    params : array (J + 1, K)
    """
    if rows.last_measured is not None and rows.last_measured[0] is params:
        return float(rows.last_measured[1])
    no_scores = np.zeros((0, params.shape[1]))
    if learner.losses(no_scores, np.zeros(0, dtype=np.intp)) is None:
        return None
    (loss,) = _mean_losses(learner, rows, params, [1.0])
    return float(loss + learner.penalty_of(params))


@np.errstate(over="ignore", invalid="ignore")  # Comparisons with NaN are False, so overflowing weights are shortened.
def shrink_until_below_baseline(learner: Any, rows: Any, params: Reals, errors: int) -> Reals:
    """Return the parameters, shortened if their objective is above that of W = 0.

    F is convex along the ray from 0 through W, and shortening W changes no predicted label. All examples are evaluated only
    if neither the errors of the last round nor a sample prove that the objective is below that of W = 0.

    Parameters
    ----------
    learner : Minimiser
        A learner with the attribute ``first_step`` of :class:`classifiers.stochastic_gradient.StochasticGradient`.
    rows : MatrixRows or ShardRows
    params : array (J + 1, K)
    errors : int
        The number of examples of the last round that were misclassified before their step.
    """
    if rows.tracks_objective or not _certainly_below_baseline(learner, rows, params, errors):
        params = _shrink_until_below_baseline(learner, rows, params)
    if is_large_penalty(learner, rows.n_rows):
        drawn = np.unique(np.random.default_rng(0).integers(rows.n_rows, size=256))
        blocks = [_losses_along(learner, X, labels, params, [0.0, 1.0]) for X, labels in rows.subset(drawn)]
        at_zero, here = (float(np.concatenate(losses).mean()) for losses in zip(*blocks, strict=True))
        warn_if_penalty_too_large(learner, at_zero, here, rows.n_rows)
    return params


def _shrink_until_below_baseline(learner: Any, rows: Any, params: Reals) -> Reals:
    """Return the longest of W, W/4, W/16, … whose objective is not above that of W = 0."""
    penalty, n_tried = learner.penalty_of(params), 0
    while True:
        lengths = 4.0 ** -np.arange(n_tried, n_tried + (8 if n_tried else 1))
        losses = _mean_losses(learner, rows, params, [*lengths, *([0.0] if rows.at_zero is None else [])])
        rows.at_zero = losses[-1] if rows.at_zero is None else rows.at_zero
        for length, loss in zip(lengths.tolist(), losses, strict=False):
            if length == 0.0 or loss + length**2 * penalty <= rows.at_zero:
                rows.last_measured = params if length == 1.0 else length * params, float(loss + length**2 * penalty)
                shorter: Reals = rows.last_measured[0]
                return shorter
        n_tried += len(lengths)


def _certainly_below_baseline(learner: Any, rows: Any, params: Reals, errors: int) -> bool:
    """Return True if the errors of the last round or a sample show that F(params) < F(0)."""
    n, n_drawn, factors = rows.n_rows, min(max(rows.n_rows // 20, 64), MAX_SAMPLE_SIZE), rows.factors
    longest, sq_norms = rows.longest(64)  # the examples with the largest possible losses
    # A correctly classified example has a smaller loss than at W = 0. The loss of a misclassified one is at most about as
    # much above as its own step can change it. F(0) ≥ log 2.
    max_error_loss = errors / n * learner.first_step * sq_norms.max()
    if factors is None and learner.cost is None and max_error_loss + learner.penalty_of(params) < 0.5:
        return True
    if errors * n_drawn < MIN_EXPECTED_ERRORS * n:
        return False

    drawn = np.random.default_rng(0).integers(n, size=n_drawn)
    evaluated = np.unique(np.concatenate([longest, drawn]))
    losses = [_losses_along(learner, X, labels, params, [0.0, 1.0]) for X, labels in rows.subset(evaluated)]
    gains = np.concatenate([at_zero - here for at_zero, here in losses])
    if factors is not None:
        gains *= factors[evaluated] / factors.mean()
    worst = np.minimum(gains[np.searchsorted(evaluated, longest)], 0.0).sum()
    drawn = gains[np.searchsorted(evaluated, drawn)]
    lower_bound = drawn.mean() - 4.0 * drawn.std() / np.sqrt(n_drawn) + worst / n
    return bool(lower_bound > learner.penalty_of(params))


def _mean_losses(learner: Minimiser, rows: Any, params: Reals, lengths: Sequence[float]) -> Reals:
    """Return the mean loss at each of the given multiples of the parameters, summed shard by shard."""
    sums, factors = np.zeros(len(lengths)), rows.factors
    for blocks in rows.shards():
        parts = [_losses_along(learner, X, labels, params, lengths) for X, labels in blocks]
        for n, losses in enumerate(np.concatenate(part) for part in zip(*parts, strict=True)):
            sums[n] += (losses if factors is None else losses * factors).sum()
    return np.asarray(sums / (rows.n_rows if factors is None else factors.sum()))


def _losses_along(
    learner: Minimiser, X: Any, labels: NDArray[np.intp], params: Reals, lengths: Sequence[float]
) -> list[Any]:
    """Return the losses of examples at each of the given multiples of the parameters."""
    scores = learner.scores_of_rows(X, params)
    return [learner.losses(length * scores, labels) for length in lengths]
