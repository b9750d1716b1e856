"""The compiled inner loops of sequence tagging for whole data sets: one round of online learning, tagging, the loss.

``chain_search.py`` describes the format of sentences and of the weight matrix.

* :func:`run_round` runs one pass over the sentences with any update rule of the flat learners.
* :func:`find_best_paths` tags sentences and computes their structured hinge losses.

``viterbi.py`` and ``joint_features.py`` in ``classifiers/structured/`` are a readable implementation of a step. A weight matrix
shrinks and is averaged as in ``sparse_rows.py``, but on single entries instead of rows.
"""

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels.chain_search import (
    CHAIN_PRIMITIVE,
    Sentences,
    add_costs,
    best_path,
    buffer_sizes,
    score_chain,
    score_difference,
    score_words,
)
from lxmls_day1.engine.kernels.primitives import COMPILES, as_read_only, frozen, kernel
from lxmls_day1.engine.kernels.sparse_rows import fold_scale

if COMPILES:
    from lxmls_day1.engine.kernels.intrinsics import call_rule
    from lxmls_day1.engine.kernels.machine_code import address_of

# 2⁶⁴ / golden ratio, for multiplicative hashing: the upper halves of the products differ (D. Knuth, vol. 3, 6.4).
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
# A squared norm below this multiple of the sum of squares of its terms is a rounded 0.
_RELATIVE_ROUNDING_ERROR = 1e-24


# --------------------------------------------------------------------------------------------------------------- update


@kernel(**CHAIN_PRIMITIVE)
def _list_difference(starts, indptr, indices, values, m, labels, path, n_features, n_tags, has_chain, entries, amounts):
    """List the non-zero terms of Φ(x, y) − Φ(x, ŷ) as entries of the flattened matrix; return their number.

    Entries are listed in pairs: the amount is added to the first entry and subtracted from the second. Positions with equal
    tags are not listed. An entry can occur several times, and with both signs.
    """
    first, n_words = starts[m], starts[m + 1] - starts[m]
    row = n_features + 1  # the row of the first transition
    n = 0
    for t in range(n_words):
        true, tag = labels[first + t], path[t]
        if tag != true:
            entries[n], entries[n + 1], amounts[n] = true, tag, 1.0
            n += 2
            for i in range(indptr[first + t], indptr[first + t + 1]):
                j = np.int64(indices[i]) + 1
                entries[n], entries[n + 1] = j * n_tags + true, j * n_tags + tag
                amounts[n] = values[i] if len(values) > 0 else 1.0
                n += 2
        if has_chain:
            true_row = row + n_tags if t == 0 else row + labels[first + t - 1]
            tag_row = row + n_tags if t == 0 else row + path[t - 1]
            if tag != true or tag_row != true_row:
                entries[n], entries[n + 1], amounts[n] = true_row * n_tags + true, tag_row * n_tags + tag, 1.0
                n += 2
            if t == n_words - 1 and tag != true:
                last_row = row + n_tags + 1
                entries[n], entries[n + 1], amounts[n] = last_row * n_tags + true, last_row * n_tags + tag, 1.0
                n += 2
    return n


@kernel(**CHAIN_PRIMITIVE)
def _squared_norm(n, entries, amounts, keys, sums, slots):
    """Return ‖Φ(x, y) − Φ(x, ŷ)‖²; amounts of an entry that is listed several times are summed first.

    ``keys`` and ``sums`` are a hash table of the sums of entries. Its size is a power of two and at least twice the number of
    listed entries. The key of an empty slot is −1; all slots are empty before and after. ``slots`` holds the slot of each
    listed entry.
    """
    squared, of_terms, last = 0.0, 0.0, np.uint64(len(keys) - 1)
    for i in range(n):
        entry, amount = entries[i], (1.0 - 2.0 * (i & 1)) * amounts[i - (i & 1)]
        place = (np.uint64(entry) * _MULTIPLIER >> np.uint64(32)) & last
        while keys[place] != entry and keys[place] >= 0:
            place = (place + np.uint64(1)) & last
        keys[place], slots[i] = entry, place
        sums[place] += amount
        of_terms += amount * amount
    for i in range(n):
        place = slots[i]
        squared += sums[place] * sums[place]
        keys[place], sums[place] = -1, 0.0
    return squared if squared > _RELATIVE_ROUNDING_ERROR * of_terms else 0.0


@kernel(**CHAIN_PRIMITIVE)
def _update(n, entries, amounts, d, shrink, V, U, scale, scale_sum):
    """Run the second half of a step on flattened V and U: W ← shrink · W + d (Φ(x, y) − Φ(x, ŷ)); add one term to the average.

    The weights are W = scale · V, and the sum of all W so far is scale_sum · V − U; a U without entries switches averaging
    off. Return True if d changed an entry, and the new scale and scale_sum.
    """
    scale, scale_sum = fold_scale(shrink, V, U, scale, scale_sum)
    changed = n > 0 and d != 0.0
    if changed:
        factor, factor_of_sum = 1.0 / scale * d, scale_sum / scale * d
        for i in range(0, n, 2):
            V[np.uint64(entries[i])] += factor * amounts[i]
            V[np.uint64(entries[i + 1])] -= factor * amounts[i]
        if len(U) > 0:
            for i in range(0, n, 2):
                U[np.uint64(entries[i])] += factor_of_sum * amounts[i]
                U[np.uint64(entries[i + 1])] -= factor_of_sum * amounts[i]
    return changed, scale, scale_sum + scale


@kernel()
def _round(sentences, order, steps, shrinkage, rule, costs, augmented, V, U, state):
    starts, indptr, indices, labels, n_features, values = sentences
    n_tags = V.shape[1]
    has_chain = V.shape[0] > n_features + 1
    max_words, max_entries = buffer_sizes(starts, indptr)
    emissions, best = np.empty((max_words, n_tags)), np.empty((max_words, n_tags))
    from_tag = np.empty((n_tags if has_chain else 0, n_tags))
    start, stop = np.empty(n_tags), np.empty(n_tags)
    path = np.empty(max_words, np.int64)
    entries, amounts = np.empty(max_entries, np.int64), np.empty(max_entries)
    n_keys = 2
    while n_keys < 2 * max_entries:
        n_keys *= 2
    keys, sums, places = np.full(n_keys, -1, np.int64), np.zeros(n_keys), np.empty(max_entries, np.uint64)
    scores, cost = np.zeros(2), np.zeros(2)
    flat_V, flat_U = V.reshape(V.size), U.reshape(U.size)
    scale, scale_sum = state[0], state[1]
    n_updates = 0
    for i in range(len(order)):
        m = order[i]
        first = starts[m]
        n_words = score_words(starts, indptr, indices, values, m, V, scale, emissions)
        if has_chain:
            score_chain(V, scale, n_features, from_tag, start, stop)
        if augmented:
            add_costs(n_words, labels, first, costs, emissions)
        best_path(n_words, emissions, from_tag, start, stop, best, path)
        n = _list_difference(
            starts, indptr, indices, values, m, labels, path, n_features, n_tags, has_chain, entries, amounts
        )
        sq_norm = _squared_norm(n, entries, amounts, keys, sums, places)
        d = 0.0
        if sq_norm > 0.0:
            # The rule is called with two classes, the rival 0 and the truth 1. A tie goes to the rival, as in the search.
            cost[0] = 0.0
            for t in range(n_words):
                cost[0] += costs[labels[first + np.int64(t)], path[t]]
            scores[0] = max(0.0, score_difference(n_words, labels, first, emissions, from_tag, start, stop, path))
            if augmented:
                scores[0] -= cost[0]
            update = call_rule(rule, scores, 1, 0.5 * sq_norm, steps[i], cost)
            if len(update) != 2:
                return -1
            d = update[1]
            if abs(update[0] + d) > 1e-9 * (abs(update[0]) + abs(d)):
                return -1
        shrink = 1.0 - steps[i] * shrinkage
        changed, scale, scale_sum = _update(n, entries, amounts, d, shrink, flat_V, flat_U, scale, scale_sum)
        n_updates += changed
    state[0], state[1] = scale, scale_sum
    return n_updates


def run_round(rule, sentences, costs, shrinkage, augmented, weights, order, steps):
    """Run one compiled round of online learning.

    Parameters
    ----------
    rule : result of :func:`lxmls_day1.engine.kernels.row_steps.machine_code_of`
        The rule of one of the flat learners.
    sentences : Sentences
    costs : float64 array (K, K)
        Row y is ρ(·, y).
    shrinkage : float
        λ: the weights shrink by the factor 1 − step · λ before each update.
    augmented : bool
        True if the rival is the sequence with the highest score plus cost.
    weights : lxmls_day1.engine.kernels.row_steps.Weights
        Weights in the format of ``chain_search.py``, changed in place.
    order, steps : int64 array (T,), float64 array (T,)
        The sentence and the step size of each step.

    Returns
    -------
    int
        The number of updates.

    Raises
    ------
    InputError
        If the result of the rule is not (−d, d).
    """
    # These types are always the same, so that the round is compiled once.
    order, steps, costs = map(as_read_only, (order, steps, costs))
    code, arrays = address_of(rule), (weights.V, weights.U, weights.state)
    updates = _round(frozen(sentences), order, steps, shrinkage, code, costs, augmented, *arrays)
    if updates < 0:
        raise InputError(
            f"{rule.__name__} must raise the true path by as much as it lowers its rival, d = (−τ, τ), but its two numbers do "
            "not sum to 0"
        )
    weights.n_steps += len(order)
    return int(updates)


# ------------------------------------------------------------------------------------------------------ whole data sets


def _viterbi_in_numpy(sentences, costs, W):
    starts, _, _, labels, n_features, _ = sentences
    scores = sentences.matrix() @ W[1 : 1 + n_features] + W[0]  # (N, K)
    n_words, n_tags = scores.shape
    if len(labels):
        scores += costs[labels]
    chain = W[1 + n_features :] if len(W) > 1 + n_features else np.zeros((n_tags + 2, n_tags))
    from_tag, start, stop = chain[:n_tags].T, chain[-2], chain[-1]  # from_tag[j, k]: from k to j
    paths, losses = np.empty(n_words, np.int64), np.zeros(len(starts) - 1)
    for m, (first, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        emissions, path = scores[first:end], paths[first:end]
        ahead = emissions.copy()  # becomes the maximum score of the words from t on
        ahead[-1] += stop
        for t in range(len(path) - 2, -1, -1):
            ahead[t] += (from_tag + ahead[t + 1][:, None]).max(axis=0)
        path[0] = np.argmax(start + ahead[0])
        for t in range(1, len(path)):
            path[t] = np.argmax(from_tag[:, path[t - 1]] + ahead[t])
        if len(labels):
            losses[m], truth = (
                start[tags[0]]
                + emissions[np.arange(len(tags)), tags].sum()
                + from_tag[tags[1:], tags[:-1]].sum()
                + stop[tags[-1]]
                for tags in (path, labels[first:end])
            )
            losses[m] -= truth
    return paths, losses


@kernel(_viterbi_in_numpy)
def find_best_paths(sentences: Sentences, costs: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return by Viterbi's search the best path of each sentence, concatenated (N,), and its lead over the true tags (M,).

    The costs are added to the scores if the sentences have labels; row y of ``costs`` is ρ(·, y). The arrays are read-only.
    """
    starts, indptr, indices, labels, n_features, values = sentences
    n_tags = W.shape[1]
    has_chain, augmented = W.shape[0] > n_features + 1, len(labels) > 0
    max_words, _ = buffer_sizes(starts, indptr)
    emissions, best = np.empty((max_words, n_tags)), np.empty((max_words, n_tags))
    from_tag = np.empty((n_tags if has_chain else 0, n_tags))
    start, stop = np.empty(n_tags), np.empty(n_tags)
    paths, losses = np.empty(starts[-1], np.int64), np.zeros(len(starts) - 1)
    if has_chain:
        score_chain(W, 1.0, n_features, from_tag, start, stop)
    for m in range(len(losses)):
        path = paths[starts[m] : starts[m + 1]]
        n_words = score_words(starts, indptr, indices, values, m, W, 1.0, emissions)
        if augmented:
            add_costs(n_words, labels, starts[m], costs, emissions)
        best_path(n_words, emissions, from_tag, start, stop, best, path)
        if augmented:
            losses[m] = score_difference(n_words, labels, starts[m], emissions, from_tag, start, stop, path)
    return paths, losses
