"""Checks of the input of linear classifiers: rows with labels, where each class gets a column number."""

import contextlib
import inspect
import os
import reprlib
import sys
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lxmls_day1.base.checks import (
    all_finite,
    as_matrix,
    check_costs,
    check_finite,
    check_finite_params,
    check_inputs,
    check_labels,
    check_parameters,
    check_params,
    check_same_kind,
    check_sample_weight,
    format_label,
    format_labels,
    random_generator,
)
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.settings import changed_settings, check_settings, check_values
from lxmls_day1.engine.loops.penalties import warn_if_penalty_too_large
from lxmls_day1.engine.models import model_file
from lxmls_day1.engine.text.feature_vectors import are_dictionaries, as_rows, column_names, names_of
from lxmls_day1.engine.text.text_models import TextModel

Reals = NDArray[np.float64]
Columns = NDArray[np.intp]


def _affine_scores(X: Any, params: Reals) -> Reals:
    """Return X W[1:] + W[0], shape (M, K); if numba is already imported, a kernel halves the time for sparse rows."""
    if getattr(X, "format", "") != "csr" or "numba" not in sys.modules:
        return np.asarray(X @ params[1:] + params[0])
    from lxmls_day1.engine.kernels.row_scores import scores_of_all_rows

    return scores_of_all_rows(X, params)


class CheckedData:
    """The base class of linear classifiers that checks settings, examples, labels, weights and parameters.

    The methods use attributes of the subclass in ``classifiers/linear_classifier.py``. An error message contains the
    expected value, the actual value and a remedy. ``save`` and ``load`` write a classifier to a file and read it.
    """

    classes: Any
    vector_names: list[str] | None
    trained: bool
    quadratic: Any
    cost: Any = None
    seed: Any = 1

    def __new__(cls, *_arguments: Any, **settings: Any) -> Self:
        """Create a classifier; an unknown setting is an error that lists the settings of the class."""
        check_settings(cls, settings)
        return super().__new__(cls)

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        """Return the class name and all settings that differ from their default."""
        changed = ", ".join(f"{name}={value!r}" for name, value in changed_settings(self).items())
        return f"{type(self).__name__}({changed})"

    def get_name(self) -> str:
        """Return the name of the classifier in tables and plots."""
        raise NotImplementedError

    def check_settings(self) -> None:
        """Raise an InputError for invalid settings; ``train`` calls this first."""
        check_values(self)

    def _single_threaded_blas(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which linear algebra runs in one thread."""
        from lxmls_day1.engine.kernels.threads import single_threaded_blas  # only one learner needs it

        return single_threaded_blas()

    def _warn_of_penalty(self, at_zero: float, loss: float, n_examples: int) -> None:
        """Warn that λ is too large if training has hardly reduced the mean loss from its value at W = 0."""
        warn_if_penalty_too_large(self, at_zero, loss, n_examples)

    def _training_data(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        finite: bool = True,
        classes: Any = None,
        vector_names: Any = None,
    ) -> tuple[Any, Columns, Reals]:
        """Check the settings and the training data; set ``classes`` and ``vector_names``.

        Parameters
        ----------
        X : array or sparse matrix (M, J), or M dictionaries
        y : M labels
        sample_weight : M numbers ≥ 0, optional
        finite : bool
            False if the caller itself checks for non-finite numbers and sums duplicate entries of a row.
        classes, vector_names : optional
            Classes and column names of an earlier training. Default: those of ``X`` and ``y``.

        Returns
        -------
        X : array or csr_array (M, J)
        labels : int array (M,)
            The column of the parameters for each example.
        weights : array (M,)
            The weight of each example: 1 without ``sample_weight``.

        Raises
        ------
        InputError
            For invalid training data.
        """
        self.check_settings()
        self.vector_names = vector_names
        X = self._rows(X, finite=finite, learn_names=vector_names is None)
        if y is None:
            raise InputError("y must hold a label for each row of X, but is not given")
        y = check_labels(y)
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
                f"training needs at least two classes, but every example has the label {format_label(classes[0])}; "
                "take more data or another split"
            )
        self.classes = classes
        check_parameters("the training data", X.shape[1], len(classes), self.quadratic)
        labels: Columns = self._columns_of(y) if given else np.searchsorted(classes, y)
        weights = check_sample_weight(sample_weight, labels, every_class=not given)
        return X, labels, np.ones(len(labels)) if weights is None else weights

    def _rows(self, X: Any, *, finite: bool = True, learn_names: bool = False) -> Any:
        """Return ``X`` as a matrix (M, J), array or csr_array; dictionaries are converted to the columns of training.

        A data frame must have the same columns as in training, in the same order. If ``learn_names`` is True, the column
        names, or the keys of the dictionaries, become the ``vector_names``. Unless ``finite`` is False, all numbers must
        be finite, and duplicate entries of a sparse row are summed.
        """
        check_in_memory(X)
        dictionaries = are_dictionaries(X)
        names = names_of(X) if dictionaries and learn_names else column_names(X)
        if learn_names:
            self.vector_names = names
        if dictionaries and self.vector_names is None:
            raise InputError(
                f"{self.get_name()} was not trained on named features, but X holds dictionaries; train it on dictionaries, or pass a matrix"
            )
        if not dictionaries and names and self.vector_names and names != self.vector_names:
            if lacking := [name for name in self.vector_names if name not in set(names)]:
                raise InputError(
                    f"X lacks columns on which {self.get_name()} was trained: {format_labels(lacking)}; pass a data frame that has them"
                )
            raise InputError(
                f"X has the columns {format_labels(names)}, but {self.get_name()} was trained on {format_labels(self.vector_names)}, in "
                "this order; pass X[classifier.vector_names]"
            )
        if dictionaries:
            X = as_rows(X, self.vector_names or [])
        return check_inputs(X) if finite else as_matrix(X)

    def _params(self, params: Any, *, finite: bool = False) -> Reals:
        """Return parameters as a matrix (J + 1, K); with ``finite``, raise an InputError if a parameter is not finite."""
        return check_finite_params(params) if finite else check_params(params)

    def _labels_of(self, y: Any) -> NDArray[Any]:
        """Return labels as a vector (M,); raise an InputError if their types are mixed."""
        return check_labels(y)

    def _columns_of(self, y: Any) -> Columns:
        """Return the column numbers (M,) of labels of known classes; before training, the labels must be these numbers."""
        y, classes = check_labels(y), self.classes
        if classes is None:
            if y.dtype.kind not in "biuf" or not ((y >= 0) & (y == np.floor(y)) & (y < 2**31)).all():
                raise InputError(
                    "before training, labels must be the numbers of columns, 0, 1, …, but "
                    f"are {format_labels(y)}; train the classifier first"
                )
            return np.asarray(y, dtype=np.intp)
        check_same_kind(y, classes, "labels and those of the training data")
        codes: Columns = np.searchsorted(classes, y)
        known = (codes < len(classes)) & (classes[np.minimum(codes, len(classes) - 1)] == y)
        if not known.all():
            raise InputError(
                f"label {format_label(y[~known][0])} was not in the training data, whose labels are {format_labels(classes)}; "
                "train on data that has every label"
            )
        return codes

    def _labelled(self, X: Any, y: Any, params: Any) -> tuple[Any, Columns, Reals]:
        """Check that examples, labels and parameters match; return them, with the labels as column numbers (M,)."""
        X, params, labels = self._rows(X), check_params(params), self._columns_of(y)
        if X.shape[0] != len(labels) or len(labels) == 0:
            raise InputError(
                f"at least one example is needed, with one label each, but X has {X.shape[0]} rows and y has {len(labels)} labels"
            )
        if labels.max() >= params.shape[1]:
            raise InputError(
                f"params must have a column for each class, but has {params.shape[1]}, while class number {labels.max()} is "
                "among the labels"
            )
        return X, labels, params

    def _costs(self, n_classes: int) -> Reals:
        """Return the costs ρ (K, K), where ``[p, y]`` is the cost of predicting class p if y is true. Default: 0/1 costs."""
        return check_costs(self.cost, n_classes)

    def _rng(self) -> "np.random.Generator":
        """Return the random number generator for the learner's ``seed``."""
        return random_generator(self.seed)

    def _class_sums(self, X: Any, labels: Columns, weights: Reals) -> tuple[Reals, float]:
        """Return the weighted sum of the rows of each class, (J, K), and the smallest entry of X (at most 0)."""
        from lxmls_day1.engine.kernels.class_sums import class_sums  # numba imports slowly

        return class_sums(X, labels, len(self.classes), weights)

    def _word_counts(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Columns, Reals, Reals | None]:
        """Return documents (M, J), the columns of their classes (M,), the word counts of each class (J, K), and weights or None."""
        from lxmls_day1.engine.loops.word_counting import count_words  # only one learner needs it

        return count_words(self, X, y, sample_weight)

    def _estimated(self, X: Any, labels: Columns, word_counts: Reals, weights: Reals | None) -> Reals:
        """Return the parameters that ``estimate`` computes from the counts; large counts are overwritten to save memory."""
        from lxmls_day1.engine.loops.word_counting import estimate_params  # only one learner needs it

        return estimate_params(self, X, labels, word_counts, weights)

    def _check_counts(self, X: Any) -> None:
        """Raise an InputError for documents (M, J) with a negative count."""
        from lxmls_day1.engine.loops.word_counting import check_not_negative, lowest_count  # only one learner needs it

        check_not_negative(lowest_count(X))

    def _accuracy(self, truth: Any, predicted: Any) -> float:
        """Return the share of correct labels among predicted labels (M,); raise an InputError for empty or unknown labels."""
        check_in_memory(truth)
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
            self._columns_of(truth)
        return float(np.mean(truth == predicted))

    def _linear_scores(self, X: Any, params: Reals) -> Reals:
        """Return scores (M, K) of inputs (M, J) without a column of ones; raise an InputError for a mismatch or an overflow."""
        n_features, quadratic = X.shape[1], self.quadratic
        if len(params) != 1 + n_features * (2 if quadratic else 1):
            kind, of_each = ("quadratic", "two rows per feature") if quadratic else ("linear", "a row per feature")
            raise InputError(
                f"the inputs have {n_features} feature{'s' * (n_features != 1)}, but the parameters belong to "
                f"{(len(params) - 1) / (1 + quadratic):g}: those of this {kind} classifier have {of_each} after the intercepts; test takes "
                "X as train did, get_scores and get_label take add_intercept_term(X)"
            )
        if self.classes is not None and params.shape[1] != len(self.classes):
            raise InputError(
                f"the parameters have {params.shape[1]} columns, but this classifier was trained on {len(self.classes)} "
                "classes; use the parameters that its own train returned"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            scores = _affine_scores(X, params[: n_features + 1])
            if quadratic:
                scores = scores + (X * X) @ params[n_features + 1 :]
        if not all_finite(scores):  # Checking the scores first is faster than checking all inputs and parameters.
            check_finite(X)
            check_finite_params(params)
            m = np.flatnonzero(~np.isfinite(scores).all(axis=1))[0]
            raise InputError(f"the scores of row {m} of X overflow; scale the features or the weights down")
        return np.asarray(scores)

    def _trained(self, params: Reals) -> Reals:
        """Set ``trained`` and return the parameters; raise an InputError if they are not finite."""
        if not all_finite(params):
            raise InputError(
                f"{self.get_name()}: the numbers of X are so large, or so different in size, that the weights "
                "overflowed; scale the features"
            )
        self.trained = True
        return params

    def save(
        self,
        path: str | os.PathLike[str],
        params: ArrayLike,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        notes: dict[str, Any] | None = None,
    ) -> None:
        """Write the classifier and its parameters to a file, such as "mira.npz".

        See :func:`lxmls_day1.engine.models.model_file.save_model`.

        The default of ``feature_names`` is ``vector_names``. With the feature names of a text corpus
        (``corpus.feature_names``), ``lxmls-day1 predict`` and ``explain`` can use the file for text. ``label_names`` are the
        names of the labels 0, 1, …; ``notes`` are additional values to save. The note ``tokens="questions"`` records that
        the words of texts were counted by `count_words`.
        """
        names = self.vector_names if feature_names is None else feature_names
        model_file.save_model(path, self, params, names, label_names, notes)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextModel:
        """Read a file that ``save`` wrote: ``LinearClassifier.load`` reads any classifier, ``Mira.load`` only a `Mira`.

        Returns a named tuple (classifier, params, feature_names, label_names, notes). If it was trained on text, its
        ``predict(texts)`` labels text: see :class:`lxmls_day1.engine.text.text_models.TextModel`. The classifier has the
        class, the labels and the hyper-parameters of the saved one. Raises an InputError if the file is damaged, is not a
        model of this package, is from a newer version, or contains another class.

        >>> import tempfile
        >>> from lxmls_day1.classifiers import LinearClassifier
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LinearClassifier().save(f"{folder}/line.npz", [[0.5, 0.0], [0.0, 1.0]])
        ...     classifier, params, *_ = LinearClassifier.load(f"{folder}/line.npz")
        >>> classifier.test([[0.4], [0.6]], params)
        array([0, 1])
        """
        base = cls.__mro__[cls.__mro__.index(CheckedData) - 1]  # the class LinearClassifier of the lab that defines cls
        return TextModel(*model_file.load_classifier(path, cls, inspect.getfile(base), base.__module__))


def check_in_memory(X: Any) -> None:
    """Raise an InputError if ``X`` is a corpus on disk: a path, or an object that reads its shards.

    Examples
    --------
    >>> check_in_memory("mails.bags")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: 'mails.bags' is not data in memory; for a corpus on disk call train_corpus(learner, corpus), ...
    """
    if isinstance(X, (str, os.PathLike)) or hasattr(X, "shards") or hasattr(X, "manifest"):
        place = getattr(X, "folder", X)
        name = format_label(place) if isinstance(place, str) else place
        raise InputError(
            f"{name} is not data in memory; for a corpus on disk call train_corpus(learner, corpus), resume(learner, state, corpus), "
            "label_corpus, evaluate_corpus or corpus_objective(learner, corpus, params) of lxmls_day1.engine.corpus_training"
        )
