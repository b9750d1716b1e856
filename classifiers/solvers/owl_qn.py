"""OWL-QN: L-BFGS for a smooth function plus λ ‖x‖₁, whose optimum is sparse.

    F(x) = f(x) + Σ_i λ_i |x_i|

|x| has a corner at 0, and a corner is where optima like to lie: x_i = 0 is best as long as no slope of f there is steeper than λ_i.
So most weights of the optimum are exactly 0. In one dimension, (1/2) (x − a)² + λ |x| is least at the *soft threshold* of a: it is
drawn by λ towards 0, and stays there if it comes across.

The *pseudo-gradient* is the slope of F where it has one; at x_i = 0 it is the soft threshold of ∂f/∂x_i: 0 if neither direction
leads down. Within one orthant, where no sign changes, |x| is linear and F as smooth as f. So a step is

1. the direction −H⁻¹ ⋄F, with the H that L-BFGS has learnt of f (``lbfgs.py``); where its sign is not that of −⋄F it is set to 0;
2. a line search along it, where each x_i that would change its sign stays at 0.

Source: G. Andrew, J. Gao, Scalable training of L1-regularized log-linear models, ICML 2007.
"""

from collections import deque
from collections.abc import Iterator

import numpy as np

from classifiers.solvers.lbfgs import ARMIJO, MOST_TRIES, PATIENCE, ROUNDING, Function, Iterate, two_loop_recursion


def soft_threshold(a: np.ndarray, penalty: float | np.ndarray) -> np.ndarray:
    """a, drawn by ``penalty`` towards 0, and 0 where it would come across: argmin_x (1/2) (x − a)² + penalty |x|.

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
    """⋄F: the slope of F along each coordinate, and at a corner the flatter one of those that lead down, or 0.

    Parameters
    ----------
    x, gradient : arrays (n,)
        A point and ∇f there.
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
        Smooth; a value that is not finite is as good as infinitely high.
    start : float array (n,)
    penalties : array (n,)
        λ_i ≥ 0; 0 for what is not to be drawn to 0.
    diagonal, memory
        As in :func:`classifiers.solvers.lbfgs.lbfgs`.

    Yields
    ------
    Iterate
        The start, and where each iteration arrives, with F(x) as its value and ⋄F(x) as its gradient: 0 at the optimum.

    Examples
    --------
    (1/2) ‖x − a‖² + ‖x‖₁ is least at the soft threshold of a:

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
    flattest, stalled = np.linalg.norm(here.gradient), 0
    yield here
    while here.gradient.any() and stalled < PATIENCE:
        direction = -two_loop_recursion(here.gradient, pairs, diagonal)
        direction[direction * here.gradient >= 0] = 0.0
        found = _search(function, here, direction, penalties)
        if found is None and pairs:  # rounding may have spoilt the pairs: once more without them
            pairs.clear()
            continue
        if found is None:
            return
        there, new_slope = found
        s, y = there.x - here.x, new_slope - slope
        if s @ y > 0 and y @ (y / diagonal) > 0:
            pairs.append((s, y, s @ y))
        norm = np.linalg.norm(there.gradient)
        progress = there.value < here.value - ROUNDING * abs(here.value) or norm < flattest
        flattest, stalled = min(flattest, norm), 0 if progress else stalled + 1
        here, slope = there, new_slope
        yield here


def _search(function, here, direction, penalties):
    """The point that a step in the orthant of ``here`` leads to, with ∇f there; None where rounding lets none be found.

    A coordinate at 0 goes to the side where F falls. Steps are halved until F falls by a share of what its slope promises.
    """
    signs, t = np.where(here.x == 0, np.sign(direction), np.sign(here.x)), 1.0
    for _ in range(MOST_TRIES):
        x = here.x + t * direction
        x[(penalties > 0) & (np.sign(x) != signs)] = 0.0
        smooth, slope = function(x)
        value = float(smooth + penalties @ np.abs(x))
        promised = here.gradient @ (x - here.x)
        if value <= here.value + ARMIJO * promised + ROUNDING * abs(here.value) and promised < 0:
            return Iterate(x, value, pseudo_gradient(x, slope, penalties)), slope
        t /= 2
    return None
