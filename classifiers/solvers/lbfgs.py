"""L-BFGS: Newton's method with second derivatives that are estimated from the last few steps.

Newton's direction is −H⁻¹ ∇F, with H the matrix of second derivatives, which is far too large to store. But each step gives
some information about H: the change y of the gradient along a step s is approximately H s. The *two-loop recursion* corrects an
initial estimate, a diagonal D, by the last m pairs (s, y). This takes 4 m vector operations and no matrix. Without pairs,
and with D = 1, it is gradient descent.

Along the direction d a step t is accepted if it fulfils the two Wolfe conditions,

    F(x + t d) ≤ F(x) + c₁ t ∇F(x)·d        F falls by a share of the decrease that the slope predicts (Armijo), and
    ∇F(x + t d)·d ≥ c₂ ∇F(x)·d              the slope has become flatter, so s·y > 0 and the pair can be used.

Usually the first trial step, t = 1, fulfils both, so that an iteration costs one evaluation of F.

Sources: J. Nocedal, S. Wright, Numerical Optimization, 2006, algorithms 7.4 and 7.5, section 3.1; D. Liu, J. Nocedal, On
the limited memory BFGS method for large scale optimization, Mathematical Programming 45, 1989.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

WOLFE_C1, WOLFE_C2 = 1e-4, 0.9  # c₁ and c₂
MAX_LINE_SEARCH_STEPS = 50  # maximum number of trial steps of a line search
ROUNDING = 1e-14  # differences of F below this share of F are below the rounding error
# Stop after this many iterations without a decrease of F above rounding or a new minimum of ‖∇F‖.
MAX_STALLED_ITERATIONS = 10

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]  # x -> (F(x), ∇F(x))


class Iterate(NamedTuple):
    """The point after an iteration.

    Examples
    --------
    >>> def parabola(x):
    ...     return float((x[0] - 3) ** 2), 2 * (x - 3)
    >>> start, *_, last = lbfgs(parabola, np.zeros(1))
    >>> start.value, start.gradient, last.x.round(6)
    (9.0, array([-6.]), array([3.]))
    """

    x: np.ndarray
    value: float  # F(x)
    gradient: np.ndarray  # ∇F(x)


def lbfgs(
    function: Function, start: np.ndarray, diagonal: np.ndarray | None = None, memory: int = 20
) -> Iterator[Iterate]:
    """Minimise a smooth function, one iteration for each ``next``.

    Parameters
    ----------
    function : x -> (F(x), ∇F(x))
        A value that is not finite counts as infinitely high.
    start : float array (n,)
    diagonal : array (n,), positive, optional
        D, an estimate of the diagonal of H, up to a factor. A good estimate saves many iterations if the scales of the
        coordinates differ much.
    memory : int ≥ 1
        m, the number of pairs. More pairs save iterations; each needs 16 n bytes.

    Yields
    ------
    Iterate
        The start, and the point after each iteration. It ends when the gradient is zero, or when the progress is below the
        rounding error.

    Examples
    --------
    Rosenbrock's banana-shaped valley, whose minimum is at (1, 1):

    >>> def valley(x):
    ...     bend = x[1] - x[0] ** 2
    ...     return (1 - x[0]) ** 2 + 100 * bend**2, np.array([-2 * (1 - x[0]) - 400 * x[0] * bend, 200 * bend])
    >>> *_, last = lbfgs(valley, np.array([-1.2, 1.0]))
    >>> last.x.round(6)
    array([1., 1.])
    """
    here = Iterate(start := np.array(start, dtype=np.float64), *function(start))
    diagonal = np.ones(start.shape) if diagonal is None else diagonal
    del start  # frees memory, which matters for millions of weights
    pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque()
    flattest, stalled = math.sqrt(here.gradient @ here.gradient), 0
    yield here
    while here.gradient.any() and stalled < MAX_STALLED_ITERATIONS:
        direction = two_loop_recursion(here.gradient, pairs, diagonal)
        there = line_search(function, here, np.negative(direction, out=direction))
        del direction
        if there is None and pairs:  # rounding may have spoilt the pairs: retry without them
            pairs.clear()
            continue
        if there is None:
            return
        if len(pairs) == memory:
            pairs.popleft()  # before the new pair is allocated
        s, y = there.x - here.x, there.gradient - here.gradient
        if s @ y > 0 and y @ (y / diagonal) > 0:  # the square of a very small y may underflow to 0
            pairs.append((s, y, s @ y))
        flattest, stalled = count_stalled(here, there, flattest, stalled)
        here = there
        yield here


def count_stalled(here: Iterate, there: Iterate, flattest: float, stalled: int) -> tuple[float, int]:
    """Return the smallest ‖∇F‖ so far, and the number of iterations since F has fallen above rounding or ‖∇F‖ has had a new minimum."""
    norm = math.sqrt(there.gradient @ there.gradient)
    progress = there.value < here.value - ROUNDING * abs(here.value) or norm < flattest
    return min(flattest, norm), 0 if progress else stalled + 1


def two_loop_recursion(
    gradient: np.ndarray, pairs: Sequence[tuple[np.ndarray, np.ndarray, float]], diagonal: np.ndarray
) -> np.ndarray:
    """Return H⁻¹ ∇F, with H estimated from the pairs and the diagonal.

    Parameters
    ----------
    gradient : array (n,)
    pairs : sequence of (s, y, s·y), the latest last
    diagonal : array (n,)

    Returns
    -------
    array (n,)

    Examples
    --------
    A pair determines H along its own direction: along s = (1, 0) the gradient changed by y = (4, 0), so that H⁻¹ y = s.

    >>> s, y = np.array([1.0, 0.0]), np.array([4.0, 0.0])
    >>> two_loop_recursion(y, [(s, y, s @ y)], diagonal=np.ones(2))
    array([1., 0.])
    """
    q = gradient.copy()
    shares = []
    for s, y, s_y in reversed(pairs):
        shares.append((s @ q) / s_y)
        q -= shares[-1] * y
    q /= diagonal
    if pairs:  # the scale of D, estimated from the latest pair
        _, y, s_y = pairs[-1]
        q *= s_y / (y @ (y / diagonal))
    for (s, y, s_y), share in zip(pairs, reversed(shares), strict=True):
        q += (share - (y @ q) / s_y) * s
    return q


def line_search(function: Function, here: Iterate, direction: np.ndarray, c2: float = WOLFE_C2) -> Iterate | None:
    """Return the point x + t d for a step t that fulfils the Wolfe conditions, or None if rounding prevents finding one.

    t doubles until a step is too long. Then t is searched between a step that is too short and a step that is too long: at the
    minimum of a parabola through the known values, but not too close to either end.

    Parameters
    ----------
    function : x -> (F(x), ∇F(x))
    here : Iterate
        The point x (n,), with its value and gradient.
    direction : array (n,)
        d, a descent direction.
    c2 : float in (0, 1)
        c₂: the slope at the new point is at most this share of the slope at x.

    Returns
    -------
    Iterate or None

    Examples
    --------
    A step of 1 leads from 0 to 6, as high as at the start; half of the step leads to the minimum. An ascent direction gives None:

    >>> def parabola(x):
    ...     return float((x[0] - 3) ** 2), 2 * (x - 3)
    >>> here = Iterate(np.zeros(1), *parabola(np.zeros(1)))
    >>> line_search(parabola, here, np.array([6.0])).x, line_search(parabola, here, np.array([-6.0]))
    (array([3.]), None)
    """
    slope = here.gradient @ direction
    if not slope < 0:
        return None
    short, long, t = 0.0, np.inf, 1.0
    for _ in range(MAX_LINE_SEARCH_STEPS):
        x = here.x + t * direction
        value, gradient = function(x)
        if not value <= here.value + WOLFE_C1 * t * slope + ROUNDING * abs(here.value):
            long = t
            rise = value - here.value - slope * t  # height above the tangent
            lowest = -slope * t * t / (2 * rise) if rise < np.inf else short
        elif gradient @ direction < c2 * slope:
            short, lowest = t, 2 * t
        else:
            return None if (x == here.x).all() else Iterate(x, value, gradient)
        width = long - short
        t = 2 * t if long == np.inf else float(np.clip(lowest, short + 0.1 * width, long - 0.1 * width))
    return None
