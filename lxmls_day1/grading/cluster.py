"""Grading on a Dask cluster. Each of its workers first says which version it has, and then grades in processes of its own.

A worker of the cluster only hands on what it is sent: the grading is done by a `WorkerProcess` on its machine, with a safe
path and limits as everywhere. One that has another version of the package, of the checks or of the reference lab, that was
not started with a safe path, or that can make no boxes gets no work; it is named.
"""

import contextlib
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import lxmls_day1
from lxmls_day1.box.makers import BoxesUnavailable
from lxmls_day1.engine.cluster.workers import ASK_SECONDS, ClusterWorkers
from lxmls_day1.errors import InputError, counted
from lxmls_day1.grading.gradebook import CheckGrade
from lxmls_day1.grading.grading_run import NotTried
from lxmls_day1.grading.identity import Found
from lxmls_day1.grading.one_submission import Graded
from lxmls_day1.grading.plan import Plan, identity
from lxmls_day1.grading.submissions import State, Submission
from lxmls_day1.grading.worker_process import WorkerDied, WorkerProcess

SAFE_START = "start it with a safe path: PYTHONSAFEPATH=1 dask worker {scheduler}, and without PYTHONPATH"


# On a worker of the cluster ----------------------------------------------------------------------------------------------

_idle: dict[str, list[WorkerProcess]] = {}  # by the plan's key
_lock = threading.Lock()


def who_are_you() -> tuple[str, bool]:
    """The `identity` of this machine, and whether its Python imports only what is installed."""
    here, package = os.path.realpath(os.curdir), os.path.dirname(os.path.dirname(os.path.realpath(lxmls_day1.__file__)))
    found_here = any(os.path.realpath(entry) == here != package for entry in sys.path)
    return identity(), bool(sys.flags.safe_path) and not found_here


def prepare_here(packed: bytes) -> tuple[str, Any]:
    """Start a process that grades by a plan. Returns ``ready`` and the checks, or why it cannot be started."""
    plan = pickle.loads(packed)
    worker = WorkerProcess(plan)
    try:
        worker.start()
    except BoxesUnavailable as error:
        worker.close()
        return "unavailable", str(error)
    except InputError as error:
        worker.close()
        return "broken", str(error)
    with _lock:
        _idle.setdefault(plan.key, []).append(worker)
    return "ready", worker.checks


def grade_here(packed: bytes) -> tuple[str, Any]:
    """Have a process of this machine grade a submission. Returns ``graded``, ``died`` or ``unavailable``, and the row or the reason.

    Parameters
    ----------
    packed : bytes
        Plan and submission, pickled: as one value that Dask does not look into.
    """
    plan, submission = pickle.loads(packed)
    with _lock:
        processes = _idle.setdefault(plan.key, [])
        worker = processes.pop() if processes else WorkerProcess(plan)
    try:
        return worker.ask("grade", submission)
    except WorkerDied as death:
        return "died", (str(death), death.timed_out)
    except (BoxesUnavailable, InputError) as error:
        return "unavailable", str(error)
    finally:
        with _lock:
            processes.append(worker)


def end_here(key: str) -> None:
    """End this machine's processes for a plan."""
    with _lock:
        processes = _idle.pop(key, [])
    for worker in processes:
        worker.close()


# Where the run is --------------------------------------------------------------------------------------------------------


class Cluster(ClusterWorkers):
    """The workers of a cluster, as `lxmls_day1.grading.grading_run.grade` wants them.

    A process on this machine reads the submissions: the files need not exist on the others.

    Parameters
    ----------
    client : distributed.Client
    plan : Plan
    say : function from str
        Takes sentences for whoever waits: which workers are left out and why, and how many there are.
    """

    kept = "rows that are finished are kept, run the same command again"

    def __init__(self, client: Any, plan: Plan, say: Callable[[str], None] = lambda text: None):
        super().__init__(client, plan.identity, say)
        self.plan = plan
        self.checks: tuple[CheckGrade, ...] = ()
        self.reader = WorkerProcess(plan)
        self.reading = threading.Lock()
        self.stopped = threading.Event()
        self._slots: dict[str, list[ClusterSlot]] = {}
        self._preparing: dict[str, tuple[Any, int]] = {}
        self._said, self._next_look = -1, 0.0

    def slots(self) -> Sequence["ClusterSlot"]:
        """One for each thread of each worker that may grade; new workers are asked who they are.

        Raises
        ------
        InputError
            If the scheduler is gone.
        """
        if time.monotonic() >= self._next_look:
            self._look()
            self._next_look = time.monotonic() + (1.0 if self._slots else 0.2)
        return [slot for slots in self._slots.values() for slot in slots]

    def refuse(self, address: str, why: str) -> None:
        """Give a worker no more work."""
        super().refuse(address, why)
        self._slots.pop(address, None)

    def stop(self) -> None:
        """End what is being graded."""
        self.stopped.set()
        self.reader.stop()

    def close(self) -> None:
        """End the processes that grade, on all machines."""
        self.reader.close()
        if self._slots and self.client.status == "running":
            with contextlib.suppress(Exception):  # a worker that cannot be reached has nothing to end
                self.client.run(end_here, self.plan.key, workers=list(self._slots), on_error="ignore")

    def _look(self) -> None:
        workers = self.known(self._slots)
        for address in set(self._slots) - set(workers):
            self.say(f"The worker {address} is gone; what it had is graded by others.")
            del self._slots[address]
        self._preparing = {address: begun for address, begun in self._preparing.items() if address in workers}
        new = [address for address in workers if address not in {*self._slots, *self._refused, *self._preparing}]
        for address, why in self._strangers(new).items():
            self.refuse(address, why)
        for address in new:
            if address not in self._refused:
                future = self.client.submit(
                    prepare_here, pickle.dumps(self.plan), workers=[address], pure=False, retries=0
                )
                self._preparing[address] = future, max(1, workers[address])
        for address, (future, n_threads) in list(self._preparing.items()):
            if future.done():
                del self._preparing[address]
                self._prepared(address, future, n_threads)
        n_slots = sum(map(len, self._slots.values()))
        if n_slots != self._said and not self._preparing:
            self._said = n_slots
            if n_slots:
                grade = "grade" if len(self._slots) > 1 else "grades"
                self.say(f"{counted(len(self._slots), 'worker')} with {counted(n_slots, 'thread')} {grade}.")
            else:
                self.say(f"Waiting for workers: of {len(workers)} at {self.scheduler}, none can grade.")

    def _strangers(self, addresses: list[str]) -> dict[str, str]:
        """The workers that must not grade, and why."""
        found = {}
        for address, answer in self.answers(who_are_you, addresses).items():
            said, is_safe = answer if isinstance(answer, tuple) else (answer, False)
            why = self.why_other(said) or (None if is_safe else SAFE_START.format(scheduler=self.scheduler))
            if why:
                found[address] = why
        return found

    def _prepared(self, address: str, future: Any, n_threads: int) -> None:
        try:
            kind, value = future.result(timeout=ASK_SECONDS)
        except Exception as error:
            return self.refuse(address, f"it failed to start ({type(error).__name__})")
        if kind != "ready":
            return self.refuse(address, f"no boxes can be made there: {value}" if kind == "unavailable" else value)
        self.checks = value
        self._slots[address] = [ClusterSlot(self, address) for _ in range(n_threads)]


class ClusterSlot:
    """A thread of a worker of the cluster."""

    def __init__(self, cluster: Cluster, address: str):
        self._cluster, self._address = cluster, address

    def grade(self, found: Found, kept: State | None) -> Graded | None:
        """As `lxmls_day1.grading.grading_run.Slot` says."""
        cluster = self._cluster
        with cluster.reading:
            kind, value = cluster.reader.ask("read", (found, kept))
        if kind == "kept":
            return None
        if kind == "graded":  # there is nothing to grade: it cannot be read
            unreadable: Graded = value
            return unreadable
        kind, value = self._asked(value)
        if kind == "died":
            raise WorkerDied(*value)
        if kind == "unavailable":
            cluster.refuse(self._address, value)
            raise NotTried
        if value.row.made_by != cluster.plan.identity:
            cluster.refuse(self._address, f"it has become lxmls-day1 {value.row.made_by}")
            raise NotTried
        graded: Graded = value
        return graded

    def _asked(self, submission: Submission) -> tuple[str, Any]:
        cluster = self._cluster
        packed = pickle.dumps((cluster.plan, submission))
        future = cluster.client.submit(grade_here, packed, workers=[self._address], pure=False, retries=0)
        try:
            while not cluster.stopped.is_set():
                with contextlib.suppress(TimeoutError):
                    answer: tuple[str, Any] = future.result(timeout=1.0)
                    return answer
                if not any(self in slots for slots in list(cluster._slots.values())):
                    raise WorkerDied(f"the worker {self._address} of the cluster has ended")
            raise WorkerDied("it was stopped")
        except WorkerDied:
            raise
        except Exception as error:  # the worker or the scheduler went down, in one of many ways
            if cluster.client.status != "running":
                raise cluster.lost() from None
            raise WorkerDied(f"{type(error).__name__} at {self._address}") from None
        finally:
            with contextlib.suppress(Exception):
                future.cancel()
