"""A generator in a thread: everything arrives once, in order, and a stop keeps what is done."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from lxmls_day1.demos.background import Background


class Page:
    """What a page gets to hear, and in which thread."""

    def __init__(self, **settings):
        self.items, self.ends, self.threads = [], [], set()
        self.background = Background(self.take, self.end, **settings)

    def take(self, items):
        self.items += items
        self.threads.add(threading.get_ident())

    def end(self, error):
        self.ends.append(error)
        self.threads.add(threading.get_ident())


def test_all_items_arrive_in_order_and_in_the_thread_that_asked():
    page = Page()
    worked_in = []

    def numbers():
        for number in range(100):
            worked_in.append(threading.get_ident())
            yield number

    page.background.start(numbers())
    assert page.background.running
    page.background.wait()
    assert page.items == list(range(100)) and page.ends == [None] and not page.background.running
    assert page.threads == {threading.get_ident()} and threading.get_ident() not in worked_in


def test_a_stop_keeps_what_is_done_and_nothing_comes_after_it():
    page, gate, reached = Page(), threading.Event(), threading.Event()

    def endless():
        yield "first"
        reached.set()
        gate.wait(10)
        while True:
            yield "more"

    page.background.start(endless())
    reached.wait(10)
    page.background.cancel()
    gate.set()
    page.background.wait(10)
    assert page.items == ["first"] and page.ends == [None] and not page.background.running
    page.background.deliver()
    page.background.cancel()
    assert page.items == ["first"] and page.ends == [None]


def test_a_new_start_replaces_what_runs():
    page, gate = Page(), threading.Event()

    def old():
        gate.wait(10)
        while True:
            yield "old"

    page.background.start(old())
    page.background.start(iter(["new"]))
    gate.set()
    page.background.wait(10)
    assert page.items == ["new"] and page.ends == [None]


def test_an_error_ends_the_run_and_is_told_after_the_items_before_it():
    page = Page()

    def broken():
        yield 1
        raise ZeroDivisionError("division by zero")

    page.background.start(broken())
    page.background.wait(10)
    (error,) = page.ends
    assert page.items == [1] and isinstance(error, ZeroDivisionError)


def test_an_event_loop_fetches_by_itself_and_stays_alive():
    page, gate, ticks = Page(interval=0.01), threading.Event(), []

    def slow():
        yield "before"
        gate.wait(10)
        yield "after"

    async def kernel():
        page.background.start(slow())
        while "before" not in page.items:
            await asyncio.sleep(0.005)
        ticks.append(len(page.items))  # the loop runs while the thread waits
        gate.set()
        while page.background.running:
            await asyncio.sleep(0.005)

    with ThreadPoolExecutor(
        1
    ) as another_thread:  # in this one a browser that was tested may have left its loop running
        another_thread.submit(lambda: asyncio.run(asyncio.wait_for(kernel(), 20))).result()
    assert ticks == [1] and page.items == ["before", "after"] and page.ends == [None]


@pytest.mark.parametrize("method", ["cancel", "deliver", "wait"])
def test_before_anything_was_started_nothing_happens(method):
    page = Page()
    getattr(page.background, method)()
    assert not page.items and not page.ends and not page.background.running
