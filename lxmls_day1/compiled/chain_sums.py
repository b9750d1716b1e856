"""The compiled sums over tag sequences: log Z, marginals, the log loss of sentences with its gradient, one round of descent.

Z is the partition function, the sum of exp(score) over all sequences.

Sentences and the matrix of weights are laid out as ``chain_search.py`` describes. ``classifiers/forward_backward.py`` is the
readable form. All sums are kept as logarithms; what is added up inside of one is exp(a − a_max), so that nothing overflows. A
matrix of transitions is exponentiated once for all words: a sum over the K tags before then takes K multiplications for each
tag after. Where that loses all digits, as scores differ by hundreds, the sum is taken term by term.
"""

import functools

import numpy as np
import scipy.sparse as sp

from lxmls_day1.compiled.chain_search import (
    CHAIN_PRIMITIVE,
    fold_scale,
    groups_of_states,
    read_steps,
    room,
    score_of_tags,
    score_words,
)
from lxmls_day1.compiled.primitives import COMPILES, kernel

if COMPILES:
    import numba

    from lxmls_day1.compiled.intrinsics import MATRIX, VECTOR, read_only
    from lxmls_day1.compiled.machine_code import cached_jit

_TINY = 1e-200  # a sum of products below this may have lost terms
_EXACT = 1e-9  # marginals that miss 1 by more than this have

# ------------------------------------------------------------------------------------------------------------- one sentence


@kernel(**CHAIN_PRIMITIVE)
def _exponentiated(T, TT, E, ET):
    """TT ← each T[g] transposed; E, ET ← exp(T − shift), exp(TT − shift); returns the shift, the largest of T."""
    n_groups, n_tags = T.shape[0], T.shape[1]
    shift = T[0, 0, 0]
    for g in range(n_groups):
        for k in range(n_tags):
            for j in range(n_tags):
                shift = max(shift, T[g, k, j])
    for g in range(n_groups):
        for k in range(n_tags):
            for j in range(n_tags):
                TT[g, j, k] = T[g, k, j]
                E[g, k, j] = np.exp(T[g, k, j] - shift)
                ET[g, j, k] = E[g, k, j]
    return shift


@kernel(**CHAIN_PRIMITIVE)
def _log_sums(x, E, g, u, sums):
    """sums[j] ← Σ_k u[k] E[g, k, j] with u[k] = exp(x[k] − top); returns top, the largest of x, and whether no sum lost a term."""
    n_tags = len(x)
    top = x[0]
    for k in range(n_tags):
        top = max(top, x[k])
    for j in range(n_tags):
        sums[j] = 0.0
    for k in range(n_tags):
        u[k] = np.exp(x[k] - top)
        for j in range(n_tags):
            sums[j] += u[k] * E[g, k, j]
    exact = True
    for j in range(n_tags):
        exact &= sums[j] > _TINY
    return top, exact


@kernel(**CHAIN_PRIMITIVE)
def _log_sum_by_terms(x, T, g, j):
    """log Σ_k exp(x[k] + T[g, k, j]), term by term."""
    top = -np.inf
    for k in range(len(x)):
        top = max(top, x[k] + T[g, k, j])
    total = 0.0
    for k in range(len(x)):
        total += np.exp(x[k] + T[g, k, j] - top)
    return top + np.log(total)


@kernel(**CHAIN_PRIMITIVE)
def _log_total(rows, t, n):
    """log Σ exp of the first n numbers of a row."""
    top = -np.inf
    for k in range(n):
        top = max(top, rows[t, k])
    total = 0.0
    for k in range(n):
        total += np.exp(rows[t, k] - top)
    return top + np.log(total)


@kernel(**CHAIN_PRIMITIVE)
def _forward(n_words, emissions, T, E, shift, first, start, stop, last, alpha, U, tops, x, u, sums):
    """alpha[t, s] ← forward(t, s) for the states s of each word, U ← exp(alpha − tops); returns log Z.

    With trigrams the first word has K states only, since no tag is before it. The row after the last word holds what log Z is
    the sum of.
    """
    n_groups, n_tags = T.shape[0], T.shape[1]
    for k in range(n_tags):
        alpha[0, k] = start[k] + emissions[0, k]
    for t in range(n_words - 1):
        if t == 0 and n_groups > 1:
            for k in range(n_tags):
                for j in range(n_tags):
                    alpha[1, j * n_tags + k] = alpha[0, k] + first[k, j] + emissions[1, j]
            continue
        for g in range(n_groups):
            for k in range(n_tags):
                x[k] = alpha[t, g * n_tags + k]
            tops[t, g], exact = _log_sums(x, E, g, u, sums)
            for j in range(n_tags):
                total = tops[t, g] + shift + np.log(sums[j]) if exact else _log_sum_by_terms(x, T, g, j)
                alpha[t + 1, j * n_groups + g] = total + emissions[t + 1, j]
            for k in range(n_tags):
                U[t, g * n_tags + k] = u[k]
    if n_groups > 1 and n_words > 1:
        for j in range(n_tags):
            for k in range(n_tags):
                alpha[n_words, j * n_tags + k] = alpha[n_words - 1, j * n_tags + k] + stop[j] + last[k, j]
        return _log_total(alpha, n_words, n_tags * n_tags)
    for k in range(n_tags):
        alpha[n_words, k] = alpha[n_words - 1, k] + stop[k]
    return _log_total(alpha, n_words, n_tags)


@kernel(**CHAIN_PRIMITIVE)
def _last_word(n_words, emissions, stop, last, alpha, log_z, ahead, row, Q, residuals):
    """What :func:`_backward` does for the last word."""
    n_tags, t = len(stop), n_words - 1
    triples = len(last) > 0 and n_words > 1
    for j in range(n_tags):
        residuals[t, j] = 0.0
        for k in range(n_tags if triples else 1):
            s, rest = j, stop[j]
            if triples:
                s, rest = j * n_tags + k, rest + last[k, j]
            p = np.exp(alpha[t, s] + rest - log_z)
            residuals[t, j] += p
            ahead[t % 2, s] = rest + emissions[t, j]
            if triples and len(Q) > 0:
                Q[row + n_tags * (n_tags + 2) + 2 + k, j] += p


@kernel(**CHAIN_PRIMITIVE)
def _first_word(first, alpha, log_z, ahead, row, Q, residuals):
    """What :func:`_backward` does for the first of several words, with trigrams."""
    n_tags = len(first)
    for k in range(n_tags):
        residuals[0, k] = 0.0
        for j in range(n_tags):
            p = np.exp(alpha[0, k] + first[k, j] + ahead[1, j * n_tags + k] - log_z)
            residuals[0, k] += p
            if len(Q) > 0:
                Q[row + k, j] += p
                Q[row + n_tags * (n_tags + 1) + 2 + k, j] += p


@kernel(**CHAIN_PRIMITIVE)
def _count_step(trigrams, row, g, k, j, count, Q):
    """A step from the states of group g is a pair of tags, and with trigrams a triple."""
    n_tags = Q.shape[1]
    if trigrams:
        Q[row + g, j] += count
        Q[row + n_tags + 2 + k * n_tags + g, j] += count
    else:
        Q[row + k, j] += count


@kernel(**CHAIN_PRIMITIVE)
def _step_by_terms(t, T, alpha, ahead, log_z, row, Q, residuals):
    """What :func:`_backward` does for the step from word t, term by term."""
    n_groups, n_tags = T.shape[0], T.shape[1]
    for g in range(n_groups):
        for k in range(n_tags):
            for j in range(n_tags):
                q = np.exp(alpha[t, g * n_tags + k] + T[g, k, j] + ahead[(t + 1) % 2, j * n_groups + g] - log_z)
                residuals[t, g if n_groups > 1 else k] += q
                if len(Q) > 0:
                    _count_step(n_groups > 1, row, g, k, j, q, Q)


@kernel(**CHAIN_PRIMITIVE)
def _backward(
    n_words, emissions, T, TT, ET, shift, first, stop, last, alpha, U, tops, log_z, ahead, x, v, V, sums, p, factors,
    row, Q, S, residuals,
):  # fmt: skip
    """residuals[t, k] ← p(y_t = k); how often each pair and triple of tags is expected is added to Q and S, if Q has rows.

    Q is a matrix of the shape of W, with ``row`` that of its first transition; S[g, k, j] has still to be multiplied by E.
    ``ahead`` holds backward(t, s) + emissions(t, tag of s), of two words in turn.
    """
    n_groups, n_tags = T.shape[0], T.shape[1]
    trigrams = n_groups > 1
    _last_word(n_words, emissions, stop, last, alpha, log_z, ahead, row, Q, residuals)
    for back in range(n_words - 1):
        t = n_words - 2 - back
        if t == 0 and trigrams:
            _first_word(first, alpha, log_z, ahead, row, Q, residuals)
            continue
        now, then, total, exact = t % 2, (t + 1) % 2, 0.0, True
        for g in range(n_groups):
            for j in range(n_tags):
                x[j] = ahead[then, j * n_groups + g]
            top, safe = _log_sums(x, ET, g, v, sums)
            factors[g] = np.exp(tops[t, g] + top + shift - log_z)
            exact &= safe
            for k in range(n_tags):
                s = g * n_tags + k
                V[g, k] = v[k]
                p[s] = factors[g] * U[t, s] * sums[k]
                total += p[s]
                rest = top + shift + np.log(sums[k]) if safe else _log_sum_by_terms(x, TT, g, k)
                ahead[now, s] = rest + emissions[t, g if trigrams else k]
        for k in range(n_tags):
            residuals[t, k] = 0.0
        if exact and abs(total - 1.0) < _EXACT:
            for g in range(n_groups):
                for k in range(n_tags):
                    residuals[t, g if trigrams else k] += p[g * n_tags + k]
                    share = factors[g] * U[t, g * n_tags + k]
                    if len(Q) > 0:
                        for j in range(n_tags):
                            S[g, k, j] += share * V[g, j]
        else:
            _step_by_terms(t, T, alpha, ahead, log_z, row, Q, residuals)


@kernel(**CHAIN_PRIMITIVE)
def _count_steps(E, S, row, Q):
    """Add what :func:`_backward` left in S to Q, and empty S."""
    n_groups, n_tags = S.shape[0], S.shape[1]
    for g in range(n_groups):
        for k in range(n_tags):
            for j in range(n_tags):
                _count_step(n_groups > 1, row, g, k, j, S[g, k, j] * E[g, k, j], Q)
                S[g, k, j] = 0.0


@kernel(**CHAIN_PRIMITIVE)
def _without_chain(n_words, emissions, residuals):
    """The same for words that do not depend on each other; returns log Z."""
    log_z = 0.0
    for t in range(n_words):
        of_word = _log_total(emissions, t, emissions.shape[1])
        for k in range(emissions.shape[1]):
            residuals[t, k] = np.exp(emissions[t, k] - of_word)
        log_z += of_word
    return log_z


@kernel(**CHAIN_PRIMITIVE)
def _take_truth(n_words, labels, begin, chain, trigrams, row, Q, residuals):
    """Marginals become residuals, and expected counts those beyond the true ones: minus 1 wherever the true tags count."""
    n_tags = residuals.shape[1]
    if chain:
        for k in range(n_tags):
            Q[row + n_tags, k] += residuals[0, k]
            Q[row + n_tags + 1, k] += residuals[n_words - 1, k]
        Q[row + n_tags, labels[begin]] -= 1.0
        Q[row + n_tags + 1, labels[begin + n_words - 1]] -= 1.0
    for t in range(n_words):
        tag = labels[begin + t]
        residuals[t, tag] -= 1.0
        if chain and t > 0:
            before = labels[begin + t - 1]
            Q[row + before, tag] -= 1.0
            if trigrams and t == 1:
                Q[row + n_tags * (n_tags + 1) + 2 + before, tag] -= 1.0
            if trigrams and t > 1:
                Q[row + n_tags + 2 + labels[begin + t - 2] * n_tags + before, tag] -= 1.0
            if trigrams and t == n_words - 1:
                Q[row + n_tags * (n_tags + 2) + 2 + before, tag] -= 1.0


@kernel(**CHAIN_PRIMITIVE)
def _add_words(n_words, begin, indptr, indices, residuals, factor, G):
    """Add factor · residuals[t] to the rows of the features of each word."""
    n_tags = np.uint64(G.shape[1])
    for t in range(n_words):
        for k in range(n_tags):
            G[np.uint64(0), k] += factor * residuals[t, k]
        for i in range(np.uint64(indptr[begin + t]), np.uint64(indptr[begin + t + 1])):
            j = np.uint64(np.uint32(indices[i])) + np.uint64(1)
            for k in range(n_tags):
                G[j, k] += factor * residuals[t, k]


# ------------------------------------------------------------------------------------------------------- whole data sets


def _sums(starts, indptr, indices, labels, n_features, W, G, marginals):
    n_tags, row = W.shape[1], n_features + 1
    n_groups = groups_of_states(W.shape[0], n_features, n_tags)
    n_states = n_groups * n_tags
    chain, trigrams, gradient = n_groups > 0, n_groups > 1, len(G) > 0
    longest = room(starts, indptr)[0]
    emissions, residuals = np.empty((longest, n_tags)), np.empty((longest, n_tags))
    T, TT = np.empty((n_groups, n_tags, n_tags)), np.empty((n_groups, n_tags, n_tags))
    E, ET = np.empty((n_groups, n_tags, n_tags)), np.empty((n_groups, n_tags, n_tags))
    S = np.zeros((n_groups, n_tags, n_tags))
    first, last = np.empty((n_tags * trigrams, n_tags)), np.empty((n_tags * trigrams, n_tags))
    start, stop = np.empty(n_tags), np.empty(n_tags)
    alpha, U, tops = np.empty((longest + 1, n_states)), np.empty((longest, n_states)), np.empty((longest, n_groups))
    ahead, p, factors = np.empty((2, n_states)), np.empty(n_states), np.empty(n_groups)
    x, u, sums, V = np.empty(n_tags), np.empty(n_tags), np.empty(n_tags), np.empty((n_groups, n_tags))
    losses, shift = np.empty(len(starts) - 1), 0.0
    if chain:
        read_steps(W, 1.0, row, T, first, start, stop, last)
        shift = _exponentiated(T, TT, E, ET)
    for m in range(len(losses)):
        begin = starts[m]
        n_words = np.int64(score_words(starts, indptr, indices, m, W, 1.0, emissions))
        if chain:
            log_z = _forward(n_words, emissions, T, E, shift, first, start, stop, last, alpha, U, tops, x, u, sums)
        else:
            log_z = _without_chain(n_words, emissions, residuals)
        losses[m] = log_z
        if len(labels) > 0:
            losses[m] -= score_of_tags(n_words, labels, begin, emissions, T, first, start, stop, last)
        if chain and (gradient or len(marginals) > 0):
            _backward(
                n_words, emissions, T, TT, ET, shift, first, stop, last, alpha, U, tops, log_z,
                ahead, x, u, V, sums, p, factors, row, G, S, residuals,
            )  # fmt: skip
        if len(marginals) > 0:
            for t in range(n_words):
                for k in range(n_tags):
                    marginals[begin + t, k] = residuals[t, k]
        if gradient:
            _take_truth(n_words, labels, begin, chain, trigrams, row, G, residuals)
            _add_words(n_words, begin, indptr, indices, residuals, 1.0, G)
    if chain and gradient:
        _count_steps(E, S, row, G)
    return losses


def _descent(starts, indptr, indices, labels, n_features, order, steps, shrinkage, V, U, state):
    n_tags, row = V.shape[1], n_features + 1
    n_groups = groups_of_states(V.shape[0], n_features, n_tags)
    n_states, n_chain = n_groups * n_tags, V.shape[0] - row
    chain, trigrams = n_groups > 0, n_groups > 1
    longest = room(starts, indptr)[0]
    emissions, residuals = np.empty((longest, n_tags)), np.empty((longest, n_tags))
    T, TT = np.empty((n_groups, n_tags, n_tags)), np.empty((n_groups, n_tags, n_tags))
    E, ET = np.empty((n_groups, n_tags, n_tags)), np.empty((n_groups, n_tags, n_tags))
    S, Q = np.zeros((n_groups, n_tags, n_tags)), np.zeros((n_chain, n_tags))
    first, last = np.empty((n_tags * trigrams, n_tags)), np.empty((n_tags * trigrams, n_tags))
    start, stop = np.empty(n_tags), np.empty(n_tags)
    alpha, before, tops = (
        np.empty((longest + 1, n_states)),
        np.empty((longest, n_states)),
        np.empty((longest, n_groups)),
    )
    ahead, p, factors = np.empty((2, n_states)), np.empty(n_states), np.empty(n_groups)
    x, u, sums, after = np.empty(n_tags), np.empty(n_tags), np.empty(n_tags), np.empty((n_groups, n_tags))
    top = np.int64(0)  # Q's first row; a literal 0 would have the kernels compiled again, for that literal
    flat_V, flat_U = V.reshape(V.size), U.reshape(U.size)
    scale, scale_sum = state[0], state[1]
    for i in range(len(order)):
        m = order[i]
        begin = starts[m]
        n_words = np.int64(score_words(starts, indptr, indices, m, V, scale, emissions))
        if chain:
            read_steps(V, scale, row, T, first, start, stop, last)
            shift = _exponentiated(T, TT, E, ET)
            log_z = _forward(n_words, emissions, T, E, shift, first, start, stop, last, alpha, before, tops, x, u, sums)
            _backward(
                n_words, emissions, T, TT, ET, shift, first, stop, last, alpha, before, tops, log_z,
                ahead, x, u, after, sums, p, factors, top, Q, S, residuals,
            )  # fmt: skip
            _count_steps(E, S, top, Q)
        else:
            _without_chain(n_words, emissions, residuals)
        _take_truth(n_words, labels, begin, chain, trigrams, top, Q, residuals)
        scale, scale_sum = fold_scale(1.0 - steps[i] * shrinkage, flat_V, flat_U, scale, scale_sum)
        if len(U) > 0:
            _add_words(n_words, begin, indptr, indices, residuals, -steps[i] * scale_sum / scale, U)
            for r in range(n_chain):
                for k in range(n_tags):
                    U[row + r, k] -= steps[i] * scale_sum / scale * Q[r, k]
        _add_words(n_words, begin, indptr, indices, residuals, -steps[i] / scale, V)
        for r in range(n_chain):
            for k in range(n_tags):
                V[row + r, k] -= steps[i] / scale * Q[r, k]
                Q[r, k] = 0.0
        scale_sum += scale
    state[0], state[1] = scale, scale_sum
    return len(order)


# ---------------------------------------------------------------------------------------------------- the same in NumPy


def _sentence_in_numpy(emissions, labels, chain):
    """log Z, s(y), residuals (T, K) and expected counts beyond the true ones, in the shape of the rows ``chain`` of W."""
    n_words, n_tags = emissions.shape
    excess = np.zeros(chain.shape)
    truth = np.arange(len(labels)), labels
    if len(chain) == 0:
        of_word = np.logaddexp.reduce(emissions, axis=1)
        residuals = np.exp(emissions - of_word[:, None])
        residuals[truth] -= 1.0
        return of_word.sum(), emissions[truth].sum(), residuals, excess
    trigrams = len(chain) > n_tags + 2
    pairs, start, stop = chain[:n_tags], chain[n_tags], chain[n_tags + 1]
    steps, end = (
        [pairs[None]] * (n_words - 1),
        stop[None],
    )  # (1, K, K): from all tags before, from this one, to the next one
    if trigrams:
        triples, of_second, of_last = np.split(chain[n_tags + 2 :], [n_tags**2, n_tags**2 + n_tags])
        steps = [(pairs + of_second)[None], *[pairs + triples.reshape(n_tags, n_tags, n_tags)] * (n_words - 2)]
        steps, end = steps[: n_words - 1], end + of_last if n_words > 1 else end
    forward = [(start + emissions[0])[None]]  # (1 or K, K): the tag before, the tag
    for t, step in enumerate(steps, 1):
        sums = np.logaddexp.reduce(forward[-1][:, :, None] + step, axis=0 if trigrams else 1)
        forward.append(sums.reshape(-1, n_tags) + emissions[t])
    log_z = np.logaddexp.reduce(forward[-1] + end, axis=None)
    residuals = np.empty(emissions.shape)
    ahead = end
    for t in range(n_words - 1, -1, -1):
        if t < n_words - 1:
            ahead = ahead + emissions[t + 1]
            counts = np.exp(forward[t][:, :, None] + steps[t] + ahead[None] - log_z)  # (1 or K, K, K)
            excess[:n_tags] += counts.sum(axis=0)
            if trigrams and t == 0:
                excess[-2 * n_tags : -n_tags] += counts[0]
            elif trigrams:
                excess[n_tags + 2 : -2 * n_tags] += counts.reshape(-1, n_tags)
            ahead = np.logaddexp.reduce(steps[t] + ahead[None], axis=2)
        elif trigrams and n_words > 1:
            excess[-n_tags:] += np.exp(forward[t] + end - log_z)
        residuals[t] = np.exp(forward[t] + ahead - log_z).sum(axis=0)
    excess[n_tags], excess[n_tags + 1] = residuals[0], residuals[-1]
    if len(labels) == 0:
        return log_z, 0.0, residuals, excess
    rows, tags = [n_tags, n_tags + 1, *labels[:-1]], [labels[0], labels[-1], *labels[1:]]
    if trigrams and n_words > 1:
        rows += [n_tags + 2 + n_tags**2 + labels[0], n_tags + 2 + n_tags**2 + n_tags + labels[-2]]
        tags += [labels[1], labels[-1]]
        rows += (n_tags + 2 + labels[:-2] * n_tags + labels[1:-1]).tolist()
        tags += labels[2:].tolist()
    np.subtract.at(excess, (rows, tags), 1.0)
    residuals[truth] -= 1.0
    return log_z, emissions[truth].sum() + chain[rows, tags].sum(), residuals, excess


def _sums_in_numpy(starts, indptr, indices, labels, n_features, W, G, marginals):
    words = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(indptr) - 1, n_features))
    emissions, chain = words @ W[1 : n_features + 1] + W[0], W[n_features + 1 :]
    losses, residuals = np.empty(len(starts) - 1), np.empty(emissions.shape)
    for m, (first, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        log_z, score, residuals[first:end], excess = _sentence_in_numpy(emissions[first:end], labels[first:end], chain)
        losses[m] = log_z - score
        if len(G):
            G[n_features + 1 :] += excess
    if len(G):
        G[0] += residuals.sum(axis=0)
        G[1 : n_features + 1] += words.T @ residuals
    marginals[:] = residuals[: len(marginals)]
    return losses


def _descent_in_numpy(starts, indptr, indices, labels, n_features, order, steps, shrinkage, V, U, state):
    scale, scale_sum = state
    for m, step in zip(order.tolist(), steps.tolist(), strict=True):
        begin, end = starts[m], starts[m + 1]
        rows = [1 + indices[indptr[t] : indptr[t + 1]] for t in range(begin, end)]
        emissions = scale * np.array([V[0] + V[of_word].sum(axis=0) for of_word in rows])
        *_, residuals, excess = _sentence_in_numpy(emissions, labels[begin:end], scale * V[n_features + 1 :])
        scale, scale_sum = fold_scale(1.0 - step * shrinkage, V.reshape(-1), U.reshape(-1), scale, scale_sum)
        for matrix, factor in ((V, 1.0 / scale), (U, scale_sum / scale)):
            if len(matrix):
                matrix[0] -= step * factor * residuals.sum(axis=0)
                for of_word, residual in zip(rows, residuals, strict=True):
                    matrix[of_word] -= step * factor * residual  # a word has a feature once
                matrix[n_features + 1 :] -= step * factor * excess
        scale_sum += scale
    state[:] = scale, scale_sum
    return len(order)


# ------------------------------------------------------------------------------------------------------- what is called


@functools.cache
def sums_of_kernels():
    """``(starts, indptr, indices, labels, n_features, W, G, marginals) -> losses (M,)``, compiled where that is possible.

    Adds the gradient to G and fills ``marginals`` (N, K), each unless it is empty. Without labels the losses are log Z.
    """
    if not COMPILES:
        return _sums_in_numpy
    longs, matrix = read_only(numba.int64), read_only(numba.float64, 2)
    data = (longs, longs, read_only(numba.int32), longs, numba.int64)
    return cached_jit(VECTOR(*data, matrix, MATRIX, MATRIX), fastmath={"contract"})(_sums)


@functools.cache
def _descent_of_kernels():
    if not COMPILES:
        return _descent_in_numpy
    longs, reals = read_only(numba.int64), read_only(numba.float64)
    data = (longs, longs, read_only(numba.int32), longs, numba.int64, longs, reals, numba.float64)
    return cached_jit(numba.int64(*data, MATRIX, MATRIX, VECTOR), fastmath={"contract"})(_descent)


def log_losses(sentences, W):
    """−log p(y | x) of each sentence.

    Parameters
    ----------
    sentences : Sentences
    W : array (rows, K), as ``chain_search.py`` lays it out

    Returns
    -------
    losses : float64 array (M,)
    """
    return sums_of_kernels()(*sentences, W, _none(W), _none(W))


def loss_and_gradient(sentences, W):
    """Σ_m −log p(y | x) and its gradient: expected minus true counts.

    Parameters
    ----------
    sentences : Sentences
    W : array (rows, K)

    Returns
    -------
    loss : float
    gradient : array (rows, K), a new one
    """
    gradient = np.zeros(W.shape)
    return float(sums_of_kernels()(*sentences, W, gradient, _none(W)).sum()), gradient


def tag_marginals(starts, indptr, indices, n_features, W):
    """p(y_t = k | x) of each word and tag, and log Z of each sentence.

    Parameters
    ----------
    starts, indptr, indices, n_features
        As in :class:`Sentences`.
    W : array (rows, K)

    Returns
    -------
    marginals : array (N, K)
    log_z : array (M,)
    """
    marginals = np.empty((len(indptr) - 1, W.shape[1]))
    log_z = sums_of_kernels()(starts, indptr, indices, np.empty(0, np.int64), n_features, W, _none(W), marginals)
    return marginals, log_z


def take_round_of_descent(sentences, shrinkage, weights, order, steps):
    """One round of stochastic gradient descent: W ← (1 − η_t λ) W + η_t [Φ(x, y) − E Φ] for each sentence.

    Parameters
    ----------
    sentences : Sentences
    shrinkage : float
        λ.
    weights : lxmls_day1.compiled.online_steps.Weights
        They change in place.
    order, steps : int64 array (T,), float64 array (T,)
        A sentence and a step size for each step.

    Returns
    -------
    int
        The number of updates.
    """
    updates = _descent_of_kernels()(*sentences, order, steps, shrinkage, weights.V, weights.U, weights.state)
    weights.n_steps += len(order)
    return int(updates)


def _none(W):
    return np.empty((0, W.shape[1]))
