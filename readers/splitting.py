"""Split a data set into training, development and test part: contiguous, in this order.

With shares (a, b, c) of M examples the parts end at ⌊aM⌋, ⌊(a + b)M⌋ and ⌊(a + b + c)M⌋. The *ends* are rounded, not
the sizes, so shares that sum to one use every example. If the shares sum to less, the last examples are not used.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lxmls_day1.lab_api import InputError, as_numbers, check_number

PARTS = ("train", "dev", "test")
_ROUNDING = 1e-9  # 0.29 * 100 is 28.999999999999996, and 0.8 + 0.1 + 0.1 may be a little above 1


def split_ends(nr_examples: int, split: Sequence[float]) -> tuple[int, int, int]:
    """Return the ends of the training, the development and the test part.

    Parameters
    ----------
    nr_examples : int
        M, the number of examples.
    split : sequence of three floats
        The shares of training, development and test part, each in [0, 1], with a sum of at most 1.

    Returns
    -------
    tuple of int
        ``(train_end, dev_end, test_end)``: the parts are ``[0:train_end]``, ``[train_end:dev_end]``,
        ``[dev_end:test_end]``.

    Raises
    ------
    InputError
        If there are not three shares, a share is negative or not a number, the sum is above 1, the training part is
        empty, or another part is empty although its share is not 0.

    Examples
    --------
    >>> split_ends(2000, (0.8, 0, 0.2))
    (1600, 1600, 2000)
    """
    nr_examples = check_number("nr_examples", nr_examples, at_least=0, whole=True)
    shares = checked_shares(split)
    ends = [
        min(nr_examples, math.floor(sum(shares[: i + 1]) * nr_examples + _ROUNDING * max(1, nr_examples)))
        for i in range(len(PARTS))
    ]
    for part, share, start, end in zip(PARTS, shares, [0, *ends], ends, strict=False):
        if start == end and (share > 0 or part == "train"):
            raise InputError(
                f"the {part} part would be empty: a share of {share:g} of {nr_examples} example{'s' * (nr_examples != 1)}; "
                f"give it a larger share, or use more examples"
            )
    return ends[0], ends[1], ends[2]


def checked_shares(split: Sequence[float]) -> list[float]:
    """Return the shares of training, development and test part as three numbers ≥ 0 whose sum is at most 1.

    Raises
    ------
    InputError
        For anything else.

    Examples
    --------
    >>> checked_shares((0.8, 0, 0.2))
    [0.8, 0.0, 0.2]
    >>> checked_shares((0.8, 0.2, 0.2))
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: the shares of train, dev and test must sum to at most 1, got [0.8, 0.2, 0.2] with sum 1.2
    """
    wanted = "split must be three shares (train, dev, test), for example (0.8, 0, 0.2)"
    numbers = as_numbers(split, wanted)
    if numbers.shape != (len(PARTS),):
        raise InputError(f"{wanted}, got {split!r}")
    shares: list[float] = numbers.tolist()
    for part, share in zip(PARTS, shares, strict=True):
        if not 0 <= share < math.inf:
            raise InputError(f"the {part} share must be 0 or more, got {share}; give for example split=(0.8, 0, 0.2)")
    if sum(shares) > 1 + _ROUNDING:
        raise InputError(
            f"the shares of train, dev and test must sum to at most 1, got {shares} with sum {sum(shares):g}"
        )
    return shares


def split_train_dev_test(X: Any, y: Any, split: Sequence[float] = (0.8, 0.0, 0.2)) -> tuple[Any, ...]:
    """Split examples and labels into training, development and test part.

    Parameters
    ----------
    X : array or sparse array of shape (M, J)
        One example per row.
    y : array of shape (M,)
        The labels of the examples.
    split : sequence of three floats
        The shares of training, development and test part. A share of 0 gives an empty part (not allowed for training).

    Returns
    -------
    tuple
        ``(train_X, train_y, dev_X, dev_y, test_X, test_y)``, slices of `X` and `y`.

    Raises
    ------
    InputError
        If `X` and `y` differ in length, or the shares are invalid (see `split_ends`).

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(10).reshape(5, 2), np.array([0, 1, 0, 1, 0])
    >>> train_X, train_y, dev_X, dev_y, test_X, test_y = split_train_dev_test(X, y, (0.6, 0.2, 0.2))
    >>> train_y, dev_y, test_y
    (array([0, 1, 0]), array([1]), array([0]))
    """
    try:
        X, y = (part if hasattr(part, "shape") else np.array(part) for part in (X, y))
    except ValueError as error:
        raise InputError(f"X (M, J) and y (M,) must be arrays, or lists that can become arrays: {error}") from error
    if X.ndim != 2 or y.ndim < 1 or X.shape[0] != len(y):
        raise InputError(
            f"X (M, J) and y (M,) must describe the same examples, but have the shapes {X.shape} and {y.shape}"
        )
    train_end, dev_end, test_end = split_ends(X.shape[0], split)
    train, dev, test = slice(0, train_end), slice(train_end, dev_end), slice(dev_end, test_end)
    return X[train], y[train], X[dev], y[dev], X[test], y[test]
