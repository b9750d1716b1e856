"""The compiled inner loops: products of matrix rows with weights, and the loop of online learning.

All functions read the four arrays of ``Examples``, of a CSR matrix or a dense matrix, and the weights ``V`` that
``row_primitives.py`` describes. A column of ones is never stored. The number of dimensions of ``V``, two or (with variances)
three, is known at compile time.

* :func:`run_steps` runs online learning with any update rule. The rule is passed as the address of a function with an
  explicit signature, so that one cached compilation of the loop serves all rules.
* :func:`compute_scores` and :func:`apply_update` are the two halves of a step as separate functions, for a rule in plain
  Python.

numba compiles a function at its first call, and ``machine_code.py`` caches the machine code.
"""

import functools
from typing import NamedTuple

import numpy as np

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels.primitives import COMPILES, frozen, kernel
from lxmls_day1.engine.kernels.row_primitives import (
    CACHED_NUMBERS,
    MIN_VARIANCE,
    ROW_PRIMITIVE,
    add_row,
    add_row_with_variances,
    add_to_column_and_sum,
    add_to_single_column,
    prefetch_upcoming,
    prefetch_weights,
    score_row,
    score_row_with_variances,
)

if COMPILES:
    import numba

    from lxmls_day1.engine.kernels.intrinsics import (
        IN_PLACE_SIGNATURE,
        MATRIX,
        RULE_SIGNATURE,
        SECOND_ORDER_SIGNATURE,
        VECTOR,
        WEIGHTS_WITH_VARIANCES,
        call_rule,
        call_rule_in_place,
        call_second_order_rule,
        read_only,
        unowned_view,
    )
    from lxmls_day1.engine.kernels.machine_code import address_of, cached_jit


# Weights are stored as scale * V while they shrink. The scale is folded into V when it leaves this range, to keep the
# running sum of the average accurate: folding only at 1e-9 caused errors of 1e-9 in the average.
_MIN_SCALE, _MAX_SCALE = 1e-5, 1e5

_MAX_SINGLE_COLUMNS = 4  # Up to this number, columns are updated one at a time: NumPy's row indexing is slow.
_MAX_FEATURES = 2**31  # Feature indices are int32.
_NUMBERS_PER_CHECK = 2**14  # numbers checked before deciding whether to continue
_NUMBERS_PER_BLOCK = 2**16  # numbers per block, small enough for the processor's cache
_MIN_DENSE_NUMBERS = 2**13  # A dense matrix with fewer numbers is converted to a sparse one.
_MIN_COMPACT_NUMBERS = CACHED_NUMBERS
_MIN_ROUNDED_NUMBERS = 2**21  # A training set with this many numbers is read from main memory in every round.


class Examples(NamedTuple):
    """M training inputs in the format of the kernels. For a dense matrix, ``indptr`` and ``indices`` are empty."""

    indptr: np.ndarray  # (M + 1,) int64: where each row starts
    indices: np.ndarray  # (nnz,) int32: features, counted from 0 without the intercept
    data: np.ndarray  # (nnz,) float64; or (M, J) for a dense matrix
    sq_norms: np.ndarray  # (M,) float64: ‖g(x)‖² = 1 + ‖x‖²
    n_features: int


def as_examples(X):
    """Convert the rows of a matrix (M, J) to :class:`Examples`.

    Parameters
    ----------
    X : array or csr_array (M, J), as :func:`lxmls_day1.base.checks.check_inputs` returns it
        Its structure is not checked again; an index outside of the matrix would crash the process.
    """
    if X.shape[1] >= _MAX_FEATURES:
        raise InputError(
            f"X has {X.shape[1]} features, but compiled loops take fewer than {_MAX_FEATURES}; leave some out"
        )
    if isinstance(X, np.ndarray):  # for few examples, 20 times faster than scipy
        of_row, columns = X.nonzero()
        data = np.asarray(X[of_row, columns], dtype=np.float64)
        indptr = np.searchsorted(of_row, np.arange(len(X) + 1))
        return Examples(indptr, columns.astype(np.int32), data, squared_norms(indptr, data), X.shape[1])
    X = sp.csr_array(X)
    indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
    indices, data = np.ascontiguousarray(X.indices, dtype=np.int32), np.ascontiguousarray(X.data, dtype=np.float64)
    return Examples(indptr, indices, data, squared_norms(indptr, data), X.shape[1])


def sums_of_squares(indptr, data):
    """Return ‖g(x)‖² of rows; equal to the result of :func:`squared_norms` for the same numbers in float64.

    Parameters
    ----------
    indptr : int64 array (m + 1,)
    data : array (nnz,) of any numeric type
    """
    sq_norms, as_reals = np.empty(len(indptr) - 1), np.empty(min(len(data), _NUMBERS_PER_BLOCK))
    start = 0
    while start < len(sq_norms):  # Convert blocks that fit in the processor's cache.
        stop = int(np.searchsorted(indptr, indptr[start] + _NUMBERS_PER_BLOCK, side="right")) - 1
        stop = min(max(start + 1, stop), len(sq_norms))
        numbers = data[indptr[start] : indptr[stop]]
        if len(numbers) > len(as_reals):  # a single row longer than a block
            as_reals = np.empty(len(numbers))
        as_reals[: len(numbers)] = numbers
        numbers = as_reals[: len(numbers)]
        sq_norms[start:stop] = squared_norms(indptr[start : stop + 1] - indptr[start], numbers)
        start = stop
    return sq_norms


def as_online_examples(X):
    """Convert the rows of a matrix (M, J) to the format of online learning: dense or sparse, whichever is faster.

    A dense matrix of which less than a quarter is non-zero is converted by :func:`as_examples`, which drops the zeros. A small
    dense matrix becomes a sparse one that stores its zeros, so that the sums are the same. A large one stays dense.

    Parameters
    ----------
    X : array or csr_array (M, J), as in :func:`as_examples`
    """
    if not isinstance(X, np.ndarray) or X.size == 0:
        return as_examples(X)
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if 4 * np.count_nonzero(rows != 0.0) < rows.size:  # Counting Booleans is twice as fast.
        return as_examples(X)
    indptr = np.arange(len(rows) + 1) * rows.shape[1]
    sq_norms = squared_norms(indptr, rows.ravel())
    if COMPILES and rows.size < _MIN_DENSE_NUMBERS:  # Compiling a dense loop would take longer than the steps.
        indices = np.tile(np.arange(rows.shape[1], dtype=np.int32), len(rows))
        return Examples(indptr, indices, rows.ravel(), sq_norms, X.shape[1])
    return Examples(np.empty(0, np.int64), np.empty(0, np.int32), rows, sq_norms, X.shape[1])


def compact(examples):
    """Return the examples in smaller types if they are many and sparse, otherwise unchanged.

    Word counts often fit into one byte and feature indices into two bytes; then no value changes. If they are still more, other numbers
    are rounded to float32, with a relative error of at most 6e-8, unless one of them is too large or too small. All arithmetic remains
    float64.
    """
    n_numbers = examples.data.size
    if n_numbers < _MIN_COMPACT_NUMBERS or examples.data.ndim == 2 or examples.data.dtype != np.float64:
        return examples
    blocks = [slice(start, start + _NUMBERS_PER_CHECK) for start in range(0, n_numbers, _NUMBERS_PER_CHECK)]
    data = np.empty(n_numbers, dtype=np.uint8)
    if not all(_cast_to_uint8(examples.data[block], data[block]) for block in blocks):
        if n_numbers < _MIN_ROUNDED_NUMBERS:
            return examples
        data = np.empty(n_numbers, dtype=np.float32)
        if not all(_cast_to_float32(examples.data[block], data[block]) for block in blocks):
            data = examples.data
    indices = examples.indices.astype(np.uint16) if examples.n_features <= 2**16 else examples.indices
    return examples._replace(indices=indices, data=data)


def _cast_to_uint8_in_numpy(data, small):
    fit = bool(((data >= 0) & (data <= 255) & (data == np.floor(data))).all())
    if fit:
        small[:] = data
    return fit


@kernel(_cast_to_uint8_in_numpy)
def _cast_to_uint8(data, small):
    """Write the numbers to ``small``; return True if all are integers from 0 to 255, that is, if nothing was lost."""
    others = 0  # Without branches, LLVM checks several numbers per instruction.
    for i in range(len(data)):
        number = np.int32(data[i])
        small[i] = number
        others |= (np.float64(number) != data[i]) | (number < 0) | (number > 255)
    return others == 0


_MIN_FLOAT32, _MAX_FLOAT32 = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)


def _cast_to_float32_in_numpy(data, single):
    size = np.abs(data)
    fit = bool(((size <= _MAX_FLOAT32) & ((size >= _MIN_FLOAT32) | (size == 0.0))).all())
    if fit:
        single[:] = data
    return fit


@kernel(_cast_to_float32_in_numpy)
def _cast_to_float32(data, single):
    """Write the numbers to ``single``; return True if each is 0 or in the range of normal float32 numbers."""
    others = 0
    for i in range(len(data)):
        size = abs(data[i])
        single[i] = data[i]
        others |= np.int64(not (size <= _MAX_FLOAT32)) | (np.int64(size < _MIN_FLOAT32) & np.int64(size != 0.0))
    return others == 0


def squared_norms(indptr, data):
    """Return ‖g(x)‖² of every row, including the 1 of the intercept."""
    sq_norms = np.empty(len(indptr) - 1)
    _fill_squared_norms(indptr, data, sq_norms)
    return sq_norms


def _squared_norms_in_numpy(indptr, data, sq_norms):
    with np.errstate(over="ignore"):  # Norms of large numbers become infinite, as in machine code.
        squares = data * data
    rows = np.repeat(np.arange(len(sq_norms)), np.diff(indptr).astype(np.intp, copy=False))
    sq_norms[:] = 1.0 + np.bincount(rows, weights=squares, minlength=len(sq_norms))


@kernel(_squared_norms_in_numpy, fastmath={"reassoc", "contract"})
def _fill_squared_norms(indptr, data, sq_norms):
    for m in range(len(sq_norms)):
        sq_norm = 1.0
        for i in range(np.uint64(indptr[m]), np.uint64(indptr[m + 1])):
            sq_norm += data[i] * data[i]
        sq_norms[m] = sq_norm


def _scores_in_numpy(indptr, indices, data, m, V, state):
    if data.ndim == 2:
        return state[0] * (V[0] + data[m] @ V[1:])
    start, stop = indptr[m], indptr[m + 1]
    return state[0] * (V[0] + data[start:stop] @ V[1:].take(indices[start:stop], axis=0))


@kernel(_scores_in_numpy)
def compute_scores(indptr, indices, data, m, V, state):
    """Return the scores s = g(x_m)ᵀ W of the weights W = state[0] · V, as a new array (K,)."""
    scores = np.empty(V.shape[1])
    score_row(indptr, indices, data, m, V, scores)
    return state[0] * scores


def _scores_and_variances_in_numpy(indptr, indices, data, m, V, state):
    if data.ndim == 2:
        g, rows = data[m], V[1:]
    else:
        row = slice(indptr[m], indptr[m + 1])
        g, rows = data[row].astype(np.float64), V[1:].take(indices[row], axis=0)
    return state[0] * (V[0, 0] + g @ rows[:, 0]), V[0, 1] + g**2 @ rows[:, 1]


@kernel(_scores_and_variances_in_numpy)
def compute_scores_and_variances(indptr, indices, data, m, V, state):
    """Return the scores s = g(x_m)ᵀ W and their variances (g(x_m) ∘ g(x_m))ᵀ Σ, as two new arrays (K,)."""
    scores, variances = np.empty(V.shape[2]), np.empty(V.shape[2])
    score_row_with_variances(indptr, indices, data, m, V, scores, variances)
    return state[0] * scores, variances


@kernel()
def _fold(V, U, scale, scale_sum):
    """Set V ← scale · V for any scale, including 0, which resets all weights, and negative scales."""
    if V.ndim == 1:
        for j in range(len(V)):
            if len(U) > 0:
                U[j] -= scale_sum * V[j]
            V[j] *= scale
        return
    W = V[:, 0] if V.ndim == 3 else V
    for j in range(W.shape[0]):
        for k in range(W.shape[1]):
            if len(U) > 0:
                U[j, k] -= scale_sum * W[j, k]
            W[j, k] *= scale


@kernel(**ROW_PRIMITIVE)
def fold_scale(shrink, V, U, scale, scale_sum):
    """Shrink the weights; return the scale and the sum of the scales since it was last folded into V."""
    if shrink != 1.0:
        scale *= shrink
        if not _MIN_SCALE < abs(scale) < _MAX_SCALE:
            _fold(V, U, scale, scale_sum)
            return 1.0, 0.0
    return scale, scale_sum


@kernel(**ROW_PRIMITIVE)
def _add(indptr, indices, data, m, d, b, V, U, scale, scale_sum):
    """Add g(x_m) dᵀ to the weights and to the running sum; return True if d changed a weight."""
    if V.ndim == 3:
        return add_row_with_variances(indptr, indices, data, m, d, b, 1.0 / scale, scale_sum / scale, V, U)
    if V.ndim == 1:
        change = d[np.uint64(0)]
        if change == 0.0:
            return False
        if len(U) > 0:
            add_to_column_and_sum(indptr, indices, data, m, 1.0 / scale * change, scale_sum / scale * change, V, U)
        else:
            add_to_single_column(indptr, indices, data, m, 1.0 / scale * change, V)
        return True
    changed = add_row(indptr, indices, data, m, d, 1.0 / scale, V)
    if changed and len(U) > 0:
        add_row(indptr, indices, data, m, d, scale_sum / scale, U)
    return changed


def shrink_in_numpy(shrink, W, U, state):
    """Multiply the scale by ``shrink``, and fold it into W and U if it leaves its range; return the scale and its running sum."""
    state[0] *= shrink
    if not _MIN_SCALE < abs(state[0]) < _MAX_SCALE:
        if len(U):
            U -= state[1] * W
        W *= state[0]
        state[:] = 1.0, 0.0
    return state.tolist()


def _update_column_in_numpy(rows, g, change, change_of_sum, b, W, U, S):
    """Update some rows of one column for the entries ``g`` of g(x): weights, their running sums and their variances."""
    direction = g * S[rows] if S.size else g
    W[rows] += direction * change  # A feature occurs only once in a row, so indexed addition is correct.
    if U.size:
        U[rows] += direction * change_of_sum
    if S.size:
        S[rows] = np.maximum(S[rows] - b * direction**2, MIN_VARIANCE)


def _update_in_numpy(indptr, indices, data, m, d, b, shrink, V, U, state):
    W, S = (V[:, 0], V[:, 1]) if V.ndim == 3 else (V, V[:0])
    scale, scale_sum = shrink_in_numpy(shrink, W, U, state)
    state[1] += scale
    moves = [(k, d_k, b_k) for k, (d_k, b_k) in enumerate(zip(d.tolist(), b.tolist(), strict=True)) if d_k or b_k]
    if not moves:
        return False
    row = None if data.ndim == 2 else slice(indptr[m], indptr[m + 1])
    features, g = (slice(None), data[m]) if row is None else (indices[row], data[row])
    if len(moves) > _MAX_SINGLE_COLUMNS:
        moves, g = [(slice(None), d, b)], g[:, None]
    for k, d_k, b_k in moves:
        change, change_of_sum = d_k * (1.0 / scale), d_k * (scale_sum / scale)
        w, u, s = W[:, k], (U[:, k] if len(U) else U), S[:, k]
        _update_column_in_numpy(0, 1.0, change, change_of_sum, b_k, w, u, s)
        _update_column_in_numpy(features, g, change, change_of_sum, b_k, w[1:], u[1:], s[1:])
    return True


@kernel(_update_in_numpy)
def apply_update(indptr, indices, data, m, d, b, shrink, V, U, state):
    """Run the second half of a step: W ← shrink · W + g(x_m) dᵀ, and add one term to the running average.

    With variances Σ (``V`` has three dimensions), d_k Σ_k ∘ g(x_m) is added to W_k, and then b_k (Σ_k ∘ g(x_m))² is subtracted
    from Σ_k. The weights are W = state[0] · V. ``U`` (J + 1, K) is defined so that the sum of all W so far is state[1] · V − U,
    where state[1] is the sum of the scales. A ``U`` without rows switches averaging off. Return True if ``d`` or ``b`` changed
    an entry.
    """
    scale, scale_sum = fold_scale(shrink, V, U, state[0], state[1])
    changed = _add(indptr, indices, data, m, d, b, V, U, scale, scale_sum)
    state[0], state[1] = scale, scale_sum + scale
    return changed


@kernel(**ROW_PRIMITIVE)
def _is_wrong(scores, label):
    """Return 1 if the predicted class (the first with the highest score) is not the true class, else 0; without branches."""
    truth, wrong = scores[label], 0
    for k in range(len(scores)):
        wrong |= np.int64(scores[k] > truth) | (np.int64(scores[k] == truth) & np.int64(k < label))
    return wrong


@kernel(**ROW_PRIMITIVE)
def _stays_antisymmetric(d, b, sq_norm):
    """Return True if the updates of two classes are opposite up to rounding, and their variances stay equal."""
    both = abs(d[0] + d[1])  # At convergence d is only rounding error and changes no score of this example.
    return (both <= 1e-9 * (abs(d[0]) + abs(d[1])) or both * sq_norm <= 1e-13) and b[0] == b[1]


@kernel(**ROW_PRIMITIVE)
def _copy(d, change):
    """Copy d into ``change``; return False if their lengths differ."""
    if len(d) != len(change):
        return False
    for k in range(len(d)):  # change[:] = d would cost as much as the rule.
        change[k] = d[k]
    return True


def _steps(
    examples, plan, rule, in_place, costs, V, U, state, updates, errors, first_step, scores, variances, change, b
):
    indptr, indices, data, sq_norms, _ = examples
    labels, order, steps, shrinkage, factors = plan
    n_steps, n_classes = len(order), len(costs)
    n_columns = 1 if V.ndim == 1 else V.shape[-1]
    steps_per_round = n_steps // len(updates)
    current_round = first_step // steps_per_round
    next_round = (current_round + 1) * steps_per_round
    # They come from outside: `np.zeros` takes a tenth of a second to compile.
    scores, variances, costs = unowned_view(scores), unowned_view(variances), unowned_view(costs)
    change, b = unowned_view(change), unowned_view(b)
    scale, scale_sum = state[0], state[1]
    n_numbers = V.size // len(V)
    far, weighted = data.size > CACHED_NUMBERS, len(factors) > 0
    weights_far = data.ndim == 1 and V.size > 8 * CACHED_NUMBERS
    for n in range(first_step, n_steps):
        if n == next_round:
            current_round += 1
            next_round += steps_per_round
        m = order[n]
        label = labels[m]
        if V.ndim == 3:
            score_row_with_variances(indptr, indices, data, m, V, scores, variances)
        else:
            score_row(indptr, indices, data, m, V, scores)
        # Prefetching changes only the speed.
        prefetch_upcoming(indptr, indices, data, sq_norms, labels, order, n, far)
        if weights_far and n + 1 < n_steps:  # The running sums are needed only by steps with an update.
            prefetch_weights(indptr, indices, order[n + 1], V, n_numbers)
        for k in range(n_columns):
            scores[k] *= scale
        if V.ndim == 1 or n_columns < n_classes:
            scores[1], scores[0] = scores[0], -scores[0]
        wrong = _is_wrong(scores, label)
        step = steps[n] * factors[m] if weighted else steps[n]
        moved = fits = True
        if V.ndim == 3:
            if n_columns < n_classes:
                variances[1] = variances[0]
            d, b = call_second_order_rule(rule, scores, label, variances, step, costs[label])
            fits = _copy(d, change) and len(b) == n_classes
        elif in_place:
            moved = call_rule_in_place(rule, n_classes, scores, label, sq_norms[m], step, costs[label], change)
        else:
            fits = _copy(call_rule(rule, scores, label, sq_norms[m], step, costs[label]), change)
        if not fits:
            return -1
        if moved and (V.ndim == 1 or n_columns < n_classes):
            if not _stays_antisymmetric(change, b, sq_norms[m]):
                state[0], state[1] = scale, scale_sum
                return n
            change[0] = (change[1] - change[0]) / 2
        scale, scale_sum = fold_scale(1.0 - steps[n] * shrinkage, V, U, scale, scale_sum)
        if moved:
            updates[current_round] += _add(indptr, indices, data, m, change, b, V, U, scale, scale_sum)
        scale_sum += scale
        errors[current_round] += wrong
    state[0], state[1] = scale, scale_sum
    return n_steps


class StepPlan(NamedTuple):
    """The steps to run: examples, step sizes and shrinkage."""

    labels: np.ndarray  # (M,) int64: columns 0 … K − 1 of the true classes
    order: np.ndarray  # (T,) int64: the example of each step
    steps: np.ndarray  # (T,) float64: the size of each step
    shrinkage: float  # λ: the weights shrink by the factor 1 − step · λ before each update
    # (M,) float64: the rule receives the step size times the factor of the example; empty: no factors
    factors: np.ndarray


def run_steps(rule, examples, plan, *, costs, V, U, state, updates, errors, first_step=0):
    """Run compiled online learning with any update rule.

    Parameters
    ----------
    rule : result of :func:`compile_rule` or :func:`compile_row_rule`
    examples : Examples
        May be in the smaller types of :func:`compact`.
    plan : StepPlan
    costs : float64 array (K, K)
        Row y is ρ(·, y).
    V : float64 array (J + 1, K), or (J + 1,) for two classes; for a second-order rule (J + 1, 2, K), or (J + 1, 2, 1)
        A single column v represents the weights (−v, v). It halves the work and is enough for a rule with d = (−c, c), which
        all rules of this lab have for two classes. A single column of variances belongs to both classes. V, U, state,
        updates and errors are changed in place.
    U, state : float64 arrays of the shape of W (or without rows) and (2,)
        See :func:`apply_update`.
    updates, errors : int64 arrays (R,)
        For each of R rounds of equal length, the number of steps that changed the weights, and the number of steps before
        which the example was misclassified.
    first_step : int
        The index in the order to begin with.

    Returns
    -------
    int
        The number of steps done: T, or fewer if V is a single column and a change cannot be represented by it, because its
        two entries do not sum to zero or the variances shrink differently. The caller then continues with two columns.

    Raises
    ------
    InputError
        If the rule does not return K numbers.
    """
    run = _compiled_steps(examples.indices.dtype, examples.data.dtype, examples.data.ndim, V.ndim)
    code, in_place = address_of(rule), _takes_in_place(rule)
    done = run(
        frozen(examples), frozen(plan), code, in_place, costs, V, U, state, updates, errors, first_step,
        *np.zeros((4, len(costs))),
    )  # fmt: skip
    if done < 0:
        expected = "d and b, each" if V.ndim == 3 else "d,"
        raise InputError(
            f"the rule must return {expected} one number for each of the {len(costs)} classes, in every step"
        )
    return done


@functools.cache  # Comparing types takes longer than a hundred steps.
def _takes_in_place(rule):
    return IN_PLACE_SIGNATURE.args in rule.overloads


@functools.cache
def _compiled_steps(indices_type, data_type, n_dimensions, n_weight_dimensions):
    reals, longs = read_only(numba.float64), read_only(numba.int64)
    indices, data = read_only(numba.from_dtype(indices_type)), read_only(numba.from_dtype(data_type), n_dimensions)
    costs, weights = read_only(numba.float64, 2), (VECTOR, MATRIX, WEIGHTS_WITH_VARIANCES)[n_weight_dimensions - 1]
    sums = VECTOR if n_weight_dimensions == 1 else MATRIX
    examples = numba.types.NamedTuple((longs, indices, data, reals, numba.int64), Examples)
    plan = numba.types.NamedTuple((longs, longs, reals, numba.float64, reals), StepPlan)
    counts = numba.int64[::1]
    signature = numba.int64(
        *(examples, plan, numba.int64, numba.boolean, costs, weights, sums, VECTOR, counts, counts, numba.int64),
        *(VECTOR, VECTOR, VECTOR, VECTOR),
    )
    return cached_jit(signature)(_steps)


def is_second_order(rule):
    """Return True if a rule uses the variances of the scores, that is, if it is marked by ``second_order``."""
    return getattr(rule, "second_order", False)


@functools.cache
def compile_rule(rule):
    """Compile a first- or second-order update rule with the signature that :func:`run_steps` expects."""
    signature = SECOND_ORDER_SIGNATURE if is_second_order(rule) else RULE_SIGNATURE
    return cached_jit(signature, no_cpython_wrapper=True)(rule)


@functools.cache
def compile_row_rule(rule):
    """Compile a rule for :func:`run_steps` alone: in its in-place form if it is a rule of the course, see ``rules_in_place.py``."""
    try:
        # Imported here because the module solves exercises and is absent from grading boxes.
        from lxmls_day1.engine.kernels.rules_in_place import in_place_form
    except ImportError:
        return compile_rule(rule)
    return in_place_form(rule) or compile_rule(rule)
