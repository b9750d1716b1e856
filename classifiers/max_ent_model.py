"""The maximum-entropy model, for any training method: p_W(y | x) = exp(w_y · g(x)) / Z(x).

Z(x) = Σ_y' exp(w_y' · g(x)) is the *partition function*. The gradient of log Z is the expectation of the features under the model.

Consider all models under which the features f(x, y) = g(x) ⊗ e_y have the same averages as in the data. Among them this model
assumes least: it has the largest entropy. Equal averages, *moment matching*, are the condition for the optimum without
regularization: ∇F = E_model[f] − E_emp[f] = 0.

Source: the guide, section 1.5.1, eq. 1.27-1.28 and 1.32.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Moments(NamedTuple):
    """The mean of every feature for each class: in the data, and as expected by a model.

    Examples
    --------
    Before training, both classes are equally likely. The feature occurs only with the first class:

    >>> from classifiers.max_ent_batch import MaxEntBatch
    >>> X, y = [[2.0], [0.0]], ["a", "b"]
    >>> learner = MaxEntBatch()
    >>> moments = learner.get_moments(X, y, 0 * learner.train(X, y))
    >>> moments.empirical.tolist(), moments.model.tolist()
    ([[0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]])
    """

    empirical: np.ndarray  # (J + 1, K): E_emp[j, y] = (1/M) Σ_m g_j(x^m) [y^m = y]
    model: np.ndarray  # (J + 1, K): E_model[j, y] = (1/M) Σ_m g_j(x^m) p(y | x^m)


class MaxEntModel:
    """The common part of ``max_ent_batch.py`` and ``max_ent_online.py``: probabilities, and the moments computed from them.

    Examples
    --------
    Weights of log 1 and log 3: if the feature is 1, the second class is three times as likely as the first.

    >>> from classifiers.max_ent_batch import MaxEntBatch
    >>> MaxEntBatch().get_probabilities([[1.0], [0.0]], [[0.0, 0.0], [0.0, np.log(3)]]).round(6)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """

    smooth_loss = True  # the log loss is differentiable, the hinge loss is not: see stochastic_gradient.py

    def get_probabilities(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Return p_W(y | x) for each example and class.

        Parameters
        ----------
        X : array or sparse matrix (M, J), without the column of ones
        params : array (J + 1, K)

        Returns
        -------
        probabilities : array (M, K)
            Every row sums to 1; columns in the order of ``classes``.

        Raises
        ------
        InputError
            If X and params do not fit together, or X holds a value that is not a finite number.
        """
        return softmax(self.scores_of_rows(self._rows(X), self._params(params)))

    def get_moments(self, X: Any, y: ArrayLike, params: ArrayLike) -> Moments:
        """Return the mean of each feature for each class, in the data and according to the model.

        With zero ``params`` these are the moments at the start of training. At the optimum without regularization both moments agree; a
        regularizer λ leaves a difference of E_emp − E_model = λ W. ``lxmls_day1.figures.moments`` draws them.

        Parameters
        ----------
        X : array or sparse matrix (M, J), without the column of ones
        y : M labels, all seen in training
        params : array (J + 1, K)

        Returns
        -------
        Moments
            Row 0 belongs to the intercept's feature 1: the shares of the classes.

        Raises
        ------
        InputError
            If X, y and params do not fit together.
        """
        X, labels, params = self._labelled(X, y, params)
        probabilities = softmax(self.scores_of_rows(X, params))
        x = self.add_intercept_term(X)
        return Moments(expectations(x, np.eye(params.shape[1])[labels]), expectations(x, probabilities))


def expectations(features: Any, probabilities: np.ndarray) -> np.ndarray:
    """Return the mean of each feature under p(y | x), for each class: (1/M) Σ_m g(x^m) p(· | x^m)ᵀ.

    Parameters
    ----------
    features : array or sparse matrix (M, J)
    probabilities : array (M, K)
        To get the empirical means, pass 1 for the true class and 0 for the others.

    Returns
    -------
    array (J, K)

    Examples
    --------
    >>> expectations(np.array([[2.0], [4.0]]), np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([[2., 1.]])
    """
    return np.asarray(features.T @ probabilities) / features.shape[0]


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return exp(s_y) / Z for every row of ``scores`` (M, K), with Z = Σ_y' exp(s_y') the partition function, without overflow.

    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)
