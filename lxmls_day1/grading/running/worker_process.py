"""A worker process seen from its parent: started on demand, and restarted if a submission or the run kills it."""

import contextlib
import os
import pickle
import subprocess
import threading
from typing import IO, Any

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.waiting import Deadline, call_on_timeout
from lxmls_day1.box.sandbox import END_SECONDS, START_SECONDS, THREAD_VARIABLES, BoxesUnavailable
from lxmls_day1.grading.gradebook import CheckGrade
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.submissions import State
from lxmls_day1.grading.running.one_submission import GradedSubmission
from lxmls_day1.grading.running.plan import Plan
from lxmls_day1.grading.running.run_folders import TRAVERSABLE_MODE
from lxmls_day1.library_path import python_command, safe_environment

WORKER = "lxmls_day1.grading.running.worker"


class WorkerDied(Exception):
    """A worker ended during its work; `timed_out` is True if it was killed because it took too long."""

    def __init__(self, text: str, timed_out: bool = False):
        super().__init__(text)
        self.timed_out = timed_out


class WorkerProcess:
    """A process that runs `lxmls_day1.grading.running.worker.serve`, started when it is first needed.

    It imports nothing from the current folder, which is empty. It ends when this process ends, even if this process is killed.

    Parameters
    ----------
    plan : Plan
    core : int, optional
        The core on which the worker and its boxes run. They take turns, so a second core would only delay each answer. Default: any.

    Attributes
    ----------
    checks : tuple of CheckGrade
        All checks, not yet run; empty before the first call of `prepare`.
    """

    def __init__(self, plan: Plan, core: int | None = None):
        self._plan, self._core = plan, core
        self._process: subprocess.Popen[bytes] | None = None
        self._temporary = contextlib.ExitStack()
        self._closed = self._is_prepared = False
        self._lock = threading.Lock()
        self.checks: tuple[CheckGrade, ...] = ()

    def grade(self, found: FoundSubmission, state: State | None) -> GradedSubmission | None:
        """Grade a submission. Return None if `state` is its current state, so that the earlier row is kept.

        Raises
        ------
        WorkerDied
            If the worker ends, or takes longer than `Plan.worker_timeout`. The next request starts a new worker.
        BoxesUnavailable
            If no box can be made on this machine.
        InputError
            If the checks cannot be run, or no worker can be started.
        """
        if state is not None and self._request_for_submission("look", found) == state:
            return None
        self.prepare()
        graded: GradedSubmission = self._request_for_submission("grade", found)
        return graded

    def prepare(self) -> None:
        """Have the worker collect the checks and make a box, unless it has already; raises the errors of `grade`."""
        self.start()
        if not self._is_prepared:
            self.checks = self._request_during_startup("prepare", None)
            self._is_prepared = True

    def start(self) -> None:
        """Start the worker and wait until it has its plan, unless it is running; raises the errors of `grade`."""
        if self._process is not None:
            return
        made = temporary_folder("lxmls-day1-worker-", mode=TRAVERSABLE_MODE)
        folder = self._folder = self._temporary.enter_context(made)
        variables = safe_environment() | dict.fromkeys(THREAD_VARIABLES, "1")
        variables |= {"PYTHONNOUSERSITE": "1", "PYTHONPATH": "", "TMPDIR": str(folder)}
        with self._lock, (folder / "errors.txt").open("wb") as errors:
            if self._closed:
                raise WorkerDied("it was closed")
            self._process = subprocess.Popen(
                python_command(WORKER),
                cwd=folder,
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        if self._core is not None:
            with contextlib.suppress(AttributeError, OSError):  # not every system can do this
                os.sched_setaffinity(self._process.pid, {self._core})
        self._request_during_startup("plan", self._plan)

    def _request_during_startup(self, word: str, value: Any) -> Any:
        """Return the reply to a request before the first submission: if the worker ends here, the machine is the cause."""
        wait = Deadline("a process that grades", self._running().pid, 2 * START_SECONDS, sleep_only=True)
        try:
            return self._request(word, value, wait)
        except WorkerDied as error:
            if self._closed:
                raise
            raise InputError(f"a process that grades could not be started: {error}.") from error
        except InputError:
            self._end()
            raise

    def _request_for_submission(self, word: str, found: FoundSubmission) -> Any:
        self.start()
        remedy = "--limit total_seconds=… raises the limit"
        wait = Deadline(f"the work on {found.student}", self._running().pid, self._plan.worker_timeout, remedy=remedy)
        return self._request(word, found, wait)

    def stop(self) -> None:
        """Kill the worker, from any thread. The request in progress raises `WorkerDied`."""
        with self._lock:
            self._closed = True
        self._kill()

    def close(self) -> None:
        """End an idle worker, which cleans up by itself."""
        if self._process is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._send(("end", None))
                self._process.wait(10)
            self._end()

    def _request(self, word: str, value: Any, wait: Deadline) -> Any:
        """Return the reply of `worker.serve` to a request."""
        with call_on_timeout(wait, self._kill) as over:
            try:
                self._send((word, value))
                kind, reply = pickle.load(self._pipes()[1])
            except (OSError, EOFError, pickle.UnpicklingError, ValueError):
                raise self._exit_error(wait, over.is_set()) from None
        if kind == "unavailable":
            raise BoxesUnavailable(reply)
        if kind == "broken":
            raise InputError(reply)
        return reply

    def _send(self, request: tuple[str, Any]) -> None:
        requests, _ = self._pipes()
        pickle.dump(request, requests, pickle.HIGHEST_PROTOCOL)
        requests.flush()

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the worker, which must have been started."""
        assert self._process is not None
        return self._process

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Return the standard input and output of the worker."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        return process.stdin, process.stdout

    def _exit_error(self, wait: Deadline, timed_out: bool) -> WorkerDied:
        """Return the error for a worker that has ended, and remove everything that is left of it."""
        process, folder = self._running(), self._folder
        with call_on_timeout(
            Deadline("the end of a process that grades", process.pid, END_SECONDS, sleep_only=True), process.kill
        ):
            code = process.wait()  # its output closes a moment before the process ends
        errors: list[str] = []
        with contextlib.suppress(OSError):
            errors = (folder / "errors.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        self._end()
        if timed_out:
            return WorkerDied(str(wait.timeout_error("it did not finish")), timed_out=True)
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        return WorkerDied(f"{how}; {errors[-1][:300]}" if errors else how)

    def _kill(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            self._is_prepared = False
        if process is not None:
            process.kill()
            with contextlib.suppress(OSError), process:
                pass  # The end of this block closes the pipes, and waits for the process.
        self._temporary.close()
