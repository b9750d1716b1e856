"""Decision boundaries in the plane: the curves where the predicted class changes. This module only computes them.

Classes i and j meet where s_i = s_j and no other class scores higher. For linear scores this is a segment of a straight line, clipped
by half-planes: the rectangle's four and one for each further class. So its ends are exact. For scores with
squares it is a piece of a conic: `contourpy` finds the approximate curve, and every point is then moved to the exact curve.

Internally, coordinates are scaled so that the rectangle is [−1, 1]², so tolerances do not depend on the units of the
data.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_numbers, check_flag
from lxmls_day1.base.errors import InputError, pluralize

_TOLERANCE = 1e-12  # of slopes and offsets of weights scaled to 1
_MIN_SEGMENT_LENGTH = 1e-9  # minimum length, so that a segment that only touches a corner of the rectangle is not drawn
_GRID_POINTS = 257  # per axis, for curves
_NEWTON_STEPS = 4


def decision_boundary(params: ArrayLike, xlim: Sequence[float], ylim: Sequence[float]) -> list[np.ndarray]:
    """Return the curves in a rectangle on which the predicted class changes.

    Parameters
    ----------
    params : array (3, K) or (5, K)
        Weights of a linear model of two features, on [1, x_1, x_2], or of a quadratic model,
        on [1, x_1, x_2, x_1², x_2²].
    xlim, ylim : (float, float)
        The rectangle, in the units of the features.

    Returns
    -------
    list of arrays (n, 2)
        Polylines: straight segments (n = 2) of a linear model, curves of a quadratic model. Empty if one class is
        predicted everywhere in the rectangle.

    Raises
    ------
    InputError
        If the model has another number of features, a weight is NaN or infinite, or the rectangle is empty.

    Examples
    --------
    Scores x_1 − 0.5 and 0.5 − x_1 meet on a vertical line:

    >>> decision_boundary([[-0.5, 0.5], [1, -1], [0, 0]], xlim=(-1, 1), ylim=(-2, 2))
    [array([[ 0.5, -2. ],
           [ 0.5,  2. ]])]

    A model with equal columns always predicts its first class:

    >>> decision_boundary([[1, 1], [2, 2], [3, 3]], xlim=(-1, 1), ylim=(-1, 1))
    []
    """
    weights = _checked_params(params)
    low, high = _checked_rectangle(xlim, ylim)
    centre, half = (low + high) / 2, (high - low) / 2
    weights = _without_repeated_columns(_rescaled(weights, centre, half))
    polylines = _segments(weights) if len(weights) == 3 else _curves(weights)
    # Clipping removes only rounding errors at the edges of the rectangle.
    return [np.clip(centre + half * polyline, low, high) for polyline in polylines]


def discriminant_scores(X: Any, params: ArrayLike, quadratic: bool) -> np.ndarray:
    """Return the scores of each example for linear or quadratic params.

    Parameters
    ----------
    X : array or scipy.sparse array (M, J)
        One example per row.
    params : array (J + 1, K), or (2J + 1, K) with ``quadratic``
        Finite weights on [1, x], or on [1, x, x²].
    quadratic : bool
        Whether params also hold weights of the squares; ``classifier.quadratic`` of a classifier.

    Returns
    -------
    array (M, K)

    Raises
    ------
    InputError
        If X or params is not a matrix, the number of rows of params does not fit, or the scores are not finite.

    Examples
    --------
    >>> discriminant_scores([[2.0]], [[1.0, 0.0], [3.0, 1.0]], quadratic=False)
    array([[7., 2.]])
    >>> discriminant_scores([[2.0]], [[1.0, 0.0], [3.0, 1.0], [0.0, -1.0]], quadratic=True)
    array([[ 7., -2.]])
    """
    X = X.tocsr() if hasattr(X, "tocsr") else as_numbers(X, "X must be a matrix of numbers")
    params = as_numbers(params, "params must be a matrix of numbers")
    check_flag("quadratic", quadratic)
    if X.ndim != 2 or params.ndim != 2:
        raise InputError(
            f"X and params must be matrices, (examples, features) and (weights, classes), "
            f"but have shapes {X.shape} and {params.shape}."
        )
    n_features = X.shape[1]
    n_rows = 1 + n_features * (2 if quadratic else 1)
    if params.shape[0] != n_rows:
        raise InputError(
            f"X has {pluralize(n_features, 'feature')}, so {'quadratic' if quadratic else 'linear'} params must have "
            f"{pluralize(n_rows, 'row')}, but they have {params.shape[0]}; use params that were trained on these features."
        )
    with np.errstate(over="ignore", invalid="ignore"):  # overflow is detected below by scores that are not finite
        scores: np.ndarray = X @ params[1 : n_features + 1] + params[0]  # (M, K)
        if quadratic:
            squares = X.multiply(X).tocsr() if hasattr(X, "tocsr") else X * X
            scores = scores + squares @ params[n_features + 1 :]
    if not np.isfinite(scores).all():
        raise InputError(
            "the scores are not finite: X or params hold NaN, or numbers that are too large; clean the data, or scale them down"
        )
    return scores


def _checked_params(params: ArrayLike) -> np.ndarray:
    params = as_numbers(params, "params must be a matrix of numbers")
    if params.ndim != 2 or params.shape[0] not in (3, 5) or params.shape[1] == 0:
        raise InputError(
            "a boundary can only be drawn for two features: params must have shape (3, classes), or (5, classes) with "
            f"squares, but has shape {params.shape}; train on two features to see the boundary."
        )
    if not np.all(np.isfinite(params)):
        raise InputError(
            "a boundary can only be drawn for finite weights, but some are NaN or infinite "
            "(a class without examples, or a probability of 0?); smooth the model or check the training data."
        )
    return params


def _checked_rectangle(xlim: Sequence[float], ylim: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    limits = as_numbers([xlim, ylim], "xlim and ylim must each be two different finite numbers")
    if limits.shape != (2, 2) or not np.all(np.isfinite(limits)) or np.any(limits[:, 0] == limits[:, 1]):
        raise InputError(f"xlim and ylim must each be two different finite numbers, but are {xlim!r} and {ylim!r}.")
    return limits.min(axis=1), limits.max(axis=1)


def _rescaled(params: np.ndarray, centre: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return params with the same scores as a function of u in [−1, 1]², with x = centre + half · u."""
    if len(params) == 5 and np.all(params[3:] == params[3:, :1]):
        params = params[:3]  # squares with the same weight for all classes cancel
    weights, squares = params[1:3], params[3:5] if len(params) == 5 else np.zeros_like(params[1:3])
    # (5, K)
    rescaled = np.vstack(
        [
            params[0] + centre @ weights + centre**2 @ squares,
            half[:, None] * (weights + 2 * centre[:, None] * squares),
            half[:, None] ** 2 * squares,
        ]
    )
    # A term that all classes share does not change the prediction. Without it, rounding is relative to the differences.
    rescaled -= rescaled.mean(axis=1, keepdims=True)
    return rescaled[: len(params)]


def _without_repeated_columns(params: np.ndarray) -> np.ndarray:
    """Keep only the first of several classes with equal scores, because it wins every tie."""
    tolerance = _TOLERANCE * np.abs(params).max(initial=0.0)
    distinct: list[int] = []
    for k in range(params.shape[1]):
        if all(np.abs(params[:, k] - params[:, i]).max() > tolerance for i in distinct):
            distinct.append(k)
    return params[:, distinct]


def _segments(params: np.ndarray) -> list[np.ndarray]:
    pairs = combinations(range(params.shape[1]), 2)
    return [segment for i, j in pairs if (segment := _segment(params, i, j)) is not None]


def _segment(params: np.ndarray, i: int, j: int) -> np.ndarray | None:
    """Return the part of the line s_i = s_j inside [−1, 1]² on which no third class scores higher, or None.

    Points of the line are foot + t · along; each half-plane bounds t from below or from above (Liang-Barsky clipping).
    """
    difference = params[:, i] - params[:, j]
    length = np.hypot(*difference[1:])
    if abs(difference[0]) > 1.5 * length:  # the line is further than √2 from the centre, or s_i − s_j is constant
        return None
    across = difference[1:] / length
    along = np.array([-across[1], across[0]])
    if along[np.abs(along).argmax()] < 0:  # make it point to the right, or upwards
        along = -along
    foot = -difference[0] / length * across

    steepness = across @ params[1:]  # (K,): how fast each score rises from the side of j to the side of i
    first, last = -np.inf, np.inf
    for k, offset, normal in _half_planes(params, i, j):  # offset + normal · u ≥ 0
        at_foot, slope = offset + normal @ foot, normal @ along
        if abs(slope) > _TOLERANCE:
            if slope > 0:
                first = max(first, -at_foot / slope)
            else:
                last = min(last, -at_foot / slope)
        else:
            # A class that ties along the whole line, and is steeper than i or less steep than j, wins on one side: i and j never meet.
            lies_between = k is None or steepness[j] <= steepness[k] <= steepness[i]
            if at_foot < -_TOLERANCE or (at_foot <= _TOLERANCE and not lies_between):
                return None
    if not last - first > _MIN_SEGMENT_LENGTH:
        return None
    return np.asarray(np.clip([foot + first * along, foot + last * along], -1.0, 1.0))


def _half_planes(params: np.ndarray, i: int, j: int) -> Iterator[tuple[int | None, float, np.ndarray]]:
    """Yield the square's four edges, each with None, then every third class k with s_i ≥ s_k, scaled to numbers of at most 1."""
    for normal in np.vstack([np.eye(2), -np.eye(2)]):
        yield None, 1.0, normal
    for k in _third_classes(params, i, j):
        difference = params[:, i] - params[:, k]
        scale = np.abs(difference).max()
        yield k, difference[0] / scale, difference[1:] / scale


def _third_classes(params: np.ndarray, i: int, j: int) -> list[int]:
    return [k for k in range(params.shape[1]) if k not in (i, j)]


def _curves(params: np.ndarray) -> list[np.ndarray]:
    from contourpy import contour_generator

    axis = np.linspace(-1.0, 1.0, _GRID_POINTS)
    u, v = np.meshgrid(axis, axis)
    points = np.column_stack([u.ravel(), v.ravel()])
    scores = discriminant_scores(points, params, quadratic=True).reshape(_GRID_POINTS, _GRID_POINTS, -1)
    winners = np.unique(scores.argmax(axis=2))
    polylines: list[np.ndarray] = []
    for i, j in combinations(winners, 2):
        contour = contour_generator(axis, axis, scores[..., i] - scores[..., j])
        for line in contour.lines(0.0):
            line = _refine_to_curve(np.asarray(line), params[:, i] - params[:, j], spacing=axis[1] - axis[0])
            polylines += _clip_to_winning_pair(line, params, i, j)
    return polylines


def _refine_to_curve(line: np.ndarray, difference: np.ndarray, spacing: float) -> np.ndarray:
    """Move the points of a contour, which were interpolated along the edges of grid cells, to the exact roots on these edges."""
    from_grid_line = np.abs(line + 1 - np.rint((line + 1) / spacing) * spacing)  # (n, 2)
    free = from_grid_line.argmax(axis=1)  # the coordinate that was interpolated
    rows = np.arange(len(line))
    moved = line.copy()
    for _ in range(_NEWTON_STEPS):
        value = discriminant_scores(moved, difference[:, None], quadratic=True)[:, 0]
        slope = difference[1 + free] + 2 * difference[3 + free] * moved[rows, free]
        moved[rows, free] -= np.divide(value, slope, out=np.zeros_like(value), where=slope != 0)
    strayed = np.abs(moved - line).max(axis=1) > spacing
    moved[strayed] = line[strayed]
    return np.asarray(np.clip(moved, -1.0, 1.0))


def _clip_to_winning_pair(line: np.ndarray, params: np.ndarray, i: int, j: int) -> list[np.ndarray]:
    third = _third_classes(params, i, j)
    if not third:
        return [line]
    scores = discriminant_scores(line, params, quadratic=True)  # (n, K)
    lead = scores[:, i] - scores[:, third].max(axis=1)
    inside = lead >= 0
    pieces: list[np.ndarray] = []
    piece: list[np.ndarray] = []
    for n, point in enumerate(line):
        if n > 0 and inside[n] != inside[n - 1]:
            k = third[scores[n if inside[n - 1] else n - 1, third].argmax()]
            piece.append(_junction(line[n - 1], point, lead[n - 1] / (lead[n - 1] - lead[n]), params[:, [i, j, k]]))
        if inside[n]:
            piece.append(point)
        elif piece:
            pieces.append(np.array(piece))
            piece = []
    if piece:
        pieces.append(np.array(piece))
    return [piece for piece in pieces if len(piece) > 1]


def _junction(start: np.ndarray, end: np.ndarray, fraction: float, params: np.ndarray) -> np.ndarray:
    """Return the point between start and end at which all three columns of params score the same, by Newton's method."""
    guess: np.ndarray = start + fraction * (end - start)
    point = guess
    differences = params[:, :1] - params[:, 1:]  # (5, 2)
    for _ in range(_NEWTON_STEPS):
        values = discriminant_scores(point[None], differences, quadratic=True)[0]
        slopes = differences[1:3] + 2 * differences[3:5] * point[:, None]  # (2, 2): feature, difference
        try:
            point = point - np.linalg.solve(slopes.T, values)
        except np.linalg.LinAlgError:
            return guess
    return point if np.abs(point - guess).max() <= np.abs(end - start).max() else guess
