"""OWL-QN: L-BFGS for a smooth function plus λ ‖x‖₁, whose optimum is sparse.

    F(x) = f(x) + Σ_i λ_i |x_i|

|x| has a corner at 0, and optima are often at a corner: x_i = 0 is optimal as long as the slope of f there is at most λ_i.
So most weights of the optimum are exactly 0. In one dimension, (1/2) (x − a)² + λ |x| is minimal at the *soft threshold* of a: a
moved by λ towards 0, and 0 if it would cross 0.

The *pseudo-gradient* ⋄F is the gradient of F if x_i ≠ 0. At x_i = 0 it is the soft threshold of ∂f/∂x_i, which is 0 if neither
direction leads down. Within one orthant no sign changes, |x| is linear and F is as smooth as f. So a step has two parts:

1. the direction −H⁻¹ ⋄F, with L-BFGS's estimate of the Hessian H of f (``lbfgs.py``); components whose sign differs from that of −⋄F
   are set to 0;
2. a line search along this direction, in which each x_i that would change its sign is set to 0.

Source: G. Andrew, J. Gao, Scalable training of L1-regularized log-linear models, ICML 2007.
"""

from collections import deque
from collections.abc import Iterator

import numpy as np

from classifiers.solvers.lbfgs import (
    MAX_LINE_SEARCH_STEPS,
    MAX_STALLED_ITERATIONS,
    ROUNDING,
    WOLFE_C1,
    Function,
    Iterate,
    count_stalled,
    two_loop_recursion,
)


def soft_threshold(a: np.ndarray, penalty: float | np.ndarray) -> np.ndarray:
    """Return a moved by ``penalty`` towards 0, and 0 if it would cross 0: argmin_x (1/2) (x − a)² + penalty |x|.

    Parameters
    ----------
    a : array
    penalty : number ≥ 0, or array of the shape of ``a``

    Returns
    -------
    array, of the shape of ``a``

    Examples
    --------
    >>> soft_threshold(np.array([3.0, 0.5, -0.5, -3.0]), 1.0)
    array([ 2.,  0., -0., -2.])
    """
    # exercise 1.19: solution (2 lines)
    size = np.maximum(np.abs(a) - penalty, 0.0)
    return np.sign(a) * size
    # exercise 1.19: end


def pseudo_gradient(x: np.ndarray, gradient: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """Return ⋄F: the slope of F along each coordinate, and at a corner the slope of the descending side, or 0 if F rises on both sides.

    Parameters
    ----------
    x, gradient : arrays (n,)
        A point and ∇f at this point.
    penalties : array (n,)
        λ_i ≥ 0.

    Returns
    -------
    array (n,)

    Examples
    --------
    >>> pseudo_gradient(np.array([2.0, 0.0, 0.0]), np.array([-1.0, -1.0, -0.2]), np.full(3, 0.5))
    array([-0.5, -0.5, -0. ])
    """
    return np.where(x == 0, soft_threshold(gradient, penalties), gradient + np.sign(x) * penalties)


def owl_qn(
    function: Function, start: np.ndarray, penalties: np.ndarray, diagonal: np.ndarray | None = None, memory: int = 20
) -> Iterator[Iterate]:
    """Minimise f(x) + Σ λ_i |x_i|, one iteration for each ``next``.

    Parameters
    ----------
    function : x -> (f(x), ∇f(x))
        Smooth; a value that is not finite counts as infinitely high.
    start : float array (n,)
    penalties : array (n,)
        λ_i ≥ 0; 0 for coordinates without a penalty.
    diagonal, memory
        As in :func:`classifiers.solvers.lbfgs.lbfgs`.

    Yields
    ------
    Iterate
        The start, and the point after each iteration, with F(x) as its value and ⋄F(x), which is 0 at the optimum, as its gradient.

    Examples
    --------
    (1/2) ‖x − a‖² + ‖x‖₁ is minimal at the soft threshold of a:

    >>> a = np.array([3.0, 0.5, -2.0])
    >>> *_, last = owl_qn(lambda x: ((x - a) @ (x - a) / 2, x - a), np.zeros(3), np.ones(3))
    >>> last.x, last.value
    (array([ 2.,  0., -1.]), 4.125)
    """
    x = np.array(start, dtype=np.float64)
    smooth, slope = function(x)
    diagonal = np.ones(x.shape) if diagonal is None else diagonal
    pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=memory)
    here = Iterate(x, float(smooth + penalties @ np.abs(x)), pseudo_gradient(x, slope, penalties))
    flattest, stalled = float(np.linalg.norm(here.gradient)), 0
    yield here
    while here.gradient.any() and stalled < MAX_STALLED_ITERATIONS:
        direction = -two_loop_recursion(here.gradient, pairs, diagonal)
        direction[direction * here.gradient >= 0] = 0.0
        found = _search(function, here, direction, penalties)
        if found is None and pairs:  # rounding may have spoilt the pairs: retry without them
            pairs.clear()
            continue
        if found is None:
            return
        there, new_slope = found
        s, y = there.x - here.x, new_slope - slope
        if s @ y > 0 and y @ (y / diagonal) > 0:
            pairs.append((s, y, s @ y))
        flattest, stalled = count_stalled(here, there, flattest, stalled)
        here, slope = there, new_slope
        yield here


def _search(function, here, direction, penalties):
    """Return the next point in the orthant of ``here`` and ∇f at that point, or None if rounding prevents any decrease.

    A coordinate at 0 moves to the side on which F falls. Steps are halved until F falls by a share of the predicted decrease.
    """
    signs, t = np.where(here.x == 0, np.sign(direction), np.sign(here.x)), 1.0
    for _ in range(MAX_LINE_SEARCH_STEPS):
        x = here.x + t * direction
        x[(penalties > 0) & (np.sign(x) != signs)] = 0.0
        smooth, slope = function(x)
        value = float(smooth + penalties @ np.abs(x))
        promised = here.gradient @ (x - here.x)
        if value <= here.value + WOLFE_C1 * promised + ROUNDING * abs(here.value) and promised < 0:
            return Iterate(x, value, pseudo_gradient(x, slope, penalties)), slope
        t /= 2
    return None
