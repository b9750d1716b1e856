"""Calls that run beside one another, where there are threads; in a browser, which has none, one runs after the other."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache
from threading import Thread
from typing import Any


def thread_pool(n_threads: int) -> Executor:
    """What takes calls and runs so many of them at the same time; without threads it runs each call when it is submitted.

    Examples
    --------
    >>> with thread_pool(2) as pool:
    ...     list(pool.map(abs, [-1, 2]))
    [1, 2]
    """
    return ThreadPoolExecutor(n_threads) if threads_start() else _AtOnce()


@cache
def threads_start() -> bool:
    """Whether this Python can start threads: it tries."""
    thread = Thread(target=int)
    try:
        thread.start()
    except RuntimeError:
        return False
    thread.join()
    return True


class _AtOnce(Executor):
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Call it now; an interruption is raised here, any other exception where the result is asked for."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **settings))
        except Exception as error:
            future.set_exception(error)
        return future
