"""The closed forms of the estimate in `tests/benchmarks/scale_estimate.py`, and its simulation where the answer is known."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="module")
def estimate():
    path = Path(__file__).parent / "benchmarks" / "scale_estimate.py"
    spec = importlib.util.spec_from_file_location("scale_estimate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def rates(estimate):
    return estimate.Rates(600.0, 400.0, 20e-6, {2**20: 2e-6, 2**24: 6e-6}, disk=500e6)


def test_one_worker_sends_nothing(estimate, rates):
    alone = estimate.epoch(rates, 10**9, 2**20, 1, 1)
    assert (alone.mixing, alone.traffic, alone.disk) == (0.0, 0, 4e11)
    assert alone.seconds == pytest.approx(2000.0)  # 1e9 steps of 2 microseconds; the disk gives a document in 0.8


def test_a_slow_disk_is_what_an_epoch_waits_for(estimate, rates):
    slow = estimate.epoch(rates._replace(disk=100e6), 10**9, 2**20, 10, 1)
    assert slow.passes == pytest.approx(1e8 * 400 / 100e6)


def test_mixing_goes_up_and_down_a_tree(estimate, rates):
    eight = estimate.epoch(rates, 10**9, 2**20, 8, 10)
    sent = 24 * 2**20 * 8 / 10e9  # seconds for the weights, their sum, and the way back
    assert eight.mixing == pytest.approx(3 * (sent + estimate.LOST_IN_TASKS))
    assert eight.traffic == 7 * 24 * 2**20
    assert estimate.epoch(rates, 10**9, 2**20, 5, 10).mixing == eight.mixing  # as deep a tree


def test_workers_pay_until_mixing_takes_over(estimate, rates):
    limits = [estimate.pays_until(rates, 10**9, 2**24, gigabits) for gigabits in (1, 10, 100)]
    assert limits == sorted(limits)
    assert limits[0] < limits[-1]
    assert estimate.pays_until(rates, 100, 2**24, 1) == 1


def test_nothing_that_happens_takes_what_was_planned(estimate):
    rng = np.random.default_rng(0)
    calm = estimate.simulate(100.0, 64, 5, rng, spread=0.0, shard_spread=0.0)
    np.testing.assert_allclose(calm, 100.0)
    uneven = estimate.simulate(100.0, 64, 50, rng)
    assert (uneven > 100.0).all()  # the slowest of 64


def test_the_work_of_a_worker_that_dies_is_done_again(estimate):
    deaths, passes, restart = 36.0, 50.0, 30.0  # an hour
    rng = np.random.default_rng(0)
    seconds = estimate.simulate(passes, 1, 200_000, rng, 0.0, 0.0, deaths_an_hour=deaths, restart=restart)
    rate = deaths / 3600  # until a stretch of `passes` without a death: (e^(r t) - 1) (1 / r + restart)
    expected = math.expm1(rate * passes) * (1 / rate + restart)
    assert seconds.mean() == pytest.approx(expected, rel=0.02)
