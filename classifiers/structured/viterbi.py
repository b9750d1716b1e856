"""Viterbi's search: find the best of all tag sequences of a sentence without enumerating them.

The score of a sequence y_1 … y_T is a sum over its parts,

    s(y) = start(y_1) + Σ_t emissions(t, y_t) + Σ_t transitions(y_t, y_t+1) + stop(y_T)

So the maximum score of the words from t on, if word t has the tag k, follows from the maxima for word t + 1:

    best(T, k) = emissions(T, k) + stop(k)
    best(t, k) = emissions(t, k) + max_j [transitions(k, j) + best(t + 1, j)]

This takes K² steps per word, although there are K^T sequences. The search goes from the last word to the first, and the best sequence
is then read off from the first word to the last. So a tie is won by the first sequence in lexicographic order, as with ``np.argmax``
over the list of all sequences. (Many texts search in the other direction and store back-pointers; the scores are the same.)

Sources: A. J. Viterbi, Error bounds for convolutional codes, IEEE Transactions on Information Theory 13, 1967; for the
cost-augmented search B. Taskar, C. Guestrin, D. Koller, Max-margin Markov networks, NIPS 2003.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class ChainScores(NamedTuple):
    """The scores of all components of the tag sequences of one sentence; T words, K tags.

    Examples
    --------
    >>> scores = ChainScores(np.array([[3.0, 0.0], [0.0, 1.0]]), np.zeros((2, 2)), start=np.zeros(2), stop=np.zeros(2))
    >>> path_score(scores, [0, 1])
    4.0
    """

    emissions: np.ndarray  # (T, K): the score of tag k for word t
    transitions: np.ndarray  # (K, K): the score of the tag of the column after the tag of the row
    start: np.ndarray  # (K,): the score of each tag for the first word
    stop: np.ndarray  # (K,): the score of each tag for the last word


def viterbi(scores: ChainScores) -> np.ndarray:
    """Return the tag sequence with the highest score.

    Returns
    -------
    path : int array (T,)
        Tag numbers; in a tie the first sequence in lexicographic order.

    Examples
    --------
    Alone, the second word would get the tag 1; but the transition from 0 to 1 costs more than this tag gains:

    >>> emissions, transitions = np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([[0.0, -2.0], [0.0, 0.0]])
    >>> viterbi(ChainScores(emissions, transitions, np.zeros(2), np.zeros(2)))
    array([0, 0])
    """
    emissions, transitions, start, stop = scores
    # exercise 1.13: solution (8 lines)
    best = emissions.copy()  # (T, K)
    best[-1] += stop
    for t in range(len(best) - 2, -1, -1):
        best[t] += (transitions + best[t + 1]).max(axis=1)
    path = [np.argmax(start + best[0])]
    for t in range(1, len(best)):
        path.append(np.argmax(transitions[path[-1]] + best[t]))
    return np.array(path, dtype=np.int64)
    # exercise 1.13: end


def path_score(scores: ChainScores, path: ArrayLike) -> float:
    """Return the score s(y) of one tag sequence.

    Parameters
    ----------
    scores : ChainScores
    path : int array (T,)

    Returns
    -------
    float

    Examples
    --------
    >>> ones = ChainScores(np.ones((3, 2)), np.ones((2, 2)), np.ones(2), np.ones(2))
    >>> path_score(ones, [0, 1, 1])  # three words, two steps between them, a first and a last
    7.0
    """
    emissions, transitions, start, stop = scores
    path = np.asarray(path)
    of_words = emissions[np.arange(len(path)), path].sum()
    return float(start[path[0]] + of_words + transitions[path[:-1], path[1:]].sum() + stop[path[-1]])


def cost_augmented(scores: ChainScores, truth: ArrayLike, cost: ArrayLike) -> ChainScores:
    """Return scores s(y') + ρ(y', y), with which the search finds the sequence that violates the margin most.

    ρ is a sum over the words, so it is added to the emissions. With 0/1 costs it is the number of wrong tags.

    Parameters
    ----------
    scores : ChainScores
    truth : int array (T,)
        The true tags y.
    cost : array (K, K)
        ``cost[p, y]`` is the cost of the tag p if y is true.

    Returns
    -------
    ChainScores

    Examples
    --------
    >>> scores = ChainScores(np.array([[2.0, 1.5]]), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    >>> viterbi(scores), viterbi(cost_augmented(scores, [0], 1 - np.eye(2)))
    (array([0]), array([1]))
    """
    return scores._replace(emissions=scores.emissions + np.asarray(cost).T[np.asarray(truth)])
