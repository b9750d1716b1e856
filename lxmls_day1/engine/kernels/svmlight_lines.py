"""A compiled parser for lines of svmlight features. Lines and numbers that it cannot convert exactly are left to Python.

A number of up to 19 digits m · 10^e with |e| ≤ 22 is rounded as exactly as in Python. The power is exact in float64; m and its
product or quotient with the power are pairs of float64 (T. J. Dekker, A floating-point technique for extending the available
precision, 1971). If the sum of a pair is so near the midpoint of two neighbouring float64 that the error of the pair
matters, the number is left to Python.
"""

import numpy as np

from lxmls_day1.engine.kernels.primitives import kernel

_POWERS = np.array([10.0**e for e in range(23)])
_SPLIT = 134217729.0  # 2^27 + 1
_RELATIVE_ERROR_BOUND = 2.0**-40  # bound of the error of a pair, relative to its smaller number
_MAX_DIGITS = 19  # This many digits fit into uint64.

#: Indices of the parser's state: the position in the content; the lines, rows, entries, and values left to Python so far.
AT, LINES, ROWS, ENTRIES, LEFT = range(5)


@kernel(forceinline=True)
def _product_error(a, b, product):
    """Return a b − product exactly, by splitting a and b into halves."""
    c = _SPLIT * a
    a_high = c - (c - a)
    a_low = a - a_high
    c = _SPLIT * b
    b_high = c - (c - b)
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@kernel()
def _rounded(digits, exponent):
    """Return digits · 10^exponent rounded to float64, or NaN if the rounding is uncertain."""
    high = np.float64(digits)
    low = np.float64(np.int64(digits - np.uint64(high))) if high < 18446744073709551615.0 else np.nan
    if abs(exponent) >= len(_POWERS):
        return 0.0 if digits == np.uint64(0) else np.nan
    power = _POWERS[abs(exponent)]
    if exponent >= 0:
        near = high * power
        rest = _product_error(high, power, near) + low * power
    else:
        near = high / power
        product = near * power
        rest = ((high - product) - _product_error(near, power, product) + low) / power
    slack = abs(rest) * _RELATIVE_ERROR_BOUND
    rounded = near + rest
    return rounded if near + (rest - slack) == rounded and near + (rest + slack) == rounded else np.nan


@kernel()
def _number_at(content, i):
    """Return the number that begins at i, and its end.

    The number is NaN if Python must convert it. The end is −1 if no number begins at i.
    """
    end, negative = len(content), False
    if i < end and (content[i] == 43 or content[i] == 45):  # + and -
        negative = content[i] == 45
        i += 1
    digits, n_digits, n_seen, exponent, after_point = np.uint64(0), 0, 0, 0, False
    while i < end:
        c = np.int64(content[i])
        if 48 <= c <= 57:
            n_seen += 1
            n_digits += n_digits > 0 or c > 48
            if n_digits <= _MAX_DIGITS:
                digits = digits * np.uint64(10) + np.uint64(c - 48)
                exponent -= after_point
        elif c == 46 and not after_point:
            after_point = True
        else:
            break
        i += 1
    if n_seen == 0:
        return 0.0, -1
    if i < end and (content[i] == 101 or content[i] == 69):  # e and E
        i += 1
        sign, own, n_own = 1, 0, 0
        if i < end and (content[i] == 43 or content[i] == 45):
            sign = -1 if content[i] == 45 else 1
            i += 1
        while i < end and 48 <= content[i] <= 57:
            own = min(10 * own + np.int64(content[i]) - 48, 100_000)
            n_own += 1
            i += 1
        if n_own == 0:
            return 0.0, -1
        exponent += sign * own
    if n_digits > _MAX_DIGITS:
        return np.nan, i
    value = _rounded(digits, exponent)
    return (-value if negative else value), i


@kernel()
def _integer_at(content, i):
    """Return the integer of 1 to 18 digits that begins at i, and its end; the end is −1 if no such integer begins at i."""
    first, number = i, 0
    while i < len(content) and 48 <= content[i] <= 57 and i - first < 19:
        number = 10 * number + np.int64(content[i]) - 48
        i += 1
    return number, i if 0 < i - first < 19 else -1


@kernel()
def _skip_blanks(content, i):
    while i < len(content) and (content[i] == 32 or content[i] == 9 or content[i] == 13):
        i += 1
    return i


@kernel()
def _is_line_end(content, i):
    """Return True if the features of a line end here, with the line or with a comment."""
    return i >= len(content) or content[i] == 10 or content[i] == 35


@kernel()
def _is_field_end(content, i):
    """Return True if a field ends here."""
    return _is_line_end(content, i) or content[i] == 32 or content[i] == 9 or content[i] == 13


def _parse_nothing(content, state, labels, lines, indptr, indices, values, left):
    """Parse nothing: without numba, Python reads every line."""


@kernel(_parse_nothing)
def parse_lines(content, state, labels, lines, indptr, indices, values, left):
    """Parse lines up to the end, or up to the first line that is left to Python.

    Parameters
    ----------
    content : uint8 array
        Whole lines in UTF-8.
    state : int64 array (5,)
        The state, with the indices `AT` … `LEFT`; changed in place.
    labels, lines, indptr : arrays with room for each row
        The label of each row, its line number, and the end of its entries.
    indices, values : int64 and float64 arrays with room for each entry
    left : int64 array (n, 3) with room for each entry
        For each value left to Python (NaN so far): the index of its entry, and the start and end of its text.
    """
    while state[AT] < len(content):
        i = _skip_blanks(content, state[AT])
        entry, n_left, last = state[ENTRIES], state[LEFT], np.int64(-1)
        if not _is_line_end(content, i):
            labels[state[ROWS]], i = _number_at(content, i)
            if i < 0 or labels[state[ROWS]] != labels[state[ROWS]] or not _is_field_end(content, i):
                return
            i = _skip_blanks(content, i)
            if not _is_line_end(content, i) and content[i] == 113:  # qid:
                if i + 4 > len(content) or content[i + 1] != 105 or content[i + 2] != 100 or content[i + 3] != 58:
                    return
                _, i = _integer_at(content, i + 4)
                if i < 0 or not _is_field_end(content, i):
                    return
                i = _skip_blanks(content, i)
            while not _is_line_end(content, i):
                index, i = _integer_at(content, i)
                if i < 0 or index <= last or i >= len(content) or content[i] != 58:
                    return
                begin = i + 1
                value, i = _number_at(content, begin)
                if i < 0 or not _is_field_end(content, i):
                    return
                last = index
                if value != value:
                    left[n_left, 0], left[n_left, 1], left[n_left, 2] = entry, begin, i
                    n_left += 1
                if value != 0.0:
                    indices[entry], values[entry] = index, value
                    entry += 1
                i = _skip_blanks(content, i)
            lines[state[ROWS]] = state[LINES]
            state[ROWS] += 1
            indptr[state[ROWS]] = entry
        while i < len(content) and content[i] != 10:
            i += 1
        state[AT], state[ENTRIES], state[LEFT] = i + 1, entry, n_left
        state[LINES] += 1
