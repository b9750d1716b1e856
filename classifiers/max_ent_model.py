"""The maximum-entropy model itself, however it is trained: p_W(y | x) = exp(w_y · g(x)) / Σ_y' exp(w_y' · g(x)).

Source: the guide, eq. 1.27-1.28.
"""

import numpy as np

from lxmls_day1.checks import check_inputs, check_params


class MaxEntModel:
    """What ``max_ent_batch.py`` and ``max_ent_online.py`` have in common beside their objective: probabilities."""

    def get_probabilities(self, X, params):
        """p_W(y | x) for each example and class.

        Parameters
        ----------
        X : array or sparse matrix (M, J), without the column of ones
        params : array (J + 1, K)

        Returns
        -------
        probabilities : array (M, K)
            Every row sums to 1; columns in the order of ``classes``.
        """
        return softmax(self._scores(check_inputs(X), check_params(params)))


def softmax(scores):
    """exp(s_y) / Σ_y' exp(s_y') in every row of ``scores`` (M, K), without overflow.

    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)
