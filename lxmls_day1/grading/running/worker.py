"""The process that grades: it reads one submission after another, grades each, and replies with its row and pages.

`serve` is the main function of a process of its own (`lxmls_day1.grading.running.worker_process` starts it and talks to it), so that
a submission which brings its grader down takes along nothing but itself. Requests and replies are pairs of a word and a value.
"""

import gc
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.box.sandbox import BoxesUnavailable
from lxmls_day1.grading import step
from lxmls_day1.grading.gradebook import ERROR, CheckGrade
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.submissions import State, state_of, unread
from lxmls_day1.grading.running.one_submission import ForkServers, Graded, Grader, unfinished
from lxmls_day1.grading.running.plan import Plan
from lxmls_day1.grading.safe_text import one_line

GIBIBYTE = 1 << 30
OWN_MEMORY = 2 * GIBIBYTE  # on top of what a worker has when it is ready; and more for large answers


def serve() -> None:
    """Answer requests on standard input until there are no more; end at once when whoever asks is gone.

    ``plan``: the plan of the run. ``look``: where a submission is -> its state, None if it cannot be read. ``prepare``
    -> the checks; a box is made, too, which takes a second that a run in which nothing has changed does not need.
    ``grade``: where a submission is -> `Graded`. All of them reply ``done`` and the value. What is wrong with the
    machine or with the checks, and not with a submission: ``unavailable`` and ``broken``, with a sentence.
    """
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that has started this one
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    stream = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    requests: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(stream, requests), daemon=True).start()
    fork_servers = ForkServers()
    grader: Grader | None = None
    while True:
        word, value = requests.get()
        if word == "end":
            fork_servers.close()
            os._exit(0)
        try:
            if word == "plan":
                grader = step("checked")(value, fork_servers)
                limit_memory(own_memory(value))
                reply: tuple[str, Any] = "done", None
            else:
                assert grader is not None
                reply = "done", ANSWERS[word](grader, value)
        except BoxesUnavailable as error:
            reply = "unavailable", str(error)
        except InputError as error:
            reply = "broken", str(error)
        pickle.dump(reply, replies, pickle.HIGHEST_PROTOCOL)
        replies.flush()


def _listen(stream: Any, requests: queue.SimpleQueue[tuple[str, Any]]) -> None:
    """Put requests into the queue. When there are no more, this process ends at once, and its boxes with it."""
    try:
        while True:
            requests.put(pickle.load(stream))
    finally:
        os._exit(1)


def own_memory(plan: Plan) -> int:
    """How many bytes a worker may take on top of what it has when it is ready."""
    return OWN_MEMORY + 16 * plan.limits.bytes_of("reply")


def _prepare(grader: Grader, _: None) -> tuple[CheckGrade, ...]:
    known = grader.checks
    gc.collect()
    gc.freeze()  # the many objects that exist now will stay: the garbage collector need not look at them again
    gc.set_threshold(10_000)
    limit_memory(own_memory(grader.plan))
    return known


def _state_of(grader: Grader, found: FoundSubmission) -> State | None:
    try:
        return state_of(step("read")(found, grader.plan.given))
    except Exception:  # `_grade` says what is wrong with it
        return None


def _grade(grader: Grader, found: FoundSubmission) -> Graded:
    try:
        submission = step("read")(found, grader.plan.given)
    except Exception as error:
        message = f"{type(error).__name__}: {one_line(str(error), 300)}"
        return unfinished(grader.plan, grader.checks, unread(found), ERROR, "it could not be read", message)
    return grader(submission)


ANSWERS: dict[str, Callable[[Grader, Any], Any]] = {"prepare": _prepare, "look": _state_of, "grade": _grade}


def limit_memory(more: int) -> None:
    """Have this process take no more than some bytes on top of what it has; where the system can."""
    if sys.platform.startswith("linux"):
        import resource

        from lxmls_day1.box.confinement import present_memory  # Linux's, too

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = present_memory() + more
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


if __name__ == "__main__":
    from lxmls_day1.grading.running import worker  # the same again under its own name, under which rows are sent

    worker.serve()
