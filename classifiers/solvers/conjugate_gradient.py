"""Non-linear conjugate gradient: gradient descent whose steps do not undo the previous step.

Steepest descent ignores all earlier steps and zigzags in a long valley. A direction that includes a share of the previous direction
does not:

    d ← −z + β d,    z = D⁻¹ ∇F(x),    β = max(0, z·(∇F − ∇F_before) / (z_before·∇F_before))    (Polak, Ribière)

On a quadratic F with exact steps each direction is conjugate to all earlier ones, d_iᵀ H d_j = 0, and n steps lead to the optimum. On
any other F this holds approximately near the optimum. β = 0 is a *restart*: the direction is the steepest one again. A restart happens
if the gradient does not become flatter, if it is far from orthogonal to the previous gradient (Powell), and if d does not lead down.

It stores three vectors. L-BFGS (``lbfgs.py``) stores forty, and needs fewer evaluations of F. The line search is the same, but ends
closer to the minimum along d, because an inexact step spoils the next direction.

Sources: the guide, section 1.5.1, which mentions it next to L-BFGS; J. Nocedal, S. Wright, Numerical Optimization, 2006, algorithm 5.4,
eq. 5.45 and 5.52.
"""

from collections.abc import Iterator

import numpy as np

from classifiers.solvers.lbfgs import MAX_STALLED_ITERATIONS, Function, Iterate, count_stalled, line_search

WOLFE_C2 = 0.1  # c₂ of the line search
MAX_GRADIENT_COSINE = 0.2  # neighbouring gradients whose cosine is above this lead to a restart


def conjugate_gradient(function: Function, start: np.ndarray, diagonal: np.ndarray | None = None) -> Iterator[Iterate]:
    """Minimise a smooth function, one iteration for each ``next``.

    Parameters
    ----------
    function : x -> (F(x), ∇F(x))
        A value that is not finite counts as infinitely high.
    start : float array (n,)
    diagonal : array (n,), positive, optional
        D, an estimate of the diagonal of H, up to a factor.

    Yields
    ------
    Iterate
        The start, and the point after each iteration. It ends when the gradient is zero, or when the progress is below the
        rounding error.

    Examples
    --------
    On a quadratic function of two variables two steps are almost enough; gradient descent needs dozens:

    >>> def parabola(x):
    ...     return x[0] ** 2 + 10 * x[1] ** 2, np.array([2 * x[0], 20 * x[1]])
    >>> *_, last = conjugate_gradient(parabola, np.array([5.0, 3.0]))
    >>> bool(np.abs(last.x).max() < 1e-6)
    True
    """
    here = Iterate(start := np.array(start, dtype=np.float64), *function(start))
    diagonal = np.ones(start.shape) if diagonal is None else diagonal
    steepest = here.gradient / diagonal  # z
    direction, step = -steepest, 1.0
    flattest, stalled = float(np.linalg.norm(here.gradient)), 0
    yield here
    while here.gradient.any() and stalled < MAX_STALLED_ITERATIONS:
        there = line_search(function, here, step * direction, WOLFE_C2)
        if there is None and not np.array_equal(direction, -steepest):  # retry along steepest descent
            direction, step = -steepest, 1.0
            continue
        if there is None:
            return
        steepest_there = there.gradient / diagonal
        share = _polak_ribiere_beta(here.gradient, steepest, there.gradient, steepest_there)
        direction *= share
        direction -= steepest_there
        slope = there.gradient @ direction
        if slope >= 0:
            direction = -steepest_there
            slope = there.gradient @ direction
        flattest, stalled = count_stalled(here, there, flattest, stalled)
        step = _initial_step_length(here.value - there.value, slope)
        here, steepest = there, steepest_there
        yield here


def _polak_ribiere_beta(gradient, steepest, gradient_there, steepest_there):
    """Return β: the share of the previous direction in the next one."""
    if abs(steepest @ gradient_there) >= MAX_GRADIENT_COSINE * (steepest_there @ gradient_there):
        return 0.0
    before = steepest @ gradient
    return max(0.0, steepest_there @ (gradient_there - gradient) / before) if before > 0 else 0.0


def _initial_step_length(fall, slope):
    """Return the step to the minimum of a parabola that falls as much as F did in the previous iteration: −2 fall / slope."""
    step = -2 * fall / slope if slope < 0 else 1.0
    return step if 0 < step < np.inf else 1.0
