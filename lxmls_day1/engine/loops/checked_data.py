"""What goes into a linear classifier: rows with their labels, checked, and with a number for each class."""

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
    listed,
    random_numbers,
    shown,
)
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.settings import changed_settings, check_settings, check_values
from lxmls_day1.engine.loops.penalties import warn_of_penalty
from lxmls_day1.engine.models import model_file
from lxmls_day1.engine.text.feature_vectors import are_dictionaries, as_rows, column_names, names_of
from lxmls_day1.engine.text.text_models import TextModel

Reals = NDArray[np.float64]
Columns = NDArray[np.intp]


def _products(X: Any, params: Reals) -> Reals:
    """X W[1:] + W[0] (M, K). Where something has brought numba, rows that are sparse take half the time."""
    if getattr(X, "format", "") != "csr" or "numba" not in sys.modules:
        scores: Reals = np.asarray(X @ params[1:]) + params[0]
        return scores
    from lxmls_day1.engine.kernels.row_scores import scores_of_all_rows

    return scores_of_all_rows(X, params)


class CheckedData:
    """What each linear classifier does with what it is given: its settings, examples, labels, weights and parameters are checked.

    ``classifiers/linear_classifier.py`` is a subclass, whose attributes the methods use. An error says what was wanted, what was got
    and what to do. ``save`` and ``load`` keep a classifier in a file.
    """

    classes: Any
    vector_names: list[str] | None
    trained: bool
    quadratic: Any
    cost: Any = None
    seed: Any = 1

    def __new__(cls, *_arguments: Any, **settings: Any) -> Self:
        """A new classifier, if its class takes all these settings; otherwise the error names those that it takes."""
        check_settings(cls, settings)
        return super().__new__(cls)

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        """The class, and those settings that have not their default."""
        return (
            f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed_settings(self).items())})"
        )

    def get_name(self) -> str:
        """The name under which tables and plots show the classifier."""
        raise NotImplementedError

    def check_settings(self) -> None:
        """Raise an InputError for settings that make no sense; ``train`` begins with this."""
        check_values(self)

    def _warn_of_penalty(self, at_zero: float, loss: float, n_examples: int) -> None:
        """Say that λ is too large, if the mean loss has hardly fallen from what it is at W = 0."""
        warn_of_penalty(self, at_zero, loss, n_examples)

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
        """Training data, after a look at the settings; sets ``classes`` and ``vector_names``.

        Parameters
        ----------
        X : array or sparse matrix (M, J), or M dictionaries
        y : M labels
        sample_weight : M numbers ≥ 0, optional
        finite : bool
            False where the caller itself finds numbers that are not finite, and adds up entries of a row that stand twice.
        classes, vector_names : optional
            Those that are known already; those of ``X`` and ``y`` if not given.

        Returns
        -------
        X : array or csr_array (M, J)
        labels : int array (M,)
            The column of the parameters for each example.
        weights : array (M,)
            How much each example counts: 1 if no weights are given.

        Raises
        ------
        InputError
            For data that cannot be trained on.
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
                f"training needs at least two classes, but every example has the label {shown(classes[0])}; "
                "take more data or another split"
            )
        self.classes = classes
        check_parameters("the training data", X.shape[1], len(classes), self.quadratic)
        labels: Columns = self._columns_of(y) if given else np.searchsorted(classes, y)
        weights = check_sample_weight(sample_weight, labels, every_class=not given)
        return X, labels, np.ones(len(labels)) if weights is None else weights

    def _rows(self, X: Any, *, finite: bool = True, learn_names: bool = False) -> Any:
        """``X`` as a matrix (M, J), array or csr_array; feature vectors that are dictionaries get the columns of training.

        A data frame must have the columns of the one in training, in their order. With ``learn_names`` these become the
        ``vector_names``, as those of dictionaries do. Unless ``finite`` is False, all numbers must be finite, and entries of a sparse
        row that stand twice are summed.
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
            raise InputError(
                f"X has the columns {listed(names)}, but {self.get_name()} was trained on {listed(self.vector_names)}, in "
                "this order; pass X[classifier.vector_names]"
            )
        if dictionaries:
            X = as_rows(X, self.vector_names or [])
        return check_inputs(X) if finite else as_matrix(X)

    def _params(self, params: Any, *, finite: bool = False) -> Reals:
        """Parameters as a matrix (J + 1, K); if ``finite``, an error for one that is not."""
        return check_finite_params(params) if finite else check_params(params)

    def _labels_of(self, y: Any) -> NDArray[Any]:
        """Labels of one kind as a vector (M,)."""
        return check_labels(y)

    def _columns_of(self, y: Any) -> Columns:
        """Labels of known classes as column numbers (M,); before training the labels themselves are these numbers."""
        y, classes = check_labels(y), self.classes
        if classes is None:
            if y.dtype.kind not in "biuf" or not ((y >= 0) & (y == np.floor(y)) & (y < 2**31)).all():
                raise InputError(
                    "before training, labels must be the numbers of columns, 0, 1, …, but "
                    f"are {listed(y)}; train the classifier first"
                )
            columns: Columns = y.astype(np.intp)
            return columns
        check_same_kind(y, classes, "labels and those of the training data")
        codes: Columns = np.searchsorted(classes, y)
        known = (codes < len(classes)) & (classes[np.minimum(codes, len(classes) - 1)] == y)
        if not known.all():
            raise InputError(
                f"label {shown(y[~known][0])} was not in the training data, whose labels are {listed(classes)}; "
                "train on data that has every label"
            )
        return codes

    def _labelled(self, X: Any, y: Any, params: Any) -> tuple[Any, Columns, Reals]:
        """Examples, their labels as column numbers (M,) and parameters, if all three fit together."""
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
        """The costs ρ (K, K), with ``[p, y]`` the cost of predicting class p where y is true; 0/1 unless the learner has others."""
        return check_costs(self.cost, n_classes)

    def _rng(self) -> np.random.Generator:
        """The generator of random numbers that the learner's ``seed`` stands for."""
        return random_numbers(self.seed)

    def _class_sums(self, X: Any, labels: Columns, weights: Reals) -> tuple[Reals, float]:
        """The weighted sum of the rows of each class, (J, K), and the smallest entry of X, or 0."""
        from lxmls_day1.engine.kernels.class_sums import class_sums  # numba: imported by the first training

        return class_sums(X, labels, len(self.classes), weights)

    def _word_counts(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Columns, Reals, Reals | None]:
        """Documents (M, J), the columns of their classes (M,), how often each word is in each class (J, K), and their weights if given."""
        from lxmls_day1.engine.loops.word_counting import count_words  # of one learner

        return count_words(self, X, y, sample_weight)

    def _estimated(self, X: Any, labels: Columns, word_counts: Reals, weights: Reals | None) -> Reals:
        """What ``estimate`` makes of the counts, in the memory of the counts where they are many."""
        from lxmls_day1.engine.loops.word_counting import estimated  # of one learner

        return estimated(self, X, labels, word_counts, weights)

    def _check_counts(self, X: Any) -> None:
        """Raise for documents (M, J) with a negative count."""
        from lxmls_day1.engine.loops.word_counting import check_not_negative  # as above

        check_not_negative(X)

    def _accuracy(self, truth: Any, predicted: Any) -> float:
        """The share of right ones among predicted labels (M,), of which there are some, each of a class that can be predicted."""
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
        """Scores (M, K) of inputs (M, J) without their column of ones, which stays unbuilt, if they fit together and are finite."""
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
            scores = _products(X, params[: n_features + 1])
            if quadratic:
                scores = scores + (X * X) @ params[n_features + 1 :]
        if not all_finite(scores):  # one look at the scores, rather than at all the numbers that they are made of
            check_finite(X)
            check_finite_params(params)
            m = np.flatnonzero(~np.isfinite(scores).all(axis=1))[0]
            raise InputError(f"the scores of row {m} of X overflow; scale the features or the weights down")
        found: Reals = scores
        return found

    def _trained(self, params: Reals) -> Reals:
        """The parameters that training has found, which are finite; the classifier is ``trained`` then."""
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

        ``feature_names`` are the ``vector_names`` unless given. With these (``corpus.feature_names``) the file serves for text,
        too: ``lxmls-day1 predict`` and ``explain``. ``label_names`` are what the labels 0, 1, … are called, and ``notes`` whatever else
        is worth keeping; ``tokens="questions"`` tells that texts were counted by `count_words`.
        """
        names = self.vector_names if feature_names is None else feature_names
        model_file.save_model(path, self, params, names, label_names, notes)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextModel:
        """Read what ``save`` wrote: ``LinearClassifier.load`` takes any classifier, ``Mira.load`` a `Mira`.

        Returns a named tuple (classifier, params, feature_names, label_names, notes) whose ``predict(texts)`` labels text, if it was
        trained on text: see :class:`lxmls_day1.engine.text.text_models.TextModel`. The classifier is of the class that was saved
        and has its classes and its hyper-parameters. An InputError says that the file is damaged, not one of ours, from a newer
        version, or holds another classifier.

        >>> import tempfile
        >>> from lxmls_day1.classifiers import LinearClassifier
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LinearClassifier().save(f"{folder}/line.npz", [[0.5, 0.0], [0.0, 1.0]])
        ...     classifier, params, *_ = LinearClassifier.load(f"{folder}/line.npz")
        >>> classifier.test([[0.4], [0.6]], params)
        array([0, 1])
        """
        base = cls.__mro__[
            cls.__mro__.index(CheckedData) - 1
        ]  # LinearClassifier, in the folder of the lab's classifiers
        return TextModel(*model_file.load_classifier(path, cls, inspect.getfile(base), base.__module__))


def check_in_memory(X: Any) -> None:
    """Raise for a corpus on disk: a path, or what reads its shards.

    Examples
    --------
    >>> check_in_memory("mails.bags")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: 'mails.bags' is not data in memory; for a corpus on disk call train_corpus(learner, corpus), ...
    """
    if isinstance(X, (str, os.PathLike)) or hasattr(X, "shards") or hasattr(X, "manifest"):
        place = getattr(X, "folder", X)
        name = shown(place) if isinstance(place, str) else place
        raise InputError(
            f"{name} is not data in memory; for a corpus on disk call train_corpus(learner, corpus), resume(learner, state, corpus), "
            "label_corpus, evaluate_corpus or corpus_objective(learner, corpus, params) of lxmls_day1.engine.corpus_training"
        )
