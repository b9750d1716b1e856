import threading
from concurrent.futures import FIRST_EXCEPTION, wait

import pytest

from lxmls_day1.engine.kernels import threads
from lxmls_day1.engine.kernels.threads import thread_pool


@pytest.fixture
def no_threads(monkeypatch):
    monkeypatch.setattr(threads, "threads_available", lambda: False)


def test_calls_run_in_other_threads_where_there_are_some():
    with thread_pool(2) as pool:
        assert pool.submit(threading.get_ident).result() != threading.get_ident()


def test_without_threads_each_call_runs_when_it_is_submitted(no_threads):
    called = []
    with thread_pool(2) as pool:
        tasks = [pool.submit(called.append, number) for number in range(3)]
        assert called == [0, 1, 2] and pool.submit(threading.get_ident).result() == threading.get_ident()
        assert list(pool.map(divmod, [7, 9], [2, 4])) == [(3, 1), (2, 1)]
    assert not wait(tasks, 0.0, FIRST_EXCEPTION).not_done


def test_without_threads_an_error_comes_with_the_result_and_an_interruption_at_once(no_threads):
    with thread_pool(1) as pool:
        task = pool.submit(int, "x")
        with pytest.raises(ValueError, match="invalid literal"):
            task.result()

        def interrupted():
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            pool.submit(interrupted)


def test_a_python_that_cannot_start_threads_is_recognised(monkeypatch):
    def cannot(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", cannot)
    assert not threads.threads_available.__wrapped__()  # Not from the cache.
