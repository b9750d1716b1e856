"""The perceptron as it was invented: two classes, −1 and +1, and one weight vector.

    ŷ = sign(w · g(x)),    and on a mistake    w ← w + y g(x)

with g(x) = (1, x), whose leading 1 is the bias feature; without it, x = 0 could only ever be negative. sign(0) counts
as −1. Training goes through the examples again and again, and stops after the first pass without a mistake. It comes
to that if and only if a line (a hyperplane) parts the classes; then no pass order makes more than (R/γ)² updates, see
``mistake_bounds.py``.

It is the multi-class perceptron for K = 2: the columns −w and w score the two classes, and the tie between them goes
to the first, which is the negative one.

Sources: F. Rosenblatt, The perceptron, Psychological Review 65, 1958; A. Novikoff, On convergence proofs for
perceptrons, 1962.
"""

import functools
import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from classifiers.online_classifier import Round
from lxmls_day1.checks import as_numbers, check_number, check_sample_weight, listed
from lxmls_day1.engine.examples import trained_with, training_data
from lxmls_day1.errors import InputError


def one_pass(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, signs: np.ndarray, order: np.ndarray, w: np.ndarray
) -> int:
    """Visit the examples once, and learn from the mistakes.

    Parameters
    ----------
    indptr, indices, data : arrays
        The rows of a CSR matrix (M, J): example m has the features ``indices[indptr[m] : indptr[m + 1]]``, counted from
        0, with the values that stand at the same places of ``data``.
    signs : array (M,)
        y, −1 or +1; or a multiple of it, by which the example counts.
    order : int array
        The examples in the order of their visits.
    w : float64 array (J + 1,)
        The weights, the intercept first; changed in place.

    Returns
    -------
    mistakes : int

    Examples
    --------
    One feature: x = 2 is positive, x = −3 negative. An activation of 0 is a negative answer, wrong for the first:

    >>> rows, w = (np.array([0, 1, 2]), np.array([0, 0]), np.array([2.0, -3.0])), np.zeros(2)
    >>> one_pass(*rows, np.array([1, -1]), np.array([0, 1]), w), w
    (1, array([1., 2.]))
    >>> one_pass(*rows, np.array([1, -1]), np.array([0, 1]), w)
    0
    """
    mistakes = 0
    for m in order:
        activation = w[0]  # w · g(x)
        for i in range(indptr[m], indptr[m + 1]):
            activation += data[i] * w[indices[i] + 1]
        guess = 1 if activation > 0 else -1
        if guess * signs[m] < 0:
            mistakes += 1
            w[0] += signs[m]
            for i in range(indptr[m], indptr[m + 1]):
                w[indices[i] + 1] += signs[m] * data[i]
    return mistakes


class BinaryPerceptron(LinearClassifier):
    """The perceptron of two classes, run until a pass makes no mistake.

    Parameters
    ----------
    max_rounds : int ≥ 1
        The end for data that no line parts.
    order : int array (M,), optional
        The order in which every pass visits the examples; as they stand in the data if not given.

    Attributes
    ----------
    classes : array (2,)
        The two labels in ascending order: ``classes[0]`` is the negative class, −1, and ``classes[1]`` the other, +1.
    converged : bool
        Whether the last pass made no mistake: then the parameters part the training data. False after ``max_rounds``.
    weights : array (J + 1,)
        w, the intercept first.
    history : list of :class:`classifiers.online_classifier.Round`
        A record of each pass; its ``updates`` are the mistakes.
    nr_updates : int
        All mistakes together.

    Examples
    --------
    Logical "and" can be learnt, "exclusive or" cannot:

    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> perceptron = BinaryPerceptron(max_rounds=100)
    >>> params = perceptron.train(X, [-1, -1, -1, 1])
    >>> perceptron.converged, perceptron.test(X, params)
    (True, array([-1, -1, -1,  1]))
    >>> params = perceptron.train(X, [-1, 1, 1, -1])
    >>> perceptron.converged, len(perceptron.history)
    (False, 100)
    """

    name = "Binary perceptron"

    def __init__(self, max_rounds: int = 1000, order: ArrayLike | None = None) -> None:
        super().__init__()
        self.max_rounds = max_rounds
        self.order = order
        self.converged = False
        self.weights: np.ndarray | None = None
        self.history: list[Round] = []
        self.nr_updates = 0

    def train(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Go through the data until a pass makes no mistake, ``max_rounds`` times at most.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels of two kinds
        sample_weight : M numbers ≥ 0, optional
            By which factor each example is added on a mistake; 1 if not given. One of weight 0 makes no mistake.

        Returns
        -------
        params : array (J + 1, 2)
            The columns −w and w, so that sign(w · g(x)) is the class with the higher score.

        Raises
        ------
        InputError
            For data that cannot be trained on, more than two classes, or settings that make no sense.
        """
        from lxmls_day1.engine.compiled import sparse_rows  # numba: imported when it is needed, and not before

        max_rounds = check_number("max_rounds", self.max_rounds, at_least=1, whole=True)
        X, labels = training_data(self, X, y)
        if len(self.classes) != 2:
            raise InputError(
                f"the binary perceptron parts two classes, but the data has {len(self.classes)}: "
                f"{listed(self.classes)}; use Perceptron for these"
            )
        order = self._order(len(labels))
        examples = sparse_rows.as_examples(X)
        weights = check_sample_weight(sample_weight, labels)
        signs, w = (2.0 * labels - 1.0) * (1.0 if weights is None else weights), np.zeros(X.shape[1] + 1)

        self.converged, self.history, self.nr_updates, seconds = False, [], 0, 0.0
        while not self.converged and len(self.history) < max_rounds:
            started = time.perf_counter()
            mistakes = _compiled_pass()(examples.indptr, examples.indices, examples.data, signs, order, w)
            seconds += time.perf_counter() - started
            self.history.append(Round(len(self.history) + 1, mistakes, seconds, None))
            self.nr_updates += mistakes
            self.converged = mistakes == 0
        params = trained_with(self, np.column_stack([-w, w]))
        self.weights = w
        return params

    def _order(self, n_examples):
        if self.order is None:
            return np.arange(n_examples)
        as_numbers(self.order, "order must hold example numbers")
        order = np.asarray(self.order)
        if order.dtype.kind not in "iu" or not np.array_equal(np.sort(order, axis=None), np.arange(n_examples)):
            raise InputError(
                f"order must hold each of the example numbers 0 … {n_examples - 1} once, but has the shape "
                f"{order.shape} and the type {order.dtype}; a pass that leaves out examples proves nothing"
            )
        return np.ascontiguousarray(order.ravel(), dtype=np.int64)


@functools.cache
def _compiled_pass():
    from lxmls_day1.engine.compiled.primitives import kernel

    return kernel()(one_pass)
