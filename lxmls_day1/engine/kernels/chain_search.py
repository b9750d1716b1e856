"""The compiled search for sequence tagging: the scores of one sentence, its best tag sequence, and the score difference.

All functions work on sentences whose words have features, each with a value that is usually 1 (``Sentences``), and on one
weight matrix ``V``, row-major, with a column for each of the K tags:

============================  =================================================
row 0                         the bias of each tag
rows 1 … J                    emissions: feature j − 1 with each tag
rows R … R + K − 1, R = J+1   transitions: from tag (row) to tag (column)
row R + K                     the first word has the tag
row R + K + 1                 the last word has the tag
============================  =================================================

A matrix that ends after row J has no transitions; then each word is tagged independently, as ``sparse_rows.py`` classifies
rows.

``classifiers/structured/viterbi.py`` is a readable implementation of the search.
"""

from typing import NamedTuple

import numpy as np

from lxmls_day1.base import sparse as sp
from lxmls_day1.engine.kernels.primitives import kernel

# These functions are inlined into their callers, and contain no reference-counted objects, because counting is slow.
CHAIN_PRIMITIVE = {"forceinline": True, "_nrt": False}


class Sentences(NamedTuple):
    """M sentences with a total of N words, in the format of the kernels."""

    starts: np.ndarray  # (M + 1,) int64: the words of sentence m are those from starts[m] to starts[m + 1]
    indptr: np.ndarray  # (N + 1,) int64: the features of word n are indices[indptr[n] : indptr[n + 1]]
    indices: np.ndarray  # (nnz,) int32: features, counted from 0 without the bias
    labels: np.ndarray  # (N,) int64: the true tags
    n_features: int  # J
    values: np.ndarray = np.empty(0)  # (nnz,) float64: the values of these features; empty if all values are 1

    def matrix(self):
        """Return the features of all words as a sparse matrix (N, J)."""
        values = self.values if len(self.values) else np.ones(len(self.indices))
        return sp.csr_array((values, self.indices, self.indptr), shape=(len(self.indptr) - 1, self.n_features))


@kernel(**CHAIN_PRIMITIVE)
def buffer_sizes(starts, indptr):
    """Return the number of words of the longest sentence, and the maximum number of entries of a difference."""
    n_words, n_entries = 0, 0
    for m in range(len(starts) - 1):
        words = starts[m + 1] - starts[m]
        n_words = max(n_words, words)
        n_entries = max(n_entries, 2 * (indptr[starts[m + 1]] - indptr[starts[m]] + 2 * words + 1))
    return n_words, n_entries


# --------------------------------------------------------------------------------------------------------------- scores


@kernel(**CHAIN_PRIMITIVE)
def score_words(starts, indptr, indices, values, m, V, scale, emissions):
    """Compute emissions[t, k] ← scale · (V[0, k] + Σ_j x_j V[j + 1, k]) for the features j of word t; return the number of words."""
    # Unsigned indices need no check for negative values, and V[j, k] creates no view of a row; both save time here.
    first, n_words, n_tags = np.uint64(starts[m]), np.uint64(starts[m + 1] - starts[m]), np.uint64(V.shape[1])
    for t in range(n_words):
        for k in range(n_tags):
            emissions[t, k] = V[np.uint64(0), k]
        for i in range(np.uint64(indptr[first + t]), np.uint64(indptr[first + t + np.uint64(1)])):
            j, value = np.uint64(np.uint32(indices[i])) + np.uint64(1), values[i] if len(values) > 0 else 1.0
            for k in range(n_tags):
                emissions[t, k] += value * V[j, k]
        if scale != 1.0:
            for k in range(n_tags):
                emissions[t, k] *= scale
    return n_words


@kernel(**CHAIN_PRIMITIVE)
def score_chain(V, scale, n_features, from_tag, start, stop):
    """Compute the scores of transitions, with ``from_tag[j, k]`` from tag k to tag j, and of the first and the last tag."""
    n_tags = np.uint64(V.shape[1])
    row = np.uint64(n_features + 1)
    for k in range(n_tags):
        for j in range(n_tags):
            from_tag[j, k] = scale * V[row + k, j]
        start[k] = scale * V[row + n_tags, k]
        stop[k] = scale * V[row + n_tags + np.uint64(1), k]


@kernel(**CHAIN_PRIMITIVE)
def add_costs(n_words, labels, first, costs, emissions):
    """Add ρ(k, y_t) to emissions[t, k]: the cost of a sequence is a sum over its words, so it can be part of the emissions."""
    n_tags = np.uint64(emissions.shape[1])
    for t in range(n_words):
        label = np.uint64(labels[np.uint64(first) + t])
        for k in range(n_tags):
            emissions[t, k] += costs[label, k]


# --------------------------------------------------------------------------------------------------------------- search


@kernel(**CHAIN_PRIMITIVE)
def _best_tags(n_words, emissions, path):
    """Write the best tag of each word, tagged independently, to ``path``; a tie goes to the first tag."""
    for t in range(n_words):
        top = np.uint64(0)
        for k in range(np.uint64(emissions.shape[1])):
            if emissions[t, k] > emissions[t, top]:
                top = k
        path[t] = top


@kernel(**CHAIN_PRIMITIVE)
def best_path(n_words, emissions, from_tag, start, stop, best, path):
    """Write the tag sequence with the highest score to ``path``; a tie goes to the first sequence in lexicographic order.

    best[t, k] becomes the maximum score of the words from t on if word t has the tag k. A pass from the first word on then
    reads the best tags. Without transitions (``from_tag`` has no rows) the words are independent.
    """
    if from_tag.shape[0] == 0:
        _best_tags(n_words, emissions, path)
        return
    n_tags = np.uint64(emissions.shape[1])
    one = np.uint64(1)
    last = n_words - one
    for k in range(n_tags):
        best[last, k] = emissions[last, k] + stop[k]
    for back in range(last):
        t = last - one - back
        for k in range(n_tags):
            best[t, k] = -np.inf
        for j in range(n_tags):
            rest = best[t + one, j]
            for k in range(n_tags):
                score = from_tag[j, k] + rest
                best[t, k] = score if score > best[t, k] else best[t, k]
        for k in range(n_tags):
            best[t, k] += emissions[t, k]
    top = np.uint64(0)
    for k in range(n_tags):
        if start[k] + best[np.uint64(0), k] > start[top] + best[np.uint64(0), top]:
            top = k
    path[0] = top
    for t in range(one, n_words):
        tag, top = np.uint64(top), np.uint64(0)
        for j in range(n_tags):
            if from_tag[j, tag] + best[t, j] > from_tag[top, tag] + best[t, top]:
                top = j
        path[t] = top


@kernel(**CHAIN_PRIMITIVE)
def score_difference(n_words, labels, first, emissions, from_tag, start, stop, path):
    """Return the score of ``path`` minus the score of the true tags, summed over the positions with different tags."""
    gain = 0.0
    has_chain = from_tag.shape[0] > 0
    before, true_before = np.uint64(0), np.uint64(0)
    for t in range(n_words):
        tag, true = np.uint64(path[t]), np.uint64(labels[np.uint64(first) + t])
        if tag != true:
            gain += emissions[t, tag] - emissions[t, true]
        if has_chain:
            if t == np.uint64(0):
                gain += start[tag] - start[true]
            elif tag != true or before != true_before:
                gain += from_tag[tag, before] - from_tag[true, true_before]
        before, true_before = tag, true
    if has_chain:
        gain += stop[before] - stop[true_before]
    return gain


def k_best(emissions, transitions, start, stop, k):
    """Return the k tag sequences of a sentence with the highest scores, best first, ties in lexicographic order.

    This function is plain NumPy.

    Parameters
    ----------
    emissions : array (T, K)
    transitions : array (K, K)
        The score of the transition from the tag of the row to the tag of the column.
    start, stop : arrays (K,)
    k : int ≥ 1

    Returns
    -------
    paths : int array (n, T), n = min(k, K^T)
    """
    n_words, n_tags = emissions.shape
    best = (emissions[-1] + stop)[:, None]  # (K, n): the n best scores from a word on, for each of its tags
    chosen = []  # from the last but one word backwards: (K, n), the tag and rank of the next word
    for t in range(n_words - 2, -1, -1):
        ways = (transitions[:, :, None] + best[None]).reshape(n_tags, -1)  # (K, K n): by tag and rank of the next word
        order = np.argsort(-ways, axis=1, kind="stable")[:, :k]
        chosen.append(np.divmod(order, best.shape[1]))
        best = emissions[t][:, None] + np.take_along_axis(ways, order, axis=1)
    tag, rank = np.divmod(np.argsort(-(start[:, None] + best).ravel(), kind="stable")[:k], best.shape[1])
    path = [tag]
    for next_tag, next_rank in reversed(chosen):
        tag, rank = next_tag[tag, rank], next_rank[tag, rank]
        path.append(tag)
    return np.stack(path, axis=1)
