"""Forward-backward: compute sums over all tag sequences of a sentence without enumerating them.

Viterbi's search computes the maximum score of a sequence. A conditional random field (``crf.py``) needs the sum of exp(s(y))
over all of them, Z, the *partition function*. The recursion is the same with log Σ exp instead of max. It starts at the first
word: forward(t, j) is the log of the sum over all prefixes y_1 … y_t that end in the tag j,

    forward(1, j) = start(j) + emissions(1, j)
    forward(t, j) = emissions(t, j) + log Σ_k exp [forward(t − 1, k) + transitions(k, j)]
    log Z         = log Σ_k exp [forward(T, k) + stop(k)]

and backward(t, k) is the log of the sum over all suffixes y_t+1 … y_T after the tag k at word t:

    backward(T, k) = stop(k)
    backward(t, k) = log Σ_j exp [transitions(k, j) + emissions(t + 1, j) + backward(t + 1, j)]

The two are combined at every word: p(y_t = k | x) = exp [forward(t, k) + backward(t, k) − log Z], the *marginal*, is the share of Z
that belongs to the sequences with the tag k at word t. exp(s) overflows from s = 710 on, so everything is computed in logarithms.

Sources: L. Baum et al., A maximization technique occurring in the statistical analysis of probabilistic functions of Markov
chains, 1970; J. Lafferty, A. McCallum, F. Pereira, Conditional random fields, ICML 2001.
"""

import numpy as np

from classifiers.structured.viterbi import ChainScores


def forward(scores: ChainScores) -> np.ndarray:
    """Return, for each word and tag, the log of the sum over all prefixes of the sentence that end there.

    Parameters
    ----------
    scores : ChainScores, of at least one word

    Returns
    -------
    array (T, K)

    Examples
    --------
    All scores are 0, so the sums count prefixes: one for each tag of the first word, two for each tag of the second, …

    >>> zeros = ChainScores(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    >>> np.exp(forward(zeros)).round(6)
    array([[1., 1.],
           [2., 2.],
           [4., 4.]])
    """
    emissions, transitions, start, _ = scores
    # exercise 1.17: solution (5 lines)
    sums = emissions.copy()  # (T, K)
    sums[0] += start
    for t in range(1, len(sums)):
        sums[t] += np.logaddexp.reduce(sums[t - 1][:, None] + transitions, axis=0)
    return sums
    # exercise 1.17: end


def log_sum_exp(a: np.ndarray, axis: int = -1) -> np.ndarray:
    """log Σ exp(a) of an array of any shape along an axis, without overflow; −∞ if all entries are −∞.

    >>> float(log_sum_exp(np.array([1000.0, 1000.0])).round(4))
    1000.6931
    """
    return np.logaddexp.reduce(a, axis=axis)


def backward(scores: ChainScores) -> np.ndarray:
    """Return, for each word and tag (T, K), the log of the sum over all suffixes of the sentence after this word.

    Examples
    --------
    All scores are 0, so the sums count suffixes: one after the last word, two after the second to last, …

    >>> zeros = ChainScores(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    >>> np.exp(backward(zeros)).round(6)
    array([[4., 4.],
           [2., 2.],
           [1., 1.]])
    """
    emissions, transitions, _, stop = scores
    sums = np.empty(emissions.shape)
    sums[-1] = stop
    for t in range(len(sums) - 2, -1, -1):
        sums[t] = log_sum_exp(transitions + (emissions[t + 1] + sums[t + 1]), axis=1)
    return sums


def log_partition(scores: ChainScores) -> float:
    """Return log Z: the log of the sum of exp(s(y)) over all tag sequences.

    Examples
    --------
    >>> zeros = ChainScores(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    >>> round(float(np.exp(log_partition(zeros))), 6)  # the number of sequences
    8.0
    """
    return float(log_sum_exp(forward(scores)[-1] + scores.stop))


def marginals(scores: ChainScores) -> np.ndarray:
    """Return p(y_t = k | x) for each word and tag, (T, K): every row sums to 1.

    Examples
    --------
    For one word this is the maximum-entropy model:

    >>> marginals(ChainScores(np.array([[np.log(3.0), 0.0]]), np.zeros((2, 2)), np.zeros(2), np.zeros(2)))
    array([[0.75, 0.25]])
    """
    return np.exp(forward(scores) + backward(scores) - log_partition(scores))


def pair_marginals(scores: ChainScores) -> np.ndarray:
    """Return p(y_t = k, y_t+1 = j | x) for each pair of neighbouring words and their tags, (T − 1, K, K).

    Examples
    --------
    Among the four sequences of two tags, (0, 0) counts twice as much as each of the others:

    >>> transitions = np.log([[2.0, 1.0], [1.0, 1.0]])
    >>> pair_marginals(ChainScores(np.zeros((2, 2)), transitions, np.zeros(2), np.zeros(2))).round(6)
    array([[[0.4, 0.2],
            [0.2, 0.2]]])
    """
    before, after = forward(scores)[:-1], (scores.emissions + backward(scores))[1:]
    return np.exp(before[:, :, None] + scores.transitions + after[:, None, :] - log_partition(scores))
