"""The compiled inner loops: rows of a matrix against a weight matrix, and the loop of online learning.

Everything here works on the same four arrays (``Examples``), those of a CSR matrix or a dense one as it is, and on weights ``V``
as ``row_primitives.py`` describes them; no column of ones is ever stored. Kernels know when they are compiled whether ``V`` has two
dimensions or, with variances, three.

* :func:`take_steps` runs online learning with any update rule. The rule goes in as the address of a function with an
  explicit signature, so that one cached compilation of the loop serves every rule.
* :func:`scores_of_row` and :func:`update_by_row` are the two halves of a step by themselves, for a rule that is plain
  Python.

numba compiles a function when it is first called, and ``machine_code.py`` keeps what it made.
"""

import functools
from typing import NamedTuple

import numpy as np

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels.primitives import COMPILES, frozen, kernel
from lxmls_day1.engine.kernels.row_primitives import (
    LEAST_VARIANCE,
    NEAR,
    ROW_PRIMITIVE,
    add_confident_row,
    add_row,
    prefetch_coming,
    prefetch_weights,
    score_confident_row,
    score_row,
)

if COMPILES:
    import numba

    from lxmls_day1.engine.kernels.intrinsics import (
        MATRIX,
        RULE_SIGNATURE,
        SECOND_ORDER_SIGNATURE,
        VECTOR,
        WEIGHTS_WITH_VARIANCES,
        ask_rule,
        ask_second_order_rule,
        borrowed,
        read_only,
    )
    from lxmls_day1.engine.kernels.machine_code import address_of, cached_jit


# Weights are kept as scale * V while they shrink. Folding the scale into V when it leaves this range keeps the running
# sum of the average accurate: a fold only at 1e-9 was seen to leave errors of 1e-9 in the average.
_SMALLEST_SCALE, _LARGEST_SCALE = 1e-5, 1e5

_FEW_COLUMNS = 4  # so many are faster one at a time: NumPy is slow to pick rows of a matrix by their numbers
_MOST_FEATURES = 2**31  # features are numbered by int32
_BLOCK = 2**14  # numbers that are looked at before the next look at whether to go on
_NEAR = 2**16  # numbers that stay near the processor while they are worked on
_FEW = 2**13  # numbers of a dense matrix that is read as a sparse one
_FAR = 2**21  # numbers of a training set that is fetched from the main memory in every round


class Examples(NamedTuple):
    """M training inputs as the kernels read them. Those of a dense matrix have no ``indptr`` and no ``indices``."""

    indptr: np.ndarray  # (M + 1,) int64: where each row starts
    indices: np.ndarray  # (nnz,) int32: features, counted from 0 without the intercept
    data: np.ndarray  # (nnz,) float64; or (M, J) of a dense matrix
    sq_norms: np.ndarray  # (M,) float64: ‖g(x)‖² = 1 + ‖x‖²
    n_features: int


def as_examples(X):
    """The rows of a matrix (M, J) as :class:`Examples`.

    Parameters
    ----------
    X : array or csr_array (M, J), as :func:`lxmls_day1.base.checks.check_inputs` returns it
        Its structure is not checked once more, and an index outside of it would end the process.
    """
    if X.shape[1] >= _MOST_FEATURES:
        raise InputError(
            f"X has {X.shape[1]} features, but compiled loops take fewer than {_MOST_FEATURES}; leave some out"
        )
    if isinstance(X, np.ndarray):  # scipy would do the same, in twenty times the time where there are few examples
        of_row, columns = X.nonzero()
        data = np.asarray(X[of_row, columns], dtype=np.float64)
        indptr = np.searchsorted(of_row, np.arange(len(X) + 1))
        return Examples(indptr, columns.astype(np.int32), data, squared_norms(indptr, data), X.shape[1])
    X = sp.csr_array(X)
    indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
    indices, data = np.ascontiguousarray(X.indices, dtype=np.int32), np.ascontiguousarray(X.data, dtype=np.float64)
    return Examples(indptr, indices, data, squared_norms(indptr, data), X.shape[1])


def sums_of_squares(indptr, data):
    """‖g(x)‖² of rows, as :func:`squared_norms` has them for the same numbers in float64.

    Parameters
    ----------
    indptr : int64 array (m + 1,)
    data : array (nnz,) of any type of numbers
    """
    sq_norms, as_reals = np.empty(len(indptr) - 1), np.empty(min(len(data), _NEAR))
    start = 0
    while start < len(sq_norms):  # so many numbers at once as stay near the processor
        stop = int(np.searchsorted(indptr, indptr[start] + _NEAR, side="right")) - 1
        stop = min(max(start + 1, stop), len(sq_norms))
        numbers = data[indptr[start] : indptr[stop]]
        if len(numbers) > len(as_reals):  # a row of more
            as_reals = np.empty(len(numbers))
        as_reals[: len(numbers)] = numbers
        numbers = as_reals[: len(numbers)]
        sq_norms[start:stop] = squared_norms(indptr[start : stop + 1] - indptr[start], numbers)
        start = stop
    return sq_norms


def as_online_examples(X):
    """The rows of a matrix (M, J) as online learning reads them: a large dense matrix as it stands, if a quarter of it is not zero.

    Where fewer numbers are other than zero, it is faster to leave the zeros out, as :func:`as_examples` does. A small dense matrix is
    a sparse one with all its zeros: the sums are the same.

    Parameters
    ----------
    X : array or csr_array (M, J), as in :func:`as_examples`
    """
    if not isinstance(X, np.ndarray) or X.size == 0:
        return as_examples(X)
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if 4 * np.count_nonzero(rows != 0.0) < rows.size:  # (of numbers themselves the count takes twice as long)
        return as_examples(X)
    indptr = np.arange(len(rows) + 1) * rows.shape[1]
    sq_norms = squared_norms(indptr, rows.ravel())
    if COMPILES and rows.size < _FEW:  # a loop of its own would take longer to compile than these steps take
        indices = np.tile(np.arange(rows.shape[1], dtype=np.int32), len(rows))
        return Examples(indptr, indices, rows.ravel(), sq_norms, X.shape[1])
    return Examples(np.empty(0, np.int64), np.empty(0, np.int32), rows, sq_norms, X.shape[1])


def compact(examples):
    """The same examples in smaller types, where they are many, and rows of a CSR matrix.

    Counts of words fit into a byte and features often into two, and then nothing changes. Other numbers are rounded to float32, by
    at most 6e-8 of each, unless one of them is too large or too small for that; all arithmetic stays float64.
    """
    if examples.data.size < _FAR or examples.data.ndim == 2 or examples.data.dtype != np.float64:
        return examples
    n_numbers = len(examples.data)
    indices = examples.indices.astype(np.uint16) if examples.n_features <= 2**16 else examples.indices
    data = np.empty(n_numbers, dtype=np.uint8)
    blocks = [slice(start, start + _BLOCK) for start in range(0, n_numbers, _BLOCK)]
    if not all(_put_into_bytes(examples.data[block], data[block]) for block in blocks):
        data = np.empty(n_numbers, dtype=np.float32)
        if not all(_put_into_float32(examples.data[block], data[block]) for block in blocks):
            data = examples.data
    return examples._replace(indices=indices, data=data)


def _put_in_numpy(data, small):
    fit = bool(((data >= 0) & (data <= 255) & (data == np.floor(data))).all())
    if fit:
        small[:] = data
    return fit


@kernel(_put_in_numpy)
def _put_into_bytes(data, small):
    """Put the numbers into ``small`` if all are whole and from 0 to 255. Returns whether they are."""
    others = 0  # counted without a branch for each number, so that several are looked at in one instruction
    for i in range(len(data)):
        number = np.int32(data[i])
        small[i] = number
        others |= (np.float64(number) != data[i]) | (number < 0) | (number > 255)
    return others == 0


_TINY, _HUGE = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)


def _round_in_numpy(data, single):
    size = np.abs(data)
    fit = bool(((size <= _HUGE) & ((size >= _TINY) | (size == 0.0))).all())
    if fit:
        single[:] = data
    return fit


@kernel(_round_in_numpy)
def _put_into_float32(data, single):
    """Put the numbers into ``single`` if each is 0 or of a size that float32 holds with all its digits. Returns whether all are."""
    others = 0
    for i in range(len(data)):
        size = abs(data[i])
        single[i] = data[i]
        others |= np.int64(not (size <= _HUGE)) | (np.int64(size < _TINY) & np.int64(size != 0.0))
    return others == 0


def _squared_norms_in_numpy(indptr, data):
    with np.errstate(over="ignore"):  # the norms of large numbers are infinite, as they are in machine code
        squares = data * data
    n_rows = len(indptr) - 1
    rows = np.repeat(np.arange(n_rows), np.diff(indptr).astype(np.intp, copy=False))
    return 1.0 + np.bincount(rows, weights=squares, minlength=n_rows)


@kernel(_squared_norms_in_numpy, fastmath={"reassoc", "contract"})
def squared_norms(indptr, data):
    """‖g(x)‖² of every row: the intercept's 1 counts."""
    sq_norms = np.empty(len(indptr) - 1)
    for m in range(len(sq_norms)):
        sq_norm = 1.0
        for i in range(np.uint64(indptr[m]), np.uint64(indptr[m + 1])):
            sq_norm += data[i] * data[i]
        sq_norms[m] = sq_norm
    return sq_norms


def _scores_in_numpy(indptr, indices, data, m, V, state):
    if data.ndim == 2:
        return state[0] * (V[0] + data[m] @ V[1:])
    start, stop = indptr[m], indptr[m + 1]
    return state[0] * (V[0] + data[start:stop] @ V[1:].take(indices[start:stop], axis=0))


@kernel(_scores_in_numpy)
def scores_of(indptr, indices, data, m, V, state):
    """The scores s = g(x_m)ᵀ W of the weights W = state[0] · V: a new array (K,)."""
    scores = np.empty(V.shape[1])
    score_row(indptr, indices, data, m, V, scores)
    return state[0] * scores


def _confident_scores_in_numpy(indptr, indices, data, m, V, state):
    if data.ndim == 2:
        g, rows = data[m], V[1:]
    else:
        row = slice(indptr[m], indptr[m + 1])
        g, rows = data[row].astype(np.float64), V[1:].take(indices[row], axis=0)
    return state[0] * (V[0, 0] + g @ rows[:, 0]), V[0, 1] + g**2 @ rows[:, 1]


@kernel(_confident_scores_in_numpy)
def confident_scores_of(indptr, indices, data, m, V, state):
    """The scores s = g(x_m)ᵀ W and their variances (g(x_m) ∘ g(x_m))ᵀ Σ: two new arrays (K,)."""
    scores, variances = np.empty(V.shape[2]), np.empty(V.shape[2])
    score_confident_row(indptr, indices, data, m, V, scores, variances)
    return state[0] * scores, variances


@kernel()
def _fold(V, U, scale, scale_sum):
    """V ← scale · V, whatever the scale is: 0 forgets all weights, a negative one turns them round."""
    W = V[:, 0] if V.ndim == 3 else V
    for j in range(W.shape[0]):
        for k in range(W.shape[1]):
            if len(U) > 0:
                U[j, k] -= scale_sum * W[j, k]
            W[j, k] *= scale


@kernel(**ROW_PRIMITIVE)
def _update(indptr, indices, data, m, d, b, shrink, V, U, scale, scale_sum):
    """The second half of a step, see :func:`apply_update`; returns (whether d changed anything, scale, scale_sum)."""
    if shrink != 1.0:
        scale *= shrink
        if not _SMALLEST_SCALE < abs(scale) < _LARGEST_SCALE:
            _fold(V, U, scale, scale_sum)
            scale, scale_sum = 1.0, 0.0
    if V.ndim == 3:
        changed = add_confident_row(indptr, indices, data, m, d, b, 1.0 / scale, scale_sum / scale, V, U)
    else:
        changed = add_row(indptr, indices, data, m, d, 1.0 / scale, V)
        if changed and len(U) > 0:
            add_row(indptr, indices, data, m, d, scale_sum / scale, U)
    return changed, scale, scale_sum + scale


def _move_in_numpy(rows, g, change, change_of_sum, b, W, U, S):
    """A step along the entries ``g`` of g(x), of some rows of one column: weights, their running sums and their variances."""
    direction = g * S[rows] if S.size else g
    W[rows] += direction * change  # a feature occurs once in a row
    if U.size:
        U[rows] += direction * change_of_sum
    if S.size:
        S[rows] = np.maximum(S[rows] - b * direction**2, LEAST_VARIANCE)


def _update_in_numpy(indptr, indices, data, m, d, b, shrink, V, U, state):
    W, S = (V[:, 0], V[:, 1]) if V.ndim == 3 else (V, V[:0])
    if shrink != 1.0:
        state[0] *= shrink
        if not _SMALLEST_SCALE < abs(state[0]) < _LARGEST_SCALE:
            if len(U):
                U -= state[1] * W
            W *= state[0]
            state[:] = 1.0, 0.0
    scale, scale_sum = state.tolist()
    state[1] += scale
    moves = [(k, d_k, b_k) for k, (d_k, b_k) in enumerate(zip(d.tolist(), b.tolist(), strict=True)) if d_k or b_k]
    if not moves:
        return False
    row = None if data.ndim == 2 else slice(indptr[m], indptr[m + 1])
    features, g = (slice(None), data[m]) if row is None else (indices[row], data[row])
    if len(moves) > _FEW_COLUMNS:
        moves, g = [(slice(None), d, b)], g[:, None]
    for k, d_k, b_k in moves:
        change, change_of_sum = d_k * (1.0 / scale), d_k * (scale_sum / scale)
        w, u, s = W[:, k], (U[:, k] if len(U) else U), S[:, k]
        _move_in_numpy(0, 1.0, change, change_of_sum, b_k, w, u, s)
        _move_in_numpy(features, g, change, change_of_sum, b_k, w[1:], u[1:], s[1:])
    return True


@kernel(_update_in_numpy)
def apply_update(indptr, indices, data, m, d, b, shrink, V, U, state):
    """The second half of a step: W ← shrink · W + g(x_m) dᵀ, and one more term in the running average.

    With variances Σ, a ``V`` of three dimensions, W_k gets d_k Σ_k ∘ g(x_m), and then Σ_k loses b_k (Σ_k ∘ g(x_m))².
    The weights are W = state[0] · V. ``U`` (J + 1, K) holds what turns the running sum of all W so far into
    state[1] · V − U (state[1] is the sum of the scales); a ``U`` of no rows switches averaging off.
    Returns whether ``d``, or ``b``, changed anything.
    """
    changed, state[0], state[1] = _update(indptr, indices, data, m, d, b, shrink, V, U, state[0], state[1])
    return changed


@kernel(**ROW_PRIMITIVE)
def _is_wrong(scores, label):
    """1 where another class is predicted than the true one: of those with the highest score the first. Without branches."""
    truth, wrong = scores[label], 0
    for k in range(len(scores)):
        wrong |= np.int64(scores[k] > truth) | (np.int64(scores[k] == truth) & np.int64(k < label))
    return wrong


@kernel(**ROW_PRIMITIVE)
def _fit_one_column(d, b, sq_norm):
    """Whether the columns of two classes, which are each other's opposite, stay so but for rounding, and their variances equal."""
    both = abs(d[0] + d[1])  # where nothing is left to learn d itself is rounding, and moves no score of this example
    return (both <= 1e-9 * (abs(d[0]) + abs(d[1])) or both * sq_norm <= 1e-13) and b[0] == b[1]


def _steps(examples, plan, rule, costs, V, U, state, updates, errors, first_step, scores, variances):
    indptr, indices, data, sq_norms, _ = examples
    labels, order, steps, shrinkage, factors = plan
    n_steps, n_classes, n_columns = len(order), len(costs), V.shape[-1]
    steps_per_round = n_steps // len(updates)
    current_round = first_step // steps_per_round
    next_round = (current_round + 1) * steps_per_round
    change, b = np.empty(n_columns), np.zeros(n_classes)
    scores, variances, costs = borrowed(scores), borrowed(variances), borrowed(costs)
    scale, scale_sum = state[0], state[1]
    flat_weights, n_numbers = V.reshape(V.size), V.size // len(V)
    weights_far, weighted = data.ndim == 1 and V.size > 8 * NEAR, len(factors) > 0
    for n in range(first_step, n_steps):
        if n == next_round:
            current_round += 1
            next_round += steps_per_round
        m = order[n]
        label = labels[m]
        if V.ndim == 3:
            score_confident_row(indptr, indices, data, m, V, scores, variances)
        else:
            score_row(indptr, indices, data, m, V, scores)
        # To ask early for what is far changes the speed only.
        prefetch_coming(indptr, indices, data, sq_norms, labels, order, n, NEAR)
        if weights_far and n + 1 < n_steps:  # of the running sums only a step that moves needs its rows
            prefetch_weights(indptr, indices, order[n + 1], flat_weights, n_numbers)
        for k in range(n_columns):
            scores[k] *= scale
        if n_columns < n_classes:
            scores[1], scores[0] = scores[0], -scores[0]
        wrong = _is_wrong(scores, label)
        step = steps[n] * factors[m] if weighted else steps[n]
        if V.ndim == 3:
            if n_columns < n_classes:
                variances[1] = variances[0]
            d, b = ask_second_order_rule(rule, scores, label, variances, step, costs[label])
        else:
            d = ask_rule(rule, scores, label, sq_norms[m], step, costs[label])
        if len(d) != n_classes or len(b) != n_classes:
            return -1
        if n_columns < n_classes:
            if not _fit_one_column(d, b, sq_norms[m]):
                state[0], state[1] = scale, scale_sum
                return n
            change[0] = (d[1] - d[0]) / 2
        else:
            for k in range(n_classes):  # (change[:] = d would cost as much as the rule)
                change[k] = d[k]
        shrink = 1.0 - steps[n] * shrinkage
        changed, scale, scale_sum = _update(indptr, indices, data, m, change, b, shrink, V, U, scale, scale_sum)
        if changed:
            updates[current_round] += 1
        errors[current_round] += wrong
    state[0], state[1] = scale, scale_sum
    return n_steps


class Plan(NamedTuple):
    """Which steps are taken."""

    labels: np.ndarray  # (M,) int64: columns 0 … K − 1 of the true classes
    order: np.ndarray  # (T,) int64: an example for each step
    steps: np.ndarray  # (T,) float64: a step size for each
    shrinkage: float  # λ: the weights shrink by the factor 1 − step · λ before each update
    # (M,) float64: the rule is asked with the step times that of its example; none if it has no entries
    factors: np.ndarray


def take_steps(rule, examples, plan, *, costs, V, U, state, updates, errors, first_step=0):
    """Online learning, compiled, with any update rule.

    Parameters
    ----------
    rule : what :func:`compile_rule` returned
    examples : Examples
        Or what :func:`compact` made of them.
    plan : Plan
    costs : float64 array (K, K)
        Row y is ρ(·, y).
    V : float64 array (J + 1, K), or (J + 1, 1) for two classes; of a second-order rule (J + 1, 2, K), or (J + 1, 2, 1)
        A single column v stands for the weights (−v, v). It is enough for a rule with d = (−c, c), as all of this lab
        are for two classes, and halves the work; a single column of variances stands for that of both. Changes in place, as U,
        state, updates and errors do.
    U, state : float64 arrays of the shape of W (or of no rows) and (2,)
        See :func:`apply_update`.
    updates, errors : int64 arrays (R,)
        Count, for each of R rounds of equal length, the steps that changed the weights, and those before which another class
        had the highest score than the true one.
    first_step : int
        Where in the order to begin.

    Returns
    -------
    int
        How many steps are done: T, or fewer if V is a single column and the two entries of a change do not add up to
        zero, or their variances shrink differently. Then go on from there with two columns.

    Raises
    ------
    InputError
        If the rule returns something else than K numbers.
    """
    run = _compiled_steps(examples.indices.dtype, examples.data.dtype, examples.data.ndim, V.ndim == 3)
    scores, variances = np.empty((2, len(costs)))
    code = address_of(rule)
    done = run(frozen(examples), frozen(plan), code, costs, V, U, state, updates, errors, first_step, scores, variances)
    if done < 0:
        what = "d and b, each" if V.ndim == 3 else "d,"
        raise InputError(f"the rule must return {what} one number for each of the {len(costs)} classes, in every step")
    return done


@functools.cache
def _compiled_steps(indices_type, data_type, n_dimensions=1, second_order=False):
    reals, longs = read_only(numba.float64), read_only(numba.int64)
    indices, data = read_only(numba.from_dtype(indices_type)), read_only(numba.from_dtype(data_type), n_dimensions)
    costs, weights = read_only(numba.float64, 2), WEIGHTS_WITH_VARIANCES if second_order else MATRIX
    examples = numba.types.NamedTuple((longs, indices, data, reals, numba.int64), Examples)
    plan = numba.types.NamedTuple((longs, longs, reals, numba.float64, reals), Plan)
    counts = numba.int64[::1]
    signature = numba.int64(
        examples, plan, numba.int64, costs, weights, MATRIX, VECTOR, counts, counts, numba.int64, VECTOR, VECTOR
    )
    return cached_jit(signature)(_steps)


def scores_of_row(examples, m, V, state):
    """The scores s = g(x_m)ᵀ W, shape (K,), of the weights W = state[0] · V, as one step of :func:`take_steps` sees them."""
    return scores_of(examples.indptr, examples.indices, examples.data, m, V, state)


def confident_scores_of_row(examples, m, V, state):
    """The scores and their variances, shape (K,) both, as one step of :func:`take_steps` sees them."""
    return confident_scores_of(examples.indptr, examples.indices, examples.data, m, V, state)


def update_by_row(examples, m, d, shrink, V, U, state, b=None):
    """W ← shrink · W + g(x_m) dᵀ in place, as one step of :func:`take_steps` does it; returns whether d changed anything.

    With ``b`` and a ``V`` that holds variances it is the step of a second-order rule, see :func:`apply_update`.
    """
    b = d if b is None else b  # without variances it shrinks nothing
    return apply_update(examples.indptr, examples.indices, examples.data, m, d, b, shrink, V, U, state)


def is_second_order(rule):
    """Whether a rule is one that sees the variances of the scores: marked so by ``second_order`` of online_classifier.py."""
    return getattr(rule, "second_order", False)


@functools.cache
def compile_rule(rule):
    """Compile an update rule with the signature of its order, which :func:`take_steps` takes."""
    return cached_jit(SECOND_ORDER_SIGNATURE if is_second_order(rule) else RULE_SIGNATURE)(rule)
