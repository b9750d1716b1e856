"""Checks of a caller's arguments: inputs, labels, parameters, costs, hyper-parameters.

Each check returns its argument in the one form that the algorithms work on, or raises an :class:`InputError` that states what
was expected, what was found and what to do.
"""

import contextlib
import copy
import mmap
import operator
from collections.abc import Iterable, Sequence
from numbers import Number
from typing import Any

import numpy as np

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.errors import InputError

_MIN_BYTES_TO_TEST = 1 << 30  # bytes; smaller allocations are not tried in advance
COMPARISONS = {"above": operator.gt, "at least": operator.ge, "at most": operator.le, "below": operator.lt}
MAX_CLASSES = 1 << 14  # The costs of confusing two classes are a K × K matrix.


def check_inputs(X: Any) -> Any:
    """Return ``X`` as a float64 matrix, sparse or dense. Raise an error if it is not a matrix or holds NaN or infinity.

    In each row of a sparse result the columns are unique and ascending; duplicate entries are summed.

    Examples
    --------
    >>> check_inputs([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    >>> check_inputs([[1.0, float("nan")]])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: X must be finite, but X[0, 1] is nan; leave such examples out or fill the gap
    """
    X = as_matrix(X)
    check_finite(X)
    return as_canonical(X) if sp.issparse(X) else X


def as_matrix(X: Any) -> Any:
    """Return ``X`` as a float64 matrix, sparse or dense; it may hold NaN or infinity. This is the first half of :func:`check_inputs`.

    A sparse matrix becomes a ``csr_array``. All its indices are within its shape, because compiled loops do not check them.
    Anything that is not a matrix of real numbers raises an :class:`InputError`.

    Examples
    --------
    >>> as_matrix([[1, float("inf")]])
    array([[ 1., inf]])
    >>> as_matrix(sp.coo_array(([2, 3], ([0, 0], [1, 1])), shape=(1, 2))).toarray()
    array([[0., 5.]])
    >>> as_matrix([1, 2])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: X must be a matrix (M, J), one row per example, but has the shape (2,); a single example ...
    """
    if sp.issparse(X):
        return _as_csr(X)
    X = as_numbers(X, "X must be a matrix of numbers, one row per example")
    if X.ndim != 2:
        raise InputError(
            f"X must be a matrix (M, J), one row per example, but has the shape {X.shape}; "
            "a single example is X[m : m + 1]"
        )
    return X


def as_numbers(values: Any, wanted: str) -> np.ndarray:
    """Return `values` as a float64 array of any shape. Raise an error that begins with `wanted` if they are not real numbers.

    Strings are not converted to numbers; complex numbers, dates and masked entries are rejected.

    Examples
    --------
    >>> as_numbers([[1, 2.5]], "X must be a matrix of numbers")
    array([[1. , 2.5]])
    >>> as_numbers([["1", "2"]], "X must be a matrix of numbers")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: X must be a matrix of numbers, but could not be read as one: it holds text
    """
    if _is_masked(values):
        raise InputError(f"{wanted}, but some are masked; fill the gaps, or leave such examples out")
    try:
        array = np.asarray(values)
        kind = array.dtype.kind
        if kind in "SUT" or (kind == "O" and any(isinstance(value, (str, bytes)) for value in array.flat)):
            raise TypeError("it holds text")
        if kind not in "biufO":
            raise TypeError("it holds complex numbers" if kind == "c" else f"its type is {array.dtype}")
        with np.errstate(over="ignore"):  # Numbers too large for float64 become infinite, and are reported as infinite.
            numbers: np.ndarray = np.asarray(array, dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"{wanted}, but could not be read as one: {error}") from error
    return numbers


def _is_masked(values: Any) -> bool:
    """Return True if an entry of a masked array, or of a list of masked arrays, is masked. Converting to an array would drop the mask."""
    rows = values if isinstance(values, (list, tuple)) else [values]
    # `hasattr` comes first because importing numpy's masked arrays takes a while.
    return any(hasattr(row, "mask") and isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows)


def _as_csr(X: Any) -> Any:
    """Return a sparse matrix of any format as a float64 ``csr_array`` with a checked structure."""
    if X.ndim != 2:
        raise InputError(f"X must be a matrix (M, J), one row per example, but has the shape {X.shape}")
    if X.dtype.kind not in "biuf":
        raise InputError(
            f"X must be a matrix of numbers, one row per example, but its entries are of the type {X.dtype}"
        )
    try:
        if X.format == "lil" and any(len(row) != len(data) for row, data in zip(X.rows, X.data, strict=True)):
            raise ValueError("a row does not have one column index per number")
        if X.format == "csr" and _is_valid_csr(X):
            pass
        elif X.format in ("csr", "csc", "bsr"):
            if X.indptr.dtype.kind not in "iu":
                raise ValueError(f"indptr must hold whole numbers, but is of the type {X.indptr.dtype}")
            X = copy.copy(X)  # The copy shares its arrays with X; check_format cuts off unused entries of the copy.
            X.check_format(full_check=True)
        else:
            X = X.tocoo()
            X = sp.coo_array((X.data, (X.row, X.col)), shape=X.shape)  # The constructor checks all indices.
        X = X if isinstance(X, sp.csr_array) else sp.csr_array(X)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"X is a sparse matrix ({X.format}) whose parts do not fit together: {error}; build it anew, for "
            "instance as csr_array((numbers, (rows, columns)), shape=(M, J))"
        ) from error
    with np.errstate(over="ignore"):
        return X if X.dtype == np.float64 else X.astype(np.float64)


def _is_valid_csr(X: Any) -> bool:
    """Return True if the arrays of a CSR matrix are consistent. One pass checks this; `check_format` takes three."""
    indptr, indices = X.indptr, X.indices
    if not (indptr.dtype.kind == indices.dtype.kind == "i" and indptr.shape == (X.shape[0] + 1,) and indices.ndim == 1):
        return False
    # As an unsigned integer, a negative index is too large.
    unsigned = indices.view(indices.dtype.str.replace("i", "u"))
    fits = indptr[0] == 0 and X.data.shape == indices.shape == (indptr[-1],) and not (indptr[1:] < indptr[:-1]).any()
    return bool(fits and unsigned.max(initial=0) < X.shape[1])


def as_canonical(X: "sp.csr_array") -> "sp.csr_array":
    """Return ``X`` if every row has unique, ascending columns; otherwise return a new matrix with such rows.

    The indices are examined. ``X.has_canonical_format`` is not used, because it can be set to a wrong value, and it becomes wrong
    when the indices are changed afterwards.

    Parameters
    ----------
    X : csr_array (M, J), as :func:`as_matrix` returns it

    Examples
    --------
    >>> X = sp.csr_array(([1.0, 2.0, 3.0], [1, 0, 1], [0, 3]), shape=(1, 2))
    >>> X.has_canonical_format = True
    >>> as_canonical(X).data
    array([2., 4.])
    """
    ascends = X.indices[1:] > X.indices[:-1]
    first = X.indptr[1:-1]  # The first entry of a row may be smaller than the last entry of the row before.
    ascends[first[(first > 0) & (first < X.nnz)] - 1] = True
    if ascends.all():
        return X
    # The copy has no has_canonical_format flag.
    rows = sp.csr_array((X.data, X.indices, X.indptr), shape=X.shape, copy=True)
    rows.sum_duplicates()
    return rows


def check_finite(X: Any) -> None:
    """Raise an error if a matrix holds NaN or infinity. This is the second half of :func:`check_inputs`.

    Examples
    --------
    >>> check_finite(sp.csr_array([[0.0, -np.inf]]))
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: X must be finite, but X[0, 1] is -inf; leave such examples out or fill the gap
    """
    values = X.data if sp.issparse(X) else X
    if not all_finite(values):
        bad = np.flatnonzero(~np.isfinite(values.ravel()))[0]
        if sp.issparse(X):
            row, column = np.searchsorted(X.indptr, bad, side="right") - 1, X.indices[bad]
        else:
            row, column = divmod(bad, X.shape[1])
        raise InputError(
            f"X must be finite, but X[{row}, {column}] is {values.ravel()[bad]}; leave such examples out or fill the gap"
        )


def all_finite(values: np.ndarray) -> bool:
    """Return True if an array of any shape has neither NaN nor infinity.

    Examples
    --------
    The first array is finite, but its sum is infinite:

    >>> all_finite(np.array([1e308, 1e308])), all_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum()):  # One pass without a temporary array nearly always decides.
            return True
    return bool(np.isfinite(values).all())  # A sum of finite numbers can be infinite.


def check_labels(y: Any) -> np.ndarray:
    """Return labels of one kind as a vector (M,). Vectors, lists and columns (M, 1) are accepted.

    Examples
    --------
    >>> check_labels([["a"], ["b"]])
    array(['a', 'b'], dtype='<U1')
    >>> check_labels(["a", 1])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: labels must be of one kind, all numbers or all texts, but 'a' and 1 are not
    """
    if _is_masked(y):
        raise InputError("labels must be known, but some are masked; leave such examples out")
    try:
        labels: np.ndarray = np.asarray(y)
    except (TypeError, ValueError) as error:
        raise InputError(f"labels must be a vector (M,), but could not be read as one: {error}") from error
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(f"labels must be a vector (M,) or a column (M, 1), but have the shape {labels.shape}")
    # NumPy converts a mixed list with a string in it to strings.
    if labels.dtype.kind in "SU" and isinstance(y, (list, tuple)):
        given = np.array(y, dtype=object).ravel()
        text = str if labels.dtype.kind == "U" else bytes
        one = next((label for label in given if isinstance(label, text)), None)
        for label in given:
            if not isinstance(label, text):
                raise InputError(
                    f"labels must be of one kind, all numbers or all texts, but {format_label(one)} and {format_label(label)} are not"
                )
    if labels.dtype.kind in "TV":
        labels = np.array(labels.tolist(), dtype=object)
    if labels.dtype.kind in "cO" and any(isinstance(label, (complex, np.complexfloating)) for label in labels):
        raise InputError(
            "Complex data not supported: labels must be of a kind that has an order; pass texts, or real numbers"
        )
    unknown = _missing_labels(labels)
    if unknown.any():
        m = np.flatnonzero(unknown)[0]
        raise InputError(f"labels must be known, but label {m} is {format_label(labels[m])}; leave such examples out")
    if labels.dtype == object:
        try:
            np.unique(labels)
        except (TypeError, ValueError) as error:
            raise InputError(f"labels must be of one kind, all numbers or all texts: {error}") from error
    return labels


def check_sample_weight(sample_weight: Any, labels: np.ndarray, every_class: bool = True) -> np.ndarray | None:
    """Return the weights of training examples as a vector (M,) of numbers ≥ 0, or None for equal weights.

    Parameters
    ----------
    sample_weight : M numbers, or None
        An example of weight 2 counts as much as two examples of weight 1.
    labels : int array (M,)
        Columns 0 … K − 1 of the true classes.
    every_class : bool
        True if every class must have a weight above 0; False if one class is enough.

    Raises
    ------
    InputError
        If the number of weights is wrong, a weight is negative or not finite, or all weights of a class are 0.

    Examples
    --------
    >>> check_sample_weight([1, 2, 0], np.array([0, 1, 1]))
    array([1., 2., 0.])
    >>> check_sample_weight([0, 2, 1], np.array([0, 1, 1]))
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: sample_weight must have a number above 0 in every class, but all weights of at least one ...
    """
    if sample_weight is None:
        return None
    try:
        weights: np.ndarray = np.asarray(sample_weight)
        weights = weights.astype(np.float64, casting="unsafe" if weights.dtype == object else "same_kind")
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must hold a number for each example: {error}") from error
    if weights.shape != labels.shape:
        raise InputError(
            f"sample_weight must hold a number for each of the {len(labels)} examples, but has the shape {weights.shape}"
        )
    fits = np.isfinite(weights) & (weights >= 0)
    if not fits.all():
        m = int(np.argmin(fits))
        raise InputError(
            f"a weight of an example must be a finite number, at least 0, but sample_weight[{m}] is {weights[m]}"
        )
    if not weights.any() or (every_class and not np.bincount(labels, weights=weights).all()):
        raise InputError(
            "sample_weight must have a number above 0 in every class, but all weights of at least one are zero; leave it out"
        )
    return weights


def _missing_labels(labels: np.ndarray) -> np.ndarray:
    """Return a Boolean array (M,): True for labels that are None, NaN or another missing value."""
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind in "mM":
        return np.asarray(np.isnat(labels))
    if labels.dtype != object:
        return np.zeros(len(labels), dtype=bool)

    def unknown(label: Any) -> bool:
        try:
            return label is None or bool(label != label)
        except TypeError:  # Comparing pandas' NA gives NA, which has no truth value.
            return True
        except ValueError:  # An array is an invalid label, but not a missing one.
            return False

    return np.array([unknown(label) for label in labels], dtype=bool)


def check_parameters(data_name: str, n_features: int, n_classes: int, quadratic: bool = False) -> None:
    """Raise an error, before any computation, if there are too many classes or if the parameters do not fit into memory.

    Training needs memory for two parameter matrices: the current parameters and their sum.

    Parameters
    ----------
    data_name : str
        The name of the training data, for the message.
    n_features, n_classes : int
    quadratic : bool
        True if there are two parameters for each feature and class.

    Examples
    --------
    >>> check_parameters("y", 2, 100_000)
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: y has 100000 different labels, of which each would be a class, but at most 16384 can be ...
    """
    if n_classes > MAX_CLASSES:
        raise InputError(
            f"{data_name} has {n_classes} different labels, of which each would be a class, but at most {MAX_CLASSES} can be learnt; if "
            "the labels are measurements, put them into a few intervals, as with numpy.digitize"
        )
    n_bytes = 2 * 8 * (1 + n_features * (1 + quadratic)) * n_classes
    try:
        if n_bytes > _MIN_BYTES_TO_TEST:
            mmap.mmap(-1, n_bytes).close()
    # OverflowError and ValueError: n_bytes exceeds the address space.
    except (MemoryError, OSError, OverflowError, ValueError) as error:
        raise InputError(
            f"{data_name} has {n_features} features: training the parameters for {n_classes} classes would take "
            f"{n_bytes * 1e-9:,.0f} GB, more than this computer has; leave out the columns that hold nothing, or hash the "
            "features into fewer columns (of a corpus on disk: `lxmls-day1 cache --hash 18`)"
        ) from error


def check_same_kind(labels: np.ndarray, other_labels: np.ndarray, names: str) -> None:
    """Raise an error if labels (M,) and others (N,) are of different kinds, such as numbers and strings: 1 and "1" are never equal.

    Examples
    --------
    >>> check_same_kind(np.array(["0", "1"]), np.array([0, 1]), "true and predicted labels")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: true and predicted labels must be of the same kind, but the former include '0' and ...
    """
    if (
        len(labels)
        and len(other_labels)
        and (kind := _label_kind(labels[0])) != (other := _label_kind(other_labels[0]))
    ):
        raise InputError(
            f"{names} must be of the same kind, but the former include {format_label(labels[0])} and the latter "
            f"{format_label(other_labels[0])}; {kind} and {other} are never the same label"
        )


def _label_kind(label: Any) -> str:
    """Return the kind of a label, for a message. Labels of the same kind can be compared."""
    if isinstance(label, str):
        return "a text"
    if isinstance(label, bytes):
        return "bytes"
    if isinstance(label, (Number, np.bool_)) and not isinstance(label, np.timedelta64):
        return "a number"
    return f"a {type(label).__name__}"


def check_params(params: Any) -> np.ndarray:
    """Return parameters as a float64 matrix (J + 1, K), or raise an :class:`InputError`. Infinite values and NaN are allowed,
    because every use of the parameters checks for them.

    Examples
    --------
    >>> check_params([[0, 1], [2, 3]])
    array([[0., 1.],
           [2., 3.]])
    >>> check_params([0, 1])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: params must be a matrix (J + 1, K), row 0 the intercepts, but has the shape (2,)
    """
    matrix = as_numbers(params, "params must be a matrix of numbers")
    if matrix.ndim != 2 or len(matrix) < 1 or matrix.shape[1] < 1:
        raise InputError(f"params must be a matrix (J + 1, K), row 0 the intercepts, but has the shape {matrix.shape}")
    return matrix


def check_finite_params(params: Any, allow_minus_infinity: bool = False) -> np.ndarray:
    """Apply :func:`check_params`, and raise an error if a parameter is not finite. With ``allow_minus_infinity``, −∞ is allowed.

    Examples
    --------
    >>> check_finite_params([[0.0, -np.inf]], allow_minus_infinity=True)
    array([[  0., -inf]])
    >>> check_finite_params([[0.0, -np.inf]])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: params must be finite, but params[0, 1] is -inf; train the classifier again
    """
    matrix = check_params(params)
    if not all_finite(matrix):
        allowed = np.isfinite(matrix) | (np.isneginf(matrix) & allow_minus_infinity)
        if not allowed.all():
            row, column = np.argwhere(~allowed)[0]
            raise InputError(
                f"params must be finite, but params[{row}, {column}] is {matrix[row, column]}; train the classifier again"
            )
    return matrix


def check_costs(cost: Any, n_classes: int) -> np.ndarray:
    """Return the cost matrix ρ (K, K): ``cost[p, y]`` is the cost of predicting class p if the true class is y. None means 0/1 costs.

    Raises
    ------
    InputError
        If the shape is wrong, an entry is negative or not finite, or the diagonal is not zero.

    Examples
    --------
    >>> check_costs(None, 2)
    array([[0., 1.],
           [1., 0.]])
    >>> check_costs([[1, 0], [0, 1]], 2)
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: the cost matrix must have a zero diagonal: the right answer costs nothing
    """
    if cost is None:
        return 1.0 - np.eye(n_classes)
    costs = as_numbers(cost, f"the cost matrix must be {n_classes} x {n_classes} numbers")
    if costs.shape != (n_classes, n_classes):
        raise InputError(
            f"the cost matrix must be {n_classes} x {n_classes}, a row per predicted and a column per true class, "
            f"but has the shape {costs.shape}"
        )
    if not (np.isfinite(costs).all() and (costs >= 0).all()):
        raise InputError("costs must be finite and not negative: cost[p, y] is what predicting p costs where y is true")
    if np.diag(costs).any():
        raise InputError("the cost matrix must have a zero diagonal: the right answer costs nothing")
    return costs


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
    whole: bool = False,
) -> Any:
    """Return a hyper-parameter as a number within its range, or raise an error that names the hyper-parameter.

    Examples
    --------
    >>> check_number("nr_rounds", 3.0, at_least=1, whole=True)
    3
    >>> check_number("nr_rounds", 2.5, at_least=1, whole=True)
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: nr_rounds must be a whole number at least 1, but is 2.5
    """
    given = {"above": above, "at least": at_least, "at most": at_most, "below": below}
    limits = {word: limit for word, limit in given.items() if limit is not None}
    bounds = " and ".join(f"{word} {limit}" for word, limit in limits.items())
    wanted = f"{name} must be a {'whole ' if whole else ''}number {bounds}".rstrip()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{wanted}, but is {value!r}")
    try:
        number = float(value)
    except OverflowError as error:
        raise InputError(f"{wanted}, but is too large to compute with") from error
    fits = np.isfinite(number) and (not whole or number == int(number))
    if not (fits and all(COMPARISONS[word](number, limit) for word, limit in limits.items())):
        raise InputError(f"{wanted}, but is {value!r}")
    return int(number) if whole else number


def check_flag(name: str, value: Any) -> bool:
    """Return a Boolean setting, or raise an error that names the setting. Strings are rejected because "no" would count as true.

    Examples
    --------
    >>> check_flag("smooth", False)
    False
    >>> check_flag("smooth", "no")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: smooth must be True or False, but is 'no'
    """
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} must be True or False, but is {value!r}")
    return bool(value)


def as_list(values: Any, requirement: str) -> list[Any]:
    """Return the members of a sequence, an array or another iterable as a list. Otherwise raise an error that begins with `requirement`.

    A string is not accepted as a list of its letters.

    Examples
    --------
    >>> as_list(("a", "b"), "feature_names must be a list of names")
    ['a', 'b']
    >>> as_list("ab", "feature_names must be a list of names")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: feature_names must be a list of names, but is 'ab'
    """
    with contextlib.suppress(TypeError):  # A zero-dimensional array cannot be iterated.
        if isinstance(values, Iterable) and not isinstance(values, (str, bytes, bytearray)):
            return list(values)
    raise InputError(f"{requirement}, but is {values!r}")


def check_attributes(value: Any, requirement: str, names: Sequence[str]) -> None:
    """Raise an error if `value` lacks one of the attributes `names`. The message begins with `requirement`.

    Examples
    --------
    >>> check_attributes("books", "data must be a data set such as SimpleDataSet()", ["train_X", "train_y"])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: data must be a data set such as SimpleDataSet(), but 'books' has no train_X
    """
    if isinstance(value, type):
        raise InputError(f"{requirement}, but is the class {value.__name__}; create one with {value.__name__}()")
    for name in names:
        if not hasattr(value, name):
            raise InputError(f"{requirement}, but {value!r} has no {name}")


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    """Raise an error that names a setting and its choices, unless the value is one of the words or Booleans in `choices`.

    Examples
    --------
    >>> check_choice("solver", "primal", ("subgradient", "dual"))
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: solver must be "subgradient" or "dual", but is 'primal'
    """
    if not (
        isinstance(value, (str, bool)) and any(type(value) is type(choice) and value == choice for choice in choices)
    ):
        *first, last = (f'"{choice}"' if isinstance(choice, str) else str(choice) for choice in choices)
        wanted = f"{', '.join(first)} or {last}" if first else last
        raise InputError(f"{name} must be {wanted}, but is {value!r}")


def random_generator(seed: Any) -> "np.random.Generator":
    """Return the random number generator for a seed: an integer ≥ 0, or any other seed that NumPy accepts.

    Examples
    --------
    >>> random_generator(1).integers(10)
    np.int64(4)
    >>> random_generator(-1)
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: seed must be a whole number of at least 0, but is -1
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InputError(f"seed must be a whole number of at least 0, but is {seed!r}") from error


def format_label(label: Any) -> str:
    """Format a label for an error message: 3, not np.int64(3).

    Examples
    --------
    >>> format_label(np.int64(3)), format_label("yes")
    ('3', "'yes'")
    """
    return repr(label.item() if isinstance(label, np.generic) else label)


def format_labels(labels: Sequence[Any] | np.ndarray, max_labels: int = 10) -> str:
    """Format labels (M,) for an error message; if there are more than `max_labels`, only the first ones.

    Examples
    --------
    >>> format_labels(["a", "b", "c"]), format_labels(np.arange(20), max_labels=3)
    ("'a', 'b', 'c'", '0, 1, 2, … (20 in all)')
    """
    some = ", ".join(format_label(label) for label in labels[:max_labels])
    return some if len(labels) <= max_labels else f"{some}, … ({len(labels)} in all)"
