"""Online learners on a cluster: weights are sent and returned as arrays; a learner is sent as class name and attributes."""

import contextlib
import copy
import functools
import importlib
import inspect
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.settings import required_settings
from lxmls_day1.engine.cluster.parts import Job, PartWorkers, workers_with
from lxmls_day1.engine.corpus.mixed_steps import Segment, SegmentCache, Sizes, Term, mixing_term
from lxmls_day1.engine.corpus.shard_rows import Slice, parts_of
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus.streamed_steps import StepSettings
from lxmls_day1.engine.kernels.row_steps import Integers, Reals, Weights
from lxmls_day1.engine.kernels.sparse_rows import sums_of_squares
from lxmls_day1.engine.loops.objectives import longest_rows
from lxmls_day1.library_path import find_lab_file, reference_path


class NamedLearner(NamedTuple):
    """A learner of the reference lab, without its code."""

    module: str
    name: str
    attributes: dict[str, Any]  # numbers, strings, Booleans and None
    learner: StepSettings  # the steps of the learner, without the rule


#: On a worker of the cluster: cached data, which lives as long as the corpus of the run.
_segment_caches: weakref.WeakKeyDictionary[Shards, SegmentCache] = weakref.WeakKeyDictionary()


def to_named_learner(owner: Any, learner: StepSettings) -> NamedLearner:
    """Return a learner as class name and attributes.

    Raises
    ------
    InputError
        If the learner is not one of the reference lab, which the workers have.
    """
    kind = type(owner)
    reference, package = Path(reference_path()), Path(__file__).parents[2]
    own = "rule" in vars(owner)
    for base in kind.__mro__[:-1]:
        try:
            source = Path(inspect.getfile(base))
            if not source.is_relative_to(package):  # All workers have the package.
                known = reference / find_lab_file(reference, f"classifiers/{source.name}")
                own |= source.read_bytes() != known.read_bytes()
        except (OSError, TypeError):
            own = True
    if own:
        raise InputError(
            f"a cluster trains the learners of the package only, and {kind.__name__} is not one of them, or has been changed: the "
            "workers have no code of yours; leave the scheduler out, and use n_jobs for the cores of this machine"
        )
    plain_types = (bool, int, float, str, type(None))
    plain = {name: value for name, value in vars(owner).items() if isinstance(value, plain_types)}
    return NamedLearner(kind.__module__.rpartition(".")[2], kind.__name__, plain, learner._replace(rule=_no_rule))


def _no_rule(*_: Any) -> None:
    """Serve as a placeholder for the rule, which a worker takes from the class."""


def run_segment_on_worker(
    shards: Shards, shared: tuple[NamedLearner, Weights, bool], segment: Segment, stopping: threading.Event
) -> Term:
    """Train a part for a segment, on a worker."""
    (module, name, attributes, learner), weights, sums = shared
    if sums and not len(weights.U):
        weights = copy.copy(weights)
        weights.U = np.broadcast_to(0.0, weights.V.shape)  # Only the shape of this array is used.
    kind = getattr(importlib.import_module(f"lxmls_day1.classifiers.{module}"), name)
    owner = kind(**{setting: attributes[setting] for setting in required_settings(kind)})
    for attribute, value in attributes.items():
        setattr(owner, attribute, value)
    cache = _segment_caches.setdefault(shards, SegmentCache({}, {}))
    learner = learner._replace(rule=owner.rule)
    term, worker_state = mixing_term(segment, weights, learner, shards, owner.steps, stopping, cache)
    return term, [worker_state]


def join_terms(first: Term, second: Term) -> Term:
    """Add two terms of the mean, in new arrays."""
    one, other = first[0], second[0]
    if one.paired != other.paired:
        total = one.copy().add_term(other.copy())
    else:
        total = copy.copy(one)
        total.V, total.U = _sum(one.V, other.V), _sum(one.U, other.U)
    return total, first[1] + second[1]


def _sum(first: Reals, second: Reals) -> Reals:
    """Add two arrays into a buffer that is only sent over the network.

    The buffer has small memory pages, because the system may first have to clear or find large ones.
    """
    total: Reals = np.ndarray(first.shape, buffer=bytearray(first.nbytes))
    return np.add(first, second, out=total)


def longest_on_worker(
    shards: Shards, _shared: None, request: tuple[int, list[Slice]], _stopping: threading.Event
) -> tuple[Integers, Reals]:
    """Return the n longest rows of a part, as indices in the corpus, and their ‖g(x)‖², on a worker."""
    n, slices = request
    norms = _segment_caches[shards].norms if shards in _segment_caches else {}
    starts = np.cumsum(shards.rows) - shards.rows
    rows, sq_norms = np.zeros(0, dtype=np.int64), np.zeros(0)
    for piece in sorted(slices):
        of_piece = norms.get(piece)
        if of_piece is None:
            X = shards.open(piece.shard).X
            of_piece = sums_of_squares(X.indptr[piece.start : piece.stop + 1], X.data)  # type: ignore[no-untyped-call]  # untyped module
        numbers = starts[piece.shard] + np.arange(piece.start, piece.stop)
        rows, sq_norms = longest_rows(np.concatenate([rows, numbers]), np.concatenate([sq_norms, of_piece]), n)
    return rows, sq_norms


def join_longest(n: int, first: tuple[Integers, Reals], second: tuple[Integers, Reals]) -> tuple[Integers, Reals]:
    """Return the n longest rows of two parts."""
    rows, sq_norms = (np.concatenate(both) for both in zip(first, second, strict=True))
    order = np.argsort(rows)
    return longest_rows(rows[order], sq_norms[order], n)


class OnlineExecutor:
    """An executor that trains the parts on a cluster; see `lxmls_day1.engine.corpus.mixed_steps.Executor`."""

    def __init__(self, workers: PartWorkers, owner: Any, learner: StepSettings, shards: Shards):
        self._workers, self._owner, self._learner, self._rows = workers, owner, learner, shards.rows

    def train_parts(self, weights: Weights, segments: list[Segment], sizes: Sizes, on_poll: Callable[[], None]) -> Term:
        """Train the parts; see `lxmls_day1.engine.corpus.mixed_steps.Executor`. The workers compute the step sizes themselves."""
        sums = len(weights.U) > 0
        if sums and len(segments) > 1:  # Each part starts a new running sum.
            weights = copy.copy(weights)
            weights.U = weights.U[:0]
        parts = parts_of(self._rows, len(segments))
        jobs = [Job(segment, part) for segment, part in zip(segments, parts, strict=True)]
        shared = to_named_learner(self._owner, self._learner), weights, sums
        total, worker_states = self._workers.run(run_segment_on_worker, join_terms, shared, jobs, on_poll)
        # An array received over the network may be read-only.
        return total if len(segments) > 1 else total.copy(), worker_states

    def longest(self, n: int) -> tuple[Integers, Reals]:
        """Return the n longest rows of the corpus and their ‖g(x)‖², found by the workers that trained on them."""
        n_parts = min(int(self._owner.n_jobs), int(self._rows.sum()))
        jobs = [Job((n, part), part) for part in parts_of(self._rows, n_parts)]
        join = functools.partial(join_longest, n)
        found: tuple[Integers, Reals] = self._workers.run(longest_on_worker, join, None, jobs)
        return found


@contextlib.contextmanager
def online_executor(owner: Any, learner: StepSettings, shards: Shards, scheduler: str) -> Iterator[OnlineExecutor]:
    """Yield the executor that trains an online learner on a cluster, for use in a ``with`` statement."""
    to_named_learner(owner, learner)
    with workers_with(shards, scheduler) as workers:
        yield OnlineExecutor(workers, owner, learner, shards)
