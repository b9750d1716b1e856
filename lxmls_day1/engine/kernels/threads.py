"""Parallel calls in threads; if threads are unavailable, as in a browser, calls run one after another."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache
from threading import Thread
from typing import Any


def thread_pool(n_threads: int) -> Executor:
    """Return an executor with ``n_threads`` threads; without thread support it runs each call when it is submitted.

    Examples
    --------
    >>> with thread_pool(2) as pool:
    ...     list(pool.map(abs, [-1, 2]))
    [1, 2]
    """
    return ThreadPoolExecutor(n_threads) if threads_available() else _SynchronousExecutor()


@cache
def threads_available() -> bool:
    """Return True if this Python can start threads; starts one to find out."""
    thread = Thread(target=int)
    try:
        thread.start()
    except RuntimeError:
        return False
    thread.join()
    return True


class _SynchronousExecutor(Executor):
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Run the call now; KeyboardInterrupt is raised here, any other exception by ``result()`` of the future."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **settings))
        except Exception as error:
            future.set_exception(error)
        return future
