"""The worker process: it receives submissions one by one, grades each, and replies with its row and pages.

`serve` is the main function of a separate process (`lxmls_day1.grading.running.worker_process` starts it and talks to it), so that
a submission that crashes its grader affects no other submission. Requests and replies are pairs of a word and a value.
"""

import gc
import os
import pickle
import queue
import signal
import threading
from collections.abc import Callable
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.box.sandbox import BoxesUnavailable
from lxmls_day1.grading import step
from lxmls_day1.grading.gradebook import CheckGrade
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.submissions import State, content_digest, unreadable_submission
from lxmls_day1.grading.running.one_submission import GradedSubmission, Grader, failed_row
from lxmls_day1.grading.running.plan import Plan
from lxmls_day1.grading.safe_text import one_line
from lxmls_day1.grading.verdicts import ERROR

#: Bytes in addition to the memory of a worker that is ready; `limit_memory` adds more for large answers.
MEMORY_ALLOWANCE_BYTES = 2 << 30


def serve() -> None:
    """Reply to the requests on standard input until it ends; then exit at once.

    =============  ==============================  =====================================================================
    request        value                           value of the reply
    =============  ==============================  =====================================================================
    ``plan``       the plan of the run             None
    ``look``       the location of a submission    its state, or None if it cannot be read
    ``prepare``    None                            the checks. A box is made, too, which takes a second, so this request
                                                   is skipped if no submission has changed
    ``grade``      the location of a submission    a `GradedSubmission`
    ``end``        None                            no reply: the process exits
    =============  ==============================  =====================================================================

    The first component of a reply is ``done``. It is ``unavailable`` or ``broken`` (with a sentence as the value) if the machine or
    the checks are faulty, and not the submission.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    stream = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    requests: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(stream, requests), daemon=True).start()
    grader: Grader | None = None
    while True:
        word, value = requests.get()
        if word == "end":
            if grader is not None:
                grader.close()
            os._exit(0)
        try:
            if word == "plan":
                grader = step("checked")(value, grader.fork_servers if grader else None)
                limit_memory(value)
                reply: tuple[str, Any] = "done", None
            else:
                assert grader is not None
                reply = "done", HANDLERS[word](grader, value)
        except BoxesUnavailable as error:
            reply = "unavailable", str(error)
        except InputError as error:
            reply = "broken", str(error)
        pickle.dump(reply, replies, pickle.HIGHEST_PROTOCOL)
        replies.flush()


def _listen(stream: Any, requests: queue.SimpleQueue[tuple[str, Any]]) -> None:
    """Put requests into the queue. If the input ends, end this process and its boxes at once."""
    try:
        while True:
            requests.put(pickle.load(stream))
    finally:
        os._exit(1)


def _prepare(grader: Grader, _: None) -> tuple[CheckGrade, ...]:
    known = grader.checks
    gc.collect()
    gc.freeze()  # the existing objects stay, so the garbage collector need not visit them again
    gc.set_threshold(10_000)
    limit_memory(grader.plan)
    return known


def _state_of(grader: Grader, found: FoundSubmission) -> State | None:
    try:
        return content_digest(step("read")(found, given=grader.plan.given))
    except Exception:  # `_grade` reports the error
        return None


def _grade(grader: Grader, found: FoundSubmission) -> GradedSubmission:
    try:
        submission = step("read")(found, given=grader.plan.given)
    except Exception as error:
        message = f"{type(error).__name__}: {one_line(str(error), 300)}"
        checks, unread = grader.checks, unreadable_submission(found)
        return failed_row(grader.plan, checks, unread, ERROR, "it could not be read", message)
    return grader(submission)


HANDLERS: dict[str, Callable[[Grader, Any], Any]] = {"prepare": _prepare, "look": _state_of, "grade": _grade}


def limit_memory(plan: Plan) -> None:
    """Limit the memory of this process to its present size and an allowance, which is larger if a plan allows large answers."""
    import resource  # as confinement for Linux alone; this module can be imported everywhere

    from lxmls_day1.box.confinement import address_space_in_use

    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    new_limit = address_space_in_use() + MEMORY_ALLOWANCE_BYTES + 16 * plan.limits.in_bytes("reply")
    most = new_limit if hard_limit < 0 else min(new_limit, hard_limit)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard_limit))


if __name__ == "__main__":
    # Import this module under its real name, because pickled rows refer to it by name.
    from lxmls_day1.grading.running import worker

    worker.serve()
