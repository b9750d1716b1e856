import itertools

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from classifiers.solvers.conjugate_gradient import _polak_ribiere_beta, conjugate_gradient


def rosenbrock(x):
    return rosen(x), rosen_der(x)


def quadratic(seed, n):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    H, b = A @ A.T + np.eye(n), rng.normal(size=n)
    return (lambda x: (x @ H @ x / 2 - b @ x, H @ x - b)), H, np.linalg.solve(H, b)


@pytest.mark.parametrize("n", [1, 2, 6, 30])
@pytest.mark.parametrize("seed", range(3))
def test_a_quadratic_function_is_minimised(seed, n):
    function, _, optimum = quadratic(seed, n)
    *_, last = conjugate_gradient(function, np.zeros(n))
    np.testing.assert_allclose(last.x, optimum, atol=1e-6)


@pytest.mark.parametrize("n", [2, 20])
def test_rosenbrocks_valley_is_followed_to_its_end(n):
    start = np.tile([-1.2, 1.0], n // 2)
    path = list(conjugate_gradient(rosenbrock, start))
    np.testing.assert_allclose(path[-1].x, np.ones(n), atol=1e-6)
    np.testing.assert_array_equal(path[0].x, start)
    assert all(there.value <= here.value * (1 + 1e-12) for here, there in itertools.pairwise(path))
    theirs = minimize(rosenbrock, start, jac=True, method="CG", options={"gtol": 1e-6})
    ours = next(number for number, point in enumerate(path) if np.abs(point.gradient).max() <= 1e-6)
    assert ours <= 3 * theirs.nit


@pytest.mark.parametrize(
    ("there", "share"), [([0.0, 2.0], 4.0), ([2.0, 2.0], 0.0), ([0.5, 0.0], 0.0), ([-0.1, 2.0], 4.11)]
)
def test_the_share_of_the_last_direction_is_polak_ribieres_or_none(there, share):
    """With z = ∇F_before = (1, 0) it is (‖∇F‖² − ∇F·∇F_before) / 1; it is 0 if their cosine is not near 0, or if the share is negative."""
    before, there = np.array([1.0, 0.0]), np.array(there)
    assert _polak_ribiere_beta(before, before, there, there) == pytest.approx(share)
