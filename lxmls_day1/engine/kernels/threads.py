"""Parallel calls in threads; if threads are unavailable, as in a browser, calls run one after another."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import Thread
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def thread_pool(n_threads: int) -> Executor:
    """Return an executor with ``n_threads`` threads; without thread support it runs each call when it is submitted.

    Examples
    --------
    >>> with thread_pool(2) as pool:
    ...     list(pool.map(abs, [-1, 2]))
    [1, 2]
    """
    return ThreadPoolExecutor(n_threads) if threads_available() else _SynchronousExecutor()


def map_in_order(function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int) -> Iterator[Result]:
    """Yield a function's value for each item, in order, computed by threads at most ``n_jobs`` values ahead.

    Examples
    --------
    >>> list(map_in_order(lambda i: i * i, range(5), n_jobs=2))
    [0, 1, 4, 9, 16]
    """
    if n_jobs == 1:
        yield from map(function, items)
        return
    with thread_pool(n_jobs) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > n_jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


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


def single_threaded_blas() -> AbstractContextManager[Any]:
    """Return a context in which linear algebra runs in one thread. A sandbox has only one thread, so there it changes nothing."""
    libraries = _blas_controller()
    return nullcontext() if libraries is None else libraries.limit(limits=1)


@cache
def _blas_controller() -> Any:
    """Return a controller of the linear-algebra libraries with threads, or None if they cannot be listed; listing takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    try:
        return ThreadpoolController().select(user_api="blas")
    except OSError:  # the list of loaded libraries is a file under /proc
        return None


class _SynchronousExecutor(Executor):
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Run the call now; KeyboardInterrupt is raised here, any other exception by ``result()`` of the future."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **settings))
        except Exception as error:
            future.set_exception(error)
        return future
