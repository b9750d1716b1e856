import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der

from classifiers.solvers.lbfgs import WOLFE_C1, WOLFE_C2, Iterate, lbfgs, line_search, two_loop_recursion


def rosenbrock(x):
    return rosen(x), rosen_der(x)


def quadratic(H, b):
    return lambda x: (x @ H @ x / 2 - b @ x, H @ x - b)


def positive_definite(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + np.eye(n)


@given(seed=st.integers(0, 10**6), n_pairs=st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_two_loops_are_the_bfgs_update_of_the_matrix(seed, n_pairs):
    rng = np.random.default_rng(seed)
    n = 6
    H, diagonal = positive_definite(rng, n), rng.uniform(0.1, 10, n)
    pairs = [(s, H @ s, s @ H @ s) for s in rng.normal(size=(n_pairs, n))]
    inverse = np.diag(1 / diagonal)
    if pairs:
        _, y, s_y = pairs[-1]
        inverse *= s_y / (y @ inverse @ y)
    for s, y, s_y in pairs:  # Nocedal & Wright, eq. 7.16.
        V = np.eye(n) - np.outer(y, s) / s_y
        inverse = V.T @ inverse @ V + np.outer(s, s) / s_y
    gradient = rng.normal(size=n)
    np.testing.assert_allclose(two_loop_recursion(gradient, pairs, diagonal), inverse @ gradient, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("n", [2, 20])
def test_rosenbrocks_valley_is_followed_to_its_end_about_as_fast_as_by_scipy(n):
    start = np.tile([-1.2, 1.0], n // 2)
    path = list(lbfgs(rosenbrock, start))
    np.testing.assert_allclose(path[-1].x, np.ones(n), atol=1e-6)
    theirs = minimize(rosenbrock, start, jac=True, method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-8})
    ours = next(number for number, point in enumerate(path) if np.abs(point.gradient).max() <= 1e-8)
    assert ours <= 1.5 * theirs.nit


@pytest.mark.parametrize("factor", [1e-8, 1.0, 1e8])
def test_a_step_fulfils_the_wolfe_conditions_whatever_the_scale(factor):
    rng = np.random.default_rng(3)
    function = quadratic(positive_definite(rng, 5), rng.normal(size=5))
    here = Iterate(np.ones(5), *function(np.ones(5)))
    direction = -factor * here.gradient
    there = line_search(function, here, direction)
    slope = here.gradient @ direction
    t = np.linalg.norm(there.x - here.x) / np.linalg.norm(direction)
    assert there.value <= here.value + WOLFE_C1 * t * slope * (1 - 1e-9)
    assert there.gradient @ direction >= WOLFE_C2 * slope


def test_it_ends_at_once_where_the_gradient_is_zero_and_soon_where_rounding_hides_progress():
    assert len(list(lbfgs(rosenbrock, np.ones(2)))) == 1
    function = quadratic(np.diag([1.0, 3.0]), np.array([1.0, 1 / 3]))
    assert len(list(lbfgs(lambda x: (1e12 + function(x)[0], function(x)[1]), np.array([2.0, 5.0])))) < 200
