"""Iterative parameter mixing: train on several parts of the data at the same time, then average the weights. Written for reading.

Each of P parts starts with the weights of the last mixing and takes steps on its own examples. It ends with

    W_p    its weights after its last step
    S_p    the sum of its weights after each of its steps
    T_p    the number of its steps
    ω_p    its share of the examples, Σ_p ω_p = 1

Then all parts continue from the mean of their weights, W = Σ_p ω_p W_p. The final result is not W but the average over all
steps of all parts, (Σ_p S_p) / (Σ_p T_p); so the sums and the numbers of steps are added up, too.

Mixing only once, at the end, is not enough: the mean of two weight matrices that separate the data need not separate them.

``online_classifier.py`` mixes in the same way for ``n_jobs=P``, with S_p in the form of ``running_average.py``.

Source: R. McDonald, K. Hall, G. Mann, Distributed training strategies for the structured perceptron, 2010.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np


def mixed(
    weights: np.ndarray, sums: np.ndarray, n_steps: np.ndarray, shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the mixed weights of all parts, and the sum and the number of all their steps.

    Parameters
    ----------
    weights : array (P, J + 1, K)
        W_p of each part, after its last step.
    sums : array (P, J + 1, K)
        S_p of each part: the sum of its weights after each of its steps.
    n_steps : int array (P,)
        T_p of each part.
    shares : array (P,)
        ω_p of each part; they sum to 1.

    Returns
    -------
    W : array (J + 1, K)
        The mean of the weights, weighted by the shares.
    total : array (J + 1, K)
        The sum of the weights after each step of every part.
    count : int
        The number of these steps: total / count is their average.

    Examples
    --------
    One part took three steps, the other took one:

    >>> weights, sums = np.array([[[4.0]], [[8.0]]]), np.array([[[9.0]], [[8.0]]])
    >>> W, total, count = mixed(weights, sums, np.array([3, 1]), np.array([0.75, 0.25]))
    >>> W.tolist(), total.tolist(), int(count)
    ([[5.0]], [[17.0]], 4)
    """
    # exercise 1.15: solution (4 lines)
    W = (shares[:, None, None] * weights).sum(axis=0)
    total = sums.sum(axis=0)
    count = n_steps.sum()
    return W, total, count
    # exercise 1.15: end


class Mixture(NamedTuple):
    """The result of `train_in_parts`.

    Examples
    --------
    One part is ordinary training. Its first step changes nothing and its second step does, so the mean over both is half of the last
    weights:

    >>> from classifiers.perceptron import perceptron_rule
    >>> X, labels = np.array([[2.0], [-1.0]]), np.array([0, 1])
    >>> learnt = train_in_parts(perceptron_rule, X, labels, [[np.array([0, 1])]])
    >>> learnt.weights[:, 1].tolist(), learnt.average[:, 1].tolist()
    ([1.0, -1.0], [0.5, -0.5])
    """

    average: np.ndarray  # (J + 1, K): the mean of the weights after each step of every part
    weights: np.ndarray  # (J + 1, K): the weights after the last mixing


def train_in_parts(
    rule: Callable[..., Any], X: Any, labels: np.ndarray, segments: Iterable[Sequence[np.ndarray]]
) -> Mixture:
    """Train with a rule that does not shrink the weights, with steps of size 1, on several parts at a time.

    Parameters
    ----------
    rule : function (scores, label, sq_norm, step, cost) -> d (K,)
        For example ``perceptron_rule``.
    X : array or sparse matrix (M, J)
    labels : int array (M,)
        Column numbers 0 … K − 1.
    segments : iterable of lists of P int arrays
        For each period between two mixings: the examples that each of the P parts visits, in order.

    Examples
    --------
    Two parts with two examples each, mixed after each of two rounds:

    >>> from classifiers.perceptron import perceptron_rule
    >>> X, labels = np.array([[2.0], [-1.0], [1.0], [-2.0]]), np.array([1, 0, 1, 0])
    >>> parts = [np.array([0, 1]), np.array([2, 3])]
    >>> train_in_parts(perceptron_rule, X, labels, [parts, parts]).weights[:, 1].tolist()
    [1.0, 1.5]
    """
    # Imported here because importing numba is slow.
    from lxmls_day1.lab_api import Rows

    labels = np.asarray(labels, dtype=np.int64)
    rows = Rows(X, labels, int(labels.max()) + 1)
    W = np.zeros((rows.n_features + 1, rows.n_classes))
    total, count = np.zeros_like(W), 0
    for segment in segments:
        parts = []
        for order in segment:
            after, mean = rows.online_steps(rule, W, order)
            parts.append((after, len(order) * mean, len(order)))
        weights, sums, n_steps = map(np.array, zip(*parts, strict=True))
        W, of_segment, n_of_segment = mixed(weights, sums, n_steps, n_steps / n_steps.sum())
        total, count = total + of_segment, count + n_of_segment
    return Mixture(total / count, W)
