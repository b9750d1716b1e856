"""Distributed work on parts of a corpus: each part is given to a worker that has its files, and to another worker if that one dies.

A *job* is a function of this package with its arguments, run on a worker; nothing else is sent, and no code. The results of the jobs
of a run stay on the workers, where neighbouring results are joined in the order of `lxmls_day1.engine.kernels.tree_reduce`. Only the
total comes back. So the result does not depend on the workers that did the jobs, and it is bit-identical on machines with the same
processor.

A worker may stop at any time. The scheduler must not stop: if it is silent for too long, the run ends with an error.
"""

import contextlib
import os
import threading
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.waiting import MIN_CLOCK_FACTOR, timeout_factor
from lxmls_day1.engine.cluster.workers import LOST_AFTER_SECONDS, dask_client, installation_fingerprint
from lxmls_day1.engine.corpus.shard_rows import Slice
from lxmls_day1.engine.corpus.shards import MANIFEST, Shards, fingerprint
from lxmls_day1.engine.corpus.streamed_steps import TrainingInterrupted
from lxmls_day1.engine.kernels.tree_reduce import tree_reduce

# The CPU time of another machine is unknown. So this is wall-clock time, which grows with the slowest response of the scheduler.
CALL_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.1
_REACH_TIMEOUT_SECONDS = 3.0  # maximum wait for a direct response from a worker
_MAX_FAILURES = 5  # maximum number of failures of one job for reasons other than its data


class ClusterLost(TrainingInterrupted):
    """Raised if the scheduler, or every usable worker, is lost."""

    remedy = "start the cluster again"


class Job(NamedTuple):
    """A job for a worker: an argument of a function of this package, called as ``function(shards, shared, argument, stopping)``."""

    argument: Any
    slices: Sequence[Slice]  # the rows that it reads


class _Failure(NamedTuple):
    """The result of a job that failed."""

    reason: str
    is_file_error: bool  # True if reading files failed, perhaps only on this worker


class _FetchFailed(NamedTuple):
    """The placeholder for a result that could not be fetched."""

    reason: str


# On a worker of the cluster ----------------------------------------------------------------------------------------------

_stopping: dict[str, threading.Event] = {}  # stop events by the key of a run
_corpora: dict[str, Shards] = {}


def worker_inventory(folder: str) -> tuple[str, str, list[int]]:
    """Return this machine's `installation`, the digest of the corpus manifest (or an error message), and the bytes of each shard."""
    try:
        shards = Shards(folder, partial=True)
        digest = fingerprint(shards.folder / MANIFEST)
    except InputError as error:
        return installation_fingerprint(), str(error), []
    return installation_fingerprint(), digest, [_bytes_of(shards, i) for i in range(len(shards))]


def _bytes_of(shards: Shards, i: int) -> int:
    entry, found = shards.manifest["shards"][i], 0
    for name in entry["files"]:
        with contextlib.suppress(OSError):
            found += (shards.folder / entry["name"] / name).stat().st_size
    return found


def run_job_on_worker(key: str, folder: str, function: Callable[..., Any], shared: Any, argument: Any) -> Any:
    """Run a job on this machine; return a `_Failure` if it fails."""
    stopping = _stopping.setdefault(key, threading.Event())
    try:
        if key not in _corpora:
            _corpora[key] = Shards(folder, partial=True)
        return function(_corpora[key], shared, argument, stopping)
    except InputError as error:
        return _Failure(str(error), isinstance(error, TrainingInterrupted))
    except OSError as error:
        return _Failure(f"{type(error).__name__}: {error}", True)


def join_on_worker(join: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    """Join the results of two jobs, or return the failure of one of them."""
    return next((one for one in (first, second) if isinstance(one, _Failure)), None) or join(first, second)


def stop_on_worker(key: str) -> None:
    """Stop the jobs of a run on this machine, and delete its data."""
    _stopping.pop(key, threading.Event()).set()
    _corpora.pop(key, None)


def _warn(text: str) -> None:
    """Warn the user that a worker is refused or lost; the run continues more slowly without it."""
    warnings.warn(text, stacklevel=2)


# On the machine of the run ------------------------------------------------------------------------------------------------


class PartWorkers:
    """The workers of a cluster that have a corpus.

    Parameters
    ----------
    client : distributed.Client
    shards : Shards
    """

    def __init__(self, client: Any, shards: Shards):
        self.client = client
        #: The address of the scheduler, stored here because the client drops it when the connection is lost.
        self.scheduler = str(client.scheduler.address) if client.scheduler else "?"
        self._identity = installation_fingerprint()
        self._refused: dict[str, str] = {}
        self._heard = time.monotonic()
        self._slowest, self._silent = 0.0, False
        self._folder, self._digest = os.path.abspath(shards.folder), fingerprint(shards.folder / MANIFEST)
        self._names = [entry["name"] for entry in shards.manifest["shards"]]
        self._sizes = [sum(file["bytes"] for file in entry["files"].values()) for entry in shards.manifest["shards"]]
        self._key = uuid.uuid4().hex
        self._threads: dict[str, int] = {}  # number of threads of each accepted worker
        self._missing: dict[str, set[int]] = {}  # the missing shards of each accepted worker
        self._last: dict[int, str] = {}  # job -> the last worker that ran it
        self._reaches: bool | None = None  # whether workers can be reached directly, not only through the scheduler
        self._next_poll = 0.0

    def run(
        self,
        function: Callable[..., Any],
        join: Callable[[Any, Any], Any],
        shared: Any,
        jobs: Sequence[Job],
        on_poll: Callable[[], None] = lambda: None,
    ) -> Any:
        """Run all jobs, and join their results.

        Parameters
        ----------
        function : function (shards, shared, argument, stopping) -> value
            A function of this package. ``stopping`` is an event that is set when it should end early.
        join : function (first, second) -> value
            It must not change its arguments, because a worker may join them again.
        shared : value
            Sent to each worker once.
        jobs : sequence of Job
        on_poll : function ()
            Called several times a second. An exception raised by it ends the run.
        """
        running: dict[int, tuple[str, Any]] = {}  # job -> worker, future
        failures, everywhere = [0] * len(jobs), self._broadcast(shared)
        self._next_poll, waiting_since = 0.0, time.monotonic()
        root, n_unread = None, 0
        while True:
            on_poll()
            for n in self._lost_jobs(running):
                self._cancel(root)
                root = None
                running.pop(n)
            for n in range(len(jobs)):
                address = None if n in running else self._free_worker(n, jobs[n], running)
                if address is not None:
                    job = run_job_on_worker, self._key, self._folder, function, everywhere, jobs[n].argument
                    future = self.client.submit(*job, workers=[address], pure=False, retries=0)
                    running[n], self._last[n], waiting_since = (address, future), address, time.monotonic()
            if not running and time.monotonic() - waiting_since > self.time_limit(CALL_TIMEOUT_SECONDS):
                raise ClusterLost(self._no_workers_message())
            if root is None and len(running) == len(jobs):
                root = tree_reduce(
                    [running[n][1] for n in range(len(jobs))],
                    lambda first, second: self.client.submit(join_on_worker, join, first, second, pure=False),
                )
            broken = [n for n, (_, future) in running.items() if future.status in ("error", "cancelled", "lost")]
            for n in broken:
                failures[n] += 1
                why = self._failure_reason(running.pop(n))
                if failures[n] >= _MAX_FAILURES:
                    raise ClusterLost(
                        f"a part of the work failed {_MAX_FAILURES} times on the cluster; the last error: {why}"
                    )
            if broken or (root is not None and root.status in ("error", "cancelled", "lost")):
                self._cancel(root)
                root, everywhere = None, self._broadcast(shared)
                self._next_poll = 0.0
            if root is not None and root.status == "finished":
                found = self._fetch(root)
                if isinstance(found, _Failure):
                    root = None
                    self._handle_failure(running)
                elif isinstance(found, _FetchFailed):
                    root, n_unread = None, n_unread + 1
                    if n_unread >= _MAX_FAILURES:
                        raise ClusterLost(
                            f"the sum of the parts could not be fetched {_MAX_FAILURES} times; the last error: {found.reason}"
                        )
                else:
                    return found
            self._wait(root, running)

    def close(self) -> None:
        """Stop all running jobs, and delete the data of this run, on all machines."""
        if self._threads and self.client.status == "running":
            with contextlib.suppress(Exception):  # An unreachable worker has nothing to stop.
                self.client.sync(
                    self.client._run, stop_on_worker, self._key, workers=list(self._threads), on_error="ignore",
                    callback_timeout=5,
                )  # fmt: skip

    # ------------------------------------------------------------------------------------------------ which workers

    def _poll_workers(self) -> None:
        """Find lost workers, and ask new workers for their version and corpus."""
        found = self.available_workers()
        for address in set(self._threads) - set(found):
            _warn(f"The worker {address} is lost; other workers take over its parts.")
            del self._threads[address]
        new = [address for address in found if address not in self._threads and address not in self._refused]
        for address, answer in self._inventories(new).items():
            said, digest, sizes = answer if isinstance(answer, tuple) else (answer, "", [])
            if why := self.version_mismatch(said):
                self.refuse(address, why)
            elif not sizes:
                self.refuse(address, f"it cannot read the corpus: {digest}")
            elif digest != self._digest:
                self.refuse(address, f"its {self._folder} is another corpus: {MANIFEST} differs from the one here")
            else:
                if self._reaches is None:
                    self._reaches = self._is_reachable(address)
                self._threads[address] = max(1, found[address])
                self._missing[address] = {i for i, n in enumerate(sizes) if n != self._sizes[i]}

    def _is_reachable(self, address: str) -> bool:
        """Return True if a worker can be reached directly from this machine."""
        try:
            limit = self.time_limit(_REACH_TIMEOUT_SECONDS)
            self.client.sync(self.client.rpc(address).identity, callback_timeout=limit)
        except Exception:  # Many causes: another network, a firewall.
            return False
        return True

    def _free_worker(self, n: int, job: Job, running: dict[int, tuple[str, Any]]) -> str | None:
        """Return a worker that has the files of a job and a free thread, or None.

        Prefer the last worker that ran the job, otherwise the one with most free threads.
        """
        wanted = {piece.shard for piece in job.slices}
        able = [address for address in self._threads if not wanted & self._missing[address]]
        if not able and self._threads:
            address = next(iter(self._threads))
            shard = self._names[min(wanted & self._missing[address])]
            raise InputError(
                f"no worker has all files of {', '.join(self._names[i] for i in sorted(wanted)[:3])}"
                f"{' …' if len(wanted) > 3 else ''}: the worker {address} lacks {os.path.join(self._folder, shard)}, or has "
                "it with another size; copy the corpus there, or to a folder that all workers see under the same path"
            )
        busy = Counter(address for address, future in running.values() if not future.done())
        spare = {address: n - busy[address] for address, n in self._threads.items() if address in able}
        spare = {address: n for address, n in spare.items() if n > 0}
        if not spare:
            return None
        return self._last[n] if self._last.get(n) in spare else max(sorted(spare), key=spare.__getitem__)

    def _no_workers_message(self) -> str:
        reasons = "; ".join(f"{address}: {why}" for address, why in self._refused.items())
        return f"no worker at {self.scheduler} can be used ({reasons or 'there is none'})"

    def time_limit(self, seconds: float) -> float:
        """Return a wall-clock limit, which is longer if the scheduler was slow to answer, or if the user increases the patience."""
        return max(seconds * timeout_factor(), MIN_CLOCK_FACTOR * self._slowest)

    def refuse(self, address: str, reason: str) -> None:
        """Give no more work to a worker."""
        if address not in self._refused:
            self._refused[address] = reason
            _warn(f"The worker {address} is left out: {reason}.")

    def available_workers(self) -> dict[str, int]:
        """Return the scheduler's workers: address -> threads; while it does not answer, return the accepted ones.

        Raises
        ------
        ClusterLost
            If the scheduler is lost.
        """
        started, limit = time.monotonic(), self.time_limit(LOST_AFTER_SECONDS)
        try:
            if self.client.status != "running":
                raise OSError
            found: dict[str, int] = self.client.sync(self.client.scheduler.ncores, workers=None, callback_timeout=limit)
            self._heard = time.monotonic()
            self._slowest, self._silent = max(self._slowest, self._heard - started), False
        except Exception:  # Many causes, depending on the part of the connection that breaks first.
            if self.client.status in ("closed", "closing") or time.monotonic() - self._heard > 2 * limit:
                raise ClusterLost(f"the dask scheduler at {self.scheduler} is lost") from None
            if not self._silent:
                _warn(f"The scheduler at {self.scheduler} does not answer; waiting for it.")
            self._silent = True
            return dict.fromkeys(self._threads, 1)
        self._refused = {address: why for address, why in self._refused.items() if address in found}
        return found

    def _inventories(self, addresses: Sequence[str]) -> dict[str, Any]:
        """Return what some workers have, or the exception raised there; empty if a worker is lost in the meantime."""
        if not addresses:
            return {}
        limit = self.time_limit(CALL_TIMEOUT_SECONDS)
        asked = {"workers": addresses, "on_error": "return", "callback_timeout": limit}
        try:
            found: dict[str, Any] = self.client.sync(self.client._run, worker_inventory, self._folder, **asked)
        except Exception:
            return {}  # The remaining workers are called again later.
        return found

    def version_mismatch(self, said: Any) -> str | None:
        """Return the reason why a worker with this installation is incompatible, or None if it has the same version."""
        if not isinstance(said, str):
            return f"it has another version of lxmls-day1, or none ({type(said).__name__}: {said})"
        if said != self._identity:
            return f"it has lxmls-day1 {said}, but this machine has {self._identity}"
        return None

    # -------------------------------------------------------------------------------------------------- failures

    def _lost_jobs(self, running: dict[int, tuple[str, Any]]) -> list[int]:
        """Return the jobs that were given to lost workers, for which the scheduler is asked once a second."""
        if time.monotonic() >= self._next_poll:
            self._poll_workers()
            self._next_poll = time.monotonic() + 1.0
        return [n for n, (address, _) in running.items() if address not in self._threads]

    def _handle_failure(self, running: dict[int, tuple[str, Any]]) -> None:
        """Handle a failed job: refuse its worker, since other workers may have the missing files. Raise an error if none is left."""
        for n, (address, future) in list(running.items()):
            found = self._fetch(self.client.submit(_failure_of, future, workers=[address], pure=False))
            if isinstance(found, _Failure):
                if not found.is_file_error:
                    raise InputError(f"the worker {address}: {found.reason}")
                del running[n]
                self._threads.pop(address, None)
                self.refuse(address, found.reason)
        if not self._threads:
            raise ClusterLost(self._no_workers_message())

    def _failure_reason(self, job: tuple[str, Any]) -> str:
        address, future = job
        with contextlib.suppress(Exception):
            error = future.exception(timeout=1.0)
            return f"{address}: {type(error).__name__}: {error}"
        return f"{address}: it was lost"

    def _broadcast(self, shared: Any) -> Any:
        """Copy a value to every accepted worker."""
        if not self._threads:
            self._poll_workers()
        if not self._threads:
            return shared
        try:
            workers, limit = list(self._threads), self.time_limit(CALL_TIMEOUT_SECONDS)
            return self.client.scatter(shared, broadcast=True, workers=workers, hash=False, timeout=limit)
        except Exception:
            return shared  # A worker was lost in the meantime; the value is sent with each job.

    def _fetch(self, future: Any) -> Any:
        try:
            fetch, directly, limit = self.client._gather, bool(self._reaches), self.time_limit(CALL_TIMEOUT_SECONDS)
            return self.client.sync(fetch, [future], direct=directly, callback_timeout=limit)[0]
        except Exception as error:  # In most cases, the worker that has the result is lost.
            return _FetchFailed(f"{type(error).__name__}: {error}")

    def _cancel(self, future: Any) -> None:
        if future is not None:
            with contextlib.suppress(Exception):
                future.cancel()

    def _wait(self, root: Any, running: dict[int, tuple[str, Any]]) -> None:
        from distributed import wait
        from distributed.client import FuturesCancelledError

        waiting = [root] if root is not None else [future for _, future in running.values() if not future.done()]
        if not waiting:
            time.sleep(_POLL_SECONDS)
            return
        with self.client.as_current(), contextlib.suppress(TimeoutError, FuturesCancelledError):
            wait(waiting, timeout=_POLL_SECONDS, return_when="FIRST_COMPLETED")  # type: ignore[no-untyped-call]  # Dask is untyped.


def _failure_of(value: Any) -> _Failure | None:
    return value if isinstance(value, _Failure) else None


@contextlib.contextmanager
def workers_with(shards: Shards, scheduler: str) -> Iterator[PartWorkers]:
    """Yield the workers of a cluster that have a corpus, for use in a ``with`` statement."""
    with dask_client(scheduler) as client, contextlib.closing(PartWorkers(client, shards)) as workers:
        yield workers
