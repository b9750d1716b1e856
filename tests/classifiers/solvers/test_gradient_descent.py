import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from classifiers.solvers.gradient_descent import gradient_descent


def random_quadratic(seed, n=4):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    H = A @ A.T + 0.1 * np.eye(n)
    return (lambda x: (x @ H @ x / 2 - b @ x, H @ x - b)), np.linalg.solve(H, b), np.linalg.eigvalsh(H)


@given(
    seed=st.integers(0, 10**6), first_step=st.sampled_from([1e-3, 1.0, 1e6]), sufficient=st.sampled_from([1e-4, 0.3])
)
@settings(max_examples=30, deadline=None)
def test_every_step_fulfils_the_armijo_condition(seed, first_step, sufficient):
    function, _, _ = random_quadratic(seed)
    path = list(itertools.islice(gradient_descent(function, np.zeros(4), first_step, sufficient), 50))
    for here, there in itertools.pairwise(path):
        np.testing.assert_array_equal(there.x, here.x - there.step * here.gradient)
        assert there.value < here.value
        assert there.value <= here.value - sufficient * there.step * (here.gradient @ here.gradient)
        assert there.value == function(there.x)[0]


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_the_first_acceptable_step_is_used(seed):
    function, _, _ = random_quadratic(seed)
    path, tried = list(itertools.islice(gradient_descent(function, np.zeros(4), 1.0, 0.2, 0.25), 20)), 1.0
    for here, there in itertools.pairwise(path):
        slope = here.gradient @ here.gradient
        while function(here.x - tried * here.gradient)[0] > here.value - 0.2 * tried * slope:
            tried *= 0.25
        assert there.step == tried
        tried /= 0.25


@given(seed=st.integers(0, 10**6), sufficient=st.sampled_from([1e-4, 0.3]))
@example(seed=1254, sufficient=1e-4)  # Every second step is so long that it climbs almost as far on the other side.
@settings(max_examples=20, deadline=None)
def test_it_reaches_the_minimum(seed, sufficient):
    """The bound on the number of steps is certain. With m ≤ the curvatures ≤ L, a step η/2 is only taken if η failed, so η > (1 − c)/L
    once the steps have grown to that; each step lowers F − F* ≤ ‖∇F‖²/(2m) by c η ‖∇F‖², its share 2 c (1 − c) m/L.
    """
    function, optimum, curvatures = random_quadratic(seed)
    best = function(optimum)[0]
    enough = 1e-9 * max(1.0, abs(best))
    share = 2 * sufficient * (1 - sufficient) * curvatures[0] / curvatures[-1]
    growing = 1 + max(0.0, np.log2(1 / curvatures[-1]))
    budget = int(growing + np.log(max(1.0, -best / enough)) / share) + 2
    path = itertools.islice(gradient_descent(function, np.zeros(4), sufficient=sufficient), budget)
    assert any(point.value - best <= enough for point in path)


def test_it_ends_where_rounding_hides_progress():
    path = list(itertools.islice(gradient_descent(lambda x: (1e9 + x @ x, 2 * x), np.array([1.0, -3.0])), 1000))
    assert len(path) < 1000
    assert np.linalg.norm(path[-1].x) < 1e-2


def test_steps_to_values_that_are_not_finite_are_shortened():
    def wall(x):
        return (x[0] - np.log(x[0]) if x[0] > 0 else np.nan), np.array([1 - 1 / x[0]])

    *_, last = itertools.islice(gradient_descent(wall, np.array([0.01])), 2000)
    assert last.x[0] == pytest.approx(1.0, abs=1e-4)
