"""L-BFGS: Newton's method with second derivatives that are guessed from the last few steps.

Newton's direction is −H⁻¹ ∇F, with H the matrix of second derivatives, far too large to be kept. But each step taken
reveals a little of it: the change y of the gradient along a step s is nearly H s. The *two-loop recursion* corrects a
first guess, a diagonal D, by the last m pairs (s, y). That takes 4 m vector operations and no matrix; without any pair,
and with D = 1, it would be gradient descent.

Along the direction d a step t is good enough if it fulfils the two Wolfe conditions,

    F(x + t d) ≤ F(x) + c₁ t ∇F(x)·d        F falls by a share of what the slope promises (Armijo), and
    ∇F(x + t d)·d ≥ c₂ ∇F(x)·d              the slope has become flatter, so that s·y > 0: the pair is of use.

Mostly the first try is, t = 1, so that an iteration costs one evaluation of F.

Sources: J. Nocedal, S. Wright, Numerical Optimization, 2006, algorithms 7.4 and 7.5, section 3.1; D. Liu, J. Nocedal, On
the limited memory BFGS method for large scale optimization, Mathematical Programming 45, 1989.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

ARMIJO, FLATTER = 1e-4, 0.9  # c₁ and c₂
MOST_TRIES = 50  # of one line search
ROUNDING = 1e-14  # differences of F below this share of it are lost in rounding
PATIENCE = 10  # iterations in which neither F falls by more than that nor the gradient becomes smaller than ever before

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]  # x -> (F(x), ∇F(x))


class Iterate(NamedTuple):
    """A point on the way.

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
        A value that is not finite is as good as infinitely high.
    start : float array (n,)
    diagonal : array (n,), positive, optional
        D, what the diagonal of H may look like, up to a factor. A good one saves many iterations where the coordinates
        differ much in their scales.
    memory : int ≥ 1
        m. More pairs save iterations; each costs 16 n bytes.

    Yields
    ------
    Iterate
        The start, and where each iteration arrives. The last has been yielded when the gradient is zero, or when
        rounding hides any progress.

    Examples
    --------
    Rosenbrock's banana-shaped valley, whose lowest point is (1, 1):

    >>> def valley(x):
    ...     bend = x[1] - x[0] ** 2
    ...     return (1 - x[0]) ** 2 + 100 * bend**2, np.array([-2 * (1 - x[0]) - 400 * x[0] * bend, 200 * bend])
    >>> *_, last = lbfgs(valley, np.array([-1.2, 1.0]))
    >>> last.x.round(6)
    array([1., 1.])
    """
    here = Iterate(start := np.array(start, dtype=np.float64), *function(start))
    diagonal = np.ones(start.shape) if diagonal is None else diagonal
    del start  # memory, where there are millions of weights
    pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque()
    flattest, stalled = np.linalg.norm(here.gradient), 0
    yield here
    while here.gradient.any() and stalled < PATIENCE:
        direction = two_loop_recursion(here.gradient, pairs, diagonal)
        there = line_search(function, here, np.negative(direction, out=direction))
        del direction
        if there is None and pairs:  # rounding may have spoilt the pairs: once more without them
            pairs.clear()
            continue
        if there is None:
            return
        if len(pairs) == memory:
            pairs.popleft()  # before there is a new one
        s, y = there.x - here.x, there.gradient - here.gradient
        if s @ y > 0 and y @ (y / diagonal) > 0:  # y may be so small that its square is 0
            pairs.append((s, y, s @ y))
        norm = np.linalg.norm(there.gradient)
        progress = there.value < here.value - ROUNDING * abs(here.value) or norm < flattest
        flattest, stalled = min(flattest, norm), 0 if progress else stalled + 1
        here = there
        yield here


def two_loop_recursion(
    gradient: np.ndarray, pairs: Sequence[tuple[np.ndarray, np.ndarray, float]], diagonal: np.ndarray
) -> np.ndarray:
    """H⁻¹ ∇F, with the H that the pairs and the diagonal suggest.

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
    A pair tells all about its own direction: along s = (1, 0) the gradient changed by y = (4, 0), so that H⁻¹ y = s.

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
    if pairs:  # the factor by which D is wrong, as the latest pair sees it
        _, y, s_y = pairs[-1]
        q *= s_y / (y @ (y / diagonal))
    for (s, y, s_y), share in zip(pairs, reversed(shares), strict=True):
        q += (share - (y @ q) / s_y) * s
    return q


def line_search(function: Function, here: Iterate, direction: np.ndarray, flatter: float = FLATTER) -> Iterate | None:
    """The point x + t d for a step t that fulfils the Wolfe conditions, or None where rounding lets none be found.

    While only steps that are too short are known, t doubles. Afterwards it is sought between one that is too short and
    one that is too long: where a parabola through what is known has its lowest point, but not too near either end.

    Parameters
    ----------
    function : x -> (F(x), ∇F(x))
    here : Iterate
        The point x (n,), with value and gradient.
    direction : array (n,)
        d, which must lead downwards.
    flatter : float in (0, 1)
        c₂: by this factor at least the slope becomes flatter.

    Returns
    -------
    Iterate or None

    Examples
    --------
    A step of 1 leads from 0 to 6, as high as at the start; half of it leads to the lowest point. Uphill there is nothing to be found:

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
    for _ in range(MOST_TRIES):
        x = here.x + t * direction
        value, gradient = function(x)
        if not value <= here.value + ARMIJO * t * slope + ROUNDING * abs(here.value):
            long = t
            rise = value - here.value - slope * t  # above the tangent
            lowest = -slope * t * t / (2 * rise) if rise < np.inf else short
        elif gradient @ direction < flatter * slope:
            short, lowest = t, 2 * t
        else:
            return None if np.array_equal(x, here.x) else Iterate(x, value, gradient)
        width = long - short
        t = 2 * t if long == np.inf else float(np.clip(lowest, short + 0.1 * width, long - 0.1 * width))
    return None
