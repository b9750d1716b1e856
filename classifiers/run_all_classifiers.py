"""One comparison of them all: train each classifier on a data set, measure it, and draw what it has learnt.

The guide's exercise 1.8 asks for it ("use function xx which receives a dataset and plots all decision boundaries and
accuracies"): vary the number of points, the variance and the balance of the simple data set, and compare.
"""

import contextlib
import copy
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from classifiers.bernoulli_naive_bayes import BernoulliNaiveBayes
from classifiers.column_squishing import ColumnSquishing
from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.linear_classifier import LinearClassifier
from classifiers.max_ent_batch import MaxEntBatch
from classifiers.max_ent_online import MaxEntOnline
from classifiers.mira import Mira
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.nbsvm import NBSVM
from classifiers.passive_aggressive import PassiveAggressive, PassiveAggressive2
from classifiers.perceptron import Perceptron
from classifiers.second_order.arow import AROW
from classifiers.second_order.confidence_weighted import ConfidenceWeighted
from classifiers.svm import SVM
from lxmls_day1.checks import as_list, check_offers
from lxmls_day1.figures.plotting import plot_accuracies
from lxmls_day1.result_table import ResultTable, Row
from lxmls_day1.settings import settings


def run_all_classifiers(
    dataset: Any,
    classifiers: Iterable[Any] | Mapping[str, Any] | None = None,
    progress: Callable[[int, int, str], object] | None = None,
    ax: Any = None,
    memory: bool = False,
) -> tuple[ResultTable, tuple[Any, Any]]:
    """Train classifiers on the training part of a data set, measure them on both parts, and draw the comparison.

    Parameters
    ----------
    dataset
        Offers ``train_X, train_y, test_X, test_y`` and ``get_name()``; to have its boundaries drawn, also two features
        and ``plot_data``, ``add_line`` and ``get_bayes_optimal``, as `SimpleDataSet` does.
    classifiers : list of classifiers, or dict from name to classifier, optional
        `default_classifiers` unless given. In a list, classifiers of the same name are told apart by the settings in
        which they differ: ``[Mira(regularizer=0.1), Mira(regularizer=1)]``.
    progress : function (done, total, name), optional
        Called before each training with its name, and at the end with ``done == total`` and an empty name.
    ax : matplotlib Axes, optional
        Where to draw; a new figure unless given.
    memory : bool
        Whether to measure how much memory each training takes, too: it is done a second time for that.

    Returns
    -------
    table : lxmls_day1.result_table.ResultTable
        A row for each classifier, in their order. What they warn of, and which of them are not written yet, stands in
        its notes. Seconds are those of training; numba's compiling, or the loading of what it compiled, is not in them.
    (fig, axis) : Figure, Axes
        Of two features: the points, the boundary of each classifier and the Bayes-optimal one, their accuracies in the
        legend. Of others: the accuracies as bars.

    Raises
    ------
    InputError
        If a classifier cannot be trained on these data, the test part is empty, or what was given is no data set or no
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
    check_offers(
        dataset,
        "wanted a data set such as SimpleDataSet()",
        ("train_X", "train_y", "test_X", "test_y", "get_name"),
    )
    if classifiers is None:
        classifiers = default_classifiers(dataset)
    named = dict(classifiers) if isinstance(classifiers, Mapping) else told_apart(classifiers)
    for classifier in named.values():
        _check_classifier(classifier)
    rows, params_of, notes = [], {}, []
    for done, (name, classifier) in enumerate(named.items()):
        if progress:
            progress(done, len(named), name)
        _load_compiled_code(classifier, dataset)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                warnings.simplefilter("ignore", DeprecationWarning)
                row, params_of[name] = measure(classifier, name, dataset, memory)
        except NotImplementedError as error:
            notes.append(f"{name} is left out, as it is not written yet: {str(error) or 'NotImplementedError'}")
            continue
        rows.append(row)
        notes += [f"{name}: {warning.message}" for warning in caught]
    if progress:
        progress(len(named), len(named), "")
    table = ResultTable(rows, notes)
    return table, _draw(dataset, table, params_of, ax)


def _check_classifier(classifier):
    check_offers(
        classifier, "wanted a classifier such as SVM()", ("train", "test", "evaluate", "objective", "get_name")
    )


def default_classifiers(dataset: Any) -> list[LinearClassifier]:
    """The guide's classifiers that apply to a data set, with the guide's settings.

    Parameters
    ----------
    dataset
        Its ``train_X`` decides: multinomial naive Bayes, without and with smoothing, is there for counts only.

    Returns
    -------
    list of classifiers, untrained

    Examples
    --------
    >>> from readers.simple_data_set import SimpleDataSet
    >>> [type(classifier).__name__ for classifier in default_classifiers(SimpleDataSet())]
    ['GaussianNaiveBayes', 'Perceptron', 'Mira', 'MaxEntBatch', 'MaxEntOnline', 'SVM']
    """
    counted = [MultinomialNaiveBayes(smooth=False), MultinomialNaiveBayes()] if _holds_counts(dataset.train_X) else []
    return [
        GaussianNaiveBayes(),
        *counted,
        Perceptron(),
        Mira(),
        MaxEntBatch(),
        MaxEntOnline(),
        SVM(),
    ]


def all_classifiers(dataset: Any) -> dict[str, LinearClassifier]:
    """Every kind of flat linear learner that applies to a data set, with a setting that is a fair start for it.

    Parameters
    ----------
    dataset
        Its ``train_X`` decides: those that count features or look at their presence are there for counts only.

    Returns
    -------
    dict from name to classifier, untrained
        Maximum entropy and the SVM have λ = 2/M (with sparse weights a quarter of that), the others their defaults.

    Examples
    --------
    >>> from readers.simple_data_set import SimpleDataSet
    >>> list(all_classifiers(SimpleDataSet()))[-2:]
    ['SVM', 'SVM, optimum']
    """
    regularizer = 2 / dataset.train_X.shape[0]
    counted = [MultinomialNaiveBayes(), BernoulliNaiveBayes(), NBSVM()] if _holds_counts(dataset.train_X) else []
    by_default = [GaussianNaiveBayes(), *counted, Perceptron(), Mira(), PassiveAggressive(), PassiveAggressive2()]
    by_default += [ColumnSquishing(), AROW(), ConfidenceWeighted(), MaxEntOnline(regularizer)]
    return {classifier.get_name(): classifier for classifier in by_default} | {
        "Maximum entropy, optimum": MaxEntBatch(regularizer, solver="dual"),
        "Maximum entropy, sparse": MaxEntBatch(regularizer / 4, penalty="l1"),
        "SVM": SVM(regularizer),
        "SVM, optimum": SVM(regularizer, solver="dual"),
    }


def memory_of_training(classifier: Any, dataset: Any) -> float:
    """The most memory that a training takes beside its data.

    Parameters
    ----------
    classifier : classifier
        A copy of it is trained.
    dataset
        Offers ``train_X`` and ``train_y``.

    Returns
    -------
    megabytes : float
        In 10⁶ bytes: what Python and NumPy allocate.

    Examples
    --------
    >>> from readers.simple_data_set import SimpleDataSet
    >>> memory_of_training(Perceptron(), SimpleDataSet()) > 0
    True
    """
    _load_compiled_code(classifier, dataset)  # libraries that are imported meanwhile are not of the training
    learner, was_tracing = copy.deepcopy(classifier), tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the same training has said it already
            learner.train(dataset.train_X, dataset.train_y)
        return (tracemalloc.get_traced_memory()[1] - before) / 1e6
    finally:
        if not was_tracing:
            tracemalloc.stop()


def measure(classifier: Any, name: str, dataset: Any, memory: bool = False) -> tuple[Row, np.ndarray]:
    """Train one classifier and measure it on the training and the test part; with `memory`, train a copy once more for that.

    Parameters
    ----------
    classifier : classifier
    name : str
        What the row calls it.
    dataset
        Offers ``train_X (M, J), train_y (M,), test_X, test_y`` and ``get_name()``.
    memory : bool
        Whether to measure `memory_of_training` as well.

    Returns
    -------
    row : lxmls_day1.result_table.Row
    params : array (J + 1, K), or (2J + 1, K) of a quadratic classifier

    Examples
    --------
    >>> from readers.simple_data_set import SimpleDataSet
    >>> row, params = measure(Perceptron(), "Perceptron", SimpleDataSet(nr_examples=100))
    >>> row.classifier, row.data_set == SimpleDataSet(nr_examples=100).get_name(), params.shape
    ('Perceptron', True, (3, 2))
    """
    started = time.perf_counter()
    params = classifier.train(dataset.train_X, dataset.train_y)
    seconds = time.perf_counter() - started
    train_accuracy, test_accuracy = (
        float(classifier.evaluate(y, classifier.test(X, params)))
        for X, y in [(dataset.train_X, dataset.train_y), (dataset.test_X, dataset.test_y)]
    )
    objective = classifier.objective(dataset.train_X, dataset.train_y, params)
    objective = None if objective is None else float(objective)
    megabytes = memory_of_training(classifier, dataset) if memory else None
    return Row(name, dataset.get_name(), train_accuracy, test_accuracy, seconds, objective, megabytes), params


def told_apart(classifiers: Iterable[Any]) -> dict[str, Any]:
    """Classifiers by name, where those of the same name show the settings in which they differ.

    Parameters
    ----------
    classifiers : iterable of classifiers

    Returns
    -------
    dict from name to classifier, in the same order

    Raises
    ------
    InputError
        If one of them is no classifier.

    Examples
    --------
    >>> list(told_apart([Perceptron(), Mira(regularizer=0.1), Mira(regularizer=1), Mira(regularizer=1)]))
    ['Perceptron', 'MIRA (regularizer=0.1)', 'MIRA (regularizer=1)', 'MIRA (regularizer=1), no. 2']
    """
    classifiers = as_list(classifiers, "classifiers must be a list, or a dict with names")
    namesakes: dict[str, list[Any]] = {}
    for classifier in classifiers:
        _check_classifier(classifier)
        namesakes.setdefault(classifier.get_name(), []).append(classifier)
    named = {}
    for classifier in classifiers:
        name = classifier.get_name()
        others = [settings(namesake) for namesake in namesakes[name]]
        own = settings(classifier)
        differing = [f"{key}={own[key]}" for key in own if any(repr(o.get(key)) != repr(own[key]) for o in others)]
        if differing:
            name += f" ({', '.join(differing)})"
        unique, number = name, 1
        while unique in named:
            number += 1
            unique = f"{name}, no. {number}"
        named[unique] = classifier
    return named


def _holds_counts(X):
    values = X.data if sp.issparse(X) else np.asarray(X)
    return bool((values >= 0).all() and (values == np.floor(values)).all())


def _load_compiled_code(classifier, dataset):
    """Train a copy on an example of each class and two features, so that what is compiled on first use is compiled.

    Such a small training may fail where the real one does not, and what is wrong with both the real one will say.
    """
    _, firsts = np.unique(dataset.train_y, return_index=True)
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        copy.deepcopy(classifier).train(dataset.train_X[firsts][:, :2], np.asarray(dataset.train_y)[firsts])


def _draw(dataset, table, params_of, ax):
    if dataset.train_X.shape[1] != 2 or not hasattr(dataset, "plot_data"):
        return plot_accuracies([row[:4] for row in table], ax=ax)
    bayes_optimal = LinearClassifier()
    bayes_params = dataset.get_bayes_optimal()
    bayes_optimal.quadratic = len(bayes_params) > dataset.train_X.shape[1] + 1  # the data set's own: of these features
    train_accuracy, test_accuracy = (
        bayes_optimal.evaluate(y, bayes_optimal.test(X, bayes_params))
        for X, y in [(dataset.train_X, dataset.train_y), (dataset.test_X, dataset.test_y)]
    )
    fig, axis = dataset.plot_data(print_bayes_opt=False, ax=ax)
    lines = [("Bayes optimal", train_accuracy, test_accuracy, bayes_params)]
    lines += [(row.classifier, row.train_accuracy, row.test_accuracy, params_of[row.classifier]) for row in table]
    for name, train_accuracy, test_accuracy, params in lines:
        label = f"{name}: train {train_accuracy:.2f}, test {test_accuracy:.2f}"
        fig, axis = dataset.add_line(fig, axis, params, label, None)
    return fig, axis
