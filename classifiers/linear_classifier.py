"""What every linear classifier of the lab shares: ŷ = argmax_y w_y · g(x), with g(x) = (1, x).

The parameters are one matrix ``params`` of shape ``(J + 1, K)``: a column of weights for each of the K classes, row 0
the intercepts b_y. A classifier differs from the others in ``train`` only: it says how the matrix is found.

Source: the guide, section 1.3, equations 1.18-1.22.
"""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from lxmls_day1 import model_file
from lxmls_day1.checks import as_matrix, check_inputs, check_params
from lxmls_day1.engine.examples import linear_scores, rows_of, share_of_right
from lxmls_day1.errors import InputError
from lxmls_day1.settings import check_settings


class LinearClassifier:
    """Base of the classifiers, and by itself a classifier for parameters that come from elsewhere.

    Attributes
    ----------
    classes : array (K,) or None
        The labels of the training data in ascending order; column k of the parameters belongs to ``classes[k]``.
        Before training it is None, and labels are the column numbers 0 … K − 1.
    trained : bool
    vector_names : list of J str, or None
        The names of the features, if it was trained on feature vectors that are dictionaries.
    quadratic : bool
        Whether the parameters hold, below the weights of x, those of x²: (2J + 1, K). The class says so, or what sets it.
    rules_out : bool
        Whether a weight may be −∞, which rules out a class.

    Examples
    --------
    Two classes on a line, which part at x = 0.5 (0.5 + 0·x against 0 + 1·x):

    >>> params = [[0.5, 0.0], [0.0, 1.0]]
    >>> LinearClassifier().test([[0.4], [0.6]], params)
    array([0, 1])
    """

    name = "Linear classifier"
    quadratic = False
    rules_out = False

    def __new__(cls, *_arguments: Any, **settings: Any) -> Self:
        """A new classifier, if its class takes all these settings; otherwise the error names those that it takes."""
        check_settings(cls, settings)
        return super().__new__(cls)

    def __init__(self) -> None:
        self.classes: Any = None
        self.vector_names: list[str] | None = None
        self.trained = False

    def get_name(self) -> str:
        """The name under which tables and plots show the classifier."""
        return self.name

    def train(self, X: Any, y: ArrayLike) -> np.ndarray:
        """Find the parameters from training data.

        Parameters
        ----------
        X : array or sparse matrix (M, J); or M dictionaries, {"amazing": 1, "tag": "noun"}, of the values of features by their names
            What a dictionary does not name is 0. A text is a feature of its own, ``tag=noun``. The names are kept as
            ``vector_names``, as are those of the columns of a data frame, and ``test`` takes such dictionaries and frames as well.
        y : M labels of any kind: an int vector, strings, a column ``(M, 1)``, a list

        Returns
        -------
        params : float64 array (J + 1, K)

        Raises
        ------
        InputError
            For data that cannot be trained on.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it is trained")

    def test(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Predict the label of each row of ``X``: the class with the highest score; of equal ones the first.

        Parameters
        ----------
        X : array or sparse matrix (M, J), without the column of ones; or M dictionaries, as in training
        params : array (J + 1, K), what ``train`` returned

        Returns
        -------
        y_hat : array (M,)

        Raises
        ------
        InputError
            If ``X`` and ``params`` do not fit together, either holds NaN or infinity, or the scores grow beyond all bounds.
        """
        return self._label(self.scores_of_rows(as_matrix(rows_of(self, X)), check_params(params)))

    def get_scores(self, x: Any, params: ArrayLike) -> np.ndarray:
        """The scores s = g(x)ᵀ W (M, K) of every class, for inputs (M, J + 1) after :meth:`add_intercept_term`.

        Raises
        ------
        InputError
            If ``x`` does not begin with a column of ones, or has not as many columns as ``params`` has rows.
        """
        x = check_inputs(x)
        if x.shape[1] == 0 or (x[:, :1] == 1).sum() < x.shape[0]:
            raise InputError("the first column of x must be ones: call add_intercept_term(X) first")
        return self.scores_of_rows(x[:, 1:], check_params(params))

    def get_label(self, x: Any, params: ArrayLike) -> np.ndarray:
        """The labels (M,) of inputs (M, J + 1) that already have their column of ones: argmax over :meth:`get_scores`."""
        return self._label(self.get_scores(x, params))

    def add_intercept_term(self, X: Any) -> Any:
        """Put a column of ones before the features, (M, J) becomes (M, J + 1): x becomes g(x) = (1, x); sparse stays sparse.

        Raises an InputError if X is no matrix of finite numbers.

        >>> LinearClassifier().add_intercept_term([[5.0, 7.0]])
        array([[1., 5., 7.]])
        """
        X = check_inputs(rows_of(self, X))
        ones = np.ones((X.shape[0], 1))
        return sp.csr_array(sp.hstack([ones, X], format="csr")) if sp.issparse(X) else np.hstack([ones, X])

    def evaluate(self, truth: ArrayLike, predicted: ArrayLike) -> float:
        """Accuracy, in [0, 1]: the share of the M examples whose predicted label is the true one.

        Raises
        ------
        InputError
            If the lengths differ, there are no examples, texts are compared with numbers, or ``truth`` holds a label that
            was not seen in training (it could never be predicted, so the accuracy would mislead).

        Examples
        --------
        >>> LinearClassifier().evaluate([0, 1, 1, 0], [0, 1, 0, 0])
        0.75
        """
        return share_of_right(self, truth, predicted)

    def objective(self, X: Any, y: ArrayLike, params: ArrayLike) -> float | None:
        """The value that training minimises, at ``params`` and over examples (M, J) with labels (M,); None if it minimises nothing."""
        return None

    def save(
        self,
        path: str | PathLike[str],
        params: ArrayLike,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        notes: dict[str, Any] | None = None,
    ) -> None:
        """Write the classifier and its parameters to a file, such as "mira.npz"; see :func:`lxmls_day1.model_file.save_model`.

        ``feature_names`` are the ``vector_names`` unless given. With these (``corpus.feature_names``) the file serves for text,
        too: ``lxmls-day1 predict`` and ``explain``. ``label_names`` are what the labels 0, 1, … are called, and ``notes`` whatever else
        is worth keeping; ``tokens="questions"`` tells that texts were counted by `count_words`.
        """
        names = self.vector_names if feature_names is None else feature_names
        model_file.save_model(path, self, params, names, label_names, notes)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> model_file.SavedModel:
        """Read what ``save`` wrote: ``LinearClassifier.load`` takes any classifier, ``Mira.load`` a `Mira`.

        Returns a named tuple (classifier, params, feature_names, label_names, notes). The classifier is of the class that was saved
        and has its classes and its hyper-parameters. An InputError says that the file is damaged, not one of ours, from a newer
        version, or holds another classifier.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LinearClassifier().save(f"{folder}/line.npz", [[0.5, 0.0], [0.0, 1.0]])
        ...     classifier, params, *_ = LinearClassifier.load(f"{folder}/line.npz")
        >>> classifier.test([[0.4], [0.6]], params)
        array([0, 1])
        """
        return model_file.load_classifier(path, cls, __file__, __name__)

    def scores_of_rows(self, X: Any, params: np.ndarray) -> np.ndarray:
        """The scores (M, K) of inputs (M, J) that are checked and have no column of ones."""
        return linear_scores(self, X, params)

    def _label(self, scores):
        best = np.argmax(scores, axis=1)
        return best if self.classes is None else self.classes[best]
