"""The base of all linear classifiers of the lab: ŷ = argmax_y w_y · g(x), with g(x) = (1, x).

The parameters are one matrix ``params`` of shape ``(J + 1, K)``: a column of weights for each of the K classes, row 0
the intercepts b_y. Classifiers differ only in ``train``, which computes this matrix.

Source: the guide, section 1.3, equations 1.18-1.22.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.lab_api import CheckedData, InputError


class LinearClassifier(CheckedData):
    """Base of the classifiers. An instance of it is a classifier for parameters that were computed elsewhere.

    Attributes
    ----------
    classes : array (K,) or None
        The labels of the training data in ascending order; column k of the parameters belongs to ``classes[k]``.
        Before training it is None, and labels are the column numbers 0 … K − 1.
    trained : bool
    vector_names : list of J str, or None
        The names of the features, if it was trained on dictionaries.
    quadratic : bool
        True if the parameters hold weights of x² below the weights of x: (2J + 1, K). Set by the class or by a setting.
    rules_out : bool
        True if a weight may be −∞, which rules out a class.

    Examples
    --------
    Two classes on a line, separated at x = 0.5 (the scores are 0.5 + 0·x and 0 + 1·x):

    >>> params = [[0.5, 0.0], [0.0, 1.0]]
    >>> LinearClassifier().test([[0.4], [0.6]], params)
    array([0, 1])
    """

    name = "Linear classifier"
    quadratic = False
    rules_out = False

    def __init__(self) -> None:
        self.classes: Any = None
        self.vector_names: list[str] | None = None
        self.trained = False

    def __post_init__(self) -> None:  # called by subclasses that are dataclasses
        LinearClassifier.__init__(self)

    def get_name(self) -> str:
        """Return the name under which tables and plots show the classifier."""
        return self.name

    def train(self, X: Any, y: ArrayLike) -> np.ndarray:
        """Find the parameters from training data.

        Parameters
        ----------
        X : array or sparse matrix (M, J); or M dictionaries, {"amazing": 1, "tag": "noun"}, of the values of features by their names
            A feature that a dictionary does not name is 0. A string becomes a feature of its own, ``tag=noun``. The names are saved as
            ``vector_names``, as are the column names of a data frame, and ``test`` also accepts such dictionaries and frames.
        y : M labels of any kind: an int vector, strings, a column ``(M, 1)``, a list

        Returns
        -------
        params : float64 array (J + 1, K)

        Raises
        ------
        InputError
            For data that cannot be trained on.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define how it is trained: write its method train")

    def test(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Predict the label of each row of ``X``: the class with the highest score, and in a tie the first such class.

        Parameters
        ----------
        X : array or sparse matrix (M, J), without the column of ones; or M dictionaries, as in training
        params : array (J + 1, K), as returned by ``train``

        Returns
        -------
        y_hat : array (M,)

        Raises
        ------
        InputError
            If ``X`` and ``params`` do not fit together, either holds NaN or infinity, or the scores overflow.
        """
        return self._label(self.scores_of_rows(self._rows(X, finite=False), self._params(params)))

    def get_scores(self, x: Any, params: ArrayLike) -> np.ndarray:
        """Return the scores s = g(x)ᵀ W (M, K) of every class, for inputs (M, J + 1) after :meth:`add_intercept_term`.

        Raises
        ------
        InputError
            If ``x`` does not begin with a column of ones, or its number of columns differs from the number of rows of ``params``.
        """
        x = self._rows(x)
        if x.shape[1] == 0 or (x[:, :1] == 1).sum() < x.shape[0]:
            raise InputError("the first column of x must be ones: call add_intercept_term(X) first")
        return self.scores_of_rows(x[:, 1:], self._params(params))

    def get_label(self, x: Any, params: ArrayLike) -> np.ndarray:
        """Return the labels (M,) of inputs (M, J + 1) that already have their column of ones: argmax over :meth:`get_scores`."""
        return self._label(self.get_scores(x, params))

    def add_intercept_term(self, X: Any) -> Any:
        """Return X with a column of ones before the features: (M, J) becomes (M, J + 1), x becomes g(x) = (1, x).

        A sparse matrix stays sparse. Raise an InputError if X is not a matrix of finite numbers.

        >>> LinearClassifier().add_intercept_term([[5.0, 7.0]])
        array([[1., 5., 7.]])
        """
        X = self._rows(X)
        ones = np.ones((X.shape[0], 1))
        if isinstance(X, np.ndarray):
            return np.hstack([ones, X])
        import scipy.sparse as sp  # imported here because dense arrays need no scipy

        return sp.csr_array(sp.hstack([ones, X], format="csr"))

    def evaluate(self, truth: ArrayLike, predicted: ArrayLike) -> float:
        """Return the accuracy, in [0, 1]: the share of the M examples whose predicted label is the true label.

        Raises
        ------
        InputError
            If the lengths differ, there are no examples, strings are compared with numbers, or ``truth`` holds a label that
            was not seen in training (it could never be predicted, so the accuracy would mislead).

        Examples
        --------
        >>> LinearClassifier().evaluate([0, 1, 1, 0], [0, 1, 0, 0])
        0.75
        """
        return self._accuracy(truth, predicted)

    def objective(self, X: Any, y: ArrayLike, params: ArrayLike) -> float | None:
        """Return the value that training minimises, at ``params`` and over examples (M, J) with labels (M,).

        Return None if the classifier minimises nothing.
        """
        return None

    def scores_of_rows(self, X: Any, params: np.ndarray) -> np.ndarray:
        """Return the scores (M, K) of inputs (M, J) that are already checked and have no column of ones."""
        return self._linear_scores(X, params)

    def _label(self, scores):
        best = np.argmax(scores, axis=1)
        return best if self.classes is None else self.classes[best]
