"""The work and sleep that count while the lab waits for a process, on simulated machines with their own /proc and clock."""

import os
import sys
import time

import pytest

from lxmls_day1.base import waiting
from lxmls_day1.base.waiting import TIMEOUT_FACTOR_VARIABLE, ActivityClock, Deadline, WaitTimeout, retry_after_timeout
from tests.wording import wording

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells work from waiting")
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Machine:
    """Simulated processes in ``/proc``, and a simulated time."""

    def __init__(self, folder):
        self.proc, self.now, self.written = folder, 1000.0, {}
        self.write(folder / "self" / "stat", "")

    def process(self, pid, states="S", seconds=0.0, of_children=0.0, children="", start=0):
        """Write a process with one thread for each state letter; its name contains brackets and spaces, as names may."""
        times = [int(seconds * TICKS), 0, int(of_children * TICKS), 0]
        for number, state in enumerate(states):
            thread = self.proc / str(pid) / "task" / str(pid + number)
            stat = f"{pid} (a) R 1 2) {state} {'0 ' * 10}{' '.join(map(str, times))} 0 0 0 0 {start}"
            self.write(thread / "stat", stat)
            self.write(thread / "children", children if number == 0 else "")
        self.write(self.proc / str(pid) / "stat", stat)

    def write(self, path, text):
        if self.written.get(path) != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            self.written[path] = text

    def counted(self, *moments):
        """Return the seconds that a clock counts on process 7, which it observes every half second for a minute."""
        clock = ActivityClock(7)
        for number in range(121):
            for change in moments:
                change(number * 0.5)
            clock.poll()
            self.now += 0.5
        return clock.seconds, clock.idle


@pytest.fixture
def machine(tmp_path, monkeypatch):
    made = Machine(tmp_path)
    monkeypatch.setattr(waiting, "_PROC", tmp_path)
    monkeypatch.setattr(time, "monotonic", lambda: made.now)
    return made


def waits_for_a_worker(machine, t):
    machine.process(7, children="8 ")
    machine.process(8, children="9")
    machine.process(9, "R", t)


def waits_for_one_without_a_processor(machine, t):
    machine.process(7, children="8 9 ")
    machine.process(8, "R")
    machine.process(9)


def has_short_workers(machine, t):
    machine.process(7, children="8")
    machine.process(8, "R", t % 1, start=int(t))


CASES = {  # name -> (state at time t, seconds counted in all, seconds of sleep at the end)
    "it works": (lambda m, t: m.process(7, "R", t), 60, 0),
    "it gets no processor": (lambda m, t: m.process(7, "R"), 0, 0),
    "it gets a tenth of one": (lambda m, t: m.process(7, "R", t / 10), 6, 0),
    "it sleeps": (lambda m, t: m.process(7, "S"), 60, 60),
    "it is stopped": (lambda m, t: m.process(7, "T"), 60, 60),
    "it waits for the disk": (lambda m, t: m.process(7, "D"), 6, 6),
    "it has ended": (lambda m, t: None, 60, 60),
    "a thread of it gets no processor": (lambda m, t: m.process(7, "SRS"), 0, 0),
    "three threads work": (lambda m, t: m.process(7, "SRRR", 3 * t), 180, 0),
    "it sleeps after work": (lambda m, t: m.process(7, "R" if t < 20 else "S", min(t, 20)), 60, 40),
    "it waits for a process that works": (waits_for_a_worker, 60, 0),
    "it waits for a process that gets no processor": (waits_for_one_without_a_processor, 0, 0),
    "processes that it never waits for work, one second each": (has_short_workers, 30, 0),
    "what it has waited for has worked": (lambda m, t: m.process(7, "R", of_children=t), 60, 0),
}


@pytest.mark.parametrize("case", CASES)
def test_work_and_sleep_count_and_waiting_for_a_cpu_does_not(machine, case):
    change, seconds, idle = CASES[case]
    assert machine.counted(lambda t: change(machine, t)) == pytest.approx((seconds, idle), abs=0.5)


def test_a_late_observer_counts_little_sleep(machine):
    """If the observer was not scheduled, the observed process may not have been scheduled either."""
    machine.process(7)
    clock = ActivityClock(7)
    clock.poll()
    machine.now += 3600
    assert clock.poll() == 1.0


def test_without_proc_limits_on_wall_clock_time_grow_with_recent_waits(machine):
    (machine.proc / "self" / "stat").unlink()
    machine.process(7, "R")
    assert machine.counted() == (60, 60)
    start = Deadline("a start", 7, 1.0)
    machine.now += 30
    checks = start.next_step("a check", 8.0)
    over = []
    while not checks.expired():
        over.append(machine.now)
        machine.now += 0.5
    assert len(over) == pytest.approx(10 * 30 / 0.5, abs=2)
    tries = []

    def attempt():
        tries.append(1)
        raise checks.timeout_error("it did not end")

    with pytest.raises(WaitTimeout, match=wording("base.did_end_within_s", TIMEOUT_FACTOR_VARIABLE)):
        retry_after_timeout(attempt)
    assert len(tries) == 2


@pytest.mark.parametrize(("asleep", "states", "wanted"), [(True, "S", "slept"), (False, "S", "worked or slept")])
def test_a_limit_is_named_with_its_remedy(machine, monkeypatch, asleep, states, wanted):
    machine.process(7, states)
    monkeypatch.setenv(TIMEOUT_FACTOR_VARIABLE, "2.5")
    wait, passed = Deadline("it", 7, 20.0, asleep), 0
    while not wait.expired():
        machine.now += 0.5
        passed += 0.5
    assert passed == 50.5
    with pytest.raises(WaitTimeout, match=wording("base.did_end_s", wanted, TIMEOUT_FACTOR_VARIABLE)):
        retry_after_timeout(lambda: (_ for _ in ()).throw(wait.timeout_error("it did not end")))
    error = Deadline("it", 7, 20.0, remedy="--limit raises that").timeout_error("no")
    assert str(error).endswith("for 20 s; --limit raises that")
