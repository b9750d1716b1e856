"""The multi-class perceptron: on a mistake, add the example to its true class and take it from the predicted one.

    d = e_y − e_ŷ,    ŷ = argmax_y' s_y'

If the data can be separated, the number of mistakes is finite: with examples no longer than R and a separator of margin
γ at most 2 K R²/γ² of them.

Sources: F. Rosenblatt, The perceptron, Psychological Review 65, 1958; the guide, algorithm 2 (averaged).
"""

import numpy as np

from classifiers.online_classifier import OnlineClassifier, compiled


@compiled
def perceptron_rule(scores, label, sq_norm, step, cost):
    """d = step · (e_y − e_ŷ), which is 0 where the prediction is right.

    >>> perceptron_rule(np.array([1.0, 3.0, 2.0]), 0, 1.0, 1.0, np.array([0.0, 1.0, 1.0]))
    array([ 1., -1.,  0.])
    """
    d = np.zeros(len(scores))
    predicted = np.argmax(scores)
    if predicted != label:
        d[label] = step
        d[predicted] = -step
    return d


class Perceptron(OnlineClassifier):
    """The averaged perceptron; ``averaged=False`` gives the plain one.

    Parameters
    ----------
    nr_rounds, averaged, seed, order, track_objective, progress
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
    rule = staticmethod(perceptron_rule)
