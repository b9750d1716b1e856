"""Checks of what a caller passes in: inputs, labels, parameters, costs, hyper-parameters.

Each returns its argument in the one form that the algorithms work on, or raises an :class:`InputError` which says what
was wanted, what was got and what to do.
"""

import numpy as np
import scipy.sparse as sp

from lxmls_day1.errors import InputError


def check_inputs(X):
    """``X`` as a float64 matrix, sparse or dense; an error for what is no matrix or holds NaN or infinity."""
    X = as_matrix(X)
    check_finite(X)
    return X


def as_matrix(X):
    """The first half of :func:`check_inputs`: ``X`` as a float64 matrix, sparse or dense, whatever numbers it holds."""
    if sp.issparse(X):
        X = X if isinstance(X, sp.csr_array) else sp.csr_array(X)
        return X if X.dtype == np.float64 else X.astype(np.float64)
    try:
        X = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"X must be a matrix of numbers, one row per example, but could not be read as one: {error}"
        ) from error
    if X.ndim != 2:
        raise InputError(
            f"X must be a matrix (M, J), one row per example, but has the shape {X.shape}; "
            "a single example is X[m : m + 1]"
        )
    return X


def check_finite(X):
    """The second half of :func:`check_inputs`: an error for a matrix with NaN or infinity in it."""
    values = X.data if sp.issparse(X) else X
    if not _all_finite(values):
        bad = np.flatnonzero(~np.isfinite(values.ravel()))[0]
        if sp.issparse(X):
            row, column = np.searchsorted(X.indptr, bad, side="right") - 1, X.indices[bad]
        else:
            row, column = divmod(bad, X.shape[1])
        raise InputError(
            f"X must be finite, but X[{row}, {column}] is {values.ravel()[bad]}; leave such examples out or fill the gap"
        )


def _all_finite(values):
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum()):  # reads the numbers once and keeps nothing, and nearly always settles it
            return True
    return bool(np.isfinite(values).all())  # a sum of finite numbers can be infinite


def check_labels(y):
    """Labels as a vector (M,): takes vectors, lists and columns (M, 1)."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise InputError(f"labels must be a vector (M,) or a column (M, 1), but have the shape {y.shape}")
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise InputError(f"labels must be known, but label {np.flatnonzero(np.isnan(y))[0]} is NaN")
    if y.dtype == object:
        if any(label is None or label != label for label in y):
            raise InputError("labels must be known, but some are None or NaN")
        try:
            np.unique(y)
        except TypeError as error:
            raise InputError(f"labels must be of one kind, all numbers or all strings: {error}") from error
    return y


def check_params(params):
    """Parameters as a float64 matrix (J + 1, K)."""
    params = np.asarray(params, dtype=np.float64)
    if params.ndim != 2 or len(params) < 1:
        raise InputError(f"params must be a matrix (J + 1, K), row 0 the intercepts, but has the shape {params.shape}")
    return params


def check_costs(cost, n_classes):
    """The K x K matrix ρ, with ``cost[p, y]`` the cost of predicting class p where y is true; None is the 0/1 cost.

    Raises
    ------
    InputError
        For a wrong shape, a negative or non-finite entry, or a non-zero diagonal.
    """
    if cost is None:
        return 1.0 - np.eye(n_classes)
    cost = np.asarray(cost, dtype=np.float64)
    if cost.shape != (n_classes, n_classes):
        raise InputError(
            f"the cost matrix must be {n_classes} x {n_classes}, a row per predicted and a column per true class, "
            f"but has the shape {cost.shape}"
        )
    if not (np.isfinite(cost).all() and (cost >= 0).all()):
        raise InputError("costs must be finite and not negative: cost[p, y] is what predicting p costs where y is true")
    if np.diag(cost).any():
        raise InputError("the cost matrix must have a zero diagonal: the right answer costs nothing")
    return cost


def check_number(name, value, *, above=None, at_least=None, at_most=None, whole=False):
    """A hyper-parameter as a number in its range, or an error that names it."""
    bounds = [
        text.format(limit)
        for text, limit in (("above {}", above), ("at least {}", at_least), ("at most {}", at_most))
        if limit is not None
    ]
    wanted = f"{name} must be a {'whole ' if whole else ''}number {' and '.join(bounds)}".rstrip()
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{wanted}, but is {value!r}") from error
    fits = np.isfinite(number) and (not whole or number == int(number))
    fits = fits and (above is None or number > above)
    fits = fits and (at_least is None or number >= at_least) and (at_most is None or number <= at_most)
    if not fits:
        raise InputError(f"{wanted}, but is {value!r}")
    return int(number) if whole else number


def shown(label):
    """A label as an error message prints it: 3, not np.int64(3)."""
    return repr(label.item() if hasattr(label, "item") else label)


def listed(labels, most=10):
    """Labels for an error message, the first few of many."""
    some = ", ".join(shown(label) for label in labels[:most])
    return some if len(labels) <= most else f"{some}, … ({len(labels)} in all)"
