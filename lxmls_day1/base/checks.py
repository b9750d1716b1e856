"""Checks of what a caller passes in: inputs, labels, parameters, costs, hyper-parameters.

Each returns its argument in the one form that the algorithms work on, or raises an :class:`InputError` which says what
was wanted, what was got and what to do.
"""

import copy
import mmap
import operator
from collections.abc import Iterable, Sequence
from numbers import Number
from typing import Any

import numpy as np

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.errors import InputError

_LARGE = 1 << 30  # bytes: room for less is not asked for
COMPARISONS = {"above": operator.gt, "at least": operator.ge, "at most": operator.le, "below": operator.lt}
MOST_CLASSES = 1 << 14  # the costs of confusing two classes are a table of K² numbers


def check_inputs(X: Any) -> Any:
    """``X`` as a float64 matrix, sparse or dense; an error for what is no matrix or holds NaN or infinity.

    In a row of a sparse matrix every column stands once, in ascending order: entries that stand twice are summed.

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
    """The first half of :func:`check_inputs`: ``X`` as a float64 matrix, sparse or dense, whatever numbers it holds.

    A sparse matrix becomes a ``csr_array`` all of whose entries lie inside of it: compiled loops do not look whether they do.
    What is no matrix of real numbers raises an :class:`InputError`.

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
        return _as_rows(X)
    X = as_numbers(X, "X must be a matrix of numbers, one row per example")
    if X.ndim != 2:
        raise InputError(
            f"X must be a matrix (M, J), one row per example, but has the shape {X.shape}; "
            "a single example is X[m : m + 1]"
        )
    return X


def as_numbers(values: Any, wanted: str) -> np.ndarray:
    """What can be read as an array of real numbers, of any shape, as float64; else an error that begins with what was wanted.

    Text is not read as numbers, and no imaginary part, date or mask is dropped.

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
        with np.errstate(over="ignore"):  # what is too large for float64 is infinite, and found as such
            numbers: np.ndarray = np.asarray(array, dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"{wanted}, but could not be read as one: {error}") from error
    return numbers


def _is_masked(values: Any) -> bool:
    """Whether an entry of a masked array, or of a list of masked arrays, is masked: an array made of it forgets that."""
    rows = values if isinstance(values, (list, tuple)) else [values]
    # Only what may be one has numpy import its masked arrays, which takes a while.
    return any(hasattr(row, "mask") and isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows)


def _as_rows(X: Any) -> Any:
    """A sparse matrix of any format as a float64 ``csr_array``, whose structure has been checked."""
    if X.ndim != 2:
        raise InputError(f"X must be a matrix (M, J), one row per example, but has the shape {X.shape}")
    if X.dtype.kind not in "biuf":
        raise InputError(
            f"X must be a matrix of numbers, one row per example, but its entries are of the type {X.dtype}"
        )
    try:
        if X.format == "lil" and any(len(row) != len(data) for row, data in zip(X.rows, X.data, strict=True)):
            raise ValueError("a row does not have one column index per number")
        if X.format == "csr" and _is_sound(X):
            pass
        elif X.format in ("csr", "csc", "bsr"):
            if X.indptr.dtype.kind not in "iu":
                raise ValueError(f"indptr must hold whole numbers, but is of the type {X.indptr.dtype}")
            X = copy.copy(X)  # whose arrays it shares: what is not in use is cut off
            X.check_format(full_check=True)
        else:
            X = X.tocoo()
            X = sp.coo_array((X.data, (X.row, X.col)), shape=X.shape)  # which checks that all entries lie inside
        X = X if isinstance(X, sp.csr_array) else sp.csr_array(X)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"X is a sparse matrix ({X.format}) whose parts do not fit together: {error}; build it anew, for "
            "instance as csr_array((numbers, (rows, columns)), shape=(M, J))"
        ) from error
    with np.errstate(over="ignore"):
        return X if X.dtype == np.float64 else X.astype(np.float64)


def _is_sound(X: Any) -> bool:
    """Whether the arrays of a CSR matrix fit together, as far as one pass can see: `check_format` takes three."""
    indptr, indices = X.indptr, X.indices
    if not (indptr.dtype.kind == indices.dtype.kind == "i" and indptr.shape == (X.shape[0] + 1,) and indices.ndim == 1):
        return False
    unsigned = indices.view(indices.dtype.str.replace("i", "u"))  # a negative number is a large one without its sign
    fits = indptr[0] == 0 and X.data.shape == indices.shape == (indptr[-1],) and not (indptr[1:] < indptr[:-1]).any()
    return bool(fits and unsigned.max(initial=0) < X.shape[1])


def as_canonical(X: "sp.csr_array") -> "sp.csr_array":
    """Rows in which every column stands once and in ascending order: ``X`` itself where they are so, else a new matrix.

    This is read from the indices. ``X.has_canonical_format`` is not asked: it can be set to what is not so, and it becomes wrong
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
    first = X.indptr[1:-1]  # entries of rows, which may be smaller than the one before
    ascends[first[(first > 0) & (first < X.nnz)] - 1] = True
    if ascends.all():
        return X
    rows = sp.csr_array((X.data, X.indices, X.indptr), shape=X.shape, copy=True)  # which claims nothing
    rows.sum_duplicates()
    return rows


def check_finite(X: Any) -> None:
    """The second half of :func:`check_inputs`: an error for a matrix with NaN or infinity in it.

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
    """Whether no number of an array, of any shape, is NaN or infinite.

    Examples
    --------
    The sum of the first two is infinite, and none of them is:

    >>> all_finite(np.array([1e308, 1e308])), all_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum()):  # reads the numbers once and keeps nothing, and nearly always settles it
            return True
    return bool(np.isfinite(values).all())  # a sum of finite numbers can be infinite


def check_labels(y: Any) -> np.ndarray:
    """Labels as a vector (M,): takes vectors, lists and columns (M, 1) of labels of one kind.

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
    if labels.dtype.kind in "SU" and isinstance(
        y, (list, tuple)
    ):  # NumPy turns whatever stands beside a text into text
        given = np.array(y, dtype=object).ravel()
        text = str if labels.dtype.kind == "U" else bytes
        one = next((label for label in given if isinstance(label, text)), None)
        for label in given:
            if not isinstance(label, text):
                raise InputError(
                    f"labels must be of one kind, all numbers or all texts, but {shown(one)} and {shown(label)} are not"
                )
    if labels.dtype.kind in "TV":
        labels = np.array(labels.tolist(), dtype=object)
    if labels.dtype.kind in "cO" and any(isinstance(label, (complex, np.complexfloating)) for label in labels):
        raise InputError(
            "Complex data not supported: labels must be of a kind that has an order; pass texts, or real numbers"
        )
    unknown = _unknown_labels(labels)
    if unknown.any():
        m = np.flatnonzero(unknown)[0]
        raise InputError(f"labels must be known, but label {m} is {shown(labels[m])}; leave such examples out")
    if labels.dtype == object:
        try:
            np.unique(labels)
        except (TypeError, ValueError) as error:
            raise InputError(f"labels must be of one kind, all numbers or all texts: {error}") from error
    return labels


def check_sample_weight(sample_weight: Any, labels: np.ndarray, every_class: bool = True) -> np.ndarray | None:
    """The weights of training examples as a vector (M,) of numbers ≥ 0; None where none are given, and all count alike.

    Parameters
    ----------
    sample_weight : M numbers, or None
        An example of weight 2 counts as much as two examples of weight 1.
    labels : int array (M,)
        Columns 0 … K − 1 of the true classes.
    every_class : bool
        Whether every class must have a weight above 0, and not only one of them.

    Raises
    ------
    InputError
        For another number of weights, one that is negative or not finite, or a class whose weights are all 0.

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


def _unknown_labels(labels: np.ndarray) -> np.ndarray:
    """Which labels (M,) are None, NaN or what else stands for a value that is not known."""
    if labels.dtype.kind == "f":
        missing: np.ndarray = np.isnan(labels)
        return missing
    if labels.dtype.kind in "mM":
        missing = np.isnat(labels)
        return missing
    if labels.dtype != object:
        return np.zeros(len(labels), dtype=bool)

    def unknown(label: Any) -> bool:
        try:
            return label is None or bool(label != label)
        except TypeError:  # pandas' NA is neither the same nor another
            return True
        except ValueError:  # an array: no label, but nothing that is missing
            return False

    return np.array([unknown(label) for label in labels], dtype=bool)


def check_parameters(of: str, n_features: int, n_classes: int, quadratic: bool = False) -> None:
    """Raise for parameters of so many classes and features that no training of them ends, before anything is computed.

    There must be room for two matrices of the parameters: as training sums up one, another one is what it learns.

    Parameters
    ----------
    of : str
        What is trained on, for the message.
    n_features, n_classes : int
    quadratic : bool
        Whether there are two parameters for each feature and class.

    Examples
    --------
    >>> check_parameters("y", 2, 100_000)
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: y has 100000 different labels, of which each would be a class, but at most 16384 can be ...
    """
    if n_classes > MOST_CLASSES:
        raise InputError(
            f"{of} has {n_classes} different labels, of which each would be a class, but at most {MOST_CLASSES} can be learnt; if "
            "the labels are measurements, put them into a few intervals, as with numpy.digitize"
        )
    n_bytes = 2 * 8 * (1 + n_features * (1 + quadratic)) * n_classes
    try:
        if n_bytes > _LARGE:
            mmap.mmap(-1, n_bytes).close()
    except (MemoryError, OSError, OverflowError, ValueError) as error:  # the last two beyond what can be addressed
        raise InputError(
            f"{of} has {n_features} features: training the parameters for {n_classes} classes would take "
            f"{n_bytes * 1e-9:,.0f} GB, more than this computer has; leave out the columns that hold nothing, or hash the "
            "features into fewer columns (of a corpus on disk: `lxmls-day1 cache --hash 18`)"
        ) from error


def check_same_kind(labels: np.ndarray, others: np.ndarray, names: str) -> None:
    """Raise for labels (M,) and others (N,) of two kinds, as numbers and texts, or numbers and dates: none are equal, "1" and 1 neither.

    Examples
    --------
    >>> check_same_kind(np.array(["0", "1"]), np.array([0, 1]), "true and predicted labels")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: true and predicted labels must be of the same kind, but the former include '0' and ...
    """
    if len(labels) and len(others) and (kind := _kind(labels[0])) != (other := _kind(others[0])):
        raise InputError(
            f"{names} must be of the same kind, but the former include {shown(labels[0])} and the latter "
            f"{shown(others[0])}; {kind} and {other} are never the same label"
        )


def _kind(label: Any) -> str:
    """What a label is, for a message; labels of one kind can be compared."""
    if isinstance(label, str):
        return "a text"
    if isinstance(label, bytes):
        return "bytes"
    if isinstance(label, (Number, np.bool_)) and not isinstance(label, np.timedelta64):
        return "a number"
    return f"a {type(label).__name__}"


def check_params(params: Any) -> np.ndarray:
    """Parameters as a float64 matrix (J + 1, K), whatever numbers it holds: each use of it tells what is not finite. For anything
    else an :class:`InputError`.

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


def check_finite_params(params: Any, rules_out: bool = False) -> np.ndarray:
    """:func:`check_params`, and an error for parameters (J + 1, K) that are not finite; with ``rules_out`` −∞ may be among them.

    Examples
    --------
    >>> check_finite_params([[0.0, -np.inf]], rules_out=True)
    array([[  0., -inf]])
    >>> check_finite_params([[0.0, -np.inf]])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: params must be finite, but params[0, 1] is -inf; train the classifier again
    """
    matrix = check_params(params)
    if not all_finite(matrix):
        allowed = np.isfinite(matrix) | (np.isneginf(matrix) & rules_out)
        if not allowed.all():
            row, column = np.argwhere(~allowed)[0]
            raise InputError(
                f"params must be finite, but params[{row}, {column}] is {matrix[row, column]}; train the classifier again"
            )
    return matrix


def check_costs(cost: Any, n_classes: int) -> np.ndarray:
    """The matrix ρ (K, K), with ``cost[p, y]`` the cost of predicting class p where y is true; None is the 0/1 cost.

    Raises
    ------
    InputError
        For a wrong shape, a negative or non-finite entry, or a non-zero diagonal.

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
    """A hyper-parameter as a number in its range, or an error that names it.

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
    """A setting that is on or off, or an error that names it: a text such as "no" would count as on.

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


def as_list(values: Any, wanted: str) -> list[Any]:
    """The members of a sequence, an array or another iterable; an error that begins with what was wanted for all else.

    A text is no list of its letters.

    Examples
    --------
    >>> as_list(("a", "b"), "feature_names must be a list of names")
    ['a', 'b']
    >>> as_list("ab", "feature_names must be a list of names")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: feature_names must be a list of names, but is 'ab'
    """
    try:
        if isinstance(values, Iterable) and not isinstance(values, (str, bytes, bytearray)):
            return list(values)
    except TypeError:  # an array of no dimension
        pass
    raise InputError(f"{wanted}, but is {values!r}")


def check_offers(value: Any, wanted: str, names: Sequence[str]) -> None:
    """Raise for what does not have the attributes of a data set or a classifier; the message begins with what was wanted.

    Examples
    --------
    >>> check_offers("books", "data must be a data set such as SimpleDataSet()", ["train_X", "train_y"])
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: data must be a data set such as SimpleDataSet(), but 'books' has no train_X
    """
    if isinstance(value, type):
        raise InputError(f"{wanted}, but is the class {value.__name__}; create one with {value.__name__}()")
    for name in names:
        if not hasattr(value, name):
            raise InputError(f"{wanted}, but {value!r} has no {name}")


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> Any:
    """A setting that is one of some words, or one of True and False where these are among them; or an error that names it and them.

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
    return value


def random_numbers(seed: Any) -> np.random.Generator:
    """The generator of random numbers that a seed stands for: a whole number from 0 on, or whatever else NumPy takes.

    Examples
    --------
    >>> random_numbers(1).integers(10)
    np.int64(4)
    >>> random_numbers(-1)
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: seed must be a whole number of at least 0, but is -1
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InputError(f"seed must be a whole number of at least 0, but is {seed!r}") from error


def shown(label: Any) -> str:
    """A label as an error message prints it: 3, not np.int64(3).

    Examples
    --------
    >>> shown(np.int64(3)), shown("yes")
    ('3', "'yes'")
    """
    return repr(label.item() if isinstance(label, np.generic) else label)


def listed(labels: Sequence[Any] | np.ndarray, most: int = 10) -> str:
    """Labels (M,) for an error message, the first few of many.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(np.arange(20), most=3)
    ("'a', 'b', 'c'", '0, 1, 2, … (20 in all)')
    """
    some = ", ".join(shown(label) for label in labels[:most])
    return some if len(labels) <= most else f"{some}, … ({len(labels)} in all)"
