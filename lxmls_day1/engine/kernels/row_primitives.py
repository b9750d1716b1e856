"""The row primitives of all compiled learning: s = g(x)ᵀ V and V ← V + g(x) dᵀ, for a row of a matrix.

Second-order learners, which have a variance Σ_jk for each weight, use `score_row_with_variances` and `add_row_with_variances`.

The matrix is in CSR format or dense. If it is dense, ``data`` has two dimensions, and ``indptr`` and ``indices`` are not used.
The choice is made at compile time.

``V`` has shape ``(J + 1, K)``, row-major, so that the K weights of one feature are adjacent; row 0 is the intercept. For
second-order learners it has shape ``(J + 1, 2, K)``: the weights of each feature are followed by their variances, in the same
or the next cache line.
"""

import numpy as np

from lxmls_day1.engine.kernels.primitives import COMPILES, kernel

if COMPILES:
    from lxmls_day1.engine.kernels.intrinsics import (
        add_multiple,
        add_product,
        clip_below,
        four_zeros,
        load_four,
        prefetch,
        store_four,
    )

# A row primitive is inlined into its callers, and contains no reference-counted objects, because each count is an atomic
# operation that costs as much as ten multiplications. "contract" allows fused multiply-add instructions.
ROW_PRIMITIVE = {"forceinline": True, "_nrt": False, "fastmath": {"contract"}}
CACHE_LINE_BYTES = 64  # bytes of a cache line
MIN_VARIANCE = 1e-150  # minimum variance of a weight, so that its inverse, the precision, is finite
CACHED_NUMBERS = 2**17  # numbers (1 MB) that fit in the processor's cache
# The number of entries of a sparse row to prefetch; the hardware prefetcher loads the rest of a long row.
_MAX_PREFETCHED_ENTRIES = 96


@kernel(**ROW_PRIMITIVE)
def _row_start(indptr, data, m):
    """Return the index of the first entry of row m."""
    if data.ndim == 2:
        return np.uint64(0)
    return np.uint64(indptr[m])


@kernel(**ROW_PRIMITIVE)
def _row_end(indptr, data, m):
    """Return the index after the last entry of row m."""
    if data.ndim == 2:
        return np.uint64(data.shape[1])
    return np.uint64(indptr[m + 1])


@kernel(**ROW_PRIMITIVE)
def _value(data, m, i):
    """Return the i-th entry, which belongs to row m."""
    if data.ndim == 2:
        return np.float64(data[np.uint64(m), i])
    return np.float64(data[i])


@kernel(**ROW_PRIMITIVE)
def _feature(indices, data, i):
    """Return the row of V for the feature of the i-th entry."""
    if data.ndim == 2:
        return i + np.uint64(1)
    return np.uint64(np.uint32(indices[i])) + np.uint64(1)


@kernel(**ROW_PRIMITIVE)
def _weight_index(indices, data, i, n_classes, k):
    """Return the index in the flattened V of the weight of class ``k`` for the feature of the i-th entry."""
    return _feature(indices, data, i) * n_classes + k


@kernel(**ROW_PRIMITIVE)
def _load_four_weights(indices, data, i, V):
    """Return the four weights of the feature of the i-th entry, if there are four classes."""
    return load_four(V, _weight_index(indices, data, i, np.uint64(4), np.uint64(0)))


@kernel(**ROW_PRIMITIVE)
def _single_weight(V, j):
    """Return weight j of a single column, which has one dimension or two."""
    if V.ndim == 1:
        return V[j]
    return V[j, np.uint64(0)]


@kernel(**ROW_PRIMITIVE)
def score_column(indptr, indices, data, m, V):
    """Return g(x_m)ᵀ v for a single column v.

    A single column is not compared with another column, so its summation order is free. Four independent sums, each of
    every fourth feature, run in parallel in the processor.
    """
    start, stop = _row_start(indptr, data, m), _row_end(indptr, data, m)
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    s0, s1, s2, s3 = _single_weight(V, np.uint64(0)), 0.0, 0.0, 0.0
    last = stop - (stop - start) % four
    for i in range(start, last, four):
        s0 += _value(data, m, i) * _single_weight(V, _feature(indices, data, i))
        s1 += _value(data, m, i + one) * _single_weight(V, _feature(indices, data, i + one))
        s2 += _value(data, m, i + two) * _single_weight(V, _feature(indices, data, i + two))
        s3 += _value(data, m, i + three) * _single_weight(V, _feature(indices, data, i + three))
    for i in range(last, stop):
        s0 += _value(data, m, i) * _single_weight(V, _feature(indices, data, i))
    return (s0 + s1) + (s2 + s3)


@kernel(**ROW_PRIMITIVE)
def score_row_in_order(indptr, indices, data, m, V, scores):
    """Compute scores ← g(x_m)ᵀ V, shape (K,), in the order of the entries: sixteen, four or one class at a time, with sums in registers."""
    start, stop, n_classes = _row_start(indptr, data, m), _row_end(indptr, data, m), np.uint64(V.shape[1])
    intercept, k, one, four = np.uint64(0), np.uint64(0), np.uint64(1), np.uint64(4)
    eight, twelve, sixteen = np.uint64(8), np.uint64(12), np.uint64(16)
    while k + sixteen <= n_classes:
        sum0, sum1 = load_four(V, k), load_four(V, k + four)
        sum2, sum3 = load_four(V, k + eight), load_four(V, k + twelve)
        for i in range(start, stop):
            at, value = _weight_index(indices, data, i, n_classes, k), _value(data, m, i)
            sum0 = add_multiple(sum0, value, load_four(V, at))
            sum1 = add_multiple(sum1, value, load_four(V, at + four))
            sum2 = add_multiple(sum2, value, load_four(V, at + eight))
            sum3 = add_multiple(sum3, value, load_four(V, at + twelve))
        store_four(scores, k, sum0)
        store_four(scores, k + four, sum1)
        store_four(scores, k + eight, sum2)
        store_four(scores, k + twelve, sum3)
        k += sixteen
    while k + four <= n_classes:
        sums = load_four(V, k)
        for i in range(start, stop):
            at = _weight_index(indices, data, i, n_classes, k)
            sums = add_multiple(sums, _value(data, m, i), load_four(V, at))
        store_four(scores, k, sums)
        k += four
    while k < n_classes:
        total = V[intercept, k]
        for i in range(start, stop):
            total += _value(data, m, i) * V[_feature(indices, data, i), k]
        scores[k] = total
        k += one


@kernel(**ROW_PRIMITIVE)
def score_row(indptr, indices, data, m, V, scores):
    """Compute scores ← g(x_m)ᵀ V, shape (K,); up to four classes are summed in registers.

    All classes are summed in the same order, so that two columns with equal numbers have equal scores. A single column may
    have one dimension: then the code for other numbers of classes is not compiled.
    """
    if V.ndim == 1:
        scores[np.uint64(0)] = score_column(indptr, indices, data, m, V)
        return
    # Unsigned indices need no check for negative values, and V[j, k] creates no view of a row; both save time here.
    start, stop, n_classes = _row_start(indptr, data, m), _row_end(indptr, data, m), np.uint64(V.shape[1])
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    intercept, k = np.uint64(0), np.uint64(0)
    if n_classes > four:
        score_row_in_order(indptr, indices, data, m, V, scores)
        return
    if n_classes == four:
        # Four independent sums, each of every fourth feature, run in parallel in the processor.
        sum0, sum1, sum2, sum3 = load_four(V, k), four_zeros(), four_zeros(), four_zeros()
        last = stop - (stop - start) % four
        for i in range(start, last, four):
            sum0 = add_multiple(sum0, _value(data, m, i), _load_four_weights(indices, data, i, V))
            sum1 = add_multiple(sum1, _value(data, m, i + one), _load_four_weights(indices, data, i + one, V))
            sum2 = add_multiple(sum2, _value(data, m, i + two), _load_four_weights(indices, data, i + two, V))
            sum3 = add_multiple(sum3, _value(data, m, i + three), _load_four_weights(indices, data, i + three, V))
        for i in range(last, stop):
            sum0 = add_multiple(sum0, _value(data, m, i), _load_four_weights(indices, data, i, V))
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
        scores[k] = score_column(indptr, indices, data, m, V)
    elif k < n_classes:
        s0 = V[intercept, k]
        for i in range(start, stop):
            s0 += _value(data, m, i) * V[_feature(indices, data, i), k]
        scores[k] = s0


@kernel(**ROW_PRIMITIVE)
def _add_to_weight(V, j, change):
    """Add to weight j of a single column, which has one dimension or two."""
    if V.ndim == 1:
        V[j] += change
    else:
        V[j, np.uint64(0)] += change


@kernel(**ROW_PRIMITIVE)
def add_to_single_column(indptr, indices, data, m, change, V):
    """Compute v ← v + change · g(x_m) for a single column v, which has one dimension or two."""
    _add_to_weight(V, np.uint64(0), change)
    for i in range(_row_start(indptr, data, m), _row_end(indptr, data, m)):
        _add_to_weight(V, _feature(indices, data, i), _value(data, m, i) * change)


@kernel(**ROW_PRIMITIVE)
def add_to_column_and_sum(indptr, indices, data, m, change, change_of_sum, V, U):
    """Compute v ← v + change · g(x_m) and u ← u + change_of_sum · g(x_m) in one pass, for columns of one dimension."""
    intercept = np.uint64(0)
    V[intercept] += change
    U[intercept] += change_of_sum
    for i in range(_row_start(indptr, data, m), _row_end(indptr, data, m)):
        j, value = _feature(indices, data, i), _value(data, m, i)
        V[j] += value * change
        U[j] += value * change_of_sum


@kernel(**ROW_PRIMITIVE)
def add_row(indptr, indices, data, m, d, factor, V):
    """Compute V ← V + factor · g(x_m) dᵀ; return True if ``d`` has a non-zero entry. Two non-zero entries change two columns only."""
    n_classes = np.uint64(V.shape[1])
    nonzero = 0
    for k in range(n_classes):
        nonzero += d[k] != 0.0
    if nonzero == 0:
        return False
    start, stop, intercept = _row_start(indptr, data, m), _row_end(indptr, data, m), np.uint64(0)
    one, four = np.uint64(1), np.uint64(4)
    if n_classes == 1:
        add_to_single_column(indptr, indices, data, m, factor * d[intercept], V)
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
            at = _weight_index(indices, data, i, n_classes, intercept)
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
def _add_four_with_variances(indices, data, m, i, n_classes, k, V, scores, variances):
    """Return the scores and variances of the classes k … k + 3 with the share of entry i added."""
    at, value = _weight_index(indices, data, i, np.uint64(2) * n_classes, k), _value(data, m, i)
    scores = add_multiple(scores, value, load_four(V, at))
    return scores, add_multiple(variances, value * value, load_four(V, at + n_classes))


@kernel(**ROW_PRIMITIVE)
def _add_with_variance(indices, data, m, i, k, V, score, variance):
    """Return the score and the variance of class k with the share of entry i added."""
    j, value = _feature(indices, data, i), _value(data, m, i)
    return score + value * V[j, np.uint64(0), k], variance + value * value * V[j, np.uint64(1), k]


@kernel(**ROW_PRIMITIVE)
def score_row_with_variances(indptr, indices, data, m, V, scores, variances):
    """Compute scores ← g(x_m)ᵀ W and variances ← (g(x_m) ∘ g(x_m))ᵀ Σ, both of shape (K,), in one pass over ``V``.

    All classes are summed in the same order, eight, four or one class at a time.
    """
    start, stop, n_classes = _row_start(indptr, data, m), _row_end(indptr, data, m), np.uint64(V.shape[2])
    one, two, three, four, eight = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(8)
    intercept, k = np.uint64(0), np.uint64(0)
    while k + eight <= n_classes:
        low, high = load_four(V, k), load_four(V, k + four)
        low_v, high_v = load_four(V, n_classes + k), load_four(V, n_classes + k + four)
        for i in range(start, stop):
            low, low_v = _add_four_with_variances(indices, data, m, i, n_classes, k, V, low, low_v)
            high, high_v = _add_four_with_variances(indices, data, m, i, n_classes, k + four, V, high, high_v)
        store_four(scores, k, low)
        store_four(scores, k + four, high)
        store_four(variances, k, low_v)
        store_four(variances, k + four, high_v)
        k += eight
    # Several independent sums, each of every second or fourth feature, run in parallel in the processor. This changes the
    # order of summation, so it is only used if all classes are summed in the same way.
    if k + four <= n_classes:
        even, even_v, odd, odd_v = load_four(V, k), load_four(V, n_classes + k), four_zeros(), four_zeros()
        last = stop - (stop - start) % two if n_classes == four else start
        for i in range(start, last, two):
            even, even_v = _add_four_with_variances(indices, data, m, i, n_classes, k, V, even, even_v)
            odd, odd_v = _add_four_with_variances(indices, data, m, i + one, n_classes, k, V, odd, odd_v)
        for i in range(last, stop):
            even, even_v = _add_four_with_variances(indices, data, m, i, n_classes, k, V, even, even_v)
        store_four(scores, k, add_multiple(even, 1.0, odd))
        store_four(variances, k, add_multiple(even_v, 1.0, odd_v))
        k += four
    last = stop - (stop - start) % four if n_classes < four else start
    for column in range(k, n_classes):
        s0, s1, s2, s3 = V[intercept, intercept, column], 0.0, 0.0, 0.0
        v0, v1, v2, v3 = V[intercept, one, column], 0.0, 0.0, 0.0
        for i in range(start, last, four):
            s0, v0 = _add_with_variance(indices, data, m, i, column, V, s0, v0)
            s1, v1 = _add_with_variance(indices, data, m, i + one, column, V, s1, v1)
            s2, v2 = _add_with_variance(indices, data, m, i + two, column, V, s2, v2)
            s3, v3 = _add_with_variance(indices, data, m, i + three, column, V, s3, v3)
        for i in range(last, stop):
            s0, v0 = _add_with_variance(indices, data, m, i, column, V, s0, v0)
        scores[column], variances[column] = (s0 + s1) + (s2 + s3), (v0 + v1) + (v2 + v3)


@kernel(**ROW_PRIMITIVE)
def _update_weight(j, k, value, change, change_of_sum, shrink, V, U):
    """Update one weight, its running sum and its variance, for an entry ``value`` of g(x)."""
    mean, spread = np.uint64(0), np.uint64(1)
    variance = V[j, spread, k]
    direction = variance * value
    V[j, mean, k] += change * direction
    if len(U) > 0:
        U[j, k] += change_of_sum * direction
    V[j, spread, k] = max(variance - shrink * direction * direction, MIN_VARIANCE)


@kernel(**ROW_PRIMITIVE)
def _add_to_column(indptr, indices, data, m, k, d, b, factor, sum_factor, V, U):
    """Run `add_row_with_variances` for one class."""
    change, change_of_sum = factor * d, sum_factor * d
    _update_weight(np.uint64(0), k, 1.0, change, change_of_sum, b, V, U)
    for i in range(_row_start(indptr, data, m), _row_end(indptr, data, m)):
        _update_weight(_feature(indices, data, i), k, _value(data, m, i), change, change_of_sum, b, V, U)


@kernel(**ROW_PRIMITIVE)
def _add_to_two_columns(indptr, indices, data, m, first, second, d, b, factor, sum_factor, V, U):
    """Run `add_row_with_variances` for two classes."""
    d1, d2, b1, b2 = d[first], d[second], b[first], b[second]
    c1, c2, u1, u2 = factor * d1, factor * d2, sum_factor * d1, sum_factor * d2
    _update_weight(np.uint64(0), first, 1.0, c1, u1, b1, V, U)
    _update_weight(np.uint64(0), second, 1.0, c2, u2, b2, V, U)
    for i in range(_row_start(indptr, data, m), _row_end(indptr, data, m)):
        j, value = _feature(indices, data, i), _value(data, m, i)
        _update_weight(j, first, value, c1, u1, b1, V, U)
        _update_weight(j, second, value, c2, u2, b2, V, U)


@kernel(**ROW_PRIMITIVE)
def _update_four_weights(j, value, change, change_of_sum, shrink, V, U):
    """Run `_update_weight` for all classes at once, if there are four."""
    four = np.uint64(4)
    at = j * np.uint64(8)
    variance = load_four(V, at + four)
    direction = add_multiple(four_zeros(), value, variance)
    store_four(V, at, add_product(load_four(V, at), change, direction))
    if len(U) > 0:
        store_four(U, j * four, add_product(load_four(U, j * four), change_of_sum, direction))
    lost = add_product(four_zeros(), shrink, direction)
    store_four(V, at + four, clip_below(add_product(variance, lost, direction), MIN_VARIANCE))


@kernel(**ROW_PRIMITIVE)
def _add_to_four_columns(indptr, indices, data, m, d, b, factor, sum_factor, V, U):
    """Run `add_row_with_variances` for all classes, if there are four."""
    none = np.uint64(0)
    change = add_multiple(four_zeros(), factor, load_four(d, none))
    change_of_sum = add_multiple(four_zeros(), sum_factor, load_four(d, none))
    shrink = add_multiple(four_zeros(), -1.0, load_four(b, none))
    _update_four_weights(none, 1.0, change, change_of_sum, shrink, V, U)
    for i in range(_row_start(indptr, data, m), _row_end(indptr, data, m)):
        _update_four_weights(_feature(indices, data, i), _value(data, m, i), change, change_of_sum, shrink, V, U)


@kernel(**ROW_PRIMITIVE)
def add_row_with_variances(indptr, indices, data, m, d, b, factor, sum_factor, V, U):
    """Compute W_k ← W_k + factor · d_k Σ_k ∘ g(x_m), likewise U with ``sum_factor``, then Σ_k ← Σ_k − b_k (Σ_k ∘ g(x_m))².

    Return True if ``d`` or ``b`` has a non-zero entry. A U without rows is not changed. Variances stay at or above
    `MIN_VARIANCE`.
    """
    n_classes, touched = np.uint64(V.shape[2]), 0
    for k in range(n_classes):
        touched += d[k] != 0.0 or b[k] != 0.0
    if touched == 0:
        return False
    if n_classes == np.uint64(4):
        _add_to_four_columns(indptr, indices, data, m, d, b, factor, sum_factor, V, U)
    elif touched == 2:  # the most frequent case; needs only one pass over the row
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
def _prefetch_lines(numbers, start, stop):
    """Prefetch ``numbers[start:stop]``, one cache line at a time. A range with a step would cost a division."""
    n_per_line = np.uint64(CACHE_LINE_BYTES // numbers.itemsize)
    while start < stop:
        prefetch(numbers, start)
        start += n_per_line


@kernel(**ROW_PRIMITIVE)
def prefetch_row(indptr, indices, data, m):
    """Prefetch the entries of a row."""
    m = np.uint64(m)
    if data.ndim == 2:
        n_numbers = np.uint64(data.shape[1])
        _prefetch_lines(data, m * n_numbers, (m + np.uint64(1)) * n_numbers)
    else:
        start, stop = np.uint64(indptr[m]), np.uint64(indptr[m + np.uint64(1)])
        stop = min(stop, start + np.uint64(_MAX_PREFETCHED_ENTRIES))
        _prefetch_lines(indices, start, stop)
        _prefetch_lines(data, start, stop)


@kernel(**ROW_PRIMITIVE)
def prefetch_weights(indptr, indices, m, weights, n_numbers):
    """Prefetch the weights of the features of a sparse row; ``weights`` is V, flat, with ``n_numbers`` numbers per feature."""
    m, n_numbers = np.uint64(m), np.uint64(n_numbers)
    for i in range(np.uint64(indptr[m]), np.uint64(indptr[m + np.uint64(1)])):
        row = (np.uint64(np.uint32(indices[i])) + np.uint64(1)) * n_numbers
        _prefetch_lines(weights, row, row + n_numbers)


@kernel(**ROW_PRIMITIVE)
def prefetch_upcoming(indptr, indices, data, sq_norms, labels, order, n, far):
    """Prefetch rows of the steps after step n if the data are ``far``, not in the cache, because rows come in random order.

    ``labels`` (M,) can be any array of which a step reads the element of its row.
    """
    if far and n + 8 < len(order):
        if data.ndim == 1:
            prefetch(indptr, order[n + 8])
        prefetch(labels, order[n + 8])
        prefetch(sq_norms, order[n + 8])
        prefetch_row(indptr, indices, data, order[n + 4])
