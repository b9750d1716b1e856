"""A comparison of all classifiers: train each classifier on a data set, measure it, and draw the boundaries it has learnt.

The guide's exercise 1.8 asks for it ("use function xx which receives a dataset and plots all decision boundaries and
accuracies"): vary the number of points, the variance and the balance of the simple data set, and compare.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

import classifiers as lab_classifiers
from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.linear_classifier import LinearClassifier
from classifiers.max_ent_batch import MaxEntBatch
from classifiers.max_ent_online import MaxEntOnline
from classifiers.mira import Mira
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.perceptron import Perceptron
from classifiers.svm import SVM
from lxmls_day1.lab_api import compare


def run_all_classifiers(
    dataset: Any,
    classifiers: Iterable[Any] | Mapping[str, Any] | None = None,
    progress: Callable[[int, int, str], object] | None = None,
    ax: Any = None,
    memory: bool = False,
) -> tuple[Any, tuple[Any, Any]]:
    """Train classifiers on the training part of a data set, measure them on both parts, and draw the comparison.

    Parameters
    ----------
    dataset
        Offers ``train_X, train_y, test_X, test_y`` and ``get_name()``; to have its boundaries drawn, also two features
        and ``plot_data``, ``add_line`` and ``get_bayes_optimal``, as `SimpleDataSet` does.
    classifiers : list of classifiers, or dict from name to classifier, optional
        Default: `default_classifiers`. In a list, classifiers of the same name are distinguished by the settings in
        which they differ: ``[Mira(regularizer=0.1), Mira(regularizer=1)]``.
    progress : function (done, total, name), optional
        Called before each training with the name of the classifier, and at the end with ``done == total`` and an empty name.
    ax : matplotlib Axes, optional
        The axes to draw in. Default: a new figure.
    memory : bool
        Whether to measure also the memory that each training needs; for this every training is run a second time.

    Returns
    -------
    table : lxmls_day1.engine.models.result_table.ResultTable
        A row for each classifier, in the given order. Its notes contain warnings of the classifiers, and the names of classifiers
        that are not written yet. Its seconds are training time, without the time to compile or load machine code.
    (fig, axis) : Figure, Axes
        For two features: the points, the boundary of each classifier and the Bayes-optimal boundary, with accuracies in the
        legend. For other data: the accuracies as bars.

    Raises
    ------
    InputError
        If a classifier cannot be trained on these data, the test part is empty, or an argument is not a data set or not a
        classifier.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> from readers.simple_data_set import SimpleDataSet
    >>> sd = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
    >>> miras = [Mira(regularizer=0.1), Mira(regularizer=10.0)]
    >>> table, (fig, axis) = run_all_classifiers(sd, miras, ax=detached_axes()[1])
    >>> [row.classifier for row in table]
    ['MIRA (regularizer=0.1)', 'MIRA (regularizer=10.0)']
    """
    chosen = default_classifiers if classifiers is None else classifiers
    return compare(dataset, chosen, LinearClassifier(), progress, ax, memory)


def default_classifiers(dataset: Any) -> list[LinearClassifier]:
    """Return the guide's classifiers that apply to a data set, with the guide's settings.

    Parameters
    ----------
    dataset
        Multinomial naive Bayes, without and with smoothing, is included only if ``train_X`` holds counts.

    Returns
    -------
    list of classifiers, untrained

    Examples
    --------
    >>> from readers.simple_data_set import SimpleDataSet
    >>> [type(classifier).__name__ for classifier in default_classifiers(SimpleDataSet())]
    ['GaussianNaiveBayes', 'Perceptron', 'Mira', 'MaxEntBatch', 'MaxEntOnline', 'SVM']
    """
    counted = [MultinomialNaiveBayes(smooth=False), MultinomialNaiveBayes()] if _is_count_data(dataset.train_X) else []
    return [GaussianNaiveBayes(), *counted, Perceptron(), Mira(), MaxEntBatch(), MaxEntOnline(), SVM()]


def all_classifiers(dataset: Any) -> dict[str, LinearClassifier]:
    """Return one classifier of every linear learner that applies to a data set, with settings that make a fair comparison.

    A learner is included if its class has a row with an ``order`` in ``listed``.

    Parameters
    ----------
    dataset
        Learners that count features or use their presence are included only if ``train_X`` holds counts.

    Returns
    -------
    dict from name to classifier, untrained
        Maximum entropy and the SVM have λ = 2/M (with sparse weights a quarter of it), the others their defaults.

    Examples
    --------
    >>> from readers.simple_data_set import SimpleDataSet
    >>> list(all_classifiers(SimpleDataSet()))[-2:]
    ['SVM', 'SVM, optimum']
    """
    holds_counts, found = _is_count_data(dataset.train_X), {}
    for class_name in lab_classifiers.__all__:
        kind = getattr(lab_classifiers, class_name)
        for name, row in vars(kind).get("listed", {}).items():
            if "order" in row and (holds_counts or not row.get("counts_only")):
                found[name] = row["order"], kind, dict(row.get("settings", {}))
    for _, _, settings in found.values():
        if "regularizer" in settings:
            settings["regularizer"] /= dataset.train_X.shape[0]
    return {name: kind(**settings) for name, (_, kind, settings) in sorted(found.items(), key=lambda item: item[1][0])}


def _is_count_data(X):
    values = X.data if sp.issparse(X) else np.asarray(X)
    return bool((values >= 0).all() and (values == np.floor(values)).all())
