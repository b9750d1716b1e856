"""Gradient descent with steps chosen by Armijo's rule: the simplest method that is guaranteed to converge.

Move along −∇F(x), and take the first of the steps η, η/2, η/4, … that lowers F by at least a small share of the decrease
that the slope predicts:

    F(x − η ∇F(x)) ≤ F(x) − c η ‖∇F(x)‖²,    c = 10⁻⁴

For a smooth F such a step always exists, because for η → 0 the decrease approaches η ‖∇F‖². Without this rule a step that is
too long ends on the other side of the valley, possibly higher, and steps that are too short need very many iterations.

Sources: L. Armijo, Minimization of functions having Lipschitz continuous first partial derivatives, 1966; J. Nocedal,
S. Wright, Numerical Optimization, 2006, section 3.1; the guide, algorithm 4.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

_ROUNDING, _MIN_FLOAT = np.finfo(np.float64).eps, np.finfo(np.float64).tiny


class DescentIterate(NamedTuple):
    """The point after an iteration of gradient descent.

    Examples
    --------
    A step of 1 leads from x = 1 to −1, where x² is not lower; half of the step leads to the minimum:

    >>> def parabola(x):
    ...     return float(x @ x), 2 * x
    >>> start, end = gradient_descent(parabola, np.array([1.0]))
    >>> end.step, end.x, end.value
    (0.5, array([0.]), 0.0)
    """

    x: np.ndarray
    value: float  # F(x)
    gradient: np.ndarray  # ∇F(x)
    step: float  # the η that led here; at the start 0


def gradient_descent(
    function: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    first_step: float = 1.0,
    sufficient: float = 1e-4,
    shrink: float = 0.5,
) -> Iterator[DescentIterate]:
    """Minimise a smooth function, one iteration for each ``next``.

    Parameters
    ----------
    function : x -> (F(x), ∇F(x))
        A value that is not finite counts as infinitely high.
    start : float array, of any shape
    first_step : float > 0
        The longest step that the first iteration tries. Each later iteration first tries the previous step divided by ``shrink``,
        so that steps can grow again.
    sufficient : float in (0, 1)
        c, the share of η ‖∇F‖² by which F must fall.
    shrink : float in (0, 1)
        A step that is too long is multiplied by this factor.

    Yields
    ------
    DescentIterate
        The start, and the point after each iteration; F falls from each to the next. It ends when the gradient is zero, or so
        small that the predicted decrease is below the rounding error of F.

    Examples
    --------
    The parabola x² + 10 y², whose gradient is (2 x, 20 y):

    >>> def parabola(x):
    ...     return x[0] ** 2 + 10 * x[1] ** 2, np.array([2 * x[0], 20 * x[1]])
    >>> *_, last = gradient_descent(parabola, np.array([5.0, 3.0]))
    >>> last.x.round(6)
    array([0., 0.])
    """
    start = np.array(start, dtype=np.float64)
    here, step = DescentIterate(start, *function(start), 0.0), first_step
    while True:
        yield here
        slope = np.vdot(here.gradient, here.gradient)  # ‖∇F(x)‖²
        while True:
            if not step * slope > _ROUNDING * abs(here.value) + _MIN_FLOAT:
                return
            x = here.x - step * here.gradient
            value, gradient = function(x)
            if value <= here.value - sufficient * step * slope and value < here.value:
                break
            step *= shrink
        here = DescentIterate(x, value, gradient, step)
        step /= shrink
