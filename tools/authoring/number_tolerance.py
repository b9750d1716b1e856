"""A comparison of texts with numbers: words must be equal, and numbers must be equal up to rounding."""

import re

# Digits that are not part of a name (x1, utf-8) and, after a point or with an exponent, a measured number.
_NUMBER = re.compile(r"(?<![\w.])[-−+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?(?![\w])")


def same_text(expected: str, actual: str, units: float = 1.5) -> bool:
    """Return True if two texts are equal, or differ only in spaces and in the last digits of measured numbers.

    Parameters
    ----------
    expected, actual : str
    units : float
        Two numbers are equal if they differ by at most `units` in the last decimal of the expected number.
        Integers are counts, and must be equal exactly.

    Returns
    -------
    bool

    Examples
    --------
    >>> same_text("train 0.812, 37 mistakes", "train 0.813, 37 mistakes")
    True
    >>> same_text("train 0.812, 37 mistakes", "train 0.815, 37 mistakes")
    False
    >>> same_text("train 0.812, 37 mistakes", "train 0.812, 38 mistakes")
    False
    """
    if expected == actual:
        return True
    if _words(expected) != _words(actual):
        return False
    expected_numbers, got_numbers = _NUMBER.findall(expected), _NUMBER.findall(actual)
    return len(expected_numbers) == len(got_numbers) and all(
        _same_number(a, b, units) for a, b in zip(expected_numbers, got_numbers, strict=True)
    )


def _words(text: str) -> list[str]:
    """Return the words without numbers and spaces, because the width of a space may change with the sign of a number."""
    return _NUMBER.sub(" # ", text).split()


def _same_number(expected: str, actual: str, units: float) -> bool:
    if expected == actual:
        return True
    mantissa, _, exponent = expected.lower().partition("e")
    _, point, decimals = mantissa.partition(".")
    if not point and not exponent:
        return False
    last_digit = 10.0 ** (int(exponent or 0) - len(decimals))
    return abs(_value(expected) - _value(actual)) <= units * last_digit * (1 + 1e-9)


def _value(number: str) -> float:
    return float(number.replace("−", "-"))
