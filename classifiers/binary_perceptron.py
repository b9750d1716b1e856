"""The original perceptron: two classes, −1 and +1, and one weight vector.

    ŷ = sign(w · g(x)),    and on a mistake    w ← w + y g(x)

with g(x) = (1, x), whose leading 1 is the bias feature. Without it, x = 0 could only be classified as negative, because sign(0)
counts as −1. Training passes over the examples again and again, and stops after the first pass without a mistake. It reaches such
a pass if and only if a hyperplane separates the classes; then any order of the examples leads to at most (R/γ)² updates, see
``mistake_bounds.py``.

It is the multi-class perceptron for K = 2: the columns −w and w score the two classes, and a tie goes to the first class, which is
the negative one.

Sources: F. Rosenblatt, The perceptron, Psychological Review 65, 1958; A. Novikoff, On convergence proofs for
perceptrons, 1962.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.linear_classifier import LinearClassifier
from classifiers.perceptron import Perceptron
from lxmls_day1.lab_api import InputError, as_numbers, setting


@dataclass(eq=False, repr=False)
class BinaryPerceptron(LinearClassifier):
    """The perceptron for two classes, run until a pass makes no mistake.

    Parameters
    ----------
    max_rounds : int ≥ 1
        The maximum number of passes, for data that are not linearly separable.
    order : int array (M,), optional
        The order in which every pass visits the examples. Default: the order of the data.

    Attributes
    ----------
    classes : array (2,)
        The two labels in ascending order: ``classes[0]`` is the negative class, −1, and ``classes[1]`` the other, +1.
    converged : bool
        True if the last pass made no mistake, so that the parameters separate the training data. False if training stopped at
        ``max_rounds``.
    weights : array (J + 1,)
        w, the intercept first.
    history : list of :class:`lxmls_day1.engine.loops.learners.Round`
        A record of each pass; its ``updates`` are the mistakes.
    nr_updates : int
        The number of mistakes in all passes.

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

    max_rounds: int = setting(1000, at_least=1, whole=True)
    order: ArrayLike | None = None

    converged: bool = field(default=False, init=False)
    weights: np.ndarray | None = field(default=None, init=False)
    history: list[Any] = field(default_factory=list, init=False)
    nr_updates: int = field(default=0, init=False)

    def train(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Pass over the data until a pass makes no mistake, at most ``max_rounds`` times.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels of two kinds
        sample_weight : M numbers ≥ 0, optional
            The factor by which each example is multiplied in an update. Default: 1. An example of weight 0 makes no mistake.

        Returns
        -------
        params : array (J + 1, 2)
            The columns −w and w, so that sign(w · g(x)) is the class with the higher score.

        Raises
        ------
        InputError
            For data that cannot be trained on, more than two classes, or invalid settings.
        """
        X, labels, weights = self._training_data(X, y, sample_weight)
        if len(self.classes) != 2:
            more = ", …" if len(self.classes) > 10 else ""
            raise InputError(
                f"the binary perceptron separates two classes, but the data has {len(self.classes)}: "
                f"{', '.join(map(repr, self.classes[:10].tolist()))}{more}; use Perceptron for these"
            )
        perceptron = Perceptron(nr_rounds=self.max_rounds, averaged=False, order=self._order(len(labels)))
        params = perceptron.train(X, labels, _stop_without_mistakes, weights) * weights.mean()
        self.history, self.nr_updates = perceptron.history, perceptron.nr_updates
        self.converged = self.history[-1].updates == 0
        self.weights = params[:, 1]
        return self._trained(params)

    def _order(self, n_examples):
        if self.order is None:
            return np.arange(n_examples)
        as_numbers(self.order, "order must hold example numbers")
        order = np.asarray(self.order)
        if order.dtype.kind not in "iu" or not np.array_equal(np.sort(order, axis=None), np.arange(n_examples)):
            raise InputError(
                f"order must hold each of the example numbers 0 … {n_examples - 1} once, but has the shape "
                f"{order.shape} and the type {order.dtype}; only a pass over all examples shows that none is misclassified"
            )
        return order.ravel()


def _stop_without_mistakes(round, weights, params):
    if round.updates == 0:
        raise StopIteration
