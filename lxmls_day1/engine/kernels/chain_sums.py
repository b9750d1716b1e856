"""The compiled sums over tag sequences: log Z, marginals, the log loss of sentences with its gradient, a round of SGD.

Z is the partition function, the sum of exp(score) over all sequences.

``chain_search.py`` describes the format of sentences and of the weight matrix. ``classifiers/structured/forward_backward.py``
is a readable implementation. All sums are stored as logarithms, and their terms are computed as exp(a − a_max), so that
nothing overflows. The matrix of transitions is exponentiated once for all words, so that a sum over the K previous tags
takes only K multiplications for each tag. If scores differ by hundreds, these products lose all digits, and the sum is
computed term by term instead.
"""

from typing import NamedTuple

import numpy as np

from lxmls_day1.engine.kernels.chain_search import (
    CHAIN_PRIMITIVE,
    Sentences,
    buffer_sizes,
    score_chain,
    score_words,
)
from lxmls_day1.engine.kernels.primitives import as_read_only, frozen, kernel
from lxmls_day1.engine.kernels.sparse_rows import fold_scale, shrink_in_numpy

_MIN_EXACT_SUM = 1e-200  # A smaller sum of products may have lost terms.
_MAX_MARGINAL_ERROR = 1e-9  # Marginals whose sum differs from 1 by more than this have lost terms.

# ------------------------------------------------------------------------------------------------------------- one sentence


class Buffers(NamedTuple):
    """The work arrays of the kernels, for sentences of up to T words and K tags.

    Without transitions, ``start`` and ``stop`` are 0, and all arrays except ``emissions``, ``residuals``, ``start``, ``stop``
    and ``sums`` have no rows.
    """

    emissions: np.ndarray  # (T, K)
    residuals: np.ndarray  # (T, K): the marginals p(y_t = k); later minus 1 for the true tags
    start: np.ndarray  # (K,), zeros without a chain
    stop: np.ndarray  # (K,), zeros without a chain
    from_tag: np.ndarray  # (K, K): the score of the transition from the tag of the column to the tag of the row
    E: np.ndarray  # (K, K): exp(score − shift) of the transition from the tag of the row to the tag of the column
    ET: np.ndarray  # (K, K): the transpose of E
    alpha: np.ndarray  # (T, K): forward
    exp_alpha: np.ndarray  # (T, K): exp(alpha − tops)
    row_maxima: np.ndarray  # (T,): the maximum of each row of alpha
    ahead: np.ndarray  # (T, K): backward + emissions
    exp_ahead: np.ndarray  # (T, K): exp(ahead − maximum of the row)
    sums: np.ndarray  # (K,)
    counts: np.ndarray  # (K + 2, K): expected counts of transitions, first and last tags, ordered as in W
    unscaled_counts: np.ndarray  # (K, K): further counts of transitions, still to be multiplied by E


@kernel()
def _buffers(max_words, n_tags, n_chain):
    """Allocate buffers for sentences of up to ``max_words`` words; ``n_chain`` is K + 2, or 0 without transitions."""
    n_from = max(0, n_chain - 2)
    n_words = max_words if n_chain > 0 else 0
    return Buffers(
        np.empty((max_words, n_tags)),
        np.empty((max_words, n_tags)),
        np.zeros(n_tags),
        np.zeros(n_tags),
        np.empty((n_from, n_tags)),
        np.empty((n_from, n_tags)),
        np.empty((n_from, n_tags)),
        np.empty((n_words, n_tags)),
        np.empty((n_words, n_tags)),
        np.empty(n_words),
        np.empty((n_words, n_tags)),
        np.empty((n_words, n_tags)),
        np.empty(n_tags),
        np.zeros((n_chain, n_tags)),
        np.zeros((n_from, n_tags)),
    )


@kernel(**CHAIN_PRIMITIVE)
def _exponentiate(from_tag, E, ET):
    """Fill E and ET with exp(score − shift) of each transition; return the shift, which is the largest score."""
    n_tags = len(from_tag)
    shift = from_tag[0, 0]
    for j in range(n_tags):
        for k in range(n_tags):
            shift = max(shift, from_tag[j, k])
    for j in range(n_tags):
        for k in range(n_tags):
            ET[j, k] = np.exp(from_tag[j, k] - shift)
            E[k, j] = ET[j, k]
    return shift


@kernel(**CHAIN_PRIMITIVE)
def _sums_of_products(x, t, E, u, sums):
    """Compute u[t, k] ← exp(x[t, k] − top) and sums[j] ← Σ_k u[t, k] E[k, j].

    Return top, the largest x[t, k], and True if no sum lost a term.
    """
    n_tags = x.shape[1]
    top = x[t, 0]
    for k in range(n_tags):
        top = max(top, x[t, k])
    for j in range(n_tags):
        sums[j] = 0.0
    for k in range(n_tags):
        factor = np.exp(x[t, k] - top)
        for j in range(n_tags):
            sums[j] += factor * E[k, j]
        u[t, k] = factor
    exact = True
    for j in range(n_tags):
        exact &= sums[j] > _MIN_EXACT_SUM
    return top, exact


@kernel(**CHAIN_PRIMITIVE)
def _log_sum(x, y):
    """Return log Σ_k exp(x[k] + y[k]), computed term by term."""
    top = -np.inf
    for k in range(len(x)):
        top = max(top, x[k] + y[k])
    total = 0.0
    for k in range(len(x)):
        total += np.exp(x[k] + y[k] - top)
    return top + np.log(total)


@kernel(**CHAIN_PRIMITIVE)
def _forward(n_words, b, shift):
    """Fill ``alpha`` with the forward sums, and ``exp_alpha`` and ``row_maxima`` for all words but the last; return log Z."""
    n_tags = len(b.start)
    for k in range(n_tags):
        b.alpha[0, k] = b.start[k] + b.emissions[0, k]
    for t in range(n_words - 1):
        top, exact = _sums_of_products(b.alpha, t, b.E, b.exp_alpha, b.sums)
        b.row_maxima[t] = top
        for j in range(n_tags):
            total = top + shift + np.log(b.sums[j]) if exact else _log_sum(b.alpha[t], b.from_tag[j])
            b.alpha[t + 1, j] = total + b.emissions[t + 1, j]
    return _log_sum(b.alpha[n_words - 1], b.stop)


@kernel(**CHAIN_PRIMITIVE)
def _backward(n_words, b, shift, log_z, counts):
    """Set residuals[t, k] to p(y_t = k); if ``counts``, add the expected number of each transition to counts and shares."""
    n_tags, last = len(b.start), n_words - 1
    for k in range(n_tags):
        b.residuals[last, k] = np.exp(b.alpha[last, k] + b.stop[k] - log_z)
        b.ahead[last, k] = b.stop[k] + b.emissions[last, k]
    for back in range(last):
        t = last - 1 - back
        top, exact = _sums_of_products(b.ahead, t + 1, b.ET, b.exp_ahead, b.sums)
        factor, total = np.exp(b.row_maxima[t] + top + shift - log_z), 0.0
        for k in range(n_tags):
            p = factor * b.exp_alpha[t, k] * b.sums[k]
            b.residuals[t, k] = p
            total += p
            rest = top + shift + np.log(b.sums[k]) if exact else _log_sum(b.ahead[t + 1], b.from_tag[:, k])
            b.ahead[t, k] = rest + b.emissions[t, k]
        if exact and abs(total - 1.0) < _MAX_MARGINAL_ERROR:
            for k in range(n_tags if counts else 0):
                share = factor * b.exp_alpha[t, k]
                for j in range(n_tags):
                    b.unscaled_counts[k, j] += share * b.exp_ahead[t + 1, j]
        else:
            _backward_step_by_terms(t, b, log_z)


@kernel(**CHAIN_PRIMITIVE)
def _backward_step_by_terms(t, b, log_z):
    """Run the step of :func:`_backward` from word t term by term."""
    n_tags = len(b.start)
    for k in range(n_tags):
        b.residuals[t, k] = 0.0
        for j in range(n_tags):
            q = np.exp(b.alpha[t, k] + b.from_tag[j, k] + b.ahead[t + 1, j] - log_z)
            b.residuals[t, k] += q
            b.counts[k, j] += q


@kernel(**CHAIN_PRIMITIVE)
def _count_steps(b):
    """Move the counts of transitions that :func:`_backward` collected in shares to counts."""
    for k in range(len(b.unscaled_counts)):
        for j in range(len(b.unscaled_counts)):
            b.counts[k, j] += b.unscaled_counts[k, j] * b.E[k, j]
            b.unscaled_counts[k, j] = 0.0


@kernel(**CHAIN_PRIMITIVE)
def _independent_marginals(n_words, b):
    """Set residuals[t, k] to p(y_t = k) for independent words; return log Z."""
    log_z = 0.0
    for t in range(n_words):
        of_word = _log_sum(b.emissions[t], b.stop)
        for k in range(len(b.stop)):
            b.residuals[t, k] = np.exp(b.emissions[t, k] - of_word)
        log_z += of_word
    return log_z


@kernel(**CHAIN_PRIMITIVE)
def _score_of_tags(n_words, labels, begin, b):
    """Return s(y) of the true tags."""
    score = 0.0
    for t in range(n_words):
        tag = labels[begin + t]
        score += b.emissions[t, tag]
        if t == 0:
            score += b.start[tag]
        elif len(b.from_tag) > 0:
            score += b.from_tag[tag, labels[begin + t - 1]]
    return score + b.stop[labels[begin + n_words - 1]]


@kernel(**CHAIN_PRIMITIVE)
def _subtract_true_counts(n_words, labels, begin, b):
    """Subtract 1 at the true tags, so that marginals become residuals, and expected counts become expected minus true counts."""
    n_tags, last, has_chain = len(b.start), n_words - 1, len(b.counts) > 0
    if has_chain:
        for k in range(n_tags):
            b.counts[n_tags, k] += b.residuals[0, k]
            b.counts[n_tags + 1, k] += b.residuals[last, k]
        b.counts[n_tags, labels[begin]] -= 1.0
        b.counts[n_tags + 1, labels[begin + last]] -= 1.0
    for t in range(n_words):
        tag = labels[begin + t]
        b.residuals[t, tag] -= 1.0
        if has_chain and t > 0:
            b.counts[labels[begin + t - 1], tag] -= 1.0


@kernel(**CHAIN_PRIMITIVE)
def _add_words(n_words, begin, indptr, indices, values, residuals, factor, G):
    """Add factor · residuals[t], times the feature's value, to the row of each feature of each word."""
    n_tags = np.uint64(G.shape[1])
    for t in range(n_words):
        for k in range(n_tags):
            G[np.uint64(0), k] += factor * residuals[t, k]
        for i in range(np.uint64(indptr[begin + t]), np.uint64(indptr[begin + t + 1])):
            j = np.uint64(np.uint32(indices[i])) + np.uint64(1)
            scaled = factor * values[i] if len(values) > 0 else factor
            for k in range(n_tags):
                G[j, k] += scaled * residuals[t, k]


@kernel(**CHAIN_PRIMITIVE)
def _add_counts(b, factor, G):
    """Add factor · counts to the last rows of G, which belong to the transitions."""
    row = len(G) - len(b.counts)
    for r in range(len(b.counts)):
        for k in range(len(b.stop)):
            G[row + r, k] += factor * b.counts[r, k]


# ---------------------------------------------------------------------------------------------------- the same in NumPy


def _sentence_in_numpy(emissions, labels, chain):
    """Return log Z, s(y), residuals (T, K), and expected minus true counts in the shape of the rows ``chain`` of W."""
    n_words, n_tags = emissions.shape
    excess = np.zeros(chain.shape)
    truth = np.arange(len(labels)), labels
    if len(chain) == 0:
        of_word = np.logaddexp.reduce(emissions, axis=1)
        residuals = np.exp(emissions - of_word[:, None])
        residuals[truth] -= 1.0
        return of_word.sum(), emissions[truth].sum(), residuals, excess
    steps, start, stop = chain[:n_tags], chain[n_tags], chain[n_tags + 1]
    forward = [start + emissions[0]]
    for of_word in emissions[1:]:
        forward.append(np.logaddexp.reduce(forward[-1][:, None] + steps, axis=0) + of_word)
    log_z = np.logaddexp.reduce(forward[-1] + stop)
    residuals, ahead = np.empty(emissions.shape), stop
    residuals[-1] = np.exp(forward[-1] + stop - log_z)
    for t in range(n_words - 2, -1, -1):
        ahead = ahead + emissions[t + 1]
        excess[:n_tags] += np.exp(forward[t][:, None] + steps + ahead - log_z)
        ahead = np.logaddexp.reduce(steps + ahead, axis=1)
        residuals[t] = np.exp(forward[t] + ahead - log_z)
    excess[n_tags], excess[n_tags + 1] = residuals[0], residuals[-1]
    if len(labels) == 0:
        return log_z, 0.0, residuals, excess
    rows, tags = [n_tags, n_tags + 1, *labels[:-1]], [labels[0], labels[-1], *labels[1:]]
    np.subtract.at(excess, (rows, tags), 1.0)
    residuals[truth] -= 1.0
    return log_z, emissions[truth].sum() + chain[rows, tags].sum(), residuals, excess


def _log_partition_in_numpy(sentences, W, G, marginals):
    starts, _, _, labels, n_features, _ = sentences
    words = sentences.matrix()
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


@np.errstate(over="ignore", invalid="ignore")  # Overflowing weights are reported after the round.
def _sgd_round_in_numpy(sentences, order, steps, shrinkage, V, U, state):
    starts, _, _, labels, n_features, _ = sentences
    all_words = sentences.matrix()
    for m, step in zip(order.tolist(), steps.tolist(), strict=True):
        begin, end, scale = starts[m], starts[m + 1], state[0]
        words = all_words[begin:end]
        emissions = scale * (words @ V[1 : n_features + 1] + V[0])
        *_, residuals, excess = _sentence_in_numpy(emissions, labels[begin:end], scale * V[n_features + 1 :])
        scale, scale_sum = shrink_in_numpy(1.0 - step * shrinkage, V, U, state)
        for matrix, factor in ((V, 1.0 / scale), (U, scale_sum / scale)):
            if len(matrix):
                matrix[0] -= step * factor * residuals.sum(axis=0)
                for i, j, change in zip(words.indptr[:-1], words.indptr[1:], step * factor * residuals, strict=True):
                    matrix[1 + words.indices[i:j]] -= words.data[i:j, None] * change  # A word has a feature only once.
                matrix[n_features + 1 :] -= step * factor * excess
        state[1] += scale


# ------------------------------------------------------------------------------------------------------- whole data sets


@kernel(_log_partition_in_numpy, fastmath={"contract"})
def sum_over_paths(sentences: Sentences, W: np.ndarray, G: np.ndarray, marginals: np.ndarray) -> np.ndarray:
    """Return the log loss of each sentence (M,), or log Z without labels; W and the arrays of the sentences are read-only.

    The gradient is added to G, and ``marginals`` (N, K) is filled, each unless it is empty.
    """
    starts, indptr, indices, labels, n_features, values = sentences
    n_chain = W.shape[0] - n_features - 1
    has_chain, gradient = n_chain > 0, len(G) > 0
    b = _buffers(buffer_sizes(starts, indptr)[0], W.shape[1], n_chain)
    losses, shift = np.empty(len(starts) - 1), 0.0
    if has_chain:
        score_chain(W, 1.0, n_features, b.from_tag, b.start, b.stop)
        shift = _exponentiate(b.from_tag, b.E, b.ET)
    for m in range(len(losses)):
        begin = starts[m]
        n_words = np.int64(score_words(starts, indptr, indices, values, m, W, 1.0, b.emissions))
        log_z = _forward(n_words, b, shift) if has_chain else _independent_marginals(n_words, b)
        losses[m] = log_z
        if len(labels) > 0:
            losses[m] -= _score_of_tags(n_words, labels, begin, b)
        if has_chain and (gradient or len(marginals) > 0):
            _backward(n_words, b, shift, log_z, gradient)
        if len(marginals) > 0:
            marginals[begin : begin + n_words] = b.residuals[:n_words]
        if gradient:
            _subtract_true_counts(n_words, labels, begin, b)
            _add_words(n_words, begin, indptr, indices, values, b.residuals, 1.0, G)
    if gradient:
        _count_steps(b)
        _add_counts(b, 1.0, G)
    return losses


@kernel(_sgd_round_in_numpy, fastmath={"contract"})
def _sgd_round(sentences, order, steps, shrinkage, V, U, state):
    starts, indptr, indices, labels, n_features, values = sentences
    n_chain = V.shape[0] - n_features - 1
    has_chain = n_chain > 0
    b = _buffers(buffer_sizes(starts, indptr)[0], V.shape[1], n_chain)
    flat_V, flat_U = V.reshape(V.size), U.reshape(U.size)
    scale, scale_sum = state[0], state[1]
    for i in range(len(order)):
        m = order[i]
        begin = starts[m]
        n_words = np.int64(score_words(starts, indptr, indices, values, m, V, scale, b.emissions))
        if has_chain:
            score_chain(V, scale, n_features, b.from_tag, b.start, b.stop)
            shift = _exponentiate(b.from_tag, b.E, b.ET)
            _backward(n_words, b, shift, _forward(n_words, b, shift), True)
            _count_steps(b)
        else:
            _independent_marginals(n_words, b)
        _subtract_true_counts(n_words, labels, begin, b)
        scale, scale_sum = fold_scale(1.0 - steps[i] * shrinkage, flat_V, flat_U, scale, scale_sum)
        if len(U) > 0:
            _add_words(n_words, begin, indptr, indices, values, b.residuals, -steps[i] * scale_sum / scale, U)
            _add_counts(b, -steps[i] * scale_sum / scale, U)
        _add_words(n_words, begin, indptr, indices, values, b.residuals, -steps[i] / scale, V)
        _add_counts(b, -steps[i] / scale, V)
        b.counts[:] = 0.0
        scale_sum += scale
    state[0], state[1] = scale, scale_sum


def run_sgd_round(sentences, shrinkage, weights, order, steps):
    """Run one round of stochastic gradient descent: W ← (1 − η_t λ) W + η_t [Φ(x, y) − E Φ] for each sentence.

    Parameters
    ----------
    sentences : Sentences
    shrinkage : float
        λ.
    weights : lxmls_day1.engine.kernels.row_steps.Weights
        The weights, changed in place.
    order, steps : int64 array (T,), float64 array (T,)
        The sentence and the step size of each step.

    Returns
    -------
    int
        The number of updates.
    """
    order, steps, arrays = as_read_only(order), as_read_only(steps), (weights.V, weights.U, weights.state)
    _sgd_round(frozen(sentences), order, steps, shrinkage, *arrays)
    weights.n_steps += len(order)
    return len(order)
