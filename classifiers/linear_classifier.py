"""What every linear classifier of the lab shares: ŷ = argmax_y w_y · g(x), with g(x) = (1, x).

The parameters are one matrix ``params`` of shape ``(J + 1, K)``: a column of weights for each of the K classes, row 0
the intercepts b_y. A classifier differs from the others in ``train`` only: it says how the matrix is found.

Source: the guide, section 1.3, equations 1.18-1.22.
"""

from collections.abc import Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from lxmls_day1 import model_file
from lxmls_day1.checks import (
    all_finite,
    as_matrix,
    check_finite,
    check_finite_params,
    check_inputs,
    check_labels,
    check_parameters,
    check_params,
    check_same_kind,
    listed,
    shown,
)
from lxmls_day1.engine.streaming.shard_rows import check_alone, columns_of_classes, corpus_on_disk, row_blocks
from lxmls_day1.engine.text.feature_vectors import are_dictionaries, as_rows, column_names, names_of
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
    streams : bool
        Whether ``train`` takes a corpus on disk, too.

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
    streams = False

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
            ``vector_names``, and ``test`` takes such dictionaries as well. So are those of the columns of a data frame; another
            frame must have the same.
        y : M labels of any kind: an int vector, strings, a column ``(M, 1)``, a list

        Returns
        -------
        params : float64 array (J + 1, K)

        Raises
        ------
        InputError
            For data that cannot be trained on.
        NotImplementedError
            If the class does not say how it is trained.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it is trained")

    def test(self, X: Any, params: ArrayLike) -> np.ndarray:
        """Predict the label of each row of ``X``.

        Parameters
        ----------
        X : array or sparse matrix (M, J), without the column of ones; or M dictionaries, as in training; or a corpus on disk (a
            folder that ``lxmls-day1 cache`` has made, or the `StreamedCorpus` of one), whose rows are read a few at a time
        params : array (J + 1, K), what ``train`` returned

        Returns
        -------
        y_hat : array (M,)
            For each row the class with the highest score; of equal ones the first.

        Raises
        ------
        InputError
            If ``X`` and ``params`` do not fit together, either holds NaN or infinity, or the scores grow beyond all bounds.
        """
        shards, params = corpus_on_disk(X), check_params(params)
        if shards is None:
            return self._label(self._scores(as_matrix(self._as_rows(X)), params))
        labels = [self._label(self._scores(rows, params)) for rows, _ in row_blocks(shards)]
        return np.concatenate([self._label(np.zeros((0, params.shape[1]))), *labels])

    def get_scores(self, x: Any, params: ArrayLike) -> np.ndarray:
        """The scores s = g(x)ᵀ W of every class.

        Parameters
        ----------
        x : array or sparse matrix (M, J + 1), inputs after :meth:`add_intercept_term`
        params : array (J + 1, K)

        Returns
        -------
        scores : float64 array (M, K)

        Raises
        ------
        InputError
            If ``x`` does not begin with a column of ones, or has not as many columns as ``params`` has rows.
        """
        x = check_inputs(x)
        if x.shape[1] == 0 or (x[:, :1] == 1).sum() < x.shape[0]:
            raise InputError("the first column of x must be ones: call add_intercept_term(X) first")
        return self._scores(x[:, 1:], check_params(params))

    def get_label(self, x: Any, params: ArrayLike) -> np.ndarray:
        """The labels (M,) of inputs (M, J + 1) that already have their column of ones: argmax over :meth:`get_scores`."""
        return self._label(self.get_scores(x, params))

    def add_intercept_term(self, X: Any) -> Any:
        """Put a column of ones before the features, (M, J) becomes (M, J + 1): x becomes g(x) = (1, x); sparse stays sparse.

        Raises
        ------
        InputError
            If X is no matrix of finite numbers.

        Examples
        --------
        >>> LinearClassifier().add_intercept_term([[5.0, 7.0]])
        array([[1., 5., 7.]])
        """
        X = check_inputs(self._as_rows(X))
        ones = np.ones((X.shape[0], 1))
        return sp.csr_array(sp.hstack([ones, X], format="csr")) if sp.issparse(X) else np.hstack([ones, X])

    def evaluate(self, truth: Any, predicted: ArrayLike) -> float:
        """Accuracy: the share of examples whose predicted label is the true one.

        Parameters
        ----------
        truth, predicted : M labels each; or a corpus on disk and the parameters (J + 1, K) that label it
            Of a corpus no more than a few rows, and none of the predictions, are kept in memory.

        Returns
        -------
        accuracy : float in [0, 1]

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
        shards = corpus_on_disk(truth)
        if shards is not None:
            return self._streamed_accuracy(shards, check_params(predicted))
        truth, predicted = check_labels(truth), check_labels(predicted)
        check_same_kind(truth, predicted, "true and predicted labels")
        if len(truth) != len(predicted):
            raise InputError(
                f"evaluate compares label by label, but got {len(truth)} true and {len(predicted)} predicted labels; "
                "pass the labels of the same examples"
            )
        if len(truth) == 0:
            raise InputError("evaluate needs at least one example, but got none; is this part of the split empty?")
        if self.classes is not None:
            self._codes(truth)
        return float(np.mean(truth == predicted))

    def _streamed_accuracy(self, shards, params):
        check_alone(shards)
        columns = columns_of_classes(shards, self.classes)
        right = sum(
            np.count_nonzero(self._scores(X, params).argmax(axis=1) == columns[labels])
            for X, labels in row_blocks(shards)
        )
        return float(right / shards.n_rows)

    def objective(self, X: Any, y: ArrayLike | None, params: ArrayLike) -> float | None:
        """The value that training minimises, at ``params``; None for a classifier that minimises nothing.

        Parameters
        ----------
        X : array or sparse matrix (M, J), or a corpus on disk
        y : M labels; None of a corpus on disk, which has them
        params : array (J + 1, K)

        Returns
        -------
        float or None
        """
        return None

    def save(
        self,
        path: str | PathLike[str],
        params: ArrayLike,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        notes: dict[str, Any] | None = None,
    ) -> None:
        """Write the classifier and its parameters to a file, completely or not at all.

        Parameters
        ----------
        path : path, such as "mira.npz"
        params : array (J + 1, K), what ``train`` returned
        feature_names : J str, optional
            ``vector_names`` unless given. With these (``corpus.feature_names``) the file serves for text, too: ``lxmls-day1 predict`` and ``explain``.
        label_names : list of str, optional
            What the labels 0, 1, … are called (``corpus.label_names``).
        notes : dict, optional
            Whatever else is worth keeping. ``tokens="questions"`` tells that texts were counted by `count_words`.

        Raises
        ------
        InputError
            If the parameters or the names do not fit the classifier.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LinearClassifier().save(f"{folder}/line.npz", [[0.5, 0.0], [0.0, 1.0]])
        ...     classifier, params, *_ = LinearClassifier.load(f"{folder}/line.npz")
        >>> classifier.test([[0.4], [0.6]], params)
        array([0, 1])
        """
        names = self.vector_names if feature_names is None else feature_names
        model_file.save_model(path, self, params, names, label_names, notes)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> model_file.SavedModel:
        """Read what ``save`` wrote: ``LinearClassifier.load`` takes any classifier, ``Mira.load`` a `Mira`.

        Parameters
        ----------
        path : path

        Returns
        -------
        classifier, params, feature_names, label_names, notes : SavedModel
            A named tuple. The classifier is of the class that was saved and has its classes and its hyper-parameters.

        Raises
        ------
        InputError
            If the file is damaged, not one of ours, from a newer version, or holds another classifier.
        """
        folder, package = Path(__file__).parent, __name__.rpartition(".")[0]
        find_class = model_file.class_finder(cls, folder, lambda name: import_module(f"{package}.{name}".strip(".")))
        model = model_file.load_model(path, find_class)
        if cls.__name__ not in [base.__name__ for base in type(model.classifier).__mro__]:
            raise InputError(
                f"{path} holds a {type(model.classifier).__name__}, not a {cls.__name__}; "
                "LinearClassifier.load takes every kind"
            )
        return model

    def _label(self, scores):
        best = np.argmax(scores, axis=1)
        return best if self.classes is None else self.classes[best]

    def _scores(self, X, params):
        """Scores (M, K) of inputs without their column of ones, which stays unbuilt."""
        n_features = X.shape[1]
        if len(params) != 1 + n_features * (2 if self.quadratic else 1):
            kind, of_each = ("quadratic", "two rows per feature") if self.quadratic else ("linear", "a row per feature")
            raise InputError(
                f"the inputs have {n_features} feature{'s' * (n_features != 1)}, but the parameters belong to {(len(params) - 1) / (1 + self.quadratic):g}: "
                f"those of this {kind} classifier have {of_each} after the intercepts; test takes X as train did, "
                "get_scores and get_label take add_intercept_term(X)"
            )
        if self.classes is not None and params.shape[1] != len(self.classes):
            raise InputError(
                f"the parameters have {params.shape[1]} columns, but this classifier was trained on {len(self.classes)} "
                "classes; use the parameters that its own train returned"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            scores = X @ params[1 : n_features + 1]
            if self.quadratic:
                scores = scores + (X * X) @ params[n_features + 1 :]
            scores = np.asarray(scores) + params[0]
        if not all_finite(scores):  # one look at the scores, rather than at all the numbers that they are made of
            check_finite(X)
            check_finite_params(params)
            m = np.flatnonzero(~np.isfinite(scores).all(axis=1))[0]
            raise InputError(
                f"the scores of row {m} of X grow beyond all bounds; scale the features or the weights down"
            )
        return scores

    def _as_rows(self, X):
        """Feature vectors that are dictionaries as a matrix with the columns of training; anything else as it is.

        A data frame must have the columns of the one in training, in their order.
        """
        if not are_dictionaries(X):
            names = column_names(X)
            if names and self.vector_names and names != self.vector_names:
                raise InputError(
                    f"X has the columns {listed(names)}, but {self.get_name()} was trained on {listed(self.vector_names)}, in this "
                    "order; pass X[classifier.vector_names]"
                )
            return X
        if self.vector_names is None:
            raise InputError(
                f"{self.get_name()} knows no names of features, but X holds dictionaries; train it on such, or pass a matrix"
            )
        return as_rows(X, self.vector_names)

    def _training_data(self, X, y, check=check_inputs, classes=None, vector_names=None):
        """Check the training data and set ``classes`` and ``vector_names``, those of ``X`` and ``y`` unless given.

        Returns ``X`` and the labels as column numbers (M,).
        """
        if isinstance(X, (str, PathLike)) or hasattr(X, "shards"):
            raise InputError(
                f"{self.get_name()} learns from a matrix in memory; a corpus on disk is for the online learners, multinomial naive "
                "Bayes, and MaxEntBatch with L-BFGS, conjugate gradient or gradient descent"
            )
        self.vector_names = vector_names
        if vector_names is None:
            self.vector_names = names_of(X) if are_dictionaries(X) else column_names(X)
        X, y = check(self._as_rows(X)), check_labels(y)
        if X.shape[0] != len(y):
            raise InputError(
                f"X has {X.shape[0]} row{'s' * (X.shape[0] != 1)}, but y has {len(y)} label{'s' * (len(y) != 1)}; "
                "every example needs one label"
            )
        if len(y) == 0:
            raise InputError("training needs examples, but X has no rows; is the training part of the split empty?")
        given, classes = classes is not None, np.unique(y if classes is None else check_labels(classes))
        if len(classes) < 2:
            raise InputError(
                f"training needs at least two classes, but every example has the label {shown(classes[0])}; "
                "take more data or another split"
            )
        self.classes = classes
        check_parameters("the training data", X.shape[1], len(classes), self.quadratic)
        return X, self._codes(y) if given else np.searchsorted(classes, y)

    def _codes(self, y):
        """Labels of known classes as column numbers (M,); before training the labels themselves are these numbers."""
        y = check_labels(y)
        if self.classes is None:
            if y.dtype.kind not in "biuf" or not ((y >= 0) & (y == np.floor(y)) & (y < 2**31)).all():
                raise InputError(
                    "before training, labels are the numbers of columns, 0, 1, …, but "
                    f"{listed(y)} are others; train the classifier first"
                )
            return y.astype(np.intp)
        check_same_kind(y, self.classes, "labels and those of the training data")
        codes = np.searchsorted(self.classes, y)
        known = (codes < len(self.classes)) & (self.classes[np.minimum(codes, len(self.classes) - 1)] == y)
        if not known.all():
            raise InputError(
                f"label {shown(y[~known][0])} was not in the training data, whose labels are {listed(self.classes)}; "
                "train on data that has every label"
            )
        return codes

    def _with_labels(self, X, y, params):
        """Examples, their labels as column numbers (M,) and parameters, if all three fit together."""
        X, params, labels = check_inputs(self._as_rows(X)), check_params(params), self._codes(y)
        if X.shape[0] != len(labels) or len(labels) == 0:
            raise InputError(
                f"every example needs one label, and there must be some, but X has {X.shape[0]} rows and y {len(labels)} labels"
            )
        if labels.max() >= params.shape[1]:
            raise InputError(
                f"params must have a column for each class, but has {params.shape[1]}, and class number {labels.max()} is "
                "among the labels"
            )
        return X, labels, params

    def _trained_with(self, params):
        """The parameters that training found; an error if the data were too large for them to be finite."""
        if not all_finite(params):
            raise InputError(
                f"{self.get_name()}: the numbers of X are so large, or so different in size, that the weights grew beyond all "
                "bounds; scale the features"
            )
        self.trained = True
        return params
