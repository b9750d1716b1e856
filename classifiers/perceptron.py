"""The multi-class perceptron: on a mistake, add the example to its true class and subtract it from the predicted class.

    d = e_y − e_ŷ,    ŷ = argmax_y' s_y'

If the data are linearly separable, the number of mistakes is finite: at most 2 K R²/γ² if no example is longer than R and a
separator has the margin γ.

Sources: F. Rosenblatt, The perceptron, Psychological Review 65, 1958; the guide, algorithm 2 (averaged).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.online_classifier import OnlineClassifier, compiled


@compiled
def perceptron_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """d = step · (e_y − e_ŷ) (K,), which is 0 if the prediction is right.

    >>> perceptron_rule(np.array([1.0, 3.0, 2.0]), 0, 1.0, 1.0, np.array([0.0, 1.0, 1.0]))
    array([ 1., -1.,  0.])
    """
    d = np.zeros(len(scores))
    # exercise 1.4: solution (4 lines)
    predicted = np.argmax(scores)
    if predicted != label:
        d[label] = step
        d[predicted] = -step
    # exercise 1.4: end
    return d


@dataclass(eq=False, repr=False)
class Perceptron(OnlineClassifier):
    """The averaged perceptron; ``averaged=False`` gives the plain one.

    Parameters
    ----------
    nr_rounds, averaged, seed, order, track_objective, progress, n_jobs
        As in :class:`OnlineClassifier`. A cost matrix is not used.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], ["+", "+", "-", "-"]
    >>> perceptron = Perceptron(nr_rounds=5)
    >>> params = perceptron.train(X, y)
    >>> perceptron.test([[1.5, 0.5], [-1.5, 0.5]], params)
    array(['+', '-'], dtype='<U1')
    """

    name = "Perceptron"
    listed = {"Perceptron": {"colours": ("#A6761D", "#D9A86C"), "dash": (1, 1.2), "order": 50}}
    rule = staticmethod(perceptron_rule)

    nr_rounds: int = 10

    def weights_of_rounds(self, X: Any, y: ArrayLike) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Train, and return the weights after each round and their averages so far.

        Parameters
        ----------
        X : array or sparse matrix (M, J)
        y : M labels

        Returns
        -------
        weights_after : list of R arrays (J + 1, K)
            W at the end of each round.
        averages_after : list of R arrays (J + 1, K)
            The parameters that ``train`` would return if it stopped after that round.

        Examples
        --------
        >>> perceptron = Perceptron(nr_rounds=2, order=[0, 1])
        >>> weights_after, averages_after = perceptron.weights_of_rounds([[2.0], [1.0]], [1, 0])
        >>> [W[:, 1].tolist() for W in weights_after]  # intercept and weight of class 1, after each round
        [[0.0, 1.0], [-1.0, 0.0]]
        >>> [W[:, 1].tolist() for W in averages_after]
        [[0.5, 1.5], [0.0, 1.0]]
        """
        weights_after, averages_after = [], []

        def keep(round, weights, params):
            weights_after.append(weights)
            averages_after.append(params)

        self.train(X, y, callback=keep)
        return weights_after, averages_after
