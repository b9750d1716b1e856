"""The row primitives that all compiled learning is made of: s = g(x)ᵀ V and V ← V + g(x) dᵀ, for a row of a matrix.

Second-order learners have two of their own, with a variance Σ_jk for each weight: `score_confident_row` and `add_confident_row`.

The matrix is a CSR one, or a dense one: then ``data`` has two dimensions, and ``indptr`` and ``indices`` are not looked at. numba
knows when it compiles which of the two it is.

``V`` has shape ``(J + 1, K)``, row-major, so that the K weights of one feature lie side by side; row 0 is the intercept. That of
second-order learners has shape ``(J + 1, 2, K)``: behind the weights of each feature lie their variances, in the same or the next
line of the cache.
"""

import numpy as np

from lxmls_day1.engine.kernels.primitives import COMPILES, kernel

if COMPILES:
    from lxmls_day1.engine.kernels.intrinsics import (
        add_multiple,
        add_product,
        at_least,
        four_zeros,
        load_four,
        prefetch,
        store_four,
    )

# A row primitive is inlined into its callers, and holds nothing whose references numba would have to count
# (each count is an atomic operation, as dear as ten multiplications). "contract" lets a product be fused into its sum.
ROW_PRIMITIVE = {"forceinline": True, "_nrt": False, "fastmath": {"contract"}}
LINE = 64  # bytes of a cache line
LEAST_VARIANCE = 1e-150  # of a weight: its inverse, the precision, is finite
NEAR = 2**17  # numbers (1 MB of them) that a processor keeps at hand by itself
_FIRST_ENTRIES = 96  # of a sparse row: the processor fetches the rest of a long one by itself


@kernel(**ROW_PRIMITIVE)
def _first(indptr, data, m):
    """The number of the first entry of a row."""
    if data.ndim == 2:
        return np.uint64(0)
    return np.uint64(indptr[m])


@kernel(**ROW_PRIMITIVE)
def _end(indptr, data, m):
    """One more than the number of the last entry of a row."""
    if data.ndim == 2:
        return np.uint64(data.shape[1])
    return np.uint64(indptr[m + 1])


@kernel(**ROW_PRIMITIVE)
def _value(data, m, i):
    """The i-th entry, which is one of row m."""
    if data.ndim == 2:
        return np.float64(data[np.uint64(m), i])
    return np.float64(data[i])


@kernel(**ROW_PRIMITIVE)
def _feature(indices, data, i):
    """The row of V for the feature of the i-th entry."""
    if data.ndim == 2:
        return i + np.uint64(1)
    return np.uint64(np.uint32(indices[i])) + np.uint64(1)


@kernel(**ROW_PRIMITIVE)
def _place(indices, data, i, n_classes, k):
    """Where the weight for class ``k`` of the i-th entry's feature lies, counted through the rows of V."""
    return _feature(indices, data, i) * n_classes + k


@kernel(**ROW_PRIMITIVE)
def _weights_of_four(indices, data, i, V):
    """The weights of the feature of the i-th entry for all of four classes."""
    return load_four(V, _place(indices, data, i, np.uint64(4), np.uint64(0)))


@kernel(**ROW_PRIMITIVE)
def score_row(indptr, indices, data, m, V, scores):
    """scores ← g(x_m)ᵀ V, shape (K,): of up to four classes summed in registers.

    Every class is summed in the same order, so that two columns with the same numbers have the same score.
    """
    # Unsigned indices need no check for a wrap-around, and V[j, k] no view of a row: both matter here.
    start, stop, n_classes = _first(indptr, data, m), _end(indptr, data, m), np.uint64(V.shape[1])
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    intercept, k = np.uint64(0), np.uint64(0)
    if n_classes > four:
        for column in range(n_classes):
            scores[column] = V[intercept, column]
        for i in range(start, stop):
            j, value = _feature(indices, data, i), _value(data, m, i)
            for column in range(n_classes):
                scores[column] += value * V[j, column]
        return
    if n_classes == four:
        # Four sums, of every fourth feature each, need not wait for one another.
        sum0, sum1, sum2, sum3 = load_four(V, k), four_zeros(), four_zeros(), four_zeros()
        last = stop - (stop - start) % four
        for i in range(start, last, four):
            sum0 = add_multiple(sum0, _value(data, m, i), _weights_of_four(indices, data, i, V))
            sum1 = add_multiple(sum1, _value(data, m, i + one), _weights_of_four(indices, data, i + one, V))
            sum2 = add_multiple(sum2, _value(data, m, i + two), _weights_of_four(indices, data, i + two, V))
            sum3 = add_multiple(sum3, _value(data, m, i + three), _weights_of_four(indices, data, i + three, V))
        for i in range(last, stop):
            sum0 = add_multiple(sum0, _value(data, m, i), _weights_of_four(indices, data, i, V))
        sum0, sum2 = add_multiple(sum0, 1.0, sum1), add_multiple(sum2, 1.0, sum3)
        store_four(scores, k, add_multiple(sum0, 1.0, sum2))
        return
    if k + two <= n_classes:
        k1 = k + one
        s0, s1 = V[intercept, k], V[intercept, k1]
        for i in range(start, stop):
            j, value = _feature(indices, data, i), _value(data, m, i)
            s0 += value * V[j, k]
            s1 += value * V[j, k1]
        scores[k], scores[k1] = s0, s1
        k += two
    if n_classes == one:
        # The column of two classes has none to be compared with: four sums, of every fourth feature each, need not wait
        # for one another.
        s0, s1, s2, s3 = V[intercept, k], 0.0, 0.0, 0.0
        last = stop - (stop - start) % four
        for i in range(start, last, four):
            s0 += _value(data, m, i) * V[_feature(indices, data, i), k]
            s1 += _value(data, m, i + one) * V[_feature(indices, data, i + one), k]
            s2 += _value(data, m, i + two) * V[_feature(indices, data, i + two), k]
            s3 += _value(data, m, i + three) * V[_feature(indices, data, i + three), k]
        for i in range(last, stop):
            s0 += _value(data, m, i) * V[_feature(indices, data, i), k]
        scores[k] = (s0 + s1) + (s2 + s3)
    elif k < n_classes:
        s0 = V[intercept, k]
        for i in range(start, stop):
            s0 += _value(data, m, i) * V[_feature(indices, data, i), k]
        scores[k] = s0


@kernel(**ROW_PRIMITIVE)
def add_row(indptr, indices, data, m, d, factor, V):
    """V ← V + factor · g(x_m) dᵀ. Returns whether ``d`` had a non-zero entry; two of them touch two columns only."""
    n_classes = np.uint64(V.shape[1])
    nonzero = 0
    for k in range(n_classes):
        nonzero += d[k] != 0.0
    if nonzero == 0:
        return False
    start, stop, intercept = _first(indptr, data, m), _end(indptr, data, m), np.uint64(0)
    one, four = np.uint64(1), np.uint64(4)
    if n_classes == 1:
        d1 = factor * d[intercept]
        V[intercept, intercept] += d1
        for i in range(start, stop):
            V[_feature(indices, data, i), intercept] += _value(data, m, i) * d1
    elif nonzero == 2 and n_classes != four:
        first, second = intercept, n_classes - one
        while d[first] == 0.0:
            first += one
        while d[second] == 0.0:
            second -= one
        d1, d2 = factor * d[first], factor * d[second]
        V[intercept, first] += d1
        V[intercept, second] += d2
        for i in range(start, stop):
            j, value = _feature(indices, data, i), _value(data, m, i)
            V[j, first] += value * d1
            V[j, second] += value * d2
    elif n_classes == four:
        change = add_multiple(four_zeros(), factor, load_four(d, intercept))
        store_four(V, intercept, add_multiple(load_four(V, intercept), 1.0, change))
        for i in range(start, stop):
            at = _place(indices, data, i, n_classes, intercept)
            store_four(V, at, add_multiple(load_four(V, at), _value(data, m, i), change))
    else:
        for k in range(n_classes):
            V[intercept, k] += factor * d[k]
        for i in range(start, stop):
            j, value = _feature(indices, data, i), factor * _value(data, m, i)
            for k in range(n_classes):
                V[j, k] += value * d[k]
    return True


@kernel(**ROW_PRIMITIVE)
def score_confident_row(indptr, indices, data, m, V, scores, variances):
    """scores ← g(x_m)ᵀ W and variances ← (g(x_m) ∘ g(x_m))ᵀ Σ, shape (K,) both, in one pass; ``V`` has both, see above.

    Every class is summed in the same order, eight, four or one class at a time.
    """
    start, stop, n_classes = _first(indptr, data, m), _end(indptr, data, m), np.uint64(V.shape[2])
    one, two, three, four, eight = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(8)
    intercept, k, row = np.uint64(0), np.uint64(0), two * n_classes
    while k + eight <= n_classes:
        low, high = load_four(V, k), load_four(V, k + four)
        low_v, high_v = load_four(V, n_classes + k), load_four(V, n_classes + k + four)
        for i in range(start, stop):
            at, value = _place(indices, data, i, row, k), _value(data, m, i)
            square = value * value
            low = add_multiple(low, value, load_four(V, at))
            high = add_multiple(high, value, load_four(V, at + four))
            low_v = add_multiple(low_v, square, load_four(V, at + n_classes))
            high_v = add_multiple(high_v, square, load_four(V, at + n_classes + four))
        store_four(scores, k, low)
        store_four(scores, k + four, high)
        store_four(variances, k, low_v)
        store_four(variances, k + four, high_v)
        k += eight
    # Several sums, of every second or fourth feature each, need not wait for one another. (More classes than these would have to be
    # summed in the same order.)
    if k + four <= n_classes:
        even, even_v, odd, odd_v = load_four(V, k), load_four(V, n_classes + k), four_zeros(), four_zeros()
        last = stop - (stop - start) % two if n_classes == four else start
        for i in range(start, last, two):
            at, value = _place(indices, data, i, row, k), _value(data, m, i)
            even = add_multiple(even, value, load_four(V, at))
            even_v = add_multiple(even_v, value * value, load_four(V, at + n_classes))
            at, value = _place(indices, data, i + one, row, k), _value(data, m, i + one)
            odd = add_multiple(odd, value, load_four(V, at))
            odd_v = add_multiple(odd_v, value * value, load_four(V, at + n_classes))
        for i in range(last, stop):
            at, value = _place(indices, data, i, row, k), _value(data, m, i)
            even = add_multiple(even, value, load_four(V, at))
            even_v = add_multiple(even_v, value * value, load_four(V, at + n_classes))
        store_four(scores, k, add_multiple(even, 1.0, odd))
        store_four(variances, k, add_multiple(even_v, 1.0, odd_v))
        k += four
    last = stop - (stop - start) % four if n_classes < four else start
    for column in range(k, n_classes):
        s0, s1, s2, s3 = V[intercept, intercept, column], 0.0, 0.0, 0.0
        v0, v1, v2, v3 = V[intercept, one, column], 0.0, 0.0, 0.0
        for i in range(start, last, four):
            j, value = _feature(indices, data, i), _value(data, m, i)
            s0 += value * V[j, intercept, column]
            v0 += value * value * V[j, one, column]
            j, value = _feature(indices, data, i + one), _value(data, m, i + one)
            s1 += value * V[j, intercept, column]
            v1 += value * value * V[j, one, column]
            j, value = _feature(indices, data, i + two), _value(data, m, i + two)
            s2 += value * V[j, intercept, column]
            v2 += value * value * V[j, one, column]
            j, value = _feature(indices, data, i + three), _value(data, m, i + three)
            s3 += value * V[j, intercept, column]
            v3 += value * value * V[j, one, column]
        for i in range(last, stop):
            j, value = _feature(indices, data, i), _value(data, m, i)
            s0 += value * V[j, intercept, column]
            v0 += value * value * V[j, one, column]
        scores[column], variances[column] = (s0 + s1) + (s2 + s3), (v0 + v1) + (v2 + v3)


@kernel(**ROW_PRIMITIVE)
def _move(j, k, value, change, change_of_sum, shrink, V, U):
    """A step of one weight, its running sum and its variance, along an entry ``value`` of g(x)."""
    mean, spread = np.uint64(0), np.uint64(1)
    variance = V[j, spread, k]
    direction = variance * value
    V[j, mean, k] += change * direction
    if len(U) > 0:
        U[j, k] += change_of_sum * direction
    V[j, spread, k] = max(variance - shrink * direction * direction, LEAST_VARIANCE)


@kernel(**ROW_PRIMITIVE)
def _add_to_column(indptr, indices, data, m, k, d, b, factor, sum_factor, V, U):
    """The part of `add_confident_row` for one class."""
    change, change_of_sum = factor * d, sum_factor * d
    _move(np.uint64(0), k, 1.0, change, change_of_sum, b, V, U)
    for i in range(_first(indptr, data, m), _end(indptr, data, m)):
        _move(_feature(indices, data, i), k, _value(data, m, i), change, change_of_sum, b, V, U)


@kernel(**ROW_PRIMITIVE)
def _add_to_two_columns(indptr, indices, data, m, first, second, d, b, factor, sum_factor, V, U):
    """The part of `add_confident_row` for two classes."""
    d1, d2, b1, b2 = d[first], d[second], b[first], b[second]
    c1, c2, u1, u2 = factor * d1, factor * d2, sum_factor * d1, sum_factor * d2
    _move(np.uint64(0), first, 1.0, c1, u1, b1, V, U)
    _move(np.uint64(0), second, 1.0, c2, u2, b2, V, U)
    for i in range(_first(indptr, data, m), _end(indptr, data, m)):
        j, value = _feature(indices, data, i), _value(data, m, i)
        _move(j, first, value, c1, u1, b1, V, U)
        _move(j, second, value, c2, u2, b2, V, U)


@kernel(**ROW_PRIMITIVE)
def _move_four(j, value, change, change_of_sum, shrink, V, U):
    """As `_move`, the four classes of which there are no others."""
    four = np.uint64(4)
    at = j * np.uint64(8)
    variance = load_four(V, at + four)
    direction = add_multiple(four_zeros(), value, variance)
    store_four(V, at, add_product(load_four(V, at), change, direction))
    if len(U) > 0:
        store_four(U, j * four, add_product(load_four(U, j * four), change_of_sum, direction))
    lost = add_product(four_zeros(), shrink, direction)
    store_four(V, at + four, at_least(add_product(variance, lost, direction), LEAST_VARIANCE))


@kernel(**ROW_PRIMITIVE)
def _add_to_four_columns(indptr, indices, data, m, d, b, factor, sum_factor, V, U):
    """The part of `add_confident_row` for all of four classes."""
    none = np.uint64(0)
    change = add_multiple(four_zeros(), factor, load_four(d, none))
    change_of_sum = add_multiple(four_zeros(), sum_factor, load_four(d, none))
    shrink = add_multiple(four_zeros(), -1.0, load_four(b, none))
    _move_four(none, 1.0, change, change_of_sum, shrink, V, U)
    for i in range(_first(indptr, data, m), _end(indptr, data, m)):
        _move_four(_feature(indices, data, i), _value(data, m, i), change, change_of_sum, shrink, V, U)


@kernel(**ROW_PRIMITIVE)
def add_confident_row(indptr, indices, data, m, d, b, factor, sum_factor, V, U):
    """W_k ← W_k + factor · d_k Σ_k ∘ g(x_m), the same with ``sum_factor`` for U, then Σ_k ← Σ_k − b_k (Σ_k ∘ g(x_m))².

    Returns whether ``d`` or ``b`` had a non-zero entry. A U of no rows is left alone. No variance falls below `LEAST_VARIANCE`.
    """
    n_classes, touched = np.uint64(V.shape[2]), 0
    for k in range(n_classes):
        touched += d[k] != 0.0 or b[k] != 0.0
    if touched == 0:
        return False
    if n_classes == np.uint64(4):
        _add_to_four_columns(indptr, indices, data, m, d, b, factor, sum_factor, V, U)
    elif touched == 2:  # nearly always, and then the row is gone through once
        first, second = np.uint64(0), n_classes - np.uint64(1)
        while d[first] == 0.0 and b[first] == 0.0:
            first += np.uint64(1)
        while d[second] == 0.0 and b[second] == 0.0:
            second -= np.uint64(1)
        _add_to_two_columns(indptr, indices, data, m, first, second, d, b, factor, sum_factor, V, U)
    else:
        for k in range(n_classes):
            _add_to_column(indptr, indices, data, m, k, d[k], b[k], factor, sum_factor, V, U)
    return True


@kernel(**ROW_PRIMITIVE)
def prefetch_row(indptr, indices, data, m):
    """Have the entries of a row fetched while something else is done."""
    if data.ndim == 2:
        start = m * data.shape[1]
        for i in range(start, start + data.shape[1], LINE // data.itemsize):
            prefetch(data, i)
    else:
        start, stop = indptr[m], min(indptr[m + 1], indptr[m] + _FIRST_ENTRIES)
        for i in range(start, stop, LINE // indices.itemsize):
            prefetch(indices, i)
        for i in range(start, stop, LINE // data.itemsize):
            prefetch(data, i)


@kernel(**ROW_PRIMITIVE)
def prefetch_weights(indptr, indices, m, weights, n_numbers):
    """Have the weights of the features of a sparse row fetched; ``weights`` is V, flat, with so many numbers a feature."""
    for i in range(indptr[m], indptr[m + 1]):
        row = (np.int64(indices[i]) + 1) * n_numbers
        for k in range(row, row + n_numbers, LINE // 8):
            prefetch(weights, k)


@kernel(**ROW_PRIMITIVE)
def prefetch_coming(indptr, indices, data, sq_norms, labels, order, n, near):
    """Have rows of the steps that come after step n fetched, if there are more than ``near`` numbers: they come in a random order.

    ``labels`` (M,) can be any other numbers of which a step reads that of its row.
    """
    if data.size > near and n + 8 < len(order):
        if data.ndim == 1:
            prefetch(indptr, order[n + 8])
        prefetch(labels, order[n + 8])
        prefetch(sq_norms, order[n + 8])
        prefetch_row(indptr, indices, data, order[n + 4])
